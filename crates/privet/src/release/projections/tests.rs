//! Releases of projected tables, from a policy to what is on disk.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::release::{Published, anonymize, rewrite_report};
use privet_audit::audit_release;
use privet_core::ErrorKind;
use privet_engine::testing::projections::{Case, cases, policy_of};

fn options(target: &Path) -> RunOptions {
    RunOptions::to(target)
}

fn made(case: &Case, folder: &Path) -> Result<Published> {
    anonymize(case.policy(folder, "codip-star"), &options(&folder.join("out")), &Clock::unlimited())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is published has passed its audit, passes it again, and has all rows in every table.
    #[test]
    fn releases_pass_their_audit(case in cases()) {
        let folder = tempfile::tempdir().expect("a folder");
        match made(&case, folder.path()) {
            Ok(published) => {
                prop_assert!(published.audit.passed);
                let again = audit_release(&published.path, None, &Clock::unlimited()).expect("an audit");
                prop_assert!(again.passed, "{:?}", again.checks);
                for table in published.manifest["plan"]["projections"].as_array().expect("tables") {
                    let path = published.path.join("public").join(table["file"].as_str().expect("a name"));
                    let rows = fs::read_to_string(path).expect("a table").lines().count();
                    prop_assert_eq!(rows, case.rows.len() + 1);
                }
                rewrite_report(&published.path).expect("reports");
            }
            Err(error) => {
                prop_assert_eq!(error.kind(), ErrorKind::Infeasible, "{}", error);
                prop_assert!(!folder.path().join("out").exists());
            }
        }
    }
}

#[test]
fn the_seed_decides_the_order_of_each_table_on_its_own() {
    // The last row is the only one in which the attributes differ, so there is something to expose.
    let rows: Vec<String> = (0..60).map(|row| format!("x,{},{}", row / 20, (row + row / 59) / 20)).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let tables = |seed: u64, name: &str| {
        let mut policy = policy_of(folder.path(), "q,a,b", &rows, &[], "alpha = 1\nbeta = 0");
        policy.seed = Some(seed);
        let target = folder.path().join(name);
        let published = anonymize(policy, &options(&target), &Clock::unlimited()).expect("a release");
        [1, 2].map(|number| {
            let path = published.path.join("public").join(layout::projection(number));
            let text = fs::read_to_string(path).expect("a table");
            text.lines().skip(1).map(str::to_string).collect::<Vec<_>>()
        })
    };
    let (one, same, other) = (tables(1, "one"), tables(1, "same"), tables(2, "other"));
    assert_eq!(one, same);
    assert_ne!(one, other);
    // Both attributes say in which third of the rows somebody is: were the orders the same, so would be the rows.
    assert_ne!(one[0], one[1]);
}

#[test]
fn an_empty_set_is_a_value_and_a_constant_column_is_no_obstacle() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = ["x,1,u|v,7", "x,2,,7", "x,1,u,7", "x,2,v| u,7"].map(str::to_string);
    let policy = policy_of(folder.path(), "q,a,m,c", &rows, &["m"], "alpha = 1\nbeta = 1");
    let published =
        anonymize(policy, &options(&folder.path().join("out")), &Clock::unlimited()).expect("a release");
    assert_eq!(published.manifest["records"]["released"], 4);
    let table = fs::read_to_string(published.path.join("public/projection-1.csv")).expect("a table");
    assert_eq!(table.lines().next(), Some("q,a,c,m=u,m=v"));
    let mut lines: Vec<&str> = table.lines().skip(1).collect();
    lines.sort_unstable();
    assert_eq!(lines, ["x,1,7,1,0", "x,1,7,1,1", "x,2,7,0,0", "x,2,7,1,1"]);
    assert!(published.warnings.iter().any(|warning| warning.contains("every record has 'c' = '7'")));
}

#[test]
fn a_column_of_nothing_but_empty_sets_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = ["x,1,2,", "x,2,1,"].map(str::to_string);
    let policy = policy_of(folder.path(), "q,a,b,m", &rows, &["m"], "alpha = 1\nbeta = 1");
    let error = anonymize(policy, &options(&folder.path().join("out")), &Clock::unlimited());
    let error = error.map(|published| published.path).expect_err("an error");
    assert_eq!(error.kind(), ErrorKind::Input);
    assert!(error.message().contains("all cells of column 'm' are empty sets"), "{error}");
    assert!(!folder.path().join("out").exists());
}
