//! The promises of the design, held on whole runs: same bytes, all or nothing, no order that tells, no input that crashes.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{Bench, Dice, command, rows, run, small_census, use_mondrian};

/// The files of a release without what a clock said: how long the search took.
fn timeless(bench: &Bench, folder: &str) -> Vec<(PathBuf, String)> {
    let files = bench.tree(folder).into_iter();
    files
        .map(|(path, content)| {
            let text = String::from_utf8_lossy(&content).into_owned();
            let timed = |line: &&str| line.contains("seconds\":") || line.contains("<dt>Time</dt>");
            let lines = text.lines().filter(|line| !timed(line));
            (path, lines.collect::<Vec<_>>().join("\n"))
        })
        .collect()
}

#[test]
fn the_same_bytes_come_out_whatever_the_threads() {
    for method in ["full-domain", "mondrian"] {
        let bench = small_census(1500);
        if method == "mondrian" {
            use_mondrian(&bench, "partitioning = \"relaxed\"\n");
        }
        for (number, threads) in ["1", "2", "4", "1"].into_iter().enumerate() {
            let target = format!("out{number}");
            bench
                .privet(&["anonymize", "census/policy.toml", "-o", &target, "--threads", threads])
                .succeeds();
        }
        for number in 1..4 {
            let target = format!("out{number}");
            assert_eq!(
                bench.tree("out0/public"),
                bench.tree(&format!("{target}/public")),
                "{method}: {target}"
            );
            assert_eq!(timeless(&bench, "out0/steward"), timeless(&bench, &format!("{target}/steward")));
        }
        let other = ["anonymize", "census/policy.toml", "-o", "other", "--seed", "8"];
        bench.privet(&other).succeeds();
        let (one, two) =
            (rows(&bench.path("out0/public/release.csv")), rows(&bench.path("other/public/release.csv")));
        assert_ne!(one, two, "{method}: another seed, another order");
        assert_eq!(sorted(one), sorted(two), "{method}: but the same records");
    }
}

fn sorted(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    rows.sort();
    rows
}

#[test]
fn a_seed_is_drawn_and_kept_where_the_policy_has_none() {
    let bench = Bench::with_example("patients");
    bench.edit("patients/policy.toml", "seed = 7", "# no seed");
    let make = |target: &str, more: &[&str]| {
        bench.privet(&[&["anonymize", "patients/policy.toml", "-o", target], more].concat()).succeeds();
        bench.json(&format!("{target}/steward/manifest.json"))["seed"].as_u64().expect("a seed")
    };
    let (one, two) = (make("one", &[]), make("two", &[]));
    assert_ne!(one, two);
    make("again", &["--seed", &one.to_string()]);
    assert_eq!(bench.tree("one/public"), bench.tree("again/public"));
}

#[test]
fn the_order_of_the_input_does_not_matter_and_does_not_show() {
    for method in ["full-domain", "mondrian"] {
        let bench = small_census(2000);
        if method == "mondrian" {
            use_mondrian(&bench, "");
        }
        let text = bench.text("census/census.csv");
        // A column that is carried through tells which record is which.
        let policy = bench.text("census/policy.toml") + "\n[columns.weight]\nrole = \"other\"\n";
        bench.write("census/policy.toml", policy);
        let numbered: Vec<String> = (text.lines().enumerate())
            .map(|(number, line)| {
                let start = line.rfind(',').expect("cells");
                if number == 0 { line.to_string() } else { format!("{},{number}", &line[..start]) }
            })
            .collect();
        bench.write("census/census.csv", numbered.join("\n") + "\n");
        bench.privet(&["anonymize", "census/policy.toml", "-o", "out"]).succeeds();
        let release = rows(&bench.path("out/public/release.csv"));
        let mut shuffled = numbered[1..].to_vec();
        let mut dice = Dice::new(11);
        for end in (1..shuffled.len()).rev() {
            shuffled.swap(end, dice.roll(end as u64 + 1) as usize);
        }
        bench.write("census/census.csv", format!("{}\n{}\n", numbered[0], shuffled.join("\n")));
        bench.privet(&["anonymize", "census/policy.toml", "-o", "shuffled"]).succeeds();
        let other = rows(&bench.path("shuffled/public/release.csv"));
        assert_eq!(sorted(release.clone()), sorted(other), "{method}");

        let places: Vec<f64> =
            release[1..].iter().map(|row| row.last().expect("cells").parse().expect("a number")).collect();
        let rho = spearman(&places);
        // Under a random order rho has a standard deviation of 1/√n, about 0.023 here.
        assert!(rho.abs() < 0.1, "{method}: the order follows the input: {rho}");
    }
}

/// Rank correlation between the values and their positions; all values are distinct.
fn spearman(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let sum: f64 = order.iter().enumerate().map(|(rank, place)| (rank as f64 - *place as f64).powi(2)).sum();
    1.0 - 6.0 * sum / (n * (n * n - 1.0))
}

/// A census run that takes long enough to be killed in the middle of it.
fn long_run() -> Bench {
    let bench = Bench::with_example("census");
    use_mondrian(&bench, "");
    bench
}

const LONG: [&str; 5] = ["anonymize", "census/policy.toml", "-o", "out", "--quiet"];

fn start(bench: &Bench, arguments: &[&str]) -> Child {
    let mut command = command();
    command.args(arguments).current_dir(bench.root()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("started")
}

fn signal(child: &Child, name: &str) {
    // The shell's own kill: the program of that name is not everywhere.
    let status =
        Command::new("sh").args(["-c", &format!("kill -{name} {} 2>/dev/null", child.id())]).status();
    assert!(status.is_ok(), "a shell is there");
}

/// How long an undisturbed run takes.
fn undisturbed(bench: &Bench, target: &str) -> Duration {
    let begin = Instant::now();
    bench.privet(&["anonymize", "census/policy.toml", "-o", target, "--quiet"]).succeeds();
    begin.elapsed()
}

/// The moment number `number` of `all` over a run and a little more, each in its own slice.
fn moment(number: u32, all: u32, whole: Duration, dice: &mut Dice) -> Duration {
    let slice = whole.mul_f64(1.2) / all;
    slice * number + slice.mul_f64(dice.roll(1000) as f64 / 1000.0)
}

#[test]
fn kill_leaves_a_whole_release_or_none() {
    let bench = long_run();
    let whole = undisturbed(&bench, "reference");
    let reference = bench.tree("reference/public");
    let mut dice = Dice::new(23);
    let (mut none, mut all) = (0, 0);
    for number in 0..25 {
        let mut child = start(&bench, &LONG);
        sleep(moment(number, 25, whole, &mut dice));
        child.kill().expect("killed");
        child.wait().expect("ended");
        if bench.path("out").exists() {
            assert_eq!(bench.tree("out/public"), reference, "a release that is there is whole");
            all += 1;
            if all <= 2 {
                bench.privet(&["audit", "out"]).succeeds();
            }
            fs::remove_dir_all(bench.path("out")).expect("removed");
        } else {
            none += 1;
        }
    }
    assert!(none >= 3, "most kills should hit a run at work: {none} did, {all} came too late");
    // Whatever the last killed run left behind, the next one works and clears it away.
    let mut child = start(&bench, &LONG);
    sleep(whole / 2);
    child.kill().expect("killed");
    child.wait().expect("ended");
    if bench.path("out").exists() {
        fs::remove_dir_all(bench.path("out")).expect("removed");
    }
    bench.privet(&LONG).succeeds();
    assert_eq!(bench.tree("out/public"), reference);
    assert_eq!(bench.names("."), ["census", "out", "reference"]);
}

#[test]
fn a_polite_signal_ends_a_run_with_130_and_nothing_left() {
    let bench = long_run();
    let whole = undisturbed(&bench, "reference");
    let mut dice = Dice::new(5);
    let mut interrupted = 0;
    for number in 0..12 {
        let name = if number % 2 == 0 { "INT" } else { "TERM" };
        let child = start(&bench, &LONG);
        sleep(moment(number, 12, whole, &mut dice));
        signal(&child, name);
        // Wrappers such as `timeout` signal the process and its group: the echo must not cut the cleaning short.
        signal(&child, name);
        let output = child.wait_with_output().expect("ended");
        let stderr = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(130) => {
                interrupted += 1;
                assert!(stderr.contains("interrupted"), "{stderr}");
                assert_eq!(bench.names("."), ["census", "reference"], "SIG{name}");
            }
            Some(0) => {
                assert_eq!(bench.names("."), ["census", "out", "reference"]);
                fs::remove_dir_all(bench.path("out")).expect("removed");
            }
            // In its first moments a process has not yet said what it does with signals.
            None => {
                assert!(matches!(output.status.signal(), Some(2 | 15)));
                assert_eq!(bench.names("."), ["census", "reference"], "SIG{name}");
            }
            other => panic!("SIG{name} ended it with {other:?}: {stderr}"),
        }
    }
    assert!(interrupted >= 2, "most signals should hit a run at work: {interrupted} did");
}

#[test]
fn replacing_a_release_is_all_or_nothing_too() {
    let bench = long_run();
    let whole = undisturbed(&bench, "out");
    let old = bench.tree("out/public");
    let force: Vec<&str> = [&LONG[..], &["--force", "--seed", "99"]].concat();
    bench.privet(&["anonymize", "census/policy.toml", "-o", "new", "--seed", "99", "--quiet"]).succeeds();
    let new = bench.tree("new/public");
    assert_ne!(old, new);
    let mut dice = Dice::new(31);
    for number in 0..8 {
        let mut child = start(&bench, &force);
        sleep(moment(number, 8, whole, &mut dice));
        child.kill().expect("killed");
        child.wait().expect("ended");
        let there = bench.tree("out/public");
        assert!(there == old || there == new, "a release is there all the time, and it is whole");
    }
    bench.privet(&["audit", "out"]).succeeds();
    bench.privet(&force).succeeds();
    assert_eq!(bench.tree("out/public"), new);
    assert_eq!(bench.names("."), ["census", "new", "out"]);
}

/// Rows are read twice. What changes in between must not slip into a release that was decided without it.
#[test]
fn data_that_changes_during_a_run_is_noticed() {
    let bench = Bench::with_example("census");
    let child = start(&bench, &LONG);
    // By now the data has been read and the search, which takes seconds here, is at work.
    sleep(Duration::from_millis(1500));
    let text = bench.text("census/census.csv");
    bench.write("changed.csv", text.replacen(",female,", ",male,", 40));
    fs::rename(bench.path("changed.csv"), bench.path("census/census.csv")).expect("replaced");
    let output = child.wait_with_output().expect("ended");
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(0) {
        eprintln!("the change came too early or too late to matter");
        return;
    }
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.contains("census.csv") && stderr.contains("changed") && stderr.contains("help:"),
        "{stderr}"
    );
    assert_eq!(bench.names("."), ["census"]);
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout == b"0\n")
}

/// A small file system in memory, unmounted at the end.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(path: PathBuf, kilobytes: u64) -> Option<SmallDisk> {
        fs::create_dir(&path).expect("made");
        let options = format!("size={kilobytes}k");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(&path).output();
        mounted.is_ok_and(|output| output.status.success()).then_some(SmallDisk(path))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_ends_a_run_with_a_clear_message_and_nothing_left() {
    let bench = long_run();
    // Sizes that give out while the folder, the table or the reports are written.
    for (number, kilobytes) in [8, 64, 512, 1500].into_iter().enumerate() {
        let name = format!("disk{number}");
        let Some(disk) = SmallDisk::mount(bench.path(&name), kilobytes) else {
            privet_core::testing::skipped("only root can mount a small disk");
            return;
        };
        for format in ["csv", "parquet", "arrow", "csv.gz"] {
            let target = format!("{name}/out");
            let outcome =
                bench.privet(&["anonymize", "census/policy.toml", "-o", &target, "--format", format]);
            if outcome.status == Some(0) {
                assert!(kilobytes > 64, "{format} cannot fit in {kilobytes} kB");
                fs::remove_dir_all(bench.path(&target)).expect("removed");
                continue;
            }
            let outcome = outcome.exits(2);
            assert!(
                outcome.stderr.contains("space") && outcome.stderr.contains("help: free some space"),
                "{format}, {kilobytes} kB: {}",
                outcome.stderr
            );
            assert_eq!(bench.names(&name), [""; 0], "{format}, {kilobytes} kB");
        }
        drop(disk);
    }
}

#[test]
fn without_permission_nothing_is_written_and_the_message_says_so() {
    let bench = Bench::with_example("patients");
    let locked = bench.path("locked");
    fs::create_dir(&locked).expect("made");
    let allow =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("allowed");
    allow(bench.root(), 0o755);
    allow(&locked, 0o555);
    let mut privet = if is_root() {
        // Permissions do not bind root: the run has to be somebody else's.
        let mut wrapped = Command::new("setpriv");
        wrapped.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(command().get_program());
        wrapped
    } else {
        command()
    };
    privet.args(["anonymize", "patients/policy.toml", "-o", "locked/out"]).current_dir(bench.root());
    let Ok(output) = privet.output() else {
        privet_core::testing::skipped("root without setpriv cannot give its rights away");
        return;
    };
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if !stderr.starts_with("error: ") {
        privet_core::testing::skipped(&format!("another user cannot run the command here: {stderr}"));
        return;
    }
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.contains("Permission denied") && stderr.contains("help: check the permissions"),
        "{stderr}"
    );
    assert_eq!(bench.names("locked"), [""; 0]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let bench = Bench::with_example("patients");
    for arguments in [
        &["anonymize", "patients/policy.toml", "-o", "out", "--attacks", "none"][..],
        &["audit", "out"],
        &["explain"],
        &["example"],
        &["audit", "out", "--json"],
        &["--help"],
    ] {
        let mut child = command()
            .args(arguments)
            .current_dir(bench.root())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("ended");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
        assert_eq!(stderr, "", "{arguments:?}");
    }
    assert!(bench.path("out/public/release.csv").is_file());
}

/// Runs a policy on generated data with both methods; each ends well or says why not.
fn both_methods(data: &str, columns: &str, k: u64) -> HashMap<&'static str, Vec<Vec<String>>> {
    let mut releases = HashMap::new();
    let bench = Bench::new();
    bench.write("data.csv", data);
    for method in ["full-domain", "mondrian"] {
        let policy = format!(
            "seed = 1\n[data]\npath = \"data.csv\"\n{columns}[privacy.k-anonymity]\nk = {k}\n[method]\nname = \"{method}\"\n"
        );
        bench.write("policy.toml", policy);
        bench.privet(&["anonymize", "policy.toml", "-o", method]).succeeds();
        bench.privet(&["audit", method]).succeeds();
        releases.insert(method, rows(&bench.path(&format!("{method}/public/release.csv"))));
    }
    releases
}

const ONLY_X: &str = "[columns.x]\nrole = \"quasi-identifier\"\n";

#[test]
fn the_smallest_tables_are_tables() {
    for (name, data) in [
        ("one row", "x\n5\n"),
        ("one row without a line end", "x\n5"),
        ("one value", "x\n5\n5\n5\n"),
        ("one word", "x\nred\nred\n"),
    ] {
        for (method, release) in both_methods(data, ONLY_X, 1) {
            assert_eq!(release.len(), data.lines().count(), "{name}, {method}");
            assert_eq!(release[1..], vec![release[1].clone(); release.len() - 1], "{name}, {method}");
        }
    }
    let one_column = both_methods("x\n1\n2\n3\n4\n", ONLY_X, 2);
    let ranges = sorted(one_column["mondrian"][1..].to_vec()).concat();
    assert_eq!(ranges, ["[1,2]", "[1,2]", "[3,4]", "[3,4]"]);
    assert_eq!(one_column["full-domain"][1..], vec![vec!["*".to_string()]; 4]);
}

#[test]
fn a_thousand_columns_are_no_trouble() {
    let names: Vec<String> = (0..1000).map(|number| format!("c{number}")).collect();
    let mut data = names.join(",") + "\n";
    for row in 0..20 {
        let cells: Vec<String> = (0..1000).map(|column| ((row * 7 + column) % 4).to_string()).collect();
        data += &(cells.join(",") + "\n");
    }
    let quasi = |name: &String| format!("[columns.{name}]\nrole = \"quasi-identifier\"\n");
    let others: String =
        names[3..].iter().map(|name| format!("[columns.{name}]\nrole = \"other\"\n")).collect();
    let columns = names[..3].iter().map(quasi).collect::<String>() + &others;
    for (method, release) in both_methods(&data, &columns, 3) {
        assert!(release.iter().all(|row| row.len() == 1000), "{method}");
        assert_eq!(release.len(), 21, "{method}");
    }
    // As quasi-identifiers they span 2^1000 combinations of levels: the time limit ends what cannot be searched through.
    let all: String = names.iter().map(quasi).collect();
    let bench = Bench::new();
    bench.write("data.csv", data);
    for method in ["full-domain", "mondrian"] {
        let head = format!("[data]\npath = \"data.csv\"\n{all}[privacy.k-anonymity]\nk = 3\n");
        bench.write("policy.toml", format!("{head}[method]\nname = \"{method}\"\ntime_limit = \"1s\"\n"));
        bench.privet(&["anonymize", "policy.toml", "-o", method, "--quiet"]).succeeds();
        bench.privet(&["audit", method, "--quiet"]).succeeds();
    }
}

#[test]
fn a_million_distinct_values_end_cleanly() {
    let mut data = String::from("x,word\n");
    for number in 0..1_000_000u64 {
        // A permutation of the numbers, so that nothing is sorted by chance.
        data += &format!("{},w{}\n", number * 7_919 % 1_000_003, number % 10);
    }
    let columns = "[columns.x]\nrole = \"quasi-identifier\"\n[columns.word]\nrole = \"quasi-identifier\"\n";
    let bench = Bench::new();
    bench.write("data.csv", data);
    for method in ["full-domain", "mondrian"] {
        let head =
            format!("seed = 1\n[data]\npath = \"data.csv\"\n{columns}[privacy.k-anonymity]\nk = 1000\n");
        bench.write("policy.toml", format!("{head}[method]\nname = \"{method}\"\n"));
        let json = bench.privet(&["anonymize", "policy.toml", "-o", method, "--json"]).succeeds().json();
        assert_eq!(json["records"]["released"], 1_000_000, "{method}");
        assert_eq!(json["audit"]["passed"], true, "{method}");
    }
}

/// Real data, where it is at hand: `PRIVET_DATA` names a folder that holds `adult/`.
#[test]
fn real_data_is_released_and_audited_where_it_is_at_hand() {
    let adult = "adult/arx_adult_30162.csv.zst";
    let Some(folder) = privet_core::testing::real_data(&[adult]) else { return };
    let data = folder.join(adult);
    let bench = Bench::new();
    bench.privet(&["init", &data.to_string_lossy(), "-o", "draft"]).succeeds();
    bench.privet(&["anonymize", "draft/policy.toml", "-o", "out", "--time-limit", "10s"]).succeeds();
    bench.privet(&["audit", "out"]).succeeds();
}

#[test]
fn help_is_there_for_every_command() {
    for name in ["example", "init", "anonymize", "audit", "compare", "hierarchy", "report", "explain"] {
        let mut help = command();
        help.args([name, "--help"]);
        assert!(run(help).exits(0).stdout.contains("Usage:"), "{name}");
    }
}
