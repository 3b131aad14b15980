//! Rounded and coded numbers, literally: the nearest multiple, of two the one farther from zero; then what is at a bound or beyond
//! it is replaced.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

use super::super::Check;
use super::super::notion::Facts;
use privet_core::{Error, Result, counted, echoed};
use privet_policy::{Bound, BoundLabel, CheckedPolicy, NumbersPolicy, PolicyColumn};

/// A decimal number: a count of tenths, hundredths, … by its number of places.
#[derive(Debug, Clone)]
struct Number {
    value: BigInt,
    places: usize,
}

impl Number {
    fn read(text: &str) -> Option<Number> {
        let text = text.trim();
        let (mantissa, power) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i64>().ok().filter(|power| power.abs() < 100)?),
            None => (text, 0),
        };
        let point = mantissa.find('.').unwrap_or(mantissa.len());
        let mut places = (mantissa.len() - point).saturating_sub(1) as i64 - power;
        let digits: String = mantissa.chars().filter(|sign| *sign != '.').collect();
        if mantissa.matches('.').count() > 1 || !digits.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let mut value: BigInt = digits.parse().ok()?;
        if places < 0 {
            value *= BigInt::from(10).pow(places.unsigned_abs() as u32);
            places = 0;
        }
        Some(Number { value, places: places as usize })
    }

    /// In units of this many places.
    fn at(&self, places: usize) -> BigInt {
        &self.value * BigInt::from(10).pow((places - self.places) as u32)
    }

    fn compare(&self, other: &Number) -> std::cmp::Ordering {
        let places = self.places.max(other.places);
        self.at(places).cmp(&other.at(places))
    }

    /// The nearest multiple of a step, of two the one farther from zero.
    fn nearest(&self, step: &Number) -> Number {
        let places = self.places.max(step.places);
        let (own, by) = (self.at(places), step.at(places));
        let times = own.div_floor(&by);
        let (below, above) = (own.clone() - &times * &by, (&times + 1) * &by - &own);
        let up = above < below || above == below && own.is_positive();
        Number { value: (times + i32::from(up)) * &step.value, places: step.places }
    }

    fn written(&self) -> String {
        let digits = format!("{:0>1$}", self.value.abs().to_string(), self.places + 1);
        let (whole, rest) = digits.split_at(digits.len() - self.places);
        let sign = if self.value.is_negative() { "-" } else { "" };
        if rest.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{rest}") }
    }
}

/// A bound and what stands for numbers beyond it.
#[derive(Debug)]
struct Edge {
    at: Number,
    label: String,
}

/// How the numbers of a column should be published.
#[derive(Debug)]
pub(super) struct Coding {
    name: String,
    step: Option<Number>,
    bottom: Option<Edge>,
    top: Option<Edge>,
}

impl Coding {
    pub fn of(
        policy: &CheckedPolicy,
        column: &PolicyColumn,
        own: &NumbersPolicy,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Coding> {
        let name = column.name.clone();
        let again =
            |text: String| Number::read(&text).ok_or_else(|| Error::internal("a bound that is not a number"));
        let step = own.round.map(|step| again(step.to_string())).transpose()?;
        let mut coding = Coding { name, step, bottom: None, top: None };
        let needs_data = own.label == BoundLabel::Mean || own.asks_for_k();
        let seen = if needs_data { coding.seen(policy, column.index, tick)? } else { Vec::new() };
        for upper in [false, true] {
            let at = match if upper { own.top } else { own.bottom } {
                None => continue,
                Some(Bound::At(number)) => again(number.to_string())?,
                Some(Bound::K) => {
                    let k = policy.k() as usize;
                    let found = if upper { with_k(k, seen.iter().rev()) } else { with_k(k, seen.iter()) };
                    found.ok_or_else(|| {
                        Error::input(format!(
                            "column '{}' has too few numbers for a bound with {k} beyond it",
                            coding.name
                        ))
                        .in_file(policy.source.origin())
                        .help("audit the release with the original that it was made from")
                    })?
                }
            };
            let label = match own.label {
                BoundLabel::Bounds => format!("{}{}", if upper { ">=" } else { "<=" }, at.written()),
                BoundLabel::Value => at.written(),
                BoundLabel::Mean => {
                    let beyond = seen.iter().filter(|(number, _)| is_beyond(number, &at, upper));
                    mean(&beyond.map(|(number, _)| number).collect::<Vec<_>>(), coding.step.as_ref(), &seen)
                        .unwrap_or_else(|| at.clone())
                        .written()
                }
            };
            *(if upper { &mut coding.top } else { &mut coding.bottom }) = Some(Edge { at, label });
        }
        Ok(coding)
    }

    /// All numbers of the column after rounding, in order, each with its person where the policy names one.
    fn seen(
        &self,
        policy: &CheckedPolicy,
        column: usize,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Vec<(Number, Option<String>)>> {
        let mut seen = Vec::new();
        policy.source.read(&mut |batch, _| {
            for row in 0..batch.rows() {
                let cell = batch.cell(row, column);
                if !cell.is_empty() && !policy.is_missing(cell) {
                    let person = policy.person.map(|person| batch.cell(row, person).trim().to_string());
                    seen.push((self.rounded(cell)?, person));
                }
            }
            tick()
        })?;
        seen.sort_by(|one, other| one.0.compare(&other.0));
        Ok(seen)
    }

    fn rounded(&self, cell: &str) -> Result<Number> {
        let number = Number::read(cell).ok_or_else(|| {
            Error::input(format!("'{}' in column '{}' is not a number", echoed(cell), self.name))
                .help("audit the release with the original that it was made from")
        })?;
        Ok(self.step.as_ref().map_or(number.clone(), |step| number.nearest(step)))
    }

    /// What should be published for a cell; `None` if the cell itself.
    pub fn published(&self, cell: &str) -> Result<Option<String>> {
        let number = self.rounded(cell)?;
        for (edge, upper) in [(&self.bottom, false), (&self.top, true)] {
            if let Some(edge) = edge
                && is_beyond(&number, &edge.at, upper)
            {
                return Ok(Some(edge.label.clone()));
            }
        }
        Ok(self.step.as_ref().map(|_| number.written()))
    }

    /// Looks at the released cells alone: none is beyond a bound, all are multiples; and says how many are coded.
    pub fn check(&self, facts: &Facts<'_>, column: usize) -> Result<Option<Check>> {
        let Some(place) = facts.layout.plain.iter().position(|place| place.original == column) else {
            return Ok(None);
        };
        let texts = &facts.tables.plain[place];
        let at = facts.tables.release.quasi.len() + place;
        let records = &facts.tables.release.records;
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for id in records.ids() {
            *counts.entry(records.get(id)[at]).or_default() += records.count(id);
        }
        let is_label =
            |text: &str| [&self.bottom, &self.top].into_iter().flatten().any(|edge| edge.label == text);
        let wrong = |text: &str| {
            if text.is_empty() || facts.policy.is_missing(text) || is_label(text) {
                return None;
            }
            let Some(number) = Number::read(text) else { return Some("is not a number") };
            if self.step.as_ref().is_some_and(|step| !multiple(&number, step)) {
                return Some("is not a multiple of what numbers are rounded to");
            }
            let beyond = |edge: &Option<Edge>, upper| {
                edge.as_ref().is_some_and(|edge| is_beyond(&number, &edge.at, upper))
            };
            (beyond(&self.bottom, false) || beyond(&self.top, true)).then_some("is at a bound or beyond it")
        };
        let name = format!("numbers of '{}'", self.name);
        let faults: Vec<(u32, u64, &str)> = (counts.iter())
            .filter_map(|(code, count)| wrong(texts.text(*code)).map(|why| (*code, *count, why)))
            .collect();
        if let Some((code, _, why)) = faults.first() {
            let detail = format!("'{}' in line {} {why}", texts.text(*code), texts.line(*code));
            let mut check = Check::new(name, false, detail);
            check.concerned = faults.iter().map(|(_, count, _)| count).sum();
            return Ok(Some(check));
        }
        let k = facts.policy.k();
        let coded = |edge: &Edge| {
            let count: u64 = counts
                .iter()
                .filter(|(code, _)| texts.text(**code) == edge.label)
                .map(|(_, count)| count)
                .sum();
            let few = if (1..k).contains(&count) { format!(", fewer than k = {k}") } else { String::new() };
            format!("{} published as {}{few}", counted(count, "record is", "records are"), edge.label)
        };
        let mut said: Vec<String> = [&self.bottom, &self.top].into_iter().flatten().map(coded).collect();
        said.extend(
            self.step.as_ref().map(|step| format!("all numbers are multiples of {}", step.written())),
        );
        Ok(Some(Check::new(name, true, said.join("; "))))
    }
}

fn is_beyond(number: &Number, bound: &Number, upper: bool) -> bool {
    let order = number.compare(bound);
    if upper { order.is_ge() } else { order.is_le() }
}

fn multiple(number: &Number, step: &Number) -> bool {
    let places = number.places.max(step.places);
    (number.at(places) % step.at(places)).is_zero()
}

/// The first number in this order by which k records, or people where they are known, were met.
fn with_k<'a>(k: usize, numbers: impl Iterator<Item = &'a (Number, Option<String>)>) -> Option<Number> {
    let mut met = BTreeSet::new();
    for (place, (number, person)) in numbers.enumerate() {
        met.insert(person.clone().unwrap_or_else(|| place.to_string()));
        if met.len() >= k {
            return Some(number.clone());
        }
    }
    None
}

/// The mean, rounded to the step, or to the most digits after the point that any number has.
fn mean(numbers: &[&Number], step: Option<&Number>, all: &[(Number, Option<String>)]) -> Option<Number> {
    let places = all.iter().map(|(number, _)| number.places).max().unwrap_or(0);
    let step = step.cloned().unwrap_or(Number { value: BigInt::from(1), places });
    let count = BigInt::from(numbers.len());
    if count.is_zero() {
        return None;
    }
    // The mean is sum / count; rounding it to multiples of s is rounding the sum to multiples of s · count.
    let places = places.max(step.places);
    let sum = Number { value: numbers.iter().map(|number| number.at(places)).sum(), places };
    let wide = Number { value: &step.value * &count, places: step.places };
    let Number { value, places } = sum.nearest(&wide);
    Some(Number { value: value / count, places })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_multiple_is_farther_from_zero_at_halves() {
        let number = |text: &str| Number::read(text).expect("a number");
        for (own, step, found) in [
            ("1250", "1000", "1000"),
            ("1500", "1000", "2000"),
            ("-1500", "1000", "-2000"),
            ("-1499.99", "1000", "-1000"),
            ("0.25", "0.1", "0.3"),
            ("2", "0.5", "2.0"),
            ("1e3", "300", "900"),
            ("-0.2", "1", "0"),
        ] {
            assert_eq!(number(own).nearest(&number(step)).written(), found, "{own} to {step}");
        }
        assert!(
            Number::read("1.2.3").is_none() && Number::read("-").is_none() && Number::read("x").is_none()
        );
    }
}
