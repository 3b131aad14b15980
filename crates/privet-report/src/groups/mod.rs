//! Everything a report can say about a release of records in groups, as data.
//!
//! As with tables, the model is filed as JSON in `steward/`; what the public may see of it is decided when it is rendered.

mod protection;

use serde::{Deserialize, Serialize};

pub use protection::{promise, protections};

use super::common::Common;
use super::gate::Original;

/// The name of the measure of what these releases lose: an error, and none of information.
pub const QUERY_ERROR: &str = "query-error";

/// All that both editions of the report draw from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupReport {
    /// What all reports have in common.
    #[serde(flatten)]
    pub common: Common,
    /// What the policy asked for.
    pub requirement: GroupLimit,
    /// The quasi-identifiers, which are published as they are.
    pub quasi: Vec<String>,
    /// Whether one table is published, with values shuffled within groups.
    pub permuted: bool,
    /// The groups.
    pub groups: Groups,
    /// What would be left to an attacker in Anatomy's groups. Steward only.
    pub baseline: Option<Original<Left>>,
    /// The rules that the attacker is taken to know. Steward only.
    pub rules: Original<Vec<RuleRow>>,
    /// How many rules were mined, implied ones included. Steward only.
    pub mined: Original<u64>,
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupLimit {
    /// The requirement as the policy describes it. Printed in both editions.
    pub description: String,
    /// The sensitive column.
    pub column: String,
    /// How many values must stay possible.
    pub l: u64,
    /// How many records every group must have; 1 asks nothing.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub k: u64,
    /// How far a group's values may be distributed from the whole table's, as the policy writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t: Option<String>,
    /// How sure an attacker may become of a value, as the policy writes it.
    pub max_posterior: Option<String>,
    /// Whether the attacker is taken to know rules.
    pub knowledge: bool,
}

fn one() -> u64 {
    1
}

fn is_one(k: &u64) -> bool {
    *k == 1
}

/// The groups of a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Groups {
    /// How many there are.
    pub count: u64,
    /// The fewest records of a group.
    pub smallest: u64,
    /// The most records of a group.
    pub largest: u64,
    /// What is left to an attacker.
    pub left: Original<Left>,
}

/// What is left to an attacker who knows the rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Left {
    /// How many values are possible for the record that has fewest.
    pub least_valid: u64,
    /// Records with fewer than l possible values.
    pub vulnerable: u64,
    /// The most that they can be sure of a value, as a fraction; `None` where it was not worked out.
    pub posterior: Option<String>,
    /// In how many groups it was not.
    pub not_worked_out: u64,
    /// The largest share of one value in a group.
    pub frequency: String,
    /// Records in groups where a value has more than one record in l.
    pub above_one_in_l: u64,
}

/// A rule that the attacker is taken to know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleRow {
    /// Its name.
    pub name: String,
    /// What it says, as a rules file has it.
    pub rule: String,
    /// Where it comes from: `mined`, `muted` or `stated`.
    pub origin: String,
    /// How many records it is about.
    pub support: f64,
    /// The chance that the value would have occurred among them by accident.
    pub expectation: f64,
    /// The share of them that do not have the value.
    pub confidence: f64,
}
