//! Matchings of bipartite graphs with weights: which of the things on the left goes with which on the right.
//!
//! Two aims are known ([`Aim`]), each met exactly or by taking the lightest edge again and again. Things that are alike can
//! be given once with how many of them there are ([`counted`]), which is what large sides need. Where only the value of a
//! small matching is asked for, it takes less to tell ([`value`]).
//!
//! A [`Matcher`] keeps its buffers, so that millions of small matchings allocate nothing.

mod assignment;
pub mod counted;
#[cfg(test)]
mod tests;
pub mod value;

/// The weight of an edge. Sums of weights stay below 2⁶² for every graph that fits into memory as long as single weights
/// stay below [`MOST_WEIGHT`].
pub type Weight = u64;

/// No edge may weigh more.
pub const MOST_WEIGHT: Weight = 1 << 40;

/// What a matching is to be best at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// As many pairs as possible, and of those matchings the lightest.
    MostPairs,
    /// The least weight where every pair is worth so much: an edge that weighs more is never taken. For padding with nils
    /// at ω each, a pair saves two of them: `Worth(2 * omega)`.
    Worth(Weight),
}

impl Aim {
    /// Whether a matching may use an edge of this weight.
    pub(super) fn admits(self, weight: Weight) -> bool {
        match self {
            Aim::MostPairs => true,
            Aim::Worth(worth) => weight <= worth,
        }
    }
}

/// How good a matching is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Match {
    /// The number of pairs.
    pub matched: usize,
    /// What they weigh together.
    pub weight: Weight,
}

/// No edge.
const NONE: Weight = value::NO_EDGE;

/// Finds matchings; keeps its buffers from one to the next.
///
/// ```
/// use privet_engine::matching::{Aim, Match, Matcher};
/// // Left 1 could do with right 0 at no cost, but then left 0 has nobody.
/// let weight = |left: usize, right: usize| [[Some(4), None], [Some(0), Some(4)]][left][right];
/// let mut matcher = Matcher::default();
/// assert_eq!(matcher.exact(2, 2, Aim::MostPairs, weight), Match { matched: 2, weight: 8 });
/// assert_eq!(matcher.pairs(), [(0, 0), (1, 1)]);
/// assert_eq!(matcher.greedy(2, 2, Aim::MostPairs, weight), Match { matched: 1, weight: 0 });
/// ```
#[derive(Debug, Default)]
pub struct Matcher {
    weights: Vec<Weight>,
    pairs: Vec<(u32, u32)>,
    edges: Vec<(Weight, u32, u32)>,
    taken: Vec<bool>,
    assignment: assignment::Assignment,
}

impl Matcher {
    /// The best matching for an aim. `weight` tells the weight of the edge between a left and a right thing, if there is
    /// one. Takes the smaller side's size squared times the larger's.
    pub fn exact(
        &mut self,
        left: usize,
        right: usize,
        aim: Aim,
        mut weight: impl FnMut(usize, usize) -> Option<Weight>,
    ) -> Match {
        // The smaller side is assigned, so the matrix has its things as rows.
        let flipped = left > right;
        let (rows, columns) = if flipped { (right, left) } else { (left, right) };
        self.weights.clear();
        for row in 0..rows {
            for column in 0..columns {
                let weight = if flipped { weight(column, row) } else { weight(row, column) };
                self.weights.push(weight.filter(|weight| aim.admits(*weight)).unwrap_or(NONE));
            }
        }
        self.pairs.clear();
        if !self.lightest_of_each_row(columns) {
            self.assignment.solve(&self.weights, columns, aim, &mut self.pairs);
        }
        let weight =
            self.pairs.iter().map(|(row, column)| self.weights[*row as usize * columns + *column as usize]);
        let found = Match { matched: self.pairs.len(), weight: weight.sum() };
        if flipped {
            for pair in &mut self.pairs {
                *pair = (pair.1, pair.0);
            }
            self.pairs.sort_unstable();
        }
        found
    }

    /// The case in which every row's lightest edge goes to another column: no matching has more pairs, and none with as
    /// many is lighter. Small graphs are like that more often than not.
    fn lightest_of_each_row(&mut self, columns: usize) -> bool {
        if columns == 0 {
            return true;
        }
        self.taken.clear();
        self.taken.resize(columns, false);
        for (row, weights) in self.weights.chunks_exact(columns).enumerate() {
            let mut least = (NONE, 0);
            for (column, weight) in weights.iter().enumerate() {
                // Of equally light edges the first that is free.
                if *weight < least.0 || *weight == least.0 && *weight != NONE && self.taken[least.1] {
                    least = (*weight, column);
                }
            }
            if least.0 == NONE {
                continue;
            }
            if self.taken[least.1] {
                self.pairs.clear();
                return false;
            }
            self.taken[least.1] = true;
            self.pairs.push((row as u32, least.1 as u32));
        }
        true
    }

    /// Takes the lightest edge between things that are still free, again and again; of equally light ones the first by
    /// position on the left and then on the right. Finds at least half as many pairs as there can be.
    pub fn greedy(
        &mut self,
        left: usize,
        right: usize,
        aim: Aim,
        mut weight: impl FnMut(usize, usize) -> Option<Weight>,
    ) -> Match {
        self.edges.clear();
        for one in 0..left {
            for other in 0..right {
                if let Some(weight) = weight(one, other).filter(|weight| aim.admits(*weight)) {
                    self.edges.push((weight, one as u32, other as u32));
                }
            }
        }
        self.edges.sort_unstable();
        self.taken.clear();
        self.taken.resize(left + right, false);
        self.pairs.clear();
        let mut found = Match::default();
        for (weight, one, other) in &self.edges {
            let (at, to) = (*one as usize, left + *other as usize);
            if !self.taken[at] && !self.taken[to] {
                (self.taken[at], self.taken[to]) = (true, true);
                self.pairs.push((*one, *other));
                found.matched += 1;
                found.weight += weight;
            }
        }
        self.pairs.sort_unstable();
        found
    }

    /// The pairs of the last matching, left and right, ascending.
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }
}
