//! What may be published and what may not, and how an audit notices that a release folder was touched.

use std::collections::BTreeSet;

use crate::common::{Bench, command};
use serde_json::Value as Json;

const POLICY: &str = "seed = 1\n[data]\npath = \"data.csv\"\n\
    [columns.group]\nrole = \"quasi-identifier\"\n[columns.age]\nrole = \"quasi-identifier\"\n\
    [columns.disease]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 5\n";

/// Thirty records each of two groups, and four of a third.
fn data() -> String {
    let row = |group: &str, at: usize| format!("{group},{},{}\n", 30 + at % 2, ["flu", "cold"][at % 2]);
    let rows =
        |group: &'static str, count: usize| (0..count).map(move |at| row(group, at)).collect::<String>();
    format!("group,age,disease\n{}{}{}", rows("a", 30), rows("b", 30), rows("c", 4))
}

fn bench(method: &str) -> Bench {
    let bench = Bench::new();
    bench.write("data.csv", data());
    bench.write("policy.toml", format!("{POLICY}{method}"));
    bench
}

#[test]
fn no_loss_gives_a_small_number_of_suppressed_records_away() {
    let bench = bench("[method]\nsuppression_limit = 0.2\n");
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    assert_eq!(bench.json("out/steward/manifest.json")["records"]["suppressed"], 4);
    let public = bench.json("out/public/manifest.json");
    assert!(public["records"]["suppressed"].is_null(), "{public}");
    assert!(public["share_at_most"].is_null() && public["loss_at_most"].is_null(), "{public}");
    let report = bench.text("out/public/report.html");
    assert!(!report.contains("What was lost") && !report.contains("information lost"), "a loss is shown");
    assert!(bench.text("out/steward/report.html").contains("What was lost"));
}

/// A section of a page.
fn section<'a>(page: &'a str, id: &str) -> &'a str {
    let rest = page.split(&format!("<section id=\"{id}\"")).nth(1).unwrap_or_default();
    rest.split("</section>").next().unwrap_or_default()
}

#[test]
fn what_those_who_were_left_out_have_does_not_follow_from_what_the_public_reads() {
    let bench = Bench::new();
    let diseases = ["HIV", "asthma", "cancer", "flu", "gout"];
    let mut rows = String::from("age,sex,disease\n");
    for class in ["20-39,F", "20-39,M", "40-59,F", "40-59,M", "60-79,F"] {
        (0..130).for_each(|at| rows += &format!("{class},{}\n", diseases[at % 5]));
    }
    // All men of the last band have the same, so that they cannot be released with their band and sex.
    rows += &"60-79,M,HIV\n".repeat(30);
    bench.write("data.csv", rows);
    bench.write("age.csv", "20-39;*\n40-59;*\n60-79;*\n");
    bench.write(
        "policy.toml",
        "seed = 3\n[data]\npath = \"data.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\nhierarchy = \"age.csv\"\n\
         [columns.sex]\nrole = \"quasi-identifier\"\n[columns.disease]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 11\n\
         [privacy.l-diversity]\ncolumn = \"disease\"\nkind = \"frequency\"\nl = 3\n[privacy.t-closeness]\ncolumn = \"disease\"\n\
         t = 0.4\n[method]\nsuppression_limit = 0.05\n",
    );
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    assert_eq!(bench.json("out/steward/manifest.json")["records"]["suppressed"], 30);
    let steward = bench.text("out/steward/report.html");
    assert!(section(&steward, "suppressed").contains("<th scope=\"row\">HIV</th><td>30</td>"));
    assert!(section(&steward, "fidelity").contains("<th scope=\"row\">disease</th>"));

    let public = bench.text("out/public/report.html");
    assert!(section(&public, "suppressed").is_empty(), "who was left out is the steward's to know");
    assert!(section(&public, "facts").contains("Suppressed</dt><dd>≤ 5 %</dd>"));
    // Nor by how far the released distribution is from the original one, alone, with another column or in the worst class.
    let fidelity = section(&public, "fidelity");
    assert!(fidelity.contains("How far single columns are off") && fidelity.contains("steps of 5 %"));
    assert!(
        !fidelity.contains("<th scope=\"row\">disease</th>")
            && !fidelity.contains("Release less original")
            && !fidelity.contains("Do not model")
    );
    let nearness = section(&public, "tightness");
    let closeness = nearness.split("t-closeness of disease").nth(1).unwrap_or_default();
    assert!(closeness.split("</tr>").next().unwrap_or_default().contains("not shown"), "{nearness}");
    // What is said about the column can be counted in the release: 26 of each disease in five classes.
    assert!(section(&public, "sensitive").contains("<th scope=\"row\">HIV</th><td>130</td>"));
    let manifest = bench.text("out/public/manifest.json");
    assert!(!manifest.contains("HIV"), "{manifest}");
}

#[test]
fn no_small_count_of_those_left_out_follows_from_the_others() {
    let bench = Bench::new();
    let diseases = ["HIV", "asthma", "cancer", "flu", "gout"];
    let mut rows = String::from("age,region,disease\n");
    for region in ["x", "y", "z"] {
        (0..100).for_each(|at| rows += &format!("young,{region},{}\n", diseases[at % 5]));
    }
    // Of the old thirty are in one region and one in each other: 2 of 32 for two regions would be one each.
    rows += &"old,x,HIV\n".repeat(30);
    rows += "old,y,flu\nold,z,gout\n";
    bench.write("data.csv", rows);
    bench.write(
        "policy.toml",
        "seed = 3\n[data]\npath = \"data.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n[columns.region]\n\
         role = \"quasi-identifier\"\n[columns.disease]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 11\n\
         [privacy.l-diversity]\ncolumn = \"disease\"\nkind = \"frequency\"\nl = 3\n[method]\nsuppression_limit = 0.1\n\
         [report]\npreset = \"cms\"\n",
    );
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    assert_eq!(bench.json("out/public/manifest.json")["share_at_most"]["suppressed"], 0.1);
    let public = bench.text("out/public/report.html");
    assert!(section(&public, "suppressed").is_empty());
    let steward = bench.text("out/steward/report.html");
    let rule = section(&steward, "preset").split("Nor by subtraction").nth(1).unwrap_or_default();
    assert!(rule.split("</tr>").next().unwrap_or_default().contains("✓ yes"), "{rule}");
}

#[test]
fn the_public_report_does_not_name_the_data_file() {
    let bench = bench("[method]\nsuppression_limit = 0.2\n");
    bench.write("clinic-of-dr-smith.csv", data());
    bench.edit("policy.toml", "data.csv", "clinic-of-dr-smith.csv");
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    assert!(!bench.text("out/public/report.html").contains("smith"));
    assert!(bench.text("out/steward/report.html").contains("clinic-of-dr-smith"));
}

#[test]
fn an_audit_notices_whatever_was_touched_in_the_folder() {
    let stray = ("out/public/original.csv", "", "group,age,disease\n");
    let touched = [
        stray,
        ("out/public/report.html", "</html>", "<p>all is well</p></html>"),
        ("out/public/manifest.json", "k = 5", "k = 9"),
        ("out/steward/policy.toml", "k = 5", "k = 2"),
    ];
    for (file, from, to) in touched {
        let bench = bench("[method]\nsuppression_limit = 0.2\n");
        bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
        bench.privet(&["audit", "out"]).succeeds();
        if (file, from, to) == stray {
            bench.write(file, to);
        } else {
            bench.edit(file, from, to);
        }
        let outcome = bench.privet(&["audit", "out"]).exits(4);
        assert!(outcome.stdout.contains("✗ files"), "{file}: {}", outcome.stdout);
    }
}

#[test]
fn a_report_is_not_written_again_over_a_touched_release() {
    let bench = bench("[method]\nsuppression_limit = 0.2\n");
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    bench.privet(&["report", "out"]).succeeds();
    bench.privet(&["audit", "out"]).succeeds();
    let release = bench.text("out/public/release.csv");
    let shorter = release.lines().take(10).collect::<Vec<_>>().join("\n");
    bench.write("out/public/release.csv", shorter);
    bench.privet(&["report", "out"]).exits(4);
}

#[test]
fn empty_cells_can_be_values_without_a_hierarchy() {
    for method in ["full-domain", "mondrian"] {
        let bench = Bench::new();
        let rows: String =
            (0..40).map(|at| format!("{},{},x{}\n", ["a", ""][at % 2], at % 7, at % 3)).collect();
        bench.write("data.csv", format!("group,age,disease\n{rows}"));
        bench.write("policy.toml", format!("{POLICY}[method]\nname = \"{method}\"\n"));
        bench.edit("policy.toml", "[columns.group]", "on_missing = \"value\"\n[columns.group]");
        bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
        assert_eq!(bench.json("out/steward/manifest.json")["records"]["released"], 40);
    }
}

#[test]
fn numbers_beyond_a_doubles_digits_are_not_merged() {
    let bench = Bench::new();
    let rows =
        ["9007199254740993", "9007199254740992", "5", "6"].map(|number| format!("{number},x\n")).concat();
    bench.write("data.csv", format!("age,disease\n{rows}"));
    let policy =
        POLICY.replace("[columns.group]\nrole = \"quasi-identifier\"\n", "").replace("k = 5", "k = 2");
    bench.write("policy.toml", format!("{policy}[method]\nname = \"mondrian\"\n"));
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    assert!(!bench.text("out/public/release.csv").contains('['), "no range holds both");
}

/// The pieces of text of a page, without markup and style.
fn pieces(page: &str) -> Vec<String> {
    let body = page.split("</style>").nth(1).unwrap_or_default();
    let pieces = body.split('<').skip(1).filter_map(|piece| piece.split_once('>'));
    let unescape = |text: &str| text.replace("&#x27;", "'").replace("&quot;", "\"").replace("&amp;", "&");
    pieces.map(|(_, text)| unescape(text.trim())).filter(|text| !text.is_empty()).collect()
}

/// The words of data files: cells, items and terms, apart from numbers and very short ones.
fn words(text: &str) -> BTreeSet<String> {
    let cells = text.split(['\n', ',', ';', '\t', '|', '"']).map(str::trim);
    let telling = |cell: &&str| cell.len() > 3 && cell.parse::<f64>().is_err();
    cells.filter(telling).map(str::to_string).collect()
}

/// The counts that a page prints: table cells, lists of counts and key figures that hold nothing but a number.
fn counts(page: &str) -> Vec<u64> {
    let cells = page.split("<td").skip(1).filter_map(|rest| rest.split("</td>").next());
    let lists = page.split("<dl class=\"counts\">").skip(1).filter_map(|rest| rest.split("</dl>").next());
    let lists =
        lists.flat_map(|list| list.split("<dd").skip(1)).filter_map(|rest| rest.split("</dd>").next());
    let figures = page.split("<li><b").skip(1).filter_map(|rest| rest.split("</b>").next());
    let text = |cell: &str| {
        let pieces = cell.split('<').filter_map(|piece| piece.split_once('>').map(|(_, text)| text));
        pieces.collect::<String>().trim().replace(',', "")
    };
    let all = cells.chain(lists).chain(figures).map(|cell| text(&format!("<{cell}")));
    all.filter_map(|text| text.parse().ok()).collect()
}

/// Every number of a JSON value with the path that leads to it.
fn numbers(value: &Json, path: &str, found: &mut Vec<(String, f64)>) {
    match value {
        Json::Number(number) => found.push((path.to_string(), number.as_f64().unwrap_or(0.0))),
        Json::Array(all) => all.iter().for_each(|value| numbers(value, path, found)),
        Json::Object(all) => {
            all.iter().for_each(|(key, value)| numbers(value, &format!("{path}.{key}"), found));
        }
        _ => {}
    }
}

/// What the public room of every example may not hold: a count from 1 to 10, the seed, or a value that the release hides.
#[test]
fn no_example_lets_out_what_it_hides() {
    let list = command().arg("example").output().expect("a list");
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let names: Vec<&str> = list
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(names.len() >= 12, "{list}");
    for name in names {
        let bench = Bench::with_example(name);
        let policy = format!("{name}/policy.toml");
        bench
            .privet(&["anonymize", &policy, "-o", "out", "--seed", "3141592653", "--attacks", "none"])
            .succeeds();
        let page = bench.text("out/public/report.html");
        let manifest = bench.text("out/public/manifest.json");
        for (what, text) in [("report", &page), ("manifest", &manifest)] {
            assert!(
                !text.contains("3141592653") && !text.contains("key id"),
                "{name}: {what} tells the seed"
            );
            assert!(!text.contains(&format!("{name}/")), "{name}: {what} tells where the data lies");
        }
        let small: Vec<u64> = counts(&page).into_iter().filter(|count| (1..=10).contains(count)).collect();
        assert!(small.is_empty(), "{name}: the report prints {small:?}");
        let mut found = Vec::new();
        numbers(&bench.json("out/public/manifest.json")["records"], "", &mut found);
        let small: Vec<_> = found.iter().filter(|(_, number)| (1.0..=10.0).contains(number)).collect();
        assert!(small.is_empty(), "{name}: the manifest has {small:?}");

        let policy = bench.text(&policy);
        let data =
            policy.split("path = \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a data file");
        let data = bench.text(&format!("{name}/{data}"));
        // The first line names the columns, and the report says what became of each.
        let (columns, records) = data.split_once('\n').expect("lines");
        let original: BTreeSet<String> = words(records).difference(&words(columns)).cloned().collect();
        let files = bench.names("out/public").into_iter().filter(|file| !file.starts_with("report"));
        let released: BTreeSet<String> =
            files.flat_map(|file| words(&bench.text(&format!("out/public/{file}")))).collect();
        let shown: BTreeSet<String> = pieces(&page).into_iter().collect();
        let hidden: Vec<&String> =
            shown.iter().filter(|piece| original.contains(*piece) && !released.contains(*piece)).collect();
        assert!(hidden.is_empty(), "{name}: the report shows {hidden:?}");
    }
}
