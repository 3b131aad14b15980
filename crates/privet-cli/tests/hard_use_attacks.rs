//! Hard use of attacks: what they may cost by default, what they say about it, and how soon they stop.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::common::{Bench, Dice, command};

/// Mondrian on three quasi-identifiers, with a sensitive column of very many values.
const POLICY: &str = "seed = 77309411329\n[data]\npath = \"people.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n\
    [columns.zip]\nrole = \"quasi-identifier\"\n[columns.sex]\nrole = \"quasi-identifier\"\n[columns.income]\n\
    role = \"sensitive\"\n[privacy.k-anonymity]\nk = 10\n[method]\nname = \"mondrian\"\n";

/// People with incomes of which more than half are different.
fn incomes(people: u64) -> Bench {
    let bench = Bench::new();
    let mut dice = Dice::new(3);
    let mut text = String::from("age,zip,sex,income\n");
    for person in 0..people {
        let income = if person % 2 == 0 { person } else { dice.roll(people) };
        let sex = ["f", "m"][dice.roll(2) as usize];
        text += &format!("{},{},{sex},{}\n", 18 + dice.roll(72), dice.roll(100), 10_000 + income);
    }
    bench.write("people.csv", text);
    bench.write("policy.toml", POLICY);
    bench
}

/// What a run takes.
struct Cost {
    seconds: f64,
    /// Its peak, where the system tells it.
    bytes: Option<u64>,
}

/// The processor time of the command with these arguments, by the shell's own account, and its peak memory.
fn cost(bench: &Bench, arguments: &[&str]) -> Cost {
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$0\" \"$@\" >/dev/null 2>&1 & echo $!; wait $! && times"]);
    shell.arg(command().get_program()).args(arguments).current_dir(bench.root());
    let child = shell.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().expect("a shell");
    let number = child.id();
    let mut bytes = None;
    // The shell's only child is the command.
    let children = format!("/proc/{number}/task/{number}/children");
    let mut child = child;
    while child.try_wait().expect("a child").is_none() {
        let command = std::fs::read_to_string(&children).unwrap_or_default();
        let status = std::fs::read_to_string(format!("/proc/{}/status", command.trim())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB"));
        let peak = peak.and_then(|peak| peak.trim().parse::<u64>().ok()).map(|peak| peak * 1024);
        bytes = bytes.max(peak);
        sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success(), "{arguments:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // The second line is about the shell's children: 0m1.230s 0m0.040s.
    let seconds = text.lines().last().unwrap_or_default().split_whitespace().map(|time| {
        let (minutes, seconds) = time.split_once('m').expect("minutes");
        let number = |text: &str| text.replace(',', ".").parse::<f64>().expect("a number");
        60.0 * number(minutes) + number(seconds.trim_end_matches('s'))
    });
    Cost { seconds: seconds.sum(), bytes }
}

fn keeps_to_budget(bench: &Bench) {
    let make = ["anonymize", "policy.toml", "--quiet", "-o"];
    let without = cost(bench, &[&make[..], &["without", "--attacks", "none"]].concat());
    let with = cost(bench, &[&make[..], &["with"]].concat());
    let allowed = (without.seconds / 4.0).max(1.0);
    let taken = with.seconds - without.seconds;
    eprintln!("{:.2} s without attacks, {taken:.2} s for attacks", without.seconds);
    // Two runs of the same differ by some hundredths.
    assert!(taken <= allowed + 0.05 * without.seconds + 0.1, "{taken} s of {allowed} s");
    if let Some((with, without)) = with.bytes.zip(without.bytes) {
        let added = with.saturating_sub(without);
        assert!(added <= 100_000_000, "attacks add {added} bytes to {without}");
    }
    let data = |folder: &str| {
        let is_data = |path: &std::path::Path| path.extension().is_some_and(|end| end == "csv");
        bench.tree(folder).into_iter().filter(|(path, _)| is_data(path)).collect::<Vec<_>>()
    };
    assert!(!data("with/public").is_empty());
    assert_eq!(data("with/public"), data("without/public"), "attacks have no part in a release");
}

fn reason<'j>(manifest: &'j Json, name: &str) -> Option<&'j str> {
    let not_run = manifest["attacks_not_run"].as_array().expect("a list");
    not_run.iter().find(|attack| attack["name"] == name)?["reason"].as_str()
}

#[test]
fn hard_use_2_1_default_attacks_keep_to_their_budget() {
    let bench = incomes(16_000);
    keeps_to_budget(&bench);
    let manifest = bench.json("with/steward/manifest.json");
    let reason = reason(&manifest, "negative-rules").expect("not run");
    assert!(reason.starts_with("needs about ") && reason.ends_with("`--attacks all` runs it"), "{reason}");
    // Linking is tried, on a sample if need be, and says so.
    let linking = &manifest["attacks"].as_array().expect("attacks")[0];
    assert_eq!(linking["name"], "linking", "{manifest}");
    let targets = linking["figures"][0]["targets"].as_u64().expect("targets");
    let sample = linking["sampled"].as_str();
    let sampled = sample.is_some_and(|text| text.starts_with("a random sample of"));
    assert!(targets >= 200 && (targets == 16_000 || sampled), "{linking}");
}

#[test]
fn hard_use_2_1_many_columns_and_groups_keep_to_the_budget() {
    // Thirty more columns of all kinds.
    let bench = incomes(20_000);
    let (text, mut dice) = (bench.text("people.csv"), Dice::new(5));
    let mut wide = String::new();
    for (number, line) in text.lines().enumerate() {
        wide += line;
        for column in 0..30u64 {
            wide += &match number {
                0 => format!(",c{column}"),
                _ => format!(",{}", dice.roll(2 + column * column * column / 4)),
            };
        }
        wide += "\n";
    }
    bench.write("people.csv", wide);
    let more: String = (0..30).map(|column| format!("[columns.c{column}]\nrole = \"other\"\n")).collect();
    bench.write("policy.toml", POLICY.replace("[privacy.", &format!("{more}[privacy.")));
    keeps_to_budget(&bench);
    // Groups, which are attacked by anyone who learns from them.
    let bench = incomes(20_000);
    let coarse: String =
        bench.text("people.csv").lines().enumerate().fold(String::new(), |text, (row, line)| {
            let (rest, _) = line.rsplit_once(',').expect("an income");
            text + rest + &if row == 0 { ",income\n".to_string() } else { format!(",{}\n", row * row % 13) }
        });
    bench.write("people.csv", coarse);
    let groups = "[privacy.l-diversity]\ncolumn = \"income\"\nkind = \"frequency\"\nl = 4\n[method]\nname = \"anatomy\"\n";
    let (columns, _) = POLICY.split_once("[privacy.").expect("a policy");
    bench.write("policy.toml", format!("{columns}{groups}"));
    keeps_to_budget(&bench);
    let manifest = bench.json("with/steward/manifest.json");
    let attacks = manifest["attacks"].as_array().expect("attacks");
    // A slow machine may have no time left for it, but says so.
    let left_out =
        reason(&manifest, "definetti").is_some_and(|reason| reason.ends_with("`--attacks all` runs it"));
    assert!(left_out || attacks.iter().any(|attack| attack["name"] == "definetti"), "{manifest}");
}

#[test]
fn hard_use_2_1_what_is_not_run_by_default_is_said_in_a_line_and_all_runs_it() {
    let bench = Bench::with_example("patients");
    let told =
        bench.privet(&["anonymize", "patients/policy.toml", "-o", "out", "--verbose"]).succeeds().stdout;
    let lines: Vec<&str> =
        told.lines().filter(|line| line.contains("attacks not run by default (")).collect();
    let [line] = lines.as_slice() else { panic!("{told}") };
    let manifest = bench.json("out/steward/manifest.json");
    let not_run = manifest["attacks_not_run"].as_array().expect("a list");
    let costly = not_run.iter().filter(|attack| attack["for_cost"] == true);
    let names: Vec<&str> = costly.map(|attack| attack["name"].as_str().expect("a name")).collect();
    assert!(line.starts_with(&format!("{} of ", names.len())) && line.contains("takes long"), "{line}");
    assert!(names.iter().all(|name| line.contains(name)), "{line}: {names:?}");
    let all = ["anonymize", "patients/policy.toml", "-o", "out", "--force", "--attacks", "all"];
    let told = bench.privet(&all).succeeds().stdout;
    assert!(!told.contains("by default"), "{told}");
    let manifest = bench.json("out/steward/manifest.json");
    let not_run = manifest["attacks_not_run"].as_array().expect("a list");
    assert!(not_run.iter().all(|attack| attack["for_cost"] == false), "{not_run:?}");
}

#[test]
fn hard_use_2_1_who_is_sampled_follows_from_the_data_and_the_seed() {
    let bench = incomes(15_000);
    let figures = |target: &str| {
        bench.privet(&["anonymize", "policy.toml", "-o", target]).succeeds();
        let manifest = bench.json(&format!("{target}/steward/manifest.json"));
        let attacks = manifest["attacks"].as_array().expect("attacks").clone();
        attacks.iter().map(|found| (found["name"].clone(), found["figures"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(figures("one"), figures("other"));
}

/// Rows of a release whose classes come in another order, but whose rows within a class are in the order of the source.
fn kept_within_classes(rows: usize, turned: bool) -> Bench {
    let bench = Bench::new();
    let mut dice = Dice::new(11);
    let people: Vec<(usize, u64)> = (0..rows).map(|_| (dice.roll(20) as usize, dice.roll(5))).collect();
    let original: String = people.iter().map(|(town, ill)| format!("t{town},{ill}\n")).collect();
    bench.write("table.csv", format!("town,ill\n{original}"));
    let mut released = String::from("town,ill\n");
    for place in 0..20 {
        let town = place * 7 % 20;
        let mut own: Vec<u64> =
            people.iter().filter(|(other, _)| *other == town).map(|(_, ill)| *ill).collect();
        if turned {
            own.reverse();
        }
        own.iter().for_each(|ill| released += &format!("t{town},{ill}\n"));
    }
    bench.write("release.csv", released);
    let mut lines: Vec<String> = bench.text("release.csv").lines().skip(1).map(String::from).collect();
    for place in (1..lines.len()).rev() {
        lines.swap(place, dice.roll(place as u64 + 1) as usize);
    }
    bench.write("shuffled.csv", format!("town,ill\n{}\n", lines.join("\n")));
    bench.write(
        "policy.toml",
        "[data]\npath = \"table.csv\"\n[columns.town]\nrole = \"quasi-identifier\"\n[columns.ill]\nrole = \"sensitive\"\n\
         [privacy.k-anonymity]\nk = 5\n",
    );
    bench
}

#[test]
fn hard_use_3_row_order_that_finds_more_than_its_control_warns() {
    for turned in [false, true] {
        let bench = kept_within_classes(2000, turned);
        let attack = |release: &str| {
            let asked =
                ["attack", "--policy", "policy.toml", "--release", release, "--only", "row-order", "--json"];
            bench.privet(&asked).succeeds().json()["attacks"][0].clone()
        };
        let kept = attack("release.csv");
        assert_eq!((&kept["hits"], &kept["targets"]), (&kept["targets"], &2000.into()), "{kept}");
        let warning = kept["warning"].as_str().expect("a warning");
        assert!(warning.contains("2000 of 2000 people"), "{kept}");
        let safe = attack("shuffled.csv");
        assert_eq!(safe["warning"], "", "{safe}");
    }
}

#[test]
fn hard_use_2_2_a_signal_ends_attacks_within_a_second() {
    let bench = incomes(60_000);
    let mut dice = Dice::new(17);
    for (number, name) in ["INT", "TERM", "INT", "TERM", "INT", "TERM"].into_iter().enumerate() {
        // The original as it is: everybody stands alone, and every attack has much to do.
        let mut attack = command();
        attack.args(["attack", "--policy", "policy.toml"]).current_dir(bench.root());
        let mut child = attack.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started");
        sleep(Duration::from_millis(500 * number as u64 + 200 + dice.roll(500)));
        if child.try_wait().expect("a child").is_some() {
            continue;
        }
        let begin = Instant::now();
        let kill = Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status();
        assert!(kill.is_ok(), "a shell is there");
        child.wait().expect("an end");
        let taken = begin.elapsed();
        assert!(taken < Duration::from_secs(1), "number {number}: {taken:?} after SIG{name}");
    }
}
