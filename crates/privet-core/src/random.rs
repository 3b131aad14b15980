//! Random choices that derive from a run's key: every purpose has a stream of its own, so that one choice reveals nothing
//! about another, and none depends on threads.

use std::fmt;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest as _, Sha256};

use crate::Digest;

/// What all random choices of a run derive from: the seed together with a digest of the data.
///
/// Seeds are often small or found in a policy that others have seen. The data is what those who attack a release do not have:
/// without all of it they cannot derive the key, even when they know the seed. The digest does not depend on the order of the
/// records, so the same data and seed give the same release.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RunKey(Material);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Material {
    /// A plain number, for choices that publish nothing: samples that attacks and experiments draw.
    Number(u64),
    Derived([u8; 32]),
}

impl RunKey {
    /// The key of a run with this seed on this data.
    pub fn of(seed: u64, data: &Digest) -> RunKey {
        let hash = Sha256::new().chain_update(b"privet: key of a run").chain_update(seed.to_le_bytes());
        RunKey(Material::Derived(hash.chain_update(data.bytes()).finalize().into()))
    }

    /// What a key of data is made of, for workers on other machines. It is a secret. `None` for keys that decide nothing that is
    /// published.
    pub fn material(self) -> Option<[u8; 32]> {
        match self.0 {
            Material::Number(_) => None,
            Material::Derived(bytes) => Some(bytes),
        }
    }

    /// The key that is made of this.
    pub fn of_material(material: [u8; 32]) -> RunKey {
        RunKey(Material::Derived(material))
    }

    fn add_to(self, hash: &mut Sha256) {
        match self.0 {
            Material::Number(number) => hash.update(number.to_le_bytes()),
            Material::Derived(bytes) => hash.update(bytes),
        }
    }
}

impl From<u64> for RunKey {
    /// The key of choices that do not decide what is published.
    fn from(number: u64) -> RunKey {
        RunKey(Material::Number(number))
    }
}

impl fmt::Debug for RunKey {
    /// A key is a secret: logs do not show it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunKey")
    }
}

/// A stream of random numbers for one purpose, derived from the key.
pub fn keyed(key: impl Into<RunKey>, purpose: &str) -> ChaCha20Rng {
    let mut hash = Sha256::new().chain_update(purpose.as_bytes());
    key.into().add_to(&mut hash);
    ChaCha20Rng::from_seed(hash.finalize().into())
}

/// A number for some texts that only holders of the key can compute: equal texts have equal numbers, whatever comes before
/// them.
pub fn number_of<'t>(key: impl Into<RunKey>, purpose: &str, texts: impl IntoIterator<Item = &'t str>) -> u64 {
    let mut hash = Sha256::new().chain_update(purpose.as_bytes());
    key.into().add_to(&mut hash);
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(hash.finalize()).for_each(|(byte, from)| *byte = from);
    u64::from_le_bytes(bytes)
}

/// A uniform number below `bound` (which is not 0), without the bias of a remainder.
pub fn below(random: &mut ChaCha20Rng, bound: u64) -> u64 {
    let reject_from = u64::MAX - u64::MAX % bound;
    loop {
        let number = random.next_u64();
        if number < reject_from {
            return number % bound;
        }
    }
}

/// Puts a list into a random order (Fisher and Yates).
pub fn shuffle<T>(list: &mut [T], random: &mut ChaCha20Rng) {
    for last in (1..list.len()).rev() {
        list.swap(last, below(random, last as u64 + 1) as usize);
    }
}
