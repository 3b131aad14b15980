//! Sensitive items among the rows at hand.

use super::field::Field;

/// How often each sensitive item goes with each node in the rows at hand.
pub(super) struct MarkCounts {
    /// How many sensitive items are counted; none where they are not guarded.
    pub marks: usize,
    counts: Vec<u64>,
    touched: Vec<u32>,
    /// The sums over all rows at hand.
    pub sums: Vec<u64>,
}

impl MarkCounts {
    pub(super) fn new(marks: usize, nodes: usize) -> MarkCounts {
        MarkCounts { marks, counts: vec![0; nodes * marks], touched: Vec::new(), sums: vec![0; marks] }
    }

    pub(super) fn count(&mut self, field: &Field, rows: &[u32], counts: &dyn Fn(u32) -> bool) {
        for row in rows {
            let marks = field.marks.get(*row);
            if marks.is_empty() {
                continue;
            }
            for (mark, count) in marks {
                self.sums[*mark as usize] += count;
            }
            for node in field.rows.get(*row).iter().filter(|node| counts(**node)) {
                let base = *node as usize * self.marks;
                for (mark, count) in marks {
                    let place = &mut self.counts[base + *mark as usize];
                    if *place == 0 {
                        self.touched.push((base + *mark as usize) as u32);
                    }
                    *place += count;
                }
            }
        }
    }

    pub(super) fn of(&self, node: u32) -> impl Iterator<Item = (u32, u64)> + '_ {
        let base = node as usize * self.marks;
        (0..).zip(self.counts[base..base + self.marks].iter().copied())
    }

    pub(super) fn clear(&mut self) {
        self.touched.drain(..).for_each(|at| self.counts[at as usize] = 0);
        self.sums.fill(0);
    }
}
