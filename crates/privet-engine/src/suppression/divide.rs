//! Answers from the parts of a group.
//!
//! What a group reveals is the mean of what its records reveal. Both notions hold for a mean of two groups where they hold
//! for each of them, so what the parts need by themselves is enough for the whole: d² is convex, and so are the likeliest
//! label's share and the share of the l − 1 likeliest. What each record needs is soon known for sure; from there on parts are
//! joined, and what they no longer need together is looked for. So a group never costs more than its parts do.

use std::time::Instant;

use super::Problem;
use super::search::{Budget, Order, Removals, TermRemovalSearch};
use privet_core::clock::Clock;

/// What a part may try after its first answers.
const TRIES: u64 = 1_000;

/// A group, and how it falls into parts.
#[derive(Debug, Clone)]
pub struct Nested {
    /// The group's records, rising.
    pub members: Vec<u32>,
    /// Parts that cover it; none where it falls into records only.
    pub parts: Vec<Nested>,
}

/// The removals that a group needs, found by way of its parts until a moment. Parts that cannot be saved by themselves are
/// looked at together with others; `None` where that does not help, or not in time.
pub fn from_parts(
    problem: &Problem<'_>,
    group: &Nested,
    until: Option<Instant>,
    clock: &Clock,
) -> Option<Removals> {
    Division { problem, until, clock }.answer(group)
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

    fn answer(&self, group: &Nested) -> Option<Removals> {
        let halves;
        let parts = match &group.parts[..] {
            [] if group.members.len() > 1 => {
                let (one, two) = group.members.split_at(group.members.len() / 2);
                halves = [one, two].map(|half| Nested { members: half.to_vec(), parts: Vec::new() });
                &halves[..]
            }
            parts => parts,
        };
        // Every part is looked at, for the whole may need what only some of them have.
        let answers: Vec<Option<Removals>> = parts.iter().map(|part| self.answer(part)).collect();
        let together = if answers.is_empty() { None } else { answers.into_iter().collect() };
        let together = together.map(|answers: Vec<Removals>| {
            let mut removed: Vec<(u32, u32)> =
                answers.iter().flat_map(|answer| answer.removed.iter().copied()).collect();
            removed.sort_unstable();
            Removals { cost: answers.iter().map(|answer| answer.cost).sum(), removed }
        });
        if self.is_late() { together } else { self.improved(&group.members, together) }
    }

    /// The best of what is known, of first answers and of a short search through some of the records.
    fn improved(&self, records: &[u32], known: Option<Removals>) -> Option<Removals> {
        let Problem { links, goal, prices, ref members } = *self.problem;
        let members = records.iter().map(|record| members[*record as usize].clone()).collect();
        let problem = Problem { links, goal, prices, members };
        let mut search = TermRemovalSearch::new(&problem, Order::Adaptive);
        search.start(self.until, self.clock);
        if let Some(Removals { cost, removed }) = known {
            let here = |record: u32| records.partition_point(|other| *other < record) as u32;
            let removed = removed.into_iter().map(|(record, place)| (here(record), place)).collect();
            search.start_from(Removals { cost, removed });
        }
        search.run(Budget { tries: TRIES, until: self.until, dive: self.until, clock: self.clock });
        let Removals { cost, removed } = search.answer().found?;
        let there = |(record, place): (u32, u32)| (records[record as usize], place);
        Some(Removals { cost, removed: removed.into_iter().map(there).collect() })
    }
}
