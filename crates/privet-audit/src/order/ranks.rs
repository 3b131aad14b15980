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
        let kappa = kappa(rate, longest);
        let (mut sum, mut cost, mut both) = (0.0, 0.0, 0.0);
        for List { rows, ties, excess } in &found {
            let own = kappa[*rows] - ties.iter().map(|size| kappa[*size]).sum::<f64>();
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

/// By length, the logarithm of E exp(λ(X - EX)) for the number X of wrong pairs of different rows: the i-th row is in the wrong
/// order with a number of earlier ones that is uniform on 0 … i - 1.
fn kappa(rate: f64, longest: usize) -> Vec<f64> {
    // The logarithm of sinh.
    let ln_sinh = |x: f64| x + (-(-2.0 * x).exp_m1()).ln() - std::f64::consts::LN_2;
    let one = ln_sinh(rate / 2.0);
    let mut sums = vec![0.0];
    let mut sum = 0.0;
    for row in 1..=longest {
        let row = row as f64;
        sum += (ln_sinh(rate * row / 2.0) - row.ln() - one).max(0.0);
        sums.push(sum);
    }
    sums
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
            let kappa = kappa(rate, 6);
            let cost = kappa[6] - 2.0 * kappa[2];
            let coins: f64 =
                orders.iter().map(|order| (rate * (6.5 - inversions(order).0 as f64) - cost).exp()).sum();
            assert!((coins / orders.len() as f64 - 1.0).abs() < 1e-9, "{rate}");
        }
    }
}
