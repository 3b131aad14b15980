//! Both methods against brute force on generated tables.

use proptest::prelude::*;

use super::naive::{NaiveProjections, NamedPlan};
use crate::codip::{ProjectionDecision, decide};
use privet_core::clock::Clock;
use privet_core::{ErrorKind, Exact, Result};
use privet_engine::microdata::Microdata;
use privet_engine::testing::projections::{Case, cases, policy_of};

fn decided(case: &Case, method: &str) -> Result<ProjectionDecision> {
    let folder = tempfile::tempdir().expect("a folder");
    let policy = case.policy(folder.path(), method);
    let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
    decide(&policy, &microdata, &Clock::unlimited())
}

fn plan_of(decision: &ProjectionDecision) -> NamedPlan {
    decision.projections.iter().map(|table| table.attributes.clone()).collect()
}

fn alpha(case: &Case) -> f64 {
    Exact::parse(case.alpha).expect("a number").to_f64()
}

/// The value that an error message reports as reached.
fn reached(message: &str) -> Option<f64> {
    message.split("Γα = ").nth(1)?.split(',').next()?.parse().ok()
}

/// Whether two closenesses are equal up to rounding.
fn is_same(found: Option<f64>, expected: Option<f64>) -> bool {
    match (found, expected) {
        (Some(found), Some(expected)) => (found - expected).abs() < 1e-9,
        (found, expected) => found == expected,
    }
}

/// Two tables are within the limit on discernibility; the closer one has two values of `a` in a class.
#[test]
fn the_least_closeness_is_that_of_a_table_which_meets_all_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = ["y,u,3,p", "x,u,1,p", "x,u,1,p", "y,u,2,p", "y,v,3,q", "y,v,1,q", "x,v,2,q", "x,v,2,q"];
    let rows = rows.map(str::to_string);
    let limits = "alpha = 1\nbeta = 1\nmax_discernibility = 40\n";
    let closeness = |more: &str| {
        let policy = policy_of(folder.path(), "q1,q2,a,b", &rows, &[], &format!("{limits}{more}"));
        let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
        let decision = decide(&policy, &microdata, &Clock::unlimited()).expect("a plan");
        assert_eq!(decision.projections.len(), 1);
        (decision.improvement.one_table, decision.improvement.plan)
    };
    assert_eq!(closeness(""), (Some(0.25), Some(0.25)));
    let diverse = "[privacy.l-diversity]\ncolumn = \"a\"\nkind = \"distinct\"\nl = 3\n";
    assert_eq!(closeness(diverse), (Some(0.5), Some(0.5)));
}

/// Every set of values that occurs, so that both derived attributes exist.
fn with_sets(mut case: Case) -> Case {
    case.rows[0][6] = "u|v".to_string();
    case.rows[1][6] = String::new();
    case
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn codip_star_is_what_the_specification_says(case in cases()) {
        let case = with_sets(case);
        let naive = NaiveProjections::of(&case);
        let expected = naive.star();
        match decided(&case, "codip-star") {
            Ok(decision) => {
                let plan = expected.expect("a plan");
                prop_assert_eq!(&plan_of(&decision), &plan);
                prop_assert!((decision.gamma_alpha - naive.gamma_alpha(&plan)).abs() < 1e-9);
                prop_assert!((decision.gamma_beta - naive.gamma_beta(&plan)).abs() < 1e-9);
                prop_assert!(decision.gamma_alpha <= alpha(&case) + 1e-9);
                // Every table is anonymised with the least possible discernibility.
                for table in &decision.projections {
                    prop_assert_eq!(Some(table.dm as u64), naive.least_dm(&table.attributes));
                }
                // The least closeness is what the other requirements permit.
                let worst: Option<Vec<f64>> = plan.iter().map(|subset| naive.least_t(subset)).collect();
                let worst = worst.map(|all| all.into_iter().fold(0.0, f64::max));
                prop_assert!(is_same(decision.improvement.plan, worst));
                prop_assert!(is_same(decision.improvement.one_table, naive.least_t(&naive.all())));
            }
            Err(error) => {
                prop_assert_eq!(error.kind(), ErrorKind::Infeasible);
                if let Some(plan) = expected {
                    let loss = naive.gamma_alpha(&plan);
                    prop_assert!(loss > alpha(&case));
                    prop_assert!((reached(error.message()).expect("what was reached") - loss).abs() < 1e-5);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn codip_finds_the_least_loss_of_all_plans(case in cases()) {
        let case = with_sets(case);
        let naive = NaiveProjections::of(&case);
        let best = naive.best();
        match decided(&case, "codip") {
            Ok(decision) => {
                prop_assert!(decision.search.optimal);
                prop_assert_eq!(decision.search.bound, Some(decision.gamma_alpha));
                prop_assert!((decision.gamma_alpha - best.expect("a plan")).abs() < 1e-9);
            }
            Err(error) => {
                prop_assert_eq!(error.kind(), ErrorKind::Infeasible);
                if let Some(best) = best {
                    prop_assert!(best > alpha(&case));
                    prop_assert!((reached(error.message()).expect("what was reached") - best).abs() < 1e-5);
                }
            }
        }
    }
}
