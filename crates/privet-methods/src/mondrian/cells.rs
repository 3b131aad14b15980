//! Released cells of parts.

use std::collections::HashMap;

use super::axis::AxisKind;
use super::{MondrianSplitter, RecordPart, label};
use crate::recoding::{RecodedColumn, ReleasedCell};
use privet_engine::loss::{Cell, Extent};
use privet_engine::microdata::QuasiIdentifier;

/// Turns parts into released cells, each stored once per column.
pub(super) struct CellBuilder<'a> {
    mondrian: &'a MondrianSplitter<'a>,
    pub columns: Vec<RecodedColumn>,
    known: Vec<HashMap<(u32, u32), u32>>,
    /// Per column, the cells of sets, by the codes that they have.
    known_sets: Vec<HashMap<Vec<u32>, u32>>,
    /// Per column, the number of records before each position.
    before: Vec<Vec<u64>>,
}

impl<'a> CellBuilder<'a> {
    pub fn new(mondrian: &'a MondrianSplitter<'a>) -> CellBuilder<'a> {
        let axes = || mondrian.axes.iter().zip(&mondrian.microdata.quasi);
        let before = |(axis, quasi): (&super::SplitAxis, &QuasiIdentifier)| {
            let mut before = vec![0; axis.len(&quasi.taxonomy) + 1];
            for (code, count) in quasi.counts.iter().enumerate() {
                before[axis.position(code as u32) as usize + 1] += count;
            }
            (1..before.len()).for_each(|at| before[at] += before[at - 1]);
            before
        };
        CellBuilder {
            mondrian,
            columns: axes().map(|_| RecodedColumn::default()).collect(),
            known: axes().map(|_| HashMap::default()).collect(),
            known_sets: axes().map(|_| HashMap::default()).collect(),
            before: axes().map(before).collect(),
        }
    }

    pub fn cells(&mut self, part: &RecordPart) -> Vec<u32> {
        let columns = self.columns.len();
        let cell = |column: usize| match &self.mondrian.axes[column].kind {
            AxisKind::Sets { .. } => self.set_cell(column, self.mondrian.codes(part, column)),
            AxisKind::Numbers { .. } | AxisKind::Nodes => {
                self.cell(column, self.mondrian.extent(part, column))
            }
        };
        (0..columns).map(cell).collect()
    }

    fn push(&mut self, column: usize, cell: ReleasedCell) -> u32 {
        let cells = &mut self.columns[column].cells;
        cells.push(cell);
        cells.len() as u32 - 1
    }

    /// The cell of a set of codes, ascending.
    fn set_cell(&mut self, column: usize, codes: Vec<u32>) -> u32 {
        if let Some(cell) = self.known_sets[column].get(&codes) {
            return *cell;
        }
        let quasi = &self.mondrian.microdata.quasi[column];
        let values = self.mondrian.microdata.summary.columns()[column].dictionary.values();
        let texts: Vec<&str> = codes.iter().map(|code| values[*code as usize].as_str()).collect();
        let mut leaves: Vec<u32> = codes.iter().map(|code| quasi.leaf_of_code[*code as usize]).collect();
        leaves.sort_unstable();
        leaves.dedup();
        let node = match codes[..] {
            [only] => Some(quasi.taxonomy.leaf(quasi.leaf_of_code[only as usize] as usize)),
            _ => None,
        };
        let records = codes.iter().map(|code| quasi.counts[*code as usize]).sum();
        let extent = Extent::Leaves(leaves.len() as u64, quasi.taxonomy.leaves() as u64);
        let measure = Cell { extent, level: None, records };
        let cell = self.push(column, ReleasedCell { label: label::set_label(&texts), node, measure });
        self.known_sets[column].insert(codes, cell);
        cell
    }

    fn cell(&mut self, column: usize, (low, high): (u32, u32)) -> u32 {
        let (axis, quasi) = (&self.mondrian.axes[column], &self.mondrian.microdata.quasi[column]);
        let taxonomy = &quasi.taxonomy;
        // Categories are identified by their node, so that two ranges of leaves with one ancestor are one cell.
        let (node, low, high) = match &axis.kind {
            AxisKind::Numbers { .. } => (None, low, high),
            AxisKind::Nodes | AxisKind::Sets { .. } => {
                let node = taxonomy.lowest_above(low as usize, high as usize);
                let leaves = taxonomy.leaves_below(node);
                (Some(node), leaves.start as u32, leaves.end as u32 - 1)
            }
        };
        if let Some(cell) = self.known[column].get(&(low, high)) {
            return *cell;
        }
        let before = &self.before[column];
        let records = before[high as usize + 1] - before[low as usize];
        let (label, extent, level) = match (&axis.kind, node) {
            (AxisKind::Numbers { numbers, labels, .. }, _) => {
                let share = axis.width(taxonomy, (low, high));
                let (from, to) = (&labels[low as usize], &labels[high as usize]);
                let label = match (low == high, numbers[low as usize]) {
                    (true, _) => from.clone(),
                    (false, None) => "*".to_string(),
                    (false, Some(_)) => format!("[{},{}]", bare(from), bare(to)),
                };
                (label, Extent::Span(share), None)
            }
            (_, node) => {
                let node = node.unwrap_or(taxonomy.root());
                let level = (taxonomy.height(node) as u64, taxonomy.height(taxonomy.root()) as u64);
                (taxonomy.label(node).to_string(), quasi.extent(node), Some(level))
            }
        };
        let cell = self.push(column, ReleasedCell { label, node, measure: Cell { extent, level, records } });
        self.known[column].insert((low, high), cell);
        cell
    }
}

/// The number in a label that may already be written as a range of one value.
fn bare(label: &str) -> &str {
    label.strip_prefix('[').and_then(|label| label.split(',').next()).unwrap_or(label)
}
