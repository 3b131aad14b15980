//! l+-diversity from the command line: what a user reads when suppression takes everything, or reveals too much.

use crate::common::Bench;

const POLICY: &str = "seed = 1\n[data]\npath = \"data.csv\"\n\
    [columns.group]\nrole = \"quasi-identifier\"\n[columns.disease]\nrole = \"sensitive\"\n\
    [privacy.l-plus-diversity]\ncolumn = \"disease\"\n";
const METHOD: &str = "[method]\nname = \"l-plus-optimize\"\n";

/// A bench with this many records of each group and disease.
fn bench(records: &[(&str, &str, usize)], thresholds: &str, method: &str) -> Bench {
    let bench = Bench::new();
    let rows: String =
        records.iter().map(|(group, disease, count)| format!("{group},{disease}\n").repeat(*count)).collect();
    bench.write("data.csv", format!("group,disease\n{rows}"));
    bench.write("policy.toml", format!("{POLICY}{thresholds}\n{METHOD}{method}\n"));
    bench
}

const MIXED: &[(&str, &str, usize)] =
    &[("a", "flu", 30), ("a", "cold", 12), ("a", "gout", 11), ("b", "flu", 20), ("b", "cold", 30)];

#[test]
fn thresholds_by_frequency_stay_out_of_the_public_room() {
    let bench = bench(MIXED, "default = \"0.55\"\ntheta_rule = \"frequency\"", "");
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    let model = bench.json("out/steward/report.json");
    let tight = &model["tightness"][0];
    assert_eq!(tight["from_data"], true, "{tight}");
    // Flu and cold are more frequent than the mean: 0.55 · 50/(103/3) and 0.55 · 42/(103/3).
    let shown = ["0.801", "0.6728", "165&#x2f;206", "693&#x2f;1030"];
    let steward = bench.text("out/steward/report.html");
    assert!(shown.iter().any(|threshold| steward.contains(threshold)), "the steward sees thresholds");
    let public = bench.text("out/public/report.html");
    assert!(shown.iter().all(|threshold| !public.contains(threshold)), "a threshold tells counts");
    assert!(public.contains("<td data-name=\"Required\" class=\"number\">withheld</td>"));
}

#[test]
fn an_empty_release_is_said_first_and_everywhere() {
    let bench = bench(MIXED, "l = 2\n[privacy.k-anonymity]\nk = 500", "");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    let wanted = "WARNING: the release is EMPTY: all 103 records are suppressed, because k = 500 asks for more records";
    assert!(outcome.stderr.starts_with(wanted), "{}", outcome.stderr);
    for room in ["public", "steward"] {
        let report = bench.text(&format!("out/{room}/report.html"));
        assert!(report.contains("The release is empty") && !report.contains("keeps its promise"), "{room}");
    }
}

#[test]
fn a_release_that_says_nothing_about_its_sensitive_column_says_so() {
    let bench = bench(&[("a", "flu", 12), ("b", "flu", 12)], "l = 2", "suppression = \"all-sa\"");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    let wanted = "every sensitive cell is suppressed: the release says nothing about 'disease'";
    assert!(outcome.stderr.contains(wanted), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("single record"), "no class is: {}", outcome.stderr);
    for room in ["public", "steward"] {
        let report = bench.text(&format!("out/{room}/report.html"));
        assert!(report.contains("All cells of disease are replaced by *"), "{room}");
        assert!(report.contains(">all cells replaced by *<") && report.contains("≤ 0.5<"), "{room}");
    }
    let arguments = [
        "audit",
        "-v",
        "--policy",
        "policy.toml",
        "--original",
        "data.csv",
        "--release",
        "out/public/release.csv",
    ];
    let audit = bench.privet(&arguments).exits(0);
    assert!(audit.stdout.contains("24 cells of disease are suppressed (*)"), "{}", audit.stdout);
}

#[test]
fn single_records_whose_cell_is_suppressed_are_counted() {
    let records = &[("a", "flu", 1), ("b", "flu", 10), ("b", "cold", 10)];
    let bench = bench(records, "l = 2", "suppression = \"vio-sa\"");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    assert!(outcome.stderr.contains("1 class is a single record whose 'disease'"), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("1 cell shown as *"), "{}", outcome.stdout);
    assert!(!outcome.stderr.contains("recovers"), "either value may be meant: {}", outcome.stderr);
}

#[test]
fn a_value_that_follows_from_the_scheme_is_a_leak() {
    let records = &[("a", "flu", 4), ("a", "cold", 1), ("b", "flu", 10), ("b", "cold", 10)];
    let bench = bench(records, "l = 2", "suppression = \"vio-sa\"");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    let leak = "an attacker who knows the thresholds and that suppression is \"vio-sa\" recovers 4 of 4";
    assert!(outcome.stderr.contains(leak), "{}", outcome.stderr);
}

#[test]
fn help_is_about_the_requirement_that_fails() {
    let large = bench(MIXED, "l = 2\n[privacy.k-anonymity]\nk = 500", "suppression = \"none\"");
    let outcome = large.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(3);
    assert!(outcome.stderr.contains("help: lower k to at most 103"), "{}", outcome.stderr);
    let strict = bench(MIXED, "l = 3", "suppression = \"none\"");
    let outcome = strict.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(3);
    assert!(outcome.stderr.contains("help: raise the threshold"), "{}", outcome.stderr);
    let starred = bench(&[("a", "*", 5), ("a", "flu", 5)], "l = 2", "suppression = \"all-sa\"");
    starred.edit(
        "policy.toml",
        "\"data.csv\"\n",
        "\"data.csv\"\nmissing = [\"*\"]\nmissing_as = \"*\"\non_missing = \"value\"\n",
    );
    let outcome = starred.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
    assert!(outcome.stderr.contains("which releases use for suppressed cells"), "{}", outcome.stderr);
}

#[test]
fn compare_shows_stars_and_own_prices() {
    let bench = bench(MIXED, "l = 3", "suppression = \"vio-sa\"");
    let records = bench.text("policy.toml").replace("vio-sa", "vio-rec");
    bench.write("records.toml", records);
    let outcome = bench.privet(&["compare", "policy.toml", "records.toml", "--csv", "t.csv"]).succeeds();
    assert!(outcome.stdout.contains("at cost_record"), "{}", outcome.stdout);
    let table = bench.text("t.csv");
    assert!(
        table.starts_with("policy,method,suppressed,starred,classes,seconds,optimal,exactly,own cost,LM,"),
        "{table}"
    );
    let json = bench.privet(&["compare", "policy.toml", "records.toml", "--json"]).succeeds().json();
    let [cells, records] = [0, 1].map(|at| json["policies"][at].clone());
    assert!(cells["starred"].as_u64() > Some(0) && cells["suppressed"] == 0, "{json}");
    assert!(cells["cost"]["value"].as_f64() > cells["loss"]["LM"].as_f64(), "{json}");
    assert!(
        records["suppressed"].as_u64() < Some(103),
        "records that stay do not count as suppressed: {json}"
    );
}

#[test]
fn an_unknown_name_suggests_what_it_is_part_of() {
    for name in ["l+", "l-plus"] {
        let outcome = Bench::new().privet(&["explain", name]).exits(2);
        let help = "did you mean l-plus-diversity or l-plus-optimize?";
        assert!(outcome.stderr.contains(help), "{}", outcome.stderr);
    }
}

#[test]
fn one_of_the_best_cuts_is_drawn_and_both_reports_say_so() {
    let bench = bench(MIXED, "l = 3", "suppression = \"all-rec\"\nbreak_minimality = 5");
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
    let manifest = bench.json("out/steward/manifest.json");
    assert!(
        manifest["plan"]["drawn_from"].as_u64().is_some_and(|cuts| (2..=5).contains(&cuts)),
        "{manifest}"
    );
    assert!(manifest["plan"]["top"].is_null(), "which ones could have been drawn is said nowhere");
    for room in ["public", "steward"] {
        let report = bench.text(&format!("out/{room}/report.html"));
        assert!(report.contains("drawn by a secret key"), "{room}");
    }
    bench.edit("policy.toml", "break_minimality = 5", "break_minimality = 1");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "other"]).exits(2);
    assert!(outcome.stderr.contains("break_minimality"), "{}", outcome.stderr);
}

#[test]
fn a_single_cut_is_not_called_drawn() {
    // Under the finer cut both of a have flu, so that only the coarsest is left.
    let records = &[("a", "flu", 2), ("b", "cold", 1), ("b", "gout", 1), ("b", "ague", 1), ("b", "mumps", 1)];
    let bench = bench(records, "l = 2", "suppression = \"none\"\nbreak_minimality = 2");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(3);
    assert!(outcome.stderr.contains("only one meets the requirements"), "{}", outcome.stderr);
    assert!(!bench.path("out").exists());
}

#[test]
fn a_drawn_cut_is_no_best_one_to_reason_from_but_cells_can_still_be_taken_down() {
    let bench = bench(MIXED, "l = 2", "suppression = \"vio-rec\"\nbreak_minimality = 3");
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
    let json = bench.privet(&["attack", "out", "--json"]).succeeds().json();
    let reason = |name: &str| {
        let not_run = json["not_run"].as_array().expect("a list");
        not_run.iter().find(|attack| attack["name"] == name).map(|attack| attack["reason"].clone())
    };
    assert!(
        reason("minimality").is_some_and(|reason| reason.to_string().contains("drawn at random")),
        "{json}"
    );
    assert!(
        reason("downcoding").is_none_or(|reason| !reason.to_string().contains("drawn at random")),
        "{json}"
    );
}

#[test]
fn the_book_says_how_many_cuts_of_the_example_are_looked_at() {
    let bench = Bench::with_example("l-plus");
    bench.privet(&["anonymize", "l-plus/policy.toml", "-o", "out", "--attacks", "none"]).succeeds();
    let search = &bench.json("out/steward/manifest.json")["search"];
    assert_eq!(search["space"], "195794352");
    let book = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/l-plus-optimize.md");
    let page = std::fs::read_to_string(book).expect("the book");
    let said =
        format!("Of the 195,794,352 cuts of the `l-plus` example {} are looked at", search["examined"]);
    assert!(page.contains(&said), "{said}");
}

#[test]
fn an_empty_release_tells_nothing_about_its_people() {
    let bench = bench(MIXED, "l = 2\n[privacy.k-anonymity]\nk = 500", "suppression = \"vio-rec\"");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    assert!(outcome.stderr.contains("the release is EMPTY"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("than its threshold allows"), "{}", outcome.stderr);
}
