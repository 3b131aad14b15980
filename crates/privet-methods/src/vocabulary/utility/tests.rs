//! Patterns and nearness: known answers, and brute force on small bags.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::Value as Json;

use crate::plan::Plan;

use super::closed::WordSets;
use super::*;
use crate::SearchFacts;
use crate::vocabulary::{Cluster, Print, PublishedOccurrence, cases};
use privet_core::lists::Lists;
use privet_core::testing::cases as config;
use privet_taxonomy::ItemTree;

fn solution(clusters: Vec<Cluster>) -> BagSolution {
    let search = SearchFacts {
        space: None,
        examined: 0,
        seconds: 0.0,
        optimal: false,
        bound: None,
        trace: Vec::new(),
    };
    let withheld = Vec::new();
    BagSolution {
        clusters,
        withheld,
        plan: Plan::Clusters(Default::default()),
        search,
        counters: Vec::new(),
        warnings: Vec::new(),
    }
}

/// A solution that publishes every bag on its own, as these words.
fn publishing(release: &[Vec<String>], bags: &Bags, tree: &ItemTree) -> BagSolution {
    let print = |word: &String| match bags.terms().binary_search(word) {
        Ok(term) => Print::Term(term as u32),
        Err(_) => Print::General(tree.find(word).expect("a node")),
    };
    let shown = |words: &Vec<String>| {
        words.iter().map(|word| PublishedOccurrence { print: print(word), distinct: 1 }).collect()
    };
    let cluster = |(row, words)| Cluster { members: vec![row], shown: shown(words) };
    solution((0..).zip(release).map(cluster).collect())
}

#[test]
fn patterns_and_their_nearness_are_as_known() {
    for case in cases::of_kind("patterns") {
        let (input, expected) = (&case["input"], &case["expected"]);
        let bags = cases::bags(&cases::lists(&input["vocabularies"]), None);
        let tree = cases::tree(&input["source"]);
        let distances = cases::distances(tree.clone(), &bags);
        let solution = publishing(&cases::lists(&input["release"]), &bags, &tree);
        let most = input["n"].as_u64().expect("a number") as usize;
        let clock = Clock::unlimited();
        let found =
            PatternUtility::measure(&bags, &solution, &distances, most, None, &clock).expect("patterns");
        let known = |list: &Json| -> Vec<WordPattern> {
            let patterns = list.as_array().expect("patterns").iter();
            patterns
                .map(|pattern| WordPattern {
                    words: cases::words(&pattern[0]),
                    support: pattern[1].as_u64().expect("a support"),
                })
                .collect()
        };
        let exact = |known: &Json| {
            let part = |key: &str| known[key].as_u64().expect("a number");
            Exact::new(part("num"), part("den"))
        };
        assert_eq!(found.original, known(&expected["original"]), "{}", case["id"]);
        assert_eq!(found.released, known(&expected["anonymised"]), "{}", case["id"]);
        assert_eq!(found.recall, cases::share(&expected["recall"]), "{}", case["id"]);
        assert_eq!(found.distance, exact(&expected["sdist_free"]), "{}", case["id"]);
        assert_eq!(found.strict_distance, exact(&expected["sdist_omega6"]), "{}", case["id"]);
        assert_eq!(found.omega, 6);
    }
}

#[test]
fn general_words_are_as_far_as_the_tree_says() {
    // Example 5.12: for {Jackets, Wine} the release has {Outwear, Wine}: half of the words, and one step for two words.
    let list = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
    let bags = cases::bags(&[list(&["Jackets", "Wine"])], None);
    let tree = cases::goods();
    let distances = cases::distances(tree.clone(), &bags);
    let solution = publishing(&[list(&["Outwear", "Wine"])], &bags, &tree);
    let clock = Clock::unlimited();
    let found = PatternUtility::measure(&bags, &solution, &distances, 1, Some(9), &clock).expect("patterns");
    let half = Exact::new(1, 2);
    assert_eq!((found.recall, found.distance, found.strict_distance), (Share::new(1, 2), half, half));

    let nothing =
        PatternUtility::measure(&bags, &publishing(&[vec![]], &bags, &tree), &distances, 1, Some(9), &clock);
    let nothing = nothing.expect("patterns");
    assert_eq!((nothing.distance, nothing.strict_distance), (None, Exact::new(9, 1)));
}

/// All closed sets, by the definition.
fn naive_closed(sets: &[Vec<u32>], words: u32) -> Vec<ClosedSet> {
    let mut all = Vec::new();
    for chosen in 1u32..1 << words {
        let pattern: Vec<u32> = (0..words).filter(|word| chosen >> word & 1 == 1).collect();
        let holders: Vec<&Vec<u32>> =
            sets.iter().filter(|set| pattern.iter().all(|word| set.contains(word))).collect();
        let joins = |word: u32| !pattern.contains(&word) && holders.iter().all(|set| set.contains(&word));
        if !holders.is_empty() && !(0..words).any(joins) {
            all.push((pattern, holders.len() as u64));
        }
    }
    all.sort_by(|(one, holders), (other, others)| {
        (others, other.len()).cmp(&(holders, one.len())).then_with(|| one.cmp(other))
    });
    all
}

/// All matchings, one row after the other.
fn naive_matching(rows: &[Vec<Option<u32>>], taken: &mut Vec<usize>) -> (u64, i64) {
    let Some((row, rest)) = rows.split_first() else { return (0, 0) };
    let mut best = naive_matching(rest, taken);
    for (column, weight) in row.iter().enumerate() {
        if let Some(weight) = weight.filter(|_| !taken.contains(&column)) {
            taken.push(column);
            let (pairs, negative) = naive_matching(rest, taken);
            best = best.max((pairs + 1, negative - i64::from(weight)));
            taken.pop();
        }
    }
    best
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn top_patterns_are_those_of_the_definition(
        sets in prop::collection::vec(prop::collection::btree_set(0u32..7, 0..6), 0..10), most in 0usize..20,
    ) {
        let sets: Vec<Vec<u32>> = sets.into_iter().map(|set| set.into_iter().collect()).collect();
        let mut expected = naive_closed(&sets, 7);
        expected.truncate(most);
        let total = sets.len() as u64;
        let mut lists = Lists::default();
        sets.iter().for_each(|set| lists.push(set));
        let all = WordSets::of(&lists, |_| 1, 7);
        prop_assert_eq!(all.top_closed(most, total, &Clock::unlimited()).expect("patterns"), expected);
    }

    #[test]
    fn nearness_is_that_of_the_definition(
        original in cases::any_bags(6), release in cases::any_bags(6), most in 1usize..9, omega in 0u32..8,
    ) {
        let tree = cases::goods();
        let distances = cases::distances(tree.clone(), &original);
        let terms: BTreeSet<&String> = original.terms().iter().collect();
        let published: Vec<Vec<String>> = release
            .iter()
            .map(|bag| {
                let words = bag.iter().map(|term| release.terms()[*term as usize].clone());
                words.filter(|word| terms.contains(word) || tree.find(word).is_some()).collect()
            })
            .collect();
        let solution = publishing(&published, &original, &tree);
        let clock = Clock::unlimited();
        let found =
            PatternUtility::measure(&original, &solution, &distances, most, Some(omega), &clock).expect("patterns");
        let between = |one: &String, other: &String| match (tree.find(one), tree.find(other)) {
            _ if one == other => Some(0),
            (Some(one), Some(other)) => tree.distance(one, other),
            _ => None,
        };
        let (mut words, mut common, mut free, mut charged) = (0, 0, 0, 0);
        for WordPattern { words: pattern, .. } in &found.original {
            let length = pattern.len() as u64;
            words += length;
            let of = |other: &WordPattern| {
                let rows: Vec<Vec<Option<u32>>> =
                    pattern.iter().map(|one| other.words.iter().map(|other| between(one, other)).collect()).collect();
                let shared = other.words.iter().filter(|word| pattern.contains(word)).count() as u64;
                let (pairs, negative) = naive_matching(&rows, &mut Vec::new());
                (shared, -negative as u64, -negative as u64 + u64::from(omega) * (length - pairs))
            };
            let all: Vec<(u64, u64, u64)> = found.released.iter().map(of).collect();
            common += all.iter().map(|one| one.0).max().unwrap_or(0);
            free += all.iter().map(|one| one.1).min().unwrap_or(0);
            charged += all.iter().map(|one| one.2).min().unwrap_or(u64::from(omega) * length);
        }
        prop_assert_eq!(found.recall, Share::new(u128::from(common), u128::from(words)));
        prop_assert_eq!(found.distance, Exact::new(free, words).filter(|_| !found.released.is_empty()));
        prop_assert_eq!(found.strict_distance, Exact::new(charged, words));
    }
}
