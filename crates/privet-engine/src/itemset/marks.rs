//! Sensitive items among the rows at hand.

use super::field::Field;

/// When an owner of several rows counts for a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Once {
    /// If any of the rows holds it.
    IfAny,
    /// If all of them do: without the rows that hold it, the owner is gone.
    IfAll,
}

impl Once {
    /// How often to count an owner, by how many of their rows hold a node.
    pub(super) fn count(self, holding: usize, all: usize) -> u64 {
        u64::from(match self {
            Once::IfAny => holding > 0,
            Once::IfAll => holding == all,
        })
    }
}

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
        for run in field.runs(rows) {
            let weight = field.weights[run[0] as usize];
            let mut held: Vec<u32> =
                run.iter().flat_map(|row| field.marks.get(*row)).map(|(mark, _)| *mark).collect();
            held.sort_unstable();
            for same in held.chunk_by(|one, other| one == other) {
                self.sums[same[0] as usize] -= weight * (same.len() as u64 - 1);
            }
        }
    }

    /// Puts right what was counted of an owner's rows, as [`Once`] says; `counts` as for [`count`](Self::count).
    pub(super) fn count_once(
        &mut self,
        field: &Field,
        run: &[u32],
        once: Once,
        counts: &dyn Fn(u32) -> bool,
    ) {
        let weight = field.weights[run[0] as usize];
        let mut held: Vec<(u32, u32)> = Vec::new();
        for row in run {
            for (mark, _) in field.marks.get(*row) {
                let nodes = field.rows.get(*row).iter().filter(|node| counts(**node));
                held.extend(nodes.map(|node| (*mark, *node)));
            }
        }
        held.sort_unstable();
        for same in held.chunk_by(|one, other| one == other) {
            let (mark, node) = same[0];
            let all = run.iter().filter(|row| field.marks.get(**row).iter().any(|(other, _)| *other == mark));
            let place = &mut self.counts[node as usize * self.marks + mark as usize];
            *place = *place - weight * same.len() as u64 + weight * once.count(same.len(), all.count());
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
