//! Whether a plan is whole: its parts agree with each other, so that it says once how each value is published.

use std::collections::HashSet;

use super::{BoxExtent, BoxPlan, LevelPlan, Named, Plan, PlannedColumn, PlannedTree, TablesPlan};
use privet_core::{Error, Result};

impl Plan {
    /// An error if parts of the plan are missing or contradict each other. Anyone who edits a plan must not get a release, or a
    /// list of cells, that another part of the plan denies.
    pub(super) fn check_whole(&self) -> Result<()> {
        let columns = match self {
            Plan::Levels(LevelPlan { columns, .. })
            | Plan::Projections(TablesPlan { columns, .. })
            | Plan::Boxes(BoxPlan { columns, .. }) => columns.as_slice(),
            Plan::Cuts(plan) => &plan.columns,
            Plan::ItemCut(_) | Plan::ItemsLeftOut(_) => &[],
            Plan::ItemParts(_) | Plan::Groups(_) | Plan::Clusters(_) => return Ok(()),
        };
        let mut names = HashSet::new();
        for column in columns {
            if !names.insert(column.name.as_str()) {
                return Err(damaged(format!("it has column '{}' twice", column.name)));
            }
            column.hierarchy.check(&column.of())?;
        }
        match self {
            Plan::Levels(plan) => columns
                .iter()
                .try_for_each(|column| column.at_level(&plan.levels, Some(&plan.highest), &plan.cells)),
            Plan::Projections(plan) => plan.projections.iter().try_for_each(|table| {
                columns.iter().try_for_each(|column| column.at_level(&table.levels, None, &table.cells))
            }),
            Plan::Cuts(plan) => columns.iter().try_for_each(|column| column.cut(&plan.cuts).map(drop)),
            Plan::Boxes(plan) => plan.check_boxes(),
            Plan::ItemCut(plan) => {
                plan.items.check("of items")?;
                plan.items.check_antichain(&plan.cut, "items")
            }
            Plan::ItemsLeftOut(plan) => {
                plan.items.check("of items")?;
                let index = plan.items.index();
                match plan.suppressed.iter().find(|item| !index.is_leaf(item)) {
                    None => Ok(()),
                    Some(item) => {
                        Err(damaged(format!("it leaves out '{item}', which is not an item of its hierarchy")))
                    }
                }
            }
            Plan::ItemParts(_) | Plan::Groups(_) | Plan::Clusters(_) => Ok(()),
        }
    }
}

fn damaged(how: String) -> Error {
    Error::input(format!("the plan is damaged: {how}")).help("use the plan as Privet wrote it")
}

impl PlannedColumn {
    fn of(&self) -> String {
        format!("of column '{}'", self.name)
    }

    /// The column's cells, which must cover each leaf once.
    fn cut<'a>(&self, cuts: &'a Named<Vec<String>>) -> Result<&'a [String]> {
        let cut = cuts.get(&self.name).map(Vec::as_slice).unwrap_or_default();
        let (index, chosen): (_, HashSet<&str>) =
            (self.hierarchy.index(), cut.iter().map(String::as_str).collect());
        self.hierarchy.check_antichain(cut, &format!("column '{}'", self.name))?;
        let is_missed = |leaf: &&str| !index.path(leaf).any(|label| chosen.contains(label));
        match self.hierarchy.leaves().into_iter().find(is_missed) {
            None => Ok(cut),
            Some(leaf) => {
                Err(damaged(format!("it does not say how '{leaf}' of column '{}' is published", self.name)))
            }
        }
    }

    /// Checks that the cells are a cut, and one of the level. Which nodes a level has follows from the hierarchy's file; the plan
    /// shows this much of it: a node of level l has at most l levels below it, and at most `highest` − l above.
    fn at_level(
        &self,
        levels: &Named<u8>,
        highest: Option<&Named<u8>>,
        cells: &Named<Vec<String>>,
    ) -> Result<()> {
        let level = levels.get(&self.name).copied();
        let level = level.ok_or_else(|| damaged(format!("column '{}' has no level", self.name)))?;
        let index = self.hierarchy.index();
        let heights = index.heights();
        let above = match highest {
            None => None,
            Some(highest) => {
                let highest = highest.get(&self.name).copied();
                let above = highest.and_then(|highest| highest.checked_sub(level));
                let wrong = || damaged(format!("column '{}' has no level {level}", self.name));
                Some(usize::from(above.ok_or_else(wrong)?))
            }
        };
        let is_of_level = |cell: &&String| {
            let depth = index.path(cell).count() - 1;
            heights.get(cell.as_str()).is_some_and(|height| *height <= usize::from(level))
                && above.is_none_or(|above| depth <= above)
        };
        match self.cut(cells)?.iter().find(|cell| !is_of_level(cell)) {
            None => Ok(()),
            Some(cell) => Err(damaged(format!(
                "column '{}' is at level {level}, and '{cell}' is not of that level",
                self.name
            ))),
        }
    }
}

impl PlannedTree {
    /// Checks that each node is listed once, after its parent.
    fn check(&self, of: &str) -> Result<()> {
        let mut known = HashSet::new();
        for (label, parent) in self.nodes() {
            if parent.is_some_and(|parent| !known.contains(parent)) {
                return Err(damaged(format!("in the hierarchy {of}, '{label}' comes before its parent")));
            }
            if !known.insert(label) {
                return Err(damaged(format!("the hierarchy {of} has '{label}' twice")));
            }
        }
        Ok(())
    }

    /// Checks that labels are nodes, none of them above or equal to another.
    fn check_antichain(&self, labels: &[String], of: &str) -> Result<()> {
        let index = self.index();
        let mut chosen = HashSet::new();
        for label in labels {
            if !index.has(label) {
                return Err(damaged(format!("'{label}' is not in the hierarchy of {of}")));
            }
            if !chosen.insert(label.as_str()) {
                return Err(damaged(format!("it publishes '{label}' of {of} twice")));
            }
        }
        let is_below = |label: &&String| index.path(label).skip(1).any(|above| chosen.contains(above));
        match labels.iter().find(is_below) {
            None => Ok(()),
            Some(label) => Err(damaged(format!("it publishes '{label}' of {of} and a node above it"))),
        }
    }
}

impl BoxPlan {
    fn check_boxes(&self) -> Result<()> {
        for class in &self.classes {
            let lacking = |column: &&PlannedColumn| class.get(&column.name).is_none();
            if let Some(column) = self.columns.iter().find(lacking) {
                return Err(damaged(format!("a class has no cell for column '{}'", column.name)));
            }
        }
        let indices: Vec<_> = self.columns.iter().map(|column| column.hierarchy.index()).collect();
        let planned = self.boxes.as_deref().unwrap_or_default();
        for planned in planned {
            if planned.extents.len() != self.columns.len() || planned.class >= self.classes.len() {
                return Err(damaged("a box lacks an extent or a class".to_string()));
            }
            for ((extent, index), column) in planned.extents.iter().zip(&indices).zip(&self.columns) {
                match extent {
                    BoxExtent::Node(label) if !index.has(label) => {
                        return Err(damaged(format!(
                            "'{label}' is not in the hierarchy of column '{}'",
                            column.name
                        )));
                    }
                    BoxExtent::Numbers { from: Some(from), to: Some(to) } if from > to => {
                        return Err(damaged(format!(
                            "a box of column '{}' ends before it begins",
                            column.name
                        )));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = r#"{ "rule": "levels", "levels": { "city": 1 }, "highest": { "city": 2 },
        "cells": { "city": ["Norway", "Italy"] },
        "columns": [{ "name": "city", "hierarchy": { "*": null, "Norway": "*", "Oslo": "Norway", "Italy": "*", "Rome": "Italy" } }] }"#;

    #[test]
    fn parts_of_a_plan_that_contradict_each_other_are_damage() {
        Plan::parse(PLAN).expect("a plan");
        for (old, new, message) in [
            ("\"levels\": { \"city\": 1 }", "\"levels\": { \"city\": 0 }", "'Norway' is not of that level"),
            ("\"levels\": { \"city\": 1 }", "\"levels\": { \"city\": 2 }", "'Norway' is not of that level"),
            ("\"levels\": { \"city\": 1 }", "\"levels\": { \"city\": 3 }", "no level 3"),
            ("\"levels\": { \"city\": 1 }", "\"levels\": {}", "column 'city' has no level"),
            ("[\"Norway\", \"Italy\"]", "[\"Norway\"]", "how 'Rome' of column 'city' is published"),
            (
                "[\"Norway\", \"Italy\"]",
                "[\"Norway\", \"Italy\", \"Rome\"]",
                "'Rome' of column 'city' and a node",
            ),
            ("[\"Norway\", \"Italy\"]", "[\"Norway\", \"Spain\"]", "'Spain' is not in the hierarchy"),
            ("\"Norway\": \"*\"", "\"Norway\": \"Oslo\"", "'Norway' comes before its parent"),
            ("\"Italy\": \"*\"", "\"Norway\": \"*\"", "has 'Norway' twice"),
        ] {
            assert!(PLAN.contains(old));
            let error = Plan::parse(&PLAN.replace(old, new)).expect_err(message);
            assert!(error.message().contains(message), "{error}");
        }
    }

    #[test]
    fn what_is_not_a_plan_is_refused_in_plain_words() {
        for (text, message) in [
            ("", "the file is not complete"),
            (&PLAN[..100], "the file is not complete"),
            ("{}", "not a plan"),
            ("{ \"rule\": \"magic\" }", "not a plan"),
            ("not JSON", "not a plan"),
        ] {
            let error = Plan::parse(text).expect_err(text);
            assert!(error.message().contains(message), "{error}");
            assert!(
                !error.message().contains("missing field") && !error.message().contains("EOF"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_class_without_a_cell_is_damage() {
        let plan = r#"{ "rule": "boxes", "parts": 1, "classes": [{}], "boxes": [{ "class": 0, "extents": ["*"] }],
            "columns": [{ "name": "city", "hierarchy": { "*": null, "Oslo": "*" } }] }"#;
        let error = Plan::parse(plan).expect_err("no cell");
        assert!(error.message().contains("a class has no cell for column 'city'"), "{error}");
        Plan::parse(&plan.replace("{}", "{ \"city\": \"*\" }")).expect("a plan");
    }
}
