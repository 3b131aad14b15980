//! Runs that are killed, interrupted, starved and disturbed: what was there stays, or what was asked for is there whole.
//!
//! Moments are drawn from a seed, so that a failure comes again. The plan is that of the design's promises: nothing partial
//! is ever left, nothing is left over after the next run, and no run ends well without a release that passes its audit.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common;
use crate::common::here::make_here;
use crate::common::{Bench, Dice, Outcome, command, names, run};
use privet::clock::Clock;

/// How long a run may take to end after it was asked to. A quiet machine needs a tenth of that; others may be testing too.
const PATIENCE: Duration = Duration::from_secs(10);

/// Kills of each job; all together are more than two hundred.
const KILLS: u32 = 20;

/// A command that writes something, and what a test needs to know about it.
struct Job {
    name: &'static str,
    example: &'static str,
    arguments: &'static [&'static str],
    /// What it makes.
    target: &'static str,
    /// Whether the target is there before, made by the same command (with another seed, where it has one).
    replaces: bool,
}

const fn make(example: &'static str, policy: &'static [&'static str]) -> Job {
    Job { name: example, example, arguments: policy, target: "out", replaces: false }
}

const JOBS: &[Job] = &[
    make("patients", &["anonymize", "patients/policy.toml", "-o", "out"]),
    Job {
        name: "a table in another format",
        ..make("patients", &["anonymize", "patients/policy.toml", "-o", "out", "--format", "parquet"])
    },
    Job {
        name: "a release that replaces one",
        replaces: true,
        ..make("patients", &["anonymize", "patients/policy.toml", "-o", "out", "--force", "--seed", "99"])
    },
    make("l-plus", &["anonymize", "l-plus/policy.toml", "-o", "out"]),
    make("injector", &["anonymize", "injector/policy.toml", "-o", "out"]),
    make("five-baskets", &["anonymize", "five-baskets/policy.toml", "-o", "out"]),
    make("five-vocabularies", &["anonymize", "five-vocabularies/policy.toml", "-o", "out"]),
    Job { name: "reports", replaces: true, ..make("patients", &["report", "out"]) },
    Job { name: "a draft", ..make("patients", &["init", "patients/patients.csv", "-o", "out"]) },
    Job { name: "an example", ..make("patients", &["example", "freeform", "out"]) },
    Job {
        name: "a hierarchy",
        target: "out.csv",
        ..make(
            "l-plus",
            &[
                "hierarchy",
                "build",
                "l-plus/hospital.csv",
                "age",
                "--kind",
                "equal-width",
                "--width",
                "5",
                "-o",
                "out.csv",
            ],
        )
    },
];

impl Job {
    fn is_release(&self) -> bool {
        matches!(self.arguments[0], "anonymize" | "report")
    }

    fn start(&self, bench: &Bench) -> Child {
        let mut command = command();
        command.args(self.arguments).args(["--threads", "2"]).current_dir(bench.root());
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("started")
    }

    /// The example, with an older release where the job replaces one.
    fn lay_out(&self) -> Bench {
        let bench = Bench::with_example(self.example);
        if self.replaces {
            let policy = format!("{}/policy.toml", self.example);
            bench.privet(&["anonymize", &policy, "-o", "out"]).succeeds();
        }
        bench
    }

    /// What the target holds: the public room of a release, else everything.
    fn content(&self, bench: &Bench) -> Option<Vec<(PathBuf, Vec<u8>)>> {
        let target = bench.path(self.target);
        if !target.exists() {
            return None;
        }
        if target.is_file() {
            return Some(vec![(PathBuf::new(), fs::read(target).expect("readable"))]);
        }
        Some(bench.tree(if self.is_release() { "out/public" } else { "out" }))
    }

    fn clear(&self, bench: &Bench) {
        let target = bench.path(self.target);
        if self.replaces || !target.exists() {
            return;
        }
        if target.is_file() { fs::remove_file(target) } else { fs::remove_dir_all(target) }.expect("removed");
    }

    /// Runs undisturbed; tells what comes out, and how long it takes.
    fn reference(&self, bench: &Bench) -> (Vec<(PathBuf, Vec<u8>)>, Duration) {
        let begin = Instant::now();
        bench.privet(self.arguments).succeeds();
        let took = begin.elapsed();
        (self.content(bench).expect("made"), took)
    }
}

fn hidden(bench: &Bench) -> Vec<String> {
    bench.names(".").into_iter().filter(|name| name.starts_with('.')).collect()
}

#[test]
fn two_hundred_kills_leave_all_or_nothing() {
    let mut dice = Dice::new(41);
    let (mut hit, mut late, mut litter) = (0, 0, 0);
    for job in JOBS {
        let bench = job.lay_out();
        let old = job.content(&bench);
        let (new, whole) = job.reference(&bench);
        job.clear(&bench);
        let mut audited = false;
        for number in 0..KILLS {
            let mut child = job.start(&bench);
            // One moment in each slice of the run and a little more.
            let slice = whole.mul_f64(1.1) / KILLS;
            sleep(slice * number + slice.mul_f64(dice.roll(1000) as f64 / 1000.0));
            let ended = child.try_wait().expect("a child").is_some();
            child.kill().expect("killed");
            child.wait().expect("ended");
            if ended {
                late += 1
            } else {
                hit += 1
            }
            litter += usize::from(!hidden(&bench).is_empty());
            let there = job.content(&bench);
            assert!(
                there == old || there.as_ref() == Some(&new),
                "{}: kill {number} left something else",
                job.name
            );
            if there.is_some() && job.is_release() && !audited {
                bench.privet(&["audit", "out"]).succeeds();
                audited = true;
            }
            job.clear(&bench);
        }
        bench.privet(job.arguments).succeeds();
        assert_eq!(job.content(&bench), Some(new), "{}: the next run does its work", job.name);
        assert_eq!(hidden(&bench), [""; 0], "{}: and clears away what was left", job.name);
        if job.is_release() {
            assert_eq!(bench.names("out"), ["public", "steward"]);
            bench.privet(&["audit", "out"]).succeeds();
        }
    }
    eprintln!(
        "{hit} kills hit a run at work, {late} came after its end; {litter} left something hidden behind"
    );
    assert!(hit + late >= 200 && hit >= 100, "{hit} kills hit a run at work");
}

#[test]
fn signals_end_every_kind_of_run_with_130() {
    let mut dice = Dice::new(43);
    let mut interrupted = 0;
    for job in JOBS.iter().filter(|job| job.arguments[0] == "anonymize") {
        let bench = job.lay_out();
        let old = job.content(&bench);
        let (new, whole) = job.reference(&bench);
        job.clear(&bench);
        for number in 0..4 {
            let name = if number % 2 == 0 { "INT" } else { "TERM" };
            let child = job.start(&bench);
            sleep(whole.mul_f64(f64::from(number) / 4.0 + dice.roll(250) as f64 / 1000.0));
            let status =
                Command::new("sh").args(["-c", &format!("kill -{name} {} 2>/dev/null", child.id())]).status();
            assert!(status.is_ok(), "a shell is there");
            let begin = Instant::now();
            let output = child.wait_with_output().expect("ended");
            assert!(begin.elapsed() < PATIENCE, "{}: took {:?}", job.name, begin.elapsed());
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            let there = job.content(&bench);
            match output.status.code() {
                Some(130) => {
                    interrupted += 1;
                    assert!(stderr.contains("interrupted"), "{stderr}");
                    assert!(there == old || there.as_ref() == Some(&new), "{}", job.name);
                }
                Some(0) => assert_eq!(there.as_ref(), Some(&new), "{}", job.name),
                // In its first moments a process has not yet said what it does with signals.
                None => assert!(matches!(output.status.signal(), Some(2 | 15)), "{}", job.name),
                other => panic!("{}: SIG{name} ended it with {other:?}: {stderr}", job.name),
            }
            assert_eq!(hidden(&bench), [""; 0], "{}", job.name);
            job.clear(&bench);
        }
    }
    assert!(interrupted >= 3, "some signals should hit a run at work: {interrupted} did");
}

/// Places at which a file of each of five formats is cut off.
const PLACES: usize = 110;

/// A table of sixty people, a policy for it, and the table's bytes in a format.
fn sixty(format: &str) -> (Bench, String, Vec<u8>) {
    let bench = Bench::new();
    let mut data = String::from("age,city,disease\n");
    let mut dice = Dice::new(3);
    for _ in 0..60 {
        let city = ["Bonn", "Ulm", "Köln", "Trier"][dice.roll(4) as usize];
        let disease = ["flu", "asthma", "gout"][dice.roll(3) as usize];
        data += &format!("{},{city},{disease}\n", 20 + dice.roll(60));
    }
    bench.write("data.csv", &data);
    let policy = |path: &str| {
        format!(
            "seed = 5\n[data]\npath = \"{path}\"\n[columns.age]\nrole = \"quasi-identifier\"\n[columns.city]\nrole = \
             \"quasi-identifier\"\n[columns.disease]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 1\n[method]\nname = \
             \"mondrian\"\n"
        )
    };
    bench.write("first.toml", policy("data.csv"));
    bench.privet(&["anonymize", "first.toml", "-o", "made", "--format", format]).succeeds();
    let bytes = bench.read(&format!("made/public/release.{format}"));
    let name = format!("data.{format}");
    bench.write("policy.toml", policy(&name));
    (bench, name, bytes)
}

#[test]
fn input_cut_off_at_five_hundred_places_is_noticed_or_is_a_table() {
    let mut tried = 0;
    for format in ["csv", "csv.gz", "csv.zst", "parquet", "arrow"] {
        let (bench, name, bytes) = sixty(format);
        bench.write(&name, &bytes);
        let kept = bench.names(".");
        let places = bytes.len().min(PLACES);
        for number in 0..places {
            let place = bytes.len() * number / places;
            bench.write(&name, &bytes[..place]);
            tried += 1;
            match make_here(&bench, "policy.toml", &Clock::unlimited()) {
                Ok(()) => {
                    // Text that ends early still is text; compression would show it.
                    assert_eq!(format, "csv", "{place} of {} bytes pass as a whole file", bytes.len());
                    if place % 50 == 0 {
                        let audit =
                            privet::audit::audit_release(&bench.path("out"), None, &Clock::unlimited());
                        assert!(audit.expect("an audit").passed);
                    }
                    fs::remove_dir_all(bench.path("out")).expect("removed");
                }
                Err(error) => {
                    assert!(error.kind().is_input(), "{format} at {place}: {error}");
                    assert!(
                        error.file().is_some() && error.remedy().is_some(),
                        "{format} at {place}: {error}"
                    );
                }
            }
            assert_eq!(bench.names("."), kept, "{format} at {place}");
        }
    }
    assert!(tried >= 500, "{tried}");
}

/// The command under a limit of the shell's, such as `-v` for memory or `-n` for open files.
fn limited(limits: &str, bench: &Bench, arguments: &[&str]) -> Outcome {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit {limits} && exec \"$0\" \"$@\"")]).arg(command().get_program());
    shell.args(arguments).current_dir(bench.root()).stdin(Stdio::null());
    run(shell)
}

/// What must hold after a run that was starved, however it ended.
fn starved(what: &str, bench: &Bench, outcome: &Outcome, target: &str) {
    if outcome.status == Some(0) {
        bench.privet(&["audit", target]).succeeds();
        fs::remove_dir_all(bench.path(target)).expect("removed");
        return;
    }
    assert!(!bench.path(target).exists(), "{what}: {:?} and a release", outcome.status);
    assert!(!outcome.stderr.is_empty(), "{what}: {:?} without a word", outcome.status);
    assert!(!outcome.stderr.contains("panicked"), "{what}: {}", outcome.stderr);
}

#[test]
fn little_memory_ends_a_run_or_does_not_but_never_leaves_half() {
    let bench = Bench::with_example("census");
    common::use_mondrian(&bench, "");
    let make = ["anonymize", "census/policy.toml", "-o", "out", "--quiet", "--threads", "2"];
    let mut ends = Vec::new();
    for megabytes in [64, 96, 128, 256, 1024, 4096] {
        let outcome = limited(&format!("-v {}", megabytes * 1024), &bench, &make);
        ends.push((megabytes, outcome.status));
        starved(&format!("{megabytes} MB"), &bench, &outcome, "out");
    }
    eprintln!("exit status by megabytes of address space: {ends:?}");
    assert_eq!(ends.last().expect("runs").1, Some(0), "{ends:?}");
    bench.privet(&make).succeeds();
    assert_eq!(hidden(&bench), [""; 0]);
}

#[test]
fn few_open_files_end_a_run_or_do_not() {
    let bench = Bench::with_example("patients");
    let make = ["anonymize", "patients/policy.toml", "-o", "out", "--threads", "2"];
    for files in [3, 4, 5, 6, 7, 8, 10, 12, 16, 32] {
        let outcome = limited(&format!("-n {files}"), &bench, &make);
        starved(&format!("{files} files"), &bench, &outcome, "out");
    }
    bench.privet(&make).succeeds();
    assert_eq!(hidden(&bench), [""; 0]);
}

/// A small file system in memory, unmounted at the end.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(path: PathBuf, options: &str) -> Option<SmallDisk> {
        fs::create_dir_all(&path).expect("made");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&path).output();
        mounted.is_ok_and(|output| output.status.success()).then_some(SmallDisk(path))
    }

    fn remount(&self, options: &str) {
        let status = Command::new("mount").args(["-o", &format!("remount,{options}")]).arg(&self.0).status();
        assert!(status.is_ok_and(|status| status.success()), "remounted with {options}");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// A disk that gives out at the first page, at the second, and so on, until there is room for everything; then one that has
/// room but no names left for files.
#[test]
fn a_disk_that_is_full_at_any_write_leaves_nothing() {
    for (example, pages) in [("patients", 1), ("injector", 2), ("five-baskets", 2), ("five-vocabularies", 2)]
    {
        let bench = Bench::with_example(example);
        let Some(disk) = SmallDisk::mount(bench.path("disk"), "size=4k") else {
            privet_core::testing::skipped("nobody but root can mount a small disk");
            return;
        };
        let policy = format!("{example}/policy.toml");
        let make = ["anonymize", &policy, "-o", "disk/out", "--quiet", "--threads", "1"];
        let mut failed = 0;
        for size in (1..).step_by(pages) {
            disk.remount(&format!("size={}k", size * 4));
            let outcome = bench.privet(&make);
            if outcome.status == Some(0) {
                break;
            }
            failed += 1;
            let outcome = outcome.exits(2);
            assert!(
                outcome.stderr.contains("space") && outcome.stderr.contains("help: free some space"),
                "{example}, {size} pages: {}",
                outcome.stderr
            );
            assert_eq!(bench.names("disk"), [""; 0], "{example}, {size} pages");
        }
        assert!(failed >= 10, "{example}: {failed}");
        bench.privet(&["audit", "disk/out"]).succeeds();
        let old = bench.tree("disk/out");
        // No room for a second release: the first one stays.
        let again = [&make[..], &["--force", "--seed", "77"]].concat();
        bench.privet(&again).exits(2);
        assert_eq!(bench.tree("disk/out"), old, "{example}");
        fs::remove_dir_all(bench.path("disk/out")).expect("removed");
        for names in 2.. {
            disk.remount(&format!("size=10m,nr_inodes={names}"));
            let outcome = bench.privet(&make);
            if outcome.status == Some(0) {
                break;
            }
            assert!(outcome.exits(2).stderr.contains("space"), "{example}, {names} names");
            assert_eq!(bench.names("disk"), [""; 0], "{example}, {names} names");
        }
        fs::remove_dir_all(bench.path("disk/out")).expect("removed");
        disk.remount("ro");
        let outcome = bench.privet(&make).exits(2);
        assert!(
            outcome.stderr.contains("help: choose a target that can be written to"),
            "{}",
            outcome.stderr
        );
        assert_eq!(bench.names("disk"), [""; 0], "{example}");
    }
}

#[test]
fn of_several_writers_on_one_target_one_wins() {
    let bench = Bench::with_example("l-plus");
    let mut busy = 0;
    for round in 0..4 {
        let force: &[&str] = if round > 1 { &["--force"] } else { &[] };
        let writers: Vec<Child> = (0..6)
            .map(|number| {
                let mut command = command();
                command.args(["anonymize", "l-plus/policy.toml", "-o", "out", "--seed", &number.to_string()]);
                command.args(force).args(["--threads", "1"]).current_dir(bench.root());
                command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("started")
            })
            .collect();
        let ends = writers.into_iter().map(|child| child.wait_with_output().expect("ended"));
        let ends: Vec<(Option<i32>, String)> = ends
            .map(|output| (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()))
            .collect();
        let won = ends.iter().filter(|(status, _)| *status == Some(0)).count();
        assert!(won == 1 || (won > 1 && !force.is_empty()), "{ends:?}");
        for (status, stderr) in ends.iter().filter(|(status, _)| *status != Some(0)) {
            // Who comes when the winner is done finds its release instead.
            assert!(*status == Some(75) || (*status == Some(2) && force.is_empty()), "{status:?}: {stderr}");
            assert!(
                *status != Some(75) || stderr.contains("another run is writing to this target"),
                "{stderr}"
            );
            busy += usize::from(*status == Some(75));
        }
        bench.privet(&["audit", "out"]).succeeds();
        assert_eq!(bench.names("."), ["l-plus", "out"]);
        if round == 0 {
            fs::remove_dir_all(bench.path("out")).expect("removed");
        } else if round == 1 {
            assert_eq!(names(&bench.path("out")), ["public", "steward"]);
        }
    }
    assert!(busy >= 4, "{busy} writers found another at work");
}

#[test]
fn closed_standard_streams_are_no_trouble() {
    let bench = Bench::with_example("patients");
    for (number, streams) in [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"].into_iter().enumerate() {
        let target = format!("out{number}");
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec \"$0\" \"$@\" {streams}")]).arg(command().get_program());
        shell.args(["anonymize", "patients/policy.toml", "-o", &target]).current_dir(bench.root());
        run(shell).exits(0);
        bench.privet(&["audit", &target]).succeeds();
    }
}

#[test]
fn results_that_cannot_be_printed_are_told() {
    let bench = Bench::with_example("patients");
    let printing = |arguments: &[&str]| {
        let mut shell = Command::new("sh");
        shell.args(["-c", "exec \"$0\" \"$@\" >/dev/full"]).arg(command().get_program());
        shell.args(arguments).current_dir(bench.root());
        run(shell)
    };
    for arguments in [
        &["anonymize", "patients/policy.toml", "-o", "out"][..],
        &["anonymize", "patients/policy.toml", "-o", "out", "--force", "--json"],
        &["audit", "out"],
        &["audit", "out", "--json"],
        &["attack", "out"],
        &["attack", "out", "--json"],
        &["report", "out"],
        &["init", "patients/patients.csv", "-o", "draft"],
        &["hierarchy", "show", "patients/hierarchies/Country.csv"],
        &["explain", "k-anonymity"],
        &["example", "l-plus"],
        &["--help"],
        &["--version"],
    ] {
        let outcome = printing(arguments).exits(2);
        assert!(
            outcome.stderr.contains("standard output cannot be written: No space left on device"),
            "{arguments:?}: {}",
            outcome.stderr
        );
        assert!(
            outcome.stderr.contains("help:") && !outcome.stderr.contains("os error"),
            "{}",
            outcome.stderr
        );
    }
    // What was made is there, whole.
    bench.privet(&["audit", "out"]).succeeds();
    assert!(bench.path("draft/policy.toml").exists() && bench.path("l-plus/policy.toml").exists());
    // Who wants nothing printed loses nothing, and a worse end is reported as such.
    printing(&["audit", "out", "--quiet"]).succeeds();
    printing(&["anonymize", "patients/policy.toml", "-o", "out", "--json"]).exits(2);
    bench.edit("out/public/release.csv", "Flu", "Gout");
    let status = bench.privet(&["audit", "out"]).status;
    assert_ne!(status, Some(0));
    assert_eq!(printing(&["audit", "out", "--json"]).status, status);
}
