//! The bags in the order in which they start clusters: by size, and in input order among equal sizes.

use std::ops::Range;

use privet_data::{Bags, Term};

/// A bag, by its position in the order of sizes.
pub(super) type BagRow = u32;

#[derive(Debug)]
pub(super) struct BagRows {
    /// The number of each row's bag.
    bags: Vec<u32>,
    ends: Vec<u32>,
    held: Vec<Term>,
    /// The person of each row; empty if every row counts as a different person.
    users: Vec<u32>,
    distinct_users: usize,
}

impl BagRows {
    /// `by_user` determines whether two bags of one user count as one person.
    pub(super) fn new(bags: &Bags, by_user: bool) -> BagRows {
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
        BagRows { bags: order, ends, held, users, distinct_users }
    }

    pub(super) fn len(&self) -> usize {
        self.bags.len()
    }

    /// The number of a row's bag.
    pub(super) fn bag_number(&self, row: BagRow) -> u32 {
        self.bags[row as usize]
    }

    /// The occurrences of a row, ascending.
    #[inline]
    pub(super) fn bag(&self, row: BagRow) -> &[Term] {
        let Range { start, end } = self.span(row);
        &self.held[start as usize..end as usize]
    }

    /// The occurrences of all rows, one row after the other.
    pub(super) fn held(&self) -> &[Term] {
        &self.held
    }

    /// The range of a row's occurrences in [`BagRows::held`].
    #[inline]
    pub(super) fn span(&self, row: BagRow) -> Range<u32> {
        let begin = if row == 0 { 0 } else { self.ends[row as usize - 1] };
        begin..self.ends[row as usize]
    }

    #[inline]
    pub(super) fn size(&self, row: BagRow) -> usize {
        self.bag(row).len()
    }

    /// The person of a row.
    #[inline]
    pub(super) fn user(&self, row: BagRow) -> u32 {
        self.users.get(row as usize).copied().unwrap_or(row)
    }

    /// Whether rows may belong to one person.
    pub(super) fn has_users(&self) -> bool {
        !self.users.is_empty()
    }

    /// One more than the largest user number.
    pub(super) fn people(&self) -> usize {
        if self.has_users() { self.distinct_users } else { self.len() }
    }
}
