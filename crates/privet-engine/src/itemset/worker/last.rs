//! The last item, where only "none, fewer than k, or enough" matters.

use super::Worker;
use crate::itemset::field::is_set;
use crate::itemset::rows::Heads;

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

    /// Reports the nodes before `last` that fewer than k transactions hold together with what is chosen.
    pub(super) fn extend_capped(&mut self, rows: &[u32], last: u32) {
        let mut buffer = self.take_buffer();
        self.candidates(rows, last, &mut buffer.candidates);
        for row in rows {
            self.among[*row as usize] = self.pass;
        }
        self.effort.cells += rows.len() as u64;
        self.sift(&buffer.candidates, last, |worker, node| {
            Some(worker.capped_support(rows, node)).filter(|support| *support < worker.privacy.k)
        });
        self.give_back(buffer);
    }

    /// How many transactions of `rows` hold the node, or k or more. Heavy rows come last, so they are looked at first.
    fn capped_support(&mut self, rows: &[u32], node: u32) -> u64 {
        let field = self.field;
        let holders = field.holders.get(node);
        let mut support = Heads::default();
        let by_rows = field.bitmap(node).filter(|_| rows.len() < 4 * holders.len());
        if let Some(bitmap) = by_rows {
            for row in rows.iter().rev() {
                self.effort.cells += 1;
                if is_set(bitmap, *row) {
                    support.add(field.weights[*row as usize], field.owner(*row));
                    if support.sum >= self.privacy.k {
                        break;
                    }
                }
            }
        } else {
            for row in holders.iter().rev() {
                self.effort.cells += 1;
                if self.among[*row as usize] == self.pass {
                    support.add(field.weights[*row as usize], field.owner(*row));
                    if support.sum >= self.privacy.k {
                        break;
                    }
                }
            }
        }
        support.sum
    }
}
