//! l-diversity (Machanavajjhala et al., 2006): every class has well-represented sensitive values.
//!
//! Four readings of "well represented", with n records in a class and n_i of them with value i:
//! - *distinct*: at least l different values;
//! - *frequency*: no value in more than 1/l of the records, n_i · l ≤ n;
//! - *entropy*: −Σ p_i log p_i ≥ log l, which is nⁿ ≥ lⁿ · Π n_i^n_i in integers;
//! - *recursive (c,l)*: with counts sorted r_1 ≥ r_2 ≥ …, r_1 < c · (r_l + r_(l+1) + …), strictly.

use std::cell::RefCell;
use std::ops::Range;

use num_integer::Integer;

use super::{
    ClassTest, Closure, Counted, EquivalenceClass, Tightness, TrackedTable, largest, most_under_caps,
};
use crate::powers::compare_powers;
use privet_core::{Exact, Result};
use privet_policy::requirement::{Diversity, LDiversity};

pub(super) fn build(asked: &LDiversity, table: &TrackedTable) -> Result<Box<dyn ClassTest>> {
    let column = table.column(asked.column)?;
    let (slots, name) = (column.slots.clone(), column.name.clone());
    Ok(match asked.diversity {
        Diversity::Distinct(l) => {
            Box::new(Distinct { l: l.numerator().div_ceil(l.denominator()), slots, name })
        }
        Diversity::Frequency(l) => Box::new(Frequency { l, slots, name }),
        Diversity::Entropy(l) => Box::new(Entropy { l, slots, name }),
        Diversity::Recursive { c, l } => Box::new(Recursive { c, l, slots, name }),
    })
}

#[derive(Debug)]
struct Distinct {
    l: u64,
    slots: Range<u32>,
    name: String,
}

impl Distinct {
    fn values(&self, class: &EquivalenceClass<'_>) -> u64 {
        let mut values = 0;
        class.counts.for_each(&self.slots, |_, _| values += 1);
        values
    }
}

impl ClassTest for Distinct {
    fn holds(&self, class: &EquivalenceClass<'_>) -> bool {
        class.size == 0 || self.values(class) >= self.l
    }

    fn counts_people(&self) -> bool {
        true
    }

    fn closure(&self) -> Closure {
        Closure::Superset
    }

    fn most_kept(&self, class: &EquivalenceClass<'_>) -> u64 {
        if self.holds(class) { class.size } else { 0 }
    }

    fn least_size(&self) -> u64 {
        self.l
    }

    fn tightness(&self, class: &EquivalenceClass<'_>) -> Tightness {
        Tightness { value: self.values(class) as f64, threshold: self.l as f64, at_most: false }
    }

    fn why_impossible(&self, table: &EquivalenceClass<'_>, _: Counted) -> String {
        format!(
            "l is {}, but the column '{}' has only {} distinct values",
            self.l,
            self.name,
            self.values(table)
        )
    }
}

#[derive(Debug)]
struct Frequency {
    l: Exact,
    slots: Range<u32>,
    name: String,
}

impl ClassTest for Frequency {
    fn holds(&self, class: &EquivalenceClass<'_>) -> bool {
        let most = u128::from(class.counts.most(&self.slots));
        most * u128::from(self.l.numerator()) <= u128::from(class.size) * u128::from(self.l.denominator())
    }

    fn counts_people(&self) -> bool {
        true
    }

    fn closure(&self) -> Closure {
        Closure::Union
    }

    fn most_kept(&self, class: &EquivalenceClass<'_>) -> u64 {
        let cap = (u128::from(self.l.denominator()), u128::from(self.l.numerator()));
        most_under_caps(class, &self.slots, |_| cap)
    }

    fn least_size(&self) -> u64 {
        self.l.numerator().div_ceil(self.l.denominator())
    }

    fn tightness(&self, class: &EquivalenceClass<'_>) -> Tightness {
        let value = class.counts.most(&self.slots) as f64 / class.size as f64;
        Tightness { value, threshold: 1.0 / self.l.to_f64(), at_most: true }
    }

    fn why_impossible(&self, table: &EquivalenceClass<'_>, of: Counted) -> String {
        let most = table.counts.most(&self.slots);
        format!(
            "l is {}, so no value may make up more than {}/{} of a class, but one value of '{}' makes up {most} of \
             all {} {of}",
            self.l,
            self.l.denominator(),
            self.l.numerator(),
            self.name,
            table.size
        )
    }
}

/// Shares are counted in this many parts.
const SHARES: u128 = 1 << 30;

#[derive(Debug)]
struct Entropy {
    l: Exact,
    slots: Range<u32>,
    name: String,
}

impl Entropy {
    /// n ln n − Σ n_i ln n_i, which is n times the entropy, in floating point.
    fn scaled(&self, class: &EquivalenceClass<'_>) -> f64 {
        let n = class.size as f64;
        let mut scaled = n * n.ln();
        class.counts.for_each(&self.slots, |_, count| scaled -= count as f64 * (count as f64).ln());
        scaled
    }

    /// The largest share of one value, in [`SHARES`], that leaves the entropy of `values` values at log l; `None` if
    /// nothing does. With a share p the entropy is at most H(p) + (1 − p) log(values − 1). Rounded up, so that it stays
    /// a bound.
    fn largest_share(&self, values: u64) -> Option<u128> {
        let wanted = self.l.to_f64().ln();
        if (values as f64).ln() < wanted - 1e-9 {
            return None;
        }
        let plogp = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
        let others = (values.max(2) - 1) as f64;
        let highest = |share: u64| {
            let p = share as f64 / SHARES as f64;
            -plogp(p) - plogp(1.0 - p) + (1.0 - p) * others.ln()
        };
        // Beyond 1/values the entropy only falls.
        let even = SHARES as u64 / values;
        let share = largest(SHARES as u64, |share| share <= even || highest(share) >= wanted - 1e-9);
        Some(u128::from(share) + 1)
    }

    /// The sign of n · (entropy − log l) in floating point; `None` where rounding might have changed it.
    ///
    /// It is the sum of n_i · log(n/(n_i · l)). A value with exactly its fair share contributes exactly nothing, and one
    /// near it is measured by its difference, which is exact: so ties of even classes are decided here, however large.
    fn clear_sign(&self, class: &EquivalenceClass<'_>) -> Option<bool> {
        let fair = u128::from(class.size) * u128::from(self.l.denominator());
        let (mut sum, mut weight, mut terms) = (0.0, 0.0, 16.0);
        class.counts.for_each(&self.slots, |_, count| {
            let share = u128::from(count) * u128::from(self.l.numerator());
            let gap = fair.abs_diff(share) as f64 / share as f64;
            let gap = if fair < share { -gap } else { gap };
            let log = if gap.abs() < 0.5 { gap.ln_1p() } else { (fair as f64 / share as f64).ln() };
            sum += count as f64 * log;
            weight += count as f64 * log.abs();
            terms += 1.0;
        });
        // Each term is accurate to a few units in its last place, and each addition to one more.
        let doubt = terms * f64::EPSILON * weight;
        if weight == 0.0 { Some(true) } else { (sum.abs() > doubt).then_some(sum > 0.0) }
    }

    /// nⁿ · denⁿ ≥ numⁿ · Π n_i^n_i, exactly.
    fn holds_exactly(&self, class: &EquivalenceClass<'_>) -> bool {
        // Entropy only knows shares: a common divisor of all counts may go, and the powers stay small.
        let mut divisor = 0u64;
        class.counts.for_each(&self.slots, |_, count| divisor = divisor.gcd(&count));
        let size = class.size / divisor.max(1);
        let mut right = vec![(self.l.numerator(), size)];
        class.counts.for_each(&self.slots, |_, count| {
            right.push((count / divisor.max(1), count / divisor.max(1)));
        });
        compare_powers(&[(size, size), (self.l.denominator(), size)], &right).is_ge()
    }
}

impl ClassTest for Entropy {
    fn holds(&self, class: &EquivalenceClass<'_>) -> bool {
        class.size == 0 || self.clear_sign(class).unwrap_or_else(|| self.holds_exactly(class))
    }

    fn closure(&self) -> Closure {
        Closure::Union
    }

    fn most_kept(&self, class: &EquivalenceClass<'_>) -> u64 {
        let mut values = 0u64;
        class.counts.for_each(&self.slots, |_, _| values += 1);
        let Some(share) = self.largest_share(values) else { return 0 };
        most_under_caps(class, &self.slots, |_| (share, SHARES))
    }

    fn least_size(&self) -> u64 {
        self.l.numerator().div_ceil(self.l.denominator())
    }

    fn tightness(&self, class: &EquivalenceClass<'_>) -> Tightness {
        let value = (self.scaled(class) / class.size as f64).exp();
        Tightness { value, threshold: self.l.to_f64(), at_most: false }
    }

    fn why_impossible(&self, table: &EquivalenceClass<'_>, _: Counted) -> String {
        let effective = self.tightness(table).value;
        format!(
            "l is {}, but '{}' in the whole table is only as diverse as {effective:.3} equal values",
            self.l, self.name
        )
    }
}

thread_local! {
    /// Counts of one class. Searches judge millions of classes; none of them should ask for memory.
    static COUNTS: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

#[derive(Debug)]
struct Recursive {
    c: Exact,
    l: u64,
    slots: Range<u32>,
    name: String,
}

impl Recursive {
    /// The most frequent count and the sum of the counts from the l-th on.
    fn head_and_tail(&self, class: &EquivalenceClass<'_>) -> (u64, u64) {
        self.with_counts(class, |counts| {
            let before = usize::try_from(self.l - 1).unwrap_or(usize::MAX);
            (counts.first().copied().unwrap_or(0), counts.iter().skip(before).sum())
        })
    }

    /// Hands over the counts of a class, the most frequent first.
    fn with_counts<T>(&self, class: &EquivalenceClass<'_>, take: impl FnOnce(&[u64]) -> T) -> T {
        COUNTS.with_borrow_mut(|counts| {
            counts.clear();
            class.counts.for_each(&self.slots, |_, count| counts.push(count));
            counts.sort_unstable_by(|a, b| b.cmp(a));
            take(counts)
        })
    }
}

impl ClassTest for Recursive {
    fn holds(&self, class: &EquivalenceClass<'_>) -> bool {
        let (head, tail) = self.head_and_tail(class);
        let (num, den) = (u128::from(self.c.numerator()), u128::from(self.c.denominator()));
        class.size == 0 || u128::from(head) * den < num * u128::from(tail)
    }

    fn closure(&self) -> Closure {
        Closure::Union
    }

    fn most_kept(&self, class: &EquivalenceClass<'_>) -> u64 {
        let mut values = 0u64;
        class.counts.for_each(&self.slots, |_, _| values += 1);
        if values < self.l {
            return 0;
        }
        // With the most frequent value cut down to x records, the others keep at most x each: the tail is at most
        // Σ over the values from the l-th on of min(n_i, x). That is concave in x and zero at zero, so x < c · tail(x)
        // holds up to some x and fails beyond.
        let capped =
            |counts: &[u64], cap: u64| counts.iter().map(|count| u128::from(*count.min(&cap))).sum::<u128>();
        let (num, den) = (u128::from(self.c.numerator()), u128::from(self.c.denominator()));
        self.with_counts(class, |counts| {
            let tail = &counts[self.l as usize - 1..];
            let fits = |cap: u64| cap == 0 || u128::from(cap) * den < num * capped(tail, cap);
            capped(counts, largest(counts[0], fits)) as u64
        })
    }

    fn least_size(&self) -> u64 {
        self.l
    }

    fn tightness(&self, class: &EquivalenceClass<'_>) -> Tightness {
        let (head, tail) = self.head_and_tail(class);
        let value = if tail == 0 { f64::INFINITY } else { head as f64 / tail as f64 };
        Tightness { value, threshold: self.c.to_f64(), at_most: true }
    }

    fn why_impossible(&self, table: &EquivalenceClass<'_>, _: Counted) -> String {
        let (head, tail) = self.head_and_tail(table);
        let (c, l, name) = (self.c, self.l, &self.name);
        format!(
            "in the whole table the most frequent value of '{name}' has {head} records, which is not below c = {c} times \
             the {tail} records of the values from number {l} on"
        )
    }
}
