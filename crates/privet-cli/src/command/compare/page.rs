//! The folder that a comparison is written to: the table and a page with the frontier between risk and loss.

use std::fs;
use std::path::{Path, PathBuf};

use privet::report::ComparisonPage;
use privet::{Error, Result, place};

use super::Comparison;

const TABLE: &str = "comparison.csv";
const PAGE: &str = "comparison.html";

/// A folder that may be written to.
pub(super) struct Page {
    folder: PathBuf,
}

impl Page {
    /// Refuses a folder that is there already, unless `force` allows to replace what a comparison wrote; before any work is
    /// done.
    pub fn claim(folder: &Path, force: bool) -> Result<Page> {
        let of_ours = folder.join(PAGE).is_file();
        if folder.exists() && !(force && of_ours) {
            let help = if of_ours {
                "choose another folder, or replace it with --force"
            } else {
                "choose another folder"
            };
            return Err(Error::input("the folder exists already").in_file(folder).help(help));
        }
        Ok(Page { folder: folder.to_path_buf() })
    }

    /// Writes both files and returns the page's path.
    pub fn write(&self, data: &str, comparison: Comparison, table: &str) -> Result<PathBuf> {
        let Comparison { rows, note, axes, points, .. } = comparison;
        let mut rows = rows.into_iter();
        let page = ComparisonPage {
            data: data.to_string(),
            loss: axes.0.to_string(),
            risk: axes.1.to_string(),
            points,
            header: rows.next().unwrap_or_default(),
            rows: rows.collect(),
            note: note.to_string(),
        };
        let text = page.render()?;
        // Both files or none: a run that is interrupted ends before them or after them.
        place::in_one_step(|| {
            let is_new = !self.folder.exists();
            if is_new {
                fs::create_dir(&self.folder)
                    .map_err(|error| Error::writing("make the folder", &self.folder, &error))?;
            }
            let path = self.folder.join(PAGE);
            for (path, text) in [(self.folder.join(TABLE), table), (path.clone(), text.as_str())] {
                if let Err(error) = place::write_file(&path, text.as_bytes()) {
                    if is_new {
                        let _ = fs::remove_dir_all(&self.folder);
                    }
                    return Err(Error::writing("write the comparison", &path, &error));
                }
            }
            Ok(path)
        })
    }
}
