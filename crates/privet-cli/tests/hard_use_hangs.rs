//! Nothing hangs: signals are obeyed within a second at every moment, and searches and audits end.

use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{Bench, Dice, command};

/// How long a process may take to end after a signal.
const PROMPT: Duration = Duration::from_secs(1);
/// So often a signal is tried where a machine that is busy with other tests may be what takes long.
const TRIES: usize = 4;

fn start(bench: &Bench, arguments: &[&str]) -> Child {
    let mut command = command();
    command.args(arguments).current_dir(bench.root()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("started")
}

/// Sends a signal and waits for the end. Returns how it ended, and what standard error said.
fn interrupt(mut child: Child, name: &str) -> (ExitStatus, String, Duration) {
    let begin = Instant::now();
    let script = format!("kill -{name} {} 2>/dev/null", child.id());
    Command::new("sh").args(["-c", &script]).status().expect("a shell");
    let status = child.wait().expect("ended");
    let took = begin.elapsed();
    let mut stderr = String::new();
    child.stderr.take().map(|mut pipe| pipe.read_to_string(&mut stderr));
    (status, stderr, took)
}

/// Hidden names anywhere below a folder.
fn hidden(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            found.push(name);
        } else if entry.path().is_dir() {
            found.extend(hidden(&entry.path()));
        }
    }
    found
}

/// People with many distinct incomes, and the same table with ranges for ages and postcodes.
fn many_people(bench: &Bench, rows: u64) {
    let mut dice = Dice::new(3);
    let (mut data, mut release) = (String::new(), String::new());
    data += "person,age,zip,sex,income,disease\n";
    release += "age,zip,sex,income,disease\n";
    for person in 0..rows {
        let (age, zip, sex) = (20 + dice.roll(60), dice.roll(10_000), ["f", "m"][dice.roll(2) as usize]);
        let (income, disease) = (dice.roll(100_000), dice.roll(12));
        let _ = writeln!(data, "p{person},{age},{zip:04},{sex},{income},d{disease}");
        let (low, front) = (age / 20 * 20, zip / 100);
        let _ = writeln!(release, "{low}-{},{front:02}**,{sex},{income},d{disease}", low + 19);
    }
    bench.write("people.csv", data);
    bench.write("released.csv", release);
    let ages: String =
        (20..80u32).map(|age| format!("{age};{0}-{1};*\n", age / 20 * 20, age / 20 * 20 + 19)).collect();
    bench.write("age.csv", ages);
    let zips: String = (0..10_000u32).map(|zip| format!("{zip:04};{:02}**;*\n", zip / 100)).collect();
    bench.write("zip.csv", zips);
    bench.write(
        "policy.toml",
        policy("[privacy.t-closeness]\ncolumn = \"income\"\nt = 0.9\ndistance = \"ordered\"\n", "mondrian"),
    );
    bench.write(
        "entropy.toml",
        policy("[privacy.l-diversity]\ncolumn = \"disease\"\nkind = \"entropy\"\nl = 3\n", "mondrian"),
    );
    bench.write(
        "natural.toml",
        policy("[privacy.n-t-closeness]\ncolumn = \"disease\"\nn = 2000\nt = 0.2\n", "full-domain"),
    );
}

fn policy(requirement: &str, method: &str) -> String {
    format!(
        "seed = 1\n[data]\npath = \"people.csv\"\n[columns.person]\nrole = \"identifier\"\n\
         [columns.age]\nrole = \"quasi-identifier\"\nhierarchy = \"age.csv\"\n\
         [columns.zip]\nrole = \"quasi-identifier\"\nhierarchy = \"zip.csv\"\n\
         [columns.sex]\nrole = \"quasi-identifier\"\n[columns.income]\nrole = \"sensitive\"\n\
         [columns.disease]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 5\n{requirement}\
         [method]\nname = \"{method}\"\n"
    )
}

#[test]
fn hard_use_2_2_signals_are_obeyed_at_random_moments_of_every_command() {
    let bench = Bench::with_example("patients");
    many_people(&bench, 150_000);
    bench.privet(&["anonymize", "patients/policy.toml", "-o", "old", "--quiet"]).succeeds();
    let old = bench.tree("old");
    let names = bench.names(".");
    let audit =
        |policy| ["audit", "--policy", policy, "--original", "people.csv", "--release", "released.csv"];
    let jobs: [&[&str]; 11] = [
        &["anonymize", "policy.toml", "-o", "out"],
        &["anonymize", "natural.toml", "-o", "old", "--force"],
        &["anonymize", "entropy.toml", "-o", "old", "--force", "--attacks", "none"],
        &audit("policy.toml"),
        &audit("natural.toml"),
        &audit("entropy.toml"),
        &[
            "hierarchy",
            "build",
            "people.csv",
            "income",
            "--kind",
            "equal-frequency",
            "--bins",
            "5000",
            "-o",
            "income.csv",
        ],
        &["init", "people.csv", "-o", "draft"],
        &["risk", "policy.toml"],
        &["compare", "policy.toml", "entropy.toml", "-o", "compared"],
        &["attack", "--policy", "entropy.toml", "--original", "people.csv", "--release", "released.csv"],
    ];
    let mut dice = Dice::new(11);
    for (number, job) in jobs.iter().enumerate() {
        // At two moments; then, where the job was quicker than both, at earlier ones.
        let moments = [150 + dice.roll(900), 1050 + dice.roll(900), 300, 200, 120, 80];
        let (mut hits, mut quick) = (0, 0);
        for (moment, delay) in moments.into_iter().enumerate() {
            if moment > 1 && hits > 0 {
                break;
            }
            let name = ["INT", "TERM"][moment % 2];
            let mut slow = 0;
            let (status, stderr, took) = loop {
                let child = start(&bench, job);
                sleep(Duration::from_millis(delay));
                let (status, stderr, took) = interrupt(child, name);
                slow += 1;
                if took < PROMPT || slow == TRIES {
                    break (status, stderr, took);
                }
            };
            let told = format!("{job:?}, SIG{name} after {delay} ms: {status}, {took:?}\n{stderr}");
            assert!(took < PROMPT, "{told}");
            assert_eq!(hidden(bench.root()), Vec::<String>::new(), "{told}");
            match status.code() {
                Some(130) => {
                    hits += 1;
                    assert!(stderr.contains("interrupted"), "{told}");
                    assert_eq!(bench.names("."), names, "{told}");
                    assert!(bench.tree("old") == old, "{told}");
                }
                // It was quicker than the signal.
                Some(_) => {
                    quick += 1;
                    for made in bench.names(".").iter().filter(|name| !names.contains(name)) {
                        let path = bench.path(made);
                        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
                    }
                    assert!(number > 2 || bench.tree("old") == old, "a quick run: {told}");
                }
                // In its first moments a process has not yet said what it does with signals.
                None => assert!(matches!(status.signal(), Some(2 | 15)), "{told}"),
            }
        }
        // A quick command may end before every signal.
        if hits == 0 {
            assert!(quick > 0, "no signal hit {job:?} at work");
            eprintln!("{job:?} was quicker than every signal");
        }
    }
}

/// The work itself cannot look for signals while it waits for a reader that does not read.
#[test]
fn hard_use_2_2_a_process_that_waits_for_its_reader_ends() {
    let bench = Bench::new();
    let leaves: String = (0..20_000).map(|leaf| format!("leaf {leaf};group {};*\n", leaf / 10)).collect();
    bench.write("tree.csv", leaves);
    for json in [false, true] {
        let mut command = command();
        command.args(["hierarchy", "show", "tree.csv", "--most", "100000"]);
        command.args(json.then_some("--json"));
        command.current_dir(bench.root()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("started");
        sleep(Duration::from_millis(2500));
        let (status, stderr, took) = interrupt(child, "TERM");
        assert_eq!(status.code(), Some(130), "{stderr}");
        assert!(took < PROMPT, "{took:?}");
    }
}

/// The census with a requirement that no search can prune by.
fn natural_census(records: usize, more: &str, method: &str) -> Bench {
    let bench = crate::common::small_census(records);
    let policy = bench.text("census/policy.toml");
    let head = policy.split("[privacy").next().expect("a head");
    bench.write(
        "census/policy.toml",
        format!("{head}[privacy.k-anonymity]\nk = 5\n[privacy.n-t-closeness]\ncolumn = \"occupation\"\n{more}[method]\nname = \"full-domain\"\n{method}"),
    );
    bench
}

#[test]
fn hard_use_2_3_the_search_for_n_t_closeness_keeps_to_its_time() {
    let bench = natural_census(20_000, "n = 1000\nt = 0.15\n", "time_limit = \"2s\"\n");
    let outcome =
        bench.privet(&["anonymize", "census/policy.toml", "-o", "out", "--attacks", "none"]).exits(0);
    let manifest = bench.json("out/steward/manifest.json");
    let seconds = manifest["search"]["seconds"].as_f64().expect("how long it took");
    // The limit is looked at between two steps; a debug build on a busy machine takes its time for one.
    assert!(seconds < 20.0, "{seconds} s\n{}", outcome.stderr);
    bench.privet(&["audit", "out"]).succeeds();
}

/// 400 records with seven quasi-identifiers of many levels, as they are: half a million combinations of labels for every class.
#[test]
fn hard_use_2_3_the_audit_of_n_t_closeness_needs_little_memory() {
    let bench = natural_census(400, "n = 150\nt = 0.3\n", "");
    let policy = bench.text("census/policy.toml").replace("k = 5", "k = 1");
    bench.write("census/policy.toml", policy);
    let text = bench.text("census/census.csv");
    // Without the column that names people, as released.
    let released: String =
        text.lines().map(|line| line.split_once(',').expect("cells").1.to_string() + "\n").collect();
    bench.write("released.csv", released);
    let script = format!(
        "ulimit -v 900000; exec '{}' audit --policy census/policy.toml --original census/census.csv --release released.csv",
        command().get_program().to_string_lossy()
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(bench.root());
    let outcome = crate::common::run(shell);
    assert!(matches!(outcome.status, Some(0 | 4)), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains("n-t-closeness (column = occupation"), "{}", outcome.stdout);
}

/// Thousands of classes of one record each. Class by class, each looks at all records: tens of processor seconds.
#[test]
fn hard_use_2_3_the_audit_of_n_t_closeness_does_not_grow_with_the_square_of_classes() {
    let bench = natural_census(6_000, "n = 150\nt = 0.3\n", "");
    let policy = bench.text("census/policy.toml").replace("k = 5", "k = 1");
    bench.write("census/policy.toml", policy);
    let text = bench.text("census/census.csv");
    let released: String =
        text.lines().map(|line| line.split_once(',').expect("cells").1.to_string() + "\n").collect();
    bench.write("released.csv", released);
    let script = format!(
        "ulimit -t 10; exec '{}' audit --policy census/policy.toml --original census/census.csv --release released.csv",
        command().get_program().to_string_lossy()
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(bench.root());
    let outcome = crate::common::run(shell);
    assert!(
        matches!(outcome.status, Some(0 | 4)),
        "{:?}{}{}",
        outcome.status,
        outcome.stdout,
        outcome.stderr
    );
}

/// Patients whose symptoms give them away, in groups of a few hundred: every group fails as it is.
#[test]
fn hard_use_2_4_the_time_limit_bounds_the_whole_search_for_terms() {
    let bench = Bench::new();
    let mut dice = Dice::new(8);
    let labels: String = (0..40u32)
        .map(|label| {
            let terms: Vec<String> =
                (0..6).map(|term| format!("s{}", (label * 7 + term * term * 3) % 90)).collect();
            format!("disease {label},{}\n", terms.join("|"))
        })
        .collect();
    bench.write("diseases.csv", format!("label,terms\n{labels}"));
    let mut data = "region,symptoms\n".to_string();
    for person in 0..100_000u64 {
        let region = person / 400;
        // One region, few diseases.
        let label = (region + dice.roll(3)) % 40;
        let terms: Vec<String> =
            (0..6).map(|term| format!("s{}", (label * 7 + term * term * 3) % 90)).collect();
        let some: Vec<&str> = terms.iter().filter(|_| dice.roll(3) > 0).map(String::as_str).collect();
        let _ = writeln!(data, "r{region},{}", some.join("|"));
    }
    bench.write("data.csv", data);
    bench.write(
        "policy.toml",
        "seed = 1\n[data]\npath = \"data.csv\"\n[columns.region]\nrole = \"quasi-identifier\"\n\
         [columns.symptoms]\nrole = \"quasi-sensitive\"\nseparator = \"|\"\nknowledge = \"diseases.csv\"\n\
         [privacy.qs-diversity]\ncolumn = \"symptoms\"\nl = 8\nc = 0.5\n\
         [method]\nname = \"quasi-sensitive\"\ntime_limit = \"10ms\"\n",
    );
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out", "--attacks", "none"]).exits(0);
    let manifest = bench.json("out/steward/manifest.json");
    let seconds = manifest["search"]["seconds"].as_f64().expect("how long it took");
    // Looking once at every group is not searching; in a debug build on a busy machine it takes a while.
    assert!(seconds < 30.0, "{seconds} s: {}", outcome.stderr);
    let unsearched = manifest["groups"]["unsearched"].as_u64().expect("a count");
    assert!(unsearched > 0 && outcome.stderr.contains(&format!("{unsearched} of")), "{}", outcome.stderr);
    assert!(bench.text("out/steward/report.html").contains("no time to search"));
    bench.privet(&["audit", "out"]).succeeds();
}

/// With a suppression limit, a class that is close to no natural superset is left out; it used to be released, and the run ended with its own audit.
#[test]
fn hard_use_2_3_classes_that_are_close_to_nothing_are_left_out_where_that_is_allowed() {
    let bench = Bench::new();
    let rows = ["A,flu\nA,cold\nB,flu\nB,cold\n".repeat(5), "C,gout\n".repeat(2)].concat();
    bench.write("data.csv", format!("town,disease\n{rows}"));
    bench.write(
        "policy.toml",
        "seed = 1\n[data]\npath = \"data.csv\"\n[columns.town]\nrole = \"quasi-identifier\"\n\
         [columns.disease]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 2\n\
         [privacy.n-t-closeness]\nn = 12\nt = 0.2\n[method]\nname = \"full-domain\"\nsuppression_limit = 0.1\n",
    );
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(0);
    let manifest = bench.json("out/steward/manifest.json");
    assert_eq!(manifest["records"]["suppressed"], 2, "{manifest}");
    assert_eq!(manifest["plan"]["levels"]["town"], 0);
    bench.privet(&["audit", "out"]).succeeds();
}

/// A job that succeeds this soon after a signal had done its work before it.
const AT_ITS_END: Duration = Duration::from_millis(50);

/// Sends a signal to a job at work; `None` where it was quicker.
fn stopped(bench: &Bench, job: &[&str], delay: u64) -> Option<(ExitStatus, String)> {
    let mut child = start(bench, job);
    sleep(Duration::from_millis(delay));
    if child.try_wait().expect("a process").is_some() {
        return None;
    }
    let (status, stderr, took) = interrupt(child, "INT");
    eprintln!("{job:?} after {delay} ms: {status}, {took:?}");
    (!status.success() || took > AT_ITS_END).then_some((status, stderr))
}

#[test]
fn hard_use_2_2_nothing_takes_its_place_after_a_signal() {
    let bench = Bench::with_example("patients");
    many_people(&bench, 200_000);
    bench.privet(&["anonymize", "patients/policy.toml", "-o", "old", "--quiet"]).succeeds();
    // A release so large that its hash takes a while.
    let release = "old/public/release.csv";
    let text = bench.text(release);
    let row = text.lines().last().expect("a row").to_string() + "\n";
    let large = text.clone() + &row.repeat(60_000_000 / row.len());
    let hash = |path: &str| {
        let sum = Command::new("sha256sum").arg(bench.path(path)).output().expect("a sum");
        String::from_utf8_lossy(&sum.stdout).split_whitespace().next().expect("a hash").to_string()
    };
    let small = hash(release);
    bench.write(release, large);
    bench.edit("old/steward/manifest.json", &small, &hash(release));
    let names = bench.names(".");
    for job in [&["init", "people.csv", "-o", "draft"][..], &["report", "old"]] {
        let old = bench.tree("old/steward");
        for delay in [400, 250, 120, 60, 30] {
            let Some((status, stderr)) = stopped(&bench, job, delay) else {
                let _ = fs::remove_dir_all(bench.path("draft"));
                continue;
            };
            // In its first moments a process has not yet said what it does with signals.
            assert!(status.code() == Some(130) || status.signal() == Some(2), "{job:?}: {status}\n{stderr}");
            assert_eq!(bench.names("."), names, "{job:?}: {stderr}");
            assert!(job[0] == "init" || bench.tree("old/steward") == old, "{job:?}: {stderr}");
            assert_eq!(hidden(bench.root()), Vec::<String>::new(), "{job:?}");
        }
    }
}
