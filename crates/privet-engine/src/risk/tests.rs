use proptest::prelude::*;

use super::column_sets::{feasible, sets_up_to};
use super::individual::{household_risk, individual_risk};
use super::uniqueness::{Uniqueness, fraction, zayatz_fraction};
use super::*;

fn near(found: f64, wanted: f64, error: f64) {
    assert!((found - wanted).abs() <= error * wanted.abs(), "{found} is not {wanted}");
}

#[test]
fn the_toy_of_the_definitions() {
    let sizes = ClassSizes::of([2, 1, 2, 1]);
    let all = Uniqueness::of(&sizes, 12);
    near(all.zayatz.expect("a fraction").value, 11.0 / 69.0, 1e-12);
    // No inner maximum: not available, never 0.
    assert_eq!(all.pitman, None);
    near(individual_risk(2, 20.0).value, 0.082684, 1e-5);
    near(individual_risk(1, 5.0).value, 0.402359, 1e-5);
    near(individual_risk(2, 22.0).value, 0.076021, 1e-5);
    assert_eq!(individual_risk(1, 1.0).value, 1.0);
    let pair = [individual_risk(2, 20.0), individual_risk(2, 20.0)];
    near(household_risk(pair).value, 0.158532, 1e-5);
    near(household_risk([individual_risk(1, 5.0), individual_risk(2, 22.0)]).value, 0.447792, 1e-5);
    // f = 1/2: c₁ = c₂ = 2.
    near(sizes.dis(0.5).expect("there are uniques"), 1.0 / 3.0, 1e-12);
}

#[test]
fn sets_of_the_toy() {
    let (zip, age) = (vec![0, 0, 1, 1], vec![0, 1, 1, 2]);
    let sets = ColumnSets { codes: &[zip, age], limits: &[2, 3], counts: &[2, 1, 2, 1] };
    let (found, uniques) = sets.walk(3, 3, &mut || Ok(())).expect("not stopped");
    let shown: Vec<(f64, f64)> = found.iter().map(|set| (set.distinction(6), set.separation(6))).collect();
    assert_eq!(shown, [(2.0 / 6.0, 0.6), (0.5, 11.0 / 15.0), (4.0 / 6.0, 13.0 / 15.0)]);
    assert_eq!((uniques.by_size, uniques.records, uniques.scores), (vec![1, 1], 2, vec![0, 1, 0, 1]));
}

#[test]
fn estimates_grow_with_the_sampling_fraction() {
    // Sizes with a long tail, as tables of people have.
    let sizes = ClassSizes::of((1..=40u64).flat_map(|size| vec![size; (4000 / (size * size)) as usize]));
    let n = sizes.records();
    let mut before = 0.0;
    for factor in [1000, 100, 20, 5] {
        let all = Uniqueness::of(&sizes, factor * n);
        let pitman = all.pitman.expect("a solution");
        assert!(pitman.value > before && pitman.lower <= pitman.value && pitman.value <= pitman.upper);
        before = pitman.value;
    }
    assert_eq!(Uniqueness::of(&sizes, n - 1).zayatz, None);
}

#[test]
fn runs_of_equal_sizes_are_counted_as_such() {
    for sizes in [&[][..], &[1], &[1, 1, 2, 5, 5, 5], &[3, 3]] {
        assert_eq!(ClassSizes::of_ascending(sizes), ClassSizes::of(sizes.iter().copied()));
    }
}

/// The rule looks at no more models than it needs, and chooses the same.
#[test]
fn dankars_rule_is_one_rule() {
    let sizes = ClassSizes::of((1..=40u64).flat_map(|size| vec![size; (4000 / (size * size)) as usize]));
    for factor in [2, 5, 10, 11, 1000] {
        let population = factor * sizes.records();
        let all = Uniqueness::of(&sizes, population);
        assert_eq!(Uniqueness::dankar_of(&sizes, population), (all.dankar, all.dankar == all.zayatz));
    }
}

#[test]
fn few_sets_are_feasible() {
    assert_eq!(sets_up_to(9, 3), 129);
    assert_eq!(sets_up_to(12, 12), 4095);
    assert_eq!((feasible(100, 3), feasible(9, 3), feasible(2, 3)), (2, 3, 2));
}

/// E[1/F] summed over h as it is defined.
fn literally(f: u64, p: f64) -> f64 {
    let mut term = p.powi(f as i32);
    let (mut sum, mut h) = (0.0, f);
    while h < 200_000 {
        sum += term / h as f64;
        term *= h as f64 / (h + 1 - f) as f64 * (1.0 - p);
        h += 1;
    }
    sum
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn individual_risk_is_the_sum_that_defines_it(f in 1u64..40, share in 1u32..100) {
        let p = f64::from(share) / 100.0;
        let people = f as f64 / p;
        let found = individual_risk(f, people);
        let wanted = literally(f, p);
        prop_assert!((found.value - wanted).abs() <= 1e-9 * wanted, "{} {}", found.value, wanted);
        prop_assert!(found.lower <= found.value && found.value <= found.upper);
    }

    #[test]
    fn a_risk_is_compared_as_exactly_as_it_is_enclosed(f in 1u64..60, people in 1u64..400, unit in 1u64..5) {
        use super::individual::{Precise, is_at_most};
        let found = individual_risk(f, people as f64 / unit as f64);
        let bound = |value: f64| privet_core::Exact::parse(&format!("{value:.15}")).expect("a number");
        prop_assert!(is_at_most(f, (people, unit), bound((found.value * 1.000_001).min(1.0) + 1e-12)));
        prop_assert!(!is_at_most(f, (people, unit), bound(found.value * 0.999_999)));
        let class = Precise { records: f, people, unit };
        let alone = super::individual::household_is_at_most(vec![(class, 1)], bound((found.value * 1.000_001).min(1.0) + 1e-12));
        prop_assert!(alone);
        prop_assert!(!super::individual::household_is_at_most(vec![(class, 2)], bound(found.value)));
    }

    #[test]
    fn zayatz_is_its_fraction(sizes in prop::collection::vec(1u64..30, 1..20), more in 0u64..500) {
        let sizes = ClassSizes::of(sizes);
        let population = sizes.records() + more;
        let (above, below) = zayatz_fraction(&sizes, population).expect("small");
        let Some(found) = Uniqueness::of(&sizes, population).zayatz else {
            // Everybody is in the sample, and nobody is alone.
            prop_assert!(above == 0u32.into() && below == 0u32.into());
            return Ok(());
        };
        let wanted = fraction(&above, &below).expect("a number");
        prop_assert!((found.value - wanted).abs() <= 1e-10 * wanted.max(1e-300));
    }

    #[test]
    fn sets_are_what_they_say(
        rows in prop::collection::btree_map(prop::collection::vec(0u32..3, 4), 1u64..3, 1..14),
        largest in 1usize..5,
    ) {
        let counts: Vec<u64> = rows.values().copied().collect();
        let codes: Vec<Vec<u32>> = (0..4).map(|at| rows.keys().map(|row| row[at]).collect()).collect();
        let sets = ColumnSets { codes: &codes, limits: &[3; 4], counts: &counts };
        let (found, uniques) = sets.walk(4, largest, &mut || Ok(())).expect("not stopped");
        let all: Vec<(&Vec<u32>, u64)> = rows.iter().map(|(row, count)| (row, *count)).collect();
        let agree = |one: &[u32], other: &[u32], set: u32| (0..4).all(|at| set >> at & 1 == 0 || one[at] == other[at]);
        let size = |row: &[u32], set: u32| -> u64 {
            all.iter().filter(|(other, _)| agree(row, other, set)).map(|(_, count)| count).sum()
        };
        prop_assert_eq!(found.len(), 15);
        for own in &found {
            let set = own.columns.iter().fold(0, |set, at| set | 1 << at);
            let alike: u128 = all.iter().map(|(row, count)| u128::from(count * (size(row, set) - 1))).sum();
            prop_assert_eq!(own.alike, alike);
        }
        let mut by_size = vec![0; largest.min(4)];
        for ((row, _), score) in all.iter().zip(&uniques.scores) {
            let alone = |set: u32| size(row, set) == 1;
            let minimal = (1u32..16).filter(|set| {
                let smaller = (1..*set).any(|other| other & set == other && alone(other));
                set.count_ones() as usize <= largest && alone(*set) && !smaller
            });
            let mut wanted = 0u128;
            for set in minimal {
                let left = 4 - u128::from(set.count_ones());
                wanted += (1..=left).product::<u128>();
                by_size[set.count_ones() as usize - 1] += 1;
            }
            prop_assert_eq!(*score, wanted);
        }
        prop_assert_eq!(uniques.by_size, by_size);
    }
}
