//! The sizes of distinct tuples at a cut, and what discernibility gains when a single column is coarsened from there.
//!
//! For DM that is all that generalisation depends on, so it is kept apart from the rest of the table. A tuple is one number:
//! per column, in bits of its own, the place of the first leaf below its node. It stays the same until the node is merged
//! into another, so that a coarser cut changes the rows below its new nodes and no others: all other rows keep their order,
//! and the pairs that they form with each other. A search locks mostly nodes with few records below them.

use rayon::prelude::*;

use super::pairs::{by_rows, side_by_side};
use super::table::Fine;
use crate::engine::cut::{Amount, Cut, Forest, Tree};
use crate::engine::numbering::sort_codes;

/// Sizes are laid out by tuples where there could be at most this many for each row.
const PER_ROW: u64 = 24;
/// So many neighbouring tuples are summed side by side at least, for else sorted rows are quicker.
const NARROW: usize = 4;

/// Where the columns lie in a key.
#[derive(Debug)]
struct Fields {
    /// Per column, the first bit and how many there are.
    bits: Vec<(u32, u32)>,
    /// Per column and node, the place of its first leaf among all leaves.
    places: Vec<Vec<u32>>,
}

impl Fields {
    /// `None` where a key does not fit.
    fn new(forest: &Forest) -> Option<Fields> {
        let (mut bits, mut places, mut start) = (Vec::new(), Vec::new(), 0);
        for tree in &forest.trees {
            let mut leaves = 0;
            let place = |node: u32| {
                let place = leaves;
                leaves += u32::from(tree.is_leaf(node));
                place
            };
            places.push((0..tree.len() as u32).map(place).collect());
            let wide = u32::BITS - leaves.saturating_sub(1).leading_zeros();
            bits.push((start, wide));
            start += wide;
        }
        // Less than a word, so that one more than the largest key is a number too; and sets of columns are words.
        let fits = start < u64::BITS && forest.trees.len() <= u64::BITS as usize;
        fits.then_some(Fields { bits, places })
    }

    fn place(&self, key: u64, column: usize) -> usize {
        let (start, wide) = self.bits[column];
        (key >> start & ((1 << wide) - 1)) as usize
    }

    fn with(&self, key: u64, column: usize, place: u32) -> u64 {
        let (start, wide) = self.bits[column];
        key & !(((1 << wide) - 1) << start) | u64::from(place) << start
    }

    /// The key with one column taken out.
    fn without(&self, key: u64, column: usize) -> u64 {
        let (start, wide) = self.bits[column];
        key >> (start + wide) << start | key & ((1 << start) - 1)
    }

    /// One more than the largest key, with one column taken out if asked.
    fn space(&self, without: Option<usize>) -> u64 {
        let all: u32 = self.bits.iter().map(|(_, wide)| wide).sum();
        1 << (all - without.map_or(0, |column| self.bits[column].1))
    }

    /// Per place of a column's leaves, the node of a cut above it.
    fn nodes(tree: &Tree, cut: &[u32]) -> Vec<u32> {
        let cover = tree.cover(cut);
        (0..tree.len() as u32).filter(|leaf| tree.is_leaf(*leaf)).map(|leaf| cover[leaf as usize]).collect()
    }
}

/// Distinct tuples of nodes, in rising order of their keys.
#[derive(Debug)]
pub struct Spread {
    /// The cut whose nodes they are.
    pub cut: Cut,
    keys: Vec<u64>,
    sizes: Vec<u64>,
    /// Per column and node, what discernibility gains when only this column is coarsened up to the node.
    pub pairs: Vec<Vec<Amount>>,
    /// Σ n², where generalisation starts from.
    pub base: Amount,
}

/// A row that a coarser cut changes, and the columns, as bits, in which it does.
#[derive(Debug, Clone, Copy)]
struct Moved {
    row: u32,
    columns: u64,
}

impl Spread {
    /// Whether the tuples of a forest can be keys.
    pub fn fits(forest: &Forest) -> bool {
        Fields::new(forest).is_some()
    }

    /// The sizes of a table; `None` where its tuples are no keys.
    pub fn new(forest: &Forest, fine: &Fine) -> Option<Spread> {
        let fields = Fields::new(forest)?;
        let rows = 0..fine.len() as u32;
        let key = |row: u32| {
            let places =
                fields.places.iter().zip(fine.tuple(row)).map(|(places, node)| places[*node as usize]);
            places.zip(&fields.bits).map(|(place, (start, _))| u64::from(place) << start).sum()
        };
        let keyed = sort_codes(rows.map(|row| (key(row), row)).collect(), fields.space(None));
        let sizes: Vec<u64> = keyed.iter().map(|(_, row)| fine.size(*row)).collect();
        let keys = keyed.into_iter().map(|(key, _)| key).collect();
        let base = sizes.iter().copied().map(square).sum();
        let mut spread = Spread { cut: fine.cut.clone(), keys, sizes, pairs: Vec::new(), base };
        let columns = 0..forest.trees.len();
        let laid_out = spread.lay_out(forest, &fields);
        spread.pairs = columns
            .into_par_iter()
            .map(|column| spread.count(forest, &fields, column, laid_out.as_deref()))
            .collect();
        Some(spread)
    }

    /// The sizes at a coarser cut.
    pub fn coarsen(&self, forest: &Forest, cut: &Cut) -> Option<Spread> {
        let fields = Fields::new(forest)?;
        let fresh: Vec<Vec<u32>> = (cut.0.iter().zip(&self.cut.0))
            .map(|(now, before)| {
                now.iter().copied().filter(|node| before.binary_search(node).is_err()).collect()
            })
            .collect();
        let (moved, mut arriving) = self.moved(forest, &fields, &fresh);
        arriving = sort_codes(arriving, fields.space(None));
        let mut next = Spread {
            cut: cut.clone(),
            keys: Vec::with_capacity(self.keys.len()),
            sizes: Vec::with_capacity(self.keys.len()),
            pairs: Vec::new(),
            base: self.base,
        };
        // What stays is in order, and nothing that arrives is equal to it.
        let mut arrived: Vec<Moved> = Vec::new();
        let (mut groups, mut leaving) =
            (arriving.chunk_by(|(one, _), (other, _)| one == other).peekable(), moved.iter().peekable());
        let mut arrive = |next: &mut Spread, before: Option<u64>| {
            while let Some(group) = groups.next_if(|group| before.is_none_or(|key| group[0].0 < key)) {
                let size = group.iter().map(|(_, at)| self.sizes[moved[*at as usize].row as usize]).sum();
                let columns = moved[group[0].1 as usize].columns;
                arrived.push(Moved { row: next.keys.len() as u32, columns });
                next.keys.push(group[0].0);
                next.sizes.push(size);
                next.base += square(size);
            }
        };
        for (row, (key, size)) in (0..).zip(self.keys.iter().zip(&self.sizes)) {
            if leaving.next_if(|moved| moved.row == row).is_some() {
                next.base -= square(*size);
            } else {
                arrive(&mut next, Some(*key));
                next.keys.push(*key);
                next.sizes.push(*size);
            }
        }
        arrive(&mut next, None);
        next.recount(forest, &fields, self, &fresh, (&moved, &arrived));
        Some(next)
    }

    /// The rows below new nodes, and the keys that they get.
    fn moved(&self, forest: &Forest, fields: &Fields, fresh: &[Vec<u32>]) -> (Vec<Moved>, Vec<(u64, u32)>) {
        // Per column with new nodes and place of a leaf, the place that it moves to.
        let mut targets: Vec<(usize, Vec<Option<u32>>)> = Vec::new();
        for (column, nodes) in fresh.iter().enumerate().filter(|(_, nodes)| !nodes.is_empty()) {
            let (tree, places) = (&forest.trees[column], &fields.places[column]);
            let mut target = vec![None; 1 << fields.bits[column].1];
            for node in nodes {
                let first = places[*node as usize];
                let leaves = (*node..tree.end(*node)).filter(|below| tree.is_leaf(*below)).count();
                target[first as usize..][..leaves].fill(Some(first));
            }
            targets.push((column, target));
        }
        let (mut moved, mut arriving) = (Vec::new(), Vec::new());
        for (row, key) in (0..).zip(&self.keys) {
            let (mut columns, mut to) = (0u64, *key);
            for (column, target) in &targets {
                if let Some(place) = target[fields.place(*key, *column)] {
                    columns |= 1 << column;
                    to = fields.with(to, *column, place);
                }
            }
            if columns != 0 {
                arriving.push((to, moved.len() as u32));
                moved.push(Moved { row, columns });
            }
        }
        (moved, arriving)
    }

    /// Counts the pairs from those at a finer cut on, column by column. Rows that agree in all other columns move together
    /// in these, so the pairs among those that have moved go, and those among what they have become come.
    fn recount(
        &mut self,
        forest: &Forest,
        fields: &Fields,
        old: &Spread,
        fresh: &[Vec<u32>],
        (moved, arrived): (&[Moved], &[Moved]),
    ) {
        let others = |column: usize| move |moved: &&Moved| moved.columns & !(1 << column) != 0;
        let leaving = |column: usize| moved.iter().filter(others(column)).map(|moved| moved.row);
        let dense = self.tuples().filter(|tuples| *tuples <= PER_ROW * self.keys.len() as u64);
        // What it takes to look at all rows of a column, in tuples.
        let all = dense.unwrap_or(PER_ROW * self.keys.len() as u64);
        let is_small = |column: usize| PER_ROW * (leaving(column).count() as u64) < all;
        let columns = 0..forest.trees.len();
        let laid_out =
            columns.clone().any(|column| !is_small(column)).then(|| self.lay_out(forest, fields)).flatten();
        let count = |column: usize| {
            if !is_small(column) {
                return self.count(forest, fields, column, laid_out.as_deref());
            }
            let (tree, mut pairs) = (&forest.trees[column], old.pairs[column].clone());
            let gone = old.count_among(forest, fields, column, leaving(column));
            pairs.iter_mut().zip(gone).for_each(|(pairs, gone)| *pairs -= gone);
            // Pairs that met at or below a new node are one row now.
            for node in &fresh[column] {
                let (within, mut above) = (pairs[*node as usize], *node);
                while above > 0 {
                    above = tree.parent(above);
                    pairs[above as usize] -= within;
                }
                pairs[*node as usize..tree.end(*node) as usize].fill(0);
            }
            let come = arrived.iter().filter(others(column)).map(|arrived| arrived.row);
            let come = self.count_among(forest, fields, column, come);
            pairs.iter_mut().zip(come).for_each(|(pairs, come)| *pairs += come);
            pairs
        };
        self.pairs = columns.into_par_iter().map(count).collect();
    }

    /// How many tuples there could be.
    fn tuples(&self) -> Option<u64> {
        self.cut.0.iter().try_fold(1u64, |tuples, nodes| tuples.checked_mul(nodes.len() as u64))
    }

    /// The size of every tuple that there could be, where they are not too many.
    fn lay_out(&self, forest: &Forest, fields: &Fields) -> Option<Vec<u32>> {
        let tuples = self.tuples().filter(|tuples| *tuples <= PER_ROW * self.keys.len() as u64)?;
        if u32::try_from(self.sizes.iter().sum::<u64>()).is_err() {
            return None;
        }
        let (mut steps, mut stride) = (Vec::new(), 1);
        for (column, nodes) in self.cut.0.iter().enumerate() {
            let of_leaf = Fields::nodes(&forest.trees[column], nodes);
            let place = |node: u32| nodes.partition_point(|other| *other < node);
            steps.push(of_leaf.into_iter().map(|node| place(node) * stride).collect::<Vec<usize>>());
            stride *= nodes.len();
        }
        let mut sizes = vec![0; tuples as usize];
        for (key, size) in self.keys.iter().zip(&self.sizes) {
            let at: usize =
                steps.iter().enumerate().map(|(column, steps)| steps[fields.place(*key, column)]).sum();
            sizes[at] = *size as u32;
        }
        Some(sizes)
    }

    /// The pairs of a column.
    fn count(
        &self,
        forest: &Forest,
        fields: &Fields,
        column: usize,
        laid_out: Option<&[u32]>,
    ) -> Vec<Amount> {
        let stride = self.cut.0[..column].iter().map(Vec::len).product();
        match laid_out {
            Some(sizes) if stride >= NARROW => {
                side_by_side(&forest.trees[column], &self.cut.0[column], stride, sizes)
            }
            _ => self.count_among(forest, fields, column, 0..self.keys.len() as u32),
        }
    }

    /// The pairs among some rows, given in rising order.
    fn count_among(
        &self,
        forest: &Forest,
        fields: &Fields,
        column: usize,
        rows: impl Iterator<Item = u32>,
    ) -> Vec<Amount> {
        let tree = &forest.trees[column];
        let keyed = rows.map(|row| (fields.without(self.keys[row as usize], column), row)).collect();
        let sorted = sort_codes(keyed, fields.space(Some(column)));
        let nodes = Fields::nodes(tree, &self.cut.0[column]);
        let node = |row: u32| nodes[fields.place(self.keys[row as usize], column)];
        by_rows(tree, &sorted, node, |row| self.sizes[row as usize])
    }

    /// All pairs, counted anew; of sizes that are laid out, if asked and they are not too many.
    #[cfg(test)]
    pub fn counted(&self, forest: &Forest, is_laid_out: bool) -> Vec<Vec<Amount>> {
        let Some(fields) = Fields::new(forest) else { return Vec::new() };
        let laid_out = self.lay_out(forest, &fields).filter(|_| is_laid_out);
        let columns = 0..forest.trees.len();
        columns.map(|column| self.count(forest, &fields, column, laid_out.as_deref())).collect()
    }

    /// The memory it takes, in bytes.
    pub fn weight(&self) -> usize {
        self.keys.len() * 2 * size_of::<u64>()
    }
}

fn square(size: u64) -> Amount {
    Amount::from(size) * Amount::from(size)
}
