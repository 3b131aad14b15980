//! The methods for transactions against brute force: tiny random instances, and cases with known answers.

pub mod oracle;
pub mod vectors;

use proptest::prelude::*;
use proptest::sample::select;

use crate::Exact;
use crate::engine::baskets::Baskets;
use crate::privacy::kl::KlPrivacy;
use crate::taxonomy::{ItemTree, Node};

/// No more items than this: every cut and every itemset is enumerated.
const MOST_LEAVES: usize = 7;

/// Tiny forests: ragged, with unary chains, at times two trees.
pub fn any_tree() -> impl Strategy<Value = ItemTree> {
    (prop::collection::vec(0usize..60, 1..11), prop::bool::weighted(0.25)).prop_map(|(choices, two)| {
        // Each node hangs below an earlier one; where there are two trees, the second node is a root as well.
        let mut parents: Vec<Option<usize>> = vec![None];
        for (at, choice) in choices.into_iter().enumerate() {
            let parent = if two && at == 0 { None } else { Some(choice % parents.len()) };
            parents.push(parent);
            let leaves = (0..parents.len()).filter(|node| !parents.contains(&Some(*node))).count();
            if leaves > MOST_LEAVES {
                parents.pop();
                break;
            }
        }
        let path = |leaf: usize| {
            let up = std::iter::successors(Some(leaf), |node| parents[*node]);
            up.map(|node| format!("n{node}")).collect()
        };
        let leaves = (0..parents.len()).filter(|node| !parents.contains(&Some(*node)));
        ItemTree::from_paths(&leaves.map(path).collect::<Vec<Vec<String>>>()).expect("a forest")
    })
}

/// Up to eight transactions over a tiny forest, with up to two sensitive items. Some are empty, some hold sensitive
/// items only, some items are in none.
pub fn any_baskets() -> impl Strategy<Value = Baskets> {
    let rows = prop::collection::vec((0u32..1 << MOST_LEAVES, 0u32..1 << MOST_LEAVES, 0u32..16), 0..9);
    (any_tree(), rows, 0usize..3, any::<bool>()).prop_map(|(tree, rows, marks, dense)| {
        let items: Vec<Node> = tree.nodes().filter(|node| tree.is_leaf(*node)).collect();
        let sensitive = (0..marks).map(|mark| format!("s{mark}")).collect();
        let mut baskets = Baskets::new(tree.into(), sensitive);
        for (one, other, marked) in rows {
            let held = if dense { one } else { one & other };
            let mut held: Vec<Node> =
                (0..items.len()).filter(|at| held >> at & 1 == 1).map(|at| items[at]).collect();
            // A mark needs two bits of four, so that most transactions have none.
            let mut marked =
                (0..marks as u32).filter(|mark| marked >> (2 * mark) & 3 == 3).collect::<Vec<_>>();
            baskets.push(&mut held, &mut marked);
        }
        baskets
    })
}

/// Requirements for so many sensitive items.
pub fn any_privacy(marks: usize) -> impl Strategy<Value = KlPrivacy> {
    let theta = select(vec![(1, 1), (2, 3), (1, 2), (1, 3)]);
    (1u64..5, theta, 0u64..4, 0u64..4).prop_map(move |(k, (over, under), m, n)| {
        let theta = Exact::new(over, under).expect("a share");
        KlPrivacy { k, m, n, theta: vec![theta; marks] }
    })
}

/// Up to thirteen transactions of up to six people, who may have any number of them.
pub fn any_crowd() -> impl Strategy<Value = Baskets> {
    let rows =
        prop::collection::vec((0u32..1 << MOST_LEAVES, 0u32..1 << MOST_LEAVES, 0u32..16, 0usize..6), 0..14);
    (any_tree(), rows, 0usize..3, any::<bool>()).prop_map(|(tree, rows, marks, dense)| {
        let items: Vec<Node> = tree.nodes().filter(|node| tree.is_leaf(*node)).collect();
        let sensitive = (0..marks).map(|mark| format!("s{mark}")).collect();
        let mut baskets = Baskets::new(tree.into(), sensitive);
        let mut whose = Vec::new();
        for (one, other, marked, person) in rows {
            let held = if dense { one } else { one & other };
            let mut held: Vec<Node> =
                (0..items.len()).filter(|at| held >> at & 1 == 1).map(|at| items[at]).collect();
            let mut marked =
                (0..marks as u32).filter(|mark| marked >> (2 * mark) & 3 == 3).collect::<Vec<_>>();
            let names = ["ann", "bob", "cy", "dan", "eve", "fay"];
            whose.push((names[person], baskets.push(&mut held, &mut marked) as usize));
        }
        baskets.name_people(whose);
        baskets
    })
}

/// A tiny instance in which people may have several transactions.
pub fn any_crowded_instance() -> impl Strategy<Value = (Baskets, KlPrivacy)> {
    any_crowd().prop_flat_map(|baskets| {
        let marks = baskets.sensitive.len();
        (Just(baskets), any_privacy(marks))
    })
}

/// A tiny instance, whether or not it says whose its transactions are.
pub fn any_counted_instance() -> impl Strategy<Value = (Baskets, KlPrivacy)> {
    prop_oneof![any_instance(), any_crowded_instance()]
}

/// A tiny instance.
pub fn any_instance() -> impl Strategy<Value = (Baskets, KlPrivacy)> {
    any_baskets().prop_flat_map(|baskets| {
        let marks = baskets.sensitive.len();
        (Just(baskets), any_privacy(marks))
    })
}

proptest! {
    #![proptest_config(crate::method::tests::cases(64))]

    /// Whatever is valid stays valid when it is generalised, and a cut is valid where no most general threat is visible.
    #[test]
    fn the_oracle_agrees_with_itself((baskets, privacy) in any_counted_instance()) {
        let tree = &baskets.tree;
        let threats = oracle::most_general_threats(&baskets, &privacy);
        let cuts = oracle::all_cuts(tree);
        prop_assert_eq!(num_bigint::BigUint::from(cuts.len()), tree.cuts());
        for cut in &cuts {
            let visible = oracle::visible(tree, cut);
            let shown = |threat: &Vec<Node>| threat.iter().all(|node| visible[*node as usize]);
            prop_assert_eq!(oracle::is_valid(&baskets, &privacy, cut), !threats.iter().any(shown));
        }
    }
}
