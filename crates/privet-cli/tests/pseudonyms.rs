//! Pseudonyms and shifted dates, from the command line.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::Bench;

const VISITS: &str = "patient,age,seen,illness\nAnn Archer,20,2024-03-01,flu\nAnn Archer,20,2024-03-15,asthma\n\
    Bob Baker,20,2024-03-05,flu\n Ann Archer ,20,2024-04-01,flu\nCleo Cole,30,2024-01-01,none\nDan Dodd,30,2024-02-29,flu\n\
    Eve Eaton,30,2024-12-31,asthma\nEve Eaton,30,2024-12-30,none\n";

const POLICY: &str = "seed = 80000000007\n[data]\npath = \"visits.csv\"\n[columns.patient]\nrole = \"pseudonym\"\n\
    [columns.age]\nrole = \"quasi-identifier\"\n[columns.seen]\nrole = \"other\"\n\
    date = { shift = \"180d\", by = \"patient\", keep = \"weekday\" }\n[columns.illness]\nrole = \"sensitive\"\n\
    [pseudonyms]\nkey = \"study.key\"\n[privacy.k-anonymity]\nk = 2\n[method]\nname = \"mondrian\"\n";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("visits.csv", VISITS);
    bench.write("policy.toml", POLICY);
    bench.privet(&["key", "new", "study.key"]).succeeds();
    bench
}

/// The cells of the released rows.
fn rows(text: &str) -> Vec<Vec<String>> {
    text.lines().skip(1).map(|line| line.split(',').map(str::to_string).collect()).collect()
}

/// The days since some day.
fn day(date: &str) -> i64 {
    let part = |from: usize, to: usize| date[from..to].parse::<i64>().expect("a number");
    let (year, month, day) = (part(0, 4), part(5, 7), part(8, 10));
    let before = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334][month as usize - 1];
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let years = year - 1;
    years * 365 + years / 4 - years / 100 + years / 400 + before + i64::from(leap && month > 2) + day
}

#[test]
fn people_have_the_same_pseudonym_everywhere_and_their_dates_move_together() {
    let bench = bench();
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
    let released = bench.text("out/public/release.csv");
    assert!(!released.contains("Ann") && !released.contains("Eaton"), "{released}");
    let mut visits: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for row in rows(&released) {
        assert_eq!(row[0].len(), 26);
        visits.entry(row[0].clone()).or_default().push(day(&row[2]));
    }
    let mut intervals: Vec<Vec<i64>> = visits
        .values_mut()
        .map(|days| {
            days.sort_unstable();
            days.windows(2).map(|pair| pair[1] - pair[0]).collect()
        })
        .collect();
    intervals.sort();
    // Ann's three visits, Eve's two, and one each of the others.
    assert_eq!(intervals, [vec![], vec![], vec![], vec![1], vec![14, 17]]);
    let weekdays: BTreeSet<i64> = visits.values().flatten().map(|day| day % 7).collect();
    let original: BTreeSet<i64> =
        VISITS.lines().skip(1).map(|line| day(line.split(',').nth(2).expect("a date")) % 7).collect();
    assert_eq!(weekdays, original);

    let audit = bench.privet(&["audit", "out", "--verbose"]).exits(0).stdout;
    for said in [
        "pseudonyms of 'patient': 5 names, each with a keyed hash of its own",
        "dates of 'seen': 5 people's dates are moved by whole weeks, at most 180 days, each by one number; of 2 people with \
         several dates, 2 can be told apart",
        "names of 'patient': no cell of the release holds one",
    ] {
        assert!(audit.contains(said), "{audit}");
    }
    let attacks = bench.privet(&["attack", "out", "--json"]).exits(0).json();
    let prints = attacks["attacks"].as_array().expect("attacks");
    let prints = prints.iter().find(|attack| attack["name"] == "fingerprint").expect("fingerprints");
    // Two people of age 20 and three of age 30: nobody is alone by one record.
    assert_eq!(
        (prints["figures"][0]["targets"].as_u64(), prints["figures"][0]["hits"].as_u64()),
        (Some(5), Some(0))
    );
    let manifest = bench.json("out/steward/manifest.json");
    assert_eq!(manifest["pseudonyms"]["key_fingerprint"].as_str().map(str::len), Some(16));
    assert_eq!(manifest["pseudonyms"]["domains"]["patient"], "patient");
    let key = bench.text("study.key");
    for path in [
        "out/steward/manifest.json",
        "out/public/manifest.json",
        "out/public/report.html",
        "out/steward/report.html",
    ] {
        assert!(!bench.text(path).contains(&key), "{path}");
    }
}

#[test]
fn requirements_count_people() {
    let bench = bench();
    // Four records of age 20 are two people.
    bench.edit("policy.toml", "k = 2\n", "k = 3\n");
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
    let ages: BTreeSet<String> =
        rows(&bench.text("out/public/release.csv")).into_iter().map(|row| row[1].clone()).collect();
    assert_eq!(ages.len(), 1, "{ages:?}");
}

#[test]
fn tables_with_one_key_and_domain_can_be_joined() {
    let bench = bench();
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
    bench.write("people.csv", "id,sex\nbob baker,m\nCLEO COLE,f\n");
    bench.write(
        "people.toml",
        "seed = 1234567890123\n[data]\npath = \"people.csv\"\n[columns.id]\nrole = \"pseudonym\"\ndomain = \"patient\"\n\
         [columns.sex]\nrole = \"quasi-identifier\"\n[pseudonyms]\nkey = \"study.key\"\nnormalise = \"nfc-trim-lower\"\n\
         [privacy.k-anonymity]\nk = 2\n[method]\nname = \"mondrian\"\n",
    );
    bench.privet(&["anonymize", "people.toml", "-o", "people"]).exits(0);
    bench.edit("policy.toml", "key = \"study.key\"", "key = \"study.key\"\nnormalise = \"nfc-trim-lower\"");
    bench.privet(&["anonymize", "policy.toml", "-o", "again"]).exits(0);
    let of = |path: &str| {
        rows(&bench.text(path)).into_iter().map(|row| row[0].clone()).collect::<BTreeSet<String>>()
    };
    assert_eq!(of("people/public/release.csv").intersection(&of("again/public/release.csv")).count(), 2);
    assert_eq!(of("people/public/release.csv").intersection(&of("out/public/release.csv")).count(), 0);
    // Another key, other pseudonyms.
    bench.privet(&["key", "new", "keys/other.key"]).succeeds();
    bench.edit("people.toml", "study.key", "keys/other.key");
    bench.privet(&["anonymize", "people.toml", "-o", "other"]).exits(0);
    assert!(of("people/public/release.csv").is_disjoint(&of("other/public/release.csv")));
}

#[test]
fn the_audit_says_what_it_cannot_know_without_the_key() {
    let bench = bench();
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
    std::fs::rename(bench.path("study.key"), bench.path("away.key")).expect("moved");
    let audit = bench.privet(&["audit", "out", "--json"]).exits(0).json();
    assert_eq!((audit["passed"].as_bool(), audit["decided"].as_bool()), (Some(true), Some(false)));
}

#[test]
fn releases_with_other_pseudonyms_or_dates_are_rejected() {
    let bench = bench();
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
    let good = bench.text("out/public/release.csv");
    let all = rows(&good);
    let two: Vec<&String> =
        all.iter().map(|row| &row[0]).collect::<BTreeSet<_>>().into_iter().take(2).collect();
    let table = ["audit", "--policy", "policy.toml", "--original", "visits.csv", "--release", "changed.csv"];
    let fake = "a".repeat(26);
    for (changed, said) in [
        (good.replacen(two[0].as_str(), two[1], 1), "matches no original record"),
        (good.replacen(two[0].as_str(), &fake, 1), "not the pseudonym of anybody"),
        (good.replacen(two[0].as_str(), "Ann Archer", 1), "not the pseudonym of anybody"),
        (good.replacen(&all[0][2], "2023-01-01", 1), "matches no original record"),
        (good.replacen(",flu", ",flu Ann Archer", 1), "holds a name"),
    ] {
        bench.write("changed.csv", &changed);
        let outcome = bench.privet(&table).exits(4);
        assert!(outcome.stdout.contains(said), "{said}: {}", outcome.stdout);
    }
}

#[test]
fn what_makes_no_sense_is_refused_and_leaves_nothing_behind() {
    for (from, to, said) in [
        ("key = \"study.key\"", "key = \"none.key\"", "none.key"),
        ("key = \"study.key\"", "key = \"visits.csv\"", "others than its owner may read"),
        ("key = \"study.key\"", "key = \"study.key\"\nlength = 15", "from 16 to 51"),
        ("[pseudonyms]\nkey = \"study.key\"\n", "", "names no key"),
        ("role = \"pseudonym\"", "role = \"quasi-identifier\"", "neither an identifier nor a pseudonym"),
        ("by = \"patient\"", "by = \"patients\"", "not a column of the data"),
        ("180d", "6d", "from 7d to"),
        ("180d", "180", "from 7d to"),
        ("keep = \"weekday\"", "keep = \"month\"", "cannot be \"month\""),
        ("keep = \"weekday\"", "coarsen = \"month\"", "not both"),
        ("role = \"other\"", "role = \"quasi-identifier\"\nhierarchy = \"x.csv\"", "x.csv"),
        ("name = \"mondrian\"", "name = \"mondrian\"\npartitioning = \"relaxed\"", "relaxed"),
    ] {
        let bench = bench();
        bench.edit("policy.toml", from, to);
        let refused = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
        assert!(refused.stderr.contains(said), "{said}: {}", refused.stderr);
        assert!(!bench.path("out").exists());
    }
    for (from, to, said) in [
        ("2024-03-15", "15.03.2024", "visits.csv:3: '15.03.2024' in column 'seen' is not a date"),
        ("2024-03-15", "2023-02-29", "is not a date"),
        ("Bob Baker", "?", ""),
        ("Dan Dodd,30,2024-02-29", "Dan Dodd,30,9999-12-31", ""),
    ] {
        let bench = bench();
        bench.edit("visits.csv", from, to);
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]);
        if said.is_empty() {
            // Whether a date leaves the calendar depends on the key.
            assert!([Some(0), Some(2)].contains(&outcome.status), "{}", outcome.stderr);
        } else {
            let refused = outcome.exits(2);
            assert!(refused.stderr.contains(said), "{said}: {}", refused.stderr);
        }
    }
}

#[test]
fn dates_are_coarsened() {
    for (part, first) in [("month", "2024-01"), ("quarter", "2024-Q1"), ("year", "2024")] {
        let bench = bench();
        bench.edit(
            "policy.toml",
            "shift = \"180d\", by = \"patient\", keep = \"weekday\"",
            &format!("coarsen = \"{part}\""),
        );
        bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
        let mut seen: Vec<String> =
            rows(&bench.text("out/public/release.csv")).into_iter().map(|row| row[2].clone()).collect();
        seen.sort();
        assert_eq!(seen[0], first);
        bench.privet(&["audit", "out"]).exits(0);
    }
}
