//! FF-anonymity (Wang, Xu, Fu and Wong, *FF-anonymity: when quasi-identifiers are missing*, ICDE 2009): no value that
//! must stay hidden follows from values that can be seen, whatever columns and levels they are from.
//!
//! A table shows a *cut* of each attribute's taxonomy; `Cut+` is the cut with all its ancestors. Every node has a
//! *sensitivity* s from 0 to 1 and is *observable* or not ([`Model`]). An *attack* X → a takes at most one observable node
//! of the `Cut+` of each attribute but a's, and a node a of its own attribute's `Cut+` that is not observable. Its *threat*
//! is P(a|X)·s(a), with P(a|X) = sup(Xa)/sup(X) and sup counting the records at or below all nodes of a set. It is a
//! *breach* if the threat exceeds the threshold; a table without breaches is FF-anonymous (Definitions 3.1 to 3.5).
//!
//! Because a may be more general than the table's values, breaches are monotone: making a table more general never adds
//! one (Corollary 3.1).
//!
//! # Which X are enough
//!
//! Call an observable node of `Cut+` *needed* if it is in the cut or one of its children is not observable. A node that is
//! not needed is the disjoint union of observable children; so P(a|X) is a weighted mean of the values with the children in
//! its place, and one of them is at least as large. Repeating this, the worst X is found among those made of needed nodes
//! alone, one per attribute. A record has one or two of them per attribute as a rule, so that it takes part in few
//! combinations ([`watch`]).
//!
//! # What is new when a value is specialised
//!
//! When v of attribute B is replaced by its children, only X that hold a child of v, and attacks on a child of v, can be
//! new: every other X → a was an attack before, with the same counts. So a table that is known to be free of breaches stays
//! so if these are none ([`Classes::can_open`]).

mod classes;
mod model;
#[cfg(test)]
pub(crate) mod tests;
pub mod watch;

pub use classes::{Classes, Records};
pub use model::{Attribute, Bar, Model, Share};

use std::sync::Arc;

use privet_core::{Error, Exact, Result};
use privet_policy::requirement::FfAnonymity;
use privet_policy::{CheckedPolicy, Requirement};
use privet_taxonomy::Taxonomy;

/// The thresholds of a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// Values this observable can be seen.
    pub observable: Exact,
    /// Threats above this are breaches.
    pub threat: Exact,
}

impl Thresholds {
    /// What a requirement asks for.
    pub fn of(asked: &FfAnonymity) -> Thresholds {
        let FfAnonymity { observable, threat } = *asked;
        Thresholds { observable, threat }
    }
}

/// The model of a policy's mixed columns, each by its position in the data and with its taxonomy.
pub fn model(
    policy: &CheckedPolicy,
    columns: impl IntoIterator<Item = (usize, Arc<Taxonomy>)>,
) -> Result<Model> {
    let asked = policy.requirements.iter().find_map(|asked| match asked {
        Requirement::FfAnonymity(asked) => Some(asked),
        _ => None,
    });
    let thresholds = Thresholds::of(asked.ok_or_else(|| {
        Error::input("the policy does not ask for ff-anonymity, so nothing says what can be seen")
            .in_file(policy.written.path())
            .help("say so: [privacy.ff-anonymity] threat = 0.5, and which columns are mixed")
    })?);
    let attribute = |(index, taxonomy): (usize, Arc<Taxonomy>)| {
        let column = policy.columns.get(index);
        let mixed = column.and_then(|column| Some((&column.name, column.mixed.as_ref()?)));
        let (name, mixed) = mixed.ok_or_else(|| Error::internal("a column under attack is not mixed"))?;
        Ok(Attribute::new(name, taxonomy, mixed, &thresholds))
    };
    Ok(Model::new(columns.into_iter().map(attribute).collect::<Result<_>>()?))
}

/// What the publisher should know about a requirement that can run as it is.
pub(super) fn warnings(policy: &CheckedPolicy) -> Result<Vec<String>> {
    let mut mixed = policy.columns.iter().filter_map(|column| column.mixed.as_ref());
    if !mixed.any(|column| column.is_guarded()) {
        return Ok(vec![
            "no column guards any value, so there is nothing to protect: the release shows every record as it is. \
             Name what must stay hidden, as in [columns.disease.sensitivity] guard = [\"AIDS\"]"
                .to_string(),
        ]);
    }
    let trees = policy.generalised().filter_map(|column| Some((column.index, column.hierarchy.clone()?)));
    if !model(policy, trees)?.endangered().is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![
        "values are guarded, but none of them can be breached, so the release shows every record as it is: either all can be \
         observed, or none is more sensitive than the threshold on threats. Lower 'threat', or raise 'observable' or \
         lower what [columns.….observability] says of them"
            .to_string(),
    ])
}
