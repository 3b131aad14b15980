//! Figure 3 and section VI's sizes on Adult (UCI `adult.data`, rows complete in seven columns: 30,718).

use std::io::Read as _;
use std::sync::Arc;

use serde_json::Value as Json;

use super::{GroupingStrategy, GroupingTask, expose, group};
use crate::injector::classes::RecordClasses;
use crate::injector::utility::{Analyst, CountQuery, RuleSearch, Workload};
use privet_core::Exact;
use privet_core::clock::Clock;
use privet_engine::negative_rules::{Attribute, Observations, Parameters, exclude, list};
use privet_engine::privacy::matching::judge;
use privet_engine::testing::rules as vectors;

/// The columns used, with their positions in the file.
const COLUMNS: [(&str, usize); 7] = [
    ("age", 0),
    ("workclass", 1),
    ("education", 3),
    ("marital-status", 5),
    ("race", 8),
    ("sex", 9),
    ("occupation", 6),
];

/// The rows with no "?" in these columns; `None`, with a message, if the data is absent.
fn adult(known: &Json) -> Option<Observations> {
    let path = privet_core::testing::real_data(&["adult/adult.data.zst"])?.join("adult/adult.data.zst");
    let file = std::fs::File::open(&path).expect("a file");
    let mut text = String::new();
    zstd::Decoder::new(file).expect("zstd").read_to_string(&mut text).expect("text");
    let attribute = |(name, _): &(&str, usize)| {
        Attribute::crisp(
            name.to_string(),
            Arc::new(vectors::taxonomy(&known["hierarchies"][name], std::iter::empty())),
        )
    };
    let values = known["value_counts"].as_object().expect("values").keys().cloned().collect();
    let mut observations = Observations::new(COLUMNS[..6].iter().map(attribute).collect(), values);
    for line in text.lines() {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if cells.len() < 15 || COLUMNS.iter().any(|(_, at)| cells[*at] == "?") {
            continue;
        }
        let leaves: Vec<u32> = (observations.attributes.iter().zip(COLUMNS))
            .map(|(attribute, (_, at))| {
                let leaf = attribute.taxonomy.find(cells[at]).expect("a leaf");
                attribute.taxonomy.leaves_below(leaf).start as u32
            })
            .collect();
        let value = observations.values.iter().position(|value| value == cells[6]).expect("a value");
        observations.push(&leaves, value as u32, 1);
    }
    Some(observations)
}

fn expectation(text: &str, max_length: usize) -> Parameters {
    Parameters {
        min_expectation: Exact::parse(text).expect("a number"),
        min_confidence: Exact::ONE,
        max_length,
        significance: None,
        alpha: None,
    }
}

#[test]
fn figure_3_on_adult() {
    let known = vectors::read(&vectors::folder().join("adult-fig3-30718.json"));
    let Some(observations) = adult(&known) else { return };
    assert_eq!(observations.total(), 30_718);
    let clock = Clock::unlimited();
    for (text, known) in known["by_minExp"].as_object().expect("cases") {
        let parameters = expectation(text, 1);
        let rules = list(&observations, &parameters, &[], &clock).expect("rules");
        assert_eq!(known["rules"], rules.len(), "{text}");
        let shown: Vec<Json> = (rules.iter())
            .map(|rule| {
                let attribute = &observations.attributes[rule.items[0].attribute];
                let node = attribute.taxonomy.label(rule.items[0].node);
                let value = &observations.values[rule.value as usize];
                serde_json::json!([attribute.name, node, value, rule.support as u64])
            })
            .collect();
        let sorted = |mut rules: Vec<Json>| {
            rules.sort_by_key(Json::to_string);
            rules
        };
        assert_eq!(sorted(shown), sorted(known["rule_list"].as_array().expect("rules").clone()), "{text}");

        let excluded = exclude(&observations, &parameters, &[], &clock).expect("rules");
        let mut counts = [0u64; 6];
        for (record, excluded) in excluded.iter().enumerate() {
            counts[excluded.len().min(5)] += observations.weight(record);
        }
        assert_eq!(serde_json::json!(counts), known["N_counts_0_to_5plus"], "{text}");
        let (classes, _) = RecordClasses::of(&observations, &excluded);
        assert_eq!(known["distinct_classes_s_ivs"], classes.list.len(), "{text}");
        let (at, kinds) = classes.kinds();
        let verdict = judge(classes.values, &kinds, 6);
        let mut valid = std::collections::BTreeMap::new();
        for (class, values) in at.iter().zip(&verdict.valid) {
            *valid.entry(values.len().to_string()).or_insert(0) += classes.list[*class].count;
        }
        assert_eq!(serde_json::json!(valid), known["valid_values_whole_table"], "{text}");
    }
}

#[test]
fn groups_on_adult() {
    let known = vectors::read(&vectors::folder().join("adult-fig3-30718.json"));
    let Some(observations) = adult(&known) else { return };
    let clock = Clock::unlimited();
    let excluded = exclude(&observations, &expectation("0.9", 1), &[], &clock).expect("rules");
    for (l, groups, vulnerable) in [(3, 10_239, 307), (6, 5_119, 677)] {
        let task = GroupingTask {
            observations: &observations,
            excluded: &excluded,
            l,
            k: 1,
            max_posterior: None,
            suppress: false,
        };
        // Nearly every group has the least possible size, nobody is vulnerable, and no value is above one in l.
        let grouping = group(&task, GroupingStrategy::Balanced, 7, &clock).expect("groups");
        let exposure = expose(&task, &grouping);
        assert_eq!((exposure.vulnerable, exposure.above_one_in_l), (0, 0));
        // Chance may leave a record to wait whose rules exclude too much of what is drawn.
        assert!((groups - 5..=groups).contains(&exposure.groups), "{exposure:?}");
        assert!(exposure.sizes.keys().all(|size| *size <= l + 1), "{exposure:?}");
        // Nearness leaves a few more to wait.
        let grouping = group(&task, GroupingStrategy::Near, 7, &clock).expect("groups");
        let exposure = expose(&task, &grouping);
        assert_eq!((exposure.vulnerable, exposure.above_one_in_l), (0, 0));
        assert!(exposure.groups >= groups - groups / 100, "{exposure:?}");
        assert!(exposure.sizes.keys().all(|size| *size <= l + 3), "{exposure:?}");
        // Figure 4: 307 and 677 records on average are vulnerable under Anatomy.
        let grouping = group(&task, GroupingStrategy::Anatomy, 7, &clock).expect("groups");
        let exposure = expose(&task, &grouping);
        assert!(exposure.vulnerable.abs_diff(vulnerable) < vulnerable / 5, "{exposure:?}");
    }
}

#[test]
fn near_groups_tell_more_and_balanced_ones_no_less_than_anatomy() {
    let known = vectors::read(&vectors::folder().join("adult-fig3-30718.json"));
    let Some(observations) = adult(&known) else { return };
    let clock = Clock::unlimited();
    let excluded = exclude(&observations, &expectation("0.9", 1), &[], &clock).expect("rules");
    let workload = Workload { dimension: 4, selectivity: 0.1, queries: 100, least: 20 };
    let queries = CountQuery::draw(&observations, &workload, 1);
    let search = RuleSearch { support: 0.005, conviction: 1.05, items: 2 };
    // A prototype's figures, with Anatomy at 0.382 and 0.481.
    for (l, prototype) in [(3, 0.123), (6, 0.374)] {
        let task = GroupingTask {
            observations: &observations,
            excluded: &excluded,
            l,
            k: 1,
            max_posterior: None,
            suppress: false,
        };
        let errors = |strategy: GroupingStrategy| {
            let mut sums = (0.0, 0.0);
            for seed in 1..=2 {
                let grouping = group(&task, strategy, seed, &clock).expect("groups");
                let analyst = Analyst::new(&observations, &grouping);
                sums.0 += analyst.rule_errors(&search).expect("rules").confidence / 2.0;
                sums.1 += analyst.query_errors(&queries).expect("queries").mean / 2.0;
            }
            sums
        };
        let (anatomy, balanced, near) = (
            errors(GroupingStrategy::Anatomy),
            errors(GroupingStrategy::Balanced),
            errors(GroupingStrategy::Near),
        );
        // The same seeds for all. What is left are differences by chance.
        assert!(
            balanced.0 < 1.01 * anatomy.0 && balanced.1 < 1.05 * anatomy.1,
            "{l}: {balanced:?} {anatomy:?}"
        );
        assert!(near.0 < prototype && near.1 < 0.8 * anatomy.1, "{l}: {near:?} {anatomy:?}");
    }
}

#[test]
fn conjunctions_on_adult() {
    let known = vectors::read(&vectors::folder().join("adult-fig3-30718.json"));
    let Some(observations) = adult(&known) else { return };
    let clock = Clock::unlimited();
    for (length, rules, at_6, at_3) in [(1, 22, 0, 0), (2, 2_694, 2_052, 106), (3, 23_322, 7_741, 1_163)] {
        let parameters = expectation("0.9", length);
        assert_eq!(list(&observations, &parameters, &[], &clock).expect("rules").len(), rules);
        let excluded = exclude(&observations, &parameters, &[], &clock).expect("rules");
        let (classes, _) = RecordClasses::of(&observations, &excluded);
        let (at, kinds) = classes.kinds();
        for (l, known) in [(6, at_6), (3, at_3)] {
            let failing = judge(classes.values, &kinds, l).failing;
            assert_eq!(
                failing.iter().map(|kind| classes.list[at[*kind]].count).sum::<u64>(),
                known,
                "{length} {l}"
            );
        }
    }
}
