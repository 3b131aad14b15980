//! What other notions would have given: k-anonymous and l-diverse versions of a table with mixed columns. Each column is
//! either a quasi-identifier or sensitive there, as a whole; that is what freeform attacks get around.
//!
//! Attacks compare a release with these versions. They see only which nodes the versions show, not how they were made.

use std::sync::Arc;

use privet_attack::{BaselineRelease, Choice, PolicyRef, Released};
use privet_core::clock::Clock;
use privet_core::{Error, ErrorKind, Exact, Result};
use privet_engine::microdata::Microdata;
use privet_methods::recoding::Recoding;
use privet_methods::run;
use privet_policy::method::TABLES;
use privet_policy::requirement::{Diversity, KAnonymity, LDiversity};
use privet_policy::{CheckedPolicy, Method, MixedColumn, PolicyColumn, Requirement, Role};
use privet_taxonomy::NodeId;

/// The k of the k-anonymous version.
const K: u64 = 5;
/// The l of the l-diverse versions.
const L: u64 = 2;
/// What makes them: of the methods for classes the one that keeps most detail.
const METHOD: &str = "mondrian";

/// A version that another notion would have given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// k-anonymous, with every column a quasi-identifier.
    Anonymous(u64),
    /// Frequency l-diverse, with the column at this position of the data as the sensitive one.
    Diverse(usize, u64),
}

/// Distinct records with how often they occur: per mixed column the node that is shown, in the order of the policy.
pub type NodeRecords = Vec<(Vec<NodeId>, u64)>;

/// The versions that freeform attacks on a release are compared with: a k-anonymous one, and an l-diverse one for every guarded column.
/// A version that does not exist is left out. There are none where the policy does not ask to compare, where the attack is not
/// chosen, or where the original itself is attacked.
pub fn baselines(
    policy: PolicyRef<'_>,
    released: &Released,
    choice: &Choice,
    clock: &Clock,
) -> Result<Arc<[BaselineRelease]>> {
    let (PolicyRef::Table(policy), Released::Table(released)) = (policy, released) else {
        return Ok(Arc::new([]));
    };
    let is_original = released.is_same(&policy.source);
    if !policy.method.compares() || !choice.mentions("freeform") || is_original {
        return Ok(Arc::new([]));
    }
    let mut asked = vec![(format!("a {K}-anonymous version"), Baseline::Anonymous(K))];
    let is_guarded = |column: &&PolicyColumn| column.mixed.as_ref().is_some_and(MixedColumn::is_guarded);
    for column in policy.columns.iter().filter(is_guarded) {
        let name = format!("a {L}-diverse version with {} as the sensitive column", column.name);
        asked.push((name, Baseline::Diverse(column.index, L)));
    }
    let made = asked.into_iter().map(|(name, asked)| {
        let records = baseline(policy, asked, METHOD, clock)?;
        Ok(records.map(|records| BaselineRelease { name, records }))
    });
    made.filter_map(Result::transpose).collect()
}

/// The version that a method of classes makes, such as `mondrian` or `full-domain`, if there is one.
pub fn baseline(
    policy: &CheckedPolicy,
    asked: Baseline,
    method: &str,
    clock: &Clock,
) -> Result<Option<NodeRecords>> {
    let sensitive = match asked {
        Baseline::Anonymous(_) => None,
        Baseline::Diverse(column, _) => Some(column),
    };
    let lost = || Error::internal("the catalogue lost a requirement or a method");
    let mut other = policy.clone();
    for column in other.columns.iter_mut().filter(|column| column.role == Some(Role::Mixed)) {
        let role = if Some(column.index) == sensitive { Role::Sensitive } else { Role::QuasiIdentifier };
        column.role = Some(role);
    }
    other.requirements = vec![match asked {
        Baseline::Diverse(column, l) => {
            Requirement::LDiversity(LDiversity { column, diversity: Diversity::Frequency(Exact::whole(l)) })
        }
        Baseline::Anonymous(k) => Requirement::KAnonymity(KAnonymity { k, unit: None }),
    }];
    other.method = Method::with_defaults(TABLES.method(method).ok_or_else(lost)?)?;
    if other.generalised().next().is_none() {
        return Ok(None);
    }
    let microdata = Microdata::read(&other, &mut |_| clock.check())?;
    let recoding = match run(&other, &microdata, clock) {
        Ok(solution) => solution.recoding,
        Err(error) if error.kind() == ErrorKind::Infeasible => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut records = Vec::new();
    for record in 0..microdata.summary.len() {
        let codes = microdata.summary.record(record);
        for (class, count) in recoding.destinations(record, microdata.summary.count(record)) {
            let cells = recoding.cells(class as usize);
            let node = |column: &PolicyColumn| {
                let is_this = |index: usize| index == column.index;
                if let Some(at) = microdata.quasi.iter().position(|quasi| is_this(quasi.index)) {
                    return Ok(shown(&recoding, at, cells[at]));
                }
                let tracked = &microdata.table.tracked;
                let at = tracked.iter().position(|tracked| is_this(tracked.index)).ok_or_else(lost)?;
                let value = &tracked[at].values[codes[microdata.quasi.len() + at] as usize];
                let leaf = column.hierarchy.as_ref().ok_or_else(lost)?.leaf_of(value)?;
                Ok(leaf.unwrap_or(NodeId(0)))
            };
            records.push((policy.generalised().map(node).collect::<Result<_>>()?, count));
        }
    }
    Ok(Some(records))
}

/// The records of the original, as nodes.
pub fn original_records(microdata: &Microdata) -> NodeRecords {
    let record = |record: usize| {
        let codes = microdata.quasi_codes(record).iter().zip(&microdata.quasi);
        let leaves =
            codes.map(|(code, quasi)| quasi.taxonomy.leaf(quasi.leaf_of_code[*code as usize] as usize));
        (leaves.collect(), microdata.summary.count(record))
    };
    (0..microdata.summary.len()).map(record).collect()
}

/// The records of a release, as nodes.
pub fn released_records(microdata: &Microdata, recoding: &Recoding) -> NodeRecords {
    let sizes = recoding.count(microdata).sizes;
    let class = |class: usize| {
        let cells = recoding.cells(class).iter().enumerate();
        (cells.map(|(at, cell)| shown(recoding, at, *cell)).collect(), sizes[class])
    };
    (0..recoding.len()).map(class).collect()
}

/// The node that a cell of a column shows. A range of numbers has none; it then says nothing here.
fn shown(recoding: &Recoding, column: usize, cell: u32) -> NodeId {
    recoding.columns[column].cells[cell as usize].node.unwrap_or(NodeId(0))
}
