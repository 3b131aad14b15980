//! A first answer: one column's cut is made the best there is with the others as they are, round after round.

use rayon::prelude::*;

use super::bound::LPlus;
use super::marginals::walk_columns;
use super::rules::Scheme;
use super::walk::{Question, walk};
use crate::Result;
use crate::engine::clock::Clock;
use crate::engine::cut::{Amount, Cut, FORBIDDEN, Interval, Limits, Place, Programme, search, search_within};

/// Where nothing may be suppressed, tables of at least so many rows are not searched column by column,
const ROWS: usize = 1 << 13;
/// but among cuts above one that has at most one tuple for so many rows,
const ROWS_PER_TUPLE: u64 = 4;
/// and at most so often.
const ROUNDS: usize = 3;

/// Cuts that no change of a single column improves, found from the coarsest cut, which is always among the answers, and
/// from the finest. Where the proof takes much longer than this, also from the cuts at equal depths and from the best
/// cut that needs no suppression, with the columns in both orders. Where nothing may be suppressed, single columns do not
/// lead far, and in large tables all of them are searched together.
pub fn descend(problem: &LPlus, clock: &Clock) -> Result<Vec<(Cut, Amount)>> {
    let (forest, columns) = (&problem.forest, problem.forest.trees.len());
    let (coarsest, finest) = (forest.coarsest(), forest.finest());
    let cost = problem.fine.cost_of(&problem.rules, forest, &coarsest);
    let mut found = vec![(coarsest.clone(), cost)];
    if problem.rules.scheme == Scheme::None && problem.fine.len() >= ROWS {
        found.push((finest, problem.fine.cost));
        found.push(deepen(problem, (coarsest, cost), clock)?);
        return Ok(found);
    }
    let mut starts = vec![(coarsest, Some(cost)), (finest.clone(), Some(problem.fine.cost))];
    let mut orders: Vec<Vec<usize>> = vec![(0..columns).collect()];
    if problem.rules.splitting_helps() {
        let depths = (1..).map(|depth| forest.at_depth(depth)).take_while(|cut| *cut != finest);
        starts.extend(depths.chain(without_suppression(problem, clock)?).map(|cut| (cut, None)));
        orders.push((0..columns).rev().collect());
    }
    let tries = starts.iter().flat_map(|start| orders.iter().map(move |order| (start, order)));
    let tries: Vec<(&(Cut, Option<Amount>), &Vec<usize>)> = tries.collect();
    found.par_extend(
        tries.into_par_iter().map(|((cut, cost), order)| improve(problem, cut.clone(), *cost, order, clock)),
    );
    Ok(found)
}

/// The best of all cuts above one that goes a step deeper than the best so far, again and again. Tables at such cuts are
/// small.
fn deepen(problem: &LPlus, known: (Cut, Amount), clock: &Clock) -> Result<(Cut, Amount)> {
    let columns = problem.forest.trees.len();
    let (mut best, mut unchanged) = (known, 0);
    for round in 0..ROUNDS {
        let (cut, deepened) = step_deeper(problem, &best.0, round);
        let interval = Interval::above(&problem.forest, &cut);
        let found = search_within(problem, interval, vec![best.clone()], &Limits::default(), clock)?;
        let next = found.best.into_iter().next().map_or_else(|| best.clone(), |(cost, cut)| (cut, cost));
        unchanged = if next.1 < best.1 { 0 } else { unchanged + deepened.max(1) };
        best = next;
        if unchanged >= columns || clock.is_over() {
            break;
        }
    }
    Ok(best)
}

/// A cut whose nodes are opened, column after column from a first one on, as long as it has few enough tuples; and in how
/// many columns they are.
fn step_deeper(problem: &LPlus, cut: &Cut, first: usize) -> (Cut, usize) {
    let (forest, columns) = (&problem.forest, problem.forest.trees.len());
    let tuples =
        |cut: &Cut| cut.0.iter().try_fold(1u64, |tuples, nodes| tuples.checked_mul(nodes.len() as u64));
    let most = problem.fine.len() as u64 / ROWS_PER_TUPLE;
    let (mut deeper, mut deepened) = (cut.clone(), 0);
    for column in (first..first + columns).map(|column| column % columns) {
        let before = std::mem::replace(&mut deeper.0[column], forest.trees[column].opened(&cut.0[column]));
        if tuples(&deeper).is_some_and(|tuples| tuples <= most) {
            deepened += 1;
        } else {
            deeper.0[column] = before;
        }
    }
    (deeper, deepened)
}

/// The best cut under which every class satisfies its thresholds, if there is one: quickly found, and often not far.
fn without_suppression(problem: &LPlus, clock: &Clock) -> Result<Option<Cut>> {
    let forest = problem.forest.clone();
    let mut rules = problem.rules.clone();
    rules.scheme = Scheme::None;
    let fine = problem.fine.under(&rules, &forest);
    let strict = LPlus::new(rules, forest, fine, problem.counts.clone());
    let known = descend(&strict, clock)?;
    let found = search(&strict, known, &Limits::default(), clock)?;
    Ok(found.best.into_iter().next().map(|(_, cut)| cut))
}

fn improve(
    problem: &LPlus,
    mut cut: Cut,
    cost: Option<Amount>,
    order: &[usize],
    clock: &Clock,
) -> (Cut, Amount) {
    let mut cost = cost.unwrap_or_else(|| problem.fine.cost_of(&problem.rules, &problem.forest, &cut));
    // Where nothing may be suppressed, a single column hardly ever mends a cut that is not allowed.
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

/// The best cut of one column when those of the others stay, with what the whole then costs.
fn best_of_column(problem: &LPlus, cut: &Cut, column: usize) -> (Vec<u32>, Amount) {
    let (rules, forest, fine) = (&problem.rules, &problem.forest, &problem.fine);
    let tree = &forest.trees[column];
    let classes = fine.classes(rules, forest, cut, Some(column));
    let counted = walk_columns(rules, forest, fine, &classes, &[column], true).and_then(|mut one| one.pop());
    let walked = counted.unwrap_or_else(|| walk(rules, forest, fine, &classes, column, Question::Cost));
    let costs = walked.sums;
    let place = |node: u32| if tree.is_leaf(node) { Place::Floor } else { Place::Between };
    let places: Vec<Place> = (0..tree.len() as u32).map(place).collect();
    let programme = Programme::solve(tree, &places, |node| costs[node as usize]);
    (programme.cut(tree, &places, |node| costs[node as usize]), programme.least())
}
