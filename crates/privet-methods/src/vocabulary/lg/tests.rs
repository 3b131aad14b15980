//! LG and LG(bag): the running example, and properties on small random bags.

use proptest::prelude::*;
use serde_json::Value as Json;

use crate::plan::Plan;

use super::*;
use crate::tests::on_threads;
use crate::vocabulary::loss::BagLoss;
use crate::vocabulary::{Print, cases};
use privet_core::ErrorKind;
use privet_core::testing::cases as config;
use privet_data::Bags;
use privet_engine::privacy::vocabulary::VocabularyAnonymity;
use privet_policy::VocabularyMethod;
use privet_taxonomy::words::Distances;

fn run_on(
    bags: &Bags,
    distances: &Distances,
    demand: VocabularyAnonymity,
    as_what: PrintedAs,
) -> Result<BagSolution> {
    let method = match as_what {
        PrintedAs::Bags => VocabularyMethod::LgBag(Default::default()),
        PrintedAs::Sets => VocabularyMethod::Lg(Default::default()),
    };
    let task = BagTask { bags, distances, epsilon: 0, omega: None, demand, method: &method };
    run(&task, as_what, &Clock::unlimited())
}

fn plain(k: u32) -> VocabularyAnonymity {
    VocabularyAnonymity { k, distinct_users: false, min_term_users: 1 }
}

/// The published words of a cluster, in bytewise order.
fn printed(cluster: &Cluster, bags: &Bags, tree: &ItemTree) -> Vec<String> {
    let label = |shown: &PublishedOccurrence| match &shown.print {
        Print::Term(term) => bags.terms()[*term as usize].clone(),
        Print::General(node) => tree.label(*node).to_string(),
        Print::Bag(_) => panic!("LG prints no bags"),
    };
    let mut labels: Vec<String> = cluster.shown.iter().map(label).collect();
    labels.sort();
    labels
}

fn release(solution: &BagSolution, bags: &Bags, tree: &ItemTree) -> Vec<Vec<String>> {
    let mut release = vec![Vec::new(); bags.len()];
    for cluster in &solution.clusters {
        for member in &cluster.members {
            release[*member as usize] = printed(cluster, bags, tree);
        }
    }
    release
}

#[test]
fn the_running_example_is_as_known() {
    for case in cases::of_kind("lg") {
        let (input, expected) = (&case["input"], &case["expected"]);
        let bags = cases::bags(&cases::lists(&input["vocabularies"]), None);
        let tree = cases::tree(&input["source"]);
        let distances = cases::distances(tree.clone(), &bags);
        let k = input["k"].as_u64().expect("k") as u32;
        let found = run_on(&bags, &distances, plain(k), PrintedAs::Bags).expect("groups");
        let mut groups: Vec<(Vec<u32>, Vec<String>)> = found
            .clusters
            .iter()
            .map(|cluster| {
                let mut cut = printed(cluster, &bags, &tree);
                cut.dedup();
                (cluster.members.clone(), cut)
            })
            .collect();
        groups.sort();
        let known: Vec<(Vec<u32>, Vec<String>)> = expected["groups"]
            .as_array()
            .expect("groups")
            .iter()
            .map(|group| (cases::numbers(&group["members"]), cases::words(&group["cut"])))
            .collect();
        assert_eq!(groups, known);
        assert_eq!(release(&found, &bags, &tree), cases::lists(&expected["release_bag"]));
        let loss = BagLoss::of(&bags, &found, &distances);
        assert_eq!(loss.blm, cases::share(&expected["blm"]));
        assert_eq!(loss.distinct_terms, cases::share(&expected["distinct"]));
        assert_eq!(loss.average_size, cases::share(&expected["avgvsize"]));
        let sets = run_on(&bags, &distances, plain(k), PrintedAs::Sets).expect("groups");
        assert_eq!(release(&sets, &bags, &tree), cases::lists(&expected["release_set"]));
    }
}

#[test]
fn counts_of_given_groups_are_as_known() {
    for case in cases::of_kind("lg_counts") {
        let (input, expected) = (&case["input"], &case["expected"]);
        let bags = cases::bags(&cases::lists(&input["vocabularies"]), None);
        let tree = cases::tree(&input["source"]);
        let distances = cases::distances(tree.clone(), &bags);
        let places = LeafPlaces::of(&bags, &distances, &tree).expect("places");
        let group = |group: &Json| {
            let mut set: Vec<(Node, bool)> = cases::words(&group["cut"])
                .iter()
                .map(|label| (tree.find(label).expect("a node"), false))
                .collect();
            set.sort_unstable();
            let rows = cases::numbers(&group["members"]).into_iter().map(|member| (member, 1)).collect();
            publish(&Part { rows, set }, &places, &|_| true, true).0
        };
        let solution = BagSolution {
            clusters: input["groups"].as_array().expect("groups").iter().map(group).collect(),
            withheld: Vec::new(),
            plan: Plan::Clusters(Default::default()),
            search: SearchFacts {
                space: None,
                examined: 0,
                seconds: 0.0,
                optimal: false,
                bound: None,
                trace: Vec::new(),
            },
            counters: Vec::new(),
            warnings: Vec::new(),
        };
        assert_eq!(
            release(&solution, &bags, &tree),
            cases::lists(&expected["release_bag"]),
            "{}",
            case["id"]
        );
        assert_eq!(BagLoss::of(&bags, &solution, &distances).blm, cases::share(&expected["blm"]));
    }
}

#[test]
fn rare_words_are_not_printed() {
    let list = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
    let lists = [list(&["Wine", "Boots"]), list(&["Wine", "Boots"]), list(&["Wine"]), list(&["Wine"])];
    let users = ["u", "u", "v", "w"].map(String::from);
    let bags = cases::bags(&lists, Some(&users));
    let tree = cases::goods();
    let distances = cases::distances(tree.clone(), &bags);
    let demand = VocabularyAnonymity { k: 2, distinct_users: false, min_term_users: 2 };
    let found = run_on(&bags, &distances, demand, PrintedAs::Bags).expect("groups");
    // Only one user has boots, in however many sessions.
    assert_eq!(release(&found, &bags, &tree), vec![list(&["Wine"]); 4]);
    assert!(found.counters.contains(&("rare_word_occurrences", 2)));
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn every_bag_is_alike_k_others_and_no_word_says_too_much(
        bags in cases::any_bags(14), k in 1u32..4, distinct_users: bool, min_term_users in 1u32..4, counted: bool,
    ) {
        let tree = cases::goods();
        let distances = cases::distances(tree.clone(), &bags);
        let demand = VocabularyAnonymity { k, distinct_users, min_term_users };
        let declaration = if counted { PrintedAs::Bags } else { PrintedAs::Sets };
        let found = match run_on(&bags, &distances, demand, declaration) {
            Ok(found) => found,
            Err(error) => {
                prop_assert_eq!(error.kind(), ErrorKind::Infeasible);
                return Ok(());
            }
        };
        let person = |bag: u32| if distinct_users { bags.user(bag as usize).expect("a user") } else { bag };
        let mut all = found.withheld.clone();
        for cluster in &found.clusters {
            all.extend(&cluster.members);
            let people: std::collections::BTreeSet<u32> = cluster.members.iter().map(|bag| person(*bag)).collect();
            prop_assert!(people.len() >= k as usize);
            let mut distinct = std::collections::BTreeMap::new();
            for shown in &cluster.shown {
                let (node, exactly) = match shown.print {
                    Print::Term(term) => (distances.place(term).expect("a place"), Some(term)),
                    Print::General(node) => (node, None),
                    Print::Bag(_) => panic!("LG prints no bags"),
                };
                *distinct.entry((node, exactly, shown.distinct)).or_insert(0) += 1;
            }
            for ((node, exactly, stands_for), times) in distinct {
                let below = |term: u32| match exactly {
                    Some(exact) => term == exact,
                    None => distances.place(term).is_some_and(|place| tree.contains(node, place)),
                };
                let count = |bag: u32| bags.bag(bag as usize).iter().filter(|term| below(**term)).count();
                let least = cluster.members.iter().map(|bag| count(*bag)).min().expect("members");
                prop_assert!(least >= 1);
                prop_assert_eq!(times, if counted { least } else { 1 });
                let terms: std::collections::BTreeSet<u32> =
                    cluster.members.iter().flat_map(|bag| bags.bag(*bag as usize)).copied().filter(|term| below(*term)).collect();
                prop_assert_eq!(stands_for as usize, terms.len());
                let users: std::collections::BTreeSet<u32> =
                    (0..bags.len()).filter(|bag| count(*bag as u32) > 0).map(|bag| bags.user(bag).expect("a user")).collect();
                prop_assert!(users.len() >= min_term_users as usize);
            }
        }
        all.sort_unstable();
        prop_assert!(all.into_iter().eq(0..bags.len() as u32));
        let again = on_threads(2, || run_on(&bags, &distances, demand, declaration)).expect("groups");
        prop_assert_eq!(again.clusters, found.clusters);
    }
}
