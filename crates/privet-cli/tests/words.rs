//! The project is written in plain English: words that once made its messages and pages hard to read do not come back.

use std::fs;
use std::path::{Path, PathBuf};

use crate::book::pages;

/// What is not written anywhere, in messages, help, comments or pages.
const NOWHERE: [&str; 11] = [
    " heed ",
    " heeds ",
    " heeded ",
    " mend ",
    " mends ",
    " beside ",
    " dear ",
    " of whom ",
    " leave the house ",
    " leaves the house ",
    " whoever ",
];
/// What is not written for readers of the book.
const NOT_IN_PAGES: [&str; 2] = [" told ", " so many "];

/// A text in small letters, with one blank between words and nothing else.
fn words(text: &str) -> String {
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}

/// All files below a folder whose names end in this way.
fn files(folder: &Path, ends: &str, all: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, ends, all);
        } else if path.to_string_lossy().ends_with(ends) {
            all.push(path);
        }
    }
}

#[test]
fn messages_comments_and_pages_avoid_words_that_readers_stumbled_over() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut sources = Vec::new();
    for krate in fs::read_dir(root.join("crates")).expect("the crates") {
        let source = krate.expect("a crate").path().join("src");
        files(&source, ".rs", &mut sources);
        files(&source, ".html", &mut sources);
    }
    assert!(sources.len() > 500, "only {} files", sources.len());
    let read =
        |path: &Path| fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut faults = Vec::new();
    let mut look = |name: &str, text: &str, unwanted: &[&str]| {
        let text = words(text);
        faults.extend(
            unwanted.iter().filter(|word| text.contains(**word)).map(|word| format!("{name}:{word}")),
        );
    };
    for path in &sources {
        look(&path.display().to_string(), &read(path), &NOWHERE);
    }
    let mut texts = pages();
    texts.extend(
        ["README.md", "CHANGELOG.md", "SECURITY.md"].map(|name| (name.to_string(), read(&root.join(name)))),
    );
    for (name, text) in &texts {
        look(name, text, &NOWHERE);
        look(name, text, &NOT_IN_PAGES);
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
