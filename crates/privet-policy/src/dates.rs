//! `[columns.NAME] date = { … }`: dates that are shifted or coarsened.

use super::check::{PolicyColumn, Role};
use super::file::{Entry, Section};
use super::typed::choices;
use privet_core::{Result, suggestion};

choices! {
    /// What is left of a date.
    pub enum DatePart {
        /// `2024-03`.
        Month = "month",
        /// `2024-Q1`.
        Quarter = "quarter",
        /// `2024`.
        Year = "year",
    }
}

/// How dates are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatesPolicy {
    /// Each person's dates are moved by a number of days of their own.
    Shifted(DateShift),
    /// Only a part is left.
    Coarse(DatePart),
}

/// By how much a person's dates are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateShift {
    /// At most this many days, back or forth.
    pub days: u32,
    /// The column that says whose a date is, by position.
    pub by: usize,
    /// Whether weekdays stay, so that the days are a multiple of seven.
    pub keeps_weekdays: bool,
}

/// Fewer days would leave the week known.
const LEAST_DAYS: u32 = 7;
/// A hundred years.
const MOST_DAYS: u32 = 36_525;

/// The keys of a table `date`.
pub(super) const DATE_KEYS: [&str; 5] = ["format", "shift", "by", "keep", "coarsen"];

/// What `date` says about how dates are written, where it says it: a text, or `format` in a table.
pub(super) fn written<'a>(section: &Section<'a>) -> Result<Option<Entry<'a>>> {
    match section.entry("date") {
        Some(entry) if entry.is_table() => {
            let table = entry.table("a format or a table")?;
            table.only(&DATE_KEYS)?;
            Ok(table.entry("format"))
        }
        entry => Ok(entry),
    }
}

impl DatesPolicy {
    /// Reads what a policy says about the dates of a column.
    pub(super) fn read(
        section: &Section<'_>,
        column: usize,
        columns: &[PolicyColumn],
    ) -> Result<Option<DatesPolicy>> {
        let Some(entry) = section.entry("date").filter(Entry::is_table) else { return Ok(None) };
        let table = entry.table("a format or a table")?;
        let column = &columns[column];
        refuse(&entry, column)?;
        match (table.entry("shift"), table.entry("coarsen")) {
            (Some(_), Some(other)) => Err(other
                .error("dates are shifted or coarsened, not both")
                .help("remove 'shift' or 'coarsen'")),
            (Some(shift), None) => {
                DateShift::read(&table, &shift, columns).map(|own| Some(DatesPolicy::Shifted(own)))
            }
            (None, coarsen) => {
                if let Some(stray) = ["by", "keep"].into_iter().find_map(|key| table.entry(key)) {
                    return Err(stray
                        .error(format!("'{}' has a meaning only next to 'shift'", stray.name()))
                        .help("add shift = \"180d\", or remove it"));
                }
                let Some(coarsen) = coarsen else { return Ok(None) };
                if column.role == Some(Role::QuasiIdentifier) {
                    return Err(coarsen
                        .error(format!("column '{}' is a quasi-identifier, whose dates are hidden by a hierarchy", column.name))
                        .help(
                            "`privet hierarchy build --kind dates` makes one, and least_levels in [method] says what is the \
                             finest level that may be shown",
                        ));
                }
                Ok(DatePart::named(coarsen.one_of(DatePart::WORDS)?).map(DatesPolicy::Coarse))
            }
        }
    }
}

impl DateShift {
    fn read(table: &Section<'_>, shift: &Entry<'_>, columns: &[PolicyColumn]) -> Result<DateShift> {
        let text = shift.text()?;
        let days = text.strip_suffix('d').and_then(|number| number.parse::<u32>().ok());
        let Some(days) = days.filter(|days| (LEAST_DAYS..=MOST_DAYS).contains(days)) else {
            return Err(shift
                .error(format!("'shift' is \"{text}\"; it must be from {LEAST_DAYS}d to {MOST_DAYS}d"))
                .help("the most days that a date is moved, back or forth, as in \"180d\""));
        };
        let by = table.required("by", "name the column that says whose a date is: by = \"patient_id\"")?;
        let name = by.text()?;
        let Some(person) = columns.iter().find(|column| column.name == name) else {
            let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
            return Err(by
                .error(format!("'by' names '{name}', which is not a column of the data"))
                .help(suggestion(name, &names, "the data's columns")));
        };
        if !matches!(person.role, Some(Role::Identifier | Role::Pseudonym)) {
            return Err(by
                .error(format!("'by' names '{name}', which is neither an identifier nor a pseudonym"))
                .help(format!("set role = \"identifier\" or \"pseudonym\" in [columns.{name}]")));
        }
        let keeps_weekdays = match table.entry("keep") {
            Some(keep) => keep.one_of(&["weekday"])? == "weekday",
            None => false,
        };
        Ok(DateShift { days, by: person.index, keeps_weekdays })
    }
}

fn refuse(entry: &Entry<'_>, column: &PolicyColumn) -> Result<()> {
    let name = &column.name;
    match column.role {
        Some(Role::QuasiIdentifier | Role::Sensitive | Role::Class | Role::Other) => {}
        role => {
            return Err(entry
                .error(format!(
                    "column '{name}' has role '{}', which has no dates to publish",
                    role.map_or("", Role::name)
                ))
                .help("remove the table; write date = \"%d/%m/%Y\" to say how dates are written"));
        }
    }
    if column.hierarchy.is_some() {
        return Err(entry
            .error(format!("column '{name}' has a hierarchy, whose leaves are its dates as they are"))
            .help("remove 'hierarchy', or write date = \"%d/%m/%Y\" if it only says how dates are written"));
    }
    Ok(())
}
