//! Everything a report can say about several tables with disjoint sensitive attributes, as data.
//!
//! As with tables, the model is filed as JSON in `steward/`; what the public may see of it is decided when it is rendered.

mod account;
mod protection;

use serde::{Deserialize, Serialize};

pub(crate) use account::{Facts, account};
pub(super) use protection::protections;

use super::model::{Audit, Loss, Method, Records, Reproduce, Requirement, Search};
use super::notion::Notion;
use crate::attack::Finding;

/// The kind by which this model is told from the others in `report.json`.
pub(super) const KIND: &str = "projections";

/// All that both editions of the report draw from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectionReport {
    /// What the release is about, as the steward calls it. Steward only: it usually is the data file's name.
    pub title: String,
    /// The file the release was made from. Steward only.
    pub data_name: String,
    /// The version of Privet that made the release.
    pub privet: String,
    /// `projections`: it tells this model from the others.
    pub kind: String,
    /// How the release was made.
    pub method: Method,
    /// What the policy asked for, requirements on several attributes put together.
    pub requirements: Vec<Requirement>,
    /// The same, one by one.
    pub notions: Vec<Notion>,
    /// What may be lost and what exposed.
    pub limits: PlanLimits,
    /// The policy as written. Steward only.
    pub policy: String,
    /// The secret that every random choice derives from. Steward only.
    pub seed: Option<u64>,
    /// What the steward should know before the release leaves the house. Steward only.
    pub warnings: Vec<String>,
    /// What became of the records.
    pub records: Records,
    /// The quasi-identifiers, which are in every table.
    pub quasi: Vec<String>,
    /// The sensitive attributes, in the order of their names.
    pub attributes: Vec<String>,
    /// The mutual information of every two attributes, as a square matrix, in nats. Steward only.
    pub information: Vec<f64>,
    /// The tables.
    pub tables: Vec<TableRow>,
    /// The share of association that is lost.
    pub gamma_alpha: f64,
    /// The share of information that is exposed.
    pub gamma_beta: f64,
    /// The least t that one table with all attributes could meet. Steward only.
    pub closeness_one_table: Option<f64>,
    /// The least t that the tables of the plan could meet. Steward only.
    pub closeness_plan: Option<f64>,
    /// Loss and exposure from a table per attribute to one table, as they are merged. Steward only.
    pub curve: Vec<CurvePoint>,
    /// What was lost.
    pub losses: Vec<Loss>,
    /// How the plan was found. Steward only.
    pub search: Option<Search>,
    /// What attacks on the release found. Steward only.
    pub attacks: Vec<Finding>,
    /// What the independent audit found.
    pub audit: Audit,
    /// How to get the same bytes again.
    pub reproduce: Reproduce,
}

/// The limits on plans, as the policy writes them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanLimits {
    /// The largest share of association that may be lost.
    pub alpha: f64,
    /// The largest share of information that may be exposed.
    pub beta: f64,
    /// The clause in words. Printed in both editions.
    pub description: String,
}

/// A published table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableRow {
    /// Its file.
    pub file: String,
    /// Its sensitive attributes, by position.
    pub attributes: Vec<usize>,
    /// The level of every quasi-identifier, and the highest there is.
    pub levels: Vec<(u64, u64)>,
    /// How many classes it has.
    pub classes: u64,
    /// How far the worst class is from the whole table. Steward only.
    pub closeness: f64,
    /// Its discernibility. Steward only.
    pub dm: f64,
}

/// Loss and exposure of a plan with so many tables.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The number of tables.
    pub tables: u64,
    /// Γα.
    pub alpha: f64,
    /// Γβ.
    pub beta: f64,
}
