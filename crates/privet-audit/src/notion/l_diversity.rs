//! l-diversity (Machanavajjhala et al. 2007) in four kinds, for a class of n records whose values occur
//! n₁ ≥ n₂ ≥ … ≥ n_m times:
//!
//! - distinct: m ≥ l;
//! - frequency: n₁/n ≤ 1/l;
//! - entropy: Σ −p log p ≥ log l with p = nᵢ/n, decided as nⁿ ≥ lⁿ Π nᵢ^nᵢ;
//! - recursive (c, l): n₁ < c (n_l + … + n_m).

use num_integer::Integer;

use super::{Facts, Notion};
use crate::classes::Histogram;
use privet_core::{Exact, Result, counted};
use privet_policy::requirement::{self, Diversity};

struct LDiversity {
    column: usize,
    l: Exact,
    kind: DiversityKind,
}

#[derive(Debug, Clone, Copy)]
enum DiversityKind {
    Distinct,
    Frequency,
    Entropy,
    Recursive(Exact),
}

pub(super) fn auditor(asked: &requirement::LDiversity, facts: &Facts<'_>) -> Result<Box<dyn Notion>> {
    Ok(of_place(asked, facts.column("l-diversity", asked.column)?))
}

/// The notion for a column at this place among the unchanged ones.
pub(super) fn of_place(asked: &requirement::LDiversity, column: usize) -> Box<dyn Notion> {
    let (kind, l) = match asked.diversity {
        Diversity::Distinct(l) => (DiversityKind::Distinct, l),
        Diversity::Frequency(l) => (DiversityKind::Frequency, l),
        Diversity::Entropy(l) => (DiversityKind::Entropy, l),
        Diversity::Recursive { c, l } => (DiversityKind::Recursive(c), Exact::whole(l)),
    };
    Box::new(LDiversity { column, l, kind })
}

impl Notion for LDiversity {
    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    fn holds(&self, class: &Histogram) -> bool {
        let counts = falling(class);
        let (n, most) = (class.size, counts.first().copied().unwrap_or(0));
        match self.kind {
            DiversityKind::Distinct => not_above(self.l, counts.len() as u64, 1),
            DiversityKind::Frequency => not_above(self.l, n, most),
            DiversityKind::Entropy => entropy_holds(&counts, self.l),
            DiversityKind::Recursive(c) => {
                let tail = tail(&counts, self.l);
                u128::from(most) * u128::from(c.denominator()) < u128::from(c.numerator()) * u128::from(tail)
            }
        }
    }

    fn strain(&self, class: &Histogram) -> f64 {
        let counts = falling(class);
        let (n, most) = (class.size as f64, counts.first().copied().unwrap_or(0) as f64);
        match self.kind {
            DiversityKind::Distinct => -(counts.len() as f64),
            DiversityKind::Frequency => most / n,
            DiversityKind::Entropy => -entropy(&counts),
            DiversityKind::Recursive(_) => most / tail(&counts, self.l) as f64,
        }
    }

    fn explain(&self, class: &Histogram) -> String {
        let counts = falling(class);
        let (n, most, l) = (class.size, counts.first().copied().unwrap_or(0), self.l);
        let sign = |yes, no| if self.holds(class) { yes } else { no };
        let text = match self.kind {
            DiversityKind::Distinct => {
                let values = counted(counts.len() as u64, "distinct value", "distinct values");
                format!("{values} {} l = {l}", sign("≥", "<"))
            }
            DiversityKind::Frequency => {
                format!("the most frequent value has {most}/{n} {} 1/l, l = {l}", sign("≤", ">"))
            }
            DiversityKind::Entropy => {
                let perplexity = entropy(&counts).exp();
                format!(
                    "the entropy is that of {perplexity:.4} equally frequent values {} l = {l}",
                    sign("≥", "<")
                )
            }
            DiversityKind::Recursive(c) => {
                let tail = tail(&counts, l);
                format!("the most frequent value has {most} {} c × {tail}, c = {c}, l = {l}", sign("<", "≥"))
            }
        };
        format!("size {n}, {text}")
    }
}

/// The counts of a class, largest first.
fn falling(class: &Histogram) -> Vec<u64> {
    let mut counts: Vec<u64> = class.counts.iter().map(|(_, count)| *count).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts
}

/// bound ≤ over / under, without dividing.
fn not_above(bound: Exact, over: u64, under: u64) -> bool {
    u128::from(bound.numerator()) * u128::from(under) <= u128::from(over) * u128::from(bound.denominator())
}

/// The records that have the l-th most frequent value or a rarer one. An l between two whole numbers counts as the
/// stricter one.
fn tail(counts: &[u64], l: Exact) -> u64 {
    let rank = usize::try_from(l.numerator().div_ceil(l.denominator())).unwrap_or(usize::MAX);
    counts.iter().skip(rank.max(1) - 1).sum()
}

/// The entropy in nats, for display and for what is far from the bound.
fn entropy(counts: &[u64]) -> f64 {
    let n = counts.iter().sum::<u64>() as f64;
    -counts.iter().map(|count| *count as f64 / n).map(|p| p * p.ln()).sum::<f64>()
}

fn entropy_holds(counts: &[u64], l: Exact) -> bool {
    // Entropy depends on shares only, so a common divisor may go: equal counts, the usual tie, become ones.
    let divisor = counts.iter().fold(0, |divisor: u64, count| divisor.gcd(count)).max(1);
    let counts: Vec<u64> = counts.iter().map(|count| count / divisor).collect();
    far_from_bound(&counts, l).unwrap_or_else(|| entropy_holds_exactly(&counts, l))
}

/// The answer where rounding cannot have changed it: the difference is larger than all rounding errors together.
fn far_from_bound(counts: &[u64], l: Exact) -> Option<bool> {
    let n = counts.iter().sum::<u64>() as f64;
    let whole = n * n.ln();
    let parts: f64 = counts.iter().map(|count| *count as f64).map(|count| count * count.ln()).sum();
    let bound = n * l.to_f64().ln();
    let difference = whole - parts - bound;
    // Every term is right within a few units in the last place, and a sum of m terms loses at most m more.
    let units = 8.0 * (counts.len() as f64 + 8.0);
    // A logarithm of a number near 1 is small, but its argument was rounded too: `n` stands for that.
    let largest_error = units * f64::EPSILON * (whole + parts + bound.abs() + n);
    (difference.abs() > largest_error).then_some(difference > 0.0)
}

/// nⁿ · bⁿ ≥ aⁿ · Π nᵢ^nᵢ for l = a/b, by certain bounds on logarithms.
fn entropy_holds_exactly(counts: &[u64], l: Exact) -> bool {
    let counts: Vec<u64> = counts.iter().copied().filter(|count| *count > 0).collect();
    super::logarithms::is_at_least(&counts, (l.numerator(), l.denominator()))
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use num_traits::Pow;
    use proptest::prelude::*;

    use super::*;

    /// The same in whole numbers, multiplied out.
    fn multiplied_out(counts: &[u64], l: Exact) -> bool {
        let n: u64 = counts.iter().sum();
        let power = |base: u64, exponent: u64| BigUint::from(base).pow(exponent);
        let right = counts.iter().map(|count| power(*count, *count)).product::<BigUint>();
        power(n, n) * power(l.denominator(), n) >= power(l.numerator(), n) * right
    }

    /// A million records near the bound: multiplied out, the powers have twenty million digits.
    #[test]
    fn hard_use_2_3_entropy_near_its_bound_is_decided_by_logarithms() {
        let half = 500_000;
        assert!(holds(DiversityKind::Entropy, "2", &[half, half]));
        assert!(!holds(DiversityKind::Entropy, "2", &[half + 1, half - 1]));
        assert!(!holds(DiversityKind::Entropy, "2", &[half, half - 1]));
        assert!(holds(DiversityKind::Entropy, "1.99999999999", &[half, half - 1]));
        // One value in two, two in eight each, … has the entropy of 2√2 values, which is not a fraction: near it on both sides.
        let counts = [400_000, 200_000, 200_000];
        assert!(holds(DiversityKind::Entropy, "2.828427124746190", &counts));
        assert!(!holds(DiversityKind::Entropy, "2.828427124746191", &counts));
        let uneven = [400_001, 200_000, 200_000, 100_003, 50_001, 49_999];
        assert!(!holds(DiversityKind::Entropy, "5", &uneven));
    }

    fn class(counts: &[u64]) -> Histogram {
        Histogram { size: counts.iter().sum(), counts: (0..).zip(counts.iter().copied()).collect() }
    }

    fn holds(kind: DiversityKind, l: &str, counts: &[u64]) -> bool {
        let l = Exact::parse(l).expect("a number");
        LDiversity { column: 0, l, kind }.holds(&class(counts))
    }

    fn recursive(c: &str) -> DiversityKind {
        DiversityKind::Recursive(Exact::parse(c).expect("a number"))
    }

    #[test]
    fn distinct_counts_values() {
        assert!(holds(DiversityKind::Distinct, "3", &[9, 1, 1]));
        assert!(!holds(DiversityKind::Distinct, "3", &[9, 1]));
        assert!(!holds(DiversityKind::Distinct, "2.5", &[9, 1]));
    }

    #[test]
    fn frequency_accepts_the_exact_tie() {
        assert!(holds(DiversityKind::Frequency, "3", &[1, 1, 1]));
        assert!(holds(DiversityKind::Frequency, "10/3", &[3, 3, 3, 1]));
        assert!(!holds(DiversityKind::Frequency, "3", &[34, 33, 33]));
        assert!(!holds(DiversityKind::Frequency, "3.000000000000001", &[1, 1, 1]));
    }

    #[test]
    fn entropy_accepts_uniform_classes_of_every_size() {
        for l in 1..=40u64 {
            for each in [1, 2, 3, 7, 1000] {
                let counts = vec![each; l as usize];
                assert!(holds(DiversityKind::Entropy, &l.to_string(), &counts), "{l} values, {each} each");
                assert!(
                    !holds(DiversityKind::Entropy, &format!("{l}.00000000000001"), &counts),
                    "{l} values, {each} each"
                );
            }
        }
        assert!(!holds(DiversityKind::Entropy, "3", &[2, 1, 1]));
        // Σ −p log p of 1/2, 1/4, 1/4 is log 2√2 = log 2.828…
        assert!(holds(DiversityKind::Entropy, "2.82842712474619", &[2, 1, 1]));
        assert!(!holds(DiversityKind::Entropy, "2.82842712474620", &[2, 1, 1]));
    }

    #[test]
    fn recursive_is_strict_and_exact() {
        assert!(!holds(recursive("1.12"), "2", &[28, 25]));
        assert!(holds(recursive("1.12"), "2", &[28, 25, 1]));
        assert!(!holds(recursive("2"), "2", &[4, 2]));
        assert!(holds(recursive("2"), "2", &[3, 2]));
        assert!(!holds(recursive("100"), "3", &[3, 2]), "fewer than l values leave an empty tail");
        assert!(!holds(recursive("1"), "1.5", &[3, 2]));
    }

    #[test]
    fn every_kind_explains_itself() {
        let explain = |kind, l| {
            LDiversity { column: 0, l: Exact::parse(l).expect("a number"), kind }.explain(&class(&[28, 25]))
        };
        assert_eq!(explain(DiversityKind::Distinct, "3"), "size 53, 2 distinct values < l = 3");
        assert_eq!(
            explain(DiversityKind::Frequency, "2"),
            "size 53, the most frequent value has 28/53 > 1/l, l = 2"
        );
        assert_eq!(
            explain(recursive("1.12"), "2"),
            "size 53, the most frequent value has 28 ≥ c × 25, c = 28/25, l = 2"
        );
        assert!(explain(DiversityKind::Entropy, "1.5").ends_with("1.9968 equally frequent values ≥ l = 3/2"));
    }

    proptest! {
        #[test]
        fn the_quick_answer_is_the_exact_one(
            counts in proptest::collection::vec(1u64..30, 1..8),
            over in 1u64..200,
            under in 1u64..40,
        ) {
            let l = Exact::new(over, under).expect("a number");
            prop_assert_eq!(entropy_holds(&counts, l), multiplied_out(&counts, l));
            prop_assert_eq!(entropy_holds_exactly(&counts, l), multiplied_out(&counts, l));
        }

        #[test]
        fn the_order_of_the_values_does_not_matter(
            counts in proptest::collection::vec(1u64..9, 1..6),
        ) {
            let mut reversed = counts.clone();
            reversed.reverse();
            for kind in [DiversityKind::Distinct, DiversityKind::Frequency, DiversityKind::Entropy, recursive("3/2")] {
                prop_assert_eq!(holds(kind, "2", &counts), holds(kind, "2", &reversed));
            }
        }
    }
}
