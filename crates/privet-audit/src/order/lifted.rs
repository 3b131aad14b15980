//! Rows of two tables that go together more or less: some kinds of rows belong to the same people more often than others.
//!
//! The *lift* of two kinds is how many people have both, divided by how many would if the tables had nothing to do with each
//! other. Gamblers hold the tables against each other, and bet on the kind of a row by the lift it has with the kind of the row
//! next to it: in the same order, backwards, or shifted. Which shift it might be is looked up; there is one gambler for each
//! of them, so the money is divided by their number.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::bets::{Coins, Evidence, mean};

/// At most about this many pairs of rows are looked at to find one shift.
const PAIRS: usize = 1 << 21;

/// At most this many rows are bet on in one part.
const ROWS: usize = 1 << 15;

/// The shares of rows that gamblers think to go together.
const SHARES: [f64; 3] = [0.2, 0.7, 0.98];

/// Parts of a file that may have different shifts.
const PARTS: usize = 8;

/// Two tables as kinds of rows. The second is the one whose order is judged.
pub struct Lifted<'a> {
    pub first: &'a [u32],
    pub second: &'a [u32],
    /// By row of the second table the stratum in which it could stand anywhere.
    pub strata: &'a [u32],
    /// How many people have both kinds.
    pub people: &'a HashMap<(u32, u32), u64>,
}

/// Kinds that go with a kind, with a weight each.
type Going = HashMap<u32, Vec<(u32, f64)>, FixedState>;

/// How the tables are held against each other: the row of the first for a row of the second.
#[derive(Clone, Copy)]
struct TableWay {
    backwards: bool,
    shift: usize,
    rows: usize,
}

impl TableWay {
    fn place(self, row: usize) -> usize {
        let row = if self.backwards { self.rows - 1 - row % self.rows } else { row };
        (row + self.shift) % self.rows
    }
}

impl Lifted<'_> {
    /// Bets on rows of both tables at the same place only.
    pub fn side_by_side(&self, what: &str, evidence: &mut Evidence) {
        if self.first.is_empty() || self.first.len() != self.second.len() {
            return;
        }
        let (lifts, _) = self.lifts();
        let way = TableWay { backwards: false, shift: 0, rows: self.first.len() };
        let (ln, (lift, of)) = self.bet(way, 0..self.second.len().min(ROWS), &lifts);
        evidence.add(ln, || {
            format!(
                "within classes, an attacker who expects a row to go with the row at its place in {what} does better than chance: \
                 {lift:.1} times as many people as by chance fit both, on average of {of} rows"
            )
        });
    }

    /// By kind of the first table the kinds of the second that go with it, and the other way round.
    fn lifts(&self) -> (Going, Going) {
        let counted = |kinds: &[u32]| {
            let mut counts: HashMap<u32, f64, FixedState> = HashMap::default();
            kinds.iter().for_each(|kind| *counts.entry(*kind).or_default() += 1.0);
            counts
        };
        let (of_first, of_second) = (counted(self.first), counted(self.second));
        let (mut lifts, mut going) = (Going::default(), Going::default());
        let mut pairs: Vec<(&(u32, u32), &u64)> = self.people.iter().collect();
        pairs.sort_unstable();
        for ((one, two), people) in pairs {
            let (Some(here), Some(there)) = (of_first.get(one), of_second.get(two)) else { continue };
            let lift = *people as f64 * self.first.len() as f64 / (here * there);
            lifts.entry(*one).or_default().push((*two, lift));
            if lift > 1.0 {
                going.entry(*two).or_default().push((*one, lift.ln()));
            }
        }
        (lifts, going)
    }

    pub fn evidence(&self, what: &str, evidence: &mut Evidence) {
        let rows = self.first.len();
        if rows < 2 || self.second.len() < 2 {
            return;
        }
        let (lifts, going) = self.lifts();
        let mut places: HashMap<u32, Vec<usize>, FixedState> = HashMap::default();
        for (place, kind) in self.first.iter().enumerate() {
            places.entry(*kind).or_default().push(place);
        }
        for backwards in [false, true] {
            let how =
                if backwards { "a row to go with the row from the end" } else { "a row to go with the row" };
            let way = TableWay { backwards, shift: 0, rows };
            let tell = |shift: usize, (hits, of): (f64, usize)| {
                let by = if shift == 0 { String::new() } else { format!(", shifted by {shift}") };
                format!(
                    "an attacker who expects {how} at its place in {what}{by} does better than chance: {hits:.1} times as many people \
                     as by chance fit both, on average of {of} rows"
                )
            };
            let (ln, found) = self.bet(way, 0..self.second.len().min(ROWS), &lifts);
            evidence.add(ln, || tell(0, found));
            for parts in [1, PARTS] {
                let size = self.second.len().div_ceil(parts);
                for part in 0..parts {
                    let window = part * size..((part + 1) * size).min(self.second.len()).max(part * size);
                    let shift = self.likeliest(backwards, window.clone(), &going, &places);
                    let way = TableWay { backwards, shift, rows };
                    let window = window.start..window.end.min(window.start + ROWS);
                    let (ln, found) = self.bet(way, window, &lifts);
                    evidence.add(ln - (rows as f64).ln(), || tell(shift, found));
                }
            }
        }
    }

    /// The shift at which most rows go together.
    fn likeliest(
        &self,
        backwards: bool,
        window: std::ops::Range<usize>,
        going: &Going,
        places: &HashMap<u32, Vec<usize>, FixedState>,
    ) -> usize {
        let rows = self.first.len();
        let way = TableWay { backwards, shift: 0, rows };
        let mut scores = vec![0.0; rows];
        let mut looked_at = 0;
        for row in window {
            let at = way.place(row);
            for (kind, weight) in going.get(&self.second[row]).into_iter().flatten() {
                let places = places.get(kind).map_or(&[][..], Vec::as_slice);
                looked_at += places.len();
                places.iter().for_each(|place| scores[(place + rows - at) % rows] += weight);
            }
            if looked_at > PAIRS {
                break;
            }
        }
        let best = scores.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1));
        best.map_or(0, |(shift, _)| shift)
    }

    /// What gamblers have at the end, and the mean lift of the rows.
    fn bet(&self, way: TableWay, window: std::ops::Range<usize>, lifts: &Going) -> (f64, (f64, usize)) {
        let mut kinds: HashMap<(u32, u32), f64, FixedState> = HashMap::default();
        let mut left: HashMap<u32, f64, FixedState> = HashMap::default();
        for (stratum, kind) in self.strata.iter().zip(self.second) {
            *kinds.entry((*stratum, *kind)).or_default() += 1.0;
            *left.entry(*stratum).or_default() += 1.0;
        }
        let mut coins = [Coins::default(); SHARES.len()];
        let (mut sum, mut bets, mut looked_at) = (0.0, 0, 0);
        for row in window {
            let (stratum, own) = (self.strata[row], self.second[row]);
            let rest = left.get(&stratum).copied().unwrap_or(1.0);
            let list = lifts.get(&self.first[way.place(row)]).map_or(&[][..], Vec::as_slice);
            looked_at += list.len();
            let odds = |(kind, lift): &(u32, f64)| {
                kinds.get(&(stratum, *kind)).map_or(0.0, |count| count / rest * lift)
            };
            let all: f64 = list.iter().map(odds).sum();
            if all > 0.0 {
                let lift = list.iter().find(|(kind, _)| *kind == own).map_or(0.0, |(_, lift)| lift / all);
                for (coins, share) in coins.iter_mut().zip(SHARES) {
                    coins.times(1.0 - share + share * lift);
                }
                sum += lift;
                bets += 1;
            }
            kinds.entry((stratum, own)).and_modify(|count| *count -= 1.0);
            left.entry(stratum).and_modify(|count| *count -= 1.0);
            if looked_at > 8 * PAIRS {
                break;
            }
        }
        (mean(&coins.map(|coins| coins.ln())), (sum / f64::from(bets.max(1)), bets as usize))
    }
}
