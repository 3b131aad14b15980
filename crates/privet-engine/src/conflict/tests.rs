use proptest::prelude::*;

use super::*;
use privet_core::Exact;
use privet_core::clock::Clock;

/// A random forest of up to a dozen leaves: each line is a leaf below some of four levels.
fn forests() -> impl Strategy<Value = ItemTree> {
    proptest::collection::vec((0u8..2, 0u8..3, 0u8..2, 0u8..4), 1..12).prop_map(|leaves| {
        let paths: Vec<Vec<String>> = (leaves.iter().enumerate())
            .map(|(at, (root, group, part, depth))| {
                let full = [
                    format!("leaf{at}"),
                    format!("{root}-{group}-{part}"),
                    format!("{root}-{group}"),
                    format!("{root}"),
                ];
                full.iter().take(1).chain(full.iter().skip(4 - *depth as usize)).cloned().collect()
            })
            .collect();
        ItemTree::from_paths(&paths).expect("a forest")
    })
}

fn respects(tree: &ItemTree, cut: &[Node], forbidden: &[Vec<Node>]) -> bool {
    let visible = |node: Node| cut.iter().any(|shown| tree.contains(node, *shown));
    !forbidden.iter().any(|nodes| nodes.iter().all(|node| visible(*node)))
}

fn all_cuts(tree: &ItemTree) -> Vec<Vec<Node>> {
    let inner: Vec<Node> = tree.nodes().filter(|node| !tree.is_leaf(*node)).collect();
    let mut cuts: Vec<Vec<Node>> = (0u32..1 << inner.len())
        .map(|chosen| {
            cut_of(tree, |node| {
                inner.iter().position(|inner| *inner == node).is_some_and(|at| chosen >> at & 1 == 1)
            })
        })
        .collect();
    cuts.sort();
    cuts.dedup();
    cuts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// The cheapest cut that shows none of the forbidden sets of nodes, against all cuts.
    #[test]
    fn the_best_cut_is_found(
        tree in forests(),
        picks in proptest::collection::vec(proptest::collection::vec(any::<proptest::sample::Index>(), 1..4), 0..12),
        weights in proptest::collection::vec(0u64..20, 40),
        alpha in prop_oneof![Just("0"), Just("1/4")],
    ) {
        let forbidden: Vec<Vec<Node>> =
            picks.iter().map(|pick| pick.iter().map(|index| index.index(tree.len()) as Node).collect()).collect();
        let mut cost = vec![0u128; tree.len()];
        for node in tree.nodes().rev().filter(|node| !tree.is_leaf(*node)) {
            let below: u128 = tree.children(node).map(|child| cost[child as usize]).sum();
            cost[node as usize] = below + u128::from(weights[node as usize % weights.len()]);
        }
        let prices = Prices::new(&tree, cost);
        let mut conflicts = Conflicts::new(&tree);
        for nodes in &forbidden {
            conflicts.insert(&tree, between(&tree, nodes.iter().copied()), ());
        }
        let best = all_cuts(&tree).into_iter().filter(|cut| respects(&tree, cut, &forbidden)).map(|cut| prices.of_cut(&cut)).min();
        prop_assert_eq!(conflicts.impossible().is_some(), best.is_none());
        if let Some(best) = best {
            let alpha = Exact::parse(alpha).expect("a number");
            let solved = solve(&tree, &prices, &conflicts, alpha, &Clock::unlimited()).expect("solved");
            prop_assert!(respects(&tree, &solved.cut, &forbidden));
            prop_assert_eq!(prices.of_cut(&solved.cut), solved.cost);
            prop_assert!(solved.bound <= best);
            if alpha == Exact::ZERO {
                prop_assert_eq!(solved.cost, best);
                prop_assert_eq!(solved.bound, best);
            } else {
                prop_assert!(solved.cost * 4 <= best * 5 + 4, "{} against {}", solved.cost, best);
            }
        }
    }
}

#[test]
fn conflicts_stay_minimal() {
    let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
    let tree =
        ItemTree::from_paths(&[path("a;A;R"), path("b;A;R"), path("c;B;R"), path("d;B;R")]).expect("a tree");
    let find = |label: &str| tree.find(label).expect("a node");
    let mut conflicts = Conflicts::new(&tree);
    assert!(conflicts.insert(&tree, between(&tree, [find("a"), find("c")]), 1));
    assert!(!conflicts.insert(&tree, between(&tree, [find("b"), find("d"), find("a")]), 2));
    assert_eq!((conflicts.len(), conflicts.locks()), (1, 0));
    assert!(conflicts.insert(&tree, between(&tree, [find("c"), find("B")]), 3));
    assert_eq!((conflicts.len(), conflicts.locks()), (0, 1));
    assert_eq!(
        conflicts.frontier(&tree).iter().map(|node| tree.label(*node)).collect::<Vec<_>>(),
        ["a", "b", "B"]
    );
    assert!(conflicts.insert(&tree, between(&tree, [find("R")]), 4));
    assert_eq!(conflicts.impossible(), Some(&4));
}
