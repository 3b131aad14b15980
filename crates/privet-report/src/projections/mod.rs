//! Everything a report can say about several tables with disjoint sensitive attributes, as data.
//!
//! As with tables, the model is filed as JSON in `steward/`; what the public may see of it is decided when it is rendered.

mod protection;

use serde::{Deserialize, Serialize};

pub use protection::protections;

use super::common::Common;
use super::gate::Original;
use super::model::Requirement;
use super::notion::Notion;

/// All that both editions of the report draw from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectionReport {
    /// What all reports have in common.
    #[serde(flatten)]
    pub common: Common,
    /// What the policy asked for, requirements on several attributes put together.
    pub requirements: Vec<Requirement>,
    /// The same, one by one.
    pub notions: Vec<Notion>,
    /// What may be lost and what exposed.
    pub limits: PlanLimits,
    /// The quasi-identifiers, which are in every table.
    pub quasi: Vec<String>,
    /// The sensitive attributes, in the order of their names.
    pub attributes: Vec<String>,
    /// The mutual information of every two attributes, as a square matrix, in nats. Steward only.
    pub information: Original<Vec<f64>>,
    /// The tables.
    pub tables: Vec<ProjectedTable>,
    /// The share of association that is lost.
    pub gamma_alpha: Original<f64>,
    /// The share of information that is exposed.
    pub gamma_beta: Original<f64>,
    /// The least t that one table with all attributes could meet. Steward only.
    pub closeness_one_table: Original<Option<f64>>,
    /// The least t that the tables of the plan could meet. Steward only.
    pub closeness_plan: Original<Option<f64>>,
    /// Loss and exposure from a table per attribute to one table, as they are merged. Steward only.
    pub curve: Original<Vec<CurvePoint>>,
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
pub struct ProjectedTable {
    /// Its file.
    pub file: String,
    /// Its sensitive attributes, by position.
    pub attributes: Vec<usize>,
    /// The level of every quasi-identifier, and the highest there is.
    pub levels: Vec<(u64, u64)>,
    /// How many classes it has.
    pub classes: u64,
    /// How far the worst class is from the whole table. Steward only.
    pub closeness: Original<f64>,
    /// Its discernibility. Steward only.
    pub dm: Original<f64>,
}

/// Loss and exposure of a plan with this many tables.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The number of tables.
    pub tables: u64,
    /// Γα.
    pub alpha: f64,
    /// Γβ.
    pub beta: f64,
}
