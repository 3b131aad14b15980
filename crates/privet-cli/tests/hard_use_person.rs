//! Requirements count people where one of them may have several records.

use crate::common::{Bench, Outcome};

const PERSON: &str = "person = \"pid\"\n";
const K: &str = "[privacy.k-anonymity]\nk = 5\n";

/// 200 records of 40 people, five each; everybody's five are alike in their quasi-identifiers.
fn visits() -> String {
    let ills = ["flu", "cold", "gout", "asthma", "ulcer"];
    let mut text = "pid,age,zip,ill\n".to_string();
    for visit in 0..5 {
        for person in 0..40usize {
            let ill = ills[(person * 7 + visit * 3) % 5];
            text += &format!("p{person},{},{},{ill}\n", 20 + person, ["10115", "20095"][person % 2]);
        }
    }
    text
}

fn bench(data: &str) -> Bench {
    let bench = Bench::new();
    bench.write("data.csv", data);
    let ages: String =
        (20..60).map(|age| format!("{age};{}-{};*\n", age / 10 * 10, age / 10 * 10 + 9)).collect();
    bench.write("age.csv", ages);
    bench
}

/// Writes a policy about such data.
fn policy(bench: &Bench, name: &str, data: &str, privacy: &str, method: &str) {
    let text = format!(
        "seed = 4294967311\n[data]\npath = \"data.csv\"\n{data}[columns.pid]\nrole = \"identifier\"\n[columns.age]\nrole = \
         \"quasi-identifier\"\nhierarchy = \"age.csv\"\n[columns.zip]\nrole = \"quasi-identifier\"\n[columns.ill]\nrole = \
         \"sensitive\"\n{privacy}[method]\n{method}\n"
    );
    bench.write(name, text);
}

fn made(bench: &Bench, data: &str, privacy: &str, method: &str, out: &str) -> Outcome {
    policy(bench, "policy.toml", data, privacy, method);
    bench.privet(&["anonymize", "policy.toml", "-o", out, "--force", "--verbose"])
}

/// The smallest number of different people in a class of a release, by the cells that it shows.
fn fewest_people(bench: &Bench, release: &str) -> usize {
    let mut classes = std::collections::BTreeMap::<String, std::collections::BTreeSet<String>>::new();
    let shown: std::collections::BTreeSet<String> = bench
        .text(release)
        .lines()
        .skip(1)
        .map(|line| line.rsplit_once(',').expect("cells").0.to_string())
        .collect();
    for line in visits().lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let age: u32 = cells[1].parse().expect("a number");
        let ages = [age.to_string(), format!("{}-{}", age / 10 * 10, age / 10 * 10 + 9), "*".to_string()];
        let zips = [cells[2].to_string(), "*".to_string()];
        for class in ages.iter().flat_map(|age| zips.iter().map(move |zip| format!("{age},{zip}"))) {
            if shown.contains(&class) {
                classes.entry(class).or_default().insert(cells[0].to_string());
            }
        }
    }
    classes.values().map(|people| people.len()).min().expect("a class")
}

#[test]
fn hard_use_1_3_five_records_of_one_person_are_one_person() {
    let bench = bench(&visits());
    made(&bench, "", K, "name = \"full-domain\"", "plain").succeeds();
    assert_eq!(fewest_people(&bench, "plain/public/release.csv"), 1, "records meet k = 5 by one person");
    let outcome = made(&bench, PERSON, K, "name = \"full-domain\"", "out").succeeds();
    assert!(outcome.stdout.contains("200 records of 40 people"), "{}", outcome.stdout);
    assert!(!outcome.stderr.contains("recurs"), "{}", outcome.stderr);
    assert!(fewest_people(&bench, "out/public/release.csv") >= 5);
    let manifest = bench.json("out/steward/manifest.json");
    assert_eq!((&manifest["people"]["read"], &manifest["records"]["read"]), (&40.into(), &200.into()));
    let public = bench.json("out/public/manifest.json");
    assert_eq!((&public["counted"], public.get("people")), (&"people".into(), None));
    let report = bench.text("out/public/report.html");
    assert!(report.contains("Each person counts once"));
    assert!(
        report.contains("people look alike") && !report.contains("40 people"),
        "how many is the steward's"
    );
    assert!(bench.text("out/steward/report.html").contains("of 40 of 40 people"));
    // The release that counts records does not pass under the policy that counts people.
    let audit = |release: &str| {
        bench.privet(&["audit", "--policy", "policy.toml", "--original", "data.csv", "--release", release])
    };
    assert!(audit("out/public/release.csv").succeeds().stdout.contains("audit passed"));
    let outcome = audit("plain/public/release.csv").exits(4);
    assert!(outcome.stdout.contains("✗ k-anonymity (k = 5): fails for the people of 40 of 40 classes"));
    bench.privet(&["audit", "out"]).succeeds();
}

#[test]
fn hard_use_1_3_mondrian_counts_people() {
    let bench = bench(&visits());
    made(&bench, PERSON, K, "name = \"mondrian\"", "out").succeeds();
    bench.privet(&["audit", "out"]).succeeds();
    let text = bench.text("out/public/release.csv");
    let lines: Vec<&str> = text.lines().collect();
    let cells = |line: &str| line.rsplit_once(',').expect("cells").0.to_string();
    let first = cells(lines[1]);
    // All rows of a class but four: at most four people can be behind them.
    let mut left = 4;
    let kept = lines.iter().filter(|line| {
        let same = cells(line) == first;
        left -= i32::from(same);
        !same || left >= 0
    });
    bench.write("bad.csv", kept.copied().collect::<Vec<_>>().join("\n") + "\n");
    let audit = ["audit", "--policy", "policy.toml", "--original", "data.csv", "--release", "bad.csv"];
    let outcome = bench.privet(&audit).exits(4);
    assert!(outcome.stdout.contains("fails for the people of 1 of"), "{}", outcome.stdout);
}

#[test]
fn hard_use_1_3_an_identifier_that_recurs_is_named() {
    let bench = bench(&visits());
    let outcome = made(&bench, "", K, "name = \"full-domain\"", "out").succeeds();
    let said = &outcome.stderr;
    assert!(said.contains("the identifier 'pid' recurs: 40 values in 200 records"), "{said}");
    assert!(said.contains("person = 'pid'"), "{said}");
    assert!(outcome.stdout.contains("? people: the identifier 'pid' recurs"), "{}", outcome.stdout);
    let audit = &bench.json("out/steward/manifest.json")["audit"];
    assert_eq!((&audit["passed"], &audit["decided"]), (&true.into(), &false.into()), "for scripts");
    let (steward, public) = (bench.text("out/steward/report.html"), bench.text("out/public/report.html"));
    assert!(steward.contains("Several records of one person"), "the matrix");
    assert!(steward.contains("records were counted, not people"), "the matrix");
    // The audit cannot tell, and the steward learns that. Whether an identifier recurs is hidden from the public.
    assert!(steward.contains("? not known") && steward.contains("could not decide every check"));
    assert!(public.contains("Each record is taken for another person"), "the matrix");
    assert!(!public.contains("not known") && !public.contains("recurs"));
    // Warnings are the steward's, and so is the colour that comes of them.
    assert!(bench.text("out/steward/report.html").contains("and there is something to weigh"), "amber");
    let public = bench.text("out/public/report.html");
    assert!(
        !public.lines().any(|line| line.contains("recur") && line.contains("pid")),
        "which one is the steward's"
    );
    // Groups and several tables say so too.
    let l = "[privacy.l-diversity]\ncolumn = \"ill\"\nl = 2\n";
    let outcome = made(&bench, "", l, "name = \"anatomy\"", "groups").succeeds();
    assert!(outcome.stderr.contains("the identifier 'pid' recurs"), "{}", outcome.stderr);
    // One that does not recur is not mentioned.
    let once: String = visits().lines().take(41).map(|line| format!("{line}\n")).collect();
    bench.write("data.csv", once);
    let outcome = made(&bench, "", K, "name = \"full-domain\"", "once").succeeds();
    assert!(!outcome.stderr.contains("recurs") && !outcome.stdout.contains("people:"));
}

#[test]
fn hard_use_1_3_what_cannot_count_people_is_refused_with_the_reason() {
    let bench = bench(&visits());
    let l = "[privacy.l-diversity]\ncolumn = \"ill\"\nl = 2\n";
    let plus = "[privacy.l-plus-diversity]\ncolumn = \"ill\"\nl = 2\n";
    for (privacy, method) in [
        (plus, "name = \"l-plus-optimize\""),
        (plus, "name = \"simulated-annealing\""),
        (l, "name = \"anatomy\""),
        ("[privacy.matching-l-diversity]\ncolumn = \"ill\"\nl = 2\n", "name = \"injector\""),
    ] {
        let outcome = made(&bench, PERSON, privacy, method, "out").exits(2);
        assert!(outcome.stderr.contains("cannot count people"), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("\"full-domain\" or \"mondrian\""), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("policy.toml:4"), "{}", outcome.stderr);
    }
    let relaxed = "name = \"mondrian\"\npartitioning = \"relaxed\"";
    assert!(made(&bench, PERSON, K, relaxed, "out").exits(2).stderr.contains("strict"));
    let full = "name = \"full-domain\"";
    assert!(made(&bench, "person = \"pidd\"\n", K, full, "out").exits(2).stderr.contains("'pid'"));
    assert!(made(&bench, "person = \"age\"\n", K, full, "out").exits(2).stderr.contains("never published"));
    for privacy in [
        "[privacy.t-closeness]\ncolumn = \"ill\"\nt = 0.9\n",
        "[privacy.n-t-closeness]\ncolumn = \"ill\"\nn = 5\nt = 0.9\n",
        "[privacy.l-diversity]\ncolumn = \"ill\"\nl = 1.5\nkind = \"entropy\"\n",
        "[privacy.l-diversity]\ncolumn = \"ill\"\nl = 2\nkind = \"recursive\"\nc = 4\n",
    ] {
        let outcome = made(&bench, PERSON, &format!("{K}{privacy}"), full, "out").exits(2);
        assert!(outcome.stderr.contains("counts records, but in 40 classes somebody"), "{}", outcome.stderr);
        assert!(!bench.path("out").exists(), "nothing is left behind");
    }
    // So does the audit: everybody in one class has several records there.
    let t = "[privacy.t-closeness]\ncolumn = \"ill\"\nt = 0.9\n";
    policy(&bench, "policy.toml", PERSON, t, full);
    let rows: String = visits()
        .lines()
        .skip(1)
        .map(|line| format!("*,*,{}\n", line.rsplit(',').next().expect("a cell")))
        .collect();
    bench.write("foreign.csv", format!("age,zip,ill\n{rows}"));
    let audit = ["audit", "--policy", "policy.toml", "--original", "data.csv", "--release", "foreign.csv"];
    let outcome = bench.privet(&audit).exits(4);
    assert!(outcome.stdout.contains("it counts records, and in 1 of 1 class somebody has several"));
    for kind in ["transactions", "query-log", "vocabularies"] {
        bench.write(
            "other.toml",
            format!("[data]\npath = \"data.csv\"\nkind = \"{kind}\"\n{PERSON}[privacy.km-anonymity]\nk = 2\nm = 1\n"),
        );
        let outcome = bench.privet(&["anonymize", "other.toml", "-o", "out"]).exits(2);
        // The requirement is refused first where another kind has it.
        let reason =
            if kind == "transactions" { "lines of items have no column 'pid'" } else { "is for kind" };
        assert!(outcome.stderr.contains(reason), "{}", outcome.stderr);
    }
}

#[test]
fn hard_use_1_3_people_are_counted_in_values_too() {
    // In each class everybody has two records; by records no value exceeds a half, by people everybody has both values.
    let mut data = "pid,age,zip,ill\n".to_string();
    for person in 0..6 {
        for ill in ["flu", "cold"] {
            data += &format!("p{person},{},10115,{ill}\n", 20 + person);
        }
    }
    let bench = bench(&data);
    let l = "[privacy.l-diversity]\ncolumn = \"ill\"\nl = 2\nkind = \"frequency\"\n";
    made(&bench, "", l, "name = \"full-domain\"", "plain").succeeds();
    for method in ["name = \"full-domain\"", "name = \"mondrian\""] {
        let outcome = made(&bench, PERSON, l, method, "out").exits(3);
        assert!(outcome.stderr.contains("6 of all 6 people"), "{}", outcome.stderr);
    }
    policy(&bench, "policy.toml", PERSON, l, "name = \"full-domain\"");
    let audit = [
        "audit",
        "--policy",
        "policy.toml",
        "--original",
        "data.csv",
        "--release",
        "plain/public/release.csv",
    ];
    assert!(bench.privet(&audit).exits(4).stdout.contains("the most frequent value has"));
}

#[test]
fn hard_use_1_3_what_a_foreign_table_leaves_open_is_said() {
    let bench = bench(
        "pid,age,zip,ill\na,20,10115,flu\na,21,10115,flu\nb,20,10115,flu\nb ,21,10115,flu\n,22,10115,flu\n",
    );
    bench.write("foreign.csv", "age,zip,ill\n20-29,10115,flu\n20-29,10115,flu\n");
    let audit = |k: u64| {
        let asked = format!("[privacy.k-anonymity]\nk = {k}\n");
        policy(&bench, "policy.toml", PERSON, &asked, "name = \"full-domain\"");
        bench.privet(&[
            "audit",
            "--policy",
            "policy.toml",
            "--original",
            "data.csv",
            "--release",
            "foreign.csv",
        ])
    };
    // Two rows of four that fit, of two people: one or both may be behind them. Blanks make nobody another person, and a record
    // that is nobody's is dropped.
    assert!(audit(1).succeeds().stdout.contains("audit passed"));
    let open = audit(2).exits(0).stdout;
    assert!(open.contains("? k-anonymity (k = 2)") && open.contains("dropped: 1"), "{open}");
    assert!(audit(3).exits(4).stdout.contains("✗ k-anonymity (k = 3)"));
}

#[test]
fn hard_use_1_3_attacks_count_people() {
    let bench = bench(&visits());
    let outcome = made(&bench, "", K, "name = \"full-domain\"", "plain").succeeds();
    assert!(
        outcome.stdout.contains("attack linking:") && outcome.stdout.contains("of 200"),
        "{}",
        outcome.stdout
    );
    let outcome = made(&bench, PERSON, K, "name = \"full-domain\"", "out").succeeds();
    let line = outcome.stdout.lines().find(|line| line.starts_with("attack linking:")).expect("a line");
    assert!(line.contains("of 40 ("), "{line}");
}

#[test]
fn hard_use_1_3_l_plus_diversity_counts_people() {
    let plus = "[privacy.l-plus-diversity]\ncolumn = \"ill\"\nl = 2\n";
    // Everybody has both values: by records each is one half, by people all have each.
    let both: String = (0..6)
        .flat_map(|person| ["flu", "cold"].map(|ill| (person, ill)))
        .map(|(person, ill)| format!("p{person},{},10115,{ill}\n", 20 + person))
        .collect();
    let bench = bench(&format!("pid,age,zip,ill\n{both}"));
    for method in ["name = \"full-domain\"", "name = \"mondrian\""] {
        made(&bench, "", plus, method, "plain").succeeds();
        made(&bench, PERSON, plus, method, "out").exits(3);
        let audit = [
            "audit",
            "--policy",
            "policy.toml",
            "--original",
            "data.csv",
            "--release",
            "plain/public/release.csv",
        ];
        let outcome = bench.privet(&audit).exits(4);
        assert!(outcome.stdout.contains("✗ l-plus-diversity"), "{}", outcome.stdout);
    }
    // Ten people with two visits each; only some ever have the flu.
    let few: String = (0..10)
        .flat_map(|person| [0, 1].map(|visit| (person, visit)))
        .map(|(person, visit)| {
            let ill =
                if person % 5 == visit { "flu" } else { ["cold", "gout", "ulcer"][(person + visit) % 3] };
            format!("p{person},{},10115,{ill}\n", 20 + person)
        })
        .collect();
    bench.write("data.csv", format!("pid,age,zip,ill\n{few}"));
    for method in ["name = \"full-domain\"", "name = \"mondrian\""] {
        let outcome = made(
            &bench,
            PERSON,
            "[privacy.l-plus-diversity]\ncolumn = \"ill\"\nl = \"5/4\"\n",
            method,
            "out",
        );
        assert!(outcome.succeeds().stdout.contains("20 records of 10 people"));
        bench.privet(&["audit", "out"]).succeeds();
    }
}

const SHOP: &str = "beer;Drinks;All\nwine;Drinks;All\nmilk;Dairy;All\ncurd;Dairy;All\n";

/// A person and their items. One of them bought all the wine.
fn visits_to_a_shop() -> Vec<(String, Vec<&'static str>)> {
    let mut visits: Vec<(String, Vec<&'static str>)> = vec![
        ("ann".into(), vec!["wine"]),
        ("ann".into(), vec!["wine", "milk"]),
        ("ann".into(), vec!["wine"]),
    ];
    visits.extend((0..10).map(|at| (format!("p{at}"), vec!["beer", "milk"])));
    visits.extend((0..6).map(|at| (format!("p{at}"), vec!["curd"])));
    visits
}

/// Lines of items, with the person in front or without.
fn lines(visits: &[(String, Vec<&str>)], named: bool) -> String {
    let line = |(person, items): &(String, Vec<&str>)| {
        if named { format!("{person},{}\n", items.join(",")) } else { format!("{}\n", items.join(",")) }
    };
    visits.iter().map(line).collect()
}

fn shop(visits: &[(String, Vec<&str>)]) -> Bench {
    let bench = Bench::new();
    bench.write("items.csv", SHOP);
    bench.write("named.csv", lines(visits, true));
    bench.write("plain.csv", lines(visits, false));
    bench
}

/// Makes a release of transactions.
fn sold(bench: &Bench, data: &str, privacy: &str, method: &str, out: &str) -> Outcome {
    let text = format!(
        "seed = 4294967311\n[data]\nkind = \"transactions\"\n{data}\n[items]\nhierarchy = \"items.csv\"\nsensitive = \
         [\"test\"]\n{privacy}[method]\n{method}\n"
    );
    bench.write("shop.toml", text);
    bench.privet(&["anonymize", "shop.toml", "-o", out, "--force", "--verbose"])
}

const NAMED: &str = "path = \"named.csv\"\nperson = \"first\"";
const PLAIN: &str = "path = \"plain.csv\"";
const KM: &str = "[privacy.km-anonymity]\nk = 3\nm = 2\n";

#[test]
fn hard_use_1_3_transactions_of_one_person_are_one_person() {
    let bench = shop(&visits_to_a_shop());
    let km = "[privacy.km-anonymity]\nk = 3\nm = 1\n";
    sold(&bench, PLAIN, km, "name = \"og\"", "plain").succeeds();
    assert!(bench.text("plain/public/release.txt").contains("wine"), "three transactions meet k = 3");
    for method in ["og", "mog", "aa", "mm"] {
        let outcome = sold(&bench, NAMED, km, &format!("name = \"{method}\""), "out").succeeds();
        assert!(outcome.stdout.contains("19 transactions of 11 people"), "{}", outcome.stdout);
        let release = bench.text("out/public/release.txt");
        assert!(!release.contains("wine") && !release.contains("ann"), "{method}: {release}");
        assert_eq!(release.lines().count(), 19);
        bench.privet(&["audit", "out"]).succeeds();
        // The release that counts transactions does not pass under the policy that counts people.
        let audit = |release: &str| {
            bench.privet(&["audit", "--policy", "shop.toml", "--original", "named.csv", "--release", release])
        };
        let outcome = audit("plain/public/release.txt").exits(4);
        assert!(outcome.stdout.contains("knowing wine: 1 person fits, k = 3"), "{}", outcome.stdout);
        audit("out/public/release.txt").succeeds();
    }
    let manifest = bench.json("out/steward/manifest.json");
    assert_eq!((&manifest["people"]["read"], &manifest["records"]["read"]), (&11.into(), &19.into()));
    let public = bench.json("out/public/manifest.json");
    assert_eq!((&public["counted"], public.get("people")), (&"people".into(), None));
    let report = bench.text("out/public/report.html");
    assert!(report.contains("at least 3 people with a transaction that fits"));
    assert!(report.contains("Each person counts once"), "the matrix");
    assert!(!report.contains("11 people"), "how many is the steward's");
}

#[test]
fn hard_use_1_3_people_with_one_transaction_each_change_nothing() {
    let mut visits = visits_to_a_shop();
    for (at, visit) in visits.iter_mut().enumerate() {
        visit.0 = format!("somebody{at}");
    }
    let bench = shop(&visits);
    let kl = "[privacy.kl-privacy]\nk = 3\nl = 2\nm = 2\nn = 1\n";
    for (privacy, method) in [(kl, "og"), (kl, "mog"), (KM, "aa"), (KM, "mm")] {
        let method = format!("name = \"{method}\"");
        sold(&bench, PLAIN, privacy, &method, "plain").succeeds();
        sold(&bench, NAMED, privacy, &method, "named").succeeds();
        assert_eq!(
            bench.text("plain/public/release.txt"),
            bench.text("named/public/release.txt"),
            "{method}"
        );
    }
}

#[test]
fn hard_use_1_3_a_column_may_name_the_person_of_a_transaction() {
    let visits = visits_to_a_shop();
    let bench = shop(&visits);
    let rows = (1..).zip(&visits).flat_map(|(basket, (person, items))| {
        items.iter().map(move |item| format!("{basket},{item},{person}\n"))
    });
    bench.write("long.csv", format!("basket,item,who\n{}", rows.collect::<String>()));
    let long = "path = \"long.csv\"\nform = \"long\"\nid = \"basket\"\nitem = \"item\"\nperson = \"who\"";
    sold(&bench, NAMED, KM, "name = \"og\"", "lines").succeeds();
    sold(&bench, long, KM, "name = \"og\"", "long").succeeds();
    assert_eq!(bench.text("lines/public/release.txt"), bench.text("long/public/release.txt"));
    bench.privet(&["audit", "long"]).succeeds();
    // A transaction of two people, and one of nobody.
    bench.write("long.csv", "basket,item,who\n1,beer,ann\n1,milk,bob\n");
    let outcome = sold(&bench, long, KM, "name = \"og\"", "out").exits(2);
    assert!(
        outcome.stderr.contains("long.csv:3") && outcome.stderr.contains("another person"),
        "{}",
        outcome.stderr
    );
    bench.write("named.csv", "ann,beer\n,milk\n");
    let outcome = sold(&bench, NAMED, KM, "name = \"og\"", "out").exits(2);
    assert!(
        outcome.stderr.contains("named.csv:2") && outcome.stderr.contains("no person"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn hard_use_1_3_methods_for_transactions_that_cannot_count_people_say_why() {
    let bench = shop(&visits_to_a_shop());
    for (method, reason, help) in [
        ("name = \"lg\"", "one person may fill a group", "\"og\", \"mog\", \"aa\" or \"mm\""),
        ("name = \"og\"\nsearch = \"enumeration\"", "cannot count people", "search = \"conflicts\""),
    ] {
        let outcome = sold(&bench, NAMED, KM, method, "out").exits(2);
        assert!(outcome.stderr.contains(reason) && outcome.stderr.contains(help), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("shop.toml:5"), "{}", outcome.stderr);
        assert!(!bench.path("out").exists());
    }
    let other = NAMED.replace("first", "customer");
    let outcome = sold(&bench, &other, KM, "name = \"og\"", "out").exits(2);
    assert!(outcome.stderr.contains("person = \"first\""), "{}", outcome.stderr);
}

#[test]
fn hard_use_1_3_sensitive_items_are_compared_with_people() {
    // Two of six transactions with a test; but everybody has had one.
    let visits: Vec<(String, Vec<&str>)> = ["ann", "bob"]
        .iter()
        .flat_map(|name| {
            [vec!["beer"], vec!["wine", "test"], vec!["milk"]].map(|items| (name.to_string(), items))
        })
        .collect();
    let bench = shop(&visits);
    let kl = "[privacy.kl-privacy]\nk = 2\nl = 2\nm = 1\n";
    sold(&bench, PLAIN, kl, "name = \"og\"", "plain").succeeds();
    for method in ["mm", "mog", "og"] {
        let outcome = sold(&bench, NAMED, kl, &format!("name = \"{method}\""), "out").exits(3);
        assert!(outcome.stderr.contains("2 of 2 people have sensitive item 'test'"), "{}", outcome.stderr);
    }
    let audit = [
        "audit",
        "--policy",
        "shop.toml",
        "--original",
        "named.csv",
        "--release",
        "plain/public/release.txt",
    ];
    let outcome = bench.privet(&audit).exits(4);
    assert!(outcome.stdout.contains("2 people fit, 2 of them with 'test'"), "{}", outcome.stdout);
}

#[test]
fn hard_use_1_3_attacks_on_transactions_count_people() {
    let bench = shop(&visits_to_a_shop());
    let km = "[privacy.km-anonymity]\nk = 3\nm = 1\n";
    let line = |outcome: &Outcome| {
        let lines = outcome.stdout.lines().filter(|line| line.starts_with("attack horizon:"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let plain = line(&sold(&bench, PLAIN, km, "name = \"og\"", "plain").succeeds());
    assert!(plain.contains("of 19"), "{plain}");
    let named = line(&sold(&bench, NAMED, km, "name = \"og\"", "out").succeeds());
    assert!(named.contains("of 11"), "{named}");
}

#[test]
fn hard_use_1_3_a_number_of_people_that_the_policy_does_not_mention_is_named() {
    let bench = bench(&visits());
    policy(&bench, "policy.toml", "", K, "name = \"full-domain\"");
    bench.edit("policy.toml", "[columns.pid]\nrole = \"identifier\"\n", "");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    let said = &outcome.stderr;
    assert!(said.contains("the column 'pid' recurs: 40 values in 200 records"), "{said}");
    assert!(said.contains("set person = 'pid' in [data]"), "{said}");
    assert!(bench.text("out/steward/report.html").contains("and there is something to weigh"), "amber");
    // A code of few groups, whatever its name, and a column that does not recur, are not numbers of people.
    let rewritten = |name: &str, value: &dyn Fn(usize) -> String| {
        let text: String = visits()
            .lines()
            .enumerate()
            .map(|(at, line)| {
                let rest = line.split_once(',').expect("cells").1;
                let first = if at == 0 { name.to_string() } else { value(at) };
                format!("{first},{rest}\n")
            })
            .collect();
        bench.write("data.csv", text);
        bench.privet(&["anonymize", "policy.toml", "-o", "out", "--force"]).succeeds().stderr
    };
    for (name, value) in [
        ("pid", &(|at| format!("p{at}")) as &dyn Fn(usize) -> String),
        ("user_id", &|at| format!("u{}", at % 3)),
        ("ward", &|at| format!("w{}", at % 40)),
        ("household_id", &|at| format!("h{}", at % 40)),
    ] {
        let said = rewritten(name, value);
        assert!(!said.contains("recurs"), "{name}: {said}");
    }
}

/// Households are counted as people are: with the same numbers, it is the same release.
#[test]
fn requirements_may_count_households() {
    let bench = bench(&visits());
    let households = format!("{K}unit = \"household\"\n");
    for (number, method) in ["name = \"mondrian\"", "name = \"full-domain\""].iter().enumerate() {
        made(&bench, PERSON, K, method, &format!("people-{number}")).succeeds();
        policy(&bench, "households.toml", "", &households, method);
        bench.edit("households.toml", "role = \"identifier\"", "role = \"household\"");
        let out = format!("households-{number}");
        bench.privet(&["anonymize", "households.toml", "-o", &out]).succeeds();
        let (people, own) =
            (format!("people-{number}/public/release.csv"), format!("{out}/public/release.csv"));
        assert_eq!(bench.text(&own), bench.text(&people), "{method}");
        if number == 1 {
            assert!(fewest_people(&bench, &own) >= 5, "{method}");
        }
        bench.privet(&["audit", &out]).succeeds();
    }
    // Five records of one household are not five households.
    policy(&bench, "records.toml", "", K, "name = \"full-domain\"");
    bench.privet(&["anonymize", "records.toml", "-o", "records"]).succeeds();
    assert!(fewest_people(&bench, "records/public/release.csv") < 5);
    for (data, privacy, role, words) in [
        ("", households.as_str(), "identifier", "no column has role 'household'"),
        (PERSON, households.as_str(), "household", "'person' has no meaning with unit"),
        (
            "",
            "[privacy.k-anonymity]\nk = 5\nunit = \"person\"\n",
            "identifier",
            "nothing tells whose a record is",
        ),
        ("", "[privacy.k-anonymity]\nk = 5\nunit = \"pet\"\n", "identifier", "unit"),
    ] {
        policy(&bench, "wrong.toml", data, privacy, "name = \"mondrian\"");
        bench.edit("wrong.toml", "role = \"identifier\"", &format!("role = \"{role}\""));
        let refused = bench.privet(&["anonymize", "wrong.toml", "-o", "wrong"]).exits(2);
        assert!(refused.stderr.contains(words) && refused.stderr.contains("help:"), "{}", refused.stderr);
    }
}
