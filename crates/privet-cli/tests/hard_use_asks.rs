//! What policies ask for: no promise that nobody checks, and no value in public that the release hides.

use serde_json::Value as Json;

use crate::common::Bench;

const DATA: &str = "age,symptoms,disease,job,w,h\n\
    30,cough,flu,clerk,10,0\n30,rash,cold,smith,10,0\n30,cough|rash,flu,clerk,10,1\n30,cough,gout,cook,10,1\n\
    40,rash,gout,smith,10,2\n40,cough,flu,clerk,10,2\n40,cough,cold,cook,10,3\n40,rash,cold,smith,10,3\n\
    50,cough,flu,clerk,10,4\n50,rash,gout,cook,10,4\n50,cough,cold,smith,10,5\n50,rash,flu,clerk,10,5\n";

/// A folder with data that every method for tables can take.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("data.csv", DATA);
    bench.write("knowledge.csv", "label,terms\nA,cough|rash\nB,cough|rash\nC,cough|rash\n");
    bench.write("age.csv", "30;*\n40;*\n50;*\n");
    bench.write("disease.csv", "flu;*\ncold;*\ngout;*\n");
    bench
}

/// The columns as a method wants them.
fn columns(method: &str) -> String {
    let age = "[columns.age]\nrole = \"quasi-identifier\"\nhierarchy = \"age.csv\"\n";
    let disease = "[columns.disease]\nrole = \"sensitive\"\n";
    let job = "[columns.job]\nrole = \"sensitive\"\n";
    let symptoms =
        "[columns.symptoms]\nrole = \"quasi-sensitive\"\nseparator = \"|\"\nknowledge = \"knowledge.csv\"\n";
    match method {
        "ff" | "ff-optimal" => format!(
            "{}[columns.disease]\nrole = \"mixed\"\nhierarchy = \"disease.csv\"\n{symptoms}",
            age.replace("quasi-identifier", "mixed")
        ),
        "codip" | "codip-star" => format!("{age}{disease}{job}{symptoms}"),
        _ => format!("{age}{disease}{symptoms}"),
    }
}

/// A requirement that any data meets.
fn asks(requirement: &str) -> &'static str {
    match requirement {
        "k-anonymity" => "[privacy.k-anonymity]\nk = 2\n",
        "l-diversity" => "[privacy.l-diversity]\ncolumn = \"disease\"\nl = 2\n",
        "l-plus-diversity" => "[privacy.l-plus-diversity]\ncolumn = \"disease\"\ndefault = 1\n",
        "lkc-privacy" => "[privacy.lkc-privacy]\ncolumn = \"disease\"\nL = 1\nK = 2\nC = 1\n",
        "matching-l-diversity" => "[privacy.matching-l-diversity]\ncolumn = \"disease\"\nl = 2\n",
        "qs-diversity" => "[privacy.qs-diversity]\ncolumn = \"symptoms\"\nc = 100\nl = 1\n",
        "qs-closeness" => "[privacy.qs-closeness]\ncolumn = \"symptoms\"\nt = 1\n",
        "t-closeness" => "[privacy.t-closeness]\ncolumn = \"disease\"\nt = 1\n",
        "beta-likeness" => "[privacy.beta-likeness]\ncolumn = \"disease\"\nbeta = 9\n",
        "delta-disclosure" => "[privacy.delta-disclosure]\ncolumn = \"disease\"\ndelta = 9\n",
        "k-map" => "[population]\npath = \"data.csv\"\n[privacy.k-map]\nk = 2\n",
        "delta-presence" => "[population]\npath = \"data.csv\"\n[privacy.delta-presence]\nmin = 0\nmax = 1\n",
        "average-risk" => "[privacy.average-risk]\nmax = 1\n",
        "sample-uniqueness" => "[privacy.sample-uniqueness]\nmax = 1\n",
        "population-uniqueness" => "[population]\nsize = 99\n[privacy.population-uniqueness]\nmax = 1\n",
        "individual-risk" => "[columns.w]\nrole = \"weight\"\n[privacy.individual-risk]\nmax = 1\n",
        "household-risk" => "[columns.h]\nrole = \"household\"\n[privacy.household-risk]\nmax = 1\n",
        "n-t-closeness" => "[privacy.n-t-closeness]\ncolumn = \"disease\"\nn = 4\nt = 1\n",
        "ff-anonymity" => "[privacy.ff-anonymity]\nthreat = 1\n",
        "projection" => "[privacy.projection]\nalpha = 1\nbeta = 1\n",
        "kl-privacy" => "[privacy.kl-privacy]\nk = 2\nm = 1\n",
        "km-anonymity" => "[privacy.km-anonymity]\nk = 2\nm = 1\n",
        "coherence" => "[privacy.coherence]\nh = 1\nk = 2\np = 1\n",
        "transactional-k-anonymity" => "[privacy.transactional-k-anonymity]\nk = 2\n",
        "privacy-degree" => "[privacy.privacy-degree]\np = 1\n",
        "vocabulary-k-anonymity" => "[privacy.vocabulary-k-anonymity]\nk = 2\n",
        other => panic!("this test does not know the requirement '{other}': teach it"),
    }
}

/// What a method cannot do without.
fn needs(method: &str) -> Vec<&'static str> {
    match method {
        "l-plus-optimize" | "simulated-annealing" => vec!["l-plus-diversity"],
        "injector" => vec!["matching-l-diversity"],
        "anatomy" => vec!["l-diversity"],
        "ff" | "ff-optimal" => vec!["ff-anonymity"],
        "codip" | "codip-star" => vec!["projection", "k-anonymity"],
        "quasi-sensitive" => vec!["qs-diversity"],
        _ => Vec::new(),
    }
}

fn named<'j>(list: &'j Json, key: &str) -> Vec<(&'j str, &'j str)> {
    let list = list[key].as_array().expect("a list");
    let text = |one: &'j Json, key: &str| one[key].as_str().unwrap_or_default();
    list.iter().map(|one| (text(one, "name"), text(one, "takes"))).collect()
}

/// Whether a method says that it takes a requirement.
fn takes(text: &str, requirement: &str) -> bool {
    text.split([',', ';', ' ', '(']).any(|word| word == requirement)
}

/// Whether an audit has a check of a requirement.
fn is_checked(audit: &Json, requirement: &str) -> bool {
    let about = if requirement == "projection" { "association loss" } else { requirement };
    let mut checks = audit["checks"].as_array().expect("checks").iter();
    checks.any(|check| check["name"].as_str().is_some_and(|name| name.contains(about)))
}

/// Tries every method with every requirement: each pair is refused at the door, or the audit has a check of it.
fn every_pair(bench: &Bench, catalogue: &Json, write: impl Fn(&str, &[&str]) -> String) {
    for (method, text) in named(catalogue, "methods") {
        for (requirement, _) in named(catalogue, "requirements") {
            let mut asked = needs(method);
            asked.retain(|needed| *needed != requirement);
            asked.push(requirement);
            let policy = format!("seed = 1\n{}[method]\nname = \"{method}\"\n", write(method, &asked));
            bench.write("policy.toml", policy);
            let outcome =
                bench.privet(&["anonymize", "policy.toml", "-o", "out", "--force", "--attacks", "none"]);
            let pair = format!("{method} with {requirement}");
            if !takes(text, requirement) {
                let outcome = outcome.exits(2);
                assert!(outcome.stderr.contains("policy.toml:"), "{pair}: {}", outcome.stderr);
                assert!(!outcome.stderr.contains("internal"), "{pair}: {}", outcome.stderr);
                // Another tool may have made a release that keeps the promise: then the audit has checked it.
                let foreign =
                    bench.privet(&["audit", "--policy", "policy.toml", "--release", "data.csv", "--json"]);
                match foreign.status {
                    Some(0) => {
                        assert!(is_checked(&foreign.json(), requirement), "{pair}: {}", foreign.stdout)
                    }
                    status => assert!([Some(2), Some(4)].contains(&status), "{pair}: {}", foreign.stderr),
                }
                continue;
            }
            outcome.exits(0);
            let audit = bench.privet(&["audit", "out", "--json"]).exits(0).json();
            assert!(is_checked(&audit, requirement), "{pair}: {audit}");
        }
    }
}

#[test]
fn hard_use_1_2_every_requirement_is_refused_or_checked() {
    let bench = bench();
    let known = bench.privet(&["explain", "--json"]).exits(0).json();
    let privacy = |asked: &[&str]| -> String { asked.iter().map(|requirement| asks(requirement)).collect() };
    every_pair(&bench, &known, |method, asked| {
        let (mut columns, mut privacy) = (columns(method), privacy(asked));
        if asked.contains(&"kl-privacy") {
            // In a table it is about a column of sets.
            let terms = "role = \"quasi-sensitive\"\nseparator = \"|\"\nknowledge = \"knowledge.csv\"";
            assert!(columns.contains(terms), "{columns}");
            columns = columns.replace(terms, "role = \"set\"\nseparator = \"|\"");
            privacy = privacy.replace("[privacy.kl-privacy]", "[privacy.kl-privacy]\ncolumn = \"symptoms\"");
        }
        format!("[data]\npath = \"data.csv\"\n{columns}{privacy}")
    });
    bench.write("items.csv", "a;G\nb;G\n");
    bench.write("data.csv", "a,b\na,b\na\nb\na\nb\n");
    every_pair(&bench, &known["transactions"], |_, asked| {
        let head =
            "[data]\npath = \"data.csv\"\nkind = \"transactions\"\n[items]\nhierarchy = \"items.csv\"\n";
        head.to_string() + &privacy(asked)
    });
    bench.write("data.csv", "vocabulary,term\n1,a\n2,a\n3,b\n4,b\n");
    every_pair(&bench, &known["vocabularies"], |_, asked| {
        let head = "[data]\npath = \"data.csv\"\nkind = \"vocabularies\"\n[semantics]\ndistance = \"taxonomy\"\n\
                    hierarchy = \"items.csv\"\n";
        head.to_string() + &privacy(asked)
    });
}

#[test]
fn hard_use_1_2_codip_refuses_what_it_would_ignore() {
    let bench = bench();
    let impossible = "[privacy.qs-diversity]\ncolumn = \"symptoms\"\nc = 1\nl = 50\n";
    for method in ["codip-star", "codip"] {
        let asked = format!("{}{}{impossible}", asks("projection"), asks("k-anonymity"));
        let head = format!("seed = 1\n[data]\npath = \"data.csv\"\n{}", columns(method));
        bench.write("policy.toml", format!("{head}{asked}[method]\nname = \"{method}\"\n"));
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
        for told in ["does not take [privacy.qs-diversity]", "it takes: one projection", "quasi-sensitive"] {
            assert!(outcome.stderr.contains(told), "{told}: {}", outcome.stderr);
        }
        assert!(!bench.path("out").exists());
        // Nobody ran the method here, and no audit of several tables can judge it either.
        bench.write(
            "policy.toml",
            format!("{head}{asked}[method]\nname = \"{method}\"\n").replace(impossible, ""),
        );
        bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
        bench.write("policy.toml", format!("{head}{asked}[method]\nname = \"{method}\"\n"));
        let foreign = ["audit", "--policy", "policy.toml", "--release", "out/public"];
        let outcome = bench.privet(&foreign);
        assert!([Some(2), Some(4)].contains(&outcome.status), "{}", outcome.stdout);
        std::fs::remove_dir_all(bench.path("out")).expect("removed");
    }
}

/// Everything in `public/`, as one text.
fn public(bench: &Bench, folder: &str) -> String {
    let files = std::fs::read_dir(bench.path(&format!("{folder}/public"))).expect("a folder");
    let names = files.map(|file| file.expect("a file").path());
    names.map(|path| String::from_utf8_lossy(&std::fs::read(path).expect("read")).into_owned()).collect()
}

#[test]
fn hard_use_1_7_thresholds_of_hidden_values_stay_out_of_public() {
    let bench = bench();
    let rows: String =
        (0..40).map(|at| format!("{},{}\n", 30 + at % 2, ["flu", "cold", "gout"][at % 3])).collect();
    bench.write("data.csv", format!("age,disease\n{rows}77,Ebola\n"));
    bench.write(
        "policy.toml",
        "seed = 1\n[data]\npath = \"data.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n\
         [columns.disease]\nrole = \"sensitive\"\n[privacy.l-plus-diversity]\ncolumn = \"disease\"\nl = 2\n\
         theta = { Ebola = \"1/50\", flu = \"1/2\", Lassa = \"1/60\" }\n[privacy.k-anonymity]\nk = 2\n\
         [method]\nname = \"full-domain\"\nsuppression_limit = 0.1\n",
    );
    for method in [
        "name = \"full-domain\"\nsuppression_limit = 0.1\n",
        "name = \"l-plus-optimize\"\nsuppression = \"all-sa\"\n",
    ] {
        let text = bench.text("policy.toml");
        let head = &text[..text.find("[method]").expect("a method")];
        bench.write("policy.toml", format!("{head}[method]\n{method}"));
        bench.privet(&["anonymize", "policy.toml", "-o", "out", "--force"]).exits(0);
        let shown = public(&bench, "out");
        assert!(shown.contains("flu = 1/2"), "{method}: thresholds of shown values are published");
        for hidden in ["Ebola", "Lassa", "1/50", "1/60"] {
            assert!(!shown.contains(hidden), "{method}: public/ names {hidden}");
        }
        assert!(bench.text("out/steward/manifest.json").contains("Ebola = 1/50"));
        bench.privet(&["report", "out"]).exits(0);
        assert!(!public(&bench, "out").contains("Ebola"), "{method}: nor when reports are written again");
    }
}

#[test]
fn hard_use_1_7_no_setting_puts_a_hidden_value_into_public() {
    let bench = Bench::new();
    bench.write("items.csv", "a;G\nb;G\n");
    bench.write("baskets.txt", "a,b,HIV test\na,b\na,b\na,b\na,b\n");
    bench.write(
        "baskets.toml",
        "seed = 1\n[data]\npath = \"baskets.txt\"\nkind = \"transactions\"\n[items]\nhierarchy = \"items.csv\"\n\
         sensitive = [\"HIV test\", \"Ebola test\"]\n[privacy.kl-privacy]\nk = 2\nm = 1\nl = 2\n\
         theta = { \"Ebola test\" = \"1/50\", \"HIV test\" = \"1/3\" }\n",
    );
    bench.privet(&["anonymize", "baskets.toml", "-o", "baskets"]).exits(0);
    let shown = public(&bench, "baskets");
    assert!(shown.contains("HIV test = 1/3") && !shown.contains("Ebola") && !shown.contains("1/50"));

    let rows: String =
        (0..24).map(|at| format!("{},{}\n", ["F", "M"][at % 2], ["x", "y", "z"][at % 3])).collect();
    bench.write("people.csv", format!("sex,disease\n{rows}"));
    bench.write("rules.txt", "sex=M => not Ebola\nmute sex=F => not Lassa\nsex=Q => not x\n");
    bench.write(
        "groups.toml",
        "seed = 1\n[data]\npath = \"people.csv\"\n[columns.sex]\nrole = \"quasi-identifier\"\n[columns.disease]\n\
         role = \"sensitive\"\n[privacy.matching-l-diversity]\ncolumn = \"disease\"\nl = 2\n[knowledge]\nrules = \"rules.txt\"\n\
         [method]\nname = \"injector\"\n",
    );
    bench.privet(&["anonymize", "groups.toml", "-o", "groups"]).exits(0);
    let shown = public(&bench, "groups");
    assert!(!shown.contains("Ebola") && !shown.contains("Lassa"));

    let rows: String =
        (0..24).map(|at| format!("{},{},{}\n", at % 2, ["x", "y", "z"][at % 3], at % 4)).collect();
    bench.write("several.csv", format!("q,s,u\n{rows}"));
    bench.write(
        "several.toml",
        "seed = 1\n[data]\npath = \"several.csv\"\nmissing = [\"Lassa\"]\non_missing = \"value\"\n[columns.q]\n\
         role = \"quasi-identifier\"\n[columns.s]\nrole = \"sensitive\"\ninsensitive = [\"Ebola\"]\n[columns.u]\n\
         role = \"sensitive\"\n[privacy.k-anonymity]\nk = 2\n[privacy.l-plus-diversity]\ncolumn = \"s\"\ndefault = 1\n\
         theta = { Marburg = \"1/77\", x = \"9/10\" }\n[privacy.projection]\nalpha = 1\nbeta = 1\n[method]\nname = \"codip\"\n",
    );
    bench.privet(&["anonymize", "several.toml", "-o", "several"]).exits(0);
    let shown = public(&bench, "several");
    assert!(shown.contains("x = 9/10"));
    for hidden in ["Ebola", "Lassa", "Marburg", "1/77"] {
        assert!(!shown.contains(hidden), "public/ names {hidden}");
    }
    bench.edit("several.toml", "insensitive = [\"Ebola\"]\n", "");
    bench.edit("several.toml", "[privacy.projection]\nalpha = 1\nbeta = 1\n[method]\nname = \"codip\"\n", "");
    bench.privet(&["anonymize", "several.toml", "-o", "one"]).exits(0);
    let shown = public(&bench, "one");
    assert!(!shown.contains("Lassa") && !shown.contains("Marburg"));
}

const GROUPS: &str = "seed = 1\n[data]\npath = \"people.csv\"\n[columns.sex]\nrole = \"quasi-identifier\"\n\
    [columns.disease]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 5\n";

#[test]
fn hard_use_3_groups_take_k_anonymity_and_the_audit_checks_it() {
    let bench = Bench::new();
    let rows: String =
        (0..61).map(|at| format!("{},{}\n", ["F", "M"][at % 2], ["w", "x", "y", "z"][at % 4])).collect();
    bench.write("people.csv", format!("sex,disease\n{rows}"));
    for (method, requirement) in [("injector", "matching-l-diversity"), ("anatomy", "l-diversity")] {
        for publish in ["two-tables", "permuted"] {
            bench.write(
                "policy.toml",
                format!(
                    "{GROUPS}[privacy.{requirement}]\ncolumn = \"disease\"\nl = 2\n[method]\nname = \"{method}\"\n\
                     publish = \"{publish}\"\n"
                ),
            );
            bench.privet(&["anonymize", "policy.toml", "-o", "out", "--force"]).exits(0);
            let file = if publish == "permuted" { "out/public/release.csv" } else { "out/public/qit.csv" };
            let table = bench.text(file);
            let mut sizes = std::collections::BTreeMap::new();
            let at = table.lines().next().expect("a header").split(',').position(|name| name == "bucket");
            for row in table.lines().skip(1) {
                let bucket = row.split(',').nth(at.expect("a column")).expect("a bucket").to_string();
                *sizes.entry(bucket).or_insert(0) += 1;
            }
            assert!(sizes.values().all(|size| *size >= 5), "{method}, {publish}: {sizes:?}");
            let audit = bench.privet(&["audit", "out", "--verbose"]).exits(0);
            assert!(audit.stdout.contains("✓ k-anonymity (k = 5)"), "{}", audit.stdout);
            assert!(public(&bench, "out").contains("every group has at least 5 records"));
            // The same release does not keep a stricter promise, and the audit says by which check.
            bench.edit("policy.toml", "k = 5", "k = 30");
            let folder = if publish == "permuted" { file } else { "out/public" };
            let foreign = ["audit", "--policy", "policy.toml", "--release", folder];
            let audit = bench.privet(&foreign).exits(4);
            assert!(audit.stdout.contains("✗ k-anonymity (k = 30)"), "{}", audit.stdout);
        }
    }
    bench.edit("policy.toml", "k = 30", "k = 62");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "none"]).exits(3);
    assert!(outcome.stderr.contains("61 records") && !bench.path("none").exists(), "{}", outcome.stderr);
}

#[test]
fn hard_use_3_a_rule_about_a_value_that_does_not_occur_is_a_warning() {
    let bench = Bench::new();
    let rows: String =
        (0..24).map(|at| format!("{},{}\n", ["F", "M"][at % 2], ["x", "y", "z"][at % 3])).collect();
    bench.write("people.csv", format!("sex,disease\n{rows}"));
    bench.write("rules.txt", "# ours\nsex=M => not Ovarian cancer\nsex=Q => not x\n");
    bench.write(
        "policy.toml",
        format!(
            "{GROUPS}[privacy.matching-l-diversity]\ncolumn = \"disease\"\nl = 2\n[knowledge]\nrules = \"rules.txt\"\n\
             [method]\nname = \"injector\"\n"
        ),
    );
    for arguments in [&["anonymize", "policy.toml", "-o", "out"][..], &["mine", "policy.toml"]] {
        let outcome = bench.privet(arguments).exits(0);
        for told in ["in line 2", "'Ovarian cancer' does not occur", "in line 3", "'Q' does not occur"] {
            assert!(outcome.stderr.contains(told), "{told}: {}", outcome.stderr);
        }
    }
    bench.privet(&["audit", "out"]).exits(0);
}

#[test]
fn hard_use_3_a_warning_about_a_column_speaks_of_that_column() {
    let bench = Bench::new();
    let rows: String = (0..60)
        .map(|at| format!("{},{},{}\n", at % 5, ["u", "v"][at % 2], ["w", "x", "y", "z"][at % 4]))
        .collect();
    bench.write("people.csv", format!("q,two,four\n{rows}"));
    bench.write(
        "policy.toml",
        "seed = 1\n[data]\npath = \"people.csv\"\n[columns.q]\nrole = \"quasi-identifier\"\n[columns.two]\n\
         role = \"sensitive\"\n[columns.four]\nrole = \"sensitive\"\n[[privacy.l-diversity]]\ncolumn = \"four\"\nl = 3\n\
         [[privacy.l-diversity]]\ncolumn = \"two\"\nl = 2\n\
         [method]\nname = \"mondrian\"\n",
    );
    bench.privet(&["anonymize", "policy.toml", "-o", "out", "--attacks", "all"]).exits(0);
    let manifest = bench.json("out/steward/manifest.json");
    let attacks = manifest["attacks"].as_array().expect("attacks");
    let rules = attacks.iter().find(|attack| attack["name"] == "negative-rules").expect("an attack");
    let text = rules.to_string();
    assert!(text.contains("two: people for whom fewer than 2 values"), "{text}");
    assert!(!text.contains("two: people for whom fewer than 3 values"), "{text}");
    assert!(text.contains("four: people for whom fewer than 3 values"), "{text}");
}

#[test]
fn hard_use_3_the_book_says_exactly_which_requirements_a_method_takes() {
    let bench = Bench::new();
    let known = bench.privet(&["explain", "--json"]).exits(0).json();
    let book = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/policy.md");
    let book = std::fs::read_to_string(book).expect("a page");
    for catalogue in [&known, &known["transactions"], &known["vocabularies"]] {
        for (method, text) in named(catalogue, "methods") {
            let row = format!("| {text} |");
            let found =
                book.lines().any(|line| line.contains(&format!("`\"{method}\"`")) && line.contains(&row));
            assert!(found, "docs/src/policy.md has no row of {method} with {row}");
            let explained = bench.privet(&["explain", method]).exits(0).stdout;
            assert!(explained.contains(&format!("Requirements that it takes: {text}")), "{explained}");
        }
        for (requirement, _) in named(catalogue, "requirements") {
            let explained = bench.privet(&["explain", requirement]).exits(0).stdout;
            assert!(explained.contains("Methods that take it: "), "{explained}");
        }
    }
    for line in book.lines().filter(|line| line.starts_with("| `\"")) {
        let asked = line.split('|').nth(2).unwrap_or_default().trim();
        assert!(asked != "any" && !asked.starts_with("any "), "{line}");
    }
}

#[test]
fn hard_use_3_one_thing_is_one_thing() {
    let bench = Bench::new();
    bench.write("data.csv", "age\n30\n");
    bench.write(
        "policy.toml",
        "seed = 1\n[data]\npath = \"data.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n[privacy.k-anonymity]\nk = 1\n",
    );
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
    let told = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(told.contains("released 1 of 1 record\n"), "{told}");
    for wrong in ["1 records", "1 classes", "1 people ", "1 columns", "1 values", "1 attacks"] {
        let numbered = |text: &str| {
            text.match_indices(wrong).any(|(at, _)| {
                !text[..at].ends_with(|before: char| before.is_ascii_digit() || ".,".contains(before))
            })
        };
        assert!(!numbered(&told), "{wrong}: {told}");
    }
    bench.edit("policy.toml", "k = 1", "k = 2");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "no"]).exits(3);
    assert!(outcome.stderr.contains("the table has only 1 record"), "{}", outcome.stderr);
}
