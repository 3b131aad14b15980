//! The earth mover's distance between the distributions of a sensitive column in a class and in a larger set of records
//! (Li, Li and Venkatasubramanian, 2007), exactly.
//!
//! With n records in the class, N in the larger set, n_i and N_i of them with value i, and D_i = n_i·N − N_i·n:
//! - *equal*: moving anything costs 1: Σ|D_i| / (2nN);
//! - *ordered*: moving by j of m − 1 steps costs j/(m − 1): Σ_i |D_1 + … + D_i| / ((m − 1)·nN);
//! - *hierarchical*: moving to another leaf costs the height of the lowest common ancestor over the tree's height H:
//!   Σ over inner nodes v of height(v)/H · min(what its children have too much, what they have too little) / (nN).
//!
//! The m values are those of the whole table, whatever the larger set.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use num_bigint::BigUint;

use super::{EquivalenceClass, TrackedColumn, largest};
use privet_core::{Error, Exact, Result};
use privet_policy::requirement as asked;
use privet_taxonomy::Taxonomy;

/// The distance on one column.
#[derive(Debug)]
pub(super) struct EarthMover {
    pub slots: Range<u32>,
    distance: Distance,
}

/// The larger set of records: how often it has each value, by code, and how many records there are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Whole<'a> {
    pub totals: &'a [u64],
    pub records: u64,
}

#[derive(Debug)]
enum Distance {
    Equal,
    /// Codes in their order.
    Ordered(Vec<u32>),
    Hierarchical(Tree),
}

/// What the hierarchical distance needs of a taxonomy.
#[derive(Debug)]
struct Tree {
    /// Per code, the node of its leaf.
    leaf_of_code: Vec<u32>,
    /// Per node, its parent; nodes are in depth-first order, so children come after parents.
    parent: Vec<u32>,
    height: Vec<u64>,
}

fn order_of(notion: &str, column: &TrackedColumn) -> Result<Vec<u32>> {
    if column.numeric {
        return Ok((0..column.values.len() as u32).collect());
    }
    let which = "whose leaves stand in that order, or use numbers";
    let taxonomy = hierarchy_of(notion, asked::Distance::Ordered, column, which)?;
    let leaves = leaves_of(column, taxonomy)?;
    let mut order: Vec<u32> = (0..column.values.len() as u32).collect();
    order.sort_by_key(|code| leaves[*code as usize]);
    Ok(order)
}

fn hierarchy_of<'a>(
    notion: &str,
    distance: asked::Distance,
    column: &'a TrackedColumn,
    which: &str,
) -> Result<&'a Arc<Taxonomy>> {
    column.taxonomy.as_ref().ok_or_else(|| {
        let name = &column.name;
        Error::input(format!(
            "{notion} with distance = \"{distance}\" cannot tell how far apart the values of '{name}' are"
        ))
        .help(format!("give [columns.{name}] a hierarchy {which}, or use distance = \"equal\""))
    })
}

/// Per code, the node number of its leaf.
fn leaves_of(column: &TrackedColumn, taxonomy: &Taxonomy) -> Result<Vec<u32>> {
    let leaf = |value: &String| {
        taxonomy.leaf_of(value)?.map(|node| node.0).ok_or_else(|| {
            Error::input(format!(
                "the value '{value}' of column '{}' is not a leaf of its hierarchy",
                column.name
            ))
            .help("add a line for it to the hierarchy file")
        })
    };
    column.values.iter().map(leaf).collect()
}

fn tree_of(notion: &str, column: &TrackedColumn) -> Result<Tree> {
    let taxonomy = hierarchy_of(notion, asked::Distance::Hierarchical, column, "to measure along")?;
    let nodes = || (0..taxonomy.len() as u32).map(privet_taxonomy::NodeId);
    Ok(Tree {
        leaf_of_code: leaves_of(column, taxonomy)?,
        parent: nodes().map(|node| taxonomy.parent(node).map_or(0, |parent| parent.0)).collect(),
        height: nodes().map(|node| taxonomy.height(node) as u64).collect(),
    })
}

/// An exact non-negative fraction too large for 128 bits when tables are large.
struct Fraction {
    numerator: BigUint,
    denominator: BigUint,
}

impl EarthMover {
    /// The distance that a requirement of this name asks for, on a column.
    pub fn of(notion: &str, distance: asked::Distance, column: &TrackedColumn) -> Result<EarthMover> {
        let distance = match distance {
            asked::Distance::PerValue => {
                return Err(Error::internal("sets are judged value by value, not by what is moved"));
            }
            asked::Distance::Equal => Distance::Equal,
            asked::Distance::Ordered => Distance::Ordered(order_of(notion, column)?),
            asked::Distance::Hierarchical => Distance::Hierarchical(tree_of(notion, column)?),
        };
        Ok(EarthMover { slots: column.slots.clone(), distance })
    }

    /// Whether all values are equally far apart.
    pub fn is_equal(&self) -> bool {
        matches!(self.distance, Distance::Equal)
    }

    /// Whether a class is within t of the larger set.
    pub fn is_within(&self, t: Exact, class: &EquivalenceClass<'_>, whole: Whole<'_>) -> bool {
        if class.size == 0 {
            return true;
        }
        let (num, den) = (u128::from(t.numerator()), u128::from(t.denominator()));
        if self.is_equal() {
            let spread = self.spread(class, whole).checked_mul(den);
            let limit = u128::from(class.size) * u128::from(whole.records);
            let limit = limit.checked_mul(2).and_then(|limit| limit.checked_mul(num));
            if let (Some(spread), Some(limit)) = (spread, limit) {
                return spread <= limit;
            }
        }
        if let Some((moved, steps)) = self.small_moved(class, whole) {
            let pairs = u128::from(class.size) * u128::from(whole.records);
            let limit = pairs.checked_mul(steps).and_then(|limit| limit.checked_mul(num));
            if let (Some(moved), Some(limit)) = (moved.checked_mul(den), limit) {
                return moved <= limit;
            }
        }
        let Fraction { numerator, denominator } = self.distance(class, whole);
        numerator * den <= denominator * num
    }

    /// An upper bound on how many records of a class can stay within t of the larger set.
    ///
    /// Every distance is a weighted mean of total variations between coarser distributions: of single values; of those up to one
    /// and beyond, for each in their order; of the subtrees below each height. Of K kept records, a part with N_p of the N records
    /// of the larger set can take its fair share K·N_p/N for free, and what its n_p records cannot fill is missing. So K is
    /// possible only if Σ w_p·min(n_p·N, K·N_p) ≥ (1 − t)·W·K·N over all parts, where w_p is how often a part counts and W the number
    /// of distributions. The left side over K never grows with K: the largest K is found by halving.
    pub fn most_within(&self, t: Exact, class: &EquivalenceClass<'_>, whole: Whole<'_>) -> u64 {
        PARTS.with_borrow_mut(|parts| {
            parts.clear();
            let steps = self.parts(class, whole, parts);
            self.most_of_parts(t, class, whole, parts, steps)
        })
    }

    /// The parts that the distance compares: how many records of the class and of the larger set they have, and how often each
    /// counts. Returns the number of distributions.
    fn parts(&self, class: &EquivalenceClass<'_>, whole: Whole<'_>, parts: &mut Vec<(u64, u64, u64)>) -> u64 {
        match &self.distance {
            Distance::Equal => {
                class.counts.for_each(&self.slots, |code, count| {
                    parts.push((count, whole.totals[code as usize], 1));
                });
                1
            }
            Distance::Ordered(order) => {
                let mut own = vec![0; whole.totals.len()];
                class.counts.for_each(&self.slots, |code, count| own[code as usize] = count);
                let (mut some, mut all) = (0, 0);
                for code in order.iter().take(order.len().saturating_sub(1)).map(|code| *code as usize) {
                    some += own[code];
                    all += whole.totals[code];
                    parts.push((some, all, 1));
                    parts.push((class.size - some, whole.records - all, 1));
                }
                order.len().max(2) as u64 - 1
            }
            Distance::Hierarchical(tree) => {
                let nodes = tree.parent.len();
                parts.resize(nodes, (0, 0, 0));
                for (code, leaf) in tree.leaf_of_code.iter().enumerate() {
                    parts[*leaf as usize].1 += whole.totals[code];
                }
                class.counts.for_each(&self.slots, |code, count| {
                    parts[tree.leaf_of_code[code as usize] as usize].0 += count;
                });
                for node in (1..nodes).rev() {
                    let (own, total, _) = parts[node];
                    let parent = tree.parent[node] as usize;
                    parts[parent].0 += own;
                    parts[parent].1 += total;
                    parts[node].2 = tree.height[parent] - tree.height[node];
                }
                parts.retain(|(own, _, weight)| *own > 0 && *weight > 0);
                tree.height[0].max(1)
            }
        }
    }

    fn most_of_parts(
        &self,
        t: Exact,
        class: &EquivalenceClass<'_>,
        whole: Whole<'_>,
        parts: &[(u64, u64, u64)],
        steps: u64,
    ) -> u64 {
        if parts.is_empty() && class.size > 0 && !self.is_equal() {
            // One value only: it is where it should be.
            return class.size;
        }
        let (num, den) = (u128::from(t.numerator()), u128::from(t.denominator()));
        let fits = |kept: u64| {
            let share = |(own, total, weight): &(u64, u64, u64)| {
                // Products of numbers of records, which are below 2⁵³, fit in 64 bits as a rule.
                let free = match (own.checked_mul(whole.records), kept.checked_mul(*total)) {
                    (Some(own), Some(fair)) => u128::from(own.min(fair)),
                    _ => (u128::from(*own) * u128::from(whole.records))
                        .min(u128::from(kept) * u128::from(*total)),
                };
                free.checked_mul(u128::from(*weight))
            };
            let free = parts.iter().try_fold(0u128, |sum, part| sum.checked_add(share(part)?));
            let free = free.and_then(|free| free.checked_mul(den));
            let wanted = (u128::from(kept) * u128::from(whole.records)).checked_mul(u128::from(steps));
            let wanted = wanted.and_then(|wanted| wanted.checked_mul(den.saturating_sub(num)));
            match (free, wanted) {
                (Some(free), Some(wanted)) => free >= wanted,
                _ => true,
            }
        };
        largest(class.size, fits)
    }

    /// What has to be moved, times nN and times the second number, in 128 bits; `None` for equal distances, or where it might not
    /// fit. Every sum of |D_i| is at most 2nN.
    fn small_moved(&self, class: &EquivalenceClass<'_>, whole: Whole<'_>) -> Option<(u128, u128)> {
        if whole.records >= 1 << 31 {
            return None;
        }
        let (n, all) = (class.size as i64, whole.records as i64);
        SCRATCH.with_borrow_mut(|scratch| match &self.distance {
            Distance::Equal => None,
            Distance::Ordered(order) => {
                scratch.clear();
                scratch.extend(whole.totals.iter().map(|total| -(*total as i64) * n));
                class
                    .counts
                    .for_each(&self.slots, |code, count| scratch[code as usize] += count as i64 * all);
                let (mut sum, mut moved) = (0i64, 0u128);
                for code in order {
                    sum += scratch[*code as usize];
                    moved += u128::from(sum.unsigned_abs());
                }
                Some((moved, order.len().max(2) as u128 - 1))
            }
            Distance::Hierarchical(tree) => {
                scratch.clear();
                scratch.resize(tree.parent.len(), 0);
                for (leaf, total) in tree.leaf_of_code.iter().zip(whole.totals) {
                    scratch[*leaf as usize] -= *total as i64 * n;
                }
                class.counts.for_each(&self.slots, |code, count| {
                    scratch[tree.leaf_of_code[code as usize] as usize] += count as i64 * all;
                });
                Some((tree.small_moved(scratch)?, u128::from(tree.height[0].max(1))))
            }
        })
    }

    /// The distance as floating point, for display.
    pub fn to_f64(&self, class: &EquivalenceClass<'_>, whole: Whole<'_>) -> f64 {
        if self.is_equal() {
            return self.spread(class, whole) as f64 / (2.0 * class.size as f64 * whole.records as f64);
        }
        let Fraction { numerator, denominator } = self.distance(class, whole);
        let as_f64 = |number: &BigUint| num_traits::ToPrimitive::to_f64(number).unwrap_or(f64::INFINITY);
        as_f64(&numerator) / as_f64(&denominator)
    }

    /// No set of at least `least` records that has all of `inside` and none but `outside` is nearer to a class than this, but for
    /// rounding.
    ///
    /// Every distance is a weighted sum of |q − s|, where q and s are the shares that some values have together, in the class and
    /// in the set: single values (weight 1/2), those up to one in their order (1/(m − 1)), those below a node of the tree (half of what its
    /// parent is higher, over H). Between the two sets such a share lies between two bounds.
    pub fn at_least(
        &self,
        class: &EquivalenceClass<'_>,
        inside: Whole<'_>,
        outside: Whole<'_>,
        least: u64,
    ) -> f64 {
        let n = class.size as f64;
        let mut own = vec![0.0; inside.totals.len()];
        class.counts.for_each(&self.slots, |code, count| own[code as usize] = count as f64 / n);
        let bounds =
            Shares { inside: inside.records, outside: outside.records, least: least.max(inside.records) };
        match &self.distance {
            Distance::Equal => {
                let (mut below, mut above) = (0.0, 0.0);
                for (code, share) in own.iter().enumerate() {
                    let (low, high) = bounds.of(inside.totals[code], outside.totals[code]);
                    below += f64::max(low - share, 0.0);
                    above += f64::max(share - high, 0.0);
                }
                // What is too much here is too little elsewhere: both sums are the distance.
                f64::max(below, above)
            }
            Distance::Ordered(order) => {
                let (mut share, mut least, mut most, mut sum) = (0.0, 0, 0, 0.0);
                for code in order.iter().map(|code| *code as usize) {
                    share += own[code];
                    least += inside.totals[code];
                    most += outside.totals[code];
                    sum += bounds.gap(share, least, most);
                }
                sum / (order.len().max(2) as f64 - 1.0)
            }
            Distance::Hierarchical(tree) => {
                let nodes = tree.parent.len();
                let (mut share, mut least, mut most) = (vec![0.0; nodes], vec![0; nodes], vec![0; nodes]);
                for (code, leaf) in tree.leaf_of_code.iter().map(|leaf| *leaf as usize).enumerate() {
                    share[leaf] += own[code];
                    least[leaf] += inside.totals[code];
                    most[leaf] += outside.totals[code];
                }
                let mut sum = 0.0;
                for node in (1..nodes).rev() {
                    let parent = tree.parent[node] as usize;
                    let rise = tree.height[parent] - tree.height[node];
                    sum += rise as f64 * bounds.gap(share[node], least[node], most[node]);
                    share[parent] += share[node];
                    least[parent] += least[node];
                    most[parent] += most[node];
                }
                sum / (2.0 * tree.height[0].max(1) as f64)
            }
        }
    }

    /// D_i for every code.
    fn differences(&self, class: &EquivalenceClass<'_>, whole: Whole<'_>) -> Vec<i128> {
        let (n, all) = (i128::from(class.size), i128::from(whole.records));
        let mut differences: Vec<i128> = whole.totals.iter().map(|total| -i128::from(*total) * n).collect();
        class
            .counts
            .for_each(&self.slots, |code, count| differences[code as usize] += i128::from(count) * all);
        differences
    }

    /// Σ|D_i| over all values: those absent from the class contribute what the larger set has of them.
    fn spread(&self, class: &EquivalenceClass<'_>, whole: Whole<'_>) -> u128 {
        if whole.records < 1 << 31 {
            return u128::from(self.small_spread(class, whole));
        }
        let (n, all) = (u128::from(class.size), u128::from(whole.records));
        let (mut spread, mut present) = (0, 0);
        class.counts.for_each(&self.slots, |code, count| {
            let total = u128::from(whole.totals[code as usize]);
            spread += (u128::from(count) * all).abs_diff(total * n);
            present += total;
        });
        spread + (all - present) * n
    }

    /// The same in 64 bits, which suffice below 2³¹ records: the sum is at most 2nN.
    fn small_spread(&self, class: &EquivalenceClass<'_>, whole: Whole<'_>) -> u64 {
        let (mut spread, mut present) = (0, 0);
        class.counts.for_each(&self.slots, |code, count| {
            let total = whole.totals[code as usize];
            spread += (count * whole.records).abs_diff(total * class.size);
            present += total;
        });
        spread + (whole.records - present) * class.size
    }

    fn distance(&self, class: &EquivalenceClass<'_>, whole: Whole<'_>) -> Fraction {
        let pairs = BigUint::from(class.size) * whole.records;
        match &self.distance {
            Distance::Equal => {
                Fraction { numerator: self.spread(class, whole).into(), denominator: pairs * 2u32 }
            }
            Distance::Ordered(order) => {
                let differences = self.differences(class, whole);
                let mut sum = 0i128;
                let mut moved = BigUint::ZERO;
                for code in order {
                    sum += differences[*code as usize];
                    moved += sum.unsigned_abs();
                }
                Fraction { numerator: moved, denominator: pairs * (order.len().max(2) as u64 - 1) }
            }
            Distance::Hierarchical(tree) => {
                let moved = tree.moved(&self.differences(class, whole));
                Fraction { numerator: moved, denominator: pairs * tree.height[0].max(1) }
            }
        }
    }
}

thread_local! {
    /// Differences of one class. Searches judge millions of classes; none of them should ask for memory.
    static SCRATCH: RefCell<Vec<i64>> = const { RefCell::new(Vec::new()) };
    static PARTS: RefCell<Vec<(u64, u64, u64)>> = const { RefCell::new(Vec::new()) };
}

/// How many records a set between two others has at least and at most.
struct Shares {
    inside: u64,
    outside: u64,
    /// What it must have.
    least: u64,
}

impl Shares {
    /// The least and the largest share of values, given the least and the largest count.
    fn of(&self, least: u64, most: u64) -> (f64, f64) {
        let others = self.outside - most;
        let few = least.max(self.least.saturating_sub(others));
        let low = if few == 0 { 0.0 } else { few as f64 / (few + others) as f64 };
        let others = (self.inside - least).max(self.least.saturating_sub(most));
        let high = if most == 0 { 0.0 } else { most as f64 / (most + others) as f64 };
        (low, high)
    }

    /// How far a share is from what is possible.
    fn gap(&self, share: f64, least: u64, most: u64) -> f64 {
        let (low, high) = self.of(least, most);
        f64::max(low - share, share - high).max(0.0)
    }
}

impl Tree {
    /// The same as [`Tree::moved`], by the other formula: all that is below a node and does not belong there passes the edge above
    /// it, and an edge is as long as its parent is higher. Each move passes the edges on both sides. `extra` has what the leaves have
    /// too much; it is used up. `None` if that does not add up to nothing.
    fn small_moved(&self, extra: &mut [i64]) -> Option<u128> {
        let mut moved = 0u128;
        for node in (1..extra.len()).rev() {
            let (own, parent) = (extra[node], self.parent[node] as usize);
            if own != 0 {
                let rise = self.height[parent] - self.height[node];
                moved += u128::from(own.unsigned_abs()) * u128::from(rise);
                extra[parent] += own;
            }
        }
        (extra[0] == 0).then_some(moved / 2)
    }

    /// Σ over inner nodes of height times what has to cross between its children.
    fn moved(&self, differences: &[i128]) -> BigUint {
        let nodes = self.parent.len();
        let mut extra = vec![0i128; nodes];
        for (code, difference) in differences.iter().enumerate() {
            extra[self.leaf_of_code[code] as usize] += difference;
        }
        let (mut surplus, mut deficit) = (vec![0u128; nodes], vec![0u128; nodes]);
        let mut moved = BigUint::ZERO;
        for node in (0..nodes).rev() {
            moved += BigUint::from(surplus[node].min(deficit[node])) * self.height[node];
            if node > 0 {
                let parent = self.parent[node] as usize;
                extra[parent] += extra[node];
                let side = if extra[node] > 0 { &mut surplus } else { &mut deficit };
                side[parent] += extra[node].unsigned_abs();
            }
        }
        moved
    }
}
