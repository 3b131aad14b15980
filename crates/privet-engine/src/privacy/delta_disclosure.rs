//! δ-disclosure privacy (Brickell and Shmatikov, 2008): |log₂(q/p)| < δ for every class and every value of the data, where q is
//! the value's share of the class and p its share of the whole table. A value that a class lacks has a logarithm of −∞.
//!
//! Closed under union: the share of a value in a union lies between its shares in the parts. With `absent = "skip"` it is not:
//! a value may occur in one part only and be too rare in the union. Then no bound rests on it.

use std::cmp::Ordering;
use std::ops::Range;

use super::{ClassTest, Closure, Counted, EquivalenceClass, Tightness, TrackedTable, most_under_caps};
use crate::powers::compare_powers;
use privet_core::{Exact, Result};
use privet_policy::requirement;
use privet_policy::requirement::Absent;

#[derive(Debug)]
struct DeltaDisclosure {
    delta: Exact,
    /// 2^δ, as a number.
    factor: f64,
    skip: bool,
    name: String,
    slots: Range<u32>,
    totals: Vec<u64>,
    records: u64,
}

pub(super) fn build(
    asked: &requirement::DeltaDisclosure,
    table: &TrackedTable,
) -> Result<Box<dyn ClassTest>> {
    let column = table.column(asked.column)?;
    Ok(Box::new(DeltaDisclosure {
        delta: asked.delta,
        factor: asked.delta.to_f64().exp2(),
        skip: asked.absent == Absent::Skip,
        name: column.name.clone(),
        slots: column.slots.clone(),
        totals: column.totals.clone(),
        records: table.records,
    }))
}

/// Ratios this near to 2^δ, relative to it, are compared exactly.
const DOUBT: f64 = 1e-12;

impl DeltaDisclosure {
    /// Whether a value's share of a class is close to that of the table: with δ = a/b, (h·n)^b < (P·n_c)^b · 2^a and the reverse.
    fn is_close(&self, size: u64, code: u32, count: u64) -> bool {
        let ratio = count as f64 * self.records as f64 / (self.totals[code as usize] as f64 * size as f64);
        // Conversions and products are right within a few units in the last place, and so are the powers of two.
        let (least, most) = (self.factor.recip(), self.factor);
        if ratio > least * (1.0 + DOUBT) && ratio < most * (1.0 - DOUBT) {
            return true;
        }
        if ratio < least * (1.0 - DOUBT) || ratio > most * (1.0 + DOUBT) {
            return false;
        }
        let (a, b) = (self.delta.numerator(), self.delta.denominator());
        let (seen, usual) = ([(count, b), (self.records, b)], [(self.totals[code as usize], b), (size, b)]);
        let less = |left: &[(u64, u64); 2], right: &[(u64, u64); 2]| {
            compare_powers(left, &[right[0], right[1], (2, a)]) == Ordering::Less
        };
        less(&seen, &usual) && less(&usual, &seen)
    }

    /// How many values of the data the class has.
    fn values(&self, class: &EquivalenceClass<'_>) -> usize {
        let mut values = 0;
        class.counts.for_each(&self.slots, |_, _| values += 1);
        values
    }
}

/// Shares that bounds rest on are rounded up to this part.
const PARTS: f64 = (1u64 << 40) as f64;

impl ClassTest for DeltaDisclosure {
    fn holds(&self, class: &EquivalenceClass<'_>) -> bool {
        if class.size == 0 {
            return true;
        }
        if !self.skip && self.values(class) < self.totals.iter().filter(|total| **total > 0).count() {
            return false;
        }
        let mut holds = true;
        class.counts.for_each(&self.slots, |code, count| {
            holds = holds && self.is_close(class.size, code, count);
        });
        holds
    }

    fn closure(&self) -> Closure {
        if self.skip { Closure::Nothing } else { Closure::Union }
    }

    fn most_kept(&self, class: &EquivalenceClass<'_>) -> u64 {
        if self.skip {
            return class.size;
        }
        let all = self.totals.iter().filter(|total| **total > 0).count();
        if self.values(class) < all {
            return 0;
        }
        // Of m kept records, fewer than p·m·2^δ have a value, and more than p·m/2^δ. Both are rounded to the safe side, by far more
        // than floating point loses.
        let factor = self.factor * (1.0 + 1e-9);
        let mut most = most_under_caps(class, &self.slots, |code| {
            let share = self.totals[code as usize] as f64 / self.records as f64;
            let cap = (share * factor * PARTS).ceil() + 1.0;
            if cap >= PARTS { (1, 1) } else { (cap as u128, PARTS as u128) }
        });
        class.counts.for_each(&self.slots, |code, count| {
            let enough = count as f64 * self.records as f64 / self.totals[code as usize] as f64 * factor;
            most = most.min(enough.ceil().min(u64::MAX as f64) as u64);
        });
        if most < all as u64 { 0 } else { most }
    }

    fn tightness(&self, class: &EquivalenceClass<'_>) -> Tightness {
        let mut value: f64 = 0.0;
        class.counts.for_each(&self.slots, |code, count| {
            let usual = self.totals[code as usize] as f64 * class.size as f64;
            value = value.max((count as f64 * self.records as f64 / usual).log2().abs());
        });
        let lacks = !self.skip && self.values(class) < self.totals.iter().filter(|total| **total > 0).count();
        let value = if lacks { f64::INFINITY } else { value };
        Tightness { value, threshold: self.delta.to_f64(), at_most: true }
    }

    fn why_impossible(&self, _: &EquivalenceClass<'_>, _: Counted) -> String {
        format!("the values of '{}' have the shares of the whole table in it", self.name)
    }
}
