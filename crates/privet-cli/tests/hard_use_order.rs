//! Undoing the shuffle in one of our own releases turns the audit red, hashes aside: for the shapes in which a released row may
//! belong to several originals.

use serde_json::Value as Json;

use crate::common::Bench;

const ROWS: usize = 400;

/// Numbers that look random and are the same every time.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound as u64) as usize
    }
}

/// The checks that fail, except for that of the files' hashes.
#[track_caller]
fn failing(bench: &Bench) -> Vec<String> {
    let audit: Json = bench.privet(&["audit", "out", "--json"]).json();
    let checks = audit["checks"].as_array().expect("checks");
    let failing = checks.iter().filter(|check| check["holds"] == false && check["name"] != "files");
    failing.map(|check| check["name"].as_str().expect("a name").to_string()).collect()
}

/// The rows in the order of the originals, each for one that it covers, by augmenting paths.
fn undone(originals: &[String], released: &[String], covers: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let fits: Vec<Vec<usize>> = (originals.iter())
        .map(|original| (0..released.len()).filter(|row| covers(&released[*row], original)).collect())
        .collect();
    let mut owner: Vec<Option<usize>> = vec![None; released.len()];
    fn place(original: usize, fits: &[Vec<usize>], owner: &mut [Option<usize>], seen: &mut [bool]) -> bool {
        for row in &fits[original] {
            if std::mem::replace(&mut seen[*row], true) {
                continue;
            }
            if owner[*row].is_none_or(|other| place(other, fits, owner, seen)) {
                owner[*row] = Some(original);
                return true;
            }
        }
        false
    }
    for original in 0..originals.len() {
        assert!(
            place(original, &fits, &mut owner, &mut vec![false; released.len()]),
            "no row for {original}"
        );
    }
    let mut rows: Vec<(usize, String)> =
        owner.iter().zip(released).filter_map(|(owner, row)| Some(((*owner)?, row.clone()))).collect();
    rows.sort();
    rows.into_iter().map(|(_, row)| row).collect()
}

/// The ways in which somebody might arrange rows who has the original.
fn arranged<T: Clone>(rows: &[T]) -> [(&'static str, Vec<T>); 5] {
    let rotated = |by: usize| [&rows[by..], &rows[..by]].concat();
    [
        ("as in the original", rows.to_vec()),
        ("reversed", rows.iter().rev().cloned().collect()),
        ("shifted", rotated(rows.len() / 3)),
        ("halves swapped", rotated(rows.len() / 2)),
        ("blocks swapped", rows.chunks(rows.len().div_ceil(5)).rev().flatten().cloned().collect()),
    ]
}

/// The cells of a row; a range `"[1,5]"` as 1-5.
fn cells(row: &str) -> Vec<String> {
    let mut quoted = false;
    let plain = row.chars().filter_map(|letter| match letter {
        '"' => {
            quoted = !quoted;
            None
        }
        '[' | ']' => None,
        ',' if quoted => Some('-'),
        letter => Some(letter),
    });
    plain.collect::<String>().split(',').map(str::to_string).collect()
}

/// Whether a cell is a value, or a range around it, or everything.
fn covers(cell: &str, value: &str) -> bool {
    let within = |(low, high): (&str, &str)| {
        let number = |text: &str| text.parse::<u32>().expect("a number");
        (number(low)..=number(high)).contains(&number(value))
    };
    cell == "*" || cell == value || cell.split_once('-').is_some_and(within)
}

fn text(header: &str, rows: &[String]) -> String {
    format!("{header}\n{}\n", rows.join("\n"))
}

#[test]
fn hard_use_1_4_ranges_that_overlap_do_not_hide_the_order_of_the_original() {
    let bench = Bench::new();
    let mut draw = Draw(5);
    let rows: Vec<String> = (0..ROWS)
        .map(|_| {
            let (age, income, ill) = (20 + draw.below(60), draw.below(90), draw.below(4));
            format!("{age},{income},{}", ["flu", "cold", "asthma", "gout"][ill])
        })
        .collect();
    bench.write("data.csv", text("age,income,illness", &rows));
    bench.write(
        "policy.toml",
        "seed = 9007199254740993\n[data]\npath = \"data.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n[columns.income]\n\
         role = \"quasi-identifier\"\n[columns.illness]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 5\n[method]\n\
         name = \"mondrian\"\npartitioning = \"relaxed\"\n",
    );
    bench.privet(&["anonymize", "policy.toml", "-o", "out", "--attacks", "none"]).succeeds();
    assert!(failing(&bench).is_empty());
    let released = bench.text("out/public/release.csv");
    let (header, body) = released.split_once('\n').expect("a header");
    let released: Vec<String> = body.lines().map(str::to_string).collect();
    let fits = |row: &str, original: &str| {
        cells(row).iter().zip(original.split(',')).all(|(cell, own)| covers(cell, own))
    };
    for (how, rows) in arranged(&undone(&rows, &released, fits)) {
        bench.write("out/public/release.csv", text(header, &rows));
        assert_eq!(failing(&bench), ["order"], "{how}");
    }
}

#[test]
fn hard_use_1_4_transactions_on_mixed_levels_do_not_hide_the_order_of_the_original() {
    let bench = Bench::new();
    let group = |item: &str| match item {
        "beer" | "wine" | "milk" => "Drinks",
        "bread" | "cheese" | "apple" => "Food",
        _ => "House",
    };
    let items = ["beer", "wine", "milk", "bread", "cheese", "apple", "soap", "brush"];
    bench.write("items.csv", items.map(|item| format!("{item};{};*\n", group(item))).concat());
    let mut draw = Draw(3);
    let rows: Vec<String> = (0..ROWS)
        .map(|_| {
            let mut basket: Vec<&str> = items.iter().copied().filter(|_| draw.below(2) == 0).collect();
            if basket.is_empty() {
                basket.push(items[draw.below(items.len())]);
            }
            basket.join(",")
        })
        .collect();
    bench.write("data.csv", rows.join("\n") + "\n");
    bench.write(
        "policy.toml",
        "seed = 9007199254740993\n[data]\npath = \"data.csv\"\nkind = \"transactions\"\nseparator = \",\"\n[items]\n\
         hierarchy = \"items.csv\"\n[privacy.transactional-k-anonymity]\nk = 5\n[method]\nname = \"lg\"\n",
    );
    bench.privet(&["anonymize", "policy.toml", "-o", "out", "--attacks", "none"]).succeeds();
    assert!(failing(&bench).is_empty());
    let names = bench.names("out/public");
    let name = names.iter().find(|name| !name.ends_with("json") && !name.ends_with("html")).expect("a file");
    let path = format!("out/public/{name}");
    let released: Vec<String> = bench.text(&path).lines().map(str::to_string).collect();
    let holds = |label: &str, item: &str| label == "*" || label == item || label == group(item);
    let fits = |row: &str, original: &str| {
        let (labels, own): (Vec<&str>, Vec<&str>) = (row.split(',').collect(), original.split(',').collect());
        own.iter().all(|item| labels.iter().any(|label| holds(label, item)))
            && labels.iter().all(|label| own.iter().any(|item| holds(label, item)))
    };
    for (how, rows) in arranged(&undone(&rows, &released, fits)) {
        bench.write(&path, rows.join("\n") + "\n");
        assert_eq!(failing(&bench), ["order"], "{how}");
    }
}

/// Groups of the injector, in two tables and permuted, with their shuffle undone: also among people who share nearly all of
/// their quasi-identifiers.
#[test]
fn hard_use_1_4_groups_with_their_shuffle_undone_are_a_violation() {
    for regions in [300, 2] {
        let mut draw = Draw(8);
        let people: Vec<[String; 4]> = (0..ROWS)
            .map(|_| {
                let name = format!("n{}", draw.below(1 << 30));
                let (sex, region) = (["F", "M"][draw.below(2)], draw.below(regions));
                let ill = ["flu", "cold", "asthma", "gout", "mumps"][draw.below(5)];
                [name, sex.to_string(), format!("r{region}"), ill.to_string()]
            })
            .collect();
        let rows: Vec<String> = people.iter().map(|row| row.join(",")).collect();
        for publish in ["two-tables", "permuted"] {
            let bench = Bench::new();
            bench.write("data.csv", text("name,sex,region,illness", &rows));
            bench.write(
                "policy.toml",
                format!(
                    "seed = 9007199254740993\n[data]\npath = \"data.csv\"\n[columns.name]\nrole = \"identifier\"\n\
                     [columns.sex]\nrole = \"quasi-identifier\"\n[columns.region]\nrole = \"quasi-identifier\"\n\
                     [columns.illness]\nrole = \"sensitive\"\n[privacy.matching-l-diversity]\ncolumn = \"illness\"\nl = 2\n\
                     [knowledge]\nmin_expectation = 1\n[method]\nname = \"injector\"\nstrategy = \"balanced\"\npublish = \"{publish}\"\n"
                ),
            );
            bench.privet(&["anonymize", "policy.toml", "-o", "out", "--attacks", "none"]).succeeds();
            assert!(failing(&bench).is_empty());
            let list = bench.text("out/steward/buckets.csv");
            let buckets = list.lines().skip(1).map(|line| line.split_once(',').expect("a bucket").1);
            let known: Vec<(&[String; 4], usize)> =
                people.iter().zip(buckets.map(|bucket| bucket.parse().expect("a number"))).collect();
            undo(&bench, &known, publish == "permuted");
        }
    }
}

fn undo(bench: &Bench, known: &[(&[String; 4], usize)], permuted: bool) {
    let row = |(person, bucket): &(&[String; 4], usize)| match permuted {
        true => format!("{},{},{},{bucket}", person[1], person[2], person[3]),
        false => format!("{},{},{bucket}", person[1], person[2]),
    };
    let (file, header) =
        if permuted { ("release", "sex,region,illness,bucket") } else { ("qit", "sex,region,bucket") };
    let path = bench.names("out/public").into_iter().find(|name| name.starts_with(file)).expect("a table");
    let path = format!("out/public/{path}");
    let honest = bench.text(&path);
    let fails = |how: &str, known: &[(&[String; 4], usize)]| {
        bench.write(&path, text(header, &known.iter().map(row).collect::<Vec<_>>()));
        assert_eq!(failing(bench), ["order"], "{how}, permuted: {permuted}");
    };
    for (how, known) in arranged(known) {
        fails(how, &known);
    }
    let mut sorted = known.to_vec();
    sorted.sort_by_key(|(_, bucket)| *bucket);
    fails("bucket by bucket, as in the original", &sorted);
    sorted.sort_by_key(|(person, bucket)| (*bucket, person[0].clone()));
    fails("bucket by bucket, by name", &sorted);
    sorted.sort_by_key(|(person, bucket)| (*bucket, person[3].clone()));
    fails("bucket by bucket, by illness", &sorted);
    bench.write(&path, honest);
    assert!(failing(bench).is_empty());
}
