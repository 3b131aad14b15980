//! Fingerprints: how many items of a person's set single it out?
//!
//! The attacker knows one to six items of somebody's transaction: any of them, or the rarest, and one may be wrong.
//! They look up which released sets match. A hit is a single match that may have been made from the person's items.
//! In a table with pseudonyms a person's records take the place of items: see [`record_prints`].

use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;
use serde_json::json;

use super::finding::NO_GUESS;
use super::haystack::{ItemHaystack, ItemSets};
use super::{Attack, Figure, Finding, Scene, Threat, record_prints};
use privet_core::clock::Clock;
use privet_core::random::{below, keyed};
use privet_core::{Error, Result, described};
use privet_taxonomy::Node;

pub(super) const ATTACK: Attack = Attack {
    name: "fingerprint",
    threat: Threat::Fingerprints,
    costly: false,
    concerns: |scene| match scene.table_policy() {
        Some(_) => record_prints::concerns(scene),
        None => scene.transactions().map(|_| ()),
    },
    run,
};

fn run(scene: &Scene<'_>) -> Result<Finding> {
    if scene.table_policy().is_some() {
        return record_prints::run(scene, ATTACK.name);
    }
    let view = scene.transactions().map_err(Error::input)?;
    scene.limits.afford(view.haystack_bytes())?;
    let original = view.before();
    let scores = fingerprints(original.sets(), &view.after(), &original, true, Tries::of(scene))?;
    // As many items as the policy guards against, or three.
    let guarded = view.demands.iter().map(|demand| demand.m).max().unwrap_or(3);
    let most = usize::try_from(guarded).unwrap_or(MOST_KNOWN).clamp(1, MOST_KNOWN);
    let figures = figures(&scores, ("transactions", "items"), most);
    let beyond = figures.iter().max_by(|one, other| one.share().total_cmp(&other.share())).cloned();
    Ok(Finding {
        knows: "some items of a person's transaction".to_string(),
        does: "looks up which released transactions match, and takes it if there is exactly one".to_string(),
        assumes: format!(
            "{} transactions drawn at random, or all if there are fewer; a person with fewer items than the attacker \
             knows is not a target",
            Tries::of(scene).targets
        ),
        worst: beyond
            .map(|figure| format!("{} of {}", figure.hits, described(figure.targets, &figure.what)))
            .unwrap_or_default(),
        warning: match &figures[..] {
            [first, ..] if first.hits > 0 => format!(
                "{} of {}, although the policy should prevent it",
                first.hits,
                described(first.targets, &first.what)
            ),
            _ => String::new(),
        },
        lines: Vec::new(),
        more: [("fingerprints".to_string(), scores_json(&scores))].into_iter().collect(),
        figures,
        ..Finding::new(ATTACK.name, "Fingerprints of transactions")
    })
}

/// One figure per kind of knowledge; the one with `items` known at random and none wrong comes first.
pub(super) fn figures(scores: &[FingerprintScore], (of, known): (&str, &str), items: usize) -> Vec<Figure> {
    let figure = |score: &FingerprintScore| {
        let Knowing { items, rarest, wrong } = score.knowing;
        let which = if rarest { "the rarest" } else { "any" };
        let but = if wrong > 0 { ", one of them wrong" } else { "" };
        Figure {
            what: format!("{of} singled out by {items} of their {known}, {which}{but}"),
            targets: score.targets,
            hits: score.hits,
            baseline: score.baseline,
            instead: "looking them up in the original".to_string(),
            control: None,
            controlled: NO_GUESS.to_string(),
        }
    };
    let is_first = |score: &&FingerprintScore| score.knowing == Knowing { items, rarest: false, wrong: 0 };
    let first = scores.iter().filter(is_first);
    let tried = |score: &&FingerprintScore| score.targets > 0 && !is_first(score);
    first.chain(scores.iter().filter(tried)).map(figure).collect()
}

/// All scores, for scripts.
pub(super) fn scores_json(scores: &[FingerprintScore]) -> serde_json::Value {
    let one = |score: &FingerprintScore| {
        let Knowing { items, rarest, wrong } = score.knowing;
        json!({
            "items": items, "rarest_first": rarest, "wrong": wrong,
            "targets": score.targets, "hits": score.hits, "baseline": score.baseline,
        })
    };
    json!(scores.iter().map(one).collect::<Vec<_>>())
}

/// How many people are attacked, if there are more.
pub(crate) const TARGETS: u64 = 3000;

/// The same where the budget is limited.
const TARGETS_IN_BUDGET: u64 = 500;

/// Whom it is tried on.
#[derive(Clone, Copy)]
pub(crate) struct Tries<'c> {
    /// How many people, where there are more.
    pub targets: u64,
    /// Picks them.
    pub seed: u64,
    /// Time and interruption.
    pub clock: &'c Clock,
}

impl<'c> Tries<'c> {
    /// As many as there is time for.
    pub fn of(scene: &'c Scene<'_>) -> Tries<'c> {
        let targets = if scene.limits.steps.is_some() { TARGETS_IN_BUDGET } else { TARGETS };
        Tries { targets, seed: scene.seed, clock: scene.clock }
    }
}

/// The most items that the attacker knows.
pub(crate) const MOST_KNOWN: usize = 6;

/// What the attacker knows: how many items, whether the rarest, and how many of them are wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Knowing {
    /// How many items.
    pub items: usize,
    /// Whether the rarest items, or any.
    pub rarest: bool,
    /// How many of them are wrong.
    pub wrong: usize,
}

/// How often the attack succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FingerprintScore {
    /// What the attacker knows.
    pub knowing: Knowing,
    /// The people with enough items.
    pub targets: u64,
    /// How many are found in the release.
    pub hits: u64,
    /// How many would be found in the original.
    pub baseline: u64,
}

/// Who is attacked, and with which knowledge: the right items in the order in which they are learnt, and a wrong one.
struct DrawnTarget {
    items: Vec<Node>,
    any: Vec<Node>,
    rarest: Vec<Node>,
    wrong: Option<Node>,
}

/// Tries all kinds of knowledge on people drawn at random among those who have some sets. `released` and `original` are looked up; `judge` says whether a
/// released set shows nothing but names of a person's items, which shows whether a single match is the person's.
pub(crate) fn fingerprints(
    people: &ItemSets,
    released: &ItemHaystack,
    original: &ItemHaystack,
    judge: bool,
    tries: Tries<'_>,
) -> Result<Vec<FingerprintScore>> {
    let drawn = draw(people, tries);
    let one = |haystack: &ItemHaystack, person: &DrawnTarget, knowing: Knowing, judge: bool| {
        let right = if knowing.rarest { &person.rarest } else { &person.any };
        let mut known: Vec<Node> = right.iter().take(knowing.items - knowing.wrong).copied().collect();
        known.extend(person.wrong.filter(|_| knowing.wrong > 0));
        let fit = haystack.fitting(&known, knowing.wrong, 2);
        let own = |row: u32| !judge || haystack.may_show(row, &person.items);
        fit.count == 1 && fit.first.is_some_and(own)
    };
    let score = |knowing: &Knowing| {
        let able = |person: &&DrawnTarget| {
            person.items.len() >= knowing.items && (knowing.wrong == 0 || person.wrong.is_some())
        };
        let able: Vec<&DrawnTarget> = drawn.iter().filter(able).collect();
        let count = |haystack: &ItemHaystack, judge: bool| {
            let hits = able.par_iter().map(|person| {
                tries.clock.check()?;
                Ok(u64::from(one(haystack, person, *knowing, judge)))
            });
            hits.try_reduce(|| 0, |one, other| Ok(one + other))
        };
        Ok(FingerprintScore {
            knowing: *knowing,
            targets: able.len() as u64,
            hits: count(released, judge)?,
            baseline: count(original, true)?,
        })
    };
    kinds().iter().map(score).collect()
}

/// One to six items, any or the rarest, with none or one of them wrong. One item that is wrong is nothing.
fn kinds() -> Vec<Knowing> {
    let mut kinds = Vec::new();
    for wrong in 0..=1 {
        for rarest in [false, true] {
            let known = 1 + wrong..=MOST_KNOWN;
            kinds.extend(known.map(|items| Knowing { items, rarest, wrong }));
        }
    }
    kinds
}

fn draw(people: &ItemSets, tries: Tries<'_>) -> Vec<DrawnTarget> {
    let mut random = keyed(tries.seed, "privet: whom fingerprints are tried on");
    let mut ends = Vec::with_capacity(people.counts().len());
    let mut end = 0u64;
    let mut frequency: Vec<u64> = Vec::new();
    for (items, count) in people.iter() {
        end += if items.is_empty() { 0 } else { count };
        ends.push(end);
        for item in items {
            let place = *item as usize;
            if place >= frequency.len() {
                frequency.resize(place + 1, 0);
            }
            frequency[place] += count;
        }
    }
    let all: Vec<Node> =
        (0u32..).zip(&frequency).filter(|(_, count)| **count > 0).map(|(item, _)| item).collect();
    let mut drawn = Vec::new();
    for target in 0..end.min(tries.targets) {
        let place = if end <= tries.targets { target } else { below(&mut random, end) };
        let items = people.nodes(ends.partition_point(|end| *end <= place));
        let mut any = items.to_vec();
        let known = any.len().min(MOST_KNOWN);
        for at in 0..known {
            let other = at + below(&mut random, (any.len() - at) as u64) as usize;
            any.swap(at, other);
        }
        any.truncate(known);
        let mut rarest = items.to_vec();
        rarest.sort_by_key(|item| (frequency[*item as usize], *item));
        rarest.truncate(known);
        drawn.push(DrawnTarget {
            wrong: wrong_item(&all, items, &mut random),
            items: items.to_vec(),
            any,
            rarest,
        });
    }
    drawn
}

/// An item that somebody has, but not this person; `None` where there is none.
fn wrong_item(all: &[Node], items: &[Node], random: &mut ChaCha20Rng) -> Option<Node> {
    if all.len() <= items.len() {
        return None;
    }
    loop {
        let item = all[below(random, all.len() as u64) as usize];
        if items.binary_search(&item).is_err() {
            return Some(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tries(clock: &Clock, seed: u64) -> Tries<'_> {
        Tries { targets: TARGETS, seed, clock }
    }

    /// Eight items in two halves; everybody has two of each half.
    fn people() -> ItemSets {
        let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let all = pairs.iter().flat_map(|low| pairs.iter().map(move |high| (low, high)));
        all.map(|(low, high)| (vec![low[0], low[1], high[0] + 4, high[1] + 4], 1)).collect()
    }

    fn own_names() -> Vec<Vec<Node>> {
        (0..8).map(|item| vec![item]).collect()
    }

    fn at(scores: &[FingerprintScore], items: usize, rarest: bool, wrong: usize) -> &FingerprintScore {
        let wanted = Knowing { items, rarest, wrong };
        scores.iter().find(|score| score.knowing == wanted).expect("a score")
    }

    #[test]
    fn the_original_is_told_by_four_items() {
        let original = ItemHaystack::new(people(), own_names());
        let clock = Clock::unlimited();
        let scores =
            fingerprints(original.sets(), &original, &original, true, tries(&clock, 7)).expect("no limit");
        // Four items are a whole set; one item is in half of all sets.
        let all = at(&scores, 4, false, 0);
        assert_eq!((all.targets, all.hits, all.baseline), (36, 36, 36));
        assert_eq!((at(&scores, 1, false, 0).hits, at(&scores, 1, true, 0).hits), (0, 0));
        assert_eq!(at(&scores, 5, false, 0).targets, 0, "nobody has five");
        // Three right items and a wrong one leave several sets.
        assert!(at(&scores, 4, false, 1).hits < 36);
        assert!(scores.iter().all(|score| score.hits == score.baseline));
    }

    #[test]
    fn what_is_shown_as_one_item_singles_out_nobody() {
        let original = ItemHaystack::new(people(), own_names());
        let names = (0..8).map(|item| vec![item, 8 + item / 4]).collect();
        let released = ItemHaystack::new(ItemSets::from_iter([(vec![8, 9], 36)]), names);
        let clock = Clock::unlimited();
        let scores =
            fingerprints(original.sets(), &released, &original, true, tries(&clock, 7)).expect("no limit");
        assert!(scores.iter().all(|score| score.hits == 0));
    }

    #[test]
    fn one_that_fits_but_cannot_be_the_persons_is_no_hit() {
        let original =
            ItemHaystack::new(ItemSets::from_iter([(vec![0, 1], 1), (vec![2, 3], 1)]), own_names());
        // The person's own set was left out; another shows the same item.
        let released =
            ItemHaystack::new(ItemSets::from_iter([(vec![0, 5], 1), (vec![2, 3], 1)]), own_names());
        let targets = ItemSets::from_iter([(vec![0, 1], 1)]);
        let clock = Clock::unlimited();
        let scores = fingerprints(&targets, &released, &original, true, tries(&clock, 7)).expect("no limit");
        assert_eq!((at(&scores, 1, false, 0).targets, at(&scores, 1, false, 0).hits), (1, 0));
    }

    #[test]
    fn the_same_seed_draws_the_same_people() {
        let sets = (0..5000u32).map(|at| (vec![at % 7, 7 + at % 11, 18 + at % 13], 1)).collect();
        let original = ItemHaystack::new(sets, (0..31).map(|item| vec![item]).collect());
        let clock = Clock::unlimited();
        let run = |seed| {
            fingerprints(original.sets(), &original, &original, true, tries(&clock, seed)).expect("no limit")
        };
        let scores = run(3);
        assert_eq!(scores, run(3));
        assert_eq!(at(&scores, 1, false, 0).targets, TARGETS);
    }

    #[test]
    fn files_are_attacked() {
        use crate::testing::Stage;
        let policy = "[data]\npath = \"table.csv\"\nkind = \"transactions\"\n[items]\nhierarchy = \"city.csv\"\n\
            [privacy.km-anonymity]\nk = 2\nm = 1\n";
        let stage = Stage::with(policy, "Oslo,Rome\nBergen,Rome\nOslo,Pisa\nBergen,Pisa\n");
        let found = stage.attack("fingerprint", "Norway,Italy\nNorway,Italy\nNorway,Italy\nNorway,Italy\n");
        let found = found.expect("a finding");
        assert!(!found.succeeds() && found.figures.iter().all(|figure| figure.hits == 0), "{found:?}");
        // Published as they are, all are found by both of their items.
        let raw = stage
            .attack("fingerprint", "Oslo,Rome\nBergen,Rome\nOslo,Pisa\nBergen,Pisa\n")
            .expect("a finding");
        assert!(raw.figures.iter().any(|figure| figure.hits == 4 && figure.baseline == 4), "{raw:?}");
    }
}
