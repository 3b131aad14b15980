//! What other notions would have given: k-anonymous and l-diverse versions of a table with mixed columns. Each column is
//! either a quasi-identifier or sensitive there, as a whole; that is what freeform attacks get around.

use super::Attacked;
use privet_core::clock::Clock;
use privet_core::{Error, Exact, Result};
use privet_engine::microdata::Microdata;
use privet_engine::privacy::freeform::model;
use privet_methods::run;
use privet_policy::method::TABLES;
use privet_policy::requirement::{Diversity, KAnonymity, LDiversity};
use privet_policy::{CheckedPolicy, Method, MixedColumn, PolicyColumn, Requirement, Role};

/// The k of the k-anonymous version.
const K: u64 = 5;
/// The l of the l-diverse versions.
const L: u64 = 2;
/// What makes them: of the methods for classes the one that keeps most detail.
const METHOD: &str = "mondrian";

/// A version that another notion would have given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// k-anonymous, with every column a quasi-identifier.
    Anonymous(u64),
    /// Frequency l-diverse, with the column at this position of the data as the sensitive one.
    Diverse(usize, u64),
}

/// A k-anonymous version, and an l-diverse one for every guarded column. A version that there is none of is left out.
pub(super) fn versions(policy: &CheckedPolicy, clock: &Clock) -> Result<Vec<(String, Attacked)>> {
    let mut asked = vec![(format!("a {K}-anonymous version"), Version::Anonymous(K))];
    let is_guarded = |column: &&PolicyColumn| column.mixed.as_ref().is_some_and(MixedColumn::is_guarded);
    for column in policy.columns.iter().filter(is_guarded) {
        let name = format!("a {L}-diverse version with {} as the sensitive column", column.name);
        asked.push((name, Version::Diverse(column.index, L)));
    }
    let mut versions = Vec::new();
    for (name, asked) in asked {
        if let Some(table) = version(policy, asked, METHOD, clock)? {
            versions.push((name, table));
        }
    }
    Ok(versions)
}

/// The version that a method of classes makes, such as `mondrian` or `full-domain`, if there is one.
pub fn version(
    policy: &CheckedPolicy,
    asked: Version,
    method: &str,
    clock: &Clock,
) -> Result<Option<Attacked>> {
    let sensitive = match asked {
        Version::Anonymous(_) => None,
        Version::Diverse(column, _) => Some(column),
    };
    let lost = || Error::internal("the catalogue lost a requirement or a method");
    let mut other = policy.clone();
    for column in other.columns.iter_mut().filter(|column| column.role == Some(Role::Mixed)) {
        let role = if Some(column.index) == sensitive { Role::Sensitive } else { Role::QuasiIdentifier };
        column.role = Some(role);
    }
    other.requirements = vec![match asked {
        Version::Diverse(column, l) => {
            Requirement::LDiversity(LDiversity { column, diversity: Diversity::Frequency(Exact::whole(l)) })
        }
        Version::Anonymous(k) => Requirement::KAnonymity(KAnonymity { k }),
    }];
    other.method = Method::with_defaults(TABLES.method(method).ok_or_else(lost)?)?;
    if other.generalised().next().is_none() {
        return Ok(None);
    }
    let microdata = Microdata::read(&other, &mut |_| clock.check())?;
    let solution = match run(&other, &microdata, clock) {
        Ok(solution) => solution,
        Err(error) if error.kind() == privet_core::ErrorKind::Infeasible => return Ok(None),
        Err(error) => return Err(error),
    };
    let taxonomies =
        policy.generalised().filter_map(|column| Some((column.index, column.hierarchy.clone()?)));
    let taxonomies: Vec<_> = taxonomies.collect();
    let mut rows = Vec::new();
    for record in 0..microdata.summary.len() {
        let codes = microdata.summary.record(record);
        for (class, count) in solution.recoding.destinations(record, microdata.summary.count(record)) {
            let cells = solution.recoding.cells(class as usize);
            let node = |index: usize| {
                if let Some(at) = microdata.quasi.iter().position(|quasi| quasi.index == index) {
                    return Ok(solution.recoding.columns[at].cells[cells[at] as usize]
                        .node
                        .map_or(0, |node| node.0));
                }
                let at = microdata
                    .table
                    .tracked
                    .iter()
                    .position(|column| column.index == index)
                    .ok_or_else(lost)?;
                let value = &microdata.table.tracked[at].values[codes[microdata.quasi.len() + at] as usize];
                let taxonomy =
                    taxonomies.iter().find(|(other, _)| *other == index).map(|(_, taxonomy)| taxonomy);
                Ok(taxonomy.ok_or_else(lost)?.leaf_of(value)?.map_or(0, |leaf| leaf.0))
            };
            let nodes = taxonomies.iter().map(|(index, _)| node(*index)).collect::<Result<Vec<u32>>>()?;
            rows.push((nodes, count));
        }
    }
    Ok(Some(Attacked::new(model(policy, taxonomies)?, rows.into_iter())))
}
