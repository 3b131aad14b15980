//! What `refine` promises: valid classes, each shown as its records allow, and none in which some children of a shown node
//! could stand alone.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::mondrian::{along, classes};
use super::oracle::Oracle;
use super::solved;
use super::table::{Domain, RandomTable, tables};
use crate as method;
use privet_core::clock::Clock;
use privet_core::testing::cases;

/// Whether some of these parts meet the requirements each, and the rest does: every choice is tried.
fn can_part(oracle: &Oracle<'_>, parts: &[Vec<usize>]) -> bool {
    (1u32..1 << parts.len()).any(|chosen| {
        let (own, rest): (Vec<_>, Vec<_>) = (0..parts.len()).partition(|at| chosen >> at & 1 == 1);
        let rest: Vec<usize> = rest.into_iter().flat_map(|at| parts[at].clone()).collect();
        let is_split = parts.len() > 1;
        is_split && own.iter().all(|at| oracle.holds(&parts[*at])) && (rest.is_empty() || oracle.holds(&rest))
    })
}

fn check(table: &RandomTable, name: &str) -> std::result::Result<(), TestCaseError> {
    let method = format!("name = \"{name}\"\nrefine = true");
    let Some((_folder, policy, microdata)) = table.read(&method) else { return Ok(()) };
    let oracle = Oracle::new(table);
    let Some(solution) = solved(&oracle, &policy, &microdata) else { return Ok(()) };
    let mut seen = BTreeSet::new();
    for (class, rows) in classes(&solution, table, &microdata).iter().enumerate() {
        prop_assert!(!rows.is_empty() && oracle.holds(rows), "class {} violates the requirements", class);
        prop_assert!(seen.insert(solution.recoding.cells(class).to_vec()), "class {} is there twice", class);
        for (column, cell) in solution.recoding.cells(class).iter().enumerate() {
            // Numbers are categories to full-domain: kept or replaced by *.
            let numbers = matches!(table.quasi[column], Domain::Numbers(_));
            let along = along(table, rows, column);
            let label = &solution.recoding.columns[column].cells[*cell as usize].label;
            if !numbers || name == "mondrian" {
                prop_assert_eq!(label, &along.shown, "column {} of class {}", column, class);
                prop_assert!(
                    !can_part(&oracle, &along.parts),
                    "class {} can be refined in {}",
                    class,
                    column
                );
            }
        }
    }
    Ok(())
}

/// Refining never costs anything: the loss of a release is at most that of the same policy without it.
fn never_worse(table: &RandomTable, method: &str) -> std::result::Result<(), TestCaseError> {
    let lm = |refine: &str| {
        let (_folder, policy, microdata) = table.read(&format!("name = \"{method}\"{refine}"))?;
        let solution = method::run(&policy, &microdata, &Clock::unlimited()).ok()?;
        let classes = solution.recoding.count(&microdata);
        let costs = solution.recoding.costs(&microdata, &classes);
        costs.into_iter().find(|cost| cost.name == "LM").map(|cost| cost.value)
    };
    if let (Some(plain), Some(refined)) = (lm(""), lm("\nrefine = true")) {
        prop_assert!(refined <= plain * (1.0 + 1e-9), "{} is more than {}", refined, plain);
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn refined_mondrian_is_locally_optimal(table in tables(40)) {
        check(&table, "mondrian")?;
    }

    #[test]
    fn refined_levels_are_locally_optimal(table in tables(40)) {
        check(&table, "full-domain")?;
    }

    #[test]
    fn refined_releases_never_lose_more(table in tables(40)) {
        never_worse(&table, "mondrian")?;
        never_worse(&table, "full-domain")?;
    }
}
