//! Texts and numbers as bytes, one after the other.

use privet_core::{Error, Result};

/// Adds a text: its length, then its bytes.
pub(super) fn push(to: &mut Vec<u8>, text: &str) {
    number(to, text.len() as u64);
    to.extend_from_slice(text.as_bytes());
}

/// Adds a number.
pub(super) fn number(to: &mut Vec<u8>, number: u64) {
    let mut rest = number;
    // Seven bits a byte; most numbers are small.
    while rest >= 0x80 {
        to.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    to.push(rest as u8);
}

/// Takes apart what was put together.
pub(super) struct Reader<'b>(pub &'b [u8]);

impl<'b> Reader<'b> {
    pub(super) fn take(&mut self, count: usize) -> Result<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(broken)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn number(&mut self) -> Result<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(broken())
    }

    /// A number of things that follow, of at least a byte each.
    pub(super) fn count(&mut self) -> Result<usize> {
        let count = self.number()?;
        usize::try_from(count).ok().filter(|count| *count <= self.0.len()).ok_or_else(broken)
    }

    pub(super) fn small(&mut self) -> Result<u32> {
        u32::try_from(self.number()?).map_err(|_| broken())
    }

    pub(super) fn text(&mut self) -> Result<&'b str> {
        let length = self.count()?;
        std::str::from_utf8(self.take(length)?).map_err(|_| broken())
    }

    /// As many of them as a number says that stands before them.
    pub(super) fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let count = self.count()?;
        (0..count).map(|_| one(self)).collect()
    }

    pub(super) fn end(&self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(broken()) }
    }
}

/// Adds a list: how many there are, then each.
pub(super) fn list<T>(to: &mut Vec<u8>, things: &[T], mut one: impl FnMut(&mut Vec<u8>, &T)) {
    number(to, things.len() as u64);
    things.iter().for_each(|thing| one(to, thing));
}

pub(super) fn broken() -> Error {
    Error::input("these bytes are not what a worker of this version of Privet wrote")
        .help("install the same version of privet on all machines")
}
