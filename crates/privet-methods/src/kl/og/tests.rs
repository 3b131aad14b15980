//! OG and mOG against all cuts and all itemsets of tiny instances, and against known answers.

use std::sync::Arc;
use std::time::Duration;

use num_rational::Ratio;
use proptest::prelude::*;

use super::search::SearchManner;
use super::*;
use crate::kl::tests::{any_counted_instance, oracle, vectors};
use privet_core::{ErrorKind, Exact};
use privet_engine::conflict::Conflicts;
use privet_engine::itemset::{Layout, Lookup, Miner, Power, Scope};

const EAGER: SearchManner = SearchManner { eager_cells: u64::MAX, rows_before: 1, alpha: Exact::ZERO };
const LAZY: SearchManner = SearchManner { eager_cells: 0, ..EAGER };
/// Counts all itemsets without trying whole rows.
const PATIENT: SearchManner = SearchManner { rows_before: u64::MAX, ..LAZY };
/// Stops the eager phase after a few cells, so that both phases have work.
const MIXED: SearchManner = SearchManner { eager_cells: 25, ..EAGER };

fn solved(problem: &OgProblem<'_>, manner: &SearchManner) -> Option<SearchState> {
    match search::run(problem, manner, &Clock::unlimited()) {
        Ok(reached) => Some(reached),
        Err(error) if error.kind() == ErrorKind::Infeasible => None,
        Err(error) => panic!("{error}"),
    }
}

fn in_rounds(problem: &OgProblem<'_>) -> Option<Vec<Node>> {
    match rounds::run(problem, &mut SearchState::default(), &Clock::unlimited()) {
        Ok(cut) => cut,
        Err(error) if error.kind() == ErrorKind::Infeasible => None,
        Err(error) => panic!("{error}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// The optimum, whichever phase finds it, for both measures.
    #[test]
    fn og_finds_the_optimum((baskets, privacy) in any_counted_instance()) {
        for measure in ItemMeasure::ALL {
            let best = oracle::optimum(&baskets, std::slice::from_ref(&privacy), measure);
            let requirements = [privacy.clone()];
            let problem = OgProblem::new(&baskets, &requirements, measure);
            for manner in [EAGER, LAZY, MIXED, PATIENT] {
                let reached = solved(&problem, &manner);
                prop_assert_eq!(reached.is_some(), best.is_some());
                if let (Some(reached), Some((cost, cuts))) = (reached, &best) {
                    prop_assert_eq!(reached.cost, *cost);
                    prop_assert!(cuts.contains(&reached.cut), "{:?} is not among {:?}", reached.cut, cuts);
                    prop_assert_eq!(reached.bound, Some(*cost));
                }
            }
        }
    }

    /// With all conflicts known, a cut is valid iff it respects them.
    #[test]
    fn conflicts_decide_which_cuts_are_valid((baskets, privacy) in any_counted_instance()) {
        let tree: &ItemTree = &baskets.tree;
        let rows = Arc::new(Rows::of(&baskets, &tree.nodes().collect::<Vec<_>>()));
        let mut conflicts = Conflicts::new(tree);
        let (absent, reach) = (privacy.n, privacy.n);
        let layout = Layout { scope: Scope::AllCuts, absent, reach, certify: true, is_partial: false };
        let miner = Miner::new(tree, &rows, Lookup::new(rows.clone()), &privacy, layout);
        let power = Power { present: privacy.m, absent: privacy.n };
        miner.mine(power, u64::MAX, None, &mut conflicts, &Clock::unlimited()).expect("mined");
        for cut in oracle::all_cuts(tree) {
            let above = |node: Node| cut.iter().any(|shown| *shown != node && tree.contains(node, *shown));
            let broken = conflicts.iter().any(|conflict| conflict.members.iter().all(|node| above(*node)));
            let holds = !broken && conflicts.impossible().is_none();
            prop_assert_eq!(holds, oracle::is_valid(&baskets, &privacy, &cut), "{:?} with {:?}", cut, conflicts);
        }
    }

    /// Rounds end in a valid cut that costs at least as much as the optimum.
    #[test]
    fn rounds_are_valid((baskets, privacy) in any_counted_instance()) {
        let best = oracle::optimum(&baskets, std::slice::from_ref(&privacy), ItemMeasure::Ncp);
        let requirements = [privacy.clone()];
        let problem = OgProblem::new(&baskets, &requirements, ItemMeasure::Ncp);
        let cut = in_rounds(&problem);
        prop_assert_eq!(cut.is_some(), best.is_some());
        if let (Some(cut), Some((cost, _))) = (cut, best) {
            prop_assert!(oracle::is_valid(&baskets, &privacy, &cut));
            prop_assert!(problem.prices.of_cut(&cut) >= cost);
        }
    }

    /// Two requirements at once: the best of the cuts that meet both.
    #[test]
    fn several_requirements_hold_at_once((baskets, privacy) in any_counted_instance(), k in 1u64..4, m in 0u64..3) {
        let other = KlPrivacy { k, m, n: 0, theta: vec![Exact::ONE; baskets.sensitive.len()], power: None };
        let requirements = [privacy.clone(), other.clone()];
        let problem = OgProblem::new(&baskets, &requirements, ItemMeasure::Lm);
        let valid = |cut: &Vec<Node>| {
            oracle::is_valid(&baskets, &privacy, cut) && oracle::is_valid(&baskets, &other, cut)
        };
        let cuts = oracle::all_cuts(&baskets.tree);
        let best = cuts.iter().filter(|cut| valid(cut)).map(|cut| problem.prices.of_cut(cut)).min();
        prop_assert_eq!(solved(&problem, &LAZY).map(|reached| reached.cost), best);
        prop_assert_eq!(solved(&problem, &EAGER).map(|reached| reached.cost), best);
        prop_assert!(in_rounds(&problem).is_none_or(|cut| valid(&cut)));
    }

    /// A result within 1 + alpha, and one without any time: both valid, with a correct bound.
    #[test]
    fn approximate_and_hurried_answers_are_honest((baskets, privacy) in any_counted_instance()) {
        let best = oracle::optimum(&baskets, std::slice::from_ref(&privacy), ItemMeasure::Ncp).map(|(cost, _)| cost);
        let requirements = [privacy.clone()];
        let problem = OgProblem::new(&baskets, &requirements, ItemMeasure::Ncp);
        let half = SearchManner { alpha: Exact::new(1, 2).expect("a number"), ..LAZY };
        let reached = solved(&problem, &half);
        prop_assert_eq!(reached.is_some(), best.is_some());
        if let (Some(reached), Some(best)) = (reached, best) {
            prop_assert!(oracle::is_valid(&baskets, &privacy, &reached.cut));
            prop_assert!(2 * reached.cost <= 3 * best && reached.bound.is_some_and(|bound| bound <= best));
        }
        let clock = Clock::unlimited().with_limit(Some(Duration::ZERO));
        match search::run(&problem, &EAGER, &clock) {
            Ok(reached) => {
                prop_assert!(oracle::is_valid(&baskets, &privacy, &reached.cut));
                prop_assert!(reached.bound.is_none_or(|bound| Some(bound) <= best));
            }
            Err(_) => prop_assert!(best.is_none()),
        }
    }
}

#[test]
fn known_answers_are_found() {
    for vector in vectors::vectors() {
        let requirements = [vector.privacy.clone()];
        for measure in ItemMeasure::ALL {
            let problem = OgProblem::new(&vector.baskets, &requirements, measure);
            for manner in [EAGER, LAZY] {
                let found = solved(&problem, &manner).map(|reached| vector.share(reached.cost, measure));
                assert_eq!(found, vector.optimum(measure), "{} by {}", vector.name, measure.name());
            }
        }
        let problem = OgProblem::new(&vector.baskets, &requirements, ItemMeasure::Lm);
        if let Some(text) = vector.expected["mog_lm"].as_str() {
            let expected: Ratio<u128> = text.parse().expect("a fraction");
            let cut = in_rounds(&problem).expect("a cut");
            assert_eq!(
                vector.share(problem.prices.of_cut(&cut), ItemMeasure::Lm),
                expected,
                "{}",
                vector.name
            );
        }
    }
}
