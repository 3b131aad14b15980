//! All that somebody who watches can infer from the records of a table: the combinations of needed nodes, each with
//! how many records support it and how many of these have a value that must stay hidden.
//!
//! The records are parted attribute by attribute, depth first; a part in which nothing is in danger is left at once.

use std::ops::ControlFlow;

use super::Model;

/// A group of equal records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// Where its values are: the `row`-th run of as many values as there are attributes.
    pub row: u32,
    /// Its value of the attribute that is attacked.
    pub target: u32,
    /// How many records there are.
    pub count: u64,
}

/// What somebody can tell who sees all nodes of `seen`.
#[derive(Debug)]
pub struct Sight<'a> {
    /// Attributes with a node each.
    pub seen: &'a [(usize, u32)],
    /// The groups of records that have them all.
    pub groups: &'a [Group],
    /// How many records these are.
    pub support: u64,
    /// The nodes in danger that some of them have, each with how many do.
    pub hits: &'a [(u32, u64)],
}

/// Watches groups of records for attacks on one attribute.
#[derive(Debug)]
pub struct Watch<'a> {
    model: &'a Model,
    /// The values of all rows, row by row.
    values: &'a [u32],
    /// The attribute that is attacked.
    target: usize,
    seen: Vec<(usize, u32)>,
}

impl<'a> Watch<'a> {
    /// Watches rows of values for attacks on an attribute.
    pub fn new(model: &'a Model, values: &'a [u32], target: usize) -> Watch<'a> {
        Watch { model, values, target, seen: Vec::new() }
    }

    /// Shows every combination of needed nodes of these attributes under which some record is in danger, until asked to
    /// stop.
    pub fn watch(
        &mut self,
        groups: &[Group],
        attributes: &[usize],
        show: &mut impl FnMut(&Sight<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let target = &self.model.attributes[self.target];
        if groups.iter().all(|group| target.dangers(group.target).is_empty()) {
            return ControlFlow::Continue(());
        }
        let Some((attribute, others)) = attributes.split_first() else {
            let (support, hits) = (support(groups), self.hits(groups));
            return show(&Sight { seen: &self.seen, groups, support, hits: &hits });
        };
        let width = self.model.attributes.len();
        let value = |group: &Group| self.values[group.row as usize * width + attribute];
        let watched = &self.model.attributes[*attribute];
        let mut parts: Vec<(u32, Group)> = groups
            .iter()
            .flat_map(|group| watched.needed(value(group)).iter().map(|node| (*node, *group)))
            .collect();
        parts.sort_unstable_by_key(|(node, group)| (*node, group.row, group.target));
        for part in parts.chunk_by(|(one, _), (other, _)| one == other) {
            let Some((node, _)) = part.first() else { continue };
            let part: Vec<Group> = part.iter().map(|(_, group)| *group).collect();
            self.seen.push((*attribute, *node));
            let flow = self.watch(&part, others, show);
            self.seen.pop();
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// Whether any combination of needed nodes of these attributes makes a breach.
    pub fn is_breached(&mut self, groups: &[Group], attributes: &[usize]) -> bool {
        let target = &self.model.attributes[self.target];
        let breached = |sight: &Sight<'_>| {
            let mut hits = sight.hits.iter();
            if hits.any(|(node, count)| target.bar(*node).is_breach(*count, sight.support)) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        self.watch(groups, attributes, &mut { breached }).is_break()
    }

    /// The nodes in danger that records of the groups have, with how many do.
    fn hits(&self, groups: &[Group]) -> Vec<(u32, u64)> {
        let target = &self.model.attributes[self.target];
        let mut hits: Vec<(u32, u64)> = groups
            .iter()
            .flat_map(|group| target.dangers(group.target).iter().map(|node| (*node, group.count)))
            .collect();
        hits.sort_unstable();
        hits.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        hits
    }
}

fn support(groups: &[Group]) -> u64 {
    groups.iter().map(|group| group.count).sum()
}
