//! Buckets whose rows, numbers or values are in an order that tells whose they are.

use std::fs;

use rand_chacha::ChaCha20Rng;

use super::book::Book;
use super::*;
use crate::order::FALSE_ALARM;
use privet_core::random::{below, keyed, shuffle};
use privet_data::ReadOptions;
use privet_policy::Policy;

/// Somebody's quasi-identifiers, value and bucket.
type Someone = (String, String, String, usize);

struct Bench {
    folder: tempfile::TempDir,
    policy: CheckedPolicy,
    people: Vec<Someone>,
}

impl Bench {
    /// So many people from so many regions, with so many values that are equally frequent, one of each in every bucket.
    fn new(rows: usize, regions: u64, values: usize, random: &mut ChaCha20Rng) -> Bench {
        let mut people: Vec<Someone> = (0..rows)
            .map(|row| {
                let sex = ["F", "M"][below(random, 2) as usize].to_string();
                (sex, format!("r{}", below(random, regions)), format!("v{}", row % values), row / values + 1)
            })
            .collect();
        // Buckets are numbered at random.
        let mut numbers: Vec<usize> = (1..=rows.div_ceil(values)).collect();
        shuffle(&mut numbers, random);
        people.iter_mut().for_each(|row| row.3 = numbers[row.3 - 1]);
        shuffle(&mut people, random);
        let folder = tempfile::tempdir().expect("a folder");
        let lines: String =
            people.iter().map(|(sex, region, value, _)| format!("{sex},{region},{value}\n")).collect();
        fs::write(folder.path().join("data.csv"), format!("sex,region,s\n{lines}")).expect("a file");
        let text = "[data]\npath = \"data.csv\"\n[columns.sex]\nrole = \"quasi-identifier\"\n[columns.region]\n\
                    role = \"quasi-identifier\"\n[columns.s]\nrole = \"sensitive\"\n[privacy.l-diversity]\ncolumn = \"s\"\nl = 2\n\
                    [method]\nname = \"anatomy\"\n";
        let policy = Policy::parse(&folder.path().join("policy.toml"), text.to_string()).expect("TOML");
        let policy = policy.check(None).unwrap_or_else(|error| panic!("{error}"));
        Bench { folder, policy, people }
    }

    fn table(&self, name: &str, text: String) -> Source {
        let path = self.folder.path().join(name);
        fs::write(&path, text).expect("a file");
        Source::open(&path, &ReadOptions::with_names(None)).expect("a table")
    }

    fn evidence(&self, release: &BucketTables, with_list: bool) -> crate::order::Evidence {
        let list: Vec<Option<String>> = self.people.iter().map(|row| Some(row.3.to_string())).collect();
        let list = with_list.then_some(list.as_slice());
        let (book, _) = Book::read(&self.policy, release, 2, list, &mut || Ok(())).expect("a book");
        order::evidence(&book)
    }

    /// Two tables with the rows in this order.
    fn two(&self, rows: &[Someone]) -> BucketTables {
        let qit: String =
            rows.iter().map(|(sex, region, _, bucket)| format!("{sex},{region},{bucket}\n")).collect();
        let mut counts: BTreeMap<(usize, &str), u64> = BTreeMap::new();
        rows.iter().for_each(|row| *counts.entry((row.3, row.2.as_str())).or_default() += 1);
        let st: String =
            counts.iter().map(|((bucket, value), count)| format!("{bucket},{value},{count}\n")).collect();
        BucketTables::Two {
            qit: self.table("qit.csv", format!("sex,region,bucket\n{qit}")),
            st: self.table("st.csv", format!("bucket,s,count\n{st}")),
        }
    }

    /// One table with the rows and values in this order.
    fn permuted(&self, rows: &[Someone]) -> BucketTables {
        let lines: String = rows
            .iter()
            .map(|(sex, region, value, bucket)| format!("{sex},{region},{value},{bucket}\n"))
            .collect();
        BucketTables::Permuted(self.table("release.csv", format!("sex,region,s,bucket\n{lines}")))
    }
}

/// The rows bucket by bucket.
fn by_bucket(rows: &[Someone]) -> Vec<Someone> {
    let mut rows = rows.to_vec();
    rows.sort_by_key(|row| row.3);
    rows
}

fn shuffled(rows: &[Someone], random: &mut ChaCha20Rng) -> Vec<Someone> {
    let mut rows = rows.to_vec();
    shuffle(&mut rows, random);
    rows
}

/// The values of each bucket in another order.
fn with_values(rows: &[Someone], change: &mut dyn FnMut(&mut Vec<String>)) -> Vec<Someone> {
    let mut rows = by_bucket(rows);
    for bucket in rows.chunk_by_mut(|one, other| one.3 == other.3) {
        let mut values: Vec<String> = bucket.iter().map(|row| row.2.clone()).collect();
        change(&mut values);
        bucket.iter_mut().zip(values).for_each(|(row, value)| row.2 = value);
    }
    rows
}

#[test]
fn hard_use_1_4_rows_of_buckets_in_the_order_of_the_original_or_of_values_are_seen() {
    let random = &mut keyed(1, "test");
    for (rows, regions, values) in [(400, 6, 4), (400, 300, 4), (600, 300, 20)] {
        let bench = Bench::new(rows, regions, values, random);
        let people = &bench.people;
        let mixed = shuffled(people, random);
        // By a secret order of the values, the same in all buckets.
        let mut secret: Vec<usize> = (0..values).collect();
        shuffle(&mut secret, random);
        let number = |row: &Someone| row.2[1..].parse::<usize>().expect("a number");
        let sorted = |rows: &[Someone], key: &dyn Fn(&Someone) -> usize| {
            let mut rows = rows.to_vec();
            rows.sort_by_key(key);
            rows
        };
        let mut interleaved = sorted(&mixed, &|row| number(row));
        let mut of_bucket: BTreeMap<usize, Vec<Someone>> = BTreeMap::new();
        interleaved.drain(..).rev().for_each(|row| of_bucket.entry(row.3).or_default().push(row));
        let interleaved: Vec<Someone> =
            mixed.iter().filter_map(|row| of_bucket.get_mut(&row.3)?.pop()).collect();
        let files = [
            ("the original", people.clone()),
            ("the original, buckets together", by_bucket(people)),
            ("values", by_bucket(&sorted(&mixed, &|row| number(row)))),
            ("values backwards", by_bucket(&sorted(&mixed, &|row| values - number(row)))),
            ("values shifted", by_bucket(&sorted(&mixed, &|row| (number(row) + 1) % values))),
            ("values in a secret order", by_bucket(&sorted(&mixed, &|row| secret[number(row)]))),
            ("the whole file by values", sorted(&mixed, &|row| number(row))),
            ("the whole file by values in a secret order", sorted(&mixed, &|row| secret[number(row)])),
            ("buckets mixed, each by values", interleaved),
        ];
        for (how, file) in files {
            for with_list in [true, false] {
                let found = bench.evidence(&bench.two(&file), with_list).ln();
                // Without the list, who has which value is not known of people who share their quasi-identifiers.
                if with_list || regions > 6 {
                    assert!(
                        found > -FALSE_ALARM.ln(),
                        "{how}: {rows}, {regions} regions, list: {with_list}: {found}"
                    );
                } else {
                    println!("{how}: {found}");
                }
            }
        }
        for file in [mixed.clone(), by_bucket(&mixed)] {
            for with_list in [true, false] {
                assert!(bench.evidence(&bench.two(&file), with_list).verdict(FALSE_ALARM).is_none());
            }
        }
    }
}

#[test]
fn hard_use_1_4_permuted_values_that_are_their_owners_are_seen_however_shifted() {
    let random = &mut keyed(2, "test");
    for (rows, regions, values) in [(400, 6, 4), (400, 300, 4), (600, 300, 20)] {
        let bench = Bench::new(rows, regions, values, random);
        let mixed = shuffled(&bench.people, random);
        let mut sorted = bench.people.clone();
        sorted.sort();
        let next = |row: &Someone| {
            let number: usize = row.2[1..].parse().expect("a number");
            (row.0.clone(), row.1.clone(), format!("v{}", (number + 1) % values), row.3)
        };
        let files = [
            ("own", mixed.clone(), true),
            ("own, bucket by bucket", by_bucket(&mixed), true),
            ("own, sorted", by_bucket(&sorted), true),
            ("back by one", with_values(&mixed, &mut |list| list.rotate_left(1)), false),
            ("on by half", with_values(&mixed, &mut |list| list.rotate_right(values / 2)), false),
            ("turned round", with_values(&mixed, &mut |list| list.reverse()), true),
            ("in code", mixed.iter().map(next).collect(), false),
        ];
        for (how, file, is_plain) in files {
            for with_list in [true, false] {
                let found = bench.evidence(&bench.permuted(&file), with_list).ln();
                if with_list || regions > 6 || is_plain {
                    assert!(
                        found > -FALSE_ALARM.ln(),
                        "{how}: {rows}, {regions} regions, list: {with_list}: {found}"
                    );
                } else {
                    println!("{how}: {found}");
                }
            }
        }
        let honest = with_values(&mixed, &mut |list| shuffle(list, random));
        for with_list in [true, false] {
            assert!(bench.evidence(&bench.permuted(&honest), with_list).verdict(FALSE_ALARM).is_none());
        }
    }
}

/// At a chance of one in a hundred, no more than one in a hundred honest releases are suspected.
#[test]
fn hard_use_1_4_false_alarms_about_buckets_are_as_rare_as_stated() {
    let random = &mut keyed(3, "test");
    for (rows, regions, values) in [(12, 2, 2), (40, 3, 4), (60, 300, 3)] {
        let bench = Bench::new(rows, regions, values, random);
        let mut alarms: BTreeMap<(usize, bool), u32> = BTreeMap::new();
        for _ in 0..300 {
            let mixed = shuffled(&bench.people, random);
            let sorted: Vec<Someone> = {
                let mut rows = by_bucket(&mixed);
                rows.sort_by(|one, other| (one.3, &one.0).cmp(&(other.3, &other.0)));
                rows
            };
            let permuted = with_values(&mixed, &mut |list| shuffle(list, random));
            // Files are written one after the other, under the same names.
            let honest: [&dyn Fn() -> BucketTables; 5] = [
                &|| bench.two(&mixed),
                &|| bench.two(&by_bucket(&mixed)),
                &|| bench.two(&sorted),
                &|| bench.permuted(&permuted),
                &|| bench.permuted(&by_bucket(&permuted)),
            ];
            for (number, file) in honest.iter().enumerate() {
                for with_list in [true, false] {
                    let found = bench.evidence(&file(), with_list).verdict(0.01).is_some();
                    *alarms.entry((number, with_list)).or_default() += u32::from(found);
                }
            }
        }
        let total: u32 = alarms.values().sum();
        assert!(
            total <= 3 * alarms.len() as u32 && alarms.values().all(|found| *found <= 7),
            "{rows}: {alarms:?}"
        );
    }
}
