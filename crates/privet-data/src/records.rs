//! Text files record by record, below tables and transactions alike: the bytes, and the errors a steward can act on.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::cells::{BadText, BatchBuilder};
use super::compression::{Counting, check_compression, check_format, decompress, open_file, read_error};
use super::delimited::{Layout, RECORD_BYTES, Record, RecordError, RecordReader};
use super::encoding::{Encoding, Utf8};
use super::format::{Compression, FileKind};
use privet_core::{Error, Result};

/// The start of the file that decides on its delimiter, in bytes.
const SAMPLE: u64 = 1 << 17;

/// The start of a text file.
pub(super) struct Sample {
    /// The beginning, uncompressed and in UTF-8; empty where the file holds no text at all.
    pub(super) text: Vec<u8>,
    /// Its encoding; `None` where it is ASCII, so that the rest may be in several.
    pub(super) encoding: Option<Encoding>,
    /// Whether they are all.
    pub(super) complete: bool,
    /// The size of the file.
    pub(super) bytes: u64,
}

impl Sample {
    /// Looks at the start of a file, and refuses one that plainly is not such text. Its encoding is detected where none is
    /// given; where what is not UTF-8 is replaced, only UTF-16 is.
    pub(super) fn of(path: &Path, kind: FileKind, given: Option<Encoding>, lossy: bool) -> Result<Sample> {
        let (mut file, bytes) = open_file(path)?;
        if bytes == 0 {
            return Ok(Sample { text: Vec::new(), encoding: given, complete: true, bytes });
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
        let complete = (text.len() as u64) < SAMPLE;
        let encoding = given.or_else(|| Encoding::detect(&text, complete, lossy));
        let mut text = match encoding {
            Some(encoding) => encoding.decoded(text),
            None => text,
        };
        if text == b"\xef\xbb\xbf" {
            text.clear();
        }
        Ok(Sample { text, encoding, complete, bytes })
    }
}

/// A text file that is being read.
pub(super) struct TextFile<'a> {
    path: &'a Path,
    compression: Compression,
    records: RecordReader<Box<dyn Read + Send>>,
    consumed: Arc<AtomicU64>,
    late: Arc<OnceLock<Encoding>>,
}

impl<'a> TextFile<'a> {
    /// Opens a file, which may be empty.
    pub(super) fn open(
        path: &'a Path,
        compression: Compression,
        encoding: Option<Encoding>,
        delimiter: char,
    ) -> Result<Self> {
        let (file, bytes) = open_file(path)?;
        let (file, consumed) = Counting::new(file);
        // A file without a single byte is not gzip data, but does not hold text either.
        let text = if bytes == 0 { Ok(Box::new(io::empty()) as _) } else { decompress(file, compression) };
        let text = text.map_err(|error| read_error(path, compression, &error))?;
        let (text, late) = Utf8::new(text, encoding);
        let records = RecordReader::new(Box::new(text) as _, delimiter);
        Ok(TextFile { path, compression, records, consumed, late })
    }

    /// The same with empty lines as records without cells.
    pub(super) fn with_empty_lines(self) -> Self {
        TextFile { records: self.records.with_empty_lines(), ..self }
    }

    /// The same with quotes, comments and lines to skip as it has them.
    pub(super) fn laid_out(self, layout: Layout) -> Self {
        TextFile { records: self.records.laid_out(layout), ..self }
    }

    /// The older encoding that it turned out to be in, long after its beginning.
    pub(super) fn late_encoding(&self) -> Option<Encoding> {
        self.late.get().copied()
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
                .help("save the file as plain UTF-8 text; NUL bytes often mean a damaged file"),
            BadText::Encoding(line) => self
                .at(line, "the row is not valid UTF-8".to_string())
                .help("save the file as UTF-8, or name its encoding in [data]: encoding = \"windows-1252\""),
        }
    }

    /// An error at a line of the file.
    pub(super) fn at(&self, line: u64, message: String) -> Error {
        Error::input(message).in_file(self.path).at_line(line)
    }
}
