//! Logs with known vocabularies, `vectors/vocabulary/*extract*`, and what may be wrong with a log.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::Value as Json;

use super::{Dictionary, WordList, WordNet, installed};
use privet_core::{Error, Result};
use privet_data::{
    Bags, Clicks, Dropped, Extraction, Lexicon, LogColumns, LogOptions, VocabularyOptions, VocabularySource,
    WordOptions,
};

fn file(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).expect("written");
    path
}

fn read_file(path: &Path, options: LogOptions) -> Result<(Bags, Extraction)> {
    VocabularySource::open(path, VocabularyOptions::Log(options))?.read(&mut |_| Ok(()))
}

fn read(name: &str, text: impl AsRef<[u8]>, options: LogOptions) -> Result<(Bags, Extraction)> {
    let folder = tempfile::tempdir().expect("a folder");
    read_file(&file(folder.path(), name, text), options)
}

/// Bags as `wine:2 boots:1`.
fn shown(bags: &Bags) -> Vec<String> {
    let bag = |bag: &[u32]| {
        let same = bag.chunk_by(|one, next| one == next);
        let counts: Vec<String> =
            same.map(|same| format!("{}:{}", bags.terms()[same[0] as usize], same.len())).collect();
        counts.join(" ")
    };
    bags.iter().map(bag).collect()
}

const HEADER: &str = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n";

fn log(rows: &[[&str; 5]]) -> String {
    HEADER.to_string() + &rows.iter().map(|row| row.join("\t") + "\n").collect::<String>()
}

/// A case: the options it asks for, its log, its bags with their users, and how many are empty.
struct Case {
    name: String,
    options: LogOptions,
    log: String,
    expected: Vec<(String, String)>,
    empty: u64,
}

fn case(path: &Path, wordnet: Option<&Arc<WordNet>>) -> Option<Case> {
    let case: Json = serde_json::from_str(&fs::read_to_string(path).expect("a case")).expect("JSON");
    let (input, expected) = (&case["input"], &case["expected"]);
    let text = |json: &Json| json.as_str().expect("text").to_string();
    let dictionary = match (input["lemmas"].as_object(), input["wordnet"].is_string()) {
        (Some(lemmas), _) => {
            let pairs = lemmas.iter().map(|(word, base)| (word.as_str(), base.as_str().expect("text")));
            Some(Dictionary::List(Arc::new(WordList::of(pairs).expect("a list"))))
        }
        (None, true) => Some(Dictionary::WordNet(wordnet?.clone())),
        (None, false) => None,
    };
    let words = WordOptions {
        dictionary: dictionary.map(|dictionary| Arc::new(dictionary) as Arc<dyn Lexicon>),
        stop_words: Some(input["stop"].as_array().expect("words").iter().map(text).collect()),
        ..WordOptions::default()
    };
    let clicks = Clicks::parse(&text(&input["clicks"]).replace('_', "-")).expect("clicks");
    let options = LogOptions { session_gap: input["sgap"].as_u64(), clicks, words, ..LogOptions::default() };
    let cells = |row: &Json| row.as_array().expect("a row").iter().map(text).collect::<Vec<_>>().join("\t");
    let rows = input["rows"].as_array().expect("rows").iter().map(cells);
    let bag = |vocabulary: &Json| {
        let terms = vocabulary["bag"].as_object().expect("a bag").iter();
        let mut terms: Vec<String> = terms.map(|(term, count)| format!("{term}:{count}")).collect();
        terms.sort();
        (text(&vocabulary["user"]), terms.join(" "))
    };
    Some(Case {
        name: text(&case["id"]),
        options,
        log: rows.map(|row| row + "\n").collect(),
        expected: expected["vocabularies"].as_array().expect("bags").iter().map(bag).collect(),
        empty: expected["empty"].as_u64().expect("a count"),
    })
}

#[test]
fn known_logs_have_the_known_vocabularies() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/vocabulary");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(root).expect("cases").map(|entry| entry.expect("a case").path()).collect();
    paths.retain(|path| path.to_string_lossy().contains("extract-"));
    paths.sort();
    assert_eq!(paths.len(), 7);
    let wordnet = installed().map(Arc::new);
    for case in paths.iter().filter_map(|path| case(path, wordnet.as_ref())) {
        // With and without a header, and in any order.
        let mut backwards: Vec<&str> = case.log.lines().collect();
        backwards.reverse();
        for text in [format!("{HEADER}{}", case.log), case.log.clone(), backwards.join("\n")] {
            let (bags, counts) = read("log.tsv", text, case.options.clone()).expect("a log");
            let expected: Vec<&str> = case.expected.iter().map(|(_, bag)| bag.as_str()).collect();
            assert_eq!(shown(&bags), expected, "{}", case.name);
            assert_eq!(counts.empty_groups, case.empty, "{}", case.name);
            assert_eq!(counts.groups, case.empty + case.expected.len() as u64);
            for pair in (0..bags.len()).collect::<Vec<_>>().windows(2) {
                let same = case.expected[pair[0]].0 == case.expected[pair[1]].0;
                assert_eq!(bags.user(pair[0]) == bags.user(pair[1]), same);
            }
        }
    }
}

#[test]
fn clicks_count_before_or_after_sessions() {
    // The query without a click bridges the gap between the two others.
    let text = log(&[
        ["1", "wine", "0", "1", ""],
        ["1", "beer", "60", "", ""],
        ["1", "gin", "120", "", "http://x"],
        ["1", "gin", "120", "", ""],
    ]);
    for (clicks, bags) in [
        (Clicks::Keep, vec!["beer:1 gin:1 wine:1"]),
        (Clicks::DropAfter, vec!["gin:1 wine:1"]),
        (Clicks::DropBefore, vec!["wine:1", "gin:1"]),
    ] {
        let options = LogOptions { session_gap: Some(60), clicks, ..LogOptions::default() };
        let (found, counts) = read("log.tsv", &text, options).expect("a log");
        assert_eq!(shown(&found), bags, "{clicks:?}");
        assert_eq!((counts.rows, counts.queries, counts.clicked_queries), (4, 3, 2));
        assert_eq!(counts.used_queries, if clicks == Clicks::Keep { 3 } else { 2 });
    }
    let bare = "AnonID,Query,QueryTime\n1,wine,0\n";
    assert!(read("log.csv", bare, LogOptions::default()).is_ok());
    let options = LogOptions { clicks: Clicks::DropAfter, ..LogOptions::default() };
    let error = read("log.csv", bare, options).expect_err("no clicks");
    assert!(error.remedy().is_some_and(|help| help.contains("clicks")), "{error}");
}

#[test]
fn words_go_for_many_reasons_and_all_are_counted() {
    let text = log(&[
        ["1", "Jörg’s WINE, the wine & wines of 2006 at jane.doe@mail.org", "0", "", ""],
        ["1", "dr John Smith office b4567x ab12 x 555-1234 'red-wine'", "60", "", ""],
        ["2", "dr the wine @ shop", "60", "", ""],
    ]);
    let (bags, counts) = read("log.tsv", &text, LogOptions::default()).expect("a log");
    assert_eq!(shown(&bags), ["ab12:1 jörg:1 office:1 red-wine:1 wine:1 wines:1", "dr:1 shop:1 wine:1"]);
    let expected = Dropped {
        kept: 9,
        addresses: 1,
        names: 3,
        identifiers: 1,
        stop_words: 4,
        numbers: 2,
        letters: 1,
        unknown: 0,
        repeated: 1,
    };
    assert_eq!(counts.dropped, expected);
    let words = WordOptions {
        drop_patterns: false,
        stop_words: Some(vec!["OFFICE".to_string()]),
        ..WordOptions::default()
    };
    let (bags, _) = read("log.tsv", &text, LogOptions { words, ..LogOptions::default() }).expect("a log");
    assert!(
        ["smith", "b4567x", "mail", "the"].iter().all(|word| bags.terms().iter().any(|term| term == word))
    );
    assert!(!bags.terms().iter().any(|term| term == "office"));
}

#[test]
fn the_dictionary_decides_and_may_know_collocations() {
    let pairs = [
        ("hot dog", "hot dog"),
        ("dog", "dog"),
        ("new york city", "new york city"),
        ("new york", "new york"),
    ];
    let list = Arc::new(WordList::of(pairs).expect("a list"));
    let dictionary: Option<Arc<dyn Lexicon>> = Some(Arc::new(Dictionary::List(list)));
    let text =
        log(&[["1", "cheap hot dogs in new york city dogs", "0", "", ""], ["2", "new cars", "0", "", ""]]);
    let options = |collocations| {
        let words = WordOptions { dictionary: dictionary.clone(), collocations, ..WordOptions::default() };
        LogOptions { words, keep_empty: true, ..LogOptions::default() }
    };
    let (bags, counts) = read("log.tsv", &text, options(true)).expect("a log");
    assert_eq!(shown(&bags), ["dog:1 hot dog:1 new york city:1", ""]);
    assert_eq!((counts.empty_groups, counts.unknown_words, counts.dropped.unknown), (1, 3, 3));
    let (bags, counts) = read("log.tsv", &text, options(false)).expect("a log");
    assert_eq!((shown(&bags), counts.dropped.repeated), (vec!["dog:1".to_string(), String::new()], 1));
}

#[test]
fn a_vocabulary_keeps_no_more_than_it_may() {
    let rows: Vec<String> =
        (0..9).map(|time| format!("1\twine beer\t{time}\t\t\n1\twine\t{}\t\t\n", time + 100)).collect();
    let text = format!("{HEADER}1\tgin\t1000\t\t\n{}", rows.concat());
    let options = LogOptions { max_occurrences: Some(8), ..LogOptions::default() };
    let (bags, counts) = read("log.tsv", text, options).expect("a log");
    assert_eq!((shown(&bags), counts.surplus), (vec!["beer:3 gin:1 wine:4".to_string()], 20));
}

#[test]
fn bytes_that_are_no_text_are_replaced_and_counted() {
    let mut text = HEADER.as_bytes().to_vec();
    text.extend_from_slice(b"1\twine caf\xe9\t0\t\t\n1\t\"wine\t60\t\t\n2\tbeer\t0\t\t\n");
    let options = LogOptions { quotes: false, ..LogOptions::default() };
    let (bags, counts) = read("log.tsv", text, options).expect("a log");
    assert_eq!((shown(&bags), counts.replaced), (vec!["caf:1 wine:2".to_string(), "beer:1".to_string()], 1));
}

#[test]
fn other_columns_formats_and_compressions_are_read() {
    let text = "when,who,noise,what\r\n2006-03-01T10:00Z,b,-,\"wine, beer\"\r\n2006-03-01 10:00,a,-,gin\r\n";
    let columns = LogColumns {
        user: "who".to_string(),
        query: "what".to_string(),
        time: "when".to_string(),
        ..LogColumns::default()
    };
    let options = LogOptions { columns, ..LogOptions::default() };
    let folder = tempfile::tempdir().expect("a folder");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, text.as_bytes()).expect("written");
    let gzip = gzip.finish().expect("written");
    for path in [file(folder.path(), "log.csv", text), file(folder.path(), "log.csv.gz", gzip)] {
        let (bags, _) = read_file(&path, options.clone()).expect("a log");
        assert_eq!(shown(&bags), ["gin:1", "beer:1 wine:1"]);
    }
    let rank = LogColumns { rank: Some("rank".to_string()), ..options.columns.clone() };
    let error = read("log.csv", text, LogOptions { columns: rank, ..options }).expect_err("no rank");
    assert!(error.message().contains("'rank'"), "{error}");
}

#[test]
fn faults_name_their_line_and_value() {
    for (row, message) in [
        (["1", "wine", "yesterday", "", ""], "'yesterday' is not a time"),
        ([" ", "wine", "0", "", ""], "names no user"),
    ] {
        let error = read("log.tsv", log(&[["1", "wine", "0", "", ""], row]), LogOptions::default())
            .expect_err(message);
        assert_eq!(error.line(), Some(3));
        assert!(
            error.message().contains(message) && error.remedy().is_some() && error.file().is_some(),
            "{error}"
        );
    }
    // Without a header a broken time on the first line is still a row's.
    for row in ["1\twine\tyesterday\t\t\n", "ann\twine\t2006-13-01 10:00:00\t\t\n"] {
        let error = read("log.tsv", row, LogOptions::default()).expect_err("no time");
        assert_eq!(error.line(), Some(1), "{error}");
        assert!(error.message().contains("is not a time"), "{error}");
    }
    let error = read("log.tsv", "who\twhat\twhen\trank\turl\n", LogOptions::default()).expect_err("names");
    assert!(error.message().contains("AnonID"), "{error}");
    let (bags, counts) = read("log.tsv", HEADER, LogOptions::default()).expect("no rows");
    assert_eq!((bags.len(), counts.rows), (0, 0));
    let error = read("log.tsv", "who\twhat\n", LogOptions::default()).expect_err("no columns");
    assert!(error.message().contains("AnonID"), "{error}");
    let source =
        VocabularySource::open(Path::new("/nowhere.tsv"), VocabularyOptions::Log(LogOptions::default()));
    assert!(source.is_err());
}

#[test]
fn a_reading_can_be_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = file(folder.path(), "log.tsv", log(&[["1", "wine", "0", "", ""]]));
    let source = VocabularySource::open(&path, VocabularyOptions::Log(LogOptions::default())).expect("a log");
    assert_eq!(
        (source.origin().path(), source.bytes() > 0, source.has_users()),
        (Some(path.as_path()), true, true)
    );
    assert!(source.read(&mut |_| Err(Error::interrupted())).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Against the definition, query by query.
    #[test]
    fn sessions_are_those_of_the_definition(
        rows in proptest::collection::vec((0..3u8, 0..4usize, 0..40i64, any::<bool>()), 0..40),
        gap in proptest::option::of(0..6u64),
        clicks in prop::sample::select(vec![Clicks::Keep, Clicks::DropBefore, Clicks::DropAfter]),
    ) {
        const TEXTS: [&str; 4] = ["wine beer wine", "beer", "gin rum", "the"];
        let lines: String = rows.iter()
            .map(|(user, text, time, click)| format!("u{user}\t{}\t{time}\t{}\t\n", TEXTS[*text], if *click { "1" } else { "" }))
            .collect();
        let mut queries: std::collections::BTreeMap<(u8, i64, usize), bool> = Default::default();
        for (user, text, time, click) in &rows {
            *queries.entry((*user, *time, *text)).or_default() |= click;
        }
        let mut groups: Vec<Vec<&str>> = Vec::new();
        let mut last: Option<(u8, i64)> = None;
        for ((user, time, text), clicked) in queries {
            if clicks == Clicks::DropBefore && !clicked {
                continue;
            }
            let stays = last.is_some_and(|(before, at)| before == user && gap.is_none_or(|gap| at + gap as i64 >= time));
            if !stays {
                groups.push(Vec::new());
            }
            last = Some((user, time));
            if clicks == Clicks::Keep || clicked {
                let terms: std::collections::BTreeSet<&str> =
                    TEXTS[text].split(' ').filter(|word| *word != "the").collect();
                groups.last_mut().expect("a group").extend(terms);
            }
        }
        let bags: Vec<(Option<&str>, &[&str])> = groups.iter().map(|group| (None, group.as_slice())).collect();
        let expected = Bags::of(&bags).expect("bags");
        let options = LogOptions { session_gap: gap, clicks, keep_empty: true, ..LogOptions::default() };
        let (found, counts) = read("log.tsv", format!("{HEADER}{lines}"), options).expect("a log");
        prop_assert_eq!(shown(&found), shown(&expected));
        prop_assert_eq!(counts.groups, groups.len() as u64);
    }
}
