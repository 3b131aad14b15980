//! What differs between operating systems, in one place; every other module is the same on all of them.
//!
//! Both sides have the same functions. `unix` uses what the system offers. `windows` uses the standard library alone; its
//! functions say what they cannot promise. It is compiled in tests everywhere, so that both are held to the same behaviour.

use std::path::{Path, PathBuf};
use std::{fs, io};

#[cfg(unix)]
mod unix;
#[cfg(any(windows, test))]
#[cfg_attr(not(windows), allow(dead_code, reason = "compiled for its tests"))]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;

/// Exchanges two directories, one rename after the other. Nothing is removed: what is in the second place is put aside first, and
/// a failure puts it back. A process that is ended in between leaves it aside; see [`put_back`].
fn exchange_in_steps(from: &Path, to: &Path) -> io::Result<()> {
    let aside = aside(to);
    put_back(to)?;
    fs::rename(to, &aside)?;
    if let Err(error) = fs::rename(from, to) {
        fs::rename(&aside, to)?;
        return Err(error);
    }
    fs::rename(&aside, from)
}

/// Clears up after an exchange that was not completed: what it put aside takes its place again, unless something else has it by
/// now.
pub fn put_back(path: &Path) -> io::Result<()> {
    let aside = aside(path);
    let is_there = |path: &Path| fs::symlink_metadata(path).is_ok();
    match (is_there(&aside), is_there(path)) {
        (false, _) => Ok(()),
        (true, false) => fs::rename(aside, path),
        (true, true) => fs::remove_dir_all(aside),
    }
}

/// Where a directory waits while another takes its place.
fn aside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".privet-aside");
    path.with_file_name(name)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::path::Path;

    use super::{aside, exchange_in_steps, put_back, unix, windows};

    fn text(path: &Path) -> String {
        fs::read_to_string(path.join("a")).expect("a file")
    }

    #[test]
    fn a_directory_takes_a_place_that_is_free_and_no_other() {
        for rename_new in [unix::rename_new, windows::rename_new] {
            let parent = tempfile::tempdir().expect("a directory");
            let [from, to] = ["from", "to"].map(|name| parent.path().join(name));
            fs::create_dir(&from).expect("made");
            fs::write(from.join("a"), "new").expect("written");
            rename_new(&from, &to).expect("moved");
            assert!(!from.exists());
            fs::create_dir(&from).expect("made");
            assert!(rename_new(&from, &to).is_err(), "something is there");
            assert_eq!(text(&to), "new");
        }
    }

    #[test]
    fn two_directories_change_places() {
        for exchange in [unix::exchange, windows::exchange, exchange_in_steps] {
            let parent = tempfile::tempdir().expect("a directory");
            let [one, other] = ["one", "other"].map(|name| parent.path().join(name));
            for (path, text) in [(&one, "1"), (&other, "2")] {
                fs::create_dir(path).expect("made");
                fs::write(path.join("a"), text).expect("written");
            }
            exchange(&one, &other).expect("exchanged");
            assert_eq!((text(&one), text(&other)), ("2".to_string(), "1".to_string()));
            assert_eq!(fs::read_dir(parent.path()).expect("a directory").count(), 2);
        }
    }

    #[test]
    fn an_exchange_that_was_cut_short_loses_nothing() {
        let parent = tempfile::tempdir().expect("a directory");
        let [new, release] = ["new", "release"].map(|name| parent.path().join(name));
        let make = |path: &Path, content: &str| {
            fs::create_dir(path).expect("made");
            fs::write(path.join("a"), content).expect("written");
        };
        // Cut short after the first step: the older one comes back.
        make(&aside(&release), "old");
        put_back(&release).expect("put back");
        assert_eq!(text(&release), "old");
        // After the second: the newer one stays, and the next exchange works.
        make(&aside(&release), "older");
        make(&new, "new");
        exchange_in_steps(&new, &release).expect("exchanged");
        assert_eq!((text(&release), text(&new)), ("new".to_string(), "old".to_string()));
        // One that cannot be carried out puts back what was there.
        fs::remove_dir_all(&new).expect("removed");
        assert!(exchange_in_steps(&new, &release).is_err());
        assert_eq!(text(&release), "new");
        assert_eq!(fs::read_dir(parent.path()).expect("a directory").count(), 1);
    }

    #[test]
    fn names_of_one_file_are_known_for_what_they_are() {
        for is_same_file in [unix::is_same_file, windows::is_same_file] {
            let parent = tempfile::tempdir().expect("a directory");
            let [one, other] = ["one", "other"].map(|name| parent.path().join(name));
            fs::write(&one, "").expect("written");
            fs::write(&other, "").expect("written");
            assert!(is_same_file(&one, &parent.path().join(".").join("one")));
            assert!(!is_same_file(&one, &other));
            assert!(!is_same_file(&one, &parent.path().join("nowhere")));
        }
    }

    #[test]
    fn a_lock_is_known_to_be_still_in_its_place() {
        for (lockable, still_at) in [
            (unix::lockable as fn(&mut OpenOptions) -> &mut OpenOptions, unix::still_at as fn(&_, &_) -> _),
            (windows::lockable, windows::still_at),
        ] {
            let parent = tempfile::tempdir().expect("a directory");
            let path = parent.path().join("lock");
            let file = lockable(OpenOptions::new().write(true).create(true)).open(&path).expect("opened");
            assert!(still_at(&file, &path));
        }
    }

    #[test]
    fn time_on_the_processor_does_not_run_backwards() {
        for cpu_time in [unix::cpu_time, windows::cpu_time] {
            let before = cpu_time();
            assert!(cpu_time() >= before);
        }
    }
}
