//! Writing a draft: all of it, or nothing.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Draft;
use privet_core::place::{self, Folder};
use privet_core::{Error, Result};
use privet_taxonomy::Taxonomy;

/// The policy's file name in the directory that [`Draft::write`] writes to.
const POLICY_FILE: &str = "policy.toml";

/// A file name for a column's hierarchy that is safe on every system and not taken yet.
pub(super) fn free_path(column: &str, taken: &[(String, Taxonomy)]) -> String {
    let safe = |c: char| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let name: String = column.chars().map(safe).take(60).collect();
    // Some systems reserve names such as `con`; an underscore in front is free everywhere.
    let reserved = ["con", "prn", "aux", "nul"].contains(&name.to_lowercase().as_str());
    let name = if name.trim_matches('_').is_empty() { "column".to_string() } else { name };
    let name = if reserved { format!("_{name}") } else { name };
    // Some systems do not tell `Age.csv` from `age.csv`.
    let free = |path: &String| taken.iter().all(|(other, _)| other.to_lowercase() != path.to_lowercase());
    let mut path = format!("hierarchies/{name}.csv");
    let mut number = 2;
    while !free(&path) {
        path = format!("hierarchies/{name}-{number}.csv");
        number += 1;
    }
    path
}

impl Draft {
    /// Writes the policy and its hierarchies into a directory, made where it is missing, and returns their paths; existing files are left alone.
    ///
    /// On failure nothing that was written stays.
    pub fn write(&self, dir: &Path) -> Result<Vec<PathBuf>> {
        let folder = dir.join("hierarchies");
        let paths: Vec<PathBuf> = std::iter::once(dir.join(POLICY_FILE))
            .chain(self.hierarchies.iter().map(|(path, _)| dir.join(path)))
            .collect();
        if let Some(path) = paths.iter().find(|path| path.exists()) {
            return Err(Error::input("there is such a file already")
                .in_file(path)
                .help("move it away, or draft into another directory"));
        }
        let failed = |error: io::Error| Error::writing("create the directory", dir, &error);
        let mut written = Vec::new();
        if !dir.exists() {
            let begun = Folder::begin(dir).map_err(failed)?;
            self.write_files(begun.path(), &begun.path().join("hierarchies"), &mut written)?;
            begun.finish().map_err(failed)?;
            // In the order in which they were written.
            return Ok(paths.iter().skip(1).chain(paths.first()).cloned().collect());
        }
        place::unless_stopped()?;
        let had_folder = folder.exists();
        place::in_one_step(|| match self.write_files(dir, &folder, &mut written) {
            Ok(()) => {
                written.iter().for_each(|path| place::placed(path));
                Ok(written)
            }
            Err(error) => {
                // The first error is the one to report, whatever becomes of these.
                for path in &written {
                    let _ = fs::remove_file(path);
                }
                if !had_folder {
                    let _ = fs::remove_dir(&folder);
                }
                Err(error)
            }
        })
    }

    /// The policy comes last: where there is one, all that it names is there.
    fn write_files(&self, dir: &Path, folder: &Path, written: &mut Vec<PathBuf>) -> Result<()> {
        if !self.hierarchies.is_empty() && !folder.exists() {
            fs::create_dir(folder).map_err(|error| Error::writing("create the directory", folder, &error))?;
        }
        for (path, tree) in &self.hierarchies {
            let path = dir.join(path);
            write_new(&path, tree.to_text()?.as_bytes(), written)
                .map_err(|error| Error::writing("write the hierarchy", &path, &error))?;
        }
        let path = dir.join(POLICY_FILE);
        write_new(&path, self.policy_text.as_bytes(), written)
            .map_err(|error| Error::writing("write the policy", &path, &error))
    }
}

fn write_new(path: &Path, bytes: &[u8], written: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    written.push(path.to_path_buf());
    file.write_all(bytes)?;
    file.sync_all()
}
