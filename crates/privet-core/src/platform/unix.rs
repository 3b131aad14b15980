//! Linux, macOS and their relatives.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};

/// Moves a directory to a place where nothing is, in one step.
pub fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // A plain rename refuses a directory that has files.
        Err(error) if has_no_flags(error) => fs::rename(from, to),
        other => Ok(other?),
    }
}

/// Exchanges two directories in one step, or in several where the file system cannot.
pub fn exchange(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::EXCHANGE) {
        Err(error) if has_no_flags(error) => super::exchange_in_steps(from, to),
        other => Ok(other?),
    }
}

/// Whether a file system refuses the flags of a rename: not all of them have some, and they say so in different ways.
fn has_no_flags(error: Errno) -> bool {
    [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP].contains(&error)
}

/// A file that only its owner may read, if it is created.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

/// A private file that serves as a lock.
pub fn lockable(options: &mut OpenOptions) -> &mut OpenOptions {
    private(options)
}

/// Makes a directory; a private one is for its owner alone.
pub fn make_directory(path: &Path, is_private: bool) -> io::Result<()> {
    DirBuilder::new().mode(if is_private { 0o700 } else { 0o777 }).create(path)
}

/// Takes the right to read a file away from everybody but its owner.
pub fn make_private(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(0o600))
}

/// Whether others than the owner have rights to a file.
pub fn is_shared(metadata: &Metadata) -> bool {
    metadata.permissions().mode() & 0o077 != 0
}

/// The rights to a file, for messages: ` (mode 0644)`.
pub fn rights_of(metadata: &Metadata) -> String {
    format!(" (mode {:04o})", metadata.permissions().mode() & 0o7777)
}

/// How many names a file has.
pub fn names_of(metadata: &Metadata) -> u64 {
    metadata.nlink()
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// Whether two paths are names of the same file. Links are not followed.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let found = |path: &Path| fs::symlink_metadata(path).ok().map(|metadata| identity(&metadata));
    found(one).is_some_and(|one| Some(one) == found(other))
}

/// Whether an open file is still the one at this path: somebody may have removed it since, and made another.
pub fn still_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(ours), Ok(there)) => identity(&ours) == identity(&there),
        _ => false,
    }
}

/// Waits until the entries of a directory are on disk.
pub fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// The processor time that all threads of this process have used so far.
pub fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    Duration::new(part(time.tv_sec), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The number of the process that started this one.
pub fn parent_id() -> Option<u32> {
    Some(std::os::unix::process::parent_id())
}

/// The signal that ended a process.
pub fn signal_of(status: &ExitStatus) -> Option<i32> {
    status.signal()
}
