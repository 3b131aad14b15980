//! `[data] person`: the column that identifies people, where one person may have several records.
//!
//! Requirements then count people. Distinct people do not add up over combinations of values, so a method has to keep
//! track of who they are; one that cannot is refused here, before anything is read.

use super::check::{DataKind, PolicyColumn, Role};
use super::file::{Entry, Policy, Section};
use super::settings::Clause;
use crate::method::{Method, Partitioning};
use crate::requirement::{CountedUnit, Requirement};
use privet_core::Error;
use privet_core::Result;
use privet_core::suggestion;

/// The column that tells people apart, by position: the one that `person` names, else the pseudonym, which shows which records
/// are one person's. Refuses what cannot count people.
pub(super) fn check(
    policy: &Policy,
    data: &Section<'_>,
    columns: &[PolicyColumn],
    method: &Method,
    requirements: &[Requirement],
) -> Result<Option<usize>> {
    let unit = requirements.iter().find_map(|requirement| match requirement {
        Requirement::KAnonymity(own) => own.unit,
        _ => None,
    });
    let households = columns
        .iter()
        .find(|column| unit == Some(CountedUnit::Household) && column.role == Some(Role::Household));
    let mut pseudonyms = columns.iter().filter(|column| column.role == Some(Role::Pseudonym));
    let (wrong, name): (Box<dyn Fn(String) -> Error>, &str) = match (
        data.entry("person"),
        households,
        pseudonyms.next(),
    ) {
        (Some(entry), Some(_), _) => {
            return Err(entry
                .error("'person' has no meaning with unit = \"household\": a household is counted once, with all its people")
                .help("remove 'person' from [data], or 'unit' from [privacy.k-anonymity]"));
        }
        (Some(entry), None, _) => {
            let name = entry.text()?;
            (Box::new(move |message| entry.error(message)), name)
        }
        (None, Some(household), Some(pseudonym)) => {
            let (household, pseudonym) = (&household.name, &pseudonym.name);
            return Err(policy
                .at_column(pseudonym, format!("unit = \"household\" counts '{household}', and pseudonyms show people"))
                .help(format!(
                    "make '{household}' the pseudonym, which counts households and shows them, or set role = \"identifier\" here"
                )));
        }
        (None, None, None) if unit == Some(CountedUnit::Person) => {
            return Err(data
                .error("[privacy.k-anonymity] unit = \"person\", but nothing tells whose a record is")
                .help("name the column that tells people apart: person = \"…\" in [data]"));
        }
        (None, None, None) => return Ok(None),
        (None, Some(column), None) => {
            let name = column.name.as_str();
            (Box::new(move |message| policy.at_column(name, message)), name)
        }
        (None, None, Some(column)) => {
            if let Some(other) = pseudonyms.next() {
                return Err(policy
                    .at_column(&other.name, format!("'{}' and '{}' are both pseudonyms", column.name, other.name))
                    .help(format!(
                        "say whose records they are: person = \"{}\" in [data]; requirements then count these people",
                        column.name
                    )));
            }
            let name = column.name.as_str();
            (Box::new(move |message| policy.at_column(name, message)), name)
        }
    };
    let is_named = data.entry("person").is_some();
    let instead = |help: &str| match is_named {
        true => format!("{help}bring one record per person and leave out 'person'"),
        false if households.is_some() => format!("{help}leave out unit = \"household\""),
        false => format!(
            "{help}set role = \"identifier\", so that no pseudonyms are published: with them, people are counted"
        ),
    };
    let Some(column) = columns.iter().find(|column| column.name == name) else {
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        return Err(wrong(format!("'data.person' names '{name}', which is not a column of the data"))
            .help(suggestion(name, &names, "the data's columns")));
    };
    let tells = |role: &Role| matches!(role, Role::Identifier | Role::Pseudonym) || households.is_some();
    if let Some(role) = column.role.filter(|role| !tells(role)) {
        return Err(wrong(format!(
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
        | Method::QuasiSensitive(_) => return Err(wrong(format!(
                "method \"{}\" counts records and cannot count people: one person may have records in several of its \
                 classes, and distinct people do not add up",
                method.name()
            ))
            .help(instead("choose method \"full-domain\" or \"mondrian\"; or "))),
    };
    if partitioning == Partitioning::Relaxed {
        return Err(wrong(
                "partitioning = \"relaxed\" parts records that are alike by chance, so that nobody can say how many \
                 people a class has before it is written".to_string(),
            )
            .help("set partitioning = \"strict\" in [method], which is the default"));
    }
    if method.refines() {
        return Err(wrong(
                "refine = true lets a class show a node while others show its children, so that nobody can say how many \
                 people it has from what is published".to_string(),
            )
            .help("remove 'refine' from [method]"));
    }
    if let Some(column) = columns.iter().find(|column| column.separator.is_some()) {
        return Err(wrong(format!(
                "the cells of '{}' hold several values, which are counted by records: nobody can say how many people hold a \
                 value if one of them has several records",
                column.name
            ))
            .help(instead("")));
    }
    if let Some(reason) = requirements.iter().find_map(Requirement::why_not_people) {
        return Err(wrong(reason.to_string()).help(instead("")));
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
