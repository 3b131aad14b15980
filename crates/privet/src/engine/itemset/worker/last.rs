//! The last item, where only "none, fewer than k, or enough" matters.

use super::{Choice, Worker};
use crate::engine::itemset::field::is_set;

impl Worker<'_> {
    /// Whether it takes less to look for k transactions per node than to count all nodes of all rows.
    pub(super) fn is_capping_cheaper(&self, rows: &[u32], last: u32) -> bool {
        let unsafe_rows = rows.partition_point(|row| *row < self.field.unsafe_rows);
        let mean = self.field.mean_length * u64::from(last) / self.field.nodes.len().max(1) as u64 + 1;
        let counting = rows.len() as u64 * mean;
        // Each candidate takes a few dozen looks for small k; there are at most as many as cells of unsafe rows.
        let candidates = (unsafe_rows as u64 * mean).min(u64::from(last));
        counting > candidates * (8 + 4 * self.privacy.k) + rows.len() as u64
    }

    pub(super) fn extend_capped(&mut self, rows: &[u32], last: u32, depth: usize) {
        let mut buffer = self.take_buffer(depth);
        self.candidates(rows, last, &mut buffer.candidates);
        let field = self.field;
        for row in rows {
            self.among[*row as usize] = self.pass;
        }
        self.effort.cells += rows.len() as u64;
        let mut skip = 0;
        for node in &buffer.candidates {
            let node = *node;
            if node < skip {
                continue;
            }
            if field.end[node as usize] <= last {
                if field.is_flat && (self.comes_before(node) || self.guard.is_blocked(field, node)) {
                    continue;
                }
                self.effort.itemsets += 1;
                let support = self.capped_support(rows, node);
                if support < self.privacy.k {
                    match self.report(node, true, support) {
                        Choice::Covered => break,
                        Choice::Open => skip = field.end[field.parent[node as usize] as usize],
                    }
                    continue;
                }
            }
            if self.guard.blocks_below(node) {
                skip = field.end[node as usize];
            }
        }
        self.buffers[depth] = buffer;
    }

    /// How many transactions of `rows` hold the node, or k or more. Heavy rows come last, so they are looked at first.
    fn capped_support(&mut self, rows: &[u32], node: u32) -> u64 {
        let field = self.field;
        let holders = field.holders.get(node);
        let mut support = 0;
        let by_rows = field.bitmap(node).filter(|_| rows.len() < 4 * holders.len());
        if let Some(bitmap) = by_rows {
            for row in rows.iter().rev() {
                self.effort.cells += 1;
                if is_set(bitmap, *row) {
                    support += field.weights[*row as usize];
                    if support >= self.privacy.k {
                        break;
                    }
                }
            }
        } else {
            for row in holders.iter().rev() {
                self.effort.cells += 1;
                if self.among[*row as usize] == self.pass {
                    support += field.weights[*row as usize];
                    if support >= self.privacy.k {
                        break;
                    }
                }
            }
        }
        support
    }
}
