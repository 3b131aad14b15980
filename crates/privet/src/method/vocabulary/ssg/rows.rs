//! The bags in the order in which clusters begin: by size, and equal sizes as they came.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::data::{Bags, Term};

/// A bag by its place in the order of sizes.
pub(super) type Row = u32;

#[derive(Debug)]
pub(super) struct Rows {
    /// The number of each row's bag.
    bags: Vec<u32>,
    ends: Vec<u32>,
    held: Vec<Term>,
    /// Whose each row is; empty where every row counts as another person's.
    users: Vec<u32>,
    distinct_users: usize,
    twins: Twins,
}

/// Rows that hold the same.
#[derive(Debug)]
struct Twins {
    group: Vec<u32>,
    begins: Vec<u32>,
    rows: Vec<Row>,
}

impl Rows {
    /// `by_user` says whether two bags of one user count as one person.
    pub(super) fn new(bags: &Bags, by_user: bool) -> Rows {
        let mut order: Vec<u32> = (0..bags.len() as u32).collect();
        order.sort_by_key(|bag| bags.bag(*bag as usize).len());
        let mut held = Vec::with_capacity(bags.occurrences() as usize);
        let mut ends = Vec::with_capacity(order.len());
        for bag in &order {
            held.extend_from_slice(bags.bag(*bag as usize));
            ends.push(held.len() as u32);
        }
        let users: Vec<u32> = match bags.users() {
            Some(_) if by_user => order.iter().filter_map(|bag| bags.user(*bag as usize)).collect(),
            _ => Vec::new(),
        };
        let distinct_users = bags.users().map_or(0, |users| users as usize);
        let mut rows = Rows { bags: order, ends, held, users, distinct_users, twins: Twins::none() };
        rows.twins = Twins::of(&rows);
        rows
    }

    pub(super) fn len(&self) -> usize {
        self.bags.len()
    }

    /// The number of the bag that a row is.
    pub(super) fn bag_number(&self, row: Row) -> u32 {
        self.bags[row as usize]
    }

    /// The occurrences of a row, ascending.
    #[inline]
    pub(super) fn bag(&self, row: Row) -> &[Term] {
        let Range { start, end } = self.span(row);
        &self.held[start as usize..end as usize]
    }

    /// The occurrences of all rows, one row after the other.
    pub(super) fn held(&self) -> &[Term] {
        &self.held
    }

    /// Where the occurrences of a row are held.
    #[inline]
    pub(super) fn span(&self, row: Row) -> Range<u32> {
        let begin = if row == 0 { 0 } else { self.ends[row as usize - 1] };
        begin..self.ends[row as usize]
    }

    #[inline]
    pub(super) fn size(&self, row: Row) -> usize {
        self.bag(row).len()
    }

    /// Whose a row is.
    #[inline]
    pub(super) fn user(&self, row: Row) -> u32 {
        self.users.get(row as usize).copied().unwrap_or(row)
    }

    /// Whether rows may belong to one person.
    pub(super) fn has_users(&self) -> bool {
        !self.users.is_empty()
    }

    /// How many numbers of users there are.
    pub(super) fn people(&self) -> usize {
        if self.has_users() { self.distinct_users } else { self.len() }
    }

    /// All rows that hold the same as this one, itself included, ascending.
    pub(super) fn twins(&self, row: Row) -> &[Row] {
        let group = self.twins.group[row as usize] as usize;
        &self.twins.rows[self.twins.begins[group] as usize..self.twins.begins[group + 1] as usize]
    }
}

impl Twins {
    fn none() -> Twins {
        Twins { group: Vec::new(), begins: Vec::new(), rows: Vec::new() }
    }

    fn of(rows: &Rows) -> Twins {
        let hasher = foldhash::fast::FixedState::default();
        let hash = |row: Row| hasher.hash_one(rows.bag(row));
        // One row of each group, by what it holds; the group is that row's.
        let mut first: HashTable<Row> = HashTable::with_capacity(rows.len());
        let mut group = vec![0u32; rows.len()];
        let mut counts: Vec<u32> = Vec::new();
        for row in 0..rows.len() as Row {
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
        let mut sorted = vec![0; rows.len()];
        for (row, group) in (0..).zip(&group) {
            sorted[next[*group as usize] as usize] = row;
            next[*group as usize] += 1;
        }
        Twins { group, begins, rows: sorted }
    }
}
