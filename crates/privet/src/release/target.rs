//! The folder a release goes to: either the whole release is there, or nothing changed.
//!
//! Everything is written to a hidden folder next to the target. Publishing is one atomic rename; replacing an older release
//! is one atomic exchange, where the file system has one. A lock next to the target keeps two runs apart, and anyone who holds it
//! clears away what a killed run may have left in the hidden folder.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use privet_core::place::{self, Hidden};
use privet_core::{Error, ErrorKind, Result, platform};
use privet_policy::layout::{MANIFEST, STEWARD};

/// A claimed target: the lock is held until it is dropped, and what was not published is removed then.
#[derive(Debug)]
pub struct Target {
    path: PathBuf,
    work: PathBuf,
    lock_path: PathBuf,
    replace: bool,
    _lock: File,
    /// The lock and the hidden folder, for a run that has to end at once.
    _hidden: [Hidden; 2],
}

impl Target {
    /// Claims a target folder. It must not exist, unless `force` allows to replace an older release.
    pub fn claim(path: &Path, force: bool) -> Result<Target> {
        let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(|| {
            Error::input("the target must name a folder to make").in_file(path).help("as in -o release")
        })?;
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            _ => PathBuf::from("."),
        };
        let metadata = fs::metadata(&parent)
            .map_err(|error| Error::writing("use the target's parent folder", &parent, &error))?;
        if !metadata.is_dir() {
            return Err(Error::input("the target's parent is not a folder")
                .in_file(&parent)
                .help("name a folder"));
        }
        refuse_inside_release(&parent)?;
        let lock_path = parent.join(format!(".{name}.privet-lock"));
        let work = place::work_in(&parent, name);
        // What is hidden here is ours as soon as the lock is, and not before.
        place::in_one_step(|| {
            let lock = lock(&lock_path, path)?;
            platform::put_back(path)
                .map_err(|error| Error::writing("clear up at the target", path, &error))?;
            let replace = check_existing(path, force).inspect_err(|_| {
                let _ = fs::remove_file(&lock_path);
            })?;
            let hidden = [Hidden::note(&lock_path), Hidden::note(&work)];
            let path = path.to_path_buf();
            Ok(Target { path, work, lock_path, replace, _lock: lock, _hidden: hidden })
        })
    }

    /// Makes the hidden folder with its two rooms. Called only once there is something to write.
    pub fn open(&self) -> Result<()> {
        if self.work.exists() {
            fs::remove_dir_all(&self.work)
                .map_err(|error| Error::io("clear away an earlier run", &self.work, &error))?;
        }
        let make = |path: &Path, is_private: bool| {
            platform::make_directory(path, is_private)
                .map_err(|error| Error::writing("make the release", path, &error))
        };
        // Not after the run was abandoned: nobody would remove it.
        place::in_one_step(|| {
            make(&self.work, true)?;
            make(&self.public(), false)?;
            make(&self.steward(), true)
        })
    }

    /// Takes over the files of the release that will be replaced, so that only some of them need to be written anew.
    pub fn take_over(&self) -> Result<()> {
        let taken = |from: &Path, to: &Path| -> io::Result<()> {
            for entry in fs::read_dir(from)? {
                let entry = entry?;
                // Where a disk knows no links, a copy does.
                let (from, to) = (entry.path(), to.join(entry.file_name()));
                fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(drop))?;
            }
            Ok(())
        };
        for (room, to) in [("public", self.public()), ("steward", self.steward())] {
            let from = self.path.join(room);
            taken(&from, &to).map_err(|error| Error::io("take over the release", &from, &error))?;
        }
        Ok(())
    }

    /// Writes a file of the release in the place of one that was taken over.
    pub fn rewrite(&self, path: &Path, content: &[u8], private: bool) -> Result<()> {
        // The file itself belongs to the older release as well: only its name here may go.
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Error::writing("write the release", path, &error))
            }
            _ => self.write(path, content, private),
        }
    }

    /// The hidden folder with the release in the making.
    pub fn work(&self) -> &Path {
        &self.work
    }

    /// The room that may be published.
    pub fn public(&self) -> PathBuf {
        self.work.join("public")
    }

    /// The room that stays.
    pub fn steward(&self) -> PathBuf {
        self.work.join("steward")
    }

    /// A hidden place for what does not fit in memory; gone when the release is published.
    pub fn spill(&self) -> PathBuf {
        self.work.join("spill")
    }

    /// Writes a file of the release and waits until it is on disk.
    pub fn write(&self, path: &Path, content: &[u8], private: bool) -> Result<()> {
        let written = || -> io::Result<()> {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            let mut file = if private { platform::private(&mut options) } else { &mut options }.open(path)?;
            file.write_all(content)?;
            file.sync_all()
        };
        written().map_err(|error| Error::writing("write the release", path, &error))
    }

    /// Removes a file that the release needs no longer.
    pub fn remove(&self, path: &Path) -> Result<()> {
        fs::remove_file(path).map_err(|error| Error::writing("write the release", path, &error))
    }

    /// Moves the finished release into place, in one step.
    pub fn publish(self) -> Result<()> {
        let moved = || -> io::Result<()> {
            if self.spill().exists() {
                fs::remove_dir_all(self.spill())?;
            }
            // The rooms were made under the user's own mask; the outer folder takes over the public room's.
            fs::set_permissions(&self.work, fs::metadata(self.public())?.permissions())?;
            for directory in [&self.public(), &self.steward(), &self.work] {
                platform::sync_directory(directory)?;
            }
            place::put(&self.path, || self.rename())?;
            if let Some(parent) = self.work.parent() {
                platform::sync_directory(parent)?;
            }
            Ok(())
        };
        moved().map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => exists(&self.path),
            _ => Error::writing("publish the release", &self.path, &error),
        })
    }

    fn rename(&self) -> io::Result<()> {
        let take_place = if self.replace { platform::exchange } else { platform::rename_new };
        take_place(&self.work, &self.path)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // After an exchange this is the older release; after a failure, what was not published.
        let _ = fs::remove_dir_all(&self.work);
        let _ = fs::remove_file(&self.lock_path);
    }
}

/// Clears away what a run left hidden next to a target when it was killed, unless another run is at work there.
pub fn clear_away(target: &Path) {
    drop(Target::claim(target, true));
}

fn exists(path: &Path) -> Error {
    Error::input("the target exists already")
        .in_file(path)
        .help("choose another target, or replace it with --force")
}

/// Refuses a place inside a release: `public/` would hold what was not published, and anyone who replaces or removes that release
/// would take this one with it.
fn refuse_inside_release(parent: &Path) -> Result<()> {
    let Ok(parent) = parent.canonicalize() else { return Ok(()) };
    match parent.ancestors().find(|above| is_release(above)) {
        None => Ok(()),
        Some(release) => Err(Error::input("the target lies inside a release")
            .in_file(release)
            .help("choose a target outside of it")),
    }
}

/// Whether there is a release at a path.
pub(super) fn is_release(path: &Path) -> bool {
    path.join(STEWARD).join(MANIFEST).is_file()
}

/// Whether there is an older release to replace.
fn check_existing(path: &Path, force: bool) -> Result<bool> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(false) };
    if !force {
        return Err(exists(path));
    }
    if !metadata.is_dir() || !is_release(path) {
        return Err(Error::input("the target exists and is not a release, so --force leaves it alone")
            .in_file(path)
            .help("choose another target, or remove it yourself"));
    }
    Ok(true)
}

fn lock(lock_path: &Path, target: &Path) -> Result<File> {
    loop {
        let file = platform::lockable(OpenOptions::new().write(true).create(true).truncate(false))
            .open(lock_path)
            .map_err(|error| Error::writing("write next to the target", lock_path, &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::new(ErrorKind::Busy, "another run is writing to this target")
                    .in_file(target)
                    .help("wait for it, or choose another target"));
            }
            Err(TryLockError::Error(error)) => {
                return Err(Error::writing("lock the target", lock_path, &error));
            }
        }
        // The holder before us may have removed the file between our opening and locking it: then the lock is on a
        // file that nobody else will find, and we start over.
        if platform::still_at(&file, lock_path) {
            return Ok(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn make(path: &Path, force: bool, text: &str) -> Result<()> {
        let target = Target::claim(path, force)?;
        target.open()?;
        target.write(&target.steward().join("manifest.json"), text.as_bytes(), true)?;
        target.publish()
    }

    #[test]
    fn a_release_is_there_whole_or_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        let target = Target::claim(&path, false).expect("claimed");
        target.open().expect("opened");
        drop(target);
        assert!(names(folder.path()).is_empty());
        make(&path, false, "one").expect("published");
        assert_eq!(names(folder.path()), ["out"]);
        assert_eq!(make(&path, false, "two").expect_err("exists").kind(), ErrorKind::Input);
        make(&path, true, "three").expect("replaced");
        assert_eq!(fs::read_to_string(path.join("steward/manifest.json")).expect("text"), "three");
        assert_eq!(names(folder.path()), ["out"]);
    }

    #[test]
    fn force_spares_what_is_no_release() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("precious");
        fs::create_dir(&path).expect("made");
        assert!(make(&path, true, "x").is_err());
        assert_eq!(names(folder.path()), ["precious"]);
    }

    #[test]
    fn a_target_inside_a_release_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        make(&path, false, "one").expect("published");
        for inside in ["next", "public/next", "steward/next"] {
            let error = make(&path.join(inside), false, "two").expect_err("inside a release");
            assert_eq!(error.kind(), ErrorKind::Input);
        }
        assert_eq!(names(&path), ["public", "steward"]);
        assert_eq!(names(&path.join("steward")), ["manifest.json"]);
    }

    #[test]
    fn two_runs_on_one_target_are_kept_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        let first = Target::claim(&path, false).expect("claimed");
        assert_eq!(Target::claim(&path, false).expect_err("busy").kind(), ErrorKind::Busy);
        drop(first);
        assert!(Target::claim(&path, false).is_ok());
    }
}
