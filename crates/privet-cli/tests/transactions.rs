//! Transactions at the command's door: what is refused, where the message points, and that nothing is left behind.

use crate::common::{Bench, Dice};

const ITEMS: &str = "beer;Drinks;All\nwine;Drinks;All\nmilk;All\n";
const PRIVACY: &str = "[privacy.kl-privacy]\nk = 2\nm = 1\n";

/// A folder with a shop's data, hierarchy and sensitive items.
fn shop(data: &str) -> Bench {
    let bench = Bench::new();
    bench.write("data.csv", data);
    bench.write("items.csv", ITEMS);
    bench.write("sensitive.txt", "S\nT\n");
    bench
}

/// A policy with these lines in `[data]`, these in `[items]`, and what follows.
fn policy(bench: &Bench, data: &str, items: &str, rest: &str) {
    let text = format!(
        "seed = 1\n[data]\npath = \"data.csv\"\nkind = \"transactions\"\n{data}\n[items]\n{items}\n{rest}"
    );
    bench.write("policy.toml", text);
}

/// The command must refuse its input with exit 2, say all of these words, and leave nothing behind.
#[track_caller]
fn refuses(bench: &Bench, arguments: &[&str], words: &[&str]) {
    let before = bench.names(".");
    let outcome = bench.privet(arguments).exits(2);
    for word in words {
        assert!(outcome.stderr.contains(word), "no {word:?} in {}", outcome.stderr);
    }
    assert!(outcome.stderr.contains("help: "), "{}", outcome.stderr);
    assert_eq!(bench.names("."), before);
}

const MAKE: [&str; 4] = ["anonymize", "policy.toml", "-o", "out"];
const BOTH: &str = "hierarchy = \"items.csv\"\nsensitive = \"sensitive.txt\"";

#[test]
fn data_that_do_not_fit_are_named_with_their_line() {
    for (data, words) in [
        (&b"milk\n\nbeer,gin\n"[..], &["data.csv:3:", "'gin'", "neither a leaf"][..]),
        (b"milk\nbear,milk\n", &["data.csv:2:", "'bear'", "did you mean 'beer'?"]),
        (b"Drinks\n", &["data.csv:1:", "'Drinks'", "inner node"]),
        (b"milk\n\"beer\nwine\n", &["data.csv:2:", "never closes"]),
        (b"milk\nb\xc0\xafer\n", &["data.csv:2:", "UTF-8"]),
        (b"milk\n\nb\0er\n", &["data.csv:3:", "NUL"]),
        (b"\x1f\x8b\x08", &["data.csv:", "gzip"]),
    ] {
        let bench = shop("");
        bench.write("data.csv", data);
        policy(&bench, "", BOTH, PRIVACY);
        refuses(&bench, &MAKE, words);
    }
}

#[test]
fn policies_that_make_no_sense_are_named_with_their_line() {
    for (data, items, rest, words) in [
        ("missing = [\"?\"]", BOTH, PRIVACY, &["policy.toml:5:", "'missing' has no meaning"][..]),
        ("delimiter = \",\"", BOTH, PRIVACY, &["policy.toml:5:", "form = \"long\""]),
        ("separator = \"ab\"", BOTH, PRIVACY, &["policy.toml:5:", "single character"]),
        ("separater = \",\"", BOTH, PRIVACY, &["policy.toml:5:", "did you mean 'separator'?"]),
        ("form = \"wide\"", BOTH, PRIVACY, &["policy.toml:5:", "accepted values"]),
        ("form = \"long\"", BOTH, PRIVACY, &["policy.toml:2:", "lacks 'id'"]),
        (
            "form = \"long\"\nid = \"x\"\nitem = \"x\"",
            BOTH,
            PRIVACY,
            &["policy.toml:7:", "both name the column 'x'"],
        ),
        ("", "hierarchy = \"none.csv\"", PRIVACY, &["none.csv:", "cannot read the hierarchy"]),
        ("", "sensitive = \"none.txt\"", PRIVACY, &["none.txt:", "cannot read the sensitive items"]),
        ("", "sensitive = [\"S\", \"S\"]", PRIVACY, &["policy.toml:7:", "'S' is listed twice"]),
        ("", "hierarchy = \"items.csv\"\nsensitive = [\"Drinks\"]", PRIVACY, &["policy.toml:8:", "'Drinks'"]),
        ("", "hierarchy = \"items.csv\"\nsensitive = [\"All\"]", PRIVACY, &["policy.toml:8:", "'All'"]),
        ("", BOTH, "[columns.age]\nrole = \"other\"\n[privacy.km-anonymity]\nk = 2\nm = 1", &["'columns'"]),
        ("", BOTH, "", &["policy.toml", "lacks 'privacy'", "kl-privacy"]),
        (
            "",
            BOTH,
            "[privacy.k-anonymity]\nk = 2",
            &["policy.toml:9:", "is for kind = \"table\"", "there are: kl-privacy"],
        ),
        ("", BOTH, "[privacy.kl-privacy]\nk = 2\nm = 1\nl = 0.5", &["policy.toml:12:", "at least 1"]),
        ("", BOTH, "[privacy.kl-privacy]\nk = 2", &["policy.toml:9:", "lacks 'm'"]),
        ("", BOTH, "[privacy.kl-privacy]\nk = 2\nm = 1\ntheta = { U = 0.5 }", &["policy.toml:9:", "'U'"]),
        (
            "",
            BOTH,
            "[privacy.kl-privacy]\nk = 2\nm = 1\n[method]\nname = \"mondrian\"",
            &["policy.toml:13:", "'mondrian' is for kind = \"table\"", "there are: og"],
        ),
    ] {
        let bench = shop("milk\nbeer\n");
        policy(&bench, data, items, rest);
        refuses(&bench, &MAKE, words);
    }
}

#[test]
fn k_is_at_least_one() {
    let bench = shop("milk\n");
    policy(&bench, "", BOTH, "[privacy.kl-privacy]\nk = 0\nm = 1");
    let outcome = bench.privet(&MAKE).exits(2);
    let expected = "policy.toml:10: 'privacy.kl-privacy.k' is 0; it must be a whole number from 1";
    assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
}

#[test]
fn broken_hierarchies_and_lists_are_named_with_their_line() {
    for (file, content, words) in [
        ("items.csv", "", &["items.csv:", "empty"][..]),
        ("items.csv", "beer;Drinks;All\nbeer;Food;All\n", &["items.csv:2:", "two parents"]),
        (
            "items.csv",
            "beer;All\nwine;All\nbeer;All\n",
            &["items.csv:3:", "'beer' is listed twice, first on line 1"],
        ),
        ("items.csv", "Drinks;All\nbeer;Drinks;All\n", &["items.csv:2:", "an inner node", "a leaf"]),
        ("items.csv", "beer;S;All\n", &["sensitive.txt:1:", "'S' is a group"]),
        ("sensitive.txt", "T\n\n\"S\n", &["sensitive.txt:3:", "never closes"]),
        ("sensitive.txt", "T\nS\n\nT\n", &["sensitive.txt:4:", "'T' is listed twice, first on line 1"]),
        ("sensitive.txt", "T\nDrinks\n", &["sensitive.txt:2:", "'Drinks' is a group"]),
    ] {
        let bench = shop("beer\n");
        bench.write(file, content);
        policy(&bench, "", BOTH, PRIVACY);
        refuses(&bench, &MAKE, words);
    }
}

#[test]
fn tables_of_items_name_their_columns() {
    let long = "form = \"long\"\nid = \"basket\"\nitem = \"item\"";
    for (data, words) in [
        ("basket,item\n1,beer\n2,gin\n", &["data.csv:3:", "'gin'"][..]),
        ("basket,item\n1,beer\n,milk\n", &["data.csv:3:", "'basket' is empty"]),
        ("basket,product\n1,beer\n", &["data.csv:", "no column 'item'"]),
        ("", &["data.csv:", "empty"]),
    ] {
        let bench = shop(data);
        policy(&bench, long, BOTH, PRIVACY);
        refuses(&bench, &MAKE, words);
    }
}

#[test]
fn a_format_is_for_tables_only() {
    let bench = shop("milk\n");
    policy(&bench, "", BOTH, PRIVACY);
    refuses(&bench, &["anonymize", "policy.toml", "-o", "out", "--format", "csv"], &["--format"]);
}

#[test]
fn the_thesis_search_has_no_phases() {
    let bench = shop("milk\nmilk\n");
    let method = "[method]\nname = \"og\"\nsearch = \"enumeration\"\n";
    policy(&bench, "", BOTH, &format!("{PRIVACY}{method}phase = \"lazy\"\n"));
    refuses(&bench, &MAKE, &["'phase' means nothing to search = \"enumeration\""]);
    policy(&bench, "", BOTH, &format!("{PRIVACY}{method}phase = \"auto\"\n"));
    bench.privet(&MAKE).succeeds();
}

#[test]
fn a_time_limit_that_means_nothing_is_told() {
    let bench = shop("milk\nmilk\n");
    let told = |method: &str, target: &str| {
        policy(&bench, "", BOTH, &format!("{PRIVACY}[method]\nname = \"{method}\"\n"));
        let arguments = ["anonymize", "policy.toml", "-o", target, "--time-limit", "30s"];
        let outcome = bench.privet(&arguments).succeeds();
        outcome.stderr.contains(&format!("the method '{method}' takes no time limit; it is ignored"))
    };
    assert!(told("aa", "greedy"));
    assert!(!told("og", "best"));
}

#[test]
fn a_draft_for_transactions_runs() {
    let bench = Bench::new();
    let lines: String =
        (0..30).map(|row| format!("{} {} {}\n39 120\n", row % 7, 7 + row % 5, 12 + row % 3)).collect();
    let rows: String = (0..60).map(|row| format!("{},{}\n", row / 2, ["milk", "beer"][row % 2])).collect();
    for (name, data) in [
        ("T10.dat", lines.clone()),
        ("clicks.csv", lines.replace(' ', ",")),
        ("sales.csv", format!("order,product\n{rows}")),
    ] {
        bench.write(name, &data);
        let stem = name.split('.').next().unwrap_or(name);
        let outcome = bench.privet(&["init", name]).succeeds();
        assert!(outcome.stdout.contains("transactions"), "{}", outcome.stdout);
        bench
            .privet(&["anonymize", &format!("{stem}-policy/policy.toml"), "-o", &format!("{stem}-release")])
            .succeeds();
    }
    bench.write("people.csv", "person,disease\n1,flu\n1,gout\n2,flu\n");
    bench.privet(&["init", "people.csv", "--kind", "transactions"]).succeeds();
    let table: String = (0..20).map(|row| format!("{row},x\n")).collect();
    bench.write("broken-line.csv", format!("a,b\n{table}1\n"));
    refuses(&bench, &["init", "broken-line.csv"], &["--kind transactions"]);
    bench.write("broken.csv", "a,b\n1,\"2\n");
    let outcome = bench.privet(&["init", "broken.csv"]).exits(2);
    assert!(!outcome.stderr.contains("transactions"), "{}", outcome.stderr);
    let outcome = bench.privet(&["init", "none.dat"]).exits(2);
    assert!(!outcome.stderr.contains("transactions"), "{}", outcome.stderr);
}

#[test]
fn a_hierarchy_is_checked_against_items() {
    let bench = Bench::new();
    bench.write("items.csv", "milk;Drinks\nbeer;Drinks\nbread;Food\n");
    bench.write("data.csv", "milk,beer\n\nmilk,test\n");
    bench.write("sensitive.txt", "test\n");
    let fits = ["hierarchy", "check", "items.csv", "data.csv", "--sensitive", "sensitive.txt"];
    let outcome = bench.privet(&fits).succeeds();
    assert!(
        outcome.stdout.contains("2 roots") && outcome.stdout.contains("1 leaf does not"),
        "{}",
        outcome.stdout
    );
    let outcome = bench.privet(&["hierarchy", "check", "items.csv", "data.csv"]).exits(2);
    assert!(outcome.stdout.contains("no leaf: 'test' (1 time, first in line 3)"), "{}", outcome.stdout);
    bench.write("sensitive.txt", "test\nDrinks\n");
    refuses(&bench, &fits, &["sensitive.txt:2:", "'Drinks' is a group in the hierarchy"]);
}

#[test]
fn kinds_are_not_compared_with_each_other() {
    let bench = Bench::with_example("patients");
    bench.write("data.csv", "milk\n");
    policy(&bench, "", "sensitive = []", PRIVACY);
    refuses(
        &bench,
        &["compare", "patients/policy.toml", "policy.toml"],
        &["about kind = \"table\"", "transactions"],
    );
}

#[test]
fn a_table_refuses_the_keys_of_transactions() {
    let bench = Bench::with_example("patients");
    bench.edit("patients/policy.toml", "[data]\n", "[data]\nseparator = \",\"\n");
    refuses(&bench, &["anonymize", "patients/policy.toml", "-o", "out"], &["'separator' has no meaning"]);
}

#[test]
fn a_release_that_lacks_a_transaction_fails_its_audit() {
    let bench = shop("milk\nbeer,milk\n\n");
    policy(&bench, "", BOTH, "[privacy.km-anonymity]\nk = 1\nm = 1\n");
    let audit = |release: &str| {
        bench.write("release.txt", release);
        bench.privet(&["audit", "--policy", "policy.toml", "--release", "release.txt"])
    };
    audit("\nmilk\nbeer,milk\n").succeeds();
    audit("milk\nbeer,milk\n").exits(4);
}

#[test]
fn both_kinds_are_explained() {
    let bench = Bench::new();
    let list = bench.privet(&["explain"]).succeeds().stdout;
    let json = bench.privet(&["explain", "--json"]).succeeds().json();
    for name in ["kl-privacy", "km-anonymity", "og", "mog"] {
        assert!(list.contains(name), "{list}");
        bench.privet(&["explain", name]).succeeds();
    }
    assert_eq!(json["transactions"]["requirements"][0]["name"], "kl-privacy");
}

#[test]
fn no_figure_follows_from_the_order_of_transactions() {
    let mut dice = Dice::new(3);
    let names: Vec<String> = (0..12).map(|item| format!("item{item}")).collect();
    let items: Vec<String> = names
        .iter()
        .enumerate()
        .map(|(at, name)| format!("{name};group{};half{};All\n", at / 3, at / 6))
        .collect();
    let mut lines: Vec<String> = (0..400)
        .map(|_| {
            let held = names.iter().filter(|_| dice.roll(4) == 0);
            held.map(String::as_str).collect::<Vec<_>>().join(",")
        })
        .collect();
    for method in ["og", "lg", "aa", "mm"] {
        let bench = Bench::new();
        bench.write("items.csv", items.concat());
        let rest = format!("[privacy.km-anonymity]\nk = 3\nm = 2\n[method]\nname = \"{method}\"\n");
        policy(&bench, "", "hierarchy = \"items.csv\"", &rest);
        let mut made = |target: &str| {
            bench.write("data.csv", lines.join("\n") + "\n");
            bench.privet(&["anonymize", "policy.toml", "-o", target, "--attacks", "none"]).exits(0);
            for last in (1..lines.len()).rev() {
                lines.swap(last, dice.roll(last as u64 + 1) as usize);
            }
            let report = bench.text(&format!("{target}/public/report.html"));
            // The release may come in another order, and then has another sum.
            let told = report.lines().filter(|line| !line.contains("<small>released</small>"));
            let mut figures = bench.json(&format!("{target}/steward/report.json"));
            let kept = ["fidelity", "losses", "risk_before", "risk_after"].map(|key| figures[key].take());
            (told.map(str::to_string).collect::<Vec<_>>(), kept)
        };
        let first = made("out");
        let (told, figures) = made("again");
        assert_eq!(figures, first.1, "{method}");
        assert_eq!(told, first.0, "{method}");
    }
}

const SMALL: &str = "a;A;R\nb;A;R\nc;B;R\nd;B;R\n";

/// Twenty-eight transactions, one of which has items of both groups.
fn small(limits: &str) -> Bench {
    let bench = Bench::new();
    bench.write("data.csv", format!("{}{}{}a,d\n", "a\n".repeat(9), "b\n".repeat(9), "c\n".repeat(9)));
    bench.write("items.csv", SMALL);
    let rest = format!("[privacy.kl-privacy]\nk = 2\nm = 2\n[method]\nname = \"og\"\n{limits}");
    policy(&bench, "separator = \",\"", "hierarchy = \"items.csv\"", &rest);
    bench
}

#[test]
fn a_little_suppression_spares_the_rest() {
    let bench = small("");
    bench.privet(&MAKE).succeeds();
    let steward = bench.json("out/steward/manifest.json");
    assert_eq!(steward["cost"]["exact"], "1");
    assert_eq!(steward["why"][0]["present"], serde_json::json!(["A", "B"]));
    let why = bench.privet(&["explain", "out", "--item", "d"]).succeeds();
    assert_eq!(why.stdout, "'d' is published as 'R', because of A with B: 1 transaction, k = 2\n");
    // Nearly everything is lost: no green headline, and no reason in public.
    let report = bench.text("out/steward/report.html");
    assert!(report.contains("but nearly everything is lost"), "{report}");
    for name in bench.names("out/public") {
        assert!(!bench.text(&format!("out/public/{name}")).contains("A with B"), "{name}");
    }

    let bench = small("item_suppression_limit = 0.05");
    bench.privet(&MAKE).succeeds();
    let steward = bench.json("out/steward/manifest.json");
    assert_eq!((&steward["cost"]["exact"], &steward["optimal"]), (&"1/29".into(), &true.into()));
    assert_eq!(steward["suppression"]["items"], serde_json::json!([{ "item": "d", "occurrences": 1 }]));
    // 'd' occurs once: the public reads a band.
    assert_eq!(bench.json("out/public/manifest.json")["suppressed_items"], "1-10");
    assert!(!bench.text("out/public/report.html").contains("\"d\""));
    bench.privet(&["audit", "out"]).succeeds();
    let why = bench.privet(&["explain", "out", "--item", "d"]).succeeds();
    assert_eq!(why.stdout, "'d' is suppressed in all transactions\n");
    // A file that shows what the plan suppresses is refused.
    let lines = bench.text("out/public/release.txt");
    bench.write("out/public/release.txt", lines.replacen("c\n", "d\n", 1));
    bench.privet(&["audit", "out"]).exits(4);

    let bench = small("suppression_limit = 0.05");
    bench.privet(&MAKE).succeeds();
    let steward = bench.json("out/steward/manifest.json");
    assert_eq!((&steward["cost"]["exact"], &steward["records"]["suppressed"]), (&"2/29".into(), &1.into()));
    assert_eq!(bench.text("out/public/release.txt").lines().count(), 27);
    bench.privet(&["audit", "out"]).succeeds();
    // The plan applies to later data: the same cut, and what holds a threat is removed.
    bench.write("later.csv", format!("{}c,a\n", "a\n".repeat(5)));
    bench.privet(&["apply", "out", "later.csv", "-o", "later"]).succeeds();
    assert_eq!(bench.text("later/public/release.txt"), "a\n".repeat(5));
}

#[test]
fn what_it_takes_to_know_a_group_may_be_measured() {
    let loss = |bench: &Bench| bench.json("out/steward/manifest.json")["cost"]["exact"].to_string();
    let asked = |m: u64, power: &str| {
        let bench = small("");
        bench.edit("policy.toml", "m = 2\n", &format!("m = {m}\npower = {power}\n"));
        bench
    };
    let run = |m: u64, power: &str| {
        let bench = asked(m, power);
        bench.privet(&["anonymize", "policy.toml", "-o", "out", "--attacks", "all"]).succeeds();
        bench.privet(&["audit", "out"]).succeeds();
        bench
    };
    assert_eq!(loss(&run(2, "\"items\"")), "\"1\"", "A with B is in one transaction");
    // A with B takes four leaves, 'd' takes one: only 'd' must not be seen. B is in ten transactions, at half of the root.
    let bench = run(2, "\"leaves\"");
    assert_eq!(loss(&bench), "\"5/29\"");
    // What was published would not meet another measure, and the audit says so.
    bench.edit("policy.toml", "\"leaves\"", "\"items\"");
    bench.privet(&["audit", "--policy", "policy.toml", "--release", "out/public/release.txt"]).exits(4);
    // Nobody who can know one item can know 'd'.
    let bench = run(1, "{ d = 2 }");
    assert_eq!(loss(&bench), "\"0\"");
    // The public reads that the promise is about weights, but not whose.
    let public = bench.text("out/public/manifest.json");
    assert!(public.contains("power = weights of single values"), "{public}");
    assert!(!bench.text("out/public/report.html").contains("d = 2"));
    assert_eq!(loss(&run(1, "{ d = 1.5, B = 9 }")), "\"0\"", "a group costs no more than what is below it");
    assert_ne!(loss(&run(1, "{ a = 2 }")), "\"0\"");
    for (m, power, words) in [
        (1, "{ x = 2 }", "not an item or a group"),
        (1, "{ d = 0 }", "above 0"),
        (1, "\"weights\"", "leaves"),
        (1, "\"leaves\"\nn = 1", "n = 0"),
    ] {
        let bench = asked(m, power);
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
        assert!(outcome.stderr.contains(words), "{power}: {}", outcome.stderr);
    }
}

#[test]
fn suppression_is_refused_where_absences_are_known() {
    for (key, privacy, word) in [
        ("item_suppression_limit = 0.1", "[privacy.kl-privacy]\nk = 2\nm = 1\nn = 1", "set n = 0"),
        ("suppression_limit = 0.1", "[privacy.transactional-k-anonymity]\nk = 2", "km-anonymity"),
        ("item_suppression_limit = 0.1\nsearch = \"enumeration\"", PRIVACY, "remove 'search'"),
        ("item_suppression_limit = 1.5", PRIVACY, "1.5"),
    ] {
        let bench = shop("milk\nbeer\n");
        policy(&bench, "", BOTH, &format!("{privacy}\n[method]\nname = \"og\"\n{key}\n"));
        refuses(&bench, &MAKE, &["policy.toml:", word]);
    }
}

#[test]
fn sensitive_items_are_taken_out_of_the_hierarchy() {
    let bench = shop(&"milk,beer\nmilk\nwine\n".repeat(4));
    policy(&bench, "", "hierarchy = \"items.csv\"\nsensitive = [\"beer\"]", PRIVACY);
    let outcome = bench.privet(&MAKE).succeeds();
    assert!(outcome.stderr.contains("'beer' was taken out of the hierarchy"), "{}", outcome.stderr);
    assert!(bench.text("out/public/release.txt").contains("beer,milk"));
    bench.privet(&["audit", "out"]).succeeds();
}

/// Removed transactions with a sensitive item: what the report says follows from the released lines alone.
#[test]
fn public_figures_are_about_released_transactions() {
    let bench = Bench::new();
    bench.write("items.csv", "a;R\nb;R\nc;R\nd;R\n");
    let each = |item: &str| format!("{item}\n").repeat(14) + &format!("{item},HIV\n").repeat(3);
    bench.write("data.csv", ["a", "b", "c", "d"].map(each).concat() + "a,d,HIV\nb,c,HIV\n");
    bench.write(
        "p.toml",
        "seed = 1\n[data]\npath = \"data.csv\"\nkind = \"transactions\"\nseparator = \",\"\n[items]\nhierarchy = \"items.csv\"\n\
         sensitive = [\"HIV\"]\n[privacy.kl-privacy]\nk = 2\nm = 2\nl = 2\n[method]\nname = \"og\"\nsuppression_limit = 0.1\n",
    );
    bench.privet(&["anonymize", "p.toml", "-o", "out"]).succeeds();
    let shown = bench.text("out/public/release.txt").lines().filter(|line| line.contains("HIV")).count();
    assert_eq!(shown, 12);
    let report = bench.text("out/public/report.html");
    assert!(report.contains("HIV") && !report.contains("20.6") && !report.contains("0.97"), "{report}");
}
