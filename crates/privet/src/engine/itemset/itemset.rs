//! A threat made as general as it goes: the more general, the more cuts its conflict rules out.

use super::field::{Field, NONE};
use crate::privacy::kl::KlPrivacy;

/// What an adversary knows, in the numbers of a field.
#[derive(Debug, Clone)]
pub(super) struct Itemset {
    pub present: Vec<u32>,
    pub absent: Vec<u32>,
    /// How many transactions fit.
    pub support: u64,
}

impl Itemset {
    /// Lifts nodes to their parents as long as some transactions fit, but fewer than k. Only for requirements that do not
    /// guard sensitive items.
    pub(super) fn generalise(&mut self, field: &Field, privacy: &KlPrivacy) {
        loop {
            let lifts = (0..self.present.len()).map(|at| self.with_present_lifted(field, at));
            let lifts =
                lifts.chain((0..self.absent.len()).map(|at| self.with_absent_lifted(field, privacy, at)));
            let threat = lifts.flatten().find_map(|mut lifted| {
                lifted.support = lifted.count(field, privacy.k)?;
                Some(lifted)
            });
            match threat {
                Some(threat) => *self = threat,
                None => return,
            }
        }
    }

    /// With one present node replaced by its parent, or left out where another one implies that.
    fn with_present_lifted(&self, field: &Field, at: usize) -> Option<Itemset> {
        let above = Some(field.parent[self.present[at] as usize]).filter(|parent| *parent != NONE)?;
        let mut lifted = self.clone();
        lifted.present.swap_remove(at);
        let range = above..field.end[above as usize];
        if !lifted.present.iter().any(|other| range.contains(other)) {
            lifted.present.push(above);
        }
        Some(lifted)
    }

    /// With one absent node replaced by its parent, which takes the place of all absent nodes below it.
    fn with_absent_lifted(&self, field: &Field, privacy: &KlPrivacy, at: usize) -> Option<Itemset> {
        let above = Some(field.parent[self.absent[at] as usize]).filter(|parent| *parent != NONE)?;
        let range = above..field.end[above as usize];
        if self.present.iter().any(|present| range.contains(present)) {
            return None;
        }
        let mut lifted = self.clone();
        lifted.absent.retain(|other| !range.contains(other));
        lifted.absent.push(above);
        let cost: u64 = lifted.absent.iter().map(|node| u64::from(field.leaves[*node as usize])).sum();
        (cost <= privacy.n).then_some(lifted)
    }

    /// How many transactions fit, if some do but fewer than k.
    fn count(&self, field: &Field, k: u64) -> Option<u64> {
        let fits = |row: u32| {
            self.present.iter().all(|node| field.holds(row, *node))
                && !self.absent.iter().any(|node| field.holds(row, *node))
        };
        let count = |rows: &mut dyn Iterator<Item = u32>| {
            let mut support = 0;
            for row in rows.filter(|row| fits(*row)) {
                support += field.weights[row as usize];
                if support >= k {
                    return None;
                }
            }
            (support > 0).then_some(support)
        };
        match self.present.iter().map(|node| field.reaching(*node)).min_by_key(|rows| rows.len()) {
            Some(rows) => count(&mut rows.iter().rev().copied()),
            None => count(&mut (0..field.weights.len() as u32).rev()),
        }
    }
}
