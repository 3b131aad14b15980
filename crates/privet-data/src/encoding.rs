//! Encodings of text files. Behind this module all text is UTF-8.
//!
//! A byte order mark decides, and so does every second byte being zero (UTF-16). Else text is UTF-8 if its bytes are. If they are
//! not, the letters tell which of the older encodings it is; a few letters are taken for those of Western Europe. A file may be
//! ASCII for long before a letter shows which it is, so the decision can come late; all of them agree about what was read until
//! then.

use std::fmt;
use std::io::{self, Read};
use std::sync::{Arc, OnceLock};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

use encoding_rs::{Decoder, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use privet_core::{Error, Result};

/// The bytes from the first one on that is not ASCII that decide.
const LOOK: usize = 1 << 16;

/// Bytes that are decoded at once.
const CHUNK: usize = 1 << 16;

/// How characters are bytes in a text file.
///
/// ```
/// use privet_data::Encoding;
/// assert_eq!(Encoding::named("latin1")?.to_string(), "windows-1252");
/// assert!(Encoding::named("klingon").is_err());
/// # Ok::<(), privet_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding(&'static encoding_rs::Encoding);

impl Encoding {
    /// UTF-8.
    pub const UTF_8: Encoding = Encoding(UTF_8);

    /// The encoding of a name, as the standard of the Web has them: `utf-8`, `utf-16le`, `latin1`, `windows-1250`, `shift_jis`.
    /// Spellings with other hyphens are known too.
    pub fn named(name: &str) -> Result<Encoding> {
        let plain = name.trim().to_lowercase().replace('_', "-").replace("latin-", "latin");
        encoding_rs::Encoding::for_label(plain.as_bytes())
            .filter(|found| *found != encoding_rs::REPLACEMENT)
            .map(Encoding)
            .ok_or_else(|| {
                Error::input(format!("'{name}' is not an encoding that is known"))
                    .help("usual are utf-8, utf-16le, utf-16be, windows-1252 (Latin-1), windows-1250 and iso-8859-15")
            })
    }

    /// What a text's first bytes show; `None` where they are ASCII, so that all are possible. Only UTF-16 is looked for where
    /// what is not UTF-8 is replaced anyway.
    pub(super) fn detect(head: &[u8], complete: bool, lossy: bool) -> Option<Encoding> {
        match head {
            [0xef, 0xbb, 0xbf, ..] => Some(Encoding::UTF_8),
            [0xff, 0xfe, ..] => Some(Encoding(UTF_16LE)),
            [0xfe, 0xff, ..] => Some(Encoding(UTF_16BE)),
            _ => match zeros(head) {
                Some(encoding) => Some(encoding),
                None if lossy => Some(Encoding::UTF_8),
                None => {
                    let start = head.iter().position(|byte| !byte.is_ascii())?;
                    let end = head.len().min(start + LOOK);
                    Some(judged(&head[start..end], complete && end == head.len()))
                }
            },
        }
    }

    /// The text of some bytes, as far as they go.
    pub(super) fn decoded(self, bytes: Vec<u8>) -> Vec<u8> {
        if self == Encoding::UTF_8 {
            return bytes;
        }
        let mut text = Vec::new();
        // Faults are reported when the rows are read.
        let _ = decode(&mut self.0.new_decoder_with_bom_removal(), &bytes, &mut text, false);
        text
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name().to_ascii_lowercase())
    }
}

/// UTF-16 without a byte order mark: in text of any Western language most of the upper bytes are zero, and no lower byte is.
fn zeros(head: &[u8]) -> Option<Encoding> {
    let head = &head[..head.len().min(1 << 12) & !1];
    let zeros = |from: usize| head.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let many = |count: usize| count > 1 && 3 * count > head.len() / 2;
    match (zeros(0), zeros(1)) {
        (0, upper) if many(upper) => Some(Encoding(UTF_16LE)),
        (upper, 0) if many(upper) => Some(Encoding(UTF_16BE)),
        _ => None,
    }
}

/// Fewer letters that are not ASCII do not tell the older encodings apart.
const TELLING: usize = 12;

/// The older encoding that letters speak for, if there are enough of them and all bytes mean something in it.
fn older(bytes: &[u8], complete: bool) -> Option<Encoding> {
    if bytes.iter().filter(|byte| !byte.is_ascii()).count() < TELLING {
        return None;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, complete);
    let guess = detector.guess(None, Utf8Detection::Deny);
    // The end of the sample may cut a character.
    let whole = if complete { bytes.len() } else { bytes.iter().rposition(|byte| *byte == b'\n')? };
    guess.decode_without_bom_handling_and_without_replacement(&bytes[..whole]).map(|_| Encoding(guess))
}

/// UTF-8 or an older encoding. What is neither for sure counts as UTF-8, so that the line with the fault is named.
fn judged(bytes: &[u8], complete: bool) -> Encoding {
    let (mut rest, mut characters, mut faults) = (bytes, 0usize, 0usize);
    loop {
        let (valid, fault) = match std::str::from_utf8(rest) {
            Ok(valid) => (valid, None),
            Err(error) => {
                let valid = std::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default();
                (
                    valid,
                    error.error_len().or(complete.then_some(1)).map(|length| error.valid_up_to() + length),
                )
            }
        };
        characters += valid.chars().filter(|sign| !sign.is_ascii()).count();
        let Some(after) = fault else { break };
        faults += 1;
        rest = &rest[after.min(rest.len())..];
    }
    if faults == 0 || characters > 0 {
        return Encoding::UTF_8;
    }
    // Bytes that mean nothing, and letters before signs: characters of UTF-8 that were damaged look like this.
    let undefined = bytes.iter().any(|byte| [0x81, 0x8d, 0x8f, 0x90, 0x9d].contains(byte));
    let high = bytes.iter().filter(|byte| **byte >= 0x80).count();
    let pairs = bytes.windows(2).filter(|pair| pair[0] >= 0xc0 && (0x80..0xc0).contains(&pair[1])).count();
    let is_western = !undefined && 4 * pairs <= high;
    match older(bytes, complete) {
        Some(found) => found,
        None if is_western => Encoding(WINDOWS_1252),
        None => Encoding::UTF_8,
    }
}

fn decode(decoder: &mut Decoder, mut bytes: &[u8], text: &mut Vec<u8>, last: bool) -> io::Result<()> {
    let most = decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len() * 3 + 16);
    let mut at = text.len();
    text.resize(at + most, 0);
    let (mut bad, mut done) = (false, false);
    while !done {
        let (result, read, written, had_errors) = decoder.decode_to_utf8(bytes, &mut text[at..], last);
        (bytes, at, bad) = (&bytes[read..], at + written, bad | had_errors);
        done = result == encoding_rs::CoderResult::InputEmpty;
        if !done {
            text.resize(text.len() + bytes.len() * 3 + 16, 0);
        }
    }
    text.truncate(at);
    match bad {
        false => Ok(()),
        true => {
            let name = Encoding(decoder.encoding());
            Err(io::Error::new(io::ErrorKind::InvalidData, format!("the text is not all {name}")))
        }
    }
}

/// Hands out UTF-8, whatever the bytes below are.
pub(super) struct Utf8<R> {
    input: R,
    mode: Mode,
    /// What was looked at or decoded and not handed out yet.
    ready: Vec<u8>,
    at: usize,
    /// The older encoding that a late decision went for.
    late: Arc<OnceLock<Encoding>>,
}

enum Mode {
    Undecided,
    Passing,
    Decoding(Decoder),
    Ended,
}

impl<R: Read> Utf8<R> {
    /// `None` for text that was ASCII as far as anybody looked. If it turns out to be in an older encoding, that is set.
    pub(super) fn new(input: R, encoding: Option<Encoding>) -> (Utf8<R>, Arc<OnceLock<Encoding>>) {
        let mode = match encoding {
            None => Mode::Undecided,
            Some(known) if known == Encoding::UTF_8 => Mode::Passing,
            Some(Encoding(other)) => Mode::Decoding(other.new_decoder_with_bom_removal()),
        };
        let late = Arc::new(OnceLock::new());
        (Utf8 { input, mode, ready: Vec::new(), at: 0, late: Arc::clone(&late) }, late)
    }

    /// Reads into the buffer; what is not ASCII for the first time is looked at more closely.
    fn undecided(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let read = self.input.read(buffer)?;
        let Some(start) = buffer[..read].iter().position(|byte| !byte.is_ascii()) else {
            return Ok(Some(read));
        };
        let mut pending = buffer[..read].to_vec();
        let lacking = (start + LOOK).saturating_sub(read) as u64;
        let more = (&mut self.input).take(lacking).read_to_end(&mut pending)?;
        let end = pending.len().min(start + LOOK);
        match judged(&pending[start..end], (more as u64) < lacking) {
            found if found == Encoding::UTF_8 => (self.mode, self.ready) = (Mode::Passing, pending),
            Encoding(other) => {
                let _ = self.late.set(Encoding(other));
                let mut decoder = other.new_decoder_without_bom_handling();
                decode(&mut decoder, &pending, &mut self.ready, false)?;
                self.mode = Mode::Decoding(decoder);
            }
        }
        Ok(None)
    }
}

impl<R: Read> Read for Utf8<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.at < self.ready.len() {
                let count = buffer.len().min(self.ready.len() - self.at);
                buffer[..count].copy_from_slice(&self.ready[self.at..self.at + count]);
                self.at += count;
                return Ok(count);
            }
            (self.at, self.ready) = (0, Vec::new());
            match &mut self.mode {
                Mode::Passing => return self.input.read(buffer),
                Mode::Ended => return Ok(0),
                Mode::Undecided => {
                    if let Some(read) = self.undecided(buffer)? {
                        return Ok(read);
                    }
                }
                Mode::Decoding(decoder) => {
                    let mut chunk = Vec::with_capacity(CHUNK);
                    let read = (&mut self.input).take(CHUNK as u64).read_to_end(&mut chunk)?;
                    decode(decoder, &chunk, &mut self.ready, read < CHUNK)?;
                    if read < CHUNK {
                        self.mode = Mode::Ended;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn encoded(text: &str, encoding: &str) -> Vec<u8> {
        match encoding {
            "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            "utf-16be" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            "windows-1252" => WINDOWS_1252.encode(text).0.into_owned(),
            _ => text.as_bytes().to_vec(),
        }
    }

    fn through(bytes: &[u8], encoding: Option<Encoding>) -> String {
        let mut text = String::new();
        Utf8::new(bytes, encoding).0.read_to_string(&mut text).expect("text");
        text
    }

    #[test]
    fn encodings_are_recognised() {
        let text = "Straße;Jürgen;München\nCafé;año;«où»\n";
        for name in ["utf-8", "utf-16le", "utf-16be", "windows-1252"] {
            let bytes = encoded(text, name);
            let found = Encoding::detect(&bytes, true, false).expect("not ASCII");
            assert_eq!(found.to_string(), name);
            assert_eq!(through(&bytes, Some(found)), text, "{name}");
            assert_eq!(found.decoded(bytes), text.as_bytes());
        }
        let with_mark = encoded(&format!("\u{feff}{text}"), "utf-16le");
        assert_eq!(through(&with_mark, Encoding::detect(&with_mark, true, false)), text);
        assert_eq!(Encoding::detect(b"age,sex\n34,m\n", true, false), None);
        assert_eq!(Encoding::detect(b"a\0,b\n", true, false), None, "one zero does not make UTF-16");
    }

    #[test]
    fn older_encodings_are_told_apart_by_their_letters() {
        let rows = |names: &[&str]| {
            format!("name;city\n{}", names.iter().map(|name| format!("{name}\n")).collect::<String>())
        };
        for (encoding, text) in [
            (
                "windows-1251",
                rows(&["Анна Иванова;Москва", "Борис Петров;Санкт-Петербург", "Ольга Смирнова;Казань"]),
            ),
            (
                "windows-1250",
                rows(&["Łukasz Żółć;Łódź", "Małgorzata Wiśniewska;Kraków", "Stanisław Dąbrowski;Gdańsk"]),
            ),
            ("windows-1253", rows(&["Γεώργιος Παπαδόπουλος;Αθήνα", "Ελένη Νικολάου;Θεσσαλονίκη"])),
            ("windows-1254", rows(&["Gülşah Yıldız;İstanbul", "Çağrı Öztürk;Muğla", "Ayşe Işık;Şanlıurfa"])),
            (
                "windows-1252",
                rows(&[
                    "Jürgen Müller;Köln",
                    "José Núñez;Málaga",
                    "Zoë Brontë;Besançon",
                    "Søren Ångström;Århus",
                ]),
            ),
        ] {
            let known = encoding_rs::Encoding::for_label(encoding.as_bytes()).expect("an encoding");
            let bytes = known.encode(&text).0.into_owned();
            let found = Encoding::detect(&bytes, true, false).expect("not ASCII");
            assert_eq!(found.to_string(), encoding);
            assert_eq!(through(&bytes, None), text, "{encoding}");
        }
    }

    #[test]
    fn damaged_utf_8_is_not_taken_for_something_else() {
        let damaged: [&[u8]; 5] =
            [b"\xed\xa0\x80", b"\xc0\xaf", b"caf\xc3\xa9 caf\xe9", b"\x81\xff", b"\xe2\x82 \xe2\x82"];
        for bytes in damaged {
            assert_eq!(Encoding::detect(bytes, true, false), Some(Encoding::UTF_8), "{bytes:?}");
        }
        // A character that the end of the sample cuts is not damaged.
        assert_eq!(Encoding::detect(b"caf\xc3", false, false), Some(Encoding::UTF_8));
        assert_eq!(Encoding::detect(b"caf\xc3", true, false), Some(Encoding(WINDOWS_1252)));
        assert_eq!(Encoding::detect(b"caf\xe9", true, true), Some(Encoding::UTF_8), "logs replace it");
        let mut text = String::new();
        let broken =
            Utf8::new(&b"\xff\xfe"[..], Some(Encoding(encoding_rs::SHIFT_JIS))).0.read_to_string(&mut text);
        assert!(broken.is_err());
    }

    proptest! {
        /// Text comes through in every encoding, wherever the first letter is that is not ASCII.
        #[test]
        fn text_comes_through(ascii in 0usize..200_000, letters in "[ \\n][a-zäöüéèñçß]{1,20}[a-z ]") {
            let text = format!("{}{letters}", "a".repeat(ascii));
            for name in ["utf-8", "windows-1252"] {
                let bytes = encoded(&text, name);
                let unusual = letters.is_ascii() || Encoding::detect(&bytes, true, false).map(|e| e.to_string()).as_deref() == Some(name);
                if unusual {
                    prop_assert_eq!(&through(&bytes, None), &text, "{}", name);
                }
            }
            for name in ["utf-16le", "utf-16be"] {
                prop_assert_eq!(&through(&encoded(&text, name), Encoding::named(name).ok()), &text);
            }
        }
    }
}
