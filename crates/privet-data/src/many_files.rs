//! Several files as one table.

use std::path::{Path, PathBuf};

use super::origin::{Fingerprint, Origin, Version};
use super::rows::{Feed, Rows};
use super::source::{SourceColumn, UnreadColumn};
use super::table_file::TableFile;
use privet_core::hash::sha256_of_text;
use privet_core::platform::is_same_file;
use privet_core::{Error, Result};

/// Files with the same columns, one after the other.
#[derive(Debug)]
pub(super) struct ManyFiles {
    origin: Origin,
    files: Vec<TableFile>,
}

impl ManyFiles {
    /// All of them have the columns of the first one.
    pub(super) fn of(files: Vec<TableFile>) -> Result<ManyFiles> {
        let paths: Vec<PathBuf> = files.iter().map(|file| PathBuf::from(file.origin())).collect();
        let Some(first) = files.first() else {
            return Err(Error::input("a table of no files").help("name at least one"));
        };
        for (number, file) in files.iter().enumerate().skip(1) {
            let is_same = |other: &&PathBuf| is_same_file(other, &paths[number]);
            if let Some(twice) = paths[..number].iter().find(is_same) {
                return Err(Error::input(format!("the file is listed twice, as {} too", twice.display()))
                    .in_file(file.origin())
                    .help("list each file once: its records would count twice"));
            }
            if file.columns() != first.columns() {
                return Err(Error::input(format!("the columns are not those of {}", first.origin()))
                    .in_file(file.origin())
                    .help("files that make one table have the same columns in the same order, of the same types"));
            }
        }
        Ok(ManyFiles { origin: Origin::Files(paths), files })
    }

    pub(super) fn files(&self) -> &[TableFile] {
        &self.files
    }
}

impl Rows for ManyFiles {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn columns(&self) -> &[SourceColumn] {
        self.files[0].columns()
    }

    fn unread(&self) -> &[UnreadColumn] {
        self.files[0].unread()
    }

    fn bytes(&self) -> u64 {
        self.files.iter().map(Rows::bytes).sum()
    }

    fn version(&self) -> Option<Version> {
        let versions: Option<Vec<String>> =
            self.files.iter().map(|file| file.version().map(|version| format!("{version:?}"))).collect();
        versions.map(|versions| Version::named(versions.join("; ")))
    }

    fn fingerprint(&self) -> Result<Fingerprint> {
        let prints = self.files.iter().map(|file| file.fingerprint().map(|print| print.to_string()));
        let prints: Vec<String> = prints.collect::<Result<_>>()?;
        Ok(Fingerprint::named(sha256_of_text(&prints.join("\n"))))
    }

    fn stream(&self, feed: &mut Feed<'_>) -> Result<()> {
        self.files.iter().try_for_each(|file| file.stream(feed))
    }
}

/// The files that a path means: itself, or those whose names fit its `*` and `?`, sorted by name.
pub fn expanded(path: &Path) -> Result<Vec<PathBuf>> {
    let pattern = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !pattern.contains(['*', '?']) || path.exists() {
        return Ok(vec![path.to_path_buf()]);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let trouble = |error: std::io::Error| Error::io("read the data", folder, &error);
    let pattern: Vec<char> = pattern.chars().collect();
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(trouble)? {
        let name = entry.map_err(trouble)?.file_name();
        let fits = name.to_str().is_some_and(|name| fits(&pattern, &name.chars().collect::<Vec<_>>()));
        if fits && path.with_file_name(&name).is_file() {
            found.push(path.with_file_name(name));
        }
    }
    found.sort();
    match found.is_empty() {
        false => Ok(found),
        true => Err(Error::input("no file has a name that fits this")
            .in_file(path)
            .help("* stands for any characters of a file's name and ? for one")),
    }
}

/// Whether a name fits a pattern; names that begin with a dot are hidden.
fn fits(pattern: &[char], name: &[char]) -> bool {
    if name.first() == Some(&'.') && pattern.first() != Some(&'.') {
        return false;
    }
    // Where the last star was, and how much of the name it has taken.
    let (mut at, mut seen, mut star) = (0, 0, None);
    while seen < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(sign) if *sign == '?' || *sign == name[seen] => (at, seen) = (at + 1, seen + 1),
            _ => match star {
                Some((place, taken)) => {
                    star = Some((place, taken + 1));
                    (at, seen) = (place + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|sign| *sign == '*')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{ReadOptions, Source};

    fn fit(pattern: &str, name: &str) -> bool {
        fits(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
    }

    #[test]
    fn several_files_are_one_table() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
        write("part-2.csv", "age,sex\n61,f\n");
        write("part-1.csv", "age,sex\n34,m\n");
        write(".part-3.csv", "age,sex\n1,m\n");
        write("other.csv", "sex,age\nm,34\n");
        let cells = |source: &Source| {
            let mut cells = Vec::new();
            let read = source.read(&mut |batch, _| {
                cells.extend((0..batch.rows()).map(|row| batch.cells(row).collect::<Vec<_>>().join(" ")));
                Ok(())
            });
            read.map(|()| cells)
        };
        let options = ReadOptions::default();
        let all = Source::open(&folder.path().join("part-*.csv"), &options).expect("two files");
        assert_eq!(cells(&all).expect("rows"), ["34 m", "61 f"]);
        let paths = ["part-1.csv", "part-2.csv"].map(|name| folder.path().join(name));
        let listed = Source::open_files(&paths, &options).expect("two files");
        assert_eq!(listed.fingerprint().expect("read"), all.fingerprint().expect("read"));
        assert_eq!(listed.version(), all.version());
        assert_eq!(listed.origin().name(), "part-1.csv and 1 more file");
        let paths = ["part-1.csv", "other.csv"].map(|name| folder.path().join(name));
        let error = Source::open_files(&paths, &options).expect_err("other columns");
        assert!(error.message().contains("part-1.csv") && error.remedy().is_some(), "{error}");
        assert!(Source::open(&folder.path().join("no-*.csv"), &options).is_err());
        write("part-1.csv", "age,sex\n34,m\n17\n");
        let error = cells(&all).expect_err("an uneven row");
        assert_eq!(error.line(), Some(3));
        assert!(error.to_string().contains("part-1.csv"), "{error}");
    }

    /// The definition: a star takes any number of characters.
    fn brute(pattern: &[char], name: &[char]) -> bool {
        match (pattern.split_first(), name.split_first()) {
            (None, None) => true,
            (Some(('*', rest)), _) => (0..=name.len()).any(|taken| brute(rest, &name[taken..])),
            (Some((sign, rest)), Some((first, others))) => {
                (*sign == '?' || sign == first) && brute(rest, others)
            }
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn names_fit_as_the_definition_says(pattern in "[ab*?]{0,7}", name in "[ab]{0,7}") {
            let signs = |text: &str| text.chars().collect::<Vec<char>>();
            prop_assert_eq!(fit(&pattern, &name), brute(&signs(&pattern), &signs(&name)));
        }
    }
}
