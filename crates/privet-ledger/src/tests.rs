//! The file's chain, and releases set against each other.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;
use privet_core::ErrorKind;
use privet_core::clock::Clock;
use privet_core::random::{keyed, shuffle};

fn release_line(signatures: Signatures) -> Event {
    let files = vec![ReleasedFile { path: "release.csv".to_string(), sha256: "00".to_string() }];
    Event::Release(Box::new(ReleaseLine {
        privet: "0".to_string(),
        source: SourceLine {
            path: "/data.csv".to_string(),
            kind: "table".to_string(),
            sha256: "11".to_string(),
        },
        people_by: PeopleBy::Record,
        people: 2,
        method: "mondrian".to_string(),
        policy_sha256: "22".to_string(),
        key: "33".to_string(),
        release_sha256: release_hash(&files),
        files,
        folder: "/out".to_string(),
        recipient: Some("University".to_string()),
        signatures,
    }))
}

/// A ledger with two releases, the second of which was never confirmed.
fn sample(folder: &Path) -> PathBuf {
    let path = folder.join("ledger.jsonl");
    let mut writer = Writer::open(&path, &Clock::unlimited()).expect("opened");
    let view = View::new(vec!["disease".to_string()], vec![class(&[(5, 1), (6, 1)])], vec![(9, 0), (7, 0)]);
    let signatures = Signatures { views: vec![view] };
    let first = writer.append(release_line(signatures.clone())).expect("written");
    writer.append(Event::Published { of: first }).expect("written");
    writer.append(release_line(signatures)).expect("written");
    path
}

fn class(counts: &[(u64, u64)]) -> SignatureClass {
    SignatureClass { values: vec![Candidates::of(counts.iter().copied(), 0)] }
}

#[test]
fn what_is_written_is_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = sample(folder.path());
    let ledger = Ledger::read(&path).expect("read");
    assert!(ledger.faults.is_empty() && ledger.torn.is_empty() && !ledger.shared, "{ledger:?}");
    assert!(!privet_core::platform::is_shared(&fs::metadata(&path).expect("a file")));
    let releases = ledger.releases();
    let states: Vec<State> = releases.iter().map(|release| release.state).collect();
    assert_eq!(states, [State::Published, State::Unconfirmed]);
    let view = &releases[0].release.signatures.views[0];
    assert_eq!(view.people, [(7, 0), (9, 0)]);
    assert_eq!(view.candidates(0, "disease"), Some(&Candidates::of([(5, 1), (6, 1)], 0)));
}

#[test]
fn a_changed_or_missing_line_is_noticed_wherever_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = sample(folder.path());
    let text = fs::read_to_string(&path).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    for at in 0..lines.len() - 1 {
        let without: Vec<&str> =
            lines.iter().enumerate().filter(|(line, _)| *line != at).map(|(_, line)| *line).collect();
        fs::write(&path, without.join("\n") + "\n").expect("written");
        assert!(!Ledger::read(&path).expect("read").faults.is_empty(), "without line {at}");
        let changed: Vec<String> = (lines.iter().enumerate())
            .map(|(line, text)| if line == at { text.replacen("20", "19", 1) } else { text.to_string() })
            .collect();
        fs::write(&path, changed.join("\n") + "\n").expect("written");
        let ledger = Ledger::read(&path).expect("read");
        assert_eq!(ledger.faults.first().map(|fault| fault.line), Some(at as u64 + 2), "line {at} changed");
        let error = Writer::open(&path, &Clock::unlimited()).expect_err("cannot be relied on");
        assert_eq!((error.kind(), error.line()), (ErrorKind::Input, Some(at as u64 + 2)));
    }
}

#[test]
fn a_torn_line_is_told_and_survived() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = sample(folder.path());
    let text = fs::read_to_string(&path).expect("text");
    let last = text.trim_end().rfind('\n').expect("a line") + 1;
    // Cut anywhere within the last line, and just before its end.
    for end in [last + 1, last + 40, text.len() - 2, text.len() - 1] {
        fs::write(&path, &text[..end]).expect("written");
        let whole = end == text.len() - 1;
        let ledger = Ledger::read(&path).expect("read");
        assert!(ledger.faults.is_empty());
        assert_eq!(ledger.torn.is_empty(), whole, "cut at {end}");
        assert_eq!(ledger.releases().len(), if whole { 2 } else { 1 });
        let mut writer = Writer::open(&path, &Clock::unlimited()).expect("opened");
        writer.append(release_line(Signatures::default())).expect("written");
        drop(writer);
        let ledger = Ledger::read(&path).expect("read");
        assert!(ledger.faults.is_empty(), "{:?}", ledger.faults);
        assert_eq!((ledger.torn.len(), ledger.releases().len()), if whole { (0, 3) } else { (1, 2) });
    }
    // A ledger that was torn while it was begun.
    fs::write(&path, "{\"entry\":1,\"da").expect("written");
    drop(Writer::open(&path, &Clock::unlimited()).expect("opened"));
    let ledger = Ledger::read(&path).expect("read");
    assert!(ledger.faults.is_empty() && ledger.salt().is_some() && ledger.torn == [1]);
}

#[test]
fn what_is_no_ledger_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("notes.txt");
    fs::write(&path, "my notes\nmore of them\n").expect("written");
    assert_eq!(Writer::open(&path, &Clock::unlimited()).expect_err("no ledger").kind(), ErrorKind::Input);
    assert_eq!(fs::read_to_string(&path).expect("text"), "my notes\nmore of them\n");
    // One line without an end is no torn line of a ledger either.
    for text in ["my notes", "{\"entry\": 1}", "{}\n", "\u{0}\u{1}"] {
        fs::write(&path, text).expect("written");
        assert_eq!(Writer::open(&path, &Clock::unlimited()).expect_err("no ledger").kind(), ErrorKind::Input);
        assert_eq!(Ledger::read(&path).expect_err("no ledger").kind(), ErrorKind::Input, "{text}");
        assert_eq!(fs::read_to_string(&path).expect("text"), text);
    }
    fs::write(&path, "").expect("written");
    assert_eq!(Ledger::read(&path).expect_err("not begun").kind(), ErrorKind::Input);
}

#[test]
fn only_one_run_writes_at_a_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledger.jsonl");
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let path = path.clone();
            std::thread::spawn(move || {
                for _ in 0..3 {
                    let mut writer = Writer::open(&path, &Clock::unlimited()).expect("opened");
                    writer.append(release_line(Signatures::default())).expect("written");
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().expect("done"));
    let ledger = Ledger::read(&path).expect("read");
    assert!(ledger.faults.is_empty(), "{:?}", ledger.faults);
    assert_eq!(ledger.releases().len(), 12);
}

#[test]
fn records_that_look_the_same_have_keys_of_their_own() {
    let salt = Salt::draw().expect("a salt");
    let mut keys = RecordKeys::new(salt);
    let first = [keys.next(["a", "b"]), keys.next(["a", "b"]), keys.next(["ab", ""])];
    let mut again = RecordKeys::new(salt);
    let second = [again.next(["ab", ""]), again.next(["a", "b"]), again.next(["a", "b"])];
    assert_eq!([first[0], first[1], first[2]], [second[1], second[2], second[0]]);
    assert!(first[0] != first[1] && first[0] != first[2]);
    assert_ne!(first[0], RecordKeys::new(Salt::draw().expect("a salt")).next(["a", "b"]));
}

#[test]
fn several_records_of_a_person_are_told_apart_by_what_they_hold() {
    let salt = Salt::draw().expect("a salt");
    let keys = |records: &[(&'static str, &'static str)]| {
        let mut keys = PersonKeys::by_column(salt);
        let numbers: Vec<u32> =
            records.iter().map(|(name, held)| keys.add([*name], [*name, *held])).collect();
        let (keys, people) = keys.finish();
        let mut all: Vec<(u64, &(&'static str, &'static str))> =
            numbers.iter().map(|at| keys[*at as usize]).zip(records).collect();
        all.sort_unstable();
        (all.iter().map(|(key, record)| (*key, **record)).collect::<Vec<_>>(), people)
    };
    let records = [("p1", "flu"), ("p2", "cold"), ("p1", "hiv"), ("p1", "flu")];
    let (first, people) = keys(&records);
    let (mut other, mut turned) = (records, records);
    other.reverse();
    turned.rotate_left(1);
    assert_eq!((first.clone(), people), keys(&other));
    assert_eq!(first, keys(&turned).0);
    assert_eq!(people, 2);
    // One record alone has the person's own key, whatever it holds.
    assert_eq!(keys(&[("p2", "cold")]).0[0].0, keys(&[("p2", "flu")]).0[0].0);
}

/// Groups of two with different values, as Anatomy forms them: people and their values in an order that the seed decides, those
/// of the first half next to those of the second.
fn buckets(people: u64, values: u64, seed: u64) -> Signatures {
    let mut order: Vec<u64> = (0..people).collect();
    shuffle(&mut order, &mut keyed(seed, "test"));
    order.sort_by_key(|person| person % values);
    let half = order.len() / 2;
    shuffle(&mut order[half..], &mut keyed(seed, "partners"));
    let (mut classes, mut members) = (Vec::new(), Vec::new());
    for at in 0..half {
        let pair = [order[at], order[at + half]];
        members.extend(pair.map(|person| (person, classes.len() as u32)));
        classes.push(class(&pair.map(|person| (1 + person % values, 1))));
    }
    Signatures { views: vec![View::new(vec!["disease".to_string()], classes, members)] }
}

#[test]
fn two_groupings_of_one_table_pin_most_people_and_one_of_them_twice_pins_nobody() {
    let (one, two) = (buckets(2000, 10, 1), buckets(2000, 10, 2));
    let found = compose(&two, &[&one]);
    assert_eq!((found.people, found.targets, found.pinned_alone), (2000, 2000, 0));
    // The partner has one of five values in each release; it is another in four of five cases.
    assert!(found.pinned > 1400 && found.pinned == found.added, "{found:?}");
    assert!(found.candidates < 1.4 && found.candidates_alone == 2.0, "{found:?}");
    assert!(found.posterior == 1.0 && found.posterior_alone == 0.5, "{found:?}");
    let again = re_release(&two, &[&one]);
    assert_eq!((again.targets, again.relations.as_slice()), (2000, &[Relation::Crossing][..]));
    assert_eq!(again.changed, found.pinned);

    let same = compose(&one, &[&one]);
    assert_eq!((same.people, same.pinned, same.added, same.singled), (2000, 0, 0, 0));
    assert_eq!((same.candidates, same.candidates_alone), (2.0, 2.0));
    let kept = re_release(&one, &[&one]);
    assert_eq!((kept.changed, kept.relations), (0, vec![Relation::Same]));

    // Published a third time, it is not this release that makes the difference.
    let third = compose(&one, &[&one, &two]);
    assert!(third.pinned > 1400 && third.added == 0, "{third:?}");
}

#[test]
fn a_coarser_release_tells_nothing_more() {
    let fine = buckets(400, 10, 1);
    let mut coarse = fine.clone();
    let view = &mut coarse.views[0];
    view.people.iter_mut().for_each(|(_, class)| *class /= 2);
    view.classes = (view.classes.chunks(2))
        .map(|two| class(&two.iter().flat_map(|class| class.values[0].counts.clone()).collect::<Vec<_>>()))
        .collect();
    for (new, old, relation) in [(&coarse, &fine, Relation::Coarser), (&fine, &coarse, Relation::Finer)] {
        assert_eq!(compose(new, &[old]).pinned, 0);
        let found = re_release(new, &[old]);
        assert_eq!((found.changed, found.relations), (0, vec![relation]));
    }
}

#[test]
fn the_same_classes_with_other_values_are_no_re_release() {
    let one = |values: &[(u64, u64)]| Signatures {
        views: vec![View::new(vec!["disease".to_string()], vec![class(values)], vec![(1, 0), (2, 0)])],
    };
    let found = re_release(&one(&[(5, 1), (6, 1)]), &[&one(&[(5, 1), (7, 1)])]);
    assert_eq!((found.changed, found.relations), (2, vec![Relation::Same]));
}

#[test]
fn hidden_values_rule_nothing_out_and_changed_values_contradict() {
    let one = |candidates: Candidates| Signatures {
        views: vec![View::new(
            vec!["disease".to_string()],
            vec![SignatureClass { values: vec![candidates] }],
            vec![(1, 0), (2, 0)],
        )],
    };
    let shown = one(Candidates::of([(5, 1), (6, 1)], 0));
    let starred = one(Candidates::of([(5, 1)], 1));
    let found = compose(&starred, &[&shown]);
    assert_eq!((found.targets, found.pinned, found.pinned_alone, found.candidates), (2, 0, 0, 2.0));
    let other = one(Candidates::of([(7, 1), (8, 1)], 0));
    let found = compose(&other, &[&shown]);
    assert_eq!((found.pinned, found.contradicted), (0, 2));
    let nothing = one(Candidates::of([(NOTHING, 1), (6, 1)], 0));
    let apart = one(Candidates::of([(NOTHING, 1), (9, 1)], 0));
    assert_eq!(compose(&nothing, &[&apart]).pinned, 0, "to have nothing is no harm");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Composition against a literal count, person by person.
    #[test]
    fn composition_is_what_it_says(
        values in prop::collection::vec(1u64..4, 1..9),
        one in prop::collection::vec(0u32..3, 9),
        two in prop::collection::vec(0u32..3, 9),
    ) {
        let release = |places: &[u32]| {
            let people: Vec<(u64, u32)> = (0..values.len()).map(|person| (person as u64, places[person])).collect();
            let classes = (0..3).map(|number| {
                let members = (0..values.len()).filter(|person| places[*person] == number);
                class(&members.map(|person| (values[person], 1)).collect::<Vec<_>>())
            });
            Signatures { views: vec![View::new(vec!["a".to_string()], classes.collect(), people)] }
        };
        let possible = |places: &[u32], person: usize| -> std::collections::BTreeSet<u64> {
            let members = (0..values.len()).filter(|other| places[*other] == places[person]);
            members.map(|other| values[other]).collect()
        };
        let found = compose(&release(&one), &[&release(&two)]);
        let (mut pinned, mut alone, mut left) = (0, 0, 0);
        for (person, own) in values.iter().enumerate() {
            let (a, b) = (possible(&one, person), possible(&two, person));
            let both: Vec<&u64> = a.intersection(&b).collect();
            prop_assert!(both.contains(&own));
            alone += u64::from(a.len() == 1 || b.len() == 1);
            pinned += u64::from(both.len() == 1 && a.len() > 1 && b.len() > 1);
            left += both.len();
        }
        prop_assert_eq!((found.pinned_alone, found.pinned), (alone, pinned));
        prop_assert!((found.candidates - left as f64 / values.len() as f64).abs() < 1e-12);
    }
}
