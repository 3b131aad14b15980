//! Random choices that derive from a run's seed: every purpose has a stream of its own, so that one choice tells nothing
//! about another, and none depends on threads.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// A stream of random numbers for one purpose, derived from the seed.
pub fn keyed(seed: u64, purpose: &str) -> ChaCha20Rng {
    let digest = Sha256::new().chain_update(purpose.as_bytes()).chain_update(seed.to_le_bytes()).finalize();
    ChaCha20Rng::from_seed(digest.into())
}

/// A number for some texts which only the seed tells: texts that are the same have the same, whatever comes before them.
pub fn number_of<'t>(seed: u64, purpose: &str, texts: impl IntoIterator<Item = &'t str>) -> u64 {
    let mut hash = Sha256::new().chain_update(purpose.as_bytes()).chain_update(seed.to_le_bytes());
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
