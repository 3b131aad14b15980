//! Drafts of small tables, odd ones, and the census.

use std::fs;
use std::path::Path;

use super::*;
use privet_data::ReadOptions;
use privet_examples::Example;
use privet_policy::Policy;

fn draft_of(csv: &str) -> Result<Draft> {
    let folder = tempfile::tempdir().expect("a folder");
    draft_in(folder.path(), csv)
}

fn draft_in(folder: &Path, csv: &str) -> Result<Draft> {
    let path = folder.join("people.csv");
    fs::write(&path, csv).expect("written");
    draft(&Source::open(&path, &ReadOptions::default())?, &DraftOptions::default())
}

fn role_of(draft: &Draft, column: &str) -> Option<&'static str> {
    draft.columns.iter().find(|found| found.name == column).expect(column).role.map(Role::name)
}

fn tree_of<'a>(draft: &'a Draft, path: &str) -> &'a Taxonomy {
    &draft.hierarchies.iter().find(|(found, _)| found == path).expect(path).1
}

/// The draft is valid TOML and speaks only of columns and files that are there.
fn assert_consistent(draft: &Draft) {
    let policy = Policy::parse("policy.toml".as_ref(), draft.policy_text.clone());
    let policy = policy.unwrap_or_else(|error| panic!("{error}\n{}", draft.policy_text)).to_json();
    let columns = policy["columns"].as_object().expect("columns");
    let names: Vec<&String> = columns.keys().collect();
    let expected: Vec<&String> =
        draft.columns.iter().filter(|column| column.role.is_some()).map(|column| &column.name).collect();
    assert_eq!(names, expected);
    // Every column has a section, and every hierarchy one that names it.
    let whole = uncommented(&draft.policy_text);
    let policy = Policy::parse("policy.toml".as_ref(), whole.clone());
    let policy = policy.unwrap_or_else(|error| panic!("{error}\n{whole}")).to_json();
    let columns = policy["columns"].as_object().expect("columns");
    let names: Vec<&String> = columns.keys().collect();
    assert_eq!(names, draft.columns.iter().map(|column| &column.name).collect::<Vec<_>>());
    let paths: Vec<&str> = columns.values().filter_map(|column| column["hierarchy"].as_str()).collect();
    let second = |path: &&str| {
        draft.policy_text.contains(&format!("# hierarchy = \"{path}\"    # for the second reading"))
    };
    let written: Vec<&str> =
        draft.hierarchies.iter().map(|(path, _)| path.as_str()).filter(|path| !second(path)).collect();
    assert_eq!(paths, written);
}

/// The policy with every column published: the sections that were comments count.
fn uncommented(policy: &str) -> String {
    let mut within = false;
    let line = |line: &str| {
        within = line.starts_with("# [columns.") || (within && line.starts_with("# "));
        if within { line.strip_prefix("# ").unwrap_or(line).to_string() + "\n" } else { format!("{line}\n") }
    };
    policy.lines().map(line).collect()
}

#[test]
fn a_tiny_table_gets_a_whole_policy() {
    let draft = draft_of("name,age,sex,disease\nAda,31,f,Flu\nBob,45,m,?\nCyn,31,f,Cancer\nDan,52,m,Flu\n")
        .expect("a draft");
    assert_consistent(&draft);
    let expected = r#"# A first policy for people.csv: 4 records, 4 columns.
# The roles are guesses from names and figures; only you know what others may know about these people. Read
# it, correct it, then run:
#     privet anonymize policy.toml -o release

[data]
path = "people.csv"
# These look like missing values: "?" (1 ×).
missing = ["?"]
# 25.0 % of the records miss a quasi-identifier or a sensitive value: "drop" leaves them out, "value" keeps
# them with "missing" as a value of its own.
on_missing = "value"

# text: 4 distinct values; it names a person directly.
[columns.name]
role = "identifier"

# whole numbers: 3 distinct values; 'age': others may know it; alone it singles out 50.0 % of the records; all
# quasi-identifiers together single out 50.0 %, without this one 0 %.
[columns.age]
role = "quasi-identifier"
hierarchy = "hierarchies/age.csv"

# text: 2 distinct values; 'sex': others may know it; alone it singles out 0 % of the records; all
# quasi-identifiers together single out 50.0 %, without this one 50.0 %.
[columns.sex]
role = "quasi-identifier"
hierarchy = "hierarchies/sex.csv"

# text: 2 distinct values; 'disease': nobody should learn it.
[columns.disease]
role = "sensitive"

# At least 2 people look alike, no matter who is looked for: at most half of the records, for there are so
# few.
[privacy.k-anonymity]
k = 2

# Among those who look alike, at least 2 values occur.
[privacy.l-diversity]
column = "disease"
kind = "distinct"
l = 2

[method]
name = "full-domain"        # the best combination of one level per column
cost = "LM"                 # best: the least share of each column's detail is lost
suppression_limit = 0.05    # up to 5 % of the records may be left out
"#;
    assert_eq!(draft.policy_text, expected, "{}", draft.policy_text);
}

#[test]
fn odd_column_names_are_quoted_and_files_named_safely() {
    let header = "\"marital status\",a.b,\"say \"\"x\"\"\",größe,../etc/zip,Con,\"two\nlines\",\"#\",Age,age";
    let rows: String = (0..12)
        .map(|i| {
            format!(
                "s{},{},p{},{},{},{},{},{},{},{}\n",
                i % 2,
                i % 3,
                i % 4,
                i,
                10 + i,
                i % 5,
                i % 2,
                i,
                i,
                i * 3
            )
        })
        .collect();
    let draft = draft_of(&format!("{header}\n{rows}")).expect("a draft");
    assert_consistent(&draft);
    assert!(draft.policy_text.contains("[columns.\"marital status\"]"), "{}", draft.policy_text);
    for (path, _) in &draft.hierarchies {
        let name = path.strip_prefix("hierarchies/").expect("below hierarchies");
        assert!(!name.contains(['/', '\\', '"', '\n']) && !name.starts_with('.'), "{name}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    draft.write(folder.path()).expect("written");
}

#[test]
fn tables_without_records_are_refused() {
    let error = draft_of("age,sex\n").expect_err("no records");
    assert_eq!(error.message(), "the table has no records");
    let error = draft_of("age,sex\n31,f\n").expect_err("one record");
    assert_eq!(error.message(), "the table has only one record");
}

#[test]
fn numbers_dates_and_codes_get_levels() {
    let rows: String = (0..60)
        .map(|i| format!("{},19{:02}-0{}-11,{:05},{}.5\n", 20 + i, 40 + i % 50, 1 + i % 9, 1067 + i * 7, i))
        .collect();
    let draft = draft_of(&format!("age,birthdate,zip,height\n{rows}")).expect("a draft");
    assert_consistent(&draft);
    let labels = |path: &str, value: &str| {
        let tree = tree_of(&draft, path);
        let leaf = tree.leaf_of(value).expect("a lookup").expect("a leaf");
        let nodes = std::iter::successors(Some(leaf), |node| tree.parent(*node));
        nodes.map(|node| tree.label(node).to_string()).collect::<Vec<_>>()
    };
    assert_eq!(labels("hierarchies/age.csv", "33")[..3], ["33", "[30,35)", "[30,40)"]);
    assert_eq!(
        labels("hierarchies/birthdate.csv", "1943-04-11"),
        ["1943-04-11", "1943-04", "1943-Q2", "1943", "1940s", "*"]
    );
    assert_eq!(labels("hierarchies/zip.csv", "01067"), ["01067", "0106*", "010**", "01***", "0****", "*"]);
    assert_eq!(labels("hierarchies/height.csv", "3.5")[..2], ["3.5", "[0,5)"]);
    assert_eq!(labels("hierarchies/age.csv", "79"), ["79", "[75,80)", "[70,80)", "[60,80)", "*"]);
}

#[test]
fn many_different_numbers_start_from_ranges() {
    let rows: String = (0..3000).map(|i| format!("{}.25,a\n", i * 3)).collect();
    let draft = draft_of(&format!("height,sex\n{rows}")).expect("a draft");
    let tree = tree_of(&draft, "hierarchies/height.csv");
    assert!(tree.leaves() <= 21, "{}", tree.leaves());
    assert!((0..3000).all(|i| tree.leaf_of(&format!("{}.25", i * 3)).is_ok_and(|leaf| leaf.is_some())));
}

#[test]
fn without_a_sensitive_column_only_k_anonymity_is_asked_for() {
    let rows: String = (0..40).map(|i| format!("{},{}\n", i % 7, ["f", "m"][i % 2])).collect();
    let draft = draft_of(&format!("age,sex\n{rows}")).expect("a draft");
    assert_consistent(&draft);
    assert!(draft.policy_text.contains("# [privacy.l-diversity]"), "{}", draft.policy_text);
    assert_eq!(draft.k, 5);
}

#[test]
fn health_data_starts_from_a_larger_k() {
    let rows: String = (0..40).map(|i| format!("{},d{}\n", i % 7, i % 3)).collect();
    let draft = draft_of(&format!("age,diagnosis\n{rows}")).expect("a draft");
    assert_eq!(draft.k, 11);
    assert!(draft.policy_text.contains("k = 11"), "{}", draft.policy_text);
}

#[test]
fn unknown_columns_that_single_people_out_are_quasi_identifiers() {
    let rows: String = (0..400).map(|i| format!("{},{},{},c\n", i % 50, (i * 7919) % 131, i % 2)).collect();
    let draft = draft_of(&format!("age,steps,flag,constant\n{rows}")).expect("a draft");
    assert_eq!(role_of(&draft, "steps"), Some("quasi-identifier"));
    assert_eq!(role_of(&draft, "constant"), None, "what nobody understands is not published unasked");
}

#[test]
fn a_value_that_looks_like_the_root_does_no_harm() {
    let draft = draft_of("sex,city\n*,a\nf,b\nm,*\nf,a\n").expect("a draft");
    assert_consistent(&draft);
    let tree = tree_of(&draft, "hierarchies/sex.csv");
    assert_eq!(tree.label(tree.root()), "(any)");
}

/// The rare values of a column of words are joined at the first level; nothing else is.
#[test]
fn rare_words_become_other() {
    let rows: String = (0..200)
        .map(|i| format!("{},{}\n", 20 + i % 40, ["Oslo", "Rome", "Bonn", "Lima", "Oslo"][i % 5]))
        .chain(["Ulm", "Bern", "Nice"].map(|city| format!("30,{city}\n")))
        .collect();
    let draft = draft_of(&format!("age,city\n{rows}")).expect("a draft");
    let tree = tree_of(&draft, "hierarchies/city.csv");
    let other = tree.find("other").expect("a group");
    assert_eq!((tree.levels(), tree.leaves_below(other).len()), (3, 3));
}

#[test]
fn what_says_the_same_is_published_once_and_what_follows_is_named() {
    let levels = ["none", "primary", "secondary", "bachelor", "master"];
    let rows: String = (0..400)
        .map(|i| {
            let level = (i * 7919) % 5;
            format!("{},{},{},{}\n", 20 + i % 50, level + 3, levels[level], ["low", "high"][level / 3])
        })
        .collect();
    let draft = draft_of(&format!("age,edu_num,education,edu_group\n{rows}")).expect("a draft");
    assert_consistent(&draft);
    assert_eq!(role_of(&draft, "education"), Some("quasi-identifier"));
    for (column, why) in
        [("edu_num", "says the same as 'education'"), ("edu_group", "follows from 'education'")]
    {
        let found = draft.columns.iter().find(|found| found.name == column).expect(column);
        assert!(found.role.is_none() && found.reason.contains(why), "{column}: {}", found.reason);
    }
}

#[test]
fn numbers_for_categories_are_told_from_amounts() {
    let rows: String = (0..300).map(|i| format!("{},{},{}\n", 20 + i % 50, 1 + i % 6, i % 7)).collect();
    let draft = draft_of(&format!("age,q17,children\n{rows}")).expect("a draft");
    let categories = |name: &str| draft.columns.iter().any(|column| column.name == name && column.categories);
    assert!(categories("q17") && !categories("children") && !categories("age"));
    assert!(draft.policy_text.contains("numbers for categories"), "{}", draft.policy_text);
}

#[test]
fn sensitive_amounts_are_kept_close_in_order() {
    let rows: String = (0..300).map(|i| format!("{},{}\n", 20 + i % 50, 1000 * (1 + i * 7 % 20))).collect();
    let draft = draft_of(&format!("age,income\n{rows}")).expect("a draft");
    assert_eq!(role_of(&draft, "income"), Some("sensitive"));
    assert!(draft.policy_text.contains("distance = \"ordered\"\n"), "{}", draft.policy_text);
    assert!(!draft.policy_text.contains("[privacy.l-diversity]"), "{}", draft.policy_text);
}

#[test]
fn quasi_identifiers_are_chosen_by_what_they_single_out_not_by_position() {
    let header: Vec<String> = (0..20).map(|at| format!("v{at}")).collect();
    let row = |i: usize| {
        let cells = (0..20).map(|at| match at {
            // The last columns say most.
            15.. => format!("c{}", (i * 7919 + i / (at + 1)) % (20 + at)),
            _ => format!("c{}", usize::from(i % 40 == at)),
        });
        cells.collect::<Vec<_>>().join(",") + "\n"
    };
    let rows: String = (0..600).map(row).collect();
    let draft = draft_of(&format!("{}\n{rows}", header.join(","))).expect("a draft");
    for column in &header[15..] {
        assert_eq!(role_of(&draft, column), Some("quasi-identifier"), "{column}");
    }
    let mut ranked: Vec<&DraftColumn> = draft.columns.iter().filter(|column| column.rank > 0).collect();
    ranked.sort_by_key(|column| column.rank);
    assert_eq!(ranked.len(), 12);
    assert!(header[15..].contains(&ranked[0].name), "{}", ranked[0].name);
}

#[test]
fn users_decide() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("people.csv");
    let rows: String =
        (0..100).map(|i| format!("{},{},{}\n", 20 + i % 30, ["f", "m"][i % 2], i % 3)).collect();
    fs::write(&path, format!("age,sex,visits\n{rows}")).expect("written");
    let source = Source::open(&path, &ReadOptions::default()).expect("opened");
    let mut study = Study::of(&source).expect("a study");
    study.decide(1, None);
    study.decide(2, Some(Role::Sensitive));
    let draft = study.draft(&DraftOptions::default()).expect("a draft");
    assert_consistent(&draft);
    assert_eq!((role_of(&draft, "sex"), role_of(&draft, "visits")), (None, Some("sensitive")));
}

#[test]
fn the_census_gets_the_roles_of_its_own_policy() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("census");
    Example::find("census").expect("an example").write(&target).expect("written");
    let policy = Policy::read(&target.join("policy.toml")).expect("a policy").to_json();
    let source = Source::open(&target.join("census.csv"), &ReadOptions::default()).expect("opened");
    let draft = draft(&source, &DraftOptions::default()).expect("a draft");
    assert_consistent(&draft);
    for column in &draft.columns {
        // A draft does not publish what singles people out, as the weight does.
        let expected = policy["columns"][&column.name]["role"].as_str().filter(|role| *role != "other");
        assert_eq!(column.role.map(Role::name), expected, "{}: {}", column.name, column.reason);
    }
    let kinds: Vec<ValueKind> = draft.columns.iter().map(|column| column.kind).collect();
    use ValueKind::{Code, Text, Whole};
    assert_eq!(kinds, [Code, Text, Whole, Text, Text, Text, Whole, Whole, Text, Text, Text, Whole]);
    assert_eq!((draft.rows, draft.k), (20_000, 5));
}

#[test]
fn nothing_is_overwritten_and_nothing_is_left_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let draft = draft_in(folder.path(), "age,sex\n1,f\n2,m\n3,f\n").expect("a draft");
    let written = draft.write(folder.path()).expect("written");
    assert_eq!(written.len(), 3);
    let error = draft.write(folder.path()).expect_err("it is there");
    assert_eq!(error.message(), "there is such a file already");
    let missing = folder.path().join("nowhere").join("deeper");
    assert!(draft.write(&missing).is_err() && !folder.path().join("nowhere").exists());
    let fresh = folder.path().join("fresh");
    assert_eq!(draft.write(&fresh).expect("made").len(), 3);
    let data = folder.path().join("people.csv");
    assert_eq!(data_path(folder.path(), &data), "people.csv");
    assert_eq!(data_path(&fresh, &data), "../people.csv");
    assert!(data_path(&missing, &data).ends_with("people.csv"));
}

/// 40 people with five records each, under different names of the column that numbers them.
#[test]
fn hard_use_1_3_a_draft_counts_people_where_they_repeat() {
    let table = |name: &str, sex_by_person: bool| {
        let mut csv = format!("{name},age,sex,disease\n");
        for record in 0..200 {
            let person = record % 40;
            let sex = if (if sex_by_person { person } else { record }) % 3 == 0 { "f" } else { "m" };
            let disease = ["Flu", "Cold", "Asthma"][record % 3];
            csv.push_str(&format!("P{person},{},{sex},{disease}\n", 20 + person));
        }
        draft_of(&csv).expect("a draft")
    };
    for name in ["pid", "patient_id", "PatientNo", "customer number", "user", "id"] {
        let draft = table(name, true);
        assert_consistent(&draft);
        assert_eq!(role_of(&draft, name), Some("identifier"), "{name}");
        assert!(draft.policy_text.contains(&format!("person = \"{name}\"\n")), "{}", draft.policy_text);
    }
    // A household is not a person, and neither is what says nothing about the people it numbers.
    for (name, sex_by_person) in [("household_id", true), ("id", false), ("machine", true)] {
        let draft = table(name, sex_by_person);
        assert!(!draft.policy_text.contains("\nperson = "), "{name}: {}", draft.policy_text);
    }
}

/// A time of day is coarsened to its day first, and one record in twenty is more than one in a hundred.
#[test]
fn times_have_days_and_small_tables_keep_rare_secrets() {
    let rows: String = (0..20)
        .map(|at| {
            let ill = if at == 7 { "lupus" } else { ["flu", "cold"][at % 2] };
            format!("{},2023-01-{:02}T1{}:30:00+02:00,{ill}\n", 30 + at % 3, 1 + at / 4, at % 4)
        })
        .collect();
    let draft = draft_of(&format!("age,seen,illness\n{rows}")).expect("a draft");
    assert_consistent(&draft);
    let text = tree_of(&draft, "hierarchies/seen.csv").to_text().expect("text");
    let first = "2023-01-01T10:30:00+02:00;2023-01-01;2023-01;2023-Q1;2023;2020s;*\n";
    assert!(text.starts_with(first), "{text}");
    assert_eq!(role_of(&draft, "illness"), None);
}

/// Columns most of which are understood say what is not; a month keeps its year longer than itself.
#[test]
fn what_was_not_understood_is_said() {
    let rows: String = (0..200)
        .map(|at| {
            let born = match at % 20 {
                0 => "unk.".to_string(),
                _ => format!("{:02}/{:02}/{}", 1 + at % 28, 1 + at % 12, 1940 + at % 60),
            };
            let pay = if at % 10 == 0 { "by the hour".to_string() } else { format!("{}", 1000 + at * 7) };
            format!("{born},{pay},{:02}/{},{}\n", 1 + at % 12, 1990 + at % 9, ["f", "m"][at % 2])
        })
        .collect();
    let draft = draft_of(&format!("dob,pay,hired,sex\n{rows}")).expect("a draft");
    assert_consistent(&draft);
    let words = draft.policy_text.replace("\n# ", " ");
    for said in [
        "95.0 % of the cells are dates of the form %d/%m/%Y, and \"unk.\" (10 ×) is not",
        "90.0 % of the cells are numbers, and \"by the hour\" (20 ×) is not",
    ] {
        assert!(words.contains(said), "{}", draft.policy_text);
    }
    let months = tree_of(&draft, "hierarchies/hired.csv").to_text().expect("text");
    assert!(months.starts_with("01/1990;1990;1990s;*\n"), "{months}");
}

/// 60 people in 20 households, with survey weights.
#[test]
fn what_fits_weights_and_households_is_offered() {
    let mut csv = "household_id,age,sex,disease,fnlwgt\n".to_string();
    for person in 0..60 {
        let disease = ["Flu", "Cold", "Asthma"][person % 3];
        csv.push_str(&format!(
            "H{},{},{},{disease},{}.{person}\n",
            person / 3,
            20 + person % 30,
            "fm".as_bytes()[person % 2] as char,
            100 + 7 * person
        ));
    }
    let draft = draft_of(&csv).expect("a draft");
    assert_consistent(&draft);
    let text = &draft.policy_text;
    for part in [
        "# [columns.fnlwgt]\n# role = \"weight\"\n# publish = false\n",
        "# [privacy.individual-risk]\n# max = 0.01\n",
        "# by = \"weights\"\n",
        "# [privacy.household-risk]\n",
        &format!("# [privacy.k-anonymity]\n# k = {}\n# unit = \"household\"\n", draft.k),
        "lets the report count households",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    // What says something about a household does not number it, and without either nothing is offered.
    let plain = draft_of(&csv.replace("household_id", "household_size").replace("fnlwgt", "visits"))
        .expect("a draft");
    assert!(
        !plain.policy_text.contains("individual-risk") && !plain.policy_text.contains("unit ="),
        "{}",
        plain.policy_text
    );
    for (name, part) in
        [("ema", "# [privacy.average-risk]\n# max = \"1/11\"\n"), ("cms", "# [privacy.k-map]\n# k = 11\n")]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("people.csv");
        fs::write(&path, &csv).expect("written");
        let options =
            DraftOptions { preset: Some(Preset::find(name).expect("a preset")), ..DraftOptions::default() };
        let found = super::draft(&Source::open(&path, &ReadOptions::default()).expect("opened"), &options)
            .expect("a draft");
        assert!(found.policy_text.contains(part), "{part} is not in:\n{}", found.policy_text);
    }
}
