//! Groups from the command line: rules, releases, audits, and what is refused.

mod common;

use common::Bench;

#[test]
fn rules_are_listed_for_people_and_for_scripts() {
    let bench = Bench::with_example("injector");
    let text = bench.privet(&["mine", "injector/policy.toml"]).succeeds().stdout;
    assert!(text.contains("sex=M => not Ovarian Cancer") && text.contains("stated"), "{text}");
    let json = bench.privet(&["mine", "injector/policy.toml", "--json"]).succeeds().json();
    assert_eq!(json["rules"].as_array().map(Vec::len), Some(2), "{json}");
    let rule = &json["rules"][0];
    assert_eq!((rule["if"]["sex"].as_str(), rule["not"].as_str()), (Some("M"), Some("Ovarian Cancer")));
    assert_eq!((rule["support"].as_f64(), rule["confidence"].as_f64()), (Some(6.0), Some(1.0)));
    assert!(rule["expectation"].as_f64().is_some_and(|chance| (chance - 0.7786).abs() < 1e-4), "{rule}");
    // A rule that is struck out by its name is shown as such.
    let name = rule["name"].as_str().expect("a name").to_string();
    bench.edit("injector/policy.toml", "max_length = 1 ", &format!("mute = [\"{name}\"]\nmax_length = 1 "));
    let json = bench.privet(&["mine", "injector/policy.toml", "--json"]).succeeds().json();
    assert_eq!(json["rules"][0]["origin"], "muted");
}

#[test]
fn a_ward_is_published_and_its_report_compares_with_anatomy() {
    let bench = Bench::with_example("ward");
    bench.privet(&["anonymize", "ward/policy.toml", "-o", "out"]).succeeds();
    assert_eq!(bench.names("out/public"), ["manifest.json", "qit.csv", "report.html", "st.csv"]);
    bench.privet(&["audit", "out"]).succeeds();
    let model = bench.json("out/steward/report.json");
    assert_eq!(model["groups"]["left"]["vulnerable"], 0);
    assert!(
        model["baseline"]["vulnerable"].as_u64().is_some_and(|records| records > 50),
        "{}",
        model["baseline"]
    );
    let rules = model["rules"].as_array().expect("rules");
    for known in
        ["sex=M => not Ovarian cancer", "sex=F => not Prostate cancer", "=> not Croup", "=> not Dementia"]
    {
        let found = rules.iter().any(|rule| rule["rule"].as_str().is_some_and(|rule| rule.contains(known)));
        assert!(found, "{known}");
    }
    let steward = bench.text("out/steward/report.html");
    assert!(steward.contains("From Anatomy’s groups") && steward.contains("deFinetti"));
    let public = bench.text("out/public/report.html");
    assert!(public.contains("published exactly as they are") && !public.contains("not Croup"));
}

#[test]
fn what_is_wrong_is_told_with_its_exit_status() {
    let bench = Bench::with_example("injector");
    let fails = |from: &str, to: &str, status: i32, told: &str| {
        let policy = bench.text("injector/policy.toml");
        bench.edit("injector/policy.toml", from, to);
        let outcome = bench.privet(&["anonymize", "injector/policy.toml", "-o", "out"]).exits(status);
        assert!(outcome.stderr.contains(told), "{told}: {}", outcome.stderr);
        assert!(!bench.path("out").exists());
        bench.write("injector/policy.toml", policy);
    };
    fails("l = 2 ", "l = 4 ", 3, "can never have l = 4 possible values");
    fails("l = 2 ", "l = 4 ", 3, "because sex=M => not Ovarian Cancer");
    fails("role = \"sensitive\"", "role = \"other\"", 2, "whose role is 'other'");
    fails("min_expectation = 0.75", "min_expectation = 1.5", 2, "0 to 1");
    fails("min_expectation", "min_expectations", 2, "min_expectation");
    fails("\"rules.txt\"", "\"missing.txt\"", 2, "missing.txt");
    fails(
        "hierarchy = \"hierarchies/zip.csv\"",
        "hierarchy = \"hierarchies/zip.csv\"\nfuzzy_spread = 0.1",
        2,
        "is no range",
    );
    fails("name = \"injector\"", "name = \"mondrian\"", 2, "publish");
    bench.write("injector/rules.txt", "sex=F => not Gout\n");
    fails("l = 2 ", "l = 2 ", 2, "'Gout' is no value");
}
