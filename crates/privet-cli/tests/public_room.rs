//! What may leave the house and what may not, and how an audit notices that a release folder was touched.

mod common;

use common::Bench;

const POLICY: &str = "seed = 1\n[data]\npath = \"data.csv\"\n\
    [columns.group]\nrole = \"quasi-identifier\"\n[columns.age]\nrole = \"quasi-identifier\"\n\
    [columns.disease]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 5\n";

/// Thirty records each of two groups, and four of a third.
fn data() -> String {
    let row = |group: &str, at: usize| format!("{group},{},{}\n", 30 + at % 2, ["flu", "cold"][at % 2]);
    let rows =
        |group: &'static str, count: usize| (0..count).map(move |at| row(group, at)).collect::<String>();
    format!("group,age,disease\n{}{}{}", rows("a", 30), rows("b", 30), rows("c", 4))
}

fn bench(method: &str) -> Bench {
    let bench = Bench::new();
    bench.write("data.csv", data());
    bench.write("policy.toml", format!("{POLICY}{method}"));
    bench
}

#[test]
fn no_loss_gives_a_small_number_of_suppressed_records_away() {
    let bench = bench("[method]\nsuppression_limit = 0.2\n");
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    assert_eq!(bench.json("out/steward/manifest.json")["records"]["suppressed"], 4);
    let public = bench.json("out/public/manifest.json");
    assert_eq!(public["records"]["suppressed"], "1-10");
    assert!(public["loss"].is_null(), "{public}");
    let report = bench.text("out/public/report.html");
    assert!(!report.contains("What was lost") && !report.contains("information lost"), "a loss is shown");
    assert!(bench.text("out/steward/report.html").contains("What was lost"));
}

#[test]
fn the_public_report_does_not_name_the_data_file() {
    let bench = bench("[method]\nsuppression_limit = 0.2\n");
    bench.write("clinic-of-dr-smith.csv", data());
    bench.edit("policy.toml", "data.csv", "clinic-of-dr-smith.csv");
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    assert!(!bench.text("out/public/report.html").contains("smith"));
    assert!(bench.text("out/steward/report.html").contains("clinic-of-dr-smith"));
}

#[test]
fn an_audit_notices_whatever_was_touched_in_the_folder() {
    let stray = ("out/public/original.csv", "", "group,age,disease\n");
    let touched = [
        stray,
        ("out/public/report.html", "</html>", "<p>all is well</p></html>"),
        ("out/public/manifest.json", "k = 5", "k = 9"),
        ("out/steward/policy.toml", "k = 5", "k = 2"),
    ];
    for (file, from, to) in touched {
        let bench = bench("[method]\nsuppression_limit = 0.2\n");
        bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
        bench.privet(&["audit", "out"]).succeeds();
        if (file, from, to) == stray {
            bench.write(file, to);
        } else {
            bench.edit(file, from, to);
        }
        let outcome = bench.privet(&["audit", "out"]).exits(4);
        assert!(outcome.stdout.contains("✗ files"), "{file}: {}", outcome.stdout);
    }
}

#[test]
fn a_report_is_not_written_again_over_a_touched_release() {
    let bench = bench("[method]\nsuppression_limit = 0.2\n");
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    bench.privet(&["report", "out"]).succeeds();
    bench.privet(&["audit", "out"]).succeeds();
    let release = bench.text("out/public/release.csv");
    let shorter = release.lines().take(10).collect::<Vec<_>>().join("\n");
    bench.write("out/public/release.csv", shorter);
    bench.privet(&["report", "out"]).exits(4);
}

#[test]
fn empty_cells_can_be_values_without_a_hierarchy() {
    for method in ["full-domain", "mondrian"] {
        let bench = Bench::new();
        let rows: String =
            (0..40).map(|at| format!("{},{},x{}\n", ["a", ""][at % 2], at % 7, at % 3)).collect();
        bench.write("data.csv", format!("group,age,disease\n{rows}"));
        bench.write("policy.toml", format!("{POLICY}[method]\nname = \"{method}\"\n"));
        bench.edit("policy.toml", "[columns.group]", "on_missing = \"value\"\n[columns.group]");
        bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
        assert_eq!(bench.json("out/steward/manifest.json")["records"]["released"], 40);
    }
}

#[test]
fn numbers_beyond_a_doubles_digits_are_not_merged() {
    let bench = Bench::new();
    let rows =
        ["9007199254740993", "9007199254740992", "5", "6"].map(|number| format!("{number},x\n")).concat();
    bench.write("data.csv", format!("age,disease\n{rows}"));
    let policy =
        POLICY.replace("[columns.group]\nrole = \"quasi-identifier\"\n", "").replace("k = 5", "k = 2");
    bench.write("policy.toml", format!("{policy}[method]\nname = \"mondrian\"\n"));
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    assert!(!bench.text("out/public/release.csv").contains('['), "no range holds both");
}
