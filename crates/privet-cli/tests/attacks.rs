//! Attacks from the command line: on releases of every kind, on what other tools made, and inside `privet anonymize`.

use crate::common::Bench;
use privet::attack::ATTACKS;
use serde_json::Value as Json;

fn names(list: &Json) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|one| one["name"].as_str().expect("a name")).collect()
}

/// What is true of every figure.
fn sane(found: &Json) {
    let figures = found["figures"].as_array().expect("figures");
    for figure in figures {
        let number = |key: &str| figure[key].as_u64().unwrap_or_else(|| panic!("{key} of {found}"));
        let targets = number("targets");
        assert!(number("hits") <= targets && number("baseline") <= targets, "{figure}");
        assert!(figure["control"].as_u64().is_none_or(|control| control <= targets), "{figure}");
    }
    assert!(figures.iter().any(|figure| figure["targets"] != 0), "nothing was tried: {found}");
    let number = |key: usize| found["interval"][key].as_f64().expect("an end");
    let share = found["hits"].as_f64().expect("hits") / found["targets"].as_f64().expect("targets").max(1.0);
    assert!(number(0) - 1e-12 <= share && share <= number(1) + 1e-12 && number(1) <= 1.0, "{found}");
}

/// What the headlines of some attacks say, without their names.
fn headlines<'j>(list: &'j Json, only: &[&str]) -> Vec<(&'j Json, Vec<&'j Json>)> {
    let attacks = list.as_array().expect("a list").iter();
    let keys = ["targets", "hits", "baseline", "control"];
    // The manifest has the headline as the first of all figures.
    let told = |found: &'j Json| keys.iter().map(|key| &found["figures"][0][key]).collect();
    attacks
        .filter(|found| only.iter().any(|name| found["name"] == *name))
        .map(|found| (&found["name"], told(found)))
        .collect()
}

#[test]
fn a_published_release_is_attacked_as_it_was_when_it_was_made() {
    let bench = Bench::with_example("clinic");
    // Without a budget, as `privet attack` has none.
    bench.privet(&["anonymize", "clinic/policy.toml", "-o", "out", "--attacks", "all"]).succeeds();
    let manifest = bench.json("out/steward/manifest.json");
    let only = ["linking", "homogeneity", "skewness", "background-join", "xy-linkability", "row-order"];
    let again = bench.privet(&[&["attack", "out", "--json", "--only"], &only[..]].concat()).succeeds().json();
    let (then, now) = (headlines(&manifest["attacks"], &only), headlines(&again["attacks"], &only));
    assert_eq!(then.len(), only.len(), "{manifest}");
    assert_eq!(then, now);
}

#[test]
fn a_release_or_data_that_changed_is_told() {
    let bench = Bench::with_example("patients");
    bench.privet(&["anonymize", "patients/policy.toml", "-o", "out"]).succeeds();
    bench.privet(&["attack", "out", "--only", "linking"]).succeeds();
    let (released, data) = (bench.text("out/public/release.csv"), bench.text("patients/patients.csv"));
    let copy = released.lines().last().expect("a row").to_string();
    bench.write("out/public/release.csv", format!("{released}{copy}\n"));
    bench.privet(&["audit", "out"]).exits(4);
    for only in ["linking", "container", "freeform"] {
        let told = bench.privet(&["attack", "out", "--only", only]).exits(4);
        assert!(told.stderr.contains("release.csv is not as published"), "{}", told.stderr);
        assert!(told.stderr.contains("privet audit"), "{}", told.stderr);
    }
    bench.write("out/public/release.csv", &released);
    bench.write("patients/patients.csv", format!("{data}{}\n", data.lines().last().expect("a row")));
    let told = bench.privet(&["attack", "out", "--json"]).exits(4);
    assert!(told.stderr.contains("patients.csv: this is not the data"), "{}", told.stderr);
    assert_eq!(told.json()["exit"], 4);
    // Naming another original gives a warning, and the attack runs.
    let named = ["attack", "out", "--original", "patients/patients.csv", "--only", "linking"];
    let told = bench.privet(&named).exits(0);
    assert!(told.stderr.contains("warning: patients/patients.csv: this is not the data"), "{}", told.stderr);
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
        // Both lists are in the order of the table of attacks.
        for list in ["attacks", "not_run"] {
            let place = |name: &&str| ATTACKS.iter().position(|attack| attack.name == *name);
            assert!(names(&json[list]).iter().map(place).is_sorted(), "{example}: {list}");
        }
        assert_eq!(json.as_object().map(serde_json::Map::len), Some(2), "{example}");
        for found in json["attacks"].as_array().expect("attacks") {
            for key in ["targets", "hits", "baseline", "seconds"] {
                assert!(found[key].is_number(), "{example}: {key} of {found}");
            }
            sane(found);
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
        let told = bench.privet(&[
            "anonymize",
            "patients/policy.toml",
            "-o",
            "out",
            "--force",
            "--attacks",
            which,
            "--verbose",
        ]);
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

#[test]
fn a_release_that_cannot_be_read_is_an_error_whatever_is_asked() {
    let bench = foreign();
    let attack = |release: &str, more: &[&str]| {
        bench.privet(&[&["attack", "--policy", "policy.toml", "--release", release], more].concat())
    };
    bench.write("uneven.csv", "age,city,ill\n20,Norway,flu\n21,Norway\n");
    bench.write("other.csv", "shoe,hat\n41,6\n");
    bench.write("nan.csv", "age,city,ill\nnan,Norway,flu\nnan,Norway,flu\n");
    for release in ["uneven.csv", "other.csv", "nan.csv", "missing.csv"] {
        for only in [&[][..], &["--only", "linking"], &["--only", "container"], &["--only", "freeform"]] {
            let told = attack(release, only).exits(2);
            assert!(told.stderr.contains(release), "{}", told.stderr);
        }
    }
}

#[test]
fn what_other_tools_write_is_understood() {
    let bench = foreign();
    bench.write(
        "arx.csv",
        "age;city;ill\n[20, 30[;{Oslo, Bergen};flu\n[20, 30[;{Oslo, Bergen};flu\n]29, 31];Rome;flu\n*;*;cold\n",
    );
    let arguments = ["attack", "--policy", "policy.toml", "--original", "table.csv", "--release", "arx.csv"];
    let json = bench.privet(&[&arguments[..], &["--json"]].concat()).succeeds().json();
    let linking =
        json["attacks"].as_array().expect("attacks").iter().find(|found| found["name"] == "linking");
    let linking = linking.unwrap_or_else(|| panic!("{json}"));
    assert_eq!(linking["figures"][5]["hits"], 0, "everybody is in some row: {linking}");
    assert_eq!(linking["prosecutor"]["max"], 0.5, "{linking}");
    bench.edit("arx.csv", "*;*;cold", "nan;*;cold");
    let told = bench.privet(&arguments).exits(0);
    assert!(
        told.stderr.contains("'nan'") && told.stderr.contains("a suppressed cell as *"),
        "{}",
        told.stderr
    );
}

#[test]
fn other_people_have_to_fit() {
    let bench = foreign();
    bench.write("release.csv", "age,city,ill\n*,Norway,flu\n*,Norway,flu\n*,Rome,flu\n*,Rome,cold\n");
    let attack = |more: &[&str]| {
        bench.privet(&[&["attack", "--policy", "policy.toml", "--release", "release.csv"], more].concat())
    };
    bench.write("nobody.csv", "age,city\n");
    bench.write("others.csv", "age,city\n80,Oslo\n90,Rome\n");
    bench.write("words.csv", "age,city,ill\nold,Oslo,flu\nyoung,Rome,flu\n");
    for (flag, file) in [
        ("--population", "nobody.csv"),
        ("--population", "others.csv"),
        ("--population", "words.csv"),
        ("--holdout", "nobody.csv"),
        ("--holdout", "words.csv"),
        ("--holdout", "table.csv"),
    ] {
        let told = attack(&[flag, file, "--only", "linking"]).exits(2);
        assert!(
            told.stderr.contains(file) && told.stderr.contains("help:"),
            "{flag} {file}: {}",
            told.stderr
        );
    }
    let bench = Bench::with_example("five-baskets");
    let told =
        bench.privet(&["attack", "--policy", "five-baskets/policy.toml", "--population", "x.csv"]).exits(2);
    assert!(told.stderr.contains("no meaning for kind"), "{}", told.stderr);
}

#[test]
fn what_to_attack_has_to_be_said() {
    let told = Bench::new().privet(&["attack"]).exits(2);
    assert!(
        told.stderr.contains("name what to attack") && told.stderr.contains("--release"),
        "{}",
        told.stderr
    );
    let json = foreign()
        .privet(&["attack", "--policy", "policy.toml", "--only", "freeform", "--json"])
        .succeeds()
        .json();
    assert_eq!(
        (json["attacks"].as_array().map(Vec::len), names(&json["not_run"])),
        (Some(0), vec!["freeform"])
    );
}
