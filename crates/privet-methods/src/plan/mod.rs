//! Plans: what a method decided, apart from the data that it decided about.
//!
//! A plan is a typed value that survives a round trip through JSON (`steward/plan.json`). If what it does to a record
//! follows from the record alone, it can be applied to later records: see [`crate::apply_plan`],
//! [`crate::codip::apply_plan`] and [`crate::kl::apply_plan`]. For that it holds the hierarchies it was made with.

mod applied;
mod fit;
mod named;
mod tree;
mod whole;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

pub use applied::AppliedColumn;
pub(crate) use fit::{check_columns, check_items, no_leaf};
pub use named::Named;
pub use tree::PlannedTree;

use privet_core::{Error, Result};
use privet_engine::microdata::Microdata;
use privet_taxonomy::Taxonomy;

/// What a method decided.
///
/// ```
/// use privet_methods::plan::Plan;
/// let plan = r#"{
///     "rule": "levels", "levels": { "sex": 1 }, "highest": { "sex": 1 }, "cells": { "sex": ["*"] },
///     "columns": [{ "name": "sex", "hierarchy": { "*": null, "f": "*", "m": "*" } }]
/// }"#;
/// let plan = Plan::parse(plan)?;
/// assert_eq!(plan.level("sex"), Some(1));
/// assert_eq!(plan.outline()["levels"]["sex"], 1);
/// # Ok::<(), privet_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
pub enum Plan {
    /// One level per column.
    Levels(LevelPlan),
    /// One cut per column.
    Cuts(CutPlan),
    /// Boxes of values.
    Boxes(BoxPlan),
    /// Several tables, each with a level per column.
    Projections(TablesPlan),
    /// One cut for items.
    ItemCut(ItemCutPlan),
    /// Items that are left out.
    ItemsLeftOut(LeftOutPlan),
    /// Transactions recoded part by part.
    ItemParts(PartPlan),
    /// Records in groups.
    Groups(PlanSummary),
    /// People in clusters.
    Clusters(PlanSummary),
}

/// A column that is generalised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedColumn {
    /// Its name.
    pub name: String,
    /// Its hierarchy when the plan was made.
    pub hierarchy: PlannedTree,
}

/// A level for every column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LevelPlan {
    /// The level of each column.
    pub levels: Named<u8>,
    /// The highest level of each column.
    pub highest: Named<u8>,
    /// How many plans it was drawn from, if it was drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn_from: Option<usize>,
    /// The nodes at these levels.
    #[serde(default)]
    pub cells: Named<Vec<String>>,
    /// The columns.
    pub columns: Vec<PlannedColumn>,
}

/// A cut of every column's hierarchy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CutPlan {
    /// The published labels of each column.
    pub cuts: Named<Vec<String>>,
    /// What happens to classes that violate the requirement, if the method suppresses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppression: Option<String>,
    /// The best cuts, if several were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub top: Vec<PricedCut>,
    /// How many plans it was drawn from, if it was drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn_from: Option<usize>,
    /// The columns.
    pub columns: Vec<PlannedColumn>,
}

/// A cut with its cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PricedCut {
    /// The cost.
    pub cost: f64,
    /// The published labels of each column.
    pub cuts: Named<Vec<String>>,
}

/// Boxes of values, each published as one class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoxPlan {
    /// The number of parts of the table.
    pub parts: usize,
    /// The published cells of each class.
    pub classes: Vec<Named<String>>,
    /// What became of quasi-sensitive terms, if the method treats them.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<TermRemovals>,
    /// The boxes; none if records with the same values may be in different classes, or boxes overlap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boxes: Option<Vec<PlannedBox>>,
    /// The columns.
    pub columns: Vec<PlannedColumn>,
}

/// The records that form a class: their values lie in one extent per column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedBox {
    /// The class, by position.
    pub class: usize,
    /// One extent for each column.
    pub extents: Vec<BoxExtent>,
}

/// The values of one column in a box.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum BoxExtent {
    /// All values below a node.
    Node(String),
    /// These values.
    Values(Vec<String>),
    /// Numbers, both ends included. Without `from`, also missing values; without `to`, nothing but missing values.
    Numbers {
        /// The least number.
        from: Option<f64>,
        /// The greatest number.
        to: Option<f64>,
    },
}

/// How quasi-sensitive terms were removed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TermRemovals {
    /// The number of groups, by what became of them.
    pub groups: Named<u64>,
    /// The removed terms, most frequent first.
    pub removed: Vec<RemovedTerm>,
}

/// A term that was removed from records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedTerm {
    /// The term.
    pub term: String,
    /// How often it was removed.
    pub count: u64,
}

/// Several tables about the same people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TablesPlan {
    /// The tables.
    pub projections: Vec<PlannedTable>,
    /// Γα.
    pub gamma_alpha: f64,
    /// Γβ.
    pub gamma_beta: f64,
    /// What the plan gains over one table.
    pub improvement: PlannedGain,
    /// The least number of plans that a table was drawn from, if tables were drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn_from: Option<usize>,
    /// The columns.
    pub columns: Vec<PlannedColumn>,
}

/// One of several tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedTable {
    /// The file.
    pub file: String,
    /// The sensitive attributes.
    pub sensitive: Vec<String>,
    /// The level of each quasi-identifier.
    pub levels: Named<u8>,
    /// The largest distance of a class from the whole table.
    pub closeness: f64,
    /// The number of classes.
    pub classes: u64,
    /// The discernibility.
    #[serde(rename = "DM")]
    pub dm: f64,
    /// The nodes at these levels.
    #[serde(default)]
    pub cells: Named<Vec<String>>,
}

/// What several tables gain over one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedGain {
    /// 1 − t′/t.
    pub closeness: Option<f64>,
    /// The least t of one table.
    pub closeness_one_table: Option<f64>,
    /// The least t of the plan.
    pub closeness_plan: Option<f64>,
    /// 1 − Γβ.
    pub join_threat: f64,
    /// Γα.
    pub association_loss: f64,
}

/// A cut of the items' hierarchy.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ItemCutPlan {
    /// The labels of the cut.
    pub cut: Vec<String>,
    /// Those of them that are suppressed everywhere; the others are published.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressed: Vec<String>,
    /// The hierarchy when the plan was made.
    pub items: PlannedTree,
}

/// Items that are left out everywhere.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LeftOutPlan {
    /// These items.
    pub suppressed: Vec<String>,
    /// The hierarchy when the plan was made.
    pub items: PlannedTree,
}

/// Transactions that were recoded part by part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartPlan {
    /// The number of parts.
    pub parts: usize,
    /// The number of different published transactions.
    pub sets: usize,
}

/// Figures about a plan that cannot be applied again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlanSummary(pub serde_json::Map<String, Json>);

impl From<Json> for PlanSummary {
    fn from(figures: Json) -> PlanSummary {
        match figures {
            Json::Object(figures) => PlanSummary(figures),
            _ => PlanSummary::default(),
        }
    }
}

impl Plan {
    /// Reads the text of a `plan.json`. Parts that contradict each other are an error.
    pub fn parse(text: &str) -> Result<Plan> {
        let plan: Plan = serde_json::from_str(text).map_err(|error| {
            let wrong = if error.is_eof() { "not a plan: the file is not complete" } else { "not a plan" };
            let wrong = Error::input(wrong).help("name a release directory, or the steward/plan.json in one");
            if error.line() > 0 { wrong.at_line(error.line() as u64) } else { wrong }
        })?;
        plan.check_whole()?;
        Ok(plan)
    }

    /// What a manifest repeats: all but the hierarchies and what only another application needs.
    pub fn outline(&self) -> Json {
        let mut outline = serde_json::to_value(self).unwrap_or_default();
        let tables = outline.get_mut("projections").and_then(Json::as_array_mut);
        for table in tables.into_iter().flatten().filter_map(Json::as_object_mut) {
            table.shift_remove("cells");
        }
        if let Some(outline) = outline.as_object_mut() {
            for bulky in ["rule", "columns", "cells", "boxes", "items"] {
                outline.shift_remove(bulky);
            }
        }
        outline
    }

    /// The level of a column, if columns have levels.
    pub fn level(&self, column: &str) -> Option<u8> {
        match self {
            Plan::Levels(plan) => plan.levels.get(column).copied(),
            _ => None,
        }
    }

    /// How many plans it was drawn from, if it was drawn.
    pub fn drawn_from(&self) -> Option<usize> {
        match self {
            Plan::Levels(plan) => plan.drawn_from,
            Plan::Cuts(plan) => plan.drawn_from,
            Plan::Projections(plan) => plan.drawn_from,
            _ => None,
        }
    }

    /// An error if what the plan does to a record does not follow from the record alone.
    pub fn check_reusable(&self) -> Result<()> {
        let why = match self {
            Plan::Levels(_)
            | Plan::Cuts(_)
            | Plan::Projections(_)
            | Plan::ItemCut(_)
            | Plan::ItemsLeftOut(_)
            | Plan::Boxes(BoxPlan { boxes: Some(_), terms: None, .. }) => return Ok(()),
            Plan::Boxes(BoxPlan { terms: Some(_), .. }) => {
                "which terms a record loses depends on the other records of its class"
            }
            Plan::Boxes(_) => {
                "with partitioning = \"relaxed\" or refine = true, which class a record belongs to depends on other records"
            }
            Plan::ItemParts(_) => {
                "how method \"lg\" publishes a transaction depends on the other transactions of its part"
            }
            Plan::Groups(_) => "which group a record belongs to depends on the other records of the group",
            Plan::Clusters(_) => {
                "how a person's words are published depends on the other people of the cluster"
            }
        };
        Err(Error::input(format!("this plan cannot be applied to other data: {why}"))
            .help("make a release of the new data with `privet anonymize`"))
    }
}

/// The columns of a table with their hierarchies.
pub(crate) fn columns(microdata: &Microdata) -> Vec<PlannedColumn> {
    let column = |quasi: &privet_engine::microdata::QuasiIdentifier| PlannedColumn {
        name: quasi.name.clone(),
        hierarchy: PlannedTree::of(&quasi.taxonomy),
    };
    microdata.quasi.iter().map(column).collect()
}

/// The nodes of each column at some levels.
pub(crate) fn cells_at(microdata: &Microdata, levels: &[u8]) -> Named<Vec<String>> {
    let labels = |taxonomy: &Taxonomy, level: u8| {
        let nodes = taxonomy.level(usize::from(level));
        nodes.into_iter().map(|node| taxonomy.label(node).to_string()).collect()
    };
    let columns = microdata.quasi.iter().zip(levels);
    columns.map(|(quasi, level)| (quasi.name.clone(), labels(&quasi.taxonomy, *level))).collect()
}
