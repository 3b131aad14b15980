//! What the adversary knows to be absent.

use super::{Choice, Once, Slot, Worker};

impl Worker<'_> {
    /// Looks for threats among the itemsets with what is chosen and absent nodes from `from` on, of at most `budget`
    /// leaves; `rows` are those that fit so far.
    pub(super) fn lack(&mut self, rows: &[u32], from: u32, budget: u64) -> Choice {
        if self.is_safe(rows) || self.is_over() {
            return Choice::Open;
        }
        let field = self.field;
        let (total, mut candidates) = self.count_absences(rows, from, budget);
        if !self.can_lack(total, &candidates, budget) {
            self.marks.clear();
            return Choice::Open;
        }
        // From here on a node's count is of those who are gone without the rows that hold it.
        self.count_owners_once(rows, Once::IfAll);
        candidates.sort_unstable();
        let sums = self.marks.sums.clone();
        let smallest =
            candidates.iter().map(|node| u64::from(field.leaves[*node as usize])).min().unwrap_or(0);
        let mut growing = Vec::new();
        let mut skip = 0;
        for node in candidates {
            let leaves = u64::from(field.leaves[node as usize]);
            let held = self.slots[node as usize].support;
            // A node that a chosen one implies cannot be absent; one that nothing or everything holds tells nothing.
            let implied =
                self.present.iter().any(|present| (node..field.end[node as usize]).contains(present));
            if node < skip || implied || held == total || self.guard.is_blocked(field, node) {
                continue;
            }
            self.effort.itemsets += 1;
            let support = total - held;
            let counts = self.marks.of(node).map(|(mark, count)| (mark, sums[mark as usize] - count));
            if self.privacy.is_threat(support, counts) {
                match self.report(node, false, support) {
                    Choice::Covered => {
                        self.marks.clear();
                        return Choice::Covered;
                    }
                    Choice::Open => skip = field.end[field.parent[node as usize] as usize],
                }
            } else if leaves + smallest <= budget {
                growing.push(node);
            }
        }
        self.marks.clear();
        let before = self.guard.len();
        for node in growing {
            if self.guard.is_blocked(field, node) {
                continue;
            }
            let without: Vec<u32> = rows
                .iter()
                .copied()
                .filter(|row| field.rows.get(*row).binary_search(&node).is_err())
                .collect();
            self.effort.cells += rows.len() as u64;
            self.choose(node, false);
            let left = budget - u64::from(field.leaves[node as usize]);
            self.lack(&without, field.end[node as usize], left);
            self.release(false);
            if self.stopped || self.guard.covers_choice(before) {
                return Choice::Covered;
            }
        }
        Choice::Open
    }

    /// Counts the nodes from `from` on that absences can be about, in rows, regardless of who has them; returns all transactions or
    /// people of the rows, and the nodes.
    fn count_absences(&mut self, rows: &[u32], from: u32, budget: u64) -> (u64, Vec<u32>) {
        self.begin_pass();
        let field = self.field;
        let mut candidates = Vec::new();
        let mut total = 0;
        for row in rows {
            let weight = field.weights[*row as usize];
            total += weight;
            let nodes = field.rows.get(*row);
            let first = nodes.partition_point(|node| *node < from);
            for node in &nodes[first..] {
                self.effort.cells += 1;
                let at = *node as usize;
                if u64::from(field.leaves[at]) > budget {
                    continue;
                }
                let slot = &mut self.slots[at];
                if slot.pass == self.pass {
                    slot.support += weight;
                } else {
                    *slot = Slot { support: weight, rows: 0, pass: self.pass };
                    candidates.push(*node);
                }
            }
        }
        if self.marks.marks > 0 {
            let (slots, pass) = (&self.slots, self.pass);
            self.marks.count(field, rows, &|node| node >= from && slots[node as usize].pass == pass);
        }
        (total - field.surplus(rows), candidates)
    }

    /// Whether absences of `budget` leaves could leave too few rows, or a sensitive item too frequent in what is left: the
    /// most that they can take away is a fractional knapsack over the lowest nodes, and a sensitive item's count does not
    /// grow. Somebody with several rows is gone when all of them are: with each row at most one person goes.
    fn can_lack(&self, total: u64, candidates: &[u32], budget: u64) -> bool {
        let field = self.field;
        let is_lowest = |node: &&u32| field.end[**node as usize] == **node + 1;
        let mut items: Vec<(u64, u64)> = (candidates.iter().filter(is_lowest))
            .map(|node| (self.slots[*node as usize].support, u64::from(field.leaves[*node as usize])))
            .collect();
        items.sort_unstable_by(|(one, its), (other, their)| {
            (u128::from(*other) * u128::from(*its)).cmp(&(u128::from(*one) * u128::from(*their)))
        });
        let (mut removed, mut left) = (0u64, budget);
        for (support, leaves) in items {
            if leaves > left {
                removed += (u128::from(support) * u128::from(left)).div_ceil(u128::from(leaves)) as u64;
                break;
            }
            removed += support;
            left -= leaves;
        }
        let kept = total.saturating_sub(removed);
        kept < self.privacy.k
            || (0..).zip(&self.marks.sums).any(|(mark, count)| self.privacy.exceeds(mark, *count, kept))
    }
}
