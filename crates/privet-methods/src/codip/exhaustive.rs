//! CODIP (section 3 of the paper): the plan with the least association loss among all plans within the limits.
//!
//! The least loss is the largest Σ I over pairs that stay together. Attributes are placed one by one into the subsets
//! of the plan so far, or into a subset of their own, and a branch is pruned when
//! - its exposure is too large, because a subset exposes more with every attribute that joins it;
//! - a subset cannot be anonymised, because then no superset can;
//! - what it keeps together, plus the most that could still be added, is not more than the best plan keeps (among plans
//!   that keep the same, the one that exposes least wins).

use std::collections::HashMap;

use super::ratios::{PairInformation, ProjectionPlan};
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::privacy::projection::{Projection, SLACK};

/// Without a time limit, a search ends after this many steps, so that the answer does not depend on the machine. Twelve
/// attributes are always searched completely (there are 4,213,597 ways to partition them).
pub const MOST_STEPS: u64 = 8_000_000;

/// The number of steps between looks at the clock.
const BREATH: u64 = 1 << 10;

/// What the search found and proved.
#[derive(Debug, Clone, PartialEq)]
pub struct ExhaustivePlan {
    /// The best plan.
    pub plan: ProjectionPlan,
    /// No plan within the limits loses less than this.
    pub bound: f64,
    /// Whether every plan was examined or ruled out.
    pub complete: bool,
    /// How many partial plans were examined.
    pub steps: u64,
}

/// Whether the attributes of a subset can be published together.
pub type IsFeasible<'f> = &'f mut dyn FnMut(&[usize]) -> Result<bool>;

/// Finds the best plan in at most `budget` steps, starting from one that is within the limits.
pub fn search(
    ratios: &PairInformation,
    limits: &Projection,
    first: ProjectionPlan,
    feasible: IsFeasible<'_>,
    most_steps: u64,
    clock: &Clock,
) -> Result<ExhaustivePlan> {
    let attributes = ratios.attributes();
    let pairs = || (0..attributes).flat_map(|a| (a + 1..attributes).map(move |b| (a, b)));
    let total: f64 = pairs().map(|(a, b)| ratios.information(a, b)).sum();
    let exposable: f64 = pairs().map(|(a, b)| ratios.exposable(a, b)).sum();
    // Place the most informative attributes first: early choices matter most, and bounds prune sooner.
    let weight = |a: usize| -> f64 { (0..attributes).map(|b| ratios.information(a, b)).sum() };
    let mut order: Vec<usize> = (0..attributes).collect();
    order.sort_by(|a, b| weight(*b).total_cmp(&weight(*a)).then(a.cmp(b)));
    let kept = |plan: &ProjectionPlan| total * (1.0 - ratios.association_loss(plan));
    let best = BestPlan { kept: kept(&first), exposure: ratios.information_exposure(&first), plan: first };
    let mut search = PlanSearch {
        ratios,
        limits,
        order,
        unit: if exposable > 0.0 { 1.0 / (exposable * attributes as f64) } else { 0.0 },
        margin: SLACK * total,
        subsets: Vec::new(),
        best,
        known: HashMap::new(),
        feasible,
        clock,
        most_steps,
        steps: 0,
        stopped: false,
        open: 0.0,
    };
    search.place(0, 0.0, 0.0)?;
    let PlanSearch { best, steps, stopped, open, .. } = search;
    // Sums in different orders round differently; never claim a bound above the loss of the plan itself.
    let loss = ratios.association_loss(&best.plan);
    let bound = if stopped && total > 0.0 { (1.0 - open / total).clamp(0.0, loss) } else { loss };
    Ok(ExhaustivePlan { plan: best.plan, bound, complete: !stopped, steps })
}

/// The best plan so far.
struct BestPlan {
    plan: ProjectionPlan,
    /// Σ I over pairs that stay together.
    kept: f64,
    exposure: f64,
}

/// A subset of the plan so far.
struct PlanSubset {
    attributes: Vec<usize>,
    /// Σ E over its pairs.
    exposable: f64,
}

struct PlanSearch<'s, 'f> {
    ratios: &'s PairInformation,
    limits: &'s Projection,
    order: Vec<usize>,
    /// The factor that turns Σ E·|S| into Γβ.
    unit: f64,
    /// Sums of I that differ by less than this are equal.
    margin: f64,
    subsets: Vec<PlanSubset>,
    best: BestPlan,
    known: HashMap<Vec<usize>, bool>,
    feasible: IsFeasible<'f>,
    clock: &'s Clock,
    most_steps: u64,
    steps: u64,
    stopped: bool,
    /// The most that any unexplored branch could keep.
    open: f64,
}

impl PlanSearch<'_, '_> {
    /// Places the attributes from position `at` on, given what the plan so far keeps together and exposes.
    fn place(&mut self, at: usize, kept: f64, exposure: f64) -> Result<()> {
        self.steps += 1;
        if self.steps.is_multiple_of(BREATH) {
            self.clock.check()?;
            self.stopped |= self.clock.is_over() || self.steps >= self.most_steps;
        }
        let most = kept + self.still_possible(at);
        if most < self.best.kept - self.margin
            || most <= self.best.kept + self.margin && exposure >= self.best.exposure - SLACK
        {
            return Ok(());
        }
        if self.stopped {
            self.open = self.open.max(most);
            return Ok(());
        }
        let Some(&attribute) = self.order.get(at) else {
            self.best = BestPlan { plan: self.plan(), kept, exposure };
            return Ok(());
        };
        let mut choices: Vec<(f64, usize)> =
            (0..self.subsets.len()).map(|subset| (self.gain(attribute, subset), subset)).collect();
        choices.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (gain, subset) in choices {
            let joined = &self.subsets[subset].attributes;
            let more: f64 = joined.iter().map(|other| self.ratios.exposable(attribute, *other)).sum();
            let (before, size) = (self.subsets[subset].exposable, joined.len() as f64);
            let exposure = exposure + self.unit * ((before + more) * (size + 1.0) - before * size);
            if !self.limits.allows_exposure(exposure) {
                continue;
            }
            let mut union = joined.clone();
            union.push(attribute);
            union.sort_unstable();
            if !self.is_feasible(union)? {
                continue;
            }
            self.subsets[subset].attributes.push(attribute);
            self.subsets[subset].exposable = before + more;
            self.place(at + 1, kept + gain, exposure)?;
            self.subsets[subset].attributes.pop();
            self.subsets[subset].exposable = before;
        }
        self.subsets.push(PlanSubset { attributes: vec![attribute], exposable: 0.0 });
        self.place(at + 1, kept, exposure)?;
        self.subsets.pop();
        Ok(())
    }

    fn gain(&self, attribute: usize, subset: usize) -> f64 {
        self.subsets[subset].attributes.iter().map(|other| self.ratios.information(attribute, *other)).sum()
    }

    /// An upper bound on what the attributes from a position on can add: each joins the subset it shares most with, and
    /// all of them stay together.
    fn still_possible(&self, at: usize) -> f64 {
        let left = &self.order[at..];
        let own = left.iter().enumerate().map(|(position, attribute)| {
            let gains = (0..self.subsets.len()).map(|subset| self.gain(*attribute, subset));
            let later: f64 =
                left[position + 1..].iter().map(|other| self.ratios.information(*attribute, *other)).sum();
            gains.fold(0.0, f64::max) + later
        });
        own.sum()
    }

    fn is_feasible(&mut self, subset: Vec<usize>) -> Result<bool> {
        if let Some(known) = self.known.get(&subset) {
            return Ok(*known);
        }
        let feasible = (self.feasible)(&subset)?;
        self.known.insert(subset, feasible);
        Ok(feasible)
    }

    fn plan(&self) -> ProjectionPlan {
        let mut plan: ProjectionPlan = self.subsets.iter().map(|subset| subset.attributes.clone()).collect();
        plan.iter_mut().for_each(|subset| subset.sort_unstable());
        plan.sort();
        plan
    }
}
