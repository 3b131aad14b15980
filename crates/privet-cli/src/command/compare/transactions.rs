//! Policies about transactions.

use std::collections::BTreeSet;

use privet::Result;
use privet::clock::Clock;
use privet::engine::baskets::Baskets;
use privet::loss::items::{ItemMeasure, Share};
use privet::method::kl::recoding::ItemRecoding;
use privet::method::kl::{self, ItemTask};
use privet::policy::TransactionPolicy;
use privet::privacy::kl::requirements;
use serde_json::{Value as Json, json};

use super::{Comparison, EXACTLY, Labelled, Line, Point, number};

struct Reached {
    seconds: f64,
    optimal: bool,
    /// By measure, in the order of [`ItemMeasure::ALL`].
    losses: [Share; 2],
    /// Different items in the release, sensitive ones aside.
    items: usize,
    /// The chance to pick the right transaction of somebody of whom all published items are known, on average.
    risk: f64,
    /// The share of occurrences that are published as the item itself.
    exactly: f64,
}

/// How many different sets are published, per transaction: who knows everything else picks one of those that look alike.
fn mean_risk(baskets: &Baskets, recoding: &ItemRecoding, seed: u64) -> f64 {
    let mut dispatcher = recoding.dispatcher(seed, baskets);
    let (mut sets, mut nodes) = (BTreeSet::new(), Vec::new());
    for basket in 0..baskets.len() {
        for _ in 0..baskets.count(basket) {
            if dispatcher.next(baskets, basket, &mut nodes) && !sets.contains(&nodes) {
                sets.insert(nodes.clone());
            }
        }
    }
    sets.len() as f64 / baskets.total().max(1) as f64
}

pub(super) fn run(policies: &[Labelled<TransactionPolicy>], clock: &Clock) -> Result<Comparison> {
    let mut lines = Vec::new();
    for labelled in policies {
        clock.progress().stage(&labelled.label, None);
        let policy = &labelled.policy;
        let baskets = Baskets::read(policy, &mut |_| clock.check())?;
        let limits = requirements(policy, u64::from(baskets.tree.total_leaves()))?;
        let task = ItemTask { baskets: &baskets, requirements: &limits, method: &policy.method };
        let outcome = kl::run(&task, clock).map(|solution| Reached {
            seconds: solution.search.seconds,
            optimal: solution.search.optimal,
            losses: ItemMeasure::ALL.map(|measure| solution.recoding.loss(measure, &baskets)),
            items: solution.recoding.distinct(&baskets),
            exactly: solution.recoding.exactly(&baskets),
            risk: mean_risk(&baskets, &solution.recoding, policy.seed.unwrap_or(0)),
        });
        lines.push(Line::new(labelled, policy.method.name(), outcome)?);
    }
    let mut header: Vec<String> =
        ["policy", "method", "seconds", "optimal", EXACTLY].map(String::from).into();
    header.extend(ItemMeasure::NAMES.iter().map(|name| name.to_string()));
    header.extend(["items", "mean risk", "note"].map(String::from));
    let width = header.len();
    let cells = |reached: &Reached| {
        let mut row =
            vec![format!("{:.3}", reached.seconds), reached.optimal.to_string(), number(reached.exactly)];
        row.extend(reached.losses.iter().map(|loss| number(loss.value())));
        row.extend([reached.items.to_string(), number(reached.risk)]);
        row
    };
    let rows = lines.iter().map(|line| line.row(width, cells));
    Ok(Comparison {
        rows: [header].into_iter().chain(rows).collect(),
        note: "",
        bars: (
            ItemMeasure::NAMES[0],
            lines.iter().filter_map(|line| line.bar(|reached| reached.losses[0].value())).collect(),
        ),
        axes: ("share of detail lost per occurrence of an item", "mean risk: published sets per transaction"),
        points: lines
            .iter()
            .filter_map(|line| line.point(|reached| Some(Point(reached.losses[0].value(), reached.risk))))
            .collect(),
        json: lines.iter().map(|line| line.to_json(facts)).collect(),
    })
}

fn facts(reached: &Reached) -> Json {
    let losses: serde_json::Map<String, Json> = (ItemMeasure::NAMES.iter().zip(&reached.losses))
        .map(|(name, loss)| (name.to_string(), json!(loss.value())))
        .collect();
    json!({
        "seconds": reached.seconds, "optimal": reached.optimal, "items": reached.items, "loss": losses,
        "published_exactly": reached.exactly, "risk": { "mean": reached.risk },
    })
}
