//! Distributes extras over columns, class by class.
//!
//! Every class of a cut lies in one class p of the interval's coarsest cut, and for every column the cells of p bound
//! the cost of p (in addition to generalisation, if that adds up over the columns). A convex combination of bounds is a
//! bound. So for every p the columns may bear its extras in any proportion that adds up to 1, and
//!
//! Σ over columns of the least of (generalisation + Σ over p of share(p, column) · cell(p, node)) over the column's
//! cuts
//!
//! is a bound on the whole, whatever the shares. It is concave in the shares. What p pays in the best cut of each
//! column's programme is a supergradient, so shares move towards the columns in which p pays more than elsewhere, by a
//! step that would reach the wanted bound if the bound were linear (Polyak's rule). Only the bound must be exact, so
//! steps are computed in floating point.

use super::walk::CellFloor;
use privet_engine::cut::programme::Forced;
use privet_engine::cut::{Amount, Cut, Place, Programme, Tree, plus};

/// Shares are in this many parts.
pub const WHOLE: i64 = 1 << 14;
/// Polyak's rule permits steps of any length between 0 and 2 times the one that would reach the target.
const STEP: f64 = 1.5;

/// How the extras of classes are distributed over the columns.
#[derive(Debug, Clone)]
pub struct ExtraShares {
    columns: usize,
    /// Per class and column, the number of parts it bears; they add up to `WHOLE`.
    parts: Vec<i64>,
}

impl ExtraShares {
    /// Equal shares for every class, given in 64ths or other parts of the sum.
    pub fn alike(shares: &[Amount], classes: usize) -> ExtraShares {
        let sum = shares.iter().sum::<Amount>().max(1);
        let mut one: Vec<i64> =
            shares.iter().map(|share| (share * Amount::from(WHOLE) / sum) as i64).collect();
        settle(&mut one);
        ExtraShares { columns: shares.len(), parts: one.repeat(classes) }
    }

    /// Shares for classes that each inherit those of another.
    pub fn inherited(&self, from: impl Iterator<Item = u32>) -> ExtraShares {
        let columns = self.columns;
        let parts =
            from.flat_map(|class| &self.parts[class as usize * columns..(class as usize + 1) * columns]);
        ExtraShares { columns, parts: parts.copied().collect() }
    }

    /// Their memory use in bytes.
    pub fn weight(&self) -> usize {
        self.parts.len() * size_of::<i64>()
    }
}

/// Adds what is missing from the whole to the largest share.
fn settle(parts: &mut [i64]) {
    let missing = WHOLE - parts.iter().sum::<i64>();
    if let Some(most) = parts.iter_mut().max() {
        *most += missing;
    }
}

/// One column's part in the bound.
#[derive(Debug)]
pub struct ColumnBearer<'a> {
    pub tree: &'a Tree,
    pub places: &'a [Place],
    /// Per node, the cost of generalisation, in grains.
    pub generalisation: Vec<i64>,
    pub cells: &'a [CellFloor],
}

/// The bound for some shares, in `WHOLE` parts of a grain.
pub struct SharedBound {
    /// The bound.
    pub least: Amount,
    /// Per column, the bound with each node forced.
    pub forced: Vec<Forced>,
    /// The best cuts of the columns' programmes.
    pub cut: Cut,
}

/// Shares that are being optimised.
#[derive(Debug)]
pub struct Ascent<'a> {
    bearers: Vec<ColumnBearer<'a>>,
    /// What every cut pays.
    base: Amount,
    shares: ExtraShares,
    /// Per class, what it pays in the best cut of every column's programme.
    pays: Vec<i64>,
    /// The bound of the current shares.
    least: Amount,
    best: Option<(Amount, ExtraShares)>,
}

impl<'a> Ascent<'a> {
    pub fn new(bearers: Vec<ColumnBearer<'a>>, base: i64, shares: ExtraShares) -> Ascent<'a> {
        let base = Amount::from(base) * Amount::from(WHOLE);
        let pays = vec![0; shares.parts.len()];
        Ascent { bearers, base, shares, pays, least: base, best: None }
    }

    /// The bound under the current shares.
    pub fn evaluate(&mut self) -> SharedBound {
        let width = self.shares.columns;
        self.pays.fill(0);
        let mut solved = Vec::with_capacity(width);
        for (at, bearer) in self.bearers.iter().enumerate() {
            let mut prices: Vec<i64> = bearer.generalisation.iter().map(|cost| cost * WHOLE).collect();
            for cell in bearer.cells {
                prices[cell.node as usize] +=
                    cell.amount * self.shares.parts[cell.class as usize * width + at];
            }
            let keep = |node: u32| Amount::from(prices[node as usize]);
            let programme = Programme::solve(bearer.tree, bearer.places, keep);
            let cut = programme.cut(bearer.tree, bearer.places, keep);
            let mut chosen = vec![false; bearer.tree.len()];
            cut.iter().for_each(|node| chosen[*node as usize] = true);
            for cell in bearer.cells.iter().filter(|cell| chosen[cell.node as usize]) {
                self.pays[cell.class as usize * width + at] += cell.amount;
            }
            let forced = programme.forced(bearer.tree, bearer.places, keep);
            solved.push((programme.least(), forced, cut));
        }
        self.least = self.base + solved.iter().map(|(least, ..)| least).sum::<Amount>();
        let mut shared = SharedBound { least: self.least, forced: Vec::new(), cut: Cut(Vec::new()) };
        for (own, mut forced, cut) in solved {
            let others = self.least - own;
            forced.open.iter_mut().chain(&mut forced.lock).for_each(|bound| *bound = plus(*bound, others));
            shared.forced.push(forced);
            shared.cut.0.push(cut);
        }
        if self.best.as_ref().is_none_or(|(best, _)| self.least > *best) {
            self.best = Some((self.least, self.shares.clone()));
        }
        shared
    }

    /// Moves the shares towards columns in which their classes pay more, far enough that the bound might reach the
    /// wanted value, in grains. Returns whether anything moved.
    pub fn step(&mut self, wanted: i64) -> bool {
        let width = self.shares.columns;
        let mean = |pays: &[i64]| pays.iter().sum::<i64>() as f64 / width as f64;
        let square = |pays: &[i64]| -> f64 {
            let mean = mean(pays);
            pays.iter().map(|pay| (*pay as f64 - mean).powi(2)).sum()
        };
        let norm: f64 = self.pays.chunks(width).map(square).sum();
        if norm == 0.0 {
            return false;
        }
        let missing = Amount::from(wanted) * Amount::from(WHOLE) - self.least;
        let length = STEP * missing as f64 / norm;
        let mut moved = Vec::with_capacity(width);
        for (parts, pays) in self.shares.parts.chunks_mut(width).zip(self.pays.chunks(width)) {
            if pays.iter().all(|pay| *pay == pays[0]) {
                continue;
            }
            let mean = mean(pays);
            moved.clear();
            moved.extend(
                parts.iter().zip(pays).map(|(part, pay)| *part as f64 + length * (*pay as f64 - mean)),
            );
            project(&mut moved);
            parts.iter_mut().zip(&moved).for_each(|(part, moved)| *part = *moved as i64);
            settle(parts);
        }
        true
    }

    /// The shares that gave the best bound.
    pub fn into_best(self) -> ExtraShares {
        self.best.map_or(self.shares, |(_, shares)| shares)
    }
}

/// The nearest shares that are not negative and add up to the whole.
fn project(shares: &mut [f64]) {
    let mut sorted = shares.to_vec();
    sorted.sort_unstable_by(|one, other| other.total_cmp(one));
    let (mut sum, mut lower) = (0.0, 0.0);
    for (at, share) in sorted.iter().enumerate() {
        sum += share;
        let level = (sum - WHOLE as f64) / (at + 1) as f64;
        if *share > level {
            lower = level;
        }
    }
    for share in shares {
        *share = (*share - lower).clamp(0.0, WHOLE as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        let shares = ExtraShares::alike(&[21, 21, 22], 2);
        assert!(shares.parts.chunks(3).all(|parts| parts.iter().sum::<i64>() == WHOLE));
        assert_eq!(shares.inherited([1, 0, 1].into_iter()).parts.len(), 9);
    }

    #[test]
    fn the_nearest_shares_are_not_negative() {
        let whole = WHOLE as f64;
        let mut shares = [whole, whole / 2.0, -whole];
        project(&mut shares);
        assert_eq!(shares, [whole * 0.75, whole * 0.25, 0.0]);
    }
}
