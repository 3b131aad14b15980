//! A naive reading of the definitions on random tables: the audit must agree with it.

use num_rational::Ratio;
use proptest::prelude::*;

use super::*;

/// A record of the random tables: age, city and disease.
pub(super) type Record = (u64, usize, usize);
/// A released one: its cells' texts and the disease.
pub type NaiveRow = (String, String, usize);

pub(super) const CITY: [&str; 4] = ["Bergen", "Oslo", "Lyon", "Nice"];
pub(super) const COUNTRY: [&str; 4] = ["Norway", "Norway", "France", "France"];
/// The last is a suppressed cell.
pub(super) const DISEASE: [&str; 4] = ["flu", "cold", "cancer", "*"];
pub(super) const SUPPRESSED: usize = 3;

pub(super) fn records() -> impl Strategy<Value = Vec<Record>> {
    proptest::collection::vec((20u64..24, 0usize..4, 0usize..3), 1..9)
}

/// How a record is released: width of the age range (0: exact, 9: `*`), level of the city, shifts that make it false.
pub(super) type Recipe = (u64, usize, u64, usize);

pub(super) fn recipes() -> impl Strategy<Value = Vec<Option<Recipe>>> {
    let shift = prop_oneof![9 => Just(0u64), 1 => 1u64..3];
    let swap = prop_oneof![9 => Just(0usize), 1 => 1usize..3];
    let width = prop_oneof![Just(0u64), Just(1), Just(2), Just(9)];
    proptest::collection::vec(proptest::option::weighted(0.9, (width, 0usize..3, shift, swap)), 9)
}

pub fn released(records: &[Record], recipes: &[Option<Recipe>]) -> Vec<NaiveRow> {
    let pairs =
        records.iter().zip(recipes).filter_map(|(record, recipe)| recipe.map(|recipe| (record, recipe)));
    pairs
        .map(|((age, city, disease), (width, level, shift, swap))| {
            let low = age + shift;
            let age = match width {
                0 => low.to_string(),
                9 => "*".to_string(),
                width => format!("[{},{}]", low / 2 * 2, low / 2 * 2 + width),
            };
            let city = [CITY[*city], COUNTRY[*city], "*"][level];
            (age, city.to_string(), (disease + swap) % 3)
        })
        .collect()
}

pub fn naive_covers(released: &NaiveRow, record: &Record) -> bool {
    let (age, city, disease) = released;
    let age_fits = match age.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')?.split_once(',')) {
        Some((low, high)) => {
            let number = |text: &str| text.parse::<u64>().expect("a number");
            (number(low)..=number(high)).contains(&record.0)
        }
        None => age == "*" || *age == record.0.to_string(),
    };
    let city_fits = city == "*" || city == CITY[record.1] || city == COUNTRY[record.1];
    age_fits && city_fits && (*disease == SUPPRESSED || *disease == record.2)
}

/// How many released records can be given different originals, by trying everything.
pub fn naive_matches(released: &[NaiveRow], records: &[Record], used: u32) -> usize {
    let Some((first, rest)) = released.split_first() else { return 0 };
    let skip = naive_matches(rest, records, used);
    let free = (0..records.len()).filter(|at| used >> at & 1 == 0 && naive_covers(first, &records[*at]));
    free.map(|at| 1 + naive_matches(rest, records, used | 1 << at)).max().unwrap_or(0).max(skip)
}

pub(super) fn ratio(over: usize, under: usize) -> Ratio<i128> {
    Ratio::new(over as i128, under as i128)
}

pub(super) fn shares(diseases: &[usize]) -> Vec<Ratio<i128>> {
    let count = |value: usize| diseases.iter().filter(|disease| **disease == value).count();
    (0..3).map(|value| ratio(count(value), diseases.len())).collect()
}

pub(super) fn amount(number: Ratio<i128>) -> Ratio<i128> {
    if number < ratio(0, 1) { -number } else { number }
}

/// Whether a class with these diseases keeps each requirement of `random_policy`, by the definitions.
pub(super) fn naive_verdicts(class: &[usize], table: &[usize]) -> Vec<bool> {
    let mut counts: Vec<usize> =
        (0..3).map(|value| class.iter().filter(|disease| **disease == value).count()).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let (here, there) = (shares(class), shares(table));
    let present: Vec<usize> = (0..3).filter(|value| there[*value] > ratio(0, 1)).collect();
    let foreign = (0..3).any(|value| !present.contains(&value) && here[value] > ratio(0, 1));
    let extra = |value: usize| here[value] - there[value];
    let equal: Ratio<i128> = (0..3).map(|value| amount(extra(value))).sum::<Ratio<i128>>() * ratio(1, 2);
    let running =
        (1..=present.len()).map(|end| amount(present[..end].iter().map(|value| extra(*value)).sum()));
    let ordered = running.sum::<Ratio<i128>>() * ratio(1, present.len().max(2) - 1);
    // On a tree the earth mover's distance is the sum over all edges of what crosses them; here every edge is 1/4 long.
    let edges = [extra(0), extra(1), extra(2), extra(0) + extra(1), extra(2)];
    let hierarchical: Ratio<i128> = edges.into_iter().map(amount).sum::<Ratio<i128>>() * ratio(1, 4);
    vec![
        class.len() >= 2,
        counts.iter().filter(|count| **count > 0).count() >= 2,
        ratio(counts[0], class.len()) <= ratio(1, 2),
        ratio(counts[0], 1) < ratio(3 * (counts[1] + counts[2]), 2),
        !foreign && equal <= ratio(1, 3),
        !foreign && ordered <= ratio(1, 4),
        !foreign && hierarchical <= ratio(1, 4),
    ]
}

pub(super) const RANDOM_POLICY: &str = "\
[privacy.k-anonymity]
k = 2
[[privacy.l-diversity]]
column = \"disease\"
l = 2
[[privacy.l-diversity]]
column = \"disease\"
l = 2
kind = \"frequency\"
[[privacy.l-diversity]]
column = \"disease\"
l = 2
kind = \"recursive\"
c = 1.5
[[privacy.t-closeness]]
column = \"disease\"
t = \"1/3\"
[[privacy.t-closeness]]
column = \"disease\"
t = 0.25
distance = \"ordered\"
[[privacy.t-closeness]]
column = \"disease\"
t = 0.25
distance = \"hierarchical\"
";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_naive_reading_of_the_definitions_agrees(records in records(), recipes in recipes()) {
        let case = Case::new(RANDOM_POLICY);
        let rows = records.iter().map(|(age, city, disease)| format!("x,{age},{},{},\n", CITY[*city], DISEASE[*disease]));
        case.write("original.csv", &format!("name,age,city,disease,note\n{}", rows.collect::<String>()));
        let released = released(&records, &recipes);
        prop_assume!(!released.is_empty());
        let rows = released.iter().map(|(age, city, disease)| format!("\"{age}\",{city},{},\n", DISEASE[*disease]));
        let audit = case.audit(&format!("age,city,disease,note\n{}", rows.collect::<String>()));

        let matched = naive_matches(&released, &records, 0);
        prop_assert_eq!(check(&audit, "records").concerned, (released.len() - matched) as u64);
        prop_assert_eq!(check(&audit, "records").holds, matched == released.len());
        prop_assert_eq!(audit.records.suppressed, (records.len() - released.len()) as u64);

        let table: Vec<usize> = records.iter().map(|(_, _, disease)| *disease).collect();
        let mut concerned = [0u64; 7];
        for (age, city, _) in &released {
            let class = released.iter().filter(|other| other.0 == *age && other.1 == *city);
            let diseases: Vec<usize> = class.map(|(_, _, disease)| *disease).collect();
            for (count, holds) in concerned.iter_mut().zip(naive_verdicts(&diseases, &table)) {
                *count += u64::from(!holds);
            }
        }
        let requirements = &audit.checks[audit.checks.len() - 7..];
        for (check, concerned) in requirements.iter().zip(concerned) {
            prop_assert_eq!(check.concerned, concerned, "{}", check.name);
            prop_assert_eq!(check.holds, concerned == 0, "{}", check.name);
        }
    }
}
