//! What a policy says about several sensitive columns: sets of values, insensitive values, and requirements that name no
//! column and therefore concern every one of them.

use super::check::{PolicyColumn, Role, character_of};
use super::file::{Policy, Section};
use super::release_kind::ReleaseKind;
use super::settings::{Clause, Setting};
use privet_core::{Error, Exact, Result};

/// The keys of `[columns.…]` that only some methods understand: those with several tables, and for sets a few others.
const OWN_KEYS: [&str; 2] = ["separator", "insensitive"];

/// Reads `separator` and `insensitive` of every column.
pub(super) fn check_sensitive(listed: &Section<'_>, columns: &mut [PolicyColumn]) -> Result<()> {
    for column in columns {
        let Some(section) = listed.entry(&column.name).and_then(|entry| entry.section().ok()) else {
            continue;
        };
        // Sets of other roles are read elsewhere.
        if matches!(column.role, Some(Role::QuasiSensitive | Role::Set))
            && section.entry("insensitive").is_none()
        {
            continue;
        }
        for key in OWN_KEYS {
            let Some(entry) = section.entry(key) else { continue };
            if column.role != Some(Role::Sensitive) {
                return Err(entry
                    .error(format!("column '{}' has '{key}', but is not sensitive", column.name))
                    .help("remove it, or set role = \"sensitive\""));
            }
        }
        if let Some(entry) = section.entry("separator") {
            column.separator = Some(character_of(&entry)?);
            if column.hierarchy.is_some() {
                return Err(entry
                    .error(format!("column '{}' has both a separator and a hierarchy", column.name))
                    .help("a column with several values becomes one of zeros and ones per value: remove 'hierarchy'"));
            }
        }
        if let Some(entry) = section.entry("insensitive") {
            column.insensitive = entry.texts()?;
        }
    }
    Ok(())
}

impl Policy {
    /// Refuses sets and insensitive values where the method has no use for them.
    pub(super) fn check_sets(&self, root: &Section<'_>, method: &Clause) -> Result<()> {
        if method.declaration.publishes == ReleaseKind::Projections {
            return Ok(());
        }
        let columns = root.entry("columns").and_then(|entry| entry.section().ok());
        let sections = columns.iter().flat_map(Section::entries);
        let other_sets = |section: &Section<'_>| {
            let role = section.entry("role").and_then(|entry| entry.text().ok().map(str::to_string));
            [Role::QuasiSensitive, Role::Set].iter().any(|own| role.as_deref() == Some(own.name()))
        };
        let sections = sections.filter_map(|(_, entry)| entry.section().ok());
        // These judge a set value by value, and publish it as one cell.
        let takes_sets = ["mondrian", "full-domain"].contains(&method.name());
        let refused = OWN_KEYS.iter().filter(|key| !takes_sets || **key != "separator");
        for section in sections.filter(|section| !other_sets(section)) {
            if let Some((key, entry)) = refused.clone().find_map(|key| Some((key, section.entry(key)?))) {
                let others = if *key == "separator" { "\"mondrian\", \"full-domain\" or " } else { "" };
                return Err(entry
                    .error(format!("'{key}' has no meaning for method \"{}\"", method.name()))
                    .help(format!("remove it, or set name = {others}\"codip-star\" in [method]")));
            }
        }
        Ok(())
    }

    /// A requirement about a sensitive column that names none is one for each; returns them with the position of the table
    /// of `[privacy]` that each comes from.
    pub(super) fn for_every_column(
        &self,
        written: Vec<Clause>,
        columns: &[PolicyColumn],
    ) -> Result<(Vec<usize>, Vec<Clause>)> {
        let (mut places, mut clauses) = (Vec::new(), Vec::new());
        for (place, mut clause) in written.into_iter().enumerate() {
            let wrong = |message: &str, help: &str| {
                let message = format!("[privacy.{}] {message}", clause.name());
                Err(self.at_requirement(place, Error::input(message).help(help)))
            };
            let distances = clause.settings.choices("columns").cloned();
            let is_about_one = clause.declaration.keys.iter().all(|key| key.name != "column" || key.required);
            if is_about_one || clause.settings.column("column").is_some() {
                if distances.is_some() {
                    return wrong("has both 'column' and 'columns'", "remove one of them");
                }
                places.push(place);
                clauses.push(clause);
                continue;
            }
            let mut sensitive =
                columns.iter().filter(|column| column.role == Some(Role::Sensitive)).peekable();
            let only_sizes = clause.name() == "lkc-privacy"
                && clause.settings.get("C") == Some(&Setting::Exact(Exact::ONE));
            if sensitive.peek().is_none() && only_sizes && distances.is_none() {
                places.push(place);
                clauses.push(clause);
                continue;
            }
            if sensitive.peek().is_none() {
                return wrong(
                    "names no column, and no column is sensitive",
                    "set role = \"sensitive\" for the columns that nobody may learn",
                );
            }
            clause.unset("columns");
            for column in sensitive {
                let mut own = clause.clone();
                own.set("column", Setting::Column(column.index));
                if let Some(distance) = distances.as_ref().and_then(|own| own.get(&column.index)) {
                    own.set("distance", Setting::Choice(distance));
                }
                places.push(place);
                clauses.push(own);
            }
        }
        Ok((places, clauses))
    }
}
