//! Quasi-sensitive columns from the command line: the example, what its report says, and what is refused.

use crate::common::Bench;

#[test]
fn symptoms_no_longer_point_at_one_disease() {
    let bench = Bench::with_example("symptoms");
    bench.privet(&["anonymize", "symptoms/policy.toml", "-o", "out"]).succeeds();
    bench.privet(&["audit", "out"]).succeeds();
    let manifest = bench.json("out/steward/manifest.json");
    assert_eq!(manifest["cost"]["metric"], "QS");
    let count = |value: &serde_json::Value| value.as_u64().expect("a number");
    let groups = &manifest["groups"];
    let all = ["untouched", "optimal", "not_optimal", "withheld"].map(|kind| count(&groups[kind]));
    assert_eq!(all.iter().sum::<u64>(), count(&groups["total"]), "{groups}");
    let links = &bench.json("out/steward/report.json")["links"];
    let both = |name: &str| (count(&links[name][0]), count(&links[name][1]));
    assert!(both("single").0 > 750 && both("single").1 < both("single").0, "{links}");
    assert_eq!(both("exposed").1, 0);
    let only = ["attack", "out", "--only", "label-linking", "--json"];
    let attacks = &bench.privet(&only).succeeds().json()["attacks"];
    assert_eq!((attacks[0]["name"].as_str(), count(&attacks[0]["hits"])), (Some("label-linking"), 0));
    assert_eq!(count(&attacks[0]["figures"][2]["hits"]), both("exposed").0, "{attacks}");
    let steward = bench.text("out/steward/report.html");
    assert!(steward.contains("What public knowledge reveals") && steward.contains("most removed first"));
    assert!(!bench.text("out/public/report.html").contains("most removed first"));
    // The group that comes nearest to what is asked for, and by how much.
    let tightness = bench.json("out/steward/report.json")["tightness"].clone();
    let of_terms = |entry: &&serde_json::Value| entry["requirement"] == "qs-diversity of symptoms";
    let entry = tightness.as_array().into_iter().flatten().find(of_terms).expect("a row about terms");
    let threshold = entry["threshold"].as_f64().expect("a number");
    let value = entry["value"]["released"].as_f64().or_else(|| entry["value"]["original"].as_f64());
    assert!(value.is_some_and(|value| value > 0.0 && value <= threshold + 1e-9), "{entry}");
    assert_eq!(entry["holds"], true);
    assert!(steward.contains("qs-diversity of symptoms"));
}

#[test]
fn what_is_wrong_is_told_with_its_exit_status_and_leaves_nothing() {
    let bench = Bench::new();
    bench.write("table.csv", "city,symptoms\na,cough\nb,fever|cough\n");
    bench.write("policy.toml", POLICY);
    let fails = |knowledge: &str, from: &str, to: &str, status: i32, told: &str| {
        bench.write("knowledge.csv", knowledge);
        bench.edit("policy.toml", from, to);
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(status);
        assert!(outcome.stderr.contains(told), "{told}: {}", outcome.stderr);
        assert!(!bench.path("out").exists());
        bench.write("policy.toml", POLICY);
    };
    let good = "label,terms\nFlu,cough|fever\nCold,cough\nAllergy,cough|rash\n";
    fails("label,terms\nFlu,cough\nFlu,fever\n", "c = 1", "c = 1", 2, "'Flu' stands on line 2 already");
    fails("label,terms\nFlu,cough\nCold,\n", "c = 1", "c = 1", 2, "knowledge.csv:3");
    fails("label,terms\nFlu,cough\nCold,\n", "c = 1", "c = 1", 2, "'Cold' has no terms");
    fails(good, "c = 1", "c = 0", 2, "'privacy.qs-diversity.c' is 0; it must be above 0");
    fails(good, "c = 1", "c = -1", 2, "'privacy.qs-diversity.c'");
    fails(good, "l = 2", "l = 4", 3, "more labels than the 3");
    fails(good, "l = 2", "l = 0", 2, "'privacy.qs-diversity.l'");
    fails(good, "separator = \"|\"", "separator = \"||\"", 2, "single character");
    fails(good, "knowledge = \"knowledge.csv\"", "", 2, "lacks 'knowledge'");
    fails(good, "knowledge.csv", "nowhere.csv", 2, "nowhere.csv");
    fails(
        good,
        "name = \"quasi-sensitive\"",
        "name = \"l-plus-optimize\"",
        2,
        "does not take [privacy.qs-diversity]",
    );
    fails(good, "role = \"quasi-sensitive\"", "role = \"sensitive\"", 2, "has no meaning for this role");
    fails(
        good,
        "[privacy.qs-diversity]\ncolumn = \"symptoms\"\nc = 1\nl = 2",
        "[privacy.k-anonymity]\nk = 2",
        2,
        "needs [privacy.qs-diversity] or [privacy.qs-closeness]",
    );
    fails(
        good,
        "[privacy.qs-diversity]\ncolumn = \"symptoms\"\nc = 1\nl = 2",
        "[privacy.qs-closeness]\ncolumn = \"symptoms\"\nt = 0.1\nprior = \"weight\"",
        2,
        "no column 'weight'",
    );
    bench.write("knowledge.csv", "label,terms\nFlu,hiccups\nCold,snoring\n");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
    assert!(outcome.stderr.contains("nothing can link"), "{}", outcome.stderr);
}

#[test]
fn any_release_with_such_a_column_is_linked() {
    let bench = Bench::new();
    bench.write("table.csv", "city,symptoms\na,fever\na,fever\nb,cough\nb,cough\n");
    bench.write("knowledge.csv", "label,terms\nFlu,cough|fever\nCold,cough\n");
    let policy = POLICY.replace("name = \"quasi-sensitive\"", "name = \"mondrian\"");
    let asked = "[privacy.qs-diversity]\ncolumn = \"symptoms\"\nc = 1\nl = 2";
    bench.write("policy.toml", policy.replace(asked, "[privacy.k-anonymity]\nk = 2"));
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
    assert!(outcome.stderr.contains("link to exactly one label"), "{}", outcome.stderr);
    let manifest = bench.json("out/steward/manifest.json");
    let mut attacks = manifest["attacks"].as_array().expect("attacks").iter();
    let linking = attacks.find(|found| found["name"] == "label-linking").expect("the attack");
    assert_eq!(linking["figures"][0]["hits"], 2);
    bench.privet(&["audit", "out"]).succeeds();
    // Everyone with fever has the flu: both people of city a, in the original as in the release.
    let told = bench.privet(&["attack", "out"]).succeeds().stdout;
    assert!(told.contains("label-linking: 2 of 4 ("), "{told}");
    assert!(told.contains(": a → Flu  100 %"), "{told}");
}

const POLICY: &str = "seed = 1
[data]
path = \"table.csv\"
[columns.city]
role = \"quasi-identifier\"
[columns.symptoms]
role = \"quasi-sensitive\"
separator = \"|\"
knowledge = \"knowledge.csv\"
[privacy.qs-diversity]
column = \"symptoms\"
c = 1
l = 2
[method]
name = \"quasi-sensitive\"
";

#[test]
fn generalisation_alone_meets_the_requirements() {
    for (method, asked) in [
        ("mondrian", "[privacy.qs-diversity]\ncolumn = \"symptoms\"\nc = 0.5\nl = 5\n"),
        ("full-domain", "[privacy.qs-diversity]\ncolumn = \"symptoms\"\nc = 0.5\nl = 5\n"),
        ("mondrian", "[privacy.qs-closeness]\ncolumn = \"symptoms\"\nt = 0.2\n"),
        ("full-domain", "[privacy.qs-closeness]\ncolumn = \"symptoms\"\nt = 0.2\n"),
    ] {
        let bench = Bench::with_example("symptoms");
        let policy = bench.text("symptoms/policy.toml");
        let (head, _) = policy.split_once("[privacy.qs-diversity]").expect("the requirement");
        bench.write("symptoms/policy.toml", format!("{head}{asked}[method]\nname = \"{method}\"\n"));
        bench.privet(&["anonymize", "symptoms/policy.toml", "-o", "out"]).succeeds();
        let audit = bench.privet(&["audit", "out", "--json"]).succeeds().json();
        let checks = audit["checks"].as_array().expect("checks");
        assert!(
            checks.iter().any(|check| check["name"].as_str().is_some_and(|name| name.starts_with("qs-")))
        );
        // All terms are there.
        let sets = |text: &str| {
            let mut sets: Vec<Vec<String>> = text
                .lines()
                .skip(1)
                .map(|line| {
                    let mut set: Vec<String> =
                        line.rsplit_once(',').expect("a set").1.split('|').map(String::from).collect();
                    set.sort();
                    set
                })
                .collect();
            sets.sort();
            sets
        };
        assert_eq!(sets(&bench.text("out/public/release.csv")), sets(&bench.text("symptoms/symptoms.csv")));
    }
}

#[test]
fn other_methods_say_why_they_refuse() {
    let bench = Bench::with_example("symptoms");
    bench.edit(
        "symptoms/policy.toml",
        "name = \"quasi-sensitive\"\ntime_limit = \"10s\"",
        "name = \"l-plus-optimize\"",
    );
    let outcome = bench.privet(&["anonymize", "symptoms/policy.toml", "-o", "out"]).exits(2);
    for word in ["does not take [privacy.qs-diversity]", "mondrian", "all terms of its records together"] {
        assert!(outcome.stderr.contains(word), "{word}: {}", outcome.stderr);
    }
}
