//! Rows that hold the same: k people with such a row are a cluster that loses nothing.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::live::Live;
use super::rows::{Row, Rows};

/// The rows that were live at first, by what they hold.
#[derive(Debug)]
pub(super) struct Twins {
    /// The group of each row that was live.
    group: Vec<u32>,
    begins: Vec<u32>,
    rows: Vec<Row>,
    /// Groups in which too few people are left. No row becomes live again, so that need not be found out twice.
    exhausted: Vec<AtomicBool>,
    /// Per group, so many of its first rows are not live any more.
    gone: Vec<AtomicU32>,
}

impl Twins {
    pub(super) fn of(rows: &Rows, live: &Live) -> Twins {
        let hasher = foldhash::fast::FixedState::default();
        let hash = |row: Row| hasher.hash_one(rows.bag(row));
        // One row of each group, by what it holds; the group is that row's.
        let mut first: HashTable<Row> = HashTable::with_capacity(live.len());
        let mut group = vec![0u32; rows.len()];
        let mut counts: Vec<u32> = Vec::new();
        for row in live.iter() {
            let same = |other: &Row| rows.bag(*other) == rows.bag(row);
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
        Twins { group, begins, rows: sorted, exhausted, gone }
    }

    /// A live row together with the first live rows of k - 1 other people that hold the same; `None` if there are fewer.
    pub(super) fn with(&self, seed: Row, k: usize, rows: &Rows, live: &Live) -> Option<Vec<Row>> {
        let group = self.group[seed as usize] as usize;
        // Whoever sets it found out what holds for all who ask.
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
