//! Mining against brute force and against tables with known answers.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;
use crate::privacy::matching::{ValueGraph, judge, peel};
use crate::testing::rules::{Vector, rows, texts, vectors};
use privet_core::ValueSet;
use privet_core::clock::Clock;
use privet_policy::RulesText;
use privet_taxonomy::Taxonomy;

fn exact(text: &str) -> Exact {
    Exact::parse(text).expect("a number")
}

/// A rule as the vectors have it, figures rounded to six digits.
fn shown(observations: &Observations, rule: &Rule) -> Json {
    let item = |item: &Item| {
        let attribute = &observations.attributes[item.attribute];
        json!([attribute.name, attribute.taxonomy.label(item.node)])
    };
    let rounded = |number: f64| (number * 1e6).round() / 1e6;
    json!({
        "X": rule.items.iter().map(item).collect::<Vec<_>>(),
        "confidence": rounded(rule.confidence()),
        "expectation": rounded(rule.expectation(observations)),
        "s": observations.values[rule.value as usize],
        "support": rule.support,
    })
}

fn sorted(rules: impl Iterator<Item = Json>) -> Vec<String> {
    let mut rules: Vec<String> = rules.map(|rule| rule.to_string()).collect();
    rules.sort();
    rules
}

fn known(list: &Json) -> Vec<String> {
    sorted(list.as_array().expect("rules").iter().cloned())
}

#[test]
fn rules_and_excluded_values_of_known_tables() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 19);
    for Vector { name, observations, parameters, expected } in &vectors {
        let clock = Clock::unlimited();
        let all = list(observations, parameters, &[], &clock).expect("rules");
        assert_eq!(
            sorted(all.iter().map(|rule| shown(observations, rule))),
            known(&expected["rules_all"]),
            "{name}"
        );
        let general = most_general(observations, &all).into_iter().map(|at| shown(observations, &all[at]));
        assert_eq!(sorted(general), known(&expected["rules_most_general"]), "{name}");
        let thresholds = descent::thresholds(observations, 1.0 - parameters.min_expectation.to_f64());
        for (value, threshold) in observations.values.iter().zip(thresholds) {
            let known = expected["nSup"][value].as_f64();
            assert!(
                known.is_none_or(|known| (known - threshold).abs() < 1e-6),
                "{name}: {value} {threshold}"
            );
        }
    }
    for vector in &vectors {
        let Vector { name, observations, parameters, expected } = vector;
        let excluded = exclude(observations, parameters, &[], &Clock::unlimited()).expect("rules");
        let excluded: Vec<Vec<String>> = excluded.iter().map(|set| vector.labels(set)).collect();
        let known: Vec<Vec<String>> = expected["ivs"].as_array().expect("sets").iter().map(texts).collect();
        assert_eq!(excluded, known, "{name}");
    }
}

#[test]
fn groups_and_feasibility_of_known_tables() {
    for vector in vectors() {
        let (name, values) = (&vector.name, vector.observations.values.len());
        let excluded =
            exclude(&vector.observations, &vector.parameters, &[], &Clock::unlimited()).expect("rules");
        let kinds: Vec<(u32, ValueSet)> =
            vector.kinds(&excluded).iter().map(|kind| (kind.value, kind.allowed(values))).collect();
        for group in vector.expected["groups"].as_array().expect("groups") {
            let members = rows(&group["rows"]);
            let mut graph = ValueGraph::new(values);
            members.iter().for_each(|row| graph.add(kinds[*row].0, &kinds[*row].1));
            let components = graph.components();
            let valid: Vec<ValueSet> =
                members.iter().map(|row| components.valid(kinds[*row].0, &kinds[*row].1)).collect();
            let labels: Vec<Vec<String>> = valid.iter().map(|set| vector.labels(set)).collect();
            assert_eq!(json!(labels), group["valid"], "{name}");
            let simple: Vec<usize> =
                members.iter().map(|row| kinds[*row].1.common(graph.present())).collect();
            assert_eq!(json!(simple), group["simple"], "{name}");
            for l in 1..=4 {
                let holds = valid.iter().all(|valid| valid.len() >= l);
                assert_eq!(json!(holds), group["ok"][l.to_string()], "{name} {l}");
            }
        }
        for known in vector.expected["feasibility"].as_array().expect("verdicts") {
            let l = known["l"].as_u64().expect("a number") as usize;
            let verdict = judge(values, &kinds, l);
            assert_eq!(verdict.failing, rows(&known["failing_rows"]), "{name} {l}");
            assert_eq!(json!(verdict.failing.is_empty()), known["feasible"], "{name} {l}");
            let kept = peel(values, &kinds, l);
            let kept: Vec<usize> = (0..kinds.len()).filter(|row| kept[*row]).collect();
            assert_eq!(kept, rows(&known["max_feasible_subset"]), "{name} {l}");
        }
    }
}

/// Three attributes: a ragged tree with a chain, a flat one, a binary one.
fn trees() -> Vec<Attribute> {
    let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
    let ragged = ["a0;A;U;*", "a1;A;U;*", "a2;B;U;*", "a3;V;*"].map(path);
    let halves = ["c0;C;*", "c1;C;*", "c2;D;*"].map(path);
    vec![
        Attribute::crisp("p".to_string(), Arc::new(Taxonomy::from_paths(&ragged).expect("a tree"))),
        Attribute::crisp("q".to_string(), Arc::new(Taxonomy::flat(["b0", "b1"]).expect("a tree"))),
        Attribute::crisp("r".to_string(), Arc::new(Taxonomy::from_paths(&halves).expect("a tree"))),
    ]
}

fn any_observations() -> impl Strategy<Value = Observations> {
    let row = (0u32..4, 0u32..2, 0u32..3, 0u32..3, 1u64..4);
    prop::collection::vec(row, 1..14).prop_map(|rows| {
        let mut observations = Observations::new(trees(), ["x", "y", "z"].map(String::from).to_vec());
        for (p, q, r, value, weight) in rows {
            observations.push(&[p, q, r], value, weight);
        }
        observations
    })
}

/// All conjunctions of up to this many items.
fn conjunctions(observations: &Observations, most: usize) -> Vec<Vec<Item>> {
    let mut found: Vec<Vec<Item>> = vec![Vec::new()];
    for (attribute, tree) in observations.attributes.iter().enumerate() {
        let nodes: Vec<_> = tree.taxonomy.nodes().skip(1).collect();
        let longer: Vec<Vec<Item>> = (found.iter().filter(|items| items.len() < most))
            .flat_map(|items| {
                nodes.iter().map(move |node| [&items[..], &[Item { attribute, node: *node }]].concat())
            })
            .collect();
        found.extend(longer);
    }
    found.retain(|items| !items.is_empty());
    found
}

/// The definition, literally.
fn brute_force(observations: &Observations, parameters: &Parameters) -> Vec<(Vec<Item>, u32)> {
    let mut rules = Vec::new();
    for items in conjunctions(observations, parameters.max_length) {
        let satisfying =
            || (0..observations.len()).filter(|record| observations.degree(&items, *record) > 0.0);
        let support: u64 = satisfying().map(|record| observations.weight(record)).sum();
        for value in 0..observations.values.len() as u32 {
            let holders = satisfying().filter(|record| observations.value(*record) == value);
            let holders: u64 = holders.map(|record| observations.weight(record)).sum();
            let share = observations.value_counts()[value as usize] as f64 / observations.total() as f64;
            let expectation = 1.0 - (1.0 - share).powf(support as f64);
            let confidence = 1.0 - holders as f64 / support as f64;
            if support > 0
                && share > 0.0
                && expectation >= parameters.min_expectation.to_f64() - 1e-9
                && confidence >= parameters.min_confidence.to_f64() - 1e-9
            {
                rules.push((items.clone(), value));
            }
        }
    }
    rules
}

fn any_parameters() -> impl Strategy<Value = Parameters> {
    let choice = |texts: &'static [&'static str]| prop::sample::select(texts).prop_map(exact);
    (choice(&["0", "0.3", "0.55", "0.7", "0.9"]), choice(&["1", "0.75", "0.6"]), 1usize..4).prop_map(
        |(min_expectation, min_confidence, max_length)| Parameters {
            min_expectation,
            min_confidence,
            max_length,
            significance: None,
            alpha: None,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn rules_equal_brute_force(observations in any_observations(), parameters in any_parameters()) {
        let clock = Clock::unlimited();
        let all = list(&observations, &parameters, &[], &clock).expect("rules");
        let found: BTreeSet<_> = all.iter().map(|rule| (rule.items.clone(), rule.value)).collect();
        prop_assert_eq!(found.len(), all.len());
        let known = brute_force(&observations, &parameters);
        prop_assert_eq!(&found, &known.iter().cloned().collect::<BTreeSet<_>>());

        // A rule is most general iff no other rule about the same value generalises it.
        let general: BTreeSet<_> =
            most_general(&observations, &all).into_iter().map(|at| (all[at].items.clone(), all[at].value)).collect();
        for (items, value) in &known {
            let implied = known.iter().any(|(wider, other)| {
                let pattern = Pattern { items: wider.clone(), value: *other };
                other == value && wider != items && pattern.implies(items, &observations.attributes)
            });
            prop_assert_eq!(!implied, general.contains(&(items.clone(), *value)));
        }

        // All rules exclude what the most general ones do, and what comes out of the descent.
        let excluded = exclude(&observations, &parameters, &[], &clock).expect("rules");
        for rules in [&found, &general] {
            for (record, excluded) in excluded.iter().enumerate() {
                let applying = rules.iter().filter(|(items, _)| observations.degree(items, record) > 0.0);
                let values = applying.map(|(_, value)| *value);
                prop_assert_eq!(excluded, &ValueSet::of(observations.values.len(), values));
            }
        }
    }

    #[test]
    fn a_muted_rule_takes_what_it_implies_with_it(
        observations in any_observations(),
        parameters in any_parameters(),
        choice in any::<prop::sample::Index>(),
    ) {
        let clock = Clock::unlimited();
        let all = list(&observations, &parameters, &[], &clock).expect("rules");
        prop_assume!(!all.is_empty());
        let rule = &all[choice.index(all.len())];
        let muted = Pattern { items: rule.items.clone(), value: rule.value };
        let left = list(&observations, &parameters, std::slice::from_ref(&muted), &clock).expect("rules");
        let stays = |rule: &&Rule| rule.value != muted.value || !muted.implies(&rule.items, &observations.attributes);
        let known: Vec<Rule> = all.iter().filter(stays).cloned().collect();
        prop_assert_eq!(&left, &known);
        let excluded = exclude(&observations, &parameters, &[muted], &clock).expect("rules");
        for (record, excluded) in excluded.iter().enumerate() {
            let applying = left.iter().filter(|rule| observations.degree(&rule.items, record) > 0.0);
            let values = applying.map(|rule| rule.value);
            prop_assert_eq!(excluded, &ValueSet::of(observations.values.len(), values));
        }
    }

    #[test]
    fn a_rule_reads_as_it_is_spelt(observations in any_observations(), choice in any::<prop::sample::Index>()) {
        let all = conjunctions(&observations, 3);
        let items = &all[choice.index(all.len())];
        let text = format!("mute {}", spell(&observations, items, 1));
        let stated = stated(&text, &observations).expect("a rule");
        prop_assert_eq!(&stated.muted, &[Pattern { items: items.clone(), value: 1 }]);
    }
}

fn stated(text: &str, observations: &Observations) -> Result<Stated> {
    let names: Vec<&str> = observations.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
    Stated::of(&RulesText::parse(text, &names)?, observations)
}

/// Six women and six men; only women have x.
fn couples() -> Observations {
    let sex =
        Attribute::crisp("sex".to_string(), Arc::new(Taxonomy::flat(["F", "M & more"]).expect("a tree")));
    let mut observations = Observations::new(vec![sex], ["x", "y", "z=\"1\""].map(String::from).to_vec());
    for (sex, value, weight) in [(0, 0, 3), (0, 1, 3), (1, 1, 5), (1, 2, 1)] {
        observations.push(&[sex], value, weight);
    }
    observations
}

fn half() -> Parameters {
    Parameters {
        min_expectation: exact("0.5"),
        min_confidence: Exact::ONE,
        max_length: 1,
        significance: None,
        alpha: None,
    }
}

#[test]
fn stated_rules_join_mined_ones() {
    let observations = couples();
    let clock = Clock::unlimited();
    let mined = &list(&observations, &half(), &[], &clock).expect("rules")[0];
    let name = spell(&observations, &mined.items, mined.value).name();
    let text = format!(
        "# ours\n\nsex=F => not \"z=\"\"1\"\"\"\nusually sex = F=>not y\nmute {name}\nsex=F => not \"z=\"\"1\"\"\"\n\
         mute sex=F => not x\n"
    );
    let stated = stated(&text, &observations).expect("rules");
    let Shown { rules: shown, mined: count, repeated, idle, .. } =
        Knowledge::rules(&observations, Some(&half()), &stated, &clock).expect("rules");
    // A rule that is stated twice is one rule; one that is struck out though it was never mined is reported.
    let idle: Vec<String> = idle.iter().map(ToString::to_string).collect();
    assert_eq!((repeated, idle), (1, vec!["sex=F => not x".to_string()]));
    let told: Vec<(String, Origin)> =
        shown.iter().map(|shown| (shown.text.to_string(), shown.origin)).collect();
    let known = [
        ("sex=\"M & more\" => not x", Origin::Muted),
        ("sex=F => not \"z=\"\"1\"\"\"", Origin::Stated(Some(3))),
        ("sex=F => not y", Origin::Stated(Some(4))),
    ];
    assert_eq!(told, known.map(|(text, origin)| (text.to_string(), origin)));
    assert_eq!((shown[2].rule.support, shown[2].rule.exceptions, count), (6.0, 3.0, 1));
    let knowledge = gather(&observations, Some(&half()), &stated, &clock).expect("knowledge");
    assert_eq!(knowledge.exceptions, 3);
    let excluded: Vec<Vec<u32>> = knowledge.excluded.iter().map(|set| set.iter().collect()).collect();
    assert_eq!(excluded, [vec![1, 2], vec![1, 2], vec![], vec![]]);
    let alone = gather(&observations, None, &Stated::default(), &clock).expect("knowledge");
    assert!(alone.is_empty && alone.exceptions == 0);
}

#[test]
fn what_the_data_does_not_know_is_refused_with_its_line() {
    let observations = couples();
    let error = stated("# first\nsex=* => not x\n", &observations).expect_err("the root");
    assert!(error.message().contains("the root") && error.remedy().is_some(), "{error}");
    assert_eq!(error.line(), Some(2), "{error}");
    for (line, told) in [("sex=F => not x", "contradicts"), ("mute r00000000", "no rule r00000000")] {
        let stated = stated(line, &observations).expect("rules");
        let error = gather(&observations, Some(&half()), &stated, &Clock::unlimited()).expect_err(line);
        assert!(error.message().contains(told) && error.line() == Some(1), "{error}");
    }
}

#[test]
fn hard_use_3_rules_about_values_that_do_not_occur_have_no_effect() {
    let observations = couples();
    let told = [
        ("sex=F => not X", "'X' does not occur in the sensitive column"),
        ("usually sex=G => not x", "'G' does not occur in column 'sex' or its hierarchy"),
        ("mute sex=F => not X", "'X' does not occur in the sensitive column"),
    ];
    for (line, why) in told {
        let stated = stated(&format!("# first\n{line}\n"), &observations).expect("rules");
        assert!(stated.rules.is_empty() && stated.muted.is_empty(), "{line}");
        let [note] = stated.absent.as_slice() else { panic!("{:?}", stated.absent) };
        assert!(note.contains("in line 2") && note.contains(why), "{note}");
        assert_eq!(note.contains("'usually sex=G => not x'"), line.starts_with("usually"), "{note}");
        assert!(!note.contains("did you mean 'F'"), "nothing of 'F' is in 'G': {note}");
    }
}

#[test]
fn hard_use_3_rules_about_values_that_only_the_hierarchy_has_have_no_effect() {
    let tree = Taxonomy::flat(["F", "M", "N"]).expect("a tree");
    let sex = Attribute::crisp("sex".to_string(), Arc::new(tree));
    let mut observations = Observations::new(vec![sex], ["x", "y", "z"].map(String::from).to_vec());
    observations.push(&[0], 0, 3);
    observations.push(&[1], 1, 3);
    for (line, why) in [
        ("sex=N => not x", "nobody in the data has 'N' in column 'sex'"),
        ("sex=F => not z", "nobody in the data has 'z' in the sensitive column"),
    ] {
        let stated = stated(&format!("{line}\n"), &observations).expect("rules");
        assert!(stated.rules.is_empty(), "{line}");
        let [note] = stated.absent.as_slice() else { panic!("{:?}", stated.absent) };
        assert!(
            note.contains("has no effect") && note.contains(why) && !note.contains("did you mean"),
            "{note}"
        );
    }
    assert_eq!(stated("sex=F => not y\n", &observations).expect("rules").rules.len(), 1);
}

#[test]
fn significance_asks_for_more_where_more_is_tested() {
    let observations = couples();
    let clock = Clock::unlimited();
    let rules = |significance: Option<&str>| {
        let parameters = Parameters { significance: significance.map(exact), ..half() };
        list(&observations, &parameters, &[], &clock).expect("rules").len()
    };
    // The expectation of the one rule is 1 − 0.75⁶ = 0.82, and five pairs of sex and value are tested.
    assert_eq!((rules(None), rules(Some("1")), rules(Some("0.05"))), (1, 1, 0));
}

#[test]
fn fuzzy_nodes_need_ranges_that_nest() {
    let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
    let ages = ["5;0-9;*", "15;10-19;*", "25;20+;*"].map(path);
    let tree = Arc::new(Taxonomy::from_paths(&ages).expect("a tree"));
    let age = Attribute::spread("age".to_string(), tree.clone(), exact("0.7")).expect("ranges");
    let node = |label: &str| tree.find(label).expect("a node");
    assert_eq!(age.membership(node("10-19"), 1), 1.0);
    assert_eq!(age.membership(node("5"), 0), 1.0);
    assert!((age.membership(node("10-19"), 2) - (25.3 - 25.0) / 6.3).abs() < 1e-9);
    assert_eq!(age.membership(node("20+"), 0), 0.0);

    let words = Arc::new(Taxonomy::from_paths(&["5;young;*", "15;old;*"].map(path)).expect("a tree"));
    let error = Attribute::spread("age".to_string(), words, exact("0.1")).expect_err("no ranges");
    assert!(error.message().contains("'young'"), "{error}");
    let crossed =
        Arc::new(Taxonomy::from_paths(&["5;0-9;20-29;*", "25;24-26;20-29;*"].map(path)).expect("a tree"));
    let error = Attribute::spread("age".to_string(), crossed, exact("0.1")).expect_err("no nesting");
    assert!(error.message().contains("belongs more to '0-9'"), "{error}");
}

#[test]
fn more_values_than_a_word_has_bits() {
    let sex = Attribute::crisp("sex".to_string(), Arc::new(Taxonomy::flat(["F", "M"]).expect("a tree")));
    let mut observations = Observations::new(vec![sex], (0..200).map(|value| format!("v{value}")).collect());
    for value in 0..200 {
        observations.push(&[0], value, 10);
        if value != 70 && value != 199 {
            observations.push(&[1], value, 10);
        }
    }
    let parameters = Parameters { min_expectation: exact("0.9"), ..half() };
    let excluded = exclude(&observations, &parameters, &[], &Clock::unlimited()).expect("rules");
    assert_eq!(excluded[1].iter().collect::<Vec<_>>(), [70, 199]);
    assert!(excluded[0].is_empty());
}

#[test]
fn trees_may_be_deeper_than_any_stack() {
    const LEVELS: usize = 20_000;
    let path = |leaf: &str| -> Vec<String> {
        let above = (0..LEVELS).map(|level| format!("{leaf}{level}"));
        std::iter::once(leaf.to_string()).chain(above).chain(["*".to_string()]).collect()
    };
    let taxonomy = Arc::new(Taxonomy::from_paths(&[path("a"), path("b")]).expect("a tree"));
    let leaf = |label: &str| {
        let node = taxonomy.find(label).expect("a leaf");
        taxonomy.leaves_below(node).start as u32
    };
    let (a, b) = (leaf("a"), leaf("b"));
    let attribute = Attribute::crisp("p".to_string(), taxonomy.clone());
    let mut observations = Observations::new(vec![attribute], ["flu", "gout"].map(String::from).to_vec());
    // Nobody below a has gout, and everywhere on the way down to it that is known.
    observations.push(&[a], 0, 50);
    observations.push(&[b], 0, 25);
    observations.push(&[b], 1, 25);
    let clock = Clock::unlimited();
    let rules = list(&observations, &half(), &[], &clock).expect("rules");
    assert_eq!(rules.len(), LEVELS + 1);
    let general = most_general(&observations, &rules);
    let labels: Vec<&str> = general.iter().map(|at| taxonomy.label(rules[*at].items[0].node)).collect();
    assert_eq!(labels, [format!("a{}", LEVELS - 1)]);
    let excluded = exclude(&observations, &half(), &[], &clock).expect("rules");
    let excluded: Vec<Vec<u32>> = excluded.iter().map(|set| set.iter().collect()).collect();
    assert_eq!(excluded, [vec![1], vec![], vec![]]);
}
