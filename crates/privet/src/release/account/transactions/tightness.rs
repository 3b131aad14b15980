//! How near a release of transactions comes to its limits, whatever an attacker within reach knows.
//!
//! The audit decides over all that an attacker within reach may know, and stops at nothing but a violation. What is shown
//! here is the worst case, looked for apart from it; where that would take too long, among less knowledge, which is said.

use super::worst::{Aim, Reach, Worst, worst};
use crate::release::report::{Side, Sourced, Tightness};
use privet_core::Exact;
use privet_engine::baskets::Baskets;
use privet_engine::privacy::kl::KlPrivacy;
use privet_methods::kl::recoding::ItemRecoding;
use privet_taxonomy::Node;

/// The worst cases per requirement.
pub(super) fn tightness(baskets: &Baskets, recoding: &ItemRecoding, limits: &[KlPrivacy]) -> Vec<Tightness> {
    let mut all = Vec::new();
    for limit in limits {
        let find = |aim| worst(baskets, recoding, limit, aim);
        if let Some((found, reach)) = Some(limit).filter(|limit| limit.k > 1).and_then(|_| find(Aim::Fewest))
        {
            all.push(fewest(baskets, limit, &found, reach));
        }
        if let Some((found, reach)) =
            Some(limit).filter(|limit| limit.guards_marks()).and_then(|_| find(Aim::Surest))
        {
            all.extend(surest(baskets, limit, &found, reach));
        }
    }
    all
}

fn fewest(baskets: &Baskets, limit: &KlPrivacy, found: &Worst, reach: Reach) -> Tightness {
    Tightness {
        requirement: format!("transactions that fit, {}", knowing(baskets, limit, reach)),
        column: None,
        inequality: format!("n(known items) ≥ {}", limit.k),
        exact: found.support.to_string().into(),
        worst: in_words(baskets, found).into(),
        value: Sourced::Released(found.support as f64),
        threshold: limit.k as f64,
        side: Side::AtLeast,
        counted: true,
        from_data: false,
        holds: found.support >= limit.k,
    }
}

fn surest(baskets: &Baskets, limit: &KlPrivacy, found: &Worst, reach: Reach) -> Option<Tightness> {
    let (mark, count) = found.mark?;
    let (share, allowed) = (Exact::new(count, found.support)?, *limit.theta.get(mark as usize)?);
    let name = baskets.sensitive.get(mark as usize).cloned().unwrap_or_default();
    Some(Tightness {
        requirement: format!("confidence in a sensitive item, {}", knowing(baskets, limit, reach)),
        column: None,
        inequality: format!("n(known items, sensitive) ≤ {allowed} · n(known items)"),
        exact: format!("{count}/{}", found.support).into(),
        worst: format!("{name}, from {}", in_words(baskets, found)).into(),
        value: Sourced::Released(share.to_f64()),
        threshold: allowed.to_f64(),
        side: Side::AtMost,
        counted: false,
        from_data: false,
        holds: !limit.exceeds(mark, count, found.support),
    })
}

/// How much is known, and how much the promise is about where not all of that was looked at.
fn knowing(baskets: &Baskets, limit: &KlPrivacy, reach: Reach) -> String {
    let items = u64::from(baskets.tree.total_leaves());
    let words = |reach: Reach| {
        let up_to = |count: u64| if count == 1 { "one".to_string() } else { format!("up to {count}") };
        match (reach.present, reach.absent) {
            (0, 0) => "nothing".to_string(),
            (present, absent) if present >= items && absent >= items => {
                "all that is there and is not".to_string()
            }
            (1, 0) => "one item".to_string(),
            (present, 0) => format!("{} items", up_to(present)),
            (0, absent) => format!("{} not there", up_to(absent)),
            (1, absent) => format!("one item and {} not there", up_to(absent)),
            (present, absent) => format!("{} items and {} not there", up_to(present), up_to(absent)),
        }
    };
    let promised = Reach::of(limit);
    match reach == promised {
        true => format!("knowing {}", words(reach)),
        false => format!(
            "knowing {}; the audit checked {}, of which the worst case was not looked for",
            words(reach),
            words(promised)
        ),
    }
}

/// What is known, as a person would say it.
fn in_words(baskets: &Baskets, found: &Worst) -> String {
    let list = |nodes: &[Node], link: &str| {
        let labels: Vec<&str> = nodes.iter().map(|node| baskets.tree.label(*node)).collect();
        match labels.split_last() {
            Some((last, [])) => last.to_string(),
            Some((last, others)) => format!("{} {link} {last}", others.join(", ")),
            None => String::new(),
        }
    };
    match (&found.present[..], &found.absent[..]) {
        ([], []) => "nothing known".to_string(),
        (present, []) => list(present, "and"),
        ([], absent) => format!("without {}", list(absent, "or")),
        (present, absent) => format!("{}, without {}", list(present, "and"), list(absent, "or")),
    }
}
