//! Policies about a table.

use privet::clock::Clock;
use privet::engine::microdata::Microdata;
use privet::method::{self, ShownCost};
use privet::policy::CheckedPolicy;
use privet::{Result, loss};
use serde_json::{Value as Json, json};

use super::{Comparison, EXACTLY, Labelled, Point, number};

type Line = super::Line<Reached>;

pub(super) struct Reached {
    suppressed: u64,
    /// Suppressed cells of released records.
    starred: u64,
    classes: usize,
    /// The number of records in the smallest class, if there is one.
    smallest: Option<u64>,
    released: u64,
    seconds: f64,
    optimal: bool,
    /// The share of quasi-identifier cells that are published as they are.
    exactly: f64,
    /// What the method itself minimised, priced as it does.
    own: Option<ShownCost>,
    costs: Vec<ShownCost>,
}

impl Reached {
    /// The chance of who looks for a person to pick the right record at best, and on average over all people.
    fn risks(&self) -> (Option<f64>, Option<f64>) {
        let mean = (self.released > 0).then(|| self.classes as f64 / self.released as f64);
        (self.smallest.map(|smallest| 1.0 / smallest as f64), mean)
    }

    /// The normalised loss that is drawn.
    fn drawn(&self) -> Option<f64> {
        self.costs.iter().find(|cost| cost.name == "LM").map(|cost| cost.normalised)
    }

    /// Whether the method prices its release otherwise than the measure of the same name.
    fn has_own_prices(&self) -> bool {
        let plain = |own: &ShownCost| self.costs.iter().find(|cost| cost.name == own.name);
        let differs = |own: &ShownCost, plain: &ShownCost| {
            (own.value - plain.value).abs() > 1e-9 * own.value.abs().max(plain.value.abs())
        };
        self.own.as_ref().is_some_and(|own| plain(own).is_none_or(|plain| differs(own, plain)))
    }
}

pub(super) fn run(policies: &[Labelled<CheckedPolicy>], clock: &Clock) -> Result<Comparison> {
    let mut lines = Vec::new();
    for labelled in policies {
        clock.progress().stage(&labelled.label, None);
        let policy = &labelled.policy;
        let microdata = Microdata::read(policy, &mut |_| clock.check())?;
        let outcome = method::run(policy, &microdata, clock).map(|mut solution| {
            // Which records go may be left to the seed, how many does not depend on it.
            solution.recoding.draw(policy.seed.unwrap_or(0));
            let classes = solution.recoding.count(&microdata);
            let costs = solution.recoding.costs(&microdata, &classes);
            let asked = policy.method.cost().name();
            let own = solution.cost.or_else(|| costs.iter().find(|cost| cost.name == asked).cloned());
            Reached {
                suppressed: classes.suppressed,
                starred: classes.starred,
                classes: classes.sizes.iter().filter(|size| **size > 0).count(),
                smallest: classes.sizes.iter().copied().filter(|size| *size > 0).min(),
                released: microdata.summary.total() - classes.suppressed,
                seconds: solution.search.seconds,
                optimal: solution.search.optimal,
                exactly: solution.recoding.exactly(&microdata, &classes),
                own,
                costs,
            }
        });
        lines.push(Line::new(labelled, policy.method.name(), outcome)?);
    }
    let shares =
        lines.iter().filter_map(|line| line.outcome.as_ref().ok()?.drawn().map(|share| (line, share)));
    Ok(Comparison {
        rows: table(&lines),
        note: note(&lines),
        bars: ("LM", shares.map(|(line, share)| (line.policy.clone(), share)).collect()),
        axes: ("loss: LM as a share of the worst", "greatest risk: 1 / smallest class"),
        points: (lines.iter())
            .filter_map(|line| line.point(|reached| Some(Point(reached.drawn()?, reached.risks().0?))))
            .collect(),
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
    header.extend(["classes", "seconds", "optimal", EXACTLY].map(String::from));
    header.extend(own.then(|| "own cost".to_string()));
    header.extend(loss::NAMES.iter().map(|name| name.to_string()));
    header.extend(["max risk", "mean risk"].map(String::from));
    header.push("note".to_string());
    let width = header.len();
    let cells = |reached: &Reached| {
        let mut row = vec![reached.suppressed.to_string()];
        row.extend(stars.then(|| reached.starred.to_string()));
        row.push(reached.classes.to_string());
        row.extend([format!("{:.3}", reached.seconds), reached.optimal.to_string(), number(reached.exactly)]);
        row.extend(own.then(|| value(reached.own.as_ref())));
        let named = |name: &&str| value(reached.costs.iter().find(|cost| cost.name == *name));
        row.extend(loss::NAMES.iter().map(named));
        let figure = |risk: Option<f64>| risk.map_or_else(|| "-".to_string(), number);
        let (most, mean) = reached.risks();
        row.extend([figure(most), figure(mean)]);
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
            "published_exactly": reached.exactly,
            "risk": { "max": reached.risks().0, "mean": reached.risks().1 },
        })
    })
}
