//! How good the best matching is, without the matching: what is asked most often when many are compared and one is taken.

use super::{Match, Weight};

/// The weight that stands for no edge where graphs are given as rows of weights.
pub const NO_EDGE: Weight = Weight::MAX;

/// Up to this many rows, all sets of them are tried: for so few rows that is faster than looking for exchanges.
const MOST_ROWS: usize = 6;

/// What one look at a graph tells of its best matching with most pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glance {
    /// No matching has more pairs, and none with as many is lighter.
    pub bound: Match,
    /// Whether there is a matching as good as that.
    pub is_met: bool,
}

/// Looks at a graph of at most 64 columns, row by row: nothing can be better than every row's lightest edge, and most often
/// those go to different columns.
pub fn glance<'a>(rows: impl Iterator<Item = &'a [Weight]>) -> Glance {
    let (mut count, mut sum, mut most) = (0u32, 0, 0);
    let (mut taken, mut reached) = (0u64, 0u64);
    let mut is_met = true;
    for row in rows {
        let (mut least, mut at) = (NO_EDGE, 0);
        for (column, weight) in (0u32..).zip(row) {
            if *weight == NO_EDGE {
                continue;
            }
            reached |= 1 << column;
            // Of equally light edges the first that is free.
            if *weight < least || *weight == least && taken >> at & 1 == 1 {
                (least, at) = (*weight, column);
            }
        }
        if least == NO_EDGE {
            continue;
        }
        is_met &= taken >> at & 1 == 0;
        taken |= 1 << at;
        count += 1;
        sum += least;
        most = most.max(least);
    }
    let matched = count.min(reached.count_ones());
    // Those left out are at most the heaviest.
    let weight = if is_met { sum } else { sum.saturating_sub(Weight::from(count - matched) * most) };
    Glance { bound: Match { matched: matched as usize, weight }, is_met }
}

/// The value of the best matching with most pairs, where there are few rows; `None` where there are too many.
///
/// Column after column, the lightest matching is kept for every set of rows that have a partner.
pub fn most_pairs<'a>(rows: impl Iterator<Item = &'a [Weight]>) -> Option<Match> {
    let mut graph: [&[Weight]; MOST_ROWS] = [&[]; MOST_ROWS];
    let mut count = 0;
    for row in rows {
        *graph.get_mut(count)? = row;
        count += 1;
    }
    let graph = &graph[..count];
    let mut lightest = [NO_EDGE; 1 << MOST_ROWS];
    lightest[0] = 0;
    let lightest = &mut lightest[..1 << count];
    let mut edges = [(0usize, 0); MOST_ROWS];
    for column in 0..graph.first().map_or(0, |row| row.len()) {
        let mut held = 0;
        for (at, row) in graph.iter().enumerate().filter(|(_, row)| row[column] != NO_EDGE) {
            edges[held] = (1 << at, row[column]);
            held += 1;
        }
        // From the largest set down, so that a column is used once.
        for set in (0..lightest.len()).rev().filter(|_| held > 0) {
            let before = lightest[set];
            if before == NO_EDGE {
                continue;
            }
            for (row, weight) in &edges[..held] {
                if set & row == 0 {
                    let with = &mut lightest[set | row];
                    *with = (*with).min(before + weight);
                }
            }
        }
    }
    let found = lightest.iter().enumerate().filter(|(_, weight)| **weight != NO_EDGE);
    let found = found.map(|(set, weight)| Match { matched: set.count_ones() as usize, weight: *weight });
    found.min_by_key(|found| (std::cmp::Reverse(found.matched), found.weight))
}
