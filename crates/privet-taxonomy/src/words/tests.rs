//! Whatever the source: the table of neighbours says what the distances say.

use std::fs;
use std::sync::Arc;

use proptest::prelude::*;

use super::wordnet::tests::net_of;
use super::*;

fn texts(terms: &[&str]) -> Vec<String> {
    terms.iter().map(|term| term.to_string()).collect()
}

/// Every pair of terms within reach, by looking at all pairs.
fn brute(distances: &Distances, epsilon: u32) -> Vec<Vec<(u32, Term)>> {
    let terms = distances.len() as Term;
    let row = |term: Term| {
        let near = |other| Some((distances.of(term, other)?, other)).filter(|(far, _)| *far <= epsilon);
        let mut row: Vec<(u32, Term)> = (0..terms).filter_map(near).collect();
        row.sort_unstable();
        row
    };
    (0..terms).map(row).collect()
}

fn agrees(distances: &Distances) -> std::result::Result<(), TestCaseError> {
    for epsilon in [0, 1, 2, 3, 4, 6, 9, u32::MAX] {
        let table = distances.neighbours(epsilon).expect("few enough");
        let expected = brute(distances, epsilon);
        for (term, expected) in (0..).zip(&expected) {
            let (terms, far) = table.near(term);
            let found: Vec<(u32, Term)> =
                far.iter().map(|far| u32::from(*far)).zip(terms.iter().copied()).collect();
            prop_assert_eq!(&found, expected, "{} {}", term, epsilon);
            for other in 0..distances.len() as Term {
                let known = expected.iter().find(|(_, near)| *near == other).map(|(far, _)| *far);
                prop_assert_eq!(table.between(term, other), known);
                prop_assert!(known.is_none_or(|far| far <= distances.diameter()));
            }
        }
        prop_assert_eq!(table.entries(), expected.iter().map(|row| row.len() as u64).sum::<u64>());
    }
    Ok(())
}

/// A forest of nodes `n0`, `n1`, …, each below an earlier one or a root.
fn forest(parents: &[usize]) -> ItemTree {
    let name = |node: usize| format!("n{node}");
    let inner: Vec<usize> = parents
        .iter()
        .enumerate()
        .filter(|(node, above)| *node != **above)
        .map(|(_, above)| *above)
        .collect();
    let paths: Vec<Vec<String>> = (0..parents.len())
        .filter(|node| !inner.contains(node))
        .map(|leaf| {
            let up = |node: &usize| Some(parents[*node]).filter(|above| above != node);
            std::iter::successors(Some(leaf), up).map(name).collect()
        })
        .collect();
    ItemTree::from_paths(&paths).expect("a forest")
}

fn parents(most: usize) -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec((any::<prop::sample::Index>(), 0..12u8), 1..most).prop_map(|choices| {
        let above = |(node, (choice, root)): (usize, &(prop::sample::Index, u8))| match root {
            0 => node,
            1..6 => node.saturating_sub(1),
            _ => choice.index(node.max(1)),
        };
        choices.iter().enumerate().map(above).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn trees_agree(parents in parents(60), absent in 0..3usize) {
        let tree = Arc::new(forest(&parents));
        let mut terms: Vec<String> = (0..parents.len()).filter(|node| node % 4 != 1).map(|node| format!("n{node}")).collect();
        terms.extend((0..absent).map(|number| format!("absent{number}")));
        let distances = Semantics::Tree(tree.clone()).between(&terms);
        agrees(&distances)?;
        for one in 0..terms.len() as Term {
            for other in 0..terms.len() as Term {
                let nodes = distances.place(one).zip(distances.place(other));
                let expected = if one == other { Some(0) } else { nodes.and_then(|(one, other)| tree.distance(one, other)) };
                prop_assert_eq!(distances.of(one, other), expected);
                for reach in [0, 1, 2, 3, 5, 8, u32::MAX] {
                    let near = expected.filter(|far| *far <= reach);
                    prop_assert_eq!(distances.within(one, other, reach), near);
                }
            }
        }
        let longest = tree.nodes().flat_map(|one| tree.nodes().map(move |other| (one, other)))
            .filter_map(|(one, other)| tree.distance(one, other)).max();
        prop_assert_eq!(Some(distances.diameter()), longest);
    }

    #[test]
    fn networks_agree(parents in parents(24), more in proptest::collection::vec((0..24usize, 0..24usize), 0..8)) {
        let names: Vec<String> = (0..parents.len()).map(|node| format!("n{node}")).collect();
        let mut above: Vec<Vec<(&str, usize)>> = parents.iter().enumerate()
            .map(|(node, up)| if node == *up { vec![] } else { vec![("@", *up)] }).collect();
        for (node, up) in more {
            // The first hypernym decides on the tree; any later one makes a network of it.
            if node < above.len() && up < node && !above[node].is_empty() {
                above[node].push(("@i", up));
            }
        }
        let senses: Vec<(&str, &[(&str, usize)])> =
            names.iter().zip(&above).map(|(name, above)| (name.as_str(), above.as_slice())).collect();
        let net = Arc::new(net_of(&senses));
        let mut terms = names.clone();
        terms.push("absent".to_string());
        for attach in [Attach::Hypernym, Attach::Synset] {
            let network = Semantics::WordNetNetwork(net.clone(), attach).between(&terms);
            let tree = Semantics::WordNetTree(net.clone(), attach).between(&terms);
            agrees(&network)?;
            agrees(&tree)?;
            for (one, other) in (0..terms.len() as Term).flat_map(|one| (0..one).map(move |other| (one, other))) {
                let (short, long) = (network.of(one, other), tree.of(one, other));
                prop_assert!(long.is_none() || short.is_some_and(|short| short >= 2 && Some(short) <= long));
            }
        }
    }
}

#[test]
fn the_table_does_not_depend_on_threads() {
    let parents: Vec<usize> = (0..3000usize).map(|node| node.saturating_sub(1) / 3).collect();
    let terms: Vec<String> = (0..3000).map(|node| format!("n{node}")).collect();
    let distances = Semantics::Tree(Arc::new(forest(&parents))).between(&terms);
    let rows = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let table = distances.neighbours(5).expect("few enough");
            (0..3000)
                .map(|term| (table.near(term).0.to_vec(), table.near(term).1.to_vec()))
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(rows(1), rows(3));
}

#[test]
fn too_many_neighbours_are_refused() {
    let names: Vec<String> = (0..14_000).map(|number| format!("n{number}")).collect();
    let tree = ItemTree::flat(names.iter().map(String::as_str)).expect("a tree");
    let distances = Semantics::Tree(Arc::new(tree)).between(&names);
    assert_eq!(distances.neighbours(1).expect("few").entries(), 14_000);
    let error = distances.neighbours(u32::MAX).expect_err("too many");
    assert!(error.remedy().is_some_and(|help| help.contains("epsilon")), "{error}");
}

fn pairs(text: &str) -> Result<Semantics> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("pairs.tsv");
    fs::write(&path, text).expect("written");
    Semantics::pairs(&path)
}

#[test]
fn listed_distances_are_counted_in_units() {
    let semantics = pairs(
        "\u{feff}wine\tvino\t0.5\r\nwine\tbeer\t1.25\nvino\twine\t0.50\n\nwine\twine\t0\ncat\tdog\t3\n",
    )
    .expect("pairs");
    assert_eq!(semantics.scale(), 100);
    assert_eq!(semantics.reach(Exact::parse("1.259").expect("a number")), 125);
    assert_eq!(semantics.reach(Exact::new(u64::MAX, 1).expect("a number")), u32::MAX);
    let distances = semantics.between(&texts(&["beer", "dog", "gin", "vino", "wine"]));
    assert_eq!(
        [distances.of(4, 3), distances.of(0, 4), distances.of(0, 3), distances.of(1, 4)],
        [Some(50), Some(125), None, None]
    );
    assert_eq!(
        (distances.diameter(), distances.scale(), distances.knows(1), distances.knows(2)),
        (300, 100, true, false)
    );
    agrees(&distances).expect("the same");
    assert_eq!(distances.neighbours(100).expect("few").near(4), (&[4, 3][..], &[0, 50][..]));
}

#[test]
fn wrong_pairs_are_placed() {
    for (text, line, message) in [
        ("a\tb\t1\nb\ta\t2\n", 2, "1 on line 1"),
        ("a\tb\t1\na\ta\t1\n", 2, "from itself"),
        ("a\tb\t0\n", 1, "distance 0"),
        ("a\tb\t-1\n", 1, "negative"),
        ("a\tb\tnear\n", 1, "not a number"),
        ("a\tb\n", 1, "2 cells"),
        ("a\t\t1\n", 1, "empty"),
        ("a\tb\t1/3\n", 1, "decimals"),
        ("a\tb\t0.0001\nc\td\t7\n", 2, "too large"),
    ] {
        let error = pairs(text).expect_err(text);
        assert_eq!(error.line(), Some(line), "{error}");
        assert!(
            error.message().contains(message) && error.remedy().is_some() && error.file().is_some(),
            "{error}"
        );
    }
}
