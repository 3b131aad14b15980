//! Keys for pseudonyms and shifted dates.

use std::path::Path;

use privet_core::secret::{LEAST_BYTES, write_key};
use privet_core::{Error, Result};

/// Draws a key and writes it to a file that only its owner can read. There must be none yet.
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// let path = folder.path().join("study.key");
/// privet::new_key(&path)?;
/// assert!(privet::new_key(&path).is_err());
/// # Ok::<(), privet::Error>(())
/// ```
pub fn new_key(path: &Path) -> Result<()> {
    let mut bytes = [0; LEAST_BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::internal(format!("the system gives no random numbers: {error}")))?;
    write_key(path, &bytes)
}
