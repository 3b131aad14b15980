//! Plans are functions of a record: through JSON and on any part of the data they publish the same cells.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::table::{RandomTable, tables};
use crate as method;
use crate::Solution;
use crate::plan::Plan;
use privet_core::clock::Clock;
use privet_core::testing::cases;
use privet_engine::microdata::Microdata;

const METHODS: [&str; 6] = [
    "name = \"mondrian\"\nlabels = \"sets\"",
    "name = \"mondrian\"\nlabels = \"sets\"\nsplits = \"free\"",
    "name = \"full-domain\"",
    "name = \"full-domain\"\nsuppression_limit = 0.3\ncost = \"DM\"",
    "name = \"mondrian\"",
    "name = \"mondrian\"\nnumbers = \"hierarchy\"",
];

/// By a record's values, its published cells with counts.
type PublishedCells = BTreeMap<Vec<String>, Vec<(Vec<String>, u64)>>;

fn published(solution: &Solution, microdata: &Microdata) -> PublishedCells {
    let (summary, recoding) = (&microdata.summary, &solution.recoding);
    let labels = |class: u32| {
        let cells = recoding.columns.iter().zip(recoding.cells(class as usize));
        cells.map(|(column, cell)| column.cells[*cell as usize].label.clone()).collect()
    };
    let of_record = |record: usize| {
        let codes = summary.record(record).iter().zip(summary.columns());
        let values = codes.map(|(code, column)| column.dictionary.values()[*code as usize].clone());
        let shown = recoding.destinations(record, summary.count(record));
        (values.collect(), shown.map(|(class, count)| (labels(class), count)).collect())
    };
    (0..summary.len()).map(of_record).collect()
}

/// The plan after a round trip through JSON.
fn through_json(plan: &Plan) -> Plan {
    Plan::parse(&serde_json::to_string(plan).expect("JSON")).expect("a plan")
}

/// Whether a cell is as before. Of ranges that hold the same values of later data the narrowest is shown for all.
fn holds(before: &str, now: &str) -> bool {
    let range = |cell: &str| {
        let inside = cell.trim_start_matches('[').trim_end_matches(']');
        let (from, to) = inside.split_once(',').unwrap_or((inside, inside));
        Some((from.parse::<f64>().ok()?, to.parse::<f64>().ok()?))
    };
    before == now
        || range(before).zip(range(now)).is_some_and(|(before, now)| before.0 <= now.0 && now.1 <= before.1)
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn a_plan_is_a_function_of_the_record(
        table in tables(40),
        method in prop::sample::select(METHODS.to_vec()),
        share in 1usize..4,
    ) {
        let Some((_folder, policy, microdata)) = table.read(method) else { return Ok(()) };
        let clock = Clock::unlimited();
        let Ok(first) = method::run(&policy, &microdata, &clock) else { return Ok(()) };
        let plan = through_json(&first.plan);
        prop_assert_eq!(&plan, &first.plan);
        let again = method::apply_plan(&policy, &microdata, &plan, &clock).expect("the same data");
        let whole = published(&first, &microdata);
        prop_assert_eq!(&published(&again, &microdata), &whole);
        prop_assert_eq!(&again.plan, &plan);

        // A part of the rows: nothing is unknown, and what is released looks as before.
        let rows = table.rows.iter().step_by(share).cloned().collect();
        let Some((_folder, policy, microdata)) = (RandomTable { rows, ..table }).read(method) else {
            return Ok(());
        };
        let part = method::apply_plan(&policy, &microdata, &plan, &clock).expect("fewer rows");
        for (values, shown) in published(&part, &microdata) {
            let before: Vec<&Vec<String>> = whole[&values].iter().map(|(cells, _)| cells).collect();
            for (cells, _) in shown.iter().filter(|_| !before.is_empty()) {
                let is_as_before = before.len() == 1 && before[0].iter().zip(cells).all(|(before, now)| holds(before, now));
                prop_assert!(is_as_before, "{:?}: {:?}, {:?}", values, before, cells);
            }
        }
        // What the plan lists for a value is what is published for it.
        // A leaf that no record has may be in no box.
        for column in plan.applied().expect("cells").into_iter().filter(|_| matches!(plan, Plan::Levels(_))) {
            prop_assert!(column.cells.iter().all(|(_, cells)| !cells.is_empty()), "{:?}", column);
        }
    }
}

#[test]
fn plans_that_depend_on_other_records_say_so() {
    for plan in [
        r#"{ "rule": "groups", "groups": 3 }"#,
        r#"{ "rule": "clusters", "clusters": 3 }"#,
        r#"{ "rule": "item-parts", "parts": 2, "sets": 2 }"#,
        r#"{ "rule": "boxes", "parts": 1, "classes": [], "columns": [] }"#,
        r#"{ "rule": "boxes", "parts": 1, "classes": [], "boxes": [], "columns": [], "groups": {}, "removed": [] }"#,
    ] {
        let plan = Plan::parse(plan).expect(plan);
        let error = plan.check_reusable().expect_err("it depends on other records");
        assert!(error.message().contains("cannot be applied to other data: "), "{error}");
        assert!(plan.applied().is_err());
        assert_eq!(through_json(&plan), plan);
    }
}
