//! A first answer: one column's cut is made the best there is with the others as they are, round after round.

use super::bound::LPlus;
use super::walk::{Question, walk};
use crate::engine::clock::Clock;
use crate::engine::cut::{Amount, Cut, Place, Programme};

/// Cuts that no change of a single column improves, found from the coarsest and from the finest one.
pub fn descend(problem: &LPlus, clock: &Clock) -> Vec<(Cut, Amount)> {
    let forest = &problem.forest;
    let coarsest = forest.coarsest();
    let cost = problem.fine.cost_of(&problem.rules, forest, &coarsest);
    let (from_top, from_bottom) = rayon::join(
        || improve(problem, coarsest.clone(), cost, clock),
        || improve(problem, forest.finest(), problem.fine.cost, clock),
    );
    vec![(coarsest, cost), from_top, from_bottom]
}

fn improve(problem: &LPlus, mut cut: Cut, mut cost: Amount, clock: &Clock) -> (Cut, Amount) {
    let columns = problem.forest.trees.len();
    let mut unchanged = 0;
    for column in (0..columns).cycle() {
        if unchanged == columns || clock.is_over() || clock.check().is_err() {
            break;
        }
        let (best, least) = best_of_column(problem, &cut, column);
        if least < cost {
            (cut.0[column], cost) = (best, least);
            unchanged = 0;
        }
        unchanged += 1;
    }
    (cut, cost)
}

/// The best cut of one column when those of the others stay, with what the whole then costs.
fn best_of_column(problem: &LPlus, cut: &Cut, column: usize) -> (Vec<u32>, Amount) {
    let (rules, forest, fine) = (&problem.rules, &problem.forest, &problem.fine);
    let tree = &forest.trees[column];
    let classes = fine.classes(rules, forest, cut, Some(column));
    let costs = walk(rules, forest, fine, &classes, column, Question::Cost);
    let place = |node: u32| if tree.is_leaf(node) { Place::Floor } else { Place::Between };
    let places: Vec<Place> = (0..tree.len() as u32).map(place).collect();
    let programme = Programme::solve(tree, &places, |node| costs[node as usize]);
    (programme.cut(tree, &places, |node| costs[node as usize]), programme.least())
}
