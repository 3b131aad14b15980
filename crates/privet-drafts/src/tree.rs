//! Hierarchies generated from a column's values: classifications, ranges, calendar, prefixes, or rare values apart from common ones.

use std::iter::successors;

use super::content::Content;
use super::kind::{ValueKind, iso_date};
use super::lexicon::Topic;
use super::profile::ColumnProfile;
use super::understood::{Understood, are_categories};
use privet_core::Result;
use privet_taxonomy::{Builder, Ready, Taxonomy};

/// The root of flat hierarchies; another one for the odd table that holds this as a value.
const ROOT: &str = "*";
const OTHER_ROOT: &str = "(any)";
/// What rare values are published as; the next one where the table holds it as a value.
const OTHERS: [&str; 3] = ["other", "(other)", "(any other)"];
/// Values of words from which on the rare ones are joined at the first level,
const LEAST_JOINED: usize = 6;
/// and what is rare: less than one record in this many.
const RARE: u64 = 20;
/// A classification is used where it knows this share of the values, in percent.
const KNOWN: usize = 90;
/// Numbers with more distinct values than this start from ranges.
const MOST_NUMBER_LEAVES: usize = 1_000;
/// Words and codes of more distinct values than this get no hierarchy.
const MOST_LEAVES: usize = 50_000;
/// At most how many ranges the finest level of ranges has.
const RANGES: f64 = 20.0;
/// Larger multiples of a width are not exact in a double.
const MOST_EXACT: f64 = 1e15;
/// Years that months are in; other numbers look the same.
const YEARS: std::ops::RangeInclusive<u32> = 1850..=2099;
/// Codes are shortened in about this many steps.
const PREFIXES: usize = 5;
/// Codes longer than this are rather words.
const LONGEST_PREFIX: usize = 12;

/// A hierarchy for the values of a column; `None` when there are too many to list and they are no numbers.
pub(super) fn hierarchy(column: &ColumnProfile, about: &Understood) -> Result<Option<Taxonomy>> {
    // Odd data may hold a value that looks like a generated label; then the values simply stand below the root.
    if let Some(tree) = with_levels(column, about)
        && covers(&tree, column)
    {
        return Ok(Some(tree));
    }
    let Some(values) = column.counted_values().filter(|values| (1..=MOST_LEAVES).contains(&values.len()))
    else {
        return Ok(None);
    };
    words(values).map(Some)
}

/// Words below one root, with the rare ones joined first where there are many.
fn words(mut values: Vec<(String, u64)>) -> Result<Taxonomy> {
    values.sort_unstable();
    let taken = |label: &str| values.iter().any(|(value, _)| value == label);
    let records: u64 = values.iter().map(|(_, count)| count).sum();
    let least = records.div_ceil(RARE);
    let rare = values.iter().filter(|(_, count)| *count < least).count();
    let joins = values.len() >= LEAST_JOINED && rare >= 2 && rare < values.len() && !taken(ROOT);
    if let Some(other) = OTHERS.iter().find(|label| joins && !taken(label)) {
        let groups = std::collections::BTreeMap::new();
        return Builder::Joined { groups, least, other: (*other).to_string() }.build(&values);
    }
    let root = if taken(ROOT) { OTHER_ROOT } else { ROOT };
    let paths: Vec<Vec<String>> =
        values.into_iter().map(|(value, _)| vec![value, root.to_string()]).collect();
    Taxonomy::from_paths(&paths)
}

fn covers(tree: &Taxonomy, column: &ColumnProfile) -> bool {
    let mut values = column.first_values().iter();
    values.all(|value| matches!(tree.leaf_of(value), Ok(Some(_))))
}

/// The tree that the kind of the values suggests, if any.
fn with_levels(column: &ColumnProfile, about: &Understood) -> Option<Taxonomy> {
    if let Some(tree) = classified(column, about) {
        return Some(tree);
    }
    match column.kind() {
        ValueKind::Code | ValueKind::Text if months(column).is_some() => months(column),
        _ if about.is_postal() => prefixes(column).or_else(|| districts(column)),
        ValueKind::Code => prefixes(column),
        ValueKind::Whole if are_categories(column, about) => None,
        ValueKind::Whole | ValueKind::Number => ranges(column),
        ValueKind::Date => dates(column),
        _ => None,
    }
}

/// The tree of a public classification, where the column is about it and it knows nearly all values.
fn classified(column: &ColumnProfile, about: &Understood) -> Option<Taxonomy> {
    let name = match about.topic.as_ref().map(|(topic, _)| *topic) {
        _ if about.content == Some(Content::Diagnoses) => "icd-10",
        _ if about.content == Some(Content::Countries) => "countries",
        Some(Topic::Country) => "countries",
        Some(Topic::Education) => "education",
        Some(Topic::Age) if column.kind() == ValueKind::Whole => "ages",
        Some(Topic::Money) if matches!(column.kind(), ValueKind::Whole | ValueKind::Number) => "amounts",
        _ => return None,
    };
    let (ready, values) = (Ready::find(name).ok()?, column.counted_values()?);
    if name == "amounts" {
        return ready.build(&values, None).ok().filter(|_| values.len() > RANGES as usize);
    }
    let known = ready.knows(values.iter().map(|(value, _)| value.as_str()));
    if known * 100 < values.len() * KNOWN {
        return None;
    }
    let other = (known < values.len()).then_some(OTHERS[0]);
    ready.build(&values, other).ok()
}

/// Postcodes of two parts, as in `SW1A 1AA`: the first part, then its letters or digits in front.
fn districts(column: &ColumnProfile) -> Option<Taxonomy> {
    let path = |value: &String| {
        let district = value.split([' ', '-']).next()?;
        let area: String = if district.starts_with(|c: char| c.is_alphabetic()) {
            district.chars().take_while(|c| c.is_alphabetic()).collect()
        } else {
            district.chars().take(2).collect()
        };
        (district.len() < value.len())
            .then(|| vec![value.clone(), format!("{district}…"), format!("{area}…"), ROOT.to_string()])
    };
    let mut paths: Vec<Vec<String>> = column.values()?.iter().map(path).collect::<Option<_>>()?;
    paths.sort();
    Taxonomy::from_paths(&paths).ok()
}

/// The values of a column as a builder takes them; their frequencies play no part here.
fn counted(values: &[String]) -> Vec<(String, u64)> {
    values.iter().map(|value| (value.clone(), 1)).collect()
}

/// How many characters codes of this length lose per level.
pub(super) fn prefix_step(length: usize) -> usize {
    length.div_ceil(PREFIXES).max(1)
}

/// Year and decade above each month, as in `05/1943` or `1943-05`: shortened from the right, the year would go first.
fn months(column: &ColumnProfile) -> Option<Taxonomy> {
    let path = |value: &String| {
        let (first, second) = value.trim().split_once(['/', '.', '-'])?;
        let (month, year) = if first.len() == 4 { (second, first) } else { (first, second) };
        let is_number = |text: &str, digits: &[usize]| {
            digits.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !is_number(month, &[1, 2]) || !is_number(year, &[4]) {
            return None;
        }
        let (month, number): (u32, u32) = (month.parse().ok()?, year.parse().ok()?);
        ((1..=12).contains(&month) && YEARS.contains(&number)).then(|| {
            let decade = format!("{:03}0s", number / 10);
            ((number, month), vec![value.clone(), year.to_string(), decade, ROOT.to_string()])
        })
    };
    let mut paths = column.values()?.iter().map(path).collect::<Option<Vec<_>>>()?;
    paths.sort();
    Taxonomy::from_paths(&paths.into_iter().map(|(_, path)| path).collect::<Vec<_>>()).ok()
}

/// Codes of one length lose their last characters first.
fn prefixes(column: &ColumnProfile) -> Option<Taxonomy> {
    let (shortest, longest) = column.shape.lengths;
    if shortest != longest || !(2..=LONGEST_PREFIX).contains(&longest) {
        return None;
    }
    let steps = vec![prefix_step(longest)];
    Builder::Prefixes { steps }.build(&counted(column.values()?)).ok()
}

/// Ranges of a round width that doubles from level to level; above the values, or instead of them if there are many.
fn ranges(column: &ColumnProfile) -> Option<Taxonomy> {
    let (least, greatest) = column.shape.bounds;
    let finest = (greatest - least) / RANGES;
    let width = Width::at_least(if column.kind() == ValueKind::Whole { finest.max(2.0) } else { finest });
    let builder = Builder::Doubling { width: width.times(1) };
    if let Some(values) = column.values().filter(|values| values.len() <= MOST_NUMBER_LEAVES) {
        return builder.build(&counted(values)).ok();
    }
    let (first, last) = (width.position(least)?, width.position(greatest)?);
    let starts: Vec<String> = (first..=last).map(|position| width.times(position)).collect();
    let tree = builder.build(&counted(&starts)).ok()?;
    // Each start of a range stood for it; without these leaves the ranges are the leaves.
    let mut paths: Vec<Vec<String>> = (0..tree.leaves()).map(|leaf| above(&tree, leaf)).collect();
    paths.dedup();
    Taxonomy::from_paths(&paths).ok()
}

/// The labels above a leaf.
fn above(tree: &Taxonomy, leaf: usize) -> Vec<String> {
    let ancestors = successors(tree.parent(tree.leaf(leaf)), |node| tree.parent(*node));
    ancestors.map(|node| tree.label(node).to_string()).collect()
}

/// The calendar of days that a column has by another reading than the one that is drafted.
pub(super) fn of_days(days: &[String]) -> Option<Taxonomy> {
    if days.is_empty() || days.len() > MOST_LEAVES {
        return None;
    }
    Builder::Dates.build(&counted(days)).ok()
}

/// Day, month, quarter, year and decade above each date, however it is spelt.
fn dates(column: &ColumnProfile) -> Option<Taxonomy> {
    let values = column.values()?;
    let mut dated: Vec<(String, &String)> =
        values.iter().map(|value| Some((iso_date(value)?, value))).collect::<Option<_>>()?;
    dated.sort_unstable();
    let mut days: Vec<String> = dated.iter().map(|(day, _)| day.clone()).collect();
    days.dedup();
    let calendar = Builder::Dates.build(&counted(&days)).ok()?;
    let has_times = dated.iter().all(|(day, value)| day != *value);
    let path = |(day, value): &(String, &String)| {
        let leaf = calendar.find(day)?;
        let mut path = vec![value.to_string()];
        // A day is finer than its month where cells have a time of day.
        if has_times {
            path.push(day.clone());
        }
        path.extend(above(&calendar, calendar.leaves_below(leaf).start));
        Some(path)
    };
    Taxonomy::from_paths(&dated.iter().map(path).collect::<Option<Vec<_>>>()?).ok()
}

/// A round width: 1, 2 or 5 times a power of ten, so that bounds are written without rounding.
#[derive(Clone, Copy)]
struct Width {
    digit: i64,
    exponent: i32,
}

impl Width {
    fn at_least(width: f64) -> Width {
        if !(width.is_finite() && width > 0.0) {
            return Width { digit: 1, exponent: 0 };
        }
        let exponent = width.log10().floor() as i32;
        let factor = width / 10f64.powi(exponent);
        match factor {
            _ if factor <= 1.0 => Width { digit: 1, exponent },
            _ if factor <= 2.0 => Width { digit: 2, exponent },
            _ if factor <= 5.0 => Width { digit: 5, exponent },
            _ => Width { digit: 1, exponent: exponent + 1 },
        }
    }

    /// The multiple of the width at or just below a number; `None` where doubles are too coarse to tell.
    fn position(self, number: f64) -> Option<i64> {
        let position = number / (self.digit as f64 * 10f64.powi(self.exponent));
        (position.abs() < MOST_EXACT).then_some(position.floor() as i64)
    }

    /// A multiple of the width in decimal digits.
    fn times(self, count: i64) -> String {
        let number = count * self.digit;
        let sign = if number < 0 { "-" } else { "" };
        let digits = number.unsigned_abs().to_string();
        let shift = self.exponent.unsigned_abs() as usize;
        if self.exponent >= 0 {
            return if number == 0 { digits } else { format!("{sign}{digits}{}", "0".repeat(shift)) };
        }
        let digits = format!("{digits:0>width$}", width = shift + 1);
        let (integer, fraction) = digits.split_at(digits.len() - shift);
        match fraction.trim_end_matches('0') {
            "" => format!("{sign}{integer}"),
            fraction => format!("{sign}{integer}.{fraction}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_round_and_multiples_exact() {
        let texts = |width: f64, count| Width::at_least(width).times(count);
        assert_eq!(texts(3.65, 3), "15");
        assert_eq!(texts(0.03, 7), "0.35");
        assert_eq!(texts(0.05, -20), "-1");
        assert_eq!(texts(1200.0, -2), "-4000");
        assert_eq!(texts(600.0, 1), "1000");
        assert_eq!(texts(0.0, 4), "4");
        assert_eq!(texts(f64::INFINITY, 4), "4");
        assert_eq!(Width::at_least(5.0).position(-0.5), Some(-1));
        assert_eq!(Width::at_least(1e-9).position(1e12), None);
    }
}
