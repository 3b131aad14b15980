use proptest::prelude::*;

use num_integer::Integer;

use super::*;

fn notion(distance: Distance, table: &[u64], t: &str) -> TCloseness {
    TCloseness::new(0, Exact::parse(t).expect("a number"), table.to_vec(), distance)
}

fn class(counts: &[u64]) -> Histogram {
    let present = (0..).zip(counts.iter().copied()).filter(|(_, count)| *count > 0);
    Histogram { size: counts.iter().sum(), counts: present.collect() }
}

fn value(notion: &TCloseness, counts: &[u64]) -> Option<(u128, u128)> {
    notion.distance(&class(counts)).map(|ratio| {
        let divisor = ratio.over.gcd(&ratio.under);
        (ratio.over / divisor, ratio.under / divisor)
    })
}

#[test]
fn the_equal_distance_accepts_the_tie_that_doubles_miss() {
    // Global share 1/10, share in the class 1/4: the distance is 0.15 exactly.
    let closeness = notion(Distance::Equal, &[1, 9], "0.15");
    assert_eq!(value(&closeness, &[1, 3]), Some((3, 20)));
    assert!(closeness.holds(&class(&[1, 3])));
    assert!(!notion(Distance::Equal, &[1, 9], "0.149999999999999999").holds(&class(&[1, 3])));
}

#[test]
fn the_ordered_distance_is_that_of_the_paper() {
    // Li et al. 2007: salaries 3k … 11k; {3k, 4k, 5k} is 0.375 away, {6k, 8k, 11k} is 1/6 (0.167).
    let closeness = notion(Distance::Ordered((0..9).collect()), &[1; 9], "0.375");
    assert_eq!(value(&closeness, &[1, 1, 1, 0, 0, 0, 0, 0, 0]), Some((3, 8)));
    assert_eq!(value(&closeness, &[0, 0, 0, 1, 0, 1, 0, 0, 1]), Some((1, 6)));
    assert!(closeness.holds(&class(&[1, 1, 1, 0, 0, 0, 0, 0, 0])));
}

#[test]
fn one_value_has_no_distance() {
    let closeness = notion(Distance::Ordered(vec![0]), &[7], "0");
    assert!(closeness.holds(&class(&[3])));
}

#[test]
fn the_hierarchical_distance_weighs_moves_by_the_height_they_climb() {
    // root ─┬─ a ─┬─ x      x, y and z have a third each.
    //       │     └─ y
    //       └─ b ─── z
    let tree = || DistanceTree {
        leaf_of: vec![2, 3, 5],
        parents: vec![0, 0, 1, 1, 0, 4],
        heights: vec![2, 1, 0, 0, 1, 0],
    };
    let closeness = notion(Distance::Hierarchical(tree()), &[1, 1, 1], "1/2");
    // All in z: both thirds climb to the root.
    assert_eq!(value(&closeness, &[0, 0, 1]), Some((2, 3)));
    // x and z: a third of 1/6 each from y; 1/6 within a (1/2) and 1/6 over the root (1).
    assert_eq!(value(&closeness, &[1, 0, 1]), Some((1, 4)));
    assert_eq!(value(&closeness, &[5, 5, 5]), Some((0, 1)));
}

#[test]
fn a_value_that_the_original_lacks_is_never_close() {
    let closeness = notion(Distance::Equal, &[1, 1, 0], "1");
    assert!(!closeness.holds(&class(&[1, 0, 1])));
    assert!(closeness.explain(&class(&[0, 0, 1])).contains("does not have"));
}

/// root over nodes 1 and 4, with leaves 2 and 3 below 1, and 5 and 7 below 4, 7 one further down.
fn tree() -> DistanceTree {
    DistanceTree {
        leaf_of: vec![2, 3, 5, 7],
        parents: vec![0, 0, 1, 1, 0, 4, 4, 6],
        heights: vec![3, 1, 0, 0, 2, 0, 1, 0],
    }
}

fn distances() -> [Distance; 3] {
    [Distance::Equal, Distance::Ordered(vec![2, 0, 3, 1]), Distance::Hierarchical(tree())]
}

/// 100,000 values and 50,000 classes of two records each: looked at value by value, these are five billion steps.
#[test]
fn hard_use_2_3_a_class_costs_as_much_as_its_own_values() {
    let values = 100_000;
    let began = std::time::Instant::now();
    let parents = std::iter::once(0).chain((0..values).map(|_| 0)).collect();
    let heights = std::iter::once(1).chain((0..values).map(|_| 0)).collect();
    let flat = DistanceTree { leaf_of: (1..=values).collect(), parents, heights };
    for distance in [Distance::Equal, Distance::Ordered((0..values).collect()), Distance::Hierarchical(flat)]
    {
        let closeness = notion(distance, &vec![1; values], "0.9");
        for class in 0..values as u32 / 2 {
            let counts = vec![(2 * class, 1), (2 * class + 1, 1)];
            closeness.distance(&Histogram { size: 2, counts }).expect("a distance");
        }
    }
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
}

proptest! {
    /// What is known once for all classes changes nothing, and nor does leaving out what a class lacks.
    #[test]
    fn distances_by_own_values_are_those_by_all_values(
        counts in prop::collection::vec((0u64..6, 0u64..9), 4),
    ) {
        let own: Vec<u64> = counts.iter().map(|(own, _)| *own).collect();
        let table: Vec<u64> = counts.iter().map(|(own, others)| own + others).collect();
        prop_assume!(own.iter().sum::<u64>() > 0);
        let size = own.iter().sum::<u64>() as i128;
        let whole = table.iter().sum::<u64>() as i128;
        let extras: Vec<i128> = own.iter().zip(&table).map(|(own, all)| *own as i128 * whole - *all as i128 * size).collect();
        let all = (size * whole).unsigned_abs();
        let naive = [
            Ratio { over: extras.iter().map(|extra| extra.unsigned_abs()).sum(), under: 2 * all },
            ordered(&extras, &[2, 0, 3, 1], all),
            hierarchical(&extras, &tree(), all),
        ];
        for (distance, naive) in distances().into_iter().zip(naive) {
            let closeness = notion(distance, &table, "1");
            for found in [closeness.distance(&class(&own)), closeness.distance_to(&class(&own), &table, whole as u64)] {
                let found = found.expect("a distance");
                prop_assert_eq!(found.over * naive.under, naive.over * found.under);
            }
        }
    }

    /// No set between two others is nearer than the bound says.
    #[test]
    fn sets_between_two_others_are_as_far_as_stated(
        counts in prop::collection::vec((0u64..5, 0u64..4, 0u64..4, 0u64..4), 4),
        least in 1u64..30,
    ) {
        let own: Vec<u64> = counts.iter().map(|count| count.0).collect();
        let inside: Vec<u64> = counts.iter().map(|count| count.0 + count.1).collect();
        let between: Vec<u64> = counts.iter().map(|count| count.0 + count.1 + count.2).collect();
        let around: Vec<u64> = counts.iter().map(|count| count.0 + count.1 + count.2 + count.3).collect();
        let records = between.iter().sum::<u64>();
        prop_assume!(own.iter().sum::<u64>() > 0 && records >= least);
        for distance in distances() {
            let closeness = notion(distance, &around, "1");
            let found = closeness.distance_to(&class(&own), &between, records).expect("a distance").to_f64();
            let bound = closeness.least_distance(&class(&own), &inside, &around, least);
            prop_assert!(bound <= found + 1e-9, "{} but {}", bound, found);
        }
    }
}
