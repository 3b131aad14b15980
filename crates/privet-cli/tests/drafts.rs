//! Drafts: what they print, what they ask, and what they publish of real data.

use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value as Json;

use crate::common::{Bench, command};

/// People with a wide choice of columns, one of whose names is very long.
fn people(bench: &Bench) {
    let rows: String = (0..400)
        .map(|at| {
            format!(
                "{},{},{},{},{}\n",
                20 + at % 50,
                ["f", "m"][at % 2],
                if at % 3 == 0 { 900 + at * 17 } else { 1000 * (at % 7) },
                ["flu", "cold", "gout"][at % 3],
                ["yes", "no"][at / 3 % 2]
            )
        })
        .collect();
    let header = "age,sex,income_of_all_who_live_together,illness,smokes";
    bench.write("people.csv", format!("{header}\n{rows}"));
}

#[test]
fn the_columns_are_a_table_that_fits_a_terminal() {
    let bench = Bench::new();
    people(&bench);
    let outcome = bench.privet(&["init", "people.csv"]).succeeds();
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert!(lines.iter().all(|line| line.chars().count() <= 100), "{}", outcome.stdout);
    assert!(lines[1].trim_start().starts_with("column "), "{}", outcome.stdout);
    let place = |name: &str| lines.iter().position(|line| line.trim_start().starts_with(name)).expect(name);
    assert!(place("age") < place("illness"), "quasi-identifiers come first: {}", outcome.stdout);
}

/// Publishing a column that was left out is deleting the signs before its lines.
#[test]
fn every_column_can_be_published_by_deleting_signs() {
    let bench = Bench::new();
    people(&bench);
    bench.privet(&["init", "people.csv", "-o", "draft"]).succeeds();
    let policy = bench.text("draft/policy.toml");
    assert!(policy.contains("# [columns."), "{policy}");
    let mut within = false;
    let line = |line: &str| {
        within = line.starts_with("# [columns.") || (within && line.starts_with("# "));
        (if within { line.strip_prefix("# ").unwrap_or(line) } else { line }).to_string() + "\n"
    };
    bench.write("draft/policy.toml", policy.lines().map(line).collect::<String>());
    bench.privet(&["anonymize", "draft/policy.toml", "-o", "out", "--attacks", "none"]).succeeds();
    let release = bench.text("out/public/release.csv");
    let header = release.lines().next().expect("a header");
    assert_eq!(header, "age,sex,income_of_all_who_live_together,illness,smokes");
    bench.privet(&["audit", "out"]).succeeds();
}

#[test]
fn columns_are_asked_about_where_the_user_wants_it() {
    let bench = Bench::new();
    people(&bench);
    let mut asked = command();
    asked.args(["init", "people.csv", "--ask", "-o", "draft"]).current_dir(bench.root());
    let mut child = asked.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("started");
    let answers = "\nx\nwhat?\no\n.\n";
    child.stdin.take().expect("a pipe").write_all(answers.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("ended");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("1 of 5  age"), "{printed}");
    let policy = bench.text("draft/policy.toml");
    assert!(policy.contains("[columns.age]\nrole = \"quasi-identifier\""), "{policy}");
    assert!(policy.contains("# [columns.sex]\n"), "{policy}");
    assert!(policy.contains("_together]\nrole = \"other\""), "{policy}");
    bench.privet(&["init", "people.csv", "--ask", "--json"]).exits(2);
}

#[test]
fn hierarchies_to_start_from_are_listed_and_added() {
    let bench = Bench::new();
    let rows: String = (0..60)
        .map(|at| {
            format!("{},{}\n", ["E11.9", "I10", "J45.0", "B20"][at % 4], ["NO", "SE", "Atlantis"][at % 3])
        })
        .collect();
    bench.write("data.csv", format!("code,country\n{rows}"));
    let list = bench.privet(&["hierarchy", "list"]).succeeds().stdout;
    for name in ["icd-10", "countries", "nace", "isco", "education", "ages", "amounts"] {
        assert!(list.contains(name), "{list}");
    }
    assert_eq!(list.matches("licence: ").count(), 7);
    bench.privet(&["hierarchy", "add", "icd-10", "data.csv", "code", "-o", "icd.csv"]).succeeds();
    assert!(bench.text("icd.csv").contains("E11.9;E11.-;E08-E14;E00-E90;*\n"));
    bench.privet(&["hierarchy", "check", "icd.csv", "data.csv", "code"]).succeeds();
    let add = ["hierarchy", "add", "countries", "data.csv", "country", "-o", "c.csv"];
    let outcome = bench.privet(&add).exits(2);
    assert!(outcome.stderr.contains("Atlantis") && outcome.stderr.contains("--other"), "{}", outcome.stderr);
    assert!(!bench.path("c.csv").exists());
    bench.privet(&[&add[..], &["--other"]].concat()).succeeds();
    assert!(bench.text("c.csv").contains("Atlantis;other;"), "{}", bench.text("c.csv"));
    let outcome = bench.privet(&["hierarchy", "add", "icd10", "data.csv", "code", "-o", "x.csv"]).exits(2);
    assert!(outcome.stderr.contains("icd-10"), "{}", outcome.stderr);
}

#[test]
fn rare_values_are_joined_and_others_merged() {
    let bench = Bench::new();
    let rows: String = (0..50).map(|at| format!("{}\n", ["a", "b", "c"][at % 3])).collect();
    bench.write("data.csv", format!("what\n{rows}d\ne\n"));
    let build = ["hierarchy", "build", "data.csv", "what", "--kind", "categories", "-o"];
    bench.privet(&[&build[..], &["o.csv", "--other", "10"]].concat()).succeeds();
    assert_eq!(bench.text("o.csv"), "a;a;*\nb;b;*\nc;c;*\nd;other;*\ne;other;*\n");
    bench.privet(&[&build[..], &["m.csv", "--other", "10", "--merge", "first=a,b"]].concat()).succeeds();
    assert_eq!(bench.text("m.csv"), "c;c;*\na;first;*\nb;first;*\nd;other;*\ne;other;*\n");
    for wrong in ["first", "first=z", "a=b,c"] {
        let outcome = bench.privet(&[&build[..], &["w.csv", "--merge", wrong]].concat()).exits(2);
        assert!(outcome.stderr.contains("help:") && !bench.path("w.csv").exists(), "{}", outcome.stderr);
    }
    bench.write("joined.csv", "a;x;*-9;y;*\nb;x;*");
    let outcome = bench.privet(&["hierarchy", "check", "joined.csv", "data.csv", "what"]).exits(2);
    for word in ["'*-9' in line 1", "the last line has no end"] {
        assert!(outcome.stderr.contains(word), "{}", outcome.stderr);
    }
}

#[test]
fn groups_are_split_merged_and_renamed() {
    let bench = Bench::new();
    bench.write("o.csv", "a;x;all;*\nb;x;all;*\nc;y;all;*\nd;y;all;*\n");
    let edit = ["hierarchy", "edit", "o.csv", "-o", "n.csv", "--force"];
    let made = |more: &[&str]| {
        bench.privet(&[&edit[..], more].concat()).succeeds();
        bench.text("n.csv")
    };
    assert_eq!(made(&["--split", "all"]), "a;x;*\nb;x;*\nc;y;*\nd;y;*\n");
    assert_eq!(made(&["--rename", "x=first"]), "a;first;all;*\nb;first;all;*\nc;y;all;*\nd;y;all;*\n");
    // A value changes its group, and a new group takes in others.
    let text = made(&["--split", "all", "--merge", "x=c"]);
    assert!(text.contains("c;x;*") && text.contains("d;y;*"), "{text}");
    let text = made(&["--split", "all", "--merge", "new=x,y"]);
    assert_eq!(text, "a;x;new;*\nb;x;new;*\nc;y;new;*\nd;y;new;*\n");
    for wrong in [
        &["--split", "z"][..],
        &["--split", "a"],
        &["--merge", "x"],
        &["--merge", "x=z"],
        &["--rename", "a=b"],
        &[],
    ] {
        let outcome = bench.privet(&[&edit[..], wrong].concat()).exits(2);
        assert!(outcome.stderr.contains("help"), "{wrong:?}: {}", outcome.stderr);
    }
    bench.privet(&["hierarchy", "edit", "o.csv", "-o", "n.csv", "--split", "all"]).exits(2);
}

/// A file of real data, where it is at hand.
fn real(path: &str) -> Option<PathBuf> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folder =
        std::env::var_os("PRIVET_DATA").map_or_else(|| here.join("../../../shared/data"), PathBuf::from);
    let file = folder.join(path);
    if !file.is_file() {
        privet_core::testing::skipped(&format!("no {} (set PRIVET_DATA)", file.display()));
        return None;
    }
    Some(file)
}

/// A column that is published as it is though it singles out more than one record in a hundred, if there is one.
pub fn published_although_unique(draft: &Json) -> Option<String> {
    let as_it_is = |column: &&Json| {
        let role = column["role"].as_str().unwrap_or("none");
        ["sensitive", "other", "class"].contains(&role)
            && column["singles_out"].as_f64().is_none_or(|share| share > 0.01)
    };
    draft["columns"].as_array()?.iter().find(as_it_is).map(|column| column["name"].to_string())
}

/// A column, the role that an experienced steward would give it, and why.
type Role = (&'static str, Option<&'static str>, &'static str);

const KNOWN: Option<&str> = Some("quasi-identifier");
const SECRET: Option<&str> = Some("sensitive");
const NUMBER: Option<&str> = Some("identifier");
const OUT: Option<&str> = None;

const ADULT: &[Role] = &[
    ("age", KNOWN, "neighbours know about how old somebody is"),
    ("workclass", KNOWN, "colleagues know for whom somebody works"),
    ("fnlwgt", OUT, "a survey weight, which is nearly unique"),
    ("education", KNOWN, "it stands in every curriculum vitae"),
    ("education-num", OUT, "the same as education, as a number"),
    ("marital-status", KNOWN, "a public fact"),
    ("occupation", KNOWN, "colleagues know it, and money is what is protected"),
    ("race", KNOWN, "it can be seen"),
    ("sex", KNOWN, "it can be seen"),
    ("native-country", KNOWN, "acquaintances know it"),
    ("capital-gain", SECRET, "money"),
    ("capital-loss", SECRET, "money"),
    ("class", SECRET, "whether somebody earns more than 50,000 dollars"),
];

const FERTILITY: &[Role] = &[
    ("age", KNOWN, "neighbours know about how old somebody is"),
    ("gender1", KNOWN, "everybody on the street knows a family's children"),
    ("gender2", KNOWN, "everybody on the street knows a family's children"),
    ("morekids", KNOWN, "everybody on the street knows a family's children"),
    ("afam", KNOWN, "it can be seen"),
    ("hispanic", KNOWN, "acquaintances know it"),
    ("other", KNOWN, "neither of the two before: their complement"),
    ("work", SECRET, "how many weeks somebody was paid for is what the survey asked"),
];

const MEPS: &[Role] = &[
    ("DUID", NUMBER, "the number of a dwelling: few people share it"),
    ("PID", NUMBER, "the number of a person in the dwelling"),
    ("DUPERSID", NUMBER, "both together"),
    ("DOBMM", KNOWN, "the month of birth"),
    ("DOBYY", KNOWN, "the year of birth"),
    ("SEX", KNOWN, "it can be seen"),
    ("RACEX", KNOWN, "it can be seen"),
    ("RACEBX", OUT, "a recode of RACEX"),
    ("RACEWX", OUT, "a recode of RACEX"),
    ("HISPANX", OUT, "a recode of other columns about origin"),
    ("EDUCYEAR", KNOWN, "years of school can be guessed"),
    ("marry", KNOWN, "a public fact"),
    ("Year", OUT, "the same for everybody: it says nothing"),
    ("income", OUT, "exact incomes single out a fifth of the people; poverty says it in classes"),
    ("poverty", SECRET, "whether somebody is poor, in five classes"),
];

const CPS: &[Role] = &[
    ("RECID", NUMBER, "the number of the record"),
    ("h_seq", NUMBER, "the number of the household"),
    ("age_head", KNOWN, "neighbours know about how old somebody is"),
    ("age_spouse", KNOWN, "neighbours know about how old somebody is"),
    ("fips", KNOWN, "the state that somebody lives in"),
    ("MARS", KNOWN, "the filing status tells who is married"),
    ("XTOT", KNOWN, "how many people the household has"),
    ("agi_bin", SECRET, "income in classes"),
    ("e00200", OUT, "exact wages"),
    ("e00900", OUT, "exact profits"),
    ("e01500", OUT, "exact pensions"),
    ("e02400", OUT, "exact social security benefits"),
    ("s006", OUT, "the survey weight"),
    ("pencon_p", OUT, "nothing but zeros"),
];

const CENSUS_INCOME: &[Role] = &[
    ("age", KNOWN, "neighbours know about how old somebody is"),
    ("sex", KNOWN, "it can be seen"),
    ("education", KNOWN, "it stands in every curriculum vitae"),
    ("marital stat", KNOWN, "a public fact"),
    ("wage per hour", SECRET, "money"),
    ("capital gains", SECRET, "money"),
    ("capital losses", SECRET, "money"),
    ("dividends from stocks", SECRET, "money"),
    ("instance weight", OUT, "a survey weight, which is nearly unique"),
    ("income", Some("class"), "two classes that the data was made to predict"),
];

/// The names of the 42 columns, in the order of the file, which has none.
const CENSUS_INCOME_HEADER: &str = "age,class of worker,detailed industry recode,detailed occupation recode,education,\
    wage per hour,enroll in edu inst last wk,marital stat,major industry code,major occupation code,race,hispanic origin,\
    sex,member of a labor union,reason for unemployment,full or part time employment stat,capital gains,capital losses,\
    dividends from stocks,tax filer stat,region of previous residence,state of previous residence,\
    detailed household and family stat,detailed household summary in household,instance weight,\
    migration code-change in msa,migration code-change in reg,migration code-move within reg,\
    live in this house 1 year ago,migration prev res in sunbelt,num persons worked for employer,\
    family members under 18,country of birth father,country of birth mother,country of birth self,citizenship,\
    own business or self employed,fill inc questionnaire for veteran's admin,veterans benefits,weeks worked in year,\
    year,income";

/// Drafts real data, compares the roles with those of a steward, then runs the draft as it is and audits the release.
#[track_caller]
fn steward(path: &str, header: Option<&str>, roles: &[Role]) {
    let Some(data) = real(path) else { return };
    let bench = Bench::new();
    let mut data = data.to_string_lossy().into_owned();
    if data.ends_with(".test.gz") {
        // Its name does not tell its format.
        data = bench.write("data.csv.gz", std::fs::read(&data).expect("read")).to_string_lossy().into_owned();
    }
    let mut arguments = vec!["init", &data, "-o", "draft", "--json"];
    arguments.extend(header.iter().flat_map(|header| ["--header", *header]));
    let draft = bench.privet(&arguments).succeeds().json();
    assert_eq!(published_although_unique(&draft), None);
    let columns = draft["columns"].as_array().expect("columns");
    for (name, role, why) in roles {
        let column = columns.iter().find(|column| column["name"] == *name).expect(name);
        assert_eq!(column["role"].as_str(), *role, "{name}: {why}; the draft says {}", column["reason"]);
    }
    let make = [
        "anonymize",
        "draft/policy.toml",
        "-o",
        "out",
        "--attacks",
        "none",
        "--time-limit",
        "20s",
        "--seed",
        "7",
    ];
    bench.privet(&make).succeeds();
    bench.privet(&["audit", "out"]).succeeds();
}

#[test]
fn adult_is_published_as_a_steward_would() {
    steward("adult/adult_45222.csv.zst", None, ADULT);
}

#[test]
fn fertility_is_published_as_a_steward_would() {
    steward("larger/AER_Fertility.csv.zst", None, FERTILITY);
}

#[test]
fn meps_is_published_as_a_steward_would() {
    steward("informs-meps/demographics05test.csv.zst", None, MEPS);
}

#[test]
fn census_income_is_published_as_a_steward_would() {
    steward("census-income-kdd/census-income.test.gz", Some(CENSUS_INCOME_HEADER), CENSUS_INCOME);
}

#[test]
fn cps_is_published_as_a_steward_would() {
    steward("larger/taxcalc_cps.csv.zst", None, CPS);
}
