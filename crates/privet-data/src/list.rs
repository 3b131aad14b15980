//! Files that list one text per line.

use std::fs;
use std::path::Path;

use super::cells::{BadText, BatchBuilder};
use super::delimited::{RecordError, RecordReader};
use privet_core::{Error, Result};

/// Separates nothing: text with a NUL byte is refused anyway.
const NOTHING: char = '\0';

/// The texts of a list with the lines they stand on; `what` is what messages call the file. A text may stand in double
/// quotes, and must where it holds a line break or begins with a quote. Blank lines say nothing.
pub fn read_list(path: &Path, what: &str) -> Result<Vec<(u64, String)>> {
    let at = |line: u64, message: &str| Error::input(message).in_file(path).at_line(line);
    let bytes = fs::read(path).map_err(|error| Error::io(&format!("read {what}"), path, &error))?;
    let mut reader = RecordReader::new(bytes.as_slice(), NOTHING);
    let mut list = Vec::new();
    loop {
        let mut builder = BatchBuilder::default();
        let record = reader.read(&mut builder, 1).map_err(|error| match error {
            RecordError::Io(error) => Error::io(&format!("read {what}"), path, &error),
            RecordError::UnclosedQuote(line) => at(line, "a double quote opens here and never closes")
                .help("close the quote; a text that itself contains quotes is written \"like \"\"this\"\"\""),
            RecordError::TooLong(line) => at(line, "this line is too long").help("write one item per line"),
        })?;
        let Some(record) = record else { return Ok(list) };
        builder.columns = 1;
        builder.lines.push(record.line);
        let text = builder.finish().map_err(|bad| match bad {
            BadText::Nul(line) => at(line, "the line contains a NUL byte").help("save the file as UTF-8"),
            BadText::Encoding(line) => at(line, "the line is not valid UTF-8").help("save the file as UTF-8"),
        })?;
        if record.cells > 1 {
            return Err(at(record.line, "the line contains a NUL byte").help("save the file as UTF-8"));
        }
        let text = text.cell(0, 0);
        if !text.trim().is_empty() {
            list.push((record.line, text.to_string()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &[u8]) -> Result<Vec<(u64, String)>> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("list.txt");
        fs::write(&path, text).expect("written");
        read_list(&path, "the list")
    }

    #[test]
    fn a_line_is_a_text_whatever_it_holds() {
        let found =
            list("HIV test\r\nPill, 0.3mg\n\n  \n\"a \"\"b\"\"\"\nx;y\t|z".as_bytes()).expect("a list");
        let texts: Vec<(u64, &str)> = found.iter().map(|(line, text)| (*line, text.as_str())).collect();
        assert_eq!(texts, [(1, "HIV test"), (2, "Pill, 0.3mg"), (5, "a \"b\""), (6, "x;y\t|z")]);
        assert!(list(b"").expect("a list").is_empty());
    }

    #[test]
    fn what_is_no_text_is_placed() {
        for (text, line) in [(&b"a\n\"b\nc"[..], 2), (b"a\nb\xff", 2), (b"a\0b", 1), (b"a\n\"\0\"", 2)] {
            let error = list(text).expect_err("no list");
            assert_eq!(error.line(), Some(line), "{error}");
            assert!(error.remedy().is_some());
        }
    }
}
