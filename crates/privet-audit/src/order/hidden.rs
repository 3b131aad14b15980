//! Is a file sorted by something that it hides?
//!
//! The original is sorted by a key that the file does not show: an identifier, the exact values behind generalised cells, the
//! true size of a transaction. Gamblers then hold both against each other. At every row they know which rows of the original
//! have the key that is due, and bet that the released row is one of those. Only rows that could stand in any order are compared: those
//! of one run of the arrangement that the file shows and, where the key could be guessed from the cells, of one class.

use std::cmp::Ordering;

use hashbrown::HashMap;

use super::bets::{Coins, Evidence, mean};
use super::ranks::rank_evidence;
use super::strata::{Strata, SymbolsLeft};
use super::{Arrangement, OrderView, number_of};

/// At most this many keys are tried.
const MOST_KEYS: usize = 64;

/// The shares of rows that gamblers think to be where the key puts them.
const SHARES: [f64; 3] = [0.2, 0.7, 0.98];

/// One gambler looks at rows with the same key only, and one at this part of all rows before and behind: files may be sorted
/// by a key that is rounded.
const NEARBY: usize = 32;

/// What the original could be sorted by.
pub struct HiddenKey {
    /// "column 'name'".
    pub what: String,
    /// By row of the original; rows that have the same key have the same rank.
    pub ranks: Vec<u32>,
    /// Whether the key has nothing to do with what the file shows, so that rows of different classes are compared as well.
    pub is_foreign: bool,
    /// By released row, a number for what is shown that the key could be guessed from. Rows that agree in it are compared.
    pub condition: Vec<u32>,
}

impl HiddenKey {
    /// The ranks of texts that are given by number: by text and, where that is another order, as numbers.
    pub fn ranks<'t>(texts: impl Iterator<Item = &'t str>, codes: &[u32]) -> Vec<Vec<u32>> {
        let texts: Vec<&str> = texts.collect();
        let numbers: Vec<Option<f64>> = texts.iter().map(|text| number_of(text)).collect();
        let ranks = |as_numbers: bool| -> Vec<u32> {
            let mut sorted: Vec<(Option<f64>, &str, usize)> = texts
                .iter()
                .zip(&numbers)
                .enumerate()
                .map(|(code, (text, number))| (*number, *text, code))
                .collect();
            // Numbers come first.
            let number = |number: Option<f64>| number.unwrap_or(f64::INFINITY);
            sorted.sort_unstable_by(|one, other| {
                let by_number =
                    if as_numbers { number(one.0).total_cmp(&number(other.0)) } else { Ordering::Equal };
                by_number.then_with(|| one.1.cmp(other.1))
            });
            let mut ranks = vec![0; sorted.len()];
            sorted.iter().zip(0..).for_each(|((.., code), rank)| ranks[*code] = rank);
            codes.iter().map(|code| ranks[*code as usize]).collect()
        };
        let mut all = vec![ranks(false)];
        all.extend(numbers.iter().any(Option::is_some).then(|| ranks(true)));
        all.dedup();
        all
    }
}

impl Arrangement {
    /// Bets that a file is sorted by one of some keys; each has the same share of one coin.
    pub fn hidden(&self, view: &OrderView, keys: impl Iterator<Item = HiddenKey>, evidence: &mut Evidence) {
        let runs = self.runs();
        let whole = vec![0; runs.len()];
        let mut known: Vec<(Vec<u32>, Sorted)> = Vec::new();
        let mut found = Evidence::default();
        for key in keys.take(MOST_KEYS) {
            let mut own = Evidence::default();
            let conditions = [Some(&key.condition), key.is_foreign.then_some(&whole)];
            for condition in conditions.into_iter().flatten() {
                let at = known.iter().position(|(other, _)| other == condition).unwrap_or_else(|| {
                    // More than the latest would take too much memory.
                    known.truncate(1);
                    known.insert(0, (condition.clone(), Sorted::of(&runs, condition, view)));
                    0
                });
                own.group(known[at].1.evidence(&key), 0.0);
            }
            found.group(own, 0.0);
        }
        evidence.group(found, 0.0);
    }
}

/// Strata of a file, with the places that their rows could have in the original.
struct Sorted {
    strata: Strata,
    windows: Vec<(usize, std::ops::Range<usize>)>,
    /// By stratum the symbols and places in the original.
    places: Vec<Vec<(u32, u32)>>,
}

impl Sorted {
    fn of(runs: &[u32], condition: &[u32], view: &OrderView) -> Sorted {
        let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
        let strata = runs.iter().zip(condition).map(|(run, cell)| {
            let next = numbers.len() as u32;
            *numbers.entry((*run, *cell)).or_insert(next)
        });
        let released: Vec<(u32, u32)> = strata.zip(view.released.iter().copied()).collect();
        let (strata, places) = Strata::placed(&released, &view.reference);
        let windows = if strata.telling() > 0 { strata.windows() } else { Vec::new() };
        Sorted { strata, windows, places }
    }

    fn evidence(&self, key: &HiddenKey) -> Evidence {
        let mut evidence = Evidence::default();
        if self.windows.is_empty() {
            return evidence;
        }
        let mut sorted: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.places.len()];
        for (at, _) in &self.windows {
            if sorted[*at].is_empty() {
                let ranked =
                    self.places[*at].iter().map(|(symbol, place)| (key.ranks[*place as usize], *symbol));
                sorted[*at] = ranked.collect();
                sorted[*at].sort_unstable();
            }
        }
        for backwards in [false, true] {
            if backwards {
                sorted.iter_mut().for_each(|list| list.reverse());
            }
            let how = if backwards { "falling" } else { "rising" };
            for nearby in [false, true] {
                let (ln, rows) = self.bet(&sorted, nearby);
                evidence.add(ln, || {
                    format!("of {rows} rows, too many are where an order by {} ({how}) puts them", key.what)
                });
            }
        }
        self.ranks(&sorted, key, &mut evidence);
        evidence
    }

    /// What gamblers have who bet that rows are where the sorted original has them, and on how many rows.
    fn bet(&self, sorted: &[Vec<(u32, u32)>], nearby: bool) -> (f64, usize) {
        let mut left = SymbolsLeft::of(&self.strata);
        let mut held = Held { counts: vec![0; self.strata.symbols()], total: 0 };
        let mut coins = [Coins::default(); SHARES.len()];
        let mut bets = 0;
        for (at, window) in &self.windows {
            let (released, sorted) = (self.strata.rows_of(*at), &sorted[*at]);
            let (rows, originals) = (released.len(), sorted.len());
            let missing = rows.abs_diff(originals);
            let around = if nearby { missing + originals / NEARBY } else { missing };
            let is_constant = sorted.first().map(|first| first.0) == sorted.last().map(|last| last.0);
            let is_dull = is_constant || around > originals / 4 || nearby && originals < 2 * NEARBY;
            let mut seen = 0..0;
            let mut block = 0..0;
            for place in window.clone() {
                let own = released[place];
                if !is_dull {
                    let due = (place * originals / rows).min(originals - 1);
                    if !block.contains(&due) {
                        block = block_of(sorted, due);
                        let wider = block.start.saturating_sub(around)..(block.end + around).min(originals);
                        held.slide(sorted, &mut seen, wider, around == 0);
                    } else if around > 0 && nearby {
                        let wider = due.saturating_sub(around).min(block.start)
                            ..(due + around).min(originals).max(block.end);
                        held.slide(sorted, &mut seen, wider, false);
                    }
                    if held.total > 0 {
                        let ratio = f64::from(held.counts[own as usize])
                            / f64::from(held.total)
                            / left.chance(*at, own);
                        for (coins, share) in coins.iter_mut().zip(SHARES) {
                            coins.times(1.0 - share + share * ratio);
                        }
                        bets += 1;
                    }
                    if around == 0 {
                        held.take(own);
                    }
                }
                left.take(*at, own);
            }
            held.clear(sorted, &seen);
        }
        (mean(&coins.map(|coins| coins.ln())), bets)
    }

    /// Whether rows follow the mean rank of the originals that they could be.
    fn ranks(&self, sorted: &[Vec<(u32, u32)>], key: &HiddenKey, evidence: &mut Evidence) {
        let mut sums = vec![(0.0, 0.0); self.strata.symbols()];
        for (rank, symbol) in sorted.iter().flatten() {
            let (sum, count) = &mut sums[*symbol as usize];
            *sum += f64::from(*rank);
            *count += 1.0;
        }
        let mean = |symbol: &u32| Some(sums[*symbol as usize]).filter(|(_, count)| *count > 0.0);
        let mean = |symbol: &u32| mean(symbol).map(|(sum, count)| sum / count);
        let keys = |(at, window): &(usize, std::ops::Range<usize>)| -> Vec<f64> {
            self.strata.rows_of(*at)[window.clone()].iter().filter_map(mean).collect()
        };
        let lists: Vec<Vec<f64>> = self.windows.iter().map(keys).filter(|list| list.len() > 1).collect();
        rank_evidence(&lists, &key.what, evidence);
    }
}

/// Rows of the sorted original that have the same key as one of them.
fn block_of(sorted: &[(u32, u32)], at: usize) -> std::ops::Range<usize> {
    let same = |row: &&(u32, u32)| row.0 == sorted[at].0;
    let before = sorted[..at].iter().rev().take_while(same).count();
    let behind = sorted[at..].iter().take_while(same).count();
    at - before..at + behind
}

/// The symbols that may come next.
struct Held {
    counts: Vec<u32>,
    total: u32,
}

impl Held {
    /// Goes on from some rows of the sorted original to others; `anew` if some of the first were taken.
    fn slide(
        &mut self,
        sorted: &[(u32, u32)],
        seen: &mut std::ops::Range<usize>,
        next: std::ops::Range<usize>,
        anew: bool,
    ) {
        if anew || next.start >= seen.end || next.start < seen.start {
            self.clear(sorted, seen);
            *seen = next.start..next.start;
        }
        for (_, symbol) in &sorted[seen.end..next.end.max(seen.end)] {
            self.counts[*symbol as usize] += 1;
            self.total += 1;
        }
        for (_, symbol) in &sorted[seen.start..next.start] {
            self.take(*symbol);
        }
        *seen = next.start..next.end.max(seen.end);
    }

    fn take(&mut self, symbol: u32) {
        let count = &mut self.counts[symbol as usize];
        self.total -= u32::from(*count > 0);
        *count = count.saturating_sub(1);
    }

    fn clear(&mut self, sorted: &[(u32, u32)], seen: &std::ops::Range<usize>) {
        sorted[seen.clone()].iter().for_each(|(_, symbol)| self.counts[*symbol as usize] = 0);
        self.total = 0;
    }
}
