//! `[data] person`: the column that tells people apart, where one person may have several records.
//!
//! Requirements then count people. Distinct people do not add up over combinations of values, so a method has to keep
//! track of who they are; one that cannot is refused here, before anything is read.

use super::check::{DataKind, PolicyColumn, Role};
use super::file::{Entry, Section};
use crate::method::{Method, Partitioning};
use privet_core::Error;
use privet_core::Result;
use privet_core::suggestion;

/// The column that `person` names, by position; refuses what cannot count people.
pub(super) fn check(data: &Section<'_>, columns: &[PolicyColumn], method: &Method) -> Result<Option<usize>> {
    let Some(entry) = data.entry("person") else { return Ok(None) };
    let name = entry.text()?;
    let Some(column) = columns.iter().find(|column| column.name == name) else {
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        return Err(entry
            .error(format!("'data.person' names '{name}', which is not a column of the data"))
            .help(suggestion(name, &names, "the data's columns")));
    };
    if let Some(role) = column.role.filter(|role| *role != Role::Identifier) {
        return Err(entry
            .error(format!(
                "'data.person' names '{name}', whose role is '{role}': what tells people apart is never published"
            ))
            .help(format!("give [columns.{name}] role = \"identifier\", or leave it out of [columns]")));
    }
    let partitioning = match method {
        Method::FullDomain(_) => Partitioning::Strict,
        Method::Mondrian(own) => own.partitioning,
        Method::LPlusOptimize(_)
        | Method::SimulatedAnnealing(_)
        | Method::Injector(_)
        | Method::Anatomy(_)
        | Method::CodipStar(_)
        | Method::Codip(_)
        | Method::Ff(_)
        | Method::FfOptimal(_)
        | Method::QuasiSensitive(_) => return Err(entry
            .error(format!(
                "method \"{}\" counts records and cannot count people: one person may have records in several of its \
                 classes, and distinct people do not add up",
                method.name()
            ))
            .help(
                "choose method \"full-domain\" or \"mondrian\"; or bring one record per person and leave out 'person'",
            )),
    };
    if partitioning == Partitioning::Relaxed {
        return Err(entry
            .error(
                "partitioning = \"relaxed\" parts records that are alike by chance, so that nobody can say how many \
                 people a class has before it is written",
            )
            .help("set partitioning = \"strict\" in [method], which is the default"));
    }
    Ok(Some(column.index))
}

/// The error for data that has no records in a table.
pub(super) fn for_tables(entry: &Entry<'_>, kind: DataKind) -> Error {
    let (why, help) = match kind {
        DataKind::QueryLog | DataKind::Vocabularies => (
            "users are counted already, by the column 'user'",
            "remove 'person', and name the column that tells people apart as 'user' in 'columns'",
        ),
        _ => (
            "its methods count transactions, and distinct people do not add up over them",
            "bring one transaction per person: with form = \"long\", name the column that tells people apart as 'id'",
        ),
    };
    entry.error(format!("'person' has no meaning for kind = \"{}\": {why}", kind.name())).help(help)
}
