//! Tables as freeform attacks see them.

use std::cmp::Reverse;
use std::sync::Arc;

use hashbrown::HashMap;

use super::model::{MixedAttribute, asked, mixed_trees};
use privet_core::random::{below, keyed};
use privet_core::suggestion;
use privet_core::{Error, Result};
use privet_data::{Batch, Source};
use privet_policy::CheckedPolicy;
use privet_taxonomy::{NodeId, Range, Taxonomy};

/// A table of mixed columns under attack: distinct records of nodes, with counts.
#[derive(Debug, Clone)]
pub struct MixedTable {
    pub(super) attributes: Vec<MixedAttribute>,
    /// The order in which attributes tell records apart soonest: those of which records have a single needed node first,
    /// and those with many values before those with few.
    order: Vec<usize>,
    /// One node per attribute, record by record.
    pub(super) values: Vec<u32>,
    pub(super) counts: Vec<u64>,
}

/// How many people a table gives away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exposure {
    /// People who have something to hide.
    pub targets: u64,
    /// Those with a guarded value that follows from what can be observed about them.
    pub hits: u64,
    /// Those for whom it follows from nothing at all.
    pub baseline: u64,
    /// Those for whom it follows if the observable part of the guarded column itself is known too: a high income, say,
    /// whose amount is guarded. Outside of Definition 3.1, which takes nothing from the attacked column.
    pub own: u64,
}

/// What somebody can tell who observes some nodes.
#[derive(Debug)]
pub(super) struct Sight<'a> {
    /// Attributes with a node each.
    pub seen: &'a [(usize, u32)],
    /// The records that fit, by number.
    pub rows: &'a [u32],
    /// How many records these are, each as often as it occurs.
    pub support: u64,
    /// The nodes in danger that some of them have, each with how many do.
    pub hits: &'a [(u32, u64)],
}

impl MixedTable {
    /// A table by the nodes that its records show: per record one node of each mixed column's hierarchy, in the order of the
    /// policy, and how often the record occurs.
    pub fn of_nodes(
        policy: &CheckedPolicy,
        records: impl IntoIterator<Item = (Vec<NodeId>, u64)>,
    ) -> Result<MixedTable> {
        let records = records.into_iter();
        let records = records.map(|(nodes, count)| (nodes.iter().map(|node| node.0).collect(), count));
        MixedTable::of_trees(policy, mixed_trees(policy)?, records)
    }

    fn of_trees(
        policy: &CheckedPolicy,
        trees: Vec<(usize, Arc<Taxonomy>)>,
        records: impl Iterator<Item = (Vec<u32>, u64)>,
    ) -> Result<MixedTable> {
        let asked = asked(policy)?;
        let attribute = |(index, tree): (usize, Arc<Taxonomy>)| {
            let column = policy.columns.get(index);
            let mixed = column.and_then(|column| Some((&column.name, column.mixed.as_ref()?)));
            let (name, mixed) = mixed.ok_or_else(|| Error::internal("a column under attack is not mixed"))?;
            Ok(MixedAttribute::new(name, tree, mixed, asked))
        };
        let attributes = trees.into_iter().map(attribute).collect::<Result<_>>()?;
        Ok(MixedTable::new(attributes, records))
    }

    /// Any table that has the mixed columns of a policy, read from a file.
    pub fn read(policy: &CheckedPolicy, table: &Source) -> Result<MixedTable> {
        MixedTable::read_watched(policy, table, &mut || Ok(()))
    }

    /// The same; `tick` is called now and then, and ends the reading with its error.
    pub(super) fn read_watched(
        policy: &CheckedPolicy,
        table: &Source,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<MixedTable> {
        let names: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
        let trees = mixed_trees(policy)?;
        let mut places = Vec::new();
        for (index, _) in &trees {
            let name = policy.columns.get(*index).map_or("", |column| column.name.as_str());
            let place = names.iter().position(|other| *other == name).ok_or_else(|| {
                Error::input(format!("the table lacks the column '{name}', so it cannot be attacked"))
                    .in_file(table.origin())
                    .help(suggestion(name, &names, "its columns"))
            })?;
            places.push(place);
        }
        let mut known: Vec<HashMap<String, u32>> = places.iter().map(|_| HashMap::new()).collect();
        let mut counted: HashMap<Vec<u32>, u64> = HashMap::new();
        table.read(&mut |batch: &Batch, _| {
            'rows: for row in 0..batch.rows() {
                let mut nodes = Vec::with_capacity(places.len());
                for (at, place) in places.iter().enumerate() {
                    let mut cell = batch.cell(row, *place);
                    if policy.is_missing(cell) {
                        if !policy.missing_rule().keep {
                            continue 'rows;
                        }
                        cell = &policy.missing[0];
                    }
                    let node = match known[at].get(cell) {
                        Some(node) => *node,
                        None => {
                            let node = node_of(cell, &trees[at].1)
                                .map_err(|error| error.in_file(table.origin()).at_line(batch.line(row)))?;
                            known[at].insert(cell.to_string(), node);
                            node
                        }
                    };
                    nodes.push(node);
                }
                *counted.entry(nodes).or_default() += 1;
            }
            tick()
        })?;
        let mut rows: Vec<(Vec<u32>, u64)> = counted.into_iter().collect();
        rows.sort_unstable();
        MixedTable::of_trees(policy, trees, rows.into_iter())
    }

    pub(super) fn new(
        mut attributes: Vec<MixedAttribute>,
        records: impl Iterator<Item = (Vec<u32>, u64)>,
    ) -> MixedTable {
        let (mut values, mut counts) = (Vec::new(), Vec::new());
        for (nodes, count) in records.filter(|(_, count)| *count > 0) {
            values.extend(nodes);
            counts.push(count);
        }
        let width = attributes.len();
        for (at, attribute) in attributes.iter_mut().enumerate() {
            attribute.show(values.iter().skip(at).step_by(width).copied());
        }
        let mut order: Vec<usize> = (0..width).collect();
        order.sort_by_key(|at| (attributes[*at].is_layered(), Reverse(attributes[*at].taxonomy.len())));
        MixedTable { attributes, order, values, counts }
    }

    /// What a record shows of an attribute.
    pub(super) fn value(&self, row: u32, at: usize) -> u32 {
        self.values[row as usize * self.attributes.len() + at]
    }

    /// All records, by number.
    pub(super) fn rows(&self) -> Vec<u32> {
        (0..self.counts.len() as u32).collect()
    }

    /// The attributes but for one, in the order that tells records apart soonest.
    pub(super) fn others(&self, without: usize) -> Vec<usize> {
        self.order.iter().copied().filter(|at| *at != without).collect()
    }

    /// How many of some records have each node in danger of an attribute, by rising node.
    pub(super) fn hits(&self, target: usize, rows: &[u32]) -> Vec<(u32, u64)> {
        let attribute = &self.attributes[target];
        let mut hits: Vec<(u32, u64)> = Vec::new();
        for row in rows {
            let count = self.counts[*row as usize];
            hits.extend(attribute.dangers(self.value(*row, target)).iter().map(|node| (*node, count)));
        }
        hits.sort_unstable();
        let same = hits.chunk_by(|one, other| one.0 == other.0);
        same.map(|same| (same[0].0, same.iter().map(|(_, count)| count).sum())).collect()
    }

    /// How many records these are, each as often as it occurs.
    pub(super) fn support(&self, rows: &[u32]) -> u64 {
        rows.iter().map(|row| self.counts[*row as usize]).sum()
    }

    /// Whether none of some records is in danger of losing a value of an attribute.
    pub(super) fn is_safe(&self, target: usize, rows: &[u32]) -> bool {
        let attribute = &self.attributes[target];
        rows.iter().all(|row| attribute.dangers(self.value(*row, target)).is_empty())
    }

    /// Shows every combination of needed nodes of some attributes under which a record is in danger. The records are divided
    /// by one attribute after the other; a part in which nothing is in danger is left at once.
    pub(super) fn sights(
        &self,
        target: usize,
        rows: &[u32],
        attributes: &[usize],
        seen: &mut Vec<(usize, u32)>,
        show: &mut dyn FnMut(&Sight<'_>),
    ) {
        if self.is_safe(target, rows) {
            return;
        }
        let Some((at, others)) = attributes.split_first() else {
            let hits = self.hits(target, rows);
            show(&Sight { seen, rows, support: self.support(rows), hits: &hits });
            return;
        };
        let needed = |row: u32| self.attributes[*at].needed(self.value(row, *at)).iter();
        let mut parts: Vec<(u32, u32)> =
            rows.iter().flat_map(|row| needed(*row).map(move |node| (*node, *row))).collect();
        parts.sort_unstable();
        for part in parts.chunk_by(|one, other| one.0 == other.0) {
            let rows: Vec<u32> = part.iter().map(|(_, row)| *row).collect();
            seen.push((*at, part[0].0));
            self.sights(target, &rows, others, seen, show);
            seen.pop();
        }
    }

    /// The number of records.
    pub fn records(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// What the table loses by LM: the sum over records and columns of (leaves below the value − 1)/(leaves − 1).
    pub fn lm(&self) -> f64 {
        let width = self.attributes.len();
        let loss = |at: usize, node: u32| {
            let taxonomy = &self.attributes[at].taxonomy;
            match taxonomy.leaves() {
                1 => 0.0,
                all => (taxonomy.leaves_below(NodeId(node)).len() - 1) as f64 / (all - 1) as f64,
            }
        };
        let row = |(values, count): (&[u32], &u64)| {
            *count as f64 * values.iter().enumerate().map(|(at, node)| loss(at, *node)).sum::<f64>()
        };
        self.values.chunks(width.max(1)).zip(&self.counts).map(row).sum()
    }

    /// How many people the table gives away to somebody who sees all that can be seen.
    pub fn exposure(&self) -> Exposure {
        let rows = self.rows();
        let unmarked = vec![false; rows.len()];
        let (mut hides, mut hit, mut told) = (unmarked.clone(), unmarked.clone(), unmarked.clone());
        let mut own = unmarked;
        for (target, attribute) in self.attributes.iter().enumerate() {
            for row in &rows {
                hides[*row as usize] |= attribute.hides(self.value(*row, target));
            }
            let look = |others: &[usize], marks: &mut [bool]| {
                self.sights(target, &rows, others, &mut Vec::new(), &mut |sight| {
                    for (node, hits) in sight.hits {
                        if !attribute.is_breach(*node, *hits, sight.support) {
                            continue;
                        }
                        let below = |row: &&u32| {
                            attribute.taxonomy.contains(NodeId(*node), NodeId(self.value(**row, target)))
                        };
                        sight.rows.iter().filter(below).for_each(|row| marks[*row as usize] = true);
                    }
                });
            };
            let others = self.others(target);
            look(&others, &mut hit);
            look(&[&others[..], &[target]].concat(), &mut own);
            look(&[], &mut told);
        }
        // An attacker who observes more may be less sure of some values; what follows from nothing is known all the same.
        hit.iter_mut().zip(&told).for_each(|(hit, told)| *hit |= *told);
        own.iter_mut().zip(&hit).for_each(|(own, hit)| *own |= *hit);
        let people = |marks: &[bool]| {
            self.counts.iter().zip(marks).filter(|(_, mark)| **mark).map(|(count, _)| count).sum()
        };
        Exposure { targets: people(&hides), hits: people(&hit), baseline: people(&told), own: people(&own) }
    }

    /// The same table with the values of every guarded column dealt out anew among the records: what an attack finds there is
    /// luck.
    pub fn shuffled(&self, seed: u64) -> MixedTable {
        let width = self.attributes.len();
        let mut rows: Vec<Vec<u32>> = Vec::new();
        for (row, count) in self.counts.iter().enumerate() {
            let nodes = &self.values[row * width..(row + 1) * width];
            rows.extend((0..*count).map(|_| nodes.to_vec()));
        }
        let mut random = keyed(seed, "privet: a table whose guarded columns say nothing");
        for target in (0..width).filter(|at| self.attributes[*at].is_endangered()) {
            for at in (1..rows.len()).rev() {
                let other = below(&mut random, at as u64 + 1) as usize;
                let (one, two) = (rows[at][target], rows[other][target]);
                (rows[at][target], rows[other][target]) = (two, one);
            }
        }
        rows.sort_unstable();
        let counted =
            rows.chunk_by(|one, other| one == other).map(|same| (same[0].clone(), same.len() as u64));
        MixedTable::new(self.attributes.clone(), counted.collect::<Vec<_>>().into_iter())
    }
}

/// The node that a cell of any table is: its label's, its value's leaf, or the root for `*` and for ranges that are not a node.
fn node_of(cell: &str, taxonomy: &Taxonomy) -> Result<u32> {
    if let Some(node) = taxonomy.find(cell) {
        return Ok(node.0);
    }
    if let Some(leaf) = taxonomy.leaf_of(cell)? {
        return Ok(leaf.0);
    }
    if cell == "*" || Range::parse(cell).is_some() {
        return Ok(taxonomy.root().0);
    }
    let labels: Vec<&str> = taxonomy.nodes().map(|node| taxonomy.label(node)).collect();
    Err(Error::input(format!("'{cell}' is not a node of the column's hierarchy")).help(suggestion(
        cell,
        &labels,
        "its nodes",
    )))
}
