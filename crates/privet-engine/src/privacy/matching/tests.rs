//! The one-pass check against Figure 1 and against enumeration, and what groups gain by growing.

use std::time::Instant;

use proptest::prelude::*;
use serde_json::Value as Json;

use super::figure_one::{self, Record};
use super::*;
use privet_core::Exact;

const VALUES: usize = 5;

/// A record: what it has and what it may have.
type Pair = (u32, ValueSet);

fn valid_values(values: usize, group: &[Pair]) -> Vec<ValueSet> {
    let mut graph = ValueGraph::new(values);
    group.iter().for_each(|(value, allowed)| graph.add(*value, allowed));
    let components = graph.components();
    group.iter().map(|(value, allowed)| components.valid(*value, allowed)).collect()
}

fn slow(values: usize, group: &[Pair]) -> Vec<ValueSet> {
    let records: Vec<Record> = (group.iter())
        .map(|(value, allowed)| Record {
            value: *value as usize,
            allowed: (0..values as u32).map(|value| allowed.contains(value)).collect(),
        })
        .collect();
    let sets = figure_one::valid_values(&records).into_iter();
    sets.map(|valid| ValueSet::of(values, valid.into_iter().map(|value| value as u32))).collect()
}

/// Per record and value, how many perfect matchings give the value to the record (occurrences distinguished).
fn enumerate(group: &[Pair]) -> Vec<Vec<u64>> {
    fn assign(group: &[Pair], taken: &mut Vec<usize>, ways: &mut [Vec<u64>]) {
        if taken.len() == group.len() {
            for (record, slot) in taken.iter().enumerate() {
                ways[record][group[*slot].0 as usize] += 1;
            }
            return;
        }
        for slot in 0..group.len() {
            if !taken.contains(&slot) && group[taken.len()].1.contains(group[slot].0) {
                taken.push(slot);
                assign(group, taken, ways);
                taken.pop();
            }
        }
    }
    let mut ways = vec![vec![0; VALUES]; group.len()];
    assign(group, &mut Vec::new(), &mut ways);
    ways
}

fn posteriors_of(group: &[Pair]) -> Option<Vec<Posterior>> {
    let members: Vec<Member> =
        group.iter().map(|(_, allowed)| Member { allowed: allowed.clone(), count: 1 }).collect();
    posteriors(&members, &counts_of(group))
}

fn counts_of(group: &[Pair]) -> Vec<(u32, u64)> {
    let count = |value: u32| group.iter().filter(|(other, _)| *other == value).count() as u64;
    (0..1 + group.iter().map(|(value, _)| *value).max().unwrap_or(0))
        .map(|value| (value, count(value)))
        .collect()
}

fn any_group(most: usize) -> impl Strategy<Value = Vec<Pair>> {
    let record = (0..VALUES as u32, any::<u8>(), any::<u8>()).prop_map(|(value, one, other)| {
        let bits = one | other;
        let mut allowed = ValueSet::of(VALUES, (0..VALUES as u32).filter(|value| bits >> value & 1 == 1));
        allowed.insert(value);
        (value, allowed)
    });
    prop::collection::vec(record, 1..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn one_pass_equals_a_matching_per_pair_and_all_matchings(group in any_group(8)) {
        let valid = valid_values(VALUES, &group);
        prop_assert_eq!(&valid, &slow(VALUES, &group));
        for (valid, ways) in valid.iter().zip(enumerate(&group)) {
            let possible = (0..VALUES as u32).filter(|value| ways[*value as usize] > 0);
            prop_assert_eq!(valid, &ValueSet::of(VALUES, possible));
        }
    }

    #[test]
    fn posteriors_are_shares_of_matchings(group in any_group(7)) {
        let found = posteriors_of(&group).expect("few states");
        for (posterior, ways) in found.iter().zip(enumerate(&group)) {
            let (most, all) = (ways.iter().max().copied().unwrap_or(0), ways.iter().sum());
            let share = Exact::new(most, all).expect("a matching");
            prop_assert!(posterior.is_at_most(share), "{} {}", posterior, share);
            prop_assert_eq!(posterior.to_string(), share.to_string());
        }
    }

    #[test]
    fn copies_of_a_record_share_its_posterior(group in any_group(5), twice in 0usize..5) {
        let mut long = group.clone();
        long.push(group[twice % group.len()].clone());
        let members: Vec<Member> = group.iter().enumerate()
            .map(|(at, (_, allowed))| {
                Member { allowed: allowed.clone(), count: 1 + u64::from(at == twice % group.len()) }
            })
            .collect();
        let short = posteriors(&members, &counts_of(&long)).expect("few states");
        let one_by_one = posteriors_of(&long).expect("few states");
        prop_assert_eq!(&short[..], &one_by_one[..group.len()]);
    }

    #[test]
    fn a_group_that_grows_keeps_its_valid_values(group in any_group(9), more in any_group(9)) {
        let before = valid_values(VALUES, &group);
        let merged: Vec<Pair> = group.iter().chain(&more).cloned().collect();
        for (before, after) in before.iter().zip(valid_values(VALUES, &merged)) {
            prop_assert!(before.is_subset(&after));
        }
    }

    #[test]
    fn what_is_peeled_could_never_stay(group in any_group(9), l in 1usize..4) {
        let kept = peel(VALUES, &group, l);
        let stays: Vec<Pair> = group.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(pair, _)| pair.clone()).collect();
        prop_assert!(valid_values(VALUES, &stays).iter().all(|valid| valid.len() >= l));
        // No subset that is matching l-diverse holds a record that was peeled off.
        for subset in 0u32..1 << group.len() {
            let chosen = |at: usize| subset >> at & 1 == 1;
            let some: Vec<Pair> = (0..group.len()).filter(|at| chosen(*at)).map(|at| group[at].clone()).collect();
            if valid_values(VALUES, &some).iter().all(|valid| valid.len() >= l) {
                prop_assert!((0..group.len()).all(|at| !chosen(at) || kept[at]));
            }
        }
    }
}

#[test]
fn the_only_woman_is_certain() {
    // One woman with ovarian cancer (0), and three men with common diseases.
    let anything = ValueSet::all(4);
    let not_ovarian = anything.without(&ValueSet::of(4, [0]));
    let men = (1..4).map(|disease| (disease, not_ovarian.clone()));
    let group: Vec<Pair> = std::iter::once((0, anything)).chain(men).collect();
    let counts: Vec<usize> = valid_values(4, &group).iter().map(ValueSet::len).collect();
    assert_eq!(counts, [1, 3, 3, 3]);
    assert_eq!(judge(4, &group, 2).failing, [0]);
    assert_eq!(judge(4, &group, 2).largest_l, 1);
    assert_eq!(peel(4, &group, 2), [false, true, true, true]);
    assert_eq!(posteriors_of(&group).expect("few states")[0].to_string(), "1");
}

#[test]
fn more_values_than_a_word_has_bits() {
    let values = 130;
    let allowed = ValueSet::of(values, [3, 77, 129]);
    let group: Vec<Pair> = [3, 77, 129].into_iter().map(|value| (value, allowed.clone())).collect();
    assert!(valid_values(values, &group).iter().all(|valid| *valid == allowed));
}

#[test]
fn long_counts_stay_exact() {
    // 40 records, two values, and one record that cannot have the second.
    let both = Member { allowed: ValueSet::all(2), count: 39 };
    let first = Member { allowed: ValueSet::of(2, [0]), count: 1 };
    let found = posteriors(&[first, both], &[(0, 20), (1, 20)]).expect("few states");
    assert_eq!(found[0].to_string(), "1");
    assert_eq!(found[1].to_string(), "20/39");
    assert!((found[1].to_f64() - 20.0 / 39.0).abs() < 1e-12);
    assert!(found[1].is_at_most(Exact::new(20, 39).expect("a share")));
    assert!(!found[1].is_at_most(Exact::new(1, 2).expect("a share")));
}

#[test]
fn too_many_states_are_not_worked_out() {
    let odd = Member { allowed: ValueSet::of(21, 0..20), count: 1 };
    let members = [odd, Member { allowed: ValueSet::all(21), count: 20 }];
    let counts: Vec<(u32, u64)> = (0..21).map(|value| (value, 1)).collect();
    assert_eq!(posteriors(&members, &counts), None);
    // Without restrictions there is nothing to work out.
    let anybody = Member { allowed: ValueSet::all(21), count: 21 };
    assert_eq!(posteriors(&[anybody], &counts).expect("a shuffle")[0].to_string(), "1/21");
}

#[test]
fn bare_groups_with_known_answers() {
    let text = include_str!("../../../../../vectors/injector/groups.json");
    let json: Json = serde_json::from_str(text).expect("cases");
    let cases = json["cases"].as_array().expect("cases");
    assert!(cases.len() > 50);
    let code = |value: &Json| -> u32 { value.as_str().expect("v0")[1..].parse().expect("a number") };
    let codes = |list: &Json| list.as_array().expect("a list").iter().map(code).collect::<Vec<_>>();
    for case in cases {
        let tuples = case["tuples"].as_array().expect("records");
        let values = 1 + tuples
            .iter()
            .flat_map(|t| codes(&t["ivs"]).into_iter().chain([code(&t["s"])]))
            .max()
            .expect("a value") as usize;
        let group: Vec<Pair> = (tuples.iter())
            .map(|t| {
                let kind = Kind { value: code(&t["s"]), excluded: ValueSet::of(values, codes(&t["ivs"])) };
                (kind.value, kind.allowed(values))
            })
            .collect();
        let valid: Vec<Vec<u32>> =
            valid_values(values, &group).iter().map(|valid| valid.iter().collect()).collect();
        let known: Vec<Vec<u32>> = case["valid"].as_array().expect("sets").iter().map(codes).collect();
        assert_eq!(valid, known, "{case}");
        let present = ValueSet::of(values, group.iter().map(|(value, _)| *value));
        let simple: Vec<usize> = group.iter().map(|(_, allowed)| allowed.common(&present)).collect();
        assert_eq!(Json::from(simple), case["simple"], "{case}");
        let posteriors = posteriors_of(&group).expect("few states");
        let shown: Vec<String> = posteriors.iter().map(ToString::to_string).collect();
        assert_eq!(Json::from(shown), case["max_posterior"], "{case}");
    }
}

/// The promise is a hundred times in an optimised build (`benches/injector.rs`); here it must at least be far quicker.
#[test]
fn one_pass_is_far_quicker_than_a_matching_per_pair() {
    let values = 14;
    let group: Vec<Pair> = (0..30u32)
        .map(|at| {
            let excluded = ValueSet::of(values, [(at + 5) % 14, (at * 3 + 1) % 14]);
            let kind = Kind { value: at % 14, excluded };
            (kind.value, kind.allowed(values))
        })
        .collect();
    let start = Instant::now();
    let mut quick = Vec::new();
    for _ in 0..100 {
        quick = valid_values(values, &group);
    }
    let once = start.elapsed() / 100;
    let start = Instant::now();
    assert_eq!(quick, slow(values, &group));
    assert!(start.elapsed() > once * 20, "{:?} against {once:?}", start.elapsed());
}
