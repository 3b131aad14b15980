//! What a cluster refuses. That it makes the releases of one machine is tested with the shipped examples, end to end.

use std::sync::Arc;

use super::*;
use privet_core::clock::Clock;
use privet_data::arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray};
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

#[test]
fn a_row_that_was_not_counted_is_refused() {
    let policy = policy("name = \"mondrian\"", "[privacy.k-anonymity]\nk = 5", "value");
    let columns = readable(&people(1).schema()).expect("columns");
    let wanted = wanted(&policy, &columns).expect("wanted");
    let mut tally = Tally::new(&columns, &wanted, 0);
    tally.add(&people(100)).expect("counted");
    let data = gathered("people", &columns, &wanted, tally.partial()).expect("gathered");
    let lean = lean(&policy, &columns).expect("a policy");
    let plan = crate::decide(&lean, data, Some(1), &Clock::unlimited())
        .expect("decided")
        .row_plan(&policy, &columns)
        .expect("a plan");
    let error = plan.apply(&people(2000), false).expect_err("more rows");
    assert!(error.message().contains("changed"), "{error}");
}

#[test]
fn what_a_cluster_cannot_do_is_refused_with_the_reason() {
    let columns = readable(&people(1).schema()).expect("columns");
    let mondrian = |more: &str| {
        let plain = policy("name = \"mondrian\"", "[privacy.k-anonymity]\nk = 5", "value");
        let text = plain.text().replace("[columns.id]\nrole = \"identifier\"", more);
        Policy::parse("policy.toml".as_ref(), text).expect("a policy")
    };
    for (more, part) in [
        ("[columns.id]\nrole = \"quasi-identifier\"\ndecimal = \",\"", "a way of their own"),
        (
            "[columns.id]\nrole = \"set\"\nseparator = \"|\"\n[privacy.kl-privacy]\ncolumn = \"id\"\nk = 2\nm = 1",
            "carried along",
        ),
    ] {
        let error = wanted(&mondrian(more), &columns).expect_err(more);
        assert!(error.message().contains(part) && error.remedy().is_some(), "{more}: {error}");
    }
    let text = mondrian("").text().replace("[data]", "[data]\nperson = \"id\"");
    let people = Policy::parse("policy.toml".as_ref(), text).expect("a policy");
    let error = wanted(&people, &columns).expect_err("people");
    assert!(error.message().contains("person") && error.remedy().is_some(), "{error}");
}

#[test]
fn bytes_that_are_not_a_plan_are_refused() {
    let policy = policy("name = \"mondrian\"", "[privacy.k-anonymity]\nk = 5", "value");
    let columns = readable(&people(1).schema()).expect("columns");
    let wanted = wanted(&policy, &columns).expect("wanted");
    let mut tally = Tally::new(&columns, &wanted, 0);
    tally.add(&people(60)).expect("counted");
    let data = gathered("people", &columns, &wanted, tally.partial()).expect("gathered");
    let lean = lean(&policy, &columns).expect("a policy");
    let decision = crate::decide(&lean, data, Some(1), &Clock::unlimited()).expect("decided");
    let bytes = decision.row_plan(&policy, &columns).expect("a plan").bytes();
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
