//! Buckets whose rows, numbers or values are in an order that tells whose they are.

mod honest;

use std::collections::BTreeMap;
use std::fs;

use rand_chacha::ChaCha20Rng;

use super::super::BucketTables;
use super::super::book::BucketBook;
use crate::order::{Evidence, FALSE_ALARM};
use privet_core::random::{below, keyed, shuffle};
use privet_data::{ReadOptions, Source};
use privet_policy::{CheckedPolicy, Policy};

/// Somebody's quasi-identifiers, value and bucket.
type Someone = (String, String, String, usize);

struct Bench {
    folder: tempfile::TempDir,
    policy: CheckedPolicy,
    people: Vec<Someone>,
}

/// How many people there are, from how many regions, and how many rows a bucket has, each with another value.
#[derive(Debug, Clone, Copy)]
struct Size {
    rows: usize,
    regions: u64,
    values: usize,
}

fn size(rows: usize, regions: u64, values: usize) -> Size {
    Size { rows, regions, values }
}

/// The name of the person in this row of the original: names are in no order.
fn name_of(row: usize) -> String {
    format!("n{:08x}", (row as u32 + 1).wrapping_mul(2_654_435_769))
}

fn number(row: &Someone) -> usize {
    row.2[1..].parse().expect("a number")
}

impl Bench {
    /// People in buckets that are numbered at random. Values are not equally frequent.
    fn new(Size { rows, regions, values }: Size, random: &mut ChaCha20Rng) -> Bench {
        let mut people: Vec<Someone> = (0..rows)
            .map(|row| {
                let sex = ["F", "M"][below(random, 2) as usize].to_string();
                let rare = below(random, 2 + row as u64 % values as u64) == 0;
                let value = row % values + if rare { values } else { 0 };
                (sex, format!("r{}", below(random, regions)), format!("v{value}"), row / values + 1)
            })
            .collect();
        let mut numbers: Vec<usize> = (1..=rows.div_ceil(values)).collect();
        shuffle(&mut numbers, random);
        people.iter_mut().for_each(|row| row.3 = numbers[row.3 - 1]);
        shuffle(&mut people, random);
        Bench::of(people)
    }

    fn of(people: Vec<Someone>) -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        let line = |(row, (sex, region, value, _)): (usize, &Someone)| {
            format!("{},{sex},{region},{value}\n", name_of(row))
        };
        let lines: String = people.iter().enumerate().map(line).collect();
        fs::write(folder.path().join("data.csv"), format!("name,sex,region,s\n{lines}")).expect("a file");
        let text = "[data]\npath = \"data.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.sex]\nrole = \"quasi-identifier\"\n[columns.region]\n\
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

    fn evidence(&self, release: &BucketTables, with_list: bool) -> Evidence {
        let mut book = self.book(release);
        if !with_list {
            forget_list(&mut book);
        }
        super::evidence(&book, &mut || Ok(())).expect("nobody stops it")
    }

    fn book(&self, release: &BucketTables) -> BucketBook {
        let list: Vec<Option<String>> = self.people.iter().map(|row| Some(row.3.to_string())).collect();
        BucketBook::read(&self.policy, release, 3, Some(&list), &mut || Ok(())).expect("a book").0
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

    /// Asserts that a release is suspicious, where it must be.
    fn sees(&self, release: &BucketTables, with_list: bool, must: bool, how: &str) {
        let found = self.evidence(release, with_list);
        let seen = found.verdict(FALSE_ALARM).is_some();
        println!("{} {how}, list: {with_list}: {:.1}", if seen { "seen" } else { "  -" }, found.ln());
        assert!(seen || !must, "{how}, list: {with_list}: {}", found.ln());
    }
}

/// Makes a book one that was read without the steward's list.
fn forget_list(book: &mut BucketBook) {
    book.assigned.clear();
    book.trail.assigned.clear();
    book.trail.assigned_names.clear();
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

fn sorted<K: Ord>(rows: &[Someone], key: impl Fn(&Someone) -> K) -> Vec<Someone> {
    let mut rows = rows.to_vec();
    rows.sort_by_key(key);
    rows
}

/// The rows of each bucket in another order.
fn with_rows(rows: &[Someone], change: &mut dyn FnMut(&mut [Someone])) -> Vec<Someone> {
    let mut rows = by_bucket(rows);
    rows.chunk_by_mut(|one, other| one.3 == other.3).for_each(change);
    rows
}

/// The values of each bucket in another order.
fn with_values(rows: &[Someone], change: &mut dyn FnMut(&mut [String])) -> Vec<Someone> {
    with_rows(rows, &mut |bucket| {
        let mut values: Vec<String> = bucket.iter().map(|row| row.2.clone()).collect();
        change(&mut values);
        bucket.iter_mut().zip(values).for_each(|(row, value)| row.2 = value);
    })
}

/// Two and two rows change places.
fn swap_blocks<T: Clone>(list: &mut [T]) {
    let blocks: Vec<T> = list.chunks(list.len().div_ceil(3).max(1)).rev().flatten().cloned().collect();
    list.clone_from_slice(&blocks);
}

#[test]
fn hard_use_1_4_rows_of_buckets_in_the_order_of_the_original_or_of_values_are_seen() {
    let random = &mut keyed(1, "test");
    for of in [size(80, 300, 4), size(400, 6, 4), size(400, 300, 4), size(600, 300, 20), size(2000, 3, 4)] {
        let bench = Bench::new(of, random);
        let people = &bench.people;
        let mixed = shuffled(people, random);
        let values = 2 * of.values;
        // By a secret order of the values, the same in all buckets.
        let mut secret: Vec<usize> = (0..values).collect();
        shuffle(&mut secret, random);
        let mut counts = vec![0; values];
        people.iter().for_each(|row| counts[number(row)] += 1);
        let frequency = |row: &Someone| (usize::MAX - counts[number(row)], number(row));
        let first = |row: &Someone| people.iter().position(|other| other.2 == row.2);
        let by_value = |rows: &[Someone]| by_bucket(&sorted(rows, |row| row.2.clone()));
        let mut of_bucket: BTreeMap<usize, Vec<Someone>> = BTreeMap::new();
        sorted(&mixed, number)
            .into_iter()
            .rev()
            .for_each(|row| of_bucket.entry(row.3).or_default().push(row));
        let interleaved: Vec<Someone> =
            mixed.iter().filter_map(|row| of_bucket.get_mut(&row.3)?.pop()).collect();
        let files = [
            ("the original", people.clone()),
            ("the original, buckets together", by_bucket(people)),
            ("the original backwards, buckets together", with_rows(people, &mut |rows| rows.reverse())),
            ("values", by_value(&mixed)),
            ("values as numbers", by_bucket(&sorted(&mixed, number))),
            ("values backwards", with_rows(&by_value(&mixed), &mut |rows| rows.reverse())),
            ("values by frequency", by_bucket(&sorted(&mixed, frequency))),
            ("values as they first occur", by_bucket(&sorted(&mixed, first))),
            ("values shifted by one", with_rows(&by_value(&mixed), &mut |rows| rows.rotate_left(1))),
            (
                "values, halves swapped",
                with_rows(&by_value(&mixed), &mut |rows| rows.rotate_left(of.values / 2)),
            ),
            ("values in a secret order", by_bucket(&sorted(&mixed, |row| secret[number(row)]))),
            ("the whole file by values", sorted(&mixed, number)),
            ("the whole file by values in a secret order", sorted(&mixed, |row| secret[number(row)])),
            ("buckets mixed, each by values", interleaved),
            ("values in blocks", with_rows(&by_value(&mixed), &mut |rows| swap_blocks(rows))),
        ];
        for (how, file) in files {
            // Without the list, who has which value is not known of people who share their quasi-identifiers.
            let plain = how.starts_with("values") && !how.contains("secret") && !how.contains("blocks");
            for with_list in [true, false] {
                let must = of.rows > 80 && (with_list || of.regions > 6 || plain && of.rows > 400);
                bench.sees(&bench.two(&file), with_list, must, &format!("{how}: {of:?}"));
            }
        }
        for file in [mixed.clone(), by_bucket(&mixed)] {
            for with_list in [true, false] {
                assert_eq!(bench.evidence(&bench.two(&file), with_list).verdict(FALSE_ALARM), None);
            }
        }
    }
}

/// In buckets of two rows, everything is put together and half of everything is sorted: that must not hide any order.
#[test]
fn hard_use_1_4_the_order_within_buckets_of_two_is_seen() {
    let random = &mut keyed(5, "test");
    for regions in [300, 2] {
        let bench = Bench::new(size(400, regions, 2), random);
        let mixed = shuffled(&bench.people, random);
        for (how, file) in [
            ("the original", by_bucket(&bench.people)),
            ("values", by_bucket(&sorted(&mixed, |row| row.2.clone()))),
            ("values backwards", with_rows(&by_bucket(&sorted(&mixed, number)), &mut |rows| rows.reverse())),
        ] {
            bench.sees(&bench.two(&file), true, true, &format!("{how}, {regions} regions"));
        }
        for (how, file) in [
            ("own", mixed.clone()),
            ("own, bucket by bucket", by_bucket(&mixed)),
            ("swapped", with_values(&mixed, &mut |list| list.reverse())),
        ] {
            bench.sees(&bench.permuted(&file), true, true, &format!("{how}, {regions} regions"));
        }
    }
}

/// Rows, values or numbers in the order of a column that is not published.
#[test]
fn hard_use_1_4_the_order_of_a_hidden_column_is_seen() {
    let random = &mut keyed(6, "test");
    for of in [size(400, 300, 4), size(600, 300, 20)] {
        let bench = Bench::new(of, random);
        let mut named: Vec<(String, Someone)> =
            bench.people.iter().enumerate().map(|(row, own)| (name_of(row), own.clone())).collect();
        named.sort();
        let by_name: Vec<Someone> = named.into_iter().map(|(_, own)| own).collect();
        let by_cells = |rows: &[Someone]| sorted(rows, |row| (row.3, row.0.clone(), row.1.clone()));
        // The cells in their own order, the values in the order of names.
        let values: Vec<String> = by_bucket(&by_name).into_iter().map(|row| row.2).collect();
        let down: Vec<Someone> = by_cells(&bench.people)
            .into_iter()
            .zip(values)
            .map(|(row, value)| (row.0, row.1, value, row.3))
            .collect();
        for with_list in [true, false] {
            bench.sees(&bench.two(&by_name), with_list, true, "the whole file by name");
            bench.sees(&bench.two(&by_bucket(&by_name)), with_list, true, "buckets by name");
            bench.sees(&bench.permuted(&down), with_list, true, "values by name");
        }
    }
}

/// One bucket of many people who share their quasi-identifiers with others: their values next to other rows.
#[test]
fn hard_use_1_4_values_of_a_large_bucket_are_seen_however_shifted() {
    let random = &mut keyed(7, "test");
    for (rows, regions) in [(2000, 40), (100_000, 300)] {
        // Where people live has something to do with what they have.
        let mut people: Vec<Someone> = (0..rows)
            .map(|_| {
                let (region, value) = (below(random, regions), below(random, 6));
                let value = if below(random, 2) == 0 { region % 6 } else { value };
                let sex = ["F", "M"][below(random, 2) as usize].to_string();
                (sex, format!("r{region}"), format!("v{value}"), 1)
            })
            .collect();
        shuffle(&mut people, random);
        let bench = Bench::of(people);
        let mixed = shuffled(&bench.people, random);
        let blocks = |list: &mut [String]| {
            let moved: Vec<String> = list.chunks(rows / 5).rev().flatten().cloned().collect();
            list.clone_from_slice(&moved);
        };
        let files = [
            ("own", mixed.clone()),
            ("shifted", with_values(&mixed, &mut |list| list.rotate_left(rows * 2 / 7))),
            (
                "backwards and shifted",
                with_values(&mixed, &mut |list| {
                    list.reverse();
                    list.rotate_left(rows / 3);
                }),
            ),
            ("in blocks", with_values(&mixed, &mut |list| blocks(list))),
        ];
        for (how, file) in files {
            bench.sees(&bench.permuted(&file), true, true, &format!("{how}: {rows}"));
        }
        let honest = with_values(&mixed, &mut |list| shuffle(list, random));
        for release in [bench.permuted(&honest), bench.two(&mixed)] {
            assert_eq!(bench.evidence(&release, true).verdict(FALSE_ALARM), None);
        }
    }
}

#[test]
fn hard_use_1_4_permuted_values_that_are_their_owners_are_seen_however_shifted() {
    let random = &mut keyed(2, "test");
    for of in [size(80, 300, 4), size(400, 6, 4), size(400, 300, 4), size(600, 300, 20), size(2000, 3, 4)] {
        let bench = Bench::new(of, random);
        let mixed = shuffled(&bench.people, random);
        let next = |row: &Someone| {
            (row.0.clone(), row.1.clone(), format!("v{}", (number(row) + 1) % (2 * of.values)), row.3)
        };
        let files = [
            ("own", mixed.clone()),
            ("own, bucket by bucket", by_bucket(&mixed)),
            ("own, sorted", by_bucket(&sorted(&bench.people, Clone::clone))),
            ("own, sorted by values", sorted(&bench.people, |row| row.2.clone())),
            ("back by one", with_values(&mixed, &mut |list| list.rotate_left(1))),
            ("on by half", with_values(&mixed, &mut |list| list.rotate_right(of.values / 2))),
            ("on by three", with_values(&mixed, &mut |list| list.rotate_right(3))),
            ("turned round", with_values(&mixed, &mut |list| list.reverse())),
            ("in blocks", with_values(&mixed, &mut |list| swap_blocks(list))),
            ("in code", mixed.iter().map(next).collect()),
        ];
        for (how, file) in files {
            let plain = how != "in code" && how != "in blocks";
            for with_list in [true, false] {
                let must = of.rows > 80 && (with_list || of.regions > 6 || plain);
                bench.sees(&bench.permuted(&file), with_list, must, &format!("{how}: {of:?}"));
            }
        }
        let original = with_values(&bench.people, &mut |list| list.rotate_left(1));
        bench.sees(
            &bench.permuted(&shuffled(&original, random)),
            true,
            of.rows > 80,
            "back by one in the original",
        );
        let honest = with_values(&mixed, &mut |list| shuffle(list, random));
        for with_list in [true, false] {
            assert_eq!(bench.evidence(&bench.permuted(&honest), with_list).verdict(FALSE_ALARM), None);
        }
    }
}

#[test]
fn hard_use_1_4_numbers_of_buckets_that_follow_the_original_are_seen() {
    let random = &mut keyed(3, "test");
    let bench = Bench::new(size(400, 300, 4), random);
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    bench.people.iter().enumerate().for_each(|(place, row)| {
        first.entry(row.3).or_insert(place);
    });
    let mut order: Vec<usize> = first.keys().copied().collect();
    order.sort_by_key(|bucket| first[bucket]);
    for backwards in [false, true] {
        let renamed: BTreeMap<usize, usize> = order.iter().copied().zip(1..).collect();
        let people = bench.people.iter().map(|row| {
            let number = renamed[&row.3];
            (
                row.0.clone(),
                row.1.clone(),
                row.2.clone(),
                if backwards { order.len() + 1 - number } else { number },
            )
        });
        let bench = Bench::of(people.collect());
        let file = by_bucket(&shuffled(&bench.people, random));
        for with_list in [true, false] {
            bench.sees(&bench.two(&file), with_list, true, "numbers");
        }
    }
}
