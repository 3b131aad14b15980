//! The directory that a comparison is written to: the table, and a page with the frontier between risk and loss.

use std::fs;
use std::path::{Path, PathBuf};

use super::Comparison;
use privet_core::{Error, Result, place};

const TABLE: &str = "comparison.csv";
const PAGE: &str = "comparison.html";

/// A directory that a comparison may be written to.
#[derive(Debug)]
pub struct ComparisonDirectory {
    path: PathBuf,
}

impl ComparisonDirectory {
    /// Refuses a directory that exists, unless `force` allows to replace what a comparison wrote; before any work is done.
    pub fn claim(path: &Path, force: bool) -> Result<ComparisonDirectory> {
        let is_ours = path.join(PAGE).is_file();
        if path.exists() && !(force && is_ours) {
            let help = if is_ours {
                "choose another directory, or replace it with --force"
            } else {
                "choose another directory"
            };
            return Err(Error::input("the directory exists already").in_file(path).help(help));
        }
        Ok(ComparisonDirectory { path: path.to_path_buf() })
    }

    /// Writes both files and returns the path of the page.
    pub fn write(&self, comparison: &Comparison) -> Result<PathBuf> {
        let (table, page) = (comparison.csv(), comparison.page().render()?);
        // Both files or none: a run that is interrupted ends before them or after them.
        place::in_one_step(|| {
            let is_new = !self.path.exists();
            if is_new {
                fs::create_dir(&self.path)
                    .map_err(|error| Error::writing("make the directory", &self.path, &error))?;
            }
            let written = self.path.join(PAGE);
            for (path, text) in [(self.path.join(TABLE), &table), (written.clone(), &page)] {
                if let Err(error) = place::write_file(&path, text.as_bytes()) {
                    if is_new {
                        let _ = fs::remove_dir_all(&self.path);
                    }
                    return Err(Error::writing("write the comparison", &path, &error));
                }
            }
            Ok(written)
        })
    }
}
