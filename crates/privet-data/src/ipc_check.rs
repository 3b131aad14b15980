//! A look at the sizes that an Arrow file declares, before its reader allocates what they ask for.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{Block, RecordBatch, root_as_footer, root_as_message};

/// One buffer of one batch may unfold to this many bytes: the most that 32-bit offsets can address.
const BUFFER_BYTES: i64 = 1 << 31;

/// The footer ends in its length (4 bytes) and the magic `ARROW1`.
const TAIL: u64 = 10;

/// Refuses an Arrow file (with a footer) whose declared sizes cannot be true.
pub(super) fn check_file(file: &mut File) -> io::Result<()> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut tail = [0; TAIL as usize];
    file.seek(SeekFrom::Start(length.checked_sub(TAIL).ok_or_else(implausible)?))?;
    file.read_exact(&mut tail)?;
    let footer_length = read_footer_length(tail).map_err(|_| implausible())? as u64;
    let start = (length - TAIL).checked_sub(footer_length).ok_or_else(implausible)?;
    let footer = bytes(file, start, footer_length, length)?;
    let footer = root_as_footer(&footer).map_err(|_| implausible())?;
    let blocks = footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten();
    for block in blocks.copied().collect::<Vec<Block>>() {
        let start = unsigned(block.offset())?;
        let metadata_length = unsigned(block.metaDataLength().into())?;
        let metadata = bytes(file, start, metadata_length, length)?;
        let message = match metadata.get(..4) {
            Some([0xff, 0xff, 0xff, 0xff]) => metadata.get(8..),
            _ => metadata.get(4..),
        };
        let body = start.checked_add(metadata_length).ok_or_else(implausible)?;
        let body_length = unsigned(block.bodyLength())?;
        check_message(file, message.unwrap_or_default(), body, length)?;
        end_of(body, body_length, length)?;
    }
    Ok(())
}

/// Refuses an Arrow stream whose declared sizes cannot be true.
pub(super) fn check_stream(file: &mut File) -> io::Result<()> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut place = 0;
    while place < length {
        let mut word = bytes(file, place, 4, length)?;
        place += 4;
        if word == [0xff; 4] {
            word = bytes(file, place, 4, length)?;
            place += 4;
        }
        let metadata_length = word.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        if metadata_length == 0 {
            break;
        }
        let metadata = bytes(file, place, metadata_length, length)?;
        place += metadata_length;
        place = check_message(file, &metadata, place, length)?;
    }
    Ok(())
}

/// Checks one message whose body begins at `body`, and returns where the body ends.
fn check_message(file: &mut File, message: &[u8], body: u64, length: u64) -> io::Result<u64> {
    let message = root_as_message(message).map_err(|_| implausible())?;
    let end = end_of(body, unsigned(message.bodyLength())?, length)?;
    let dictionary = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
    if let Some(batch) = message.header_as_record_batch().or(dictionary) {
        check_batch(file, &batch, body, end)?;
    }
    Ok(end)
}

fn check_batch(file: &mut File, batch: &RecordBatch<'_>, body: u64, end: u64) -> io::Result<()> {
    if !(0..=i64::from(i32::MAX)).contains(&batch.length()) {
        return Err(implausible());
    }
    if batch.compression().is_none() {
        return Ok(());
    }
    for buffer in batch.buffers().into_iter().flatten() {
        if unsigned(buffer.length())? < 8 {
            continue;
        }
        let start = body.checked_add(unsigned(buffer.offset())?).ok_or_else(implausible)?;
        let prefix = bytes(file, start, 8, end)?;
        let unfolded = prefix.iter().rev().fold(0, |sum: i64, &byte| sum << 8 | i64::from(byte));
        if unfolded > BUFFER_BYTES {
            return Err(implausible());
        }
    }
    Ok(())
}

/// The bytes of a range that must lie before `end`.
fn bytes(file: &mut File, start: u64, length: u64, end: u64) -> io::Result<Vec<u8>> {
    end_of(start, length, end)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = vec![0; usize::try_from(length).map_err(|_| implausible())?];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Where a range ends, which must not be behind `end`.
fn end_of(start: u64, length: u64, end: u64) -> io::Result<u64> {
    start.checked_add(length).filter(|&own| own <= end).ok_or_else(implausible)
}

fn unsigned(number: i64) -> io::Result<u64> {
    u64::try_from(number).map_err(|_| implausible())
}

fn implausible() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is cut off, or the sizes it declares cannot be true")
}
