//! Every command on the shipped examples: what it writes, what it prints, and how it ends.

use std::fs::{self, File};

use crate::common::{Bench, rows, small_census, use_mondrian};
use serde_json::Value as Json;

const MAKE: [&str; 4] = ["anonymize", "patients/policy.toml", "-o", "out"];

/// The keys of an object, in order.
fn keys(json: &Json) -> Vec<&str> {
    json.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn with<'a>(arguments: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [arguments, more].concat()
}

#[test]
fn example_lists_writes_and_never_overwrites() {
    let bench = Bench::new();
    let list = bench.privet(&["example"]).succeeds();
    assert!(list.stdout.contains("patients") && list.stdout.contains("census"));
    let json = bench.privet(&["example", "--json"]).succeeds().json();
    assert!(json["examples"].as_array().is_some_and(|examples| examples.len() >= 2));
    let written = bench.privet(&["example", "patients", "there"]).succeeds();
    assert!(written.stdout.contains("next: privet anonymize there/policy.toml"));
    assert_eq!(bench.names("."), ["there"]);
    let before = bench.tree("there");
    let again = bench.privet(&["example", "patients", "there"]).exits(2);
    assert!(again.stderr.contains("there") && again.stderr.contains("help:"), "{}", again.stderr);
    assert_eq!(bench.tree("there"), before);
    let unknown = bench.privet(&["example", "patient"]).exits(2);
    assert!(unknown.stderr.contains("did you mean 'patients'"), "{}", unknown.stderr);
    bench.privet(&["example", "patients", "nowhere/there"]).exits(2);
}

#[test]
fn every_example_runs_as_it_is() {
    let bench = Bench::new();
    bench.privet(&["example", "patients", "--run"]).succeeds();
    bench.privet(&["audit", "patients-release"]).succeeds();
    bench.privet(&["example", "l-plus", "--run"]).succeeds();
    let manifest = bench.text("l-plus-release/steward/manifest.json");
    assert!(manifest.contains("\"optimal\": true") && manifest.contains("\"195794352\""));
    bench.privet(&["audit", "l-plus-release"]).succeeds();
    for (name, cost) in [("five-baskets", "21/76"), ("baskets", "11491/395865")] {
        bench.privet(&["example", name, "--run"]).succeeds();
        let manifest = bench.json(&format!("{name}-release/steward/manifest.json"));
        assert_eq!((&manifest["optimal"], &manifest["cost"]["exact"]), (&true.into(), &cost.into()));
        bench.privet(&["audit", &format!("{name}-release")]).succeeds();
        let before = bench.text(&format!("{name}-release/public/report.html"));
        bench.privet(&["report", &format!("{name}-release")]).succeeds();
        assert_eq!(bench.text(&format!("{name}-release/public/report.html")), before);
    }
    let bench = small_census(2000);
    bench.privet(&["anonymize", "census/policy.toml", "-o", "census-release"]).succeeds();
    bench.privet(&["audit", "census-release"]).succeeds();
}

#[test]
fn a_drafted_policy_runs_as_it_is() {
    for (bench, data, drafted) in [
        (Bench::with_example("patients"), "patients/patients.csv", "patients/patients-policy"),
        (small_census(2000), "census/census.csv", "census/census-policy"),
    ] {
        let draft = bench.privet(&["init", data]).succeeds();
        assert!(draft.stdout.contains("quasi-identifier"), "{}", draft.stdout);
        let policy = format!("{drafted}/policy.toml");
        bench.privet(&["anonymize", &policy, "-o", "out", "--time-limit", "5s"]).succeeds();
        bench.privet(&["audit", "out"]).succeeds();
        let again = bench.privet(&["init", data]).exits(2);
        assert!(again.stderr.contains("already"), "{}", again.stderr);
        let json = bench.privet(&["init", data, "-o", "other", "--json"]).succeeds().json();
        assert!(json["columns"].as_array().is_some_and(|columns| !columns.is_empty()));
        assert_eq!(json["written"].as_array().map(Vec::len), Some(bench.tree("other").len()));
    }
}

#[test]
fn the_folder_holds_two_rooms_and_nothing_else() {
    let bench = Bench::with_example("patients");
    let outcome = bench.privet(&MAKE).succeeds();
    assert!(outcome.stdout.contains("published in out"));
    assert_eq!(bench.names("."), ["out", "patients"]);
    assert_eq!(bench.names("out"), ["public", "steward"]);
    assert_eq!(bench.names("out/public"), ["manifest.json", "release.csv", "report.html"]);
    let steward = ["manifest.json", "plan.json", "policy.toml", "report.html", "report.json"];
    assert_eq!(bench.names("out/steward"), steward);
    assert!(
        bench.is_private("out/steward") && bench.is_private("out/steward/manifest.json"),
        "only the steward may enter"
    );
}

/// People script against the manifest: its keys are a contract.
#[test]
fn the_stewards_manifest_is_as_the_contract_says() {
    let bench = Bench::with_example("patients");
    let printed = bench.privet(&with(&MAKE, &["--json"])).succeeds().json();
    let manifest = bench.json("out/steward/manifest.json");
    assert_eq!(printed, manifest);
    let wanted = [
        "privet", "kind", "method", "policy", "seed", "records", "cost", "loss", "optimal", "bound",
        "search", "plan", "warnings", "audit", "files",
    ];
    for key in wanted {
        assert!(manifest.get(key).is_some(), "the manifest lacks '{key}'");
    }
    assert_eq!(manifest["privet"], env!("CARGO_PKG_VERSION"));
    assert_eq!(manifest["kind"], "table");
    assert_eq!(manifest["method"], "full-domain");
    assert_eq!(manifest["seed"], 7);
    assert_eq!(manifest["policy"]["privacy"]["k-anonymity"]["k"], 2);
    assert_eq!(keys(&manifest["policy"]), ["data", "columns", "privacy", "method"]);
    assert_eq!(keys(&manifest["records"]), ["read", "dropped", "suppressed", "released"]);
    assert_eq!(manifest["records"]["read"], 10);
    assert_eq!(keys(&manifest["cost"]), ["metric", "value", "exact", "normalised"]);
    assert_eq!(keys(&manifest["search"]), ["space", "examined", "seconds", "trace"]);
    assert_eq!(keys(&manifest["run"]), ["seconds", "cpu_seconds"]);
    let spent = ["seconds", "cpu_seconds"].map(|key| manifest["run"][key].as_f64());
    assert!(spent.iter().all(|spent| *spent > Some(0.0)), "{spent:?}");
    assert_eq!(manifest["optimal"], true);
    assert_eq!(manifest["bound"], manifest["cost"]["value"]);
    assert_eq!(manifest["audit"]["passed"], true);
    assert!(manifest["audit"]["checks"].as_array().is_some_and(|checks| checks.len() >= 2));
    assert_eq!(manifest["files"][0]["path"], "release.csv");
    assert_eq!(manifest["files"][0]["sha256"].as_str().map(str::len), Some(64));
    // The plan itself also holds the hierarchies that it applies.
    let plan = bench.json("out/steward/plan.json");
    assert_eq!(keys(&manifest["plan"]), ["levels", "highest"]);
    assert!(keys(&manifest["plan"]).iter().all(|key| plan[key] == manifest["plan"][key]), "{plan}");
}

#[test]
fn the_public_manifest_keeps_the_secrets() {
    let bench = Bench::with_example("patients");
    bench.privet(&with(&MAKE, &["--seed", "918273645"])).succeeds();
    let manifest = bench.json("out/public/manifest.json");
    for key in ["seed", "policy", "plan", "origin", "search", "cost"] {
        assert!(manifest.get(key).is_none(), "'{key}' is public");
    }
    assert_eq!(manifest["records"]["released"], "1-10", "ten records are a small count");
    let root = bench.root().to_string_lossy().into_owned();
    for (path, content) in bench.tree("out/public") {
        for secret in ["918273645", root.as_str(), "patients.csv", "hierarchies/"] {
            assert!(!contains(&content, secret.as_bytes()), "{} holds {secret:?}", path.display());
        }
    }
}

fn contains(content: &[u8], part: &[u8]) -> bool {
    content.windows(part.len()).any(|window| window == part)
}

#[test]
fn quiet_says_nothing_and_json_says_one_object() {
    let bench = Bench::with_example("patients");
    let quiet = |arguments: &[&str]| {
        let outcome = bench.privet(&with(arguments, &["--quiet"])).exits(0);
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("", ""), "{arguments:?}");
    };
    let json = |arguments: &[&str]| {
        let outcome = bench.privet(&with(arguments, &["--json"])).exits(0);
        outcome.json();
        assert_eq!(outcome.stdout.lines().count(), 1, "{arguments:?}");
    };
    let hierarchy = "patients/hierarchies/Country.csv";
    let data = "patients/patients.csv";
    quiet(&MAKE);
    quiet(&["example", "patients", "quiet"]);
    quiet(&["init", data, "-o", "quiet-draft"]);
    json(&["init", data, "-o", "json-draft"]);
    json(&["example", "patients", "json"]);
    for arguments in [
        &["audit", "out"][..],
        &["report", "out"],
        &["compare", "patients/policy.toml"],
        &["explain"],
        &["explain", "l-diversity"],
        &["hierarchy", "show", hierarchy],
        &["hierarchy", "check", hierarchy, data, "Country"],
        &["hierarchy", "build", data, "Country", "--kind", "categories", "-o", "built.csv", "--force"],
    ] {
        quiet(arguments);
        json(arguments);
    }
}

#[test]
fn every_method_makes_releases_that_pass_the_audit() {
    let methods = [
        "name = \"full-domain\"\n",
        "name = \"full-domain\"\nsuppression_limit = 0.05\n",
        "name = \"full-domain\"\nsuppression_limit = 1\ntime_limit = \"1s\"\n",
        "name = \"mondrian\"\n",
        "name = \"mondrian\"\npartitioning = \"strict\"\n",
        "name = \"mondrian\"\npartitioning = \"relaxed\"\n",
        "name = \"mondrian\"\nnumbers = \"hierarchy\"\n",
        "",
    ];
    let bench = small_census(1000);
    for (number, method) in methods.iter().enumerate() {
        let policy = bench.text("census/policy.toml");
        let head = policy.split("[method]").next().expect("a head");
        bench.write("census/policy.toml", format!("{head}[method]\n{method}"));
        let target = format!("out{number}");
        let json =
            bench.privet(&["anonymize", "census/policy.toml", "-o", &target, "--json"]).succeeds().json();
        assert_eq!(json["audit"]["passed"], true, "{method}");
        bench.privet(&["audit", &target]).succeeds();
        let records = &json["records"];
        let released = rows(&bench.path(&format!("{target}/public/release.csv"))).len() as u64 - 1;
        assert_eq!(records["released"].as_u64(), Some(released), "{method}");
        let gone = records["suppressed"].as_u64().unwrap_or(0) + records["dropped"].as_u64().unwrap_or(0);
        assert_eq!(released + gone, 1000, "{method}");
    }
}

#[test]
fn every_cost_steers_and_is_reported() {
    let costs = ["LM", "NCP", "DM", "CM", "average-class-size", "height", "precision", "entropy"];
    let bench = small_census(500);
    let policy = bench.text("census/policy.toml");
    let head = policy.split("[method]").next().expect("a head");
    let make = |method: &str, cost: &str| {
        bench.write("census/policy.toml", format!("{head}[method]\nname = {method}\ncost = \"{cost}\"\n"));
        bench.privet(&["anonymize", "census/policy.toml", "-o", "out", "--json", "--force"])
    };
    for cost in costs {
        for method in ["\"full-domain\"", "\"mondrian\"\nnumbers = \"hierarchy\""] {
            let json = make(method, cost).succeeds().json();
            assert_eq!(json["cost"]["metric"], cost);
            assert_eq!(keys(&json["loss"]), costs, "all costs are reported");
            assert_eq!(json["loss"][cost], json["cost"]["value"]);
            let share = json["cost"]["normalised"].as_f64().expect("a share");
            assert!((0.0..=1.0).contains(&share), "{cost}: {share}");
            assert!(json["optimal"] == true || method.contains("mondrian"), "{cost}");
        }
        // Ranges of numbers have no level, so two costs are not defined for them.
        let ranges = make("\"mondrian\"", cost);
        if ["height", "precision"].contains(&cost) {
            let refused = ranges.exits(2);
            assert!(
                refused.stderr.contains("policy.toml:") && refused.stderr.contains("help:"),
                "{}",
                refused.stderr
            );
        } else {
            ranges.succeeds();
        }
    }
}

#[test]
fn missing_values_are_dropped_or_kept_as_the_policy_says() {
    let bench = Bench::with_example("patients");
    let text = bench.text("patients/patients.csv") + "?,UK,Flu\n,USA,Asthma\nJunior,,Cancer\nSenior,UK,?\n";
    bench.write("patients/patients.csv", text);
    let data = "path = \"patients.csv\"";
    bench.edit(
        "patients/policy.toml",
        data,
        &format!("{data}\nmissing = [\"\", \"?\"]\non_missing = \"drop\""),
    );
    let dropped = bench.privet(&with(&MAKE, &["--json"])).succeeds().json();
    assert_eq!(dropped["records"]["dropped"], 4);
    assert_eq!(dropped["records"]["read"], 14);
    bench.edit("patients/policy.toml", "\"drop\"", "\"value\"");
    let kept = bench.privet(&with(&MAKE, &["--json", "--force"])).succeeds().json();
    assert_eq!(kept["records"]["dropped"], 0);
    assert_eq!(kept["records"]["released"], 14);
    bench.privet(&["audit", "out"]).succeeds();
}

#[test]
fn every_format_goes_in_and_out() {
    let bench = small_census(300);
    use_mondrian(&bench, "");
    let formats = [
        "csv",
        "tsv",
        "parquet",
        "arrow",
        "csv.gz",
        "csv.zst",
        "tsv.gz",
        "tsv.zst",
        "parquet.gz",
        "arrow.zst",
    ];
    let mut first: Option<Vec<Vec<String>>> = None;
    for format in formats {
        let target = format!("out-{format}");
        let arguments = ["anonymize", "census/policy.toml", "-o", &target, "--format", format];
        bench.privet(&arguments).succeeds();
        bench.privet(&["audit", &target]).succeeds();
        let mut table = rows(&bench.path(&format!("{target}/public/release.{format}")));
        table.sort();
        match &first {
            Some(first) => assert_eq!(&table, first, "{format}"),
            None => first = Some(table),
        }
    }
    // Each of these releases is a table that can be read again, and the format of the data is that of the release.
    let policy = "[columns.sex]\nrole = \"quasi-identifier\"\n[columns.occupation]\nrole = \"sensitive\"\n\
                  [privacy.k-anonymity]\nk = 2\n[method]\nname = \"mondrian\"\n";
    for format in formats {
        let data = format!("[data]\npath = \"out-{format}/public/release.{format}\"\n");
        bench.write("again.toml", data + policy);
        let target = format!("again-{format}");
        let outcome = bench.privet(&["anonymize", "again.toml", "-o", &target]).succeeds();
        assert!(outcome.stdout.contains("not published, because the policy does not mention it: age"));
        assert!(bench.path(&format!("{target}/public/release.{format}")).is_file(), "{format}");
        bench.privet(&["audit", &target]).succeeds();
    }
    let unknown = bench.privet(&["anonymize", "again.toml", "-o", "out", "--format", "xlsx"]).exits(2);
    assert!(unknown.stderr.contains("parquet"), "{}", unknown.stderr);
}

/// A way to save a table, and how to get there from plain CSV.
type Spelling = (&'static str, fn(String) -> String);

#[test]
fn delimited_text_is_read_however_it_was_saved() {
    let patients = |bench: &Bench| bench.text("patients/patients.csv");
    let spellings: [Spelling; 5] = [
        ("semicolons", |text| text.replace(',', ";")),
        ("tabs", |text| text.replace(',', "\t")),
        ("bars", |text| text.replace(',', "|")),
        ("a byte order mark and CRLF", |text| format!("\u{feff}{}", text.replace('\n', "\r\n"))),
        ("quotes", |text| text.replace("Flu", "\"Flu\"").replace("USA", "\"USA\"")),
    ];
    let plain = Bench::with_example("patients");
    plain.privet(&MAKE).succeeds();
    let expected = rows(&plain.path("out/public/release.csv"));
    for (name, spell) in spellings {
        let bench = Bench::with_example("patients");
        bench.write("patients/patients.csv", spell(patients(&bench)));
        bench.privet(&MAKE).succeeds();
        assert_eq!(rows(&bench.path("out/public/release.csv")), expected, "{name}");
    }
}

#[test]
fn the_reports_can_be_written_again() {
    let bench = Bench::with_example("patients");
    bench.privet(&MAKE).succeeds();
    let before = bench.tree("out");
    fs::remove_file(bench.path("out/public/report.html")).expect("removed");
    bench.write("out/steward/report.html", "spoilt");
    bench.privet(&["report", "out"]).succeeds();
    assert_eq!(bench.tree("out"), before);
}

#[test]
fn reports_stand_alone() {
    let bench = Bench::with_example("patients");
    bench.privet(&MAKE).succeeds();
    for room in ["public", "steward"] {
        let report = bench.text(&format!("out/{room}/report.html"));
        assert!(report.trim_start().to_lowercase().starts_with("<!doctype html>"));
        for fetched in ["<script", "<link", "src=\"http", "@import", "url(http"] {
            assert!(!report.contains(fetched), "{room}: {fetched}");
        }
    }
}

#[test]
fn compare_sets_policies_side_by_side() {
    let bench = Bench::with_example("patients");
    let policy = bench.text("patients/policy.toml");
    bench.write("patients/more.toml", policy.replace("k = 2  ", "k = 3  "));
    bench.write("patients/all.toml", policy.replace("k = 2  ", "k = 11 "));
    let arguments =
        ["compare", "patients/policy.toml", "patients/more.toml", "patients/all.toml", "--csv", "t.csv"];
    let outcome = bench.privet(&arguments).succeeds();
    assert!(outcome.stdout.contains("LM as a share of the worst"), "{}", outcome.stdout);
    let table = bench.text("t.csv");
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(table.starts_with("policy,method,suppressed,classes,seconds,optimal,exactly,LM,"));
    assert!(table.contains("only 10 records"), "what cannot be met is said: {table}");
    let columns: Vec<usize> = rows(&bench.path("t.csv")).iter().map(Vec::len).collect();
    assert!(columns.iter().all(|count| *count == columns[0]), "a table that other tools can read: {table}");
    // A file that is there is not lost to a slip: it may be the data.
    let refused =
        bench.privet(&["compare", "patients/policy.toml", "--csv", "patients/patients.csv"]).exits(2);
    assert!(refused.stderr.contains("--force"), "{}", refused.stderr);
    bench.privet(&["compare", "patients/policy.toml", "--csv", "t.csv", "--force"]).succeeds();
    let json = bench.privet(&["compare", "patients/policy.toml", "--json"]).succeeds().json();
    assert_eq!(json["policies"][0]["method"], "full-domain");
    assert_eq!(bench.names("."), ["patients", "t.csv"]);
}

#[test]
fn explain_knows_what_policies_can_name() {
    let bench = Bench::new();
    let list = bench.privet(&["explain"]).succeeds().stdout;
    for name in ["k-anonymity", "l-diversity", "t-closeness", "full-domain", "mondrian"] {
        assert!(list.contains(name));
        let one = bench.privet(&["explain", name]).succeeds();
        assert!(one.stdout.contains("Keys:"), "{}", one.stdout);
    }
    let unknown = bench.privet(&["explain", "k-anonimity"]).exits(2);
    assert!(unknown.stderr.contains("k-anonymity"), "{}", unknown.stderr);
}

#[test]
fn bad_arguments_are_bad_input() {
    let bench = Bench::with_example("patients");
    for arguments in [
        &["anonymize"][..],
        &["anonymize", "patients/policy.toml"],
        &["anonymise", "patients/policy.toml", "-o", "out"],
        &with(&MAKE, &["--seed", "-1"]),
        &with(&MAKE, &["--time-limit", "soon"]),
        &with(&MAKE, &["--threads", "0"]),
        &with(&MAKE, &["--threads", "many"]),
        &with(&MAKE, &["--frmt", "csv"]),
    ] {
        let outcome = bench.privet(arguments).exits(2);
        assert!(outcome.stderr.contains("error:"), "{arguments:?}: {}", outcome.stderr);
        assert_eq!(bench.names("."), ["patients"]);
    }
    bench.privet(&["--help"]).exits(0);
    bench.privet(&["--version"]).exits(0);
}

#[test]
fn an_existing_release_needs_force_and_other_folders_are_spared() {
    let bench = Bench::with_example("patients");
    bench.privet(&with(&MAKE, &["--seed", "1"])).succeeds();
    let before = bench.tree("out");
    let refused = bench.privet(&MAKE).exits(2);
    assert!(refused.stderr.contains("--force"), "{}", refused.stderr);
    assert_eq!(bench.tree("out"), before);
    bench.privet(&with(&MAKE, &["--force"])).succeeds();
    assert_ne!(bench.tree("out"), before);
    assert_eq!(bench.names("."), ["out", "patients"]);
    bench.write("precious/diary.txt", "dear diary");
    let spared = bench.privet(&["anonymize", "patients/policy.toml", "-o", "precious", "--force"]).exits(2);
    assert!(spared.stderr.contains("not a release"), "{}", spared.stderr);
    assert_eq!(bench.text("precious/diary.txt"), "dear diary");
    assert_eq!(bench.names("."), ["out", "patients", "precious"]);
}

#[test]
fn two_runs_on_one_target_are_kept_apart() {
    let bench = Bench::with_example("patients");
    let lock = File::create(bench.path(".out.privet-lock")).expect("made");
    lock.lock().expect("locked");
    let busy = bench.privet(&MAKE).exits(75);
    assert!(busy.stderr.contains("another run") && busy.stderr.contains("help:"), "{}", busy.stderr);
    assert!(!bench.path("out").exists());
    drop(lock);
    bench.privet(&MAKE).succeeds();
    assert_eq!(bench.names("."), ["out", "patients"]);
}

/// A table whose values are easily found again in any file: nothing that the release hides may be in `public/`.
#[test]
fn what_the_release_hides_is_nowhere_in_public() {
    let bench = Bench::new();
    let mut data = String::from("name,city,code,disease,note\n");
    let mut hierarchy = String::new();
    let mut codes = String::new();
    for number in 0..60 {
        let (region, disease) = (number % 3, ["flu", "asthma", "gout"][number / 3 % 3]);
        let (city, code) = (format!("Cityhidden{number:03}"), 771_300_000 + number * 1013);
        data += &format!("Namehidden{number:03},{city},{code},{disease},note{}\n", number % 4);
        hierarchy += &format!("{city};Region{region};*\n");
        codes += &format!("{code};Code{region};*\n");
    }
    // Records that no class can hold are suppressed, with all they say.
    data += "Namehidden900,Cityhidden900,771900001,raredisease,rarenote\n";
    hierarchy += "Cityhidden900;Rareregion;*\n";
    codes += "771900001;Rarecode;*\n";
    bench.write("data.csv", data);
    bench.write("city.csv", hierarchy);
    bench.write("code.csv", codes);
    let policy = "seed = 555666777\n[data]\npath = \"data.csv\"\n[columns.name]\nrole = \"identifier\"\n\
        [columns.city]\nrole = \"quasi-identifier\"\nhierarchy = \"city.csv\"\n\
        [columns.code]\nrole = \"quasi-identifier\"\nhierarchy = \"code.csv\"\n\
        [columns.disease]\nrole = \"sensitive\"\n[columns.note]\nrole = \"other\"\n\
        [privacy.k-anonymity]\nk = 5\n[privacy.l-diversity]\ncolumn = \"disease\"\nl = 2\n\
        [method]\nname = \"full-domain\"\nsuppression_limit = 0.05\n";
    bench.write("policy.toml", policy);
    for format in ["csv", "tsv", "parquet", "arrow"] {
        let target = format!("out-{format}");
        let arguments = ["anonymize", "policy.toml", "-o", &target, "--format", format, "--json"];
        let json = bench.privet(&arguments).succeeds().json();
        assert_eq!(json["records"]["suppressed"], 1, "{json}");
        let release = rows(&bench.path(&format!("{target}/public/release.{format}")));
        assert!(release.iter().flatten().any(|cell| cell.starts_with("Region")));
        for (path, content) in bench.tree(&format!("{target}/public")) {
            for hidden in [
                "Cityhidden",
                "Namehidden",
                "7713",
                "771900001",
                "Rareregion",
                "Rarecode",
                "raredisease",
                "rarenote",
                "555666777",
                "policy.toml",
                "data.csv",
                "privet-work",
            ] {
                assert!(!contains(&content, hidden.as_bytes()), "{format}: {hidden} in {}", path.display());
            }
        }
        let public = bench.json(&format!("{target}/public/manifest.json"));
        assert!(public["records"]["suppressed"].is_null(), "how many are missing is not for the public");
    }
}

#[test]
fn shells_and_manuals_get_every_command() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = bench.privet(&["completions", shell]).succeeds().stdout;
        assert!(script.contains("anonymize") && script.contains("time-limit"), "{shell}: {script}");
    }
    let page = bench.privet(&["man"]).succeeds().stdout;
    assert!(page.starts_with(".ie") && page.contains("privet\\-anonymize"), "{page}");
    let page = bench.privet(&["man", "anonymize"]).succeeds().stdout;
    assert!(page.contains("time\\-limit") && page.contains("quiet"), "{page}");
    let page = bench.privet(&["man", "hierarchy-applied"]).succeeds().stdout;
    assert!(page.contains("hierarchy\\-applied") && page.contains("column"), "{page}");
    for (wrong, meant) in [("anonymise", "anonymize"), ("hierarchy-aplied", "hierarchy-applied")] {
        let error = bench.privet(&["man", wrong]).exits(2).stderr;
        assert!(error.contains(&format!("did you mean '{meant}'?")), "{error}");
    }
}

/// What people see first: every example in ten lines, with figures they can read; the rest with `--verbose`.
#[test]
fn anonymize_prints_ten_lines_and_the_rest_on_request() {
    for example in
        ["patients", "injector", "five-baskets", "five-vocabularies", "l-plus", "symptoms", "freeform"]
    {
        let bench = Bench::with_example(example);
        let policy = format!("{example}/policy.toml");
        let brief = bench.privet(&["anonymize", &policy, "-o", "out"]).succeeds();
        let lines = brief.stdout.lines().count() + brief.stderr.lines().count();
        assert!(lines <= 10, "{example}: {}{}", brief.stderr, brief.stdout);
        assert!(brief.stdout.contains("\naudit passed: all "), "{example}: {}", brief.stdout);
        let full = bench.privet(&["anonymize", &policy, "-o", "full", "--verbose"]).succeeds();
        assert!(full.stdout.contains("\n✓ files: ") && full.stdout.contains("\nattack "), "{}", full.stdout);
    }
}

/// The survey weight of the census and the class column of the patients singled people out before: a policy can avoid that.
#[test]
fn examples_give_no_warning_that_a_better_policy_would_avoid() {
    for example in ["census", "l-plus", "symptoms"] {
        let bench = Bench::with_example(example);
        let made = bench.privet(&["anonymize", &format!("{example}/policy.toml"), "-o", "out"]).succeeds();
        assert!(!made.stderr.contains("declare them, or leave them out"), "{example}: {}", made.stderr);
    }
}

/// The studio is a program of its own: without it the command says how to get it, and with it passes on what it was given.
#[test]
fn studio_starts_the_program_that_is_installed() {
    let bench = Bench::new();
    let name = |program: &str| format!("{program}{}", std::env::consts::EXE_SUFFIX);
    fs::create_dir(bench.path("bin")).expect("a directory");
    let own = bench.path("bin").join(name("privet"));
    let built = std::path::Path::new(env!("CARGO_BIN_EXE_privet"));
    fs::hard_link(built, &own).or_else(|_| fs::copy(built, &own).map(drop)).expect("the command");
    let run = || {
        let mut command = std::process::Command::new(&own);
        command.args(["studio", "people.csv", "--no-browser"]).env("PATH", bench.path("bin"));
        command.current_dir(bench.root()).output().expect("it runs")
    };
    let missing = run();
    let error = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert_eq!(missing.status.code(), Some(2), "{error}");
    assert!(error.contains("not installed") && error.contains("cargo install"), "{error}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let program = bench.write("bin/privet-studio", "#!/bin/sh\necho \"$@\"\nexit 7\n");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it can be run");
        let started = run();
        assert_eq!(String::from_utf8_lossy(&started.stdout), "people.csv --no-browser\n");
        assert_eq!(started.status.code(), Some(7));
    }
}
