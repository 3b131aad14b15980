//! What Mondrian promises about its parts.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::oracle::Oracle;
use super::solved;
use super::table::{Domain, MISSING, RandomTable, distinct, tables};
use crate::Solution;
use privet_core::testing::cases;
use privet_engine::microdata::Microdata;

/// The kept rows of each class, as assigned by the method.
pub(super) fn classes(solution: &Solution, table: &RandomTable, microdata: &Microdata) -> Vec<Vec<usize>> {
    let summary = &microdata.summary;
    let mut rows_of: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    table
        .kept()
        .iter()
        .enumerate()
        .for_each(|(row, cells)| rows_of.entry((*cells).clone()).or_default().push(row));
    let mut classes = vec![Vec::new(); solution.recoding.len()];
    for record in 0..summary.len() {
        let codes = summary.record(record).iter().zip(summary.columns());
        let cells: Vec<String> =
            codes.map(|(code, column)| column.dictionary.values()[*code as usize].clone()).collect();
        let rows = rows_of.get_mut(&cells).expect("the record's rows");
        for (class, count) in solution.recoding.destinations(record, summary.count(record)) {
            classes[class as usize].extend(rows.drain(..count as usize));
        }
        assert!(rows.is_empty(), "Mondrian suppresses nothing");
    }
    classes
}

/// A column of a set of rows: the label it must be published as, and the parts it would be split into.
pub(super) struct Along {
    pub shown: String,
    pub parts: Vec<Vec<usize>>,
}

pub(super) fn along(table: &RandomTable, rows: &[usize], column: usize) -> Along {
    let kept = table.kept();
    let value = |row: usize| kept[row][column].clone();
    let whole = || vec![rows.to_vec()];
    if rows.iter().all(|row| value(*row) == value(rows[0])) {
        return Along { shown: value(rows[0]), parts: whole() };
    }
    let by = |key: &dyn Fn(usize) -> String| {
        let mut parts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        rows.iter().for_each(|row| parts.entry(key(*row)).or_default().push(*row));
        parts.into_values().collect::<Vec<_>>()
    };
    match &table.quasi[column] {
        Domain::Words(_) => Along { shown: "*".into(), parts: by(&value) },
        Domain::Numbers(_) if rows.iter().any(|row| value(*row) == MISSING) => {
            Along { shown: "*".into(), parts: by(&|row| (value(row) == MISSING).to_string()) }
        }
        Domain::Numbers(_) => {
            let number = |row: usize| value(row).parse::<i64>().expect("a number");
            let mut numbers: Vec<i64> = rows.iter().map(|row| number(*row)).collect();
            numbers.sort_unstable();
            let last = numbers[numbers.len() - 1];
            let left = |at: i64| numbers.iter().filter(|number| **number <= at).count();
            let uneven = |at: &i64| (2 * left(*at)).abs_diff(numbers.len());
            let cuts = numbers.iter().copied().filter(|at| *at < last);
            let cut = cuts.min_by_key(|at| (uneven(at), *at)).expect("two numbers");
            let parts = by(&|row| (number(row) > cut).to_string());
            Along { shown: format!("[{},{last}]", numbers[0]), parts }
        }
        Domain::Tree(lines) => {
            let root = lines[0].last().expect("a root");
            let path = |row: usize| {
                let line = lines.iter().find(|line| line[0] == value(row));
                line.map_or_else(|| vec![MISSING.to_string(), root.clone()], |line| distinct(line))
            };
            let first = path(rows[0]);
            let common = first.iter().find(|node| rows.iter().all(|row| path(*row).contains(node)));
            let common = common.expect("the root at least").clone();
            let child = |row: usize| {
                let path = path(row);
                path[path.iter().position(|node| *node == common).expect("on the path") - 1].clone()
            };
            Along { parts: by(&child), shown: common }
        }
    }
}

fn check(table: &RandomTable, strict: bool) -> std::result::Result<(), TestCaseError> {
    let partitioning = if strict { "strict" } else { "relaxed" };
    let method = format!("name = \"mondrian\"\npartitioning = \"{partitioning}\"");
    let Some((_folder, policy, microdata)) = table.read(&method) else { return Ok(()) };
    let oracle = Oracle::new(table);
    let Some(solution) = solved(&oracle, &policy, &microdata) else { return Ok(()) };
    for (class, rows) in classes(&solution, table, &microdata).iter().enumerate() {
        prop_assert!(!rows.is_empty() && oracle.holds(rows), "class {} violates the requirements", class);
        for (column, cell) in solution.recoding.cells(class).iter().enumerate() {
            let along = along(table, rows, column);
            let label = &solution.recoding.columns[column].cells[*cell as usize].label;
            prop_assert_eq!(label, &along.shown, "column {} of class {}", column, class);
            let split = along.parts.len() > 1 && along.parts.iter().all(|part| oracle.holds(part));
            prop_assert!(!strict || !split, "class {} can be split along column {}", class, column);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn strict_parts_are_valid_tight_and_minimal(table in tables(40)) {
        check(&table, true)?;
    }

    #[test]
    fn relaxed_parts_are_valid_and_tight(table in tables(40)) {
        check(&table, false)?;
    }
}
