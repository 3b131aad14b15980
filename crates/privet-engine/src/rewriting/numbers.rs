//! Numbers that stay numbers: rounded, and coded where they are at a bound or beyond it.

use std::collections::{BTreeMap, HashSet};

use privet_core::{Decimal, Error, Result, counted, echoed};
use privet_policy::{Bound, BoundLabel, CheckedPolicy, NumbersPolicy, PolicyColumn};

use super::is_missing;

/// The fewest numbers whose mean may be shown: of two, anyone who knows one learns the other.
const LEAST_FOR_MEAN: u64 = 3;

/// How the numbers of one column are published.
#[derive(Debug)]
pub(super) struct Numbers {
    name: String,
    round: Option<Decimal>,
    bottom: Option<(Decimal, String)>,
    top: Option<(Decimal, String)>,
}

impl Numbers {
    /// Resolves bounds and means that follow from the data.
    pub fn of(
        policy: &CheckedPolicy,
        column: &PolicyColumn,
        own: &NumbersPolicy,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Numbers> {
        let mut numbers = Numbers { name: column.name.clone(), round: own.round, bottom: None, top: None };
        let known = |bound: Option<Bound>| match bound {
            Some(Bound::At(number)) => Some(number),
            Some(Bound::K) | None => None,
        };
        let (mut bottom, mut top) = (known(own.bottom), known(own.top));
        let mut means = (None, None);
        if own.asks_for_k() || own.label == BoundLabel::Mean {
            let column = Distribution::read(policy, column.index, &numbers, tick)?;
            let k = policy.k();
            let lacking = |side: &str| {
                Error::input(format!(
                    "column '{}' has fewer than {k} numbers, so there is no {side} for k",
                    numbers.name
                ))
                .in_file(policy.source.origin())
                .help("name a number instead of \"k\", or remove it")
            };
            if own.bottom == Some(Bound::K) {
                bottom = Some(column.reaching(k, column.numbers.iter()).ok_or_else(|| lacking("bottom"))?);
            }
            if own.top == Some(Bound::K) {
                top = Some(column.reaching(k, column.numbers.iter().rev()).ok_or_else(|| lacking("top"))?);
            }
            if let (Some(bottom), Some(top)) = (bottom, top)
                && top <= bottom
            {
                return Err(Error::input(format!(
                    "in column '{}' the upper bound is {top} and the lower one {bottom}: no number is between them",
                    numbers.name
                ))
                .in_file(policy.source.origin())
                .help("name other bounds, or only one"));
            }
            if own.label == BoundLabel::Mean {
                let step = own.round.unwrap_or(Decimal::unit_of(column.places));
                let least = k.max(LEAST_FOR_MEAN);
                let mean = |is_beyond: &dyn Fn(Decimal) -> bool| {
                    let beyond = column.numbers.iter().filter(|(number, _)| is_beyond(**number));
                    let beyond: Vec<(Decimal, u64)> =
                        beyond.map(|(number, held)| (*number, held.records)).collect();
                    let records: u64 = beyond.iter().map(|(_, records)| records).sum();
                    if (1..least).contains(&records) {
                        return Err(Error::input(format!(
                            "label = \"mean\" would show the mean of {} of column '{}'; it takes {least}",
                            counted(records, "number", "numbers"),
                            numbers.name
                        ))
                        .in_file(policy.source.origin())
                        .help(
                            "move the bound so that more numbers are beyond it, or choose label = \"bounds\"",
                        ));
                    }
                    Ok(Decimal::mean(beyond, step))
                };
                means.0 = bottom.map(|bottom| mean(&|number| number <= bottom)).transpose()?.flatten();
                means.1 = top.map(|top| mean(&|number| number >= top)).transpose()?.flatten();
            }
        }
        let label = |sign: &str, bound: Decimal, mean: Option<Decimal>| match own.label {
            BoundLabel::Bounds => format!("{sign}{bound}"),
            BoundLabel::Value => bound.to_string(),
            BoundLabel::Mean => mean.unwrap_or(bound).to_string(),
        };
        numbers.bottom = bottom.map(|bound| (bound, label("<=", bound, means.0)));
        numbers.top = top.map(|bound| (bound, label(">=", bound, means.1)));
        Ok(numbers)
    }

    /// What a cell becomes; `None` if it stays as it is.
    pub fn text(&self, cell: &str) -> Result<Option<String>> {
        let number = self.rounded(cell)?;
        if let Some((_, label)) = self.bottom.as_ref().filter(|(bound, _)| number <= *bound) {
            return Ok(Some(label.clone()));
        }
        if let Some((_, label)) = self.top.as_ref().filter(|(bound, _)| number >= *bound) {
            return Ok(Some(label.clone()));
        }
        Ok(self.round.map(|_| number.to_string()))
    }

    fn rounded(&self, cell: &str) -> Result<Decimal> {
        let number = Decimal::parse(cell).ok_or_else(|| {
            Error::input(format!("'{}' in column '{}' is not a number that can be kept exactly", echoed(cell), self.name))
                .help(
                    "correct it, say how numbers are written (`decimal`, `unit`), or list it under `missing` in [data]; \
                     numbers have at most thirty digits",
                )
        })?;
        Ok(self.round.map_or(number, |step| number.rounded_to(step)))
    }
}

/// How often each number occurs in a column, after rounding.
struct Distribution {
    numbers: BTreeMap<Decimal, Held>,
    /// The most digits after a point.
    places: u32,
}

/// Who has a number.
#[derive(Default)]
struct Held {
    records: u64,
    /// The people who have it, where the policy says who they are; no more than matter.
    people: HashSet<String>,
}

impl Distribution {
    fn read(
        policy: &CheckedPolicy,
        column: usize,
        numbers: &Numbers,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Distribution> {
        let mut found = Distribution { numbers: BTreeMap::new(), places: 0 };
        let k = policy.k() as usize;
        policy.source.read(&mut |batch, _| {
            for row in 0..batch.rows() {
                let cell = batch.cell(row, column);
                if is_missing(cell, &policy.missing) {
                    continue;
                }
                let placed = |error: Error| error.in_file(policy.source.origin()).at_line(batch.line(row));
                let number = numbers.rounded(cell).map_err(placed)?;
                found.places = found.places.max(number.places());
                let held = found.numbers.entry(number).or_default();
                held.records += 1;
                if let Some(person) = policy.person
                    && held.people.len() < k
                {
                    held.people.insert(batch.cell(row, person).trim().to_string());
                }
            }
            tick()
        })?;
        Ok(found)
    }

    /// The first number, in some order, at which k records, or people where the policy counts them, were seen.
    fn reaching<'a>(
        &self,
        k: u64,
        numbers: impl Iterator<Item = (&'a Decimal, &'a Held)>,
    ) -> Option<Decimal> {
        let (mut records, mut people) = (0, HashSet::new());
        for (number, held) in numbers {
            records += held.records;
            people.extend(&held.people);
            let seen = if people.is_empty() { records } else { people.len() as u64 };
            if seen >= k {
                return Some(*number);
            }
        }
        None
    }
}
