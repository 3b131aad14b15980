//! Which values each record of a group may have: one pass over the group instead of a matching per record and value.
//!
//! The *value graph* of a group has the values that occur in it as nodes, and an edge u → v iff some record that has u
//! may have v. A value v that record t may have is **valid** for t (some consistent assignment gives it to t) iff v and
//! the value of t lie in one strongly connected component.
//!
//! *Why.* The true assignment M is a perfect matching of records and occurrences of values. Another edge (t, v) is in
//! some perfect matching iff it closes an alternating cycle with M: t takes v, a holder of v takes w₁, …, a holder of
//! w_r takes the value of t. That is a path from v back to the value of t; a shortest one passes each value once, hence
//! distinct holders, none of them t. With the edge from t's value to v, it is a cycle through both.

use privet_core::ValueSet;

/// The value graph of a group that is being put together.
#[derive(Debug, Clone)]
pub struct ValueGraph {
    /// Per value, what the records that have it may have.
    reach: Vec<ValueSet>,
    present: ValueSet,
}

impl ValueGraph {
    /// The graph of a group without records, for a column of this many values.
    pub fn new(values: usize) -> ValueGraph {
        ValueGraph { reach: vec![ValueSet::none(values); values], present: ValueSet::none(values) }
    }

    /// Takes all records out.
    pub fn clear(&mut self) {
        let none = ValueSet::none(self.reach.len());
        for value in self.present.iter() {
            self.reach[value as usize].clone_from(&none);
        }
        self.present = none;
    }

    /// Adds a record, or any number of them, with what it has and what it may have (which includes what it has).
    #[inline]
    pub fn add(&mut self, value: u32, allowed: &ValueSet) {
        self.present.insert(value);
        self.reach[value as usize].unite(allowed);
    }

    /// The values that occur.
    pub fn present(&self) -> &ValueSet {
        &self.present
    }

    /// The strongly connected components.
    pub fn components(&self) -> Components {
        let present: Vec<u32> = self.present.iter().collect();
        let mut reach: Vec<ValueSet> = Vec::with_capacity(present.len());
        for value in &present {
            let mut to = self.reach[*value as usize].clone();
            to.intersect(&self.present);
            reach.push(to);
        }
        for (via, value) in present.iter().enumerate() {
            let (before, rest) = reach.split_at_mut(via);
            let Some((through, after)) = rest.split_first_mut() else { break };
            for to in before.iter_mut().chain(after) {
                if to.contains(*value) {
                    to.unite(through);
                }
            }
        }
        let mut components = vec![None; self.reach.len()];
        let mut found = Vec::new();
        for (at, value) in present.iter().enumerate() {
            if components[*value as usize].is_some() {
                continue;
            }
            let mut component = ValueSet::none(self.reach.len());
            component.insert(*value);
            for (other, to) in present.iter().zip(&reach) {
                if to.contains(*value) && reach[at].contains(*other) {
                    component.insert(*other);
                }
            }
            for member in component.iter() {
                components[member as usize] = Some(found.len() as u32);
            }
            found.push(component);
        }
        Components { of_value: components, found }
    }
}

/// The strongly connected components of a value graph.
#[derive(Debug, Clone)]
pub struct Components {
    of_value: Vec<Option<u32>>,
    found: Vec<ValueSet>,
}

impl Components {
    /// How many values are valid for a record of the group.
    #[inline]
    pub fn count_valid(&self, value: u32, allowed: &ValueSet) -> usize {
        self.of(value).map_or(0, |component| component.common(allowed))
    }

    /// The values that are valid for a record of the group.
    pub fn valid(&self, value: u32, allowed: &ValueSet) -> ValueSet {
        let mut valid = allowed.clone();
        match self.of(value) {
            Some(component) => valid.intersect(component),
            None => valid.subtract(allowed),
        }
        valid
    }

    fn of(&self, value: u32) -> Option<&ValueSet> {
        self.of_value[value as usize].map(|component| &self.found[component as usize])
    }
}
