//! Seeded choices in integer arithmetic, so that every platform makes the same people.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A seeded stream of choices.
pub struct Draw(ChaCha8Rng);

impl Draw {
    /// The stream of a seed. The key is spelt out here because no library promises its own way from a number to a
    /// key for ever, and the example's bytes must not change.
    pub fn new(seed: u64) -> Draw {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Draw(ChaCha8Rng::from_seed(key))
    }

    /// A number below `bound`. Its bias of at most `bound` in 2³² does not matter to made-up people.
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.0.next_u32()) * u64::from(bound)) >> 32) as u32
    }

    /// A position in `weights`, as often as its weight says.
    pub fn pick(&mut self, weights: &[u16]) -> u8 {
        let total: u32 = weights.iter().map(|weight| u32::from(*weight)).sum();
        let mut rest = self.below(total);
        for (position, weight) in weights.iter().enumerate() {
            match rest.checked_sub(u32::from(*weight)) {
                Some(less) => rest = less,
                None => return position as u8,
            }
        }
        0
    }

    /// Yes, in `permille` of a thousand cases.
    pub fn chance(&mut self, permille: i32) -> bool {
        (self.below(1000) as i32) < permille
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_of_zero_is_never_picked_and_the_others_are() {
        let mut draw = Draw::new(1);
        let mut seen = [0; 4];
        for _ in 0..1000 {
            seen[usize::from(draw.pick(&[3, 0, 1, 0]))] += 1;
        }
        assert_eq!((seen[1], seen[3]), (0, 0));
        assert!((700..800).contains(&seen[0]), "{seen:?}");
    }

    #[test]
    fn the_stream_of_a_seed_never_changes() {
        let mut draw = Draw::new(7);
        let first: Vec<u32> = (0..6).map(|_| draw.below(1000)).collect();
        assert_eq!(first, STREAM_OF_SEVEN);
    }

    const STREAM_OF_SEVEN: [u32; 6] = [172, 764, 916, 465, 447, 5];
}
