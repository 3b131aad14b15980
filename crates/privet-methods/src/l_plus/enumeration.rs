//! The thesis' own search, through the cut enumeration tree: what the interval search is compared with.

use super::bound::LPlus;
use super::partition::Partition;
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_engine::cut::enumeration;
use privet_engine::cut::enumeration::{Enumerable, Order};
use privet_engine::cut::{Amount, Cut, Found, Limits};
use privet_policy::CheckedPolicy;

/// Which of the thesis' techniques are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Techniques {
    /// Values that many records have come first.
    pub descending: bool,
    /// A cut is bounded anew when one of its values is locked.
    pub tighten: bool,
}

/// The techniques, if the policy asks for this search.
pub fn asked(policy: &CheckedPolicy) -> Result<Option<Techniques>> {
    let settings = &policy.method.settings;
    let descending = settings.choice("order") != Some("ascending");
    let techniques = Techniques { descending, tighten: settings.flag("tighten") };
    if settings.choice("search") != Some("enumeration") {
        for (key, is_default) in [("order", techniques.descending), ("tighten", techniques.tighten)] {
            if !is_default {
                let wrong = format!("'{key}' means nothing to search = \"interval\"");
                let help = format!("remove it, or set search = \"enumeration\" to measure what '{key}' does");
                return Err(policy.at_method(key, Error::input(wrong).help(help)));
            }
        }
        return Ok(None);
    }
    let several = settings.count("top").is_some_and(|top| top > 1);
    for (key, is_set) in [("top", several), ("break_minimality", settings.drawn_from().is_some())] {
        if is_set {
            let wrong = format!("search = \"enumeration\" finds one cut, and '{key}' needs several");
            let help = "remove it, or set search = \"interval\"";
            return Err(policy.at_method(key, Error::input(wrong).help(help)));
        }
    }
    Ok(Some(techniques))
}

/// Finds the best cut. Ends early, with what it has, when the clock's time is over.
pub fn enumerate(problem: &LPlus, techniques: Techniques, limits: &Limits, clock: &Clock) -> Result<Found> {
    let order = if techniques.descending { Order::Descending } else { Order::Ascending };
    let techniques = enumeration::Techniques { by_cost: true, order, tighten: techniques.tighten };
    enumeration::enumerate(&mut Partition::new(problem), techniques, limits, clock)
}

/// Values are columns and nodes, and go by how many records have them. Every cut is a solution.
impl Enumerable for Partition<'_> {
    type Value = (usize, u32);

    fn first(&self) -> Vec<(usize, u32)> {
        let trees = self.problem.forest.trees.iter().enumerate();
        trees.filter(|(_, tree)| !tree.is_leaf(0)).map(|(column, _)| (column, 0)).collect()
    }

    fn open_children(&self, (column, node): (usize, u32), open: &mut Vec<(usize, u32)>) {
        let tree = &self.problem.forest.trees[column];
        let inner = tree.children(node).filter(|child| !tree.is_leaf(*child));
        open.extend(inner.map(|child| (column, child)));
    }

    fn rank(&self, (column, node): (usize, u32)) -> u128 {
        u128::from(self.problem.counts[column][node as usize])
    }

    fn specialise(&mut self, (column, node): (usize, u32)) {
        Partition::specialise(self, column, node);
    }

    fn generalise(&mut self) {
        Partition::generalise(self);
    }

    fn lock(&mut self, (column, node): (usize, u32), tighten: bool) {
        Partition::lock(self, column, node, tighten);
    }

    fn changes(&self) -> usize {
        Partition::changes(self)
    }

    fn unlock(&mut self, values: &[(usize, u32)], changes: usize) {
        Partition::unlock(self, values, changes);
    }

    fn is_valid(&self) -> bool {
        true
    }

    fn cost(&self) -> Amount {
        Partition::cost(self)
    }

    fn bound(&self) -> Amount {
        Partition::bound(self)
    }

    fn cut(&self) -> Cut {
        Partition::cut(self)
    }
}
