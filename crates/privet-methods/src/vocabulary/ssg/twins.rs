//! Equal rows: k people with such a row form a cluster that loses nothing.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::live::LiveRows;
use super::rows::{BagRow, BagRows};

/// The rows that were live at first, grouped by contents.
#[derive(Debug)]
pub(super) struct TwinRows {
    /// The group of each row that was live.
    group: Vec<u32>,
    begins: Vec<u32>,
    rows: Vec<BagRow>,
    /// Groups with too few people left. No row becomes live again, so this need not be found out twice.
    exhausted: Vec<AtomicBool>,
    /// Per group, how many of its first rows are no longer live.
    gone: Vec<AtomicU32>,
}

impl TwinRows {
    pub(super) fn of(rows: &BagRows, live: &LiveRows) -> TwinRows {
        let hasher = foldhash::fast::FixedState::default();
        let hash = |row: BagRow| hasher.hash_one(rows.bag(row));
        // One row of each group, by contents; the group is that row's.
        let mut first: HashTable<BagRow> = HashTable::with_capacity(live.len());
        let mut group = vec![0u32; rows.len()];
        let mut counts: Vec<u32> = Vec::new();
        for row in live.iter() {
            let same = |other: &BagRow| rows.bag(*other) == rows.bag(row);
            match first.entry(hash(row), same, |other| hash(*other)) {
                Entry::Occupied(entry) => group[row as usize] = group[*entry.get() as usize],
                Entry::Vacant(entry) => {
                    group[row as usize] = counts.len() as u32;
                    counts.push(0);
                    entry.insert(row);
                }
            }
            counts[group[row as usize] as usize] += 1;
        }
        let mut begins = vec![0u32; counts.len() + 1];
        for (at, count) in counts.iter().enumerate() {
            begins[at + 1] = begins[at] + count;
        }
        let mut next = begins.clone();
        let mut sorted = vec![0; live.len()];
        for row in live.iter() {
            let next = &mut next[group[row as usize] as usize];
            sorted[*next as usize] = row;
            *next += 1;
        }
        let exhausted = counts.iter().map(|_| AtomicBool::new(false)).collect();
        let gone = counts.iter().map(|_| AtomicU32::new(0)).collect();
        TwinRows { group, begins, rows: sorted, exhausted, gone }
    }

    /// A live row together with the first live rows of k - 1 other people with equal contents; `None` if there are
    /// fewer.
    pub(super) fn with(
        &self,
        seed: BagRow,
        k: usize,
        rows: &BagRows,
        live: &LiveRows,
    ) -> Option<Vec<BagRow>> {
        let group = self.group[seed as usize] as usize;
        // The flag holds for every caller, whichever thread sets it.
        if self.exhausted[group].load(Ordering::Relaxed) {
            return None;
        }
        let mut members = vec![seed];
        let mut people = vec![rows.user(seed)];
        let all = &self.rows[self.begins[group] as usize..self.begins[group + 1] as usize];
        let gone = self.gone[group].load(Ordering::Relaxed) as usize;
        let gone = gone + all[gone..].iter().take_while(|row| !live.has(**row)).count();
        self.gone[group].fetch_max(gone as u32, Ordering::Relaxed);
        for row in &all[gone..] {
            if members.len() == k {
                break;
            }
            let user = rows.user(*row);
            if live.has(*row) && *row != seed && !people.contains(&user) {
                members.push(*row);
                people.push(user);
            }
        }
        if members.len() < k {
            self.exhausted[group].store(true, Ordering::Relaxed);
            return None;
        }
        Some(members)
    }
}
