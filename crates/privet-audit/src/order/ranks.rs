//! Whether rows follow an order roughly: bets on the number of pairs in the wrong order.

use super::bets::{Evidence, mean};

/// Bets on lists of keys to rise, or to fall: all of them, or each in its own direction.
pub fn rank_evidence(lists: &[Vec<f64>], what: &str, evidence: &mut Evidence) {
    struct List {
        rows: usize,
        ties: Vec<usize>,
        /// By how many pairs fewer than expected are in the wrong order.
        excess: f64,
    }
    let mut found = Vec::new();
    let (mut wrong, mut pairs, mut variance) = (0.0, 0.0, 0.0);
    for list in lists {
        let (inversions, ties) = inversions(list);
        let square = |size: &usize| (size * size) as f64;
        let comparable = (square(&list.len()) - ties.iter().map(square).sum::<f64>()) / 2.0;
        if comparable <= 0.0 {
            continue;
        }
        wrong += inversions as f64;
        pairs += comparable;
        variance += (list.len() as f64).powi(3) / 36.0;
        let ties = ties.into_iter().filter(|size| *size > 1).collect();
        found.push(List { rows: list.len(), ties, excess: comparable / 2.0 - inversions as f64 });
    }
    if found.is_empty() {
        (0..3).for_each(|_| evidence.add(0.0, String::new));
        return;
    }
    let longest = found.iter().map(|list| list.rows).max().unwrap_or(0);
    let (mut rising, mut falling, mut either) = (Vec::new(), Vec::new(), Vec::new());
    let mut rate = 1.0 / f64::sqrt(variance);
    while rate < 8.0 {
        let kappa = Kappa::of(rate, longest);
        let (mut sum, mut cost, mut both) = (0.0, 0.0, 0.0);
        for List { rows, ties, excess } in &found {
            let own = kappa.at(*rows) - ties.iter().map(|size| kappa.at(*size)).sum::<f64>();
            cost += own;
            sum += excess;
            both += mean(&[rate * excess, -rate * excess]) - own;
        }
        rising.push(rate * sum - cost);
        falling.push(-rate * sum - cost);
        either.push(both);
        rate *= 2.0;
    }
    let share = 100.0 * wrong / pairs;
    let tell =
        |how: &str| format!("the rows roughly {how} {what}: {share:.1} % of pairs are the other way round");
    evidence.add(mean(&rising), || tell("follow"));
    evidence.add(mean(&falling), || tell("reverse"));
    evidence.add(mean(&either), || format!("parts of the file roughly follow or reverse {what}"));
}

/// The logarithm of E exp(λ(X - EX)) for the number X of wrong pairs of different rows, by how many rows there are: the i-th row is
/// in the wrong order with a number of earlier ones that is uniform on 0 … i - 1.
///
/// So it is a sum over the rows of f(i) = ln(sinh(λi/2)/i) - ln sinh(λ/2). Beyond some rows the sum is taken for the integral from half
/// a row before to half a row behind, less a twenty-fourth of what the slope gains (Euler and Maclaurin). What is left is below 10⁻⁸.
struct Kappa {
    rate: f64,
    /// ln sinh(λ/2).
    one: f64,
    /// The sums for few rows.
    few: Vec<f64>,
    /// The ends of parts of the integral, each with the integral up to there.
    parts: Vec<(f64, f64)>,
}

impl Kappa {
    /// Sums of this many rows are made row by row.
    const FEW: usize = 64;
    /// Each part of the integral is longer than the one before by this factor, as f gets smoother.
    const WIDER: f64 = 1.5;

    fn of(rate: f64, longest: usize) -> Kappa {
        let mut kappa = Kappa { rate, one: ln_sinh(rate / 2.0), few: vec![0.0], parts: Vec::new() };
        let mut sum = 0.0;
        for row in 1..=longest.min(Kappa::FEW) {
            sum += kappa.term(row as f64);
            kappa.few.push(sum);
        }
        let (mut end, mut whole) = (Kappa::FEW as f64 + 0.5, 0.0);
        kappa.parts.push((end, whole));
        while end < longest as f64 {
            let next = end * Kappa::WIDER;
            whole += kappa.integral(end, next);
            kappa.parts.push((next, whole));
            end = next;
        }
        kappa
    }

    fn at(&self, rows: usize) -> f64 {
        if let Some(sum) = self.few.get(rows) {
            return *sum;
        }
        let end = rows as f64 + 0.5;
        let part = self.parts.partition_point(|(start, _)| *start <= end).saturating_sub(1);
        let (start, before) = self.parts[part];
        let bend = self.slope(end) - self.slope(self.parts[0].0);
        self.few[Kappa::FEW] + before + self.integral(start, end) - bend / 24.0
    }

    fn term(&self, row: f64) -> f64 {
        (ln_sinh(self.rate * row / 2.0) - row.ln() - self.one).max(0.0)
    }

    fn slope(&self, row: f64) -> f64 {
        self.rate / 2.0 / (self.rate * row / 2.0).tanh() - 1.0 / row
    }

    /// The integral of f, by the rule of Gauss and Legendre with eight points.
    fn integral(&self, from: f64, to: f64) -> f64 {
        const POINTS: [(f64, f64); 4] = [
            (0.183_434_642_495_649_8, 0.362_683_783_378_362),
            (0.525_532_409_916_329, 0.313_706_645_877_887_3),
            (0.796_666_477_413_626_7, 0.222_381_034_453_374_47),
            (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
        ];
        let (middle, half) = ((from + to) / 2.0, (to - from) / 2.0);
        let both = |at: f64| self.term(middle - half * at) + self.term(middle + half * at);
        half * POINTS.iter().map(|(at, weight)| weight * both(*at)).sum::<f64>()
    }
}

/// The logarithm of sinh.
fn ln_sinh(x: f64) -> f64 {
    x + (-(-2.0 * x).exp_m1()).ln() - std::f64::consts::LN_2
}

/// How many pairs are in the wrong order, and how often each key occurs.
fn inversions(list: &[f64]) -> (u64, Vec<usize>) {
    let mut sorted: Vec<f64> = list.to_vec();
    let mut found = 0;
    let mut merged = Vec::with_capacity(list.len());
    let mut width = 1;
    while width < sorted.len() {
        merged.clear();
        for pair in sorted.chunks(2 * width) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            let (mut at, mut next) = (0, 0);
            while at < left.len() || next < right.len() {
                if next == right.len() || at < left.len() && left[at] <= right[next] {
                    merged.push(left[at]);
                    at += 1;
                } else {
                    found += (left.len() - at) as u64;
                    merged.push(right[next]);
                    next += 1;
                }
            }
        }
        std::mem::swap(&mut sorted, &mut merged);
        width *= 2;
    }
    let ties = sorted.chunk_by(|one, other| one == other).map(<[f64]>::len).collect();
    (found, ties)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversions_are_counted() {
        assert_eq!(inversions(&[0.0, 1.0, 2.0, 3.0]), (0, vec![1; 4]));
        assert_eq!(inversions(&[4.0, 3.0, 2.0, 1.0, 0.0]).0, 10);
        assert_eq!(inversions(&[2.0, 0.0, 0.0, 1.0]), (3, vec![2, 1, 1]));
    }

    /// The bet on ranks is fair: over all orders of a list with ties its mean is one coin.
    #[test]
    fn bets_on_ranks_are_fair() {
        let mut orders: Vec<Vec<f64>> = vec![Vec::new()];
        for key in [0.0, 1.0, 1.0, 2.0, 3.0, 3.0] {
            let longer = |order: &Vec<f64>| {
                (0..=order.len()).map(|at| [&order[..at], &[key], &order[at..]].concat()).collect::<Vec<_>>()
            };
            orders = orders.iter().flat_map(longer).collect();
        }
        for rate in [0.01, 0.3, 2.0] {
            let kappa = Kappa::of(rate, 6);
            let cost = kappa.at(6) - 2.0 * kappa.at(2);
            let coins: f64 =
                orders.iter().map(|order| (rate * (6.5 - inversions(order).0 as f64) - cost).exp()).sum();
            assert!((coins / orders.len() as f64 - 1.0).abs() < 1e-9, "{rate}");
        }
    }

    /// Far from the first rows the sum is an integral.
    #[test]
    fn long_lists_cost_what_the_sum_says() {
        for rate in [1e-7, 1e-4, 0.003, 0.2, 6.0] {
            let kappa = Kappa::of(rate, 200_000);
            let mut sum = 0.0;
            for row in 1..=200_000 {
                sum += kappa.term(row as f64);
                if [10, 64, 65, 66, 96, 97, 1000, 54_321, 200_000].contains(&row) {
                    let found = kappa.at(row);
                    assert!((found - sum).abs() < 1e-7 + 1e-11 * sum, "{rate}, {row}: {found}, {sum}");
                }
            }
        }
    }
}
