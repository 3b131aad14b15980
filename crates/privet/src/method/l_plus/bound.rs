//! The interval bound: one tree programme per column.
//!
//! For a cut U, cost(U) is its generalisation, which adds up over columns (or is at least the sum of what each column
//! adds alone, for DM), plus the extras of its classes. For every column, each class of U lies in one cell (a class of
//! the interval's coarsest cut, restricted to the column's node in U), so the sum of the cells' floors is a bound on
//! all extras. Charged once, they may be split over the columns' programmes in any proportion: weights λ ≥ 0 that add up
//! to 1 are given out in 64ths to whichever programme gains most, which is best because every programme is concave in
//! its weight. For CM neither sum holds, and the best single column counts.

use std::sync::Arc;

use rayon::prelude::*;

use super::guillotine::{Guillotine, Memory};
use super::rules::{Metric, Rules, Scheme};
use super::table::Fine;
use super::walk::{Question, floors, walk};
use crate::engine::cut::programme::Forced;
use crate::engine::cut::{
    Amount, Bounds, Cut, CutProblem, Effort, FORBIDDEN, Forest, Interval, Place, Programme, Tree, plus,
};

/// The suppression price is given out in this many parts.
const PARTS: Amount = 64;

/// The search for the best cut of a table.
#[derive(Debug)]
pub struct LPlus {
    pub rules: Rules,
    pub forest: Forest,
    /// The table at the finest cut.
    pub fine: Arc<Fine>,
    /// Per column and node, the number of records.
    pub counts: Vec<Vec<u64>>,
}

/// The table at an interval's finest cut, and what is known about its boxes.
#[derive(Debug, Clone)]
pub struct Warm {
    fine: Arc<Fine>,
    memory: Arc<Memory>,
}

/// One column's programme input.
struct Column<'a> {
    tree: &'a Tree,
    places: &'a [Place],
    /// What each node costs in generalisation.
    generalisation: Vec<Amount>,
    /// The floor under the extras of all cells at the node.
    extras: Vec<Amount>,
}

impl Column<'_> {
    /// The price of a node, in `PARTS`, when the column bears so many parts of the extras.
    fn keep(&self, node: u32, parts: Amount) -> Amount {
        let (generalisation, extra) = (self.generalisation[node as usize], self.extras[node as usize]);
        if extra >= FORBIDDEN { FORBIDDEN } else { PARTS * generalisation + parts * extra }
    }

    fn solve(&self, parts: Amount) -> Programme {
        Programme::solve(self.tree, self.places, |node| self.keep(node, parts))
    }

    fn forced(&self, programme: &Programme, parts: Amount) -> Forced {
        programme.forced(self.tree, self.places, |node| self.keep(node, parts))
    }

    fn cut(&self, programme: &Programme, parts: Amount) -> Vec<u32> {
        programme.cut(self.tree, self.places, |node| self.keep(node, parts))
    }
}

/// Bounds without the table's part.
struct Reduced {
    least: Amount,
    open: Vec<Vec<Amount>>,
    lock: Vec<Vec<Amount>>,
    suggestion: Cut,
}

impl LPlus {
    fn warm(&self, bottom: &Cut, warmth: Option<&Warm>) -> Warm {
        match warmth {
            Some(warm) if warm.fine.cut == *bottom => warm.clone(),
            Some(warm) => {
                let memory = warm.memory.coarsened(&self.forest, &warm.fine.cut, bottom);
                let fine = warm.fine.coarsen(&self.rules, &self.forest, bottom);
                Warm { fine: Arc::new(fine), memory: Arc::new(memory) }
            }
            None if self.fine.cut == *bottom => {
                Warm { fine: self.fine.clone(), memory: Arc::new(Memory::new(&self.forest)) }
            }
            None => {
                let fine = self.fine.coarsen(&self.rules, &self.forest, bottom);
                Warm { fine: Arc::new(fine), memory: Arc::new(Memory::new(&self.forest)) }
            }
        }
    }

    fn generalisation(&self, fine: &Fine, column: usize) -> Vec<Amount> {
        match self.rules.metric {
            Metric::Lm => {
                let losses = self.rules.losses[column].iter().zip(&self.counts[column]);
                losses.map(|(loss, count)| loss * Amount::from(*count)).collect()
            }
            Metric::Dm => fine.pairs[column].clone(),
            // Part of what the walk sums up.
            Metric::Cm => vec![0; self.counts[column].len()],
        }
    }

    fn reduce(&self, columns: &[Column<'_>], base: Amount) -> Reduced {
        match (self.rules.metric, self.rules.scheme) {
            (Metric::Cm, _) => best_column(columns),
            (_, Scheme::None) => {
                let parts = vec![PARTS; columns.len()];
                let solved: Vec<Programme> = columns.iter().map(|column| column.solve(PARTS)).collect();
                additive(columns, &solved, &parts, base)
            }
            _ => shared_out(columns, base),
        }
    }
}

impl CutProblem for LPlus {
    type Warmth = Warm;

    fn forest(&self) -> &Forest {
        &self.forest
    }

    fn bounds(&self, interval: &Interval, warmth: Option<&Warm>, effort: Effort) -> Bounds<Warm> {
        let (rules, forest) = (&self.rules, &self.forest);
        let (top, bottom) = (interval.top(forest), interval.bottom(forest));
        let warm = self.warm(&bottom, warmth);
        let fine = &warm.fine;
        let classes = fine.classes(rules, forest, &top, None);
        let guillotine = Guillotine { rules, forest, fine, memory: &warm.memory };
        let thorough = effort == Effort::Thorough && self.has_thorough();
        let wholes = floors(rules, fine, &classes, thorough.then_some(guillotine));
        let question = if thorough { Question::Split(&wholes, guillotine) } else { Question::Floor(&wholes) };
        let walked: Vec<Vec<Amount>> = (0..forest.trees.len())
            .into_par_iter()
            .map(|column| walk(rules, forest, fine, &classes, column, question))
            .collect();
        let places: Vec<Vec<Place>> =
            (0..forest.trees.len()).map(|tree| interval.places(forest, tree)).collect();
        let columns: Vec<Column<'_>> = (walked.into_iter().enumerate())
            .map(|(column, walked)| Column {
                tree: &forest.trees[column],
                places: &places[column],
                generalisation: self.generalisation(fine, column),
                extras: walked,
            })
            .collect();
        let reduced = self.reduce(&columns, fine.base);
        // The finest cut's cost is at hand. The coarsest one's is not worth its time, unless it is suggested.
        let mut candidates = vec![(bottom, fine.cost)];
        if candidates.iter().all(|(cut, _)| *cut != reduced.suggestion) {
            let cost = fine.cost_of(rules, forest, &reduced.suggestion);
            candidates.push((reduced.suggestion, cost));
        }
        Bounds { least: reduced.least, open: reduced.open, lock: reduced.lock, candidates, warmth: warm }
    }

    fn has_thorough(&self) -> bool {
        self.rules.splitting_helps()
    }

    fn weight(&self, warmth: &Warm) -> usize {
        warmth.fine.weight() + warmth.memory.weight()
    }
}

/// Whole units out of 64ths, rounded up: costs are whole.
fn whole(parts: Amount) -> Amount {
    if parts >= FORBIDDEN {
        FORBIDDEN
    } else {
        parts.div_euclid(PARTS) + Amount::from(parts.rem_euclid(PARTS) > 0)
    }
}

/// The bound as the sum of the columns' programmes, each bearing its parts of the extras.
fn additive(columns: &[Column<'_>], solved: &[Programme], parts: &[Amount], base: Amount) -> Reduced {
    let total = solved.iter().fold(PARTS * base, |sum, programme| plus(sum, programme.least()));
    let mut reduced =
        Reduced { least: whole(total), open: Vec::new(), lock: Vec::new(), suggestion: Cut(Vec::new()) };
    for (at, (column, programme)) in columns.iter().zip(solved).enumerate() {
        let others = solved.iter().enumerate().filter(|(other, _)| *other != at);
        let rest = others.fold(PARTS * base, |sum, (_, programme)| plus(sum, programme.least()));
        let forced = column.forced(programme, parts[at]);
        let raise =
            |amounts: Vec<Amount>| amounts.into_iter().map(|amount| whole(plus(rest, amount))).collect();
        reduced.open.push(raise(forced.open));
        reduced.lock.push(raise(forced.lock));
        reduced.suggestion.0.push(column.cut(programme, parts[at]));
    }
    reduced
}

/// The best of: the extras split over the columns, and all of them on one.
fn shared_out(columns: &[Column<'_>], base: Amount) -> Reduced {
    let free: Vec<Programme> = columns.iter().map(|column| column.solve(0)).collect();
    let mut parts = vec![0; columns.len()];
    let mut solved = free.clone();
    let mut next: Vec<Programme> = columns.iter().map(|column| column.solve(1)).collect();
    for _ in 0..PARTS {
        let gain = |at: &usize| (next[*at].least() - solved[*at].least(), std::cmp::Reverse(*at));
        let Some(best) = (0..columns.len()).max_by_key(gain) else { break };
        parts[best] += 1;
        let further = columns[best].solve(parts[best] + 1);
        solved[best] = std::mem::replace(&mut next[best], further);
    }
    let mut reduced = additive(columns, &solved, &parts, base);
    // With all extras on one column its own programme is sharpest.
    for (at, column) in columns.iter().enumerate() {
        let alone = column.solve(PARTS);
        let others = free.iter().enumerate().filter(|(other, _)| *other != at);
        let rest = others.fold(PARTS * base, |sum, (_, programme)| sum + programme.least());
        reduced.least = reduced.least.max(whole(plus(rest, alone.least())));
        let forced = column.forced(&alone, PARTS);
        let raise = |bounds: &mut Vec<Amount>, forced: &[Amount]| {
            for (bound, forced) in bounds.iter_mut().zip(forced) {
                *bound = (*bound).max(whole(plus(rest, *forced)));
            }
        };
        raise(&mut reduced.open[at], &forced.open);
        raise(&mut reduced.lock[at], &forced.lock);
    }
    reduced
}

/// The best bound that a single column gives.
fn best_column(columns: &[Column<'_>]) -> Reduced {
    let solved: Vec<Programme> = columns.iter().map(|column| column.solve(PARTS)).collect();
    let least = solved.iter().map(|programme| whole(programme.least())).max().unwrap_or(0);
    let mut reduced = Reduced { least, open: Vec::new(), lock: Vec::new(), suggestion: Cut(Vec::new()) };
    for (column, programme) in columns.iter().zip(&solved) {
        let forced = column.forced(programme, PARTS);
        let raise =
            |amounts: Vec<Amount>| amounts.into_iter().map(|amount| whole(amount).max(least)).collect();
        reduced.open.push(raise(forced.open));
        reduced.lock.push(raise(forced.lock));
        reduced.suggestion.0.push(column.cut(programme, PARTS));
    }
    reduced
}
