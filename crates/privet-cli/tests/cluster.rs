//! A cluster makes the releases that one machine makes: of every example by every method, and of made-up people. The cluster is
//! this process here; `crates/privet-python/test-spark` does it with Spark.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use privet::clock::Clock;
use privet::cluster::{self, Counted, CountedTable, RowPlan, SERVICE_COLUMNS, Tally, Way, WrittenTable};
use privet::data::{MemoryRelease, ReadOptions, Source, TransactionSource};
use privet::policy::{OriginalData, Policy};
use rayon::prelude::*;

use crate::apply::{cases, data_path};
use crate::common::Bench;

const SEED: Option<u64> = Some(99);

/// Rows and how often each is there, by table.
type Tables = BTreeMap<String, Counts>;
type Counts = BTreeMap<Vec<String>, u64>;

/// What one machine releases. Columns that are carried along keep their types there, so that all are read as text.
fn on_one_machine(policy: &Policy, data: OriginalData) -> Tables {
    let clock = Clock::unlimited();
    let decision = privet::decide(policy, data, SEED, &clock).expect("decided");
    let release = MemoryRelease::default();
    let applied = privet::apply(&decision, &release, &clock).expect("applied");
    let table = |name: &String| {
        let mut counts = Counts::new();
        if release.batches(name).is_some() {
            let table = release.source(name).expect("a table");
            let read = table.read(&mut |batch, _| {
                for row in 0..batch.rows() {
                    *counts.entry(batch.cells(row).map(str::to_string).collect()).or_default() += 1;
                }
                Ok(())
            });
            read.expect("read");
        } else {
            let lists = release.transaction_source(name).expect("transactions");
            let read = lists.read(&mut |transaction, _| {
                *counts
                    .entry(transaction.items.iter().map(|item| item.to_string()).collect())
                    .or_default() += 1;
                Ok(())
            });
            read.expect("read");
        }
        (Path::new(name).file_stem().expect("a name").to_string_lossy().into_owned(), counts)
    };
    applied.names.iter().map(table).collect()
}

/// What a cluster releases of these parts of a table, and whether any rows parted ways.
fn on_a_cluster(policy: &Policy, parts: &[RecordBatch]) -> (Tables, bool) {
    let clock = Clock::unlimited();
    let columns = cluster::readable(&parts[0].schema()).expect("columns");
    let wanted = cluster::wanted(policy, &columns).expect("wanted");
    let partial = parts.iter().zip(0..).flat_map(|(part, number)| {
        let mut tally = Tally::new(&columns, &wanted, number);
        tally.add(part).expect("counted");
        let mut first = tally.partial();
        tally.add(&part.slice(0, 0)).expect("nothing");
        first.extend(tally.partial());
        first
    });
    let data = cluster::gathered("people", &columns, &wanted, partial.collect::<Vec<_>>()).expect("gathered");
    let lean = cluster::lean(policy, &columns).expect("a policy");
    let data = Counted::Table(data);
    let decision = privet::decide(&lean, data.original().expect("data"), SEED, &clock).expect("decided");
    if cluster::way(policy, &columns).expect("a way") == Way::Counts {
        return (from_counts(&lean, &data, &decision), false);
    }
    let made = decision.row_plan(policy, &columns).expect("a plan");
    let plan = RowPlan::of_bytes(&made.bytes()).expect("the plan");
    assert_eq!(plan.bytes(), made.bytes());
    let counts = counted(&row_by_row(&plan, parts), SERVICE_COLUMNS.len());
    let places: Vec<usize> =
        (0..plan.released().len()).filter(|at| plan.decided().contains(&plan.released()[*at])).collect();
    let mut decided = Counts::new();
    for (row, count) in &counts {
        *decided.entry(places.iter().map(|place| row[*place].clone()).collect()).or_default() += count;
    }
    let names = places.iter().map(|place| plan.released()[*place].clone()).collect();
    audited(&lean, &data, vec![(Some(names), decided)], &decision);
    (Tables::from([("release".to_string(), counts)]), plan.parts())
}

/// The rows of all parts, each released by the plan alone.
fn row_by_row(plan: &RowPlan, parts: &[RecordBatch]) -> Vec<RecordBatch> {
    let mut released: Vec<RecordBatch> =
        parts.iter().map(|part| plan.apply(part, false).expect("applied")).collect();
    // The rank of each row that parts ways.
    let parted: Vec<RecordBatch> =
        parts.iter().map(|part| plan.apply(part, true).expect("applied")).collect();
    let mut ranks: Vec<(i64, Vec<u8>, usize, usize)> = Vec::new();
    for (part, batch) in parted.iter().enumerate() {
        let (records, numbers) =
            (batch.column(1).as_primitive::<Int64Type>(), batch.column(2).as_binary::<i32>());
        ranks.extend(
            (0..batch.num_rows()).map(|row| (records.value(row), numbers.value(row).to_vec(), part, row)),
        );
    }
    ranks.sort();
    let mut turns: Vec<Vec<u64>> = parted.iter().map(|batch| vec![0; batch.num_rows()]).collect();
    let mut before = (-1, 0);
    for (record, _, part, row) in ranks {
        before = if before.0 == record { (record, before.1 + 1) } else { (record, 0) };
        turns[part][row] = before.1;
    }
    released
        .extend(parted.iter().zip(&turns).map(|(batch, turns)| plan.settle(batch, turns).expect("settled")));
    released
}

fn counted(batches: &[RecordBatch], skipped: usize) -> Counts {
    let mut counts = Counts::new();
    for batch in batches {
        let columns: Vec<&StringArray> =
            batch.columns()[skipped..].iter().map(|column| column.as_string::<i32>()).collect();
        for row in 0..batch.num_rows() {
            let cells = columns.iter().map(|column| {
                if column.is_null(row) { String::new() } else { column.value(row).to_string() }
            });
            *counts.entry(cells.collect()).or_default() += 1;
        }
    }
    counts
}

/// The tables of a release that follows from the counts.
fn from_counts(lean: &Policy, data: &Counted, decision: &privet::Decision) -> Tables {
    let tables = cluster::counted_tables(decision, &Clock::unlimited()).expect("tables");
    let counts = |table: &CountedTable| -> Counts {
        table.rows.iter().map(|(_, cells, count)| (cells.clone(), *count)).collect()
    };
    let written = tables.iter().map(|table| (table.columns.clone(), counts(table)));
    audited(lean, data, written.collect(), decision);
    tables.iter().map(|table| (table.name.clone(), counts(table))).collect()
}

/// The audit agrees.
fn audited(
    lean: &Policy,
    data: &Counted,
    written: Vec<(Option<Vec<String>>, Counts)>,
    decision: &privet::Decision,
) {
    let written = written
        .into_iter()
        .map(|(columns, counts)| WrittenTable { columns, rows: counts.into_iter().collect() });
    let clock = Clock::unlimited();
    let audit = cluster::audit_written(lean, data, written.collect(), decision, &clock).expect("an audit");
    let (kept, read) = decision.records().expect("records");
    assert!(audit.passed, "{}", privet::audit::render(&audit));
    assert_eq!((audit.records.released, audit.records.original), (kept, read));
}

/// The rows of a file as text, in three parts, the last row first.
fn parts_of(path: &Path) -> Vec<RecordBatch> {
    let file = Source::open(path, &ReadOptions::default()).expect("a table");
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); file.columns().len()];
    file.read(&mut |batch, _| {
        for row in 0..batch.rows() {
            columns.iter_mut().zip(batch.cells(row)).for_each(|(column, cell)| column.push(cell.to_string()));
        }
        Ok(())
    })
    .expect("rows");
    let named = file.columns().iter().zip(&columns).map(|(column, cells)| {
        let cells: ArrayRef = Arc::new(cells.iter().rev().map(Some).collect::<StringArray>());
        (column.name.clone(), cells, true)
    });
    let all = RecordBatch::try_from_iter_with_nullable(named).expect("a batch");
    let third = all.num_rows() / 3;
    vec![all.slice(0, third), all.slice(third, third), all.slice(2 * third, all.num_rows() - 2 * third)]
}

#[test]
fn every_example_by_every_method() {
    // Variants of a method go the same way: the small examples have them all.
    let small = ["patients", "injector", "five-baskets", "l-plus"];
    let chosen = cases().into_iter();
    let chosen = chosen.filter(|(group, method)| !method.0.contains(':') || small.contains(&group.example));
    let ways: Vec<Option<Way>> = chosen
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|(group, method)| {
            let (bench, example) = (Bench::with_example(group.example), group.example);
            let shipped = bench.text(&format!("{example}/policy.toml"));
            bench.write(&format!("{example}/own.toml"), group.policy(&shipped, method));
            let policy = Policy::read(&bench.path(&format!("{example}/own.toml"))).expect("a policy");
            let data = bench.path(&data_path(&bench, example));
            if example.ends_with("baskets") {
                let expected = on_one_machine(&policy, OriginalData::Named);
                let mut lists: BTreeMap<Vec<String>, u64> = BTreeMap::new();
                let file = TransactionSource::open(&data, &Default::default()).expect("transactions");
                file.read(&mut |transaction, _| {
                    let mut items: Vec<String> =
                        transaction.items.iter().map(|item| item.to_string()).collect();
                    items.reverse();
                    *lists.entry(items).or_default() += 1;
                    Ok(())
                })
                .expect("read");
                let data = cluster::gathered_lists(lists);
                let original = data.original().expect("lists");
                let decision = privet::decide(&policy, original, SEED, &Clock::unlimited()).expect("decided");
                let found = from_counts(&policy, &data, &decision);
                assert!(found == expected, "{example} {}", method.0);
                return Some(Way::Lists { id: 0, item: 1 });
            }
            let parts = parts_of(&data);
            let columns = cluster::readable(&parts[0].schema()).expect("columns");
            let way = match cluster::way(&policy, &columns) {
                Ok(way) => way,
                Err(error) => {
                    assert!(error.message().contains("on a cluster yet"), "{example} {}: {error}", method.0);
                    return None;
                }
            };
            let expected = on_one_machine(&policy, OriginalData::Named);
            let (found, _) = on_a_cluster(&policy, &parts);
            assert!(found == expected, "{example} {}", method.0);
            Some(way)
        })
        .collect();
    for way in [Some(Way::Rows), Some(Way::Counts), Some(Way::Lists { id: 0, item: 1 })] {
        assert!(ways.iter().filter(|found| **found == way).count() >= 4, "{way:?}: {ways:?}");
    }
}

/// People with an identifier, a column that is carried along, numbers that engines take for equal, and missing values.
fn people(rows: impl Iterator<Item = i64> + Clone) -> RecordBatch {
    let city = |row: i64| {
        Some(["Cork", "Galway", "Dublin", "cork"][(row * 7 / 3 % 4) as usize]).filter(|_| row % 41 != 0)
    };
    let weight =
        |row: i64| Some([0.0, -0.0, 60.5, 71.0, f64::NAN][(row % 5) as usize]).filter(|_| row % 37 != 1);
    let note = |row: i64| (row % 9 != 0).then(|| format!("note {}", row % 50));
    let disease = |row: i64| ["flu", "asthma", "cancer", "gout"][(row * 13 % 11 % 4) as usize];
    let columns: [(&str, ArrayRef); 6] = [
        ("id", Arc::new(Int64Array::from_iter_values(rows.clone()))),
        ("age", Arc::new(Int64Array::from_iter_values(rows.clone().map(|row| 20 + row * row % 3)))),
        ("city", Arc::new(rows.clone().map(city).collect::<StringArray>())),
        ("weight", Arc::new(rows.clone().map(weight).collect::<Float64Array>())),
        ("note", Arc::new(rows.clone().map(note).collect::<StringArray>())),
        ("disease", Arc::new(rows.map(|row| Some(disease(row))).collect::<StringArray>())),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
        .expect("a batch")
}

fn policy(method: &str, privacy: &str, missing: &str) -> Policy {
    let text = format!(
        "[data]\nmissing = [\"\", \"?\"]\non_missing = \"{missing}\"\n[columns.id]\nrole = \"identifier\"\n[columns.age]\nrole = \
         \"quasi-identifier\"\n[columns.city]\nrole = \"quasi-identifier\"\n[columns.weight]\nrole = \"quasi-identifier\"\n[columns.note]\nrole = \
         \"other\"\n[columns.disease]\nrole = \"sensitive\"\n{privacy}\n[method]\n{method}\n"
    );
    Policy::parse("policy.toml".as_ref(), text).expect("a policy")
}

#[test]
fn people_with_numbers_that_engines_take_for_equal() {
    let k = "[privacy.k-anonymity]\nk = 5";
    let l = "[privacy.k-anonymity]\nk = 4\n[privacy.l-diversity]\ncolumn = \"disease\"\nl = 2";
    let plus = "[privacy.l-plus-diversity]\ncolumn = \"disease\"\ndefault = \"1/3\"";
    let mut parts_ways = 0;
    for (method, privacy, missing) in [
        ("name = \"mondrian\"", k, "value"),
        ("name = \"mondrian\"", l, "drop"),
        ("name = \"full-domain\"\nsuppression_limit = \"10%\"", k, "value"),
        ("name = \"full-domain\"\nsuppression_limit = \"10%\"", l, "drop"),
        ("name = \"l-plus-optimize\"\nsuppression = \"vio-rec\"", plus, "drop"),
        ("name = \"l-plus-optimize\"\nsuppression = \"vio-sa\"", plus, "value"),
    ] {
        let policy = policy(method, privacy, missing);
        let (data, backwards) = (people(0..600), people((0..600).rev()));
        let source = Source::of_batches("people", &data.schema(), [data.clone()]).expect("a table");
        let expected = on_one_machine(&policy, source.into());
        assert!(!expected.is_empty(), "{method}");
        for (table, sizes) in [(&data, vec![600]), (&data, vec![1, 299, 300]), (&backwards, vec![100; 6])] {
            let mut start = 0;
            let parts = sizes.iter().map(|size| {
                start += size;
                table.slice(start - size, *size)
            });
            let (tables, parted) = on_a_cluster(&policy, &parts.collect::<Vec<_>>());
            assert_eq!(tables, expected, "{method}, {privacy}");
            parts_ways += u32::from(parted);
        }
    }
    assert!(parts_ways > 0, "no rows parted ways");
}
