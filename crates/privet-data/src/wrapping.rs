//! What a compressed file holds in addition to what it unpacks to. gzip keeps a name, a comment, a time and fields for any use with
//! every member; Zstandard has frames that readers skip.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::GzDecoder;

use super::compression::{open_file, read_error};
use super::format::{Compression, FileKind, split_compression};
use super::loose::loose;
use privet_core::{Error, Result};

/// So much of a skipped frame is looked at.
const MOST_SKIPPED: u64 = 1 << 24;
/// After this many findings there is no need to look for more.
const MOST_FOUND: usize = 1000;

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
    /// More members or frames than one: their number. Where one ends and the next begins could mark rows.
    Parts(u64),
    /// A header whose flags or numbers are not what compressors write.
    Header(Vec<u8>),
    /// Bytes that belong to no part of the file.
    Gap(Vec<u8>),
    /// A note with a key, which no column needs.
    Note(Vec<u8>),
}

impl Wrapping {
    /// The bytes that somebody could have put there.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Wrapping::Name(bytes) | Wrapping::Comment(bytes) | Wrapping::Extra(bytes) => bytes,
            Wrapping::Skipped(bytes) | Wrapping::Header(bytes) | Wrapping::Gap(bytes) => bytes,
            Wrapping::Note(bytes) => bytes,
            Wrapping::Time(_) | Wrapping::Parts(_) => &[],
        }
    }
}

/// Whether a file holds its cells in something else than plain text.
pub fn is_packed(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    split_compression(&name).1 != Compression::None
        || FileKind::of_path(path).is_ok_and(|kind| !kind.is_plain())
}

/// What a file holds in addition to its data, if it is compressed as a whole, or a Parquet or Arrow file.
pub fn wrappings(path: &Path) -> Result<Vec<Wrapping>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (_, compression) = split_compression(&name);
    let (file, bytes) = match compression {
        Compression::None => return loose(path),
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
fn gzip(mut file: BufReader<File>) -> io::Result<Vec<Wrapping>> {
    let mut found = Vec::new();
    let mut head = [0; 10];
    file.read_exact(&mut head)?;
    file.seek_relative(-10)?;
    // A name may be there, for it is the one that everybody sees; comments and further fields are found below.
    let [.., flags, _, _, _, _, level, system] = head;
    const KNOWN_FIELDS: u8 = 0b0001_1100;
    if flags & !KNOWN_FIELDS != 0 || ![0, 2, 4].contains(&level) || ![0, 3, 7, 11, 255].contains(&system) {
        found.push(Wrapping::Header(vec![flags, level, system]));
    }
    let mut members = 0u64;
    while !file.fill_buf()?.is_empty() {
        members += 1;
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
        // The first of each kind will do, however many members there are.
        if found.len() > MOST_FOUND {
            break;
        }
    }
    found.extend((members > 1).then_some(Wrapping::Parts(members)));
    Ok(found)
}

/// The frames that are skipped, before, between and after those with data.
fn zstandard(mut file: BufReader<File>) -> io::Result<Vec<Wrapping>> {
    let mut found = Vec::new();
    let mut frames = 0u64;
    while !file.fill_buf()?.is_empty() && found.len() <= MOST_FOUND {
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
            let mut descriptor = [0];
            file.read_exact(&mut descriptor)?;
            // Bits without a meaning, or the number of a dictionary.
            if descriptor[0] & 0b0001_1011 != 0 {
                found.push(Wrapping::Header(descriptor.to_vec()));
            }
            frames += 1;
            file.seek_relative(-5)?;
            let mut frame = zstd::stream::read::Decoder::with_buffer(&mut file)?.single_frame();
            io::copy(&mut frame, &mut io::sink())?;
        }
    }
    found.extend((frames > 1).then_some(Wrapping::Parts(frames)));
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
        // Bytes of the header that nobody looks at.
        for (at, odd) in [(3, 0x20), (3, 0x01), (8, 9), (9, 77)] {
            let mut marked = plain.clone();
            marked[at] = odd;
            fs::write(&path, marked).expect("written");
            let found = wrappings(&path);
            assert!(found.as_ref().map_or(true, |found| found.len() == 1), "{at}: {found:?}");
        }
        // Members without a single byte, one after the other.
        let empty = member("", flate2::GzBuilder::new());
        fs::write(&path, [plain.clone(), empty.repeat(20)].concat()).expect("written");
        assert_eq!(wrappings(&path).expect("read"), [Wrapping::Parts(21)]);
        let full =
            flate2::GzBuilder::new().filename("anna").comment("has flu").extra(b"xx01y".to_vec()).mtime(7);
        // The second member is looked at as well.
        fs::write(&path, [plain, member("1,2\n", full)].concat()).expect("written");
        let expected = [
            Wrapping::Name(b"anna".to_vec()),
            Wrapping::Comment(b"has flu".to_vec()),
            Wrapping::Extra(b"xx01y".to_vec()),
            Wrapping::Time(7),
            Wrapping::Parts(2),
        ];
        assert_eq!(wrappings(&path).expect("read"), expected);

        let path = folder.path().join("a.csv.zst");
        let data = |text: &str| zstd::encode_all(text.as_bytes(), 0).expect("a frame");
        fs::write(&path, data("a,b\n")).expect("written");
        assert_eq!(wrappings(&path).expect("read"), []);
        fs::write(&path, [data("a,b\n"), data("1,2\n")].concat()).expect("written");
        assert_eq!(wrappings(&path).expect("read"), [Wrapping::Parts(2)]);
        let skipped = |text: &str| {
            [&[0x5a, 0x2a, 0x4d, 0x18][..], &(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
        };
        fs::write(&path, [skipped("one"), data("a,b\n"), data("1,2\n"), skipped("two")].concat())
            .expect("written");
        let expected =
            [Wrapping::Skipped(b"one".to_vec()), Wrapping::Skipped(b"two".to_vec()), Wrapping::Parts(2)];
        assert_eq!(wrappings(&path).expect("read"), expected);
        assert_eq!(wrappings(&folder.path().join("none.csv")).expect("not compressed"), []);
    }
}
