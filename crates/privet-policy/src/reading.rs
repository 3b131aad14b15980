//! How files and columns are read: keys of `[data]` and of `[columns.NAME]`.

use std::path::PathBuf;

use super::check::{character, header};
use super::column_type::ColumnType;
use super::dates;
use super::file::{Entry, Policy, Section};
use privet_core::{Error, Result};
use privet_data::{CellKind, DateFormat, Encoding, NumberFormat, Quote, ReadOptions, Reading, SourceColumn};

/// The keys of `[data]` that say how a table is laid out in its file.
pub(super) const LAYOUT_KEYS: [&str; 6] = ["encoding", "quote", "comment", "skip", "sheet", "range"];

/// The keys of `[columns.NAME]` that say how its cells are read.
pub(super) const READING_KEYS: [&str; 4] = ["date", "first_year", "decimal", "unit"];

/// What `[data]` says about a table in a file.
pub(super) fn read_options(data: &Section<'_>) -> Result<ReadOptions> {
    let quote = match data.entry("quote") {
        None => Quote::Detected,
        Some(entry) => match entry.text()?.chars().collect::<Vec<char>>()[..] {
            [] => Quote::Nothing,
            [sign] if sign.is_ascii_graphic() => Quote::Sign(sign),
            _ => {
                return Err(entry
                    .error("'quote' must be a single character, or nothing")
                    .help("as in \"'\"; \"\" if quotes are characters like any other"));
            }
        },
    };
    let comment = match data.entry("comment") {
        None => None,
        Some(entry) => match entry.text()?.chars().collect::<Vec<char>>()[..] {
            [sign] if sign.is_ascii_graphic() => Some(sign),
            _ => {
                return Err(entry
                    .error("'comment' must be a single character")
                    .help("what lines begin with that are not part of the table, as in \"#\""));
            }
        },
    };
    let text = |key: &str| data.entry(key).map(|entry| entry.text().map(String::from)).transpose();
    Ok(ReadOptions {
        header: header(data)?,
        encoding: encoding(data)?,
        quote,
        comment,
        skip: data.entry("skip").map(|entry| entry.count(0)).transpose()?,
        sheet: text("sheet")?,
        range: text("range")?,
        ..ReadOptions::of(character(data, "delimiter")?)
    })
}

/// The encoding that `[data]` names.
pub(super) fn encoding(data: &Section<'_>) -> Result<Option<Encoding>> {
    let Some(entry) = data.entry("encoding") else { return Ok(None) };
    Encoding::named(entry.text()?).map(Some).map_err(|error| placed(&entry, &error))
}

/// The files that `[data] path` names.
pub(super) fn data_paths(policy: &Policy, data: &Section<'_>) -> Result<Vec<PathBuf>> {
    let help = "name the data file: path = \"your.csv\"";
    let entry = data.required("path", help)?;
    let written = if entry.is_list() { entry.texts()? } else { vec![entry.text()?.to_string()] };
    if written.is_empty() || written.iter().any(String::is_empty) {
        return Err(entry.error("'data.path' is empty").help(help));
    }
    // Standard input is not a file next to the policy.
    let resolve = |path: &String| if path == "-" { PathBuf::from(path) } else { policy.resolve(path) };
    if written.len() > 1 && written.iter().any(|path| path == "-") {
        return Err(entry.error("standard input cannot be one of several files").help(help));
    }
    Ok(written.iter().map(resolve).collect())
}

/// How `[columns.NAME]` says that the cells of a column are read.
pub(super) fn reading(section: &Section<'_>, column: &SourceColumn) -> Result<Option<Reading>> {
    let date = dates::written(section)?;
    let others = ["first_year", "decimal", "unit"].into_iter().find_map(|key| section.entry(key));
    let column_type = section.entry("type");
    let says = match &column_type {
        Some(entry) => ColumnType::named(entry.one_of(ColumnType::WORDS)?),
        None => None,
    };
    let Some(first) = date.clone().or(others) else {
        return Ok(match says {
            Some(ColumnType::Number) if column.kind == CellKind::Text => Some(Reading::PlainNumber),
            Some(ColumnType::Date) if column.kind == CellKind::Text => Some(Reading::PlainDate),
            _ => None,
        });
    };
    let (holds, of_that_type) = match date.is_some() || section.entry("first_year").is_some() {
        true => ("dates", ColumnType::Date),
        false => ("numbers", ColumnType::Number),
    };
    if let Some(entry) = column_type.filter(|_| says.is_some_and(|says| says != of_that_type)) {
        let name = first.name();
        return Err(entry
            .error(format!("'{}' says that the column holds something else than '{name}' does", entry.name()))
            .help(format!("remove one of the two; '{name}' is for {holds}")));
    }
    if column.kind != CellKind::Text {
        return Err(first
            .error(format!(
                "'{}' has no meaning here: the file says what the cells of '{}' are",
                first.name(),
                column.name
            ))
            .help("remove it; it is for text"));
    }
    let numbers = section.entry("decimal").or(section.entry("unit"));
    if let (Some(_), Some(other)) = (&date, &numbers) {
        return Err(other
            .error(format!("'{}' has no meaning for dates", other.name()))
            .help("a column holds dates or numbers; remove one of the keys"));
    }
    if let Some(entry) = date {
        let mut format = DateFormat::parse(entry.text()?).map_err(|error| placed(&entry, &error))?;
        if let Some(year) = section.entry("first_year") {
            if !format.has_short_year() {
                return Err(year
                    .error("'first_year' has no meaning for years of four digits")
                    .help("remove it; it says which hundred years the two digits of %y stand for"));
            }
            let first = i16::try_from(year.count(1)?).ok().filter(|first| *first <= LAST_FIRST_YEAR);
            format = format.from_year(first.ok_or_else(|| {
                year.error(format!("'first_year' must be at most {LAST_FIRST_YEAR}"))
                    .help("as in 1925: the two digits of %y then stand for 1925 to 2024")
            })?);
        }
        return Ok(Some(Reading::Date(format)));
    }
    if let Some(year) = section.entry("first_year") {
        return Err(year
            .error("'first_year' has a meaning only next to 'date'")
            .help("add date = \"%d/%m/%y\", or remove it"));
    }
    let decimal = match section.entry("decimal") {
        None => '.',
        Some(entry) => match entry.text()? {
            "," => ',',
            "." => '.',
            _ => {
                return Err(entry
                    .error("'decimal' must be \",\" or \".\"")
                    .help("the sign before the fraction; the other one may then stand between thousands"));
            }
        },
    };
    let mut format = NumberFormat::new(decimal);
    if let Some(entry) = section.entry("unit") {
        format = format.with_unit(entry.text()?).map_err(|error| placed(&entry, &error))?;
    }
    Ok(Some(Reading::Number(format)))
}

/// The last year that a hundred years may begin with.
const LAST_FIRST_YEAR: i16 = 9900;

/// An error about a value, at its place in the policy.
fn placed(entry: &Entry<'_>, error: &Error) -> Error {
    let placed = entry.error(error.message());
    match error.remedy() {
        Some(remedy) => placed.help(remedy),
        None => placed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Source;

    fn checked(data: &str, column: &str) -> Result<Vec<String>> {
        let text = format!(
            "[data]\nmissing = [\"\", \"?\"]\n{data}\n[columns.x]\nrole = \"quasi-identifier\"\n{column}\n[privacy.k-anonymity]\nk = 2\n[method]\nname = \"mondrian\"\n"
        );
        let policy = Policy::parse("policy.toml".as_ref(), text)?;
        let people = Source::of_rows("people", &["x"], [["31/01/42"], ["?"], [""]])?;
        let checked = policy.check(people)?;
        // The same table once more is not read twice over.
        let again = policy.check(super::super::original::OriginalData::again(&checked.source))?;
        let mut cells = Vec::new();
        again.source.read(&mut |batch, _| {
            cells.extend((0..batch.rows()).map(|row| batch.cell(row, 0).to_string()));
            Ok(())
        })?;
        Ok(cells)
    }

    #[test]
    fn columns_say_how_they_are_read() {
        assert_eq!(checked("", "").expect("raw"), ["31/01/42", "?", ""]);
        assert_eq!(checked("", "date = \"%d/%m/%y\"").expect("dates"), ["2042-01-31", "?", ""]);
        let born = "date = \"%d/%m/%y\"\nfirst_year = 1925";
        assert_eq!(checked("", born).expect("dates"), ["1942-01-31", "?", ""]);
        let error = checked("", "date = \"%m/%d/%y\"").expect_err("another order");
        assert_eq!(error.line(), Some(1));
        assert!(error.message().contains("31/01/42") && error.message().contains("%m/%d/%y"), "{error}");
    }

    #[test]
    fn what_makes_no_sense_is_refused_at_the_door() {
        for (data, column, part) in [
            ("", "date = \"%d/%m\"", "year"),
            ("", "date = \"%d/%m/%Y\"\nfirst_year = 1925", "four digits"),
            ("", "date = \"%d/%m/%y\"\nfirst_year = 9999", "at most"),
            ("", "first_year = 1925", "next to 'date'"),
            ("", "date = \"%d/%m/%Y\"\ndecimal = \",\"", "dates"),
            ("", "decimal = \";\"", "decimal"),
            ("", "unit = \"5\"", "unit"),
            ("encoding = \"klingon\"", "", "klingon"),
            ("quote = \"ab\"", "", "quote"),
            ("comment = \"\"", "", "comment"),
            ("skip = -1", "", "skip"),
        ] {
            let error = checked(data, column).expect_err(part);
            assert!(error.message().contains(part) && error.line().is_some(), "{error}");
        }
    }
}
