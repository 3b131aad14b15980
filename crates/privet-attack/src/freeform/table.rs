//! Tables as freeform attacks see them.

use std::ops::ControlFlow;
use std::sync::Arc;

use hashbrown::HashMap;

use privet_core::random::{below, keyed};
use privet_core::suggestion;
use privet_core::{Error, Result};
use privet_data::{Batch, Source};
use privet_engine::microdata::Microdata;
use privet_engine::privacy::freeform::watch::{Group, Watch};
use privet_engine::privacy::freeform::{Model, model};
use privet_methods::recoding::Recoding;
use privet_policy::CheckedPolicy;
use privet_taxonomy::{NodeId, Range, Taxonomy};

/// A table under attack: distinct records of nodes, with counts.
#[derive(Debug, Clone)]
pub struct Attacked {
    pub(super) model: Model,
    /// One node per attribute, record by record.
    pub(super) values: Vec<u32>,
    pub(super) counts: Vec<u64>,
}

/// How many people a table gives away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exposure {
    /// People who have something to hide.
    pub targets: u64,
    /// Those of whom a guarded value follows from what can be seen of them.
    pub hits: u64,
    /// Those of whom it follows from nothing at all.
    pub baseline: u64,
    /// Those of whom it follows if, beside that, what can be seen of the guarded column itself is known: a high income, say,
    /// of which the amount is guarded. Outside of Definition 3.1, which takes nothing from the attacked column.
    pub own: u64,
}

impl Attacked {
    /// The original table.
    pub fn original(policy: &CheckedPolicy, microdata: &Microdata) -> Result<Attacked> {
        let rows = (0..microdata.summary.len()).map(|record| {
            let codes = microdata.quasi_codes(record).iter().zip(&microdata.quasi);
            let leaf = |(code, quasi): (&u32, &privet_engine::microdata::QuasiIdentifier)| {
                quasi.taxonomy.leaf(quasi.leaf_of_code[*code as usize] as usize).0
            };
            (codes.map(leaf).collect(), microdata.summary.count(record))
        });
        Ok(Attacked::new(model_of(policy, microdata)?, rows))
    }

    /// A release of it.
    pub fn released(policy: &CheckedPolicy, microdata: &Microdata, recoding: &Recoding) -> Result<Attacked> {
        let sizes = recoding.count(microdata).sizes;
        let rows = (0..recoding.len()).map(|class| {
            let cells = recoding.cells(class).iter().zip(&recoding.columns);
            // A range of numbers has no node; it then says nothing here.
            let node = |(cell, column): (&u32, &privet_methods::recoding::RecodedColumn)| {
                column.cells[*cell as usize].node.unwrap_or(NodeId(0)).0
            };
            (cells.map(node).collect(), sizes[class])
        });
        Ok(Attacked::new(model_of(policy, microdata)?, rows))
    }

    /// Any table that has the mixed columns of a policy, read from a file.
    pub fn read(policy: &CheckedPolicy, table: &Source) -> Result<Attacked> {
        Attacked::read_watched(policy, table, &mut || Ok(()))
    }

    /// The same; `tick` is called now and then, and ends the reading with its error.
    pub(super) fn read_watched(
        policy: &CheckedPolicy,
        table: &Source,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Attacked> {
        let names: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
        let mut places = Vec::new();
        let mut taxonomies: Vec<(usize, Arc<Taxonomy>)> = Vec::new();
        for column in policy.generalised() {
            let place = names.iter().position(|name| *name == column.name).ok_or_else(|| {
                Error::input(format!(
                    "the table lacks the column '{}', so it cannot be attacked",
                    column.name
                ))
                .in_file(table.path())
                .help(suggestion(&column.name, &names, "its columns"))
            })?;
            let taxonomy =
                column.hierarchy.as_ref().ok_or_else(|| Error::internal("a mixed column lost its tree"))?;
            let taxonomy = match policy.missing.first().filter(|_| policy.missing_rule().keep) {
                Some(missing) => Arc::new(taxonomy.with_leaf(missing)?),
                None => taxonomy.clone(),
            };
            places.push(place);
            taxonomies.push((column.index, taxonomy));
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
                            let node = node_of(cell, &taxonomies[at].1)
                                .map_err(|error| error.in_file(table.path()).at_line(batch.line(row)))?;
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
        Ok(Attacked::new(model(policy, taxonomies)?, rows.into_iter()))
    }

    pub(super) fn new(model: Model, rows: impl Iterator<Item = (Vec<u32>, u64)>) -> Attacked {
        let (mut values, mut counts) = (Vec::new(), Vec::new());
        for (nodes, count) in rows.filter(|(_, count)| *count > 0) {
            values.extend(nodes);
            counts.push(count);
        }
        let model = model.showing(&values);
        Attacked { model, values, counts }
    }

    /// The number of records.
    pub fn records(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// What the table loses by LM: the sum over records and columns of (leaves below the value − 1)/(leaves − 1).
    pub fn lm(&self) -> f64 {
        let width = self.model.attributes.len();
        let loss = |at: usize, node: u32| {
            let taxonomy = &self.model.attributes[at].taxonomy;
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

    pub(super) fn groups(&self, target: usize) -> Vec<Group> {
        let width = self.model.attributes.len();
        let group = |(row, count): (u32, &u64)| Group {
            row,
            target: self.values[row as usize * width + target],
            count: *count,
        };
        (0..).zip(&self.counts).map(group).collect()
    }

    /// How many people the table gives away to somebody who sees all that can be seen.
    pub fn exposure(&self) -> Exposure {
        let rows = self.counts.len();
        let (mut hides, mut hit, mut told) = (vec![false; rows], vec![false; rows], vec![false; rows]);
        let mut own = vec![false; rows];
        for (target, attribute) in self.model.attributes.iter().enumerate() {
            let groups = self.groups(target);
            groups.iter().for_each(|group| hides[group.row as usize] |= attribute.hides(group.target));
            let mark = |groups: &[Group], node: u32, marks: &mut [bool]| {
                let having = |group: &&Group| attribute.taxonomy.contains(NodeId(node), NodeId(group.target));
                groups.iter().filter(having).for_each(|group| marks[group.row as usize] = true);
            };
            let look = |others: &[usize], marks: &mut [bool]| {
                let _ = Watch::new(&self.model, &self.values, target).watch(&groups, others, &mut |sight| {
                    let breached =
                        |(node, count): &&(u32, u64)| attribute.bar(*node).is_breach(*count, sight.support);
                    sight.hits.iter().filter(breached).for_each(|(node, _)| mark(sight.groups, *node, marks));
                    ControlFlow::Continue(())
                });
            };
            let others = self.model.others(&[target]);
            look(&others, &mut hit);
            look(&[&others[..], &[target]].concat(), &mut own);
            look(&[], &mut told);
        }
        // Whoever sees more may be less sure of some; what follows from nothing is known all the same.
        hit.iter_mut().zip(&told).for_each(|(hit, told)| *hit |= *told);
        own.iter_mut().zip(&hit).for_each(|(own, hit)| *own |= *hit);
        let people = |marks: &[bool]| {
            self.counts.iter().zip(marks).filter(|(_, mark)| **mark).map(|(count, _)| count).sum()
        };
        Exposure { targets: people(&hides), hits: people(&hit), baseline: people(&told), own: people(&own) }
    }

    /// The same table with the values of every guarded column dealt out anew among the records: what an attack finds there is
    /// luck.
    pub fn shuffled(&self, seed: u64) -> Attacked {
        let width = self.model.attributes.len();
        let mut rows: Vec<Vec<u32>> = Vec::new();
        for (row, count) in self.counts.iter().enumerate() {
            let nodes = &self.values[row * width..(row + 1) * width];
            rows.extend((0..*count).map(|_| nodes.to_vec()));
        }
        let mut random = keyed(seed, "privet: a table whose guarded columns say nothing");
        for target in (0..width).filter(|at| self.model.attributes[*at].is_endangered()) {
            for at in (1..rows.len()).rev() {
                let other = below(&mut random, at as u64 + 1) as usize;
                let (one, two) = (rows[at][target], rows[other][target]);
                (rows[at][target], rows[other][target]) = (two, one);
            }
        }
        rows.sort_unstable();
        let counted =
            rows.chunk_by(|one, other| one == other).map(|same| (same[0].clone(), same.len() as u64));
        Attacked::new(self.model.clone(), counted.collect::<Vec<_>>().into_iter())
    }
}

fn model_of(policy: &CheckedPolicy, microdata: &Microdata) -> Result<Model> {
    model(policy, microdata.quasi.iter().map(|quasi| (quasi.index, quasi.taxonomy.clone())))
}

/// The node that a cell of any table is: its label's, its value's leaf, or the root for `*` and for ranges that are no node.
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
    Err(Error::input(format!("'{cell}' is no node of the column's hierarchy")).help(suggestion(
        cell,
        &labels,
        "its nodes",
    )))
}
