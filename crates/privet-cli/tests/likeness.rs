//! β-likeness and δ-disclosure privacy from the command line: known optima, bad input, releases that were changed.

use std::path::Path;

use crate::common::Bench;

/// A bench with the files of a case of `vectors/population`.
fn case(name: &str) -> Bench {
    let bench = Bench::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/population/cases").join(name);
    for entry in std::fs::read_dir(&folder).expect("a case") {
        let entry = entry.expect("a file");
        let content = std::fs::read(entry.path()).expect("read");
        bench.write(&entry.file_name().to_string_lossy(), content);
    }
    bench
}

#[test]
fn the_known_optima_are_found() {
    for name in [
        "07-beta-basic",
        "08-beta-basic-suppression",
        "09-beta-enhanced",
        "10-beta-enhanced-suppression",
        "11-disclosure",
        "12-disclosure-suppression",
        "13-disclosure-skip",
    ] {
        let bench = case(name);
        bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
        bench.privet(&["audit", "out"]).succeeds();
        let (expected, manifest) = (bench.json("expected.json"), bench.json("out/steward/manifest.json"));
        let levels = &manifest["plan"]["levels"];
        let levels = ["q1", "q2", "q3", "q4"].map(|column| levels[column].clone());
        let found: Vec<&serde_json::Value> = levels.iter().filter(|level| !level.is_null()).collect();
        let best = expected["optimum"]["levels"].as_array().expect("vectors");
        let is_best = |best: &serde_json::Value| {
            best.as_array().is_some_and(|best| best.iter().eq(found.iter().copied()))
        };
        assert!(best.iter().any(is_best), "{name}: {found:?} is not in {best:?}");
        let (records, rows) =
            (expected["risk"]["records"].as_u64(), bench.text("out/public/release.csv").lines().count());
        let suppressed = records.expect("records") + 1 - rows as u64;
        assert_eq!(Some(suppressed), expected["optimum"]["suppressed"].as_u64(), "{name}");
    }
}

#[test]
fn bad_settings_are_refused_and_leave_nothing_behind() {
    let refused = |bench: &Bench, words: &[&str]| {
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
        words.iter().for_each(|word| assert!(outcome.stderr.contains(word), "{word}: {}", outcome.stderr));
        assert!(!bench.path("out").exists());
    };
    refused(&case("91-beta-zero"), &["beta", "above 0"]);
    let bench = case("13-disclosure-skip");
    bench.edit("policy.toml", "name = \"full-domain\"", "name = \"mondrian\"");
    let policy = bench.text("policy.toml");
    let kept: Vec<&str> =
        policy.lines().filter(|line| !line.starts_with("cost") && !line.starts_with("suppression")).collect();
    bench.write("policy.toml", kept.join("\n"));
    refused(&bench, &["only with absent = violates"]);
    let bench = case("11-disclosure");
    let delta = bench.text("policy.toml").lines().find(|line| line.starts_with("delta")).map(String::from);
    bench.edit("policy.toml", &delta.expect("delta"), "delta = \"100/67\"");
    refused(&bench, &["denominator above 64"]);
}

/// The six records of the specification: with age generalised away, cancer in A has a gain of 1.
const TOY: &str = "zip,age,disease\nA,30,flu\nA,30,cancer\nA,40,flu\nB,40,flu\nB,40,asthma\nB,50,flu\n";

fn toy(privacy: &str, method: &str) -> Bench {
    let bench = Bench::new();
    bench.write("data.csv", TOY);
    bench.write(
        "policy.toml",
        format!(
            "seed = 1\n[data]\npath = \"data.csv\"\n[columns.zip]\nrole = \"quasi-identifier\"\n[columns.age]\nrole = \
             \"quasi-identifier\"\n[columns.disease]\nrole = \"sensitive\"\n{privacy}[method]\nname = \"{method}\"\n"
        ),
    );
    bench
}

#[test]
fn the_audit_rejects_what_was_not_made_to_hold() {
    let audit = ["audit", "--policy", "policy.toml", "--original", "data.csv", "--release", "data.csv"];
    for method in ["full-domain", "mondrian"] {
        let bench = toy("[privacy.beta-likeness]\nbeta = 2\n", method);
        bench.privet(&audit).succeeds();
        bench.edit("policy.toml", "beta = 2", "beta = 2\nkind = \"enhanced\"");
        let outcome = bench.privet(&audit).exits(4);
        assert!(outcome.stdout.contains("gain 1/2 not ≤ min(2, −ln 4/6)"), "{}", outcome.stdout);
        bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
        bench.privet(&["audit", "out"]).succeeds();
        let bench = toy("[privacy.delta-disclosure]\ndelta = 2\n", method);
        let outcome = bench.privet(&audit).exits(4);
        assert!(outcome.stdout.contains("does not occur in"), "{}", outcome.stdout);
        bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
        bench.privet(&["audit", "out"]).succeeds();
    }
}
