//! A cluster makes the release that one machine makes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use privet_core::clock::Clock;
use privet_data::MemoryRelease;
use privet_data::arrow_array::cast::AsArray;
use privet_data::arrow_array::types::Int64Type;
use privet_data::arrow_array::{Array, ArrayRef, Float64Array, Int64Array, StringArray, UInt32Array};
use privet_policy::Policy;

/// People with an identifier, a column that is carried along, numbers that engines take for equal, and missing values.
fn people(rows: i64) -> RecordBatch {
    let city = |row: i64| {
        Some(["Cork", "Galway", "Dublin", "cork"][(row * 7 / 3 % 4) as usize]).filter(|_| row % 41 != 0)
    };
    let weight =
        |row: i64| Some([0.0, -0.0, 60.5, 71.0, f64::NAN][(row % 5) as usize]).filter(|_| row % 37 != 1);
    let disease = |row: i64| ["flu", "asthma", "cancer", "gout"][(row * 13 % 11 % 4) as usize];
    let columns: [(&str, ArrayRef); 6] = [
        ("id", Arc::new(Int64Array::from_iter_values(0..rows))),
        ("age", Arc::new(Int64Array::from_iter_values((0..rows).map(|row| 20 + row * row % 3)))),
        ("city", Arc::new((0..rows).map(city).collect::<StringArray>())),
        ("weight", Arc::new((0..rows).map(weight).collect::<Float64Array>())),
        (
            "note",
            Arc::new(
                (0..rows)
                    .map(|row| (row % 9 != 0).then(|| format!("note {}", row % 50)))
                    .collect::<StringArray>(),
            ),
        ),
        ("disease", Arc::new((0..rows).map(|row| Some(disease(row))).collect::<StringArray>())),
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

type Counts = BTreeMap<Vec<String>, u64>;

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

/// What one machine releases. Columns that are carried along keep their types there, so that all are read as text.
fn on_one_machine(policy: &Policy, data: &RecordBatch) -> Counts {
    let clock = Clock::unlimited();
    let source = Source::of_batches("people", &data.schema(), [data.clone()]).expect("a table");
    let decision = crate::decide(policy, source, Some(99), &clock).expect("decided");
    let release = MemoryRelease::default();
    let applied = crate::apply(&decision, &release, &clock).expect("applied");
    let mut counts = Counts::new();
    let table = release.source(&applied.names[0]).expect("a table");
    table
        .read(&mut |batch, _| {
            for row in 0..batch.rows() {
                *counts.entry(batch.cells(row).map(str::to_string).collect()).or_default() += 1;
            }
            Ok(())
        })
        .expect("read");
    counts
}

/// What a cluster releases of these parts, and whether any rows parted ways.
fn on_a_cluster(policy: &Policy, parts: &[RecordBatch]) -> (Counts, bool) {
    let clock = Clock::unlimited();
    let columns = readable(&parts[0].schema()).expect("columns");
    let wanted = wanted(policy, &columns).expect("wanted");
    let partial = parts.iter().zip(0..).flat_map(|(part, number)| {
        let mut tally = Tally::new(&columns, &wanted, number);
        tally.add(part).expect("counted");
        let mut first = tally.partial();
        tally.add(&part.slice(0, 0)).expect("nothing");
        first.extend(tally.partial());
        first
    });
    let data = gathered("people", &columns, &wanted, partial.collect::<Vec<_>>()).expect("gathered");
    let decision = crate::decide(policy, data.clone(), Some(99), &clock).expect("decided");
    let made = decision.row_plan().expect("a plan");
    let plan = RowPlan::of_bytes(&made.bytes()).expect("the plan");
    assert_eq!(plan.bytes(), made.bytes());
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
    let counts = counted(&released, SERVICE_COLUMNS.len());
    // The audit agrees.
    let places: Vec<usize> = plan
        .released()
        .iter()
        .enumerate()
        .filter(|(_, name)| plan.decided().contains(name))
        .map(|(at, _)| at)
        .collect();
    let mut decided = Counts::new();
    for (row, count) in &counts {
        *decided.entry(places.iter().map(|place| row[*place].clone()).collect()).or_default() += count;
    }
    let rows = super::released(&plan, decided).expect("a table");
    let (kept, read) = decision.records().expect("records");
    assert_eq!(counts.values().sum::<u64>(), kept);
    let audit = audit_counts(policy, &columns, &data, &rows, &decision, &clock).expect("an audit");
    assert!(audit.passed && audit.records.original == read, "{}", privet_audit::render(&audit));
    (counts, plan.parts())
}

#[test]
fn a_cluster_releases_what_one_machine_releases() {
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
        let data = people(600);
        if let Err(error) =
            policy.check_any(Source::of_batches("people", &data.schema(), [data.clone()]).expect("a table"))
        {
            panic!("{method}: {error}");
        }
        let expected = on_one_machine(&policy, &data);
        assert!(!expected.is_empty(), "{method}");
        let backwards = UInt32Array::from_iter_values((0..600).rev());
        let backwards = privet_data::arrow_array::RecordBatch::try_from_iter_with_nullable(
            data.schema()
                .fields()
                .iter()
                .zip(data.columns())
                .map(|(field, column)| (field.name().clone(), taken(column, &backwards), true)),
        )
        .expect("a batch");
        for (table, sizes) in [(&data, vec![600]), (&data, vec![1, 299, 300]), (&backwards, vec![100; 6])] {
            let mut start = 0;
            let parts = sizes.iter().map(|size| {
                start += size;
                table.slice(start - size, *size)
            });
            let (counts, parted) = on_a_cluster(&policy, &parts.collect::<Vec<_>>());
            assert_eq!(counts, expected, "{method}, {privacy}");
            parts_ways += u32::from(parted);
        }
    }
    assert!(parts_ways > 0, "no rows parted ways");
}

/// The cells of an array at these places.
fn taken(column: &ArrayRef, places: &UInt32Array) -> ArrayRef {
    let parts: Vec<ArrayRef> = places.values().iter().map(|place| column.slice(*place as usize, 1)).collect();
    macro_rules! joined {
        ($array:ty, $as:ident $(, $generic:ty)?) => {
            Arc::new(parts.iter().flat_map(|part| part.$as$(::<$generic>)?().iter()).collect::<$array>())
        };
    }
    match column.data_type() {
        privet_data::arrow_schema::DataType::Utf8 => joined!(StringArray, as_string, i32),
        privet_data::arrow_schema::DataType::Float64 => {
            joined!(Float64Array, as_primitive, privet_data::arrow_array::types::Float64Type)
        }
        _ => joined!(Int64Array, as_primitive, Int64Type),
    }
}

#[test]
fn a_row_that_was_not_counted_is_refused() {
    let policy = policy("name = \"mondrian\"", "[privacy.k-anonymity]\nk = 5", "value");
    let columns = readable(&people(1).schema()).expect("columns");
    let wanted = wanted(&policy, &columns).expect("wanted");
    let mut tally = Tally::new(&columns, &wanted, 0);
    tally.add(&people(100)).expect("counted");
    let data = gathered("people", &columns, &wanted, tally.partial()).expect("gathered");
    let plan = crate::decide(&policy, data, Some(1), &Clock::unlimited())
        .expect("decided")
        .row_plan()
        .expect("a plan");
    let error = plan.apply(&people(2000), false).expect_err("more rows");
    assert!(error.message().contains("changed"), "{error}");
}

#[test]
fn what_a_cluster_cannot_do_is_refused_with_the_reason() {
    let columns = readable(&people(1).schema()).expect("columns");
    let anatomy = policy("name = \"anatomy\"", "[privacy.l-diversity]\ncolumn = \"disease\"\nl = 2", "drop");
    let error = wanted(&anatomy, &columns).expect_err("groups");
    assert!(error.message().contains("anatomy") && error.remedy().is_some(), "{error}");
}

#[test]
fn bytes_that_are_not_a_plan_are_refused() {
    let policy = policy("name = \"mondrian\"", "[privacy.k-anonymity]\nk = 5", "value");
    let columns = readable(&people(1).schema()).expect("columns");
    let wanted = wanted(&policy, &columns).expect("wanted");
    let mut tally = Tally::new(&columns, &wanted, 0);
    tally.add(&people(60)).expect("counted");
    let data = gathered("people", &columns, &wanted, tally.partial()).expect("gathered");
    let decision = crate::decide(&policy, data, Some(1), &Clock::unlimited()).expect("decided");
    let bytes = decision.row_plan().expect("a plan").bytes();
    for length in 0..bytes.len() {
        assert!(RowPlan::of_bytes(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
    }
    // Whatever is damaged, nothing panics.
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x5a;
        if let Ok(plan) = RowPlan::of_bytes(&damaged) {
            let _ = plan.apply(&people(60), false);
        }
    }
}
