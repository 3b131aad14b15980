//! β-likeness (Cao and Karras, 2012): for every value s that occurs in a class, its share q there and its share p in the whole
//! table have (q − p)/p ≤ b, with b = β (basic) or b = min(β, −ln p) (enhanced). Falling shares are free.
//!
//! Closed under union: the share of a value in a union lies between its shares in the parts, and p is fixed.

use std::ops::Range;

use super::{ClassTest, Closure, Counted, EquivalenceClass, Tightness, TrackedTable, most_under_caps};
use crate::powers::is_at_most_logarithm;
use num_bigint::BigUint;
use privet_core::{Exact, Result};
use privet_policy::requirement;
use privet_policy::requirement::LikenessKind;

#[derive(Debug)]
struct BetaLikeness {
    beta: Exact,
    enhanced: bool,
    name: String,
    slots: Range<u32>,
    totals: Vec<u64>,
    records: u64,
}

pub(super) fn build(asked: &requirement::BetaLikeness, table: &TrackedTable) -> Result<Box<dyn ClassTest>> {
    let column = table.column(asked.column)?;
    Ok(Box::new(BetaLikeness {
        beta: asked.beta,
        enhanced: asked.kind == LikenessKind::Enhanced,
        name: column.name.clone(),
        slots: column.slots.clone(),
        totals: column.totals.clone(),
        records: table.records,
    }))
}

impl BetaLikeness {
    /// Whether a value with this count gains little enough in a class of this size.
    fn is_alike(&self, size: u64, code: u32, count: u64) -> bool {
        let total = self.totals[code as usize];
        // q = h/n_c and p = P/n: the gain is (h·n − P·n_c)/(P·n_c).
        let (seen, usual) =
            (u128::from(count) * u128::from(self.records), u128::from(total) * u128::from(size));
        let Some(gain) = seen.checked_sub(usual).filter(|gain| *gain > 0) else { return true };
        let (a, d) = (BigUint::from(self.beta.numerator()), BigUint::from(self.beta.denominator()));
        BigUint::from(gain) * d <= a * usual
            && (!self.enhanced || is_at_most_logarithm((gain, usual), self.records, total))
    }

    /// The bound on the gain of a value, for display and for bounds that are rounded up.
    fn bound(&self, code: u32) -> f64 {
        let share = self.totals[code as usize] as f64 / self.records as f64;
        let beta = self.beta.to_f64();
        if self.enhanced { beta.min(-share.ln()) } else { beta }
    }
}

/// Shares that bounds rest on are rounded up to this part.
const PARTS: f64 = (1u64 << 40) as f64;

impl ClassTest for BetaLikeness {
    fn holds(&self, class: &EquivalenceClass<'_>) -> bool {
        let mut holds = true;
        class.counts.for_each(&self.slots, |code, count| {
            holds = holds && self.is_alike(class.size, code, count);
        });
        holds
    }

    fn closure(&self) -> Closure {
        Closure::Union
    }

    fn most_kept(&self, class: &EquivalenceClass<'_>) -> u64 {
        // Of m records, at most (1 + b)·p·m have the value. The share is rounded up, by far more than floating point loses.
        most_under_caps(class, &self.slots, |code| {
            let share = self.totals[code as usize] as f64 / self.records as f64;
            let cap = ((1.0 + self.bound(code)) * share * PARTS * (1.0 + 1e-9)).ceil() + 1.0;
            if cap >= PARTS { (1, 1) } else { (cap as u128, PARTS as u128) }
        })
    }

    fn tightness(&self, class: &EquivalenceClass<'_>) -> Tightness {
        let mut worst = Tightness { value: 0.0, threshold: self.beta.to_f64(), at_most: true };
        class.counts.for_each(&self.slots, |code, count| {
            let usual = self.totals[code as usize] as f64 * class.size as f64;
            let value = (count as f64 * self.records as f64 / usual - 1.0).max(0.0);
            let found = Tightness { value, threshold: self.bound(code), at_most: true };
            if found.room() < worst.room() {
                worst = found;
            }
        });
        worst
    }

    fn why_impossible(&self, _: &EquivalenceClass<'_>, _: Counted) -> String {
        format!("the values of '{}' have the shares of the whole table in it, so no value gains", self.name)
    }
}
