//! Values that stand next to other rows of a large stratum: shifted by any number of rows, backwards, in swapped blocks.
//!
//! A *way* says for every row where its value is: `shift + row` or `shift - row`, round the stratum of n rows. There are 2n of
//! them. A *path* begins with one of them and may change to another one at any row. Paths have prior shares of a coin that sum
//! up to one: 1/2n for the first way, and at every row α/2n for a change to a certain way and 1 - α for none. So a gambler may
//! follow the path that fits best after looking at everything, with the share of that path.
//!
//! To find it, all 2n ways are scored at once by a Fourier transform (the score of a shift is a correlation of people and
//! values), and the best path among the best ways is found by dynamic programming.

use std::f64::consts::PI;

/// Values are put into this many classes to find ways, in very large strata into fewer.
pub(super) const CLASSES: usize = 16;
const FEW_CLASSES: usize = 4;
const VERY_LARGE: usize = 1 << 18;

/// Larger strata are not searched.
pub(super) const LARGEST: usize = 1 << 20;

/// Paths are made of this many ways.
const WAYS: usize = 12;

/// By kind of people, the scores of the classes of values.
pub(super) type Scores = Vec<[f32; CLASSES]>;

/// The class of a value, among values numbered from 0 on, in a stratum of `rows` rows.
pub(super) fn class_of(value: usize, rows: usize) -> usize {
    value % if rows > VERY_LARGE { FEW_CLASSES } else { CLASSES }
}

/// A stratum as kinds of people and classes of values, in the order of its rows.
pub(super) struct Sides<'a> {
    pub kinds: &'a [u32],
    pub scores: &'a Scores,
    pub classes: &'a [u8],
}

/// By row the place of its value, if no row before has it, and the logarithm of the share of a coin.
pub(super) struct Path {
    pub places: Vec<Option<usize>>,
    pub ln_share: f64,
    pub ways: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Turn {
    backwards: bool,
    shift: usize,
}

impl Turn {
    fn place(self, row: usize, rows: usize) -> usize {
        let row = if self.backwards { rows - row } else { row };
        (self.shift + row) % rows
    }
}

impl Sides<'_> {
    fn score(&self, row: usize, place: usize) -> f64 {
        f64::from(self.scores[self.kinds[row] as usize][usize::from(self.classes[place])])
    }

    /// The path that fits best.
    pub fn best_path(&self) -> Path {
        let rows = self.kinds.len();
        let ways = self.best_ways();
        let all = 2.0 * rows as f64;
        let change = (8.0 / rows as f64).min(0.5);
        let price = -(change / all).ln();
        let mut scores: Vec<f64> = vec![0.0; ways.len()];
        // By row and way, the way at the row before.
        let mut before: Vec<u8> = Vec::with_capacity(rows * ways.len());
        for row in 0..rows {
            let best =
                (0..ways.len()).max_by(|one, other| scores[*one].total_cmp(&scores[*other])).unwrap_or(0);
            let top = scores.get(best).copied().unwrap_or(0.0) - price;
            for (at, way) in ways.iter().enumerate() {
                let changes = row > 0 && top > scores[at];
                before.push(if changes { best as u8 } else { at as u8 });
                let so_far = if changes { top } else { scores[at] };
                scores[at] = so_far + self.score(row, way.place(row, rows));
            }
        }
        let mut at =
            (0..ways.len()).max_by(|one, other| scores[*one].total_cmp(&scores[*other])).unwrap_or(0);
        let mut chosen = vec![0; rows];
        let mut changes = 0;
        for row in (0..rows).rev() {
            chosen[row] = at;
            let earlier = usize::from(before[row * ways.len() + at]);
            changes += usize::from(earlier != at);
            at = earlier;
        }
        let mut taken = vec![false; rows];
        let place = |(row, at): (usize, &usize)| {
            let place = ways[*at].place(row, rows);
            (!std::mem::replace(&mut taken[place], true)).then_some(place)
        };
        let places = chosen.iter().enumerate().map(place).collect();
        let stays = (rows - 1 - changes) as f64 * (1.0 - change).ln();
        Path { places, ln_share: stays - all.ln() - changes as f64 * price, ways: changes + 1 }
    }

    /// The ways with the best scores.
    fn best_ways(&self) -> Vec<Turn> {
        let (forwards, backwards) = self.correlations();
        let turns = |backwards: bool, scores: Vec<f64>| {
            scores.into_iter().enumerate().map(move |(shift, score)| (score, Turn { backwards, shift }))
        };
        let mut all: Vec<(f64, Turn)> = turns(false, forwards).chain(turns(true, backwards)).collect();
        let most = WAYS.min(all.len());
        all.select_nth_unstable_by(most - 1, |one, other| other.0.total_cmp(&one.0));
        all.truncate(most);
        all.into_iter().map(|(_, turn)| turn).collect()
    }

    /// The score of every shift, forwards and backwards.
    fn correlations(&self) -> (Vec<f64>, Vec<f64>) {
        let rows = self.kinds.len();
        let size = (2 * rows).next_power_of_two();
        let transform = Transform::new(size);
        let (mut with, mut against) = (vec![(0.0, 0.0); size], vec![(0.0, 0.0); size]);
        let used = if rows > VERY_LARGE { FEW_CLASSES } else { CLASSES };
        for class in (0..used).filter(|class| self.classes.contains(&(*class as u8))) {
            // Two real sequences at once: the scores of people, and where values of the class are.
            let mut both = vec![(0.0, 0.0); size];
            for ((cell, kind), own) in both.iter_mut().zip(self.kinds).zip(self.classes) {
                *cell = (
                    f64::from(self.scores[*kind as usize][class]),
                    f64::from(u8::from(usize::from(*own) == class)),
                );
            }
            transform.run(&mut both);
            for at in 0..size {
                let (x, y) = (both[at], both[(size - at) % size]);
                let people = ((x.0 + y.0) / 2.0, (x.1 - y.1) / 2.0);
                let values = ((x.1 + y.1) / 2.0, (y.0 - x.0) / 2.0);
                with[at].0 += people.0 * values.0 + people.1 * values.1;
                with[at].1 += people.0 * values.1 - people.1 * values.0;
                against[at].0 += people.0 * values.0 - people.1 * values.1;
                against[at].1 += people.0 * values.1 + people.1 * values.0;
            }
        }
        // Back, both at once again: forwards + i·backwards, conjugated.
        let mut both: Vec<(f64, f64)> =
            with.iter().zip(&against).map(|(one, two)| (one.0 - two.1, -(one.1 + two.0))).collect();
        transform.run(&mut both);
        let (mut forwards, mut backwards) = (vec![0.0; rows], vec![0.0; rows]);
        for (at, (one, two)) in both.into_iter().enumerate() {
            let shift = if at < size / 2 { at % rows } else { (rows - (size - at) % rows) % rows };
            forwards[shift] += one / size as f64;
            backwards[at % rows] -= two / size as f64;
        }
        (forwards, backwards)
    }
}

/// Fourier transforms of a size that is a power of two.
struct Transform {
    roots: Vec<(f64, f64)>,
}

impl Transform {
    fn new(size: usize) -> Transform {
        let root = |at: usize| {
            let angle = -2.0 * PI * at as f64 / size as f64;
            (angle.cos(), angle.sin())
        };
        Transform { roots: (0..size / 2).map(root).collect() }
    }

    /// Transforms in place, by Cooley's and Tukey's butterflies.
    fn run(&self, list: &mut [(f64, f64)]) {
        let size = list.len();
        let bits = size.trailing_zeros();
        for at in 0..size {
            let other = at.reverse_bits() >> (usize::BITS - bits);
            if at < other {
                list.swap(at, other);
            }
        }
        let mut half = 1;
        while half < size {
            let step = size / (2 * half);
            for block in list.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                for ((one, two), root) in low.iter_mut().zip(high).zip(self.roots.iter().step_by(step)) {
                    let turned = (two.0 * root.0 - two.1 * root.1, two.0 * root.1 + two.1 * root.0);
                    (*two, *one) =
                        ((one.0 - turned.0, one.1 - turned.1), (one.0 + turned.0, one.1 + turned.1));
                }
            }
            half *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::random::{below, keyed};

    /// Every shift has the score that adding up gives.
    #[test]
    fn scores_of_shifts_are_correlations() {
        let random = &mut keyed(1, "test");
        for rows in [3, 7, 64, 130] {
            let mut draw = |bound: u64| below(random, bound) as u32;
            let kinds: Vec<u32> = (0..rows).map(|_| draw(5)).collect();
            let classes: Vec<u8> = (0..rows).map(|_| draw(4) as u8).collect();
            let scores: Scores = (0..5).map(|_| std::array::from_fn(|_| draw(100) as f32)).collect();
            let sides = Sides { kinds: &kinds, scores: &scores, classes: &classes };
            let (forwards, backwards) = sides.correlations();
            for (backwards, found) in [(false, forwards), (true, backwards)] {
                for (shift, found) in found.into_iter().enumerate() {
                    let turn = Turn { backwards, shift };
                    let sum: f64 = (0..rows).map(|row| sides.score(row, turn.place(row, rows))).sum();
                    assert!((sum - found).abs() < 1e-6, "{turn:?} of {rows}: {sum} {found}");
                }
            }
        }
    }
}
