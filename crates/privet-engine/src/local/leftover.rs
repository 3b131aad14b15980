//! What is left over by a split must be large enough itself: others join it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::{HashMap, HashSet};

use super::{Itemsets, Local, Part, count};
use privet_taxonomy::Node;

/// A row that may move: what it loses, its number, its part and its position there.
type Offer = Reverse<(u64, u32, usize, usize)>;

impl<R: Itemsets> Local<'_, R> {
    /// Brings what is left over to k people, if there are any: the rows that lose least, one after the other, from parts
    /// that can spare them; where that is not enough, the part that loses least.
    pub(super) fn fill_up(&self, left: &mut Vec<(u32, u64)>, parts: &mut Vec<Part>, node: Node) {
        if left.is_empty() || self.crowd.is_met(left) {
            return;
        }
        match self.crowd.users {
            None => self.borrow_rows(left, parts, node),
            Some(users) => self.borrow_users(left, parts, node, users),
        }
        if self.crowd.is_met(left) {
            return;
        }
        let loss = |part: &Part| -> u128 {
            part.rows.iter().map(|(row, count)| u128::from(self.gain(*row, node)) * u128::from(*count)).sum()
        };
        // A part is of k people itself.
        if let Some(cheapest) = (0..parts.len()).min_by_key(|at| loss(&parts[*at])) {
            left.extend(parts.remove(cheapest).rows);
        }
    }

    /// The rows of some parts by what they lose, then by number; of each part no more than `most`.
    fn offers(
        &self,
        parts: &[Part],
        node: Node,
        giving: impl Fn(usize) -> bool,
        most: usize,
    ) -> BinaryHeap<Offer> {
        let mut offers = BinaryHeap::new();
        for (at, part) in parts.iter().enumerate().filter(|(at, _)| giving(*at)) {
            let mut best: BinaryHeap<(u64, u32, usize, usize)> = BinaryHeap::new();
            for (place, (row, _)) in part.rows.iter().enumerate() {
                let offer = (self.gain(*row, node), *row, at, place);
                if best.len() < most {
                    best.push(offer);
                } else if let Some(mut worst) = best.peek_mut().filter(|worst| offer < **worst) {
                    *worst = offer;
                }
            }
            offers.extend(best.into_iter().map(Reverse));
        }
        offers
    }

    fn borrow_rows(&self, left: &mut Vec<(u32, u64)>, parts: &mut [Part], node: Node) {
        let mut missing = self.crowd.k - count(left);
        let mut spare: Vec<u64> = parts.iter().map(|part| part.size() - self.crowd.k).collect();
        // Every row that moves is one of those that are missing.
        let mut offers = self.offers(parts, node, |at| spare[at] > 0, missing as usize);
        while missing > 0
            && let Some(Reverse((_, _, at, place))) = offers.pop()
        {
            let (row, count) = &mut parts[at].rows[place];
            let moved = missing.min(spare[at]).min(*count);
            if moved > 0 {
                left.push((*row, moved));
                *count -= moved;
                spare[at] -= moved;
                missing -= moved;
            }
        }
        drop_moved(parts);
    }

    /// A row helps if its user is not there yet, and may go if its part still has k users without it.
    fn borrow_users(&self, left: &mut Vec<(u32, u64)>, parts: &mut [Part], node: Node, users: &[u32]) {
        let user = |row: u32| users[row as usize];
        let mut there: HashSet<u32> = left.iter().map(|(row, _)| user(*row)).collect();
        // How many rows each user has in a part; counted when a row of it is asked for.
        let mut held: Vec<Option<HashMap<u32, u32>>> = vec![None; parts.len()];
        let count = |part: &Part| {
            let mut rows_of: HashMap<u32, u32> = HashMap::new();
            for (row, _) in &part.rows {
                *rows_of.entry(user(*row)).or_default() += 1;
            }
            rows_of
        };
        let k = self.crowd.k as usize;
        let mut offers = self.offers(parts, node, |at| parts[at].rows.len() > k, usize::MAX);
        while there.len() < k
            && let Some(Reverse((_, row, at, place))) = offers.pop()
        {
            if there.contains(&user(row)) {
                continue;
            }
            let held = held[at].get_or_insert_with(|| count(&parts[at]));
            let users_there = held.len();
            let Some(rows) = held.get_mut(&user(row)).filter(|rows| **rows > 1 || users_there > k) else {
                continue;
            };
            *rows -= 1;
            if *rows == 0 {
                held.remove(&user(row));
            }
            there.insert(user(row));
            left.push((row, 1));
            parts[at].rows[place].1 = 0;
        }
        drop_moved(parts);
    }
}

fn drop_moved(parts: &mut [Part]) {
    for part in parts {
        part.rows.retain(|(_, count)| *count > 0);
    }
}
