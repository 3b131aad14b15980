//! Data that cannot be read twice, or not as a table: they are copied once to a private temporary file, which is removed with the
//! last source that reads it.

use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tempfile::TempPath;

use super::compression::recognise;
use privet_core::{Error, Result};

/// A temporary copy.
#[derive(Debug)]
pub(super) struct Spool(TempPath);

impl Spool {
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// A file with what `write` puts there; only its owner may read it.
    pub(super) fn filled(
        extension: &str,
        write: impl FnOnce(&mut BufWriter<std::fs::File>) -> Result<()>,
    ) -> Result<Spool> {
        let trouble =
            |error: io::Error| Error::io("keep the data in a temporary file", std::env::temp_dir(), &error);
        let file =
            tempfile::Builder::new().prefix("privet-").suffix(extension).tempfile().map_err(trouble)?;
        let (file, path) = file.into_parts();
        let mut file = BufWriter::new(file);
        write(&mut file)?;
        file.flush().map_err(trouble)?;
        Ok(Spool(path))
    }
}

/// What was read from standard input, as long as anybody uses it: it is there once.
static STANDARD_INPUT: Mutex<Weak<Spool>> = Mutex::new(Weak::new());

/// Standard input as a file, whose first bytes show its format.
pub(super) fn standard_input() -> Result<Arc<Spool>> {
    let mut known = STANDARD_INPUT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(spool) = known.upgrade() {
        return Ok(spool);
    }
    let trouble = |error: io::Error| Error::io("read the data", Path::new("standard input"), &error);
    let mut input = io::stdin().lock();
    let mut head = Vec::new();
    input.by_ref().take(8).read_to_end(&mut head).map_err(trouble)?;
    let extension = match recognise(&head) {
        Some("gzip data") => ".csv.gz",
        Some("zstd data") => ".csv.zst",
        Some("a Parquet file") => ".parquet",
        Some("an Arrow file" | "an Arrow stream") => ".arrow",
        _ => ".csv",
    };
    let spool = Spool::filled(extension, |file| {
        file.write_all(&head).and_then(|()| io::copy(&mut input, file)).map(drop).map_err(trouble)
    })?;
    let spool = Arc::new(spool);
    *known = Arc::downgrade(&spool);
    Ok(spool)
}
