//! What a Parquet or Arrow file holds that belongs to none of its columns: bytes that nothing points at, and notes.
//!
//! A reader of such a file goes by its footer and sees neither. Anybody who looks at the bytes does.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{Block, Message, Schema, root_as_footer, root_as_message};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader};

use super::compression::open_file;
use super::format::{Compression, FileKind, Format};
use super::wrapping::Wrapping;
use privet_core::{Error, Result};

/// At most this many zeros may be between two parts that are aligned.
const MOST_PADDING: u64 = 63;
/// So much of a gap is kept.
const MOST_KEPT: u64 = 1 << 24;
/// The type of a column, which is in the schema as well, as Arrow keeps it in Parquet.
const ARROW_SCHEMA: &str = "ARROW:schema";
/// The number of a column, which tells nothing.
const FIELD_ID: &str = "PARQUET:field_id";

/// What a file holds in addition to its columns, if it is a Parquet or Arrow file.
pub(super) fn loose(path: &Path) -> Result<Vec<Wrapping>> {
    let Ok(FileKind { format, compression: Compression::None }) = FileKind::of_path(path) else {
        return Ok(Vec::new());
    };
    if !matches!(format, Format::Parquet | Format::Arrow) {
        return Ok(Vec::new());
    }
    let (mut file, length) = open_file(path)?;
    let found = if format == Format::Parquet { parquet(&mut file, length) } else { arrow(&mut file, length) };
    found.map_err(|error| match error.raw_os_error() {
        Some(_) => Error::io("read the file", path, &error),
        None => Error::input(format!("the file cannot be read: {error}"))
            .in_file(path)
            .help("write the file again"),
    })
}

/// The parts of a file that something points at, and the notes in it.
#[derive(Default)]
struct Parts {
    ranges: Vec<Range<u64>>,
    notes: Vec<Wrapping>,
}

impl Parts {
    fn add(&mut self, start: i64, length: i64) -> io::Result<()> {
        let start = u64::try_from(start).map_err(|_| implausible())?;
        let length = u64::try_from(length).map_err(|_| implausible())?;
        self.ranges.push(start..start.checked_add(length).ok_or_else(implausible)?);
        Ok(())
    }

    fn note(&mut self, key: &str, value: &str) {
        self.notes.push(Wrapping::Note(format!("{key}={value}").into_bytes()));
    }

    /// The notes, and all bytes before `end` that nothing points at; zeros that align parts may be left out.
    fn finish(mut self, file: &mut File, end: u64, padded: bool) -> io::Result<Vec<Wrapping>> {
        self.ranges.sort_unstable_by_key(|range| (range.start, range.end));
        let mut place = 0;
        for range in self.ranges.into_iter().chain(std::iter::once(end..end)) {
            if range.start > place {
                let mut gap = vec![0; (range.start.min(end) - place).min(MOST_KEPT) as usize];
                file.seek(SeekFrom::Start(place))?;
                file.read_exact(&mut gap)?;
                let is_padding =
                    padded && range.start - place <= MOST_PADDING && gap.iter().all(|byte| *byte == 0);
                if !is_padding {
                    self.notes.push(Wrapping::Gap(gap));
                }
            }
            place = place.max(range.end);
        }
        Ok(self.notes)
    }
}

/// Pages, indexes, Bloom filters and the footer make up a Parquet file.
fn parquet(file: &mut File, length: u64) -> io::Result<Vec<Wrapping>> {
    let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, error);
    let metadata: ParquetMetaData = ParquetMetaDataReader::new().parse_and_finish(&*file).map_err(invalid)?;
    let mut tail = [0; 8];
    file.seek(SeekFrom::Start(length.checked_sub(8).ok_or_else(implausible)?))?;
    file.read_exact(&mut tail)?;
    let footer = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
    let footer = (length - 8).checked_sub(footer).ok_or_else(implausible)?;
    let mut parts = Parts::default();
    parts.add(0, 4)?;
    for column in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        pages(&mut parts, column)?;
    }
    let facts = metadata.file_metadata();
    let pairs = facts.key_value_metadata();
    for pair in pairs.into_iter().flatten().filter(|pair| pair.key != ARROW_SCHEMA) {
        parts.note(&pair.key, pair.value.as_deref().unwrap_or_default());
    }
    if let Ok(schema) = parquet::arrow::parquet_to_arrow_schema(facts.schema_descr(), pairs) {
        let listed = |key: &String| pairs.into_iter().flatten().any(|pair| &pair.key == key);
        for (key, value) in schema.metadata().iter().filter(|(key, _)| !listed(key)) {
            parts.note(key, value);
        }
        for (key, value) in schema.fields().iter().flat_map(|field| field.metadata()) {
            if key != FIELD_ID {
                parts.note(key, value);
            }
        }
    }
    parts.finish(file, footer, false)
}

fn pages(parts: &mut Parts, column: &ColumnChunkMetaData) -> io::Result<()> {
    let dictionary = column.dictionary_page_offset().filter(|offset| *offset > 0);
    let start = dictionary.unwrap_or(i64::MAX).min(column.data_page_offset());
    parts.add(start, column.compressed_size())?;
    let others = [
        (column.column_index_offset(), column.column_index_length()),
        (column.offset_index_offset(), column.offset_index_length()),
        (column.bloom_filter_offset(), column.bloom_filter_length()),
    ];
    for (offset, length) in others.into_iter().filter_map(|(offset, length)| offset.zip(length)) {
        parts.add(offset, length.into())?;
    }
    Ok(())
}

/// Messages with their buffers, and the footer, make up an Arrow file; a stream has no footer.
fn arrow(file: &mut File, length: u64) -> io::Result<Vec<Wrapping>> {
    const MAGIC: [u8; 6] = *b"ARROW1";
    let mut parts = Parts::default();
    if bytes(file, 0, 6, length)? != MAGIC {
        let mut place = 0;
        while let Some(next) = message(file, place, length, &mut parts)? {
            place = next;
        }
        return parts.finish(file, length, true);
    }
    const TAIL: u64 = 10;
    let start = length.checked_sub(TAIL).ok_or_else(implausible)?;
    let mut tail = [0; TAIL as usize];
    tail.copy_from_slice(&bytes(file, start, TAIL, length)?);
    let footer = read_footer_length(tail).map_err(|_| implausible())? as u64;
    let begins = start.checked_sub(footer).ok_or_else(implausible)?;
    let footer = bytes(file, begins, footer, length)?;
    let footer = root_as_footer(&footer).map_err(|_| implausible())?;
    for pair in footer.custom_metadata().into_iter().flatten() {
        parts.note(pair.key().unwrap_or_default(), pair.value().unwrap_or_default());
    }
    footer.schema().into_iter().for_each(|schema| notes(&mut parts, &schema));
    parts.add(0, 8)?;
    // The schema begins at the first place that is not padding.
    let front = bytes(file, 8, begins.saturating_sub(8).min(64), length)?;
    let padding = front.chunks(8).take_while(|word| word.iter().all(|byte| *byte == 0)).count() as u64;
    message(file, 8 + 8 * padding, length, &mut parts)?;
    let blocks: Vec<Block> =
        footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten().copied().collect();
    let mut last = 8;
    for block in blocks {
        let end =
            message(file, u64::try_from(block.offset()).map_err(|_| implausible())?, length, &mut parts)?;
        last = last.max(end.unwrap_or(0));
    }
    // A mark that no more messages follow, as long as a message's head.
    if begins >= last + 8 && bytes(file, begins - 8, 8, length)? == END {
        parts.ranges.push(begins - 8..begins);
    }
    parts.finish(file, begins, true)
}

/// What ends a list of messages.
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

/// One message and its buffers, and where the next begins; `None` behind the last.
fn message(file: &mut File, start: u64, length: u64, parts: &mut Parts) -> io::Result<Option<u64>> {
    if start >= length {
        return Ok(None);
    }
    let mut head = bytes(file, start, 4, length)?;
    let mut place = start + 4;
    if head == [0xff; 4] {
        head = bytes(file, place, 4, length)?;
        place += 4;
    }
    let size = head.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
    parts.ranges.push(start..place + size);
    if size == 0 {
        return Ok(None);
    }
    let held = bytes(file, place, size, length)?;
    let message: Message<'_> = root_as_message(&held).map_err(|_| implausible())?;
    for pair in message.custom_metadata().into_iter().flatten() {
        parts.note(pair.key().unwrap_or_default(), pair.value().unwrap_or_default());
    }
    if let Some(schema) = message.header_as_schema() {
        notes(parts, &schema);
    }
    let body = place + size;
    let dictionary = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
    if let Some(batch) = message.header_as_record_batch().or(dictionary) {
        for buffer in batch.buffers().into_iter().flatten() {
            let offset = i64::try_from(body).ok().and_then(|body| body.checked_add(buffer.offset()));
            parts.add(offset.ok_or_else(implausible)?, buffer.length())?;
        }
    }
    let size = u64::try_from(message.bodyLength()).map_err(|_| implausible())?;
    Ok(Some(body.checked_add(size).ok_or_else(implausible)?))
}

/// What a schema says besides names and types.
fn notes(parts: &mut Parts, schema: &Schema<'_>) {
    let of_fields =
        schema.fields().into_iter().flatten().filter_map(|field| field.custom_metadata()).flatten();
    for pair in schema.custom_metadata().into_iter().flatten().chain(of_fields) {
        parts.note(pair.key().unwrap_or_default(), pair.value().unwrap_or_default());
    }
}

/// The bytes of a range of the file.
fn bytes(file: &mut File, start: u64, length: u64, end: u64) -> io::Result<Vec<u8>> {
    if start.checked_add(length).is_none_or(|own| own > end) {
        return Err(implausible());
    }
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = vec![0; usize::try_from(length).map_err(|_| implausible())?];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn implausible() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is cut off, or the sizes it declares cannot be true")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    use arrow_ipc::writer::{FileWriter, StreamWriter};
    use parquet::arrow::ArrowWriter;
    use parquet::file::metadata::KeyValue;

    use super::*;

    fn batch() -> RecordBatch {
        let columns = [
            ("n", Arc::new((0..50).collect::<Int64Array>()) as ArrayRef),
            ("word", Arc::new((0..50).map(|at| Some(format!("w{}", at % 7))).collect::<StringArray>())),
        ];
        RecordBatch::try_from_iter(columns).expect("a batch")
    }

    /// The file with text put before its footer, which begins this many bytes before the end.
    fn stuffed(path: &Path, footer: usize) {
        let held = fs::read(path).expect("a file");
        let (front, back) = held.split_at(held.len() - footer);
        fs::write(path, [front, "Anna has the flu. ".repeat(60).as_bytes(), back].concat()).expect("written");
    }

    fn length_at(path: &Path, from_end: usize) -> usize {
        let held = fs::read(path).expect("a file");
        let at = held.len() - from_end;
        u32::from_le_bytes([held[at], held[at + 1], held[at + 2], held[at + 3]]) as usize
    }

    #[test]
    fn hard_use_1_12_bytes_that_nothing_points_at_are_found_in_parquet() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.parquet");
        let write = |note: bool| {
            let file = File::create(&path).expect("a file");
            let mut writer = ArrowWriter::try_new(file, batch().schema(), None).expect("a writer");
            writer.write(&batch()).expect("written");
            if note {
                writer.append_key_value_metadata(KeyValue::new("who".to_string(), "Anna".to_string()));
            }
            writer.close().expect("closed");
        };
        write(true);
        assert_eq!(loose(&path).expect("read"), [Wrapping::Note(b"who=Anna".to_vec())]);
        write(false);
        assert_eq!(loose(&path).expect("read"), []);
        stuffed(&path, length_at(&path, 8) + 8);
        let found = loose(&path).expect("read");
        assert!(matches!(&found[..], [Wrapping::Gap(bytes)] if bytes.starts_with(b"Anna has")), "{found:?}");
    }

    #[test]
    fn hard_use_1_12_bytes_that_nothing_points_at_are_found_in_arrow() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.arrow");
        let write = |batches: usize| {
            let file = File::create(&path).expect("a file");
            let mut writer = FileWriter::try_new(file, &batch().schema()).expect("a writer");
            (0..batches).for_each(|_| writer.write(&batch()).expect("written"));
            writer.finish().expect("finished");
        };
        for batches in [0, 1, 3] {
            write(batches);
            assert_eq!(loose(&path).expect("read"), [], "{batches}");
        }
        stuffed(&path, length_at(&path, 10) + 10);
        assert!(matches!(&loose(&path).expect("read")[..], [Wrapping::Gap(_), ..]));

        let file = File::create(&path).expect("a file");
        let mut writer = FileWriter::try_new(file, &batch().schema()).expect("a writer");
        writer.write_metadata("who", "Anna");
        writer.finish().expect("finished");
        assert_eq!(loose(&path).expect("read"), [Wrapping::Note(b"who=Anna".to_vec())]);

        let mut stream = StreamWriter::try_new(Vec::new(), &batch().schema()).expect("a writer");
        stream.write(&batch()).expect("written");
        let held = stream.into_inner().expect("bytes");
        fs::write(&path, &held).expect("written");
        assert_eq!(loose(&path).expect("read"), []);
        fs::write(&path, [&held[..], b"Anna has the flu"].concat()).expect("written");
        assert!(matches!(&loose(&path).expect("read")[..], [Wrapping::Gap(_)]));
    }
}
