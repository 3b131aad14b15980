//! Is a released text file written in one way throughout?
//!
//! The reader of tables is generous: lines may end in several ways, cells may have quotes that they do not need, a formula may
//! have its apostrophe or not, empty lines are passed over. All of that means nothing to the audit's other checks, but anyone who
//! opens the file sees it, and it could mark rows. So a file may be written in any usual way, but in one: all lines end alike,
//! none is empty, a cell has quotes around all of it or none at all, a value of a column is always spelt with the same bytes,
//! and the values of a column that are of one kind (numbers, words, empty ones …) all have quotes or none has. So have the
//! names in the header line.

mod json;

use std::hash::BuildHasher;
use std::io::{BufRead, BufReader, Cursor, Read};

use hashbrown::{DefaultHashBuilder, HashMap};

use super::Check;
use privet_core::{Error, Result};
use privet_data::{Form, Source, TransactionSource, marked};

/// More values than this are not remembered.
const MOST_VALUES: usize = 1 << 22;

/// Names in the header line count as a column of their own.
const HEADER: u32 = u32::MAX;

/// How a file is written.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// What could mark rows.
    pub faults: Vec<String>,
    /// Whether there were too many values to remember them all.
    pub forgot: bool,
}

impl Written {
    /// What is not known, as a check of its own.
    pub fn unknown(&self) -> Option<Check> {
        self.forgot.then(|| Check::undetermined("spelling", FORGOT))
    }
}

/// What is said of a file with too many values.
const FORGOT: &str = "not all values were remembered, for there are more than four million different ones: whether each of \
    them is written in one way throughout is not known";

/// How a table is written, as a check of its own.
pub(super) fn check(table: &Source, others: Vec<String>) -> Result<Check> {
    let written = written(table)?;
    let faults = [written.faults, others].concat();
    Ok(match faults.as_slice() {
        [] if written.forgot => Check::undetermined("form", FORGOT),
        [] => Check::new("form", true, "the file is written in one way throughout"),
        faults => Check::new("form", false, faults.join("; ")),
    })
}

/// What could mark rows of a table; nothing for formats that have one way to write a value.
pub(super) fn written(table: &Source) -> Result<Written> {
    let trouble = |error| Error::io("read the release", table.origin(), &error);
    if let Some(text) = table.json_lines()? {
        let names: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
        let faults = json::faults(text, &names).map_err(trouble)?;
        return Ok(Written { faults, forgot: false });
    }
    let Some((text, delimiter)) = table.text()? else { return Ok(Written::default()) };
    Ok(FormScan::of(text, delimiter, false).map_err(trouble)?.written())
}

/// What could mark transactions of a file that has one on each line, or an item on each.
pub(super) fn transactions_written(source: &TransactionSource) -> Result<Written> {
    if let Form::Long { table, .. } = source.form() {
        return written(table);
    }
    let Some((text, separator)) = source.text()? else { return Ok(Written::default()) };
    let scan = FormScan::of(text, separator, true)
        .map_err(|error| Error::io("read the release", source.origin(), &error))?;
    Ok(scan.written())
}

/// What was seen of a file.
#[derive(Default)]
struct FormScan {
    /// Whether each line is a transaction: empty ones are, and columns mean nothing.
    sets: bool,
    /// What stands between cells.
    between: char,
    line: u64,
    /// How the first line ends, and the first that ends differently.
    end: Option<&'static str>,
    other_end: Option<u64>,
    /// The first empty line, cell with quotes around a part of it, value in two spellings, value with other quotes than others
    /// of its kind, and blank cell of a transaction.
    empty: Option<u64>,
    partly: Option<u64>,
    spelt: Option<u64>,
    quoted: Option<u64>,
    blank: Option<u64>,
    column: u32,
    spellings: HashMap<(u32, u64), u64>,
    /// More of them are not remembered, and whether there were more.
    most: usize,
    forgot: bool,
    /// Whether values have quotes, by column and kind.
    quotes: HashMap<(u32, SpellingKind), bool>,
    hasher: DefaultHashBuilder,
}

/// What the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Bare,
    Quoted,
    /// Behind a quote inside a quoted cell: its end, or the first of two quotes.
    Quote,
    /// Behind a carriage return, which a line feed may follow.
    Return,
}

/// Kinds of values that tools decide about quotes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum SpellingKind {
    Empty,
    Number,
    Word,
    /// Blanks or a byte order mark at an end: many readers take them off if there are no quotes.
    Padded,
    /// A first character that means something to some reader.
    Odd,
    /// It cannot be written without quotes.
    Quoted,
}

impl SpellingKind {
    fn of(value: &str, delimiter: char) -> SpellingKind {
        let Some(first) = value.chars().next() else { return SpellingKind::Empty };
        if value.contains([delimiter, '"', '\r', '\n']) {
            SpellingKind::Quoted
        } else if value.parse::<f64>().is_ok() {
            SpellingKind::Number
        } else if value.trim_matches(|end: char| end.is_whitespace() || end == '\u{feff}') != value {
            SpellingKind::Padded
        } else if ['#', '\'', '=', '+', '-', '@'].contains(&first) {
            SpellingKind::Odd
        } else {
            SpellingKind::Word
        }
    }
}

impl FormScan {
    fn of(text: impl Read, delimiter: char, sets: bool) -> std::io::Result<FormScan> {
        FormScan::within(text, delimiter, sets, MOST_VALUES)
    }

    fn within(text: impl Read, delimiter: char, sets: bool, most: usize) -> std::io::Result<FormScan> {
        let mut scan = FormScan { sets, line: 1, most, between: delimiter, ..FormScan::default() };
        let mut delimiter_bytes = [0; 4];
        let delimiter = delimiter.encode_utf8(&mut delimiter_bytes).as_bytes();
        let mut ends = [false; 256];
        for byte in [delimiter[delimiter.len() - 1], b'\r', b'\n'] {
            ends[usize::from(byte)] = true;
        }
        let mut text = after_mark(text)?;
        let (mut cell, mut any, mut at) = (Vec::new(), false, Place::Bare);
        loop {
            let bytes = match text.fill_buf() {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                bytes => bytes?,
            };
            let Some(first) = bytes.first().copied() else { break };
            let taken = match at {
                Place::Bare if first == b'"' && cell.is_empty() => {
                    any = true;
                    cell.push(first);
                    at = Place::Quoted;
                    1
                }
                Place::Bare => {
                    let length = bytes.iter().position(|byte| ends[usize::from(*byte)]);
                    let end = length.unwrap_or(bytes.len());
                    any |= end > 0;
                    cell.extend_from_slice(&bytes[..end]);
                    match bytes.get(end) {
                        None => {}
                        Some(b'\r') => at = Place::Return,
                        Some(b'\n') => scan.end_line(&mut cell, std::mem::take(&mut any), "\n"),
                        Some(last) => {
                            any = true;
                            cell.push(*last);
                            if cell.ends_with(delimiter) {
                                cell.truncate(cell.len() - delimiter.len());
                                scan.end_cell(&mut cell);
                            }
                        }
                    }
                    end + usize::from(end < bytes.len())
                }
                Place::Return => {
                    let pair = first == b'\n';
                    let end = if pair { "\r\n" } else { "\r" };
                    scan.end_line(&mut cell, std::mem::take(&mut any), end);
                    at = Place::Bare;
                    usize::from(pair)
                }
                Place::Quoted => {
                    let end = bytes.iter().position(|byte| *byte == b'"');
                    at = if end.is_some() { Place::Quote } else { Place::Quoted };
                    let taken = end.map_or(bytes.len(), |end| end + 1);
                    cell.extend_from_slice(&bytes[..taken]);
                    scan.line += bytes[..taken].iter().filter(|byte| **byte == b'\n').count() as u64;
                    taken
                }
                Place::Quote if first == b'"' => {
                    cell.push(first);
                    at = Place::Quoted;
                    1
                }
                Place::Quote => {
                    at = Place::Bare;
                    0
                }
            };
            text.consume(taken);
        }
        if at == Place::Return {
            scan.end_line(&mut cell, std::mem::take(&mut any), "\r");
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
        // The header is a line of its own: its names may differ in all but their quotes.
        let is_header = self.line == 1 && !self.sets;
        let column = if is_header { HEADER } else { u32::from(!self.sets) * self.column };
        let spelling = self.hasher.hash_one(cell.as_slice());
        // A cell without quotes and apostrophes that occurred before, in the same spelling: there is nothing new to see.
        if !is_header
            && !matches!(cell.first(), Some(b'"' | b'\''))
            && self.spellings.get(&(column, spelling)) == Some(&spelling)
        {
            cell.clear();
            self.column += 1;
            return;
        }
        let text = String::from_utf8_lossy(cell);
        if is_quoted_in_part(&text) {
            self.partly.get_or_insert(self.line);
        }
        let inner =
            text.strip_prefix('"').map(|text| text.strip_suffix('"').unwrap_or(text).replace("\"\"", "\""));
        let value = inner.as_deref().unwrap_or(&text);
        // A reader takes off the apostrophe before what would be a formula.
        let value = value.strip_prefix('\'').filter(|rest| marked(rest) == value).unwrap_or(value);
        if self.sets && value.trim().is_empty() {
            self.blank.get_or_insert(self.line);
        }
        let key = (column, self.hasher.hash_one(value.as_bytes()));
        if !is_header {
            if self.spellings.len() >= self.most && !self.spellings.contains_key(&key) {
                self.forgot = true;
            } else if *self.spellings.entry(key).or_insert(spelling) != spelling {
                self.spelt.get_or_insert(self.line);
            }
        }
        let quotes = inner.is_some();
        if *self.quotes.entry((column, SpellingKind::of(value, self.between))).or_insert(quotes) != quotes {
            self.quoted.get_or_insert(self.line);
        }
        cell.clear();
        self.column += 1;
    }

    fn written(&self) -> Written {
        Written { faults: self.faults(), forgot: self.forgot }
    }

    fn faults(&self) -> Vec<String> {
        let fault = |line: Option<u64>, what: &str| line.map(|line| format!("line {line} {what}"));
        [
            fault(self.other_end, "does not end as the first line does"),
            fault(self.empty, "is empty"),
            fault(self.partly, "has quotes in or around a part of a cell"),
            // Such a cell is spelt in a way of its own already.
            fault(
                self.spelt.filter(|_| self.partly.is_none()),
                "spells a value in another way than lines before it (quotes, or an apostrophe)",
            ),
            // A value in two spellings is one of them already.
            fault(
                self.quoted.filter(|_| self.spelt.is_none() && self.partly.is_none()),
                "has quotes where values of the same kind have none before it, or none where they have",
            ),
            fault(self.blank, "has a blank where an item should be"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// A text without the byte order mark that it may begin with.
fn after_mark(text: impl Read) -> std::io::Result<impl BufRead> {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    let mut text = BufReader::with_capacity(1 << 17, text);
    let mut first = Vec::new();
    text.by_ref().take(MARK.len() as u64).read_to_end(&mut first)?;
    let rest = if first == MARK { Vec::new() } else { first };
    Ok(Cursor::new(rest).chain(text))
}

/// Whether a cell has quotes, but not one at either end and doubled ones between them.
fn is_quoted_in_part(cell: &str) -> bool {
    match cell.strip_prefix('"') {
        None => cell.contains('"'),
        Some(rest) => rest.strip_suffix('"').is_none_or(|inner| inner.replace("\"\"", "").contains('"')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, sets: bool) -> Vec<String> {
        FormScan::of(text.as_bytes(), ',', sets).expect("text").faults()
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
            // Tools may put words in quotes and leave numbers bare, and must put in quotes what cannot be written without.
            "a,b\n\"*\",1\n34,2\n\"20-39\",3\n7,4\n",
            "a,b\n\"[1,2]\",1\nyoung,2\n4,3\n",
        ] {
            assert!(found(fine, false).is_empty(), "{fine:?}: {:?}", found(fine, false));
        }
        for marked in [
            "a,b\n1,2\r\n3,4\n",
            "a,b\n1,2\n\n3,4\n",
            "a,b\nx,1\n\"x\",2\n",
            "a,b\n=1,2\n'=1,3\n",
            "a,b\n\"x\"\"y\",1\nx\"y,2\n",
            // One number, or one word, has quotes that others do not have.
            "a,b\n1,2\n\"5\",3\n7,4\n",
            "a,b\nx,1\n\"y\",2\nz,3\n",
            "a,b\n\"x\",1\ny,2\n\"z\",3\n",
            "a,b\n\"\",1\n,2\n",
        ] {
            assert_eq!(found(marked, false).len(), 1, "{marked:?}: {:?}", found(marked, false));
        }
        let scan =
            |most| FormScan::within("a\nx\ny\nx\n".as_bytes(), ',', false, most).expect("text").written();
        assert!(!scan(2).forgot && scan(2).unknown().is_none());
        assert!(scan(1).unknown().is_some_and(|check| check.undetermined), "y was not remembered");
        assert!(found("milk,beer\n\nbeer\n", true).is_empty());
        for marked in ["milk,,beer\n", "milk,beer,\n", "milk\n\"milk\"\n", "milk\r\nbeer\n"] {
            assert_eq!(found(marked, true).len(), 1, "{marked:?}");
        }
    }

    /// Readers take `""hiv` for `hiv`, but anyone who opens the file sees the marks.
    #[test]
    fn hard_use_1_4_a_cell_has_quotes_around_all_of_it_or_none() {
        for cell in
            ["\"\"hiv", "\"20\"-29", "\"\"1", "\"hi\"v", "hi\"v", "hiv\"\"", "\"hiv\" ", "\"a\"\"b\"c"]
        {
            let fault = "line 2 has quotes in or around a part of a cell";
            assert_eq!(found(&format!("a,b\n{cell},1\n"), false), [fault], "{cell}");
            assert_eq!(found(&format!("a,b\n1,{cell}"), false), [fault], "{cell}");
            assert_eq!(found(&format!("beer\n{cell},milk\n"), true), [fault], "{cell}");
            assert_eq!(found(&format!("{cell},b\n1,2\n"), false).len(), 1, "{cell} in the header");
        }
        for marked in ["\"a\",b\n1,2\n", "a,\"b\"\n1,2\n", "\u{feff}\"a\"b,c\n1,2\n"] {
            assert_eq!(found(marked, false).len(), 1, "{marked:?}");
        }
        for fine in [
            "\u{feff}\"a\",\"b,c\"\n1,2\n",
            "a,\"b,c\"\n1,2\n",
            "a\n\"\"\"\"\n\"x\"\"\"\n",
            "a\n'-x\n\" y\"\n",
        ] {
            assert!(found(fine, false).is_empty(), "{fine:?}: {:?}", found(fine, false));
        }
    }
}
