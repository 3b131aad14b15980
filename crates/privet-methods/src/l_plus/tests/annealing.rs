//! Simulated annealing: never better than the optimum, and the published cost is correct.

use super::*;

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn annealing_publishes_a_cut_that_costs_what_it_says(case in any_case()) {
        let (_folder, policy, microdata) = read_for("simulated-annealing", &case, "steps = 100\n");
        let best = case.cuts().iter().filter_map(|cut| case.cost(cut)).min();
        match (best, crate::run(&policy, &microdata, &Clock::unlimited())) {
            (None, Err(error)) => prop_assert_eq!(error.kind(), privet_core::ErrorKind::Infeasible),
            (Some(best), Ok(solution)) => {
                prop_assert!(exact(&solution) >= best);
                prop_assert_eq!(case.cost(&published(&case, &solution)), Some(exact(&solution)));
                prop_assert!(!solution.search.optimal);
                prop_assert_eq!(solution.search.bound, None);
                let again = crate::run(&policy, &microdata, &Clock::unlimited()).expect("a solution");
                prop_assert_eq!(&again.plan, &solution.plan);
                prop_assert_eq!(again.search.examined, solution.search.examined);
            }
            (best, solution) => prop_assert!(false, "{best:?} but {solution:?}"),
        }
    }
}
