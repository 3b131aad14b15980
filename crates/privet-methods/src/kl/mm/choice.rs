//! Which items to suppress, given the moles.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::kl::moles::Moles;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_taxonomy::Node;

/// An item, ordered by the moles removed per occurrence lost; among equals, the first is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SuppressionCandidate {
    moles: u64,
    lost: u64,
    item: Node,
}

impl Ord for SuppressionCandidate {
    fn cmp(&self, other: &SuppressionCandidate) -> Ordering {
        let per_loss = |one: &SuppressionCandidate, other: &SuppressionCandidate| {
            u128::from(one.moles) * u128::from(other.lost)
        };
        let ratio = per_loss(self, other).cmp(&per_loss(other, self));
        ratio.then_with(|| Reverse(self.item).cmp(&Reverse(other.item)))
    }
}

impl PartialOrd for SuppressionCandidate {
    fn partial_cmp(&self, other: &SuppressionCandidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Suppresses items until every mole has lost one of the items that can repair it: each time the item in most moles per
/// occurrence, the first among equals.
///
/// The moles of an item only become fewer, so the heap never underestimates an item, and a top entry that is up to date
/// is the best of all. Only entries that reach the top need to be recounted.
pub(in crate::kl) fn suppress(
    moles: &Moles,
    occurrences: &[u64],
    gone: &mut [bool],
    clock: &Clock,
) -> Result<()> {
    let mut moles_of: Vec<Vec<u32>> = vec![Vec::new(); gone.len()];
    for mole in 0..moles.len() {
        for item in moles.nodes(mole) {
            moles_of[*item as usize].push(mole as u32);
        }
    }
    let mut counts: Vec<u64> = moles_of.iter().map(|moles| moles.len() as u64).collect();
    let candidate =
        |item: Node, moles: u64| SuppressionCandidate { moles, lost: occurrences[item as usize], item };
    let all = (0..gone.len() as Node).zip(&counts).filter(|(_, moles)| **moles > 0);
    let mut heap: BinaryHeap<SuppressionCandidate> =
        all.map(|(item, moles)| candidate(item, *moles)).collect();
    let mut alive = vec![true; moles.len()];
    while let Some(best) = heap.pop() {
        clock.check()?;
        let left = counts[best.item as usize];
        if left < best.moles {
            if left > 0 {
                heap.push(candidate(best.item, left));
            }
            continue;
        }
        gone[best.item as usize] = true;
        for mole in &moles_of[best.item as usize] {
            if std::mem::take(&mut alive[*mole as usize]) {
                for item in moles.nodes(*mole as usize) {
                    counts[*item as usize] -= 1;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The literal rule: all items are compared before each choice.
    fn literally(moles: &[Vec<Node>], occurrences: &[u64]) -> Vec<bool> {
        let mut gone = vec![false; occurrences.len()];
        loop {
            let open = |item: usize| {
                let alive = moles.iter().filter(|mole| !mole.iter().any(|item| gone[*item as usize]));
                alive.filter(|mole| mole.contains(&(item as Node))).count() as u64
            };
            let mut best: Option<(usize, u64)> = None;
            for (item, count) in
                (0..gone.len()).map(|item| (item, open(item))).filter(|(_, count)| *count > 0)
            {
                if best.is_none_or(|(known, most)| count * occurrences[known] > most * occurrences[item]) {
                    best = Some((item, count));
                }
            }
            match best {
                Some((item, _)) => gone[item] = true,
                None => return gone,
            }
        }
    }

    proptest! {
        #[test]
        fn the_heap_chooses_as_the_rule_says(
            sets in proptest::collection::vec(proptest::collection::btree_set(0u32..8, 1..4), 0..20),
            occurrences in proptest::collection::vec(1u64..6, 8),
        ) {
            let sets: Vec<Vec<Node>> = sets.into_iter().map(|set| set.into_iter().collect()).collect();
            let mut moles = Moles::default();
            sets.iter().for_each(|set| moles.push(set.iter().copied()));
            let mut gone = vec![false; 8];
            suppress(&moles, &occurrences, &mut gone, &Clock::unlimited()).expect("choices");
            prop_assert_eq!(gone, literally(&sets, &occurrences));
        }
    }
}
