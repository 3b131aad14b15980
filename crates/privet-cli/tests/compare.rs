//! One policy over a grid of settings, with the frontier between risk and loss.

use crate::common::{Bench, rows};

#[test]
fn a_policy_is_tried_over_a_grid() {
    let bench = Bench::with_example("patients");
    let before = bench.names(".");
    let arguments =
        ["compare", "patients/policy.toml", "--vary", "privacy.k-anonymity.k=2,3,11", "-o", "grid"];
    let outcome = bench.privet(&arguments).succeeds();
    assert!(outcome.stdout.contains("privacy.k-anonymity.k=3"), "{}", outcome.stdout);
    assert_eq!(bench.names("grid"), ["comparison.csv", "comparison.html"]);
    let table = rows(&bench.path("grid/comparison.csv"));
    assert_eq!(table.len(), 4, "{table:?}");
    assert!(
        table[3].last().is_some_and(|note| note.contains("only 10 records")),
        "what cannot be met is a row: {table:?}"
    );
    let page = bench.text("grid/comparison.html");
    assert!(
        page.contains("<svg")
            && page.contains("on the frontier")
            && page.contains("2 of 3 settings can be met"),
        "{page}"
    );
    for fetched in ["<script", "<link", "src=\"http", "@import", "url(http"] {
        assert!(!page.contains(fetched), "{fetched}");
    }
    let [mut after, mut wanted] = [bench.names("."), before];
    after.sort();
    wanted.push("grid".to_string());
    wanted.sort();
    assert_eq!(after, wanted, "nothing is published");
    // An older comparison is replaced only if that is said, anything else never.
    bench.privet(&arguments).exits(2);
    bench.privet(&[&arguments[..], &["--force"]].concat()).succeeds();
    bench.privet(&["compare", "patients/policy.toml", "-o", "patients", "--force"]).exits(2);
}

#[test]
fn the_written_setting_is_marked_and_added_where_the_grid_misses_it() {
    let bench = Bench::with_example("patients");
    let vary = |values: &str| {
        let key = format!("privacy.k-anonymity.k={values}");
        bench.privet(&["compare", "patients/policy.toml", "--vary", &key, "--json"]).succeeds().json()
    };
    let json = vary("2,3");
    assert_eq!(
        (&json["policies"][0]["chosen"], json["policies"].as_array().map(Vec::len)),
        (&true.into(), Some(2)),
        "{json}"
    );
    let risk = |at: usize| json["policies"][at]["risk"]["max"].as_f64();
    assert!(risk(0) > risk(1) && risk(1) <= Some(1.0 / 3.0), "{json}");
    let json = vary("3,4");
    assert_eq!(
        (&json["policies"][0]["policy"], json["policies"].as_array().map(Vec::len)),
        (&"as written".into(), Some(3)),
        "{json}"
    );
    // Several keys make a grid.
    let arguments = [
        "compare",
        "patients/policy.toml",
        "--vary",
        "privacy.k-anonymity.k=2,3",
        "--vary",
        "method.cost=LM,DM",
        "--json",
    ];
    let json = bench.privet(&arguments).succeeds().json();
    assert!(json["policies"].as_array().is_some_and(|list| list.len() >= 4), "{json}");
}

#[test]
fn what_cannot_be_varied_is_told() {
    let bench = Bench::with_example("patients");
    for (vary, word) in [
        ("privacy.k-anonymity.k", "there is no '='"),
        ("privacy.k-anonymity.k=2,,3", "a value is empty"),
        ("privacy.t-closeness.t=0.2", "no 't-closeness'"),
        ("privacy.k-anonymity.kk=2", "unknown key 'kk'"),
        ("privacy.k-anonymity.k=0", "must be a whole number"),
    ] {
        let outcome =
            bench.privet(&["compare", "patients/policy.toml", "--vary", vary, "-o", "grid"]).exits(2);
        assert!(outcome.stderr.contains(word), "{vary}: {}", outcome.stderr);
        assert!(!bench.path("grid").exists());
    }
}

#[test]
fn every_kind_of_data_can_be_varied() {
    let bench = Bench::new();
    for (name, vary) in [
        ("five-baskets", "privacy.kl-privacy.k=2,3"),
        ("five-vocabularies", "privacy.vocabulary-k-anonymity.k=2,3"),
        ("injector", "privacy.matching-l-diversity.l=2,3"),
    ] {
        bench.privet(&["example", name]).succeeds();
        let policy = format!("{name}/policy.toml");
        let folder = format!("{name}-grid");
        let outcome = bench.privet(&["compare", &policy, "--vary", vary, "-o", &folder]).exits(0);
        assert!(
            bench.text(&format!("{folder}/comparison.html")).contains("<svg"),
            "{name}: {}",
            outcome.stdout
        );
    }
}

#[test]
fn a_policy_that_is_called_like_a_formula_is_no_formula_in_the_table() {
    let bench = Bench::new();
    bench.write("people.csv", "age,ill\n20,flu\n20,cold\n30,flu\n30,cold\n");
    bench.write(
        "=1+1.toml",
        "[data]\npath = \"people.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n[columns.ill]\nrole = \
         \"sensitive\"\n[privacy.k-anonymity]\nk = 2\n",
    );
    bench.privet(&["compare", "=1+1.toml", "--csv", "table.csv", "-o", "page"]).succeeds();
    for path in ["table.csv", "page/comparison.csv"] {
        assert!(bench.text(path).contains("\n'=1+1.toml,"), "{}", bench.text(path));
        assert_eq!(rows(&bench.path(path))[1][0], "=1+1.toml", "read by Privet the mark is gone");
    }
}
