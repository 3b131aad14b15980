//! A first answer: one column's cut is made the best there is with the others as they are, round after round.

use rayon::prelude::*;

use super::bound::LPlus;
use super::walk::{Question, walk};
use crate::engine::clock::Clock;
use crate::engine::cut::{Amount, Cut, Place, Programme};

/// Cuts that no change of a single column improves, found from several starts: the coarsest cut, which is always among
/// the answers, and the finest; where the proof takes long enough to wait for a better first answer, also the cuts at
/// equal depths, and the columns in both orders.
pub fn descend(problem: &LPlus, clock: &Clock) -> Vec<(Cut, Amount)> {
    let forest = &problem.forest;
    let cost = |cut: &Cut| problem.fine.cost_of(&problem.rules, forest, cut);
    let mut starts = vec![forest.coarsest(), forest.finest()];
    let mut orders: Vec<Vec<usize>> = vec![(0..forest.trees.len()).collect()];
    if problem.rules.splitting_helps() {
        orders.push((0..forest.trees.len()).rev().collect());
        let finest = starts[1].clone();
        starts.extend((1..).map(|depth| forest.at_depth(depth)).take_while(|cut| *cut != finest));
    }
    let tries: Vec<(&Cut, &Vec<usize>)> =
        starts.iter().flat_map(|start| orders.iter().map(move |order| (start, order))).collect();
    let mut found = vec![(starts[0].clone(), cost(&starts[0]))];
    found.par_extend(
        tries
            .into_par_iter()
            .map(|(start, order)| improve(problem, start.clone(), cost(start), order, clock)),
    );
    found
}

fn improve(problem: &LPlus, mut cut: Cut, mut cost: Amount, order: &[usize], clock: &Clock) -> (Cut, Amount) {
    let mut unchanged = 0;
    for column in order.iter().copied().cycle() {
        if unchanged == order.len() || clock.is_over() || clock.check().is_err() {
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
