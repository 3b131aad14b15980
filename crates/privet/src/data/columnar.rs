//! Tables in Parquet and Arrow files.
use std::path::Path;

use super::format::FileKind;
use super::source::{BatchQueue, SourceColumn};
use crate::{Error, Result};

pub(super) fn open(path: &Path, _kind: FileKind) -> Result<(Vec<SourceColumn>, u64)> {
    Err(Error::input("not yet").in_file(path))
}

pub(super) fn produce(
    path: &Path,
    _kind: FileKind,
    _columns: &[SourceColumn],
    _queue: &BatchQueue,
) -> Result<()> {
    Err(Error::input("not yet").in_file(path))
}
