//! Files and directories that are there whole or not at all.
//!
//! New content waits under a hidden name that belongs to its target, and takes its place in one step. A run that is killed leaves
//! at most that one hidden thing behind, and the next run that writes to the same target takes it over.
//!
//! The process knows all that it keeps hidden. So a thread that has to end the process, whatever the others are doing, can
//! clear it away first: see [`abandon`]. And once the user wants to stop, nothing takes its place any more: see [`stop`].

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::platform;
pub use crate::platform::{is_same_file, names_of};

use crate::{Error, Result};

/// What this process keeps hidden, and what it has put into place.
#[derive(Debug)]
struct Hiding {
    /// Hidden files and directories, in the order in which they were made.
    hidden: Vec<PathBuf>,
    placed: Vec<PathBuf>,
    /// Steps under way that must not be torn.
    steps: usize,
    /// Whether the process is about to end: nothing may be hidden or put into place any more.
    abandoned: bool,
}

static HIDING: Mutex<Hiding> =
    Mutex::new(Hiding { hidden: Vec::new(), placed: Vec::new(), steps: 0, abandoned: false });
static STEP_DONE: Condvar = Condvar::new();
/// Whether the user wants to stop.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// What is hidden; waits for the end of the process once the run is abandoned.
fn hiding() -> MutexGuard<'static, Hiding> {
    let hiding = HIDING.lock().unwrap_or_else(PoisonError::into_inner);
    if !hiding.abandoned {
        return hiding;
    }
    drop(hiding);
    loop {
        thread::park();
    }
}

/// The hidden directory in which a release of this name is made.
pub fn work_in(parent: &Path, name: &str) -> PathBuf {
    parent.join(format!(".{name}.privet-work"))
}

/// The hidden directory next to a release, whether it is there or not.
pub fn work_of(release: &Path) -> Option<PathBuf> {
    let release = fs::canonicalize(release).ok()?;
    Some(work_in(release.parent()?, release.file_name()?.to_str()?))
}

/// Does something that must not be torn: a run is abandoned before it or after it.
pub fn in_one_step<T>(step: impl FnOnce() -> T) -> T {
    struct Done;
    impl Drop for Done {
        fn drop(&mut self) {
            HIDING.lock().unwrap_or_else(PoisonError::into_inner).steps -= 1;
            STEP_DONE.notify_all();
        }
    }
    hiding().steps += 1;
    let _done = Done;
    step()
}

/// Notes that the user wants to stop: from now on nothing takes its place, whatever command is at work.
pub fn stop() {
    STOPPED.store(true, Ordering::SeqCst);
}

/// An error once the user wants to stop, for work that has no clock.
pub fn unless_stopped() -> Result<()> {
    if STOPPED.load(Ordering::SeqCst) { Err(Error::interrupted()) } else { Ok(()) }
}

/// Puts something into its place in one step, unless the user wants to stop.
pub fn put(path: &Path, step: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    in_one_step(|| {
        if STOPPED.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        step().inspect(|()| placed(path))
    })
}

/// Notes that something is in its place.
pub fn placed(path: &Path) {
    let path = path.to_path_buf();
    let mut hiding = HIDING.lock().unwrap_or_else(PoisonError::into_inner);
    if !hiding.placed.contains(&path) {
        hiding.placed.push(path);
    }
}

/// What this process has put into place so far: files, and directories as a whole.
pub fn in_place() -> Vec<PathBuf> {
    HIDING.lock().unwrap_or_else(PoisonError::into_inner).placed.clone()
}

/// A hidden file or directory of this process. Forgotten when it is dropped; removing it is the owner's business.
#[derive(Debug)]
pub struct Hidden(PathBuf);

impl Hidden {
    /// Notes what is about to be made.
    pub fn note(path: &Path) -> Hidden {
        hiding().hidden.push(path.to_path_buf());
        Hidden(path.to_path_buf())
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        let mut hiding = HIDING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = hiding.hidden.iter().rposition(|path| *path == self.0) {
            hiding.hidden.remove(at);
        }
    }
}

/// Gives up whatever this process is writing, for a thread that ends the process right afterwards: waits for a step that is
/// under way, lets none begin any more, and removes what is hidden. Threads that want to write wait for the end from now on.
/// Returns what is in its place.
pub fn abandon() -> Vec<PathBuf> {
    let mut hiding = HIDING.lock().unwrap_or_else(PoisonError::into_inner);
    while hiding.steps > 0 {
        hiding = STEP_DONE.wait(hiding).unwrap_or_else(PoisonError::into_inner);
    }
    hiding.abandoned = true;
    let (hidden, placed) = (hiding.hidden.clone(), hiding.placed.clone());
    drop(hiding);
    // The lock next to a target was made first and goes last.
    hidden.iter().rev().for_each(|path| remove(path));
    placed
}

/// Waits for the end of the process if the run was abandoned: errors that follow from that must not be reported.
pub fn unless_abandoned() {
    drop(hiding());
}

/// Removes a file or directory, also while somebody still writes there.
fn remove(path: &Path) {
    for _ in 0..20 {
        let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                thread::sleep(Duration::from_millis(2));
            }
            // Who opened the directory before it went may have made it anew.
            _ if !path.exists() => return,
            _ => {}
        }
    }
}

/// Writes a file, new or in the place of an older one whose permissions it takes over.
pub fn write_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let waiting = hidden(path, "new")?;
    let _hidden = Hidden::note(&waiting);
    let written = || -> io::Result<()> {
        let mut file =
            in_one_step(|| OpenOptions::new().write(true).create(true).truncate(true).open(&waiting))?;
        if let Ok(metadata) = fs::metadata(path) {
            file.set_permissions(metadata.permissions())?;
        }
        file.write_all(content)?;
        file.sync_all()?;
        put(path, || fs::rename(&waiting, path))
    };
    written().inspect_err(|_| {
        let _ = fs::remove_file(&waiting);
    })
}

/// A directory in the making; what was not put into place is removed when it is dropped.
#[derive(Debug)]
pub struct Folder {
    target: PathBuf,
    waiting: PathBuf,
    _hidden: Hidden,
}

impl Folder {
    /// Begins a directory, which must not exist yet. What an earlier run left is cleared away.
    pub fn begin(target: &Path) -> io::Result<Folder> {
        let waiting = hidden(target, "work")?;
        let hidden = Hidden::note(&waiting);
        match fs::remove_dir_all(&waiting) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        in_one_step(|| fs::create_dir(&waiting))?;
        Ok(Folder { target: target.to_path_buf(), waiting, _hidden: hidden })
    }

    /// Where its files are written.
    pub fn path(&self) -> &Path {
        &self.waiting
    }

    /// Puts the directory into place, unless something is there by now.
    pub fn finish(self) -> io::Result<()> {
        platform::sync_directory(&self.waiting)?;
        put(&self.target, || platform::rename_new(&self.waiting, &self.target))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.waiting);
    }
}

/// The hidden name next to a path; it belongs to that path alone.
fn hidden(path: &Path, what: &str) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    Ok(path.with_file_name(format!(".{}.privet-{what}", name.to_string_lossy())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_in_one_step_and_leftovers_are_taken_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.csv");
        fs::write(folder.path().join(".a.csv.privet-new"), "half of").expect("a leftover");
        write_file(&path, b"one").expect("written");
        write_file(&path, b"two").expect("written");
        assert_eq!(fs::read_to_string(&path).expect("text"), "two");
        assert_eq!(names(folder.path()), ["a.csv"]);
        assert!(write_file(&folder.path().join("no/where"), b"").is_err());
    }

    #[test]
    fn a_folder_is_there_whole_or_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("draft");
        drop(Folder::begin(&target).expect("begun"));
        assert!(names(folder.path()).is_empty());
        std::mem::forget(Folder::begin(&target).expect("begun"));
        let begun = Folder::begin(&target).expect("begun again");
        fs::write(begun.path().join("a"), "a").expect("written");
        begun.finish().expect("put into place");
        assert_eq!(names(folder.path()), ["draft"]);
        assert!(Folder::begin(&target).expect("begun").finish().is_err());
        assert_eq!(names(&target), ["a"]);
    }
}
