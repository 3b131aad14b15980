//! Undo and redo: what every change did to files.

use std::fs;
use std::path::{Path, PathBuf};

use privet::{Error, Result, platform};

/// Changes that are kept.
const MOST: usize = 500;

/// A change: files with what they held before and hold after it, `None` where there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub what: String,
    pub files: Vec<(PathBuf, Option<String>, Option<String>)>,
}

/// All changes so far, and those that were undone.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    past: Vec<Change>,
    future: Vec<Change>,
}

impl Journal {
    /// Makes a change and keeps it.
    pub fn make(&mut self, what: &str, files: Vec<(PathBuf, Option<String>)>) -> Result<()> {
        let before = |path: &Path| fs::read_to_string(path).ok();
        let files: Vec<_> =
            files.into_iter().map(|(path, after)| (path.clone(), before(&path), after)).collect();
        if files.iter().all(|(_, before, after)| before == after) {
            return Ok(());
        }
        files.iter().try_for_each(|(path, _, after)| put(path, after.as_deref()))?;
        self.note(Change { what: what.to_string(), files });
        Ok(())
    }

    /// Keeps a change that was made elsewhere.
    pub fn note(&mut self, change: Change) {
        self.past.push(change);
        self.future.clear();
        if self.past.len() > MOST {
            self.past.remove(0);
        }
    }

    /// Takes the last change back; returns whether there was one.
    pub fn undo(&mut self) -> Result<bool> {
        let Some(change) = self.past.pop() else { return Ok(false) };
        change.files.iter().try_for_each(|(path, before, _)| put(path, before.as_deref()))?;
        self.future.push(change);
        Ok(true)
    }

    /// Makes the change again that was taken back last; returns whether there was one.
    pub fn redo(&mut self) -> Result<bool> {
        let Some(change) = self.future.pop() else { return Ok(false) };
        change.files.iter().try_for_each(|(path, _, after)| put(path, after.as_deref()))?;
        self.past.push(change);
        Ok(true)
    }

    /// What would be taken back, and made again.
    pub fn ends(&self) -> (Option<&str>, Option<&str>) {
        (self.past.last().map(|it| it.what.as_str()), self.future.last().map(|it| it.what.as_str()))
    }
}

/// Makes a file hold a text, or removes it.
fn put(path: &Path, text: Option<&str>) -> Result<()> {
    match text {
        Some(text) => {
            if let Some(folder) = path.parent().filter(|folder| !folder.exists()) {
                platform::make_directory(folder, false)
                    .map_err(|error| Error::writing("make the directory", folder, &error))?;
            }
            privet::place::write_file(path, text.as_bytes())
                .map_err(|error| Error::writing("write the file", path, &error))
        }
        None => match fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::writing("remove the file", path, &error))
            }
            _ => Ok(()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_go_back_and_forth() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, two) = (folder.path().join("a.toml"), folder.path().join("h/b.csv"));
        fs::write(&one, "1").expect("a file");
        let mut journal = Journal::default();
        journal
            .make("first", vec![(one.clone(), Some("2".into())), (two.clone(), Some("x".into()))])
            .expect("made");
        journal.make("nothing", vec![(one.clone(), Some("2".into()))]).expect("made");
        assert_eq!(journal.ends(), (Some("first"), None));
        assert!(journal.undo().expect("undone") && !two.exists());
        assert_eq!(fs::read_to_string(&one).expect("text"), "1");
        assert!(!journal.undo().expect("nothing left") && journal.redo().expect("again") && two.exists());
        assert_eq!(fs::read_to_string(&one).expect("text"), "2");
    }
}
