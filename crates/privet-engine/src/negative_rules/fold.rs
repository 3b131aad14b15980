//! Folding: a rule that a more general rule implies tells nothing new.
//!
//! X' is more general than X when every item of X' is equal to or above an item of X (X may have more of them). Climbing
//! from X one step at a time (an item goes to its parent, or is dropped below the root) reaches every X' there is, and
//! what is found on the way is remembered, so each conjunction is looked at once.

use std::collections::HashMap;

use super::{Item, Observations, Rule};
use privet_core::ValueSet;

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
        let wider = self.wider(items);
        self.cover(&wider);
        self.united(&wider)
    }

    /// The conjunctions one step up.
    fn wider(&self, items: &[Item]) -> Vec<Vec<Item>> {
        let step = |at: usize| {
            let taxonomy = &self.observations.attributes[items[at].attribute].taxonomy;
            let mut wider = items.to_vec();
            match taxonomy.parent(items[at].node).filter(|parent| *parent != taxonomy.root()) {
                Some(parent) => wider[at].node = parent,
                None => {
                    wider.remove(at);
                }
            }
            wider
        };
        (0..items.len()).map(step).filter(|wider| !wider.is_empty()).collect()
    }

    /// Finds out what rules with these conjunctions or more general ones exclude. A conjunction can be as deep as all trees
    /// together, deeper than any stack: what waits for more general ones is a list.
    fn cover(&mut self, conjunctions: &[Vec<Item>]) {
        let mut waiting = conjunctions.to_vec();
        while let Some(items) = waiting.pop() {
            if self.covered.contains_key(&items) {
                continue;
            }
            let wider = self.wider(&items);
            if wider.iter().all(|wider| self.covered.contains_key(wider)) {
                let mut values = self.united(&wider);
                if let Some(stated) = self.stated.get(items.as_slice()) {
                    values.unite(stated);
                }
                self.covered.insert(items, values);
            } else {
                waiting.push(items);
                waiting.extend(wider);
            }
        }
    }

    /// The values that rules with any of these conjunctions or of more general ones exclude, as far as is known.
    fn united(&self, conjunctions: &[Vec<Item>]) -> ValueSet {
        let mut values = ValueSet::none(self.observations.values.len());
        let known = conjunctions.iter().filter_map(|items| self.covered.get(items));
        known.for_each(|covered| values.unite(covered));
        values
    }
}
