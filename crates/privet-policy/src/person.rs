//! `[data] person`: the column that identifies people, where one person may have several records.
//!
//! Requirements then count people. Distinct people do not add up over combinations of values, so a method has to keep
//! track of who they are; one that cannot is refused here, before anything is read.

use super::check::{DataKind, PolicyColumn, Role};
use super::file::{Entry, Section};
use super::settings::Clause;
use crate::method::{Method, Partitioning};
use crate::requirement::Requirement;
use privet_core::Error;
use privet_core::Result;
use privet_core::suggestion;

/// The column that `person` names, by position; refuses what cannot count people.
pub(super) fn check(
    data: &Section<'_>,
    columns: &[PolicyColumn],
    method: &Method,
    requirements: &[Requirement],
) -> Result<Option<usize>> {
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
                "'data.person' names '{name}', whose role is '{role}': a column that identifies people is never published"
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
    if method.refines() {
        return Err(entry
            .error(
                "refine = true lets a class show a node while others show its children, so that nobody can say how many \
                 people it has from what is published",
            )
            .help("remove 'refine' from [method]"));
    }
    if let Some(column) = columns.iter().find(|column| column.separator.is_some()) {
        return Err(entry
            .error(format!(
                "the cells of '{}' hold several values, which are counted by records: nobody can say how many people hold a \
                 value if one of them has several records",
                column.name
            ))
            .help("bring one record per person and leave out 'person'"));
    }
    if let Some(reason) = requirements.iter().find_map(Requirement::why_not_people) {
        return Err(entry.error(reason).help("bring one record per person and leave out 'person'"));
    }
    Ok(Some(column.index))
}

/// What `person` names in data of transactions; refuses methods that cannot count people.
pub(super) fn for_transactions<'a>(data: &Section<'a>, method: &Clause) -> Result<Option<Entry<'a>>> {
    let Some(entry) = data.entry("person") else { return Ok(None) };
    let wrong = match method.name() {
        "lg" => (
            "method \"lg\" counts transactions and cannot count people: it deals equal transactions out to groups by their \
             number, regardless of who has them, so that one person may fill a group",
            "choose method \"og\", \"mog\", \"aa\" or \"mm\"; or bring one transaction per person and leave out 'person'",
        ),
        _ if method.settings.choice("search") == Some("enumeration") => (
            "search = \"enumeration\" counts transactions and cannot count people: it is the search of the thesis, which takes \
             every transaction for another person",
            "set search = \"conflicts\" in [method], which is the default; or bring one transaction per person and leave out \
             'person'",
        ),
        _ => return Ok(Some(entry)),
    };
    Err(entry.error(wrong.0).help(wrong.1))
}

/// The error for data whose people are known by another name.
pub(super) fn for_users(entry: &Entry<'_>, kind: DataKind) -> Error {
    entry
        .error(format!(
            "'person' has no meaning for kind = \"{}\": users are counted already, by the column 'user'",
            kind.name()
        ))
        .help("remove 'person', and name the column that identifies people as 'user' in 'columns'")
}
