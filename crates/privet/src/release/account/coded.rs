//! A table as an analyst reads it: records with a cell per column, each cell standing for some of the original's values.
//!
//! In the original a cell stands for itself. In a release it stands for all values that were published as it, and the
//! analyst takes each of them for equally likely. One form for both is what makes them comparable.

use std::collections::BTreeMap;

use privet_engine::microdata::Microdata;
use privet_methods::injector::RecordGroups;
use privet_methods::recoding::Recoding;

/// More distinct records than this are not looked at one by one; every n-th is, and stands for n.
const MOST_RECORDS: usize = 50_000;

/// A column of the original: its values by code.
pub(super) struct CodedColumn<'a> {
    pub name: &'a str,
    pub values: &'a [String],
    /// Whether the codes follow the size of numbers.
    pub numeric: bool,
    pub sensitive: bool,
}

/// Records with a cell per column.
#[derive(Debug)]
pub(super) struct Coded {
    /// Column by column, the cell of every row; empty for a column that the table does not have.
    pub cells: Vec<Vec<u32>>,
    /// How many records each row stands for.
    pub weights: Vec<f64>,
    /// Per column and cell, the codes of the original that the cell stands for.
    pub cover: Vec<Vec<Vec<u32>>>,
    /// Per column, the cell that stands for a suppressed value, where there is one.
    pub stars: Vec<Option<u32>>,
}

impl Coded {
    fn new(width: usize) -> Coded {
        Coded {
            cells: vec![Vec::new(); width],
            weights: Vec::new(),
            cover: vec![Vec::new(); width],
            stars: vec![None; width],
        }
    }

    fn push(&mut self, cells: impl Iterator<Item = u32>, weight: f64) {
        self.cells.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
        self.weights.push(weight);
    }

    /// How many records there are.
    pub fn total(&self) -> f64 {
        self.weights.iter().sum()
    }
}

/// The quasi-identifiers and the tracked columns of a table, in this order.
pub(super) fn columns(microdata: &Microdata) -> Vec<CodedColumn<'_>> {
    let quasi = microdata.quasi.iter().zip(microdata.summary.columns()).map(|(quasi, column)| CodedColumn {
        name: &quasi.name,
        values: column.dictionary.values(),
        numeric: column.dictionary.numbers().is_some(),
        sensitive: false,
    });
    let tracked = microdata.carried().iter().map(|column| CodedColumn {
        name: &column.name,
        values: &column.values,
        numeric: column.numeric,
        sensitive: true,
    });
    quasi.chain(tracked).collect()
}

/// Every how many distinct records one is looked at.
pub(super) fn step(microdata: &Microdata) -> usize {
    microdata.summary.len().div_ceil(MOST_RECORDS).max(1)
}

fn sampled(microdata: &Microdata) -> impl Iterator<Item = usize> {
    (0..microdata.summary.len()).step_by(step(microdata))
}

/// The original.
pub(super) fn original(microdata: &Microdata) -> Coded {
    let columns = columns(microdata);
    let mut coded = Coded::new(columns.len());
    let (summary, step) = (&microdata.summary, step(microdata) as u64);
    let (quasi, tracked) = coded.cells.split_at_mut(microdata.quasi.len());
    for (at, cells) in quasi.iter_mut().enumerate() {
        cells.extend(sampled(microdata).map(|record| summary.record(record)[at]));
    }
    for (at, cells) in tracked.iter_mut().enumerate() {
        let coding = microdata.coding(at);
        cells.extend(sampled(microdata).map(|record| coding.code(summary.record(record)[coding.column])));
    }
    coded.weights = sampled(microdata).map(|record| (summary.count(record) * step) as f64).collect();
    coded.cover = columns.iter().map(|column| singletons(column.values.len())).collect();
    coded
}

fn singletons(values: usize) -> Vec<Vec<u32>> {
    (0..values as u32).map(|code| vec![code]).collect()
}

/// A generalised table with some of the tracked columns. What a label stands for is taken from the records that have it.
pub(super) fn generalised(microdata: &Microdata, recoding: &Recoding, tracked: &[usize]) -> Coded {
    let quasi = microdata.quasi.len();
    let columns = columns(microdata);
    let mut coded = Coded::new(columns.len());
    for (at, column) in columns.iter().enumerate() {
        match recoding.columns.get(at).filter(|_| at < quasi) {
            Some(recoded) => coded.cover[at] = vec![Vec::new(); recoded.cells.len()],
            None => {
                // One cell more, for suppressed ones: nothing is known of them.
                coded.cover[at] = singletons(column.values.len());
                coded.stars[at] = Some(column.values.len() as u32);
                coded.cover[at].push((0..column.values.len() as u32).collect());
            }
        }
    }
    let step = step(microdata) as u64;
    // The rows: the record that each comes from, and its class.
    let mut rows: Vec<(usize, u32)> = Vec::new();
    let mut last: Option<(&[u32], u32)> = None;
    for record in sampled(microdata) {
        let codes = microdata.quasi_codes(record);
        for (class, count) in recoding.destinations(record, microdata.summary.count(record)) {
            rows.push((record, class));
            coded.weights.push((count * step) as f64);
            // Records are sorted: those that look alike stand together, and are looked at once.
            if last.replace((codes, class)) != Some((codes, class)) {
                let cells = recoding.cells(class as usize);
                for ((cover, cell), code) in coded.cover.iter_mut().zip(cells).zip(codes) {
                    cover[*cell as usize].push(*code);
                }
            }
        }
    }
    for (at, cells) in coded.cells.iter_mut().enumerate().take(quasi) {
        cells.extend(rows.iter().map(|(_, class)| recoding.cells(*class as usize)[at]));
    }
    for at in tracked {
        let (coding, start) = (microdata.coding(*at), microdata.carried()[*at].slots.start);
        let star = coded.stars[quasi + at];
        coded.cells[quasi + at].extend(rows.iter().map(|(record, class)| {
            let code = coding.code(microdata.summary.record(*record)[coding.column]);
            star.filter(|_| recoding.is_starred(*class, start + code)).unwrap_or(code)
        }));
    }
    for cover in coded.cover.iter_mut().take(quasi).flatten() {
        cover.sort_unstable();
        cover.dedup();
    }
    coded
}

/// Records in groups: each has its own quasi-identifiers and, in equal parts, every sensitive value of its group.
pub(super) fn grouped(microdata: &Microdata, grouping: &RecordGroups) -> Coded {
    let columns = columns(microdata);
    let mut coded = Coded::new(columns.len());
    let tracked = microdata.carried().len();
    let places: usize = grouping.groups.iter().map(Vec::len).sum();
    let step = places.div_ceil(MOST_RECORDS).max(1);
    for group in grouping.groups.iter().step_by(step) {
        let mut values: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        for record in group {
            let codes = (0..tracked).map(|at| microdata.tracked_code(*record as usize, at)).collect();
            *values.entry(codes).or_default() += 1;
        }
        for record in group {
            for (codes, count) in &values {
                let cells = microdata.quasi_codes(*record as usize).iter().chain(codes).copied();
                coded.push(cells, step as f64 * *count as f64 / group.len() as f64);
            }
        }
    }
    coded.cover = columns.iter().map(|column| singletons(column.values.len())).collect();
    coded
}

#[cfg(test)]
impl Coded {
    /// Rows with a weight of 1 each, of columns with this many values.
    pub(super) fn of_rows(values: &[usize], rows: &[&[u32]]) -> Coded {
        let mut coded = Coded::new(values.len());
        rows.iter().for_each(|row| coded.push(row.iter().copied(), 1.0));
        coded.cover = values.iter().map(|count| singletons(*count)).collect();
        coded
    }
}
