//! Rows that could be about several people, and people who could be behind several kinds of rows.
//!
//! Where the cells of classes overlap, nobody can tell for sure which row of the original became a released one. But a file in
//! the original's order still fits it row by row, and a random order does not: gamblers follow guesses about where in the
//! original the file is at the moment, and bet that the next row fits as well.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::bets::{Evidence, Gambler};
use super::ranks::rank_evidence;

/// More pairs of original rows and released kinds than this are not looked at.
const MOST_PAIRS: usize = 1 << 24;

/// At most this many rows are read.
const ROWS: usize = 1 << 15;

/// Rows that fit more places of the original than this start no guess.
const MOST_PLACES: usize = 64;

/// At most this many guesses are followed.
const MOST_GUESSES: usize = 256;

/// A released file next to an original.
pub struct Fits<'a> {
    /// The kind of each row, and the stratum in which the row could stand anywhere.
    pub released: &'a [u32],
    pub strata: &'a [u32],
    /// The kind of each original row.
    pub original: &'a [u32],
    /// By kind of original rows the kinds of released rows that it could be, ascending.
    pub fits: &'a [Vec<u32>],
}

/// A guess where in the original the file is.
struct Guess {
    place: usize,
    backwards: bool,
    /// How much speaks for it: the logarithm of how unlikely the hits were.
    score: f64,
}

/// The rows still to come.
struct KindsLeft {
    kinds: HashMap<(u32, u32), u32, FixedState>,
    rows: HashMap<u32, u32, FixedState>,
}

impl KindsLeft {
    fn chance(&self, stratum: u32, kinds: &[u32]) -> f64 {
        let left = |kind: &u32| f64::from(self.kinds.get(&(stratum, *kind)).copied().unwrap_or(0));
        let rows = f64::from(self.rows.get(&stratum).copied().unwrap_or(1));
        kinds.iter().map(left).sum::<f64>() / rows
    }

    fn take(&mut self, stratum: u32, kind: u32) {
        self.kinds.entry((stratum, kind)).and_modify(|left| *left -= 1);
        self.rows.entry(stratum).and_modify(|left| *left -= 1);
    }
}

impl Fits<'_> {
    fn kinds_at(&self, place: usize) -> &[u32] {
        &self.fits[self.original[place] as usize]
    }

    /// Bets on the order of the file. The number of gamblers does not depend on that order.
    pub fn evidence(&self, what: &str, evidence: &mut Evidence) {
        let size = self.original.len();
        let pairs: usize = (0..size).map(|place| self.kinds_at(place).len()).sum();
        if pairs > MOST_PAIRS || size < 2 {
            return;
        }
        // By released kind the places that it fits, and their mean.
        let mut places: HashMap<u32, (Vec<usize>, f64, f64), FixedState> = HashMap::default();
        for place in 0..size {
            let kinds = self.kinds_at(place);
            for kind in kinds {
                let (list, sum, weight) = places.entry(*kind).or_default();
                if list.len() <= MOST_PLACES {
                    list.push(place);
                }
                *sum += place as f64 / kinds.len() as f64;
                *weight += 1.0 / kinds.len() as f64;
            }
        }
        self.ranks(&places, what, evidence);
        let mut left = KindsLeft { kinds: HashMap::default(), rows: HashMap::default() };
        for (stratum, kind) in self.strata.iter().zip(self.released) {
            *left.kinds.entry((*stratum, *kind)).or_default() += 1;
            *left.rows.entry(*stratum).or_default() += 1;
        }
        let mut gamblers: [Gambler; 3] = Default::default();
        let mut guesses: Vec<Guess> = Vec::new();
        let rows = self.strata.iter().zip(self.released).enumerate().take(ROWS);
        for (row, (stratum, kind)) in rows {
            let fits = |place: usize| self.kinds_at(place).binary_search(kind).is_ok();
            let best = guesses.iter().max_by(|one, other| one.score.total_cmp(&other.score));
            let expected = [Some(row), size.checked_sub(row + 1), best.map(|guess| guess.next(size))];
            for (gambler, place) in gamblers.iter_mut().zip(expected) {
                if let Some(place) = place.filter(|place| *place < size) {
                    gambler.bet(left.chance(*stratum, self.kinds_at(place)), fits(place));
                }
            }
            guesses.retain_mut(|guess| {
                guess.place = guess.next(size);
                let chance = left.chance(*stratum, self.kinds_at(guess.place)).clamp(1e-9, 1.0);
                guess.score -= chance.ln();
                fits(guess.place)
            });
            let starts = places.get(kind).map_or(&[][..], |(list, ..)| list.as_slice());
            if starts.len() <= MOST_PLACES {
                for place in starts {
                    for backwards in [false, true] {
                        let known = |guess: &Guess| guess.place == *place && guess.backwards == backwards;
                        if guesses.len() < MOST_GUESSES && !guesses.iter().any(known) {
                            guesses.push(Guess { place: *place, backwards, score: 0.0 });
                        }
                    }
                }
            }
            left.take(*stratum, *kind);
        }
        let how = [
            format!("a row to fit the row at its place in {what}"),
            format!("a row to fit the row at its place in {what}, from the end"),
            format!("a row to fit what follows or precedes in {what}"),
        ];
        gamblers.iter().zip(how).for_each(|(gambler, how)| evidence.gambler(gambler, &how));
    }

    /// Whether rows follow the mean places that they fit.
    fn ranks(
        &self,
        places: &HashMap<u32, (Vec<usize>, f64, f64), FixedState>,
        what: &str,
        evidence: &mut Evidence,
    ) {
        let mut lists: HashMap<u32, Vec<f64>, FixedState> = HashMap::default();
        for (stratum, kind) in self.strata.iter().zip(self.released).take(ROWS) {
            if let Some((_, sum, weight)) = places.get(kind) {
                lists.entry(*stratum).or_default().push(sum / weight);
            }
        }
        let mut strata: Vec<(u32, Vec<f64>)> = lists.into_iter().collect();
        strata.sort_by_key(|(stratum, _)| *stratum);
        let lists: Vec<Vec<f64>> = strata.into_iter().map(|(_, list)| list).collect();
        rank_evidence(&lists, what, evidence);
    }
}

impl Guess {
    fn next(&self, size: usize) -> usize {
        (self.place + if self.backwards { size - 1 } else { 1 }) % size
    }
}
