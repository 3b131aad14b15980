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
pub struct ShownColumn<'a> {
    /// The number of a row's text.
    pub code: Box<dyn Fn(usize) -> u32 + 'a>,
    /// The texts by number.
    pub text: Box<dyn Fn(u32) -> &'a str + 'a>,
}

/// Rows that are put together.
struct RowGroups {
    /// Which rows begin something larger in which the groups are arranged.
    within: Vec<bool>,
    /// Which rows begin a group.
    begins: Vec<bool>,
}

/// What of the order follows from what is shown.
pub struct Arrangement {
    /// Which rows begin a run: those of a run could stand in any order.
    begins: Vec<bool>,
    groups: Vec<RowGroups>,
    /// The columns that rows are sorted by, or put together by.
    columns: Vec<usize>,
    /// Whether rows that are not alike are all sorted.
    is_complete: bool,
    /// The logarithm of the share of a coin that gamblers get who rely on this arrangement. The shares of all arrangements
    /// that a file may have sum up to one, so it does not matter that the arrangement was found by looking at the file. And
    /// where chance is held to have made the last steps, the coin is divided by how rarely it does: if they were made on
    /// purpose after all, gamblers who do not know of them win at most that many times more.
    pub handicap: f64,
}

/// A step of an arrangement: the rows of each run are sorted by a column, or put together by the cells of some.
struct ArrangementStep {
    columns: Vec<usize>,
    is_sorted: bool,
    /// Which rows begin a run before the step.
    before: Vec<bool>,
}

impl ArrangementStep {
    /// The logarithm of the chance that rows in random order are sorted, or put together, like that; `after` are the runs
    /// behind the step.
    fn ln_chance(&self, after: &[bool], ln_factorials: &[f64]) -> f64 {
        let mut chance = 0.0;
        let close = |rows: usize, groups: usize| {
            let ordered = if self.is_sorted { 0.0 } else { ln_factorials[groups] };
            ordered - ln_factorials[rows]
        };
        let (mut rows, mut groups, mut same) = (0, 0, 0);
        for (begins_before, begins_after) in self.before.iter().zip(after) {
            if *begins_before {
                chance += close(rows, groups);
                (rows, groups) = (0, 0);
            }
            if *begins_after {
                chance += ln_factorials[same];
                (groups, same) = (groups + 1, 0);
            }
            (rows, same) = (rows + 1, same + 1);
        }
        chance + ln_factorials[same] + close(rows, groups)
    }
}

/// Sequences of symbols to be compared: rows that could be about the same person have the same.
pub struct OrderView {
    pub released: Vec<u32>,
    pub reference: Vec<u32>,
}

type Compare = fn(&str, &str) -> Ordering;

impl Arrangement {
    /// Finds what follows from what is shown. `together` are columns whose cells taken together may make up groups.
    pub fn of(rows: usize, columns: &[ShownColumn<'_>], together: &[Vec<usize>]) -> Arrangement {
        let mut begins = vec![false; rows];
        begins.iter_mut().take(1).for_each(|first| *first = true);
        let mut steps: Vec<ArrangementStep> = Vec::new();
        let singles = (0..columns.len()).map(|column| vec![column]);
        let sets: Vec<Vec<usize>> = singles.chain(together.iter().cloned()).collect();
        loop {
            // Columns that are sorted are found in any order: what is sorted within larger runs is sorted within smaller ones.
            let sorted =
                columns.iter().enumerate().find_map(|(at, column)| Some((at, sorted(&begins, column)?)));
            if let Some((column, finer)) = sorted {
                steps.push(ArrangementStep { columns: vec![column], is_sorted: true, before: begins });
                begins = finer;
                continue;
            }
            // Few groups first: they may have smaller ones in them.
            let candidates = sets.iter().filter_map(|set| Some((set, grouped(&begins, columns, set)?)));
            let size = |(_, begins): &(_, Vec<bool>)| begins.iter().filter(|begins| **begins).count();
            let Some((set, finer)) = candidates.min_by_key(size) else { break };
            steps.push(ArrangementStep { columns: set.clone(), is_sorted: false, before: begins });
            begins = finer;
        }
        Arrangement::believed(steps, begins, sets.len())
    }

    /// Believes the steps that were found, except for the last ones that are as likely by chance.
    fn believed(mut steps: Vec<ArrangementStep>, mut begins: Vec<bool>, sets: usize) -> Arrangement {
        let is_complete = begins.iter().all(|begins| *begins) && steps.iter().all(|step| step.is_sorted);
        // One half for going on, and one of all sets and kinds.
        let price = std::f64::consts::LN_2 + (2.0 * sets.max(1) as f64).ln();
        let ln_factorials = ln_factorials(begins.len());
        let mut handicap = -std::f64::consts::LN_2;
        while let Some(step) = steps.last() {
            let chance = step.ln_chance(&begins, &ln_factorials);
            if chance < -price {
                break;
            }
            handicap += chance;
            begins = steps.pop().map_or(begins, |step| step.before);
        }
        handicap -= steps.len() as f64 * price;
        let mut groups = Vec::new();
        let afters: Vec<Vec<bool>> = (steps.iter().skip(1))
            .map(|step| step.before.clone())
            .chain((!steps.is_empty()).then(|| begins.clone()))
            .collect();
        for (step, after) in steps.iter().zip(afters) {
            if !step.is_sorted {
                rejoin(&step.before, &after, &mut begins);
                groups.push(RowGroups { within: step.before.clone(), begins: after });
            }
        }
        let columns = steps.into_iter().flat_map(|step| step.columns).collect();
        Arrangement { begins, groups, columns, handicap, is_complete }
    }

    /// Whether nothing is left that could be in another order.
    pub fn is_complete(&self) -> bool {
        self.is_complete
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
    pub fn evidence(&self, view: &OrderView, conditions: &[Vec<u32>], what: &str) -> Evidence {
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
    fn of_groups(&self, view: &OrderView, what: &str, evidence: &mut Evidence) {
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

/// The logarithms of the factorials up to that of a number.
fn ln_factorials(most: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let ln = |number: usize| {
        sum += (number.max(1) as f64).ln();
        sum
    };
    (0..=most).map(ln).collect()
}

/// Makes one run again of rows that were put together one by one: they could stand in any order.
fn rejoin(within: &[bool], groups: &[bool], begins: &mut [bool]) {
    let mut start = 0;
    for end in 1..=within.len() {
        if end == within.len() || within[end] {
            if groups[start..end].iter().all(|begins| *begins) {
                begins[start + 1..end].fill(false);
            }
            start = end;
        }
    }
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
fn sorted(begins: &[bool], column: &ShownColumn<'_>) -> Option<Vec<bool>> {
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

/// The runs that groups of rows with the same cells make of larger ones, if such rows are always together; `None` if not, or
/// if any order of the rows would do.
fn grouped(begins: &[bool], columns: &[ShownColumn<'_>], set: &[usize]) -> Option<Vec<bool>> {
    let cells = |row: usize| set.iter().map(move |column| (columns[*column].code)(row));
    let mut seen: HashSet<Vec<u32>, FixedState> = HashSet::default();
    // Whether rows of the run are alike, whether some are not, and whether both is true of a run.
    let (mut same, mut differs, mut matters) = (false, false, false);
    for (row, begins) in begins.iter().enumerate() {
        if *begins {
            seen.clear();
            (same, differs) = (false, false);
        } else if cells(row).eq(cells(row - 1)) {
            same = true;
            matters |= differs;
            continue;
        } else {
            differs = true;
            matters |= same;
        }
        if !seen.insert(cells(row).collect()) {
            return None;
        }
    }
    matters.then(|| refined(begins, |row| !cells(row).eq(cells(row - 1))))
}

fn refined(begins: &[bool], differs: impl Fn(usize) -> bool) -> Vec<bool> {
    begins.iter().enumerate().map(|(row, begins)| *begins || differs(row)).collect()
}
