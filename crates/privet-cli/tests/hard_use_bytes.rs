//! What a reader of the released files can tell apart, the audit tells apart; and a small seed gives nothing away.

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

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}

/// People with an age, a region and an illness each, in no order.
fn people() -> Vec<[String; 3]> {
    people_of(4)
}

/// The same from this many regions: with many, hardly two people look alike.
fn people_of(regions: usize) -> Vec<[String; 3]> {
    let mut draw = Draw(5);
    let illnesses = ["flu", "cold", "asthma", "gout"];
    (0..ROWS)
        .map(|_| {
            let age = 20 + draw.below(60);
            [age.to_string(), format!("r{}", draw.below(regions)), illnesses[draw.below(4)].to_string()]
        })
        .collect()
}

fn text(header: &str, rows: &[Vec<String>]) -> String {
    let lines: String = rows.iter().map(|row| row.join(",") + "\n").collect();
    format!("{header}\n{lines}")
}

const COLUMNS: &str = "[columns.age]\nrole = \"quasi-identifier\"\nhierarchy = \"age.csv\"\n[columns.region]\n\
                       role = \"quasi-identifier\"\n[columns.illness]\nrole = \"sensitive\"\n";

/// Data and policies: a generalised table, and groups.
fn bench() -> Bench {
    let bench = Bench::new();
    let rows: Vec<Vec<String>> = people().iter().map(|row| row.to_vec()).collect();
    bench.write("data.csv", text("age,region,illness", &rows));
    let leaf = |age: usize| format!("{age};{0}-{1};*\n", age / 20 * 20, age / 20 * 20 + 19);
    bench.write("age.csv", (20..80).map(leaf).collect::<String>());
    let head = "seed = 9007199254740993\n[data]\npath = \"data.csv\"\n";
    bench.write(
        "policy.toml",
        format!("{head}{COLUMNS}[privacy.k-anonymity]\nk = 5\n[method]\nname = \"full-domain\"\n"),
    );
    for (name, publish) in [("groups", "two-tables"), ("permuted", "permuted")] {
        let method = format!("[method]\nname = \"anatomy\"\npublish = \"{publish}\"\n");
        let privacy = "[privacy.l-diversity]\ncolumn = \"illness\"\nl = 2\n";
        bench.write(&format!("{name}.toml"), format!("{head}{COLUMNS}{privacy}{method}"));
    }
    bench
}

/// The lines of a file below its header.
fn lines(bench: &Bench, name: &str) -> Vec<Vec<String>> {
    let text = bench.text(name);
    text.lines().skip(1).map(|line| line.split(',').map(str::to_string).collect()).collect()
}

/// The checks of an audit that do not hold, files that are not as published aside.
fn failing(audit: &Json) -> Vec<String> {
    let checks = audit["checks"].as_array().expect("checks");
    let failing = checks.iter().filter(|check| check["holds"] == false && check["name"] != "files");
    failing.map(|check| check["name"].as_str().expect("a name").to_string()).collect()
}

#[track_caller]
fn own(bench: &Bench, folder: &str) -> Vec<String> {
    failing(&bench.privet(&["audit", folder, "--json"]).json())
}

#[track_caller]
fn foreign(bench: &Bench, policy: &str, release: &str) -> Vec<String> {
    failing(&bench.privet(&["audit", "--policy", policy, "--release", release, "--json"]).json())
}

/// The ways in which somebody might arrange rows who has the original.
fn arranged<T: Clone>(rows: &[T]) -> Vec<(&'static str, Vec<T>)> {
    let reversed: Vec<T> = rows.iter().rev().cloned().collect();
    let rotated = |by: usize| [&rows[by..], &rows[..by]].concat();
    vec![
        ("the same", rows.to_vec()),
        ("reversed", reversed),
        ("shifted", rotated(rows.len() / 3)),
        ("halves swapped", rotated(rows.len() / 2)),
        ("blocks", rows.chunks(rows.len().div_ceil(5)).rev().flatten().cloned().collect()),
    ]
}

#[test]
fn hard_use_1_4_a_table_in_the_order_of_the_original_is_a_violation() {
    let bench = bench();
    bench.privet(&["anonymize", "policy.toml", "-o", "out", "--attacks", "none"]).succeeds();
    assert!(own(&bench, "out").is_empty());
    let released = bench.text("out/public/release.csv");
    let shown = |row: &[String; 3]| {
        let age: usize = row[0].parse().expect("an age");
        vec![format!("{}-{}", age / 20 * 20, age / 20 * 20 + 19), row[1].clone(), row[2].clone()]
    };
    let rows: Vec<Vec<String>> = people().iter().map(shown).collect();
    for (how, rows) in arranged(&rows) {
        let table = text("age,region,illness", &rows);
        bench.write("foreign.csv", &table);
        assert_eq!(foreign(&bench, "policy.toml", "foreign.csv"), ["order"], "{how}");
        // Our own release with its shuffle undone.
        bench.write("out/public/release.csv", &table);
        assert_eq!(own(&bench, "out"), ["order"], "{how}");
    }
    // Shuffled or sorted by what they show, the same rows are fine.
    bench.write("foreign.csv", &released);
    assert!(foreign(&bench, "policy.toml", "foreign.csv").is_empty());
    let mut sorted = rows;
    sorted.sort();
    bench.write("foreign.csv", text("age,region,illness", &sorted));
    assert!(foreign(&bench, "policy.toml", "foreign.csv").is_empty());
    // A value that is written in two ways marks rows.
    bench.write("foreign.csv", released.replacen("flu", "\"flu\"", 1));
    assert_eq!(foreign(&bench, "policy.toml", "foreign.csv"), ["form"]);
    bench.write("foreign.csv", released.replacen('\n', "\n\n", 7));
    assert_eq!(foreign(&bench, "policy.toml", "foreign.csv"), ["form"]);
}

#[test]
fn hard_use_1_4_groups_that_tell_who_has_which_value_are_a_violation() {
    let bench = bench();
    let fine: Vec<Vec<String>> = people_of(40).iter().map(|row| row.to_vec()).collect();
    bench.write("data.csv", text("age,region,illness", &fine));
    bench.privet(&["anonymize", "groups.toml", "-o", "out", "--attacks", "none"]).succeeds();
    assert!(own(&bench, "out").is_empty());
    let (qit, st) = (bench.text("out/public/qit.csv"), bench.text("out/public/st.csv"));
    let bucket_of: Vec<String> =
        lines(&bench, "out/steward/buckets.csv").iter().map(|row| row[1].clone()).collect();
    // Every person with bucket and value, as the original has them.
    let known: Vec<Vec<String>> = people_of(40)
        .iter()
        .zip(&bucket_of)
        .map(|(row, bucket)| [row.as_slice(), std::slice::from_ref(bucket)].concat())
        .collect();
    let with = |qit: &str, st: &str| {
        bench.write("out/public/qit.csv", qit);
        bench.write("out/public/st.csv", st);
        own(&bench, "out")
    };
    let person = |row: &Vec<String>| vec![row[0].clone(), row[1].clone(), row[3].clone()];
    // The rows in the order of the original.
    for (how, rows) in arranged(&known) {
        let rows: Vec<Vec<String>> = rows.iter().map(person).collect();
        assert_eq!(with(&text("age,region,bucket", &rows), &st), ["order"], "{how}");
    }
    // Bucket by bucket, but in each of them in the order of the original, or of the values that are listed.
    let number = |row: &Vec<String>| row[3].parse::<usize>().expect("a number");
    let mut by_bucket = known.clone();
    by_bucket.sort_by_key(number);
    let rows: Vec<Vec<String>> = by_bucket.iter().map(person).collect();
    assert_eq!(with(&text("age,region,bucket", &rows), &st), ["order"]);
    by_bucket.sort_by_key(|row| (number(row), row[2].clone()));
    let rows: Vec<Vec<String>> = by_bucket.iter().map(person).collect();
    assert_eq!(with(&text("age,region,bucket", &rows), &st), ["order"]);
    // Values in the order of the rows.
    let mut people = lines(&bench, "out/public/qit.csv");
    people.sort();
    let mut values: Vec<Vec<String>> = Vec::new();
    let mut draw = Draw(1);
    let mut own_order = known.clone();
    draw.shuffle(&mut own_order);
    own_order.sort_by_key(number);
    for row in &own_order {
        let listed = values.iter_mut().find(|value| value[0] == row[3] && value[1] == row[2]);
        match listed {
            Some(listed) => listed[2] = (listed[2].parse::<u32>().expect("a count") + 1).to_string(),
            None => values.push(vec![row[3].clone(), row[2].clone(), "1".to_string()]),
        }
    }
    assert_eq!(with(&qit, &text("bucket,illness,count", &values)), ["form"]);
    // Counts and names that could be marks.
    for odd in ["01", "+1"] {
        assert!(
            with(&qit, &st.replacen(",1\n", &format!(",{odd}\n"), 1)).contains(&"form".to_string()),
            "{odd}"
        );
    }
    let renamed = |text: &str, last: bool| {
        let rename = |line: &str| match last {
            true => line.strip_suffix(",1").map_or(line.to_string(), |line| format!("{line},Smith")),
            false => line.strip_prefix("1,").map_or(line.to_string(), |line| format!("Smith,{line}")),
        };
        text.lines().map(rename).collect::<Vec<_>>().join("\n") + "\n"
    };
    assert!(with(&renamed(&qit, true), &renamed(&st, false)).contains(&"form".to_string()));
    assert!(with(&qit, &st).is_empty());
}

#[test]
fn hard_use_1_4_permuted_rows_that_carry_their_own_values_are_a_violation() {
    let bench = bench();
    let fine: Vec<Vec<String>> = people_of(40).iter().map(|row| row.to_vec()).collect();
    bench.write("data.csv", text("age,region,illness", &fine));
    bench.privet(&["anonymize", "permuted.toml", "-o", "out", "--attacks", "none"]).succeeds();
    assert!(own(&bench, "out").is_empty());
    let name = bench.names("out/public").into_iter().find(|name| name.ends_with(".csv")).expect("a table");
    let path = format!("out/public/{name}");
    let bucket_of: Vec<String> =
        lines(&bench, "out/steward/buckets.csv").iter().map(|row| row[1].clone()).collect();
    let mut rows: Vec<Vec<String>> = people_of(40)
        .iter()
        .zip(&bucket_of)
        .map(|(row, bucket)| [row.as_slice(), std::slice::from_ref(bucket)].concat())
        .collect();
    rows.sort();
    rows.sort_by_key(|row| row[3].parse::<usize>().expect("a number"));
    bench.write(&path, text("age,region,illness,bucket", &rows));
    assert_eq!(own(&bench, "out"), ["order"]);
    // Shifted by one within each bucket.
    for bucket in rows.chunk_by_mut(|one, other| one[3] == other[3]) {
        let last = bucket.len() - 1;
        let values: Vec<String> = bucket.iter().map(|row| row[2].clone()).collect();
        (0..=last).for_each(|row| bucket[row][2] = values[if row == 0 { last } else { row - 1 }].clone());
    }
    bench.write(&path, text("age,region,illness,bucket", &rows));
    assert_eq!(own(&bench, "out"), ["order"]);
}

#[test]
fn hard_use_1_4_tables_about_the_same_people_in_one_order_are_a_violation() {
    let bench = bench();
    let mut draw = Draw(9);
    let rows: Vec<Vec<String>> = people()
        .iter()
        .map(|row| [row.as_slice(), &[["rent", "own", "share"][draw.below(3)].to_string()]].concat())
        .collect();
    bench.write("data.csv", text("age,region,illness,home", &rows));
    let policy = format!(
        "seed = 9007199254740993\n[data]\npath = \"data.csv\"\n{COLUMNS}[columns.home]\nrole = \"sensitive\"\n\
         [privacy.k-anonymity]\nk = 5\n[privacy.projection]\nalpha = 1.0\nbeta = 0.0\nmax_discernibility = 1e9\n\
         [method]\nname = \"codip\"\n"
    );
    bench.write("policy.toml", policy);
    bench.privet(&["anonymize", "policy.toml", "-o", "out", "--attacks", "none"]).succeeds();
    assert!(own(&bench, "out").is_empty());
    assert!(bench.path("out/public/projection-2.csv").is_file());
    let first = lines(&bench, "out/public/projection-1.csv");
    let header = bench.text("out/public/projection-2.csv").lines().next().expect("a header").to_string();
    let second = lines(&bench, "out/public/projection-2.csv");
    // The second table in the order of the first, as far as classes go: quasi-identifiers are the same in both.
    let mut left = second.clone();
    let aligned: Vec<Vec<String>> = (first.iter())
        .map(|row| {
            let at =
                left.iter().position(|other| other[..2] == row[..2]).expect("tables with the same classes");
            left.swap_remove(at)
        })
        .collect();
    for (how, rows) in arranged(&aligned) {
        bench.write("out/public/projection-2.csv", text(&header, &rows));
        assert_eq!(own(&bench, "out"), ["order"], "{how}");
    }
}

#[test]
fn hard_use_1_4_transactions_tell_nothing_by_how_they_are_written() {
    let bench = Bench::new();
    bench.write(
        "items.csv",
        "beer;Drinks;*\nwine;Drinks;*\nmilk;Drinks;*\nbread;Food;*\ncheese;Food;*\napple;Food;*\nsoap;House;*\nbrush;House;*\n",
    );
    bench.write("sensitive.txt", "test\n");
    let mut draw = Draw(3);
    let items = ["beer", "wine", "milk", "bread", "cheese", "apple", "soap", "brush"];
    let basket = |draw: &mut Draw| -> Vec<String> {
        items.iter().filter(|_| draw.below(2) == 0).map(ToString::to_string).collect()
    };
    let rows: Vec<Vec<String>> = (0..ROWS).map(|_| basket(&mut draw)).collect();
    let written = |rows: &[Vec<String>]| rows.iter().map(|row| row.join(",") + "\n").collect::<String>();
    bench.write("data.csv", written(&rows));
    bench.write(
        "policy.toml",
        "seed = 9007199254740993\n[data]\npath = \"data.csv\"\nkind = \"transactions\"\nseparator = \",\"\n[items]\n\
         hierarchy = \"items.csv\"\nsensitive = \"sensitive.txt\"\n[privacy.kl-privacy]\nm = 1\nn = 0\nk = 2\nl = 1\n\
         [method]\nname = \"og\"\n",
    );
    bench.privet(&["anonymize", "policy.toml", "-o", "out", "--attacks", "none"]).succeeds();
    assert!(own(&bench, "out").is_empty());
    let name =
        bench.names("out/public").into_iter().find(|name| !name.ends_with("json") && !name.ends_with("html"));
    let path = format!("out/public/{}", name.expect("a file"));
    let released = bench.text(&path);
    // Nothing had to be generalised, so the original is the release with its shuffle undone.
    let labels = |line: &str| {
        let mut labels: Vec<&str> = line.split(',').collect();
        labels.sort_unstable();
        labels.join(",")
    };
    let order_of: std::collections::BTreeMap<String, &str> =
        released.lines().map(|line| (labels(line), line)).collect();
    let undone: Vec<String> = rows.iter().map(|row| order_of[&labels(&row.join(","))].to_string()).collect();
    for (how, rows) in arranged(&undone) {
        bench.write(&path, rows.join("\n") + "\n");
        assert_eq!(own(&bench, "out"), ["order"], "{how}");
    }
    let line = released.lines().find(|line| line.split(',').count() > 2).expect("some items");
    let label = line.split(',').next().expect("a label");
    for odd in
        [format!("{label},{line}"), format!("{line},"), line.replacen(label, &format!("\"{label}\""), 1)]
    {
        bench.write(&path, released.replacen(line, &odd, 1));
        assert!(own(&bench, "out").contains(&"form".to_string()), "{odd}");
    }
}

#[test]
fn hard_use_1_4_vocabularies_are_numbered_and_written_in_one_way() {
    let bench = Bench::new();
    let words = ["wine", "boots", "milk", "shoes", "bread", "coat"];
    let leaves: String = words.iter().map(|word| format!("{word};things\n")).collect();
    bench.write("words.csv", leaves);
    let mut draw = Draw(4);
    let mut data = String::from("vocabulary,term,count\n");
    for bag in 1..=300 {
        for word in words.iter().take(2 + draw.below(5)).skip(draw.below(2)) {
            data += &format!("{bag},{word},{}\n", 1 + draw.below(2));
        }
    }
    bench.write("data.csv", data);
    bench.write(
        "policy.toml",
        "seed = 9007199254740993\n[data]\npath = \"data.csv\"\nkind = \"vocabularies\"\n[semantics]\ndistance = \"taxonomy\"\n\
         hierarchy = \"words.csv\"\nepsilon = 2\n[privacy.vocabulary-k-anonymity]\nk = 2\n[method]\nname = \"ssg\"\n",
    );
    bench.privet(&["anonymize", "policy.toml", "-o", "out", "--attacks", "none"]).succeeds();
    assert!(own(&bench, "out").is_empty());
    let released = bench.text("out/public/release.csv");
    let is_marked = |text: &str| {
        bench.write("out/public/release.csv", text);
        own(&bench, "out").contains(&"form".to_string())
    };
    assert!(is_marked(&released.replace("\n7,", "\nSmith,")));
    for odd in ["01", "+1"] {
        assert!(is_marked(&released.replacen(",1\n", &format!(",{odd}\n"), 1)), "{odd}");
    }
    let (at, line) = released
        .match_indices('\n')
        .find_map(|(at, _)| {
            let line = released[at + 1..].lines().next()?;
            line.ends_with(",2").then(|| (at + 1, line.to_string()))
        })
        .expect("a term that occurs twice");
    let once = line.trim_end_matches('2').to_string() + "1";
    assert!(
        is_marked(&format!("{}{once}\n{once}{}", &released[..at], &released[at + line.len()..])),
        "split"
    );
    // Put back into the order of the original, and numbered anew, with the steward's list to match.
    let number: Vec<usize> = lines(&bench, "out/steward/assignment.csv")
        .iter()
        .map(|row| row[1].parse().expect("nothing is withheld"))
        .collect();
    let mut bags: Vec<Vec<String>> = vec![Vec::new(); number.len() + 1];
    for line in released.lines().skip(1) {
        let (name, rest) = line.split_once(',').expect("a row");
        bags[name.parse::<usize>().expect("a number")].push(rest.to_string());
    }
    for (how, order) in arranged(&number) {
        let mut text = String::from("vocabulary,term,count\n");
        let mut list = vec![0; number.len()];
        for (place, published) in (1..).zip(&order) {
            bags[*published].iter().for_each(|rest| text += &format!("{place},{rest}\n"));
            let original = number.iter().position(|number| number == published).expect("an original");
            list[original] = place;
        }
        let listed: String = (1..).zip(&list).map(|(bag, place)| format!("{bag},{place}\n")).collect();
        bench.write("out/public/release.csv", text);
        bench.write("out/steward/assignment.csv", format!("original,vocabulary\n{listed}"));
        assert!(own(&bench, "out").contains(&"order".to_string()), "{how}");
    }
}

#[test]
fn hard_use_1_4_sets_are_written_with_each_term_once() {
    let bench = Bench::with_example("symptoms");
    bench.privet(&["anonymize", "symptoms/policy.toml", "-o", "out", "--attacks", "none"]).succeeds();
    let released = bench.text("out/public/release.csv");
    let cell = released.split([',', '\n']).find(|cell| cell.contains('|')).expect("a set").to_string();
    let last = cell.rsplit('|').next().expect("a term");
    bench.write("out/public/release.csv", released.replacen(&cell, &format!("{cell}|{last}||"), 1));
    assert_eq!(own(&bench, "out"), ["form"]);
}

#[test]
fn hard_use_1_5_the_key_depends_on_data_that_are_not_published() {
    let bench = bench();
    let rows = people();
    let write = |name: &str, rows: &[[String; 3]], first: usize| {
        let numbered = rows.iter().enumerate().map(|(at, row)| {
            let id = if at == first { "somebody else".to_string() } else { format!("p{}", row.join("-")) };
            [row.as_slice(), &[id]].concat()
        });
        bench.write(name, text("age,region,illness,id", &numbered.collect::<Vec<_>>()));
    };
    let reversed: Vec<[String; 3]> = rows.iter().rev().cloned().collect();
    write("same.csv", &rows, usize::MAX);
    write("reversed.csv", &reversed, usize::MAX);
    write("other.csv", &rows, 17);
    for policy in ["policy.toml", "groups.toml", "permuted.toml"] {
        let released = |data: &str| {
            let text = bench.text(policy).replace("data.csv", data).replace("9007199254740993", "7");
            let name = format!("{data}-{policy}");
            bench.write(&name, text + "\n[columns.id]\nrole = \"identifier\"\n");
            let out = format!("out-{name}");
            let told = bench.privet(&["anonymize", &name, "-o", &out, "--attacks", "none"]).succeeds();
            assert!(told.stderr.contains("the seed 7 can be guessed"), "{}", told.stderr);
            let public = bench.text(&format!("{out}/public/report.html"));
            assert!(!public.contains("can be guessed"), "the public does not read it");
            let tables = bench.tree(&format!("{out}/public")).into_iter();
            let tables =
                tables.filter(|(path, _)| path.extension().is_some_and(|extension| extension == "csv"));
            tables.map(|(_, content)| String::from_utf8(content).expect("text")).collect::<Vec<_>>()
        };
        let same = released("same.csv");
        assert_eq!(same, released("reversed.csv"), "{policy}");
        let other = released("other.csv");
        assert_ne!(same, other, "{policy}");
        let rows = |tables: &[String]| tables.concat().lines().map(str::to_string).collect::<Vec<_>>();
        let (same, other) = (rows(&same), rows(&other));
        let alike = same.iter().zip(&other).filter(|(one, other)| one == other).count();
        assert!(alike < same.len() / 2, "{policy}: {alike} of {} rows are where they were", same.len());
    }
    // A large seed is no reason to warn, and neither are the data of an example.
    let told = bench.privet(&["anonymize", "policy.toml", "-o", "large", "--attacks", "none"]).succeeds();
    assert!(!told.stderr.contains("can be guessed"), "{}", told.stderr);
    bench.privet(&["example", "patients"]).succeeds();
    let told =
        bench.privet(&["anonymize", "patients/policy.toml", "-o", "example", "--attacks", "none"]).succeeds();
    assert!(!told.stderr.contains("can be guessed"), "{}", told.stderr);
}

#[test]
fn hard_use_1_5_people_who_are_held_out_are_found_again() {
    let bench = bench();
    bench
        .privet(&["anonymize", "policy.toml", "-o", "out", "--attacks", "none", "--holdout", "20%"])
        .succeeds();
    assert!(own(&bench, "out").is_empty());
    let mut rows: Vec<Vec<String>> = people().iter().map(|row| row.to_vec()).collect();
    rows.reverse();
    bench.write("again.csv", text("age,region,illness", &rows));
    let audit = bench.privet(&["audit", "out", "--original", "again.csv", "--json"]).json();
    let failing = failing(&audit);
    assert!(failing.is_empty(), "{failing:?}");
}

#[test]
fn hard_use_1_9_a_range_is_judged_by_the_leaves_that_it_covers() {
    let bench = Bench::new();
    bench.write("age.csv", (20..30).map(|age| format!("{age};20-29;*\n")).collect::<String>());
    bench.write("sex.csv", "F;*\nM;*\n");
    let original: String =
        (0..20).map(|row| format!("{},{}\n", 20 + row % 2, ["F", "M"][row / 10])).collect();
    bench.write("data.csv", format!("age,sex\n{original}"));
    bench.write(
        "policy.toml",
        "seed = 1\n[data]\npath = \"data.csv\"\n[columns.age]\nrole = \"mixed\"\nhierarchy = \"age.csv\"\n\
         [columns.age.sensitivity]\nmodel = \"aggregate\"\nguard = [\"20\"]\n[columns.age.observability]\nmodel = \"belief\"\n\
         alpha = 0.5\ndefault = 0.0\n[columns.sex]\nrole = \"mixed\"\nhierarchy = \"sex.csv\"\n\
         [privacy.ff-anonymity]\nobservable = 1.0\nthreat = 0.2\n",
    );
    for (cell, holds) in [
        ("20-21", false),
        ("[20,22)", false),
        ("20-29", true),
        ("20-24", true),
        ("20-23", false),
        ("*", true),
    ] {
        let rows: String = (0..20).map(|row| format!("\"{cell}\",{}\n", ["F", "M"][row / 10])).collect();
        bench.write("foreign.csv", format!("age,sex\n{rows}"));
        let found = foreign(&bench, "policy.toml", "foreign.csv");
        let judged = found.iter().any(|name| name.starts_with("ff-anonymity"));
        assert_eq!(judged, !holds, "{cell}: {found:?}");
    }
}

/// Baskets of four items, their release, and the name of its file.
fn baskets() -> (Bench, String) {
    let bench = Bench::new();
    bench.write("tree.csv", "a;x;*\nb;x;*\nc;y;*\nd;y;*\ne;z;*\nf;z;*\n");
    let lines = ["a,c,e", "b,d,f", "a,c", "a,e", "c,e", "b,d", "b,f", "d,f", "a", "b"];
    bench.write("data.txt", lines.map(|line| format!("{line}\n").repeat(3)).concat());
    bench.write(
        "policy.toml",
        "seed = 3\n[data]\npath = \"data.txt\"\nkind = \"transactions\"\nseparator = \",\"\n[items]\n\
         hierarchy = \"tree.csv\"\n[privacy.kl-privacy]\nm = 1\nn = 0\nk = 2\nl = 1\n[method]\nname = \"og\"\n",
    );
    bench.privet(&["anonymize", "policy.toml", "-o", "out", "--attacks", "none"]).succeeds();
    let names = bench.names("out/public");
    let file = names.into_iter().find(|name| !["report.html", "manifest.json"].contains(&name.as_str()));
    (bench, file.expect("a released file"))
}

#[test]
fn hard_use_1_4_labels_in_another_order_are_a_violation() {
    let (bench, file) = baskets();
    let text = bench.text(&format!("out/public/{file}"));
    let judged = |text: &str| {
        bench.write("other.txt", text);
        bench.privet(&["audit", "--policy", "policy.toml", "--release", "other.txt"])
    };
    judged(&text).succeeds();
    let turned = |line: &str| line.split(',').rev().collect::<Vec<_>>().join(",");
    // All lines turned round have one order as well; one alone contradicts the others.
    judged(&text.lines().map(|line| turned(line) + "\n").collect::<String>()).succeeds();
    let long = text.lines().position(|line| line.matches(',').count() == 2).expect("three labels");
    let one = |(at, line): (usize, &str)| if at == long { turned(line) + "\n" } else { format!("{line}\n") };
    let marked: String = text.lines().enumerate().map(one).collect();
    let outcome = judged(&marked).exits(4);
    assert!(outcome.stdout.contains("order"), "{}", outcome.stdout);
    // In a release of our own the alphabet is the order.
    bench.write(
        &format!("out/public/{file}"),
        text.lines().map(|line| turned(line) + "\n").collect::<String>(),
    );
    let outcome = bench.privet(&["audit", "out"]).exits(4);
    assert!(outcome.stdout.contains("alphabetical order"), "{}", outcome.stdout);
}

#[test]
fn hard_use_1_4_quotes_that_one_person_has_are_a_violation() {
    let bench = Bench::with_example("five-vocabularies");
    bench
        .privet(&["anonymize", "five-vocabularies/policy.toml", "-o", "out", "--attacks", "none"])
        .succeeds();
    let names = bench.names("out/public");
    let file = names.iter().find(|name| name.ends_with(".csv")).expect("a table");
    let text = bench.text(&format!("out/public/{file}"));
    let judged = |text: &str| {
        bench.write("other.csv", text);
        bench.privet(&["audit", "--policy", "five-vocabularies/policy.toml", "--release", "other.csv"])
    };
    judged(&text).succeeds();
    let marked = text.replace("\n2,", "\n\"2\",");
    assert_ne!(marked, text);
    let outcome = judged(&marked).exits(4);
    assert!(outcome.stdout.contains("quotes"), "{}", outcome.stdout);
}

#[test]
fn hard_use_1_12_a_compressed_release_is_one_member_without_a_time() {
    let (bench, file) = baskets();
    let text = bench.text(&format!("out/public/{file}"));
    bench.write("one.csv", &text);
    let shell = |script: &str| {
        let status = std::process::Command::new("sh").args(["-c", script]).current_dir(bench.root()).status();
        assert!(status.expect("a shell").success(), "{script}");
    };
    let audit = |file: &str| bench.privet(&["audit", "--policy", "policy.toml", "--release", file]);
    shell("gzip -nk one.csv && cp one.csv.gz one.csv.GZ");
    audit("one.csv.gz").succeeds();
    audit("one.csv.GZ").succeeds();
    shell(
        "while read -r line; do echo \"$line\" | gzip -n; done < one.csv > rows.csv.gz; cp rows.csv.gz rows.csv.GZ",
    );
    for file in ["rows.csv.gz", "rows.csv.GZ"] {
        let outcome = audit(file).exits(4);
        assert!(outcome.stdout.contains("compressed parts"), "{}", outcome.stdout);
    }
    shell("cp one.csv timed.csv && gzip timed.csv");
    assert!(audit("timed.csv.gz").exits(4).stdout.contains("the time when it was compressed"));
}
