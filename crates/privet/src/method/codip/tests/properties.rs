//! Both methods against brute force on generated tables.

use proptest::prelude::*;

use super::generated::{Case, cases};
use super::naive::{Naive, Plan};
use crate::engine::clock::Clock;
use crate::engine::microdata::Microdata;
use crate::method::codip::{Decision, decide};
use crate::{ErrorKind, Exact, Result};

fn decided(case: &Case, method: &str) -> Result<Decision> {
    let folder = tempfile::tempdir().expect("a folder");
    let policy = case.policy(folder.path(), method);
    let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
    decide(&policy, &microdata, &Clock::unlimited())
}

fn plan_of(decision: &Decision) -> Plan {
    decision.projections.iter().map(|table| table.attributes.clone()).collect()
}

fn alpha(case: &Case) -> f64 {
    Exact::parse(case.alpha).expect("a number").to_f64()
}

/// What a failure says it reached.
fn reached(message: &str) -> Option<f64> {
    message.split("Γα = ").nth(1)?.split(',').next()?.parse().ok()
}

/// Every set of values that occurs, so that both derived attributes are there.
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
        let naive = Naive::of(&case);
        let expected = naive.star();
        match decided(&case, "codip-star") {
            Ok(decision) => {
                let plan = expected.expect("a plan");
                prop_assert_eq!(&plan_of(&decision), &plan);
                prop_assert!((decision.gamma_alpha - naive.gamma_alpha(&plan)).abs() < 1e-9);
                prop_assert!((decision.gamma_beta - naive.gamma_beta(&plan)).abs() < 1e-9);
                prop_assert!(decision.gamma_alpha <= alpha(&case) + 1e-9);
                // Every table is anonymised at the least discernibility there is.
                for table in &decision.projections {
                    prop_assert_eq!(Some(table.dm as u64), naive.least_dm(&table.attributes));
                }
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
        let naive = Naive::of(&case);
        let best = naive.best();
        match decided(&case, "codip") {
            Ok(decision) => {
                prop_assert!(decision.search.optimal);
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
