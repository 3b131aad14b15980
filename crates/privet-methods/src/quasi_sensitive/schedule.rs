//! How the time limit is distributed over the groups.
//!
//! One limit covers the whole search. First every group gets a quick first answer, or a dive with a share of the time
//! according to its size; groups that finish early leave their time to the others. A group whose time is up, or that is
//! reached after the limit, takes the simplest removals that help. The remaining time is divided equally among the groups
//! that are not proven optimal yet, over all cores. Part of it goes into better starts: solutions from the parts of each
//! group, which Mondrian goes on splitting down to records with equal quasi-identifiers. So a group costs no more than
//! the groups that a smaller k would split it into.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::super::mondrian::{MondrianSplitter, RecordPart};
use super::SetRequirements;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::microdata::Microdata;
use privet_engine::partition::Splitter;
use privet_engine::suppression::{
    Answer, Budget, Nested, Order, Problem, TermRemovalSearch, from_parts, stripped,
};

/// How many steps a group may take right after its first dive: most groups are small and need no more.
const TRIES_AT_ONCE: u64 = 20_000;

/// Searches that are kept at the same time use about this many bytes.
const MOST_MEMORY: usize = 256 << 20;

/// One part in this many of the remaining time goes into solutions from parts.
const PARTS: u32 = 2;

/// First answers of the groups that wait are expected to take this many times as long as those so far.
const CAUTION: f64 = 1.5;

/// Examining a group and stripping it takes at most this many times as long as examining it.
const STRIP_AND_LOOK: f64 = 3.0;

/// Every group has at least this much time for its dive while the limit is not reached: far more than small groups
/// need, so that a busy machine does not change their results.
const LEAST_DIVE: Duration = Duration::from_secs(1);

/// Shares of time below this are not worth a round.
const LEAST_ROUND: Duration = Duration::from_millis(2);

pub(super) struct GroupSolver<'a> {
    pub asked: &'a SetRequirements,
    pub microdata: &'a Microdata,
    pub order: Order,
    /// Splits groups into parts, whatever the requirements.
    pub parts: MondrianSplitter<'a>,
    /// The deadline.
    pub end: Option<Instant>,
    pub clock: &'a Clock,
}

impl GroupSolver<'_> {
    fn problem(&self, part: &RecordPart) -> Problem<'_> {
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

    /// Whether merging groups can help where removing terms does not: never for diversity, which fails in every group
    /// or in none.
    pub fn can_be_saved_by_merging(&self) -> bool {
        let labels = self.asked.links.labels();
        self.asked.goal.diversity.as_ref().is_none_or(|demand| demand.is_possible(labels))
    }

    /// The first solutions, in the order of the groups.
    pub fn dive(&self, parts: &[&RecordPart]) -> Result<Vec<Answer>> {
        let waiting = AtomicUsize::new(parts.len());
        let sizes = |part: &RecordPart| part.iter().map(|(_, count)| count).sum::<u64>();
        let records = AtomicU64::new(parts.iter().map(|part| sizes(part)).sum());
        // The records that have their first answer, and how long these took, in nanoseconds.
        let (answered, spent) = (AtomicU64::new(0), AtomicU64::new(0));
        let done = AtomicU64::new(0);
        self.clock.progress().stage("suppressing", Some(parts.len() as u64));
        let answer = |part: &&RecordPart| {
            self.clock.check()?;
            let groups = waiting.fetch_sub(1, Ordering::Relaxed).max(1);
            let size = sizes(part);
            let waiting = records.fetch_sub(size, Ordering::Relaxed).max(1);
            let now = Instant::now();
            let left = self.end.map(|end| end.saturating_duration_since(now));
            let dive = left.map(|left| {
                let own = left.mul_f64((2.0 * self.cores(groups) * size as f64 / waiting as f64).min(1.0));
                now + own.max(LEAST_DIVE).min(left)
            });
            let problem = self.problem(part);
            let mut search = TermRemovalSearch::new(&problem, self.order);
            // Groups without time left are stripped, which takes about as long as examining them.
            let looked = now.elapsed().mul_f64(STRIP_AND_LOOK);
            let others = looked.mul_f64((groups - 1) as f64 / self.cores(groups));
            let last = self.end.and_then(|end| end.checked_sub(looked + others));
            let dive = dive.map(|dive| last.map_or(dive, |last| dive.min(last)));
            if self.order == Order::Adaptive {
                search.start(dive, self.clock);
            }
            // What a group tries after its first answer must not use up the time for those of waiting groups: it gets its
            // share of half of the time that they leave.
            let spent = now.elapsed().as_nanos() as u64
                + spent.fetch_add(now.elapsed().as_nanos() as u64, Ordering::Relaxed);
            let answered = size + answered.fetch_add(size, Ordering::Relaxed);
            let waiting = (waiting - size.min(waiting)) as f64 / answered.max(1) as f64;
            let needed = Duration::from_nanos(spent).mul_f64(CAUTION * waiting / self.cores(groups));
            let left =
                self.end.map(|end| end.saturating_duration_since(Instant::now()).saturating_sub(needed));
            let share = left.map(|left| (left / 2).mul_f64(self.cores(groups) / groups as f64));
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

    /// Uses the remaining time to improve solutions that are not proven. With `unanswered`, only for groups without a
    /// solution, and only half of the time.
    pub fn search_on(&self, parts: &[&RecordPart], answers: &mut [Answer], unanswered: bool) -> Result<()> {
        let mut open: Vec<(&RecordPart, &mut Answer)> = (parts.iter().copied().zip(answers))
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

    /// How Mondrian goes on splitting a group, down to records with equal quasi-identifiers.
    fn nested(&self, part: &RecordPart) -> Nested {
        let mut first = Vec::with_capacity(part.len());
        let mut members = 0;
        for (record, count) in part {
            first.push((*record, members));
            members += *count as u32;
        }
        self.nested_in(part.clone(), &first)
    }

    /// The same for a part of the group; `first` has the group's distinct records, each with its first member.
    fn nested_in(&self, part: RecordPart, first: &[(u32, u32)]) -> Nested {
        let members = part.iter().flat_map(|(record, count)| {
            let at = first.partition_point(|(other, _)| other < record);
            let start = first.get(at).map_or(0, |(_, member)| *member);
            start..start + *count as u32
        });
        let members = members.collect();
        let parts = self.parts.split(part).unwrap_or_default();
        Nested { members, parts: parts.into_iter().map(|part| self.nested_in(part, first)).collect() }
    }

    /// Computes better starts from the parts of groups.
    fn divide(&self, open: &mut [(&RecordPart, &mut Answer)], end: Option<Instant>) -> Result<()> {
        let now = Instant::now();
        let left = end.map(|end| end.saturating_duration_since(now) / PARTS);
        let end = left.map(|left| now + left);
        let share = left.map(|left| left.mul_f64(self.cores(open.len()) / open.len().max(1) as f64));
        if share.is_some_and(|share| share < LEAST_ROUND) {
            return Ok(());
        }
        open.par_iter_mut().for_each(|(part, answer)| {
            let now = Instant::now();
            if end.is_some_and(|end| now >= end) {
                return;
            }
            let until = share.zip(end).map(|(share, end)| (now + share).min(end));
            let found = from_parts(&self.problem(part), &self.nested(part), until, self.clock);
            let Some(found) = found else { return };
            if answer.found.as_ref().is_none_or(|known| found.cost < known.cost) {
                (answer.found, answer.dived) = (Some(found), true);
            }
        });
        self.clock.check()
    }

    /// Searches a few groups concurrently until a deadline; those that finish leave their time to the others.
    fn rounds(&self, open: &mut [(&RecordPart, &mut Answer)], end: Option<Instant>) -> Result<()> {
        let problems: Vec<Problem<'_>> = open.iter().map(|(part, _)| self.problem(part)).collect();
        let mut searches: Vec<TermRemovalSearch<'_>> =
            problems.iter().map(|problem| TermRemovalSearch::new(problem, self.order)).collect();
        for (search, (_, answer)) in searches.iter_mut().zip(open.iter()) {
            answer.found.clone().into_iter().for_each(|found| search.start_from(found));
        }
        loop {
            let mut active: Vec<&mut TermRemovalSearch<'_>> =
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

    /// The number of groups that can be searched at the same time.
    fn cores(&self, groups: usize) -> f64 {
        rayon::current_num_threads().min(groups) as f64
    }

    /// A budget of this many tries, and this much time from now on.
    fn budget(&self, tries: u64, share: Option<Duration>) -> Budget<'_> {
        let until = share.map(|share| Instant::now() + share);
        Budget { tries, until, dive: until, clock: self.clock }
    }

    /// The approximate memory use of a search of the group, in bytes.
    fn memory(&self, part: &RecordPart) -> usize {
        let links = &self.asked.links;
        let members: u64 = part.iter().map(|(_, count)| count).sum();
        let occurrences = members as usize * self.asked.sets.longest() as usize;
        let nodes = occurrences.min(4096) * occurrences.min(4096) * 12 / 2;
        members as usize * (links.words() * 16 + 128) + links.labels() * 12 + nodes
    }
}

/// Splits a list into chunks of about [`MOST_MEMORY`] each.
fn chunks<'l, 'p>(
    mut open: &'l mut [(&'p RecordPart, &'p mut Answer)],
    memory: impl Fn(&RecordPart) -> usize,
) -> Vec<&'l mut [(&'p RecordPart, &'p mut Answer)]> {
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
