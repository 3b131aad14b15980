//! The cuts of classes against the definition, over all cuts of small trees.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::cut::{self, ItemCut, Member};
use super::price;
use privet_core::Exact;
use privet_core::testing::cases;
use privet_engine::privacy::ItemCells;
use privet_engine::privacy::item_sets::ItemDemand;
use privet_policy::ItemColumn;
use privet_policy::requirement::KlOfSets;
use privet_taxonomy::{ItemTree, Node};

/// Items of a tree with two levels of groups; two more are sensitive.
const TREE: [&str; 5] = ["a;P;R", "b;P;R", "c;P;R", "d;Q;R", "e;Q;R"];
const ITEMS: [&str; 7] = ["a", "b", "c", "d", "e", "S", "T"];

/// Per record its block and its items, as bits.
type Records = Vec<(u32, u8)>;

fn column() -> ItemColumn {
    let paths: Vec<Vec<String>> =
        TREE.iter().map(|line| line.split(';').map(String::from).collect()).collect();
    ItemColumn {
        separator: '|',
        tree: Some(ItemTree::from_paths(&paths).expect("a tree").into()),
        hierarchy_path: None,
        sensitive: vec!["S".into(), "T".into()],
        taken_out: Vec::new(),
    }
}

fn text(bits: u8) -> String {
    let items = (0..7).filter(|at| bits >> at & 1 == 1).map(|at| ITEMS[at]);
    items.collect::<Vec<_>>().join("|")
}

/// Cells are numbered by their bits.
fn cells() -> ItemCells {
    let texts: Vec<String> = (0..128).map(text).collect();
    ItemCells::of(&column(), &texts).expect("read").expect("known items")
}

fn asked(k: u64, m: u64, l: Exact) -> KlOfSets {
    KlOfSets { column: 0, k, l, m, theta: BTreeMap::new() }
}

/// Whether what is shown meets the definition in every block: `shown` says what stands for an item.
fn valid(records: &Records, shown: &dyn Fn(&str) -> Option<String>, asked: &KlOfSets) -> bool {
    let blocks: BTreeSet<u32> = records.iter().map(|(block, _)| *block).collect();
    let released: Vec<(u32, BTreeSet<String>, u8)> = records
        .iter()
        .map(|(block, bits)| {
            let open = (0..5).filter(|at| bits >> at & 1 == 1).filter_map(|at| shown(ITEMS[at]));
            (*block, open.collect(), bits >> 5)
        })
        .collect();
    blocks.into_iter().all(|block| {
        let own: Vec<_> = released.iter().filter(|(other, ..)| *other == block).collect();
        let labels: BTreeSet<&String> = own.iter().flat_map(|(_, labels, _)| labels).collect();
        let labels: Vec<&String> = labels.into_iter().collect();
        // Every subset of the labels of a block, as bits.
        (0u32..1 << labels.len()).filter(|known| u64::from(known.count_ones()) <= asked.m).all(|known| {
            let known: Vec<&String> =
                (0..labels.len()).filter(|at| known >> at & 1 == 1).map(|at| labels[at]).collect();
            let holders: Vec<u8> = own
                .iter()
                .filter(|(_, labels, _)| known.iter().all(|label| labels.contains(*label)))
                .map(|(.., secrets)| *secrets)
                .collect();
            let with = |secret: u8| holders.iter().filter(|own| *own >> secret & 1 == 1).count() as u64;
            let sure = |secret: u8| {
                with(secret) * asked.l.numerator() > holders.len() as u64 * asked.l.denominator()
            };
            holders.is_empty() || holders.len() as u64 >= asked.k && !sure(0) && !sure(1)
        })
    })
}

fn members(records: &Records) -> Vec<Member> {
    records.iter().map(|(block, bits)| Member { block: *block, cell: u32::from(*bits), count: 1 }).collect()
}

/// What a cut shows of an item, by its label.
fn shown<'t>(tree: &'t ItemTree, cut: &'t ItemCut) -> impl Fn(&str) -> Option<String> + 't {
    move |item| {
        let leaf = tree.find(item).expect("an item");
        cut.shown(leaf).map(|node| tree.label(node).to_string())
    }
}

/// All cuts of the tree, as what each leaf is shown as.
fn all_cuts(tree: &ItemTree) -> Vec<BTreeMap<Node, Node>> {
    fn below(tree: &ItemTree, node: Node) -> Vec<BTreeMap<Node, Node>> {
        let leaves = (node..tree.end(node)).filter(|leaf| tree.is_leaf(*leaf));
        let mut cuts = vec![leaves.map(|leaf| (leaf, node)).collect()];
        if !tree.is_leaf(node) {
            let mut products: Vec<BTreeMap<Node, Node>> = vec![BTreeMap::new()];
            for child in tree.children(node) {
                let mut next = Vec::new();
                for product in &products {
                    for own in below(tree, child) {
                        next.push(product.iter().chain(&own).map(|(leaf, node)| (*leaf, *node)).collect());
                    }
                }
                products = next;
            }
            cuts.extend(products);
        }
        cuts
    }
    below(tree, 0)
}

/// What a way to show leaves loses, over all occurrences.
fn loss(tree: &ItemTree, records: &Records, shown: &BTreeMap<Node, Node>) -> f64 {
    let occurrences = records.iter().flat_map(|(_, bits)| (0..5).filter(move |at| bits >> at & 1 == 1));
    occurrences.map(|at| price(tree, shown[&tree.find(ITEMS[at]).expect("an item")])).sum()
}

fn records() -> impl Strategy<Value = Records> {
    prop::collection::vec((0u32..2, 0u8..128), 1..14)
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn cuts_are_valid_and_nothing_is_refused_that_could_be_published(
        records in records(), k in 1u64..4, m in 0u64..4, l in 1u64..4,
    ) {
        let (cells, asked) = (cells(), asked(k, m, Exact::new(l, 2).filter(|l| *l >= Exact::ONE).unwrap_or(Exact::ONE)));
        let demand = ItemDemand::of(&asked, &cells.sensitive);
        let found = cut::find(&cells, &demand, Exact::ZERO, members(&records));
        let tree = &cells.tree;
        let at_root = |_: &str| Some("R".to_string());
        prop_assert_eq!(found.is_some(), valid(&records, &at_root, &asked), "the root alone decides");
        let Some(found) = found else { return Ok(()) };
        prop_assert!(valid(&records, &shown(tree, &found), &asked), "{found:?}");
        // No shown node can be replaced by its children; without sensitive items no finer cut at all is valid.
        let secret = records.iter().any(|(_, bits)| bits >> 5 > 0);
        let own = |leaf: Node| found.shown(leaf);
        let occurs = |leaf: Node| records.iter().any(|(_, bits)| (0..5).any(|at| bits >> at & 1 == 1 && tree.find(ITEMS[at]) == Some(leaf)));
        for other in all_cuts(tree) {
            let finer = other.iter().filter(|(leaf, _)| occurs(**leaf)).all(|(leaf, node)| own(*leaf).is_some_and(|own| tree.contains(own, *node)));
            let same = other.iter().filter(|(leaf, _)| occurs(**leaf)).all(|(leaf, node)| own(*leaf) == Some(*node));
            if finer && !same && !secret {
                let label = |item: &str| Some(tree.label(other[&tree.find(item)?]).to_string());
                prop_assert!(!valid(&records, &label, &asked), "{other:?} is finer than {found:?} and valid");
            }
        }
        let best = all_cuts(tree).into_iter().filter(|cut| {
            valid(&records, &|item: &str| Some(tree.label(cut[&tree.find(item)?]).to_string()), &asked)
        });
        let best = best.map(|cut| loss(tree, &records, &cut)).fold(f64::INFINITY, f64::min);
        prop_assert!(found.loss(tree) >= best - 1e-9, "nothing is better than the best");
    }

    #[test]
    fn removed_items_stay_within_the_limit_and_never_lose_more(records in records(), k in 1u64..4, m in 0u64..4, part in 0u64..5) {
        let (cells, asked) = (cells(), asked(k, m, Exact::ONE));
        let demand = ItemDemand::of(&asked, &cells.sensitive);
        let limit = Exact::new(part, 4).expect("a share");
        let found = cut::find(&cells, &demand, limit, members(&records));
        let kept = cut::find(&cells, &demand, Exact::ZERO, members(&records));
        prop_assert!(found.is_some() || kept.is_none());
        let Some(found) = found else { return Ok(()) };
        let tree = &cells.tree;
        prop_assert!(valid(&records, &shown(tree, &found), &asked), "{found:?}");
        let occurrences = records.iter().flat_map(|(_, bits)| (0..5).filter(move |at| bits >> at & 1 == 1));
        let removed = occurrences.clone().filter(|at| found.shown(tree.find(ITEMS[*at]).expect("an item")).is_none()).count() as u64;
        prop_assert!(removed <= limit.floor_of(occurrences.count() as u64));
    }
}
