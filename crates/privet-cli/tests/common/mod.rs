//! What the end-to-end tests share: a folder to work in, the command, and what a run of it came to.

pub mod here;

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value as Json;
use tempfile::TempDir;

/// The command under test. `PRIVET_BIN` names another one, such as a release build.
pub fn command() -> Command {
    let path = std::env::var_os("PRIVET_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_privet").into());
    let mut command = Command::new(path);
    command.stdin(Stdio::null());
    command
}

/// What a run came to.
#[derive(Debug)]
pub struct Outcome {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// The run must have ended with this status.
    #[track_caller]
    pub fn exits(self, status: i32) -> Outcome {
        assert_eq!(self.status, Some(status), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// The run must have ended well and without complaint.
    #[track_caller]
    pub fn succeeds(self) -> Outcome {
        let outcome = self.exits(0);
        assert!(!outcome.stderr.contains("error"), "{}", outcome.stderr);
        outcome
    }

    /// Standard output as the one JSON object that `--json` promises.
    #[track_caller]
    pub fn json(&self) -> Json {
        let json: Json =
            serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout));
        assert!(json.is_object(), "{json}");
        json
    }
}

/// A folder that vanishes at the end of the test.
pub struct Bench {
    folder: TempDir,
}

impl Bench {
    /// Whether only the owner has rights to a file. Where the system has no such rights, it has nobody to keep out.
    pub fn is_private(&self, name: &str) -> bool {
        let metadata = fs::metadata(self.path(name)).expect("a file");
        #[cfg(unix)]
        return std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o077 == 0;
        #[cfg(not(unix))]
        !metadata.file_type().is_symlink()
    }

    pub fn new() -> Bench {
        Bench { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// A folder that holds one of the shipped examples, under its name.
    pub fn with_example(name: &str) -> Bench {
        let bench = Bench::new();
        bench.privet(&["example", name]).succeeds();
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(&path, content).expect("written");
        path
    }

    #[track_caller]
    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    #[track_caller]
    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("UTF-8")
    }

    #[track_caller]
    pub fn json(&self, name: &str) -> Json {
        serde_json::from_str(&self.text(name)).expect("JSON")
    }

    /// Replaces a part of a file, which must be there.
    #[track_caller]
    pub fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.text(name);
        assert!(text.contains(from), "{name} has no {from:?}");
        self.write(name, text.replace(from, to));
    }

    /// The names in a folder, hidden ones too, in order.
    pub fn names(&self, folder: &str) -> Vec<String> {
        names(&self.path(folder))
    }

    /// Runs the command inside the folder.
    pub fn privet(&self, arguments: &[&str]) -> Outcome {
        let mut command = command();
        command.args(arguments).current_dir(self.root());
        run(command)
    }

    /// Every file below a folder with its content, by relative path.
    pub fn tree(&self, folder: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let root = self.path(folder);
        let mut files = Vec::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for name in names(&folder) {
                let path = folder.join(name);
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let content = fs::read(&path).expect("readable");
                    files.push((path.strip_prefix(&root).expect("below").to_path_buf(), content));
                }
            }
        }
        files.sort();
        files
    }
}

pub fn run(mut command: Command) -> Outcome {
    let output = command.output().expect("the command runs");
    Outcome {
        status: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The rows of a table in any format, the header first.
pub fn rows(path: &Path) -> Vec<Vec<String>> {
    let source =
        privet::data::Source::open(path, &privet::data::ReadOptions::with_names(None)).expect("a table");
    let mut rows = vec![source.columns().iter().map(|column| column.name.clone()).collect()];
    let columns = source.columns().len();
    source
        .read(&mut |batch, _| {
            for row in 0..batch.rows() {
                rows.push((0..columns).map(|column| batch.cell(row, column).to_string()).collect());
            }
            Ok(())
        })
        .expect("readable");
    rows
}

/// Tries all cases, so that one run tells of all that fail, and counts these.
pub fn failures<T>(cases: &[T], mut each: impl FnMut(&T)) -> usize {
    cases.iter().filter(|case| panic::catch_unwind(AssertUnwindSafe(|| each(case))).is_err()).count()
}

/// A generator of made-up numbers: the same ones in every run (xorshift64*).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % sides
    }
}

/// The census example with only its first records, so that a search takes a moment.
pub fn small_census(records: usize) -> Bench {
    let bench = Bench::with_example("census");
    let text = bench.text("census/census.csv");
    let some: Vec<&str> = text.lines().take(records + 1).collect();
    bench.write("census/census.csv", some.join("\n") + "\n");
    bench
}

/// The census policy with the partitioning method instead of the lattice search.
pub fn use_mondrian(bench: &Bench, more: &str) {
    let policy = bench.text("census/policy.toml");
    let head = policy.split("[method]").next().expect("a head");
    bench.write("census/policy.toml", format!("{head}[method]\nname = \"mondrian\"\n{more}"));
}
