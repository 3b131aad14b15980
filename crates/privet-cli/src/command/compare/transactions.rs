//! Policies about transactions.

use std::path::Path;

use privet::Result;
use privet::engine::baskets::Baskets;
use privet::engine::clock::Clock;
use privet::loss::items::{ItemMeasure, Share};
use privet::method::kl::{self, Task};
use privet::policy::TransactionPolicy;
use privet::privacy::kl::requirements;
use serde_json::{Value as Json, json};

use super::{Comparison, Line, number};

struct Reached {
    seconds: f64,
    optimal: bool,
    /// By measure, in the order of [`ItemMeasure::ALL`].
    losses: [Share; 2],
    /// Different items in the release, sensitive ones aside.
    items: usize,
}

pub(super) fn run(policies: &[(&Path, TransactionPolicy)], clock: &Clock) -> Result<Comparison> {
    let mut lines = Vec::new();
    for (path, policy) in policies {
        clock.progress().stage(&path.display().to_string(), None);
        let baskets = Baskets::read(policy, &mut |_| clock.check())?;
        let limits = requirements(policy, u64::from(baskets.tree.total_leaves()))?;
        let task = Task { baskets: &baskets, requirements: &limits, method: &policy.method };
        let outcome = kl::run(&task, clock).map(|solution| Reached {
            seconds: solution.search.seconds,
            optimal: solution.search.optimal,
            losses: ItemMeasure::ALL.map(|measure| solution.recoding.loss(measure, &baskets)),
            items: solution.recoding.distinct(&baskets),
        });
        lines.push(Line::new(path, policy.method.name(), outcome)?);
    }
    let mut header: Vec<String> = ["policy", "method", "seconds", "optimal"].map(String::from).into();
    header.extend(ItemMeasure::NAMES.iter().map(|name| name.to_string()));
    header.extend(["items", "note"].map(String::from));
    let width = header.len();
    let cells = |reached: &Reached| {
        let mut row = vec![format!("{:.3}", reached.seconds), reached.optimal.to_string()];
        row.extend(reached.losses.iter().map(|loss| number(loss.value())));
        row.push(reached.items.to_string());
        row
    };
    let rows = lines.iter().map(|line| line.row(width, cells));
    let drawn = |line: &Line<Reached>| {
        let reached = line.outcome.as_ref().ok()?;
        Some((line.policy.clone(), reached.losses[0].value()))
    };
    Ok(Comparison {
        rows: [header].into_iter().chain(rows).collect(),
        note: "",
        bars: (ItemMeasure::NAMES[0], lines.iter().filter_map(drawn).collect()),
        json: lines.iter().map(|line| line.to_json(facts)).collect(),
    })
}

fn facts(reached: &Reached) -> Json {
    let losses: serde_json::Map<String, Json> = (ItemMeasure::NAMES.iter().zip(&reached.losses))
        .map(|(name, loss)| (name.to_string(), json!(loss.value())))
        .collect();
    json!({
        "seconds": reached.seconds, "optimal": reached.optimal, "items": reached.items, "loss": losses,
    })
}
