//! Answers from the halves of a group.
//!
//! What a group reveals is the mean of what its records reveal. Both notions hold for a mean of two groups where they hold
//! for each of them, so what two halves need by themselves is enough for the whole. In a large group the first dive takes
//! what gains most at the moment, and the tree is far too large to correct that in time. What each record needs is soon known
//! for sure; from there on records are joined two by two, and what the two no longer need is looked for.

use std::ops::Range;
use std::time::Instant;

use super::Problem;
use super::search::{Budget, Order, Removals, TermRemovalSearch};
use privet_core::clock::Clock;

/// What a record by itself, and a half, may try after the first dive.
const TRIES: u64 = 1_000;

/// The removals that a group's halves need by themselves, as far as these are found until a moment. Records that cannot be
/// saved by themselves are looked at together with others; `None` where one of the halves cannot be saved, or not in time.
pub fn divided(problem: &Problem<'_>, until: Option<Instant>, clock: &Clock) -> Option<Removals> {
    let division = Division { problem, until, clock };
    let alone = (0..problem.members.len()).map(|record| division.improved(record..record + 1, None));
    let alone: Vec<Option<Removals>> = alone.collect();
    let found = division.joined(&alone, 0..alone.len())?;
    let mut search = TermRemovalSearch::new(problem, Order::Adaptive);
    search.start_from(found);
    search.answer().found
}

struct Division<'a> {
    problem: &'a Problem<'a>,
    until: Option<Instant>,
    clock: &'a Clock,
}

impl Division<'_> {
    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until) || self.clock.check().is_err()
    }

    /// What some of the records need together, from what each of them needs by itself. The whole group is left to others.
    fn joined(&self, alone: &[Option<Removals>], records: Range<usize>) -> Option<Removals> {
        if records.len() < 2 {
            return alone.get(records.start).cloned().flatten();
        }
        let middle = records.len() / 2;
        let first = self.joined(alone, records.start..records.start + middle);
        let second = self.joined(alone, records.start + middle..records.end);
        let both = first.zip(second).map(|(first, second)| {
            let moved = second.removed.iter().map(|(record, place)| (record + middle as u32, *place));
            Removals {
                cost: first.cost + second.cost,
                removed: first.removed.iter().copied().chain(moved).collect(),
            }
        });
        if records.len() == alone.len() || self.is_late() {
            return both;
        }
        self.improved(records, both)
    }

    /// The best of a short search through some of the records, and of what is known.
    fn improved(&self, records: Range<usize>, known: Option<Removals>) -> Option<Removals> {
        if self.is_late() {
            return known;
        }
        let Problem { links, goal, prices, ref members } = *self.problem;
        let problem = Problem { links, goal, prices, members: members[records].to_vec() };
        let mut search = TermRemovalSearch::new(&problem, Order::Adaptive);
        known.into_iter().for_each(|found| search.start_from(found));
        search.run(Budget { tries: TRIES, until: self.until, dive: self.until, clock: self.clock });
        search.answer().found
    }
}
