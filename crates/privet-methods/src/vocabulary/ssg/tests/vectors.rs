//! The known answers in `vectors/vocabulary`.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use super::*;
use privet_engine::matching::{Aim, Match, Matcher};

/// The cases of a kind, by name.
fn vectors(kind: &str) -> Vec<(String, Json)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/vocabulary");
    let mut found = Vec::new();
    for entry in fs::read_dir(root).expect("cases") {
        let text = fs::read_to_string(entry.expect("a case").path()).expect("a file");
        let vector: Json = serde_json::from_str(&text).expect("a case");
        if vector["kind"] == kind {
            found.push((vector["id"].as_str().expect("a name").to_string(), vector));
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    assert!(!found.is_empty(), "no {kind}");
    found
}

fn list<T: serde::de::DeserializeOwned>(json: &Json) -> T {
    serde_json::from_value(json.clone()).expect("a list")
}

fn tree(source: &Json) -> ItemTree {
    let parents = source["parent"].as_object().expect("parents").iter();
    tree_of(&parents.map(|(node, parent)| (node.clone(), list(parent))).collect::<Vec<_>>())
}

fn number(json: &Json) -> u64 {
    json.as_u64().expect("a number")
}

fn fraction(json: &Json) -> Ratio<u64> {
    Ratio::new(number(&json["num"]), number(&json["den"]))
}

/// The distance of two words.
type Far = Box<dyn Fn(&str, &str) -> Option<u64>>;

fn far(source: &Json) -> Far {
    if source["type"] == "table" {
        let pairs: Vec<(String, String, u64)> = list(&source["pairs"]);
        return Box::new(move |one, other| {
            let pair = |(a, b, _): &&(String, String, u64)| {
                (a, b) == (&one.into(), &other.into()) || (b, a) == (&one.into(), &other.into())
            };
            if one == other { Some(0) } else { pairs.iter().find(pair).map(|pair| pair.2) }
        });
    }
    let tree = tree(source);
    Box::new(move |one, other| {
        let (one, other) = (tree.find(one).expect("a node"), tree.find(other).expect("a node"));
        tree.distance(one, other).map(u64::from)
    })
}

#[test]
fn distances_between_vocabularies() {
    for (name, vector) in vectors("distance") {
        let (input, expected) = (&vector["input"], &vector["expected"]);
        let (mut one, mut other): (Vec<String>, Vec<String>) = (list(&input["t1"]), list(&input["t2"]));
        one.sort();
        other.sort();
        let (far, epsilon) = (far(&input["source"]), number(&input["eps"]));
        let weight = |a: usize, b: usize| far(&one[a], &other[b]).filter(|far| *far <= epsilon);
        let mut matcher = Matcher::default();
        let mut get = |aim| matcher.exact(one.len(), other.len(), aim, weight);
        let best = Match {
            matched: number(&expected["max_matched"]) as usize,
            weight: number(&expected["max_weight"]),
        };
        assert_eq!(get(Aim::MostPairs), best, "{name}");
        for perfect in expected["perfect"].as_array().expect("a list") {
            let omega = number(&perfect["omega"]);
            let found = get(Aim::Worth(2 * omega));
            let cost = found.weight + omega * (one.len() + other.len() - 2 * found.matched) as u64;
            assert_eq!(cost, number(&perfect["cost"]), "{name}: {omega}");
        }
        let greedy = matcher.greedy(one.len(), other.len(), Aim::MostPairs, weight);
        assert_eq!(
            (greedy.matched as u64, greedy.weight),
            (number(&expected["greedy_matched"]), number(&expected["greedy_weight"])),
            "{name}"
        );
    }
}

#[test]
fn distances_to_hyper_vocabularies() {
    for (name, vector) in vectors("hyper") {
        let (input, expected) = (&vector["input"], &vector["expected"]);
        let bags: Vec<Vec<String>> = list(&input["hyper"]);
        let members = bags[0].len();
        let bag: Vec<String> = list(&input["t"]);
        let columns =
            (0..members).map(|member| bags.iter().map(|bag| bag[member].clone()).collect::<Vec<_>>());
        let all: Vec<Vec<String>> = columns.chain([bag]).collect();
        let case = SsgCase::new(tree(&input["source"]), &all, None, number(&input["eps"]) as u32, 1);
        let term = |word: &String| case.bags.terms().binary_search(word).expect("a term") as u32;
        let mut hyper = HyperVocabulary::of(&bags.iter().map(|bag| term(&bag[0])).collect::<Vec<_>>());
        let straight: Vec<(u32, u32)> = (0..bags.len() as u32).map(|at| (at, at)).collect();
        for member in 1..members {
            hyper.extend(&bags.iter().map(|bag| term(&bag[member])).collect::<Vec<_>>(), &straight);
        }
        let tariff = Tariff {
            distances: &case.distances,
            epsilon: case.epsilon,
            neighbours: None,
            has_tree: true,
            omega: None,
            unit: 1,
            penalty: settings::Penalty::Occurrence,
            matching: settings::Matching::Exact,
        };
        let bag = case.bags.bag(members);
        let found = tariff.match_with(&hyper, bag, &mut Matchmaker::default());
        assert_eq!(found.matched as u64, number(&expected["matched"]), "{name}");
        assert_eq!(found.weight, number(&expected["weight"]), "{name}");
        let price = tariff.price((members, bags.len()), bag.len(), found);
        assert_eq!(
            price,
            tariff.price_of(number(&expected["suppressed_occurrences"]), found.weight),
            "{name}"
        );
    }
}

#[test]
fn typical_terms() {
    for (name, vector) in vectors("elect") {
        let (input, expected) = (&vector["input"], &vector["expected"]);
        let hyper: Vec<Vec<String>> = list(&input["bags"]);
        // Bags that hold every term as often as the case states.
        let frequencies = input["freq"].as_object().expect("frequencies").iter();
        let all: Vec<Vec<String>> =
            frequencies.map(|(word, count)| vec![word.clone(); number(count) as usize]).collect();
        for (centre, key) in [(Centre::Vote, "typical"), (Centre::Generalise, "generalised")] {
            let case = SsgCase::new(tree(&input["source"]), &all, None, 4, 1).with(|own| own.centre = centre);
            let term = |word: &String| case.bags.terms().binary_search(word).expect("a term") as u32;
            let (task, wanted): (_, Vec<String>) = (case.task(), list(&expected[key]));
            let settings = SsgSettings::of(&task, &case.own).expect("settings");
            let tariff = Tariff {
                distances: &case.distances,
                epsilon: u32::MAX,
                neighbours: None,
                has_tree: true,
                omega: None,
                unit: 1,
                penalty: settings.penalty,
                matching: settings.matching,
            };
            let election = Election::new(&task, &settings, tariff);
            for (bag, wanted) in hyper.iter().zip(wanted) {
                let mut alone = HyperVocabulary::of(&[term(&bag[0])]);
                for word in &bag[1..] {
                    alone.extend(&[term(word)], &[(0, 0)]);
                }
                let grown = GrownCluster { members: vec![0; bag.len()], hyper: alone };
                let cluster = Cluster { members: vec![0; bag.len()], shown: election.shown(&grown) };
                assert_eq!(words(&case, &cluster), [wanted], "{name}: {bag:?}");
            }
        }
    }
}

#[test]
fn releases() {
    for (name, vector) in vectors("ssg") {
        let (input, expected) = (&vector["input"], &vector["expected"]);
        let bags: Vec<Vec<String>> = list(&input["vocabularies"]);
        let users: Option<Vec<String>> = input.get("users").map(list);
        let (epsilon, k) = (number(&input["eps"]) as u32, number(&input["k"]) as u32);
        let case = SsgCase::new(tree(&input["source"]), &bags, users.as_deref(), epsilon, k);
        let wanted = fraction(&expected["reference_blm"]);
        let solution = case.run();
        assert_eq!(case.blm(&solution.clusters), wanted, "{name}");
        let kept: usize =
            solution.clusters.iter().map(|cluster| cluster.members.len() * cluster.shown.len()).sum();
        assert_eq!(
            Ratio::new(kept as u64, case.bags.occurrences()),
            fraction(&expected["reference_avgvsize"]),
            "{name}"
        );
        for effort in [SearchEffort::Full, SearchEffort::Limited] {
            let blm = case.blm(&case.run_with(effort).clusters);
            assert!(blm <= wanted, "{name}: {effort:?} loses {blm}, more than {wanted}");
        }
        if input["exact_clusters"] == true {
            let mut found: Vec<Vec<u32>> =
                solution.clusters.iter().map(|cluster| cluster.members.clone()).collect();
            for cluster in &mut found {
                cluster.sort_unstable();
            }
            found.sort();
            assert_eq!(found, list::<Vec<Vec<u32>>>(&expected["clusters"]), "{name}");
            let release: Vec<Vec<String>> = list(&expected["release"]);
            for cluster in &solution.clusters {
                for member in &cluster.members {
                    assert_eq!(words(&case, cluster), release[*member as usize], "{name}: {member}");
                }
            }
        }
    }
}
