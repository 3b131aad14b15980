//! The heuristics against the literal definition, on small random forests.

use proptest::prelude::*;

use super::recoding::{ItemRecoding, cost_of_everything};
use super::tests::{any_crowd, oracle};
use super::utility::ItemUtility;
use super::{ItemSolution, ItemTask};
use privet_core::clock::Clock;
use privet_core::{ErrorKind, Exact, Result};
use privet_engine::baskets::Baskets;
use privet_engine::itemset::patterns::Patterns;
use privet_engine::loss::items::ItemMeasure;
use privet_engine::privacy::kl::KlPrivacy;
use privet_policy::ItemMethod;
use privet_taxonomy::{ItemTree, Node};

pub(super) fn forest(lines: &[&str]) -> ItemTree {
    let paths: Vec<Vec<String>> =
        lines.iter().map(|line| line.split(';').map(String::from).collect()).collect();
    ItemTree::from_paths(&paths).expect("a forest")
}

/// One tree, a forest, uneven depths with unary nodes, and trees with no inner node except the root.
fn shapes() -> impl Strategy<Value = ItemTree> {
    prop_oneof![
        Just(forest(&["a;P;R", "b;P;R", "c;Q;R", "d;Q;R", "e;Q;R"])),
        Just(forest(&["a;P", "b;P", "c;Q", "d;Q", "e"])),
        Just(forest(&["a;P;R", "b;R", "c;U;Q;R", "d;Q;R", "e;V;R"])),
        Just(forest(&["a;R", "b;R", "c;R", "d;R", "e;R"])),
    ]
}

fn data() -> impl Strategy<Value = Baskets> {
    let row = (
        proptest::collection::btree_set(0usize..5, 0..5),
        proptest::collection::btree_set(0u32..2, 0..2),
        1u64..4,
    );
    (shapes(), proptest::collection::vec(row, 0..10)).prop_map(|(tree, rows)| {
        let leaves: Vec<Node> = tree.nodes().filter(|node| tree.is_leaf(*node)).collect();
        let mut baskets = Baskets::new(tree.into(), vec!["s".into(), "t".into()]);
        for (items, marks, count) in rows {
            let mut items = items.into_iter().map(|item| leaves[item]).collect();
            baskets.add(&mut items, &mut marks.into_iter().collect(), count);
        }
        baskets
    })
}

fn free(k: u64, m: u64, n: u64) -> KlPrivacy {
    KlPrivacy { k, m, n, theta: vec![Exact::ONE; 2], power: None }
}

fn run(name: &str, baskets: &Baskets, requirements: &[KlPrivacy]) -> Result<ItemSolution> {
    let declaration = privet_policy::method::TRANSACTIONS.method(name).expect("declared");
    let method = ItemMethod::with_defaults(declaration).expect("a method");
    super::run(&ItemTask { baskets, requirements, method: &method }, &Clock::unlimited())
}

type ReleasedRows = Vec<(Vec<Node>, Vec<u32>, u64)>;

fn released(baskets: &Baskets, recoding: &ItemRecoding) -> ReleasedRows {
    let all = (0..baskets.len()).flat_map(|basket| recoding.shown(baskets, basket));
    all.map(|shown| (shown.nodes, shown.marks.to_vec(), shown.count)).collect()
}

/// Whether released transactions meet the definition: every signed set of visible nodes is tested.
fn is_private(tree: &ItemTree, rows: &ReleasedRows, requirement: &KlPrivacy) -> bool {
    let holds = |row: &[Node], node: Node| row.iter().any(|published| tree.contains(node, *published));
    let visible: Vec<Node> =
        tree.nodes().filter(|node| rows.iter().any(|(row, _, _)| holds(row, *node))).collect();
    let mut open: Vec<(usize, Vec<(Node, bool)>)> = vec![(0, Vec::new())];
    while let Some((at, known)) = open.pop() {
        let present = known.iter().filter(|(_, present)| *present).count() as u64;
        let absent: u64 =
            known.iter().filter(|(_, present)| !present).map(|(node, _)| u64::from(tree.leaves(*node))).sum();
        if present > requirement.m || absent > requirement.n {
            continue;
        }
        let fitting: Vec<_> = rows
            .iter()
            .filter(|(row, _, _)| known.iter().all(|(node, present)| holds(row, *node) == *present))
            .collect();
        let support = fitting.iter().map(|(_, _, count)| count).sum();
        let with = |mark: u32| {
            fitting.iter().filter(|(_, marks, _)| marks.contains(&mark)).map(|(_, _, count)| count).sum()
        };
        if requirement.is_threat(support, (0..2).map(|mark| (mark, with(mark)))) {
            return false;
        }
        for (next, node) in visible.iter().enumerate().skip(at) {
            for present in [true, false] {
                let mut more = known.clone();
                more.push((*node, present));
                open.push((next + 1, more));
            }
        }
    }
    true
}

/// All cuts.
fn cuts(tree: &ItemTree) -> Vec<Vec<Node>> {
    fn below(tree: &ItemTree, node: Node) -> Vec<Vec<Node>> {
        let mut cuts = if tree.is_leaf(node) { Vec::new() } else { product(tree, tree.children(node)) };
        cuts.push(vec![node]);
        cuts
    }
    fn product(tree: &ItemTree, nodes: impl Iterator<Item = Node>) -> Vec<Vec<Node>> {
        nodes.fold(vec![Vec::new()], |cuts, node| {
            let below = below(tree, node);
            cuts.iter().flat_map(|cut| below.iter().map(move |more| [&cut[..], more].concat())).collect()
        })
    }
    product(tree, tree.roots())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn aa_is_private_and_no_better_than_the_best_cut(
        baskets in data(), k in 1u64..6, m in 0u64..5, stricter in (1u64..6, 0u64..3),
    ) {
        let tree = &baskets.tree;
        let requirements = [free(k, m, 0), free(stricter.0, stricter.1, 0)];
        let valid = |cut: &Vec<Node>| {
            let rows = released(&baskets, &ItemRecoding::of_cut(tree, cut));
            requirements.iter().all(|requirement| is_private(tree, &rows, requirement))
        };
        let cost = |cut: &Vec<Node>| ItemRecoding::of_cut(tree, cut).cost(ItemMeasure::Ncp, &baskets);
        let best = cuts(tree).iter().filter(|cut| valid(cut)).map(cost).min();
        match (run("aa", &baskets, &requirements), best) {
            (Ok(found), Some(best)) => {
                let rows = released(&baskets, &found.recoding);
                prop_assert!(requirements.iter().all(|requirement| is_private(tree, &rows, requirement)));
                prop_assert!(found.recoding.cost(ItemMeasure::Ncp, &baskets) >= best);
                let again = run("aa", &baskets, &requirements).expect("a solution");
                prop_assert_eq!(again.recoding, found.recoding);
            }
            (Err(error), None) => prop_assert_eq!(error.kind(), ErrorKind::Infeasible),
            (found, best) => prop_assert!(false, "{found:?} but the best is {best:?}"),
        }
    }

    /// With several transactions per person: valid by the oracle, and no better than the best cut.
    #[test]
    fn aa_counts_people(baskets in any_crowd(), k in 1u64..6, m in 0u64..5) {
        let privacy = KlPrivacy { k, m, n: 0, theta: vec![Exact::ONE; baskets.sensitive.len()], power: None };
        let best = oracle::optimum(&baskets, std::slice::from_ref(&privacy), ItemMeasure::Ncp);
        match (run("aa", &baskets, std::slice::from_ref(&privacy)), best) {
            (Ok(found), Some((cost, _))) => {
                let ItemRecoding::Global { shown, .. } = &found.recoding else { panic!("a cut") };
                let tree = &baskets.tree;
                let mut cut: Vec<Node> =
                    tree.nodes().filter(|node| tree.is_leaf(*node)).filter_map(|leaf| shown[leaf as usize]).collect();
                cut.sort_unstable();
                cut.dedup();
                prop_assert!(oracle::is_valid(&baskets, &privacy, &cut), "{:?}", cut);
                prop_assert!(found.recoding.cost(ItemMeasure::Ncp, &baskets) >= cost);
            }
            (Err(error), None) => prop_assert_eq!(error.kind(), ErrorKind::Infeasible),
            (found, best) => prop_assert!(false, "{found:?} but the best is {best:?}"),
        }
    }

    /// What remains after suppression threatens nobody; a task is rejected only if nothing at all helps.
    #[test]
    fn mm_counts_people(baskets in any_crowd(), k in 1u64..5, m in 0u64..5, l in 1u64..4) {
        let theta = vec![Exact::new(1, l).expect("a number"); baskets.sensitive.len()];
        let privacy = KlPrivacy { k, m, n: 0, theta, power: None };
        let left = |shown: &[Option<Node>]| {
            let mut left = Baskets::new(baskets.tree.clone(), baskets.sensitive.clone());
            let mut whose = Vec::new();
            let people = baskets.people().expect("people");
            let names: Vec<String> = (0..100).map(|name| name.to_string()).collect();
            let mut next = 50;
            for basket in 0..baskets.len() {
                let mut own: Vec<usize> = people.named(basket).iter().map(|person| *person as usize).collect();
                for _ in 0..people.single(basket) {
                    own.push(next);
                    next += 1;
                }
                for person in own {
                    let mut items = baskets.items(basket).iter().filter_map(|item| shown[*item as usize]).collect();
                    let at = left.push(&mut items, &mut baskets.marks(basket).to_vec());
                    whose.push((names[person].as_str(), at as usize));
                }
            }
            left.name_people(whose);
            left
        };
        let is_valid = |shown: &[Option<Node>]| {
            let tree = &baskets.tree;
            let leaves: Vec<Node> = tree.nodes().filter(|node| tree.is_leaf(*node)).collect();
            oracle::is_valid(&left(shown), &privacy, &leaves)
        };
        match run("mm", &baskets, std::slice::from_ref(&privacy)) {
            Ok(found) => {
                let ItemRecoding::Global { shown, .. } = &found.recoding else { panic!("one way for all") };
                prop_assert!(is_valid(shown), "{:?}", shown);
            }
            Err(error) => {
                prop_assert_eq!(error.kind(), ErrorKind::Infeasible);
                prop_assert!(!is_valid(&vec![None; baskets.tree.len()]));
            }
        }
    }

    #[test]
    fn lg_makes_k_alike_and_covers_every_item_once(
        baskets in data(), k in 1u64..5, m in 0u64..6, n in 0u64..6,
    ) {
        let tree = &baskets.tree;
        let requirement = free(k, m, n);
        let found = match run("lg", &baskets, std::slice::from_ref(&requirement)) {
            Ok(found) => found,
            Err(error) => {
                prop_assert_eq!(error.kind(), ErrorKind::Infeasible);
                // With a requirement of its own kind, it fails only if every cut does.
                let own = free(k, 5, 5);
                let failed = run("lg", &baskets, std::slice::from_ref(&own)).is_err();
                let coarsest: Vec<Node> = tree.roots().collect();
                let rows = released(&baskets, &ItemRecoding::of_cut(tree, &coarsest));
                prop_assert!(failed && !is_private(tree, &rows, &own));
                return Ok(());
            }
        };
        let rows = released(&baskets, &found.recoding);
        prop_assert!(is_private(tree, &rows, &requirement));
        for basket in 0..baskets.len() {
            let shown = found.recoding.shown(&baskets, basket);
            prop_assert_eq!(shown.iter().map(|shown| shown.count).sum::<u64>(), baskets.count(basket));
            for shown in shown {
                for item in baskets.items(basket) {
                    prop_assert_eq!(shown.nodes.iter().filter(|node| tree.contains(**node, *item)).count(), 1);
                }
                let holds = |node: &Node| baskets.items(basket).iter().any(|item| tree.contains(*node, *item));
                prop_assert!(shown.nodes.iter().all(holds));
            }
        }
        for (nodes, _, _) in &rows {
            let alike: u64 = rows.iter().filter(|(other, _, _)| other == nodes).map(|(_, _, count)| count).sum();
            prop_assert!(alike >= k || n == 0 && nodes.is_empty());
        }
        let again = run("lg", &baskets, &[requirement]).expect("a solution");
        prop_assert_eq!(again.recoding, found.recoding);
    }

    #[test]
    fn mm_leaves_no_mole(baskets in data(), k in 1u64..5, m in 0u64..5, l in 1u64..4) {
        let tree = &baskets.tree;
        let theta = vec![Exact::new(1, l).expect("a number"), Exact::new(2, l + 1).expect("a number")];
        let requirement = KlPrivacy { k, m, n: 0, theta, power: None };
        let nothing = released(&baskets, &ItemRecoding::everywhere(vec![None; tree.len()]));
        match run("mm", &baskets, std::slice::from_ref(&requirement)) {
            Ok(found) => {
                prop_assert!(is_private(tree, &released(&baskets, &found.recoding), &requirement));
                let again = run("mm", &baskets, &[requirement]).expect("a solution");
                prop_assert_eq!(again.recoding, found.recoding);
            }
            Err(error) => {
                prop_assert_eq!(error.kind(), ErrorKind::Infeasible);
                prop_assert!(!is_private(tree, &nothing, &requirement));
            }
        }
    }

    #[test]
    fn a_cut_keeps_the_supports_of_what_it_shows(baskets in data(), which: prop::sample::Index) {
        let tree = &baskets.tree;
        let cuts = cuts(tree);
        let cut = &cuts[which.index(cuts.len())];
        let recoding = ItemRecoding::of_cut(tree, cut);
        let clock = Clock::unlimited();
        let threshold = Exact::new(1, 5).expect("a number");
        let utility = ItemUtility::measure(&baskets, &recoding, threshold, &clock).expect("measures");
        prop_assert_eq!((utility.support_off, utility.support_error()), (0, 0.0));
        let visible = |node: &Node| cut.iter().any(|below| tree.contains(*node, *below));
        let rows: Vec<(Vec<Node>, u64)> =
            (0..baskets.len()).map(|basket| (baskets.items(basket).to_vec(), baskets.count(basket))).collect();
        let before = Patterns::mine(tree, &rows, utility.least_support, 1000, &clock).expect("patterns");
        let shown = before.iter().filter(|(nodes, _)| nodes.iter().all(visible)).count() as u64;
        prop_assert_eq!(utility.patterns_before, before.len() as u64);
        let released: Vec<(Vec<Node>, u64)> = (0..baskets.len())
            .flat_map(|basket| recoding.shown(&baskets, basket))
            .map(|shown| (shown.nodes, shown.count))
            .collect();
        let after = Patterns::mine(tree, &released, utility.least_support, 1000, &clock).expect("patterns");
        prop_assert_eq!(before.among(|node| visible(&node)), after);
        prop_assert_eq!((utility.patterns_after, utility.patterns_common), (shown, shown));
    }
}

#[test]
fn plans_and_costs_are_as_computed_by_hand() {
    let tree = forest(&["a;P;R", "b;P;R", "c;Q;R", "d;Q;R"]);
    let item = |label: &str| tree.find(label).expect("an item");
    let (a, b, c, d) = (item("a"), item("b"), item("c"), item("d"));
    let mut baskets = Baskets::new(tree.into(), Vec::new());
    for mut row in [vec![a, c], vec![b, c], vec![a, d], vec![c], vec![c], vec![a], vec![a]] {
        baskets.push(&mut row, &mut vec![]);
    }
    let requirement = KlPrivacy { k: 2, m: 2, n: 0, theta: Vec::new(), power: None };
    let found = run("aa", &baskets, std::slice::from_ref(&requirement)).expect("a cut");
    // {b} and {d} are rare: P and Q; {P, Q} has three.
    assert_eq!(found.plan.outline(), serde_json::json!({ "cut": ["P", "Q"] }));
    assert_eq!(found.search.space.as_deref(), Some("5"));
    assert_eq!(found.recoding.cost(ItemMeasure::Ncp, &baskets), 20);
    assert_eq!(cost_of_everything(ItemMeasure::Ncp, &baskets), 40);
    // Without b and d, {a, c} is the one mole left; a and c occur four times each, and a comes first.
    let found = run("mm", &baskets, std::slice::from_ref(&requirement)).expect("items");
    assert_eq!(found.plan.outline(), serde_json::json!({ "suppressed": ["a", "b", "d"] }));
    let found = run("lg", &baskets, &[requirement]).expect("parts");
    let ItemRecoding::Local { sets, .. } = &found.recoding else { panic!("local recoding") };
    assert_eq!(found.plan.outline()["sets"], sets.len());
    // {c}, {c} and {a}, {a} stay unchanged; the other three look alike.
    assert_eq!(found.recoding.cost(ItemMeasure::Ncp, &baskets), 12);
}

#[test]
fn a_long_row_of_rare_items_is_soon_done() {
    const RARE: usize = 5000;
    let labels: Vec<String> = (0..RARE + 20).map(|item| format!("item {item}")).collect();
    let tree = ItemTree::flat(labels.iter().map(String::as_str)).expect("a tree");
    let common = RARE as Node + 1;
    for theta in [Vec::new(), vec![Exact::new(1, 3).expect("a number")]] {
        let mut baskets = Baskets::new(tree.clone().into(), theta.iter().map(|_| "s".into()).collect());
        baskets.push(&mut (1..common + 20).collect(), &mut vec![]);
        for row in 0..1000 {
            let mut items: Vec<Node> = (0..10).map(|at| common + (row + at) % 20).collect();
            let mut marks = if row % 7 == 0 && !theta.is_empty() { vec![0] } else { vec![] };
            baskets.push(&mut items, &mut marks);
        }
        let began = std::time::Instant::now();
        let found =
            run("mm", &baskets, &[KlPrivacy { k: 5, m: 2, n: 0, theta, power: None }]).expect("items");
        // Common items ten apart occur together in the long row only: one item of each such pair is suppressed.
        let crate::plan::Plan::ItemsLeftOut(plan) = found.plan else { panic!("items to leave out") };
        assert_eq!(plan.suppressed.len(), RARE + 10);
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    }
}
