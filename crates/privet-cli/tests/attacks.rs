//! Attacks from the command line: on releases of every kind, on what other tools made, and inside `privet anonymize`.

mod common;

use common::Bench;
use privet::attack::ATTACKS;
use serde_json::Value as Json;

fn names(list: &Json) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|one| one["name"].as_str().expect("a name")).collect()
}

#[test]
fn every_attack_is_run_or_its_absence_explained() {
    // A table, projected tables, groups, mixed columns, terms, sets, bags.
    for example in ["patients", "clinic", "injector", "five-baskets", "five-vocabularies"] {
        let bench = Bench::with_example(example);
        bench.privet(&["anonymize", &format!("{example}/policy.toml"), "-o", "out"]).succeeds();
        let json = bench.privet(&["attack", "out", "--json"]).succeeds().json();
        let mut all = [names(&json["attacks"]), names(&json["not_run"])].concat();
        all.sort_unstable();
        let mut known: Vec<&str> = ATTACKS.iter().map(|attack| attack.name).collect();
        known.sort_unstable();
        assert_eq!(all, known, "{example}");
        for found in json["attacks"].as_array().expect("attacks") {
            for key in ["targets", "hits", "baseline", "seconds"] {
                assert!(found[key].is_number(), "{example}: {key} of {found}");
            }
            assert_eq!(found["interval"].as_array().map(Vec::len), Some(2), "{found}");
            let controlled = found["control"].is_number() || found["control"].is_null();
            assert!(controlled && found["control_is"].as_str().is_some_and(|is| !is.is_empty()), "{found}");
        }
        for other in json["not_run"].as_array().expect("attacks") {
            assert!(other["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{other}");
        }
        let manifest = bench.json("out/steward/manifest.json");
        let kept = [names(&manifest["attacks"]), names(&manifest["attacks_not_run"])].concat();
        assert_eq!(kept.len(), known.len(), "{example}");
        assert!(bench.json("out/public/manifest.json")["attacks"].is_null());
    }
}

#[test]
fn a_run_tells_the_cheap_ones_all_or_none() {
    let bench = Bench::with_example("patients");
    let run = |which: &str| {
        let told =
            bench.privet(&["anonymize", "patients/policy.toml", "-o", "out", "--force", "--attacks", which]);
        let told = told.succeeds().stdout;
        told.lines()
            .filter_map(|line| Some(line.strip_prefix("attack ")?.split(':').next()?.to_string()))
            .collect()
    };
    let (cheap, all, none): (Vec<String>, Vec<String>, Vec<String>) = (run("cheap"), run("all"), run("none"));
    assert!(cheap.contains(&"linking".to_string()) && !cheap.contains(&"predicate".to_string()), "{cheap:?}");
    assert!(all.contains(&"predicate".to_string()) && all.contains(&"singling-out".to_string()), "{all:?}");
    assert_eq!(none, Vec::<String>::new());
    assert!(bench.json("out/steward/manifest.json")["attacks"].is_null());
}

const POLICY: &str = "[data]\npath = \"table.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n[columns.city]\n\
    role = \"quasi-identifier\"\nhierarchy = \"city.csv\"\n[columns.ill]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 2\n";

fn foreign() -> Bench {
    let bench = Bench::new();
    bench.write("policy.toml", POLICY);
    bench.write("city.csv", "Oslo;Norway;*\nBergen;Norway;*\nRome;Italy;*\n");
    bench.write("table.csv", "age,city,ill\n20,Oslo,flu\n21,Bergen,flu\n30,Rome,flu\n31,Rome,cold\n");
    bench
}

#[test]
fn what_another_tool_made_can_be_attacked() {
    let bench = foreign();
    bench.write(
        "leak.csv",
        "age,city,ill\n20,Norway,flu\n21,Norway,flu\n\"[30,31]\",Rome,flu\n\"[30,31]\",Rome,cold\n",
    );
    bench.write("everybody.csv", "age,city\n20,Oslo\n21,Bergen\n30,Rome\n31,Rome\n30,Oslo\n");
    bench.write("rest.csv", "age,city,ill\n22,Oslo,cold\n33,Rome,flu\n");
    let arguments = ["attack", "--policy", "policy.toml", "--original", "table.csv", "--release", "leak.csv"];
    let more = ["--population", "everybody.csv", "--holdout", "rest.csv", "--json"];
    let json = bench.privet(&[&arguments[..], &more[..]].concat()).succeeds().json();
    let found = |name: &str| {
        let mut attacks = json["attacks"].as_array().expect("attacks").iter();
        attacks.find(|found| found["name"] == name).unwrap_or_else(|| panic!("{name}: {json}"))
    };
    assert_eq!(found("linking")["figures"][1]["hits"], 2);
    assert_eq!(found("linking")["journalist"]["k_map"], 1);
    assert_eq!(found("homogeneity")["hits"], 2);
    assert_eq!(found("membership")["hits"], 4);
    assert!(found("linkability")["control"].is_number());
    let told =
        bench.privet(&[&arguments[..], &["--only", "linking", "homogeneity"]].concat()).succeeds().stdout;
    assert!(told.contains("homogeneity: 2 of 4 (50.0 %") && told.contains("→ ill=flu"), "{told}");
    assert!(!told.contains("skewness"), "{told}");
}

#[test]
fn what_cannot_be_attacked_is_told() {
    let bench = foreign();
    let outcome = bench.privet(&["attack", "--policy", "policy.toml", "--only", "linkin"]).exits(2);
    assert!(outcome.stderr.contains("there is no attack 'linkin'") && outcome.stderr.contains("linking"));
    let outcome = bench.privet(&["attack", "--policy", "policy.toml", "--only", "freeform"]).succeeds();
    assert!(outcome.stdout.contains("no attack could be run"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("freeform: no column has role 'mixed'"), "{}", outcome.stdout);
    bench.privet(&["attack", "--policy", "policy.toml", "--population", "nobody.csv"]).exits(2);
    bench.write("strangers.csv", "shoe\n41\n");
    let lacking =
        bench.privet(&["attack", "--policy", "policy.toml", "--population", "strangers.csv"]).exits(2);
    assert!(lacking.stderr.contains("strangers.csv"), "{}", lacking.stderr);
}
