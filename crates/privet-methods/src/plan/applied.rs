//! What becomes of each value: the cells that a plan publishes for it.

use std::collections::{BTreeMap, BTreeSet};

use super::{BoxExtent, BoxPlan, Named, Plan, PlannedColumn, PlannedTree};
use privet_core::Result;

/// The published cells of the values of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedColumn {
    /// The file that shows it, if there are several.
    pub file: Option<String>,
    /// The column; `None` for items of transactions.
    pub name: Option<String>,
    /// Each value with its cells, in the order of the hierarchy: none if it is left out, several if other columns decide.
    pub cells: Vec<(String, Vec<String>)>,
}

impl Plan {
    /// What becomes of each value of each column.
    ///
    /// Values are the leaves of the plan's hierarchies. A column of numbers that was split into ranges lists the ranges.
    /// An error if the plan cannot be applied again.
    pub fn applied(&self) -> Result<Vec<AppliedColumn>> {
        self.check_reusable()?;
        let of_column = |file: Option<&String>, cuts: &Named<Vec<String>>, column: &PlannedColumn| {
            let none = Vec::new();
            let cut = cuts.get(&column.name).unwrap_or(&none);
            let (file, name) = (file.cloned(), Some(column.name.clone()));
            AppliedColumn { file, name, cells: under_cut(&column.hierarchy, cut) }
        };
        let items = |cells| vec![AppliedColumn { file: None, name: None, cells }];
        Ok(match self {
            Plan::Levels(plan) => {
                plan.columns.iter().map(|column| of_column(None, &plan.cells, column)).collect()
            }
            Plan::Cuts(plan) => {
                plan.columns.iter().map(|column| of_column(None, &plan.cuts, column)).collect()
            }
            Plan::Projections(plan) => {
                let tables = plan.projections.iter();
                let of_table = |table: &super::PlannedTable| {
                    let columns = plan.columns.iter();
                    columns
                        .map(|column| of_column(Some(&table.file), &table.cells, column))
                        .collect::<Vec<_>>()
                };
                tables.flat_map(of_table).collect()
            }
            Plan::Boxes(plan) => (0..plan.columns.len()).map(|position| in_boxes(plan, position)).collect(),
            Plan::ItemCut(plan) => {
                let mut cells = under_cut(&plan.items, &plan.cut);
                for (_, shown) in &mut cells {
                    shown.retain(|label| !plan.suppressed.contains(label));
                }
                items(cells)
            }
            Plan::ItemsLeftOut(plan) => {
                let leaves = plan.items.leaves().into_iter();
                let shown = |label: &str| plan.suppressed.iter().all(|other| other != label);
                let cell = |label: &str| {
                    let cells = if shown(label) { vec![label.to_string()] } else { Vec::new() };
                    (label.to_string(), cells)
                };
                items(leaves.map(cell).collect())
            }
            Plan::ItemParts(_) | Plan::Groups(_) | Plan::Clusters(_) => Vec::new(),
        })
    }
}

/// Each leaf with the node of a cut above it.
fn under_cut(tree: &PlannedTree, cut: &[String]) -> Vec<(String, Vec<String>)> {
    let index = tree.index();
    let cut: std::collections::HashSet<&str> = cut.iter().map(String::as_str).collect();
    let cell = |leaf: &str| index.path(leaf).find(|label| cut.contains(label)).map(str::to_string);
    tree.leaves().into_iter().map(|leaf| (leaf.to_string(), cell(leaf).into_iter().collect())).collect()
}

/// Each leaf, each value of a set or each range of numbers, with all cells that boxes show for it.
fn in_boxes(plan: &BoxPlan, position: usize) -> AppliedColumn {
    let column = &plan.columns[position];
    let index = column.hierarchy.index();
    let (mut nodes, mut ranges) = (std::collections::HashSet::new(), Vec::new());
    let mut sets: BTreeMap<&String, BTreeSet<&String>> = BTreeMap::new();
    for planned in plan.boxes.iter().flatten() {
        let cell = plan.classes.get(planned.class).and_then(|class| class.get(&column.name));
        match (planned.extents.get(position), cell) {
            (Some(BoxExtent::Node(label)), _) => {
                nodes.insert(label.as_str());
            }
            (Some(BoxExtent::Values(values)), Some(cell)) => {
                values.iter().for_each(|value| _ = sets.entry(value).or_default().insert(cell));
            }
            (Some(BoxExtent::Numbers { from, to }), Some(cell)) => ranges.push((*from, *to, cell)),
            _ => {}
        }
    }
    let mut cells: Vec<(String, Vec<String>)> = Vec::new();
    if ranges.is_empty() && sets.is_empty() {
        let shown = |leaf: &str| {
            index.path(leaf).filter(|label| nodes.contains(label)).map(str::to_string).collect::<Vec<_>>()
        };
        cells.extend(column.hierarchy.leaves().into_iter().map(|leaf| (leaf.to_string(), shown(leaf))));
    }
    let shown = |cells: BTreeSet<&String>| cells.into_iter().cloned().collect();
    cells.extend(sets.into_iter().map(|(value, cells)| (value.clone(), shown(cells))));
    ranges.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal).then(a.2.cmp(b.2)));
    ranges.dedup();
    for (from, to, cell) in ranges {
        let text = match (from, to) {
            (Some(from), Some(to)) if from == to => from.to_string(),
            (Some(from), Some(to)) => format!("{from} to {to}"),
            (None, Some(to)) => format!("missing, or up to {to}"),
            (_, None) => "missing".to_string(),
        };
        cells.push((text, vec![cell.clone()]));
    }
    AppliedColumn { file: None, name: Some(column.name.clone()), cells }
}
