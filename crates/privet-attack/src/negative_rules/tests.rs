//! A group that rules break, one that they do not, and all assignments by brute force.

use proptest::prelude::*;

use super::infer::{Inferred, infer};
use super::mine;
use super::mined::from_release;
use crate::groups::tests::groups_of;
use crate::groups::{Group, GroupEffort, Groups};
use privet_core::clock::Clock;
use privet_core::{Exact, ValueSet};
use privet_policy::MiningPolicy;

/// One woman with ovarian cancer (0) and three men with common diseases.
fn clinic() -> Groups {
    groups_of(&[2], 5, &[(&[0], 0), (&[1], 1), (&[1], 2), (&[1], 3)], &[&[0, 1, 2, 3]])
}

fn inferred(groups: &Groups, excluded: &[ValueSet], l: u64) -> Inferred {
    let clock = Clock::unlimited();
    infer(groups, excluded, l, GroupEffort { steps: None, seed: 0, clock: &clock }).expect("no limit")
}

fn not_for_men(groups: &Groups, value: u32) -> Vec<ValueSet> {
    let values = groups.people.values.len();
    let excluded = |record: usize| match groups.people.leaf(0, record) {
        0 => ValueSet::none(values),
        _ => ValueSet::of(values, [value]),
    };
    (0..groups.people.len()).map(excluded).collect()
}

#[test]
fn the_only_woman_is_pinned() {
    let groups = clinic();
    let found = inferred(&groups, &not_for_men(&groups, 0), 3);
    assert_eq!((found.people, found.ruled, found.pinned, found.right, found.alone), (4, 4, 1, 1, 0));
    // Three values stay for each man; the woman has one.
    assert_eq!((found.fewer, found.fewer_before, found.impossible), (1, 0, 3 + 3));
    assert_eq!((found.surer, found.surer_before, found.surest, found.estimated), (1, 0, 1.0, 0));
}

#[test]
fn rules_about_values_that_do_not_occur_tell_nothing() {
    let groups = clinic();
    let found = inferred(&groups, &not_for_men(&groups, 4), 4);
    assert_eq!((found.ruled, found.pinned, found.fewer, found.surer), (0, 0, 0, 0));
    assert_eq!((found.people, found.surest), (4, 0.25));
}

#[test]
fn wrong_rules_are_noticed_or_mislead() {
    let groups = clinic();
    // Women have none of the common diseases, men not the first: so the woman has ovarian cancer, and 1 must be a woman's.
    let values = groups.people.values.len();
    let mut excluded = not_for_men(&groups, 1);
    excluded[0] = ValueSet::of(values, [1]);
    let found = inferred(&groups, &excluded, 2);
    assert_eq!((found.contradicted, found.pinned), (4, 0), "nobody may have 1");
    // With 1 only for the woman there is an assignment, and it is wrong.
    let found = inferred(&groups, &not_for_men(&groups, 1), 2);
    assert_eq!((found.contradicted, found.pinned, found.right), (0, 1, 0));
}

#[test]
fn what_is_hidden_may_be_anything() {
    let groups = clinic();
    let members = vec![0, 1, 2, 3];
    let group = Group::new(&groups.people, members, &[(1, 1), (2, 1)], Some(4)).expect("a group");
    let groups = Groups { groups: vec![group], hidden: Some(4), ..groups };
    let found = inferred(&groups, &not_for_men(&groups, 0), 3);
    assert_eq!((found.pinned, found.fewer, found.contradicted), (0, 0, 0));
}

#[test]
fn large_groups_get_an_estimate_that_is_near() {
    let rows: Vec<(Vec<u32>, u32)> = (0..30u32).map(|at| (vec![u32::from(at % 3 == 0)], at % 2)).collect();
    let rows: Vec<(&[u32], u32)> = rows.iter().map(|(leaves, value)| (&leaves[..], *value)).collect();
    let all: Vec<u32> = (0..30).collect();
    let mut groups = groups_of(&[2], 3, &rows, &[&all]);
    // Of ten smokers none may have 1: the five who do must be a release's invention; let all of them have 0.
    let shown: Vec<(u32, u64)> = vec![(0, 20), (1, 10)];
    groups.groups[0] = Group::new(&groups.people, all.clone(), &shown, None).expect("a group");
    let excluded: Vec<ValueSet> = (0..30)
        .map(|record| match groups.people.leaf(0, record) {
            1 => ValueSet::of(3, [1]),
            _ => ValueSet::none(3),
        })
        .collect();
    let found = inferred(&groups, &excluded, 2);
    assert_eq!((found.estimated, found.contradicted, found.pinned), (30, 0, 10));
    // The smokers are certain, the other twenty split evenly.
    assert_eq!((found.surer, found.surest), (10, 1.0));
}

#[test]
fn the_release_teaches_what_whole_groups_never_show() {
    // Groups of smokers never show 0, a mixed group shows it once: so it is the other's.
    let mut rows: Vec<(&[u32], u32)> = Vec::new();
    for _ in 0..20 {
        rows.extend([(&[1][..], 1), (&[1][..], 2)]);
        rows.extend([(&[0][..], 0), (&[0][..], 1)]);
    }
    rows.extend([(&[0][..], 0), (&[1][..], 2)]);
    let pairs: Vec<[u32; 2]> = (0..41).map(|at| [2 * at, 2 * at + 1]).collect();
    let parts: Vec<&[u32]> = pairs.iter().map(|pair| &pair[..]).collect();
    let groups = groups_of(&[2], 3, &rows, &parts);
    let found = inferred(&groups, &from_release(&groups, 0.9, &Clock::unlimited()).expect("no limit"), 2);
    assert_eq!((found.pinned, found.right, found.contradicted), (2, 2, 0));
    // Nothing is learnt where every value is everywhere.
    let even: Vec<(&[u32], u32)> = (0..40).map(|at| (&[[0], [1]][at / 2 % 2][..], at as u32 % 2)).collect();
    let parts: Vec<&[u32]> = pairs[..20].iter().map(|pair| &pair[..]).collect();
    let groups = groups_of(&[2], 2, &even, &parts);
    assert_eq!(
        inferred(&groups, &from_release(&groups, 0.9, &Clock::unlimited()).expect("no limit"), 2).ruled,
        0
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Against every conjunction of at most two leaves.
    #[test]
    fn what_the_original_excludes_is_what_some_rule_excludes(
        rows in prop::collection::vec((prop::array::uniform2(0u32..3), 0u32..3), 1..25),
        expectation in 1u64..10,
        max_length in 1usize..3,
    ) {
        let people: Vec<(&[u32], u32)> = rows.iter().map(|(leaves, value)| (&leaves[..], *value)).collect();
        let groups = groups_of(&[3, 3], 3, &people, &[]);
        let min_expectation = Exact::new(expectation, 10).expect("a share");
        let mining = MiningPolicy { min_expectation, min_confidence: Exact::ONE, max_length, significance: None };
        let excluded = mine::excluded(&groups.people, &mining, &Clock::unlimited()).expect("no limit");
        let conjunctions = (0..4u32).flat_map(|one| (0..4u32).map(move |two| [one, two]));
        // A 3 says nothing about its column.
        let known = |conjunction: &[u32; 2]| conjunction.iter().filter(|leaf| **leaf < 3).count();
        let all: Vec<[u32; 2]> = conjunctions.filter(|one| (1..=max_length).contains(&known(one))).collect();
        let satisfies = |leaves: &[u32; 2], conjunction: &[u32; 2]| {
            leaves.iter().zip(conjunction).all(|(leaf, asked)| *asked == 3 || leaf == asked)
        };
        for ((leaves, _), excluded) in rows.iter().zip(&excluded) {
            for value in 0..3u32 {
                let share = rows.iter().filter(|(_, own)| *own == value).count() as f64 / rows.len() as f64;
                let is_rule = |conjunction: &&[u32; 2]| {
                    let people = || rows.iter().filter(|(leaves, _)| satisfies(leaves, conjunction));
                    let expected = 1.0 - (1.0 - share).powi(people().count() as i32);
                    people().all(|(_, own)| *own != value) && expected >= expectation as f64 / 10.0 - 1e-9
                };
                let ruled = all.iter().filter(|one| satisfies(leaves, one)).any(|one| is_rule(&one));
                prop_assert_eq!(excluded.contains(value), ruled, "value {} of {:?}", value, leaves);
            }
        }
    }

    /// Against every assignment of a group of at most six.
    #[test]
    fn what_remains_is_what_some_assignment_gives(
        rows in prop::collection::vec((0u32..4, 0u32..4, prop::bits::u8::masked(0b1111)), 1..7),
    ) {
        let leaves: Vec<[u32; 1]> = rows.iter().map(|(leaf, _, _)| [*leaf]).collect();
        let people: Vec<(&[u32], u32)> =
            rows.iter().zip(&leaves).map(|((_, value, _), leaves)| (&leaves[..], *value)).collect();
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let groups = groups_of(&[4], 4, &people, &[&all]);
        let excluded: Vec<ValueSet> =
            rows.iter().map(|(_, _, mask)| ValueSet::of(4, (0..4).filter(|value| mask >> value & 1 == 1))).collect();
        // Per person and value, how many assignments give it.
        let mut given = vec![[0u64; 4]; rows.len()];
        let mut total = 0u64;
        let held: Vec<u32> = rows.iter().map(|(_, value, _)| *value).collect();
        permutations(&mut held.clone(), 0, &mut |order| {
            if order.iter().zip(&excluded).all(|(value, excluded)| !excluded.contains(*value)) {
                total += 1;
                order.iter().zip(&mut given).for_each(|(value, given)| given[*value as usize] += 1);
            }
        });
        let found = inferred(&groups, &excluded, 2);
        prop_assert_eq!(found.contradicted > 0, total == 0);
        if total > 0 {
            let valid = |given: &[u64; 4]| given.iter().filter(|ways| **ways > 0).count();
            let pinned = given.iter().filter(|given| valid(given) == 1).count() as u64;
            let fewer = given.iter().filter(|given| valid(given) < 2).count() as u64;
            let surest = given.iter().flatten().copied().max().unwrap_or(0) as f64 / total as f64;
            let surer = given.iter().filter(|given| given.iter().any(|ways| ways * 2 > total)).count() as u64;
            prop_assert_eq!((found.pinned, found.fewer, found.surer), (pinned, fewer, surer));
            prop_assert!((found.surest - surest).abs() < 1e-9);
        }
    }
}

fn permutations(list: &mut Vec<u32>, from: usize, each: &mut dyn FnMut(&[u32])) {
    if from == list.len() {
        return each(list);
    }
    for at in from..list.len() {
        list.swap(from, at);
        permutations(list, from + 1, each);
        list.swap(from, at);
    }
}

mod files {
    use crate::testing::Stage;

    const TABLE: &str = "age,city,ill\n";

    /// In Oslo everybody has flu or asthma, in Rome ulcer or gastritis; one class mixes a person of each.
    fn towns() -> (String, String) {
        let (mut original, mut released) = (TABLE.to_string(), TABLE.to_string());
        for at in 0..20 {
            let (north, south) = (["flu", "asthma"][at % 2], ["ulcer", "gastritis"][at % 2]);
            original += &format!("30,Oslo,{north}\n30,Rome,{south}\n");
            released += &format!("30,Oslo,{north}\n30,Rome,{south}\n");
        }
        original += "40,Oslo,flu\n40,Rome,ulcer\n";
        released += "40,*,flu\n40,*,ulcer\n";
        (original, released)
    }

    #[test]
    fn a_class_of_two_towns_is_taken_apart() {
        let (original, released) = towns();
        let found = Stage::new(&original).attack("negative-rules", &released).expect("a finding");
        let headline = found.headline();
        assert_eq!((headline.targets, headline.hits, headline.baseline), (42, 2, 0), "{found:?}");
        assert!(found.succeeds(), "{found:?}");
        // The release teaches the same: whole classes of a town never show the other's illnesses.
        let release = &found.figures[4];
        assert!(release.what.contains("release") && release.hits == 2, "{release:?}");
    }

    #[test]
    fn where_values_are_everywhere_nothing_is_ruled_out() {
        let row = |at: usize| {
            let town = ["Oslo", "Rome"][at / 4 % 2];
            format!("30,{town},{}\n", ["flu", "asthma", "ulcer", "gastritis"][at % 4])
        };
        let original: String = TABLE.to_string() + &(0..80).map(row).collect::<String>();
        let released = original.replace("Oslo", "*").replace("Rome", "*");
        let found = Stage::new(&original).attack("negative-rules", &released).expect("a finding");
        assert!(!found.succeeds() && found.figures.iter().all(|figure| figure.hits == 0), "{found:?}");
    }
}
