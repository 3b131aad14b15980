//! Re-identification risk, from nothing but the sizes of the equivalence classes.
//!
//! A person in a class of *s* records is found with probability 1/*s* by someone who knows the quasi-identifiers.
//! The three attackers of the literature differ in whom they are after:
//!
//! - the **prosecutor** wants one person and knows that the person is in the data: the most is 1/(smallest class);
//! - the **journalist** wants anybody and knows only a population that the data was drawn from: without a table of that
//!   population the data stands for it, and the risk equals the prosecutor's;
//! - the **marketer** wants as many as possible: the expected share found is classes/records, the mean of all 1/*s*.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Class sizes and the risk that follows from them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Risk {
    /// The classes by size, smallest first.
    pub classes: Vec<ClassSize>,
    /// The figures.
    pub figures: RiskFigures,
}

/// How many classes have one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassSize {
    /// Records in each of these classes.
    pub size: u64,
    /// How many classes have that size.
    pub classes: u64,
}

impl ClassSize {
    /// Records in all classes of this size together.
    pub fn records(self) -> u64 {
        self.size.saturating_mul(self.classes)
    }
}

/// What somebody finds who knows only some of the columns, in the original and in the release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnSetRisk {
    /// The columns.
    pub columns: Vec<String>,
    /// Different combinations of their values over records of the original: the average risk (and the distinction of the set).
    pub before: Fraction,
    /// The same of the release.
    pub after: Fraction,
    /// Which share of all pairs of records differs in them, before and after (the separation of the set).
    pub apart: [f64; 2],
}

/// Re-identification risk in figures, exact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RiskFigures {
    /// Records in all classes.
    pub records: u64,
    /// Equivalence classes.
    pub classes: u64,
    /// The smallest class; 0 where there are no records.
    pub smallest: u64,
    /// The prosecutor's risk for the person who is easiest to find.
    pub prosecutor_max: Fraction,
    /// The prosecutor's risk on average over all people.
    pub prosecutor_mean: Fraction,
    /// The journalist's risk.
    pub journalist: Fraction,
    /// The expected share of people that a marketer links rightly.
    pub marketer: Fraction,
    /// The share of records that are alone in their class.
    pub unique: Fraction,
    /// How many records have a risk above each customary threshold.
    pub above: Vec<AboveThreshold>,
}

/// How many records have a risk strictly above a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AboveThreshold {
    /// The threshold.
    pub threshold: Fraction,
    /// Records above it, as a share of all.
    pub share: Fraction,
}

/// A numerator over a denominator, not reduced: 3 of 12 records stays 3/12.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fraction {
    /// The part.
    pub numerator: u64,
    /// The whole; never 0.
    pub denominator: u64,
}

impl Fraction {
    /// A part of a whole; of an empty whole nothing, which is 0/1.
    pub fn new(numerator: u64, denominator: u64) -> Fraction {
        if denominator == 0 {
            Fraction { numerator: 0, denominator: 1 }
        } else {
            Fraction { numerator, denominator }
        }
    }

    /// The nearest float, for drawing.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator.max(1) as f64
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

/// Thresholds that guidance names: 0.09 (European Medicines Agency, Health Canada) and 1/11, which that rule means,
/// 0.2 and 0.33 (data for known recipients), 0.5 (two people in a class).
const CUSTOMARY: [(u64, u64); 5] = [(9, 100), (1, 11), (20, 100), (33, 100), (50, 100)];

impl RiskFigures {
    /// The figures for classes given as `(size, number of classes)`; entries with a 0 count for nothing.
    ///
    /// ```
    /// use privet_report::RiskFigures;
    /// let figures = RiskFigures::from_class_sizes(&[(1, 2), (4, 2)]);
    /// assert_eq!(figures.prosecutor_max.to_string(), "1/1");
    /// assert_eq!(figures.marketer.to_string(), "4/10");
    /// assert_eq!(figures.unique.to_string(), "2/10");
    /// ```
    pub fn from_class_sizes(sizes: &[(u64, u64)]) -> RiskFigures {
        let sizes = || {
            sizes
                .iter()
                .map(|&(size, classes)| ClassSize { size, classes })
                .filter(|entry| entry.size > 0 && entry.classes > 0)
        };
        let records = sizes().map(ClassSize::records).fold(0, u64::saturating_add);
        let classes = sizes().map(|entry| entry.classes).fold(0, u64::saturating_add);
        let smallest = sizes().map(|entry| entry.size).min().unwrap_or(0);
        let unique =
            sizes().filter(|entry| entry.size == 1).map(ClassSize::records).fold(0, u64::saturating_add);
        let above = |numerator: u64, denominator: u64| {
            // 1/size > numerator/denominator, without a division.
            let exceeds =
                |entry: &ClassSize| u128::from(denominator) > u128::from(numerator) * u128::from(entry.size);
            let part = sizes().filter(exceeds).map(ClassSize::records).fold(0, u64::saturating_add);
            AboveThreshold {
                threshold: Fraction::new(numerator, denominator),
                share: Fraction::new(part, records),
            }
        };
        let highest = Fraction::new(u64::from(smallest > 0), smallest);
        let mean = Fraction::new(classes, records);
        RiskFigures {
            records,
            classes,
            smallest,
            prosecutor_max: highest,
            prosecutor_mean: mean,
            journalist: highest,
            marketer: mean,
            unique: Fraction::new(unique, records),
            above: CUSTOMARY.iter().map(|&(numerator, denominator)| above(numerator, denominator)).collect(),
        }
    }
}

impl Risk {
    /// The risk that follows from `(size, number of classes)`, in any order.
    pub fn from_class_sizes(sizes: &[(u64, u64)]) -> Risk {
        let mut classes = sizes
            .iter()
            .filter(|(size, classes)| *size > 0 && *classes > 0)
            .map(|&(size, classes)| ClassSize { size, classes })
            .collect::<Vec<_>>();
        classes.sort_by_key(|entry| entry.size);
        classes.dedup_by(|next, kept| {
            let same = next.size == kept.size;
            if same {
                kept.classes = kept.classes.saturating_add(next.classes);
            }
            same
        });
        Risk { classes, figures: RiskFigures::from_class_sizes(sizes) }
    }

    /// Records whose class is smaller than `size`, as a share of all: those whose risk is above 1/`size`.
    pub fn in_classes_below(&self, size: u64) -> Fraction {
        let part = self
            .classes
            .iter()
            .filter(|entry| entry.size < size)
            .map(|entry| entry.records())
            .fold(0, u64::saturating_add);
        Fraction::new(part, self.figures.records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn above(figures: &RiskFigures, threshold: &str) -> String {
        let found = figures.above.iter().find(|entry| entry.threshold.to_string() == threshold);
        found.map(|entry| entry.share.to_string()).unwrap_or_default()
    }

    #[test]
    fn one_class_of_all() {
        let figures = RiskFigures::from_class_sizes(&[(10, 1)]);
        assert_eq!(figures.prosecutor_max, Fraction::new(1, 10));
        assert_eq!(figures.journalist, figures.prosecutor_max);
        assert_eq!(figures.marketer, Fraction::new(1, 10));
        assert_eq!(figures.unique, Fraction::new(0, 10));
    }

    #[test]
    fn nobody_is_at_no_risk() {
        for sizes in [&[][..], &[(0, 3)], &[(5, 0)]] {
            let figures = RiskFigures::from_class_sizes(sizes);
            assert_eq!(figures.smallest, 0);
            assert_eq!(figures.prosecutor_max.to_f64(), 0.0);
            assert_eq!(figures.marketer.to_f64(), 0.0);
        }
    }

    #[test]
    fn a_risk_equal_to_the_threshold_is_not_above_it() {
        let figures = RiskFigures::from_class_sizes(&[(2, 1), (3, 1), (5, 1), (11, 1), (12, 1)]);
        assert_eq!(above(&figures, "50/100"), "0/33", "1/2 is not above 0.5");
        assert_eq!(above(&figures, "33/100"), "5/33", "1/3 is above 0.33");
        assert_eq!(above(&figures, "20/100"), "5/33", "1/5 is not above 0.2");
        assert_eq!(above(&figures, "9/100"), "21/33", "1/11 is above 0.09 …");
        assert_eq!(above(&figures, "1/11"), "10/33", "… but not above 1/11");
    }

    #[test]
    fn entries_of_one_size_are_merged_and_sorted() {
        let risk = Risk::from_class_sizes(&[(4, 1), (1, 2), (4, 1)]);
        assert_eq!(risk.classes, [ClassSize { size: 1, classes: 2 }, ClassSize { size: 4, classes: 2 }]);
        assert_eq!(risk.in_classes_below(4), Fraction::new(2, 10));
        assert_eq!(risk.in_classes_below(5), Fraction::new(10, 10));
    }

    #[test]
    fn the_marketer_finds_the_mean_of_all_risks() {
        let sizes = [(1, 3), (2, 5), (7, 2)];
        let figures = RiskFigures::from_class_sizes(&sizes);
        let sum: f64 = sizes.iter().map(|&(size, classes)| (size * classes) as f64 / size as f64).sum();
        assert!((figures.marketer.to_f64() - sum / figures.records as f64).abs() < 1e-12);
    }
}
