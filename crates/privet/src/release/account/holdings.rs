//! What an analyst still finds in a release of sets, such as baskets of items or vocabularies of terms: how many hold an item,
//! which items go together, and counts, before and after.
//!
//! A label that stands for several items is taken for each of them with the same chance, one label independently of the others:
//! what an analyst does who knows no better.

use crate::release::report::{Associations, Distribution, Fidelity, Marginal, QueryErrors, ValueCount};
use privet_core::lists::Lists;
use privet_core::{RunKey, random};

/// At most this many of the most frequent items are compared two by two.
const MOST_PAIRED: usize = 8;
/// At most this many are listed one by one.
const MOST_LISTED: usize = 40;
/// This many queries are asked of each kind.
const QUERIES: usize = 40;
/// Two labels of a set that both stand for more items than this stand for the same one so rarely (less than one time in a
/// thousand) that it is not looked for.
const FEW: usize = 32;
/// The figures rest on at most this many distinct sets.
const MOST_SETS: usize = 100_000;

/// Sets of labels, and what labels stand for.
pub(crate) struct Holdings {
    /// Per label, the items that it stands for, ascending.
    pub labels: Vec<Vec<u32>>,
    /// Sets, each label once, with how many there are of each.
    pub sets: Vec<(Vec<u32>, u64)>,
}

impl Holdings {
    /// Sets of items that stand for themselves.
    pub fn plain(items: usize, sets: Vec<(Vec<u32>, u64)>) -> Holdings {
        Holdings { labels: (0..items as u32).map(|item| vec![item]).collect(), sets }
    }
}

/// One in how many of these sets is looked at.
pub(crate) fn step(sets: usize) -> usize {
    sets.div_ceil(MOST_SETS).max(1)
}

/// Holdings with what answers questions about them.
struct Asked<'a> {
    holdings: &'a Holdings,
    /// Per item, the labels that may stand for it.
    standing: Vec<Vec<u32>>,
    /// Per label, the sets that hold it.
    holders: Lists,
    total: f64,
}

impl<'a> Asked<'a> {
    fn new(holdings: &'a Holdings, items: usize) -> Asked<'a> {
        let mut standing = vec![Vec::new(); items];
        for (label, covered) in (0u32..).zip(&holdings.labels) {
            for item in covered {
                if let Some(standing) = standing.get_mut(*item as usize) {
                    standing.push(label);
                }
            }
        }
        let total = holdings.sets.iter().map(|(_, count)| *count as f64).sum();
        let sets = holdings.sets.iter().map(|(set, _)| set.as_slice());
        Asked { holdings, standing, holders: Lists::holders(holdings.labels.len(), sets), total }
    }

    /// How many sets hold each item.
    fn frequencies(&self) -> Vec<f64> {
        let mut shown = vec![0.0; self.holdings.labels.len()];
        for (set, count) in &self.holdings.sets {
            set.iter().for_each(|label| shown[*label as usize] += *count as f64);
        }
        let share =
            |label: &u32| shown[*label as usize] / self.holdings.labels[*label as usize].len().max(1) as f64;
        let mut all: Vec<f64> = self.standing.iter().map(|labels| labels.iter().map(share).sum()).collect();
        // A set of which several labels may stand for an item holds it once.
        for (set, count) in &self.holdings.sets {
            for item in self.shared_items(set) {
                let chances = || set.iter().map(|label| self.chance(*label, item));
                let once = 1.0 - chances().map(|chance| 1.0 - chance).product::<f64>();
                all[item as usize] -= *count as f64 * (chances().sum::<f64>() - once);
            }
        }
        all
    }

    /// The items that more than one label of a set may stand for, unless both stand for many.
    fn shared_items(&self, set: &[u32]) -> Vec<u32> {
        let covered = |label: &u32| self.holdings.labels[*label as usize].as_slice();
        let mut items = Vec::new();
        for (place, one) in set.iter().enumerate() {
            for other in &set[place + 1..] {
                let (mut few, mut many) = (covered(one), covered(other));
                if few.len() > many.len() {
                    (few, many) = (many, few);
                }
                // Labels that stand for one item each are different items.
                if many.len() > 1 && few.len() <= FEW {
                    items.extend(few.iter().filter(|item| many.binary_search(item).is_ok()));
                }
            }
        }
        items.sort_unstable();
        items.dedup();
        items
    }

    /// How likely a label stands for an item.
    fn chance(&self, label: u32, item: u32) -> f64 {
        let covered = &self.holdings.labels[label as usize];
        let times =
            covered.partition_point(|other| *other <= item) - covered.partition_point(|other| *other < item);
        times as f64 / covered.len().max(1) as f64
    }

    /// How many sets hold all of these items.
    fn holding(&self, items: &[u32]) -> f64 {
        let mut missing = vec![[1.0; 3]; self.holdings.labels.len()];
        for (at, item) in items.iter().take(3).enumerate() {
            for label in &self.standing[*item as usize] {
                missing[*label as usize][at] -=
                    1.0 / self.holdings.labels[*label as usize].len().max(1) as f64;
            }
        }
        let chance = |set: &[u32]| {
            (0..items.len().min(3))
                .map(|at| 1.0 - set.iter().map(|label| missing[*label as usize][at]).product::<f64>())
                .product::<f64>()
        };
        // A set that shows nothing for one of the items does not hold them all.
        let holders =
            |item: &u32| self.standing[*item as usize].iter().map(|label| self.holders.list(*label as usize));
        let rarest = items.iter().min_by_key(|item| holders(item).map(<[u32]>::len).sum::<usize>());
        let mut sets: Vec<u32> =
            rarest.map_or_else(Vec::new, |item| holders(item).flatten().copied().collect());
        sets.sort_unstable();
        sets.dedup();
        let sets = sets.iter().map(|set| &self.holdings.sets[*set as usize]);
        sets.map(|(set, count)| *count as f64 * chance(set)).sum()
    }

    /// φ of holding one item and holding another: 0 if they have nothing to do with each other, 1 if the same sets hold both, −1
    /// if each set holds one of them. `None` where all or none hold an item.
    fn phi(&self, one: u32, other: u32, frequencies: &[f64]) -> Option<f64> {
        let (a, b) = (frequencies[one as usize], frequencies[other as usize]);
        let spread = a * b * (self.total - a) * (self.total - b);
        let phi = (self.total * self.holding(&[one, other]) - a * b) / spread.max(0.0).sqrt();
        (spread > 0.0 && phi.is_finite()).then(|| phi.clamp(-1.0, 1.0))
    }
}

/// Compares sets before and after; `what` is what they hold, in the plural, and `sampled` how many sets were looked at where
/// these are not all.
pub(crate) fn of_sets(
    (what, names): (&str, &[&str]),
    (original, released): (&Holdings, &Holdings),
    sampled: Option<u64>,
    key: RunKey,
) -> Fidelity {
    let (original, released) = (Asked::new(original, names.len()), Asked::new(released, names.len()));
    let (before, after) = (original.frequencies(), released.frequencies());
    let mut order: Vec<u32> = (0..names.len() as u32).filter(|item| before[*item as usize] > 0.0).collect();
    // The sort is stable, so equal ones stay in order.
    order.sort_by(|a, b| before[*b as usize].total_cmp(&before[*a as usize]));
    Fidelity {
        sampled,
        of_sets: true,
        marginals: vec![marginal((what, names), &order, &before, &after)],
        associations: associations(names, &order, (&original, &before), (&released, &after)),
        queries: (1..=3).filter_map(|count| queries(&original, &released, count, key)).collect(),
    }
}

fn marginal((what, names): (&str, &[&str]), order: &[u32], before: &[f64], after: &[f64]) -> Marginal {
    let all = |of: &[f64]| of.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let (all_before, all_after) = (all(before), all(after));
    let differences = before.iter().zip(after).map(|(b, a)| b / all_before - a / all_after);
    let count = |value: String, before: f64, after: f64| ValueCount {
        value,
        before: (before.round() as u64).into(),
        after: after.round() as u64,
    };
    let (listed, rest) = order.split_at(order.len().min(MOST_LISTED));
    let mut values: Vec<ValueCount> = (listed.iter())
        .map(|item| count(names[*item as usize].to_string(), before[*item as usize], after[*item as usize]))
        .collect();
    if !rest.is_empty() {
        let sum = |of: &[f64]| rest.iter().map(|item| of[*item as usize]).sum();
        values.push(count(format!("{} other {what}", rest.len()), sum(before), sum(after)));
    }
    Marginal {
        distance: Marginal::distance(differences),
        values: Distribution { column: format!("Most frequent {what}"), values },
    }
}

fn associations(
    names: &[&str],
    order: &[u32],
    (original, before): (&Asked<'_>, &[f64]),
    (released, after): (&Asked<'_>, &[f64]),
) -> Associations {
    let chosen: Vec<u32> = order.iter().copied().take(MOST_PAIRED).collect();
    let matrix = |asked: &Asked<'_>, frequencies: &[f64]| {
        let entry = |one: u32, other: u32| match one == other {
            true => Some(1.0),
            false => asked.phi(one.min(other), one.max(other), frequencies),
        };
        chosen
            .iter()
            .flat_map(|one| chosen.iter().map(move |other| (*one, *other)))
            .map(|(a, b)| entry(a, b))
            .collect()
    };
    Associations {
        columns: chosen.iter().map(|item| names[*item as usize].to_string()).collect(),
        before: matrix(original, before),
        after: matrix(released, after),
    }
}

/// Asks how many sets hold `count` items that some set of the original holds, and sees how far the release's answers are off.
fn queries(original: &Asked<'_>, released: &Asked<'_>, count: usize, key: RunKey) -> Option<QueryErrors> {
    let sets: Vec<&Vec<u32>> =
        original.holdings.sets.iter().map(|(set, _)| set).filter(|set| set.len() >= count).collect();
    if sets.is_empty() {
        return None;
    }
    let mut random = random::keyed(key, &format!("privet: report: queries of {count} items"));
    let least = (original.total / 200.0).clamp(1.0, 20.0).floor();
    let mut errors = Vec::new();
    for _ in 0..4 * QUERIES {
        if errors.len() == QUERIES {
            break;
        }
        let mut items = sets[random::below(&mut random, sets.len() as u64) as usize].clone();
        random::shuffle(&mut items, &mut random);
        items.truncate(count);
        let truth = original.holding(&items);
        if truth >= least {
            errors.push(((released.holding(&items) - truth).abs(), truth));
        }
    }
    QueryErrors::of(count, least, &errors, original.total.max(released.total))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tea and milk go together, and so do bread and jam; the release shows bread and jam as food.
    fn shelves() -> (Holdings, Holdings) {
        let sets = vec![(vec![0, 1], 30), (vec![2, 3], 20), (vec![2], 10)];
        let original = Holdings::plain(4, sets);
        let labels = vec![vec![0], vec![1], vec![2, 3]];
        let released = Holdings { labels, sets: vec![(vec![0, 1], 30), (vec![2], 20), (vec![2], 10)] };
        (original, released)
    }

    #[test]
    fn labels_are_shared_out_among_what_they_stand_for() {
        let (original, released) = shelves();
        let (before, after) = (Asked::new(&original, 4), Asked::new(&released, 4));
        assert_eq!(before.frequencies(), [30.0, 30.0, 30.0, 20.0]);
        assert_eq!(after.frequencies(), [30.0, 30.0, 15.0, 15.0]);
        assert_eq!((before.holding(&[0, 1]), before.holding(&[2, 3])), (30.0, 20.0));
        assert_eq!((after.holding(&[0, 1]), after.holding(&[2, 3])), (30.0, 7.5));
        assert_eq!(after.holding(&[0, 2]), 0.0);
    }

    #[test]
    fn an_item_that_two_labels_may_stand_for_is_held_once() {
        // Food stands for bread and jam; one set shows both food and jam.
        let labels = vec![vec![0, 1], vec![1]];
        let holdings = Holdings { labels, sets: vec![(vec![0, 1], 2), (vec![0], 4)] };
        let asked = Asked::new(&holdings, 2);
        // Half of six sets hold bread; two hold jam for sure, and half of the other four.
        assert_eq!(asked.frequencies(), [3.0, 4.0]);
        assert_eq!((asked.holding(&[0]), asked.holding(&[1])), (3.0, 4.0));
    }

    #[test]
    fn what_goes_together_is_seen_before_and_after() {
        let (original, released) = shelves();
        let names = ["tea", "milk", "bread", "jam"];
        let found = of_sets(("items", &names), (&original, &released), None, 7.into());
        assert_eq!(found.associations.columns, ["tea", "milk", "bread", "jam"]);
        let at = |matrix: &[Option<f64>], a: usize, b: usize| matrix[4 * a + b].expect("a figure");
        assert!((at(&found.associations.before, 0, 1) - 1.0).abs() < 1e-9);
        assert!((at(&found.associations.after, 0, 1) - 1.0).abs() < 1e-9);
        assert!((at(&found.associations.before, 0, 2) + 1.0).abs() < 1e-9);
        assert!(at(&found.associations.after, 2, 3) < at(&found.associations.before, 2, 3));
        // 30, 30, 30, 20 of 110 against 30, 30, 15, 15 of 90.
        assert!((found.marginals[0].distance - (60.0 / 90.0 - 60.0 / 110.0)).abs() < 1e-9);
        assert_eq!(found.queries.len(), 2, "no set holds three");
        assert!(found.queries[0].quantiles[4] > 0.0);
        let same = of_sets(("items", &names), (&original, &original), None, 7.into());
        assert_eq!(same.marginals[0].distance, 0.0);
        assert!(same.queries.iter().all(|errors| errors.quantiles[4] < 1e-9));
    }
}
