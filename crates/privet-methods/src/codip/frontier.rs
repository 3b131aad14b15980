//! Where in a lattice of levels a property is known to hold or to fail.
//!
//! For properties that are closed under union: if one holds at some levels, it holds at all coarser ones; if it fails,
//! it fails at all finer ones. So the finest levels at which it holds and the coarsest at which it fails are all we
//! need to store.

use privet_engine::rollup::{Levels, refines};

/// The finest levels known to hold, and the coarsest known to fail.
#[derive(Debug, Default)]
pub(super) struct Frontier {
    holding: Vec<Levels>,
    failing: Vec<Levels>,
}

impl Frontier {
    /// What follows for some levels; `None` if nothing does.
    pub fn known(&self, levels: &[u8]) -> Option<bool> {
        if self.holding.iter().any(|finer| refines(finer, levels)) {
            return Some(true);
        }
        self.failing.iter().any(|coarser| refines(levels, coarser)).then_some(false)
    }

    /// Records the result at some levels.
    pub fn learn(&mut self, levels: &[u8], holds: bool) {
        if self.known(levels).is_some() {
            return;
        }
        if holds {
            self.holding.retain(|other| !refines(levels, other));
            self.holding.push(levels.into());
        } else {
            self.failing.retain(|other| !refines(other, levels));
            self.failing.push(levels.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_at_some_levels_is_known_above_or_below_them() {
        let mut frontier = Frontier::default();
        assert_eq!(frontier.known(&[1, 1]), None);
        frontier.learn(&[2, 1], true);
        frontier.learn(&[0, 2], false);
        for (levels, known) in [
            ([2, 1], Some(true)),
            ([2, 2], Some(true)),
            ([1, 1], None),
            ([0, 1], Some(false)),
            ([0, 2], Some(false)),
            ([1, 2], None),
        ] {
            assert_eq!(frontier.known(&levels), known, "{levels:?}");
        }
        frontier.learn(&[1, 1], true);
        frontier.learn(&[0, 1], false);
        assert_eq!((frontier.holding.len(), frontier.failing.len()), (1, 1));
    }
}
