//! Projected tables from the command line: known answers, releases, audits, and what is refused.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::Bench;
use serde_json::Value as Json;

fn vectors() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/codip");
    let mut folders: Vec<PathBuf> =
        fs::read_dir(root).expect("cases").map(|entry| entry.expect("a case").path()).collect();
    folders.sort();
    folders
}

#[test]
fn known_answers_come_out_of_the_command() {
    for folder in vectors() {
        let text = fs::read_to_string(folder.join("expected.json")).expect("answers");
        let expected: Json = serde_json::from_str(&text).expect("answers");
        let bench = Bench::new();
        let policy = folder.join("policy.toml").display().to_string();
        let outcome = bench.privet(&["anonymize", &policy, "-o", "out"]);
        if expected["codip_star"].is_null() {
            let outcome = outcome.exits(3);
            assert!(outcome.stderr.contains("Γα = "), "{}", outcome.stderr);
            assert!(!bench.path("out").exists());
            continue;
        }
        outcome.succeeds();
        let plan = &bench.json("out/steward/manifest.json")["plan"];
        for ratio in ["gamma_alpha", "gamma_beta"] {
            let (found, known) = (plan[ratio].as_f64(), expected["codip_star"][ratio].as_f64());
            let near = found.zip(known).is_some_and(|(found, known)| (found - known).abs() < 1e-9);
            assert!(near, "{folder:?}: {ratio} is {found:?}, not {known:?}");
        }
        bench.privet(&["audit", "out"]).succeeds();
        bench.privet(&["audit", "--policy", &policy, "--release", "out/public"]).succeeds();
    }
}

const POLICY: &str = "seed = 1\n[data]\npath = \"data.csv\"\n\
    [columns.age]\nrole = \"quasi-identifier\"\n\
    [columns.disease]\nrole = \"sensitive\"\n[columns.job]\nrole = \"sensitive\"\n\
    [columns.onset]\nrole = \"sensitive\"\n[columns.family]\nrole = \"sensitive\"\nseparator = \"|\"\n\
    [privacy.k-anonymity]\nk = 2\n\
    [privacy.t-closeness]\nt = 0.9\ncolumns = { onset = \"ordered\" }\n\
    [privacy.projection]\nalpha = 1.0\nbeta = 0.5\n\
    [method]\nname = \"codip-star\"\n";

const DATA: &str = "age,disease,job,onset,family\n\
    30,flu,clerk,20,child\n30,cold,smith,22,\n30,flu,clerk,25,child|spouse\n\
    40,gout,smith,31,spouse\n40,flu,clerk,33,child\n40,cold,cook,20,\n";

#[test]
fn what_is_wrong_is_told_with_its_exit_status() {
    let bench = Bench::new();
    bench.write("data.csv", DATA);
    bench.write("policy.toml", POLICY);
    bench.privet(&["anonymize", "policy.toml", "-o", "right"]).succeeds();
    let fails = |from: &str, to: &str, status: i32, told: &str| {
        bench.edit("policy.toml", from, to);
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(status);
        assert!(outcome.stderr.contains(told), "{told}: {}", outcome.stderr);
        assert!(!bench.path("out").exists());
        bench.write("policy.toml", POLICY);
    };
    fails("alpha = 1.0", "alpha = 1.2", 2, "'privacy.projection.alpha' is 1.2; it must be from 0 to 1");
    fails("beta = 0.5", "beta = -0.5", 2, "privacy.projection.beta");
    fails("beta = 0.5", "beta = 0.5\nmax_discernibility = 1", 3, "discernibility of at most 1");
    fails("beta = 0.5", "beta = 0.5\nmax_discernibility = 1e30", 2, "has more than the 18 digits");
    fails("alpha = 1.0", "alpha = 1e-30", 2, "has more than the 18 digits");
    fails("k = 2", "k = 7", 3, "k is 7, but the table has only 6 records");
    fails("alpha = 1.0\nbeta = 0.5", "alpha = 0\nbeta = 0", 3, "the association loss is Γα = 1");
    fails("[privacy.projection]\nalpha = 1.0\nbeta = 0.5\n", "", 2, "needs [privacy.projection]");
    fails(
        "[columns.job]\nrole = \"sensitive\"\n",
        "[columns.job]\nrole = \"other\"\nseparator = \"|\"\n",
        2,
        "is not sensitive",
    );
    fails("separator = \"|\"", "separator = \"||\"", 2, "must be a single character");
    fails("onset = \"ordered\"", "disease = \"ordered\"", 2, "cannot tell how far apart");
    fails("onset = \"ordered\"", "onset = \"sorted\"", 2, "cannot be \"sorted\"");
    fails("onset = \"ordered\"", "age = \"ordered\"", 2, "role is 'quasi-identifier'");
    fails("name = \"codip-star\"", "name = \"full-domain\"", 2, "does not take [privacy.projection]");
    fails("name = \"codip-star\"", "name = \"codip\"\npersist = true", 2, "no key 'persist'");
    let limited = "name = \"codip-star\"\ntime_limit = \"5s\"";
    fails("name = \"codip-star\"", limited, 2, "no key 'time_limit'; 'codip' has");
    fails("columns = { onset", "column = \"job\"\ncolumns = { onset", 2, "both 'column' and 'columns'");
}

#[test]
fn other_requirements_hold_in_every_table() {
    let bench = Bench::new();
    bench.write("data.csv", DATA);
    bench.write("policy.toml", POLICY);
    bench.edit(
        "policy.toml",
        "[privacy.projection]",
        "[privacy.l-diversity]\nl = 2\nkind = \"entropy\"\n[privacy.projection]",
    );
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]);
    // Whether somebody has a spouse is no coin: entropy 2-diversity of it is out of reach.
    let outcome = outcome.exits(3);
    assert!(outcome.stderr.contains("family=spouse"), "{}", outcome.stderr);
    bench.edit("policy.toml", "kind = \"entropy\"", "kind = \"distinct\"\ncolumn = \"disease\"");
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    let audit = bench.privet(&["audit", "out", "--json"]).succeeds().json();
    let checks = audit["checks"].as_array().expect("checks");
    let about = |name: &str| {
        checks.iter().filter(|check| check["name"].as_str().is_some_and(|found| found.contains(name))).count()
    };
    assert_eq!(about("l-diversity (column = disease"), 1, "{audit}");
    assert_eq!(about("t-closeness"), 5, "{audit}");
}

#[test]
fn tables_that_are_missing_are_told() {
    let bench = Bench::new();
    bench.write("data.csv", DATA);
    bench.write("policy.toml", POLICY);
    bench.edit("policy.toml", "beta = 0.5", "beta = 0");
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    let any = |release: &str| {
        bench.privet(&["audit", "--verbose", "--policy", "policy.toml", "--release", release])
    };
    let outcome = any("out/public/projection-1.csv").exits(2);
    assert!(outcome.stderr.contains("this is one file"), "{}", outcome.stderr);
    fs::remove_file(bench.path("out/public/projection-3.csv")).expect("removed");
    for outcome in [bench.privet(&["audit", "out", "--verbose"]), any("out/public")] {
        let outcome = outcome.exits(4);
        for told in [
            "'family=spouse' is in 0 tables",
            "there is no projection-3, but a projection-5",
            "✓ projection-5: complete",
        ] {
            assert!(outcome.stdout.contains(told), "{told}: {}", outcome.stdout);
        }
    }
    let attack = ["attack", "--policy", "policy.toml", "--release", "out/public"];
    let outcome = bench.privet(&attack).exits(2);
    assert!(outcome.stderr.contains("no projection-3.csv, but projection-4.csv"), "{}", outcome.stderr);
}

#[test]
fn columns_that_are_exactly_independent_may_be_published_apart() {
    let bench = Bench::new();
    let cells = (0..5_000).map(|at| format!("z,a{},b{}\n", at / 50, at % 50));
    bench.write("data.csv", std::iter::once("q,a,b\n".to_string()).chain(cells).collect::<String>());
    bench.write(
        "policy.toml",
        "seed = 1\n[data]\npath = \"data.csv\"\n[columns.q]\nrole = \"quasi-identifier\"\n\
         [columns.a]\nrole = \"sensitive\"\n[columns.b]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 2\n\
         [privacy.projection]\nalpha = 0.5\nbeta = 0\n[method]\nname = \"codip-star\"\n",
    );
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    assert_eq!(bench.json("out/steward/manifest.json")["plan"]["gamma_alpha"], 0.0);
}

#[test]
fn a_missing_value_is_insensitive_in_any_spelling() {
    let bench = Bench::new();
    let missing =
        DATA.replace("cook", "?").replace("30,cold,smith", "30,cold,NA").replace(",child\n", ",?\n");
    bench.write("data.csv", missing);
    let exposed = |listed: &str| {
        bench.write("policy.toml", POLICY);
        let data = "path = \"data.csv\"\nmissing = [\"NA\", \"?\"]\non_missing = \"value\"\n";
        bench.edit("policy.toml", "path = \"data.csv\"\n", data);
        for column in ["job", "family"] {
            let own = format!("[columns.{column}]\nrole = \"sensitive\"\n");
            bench.edit("policy.toml", &own, &format!("{own}insensitive = [\"{listed}\"]\n"));
        }
        let out = format!("out-{}", listed.len());
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", &out]).succeeds();
        assert!(!outcome.stderr.contains("no record has the insensitive value"), "{}", outcome.stderr);
        bench.json(&format!("{out}/steward/manifest.json"))["plan"]["gamma_beta"].clone()
    };
    assert_eq!(exposed("NA"), exposed("?"));
}

#[test]
fn a_clinic_is_published_and_its_report_draws_the_plan() {
    let bench = Bench::with_example("clinic");
    bench.privet(&["anonymize", "clinic/policy.toml", "-o", "out"]).succeeds();
    let manifest = bench.json("out/steward/manifest.json");
    let tables = manifest["plan"]["projections"].as_array().expect("tables");
    assert!(tables.len() > 1, "{tables:?}");
    let together = |a: &str, b: &str| {
        let has = |table: &Json, name: &str| {
            table["sensitive"].as_array().is_some_and(|names| names.iter().any(|found| found == name))
        };
        tables.iter().any(|table| has(table, a) && has(table, b))
    };
    // What goes together stays together, and pay does not tell the diagnosis.
    assert!(together("diagnosis", "medication") && together("income", "occupation"), "{tables:?}");
    assert!(!together("diagnosis", "income"), "{tables:?}");
    // Less follows than from one table: of people, of surprises, and of pairs of attributes.
    let mut attacks = manifest["attacks"].as_array().expect("attacks").iter();
    let join = attacks.find(|found| found["name"] == "background-join").expect("the attack");
    let figure = |at: usize, key: &str| join["figures"][at][key].as_u64().expect("a figure");
    assert!((0..3).all(|at| figure(at, "hits") < figure(at, "baseline")), "{join}");
    assert!(figure(2, "hits") * 5 < figure(2, "baseline"), "{join}");
    let steward = bench.text("out/steward/report.html");
    for told in
        ["Which attributes travel together", "What is lost against what is exposed", "Background join"]
    {
        assert!(steward.contains(told), "{told}");
    }
    let public = bench.text("out/public/report.html");
    assert!(public.contains("projection-1.csv") && !public.contains("travel together"));
    assert!(!public.contains("follows from a first"), "attacks are for the steward alone");
    bench.privet(&["audit", "out"]).succeeds();
}

/// The case that the page on (n, t)-closeness works out by hand.
const TOWNS: &str = "town,age,disease\nA,30,flu\nA,30,cold\nA,40,flu\nA,40,cold\n\
    B,30,ulcer\nB,30,gout\nB,40,ulcer\nB,40,gout\n";

const NATURAL: &str = "seed = 1\n[data]\npath = \"data.csv\"\n\
    [columns.town]\nrole = \"quasi-identifier\"\n[columns.age]\nrole = \"quasi-identifier\"\n\
    [columns.disease]\nrole = \"sensitive\"\n\
    [privacy.k-anonymity]\nk = 2\n[privacy.n-t-closeness]\nn = 4\nt = 0.1\n[method]\nname = \"full-domain\"\n";

#[test]
fn classes_need_only_look_like_a_large_group_that_they_belong_to() {
    let bench = Bench::new();
    bench.write("data.csv", TOWNS);
    bench.write("policy.toml", NATURAL);
    let levels = |out: &str| {
        bench.privet(&["anonymize", "policy.toml", "-o", out]).succeeds();
        bench.privet(&["audit", out]).succeeds();
        bench.json(&format!("{out}/steward/manifest.json"))["plan"]["levels"].clone()
    };
    let table = ["audit", "--policy", "policy.toml", "--original", "data.csv", "--release", "data.csv"];
    assert_eq!(levels("four"), serde_json::json!({ "town": 0, "age": 0 }));
    bench.privet(&table).succeeds();
    bench.edit("policy.toml", "n = 4", "n = 5");
    assert_eq!(levels("five"), serde_json::json!({ "town": 1, "age": 0 }));
    let outcome = bench.privet(&table).exits(4);
    assert!(outcome.stdout.contains("fails in 4 of 4 classes"), "{}", outcome.stdout);
    bench.edit("policy.toml", "n = 5", "n = 9");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(3);
    assert!(outcome.stderr.contains("no group has n = 9 records"), "{}", outcome.stderr);
    bench.edit("policy.toml", "full-domain", "mondrian");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
    assert!(outcome.stderr.contains("does not take [privacy.n-t-closeness]"), "{}", outcome.stderr);
}

#[test]
fn tables_are_drawn_from_several_best_ones() {
    let bench = Bench::with_example("clinic");
    bench.edit("clinic/policy.toml", "name = \"codip\"", "break_minimality = 4\nname = \"codip\"");
    bench.privet(&["anonymize", "clinic/policy.toml", "-o", "out"]).succeeds();
    let plan = bench.json("out/steward/plan.json");
    assert!(plan["drawn_from"].as_u64().is_some_and(|plans| (2..=4).contains(&plans)), "{plan}");
    bench.privet(&["audit", "out"]).succeeds();
    let public = bench.text("out/public/report.html");
    assert!(public.contains("drawn by a secret key"), "how the plan was found");
    // Where only one vector of levels will do, a draw protects nobody.
    bench.write("data.csv", DATA);
    bench.write("policy.toml", POLICY);
    bench.edit("policy.toml", "name = \"codip-star\"", "name = \"codip-star\"\nbreak_minimality = 2");
    bench.edit("policy.toml", "k = 2", "k = 6");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "one"]).exits(3);
    assert!(outcome.stderr.contains("only one meets the requirements"), "{}", outcome.stderr);
    assert!(!bench.path("one").exists());
}
