//! CODIP (section 3 of the paper): the plan of least association loss of all plans within the limits.
//!
//! The least loss is the largest Σ I over pairs that stay together. Attributes are put one by one into the subsets of the
//! plan so far, or into one of their own, and a branch is cut when
//! - its exposure is too large: a subset only ever exposes more when attributes join it;
//! - a subset cannot be anonymised: then no larger one can;
//! - what it keeps together, and all that could still be kept, is not more than the best plan keeps (of plans that keep
//!   the same, the one that exposes least wins).

use std::collections::HashMap;

use super::ratios::{Plan, Ratios};
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::privacy::projection::{Projection, SLACK};

/// Without a time limit, a search ends after so many steps: twelve attributes are always searched to the end (there are
/// 4,213,597 ways to part them), and the answer does not depend on the machine.
pub const MOST_STEPS: u64 = 8_000_000;

/// So many steps are taken between looks at the clock.
const BREATH: u64 = 1 << 10;

/// What the search found and proved.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The best plan.
    pub plan: Plan,
    /// No plan within the limits loses less than this.
    pub bound: f64,
    /// Whether every plan was looked at or ruled out.
    pub complete: bool,
    /// How many partial plans were looked at.
    pub steps: u64,
}

/// Whether the attributes of a subset can be published together.
pub type Feasible<'f> = &'f mut dyn FnMut(&[usize]) -> Result<bool>;

/// Finds the best plan, beginning with one that is within the limits, in at most so many steps.
pub fn search(
    ratios: &Ratios,
    limits: &Projection,
    first: Plan,
    feasible: Feasible<'_>,
    most_steps: u64,
    clock: &Clock,
) -> Result<Found> {
    let attributes = ratios.attributes();
    let pairs = || (0..attributes).flat_map(|a| (a + 1..attributes).map(move |b| (a, b)));
    let total: f64 = pairs().map(|(a, b)| ratios.information(a, b)).sum();
    let exposable: f64 = pairs().map(|(a, b)| ratios.exposable(a, b)).sum();
    // Those that tell most about others first: early choices decide most, and bounds bite soon.
    let weight = |a: usize| -> f64 { (0..attributes).map(|b| ratios.information(a, b)).sum() };
    let mut order: Vec<usize> = (0..attributes).collect();
    order.sort_by(|a, b| weight(*b).total_cmp(&weight(*a)).then(a.cmp(b)));
    let kept = |plan: &Plan| total * (1.0 - ratios.association_loss(plan));
    let best = Best { kept: kept(&first), exposure: ratios.information_exposure(&first), plan: first };
    let mut search = Search {
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
    let Search { best, steps, stopped, open, .. } = search;
    // Sums in different orders round differently: what is proven is never more than what the plan itself loses.
    let loss = ratios.association_loss(&best.plan);
    let bound = if stopped && total > 0.0 { (1.0 - open / total).clamp(0.0, loss) } else { loss };
    Ok(Found { plan: best.plan, bound, complete: !stopped, steps })
}

/// The best plan so far.
struct Best {
    plan: Plan,
    /// Σ I over pairs that stay together.
    kept: f64,
    exposure: f64,
}

/// A subset of the plan so far.
struct Subset {
    attributes: Vec<usize>,
    /// Σ E over its pairs.
    exposable: f64,
}

struct Search<'s, 'f> {
    ratios: &'s Ratios,
    limits: &'s Projection,
    order: Vec<usize>,
    /// What turns Σ E·|S| into Γβ.
    unit: f64,
    /// Sums of I that differ by less are equal.
    margin: f64,
    subsets: Vec<Subset>,
    best: Best,
    known: HashMap<Vec<usize>, bool>,
    feasible: Feasible<'f>,
    clock: &'s Clock,
    most_steps: u64,
    steps: u64,
    stopped: bool,
    /// The most that a branch could keep which was not searched.
    open: f64,
}

impl Search<'_, '_> {
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
            self.best = Best { plan: self.plan(), kept, exposure };
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
        self.subsets.push(Subset { attributes: vec![attribute], exposable: 0.0 });
        self.place(at + 1, kept, exposure)?;
        self.subsets.pop();
        Ok(())
    }

    fn gain(&self, attribute: usize, subset: usize) -> f64 {
        self.subsets[subset].attributes.iter().map(|other| self.ratios.information(attribute, *other)).sum()
    }

    /// The most that the attributes from a position on can add: each joins the subset it has most in common with, and all
    /// of them stay together.
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

    fn plan(&self) -> Plan {
        let mut plan: Plan = self.subsets.iter().map(|subset| subset.attributes.clone()).collect();
        plan.iter_mut().for_each(|subset| subset.sort_unstable());
        plan.sort();
        plan
    }
}
