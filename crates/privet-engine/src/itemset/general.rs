//! A threat made as general as it goes: the more general, the more cuts its conflict rules out.

use super::lookup::Lookup;
use super::mine::Threat;
use super::rows::Heads;
use privet_taxonomy::{ItemTree, Node};

/// How far threats can be made more general. Only for requirements that do not guard sensitive items.
#[derive(Clone, Copy)]
pub(super) struct General<'a> {
    pub tree: &'a ItemTree,
    pub lookup: &'a Lookup,
    /// Fewer transactions are a threat.
    pub k: u64,
    /// How many leaves of absence a threat may need.
    pub reach: u64,
}

impl General<'_> {
    /// Lifts nodes to their parents as long as some transactions fit, but fewer than k.
    pub(super) fn generalise(&self, threat: &mut Threat) {
        loop {
            let lifts = (0..threat.present.len()).map(|at| self.with_present_lifted(threat, at));
            let lifts = lifts.chain((0..threat.absent.len()).map(|at| self.with_absent_lifted(threat, at)));
            let found = lifts.flatten().find_map(|mut lifted| {
                lifted.support = self.count(&lifted)?;
                Some(lifted)
            });
            match found {
                Some(found) => *threat = found,
                None => return,
            }
        }
    }

    /// With one present node replaced by its parent, or left out where another one implies that.
    fn with_present_lifted(&self, threat: &Threat, at: usize) -> Option<Threat> {
        let above = self.tree.parent(threat.present[at])?;
        let mut lifted = threat.clone();
        lifted.present.swap_remove(at);
        if !lifted.present.iter().any(|other| self.tree.contains(above, *other)) {
            lifted.present.push(above);
        }
        Some(lifted)
    }

    /// With one absent node replaced by its parent, which takes the place of all absent nodes below it.
    fn with_absent_lifted(&self, threat: &Threat, at: usize) -> Option<Threat> {
        let above = self.tree.parent(threat.absent[at])?;
        let is_below = |other: &Node| self.tree.contains(above, *other);
        if threat.present.iter().any(is_below) {
            return None;
        }
        let mut lifted = threat.clone();
        lifted.absent.retain(|other| !is_below(other));
        lifted.absent.push(above);
        let cost: u64 = lifted.absent.iter().map(|node| u64::from(self.tree.leaves(*node))).sum();
        (cost <= self.reach).then_some(lifted)
    }

    /// How many transactions fit, if some do but fewer than k. Heavy rows are looked at first.
    fn count(&self, threat: &Threat) -> Option<u64> {
        let General { tree, lookup, k, .. } = *self;
        let fits = |place: u32| {
            threat.present.iter().all(|node| lookup.holds(tree, place, *node))
                && !threat.absent.iter().any(|node| lookup.holds(tree, place, *node))
        };
        let count = |places: &mut dyn Iterator<Item = u32>| {
            let mut support = Heads::default();
            for place in places.filter(|place| fits(*place)) {
                let (weight, owner) = lookup.weight(tree, place);
                support.add(weight, owner);
                if support.sum >= k {
                    return None;
                }
            }
            (support.sum > 0).then_some(support.sum)
        };
        let rarest =
            threat.present.iter().map(|node| lookup.holding(tree, *node)).min_by_key(|rows| rows.len());
        match rarest {
            Some(places) => count(&mut places.iter().rev().copied()),
            None => count(&mut (0..lookup.len() as u32).rev()),
        }
    }
}
