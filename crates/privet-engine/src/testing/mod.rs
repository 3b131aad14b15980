//! Small random data that the tests of several crates share.

pub mod freeform;
mod freeform_naive;
pub mod oracle;
pub mod projections;
pub mod rules;
pub mod vocabularies;

use proptest::prelude::*;
use proptest::sample::select;

use crate::baskets::Baskets;
use crate::cut::{Cut, Forest, Tree};
use crate::privacy::kl::KlPrivacy;
use privet_core::Exact;
use privet_taxonomy::{ItemTree, Node};

/// The most leaves of a tiny forest.
pub const MOST_LEAVES: usize = 7;

/// How the lines of a hierarchy file are laid out.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Layout {
    /// Every leaf has all levels.
    Even,
    /// Lines differ in length.
    Ragged,
    /// Short lines repeat the leaf.
    Padded,
}

/// The lines of a hierarchy file over the leaves `{name}0`, `{name}1`, …
pub fn tree(name: &'static str, leaves: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Vec<String>>> {
    let layout = prop::sample::select(vec![Layout::Even, Layout::Ragged, Layout::Padded]);
    let places = prop::collection::vec((0usize..3, 0u8..2, 0u8..2), leaves);
    (layout, places).prop_map(move |(layout, places)| {
        let line = |(leaf, (depth, group, part)): (usize, &(usize, u8, u8))| {
            let depth = if layout == Layout::Even { 2 } else { *depth };
            let leaf = format!("{name}{leaf}");
            let inner = [format!("{name} part {group}.{part}"), format!("{name} group {group}")];
            let padding = if layout == Layout::Padded { 2 - depth } else { 0 };
            let mut line = vec![leaf; 1 + padding];
            line.extend_from_slice(&inner[2 - depth..]);
            line.push(format!("any {name}"));
            line
        };
        places.iter().enumerate().map(line).collect()
    })
}

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

/// All cuts of a small forest.
pub fn all_cuts(forest: &Forest) -> Vec<Cut> {
    let mut all = vec![Cut(Vec::new())];
    for tree in &forest.trees {
        let of_tree = cuts_below(tree, 0);
        let longer = |cut: &Cut| {
            let with = |next: &Vec<u32>| Cut([cut.0.clone(), vec![next.clone()]].concat());
            of_tree.iter().map(with).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

fn cuts_below(tree: &Tree, node: u32) -> Vec<Vec<u32>> {
    let mut opened: Vec<Vec<u32>> = vec![Vec::new()];
    for child in tree.children(node) {
        let parts = cuts_below(tree, child);
        let longer = |cut: &Vec<u32>| {
            parts.iter().map(|part| [cut.clone(), part.clone()].concat()).collect::<Vec<_>>()
        };
        opened = opened.iter().flat_map(longer).collect();
    }
    if tree.is_leaf(node) {
        opened.clear();
    }
    opened.push(vec![node]);
    opened
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

/// Requirements for this many sensitive items.
pub fn any_privacy(marks: usize) -> impl Strategy<Value = KlPrivacy> {
    let theta = select(vec![(1, 1), (2, 3), (1, 2), (1, 3)]);
    (1u64..5, theta, 0u64..4, 0u64..4).prop_map(move |(k, (over, under), m, n)| {
        let theta = Exact::new(over, under).expect("a share");
        KlPrivacy { k, m, n, theta: vec![theta; marks], power: None }
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
