//! Numbers that stay numbers, and missing values, from the command line.

use crate::common::Bench;

const PEOPLE: &str = "age,income,site,illness\n20,1250,a,flu\n20,250000,?,flu\n20,1500,a,asthma\n20,-99,b,flu\n\
    30,210000,b,none\n30,199499.99,a,flu\n30,199500,a,none\n30,0,b,asthma\n";

const POLICY: &str = "seed = 80000000007\n[data]\npath = \"data.csv\"\nmissing = [\"?\", \"-99\"]\n\
    [columns.age]\nrole = \"quasi-identifier\"\n[columns.income]\nrole = \"other\"\n\
    numbers = { top = 200000, round = 1000 }\n[columns.site]\nrole = \"other\"\n\
    [columns.illness]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 3\n[method]\nname = \"mondrian\"\n";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("data.csv", PEOPLE);
    bench.write("policy.toml", POLICY);
    bench
}

/// The released cells of a column, sorted.
fn column(bench: &Bench, path: &str, place: usize) -> Vec<String> {
    let text = bench.text(path);
    let cells = text.lines().skip(1).filter_map(|line| line.split(',').nth(place));
    let mut cells: Vec<String> = cells.map(str::to_string).collect();
    cells.sort();
    cells
}

#[test]
fn numbers_are_rounded_and_coded_and_missing_values_are_empty() {
    let bench = bench();
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
    let incomes = column(&bench, "out/public/release.csv", 1);
    // 199,500 is rounded first, and is then at the bound.
    assert_eq!(incomes, ["", "0", "1000", "199000", "2000", ">=200000", ">=200000", ">=200000"]);
    assert_eq!(column(&bench, "out/public/release.csv", 2), ["", "a", "a", "a", "a", "b", "b", "b"]);
    let audit = bench.privet(&["audit", "out", "--verbose"]).exits(0);
    let said = "numbers of 'income': 3 records are published as >=200000; all numbers are multiples of 1000";
    assert!(audit.stdout.contains(said), "{}", audit.stdout);
    bench.privet(&["attack", "out"]).exits(0);

    bench.edit("policy.toml", "missing = [", "missing_as = \"unknown\"\nmissing = [");
    bench.privet(&["anonymize", "policy.toml", "-o", "words"]).exits(0);
    assert_eq!(column(&bench, "words/public/release.csv", 2)[7], "unknown");
    assert!(column(&bench, "words/public/release.csv", 1).contains(&"unknown".to_string()));
}

#[test]
fn labels_and_bounds_follow_from_the_policy_and_the_data() {
    let labels = |numbers: &str| {
        let bench = bench();
        bench.edit("policy.toml", "{ top = 200000, round = 1000 }", numbers);
        bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
        bench.privet(&["audit", "out"]).exits(0);
        column(&bench, "out/public/release.csv", 1)
    };
    assert_eq!(labels("{ top = 200000, label = \"value\" }")[5..], ["199500", "200000", "200000"]);
    // The third largest number is 199,500; of 199,500, 210,000 and 250,000 the mean has the digits that the data have.
    assert_eq!(labels("{ top = \"k\" }")[5..], [">=199500", ">=199500", ">=199500"]);
    assert_eq!(labels("{ top = \"k\", label = \"mean\" }")[5..], ["219833.33", "219833.33", "219833.33"]);
    assert_eq!(labels("{ bottom = \"k\" }")[5..], ["<=1500", "<=1500", "<=1500"]);
}

#[test]
fn a_release_whose_numbers_were_changed_is_rejected() {
    let bench = bench();
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
    let good = bench.text("out/public/release.csv");
    let table = ["audit", "--policy", "policy.toml", "--original", "data.csv", "--release", "changed.csv"];
    for (from, to, said) in [
        (",199000,", ",198000,", "matches no original record"),
        (",199000,", ",199499.99,", "is not a multiple"),
        (">=200000", "250000", "is at a bound or beyond it"),
        (",199000,", ",much,", "is not a number"),
    ] {
        bench.write("changed.csv", good.replacen(from, to, 1));
        let outcome = bench.privet(&table).exits(4);
        assert!(outcome.stdout.contains(said), "{to}: {}", outcome.stdout);
    }
    bench.write("out/public/release.csv", good.replacen(",,", ",?,", 1));
    let outcome = bench.privet(&["audit", "out"]).exits(4);
    assert!(outcome.stdout.contains("matches no original record"), "{}", outcome.stdout);
}

#[test]
fn what_makes_no_sense_is_refused_and_leaves_nothing_behind() {
    for (from, to, said) in [
        ("{ top = 200000, round = 1000 }", "{ top = 1, bottom = 1 }", "policy.toml:9: 'top' is 1"),
        ("{ top = 200000, round = 1000 }", "{ round = -1 }", "not a number above 0"),
        ("{ top = 200000, round = 1000 }", "{ round = 5, label = \"mean\" }", "without a bound"),
        ("{ top = 200000, round = 1000 }", "{ top = 240000, label = \"mean\" }", "the mean of 1 number"),
        ("{ top = 200000, round = 1000 }", "5", "must be a table"),
        ("\"?\", \"-99\"", "\"?\"", "data.csv: "),
        ("role = \"quasi-identifier\"", "role = \"quasi-identifier\"\nnumbers = { top = 9 }", "hierarchy"),
        ("missing = [\"?\", \"-99\"]", "missing = []\nmissing_as = \"?\"", "nothing is missing"),
        ("missing = [", "missing_as = \"*\"\nmissing = [", "suppressed cells"),
        ("k-anonymity]\nk = 3", "l-diversity]\nl = 2\ncolumn = \"illness\"", ""),
    ] {
        let bench = bench();
        bench.edit("policy.toml", from, to);
        if said.is_empty() {
            bench.edit("policy.toml", "top = 200000", "top = \"k\"");
            let refused = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
            assert!(refused.stderr.contains("no requirement of the policy has a k"), "{}", refused.stderr);
            continue;
        }
        if said == "data.csv: " {
            bench.edit("data.csv", "-99", "much");
            let refused = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
            assert!(refused.stderr.contains("data.csv:5: 'much' in column 'income'"), "{}", refused.stderr);
        } else {
            let refused = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
            assert!(refused.stderr.contains(said), "{to}: {}", refused.stderr);
        }
        assert!(!bench.path("out").exists());
    }
}

#[test]
fn a_leaf_for_missing_values_is_published_as_an_empty_cell() {
    let bench = bench();
    bench.write("data.csv", PEOPLE.replace("20,", "?,"));
    bench.write("age.csv", "?;unknown;*\n30;known;*\n");
    bench.edit("policy.toml", "missing = [", "on_missing = \"value\"\nmissing = [");
    bench.edit(
        "policy.toml",
        "role = \"quasi-identifier\"",
        "role = \"quasi-identifier\"\nhierarchy = \"age.csv\"",
    );
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
    assert_eq!(column(&bench, "out/public/release.csv", 0), ["", "", "", "", "30", "30", "30", "30"]);
    bench.privet(&["audit", "out"]).exits(0);
}
