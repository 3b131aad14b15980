//! The increase in discernibility when a single column is coarsened.
//!
//! Merging classes of n₁ and n₂ records costs 2·n₁·n₂. Rows that agree in all columns except one become one class where
//! their nodes in this column meet. So coarsening the column up to a node costs twice the sum of n₁·n₂ over the pairs
//! that meet at or below the node.
//!
//! If many of the possible tuples of the cut occur, no row is looked up: sizes are laid out by the tuples' codes, and
//! the sums at all nodes are computed for neighbouring tuples in parallel. Otherwise rows are sorted by their other
//! columns.

use rayon::prelude::*;

use super::codes::{self, TupleCodes};
use super::rules::CostRules;
use super::table::FineTable;
use privet_engine::cut::{Amount, Forest, Tree};

/// Sizes are laid out by codes if there are at most this many codes per row.
const PER_ROW: u64 = 24;
/// The number of neighbouring tuples that are summed in parallel: at least `NARROW`, because otherwise sorted rows are
/// faster, and at most `WIDE`, so that sums stay in the first-level cache.
const NARROW: usize = 4;
const WIDE: usize = 512;

/// Per column and node, the increase in discernibility if only this column is coarsened up to the node.
pub fn pairs(rules: &CostRules, forest: &Forest, fine: &FineTable) -> Vec<Vec<Amount>> {
    let laid_out = fine.codes.as_ref().and_then(|codes| lay_out(rules, fine, codes));
    let of_column = |column: usize| {
        let (tree, cut) = (&forest.trees[column], &fine.cut.0[column]);
        match (&laid_out, &fine.codes) {
            (Some(sizes), Some(codes)) if codes.stride(column) >= NARROW => {
                side_by_side(tree, cut, codes.stride(column), sizes)
            }
            _ => by_rows(tree, fine, column, &fine.sorted_without(forest, column)),
        }
    };
    (0..forest.trees.len()).into_par_iter().map(of_column).collect()
}

/// The size of every possible tuple, by code, if there are not too many.
pub fn lay_out(rules: &CostRules, fine: &FineTable, codes: &TupleCodes) -> Option<Vec<u32>> {
    if codes.space() > PER_ROW * fine.len() as u64 || u32::try_from(rules.records).is_err() {
        return None;
    }
    let mut sizes = vec![0; codes.space() as usize];
    for row in 0..fine.len() as u32 {
        sizes[codes.code(row) as usize] = fine.size(row) as u32;
    }
    Some(sizes)
}

/// Twice the pairs that meet at or below a node are the square of the tuples' total size there, minus their own
/// squares.
pub fn side_by_side(tree: &Tree, cut: &[u32], stride: usize, sizes: &[u32]) -> Vec<Amount> {
    let places = codes::places(tree, cut);
    let is_above = |node: u32| places[node as usize] == u32::MAX;
    let is_cut = |node: u32| !is_above(node) && cut[places[node as usize] as usize] == node;
    // Children before their parents.
    let nodes: Vec<u32> =
        (0..tree.len() as u32).rev().filter(|node| is_above(*node) || is_cut(*node)).collect();
    let mut squares = vec![0u64; tree.len()];
    let lane = stride.min(WIDE);
    let mut sums = vec![0u32; tree.len() * lane];
    for block in sizes.chunks(stride * cut.len()) {
        for start in (0..stride).step_by(lane) {
            let wide = lane.min(stride - start);
            for node in nodes.iter().copied() {
                let (before, own) = sums.split_at_mut(node as usize * lane);
                let own = &mut own[..wide];
                if !is_above(node) {
                    let from = places[node as usize] as usize * stride + start;
                    own.copy_from_slice(&block[from..from + wide]);
                }
                // No sum exceeds the number of records, which fits in 32 bits, so the squares of all together fit in 64
                // bits and nothing wraps around. Checking for overflow would prevent vectorisation.
                let square = |sum: &u32| u64::from(*sum) * u64::from(*sum);
                let more = own.iter().map(square).fold(0u64, u64::wrapping_add);
                squares[node as usize] += more;
                if node > 0 {
                    let parent = &mut before[tree.parent(node) as usize * lane..][..wide];
                    parent.iter_mut().zip(own.iter()).for_each(|(sum, own)| *sum = sum.wrapping_add(*own));
                }
                own.fill(0);
            }
        }
    }
    let mut alone = vec![0u64; tree.len()];
    for node in nodes {
        if !is_above(node) {
            alone[node as usize] = squares[node as usize];
        }
        if node > 0 {
            alone[tree.parent(node) as usize] += alone[node as usize];
        }
    }
    squares.into_iter().zip(alone).map(|(all, alone)| Amount::from(all - alone)).collect()
}

/// The pairs among rows sorted by their other columns and then by ascending node.
pub fn by_rows(tree: &Tree, fine: &FineTable, column: usize, by_others: &[(u64, u32)]) -> Vec<Amount> {
    let nodes = &fine.nodes[column];
    let mut meeting = vec![0; tree.len()];
    // Rows of a group that still wait for a right neighbour: the node, and the records at or below it.
    let mut path: Vec<(u32, Amount)> = Vec::new();
    for rows in by_others.chunk_by(|(one, _), (other, _)| one == other) {
        if rows.len() < 2 {
            continue;
        }
        let mut fold = |path: &mut Vec<(u32, Amount)>, next: Option<u32>| {
            // Fold everything that ends before the next row into the node where it meets its neighbours.
            while path.len() > 1 {
                let (last, (before, _)) = (path[path.len() - 1], path[path.len() - 2]);
                let meet = tree.meet(before, last.0);
                if next.is_some_and(|next| tree.meet(last.0, next) > meet) {
                    break;
                }
                path.pop();
                let top = path.len() - 1;
                meeting[meet as usize] += 2 * path[top].1 * last.1;
                path[top] = (meet, path[top].1 + last.1);
            }
        };
        for (_, row) in rows {
            let node = nodes[*row as usize];
            fold(&mut path, Some(node));
            path.push((node, Amount::from(fine.size(*row))));
        }
        fold(&mut path, None);
        path.clear();
    }
    for node in (1..tree.len()).rev() {
        let parent = tree.parent(node as u32) as usize;
        meeting[parent] += meeting[node];
    }
    meeting
}
