//! Text that wants to be more than text: formulas, markup, invisible letters; and values that must not get into messages.

use crate::common::{Bench, Outcome, rows};

const MARKUP: &str = "<script>alert('1')</script>";
const OTHER_MARKUP: &str = "\"><img src=x onerror=alert(2)>";
const TEMPLATE: &str = "{{ 7 * 191 }}{% raw %}";

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A table whose names and values are all markup, with a hierarchy of more.
fn table(method: &str) -> Bench {
    let bench = Bench::new();
    let (name, other) = (format!("{MARKUP}name"), format!("{OTHER_MARKUP}name"));
    let mut data = format!("{},{},ill\n", quoted(&name), quoted(&other));
    for row in 0..12 {
        let (one, two) = ([MARKUP, TEMPLATE][row % 2], [OTHER_MARKUP, "plain"][row / 2 % 2]);
        let ill = [MARKUP, OTHER_MARKUP, "gout"][row % 3];
        data += &format!("{},{},{}\n", quoted(one), quoted(two), quoted(ill));
    }
    bench.write("data.csv", data);
    let tree =
        [MARKUP, TEMPLATE].map(|leaf| format!("{};{};*\n", quoted(leaf), quoted(&format!("{leaf}group"))));
    bench.write("tree.csv", tree.concat());
    let key = |name: &str| serde_json::Value::from(name).to_string();
    bench.write(
        "policy.toml",
        format!(
            "seed = 1\n[data]\npath = \"data.csv\"\n[columns.{}]\nrole = \"quasi-identifier\"\nhierarchy = \
             \"tree.csv\"\n[columns.{}]\nrole = \"quasi-identifier\"\n[columns.ill]\nrole = \"sensitive\"\n{method}",
            key(&name),
            key(&other)
        ),
    );
    bench
}

/// No markup of the data is markup in either report.
#[track_caller]
fn harmless(bench: &Bench, what: &str) {
    for room in ["public", "steward"] {
        let report = bench.text(&format!("out/{room}/report.html"));
        for tag in ["<script>alert", "<img src=x", "onerror=alert(2)>\"", "1337"] {
            assert!(!report.contains(tag), "{what}: {tag} in the {room} report");
        }
        // It is shown, as the text that it is, where a value of the release is shown at all.
        if room == "steward" {
            assert!(
                report.contains("&lt;script&gt;") || report.contains("&lt;img"),
                "{what}: nothing of it is shown"
            );
        }
    }
}

#[test]
fn markup_in_a_table_stays_text() {
    let k = "[privacy.k-anonymity]\nk = 2\n";
    for (what, method) in [
        ("full-domain", format!("{k}[method]\nname = \"full-domain\"\n")),
        ("mondrian", format!("{k}[method]\nname = \"mondrian\"\n")),
        (
            "l-plus-optimize",
            "[privacy.l-plus-diversity]\ncolumn = \"ill\"\nl = 2\n[method]\nname = \"l-plus-optimize\"\n"
                .to_string(),
        ),
        (
            "anatomy",
            "[privacy.l-diversity]\ncolumn = \"ill\"\nl = 2\n[method]\nname = \"anatomy\"\n".to_string(),
        ),
    ] {
        let bench = table(&method);
        bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
        harmless(&bench, what);
        bench.privet(&["report", "out"]).succeeds();
        harmless(&bench, what);
    }
}

#[test]
fn markup_in_transactions_stays_text() {
    let bench = Bench::new();
    let items = [MARKUP, OTHER_MARKUP, "milk"].map(quoted);
    bench
        .write("data.csv", format!("{0},{1}\n{0},{2}\n{1},{2}\n{0},{1},{2}\n", items[0], items[1], items[2]));
    let lines = items.iter().map(|item| format!("{item};{};All\n", quoted("<img src=x>group")));
    bench.write("items.csv", lines.collect::<String>());
    bench.write(
        "policy.toml",
        "seed = 1\n[data]\npath = \"data.csv\"\nkind = \"transactions\"\n[items]\nhierarchy = \
         \"items.csv\"\n[privacy.km-anonymity]\nk = 2\nm = 1\n",
    );
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
    harmless(&bench, "transactions");
}

#[test]
fn markup_in_vocabularies_stays_text() {
    let bench = Bench::new();
    let term = quoted(MARKUP);
    bench.write(
        "data.csv",
        format!("vocabulary,term,count\n1,{term},2\n1,wine,1\n2,{term},1\n2,beer,1\n3,{term},1\n3,wine,1\n"),
    );
    bench.write("words.csv", format!("{term};drink;all\nwine;drink;all\nbeer;drink;all\n"));
    bench.write(
        "policy.toml",
        "seed = 1\n[data]\npath = \"data.csv\"\nkind = \"vocabularies\"\n[semantics]\ndistance = \"taxonomy\"\nhierarchy = \
         \"words.csv\"\nepsilon = 4\n[privacy.vocabulary-k-anonymity]\nk = 2\n",
    );
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
    harmless(&bench, "vocabularies");
}

const FORMULAS: [&str; 8] = [
    "=cmd|' /C calc'!A0",
    "+SUM(A1)",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "'=kept",
    "-1+2",
    "+49 228 12",
    "\t=SUM(A1)",
];

fn with_formulas() -> Bench {
    let bench = Bench::new();
    let mut data = String::from("age,note,ill\n");
    for (row, formula) in FORMULAS.iter().cycle().take(24).enumerate() {
        data += &format!("{},{},{}\n", 20 + row % 4, quoted(formula), ["flu", "-", "-5"][row % 3]);
    }
    bench.write("data.csv", data);
    bench.write(
        "policy.toml",
        "seed = 1\n[data]\npath = \"data.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n[columns.note]\nrole = \
         \"other\"\n[columns.ill]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 2\n[method]\nname = \"mondrian\"\n",
    );
    bench
}

#[test]
fn formulas_are_refused_in_text_marked_on_request_and_kept_elsewhere() {
    let bench = with_formulas();
    let make = |target: &str, more: &[&str]| -> Outcome {
        bench.privet(&[&["anonymize", "policy.toml", "-o", target], more].concat())
    };
    let refused = make("out", &[]).exits(2);
    assert!(refused.stderr.contains("data.csv:2: column 'note'"), "{}", refused.stderr);
    assert!(refused.stderr.contains("'='") && refused.stderr.contains("--csv-safe"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("calc"), "{}", refused.stderr);
    assert_eq!(bench.names("."), ["data.csv", "policy.toml"]);

    make("out", &["--csv-safe"]).succeeds();
    bench.privet(&["audit", "out"]).succeeds();
    let text = bench.text("out/public/release.csv");
    for line in text.lines().skip(1) {
        for cell in line.split(',') {
            let start = cell.trim_start_matches('"').chars().next().unwrap_or(' ');
            assert!(!"=+@\t".contains(start) && (start != '-' || ["-", "-5"].contains(&cell)), "{line}");
        }
    }
    assert!(text.contains("'=cmd|") && text.contains("'=kept") && text.contains("'-1+2"), "{text}");
    // Read by Privet the marks are gone: what was data is data again.
    let notes = |path: &str| -> Vec<String> {
        let mut notes: Vec<String> =
            rows(&bench.path(path)).into_iter().skip(1).map(|row| row[1].clone()).collect();
        notes.sort();
        notes
    };
    make("typed", &["--format", "parquet"]).succeeds();
    bench.privet(&["audit", "typed"]).succeeds();
    assert_eq!(notes("out/public/release.csv"), notes("typed/public/release.parquet"));
    assert_eq!(notes("out/public/release.csv"), notes("data.csv"));
}

#[test]
fn formulas_are_refused_and_marked_in_every_kind_of_release() {
    let bench = Bench::new();
    bench.write("data.csv", "=beer,milk\n=beer\nmilk\n");
    bench.write(
        "policy.toml",
        "seed = 1\n[data]\npath = \"data.csv\"\nkind = \"transactions\"\n[privacy.km-anonymity]\nk = 1\nm = 1\n",
    );
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
    assert!(
        outcome.stderr.contains("formula") && outcome.stderr.contains("--csv-safe"),
        "{}",
        outcome.stderr
    );
    bench.privet(&["anonymize", "policy.toml", "-o", "out", "--csv-safe"]).exits(0);
    bench.privet(&["audit", "out"]).succeeds();
    assert!(bench.text("out/public/release.txt").contains("'=beer"));

    let bench = table("[privacy.l-diversity]\ncolumn = \"ill\"\nl = 2\n[method]\nname = \"anatomy\"\n");
    bench.edit("data.csv", "gout", "=gout");
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
    bench.privet(&["anonymize", "policy.toml", "-o", "out", "--csv-safe"]).exits(0);
    bench.privet(&["audit", "out"]).succeeds();
}

/// What stands in columns that are not published must not get into a message, whatever is wrong with the file.
#[test]
fn messages_keep_the_values_of_hidden_columns_to_themselves() {
    let row = |number: usize, tail: &str| format!("Secret{number},30,Bonn,flu,Hush{number}{tail}\n");
    let good: String = (0..8).map(|number| row(number, "")).collect();
    let header = "name,age,city,ill,remark\n";
    let policy = "seed = 1\n[data]\npath = \"data.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.age]\nrole = \
                  \"quasi-identifier\"\n[columns.city]\nrole = \"quasi-identifier\"\nhierarchy = \"city.csv\"\n[columns.ill]\nrole = \
                  \"sensitive\"\n[privacy.k-anonymity]\nk = 2\n[method]\nname = \"mondrian\"\n";
    let spoilt: [(&str, Vec<u8>); 12] = [
        ("good", format!("{header}{good}").into_bytes()),
        ("short row", format!("{header}{good}Secret9,30\n").into_bytes()),
        ("long row", format!("{header}{good}{}", row(9, ",more,and,more")).into_bytes()),
        ("unclosed quote", format!("{header}{good}\"Secret9,30,Bonn,flu,Hush9\n").into_bytes()),
        ("value without a leaf", format!("{header}{good}Secret9,30,Nowhere,flu,Hush9\n").into_bytes()),
        ("suppressed mark", format!("{header}{good}Secret9,*,Bonn,flu,Hush9\n").into_bytes()),
        ("NUL", format!("{header}{good}Secret9\0,30,Bonn,flu,Hush9\n").into_bytes()),
        ("Latin-1", [format!("{header}{good}").as_bytes(), b"Secret9\xe4,30,Bonn,flu,Hush9\n"].concat()),
        ("formula in what is shown", format!("{header}{good}Secret9,30,Bonn,=flu,Hush9\n").into_bytes()),
        ("formula in what is hidden", format!("{header}{good}=Secret9,30,Bonn,flu,=Hush9\n").into_bytes()),
        ("too few", format!("{header}{}", row(1, "")).into_bytes()),
        ("missing", format!("{header}{good}Secret9,,,,Hush9\n").into_bytes()),
    ];
    for (what, data) in spoilt {
        let bench = Bench::new();
        bench.write("data.csv", data);
        bench.write("city.csv", "Bonn;west;*\nUlm;south;*\n");
        bench.write("policy.toml", policy);
        for more in [&[][..], &["--json"]] {
            let outcome = bench.privet(&[&["anonymize", "policy.toml", "-o", "out"], more].concat());
            let said = outcome.stdout.clone() + &outcome.stderr;
            assert!(!said.contains("Secret") && !said.contains("Hush"), "{what}: {said}");
            if outcome.status == Some(0) {
                for (path, content) in bench.tree("out") {
                    let text = String::from_utf8_lossy(&content);
                    assert!(!text.contains("Secret") && !text.contains("Hush"), "{what}: {}", path.display());
                }
                std::fs::remove_dir_all(bench.path("out")).expect("removed");
            }
        }
    }
}

/// Letters that cannot be told apart give a warning, in every kind of data, and by number: the values stay out of the message.
#[test]
fn what_looks_the_same_is_told() {
    let bench = Bench::with_example("five-baskets");
    let text = bench.text("five-baskets/five-baskets.csv");
    // A Greek capital beta in one of the baskets, and in the tree.
    bench.write("five-baskets/five-baskets.csv", text.replacen("Beer", "\u{392}eer", 1));
    let tree = bench.text("five-baskets/items.csv");
    let line =
        tree.lines().find(|line| line.starts_with("Beer")).expect("beer").replacen("Beer", "\u{392}eer", 1);
    bench.write("five-baskets/items.csv", format!("{}\n{line}\n", tree.trim_end()));
    let outcome = bench.privet(&["anonymize", "five-baskets/policy.toml", "-o", "out"]);
    assert!(outcome.stderr.contains("the items: two values look the same"), "{}", outcome.stderr);

    let bench = Bench::with_example("patients");
    bench.edit("patients/policy.toml", "seed = 7", "seed = 7 # again");
    let text = bench.text("patients/patients.csv");
    let last = text.lines().last().expect("a record").to_string();
    let value = last.rsplit(',').next().expect("a cell");
    bench.write(
        "patients/patients.csv",
        text.replace(&last, &last.replace(value, &format!("{value}\u{200b}"))),
    );
    let outcome = bench.privet(&["anonymize", "patients/policy.toml", "-o", "out"]);
    assert!(outcome.stderr.contains("U+200B") && !outcome.stderr.contains(value), "{}", outcome.stderr);
    // The steward's report repeats it; the public one says nothing of the source.
    assert!(bench.text("out/steward/report.html").contains("U+200B"));
    assert!(!bench.text("out/public/report.html").contains("U+200B"));
}

/// Two leaves with ten thousand nodes one above the other: over both together, or over each on its own.
fn deep_tree(shared: bool) -> String {
    let path = |leaf: &str| {
        let own = if shared { "" } else { leaf };
        let above: Vec<String> = (0..10_000).map(|level| format!("{own}x{level}")).collect();
        format!("{leaf};{};*\n", above.join(";"))
    };
    path("30") + &path("31")
}

/// Forty people, forty baskets and ten vocabularies over the two leaves.
fn deep_bench(shared: bool) -> Bench {
    let bench = Bench::new();
    bench.write("tree.csv", deep_tree(shared));
    let ill = ["flu", "gout", "asthma", "cold"];
    let person = |row: usize| format!("{},{},{}\n", 30 + row % 2, ["f", "m"][row / 3 % 2], ill[row * 7 % 4]);
    bench.write("people.csv", "age,sex,ill\n".to_string() + &(0..40).map(person).collect::<String>());
    let basket = |row: usize| ["30\n", "30,31\n", "31\n", "31,30\n"][row % 4];
    bench.write("baskets.csv", (0..40).map(basket).collect::<String>());
    let bag = |row: usize| format!("{row},{},{}\n", 30 + row % 2, 1 + row % 3);
    bench.write("bags.csv", "vocabulary,term,count\n".to_string() + &(0..10).map(bag).collect::<String>());
    bench.write("sex.csv", "f;*\nm;*\n");
    bench.write("ill.csv", "flu;*\ngout;*\nasthma;*\ncold;*\n");
    bench
}

/// Policies for the files of [`deep_bench`], by method.
fn deep_policies() -> Vec<(&'static str, String)> {
    let table = |role: &str, privacy: &str| {
        let sensitive = match role {
            "mixed" => {
                "hierarchy = \"sex.csv\"\n[columns.ill]\nrole = \"mixed\"\nhierarchy = \"ill.csv\"\n\
                 [columns.ill.sensitivity]\nmodel = \"aggregate\"\nguard = [\"flu\"]\n\
                 [columns.ill.observability]\nmodel = \"sensitivity\"\n"
            }
            _ => "[columns.ill]\nrole = \"sensitive\"\n",
        };
        format!(
            "seed = 1\n[data]\npath = \"people.csv\"\n[columns.age]\nrole = \"{role}\"\nhierarchy = \"tree.csv\"\n\
             [columns.sex]\nrole = \"{role}\"\n{sensitive}{privacy}"
        )
    };
    let quasi = |privacy: &str| table("quasi-identifier", privacy);
    let k = "[privacy.k-anonymity]\nk = 2\n";
    let l_plus = format!("{k}[privacy.l-plus-diversity]\ncolumn = \"ill\"\nl = 2\n");
    let l = "[privacy.l-diversity]\ncolumn = \"ill\"\nl = 2\n";
    let mined =
        "[privacy.matching-l-diversity]\ncolumn = \"ill\"\nl = 2\n[knowledge]\nmin_expectation = 0.75\n";
    let free = "[privacy.ff-anonymity]\nobservable = 1.0\nthreat = 0.9\n";
    let baskets = "seed = 1\n[data]\npath = \"baskets.csv\"\nkind = \"transactions\"\n[items]\nhierarchy = \"tree.csv\"\n\
                   [privacy.km-anonymity]\nk = 2\nm = 2\n";
    let bags = "seed = 1\n[data]\npath = \"bags.csv\"\nkind = \"vocabularies\"\n[semantics]\ndistance = \"taxonomy\"\n\
                hierarchy = \"tree.csv\"\nepsilon = 4\n[privacy.vocabulary-k-anonymity]\nk = 2\n";
    let all = [
        ("full-domain", quasi(k)),
        ("mondrian", quasi(k)),
        ("l-plus-optimize", quasi(&l_plus)),
        ("simulated-annealing", quasi(&l_plus)),
        ("anatomy", quasi(l)),
        ("injector", quasi(mined)),
        ("ff", table("mixed", free)),
        ("ff-optimal", table("mixed", free)),
        ("og", baskets.to_string()),
        ("lg", baskets.to_string()),
        ("ssg", bags.to_string()),
    ];
    all.into_iter()
        .map(|(method, policy)| {
            let steps = if method == "simulated-annealing" { "steps = 1000\n" } else { "" };
            (method, format!("{policy}[method]\nname = \"{method}\"\n{steps}"))
        })
        .collect()
}

#[test]
fn trees_may_be_deeper_than_any_stack() {
    for (shared, (method, policy)) in
        [true, false].into_iter().flat_map(|shared| deep_policies().into_iter().map(move |one| (shared, one)))
    {
        // Twice as many nodes take transactions and free forms long, and the way down is the same.
        if !shared && !["mondrian", "l-plus-optimize", "anatomy", "injector"].contains(&method) {
            continue;
        }
        let bench = deep_bench(shared);
        let before = bench.names(".");
        bench.write("policy.toml", policy);
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]);
        assert!(!outcome.stderr.contains("overflow"), "{method}: {}", outcome.stderr);
        let mut after = bench.names(".");
        after.retain(|name| name != "policy.toml" && name != "out");
        assert_eq!(after, before, "{method} left something behind");
        match (method, outcome.status) {
            ("full-domain", status) => {
                assert_eq!(status, Some(2), "{}", outcome.stderr);
                for part in ["tree.csv: ", "column 'age'", "levels; at most 256 are supported", "help:"] {
                    assert!(outcome.stderr.contains(part), "no {part:?} in {}", outcome.stderr);
                }
            }
            (_, Some(0)) => {
                bench.privet(&["audit", "out"]).succeeds();
                bench.privet(&["report", "out"]).succeeds();
            }
            (_, Some(3)) => {}
            (_, status) => panic!("{method} ended with {status:?}: {}", outcome.stderr),
        }
        if method == "injector" {
            bench.privet(&["mine", "policy.toml"]).succeeds();
        }
    }
    let bench = deep_bench(true);
    for arguments in [&["show", "tree.csv"][..], &["check", "tree.csv", "people.csv", "age"]] {
        bench.privet(&[&["hierarchy"], arguments].concat()).succeeds();
    }
}

#[test]
fn the_first_record_of_a_table_without_header_is_not_shown() {
    let record = |row: usize| format!("SECRET{row},{},{}\n", 30 + row % 3, ["Bonn", "Ulm"][row % 2]);
    let numbered: String = (0..10).map(record).collect();
    // No number gives it away, but a value that comes again does.
    let worded = numbered.replace("30", "young").replace("31", "grown").replace("32", "old");
    let policy = "[data]\npath = \"data.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n[privacy.k-anonymity]\nk = 2\n";
    for data in [numbered, worded] {
        let bench = Bench::new();
        bench.write("data.csv", &data);
        bench.write("policy.toml", policy);
        for arguments in [
            &["anonymize", "policy.toml", "-o", "out"][..],
            &["anonymize", "policy.toml", "-o", "out", "--json"],
            &["hierarchy", "build", "data.csv", "age", "--kind", "dates", "-o", "out.csv"],
        ] {
            let outcome = bench.privet(arguments).exits(2);
            let told = outcome.stdout + &outcome.stderr;
            assert!(told.contains("looks like a record"), "{told}");
            for value in ["SECRET", "Bonn", "young"] {
                assert!(!told.contains(value), "{value} in {told}");
            }
        }
    }
    // Names are names: who mistypes one is helped.
    let bench = Bench::new();
    bench.write("data.csv", "person,years,city\nAnna,30,Bonn\n");
    bench.write("policy.toml", policy);
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
    assert!(outcome.stderr.contains("its columns: person, years, city"), "{}", outcome.stderr);
    for (sign, written) in [(';', ";"), ('|', "|"), ('\t', "\\t")] {
        bench.write("data.csv", format!("age{sign}city\n30{sign}Bonn\n"));
        bench.write("policy.toml", policy.replace("[columns.age]", "delimiter = \",\"\n[columns.age]"));
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
        assert!(
            outcome.stderr.contains(&format!("set delimiter = \"{written}\" in [data]")),
            "{}",
            outcome.stderr
        );
    }
}

#[test]
fn long_values_of_a_policy_are_shown_in_part() {
    let digits = format!("0.{}", "1".repeat(5000));
    let bench = Bench::with_example("patients");
    let policy = bench.text("patients/policy.toml");
    for (from, to) in [
        ("name = \"full-domain\"", format!("name = \"{digits}\"")),
        ("cost = \"LM\"", format!("cost = \"LM\"\nsuppression_limit = {digits}")),
        ("cost = \"LM\"", format!("cost = \"LM\"\nsuppression_limit = \"1{digits}\"")),
        ("cost = \"LM\"", format!("cost = \"LM\"\ntime_limit = \"{digits}\"")),
        ("[columns.Disease]", format!("[columns.\"{digits}\"]")),
        ("kind = \"distinct\"", format!("kind = \"{digits}\"")),
        ("kind = \"distinct\"", format!("\"{digits}\" = 2")),
    ] {
        assert!(policy.contains(from), "{from}");
        bench.write("patients/policy.toml", policy.replace(from, &to));
        let outcome = bench.privet(&["anonymize", "patients/policy.toml", "-o", "out"]).exits(2);
        assert!(outcome.stderr.contains("111 […] 111"), "{}", outcome.stderr);
        assert!(outcome.stderr.chars().count() < 500, "{}", outcome.stderr);
    }
}
