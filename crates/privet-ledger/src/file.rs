//! The ledger file: one JSON object per line, each holding the SHA-256 of the line before.
//!
//! A changed or removed line breaks the chain where it was. Lines are only ever added, under a lock, and are on disk before
//! anything is published. What an interrupted run leaves of a line is closed off by the next one, which says so; a release
//! whose line is torn was never published. The chain cannot tell that its last lines were cut off, nor that all of it was
//! written anew: keep the hash of the last line ([`Ledger::head`]) elsewhere for that.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::line::{Entry, Event, ReleaseLine, ReleasedFile, line_hash};
use super::signature::Salt;
use privet_core::clock::Clock;
use privet_core::{Error, ErrorKind, Result, platform};

/// How long to wait for another run that writes to the ledger.
const PATIENCE: Duration = Duration::from_secs(30);

/// How the first line of every ledger begins: what a run leaves that is stopped while it begins one is a part of that.
const BEGINNING: &[u8] = b"{\"entry\":1,\"date\":";

/// Something that is not as a ledger should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The line of the file, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub message: String,
}

/// A ledger as it was read.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    entries: Vec<Entry>,
    /// What breaks the chain, or is not a line of a ledger.
    pub faults: Vec<Fault>,
    /// Lines that interrupted runs left unfinished; harmless.
    pub torn: Vec<u64>,
    /// The SHA-256 of the last line.
    pub head: String,
    /// Whether the last line lacks its end.
    open_end: bool,
    /// Whether that line is only a part of one.
    torn_end: bool,
    /// Whether others than the owner may read the file.
    pub shared: bool,
    /// Whether nothing in the file is of a ledger, nor could have become one.
    foreign: bool,
}

/// What became of a release that was announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is in its place.
    Published,
    /// The run was stopped before it could say: it counts as published.
    Unconfirmed,
    /// It could not be published.
    Withdrawn,
}

impl State {
    /// The state in a word.
    pub fn name(self) -> &'static str {
        match self {
            State::Published => "published",
            State::Unconfirmed => "unconfirmed",
            State::Withdrawn => "withdrawn",
        }
    }
}

/// A release in the ledger.
#[derive(Debug, Clone, Copy)]
pub struct Recorded<'a> {
    /// The number of its line.
    pub entry: u64,
    /// When it was announced.
    pub date: &'a str,
    /// What became of it.
    pub state: State,
    /// What is kept of it.
    pub release: &'a ReleaseLine,
}

impl Recorded<'_> {
    /// Whether these are the files that it had; there may be others next to them.
    pub fn has(&self, files: &[ReleasedFile]) -> bool {
        self.release.files.iter().all(|file| files.contains(file))
    }
}

impl Ledger {
    /// Reads a ledger, faults and all.
    pub fn read(path: &Path) -> Result<Ledger> {
        let wrong = |error: &io::Error| Error::io("read the ledger", path, error);
        let bytes = fs::read(path).map_err(|error| wrong(&error))?;
        let metadata = fs::metadata(path).map_err(|error| wrong(&error))?;
        let ledger = Ledger::parse(path, &bytes, platform::is_shared(&metadata));
        if ledger.foreign || bytes.is_empty() {
            let what =
                if bytes.is_empty() { "the file is empty, not a ledger" } else { "this is not a ledger" };
            return Err(Error::input(what).in_file(path).help(
                "name the file that [ledger] of a policy names, or that policy; `privet anonymize` begins a ledger",
            ));
        }
        Ok(ledger)
    }

    fn parse(path: &Path, bytes: &[u8], shared: bool) -> Ledger {
        let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        // What follows the last line's end is empty, unless that line has none.
        let open_end = lines.pop_if(|last| last.is_empty()).is_none();
        let parsed: Vec<Option<Entry>> = lines.iter().map(|line| serde_json::from_slice(line).ok()).collect();
        let mut ledger = Ledger {
            path: path.to_path_buf(),
            entries: Vec::new(),
            faults: Vec::new(),
            torn: Vec::new(),
            head: String::new(),
            open_end,
            torn_end: false,
            shared,
            foreign: !bytes.starts_with(BEGINNING) && !BEGINNING.starts_with(bytes),
        };
        for (at, entry) in parsed.iter().enumerate() {
            let line = at as u64 + 1;
            let fault = |message: &str| Fault { line, message: message.to_string() };
            match entry {
                Some(entry) => {
                    if entry.previous != ledger.head {
                        ledger.faults.push(fault(
                            "it does not follow from the line before: a line was changed, removed or put in",
                        ));
                    } else if entry.entry != ledger.entries.len() as u64 + 1 {
                        ledger.faults.push(fault("its number is not the next one"));
                    }
                    ledger.entries.push(entry.clone());
                }
                None if at + 1 == lines.len() && open_end => {
                    ledger.torn_end = true;
                    ledger.torn.push(line);
                }
                None if parsed
                    .get(at + 1)
                    .is_some_and(|next| next.as_ref().is_some_and(|next| next.after_torn)) =>
                {
                    ledger.torn.push(line);
                }
                None => ledger.faults.push(fault("it is not a line of a ledger")),
            }
            ledger.head = line_hash(lines[at]);
        }
        ledger.foreign &= ledger.entries.is_empty();
        let opens = |entry: &Entry| matches!(entry.event, Event::Opened { .. });
        if !ledger.entries.is_empty() && ledger.entries.iter().position(opens) != Some(0) {
            ledger.faults.push(Fault { line: 1, message: "a ledger begins with its salt".to_string() });
        }
        ledger
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All lines that can be read.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What goes into its hashes.
    pub fn salt(&self) -> Option<Salt> {
        self.entries.iter().find_map(|entry| match &entry.event {
            Event::Opened { salt, .. } => Some(*salt),
            _ => None,
        })
    }

    /// All releases, in the order in which they were announced.
    pub fn releases(&self) -> Vec<Recorded<'_>> {
        let state = |number: u64| {
            let of = |entry: &Entry| match entry.event {
                Event::Published { of } if of == number => Some(State::Published),
                Event::Withdrawn { of } if of == number => Some(State::Withdrawn),
                _ => None,
            };
            self.entries.iter().find_map(of).unwrap_or(State::Unconfirmed)
        };
        let mut releases = Vec::new();
        for Entry { entry, date, event, .. } in &self.entries {
            if let Event::Release(release) = event {
                releases.push(Recorded { entry: *entry, date, state: state(*entry), release });
            }
        }
        releases
    }

    /// The first fault as an error, for callers that need a ledger to rely on.
    fn sound(self) -> Result<Ledger> {
        if self.foreign {
            return Err(Error::input("this is not a ledger, and is left alone")
                .in_file(&self.path)
                .help("name another file in [ledger]"));
        }
        match self.faults.first() {
            None => Ok(self),
            Some(fault) => Err(Error::input(format!("the ledger cannot be relied on: {}", fault.message))
                .in_file(&self.path)
                .at_line(fault.line)
                .help("run `privet ledger check`; put back the file as it was, or begin a new ledger and keep this one")),
        }
    }
}

/// A ledger that is being added to; the lock is held until it is dropped.
#[derive(Debug)]
pub struct Writer {
    file: File,
    ledger: Ledger,
}

impl Writer {
    /// Opens a ledger to add to it, and begins one where there is none. Waits a while for another run that does the same.
    pub fn open(path: &Path, clock: &Clock) -> Result<Writer> {
        let wrong = |error: &io::Error| Error::io("use the ledger", path, error);
        let mut file = platform::private(OpenOptions::new().read(true).append(true).create(true))
            .open(path)
            .map_err(|error| wrong(&error))?;
        let metadata = file.metadata().map_err(|error| wrong(&error))?;
        if !metadata.is_file() {
            return Err(Error::input("the ledger is not a file").in_file(path).help("name a file to make"));
        }
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                    clock.check()?;
                    thread::sleep(Duration::from_millis(50));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::new(ErrorKind::Busy, "another run is writing to the ledger")
                        .in_file(path)
                        .help("wait for it to end"));
                }
                Err(TryLockError::Error(error)) => return Err(Error::io("lock the ledger", path, &error)),
            }
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| wrong(&error))?;
        let ledger = Ledger::parse(path, &bytes, platform::is_shared(&metadata)).sound()?;
        let mut writer = Writer { file, ledger };
        if writer.ledger.salt().is_none() {
            writer.append(Event::Opened {
                privet: env!("CARGO_PKG_VERSION").to_string(),
                salt: Salt::draw()?,
            })?;
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new("."));
            platform::sync_directory(folder).map_err(|error| wrong(&error))?;
        }
        Ok(writer)
    }

    /// The ledger as it is.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// What goes into its hashes.
    pub fn salt(&self) -> Result<Salt> {
        self.ledger.salt().ok_or_else(|| Error::internal("a ledger that was opened has a salt"))
    }

    /// Adds a line and waits until it is on disk. Returns its number.
    pub fn append(&mut self, event: Event) -> Result<u64> {
        let ledger = &self.ledger;
        let number = ledger.entries.len() as u64 + 1;
        let entry = Entry {
            entry: number,
            date: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            previous: ledger.head.clone(),
            after_torn: ledger.torn_end,
            event,
        };
        let text = serde_json::to_string(&entry)
            .map_err(|error| Error::internal(format!("cannot write a line of the ledger: {error}")))?;
        let line = if ledger.open_end { format!("\n{text}\n") } else { format!("{text}\n") };
        let wrong = |error: &io::Error| Error::io("write to the ledger", &ledger.path, error);
        let before = self.file.metadata().map_err(|error| wrong(&error))?.len();
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_all());
        if let Err(error) = written {
            // What a full disk left of the line is ours to take back; if that fails too, the next run closes it off.
            let _ = self.file.set_len(before);
            return Err(wrong(&error));
        }
        self.ledger.head = line_hash(text.as_bytes());
        self.ledger.entries.push(entry);
        self.ledger.open_end = false;
        self.ledger.torn_end = false;
        Ok(number)
    }
}
