use rand_chacha::ChaCha20Rng;

use super::*;
use privet_core::random::{below, keyed, shuffle};

/// What is suspicious about a sequence of symbols next to another one, nothing being shown.
fn agreement(reference: &[u32], released: &[u32], chance: f64) -> Option<String> {
    let arrangement = Arrangement::of(released.len(), &[], &[]);
    let view = OrderView { released: released.to_vec(), reference: reference.to_vec() };
    let mut evidence = Evidence::default();
    evidence.join(arrangement.evidence(&view, &[], "the original"), arrangement.handicap);
    evidence.verdict(chance)
}

fn table(rows: usize, symbols: u64, random: &mut ChaCha20Rng) -> Vec<u32> {
    (0..rows).map(|_| below(random, symbols) as u32).collect()
}

/// The ways in which somebody might arrange a file who has the original.
fn arranged<T: Clone>(original: &[T]) -> Vec<(&'static str, Vec<T>)> {
    let rows = original.len();
    let reversed: Vec<T> = original.iter().rev().cloned().collect();
    let rotated = |list: &[T], by: usize| [&list[by..], &list[..by]].concat();
    let blocks: Vec<T> = original.chunks(rows.div_ceil(7).max(1)).rev().flatten().cloned().collect();
    vec![
        ("the same", original.to_vec()),
        ("reversed", reversed.clone()),
        ("shifted", rotated(original, rows / 3)),
        ("shifted by one", rotated(original, 1.min(rows))),
        ("reversed and shifted", rotated(&reversed, rows / 5)),
        ("halves swapped", rotated(original, rows / 2)),
        ("blocks", blocks),
    ]
}

/// Ways that somebody might think nobody would think of.
fn contrived<T: Clone>(original: &[T]) -> Vec<(&'static str, Vec<T>)> {
    let stride = |by: usize| -> Vec<T> {
        (0..by).flat_map(|first| original.iter().skip(first).step_by(by)).cloned().collect()
    };
    let evens = original.iter().step_by(2).cloned();
    let odds: Vec<T> = original.iter().skip(1).step_by(2).cloned().collect();
    let ends = (0..original.len()).map(|at| match at % 2 {
        0 => original[at / 2].clone(),
        _ => original[original.len() - 1 - at / 2].clone(),
    });
    vec![
        ("every third", stride(3)),
        ("every seventh", stride(7)),
        ("evens, then odds backwards", evens.chain(odds.into_iter().rev()).collect()),
        ("from both ends", ends.collect()),
    ]
}

#[test]
fn hard_use_1_4_an_order_that_is_kept_is_seen_however_it_is_arranged() {
    let random = &mut keyed(1, "test");
    for (rows, symbols) in [(60, 50), (120, 4), (300, 2), (500, 20), (4000, 3), (4000, 300), (20_000, 12)] {
        let original = table(rows, symbols, random);
        let mut ways = arranged(&original);
        if rows >= 500 {
            ways.extend(contrived(&original));
        }
        for (how, release) in ways {
            assert!(
                agreement(&original, &release, FALSE_ALARM).is_some(),
                "{how}: {rows} rows of {symbols} symbols"
            );
        }
        let mut release = original.clone();
        shuffle(&mut release, random);
        assert_eq!(agreement(&original, &release, FALSE_ALARM), None, "{rows} rows of {symbols} symbols");
    }
}

/// A stride of any width, as long as rows differ.
#[test]
fn hard_use_1_4_an_order_that_is_kept_at_any_stride_is_seen() {
    let random = &mut keyed(11, "test");
    for (rows, symbols) in [(400, 100), (400, 20), (1000, 1000), (3000, 200), (5000, 8)] {
        let original = table(rows, symbols, random);
        let by = |step: usize| (0..rows).map(|at| original[at * step % rows]).collect::<Vec<u32>>();
        let mut ways = vec![(11, by(11))];
        // Rows that are much alike are tried at strides up to 64 only.
        ways.extend((symbols > 8).then(|| (rows - 101, by(rows - 101))));
        for step in [9, 13, 20, 40] {
            let stepped = (0..step).flat_map(|first| original.iter().skip(first).step_by(step));
            ways.push((step, stepped.copied().collect()));
        }
        for (step, release) in ways {
            let found = agreement(&original, &release, FALSE_ALARM);
            assert!(found.is_some(), "{step}: {rows} rows of {symbols} symbols");
        }
    }
}

/// What is suspicious about a file whose rows have a class and a value, next to an original with a key as well.
fn sorted_by_what_is_hidden(
    original: &[Cells],
    release: &[Cells],
    is_foreign: bool,
    chance: f64,
) -> Option<String> {
    let arrangement = Arrangement::of(release.len(), &[], &[]);
    let symbol = |row: &Cells| row[0] * 1000 + row[1];
    let view = OrderView {
        released: release.iter().map(symbol).collect(),
        reference: original.iter().map(symbol).collect(),
    };
    let key = HiddenKey {
        what: "a key".to_string(),
        ranks: original.iter().map(|row| row[2]).collect(),
        is_foreign,
        condition: release.iter().map(|row| row[0]).collect(),
    };
    let mut evidence = Evidence::default();
    arrangement.hidden(&view, std::iter::once(key), &mut evidence);
    evidence.verdict(chance)
}

#[test]
fn hard_use_1_4_a_file_that_is_sorted_by_what_it_hides_is_seen() {
    let random = &mut keyed(12, "test");
    for (rows, cells) in [(200, [1, 6, 40]), (400, [20, 5, 400]), (400, [4, 3, 10]), (3000, [300, 8, 3000])] {
        let original = people(rows, cells, random);
        let mut sorted = original.clone();
        shuffle(&mut sorted, random);
        sorted.sort_by_key(|row| row[2]);
        let falling: Vec<Cells> = sorted.iter().rev().copied().collect();
        let mut by_class = sorted.clone();
        by_class.sort_by_key(|row| row[0] * 7 % 5);
        let some: Vec<Cells> = sorted.iter().copied().filter(|_| below(random, 50) > 0).collect();
        let files = [("rising", sorted), ("falling", falling), ("by class", by_class), ("with gaps", some)];
        for (how, release) in files {
            // Of classes of ten people, some are missing: nobody knows which.
            if how == "with gaps" && cells[0] == 300 {
                continue;
            }
            let found = sorted_by_what_is_hidden(&original, &release, false, FALSE_ALARM);
            assert!(found.is_some(), "{how}: {rows} rows of {cells:?}");
        }
    }
}

/// Random orders, and orders that have to do with the key only by what is shown.
#[test]
fn hard_use_1_4_false_alarms_about_hidden_keys_are_as_rare_as_stated() {
    let random = &mut keyed(13, "test");
    for (rows, cells) in [(12, [2, 3, 12]), (100, [1, 4, 10]), (200, [5, 6, 40])] {
        // The key has to do with the class.
        let mut original = people(rows, cells, random);
        original.iter_mut().for_each(|row| row[2] = row[0] * 20 + row[2] / 4);
        let mut alarms = [0; 2];
        for _ in 0..1000 {
            let mut release = original.clone();
            shuffle(&mut release, random);
            alarms[0] += u32::from(sorted_by_what_is_hidden(&original, &release, true, 0.01).is_some());
            release.sort_by_key(|row| row[0] * 7 % 5);
            alarms[1] += u32::from(sorted_by_what_is_hidden(&original, &release, false, 0.01).is_some());
        }
        assert!(alarms.iter().all(|found| *found <= 10), "{rows} rows of {cells:?}: {alarms:?} of 1000");
    }
}

#[test]
fn hard_use_1_4_an_order_that_is_kept_roughly_or_with_gaps_is_seen() {
    let random = &mut keyed(2, "test");
    let original: Vec<u32> = (0..1000).collect();
    let mut nearby = original.clone();
    nearby.chunks_mut(50).for_each(|part| shuffle(part, random));
    for (how, release) in arranged(&nearby) {
        assert!(agreement(&original, &release, FALSE_ALARM).is_some(), "{how}");
    }
    let original = table(3000, 25, random);
    let gaps: Vec<u32> = original.iter().copied().filter(|_| below(random, 5) > 0).collect();
    for (how, release) in arranged(&gaps) {
        assert!(agreement(&original, &release, FALSE_ALARM).is_some(), "{how}");
    }
}

/// At a chance of one in a hundred, no more than one in a hundred honest releases are suspected, whatever the original.
#[test]
fn hard_use_1_4_false_alarms_are_as_rare_as_stated() {
    let random = &mut keyed(3, "test");
    for (rows, symbols) in [(4, 4), (12, 12), (12, 3), (40, 2), (200, 30), (300, 300)] {
        let mut original = table(rows, symbols, random);
        for sorted in [false, true] {
            if sorted {
                original.sort_unstable();
            }
            let mut alarms = 0;
            for _ in 0..1000 {
                let mut release = original.clone();
                shuffle(&mut release, random);
                alarms += u32::from(agreement(&original, &release, 0.01).is_some());
            }
            assert!(alarms <= 10, "{rows} rows of {symbols} symbols: {alarms} of 1000");
        }
    }
}

/// A small table: class, value, and one more column.
type Cells = [u32; 3];

/// The evidence about a table whose rows show three columns, next to an original whose rows have the same cells.
fn suspicion(original: &[Cells], release: &[Cells], chance: f64) -> Option<String> {
    let texts: Vec<String> = (0..1000).map(|number: u32| number.to_string()).collect();
    let columns: Vec<ShownColumn<'_>> = (0..3)
        .map(|column| ShownColumn {
            code: Box::new(move |row: usize| release[row][column]),
            text: Box::new(|code: u32| texts[code as usize].as_str()),
        })
        .collect();
    let arrangement = Arrangement::of(release.len(), &columns, &[vec![0, 1], vec![2], vec![0, 1, 2]]);
    let symbol = |row: &Cells| (row[0] * 1000 + row[1]) * 1000 + row[2];
    let view = OrderView {
        released: release.iter().map(symbol).collect(),
        reference: original.iter().map(symbol).collect(),
    };
    let classes = release.iter().map(|row| row[0] * 1000 + row[1]).collect();
    let values = release.iter().map(|row| row[2]).collect();
    let mut evidence = Evidence::default();
    let found = arrangement.evidence(&view, &[classes, values], "the original");
    evidence.join(found, arrangement.handicap);
    evidence.verdict(chance)
}

fn people(rows: usize, cells: [u64; 3], random: &mut ChaCha20Rng) -> Vec<Cells> {
    (0..rows).map(|_| cells.map(|most| below(random, most) as u32)).collect()
}

/// Files that are honest: shuffled, then sorted or put together by something they show.
fn honest(rows: &[Cells], random: &mut ChaCha20Rng) -> Vec<(&'static str, Vec<Cells>)> {
    let mut shuffled = |list: &[Cells]| {
        let mut list = list.to_vec();
        shuffle(&mut list, random);
        list
    };
    let mut sorted = |key: fn(&Cells) -> Vec<u32>| {
        let mut list = shuffled(rows);
        list.sort_by_key(key);
        list
    };
    let mut files = vec![
        ("by class", sorted(|row| vec![row[0], row[1]])),
        ("by value", sorted(|row| vec![row[2]])),
        ("by value and a part of the class", sorted(|row| vec![row[2], row[1]])),
        ("by the columns backwards", sorted(|row| vec![row[2], row[1], row[0]])),
        ("falling", sorted(|row| vec![1000 - row[1]])),
        ("by everything", sorted(|row| row.to_vec())),
    ];
    // Classes in a random order.
    let list = shuffled(rows);
    let mut order: Vec<u32> = (0..1_000_000).collect();
    shuffle(&mut order[..20_000], random);
    let mut grouped = list.clone();
    grouped.sort_by_key(|row| order[(row[0] * 50 + row[1]) as usize]);
    files.push(("classes in random order", grouped));
    files.push(("shuffled", list));
    files
}

#[test]
fn hard_use_1_4_files_that_are_sorted_by_what_they_show_are_honest() {
    let random = &mut keyed(4, "test");
    for (rows, cells) in [(60, [3, 3, 4]), (400, [6, 5, 4]), (400, [20, 20, 50]), (2000, [3, 10, 7])] {
        for _ in 0..5 {
            let original = people(rows, cells, random);
            // An honest file may well be arranged as the original is.
            let originals = honest(&original, random);
            for (how, release) in honest(&original, random) {
                for (was, original) in &originals {
                    assert_eq!(suspicion(original, &release, FALSE_ALARM), None, "{how}, the original {was}");
                }
            }
        }
    }
}

#[test]
fn hard_use_1_4_false_alarms_about_sorted_files_are_as_rare_as_stated() {
    let random = &mut keyed(5, "test");
    for (rows, cells) in [(12, [2, 2, 3]), (40, [2, 3, 3]), (100, [4, 4, 20])] {
        let original = people(rows, cells, random);
        let originals = honest(&original, random);
        let mut alarms: std::collections::BTreeMap<(&str, &str), u32> = Default::default();
        for _ in 0..500 {
            for (how, release) in honest(&original, random) {
                for (was, original) in &originals {
                    let found = suspicion(original, &release, 0.01).is_some();
                    *alarms.entry((how, was)).or_default() += u32::from(found);
                }
            }
        }
        // Of 500 files five may be suspected on average; nine or more are by chance in one of 20 kinds of files.
        let total: u32 = alarms.values().sum();
        assert!(total <= 5 * alarms.len() as u32, "{rows} rows: {total}");
        assert!(alarms.values().all(|found| *found <= 10), "{rows} rows: {alarms:?}");
    }
}

#[test]
fn hard_use_1_4_an_order_that_is_kept_within_classes_or_values_is_seen() {
    let random = &mut keyed(6, "test");
    for (rows, cells) in [(400, [6, 4, 4]), (400, [3, 2, 30]), (1000, [10, 20, 12])] {
        let original = people(rows, cells, random);
        let class = |row: &Cells| row[0] * 50 + row[1];
        let value = |row: &Cells| row[2];
        type Key<'k> = (&'k str, &'k dyn Fn(&Cells) -> u32);
        let keys: [Key<'_>; 2] = [("classes", &class), ("values", &value)];
        for (of, key) in keys {
            let mut groups: std::collections::BTreeMap<u32, Vec<Cells>> = Default::default();
            original.iter().for_each(|row| groups.entry(key(row)).or_default().push(*row));
            let mut slots: Vec<u32> = original.iter().map(key).collect();
            shuffle(&mut slots, random);
            let mut names: Vec<u32> = groups.keys().copied().collect();
            shuffle(&mut names, random);
            for way in 0..7 {
                let groups: std::collections::BTreeMap<u32, (&str, Vec<Cells>)> =
                    groups.iter().map(|(key, rows)| (*key, arranged(rows).swap_remove(way))).collect();
                let how = groups.values().next().expect("a group").0;
                let sorted: Vec<Cells> = groups.values().flat_map(|(_, rows)| rows).copied().collect();
                let mixed: Vec<Cells> = names.iter().flat_map(|name| &groups[name].1).copied().collect();
                let mut left: std::collections::BTreeMap<u32, std::vec::IntoIter<Cells>> =
                    groups.iter().map(|(key, (_, rows))| (*key, rows.clone().into_iter())).collect();
                let taken = slots.iter().filter_map(|slot| left.get_mut(slot)?.next()).collect();
                for (file, release) in [("sorted", sorted), ("in any order", mixed), ("interleaved", taken)] {
                    // Classes of 16 people with four values in blocks of two or three: that is hardly an order.
                    if how == "blocks" && of == "classes" && cells == [6, 4, 4] {
                        continue;
                    }
                    assert!(
                        suspicion(&original, &release, FALSE_ALARM).is_some(),
                        "{how} within {of}, {file}: {rows} rows of {cells:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn hard_use_1_4_sister_tables_that_are_correlated_are_seen_however_they_are_arranged() {
    let random = &mut keyed(7, "test");
    // People with two attributes of six values that are often the same.
    let both: Vec<(u32, u32)> = (0..600)
        .map(|_| {
            let one = below(random, 6) as u32;
            (one, if below(random, 10) < 7 { one } else { below(random, 6) as u32 })
        })
        .collect();
    let first: Vec<u32> = both.iter().map(|(one, _)| *one).collect();
    let second: Vec<u32> = both.iter().map(|(_, two)| *two).collect();
    let mut people: hashbrown::HashMap<(u32, u32), u64> = Default::default();
    both.iter().for_each(|pair| *people.entry(*pair).or_default() += 1);
    let found = |first: &[u32], second: &[u32], chance: f64| {
        let mut evidence = Evidence::default();
        let strata = vec![0; second.len()];
        Lifted { first, second, strata: &strata, people: &people }.evidence("another", &mut evidence);
        evidence.verdict(chance)
    };
    for (how, second) in arranged(&second) {
        assert!(found(&first, &second, FALSE_ALARM).is_some(), "{how}");
    }
    let mut alarms = 0;
    for _ in 0..500 {
        let mut second = second.clone();
        shuffle(&mut second, random);
        alarms += u32::from(found(&first, &second, 0.01).is_some());
    }
    assert!(alarms <= 5, "{alarms} of 500");
}

#[test]
fn hard_use_1_4_rows_that_fit_several_people_are_seen_in_their_order() {
    let random = &mut keyed(8, "test");
    // Numbers below 1000, published as ranges of width 100 that begin every 50: each number fits two of them.
    let original: Vec<u32> = table(800, 1000, random);
    let fits: Vec<Vec<u32>> =
        (0..1000).map(|number| ((number / 50u32).saturating_sub(1)..=number / 50).collect()).collect();
    let shown: Vec<u32> = original
        .iter()
        .map(|number| fits[*number as usize][below(random, fits[*number as usize].len() as u64) as usize])
        .collect();
    let found = |released: &[u32], chance: f64| {
        let strata = vec![0; released.len()];
        let mut evidence = Evidence::default();
        Fits { released, strata: &strata, original: &original, fits: &fits }
            .evidence("the original", &mut evidence);
        evidence.verdict(chance)
    };
    for (how, released) in arranged(&shown) {
        assert!(found(&released, FALSE_ALARM).is_some(), "{how}");
    }
    let mut alarms = 0;
    for _ in 0..300 {
        let mut released = shown.clone();
        shuffle(&mut released, random);
        alarms += u32::from(found(&released, 0.01).is_some());
    }
    assert!(alarms <= 3, "{alarms} of 300");
}

#[test]
fn cells_are_compared_in_a_consistent_order() {
    let cells = ["9", "10", "1a", "", "a", "9b", "-3", "2.5", "010", "5-9", "10-14"];
    for compare in [by_number, by_nature] {
        for a in cells {
            for b in cells {
                assert_eq!(compare(a, b), compare(b, a).reverse(), "{a} {b}");
                for c in cells {
                    let through = compare(a, b).is_le() && compare(b, c).is_le();
                    assert!(!through || compare(a, c).is_le(), "{a} {b} {c}");
                }
            }
        }
    }
    assert!(by_number("9", "10").is_lt() && by_number("10", "1a").is_lt());
    assert!(by_nature("5-9", "10-14").is_lt() && by_nature("r2", "r10").is_lt());
}

/// Steps that chance makes are not believed, and steps that it cannot make are.
#[test]
fn arrangements_are_believed_only_where_chance_is_no_explanation() {
    let of = |rows: &[[u32; 2]]| {
        let texts: Vec<String> = (0..1000).map(|code| format!("{code:04}")).collect();
        let columns: Vec<ShownColumn<'_>> = (0..2)
            .map(|at| ShownColumn {
                code: Box::new(move |row: usize| rows[row][at]),
                text: Box::new(|code| texts[code as usize].as_str()),
            })
            .collect();
        let arrangement = Arrangement::of(rows.len(), &columns, &[]);
        (arrangement.runs(), arrangement.uses(1))
    };
    // Pairs are always put together by what distinguishes them, but that is not why they are as they are.
    let random = &mut keyed(9, "test");
    let pairs: Vec<[u32; 2]> = (0..200).map(|row| [row / 2, below(random, 900) as u32]).collect();
    assert_eq!(of(&pairs), ((0..200).map(|row| row / 2).collect(), false));
    // Of three rows two are alike: chance puts them together in two of three classes, but not in all of a hundred.
    let threes = |classes: u32| -> Vec<[u32; 2]> {
        let class = |number: u32| if number.is_multiple_of(2) { [7, 7, 3] } else { [3, 7, 7] };
        (0..classes).flat_map(|number| class(number).map(|cell| [number, cell])).collect()
    };
    assert!(of(&threes(100)).1);
    assert!(!of(&threes(1)).1);
}
