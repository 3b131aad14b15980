//! A first solution by coordinate descent: round after round, one column's cut is optimised with the others fixed.

use std::sync::Arc;

use rayon::prelude::*;

use super::bound::LPlusProblem;
use super::marginals::walk_columns;
use super::rules::Scheme;
use super::walk::{CellQuestion, walk};
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::cut::{Amount, Cut, FORBIDDEN, Limits, Place, Programme, search};

/// Cuts that no change of a single column improves, starting from the coarsest cut, which is always among the
/// solutions, and from the finest. If the proof takes much longer than this, also starting from the cuts at equal
/// depths and from the best cut that needs no suppression, with the columns in both orders.
pub fn descend(problem: &LPlusProblem, clock: &Clock) -> Result<Vec<(Cut, Amount)>> {
    let (forest, columns) = (&problem.forest, problem.forest.trees.len());
    let coarsest = forest.coarsest();
    let cost = problem.fine.cost_of(&problem.rules, forest, &coarsest);
    let mut starts = vec![coarsest.clone(), forest.finest()];
    let mut orders: Vec<Vec<usize>> = vec![(0..columns).collect()];
    if problem.rules.splitting_helps() {
        let finest = forest.finest();
        starts.extend((1..).map(|depth| forest.at_depth(depth)).take_while(|cut| *cut != finest));
        starts.extend(without_suppression(problem, clock)?);
        orders.push((0..columns).rev().collect());
    }
    let tries: Vec<(&Cut, &Vec<usize>)> =
        starts.iter().flat_map(|start| orders.iter().map(move |order| (start, order))).collect();
    let mut found = vec![(coarsest, cost)];
    found.par_extend(tries.into_par_iter().map(|(cut, order)| improve(problem, cut.clone(), order, clock)));
    Ok(found)
}

/// The best cut under which every class satisfies its thresholds, if there is one: fast to find, and often close to the
/// optimum.
fn without_suppression(problem: &LPlusProblem, clock: &Clock) -> Result<Option<Cut>> {
    let forest = problem.forest.clone();
    let mut rules = problem.rules.clone();
    rules.scheme = Scheme::None;
    let fine = Arc::new(problem.fine.under(&rules, &forest));
    let strict = LPlusProblem { rules, forest, fine, counts: problem.counts.clone() };
    let known = descend(&strict, clock)?;
    let found = search(&strict, known, &Limits::default(), clock)?;
    Ok(found.best.into_iter().next().map(|(_, cut)| cut))
}

fn improve(problem: &LPlusProblem, mut cut: Cut, order: &[usize], clock: &Clock) -> (Cut, Amount) {
    let mut cost = problem.fine.cost_of(&problem.rules, &problem.forest, &cut);
    // If suppression is not allowed, a single column rarely repairs an invalid cut.
    let mut unchanged = if cost < FORBIDDEN { 0 } else { order.len() };
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

/// The best cut of one column with the others fixed, and the total cost.
fn best_of_column(problem: &LPlusProblem, cut: &Cut, column: usize) -> (Vec<u32>, Amount) {
    let (rules, forest, fine) = (&problem.rules, &problem.forest, &problem.fine);
    let tree = &forest.trees[column];
    let classes = fine.classes(rules, forest, cut, Some(column));
    let counted = walk_columns(rules, forest, fine, &classes, &[column], true).and_then(|mut one| one.pop());
    let walked = counted.unwrap_or_else(|| walk(rules, forest, fine, &classes, column, CellQuestion::Cost));
    let costs = walked.sums;
    let place = |node: u32| if tree.is_leaf(node) { Place::Floor } else { Place::Between };
    let places: Vec<Place> = (0..tree.len() as u32).map(place).collect();
    let programme = Programme::solve(tree, &places, |node| costs[node as usize]);
    (programme.cut(tree, &places, |node| costs[node as usize]), programme.least())
}
