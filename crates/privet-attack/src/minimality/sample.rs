//! Worlds in which a method had to reject a split: drawn at random, and what they have in common.
//!
//! A world assigns the values of a class to its people at random. If the method would have accepted the split in that
//! world, it would not have published this class, so the world is not the real one. What holds in most of the others
//! is probably true. All that matters about a person is which part of each split they are in: people in the same
//! parts are *alike*, and share one estimate.

use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;

use privet_core::Result;
use privet_core::clock::Clock;
use privet_core::random::{below, keyed, shuffle};

/// How much is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SamplingEffort {
    /// This many worlds that remain are enough.
    pub enough: u64,
    /// Where fewer of this many worlds remain, nothing is estimated.
    pub most: u64,
    /// How many values may be assigned in all, for all reasons together.
    pub steps: u64,
}

impl Default for SamplingEffort {
    fn default() -> SamplingEffort {
        SamplingEffort { enough: 10_000, most: 1_000_000, steps: 300_000_000 }
    }
}

/// If this part of the worlds that would be enough are drawn and all remain, the rejected split teaches nothing.
const FIRST: u64 = 10;

/// How many reasons are tried between two checks of the clock and of the remaining effort.
const BATCH: usize = 32;

/// A gain counts if it exceeds this many standard errors.
const ERRORS: f64 = 4.0;

/// A published class: its values, and the splits that the method is known to have rejected.
#[derive(Debug, Clone, Default)]
pub(crate) struct PublishedClass {
    /// The values of its people, in any order.
    pub values: Vec<u32>,
    /// Per split the part of each of its people, numbered from 0.
    pub splits: Vec<Vec<u32>>,
}

/// Why something was published as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// One class was not split further: each of its splits failed.
    All(usize),
    /// A split that concerns several classes failed in one of them at least: a class and the number of its split.
    Any(Vec<(usize, usize)>),
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct MinimalityEstimates {
    /// People with an estimate.
    pub people: u64,
    /// Those with a value that is likelier than allowed, although its share in their class is not.
    pub hits: u64,
    /// Those with a value that becomes likelier than its share in their class, by more than chance.
    pub gained: u64,
    /// People all of whose reasons leave too few worlds.
    pub not_estimable: u64,
    /// People whose reasons there was no time for.
    pub untried: u64,
    /// The likeliest value that is likelier than allowed: class, probability and share.
    pub surest: Option<(usize, f64, f64)>,
}

/// Draws worlds for every reason, in an order that the seed gives, until all are tried or enough values were dealt.
///
/// `violates` says whether people with these values, by value, may not be a class; `limits` how likely each value may be.
pub(crate) fn sample(
    lots: &[PublishedClass],
    reasons: &[Rejection],
    violates: &(dyn Fn(&[u64], u64) -> bool + Sync),
    limits: &[f64],
    seed: u64,
    effort: SamplingEffort,
    clock: &Clock,
) -> Result<MinimalityEstimates> {
    let mut steps = effort.steps;
    // A batch cannot spend more than there is.
    let share = (effort.steps / BATCH as u64).max(1);
    let mut starts = vec![0usize];
    lots.iter().for_each(|lot| starts.push(starts[starts.len() - 1] + lot.values.len()));
    let people = starts[lots.len()];
    let mut order: Vec<usize> = (0..reasons.len()).collect();
    shuffle(&mut order, &mut keyed(seed, "privet: the order of reasons"));
    let mut known = vec![Estimate::None; people];
    let mut surest: Option<(usize, f64, f64)> = None;
    for batch in order.chunks(BATCH) {
        clock.check()?;
        let drawn: Vec<(u64, DrawnWorlds)> = batch
            .par_iter()
            .map(|at| {
                let random = keyed(seed, &format!("privet: worlds of reason {at}"));
                Worlds::of(lots, &reasons[*at]).draw(
                    violates,
                    limits.len(),
                    random,
                    SamplingEffort { steps: share, ..effort },
                )
            })
            .collect();
        for (spent, drawn) in drawn {
            steps = steps.saturating_sub(spent);
            match drawn {
                DrawnWorlds::WorldCounts(told) => {
                    for (lot, member, estimate) in told.judge(lots, limits, &mut surest) {
                        let place = starts[lot] + member as usize;
                        known[place] = known[place].max(estimate);
                    }
                }
                DrawnWorlds::TooFew(members) | DrawnWorlds::NoTime(members) if members.is_empty() => {}
                DrawnWorlds::TooFew(members) => members.into_iter().for_each(|(lot, member)| {
                    let place = starts[lot] + member as usize;
                    known[place] = known[place].max(Estimate::TooFew);
                }),
                DrawnWorlds::NoTime(_) => {}
            }
        }
        if steps == 0 {
            break;
        }
    }
    let mut concerned = vec![false; people];
    for reason in reasons {
        for lot in reason.lots() {
            concerned[starts[lot]..starts[lot + 1]].fill(true);
        }
    }
    let mut found = MinimalityEstimates { surest, ..MinimalityEstimates::default() };
    for (estimate, _) in known.iter().zip(&concerned).filter(|(_, concerned)| **concerned) {
        match estimate {
            Estimate::None => found.untried += 1,
            Estimate::TooFew => found.not_estimable += 1,
            Estimate::Nothing | Estimate::Gain | Estimate::Hit => found.people += 1,
        }
        found.gained += u64::from(matches!(estimate, Estimate::Gain | Estimate::Hit));
        found.hits += u64::from(*estimate == Estimate::Hit);
    }
    Ok(found)
}

/// What is known about a person, the more telling the larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Estimate {
    None,
    TooFew,
    Nothing,
    Gain,
    Hit,
}

impl Rejection {
    /// The classes that it is about.
    fn lots(&self) -> Vec<usize> {
        match self {
            Rejection::All(lot) => vec![*lot],
            Rejection::Any(pairs) => pairs.iter().map(|(lot, _)| *lot).collect(),
        }
    }
}

/// One class in worlds: people who are alike, and the parts that these make up.
struct Lottery {
    lot: usize,
    values: Vec<u32>,
    /// Per kind of people who are alike, its members.
    kinds: Vec<Vec<u32>>,
    /// Per split its parts, each as the kinds it is made of.
    splits: Vec<Vec<Vec<usize>>>,
}

impl Lottery {
    fn of(lots: &[PublishedClass], lot: usize, splits: &[usize]) -> Lottery {
        let own = &lots[lot];
        let mut numbers: std::collections::BTreeMap<Vec<u32>, usize> = std::collections::BTreeMap::new();
        let mut kinds: Vec<Vec<u32>> = Vec::new();
        for member in 0..own.values.len() {
            let parts: Vec<u32> = splits.iter().map(|split| own.splits[*split][member]).collect();
            let next = numbers.len();
            let kind = *numbers.entry(parts).or_insert(next);
            if kind == kinds.len() {
                kinds.push(Vec::new());
            }
            kinds[kind].push(member as u32);
        }
        let parts_of = |place: usize| {
            let mut parts: Vec<Vec<usize>> = Vec::new();
            for (key, kind) in &numbers {
                let part = key[place] as usize;
                if parts.len() <= part {
                    parts.resize(part + 1, Vec::new());
                }
                parts[part].push(*kind);
            }
            parts.retain(|kinds| !kinds.is_empty());
            parts
        };
        let splits = (0..splits.len()).map(parts_of).collect();
        Lottery { lot, values: own.values.clone(), kinds, splits }
    }
}

/// The worlds of a reason.
struct Worlds {
    lotteries: Vec<Lottery>,
    /// Whether every split must fail, or one of them.
    all: bool,
}

/// What came of drawing.
enum DrawnWorlds {
    WorldCounts(WorldCounts),
    /// Too few worlds remained; the people concerned.
    TooFew(Vec<(usize, u32)>),
    /// There was no time.
    NoTime(Vec<(usize, u32)>),
}

/// How often each kind of people has each value, over the worlds that remained.
struct WorldCounts {
    worlds: Worlds,
    kept: u64,
    /// Whether some worlds did not remain.
    teaches: bool,
    /// Per class, kind and value.
    sums: Vec<Vec<Vec<u64>>>,
}

impl Worlds {
    fn of(lots: &[PublishedClass], reason: &Rejection) -> Worlds {
        match reason {
            Rejection::All(lot) => {
                let splits: Vec<usize> = (0..lots[*lot].splits.len()).collect();
                Worlds { lotteries: vec![Lottery::of(lots, *lot, &splits)], all: true }
            }
            Rejection::Any(pairs) => {
                let lotteries = pairs.iter().map(|(lot, split)| Lottery::of(lots, *lot, &[*split])).collect();
                Worlds { lotteries, all: false }
            }
        }
    }

    fn members(&self) -> Vec<(usize, u32)> {
        let of = |lottery: &Lottery| {
            let lot = lottery.lot;
            lottery.kinds.iter().flatten().map(move |member| (lot, *member)).collect::<Vec<_>>()
        };
        self.lotteries.iter().flat_map(of).collect()
    }

    /// Draws worlds, and says how many values were dealt for them.
    fn draw(
        mut self,
        violates: &(dyn Fn(&[u64], u64) -> bool + Sync),
        values: usize,
        mut random: ChaCha20Rng,
        effort: SamplingEffort,
    ) -> (u64, DrawnWorlds) {
        let first = effort.enough / FIRST;
        let cost: u64 = self.lotteries.iter().map(|lottery| lottery.values.len() as u64).sum::<u64>().max(1);
        let mut sums: Vec<Vec<Vec<u64>>> =
            self.lotteries.iter().map(|lottery| vec![vec![0; values]; lottery.kinds.len()]).collect();
        let mut world = sums.clone();
        let mut part = vec![0u64; values];
        let (mut drawn, mut kept) = (0u64, 0u64);
        while drawn < effort.most && kept < effort.enough {
            if drawn == first && kept == first {
                break;
            }
            if drawn.saturating_mul(cost) >= effort.steps {
                return (drawn * cost, DrawnWorlds::NoTime(self.members()));
            }
            drawn += 1;
            let (mut every, mut any) = (true, false);
            for (lottery, world) in self.lotteries.iter_mut().zip(&mut world) {
                deal(lottery, world, &mut random);
                for split in &lottery.splits {
                    let fails = split.iter().any(|kinds| {
                        part.fill(0);
                        let mut size = 0;
                        for kind in kinds {
                            size += lottery.kinds[*kind].len() as u64;
                            part.iter_mut().zip(&world[*kind]).for_each(|(sum, count)| *sum += count);
                        }
                        violates(&part, size)
                    });
                    every &= fails;
                    any |= fails;
                }
            }
            if if self.all { every } else { any } {
                kept += 1;
                for (sums, world) in sums.iter_mut().flatten().flatten().zip(world.iter().flatten().flatten())
                {
                    *sums += world;
                }
            }
        }
        let spent = drawn * cost;
        let teaches = kept < drawn;
        if kept < effort.enough && teaches {
            return (spent, DrawnWorlds::TooFew(self.members()));
        }
        (spent, DrawnWorlds::WorldCounts(WorldCounts { worlds: self, kept, teaches, sums }))
    }
}

/// Deals the values of a class out anew, and counts them by kind of people.
fn deal(lottery: &mut Lottery, world: &mut [Vec<u64>], random: &mut ChaCha20Rng) {
    world.iter_mut().for_each(|counts| counts.fill(0));
    let values = &mut lottery.values;
    let mut at = 0;
    for (kind, counts) in lottery.kinds.iter().zip(world) {
        for _ in kind {
            let other = at + below(random, (values.len() - at) as u64) as usize;
            values.swap(at, other);
            counts[values[at] as usize] += 1;
            at += 1;
        }
    }
}

impl WorldCounts {
    /// What is known about each person of the classes.
    fn judge(
        &self,
        lots: &[PublishedClass],
        limits: &[f64],
        surest: &mut Option<(usize, f64, f64)>,
    ) -> Vec<(usize, u32, Estimate)> {
        let mut told = Vec::new();
        for (lottery, sums) in self.worlds.lotteries.iter().zip(&self.sums) {
            let own = &lots[lottery.lot].values;
            let mut shares = vec![0.0; limits.len()];
            own.iter().for_each(|value| shares[*value as usize] += 1.0 / own.len() as f64);
            for (kind, sums) in lottery.kinds.iter().zip(sums) {
                let mut estimate = Estimate::Nothing;
                for (value, sum) in sums.iter().enumerate().filter(|_| self.teaches) {
                    let likely = *sum as f64 / (self.kept as f64 * kind.len() as f64);
                    let error = ERRORS * (likely * (1.0 - likely) / self.kept as f64).sqrt();
                    if likely - error > shares[value] {
                        estimate = estimate.max(Estimate::Gain);
                        if likely - error > limits[value] && shares[value] <= limits[value] + 1e-12 {
                            estimate = Estimate::Hit;
                            if surest.is_none_or(|(_, best, _)| likely > best) {
                                *surest = Some((lottery.lot, likely, shares[value]));
                            }
                        }
                    }
                }
                told.extend(kind.iter().map(|member| (lottery.lot, *member, estimate)));
            }
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No value in more than half of a class.
    fn half(counts: &[u64], size: u64) -> bool {
        counts.iter().any(|count| 2 * count > size)
    }

    const LITTLE: SamplingEffort = SamplingEffort { enough: 1000, most: 20_000, steps: 32_000_000 };

    fn run(lots: &[PublishedClass], reasons: &[Rejection], limits: &[f64]) -> MinimalityEstimates {
        sample(lots, reasons, &half, limits, 7, LITTLE, &Clock::unlimited()).expect("worlds")
    }

    #[test]
    fn a_class_that_was_not_split_tells_where_the_value_is() {
        // Two of six have value 0; the method was free to part the first two from the others. It did not, so it is likely that
        // both of the first have 0: of all worlds that fail, more have it.
        let lot = PublishedClass { values: vec![0, 0, 1, 2, 1, 2], splits: vec![vec![0, 0, 1, 1, 1, 1]] };
        let found = run(std::slice::from_ref(&lot), &[Rejection::All(0)], &[0.5; 3]);
        // Worlds that fail: two equal values among the first two, or three of four among the others, which is never.
        assert_eq!((found.people, found.not_estimable, found.untried), (6, 0, 0));
        assert_eq!(found.hits, 0, "a third each: {found:?}");
        // If 0 alone is guarded, the first two are known to have it.
        let guarded = |counts: &[u64], size: u64| 2 * counts[0] > size;
        let found =
            sample(&[lot], &[Rejection::All(0)], &guarded, &[0.5, 1.0, 1.0], 7, LITTLE, &Clock::unlimited());
        let found = found.expect("worlds");
        assert_eq!((found.hits, found.gained), (2, 6), "{found:?}");
        assert_eq!(found.surest, Some((0, 1.0, 1.0 / 3.0)));
    }

    #[test]
    fn a_split_that_fails_in_every_world_teaches_nothing() {
        // Parts of one are never allowed, no matter who has what.
        let lot = PublishedClass { values: vec![0, 1, 0, 1], splits: vec![vec![0, 1, 1, 1]] };
        let found = run(&[lot], &[Rejection::All(0)], &[0.5; 2]);
        assert_eq!((found.people, found.gained, found.hits), (4, 0, 0));
    }

    #[test]
    fn worlds_that_hardly_remain_are_not_estimated() {
        // All twenty of a value would have to be in one half: far less than one in twenty.
        let values: Vec<u32> = (0..40).map(|at| u32::from(at >= 20)).collect();
        let lot = PublishedClass { values, splits: vec![(0..40).map(|at| u32::from(at >= 20)).collect()] };
        let all = |counts: &[u64], size: u64| counts.contains(&size);
        let found = sample(&[lot], &[Rejection::All(0)], &all, &[0.5; 2], 7, LITTLE, &Clock::unlimited())
            .expect("worlds");
        assert_eq!((found.people, found.not_estimable + found.untried), (0, 40), "{found:?}");
    }

    #[test]
    fn one_of_several_classes_is_to_blame() {
        // The same split in two classes; in the second it can never fail, so the first is to blame.
        let first = PublishedClass { values: vec![0, 0, 1, 2], splits: vec![vec![0, 0, 1, 1]] };
        let second = PublishedClass { values: vec![1, 2, 1, 2], splits: vec![vec![0, 1, 0, 1]] };
        let guarded = |counts: &[u64], size: u64| 2 * counts[0] > size;
        let any = [Rejection::Any(vec![(0, 0), (1, 0)])];
        let lots = [first, second];
        let found =
            sample(&lots, &any, &guarded, &[0.5, 1.0, 1.0], 7, LITTLE, &Clock::unlimited()).expect("worlds");
        // The two zeros sit together, in either part.
        assert_eq!((found.people, found.hits), (8, 0), "{found:?}");
        assert_eq!(
            found,
            sample(&lots, &any, &guarded, &[0.5, 1.0, 1.0], 7, LITTLE, &Clock::unlimited()).expect("worlds")
        );
    }

    #[test]
    fn what_there_is_no_time_for_is_said() {
        let lot = PublishedClass { values: vec![0, 0, 1, 2], splits: vec![vec![0, 0, 1, 1]] };
        let found = sample(
            &[lot],
            &[Rejection::All(0)],
            &half,
            &[0.5; 3],
            7,
            SamplingEffort { steps: 100, ..LITTLE },
            &Clock::unlimited(),
        )
        .expect("worlds");
        assert_eq!((found.people, found.untried), (0, 4));
    }
}
