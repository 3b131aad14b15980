//! Bets on the values of rows.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rand_chacha::ChaCha20Rng;

use super::super::super::super::order::{Evidence, Gambler, Strata, UNKNOWN, mean};
use super::super::owners::{RowOwners, Urns};
use super::paths::{CLASSES, LARGEST, Scores, Sides, class_of};
use super::ways::{BACKWARDS, CommonWay, SMALL};
use privet_core::Result;
use privet_core::random::{keyed, shuffle};

/// The shares of rows that gamblers think to have the value next to them.
const SHARES: [f64; 3] = [0.2, 0.7, 0.98];

/// At most about this many rows are looked at to find the likeliest common shift.
const LOOKED_AT: usize = 1 << 14;

type Counts<K> = HashMap<K, u32, FixedState>;

/// Rows and values that belong together in any way.
pub(super) struct Game<'a> {
    owners: &'a RowOwners<'a>,
    strata: Vec<Vec<usize>>,
    /// Whether no stratum is about several buckets.
    by_bucket: bool,
    /// How often a bucket has each value.
    in_bucket: Counts<(u32, u32)>,
}

/// What is left of urns and buckets, and how bets went.
struct Play {
    urns: Urns,
    in_bucket: Counts<(u32, u32)>,
    ties: ChaCha20Rng,
    hits: u64,
    bets: u64,
}

impl<'a> Game<'a> {
    pub fn of(owners: &'a RowOwners<'a>, mut strata: Vec<Vec<usize>>, by_bucket: bool) -> Game<'a> {
        // Urns run empty evenly only if strata do not come sorted by their values.
        shuffle(&mut strata, &mut keyed(0, "strata"));
        let trail = &owners.book.trail;
        let mut in_bucket: Counts<(u32, u32)> = HashMap::default();
        for listed in &trail.listed {
            *in_bucket.entry((listed.bucket, listed.value)).or_default() += listed.count as u32;
        }
        for row in &trail.rows {
            if let Some(value) = row.value {
                *in_bucket.entry((row.bucket, value)).or_default() += 1;
            }
        }
        Game { owners, strata, by_bucket, in_bucket }
    }

    /// The rows of a stratum in an order that does not depend on their places: rows of the same people come together, and
    /// are drawn one by one.
    fn by_people(&self, rows: &[usize], ties: &mut ChaCha20Rng) -> Vec<usize> {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        shuffle(&mut order, ties);
        order.sort_by_key(|at| self.kind(rows[*at]));
        order
    }

    fn kind(&self, row: usize) -> (u32, u32) {
        (self.owners.rows[row], self.owners.book.trail.rows[row].bucket)
    }

    /// The strata in which all own values are known, with their numbers.
    pub fn known(&self) -> Vec<(u32, &Vec<usize>)> {
        let known = |rows: &Vec<usize>| rows.iter().all(|row| self.owners.value(*row).is_some());
        (0u32..).zip(&self.strata).filter(|(_, rows)| known(rows)).collect()
    }

    /// How likely a value is by the urn of its people, as a weight.
    fn weight(&self, in_urn: u32, in_bucket: u32, value: u32) -> f64 {
        if self.owners.with_list {
            // The urn is about this bucket alone.
            return f64::from(in_urn) * f64::from(in_bucket.min(1));
        }
        let all = self.owners.book.value_counts.get(&value).copied().unwrap_or(1) as f64;
        f64::from(in_urn) * f64::from(in_bucket) / all.max(1.0)
    }

    fn begin(&self) -> Play {
        Play {
            urns: self.owners.urns.clone(),
            in_bucket: if self.by_bucket { HashMap::default() } else { self.in_bucket.clone() },
            ties: keyed(0, "ties"),
            hits: 0,
            bets: 0,
        }
    }

    /// Bets that the rows of a stratum have the values at these places; `None` for rows that nobody bets on. Adds to the
    /// logarithms of the coins, by share.
    fn play(
        &self,
        play: &mut Play,
        rows: &[usize],
        values: &[u32],
        place: impl Fn(usize) -> Option<usize>,
        lns: &mut [f64; SHARES.len()],
    ) {
        let mut left: Counts<u32> = HashMap::default();
        rows.iter().for_each(|row| *left.entry(values[*row]).or_default() += 1);
        let mut rest = rows.len() as f64;
        let mut weights = (None, 0.0);
        for at in self.by_people(rows, &mut play.ties) {
            let Some(value) = place(at).map(|place| values[rows[place]]) else { continue };
            let kind = self.kind(rows[at]);
            let (people, bucket) = kind;
            let open = |value: u32| match self.by_bucket {
                true => left.get(&value).copied().unwrap_or(0),
                false => play.in_bucket.get(&(bucket, value)).copied().unwrap_or(0),
            };
            if weights.0 != Some(kind) {
                let urn = play.urns.get(people);
                let weight = |value: u32, count: u32| self.weight(count, open(value), value);
                let sum: f64 = if self.by_bucket && left.len() < urn.len() {
                    left.keys().map(|value| weight(*value, play.urns.count(people, *value))).sum()
                } else {
                    urn.iter().map(|(value, count)| weight(*value, *count)).sum()
                };
                weights = (Some(kind), sum);
            }
            let (in_urn, in_bucket) = (play.urns.count(people, value), open(value));
            let own = self.weight(in_urn, in_bucket, value);
            let chance = f64::from(left.get(&value).copied().unwrap_or(0)) / rest;
            // Sums of weights that were taken out again may leave a little.
            if weights.1 > 1e-9 && chance > 0.0 {
                let lift = (own / weights.1).min(1.0) / chance;
                for (ln, share) in lns.iter_mut().zip(SHARES) {
                    *ln += (1.0 - share + share * lift).ln();
                }
                play.hits += u64::from(in_urn > 0);
                play.bets += 1;
            }
            weights.1 += self.weight(in_urn.saturating_sub(1), in_bucket.saturating_sub(1), value) - own;
            play.urns.take(people, value);
            left.entry(value).and_modify(|left| *left -= 1);
            play.in_bucket.entry((bucket, value)).and_modify(|left| *left = left.saturating_sub(1));
            rest -= 1.0;
        }
    }

    /// Bets that rows have these values. `handicap` is the logarithm of the share of a coin that is bet.
    pub fn bet(&self, values: &[u32], way: CommonWay, what: &str, handicap: f64, evidence: &mut Evidence) {
        let (mut play, mut lns) = (self.begin(), [0.0; SHARES.len()]);
        for rows in &self.strata {
            self.play(&mut play, rows, values, |at| Some(way.place(at, rows.len())), &mut lns);
        }
        evidence.add(mean(&lns) + handicap, || play.describe(&format!("{what}{}", way.describe())));
    }

    /// Bets on the common shift that looks likeliest. There is a gambler for each, so each has a part of the coin. Large
    /// strata have shifts of their own: see [`Game::bet_on_paths`].
    pub fn bet_shifted(&self, values: &[u32], what: &str, evidence: &mut Evidence) {
        let small = || self.strata.iter().filter(|rows| rows.len() <= SMALL);
        let ways = CommonWay::others(small().map(Vec::len).max().unwrap_or(0));
        let mut scores = vec![0.0; ways.len()];
        let mut looked_at = 0;
        for rows in small() {
            if looked_at > LOOKED_AT {
                break;
            }
            looked_at += rows.len();
            let size = rows.len();
            let mut counts: HashMap<u32, f64, FixedState> = HashMap::default();
            rows.iter().for_each(|row| *counts.entry(values[*row]).or_default() += 1.0 / size as f64);
            for (at, row) in rows.iter().enumerate() {
                let people = self.owners.rows[*row];
                let urn = self.owners.urns.size(people);
                for (way, score) in ways.iter().zip(&mut scores) {
                    let value = values[rows[way.place(at, size)]];
                    let share = f64::from(self.owners.urns.count(people, value)) / urn.max(1.0);
                    *score += (0.5 + 0.5 * share / counts[&value]).ln();
                }
            }
        }
        let best = scores.iter().zip(&ways).max_by(|one, other| one.0.total_cmp(other.0));
        if let Some((_, way)) = best.filter(|_| looked_at > 0) {
            self.bet(values, *way, what, -(ways.len() as f64).ln(), evidence);
        }
    }

    /// Bets on the path that fits best in every large stratum. In each of them half of the coins so far are bet.
    pub fn bet_on_paths(&self, values: &[u32], what: &str, evidence: &mut Evidence) {
        let large = |rows: &&Vec<usize>| (SMALL + 1..=LARGEST).contains(&rows.len());
        if !self.strata.iter().any(|rows| large(&rows)) {
            return;
        }
        let mut play = self.begin();
        let (mut ln, mut ways, mut strata) = (0.0, 0, 0);
        for rows in self.strata.iter().filter(large) {
            let path = self
                .sides(rows, values, |kinds, scores, classes| Sides { kinds, scores, classes }.best_path());
            let mut lns = [0.0; SHARES.len()];
            self.play(&mut play, rows, values, |at| path.places[at], &mut lns);
            ln += mean(&[0.0, mean(&lns) + path.ln_share]);
            (ways, strata) = (ways + path.ways, strata + 1);
        }
        evidence.add(ln, || {
            play.describe(&format!("{what}, shifted or backwards in {ways} parts of {strata} large groups,"))
        });
    }

    /// A stratum as kinds of people and classes of values.
    fn sides<T>(&self, rows: &[usize], values: &[u32], find: impl FnOnce(&[u32], &Scores, &[u8]) -> T) -> T {
        let mut numbers: Counts<u32> = HashMap::default();
        let mut counts: Vec<f64> = Vec::new();
        let classes: Vec<u8> = (rows.iter())
            .map(|row| {
                let next = numbers.len() as u32;
                let number = *numbers.entry(values[*row]).or_insert(next);
                let class = class_of(number as usize, rows.len());
                counts.resize(counts.len().max(class + 1), 0.0);
                counts[class] += 1.0;
                class as u8
            })
            .collect();
        let mut known: Counts<u32> = HashMap::default();
        let mut scores: Scores = Vec::new();
        let mut kinds = Vec::with_capacity(rows.len());
        for row in rows {
            let people = self.owners.rows[*row];
            let kind = *known.entry(people).or_insert_with(|| {
                let mut shares = [0.0; CLASSES];
                let size = self.owners.urns.size(people).max(1.0);
                for (value, count) in self.owners.urns.get(people) {
                    if let Some(number) = numbers.get(value) {
                        shares[class_of(*number as usize, rows.len())] += f64::from(*count) / size;
                    }
                }
                let mut own = [0.0; CLASSES];
                for ((own, share), count) in own.iter_mut().zip(shares).zip(&counts) {
                    *own = (0.5 + 0.5 * share * rows.len() as f64 / count).ln() as f32;
                }
                scores.push(own);
                scores.len() as u32 - 1
            });
            kinds.push(kind);
        }
        find(&kinds, &scores, &classes)
    }

    /// Bets on values that stand next to other rows of a stratum: shifted, backwards, in blocks.
    pub fn next_to(
        &self,
        values: &[u32],
        what: &str,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Evidence> {
        let mut evidence = Evidence::default();
        self.bet(values, BACKWARDS, what, 0.0, &mut evidence);
        self.bet_shifted(values, what, &mut evidence);
        tick()?;
        self.bet_on_paths(values, what, &mut evidence);
        let known = self.known();
        let all = || known.iter().flat_map(|(at, rows)| rows.iter().map(move |row| (*at, *row)));
        let released = all().map(|(at, row)| (at, values[row]));
        let reference = all().map(|(at, row)| (at, self.owners.value(row).unwrap_or(UNKNOWN)));
        evidence.join(Strata::of(released, reference).evidence("the values that people have"), 0.0);
        Ok(evidence)
    }

    /// Bets that a value stands for another one, the same everywhere: which one is learnt on the way.
    pub fn code(&self, values: &[u32], evidence: &mut Evidence) {
        let mut gambler = Gambler::default();
        let ties = &mut keyed(0, "ties");
        let mut seen: Counts<(u32, u32)> = HashMap::default();
        let mut usual: HashMap<u32, (u32, u32), FixedState> = HashMap::default();
        for rows in &self.strata {
            let mut left: Counts<u32> = HashMap::default();
            rows.iter().for_each(|row| *left.entry(values[*row]).or_default() += 1);
            for (done, at) in self.by_people(rows, ties).into_iter().enumerate() {
                let value = values[rows[at]];
                if let Some(own) = self.owners.value(rows[at]) {
                    if let Some((guess, _)) = usual.get(&own) {
                        let rest = f64::from(left.get(guess).copied().unwrap_or(0));
                        gambler.bet(rest / (rows.len() - done) as f64, *guess == value);
                    }
                    let times = seen.entry((own, value)).or_default();
                    *times += 1;
                    let usual = usual.entry(own).or_insert((value, 0));
                    if *times > usual.1 {
                        *usual = (value, *times);
                    }
                }
                left.entry(value).and_modify(|left| *left -= 1);
            }
        }
        evidence.gambler(&gambler, "each value to stand for one other value everywhere");
    }
}

impl Play {
    fn describe(&self, what: &str) -> String {
        let Play { hits, bets, .. } = self;
        format!(
            "the values {what} fit the people too well for chance: {hits} of {bets} rows could have theirs"
        )
    }
}
