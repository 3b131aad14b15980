//! What of a file's order follows from what it shows.
//!
//! A file that is sorted by some of its columns says nothing by that: the order follows from the cells. Only rows that have the
//! same cells there must be in a random order. And a file may put rows with the same cells together: then the order of those
//! groups must be random, and the order within them. Both may be repeated within groups.

use std::cmp::Ordering;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

use super::bets::Evidence;
use super::strata::Strata;
use super::{UNKNOWN, by_nature, by_number};

/// A column of a released file: what its rows show there.
pub struct Column<'a> {
    /// The number of a row's text.
    pub code: Box<dyn Fn(usize) -> u32 + 'a>,
    /// The texts by number.
    pub text: Box<dyn Fn(u32) -> &'a str + 'a>,
}

/// Rows that are put together.
struct Groups {
    /// Which rows begin something larger in which the groups are arranged.
    within: Vec<bool>,
    /// Which rows begin a group.
    begins: Vec<bool>,
}

/// What of the order follows from what is shown.
pub struct Arrangement {
    /// Which rows begin a run: those of a run could stand in any order.
    begins: Vec<bool>,
    groups: Vec<Groups>,
    /// The columns that rows are sorted by, or put together by.
    columns: Vec<usize>,
    /// The logarithm of the share of a coin that gamblers get who rely on this arrangement. The shares of all arrangements
    /// that a file may have sum up to one, so it does not matter that the arrangement was found by looking at the file.
    pub handicap: f64,
}

/// Sequences of symbols to be compared: rows that could be about the same person have the same.
pub struct View {
    pub released: Vec<u32>,
    pub reference: Vec<u32>,
}

type Compare = fn(&str, &str) -> Ordering;

impl Arrangement {
    /// Finds what follows from what is shown. `together` are columns whose cells taken together may make up groups.
    pub fn of(rows: usize, columns: &[Column<'_>], together: &[Vec<usize>]) -> Arrangement {
        let mut begins = vec![false; rows];
        begins.iter_mut().take(1).for_each(|first| *first = true);
        let (mut groups, mut used) = (Vec::new(), Vec::new());
        let mut steps = 0;
        let singles = (0..columns.len()).map(|column| vec![column]);
        let sets: Vec<Vec<usize>> = singles.chain(together.iter().cloned()).collect();
        loop {
            // Columns that are sorted are found in any order: what is sorted within larger runs is sorted within smaller ones.
            let sorted =
                columns.iter().enumerate().find_map(|(at, column)| Some((at, sorted(&begins, column)?)));
            if let Some((column, finer)) = sorted {
                begins = finer;
                used.push(column);
                steps += 1;
                continue;
            }
            // Few groups first: they may have smaller ones in them.
            let candidates = sets.iter().filter_map(|set| Some((set, grouped(&begins, columns, set)?)));
            let size = |(_, begins): &(_, Vec<bool>)| begins.iter().filter(|begins| **begins).count();
            let Some((set, finer)) = candidates.min_by_key(size).filter(|found| size(found) < rows) else {
                break;
            };
            used.extend(set);
            groups.push(Groups { within: begins, begins: finer.clone() });
            begins = finer;
            steps += 1;
        }
        // One in 2^(steps + 1) for their number, and one of all sets and kinds for each.
        let kinds = 2.0 * sets.len().max(1) as f64;
        let handicap = -f64::from(steps + 1) * std::f64::consts::LN_2 - f64::from(steps) * kinds.ln();
        Arrangement { begins, groups, columns: used, handicap }
    }

    /// Whether nothing is left that could be in another order.
    pub fn is_complete(&self) -> bool {
        self.groups.is_empty() && self.begins.iter().all(|begins| *begins)
    }

    /// Whether rows are sorted by a column, or put together by its cells.
    pub fn uses(&self, column: usize) -> bool {
        self.columns.contains(&column)
    }

    /// The run of each row.
    pub fn runs(&self) -> Vec<u32> {
        numbered(&self.begins)
    }

    /// Bets on the order of a file next to a reference. `conditions` are cells, by row, whose arrangement may be anything: rows
    /// that agree in them must be in random order.
    pub fn evidence(&self, view: &View, conditions: &[Vec<u32>], what: &str) -> Evidence {
        let mut evidence = Evidence::default();
        let runs = self.runs();
        self.of_groups(view, what, &mut evidence);
        let mut seen: Vec<(Vec<u32>, Evidence)> = Vec::new();
        let whole = vec![0; runs.len()];
        for condition in std::iter::once(&whole).chain(conditions) {
            let mut numbers: HashMap<(u32, u32), u32, FixedState> = HashMap::default();
            let strata: Vec<u32> = (runs.iter().zip(condition))
                .map(|(run, cell)| {
                    let next = numbers.len() as u32;
                    *numbers.entry((*run, *cell)).or_insert(next)
                })
                .collect();
            // The same gamblers twice: that keeps everybody's share.
            if let Some((_, same)) = seen.iter().find(|(other, _)| *other == strata) {
                evidence.join(same.clone(), 0.0);
                continue;
            }
            let released: Vec<(u32, u32)> =
                strata.iter().copied().zip(view.released.iter().copied()).collect();
            let found = Strata::within(&released, &view.reference).evidence(what);
            evidence.join(found.clone(), 0.0);
            seen.push((strata, found));
        }
        evidence
    }

    /// Bets on the order of groups: by the mean and by the first place that their rows have in the reference.
    fn of_groups(&self, view: &View, what: &str, evidence: &mut Evidence) {
        if self.groups.is_empty() {
            return;
        }
        // First place, sum and number by symbol.
        let mut places: HashMap<u32, (f64, f64, f64), FixedState> = HashMap::default();
        for (place, symbol) in view.reference.iter().enumerate().filter(|(_, symbol)| **symbol != UNKNOWN) {
            let (_, sum, count) = places.entry(*symbol).or_insert((place as f64, 0.0, 0.0));
            *sum += place as f64;
            *count += 1.0;
        }
        for groups in &self.groups {
            let (parents, numbers) = (numbered(&groups.within), numbered(&groups.begins));
            // By group: what it is in, the first place, sum and number.
            let mut found: Vec<(u32, f64, f64, f64)> = Vec::new();
            for ((parent, number), symbol) in parents.iter().zip(&numbers).zip(&view.released) {
                if found.len() <= *number as usize {
                    found.push((*parent, f64::INFINITY, 0.0, 0.0));
                }
                if let (Some(group), Some((first, sum, count))) = (found.last_mut(), places.get(symbol)) {
                    group.1 = group.1.min(*first);
                    group.2 += sum / count;
                    group.3 += 1.0;
                }
            }
            for mean in [true, false] {
                let key = |(_, first, sum, count): &(u32, f64, f64, f64)| {
                    let key = if mean { sum / count } else { *first };
                    (*count > 0.0).then_some(key)
                };
                let keys: Vec<Option<f64>> = found.iter().map(key).collect();
                let symbols = ranked(&keys);
                let mut reference: Vec<(u32, u32)> =
                    symbols.iter().zip(&found).map(|(symbol, group)| (group.0, *symbol)).collect();
                let released = reference.clone();
                reference.sort_unstable();
                let strata = Strata::of(released.into_iter(), reference.into_iter());
                let what = format!("{what} (rows that are put together count as one)");
                evidence.join(strata.evidence(&what), 0.0);
            }
        }
    }
}

/// The rank of every key among all: equal keys have the same, so that nothing depends on which of them comes first.
pub fn ranked(keys: &[Option<f64>]) -> Vec<u32> {
    let mut sorted: Vec<f64> = keys.iter().flatten().copied().collect();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let rank = |key: &f64| sorted.partition_point(|other| other < key) as u32;
    keys.iter().map(|key| key.as_ref().map_or(UNKNOWN, rank)).collect()
}

fn numbered(begins: &[bool]) -> Vec<u32> {
    let mut number = u32::MAX;
    let count = |begins: &bool| {
        number = number.wrapping_add(u32::from(*begins));
        number
    };
    begins.iter().map(count).collect()
}

/// The runs that a column makes of larger ones if it is sorted in each of them; `None` if not, or if that makes no difference.
fn sorted(begins: &[bool], column: &Column<'_>) -> Option<Vec<bool>> {
    const WAYS: [Compare; 3] = [Ord::cmp, by_number, by_nature];
    // For each way whether it can be rising or falling still.
    let mut still = [[true; 2]; WAYS.len()];
    let mut before = None;
    let mut differs = false;
    for (row, begins) in begins.iter().enumerate() {
        let code = (column.code)(row);
        let last = before.replace(code).filter(|last| !begins && *last != code);
        let Some(last) = last else { continue };
        differs = true;
        for (compare, still) in WAYS.iter().zip(&mut still) {
            match compare((column.text)(last), (column.text)(code)) {
                Ordering::Less => still[1] = false,
                Ordering::Greater => still[0] = false,
                Ordering::Equal => {}
            }
        }
        if !still.as_flattened().contains(&true) {
            return None;
        }
    }
    differs.then(|| refined(begins, |row| (column.code)(row) != (column.code)(row - 1)))
}

/// The runs that groups of rows with the same cells make of larger ones, if such rows are always together.
fn grouped(begins: &[bool], columns: &[Column<'_>], set: &[usize]) -> Option<Vec<bool>> {
    let cells = |row: usize| set.iter().map(move |column| (columns[*column].code)(row));
    let mut seen: HashSet<Vec<u32>, FixedState> = HashSet::default();
    let mut differs = false;
    for (row, begins) in begins.iter().enumerate() {
        if *begins {
            seen.clear();
        } else if cells(row).eq(cells(row - 1)) {
            continue;
        } else {
            differs = true;
        }
        if !seen.insert(cells(row).collect()) {
            return None;
        }
    }
    differs.then(|| refined(begins, |row| !cells(row).eq(cells(row - 1))))
}

fn refined(begins: &[bool], differs: impl Fn(usize) -> bool) -> Vec<bool> {
    begins.iter().enumerate().map(|(row, begins)| *begins || differs(row)).collect()
}
