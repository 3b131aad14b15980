//! A key that only its owner has: what pseudonyms and the shifts of dates derive from.

use std::fmt;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use crate::{Error, Result, hash, platform};

/// A key has at least this many bytes.
pub const LEAST_BYTES: usize = 32;

/// Larger files hold something else.
const MOST_BYTES: u64 = 1 << 16;

/// The bytes of a key. They are never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Reads a key file, which is the key: all of its bytes. It must be long enough, and nobody but its owner may read it.
    pub fn read(path: &Path) -> Result<Secret> {
        let make = || format!("make a key: `privet key new {}`", path.display());
        let failed = |error: std::io::Error| Error::io("read the key", path, &error).help(make());
        let mut file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(Error::input("the key is not a file").in_file(path).help(make()));
        }
        if platform::is_shared(&metadata) {
            let mode = platform::rights_of(&metadata);
            return Err(Error::input(format!("others than its owner may read or change the key{mode}"))
                .in_file(path)
                .help(format!("chmod 600 {}", path.display())));
        }
        if metadata.len() > MOST_BYTES {
            return Err(Error::input("the key file is too large to be a key").in_file(path).help(make()));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() < LEAST_BYTES {
            return Err(Error::input(format!(
                "the key has {}; it needs at least {LEAST_BYTES}",
                crate::counted(bytes.len() as u64, "byte", "bytes")
            ))
            .in_file(path)
            .help(make()));
        }
        Ok(Secret(bytes))
    }

    /// The key itself.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// What tells keys apart and reveals nothing about them: the first sixteen digits of a SHA-256.
    pub fn fingerprint(&self) -> String {
        let mut print = hash::hex(&hash::sha256(&[b"privet key\0", &self.0]));
        print.truncate(16);
        print
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Writes a new key, given random bytes, where no file is yet; only its owner can read it.
pub fn write_key(path: &Path, random: &[u8; LEAST_BYTES]) -> Result<()> {
    use std::io::Write as _;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|error| Error::writing("create the directory", folder, &error))?;
    }
    let mut options = fs::OpenOptions::new();
    let opened = platform::private(options.write(true).create_new(true)).open(path);
    let mut file = opened.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Error::input("there is such a file already")
            .in_file(path)
            .help("name another one: without a key, nobody can make its pseudonyms again"),
        _ => Error::writing("write the key", path, &error),
    })?;
    // Digits survive being copied and printed; there are twice as many of them as bytes.
    let written = file.write_all(hash::hex(random).as_bytes()).and_then(|()| file.sync_all());
    written.map_err(|error| {
        let _ = fs::remove_file(path);
        Error::writing("write the key", path, &error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_long_and_private() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("keys").join("own.key");
        assert!(Secret::read(&path).expect_err("none").message().contains("read the key"));
        write_key(&path, &[7; LEAST_BYTES]).expect("written");
        let key = Secret::read(&path).expect("a key");
        assert_eq!(key.bytes().len(), 64);
        assert_eq!(key.fingerprint().len(), 16);
        assert_eq!(format!("{key:?}"), "Secret");
        assert!(write_key(&path, &[7; LEAST_BYTES]).is_err());

        let short = folder.path().join("short.key");
        fs::write(&short, "password").expect("written");
        platform::make_private(&short).expect("private");
        let error = Secret::read(&short).expect_err("short");
        assert!(error.message().contains("8 bytes") && !error.to_string().contains("password"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_others_may_read_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("own.key");
        fs::write(&path, [1; 40]).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("set");
        let error = Secret::read(&path).expect_err("shared");
        assert!(error.message().contains("0640"), "{error}");
    }
}
