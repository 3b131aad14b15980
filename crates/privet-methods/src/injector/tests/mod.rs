//! Groups against the definitions: tables with known answers, and every strategy on generated tables.

mod adult;
mod near;

use std::sync::Arc;

use proptest::prelude::{ProptestConfig, Strategy as Generate, any, prop};
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::blocked::ClashSums;
use super::classes::{RecordClass, RecordClasses};
use super::*;
use privet_core::ErrorKind;
use privet_engine::negative_rules::{Attribute, Observations, exclude};
use privet_engine::testing::rules as vectors;
use privet_taxonomy::Taxonomy;

const ALL: [GroupingStrategy; 4] =
    [GroupingStrategy::Near, GroupingStrategy::Balanced, GroupingStrategy::Local, GroupingStrategy::Paper];

#[test]
fn groups_of_known_tables() {
    for vector in vectors::vectors() {
        let (name, observations) = (&vector.name, &vector.observations);
        let clock = Clock::unlimited();
        let excluded = exclude(observations, &vector.parameters, &[], &clock).expect("rules");
        let (classes, class_of) = RecordClasses::of(observations, &excluded);
        let sums = ClashSums::new(&classes);
        let nit: Vec<u64> = class_of.iter().map(|class| sums.clashing(*class as usize)).collect();
        assert_eq!(serde_json::json!(nit), vector.expected["nit_singletons"], "{name}");
        for known in vector.expected["bucketization"].as_array().expect("runs") {
            let l = known["l"].as_u64().expect("a number") as usize;
            let task = GroupingTask {
                observations,
                excluded: &excluded,
                l,
                k: 1,
                max_posterior: None,
                suppress: false,
            };
            for strategy in ALL {
                match group(&task, strategy, 3, &clock) {
                    Ok(grouping) => {
                        assert_eq!(known["status"], "ok", "{name} {l} {strategy:?}");
                        check_groups(&task, &grouping);
                    }
                    Err(error) => {
                        assert_eq!(known["status"], "infeasible", "{name} {l} {strategy:?}: {error}");
                        assert_eq!(error.kind(), ErrorKind::Infeasible);
                    }
                }
            }
            if known["status"] == "ok" {
                let groups =
                    as_published(&classes, GroupLimits { l, k: 1, bound: None }, &clock).expect("groups");
                let records: Vec<u32> = (0..observations.len() as u32).collect();
                let mut groups = deal(&groups, &members(observations, &class_of, &records));
                groups.iter_mut().for_each(|group| group.sort_unstable());
                assert_eq!(serde_json::json!(groups), known["buckets_reference"], "{name} {l}");
            }
        }
    }
}

/// Checks that every record is grouped or suppressed, and every group is matching l-diverse.
fn check_groups(task: &GroupingTask<'_>, grouping: &RecordGroups) {
    let mut seen = vec![0u64; task.observations.len()];
    grouping.groups.iter().flatten().for_each(|record| seen[*record as usize] += 1);
    for record in &grouping.suppressed {
        assert_eq!(seen[*record as usize], 0);
        seen[*record as usize] = task.observations.weight(*record as usize);
    }
    let weights: Vec<u64> = (0..seen.len()).map(|record| task.observations.weight(record)).collect();
    assert_eq!(seen, weights);
    let exposure = expose(task, grouping);
    assert!(grouping.groups.is_empty() || exposure.least_valid >= task.l, "{exposure:?}");
    assert_eq!((exposure.vulnerable, exposure.vulnerable_simple), (0, 0));
}

#[test]
fn eligibility_for_anatomy() {
    let known = vectors::read(&vectors::folder().join("anatomy-eligibility.json"));
    for case in known["cases"].as_array().expect("cases") {
        let l = case["l"].as_u64().expect("a number") as usize;
        let observations = column(&vectors::texts(&case["values"]));
        let excluded = vec![ValueSet::none(observations.values.len()); observations.len()];
        let task = GroupingTask {
            observations: &observations,
            excluded: &excluded,
            l,
            k: 1,
            max_posterior: None,
            suppress: false,
        };
        match group(&task, GroupingStrategy::Anatomy, 1, &Clock::unlimited()) {
            Ok(grouping) => {
                assert_eq!(case["eligible"], true, "{case}");
                let exposure = expose(&task, &grouping);
                assert!(exposure.sizes.keys().all(|size| *size >= l), "{case}");
                assert_eq!((exposure.frequency.0, exposure.above_one_in_l), (1, 0), "{case}");
            }
            Err(error) => {
                assert_eq!(
                    (case["eligible"].as_bool(), error.kind()),
                    (Some(false), ErrorKind::Infeasible),
                    "{case}"
                );
            }
        }
    }
}

/// A table of one constant quasi-identifier.
fn column(values: &[String]) -> Observations {
    let mut distinct = values.to_vec();
    distinct.sort();
    distinct.dedup();
    let tree = Arc::new(Taxonomy::flat(["all", "other"]).expect("a tree"));
    let mut observations = Observations::new(vec![Attribute::crisp("q".to_string(), tree)], distinct);
    for value in values {
        let code = observations.values.binary_search(value).expect("a value") as u32;
        observations.push(&[0], code, 1);
    }
    observations
}

/// A table of two quasi-identifiers, with the values ruled out for each of its six kinds of people.
#[derive(Debug, Clone)]
struct RandomWorld {
    observations: Observations,
    excluded: Vec<ValueSet>,
}

const VALUES: usize = 5;

fn any_world() -> impl Generate<Value = RandomWorld> {
    let bars = prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 6);
    let rows = prop::collection::vec((0u32..3, 0u32..2, 0..VALUES as u32, 1u64..5), 1..25);
    (bars, rows).prop_map(|(bars, rows)| {
        let tree = |labels: &[&str]| Arc::new(Taxonomy::flat(labels.iter().copied()).expect("a tree"));
        let attributes = vec![
            Attribute::crisp("p".to_string(), tree(&["p0", "p1", "p2"])),
            Attribute::crisp("q".to_string(), tree(&["q0", "q1"])),
        ];
        let mut observations =
            Observations::new(attributes, (0..VALUES).map(|value| format!("v{value}")).collect());
        let mut excluded = Vec::new();
        for (p, q, value, weight) in rows {
            let (one, two, three) = bars[(2 * p + q) as usize];
            let bits = one & two & three;
            let barred = (0..VALUES as u32).filter(|other| *other != value && bits >> other & 1 == 1);
            excluded.push(ValueSet::of(VALUES, barred));
            observations.push(&[p, q], value, weight);
        }
        RandomWorld { observations, excluded }
    })
}

impl RandomWorld {
    fn task(&self, l: usize, suppress: bool) -> GroupingTask<'_> {
        GroupingTask {
            observations: &self.observations,
            excluded: &self.excluded,
            l,
            k: 1,
            max_posterior: None,
            suppress,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn every_strategy_succeeds_iff_the_whole_table_would(world in any_world(), l in 1usize..5, seed in any::<u64>()) {
        let clock = Clock::unlimited();
        let (classes, _) = RecordClasses::of(&world.observations, &world.excluded);
        let (_, kinds) = classes.kinds();
        let feasible = judge(VALUES, &kinds, l).failing.is_empty();
        let publishable = peel(VALUES, &kinds, l);
        for strategy in ALL {
            let task = world.task(l, false);
            let grouping = group(&task, strategy, seed, &clock);
            prop_assert_eq!(grouping.is_ok(), feasible);
            if let Ok(grouping) = grouping {
                check_groups(&task, &grouping);
                prop_assert!(grouping.suppressed.is_empty());
                prop_assert_eq!(&group(&task, strategy, seed, &clock).expect("groups"), &grouping);
            }
            let task = world.task(l, true);
            match group(&task, strategy, seed, &clock) {
                Ok(grouping) => check_groups(&task, &grouping),
                Err(error) => {
                    prop_assert_eq!(error.kind(), ErrorKind::Infeasible);
                    prop_assert!(!publishable.contains(&true));
                }
            }
        }
    }

    #[test]
    fn groups_do_not_depend_on_the_order_of_rows(world in any_world(), l in 1usize..4) {
        let clock = Clock::unlimited();
        let mut turned = Observations::new(world.observations.attributes.clone(), world.observations.values.clone());
        let order: Vec<usize> = (0..world.observations.len()).rev().collect();
        for record in &order {
            let leaves = [0, 1].map(|attribute| world.observations.leaf(attribute, *record));
            turned.push(&leaves, world.observations.value(*record), world.observations.weight(*record));
        }
        let excluded = order.iter().map(|record| world.excluded[*record].clone()).collect();
        let turned = RandomWorld { observations: turned, excluded };
        for strategy in [GroupingStrategy::Balanced, GroupingStrategy::Paper] {
            let exposed = |world: &RandomWorld| {
                let task = world.task(l, true);
                group(&task, strategy, 5, &clock).ok().map(|grouping| expose(&task, &grouping))
            };
            prop_assert_eq!(exposed(&world), exposed(&turned));
        }
    }

    #[test]
    fn a_bound_on_the_posterior_is_kept_or_refused(world in any_world(), l in 1usize..4) {
        let bound = Exact::new(1, l as u64).expect("a share");
        let task = GroupingTask { max_posterior: Some(bound), ..world.task(l, true) };
        match group(&task, GroupingStrategy::Balanced, 5, &Clock::unlimited()) {
            Ok(grouping) => {
                check_groups(&task, &grouping);
                let exposure = expose(&task, &grouping);
                prop_assert!(exposure.posterior.is_none_or(|posterior| posterior.is_at_most(bound)));
                prop_assert_eq!(exposure.not_worked_out, 0);
            }
            Err(error) => prop_assert_eq!(error.kind(), ErrorKind::Infeasible),
        }
    }

    #[test]
    fn hard_use_3_groups_have_k_records_and_what_held_without(world in any_world(), l in 1usize..4, k in 1u64..12) {
        let clock = Clock::unlimited();
        for strategy in ALL.into_iter().chain([GroupingStrategy::Anatomy]) {
            let plain = world.task(l, true);
            let task = GroupingTask { k, ..plain };
            let Ok(without) = group(&plain, strategy, 5, &clock) else {
                prop_assert!(group(&task, strategy, 5, &clock).is_err());
                continue;
            };
            let records = without.groups.iter().map(Vec::len).sum::<usize>() as u64;
            match group(&task, strategy, 5, &clock) {
                Ok(grouping) => {
                    prop_assert!(grouping.groups.iter().all(|group| group.len() as u64 >= k));
                    let mut members: Vec<u32> = grouping.groups.concat();
                    let mut before: Vec<u32> = without.groups.concat();
                    members.sort_unstable();
                    before.sort_unstable();
                    prop_assert_eq!(members, before);
                    if strategy == GroupingStrategy::Anatomy {
                        let exposure = expose(&task, &grouping);
                        prop_assert_eq!(exposure.above_one_in_l, 0);
                    } else {
                        check_groups(&task, &grouping);
                    }
                }
                Err(error) => {
                    prop_assert_eq!(error.kind(), ErrorKind::Infeasible);
                    prop_assert!(records < k, "{records} records, k = {k}: {error}");
                }
            }
        }
    }

    #[test]
    fn clashes_are_counted_as_defined(world in any_world()) {
        let (classes, _) = RecordClasses::of(&world.observations, &world.excluded);
        let sums = ClashSums::new(&classes);
        for (at, class) in classes.list.iter().enumerate() {
            let clashing = classes.list.iter().filter(|other| class.clashes(other));
            prop_assert_eq!(sums.clashing(at), clashing.map(|other: &RecordClass| other.count).sum::<u64>());
        }
    }

    #[test]
    fn anatomy_keeps_values_apart(counts in prop::collection::vec(1usize..9, 2..6), l in 1usize..4, seed in any::<u64>()) {
        let values: Vec<String> =
            counts.iter().enumerate().flat_map(|(value, count)| vec![format!("v{value}"); *count]).collect();
        let observations = column(&values);
        let excluded = vec![ValueSet::none(observations.values.len()); observations.len()];
        let task = GroupingTask { observations: &observations, excluded: &excluded, l, k: 1, max_posterior: None, suppress: false };
        let eligible = counts.iter().all(|count| count * l <= values.len());
        let grouping = group(&task, GroupingStrategy::Anatomy, seed, &Clock::unlimited());
        prop_assert_eq!(grouping.is_ok(), eligible);
        if let Ok(grouping) = grouping {
            check_groups(&task, &grouping);
            prop_assert_eq!(expose(&task, &grouping).frequency.0, 1);
        }
    }
}

#[test]
fn what_is_impossible_is_counted_and_nobody_shown() {
    let texts = |values: &[&str]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
    let observations = column(&texts(&["a", "a", "a", "b", "c"]));
    let mut excluded = vec![ValueSet::none(3); 5];
    excluded[3] = ValueSet::of(3, [0, 2]);
    let task = GroupingTask {
        observations: &observations,
        excluded: &excluded,
        l: 2,
        k: 1,
        max_posterior: None,
        suppress: false,
    };
    let error = group(&task, GroupingStrategy::Balanced, 1, &Clock::unlimited()).expect_err("no way");
    assert_eq!(error.kind().exit_status(), 3);
    for part in ["1 of 5 records", "l = 2", "some have 1 value"] {
        assert!(error.message().contains(part), "{error}");
    }
    assert!(!error.message().contains("'b'") && !error.message().contains("q all"), "{error}");
    let error = group(&task, GroupingStrategy::Anatomy, 1, &Clock::unlimited()).expect_err("no way");
    assert!(error.message().contains("3 of 5 records have the value 'a'"), "{error}");
    assert!(error.remedy().is_some_and(|help| help.contains("l = 1")), "{error}");
}
