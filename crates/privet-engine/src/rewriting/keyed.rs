//! What derives from a key: pseudonyms, and by how many days a person's dates are moved.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

use privet_core::hash::sha256;
use privet_core::{Result, Secret};
use privet_policy::{DateShift, Normalise, PseudonymPolicy};

/// A key, and how values are spelt before they are hashed.
#[derive(Debug, Clone)]
pub(super) struct Keyed {
    key: Secret,
    length: usize,
    normalise: Normalise,
}

impl Keyed {
    /// Reads the key that a policy names.
    pub fn read(policy: &PseudonymPolicy) -> Result<Keyed> {
        let key = Secret::read(&policy.key)?;
        Ok(Keyed { key, length: policy.length, normalise: policy.normalise })
    }

    /// What tells the key from others.
    pub fn fingerprint(&self) -> String {
        self.key.fingerprint()
    }

    /// The pseudonym of a value.
    pub fn pseudonym(&self, domain: &str, value: &str) -> String {
        let value = self.spelt(value);
        let parts: [&[u8]; 4] = [b"privet pseudonym\0", domain.as_bytes(), b"\0", value.as_bytes()];
        let mut text = base32(&hmac(self.key.bytes(), &parts));
        text.truncate(self.length);
        text
    }

    /// By how many days a person's dates are moved: any number of days within the bound is as likely as any other, and none is
    /// not among them.
    pub fn days(&self, shift: &DateShift, person: &str) -> i64 {
        let unit = if shift.keeps_weekdays { 7 } else { 1 };
        let most = i64::from(shift.days) / unit;
        let choices = 2 * most as u64;
        // A remainder alone would favour small numbers: the last incomplete round is rejected and hashed again.
        let reject_from = u64::MAX - u64::MAX % choices;
        let mut digest = hmac(self.key.bytes(), &[b"privet date", self.spelt(person).as_bytes()]);
        loop {
            let drawn = digest.iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte));
            if drawn < reject_from {
                let choice = (drawn % choices) as i64;
                return unit * if choice < most { choice - most } else { choice - most + 1 };
            }
            digest = hmac(self.key.bytes(), &[&digest]);
        }
    }

    /// The spelling of a value that is hashed.
    fn spelt<'v>(&self, value: &'v str) -> Cow<'v, str> {
        match self.normalise {
            Normalise::Nothing => Cow::Borrowed(value),
            Normalise::Trim => Cow::Borrowed(value.trim()),
            Normalise::Folded => Cow::Owned(value.nfc().collect::<String>().trim().to_lowercase()),
        }
    }
}

/// HMAC-SHA-256 (RFC 2104).
fn hmac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    const BLOCK: usize = 64;
    let mut padded = [0u8; BLOCK];
    match key.len() > BLOCK {
        true => padded[..32].copy_from_slice(&sha256(&[key])),
        false => padded[..key.len()].copy_from_slice(key),
    }
    let (inner, outer) = (padded.map(|byte| byte ^ 0x36), padded.map(|byte| byte ^ 0x5c));
    let mut all: Vec<&[u8]> = vec![&inner];
    all.extend(parts);
    sha256(&[&outer, &sha256(&all)])
}

/// Base 32 (RFC 4648), in small letters and without padding.
fn base32(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let (mut text, mut buffer, mut bits) = (String::new(), 0u32, 0);
    for byte in bytes {
        (buffer, bits) = (buffer << 8 | u32::from(*byte), bits + 8);
        while bits >= 5 {
            bits -= 5;
            text.push(char::from(SIGNS[(buffer >> bits & 31) as usize]));
        }
    }
    if bits > 0 {
        text.push(char::from(SIGNS[(buffer << (5 - bits) & 31) as usize]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::hash::hex;

    #[test]
    fn the_hash_is_the_standards() {
        // RFC 4231, cases 1, 2 and 6.
        for (key, data, digest) in [
            (vec![0x0b; 20], "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (
                b"Jefe".to_vec(),
                "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                vec![0xaa; 131],
                "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ] {
            assert_eq!(hex(&hmac(&key, &[data.as_bytes()])), digest);
            let (start, end) = data.split_at(3);
            assert_eq!(hex(&hmac(&key, &[start.as_bytes(), end.as_bytes()])), digest);
        }
    }

    #[test]
    fn letters_and_digits_are_the_standards() {
        // RFC 4648, section 10.
        for (bytes, text) in
            [("", ""), ("f", "my"), ("fo", "mzxq"), ("foo", "mzxw6"), ("foobar", "mzxw6ytboi")]
        {
            assert_eq!(base32(bytes.as_bytes()), text);
        }
    }

    /// Computed by Python's `hmac` and `base64`.
    #[test]
    fn pseudonyms_and_shifts_are_those_of_another_program() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("study.key");
        std::fs::write(&path, "an example key that everybody can read").expect("written");
        privet_core::platform::make_private(&path).expect("private");
        let keyed = |length, normalise| {
            Keyed::read(&PseudonymPolicy { key: path.clone(), length, normalise }).expect("a key")
        };
        let ann = "o6op53f2uu5hacaizj75mbs2tyihs5kxegd2kspbivhrzmsywvt";
        assert_eq!(keyed(51, Normalise::Trim).pseudonym("patient", " Ann "), ann);
        assert_eq!(keyed(26, Normalise::Nothing).pseudonym("patient", "Ann"), &ann[..26]);
        assert_ne!(keyed(26, Normalise::Nothing).pseudonym("patient", " Ann"), &ann[..26]);
        assert_ne!(keyed(26, Normalise::Trim).pseudonym("doctor", "Ann"), &ann[..26]);
        // An accent of its own, and capitals.
        assert_eq!(
            keyed(26, Normalise::Folded).pseudonym("patient", "JOSE\u{301} "),
            "atrjdy27jmok4ffj7fiwfgga3o"
        );

        let shift = DateShift { days: 180, by: 0, keeps_weekdays: true };
        assert_eq!(keyed(26, Normalise::Trim).days(&shift, "Ann"), 7);
        assert_eq!(keyed(26, Normalise::Trim).days(&shift, "Bob"), -154);
    }
}
