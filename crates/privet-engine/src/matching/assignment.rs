//! The assignment problem by shortest augmenting paths (the Hungarian method with potentials).
//!
//! Every row gets a column of its own; a missing edge stands in at a price that makes the cheapest assignment the best
//! matching for the aim. The stand-ins are left out at the end.

use super::{Aim, NONE, Weight};

#[derive(Debug, Default)]
pub(super) struct Assignment {
    costs: Vec<i64>,
    row_potential: Vec<i64>,
    column_potential: Vec<i64>,
    /// The row that has a column, counted from 1; 0 for none. Column 0 is where a path begins.
    row_of: Vec<usize>,
    previous: Vec<usize>,
    slack: Vec<i64>,
    done: Vec<bool>,
}

impl Assignment {
    /// Appends the pairs of a best matching, ascending by row. There are no more rows than columns.
    pub(super) fn solve(
        &mut self,
        weights: &[Weight],
        columns: usize,
        aim: Aim,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        let rows = weights.len() / columns.max(1);
        self.set_costs(weights, rows, aim);
        for vector in [&mut self.row_potential, &mut self.column_potential, &mut self.slack] {
            vector.clear();
            vector.resize(columns.max(rows) + 1, 0);
        }
        for vector in [&mut self.row_of, &mut self.previous] {
            vector.clear();
            vector.resize(columns + 1, 0);
        }
        self.done.clear();
        self.done.resize(columns + 1, false);
        for row in 1..=rows {
            self.augment(row, columns);
        }
        for column in 1..=columns {
            let row = self.row_of[column];
            if row > 0 && weights[(row - 1) * columns + column - 1] != NONE {
                pairs.push((row as u32 - 1, column as u32 - 1));
            }
        }
        pairs.sort_unstable();
    }

    /// Most pairs: a stand-in costs more than all edges that it could save. Worth: it costs the worth of the pair that is
    /// not made; of equal sums the one with more pairs is taken, for which all is scaled up by more than the rows.
    fn set_costs(&mut self, weights: &[Weight], rows: usize, aim: Aim) {
        let scale = rows as i64 + 1;
        let (scale, stand_in) = match aim {
            Aim::MostPairs => {
                let most = weights.iter().filter(|weight| **weight != NONE).max().copied().unwrap_or(0);
                (1, (most as i64 + 1) * scale)
            }
            Aim::Worth(worth) => (scale, worth as i64 * scale + 1),
        };
        self.costs.clear();
        let costs =
            weights.iter().map(|weight| if *weight == NONE { stand_in } else { *weight as i64 * scale });
        self.costs.extend(costs);
    }

    /// Gives one more row a column, along the cheapest path of exchanges.
    fn augment(&mut self, row: usize, columns: usize) {
        self.row_of[0] = row;
        self.slack[..=columns].fill(i64::MAX);
        self.done[..=columns].fill(false);
        let mut column = 0;
        loop {
            self.done[column] = true;
            let row = self.row_of[column];
            let costs = &self.costs[(row - 1) * columns..row * columns];
            let (mut least, mut next) = (i64::MAX, 0);
            for to in 1..=columns {
                if self.done[to] {
                    continue;
                }
                let reduced = costs[to - 1] - self.row_potential[row] - self.column_potential[to];
                if reduced < self.slack[to] {
                    self.slack[to] = reduced;
                    self.previous[to] = column;
                }
                if self.slack[to] < least {
                    (least, next) = (self.slack[to], to);
                }
            }
            for at in 0..=columns {
                if self.done[at] {
                    self.row_potential[self.row_of[at]] += least;
                    self.column_potential[at] -= least;
                } else if self.slack[at] != i64::MAX {
                    self.slack[at] -= least;
                }
            }
            column = next;
            if self.row_of[column] == 0 {
                break;
            }
        }
        while column != 0 {
            let from = self.previous[column];
            self.row_of[column] = self.row_of[from];
            column = from;
        }
    }
}
