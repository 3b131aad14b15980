//! Folding: a rule that a more general rule implies tells nothing new.
//!
//! X' is more general than X when every item of X' is equal to or above an item of X (X may have more of them). Climbing
//! from X one step at a time (an item goes to its parent, or is dropped below the root) reaches every X' there is, and
//! what is found on the way is remembered, so each conjunction is looked at once.

use std::collections::HashMap;

use super::{Item, Observations, Rule};
use crate::privacy::matching::ValueSet;

/// The positions of the rules that no other rule of the list implies.
pub fn most_general(observations: &Observations, rules: &[Rule]) -> Vec<usize> {
    let mut fold = Fold { observations, stated: HashMap::new(), covered: HashMap::new() };
    for rule in rules {
        let values = observations.values.len();
        fold.stated.entry(&rule.items).or_insert_with(|| ValueSet::none(values)).insert(rule.value);
    }
    let is_general = |rule: &Rule| !fold.above(&rule.items).contains(rule.value);
    rules.iter().map(is_general).enumerate().filter(|(_, general)| *general).map(|(at, _)| at).collect()
}

struct Fold<'a> {
    observations: &'a Observations,
    /// Per conjunction, the values that rules of just this conjunction exclude.
    stated: HashMap<&'a [Item], ValueSet>,
    /// Per conjunction, the values that rules of this one or of a more general one exclude.
    covered: HashMap<Vec<Item>, ValueSet>,
}

impl Fold<'_> {
    /// The values that rules with a strictly more general conjunction exclude.
    fn above(&mut self, items: &[Item]) -> ValueSet {
        let mut values = ValueSet::none(self.observations.values.len());
        for at in 0..items.len() {
            let taxonomy = &self.observations.attributes[items[at].attribute].taxonomy;
            let mut wider = items.to_vec();
            match taxonomy.parent(items[at].node).filter(|parent| *parent != taxonomy.root()) {
                Some(parent) => wider[at].node = parent,
                None => {
                    wider.remove(at);
                }
            }
            if !wider.is_empty() {
                values.unite(&self.from(wider));
            }
        }
        values
    }

    /// The values that rules with this conjunction or a more general one exclude.
    fn from(&mut self, items: Vec<Item>) -> ValueSet {
        if let Some(known) = self.covered.get(&items) {
            return known.clone();
        }
        // A conjunction is at most as deep as the trees together, so this ends soon.
        let mut values = self.above(&items);
        if let Some(stated) = self.stated.get(items.as_slice()) {
            values.unite(stated);
        }
        self.covered.insert(items, values.clone());
        values
    }
}
