//! Rolling up against counting records.

use std::fs;

use proptest::prelude::*;

use super::*;
use privet_policy::Policy;

const CITIES: &str = "Bergen;Norway;*\nOslo;Norway;*\nLyon;France;*\nNice;France;*\nVaduz;*\n";

fn microdata(rows: &[(usize, usize, usize)]) -> Microdata {
    let folder = tempfile::tempdir().expect("a folder");
    let cities: Vec<&str> = CITIES.lines().filter_map(|line| line.split(';').next()).collect();
    let row = |(city, age, disease): &(usize, usize, usize)| format!("{},{age},d{disease}\n", cities[*city]);
    let data = std::iter::once("city,age,disease\n".to_string()).chain(rows.iter().map(row));
    fs::write(folder.path().join("data.csv"), data.collect::<String>()).expect("written");
    fs::write(folder.path().join("city.csv"), CITIES).expect("written");
    let text = "[data]\npath = \"data.csv\"\n\
                [columns.city]\nrole = \"quasi-identifier\"\nhierarchy = \"city.csv\"\n\
                [columns.age]\nrole = \"quasi-identifier\"\n[columns.disease]\nrole = \"sensitive\"\n\
                [privacy.k-anonymity]\nk = 2\n";
    let policy = Policy::parse(&folder.path().join("policy.toml"), text.into()).expect("a policy");
    let policy = policy.check(None).expect("a checked policy");
    Microdata::read(&policy, &mut |_| Ok(())).expect("data")
}

/// A class: its key, its size, its counts by slot.
type Content = (Vec<u32>, u64, Vec<(u32, u64)>);

/// All classes in the order of their keys.
fn contents(grouping: &Grouping, ladders: &Ladders, slots: u32) -> Vec<Content> {
    let of = |class: usize| {
        let mut counts = Vec::new();
        grouping.class(class).counts.for_each(&(0..slots), |slot, count| counts.push((slot, count)));
        (ladders.values(grouping.key(class)).collect(), grouping.class(class).size, counts)
    };
    let mut contents: Vec<_> = (0..grouping.len()).map(of).collect();
    contents.sort();
    contents
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rolling_up_in_steps_or_sparsely_makes_no_difference(
        rows in prop::collection::vec((0usize..5, 20usize..24, 0usize..4), 1..30),
    ) {
        let microdata = microdata(&rows);
        let ladders = Ladders::of(&microdata);
        let slots = microdata.table.slots();
        let (base, class_of_record) = Grouping::base(&microdata, &ladders);
        prop_assert_eq!(class_of_record.len(), microdata.summary.len());
        let base = Arc::new(base);
        let (mut sparse, _) = Grouping::base(&microdata, &ladders);
        // As if there were very many slots.
        let mut tallies = Tallies::of_classes(usize::MAX, sparse.len());
        for class in 0..sparse.len() {
            sparse.class(class).counts.for_each(&(0..slots), |slot, count| tallies.add(class, slot, count));
        }
        prop_assert!(matches!(tallies, Tallies::Sparse(_)));
        sparse.tallies = tallies.into();
        let sparse = Arc::new(sparse);
        for (city, age) in (0..3u8).flat_map(|city| (0..2u8).map(move |age| (city, age))) {
            let at_once = Grouping::roll_up(&base, &[city, age], &ladders);
            let step = Arc::new(Grouping::roll_up(&base, &[city.min(1), 0], &ladders));
            let in_steps = Grouping::roll_up(&step, &[city, age], &ladders);
            let sparsely = Grouping::roll_up(&sparse, &[city, age], &ladders);
            // However classes are looked up, they are the same and have the same numbers.
            let (chunks, places) = ladders.climb(&base, &[city, age]);
            let mut builders = [(); 3].map(|()| Builder::new([city, age].into(), ladders.words));
            let class_of = [
                builders[0].take_listed(&base, &chunks, places),
                builders[1].take_words(&base, &chunks),
                builders[2].take_keys(&base, &chunks),
            ];
            for (builder, taken) in builders.iter().zip(&class_of) {
                prop_assert_eq!(taken, &class_of[0]);
                prop_assert_eq!(&builder.grouping.keys, &builders[0].grouping.keys);
                prop_assert_eq!(&builder.grouping.sizes, &builders[0].grouping.sizes);
            }
            for (grouping, below) in [(&at_once, &base), (&in_steps, &base)] {
                for (part, class) in grouping.parts().into_iter().enumerate() {
                    let shown: Vec<u32> = ladders.values(grouping.key(class as usize)).collect();
                    let own = ladders.values(below.key(part)).zip(ladders.columns()).zip([city, age]);
                    let climbed = own.map(|((value, ladder), to)| ladder.climb(0, to)[value as usize]);
                    prop_assert_eq!(climbed.collect::<Vec<u32>>(), shown);
                }
            }
            let expected = contents(&at_once, &ladders, slots);
            prop_assert_eq!(&contents(&in_steps, &ladders, slots), &expected);
            prop_assert_eq!(&contents(&sparsely, &ladders, slots), &expected);
            prop_assert_eq!(expected.iter().map(|(_, size, _)| size).sum::<u64>(), rows.len() as u64);
            // Every class is as large as the number of records that look like it.
            for (key, size, counts) in &expected {
                let like = (0..microdata.summary.len()).filter(|record| {
                    let codes = microdata.quasi_codes(*record).iter().enumerate();
                    let shown = codes.map(|(column, code)| {
                        let leaf = microdata.quasi[column].leaf_of_code[*code as usize];
                        ladders.columns()[column].value(leaf, [city, age][column])
                    });
                    shown.eq(key.iter().copied())
                });
                prop_assert_eq!(*size, like.map(|record| microdata.summary.count(record)).sum::<u64>());
                prop_assert_eq!(*size, counts.iter().map(|(_, count)| count).sum::<u64>());
            }
        }
    }
}
