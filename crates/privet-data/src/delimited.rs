//! Delimited text, record by record.
//!
//! The grammar is that of the `csv` crate (and a property test holds the two together): a cell that begins
//! with a double quote runs to the closing one, a doubled quote inside stands for one, everything else is
//! literal; records end at LF, CRLF or CR, in any mixture; empty lines are skipped, unless they count as records. What that crate does not
//! offer is what a steward needs when a file is broken: the exact line of every record, an error for a quote
//! that never closes, and a bound on the size of a record.

use std::io::{self, Read};

use super::cells::BatchBuilder;
use privet_core::{Error, Result};

/// One record may take this many bytes of the file; more is a quote gone astray, not a person.
pub(super) const RECORD_BYTES: usize = 64 << 20;

const BUFFER: usize = 1 << 17;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What a file has next to its records, or in place of double quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// What stands around a cell that holds delimiters; `None` where nothing does.
    pub(super) quote: Option<u8>,
    /// What a line begins with that is not a record.
    pub(super) comment: Option<u8>,
    /// Lines before the first record.
    pub(super) skip: u64,
}

impl Default for Layout {
    fn default() -> Self {
        Layout { quote: Some(b'"'), comment: None, skip: 0 }
    }
}

/// Why a record could not be read.
#[derive(Debug)]
pub(super) enum RecordError {
    /// The bytes could not be had.
    Io(io::Error),
    /// The file ends inside a quoted cell of the record that begins at this line.
    UnclosedQuote(u64),
    /// The record that begins at this line is larger than `RECORD_BYTES`.
    TooLong(u64),
}

/// Where a record begins and how many cells it has; at most the wanted number of cells was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) line: u64,
    pub(super) cells: usize,
}

/// What the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    BeforeRecord,
    BeforeCell,
    Bare,
    Quoted,
    /// Behind a quote inside a quoted cell: the end of the cell, or the first of two quotes.
    AfterQuote,
}

/// Takes records off a stream of bytes.
pub(super) struct RecordReader<R> {
    input: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The line of the next byte.
    line: u64,
    /// Whether the last byte was a CR, whose line a following LF ends only once.
    after_cr: bool,
    /// True for the bytes that end a bare cell.
    ends_bare: [bool; 256],
    /// The delimiter's bytes but the last, and the last.
    delimiter: (Vec<u8>, u8),
    at_start: bool,
    /// Whether an empty line is a record without cells.
    empty_lines: bool,
    /// What quotes are; `None` where they mean nothing.
    quote: Option<u8>,
    comment: Option<u8>,
    /// Lines that are still to be passed over.
    skip: u64,
}

impl<R: Read> RecordReader<R> {
    pub(super) fn new(input: R, delimiter: char) -> Self {
        let mut before = delimiter.to_string().into_bytes();
        let last = before.pop().unwrap_or(b',');
        let mut ends_bare = [false; 256];
        for byte in [last, b'\r', b'\n'] {
            ends_bare[usize::from(byte)] = true;
        }
        RecordReader {
            input,
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
            line: 1,
            after_cr: false,
            ends_bare,
            delimiter: (before, last),
            at_start: true,
            empty_lines: false,
            quote: Some(b'"'),
            comment: None,
            skip: 0,
        }
    }

    /// Takes an empty line for a record without cells, instead of skipping it.
    pub(super) fn with_empty_lines(self) -> Self {
        RecordReader { empty_lines: true, ..self }
    }

    /// With quotes, comments and lines to skip as a file has them.
    pub(super) fn laid_out(self, layout: Layout) -> Self {
        let Layout { quote, comment, skip } = layout;
        RecordReader { quote, comment, skip, ..self }
    }

    /// Appends the cells of the next record, at most `wanted` of them, or returns `None` at the end.
    pub(super) fn read(
        &mut self,
        into: &mut BatchBuilder,
        wanted: usize,
    ) -> std::result::Result<Option<Record>, RecordError> {
        while self.skip > 0 {
            self.skip -= 1;
            self.skip_line().map_err(RecordError::Io)?;
        }
        let (quotes, quote) = (self.quote.is_some(), self.quote.unwrap_or_default());
        let mut state = State::BeforeRecord;
        let mut record = Record { line: self.line, cells: 0 };
        let mut size = 0;
        loop {
            if self.start == self.end && !self.fill().map_err(RecordError::Io)? {
                return match state {
                    State::BeforeRecord => Ok(None),
                    State::Quoted => Err(RecordError::UnclosedQuote(record.line)),
                    State::BeforeCell | State::Bare | State::AfterQuote => {
                        end_cell(into, &mut record, wanted);
                        Ok(Some(record))
                    }
                };
            }
            let available = &self.buffer[self.start..self.end];
            let first = available[0];
            let taken = match state {
                State::BeforeRecord => {
                    if matches!(first, b'\r' | b'\n') {
                        // The LF of a CRLF ends the line before.
                        let is_line = first == b'\r' || !self.after_cr;
                        record.line = self.line;
                        self.count_line(first);
                        if is_line && self.empty_lines {
                            self.start += 1;
                            return Ok(Some(record));
                        }
                        1
                    } else if self.comment == Some(first) {
                        self.skip_line().map_err(RecordError::Io)?;
                        0
                    } else {
                        self.after_cr = false;
                        record.line = self.line;
                        state = State::BeforeCell;
                        0
                    }
                }
                State::BeforeCell if first == quote && quotes => {
                    state = State::Quoted;
                    1
                }
                State::BeforeCell => {
                    state = State::Bare;
                    0
                }
                State::Bare => {
                    // Cells without quotes follow each other here as long as the buffer has them.
                    let mut at = 0;
                    loop {
                        let rest = &available[at..];
                        let Some(length) = rest.iter().position(|&byte| self.ends_bare[usize::from(byte)])
                        else {
                            into.text.extend_from_slice(rest);
                            break available.len();
                        };
                        into.text.extend_from_slice(&rest[..length]);
                        let end = rest[length];
                        at += length + 1;
                        if matches!(end, b'\r' | b'\n') {
                            end_cell(into, &mut record, wanted);
                            self.start += at;
                            self.count_line(end);
                            return Ok(Some(record));
                        }
                        // A delimiter of several bytes is complete at its last one; the others are in the cell by
                        // then. The same last byte may also end another character.
                        if !into.drop_end(&self.delimiter.0) {
                            into.text.push(end);
                            continue;
                        }
                        end_cell(into, &mut record, wanted);
                        if available.get(at).is_none_or(|&next| next == quote && quotes) {
                            state = State::BeforeCell;
                            break at;
                        }
                    }
                }
                State::Quoted if first == quote => {
                    self.after_cr = false;
                    state = State::AfterQuote;
                    1
                }
                State::Quoted if matches!(first, b'\r' | b'\n') => {
                    into.text.push(first);
                    self.count_line(first);
                    1
                }
                State::Quoted => {
                    let length =
                        available.iter().position(|&byte| byte == quote || matches!(byte, b'\r' | b'\n'));
                    let length = length.unwrap_or(available.len());
                    into.text.extend_from_slice(&available[..length]);
                    self.after_cr = false;
                    length
                }
                State::AfterQuote if first == quote => {
                    into.text.push(quote);
                    state = State::Quoted;
                    1
                }
                State::AfterQuote => {
                    state = State::Bare;
                    0
                }
            };
            self.start += taken;
            if state != State::BeforeRecord {
                size += taken;
                if size > RECORD_BYTES {
                    return Err(RecordError::TooLong(record.line));
                }
            }
        }
    }

    /// Goes past the end of the line, or of the file.
    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            if self.start == self.end && !self.fill()? {
                return Ok(());
            }
            let available = &self.buffer[self.start..self.end];
            // The LF of a CRLF ends the line before.
            if std::mem::take(&mut self.after_cr) && available[0] == b'\n' {
                self.start += 1;
                continue;
            }
            match available.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
                None => self.start = self.end,
                Some(length) => {
                    let end = available[length];
                    self.start += length + 1;
                    self.count_line(end);
                    return Ok(());
                }
            }
        }
    }

    /// Counts a line end; CRLF is one.
    fn count_line(&mut self, byte: u8) {
        if byte == b'\r' || !self.after_cr {
            self.line += 1;
        }
        self.after_cr = byte == b'\r';
    }

    /// Reads more bytes; false at the end. A byte order mark at the very start is dropped.
    fn fill(&mut self) -> io::Result<bool> {
        (self.start, self.end) = (0, 0);
        // The mark can only be recognised once three bytes are there, and a source may hand them out one by one.
        let least = if self.at_start { BYTE_ORDER_MARK.len() } else { 1 };
        while self.end < least {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if self.at_start && self.buffer[..self.end].starts_with(BYTE_ORDER_MARK) {
            self.start = BYTE_ORDER_MARK.len();
        }
        self.at_start = false;
        if self.start == self.end && self.end > 0 {
            return self.fill();
        }
        Ok(self.start < self.end)
    }
}

/// Hands every record of a text to `each`, with the line where it begins: for small files that are in memory as a whole. Its
/// records may have different numbers of cells. Apostrophes that mark formulas as text are taken off.
pub fn each_record(
    text: &str,
    delimiter: char,
    each: &mut dyn FnMut(u64, &[&str]) -> Result<()>,
) -> Result<()> {
    let mut reader = RecordReader::new(text.as_bytes(), delimiter);
    loop {
        let mut record = BatchBuilder::default();
        let Some(Record { line, .. }) = reader.read(&mut record, usize::MAX).map_err(wrong)? else {
            return Ok(());
        };
        let mut start = 0;
        let cells = record.ends.iter().map(|end| {
            let cell = &record.text[start..*end as usize];
            start = *end as usize;
            // Delimiters and quotes are whole characters of a text, and so is what is between them.
            std::str::from_utf8(cell).unwrap_or_default()
        });
        each(line, &cells.collect::<Vec<&str>>())?;
    }
}

/// What is wrong with a record of a text in memory.
fn wrong(error: RecordError) -> Error {
    match error {
        RecordError::UnclosedQuote(line) => Error::input("a quote is opened but never closed")
            .at_line(line)
            .help("close it, or write \"\" for a quote inside a quoted label"),
        RecordError::TooLong(line) => Error::input("the line is too long").at_line(line),
        RecordError::Io(error) => Error::internal(format!("memory cannot be read: {error}")),
    }
}

/// Counts a cell, and keeps it if it is wanted: a row of a million delimiters must not fill the memory.
fn end_cell(into: &mut BatchBuilder, record: &mut Record, wanted: usize) {
    if record.cells < wanted {
        into.end_text_cell();
    }
    record.cells += 1;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Rows = Vec<(u64, Vec<Vec<u8>>)>;

    /// Hands out one byte at a time, so that every boundary between two buffers is tried.
    struct Trickle<'a>(&'a [u8]);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = buffer.len().min(1);
            (&self.0[..]).read(&mut buffer[..length]).inspect(|&read| self.0 = &self.0[read..])
        }
    }

    fn records(input: impl Read, delimiter: char) -> std::result::Result<Rows, RecordError> {
        let mut reader = RecordReader::new(input, delimiter);
        let mut rows = Vec::new();
        loop {
            let mut batch = BatchBuilder::default();
            let Some(record) = reader.read(&mut batch, usize::MAX)? else { return Ok(rows) };
            let mut start = 0;
            let cells = batch.ends.iter().map(|&end| {
                let cell = batch.text[start..end as usize].to_vec();
                start = end as usize;
                cell
            });
            rows.push((record.line, cells.collect()));
        }
    }

    fn texts(input: &str) -> Vec<(u64, Vec<String>)> {
        let text = |cell: Vec<u8>| String::from_utf8(cell).unwrap();
        let rows = records(input.as_bytes(), ',').unwrap();
        rows.into_iter().map(|(line, cells)| (line, cells.into_iter().map(text).collect())).collect()
    }

    #[test]
    fn lines_are_counted_whatever_ends_them() {
        for (input, lines) in [
            ("a\nb\nc", [1, 2, 3]),
            ("a\r\nb\r\nc\r\n", [1, 2, 3]),
            ("a\rb\rc\r", [1, 2, 3]),
            ("a\n\n\nb\r\n\r\nc", [1, 4, 6]),
            ("\n\na\n\"x\ny\"\r\nc", [3, 4, 6]),
            ("a\n\"x\r\ny\"\nc", [1, 2, 4]),
            ("a\n\"\r\"\n\"\n\"", [1, 2, 4]),
        ] {
            let found: Vec<u64> = texts(input).iter().map(|(line, _)| *line).collect();
            assert_eq!(found, lines, "{input:?}");
        }
    }

    #[test]
    fn empty_lines_are_records_where_they_count() {
        for (input, lines) in [
            ("", vec![]),
            ("\n", vec![(1, 0)]),
            ("a\n\n", vec![(1, 1), (2, 0)]),
            ("a\r\n\r\nb,c\r\n", vec![(1, 1), (2, 0), (3, 2)]),
            ("\r\r\na", vec![(1, 0), (2, 0), (3, 1)]),
            ("\"x\r\n\"\n\n\"\"", vec![(1, 1), (3, 0), (4, 1)]),
            ("\u{feff}", vec![]),
        ] {
            for trickle in [false, true] {
                let input: Box<dyn Read> =
                    if trickle { Box::new(Trickle(input.as_bytes())) } else { Box::new(input.as_bytes()) };
                let mut reader = RecordReader::new(input, ',').with_empty_lines();
                let mut found = Vec::new();
                while let Some(record) = reader.read(&mut BatchBuilder::default(), 9).unwrap() {
                    found.push((record.line, record.cells));
                }
                assert_eq!(found, lines);
            }
        }
    }

    #[test]
    fn quotes_are_read_as_everybody_writes_them() {
        let cells = |input| texts(input).remove(0).1;
        assert_eq!(cells("\"a,b\",\"c\"\"d\",\"e\nf\""), ["a,b", "c\"d", "e\nf"]);
        assert_eq!(cells("5\" pipe,a\"b\""), ["5\" pipe", "a\"b\""]);
        assert_eq!(cells("\"a\"b,"), ["ab", ""]);
        assert_eq!(cells("\"\""), [""]);
        assert_eq!(cells("\u{feff}\"a\",b"), ["a", "b"]);
    }

    #[test]
    fn quotes_may_mean_nothing() {
        let layout = Layout { quote: None, ..Layout::default() };
        let mut reader = RecordReader::new(&b"\"a,b\"\n\"c\nd"[..], ',').laid_out(layout);
        let mut batch = BatchBuilder::default();
        let mut cells = Vec::new();
        while let Some(record) = reader.read(&mut batch, 9).unwrap() {
            cells.push((record.line, record.cells));
        }
        assert_eq!((cells, &batch.text[..]), (vec![(1, 2), (2, 1), (3, 1)], &b"\"ab\"\"cd"[..]));
    }

    #[test]
    fn comments_and_first_lines_may_be_passed_over() {
        let layout = Layout { quote: Some(b'\''), comment: Some(b'#'), skip: 2 };
        for (input, expected) in [
            ("x,\"\ny\na,b\n#c\n1,'2,\n3'\n#\n\n4,5", vec![(3, 2), (5, 2), (9, 2)]),
            ("x\r\ny\r\na,b\r\n#c\r\n1,2\r\n", vec![(3, 2), (5, 2)]),
            ("x\ry\ra,b\r#c\r1,2#\r", vec![(3, 2), (5, 2)]),
            ("\n\na", vec![(3, 1)]),
            ("x\n", vec![]),
            ("x\ny\n#", vec![]),
            ("", vec![]),
        ] {
            for trickle in [false, true] {
                let bytes = input.as_bytes();
                let bytes: Box<dyn Read> = if trickle { Box::new(Trickle(bytes)) } else { Box::new(bytes) };
                let mut reader = RecordReader::new(bytes, ',').laid_out(layout);
                let mut found = Vec::new();
                while let Some(record) = reader.read(&mut BatchBuilder::default(), 9).unwrap() {
                    found.push((record.line, record.cells));
                }
                assert_eq!(found, expected, "{input:?}");
            }
        }
    }

    #[test]
    fn a_delimiter_may_take_several_bytes() {
        // The section and the degree sign begin alike, the euro sign and the ellipsis too; 'é' ends as '©' does.
        for (delimiter, other) in [('§', "°"), ('€', "…"), ('©', "é"), ('🙂', "🙃")] {
            let input =
                format!("a{other}{delimiter}\"b{delimiter}\"{delimiter}\n{other}{delimiter}{delimiter}c");
            let expected = [
                (1, vec![format!("a{other}"), format!("b{delimiter}"), String::new()]),
                (2, vec![other.to_string(), String::new(), "c".to_string()]),
            ];
            for rows in [records(input.as_bytes(), delimiter), records(Trickle(input.as_bytes()), delimiter)]
            {
                let text = |cell: Vec<u8>| String::from_utf8(cell).unwrap();
                let rows: Vec<(u64, Vec<String>)> = rows
                    .unwrap()
                    .into_iter()
                    .map(|(line, cells)| (line, cells.into_iter().map(text).collect()))
                    .collect();
                assert_eq!(rows, expected, "{delimiter}");
            }
        }
    }

    #[test]
    fn an_unclosed_quote_is_an_error_at_the_start_of_its_record() {
        for input in ["a,b\n1,2\n3,\"4\n5,6\n", "a,b\r\n1,2\r\n3,\"4\"\"", "a\n\n\""] {
            let error = records(input.as_bytes(), ',').unwrap_err();
            assert!(matches!(error, RecordError::UnclosedQuote(3)), "{error:?}");
        }
    }

    #[test]
    fn a_record_without_end_is_refused() {
        let endless = io::Cursor::new(b"a\n\"".to_vec()).chain(io::repeat(b'x'));
        assert!(matches!(records(endless, ','), Err(RecordError::TooLong(2))));
    }

    #[test]
    fn unwanted_cells_are_counted_but_not_kept() {
        let mut batch = BatchBuilder::default();
        let record = RecordReader::new(&b"1,2,3,4"[..], ',').read(&mut batch, 2).unwrap();
        assert_eq!(record, Some(Record { line: 1, cells: 4 }));
        assert_eq!(batch.ends.len(), 2);
    }

    proptest! {
        #[test]
        fn the_grammar_is_that_of_the_csv_crate(
            input in proptest::collection::vec(prop::sample::select(&b"ab,;\"\"\r\n"[..]), 0..60),
        ) {
            let mut reference = csv::ReaderBuilder::new().has_headers(false).flexible(true)
                .from_reader(&input[..]);
            let expected: Vec<Vec<Vec<u8>>> = reference.byte_records()
                .map(|record| record.unwrap().iter().map(<[u8]>::to_vec).collect())
                .collect();
            match records(&input[..], ',') {
                Ok(rows) => {
                    prop_assert_eq!(&records(Trickle(&input), ',').unwrap(), &rows);
                    prop_assert_eq!(rows.into_iter().map(|(_, cells)| cells).collect::<Vec<_>>(), expected);
                }
                // Where the crate guesses, we refuse: an added quote must be what closes the record.
                Err(RecordError::UnclosedQuote(_)) => {
                    let closed = [&input[..], b"\""].concat();
                    prop_assert!(records(&closed[..], ',').is_ok());
                }
                Err(error) => prop_assert!(false, "{error:?}"),
            }
        }
    }
}
