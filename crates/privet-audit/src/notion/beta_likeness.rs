//! β-likeness (Cao and Karras 2012): for every value that a class has, its share q of the class and its share p of the original
//! have (q − p)/p ≤ β; `enhanced`: and ≤ −ln p.
//!
//! With h of n_c records in the class and P of n in the original, the gain is (h·n − P·n_c)/(P·n_c). That it is at most −ln p is
//! decided as e^gain ≤ n/P, by the series of e with as many digits as it takes: no fraction but 0 has an e^x that is a fraction.

use num_bigint::BigUint;
use num_integer::Integer;

use super::{Facts, Notion, OriginalColumn};
use crate::classes::Histogram;
use privet_core::{Exact, Result};
use privet_policy::requirement;
use privet_policy::requirement::LikenessKind;

struct BetaLikeness {
    column: usize,
    beta: Exact,
    enhanced: bool,
    /// The values, by number.
    values: Vec<String>,
    /// How often each occurs in the original, by number; 0 for a value that only the release has.
    table: Vec<u64>,
    records: u64,
}

pub(super) fn auditor(asked: &requirement::BetaLikeness, facts: &Facts<'_>) -> Result<Box<dyn Notion>> {
    let column = facts.column("beta-likeness", asked.column)?;
    Ok(of_column(asked, column, &facts.original_column(column)?))
}

/// The notion for a column at this place among the unchanged ones.
pub(super) fn of_column(
    asked: &requirement::BetaLikeness,
    column: usize,
    original: &OriginalColumn<'_>,
) -> Box<dyn Notion> {
    Box::new(BetaLikeness {
        column,
        beta: asked.beta,
        enhanced: asked.kind == LikenessKind::Enhanced,
        values: original.values.iter().map(|value| (*value).to_string()).collect(),
        table: original.counts.clone(),
        records: original.counts.iter().sum(),
    })
}

/// Whether e^(over/under) ≤ whole/part.
fn exponential_is_at_most((over, under): (u128, u128), whole: u64, part: u64) -> bool {
    // No logarithm of a number of 64 bits is above 45.
    if over / under >= 45 {
        return false;
    }
    let (over, under) = (BigUint::from(over), BigUint::from(under));
    let mut bits = 96u64;
    loop {
        // Sums of terms x^i/i! in units of 2^−bits, one rounded down and one rounded up.
        let one = BigUint::from(1u32) << bits;
        let (mut low, mut high) = (one.clone(), one.clone());
        let (mut least, mut most) = (one.clone(), one.clone());
        let mut step = 0u32;
        // From twice 45 on a term is at most half of the one before, so all that follow are at most the last.
        while step < 90 || most > BigUint::from(1u32) {
            step += 1;
            let divisor = &under * step;
            least = &least * &over / &divisor;
            most = (&most * &over).div_ceil(&divisor);
            low += &least;
            high += &most;
        }
        high += &most;
        let bound = BigUint::from(whole) << bits;
        if high * part <= bound {
            return true;
        }
        if low * part > bound {
            return false;
        }
        bits *= 2;
    }
}

impl BetaLikeness {
    /// The gain of a value over its share of the original, as a fraction; `None` where there is none.
    fn gain(&self, size: u64, value: u32, count: u64) -> Option<(u128, u128)> {
        let usual = u128::from(self.table[value as usize]) * u128::from(size);
        let gain = (u128::from(count) * u128::from(self.records)).checked_sub(usual)?;
        (gain > 0).then_some((gain, usual))
    }

    fn is_alike(&self, size: u64, value: u32, count: u64) -> bool {
        let Some((gain, usual)) = self.gain(size, value, count) else { return true };
        let total = self.table[value as usize];
        // A value that the original lacks gains without bound.
        total > 0
            && BigUint::from(gain) * self.beta.denominator() <= BigUint::from(usual) * self.beta.numerator()
            && (!self.enhanced || exponential_is_at_most((gain, usual), self.records, total))
    }

    /// The value that is worst, with its gain relative to its bound.
    fn worst(&self, class: &Histogram) -> Option<(f64, u32, u64)> {
        let strain = |(value, count): &(u32, u64)| {
            let share = self.table[*value as usize] as f64 / self.records as f64;
            let gain =
                self.gain(class.size, *value, *count).map_or(0.0, |(over, under)| over as f64 / under as f64);
            let beta = self.beta.to_f64();
            let bound = if self.enhanced { beta.min(-share.ln()) } else { beta };
            (gain / bound.max(f64::MIN_POSITIVE), *value, *count)
        };
        class.counts.iter().map(strain).max_by(|a, b| a.0.total_cmp(&b.0))
    }
}

impl Notion for BetaLikeness {
    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    fn holds(&self, class: &Histogram) -> bool {
        class.counts.iter().all(|(value, count)| self.is_alike(class.size, *value, *count))
    }

    fn strain(&self, class: &Histogram) -> f64 {
        self.worst(class).map_or(0.0, |(strain, ..)| strain)
    }

    fn explain(&self, class: &Histogram) -> String {
        let Some((_, value, count)) = self.worst(class) else { return "no values".to_string() };
        let (total, records, size) = (self.table[value as usize], self.records, class.size);
        let (over, under) = self.gain(size, value, count).unwrap_or((0, 1));
        let common = over.gcd(&under).max(1);
        let sign = if self.is_alike(size, value, count) { "≤" } else { "not ≤" };
        let cap = if self.enhanced {
            format!("min({}, −ln {total}/{records})", self.beta)
        } else {
            self.beta.to_string()
        };
        let name = &self.values[value as usize];
        let gain = format!("{}/{}", over / common, under / common);
        format!("'{name}' {count}/{size} against {total}/{records}: gain {gain} {sign} {cap}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toy(beta: Exact, enhanced: bool) -> BetaLikeness {
        let values = ["flu", "cancer", "asthma"].map(str::to_string).to_vec();
        BetaLikeness { column: 0, beta, enhanced, values, table: vec![4, 1, 1], records: 6 }
    }

    #[test]
    fn gains_are_compared_exactly() {
        let class = |counts: &[(u32, u64)]| Histogram {
            size: counts.iter().map(|(_, count)| count).sum(),
            counts: counts.to_vec(),
        };
        // Cancer in A 30 has 1/2 against 1/6: a gain of 2, and −ln 1/6 is 1.79.
        let pair = class(&[(0, 1), (1, 1)]);
        assert!(toy(Exact::whole(2), false).holds(&pair));
        assert!(!toy(Exact::whole(2), true).holds(&pair) && !toy(Exact::whole(9), true).holds(&pair));
        assert!(!toy(Exact::new(19, 10).expect("a number"), false).holds(&pair));
        let three = class(&[(0, 2), (1, 1)]);
        assert!(toy(Exact::ONE, false).holds(&three) && toy(Exact::ONE, true).holds(&three));
        let said = toy(Exact::ONE, true).explain(&pair);
        assert_eq!(said, "'cancer' 1/2 against 1/6: gain 2/1 not ≤ min(1, −ln 1/6)");
    }

    #[test]
    fn exponentials_are_decided_next_to_the_bound() {
        // e = 2.718281828459045…
        assert!(exponential_is_at_most((1, 1), 2_718_281_828_459_046, 1_000_000_000_000_000));
        assert!(!exponential_is_at_most((1, 1), 2_718_281_828_459_045, 1_000_000_000_000_000));
        assert!(exponential_is_at_most((40, 1), 235_385_266_837_019_986, 1));
        assert!(!exponential_is_at_most((40, 1), 235_385_266_837_019_985, 1));
    }
}
