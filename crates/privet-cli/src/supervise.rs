//! Ending in order where memory runs out.
//!
//! A program that is refused memory is aborted by its runtime, and one that takes too much is killed by the system: neither can say
//! anything, nor clear up. So where memory is limited (`ulimit -v`, a container) the command runs itself a second time
//! and waits: the second process works, the first one says what became of it. Where there is no limit there is one process.
//!
//! The worker inherits standard output and error. Its standard input is a pipe from its supervisor: a byte there means that the
//! user wants to stop, its end that the supervisor is gone, and then the work is not wanted any more.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, ExitStatus, Stdio, exit, id};
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::{env, fs, thread};

use privet::release::clear_away;
use privet::{Error, MORE_MEMORY, platform};

use crate::output::Output;
use crate::signals::Signals;

/// Marks a worker as one: holds the process number of its supervisor.
const SUPERVISOR: &str = "PRIVET_SUPERVISOR";

/// The limit that older control groups state where there is none: more than any machine has.
const ENDLESS: u64 = 1 << 60;

/// Signals that end a process for want of memory: the runtime's own, and the system's.
const ABORTED: i32 = 6;
const KILLED: i32 = 9;

/// Whether this process works for a supervisor.
pub fn is_worker() -> bool {
    let parent = platform::parent_id().map(|parent| parent.to_string());
    parent.is_some() && env::var(SUPERVISOR).ok() == parent
}

/// How this process is started once more.
pub struct Again<'a> {
    /// The program, and what makes it this command.
    pub program: &'a [OsString],
    /// What the user gave.
    pub arguments: &'a [OsString],
}

/// Runs the command in a process of its own, if memory is limited, and says how it ended; `None` where the work is to be done here.
/// `target` is where it writes.
pub fn supervised(
    again: &Again<'_>,
    target: Option<&Path>,
    signals: &Signals,
    output: &Output,
) -> Option<u8> {
    let (program, first) = again.program.split_first()?;
    if is_worker() || !is_limited() {
        return None;
    }
    let mut worker = Command::new(program)
        .args(first)
        .args(again.arguments)
        .env(SUPERVISOR, id().to_string())
        // The runtime's own words about an allocation that failed are short; a trace of it needs memory itself.
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::piped())
        .spawn()
        .ok()?;
    let line = signals.worker.get_or_init(|| Line(Mutex::new(worker.stdin.take())));
    // A signal that came before the worker was there.
    if signals.interrupted.load(Ordering::SeqCst) {
        line.interrupt();
    }
    Some(ended_with(worker.wait(), target, output))
}

/// The way to a worker; closed when this process ends, however it does.
#[derive(Debug)]
pub struct Line(Mutex<Option<ChildStdin>>);

impl Line {
    /// Passes on to the worker that the user wants to stop.
    pub fn interrupt(&self) {
        if let Ok(mut line) = self.0.lock() {
            // A worker that has ended needs no word.
            let _ = line.as_mut().map(|line| line.write_all(b"i"));
        }
    }
}

/// Reports how a worker ended, if it could not do so itself.
fn ended_with(ended: io::Result<ExitStatus>, target: Option<&Path>, output: &Output) -> u8 {
    if let Some(code) = ended.as_ref().ok().and_then(ExitStatus::code) {
        return u8::try_from(code).unwrap_or(1);
    }
    if let Some(target) = target {
        clear_away(target);
    }
    let error = match ended.ok().and_then(|status| platform::signal_of(&status)) {
        Some(ABORTED) => {
            Error::input("memory ran out, and the run was ended; nothing was written").help(MORE_MEMORY)
        }
        Some(KILLED) => {
            Error::input("the run was killed, most likely because memory ran out; nothing was written")
                .help(MORE_MEMORY)
        }
        _ => crate::defect(),
    };
    output.error(&error);
    error.kind().exit_status()
}

/// Listens to the supervisor, if there is one.
pub fn obey(mut interrupt: impl FnMut() + Send + 'static) {
    if !is_worker() {
        return;
    }
    let listen = move || {
        let mut byte = [0];
        while io::stdin().read(&mut byte).is_ok_and(|read| read > 0) {
            interrupt();
        }
        // As if the signal that ended the supervisor had hit this process.
        exit(128 + KILLED);
    };
    // Where there is no memory for a thread, the work will hardly begin.
    let _ = thread::Builder::new().name("privet-supervised".to_string()).spawn(listen);
}

/// Whether this process may use less memory than there is.
fn is_limited() -> bool {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    limits_memory(&read("/proc/self/limits"))
        || control_files(&read("/proc/self/cgroup")).iter().any(|file| {
            fs::read_to_string(file)
                .is_ok_and(|text| text.trim().parse::<u64>().is_ok_and(|most| most < ENDLESS))
        })
}

/// Whether the limits of a process, as the system lists them, are about its memory.
fn limits_memory(limits: &str) -> bool {
    limits.lines().any(|line| {
        let soft = line.strip_prefix("Max address space").or_else(|| line.strip_prefix("Max data size"));
        soft.and_then(|soft| soft.split_whitespace().next()).is_some_and(|soft| soft != "unlimited")
    })
}

/// The files that say how much memory the control groups of a process have, its own and those around it.
fn control_files(groups: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, name) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            controllers if controllers.split(',').any(|one| one == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        files.extend(Path::new(path).ancestors().map(|group| {
            let group = group.strip_prefix("/").unwrap_or(group);
            Path::new(root).join(group).join(name)
        }));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_the_system_writes_them() {
        let limits = |space: &str| {
            format!(
                "Limit                     Soft Limit           Hard Limit           Units     \n\
                 Max cpu time              unlimited            unlimited            seconds   \n\
                 Max data size             unlimited            unlimited            bytes     \n\
                 Max stack size            8388608              unlimited            bytes     \n\
                 Max address space         {space}            unlimited            bytes     \n"
            )
        };
        assert!(!limits_memory(&limits("unlimited")), "a limit of the stack is none of memory");
        assert!(limits_memory(&limits("268435456")));
        assert!(!limits_memory(""));
    }

    #[test]
    fn control_groups_are_looked_up_to_the_root() {
        let files: Vec<String> = control_files("4:memory:/a/b\n2:cpu,cpuacct:/c\n0::/d\n")
            .iter()
            .map(|file| file.display().to_string())
            .collect();
        assert_eq!(
            files,
            [
                "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/a/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                "/sys/fs/cgroup/d/memory.max",
                "/sys/fs/cgroup/memory.max",
            ]
        );
    }
}
