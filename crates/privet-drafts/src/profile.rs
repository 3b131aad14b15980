//! One pass over the data: what each column holds, and a sample of records to measure how identifying they are.
//!
//! Memory stays bounded whatever the data: distinct values are counted up to a limit, the values themselves are kept up to a
//! lower one, and records are sampled.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};

use super::kind::{Shape, ValueKind};
use super::reading;
use super::sample::Sample;
use privet_core::{Result, place};
use privet_data::Source;

/// Distinct values that are counted exactly, per column.
const MOST_DISTINCT: usize = 1_000_000;
/// Distinct values that are kept to build a hierarchy from, per column.
const MOST_KEPT: usize = 100_000;
/// Records of the sample.
const MOST_SAMPLED: usize = 300_000;
/// Values that all columns together may count, so that a table of a thousand columns fits memory too.
const MOST_TOGETHER: usize = 24_000_000;
/// More numbers than this become ranges, for which their bounds are enough.
const MOST_NUMBERS_KEPT: usize = 5_000;

/// Spellings of a missing value, in lower case and without spaces around them.
const MISSING: [&str; 11] = ["", "?", "na", "n/a", "#n/a", "null", "nan", "nil", "-", "--", "."];

/// The sample's sign for a missing cell; the values of a column are numbered from 1.
pub(super) const MISSING_CODE: u32 = 0;
/// What marks codes of values that were too many to be numbered.
const UNNUMBERED: u32 = 1 << 31;

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
    /// The lines of its section that say how its cells are written.
    pub keys: Vec<String>,
    /// The days that its cells are by the second of two possible readings.
    pub other_days: Vec<String>,
    /// Numbers that probably stand for a missing value, and how often each occurs.
    pub codes_for_unknown: Vec<(String, u64)>,
    /// The first distinct values, in the order in which they appear.
    kept: Vec<String>,
    missing_hashes: Vec<u64>,
    numbers: HashTable<(u64, u32)>,
    /// How often each numbered value occurs.
    counts: Vec<u32>,
    most_distinct: usize,
    /// Cells with a value that were read before the distinct values became too many to count.
    counted: u64,
    /// Cells that are the same as the one above them, and that one.
    repeated: u64,
    last: u64,
    last_code: u32,
}

impl ColumnProfile {
    fn new(name: &str, most_distinct: usize) -> ColumnProfile {
        ColumnProfile {
            name: name.to_string(),
            missing: Vec::new(),
            shape: Shape::new(),
            keys: Vec::new(),
            other_days: Vec::new(),
            codes_for_unknown: Vec::new(),
            kept: Vec::new(),
            missing_hashes: Vec::new(),
            numbers: HashTable::new(),
            counts: Vec::new(),
            most_distinct,
            counted: 0,
            repeated: 0,
            last: 0,
            last_code: MISSING_CODE,
        }
    }

    /// Takes one cell into account and returns its code for the sample. No cell has the hash 0.
    #[inline]
    fn observe(&mut self, cell: &str, hash: u64) -> u32 {
        let again = self.last == hash;
        self.repeated += u64::from(again);
        if again && self.last_code != MISSING_CODE && self.last_code < UNNUMBERED {
            self.counted += u64::from(!self.is_saturated());
            self.counts[self.last_code as usize - 1] += 1;
            return self.last_code;
        }
        self.last = hash;
        self.last_code = self.code_of(cell, hash);
        self.last_code
    }

    fn code_of(&mut self, cell: &str, hash: u64) -> u32 {
        if let Some((_, code)) = self.numbers.find(hash, |(known, _)| *known == hash) {
            let code = *code;
            self.counted += u64::from(!self.is_saturated());
            self.counts[code as usize - 1] += 1;
            return code;
        }
        if let Some(spelling) = self.missing_hashes.iter().position(|missing| *missing == hash) {
            self.missing[spelling].1 += 1;
            return MISSING_CODE;
        }
        if is_missing(cell) {
            self.missing_hashes.push(hash);
            self.missing.push((cell.to_string(), 1));
            return MISSING_CODE;
        }
        self.shape.observe(cell);
        let most_kept = if self.shape.is_number() { MOST_NUMBERS_KEPT } else { MOST_KEPT };
        if self.kept.len() <= most_kept {
            self.kept.push(cell.to_string());
        }
        if self.is_saturated() {
            return UNNUMBERED | (hash as u32 & !UNNUMBERED);
        }
        self.counted += 1;
        self.counts.push(1);
        let code = self.counts.len() as u32;
        self.numbers.insert_unique(hash, (hash, code), |(hash, _)| *hash);
        code
    }

    /// Reads all cells in another way: as what `read` makes of them, or as missing where it makes nothing of them. `codes` are the
    /// column's cells in the sample.
    pub fn reread(&mut self, codes: &mut [u32], read: impl Fn(&str) -> Option<String>) {
        let is_whole = self.values().is_some();
        let before = std::mem::take(&mut self.kept);
        self.shape = Shape::new();
        if !is_whole {
            // The rest is not known. What was kept shows what the values look like.
            self.kept = before.iter().filter_map(|cell| read(cell)).collect();
            self.kept.iter().for_each(|value| self.shape.observe(value));
            return;
        }
        let counts = std::mem::take(&mut self.counts);
        let mut renumbered = vec![MISSING_CODE; counts.len() + 1];
        let mut known: HashMap<String, u32> = HashMap::new();
        for (code, (cell, count)) in (1usize..).zip(before.into_iter().zip(counts)) {
            let Some(value) = read(&cell) else {
                self.missing.push((cell, u64::from(count)));
                self.counted -= u64::from(count);
                continue;
            };
            let next = self.kept.len() as u32 + 1;
            let number = *known.entry(value.clone()).or_insert(next);
            if number == next {
                self.shape.observe(&value);
                self.kept.push(value);
                self.counts.push(0);
            }
            self.counts[number as usize - 1] += count;
            renumbered[code] = number;
        }
        codes.iter_mut().for_each(|code| *code = renumbered[*code as usize]);
    }

    pub fn kind(&self) -> ValueKind {
        self.shape.kind()
    }

    /// All distinct values in the order in which they appear; `None` where there are too many to keep.
    pub fn values(&self) -> Option<&[String]> {
        let all = !self.is_saturated() && self.kept.len() == self.counts.len();
        all.then_some(self.kept.as_slice())
    }

    /// The first distinct values: all of them, or as many as were kept.
    pub fn first_values(&self) -> &[String] {
        &self.kept
    }

    /// All distinct values with how often each occurs; `None` where there are too many to keep.
    pub fn counted_values(&self) -> Option<Vec<(String, u64)>> {
        let values = self.values()?;
        Some(values.iter().cloned().zip(self.counts.iter().map(|count| u64::from(*count))).collect())
    }

    /// The number of distinct values.
    pub fn distinct(&self) -> u64 {
        self.counts.len() as u64
    }

    /// How many values occur once only; `None` where there were too many to count.
    pub fn singles(&self) -> Option<u64> {
        (!self.is_saturated()).then(|| self.counts.iter().filter(|count| **count == 1).count() as u64)
    }

    /// How many records the most common value has.
    pub fn most_common(&self) -> u64 {
        self.counts.iter().copied().max().map_or(0, u64::from)
    }

    /// Whether there may be more distinct values than were counted.
    pub fn is_saturated(&self) -> bool {
        self.counts.len() >= self.most_distinct
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

/// Reads the table once; `each` hears after every batch how many bytes were read.
pub(super) fn profile(source: &Source, each: &mut dyn FnMut(u64) -> Result<()>) -> Result<Profile> {
    let width = source.columns().len();
    let most = |limit: usize| limit.min(MOST_TOGETHER / width.max(1)).max(1_000);
    let mut columns: Vec<ColumnProfile> =
        source.columns().iter().map(|column| ColumnProfile::new(&column.name, most(MOST_DISTINCT))).collect();
    let mut sample = Sample::new(width, most(MOST_SAMPLED));
    let mut rows = 0;
    // A fixed state: the same data gives the same draft.
    let state = FixedState::default();
    source.read(&mut |batch, bytes| {
        place::unless_stopped()?;
        each(bytes)?;
        for row in 0..batch.rows() {
            let sampled = sample.takes(rows);
            for (index, (cell, column)) in batch.cells(row).zip(&mut columns).enumerate() {
                let code = column.observe(cell, state.hash_one(cell).max(1));
                if sampled {
                    sample.push(index, code);
                }
            }
            rows += 1;
        }
        Ok(())
    })?;
    let mut profile = Profile { rows, columns, sample };
    reading::understand(&mut profile);
    Ok(profile)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_differ_are_noticed_even_when_they_are_too_many_to_count() {
        let (mut numbered, mut repeated) = (ColumnProfile::new("a", 50), ColumnProfile::new("b", 50));
        for number in 1..=1000u64 {
            numbered.observe(&number.to_string(), number);
            repeated.observe(&(number / 4).to_string(), number / 4 + 1);
        }
        assert!(numbered.is_saturated() && numbered.mostly_differ(95) && numbered.values().is_none());
        assert!(repeated.is_saturated() && !repeated.mostly_differ(50) && repeated.singles().is_none());
    }

    #[test]
    fn values_are_counted() {
        let mut column = ColumnProfile::new("a", 50);
        for (cell, hash) in [("x", 1), ("x", 1), ("?", 2), ("y", 3), ("?", 2), ("x", 1), ("z", 4)] {
            column.observe(cell, hash);
        }
        assert_eq!((column.distinct(), column.singles(), column.most_common()), (3, Some(2), 3));
        assert_eq!(column.missing, [("?".to_string(), 2)]);
        let counted = column.counted_values().expect("few values");
        assert_eq!(counted, [("x".to_string(), 3), ("y".to_string(), 1), ("z".to_string(), 1)]);
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
