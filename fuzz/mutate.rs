//! Damage: inputs that are nearly right.

/// An input: the bytes, and the ending of the file that they are to be read as.
#[derive(Debug, Clone)]
pub struct Input {
    pub bytes: Vec<u8>,
    pub ending: &'static str,
}

/// Made-up numbers, the same ones in every run (xorshift64*).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `sides`, which must not be zero.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % sides
    }
}

/// Bytes and runs of bytes that readers stumble over.
const NASTY: [&[u8]; 22] = [
    b"\0",
    b"\xff",
    b"\xff\xff\xff\x7f",
    b"\xff\xff\xff\xff",
    b"\x80\x80\x80\x80\x08",
    b"\0\0\0\x80",
    b"\"",
    b"\"\"",
    b"\r",
    b"\n",
    b"\r\n",
    b"'=1",
    b"=1+1",
    b"-1e400",
    b"nan",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\xc0\xaf",
    b"\xe2\x80\xae",
    b"\xcc\x81",
    b"*",
    b"9999999999999999999999",
];

/// A member of the corpus with one to six things done to it.
pub fn mutated(corpus: &[Input], words: &[&str], dice: &mut Dice) -> Input {
    let mut input = corpus[dice.roll(corpus.len())].clone();
    for _ in 0..=dice.roll(6) {
        change(&mut input.bytes, corpus, words, dice);
    }
    input.bytes.truncate(super::LONGEST);
    input
}

fn change(bytes: &mut Vec<u8>, corpus: &[Input], words: &[&str], dice: &mut Dice) {
    let at = dice.roll(bytes.len() + 1);
    let length = 1 + dice.roll(8);
    let end = (at + length).min(bytes.len());
    match dice.roll(9) {
        0 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << dice.roll(8);
            }
        }
        1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = dice.roll(256) as u8;
            }
        }
        2 => drop(bytes.drain(at..end)),
        3 => drop(bytes.splice(at..at, NASTY[dice.roll(NASTY.len())].iter().copied())),
        4 => drop(bytes.splice(at..end, NASTY[dice.roll(NASTY.len())].iter().copied())),
        5 if !words.is_empty() => {
            let word = words[dice.roll(words.len())].as_bytes();
            drop(bytes.splice(at..if dice.roll(2) == 0 { at } else { end }, word.iter().copied()));
        }
        // A stretch again, somewhere else.
        6 => {
            let from = dice.roll(bytes.len() + 1);
            let stretch = bytes[from..(from + dice.roll(64)).min(bytes.len())].to_vec();
            drop(bytes.splice(at..at, stretch));
        }
        // The rest from another member.
        7 => {
            let other = &corpus[dice.roll(corpus.len())].bytes;
            let from = dice.roll(other.len() + 1);
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
        }
        _ => bytes.truncate(at),
    }
}
