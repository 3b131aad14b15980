//! One pass over the data: what each column holds, and a sample of records to measure how identifying they are.
//!
//! Memory stays bounded whatever the data: distinct values are counted by their hashes up to a limit, the values
//! themselves are kept up to a lower one, and records are sampled.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashSet;

use super::kind::{Shape, ValueKind};
use privet_core::{Result, place};
use privet_data::Source;

/// Distinct values that are counted exactly, per column.
const MOST_DISTINCT: usize = 1_000_000;
/// Distinct values that are kept to build a hierarchy from, per column.
const MOST_KEPT: usize = 100_000;
/// Records of the sample.
const MOST_SAMPLED: usize = 200_000;
/// Hashes that all columns together may hold, so that a table of a thousand columns fits memory too.
const MOST_HASHES: usize = 16_000_000;

/// Spellings of a missing value, in lower case and without spaces around them.
const MISSING: [&str; 11] = ["", "?", "na", "n/a", "#n/a", "null", "nan", "nil", "-", "--", "."];

/// The sample's sign for a missing cell.
const MISSING_HASH: u64 = 0;

/// What one pass over a table finds out.
pub(super) struct Profile {
    pub rows: u64,
    pub columns: Vec<ColumnProfile>,
    pub sample: Sample,
}

/// What one pass finds out about a column.
pub(super) struct ColumnProfile {
    pub name: String,
    /// Spellings of a missing value and how often each occurs, in the order in which they appear.
    pub missing: Vec<(String, u64)>,
    pub shape: Shape,
    /// The distinct values in the order in which they appear; `None` when there are too many to keep.
    pub values: Option<Vec<String>>,
    missing_hashes: Vec<u64>,
    hashes: HashSet<u64>,
    most_distinct: usize,
    /// Cells with a value that were read before the distinct values became too many to count.
    counted: u64,
    /// Cells that are the same as the one above them, and that one.
    repeated: u64,
    last: u64,
}

impl ColumnProfile {
    fn new(name: &str, most_distinct: usize) -> ColumnProfile {
        ColumnProfile {
            name: name.to_string(),
            missing: Vec::new(),
            shape: Shape::new(),
            values: Some(Vec::new()),
            missing_hashes: Vec::new(),
            hashes: HashSet::new(),
            most_distinct,
            counted: 0,
            repeated: 0,
            last: MISSING_HASH,
        }
    }

    /// Takes one cell into account and returns its hash for the sample.
    fn observe(&mut self, cell: &str, hash: u64) -> u64 {
        self.repeated += u64::from(std::mem::replace(&mut self.last, hash) == hash);
        if let Some(spelling) = self.missing_hashes.iter().position(|missing| *missing == hash) {
            self.missing[spelling].1 += 1;
            return MISSING_HASH;
        }
        if self.hashes.contains(&hash) {
            self.counted += u64::from(!self.is_saturated());
            return hash;
        }
        if is_missing(cell) {
            self.missing_hashes.push(hash);
            self.missing.push((cell.to_string(), 1));
            return MISSING_HASH;
        }
        self.shape.observe(cell);
        if !self.is_saturated() {
            self.counted += 1;
            self.hashes.insert(hash);
        }
        match &mut self.values {
            Some(values) if values.len() < MOST_KEPT => values.push(cell.to_string()),
            values => *values = None,
        }
        hash
    }

    pub fn kind(&self) -> ValueKind {
        self.shape.kind()
    }

    /// The number of distinct values.
    pub fn distinct(&self) -> u64 {
        self.hashes.len() as u64
    }

    /// Whether there may be more distinct values than were counted.
    pub fn is_saturated(&self) -> bool {
        self.hashes.len() >= self.most_distinct
    }

    /// Whether at least this share, in percent, of the cells with a value are the first ones with theirs.
    pub fn mostly_differ(&self, percent: u64) -> bool {
        self.counted > 0 && self.distinct() * 100 >= self.counted * percent
    }

    /// Whether some value occurs more than once.
    pub fn has_repeats(&self) -> bool {
        self.counted > self.distinct()
    }

    /// Whether values occur at most this often, on average.
    pub fn recurs_at_most(&self, times: u64) -> bool {
        self.counted <= self.distinct().saturating_mul(times)
    }

    /// Whether at least this share, in percent, of the cells that are not the first ones with their value stand right below an equal one.
    pub fn stand_together(&self, percent: u64) -> bool {
        let again = self.counted.saturating_sub(self.distinct());
        again > 0 && !self.is_saturated() && self.repeated * 100 >= again * percent
    }

    /// How many cells are missing.
    pub fn missing_cells(&self) -> u64 {
        self.missing.iter().map(|(_, count)| count).sum()
    }
}

fn is_missing(cell: &str) -> bool {
    let cell = cell.trim();
    cell.len() <= 4 && MISSING.iter().any(|spelling| cell.eq_ignore_ascii_case(spelling))
}

/// Reads the table once.
pub(super) fn profile(source: &Source) -> Result<Profile> {
    let width = source.columns().len();
    let most = |limit: usize| limit.min(MOST_HASHES / width.max(1)).max(1_000);
    let mut columns: Vec<ColumnProfile> =
        source.columns().iter().map(|column| ColumnProfile::new(&column.name, most(MOST_DISTINCT))).collect();
    let mut sample = Sample::new(width, most(MOST_SAMPLED));
    let mut rows = 0;
    let mut record = vec![0; width];
    // A fixed state: the same data gives the same draft.
    let state = FixedState::default();
    source.read(&mut |batch, _| {
        place::unless_stopped()?;
        for row in 0..batch.rows() {
            for (index, column) in columns.iter_mut().enumerate() {
                let cell = batch.cell(row, index);
                record[index] = column.observe(cell, state.hash_one(cell).max(MISSING_HASH + 1));
            }
            sample.offer(rows, &record);
            rows += 1;
        }
        Ok(())
    })?;
    Ok(Profile { rows, columns, sample })
}

/// Records chosen as if at random, each cell as a hash.
///
/// A record is in the sample when the hash of its number lies below a bound; a full sample halves the bound. So every
/// record has the same chance, and the same table gives the same sample.
pub(super) struct Sample {
    width: usize,
    most: usize,
    bound: u64,
    numbers: Vec<u64>,
    cells: Vec<u64>,
}

impl Sample {
    fn new(width: usize, most: usize) -> Sample {
        Sample { width, most, bound: u64::MAX, numbers: Vec::new(), cells: Vec::new() }
    }

    fn offer(&mut self, number: u64, record: &[u64]) {
        if mixed(number) > self.bound {
            return;
        }
        while self.numbers.len() >= self.most {
            self.halve();
        }
        if mixed(number) <= self.bound {
            self.numbers.push(number);
            self.cells.extend_from_slice(record);
        }
    }

    fn halve(&mut self) {
        self.bound /= 2;
        let kept: Vec<bool> = self.numbers.iter().map(|number| mixed(*number) <= self.bound).collect();
        let mut record = kept.iter();
        self.numbers.retain(|_| record.next() == Some(&true));
        let width = self.width.max(1);
        let mut cell = 0;
        self.cells.retain(|_| {
            cell += 1;
            kept[(cell - 1) / width]
        });
    }

    /// The number of records in the sample.
    pub fn len(&self) -> u64 {
        self.numbers.len() as u64
    }

    /// How many records of the sample are the only ones with their values in these columns.
    pub fn unique(&self, columns: &[usize]) -> u64 {
        let tuples = self.sorted(columns);
        tuples.chunk_by(|a, b| a == b).filter(|equal| equal.len() == 1).count() as u64
    }

    /// How many different combinations of values the sample has in these columns.
    pub fn distinct(&self, columns: &[usize]) -> u64 {
        self.sorted(columns).chunk_by(|a, b| a == b).count() as u64
    }

    /// What the records hold in these columns, as hashes, equal ones next to each other.
    fn sorted(&self, columns: &[usize]) -> Vec<u64> {
        if columns.is_empty() || self.width == 0 {
            return Vec::new();
        }
        let tuple = |record: &[u64]| columns.iter().fold(0, |hash, column| mixed(hash ^ record[*column]));
        let mut tuples: Vec<u64> = self.cells.chunks_exact(self.width).map(tuple).collect();
        tuples.sort_unstable();
        tuples
    }

    /// How many records of the sample miss a value in one of these columns.
    pub fn incomplete(&self, columns: &[usize]) -> u64 {
        let misses = |record: &&[u64]| columns.iter().any(|column| record[*column] == MISSING_HASH);
        self.cells.chunks_exact(self.width.max(1)).filter(misses).count() as u64
    }
}

/// The finaliser of SplitMix64: neighbouring numbers become unrelated ones.
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_sample_is_thinned_evenly() {
        let mut sample = Sample::new(2, 1000);
        for number in 0..100_000 {
            sample.offer(number, &[number + 1, 7]);
        }
        assert!((500..=1000).contains(&sample.len()), "{}", sample.len());
        assert_eq!(sample.cells.len(), 2 * sample.numbers.len());
        assert!(sample.numbers.iter().zip(sample.cells.chunks(2)).all(|(n, cells)| cells == [n + 1, 7]));
        let early = sample.numbers.iter().filter(|number| **number < 50_000).count() as u64;
        assert!(early * 5 > sample.len() * 2 && early * 5 < sample.len() * 3, "{early} of {}", sample.len());
        assert_eq!((sample.unique(&[0]), sample.unique(&[1]), sample.unique(&[0, 1])), {
            (sample.len(), 0, sample.len())
        });
    }

    #[test]
    fn values_that_differ_are_noticed_even_when_they_are_too_many_to_count() {
        let (mut numbered, mut repeated) = (ColumnProfile::new("a", 50), ColumnProfile::new("b", 50));
        for number in 1..=1000u64 {
            numbered.observe(&number.to_string(), number);
            repeated.observe(&(number / 4).to_string(), number / 4);
        }
        assert!(numbered.is_saturated() && numbered.mostly_differ(95));
        assert!(repeated.is_saturated() && !repeated.mostly_differ(50));
    }

    #[test]
    fn spellings_of_missing_values_are_recognised() {
        for cell in ["", " ", "?", "NA", "n/a", "NULL", "NaN", "-", "."] {
            assert!(is_missing(cell), "{cell}");
        }
        for cell in ["0", "none", "unknown", "Nathan", "-1"] {
            assert!(!is_missing(cell), "{cell}");
        }
    }
}
