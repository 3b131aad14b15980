//! What sets of columns tell: distinction and separation (Motwani and Xu 2007), and special uniques (Elliot, Manning and Ford
//! 2002; Manning, Haglin and Keane 2008).
//!
//! One walk over the sets, each grown from one with a column less, whose groups are already numbered.

use hashbrown::HashMap;

use privet_core::Result;

/// At most this many sets are looked at.
pub const MOST_SETS: u128 = 100_000;

/// Groups are counted in an array up to this many places, and by hashes beyond.
const MOST_PLACES: u64 = 1 << 22;

/// What a set of columns tells.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnSet {
    /// The columns, by position, ascending.
    pub columns: Vec<usize>,
    /// How many different combinations of values they have.
    pub combinations: u64,
    /// How many ordered pairs of different records agree on all of them: Σ n(n − 1).
    pub alike: u128,
}

impl ColumnSet {
    /// Different combinations, as a share of the records.
    pub fn distinction(&self, records: u64) -> f64 {
        if records == 0 { 0.0 } else { self.combinations as f64 / records as f64 }
    }

    /// The share of pairs of records that differ. A single record has no pair, and nothing to be told from.
    pub fn separation(&self, records: u64) -> f64 {
        let pairs = u128::from(records) * u128::from(records.saturating_sub(1));
        if pairs == 0 { 0.0 } else { (pairs - self.alike) as f64 / pairs as f64 }
    }
}

/// The minimal sample uniques: sets of columns on which a record is alone, and on no proper subset of which it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpecialUniques {
    /// The largest sets that were looked at.
    pub largest: usize,
    /// How many there are by size, from 1 on.
    pub by_size: Vec<u64>,
    /// How many records have one.
    pub records: u64,
    /// By distinct record, Σ (m − size)! over its minimal uniques, m columns. Numbers that are too large stay at the largest.
    pub scores: Vec<u128>,
    /// By column, the total score of the minimal uniques that hold it.
    pub by_column: Vec<u128>,
    /// The total score.
    pub total: u128,
}

/// Distinct records as codes, with how often each occurs.
#[derive(Debug, Clone)]
pub struct ColumnSets<'a> {
    /// Column by column, the code of each distinct record.
    pub codes: &'a [Vec<u32>],
    /// Column by column, a number that no code reaches.
    pub limits: &'a [u32],
    /// How often each distinct record occurs.
    pub counts: &'a [u64],
}

/// The number of sets of 1 to `largest` of `columns` columns.
pub fn sets_up_to(columns: usize, largest: usize) -> u128 {
    let (mut all, mut of_size) = (0u128, 1u128);
    for size in 1..=largest.min(columns) {
        of_size = of_size.saturating_mul((columns - size + 1) as u128) / size as u128;
        all = all.saturating_add(of_size);
    }
    all
}

/// The most columns per set, at most `wanted`, for which there are no more than [`MOST_SETS`] sets; at least 1.
pub fn feasible(columns: usize, wanted: usize) -> usize {
    (1..=wanted.min(columns)).rev().find(|largest| sets_up_to(columns, *largest) <= MOST_SETS).unwrap_or(1)
}

/// The groups that the columns of a set make.
struct Groups {
    /// By distinct record, the number of its group.
    numbers: Vec<u32>,
    /// By group, how many records it has.
    sizes: Vec<u64>,
}

impl ColumnSets<'_> {
    /// Looks at all sets of up to `listed` columns and finds minimal uniques of up to `largest`. `tick` may stop it.
    pub fn walk(
        &self,
        listed: usize,
        largest: usize,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<(Vec<ColumnSet>, SpecialUniques)> {
        let columns = self.codes.len();
        let records = self.counts.len();
        let depth = listed.max(largest).min(columns);
        let mut found = Vec::new();
        // By distinct record, the sets on which it is alone, as bits, as long as they are minimal among those seen.
        let mut alone: Vec<Vec<u64>> = vec![Vec::new(); records];
        let whole = Groups { numbers: vec![0; records], sizes: vec![self.counts.iter().sum()] };
        // Level by level, so that subsets come before supersets; the groups of a set's beginning are kept on a stack.
        for size in 1..=depth {
            let mut walk =
                Walk { sets: self, size, listed, largest, found: &mut found, alone: &mut alone, tick };
            walk.grow(&whole, &mut Vec::new(), 0)?;
        }
        found.sort_by_key(|set: &ColumnSet| set.columns.len());
        let mut uniques = SpecialUniques {
            largest: largest.min(columns),
            by_size: vec![0; largest.min(columns)],
            by_column: vec![0; columns],
            ..SpecialUniques::default()
        };
        for own in &alone {
            let mut score = 0u128;
            for set in own {
                let size = set.count_ones() as usize;
                let worth = (1..=(columns - size) as u128).fold(1u128, |all, next| all.saturating_mul(next));
                score = score.saturating_add(worth);
                uniques.by_size[size - 1] += 1;
                for (column, total) in uniques.by_column.iter_mut().enumerate() {
                    if set >> column & 1 == 1 {
                        *total = total.saturating_add(worth);
                    }
                }
            }
            uniques.total = uniques.total.saturating_add(score);
            uniques.records += u64::from(!own.is_empty());
            uniques.scores.push(score);
        }
        Ok((found, uniques))
    }

    /// Parts groups by another column.
    fn part(&self, groups: &Groups, column: usize) -> Groups {
        let (codes, limit) = (&self.codes[column], u64::from(self.limits[column].max(1)));
        let mut numbers = Vec::with_capacity(codes.len());
        let mut sizes: Vec<u64> = Vec::new();
        let keys = groups
            .numbers
            .iter()
            .zip(codes)
            .map(|(group, code)| u64::from(*group) * limit + u64::from(*code));
        let places = groups.sizes.len() as u64 * limit;
        let mut put = |number: u32, count: u64| {
            match sizes.get_mut(number as usize) {
                Some(size) => *size += count,
                None => sizes.push(count),
            }
            numbers.push(number);
        };
        let mut next = 0u32;
        let mut fresh = || {
            next += 1;
            next - 1
        };
        if places <= MOST_PLACES {
            let mut table = vec![u32::MAX; places as usize];
            for (key, count) in keys.zip(self.counts) {
                let place = &mut table[key as usize];
                if *place == u32::MAX {
                    *place = fresh();
                }
                put(*place, *count);
            }
        } else {
            let mut table: HashMap<u64, u32, foldhash::fast::RandomState> =
                HashMap::with_capacity_and_hasher(groups.sizes.len(), Default::default());
            for (key, count) in keys.zip(self.counts) {
                let number = *table.entry(key).or_insert_with(&mut fresh);
                put(number, *count);
            }
        }
        Groups { numbers, sizes }
    }
}

/// The walk over the sets of one size.
struct Walk<'w, 'a> {
    sets: &'w ColumnSets<'a>,
    size: usize,
    listed: usize,
    largest: usize,
    found: &'w mut Vec<ColumnSet>,
    alone: &'w mut Vec<Vec<u64>>,
    tick: &'w mut dyn FnMut() -> Result<()>,
}

impl Walk<'_, '_> {
    fn grow(&mut self, groups: &Groups, chosen: &mut Vec<usize>, from: usize) -> Result<()> {
        // Enough columns must be left.
        let last = self.sets.codes.len() + chosen.len() + 1 - self.size;
        for column in from..last {
            (self.tick)()?;
            let parted = self.sets.part(groups, column);
            chosen.push(column);
            if chosen.len() < self.size {
                self.grow(&parted, chosen, column + 1)?;
            } else {
                self.look(&parted, chosen);
            }
            chosen.pop();
        }
        Ok(())
    }

    fn look(&mut self, groups: &Groups, chosen: &[usize]) {
        if self.size <= self.listed {
            let alike = groups.sizes.iter().map(|size| u128::from(*size) * u128::from(size - 1)).sum();
            let combinations = groups.sizes.len() as u64;
            self.found.push(ColumnSet { columns: chosen.to_vec(), combinations, alike });
        }
        if self.size > self.largest || chosen.last().is_some_and(|last| *last >= 64) {
            return;
        }
        let set = chosen.iter().fold(0u64, |set, column| set | 1 << column);
        for (number, own) in groups.numbers.iter().zip(self.alone.iter_mut()) {
            if groups.sizes[*number as usize] == 1 && !own.iter().any(|smaller| smaller & set == *smaller) {
                own.push(set);
            }
        }
    }
}
