//! Do rows have the values that stand next to them, or that the list of their bucket has at their place?
//!
//! In an honest release, rows and values of a *stratum* (a bucket, or a part of it) belong together in any way. The gamblers go
//! through the rows in an order that does not depend on what stands where, know the values that are still to come, and bet on
//! the value of the next row: by the urn that its people draw from, or by a code that they learn.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rand_chacha::ChaCha20Rng;

use super::super::super::order::{Evidence, Gambler, Strata, UNKNOWN, mean};
use super::owners::Owners;
use super::rankings::Ranking;
use privet_core::Result;
use privet_core::random::{keyed, shuffle};

/// The shares of rows that gamblers think to have the value next to them.
const SHARES: [f64; 3] = [0.2, 0.7, 0.98];

/// Values are tried against rows with a shift of up to this many places, and of half a stratum.
const MOST_SHIFT: usize = 64;

/// At most about this many rows are looked at to find the likeliest shift.
const LOOKED_AT: usize = 1 << 14;

/// How values are held against the rows of a stratum.
#[derive(Debug, Clone, Copy)]
struct Way {
    backwards: bool,
    shift: Shift,
}

#[derive(Debug, Clone, Copy)]
enum Shift {
    On(usize),
    Back(usize),
    Half,
}

const STRAIGHT: Way = Way { backwards: false, shift: Shift::On(0) };
const BACKWARDS: Way = Way { backwards: true, shift: Shift::On(0) };

impl Way {
    /// The place of the value for a row, of so many.
    fn place(self, row: usize, rows: usize) -> usize {
        let row = if self.backwards { rows - 1 - row } else { row };
        let shift = match self.shift {
            Shift::On(by) => by % rows,
            Shift::Back(by) => rows - by % rows,
            Shift::Half => rows / 2,
        };
        (row + shift) % rows
    }

    /// The ways that are neither straight nor backwards, for strata of up to so many rows.
    fn others(longest: usize) -> Vec<Way> {
        let most = MOST_SHIFT.min(longest.saturating_sub(1));
        let shifts = (1..=most).flat_map(|by| [Shift::On(by), Shift::Back(by)]).chain([Shift::Half]);
        shifts.flat_map(|shift| [false, true].map(|backwards| Way { backwards, shift })).collect()
    }

    fn tell(self) -> String {
        let shifted = match self.shift {
            Shift::On(0) => String::new(),
            Shift::On(by) => format!(", shifted by {by}"),
            Shift::Back(by) => format!(", shifted back by {by}"),
            Shift::Half => ", halves swapped".to_string(),
        };
        if self.backwards { format!(", backwards{shifted}") } else { shifted }
    }
}

/// The table of values next to that of rows: their places in buckets, or in the whole files, in every order of values.
pub(super) fn listed(
    owners: &Owners<'_>,
    runs: &[u32],
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Evidence> {
    let mut evidence = Evidence::default();
    for by_bucket in [true, false] {
        let strata = owners.strata(runs, by_bucket);
        if strata.is_empty() {
            continue;
        }
        let game = Game::of(owners, strata, by_bucket);
        for ranking in Ranking::all(owners.book) {
            tick()?;
            let slots = slots(owners, &ranking, by_bucket);
            let what = format!("at its place in the list of values, {},", ranking.how);
            game.bet(&slots, STRAIGHT, &what, 0.0, &mut evidence);
            game.bet(&slots, BACKWARDS, &what, 0.0, &mut evidence);
            game.bet_shifted(&slots, &what, &mut evidence);
            // The order of rows is random: where all own values are known, they are held against the sorted ones.
            let own = |row: &usize| owners.value(*row).unwrap_or(UNKNOWN);
            let sorted = |rows: &[usize]| {
                let rank = |row: &usize| ranking.of(owners.book.trail.rows[*row].bucket, own(row));
                let mut rows = rows.to_vec();
                rows.sort_by(|one, other| {
                    let rank = |row| rank(row).unwrap_or(f64::INFINITY);
                    rank(one).total_cmp(&rank(other))
                });
                rows
            };
            let known = game.known();
            let released = known.iter().flat_map(|(at, rows)| rows.iter().map(move |row| (*at, own(row))));
            let reference =
                known.iter().flat_map(|(at, rows)| sorted(rows).into_iter().map(move |row| (*at, own(&row))));
            evidence.join(
                Strata::of(released, reference).evidence(&format!("a list of values, {}", ranking.how)),
                0.0,
            );
        }
    }
    Ok(evidence)
}

/// The values of every bucket, or of all, in some order: one for each row.
fn slots(owners: &Owners<'_>, ranking: &Ranking, by_bucket: bool) -> Vec<u32> {
    let trail = &owners.book.trail;
    let rank = |(bucket, value): &(u32, u32)| ranking.of(*bucket, *value).unwrap_or(f64::INFINITY);
    let copies = trail.listed.iter().flat_map(|listed| {
        std::iter::repeat_n((listed.bucket, listed.value), (listed.count as usize).min(trail.rows.len()))
    });
    let mut values: Vec<(u32, u32)> = copies.take(trail.rows.len()).collect();
    values.sort_by(|one, other| {
        let within = rank(one).total_cmp(&rank(other));
        if by_bucket { one.0.cmp(&other.0).then(within) } else { within }
    });
    let mut slots = vec![UNKNOWN; trail.rows.len()];
    if !by_bucket {
        slots.iter_mut().zip(values).for_each(|(slot, (_, value))| *slot = value);
        return slots;
    }
    let rows_of = trail.by_bucket();
    for same in values.chunk_by(|one, other| one.0 == other.0) {
        rows_of[same[0].0 as usize].iter().zip(same).for_each(|(row, (_, value))| slots[*row] = *value);
    }
    slots
}

/// The values next to the rows of a permuted table.
pub(super) fn displayed(
    owners: &Owners<'_>,
    values: &[u32],
    in_file_order: bool,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Evidence> {
    // Values may belong to the rows of a bucket in any way, whatever the file is sorted by.
    let buckets = owners.strata(&vec![0; values.len()], true);
    let places = owners.places();
    let mut by_place = buckets.clone();
    let ties = &mut keyed(0, "ties");
    for rows in &mut by_place {
        shuffle(rows, ties);
        rows.sort_by(|one, other| places[*one].total_cmp(&places[*other]));
    }
    let game = Game::of(owners, buckets, true);
    let (mut evidence, mut found) = (Evidence::default(), Evidence::default());
    game.bet(values, STRAIGHT, "next to it", 0.0, &mut found);
    game.code(values, &mut found);
    evidence.group(found, 0.0);
    tick()?;
    let what = "next to another row of its bucket, in the order of the original,";
    evidence.group(Game::of(owners, by_place, true).beside(values, what), 0.0);
    tick()?;
    let what = "next to another row of its bucket";
    evidence.group(if in_file_order { game.beside(values, what) } else { Evidence::default() }, 0.0);
    Ok(evidence)
}

/// Rows and values that belong together in any way.
struct Game<'a> {
    owners: &'a Owners<'a>,
    strata: Vec<Vec<usize>>,
    /// Whether no stratum is about several buckets.
    by_bucket: bool,
    /// How often a bucket has each value.
    in_bucket: HashMap<(u32, u32), u32, FixedState>,
}

impl<'a> Game<'a> {
    fn of(owners: &'a Owners<'a>, mut strata: Vec<Vec<usize>>, by_bucket: bool) -> Game<'a> {
        // Urns run empty evenly only if strata do not come sorted by their values.
        shuffle(&mut strata, &mut keyed(0, "strata"));
        let trail = &owners.book.trail;
        let mut in_bucket: HashMap<(u32, u32), u32, FixedState> = HashMap::default();
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
    fn known(&self) -> Vec<(u32, &Vec<usize>)> {
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

    /// Bets that rows have these values. `handicap` is the logarithm of the share of a coin that is bet.
    fn bet(&self, values: &[u32], way: Way, what: &str, handicap: f64, evidence: &mut Evidence) {
        let mut urns = self.owners.urns.clone();
        let mut in_bucket = if self.by_bucket { HashMap::default() } else { self.in_bucket.clone() };
        let mut lns = [0.0; SHARES.len()];
        let (mut hits, mut bets) = (0u64, 0u64);
        let ties = &mut keyed(0, "ties");
        for rows in &self.strata {
            let value_of = |at: usize| values[rows[way.place(at, rows.len())]];
            let mut left: HashMap<u32, u32, FixedState> = HashMap::default();
            (0..rows.len()).for_each(|at| *left.entry(value_of(at)).or_default() += 1);
            let mut rest = rows.len() as f64;
            let mut weights = (None, 0.0);
            for at in self.by_people(rows, ties) {
                let kind = self.kind(rows[at]);
                let (people, bucket) = kind;
                let value = value_of(at);
                let open = |value: u32| match self.by_bucket {
                    true => left.get(&value).copied().unwrap_or(0),
                    false => in_bucket.get(&(bucket, value)).copied().unwrap_or(0),
                };
                if weights.0 != Some(kind) {
                    let urn = urns.get(people);
                    let weight = |value: u32, count: u32| self.weight(count, open(value), value);
                    let sum: f64 = if self.by_bucket && left.len() < urn.len() {
                        left.keys().map(|value| weight(*value, urns.count(people, *value))).sum()
                    } else {
                        urn.iter().map(|(value, count)| weight(*value, *count)).sum()
                    };
                    weights = (Some(kind), sum);
                }
                let (in_urn, in_bucket_now) = (urns.count(people, value), open(value));
                let own = self.weight(in_urn, in_bucket_now, value);
                let chance = f64::from(left.get(&value).copied().unwrap_or(0)) / rest;
                // Sums of weights that were taken out again may leave a little.
                if weights.1 > 1e-9 && chance > 0.0 {
                    let lift = (own / weights.1).min(1.0) / chance;
                    for (ln, share) in lns.iter_mut().zip(SHARES) {
                        *ln += (1.0 - share + share * lift).ln();
                    }
                    hits += u64::from(in_urn > 0);
                    bets += 1;
                }
                weights.1 +=
                    self.weight(in_urn.saturating_sub(1), in_bucket_now.saturating_sub(1), value) - own;
                urns.take(people, value);
                left.entry(value).and_modify(|left| *left -= 1);
                in_bucket.entry((bucket, value)).and_modify(|left| *left = left.saturating_sub(1));
                rest -= 1.0;
            }
        }
        evidence.add(mean(&lns) + handicap, || {
            format!(
                "{hits} of {bets} rows could have the value {what}{}, and taken together people have their values too exactly \
                 for chance",
                way.tell()
            )
        });
    }

    /// Bets on the shift that looks likeliest. There is a gambler for each, so each has a part of the coin.
    fn bet_shifted(&self, values: &[u32], what: &str, evidence: &mut Evidence) {
        let longest = self.strata.iter().map(Vec::len).max().unwrap_or(0);
        let ways = Way::others(longest);
        let mut scores = vec![0.0; ways.len()];
        let mut looked_at = 0;
        for rows in &self.strata {
            if looked_at > LOOKED_AT {
                break;
            }
            looked_at += rows.len();
            let size = rows.len();
            let mut counts: HashMap<u32, f64, FixedState> = HashMap::default();
            rows.iter().for_each(|row| *counts.entry(values[*row]).or_default() += 1.0 / size as f64);
            for (at, row) in rows.iter().enumerate().take(LOOKED_AT) {
                let people = self.owners.rows[*row];
                let urn: f64 = self.owners.urns.get(people).iter().map(|(_, count)| f64::from(*count)).sum();
                for (way, score) in ways.iter().zip(&mut scores) {
                    let value = values[rows[way.place(at, size)]];
                    let share = f64::from(self.owners.urns.count(people, value)) / urn.max(1.0);
                    *score += (0.5 + 0.5 * share / counts[&value]).ln();
                }
            }
        }
        let best = scores.iter().zip(&ways).max_by(|one, other| one.0.total_cmp(other.0));
        if let Some((_, way)) = best {
            self.bet(values, *way, what, -(ways.len() as f64).ln(), evidence);
        }
    }

    /// Bets on values that stand next to other rows of a stratum: shifted, backwards, in blocks.
    fn beside(&self, values: &[u32], what: &str) -> Evidence {
        let mut evidence = Evidence::default();
        self.bet(values, BACKWARDS, what, 0.0, &mut evidence);
        self.bet_shifted(values, what, &mut evidence);
        let known = self.known();
        let all = || known.iter().flat_map(|(at, rows)| rows.iter().map(move |row| (*at, *row)));
        let released = all().map(|(at, row)| (at, values[row]));
        let reference = all().map(|(at, row)| (at, self.owners.value(row).unwrap_or(UNKNOWN)));
        evidence.join(Strata::of(released, reference).evidence("the values that people have"), 0.0);
        evidence
    }

    /// Bets that a value stands for another one, the same everywhere: which one is learnt on the way.
    fn code(&self, values: &[u32], evidence: &mut Evidence) {
        let mut gambler = Gambler::default();
        let ties = &mut keyed(0, "ties");
        let mut seen: HashMap<(u32, u32), u32, FixedState> = HashMap::default();
        let mut usual: HashMap<u32, (u32, u32), FixedState> = HashMap::default();
        for rows in &self.strata {
            let mut left: HashMap<u32, u32, FixedState> = HashMap::default();
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
        evidence.gambler(&gambler, "a value to stand for the same other value everywhere");
    }
}
