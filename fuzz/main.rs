//! Throws damaged and hostile input at everything that reads, on the stable toolchain.
//!
//! ```text
//! cargo test -p privet-lab --test fuzz                                         a short run, as in CI
//! cargo test -p privet-lab --release --test fuzz -- --seconds 600              ten minutes, shared among all targets
//! cargo test -p privet-lab --release --test fuzz -- --seconds 600 --target csv --seed 7
//! ```
//!
//! Inputs are mutations of the corpus: `fuzz/corpus/TARGET/`, the malformed files of the end-to-end tests, and typed files that
//! are made at the start. What is drawn follows from the seed. An input that makes a target panic, report a defect of ours, break
//! a property, or ask for gigabytes is kept in `target/tmp/fuzz/` and ends the run with a failure.

mod differential;
mod mutate;
mod targets;

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use mutate::Dice;
use targets::{TARGETS, Target};

/// Seconds of a run that nobody asked to take longer.
const SHORT: u64 = 12;

/// A reader may reserve this much more address space for one of these inputs, all of which are small, in kilobytes.
const MOST_MEMORY: u64 = 2 << 20;

/// Inputs are not grown beyond this many bytes.
pub const LONGEST: usize = 1 << 16;

struct Arguments {
    seconds: u64,
    seed: u64,
    target: Option<String>,
}

fn arguments() -> Arguments {
    let mut found = Arguments { seconds: SHORT, seed: 1, target: None };
    let mut words = std::env::args().skip(1);
    // A filter for the names of other tests may come along: what is unknown is not for us.
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seconds" => found.seconds = words.next().and_then(|value| value.parse().ok()).unwrap_or(SHORT),
            "--seed" => found.seed = words.next().and_then(|value| value.parse().ok()).unwrap_or(1),
            "--target" => found.target = words.next(),
            _ => {}
        }
    }
    found
}

fn main() -> ExitCode {
    let Arguments { seconds, seed, target } = arguments();
    let chosen: Vec<&Target> =
        TARGETS.iter().filter(|one| target.as_deref().is_none_or(|name| name == one.name)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("there is no such target; there are: {}", names.join(", "));
        return ExitCode::FAILURE;
    }
    // What panics is told below, once, with the input that did it.
    panic::set_hook(Box::new(|_| {}));
    let share = Duration::from_secs(seconds) / chosen.len() as u32;
    let failures: usize = chosen.into_iter().map(|target| attack(target, share, seed)).sum();
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one target for its time; returns how many inputs it failed on.
fn attack(target: &Target, share: Duration, seed: u64) -> usize {
    // Thousands of small files are written and waited for: in memory, where there is such a place.
    let in_memory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let folder = in_memory.expect("a temporary folder");
    let corpus = (target.corpus)(folder.path());
    assert!(!corpus.is_empty(), "{}: no corpus", target.name);
    let mut dice = Dice::new(seed);
    let begin = Instant::now();
    let (mut tried, mut failures) = (0u64, 0);
    // The corpus itself comes first, unchanged.
    while tried < corpus.len() as u64 || begin.elapsed() < share {
        let input = match corpus.get(tried as usize) {
            Some(input) => input.clone(),
            None => mutate::mutated(&corpus, target.words, &mut dice),
        };
        tried += 1;
        let before = address_space();
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| (target.run)(folder.path(), &input)));
        let wrong = match outcome {
            Ok(Ok(())) if address_space().saturating_sub(before) > MOST_MEMORY => {
                Some("asks for gigabytes".to_string())
            }
            Ok(Ok(())) => None,
            Ok(Err(reason)) => Some(reason),
            Err(cause) => Some(format!("panics: {}", said(&*cause))),
        };
        if let Some(reason) = wrong {
            failures += 1;
            eprintln!(
                "{}: input {tried} {reason}\n  kept as {}",
                target.name,
                keep(target, tried, &input.bytes).display()
            );
            if failures >= 3 {
                break;
            }
        }
    }
    eprintln!(
        "{:<12} {tried:>8} inputs in {:>5.1} s, {failures} failures",
        target.name,
        begin.elapsed().as_secs_f64()
    );
    failures
}

fn said(cause: &(dyn std::any::Any + Send)) -> String {
    let text = cause.downcast_ref::<String>().cloned();
    text.or_else(|| cause.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_default()
}

fn keep(target: &Target, number: u64, bytes: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
    let path = folder.join(format!("{}-{number}", target.name));
    let kept = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, bytes));
    kept.unwrap_or_else(|error| eprintln!("cannot keep the input: {error}"));
    path
}

/// The most address space that this process ever had, in kilobytes; zero where the system does not tell.
fn address_space() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmPeak:"));
    peak.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
