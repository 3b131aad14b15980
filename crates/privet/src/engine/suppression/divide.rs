//! Answers from the halves of a group.
//!
//! What a group reveals is the mean of what its records reveal. Both notions hold for a mean of two groups where they hold
//! for each of them, so what two halves need by themselves is enough for the whole. In a large group the first dive takes
//! what gains most at the moment, and the tree is far too large to mend that in time; halves of halves are small, and
//! their answers together are often the better start.

use std::time::Instant;

use super::search::{Budget, Found, Order, Search};
use super::{Member, Problem};
use crate::engine::clock::Clock;

/// What a half may try after its first dive.
const TRIES: u64 = 2_000;

/// The removals that a group's halves need by themselves, if those are found until a moment.
pub fn divided(problem: &Problem<'_>, until: Option<Instant>, clock: &Clock) -> Option<Found> {
    let found = Division { problem, until, clock }.halves(&problem.members)?;
    let mut search = Search::new(problem, Order::Adaptive);
    search.start_from(found);
    search.answer().found
}

struct Division<'a> {
    problem: &'a Problem<'a>,
    until: Option<Instant>,
    clock: &'a Clock,
}

impl Division<'_> {
    /// What both halves need; `None` where there are no two, or time is up.
    fn halves(&self, members: &[Member]) -> Option<Found> {
        let late = self.until.is_some_and(|until| Instant::now() >= until);
        if members.len() < 2 || late || self.clock.check().is_err() {
            return None;
        }
        let middle = members.len() / 2;
        let (first, second) = (self.whole(&members[..middle])?, self.whole(&members[middle..])?);
        let moved = second.removed.iter().map(|(record, place)| (record + middle as u32, *place));
        Some(Found {
            cost: first.cost + second.cost,
            removed: first.removed.iter().copied().chain(moved).collect(),
        })
    }

    /// The better of a dive through these records and what their halves need.
    fn whole(&self, members: &[Member]) -> Option<Found> {
        let Problem { links, goal, prices, .. } = *self.problem;
        let problem = Problem { links, goal, prices, members: members.to_vec() };
        let mut search = Search::new(&problem, Order::Adaptive);
        search.run(Budget { tries: TRIES, until: self.until, haste: self.until, clock: self.clock });
        let answer = search.answer();
        if answer.complete {
            return answer.found;
        }
        let cheaper = |one: Found, other: Found| if other.cost < one.cost { other } else { one };
        match (answer.found, self.halves(members)) {
            (Some(one), Some(other)) => Some(cheaper(one, other)),
            (one, other) => one.or(other),
        }
    }
}
