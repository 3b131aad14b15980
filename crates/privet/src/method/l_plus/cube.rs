//! Counts of the sensitive values by two or three columns at a time.
//!
//! Where nothing is suppressed, a class is allowed or not, and one that is not has a part that is not in every refinement
//! (fact M). So a cut is refused as soon as its nodes in a few columns are, whatever it does in the others. How often every
//! sensitive value occurs with every combination of values in a few columns is counted once; from then on such questions
//! take the same time however large the table is.

use std::sync::{Arc, Mutex, PoisonError};

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use rayon::prelude::*;

use super::codes;
use super::rules::Rules;
use super::table::Fine;
use super::tally::Tally;
use crate::engine::cut::{Amount, Cut, FORBIDDEN, Forest};

/// Combinations are counted for at most this many columns together,
const DEEP: usize = 3;
/// with at most so many counts for each row of the table,
const PER_ROW: usize = 8;
/// and a cut is tried in no more than so many sets of columns.
const TRIES: usize = 64;
/// So many counts take as long as a row of the table.
const AS_ROW: usize = 48;

/// Counts by sets of columns, each made when it is first asked for.
#[derive(Debug, Default)]
pub struct Cube {
    sides: Mutex<HashMap<Vec<usize>, Arc<Side>, RandomState>>,
}

/// Counts by some columns at the finest cut, the first one's values side by side.
#[derive(Debug)]
struct Side {
    counts: Vec<u32>,
}

/// A table at the finest cut whose records are counted.
#[derive(Debug, Clone, Copy)]
pub struct Counted<'a> {
    pub rules: &'a Rules,
    pub forest: &'a Forest,
    pub fine: &'a Fine,
    pub cube: &'a Cube,
    /// How many rows would be looked at otherwise: counts are worth no more time than that.
    pub instead: usize,
}

impl Counted<'_> {
    /// Per column and node, whether some class of a cut is refused when it is restricted to the node in this column:
    /// `FORBIDDEN`, or 0. `None` where the cut has more columns than are counted.
    pub fn extras(&self, top: &Cut) -> Option<Vec<Vec<Amount>>> {
        let opened = opened(top);
        let all = 0..self.forest.trees.len();
        let with = |column: usize| {
            let mut columns = opened.clone();
            if !columns.contains(&column) {
                columns.push(column);
                columns.sort_unstable();
            }
            columns
        };
        if opened.len() >= DEEP {
            return None;
        }
        let slots =
            all.clone().try_fold(0, |sum: usize, column| sum.checked_add(self.slots(&with(column))?))?;
        if slots > AS_ROW * self.instead {
            return None;
        }
        let of_column = |column: usize| {
            let columns = with(column);
            let side = self.side(&columns)?;
            // The column itself is asked about at all its nodes, the others at those of the cut.
            let tree = &self.forest.trees[column];
            let slots = |other: usize| {
                let leaves = self.fine.cut.0[other].iter();
                if other == column { leaves.copied().collect() } else { self.places(top, other) }
            };
            let wide = |other: usize| if other == column { tree.len() } else { top.0[other].len() };
            // The column comes first, so that its nodes lie side by side.
            let mut order = columns.clone();
            order.sort_unstable_by_key(|other| (*other != column, *other));
            let mut cells = self.sum(&side, &columns, &order, slots, wide);
            let width = self.rules.theta.len();
            let mut sums = vec![0; tree.len()];
            let mut tally = self.rules.tally();
            for class in cells.chunks_mut((tree.len() * width).max(1)) {
                for node in (0..tree.len()).rev() {
                    let (above, own) = class.split_at_mut(node * width);
                    let own = &own[..width];
                    if sums[node] < FORBIDDEN && self.is_refused(own, &mut tally) {
                        sums[node] = FORBIDDEN;
                    }
                    if node > 0 {
                        let parent = &mut above[tree.parent(node as u32) as usize * width..][..width];
                        parent.iter_mut().zip(own).for_each(|(sum, count)| *sum += count);
                    }
                }
            }
            Some(sums)
        };
        all.into_par_iter().map(of_column).collect()
    }

    /// Whether a cut is refused for what it does in a few columns. If not, it may still be refused for all of them.
    pub fn refuses(&self, cut: &Cut) -> bool {
        let opened = opened(cut);
        let mut sets: Vec<Vec<usize>> = opened.iter().map(|column| vec![*column]).collect();
        let mut left = AS_ROW * self.instead;
        for _ in 1..DEEP {
            let longer = |set: &Vec<usize>| {
                let last = set.last().copied();
                let further = opened.iter().copied().filter(move |column| Some(*column) > last);
                further.map(|column| [&set[..], &[column]].concat()).collect::<Vec<_>>()
            };
            sets = sets.iter().flat_map(longer).collect();
            if sets.len() > TRIES {
                return false;
            }
            for columns in &sets {
                let Some(rest) = self.slots(columns).and_then(|slots| left.checked_sub(slots)) else {
                    continue;
                };
                left = rest;
                if self.refuses_in(cut, columns) {
                    return true;
                }
            }
        }
        false
    }

    fn refuses_in(&self, cut: &Cut, columns: &[usize]) -> bool {
        let Some(side) = self.side(columns) else { return false };
        let places = |column: usize| self.places(cut, column);
        let cells = self.sum(&side, columns, columns, places, |column| cut.0[column].len());
        let mut tally = self.rules.tally();
        cells.chunks(self.rules.theta.len().max(1)).any(|cell| self.is_refused(cell, &mut tally))
    }

    fn is_refused(&self, counts: &[u32], tally: &mut Tally) -> bool {
        let size = counts.iter().copied().map(u64::from).sum();
        let most = counts.iter().max().copied().unwrap_or(0);
        if size == 0 || self.rules.surely_satisfied(size, most.into()) {
            return false;
        }
        tally.clear();
        tally.add_counts(counts.iter().copied().map(u64::from));
        self.rules.violates(tally)
    }

    /// Per leaf of a column, its place in a cut.
    fn places(&self, cut: &Cut, column: usize) -> Vec<u32> {
        let places = codes::places(&self.forest.trees[column], &cut.0[column]);
        self.fine.cut.0[column].iter().map(|leaf| places[*leaf as usize]).collect()
    }

    /// The counts of a side, summed up over leaves with the same slots. `order` tells whose slots lie side by side.
    fn sum(
        &self,
        side: &Side,
        columns: &[usize],
        order: &[usize],
        slots: impl Fn(usize) -> Vec<u32>,
        wide: impl Fn(usize) -> usize,
    ) -> Vec<u32> {
        let width = self.rules.theta.len();
        let stride = |column: usize| {
            let before = order.iter().take_while(|other| **other != column);
            before.map(|other| wide(*other)).product::<usize>() * width
        };
        // Per column and leaf, where its counts go.
        let steps: Vec<Vec<usize>> = columns
            .iter()
            .map(|column| slots(*column).into_iter().map(|slot| slot as usize * stride(*column)).collect())
            .collect();
        let mut starts = vec![0];
        for steps in steps.iter().skip(1) {
            starts = steps.iter().flat_map(|step| starts.iter().map(move |start| start + step)).collect();
        }
        let mut sums = vec![0u32; order.iter().map(|column| wide(*column)).product::<usize>() * width];
        let first: &[usize] = steps.first().map_or(&[], |steps| steps);
        let mut counts = side.counts.chunks(width.max(1));
        for start in starts {
            for (step, counts) in first.iter().zip(&mut counts) {
                let sums = &mut sums[start + step..][..width];
                sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
        }
        sums
    }

    /// How many counts there are by some columns, if they are few enough.
    fn slots(&self, columns: &[usize]) -> Option<usize> {
        let leaves = columns.iter().map(|column| self.fine.cut.0[*column].len());
        let slots = leaves.fold(Some(self.rules.theta.len()), |slots, leaves| slots?.checked_mul(leaves))?;
        let fits = u32::try_from(self.rules.records.max(slots as u64)).is_ok();
        (fits && slots <= PER_ROW * self.fine.len()).then_some(slots)
    }

    fn side(&self, columns: &[usize]) -> Option<Arc<Side>> {
        let (width, slots) = (self.rules.theta.len(), self.slots(columns)?);
        let known = || self.cube.sides.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(side) = known().get(columns) {
            return Some(side.clone());
        }
        let (mut steps, mut stride) = (Vec::with_capacity(columns.len()), width as u32);
        for column in columns {
            let places = codes::places(&self.forest.trees[*column], &self.fine.cut.0[*column]);
            // Nodes above the leaves have no place, and no row has them.
            let step = |place: u32| if place == u32::MAX { 0 } else { place * stride };
            steps.push((*column, places.into_iter().map(step).collect::<Vec<u32>>()));
            stride *= self.fine.cut.0[*column].len() as u32;
        }
        let mut counts = vec![0u32; slots];
        for row in 0..self.fine.len() as u32 {
            let tuple = self.fine.tuple(row);
            let at: u32 = steps.iter().map(|(column, steps)| steps[tuple[*column] as usize]).sum();
            let counts = &mut counts[at as usize..][..width];
            // No count is larger than the number of records, which fits.
            self.fine
                .entries(row)
                .iter()
                .for_each(|entry| counts[entry.value as usize] += entry.count as u32);
        }
        let side = Arc::new(Side { counts });
        known().insert(columns.to_vec(), side.clone());
        Some(side)
    }
}

/// Whether a cut has so few columns that are not at their roots that a finer one may be asked about by counts.
pub fn has_few(cut: &Cut) -> bool {
    opened(cut).len() + 1 < DEEP
}

/// The columns that are not at their roots.
fn opened(cut: &Cut) -> Vec<usize> {
    (0..cut.0.len()).filter(|column| cut.0[*column].len() > 1).collect()
}
