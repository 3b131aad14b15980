//! Policies about a table.

use std::path::Path;

use privet::engine::clock::Clock;
use privet::engine::microdata::Microdata;
use privet::method::{self, ShownCost};
use privet::policy::CheckedPolicy;
use privet::{Result, loss};
use serde_json::{Value as Json, json};

use super::{Comparison, number};

type Line = super::Line<Reached>;

pub(super) struct Reached {
    suppressed: u64,
    /// Suppressed cells of released records.
    starred: u64,
    classes: usize,
    seconds: f64,
    optimal: bool,
    /// What the method itself minimised, priced as it does.
    own: Option<ShownCost>,
    costs: Vec<ShownCost>,
}

impl Reached {
    /// Whether the method prices its release otherwise than the measure of the same name.
    fn has_own_prices(&self) -> bool {
        let plain = |own: &ShownCost| self.costs.iter().find(|cost| cost.name == own.name);
        let differs = |own: &ShownCost, plain: &ShownCost| {
            (own.value - plain.value).abs() > 1e-9 * own.value.abs().max(plain.value.abs())
        };
        self.own.as_ref().is_some_and(|own| plain(own).is_none_or(|plain| differs(own, plain)))
    }
}

pub(super) fn run(policies: &[(&Path, CheckedPolicy)], clock: &Clock) -> Result<Comparison> {
    let mut lines = Vec::new();
    for (path, policy) in policies {
        clock.progress().stage(&path.display().to_string(), None);
        let microdata = Microdata::read(policy, &mut |_| clock.check())?;
        let outcome = method::run(policy, &microdata, clock).map(|mut solution| {
            // Which records go may be left to the seed, how many does not depend on it.
            solution.recoding.draw(policy.seed.unwrap_or(0));
            let classes = solution.recoding.count(&microdata);
            let costs = solution.recoding.costs(&microdata, &classes);
            let asked = policy.method.settings.choice("cost").unwrap_or("LM");
            let own = solution.cost.or_else(|| costs.iter().find(|cost| cost.name == asked).cloned());
            Reached {
                suppressed: classes.suppressed,
                starred: classes.starred,
                classes: solution.recoding.len(),
                seconds: solution.search.seconds,
                optimal: solution.search.optimal,
                own,
                costs,
            }
        });
        lines.push(Line::new(path, policy.method.name(), outcome)?);
    }
    let drawn = |line: &Line| {
        let reached = line.outcome.as_ref().ok()?;
        let cost = reached.costs.iter().find(|cost| cost.name == "LM")?;
        Some((line.policy.clone(), cost.normalised))
    };
    Ok(Comparison {
        rows: table(&lines),
        note: note(&lines),
        bars: ("LM", lines.iter().filter_map(drawn).collect()),
        json: lines.iter().map(to_json).collect(),
    })
}

fn any(lines: &[Line], of: impl Fn(&Reached) -> bool) -> bool {
    lines.iter().filter_map(|line| line.outcome.as_ref().ok()).any(of)
}

/// What keeps own costs and plain measures from being compared.
fn note(lines: &[Line]) -> &'static str {
    if !any(lines, Reached::has_own_prices) {
        return "";
    }
    "\nThe plain measures price a suppressed record at 1 per quasi-identifier and a starred cell at nothing. The own \
     cost is what\nthe method minimised: the LM of l-plus-optimize prices a suppressed record at cost_record and a \
     starred cell at cost_value.\n"
}

fn table(lines: &[Line]) -> Vec<Vec<String>> {
    let stars = any(lines, |reached| reached.starred > 0);
    let own = any(lines, Reached::has_own_prices);
    let mut header: Vec<String> = ["policy", "method", "suppressed"].map(String::from).into();
    header.extend(stars.then(|| "starred".to_string()));
    header.extend(["classes", "seconds", "optimal"].map(String::from));
    header.extend(own.then(|| "own cost".to_string()));
    header.extend(loss::NAMES.iter().map(|name| name.to_string()));
    header.push("note".to_string());
    let width = header.len();
    let cells = |reached: &Reached| {
        let mut row = vec![reached.suppressed.to_string()];
        row.extend(stars.then(|| reached.starred.to_string()));
        row.push(reached.classes.to_string());
        row.extend([format!("{:.3}", reached.seconds), reached.optimal.to_string()]);
        row.extend(own.then(|| value(reached.own.as_ref())));
        let named = |name: &&str| value(reached.costs.iter().find(|cost| cost.name == *name));
        row.extend(loss::NAMES.iter().map(named));
        row
    };
    let rows = lines.iter().map(|line| line.row(width, cells));
    [header].into_iter().chain(rows).collect()
}

fn value(cost: Option<&ShownCost>) -> String {
    cost.map_or_else(|| "-".to_string(), |cost| number(cost.value))
}

fn to_json(line: &Line) -> Json {
    line.to_json(|reached| {
        let losses: serde_json::Map<String, Json> =
            reached.costs.iter().map(|cost| (cost.name.to_string(), json!(cost.value))).collect();
        let own = reached.own.as_ref().map(|cost| json!({ "metric": cost.name, "value": cost.value }));
        json!({
            "suppressed": reached.suppressed, "starred": reached.starred, "classes": reached.classes,
            "seconds": reached.seconds, "optimal": reached.optimal, "cost": own, "loss": losses,
        })
    })
}
