//! Random small tables of mixed columns.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use super::tree;
use crate::privacy::freeform::{Attribute, Model, Records, Thresholds};
use privet_core::Exact;
use privet_policy::{Belief, CheckedPolicy, MixedColumn, ObservabilityModel, Policy, SensitivityModel};
use privet_taxonomy::{NodeId, Taxonomy};

/// A mixed column: the lines of its hierarchy, and what a policy says about it.
#[derive(Debug, Clone)]
pub struct Column {
    pub lines: Vec<Vec<String>>,
    pub taxonomy: Arc<Taxonomy>,
    pub mixed: MixedColumn,
}

/// A table with a policy.
#[derive(Debug, Clone)]
pub struct Case {
    pub columns: Vec<Column>,
    /// Per row, the position of its leaf in each column.
    pub rows: Vec<Vec<usize>>,
    pub thresholds: Thresholds,
}

fn exact(text: &str) -> Exact {
    Exact::parse(text).expect("a number")
}

fn column() -> impl Strategy<Value = Column> {
    let degree = || prop::sample::select(vec!["0", "0.3", "0.6", "1"]);
    let belief = (
        prop::sample::select(vec!["0", "0.4", "1"]),
        degree(),
        prop::collection::vec(prop::option::of(degree()), 6),
    );
    let guard = prop::collection::vec(any::<prop::sample::Index>(), 0..3);
    (tree("v", 1..7), guard, any::<bool>(), prop::option::of(belief)).prop_map(
        |(lines, guard, aggregate, belief)| {
            let taxonomy = Taxonomy::from_paths(&lines).expect("a tree");
            let label = |node: usize| taxonomy.label(NodeId(node as u32)).to_string();
            let guard = guard.iter().map(|index| label(index.index(taxonomy.len()))).collect();
            let observability = match belief {
                None => ObservabilityModel::Sensitivity,
                Some((alpha, default, values)) => {
                    let leaves = (0..taxonomy.leaves()).zip(values);
                    let given = leaves.filter_map(|(leaf, value)| {
                        Some((taxonomy.label(taxonomy.leaf(leaf)).to_string(), exact(value?)))
                    });
                    let values: BTreeMap<String, Exact> = given.collect();
                    ObservabilityModel::Belief(Belief {
                        alpha: exact(alpha),
                        default: exact(default),
                        values,
                    })
                }
            };
            let sensitivity =
                if aggregate { SensitivityModel::Aggregate } else { SensitivityModel::NonAggregate };
            let mixed = MixedColumn { sensitivity, guard, observability };
            Column { lines, taxonomy: Arc::new(taxonomy), mixed }
        },
    )
}

/// Tables with up to `columns` columns and `rows` rows.
pub fn cases(columns: usize, rows: usize) -> impl Strategy<Value = Case> {
    let thresholds = (
        prop::sample::select(vec!["0.5", "1"]),
        prop::sample::select(vec!["0", "0.2", "1/3", "0.5", "0.7", "1"]),
    );
    let rows = prop::collection::vec(prop::collection::vec(0usize..64, columns), 1..=rows);
    (prop::collection::vec(column(), 2..=columns), rows, thresholds).prop_map(
        |(columns, raw, (observable, threat))| {
            let row = |raw: Vec<usize>| {
                columns.iter().zip(raw).map(|(column, choice)| choice % column.taxonomy.leaves()).collect()
            };
            let rows = raw.into_iter().map(row).collect();
            let thresholds = Thresholds { observable: exact(observable), threat: exact(threat) };
            Case { columns, rows, thresholds }
        },
    )
}

impl Case {
    pub fn model(&self) -> Model {
        let attribute = |(at, column): (usize, &Column)| {
            Attribute::new(&format!("c{at}"), column.taxonomy.clone(), &column.mixed, &self.thresholds)
        };
        Model::new(self.columns.iter().enumerate().map(attribute).collect())
    }

    pub fn records(&self) -> Records {
        let leaf = |(column, leaf): (&Column, &usize)| column.taxonomy.leaf(*leaf).0;
        let leaves = self.rows.iter().flat_map(|row| self.columns.iter().zip(row).map(leaf)).collect();
        Records { leaves, counts: vec![1; self.rows.len()] }
    }

    /// The policy as a person would write it.
    pub fn policy_text(&self, method: &str, k: u64) -> String {
        let mut text = "seed = 7\n[data]\npath = \"table.csv\"\n".to_string();
        for (at, column) in self.columns.iter().enumerate() {
            let model = match column.mixed.sensitivity {
                SensitivityModel::Aggregate => "aggregate",
                SensitivityModel::NonAggregate => "non-aggregate",
            };
            let guard = &column.mixed.guard;
            let _ = write!(
                text,
                "[columns.c{at}]\nrole = \"mixed\"\nhierarchy = \"c{at}.csv\"\n\
                 [columns.c{at}.sensitivity]\nmodel = \"{model}\"\nguard = {guard:?}\n"
            );
            if let ObservabilityModel::Belief(belief) = &column.mixed.observability {
                let values = belief.values.iter().map(|(label, value)| format!("{label:?} = \"{value}\""));
                let values = values.collect::<Vec<_>>().join(", ");
                let Belief { alpha, default, .. } = belief;
                let _ = write!(
                    text,
                    "[columns.c{at}.observability]\nmodel = \"belief\"\nalpha = \"{alpha}\"\ndefault = \"{default}\"\n\
                     values = {{ {values} }}\n"
                );
            }
        }
        let Thresholds { observable, threat } = self.thresholds;
        let _ = write!(
            text,
            "[privacy.ff-anonymity]\nobservable = \"{observable}\"\nthreat = \"{threat}\"\n[method]\nname = \"{method}\"\n"
        );
        if k > 1 {
            let _ = write!(text, "[privacy.k-anonymity]\nk = {k}\n");
        }
        text
    }

    /// Writes table, hierarchies and policy into a folder, and reads the policy; with k-anonymity next to FF-anonymity for k above 1.
    pub fn write(&self, folder: &Path, method: &str, k: u64) -> CheckedPolicy {
        let names: Vec<String> = (0..self.columns.len()).map(|at| format!("c{at}")).collect();
        let mut table = names.join(",") + "\n";
        for row in &self.rows {
            let cells = self
                .columns
                .iter()
                .zip(row)
                .map(|(column, leaf)| column.taxonomy.label(column.taxonomy.leaf(*leaf)).to_string());
            table.push_str(&(cells.collect::<Vec<_>>().join(",") + "\n"));
        }
        fs::write(folder.join("table.csv"), table).expect("a file");
        for (name, column) in names.iter().zip(&self.columns) {
            let lines: Vec<String> = column.lines.iter().map(|line| line.join(";")).collect();
            fs::write(folder.join(format!("{name}.csv")), lines.join("\n") + "\n").expect("a file");
        }
        let path = folder.join("policy.toml");
        fs::write(&path, self.policy_text(method, k)).expect("a file");
        Policy::read(&path).and_then(|policy| policy.check(None)).expect("a policy")
    }
}
