//! Tables in memory are like the files that they could be.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Float64Array, Int32Array, StringArray, UInt64Array,
};
use proptest::prelude::*;

use super::*;
use crate::{
    Destination, Directory, FileKind, Formulas, MemoryRelease, MissingRule, NewTable, NewTransactions,
    ReadOptions, SinkColumn, Source, Summary, TransactionLists, TransactionOptions, TransactionSource,
};

fn cells(source: &Source) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    source
        .read(&mut |batch, _| {
            rows.extend((0..batch.rows()).map(|row| batch.cells(row).map(String::from).collect()));
            Ok(())
        })
        .expect("rows");
    rows
}

fn rows() -> impl Strategy<Value = Vec<[String; 3]>> {
    let cell = prop::sample::select(vec!["a", "b", "10", "9", "?", "", "x,y", "\"q\"", " pad ", "=1"]);
    let row = (cell.clone(), cell.clone(), cell).prop_map(|(a, b, c)| [a, b, c].map(String::from));
    prop::collection::vec(row, 1..50)
}

const NAMES: [&str; 3] = ["first", "second", "third"];

/// A summary in words: everything that may depend on the rows but not on their places.
fn spelt(summary: &Summary) -> String {
    let records: Vec<_> =
        (0..summary.len()).map(|record| (summary.record(record), summary.count(record))).collect();
    let columns: Vec<_> = summary.columns().iter().map(|column| column.dictionary.values()).collect();
    let digest = summary.digest.bytes();
    format!("{records:?} {columns:?} {} {} {digest:?} {:?}", summary.read, summary.dropped, summary.people)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_in_memory_are_those_of_the_file_that_is_written_of_them(rows in rows()) {
        let folder = tempfile::tempdir().expect("a folder");
        let columns = NAMES.map(|name| SinkColumn { name: name.to_string(), kind: CellKind::Text });
        let name = "table.csv";
        let kind = FileKind::of_path(name.as_ref()).expect("a kind");
        let table = NewTable { name, kind, delimiter: ',', columns: &columns, formulas: Formulas::Mark };
        let memory = MemoryRelease::default();
        for to in [&Directory(folder.path().to_path_buf()) as &dyn Destination, &memory] {
            let mut sink = to.table(&table).expect("a sink");
            for row in &rows {
                sink.write(&row.each_ref().map(String::as_str)).expect("written");
            }
            sink.finish().expect("finished");
        }
        let file = Source::open(&folder.path().join(name), &ReadOptions::with_names(Some(','))).expect("a file");
        let text = Source::of_rows("people", &NAMES, &rows).expect("a table");
        let typed = memory.source(name).expect("a table");
        prop_assert_eq!(cells(&text), cells(&file));
        prop_assert_eq!(cells(&typed), cells(&file));
        for source in [&text, &typed] {
            prop_assert_eq!(source.fingerprint().expect("read"), file.fingerprint().expect("read"));
            prop_assert_eq!(source.version(), source.version());
            let missing = MissingRule { spellings: vec!["?".into()], keep: false };
            let read = |source| Summary::read(source, &[2, 0], &missing, &mut |_| Ok(())).expect("a summary");
            prop_assert_eq!(spelt(&read(source)), spelt(&read(&file)));
        }
        let mut held = crate::RowSet::default();
        held.insert(0);
        let held = Arc::new(held);
        prop_assert_eq!(cells(&text.only(held.clone())), cells(&file.only(held.clone())));
        prop_assert_eq!(cells(&text.without(held.clone())), cells(&file.without(held)));
    }

    #[test]
    fn counts_give_the_summary_of_the_rows(
        rows in rows(), times in prop::collection::vec(1u64..5, 50), person in any::<bool>(), keep in any::<bool>(),
    ) {
        let counts: Vec<(&[String; 3], u64)> = rows.iter().zip(times.iter().copied()).collect();
        let all = counts.iter().flat_map(|(row, times)| std::iter::repeat_n(*row, *times as usize));
        let spelt_out = Source::of_rows("people", &NAMES, all).expect("a table");
        let counted = Source::of_counts("people", &NAMES, counts.iter().copied()).expect("counts");
        prop_assert_eq!(counted.columns(), spelt_out.columns());
        prop_assert_eq!(cells(&counted), cells(&spelt_out));
        let missing = MissingRule { spellings: vec!["?".into(), "".into()], keep };
        let asked = [(1, missing.clone()), (0, missing.clone())];
        let nobody = MissingRule { keep: false, ..missing };
        let names = crate::Names {
            person: person.then(|| (2, nobody.clone())),
            watched: if person { Vec::new() } else { vec![(2, nobody)] },
        };
        let read = |source: &Source| Summary::read_columns(source, &asked, &names, &mut |_| Ok(())).expect("a summary");
        let (one, other) = (read(&counted), read(&spelt_out));
        prop_assert_eq!(spelt(&one), spelt(&other));
        prop_assert_eq!(one.repeated, other.repeated);
        // Rows are chosen by their place among all of them.
        let mut chosen = crate::RowSet::default();
        (0..times[0] as usize).for_each(|row| chosen.insert(row));
        let chosen = Arc::new(chosen);
        prop_assert_eq!(spelt(&read(&counted.without(chosen.clone()))), spelt(&read(&spelt_out.without(chosen))));
    }

    #[test]
    fn lists_in_memory_are_those_of_the_file_that_is_written_of_them(
        lists in prop::collection::vec(prop::collection::vec("[a-c ,\"]{1,3}", 0..4), 0..20),
        times in prop::collection::vec(1u64..4, 20),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let new = NewTransactions { name: "lists.txt", separator: ',', formulas: Formulas::Mark };
        let memory = MemoryRelease::default();
        let mut counted = TransactionLists::default();
        for to in [&Directory(folder.path().to_path_buf()) as &dyn Destination, &memory] {
            let mut sink = to.transactions(&new).expect("a sink");
            for (items, times) in lists.iter().zip(&times) {
                let items: Vec<&str> = items.iter().map(String::as_str).filter(|item| !item.trim().is_empty()).collect();
                (0..*times).for_each(|_| sink.write(&items).expect("written"));
            }
            sink.finish().expect("finished");
        }
        for (items, times) in lists.iter().zip(&times) {
            counted.push_times(items, *times).expect("a list");
        }
        let options = TransactionOptions::Lines { separator: Some(',') };
        let file = TransactionSource::open(&folder.path().join(new.name), &options).expect("a file");
        let held = |source: &TransactionSource| {
            let mut all: Vec<Vec<String>> = Vec::new();
            source.read(&mut |list, _| {
                all.push(list.items.iter().map(|item| item.to_string()).collect());
                Ok(())
            }).expect("read");
            all
        };
        let counted = TransactionSource::of_lists("lists", counted);
        for source in [memory.transaction_source(new.name).expect("lists"), counted] {
            prop_assert_eq!(held(&source), held(&file));
            prop_assert_eq!(source.fingerprint().expect("read"), file.fingerprint().expect("read"));
        }
    }
}

#[test]
fn typed_columns_stay_typed_and_others_are_left_out() {
    let bytes = BinaryArray::from(vec![&b"x"[..], b"y"]);
    let columns: [(&str, ArrayRef); 7] = [
        ("age", Arc::new(Int32Array::from(vec![Some(34), None]))),
        ("big", Arc::new(UInt64Array::from(vec![u64::MAX, 1]))),
        ("share", Arc::new(Float64Array::from(vec![0.5, 1e21]))),
        ("well", Arc::new(BooleanArray::from(vec![true, false]))),
        ("born", Arc::new(Date32Array::from(vec![0, 10_957]))),
        ("bytes", Arc::new(bytes)),
        ("city", Arc::new(StringArray::from(vec!["Cork", ""]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).expect("a batch");
    let source =
        Source::of_batches("people", &batch.schema(), [batch.clone(), batch.clone()]).expect("a table");
    let kinds: Vec<&CellKind> = source.columns().iter().map(|column| &column.kind).collect();
    use CellKind::{Boolean, Date, Float, Integer, Text, Unsigned};
    assert_eq!(kinds, [&Integer, &Unsigned, &Float, &Boolean, &Date, &Text]);
    let rows = cells(&source);
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[0], ["34", "18446744073709551615", "0.5", "true", "1970-01-01", "Cork"]);
    assert_eq!(rows[1][0], "");
    assert!(source.check_whole().expect_err("a column is left out").to_string().contains("'bytes'"));
    let (message, _) = source.lacks("bytes");
    assert!(message.contains("cannot be read"), "{message}");
}

#[test]
fn what_is_wrong_with_a_table_in_memory_is_said() {
    let wrong = |rows: Vec<Vec<&str>>| Source::of_rows("people", &["a", "b"], rows).expect_err("refused");
    let error = wrong(vec![vec!["1", "2"], vec!["3"]]).to_string();
    assert!(
        error.starts_with("people (in memory):") && error.contains("row 2 has 1 cells for 2 columns"),
        "{error}"
    );
    assert!(wrong(vec![vec!["1", "a\0b"]]).to_string().contains("NUL"));
    let twice = Source::of_rows("people", &["a", "a"], [["1", "2"]]).expect_err("refused").to_string();
    assert!(twice.contains("people (in memory)"), "{twice}");
    let counts = Source::of_rows("people", &["a", "n"], [["x", "2"], ["y", "two"]]).expect("a table");
    let error = counts.counted_by("n").expect("counted").read(&mut |_, _| Ok(())).expect_err("no count");
    assert!(error.to_string().contains("no count in 'n'"), "{error}");
    assert!(Source::open(Path::new("/nowhere.csv"), &ReadOptions::default()).is_err());
    let one = Source::of_rows("people", &["a"], [["1"]]).expect("a table");
    let other = Source::of_rows("people", &["a"], [["1"]]).expect("a table");
    assert!(one.is_same(&one.clone()) && !one.is_same(&other));
}
