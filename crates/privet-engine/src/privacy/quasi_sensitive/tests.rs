//! The paper's example: what symptoms reveal in groups of patients.

use super::*;
use privet_data::Knowledge;

fn knowledge() -> Knowledge {
    let rows = [
        ("Flu", vec!["cough", "fever", "sore throat"]),
        ("Allergy", vec!["cough", "rash", "sneezing"]),
        ("Measles", vec!["cough", "fever", "rash"]),
        ("Cold", vec!["cough", "sneezing", "sore throat"]),
    ];
    let rows: Vec<(&str, Vec<String>)> = rows
        .into_iter()
        .map(|(label, terms)| (label, terms.into_iter().map(String::from).collect()))
        .collect();
    Knowledge::of(rows.iter().map(|(label, terms)| (*label, &terms[..]))).expect("knowledge")
}

fn linked(links: &Links, knowledge: &Knowledge, terms: &[&str]) -> Linked {
    let terms: Vec<u32> = terms.iter().filter_map(|term| links.relevant(knowledge.term(term))).collect();
    links.linked(&terms)
}

#[test]
fn a_record_links_to_the_labels_that_have_all_of_its_terms() {
    let knowledge = knowledge();
    for (terms, strict, expected) in [
        (&["fever", "sore throat"][..], false, 0b0001),
        (&["cough"], false, 0b1111),
        (&[], false, 0b1111),
        (&["cough", "rash"], false, 0b0110),
        (&["fever", "sneezing"], false, 0),
        (&["fever", "hiccups"], false, 0b0101),
        (&["fever", "hiccups"], true, 0),
    ] {
        let links = Links::new(&knowledge, strict);
        let found = linked(&links, &knowledge, terms);
        assert_eq!((found.bits[0], found.size), (expected, u64::count_ones(expected)), "{terms:?}");
    }
}

#[test]
fn the_atlanta_group_is_not_diverse_until_a_term_goes() {
    let knowledge = knowledge();
    let links = Links::new(&knowledge, false);
    let group = |sets: &[&[&str]]| -> Vec<Linked> {
        sets.iter().map(|set| linked(&links, &knowledge, set)).collect()
    };
    let demand = QsDiversity { c: Exact::new(1, 2).expect("a half"), l: 2 };
    let diverse = |group: &[Linked]| {
        Posterior::of(4, group.iter().map(|linked| (&linked.bits[..], linked.size))).is_diverse(&demand)
    };
    assert!(!diverse(&group(&[&["fever", "sore throat"], &["cough", "rash"], &["cough"]])));
    assert!(diverse(&group(&[&["sore throat"], &["cough", "rash"], &["cough"]])));
    assert!(diverse(&group(&[&["fever", "sneezing"]])), "nobody links to anything");
}

#[test]
fn empty_sets_show_what_is_possible() {
    let demand = |over, under, l| QsDiversity { c: Exact::new(over, under).expect("c"), l };
    assert!(demand(1, 1, 4).is_possible(4));
    assert!(!demand(1, 1, 5).is_possible(4));
    assert!(!demand(1, 3, 3).is_possible(4));
    assert!(demand(1, 2, 3).is_possible(4));
}

#[test]
fn the_prior_is_the_mean_over_the_table() {
    let knowledge = knowledge();
    let links = Links::new(&knowledge, false);
    let mut counter = PriorCounter::new(4);
    counter.add(&linked(&links, &knowledge, &["fever", "sore throat"]), 2);
    counter.add(&linked(&links, &knowledge, &["cough", "rash"]), 1);
    counter.add(&linked(&links, &knowledge, &["fever", "sneezing"]), 1);
    assert_eq!(counter.unlinked(), 1);
    let prior = counter.finish();
    assert_eq!(prior.scaled(8), [4, 1, 1, 0]);
    let far = QsCloseness { t: Exact::new(1, 2).expect("t"), prior: PriorKind::Microdata };
    let flu = linked(&links, &knowledge, &["fever", "sore throat"]);
    // (1/2 − 1)² + (1/8)² + (1/8)² = 9/32, more than 1/4.
    assert!(!Posterior::of(4, std::iter::once((&flu.bits[..], flu.size))).is_close(&far, &prior));
    let near = QsCloseness { t: Exact::new(54, 100).expect("t"), prior: PriorKind::Microdata };
    assert!(Posterior::of(4, std::iter::once((&flu.bits[..], flu.size))).is_close(&near, &prior));
}
