//! l+-diversity (Liu 2010): each sensitive value s has a threshold θ(s), and in a class of n records at most θ(s)·n have
//! it. A suppressed cell counts in n and is not a value.
//!
//! θ(s) is the value's entry in `theta`; else, by the rule `frequency`, base·f(s)/f̄ but at most 1 where the value's
//! count f(s) in the original is at least the mean count f̄ of the values that occur there; else the base, which is
//! `default` or 1/l.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};

use super::{Facts, Notion, OriginalColumn};
use crate::classes::Histogram;
use privet_core::{Error, Exact, Result};
use privet_policy::requirement::{Base, LPlusDiversity, ThetaRule};

const NAME: &str = "l-plus-diversity";

/// A fraction of any length: thresholds are derived here without a thought for overflow.
#[derive(Debug, Clone, PartialEq)]
struct Fraction {
    over: BigUint,
    under: BigUint,
}

impl Fraction {
    fn new(over: BigUint, under: BigUint) -> Fraction {
        let divisor = over.gcd(&under).max(BigUint::one());
        Fraction { over: over / &divisor, under: under / divisor }
    }

    fn exact(number: Exact) -> Fraction {
        Fraction::new(number.numerator().into(), number.denominator().into())
    }

    /// For display and for choosing what is named.
    fn approximate(&self) -> f64 {
        let digits = |number: &BigUint| number.to_f64().unwrap_or(f64::INFINITY);
        digits(&self.over) / digits(&self.under)
    }

    fn text(&self) -> String {
        if self.under.is_one() { self.over.to_string() } else { format!("{}/{}", self.over, self.under) }
    }
}

struct LPlus {
    column: usize,
    /// The values' texts, by number.
    values: Vec<String>,
    /// Their thresholds.
    theta: Vec<Fraction>,
}

pub(super) fn auditor(asked: &LPlusDiversity, facts: &Facts<'_>) -> Result<Box<dyn Notion>> {
    let column = facts.column(NAME, asked.column)?;
    let mut original = facts.original_column(column)?;
    if let Some(people) = facts.people {
        original.counts = people.distribution(facts, column);
    }
    of_column(asked, column, &original)
}

/// The notion for a column at this place among the unchanged ones.
pub(super) fn of_column(
    asked: &LPlusDiversity,
    column: usize,
    original: &OriginalColumn<'_>,
) -> Result<Box<dyn Notion>> {
    let theta = fractions(asked, &original.values, &original.counts)?;
    let values = original.values.iter().map(ToString::to_string).collect();
    Ok(Box::new(LPlus { column, values, theta }))
}

/// Every value's threshold, by number, where it can be written with numbers of 64 bits.
pub fn thresholds(asked: &LPlusDiversity, column: &OriginalColumn<'_>) -> Result<Vec<Exact>> {
    let exact = |(fraction, value): (Fraction, &&str)| {
        let pair = fraction.over.to_u64().zip(fraction.under.to_u64());
        pair.and_then(|(over, under)| Exact::new(over, under)).ok_or_else(|| {
            Error::input(format!("[privacy.{NAME}] gives '{value}' a threshold with too many digits"))
                .help("write 'default' or 'l' with fewer digits, or give the value a theta of its own")
        })
    };
    fractions(asked, &column.values, &column.counts)?.into_iter().zip(&column.values).map(exact).collect()
}

/// Every value's threshold. A value that only the release has, and that the policy says nothing about, has none of its
/// own: 0.
fn fractions(asked: &LPlusDiversity, values: &[&str], counts: &[u64]) -> Result<Vec<Fraction>> {
    let base = match asked.base {
        Base::OneIn(l) => Some(Fraction::new(l.denominator().into(), l.numerator().into())),
        Base::Share(share) => Some(Fraction::exact(share)),
        Base::None => None,
    };
    let by_frequency = match asked.theta_rule {
        Some(ThetaRule::Frequency) => true,
        None => false,
    };
    let records: BigUint = counts.iter().map(|count| BigUint::from(*count)).sum();
    let occurring = BigUint::from(counts.iter().filter(|count| **count > 0).count());
    let threshold = |(value, count): (&&str, &u64)| {
        if let Some(own) = asked.theta.get(*value) {
            return Ok(Fraction::exact(*own));
        }
        let Some(base) = &base else {
            if *count == 0 {
                return Ok(Fraction::new(BigUint::zero(), BigUint::one()));
            }
            return Err(Error::input(format!("[privacy.{NAME}] gives '{value}' no threshold"))
                .help("add it to theta, or set l = 4 or default = \"1/4\" for all values without one"));
        };
        // f(s) ≥ f̄ = records/occurring, without dividing.
        let weight = BigUint::from(*count) * &occurring;
        if !by_frequency || weight < records {
            return Ok(base.clone());
        }
        let scaled = Fraction::new(&base.over * weight, &base.under * &records);
        Ok(if scaled.over > scaled.under { Fraction::exact(Exact::ONE) } else { scaled })
    };
    values.iter().zip(counts).map(threshold).collect()
}

impl LPlus {
    /// n_s ≤ θ(s)·n.
    fn allows(&self, value: u32, count: u64, size: u64) -> bool {
        let theta = &self.theta[value as usize];
        if let Some((over, under)) = theta.over.to_u64().zip(theta.under.to_u64()) {
            return u128::from(count) * u128::from(under) <= u128::from(over) * u128::from(size);
        }
        BigUint::from(count) * &theta.under <= &theta.over * BigUint::from(size)
    }

    /// The value that uses most of its threshold, how much of it that is, and how often the value occurs. A value above
    /// its threshold comes before all that are not, however the shares are rounded.
    fn worst(&self, class: &Histogram) -> Option<(f64, u32, u64)> {
        let share = |count: u64| count as f64 / class.size as f64;
        let uses = class.counts.iter().map(|(value, count)| {
            (share(*count) / self.theta[*value as usize].approximate(), *value, *count)
        });
        let too_much = |value: u32, count: u64| !self.allows(value, count, class.size);
        uses.max_by(|a, b| too_much(a.1, a.2).cmp(&too_much(b.1, b.2)).then(a.0.total_cmp(&b.0)))
    }
}

impl Notion for LPlus {
    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    fn counts_suppressed(&self) -> bool {
        true
    }

    fn holds(&self, class: &Histogram) -> bool {
        class.counts.iter().all(|(value, count)| self.allows(*value, *count, class.size))
    }

    fn strain(&self, class: &Histogram) -> f64 {
        self.worst(class).map_or(0.0, |(strain, ..)| strain)
    }

    fn explain(&self, class: &Histogram) -> String {
        let size = class.size;
        let Some((_, value, count)) = self.worst(class) else {
            return format!("size {size}, all values are suppressed");
        };
        let sign = if self.allows(value, count, size) { "≤" } else { ">" };
        let (text, theta) = (&self.values[value as usize], self.theta[value as usize].text());
        // Somebody with several values counts in each of them.
        let suppressed = size.saturating_sub(class.counts.iter().map(|(_, count)| count).sum::<u64>());
        let stars = if suppressed > 0 { format!(", {suppressed} suppressed") } else { String::new() };
        format!("size {size}{stars}, '{text}' has {count}/{size} {sign} θ = {theta}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn exact(text: &str) -> Exact {
        Exact::parse(text).expect("a number")
    }

    fn asked(base: Base, by_frequency: bool, own: &[(&str, &str)]) -> LPlusDiversity {
        let theta = own.iter().map(|(value, theta)| (value.to_string(), exact(theta)));
        let theta_rule = by_frequency.then_some(ThetaRule::Frequency);
        LPlusDiversity { column: 0, base, theta_rule, theta: theta.collect() }
    }

    fn values() -> Vec<String> {
        ["flu", "cold", "cancer"].map(String::from).to_vec()
    }

    fn found(asked: &LPlusDiversity, counts: &[u64]) -> Result<Vec<String>> {
        let theta = fractions(asked, &["flu", "cold", "cancer"], counts)?;
        Ok(theta.iter().map(Fraction::text).collect())
    }

    #[test]
    fn thresholds_are_derived_from_policy_and_original() {
        let of = |asked: &LPlusDiversity, counts: &[u64]| found(asked, counts).expect("thresholds");
        let four = Base::OneIn(exact("4"));
        assert_eq!(of(&asked(four, false, &[]), &[6, 3, 3]), ["1/4", "1/4", "1/4"]);
        let quarter = Base::Share(exact("1/4"));
        assert_eq!(of(&asked(quarter, true, &[]), &[6, 3, 3]), ["3/8", "1/4", "1/4"]);
        assert_eq!(of(&asked(Base::OneIn(Exact::ONE), true, &[]), &[6, 3, 3]), ["1", "1", "1"]);
        assert_eq!(of(&asked(four, true, &[("flu", "0.1")]), &[6, 3, 3]), ["1/10", "1/4", "1/4"]);
        assert_eq!(of(&asked(Base::None, false, &[("flu", "0.1")]), &[6, 0, 0]), ["1/10", "0", "0"]);
    }

    #[test]
    fn a_policy_that_says_too_little_is_refused() {
        let own = asked(Base::None, false, &[("flu", "1"), ("cold", "1")]);
        let wrong = found(&own, &[1, 1, 1]).expect_err("an error").to_string();
        assert!(wrong.contains("'cancer'"), "{wrong}");
    }

    fn notion(theta: [&str; 3]) -> LPlus {
        let theta = theta.map(|text| Fraction::exact(Exact::parse(text).expect("a number"))).to_vec();
        LPlus { column: 0, values: values(), theta }
    }

    #[test]
    fn a_class_explains_itself_by_its_worst_value() {
        let notion = notion(["1/2", "0.3", "0"]);
        let class = |size, counts: &[(u32, u64)]| Histogram { size, counts: counts.to_vec() };
        let tie = class(10, &[(0, 5), (1, 3)]);
        assert!(notion.holds(&tie));
        assert_eq!(notion.explain(&tie), "size 10, 2 suppressed, 'cold' has 3/10 ≤ θ = 3/10");
        let above = class(10, &[(0, 4), (1, 4)]);
        assert!(!notion.holds(&above));
        assert!(notion.explain(&above).ends_with("'cold' has 4/10 > θ = 3/10"));
        let never = class(100, &[(0, 5), (2, 1)]);
        assert!(!notion.holds(&never));
        assert!(notion.explain(&never).ends_with("'cancer' has 1/100 > θ = 0"));
        assert_eq!(notion.explain(&class(4, &[])), "size 4, all values are suppressed");
    }

    proptest! {
        #[test]
        fn a_class_holds_if_every_share_does(
            counts in proptest::collection::vec(0u64..9, 3),
            suppressed in 0u64..5,
            theta in proptest::collection::vec((0u64..7, 1u64..7), 3),
        ) {
            let fraction = |(over, under): &(u64, u64)| Fraction::new((*over).into(), (*under).into());
            let notion = LPlus { column: 0, values: values(), theta: theta.iter().map(fraction).collect() };
            let size = counts.iter().sum::<u64>() + suppressed;
            let shown = (0..).zip(counts.iter().copied()).filter(|(_, count)| *count > 0).collect();
            let naive = counts.iter().zip(&theta).all(|(count, (over, under))| count * under <= over * size);
            prop_assert_eq!(notion.holds(&Histogram { size, counts: shown }), naive);
        }
    }
}
