//! Measures that put a price on every released cell and add up over records and columns.

use num_integer::Integer;

use super::{Cost, Frame};

/// How much of a column's domain a cell covers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Extent {
    /// This many of the taxonomy's leaves, out of all of them.
    Leaves(u64, u64),
    /// This share of the distance between the column's smallest and largest number.
    Span(f64),
}

/// A value that a release may show for a quasi-identifier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// How much of the domain it covers.
    pub extent: Extent,
    /// Its generalisation level and the column's highest, where levels mean something.
    pub level: Option<(u64, u64)>,
    /// How many records of the table have a value that it covers.
    pub records: u64,
}

/// A price as a fraction of its measure's natural unit.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fraction {
    /// numerator / denominator, denominator at least 1.
    Ratio(u64, u64),
    /// A real number in 64 binary digits after the point.
    Fixed(u128),
}

impl Fraction {
    /// A real number, rounded to 64 binary digits.
    pub fn real(number: f64) -> Fraction {
        Fraction::Fixed((number * FIXED as f64) as u128)
    }
}

const FIXED: u128 = 1 << 64;
/// Above this the products of units and records might not fit 128 bits; then 64 binary digits have to do.
const MOST_UNITS: u128 = 1 << 64;

/// The price of every cell in whole units.
#[derive(Debug, Clone)]
pub(super) struct CellPrices {
    columns: Vec<Vec<u128>>,
    /// What a suppressed record costs, column by column.
    pub suppressed: Vec<u128>,
    /// The sum of these.
    whole: u128,
    /// Units in 1.
    units: u128,
    /// Whether the units hold every price exactly.
    exact: bool,
    presentation: Presentation,
    /// Taken off every total: what the measure charges for the table as it is.
    offset: u128,
}

/// How a total is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presentation {
    /// As the sum over records.
    Sum,
    /// As the mean over records.
    Mean,
    /// As one minus the mean over records and columns.
    Complement,
}

impl CellPrices {
    pub fn new(
        columns: Vec<Vec<Fraction>>,
        suppressed: Vec<Fraction>,
        presentation: Presentation,
    ) -> CellPrices {
        let all = || columns.iter().flatten().chain(&suppressed);
        let mut units = Some(1u128);
        for fraction in all() {
            units = match (fraction, units) {
                (Fraction::Ratio(_, den), Some(units)) => {
                    let den = u128::from(*den);
                    (units / units.gcd(&den)).checked_mul(den).filter(|units| *units <= MOST_UNITS)
                }
                _ => None,
            };
        }
        let exact = units.is_some();
        let units = units.unwrap_or(FIXED);
        let price = |fraction: &Fraction| match fraction {
            Fraction::Ratio(num, den) => u128::from(*num) * units / u128::from(*den),
            Fraction::Fixed(fixed) => *fixed,
        };
        let suppressed: Vec<u128> = suppressed.iter().map(price).collect();
        CellPrices {
            columns: columns.iter().map(|cells| cells.iter().map(price).collect()).collect(),
            whole: suppressed.iter().sum(),
            suppressed,
            units,
            exact,
            presentation,
            offset: 0,
        }
    }

    /// Prices that depend only on how much of the domain a cell covers; a suppressed cell costs 1.
    pub fn by_extent(frame: &Frame, price: impl Fn(Extent) -> Fraction) -> CellPrices {
        let column = |cells: &Vec<Cell>| cells.iter().map(|cell| price(cell.extent)).collect();
        let columns: Vec<Vec<Fraction>> = frame.columns.iter().map(column).collect();
        let suppressed = vec![Fraction::Ratio(1, 1); columns.len()];
        CellPrices::new(columns, suppressed, Presentation::Sum)
    }

    pub fn with_offset(self, offset: u128) -> CellPrices {
        CellPrices { offset, ..self }
    }

    pub fn suppressed_record(&self) -> u128 {
        self.whole
    }

    pub fn cell(&self, column: usize, cell: u32) -> u128 {
        self.columns[column][cell as usize]
    }

    pub fn record(&self, cells: impl Iterator<Item = u32>) -> u128 {
        self.columns.iter().zip(cells).map(|(prices, cell)| prices[cell as usize]).sum()
    }

    fn above_offset(&self, cost: Cost) -> u128 {
        cost.0.saturating_sub(self.offset)
    }

    pub fn value(&self, cost: Cost, records: u64) -> f64 {
        let sum = self.above_offset(cost) as f64 / self.units as f64;
        match self.presentation {
            Presentation::Sum => sum,
            Presentation::Mean => sum / records.max(1) as f64,
            Presentation::Complement => {
                1.0 - sum / (records.max(1) as f64 * self.columns.len().max(1) as f64)
            }
        }
    }

    pub fn exact(&self, cost: Cost) -> Option<String> {
        if !self.exact || self.presentation != Presentation::Sum {
            return None;
        }
        let amount = self.above_offset(cost);
        let divisor = amount.gcd(&self.units);
        let (num, den) = (amount / divisor, self.units / divisor);
        Some(if den == 1 { num.to_string() } else { format!("{num}/{den}") })
    }

    pub fn share(&self, cost: Cost, records: u64) -> f64 {
        let worst = (self.whole * u128::from(records)).saturating_sub(self.offset);
        if worst == 0 { 0.0 } else { self.above_offset(cost) as f64 / worst as f64 }
    }
}
