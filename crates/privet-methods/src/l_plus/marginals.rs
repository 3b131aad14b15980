//! Counts all cells at once.
//!
//! The cost of a cell often depends only on how often every sensitive value occurs in it. Then the rows need not be
//! sorted by class and column: one pass over them in their order counts, for every class and column, the nodes of the
//! table's cut, and the cells above are sums. For large tables with few classes, as at the beginning of a search, this
//! takes a small fraction of the time of a walk.

use std::ops::Range;

use rayon::prelude::*;

use super::codes;
use super::rules::{Charge, CostRules, Evaluation, Scheme};
use super::table::{CutClasses, FineTable};
use super::tally::ClassTally;
use super::walk::{CellFloor, WalkResult};
use privet_engine::cut::{Amount, FORBIDDEN, Forest, Tree, plus};

/// At most this many counts, one for every node and sensitive value, are kept per row; with more, most would be 0.
const PER_ROW: usize = 56;
/// Fewer rows are not worth another thread.
const ROWS: usize = 1 << 15;

/// What is counted: the nodes of some columns in every class.
struct CountLayout<'a> {
    columns: &'a [usize],
    /// Per column, the index in the table's cut of the node above every node.
    places: Vec<Vec<u32>>,
    /// Per class and column, the highest node, and the index at which the cut's first node would be counted.
    tops: Vec<(u32, usize)>,
    /// The number of counted nodes.
    slots: usize,
}

/// Walks all cells of some columns, if they are few enough and counts are sufficient: with `exact`, with each column
/// uncut, for their costs as classes; otherwise for lower bounds on their cost, however the other columns split them.
pub fn walk_columns(
    rules: &CostRules,
    forest: &Forest,
    fine: &FineTable,
    classes: &CutClasses,
    columns: &[usize],
    exact: bool,
) -> Option<Vec<WalkResult>> {
    let fits = u32::try_from(rules.records).is_ok();
    if rules.labels > 0 || !fits || !(exact || rules.counts_tell_floors()) {
        return None;
    }
    let layout = CountLayout::new(rules, forest, fine, classes, columns, exact)?;
    let counts = layout.count(rules, fine, classes);
    let walk = |at: usize| {
        let column = layout.columns[at];
        let tree = &forest.trees[column];
        let sums = ColumnSums {
            rules,
            tree,
            losses: &rules.losses[column],
            exact,
            tally: rules.tally(),
            listed: !exact && rules.scheme != Scheme::None,
            walked: WalkResult { sums: vec![0; tree.len()], cells: Vec::new() },
        };
        sums.walk(&layout, at, &fine.cut.0[column], classes, &counts)
    };
    Some((0..columns.len()).into_par_iter().map(walk).collect())
}

impl<'a> CountLayout<'a> {
    fn new(
        rules: &CostRules,
        forest: &Forest,
        fine: &FineTable,
        classes: &CutClasses,
        columns: &'a [usize],
        exact: bool,
    ) -> Option<CountLayout<'a>> {
        let cut = |column: &usize| &fine.cut.0[*column];
        let places =
            columns.iter().map(|column| codes::places(&forest.trees[*column], cut(column))).collect();
        let most = PER_ROW * fine.len() / rules.theta.len().max(1);
        // The offset is large enough that no index in a cut becomes negative.
        let mut slots = columns.iter().map(|column| cut(column).len()).max().unwrap_or(0);
        let mut tops = Vec::with_capacity(classes.count * columns.len());
        for class in 0..classes.count {
            let first = fine.tuple(classes.first(class));
            for column in columns {
                let node = first[*column];
                let top = if exact { 0 } else { classes.covers[*column][node as usize] };
                let below = below(&forest.trees[*column], cut(column), top);
                tops.push((top, slots - below.start));
                slots += below.len();
            }
            if slots > most {
                return None;
            }
        }
        Some(CountLayout { columns, places, tops, slots })
    }

    /// Per counted node, the number of records of every sensitive value.
    fn count(&self, rules: &CostRules, fine: &FineTable, classes: &CutClasses) -> Vec<u32> {
        // Sums do not depend on how the rows are distributed.
        let part = fine.len().div_ceil(rayon::current_num_threads()).max(ROWS);
        let starts: Vec<usize> = (0..fine.len()).step_by(part).collect();
        let count = |start: usize| {
            self.count_rows(rules, fine, classes, start as u32..(start + part).min(fine.len()) as u32)
        };
        let add = |mut all: Vec<u32>, more: Vec<u32>| {
            all.iter_mut().zip(more).for_each(|(all, more)| *all += more);
            all
        };
        starts.into_par_iter().map(count).reduce_with(add).unwrap_or_default()
    }

    fn count_rows(
        &self,
        rules: &CostRules,
        fine: &FineTable,
        classes: &CutClasses,
        rows: Range<u32>,
    ) -> Vec<u32> {
        let (width, columns) = (rules.theta.len(), self.columns.len());
        let mut counts = vec![0u32; self.slots * width];
        for row in rows {
            let class = classes.of_row[row as usize] as usize;
            let (tops, tuple) = (&self.tops[class * columns..][..columns], fine.tuple(row));
            let entries = fine.entries(row);
            for ((column, places), (_, start)) in self.columns.iter().zip(&self.places).zip(tops) {
                let slot = start + places[tuple[*column] as usize] as usize;
                let counts = &mut counts[slot * width..][..width];
                // No count exceeds the number of records, which fits.
                entries.iter().for_each(|entry| counts[entry.value as usize] += entry.count as u32);
            }
        }
        counts
    }
}

/// The indices in a cut of the nodes below a node.
fn below(tree: &Tree, cut: &[u32], node: u32) -> Range<usize> {
    cut.partition_point(|other| *other < node)..cut.partition_point(|other| *other < tree.end(node))
}

/// The sums over one column's cells.
struct ColumnSums<'a> {
    rules: &'a CostRules,
    tree: &'a Tree,
    losses: &'a [Amount],
    exact: bool,
    tally: ClassTally,
    /// Whether cells are listed.
    listed: bool,
    walked: WalkResult,
}

impl ColumnSums<'_> {
    fn walk(
        mut self,
        layout: &CountLayout<'_>,
        at: usize,
        cut: &[u32],
        classes: &CutClasses,
        counts: &[u32],
    ) -> WalkResult {
        let (width, columns) = (self.rules.theta.len(), layout.columns.len());
        let places = &layout.places[at];
        // The nodes of the cut and above it, children before their parents.
        let is_above = |node: u32| places[node as usize] == u32::MAX;
        let is_cut = |node: u32| !is_above(node) && cut[places[node as usize] as usize] == node;
        let nodes = (0..self.tree.len() as u32).rev().filter(|node| is_above(*node) || is_cut(*node));
        let nodes: Vec<(u32, bool)> = nodes.map(|node| (node, is_above(node))).collect();
        let mut above = vec![0u32; self.tree.len() * width];
        let mut cell = vec![0u32; width];
        for class in 0..classes.count {
            let (top, start) = layout.tops[class * columns + at];
            let g = classes.losses[class] - if self.exact { 0 } else { self.losses[top as usize] };
            let end = self.tree.end(top);
            let first = nodes.partition_point(|(node, _)| *node >= end);
            for (node, is_above) in nodes[first..].iter().copied().take_while(|(node, _)| *node >= top) {
                if is_above {
                    let own = &mut above[node as usize * width..][..width];
                    cell.copy_from_slice(own);
                    own.fill(0);
                } else {
                    let slot = start + places[node as usize] as usize;
                    cell.copy_from_slice(&counts[slot * width..][..width]);
                }
                let size = cell.iter().copied().map(u64::from).sum();
                if size == 0 {
                    continue;
                }
                self.sum(class, node, &cell, size, g + self.losses[node as usize]);
                if node != top {
                    let parent = &mut above[self.tree.parent(node) as usize * width..][..width];
                    parent.iter_mut().zip(&cell).for_each(|(sum, count)| *sum += count);
                }
            }
        }
        self.walked
    }

    fn sum(&mut self, class: usize, node: u32, cell: &[u32], size: u64, g: Amount) {
        let (rules, sum) = (self.rules, &mut self.walked.sums[node as usize]);
        if *sum >= FORBIDDEN {
            return;
        }
        let most = cell.iter().max().copied().unwrap_or(0);
        let is_safe = rules.surely_satisfied(size, most.into());
        if is_safe && !self.exact {
            return;
        }
        let amount = if is_safe {
            rules.cost(&Evaluation { size, majority: 0, charge: Charge::NOTHING, removals: 0 }, g)
        } else {
            self.tally.clear();
            self.tally.add_counts(cell.iter().copied().map(u64::from));
            match self.exact {
                true => rules.cost(&rules.answer(&self.tally), g),
                false => rules.amount(rules.floor(&self.tally), g),
            }
        };
        *sum = plus(*sum, amount);
        if self.listed && amount != 0 {
            self.walked.cells.push(CellFloor { class: class as u32, node, amount: rules.grains(amount) });
        }
    }
}
