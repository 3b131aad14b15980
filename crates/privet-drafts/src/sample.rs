//! Records chosen as if at random, each cell as the number of its value.
//!
//! A record is in the sample when the hash of its number lies below a bound; a full sample halves the bound. So every
//! record has the same chance, and the same table gives the same sample.

use super::profile::MISSING_CODE;

/// Above this many records, combinations of values are counted on a share of the combinations: those whose hash ends in zeros.
/// All records of a combination are counted or none, so the estimate of how many are unique is without bias.
const MOST_COUNTED: usize = 32_768;

pub(super) struct Sample {
    most: usize,
    bound: u64,
    numbers: Vec<u64>,
    /// Per column, the codes of the sampled records.
    cells: Vec<Vec<u32>>,
}

/// The combinations that the sampled records have in some columns, each as a hash.
#[derive(Clone)]
pub(super) struct Combined(Vec<u64>);

impl Sample {
    pub fn new(width: usize, most: usize) -> Sample {
        Sample { most, bound: u64::MAX, numbers: Vec::new(), cells: vec![Vec::new(); width] }
    }

    /// Whether the record of this number is to be in the sample; if so, its cells follow.
    pub fn takes(&mut self, number: u64) -> bool {
        if mixed(number) > self.bound {
            return false;
        }
        while self.numbers.len() >= self.most {
            self.halve();
        }
        let takes = mixed(number) <= self.bound;
        if takes {
            self.numbers.push(number);
        }
        takes
    }

    /// Adds a cell of the record that was taken last.
    #[inline]
    pub fn push(&mut self, column: usize, code: u32) {
        self.cells[column].push(code);
    }

    fn halve(&mut self) {
        self.bound /= 2;
        let kept: Vec<bool> = self.numbers.iter().map(|number| mixed(*number) <= self.bound).collect();
        let mut record = kept.iter();
        self.numbers.retain(|_| record.next() == Some(&true));
        for column in &mut self.cells {
            let mut record = kept.iter();
            column.retain(|_| record.next() == Some(&true));
        }
    }

    /// The number of records in the sample.
    pub fn len(&self) -> u64 {
        self.numbers.len() as u64
    }

    /// The codes of a column.
    pub fn codes(&self, column: usize) -> &[u32] {
        &self.cells[column]
    }

    /// The codes of a column, to number its values anew.
    pub fn codes_mut(&mut self, column: usize) -> &mut [u32] {
        &mut self.cells[column]
    }

    /// What the records hold in these columns.
    pub fn combined(&self, columns: &[usize]) -> Combined {
        let mut combined = Combined(vec![0; self.numbers.len()]);
        columns.iter().for_each(|column| self.join(&mut combined, *column));
        combined
    }

    /// Adds a column to a combination. The order in which columns are added does not matter.
    pub fn join(&self, combined: &mut Combined, column: usize) {
        let salt = (column as u64 + 1) << 32;
        for (hash, code) in combined.0.iter_mut().zip(&self.cells[column]) {
            *hash = hash.wrapping_add(mixed(salt | u64::from(*code)));
        }
    }

    /// How many records of the sample are the only ones with their values in these columns.
    pub fn unique(&self, columns: &[usize]) -> u64 {
        if columns.is_empty() { 0 } else { self.combined(columns).unique() }
    }

    /// The same for a combination and one column more.
    pub fn unique_with(&self, combined: &Combined, column: usize) -> u64 {
        let mut more = combined.clone();
        self.join(&mut more, column);
        more.unique()
    }

    /// How many different combinations of values the sample has in these columns.
    pub fn distinct(&self, columns: &[usize]) -> u64 {
        let mut hashes = self.combined(columns).0;
        hashes.sort_unstable();
        hashes.dedup();
        hashes.len() as u64
    }

    /// How many records of the sample miss a value in one of these columns.
    pub fn incomplete(&self, columns: &[usize]) -> u64 {
        let misses =
            |record: &usize| columns.iter().any(|column| self.cells[*column][*record] == MISSING_CODE);
        (0..self.numbers.len()).filter(misses).count() as u64
    }
}

impl Combined {
    /// How many records are the only ones of their combination; estimated where there are many records.
    pub fn unique(&self) -> u64 {
        let share = (self.0.len() / MOST_COUNTED).next_power_of_two() as u64;
        let mut hashes: Vec<u64> = if share <= 1 {
            self.0.clone()
        } else {
            self.0.iter().copied().filter(|hash| mixed(*hash).is_multiple_of(share)).collect()
        };
        hashes.sort_unstable();
        let unique = hashes.chunk_by(|a, b| a == b).filter(|equal| equal.len() == 1).count() as u64;
        (unique * share.max(1)).min(self.0.len() as u64)
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

    fn filled(records: u64, most: usize, cells: impl Fn(u64) -> [u32; 2]) -> Sample {
        let mut sample = Sample::new(2, most);
        for number in 0..records {
            if sample.takes(number) {
                cells(number).into_iter().enumerate().for_each(|(column, code)| sample.push(column, code));
            }
        }
        sample
    }

    #[test]
    fn a_full_sample_is_thinned_evenly() {
        let sample = filled(100_000, 1000, |number| [number as u32 + 1, 7]);
        assert!((500..=1000).contains(&sample.len()), "{}", sample.len());
        assert!(
            sample.numbers.iter().zip(sample.codes(0)).all(|(number, code)| u64::from(*code) == number + 1)
        );
        assert_eq!(sample.codes(1).len() as u64, sample.len());
        let early = sample.numbers.iter().filter(|number| **number < 50_000).count() as u64;
        assert!(early * 5 > sample.len() * 2 && early * 5 < sample.len() * 3, "{early} of {}", sample.len());
        assert_eq!((sample.unique(&[0]), sample.unique(&[1]), sample.unique(&[0, 1])), {
            (sample.len(), 0, sample.len())
        });
    }

    /// A quarter of the records are unique by construction; the estimate is within a few per cent of that.
    #[test]
    fn how_many_are_unique_is_estimated_without_bias() {
        let sample = filled(200_000, 300_000, |number| {
            let code = if number % 4 == 0 { number } else { number % 977 };
            [code as u32 + 1, (code % 3) as u32 + 1]
        });
        let unique = sample.unique(&[0, 1]);
        assert!((47_000..53_000).contains(&unique), "{unique}");
        let with = sample.unique_with(&sample.combined(&[1]), 0);
        assert_eq!(with, unique);
    }
}
