//! Hierarchy files as ARX and Amnesia write them: one line per leaf, `leaf;parent;…;root`.

use std::fs;
use std::path::Path;
use std::str;

use super::Taxonomy;
use super::grow::{Grower, Origin};
use privet_core::{Error, Result};
use privet_data::each_record;

/// In order of preference: a label such as `[15,20)` holds a comma more often than a semicolon.
const DELIMITERS: [char; 3] = [';', '\t', ','];

/// Reads a hierarchy file; every error names the file.
pub(super) fn read(path: &Path) -> Result<Taxonomy> {
    parse(&bytes(path)?).map_err(|error| error.in_file(path))
}

/// Reads a hierarchy file whose lines may end in different roots, as the trees below one more node. A leaf has one line.
pub(super) fn read_below(path: &Path, above: &'static str) -> Result<Taxonomy> {
    let mut grower = Grower::new(Origin::Line).once();
    each_line(&bytes(path)?, |line, labels| grower.add(line, labels.chain([above])))
        .and_then(|()| grower.finish())
        .map_err(|error| error.in_file(path))
}

/// The lines of a file in the format of hierarchies, with their numbers; blank lines are left out.
pub(super) fn records(path: &Path) -> Result<Vec<(u64, Vec<String>)>> {
    let mut records = Vec::new();
    each_line(&bytes(path)?, |line, labels| {
        records.push((line, labels.map(String::from).collect()));
        Ok(())
    })
    .map_err(|error| error.in_file(path))?;
    Ok(records)
}

/// Whether the file's last line is not ended.
pub(super) fn lacks_final_end(path: &Path) -> Result<bool> {
    Ok(bytes(path)?.last().is_some_and(|last| !b"\r\n".contains(last)))
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    let metadata = fs::metadata(path).map_err(|error| Error::io("read the hierarchy", path, &error))?;
    if !metadata.is_file() {
        // Opening a pipe would wait for a writer that may never come.
        return Err(Error::input("the hierarchy is not a file")
            .in_file(path)
            .help("name a file, not a folder or device"));
    }
    fs::read(path).map_err(|error| Error::io("read the hierarchy", path, &error))
}

fn parse(bytes: &[u8]) -> Result<Taxonomy> {
    let mut grower = Grower::new(Origin::Line);
    each_line(bytes, |line, labels| grower.add(line, labels))?;
    grower.finish()
}

/// The labels of one line.
type Labels<'a> = &'a mut dyn Iterator<Item = &'a str>;

/// Hands each line that is not blank to `take`.
fn each_line(bytes: &[u8], mut take: impl FnMut(u64, Labels<'_>) -> Result<()>) -> Result<()> {
    let text = str::from_utf8(bytes).map_err(|error| not_utf8(bytes, error.valid_up_to()))?;
    if let Some(nul) = bytes.iter().position(|byte| *byte == 0) {
        let line = bytes[..nul].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        return Err(Error::input("the line contains a NUL byte")
            .at_line(line)
            .help("save the hierarchy as plain UTF-8 text; NUL bytes often mean UTF-16 or a damaged file"));
    }
    each_record(text, delimiter(text), &mut |line, labels| match is_blank(labels) {
        true => Ok(()),
        false => take(line, &mut labels.iter().copied()),
    })
}

/// A line of nothing but spaces.
fn is_blank(labels: &[&str]) -> bool {
    matches!(labels, [label] if label.trim_ascii().is_empty())
}

/// The delimiter that divides every line and leaves them all with the same root, else the one that divides most lines.
fn delimiter(text: &str) -> char {
    let mut best = (DELIMITERS[0], 0);
    for delimiter in DELIMITERS {
        let mut root: Option<String> = None;
        let (mut lines, mut divided, mut same_root) = (0u64, 0u64, true);
        let read = each_record(text, delimiter, &mut |_, labels| {
            if is_blank(labels) {
                return Ok(());
            }
            lines += 1;
            divided += u64::from(labels.len() > 1);
            let last = labels.last().copied().unwrap_or_default();
            same_root &= root.get_or_insert_with(|| last.to_string()) == last;
            Ok(())
        });
        // A quote that never closes is reported once the delimiter is known; until then it ends the text.
        if same_root && lines > 0 && divided == lines && read.is_ok() {
            return delimiter;
        }
        if divided > best.1 {
            best = (delimiter, divided);
        }
    }
    best.0
}

fn not_utf8(bytes: &[u8], valid: usize) -> Error {
    let line = 1 + bytes[..valid].iter().filter(|byte| **byte == b'\n').count() as u64;
    let wrong = bytes.get(valid).copied().unwrap_or_default();
    Error::input(format!("not valid UTF-8: byte {wrong:#04x}"))
        .at_line(line)
        .help("save the hierarchy as UTF-8 (in a spreadsheet: 'CSV UTF-8')")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        let error = parse(text.as_bytes()).expect_err(text).in_file("h.csv");
        assert!(error.remedy().is_some(), "{error}");
        error.to_string()
    }

    fn shape(text: &str) -> Vec<String> {
        let tree = parse(text.as_bytes()).expect(text);
        let path = |leaf: usize| {
            let mut node = Some(tree.leaf(leaf));
            let mut labels = Vec::new();
            while let Some(at) = node {
                labels.push(tree.label(at));
                node = tree.parent(at);
            }
            labels.join("<")
        };
        (0..tree.leaves()).map(path).collect()
    }

    #[test]
    fn delimiters_quotes_and_line_ends_do_not_matter() {
        let expected = ["a<x<*", "b<x<*", "c<*"];
        for text in [
            "a;x;*\nb;x;*\nc;*\n",
            "a,x,*\r\nb,x,*\r\nc,*",
            "a\tx\t*\n\n  \nb\tx\t*\nc\t*\n\n",
            "\u{feff}a;x;*\nb;x;*\nc;c;*",
            "\"a\";x;\"*\"\nb;\"x\";*\nc;*\nc;*\na;a;x;*",
            "a;x;*\rb;x;*\rc;*\r",
        ] {
            assert_eq!(shape(text), expected, "{text:?}");
        }
        assert_eq!(shape("[1,2);[1,4);*\n[2,4);[1,4);*\n"), ["[1,2)<[1,4)<*", "[2,4)<[1,4)<*"]);
        assert_eq!(shape("a;b,*\nc;d,*\n"), ["a;b<*", "c;d<*"]);
        assert_eq!(shape("*\n"), ["*"]);
        assert_eq!(shape("*;*\n"), ["*"]);
        assert_eq!(shape(" a;\"x;\"\"y\"\"\";*"), [" a<x;\"y\"<*"]);
    }

    #[test]
    fn every_fault_names_its_line_and_value() {
        assert!(message("").contains("empty"));
        assert!(message("\n \n\n").contains("empty"));
        assert!(message("a;x;*\n\nb;;*").starts_with("h.csv:3: the label in column 2 is empty"));
        assert!(message("a;x;*\nb;x;*;").starts_with("h.csv:2: the label in column 4 is empty"));
        assert!(
            message("a;x;*\n\n\nb;x;y;*")
                .starts_with("h.csv:4: 'x' has two parents: 'y' here and '*' on line 1")
        );
        assert!(
            message("a;x;*\na;y;*").starts_with("h.csv:2: 'a' has two parents: 'y' here and 'x' on line 1")
        );
        assert!(message("v;g;r\na;x;*").contains("two roots: '*' here and 'r' on line 1"));
        assert!(message("v;g;r\na;x;*").contains("no header line"));
        assert!(message("a;x;a;*").starts_with("h.csv:1: a cycle: 'a' is above itself"));
        assert!(
            message("a;b;*\nb;a;*")
                .starts_with("h.csv:2: 'b' is a leaf on this line but an inner node on line 1")
        );
        assert!(
            message("x;*\na;x;*")
                .starts_with("h.csv:2: 'x' is an inner node on this line but a leaf on line 1")
        );
        assert!(message("*\na;*").contains("'*' is an inner node on this line but a leaf"));
        assert!(message("a;x;*\n\"b;x;*\nc;x;*\n").starts_with("h.csv:2: a quote is opened"));
        let error = parse(b"a;*\nb\xff;*").expect_err("invalid").in_file("h.csv").to_string();
        assert!(error.starts_with("h.csv:2: not valid UTF-8: byte 0xff"), "{error}");
    }

    #[test]
    fn files_that_cannot_be_read_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        for path in [folder.path().to_path_buf(), folder.path().join("missing.csv")] {
            let error = read(&path).expect_err("no file");
            assert_eq!(error.file(), Some(path.as_path()));
            assert!(error.remedy().is_some());
        }
    }
}
