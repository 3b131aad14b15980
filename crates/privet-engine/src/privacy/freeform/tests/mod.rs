//! The fast check against the definitions.

use std::sync::Arc;

use proptest::prelude::*;

use super::{Attribute, Classes, Model, Thresholds};
use crate::testing::freeform::{Case, cases};
use privet_core::Exact;
use privet_core::testing::cases as config;
use privet_policy::{MixedColumn, ObservabilityModel, SensitivityModel};
use privet_taxonomy::{NodeId, Taxonomy};

/// A way down: nodes in a random order, of which those are opened whose ancestors are.
fn way(case: &Case, order: &[prop::sample::Index]) -> Vec<(usize, NodeId)> {
    let mut waiting: Vec<(usize, NodeId)> =
        case.columns.iter().enumerate().map(|(at, column)| (at, column.taxonomy.root())).collect();
    let mut way = Vec::new();
    for index in order {
        waiting.retain(|(at, node)| !case.columns[*at].taxonomy.is_leaf(*node));
        if waiting.is_empty() {
            break;
        }
        let (at, node) = waiting.swap_remove(index.index(waiting.len()));
        waiting.extend(case.columns[at].taxonomy.children(node).iter().map(|child| (at, *child)));
        way.push((at, node));
    }
    way
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn needed_nodes_find_a_breach_iff_there_is_one(
        case in cases(3, 12),
        order in prop::collection::vec(any::<prop::sample::Index>(), 0..9),
    ) {
        let (model, records) = (case.model(), case.records());
        let mut classes = Classes::coarsest(&model, &records, 1);
        prop_assert!(!classes.is_breached(&model), "the most general table is always a solution");
        let mut opened = Vec::new();
        let (mut safe, mut before) = (true, case.breaches(&case.shown(|_, _| false)));
        for (at, node) in way(&case, &order) {
            let can_open = classes.can_open(&model, &records, at, node.0);
            opened.push((at, node));
            let breaches = case.breaches(&case.shown(|at, node| opened.contains(&(at, node))));
            if safe {
                prop_assert_eq!(can_open, breaches.is_empty(), "what is new is all that can be new");
            }
            classes.split(&model, &records, at, node.0);
            prop_assert_eq!(classes.is_breached(&model), !breaches.is_empty());
            // Corollary 3.1: what a more general table gives away, a more special one does.
            prop_assert!(before.is_subset(&breaches));
            safe = breaches.is_empty();
            before = breaches;
        }
    }

    #[test]
    fn a_table_that_shows_no_cut_is_checked_as_defined(
        case in cases(3, 9),
        levels in prop::collection::vec(prop::collection::vec(0usize..4, 3), 9),
    ) {
        // Every row is as general as it likes.
        let lift = |(at, (leaf, level)): (usize, (&usize, &usize))| {
            let taxonomy = &case.columns[at].taxonomy;
            let mut path = std::iter::successors(Some(taxonomy.leaf(*leaf)), |node| taxonomy.parent(*node));
            path.nth(*level).unwrap_or(taxonomy.root())
        };
        let shown: Vec<Vec<NodeId>> = (case.rows.iter().zip(&levels))
            .map(|(row, levels)| row.iter().zip(levels).enumerate().map(lift).collect())
            .collect();
        let values: Vec<u32> = shown.iter().flatten().map(|node| node.0).collect();
        let model = case.model().showing(&values);
        let width = case.columns.len();
        let breached = (0..width).any(|target| {
            let group = |row: usize| super::watch::Group {
                row: row as u32,
                target: values[row * width + target],
                count: 1,
            };
            let groups: Vec<_> = (0..shown.len()).map(group).collect();
            super::watch::Watch::new(&model, &values, target).is_breached(&groups, &model.others(&[target]))
        });
        prop_assert_eq!(breached, !case.breaches(&shown).is_empty());
    }
}

fn disease(model: SensitivityModel, guard: &[&str]) -> Attribute {
    let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
    let taxonomy = Taxonomy::from_paths(&[
        path("Flu;VI;ANY"),
        path("AIDS;VI;ANY"),
        path("E.Coli;BI;ANY"),
        path("TB;BI;ANY"),
    ]);
    let guard = guard.iter().map(ToString::to_string).collect();
    let mixed = MixedColumn { sensitivity: model, guard, observability: ObservabilityModel::Sensitivity };
    let thresholds = Thresholds { observable: Exact::ONE, threat: Exact::new(1, 2).expect("a half") };
    Attribute::new("Disease", Arc::new(taxonomy.expect("a tree")), &mixed, &thresholds)
}

#[test]
fn the_examples_of_the_paper_have_its_figures() {
    // Examples 2.2 and 2.3.
    let attribute = disease(SensitivityModel::Aggregate, &["AIDS", "TB"]);
    let of = |attribute: &Attribute, label: &str| {
        let node = attribute.taxonomy.find(label).expect("a node").0;
        (attribute.sensitivity(node).to_f64(), attribute.is_observable(node))
    };
    assert_eq!(of(&attribute, "AIDS"), (1.0, false));
    assert_eq!(of(&attribute, "Flu"), (0.0, true));
    assert_eq!(of(&attribute, "VI"), (0.5, true));
    assert_eq!(of(&attribute, "ANY"), (0.5, true));
    // GS2 of Example 2.1, and equation (2).
    let attribute = disease(SensitivityModel::NonAggregate, &["AIDS", "BI"]);
    assert_eq!(of(&attribute, "BI"), (0.5, false));
    assert_eq!(of(&attribute, "E.Coli"), (1.0, false));
    assert_eq!(of(&attribute, "ANY"), (3.0 / 16.0, true));
}

#[test]
fn a_threat_at_the_threshold_is_no_breach() {
    let model = Model::new(vec![disease(SensitivityModel::Aggregate, &["AIDS"])]);
    let bar = model.attributes[0].bar(model.attributes[0].taxonomy.find("AIDS").expect("a node").0);
    assert!(!bar.is_breach(1, 2) && bar.is_breach(2, 3) && !bar.is_breach(u64::MAX / 2, u64::MAX));
    assert!(bar.is_breach(u64::MAX / 2 + 1, u64::MAX));
}
