//! Policies about a table whose methods publish several tables with disjoint sensitive attributes.

use privet::Result;
use privet::clock::Clock;
use privet::engine::microdata::Microdata;
use privet::method::codip::{ProjectionDecision, decide};
use privet::policy::CheckedPolicy;
use serde_json::{Value as Json, json};

use super::{Comparison, EXACTLY, Labelled, Line, Point, number};

struct Reached {
    tables: usize,
    gamma_alpha: f64,
    gamma_beta: f64,
    seconds: f64,
    optimal: bool,
    /// The share of quasi-identifier cells that are published as they are, the mean over the tables.
    exactly: f64,
}

pub(super) fn run(policies: &[Labelled<CheckedPolicy>], clock: &Clock) -> Result<Comparison> {
    let mut lines = Vec::new();
    for labelled in policies {
        clock.progress().stage(&labelled.label, None);
        let policy = &labelled.policy;
        let microdata = Microdata::read(policy, &mut |_| clock.check())?;
        let outcome = decide(policy, &microdata, clock).map(|decision| Reached {
            tables: decision.projections.len(),
            gamma_alpha: decision.gamma_alpha,
            gamma_beta: decision.gamma_beta,
            seconds: decision.search.seconds,
            optimal: decision.search.optimal,
            exactly: exactly(&decision, &microdata),
        });
        lines.push(Line::new(labelled, policy.method.name(), outcome)?);
    }
    let header =
        ["policy", "method", "tables", "association loss", "exposure", "seconds", "optimal", EXACTLY, "note"];
    let cells = |reached: &Reached| {
        vec![
            reached.tables.to_string(),
            number(reached.gamma_alpha),
            number(reached.gamma_beta),
            format!("{:.3}", reached.seconds),
            reached.optimal.to_string(),
            number(reached.exactly),
        ]
    };
    let rows = lines.iter().map(|line| line.row(header.len(), cells));
    Ok(Comparison {
        rows: [header.map(String::from).to_vec()].into_iter().chain(rows).collect(),
        note: "",
        bars: (
            "association loss",
            lines.iter().filter_map(|line| line.bar(|reached| reached.gamma_alpha)).collect(),
        ),
        axes: ("association lost, Γα", "information exposed, Γβ"),
        points: lines
            .iter()
            .filter_map(|line| line.point(|reached| Some(Point(reached.gamma_alpha, reached.gamma_beta))))
            .collect(),
        json: lines.iter().map(|line| line.to_json(facts)).collect(),
    })
}

fn exactly(decision: &ProjectionDecision, microdata: &Microdata) -> f64 {
    let tables = decision.projections.iter().map(|table| &table.recoding);
    let sum: f64 = tables.map(|recoding| recoding.exactly(microdata, &recoding.outline(microdata))).sum();
    sum / decision.projections.len().max(1) as f64
}

fn facts(reached: &Reached) -> Json {
    json!({
        "tables": reached.tables, "seconds": reached.seconds, "optimal": reached.optimal,
        "published_exactly": reached.exactly,
        "loss": { "association-loss": reached.gamma_alpha }, "risk": { "exposure": reached.gamma_beta },
    })
}
