//! Distinct rows of some columns.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::CodedRows;
use super::coded::ODD;
use privet_core::Result;
use privet_core::clock::Clock;

/// The number of rows that are left out.
pub(super) const LEFT_OUT: u32 = u32::MAX;

/// How many rows are processed between two checks of the clock.
const BETWEEN: u32 = 1 << 13;

/// Distinct rows of some columns, numbered as they are first seen.
#[derive(Debug)]
pub(crate) struct Distinct {
    /// The number of each row; `u32::MAX` for rows that are left out.
    pub of_row: Vec<u32>,
    /// How many rows each has.
    pub counts: Vec<u64>,
    /// The first row of each.
    pub first: Vec<u32>,
}

impl Distinct {
    /// The distinct rows of these columns, of all rows or of some.
    pub fn of(rows: &CodedRows, columns: &[usize], some: Option<&[u32]>, clock: &Clock) -> Result<Distinct> {
        let codes: Vec<_> = columns.iter().map(|column| rows.codes[*column].as_ref()).collect();
        // Codes are small numbers; a random start and one multiplication each mix them well enough.
        let start = RandomState::default().hash_one(0);
        let hash = |row: u32| {
            let tuple = codes.iter().map(|codes| codes.at(row as usize));
            tuple.fold(start, |hash: u64, code| {
                let product = u128::from(hash ^ u64::from(code)) * u128::from(ODD);
                (product as u64) ^ (product >> 64) as u64
            })
        };
        let mut distinct =
            Distinct { of_row: vec![LEFT_OUT; rows.len], counts: Vec::new(), first: Vec::new() };
        let mut table: HashTable<(u64, u32)> = HashTable::new();
        let mut add = |row: u32| {
            let first = &distinct.first;
            let own = hash(row);
            let same = |(hash, number): &(u64, u32)| {
                let other = first[*number as usize] as usize;
                *hash == own && codes.iter().all(|codes| codes.at(other) == codes.at(row as usize))
            };
            let number = match table.entry(own, same, |(hash, _)| *hash) {
                hashbrown::hash_table::Entry::Occupied(entry) => entry.get().1,
                hashbrown::hash_table::Entry::Vacant(entry) => {
                    let number = distinct.counts.len() as u32;
                    entry.insert((own, number));
                    distinct.counts.push(0);
                    distinct.first.push(row);
                    number
                }
            };
            distinct.counts[number as usize] += 1;
            distinct.of_row[row as usize] = number;
        };
        let number = some.map_or(rows.len, <[u32]>::len) as u32;
        for place in 0..number {
            if place % BETWEEN == 0 {
                clock.check()?;
            }
            add(some.map_or(place, |some| some[place as usize]));
        }
        Ok(distinct)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }
}
