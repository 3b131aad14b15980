//! Query logs and vocabularies at the command's door: what is refused, where the message points, and that nothing is left
//! behind.

use crate::common::{Bench, Dice};

const WORDS: &str = "wine;drinks;goods\nbeer;drinks;goods\nboots;shoes;goods\nsandals;shoes;goods\n";
const HEADER: &str = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n";
const SEMANTICS: &str = "distance = \"taxonomy\"\nhierarchy = \"words.csv\"\nepsilon = 2";
const PRIVACY: &str = "[privacy.vocabulary-k-anonymity]\nk = 2";
const MAKE: [&str; 4] = ["anonymize", "policy.toml", "-o", "out"];

/// Six users who typed two words each.
fn log() -> String {
    let row = |user: usize| {
        let (drink, shoe) = (["wine", "beer"][user % 2], ["boots", "sandals"][user / 2 % 2]);
        format!("{user}\t{drink} {shoe}\t2006-03-0{} 10:00:00\t\t\n", user + 1)
    };
    HEADER.to_string() + &(0..6).map(row).collect::<String>()
}

fn bench(log: &[u8]) -> Bench {
    let bench = Bench::new();
    bench.write("log.tsv", log);
    bench.write("words.csv", WORDS);
    bench
}

fn policy(bench: &Bench, vocabulary: &str, semantics: &str, rest: &str) {
    bench.write(
        "policy.toml",
        format!(
            "seed = 1\n[data]\npath = \"log.tsv\"\nkind = \"query-log\"\n[vocabulary]\n{vocabulary}\n[semantics]\n{semantics}\n{rest}"
        ),
    );
}

/// The command must refuse its input, say all of these words with a remedy, and leave nothing behind.
#[track_caller]
fn refuses(bench: &Bench, status: i32, words: &[&str]) {
    let before = bench.names(".");
    let outcome = bench.privet(&MAKE).exits(status);
    for word in words {
        assert!(outcome.stderr.contains(word), "no {word:?} in {}", outcome.stderr);
    }
    assert!(outcome.stderr.contains("help: "), "{}", outcome.stderr);
    assert_eq!(bench.names("."), before);
}

#[test]
fn init_recommends_a_gap_and_epsilon_and_drafts_a_policy_that_runs() {
    if !std::path::Path::new(privet::taxonomy::words::WordNet::FOLDER).is_dir() {
        privet_core::testing::skipped("there is no WordNet here");
        return;
    }
    // Everybody looks for two things at ten o'clock and for a third two hours later.
    let words = ["wine", "beer", "boots", "sandals", "poodle", "terrier", "rose", "tulip"];
    let row = |user: usize, at: usize, hour: usize| {
        let (one, other) = (words[(user + at) % 8], words[(user * 3 + at) % 8]);
        format!("{user}\t{one} {other}\t2006-03-0{} {hour}:0{at}:00\t\t\n", user % 9 + 1)
    };
    let rows = (0..40).flat_map(|user| [row(user, 0, 10), row(user, 1, 10), row(user, 2, 12)]);
    let bench = bench((HEADER.to_string() + &rows.collect::<String>()).as_bytes());
    let outcome = bench.privet(&["init", "log.tsv", "-o", "draft"]).succeeds();
    // From five minutes to an hour nothing changes: 80 vocabularies; eight hours join them.
    assert!(outcome.stdout.contains("recommended: session_gap = \"5m\", epsilon = "), "{}", outcome.stdout);
    let drafted = std::fs::read_to_string(bench.path("draft/policy.toml")).expect("a policy");
    assert!(drafted.contains("# 1h               80"), "{drafted}");
    bench.privet(&["anonymize", "draft/policy.toml", "-o", "out"]).succeeds();
}

#[test]
fn a_log_is_published_and_audited_again() {
    let bench = bench(log().as_bytes());
    policy(&bench, "", SEMANTICS, PRIVACY);
    let outcome = bench.privet(&MAKE).succeeds();
    assert!(outcome.stdout.contains("released 6 of 6 vocabularies\n"), "{}", outcome.stdout);
    bench.privet(&["audit", "out"]).succeeds();
    let foreign = ["audit", "--policy", "policy.toml", "--release", "out/public/release.csv"];
    // Whose vocabulary is whose, the file alone does not tell.
    let outcome = bench.privet(&foreign).succeeds();
    assert!(outcome.stdout.starts_with("audit found no violation, but some checks"), "{}", outcome.stdout);
    for check in ["? vocabulary-k-anonymity (k = 2, different users): ", "? meaning: "] {
        assert!(outcome.stdout.contains(check), "no {check:?} in {}", outcome.stdout);
    }
    let json = bench.privet(&[&foreign[..], &["--json"]].concat()).succeeds();
    assert!(json.json().to_string().contains("\"undetermined\":true"), "{}", json.stdout);
    bench.edit("out/public/release.csv", "wine", "boots");
    bench.privet(&["audit", "out"]).exits(4);
    bench.edit("policy.toml", "k = 2", "k = 4");
    bench.privet(&foreign).exits(4);
}

/// The example with every centre: what is published passes its audit, when it is made and again.
#[test]
fn every_centre_publishes_the_example() {
    for centre in ["hyper", "generalise"] {
        let bench = Bench::with_example("queries");
        let method = format!("name = \"ssg\"\ncentre = \"{centre}\"");
        bench.edit("queries/policy.toml", "name = \"ssg\"", &method);
        bench.privet(&["anonymize", "queries/policy.toml", "-o", "out"]).succeeds();
        let outcome = bench.privet(&["audit", "out", "--verbose"]).succeeds();
        assert!(outcome.stdout.contains("✓ figures: "), "{}", outcome.stdout);
        let manifest = bench.json("out/steward/manifest.json");
        let (terms, share) = (&manifest["utility"], &manifest["loss"]["distinct-terms"]);
        let after = terms["terms_after"].as_f64().expect("a number");
        let before = terms["terms_before"].as_f64().expect("a number");
        assert!((after / before - share.as_f64().expect("a number")).abs() < 1e-9, "{terms} {share}");
    }
}

#[test]
fn logs_that_do_not_fit_are_named_with_their_line() {
    let broken = |line: &str| format!("{}{line}\n", log()).into_bytes();
    for (log, words) in [
        (broken("7\twine\tyesterday\t\t"), &["log.tsv:8:", "'yesterday'", "column 'QueryTime'"][..]),
        (broken("7\twine\t2006-02-30 10:00:00\t\t"), &["log.tsv:8:", "2006-02-30"]),
        (broken("\twine\t2006-03-01 10:00:00\t\t"), &["log.tsv:8:"]),
        (broken("7\twine"), &["log.tsv:8:"]),
        (b"7\twine\tyesterday\t\t\n".to_vec(), &["log.tsv:1:", "'yesterday' is not a time"]),
        (b"who\twhat\n1\twine\n".to_vec(), &["log.tsv", "AnonID"]),
        (Vec::new(), &["log.tsv", "empty"]),
    ] {
        let bench = bench(&log);
        policy(&bench, "", SEMANTICS, PRIVACY);
        refuses(&bench, 2, words);
    }
}

#[test]
fn policies_that_make_no_sense_are_named_with_their_line() {
    let tree = "distance = \"taxonomy\"\nhierarchy = \"words.csv\"";
    for (vocabulary, semantics, rest, words) in [
        (
            "",
            &format!("{tree}\nepsilon = -1")[..],
            PRIVACY,
            &["policy.toml:10:", "'-1'", "never negative"][..],
        ),
        (
            "",
            &format!("{tree}\nepsilon = 4\nomega = 3"),
            PRIVACY,
            &["policy.toml:11:", "less than epsilon = 4"],
        ),
        (
            "",
            &format!("{tree}\nepsilon = 4\nomega = 4.00001"),
            PRIVACY,
            &["policy.toml:11:", "finer than a 10000th"],
        ),
        ("", &format!("{tree}\nomega = \"much\""), PRIVACY, &["policy.toml:10:", "lexicographic"]),
        ("", "distance = \"taxonomy\"", PRIVACY, &["policy.toml:7:", "lacks 'hierarchy'"]),
        ("", "distance = \"wordnet\"", PRIVACY, &["policy.toml:8:", "wordnet-tree"]),
        ("", "wordnet = \"nowhere\"", PRIVACY, &["nowhere", "wordnet-base"]),
        ("", &format!("{tree}\nattach = \"synset\""), PRIVACY, &["policy.toml:10:", "'semantics.attach'"]),
        ("", "distance = \"file\"\npath = \"words.csv\"", PRIVACY, &["words.csv:1:"]),
        ("session_gap = \"soon\"", SEMANTICS, PRIVACY, &["policy.toml:6:", "\"soon\"", "\"none\""]),
        ("clicks = \"all\"", SEMANTICS, PRIVACY, &["policy.toml:6:", "drop-after"]),
        ("dictionary = \"list\"", SEMANTICS, PRIVACY, &["policy.toml:6:", "needs 'words'"]),
        ("words = \"words.csv\"", SEMANTICS, PRIVACY, &["policy.toml:6:", "dictionary = \"list\""]),
        ("gap = \"1h\"", SEMANTICS, PRIVACY, &["policy.toml:6:", "unknown key 'gap'"]),
        (
            "",
            SEMANTICS,
            "[privacy.k-anonymity]\nk = 2",
            &["is for kind = \"table\"", "vocabulary-k-anonymity"],
        ),
        ("", SEMANTICS, "", &["lacks 'privacy'"]),
        (
            "",
            SEMANTICS,
            "[privacy.vocabulary-k-anonymity]\nk = 2\n[method]\nname = \"og\"",
            &["policy.toml:14:", "'og' is for kind = \"transactions\"", "there are: ssg"],
        ),
        (
            "",
            SEMANTICS,
            "[items]\nsensitive = []\n[privacy.vocabulary-k-anonymity]\nk = 2",
            &["'items' has no meaning for kind = \"query-log\""],
        ),
    ] {
        let bench = bench(log().as_bytes());
        policy(&bench, vocabulary, semantics, rest);
        refuses(&bench, 2, words);
    }
}

#[test]
fn what_no_release_can_meet_ends_with_exit_3() {
    for (log, rest, words) in [
        (log(), "[privacy.vocabulary-k-anonymity]\nk = 7", &["6 users"][..]),
        (format!("{HEADER}1\tzzz\t5\t\t\n"), PRIVACY, &["no term", "dictionary: 1"]),
        (HEADER.to_string(), PRIVACY, &["no term"]),
    ] {
        let bench = bench(log.as_bytes());
        policy(&bench, "", SEMANTICS, rest);
        refuses(&bench, 3, words);
    }
}

#[test]
fn many_rows_of_one_user_are_no_trouble() {
    let mut log = String::from(HEADER);
    for row in 0..200_000 {
        log += &format!("1\t{} {row}\t{}\t\t\n", ["wine", "boots", "beer"][row % 3], row * 5000);
    }
    let bench = bench(log.as_bytes());
    policy(&bench, "session_gap = \"1h\"", SEMANTICS, PRIVACY);
    refuses(&bench, 3, &["1 user"]);
}

#[test]
fn vocabularies_are_read_as_they_are() {
    let bench = bench(b"");
    bench.write("bags.csv", "vocabulary,term,count\na,wine,2\nb,beer,2\na,boots,1\nb,sandals,1\n");
    let text =
        format!("[data]\npath = \"bags.csv\"\nkind = \"vocabularies\"\n[semantics]\n{SEMANTICS}\n{PRIVACY}");
    bench.write("policy.toml", &text);
    bench.privet(&MAKE).succeeds();
    assert_eq!(bench.text("out/public/release.csv").lines().count(), 5);
    for (data, words) in [
        ("vocabulary,term,count\na,wine,many\n", &["bags.csv:2:", "'many'"][..]),
        ("vocabulary,term,count,user\na,wine,1,u\na,beer,1,v\n", &["bags.csv:3:", "user"]),
        ("vocabulary,word\na,wine\n", &["bags.csv", "term"]),
    ] {
        bench.write("bags.csv", data);
        bench.write("policy.toml", &text);
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "other"]).exits(2);
        for word in words {
            assert!(outcome.stderr.contains(word), "no {word:?} in {}", outcome.stderr);
        }
    }
}

#[test]
fn methods_are_compared_by_what_they_lose() {
    let bench = bench(log().as_bytes());
    policy(&bench, "", SEMANTICS, PRIVACY);
    bench.write("lg.toml", bench.text("policy.toml") + "\n[method]\nname = \"lg-bag\"\n");
    let outcome = bench.privet(&["compare", "policy.toml", "lg.toml"]).succeeds();
    assert!(outcome.stdout.contains("lg-bag") && outcome.stdout.contains("bLM"), "{}", outcome.stdout);
}

#[test]
fn the_order_of_vocabularies_does_not_matter() {
    let mut dice = Dice::new(8);
    let words = ["wine", "beer", "boots", "sandals"];
    let mut rows: Vec<String> = Vec::new();
    for vocabulary in 0..120 {
        let held = words.iter().filter(|_| dice.roll(2) == 0).collect::<Vec<_>>();
        let counted = held.iter().map(|word| (word, 1 + dice.roll(3)));
        // Two vocabularies each.
        rows.extend(
            counted.map(|(word, count)| format!("{vocabulary},{word},{count},u{}\n", vocabulary / 2)),
        );
    }
    for method in ["ssg", "lg-bag"] {
        let bench = bench(b"");
        bench.write(
            "policy.toml",
            format!(
                "seed = 1\n[data]\npath = \"bags.csv\"\nkind = \"vocabularies\"\n[semantics]\n{SEMANTICS}\n{PRIVACY}\n\
                 [method]\nname = \"{method}\"\n"
            ),
        );
        for target in ["out", "again"] {
            bench.write("bags.csv", "vocabulary,term,count,user\n".to_string() + &rows.concat());
            bench.privet(&["anonymize", "policy.toml", "-o", target]).succeeds();
            // What stands for whom follows from the place in the file, and must still be right.
            bench.privet(&["audit", target]).succeeds();
            for last in (1..rows.len()).rev() {
                rows.swap(last, dice.roll(last as u64 + 1) as usize);
            }
        }
        assert_eq!(bench.tree("out/public"), bench.tree("again/public"), "{method}");
    }
}
