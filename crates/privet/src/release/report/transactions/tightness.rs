//! How near a release of transactions comes to its limits, for an adversary who knows one or two published items.
//!
//! The audit decides over all that an adversary within reach may know, and stops at nothing but a violation. What is shown
//! here is the worst case among sets of up to two items that are present: what a reader can check by hand.

use std::collections::BTreeMap;

use super::super::model::{Side, Tightness};
use crate::Exact;
use crate::engine::baskets::Baskets;
use crate::method::kl::recoding::ItemRecoding;
use crate::privacy::kl::KlPrivacy;
use crate::taxonomy::Node;

/// More pairs than this are not counted.
const MOST_PAIRS: usize = 20_000_000;

/// Transactions that hold one or two items, and how many of them hold each sensitive one.
type Known = BTreeMap<(Node, Node), (u64, BTreeMap<u32, u64>)>;

/// The worst cases per requirement; none where there are too many pairs to count.
pub(super) fn tightness(baskets: &Baskets, recoding: &ItemRecoding, limits: &[KlPrivacy]) -> Vec<Tightness> {
    let most = limits.iter().map(|limit| limit.m.min(2)).max().unwrap_or(0);
    let pairs: usize = (0..baskets.len()).map(|basket| baskets.items(basket).len().pow(2)).sum();
    if most == 0 || pairs > MOST_PAIRS {
        return Vec::new();
    }
    let known = known(baskets, recoding, most > 1);
    let mut all = Vec::new();
    for limit in limits.iter().filter(|limit| limit.m > 0) {
        let within = || known.iter().filter(|((one, other), _)| limit.m > 1 || one == other);
        if let Some((items, (support, _))) = within().min_by_key(|(_, (support, _))| *support) {
            all.push(Tightness {
                requirement: format!("transactions that fit {}", words(limit)),
                column: None,
                inequality: format!("n(known items) ≥ {}", limit.k),
                exact: support.to_string(),
                worst: told(baskets, *items),
                value: *support as f64,
                threshold: limit.k as f64,
                side: Side::AtLeast,
                counted: true,
                from_data: false,
                holds: *support >= limit.k,
            });
        }
        let shares = within().flat_map(|(items, (support, marks))| {
            marks.iter().filter_map(|(mark, count)| Some((*items, *mark, Exact::new(*count, *support)?)))
        });
        // The surest compared with what is allowed; thresholds differ from item to item.
        let allowed = |mark: u32| limit.theta.get(mark as usize).copied().unwrap_or(Exact::ONE);
        let guarded = shares.filter(|(_, mark, _)| allowed(*mark) < Exact::ONE);
        let worst = guarded.max_by(|a, b| {
            let room = |(_, mark, share): &(_, u32, Exact)| {
                share.to_f64() / allowed(*mark).to_f64().max(f64::MIN_POSITIVE)
            };
            room(a).total_cmp(&room(b))
        });
        if let Some((items, mark, share)) = worst {
            let name = baskets.sensitive.get(mark as usize).cloned().unwrap_or_default();
            all.push(Tightness {
                requirement: format!("confidence in a sensitive item, knowing {}", words(limit)),
                column: None,
                inequality: format!("n(known items, sensitive) ≤ {} · n(known items)", allowed(mark)),
                exact: share.to_string(),
                worst: format!("{name}, from {}", told(baskets, items)),
                value: share.to_f64(),
                threshold: allowed(mark).to_f64(),
                side: Side::AtMost,
                counted: false,
                from_data: false,
                holds: share <= allowed(mark),
            });
        }
    }
    all
}

fn words(limit: &KlPrivacy) -> &'static str {
    if limit.m > 1 { "one or two known items" } else { "one known item" }
}

fn told(baskets: &Baskets, (one, other): (Node, Node)) -> String {
    let (one, other) = (baskets.tree.label(one), baskets.tree.label(other));
    if one == other { one.to_string() } else { format!("{one} and {other}") }
}

fn known(baskets: &Baskets, recoding: &ItemRecoding, in_pairs: bool) -> Known {
    let mut known = Known::new();
    for shown in (0..baskets.len()).flat_map(|basket| recoding.shown(baskets, basket)) {
        for (at, one) in shown.nodes.iter().enumerate() {
            let others = shown.nodes.get(at..).unwrap_or_default();
            for other in others.iter().take(if in_pairs { usize::MAX } else { 1 }) {
                let (support, marks) = known.entry((*one, *other)).or_default();
                *support += shown.count;
                shown.marks.iter().for_each(|mark| *marks.entry(*mark).or_default() += shown.count);
            }
        }
    }
    known
}
