//! Runs that are disturbed while they are in one stage or another: interrupted, or their data changed under them.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::Bench;
use crate::common::here::make_here;
use privet::ErrorKind;
use privet::clock::{Clock, Progress};

/// How long a run may take to end after it was asked to. A quiet machine needs a tenth of that; others may be testing too.
const PATIENCE: Duration = Duration::from_secs(10);

/// Does something when a run enters its stage number `at`, and takes down the names of all stages.
struct Disturbance<F> {
    at: usize,
    seen: AtomicUsize,
    stages: Mutex<Vec<String>>,
    act: F,
}

impl<F: Fn() + Send + Sync> Disturbance<F> {
    fn at(at: usize, act: F) -> Arc<Self> {
        Arc::new(Disturbance { at, seen: AtomicUsize::new(0), stages: Mutex::new(Vec::new()), act })
    }

    fn stages(&self) -> Vec<String> {
        self.stages.lock().expect("no panic").clone()
    }
}

impl<F: Fn() + Send + Sync> Progress for Disturbance<F> {
    fn stage(&self, name: &str, _: Option<u64>) {
        self.stages.lock().expect("no panic").push(name.to_string());
        if self.seen.fetch_add(1, Ordering::SeqCst) == self.at {
            (self.act)();
        }
    }

    fn at(&self, _: u64) {}

    fn note(&self, _: &str) {}
}

const EXAMPLES: [&str; 5] = ["patients", "l-plus", "injector", "five-baskets", "five-vocabularies"];

#[test]
fn an_interrupt_in_any_stage_leaves_nothing() {
    for example in EXAMPLES {
        let bench = Bench::with_example(example);
        let policy = format!("{example}/policy.toml");
        let watch = Disturbance::at(usize::MAX, || {});
        make_here(&bench, &policy, &Clock::new(Arc::default(), watch.clone())).expect("made");
        fs::remove_dir_all(bench.path("out")).expect("removed");
        let stages = watch.stages();
        assert!(stages.len() >= 3, "{example}: {stages:?}");
        for (number, stage) in stages.iter().enumerate() {
            let flag = Arc::new(std::sync::atomic::AtomicBool::new(false));
            let raised = flag.clone();
            let begin = Arc::new(Mutex::new(None));
            let since = begin.clone();
            let disturbance = Disturbance::at(number, move || {
                raised.store(true, Ordering::SeqCst);
                *since.lock().expect("no panic") = Some(Instant::now());
            });
            let result = make_here(&bench, &policy, &Clock::new(flag, disturbance));
            let took = begin.lock().expect("no panic").map(|begin: Instant| begin.elapsed());
            assert!(took.is_some_and(|took| took < PATIENCE), "{example}: {stage} took {took:?}");
            let error = result.expect_err(&format!("{example}: interrupted while {stage}"));
            assert_eq!(error.kind(), ErrorKind::Interrupted, "{example}: {stage}: {error}");
            assert_eq!(bench.names("."), [example], "{example}: {stage}");
        }
    }
}

/// Rows are read more than once. What changes in between must not slip into a release that was decided without it.
#[test]
fn data_that_changes_in_any_stage_is_noticed() {
    type Change = fn(&Path);
    let changes: [(&str, Change); 4] = [
        ("grows", |path| {
            let text = fs::read_to_string(path).expect("text");
            let last = text.lines().last().expect("a line");
            fs::write(path, format!("{text}{last}\n")).expect("written");
        }),
        ("is cut off", |path| {
            let text = fs::read_to_string(path).expect("text");
            let end = text.trim_end().rfind('\n').expect("lines") + 1;
            fs::write(path, &text[..end]).expect("written");
        }),
        ("has its lines swapped", |path| {
            let text = fs::read_to_string(path).expect("text");
            let mut lines: Vec<&str> = text.lines().collect();
            let last = lines.len() - 1;
            lines.swap(last, last - 1);
            fs::write(path, lines.join("\n") + "\n").expect("written");
        }),
        ("goes away", |path| fs::remove_file(path).expect("removed")),
    ];
    for (example, data) in
        [("patients", "patients.csv"), ("injector", "patients.csv"), ("five-baskets", "five-baskets.csv")]
    {
        let bench = Bench::with_example(example);
        let (policy, data) = (format!("{example}/policy.toml"), format!("{example}/{data}"));
        let original = bench.read(&data);
        let watch = Disturbance::at(usize::MAX, || {});
        make_here(&bench, &policy, &Clock::new(Arc::default(), watch.clone())).expect("made");
        fs::remove_dir_all(bench.path("out")).expect("removed");
        let mut audited = false;
        for (number, stage) in watch.stages().iter().enumerate() {
            // What comes after the audit concerns the report: the release was made from the data as it was.
            audited |= number > 0 && watch.stages()[number - 1] == "auditing";
            for (what, change) in &changes {
                bench.write(&data, &original);
                // File systems keep time in ticks: a change within the tick of the last one would have the same time.
                sleep(Duration::from_millis(12));
                let path = bench.path(&data);
                let change = *change;
                let disturbance = Disturbance::at(number, move || change(&path));
                let error = match make_here(&bench, &policy, &Clock::new(Arc::default(), disturbance)) {
                    Err(error) => error,
                    Ok(()) => {
                        assert!(audited, "{example}: the data {what} while {stage}");
                        fs::remove_dir_all(bench.path("out")).expect("removed");
                        continue;
                    }
                };
                assert!(
                    error.kind().is_input() || error.kind() == ErrorKind::Infeasible,
                    "{example}: the data {what} while {stage}: {error}"
                );
                assert_eq!(bench.names("."), [example], "{example}: the data {what} while {stage}");
            }
        }
    }
}
