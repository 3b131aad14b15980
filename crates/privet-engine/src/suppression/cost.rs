//! What suppression costs: removing a term from a record with w terms left costs 1/w.

use num_integer::Integer;

/// Records up to this length have exact costs: the least common multiple of 1…64 leaves enough of 128 bits for 2³⁵ records.
const MOST_EXACT: u32 = 64;

/// Beyond it a cost is a whole number of 2⁻⁹⁰, rounded up; no comparison in this system tells that from exact.
const BINARY_SCALE: u128 = 1 << 90;

/// The costs of removals, as whole numbers of a common unit.
#[derive(Debug, Clone)]
pub struct Prices {
    unit: u128,
    /// By the number of terms left.
    steps: Vec<u128>,
    /// By the number of terms: what it costs to remove them all.
    all: Vec<u128>,
}

impl Prices {
    /// For records of at most `longest` terms.
    pub fn new(longest: u32) -> Prices {
        let unit = if longest <= MOST_EXACT {
            (1..=u128::from(longest)).fold(1, |unit: u128, terms| unit.lcm(&terms))
        } else {
            BINARY_SCALE
        };
        let steps: Vec<u128> =
            (0..=u128::from(longest)).map(|left| if left == 0 { 0 } else { unit.div_ceil(left) }).collect();
        let all = steps.iter().scan(0, |sum, step| {
            *sum += step;
            Some(*sum)
        });
        let all = all.collect();
        Prices { unit, steps, all }
    }

    /// What it costs to remove a term from a record with this many left.
    pub fn step(&self, left: u32) -> u128 {
        self.steps[left as usize]
    }

    /// What it costs to remove all of this many terms.
    pub fn all(&self, terms: u32) -> u128 {
        self.all[terms as usize]
    }

    /// A cost as a number.
    pub fn value(&self, cost: u128) -> f64 {
        // Whole and fraction apart: 128 bits are more than a double has.
        (cost / self.unit) as f64 + (cost % self.unit) as f64 / self.unit as f64
    }

    /// A cost as an exact fraction, where it is one.
    pub fn exact(&self, cost: u128) -> Option<String> {
        if self.unit == BINARY_SCALE {
            return None;
        }
        let divisor = cost.gcd(&self.unit);
        Some(match self.unit / divisor {
            1 => (cost / divisor).to_string(),
            denominator => format!("{}/{denominator}", cost / divisor),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removing_terms_one_by_one_costs_the_harmonic_sum() {
        let prices = Prices::new(9);
        assert_eq!(prices.exact(prices.step(3) + prices.step(2)).as_deref(), Some("5/6"));
        assert_eq!(prices.exact(prices.all(3)).as_deref(), Some("11/6"));
        assert_eq!(prices.exact(prices.all(1)).as_deref(), Some("1"));
        assert!((prices.value(prices.all(9)) - 2.828_968_253_968_254).abs() < 1e-15);
    }

    #[test]
    fn long_records_have_costs_too() {
        let prices = Prices::new(1000);
        assert!((prices.value(prices.step(1000)) - 0.001).abs() < 1e-15);
        assert_eq!(prices.exact(prices.step(7)), None);
    }
}
