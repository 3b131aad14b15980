//! What attacks find against the definitions, on tables that show no cut as well.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;

use super::model::MixedAttribute;
use super::table::MixedTable;
use privet_core::testing::cases as config;
use privet_engine::testing::freeform::{Case, Column, cases};
use privet_policy::requirement::FfAnonymity;
use privet_taxonomy::NodeId;

fn attacked(case: &Case, shown: &[Vec<NodeId>]) -> MixedTable {
    let asked = FfAnonymity { observable: case.thresholds.observable, threat: case.thresholds.threat };
    let attribute = |(at, column): (usize, &Column)| {
        MixedAttribute::new(&format!("c{at}"), column.taxonomy.clone(), &column.mixed, &asked)
    };
    let rows = shown.iter().map(|row| (row.iter().map(|node| node.0).collect(), 1));
    MixedTable::new(case.columns.iter().enumerate().map(attribute).collect(), rows)
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn people_at_risk_are_those_about_whom_a_breach_is_true(
        case in cases(3, 9),
        levels in prop::collection::vec(prop::collection::vec(0usize..3, 3), 9),
    ) {
        let lift = |(at, (leaf, level)): (usize, (&usize, &usize))| {
            let taxonomy = &case.columns[at].taxonomy;
            let mut path = std::iter::successors(Some(taxonomy.leaf(*leaf)), |node| taxonomy.parent(*node));
            path.nth(*level).unwrap_or(taxonomy.root())
        };
        let shown: Vec<Vec<NodeId>> = (case.rows.iter().zip(&levels))
            .map(|(row, levels)| row.iter().zip(levels).enumerate().map(lift).collect())
            .collect();
        let breaches = case.breaches(&shown);
        let fits = |row: &[NodeId], (seen, target, inferred): &(Vec<NodeId>, usize, NodeId)| {
            let mut places = row.iter().zip(seen).zip(&case.columns);
            case.columns[*target].taxonomy.contains(*inferred, row[*target])
                && places.all(|((node, seen), column)| column.taxonomy.contains(*seen, *node))
        };
        let hits = shown.iter().filter(|row| breaches.iter().any(|breach| fits(row, breach))).count();
        let table = attacked(&case, &shown);
        let exposure = table.exposure();
        prop_assert_eq!(exposure.hits > 0, hits > 0);
        prop_assert!(exposure.hits <= hits as u64 && exposure.baseline <= exposure.targets);
        // Every breach in the list is one, and nothing is listed iff there is nothing.
        let width = case.columns.len();
        let listing = table.list(usize::MAX, width);
        prop_assert_eq!(listing.worst.is_empty(), breaches.is_empty());
        let named: BTreeSet<String> = breaches
            .iter()
            .map(|(seen, target, inferred)| {
                let label = |(at, node): (usize, &NodeId)| {
                    let taxonomy = &case.columns[at].taxonomy;
                    (*node != taxonomy.root()).then(|| format!("c{at}={}", taxonomy.label(*node)))
                };
                let seen: Vec<String> = seen.iter().enumerate().filter_map(label).collect();
                format!("{{{}}} → c{target}={}", seen.join(", "), case.columns[*target].taxonomy.label(*inferred))
            })
            .collect();
        for breach in &listing.worst {
            prop_assert!(named.contains(&breach.to_string()), "{} is none of {:?}", breach, named);
        }
        let worst = table.worst();
        prop_assert_eq!(worst.is_some_and(|attack| attack.is_breach), !breaches.is_empty());
        prop_assert!(listing.worst.is_sorted_by(|one, other| one.threat >= other.threat));
    }
}

#[test]
fn a_shuffled_table_has_the_same_values_in_every_column() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let case = cases(3, 12).new_tree(&mut runner).expect("a case").current();
    let table = attacked(&case, &case.shown(|_, _| true));
    let shuffled = table.shuffled(1);
    let width = case.columns.len();
    let column = |table: &MixedTable, at: usize| {
        let rows = table.values.chunks(width).zip(&table.counts);
        let mut values: Vec<u32> =
            rows.flat_map(|(row, count)| std::iter::repeat_n(row[at], *count as usize)).collect();
        values.sort_unstable();
        values
    };
    for at in 0..width {
        assert_eq!(column(&table, at), column(&shuffled, at));
    }
}

#[test]
fn what_is_seen_of_the_guarded_column_itself_is_counted_apart() {
    use crate::testing::Stage;
    let policy = "[data]\npath = \"table.csv\"\n[columns.sex]\nrole = \"mixed\"\nhierarchy = \"sex.csv\"\n[columns.pay]\n\
        role = \"mixed\"\nhierarchy = \"pay.csv\"\n[columns.pay.sensitivity]\nmodel = \"aggregate\"\nguard = [\"190K\"]\n\
        [columns.pay.observability]\nmodel = \"sensitivity\"\n[privacy.ff-anonymity]\nobservable = 1.0\nthreat = 0.5\n";
    let found = |table: &str| {
        let stage = Stage::with(policy, table);
        stage.write("sex.csv", "F;*\nM;*\n");
        stage.write("pay.csv", "190K;High;*\n120K;High;*\n40K;Low;*\n");
        let figures = stage.attack("freeform", table).expect("a finding").figures;
        (figures[0].hits, figures[1].hits)
    };
    // A third of the women earn 190K, which is allowed; but of the women with a high income all do.
    assert_eq!(found("sex,pay\nF,190K\nF,40K\nF,40K\nM,120K\nM,40K\n"), (0, 1));
    assert_eq!(found("sex,pay\nF,190K\nF,120K\nF,120K\nF,40K\nM,120K\nM,40K\n"), (0, 0));
}
