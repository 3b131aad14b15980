//! The bags in the order in which clusters begin: by size, and equal sizes as they came.

use std::ops::Range;

use privet_data::{Bags, Term};

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
        Rows { bags: order, ends, held, users, distinct_users }
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
}
