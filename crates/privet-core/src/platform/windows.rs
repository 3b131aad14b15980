//! Windows, by the standard library alone.
//!
//! Access rights come from the directory that a file is in: choose one that others cannot read.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Moves a directory to a place where nothing is. Whether something is there is asked right before: two programs that do so at
/// the same moment are kept apart by their lock, not by this.
pub fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    if fs::symlink_metadata(to).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(from, to)
}

/// Exchanges two directories, in several steps.
pub fn exchange(from: &Path, to: &Path) -> io::Result<()> {
    super::exchange_in_steps(from, to)
}

/// A file that only its owner may read, in so far as the directory says so.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// A file that serves as a lock: nobody can remove it while it is open.
pub fn lockable(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(windows)]
    {
        /// FILE_SHARE_READ and FILE_SHARE_WRITE, without FILE_SHARE_DELETE.
        const NOT_REMOVED: u32 = 1 | 2;
        std::os::windows::fs::OpenOptionsExt::share_mode(options, NOT_REMOVED);
    }
    options
}

/// Makes a directory; its rights are those of the directory that it is in.
pub fn make_directory(path: &Path, _is_private: bool) -> io::Result<()> {
    fs::create_dir(path)
}

/// Changes nothing: the rights of a file are those of its directory.
pub fn make_private(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Not known here, so nothing is said.
pub fn is_shared(_metadata: &Metadata) -> bool {
    false
}

/// Not known here: nothing.
pub fn rights_of(_metadata: &Metadata) -> String {
    String::new()
}

/// Not known here: one.
pub fn names_of(_metadata: &Metadata) -> u64 {
    1
}

/// Whether two paths lead to the same place. Links are not followed; a second name of a file is not recognised.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        fs::symlink_metadata(path).ok()?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(fs::canonicalize(parent).ok()?.join(path.file_name()?))
    };
    place(one).is_some_and(|one| Some(one) == place(other))
}

/// Whether an open lock is still the file at this path: nobody can have removed it.
pub fn still_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

/// Nothing to wait for: the file system keeps its own journal.
pub fn sync_directory(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// The time since this was asked first, as the standard library does not count processor time: limits are looser for several
/// threads.
pub fn cpu_time() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// Not known here.
pub fn parent_id() -> Option<u32> {
    None
}

/// Processes are not ended by signals here.
pub fn signal_of(_status: &ExitStatus) -> Option<i32> {
    None
}
