//! Properties of random trees, extremes of size, and the sample hierarchies.

use std::path::{Path, PathBuf};

use num_bigint::BigUint;
use proptest::prelude::*;

use super::*;

/// Trees from parents: node `v` hangs below one of the nodes before it.
fn tree_paths() -> impl Strategy<Value = Vec<Vec<String>>> {
    let label = prop_oneof![
        4 => Just(String::new()),
        1 => "[;,\t\"\r\n' *é\u{feff}-]{0,3}",
    ];
    proptest::collection::vec((any::<prop::sample::Index>(), label), 1..40).prop_map(|nodes| {
        let mut parents = vec![0];
        let mut labels = Vec::new();
        for (id, (parent, decoration)) in nodes.iter().enumerate() {
            if id > 0 {
                parents.push(parent.index(id));
            }
            labels.push(format!("{decoration}{id}"));
        }
        let is_leaf = |id: &usize| parents.iter().skip(1).all(|parent| parent != id);
        let path = |leaf: usize| {
            let mut path = vec![labels[leaf].clone()];
            let mut at = leaf;
            while at != 0 {
                at = parents[at];
                path.push(labels[at].clone());
            }
            path
        };
        (0..parents.len()).filter(is_leaf).map(path).collect()
    })
}

fn chain(tree: &Taxonomy, node: NodeId) -> Vec<NodeId> {
    std::iter::successors(Some(node), |node| tree.parent(*node)).collect()
}

fn assert_same(one: &Taxonomy, two: &Taxonomy) {
    assert_eq!(one.len(), two.len());
    assert_eq!(one.levels(), two.levels());
    for node in one.nodes() {
        assert_eq!(one.label(node), two.label(node));
        assert_eq!(one.parent(node), two.parent(node));
        assert_eq!(one.children(node), two.children(node));
    }
    assert_eq!(one.tops, two.tops);
}

fn assert_levels_are_nested_cuts(tree: &Taxonomy) {
    for level in 0..tree.levels() {
        let cut = tree.level(level);
        let covered: Vec<usize> = cut.iter().flat_map(|node| tree.leaves_below(*node)).collect();
        assert_eq!(covered, (0..tree.leaves()).collect::<Vec<_>>());
        for node in cut {
            for leaf in tree.leaves_below(node) {
                assert_eq!(tree.at_level(leaf, level), node);
                assert!(level == 0 || tree.contains(node, tree.at_level(leaf, level - 1)));
            }
        }
    }
    for leaf in 0..tree.leaves() {
        assert_eq!(tree.at_level(leaf, 0), tree.leaf(leaf));
        assert_eq!(tree.at_level(leaf, tree.levels() - 1), tree.root());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_reads_back_as_the_same_tree(paths in tree_paths()) {
        let tree = Taxonomy::from_paths(&paths).expect("a tree");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tree.csv");
        tree.write(&path).expect("written");
        assert_same(&tree, &Taxonomy::read(&path).expect("read"));
    }

    #[test]
    fn levels_are_nested_cuts(paths in tree_paths()) {
        let tree = Taxonomy::from_paths(&paths).expect("a tree");
        assert_levels_are_nested_cuts(&tree);
        if tree.len() > 1 {
            let more = tree.with_leaf("").expect("one more leaf");
            prop_assert_eq!(more.leaves(), tree.leaves() + 1);
            prop_assert_eq!(more.levels(), tree.levels());
            assert_levels_are_nested_cuts(&more);
        }
    }

    #[test]
    fn subtrees_agree_with_parent_chains(paths in tree_paths()) {
        let tree = Taxonomy::from_paths(&paths).expect("a tree");
        for below in tree.nodes() {
            let above = chain(&tree, below);
            prop_assert_eq!(tree.depth(below), above.len() - 1);
            prop_assert_eq!(tree.find(tree.label(below)), Some(below));
            for node in tree.nodes() {
                prop_assert_eq!(tree.contains(node, below), above.contains(&node));
                prop_assert_eq!(tree.children(node).contains(&below), tree.parent(below) == Some(node));
            }
        }
        for node in tree.nodes() {
            let leaves: Vec<usize> = (0..tree.leaves()).filter(|leaf| chain(&tree, tree.leaf(*leaf)).contains(&node)).collect();
            prop_assert_eq!(tree.leaves_below(node).collect::<Vec<_>>(), leaves.clone());
            prop_assert_eq!(tree.is_leaf(node), tree.children(node).is_empty());
            let height = leaves.iter().map(|leaf| tree.depth(tree.leaf(*leaf)) - tree.depth(node)).max();
            prop_assert_eq!(Some(tree.height(node)), height);
        }
    }

    #[test]
    fn any_bytes_give_a_tree_or_an_error(bytes in proptest::collection::vec(prop_oneof![Just(b';'), Just(b'\n'), Just(b'"'), Just(b','), Just(b'a'), any::<u8>()], 0..60)) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tree.csv");
        std::fs::write(&path, bytes).expect("written");
        if let Ok(tree) = Taxonomy::read(&path) {
            assert_levels_are_nested_cuts(&tree);
        }
    }

    #[test]
    fn lookup_agrees_with_trying_every_range(ranges in proptest::collection::btree_set((-9i32..9, 0i32..6, 0usize..7), 1..12), value in -20i32..20) {
        let labels: std::collections::BTreeSet<String> = ranges.iter().map(|&(low, width, kind)| {
            let high = low + width;
            [format!("{low}-{high}"), format!("[{low},{})", high + 1), format!("({low},{}]", high + 1), format!("({low},{})", high + 1), format!(">={low}"), format!("<{low}"), format!("{low}.0")][kind].clone()
        }).collect();
        let tree = Taxonomy::flat(labels.iter().map(String::as_str)).expect("a tree");
        let text = (f64::from(value) / 2.0).to_string();
        let number = f64::from(value) / 2.0;
        let holding: Vec<&String> = labels.iter().filter(|label| match Range::parse(label) {
            Some(range) => range.holds(number),
            None => label.parse() == Ok(number),
        }).collect();
        match (tree.leaf_of(&text), holding.as_slice()) {
            (Ok(None), []) => {}
            (Ok(Some(leaf)), [label]) => prop_assert_eq!(tree.label(leaf), label.as_str()),
            (Err(error), [_, _, ..]) => prop_assert!(error.message().contains(&text)),
            (found, _) => prop_assert!(false, "{:?} for {} in {:?}", found, text, labels),
        }
    }
}

fn paths(lines: &[&str]) -> Vec<Vec<String>> {
    lines.iter().map(|line| line.split(';').map(String::from).collect()).collect()
}

fn level_labels(tree: &Taxonomy) -> Vec<String> {
    let labels = |level| tree.level(level).iter().map(|node| tree.label(*node)).collect::<Vec<_>>().join(" ");
    (0..tree.levels()).map(labels).collect()
}

#[test]
fn columns_are_levels_where_they_are_cuts() {
    let padded = Taxonomy::from_paths(&paths(&["a;a;x;x;*", "b;b;x;x;*", "c;c;c;c;*"])).expect("a tree");
    assert_eq!(level_labels(&padded), ["a b c", "a b c", "x c", "x c", "*"]);
    // In the second column 'x' stands for 'a' while 'b', also below 'x', stands for itself.
    let crooked = Taxonomy::from_paths(&paths(&["a;x;x;*", "b;b;x;*", "c;y;y;*"])).expect("a tree");
    assert_eq!(level_labels(&crooked), ["a b c", "x y", "*"]);
    let ragged = Taxonomy::from_paths(&paths(&["a;x;y;*", "b;y;*", "c;*"])).expect("a tree");
    assert_eq!(level_labels(&ragged), ["a b c", "x b c", "y c", "*"]);
    let early = Taxonomy::from_paths(&paths(&["a;*;*", "b;*;*"])).expect("a tree");
    assert_eq!(level_labels(&early), ["a b", "*", "*"]);
    assert_eq!(level_labels(&early.with_leaf("?").expect("a leaf")), ["a b ?", "*", "*"]);
    assert_eq!(Taxonomy::from_paths(&paths(&["*;*"])).expect("a tree").levels(), 1);
}

#[test]
fn a_leaf_is_added_once_and_only_where_it_fits() {
    let tree = Taxonomy::from_paths(&paths(&["a;x;*", "?;*"])).expect("a tree");
    assert_same(&tree, &tree.with_leaf("?").expect("there already"));
    assert!(tree.with_leaf("x").is_err());
    assert!(tree.with_leaf("*").is_err());
    let single = Taxonomy::from_paths(&paths(&["*"])).expect("a tree");
    assert!(single.with_leaf("?").is_err());
    assert!(single.with_leaf("*").is_err());
}

#[test]
fn faulty_lists_name_the_path() {
    for (lines, place) in
        [(vec!["a;*", "a;x;*"], "path 2"), (vec!["a;;*"], "path 1"), (vec!["a;*", "b"], "path 2")]
    {
        let error = Taxonomy::from_paths(&paths(&lines)).expect_err("a fault");
        assert!(error.message().starts_with(place), "{error}");
    }
    assert!(Taxonomy::from_paths(&[]).is_err());
    assert!(Taxonomy::from_paths(&[Vec::new()]).is_err());
    assert!(Taxonomy::flat(["a", "*"]).is_err());
}

#[test]
fn deep_and_wide_trees_are_no_trouble() {
    let deep: Vec<String> = (0..10_000).map(|depth| format!("n{depth}")).collect();
    let tree = Taxonomy::from_paths(&[deep]).expect("a tree");
    assert_eq!((tree.height(tree.root()), tree.levels()), (9_999, 10_000));
    assert_eq!(tree.cuts(), BigUint::from(10_000u32));
    assert_eq!(tree.label(tree.at_level(0, 5_000)), "n5000");

    let values: Vec<String> = (0..50_000).map(|value| format!("{value}")).collect();
    let tree = Taxonomy::flat(values.iter().map(String::as_str)).expect("a tree");
    assert_eq!(tree.leaf_of("33333.0").expect("one"), tree.find("33333"));
}

fn csv_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "csv"));
    files.sort();
    files
}

#[test]
fn sample_hierarchies_read_and_have_the_known_numbers_of_cuts() {
    let needed = ["adult-hierarchies/arx", "taxonomies"];
    let Some(data) = privet_core::testing::real_data(&needed) else { return };
    for file in csv_files(&data.join("adult-hierarchies/arx")) {
        let tree = Taxonomy::read(&file).unwrap_or_else(|error| panic!("{error}"));
        let first = std::fs::read_to_string(&file).expect("text");
        let width = first.lines().next().map_or(0, |line| line.split(';').count());
        assert_eq!(tree.levels(), width, "{}", file.display());
        assert_levels_are_nested_cuts(&tree);
    }
    for (set, cuts) in
        [("default", 356440500u64), ("coarse", 152685000), ("medium", 6943460940), ("fine", 431934597900)]
    {
        let files = csv_files(&data.join("taxonomies").join(set));
        assert_eq!(files.len(), 7, "{set}");
        let product: BigUint = files
            .iter()
            .map(|file| Taxonomy::read(file).unwrap_or_else(|error| panic!("{error}")).cuts())
            .product();
        assert_eq!(product, BigUint::from(cuts), "{set}");
    }
    for kind in std::fs::read_dir(data.join("../vectors")).into_iter().flatten().flatten() {
        for case in std::fs::read_dir(kind.path()).into_iter().flatten().flatten() {
            for file in csv_files(&case.path()) {
                if file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("hier-")) {
                    let tree = Taxonomy::read(&file).unwrap_or_else(|error| panic!("{error}"));
                    assert_levels_are_nested_cuts(&tree);
                }
            }
        }
    }
}
