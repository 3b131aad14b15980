//! What is counted all at once against what is found row by row.

use proptest::prelude::*;

use super::super::cube::Counted;
use super::super::marginals::walk_columns;
use super::super::pairs::pairs;
use super::super::rules::Scheme;
use super::super::walk::{Question, floors, walk};
use super::oracle::Case;
use super::{any_case, build, holds, read};
use crate::engine::cut::tests::all_cuts;
use crate::engine::cut::{FORBIDDEN, Interval};
use crate::method::tests::cases;

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
                let walked = walk(rules, forest, fine, &classes, column, Question::Cost);
                prop_assert_eq!(&counted[0].sums, &walked.sums);
            }
        }
        // With DM, floors of what cannot be split may differ where it is more than half of the table.
        if case.metric != "LM" && rules.scheme != Scheme::None {
            return Ok(());
        }
        let classes = fine.classes(rules, forest, cut, None);
        if let Some(counted) = walk_columns(rules, forest, fine, &classes, &columns, false) {
            let wholes = floors(rules, fine, &classes, None);
            for (column, counted) in counted.into_iter().enumerate() {
                let mut walked = walk(rules, forest, fine, &classes, column, Question::Floor(&wholes));
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
    fn pairs_are_the_same_however_a_cut_is_reached(
        case in any_case(),
        one in any::<prop::sample::Index>(),
        other in any::<prop::sample::Index>(),
    ) {
        let case = Case { scheme: "all-rec", metric: "DM", ..case };
        let (_folder, policy, microdata) = read(&case, "");
        let problem = build(&policy, &microdata);
        let (rules, forest) = (&problem.rules, &problem.forest);
        let mut cuts = all_cuts(forest);
        let first = cuts[one.index(cuts.len())].clone();
        cuts.retain(|cut| holds(&problem, &Interval::above(forest, &first), cut));
        let second = &cuts[other.index(cuts.len())];
        let spread = problem.spread.as_ref().expect("few values");
        let spread = spread.coarsen(forest, &first).and_then(|spread| spread.coarsen(forest, second)).expect("few values");
        let fine = problem.fine.coarsen(rules, forest, &first).coarsen(rules, forest, second);
        let at_once = problem.fine.coarsen(rules, forest, second);
        prop_assert_eq!((&fine.nodes, fine.cost, fine.base), (&at_once.nodes, at_once.cost, at_once.base));
        prop_assert_eq!(spread.base, fine.base);
        prop_assert_eq!(&spread.pairs, &pairs(forest, &fine));
        for laid_out in [true, false] {
            prop_assert_eq!(&spread.counted(forest, laid_out), &spread.pairs);
        }
    }

    #[test]
    fn what_counts_refuse_is_refused(case in any_case(), choice in any::<prop::sample::Index>()) {
        let case = Case { scheme: "none", metric: "LM", ..case };
        let (_folder, policy, microdata) = read(&case, "");
        let problem = build(&policy, &microdata);
        let (rules, forest, fine) = (&problem.rules, &problem.forest, &problem.fine);
        let cuts = all_cuts(forest);
        let cut = &cuts[choice.index(cuts.len())];
        let counted = Counted { rules, forest, fine, cube: &problem.cube, instead: usize::MAX >> 8 };
        if counted.refuses(cut) {
            prop_assert!(fine.cost_of(rules, forest, cut) >= FORBIDDEN);
        }
        if let Some(extras) = counted.extras(cut) {
            let classes = fine.classes(rules, forest, cut, None);
            let wholes = floors(rules, fine, &classes, None);
            for (column, extras) in extras.into_iter().enumerate() {
                let walked = walk(rules, forest, fine, &classes, column, Question::Floor(&wholes));
                let cover = forest.trees[column].cover(&cut.0[column]);
                for node in (0..extras.len()).filter(|node| cover[*node] != u32::MAX) {
                    prop_assert_eq!(extras[node], walked.sums[node]);
                }
            }
        }
    }
}
