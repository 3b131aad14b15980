//! How the dates and numbers of a column are written, where a policy has to say so.
//!
//! A column of dates or numbers may hold a few other cells: words for what is not known, and strays. They become spellings of a
//! missing value; without that the column would be words.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::collections::HashMap;

use super::kind::ValueKind;
use super::profile::{ColumnProfile, Profile};
use super::text::{comment, percent, quoted};
use privet_data::{DateColumn, DateFormat, NumberColumn, NumberFormat, is_zero_padded};

/// Days without signs between their parts have this many digits.
const COMPACT_DATE: (usize, usize) = (8, 8);
/// Of this many values, half must hold a digit before a column of words is looked at more closely.
const LOOKED_AT: usize = 100;

/// A column is worth a remark where this share of its cells are dates,
const MOSTLY_DATES: u64 = 50;
/// or numbers, in percent.
const MOSTLY_NUMBERS: u64 = 80;

/// Values of a column that are compared with the strays of others: categories have fewer.
const MOST_WORDS: usize = 1000;

/// Finds out how every column is written, and reads it so.
pub(super) fn understand(profile: &mut Profile) {
    let held_elsewhere = values_of_words(profile);
    for (index, column) in profile.columns.iter_mut().enumerate() {
        // A spelling of missing is one in every column: what others hold as a value is none.
        let is_taken = |strays: &[(String, u64)]| {
            let is_held = |stray: &String| {
                held_elsewhere.get(stray).is_some_and(|held| held.iter().any(|other| *other != index))
            };
            strays.iter().any(|(stray, _)| is_held(stray))
        };
        let counted = column.counted_values();
        let values = || -> Vec<(&str, u64)> {
            match &counted {
                Some(values) => values.iter().map(|(value, count)| (value.as_str(), *count)).collect(),
                None => column.first_values().iter().map(|value| (value.as_str(), 1)).collect(),
            }
        };
        let kind = column.kind();
        let dated = match kind {
            ValueKind::Date => true,
            ValueKind::Whole => column.shape.lengths == COMPACT_DATE,
            ValueKind::Text | ValueKind::Code => has_digits(column),
            _ => false,
        };
        let dates = dated.then(|| DateColumn::detect(values())).flatten();
        if let Some(dates) = dates.filter(|dates| !is_taken(&dates.strays)) {
            let (keys, format) = date_keys(&dates);
            let other = dates.readings.get(1).into_iter();
            let other_days: BTreeSet<String> = other
                .flat_map(|other| {
                    values().into_iter().filter_map(move |(cell, _)| Some(other.read(cell)?.to_string()))
                })
                .collect();
            let unknown = [dates.unknown, dates.strays].concat();
            if let Some(format) = format {
                column.reread(profile.sample.codes_mut(index), |cell| Some(format.read(cell)?.to_string()));
            } else if !unknown.is_empty() {
                let kept = |cell: &str| unknown.iter().all(|(other, _)| other != cell);
                column.reread(profile.sample.codes_mut(index), |cell| kept(cell).then(|| cell.to_string()));
            }
            column.keys = keys;
            column.other_days = other_days.into_iter().collect();
            continue;
        }
        let may_be_numbers = matches!(kind, ValueKind::Whole | ValueKind::Number)
            || matches!(kind, ValueKind::Text | ValueKind::Code) && has_digits(column);
        let numbers = may_be_numbers.then(|| NumberColumn::detect(values())).flatten();
        if numbers.is_none() && may_be_numbers {
            column.keys = mostly(&values()).into_iter().flat_map(|note| remark(&note)).collect();
        }
        if let Some(numbers) = numbers.filter(|numbers| !is_taken(&numbers.strays)) {
            column.codes_for_unknown = numbers.codes_for_unknown.clone();
            let Some(format) = numbers.readings.first() else { continue };
            if !numbers.is_plain {
                column.keys = number_keys(&numbers.readings);
                column.reread(profile.sample.codes_mut(index), |cell| format.read(cell));
            } else if !matches!(kind, ValueKind::Whole | ValueKind::Number) {
                let strays = [numbers.unknown, numbers.strays].concat();
                let kept = |cell: &str| strays.iter().all(|(stray, _)| stray != cell);
                let padded = |cell: &String| cell.trim().len() < cell.len() && kept(cell);
                if column.first_values().iter().any(padded) {
                    // Blanks around numbers go where the policy says that they are numbers.
                    column.keys = number_keys(&numbers.readings);
                }
                column.reread(profile.sample.codes_mut(index), |cell| {
                    kept(cell).then(|| cell.trim().to_string())
                });
            }
        }
    }
}

/// What to say of a column most of whose cells are dates or numbers, if too many others are not: nobody should find out later that
/// dates were taken for codes.
fn mostly(values: &[(&str, u64)]) -> Option<String> {
    let all: u64 = values.iter().map(|(_, count)| count).sum();
    let note = |what: String, read: &dyn Fn(&str) -> bool, least: u64| {
        let unread: Vec<&(&str, u64)> = values.iter().filter(|(value, _)| !read(value)).collect();
        let known = all - unread.iter().map(|(_, count)| count).sum::<u64>();
        let (stray, count) = unread.iter().max_by_key(|(value, count)| (*count, Reverse(*value)))?;
        let others = match unread.len() {
            1 => "is not",
            _ => "and others are not",
        };
        (known * 100 >= all * least).then(|| {
            format!(
                "{} of the cells are {what}, and {} ({count} ×) {others}. If nothing is known there, list these under `missing` \
                 in [data] and draft again; else write them like the rest.",
                percent(known, all),
                quoted(stray)
            )
        })
    };
    let (format, _) = DateColumn::unfit(values.iter().copied());
    let dates = format.and_then(|format| {
        note(
            format!("dates of the form {}", format.pattern()),
            &|cell| format.read(cell).is_some(),
            MOSTLY_DATES,
        )
    });
    let is_code = || values.iter().any(|(value, _)| is_zero_padded(value));
    let numbers = || {
        ['.', ','].into_iter().find_map(|decimal| {
            let format = NumberFormat::new(decimal);
            note("numbers".to_string(), &|cell| format.read(cell).is_some(), MOSTLY_NUMBERS)
        })
    };
    dates.or_else(|| if is_code() { None } else { numbers() })
}

/// A comment for the section of a column.
fn remark(words: &str) -> Vec<String> {
    let mut lines = String::new();
    comment(&mut lines, words);
    lines.lines().map(str::to_string).collect()
}

/// The values of columns that do not look like numbers or dates, with the columns that hold them.
fn values_of_words(profile: &Profile) -> HashMap<String, Vec<usize>> {
    let mut held: HashMap<String, Vec<usize>> = HashMap::new();
    let columns = profile.columns.iter().enumerate();
    for (index, column) in columns.filter(|(_, column)| {
        matches!(column.kind(), ValueKind::Whole | ValueKind::Number) || !has_digits(column)
    }) {
        for value in &column.first_values()[..column.first_values().len().min(MOST_WORDS)] {
            held.entry(value.clone()).or_default().push(index);
        }
    }
    held
}

fn has_digits(column: &ColumnProfile) -> bool {
    let values = column.first_values();
    let looked_at = &values[..values.len().min(LOOKED_AT)];
    let with = looked_at.iter().filter(|value| value.bytes().any(|byte| byte.is_ascii_digit())).count();
    2 * with >= looked_at.len()
}

/// The lines of a section that say how dates are written, and the format to read them by; ISO days need neither.
fn date_keys(dates: &DateColumn) -> (Vec<String>, Option<DateFormat>) {
    let line = |format: &DateFormat| format!("date = {}", quoted(format.pattern()));
    let plain = |format: &DateFormat| matches!(format.pattern(), "%Y-%m-%d" | "%+");
    match dates.readings.as_slice() {
        [only] if plain(only) => (Vec::new(), None),
        [only] if only.has_short_year() => {
            // Nothing has happened yet in a year to come.
            let first = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).year() - 99;
            let lines = vec![
                "# Years have two digits: they are taken for the last hundred years. Correct the first of them:".to_string(),
                line(only),
                format!("first_year = {first}"),
            ];
            (lines, Some(only.clone().from_year(first)))
        }
        [only] => (vec![line(only)], Some(only.clone())),
        [first, others @ ..] => {
            let mut lines =
                vec!["# Nothing in the data decides between these readings. Keep the right one:".to_string()];
            lines.push(line(first));
            lines.extend(others.iter().map(|other| format!("# {}", line(other))));
            (lines, Some(first.clone()))
        }
        [] => (Vec::new(), None),
    }
}

/// The lines of a section that say how numbers are written.
fn number_keys(readings: &[NumberFormat]) -> Vec<String> {
    let mut lines = Vec::new();
    if readings.len() > 1 {
        lines.push("# Nothing in the data decides whether 1.234 is about one or more than a thousand. Keep the right line:".into());
    }
    for (at, format) in readings.iter().enumerate() {
        let off = if at > 0 { "# " } else { "" };
        lines.push(format!("{off}decimal = {}", quoted(&format.decimal().to_string())));
    }
    if let Some(unit) = readings.first().and_then(NumberFormat::unit) {
        lines.push(format!("unit = {}", quoted(unit)));
    }
    lines
}
