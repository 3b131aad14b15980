//! The known answers in `vectors/codip`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::codip::attributes::attributes;
use crate::codip::{ProjectedTables, ProjectionDecision, ProjectionSettings, decide};
use privet_core::clock::Clock;
use privet_core::{ErrorKind, Result};
use privet_engine::microdata::Microdata;
use privet_policy::method::TableCost;
use privet_policy::{CheckedPolicy, Policy};
use serde_json::Value as Json;

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/codip");
    let mut folders: Vec<PathBuf> =
        fs::read_dir(root).expect("cases").map(|entry| entry.expect("a case").path()).collect();
    folders.sort();
    folders
}

fn policy(folder: &Path, method: &str, extra: &str) -> CheckedPolicy {
    let text = fs::read_to_string(folder.join("policy.toml")).expect("a policy");
    let text = text.replace("name = \"codip-star\"", &format!("name = \"{method}\"\n{extra}"));
    let policy = Policy::parse(&folder.join("policy.toml"), text).expect("a policy");
    policy.check(None).expect("a checked policy")
}

fn decided(folder: &Path, method: &str, extra: &str) -> Result<ProjectionDecision> {
    let policy = policy(folder, method, extra);
    let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
    decide(&policy, &microdata, &Clock::unlimited())
}

fn names(decision: &ProjectionDecision) -> Json {
    decision.plan.outline()["projections"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|table| table["sensitive"].clone())
        .collect()
}

fn near(found: f64, expected: &Json) -> bool {
    expected.as_f64().is_some_and(|expected| (found - expected).abs() < 1e-9)
}

#[test]
fn both_methods_give_the_known_answers() {
    let mut cases = 0;
    for folder in folders() {
        cases += 1;
        let text = fs::read_to_string(folder.join("expected.json")).expect("answers");
        let expected: Json = serde_json::from_str(&text).expect("answers");
        let star = &expected["codip_star"];
        match decided(&folder, "codip-star", "") {
            Ok(decision) => {
                assert_eq!(names(&decision), star["plan"], "{folder:?}");
                assert!(near(decision.gamma_alpha, &star["gamma_alpha"]), "{folder:?}");
                assert!(near(decision.gamma_beta, &star["gamma_beta"]), "{folder:?}");
            }
            Err(error) => {
                assert!(star.is_null(), "{folder:?}: {error}");
                assert_eq!(error.kind(), ErrorKind::Infeasible);
            }
        }
        let best = &expected["best_possible"];
        if best["meets_alpha"] == true {
            let decision = decided(&folder, "codip", "").expect("a plan");
            assert!(near(decision.gamma_alpha, &best["gamma_alpha"]), "{folder:?}");
            assert!(decision.search.optimal);
        }
        // Continuing after a refused merge never increases the loss.
        if let (Ok(star), Ok(more)) =
            (decided(&folder, "codip-star", ""), decided(&folder, "codip-star", "persist = true"))
        {
            assert!(more.gamma_alpha <= star.gamma_alpha + 1e-12, "{folder:?}");
        }
    }
    assert!(cases >= 13, "{cases} cases");
}

#[test]
fn as_many_anonymisations_are_valid_as_known() {
    for folder in folders() {
        let text = fs::read_to_string(folder.join("expected.json")).expect("answers");
        let expected: Json = serde_json::from_str(&text).expect("answers");
        let policy = policy(&folder, "codip-star", "");
        let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
        let attributes = attributes(&policy, &microdata).expect("attributes");
        let limits = ProjectionSettings::of(&policy).expect("limits").limits;
        let tables =
            ProjectedTables::new(&policy, &microdata, &attributes, limits, TableCost::Dm).expect("tables");
        let (valid, _) = tables.count_valid(&Clock::unlimited()).expect("a number");
        assert_eq!(Some(valid), expected["k_anonymous_nodes"].as_u64(), "{folder:?}");
        let all: Vec<usize> = (0..attributes.len()).collect();
        let closest = tables.best_closeness(&all, &Clock::unlimited()).expect("a search").expect("a table");
        assert!(near(closest, &expected["closeness_all_in_one"]), "{folder:?}");
    }
}
