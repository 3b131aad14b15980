//! Tables of vocabularies, and what may be wrong with one.

use std::fs;

use proptest::prelude::*;

use super::*;
use crate::{FileKind, Formulas, Sink};

fn read(text: &str, columns: VocabularyColumns) -> Result<(Bags, Extraction)> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bags.csv");
    fs::write(&path, text).expect("written");
    VocabularySource::open(&path, VocabularyOptions::Vocabularies(columns))?.read(&mut |_| Ok(()))
}

fn bags(bags: &Bags) -> Vec<Vec<&str>> {
    bags.iter().map(|bag| bag.iter().map(|term| bags.terms()[*term as usize].as_str()).collect()).collect()
}

#[test]
fn rows_of_a_vocabulary_need_not_stand_together() {
    let text = "vocabulary,term,count,user\nb,wine,2,u\na,beer,1,v\nb,beer,1,u\nc,,0,v\nb,wine,1,u\n";
    let (found, counts) = read(text, VocabularyColumns::default()).expect("bags");
    assert_eq!(bags(&found), [vec!["beer", "wine", "wine", "wine"], vec!["beer"]]);
    assert_eq!((found.users(), found.user(1)), (Some(2), Some(1)));
    assert_eq!((counts.rows, counts.users, counts.groups, counts.empty_groups), (5, 2, 3, 1));
    let kept =
        VocabularyColumns { keep_empty: true, max_occurrences: Some(2), ..VocabularyColumns::default() };
    let (found, counts) = read(text, kept).expect("bags");
    assert_eq!(bags(&found), [vec!["beer", "wine"], vec!["beer"], vec![]]);
    assert_eq!(counts.surplus, 2);
}

#[test]
fn the_order_of_rows_does_not_tell_in_the_order_of_names() {
    let rows = ["t10,wine,1,u\n", "t2,beer,1,v\n", "t2,wine,2,v\n", "t1,,0,u\n", "s,beer,1,w\n"];
    let ordered = |keep_empty: bool| match keep_empty {
        true => vec![vec!["beer"], vec![], vec!["beer", "wine", "wine"], vec!["wine"]],
        false => vec![vec!["beer"], vec!["beer", "wine", "wine"], vec!["wine"]],
    };
    for turn in 0..rows.len() {
        let mut turned = rows;
        turned.rotate_left(turn);
        let text = format!("vocabulary,term,count,user\n{}", turned.concat());
        for keep_empty in [true, false] {
            let columns = VocabularyColumns { keep_empty, ..VocabularyColumns::default() };
            let (found, _) = read(&text, columns).expect("bags");
            let (sorted, numbers) = found.sorted().expect("another order");
            assert_eq!(bags(&sorted), ordered(keep_empty), "turn {turn}");
            for (bag, number) in numbers.iter().enumerate() {
                assert_eq!(found.bag(*number as usize), sorted.bag(bag));
                assert_eq!(found.user(*number as usize), sorted.user(bag));
            }
        }
    }
    let (in_order, _) =
        read("vocabulary,term\n2,wine\n10,wine\n", VocabularyColumns::default()).expect("bags");
    assert!(in_order.sorted().is_none());
}

#[test]
fn what_rows_have_together_is_not_too_much() {
    let text = "vocabulary,term,count\n1,wine,600000\n1,wine,600000\n";
    let error = read(text, VocabularyColumns::default()).expect_err("too many");
    assert!(error.message().contains("'wine' 1200000 times"), "{error}");
    let most = VocabularyColumns { most_of_a_term: u32::MAX, ..VocabularyColumns::default() };
    assert_eq!(read(text, most).expect("bags").0.occurrences(), 1_200_000);
}

#[test]
fn counts_and_users_may_be_missing_and_names_differ() {
    let (found, _) =
        read("vocabulary,term\n1,wine\n1,wine\n2,\n", VocabularyColumns::default()).expect("bags");
    assert_eq!((bags(&found), found.users()), (vec![vec!["wine", "wine"]], None));
    let columns = VocabularyColumns {
        vocabulary: "id".to_string(),
        term: "word".to_string(),
        count: Some("times".to_string()),
        user: Some("who".to_string()),
        ..VocabularyColumns::default()
    };
    let (found, _) = read("who,word,times,id\nu,a,2,1\n", columns.clone()).expect("bags");
    assert_eq!((bags(&found), found.users()), (vec![vec!["a", "a"]], Some(1)));
    assert!(read("who,word,id\nu,a,1\n", columns).expect_err("no counts").message().contains("'times'"));
}

#[test]
fn faults_name_their_line() {
    for (row, message) in [
        ("1,wine,x,u", "'x'"),
        ("1,wine,-1,u", "'-1'"),
        ("1,wine,0,u", "'0'"),
        ("1,wine,,u", "''"),
        ("1,wine,1.5,u", "'1.5'"),
        ("1,wine,1000001,u", "'1000001'"),
        ("1,wine,99999999999,u", "'99999999999'"),
        ("1,,2,u", "no term"),
        (",wine,1,u", "names no vocabulary"),
        ("1,wine,1,", "whose"),
        ("1,wine,1,v", "on line 2"),
    ] {
        let text = format!("vocabulary,term,count,user\n1,beer,1,u\n{row}\n");
        let error = read(&text, VocabularyColumns::default()).expect_err(row);
        assert_eq!(error.line(), Some(3), "{error}");
        assert!(
            error.message().contains(message) && error.remedy().is_some() && error.file().is_some(),
            "{error}"
        );
    }
}

#[test]
fn a_limit_takes_repetitions_first() {
    let limited = |most| {
        let mut held = [("a", 5), ("b", 1), ("c", 3)];
        let gone = limit(&mut held, most);
        held.sort_unstable();
        (held.map(|(_, count)| count), gone)
    };
    assert_eq!(limited(9), ([5, 1, 3], 0));
    assert_eq!(limited(8), ([4, 1, 3], 1));
    assert_eq!(limited(6), ([3, 1, 2], 3));
    assert_eq!(limited(2), ([1, 0, 1], 7));
    assert_eq!(limited(0), ([0, 0, 0], 9));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(
        written in proptest::collection::vec(proptest::collection::btree_map("[a-c,\"; é]{0,3}[x-z]", 1..4u32, 0..4), 1..8),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let trimmed = |bag: &std::collections::BTreeMap<String, u32>| -> std::collections::BTreeMap<String, u32> {
            bag.iter().map(|(term, count)| (term.trim().to_string(), *count)).collect()
        };
        let written: Vec<_> = written.iter().map(trimmed).collect();
        for name in ["release.csv", "release.tsv.gz", "release.parquet"] {
            let path = folder.path().join(name);
            let mut sink = {
                let kind = FileKind::of_path(&path).expect("a kind");
                let file = Sink::create(&path, kind, ',', &VocabularySink::columns(), Formulas::Mark);
                VocabularySink::new(Box::new(file.expect("a file")))
            };
            for (number, bag) in (1..).zip(&written) {
                let terms: Vec<(&str, u32)> = bag.iter().map(|(term, count)| (term.as_str(), *count)).collect();
                sink.write(number, &terms).expect("written");
            }
            sink.finish().expect("written");
            let columns = VocabularyColumns { keep_empty: true, ..VocabularyColumns::default() };
            let source = VocabularySource::open(&path, VocabularyOptions::Vocabularies(columns)).expect("a file");
            let (found, _) = source.read(&mut |_| Ok(())).expect("bags");
            let expected: Vec<Vec<&str>> = written
                .iter()
                .map(|bag| bag.iter().flat_map(|(term, count)| std::iter::repeat_n(term.as_str(), *count as usize)).collect())
                .collect();
            prop_assert_eq!(bags(&found), expected, "{}", name);
        }
    }
}
