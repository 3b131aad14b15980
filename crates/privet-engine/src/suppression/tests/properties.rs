//! Properties of the search on random groups.

use std::time::Instant;

use num_bigint::BigInt;
use proptest::prelude::*;

use super::reference::{BigRational, Naive};
use super::{Case, Setting};
use crate::privacy::quasi_sensitive::PriorKind;
use crate::suppression::starts::fewest_labels_first;
use crate::suppression::{
    Answer, Budget, Nested, Order, Problem, State, TermRemovalSearch, from_parts, stripped,
};
use privet_core::clock::Clock;

fn set(most: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::btree_set(0u8..5, 0..=most).prop_map(|set| set.into_iter().collect())
}

fn any_case(records: usize, terms: usize) -> impl Strategy<Value = Case> {
    let labels = prop::collection::vec(
        prop::collection::btree_set(0u8..5, 1..=4).prop_map(|set| set.into_iter().collect::<Vec<u8>>()),
        1..7,
    );
    let records = prop::collection::vec((set(terms), 0u32..2), 1..=records);
    let c = prop::sample::select(vec![(1, 2), (1, 1), (2, 1), (1, 3)]);
    let t = prop::sample::select(vec![(1, 10), (1, 5), (1, 2), (0, 1), (3, 10)]);
    let prior = prop::sample::select(vec![PriorKind::Microdata, PriorKind::Uniform]);
    let kind = 0..4u8;
    (labels, records, c, 1usize..5, t, prior, kind, any::<bool>()).prop_map(
        |(labels, records, c, l, t, prior, kind, strict)| Case {
            labels,
            records,
            diversity: (kind != 1).then_some((c, l)),
            closeness: (kind == 1 || kind == 2).then_some((t, prior)),
            strict,
        },
    )
}

fn exact(setting: &Setting, cost: u128) -> BigRational {
    let text = setting.prices.exact(cost).expect("an exact cost");
    let (over, under) = text.split_once('/').unwrap_or((&text, "1"));
    let whole = |text: &str| text.parse::<BigInt>().expect("a number");
    BigRational::new(whole(over), whole(under))
}

/// The records without what the answer removes.
fn remaining(case: &Case, setting: &Setting, answer: &Answer) -> Option<Vec<Vec<String>>> {
    let removed = &answer.found.as_ref()?.removed;
    let naive = Naive::of(case);
    let relevant = |term: &String| setting.links.relevant(setting.knowledge.term(term)).is_some();
    let records = naive.records.iter().enumerate().map(|(record, terms)| {
        let mut place = 0;
        let mut kept = Vec::new();
        for term in terms {
            let gone = relevant(term) && {
                place += 1;
                removed.contains(&(record as u32, place - 1))
            };
            if !gone {
                kept.push(term.clone());
            }
        }
        kept
    });
    Some(records.collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_finished_search_has_the_least_cost(case in any_case(3, 3)) {
        let occurrences: usize = case.records.iter().map(|(terms, unknown)| terms.len() + *unknown as usize).sum();
        prop_assume!(occurrences <= 9);
        let setting = case.setting();
        let best = Naive::of(&case).optimum();
        for order in [Order::Adaptive, Order::Plain] {
            let answer = setting.answer(order, u64::MAX);
            prop_assert!(answer.complete);
            let cost = answer.found.as_ref().map(|found| exact(&setting, found.cost));
            prop_assert_eq!(&cost, &best, "{:?}", order);
            if let Some(found) = &answer.found {
                prop_assert_eq!(found.cost, answer.bound);
            }
        }
    }

    #[test]
    fn an_answer_is_valid_and_never_worse_with_more_time(case in any_case(5, 4), order in 0..2u8) {
        let setting = case.setting();
        let order = if order == 0 { Order::Adaptive } else { Order::Plain };
        let mut last: Option<Answer> = None;
        for tries in [0, 3, 20, 150, 1200] {
            let answer = setting.answer(order, tries);
            if let Some(records) = remaining(&case, &setting, &answer) {
                prop_assert!(Naive::of(&case).holds(&records));
            }
            let cost = answer.found.as_ref().map(|found| found.cost);
            if let (Some(cost), Some(first)) = (cost, answer.first) {
                prop_assert!(cost <= first);
            }
            if let Some(cost) = cost {
                prop_assert!(answer.bound <= cost);
            }
            if let Some(last) = &last {
                let before = last.found.as_ref().map(|found| found.cost);
                prop_assert!(before.is_none() || cost.is_some_and(|cost| Some(cost) <= before));
                prop_assert!(!last.complete || answer.complete);
                prop_assert_eq!(last.first, answer.first.filter(|_| last.first.is_some()));
            }
            last = Some(answer);
        }
    }

    #[test]
    fn what_parts_need_is_enough_and_never_cheaper_than_the_best(case in any_case(3, 3)) {
        let setting = case.setting();
        let best = setting.answer(Order::Adaptive, u64::MAX);
        if let Some(found) = from_parts(&setting.problem(), &whole(&setting), None, &Clock::unlimited()) {
            let answer = Answer { found: Some(found.clone()), ..best.clone() };
            let records = remaining(&case, &setting, &answer);
            prop_assert!(records.is_some_and(|records| Naive::of(&case).holds(&records)));
            prop_assert!(best.found.is_some_and(|best| best.cost <= found.cost));
        }
    }

    #[test]
    fn first_answers_are_valid_and_the_search_only_improves_on_them(case in any_case(6, 4)) {
        let setting = case.setting();
        let problem = setting.problem();
        let mut state = State::new(&problem);
        state.rank();
        let passes = state.standing().holds;
        let simple = (!passes && fewest_labels_first(&mut state, &|| false)).then(|| state.cost());
        let mut search = TermRemovalSearch::new(&problem, Order::Adaptive);
        search.start(None, &Clock::unlimited());
        let start = search.answer();
        if setting.goal.allows_empty_sets(&setting.links) {
            prop_assert_eq!(start.found.is_none(), passes);
        }
        if let Some(records) = remaining(&case, &setting, &start) {
            prop_assert!(Naive::of(&case).holds(&records));
        }
        let cost = |answer: &Answer| answer.found.as_ref().map(|found| found.cost);
        prop_assert!(simple.is_none() || cost(&start).is_some_and(|cost| Some(cost) <= simple));
        for tries in [0, 20, 500] {
            search.run(Budget { tries, until: None, dive: None, clock: &Clock::unlimited() });
            let answer = search.answer();
            prop_assert!(cost(&start).is_none() || cost(&answer) <= cost(&start));
            if let Some(records) = remaining(&case, &setting, &answer) {
                prop_assert!(Naive::of(&case).holds(&records));
            }
        }
    }

    #[test]
    fn a_search_with_first_answers_still_finds_the_least_cost(case in any_case(3, 3)) {
        let occurrences: usize = case.records.iter().map(|(terms, unknown)| terms.len() + *unknown as usize).sum();
        prop_assume!(occurrences <= 9);
        let setting = case.setting();
        let problem = setting.problem();
        let mut search = TermRemovalSearch::new(&problem, Order::Adaptive);
        search.start(None, &Clock::unlimited());
        search.run(Budget { tries: u64::MAX, until: None, dive: None, clock: &Clock::unlimited() });
        let answer = search.answer();
        prop_assert!(answer.complete);
        let cost = answer.found.as_ref().map(|found| exact(&setting, found.cost));
        prop_assert_eq!(cost, Naive::of(&case).optimum());
    }

    #[test]
    fn a_group_never_costs_more_than_its_parts(case in any_case(8, 4), cuts in prop::collection::vec(1usize..8, 2)) {
        let setting = case.setting();
        let group = nested(0..setting.members.len() as u32, &cuts);
        let clock = Clock::unlimited();
        let problem = setting.problem();
        let found = from_parts(&problem, &group, None, &clock).map(|found| found.cost);
        let parts: Option<Vec<u128>> = (group.parts.iter())
            .map(|part| {
                // The part as a group of its own, whose records have other numbers.
                let members = part.members.iter().map(|record| setting.members[*record as usize].clone());
                let own = Problem { members: members.collect(), ..setting.problem() };
                let renumbered = moved(part, part.members[0]);
                from_parts(&own, &renumbered, None, &clock).map(|found| found.cost)
            })
            .collect();
        if let (Some(parts), false) = (parts, group.parts.is_empty()) {
            prop_assert!(found.is_some_and(|found| found <= parts.iter().sum()), "{:?} {:?}", found, parts);
        }
    }
}

/// The group as a whole.
fn whole(setting: &Setting) -> Nested {
    Nested { members: (0..setting.members.len() as u32).collect(), parts: Vec::new() }
}

/// A range of records that is cut in two at the first place, its parts at the next.
fn nested(records: std::ops::Range<u32>, cuts: &[usize]) -> Nested {
    let members: Vec<u32> = records.clone().collect();
    let parts = match cuts.split_first() {
        Some((cut, rest)) if members.len() > *cut => {
            let middle = records.start + *cut as u32;
            vec![nested(records.start..middle, rest), nested(middle..records.end, rest)]
        }
        _ => Vec::new(),
    };
    Nested { members, parts }
}

fn moved(group: &Nested, by: u32) -> Nested {
    Nested {
        members: group.members.iter().map(|record| record - by).collect(),
        parts: group.parts.iter().map(|part| moved(part, by)).collect(),
    }
}

#[test]
fn records_that_are_alike_are_not_tried_twice() {
    let case = Case {
        labels: vec![vec![0, 1], vec![0, 2], vec![1, 2], vec![3]],
        records: vec![(vec![0, 1], 0); 6],
        diversity: Some(((1, 2), 2)),
        closeness: None,
        strict: false,
    };
    let answer = case.setting().answer(Order::Adaptive, u64::MAX);
    assert!(answer.complete && answer.found.is_some());
    // Each record keeps both terms, one or the other, or none. Apart from the names of records there are 84 ways to spread
    // six records over these four states (of 2¹² sets of removals), each with at most 12 more removals to try.
    assert!(answer.tries <= 84 * 12, "{}", answer.tries);
}

#[test]
fn a_long_search_can_be_stopped_and_says_what_it_knows() {
    let records: Vec<(Vec<u8>, u32)> =
        (0..8).map(|at| ((0..6u8).map(|term| (term * 3 + at) % 16).collect(), 0)).collect();
    let labels = (0..40u8)
        .map(|label| (0..16).filter(|term| (u32::from(*term) * 7 + u32::from(label) * 5) % 11 < 6).collect())
        .collect();
    let case = Case { labels, records, diversity: Some(((1, 4), 6)), closeness: None, strict: false };
    let setting = case.setting();
    let answer = setting.answer(Order::Adaptive, 5_000);
    let found = answer.found.as_ref().expect("an answer");
    assert!(answer.bound <= found.cost && Some(found.cost) <= answer.first);
}

#[test]
fn a_dive_in_a_large_group_comes_to_its_end() {
    // Only empty records are diverse. More candidates are passed on the way than are held.
    let case = Case {
        labels: vec![vec![0, 1, 2], vec![3]],
        records: vec![(vec![0, 1, 2], 0); 1000],
        diversity: Some(((1, 1), 2)),
        closeness: None,
        strict: false,
    };
    let setting = case.setting();
    let problem = setting.problem();
    let mut search = TermRemovalSearch::new(&problem, Order::Adaptive);
    let now = Some(Instant::now());
    search.run(Budget { tries: 0, until: now, dive: None, clock: &Clock::unlimited() });
    let answer = search.answer();
    assert_eq!(answer.found.map(|found| found.removed.len()), Some(3000));
    assert!(!answer.complete && answer.dived);
}

#[test]
fn hard_use_2_4_a_dive_without_time_ends_and_can_be_taken_up_again() {
    let case = Case {
        labels: vec![vec![0, 1], vec![2]],
        records: vec![(vec![0, 1], 0); 40],
        diversity: Some(((1, 1), 2)),
        closeness: None,
        strict: false,
    };
    let setting = case.setting();
    let problem = setting.problem();
    let clock = Clock::unlimited();
    let mut search = TermRemovalSearch::new(&problem, Order::Adaptive);
    let now = Some(Instant::now());
    search.run(Budget { tries: 0, until: now, dive: now, clock: &clock });
    let answer = search.answer();
    assert!(answer.found.is_none() && !answer.complete && !answer.dived && answer.bound == 0, "{answer:?}");
    let simplest = stripped(&problem).expect("empty sets are diverse");
    search.start_from(simplest.clone());
    assert_eq!(search.answer().found, Some(simplest.clone()));
    search.run(Budget { tries: 0, until: None, dive: None, clock: &clock });
    let answer = search.answer();
    assert!(answer.dived && answer.found.is_some_and(|found| found.cost <= simplest.cost));
}
