//! The bytes below a table: opening a file that can be read twice, and (de)compressing it on the way.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use super::format::{Compression, Format};
use privet_core::{Error, Result};

const BUFFER: usize = 1 << 17;

/// Opens a file that holds data, and says how large it is; an empty one holds none.
pub(super) fn open_regular(path: &Path) -> Result<(File, u64)> {
    let (file, bytes) = open_file(path)?;
    if bytes == 0 {
        return Err(empty(path));
    }
    Ok((file, bytes))
}

/// Opens a file that can be read more than once, and says how large it is.
pub(super) fn open_file(path: &Path) -> Result<(File, u64)> {
    let action = "read the data";
    let metadata = fs::metadata(path).map_err(|error| Error::io(action, path, &error))?;
    if metadata.is_dir() {
        return Err(Error::input("cannot read the data: this is a folder")
            .in_file(path)
            .help("name a file inside the folder"));
    }
    if !metadata.is_file() {
        return Err(Error::input("cannot read the data: this is a pipe or a device, not a file")
            .in_file(path)
            .help("data are read more than once; save them to a file first"));
    }
    let file = File::open(path).map_err(|error| Error::io(action, path, &error))?;
    Ok((file, metadata.len()))
}

/// The error for a file without a single byte of data.
pub(super) fn empty(path: &Path) -> Error {
    Error::input("the file is empty").in_file(path).help("a table begins with the names of its columns")
}

/// Counts the bytes taken from a file, so that progress can be shown whatever lies above.
pub(super) struct Counting<R> {
    inner: R,
    count: Arc<AtomicU64>,
}

impl<R> Counting<R> {
    pub(super) fn new(inner: R) -> (Self, Arc<AtomicU64>) {
        let count = Arc::new(AtomicU64::new(0));
        (Counting { inner, count: Arc::clone(&count) }, count)
    }
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.count.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl<R: Seek> Seek for Counting<R> {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.inner.seek(place)
    }
}

/// The uncompressed bytes of a file.
pub(super) fn decompress<R: Read + Send + 'static>(
    file: R,
    compression: Compression,
) -> io::Result<Box<dyn Read + Send>> {
    Ok(match compression {
        Compression::None => Box::new(file),
        Compression::Gzip => Box::new(MultiGzDecoder::new(BufReader::with_capacity(BUFFER, file))),
        Compression::Zstd => {
            Box::new(zstd::stream::read::Decoder::with_buffer(BufReader::with_capacity(BUFFER, file))?)
        }
    })
}

/// The bytes of a text file, uncompressed.
pub(super) fn open_text(path: &Path, compression: Compression) -> Result<Box<dyn Read + Send>> {
    let (file, bytes) = open_file(path)?;
    // A file without a single byte is not gzip data, but does not hold text either.
    let text = if bytes == 0 { Ok(Box::new(io::empty()) as _) } else { decompress(file, compression) };
    text.map_err(|error| read_error(path, compression, &error))
}

/// Says why the bytes of a file cannot be had: the disk, or the compression.
pub(super) fn read_error(path: &Path, compression: Compression, error: &io::Error) -> Error {
    let (name, test) = match compression {
        _ if error.raw_os_error().is_some() => return Error::io("read the data", path, error),
        Compression::None => return Error::io("read the data", path, error),
        Compression::Gzip => ("gzip", "gzip -t"),
        Compression::Zstd => ("zstd", "zstd -t"),
    };
    let trouble = if error.kind() == io::ErrorKind::UnexpectedEof { "cut off" } else { "damaged" };
    Error::input(format!("the {name} data are {trouble}"))
        .in_file(path)
        .help(format!("copy or compress the file again; '{test}' checks it"))
}

/// What the first bytes of a file show it to be, in words, when it is not text.
pub(super) fn recognise(head: &[u8]) -> Option<&'static str> {
    const SIGNATURES: [(&[u8], &str); 8] = [
        (b"\x1f\x8b", "gzip data"),
        (b"\x28\xb5\x2f\xfd", "zstd data"),
        (b"PAR1", "a Parquet file"),
        (b"ARROW1", "an Arrow file"),
        (b"\xff\xff\xff\xff", "an Arrow stream"),
        (b"PK\x03\x04", "a zip archive or a spreadsheet (.xlsx, .ods)"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"\xd0\xcf\x11\xe0", "an old Office document (.xls)"),
    ];
    SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature)).map(|(_, name)| *name)
}

/// Refuses a file whose first bytes contradict the compression that its name declares.
pub(super) fn check_compression(path: &Path, head: &[u8], compression: Compression) -> Result<()> {
    let (name, signature): (_, &[u8]) = match compression {
        Compression::None => return Ok(()),
        Compression::Gzip => ("gzip", b"\x1f\x8b"),
        Compression::Zstd => ("zstd", b"\x28\xb5\x2f\xfd"),
    };
    // Skippable frames (0x184D2A5?) may come before the first zstd frame.
    let skippable = compression == Compression::Zstd
        && matches!(head, [first, 0x2a, 0x4d, 0x18, ..] if first & 0xf0 == 0x50);
    if head.starts_with(signature) || skippable {
        return Ok(());
    }
    let found = recognise(head).map(|found| format!("; it looks like {found}")).unwrap_or_default();
    Err(Error::input(format!("the name says {name}, but the data are not compressed with {name}{found}"))
        .in_file(path)
        .help("rename the file so that its extension tells what it holds"))
}

/// Refuses uncompressed bytes that plainly are another format than the name declares.
pub(super) fn check_format(path: &Path, head: &[u8], format: Format) -> Result<()> {
    let (expected, found) = match format {
        Format::Csv | Format::Tsv | Format::JsonLines => ("text", recognise(head)),
        Format::Parquet if head.starts_with(b"PAR1") => return Ok(()),
        Format::Parquet => ("Parquet", Some(recognise(head).unwrap_or("something else"))),
        Format::Arrow if head.starts_with(b"ARROW1") || head.starts_with(b"\xff\xff\xff\xff") => {
            return Ok(());
        }
        Format::Arrow => ("Arrow", Some(recognise(head).unwrap_or("something else"))),
    };
    match found {
        None => Ok(()),
        Some(found) => Err(Error::input(format!("the name says {expected}, but the file holds {found}"))
            .in_file(path)
            .help("rename the file so that its extension tells what it holds, or save it as CSV")),
    }
}

/// A file that compresses what is written to it. The bytes depend on the content alone: no name, no time.
pub(super) enum Encoder {
    Plain(BufWriter<File>),
    Gzip(GzEncoder<BufWriter<File>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<File>>),
}

impl Encoder {
    pub(super) fn new(file: File, compression: Compression) -> io::Result<Self> {
        let file = BufWriter::with_capacity(BUFFER, file);
        Ok(match compression {
            Compression::None => Encoder::Plain(file),
            Compression::Gzip => Encoder::Gzip(GzEncoder::new(file, flate2::Compression::default())),
            Compression::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                encoder.include_checksum(true)?;
                Encoder::Zstd(encoder)
            }
        })
    }

    /// Ends the compressed stream and waits until the file is on disk.
    pub(super) fn finish(self) -> io::Result<()> {
        let buffered = match self {
            Encoder::Plain(file) => file,
            Encoder::Gzip(encoder) => encoder.finish()?,
            Encoder::Zstd(encoder) => encoder.finish()?,
        };
        buffered.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    }
}

impl Write for Encoder {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Encoder::Plain(file) => file.write(bytes),
            Encoder::Gzip(encoder) => encoder.write(bytes),
            Encoder::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        // Flushing a compressor would cut its stream into pieces; `finish` is what ends it.
        Ok(())
    }
}
