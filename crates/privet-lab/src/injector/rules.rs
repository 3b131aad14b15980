//! Figure 3: how many rules there are, and how many values they exclude.

use super::super::page::{Cell, Section, Table};
use super::{Bench, EXPECTATIONS, single};
use crate::Part;
use privet::Result;
use privet::engine::negative_rules::{list, most_general};

pub(super) const PART: Part = Part {
    name: "rules",
    title: "Negative association rules",
    summary: "single-column rules by expectation, and records by how many values are excluded for them",
};

/// The paper's table: rules, then the share of records with 0, 1, 2, 3, 4 and 5 or more excluded values, in per cent.
const PAPER: [(u64, [f64; 6]); 5] = [
    (45, [0.0, 80.4, 15.9, 2.3, 1.2, 0.2]),
    (39, [0.0, 84.6, 12.2, 2.1, 1.0, 0.1]),
    (32, [0.0, 87.5, 9.2, 2.0, 1.0, 0.0]),
    (22, [0.0, 87.9, 9.2, 2.5, 0.4, 0.0]),
    (15, [0.0, 96.2, 1.8, 2.0, 0.0, 0.0]),
];

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let observations = &bench.adult.observations;
    let head = ["expectation", "", "rules", "most general", "0", "1", "2", "3", "4", "5+"];
    let mut table = Table::new("rules", "Rules, and records by number of excluded values", head);
    for (expectation, (stated, shares)) in EXPECTATIONS.iter().zip(PAPER) {
        let rules = list(observations, &single(expectation), &[], &bench.clock)?;
        let general = most_general(observations, &rules).len() as u64;
        let mut counts = [0u64; 6];
        for (record, excluded) in bench.excluded(expectation)?.iter().enumerate() {
            counts[excluded.len().min(5)] += observations.weight(record);
        }
        let paper =
            [Cell::text(*expectation), Cell::text("paper"), Cell::Count(stated), Cell::Missing("–".into())];
        table.row(paper.into_iter().chain(shares.map(|share| Cell::Share(share / 100.0))));
        let ours = [
            Cell::text(*expectation),
            Cell::text("here"),
            Cell::Count(rules.len() as u64),
            Cell::Count(general),
        ];
        let total = observations.total() as f64;
        table.row(ours.into_iter().chain(counts.map(|count| Cell::Share(count as f64 / total))));
    }
    Ok(vec![
        Section::new("Rules on Adult (figure 3)")
            .say(format!(
                "{} records: the training file without records that miss one of the seven columns. Single-column rules, \
                 implied ones counted. The paper's tree of ages is not known; bands of 5, 10 and 20 years from 17 on come \
                 nearest.",
                observations.total()
            ))
            .table(table),
    ])
}
