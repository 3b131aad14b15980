//! Exposable information and information exposure (Fang, Ashrafi and Ng, *Privacy beyond Single Sensitive Attribute*, section 4.2): how much a background join
//! tells.
//!
//! An attacker who knows that a person has v in column A and finds the person's row reads B in it. What is new to them is
//! H(B) − I(A, B), and it matters if the value read is sensitive. So of a pair of columns
//! E(A, B) = Σ over value pairs (v, v′) of p(v, v′)·[(H(A) − I if v is sensitive) + (H(B) − I if v′ is sensitive)]
//!         = p(A sensitive)·(H(A) − I) + p(B sensitive)·(H(B) − I),
//! because the first bracket does not depend on v′ nor the second on v. (The paper's last case prints one H twice; this is
//! the sum that is meant.)
//!
//! A plan publishes the columns of each of its subsets S together; its exposure is
//! Γβ = Σ over S of [Σ E over the pairs inside S / Σ E over all pairs]·|S|/(number of columns); 0 if nothing is exposable.

use super::information::entropy;

/// H and I are sums in different orders. Where a column follows from another, what is left of its entropy is rounding, and
/// nothing is exposed; where it does not, more than this share is left in any table below 10¹⁰ records.
const ROUNDING: f64 = 1e-12;

/// What counts of one column in this.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exposable {
    /// H.
    pub entropy: f64,
    /// The share of records whose value is sensitive.
    pub sensitive: f64,
}

impl Exposable {
    /// A column whose values occur so often; `is_sensitive` says which values need protection.
    pub fn of(counts: &[u64], is_sensitive: impl Fn(usize) -> bool) -> Exposable {
        let all: u64 = counts.iter().sum();
        let sensitive: u64 =
            counts.iter().enumerate().filter(|(value, _)| is_sensitive(*value)).map(|(_, count)| count).sum();
        Exposable { entropy: entropy(counts), sensitive: sensitive as f64 / all.max(1) as f64 }
    }

    /// E of a pair of columns with this mutual information.
    pub fn with(&self, other: &Exposable, information: f64) -> f64 {
        let new = |column: &Exposable| {
            let left = column.entropy - information;
            if left <= ROUNDING * column.entropy { 0.0 } else { column.sensitive * left }
        };
        new(self) + new(other)
    }
}

/// Γβ of a plan over `columns` columns; `exposable(a, b)` is E of two of them, in any order.
pub fn information_exposure(
    plan: &[Vec<usize>],
    columns: usize,
    exposable: impl Fn(usize, usize) -> f64,
) -> f64 {
    let inside = |subset: &[usize]| -> f64 {
        let pairs =
            subset.iter().enumerate().flat_map(|(at, a)| subset[at + 1..].iter().map(move |b| (*a, *b)));
        // Not `sum`, which is −0 for no pair at all.
        pairs.map(|(a, b)| exposable(a, b)).fold(0.0, |sum, more| sum + more)
    };
    let all = inside(&(0..columns).collect::<Vec<_>>());
    if all == 0.0 {
        return 0.0;
    }
    let share = |subset: &[usize]| inside(subset) / all * (subset.len() as f64 / columns as f64);
    plan.iter().map(|subset| share(subset)).fold(0.0, |sum, more| sum + more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_table_exposes_everything_and_single_columns_nothing() {
        let exposable = |a: usize, b: usize| (a + b) as f64 * 0.1;
        assert_eq!(information_exposure(&[vec![0, 1, 2]], 3, exposable), 1.0);
        assert_eq!(information_exposure(&[vec![0], vec![1], vec![2]], 3, exposable), 0.0);
        // The pair (1, 2) has half of all, in a table of two columns of three.
        assert!((information_exposure(&[vec![0], vec![1, 2]], 3, exposable) - 1.0 / 3.0).abs() < 1e-15);
        assert_eq!(information_exposure(&[vec![0, 1]], 2, |_, _| 0.0), 0.0);
    }

    #[test]
    fn what_follows_is_not_new() {
        // Rounding in either direction.
        let column = Exposable::of(&[3, 5, 7], |_| true);
        let unlisted = Exposable::of(&[1; 15], |_| false);
        for information in [column.entropy * (1.0 - 1e-15), column.entropy, column.entropy * (1.0 + 1e-15)] {
            assert_eq!(column.with(&unlisted, information), 0.0);
        }
        // One record of ten billion that does not follow: its H(A | B) is about 1.4 / 10¹⁰.
        assert!(column.with(&unlisted, column.entropy - 1.4e-10) > 0.0);
    }

    #[test]
    fn insensitive_values_are_not_exposed() {
        let coin = Exposable::of(&[1, 1], |_| true);
        let nil = Exposable::of(&[3, 1], |value| value != 0);
        let shy = Exposable::of(&[3, 1], |_| false);
        let bit = 2f64.ln();
        assert!((coin.with(&coin, 0.0) - 2.0 * bit).abs() < 1e-15);
        assert!((coin.with(&coin, bit)).abs() < 1e-15);
        assert!((coin.with(&shy, 0.0) - bit).abs() < 1e-15);
        assert!((coin.with(&nil, 0.0) - bit - 0.25 * nil.entropy).abs() < 1e-15);
    }
}
