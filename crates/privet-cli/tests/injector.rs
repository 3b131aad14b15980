//! Groups from the command line: rules, releases, audits, and what is refused.

use crate::common::Bench;

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
    fails("l = 2 ", "l = 4 ", 3, "cannot have l = 4 possible values");
    fails("l = 2 ", "l = 4 ", 3, "some have 3 values that the rules and the data leave");
    fails("role = \"sensitive\"", "role = \"other\"", 2, "whose role is 'other'");
    fails("min_expectation = 0.75", "min_expectation = 1.5", 2, "0 to 1");
    fails("min_expectation", "min_expectations", 2, "min_expectation");
    fails("\"rules.txt\"", "\"missing.txt\"", 2, "missing.txt");
    fails(
        "hierarchy = \"hierarchies/zip.csv\"",
        "hierarchy = \"hierarchies/zip.csv\"\nfuzzy_spread = 0.1",
        2,
        "is not a range",
    );
    fails("name = \"injector\"", "name = \"mondrian\"", 2, "publish");
    bench.write("injector/rules.txt", "sex=F => no Gout\n");
    fails("l = 2 ", "l = 2 ", 2, "does not say what is not");
}

#[test]
fn groups_are_compared_with_groups() {
    let bench = Bench::with_example("ward");
    let policy = bench.text("ward/policy.toml");
    let anatomy = policy
        .replace("[privacy.matching-l-diversity]", "[privacy.l-diversity]")
        .replace("name = \"injector\"", "name = \"anatomy\"");
    let lines =
        anatomy.lines().filter(|line| !["strategy", "infeasible"].iter().any(|key| line.starts_with(key)));
    bench.write("ward/anatomy.toml", lines.collect::<Vec<_>>().join("\n"));
    let outcome = bench.privet(&["compare", "ward/policy.toml", "ward/anatomy.toml", "--json"]).succeeds();
    let json = outcome.json();
    let [injector, anatomy] = [0, 1].map(|at| json["policies"][at].clone());
    assert_eq!(injector["vulnerable"], 0, "{json}");
    assert!(anatomy["vulnerable"].as_u64().is_some_and(|records| records > 50), "{json}");
    assert!(anatomy["loss"]["query-error"].as_f64().is_some_and(|error| error > 0.0), "{json}");
    let text = bench.privet(&["compare", "ward/policy.toml", "ward/anatomy.toml"]).succeeds().stdout;
    assert!(text.contains("vulnerable") && text.contains("query error as a share of the worst"), "{text}");
    // Groups and recoded tables have no measure in common.
    let mondrian = bench.privet(&["example", "patients", "patients"]).succeeds();
    drop(mondrian);
    let outcome = bench.privet(&["compare", "ward/policy.toml", "patients/policy.toml"]).exits(2);
    assert!(outcome.stderr.contains("no measure fits both"), "{}", outcome.stderr);
}

#[test]
fn striking_out_what_was_never_mined_is_warned_of() {
    let bench = Bench::with_example("injector");
    bench.write(
        "injector/rules.txt",
        "sex=F => not Prostate Cancer\nsex=F => not Prostate Cancer\nmute sex=F => not Flu\n",
    );
    let outcome = bench.privet(&["mine", "injector/policy.toml"]).succeeds();
    assert!(outcome.stderr.contains("'mute sex=F => not Flu'"), "{}", outcome.stderr);
    assert_eq!(outcome.stdout.matches("sex=F => not Prostate Cancer").count(), 1, "{}", outcome.stdout);
    let outcome = bench.privet(&["anonymize", "injector/policy.toml", "-o", "out"]).succeeds();
    assert!(outcome.stderr.contains("'mute sex=F => not Flu'"), "{}", outcome.stderr);
}

#[test]
fn a_blank_value_is_named_with_its_line() {
    let bench = Bench::new();
    bench.write("data.csv", "town,illness\na,x\n\"  \",y\n");
    bench.write(
        "policy.toml",
        "[data]\npath = \"data.csv\"\nmissing = []\n[columns.town]\nrole = \"quasi-identifier\"\n[columns.illness]\n\
         role = \"sensitive\"\n[privacy.matching-l-diversity]\ncolumn = \"illness\"\nl = 2\n[method]\nname = \"injector\"\n",
    );
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
    assert!(
        outcome.stderr.contains("data.csv") && outcome.stderr.contains("column 'town'"),
        "{}",
        outcome.stderr
    );
    assert!(outcome.stderr.contains(":3") || outcome.stderr.contains("line 3"), "{}", outcome.stderr);
}

#[test]
fn groups_are_close_to_the_table_if_that_is_asked() {
    let bench = Bench::with_example("ward");
    let close = "[privacy.t-closeness]\nt = 0.35\n[privacy.k-anonymity]\nk = 10\n[knowledge]";
    bench.edit("ward/policy.toml", "[knowledge]", close);
    bench.privet(&["anonymize", "ward/policy.toml", "-o", "out"]).succeeds();
    let audit = bench.privet(&["audit", "out", "--json"]).succeeds().json();
    let checks = audit["checks"].as_array().expect("checks");
    let found = |name: &str| {
        checks.iter().find(|check| check["name"].as_str().is_some_and(|found| found.starts_with(name)))
    };
    assert_eq!(found("t-closeness").map(|check| &check["holds"]), Some(&true.into()), "{audit}");
    assert_eq!(found("k-anonymity").map(|check| &check["holds"]), Some(&true.into()), "{audit}");
    let public = bench.text("out/public/report.html");
    assert!(public.contains("up to a distance of"), "the promise");
    // The same groups fail a stricter policy.
    let policy = bench.text("ward/policy.toml").replace("t = 0.35", "t = 0.05");
    bench.write("ward/stricter.toml", policy);
    let audit =
        bench.privet(&["audit", "--policy", "ward/stricter.toml", "--release", "out/public", "--json"]);
    let audit = audit.exits(4).json();
    let failing: Vec<&str> = (audit["checks"].as_array().expect("checks").iter())
        .filter(|check| check["holds"] == false)
        .filter_map(|check| check["name"].as_str())
        .collect();
    assert!(matches!(failing.as_slice(), [name] if name.starts_with("t-closeness")), "{failing:?}");
}

#[test]
fn a_second_sensitive_column_is_refused_with_the_way_out() {
    let bench = Bench::with_example("ward");
    let region = "[columns.insurance]\nrole = \"quasi-identifier\"";
    bench.edit("ward/policy.toml", region, "[columns.insurance]\nrole = \"sensitive\"");
    let outcome = bench.privet(&["anonymize", "ward/policy.toml", "-o", "out"]).exits(2);
    assert!(
        outcome.stderr.contains("second sensitive column") && outcome.stderr.contains("codip-star"),
        "{}",
        outcome.stderr
    );
    assert!(!bench.path("out").exists());
}
