use proptest::prelude::*;

use super::background_join::succeeds;
use super::linkability::linkability;
use super::*;
use crate::attack::follow::{Success, reaches};
use crate::engine::clock::Clock;
use crate::method::codip::decide;
use crate::method::codip::tests::generated::{cases, policy_of};

/// Four people who look alike: a tells b, and neither tells c.
const ROWS: [&str; 4] = ["x,1,1,1", "x,1,1,2", "x,2,2,1", "x,2,2,2"];

#[test]
fn what_stands_in_one_row_follows_and_what_does_not_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let decided = |limits: &str| {
        let policy = policy_of(folder.path(), "q,a,b,c", &ROWS.map(str::to_string), &[], limits);
        let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
        let decision = decide(&policy, &microdata, &Clock::unlimited()).expect("a plan");
        (microdata, decision)
    };
    let (microdata, one) = decided("alpha = 1\nbeta = 1");
    let published =
        Published { microdata: &microdata, attributes: &one.attributes, tables: &one.projections };
    // a and b tell each other; c leaves two values of both.
    let [surely, nearly] = succeeds(published, [CERTAIN, NEARLY]);
    assert_eq!((surely.pairs, surely.people, surely.surprised), (8, 4, 0));
    assert_eq!(nearly, surely);
    assert_eq!(linkability(published).value, 0.5);
    let (microdata, several) = decided("alpha = 1\nbeta = 0");
    let published =
        Published { microdata: &microdata, attributes: &several.attributes, tables: &several.projections };
    // a with b exposes nothing new (each tells the other in the whole table already), so they may stay together.
    let [Success { people, .. }] = succeeds(published, [CERTAIN]);
    assert!(people == 0 || several.projections.iter().any(|table| table.attributes == [0, 1]));
    assert_eq!(linkability(published).across, 0.25);
}

/// The attack as it is told, person by person: `table` and two of its attributes at a time.
fn told(published: Published<'_>, share: (u64, u64)) -> Success {
    let records: Vec<usize> = (0..published.microdata.summary.len()).collect();
    let weight = |fits: &dyn Fn(usize) -> bool| -> u64 {
        records.iter().filter(|record| fits(**record)).map(|record| published.count(*record)).sum()
    };
    let mut success = Success::default();
    for person in &records {
        let (mut hit, mut surprised) = (false, false);
        for table in published.tables {
            let classes = published.classes(table);
            let alike = |other: usize| classes[other] == classes[*person];
            for (a, b) in table.attributes.iter().flat_map(|a| table.attributes.iter().map(move |b| (a, b))) {
                let (known, read) = (published.codes(*a), published.codes(*b));
                let knows = |other: usize| known[other] == known[*person];
                for value in (0..published.attributes[*b].sensitive.len() as u32).filter(|_| a != b) {
                    let has = |other: usize| read[other] == value;
                    let follows = published.attributes[*b].sensitive[value as usize]
                        && reaches(
                            weight(&|other| alike(other) && knows(other) && has(other)),
                            weight(&|other| alike(other) && knows(other)),
                            share,
                        )
                        && !reaches(weight(&|other| alike(other) && has(other)), weight(&alike), share);
                    if follows {
                        success.pairs += published.count(*person);
                        hit = true;
                        surprised |=
                            !reaches(weight(&|other| knows(other) && has(other)), weight(&knows), share);
                    }
                }
            }
        }
        success.people += if hit { published.count(*person) } else { 0 };
        success.surprised += if surprised { published.count(*person) } else { 0 };
    }
    success
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_background_join_finds_what_its_story_tells(case in cases()) {
        let folder = tempfile::tempdir().expect("a folder");
        let policy = case.policy(folder.path(), "codip-star");
        let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
        if let Ok(decision) = decide(&policy, &microdata, &Clock::unlimited()) {
            for tables in [std::slice::from_ref(&decision.one_table), decision.projections.as_slice()] {
                let published = Published { microdata: &microdata, attributes: &decision.attributes, tables };
                let shares = [CERTAIN, NEARLY];
                prop_assert_eq!(succeeds(published, shares), shares.map(|share| told(published, share)));
            }
        }
    }
}
