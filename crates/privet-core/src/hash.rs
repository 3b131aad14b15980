//! SHA-256 of files and texts, in hexadecimal.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::{Error, Result};

/// The SHA-256 of a file.
pub fn sha256_of(path: &Path) -> Result<String> {
    let digest = || -> io::Result<String> {
        let mut file = File::open(path)?;
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(hex(&hash.finalize())),
                read => hash.update(&buffer[..read]),
            }
        }
    };
    digest().map_err(|error| Error::io("read", path, &error))
}

/// The SHA-256 of a text.
///
/// ```
/// let hash = privet_core::hash::sha256_of_text("abc");
/// assert!(hash.starts_with("ba7816bf"));
/// ```
pub fn sha256_of_text(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// The SHA-256 of bytes, part after part.
pub fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
