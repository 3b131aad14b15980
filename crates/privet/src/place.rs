//! Files and folders that are there whole or not at all.
//!
//! New content waits under a hidden name that belongs to its target, and takes its place in one step. A run that is killed leaves
//! at most that one hidden thing behind, and the next run that writes to the same target takes it over.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

/// Writes a file, new or in the place of an older one whose permissions it takes over.
pub(crate) fn write_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let waiting = hidden(path, "new")?;
    let written = || -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(&waiting)?;
        if let Ok(metadata) = fs::metadata(path) {
            file.set_permissions(metadata.permissions())?;
        }
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&waiting, path)
    };
    written().inspect_err(|_| {
        let _ = fs::remove_file(&waiting);
    })
}

/// A folder in the making; what was not put into place is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Folder {
    target: PathBuf,
    waiting: PathBuf,
}

impl Folder {
    /// Begins a folder, which must not exist yet. What an earlier run left is cleared away.
    pub(crate) fn begin(target: &Path) -> io::Result<Folder> {
        let waiting = hidden(target, "work")?;
        match fs::remove_dir_all(&waiting) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::create_dir(&waiting)?;
        Ok(Folder { target: target.to_path_buf(), waiting })
    }

    /// Where its files are written.
    pub(crate) fn path(&self) -> &Path {
        &self.waiting
    }

    /// Puts the folder into place, unless something is there by now.
    pub(crate) fn finish(self) -> io::Result<()> {
        File::open(&self.waiting)?.sync_all()?;
        match renameat_with(CWD, &self.waiting, CWD, &self.target, RenameFlags::NOREPLACE) {
            // Some file systems know no flags; a plain rename refuses a folder that has files.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
                fs::rename(&self.waiting, &self.target)
            }
            other => Ok(other?),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.waiting);
    }
}

/// The hidden name beside a path that belongs to it alone.
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
