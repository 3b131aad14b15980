//! Measures of what a release loses, one file each: with formula, range and direction.
//!
//! A search compares costs thousands of times, and its answer must not depend on rounding or threads. So a [`Cost`] is a
//! whole number of *units*: one record for DM and CM, one over a common denominator for LM and its kin. Floating point
//! appears only when a cost is shown.

pub mod association;
mod average_class_size;
mod cells;
mod cm;
mod dm;
mod entropy;
mod height;
pub mod items;
mod lm;
mod ncp;
mod precision;

use std::ops::Range;

use crate::privacy::EquivalenceClass;
use privet_core::Result;
use privet_policy::method::TableCost;

use cells::CellPrices;
pub use cells::{Cell, Extent};
pub use cm::{INFO as CM, no_label};
pub use dm::INFO as DM;

/// The names of all measures, as a policy writes them.
pub const NAMES: &[&str] = TableCost::WORDS;

/// What all measures say about themselves, in the order of [`NAMES`].
pub static INFOS: &[&Info] = &[
    &lm::INFO,
    &ncp::INFO,
    &dm::INFO,
    &cm::INFO,
    &average_class_size::INFO,
    &height::INFO,
    &precision::INFO,
    &entropy::INFO,
];

/// An amount of loss in units of its measure; less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost(pub u128);

/// What a measure says about itself.
#[derive(Debug, PartialEq, Eq)]
pub struct Info {
    /// The name in the policy.
    pub name: &'static str,
    /// The formula, in one line.
    pub formula: &'static str,
    /// The least and the greatest value.
    pub range: &'static str,
    /// Whether smaller values are better (all but precision).
    pub smaller_is_better: bool,
}

/// What a measure needs to know about the table.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The number of records.
    pub records: u64,
    /// Per quasi-identifier, the cells a release may show.
    pub columns: Vec<Vec<Cell>>,
    /// Per quasi-identifier, how many records have each original value.
    pub values: Vec<Vec<u64>>,
    /// The slots of the class label, where the policy has one.
    pub labels: Option<Range<u32>>,
}

/// A measure, ready to price releases of one table.
#[derive(Debug, Clone)]
pub struct Measure {
    info: &'static Info,
    pricing: Pricing,
    records: u64,
}

#[derive(Debug, Clone)]
enum Pricing {
    /// Every released cell has a price.
    Cells(CellPrices),
    /// A class of m records costs m², a suppressed record the size of the table.
    Discernibility,
    /// A record outside its class's majority label costs 1, a suppressed record too.
    Classification(Range<u32>),
    /// Records per class.
    ClassSize,
}

/// What a release adds up to, class by class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// The sum of [`Measure::class`].
    pub price: u128,
    /// The number of released classes.
    pub classes: u64,
    /// The number of suppressed records.
    pub suppressed: u64,
}

/// Prepares the measure of a cost for a table.
pub fn measure(cost: TableCost, frame: &Frame) -> Result<Measure> {
    let records = frame.records;
    let of = |info, pricing| Ok(Measure { info, pricing, records });
    let cells =
        |info, pricing: Result<CellPrices>| Ok(Measure { info, pricing: Pricing::Cells(pricing?), records });
    match cost {
        TableCost::Lm => cells(&lm::INFO, lm::prices(frame)),
        TableCost::Ncp => cells(&ncp::INFO, ncp::prices(frame)),
        TableCost::Height => cells(&height::INFO, height::prices(frame)),
        TableCost::Precision => cells(&precision::INFO, precision::prices(frame)),
        TableCost::Entropy => cells(&entropy::INFO, entropy::prices(frame)),
        TableCost::Dm => of(&dm::INFO, Pricing::Discernibility),
        TableCost::Cm => of(&cm::INFO, Pricing::Classification(cm::labels(frame)?)),
        TableCost::AverageClassSize => of(&average_class_size::INFO, Pricing::ClassSize),
    }
}

impl Measure {
    /// What the measure says about itself.
    pub fn info(&self) -> &'static Info {
        self.info
    }

    /// The price of a released class; `cells` holds, per quasi-identifier, the position of its cell in the frame.
    pub fn class(&self, cells: impl Iterator<Item = u32>, class: &EquivalenceClass<'_>) -> u128 {
        match &self.pricing {
            Pricing::Cells(prices) => prices.record(cells) * u128::from(class.size),
            Pricing::Discernibility => dm::class(class),
            Pricing::Classification(labels) => cm::class(class, labels),
            Pricing::ClassSize => 0,
        }
    }

    /// What suppressing one record costs.
    fn suppressed_record(&self) -> u128 {
        match &self.pricing {
            Pricing::Cells(prices) => prices.suppressed_record(),
            Pricing::Discernibility => u128::from(self.records),
            Pricing::Classification(_) => 1,
            Pricing::ClassSize => 0,
        }
    }

    /// For measures that add up over columns: what a column charges for each suppressed record, which no cell of it exceeds.
    pub fn suppressed_cell(&self, column: usize) -> u128 {
        match &self.pricing {
            Pricing::Cells(prices) => prices.suppressed[column],
            Pricing::Discernibility | Pricing::Classification(_) | Pricing::ClassSize => 0,
        }
    }

    /// The cost of a release.
    pub fn total(&self, tally: &Tally) -> Cost {
        match &self.pricing {
            Pricing::ClassSize => average_class_size::total(self.records, tally),
            _ => Cost(tally.price + self.suppressed_record() * u128::from(tally.suppressed)),
        }
    }

    /// A floor on the cost of any release that is at least as general as one whose unsuppressed cost is `floor`, and
    /// that must suppress at least `suppressed` records; `costliest` is the most that one record's place in a class of
    /// the less general release costs (see [`Measure::costliest`]).
    ///
    /// A record that goes costs a suppressed record's price instead of its place in a class, and places only get more costly
    /// under generalisation. Both prices are per record, so the difference counts once for each record that must go.
    pub fn bound(&self, floor: Cost, costliest: u128, suppressed: u64) -> Cost {
        Cost(floor.0 + self.suppressed_record().saturating_sub(costliest) * u128::from(suppressed))
    }

    /// The price per record of a class: what each of its records pays for its place.
    pub fn costliest(&self, cells: impl Iterator<Item = u32>, class: &EquivalenceClass<'_>) -> u128 {
        match &self.pricing {
            Pricing::Cells(prices) => prices.record(cells),
            Pricing::Discernibility => u128::from(class.size),
            Pricing::Classification(_) => 1,
            Pricing::ClassSize => 0,
        }
    }

    /// For measures that add up over columns: the cost of a column in which cell `c` holds `counts[c]` records.
    pub fn column(&self, column: usize, counts: impl Iterator<Item = (u32, u64)>) -> Option<u128> {
        match &self.pricing {
            Pricing::Cells(prices) => {
                Some(counts.map(|(cell, count)| prices.cell(column, cell) * u128::from(count)).sum())
            }
            _ => None,
        }
    }

    /// The cost as people know it.
    pub fn value(&self, cost: Cost) -> f64 {
        match &self.pricing {
            Pricing::Cells(prices) => prices.value(cost, self.records),
            Pricing::Discernibility | Pricing::Classification(_) => cost.0 as f64,
            Pricing::ClassSize => average_class_size::value(cost),
        }
    }

    /// The cost as an exact fraction, where it is one.
    pub fn exact(&self, cost: Cost) -> Option<String> {
        match &self.pricing {
            Pricing::Cells(prices) => prices.exact(cost),
            Pricing::Discernibility | Pricing::Classification(_) => Some(cost.0.to_string()),
            Pricing::ClassSize => None,
        }
    }

    /// The cost as a share of the worst there is, from 0 to 1.
    pub fn normalised(&self, cost: Cost) -> f64 {
        let records = self.records as f64;
        match &self.pricing {
            Pricing::Cells(prices) => prices.share(cost, self.records),
            Pricing::Discernibility => cost.0 as f64 / (records * records),
            Pricing::Classification(_) => cost.0 as f64 / records,
            Pricing::ClassSize => average_class_size::value(cost) / records,
        }
    }
}

#[cfg(test)]
mod tests;
