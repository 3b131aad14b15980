//! Text files record by record, below tables and transactions alike: the bytes, and the errors a steward can act on.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::cells::{BadText, BatchBuilder};
use super::compression::{Counting, check_compression, check_format, decompress, open_file, read_error};
use super::delimited::{RECORD_BYTES, Record, RecordError, RecordReader};
use super::format::{Compression, FileKind};
use privet_core::{Error, Result};

/// The start of the file that decides on its delimiter, in bytes.
const SAMPLE: u64 = 1 << 17;

/// The start of a text file.
pub(super) struct Sample {
    /// The first bytes, uncompressed; none where the file holds no text at all.
    pub(super) text: Vec<u8>,
    /// Whether they are all.
    pub(super) complete: bool,
    /// The size of the file.
    pub(super) bytes: u64,
}

impl Sample {
    /// Looks at the start of a file, and refuses one that plainly is not such text.
    pub(super) fn of(path: &Path, kind: FileKind) -> Result<Sample> {
        let (mut file, bytes) = open_file(path)?;
        if bytes == 0 {
            return Ok(Sample { text: Vec::new(), complete: true, bytes });
        }
        let mut head = Vec::new();
        file.by_ref()
            .take(8)
            .read_to_end(&mut head)
            .map_err(|error| Error::io("read the data", path, &error))?;
        check_compression(path, &head, kind.compression)?;
        let whole = io::Cursor::new(head).chain(file);
        let mut text = Vec::new();
        decompress(whole, kind.compression)
            .and_then(|all| all.take(SAMPLE).read_to_end(&mut text))
            .map_err(|error| read_error(path, kind.compression, &error))?;
        check_format(path, &text, kind.format)?;
        if text == b"\xef\xbb\xbf" {
            text.clear();
        }
        if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
            return Err(Error::input("the text is encoded in UTF-16")
                .in_file(path)
                .help("save the file as UTF-8; with iconv: iconv -f UTF-16 -t UTF-8 IN > OUT"));
        }
        let complete = (text.len() as u64) < SAMPLE;
        Ok(Sample { text, complete, bytes })
    }
}

/// A text file that is being read.
pub(super) struct TextFile<'a> {
    path: &'a Path,
    compression: Compression,
    records: RecordReader<Box<dyn Read + Send>>,
    consumed: Arc<AtomicU64>,
}

impl<'a> TextFile<'a> {
    /// Opens a file, which may be empty.
    pub(super) fn open(path: &'a Path, compression: Compression, delimiter: char) -> Result<Self> {
        let (file, bytes) = open_file(path)?;
        let (file, consumed) = Counting::new(file);
        // A file without a single byte is not gzip data, but does not hold text either.
        let text = if bytes == 0 { Ok(Box::new(io::empty()) as _) } else { decompress(file, compression) };
        let text = text.map_err(|error| read_error(path, compression, &error))?;
        Ok(TextFile { path, compression, records: RecordReader::new(text, delimiter), consumed })
    }

    /// The same with empty lines as records without cells.
    pub(super) fn with_empty_lines(self) -> Self {
        TextFile { records: self.records.with_empty_lines(), ..self }
    }

    /// The same with quotes as characters like any other.
    pub(super) fn without_quotes(self) -> Self {
        TextFile { records: self.records.without_quotes(), ..self }
    }

    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    /// The bytes of the file that were read so far.
    pub(super) fn consumed(&self) -> u64 {
        self.consumed.load(Ordering::Relaxed)
    }

    /// Appends the cells of the next record, at most `wanted` of them, or returns `None` at the end.
    pub(super) fn record(&mut self, into: &mut BatchBuilder, wanted: usize) -> Result<Option<Record>> {
        self.records.read(into, wanted).map_err(|error| match error {
            RecordError::Io(error) => read_error(self.path, self.compression, &error),
            RecordError::UnclosedQuote(line) => self
                .at(line, "a double quote opens in this record and never closes".to_string())
                .help("close the quote; a cell that itself contains quotes is written \"like \"\"this\"\"\""),
            RecordError::TooLong(line) => {
                let limit = RECORD_BYTES >> 20;
                self.at(line, format!("the record that begins here is longer than {limit} MB"))
                    .help("look for a double quote that is never closed, or for missing line ends")
            }
        })
    }

    /// Says where bytes are that cannot be text.
    pub(super) fn not_text(&self, bad: BadText) -> Error {
        match bad {
            BadText::Nul(line) => self
                .at(line, "the row contains a NUL byte".to_string())
                .help("save the file as plain UTF-8 text; NUL bytes often mean UTF-16 or a damaged file"),
            BadText::Encoding(line) => self
                .at(line, "the row is not valid UTF-8".to_string())
                .help("save the file as UTF-8; with iconv: iconv -f WINDOWS-1252 -t UTF-8 IN > OUT"),
        }
    }

    /// An error at a line of the file.
    pub(super) fn at(&self, line: u64, message: String) -> Error {
        Error::input(message).in_file(self.path).at_line(line)
    }
}
