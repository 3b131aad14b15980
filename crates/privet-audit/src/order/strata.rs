//! Rows that an honest release puts into a random order: within each *stratum*, every order of its rows is equally likely.
//!
//! Each stratum has a reference next to it: the same symbols in the order of the original, or of a sister table.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rayon::prelude::*;

use super::UNKNOWN;
use super::bets::{Evidence, Gambler};
use super::ranks::rank_evidence;

/// At most about this many rows are read: windows from all over a longer file.
const READ: usize = 1 << 17;

/// The length of such a window.
const WINDOW: usize = 2048;

/// How many rows a gambler may look back at.
const LENGTHS: [usize; 15] = [1, 2, 3, 4, 5, 6, 8, 11, 16, 24, 36, 54, 80, 128, 256];

/// Of these lengths, the first at which what comes next is mostly clear, the one before, and two more.
const TRIED: usize = 4;

/// Files are also read with these strides.
const STRIDES: std::ops::RangeInclusive<usize> = 2..=8;

/// And with the strides that most rows are apart in the reference.
const LIKELY_STRIDES: usize = 3;

/// At most about this many pairs of places are looked at to find those.
const PAIRS: usize = 1 << 20;
/// At most this many of them are looked at for each pair of rows.
const PAIRS_OF_ROWS: usize = 1 << 12;

/// Where rows are too much alike for that, all strides up to this one are tried.
const WIDEST: usize = 64;

/// Parts of a stratum that may each have an order of their own.
const PARTS: usize = 8;

/// Strata with their references. Symbols of different strata are different.
#[derive(Debug, Default)]
pub struct Strata {
    reference: Vec<Vec<u32>>,
    released: Vec<Vec<u32>>,
    /// How often a symbol occurs in the release.
    counts: Vec<u32>,
}

impl Strata {
    /// Strata and symbols of the released rows in their order, and of the reference. What is in the reference only is passed
    /// over.
    pub fn of(
        released: impl Iterator<Item = (u32, u32)>,
        reference: impl Iterator<Item = (u32, u32)>,
    ) -> Strata {
        let mut strata = Strata::default();
        let mut stratum_of: HashMap<u32, usize, FixedState> = HashMap::default();
        let mut symbol_of: HashMap<(u32, u32), u32, FixedState> = HashMap::default();
        for (stratum, symbol) in released {
            let next = strata.released.len();
            let at = *stratum_of.entry(stratum).or_insert(next);
            if at == next {
                strata.released.push(Vec::new());
                strata.reference.push(Vec::new());
            }
            let next = strata.counts.len() as u32;
            let id = *symbol_of.entry((stratum, symbol)).or_insert(next);
            if id == next {
                strata.counts.push(0);
            }
            strata.counts[id as usize] += 1;
            strata.released[at].push(id);
        }
        for (stratum, symbol) in reference.filter(|(_, symbol)| *symbol != UNKNOWN) {
            if let Some(id) = symbol_of.get(&(stratum, symbol)) {
                strata.reference[stratum_of[&stratum]].push(*id);
            }
        }
        strata
    }

    /// Strata and symbols of the released rows, and the symbols of the reference: each is there in all strata with this symbol.
    /// Symbols of many strata say too little.
    pub fn within(released: &[(u32, u32)], reference: &[u32]) -> Strata {
        let strata_of = strata_of(released);
        let everywhere = reference.iter().flat_map(|symbol| {
            let strata = strata_of.get(symbol).map_or(&[][..], Vec::as_slice);
            strata.iter().map(|stratum| (*stratum, *symbol))
        });
        Strata::of(released.iter().copied(), everywhere)
    }

    /// As [`Strata::within`], and by stratum the symbols of the reference with their places there. Strata are numbered as they
    /// first occur.
    pub fn placed(released: &[(u32, u32)], reference: &[u32]) -> (Strata, Vec<Vec<(u32, u32)>>) {
        let strata = Strata::within(released, reference);
        let strata_of = strata_of(released);
        let mut places: Vec<Vec<u32>> = vec![Vec::new(); strata.released.len()];
        for (symbol, place) in reference.iter().zip(0u32..) {
            for stratum in strata_of.get(symbol).into_iter().flatten() {
                places[*stratum as usize].push(place);
            }
        }
        let both = strata.reference.iter().zip(places);
        let both = both.map(|(symbols, places)| symbols.iter().copied().zip(places).collect()).collect();
        (strata, both)
    }

    /// How many different symbols there are.
    pub fn symbols(&self) -> usize {
        self.counts.len()
    }

    /// The rows of a stratum.
    pub fn rows_of(&self, stratum: usize) -> &[u32] {
        &self.released[stratum]
    }

    /// How many strata have rows that differ.
    pub fn telling(&self) -> usize {
        let differ = |rows: &&Vec<u32>| rows.iter().any(|row| *row != rows[0]);
        self.released.iter().filter(differ).count()
    }

    fn rows(&self) -> usize {
        self.released.iter().map(Vec::len).sum()
    }

    /// The parts of the release that are read: all of it, or windows from all over.
    pub fn windows(&self) -> Vec<(usize, std::ops::Range<usize>)> {
        let rows = self.rows();
        let mut windows = Vec::new();
        let (mut credit, share) = (0.0, (READ as f64 / rows.max(1) as f64).min(1.0));
        for (at, list) in self.released.iter().enumerate() {
            let length = list.len();
            credit += length as f64 * share;
            if share >= 1.0 || length <= WINDOW {
                if share >= 1.0 || credit >= length as f64 {
                    credit -= length as f64;
                    windows.push((at, 0..length));
                }
                continue;
            }
            let number = ((credit / WINDOW as f64) as usize).min(length / WINDOW);
            credit -= (number * WINDOW) as f64;
            let step = length / number.max(1);
            windows.extend((0..number).map(|window| (at, window * step..window * step + WINDOW)));
        }
        windows
    }

    /// All gamblers on these strata. `what` is what the reference is: "the original".
    pub fn evidence(&self, what: &str) -> Evidence {
        let mut evidence = Evidence::default();
        if self.telling() == 0 {
            return evidence;
        }
        let windows = self.windows();
        self.places(&windows, what, &mut evidence);
        let lengths = self.lengths();
        for length in &lengths {
            self.follow(&windows, *length, what, &mut evidence);
        }
        self.ranks(&windows, 1, what, &mut evidence);
        let rows = self.rows();
        if rows >= 32 * self.released.len() {
            self.ranks(&windows, PARTS, what, &mut evidence);
        }
        if rows >= 32 * self.released.len() && rows <= READ {
            self.strides(&lengths, what, &mut evidence);
            self.likely_strides(&lengths, what, &mut evidence);
        }
        evidence
    }

    /// Files whose rows are always as far apart in the reference, from its end on to its beginning: wide strides, transposed
    /// blocks, multiples of a number. There is one gambler for every stride; those who do not play keep nothing.
    fn likely_strides(&self, lengths: &[usize], what: &str, evidence: &mut Evidence) {
        let longest = self.reference.iter().map(Vec::len).max().unwrap_or(0);
        let strides = self.likeliest(longest);
        let mut found = Evidence::default();
        for stride in &strides {
            let reference = self.reference.iter().map(|list| around(list, *stride)).collect();
            let (released, counts) = (self.released.clone(), self.counts.clone());
            let strata = Strata { reference, released, counts };
            let what = format!("{what} at every {stride} rows");
            for length in lengths.iter().skip(1).take(1) {
                strata.follow(&strata.windows(), *length, &what, &mut found);
            }
        }
        let playing = strides.len().max(1) as f64;
        evidence.group(found, (playing / playing.max(longest as f64)).ln());
    }

    /// The strides that most rows are apart; `longest` is the longest reference.
    fn likeliest(&self, longest: usize) -> Vec<usize> {
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); self.counts.len()];
        for reference in &self.reference {
            reference.iter().enumerate().for_each(|(place, symbol)| places[*symbol as usize].push(place));
        }
        let mut votes: Vec<(u32, usize)> = (0..longest).map(|stride| (0, stride)).collect();
        let (mut looked_at, mut are_alike) = (0, false);
        for (released, reference) in self.released.iter().zip(&self.reference) {
            for pair in released.windows(2) {
                let [from, to] = [pair[0], pair[1]].map(|symbol| &places[symbol as usize]);
                let pairs = from.len() * to.len();
                are_alike |= pairs > PAIRS_OF_ROWS;
                if pairs > PAIRS_OF_ROWS || looked_at > PAIRS {
                    continue;
                }
                looked_at += pairs;
                for from in from {
                    to.iter().for_each(|to| votes[(to + reference.len() - from) % reference.len()].0 += 1);
                }
            }
        }
        votes.sort_unstable_by(|one, other| other.cmp(one));
        let likely = votes.iter().take(LIKELY_STRIDES).filter(|(votes, _)| *votes > 0);
        let widest = if are_alike { WIDEST.min(PAIRS / self.rows().max(1)) } else { 0 };
        let all = likely.map(|(_, stride)| *stride).chain(*STRIDES.end() + 1..=widest);
        let mut strides: Vec<usize> = all.filter(|stride| *stride > 1).collect();
        strides.sort_unstable();
        strides.dedup();
        strides
    }

    /// Files read every two, three … rows.
    fn strides(&self, lengths: &[usize], what: &str, evidence: &mut Evidence) {
        let ways: Vec<(usize, bool)> = STRIDES.flat_map(|stride| [(stride, false), (stride, true)]).collect();
        let found: Vec<Evidence> = (ways.into_par_iter())
            .map(|(stride, of_release)| {
                let stepped = |lists: &[Vec<u32>]| -> Vec<Vec<u32>> {
                    let steps = |list: &Vec<u32>| {
                        (0..stride)
                            .flat_map(|first| list.iter().skip(first).step_by(stride))
                            .copied()
                            .collect()
                    };
                    lists.iter().map(steps).collect()
                };
                let what = format!("{what} at every {stride} rows");
                let strata = Strata {
                    reference: if of_release { self.reference.clone() } else { stepped(&self.reference) },
                    released: if of_release { stepped(&self.released) } else { self.released.clone() },
                    counts: self.counts.clone(),
                };
                let mut found = Evidence::default();
                for length in lengths.iter().skip(1).take(1) {
                    strata.follow(&strata.windows(), *length, &what, &mut found);
                }
                found
            })
            .collect();
        found.into_iter().for_each(|found| evidence.join(found, 0.0));
    }

    /// The lengths of context that are tried.
    fn lengths(&self) -> Vec<usize> {
        let rows = self.rows() as f64;
        // Per stratum how many rows it has, how many its reference, and how likely two of its rows have one symbol.
        let shapes: Vec<(f64, f64, f64)> = (self.released.iter().zip(&self.reference))
            .map(|(released, reference)| {
                let length = released.len() as f64;
                let same: f64 =
                    released.iter().map(|symbol| f64::from(self.counts[*symbol as usize]) / length).sum();
                (length, reference.len() as f64, same / length)
            })
            .collect();
        let ambiguous = |length: &usize| {
            let found: f64 = shapes
                .iter()
                .map(|(rows, reference, same)| rows * reference * same.powi(*length as i32))
                .sum();
            found / rows > 0.5
        };
        let clear = LENGTHS.iter().take_while(|length| ambiguous(length)).count();
        let longest = self.released.iter().map(Vec::len).max().unwrap_or(0);
        let lengths = LENGTHS.iter().skip(clear.saturating_sub(1)).take(TRIED);
        lengths.copied().filter(|length| *length < longest).collect()
    }

    /// The same place of a stratum, from its beginning or from its end.
    fn places(&self, windows: &[(usize, std::ops::Range<usize>)], what: &str, evidence: &mut Evidence) {
        let mut gamblers = [Gambler::default(), Gambler::default()];
        let mut left = SymbolsLeft::of(self);
        for (at, window) in windows {
            let (released, reference) = (&self.released[*at], &self.reference[*at]);
            for place in window.clone() {
                let guesses = [reference.get(place), reference.iter().nth_back(place)];
                for (gambler, guess) in gamblers.iter_mut().zip(guesses) {
                    if let Some(guess) = guess {
                        gambler.bet(left.chance(*at, *guess), *guess == released[place]);
                    }
                }
                left.take(*at, released[place]);
            }
        }
        let [same, backwards] = &gamblers;
        evidence.gambler(same, &format!("the place of a row to be its place in {what}"));
        evidence.gambler(backwards, &format!("the place of a row to be its place in {what}, from the end"));
    }

    /// After some rows that are in the reference as well, what follows there, forwards or backwards.
    fn follow(
        &self,
        windows: &[(usize, std::ops::Range<usize>)],
        length: usize,
        what: &str,
        evidence: &mut Evidence,
    ) {
        // What follows the contexts that the release has: the symbol that most often does, by Boyer's and Moore's vote.
        let mut next = Votes::default();
        next.reserve(windows.iter().map(|(_, window)| window.len().saturating_sub(length)).sum());
        for (at, window) in windows {
            let rows = &self.released[*at][window.clone()];
            for (_, context) in
                contexts(rows.iter().copied(), length, *at).take_while(|(end, _)| *end < rows.len())
            {
                next.insert(context, [(UNKNOWN, 0); 2]);
            }
        }
        let mut ring: Vec<u32> = Vec::new();
        for (at, reference) in self.reference.iter().enumerate().filter(|(_, list)| list.len() > length) {
            // After its end the reference goes on with its beginning.
            ring.clear();
            ring.extend_from_slice(reference);
            ring.extend_from_slice(&reference[..length]);
            let last = ring.len() - 1;
            vote(&mut next, 0, contexts(ring.iter().copied(), length, at), |end| ring[end]);
            vote(&mut next, 1, contexts(ring.iter().rev().copied(), length, at), |end| ring[last - end]);
        }
        let mut gamblers = [Gambler::default(), Gambler::default()];
        let mut left = SymbolsLeft::of(self);
        for (at, window) in windows {
            let rows = &self.released[*at][window.clone()];
            let mut known = contexts(rows.iter().copied(), length, *at).peekable();
            for (place, row) in rows.iter().enumerate() {
                if let Some((_, context)) = known.next_if(|(end, _)| *end == place) {
                    for (gambler, next) in gamblers.iter_mut().zip(next.get(&context).into_iter().flatten()) {
                        if let (guess, 1..) = next {
                            gambler.bet(left.chance(*at, *guess), guess == row);
                        }
                    }
                }
                left.take(*at, *row);
            }
        }
        for (gambler, how) in gamblers.iter().zip(["what follows", "what precedes"]) {
            let rows =
                if length == 1 { "the row before".to_string() } else { format!("the {length} rows before") };
            evidence.gambler(gambler, &format!("{how} {rows} in {what}"));
        }
    }

    /// Whether rows follow the reference roughly: the number of pairs in the wrong order.
    ///
    /// For a random order of n rows with cₛ of each rank the generating function of this number is known, the Gaussian
    /// multinomial coefficient: E qˣ = Πᵢ₌₁ⁿ [i]/i : Πₛ Πⱼ₌₁..cₛ [j]/j with [i] = 1 + q + … + qⁱ⁻¹. So exp(λ(X - EX)) divided by
    /// its mean is a fair bet, for every λ.
    fn ranks(
        &self,
        windows: &[(usize, std::ops::Range<usize>)],
        parts: usize,
        what: &str,
        evidence: &mut Evidence,
    ) {
        let mut sums = vec![(0.0, 0u64); self.counts.len()];
        for reference in &self.reference {
            for (place, symbol) in reference.iter().enumerate() {
                let (sum, count) = &mut sums[*symbol as usize];
                *sum += place as f64;
                *count += 1;
            }
        }
        let key = |symbol: &u32| Some(sums[*symbol as usize]).filter(|(_, count)| *count > 0);
        let key = |symbol: &u32| key(symbol).map(|(sum, count)| sum / count as f64);
        let mut lists: Vec<Vec<f64>> = Vec::new();
        let mut open: Option<(usize, Vec<f64>)> = None;
        let mut close = |list: Vec<f64>| {
            let size = list.len().div_ceil(parts).max(1);
            lists.extend(list.chunks(size).filter(|part| part.len() > 1).map(<[f64]>::to_vec));
        };
        for (at, window) in windows {
            let keys = self.released[*at][window.clone()].iter().filter_map(key);
            match &mut open {
                Some((last, list)) if last == at => list.extend(keys),
                _ => {
                    let list = open.replace((*at, keys.collect()));
                    list.into_iter().for_each(|(_, list)| close(list));
                }
            }
        }
        open.into_iter().for_each(|(_, list)| close(list));
        rank_evidence(&lists, what, evidence);
    }
}

/// A list read in steps of `stride` places, from its end on to its beginning, until all of it is read.
fn around(list: &[u32], stride: usize) -> Vec<u32> {
    let (mut divisor, mut rest) = (list.len(), stride);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    let rounds = (0..divisor).flat_map(|first| (0..list.len() / divisor).map(move |step| (first, step)));
    rounds.map(|(first, step)| list[(first + step * stride) % list.len()]).collect()
}

/// The strata that each symbol is in; those of many strata are left out.
fn strata_of(released: &[(u32, u32)]) -> HashMap<u32, Vec<u32>, FixedState> {
    const MOST: usize = 8;
    let mut strata_of: HashMap<u32, Vec<u32>, FixedState> = HashMap::default();
    for (stratum, symbol) in released.iter().filter(|(_, symbol)| *symbol != UNKNOWN) {
        let strata = strata_of.entry(*symbol).or_default();
        if strata.len() <= MOST && !strata.contains(stratum) {
            strata.push(*stratum);
        }
    }
    strata_of.retain(|_, strata| strata.len() <= MOST);
    strata_of
}

/// The rows of each stratum that are still to come.
pub struct SymbolsLeft<'a> {
    strata: &'a Strata,
    taken: Vec<u32>,
    rows: Vec<usize>,
}

impl SymbolsLeft<'_> {
    pub fn of(strata: &Strata) -> SymbolsLeft<'_> {
        let rows = strata.released.iter().map(Vec::len).collect();
        SymbolsLeft { strata, taken: vec![0; strata.counts.len()], rows }
    }

    /// How likely a symbol is the next of its stratum.
    pub fn chance(&self, stratum: usize, symbol: u32) -> f64 {
        let left = self.strata.counts[symbol as usize] - self.taken[symbol as usize];
        f64::from(left) / self.rows[stratum] as f64
    }

    pub fn take(&mut self, stratum: usize, symbol: u32) {
        self.taken[symbol as usize] += 1;
        self.rows[stratum] -= 1;
    }
}

/// Numbers for every `length` symbols in a row, each with the place behind them.
fn contexts(
    symbols: impl Iterator<Item = u32> + Clone,
    length: usize,
    stratum: usize,
) -> impl Iterator<Item = (usize, u64)> {
    const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
    let scattered = |symbol: u32| {
        let mixed = (u64::from(symbol) + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
    };
    let leaving = (0..length).fold(1u64, |power, _| power.wrapping_mul(BASE));
    let mut behind = symbols.clone();
    let mut sum = 0u64;
    let seed = (stratum as u64).wrapping_mul(0xA076_1D64_78BD_642F);
    symbols.enumerate().filter_map(move |(place, symbol)| {
        sum = sum.wrapping_mul(BASE).wrapping_add(scattered(symbol));
        if place >= length {
            let old = behind.next().map_or(0, scattered);
            sum = sum.wrapping_sub(old.wrapping_mul(leaving));
        }
        (place + 1 >= length).then(|| (place + 1, (sum ^ (sum >> 29)).wrapping_add(seed)))
    })
}

/// Per context, the symbol that most often follows it and its lead, forwards and backwards.
type Votes = HashMap<u64, [(u32, u32); 2], FixedState>;

fn vote(
    next: &mut Votes,
    direction: usize,
    contexts: impl Iterator<Item = (usize, u64)>,
    following: impl Fn(usize) -> u32,
) {
    let mut contexts = contexts.peekable();
    while let Some((end, context)) = contexts.next() {
        // The last context has nothing behind it that was not there before.
        if contexts.peek().is_none() {
            break;
        }
        if let Some((symbol, votes)) = next.get_mut(&context).map(|votes| &mut votes[direction]) {
            let found = following(end);
            match (*symbol == found, *votes) {
                (true, _) => *votes += 1,
                (false, 0) => (*symbol, *votes) = (found, 1),
                (false, _) => *votes -= 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_are_told_apart() {
        let list = [1u32, 2, 3, 1, 2, 3, 1];
        let found: Vec<(usize, u64)> = contexts(list.iter().copied(), 2, 0).collect();
        assert_eq!(found.len(), 6);
        assert_eq!(found[0], (2, found[3].1));
        assert_ne!(found[0].1, found[1].1);
    }
}
