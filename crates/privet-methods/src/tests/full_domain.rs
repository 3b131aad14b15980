//! The search finds the true optimum.

use std::time::Duration;

use proptest::prelude::*;

use super::on_threads;
use super::oracle::Oracle;
use super::table::{RandomTable, tables};
use crate as method;
use crate::Solution;
use privet_core::clock::Clock;
use privet_core::testing::cases;
use privet_core::{ErrorKind, Exact};
use privet_engine::loss;
use privet_engine::microdata::Microdata;
use privet_policy::method::TableCost;
use privet_policy::{CheckedPolicy, Method, Stated};

const LIMITS: [&str; 4] = ["0", "0.1", "0.3", "1"];

fn levels(solution: &Solution, table: &RandomTable) -> Vec<u8> {
    let level = |column| solution.plan.level(&format!("q{column}")).expect("a level");
    (0..table.quasi.len()).map(level).collect()
}

fn with(policy: &CheckedPolicy, cost: &str, limit: &str) -> CheckedPolicy {
    let mut policy = policy.clone();
    let Method::FullDomain(own) = &mut policy.method else { panic!("another method") };
    own.cost = TableCost::named(cost).expect("a cost");
    own.suppression_limit = Exact::parse(limit).expect("a number");
    policy
}

fn cost_of(solution: &Solution, cost: &str, microdata: &Microdata) -> f64 {
    let measure =
        solution.recoding.measure(TableCost::named(cost).expect("a cost"), microdata).expect("a measure");
    measure.value(solution.recoding.cost(&measure, &solution.recoding.count(microdata)))
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn full_domain_equals_brute_force(table in tables(40)) {
        let Some((_folder, policy, microdata)) = table.read("name = \"full-domain\"") else { return Ok(()) };
        let oracle = Oracle::new(&table);
        let lattice = oracle.lattice();
        for limit in LIMITS {
            let most = Exact::parse(limit).expect("a number").floor_of(oracle.records());
            for (number, cost) in loss::NAMES.iter().copied().enumerate() {
                let policy = with(&policy, cost, limit);
                let found = method::run(&policy, &microdata, &Clock::unlimited());
                // A release must have records.
                let feasible = lattice.iter().filter(|node| node.suppressed <= most && node.suppressed < oracle.records());
                // The lattice is in lexicographic order, and `min_by` keeps the first of equals.
                let best = feasible.min_by(|a, b| a.costs[number].cmp(&b.costs[number]));
                let (Ok(solution), Some(best)) = (&found, best) else {
                    prop_assert_eq!(found.is_ok(), best.is_some(), "{} {}: {:?}", cost, limit, found.err());
                    prop_assert_eq!(found.err().map(|error| error.kind()), Some(ErrorKind::Infeasible));
                    continue;
                };
                let value = cost_of(solution, cost, &microdata);
                let expected = oracle.shown(cost, &best.costs[number]);
                prop_assert!(near(value, expected), "{} {}: {} instead of {}", cost, limit, value, expected);
                // Logarithms have 64 binary digits, so among equals such as 9⁹ and 3¹⁸ rounding may prefer a later one.
                let at = levels(solution, &table);
                let chosen = lattice.iter().find(|node| node.levels == at).expect("a vector");
                prop_assert_eq!(&chosen.costs[number], &best.costs[number], "{} {}", cost, limit);
                prop_assert!(cost == "entropy" || at == best.levels, "{} {}: {:?} is not first", cost, limit, at);
                let best = chosen;
                let suppressed = solution.recoding.count(&microdata).suppressed;
                prop_assert_eq!(suppressed, best.suppressed);
                prop_assert!(solution.search.optimal);
                prop_assert!(near(solution.search.bound.expect("a bound"), expected));
                prop_assert_eq!(solution.search.space.clone(), Some(lattice.len().to_string()));
                prop_assert!(solution.search.examined <= lattice.len() as u64);
            }
        }
    }

    #[test]
    fn full_domain_does_not_depend_on_threads(table in tables(40), cost in prop::sample::select(loss::NAMES)) {
        let Some((_folder, policy, microdata)) = table.read("name = \"full-domain\"") else { return Ok(()) };
        let policy = with(&policy, cost, "0.1");
        let run = |threads| on_threads(threads, || method::run(&policy, &microdata, &Clock::unlimited()));
        match (run(1), run(4)) {
            (Ok(one), Ok(four)) => {
                prop_assert_eq!(one.plan, four.plan);
                prop_assert_eq!(one.search.examined, four.search.examined);
                prop_assert_eq!(one.search.bound, four.search.bound);
                prop_assert_eq!(format!("{:?}", one.recoding), format!("{:?}", four.recoding));
            }
            (one, four) => prop_assert_eq!(one.is_ok(), four.is_ok()),
        }
    }

    #[test]
    fn without_time_full_domain_still_says_what_is_proven(table in tables(40), cost in prop::sample::select(loss::NAMES)) {
        let Some((_folder, policy, microdata)) = table.read("name = \"full-domain\"") else { return Ok(()) };
        let policy = with(&policy, cost, "0.3");
        let mut hurried = policy.clone();
        *hurried.method.time_limit().expect("a limit") = Some(Duration::ZERO);
        let best = method::run(&policy, &microdata, &Clock::unlimited());
        let quick = method::run(&hurried, &microdata, &Clock::unlimited());
        let (Ok(best), Ok(quick)) = (&best, &quick) else {
            prop_assert_eq!(best.is_ok(), quick.is_ok());
            return Ok(());
        };
        // The loss; precision is one minus the loss.
        let lost = |value: f64| if cost == "precision" { 1.0 - value } else { value };
        let (optimum, value) = (lost(cost_of(best, cost, &microdata)), lost(cost_of(quick, cost, &microdata)));
        let bound = lost(quick.search.bound.expect("a bound"));
        prop_assert!(bound <= optimum + 1e-9 * optimum.abs().max(1.0), "{} is above the optimum {}", bound, optimum);
        prop_assert!(!quick.search.optimal || near(value, optimum));
        let oracle = Oracle::new(&table);
        let at = levels(quick, &table);
        let node = oracle.lattice().into_iter().find(|node| node.levels == at).expect("a vector");
        prop_assert!(node.suppressed <= Exact::parse("0.3").expect("a number").floor_of(oracle.records()));
        prop_assert_eq!(quick.recoding.count(&microdata).suppressed, node.suppressed);
    }
}
