//! What sets as labels promise: they show the values that occur, and no cut that the method knows is left.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::mondrian::{along, classes};
use super::oracle::Oracle;
use super::solved;
use super::table::{Domain, MISSING, RandomTable, tables};
use privet_core::testing::cases;

/// The values of some rows in one column, as the definition writes them.
fn shown(table: &RandomTable, rows: &[usize], column: usize) -> String {
    if let Domain::Numbers(_) = table.quasi[column] {
        return along(table, rows, column).shown;
    }
    let kept = table.kept();
    let values: BTreeSet<&str> = rows.iter().map(|row| kept[*row][column].as_str()).collect();
    match values.len() {
        1 => values.into_iter().collect(),
        _ => format!("{{{}}}", values.into_iter().collect::<Vec<_>>().join(", ")),
    }
}

/// All cuts that free splits try along a column, from the definition; those by the other columns' codes are left out.
fn cuts(table: &RandomTable, rows: &[usize], column: usize) -> Vec<[Vec<usize>; 2]> {
    let kept = table.kept();
    let mut by_value: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    rows.iter().for_each(|row| by_value.entry(&kept[*row][column]).or_default().push(*row));
    let mut values: Vec<(&str, Vec<usize>)> = by_value.into_iter().collect();
    match &table.quasi[column] {
        Domain::Numbers(_) => {
            values.sort_by_key(|(value, _)| (*value != MISSING, value.parse::<i64>().unwrap_or(0)));
        }
        // Equally frequent values may stand in either order, so they are cut together only.
        Domain::Words(_) | Domain::Tree(_) => values.sort_by_key(|(_, rows)| std::cmp::Reverse(rows.len())),
    }
    let cut = |at: usize| {
        let side = |values: &[(&str, Vec<usize>)]| values.iter().flat_map(|(_, rows)| rows.clone()).collect();
        [side(&values[..at]), side(&values[at..])]
    };
    let numbers = matches!(table.quasi[column], Domain::Numbers(_));
    let distinct = |at: &usize| numbers || values[at - 1].1.len() != values[*at].1.len();
    (1..values.len()).filter(distinct).map(cut).collect()
}

fn check(table: &RandomTable, free: bool) -> std::result::Result<(), TestCaseError> {
    let splits = if free { "splits = \"free\"" } else { "" };
    let method = format!("name = \"mondrian\"\nlabels = \"sets\"\n{splits}");
    let Some((_folder, policy, microdata)) = table.read(&method) else { return Ok(()) };
    let oracle = Oracle::new(table);
    let Some(solution) = solved(&oracle, &policy, &microdata) else { return Ok(()) };
    for (class, rows) in classes(&solution, table, &microdata).iter().enumerate() {
        prop_assert!(!rows.is_empty() && oracle.holds(rows), "class {} violates the requirements", class);
        for (column, cell) in solution.recoding.cells(class).iter().enumerate() {
            let label = &solution.recoding.columns[column].cells[*cell as usize].label;
            prop_assert_eq!(label, &shown(table, rows, column), "column {} of class {}", column, class);
            for [one, other] in cuts(table, rows, column).into_iter().filter(|_| free) {
                let open = oracle.holds(&one) && oracle.holds(&other);
                prop_assert!(!open, "class {} can be cut along column {}", class, column);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn sets_show_what_occurs(table in tables(40)) {
        check(&table, false)?;
    }

    #[test]
    fn free_splits_leave_no_cut(table in tables(40)) {
        // Where all columns are numbers there are no sets, and medians decide.
        prop_assume!(table.quasi.iter().any(|domain| !matches!(domain, Domain::Numbers(_))));
        check(&table, true)?;
    }
}
