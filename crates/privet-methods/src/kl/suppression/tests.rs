//! Suppression against all cuts with all sets of their nodes, and against all parts of tiny data.

use proptest::prelude::*;

use super::*;
use crate::kl::tests::{any_counted_instance, oracle};
use privet_core::{ErrorKind, Exact};
use privet_engine::baskets::Baskets;
use privet_engine::loss::items::ItemMeasure;
use privet_engine::privacy::kl::KlPrivacy;
use privet_policy::method::{ItemCost, Og};
use privet_policy::requirement::{self, Power};
use privet_policy::{ItemMethod, ItemRequirement};
use privet_taxonomy::ItemTree;

fn og(cost: ItemCost, limits: ItemLimits) -> ItemMethod {
    let (item_suppression_limit, suppression_limit) = (limits.items, limits.transactions);
    ItemMethod::Og(Og { cost, item_suppression_limit, suppression_limit, ..Og::default() })
}

fn limits(items: Exact, transactions: Exact) -> ItemLimits {
    ItemLimits { items, transactions }
}

/// Whether what some distinct baskets publish has no threat, by the definition: every set of at most m nodes at or above
/// a published one.
fn is_private(
    baskets: &Baskets,
    shown: &[Option<Node>],
    is_left: impl Fn(usize) -> bool,
    privacy: &KlPrivacy,
) -> bool {
    let tree: &ItemTree = &baskets.tree;
    let published = |basket: usize| baskets.items(basket).iter().filter_map(|item| shown[*item as usize]);
    let holds = |basket: usize, node: Node| published(basket).any(|own| tree.contains(node, own));
    let left: Vec<usize> = (0..baskets.len()).filter(|basket| is_left(*basket)).collect();
    let mut waiting = vec![(0, 0, left)];
    while let Some((node, known, fitting)) = waiting.pop() {
        if fitting.is_empty() || known > privacy.m {
            continue;
        }
        if node as usize == tree.len() {
            let counts = (0..baskets.sensitive.len() as u32).map(|mark| {
                let marked = fitting.iter().copied().filter(|basket| baskets.marks(*basket).contains(&mark));
                (mark, oracle::heads(baskets, &marked.collect::<Vec<_>>()))
            });
            if privacy.is_threat(oracle::heads(baskets, &fitting), counts) {
                return false;
            }
            continue;
        }
        let with = fitting.iter().copied().filter(|basket| holds(*basket, node)).collect();
        waiting.push((node + 1, known + 1, with));
        waiting.push((node + 1, known, fitting));
    }
    true
}

/// The least cost of any cut with any of its nodes suppressed.
fn least(baskets: &Baskets, privacy: &KlPrivacy, measure: ItemMeasure, limit: Exact) -> Option<u128> {
    let occurrences = baskets.occurrences();
    let tree = &baskets.tree;
    let all: u64 = tree.roots().map(|root| occurrences[root as usize]).sum();
    let mut least: Option<u128> = None;
    for cut in oracle::all_cuts(tree) {
        for chosen in 0u32..1 << cut.len() {
            let picked =
                cut.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, node)| *node);
            let choice = Choice { suppressed: picked.collect(), ..Choice::of_cut(cut.clone()) };
            let lost: u64 = choice.suppressed.iter().map(|node| occurrences[*node as usize]).sum();
            if lost <= limit.floor_of(all) && is_private(baskets, &choice.shown(tree), |_| true, privacy) {
                let cost = choice.recoding(tree).cost(measure, baskets);
                least = Some(least.map_or(cost, |known| known.min(cost)));
            }
        }
    }
    least
}

/// A measure of power over a tree: groups by their leaves, or weights of some items and groups.
fn any_measure() -> impl Strategy<Value = Option<Vec<u64>>> {
    prop_oneof![Just(None), prop::collection::vec(1u64..5, 1..6).prop_map(Some)]
}

/// What a measure says of a tree: prices in halves of an item, worked out from the definition.
fn measured(measure: &Option<Vec<u64>>, tree: &ItemTree) -> (Power, Vec<u64>) {
    let Some(weights) = measure else {
        return (Power::Leaves, tree.nodes().map(|node| 2 * u64::from(tree.leaves(node))).collect());
    };
    let weight = |node: Node| weights.get(node as usize % (2 * weights.len())).copied();
    let named = tree.nodes().filter_map(|node| {
        Some((tree.label(node).to_string(), Exact::new(weight(node)?, 2).expect("a weight")))
    });
    let least = |node: Node| {
        let below = (node..tree.end(node)).filter_map(|below| match weight(below) {
            None if tree.is_leaf(below) => Some(2),
            own => own,
        });
        below.min().expect("an item")
    };
    (Power::Weights(named.collect()), tree.nodes().map(least).collect())
}

/// Whether what is published has no threat among the sets of visible nodes that cost at most m together.
fn is_private_for(
    baskets: &Baskets,
    shown: &[Option<Node>],
    is_left: impl Fn(usize) -> bool,
    privacy: &KlPrivacy,
    (prices, budget): (&[u64], u64),
) -> bool {
    let tree: &ItemTree = &baskets.tree;
    let published = |basket: usize| baskets.items(basket).iter().filter_map(|item| shown[*item as usize]);
    let holds = |basket: usize, node: Node| published(basket).any(|own| tree.contains(node, own));
    let left: Vec<usize> = (0..baskets.len()).filter(|basket| is_left(*basket)).collect();
    let mut waiting = vec![(0, 0, left)];
    while let Some((node, spent, fitting)) = waiting.pop() {
        if fitting.is_empty() || spent > budget {
            continue;
        }
        if node as usize == tree.len() {
            let counts = (0..baskets.sensitive.len() as u32).map(|mark| {
                let marked = fitting.iter().copied().filter(|basket| baskets.marks(*basket).contains(&mark));
                (mark, oracle::heads(baskets, &marked.collect::<Vec<_>>()))
            });
            if privacy.is_threat(oracle::heads(baskets, &fitting), counts) {
                return false;
            }
            continue;
        }
        let with = fitting.iter().copied().filter(|basket| holds(*basket, node)).collect();
        waiting.push((node + 1, spent + prices[node as usize], with));
        waiting.push((node + 1, spent, fitting));
    }
    true
}

fn any_limit() -> impl Strategy<Value = Exact> {
    prop::sample::select(vec![(1, 10), (1, 4), (1, 3), (1, 2), (1, 1)])
        .prop_map(|(part, whole)| Exact::new(part, whole).expect("a share"))
}

proptest! {
    #![proptest_config(privet_core::testing::cases(400))]

    /// The optimum over all cuts and all suppressed nodes, proven; mOG is valid and costs at least as much.
    #[test]
    fn item_suppression_is_optimal((baskets, privacy) in any_counted_instance(), limit in any_limit()) {
        let privacy = KlPrivacy { n: 0, ..privacy };
        let requirements = std::slice::from_ref(&privacy);
        let tree = &baskets.tree;
        for (cost, measure) in [(ItemCost::Ncp, ItemMeasure::Ncp), (ItemCost::Lm, ItemMeasure::Lm)] {
            let best = least(&baskets, &privacy, measure, limit);
            let own = limits(limit, Exact::ZERO);
            let rounds = ItemMethod::Mog(privet_policy::method::Mog {
                cost, item_suppression_limit: limit, ..Default::default()
            });
            for method in [og(cost, own), rounds] {
                let task = ItemTask { baskets: &baskets, requirements, method: &method };
                match (crate::kl::run(&task, &Clock::unlimited()), best) {
                    (Ok(found), Some(best)) => {
                        let ItemRecoding::Global { shown, removed } = &found.recoding else { panic!("a cut") };
                        prop_assert!(removed.is_empty());
                        prop_assert!(is_private(&baskets, shown, |_| true, &privacy));
                        let reached = found.recoding.cost(measure, &baskets);
                        let occurrences = baskets.occurrences();
                        let all: u64 = tree.roots().map(|root| occurrences[root as usize]).sum();
                        prop_assert!(found.recoding.suppressed(&baskets) <= limit.floor_of(all));
                        prop_assert!(reached >= best);
                        if matches!(method, ItemMethod::Og(_)) {
                            prop_assert_eq!(reached, best);
                            prop_assert!(found.search.optimal);
                        }
                    }
                    (Err(error), None) => prop_assert_eq!(error.kind(), ErrorKind::Infeasible),
                    // mOG proves nothing: it may miss what only a finer cut allows.
                    (Err(error), Some(_)) if matches!(method, ItemMethod::Mog(_)) => {
                        prop_assert_eq!(error.kind(), ErrorKind::Infeasible);
                    }
                    (found, best) => prop_assert!(false, "{:?} but the best is {:?}", found, best),
                }
            }
        }
    }

    /// For l = 1, what the fixed point leaves of a cut is the largest part without a threat: every valid part is in it.
    #[test]
    fn removal_leaves_the_largest_valid_part((baskets, privacy) in any_counted_instance(), at in any::<prop::sample::Index>()) {
        let theta = vec![Exact::ONE; baskets.sensitive.len()];
        let privacy = KlPrivacy { n: 0, theta, ..privacy };
        let requirements = std::slice::from_ref(&privacy);
        let cuts = oracle::all_cuts(&baskets.tree);
        let mut choice = Choice::of_cut(cuts[at.index(cuts.len())].clone());
        let method = og(ItemCost::Ncp, limits(Exact::ZERO, Exact::ONE));
        let task = ItemTask { baskets: &baskets, requirements, method: &method };
        let problem = SuppressionProblem::new(&task, method.limits());
        problem.remove(&mut choice, u64::MAX, &Clock::unlimited()).expect("removed");
        let shown = choice.shown(&baskets.tree);
        let is_left = |basket: usize| choice.removed.binary_search(&(basket as u32)).is_err();
        prop_assert!(is_private(&baskets, &shown, is_left, &privacy));
        for part in 0u32..1 << baskets.len() {
            let in_part = |basket: usize| part >> basket & 1 == 1;
            if is_private(&baskets, &shown, in_part, &privacy) {
                prop_assert!((0..baskets.len()).all(|basket| !in_part(basket) || is_left(basket)));
            }
        }
    }

    /// Other measures of power: the optimum over all cuts and all suppressed nodes, proven; mOG is valid.
    #[test]
    fn other_measures_of_power_are_optimal(
        (baskets, privacy) in any_counted_instance(),
        measure in any_measure(),
        m in 0u64..4,
        limit in prop_oneof![Just(Exact::ZERO), any_limit()],
    ) {
        let tree: &ItemTree = &baskets.tree;
        let (power, prices) = measured(&measure, tree);
        let theta = privacy.theta.first().copied().unwrap_or(Exact::ONE);
        let asked = ItemRequirement::KlPrivacy(requirement::KlPrivacy {
            k: privacy.k,
            l: Exact::new(theta.denominator(), theta.numerator()).expect("a bound"),
            m,
            n: 0,
            theta: Default::default(),
            power: Some(power),
        });
        let privacy = KlPrivacy::new(&asked, tree, &baskets.sensitive).expect("a requirement");
        let within = (&prices[..], 2 * m);
        let occurrences = baskets.occurrences();
        let all: u64 = tree.roots().map(|root| occurrences[root as usize]).sum();
        let mut least: Option<u128> = None;
        for cut in oracle::all_cuts(tree) {
            let sets = if limit == Exact::ZERO { 1 } else { 1u32 << cut.len() };
            for chosen in 0..sets {
                let picked =
                    cut.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, node)| *node);
                let choice = Choice { suppressed: picked.collect(), ..Choice::of_cut(cut.clone()) };
                let lost: u64 = choice.suppressed.iter().map(|node| occurrences[*node as usize]).sum();
                let shown = choice.shown(tree);
                if lost <= limit.floor_of(all) && is_private_for(&baskets, &shown, |_| true, &privacy, within) {
                    let cost = choice.recoding(tree).cost(ItemMeasure::Ncp, &baskets);
                    least = Some(least.map_or(cost, |known| known.min(cost)));
                }
            }
        }
        let requirements = std::slice::from_ref(&privacy);
        let rounds = ItemMethod::Mog(privet_policy::method::Mog {
            item_suppression_limit: limit, ..Default::default()
        });
        for method in [og(ItemCost::Ncp, limits(limit, Exact::ZERO)), rounds] {
            let task = ItemTask { baskets: &baskets, requirements, method: &method };
            match (crate::kl::run(&task, &Clock::unlimited()), least) {
                (Ok(found), Some(least)) => {
                    let ItemRecoding::Global { shown, .. } = &found.recoding else { panic!("a cut") };
                    prop_assert!(is_private_for(&baskets, shown, |_| true, &privacy, within));
                    let reached = found.recoding.cost(ItemMeasure::Ncp, &baskets);
                    prop_assert!(reached >= least);
                    if matches!(method, ItemMethod::Og(_)) {
                        prop_assert_eq!(reached, least);
                        prop_assert!(found.search.optimal);
                    }
                }
                (Err(error), None) => prop_assert_eq!(error.kind(), ErrorKind::Infeasible),
                (Err(error), Some(_)) if matches!(method, ItemMethod::Mog(_)) => {
                    prop_assert_eq!(error.kind(), ErrorKind::Infeasible);
                }
                (found, least) => prop_assert!(false, "{:?} but the best is {:?}", found, least),
            }
        }
    }

    /// With transactions and items removed from small data: the best of all cuts with all sets of their nodes, each with
    /// what it leaves to be removed, or none if none keeps the limits.
    #[test]
    fn few_choices_are_all_looked_at(
        (baskets, privacy) in any_counted_instance(),
        limit in any_limit(),
        items in prop_oneof![Just(Exact::ZERO), any_limit()],
    ) {
        let privacy = KlPrivacy { n: 0, ..privacy };
        let requirements = std::slice::from_ref(&privacy);
        let tree = &baskets.tree;
        let own = limits(items, limit);
        let method = og(ItemCost::Ncp, own);
        let task = ItemTask { baskets: &baskets, requirements, method: &method };
        let problem = SuppressionProblem::new(&task, own);
        let mut least: Option<u128> = None;
        for cut in oracle::all_cuts(tree) {
            for chosen in 0u32..1 << cut.len() {
                let picked =
                    cut.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, node)| *node);
                let mut choice = Choice { suppressed: picked.collect(), ..Choice::of_cut(cut.clone()) };
                if problem.lost(&choice) > problem.limits[0] {
                    continue;
                }
                problem.remove(&mut choice, u64::MAX, &Clock::unlimited()).expect("removed");
                let recoding = choice.recoding(tree);
                if recoding.removed(&baskets) + recoding.emptied(&baskets) <= problem.limits[1] {
                    let cost = recoding.cost(ItemMeasure::Ncp, &baskets);
                    least = Some(least.map_or(cost, |known| known.min(cost)));
                }
            }
        }
        match (crate::kl::run(&task, &Clock::unlimited()), least) {
            (Ok(found), Some(least)) => {
                prop_assert!(found.search.optimal);
                prop_assert_eq!(found.recoding.cost(ItemMeasure::Ncp, &baskets), least);
            }
            // Where knowing nothing is a threat, everything holds it: that is refused at once.
            (Err(error), least) => {
                prop_assert_eq!(error.kind(), ErrorKind::Infeasible);
                prop_assert!(least.is_none() || crate::kl::feasible::check_empty(&task).is_err());
            }
            (found, least) => prop_assert!(false, "{:?} but the best is {:?}", found, least),
        }
    }

    /// With transactions removed: valid, within the limits, and above the bound, which no fixed point of any cut beats.
    #[test]
    fn removal_is_bounded(
        (baskets, privacy) in any_counted_instance(),
        limit in any_limit(),
        items in prop_oneof![Just(Exact::ZERO), any_limit()],
    ) {
        let privacy = KlPrivacy { n: 0, ..privacy };
        let requirements = std::slice::from_ref(&privacy);
        let tree = &baskets.tree;
        let own = limits(items, limit);
        let method = og(ItemCost::Ncp, own);
        let task = ItemTask { baskets: &baskets, requirements, method: &method };
        let problem = SuppressionProblem::new(&task, own);
        let mut least: Option<u128> = None;
        for cut in oracle::all_cuts(tree) {
            let mut choice = Choice::of_cut(cut);
            problem.remove(&mut choice, u64::MAX, &Clock::unlimited()).expect("removed");
            let shown = choice.shown(tree);
            let is_left = |basket: usize| choice.removed.binary_search(&(basket as u32)).is_err();
            prop_assert!(is_private(&baskets, &shown, is_left, &privacy));
            if choice.recoding(tree).removed(&baskets) <= problem.limits[1] {
                let cost = choice.recoding(tree).cost(ItemMeasure::Ncp, &baskets);
                least = Some(least.map_or(cost, |known| known.min(cost)));
            }
        }
        match crate::kl::run(&task, &Clock::unlimited()) {
            Ok(found) => {
                let ItemRecoding::Global { shown, .. } = &found.recoding else { panic!("a cut") };
                let is_left = |basket: usize| !found.recoding.is_removed(basket);
                prop_assert!(is_private(&baskets, shown, is_left, &privacy));
                let gone = found.recoding.removed(&baskets) + found.recoding.emptied(&baskets);
                prop_assert!(gone <= problem.limits[1]);
                let everything = cost_of_everything(ItemMeasure::Ncp, &baskets) as f64;
                let cost = found.recoding.cost(ItemMeasure::Ncp, &baskets) as f64;
                let bound = found.search.bound.expect("a bound") * everything;
                prop_assert!(bound <= cost + 1e-6);
                prop_assert!(least.is_none_or(|least| bound <= least as f64 + 1e-6));
                prop_assert!(!found.search.optimal || least.is_none_or(|least| cost <= least as f64 + 1e-6));
            }
            Err(error) => prop_assert_eq!(error.kind(), ErrorKind::Infeasible),
        }
    }
}

/// Two groups that one transaction has together: without suppression everything becomes the root.
#[test]
fn one_transaction_no_longer_forces_the_root() {
    let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
    let tree =
        ItemTree::from_paths(&[path("a;A;R"), path("b;A;R"), path("c;B;R"), path("d;B;R")]).expect("a tree");
    let item = |label: &str| tree.find(label).expect("an item");
    let mut baskets = Baskets::new(tree.clone().into(), Vec::new());
    for label in ["a", "b", "c"] {
        baskets.add(&mut vec![item(label)], &mut vec![], 9);
    }
    baskets.add(&mut vec![item("a"), item("d")], &mut vec![], 1);
    let requirements = [KlPrivacy { k: 2, m: 2, n: 0, theta: Vec::new(), power: None }];
    let run = |items: &str, transactions: &str| {
        let exact = |text: &str| Exact::parse(text).expect("a number");
        let method = og(ItemCost::Ncp, limits(exact(items), exact(transactions)));
        let task = ItemTask { baskets: &baskets, requirements: &requirements, method: &method };
        let found = crate::kl::run(&task, &Clock::unlimited()).expect("a release");
        (found.recoding.loss(ItemMeasure::Ncp, &baskets).to_string(), found.search.optimal)
    };
    assert_eq!(run("0", "0"), ("1".into(), true));
    // 'd' is suppressed: 1 of 29 occurrences.
    assert_eq!(run("0.05", "0"), ("1/29".into(), true));
    // The transaction is removed, with both of its items.
    assert_eq!(run("0", "0.05").0, "2/29");
    // Cheaper of both.
    assert_eq!(run("0.05", "0.05").0, "1/29");
}
