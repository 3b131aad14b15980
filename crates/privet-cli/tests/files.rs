//! Files as people have them: encodings, layouts, dates, numbers, several files, standard input, JSON lines.

use std::fs;
use std::process::Stdio;

use crate::common::{Bench, command, rows, run};

const POLICY: &str = "seed = 70000000007\n[data]\npath = \"data.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n\
                      [columns.town]\nrole = \"quasi-identifier\"\n[columns.ill]\nrole = \"sensitive\"\n\
                      [privacy.k-anonymity]\nk = 2\n[method]\nname = \"mondrian\"\n";

/// Twelve people, as UTF-8.
fn people() -> String {
    let mut text = String::from("age,town,ill\n");
    for number in 0..12 {
        let town = ["Köln", "Nîmes", "Bonn"][number % 3];
        text += &format!("{},{town},{}\n", 30 + number, ["flu", "none"][number % 2]);
    }
    text
}

fn bench(data: impl AsRef<[u8]>) -> Bench {
    let bench = Bench::new();
    bench.write("policy.toml", POLICY);
    bench.write("data.csv", data);
    bench
}

/// Makes a release and returns its table; the audit passes, and passes once more.
#[track_caller]
fn released(bench: &Bench) -> (Vec<u8>, String) {
    let made = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    bench.privet(&["audit", "out"]).succeeds();
    let table = bench.read("out/public/release.csv");
    fs::remove_dir_all(bench.path("out")).expect("removed");
    (table, made.stdout)
}

#[test]
fn encodings_make_no_difference() {
    let text = people();
    let (expected, stdout) = released(&bench(&text));
    assert!(!stdout.contains("is read as"), "{stdout}");
    let utf_16: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bare: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let latin: Vec<u8> = text.chars().map(|sign| u8::try_from(sign).expect("Latin-1")).collect();
    for (bytes, name) in [(utf_16, "utf-16le"), (bare, "utf-16be"), (latin.clone(), "windows-1252")] {
        let (table, stdout) = released(&bench(bytes));
        assert_eq!(table, expected, "{name}");
        assert!(stdout.contains(&format!("'data.csv' is read as {name}")), "{stdout}");
    }
    let bench = bench(latin);
    bench.edit("policy.toml", "[data]", "[data]\nencoding = \"latin1\"");
    assert_eq!(released(&bench).0, expected);
    bench.edit("policy.toml", "latin1", "utf-8");
    let refused = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
    assert!(refused.stderr.contains("data.csv:2: the row is not valid UTF-8"), "{}", refused.stderr);
}

/// A letter that shows the encoding may come long after the start of a file.
#[test]
fn an_encoding_may_show_late() {
    let mut data = b"age,town,ill\n".to_vec();
    (0..40_000).for_each(|number| data.extend(format!("{},Bonn,flu\n", 30 + number % 10).into_bytes()));
    data.extend(b"30,K\xf6ln,flu\n31,K\xf6ln,none\n".repeat(2));
    let (table, stdout) = released(&bench(data));
    assert!(String::from_utf8(table).expect("UTF-8").contains("Köln"));
    assert!(stdout.contains("is read as windows-1252"), "{stdout}");
}

#[test]
fn lines_that_are_not_part_of_the_table_are_passed_over() {
    let text = people();
    let (expected, _) = released(&bench(&text));
    let (table, stdout) = released(&bench(format!("Report of May\n\n{text}")));
    assert_eq!(table, expected);
    assert!(stdout.contains("the first 2 lines of 'data.csv'"), "{stdout}");
    assert_eq!(released(&bench(format!("# made, today\n# by me\n{text}"))).0, expected);
    let spoken = bench(format!("a title, and more\n{}", text.replace("31,", "#31,x,y,z\n31,")));
    spoken.edit("policy.toml", "[data]", "[data]\nskip = 1\ncomment = \"#\"");
    assert_eq!(released(&spoken).0, expected);
    let quoted = text.lines().map(|line| format!("'{}'\n", line.replace(',', "','"))).collect::<String>();
    assert_eq!(released(&bench(quoted)).0, expected);
}

#[test]
fn dates_and_numbers_are_read_as_the_policy_says() {
    let bench = Bench::new();
    let mut text = String::from("born;income;ill\n");
    for number in 0..12 {
        let (day, month) = (number + 10, number % 2 + 1);
        text += &format!("{day}/0{month}/1942;1.{:03},50 €;{}\n", 100 + number, ["flu", "none"][number % 2]);
    }
    text += "?;;flu\n";
    bench.write("data.csv", &text);
    let build = ["hierarchy", "build", "data.csv", "born", "--kind", "dates", "--missing", "?", "-o"];
    bench.privet(&[&build[..], &["raw.csv"]].concat()).succeeds();
    assert!(bench.text("raw.csv").contains("10/01/1942;1942-01;1942-Q1;1942;1940s;*"));
    bench.privet(&[&build[..], &["iso.csv", "--date", "%d/%m/%Y"]].concat()).succeeds();
    assert!(bench.text("iso.csv").contains("1942-01-10;1942-01;1942-Q1;1942;1940s;*"));
    bench.write(
        "policy.toml",
        "seed = 70000000007\n[data]\npath = \"data.csv\"\nmissing = [\"?\", \"\"]\n\
         [columns.born]\nrole = \"quasi-identifier\"\nhierarchy = \"iso.csv\"\ndate = \"%d/%m/%Y\"\n\
         [columns.income]\nrole = \"quasi-identifier\"\ndecimal = \",\"\nunit = \"€\"\n\
         [columns.ill]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 3\n[method]\nname = \"mondrian\"\n",
    );
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    bench.privet(&["audit", "out"]).succeeds();
    let table = rows(&bench.path("out/public/release.csv"));
    assert_eq!(table.len(), 13, "a header and the twelve people with a birthday");
    assert!(table[1..].iter().all(|row| row[0].starts_with("194") && row[1].contains("110")), "{table:?}");
    // Without the key, the year is at the wrong end; with a wrong one, the run stops at the line.
    bench.edit("policy.toml", "%d/%m/%Y", "%m/%d/%Y");
    let refused = bench.privet(&["anonymize", "policy.toml", "-o", "wrong"]).exits(2);
    assert!(refused.stderr.contains("data.csv:5: '13/02/1942' in column 'born'"), "{}", refused.stderr);
    assert!(!bench.path("wrong").exists());
}

#[test]
fn types_hold() {
    let text = people();
    let typed = |text: &str, column: &str, word: &str| {
        let bench = bench(text);
        let section = format!("[columns.{column}]");
        bench.edit("policy.toml", &section, &format!("{section}\ntype = \"{word}\""));
        bench
    };
    let (expected, _) = released(&bench(&text));
    assert_eq!(released(&typed(&text, "age", "number")).0, expected);
    assert!(String::from_utf8_lossy(&expected).contains('['), "numbers are published as ranges");
    for word in ["category", "code", "text"] {
        let (codes, _) = released(&typed(&text, "age", word));
        assert!(!String::from_utf8_lossy(&codes).contains('['), "{word}: codes are never ranges");
    }
    for (word, cell) in [("number", "thirty"), ("date", "31.1.1942")] {
        let bench = typed(&text.replacen("30,", &format!("{cell},"), 1), "age", word);
        let refused = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
        assert!(refused.stderr.contains(&format!("data.csv:2: '{cell}'")), "{}", refused.stderr);
    }
    let days: String =
        (10..22).map(|day| format!("{day}/1/1942,Bonn,{}\n", ["flu", "none"][day % 2])).collect();
    let dated = typed(&format!("age,town,ill\n{days}"), "age", "date");
    dated.edit("policy.toml", "type = \"date\"", "type = \"date\"\ndate = \"%d/%m/%Y\"");
    released(&dated);
    let bench = typed(&text, "age", "code");
    bench.edit("policy.toml", "type = \"code\"", "type = \"code\"\ndecimal = \",\"");
    let refused = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
    assert!(
        refused.stderr.contains("type' says") && refused.stderr.contains("decimal'"),
        "{}",
        refused.stderr
    );
}

#[test]
fn dates_that_can_be_read_in_two_ways_are_not_guessed() {
    let bench = Bench::new();
    bench.write("data.csv", "born,sex\n01/02/1942,m\n03/04/1950,f\n");
    let build = ["hierarchy", "build", "data.csv", "born", "--kind", "dates", "-o", "h.csv"];
    let refused = bench.privet(&build).exits(2);
    for words in ["%d/%m/%Y", "%m/%d/%Y", "--date"] {
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
    assert!(!bench.path("h.csv").exists());
    bench.privet(&[&build[..], &["--date", "%m/%d/%Y"]].concat()).succeeds();
    assert!(bench.text("h.csv").contains("1942-01-02;1942-01;"));
}

#[test]
fn several_files_are_one_table() {
    let text = people();
    let (expected, _) = released(&bench(&text));
    let lines: Vec<&str> = text.lines().collect();
    let bench = Bench::new();
    bench.write("policy.toml", POLICY);
    for (part, rows) in lines[1..].chunks(5).enumerate() {
        bench.write(&format!("part-{part}.csv"), format!("{}\n{}\n", lines[0], rows.join("\n")));
    }
    bench.edit("policy.toml", "\"data.csv\"", "\"part-*.csv\"");
    assert_eq!(released(&bench).0, expected);
    bench.edit("policy.toml", "\"part-*.csv\"", "[\"part-2.csv\", \"part-0.csv\", \"part-1.csv\"]");
    assert_eq!(released(&bench).0, expected, "the order of rows does not matter");
    bench.write("part-1.csv", "town,age,ill\nBonn,34,flu\n");
    let refused = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
    assert!(
        refused.stderr.contains("part-1.csv") && refused.stderr.contains("same columns"),
        "{}",
        refused.stderr
    );
}

#[test]
fn standard_input_is_read_once_and_nothing_is_left_of_it() {
    let (expected, _) = released(&bench(people()));
    let bench = bench(people());
    bench.edit("policy.toml", "\"data.csv\"", "\"-\"");
    fs::create_dir(bench.path("temporary")).expect("made");
    let piped = |arguments: &[&str]| {
        let mut command = command();
        command.args(arguments).current_dir(bench.root()).env("TMPDIR", bench.path("temporary"));
        command.stdin(Stdio::from(fs::File::open(bench.path("data.csv")).expect("a file")));
        run(command)
    };
    piped(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    assert_eq!(bench.read("out/public/release.csv"), expected);
    assert!(bench.names("temporary").is_empty(), "{:?}", bench.names("temporary"));
    bench.privet(&["audit", "out", "--original", "data.csv"]).succeeds();
    bench.write("data.csv", "age,town,ill\n1,2\n");
    let refused = piped(&["anonymize", "policy.toml", "-o", "other"]).exits(2);
    assert!(refused.stderr.contains("standard input:2:"), "{}", refused.stderr);
    assert!(bench.names("temporary").is_empty());
}

#[test]
fn drafts_of_several_files_and_of_standard_input_run_as_they_are() {
    let text = people();
    let lines: Vec<&str> = text.lines().collect();
    let bench = Bench::new();
    for (part, rows) in lines[1..].chunks(5).enumerate() {
        bench.write(&format!("part-{part}.csv"), format!("{}\n{}\n", lines[0], rows.join("\n")));
    }
    // A shell names the files; in quotes the pattern stays.
    bench.privet(&["init", "part-0.csv", "part-1.csv", "part-2.csv", "-o", "listed"]).succeeds();
    bench.privet(&["init", "part-*.csv", "-o", "pattern"]).succeeds();
    assert!(bench.text("listed/policy.toml").contains("path = [\"../part-0.csv\", \"../part-1.csv\", "));
    assert!(bench.text("pattern/policy.toml").contains("path = \"../part-*.csv\""));
    for draft in ["listed", "pattern"] {
        let policy = format!("{draft}/policy.toml");
        bench.privet(&["anonymize", &policy, "-o", &format!("{draft}-out"), "--seed", "7"]).succeeds();
    }
    assert_eq!(bench.read("listed-out/public/release.csv"), bench.read("pattern-out/public/release.csv"));
    let piped = |arguments: &[&str]| {
        let mut command = command();
        command.args(arguments).current_dir(bench.root());
        command.stdin(Stdio::from(fs::File::open(bench.path("part-0.csv")).expect("a file")));
        run(command)
    };
    piped(&["init", "-"]).succeeds();
    piped(&["anonymize", "data-policy/policy.toml", "-o", "piped", "--seed", "7"]).succeeds();
    // Logs and baskets are not tables, and are read from one file.
    for part in ["a", "b"] {
        let rows: String = (0..30).map(|n| format!("{n}\tred shoes\t2023-03-01 10:00:00\n")).collect();
        bench.write(&format!("log-{part}.tsv"), format!("user_id\tquery\ttimestamp\n{rows}"));
    }
    let refused = bench.privet(&["init", "log-a.tsv", "log-b.tsv", "-o", "log"]).exits(2);
    assert!(
        refused.stderr.contains("query log") && refused.stderr.contains("join them"),
        "{}",
        refused.stderr
    );
}

#[test]
fn one_column_may_be_a_delimiter_that_is_not_known() {
    let bench = Bench::new();
    bench.write("data.txt", people().replace(',', "^"));
    let drafted = bench.privet(&["init", "data.txt", "-o", "one"]).succeeds();
    assert!(
        drafted.stderr.contains("only one column") && drafted.stderr.contains("--delimiter"),
        "{}",
        drafted.stderr
    );
}

#[test]
fn json_lines_are_a_table() {
    let text = people();
    let (expected, _) = released(&bench(&text));
    let mut lines = String::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        lines += &format!(
            "{{\"age\": {}, \"town\": \"{}\", \"ill\": \"{}\", \"more\": {{}}}}\n",
            cells[0], cells[1], cells[2]
        );
    }
    let bench = bench("");
    bench.write("data.jsonl", lines);
    bench.edit("policy.toml", "data.csv", "data.jsonl");
    assert_eq!(released(&bench).0, expected);
}

#[test]
fn a_release_may_be_json_lines() {
    let bench = bench(people());
    bench.privet(&["anonymize", "policy.toml", "-o", "csv"]).succeeds();
    let csv: Vec<String> = bench.text("csv/public/release.csv").lines().skip(1).map(str::to_string).collect();
    for format in ["jsonl", "jsonl.gz"] {
        let out = format.replace('.', "-");
        bench.privet(&["anonymize", "policy.toml", "-o", &out, "--format", format]).succeeds();
        bench.privet(&["audit", &out]).succeeds();
        bench.privet(&["attack", &out]).succeeds();
    }
    let text = bench.text("jsonl/public/release.jsonl");
    let rows: Vec<String> = text
        .lines()
        .map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let cells = row.as_object().expect("an object").values().map(|cell| cell.as_str().expect("text"));
            cells
                .map(|cell| if cell.contains(',') { format!("\"{cell}\"") } else { cell.to_string() })
                .collect::<Vec<_>>()
                .join(",")
        })
        .collect();
    assert_eq!(rows, csv);
    // A blank that means nothing could mark a row.
    bench.write("jsonl/public/release.jsonl", text.replacen("\"town\":", "\"town\": ", 1));
    let rejected = bench.privet(&["audit", "jsonl"]).exits(4);
    assert!(rejected.stdout.contains("not an object with all columns in their order"), "{}", rejected.stdout);
    // Nothing says what the columns of no record are called.
    bench.edit("policy.toml", "k = 2", "k = 100");
    let empty = bench.privet(&["anonymize", "policy.toml", "-o", "empty", "--format", "jsonl"]);
    assert!([Some(2), Some(3)].contains(&empty.status), "{}", empty.stderr);
}

#[test]
fn older_encodings_are_told_apart() {
    let names = ["Москва", "Казань", "Санкт-Петербург"];
    let mut text = String::from("age,town,ill\n");
    (0..12).for_each(|number| {
        text += &format!("{},{},{}\n", 30 + number, names[number % 3], ["flu", "none"][number % 2])
    });
    let (expected, _) = released(&bench(&text));
    let cyrillic: Vec<u8> = text
        .chars()
        .map(|sign| match sign {
            'А'..='я' => (sign as u32 - 'А' as u32 + 0xc0) as u8,
            _ => sign as u8,
        })
        .collect();
    let (table, stdout) = released(&bench(&cyrillic));
    assert_eq!(table, expected);
    assert!(stdout.contains("'data.csv' is read as windows-1251"), "{stdout}");
    let bench = bench(cyrillic);
    bench.privet(&["init", "data.csv", "-o", "draft", "--encoding", "koi8-r"]).succeeds();
    assert!(bench.text("draft/policy.toml").contains("encoding = \"koi8-r\""));
    bench.privet(&["init", "data.csv", "-o", "other", "--encoding", "klingon"]).exits(2);
}
