//! Survey weights by class, as the audit adds them: from the released rows, or from the original where weights are not published.

use super::Facts;
use crate::cover::Coverage;
use crate::truth::ClassIndex;
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use privet_core::{Decimal, Error, Result};
use privet_data::Batch;
use privet_policy::{OnMissing, Role};

/// The sum of the weights of each class.
pub(super) struct Weights {
    sums: Vec<BigUint>,
    unit: BigUint,
}

/// Digits after the point that weights have at most.
const PLACES: u32 = 18;

impl Weights {
    /// Adds the weights of every class.
    pub fn of(facts: &Facts<'_>) -> Result<Weights> {
        let column = facts.policy.with_role(Role::Weight).next();
        let column = column.ok_or_else(|| {
            Error::input("no column has role 'weight'")
                .help("give the column of survey weights role = \"weight\"")
        })?;
        let number = |text: &str| {
            let weight = Decimal::parse(text).filter(|weight| *weight > Decimal::ZERO);
            let units = weight.and_then(in_units);
            units.ok_or_else(|| {
                Error::input(format!(
                    "column '{}' has the weight '{text}', which is not a number above 0",
                    column.name
                ))
                .in_file(facts.policy.source.origin())
            })
        };
        let mut sums = vec![BigUint::ZERO; facts.classes.len()];
        let quasi = facts.layout.quasi.len();
        let published = facts.layout.plain.iter().position(|place| place.original == column.index);
        if let Some(place) = published {
            for class in facts.classes.cells.ids() {
                let own = facts.classes.histogram(class, quasi + place, &facts.tables.release.records);
                for (value, count) in own.counts {
                    sums[class as usize] += number(facts.tables.plain[place].text(value))? * count;
                }
            }
            return Ok(Weights { sums, unit: unit() });
        }
        each_original(facts, &mut |batch, row, class| {
            sums[class as usize] += number(batch.cell(row, column.index))?;
            Ok(())
        })?;
        Ok(Weights { sums, unit: unit() })
    }

    /// The sum of a class, and how many units one person is.
    pub fn sum(&self, class: u32) -> (&BigUint, &BigUint) {
        (&self.sums[class as usize], &self.unit)
    }

    /// The sum of a class as a number.
    pub fn people(&self, class: u32) -> f64 {
        let unit = self.unit.to_f64().unwrap_or(1.0);
        self.sums[class as usize].to_f64().unwrap_or(f64::INFINITY) / unit
    }
}

fn unit() -> BigUint {
    BigUint::from(10u32).pow(PLACES)
}

/// A weight in units of the last of this many digits after the point.
fn in_units(weight: Decimal) -> Option<BigUint> {
    let places = weight.places();
    let spare = PLACES.checked_sub(places)?;
    let text = weight.to_string().replace('.', "");
    Some(BigUint::parse_bytes(text.trim_start_matches('+').as_bytes(), 10)? * BigUint::from(10u32).pow(spare))
}

/// Hands every kept row of the original to `each` with the class that stands for it; rows that no released class stands for were
/// left out. Where several do, it cannot be known which is theirs.
pub(super) fn each_original(
    facts: &Facts<'_>,
    each: &mut dyn FnMut(&Batch, usize, u32) -> Result<()>,
) -> Result<()> {
    let original = &facts.tables.original;
    let coverage = facts
        .layout
        .quasi
        .iter()
        .zip(original.quasi.iter().zip(&facts.tables.release.quasi))
        .map(|(place, (values, cells))| {
            Coverage::of(facts.policy, &facts.policy.columns[place.original], values, cells)
        })
        .collect::<Result<Vec<_>>>()?;
    let index = ClassIndex::of(&facts.classes.cells, &coverage);
    let policy = facts.policy;
    let keep = policy.on_missing == OnMissing::Value;
    let spelling = policy.missing.first().map_or("", String::as_str);
    let matters = |column: &&privet_policy::PolicyColumn| {
        column.role.is_some_and(|role| role.is_generalised())
            || matches!(column.role, Some(Role::Sensitive | Role::Class | Role::Weight | Role::Household))
    };
    let mattering: Vec<usize> = policy.columns.iter().filter(matters).map(|column| column.index).collect();
    policy.source.read(&mut |batch: &Batch, _| {
        (facts.watch)()?;
        for row in 0..batch.rows() {
            if !keep && mattering.iter().any(|column| policy.is_missing(batch.cell(row, *column))) {
                continue;
            }
            let codes: Option<Vec<u32>> = (facts.layout.quasi.iter().zip(&original.quasi))
                .map(|(place, values)| {
                    let cell = batch.cell(row, place.original);
                    values.find(if policy.is_missing(cell) { spelling } else { cell })
                })
                .collect();
            let Some(codes) = codes else { continue };
            match index.covering(&codes)[..] {
                [] => {}
                [class] => each(batch, row, class)?,
                _ => {
                    return Err(Error::input("several released classes stand for the same record, so that it cannot be known which one it is in")
                        .in_file(policy.source.origin())
                        .at_line(batch.line(row))
                        .help("publish the column of weights, or a release whose classes do not overlap"));
                }
            }
        }
        Ok(())
    })
}
