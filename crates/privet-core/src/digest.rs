//! A digest of data that does not depend on the order of its records.

use sha2::{Digest as _, Sha256};

/// Distinguishes data sets, whatever the order of their records: the sum of a cryptographic hash of each record.
///
/// Keys of runs derive from it, so it has to depend on everything about a record that an attacker may not know. Records are
/// hashed whole: columns that are not published, and which value belongs to which person, count as well. Each part of the
/// 256-bit sum wraps around on its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Digest {
    sum: [u64; 4],
    records: u64,
    scratch: Vec<u8>,
}

impl Digest {
    /// Adds a record, given by its cells.
    pub fn add<'t>(&mut self, cells: impl IntoIterator<Item = &'t str>) {
        self.add_times(cells, 1);
    }

    /// Adds records that are all the same, by the cells of one.
    pub fn add_times<'t>(&mut self, cells: impl IntoIterator<Item = &'t str>, count: u64) {
        self.scratch.clear();
        for cell in cells {
            self.scratch.extend_from_slice(cell.as_bytes());
            // No text contains this byte, so it ends a cell.
            self.scratch.push(0xff);
        }
        let hash = Sha256::digest(&self.scratch);
        self.add_hash(&hash.into(), count);
    }

    /// Adds records that are all the same, by the hash of one.
    pub fn add_hash(&mut self, hash: &[u8; 32], count: u64) {
        for (sum, part) in self.sum.iter_mut().zip(hash.chunks_exact(8)) {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(part);
            *sum = sum.wrapping_add(u64::from_le_bytes(bytes).wrapping_mul(count));
        }
        self.records = self.records.wrapping_add(count);
    }

    /// Adds all records of another digest.
    pub fn add_all(&mut self, other: &Digest) {
        for (sum, part) in self.sum.iter_mut().zip(other.sum) {
            *sum = sum.wrapping_add(part);
        }
        self.records = self.records.wrapping_add(other.records);
    }

    /// How many records were added.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The sums, for another machine to go on from.
    pub fn parts(&self) -> [u8; 40] {
        let mut parts = [0; 40];
        let numbers = self.sum.iter().chain([&self.records]);
        parts
            .chunks_exact_mut(8)
            .zip(numbers)
            .for_each(|(part, number)| part.copy_from_slice(&number.to_le_bytes()));
        parts
    }

    /// The digest with these sums.
    pub fn of_parts(parts: &[u8; 40]) -> Digest {
        let mut digest = Digest::default();
        let numbers = digest.sum.iter_mut().chain([&mut digest.records]);
        numbers.zip(parts.chunks_exact(8)).for_each(|(number, part)| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(part);
            *number = u64::from_le_bytes(bytes);
        });
        digest
    }

    /// The digest itself: of the sum and the number of records.
    pub fn bytes(&self) -> [u8; 32] {
        let mut hash = Sha256::new().chain_update(b"privet: data").chain_update(self.records.to_le_bytes());
        self.sum.iter().for_each(|part| hash.update(part.to_le_bytes()));
        hash.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_of_parts_add_up() {
        let (mut one, mut other, mut whole) = (Digest::default(), Digest::default(), Digest::default());
        for number in 0..20 {
            let cell = number.to_string();
            whole.add([cell.as_str()]);
            if number % 3 == 0 { one.add([cell.as_str()]) } else { other.add([cell.as_str()]) }
        }
        other.add_all(&Digest::of_parts(&one.parts()));
        assert_eq!((other.bytes(), other.records()), (whole.bytes(), 20));
    }

    fn digest(records: &[&[&str]]) -> [u8; 32] {
        let mut digest = Digest::default();
        records.iter().for_each(|record| digest.add(record.iter().copied()));
        digest.bytes()
    }

    #[test]
    fn hard_use_1_5_the_digest_depends_on_the_records_and_not_on_their_order() {
        let one = digest(&[&["a", "x"], &["b", "y"], &["b", "y"]]);
        assert_eq!(one, digest(&[&["b", "y"], &["a", "x"], &["b", "y"]]));
        // The same columns, paired in another way.
        assert_ne!(one, digest(&[&["a", "y"], &["b", "x"], &["b", "y"]]));
        assert_ne!(one, digest(&[&["a", "x"], &["b", "y"]]));
        assert_ne!(digest(&[&["ab", "c"]]), digest(&[&["a", "bc"]]));
        assert_ne!(digest(&[]), digest(&[&[]]));
    }
}
