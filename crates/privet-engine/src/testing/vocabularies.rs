//! Cases with known answers, `vectors/vocabulary`, and tiny random ones.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::Value as Json;

use crate::loss::items::Share;
use privet_data::{Bags, Term};
use privet_taxonomy::ItemTree;
use privet_taxonomy::words::{Distances, Semantics};

/// The cases of one kind, by name.
pub fn of_kind(kind: &str) -> Vec<Json> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/vocabulary");
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("cases").map(|entry| entry.expect("a case").path()).collect();
    files.sort();
    let read = |path: &std::path::PathBuf| -> Json {
        serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("a case")
    };
    let cases: Vec<Json> = files.iter().map(read).filter(|case| case["kind"] == kind).collect();
    assert!(!cases.is_empty(), "no cases of the kind {kind}");
    cases
}

/// A list of words.
pub fn words(list: &Json) -> Vec<String> {
    let word = |word: &Json| word.as_str().expect("a word").to_string();
    list.as_array().expect("a list").iter().map(word).collect()
}

/// A list of lists of words.
pub fn lists(lists: &Json) -> Vec<Vec<String>> {
    lists.as_array().expect("lists").iter().map(words).collect()
}

/// Bags from texts, with their users where they are known.
pub fn bags(lists: &[Vec<String>], users: Option<&[String]>) -> Bags {
    let user = |at: usize| users.map(|users| users[at].as_str());
    let all: Vec<(Option<&str>, &[String])> =
        lists.iter().enumerate().map(|(at, list)| (user(at), &list[..])).collect();
    Bags::of(&all).expect("bags")
}

/// The tree of a case, `source.parent`.
pub fn tree(source: &Json) -> ItemTree {
    let parents = source["parent"].as_object().expect("parents");
    let above =
        |label: &String| parents.get(label).map(|parent| parent.as_str().expect("a label").to_string());
    let is_leaf = |label: &&String| !parents.values().any(|parent| parent.as_str() == Some(label.as_str()));
    let path = |label: &String| std::iter::successors(Some(label.clone()), above).collect();
    ItemTree::from_paths(&parents.keys().filter(is_leaf).map(path).collect::<Vec<_>>()).expect("a tree")
}

/// Distances between the terms of bags over a tree.
pub fn distances(tree: ItemTree, bags: &Bags) -> Distances {
    Semantics::Tree(tree.into()).between(bags.terms())
}

/// The numbers of bags.
pub fn numbers(list: &Json) -> Vec<u32> {
    list.as_array().expect("a list").iter().map(|number| number.as_u64().expect("a number") as u32).collect()
}

/// A known fraction.
pub fn share(known: &Json) -> Share {
    let part = |key: &str| u128::from(known[key].as_u64().expect("a number"));
    Share::new(part("num"), part("den"))
}

/// The tree of the thesis' running example.
pub fn goods() -> ItemTree {
    let lines = [
        "Wine;Alcohol;Edibles;Goods",
        "Vino;Alcohol;Edibles;Goods",
        "Raw-milk;Milk;Edibles;Goods",
        "Homo-milk;Milk;Edibles;Goods",
        "Jackets;Outwear;Clothing;Goods",
        "Pants;Outwear;Clothing;Goods",
        "Boots;Footwear;Clothing;Goods",
        "Shoes;Footwear;Clothing;Goods",
    ];
    let path = |line: &str| line.split(';').map(String::from).collect();
    ItemTree::from_paths(&lines.map(path)).expect("a tree")
}

/// Tiny bags of terms of the running example, at times of an inner node or of no node, each with its user.
pub fn any_bags(most: usize) -> impl Strategy<Value = Bags> {
    let words =
        ["Wine", "Vino", "Raw-milk", "Homo-milk", "Jackets", "Pants", "Boots", "Shoes", "Clothing", "Dollar"];
    let bag = (prop::collection::vec(0usize..words.len(), 0..6), 0u32..5);
    prop::collection::vec(bag, 1..most).prop_map(move |bags| {
        let list = |held: &[usize]| held.iter().map(|at| words[*at].to_string()).collect();
        let lists: Vec<Vec<String>> = bags.iter().map(|(held, _)| list(held)).collect();
        let users: Vec<String> = bags.iter().map(|(_, user)| format!("u{user}")).collect();
        self::bags(&lists, Some(&users))
    })
}

/// The number of a term.
pub fn term(bags: &Bags, word: &str) -> Term {
    bags.terms().binary_search_by(|term| term.as_str().cmp(word)).expect("a term") as Term
}
