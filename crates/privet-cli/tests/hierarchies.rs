//! `privet hierarchy`: every kind is built, shown and checked.

use crate::common::Bench;

#[test]
fn hierarchies_of_every_kind_are_built_shown_and_checked() {
    let bench = Bench::new();
    let mut text = String::from("age,born,zip,job\n");
    for number in 0..60 {
        let (month, day) = (number % 12 + 1, number % 28 + 1);
        let job = ["nurse", "smith", "baker"][number % 3];
        text += &format!("{},{}-{month:02}-{day:02},5{:04},{job}\n", 18 + number, 1950 + number, number * 7);
    }
    bench.write("data.csv", text);
    bench.write("groups.csv", "nurse;health\nsmith;craft\nbaker;craft\n");
    let kinds: [(&str, &[&str]); 10] = [
        ("age", &["--kind", "equal-width", "--width", "5"]),
        ("age", &["--kind", "equal-width", "--bins", "8"]),
        ("age", &["--kind", "equal-frequency", "--bins", "6", "--fanout", "3"]),
        ("age", &["--kind", "breaks", "--breaks", "25,35,45,65;45"]),
        ("age", &["--kind", "doubling", "--width", "5"]),
        ("born", &["--kind", "dates"]),
        ("zip", &["--kind", "prefixes", "--steps", "1,2"]),
        ("job", &["--kind", "categories"]),
        ("job", &["--kind", "categories", "--groups", "groups.csv"]),
        ("job", &["--kind", "order", "--order", "smith,baker,nurse"]),
    ];
    for (number, (column, options)) in kinds.into_iter().enumerate() {
        let file = format!("h{number}.csv");
        let build = ["hierarchy", "build", "data.csv", column, "-o", &file];
        bench.privet(&[&build[..], options].concat()).succeeds();
        let check = bench.privet(&["hierarchy", "check", &file, "data.csv", column]).succeeds();
        assert!(check.stdout.contains("every value has a leaf"), "{options:?}: {}", check.stdout);
        let show = bench.privet(&["hierarchy", "show", &file, "data.csv", column]).succeeds();
        assert!(show.stdout.contains("60"), "{options:?}: the root counts all records: {}", show.stdout);
        let again = bench.privet(&[&build[..], options].concat()).exits(2);
        assert!(again.stderr.contains(&file), "an existing file is left alone: {}", again.stderr);
        let policy = format!(
            "[data]\npath = \"data.csv\"\n[columns.{column}]\nrole = \"quasi-identifier\"\nhierarchy = \"{file}\"\n\
             [privacy.k-anonymity]\nk = 5\n"
        );
        bench.write("policy.toml", policy);
        bench.privet(&["anonymize", "policy.toml", "-o", &format!("out{number}")]).succeeds();
    }
    let unfit = bench.privet(&["hierarchy", "check", "h8.csv", "data.csv", "age"]).exits(2);
    assert!(
        unfit.stderr.contains("no leaf") && unfit.stdout.contains("'18'"),
        "{}{}",
        unfit.stdout,
        unfit.stderr
    );
    for (arguments, words) in [
        (
            &["hierarchy", "build", "data.csv", "agee", "--kind", "dates", "-o", "x.csv"][..],
            "did you mean 'age'",
        ),
        (&["hierarchy", "build", "data.csv", "job", "--kind", "dates", "-o", "x.csv"], "data.csv:4: 'baker'"),
        (
            &["hierarchy", "build", "data.csv", "job", "--kind", "doubling", "--width", "5", "-o", "x.csv"],
            "data.csv:4: 'baker'",
        ),
        (&["hierarchy", "build", "data.csv", "age", "--kind", "doubling", "-o", "x.csv"], "--width"),
        (&["hierarchy", "build", "data.csv", "job", "--kind", "order", "-o", "x.csv"], "--order"),
        (
            &[
                "hierarchy",
                "build",
                "data.csv",
                "job",
                "--kind",
                "order",
                "--order",
                "nurse,smith",
                "-o",
                "x.csv",
            ],
            "leaves out 'baker'",
        ),
        (
            &["hierarchy", "build", "data.csv", "age", "--kind", "doubling", "--width", "0", "-o", "x.csv"],
            "0",
        ),
        (
            &["hierarchy", "build", "data.csv", "age", "--kind", "equal-width", "--bins", "0", "-o", "x.csv"],
            "",
        ),
        (
            &[
                "hierarchy",
                "build",
                "data.csv",
                "age",
                "--kind",
                "breaks",
                "--breaks",
                "40,20",
                "-o",
                "x.csv",
            ],
            "",
        ),
        (&["hierarchy", "build", "data.csv", "zip", "--kind", "prefixes", "--steps", "0", "-o", "x.csv"], ""),
        (&["hierarchy", "show", "nowhere.csv"], "nowhere.csv"),
    ] {
        let outcome = bench.privet(arguments).exits(2);
        assert!(outcome.stderr.contains(words), "{arguments:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains("help:"), "{arguments:?}: {}", outcome.stderr);
        assert!(!bench.path("x.csv").exists(), "{arguments:?}");
    }
}

/// A tree in the policy is the tree in the file, for the run, the audit and anyone who applies the plan.
#[test]
fn a_tree_may_be_in_the_policy() {
    for (example, data, trees) in [
        ("patients", "patients.csv", &["hierarchies/Education.csv", "hierarchies/Country.csv"][..]),
        ("five-baskets", "five-baskets.csv", &["items.csv"]),
        ("five-vocabularies", "five-vocabularies.csv", &["words.csv"]),
    ] {
        let bench = Bench::new();
        bench.privet(&["example", example, "there"]).succeeds();
        let read =
            |name: &str| std::fs::read_to_string(bench.path(&format!("there/{name}"))).expect("a file");
        let mut policy = read("policy.toml").replace(data, &format!("there/{data}"));
        for tree in trees {
            let text = read(tree);
            let delimiter = if text.contains(';') { ';' } else { ',' };
            let path = |line: &str| {
                let labels: Vec<String> = line.split(delimiter).map(|label| format!("{label:?}")).collect();
                format!("[{}]", labels.join(", "))
            };
            let paths: Vec<String> = text.lines().map(path).collect();
            let named = format!("\"{tree}\"");
            assert!(policy.contains(&named), "{policy}");
            policy = policy.replace(&named, &format!("[\n  {}\n]", paths.join(",\n  ")));
        }
        let policy = policy.replace("\"sensitive.txt\"", "\"there/sensitive.txt\"");
        bench.write("policy.toml", policy);
        bench.privet(&["anonymize", "there/policy.toml", "-o", "file", "--seed", "3"]).succeeds();
        bench.privet(&["anonymize", "policy.toml", "-o", "inline", "--seed", "3"]).succeeds();
        bench.privet(&["audit", "inline"]).succeeds();
        for entry in std::fs::read_dir(bench.path("file/public")).expect("a directory") {
            let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
            if name != "manifest.json" && name != "report.html" {
                let held =
                    |room: &str| std::fs::read(bench.path(&format!("{room}/public/{name}"))).expect("a file");
                assert_eq!(held("file"), held("inline"), "{example}: {name}");
            }
        }
    }
}

#[test]
fn a_tree_in_the_policy_that_is_none_is_refused_with_its_line() {
    for (tree, placed, told) in [
        ("[[\"Flu\"], 3]", true, "must be the name of a file or a list of paths"),
        ("[[\"34\", \"*\"], [\"61\", \"x\"]]", true, "root"),
        ("[[\"34\", \"*\"]]", false, "the value '61' of column 'age'"),
        ("[]", true, "hierarchy"),
    ] {
        let bench = Bench::new();
        bench.write("data.csv", "age\n34\n34\n61\n61\n");
        bench.write(
            "policy.toml",
            format!(
                "[data]\npath = \"data.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\nhierarchy = {tree}\n\
                 [privacy.k-anonymity]\nk = 2\n"
            ),
        );
        let wrong = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
        let place = if placed { "policy.toml:5:" } else { "policy.toml:" };
        assert!(wrong.stderr.contains(place) && wrong.stderr.contains(told), "{tree}: {}", wrong.stderr);
        assert!(!bench.path("out").exists());
    }
}
