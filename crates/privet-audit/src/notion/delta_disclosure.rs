//! δ-disclosure privacy (Brickell and Shmatikov 2008): |log₂(q/p)| < δ for every class and every value of the original, where q is
//! its share of the class and p its share of the original; a value that the class lacks fails, unless absent values are skipped.
//!
//! With h of n_c records in the class, P of n in the original and δ = a/b: (h·n)^b < (P·n_c)^b · 2^a and
//! (P·n_c)^b < (h·n)^b · 2^a, multiplied out.

use num_bigint::BigUint;
use num_traits::Pow;

use super::{Facts, Notion, OriginalColumn};
use crate::classes::Histogram;
use privet_core::{Exact, Result};
use privet_policy::requirement;
use privet_policy::requirement::Absent;

struct DeltaDisclosure {
    column: usize,
    delta: Exact,
    skip: bool,
    /// The values, by number.
    values: Vec<String>,
    /// How often each occurs in the original, by number; 0 for a value that only the release has.
    table: Vec<u64>,
    records: u64,
}

pub(super) fn auditor(asked: &requirement::DeltaDisclosure, facts: &Facts<'_>) -> Result<Box<dyn Notion>> {
    let column = facts.column("delta-disclosure", asked.column)?;
    Ok(of_column(asked, column, &facts.original_column(column)?))
}

/// The notion for a column at this place among the unchanged ones.
pub(super) fn of_column(
    asked: &requirement::DeltaDisclosure,
    column: usize,
    original: &OriginalColumn<'_>,
) -> Box<dyn Notion> {
    Box::new(DeltaDisclosure {
        column,
        delta: asked.delta,
        skip: asked.absent == Absent::Skip,
        values: original.values.iter().map(|value| (*value).to_string()).collect(),
        table: original.counts.clone(),
        records: original.counts.iter().sum(),
    })
}

impl DeltaDisclosure {
    fn is_close(&self, size: u64, value: usize, count: u64) -> bool {
        let total = self.table[value];
        if count == 0 || total == 0 {
            return false;
        }
        let (a, b) = (self.delta.numerator(), self.delta.denominator());
        // Both products have at most 128 bits, so their ratio is below 2^128.
        if a / b >= 128 {
            return true;
        }
        let power = |one: u64, other: u64| Pow::pow(BigUint::from(one) * other, b);
        let (seen, usual) = (power(count, self.records), power(total, size));
        seen < &usual << a && usual < &seen << a
    }

    /// The count of a value in a class.
    fn count(class: &Histogram, value: usize) -> u64 {
        class.counts.iter().find(|(own, _)| *own as usize == value).map_or(0, |(_, count)| *count)
    }

    /// The values that are looked at, with their counts in the class.
    fn asked<'a>(&'a self, class: &'a Histogram) -> impl Iterator<Item = (usize, u64)> + 'a {
        let all = (0..self.table.len()).map(|value| (value, Self::count(class, value)));
        all.filter(|(value, count)| *count > 0 || !self.skip && self.table[*value] > 0)
    }

    fn worst(&self, class: &Histogram) -> Option<(f64, usize, u64)> {
        let strain = |(value, count): (usize, u64)| {
            let usual = self.table[value] as f64 * class.size as f64;
            ((count as f64 * self.records as f64 / usual).log2().abs(), value, count)
        };
        self.asked(class).map(strain).max_by(|a, b| a.0.total_cmp(&b.0))
    }
}

impl Notion for DeltaDisclosure {
    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    fn holds(&self, class: &Histogram) -> bool {
        self.asked(class).all(|(value, count)| self.is_close(class.size, value, count))
    }

    fn strain(&self, class: &Histogram) -> f64 {
        self.worst(class).map_or(0.0, |(strain, ..)| strain)
    }

    fn explain(&self, class: &Histogram) -> String {
        let Some((_, value, count)) = self.worst(class) else { return "no values".to_string() };
        let (total, records, size, name) = (self.table[value], self.records, class.size, &self.values[value]);
        if count == 0 {
            return format!("'{name}' does not occur in {size} records, against {total}/{records}");
        }
        let sign = if self.is_close(size, value, count) { "<" } else { "not <" };
        format!(
            "'{name}' {count}/{size} against {total}/{records}: |log₂ of the ratio| {sign} {}",
            self.delta
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_compared_strictly_and_absent_values_fail() {
        let toy = |delta: Exact, skip: bool| DeltaDisclosure {
            column: 0,
            delta,
            skip,
            values: ["flu", "cancer", "asthma"].map(str::to_string).to_vec(),
            table: vec![4, 1, 1],
            records: 6,
        };
        // With age generalised away: A has flu 2, cancer 1 and no asthma.
        let class = Histogram { size: 3, counts: vec![(0, 2), (1, 1)] };
        assert!(!toy(Exact::whole(60), false).holds(&class));
        assert!(!toy(Exact::ONE, true).holds(&class), "a ratio of exactly 2");
        assert!(toy(Exact::new(65, 64).expect("a number"), true).holds(&class));
        assert!(toy(Exact::whole(1_000_000), true).holds(&class));
        let whole = Histogram { size: 6, counts: vec![(0, 4), (1, 1), (2, 1)] };
        assert!(toy(Exact::new(1, 64).expect("a number"), false).holds(&whole));
        assert!(toy(Exact::ONE, false).explain(&class).contains("'asthma' does not occur"));
    }
}
