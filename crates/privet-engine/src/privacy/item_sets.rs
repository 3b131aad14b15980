//! KL(m, 0)-privacy of a column of sets inside the classes of the quasi-identifiers: the (k, k^m)-anonymity of Poulis and others
//! (2013), with limits on sensitive items.
//!
//! In every class, every set X of at most m nodes that occurs is held by at least k records of the class, and of the records
//! that hold X at most the share θ(s) holds a sensitive item s. X may be empty: then only the quasi-identifiers are known.
//!
//! Which nodes occur depends on how the items are generalised. A method that forms classes asks whether the most general way,
//! every item shown as its root, would do; how far items can be shown finer is decided class by class afterwards. For roots the
//! notion is closed under union: what occurs in a union occurs in one of its parts, and the records of parts add up.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use num_bigint::BigUint;

use super::{ClassTest, Closure, Counted, EquivalenceClass, Tightness, TrackedTable};
use privet_core::{Error, Exact, Result};
use privet_data::terms_of;
use privet_policy::{ItemColumn, requirement};
use privet_taxonomy::{ItemTree, Node};

/// The items that the cells of a column of sets hold.
#[derive(Debug)]
pub struct ItemCells {
    /// How items generalise, sensitive ones apart.
    pub tree: Arc<ItemTree>,
    /// The sensitive items, in alphabetical order.
    pub sensitive: Vec<String>,
    /// What stands between the items of a cell.
    pub separator: char,
    /// Per cell, the leaves that it holds, ascending.
    leaves: Vec<Vec<Node>>,
    /// Per cell, the sensitive items that it holds, by position, ascending.
    secrets: Vec<Vec<u32>>,
}

impl ItemCells {
    /// Reads the cells of a column. An item that neither the tree nor the list of sensitive items has is returned with the
    /// number of its cell, and so is a group.
    pub fn of(
        column: &ItemColumn,
        cells: &[String],
    ) -> Result<std::result::Result<ItemCells, (usize, String)>> {
        let tree = column.tree_over(cells.iter().map(String::as_str))?;
        let (mut leaves, mut secrets) = (Vec::with_capacity(cells.len()), Vec::with_capacity(cells.len()));
        for (number, cell) in cells.iter().enumerate() {
            let (mut own, mut hidden) = (Vec::new(), Vec::new());
            for item in terms_of(cell, column.separator) {
                if let Ok(at) = column.sensitive.binary_search_by(|known| known.as_str().cmp(item)) {
                    hidden.push(at as u32);
                    continue;
                }
                match tree.find(item).filter(|node| tree.is_leaf(*node)) {
                    Some(leaf) => own.push(leaf),
                    None => return Ok(Err((number, item.to_string()))),
                }
            }
            own.sort_unstable();
            leaves.push(own);
            secrets.push(hidden);
        }
        let (sensitive, separator) = (column.sensitive.clone(), column.separator);
        Ok(Ok(ItemCells { tree, sensitive, separator, leaves, secrets }))
    }

    /// The leaves that a cell holds, ascending.
    pub fn leaves(&self, cell: u32) -> &[Node] {
        &self.leaves[cell as usize]
    }

    /// The sensitive items that a cell holds, by position.
    pub fn secrets(&self, cell: u32) -> &[u32] {
        &self.secrets[cell as usize]
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }
}

/// What must hold for the nodes that a class shows.
#[derive(Debug, Clone)]
pub struct ItemDemand {
    /// The least number of records that hold what is known.
    pub k: u64,
    /// How many nodes may be known.
    pub m: usize,
    /// Per sensitive item, the largest share of these records.
    limits: Vec<Exact>,
}

impl ItemDemand {
    /// What a requirement asks for.
    pub fn of(asked: &requirement::KlOfSets, sensitive: &[String]) -> ItemDemand {
        ItemDemand { k: asked.k, m: asked.m as usize, limits: asked.limits(sensitive) }
    }

    /// Whether this many records may hold what is known, and this many of them each sensitive item.
    pub fn allows(&self, records: u64, secrets: impl IntoIterator<Item = (u32, u64)>) -> bool {
        let within = |(secret, count): (u32, u64)| {
            let limit = self.limits[secret as usize];
            BigUint::from(count) * limit.denominator() <= BigUint::from(records) * limit.numerator()
        };
        records == 0 || records >= self.k && secrets.into_iter().all(within)
    }
}

/// Calls `each` with every subset of at most `most` ascending nodes, the empty one first.
pub fn each_subset(nodes: &[Node], most: usize, each: &mut dyn FnMut(&[Node])) {
    fn further(nodes: &[Node], most: usize, chosen: &mut Vec<Node>, each: &mut dyn FnMut(&[Node])) {
        each(chosen);
        if chosen.len() == most {
            return;
        }
        for (at, node) in nodes.iter().enumerate() {
            chosen.push(*node);
            further(&nodes[at + 1..], most, chosen, each);
            chosen.pop();
        }
    }
    further(nodes, most, &mut Vec::new(), each);
}

/// The requirement, asked of roots.
#[derive(Debug)]
struct AtRoots {
    items: Arc<ItemCells>,
    slots: Range<u32>,
    demand: ItemDemand,
    name: String,
    /// Per cell, the roots above its items.
    roots: Vec<Vec<Node>>,
}

pub(super) fn build(asked: &requirement::KlOfSets, table: &TrackedTable) -> Result<Box<dyn ClassTest>> {
    let column = table.column(asked.column)?;
    let items = column.items.clone();
    let items = items.ok_or_else(|| Error::internal("a requirement about sets without their items"))?;
    let root = |leaf: &Node| items.tree.ancestors(*leaf).last().unwrap_or(*leaf);
    let roots = items.leaves.iter().map(|leaves| {
        let mut roots: Vec<Node> = leaves.iter().map(root).collect();
        roots.dedup();
        roots
    });
    Ok(Box::new(AtRoots {
        roots: roots.collect(),
        slots: column.slots.clone(),
        demand: ItemDemand::of(asked, &items.sensitive),
        name: column.name.clone(),
        items,
    }))
}

/// How many records hold a set of nodes, and how many of these each sensitive item.
type Support = (u64, BTreeMap<u32, u64>);

impl AtRoots {
    fn supports(&self, class: &EquivalenceClass<'_>) -> BTreeMap<Vec<Node>, Support> {
        let mut supports: BTreeMap<Vec<Node>, Support> = BTreeMap::new();
        class.counts.for_each(&self.slots, |cell, count| {
            each_subset(&self.roots[cell as usize], self.demand.m, &mut |known| {
                let (records, secrets) = supports.entry(known.to_vec()).or_default();
                *records += count;
                self.items.secrets(cell).iter().for_each(|own| *secrets.entry(*own).or_default() += count);
            });
        });
        supports
    }
}

impl ClassTest for AtRoots {
    fn holds(&self, class: &EquivalenceClass<'_>) -> bool {
        let allowed = |(records, secrets): Support| self.demand.allows(records, secrets);
        (class.size == 0 || class.size >= self.demand.k) && self.supports(class).into_values().all(allowed)
    }

    fn closure(&self) -> Closure {
        Closure::Union
    }

    fn tightness(&self, class: &EquivalenceClass<'_>) -> Tightness {
        let least = self.supports(class).into_values().map(|(records, _)| records).min();
        Tightness {
            value: least.unwrap_or(class.size) as f64,
            threshold: self.demand.k as f64,
            at_most: false,
        }
    }

    fn why_impossible(&self, table: &EquivalenceClass<'_>, _: Counted) -> String {
        let (name, k) = (&self.name, self.demand.k);
        let failing = self.supports(table).into_iter().find(|(_, (records, secrets))| {
            !self.demand.allows(*records, secrets.iter().map(|(own, count)| (*own, *count)))
        });
        match failing {
            Some((known, (records, _))) if records < k => {
                let known: Vec<&str> = known.iter().map(|node| self.items.tree.label(*node)).collect();
                format!(
                    "only {records} records of the table hold {} in '{name}', and k is {k}",
                    known.join(" and ")
                )
            }
            Some(_) => format!(
                "a sensitive item of '{name}' is more frequent in the whole table than it may be in a class"
            ),
            None => format!("k is {k}, but the table has only {} records", table.size),
        }
    }
}
