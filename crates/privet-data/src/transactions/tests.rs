//! Transactions through files and back, and what broken files are called.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::{CellKind, Formulas, Header, Sink, SinkColumn};

type Rows = Vec<(u64, Vec<String>)>;

fn rows_of(source: &TransactionSource) -> Result<Rows> {
    let mut rows = Vec::new();
    let mut before = 0;
    source.read(&mut |transaction, bytes| {
        assert!(before <= bytes && bytes <= source.bytes());
        before = bytes;
        rows.push((transaction.line, transaction.items.iter().map(|item| item.to_string()).collect()));
        Ok(())
    })?;
    Ok(rows)
}

fn file(name: &str, content: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    fs::write(&path, content).expect("written");
    (folder, path)
}

fn lines(content: &str, separator: Option<char>) -> Rows {
    let (_folder, path) = file("data.csv", content.as_bytes());
    let source = TransactionSource::open(&path, &TransactionOptions::Lines { separator }).expect("a file");
    rows_of(&source).expect("transactions")
}

fn row(line: u64, items: &[&str]) -> (u64, Vec<String>) {
    (line, items.iter().map(|item| item.to_string()).collect())
}

fn long(path: &Path) -> Result<TransactionSource> {
    let options = TransactionOptions::Long {
        id: "basket".into(),
        item: "item".into(),
        delimiter: None,
        header: Header::default(),
    };
    TransactionSource::open(path, &options)
}

#[test]
fn an_empty_line_is_a_transaction_and_an_empty_cell_is_no_item() {
    assert_eq!(lines("a,b\n\nc\n", None), [row(1, &["a", "b"]), row(2, &[]), row(3, &["c"])]);
    assert_eq!(lines(",a,, ,b,\n\"\"\n", None), [row(1, &["a", "b"]), row(2, &[])]);
    assert_eq!(lines("\"a,\nb\",c\r\n\r\nd", None), [row(1, &["a,\nb", "c"]), row(3, &[]), row(4, &["d"])]);
    assert_eq!(lines("", None), []);
    assert_eq!(lines("\n", None), [row(1, &[])]);
    assert_eq!(lines("\u{feff}a,a\n", None), [row(1, &["a", "a"])]);
    assert_eq!(lines("a§b\n", Some('§')), [row(1, &["a", "b"])]);
}

#[test]
fn runs_of_blanks_separate_numbers() {
    let expected = [row(1, &["1", "22", "3"]), row(2, &[]), row(3, &["4", "a b"])];
    assert_eq!(lines(" 1 22   3 \n  \n4 \"a b\" \n", Some(' ')), expected);
    let (_folder, path) = file("T10.dat", b"25 52 164\n39 120\n");
    let source = TransactionSource::open(&path, &TransactionOptions::default()).expect("a file");
    assert_eq!(source.separator(), ' ');
    assert_eq!(
        rows_of(&source).expect("transactions"),
        [row(1, &["25", "52", "164"]), row(2, &["39", "120"])]
    );
}

#[test]
fn compressed_files_are_read_by_their_name() {
    for name in ["baskets.csv.gz", "baskets.csv.zst", "baskets.dat.gz"] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        let compression = crate::format::split_compression(name).1;
        let mut encoder =
            crate::compression::Encoder::new(fs::File::create(&path).expect("a file"), compression)
                .expect("an encoder");
        std::io::Write::write_all(&mut encoder, b"1 2\n\n3").expect("written");
        encoder.finish().expect("finished");
        let options = TransactionOptions::Lines { separator: Some(' ') };
        let source = TransactionSource::open(&path, &options).expect(name);
        assert_eq!(rows_of(&source).expect(name), [row(1, &["1", "2"]), row(2, &[]), row(3, &["3"])]);
    }
    let (_folder, path) = file("empty.csv.gz", b"");
    let source = TransactionSource::open(&path, &TransactionOptions::default()).expect("a file");
    assert_eq!(rows_of(&source).expect("transactions"), []);
}

#[test]
fn broken_files_are_told_with_their_line() {
    for (name, content, line, word) in [
        ("a.csv", &b"a,b\n\nc,\"d\ne"[..], Some(3), "never closes"),
        ("a.csv", b"a,b\nc,\xc0\xaf\n", Some(2), "UTF-8"),
        ("a.csv", b"a\n\nb\0c\n", Some(3), "NUL"),
        ("a.csv", b"PAR1xxxxxxxx", None, "Parquet"),
        ("a.csv.gz", b"a,b\n", None, "gzip"),
        ("a.parquet", b"PAR1", None, "holds no lines"),
    ] {
        let (_folder, path) = file(name, content);
        let source = TransactionSource::open(&path, &TransactionOptions::default());
        let error = source.and_then(|source| rows_of(&source)).expect_err(word);
        assert_eq!((error.line(), error.file()), (line, Some(path.as_path())), "{error}");
        assert!(error.message().contains(word) && error.remedy().is_some(), "{error}");
    }
    assert!(TransactionSource::open("nowhere.csv".as_ref(), &TransactionOptions::default()).is_err());
}

#[test]
fn a_transaction_may_be_very_long() {
    let line: Vec<String> = (0..100_000).map(|item| format!("item {item}")).collect();
    let rows = lines(&format!("{}\n\nx\n", line.join(";")), None);
    assert_eq!(rows.iter().map(|(_, items)| items.len()).collect::<Vec<_>>(), [100_000, 0, 1]);
    assert_eq!(rows[0].1[99_999], "item 99999");
}

#[test]
fn rows_of_the_long_form_are_gathered_by_transaction() {
    let (_folder, path) =
        file("long.csv", b"item,basket,price\nmilk,7,1\nbeer,x,2\n,empty,3\nwine,7,4\n,x,5\nmilk,7,6\n");
    let source = long(&path).expect("a table");
    let expected = [row(2, &["milk", "wine", "milk"]), row(3, &["beer"]), row(4, &[])];
    assert_eq!(rows_of(&source).expect("transactions"), expected);
    assert_eq!(source.separator(), ',');
    let last = Transaction { line: 2, items: &["wine"], person: None, times: 1 };
    assert_eq!(source.line_of(&last, "wine"), 5);
}

#[test]
fn the_long_form_is_read_from_typed_files_too() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["long.tsv", "long.parquet", "long.arrow"] {
        let path = folder.path().join(name);
        let column = |name: &str, kind| SinkColumn { name: name.to_string(), kind };
        let columns = [column("basket", CellKind::Integer), column("item", CellKind::Text)];
        let kind = FileKind::of_path(&path).expect("a kind");
        let mut sink = Sink::create(&path, kind, ',', &columns, Formulas::Refuse).expect("a sink");
        for (basket, item) in [("1", "a"), ("2", ""), ("1", "b,c")] {
            sink.write(&[basket, item]).expect("written");
        }
        sink.finish().expect("finished");
        let rows = rows_of(&long(&path).expect("a table")).expect("transactions");
        let items: Vec<Vec<String>> = rows.into_iter().map(|(_, items)| items).collect();
        assert_eq!(items, [vec!["a".to_string(), "b,c".to_string()], vec![]], "{name}");
    }
}

#[test]
fn a_row_of_the_long_form_names_its_transaction() {
    let (_folder, path) = file("long.csv", b"basket,item\n1,a\n,b\n");
    let error = rows_of(&long(&path).expect("a table")).expect_err("no basket");
    assert_eq!(error.line(), Some(3));
    let (_folder, path) = file("long.csv", b"Basket,item\n1,a\n");
    assert!(long(&path).expect_err("no column").to_string().contains("did you mean 'Basket'"));
}

fn written(rows: &[BTreeSet<String>], separator: char) -> Vec<BTreeSet<String>> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("release.txt");
    let mut sink = TransactionSink::create(&path, separator, Formulas::Mark).expect("a sink");
    for row in rows {
        sink.write(&row.iter().map(String::as_str).collect::<Vec<_>>()).expect("written");
    }
    sink.finish().expect("finished");
    let options = TransactionOptions::Lines { separator: Some(separator) };
    let source = TransactionSource::open(&path, &options).expect("a file");
    let read = rows_of(&source).expect("transactions");
    read.into_iter().map(|(_, items)| items.into_iter().collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_again(
        rows in prop::collection::vec(
            prop::collection::btree_set("[ab ,;|\t\"\r\n\u{feff}é§]{0,3}[ab\"é\u{feff}][ ,\n\"a]{0,2}", 0..4),
            0..6,
        ),
        separator in prop::sample::select(vec![',', ';', '\t', '|', ' ', '§', 'a']),
    ) {
        let rows: Vec<BTreeSet<String>> = rows;
        prop_assert_eq!(written(&rows, separator), rows);
    }
}

#[test]
fn files_may_say_whose_transactions_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    };
    let read =
        |source: privet_core::Result<TransactionSource>| -> privet_core::Result<Vec<(String, Vec<String>)>> {
            let mut all = Vec::new();
            source?.read(&mut |transaction, _| {
                let items = transaction.items.iter().map(ToString::to_string).collect();
                all.push((transaction.person.expect("a person").to_string(), items));
                Ok(())
            })?;
            Ok(all)
        };
    let own =
        |name: &str, items: &[&str]| (name.to_string(), items.iter().map(ToString::to_string).collect());
    let lines = TransactionOptions::default();
    let path = write("lines.csv", "ann,milk,beer\n bob ,milk\nann\n");
    let open =
        |name: &str| TransactionSource::open(&path, &lines).and_then(|source| source.with_person(name));
    assert!(open("first").expect("a source").names_people());
    let all = read(open("first")).expect("transactions");
    assert_eq!(all, [own("ann", &["milk", "beer"]), own("bob", &["milk"]), own("ann", &[])]);
    assert!(open("customer").expect_err("no columns").remedy().expect("a remedy").contains("\"first\""));
    let path = write("nobody.csv", "ann,milk\n,milk\n");
    let error = read(TransactionSource::open(&path, &lines).and_then(|source| source.with_person("first")));
    let error = error.expect_err("nobody's");
    assert_eq!(
        (error.line(), error.message()),
        (Some(2), "the line names no person: its first cell is empty")
    );

    let long = TransactionOptions::Long {
        id: "basket".into(),
        item: "item".into(),
        delimiter: None,
        header: Header::default(),
    };
    let open = |name: &str, text: &str, person: &str| {
        let path = write(name, text);
        read(TransactionSource::open(&path, &long).and_then(|source| source.with_person(person)))
    };
    let text = "basket,who,item\n1,ann,milk\n2,bob,beer\n1, ann ,beer\n3,ann,milk\n";
    let all = open("long.csv", text, "who").expect("transactions");
    assert_eq!(all, [own("ann", &["milk", "beer"]), own("bob", &["beer"]), own("ann", &["milk"])]);
    let error = open("two.csv", "basket,who,item\n1,ann,milk\n1,bob,beer\n", "who").expect_err("two people");
    assert_eq!(error.line(), Some(3));
    assert!(error.message().contains("another person") && error.remedy().is_some(), "{error}");
    assert!(
        open("empty.csv", "basket,who,item\n1,,milk\n", "who")
            .expect_err("nobody")
            .message()
            .contains("no person")
    );
    assert!(open("long.csv", text, "item").expect_err("one column").message().contains("both name"));
    assert!(open("long.csv", text, "whom").expect_err("no such column").remedy().is_some());
}
