//! Does the order of a released file say more than the file itself?
//!
//! Whoever knows the order of the original, or holds a second file about the same people, looks for places where the two run
//! alike: from the start, backwards, shifted, or in blocks. The audit does the same. Both files are sequences of *symbols*:
//! rows that could be about the same person have the same symbol. Two tests compare them. Either takes for granted that an
//! innocent release is in a uniformly random order, and says how rarely such an order would look as suspicious as this one:
//!
//! - **Words.** The release is cut into blocks of g rows. A block *recurs* if the reference, taken as a ring, has the same g
//!   symbols in a row somewhere, forwards or backwards. A shift, a reversal or blocks that change places break no more than a
//!   few blocks. In a random order a block recurs with probability at most q = Σ Πᵢ c(wᵢ) / (m)(m-1)…(m-g+1), the sum over the
//!   words of the reference, c(s) being how many of the m rows have symbol s. After i blocks no more than m - ig rows are left
//!   and no count has grown, so the next block recurs with probability at most qᵢ (the same with m - ig), whatever came before.
//!   At least t of B blocks recur with probability at most C(B, t)·q₀⋯qₜ₋₁.
//! - **Ranks.** Rows get the rank that their symbols have on average in the reference; ties are broken by pseudo-random
//!   numbers. The number of inversions of a random order of n rows is a sum of independent numbers, the i-th uniform on
//!   0 … i-1, so Hoeffding's inequality bounds how far it strays from its mean: by t with probability at most
//!   2·exp(-2t² / Σ(i-1)²). This finds an order that is kept roughly.
//!
//! All tests of an audit together raise a false alarm in at most one of a million audits ([`FALSE_ALARM`]). A release that is
//! sorted by what it shows is fine: its order follows from its rows.
//!
//! What this cannot see: the order of a handful of rows (ten different rows have too few orders), of rows that hardly differ,
//! and agreement so slight that chance could have made it.

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

use crate::cover::number_of;

/// The chance of a false alarm in one audit of an innocent release.
pub(super) const FALSE_ALARM: f64 = 1e-6;

/// A row that could be about people of several symbols, or of none.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// The lengths of words that are tried, and the whole file: a release of few rows recurs as a whole or not at all.
const LENGTHS: [usize; 14] = [2, 3, 4, 5, 6, 8, 11, 16, 24, 36, 54, 80, 128, 256];

/// Files of at most this many rows are compared as a whole too: longer ones have blocks enough.
const FEW: usize = 512;

/// Of the lengths at which an agreement would show, this many are tried: more cost time and find no more.
const TRIED: usize = 3;

/// At most this many rows are ranked.
const RANKED: usize = 1 << 17;

/// Whether rows are sorted by what they show: such an order says nothing that the rows do not say.
#[derive(Debug)]
pub(super) struct Sorting {
    previous: Option<Vec<String>>,
    /// Rising and falling, with cells compared as texts and as numbers.
    still: [bool; 4],
}

impl Default for Sorting {
    fn default() -> Self {
        Sorting { previous: None, still: [true; 4] }
    }
}

impl Sorting {
    pub fn push<'t>(&mut self, cells: impl Iterator<Item = &'t str>) {
        if !self.holds() {
            return;
        }
        let cells: Vec<&str> = cells.collect();
        if let Some(previous) = &self.previous {
            let compared = |compare: fn(&str, &str) -> Ordering| {
                let pairs = previous.iter().zip(&cells).map(|(one, other)| compare(one, other));
                pairs.fold(Ordering::Equal, Ordering::then)
            };
            let (by_text, by_number) = (compared(Ord::cmp), compared(by_number));
            for (still, is) in self.still.iter_mut().zip([
                by_text.is_le(),
                by_text.is_ge(),
                by_number.is_le(),
                by_number.is_ge(),
            ]) {
                *still &= is;
            }
        }
        if self.holds() {
            self.previous = Some(cells.into_iter().map(str::to_string).collect());
        }
    }

    pub fn holds(&self) -> bool {
        self.still.contains(&true)
    }
}

/// Compares two cells as numbers where both are, and else as texts.
pub(super) fn by_number(one: &str, other: &str) -> Ordering {
    // Numbers before texts, so that the order is one.
    match (number_of(one), number_of(other)) {
        (Some(one), Some(other)) => one.total_cmp(&other),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
    .then_with(|| one.cmp(other))
}

/// What makes the order of a release suspicious beside a reference; `chance` is how often an innocent one may be suspected.
pub(super) fn agreement(reference: &[u32], release: &[u32], chance: f64) -> Option<String> {
    words(reference, release, chance / 2.0).or_else(|| ranks(reference, release, chance / 2.0))
}

/// How often each symbol occurs in the release.
fn counted(release: &[u32]) -> HashMap<u32, u64, FixedState> {
    let mut counts: HashMap<u32, u64, FixedState> = HashMap::default();
    for symbol in release.iter().filter(|symbol| **symbol != UNKNOWN) {
        *counts.entry(*symbol).or_default() += 1;
    }
    counts
}

fn words(reference: &[u32], release: &[u32], chance: f64) -> Option<String> {
    let rows = release.len();
    let counts = counted(release);
    // How likely two random rows have the same symbol: it says from which length on words are told apart.
    let same: f64 = counts.values().map(|count| (*count as f64 / rows as f64).powi(2)).sum();
    let lengths = LENGTHS.iter().copied().filter(|length| *length < rows);
    let distinct = |length: &usize| 2.0 * reference.len() as f64 * same.powi(*length as i32) <= 0.5;
    let mut tried = 0;
    let chance = chance / (LENGTHS.len() + 1) as f64;
    for length in lengths.filter(distinct).chain((rows <= FEW).then_some(rows)) {
        if length < 2 || reference.len() < length || tried == TRIED && length < rows {
            continue;
        }
        let test = Words::of(reference, &counts, rows, length);
        let Some(fewest) = test.fewest(chance) else { continue };
        tried += 1;
        let recurring = release.chunks_exact(length).filter(|block| test.words.contains(&canonical(block)));
        let found = recurring.count();
        if found >= fewest {
            let blocks = rows / length;
            return Some(format!(
                "{found} of {blocks} runs of {length} rows are there in the same or the reversed order; in a random order fewer \
                 than {fewest} would be"
            ));
        }
    }
    None
}

/// The words of one length of a reference.
struct Words {
    words: HashSet<u64, FixedState>,
    rows: usize,
    length: usize,
    /// Σ Π c(wᵢ)/m, over words in either direction.
    weight: f64,
}

impl Words {
    fn of(reference: &[u32], counts: &HashMap<u32, u64, FixedState>, rows: usize, length: usize) -> Words {
        let mut words: HashSet<u64, FixedState> = HashSet::default();
        let mut weight = 0.0;
        let ring: Vec<u32> = reference.iter().chain(&reference[..length - 1]).copied().collect();
        for word in ring.windows(length) {
            let share = |symbol: &u32| counts.get(symbol).map_or(0.0, |count| *count as f64 / rows as f64);
            let own: f64 = word.iter().map(share).product();
            if own > 0.0 && words.insert(canonical(word)) {
                let directions = if word.iter().eq(word.iter().rev()) { 1.0 } else { 2.0 };
                weight += directions * own;
            }
        }
        Words { words, rows, length, weight }
    }

    /// How many blocks recur in a random order with no more than this chance; `None` where even all might.
    fn fewest(&self, chance: f64) -> Option<usize> {
        let Words { rows, length, weight, .. } = *self;
        let blocks = rows / length;
        let mut log = 0.0;
        for block in 0..blocks {
            // One more of C(blocks, t), and one more of the probabilities.
            log += ((blocks - block) as f64 / (block + 1) as f64).ln();
            let left = rows - block * length;
            let falling: f64 = (0..length).map(|row| (rows as f64 / (left - row) as f64).ln()).sum();
            log += (weight.ln() + falling).min(0.0);
            if log <= chance.ln() {
                return Some(block + 1);
            }
        }
        None
    }
}

/// The same number for a word and its reversal.
fn canonical(word: &[u32]) -> u64 {
    let hash = |symbols: &mut dyn Iterator<Item = &u32>| {
        let mut hasher = FixedState::default().build_hasher();
        symbols.for_each(|symbol| symbol.hash(&mut hasher));
        hasher.finish()
    };
    let forwards = hash(&mut word.iter());
    let backwards = hash(&mut word.iter().rev());
    forwards.min(backwards)
}

fn ranks(reference: &[u32], release: &[u32], chance: f64) -> Option<String> {
    let mut places: HashMap<u32, (f64, f64), FixedState> = HashMap::default();
    for (place, symbol) in reference.iter().enumerate().filter(|(_, symbol)| **symbol != UNKNOWN) {
        let (sum, count) = places.entry(*symbol).or_default();
        *sum += place as f64;
        *count += 1.0;
    }
    let known: Vec<f64> =
        release.iter().filter_map(|symbol| places.get(symbol)).map(|(sum, count)| sum / count).collect();
    let step = known.len().div_ceil(RANKED).max(1);
    let mut rows: Vec<(f64, u64, usize)> = (known.iter().step_by(step).enumerate())
        .map(|(row, place)| (*place, FixedState::default().hash_one(row), row))
        .collect();
    let n = rows.len() as f64;
    rows.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then_with(|| one.1.cmp(&other.1)));
    let order: Vec<usize> = rows.into_iter().map(|(_, _, row)| row).collect();
    let (found, mean) = (inversions(order) as f64, n * (n - 1.0) / 4.0);
    let squares = (n - 1.0) * n * (2.0 * n - 1.0) / 6.0;
    let most = ((2.0 / chance).ln() * squares / 2.0).sqrt();
    if n < 2.0 || (found - mean).abs() <= most {
        return None;
    }
    let how = if found < mean { "follow" } else { "reverse" };
    let (share, usual) = (100.0 * found / (2.0 * mean), 100.0 * most / (2.0 * mean));
    Some(format!(
        "the rows roughly {how} its order: {share:.1} % of pairs are the other way round; in a random order it would be 50 ± \
         {usual:.1} %"
    ))
}

/// How many pairs are in the wrong order.
fn inversions(mut list: Vec<usize>) -> u64 {
    let mut found = 0;
    let mut merged = Vec::with_capacity(list.len());
    let mut width = 1;
    while width < list.len() {
        merged.clear();
        for pair in list.chunks(2 * width) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            let (mut at, mut next) = (0, 0);
            while at < left.len() || next < right.len() {
                if next == right.len() || at < left.len() && left[at] <= right[next] {
                    merged.push(left[at]);
                    at += 1;
                } else {
                    found += (left.len() - at) as u64;
                    merged.push(right[next]);
                    next += 1;
                }
            }
        }
        std::mem::swap(&mut list, &mut merged);
        width *= 2;
    }
    found
}

/// At least how many of independent events happen with no more than this chance, each given by its probability; `None` where
/// even all might. Chernoff's bound: P(X ≥ x) ≤ Π(1 + pᵢ(z - 1)) / zˣ for every z ≥ 1.
pub(super) fn fewest_of(probabilities: &[f64], chance: f64) -> Option<usize> {
    let mean: f64 = probabilities.iter().sum();
    let bounded = |least: usize| {
        let candidates = (0..60).map(|power| 1.3f64.powi(power));
        let logs = candidates.map(|z| {
            let sum: f64 = probabilities.iter().map(|p| (p * (z - 1.0)).ln_1p()).sum();
            sum - least as f64 * z.ln()
        });
        logs.fold(0.0, f64::min) <= chance.ln()
    };
    let (mut low, mut high) = (mean.floor() as usize, probabilities.len());
    if !bounded(high) {
        return None;
    }
    while low + 1 < high {
        let middle = low.midpoint(high);
        if bounded(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// By how much Σ a(i, π(i)), entries in [0, 1] and π uniform or uniform within blocks, exceeds its mean with no more than this
/// chance: P(X - E ≥ t) ≤ exp(-t²/(4E + 2t)) (Chatterjee, *Stein's method for concentration inequalities*, 2007; the bound
/// is one on the exponential moment, so it holds for independent blocks as well).
pub(super) fn excess(mean: f64, chance: f64) -> f64 {
    let log = -chance.ln();
    log + (log * log + 4.0 * log * mean).sqrt()
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha20Rng;

    use super::*;
    use privet_core::random::{below, keyed, shuffle};

    fn table(rows: usize, symbols: u64, random: &mut ChaCha20Rng) -> Vec<u32> {
        (0..rows).map(|_| below(random, symbols) as u32).collect()
    }

    /// The ways in which somebody might arrange a file who has the original.
    fn arranged(original: &[u32]) -> Vec<(&'static str, Vec<u32>)> {
        let rows = original.len();
        let reversed: Vec<u32> = original.iter().rev().copied().collect();
        let rotated = |list: &[u32], by: usize| [&list[by..], &list[..by]].concat();
        let blocks: Vec<u32> = original.chunks(rows.div_ceil(7)).rev().flatten().copied().collect();
        vec![
            ("the same", original.to_vec()),
            ("reversed", reversed.clone()),
            ("shifted", rotated(original, rows / 3)),
            ("shifted by one", rotated(original, 1)),
            ("reversed and shifted", rotated(&reversed, rows / 5)),
            ("halves swapped", rotated(original, rows / 2)),
            ("blocks", blocks),
        ]
    }

    #[test]
    fn hard_use_1_4_an_order_that_is_kept_is_seen_however_it_is_arranged() {
        let random = &mut keyed(1, "test");
        for (rows, symbols) in [(60, 50), (120, 4), (300, 2), (500, 20), (4000, 3), (4000, 300), (20_000, 12)]
        {
            let original = table(rows, symbols, random);
            for (how, release) in arranged(&original) {
                assert!(
                    agreement(&original, &release, FALSE_ALARM).is_some(),
                    "{how}: {rows} rows of {symbols} symbols"
                );
            }
            let mut release = original.clone();
            shuffle(&mut release, random);
            assert_eq!(agreement(&original, &release, FALSE_ALARM), None, "{rows} rows of {symbols} symbols");
        }
    }

    #[test]
    fn hard_use_1_4_an_order_that_is_kept_roughly_or_with_gaps_is_seen() {
        let random = &mut keyed(2, "test");
        let original: Vec<u32> = (0..1000).collect();
        let mut nearby = original.clone();
        nearby.chunks_mut(50).for_each(|part| shuffle(part, random));
        assert!(agreement(&original, &nearby, FALSE_ALARM).is_some());
        let original = table(3000, 25, random);
        let gaps: Vec<u32> = original.iter().copied().filter(|_| below(random, 5) > 0).collect();
        assert!(agreement(&original, &gaps, FALSE_ALARM).is_some());
    }

    /// The bounds are bounds: at a chance of one in twenty, no more than one in twenty innocent releases are suspected. (They
    /// are far fewer: the bounds are rough.)
    #[test]
    fn hard_use_1_4_false_alarms_are_as_rare_as_stated() {
        let random = &mut keyed(3, "test");
        for (rows, symbols) in [(4, 4), (12, 12), (12, 3), (40, 2), (200, 30), (400, 400)] {
            let mut original = table(rows, symbols, random);
            for sorted in [false, true] {
                if sorted {
                    original.sort_unstable();
                }
                let mut alarms = [0; 2];
                for _ in 0..400 {
                    let mut release = original.clone();
                    shuffle(&mut release, random);
                    alarms[0] += u32::from(agreement(&original, &release, 0.05).is_some());
                    alarms[1] += u32::from(agreement(&original, &release, FALSE_ALARM).is_some());
                }
                assert!(alarms[0] <= 20 && alarms[1] == 0, "{rows} rows of {symbols} symbols: {alarms:?}");
            }
        }
    }

    #[test]
    fn hard_use_1_4_the_chance_of_recurring_blocks_is_bounded() {
        // All orders of six rows, two of them alike: how often two of three blocks of two recur.
        let original = [0u32, 1, 2, 3, 4, 4];
        let test = Words::of(&original, &counted(&original), 6, 2);
        let mut orders: Vec<Vec<u32>> = vec![Vec::new()];
        for row in original {
            let longer = |order: &Vec<u32>| {
                (0..=order.len()).map(|at| [&order[..at], &[row], &order[at..]].concat()).collect::<Vec<_>>()
            };
            orders = orders.iter().flat_map(longer).collect();
        }
        for least in 1..=3 {
            let recurs = |order: &&Vec<u32>| {
                order.chunks_exact(2).filter(|block| test.words.contains(&canonical(block))).count() >= least
            };
            let chance = orders.iter().filter(recurs).count() as f64 / orders.len() as f64;
            assert!(
                test.fewest(chance * 0.999).is_none_or(|fewest| fewest > least),
                "{least} of 3: {chance}"
            );
        }
    }

    #[test]
    fn the_chance_of_independent_events_is_bounded() {
        // Ten of ten coins: one in 1024.
        assert_eq!(fewest_of(&[0.5; 10], 0.0009), None);
        assert_eq!(fewest_of(&[0.5; 10], 0.0011), Some(10));
        assert_eq!(fewest_of(&[], 0.5), None);
        assert!(fewest_of(&[0.01; 1000], 1e-6).is_some_and(|fewest| (25..45).contains(&fewest)));
    }

    #[test]
    fn inversions_are_counted() {
        assert_eq!(inversions(vec![0, 1, 2, 3, 4]), 0);
        assert_eq!(inversions(vec![4, 3, 2, 1, 0]), 10);
        assert_eq!(inversions(vec![2, 0, 1]), 2);
    }

    #[test]
    fn sorted_rows_are_recognised() {
        let sorting = |rows: &[&[&str]]| {
            let mut sorting = Sorting::default();
            rows.iter().for_each(|row| sorting.push(row.iter().copied()));
            sorting.holds()
        };
        assert!(sorting(&[&["9", "b"], &["10", "a"], &["10", "b"]]));
        assert!(sorting(&[&["10", "b"], &["9", "a"]]));
        assert!(!sorting(&[&["9", "b"], &["10", "a"], &["8", "c"], &["10", "b"]]));
    }
}
