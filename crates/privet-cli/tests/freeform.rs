//! FF-anonymity from the command line: releases, attacks, and what is refused.

use crate::common::Bench;

/// The table in the spirit of the paper's Figure 1, with its policy.
fn paper() -> Bench {
    let bench = Bench::new();
    bench.write("sex.csv", "F;ANY_Sex\nM;ANY_Sex\n");
    bench.write(
        "income.csv",
        "190K;High;ANY_Income\n160K;High;ANY_Income\n110K;Middle;ANY_Income\n90K;Middle;ANY_Income\n\
         40K;Low;ANY_Income\n30K;Low;ANY_Income\n",
    );
    bench.write(
        "disease.csv",
        "Flu;VI;ANY_Disease\nAIDS;VI;ANY_Disease\nE.Coli;BI;ANY_Disease\nTB;BI;ANY_Disease\n",
    );
    bench.write(
        "table.csv",
        "Sex,Income,Disease\nF,190K,Flu\nF,160K,AIDS\nM,190K,AIDS\nM,160K,AIDS\nM,40K,Flu\nM,30K,E.Coli\nF,40K,TB\n\
         F,30K,E.Coli\nM,110K,Flu\nF,90K,TB\n",
    );
    bench.write(
        "policy.toml",
        "seed = 1\n[data]\npath = \"table.csv\"\n\
         [columns.Sex]\nrole = \"mixed\"\nhierarchy = \"sex.csv\"\n\
         [columns.Income]\nrole = \"mixed\"\nhierarchy = \"income.csv\"\n\
         [columns.Income.sensitivity]\nguard = [\"ANY_Income\"]\n\
         [columns.Income.observability]\nmodel = \"belief\"\nalpha = 1.0\ndefault = 0.0\nvalues = { High = 1.0 }\n\
         [columns.Disease]\nrole = \"mixed\"\nhierarchy = \"disease.csv\"\n\
         [columns.Disease.sensitivity]\nguard = [\"AIDS\", \"TB\"]\n\
         [privacy.ff-anonymity]\nobservable = 1.0\nthreat = 0.5\n",
    );
    bench
}

#[test]
fn attacks_are_told_on_the_original_and_gone_in_the_release() {
    let bench = paper();
    let text = bench.privet(&["attack", "--policy", "policy.toml"]).succeeds().stdout;
    assert!(text.contains("{Sex=M, Income=High} → Disease=AIDS  100 %  2 records"), "{text}");
    // The requirement alone implies the method.
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    assert_eq!(bench.json("out/steward/manifest.json")["method"], "ff-optimal");
    bench.privet(&["audit", "out"]).succeeds();
    let json = bench.privet(&["attack", "out", "--only", "freeform", "--json"]).succeeds().json();
    let attacks = json["attacks"].as_array().expect("attacks");
    assert_eq!(attacks.len(), 1, "{json}");
    for key in ["name", "targets", "hits", "baseline", "control", "interval", "seconds", "breaches"] {
        assert!(!attacks[0][key].is_null(), "{key}: {json}");
    }
    assert_eq!((attacks[0]["name"].as_str(), attacks[0]["hits"].as_u64()), (Some("freeform"), Some(0)));
    assert_eq!(attacks[0]["breaches"].as_array().map(Vec::len), Some(0));
    assert_eq!(attacks[0]["tables"][1]["table"], "the original");
    assert!(attacks[0]["tables"][1]["hits"].as_u64().is_some_and(|hits| hits > 0), "{json}");
    // Any table can be attacked and audited: the original is found wanting.
    let raw = ["--policy", "policy.toml", "--release", "table.csv"];
    let told = bench.privet(&[&["attack"], &raw[..]].concat()).succeeds().stdout;
    assert!(told.contains("freeform: "), "{told}");
    let audit = bench.privet(&[&["audit"], &raw[..]].concat()).exits(4).stdout;
    assert!(audit.contains("ff-anonymity"), "{audit}");
}

#[test]
fn the_example_shows_that_attacks_survive_other_notions() {
    let bench = Bench::with_example("freeform");
    bench.privet(&["anonymize", "freeform/policy.toml", "-o", "out"]).succeeds();
    let model = bench.json("out/steward/report.json");
    let attacks = model["attacks"].as_array().expect("attacks");
    let freeform = attacks.iter().find(|found| found["name"] == "freeform").expect("the attack");
    let figures = freeform["figures"].as_array().expect("figures");
    let hits = |about: &str| {
        let found =
            figures.iter().find(|figure| figure["what"].as_str().is_some_and(|what| what.contains(about)));
        found.unwrap_or_else(|| panic!("no attack on {about}"))["hits"].as_u64().expect("a count")
    };
    assert!(hits("the original") > 100);
    assert!(hits("5-anonymous") > 0 && hits("2-diverse version with disease") > 0);
    assert_eq!(hits("the release"), 0);
    let steward = bench.text("out/steward/report.html");
    assert!(steward.contains("Freeform attacks") && steward.contains("guarded"));
    let public = bench.text("out/public/report.html");
    assert!(!public.contains("Freeform attacks"));
    let listed = bench.privet(&["attack", "out", "--only", "freeform", "--json"]).succeeds().json();
    assert_eq!(listed["attacks"][0]["hits"], 0);
}

#[test]
fn what_is_wrong_is_told_and_nothing_is_left_behind() {
    let bench = paper();
    let good = bench.text("policy.toml");
    let fails = |from: &str, to: &str, told: &[&str]| {
        bench.edit("policy.toml", from, to);
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
        for told in told {
            assert!(outcome.stderr.contains(told), "{to}: {told} is not in {}", outcome.stderr);
        }
        assert!(outcome.stderr.contains("policy.toml:"), "{}", outcome.stderr);
        assert!(!bench.path("out").exists());
        bench.write("policy.toml", &good);
    };
    fails("\"AIDS\", \"TB\"", "\"AIDS\", \"T.B.\"", &["'T.B.'", "not a node", "did you mean 'TB'?"]);
    fails("default = 0.0", "default = 1.5", &["1.5", "from 0 to 1"]);
    fails("High = 1.0", "High = -0.2", &["-0.2", "from 0 to 1"]);
    fails("High = 1.0", "Hihg = 1.0", &["'Hihg'", "did you mean 'High'?"]);
    fails("High = 1.0", "High = 0.1, \"160K\" = 0.3", &["'160K'", "'High'", "more observable"]);
    fails("threat = 0.5", "threat = 1.5", &["threat", "from 0 to 1"]);
    fails("observable = 1.0", "observable = 2", &["observable", "from 0 to 1"]);
    fails("threat = 0.5\n", "", &["lacks 'threat'"]);
    fails("\nhierarchy = \"sex.csv\"", "", &["'Sex'", "mixed", "no hierarchy"]);
    fails("threat = 0.5\n", "threat = 0.5\n[method]\nname = \"full-domain\"\n", &["full-domain", "ff"]);
    let projection = "threat = 0.5\n[privacy.projection]\nalpha = 0.5\nbeta = 0.5\n";
    fails("threat = 0.5\n", projection, &["does not take [privacy.projection]", "ff"]);
    fails("Sex]\nrole = \"mixed\"", "Sex]\nrole = \"quasi-identifier\"", &["'Sex'", "mixed"]);
    fails("model = \"belief\"", "model = \"sensitivity\"", &["alpha", "belief"]);
    fails("[columns.Sex]\nrole = \"mixed\"\n", "[columns.Sex]\nrole = \"other\"\n", &["hierarchy"]);
}

#[test]
fn a_policy_that_guards_nothing_runs_with_a_warning() {
    let bench = paper();
    bench.edit("policy.toml", "guard = [\"ANY_Income\"]", "guard = []");
    bench.edit("policy.toml", "guard = [\"AIDS\", \"TB\"]", "guard = []");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
    assert!(outcome.stderr.contains("nothing to protect"), "{}", outcome.stderr);
}

#[test]
fn guards_that_protect_nothing_are_told() {
    for (from, to) in [("observable = 1.0", "observable = 0"), ("threat = 0.5", "threat = 1")] {
        let bench = paper();
        bench.edit("policy.toml", from, to);
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
        assert!(outcome.stderr.contains("none of them can be breached"), "{to}: {}", outcome.stderr);
    }
}
