//! Hard use at the door: files without a header, hostile bytes on their way to the terminal, links and containers, typed files.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use crate::common::{Bench, command, names, rows, run};
use arrow_array::types::TimestampSecondType;
use arrow_array::{
    ArrayRef, Decimal128Array, Int64Array, PrimitiveArray, RecordBatch, StringArray, StructArray, UInt64Array,
};
use parquet::arrow::ArrowWriter;

const POLICY: &str = "seed = 1\n[data]\npath = \"data.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n\
    [columns.sex]\nrole = \"quasi-identifier\"\n[columns.ill]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 2\n";

const HEADER: &str = "header = [\"age\", \"sex\", \"ill\"]";

/// Sixty records, of which the first is of somebody with a rare disease.
fn records() -> String {
    let row =
        |at: usize| format!("{},{},{}\n", 40 + at % 3, ["F", "M"][at % 2], ["flu", "cold", "gout"][at % 3]);
    "41,F,porphyria\n".to_string() + &(0..60).map(row).collect::<String>()
}

fn bench(data: &str) -> Bench {
    let bench = Bench::new();
    bench.write("data.csv", data);
    bench.write("policy.toml", POLICY);
    bench
}

/// The policy with another line in `[data]`.
fn set(bench: &Bench, line: &str) {
    bench.edit("policy.toml", "path = \"data.csv\"\n", &format!("path = \"data.csv\"\n{line}\n"));
}

#[test]
fn hard_use_1_1_a_first_line_that_is_a_record_is_refused() {
    let bench = bench(&records());
    bench.write(
        "positions.toml",
        POLICY.replace("columns.age", "columns.41").replace(".sex", ".F").replace(".ill", ".porphyria"),
    );
    bench.write("release.csv", "41,F,porphyria\n*,*,flu\n*,*,cold\n");
    let injector = "[method]\nname = \"injector\"\n[privacy.l-diversity]\ncolumn = \"porphyria\"\nl = 2\n";
    bench
        .write("mine.toml", bench.text("positions.toml").replace("[privacy.k-anonymity]\nk = 2\n", injector));
    let commands: [&[&str]; 8] = [
        &["init", "data.csv"],
        &["anonymize", "policy.toml", "-o", "out"],
        &["anonymize", "positions.toml", "-o", "out"],
        &["audit", "--policy", "positions.toml", "--release", "release.csv"],
        &["attack", "--policy", "positions.toml"],
        &["compare", "positions.toml"],
        &["mine", "mine.toml"],
        &["hierarchy", "build", "data.csv", "41", "--kind", "equal-width", "--width", "5", "-o", "h.csv"],
    ];
    for arguments in commands {
        let outcome = bench.privet(arguments).exits(2);
        let told = format!("{}{}", outcome.stdout, outcome.stderr);
        assert!(
            told.contains("data.csv:1:") && told.contains("looks like a record"),
            "{arguments:?}: {told}"
        );
        assert!(told.contains("header = false") && told.contains("header = true"), "{arguments:?}: {told}");
        assert!(!told.contains("porphyria"), "{arguments:?}: {told}");
    }
    assert_eq!(bench.names("."), ["data.csv", "mine.toml", "policy.toml", "positions.toml", "release.csv"]);
}

#[test]
fn hard_use_1_1_names_can_be_given() {
    let bench = bench(&records());
    set(&bench, HEADER);
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    assert_eq!(bench.json("out/steward/manifest.json")["records"]["read"], 61);
    assert!(bench.text("out/public/release.csv").starts_with("age,sex,ill\n"));
    bench.privet(&["audit", "out"]).succeeds();
    bench.privet(&["attack", "out"]).succeeds();
    bench.privet(&["report", "out"]).succeeds();

    for (line, told) in [
        ("header = [\"age\", \"sex\"]", "lists 2 names, but the first line has 3 cells"),
        ("header = [\"age\", \"sex\", \"sex\"]", "have the same name 'sex'"),
        ("header = [\"age\", \"sex\", \"\"]", "no name for column 3"),
        ("header = 1", "true if the first line names the columns"),
        ("header = \"no\"", "true if the first line names the columns"),
    ] {
        let bench = self::bench(&records());
        set(&bench, line);
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
        assert!(outcome.stderr.contains(told), "{line}: {}", outcome.stderr);
    }
}

#[test]
fn hard_use_1_1_columns_without_names_are_numbered() {
    let bench = bench(&records());
    set(&bench, "header = false");
    for (at, name) in ["age", "sex", "ill"].iter().enumerate() {
        bench.edit("policy.toml", &format!("columns.{name}"), &format!("columns.column{}", at + 1));
    }
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    assert!(bench.text("out/public/release.csv").starts_with("column1,column2,column3\n"));
    assert_eq!(bench.json("out/steward/manifest.json")["records"]["read"], 61);
    bench.privet(&["audit", "out"]).succeeds();
    let build =
        ["hierarchy", "build", "data.csv", "column1", "--kind", "equal-width", "--width", "5", "-o", "h.csv"];
    bench.privet(&[&build[..], &["--header", "false"]].concat()).succeeds();
    assert!(bench.text("h.csv").contains("41"));
}

#[test]
fn hard_use_1_1_a_header_that_is_said_to_be_one_always_is() {
    // Years and letters as names, over numbers and letters.
    let bench = Bench::new();
    let rows: String =
        (0..40).map(|at| format!("{},{},{}\n", 2000 + at % 4, ["A", "B"][at % 2], at % 5)).collect();
    bench.write("data.csv", format!("2019,A,7\n{rows}"));
    bench.write("policy.toml", POLICY.replace(".age", ".2019").replace(".sex", ".A").replace(".ill", ".7"));
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
    set(&bench, "header = true");
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    assert!(bench.text("out/public/release.csv").starts_with("2019,A,7\n"));
    bench.privet(&["audit", "out"]).succeeds();
    bench.privet(&["init", "data.csv", "-o", "draft", "--header", "true"]).succeeds();
    assert!(bench.text("draft/policy.toml").contains("header = true\n"));
}

#[test]
fn hard_use_1_1_real_headers_are_not_refused() {
    let repeated = |text: &str, count: usize| text.repeat(count);
    let tables = [
        format!("age,sex,ill\n{}", repeated("34,F,flu\n35,M,cold\n", 20)),
        // Two files with the same header, joined.
        format!("age,sex,ill\n{0}age,sex,ill\n{0}", repeated("34,F,flu\n35,M,cold\n", 20)),
        // A value that is the name of its column.
        format!("age,sex,ill\n{}36,sex,flu\n", repeated("34,F,flu\n35,M,cold\n", 60)),
        format!("q1,q2,v2019\n{}", repeated("1,2,3\n3,2,1\n", 20)),
        format!("name,city,ill\n{}", repeated("Anna,Oslo,flu\nBo,Rome,cold\n", 20)),
        format!("postcode,born,ill\n{}", repeated("SW1A 1AA,1970-01-01,flu\nM1 1AE,1980-02-02,cold\n", 20)),
        "age,sex\n34,F\n35,M\n".to_string(),
    ];
    for table in tables {
        let bench = bench(&table);
        bench.privet(&["init", "data.csv", "-o", "draft"]).succeeds();
        assert!(!bench.text("draft/policy.toml").contains("header ="), "{table}");
    }
}

#[test]
fn hard_use_1_1_drafts_remember_what_the_first_line_is() {
    let bench = bench(&records());
    bench.privet(&["init", "data.csv", "-o", "draft", "--header", "false"]).succeeds();
    let draft = bench.text("draft/policy.toml");
    assert!(draft.contains("header = false\n") && draft.contains("[columns.column1]"), "{draft}");
    bench.privet(&["anonymize", "draft/policy.toml", "-o", "out"]).succeeds();
    bench.privet(&["init", "data.csv", "-o", "named", "--header", "age,sex,ill"]).succeeds();
    let draft = bench.text("named/policy.toml");
    assert!(
        draft.contains("header = [\"age\", \"sex\", \"ill\"]\n") && draft.contains("[columns.age]"),
        "{draft}"
    );
    bench.privet(&["anonymize", "named/policy.toml", "-o", "again"]).succeeds();
    bench.privet(&["audit", "again"]).succeeds();
}

#[test]
fn hard_use_1_1_other_kinds_of_data_have_headers_too() {
    let bench = Bench::new();
    let baskets: String = (0..40).map(|at| format!("{},{}\n", at / 2, ["milk", "bread"][at % 2])).collect();
    bench.write("long.csv", &baskets);
    bench.privet(&["init", "long.csv"]).exits(2);
    bench
        .privet(&["init", "long.csv", "--kind", "transactions", "--header", "basket,item", "-o", "draft"])
        .succeeds();
    let draft = bench.text("draft/policy.toml");
    assert!(
        draft.contains("form = \"long\"") && draft.contains("header = [\"basket\", \"item\"]"),
        "{draft}"
    );
    bench.privet(&["anonymize", "draft/policy.toml", "-o", "baskets"]).succeeds();
    assert_eq!(bench.json("baskets/steward/manifest.json")["records"]["read"], 20);

    bench.privet(&["example", "five-vocabularies"]).succeeds();
    let data = names(&bench.path("five-vocabularies"))
        .into_iter()
        .find(|name| name.ends_with(".csv"))
        .expect("data");
    let path = format!("five-vocabularies/{data}");
    let text = bench.text(&path);
    let (header, body) = text.split_once('\n').expect("a header");
    bench.write(&path, body);
    bench.privet(&["anonymize", "five-vocabularies/policy.toml", "-o", "bags"]).exits(2);
    let names: Vec<String> = header.split(',').map(|name| format!("{name:?}")).collect();
    let line = format!("[data]\nheader = [{}]\n", names.join(", "));
    bench.edit("five-vocabularies/policy.toml", "[data]\n", &line);
    bench.privet(&["anonymize", "five-vocabularies/policy.toml", "-o", "bags"]).succeeds();
    // Sets of items on lines have no header.
    bench.privet(&["example", "five-baskets"]).succeeds();
    bench.edit("five-baskets/policy.toml", "[data]\n", "[data]\nheader = false\n");
    let outcome = bench.privet(&["anonymize", "five-baskets/policy.toml", "-o", "lines"]).exits(2);
    assert!(
        outcome.stderr.contains("'data.header' only has a meaning with form = \"long\""),
        "{}",
        outcome.stderr
    );
}

/// Fails if any file of a public room has a text.
#[track_caller]
fn nowhere_in_public(bench: &Bench, release: &str, text: &str) {
    for (path, bytes) in bench.tree(&format!("{release}/public")) {
        let found = bytes.windows(text.len()).any(|window| window.eq_ignore_ascii_case(text.as_bytes()));
        assert!(!found, "{release}: {text} is in {}", path.display());
    }
}

#[test]
fn hard_use_1_1_names_of_columns_that_are_not_published_stay_inside() {
    for example in ["patients", "injector", "l-plus", "clinic", "symptoms", "freeform"] {
        let bench = Bench::with_example(example);
        let policy = bench.text(&format!("{example}/policy.toml"));
        let data = policy.split("path = \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a path");
        let path = format!("{example}/{data}");
        let text = bench.text(&path);
        let delimiter = if text.lines().next().expect("a header").contains(';') { ";" } else { "," };
        let more = |(at, line): (usize, &str)| match at {
            0 => format!("{line}{delimiter}zq7extra{delimiter}zq7ident\n"),
            at => format!("{line}{delimiter}zq7cell{}{delimiter}zq7person{at}\n", at % 3),
        };
        let text: String = text.lines().enumerate().map(more).collect();
        bench.write(&path, text);
        let at = policy.find("[columns").expect("columns");
        let (before, after) = policy.split_at(at);
        let named = format!("{before}[columns.zq7ident]\nrole = \"identifier\"\n{after}");
        bench.write(&format!("{example}/policy.toml"), named);
        bench.privet(&["anonymize", &format!("{example}/policy.toml"), "-o", "out"]).exits(0);
        nowhere_in_public(&bench, "out", "zq7");
        assert!(bench.text("out/steward/report.html").contains("zq7"), "{example}: the steward knows");
        bench.privet(&["report", "out"]).exits(0);
        nowhere_in_public(&bench, "out", "zq7");
    }
}

#[test]
fn hard_use_1_1_columns_of_roles_that_a_method_does_not_publish_stay_inside() {
    for (example, role) in
        [("injector", "other"), ("injector", "class"), ("clinic", "other"), ("clinic", "class")]
    {
        let bench = Bench::with_example(example);
        let policy = bench.text(&format!("{example}/policy.toml"));
        let data = policy.split("path = \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a path");
        let path = format!("{example}/{data}");
        let text = bench.text(&path);
        let delimiter = if text.lines().next().expect("a header").contains(';') { ";" } else { "," };
        let more = |(at, line): (usize, &str)| match at {
            0 => format!("{line}{delimiter}zq7role\n"),
            at => format!("{line}{delimiter}{}\n", ["x", "y"][at % 2]),
        };
        let text: String = text.lines().enumerate().map(more).collect();
        bench.write(&path, text);
        let (before, after) = policy.split_at(policy.find("[columns").expect("columns"));
        bench.write(
            &format!("{example}/policy.toml"),
            format!("{before}[columns.zq7role]\nrole = \"{role}\"\n{after}"),
        );
        let outcome = bench.privet(&["anonymize", &format!("{example}/policy.toml"), "-o", "out"]);
        if outcome.status == Some(2) {
            continue;
        }
        outcome.exits(0);
        nowhere_in_public(&bench, "out", "zq7");
    }
}

#[test]
fn hard_use_1_1_columns_of_logs_and_baskets_stay_inside() {
    let bench = Bench::with_example("five-vocabularies");
    let data = names(&bench.path("five-vocabularies"))
        .into_iter()
        .find(|name| name.ends_with(".csv"))
        .expect("data");
    let path = format!("five-vocabularies/{data}");
    let text = bench.text(&path);
    let more =
        |(at, line): (usize, &str)| if at == 0 { format!("{line},zq7x\n") } else { format!("{line},zq7y\n") };
    let text: String = text.lines().enumerate().map(more).collect();
    bench.write(&path, text);
    bench.privet(&["anonymize", "five-vocabularies/policy.toml", "-o", "out"]).exits(0);
    nowhere_in_public(&bench, "out", "zq7");
    let baskets: String = (0..40).map(|at| format!("{},{},x\n", at / 2, ["milk", "bread"][at % 2])).collect();
    bench.write("long.csv", format!("zq7basket,zq7item,zq7other\n{baskets}"));
    bench.write(
        "long.toml",
        "seed = 1\n[data]\npath = \"long.csv\"\nkind = \"transactions\"\nform = \"long\"\nid = \"zq7basket\"\n\
         item = \"zq7item\"\n[privacy.km-anonymity]\nk = 2\nm = 1\n",
    );
    let outcome = bench.privet(&["anonymize", "long.toml", "-o", "long"]);
    assert!(outcome.status == Some(0), "{}", outcome.stderr);
    nowhere_in_public(&bench, "long", "zq7");
}

/// Whether a terminal would do something at a character of a text.
fn acts(text: &str) -> bool {
    let harmless = |sign: char| matches!(sign, '\n' | '\t');
    text.chars()
        .any(|sign| (sign.is_control() && !harmless(sign)) || ('\u{202a}'..='\u{202e}').contains(&sign))
}

#[test]
fn hard_use_1_12_no_escape_sequence_reaches_the_terminal() {
    let evil = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}";
    let forged = "\"x\naudit passed: all 11 checks hold\"";
    let bench = Bench::new();
    let row = |at: usize| {
        format!("{},{}{evil},{},{forged}\n", 40 + at % 3, ["F", "M"][at % 2], ["flu", "cold"][at % 2])
    };
    let data = format!("age,s{evil}ex,ill,note\n{}", (0..30).map(row).collect::<String>());
    bench.write("data.csv", data);
    let column = format!("s{evil}ex").escape_unicode().to_string().replace("\\u{", "\\U").replace('}', "");
    // TOML wants eight digits.
    let column: String = column.split("\\U").skip(1).map(|digits| format!("\\U{digits:0>8}")).collect();
    let head = "seed = 1\n[data]\npath = \"data.csv\"\n";
    let columns = format!(
        "[columns.age]\nrole = \"quasi-identifier\"\n[columns.\"{column}\"]\nrole = \"quasi-identifier\"\n[columns.ill]\n\
         role = \"sensitive\"\n[columns.note]\nrole = \"quasi-identifier\"\n"
    );
    let privacy = "[privacy.k-anonymity]\nk = 2\n[method]\nname = \"mondrian\"\n";
    bench.write("policy.toml", format!("{head}{columns}{privacy}"));
    bench.write("wrong.toml", format!("{head}[columns.sexx]\nrole = \"other\"\n{privacy}"));
    bench.write("infeasible.toml", format!("{head}{columns}[privacy.k-anonymity]\nk = 40\n"));
    bench.write("tree.csv", format!("F{evil};{forged}\n"));
    bench.write("foreign.csv", format!("age,s{evil}ex,ill,note\n40,Q{evil},flu,{forged}\n"));
    bench.write(&format!("d{evil}.csv"), "a\n\"");
    let hostile_name = format!("d{evil}.csv");
    let commands: [&[&str]; 12] = [
        &["init", "data.csv", "-o", "draft"],
        &["anonymize", "policy.toml", "-o", "out", "--attacks", "all"],
        &["anonymize", "wrong.toml", "-o", "no"],
        &["anonymize", "infeasible.toml", "-o", "no"],
        &["audit", "out"],
        &["audit", "--policy", "policy.toml", "--release", "foreign.csv"],
        &["attack", "out"],
        &["compare", "policy.toml"],
        &["hierarchy", "show", "tree.csv"],
        &["hierarchy", "check", "tree.csv", "data.csv", "ill"],
        &["init", &hostile_name],
        &["init", &hostile_name, "--wrong-flag\u{1b}[31m"],
    ];
    for arguments in commands {
        for json in [false, true] {
            let mut command = command();
            command.args(arguments).current_dir(bench.root());
            if json {
                command.arg("--json");
                let _ = fs::remove_dir_all(bench.path("draft"));
                let _ = (arguments[0] == "anonymize").then(|| fs::remove_dir_all(bench.path("out")));
            }
            let outcome = run(command);
            assert!(!acts(&outcome.stdout) && !acts(&outcome.stderr), "{arguments:?}: {outcome:?}");
            let forged = |text: &str| {
                text.lines().filter(|line| line.trim_matches('"').starts_with("audit passed")).count()
            };
            let most = usize::from(
                !json && matches!(arguments[..2], ["anonymize" | "audit", "policy.toml" | "out"]),
            );
            assert!(
                forged(&outcome.stdout) <= most && forged(&outcome.stderr) == 0,
                "{arguments:?}: {outcome:?}"
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn hard_use_1_12_links_pipes_and_folders_are_no_release() {
    let make = || {
        let bench = bench(&format!("age,sex,ill\n{}", records()));
        bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
        bench.privet(&["audit", "out"]).succeeds();
        bench
    };
    let replaced = |how: &dyn Fn(&Path, &Path)| {
        let bench = make();
        let (file, aside) = (bench.path("out/public/release.csv"), bench.path("aside.csv"));
        fs::rename(&file, &aside).expect("moved");
        how(&aside, &file);
        let outcome = bench.privet(&["audit", "out"]).exits(4);
        assert!(outcome.stdout.contains("✗ files: release.csv"), "{}", outcome.stdout);
        bench.privet(&["attack", "out"]).exits(4);
        bench.privet(&["report", "out"]).exits(4);
        outcome.stdout
    };
    assert!(replaced(&|aside, file| symlink(aside, file).expect("linked")).contains("a symbolic link"));
    assert!(replaced(&|aside, file| fs::hard_link(aside, file).expect("linked")).contains("another name"));
    assert!(replaced(&|_, file| fs::create_dir(file).expect("made")).contains("a directory"));
    assert!(replaced(&|_, file| symlink("/nowhere", file).expect("linked")).contains("a symbolic link"));
    let pipe = |_: &Path, file: &Path| {
        assert!(std::process::Command::new("mkfifo").arg(file).status().expect("mkfifo").success());
    };
    assert!(replaced(&pipe).contains("a pipe"));
    // The folder itself.
    let bench = make();
    fs::rename(bench.path("out/public"), bench.path("elsewhere")).expect("moved");
    symlink(bench.path("elsewhere"), bench.path("out/public")).expect("linked");
    assert!(bench.privet(&["audit", "out"]).exits(4).stdout.contains("public/ is a symbolic link"));
}

#[test]
fn hard_use_1_12_fields_of_compressed_files_are_looked_at() {
    let bench = bench(&format!("age,sex,ill\n{}", records()));
    bench.privet(&["anonymize", "policy.toml", "-o", "out", "--format", "csv.gz"]).succeeds();
    let audit = bench.privet(&["audit", "out", "--verbose"]).succeeds();
    assert!(audit.stdout.contains("✓ container"), "{}", audit.stdout);
    // The same data with other fields in the header: the flags say which are there.
    let made = bench.read("out/public/release.csv.gz");
    let audit = |flag: u8, field: &[u8], time: u8, status: i32| {
        let head = [&made[..3], &[flag, time, 0, 0, 0], &made[8..10]].concat();
        bench.write("theirs.csv.gz", [&head, field, &made[10..]].concat());
        let audited = ["audit", "--policy", "policy.toml", "--release", "theirs.csv.gz"];
        bench.privet(&audited).exits(status).stdout
    };
    const EXTRA: u8 = 4;
    const NAME: u8 = 8;
    const COMMENT: u8 = 16;
    audit(0, b"", 0, 0);
    // The file's own name tells nothing. A time, which `gzip` writes without `-n`, does.
    audit(NAME, b"theirs.csv\0", 0, 0);
    let timed = audit(NAME, b"theirs.csv\0", 7, 4);
    assert!(timed.contains("when it was compressed") && timed.contains("gzip -n"), "{timed}");
    for (flag, field) in [
        (NAME, &b"anna-aasen.csv\0"[..]),
        (COMMENT, b"Anna has porphyria\0"),
        (EXTRA, b"\x08\x00AA\x04\x00flu!"),
    ] {
        let told = audit(flag, field, 0, 4);
        assert!(told.contains("✗ container") && !told.contains("anna") && !told.contains("Anna"), "{told}");
    }
    // The attack finds what the release hides.
    let hidden = bench.text("data.csv").replace("porphyria", "Anna-Aasen-1970");
    bench.write("data.csv", hidden);
    audit(COMMENT, b"Anna-Aasen-1970\0", 0, 4);
    let attacked = ["attack", "--policy", "policy.toml", "--release", "theirs.csv.gz", "--only", "container"];
    let told = bench.privet(&attacked).exits(0).stdout;
    assert!(told.contains("ill=Anna-Aasen-1970 is in a file"), "{told}");
}

#[test]
fn hard_use_1_12_the_audit_warns_of_values_that_look_alike() {
    for (other, word) in
        [("flu ", "look the same"), ("FLU", "differ only in case"), ("fl\u{443}", "look the same")]
    {
        let original = if other.contains('\u{443}') { "fly" } else { "flu" };
        let rows: String =
            (0..40).map(|at| format!("{},F,{}\n", 30 + at % 2, [original, other][at / 2 % 2])).collect();
        let bench = bench(&format!("age,sex,ill\n{rows}"));
        let made = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
        let warning = made.stderr.lines().find(|line| line.contains(word)).expect("a warning").to_string();
        assert!(warning.contains("column 'ill'"), "{warning}");
        let foreign = ["audit", "--policy", "policy.toml", "--release", "out/public/release.csv"];
        for arguments in [&["audit", "out"][..], &foreign] {
            let audited = bench.privet(arguments).exits(0);
            assert!(audited.stderr.contains(&warning), "{arguments:?}: {}", audited.stderr);
            let json = bench.privet(&[arguments, &["--json"]].concat()).exits(0).json();
            assert!(json["warnings"][0].as_str().is_some_and(|told| told.contains(word)), "{json}");
        }
    }
}

/// Writes a table as Parquet and as Arrow.
fn write_typed(bench: &Bench, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter(columns).expect("a batch");
    let file = fs::File::create(bench.path("data.parquet")).expect("a file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
}

/// Forty people with a column of each kind that made trouble.
fn typed() -> Bench {
    let bench = Bench::new();
    let count = 40;
    let texts = |of: &dyn Fn(usize) -> &'static str| {
        Arc::new((0..count).map(|at| Some(of(at))).collect::<StringArray>())
    };
    let number = Arc::new(Int64Array::from_iter_values(0..count as i64)) as ArrayRef;
    let structure = StructArray::try_from(vec![("number", number)]).expect("a structure");
    let cents = Decimal128Array::from_iter_values((0..count).map(|at| 1_000 + 5 * (at as i128 % 4)));
    let moments: PrimitiveArray<TimestampSecondType> =
        PrimitiveArray::from_iter_values((0..count).map(|at| 1_704_079_800 + at as i64 % 2));
    write_typed(
        &bench,
        vec![
            ("", Arc::new(Int64Array::from_iter_values(0..count as i64)) as ArrayRef),
            ("age", Arc::new(Int64Array::from_iter_values((0..count as i64).map(|at| 30 + at % 2)))),
            ("tags", Arc::new(structure)),
            ("ill", texts(&|at| ["flu", "cold"][at % 2])),
            ("paid", Arc::new(cents.with_precision_and_scale(9, 2).expect("decimals"))),
            ("seen", Arc::new(moments.with_timezone("America/New_York"))),
            (
                "number",
                Arc::new(UInt64Array::from_iter_values((0..count).map(|at| u64::MAX - at as u64 % 2))),
            ),
        ],
    );
    let column = |name: &str, role: &str| format!("[columns.{name}]\nrole = \"{role}\"\n");
    bench.write(
        "policy.toml",
        format!(
            "seed = 1\n[data]\npath = \"data.parquet\"\n{}{}{}{}{}[privacy.k-anonymity]\nk = 2\n",
            column("age", "quasi-identifier"),
            column("ill", "sensitive"),
            column("paid", "other"),
            column("seen", "other"),
            column("number", "other")
        ),
    );
    bench
}

#[test]
fn hard_use_3_typed_columns_keep_what_they_are() {
    let bench = typed();
    for format in ["parquet", "arrow", "csv"] {
        bench.privet(&["anonymize", "policy.toml", "-o", format, "--format", format]).exits(0);
        bench.privet(&["audit", format]).exits(0);
        let released = rows(&bench.path(&format!("{format}/public/release.{format}")));
        assert_eq!(released[0], ["age", "ill", "paid", "seen", "number"]);
        // New Year's Eve there, New Year's Day in UTC.
        assert!(
            released[1..]
                .iter()
                .all(|row| row[3].starts_with("2023-12-31T22:30:0") && row[3].ends_with("-05:00"))
        );
        assert!(
            released[1..].iter().all(|row| row[2].starts_with("10.") && row[2].len() == 5),
            "{:?}",
            released[1]
        );
        assert!(released[1..].iter().any(|row| row[4] == u64::MAX.to_string()), "{:?}", released[1]);
    }
    let file = fs::File::open(bench.path("parquet/public/release.parquet")).expect("a file");
    let reader =
        parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).expect("a reader");
    let types: Vec<String> =
        reader.schema().fields().iter().map(|field| field.data_type().to_string()).collect();
    assert_eq!(types[2], "Decimal128(9, 2)");
    assert_eq!(types[4], "UInt64");
    // As numbers they can be ordered.
    let build = [
        "hierarchy",
        "build",
        "data.parquet",
        "paid",
        "--kind",
        "equal-width",
        "--width",
        "0.1",
        "-o",
        "h.csv",
    ];
    bench.privet(&build).succeeds();
    let dates = ["hierarchy", "build", "data.parquet", "seen", "--kind", "dates", "-o", "dates.csv"];
    bench.privet(&dates).succeeds();
    assert!(bench.text("dates.csv").contains(";2023-12-31;") && !bench.text("dates.csv").contains("2024"));
}

#[test]
fn hard_use_3_columns_that_cannot_be_read_are_left_out_unless_mentioned() {
    let bench = typed();
    let drafted = bench.privet(&["init", "data.parquet", "-o", "draft"]).exits(0);
    assert!(drafted.stderr.contains("column 'tags' has the type Struct"), "{}", drafted.stderr);
    assert!(
        drafted.stderr.contains("column 1 has no name in the file; it is called 'column1'"),
        "{}",
        drafted.stderr
    );
    assert!(!bench.text("draft/policy.toml").contains("[columns.tags]"));
    bench.edit("policy.toml", "[columns.ill]", "[columns.tags]\nrole = \"other\"\n[columns.ill]");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
    assert!(outcome.stderr.contains("column 'tags' has the type Struct"), "{}", outcome.stderr);
    let build = ["hierarchy", "build", "data.parquet", "tags", "--kind", "categories", "-o", "h.csv"];
    let outcome = bench.privet(&build).exits(2);
    assert!(outcome.stderr.contains("column 'tags' has the type Struct"), "{}", outcome.stderr);
    // In a release such a column could hold anything.
    bench.edit("policy.toml", "[columns.tags]\nrole = \"other\"\n", "");
    let foreign = ["audit", "--policy", "policy.toml", "--release", "data.parquet"];
    let outcome = bench.privet(&foreign).exits(2);
    assert!(outcome.stderr.contains("column 'tags' has the type Struct"), "{}", outcome.stderr);
}

#[test]
fn hard_use_3_a_nameless_index_gets_a_name() {
    let bench = Bench::new();
    let rows: String =
        (0..40).map(|at| format!("{at},{},{}\n", 30 + at % 3, ["flu", "cold"][at % 2])).collect();
    bench.write("data.csv", format!(",age,ill\n{rows}"));
    let drafted = bench.privet(&["init", "data.csv", "-o", "draft"]).exits(0);
    assert!(
        drafted.stderr.contains("column 1 has no name in the file; it is called 'column1'"),
        "{}",
        drafted.stderr
    );
    let draft = bench.text("draft/policy.toml");
    // What counts rows identifies them.
    let index = draft.split("[columns.column1]").nth(1).and_then(|rest| rest.split("[columns").next());
    assert!(index.is_none_or(|index| index.contains("role = \"identifier\"")), "{draft}");
    bench.privet(&["anonymize", "draft/policy.toml", "-o", "out"]).exits(0);
    nowhere_in_public(&bench, "out", "column1");
}

/// Every `1` with a noun in the plural after it.
fn ones_in_the_plural(text: &str) -> Vec<String> {
    const NOUNS: [&str; 12] = [
        "records",
        "people",
        "transactions",
        "rows",
        "classes",
        "columns",
        "values",
        "items",
        "groups",
        "terms",
        "vocabularies",
        "cells",
    ];
    let starts = text.match_indices("1 ").filter(|(at, _)| {
        // 21, 0.1 and 5–1 are other numbers.
        !text[..*at].ends_with(|sign: char| sign.is_alphanumeric() || ".,–-−/=<≤≥".contains(sign))
    });
    let found = starts.filter_map(|(at, _)| {
        let word: String = text[at + 2..].chars().take_while(|sign| sign.is_alphabetic()).collect();
        NOUNS.contains(&word.as_str()).then(|| format!("1 {word}"))
    });
    found.collect()
}

#[test]
fn hard_use_3_one_thing_is_not_many() {
    assert_eq!(ones_in_the_plural("of 1 records, 21 records, 0.1 rows, 1 record"), ["1 records"]);
    let bench = Bench::new();
    for example in ["patients", "l-plus", "injector", "five-baskets", "five-vocabularies", "baskets", "ward"]
    {
        let run = bench.privet(&["example", example, "--run"]).succeeds();
        let audited = bench.privet(&["audit", &format!("{example}-release")]).succeeds();
        let files = ["public/report.html", "steward/report.html"]
            .map(|file| bench.text(&format!("{example}-release/{file}")));
        for text in files.iter().chain([&run.stdout, &run.stderr, &audited.stdout]) {
            let found = ones_in_the_plural(text);
            assert!(found.is_empty(), "{example}: {found:?}");
        }
    }
}

/// Names of people and one more column, made up by number, without a header.
fn people_and(more: impl Fn(usize) -> String) -> String {
    let syllables = ["ba", "fe", "ga", "ko", "le", "mi", "ni", "ra", "so", "tu"];
    let word = |at: usize| [at / 100 % 10, at / 10 % 10, at % 10].map(|part| syllables[part]).concat();
    let capital = |word: String| word[..1].to_uppercase() + &word[1..];
    (0..200)
        .map(|at| {
            let at = at * 37 + 11;
            let more = more(at).replace("Word", &capital(word(at * 7))).replace("word", &word(at * 7));
            format!("{} {},{more}\n", capital(word(at)), capital(word(at * 3)))
        })
        .collect()
}

#[test]
fn hard_use_1_1_records_of_names_and_text_with_digits_or_signs_are_refused() {
    let doses = "Ann Lee,Xanax 50 mg\nBob Ray,Prozac 20 mg\nCid Poe,Zoloft 50 mg\nDee Fox,Ambien 10 mg\n\
                 Eve Orr,Lipitor 40 mg\nFay Dow,Celexa 20 mg\nGus Kay,Plavix 75 mg\nHal Roe,Crestor 10 mg\n";
    let tables = [
        doses.to_string(),
        people_and(|at| format!("Wordstr. {}", at % 90 + 10)),
        people_and(|at| format!("Word-{}", at % 90 + 10)),
        people_and(|at| format!("word{}", at % 90 + 10)),
        people_and(|at| format!("https://word.org/{}", ["", "a", "b/c"][at % 3])),
        people_and(|_| "/home/word".to_string()),
        people_and(|at| format!("word_{}", ["soso", "lena", "tibo"][at % 3])),
        people_and(|_| "Dr. Word".to_string()),
    ];
    for table in tables {
        let bench = bench(&table);
        let outcome = bench.privet(&["init", "data.csv", "-o", "draft"]).exits(2);
        assert!(outcome.stderr.contains("looks like a record"), "{table}\n{}", outcome.stderr);
        let first = table.lines().next().expect("a line");
        assert!(first.split(',').all(|cell| !outcome.stderr.contains(cell)), "{}", outcome.stderr);
        let named = format!("name,what\n{table}");
        bench.write("data.csv", named);
        bench.privet(&["init", "data.csv", "-o", "draft"]).succeeds();
    }
}

#[test]
fn hard_use_1_1_odd_names_among_names_are_a_header() {
    let rows: String = (0..60)
        .map(|at| {
            format!(
                "{},{},{},{},{}\n",
                ["Norway", "Italy"][at % 2],
                ["F", "M"][at / 2 % 2],
                20 + at % 9,
                at % 7,
                at % 5
            )
        })
        .collect();
    let bench = bench(&format!("country,sex,age,2019,2020\n{rows}"));
    bench.privet(&["init", "data.csv", "-o", "draft"]).succeeds();
    // Without names for sure, somebody has to say so.
    bench.write("data.csv", format!("18-24,25-34,35-44\n{}", "1,2,3\n4,5,6\n".repeat(30)));
    bench.privet(&["init", "data.csv", "-o", "ranges"]).exits(2);
    bench.privet(&["init", "data.csv", "-o", "ranges", "--header", "true"]).succeeds();
}

#[test]
fn hard_use_1_12_a_message_shows_nobodys_cells() {
    let bench = Bench::with_example("injector");
    bench.edit("injector/policy.toml", "l = 2 ", "l = 9 ");
    let outcome = bench.privet(&["anonymize", "injector/policy.toml", "-o", "out"]).exits(3);
    assert!(outcome.stderr.contains("cannot have l = 9 possible values"), "{}", outcome.stderr);
    let data = bench.text("injector/patients.csv");
    for cell in data.lines().skip(1).flat_map(|line| line.split(',')).filter(|cell| cell.len() > 2) {
        assert!(!outcome.stderr.contains(cell), "{cell}: {}", outcome.stderr);
    }
}

#[test]
fn hard_use_1_12_no_escape_sequence_reaches_the_public_report() {
    let bench = Bench::with_example("patients");
    let keys = "[report]\ntitle = \"a\\u001b[2Jb\\u202ec\"\nowner = \"d\\u009be\"\n";
    let policy = bench.text("patients/policy.toml");
    bench.write("patients/policy.toml", format!("{policy}\n{keys}"));
    bench.privet(&["anonymize", "patients/policy.toml", "-o", "out"]).succeeds();
    for report in ["out/public/report.html", "out/steward/report.html"] {
        let text = bench.text(report);
        assert!(!acts(&text) && text.contains("[2Jb"), "{report}");
    }
}

#[test]
fn hard_use_3_the_last_part_of_a_key_is_not_enough() {
    let bench = Bench::with_example("patients");
    let outcome = bench.privet(&["compare", "patients/policy.toml", "--vary", "k=2,3"]).exits(2);
    assert!(outcome.stderr.contains("did you mean privacy.k-anonymity.k?"), "{}", outcome.stderr);
    let help = bench.privet(&["init", "--help"]).succeeds();
    assert!(help.stdout.contains("privet example queries"), "{}", help.stdout);
}
