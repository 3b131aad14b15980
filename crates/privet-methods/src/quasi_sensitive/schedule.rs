//! How the time limit is spread over the groups.
//!
//! The limit is one for all that is searched. First every group gets a dive, for which it has a share of the time by its size; what
//! those do not need that are done early goes to the others. A group whose time is up, or that is reached after the limit, takes
//! the simplest removals that help. What is left is divided equally among the groups that are not proven yet, over all cores. A
//! part of it goes into better starts: answers from the halves of each group.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::super::mondrian::Part;
use super::Asked;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::microdata::Microdata;
use privet_engine::suppression::{Answer, Budget, Order, Problem, Search, divided, stripped};

/// What a group may try right after its first dive: most groups are small and done with that.
const TRIES_AT_ONCE: u64 = 20_000;

/// Searches that are held at the same time take about as many bytes as this.
const MOST_MEMORY: usize = 256 << 20;

/// The part of the time that is left which goes into answers from halves: one in so many.
const HALVES: u32 = 3;

/// Looking at a group and stripping it take at most so much longer than looking at it.
const STRIP_AND_LOOK: f64 = 3.0;

/// Every group has at least this for its dive, as long as the limit is not reached: far more than small groups need, so that a busy
/// machine does not change their answers.
const LEAST_DIVE: Duration = Duration::from_secs(1);

/// Shares of time below this are not worth a round.
const LEAST_ROUND: Duration = Duration::from_millis(2);

pub(super) struct Solver<'a> {
    pub asked: &'a Asked,
    pub microdata: &'a Microdata,
    pub order: Order,
    /// When the time limit is reached.
    pub end: Option<Instant>,
    pub clock: &'a Clock,
}

impl Solver<'_> {
    fn problem(&self, part: &Part) -> Problem<'_> {
        let members = part.iter().flat_map(|(record, count)| {
            let member = self.asked.sets.member(self.microdata, *record);
            (0..*count).map(move |_| member.clone())
        });
        Problem {
            links: &self.asked.links,
            goal: &self.asked.goal,
            prices: &self.asked.prices,
            members: members.collect(),
        }
    }

    /// Whether joining groups can help where removing terms does not: never for diversity, which fails in every group or
    /// in none.
    pub fn can_be_saved_by_merging(&self) -> bool {
        let labels = self.asked.links.labels();
        self.asked.goal.diversity.as_ref().is_none_or(|demand| demand.is_possible(labels))
    }

    /// The first answers, in the order of the groups.
    pub fn dive(&self, parts: &[&Part]) -> Result<Vec<Answer>> {
        let waiting = AtomicUsize::new(parts.len());
        let sizes = |part: &Part| part.iter().map(|(_, count)| count).sum::<u64>();
        let records = AtomicU64::new(parts.iter().map(|part| sizes(part)).sum());
        let done = AtomicU64::new(0);
        self.clock.progress().stage("suppressing", Some(parts.len() as u64));
        let answer = |part: &&Part| {
            self.clock.check()?;
            // What a group tries after its dive must not come out of the dives of those that still wait, so it gets its part
            // of half of the time that is left by now.
            let groups = waiting.fetch_sub(1, Ordering::Relaxed).max(1);
            let size = sizes(part);
            let waiting = records.fetch_sub(size, Ordering::Relaxed).max(1);
            let now = Instant::now();
            let left = self.end.map(|end| end.saturating_duration_since(now));
            let share = left.map(|left| (left / 2).mul_f64(self.cores(groups) / groups as f64));
            let dive = left.map(|left| {
                let own = left.mul_f64((2.0 * self.cores(groups) * size as f64 / waiting as f64).min(1.0));
                now + own.max(LEAST_DIVE).min(left)
            });
            let problem = self.problem(part);
            let mut search = Search::new(&problem, self.order);
            // Groups that there is no time for are stripped, which takes time as well: about what looking at them does.
            let looked = now.elapsed().mul_f64(STRIP_AND_LOOK);
            let others = looked.mul_f64((groups - 1) as f64 / self.cores(groups));
            let last = self.end.and_then(|end| end.checked_sub(looked + others));
            let dive = dive.map(|dive| last.map_or(dive, |last| dive.min(last)));
            search.run(Budget { dive, ..self.budget(TRIES_AT_ONCE, share) });
            let mut answer = search.answer();
            if answer.found.is_none() && !answer.dived {
                answer.found = stripped(&problem);
            }
            self.clock.progress().at(done.fetch_add(1, Ordering::Relaxed) + 1);
            Ok(answer)
        };
        let answers = parts.par_iter().map(answer).collect::<Result<Vec<Answer>>>()?;
        self.clock.check()?;
        Ok(answers)
    }

    /// Uses the time that is left to improve answers that are not proven. `unanswered`: only where there is no answer at
    /// all, and only half of the time.
    pub fn search_on(&self, parts: &[&Part], answers: &mut [Answer], unanswered: bool) -> Result<()> {
        let mut open: Vec<(&Part, &mut Answer)> = (parts.iter().copied().zip(answers))
            .filter(|(_, answer)| !(answer.complete || unanswered && answer.found.is_some()))
            .collect();
        let now = Instant::now();
        let end =
            self.end.map(|end| if unanswered { now + end.saturating_duration_since(now) / 2 } else { end });
        if self.order == Order::Adaptive && !unanswered {
            self.divide(&mut open, end)?;
        }
        let mut left = open.len();
        for chunk in chunks(&mut open, |part| self.memory(part)) {
            let now = Instant::now();
            let share = end.map(|end| {
                now + end.saturating_duration_since(now).mul_f64(chunk.len() as f64 / left as f64)
            });
            left -= chunk.len();
            if share.is_none_or(|share| share > now + LEAST_ROUND) {
                self.rounds(chunk, share)?;
            }
        }
        Ok(())
    }

    /// Better starts, where the halves of a group make one.
    fn divide(&self, open: &mut [(&Part, &mut Answer)], end: Option<Instant>) -> Result<()> {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()) / HALVES);
        let share = left.map(|left| left.mul_f64(self.cores(open.len()) / open.len().max(1) as f64));
        if share.is_some_and(|share| share < LEAST_ROUND) {
            return Ok(());
        }
        open.par_iter_mut().for_each(|(part, answer)| {
            let until = share.map(|share| Instant::now() + share);
            let Some(found) = divided(&self.problem(part), until, self.clock) else { return };
            if answer.found.as_ref().is_none_or(|known| found.cost < known.cost) {
                (answer.found, answer.dived) = (Some(found), true);
            }
        });
        self.clock.check()
    }

    /// Searches a few groups side by side until a moment; those that are done leave their time to the others.
    fn rounds(&self, open: &mut [(&Part, &mut Answer)], end: Option<Instant>) -> Result<()> {
        let problems: Vec<Problem<'_>> = open.iter().map(|(part, _)| self.problem(part)).collect();
        let mut searches: Vec<Search<'_>> =
            problems.iter().map(|problem| Search::new(problem, self.order)).collect();
        for (search, (_, answer)) in searches.iter_mut().zip(open.iter()) {
            answer.found.clone().into_iter().for_each(|found| search.start_from(found));
        }
        loop {
            let mut active: Vec<&mut Search<'_>> =
                searches.iter_mut().filter(|search| !search.is_over()).collect();
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if active.is_empty() || left.is_some_and(|left| left < LEAST_ROUND) {
                break;
            }
            let share = left.map(|left| left.mul_f64(self.cores(active.len()) / active.len() as f64));
            active.par_iter_mut().for_each(|search| search.run(self.budget(u64::MAX, share)));
            self.clock.check()?;
        }
        for ((_, answer), search) in open.iter_mut().zip(&searches) {
            **answer = (*answer).clone().and(search.answer());
        }
        Ok(())
    }

    /// How many groups can be searched at the same time.
    fn cores(&self, groups: usize) -> f64 {
        rayon::current_num_threads().min(groups) as f64
    }

    /// So many tries, and so much time from now on.
    fn budget(&self, tries: u64, share: Option<Duration>) -> Budget<'_> {
        let until = share.map(|share| Instant::now() + share);
        Budget { tries, until, dive: until, clock: self.clock }
    }

    /// About how many bytes a search of the group takes.
    fn memory(&self, part: &Part) -> usize {
        let links = &self.asked.links;
        let members: u64 = part.iter().map(|(_, count)| count).sum();
        let occurrences = members as usize * self.asked.sets.longest() as usize;
        let nodes = occurrences.min(4096) * occurrences.min(4096) * 12 / 2;
        members as usize * (links.words() * 16 + 128) + links.labels() * 12 + nodes
    }
}

/// Parts a list into stretches of about [`MOST_MEMORY`] each.
fn chunks<'l, 'p>(
    mut open: &'l mut [(&'p Part, &'p mut Answer)],
    memory: impl Fn(&Part) -> usize,
) -> Vec<&'l mut [(&'p Part, &'p mut Answer)]> {
    let mut chunks = Vec::new();
    while !open.is_empty() {
        let mut sum = 0;
        let fitting = open.iter().take_while(|(part, _)| {
            sum += memory(part);
            sum <= MOST_MEMORY
        });
        let count = fitting.count().max(1);
        let (chunk, rest) = open.split_at_mut(count);
        chunks.push(chunk);
        open = rest;
    }
    chunks
}
