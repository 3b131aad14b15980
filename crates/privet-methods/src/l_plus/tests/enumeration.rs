//! The enumeration tree against brute force, and its bounds against the cuts of random subtrees.

use super::*;
use crate::l_plus::enumeration::{EnumerationTechniques, enumerate};
use crate::l_plus::partition::Partition;

/// A cut with open values, as the search reaches it.
struct SubtreeNode<'a> {
    problem: &'a LPlusProblem,
    partition: Partition<'a>,
    open: Vec<(usize, u32)>,
    locked: Vec<(usize, u32)>,
}

impl<'a> SubtreeNode<'a> {
    fn root(problem: &'a LPlusProblem) -> SubtreeNode<'a> {
        let roots = (0..problem.forest.trees.len()).map(|column| (column, 0));
        let open = roots.filter(|(column, node)| !problem.forest.trees[*column].is_leaf(*node)).collect();
        SubtreeNode { problem, partition: Partition::new(problem), open, locked: Vec::new() }
    }

    /// The value that the bound must not exceed.
    fn least(&self) -> Amount {
        let forest = &self.problem.forest;
        let of_column = |column: usize| {
            let of_column = self.open.iter().filter(|(other, _)| *other == column);
            of_column.map(|(_, node)| *node).collect()
        };
        let open: Vec<Vec<u32>> = (0..forest.trees.len()).map(of_column).collect();
        let interval = Interval::below(forest, &self.partition.cut(), &open);
        let inside =
            all_cuts(&self.problem.forest).into_iter().filter(|cut| holds(self.problem, &interval, cut));
        inside.map(|cut| cost(self.problem, &cut)).min().unwrap_or(FORBIDDEN)
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn the_enumeration_finds_what_brute_force_and_the_interval_search_find(
        case in any_case(),
        descending in any::<bool>(),
        tighten in any::<bool>(),
    ) {
        let order = if descending { "descending" } else { "ascending" };
        let more = format!("search = \"enumeration\"\norder = \"{order}\"\ntighten = {tighten}\n");
        let (_folder, policy, microdata) = read(&case, &more);
        let best = case.cuts().iter().filter_map(|cut| case.cost(cut)).min();
        let solution = crate::run(&policy, &microdata, &Clock::unlimited());
        let (_folder, policy, microdata) = read(&case, "");
        let by_intervals = crate::run(&policy, &microdata, &Clock::unlimited());
        match (best, solution, by_intervals) {
            (None, Err(error), Err(_)) => prop_assert_eq!(error.kind(), privet_core::ErrorKind::Infeasible),
            (Some(best), Ok(solution), Ok(by_intervals)) => {
                prop_assert_eq!(exact(&solution), best);
                prop_assert_eq!(exact(&by_intervals), best);
                prop_assert!(solution.search.optimal);
                prop_assert_eq!(case.cost(&published(&case, &solution)), Some(best));
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn an_approximate_enumeration_is_within_its_promise(case in any_case()) {
        let (_folder, policy, microdata) = read(&case, "search = \"enumeration\"\napproximation = 0.5\n");
        let best = case.cuts().iter().filter_map(|cut| case.cost(cut)).min();
        if let (Some(best), Ok(solution)) = (best, crate::run(&policy, &microdata, &Clock::unlimited())) {
            prop_assert!(exact(&solution) <= best * ratio(3, 2));
            prop_assert!(solution.search.bound.expect("a bound") <= as_f64(&best) + 1e-9);
        }
    }

    #[test]
    fn no_bound_of_a_subtree_is_above_one_of_its_cuts(
        case in any_case(),
        tighten in any::<bool>(),
        choices in prop::collection::vec((0usize..16, any::<bool>()), 0..8),
    ) {
        let (_folder, policy, microdata) = read(&case, "");
        let problem = build(&policy, &microdata);
        let mut node = SubtreeNode::root(&problem);
        let coarsest = (node.partition.cost(), node.partition.bound());
        // How to undo each step.
        let mut steps: Vec<Option<((usize, u32), usize)>> = Vec::new();
        for (choice, specialise) in choices {
            if node.open.is_empty() {
                break;
            }
            let (column, value) = node.open.remove(choice % node.open.len());
            if specialise {
                node.partition.specialise(column, value);
                let tree = &problem.forest.trees[column];
                let inner = tree.children(value).filter(|child| !tree.is_leaf(*child));
                node.open.extend(inner.map(|child| (column, child)));
                steps.push(None);
            } else {
                let changes = node.partition.changes();
                node.partition.lock(column, value, tighten);
                node.locked.push((column, value));
                steps.push(Some(((column, value), changes)));
            }
            let (least, bound) = (node.least(), node.partition.bound());
            prop_assert!(bound <= least, "{bound} > {least} at {:?}, open {:?}", node.partition.cut(), node.open);
            prop_assert_eq!(node.partition.cost(), cost(&problem, &node.partition.cut()));
        }
        for step in steps.into_iter().rev() {
            match step {
                None => node.partition.generalise(),
                Some((value, changes)) => node.partition.unlock(&[value], changes),
            }
        }
        prop_assert_eq!((node.partition.cost(), node.partition.bound()), coarsest);
        prop_assert_eq!(node.partition.cut(), problem.forest.coarsest());
    }

    #[test]
    fn a_search_that_is_stopped_knows_a_bound(case in any_case()) {
        let (_folder, policy, microdata) = read(&case, "");
        let problem = build(&policy, &microdata);
        let clock = Clock::unlimited().with_limit(Some(std::time::Duration::ZERO));
        let techniques = EnumerationTechniques { descending: true, tighten: true };
        let found = enumerate(&problem, techniques, &privet_engine::cut::Limits::default(), &clock).expect("found");
        let least = all_cuts(&problem.forest).iter().map(|cut| cost(&problem, cut)).min().expect("a cut");
        prop_assert!(found.bound <= least);
        prop_assert_eq!(found.best.first().map_or(FORBIDDEN, |(cost, _)| *cost), cost(&problem, &problem.forest.coarsest()));
        prop_assert_eq!(found.trace.last().map(|step| step.bound), Some(found.bound));
    }
}

#[test]
fn what_the_enumeration_cannot_do_is_refused() {
    let case = LPlusCase {
        trees: vec![vec![vec!["a".into(), "*".into()], vec!["b".into(), "*".into()]]],
        rows: [["a", "s0"], ["b", "s1"]].map(|[q, s]| vec![q.into(), s.into(), "label0".into()]).to_vec(),
        theta: [("s0".to_string(), (1, 2)), ("s1".to_string(), (1, 2))].into(),
        k: 1,
        scheme: "all-rec",
        metric: "LM",
        weights: Vec::new(),
    };
    let refused = [
        ("search = \"enumeration\"\ntop = 2\n", "'top' needs several"),
        ("search = \"enumeration\"\nbreak_minimality = true\n", "'break_minimality' needs several"),
        ("order = \"ascending\"\n", "'order' means nothing"),
        ("tighten = false\n", "'tighten' means nothing"),
    ];
    for (more, words) in refused {
        // Rejected when the policy is checked.
        let (_folder, policy) = written("l-plus-optimize", &case, more);
        let error = policy.check(None).expect_err("refused");
        assert!(error.to_string().contains(words), "{error}");
    }
}
