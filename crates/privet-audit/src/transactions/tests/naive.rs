//! The definitions once more, by enumeration of everything, on small random data.

use proptest::prelude::*;

use super::super::TransactionCells;
use super::super::released::Knowledge;
use super::super::search::{exposed, first_threat};
use super::{Demand, audit_rows, failing};
use crate::AuditOptions;
use privet_core::Exact;
use privet_taxonomy::{ItemTree, Node};

const SENSITIVE: [&str; 2] = ["s", "t"];

/// A transaction: nodes and sensitive items.
type PersonRow = (Vec<Node>, Vec<u32>);

/// A forest from the choice of each node's parent: itself or an earlier one.
fn forest(choices: &[usize]) -> ItemTree {
    let parent = |node: usize| Some(choices[node] % (node + 1)).filter(|above| *above != node);
    let inner: Vec<usize> = (0..choices.len()).filter_map(parent).collect();
    let leaves = (0..choices.len()).filter(|node| !inner.contains(node));
    let path = |leaf| std::iter::successors(Some(leaf), |node| parent(*node)).map(|node| format!("v{node}"));
    let paths: Vec<Vec<String>> = leaves.map(|leaf| path(leaf).collect()).collect();
    ItemTree::from_paths(&paths).expect("a forest")
}

/// The original rows: bit i of a number stands for leaf i.
fn originals(tree: &ItemTree, numbers: &[(u32, u32)]) -> Vec<PersonRow> {
    let leaves: Vec<Node> = tree.nodes().filter(|node| tree.is_leaf(*node)).collect();
    let chosen = |bits: u32| (0..32).filter(move |at| bits >> at & 1 == 1);
    let row = |(items, marks): &(u32, u32)| {
        let items = chosen(*items).filter_map(|at| leaves.get(at as usize).copied()).collect();
        (items, chosen(*marks).filter(|mark| *mark < 2).collect())
    };
    numbers.iter().map(row).collect()
}

/// Whether a leaf is published at a node: the topmost one above it with its bit set.
fn shown(tree: &ItemTree, item: Node, stops: u32) -> Node {
    let above: Vec<Node> = tree.ancestors(item).collect();
    above.into_iter().rev().find(|node| stops >> node & 1 == 1).unwrap_or(item)
}

fn generalised(tree: &ItemTree, row: &PersonRow, stops: u32) -> PersonRow {
    let mut nodes: Vec<Node> = row.0.iter().map(|item| shown(tree, *item, stops)).collect();
    nodes.sort_unstable();
    nodes.dedup();
    (nodes, row.1.clone())
}

fn holds(tree: &ItemTree, row: &PersonRow, node: Node) -> bool {
    row.0.iter().any(|own| tree.contains(node, *own))
}

fn fits(tree: &ItemTree, row: &PersonRow, known: &Knowledge) -> bool {
    known.present.iter().all(|node| holds(tree, row, *node))
        && !known.absent.iter().any(|node| holds(tree, row, *node))
}

fn within_reach(tree: &ItemTree, known: &Knowledge, demand: &Demand) -> bool {
    let leaves: u64 = known.absent.iter().map(|node| u64::from(tree.leaves(*node))).sum();
    known.present.len() as u64 <= demand.m && leaves <= demand.n
}

fn is_threat(tree: &ItemTree, rows: &[PersonRow], known: &Knowledge, demand: &Demand) -> bool {
    let fitting: Vec<&PersonRow> = rows.iter().filter(|row| fits(tree, row, known)).collect();
    let support = fitting.len() as u64;
    let told = (0..2u32).any(|mark| {
        let count = fitting.iter().filter(|row| row.1.contains(&mark)).count() as u64;
        let theta = demand.theta[mark as usize];
        count * theta.denominator() > support * theta.numerator()
    });
    support > 0 && (support < demand.k || told)
}

/// Every itemset of decorated visible nodes within reach that is a threat.
fn threats(tree: &ItemTree, rows: &[PersonRow], demand: &Demand) -> Vec<Knowledge> {
    let visible: Vec<Node> =
        tree.nodes().filter(|node| rows.iter().any(|row| holds(tree, row, *node))).collect();
    let mut found = Vec::new();
    for mut code in 0..3u32.pow(visible.len() as u32) {
        let mut known = Knowledge::default();
        for node in &visible {
            match code % 3 {
                1 => known.present.push(*node),
                2 => known.absent.push(*node),
                _ => {}
            }
            code /= 3;
        }
        if within_reach(tree, &known, demand) && is_threat(tree, rows, &known, demand) {
            found.push(known);
        }
    }
    found
}

fn demands() -> impl Strategy<Value = Demand> {
    let share = || prop::sample::select(vec!["1", "1", "1/2", "2/3", "1/3", "3/4"]);
    (1u64..4, share(), share(), 0u64..4, prop::sample::select(vec![0u64, 0, 1, 2, 3, 9])).prop_map(
        |(k, one, two, m, n)| {
            let theta = [one, two].map(|text| Exact::parse(text).expect("a number")).to_vec();
            Demand { k, m, n, theta, costs: None }
        },
    )
}

/// Rows, sparse and repetitive enough that some of them are safe.
fn numbers(most: usize) -> impl Strategy<Value = Vec<(u32, u32)>> {
    let number = (0u32..64, prop::sample::select(vec![0u32, 0, 0, 1, 2, 3]));
    (prop::collection::vec(number, 0..most), 1usize..4)
        .prop_map(|(rows, times)| rows.iter().flat_map(|row| vec![*row; times]).collect())
}

fn choices() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0usize..40, 1..8)
}

fn labels<'a>(tree: &'a ItemTree, rows: &[PersonRow]) -> Vec<Vec<&'a str>> {
    let marks = |row: &PersonRow| row.1.iter().map(|mark| SENSITIVE[*mark as usize]).collect::<Vec<_>>();
    rows.iter().map(|row| row.0.iter().map(|node| tree.label(*node)).chain(marks(row)).collect()).collect()
}

fn sorted(rows: &[PersonRow]) -> Vec<PersonRow> {
    let mut rows = rows.to_vec();
    rows.sort();
    rows
}

/// Whether some recoding that the method may use makes this release, by trying all.
fn is_honest(tree: &ItemTree, original: &[PersonRow], release: &[PersonRow], method: &str) -> bool {
    let release = sorted(release);
    match method {
        "lg" => matches(tree, original, &mut release.clone()),
        "mm" => (0..1u32 << tree.len()).any(|gone| {
            let kept = |row: &PersonRow| -> PersonRow {
                (row.0.iter().copied().filter(|item| gone >> item & 1 == 0).collect(), row.1.clone())
            };
            sorted(&original.iter().map(kept).collect::<Vec<_>>()) == release
        }),
        _ => (0..1u32 << tree.len()).any(|stops| {
            let made: Vec<PersonRow> = original.iter().map(|row| generalised(tree, row, stops)).collect();
            sorted(&made) == release
        }),
    }
}

/// Whether the originals can be given released rows of their own that cover them, and none is left.
fn matches(tree: &ItemTree, original: &[PersonRow], release: &mut Vec<PersonRow>) -> bool {
    let Some((first, others)) = original.split_first() else { return release.is_empty() };
    for at in 0..release.len() {
        let row = release.remove(at);
        let once = |item: &Node| row.0.iter().filter(|node| tree.contains(**node, *item)).count() == 1;
        let used = |node: &Node| first.0.iter().any(|item| tree.contains(*node, *item));
        let covers = row.1 == first.1 && first.0.iter().all(once) && row.0.iter().all(used);
        if covers && matches(tree, others, release) {
            return true;
        }
        release.insert(at, row);
    }
    false
}

/// Changes a release a little; `what` chooses how, the others where.
fn mutate(tree: &ItemTree, rows: &mut Vec<PersonRow>, (what, at, which): (u32, usize, usize)) {
    if rows.is_empty() {
        rows.push((Vec::new(), Vec::new()));
        return;
    }
    let at = at % rows.len();
    let other = which % rows.len();
    let place = which % rows[at].0.len().max(1);
    let node = (which % tree.len()) as Node;
    match what {
        0 if !rows[at].0.is_empty() => drop(rows[at].0.remove(place)),
        1 => rows[at].0.push(node),
        2 => drop(rows.remove(at)),
        3 => rows.push(rows[at].clone()),
        4 if !rows[at].0.is_empty() => rows[at].0[place] = node,
        5 if !rows[at].1.is_empty() => drop(rows[at].1.pop()),
        6 if rows[at].1.is_empty() => rows[at].1.push((which % 2) as u32),
        7 => {
            let marks = std::mem::take(&mut rows[at].1);
            rows[at].1 = std::mem::replace(&mut rows[other].1, marks);
        }
        8 if !rows[at].0.is_empty() && !rows[other].0.is_empty() => {
            let item = rows[at].0[place];
            rows[at].0[place] = std::mem::replace(&mut rows[other].0[0], item);
        }
        9 if !rows[at].0.is_empty() => {
            let above = tree.parent(rows[at].0[place]).unwrap_or(rows[at].0[place]);
            rows[at].0[place] = above;
        }
        _ => rows.reverse(),
    }
    for row in rows {
        row.0.sort_unstable();
        row.0.dedup();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Cuts (one choice of stops for all) and mixed levels (one for each row).
    #[test]
    fn threats_are_those_of_the_definition(
        choices in choices(),
        numbers in numbers(8),
        stops in prop::collection::vec(0u32..128, 1..4),
        demand in demands(),
    ) {
        let tree = forest(&choices);
        let original = originals(&tree, &numbers);
        let stops = stops.iter().cycle();
        let rows: Vec<PersonRow> = original.iter().zip(stops).map(|(row, stops)| generalised(&tree, row, *stops)).collect();
        let released = TransactionCells::new(&tree, 2, rows.iter().map(|row| (&row.0[..], &row.1[..], 1)));
        let known = threats(&tree, &rows, &demand);

        let found = first_threat(&released, &demand, &mut || Ok(())).expect("no error");
        prop_assert_eq!(found.is_some(), !known.is_empty(), "{:?} of {:?}", found, known);
        if let Some(found) = found {
            prop_assert!(within_reach(&tree, &found, &demand) && is_threat(&tree, &rows, &found, &demand));
        }
        let concerned = rows.iter().filter(|row| known.iter().any(|known| fits(&tree, row, known))).count() as u64;
        let all = exposed(&released, &demand, u64::MAX);
        prop_assert_eq!((all.transactions, all.complete), (concerned, true));
        let some = exposed(&released, &demand, 40);
        prop_assert!(some.transactions <= concerned && (some.transactions == concerned || !some.complete));
    }

    #[test]
    fn a_release_passes_if_and_only_if_some_recoding_makes_it(
        choices in choices(),
        numbers in numbers(4),
        stops in prop::collection::vec(0u32..128, 1..4),
        method in prop::sample::select(vec!["og", "lg", "mm"]),
        changes in prop::collection::vec((0u32..11, 0usize..16, 0usize..64), 0..3),
    ) {
        let tree = forest(&choices);
        let original = originals(&tree, &numbers[..numbers.len().min(6)]);
        let global = method == "og";
        let mut release: Vec<PersonRow> = original
            .iter()
            .zip(stops.iter().cycle())
            .map(|(row, own)| match method {
                "mm" => (row.0.iter().copied().filter(|item| stops[0] >> item & 1 == 0).collect(), row.1.clone()),
                _ => generalised(&tree, row, if global { stops[0] } else { *own }),
            })
            .collect();
        for change in &changes {
            mutate(&tree, &mut release, *change);
        }
        let sensitive = SENSITIVE.map(String::from);
        let free = Demand { k: 1, m: 0, n: 0, theta: vec![Exact::ONE; 2], costs: None };
        let audit = audit_rows(
            (&tree, &sensitive, method),
            &labels(&tree, &original),
            &labels(&tree, &release),
            &free,
            &AuditOptions::default(),
        );
        prop_assert_eq!(
            audit.passed,
            is_honest(&tree, &original, &release, method),
            "{:?} {:?} {:?}", failing(&audit), original, release
        );
    }
}
