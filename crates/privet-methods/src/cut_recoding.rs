//! From a cut of every taxonomy to released values; shared by the methods whose solutions are cuts.

use std::collections::HashSet;

use super::plan::Named;
use super::recoding::{RecodedColumn, ReleasedCell};
use privet_core::{Error, Result};
use privet_engine::cut::{Cut, Forest, Tree};
use privet_engine::loss::Cell;
use privet_engine::microdata::{Microdata, QuasiIdentifier};
use privet_engine::numbering::{Numbering, bucket};
use privet_taxonomy::NodeId;

/// The released value of every original value under a cut.
pub(super) struct CutRecoding {
    /// The released values of each column.
    pub columns: Vec<RecodedColumn>,
    /// Per column and code, the index of the released value in its column.
    places: Vec<Vec<u32>>,
    /// Per column, the number of released values.
    values: Vec<usize>,
}

impl CutRecoding {
    pub fn new(forest: &Forest, microdata: &Microdata, cut: &Cut) -> CutRecoding {
        let places: Vec<Vec<u32>> = (microdata.quasi.iter().zip(&forest.trees).zip(&cut.0))
            .map(|((quasi, tree), nodes)| {
                let cover = tree.cover(nodes);
                let place = |leaf: &u32| {
                    let node = cover[tree.leaf(*leaf) as usize];
                    nodes.partition_point(|other| *other < node) as u32
                };
                quasi.leaf_of_code.iter().map(place).collect()
            })
            .collect();
        let column = |at: usize| {
            let quasi = &microdata.quasi[at];
            let mut records = vec![0; cut.0[at].len()];
            for (place, count) in places[at].iter().zip(&quasi.counts) {
                records[*place as usize] += count;
            }
            let shown = |(node, records): (&u32, u64)| {
                let node = forest.trees[at].taxonomy_node(*node);
                let label = quasi.taxonomy.label(node).to_string();
                ReleasedCell { label, node: Some(node), measure: cell(quasi, node, records) }
            };
            RecodedColumn { cells: cut.0[at].iter().zip(records).map(shown).collect() }
        };
        let columns = (0..microdata.quasi.len()).map(column).collect();
        CutRecoding { columns, places, values: cut.0.iter().map(Vec::len).collect() }
    }

    /// The released values of a distinct record, as indices into each column.
    pub fn cells<'a>(&'a self, microdata: &'a Microdata, record: usize) -> impl Iterator<Item = u32> + 'a {
        let codes = microdata.quasi_codes(record);
        codes.iter().zip(&self.places).map(|(code, places)| places[*code as usize])
    }

    /// The distinct records, ordered by class, and the offset at which each class begins, followed by the end of the
    /// last.
    pub fn classes(&self, microdata: &Microdata) -> (Vec<u32>, Vec<u32>) {
        let records = microdata.summary.len();
        let mut numbering = Numbering::new(records);
        for (column, (places, values)) in self.places.iter().zip(&self.values).enumerate() {
            let place = |record: usize| places[microdata.quasi_codes(record)[column] as usize];
            numbering.column(*values, (0..records).map(place));
        }
        let (number, count) = numbering.finish();
        bucket(0..records as u32, |record| number[record as usize], count)
    }
}

/// What loss measures need to know about a released node.
pub(super) fn cell(quasi: &QuasiIdentifier, node: NodeId, records: u64) -> Cell {
    let (taxonomy, extent) = (&quasi.taxonomy, quasi.extent(node));
    let level = Some((taxonomy.height(node) as u64, taxonomy.height(taxonomy.root()) as u64));
    Cell { extent, level, records }
}

/// How a cut covers values that do not occur in the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Absent {
    /// By the highest nodes that cover nothing else.
    Together,
    /// One by one, because nothing prevents nodes without records from being specialised.
    Apart,
}

/// The labels of every column's cut, including those of values that do not occur.
pub(super) fn labels(
    forest: &Forest,
    microdata: &Microdata,
    cut: &Cut,
    absent: Absent,
) -> Named<Vec<String>> {
    let column = |at: usize| {
        let (taxonomy, tree) = (&microdata.quasi[at].taxonomy, &forest.trees[at]);
        let chosen: Vec<NodeId> = cut.0[at].iter().map(|node| tree.taxonomy_node(*node)).collect();
        let mut labels: Vec<String> = Vec::new();
        for node in tree.widen(taxonomy, &cut.0[at]) {
            if absent == Absent::Together || chosen.binary_search(&node).is_ok() {
                labels.push(taxonomy.label(node).to_string());
            } else {
                let below = taxonomy.leaves_below(node).map(|leaf| taxonomy.leaf(leaf));
                labels.extend(below.map(|leaf| taxonomy.label(leaf).to_string()));
            }
        }
        (microdata.quasi[at].name.clone(), labels)
    };
    (0..microdata.quasi.len()).map(column).collect()
}

/// The cut of a plan, in a forest of all nodes above the values that occur.
pub(super) fn planned(microdata: &Microdata, cuts: &Named<Vec<String>>) -> Result<(Forest, Cut)> {
    let column = |quasi: &QuasiIdentifier| {
        let taxonomy = &quasi.taxonomy;
        let cut = cuts.get(&quasi.name).map(Vec::as_slice).unwrap_or_default();
        let cut: HashSet<NodeId> = cut.iter().filter_map(|label| taxonomy.find(label)).collect();
        let mut occupied = vec![false; taxonomy.leaves()];
        quasi.leaf_of_code.iter().for_each(|leaf| occupied[*leaf as usize] = true);
        let tree = Tree::with_every_node(taxonomy, |leaf| occupied[leaf]);
        let nodes: Vec<u32> =
            (0..tree.len() as u32).filter(|node| cut.contains(&tree.taxonomy_node(*node))).collect();
        let cover = tree.cover(&nodes);
        let is_met = |leaf: &u32| cover[tree.leaf(*leaf) as usize] != u32::MAX;
        let is_cut = nodes.windows(2).all(|pair| !tree.contains(pair[0], pair[1]));
        if is_cut && quasi.leaf_of_code.iter().all(is_met) {
            return Ok((tree, nodes));
        }
        Err(Error::input(format!(
            "the plan does not say once how each value of column '{}' is published",
            quasi.name
        ))
        .help("use the plan as Privet wrote it, with the hierarchies of that time"))
    };
    let (trees, cut) = microdata.quasi.iter().map(column).collect::<Result<Vec<_>>>()?.into_iter().unzip();
    Ok((Forest { trees }, Cut(cut)))
}
