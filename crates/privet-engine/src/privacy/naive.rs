//! The notions once more, as their papers define them: slow, in exact fractions, and sharing nothing with the code that
//! is tested against them.

use num_bigint::BigInt;
use proptest::prelude::*;

/// An exact fraction; debug builds stop at an overflow.
pub type Ratio = num_rational::Ratio<i128>;

/// A notion with its thresholds.
#[derive(Debug, Clone, PartialEq)]
pub enum Notion {
    KAnonymity(u64),
    Distinct(u64),
    Frequency(Ratio),
    Entropy(Ratio),
    Recursive(Ratio, u64),
    Closeness(Ratio, Ground),
    /// The base of the thresholds, and whether they follow the values' frequencies.
    Thresholds(Ratio, bool),
    /// β, and whether −ln p limits gains too.
    Likeness(Ratio, bool),
    /// δ, and whether values that a class lacks are skipped.
    Disclosure(Ratio, bool),
}

/// What moving a value costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ground {
    Equal,
    Ordered,
    Hierarchical,
}

/// A sensitive column of the whole table.
#[derive(Debug, Clone)]
pub struct Column {
    /// How often each value occurs.
    pub totals: Vec<u64>,
    /// Each value's place in the order.
    pub rank: Vec<usize>,
    /// Per two values, the height of their lowest common ancestor.
    pub apart: Vec<Vec<u64>>,
    /// The height of the tree.
    pub height: u64,
}

pub fn ratio(numerator: u64, denominator: u64) -> Ratio {
    Ratio::new(i128::from(numerator), i128::from(denominator))
}

impl Notion {
    /// Whether a class with these counts of values satisfies the notion.
    pub fn holds(&self, counts: &[u64], column: &Column) -> bool {
        let size: u64 = counts.iter().sum();
        if size == 0 {
            return true;
        }
        let mut sorted: Vec<u64> = counts.iter().copied().filter(|count| *count > 0).collect();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        match self {
            Notion::KAnonymity(k) => size >= *k,
            Notion::Distinct(l) => sorted.len() as u64 >= *l,
            Notion::Frequency(l) => sorted.iter().all(|count| ratio(*count, size) <= l.recip()),
            Notion::Entropy(l) => entropy_at_least(&sorted, size, *l),
            Notion::Recursive(c, l) => {
                let tail: u64 = sorted.iter().skip(*l as usize - 1).sum();
                ratio(sorted[0], 1) < *c * ratio(tail, 1)
            }
            Notion::Closeness(t, ground) => {
                let all: u64 = column.totals.iter().sum();
                let supply: Vec<i128> = counts.iter().map(|count| i128::from(count * all)).collect();
                let demand: Vec<i128> = column.totals.iter().map(|total| i128::from(total * size)).collect();
                let (costs, unit) = column.costs(*ground);
                let moved = cheapest_transport(supply, demand, &costs);
                Ratio::new(moved, i128::from(size * all) * unit) <= *t
            }
            Notion::Thresholds(base, by_frequency) => {
                let present = column.totals.iter().filter(|total| **total > 0).count() as u64;
                let mean = ratio(column.totals.iter().sum(), present.max(1));
                counts.iter().zip(&column.totals).all(|(count, total)| {
                    let frequent = *by_frequency && ratio(*total, 1) >= mean;
                    let theta = if frequent { *base * ratio(*total, 1) / mean } else { *base };
                    ratio(*count, size) <= theta.min(ratio(1, 1))
                })
            }
            Notion::Likeness(beta, enhanced) => {
                let all: u64 = column.totals.iter().sum();
                counts.iter().zip(&column.totals).filter(|(count, _)| **count > 0).all(|(count, total)| {
                    let usual = ratio(*total, all);
                    let gain = (ratio(*count, size) - usual) / usual;
                    // A gain above 0 never equals a logarithm, and with these few records they are far apart.
                    let within = |gain: f64| gain <= 0.0 || gain <= -(*total as f64 / all as f64).ln();
                    gain <= *beta && (!enhanced || within(*gain.numer() as f64 / *gain.denom() as f64))
                })
            }
            Notion::Disclosure(delta, skip) => {
                let all: u64 = column.totals.iter().sum();
                let (a, b) = (*delta.numer() as i32, *delta.denom() as i32);
                counts.iter().zip(&column.totals).filter(|(_, total)| **total > 0).all(|(count, total)| {
                    if *count == 0 {
                        return *skip;
                    }
                    let power = (ratio(*count, size) / ratio(*total, all)).pow(b);
                    power < ratio(2, 1).pow(a) && power > ratio(1, 2).pow(a)
                })
            }
        }
    }

    /// The notion as a policy asks for it.
    pub fn toml(&self, column: &str) -> String {
        let l_diversity = |l: String, kind: &str, more: String| {
            format!("[[privacy.l-diversity]]\ncolumn = \"{column}\"\nl = \"{l}\"\nkind = \"{kind}\"\n{more}")
        };
        match self {
            Notion::KAnonymity(k) => format!("[[privacy.k-anonymity]]\nk = {k}\n"),
            Notion::Distinct(l) => l_diversity(l.to_string(), "distinct", String::new()),
            Notion::Frequency(l) => l_diversity(l.to_string(), "frequency", String::new()),
            Notion::Entropy(l) => l_diversity(l.to_string(), "entropy", String::new()),
            Notion::Recursive(c, l) => l_diversity(l.to_string(), "recursive", format!("c = \"{c}\"\n")),
            Notion::Thresholds(base, by_frequency) => {
                let rule = if *by_frequency { "theta_rule = \"frequency\"\n" } else { "" };
                format!("[[privacy.l-plus-diversity]]\ncolumn = \"{column}\"\ndefault = \"{base}\"\n{rule}")
            }
            Notion::Likeness(beta, enhanced) => {
                let kind = if *enhanced { "enhanced" } else { "basic" };
                format!(
                    "[[privacy.beta-likeness]]\ncolumn = \"{column}\"\nbeta = \"{beta}\"\nkind = \"{kind}\"\n"
                )
            }
            Notion::Disclosure(delta, skip) => {
                let absent = if *skip { "skip" } else { "violates" };
                format!(
                    "[[privacy.delta-disclosure]]\ncolumn = \"{column}\"\ndelta = \"{delta}\"\nabsent = \"{absent}\"\n"
                )
            }
            Notion::Closeness(t, ground) => {
                let distance = format!("{ground:?}").to_lowercase();
                format!(
                    "[[privacy.t-closeness]]\ncolumn = \"{column}\"\nt = \"{t}\"\ndistance = \"{distance}\"\n"
                )
            }
        }
    }
}

/// −Σ p log p ≥ log l, which is Π (n_i/n)^n_i ≤ (1/l)ⁿ; one factor per record.
fn entropy_at_least(counts: &[u64], size: u64, l: Ratio) -> bool {
    type Big = num_rational::Ratio<BigInt>;
    let mut product = Big::new(BigInt::from(1), BigInt::from(1));
    for count in counts {
        for _ in 0..*count {
            // p_i · l for every record: the product of all of them is at most 1.
            product *= Big::new(BigInt::from(*count) * l.numer(), BigInt::from(size) * l.denom());
        }
    }
    product <= Big::new(BigInt::from(1), BigInt::from(1))
}

impl Column {
    /// What moving one unit from a value to another costs, in fractions of the second number.
    fn costs(&self, ground: Ground) -> (Vec<Vec<i128>>, i128) {
        let values = self.totals.len();
        let table = |cost: &dyn Fn(usize, usize) -> i128| {
            (0..values).map(|from| (0..values).map(|to| cost(from, to)).collect()).collect()
        };
        match ground {
            Ground::Equal => (table(&|from, to| i128::from(from != to)), 1),
            Ground::Ordered => {
                let steps = |from: usize, to: usize| self.rank[from].abs_diff(self.rank[to]) as i128;
                (table(&steps), values.max(2) as i128 - 1)
            }
            Ground::Hierarchical => {
                (table(&|from, to| i128::from(self.apart[from][to])), i128::from(self.height.max(1)))
            }
        }
    }
}

/// The cheapest way to turn one pile of earth into the other: shortest augmenting paths, by Bellman and Ford.
fn cheapest_transport(mut supply: Vec<i128>, mut demand: Vec<i128>, costs: &[Vec<i128>]) -> i128 {
    let values = supply.len();
    let mut flow = vec![vec![0i128; values]; values];
    let mut total = 0;
    loop {
        // Nodes 0…values are where earth lies, the others where it is wanted.
        let mut far: Vec<Option<i128>> = vec![None; 2 * values];
        let mut from = vec![usize::MAX; 2 * values];
        for value in 0..values {
            if supply[value] > 0 {
                far[value] = Some(0);
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for i in 0..values {
                for j in 0..values {
                    let edges =
                        [(i, values + j, costs[i][j], true), (values + j, i, -costs[i][j], flow[i][j] > 0)];
                    for (start, end, cost, open) in edges {
                        let Some(distance) = far[start].filter(|_| open) else { continue };
                        if far[end].is_none_or(|known| distance + cost < known) {
                            far[end] = Some(distance + cost);
                            from[end] = start;
                            changed = true;
                        }
                    }
                }
            }
        }
        let wanting = (0..values).filter(|value| demand[*value] > 0);
        let nearest = wanting.filter_map(|value| Some((far[values + value]?, value))).min();
        let Some((_, target)) = nearest else { return total };
        let mut path = vec![values + target];
        while from[path[path.len() - 1]] != usize::MAX {
            path.push(from[path[path.len() - 1]]);
        }
        path.reverse();
        let mut amount = supply[path[0]].min(demand[target]);
        for step in path.windows(2).filter(|step| step[0] >= values) {
            amount = amount.min(flow[step[1]][step[0] - values]);
        }
        supply[path[0]] -= amount;
        demand[target] -= amount;
        for step in path.windows(2) {
            if step[0] < values {
                flow[step[0]][step[1] - values] += amount;
                total += amount * costs[step[0]][step[1] - values];
            } else {
                flow[step[1]][step[0] - values] -= amount;
                total -= amount * costs[step[1]][step[0] - values];
            }
        }
    }
}

/// Any notion, with thresholds that small classes meet exactly every now and then.
pub fn any_notion() -> impl Strategy<Value = Notion> {
    let at_least_one =
        || prop::sample::select(vec![(1, 1), (5, 4), (3, 2), (2, 1), (5, 2), (3, 1), (100, 29), (4, 1)]);
    let factor = prop::sample::select(vec![(1, 2), (1, 1), (28, 25), (3, 2), (2, 1), (7, 3), (4, 1)]);
    let distance = prop::sample::select(vec![
        (0, 1),
        (1, 20),
        (1, 10),
        (3, 20),
        (1, 5),
        (1, 4),
        (1, 3),
        (1, 2),
        (3, 4),
        (1, 1),
    ]);
    let share = prop::sample::select(vec![(0, 1), (1, 4), (29, 100), (1, 3), (2, 5), (1, 2), (3, 5), (1, 1)]);
    let ground = prop::sample::select(vec![Ground::Equal, Ground::Ordered, Ground::Hierarchical]);
    let gain = prop::sample::select(vec![(1, 4), (1, 2), (1, 1), (3, 2), (2, 1), (4, 1)]);
    let delta = prop::sample::select(vec![(1, 2), (1, 1), (3, 2), (2, 1), (3, 1)]);
    prop_oneof![
        1 => (gain, any::<bool>()).prop_map(|((over, under), enhanced)| Notion::Likeness(ratio(over, under), enhanced)),
        1 => delta.prop_map(|(over, under)| Notion::Disclosure(ratio(over, under), false)),
        1 => (1u64..7).prop_map(Notion::KAnonymity),
        1 => (1u64..5).prop_map(Notion::Distinct),
        1 => at_least_one().prop_map(|(over, under)| Notion::Frequency(ratio(over, under))),
        1 => at_least_one().prop_map(|(over, under)| Notion::Entropy(ratio(over, under))),
        1 => (factor, 1u64..5).prop_map(|((over, under), l)| Notion::Recursive(ratio(over, under), l)),
        1 => (share, any::<bool>()).prop_map(|((over, under), rule)| Notion::Thresholds(ratio(over, under), rule)),
        3 => (distance, ground).prop_map(|((over, under), ground)| Notion::Closeness(ratio(over, under), ground)),
    ]
}
