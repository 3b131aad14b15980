//! Files as bytes, for those who look for what their cells do not show.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::column::page::PageReader;
use parquet::file::serialized_reader::SerializedPageReader;

use super::columnar::{dictionary_values, guarded, uncompressed};
use super::compression::open_regular;
use super::format::{FileKind, Format};
use super::wrapping::wrappings;
use privet_core::{Error, Result};

/// So much of a file is looked at in one piece.
const PIECE: usize = 1 << 22;

/// Two pieces have so much in common: nothing that is shorter falls between them.
const OVERLAP: usize = 1 << 12;

/// Calls `each` with all bytes of a file, unpacked if it is compressed as a whole; with what a compressed file holds in addition;
/// with every page of a Parquet file, unpacked too; and with every value of the dictionaries of an Arrow file, which lie there
/// without anything between them.
pub fn pieces(path: &Path, each: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let kind = FileKind::of_path(path).ok();
    let mut file = match kind {
        Some(kind) => uncompressed(path, kind)?.0,
        None => open_regular(path)?.0,
    };
    wrappings(path)?.iter().try_for_each(|wrapping| each(wrapping.bytes()))?;
    let trouble = |error: std::io::Error| Error::io("read the file", path, &error);
    let mut piece = Vec::new();
    loop {
        let got = (&mut file).take(PIECE as u64).read_to_end(&mut piece).map_err(trouble)?;
        if got == 0 {
            break;
        }
        each(&piece)?;
        piece.drain(..piece.len().saturating_sub(OVERLAP));
    }
    let inside = match kind.map(|kind| kind.format) {
        Some(Format::Parquet) => pages,
        Some(Format::Arrow) => dictionary_values,
        _ => return Ok(()),
    };
    file.seek(SeekFrom::Start(0)).map_err(trouble)?;
    let format = kind.map_or(Format::Arrow, |kind| kind.format);
    guarded(path, format, || inside(file))?.iter().try_for_each(|piece| each(piece))
}

fn pages(file: File) -> std::result::Result<Vec<Vec<u8>>, arrow_schema::ArrowError> {
    let shared = Arc::new(file.try_clone()?);
    let metadata = ParquetRecordBatchReaderBuilder::try_new(file)?.metadata().clone();
    let mut pages = Vec::new();
    for group in metadata.row_groups() {
        let rows = usize::try_from(group.num_rows()).unwrap_or(0);
        for chunk in group.columns() {
            let mut reader = SerializedPageReader::new(Arc::clone(&shared), chunk, rows, None)?;
            while let Some(page) = reader.get_next_page()? {
                pages.push(page.buffer().to_vec());
            }
        }
    }
    Ok(pages)
}
