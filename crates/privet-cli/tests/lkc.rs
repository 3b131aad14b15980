//! LKC-privacy from the command line: the case that its page works out by hand.

use crate::common::Bench;

/// Every two columns divide the eight people into pairs with different diseases; all three single out everybody.
const PATIENTS: &str = "town,sex,age,disease\nA,f,30,flu\nA,f,40,gout\nA,m,30,ulcer\nA,m,40,cold\n\
    B,f,30,cold\nB,f,40,ulcer\nB,m,30,gout\nB,m,40,flu\n";

const COLUMNS: &str = "seed = 1\n[data]\npath = \"data.csv\"\n\
    [columns.town]\nrole = \"quasi-identifier\"\n[columns.sex]\nrole = \"quasi-identifier\"\n\
    [columns.age]\nrole = \"quasi-identifier\"\n[columns.disease]\nrole = \"sensitive\"\n";

const LKC: &str =
    "[privacy.lkc-privacy]\nL = 2\nK = 2\nC = 0.5\ncolumn = \"disease\"\n[method]\nname = \"full-domain\"\n";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("data.csv", PATIENTS);
    bench.write("policy.toml", format!("{COLUMNS}{LKC}"));
    bench
}

const TABLE: [&str; 7] =
    ["audit", "--policy", "policy.toml", "--original", "data.csv", "--release", "data.csv"];

#[test]
fn two_known_columns_match_two_people_and_three_need_a_coarser_release() {
    let bench = bench();
    let levels = |out: &str| {
        bench.privet(&["anonymize", "policy.toml", "-o", out]).succeeds();
        let audit = bench.privet(&["audit", out]).succeeds();
        assert!(audit.stdout.contains("lkc-privacy (L = "), "{}", audit.stdout);
        bench.json(&format!("{out}/steward/manifest.json"))["plan"]["levels"].clone()
    };
    assert_eq!(levels("two"), serde_json::json!({ "town": 0, "sex": 0, "age": 0 }));
    let report = bench.text("two/public/report.html");
    for shown in
        ["LKC-privacy of disease (L = 2, K = 2, C = 1", "Someone who knows at most 2 quasi-identifiers"]
    {
        assert!(report.contains(shown), "{shown}");
    }
    assert!(bench.text("two/steward/report.html").contains("lkc-privacy of disease, smallest group"));
    bench.privet(&TABLE).succeeds();
    bench.edit("policy.toml", "L = 2", "L = 3");
    assert_eq!(levels("three"), serde_json::json!({ "town": 0, "sex": 0, "age": 1 }));
    let outcome = bench.privet(&TABLE).exits(4);
    let failing = "fails in 8 of 8 groups of records that agree on 3 quasi-identifiers";
    assert!(outcome.stdout.contains(failing), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("size 1 < K = 2"), "{}", outcome.stdout);
    // Beyond the number of quasi-identifiers, all of them count as known.
    bench.edit("policy.toml", "L = 3", "L = 9");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "nine"]).succeeds();
    assert!(
        format!("{}{}", outcome.stdout, outcome.stderr)
            .contains("L = 9 is more than the 3 quasi-identifiers"),
        "{}{}",
        outcome.stdout,
        outcome.stderr
    );
    assert_eq!(levels("again"), serde_json::json!({ "town": 0, "sex": 0, "age": 1 }));
}

#[test]
fn a_release_that_was_changed_is_rejected() {
    let bench = bench();
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    let good = bench.text("out/public/release.csv");
    bench.write("out/public/release.csv", good.replace("A,f,40,gout", "A,f,40,flu"));
    let outcome = bench.privet(&["audit", "out"]).exits(4);
    assert!(outcome.stdout.contains("largest share 2/2 > C = 1/2"), "{}", outcome.stdout);
    let row = "B,m,40,flu\n";
    assert!(good.contains(row));
    bench.write("out/public/release.csv", good.replace(row, ""));
    let outcome = bench.privet(&["audit", "out"]).exits(4);
    assert!(outcome.stdout.contains("size 1 < K = 2"), "{}", outcome.stdout);
}

#[test]
fn what_cannot_be_kept_is_refused_at_the_door_with_the_reason() {
    let refused = |from: &str, to: &str, status: i32, reason: &str| {
        let bench = bench();
        bench.edit("policy.toml", from, to);
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(status);
        assert!(outcome.stderr.contains(reason), "{reason}: {}", outcome.stderr);
        assert!(status != 2 || outcome.stderr.contains("policy.toml:"), "{}", outcome.stderr);
        assert!(!bench.path("out").exists());
    };
    refused("L = 2", "L = 0", 2, "a whole number from 1");
    refused("K = 2", "K = 0", 2, "a whole number from 1");
    refused("K = 2\n", "", 2, "'K'");
    refused("C = 0.5", "C = 0", 2, "'privacy.lkc-privacy.C' is 0; it must be above 0, at most 1");
    refused("C = 0.5", "C = 1.5", 2, "as in C = 0.5");
    refused("column = \"disease\"", "column = \"town\"", 2, "sensitive");
    refused("[method]\n", "[method]\nsuppression_limit = 0.1\n", 2, "without suppression only");
    refused(
        "full-domain",
        "mondrian",
        2,
        "this requirement is for full-domain: it groups records by some of",
    );
    refused("data.csv\"\n", "data.csv\"\nperson = \"pid\"\n", 2, "'pid'");
    refused("K = 2", "K = 9", 3, "K is 9, but there are only 8 records");
    refused("C = 0.5", "C = 0.2", 3, "one value of 'disease' makes up 2 of all 8 records");
}

#[test]
fn people_and_too_many_combinations_are_refused() {
    let bench = Bench::new();
    let people = PATIENTS.replace("town,", "pid,town,").replace("\nA", "\n1,A").replace("\nB", "\n2,B");
    bench.write("data.csv", people);
    bench.write("policy.toml", format!("{COLUMNS}{LKC}"));
    bench.edit("policy.toml", "data.csv\"\n", "data.csv\"\nperson = \"pid\"\n");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
    assert!(outcome.stderr.contains("may all belong to one person"), "{}", outcome.stderr);

    let names: Vec<String> = (0..25).map(|column| format!("q{column}")).collect();
    let row = vec!["1"; 25].join(",");
    bench.write("wide.csv", format!("{},s\n{row},a\n{row},b\n", names.join(",")));
    let columns: String =
        names.iter().map(|name| format!("[columns.{name}]\nrole = \"quasi-identifier\"\n")).collect();
    bench.write(
        "wide.toml",
        format!(
            "seed = 1\n[data]\npath = \"wide.csv\"\n{columns}[columns.s]\nrole = \"sensitive\"\n\
             [privacy.lkc-privacy]\nL = 6\nK = 2\nC = 1\n"
        ),
    );
    let outcome = bench.privet(&["anonymize", "wide.toml", "-o", "out"]).exits(2);
    let reason = "L = 6 of 25 quasi-identifiers makes 177100 combinations; at most 100000 are checked";
    assert!(outcome.stderr.contains(reason), "{}", outcome.stderr);
    bench.edit("wide.toml", "L = 6", "L = 2");
    bench.privet(&["anonymize", "wide.toml", "-o", "out"]).succeeds();
}

#[test]
fn it_can_be_explained_and_compared() {
    let bench = bench();
    let outcome = bench.privet(&["explain", "lkc-privacy"]).succeeds();
    assert!(outcome.stdout.contains("at most L of a person's quasi-identifiers"), "{}", outcome.stdout);
    let compared = ["compare", "policy.toml", "--vary", "privacy.lkc-privacy.L=1,2,3", "-o", "grid"];
    bench.privet(&compared).succeeds();
}

#[test]
fn with_c_of_one_no_column_has_to_be_sensitive() {
    let bench = bench();
    bench.edit("policy.toml", "[columns.disease]\nrole = \"sensitive\"\n", "");
    bench.edit("policy.toml", "C = 0.5\ncolumn = \"disease\"", "C = 1");
    bench.privet(&["anonymize", "policy.toml", "-o", "two"]).succeeds();
    bench.privet(&["audit", "two"]).succeeds();
    assert!(bench.text("two/public/report.html").contains("LKC-privacy (L = 2, K = 2)"));
    bench.edit("policy.toml", "L = 2", "L = 3");
    bench.privet(&["anonymize", "policy.toml", "-o", "three"]).succeeds();
    let levels = &bench.json("three/steward/manifest.json")["plan"]["levels"];
    assert_eq!(levels, &serde_json::json!({ "town": 0, "sex": 0, "age": 1 }));
    bench.edit("policy.toml", "C = 1", "C = 0.9");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "four"]).exits(2);
    assert!(outcome.stderr.contains("no column is sensitive"), "{}", outcome.stderr);
}
