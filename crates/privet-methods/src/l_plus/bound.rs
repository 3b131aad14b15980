//! The interval bound: one tree programme per column.
//!
//! For a cut U, cost(U) is its generalisation, which adds up over columns (or, for DM, is at least the sum of what each
//! column adds alone), plus the extras of its classes. For every column, each class of U lies in one cell (a class of
//! the interval's coarsest cut, restricted to the column's node in U), so the sum of the cells' floors is a bound on
//! all extras. Charged once, they may be split over the columns' programmes in any proportion: weights λ ≥ 0 that add
//! up to 1 are allotted in 64ths to the programme that gains most, which is optimal because every programme is concave
//! in its weight. For CM neither sum holds, and the best single column counts. From there on the extras are distributed
//! class by class (`ascent`).

use std::sync::Arc;

use rayon::prelude::*;

use super::ascent::{Ascent, ColumnBearer, ExtraShares, WHOLE};
use super::guillotine::{BoxCache, Guillotine};
use super::marginals::walk_columns;
use super::rules::{CostRules, Metric, Scheme};
use super::table::{CutClasses, FineTable};
use super::walk::{CellFloor, CellQuestion, WalkResult, floors, walk};
use privet_engine::cut::programme::Forced;
use privet_engine::cut::{
    Amount, Bounds, Cut, CutProblem, Effort, FORBIDDEN, Forest, Interval, Place, Programme, Tree, WarmPart,
    plus,
};

/// The suppression price is allotted in this many parts.
const PARTS: Amount = 64;
/// How often the shares of classes are improved for one interval; its subintervals continue from there.
const ROUNDS: usize = 4;

/// The search for the best cut of a table.
#[derive(Debug)]
pub struct LPlusProblem {
    pub rules: CostRules,
    pub forest: Forest,
    /// The table at the finest cut.
    pub fine: Arc<FineTable>,
    /// Per column and node, the number of records.
    pub counts: Vec<Vec<u64>>,
}

/// The table at an interval's finest cut, and what is known about its boxes.
#[derive(Debug, Clone)]
pub struct WarmTable {
    fine: Arc<FineTable>,
    memory: Arc<BoxCache>,
    learnt: Option<Arc<Learnt>>,
}

/// What bounding an interval has taught.
#[derive(Debug)]
struct Learnt {
    /// The cut of the table at that time.
    cut: Cut,
    /// The class of every row of that table at the interval's coarsest cut.
    of_row: Vec<u32>,
    /// The best distribution of the extras of those classes.
    shares: ExtraShares,
    /// The suggested cut, which has been priced.
    suggestion: Cut,
}

impl Learnt {
    /// The memory use in bytes.
    fn weight(&self) -> usize {
        self.of_row.len() * size_of::<u32>() + self.shares.weight()
    }
}

/// The input of one column's programme.
struct ColumnProgramme<'a> {
    tree: &'a Tree,
    places: &'a [Place],
    /// The cost of each node in generalisation.
    generalisation: Vec<Amount>,
    /// A lower bound on the extras of all cells at the node.
    extras: Vec<Amount>,
    cells: Vec<CellFloor>,
}

impl ColumnProgramme<'_> {
    /// The price of a node, in `PARTS`, if the column bears this many parts of the extras.
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

/// Bounds without the table's contribution.
struct ReducedBounds {
    least: Amount,
    open: Vec<Vec<Amount>>,
    lock: Vec<Vec<Amount>>,
    suggestion: Cut,
    /// The proportion in which the columns bear the extras.
    parts: Vec<Amount>,
}

impl ReducedBounds {
    /// Merges another bound on the same interval.
    fn sharpen(&mut self, least: Amount, forced: &[Forced], whole: impl Fn(Amount) -> Amount) {
        self.least = self.least.max(least);
        for (at, forced) in forced.iter().enumerate() {
            let raise = |bounds: &mut [Amount], forced: &[Amount]| {
                for (bound, forced) in bounds.iter_mut().zip(forced) {
                    *bound = (*bound).max(whole(*forced));
                }
            };
            raise(&mut self.open[at], &forced.open);
            raise(&mut self.lock[at], &forced.lock);
        }
    }
}

impl ReducedBounds {
    /// Lowers bounds above a ceiling to it; impossible stays impossible.
    fn limit(&mut self, ceiling: Amount) {
        let bounds = self.open.iter_mut().chain(&mut self.lock).flatten().chain([&mut self.least]);
        bounds.filter(|bound| **bound < FORBIDDEN).for_each(|bound| *bound = (*bound).min(ceiling));
    }
}

impl LPlusProblem {
    fn warm(&self, bottom: &Cut, warmth: Option<&WarmTable>) -> WarmTable {
        match warmth {
            Some(warm) if warm.fine.cut == *bottom => warm.clone(),
            Some(warm) => {
                let memory = warm.memory.coarsened(&self.forest, &warm.fine.cut, bottom);
                let fine = warm.fine.coarsen(&self.rules, &self.forest, bottom);
                WarmTable { fine: Arc::new(fine), memory: Arc::new(memory), learnt: warm.learnt.clone() }
            }
            None if self.fine.cut == *bottom => WarmTable {
                fine: self.fine.clone(),
                memory: Arc::new(BoxCache::new(&self.forest)),
                learnt: None,
            },
            None => {
                let fine = self.fine.coarsen(&self.rules, &self.forest, bottom);
                WarmTable {
                    fine: Arc::new(fine),
                    memory: Arc::new(BoxCache::new(&self.forest)),
                    learnt: None,
                }
            }
        }
    }

    /// Lower bounds on the cost of the cells of every column.
    fn walk(&self, warm: &WarmTable, classes: &CutClasses, effort: Effort) -> Vec<WalkResult> {
        let (rules, forest, fine) = (&self.rules, &self.forest, &warm.fine);
        let columns: Vec<usize> = (0..forest.trees.len()).collect();
        if let Some(walked) = walk_columns(rules, forest, fine, classes, &columns, false) {
            return walked;
        }
        let guillotine = Guillotine { rules, forest, fine, memory: &warm.memory };
        let thorough = effort == Effort::Thorough && self.has_thorough();
        let wholes = floors(rules, fine, classes, thorough.then_some(guillotine));
        let question =
            if thorough { CellQuestion::Split(&wholes, guillotine) } else { CellQuestion::Floor(&wholes) };
        let of_column = |column: usize| walk(rules, forest, fine, classes, column, question);
        columns.into_par_iter().map(of_column).collect()
    }

    fn generalisation(&self, fine: &FineTable, column: usize) -> Vec<Amount> {
        match self.rules.metric {
            Metric::Lm => {
                let losses = self.rules.losses[column].iter().zip(&self.counts[column]);
                losses.map(|(loss, count)| loss * Amount::from(*count)).collect()
            }
            Metric::Dm => fine.pairs[column].clone(),
            // Included in what the walk sums up.
            Metric::Cm => vec![0; self.counts[column].len()],
        }
    }

    fn reduce(&self, columns: &[ColumnProgramme<'_>], base: Amount) -> ReducedBounds {
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

    /// Distributes the extras class by class, starting from the best shares of the parent interval, and sharpens the
    /// bounds.
    fn ascend(
        &self,
        columns: &[ColumnProgramme<'_>],
        warm: &WarmTable,
        classes: &CutClasses,
        cutoff: Amount,
        reduced: &mut ReducedBounds,
    ) -> Option<ExtraShares> {
        if self.rules.scheme == Scheme::None || columns.len() < 2 {
            return None;
        }
        let (rules, fine) = (&self.rules, &warm.fine);
        let shares = match &warm.learnt {
            Some(learnt) => {
                // A class lies in one class of the coarser cut, and so does each of its rows.
                let is_same_table = learnt.cut == fine.cut;
                let origin = |class: usize| {
                    let row = classes.first(class);
                    let row = if is_same_table { row } else { fine.origin[row as usize] };
                    learnt.of_row[row as usize]
                };
                learnt.shares.inherited((0..classes.count).map(origin))
            }
            None => ExtraShares::alike(&reduced.parts, classes.count),
        };
        let bearers = columns.iter().map(|column| ColumnBearer {
            tree: column.tree,
            places: column.places,
            generalisation: column.generalisation.iter().map(|amount| rules.grains(*amount)).collect(),
            cells: &column.cells,
        });
        let mut ascent = Ascent::new(bearers.collect(), rules.grains(fine.base), shares);
        for _ in 0..ROUNDS {
            let shared = ascent.evaluate();
            let whole = |parts: Amount| rules.amount_of(parts, WHOLE.into());
            if whole(shared.least) > reduced.least {
                reduced.suggestion = shared.cut;
            }
            reduced.sharpen(whole(shared.least), &shared.forced, whole);
            // Aim for twice the bound if nothing is known yet.
            let wanted = cutoff.min(2 * reduced.least.max(1));
            if wanted <= reduced.least || !ascent.step(rules.grains(wanted)) {
                break;
            }
        }
        Some(ascent.into_best())
    }
}

impl CutProblem for LPlusProblem {
    type Warmth = WarmTable;

    fn forest(&self) -> &Forest {
        &self.forest
    }

    fn bounds(
        &self,
        interval: &Interval,
        warmth: Option<&WarmTable>,
        effort: Effort,
        cutoff: Amount,
    ) -> Bounds<WarmTable> {
        let (rules, forest) = (&self.rules, &self.forest);
        let (top, bottom) = (interval.top(forest), interval.bottom(forest));
        let warm = self.warm(&bottom, warmth);
        let fine = &warm.fine;
        let classes = fine.classes(rules, forest, &top, None);
        let walked = self.walk(&warm, &classes, effort);
        let places: Vec<Vec<Place>> =
            (0..forest.trees.len()).map(|tree| interval.places(forest, tree)).collect();
        let columns: Vec<ColumnProgramme<'_>> = (walked.into_iter().enumerate())
            .map(|(column, walked)| ColumnProgramme {
                tree: &forest.trees[column],
                places: &places[column],
                generalisation: self.generalisation(fine, column),
                extras: walked.sums,
                cells: walked.cells,
            })
            .collect();
        let mut reduced = self.reduce(&columns, fine.base);
        let shares = self.ascend(&columns, &warm, &classes, cutoff, &mut reduced);
        reduced.limit(rules.ceiling());
        // The cost of the finest cut is known. The coarsest cut is not worth pricing unless it is suggested; if nothing
        // can be gained, or the suggestion is an old one, no other cut is either.
        let known = warm.learnt.as_ref().map(|learnt| &learnt.suggestion);
        let mut candidates = vec![(bottom.clone(), fine.cost)];
        if reduced.least < cutoff && bottom != reduced.suggestion && known != Some(&reduced.suggestion) {
            let cost = fine.cost_of(rules, forest, &reduced.suggestion);
            candidates.push((reduced.suggestion.clone(), cost));
        }
        let (of_row, suggestion) = (classes.of_row, reduced.suggestion);
        let learnt = shares.map(|shares| Arc::new(Learnt { cut: bottom, of_row, shares, suggestion }));
        let warmth = WarmTable { fine: warm.fine, memory: warm.memory, learnt };
        Bounds { least: reduced.least, open: reduced.open, lock: reduced.lock, candidates, warmth }
    }

    fn has_thorough(&self) -> bool {
        self.rules.splitting_helps()
    }

    fn parts(&self, warmth: &WarmTable) -> Vec<WarmPart> {
        let part = |id: usize, bytes: usize| WarmPart { id, bytes };
        let learnt = warmth.learnt.as_ref();
        let mut parts = vec![
            part(Arc::as_ptr(&warmth.fine).addr(), warmth.fine.weight()),
            part(Arc::as_ptr(&warmth.memory).addr(), warmth.memory.weight()),
        ];
        parts.extend(learnt.map(|learnt| part(Arc::as_ptr(learnt).addr(), learnt.weight())));
        parts
    }

    fn shown(&self, cost: Amount) -> Option<f64> {
        Some(super::value(&self.rules, cost))
    }
}

/// Converts 64ths to whole units, rounded up: costs are integers.
fn whole(parts: Amount) -> Amount {
    if parts >= FORBIDDEN {
        FORBIDDEN
    } else {
        parts.div_euclid(PARTS) + Amount::from(parts.rem_euclid(PARTS) > 0)
    }
}

/// The bound as the sum of the columns' programmes, each bearing its parts of the extras.
fn additive(
    columns: &[ColumnProgramme<'_>],
    solved: &[Programme],
    parts: &[Amount],
    base: Amount,
) -> ReducedBounds {
    let total = solved.iter().fold(PARTS * base, |sum, programme| plus(sum, programme.least()));
    let mut reduced = ReducedBounds {
        least: whole(total),
        open: Vec::new(),
        lock: Vec::new(),
        suggestion: Cut(Vec::new()),
        parts: parts.to_vec(),
    };
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

/// The better of two: the extras split over the columns, or all of them on one.
fn shared_out(columns: &[ColumnProgramme<'_>], base: Amount) -> ReducedBounds {
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
    // With all extras on one column, its own programme is sharpest.
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
fn best_column(columns: &[ColumnProgramme<'_>]) -> ReducedBounds {
    let solved: Vec<Programme> = columns.iter().map(|column| column.solve(PARTS)).collect();
    let least = solved.iter().map(|programme| whole(programme.least())).max().unwrap_or(0);
    let best = (0..columns.len()).max_by_key(|at| (solved[*at].least(), std::cmp::Reverse(*at)));
    let parts = (0..columns.len()).map(|at| Amount::from(Some(at) == best)).collect();
    let mut reduced =
        ReducedBounds { least, open: Vec::new(), lock: Vec::new(), suggestion: Cut(Vec::new()), parts };
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
