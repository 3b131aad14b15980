//! The innermost part of the search: examining the rows of a class that hold something within reach of a term.

use super::gather::{Driver, Finds, GatherLimits, SearchField};
use super::hyper::SMALL;
use super::index::{ELSEWHERE, SizeClass, whole};
use super::reach::{Chart, ReachTally};
use super::rows::BagRow;

/// The parameters of a scan.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClassScan<'a, C> {
    pub(super) field: &'a SearchField<'a>,
    /// What is within reach of the seed, by positions of terms.
    pub(super) table: C,
    pub(super) driver: Driver,
    pub(super) seed: BagRow,
    pub(super) user: u32,
    /// The number of occurrences of the seed.
    pub(super) size: usize,
    pub(super) limits: &'a GatherLimits,
    /// The search ends as soon as enough rows leave at most this many occurrences unmatched.
    pub(super) level: usize,
}

impl<C: Chart> ClassScan<'_, C> {
    /// Examines the rows of a class, those with the nearest terms first; `false` if it stopped before the last.
    pub(super) fn class(&self, class: &SizeClass, finds: &mut Finds) -> bool {
        if !class.has_terms() {
            return self.rows(class, finds);
        }
        // A width known to the compiler lets it unroll the loops.
        match class.width() {
            3 => self.entries::<3>(class, finds),
            4 => self.entries::<4>(class, finds),
            5 => self.entries::<5>(class, finds),
            6 => self.entries::<6>(class, finds),
            7 => self.entries::<7>(class, finds),
            8 => self.entries::<8>(class, finds),
            9 => self.entries::<9>(class, finds),
            10 => self.entries::<10>(class, finds),
            11 => self.entries::<11>(class, finds),
            12 => self.entries::<12>(class, finds),
            13 => self.entries::<13>(class, finds),
            SizeClass::WIDEST => self.entries::<{ SizeClass::WIDEST }>(class, finds),
            // Rows without terms are not in any list.
            _ => true,
        }
    }

    /// For entries that include all terms of a row.
    fn entries<const WIDTH: usize>(&self, class: &SizeClass, finds: &mut Finds) -> bool {
        finds.expect(self.size + class.size);
        self.each_list(class, finds, |list, most, finds| {
            for entry in list.as_chunks::<WIDTH>().0.iter().take(most) {
                let row = whole(entry[0], entry[1]);
                if self.may_join(row) {
                    self.look_at(row, &entry[2], &entry[2..], finds);
                }
            }
        })
    }

    /// For entries that only point to the terms.
    fn rows(&self, class: &SizeClass, finds: &mut Finds) -> bool {
        self.each_list(class, finds, |list, most, finds| {
            for entry in list.as_chunks::<ELSEWHERE>().0.iter().take(most) {
                let number = |at: usize| whole(entry[2 * at], entry[2 * at + 1]);
                let row = number(0);
                if self.may_join(row) {
                    let places = &self.field.places[number(2) as usize..number(3) as usize];
                    finds.expect(self.size + places.len());
                    self.look_at(row, &number(1), places, finds);
                }
            }
        })
    }

    /// Visits the lists of all terms within reach of the driver, nearest first; `false` if it stopped before the last.
    /// `each` gets a list and the number of its entries that may be examined.
    fn each_list(
        &self,
        class: &SizeClass,
        finds: &mut Finds,
        each: impl Fn(&[u16], usize, &mut Finds),
    ) -> bool {
        // First all lookups, which do not depend on each other, and then their results.
        let mut lists = std::mem::take(&mut finds.lists);
        lists.clear();
        lists.extend(
            self.field.stretches.near(self.driver.term).iter().map(|near| class.within(near.places())),
        );
        // The cost of a look grows with the row, but large rows must not be out of reach.
        let looks = class.size.min(SMALL) + 1;
        let finished = lists.iter().filter(|list| !list.is_empty()).all(|list| {
            let left = (self.limits.looks - finds.looks) / looks;
            let held = list.len() / class.width();
            each(class.entries(list.clone()), left, finds);
            finds.looks += held.min(left) * looks;
            finds.set_most_unmatched(self.limits.pool);
            held <= left && finds.within(self.level) < self.limits.enough
        });
        finds.lists = lists;
        finished
    }

    #[inline]
    fn may_join(&self, row: BagRow) -> bool {
        let SearchField { rows, live, .. } = self.field;
        live.has(row) && row != self.seed && !(rows.has_users() && rows.user(row) == self.user)
    }

    /// Keeps a row that is listed by the term at one of its positions, unless another one leads to it as well.
    // Inlined everywhere: widths are known at compile time for the sake of this loop.
    #[inline(always)]
    fn look_at<T>(&self, row: BagRow, listed: &T, places: &[T], finds: &mut Finds)
    where
        T: Copy + Ord + Into<u32>,
    {
        let mut tally = ReachTally::default();
        let mut again = false;
        for place in places {
            let number: u32 = (*place).into();
            let leads = tally.add(self.table.near(number as usize)) & self.driver.bits != 0;
            again |= leads & (place < listed);
        }
        // A row is found once: by its first position within reach of the first driver that has one.
        if !again && tally.all & self.driver.before == 0 {
            finds.add(row, tally.bound(self.size), self.size + places.len());
        }
    }
}
