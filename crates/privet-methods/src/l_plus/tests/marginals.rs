//! Counting all at once against counting row by row.

use proptest::prelude::*;

use super::super::marginals::walk_columns;
use super::super::pairs::{by_rows, lay_out, side_by_side};
use super::super::rules::Scheme;
use super::super::walk::{CellQuestion, floors, walk};
use super::{any_case, build, read};
use privet_core::testing::cases;
use privet_engine::testing::all_cuts;

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn counted_cells_are_those_of_a_walk(case in any_case(), choice in any::<prop::sample::Index>()) {
        let (_folder, policy, microdata) = read(&case, "");
        let problem = build(&policy, &microdata);
        let (rules, forest, fine) = (&problem.rules, &problem.forest, &problem.fine);
        let cuts = all_cuts(forest);
        let cut = &cuts[choice.index(cuts.len())];
        let columns: Vec<usize> = (0..forest.trees.len()).collect();
        for column in columns.iter().copied() {
            let classes = fine.classes(rules, forest, cut, Some(column));
            if let Some(counted) = walk_columns(rules, forest, fine, &classes, &[column], true) {
                let walked = walk(rules, forest, fine, &classes, column, CellQuestion::Cost);
                prop_assert_eq!(&counted[0].sums, &walked.sums);
            }
        }
        // With DM, floors of what cannot be split may differ for more than half of the table.
        if case.metric != "LM" && rules.scheme != Scheme::None {
            return Ok(());
        }
        let classes = fine.classes(rules, forest, cut, None);
        if let Some(counted) = walk_columns(rules, forest, fine, &classes, &columns, false) {
            let wholes = floors(rules, fine, &classes, None);
            for (column, counted) in counted.into_iter().enumerate() {
                let mut walked = walk(rules, forest, fine, &classes, column, CellQuestion::Floor(&wholes));
                prop_assert_eq!(counted.sums, walked.sums);
                let mut cells = counted.cells;
                for cells in [&mut cells, &mut walked.cells] {
                    cells.sort_unstable_by_key(|cell| (cell.class, cell.node));
                }
                prop_assert_eq!(cells, walked.cells);
            }
        }
    }

    #[test]
    fn pairs_are_the_same_side_by_side(case in any_case(), choice in any::<prop::sample::Index>()) {
        let (_folder, policy, microdata) = read(&case, "");
        let problem = build(&policy, &microdata);
        let (rules, forest) = (&problem.rules, &problem.forest);
        let cuts = all_cuts(forest);
        let fine = problem.fine.coarsen(rules, forest, &cuts[choice.index(cuts.len())]);
        let codes = fine.codes.as_ref().expect("few tuples");
        if let Some(sizes) = lay_out(rules, &fine, codes) {
            for (column, tree) in forest.trees.iter().enumerate() {
                let sorted = by_rows(tree, &fine, column, &fine.sorted_without(forest, column));
                let summed = side_by_side(tree, &fine.cut.0[column], codes.stride(column), &sizes);
                prop_assert_eq!(summed, sorted);
            }
        }
    }
}
