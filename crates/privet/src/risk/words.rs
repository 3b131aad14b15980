//! The figures with their names, the same wherever they are read.

use privet_engine::risk::Estimate;

use super::Risk;

/// Each figure with its name. What an estimator cannot say is "not available", never 0.
pub(super) fn rows(risk: &Risk) -> Vec<(String, String)> {
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut row = |name: &str, value: String| rows.push((name.to_string(), value));
    row("prosecutor, highest: one over the smallest class", percent(risk.highest()));
    row("prosecutor or marketer, on average", percent(risk.average()));
    row("records that are alone in their class", percent(risk.sample_uniques()));
    if let (Some(all), Some(population)) = (&risk.uniqueness, risk.population) {
        let people = risk.records.iter().filter_map(|record| record.people).min();
        if let Some(least) = people.filter(|least| *least > 0) {
            row("journalist, highest: one over the fewest people", percent(1.0 / least as f64));
        }
        let share = |found: Option<Estimate>| shown(found.map(|found| found.value));
        row(&format!("unique among {population} people, by Zayatz"), share(all.zayatz));
        row("  by Pitman's formula", share(all.pitman));
        row("  by the shifted negative binomial", share(all.snb));
        row("  by the rule of Dankar and others", share(all.dankar));
        row("a unique match is right (DIS)", shown(risk.dis));
    }
    if let Some(own) = risk.individual {
        row("individual risk by survey weights, highest", percent(own.highest));
        row("  records that are expected to be found", format!("{:.6}", own.expected));
        row("  people that the weights stand for", format!("{}", own.population));
    }
    if let Some(own) = risk.household {
        row("household risk, highest", percent(own.highest));
        row("  records in households that are expected to be found", format!("{:.6}", own.expected));
    }
    rows
}

fn percent(share: f64) -> String {
    format!("{:.4} %", share * 100.0)
}

fn shown(share: Option<f64>) -> String {
    share.map_or("not available".to_string(), percent)
}
