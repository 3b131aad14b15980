//! What a compressed file holds beside what it unpacks to. gzip keeps a name, a comment, a time and fields for any use with
//! every member; Zstandard has frames that readers skip.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::GzDecoder;

use super::compression::{open_file, read_error};
use super::format::{Compression, split_compression};
use privet_core::{Error, Result};

/// So much of a skipped frame is looked at.
const MOST_SKIPPED: u64 = 1 << 24;

/// Something that a compressed file holds and no cell of it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrapping {
    /// The name of the file before it was compressed.
    Name(Vec<u8>),
    /// A comment.
    Comment(Vec<u8>),
    /// Fields for any use.
    Extra(Vec<u8>),
    /// When the file was last changed, in seconds since 1970.
    Time(u32),
    /// A frame that readers skip.
    Skipped(Vec<u8>),
}

impl Wrapping {
    /// The bytes that somebody could have put there.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Wrapping::Name(bytes) | Wrapping::Comment(bytes) | Wrapping::Extra(bytes) => bytes,
            Wrapping::Skipped(bytes) => bytes,
            Wrapping::Time(_) => &[],
        }
    }
}

/// What a file holds beside its data, if it is compressed as a whole.
pub fn wrappings(path: &Path) -> Result<Vec<Wrapping>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (_, compression) = split_compression(&name);
    let (file, bytes) = match compression {
        Compression::None => return Ok(Vec::new()),
        _ => open_file(path)?,
    };
    if bytes == 0 {
        return Ok(Vec::new());
    }
    let found = match compression {
        Compression::Gzip => gzip(BufReader::new(file)),
        _ => zstandard(BufReader::new(file)),
    };
    found.map_err(|error| match error.raw_os_error() {
        Some(_) => Error::io("read the file", path, &error),
        None => read_error(path, compression, &error),
    })
}

/// The headers of all members.
fn gzip(mut file: impl BufRead) -> io::Result<Vec<Wrapping>> {
    let mut found = Vec::new();
    while !file.fill_buf()?.is_empty() {
        let mut member = GzDecoder::new(&mut file);
        io::copy(&mut member, &mut io::sink())?;
        let Some(header) = member.header() else { continue };
        let fields = [
            header.filename().map(|name| Wrapping::Name(name.to_vec())),
            header.comment().map(|comment| Wrapping::Comment(comment.to_vec())),
            header.extra().map(|extra| Wrapping::Extra(extra.to_vec())),
            (header.mtime() != 0).then(|| Wrapping::Time(header.mtime())),
        ];
        found.extend(fields.into_iter().flatten());
    }
    Ok(found)
}

/// The frames that are skipped, before, between and after those with data.
fn zstandard(mut file: BufReader<File>) -> io::Result<Vec<Wrapping>> {
    let mut found = Vec::new();
    while !file.fill_buf()?.is_empty() {
        let mut magic = [0; 4];
        file.read_exact(&mut magic)?;
        if magic[0] & 0xf0 == 0x50 && magic[1..] == [0x2a, 0x4d, 0x18] {
            let mut size = [0; 4];
            file.read_exact(&mut size)?;
            let mut frame = file.by_ref().take(u64::from(u32::from_le_bytes(size)));
            let mut held = Vec::new();
            frame.by_ref().take(MOST_SKIPPED).read_to_end(&mut held)?;
            io::copy(&mut frame, &mut io::sink())?;
            found.push(Wrapping::Skipped(held));
        } else {
            file.seek_relative(-4)?;
            let mut frame = zstd::stream::read::Decoder::with_buffer(&mut file)?.single_frame();
            io::copy(&mut frame, &mut io::sink())?;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    #[test]
    fn hard_use_1_12_fields_of_gzip_and_skipped_frames_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.csv.gz");
        let member = |text: &str, builder: flate2::GzBuilder| {
            let mut encoder = builder.write(Vec::new(), flate2::Compression::default());
            encoder.write_all(text.as_bytes()).expect("written");
            encoder.finish().expect("a member")
        };
        let plain = member("a,b\n", flate2::GzBuilder::new());
        fs::write(&path, &plain).expect("written");
        assert_eq!(wrappings(&path).expect("read"), []);
        let full =
            flate2::GzBuilder::new().filename("anna").comment("has flu").extra(b"xx01y".to_vec()).mtime(7);
        // The second member is looked at as well.
        fs::write(&path, [plain, member("1,2\n", full)].concat()).expect("written");
        let expected = [
            Wrapping::Name(b"anna".to_vec()),
            Wrapping::Comment(b"has flu".to_vec()),
            Wrapping::Extra(b"xx01y".to_vec()),
            Wrapping::Time(7),
        ];
        assert_eq!(wrappings(&path).expect("read"), expected);

        let path = folder.path().join("a.csv.zst");
        let data = |text: &str| zstd::encode_all(text.as_bytes(), 0).expect("a frame");
        fs::write(&path, [data("a,b\n"), data("1,2\n")].concat()).expect("written");
        assert_eq!(wrappings(&path).expect("read"), []);
        let skipped = |text: &str| {
            [&[0x5a, 0x2a, 0x4d, 0x18][..], &(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
        };
        fs::write(&path, [skipped("one"), data("a,b\n"), data("1,2\n"), skipped("two")].concat())
            .expect("written");
        let expected = [Wrapping::Skipped(b"one".to_vec()), Wrapping::Skipped(b"two".to_vec())];
        assert_eq!(wrappings(&path).expect("read"), expected);
        assert_eq!(wrappings(&folder.path().join("none.csv")).expect("not compressed"), []);
    }
}
