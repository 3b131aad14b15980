//! Is a released text file written in one way throughout?
//!
//! The reader of tables is generous: lines may end in several ways, cells may have quotes that they do not need, a formula may
//! have its apostrophe or not, empty lines are passed over. All of that means nothing to the audit's other checks, but whoever
//! opens the file sees it, and it could mark rows. So a file may be written in any usual way, but in one: all lines end alike,
//! none is empty, and a value of a column is always spelt with the same bytes.

use std::hash::BuildHasher;
use std::io::{BufReader, Read};

use hashbrown::{DefaultHashBuilder, HashMap};

use super::Check;
use privet_core::{Error, Result};
use privet_data::{Source, TransactionSource, marked};

/// More values than this are not remembered.
const MOST_VALUES: usize = 1 << 22;

/// How a table is written, as a check of its own.
pub(super) fn check(table: &Source, others: Vec<String>) -> Result<Check> {
    let faults = [faults(table)?, others].concat();
    let detail = match faults.as_slice() {
        [] => "the file is written in one way throughout".to_string(),
        faults => faults.join("; "),
    };
    Ok(Check::new("form", faults.is_empty(), detail))
}

/// What could mark rows of a table; nothing for formats that have one way to write a value.
pub(super) fn faults(table: &Source) -> Result<Vec<String>> {
    let Some((text, delimiter)) = table.text()? else { return Ok(Vec::new()) };
    let scan = Scan::of(text, delimiter, false)
        .map_err(|error| Error::io("read the release", table.path(), &error))?;
    Ok(scan.faults())
}

/// What could mark transactions of a file that has one on each line.
pub(super) fn faults_of_transactions(source: &TransactionSource) -> Result<Vec<String>> {
    let Some((text, separator)) = source.text()? else { return Ok(Vec::new()) };
    let scan = Scan::of(text, separator, true)
        .map_err(|error| Error::io("read the release", source.path(), &error))?;
    Ok(scan.faults())
}

/// What was seen of a file.
#[derive(Default)]
struct Scan {
    /// Whether each line is a transaction: empty ones are, and columns mean nothing.
    sets: bool,
    line: u64,
    /// How the first line ends, and the first that ends differently.
    end: Option<&'static str>,
    other_end: Option<u64>,
    /// The first empty line, value in two spellings, and blank cell of a transaction.
    empty: Option<u64>,
    spelt: Option<u64>,
    blank: Option<u64>,
    column: u32,
    spellings: HashMap<(u32, u64), u64>,
    hasher: DefaultHashBuilder,
}

impl Scan {
    fn of(text: impl Read, delimiter: char, sets: bool) -> std::io::Result<Scan> {
        let mut scan = Scan { sets, line: 1, ..Scan::default() };
        let mut delimiter_bytes = [0; 4];
        let delimiter = delimiter.encode_utf8(&mut delimiter_bytes).as_bytes();
        let mut bytes = BufReader::with_capacity(1 << 17, text).bytes().peekable();
        let (mut cell, mut quoted, mut any) = (Vec::new(), false, false);
        while let Some(byte) = bytes.next().transpose()? {
            if quoted {
                cell.push(byte);
                if byte == b'"' {
                    if matches!(bytes.peek(), Some(Ok(b'"'))) {
                        cell.push(b'"');
                        bytes.next();
                    } else {
                        quoted = false;
                    }
                }
                scan.line += u64::from(byte == b'\n');
                continue;
            }
            match byte {
                b'"' if cell.is_empty() => {
                    quoted = true;
                    any = true;
                    cell.push(byte);
                }
                b'\r' | b'\n' => {
                    let pair = byte == b'\r' && matches!(bytes.peek(), Some(Ok(b'\n')));
                    if pair {
                        bytes.next();
                    }
                    scan.end_line(
                        &mut cell,
                        any,
                        if pair {
                            "\r\n"
                        } else if byte == b'\r' {
                            "\r"
                        } else {
                            "\n"
                        },
                    );
                    any = false;
                }
                _ => {
                    any = true;
                    cell.push(byte);
                    if cell.ends_with(delimiter) {
                        cell.truncate(cell.len() - delimiter.len());
                        scan.end_cell(&mut cell);
                    }
                }
            }
        }
        if any {
            scan.end_cell(&mut cell);
        }
        Ok(scan)
    }

    fn end_line(&mut self, cell: &mut Vec<u8>, any: bool, end: &'static str) {
        if any {
            self.end_cell(cell);
        } else if !self.sets {
            self.empty.get_or_insert(self.line);
        }
        if *self.end.get_or_insert(end) != end {
            self.other_end.get_or_insert(self.line);
        }
        self.column = 0;
        self.line += 1;
    }

    fn end_cell(&mut self, cell: &mut Vec<u8>) {
        let text = String::from_utf8_lossy(cell);
        let inner =
            text.strip_prefix('"').map(|text| text.strip_suffix('"').unwrap_or(text).replace("\"\"", "\""));
        let value = inner.as_deref().unwrap_or(&text);
        // A reader takes off the apostrophe before what would be a formula.
        let value = value.strip_prefix('\'').filter(|rest| marked(rest) == value).unwrap_or(value);
        if self.sets && value.trim().is_empty() {
            self.blank.get_or_insert(self.line);
        }
        let column = if self.sets { 0 } else { self.column };
        let key = (column, self.hasher.hash_one(value));
        let spelling = self.hasher.hash_one(cell.as_slice());
        if self.spellings.len() < MOST_VALUES || self.spellings.contains_key(&key) {
            // The header is a line of its own.
            let is_header = self.line == 1 && !self.sets;
            if !is_header && *self.spellings.entry(key).or_insert(spelling) != spelling {
                self.spelt.get_or_insert(self.line);
            }
        }
        cell.clear();
        self.column += 1;
    }

    fn faults(&self) -> Vec<String> {
        let fault = |line: Option<u64>, what: &str| line.map(|line| format!("line {line} {what}"));
        [
            fault(self.other_end, "does not end as the first line does"),
            fault(self.empty, "is empty"),
            fault(
                self.spelt,
                "spells a value in another way than lines before it (quotes, or an apostrophe)",
            ),
            fault(self.blank, "has a blank where an item should be"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, sets: bool) -> Vec<String> {
        Scan::of(text.as_bytes(), ',', sets).expect("text").faults()
    }

    #[test]
    fn hard_use_1_4_a_file_is_written_in_one_way() {
        for fine in [
            "a,b\n1,2\n3,4\n",
            "a,b\r\n1,2\r\n3,4",
            "\"a\",\"b\"\n\"x\",1\n\"y\",2\n\"x\",1\n",
            "a,b\n\"x, y\",1\n\"x\"\"y\",2\n\"two\nlines\",1\n",
            "\u{feff}a,b\n1,2\n",
            "a,b\n'=1,2\n'=1,3\n",
        ] {
            assert!(found(fine, false).is_empty(), "{fine:?}: {:?}", found(fine, false));
        }
        for marked in [
            "a,b\n1,2\r\n3,4\n",
            "a,b\n1,2\n\n3,4\n",
            "a,b\nx,1\n\"x\",2\n",
            "a,b\n=1,2\n'=1,3\n",
            "a,b\n\"x\"\"y\",1\nx\"y,2\n",
        ] {
            assert_eq!(found(marked, false).len(), 1, "{marked:?}: {:?}", found(marked, false));
        }
        assert!(found("milk,beer\n\nbeer\n", true).is_empty());
        for marked in ["milk,,beer\n", "milk,beer,\n", "milk\n\"milk\"\n", "milk\r\nbeer\n"] {
            assert_eq!(found(marked, true).len(), 1, "{marked:?}");
        }
    }
}
