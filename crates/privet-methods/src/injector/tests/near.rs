//! Groups of near people against their definition.

use proptest::prelude::{ProptestConfig, any, prop};
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::super::distance::ColumnDistance;
use super::super::index::{NearestFirst, RecordIndex, ranks};
use super::super::near::UngroupedPeople;
use super::*;

/// Every quasi-identifier's distances by the definition: no table, no places.
fn distance(observations: &Observations, one: u32, other: u32) -> f64 {
    let column = |at: usize| {
        let attribute = &observations.attributes[at];
        let (one, other) =
            (observations.leaf(at, one as usize) as usize, observations.leaf(at, other as usize) as usize);
        let numbers = attribute.numbers();
        let known: Vec<f64> = numbers.iter().flatten().copied().collect();
        if known.len() == numbers.len() {
            let range = known.iter().fold(f64::MIN, |most, number| most.max(*number))
                - known.iter().fold(f64::MAX, |least, number| least.min(*number));
            return (known[one] - known[other]).abs() / (range / 5.0);
        }
        let tree = &attribute.taxonomy;
        let meeting = tree
            .nodes()
            .filter(|node| [one, other].iter().all(|leaf| tree.leaves_below(*node).contains(leaf)));
        let lowest = meeting.max_by_key(|node| tree.depth(*node)).expect("the root");
        if one == other { 0.0 } else { tree.height(lowest) as f64 / tree.height(tree.root()) as f64 }
    };
    (0..observations.attributes.len()).map(column).sum()
}

/// People with an age (whose leaves are in no order), a place in a tree of two levels, and one of five values.
fn any_people() -> impl Generate<Value = RandomWorld> {
    let bars = prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 12);
    let rows = prop::collection::btree_map((0u32..12, 0u32..5, 0..VALUES as u32), 1u64..4, 1..60);
    (bars, rows).prop_map(|(bars, rows)| {
        let ages = [40, 7, 12, 90, 33, 21, 5, 64, 50, 18, 71, 80].map(|age: u32| age.to_string());
        let path = |text: &str| text.split(';').map(str::to_string).collect::<Vec<_>>();
        let places = ["a;north;*", "b;north;*", "c;south;*", "d;south;*", "e;*"].map(path);
        let attributes = vec![
            Attribute::crisp(
                "age".to_string(),
                Arc::new(Taxonomy::flat(ages.iter().map(String::as_str)).expect("a tree")),
            ),
            Attribute::crisp("place".to_string(), Arc::new(Taxonomy::from_paths(&places).expect("a tree"))),
        ];
        let mut observations =
            Observations::new(attributes, (0..VALUES).map(|value| format!("v{value}")).collect());
        let mut excluded = Vec::new();
        for ((age, place, value), weight) in rows {
            let (one, two, three) = bars[age as usize];
            let bits = one & two & three;
            let barred = (0..VALUES as u32).filter(|other| *other != value && bits >> other & 1 == 1);
            excluded.push(ValueSet::of(VALUES, barred));
            observations.push(&[age, place], value, weight);
        }
        RandomWorld { observations, excluded }
    })
}

/// Distances are sums of floating-point numbers.
fn same(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn the_index_finds_records_by_distance(world in any_people(), takes in prop::collection::vec(any::<u16>(), 0..40), seed in any::<u64>()) {
        let observations = &world.observations;
        let records: Vec<u32> = (0..observations.len() as u32).collect();
        let mut index = RecordIndex::by_value(observations, &records);
        let mut left: Vec<u64> = records.iter().map(|record| observations.weight(*record as usize)).collect();
        for take in takes {
            let record = records[take as usize % records.len()];
            if left[record as usize] > 0 {
                left[record as usize] -= 1;
                index.take(record);
            }
        }
        let mut random = random::keyed(seed, "test");
        for value in 0..VALUES {
            let having = |record: &&u32| observations.value(**record as usize) as usize == value;
            let total: u64 = records.iter().filter(having).map(|record| left[*record as usize]).sum();
            prop_assert_eq!(index.left(value), total);
            let drawn = index.draw(value, &mut random);
            prop_assert_eq!(drawn.is_some(), total > 0);
            prop_assert!(drawn.is_none_or(|drawn| having(&&drawn) && left[drawn as usize] > 0));
        }
        let from = records[seed as usize % records.len()];
        let mut search = NearestFirst::default();
        index.search(&mut search, from, [0, 2, 3].into_iter(), &mut random);
        let mut found = Vec::new();
        while let Some(record) = index.next(&mut search, |value| value != 2, &mut random) {
            prop_assert!(same(index.distance(from, record), distance(observations, from, record)));
            found.push(record);
        }
        let distances: Vec<f64> = found.iter().map(|record| index.distance(from, *record)).collect();
        prop_assert!(distances.is_sorted());
        found.sort_unstable();
        let wanted = |record: &u32| [0, 3].contains(&observations.value(*record as usize)) && left[*record as usize] > 0;
        prop_assert_eq!(found, records.iter().copied().filter(wanted).collect::<Vec<u32>>());
        let mut order = ranks(observations, &records);
        order.sort_unstable();
        prop_assert_eq!(order, records);
    }

    #[test]
    fn a_group_takes_the_nearest_that_it_can_have(world in any_people(), l in 2usize..5, seed in any::<u64>()) {
        let observations = &world.observations;
        let (classes, class_of) = RecordClasses::of(observations, &world.excluded);
        let records: Vec<u32> = (0..observations.len() as u32).collect();
        let mut pool = UngroupedPeople::new(observations, &classes, &class_of, &records);
        let mut random = random::keyed(seed, "test");
        let (groups, waiting) = pool.group(l, &mut random, &Clock::unlimited()).expect("groups");
        let mut left: Vec<u64> = records.iter().map(|record| observations.weight(*record as usize)).collect();
        let class = |record: u32| &classes.list[class_of[record as usize] as usize];
        // Seeds that wait are not listed in order with the groups: take what they leave as an upper bound of what was there.
        let mut waits = waiting.clone();
        for group in &groups {
            prop_assert_eq!(group.len(), l);
            let total: u64 = left.iter().sum();
            let having = |value: u32, left: &[u64]| -> u64 {
                records.iter().filter(|record| class(**record).value == value).map(|record| left[*record as usize]).sum()
            };
            let is_certain = waits.is_empty();
            let due = |value: u32, left: &[u64]| having(value, left) * l as u64 > total.saturating_sub(l as u64);
            if is_certain {
                prop_assert_eq!(having(class(group[0]).value, &left), (0..VALUES as u32).map(|value| having(value, &left)).max().unwrap_or(0));
            }
            for (at, member) in group.iter().enumerate().skip(1) {
                let before = &group[..at];
                let fits = |record: u32| left[record as usize] > 0 && before.iter().all(|other| !class(*other).clashes(class(record)));
                prop_assert!(fits(*member));
                if !is_certain {
                    continue;
                }
                let own = due(class(*member).value, &left);
                let nearer = |record: &&u32| {
                    let comparable = if own { class(**record).value == class(*member).value } else { true };
                    comparable && fits(**record) && distance(observations, group[0], **record) + 1e-9 < distance(observations, group[0], *member)
                };
                prop_assert_eq!(records.iter().find(nearer), None);
                // Values that are due come first.
                prop_assert!(own || !records.iter().any(|record| fits(*record) && due(class(*record).value, &left)));
            }
            group.iter().for_each(|record| left[*record as usize] -= 1);
        }
        waits.sort_unstable();
        let mut rest: Vec<u32> = records.iter().flat_map(|record| vec![*record; left[*record as usize] as usize]).collect();
        rest.sort_unstable();
        prop_assert_eq!(waits, rest);
    }

    #[test]
    fn near_groups_are_the_same_in_any_order_of_rows(world in any_people(), l in 1usize..4, k in 1u64..8, turn in any::<u64>()) {
        let clock = Clock::unlimited();
        let mut order: Vec<usize> = (0..world.observations.len()).collect();
        random::shuffle(&mut order, &mut random::keyed(turn, "order"));
        let mut turned = Observations::new(world.observations.attributes.clone(), world.observations.values.clone());
        for record in &order {
            let leaves = [0, 1].map(|attribute| world.observations.leaf(attribute, *record));
            turned.push(&leaves, world.observations.value(*record), world.observations.weight(*record));
        }
        let excluded = order.iter().map(|record| world.excluded[*record].clone()).collect();
        let turned = RandomWorld { observations: turned, excluded };
        let formed = |world: &RandomWorld| {
            let task = GroupingTask { k, ..world.task(l, true) };
            let grouping = group(&task, GroupingStrategy::Near, 5, &clock).ok()?;
            check_groups(&task, &grouping);
            let look = |record: &u32| {
                let record = *record as usize;
                (world.observations.leaf(0, record), world.observations.leaf(1, record), world.observations.value(record))
            };
            Some(grouping.groups.iter().map(|group| group.iter().map(look).collect::<Vec<_>>()).collect::<Vec<_>>())
        };
        prop_assert_eq!(formed(&world), formed(&turned));
    }

    #[test]
    fn without_rules_an_eligible_table_keeps_every_value_at_one_in_l(world in any_people(), l in 1usize..5, seed in any::<u64>()) {
        let counts = world.observations.value_counts();
        let eligible = counts.iter().all(|count| count * l as u64 <= world.observations.total());
        let nothing = vec![ValueSet::none(VALUES); world.observations.len()];
        let task = GroupingTask { excluded: &nothing, ..world.task(l, false) };
        if let Ok(grouping) = group(&task, GroupingStrategy::Near, seed, &Clock::unlimited()) {
            let exposure = expose(&task, &grouping);
            prop_assert!(!eligible || exposure.above_one_in_l == 0, "{:?}", exposure);
            prop_assert!(!eligible || exposure.frequency.0 == 1, "{:?}", exposure);
        } else {
            prop_assert!(!eligible);
        }
    }
}

#[test]
fn distances_by_hand() {
    let path = |text: &str| text.split(';').map(str::to_string).collect::<Vec<_>>();
    let ages = Taxonomy::flat(["20", "70", "30", "unknown"]).expect("a tree");
    let places = Taxonomy::from_paths(&["a;north;*", "b;north;*", "c;south;*"].map(path)).expect("a tree");
    let column =
        |tree: &Taxonomy| ColumnDistance::new(&Attribute::crisp("c".to_string(), Arc::new(tree.clone())));
    let between = |tree: &Taxonomy, one: &str, other: &str| {
        let (column, leaf) =
            (column(tree), |label: &str| tree.leaves_below(tree.find(label).expect("a leaf")).start);
        column.between(column.place(leaf(one) as u32), column.place(leaf(other) as u32))
    };
    // The range is 50 years, a spread 10.
    assert!(same(between(&ages, "20", "30"), 1.0) && same(between(&ages, "70", "30"), 4.0));
    assert!(same(between(&ages, "unknown", "30"), 5.0) && same(between(&ages, "unknown", "unknown"), 0.0));
    assert!(same(between(&places, "a", "b"), 0.5) && same(between(&places, "a", "c"), 1.0));
}
