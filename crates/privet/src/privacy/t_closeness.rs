//! t-closeness (Li, Li and Venkatasubramanian, 2007): in every class the sensitive values are distributed much as in the
//! whole table; the earth mover's distance between the two is at most t.
//!
//! With n records in the class, N in the table, n_i and N_i of them with value i, and D_i = n_i·N − N_i·n:
//! - *equal*: moving anything costs 1: Σ|D_i| / (2nN);
//! - *ordered*: moving by j of m − 1 steps costs j/(m − 1): Σ_i |D_1 + … + D_i| / ((m − 1)·nN);
//! - *hierarchical*: moving to another leaf costs the height of the lowest common ancestor over the tree's height H:
//!   Σ over inner nodes v of height(v)/H · min(what its children have too much, what they have too little) / (nN).

use std::ops::Range;
use std::sync::Arc;

use num_bigint::BigUint;

use super::{Class, Closure, Requirement, Table, Tightness, TrackedColumn, given, largest};
use crate::policy::{Clause, Declaration, Key, KeyKind, Role, Subject};
use crate::taxonomy::Taxonomy;
use crate::{Error, Exact, Result};

/// What moving a value may cost.
const DISTANCES: &[&str] = &["equal", "ordered", "hierarchical"];

pub(super) static DECLARATION: Declaration = Declaration {
    subject: Subject::Classes,
    name: "t-closeness",
    summary: "in every class a sensitive column is distributed much as in the whole table",
    help: "Learning a person's class changes the odds of each sensitive value little: the earth mover's distance to the \
           whole table's distribution is at most t. distance = \"equal\": all values equally far apart; \"ordered\": by \
           rank (numbers, or a hierarchy's leaf order); \"hierarchical\": by the column's hierarchy.",
    keys: &[
        Key::optional(
            "column",
            KeyKind::Column(Role::Sensitive),
            "the sensitive column, as in column = \"disease\"; left out: every sensitive column",
        ),
        Key::required("t", KeyKind::Exact("0", "1"), "the largest distance, as in t = 0.2"),
        Key::with_default(
            "distance",
            KeyKind::Choice(DISTANCES),
            "equal",
            "what moving a value costs: equal, ordered or hierarchical",
        ),
        Key::optional(
            "columns",
            KeyKind::Choices(Role::Sensitive, DISTANCES),
            "where no column is named, the distance of those that have another, as in columns = { age_at_onset = \"ordered\" }",
        ),
    ],
};

#[derive(Debug)]
struct TCloseness {
    t: Exact,
    slots: Range<u32>,
    name: String,
    totals: Vec<u64>,
    records: u64,
    distance: Distance,
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

pub(super) fn build(clause: &Clause, table: &Table) -> Result<Box<dyn Requirement>> {
    let column = table.column(given(clause.settings.column("column"), clause, "column")?)?;
    let t = given(clause.settings.exact("t"), clause, "t")?;
    let distance = match given(clause.settings.choice("distance"), clause, "distance")? {
        "ordered" => Distance::Ordered(order_of(column)?),
        "hierarchical" => Distance::Hierarchical(tree_of(column)?),
        _ => Distance::Equal,
    };
    Ok(Box::new(TCloseness {
        t,
        slots: column.slots.clone(),
        name: column.name.clone(),
        totals: column.totals.clone(),
        records: table.records,
        distance,
    }))
}

fn order_of(column: &TrackedColumn) -> Result<Vec<u32>> {
    if column.numeric {
        return Ok((0..column.values.len() as u32).collect());
    }
    let taxonomy = hierarchy_of(column, "ordered", "whose leaves stand in that order, or use numbers")?;
    let leaves = leaves_of(column, taxonomy)?;
    let mut order: Vec<u32> = (0..column.values.len() as u32).collect();
    order.sort_by_key(|code| leaves[*code as usize]);
    Ok(order)
}

fn hierarchy_of<'a>(column: &'a TrackedColumn, distance: &str, which: &str) -> Result<&'a Arc<Taxonomy>> {
    column.taxonomy.as_ref().ok_or_else(|| {
        let name = &column.name;
        Error::input(format!(
            "t-closeness with distance = \"{distance}\" cannot tell how far apart the values of '{name}' are"
        ))
        .help(format!("give [columns.{name}] a hierarchy {which}, or use distance = \"equal\""))
    })
}

/// Per code, the node number of its leaf.
fn leaves_of(column: &TrackedColumn, taxonomy: &Taxonomy) -> Result<Vec<u32>> {
    let leaf = |value: &String| {
        taxonomy.leaf_of(value)?.map(|node| node.0).ok_or_else(|| {
            Error::input(format!(
                "the value '{value}' of column '{}' is no leaf of its hierarchy",
                column.name
            ))
            .help("add a line for it to the hierarchy file")
        })
    };
    column.values.iter().map(leaf).collect()
}

fn tree_of(column: &TrackedColumn) -> Result<Tree> {
    let taxonomy = hierarchy_of(column, "hierarchical", "to measure along")?;
    let nodes = || (0..taxonomy.len() as u32).map(crate::taxonomy::NodeId);
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

impl TCloseness {
    /// D_i for every code.
    fn differences(&self, class: &Class<'_>) -> Vec<i128> {
        let (n, all) = (i128::from(class.size), i128::from(self.records));
        let mut differences: Vec<i128> = self.totals.iter().map(|total| -i128::from(*total) * n).collect();
        class
            .counts
            .for_each(&self.slots, |code, count| differences[code as usize] += i128::from(count) * all);
        differences
    }

    /// Σ|D_i| over all values: those absent from the class contribute what the table has of them.
    fn spread(&self, class: &Class<'_>) -> u128 {
        if self.records < 1 << 31 {
            return u128::from(self.small_spread(class));
        }
        let (n, all) = (u128::from(class.size), u128::from(self.records));
        let (mut spread, mut present) = (0, 0);
        class.counts.for_each(&self.slots, |code, count| {
            let total = u128::from(self.totals[code as usize]);
            spread += (u128::from(count) * all).abs_diff(total * n);
            present += total;
        });
        spread + (all - present) * n
    }

    /// The same in 64 bits, which suffice for tables below 2³¹ records: the sum is at most 2nN.
    fn small_spread(&self, class: &Class<'_>) -> u64 {
        let (mut spread, mut present) = (0, 0);
        class.counts.for_each(&self.slots, |code, count| {
            let total = self.totals[code as usize];
            spread += (count * self.records).abs_diff(total * class.size);
            present += total;
        });
        spread + (self.records - present) * class.size
    }

    fn distance(&self, class: &Class<'_>) -> Fraction {
        let pairs = BigUint::from(class.size) * self.records;
        match &self.distance {
            Distance::Equal => Fraction { numerator: self.spread(class).into(), denominator: pairs * 2u32 },
            Distance::Ordered(order) => {
                let differences = self.differences(class);
                let mut sum = 0i128;
                let mut moved = BigUint::ZERO;
                for code in order {
                    sum += differences[*code as usize];
                    moved += sum.unsigned_abs();
                }
                Fraction { numerator: moved, denominator: pairs * (order.len().max(2) as u64 - 1) }
            }
            Distance::Hierarchical(tree) => {
                let moved = tree.moved(&self.differences(class));
                Fraction { numerator: moved, denominator: pairs * tree.height[0].max(1) }
            }
        }
    }

    fn to_f64(&self, class: &Class<'_>) -> f64 {
        if let Distance::Equal = self.distance {
            return self.spread(class) as f64 / (2.0 * class.size as f64 * self.records as f64);
        }
        let Fraction { numerator, denominator } = self.distance(class);
        let as_f64 = |number: &BigUint| num_traits::ToPrimitive::to_f64(number).unwrap_or(f64::INFINITY);
        as_f64(&numerator) / as_f64(&denominator)
    }
}

impl Tree {
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

impl Requirement for TCloseness {
    fn holds(&self, class: &Class<'_>) -> bool {
        if class.size == 0 {
            return true;
        }
        let (num, den) = (u128::from(self.t.numerator()), u128::from(self.t.denominator()));
        if let Distance::Equal = self.distance {
            let spread = self.spread(class).checked_mul(den);
            let limit = u128::from(class.size) * u128::from(self.records);
            let limit = limit.checked_mul(2).and_then(|limit| limit.checked_mul(num));
            if let (Some(spread), Some(limit)) = (spread, limit) {
                return spread <= limit;
            }
        }
        let Fraction { numerator, denominator } = self.distance(class);
        numerator * den <= denominator * num
    }

    fn closure(&self) -> Closure {
        // The distance to a fixed distribution is convex: a mixture of close classes is close.
        Closure::Union
    }

    fn most_kept(&self, class: &Class<'_>) -> u64 {
        // Moving between unequal values costs less under the other two distances: no useful bound is known.
        let Distance::Equal = self.distance else { return class.size };
        let mut counts = Vec::new();
        class.counts.for_each(&self.slots, |code, count| counts.push((count, self.totals[code as usize])));
        // Of K kept records, value i can take its fair share K·N_i/N for free; all above the fair shares is surplus, and
        // the distance is surplus/K at the least. So K is possible only if Σ min(n_i, K·N_i/N) ≥ (1 − t)·K, and since
        // the left side over K never grows with K, the largest such K is found by halving.
        let fair = |kept: u64| {
            let share = |(count, total): &(u64, u64)| {
                (u128::from(*count) * u128::from(self.records)).min(u128::from(kept) * u128::from(*total))
            };
            let (num, den) = (u128::from(self.t.numerator()), u128::from(self.t.denominator()));
            let free = counts.iter().map(share).sum::<u128>().checked_mul(den);
            let wanted = (u128::from(kept) * u128::from(self.records)).checked_mul(den - num);
            match (free, wanted) {
                (Some(free), Some(wanted)) => free >= wanted,
                _ => true,
            }
        };
        largest(class.size, fair)
    }

    fn tightness(&self, class: &Class<'_>) -> Tightness {
        Tightness { value: self.to_f64(class), threshold: self.t.to_f64(), at_most: true }
    }

    fn why_impossible(&self, _: &Class<'_>) -> String {
        format!("'{}' cannot be within {} of its own distribution", self.name, self.t)
    }
}
