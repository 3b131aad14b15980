//! Numbers for tuples: equal tuples get equal numbers.

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

/// Keys of up to this many bits are looked up in a plain vector.
const DIRECT: u32 = 20;

/// Numbers rows, in the order in which they come, so that rows whose codes agree in all columns get the same number.
#[derive(Debug)]
pub struct Numbering {
    keys: Vec<u64>,
    bits: u32,
}

impl Numbering {
    /// No row has a number yet.
    pub fn new(rows: usize) -> Numbering {
        Numbering { keys: vec![0; rows], bits: 0 }
    }

    /// Lets a column with codes below `limit` count.
    pub fn column(&mut self, limit: usize, codes: impl Iterator<Item = u32>) {
        let bits = usize::BITS - limit.saturating_sub(1).leading_zeros();
        if bits == 0 {
            return;
        }
        if self.bits + bits > u64::BITS {
            let (numbers, count) = self.intern();
            self.keys.iter_mut().zip(numbers).for_each(|(key, number)| *key = u64::from(number));
            self.bits = u32::BITS - (count as u32).leading_zeros();
        }
        for (key, code) in self.keys.iter_mut().zip(codes) {
            *key = *key << bits | u64::from(code);
        }
        self.bits += bits;
    }

    /// The number of every row, and how many there are.
    pub fn finish(self) -> (Vec<u32>, usize) {
        self.intern()
    }

    fn intern(&self) -> (Vec<u32>, usize) {
        let mut next = 0u32;
        let mut fresh = || {
            next += 1;
            next - 1
        };
        let numbers = if self.bits <= DIRECT {
            let mut known = vec![u32::MAX; 1 << self.bits];
            let number = |key: &u64| {
                let slot = &mut known[*key as usize];
                if *slot == u32::MAX {
                    *slot = fresh();
                }
                *slot
            };
            self.keys.iter().map(number).collect()
        } else {
            let mut known: HashMap<u64, u32, RandomState> = HashMap::default();
            let number = |key: &u64| match known.entry(*key) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => *entry.insert(fresh()),
            };
            self.keys.iter().map(number).collect()
        };
        (numbers, next as usize)
    }
}

/// The rows of `order` put into buckets, each keeping the order; and where the buckets begin.
pub fn bucket(
    order: impl Iterator<Item = u32> + Clone,
    of: impl Fn(u32) -> u32,
    buckets: usize,
) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; buckets + 1];
    for row in order.clone() {
        starts[of(row) as usize + 1] += 1;
    }
    for at in 0..buckets {
        starts[at + 1] += starts[at];
    }
    let mut next = starts.clone();
    let mut sorted = vec![0; starts[buckets] as usize];
    for row in order {
        let slot = &mut next[of(row) as usize];
        sorted[*slot as usize] = row;
        *slot += 1;
    }
    (sorted, starts)
}

/// Fewer codes than this are sorted by comparing them.
const FEW: usize = 1 << 9;
/// Digits have at most this many bits, so that what is counted per digit stays in the nearest cache.
const DIGIT: u32 = 11;

/// Sorts rows, given as codes below `space` with rising rows, by their codes; rows of equal codes keep their order.
pub fn sort_codes(mut codes: Vec<(u64, u32)>, space: u64) -> Vec<(u64, u32)> {
    if codes.is_sorted() {
        return codes;
    }
    if codes.len() < FEW {
        codes.sort_unstable();
        return codes;
    }
    let bits = (u64::BITS - space.leading_zeros()).max(1);
    let digit = bits.div_ceil(bits.div_ceil(DIGIT));
    let mask = (1u64 << digit) - 1;
    let mut sorted = vec![(0, 0); codes.len()];
    for shift in (0..bits).step_by(digit as usize) {
        let mut next = vec![0u32; 1 << digit];
        codes.iter().for_each(|(code, _)| next[(code >> shift & mask) as usize] += 1);
        let mut start = 0;
        for count in &mut next {
            (*count, start) = (start, start + *count);
        }
        for one in &codes {
            let slot = &mut next[(one.0 >> shift & mask) as usize];
            sorted[*slot as usize] = *one;
            *slot += 1;
        }
        std::mem::swap(&mut codes, &mut sorted);
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_tuples_get_equal_numbers_however_wide_they_are() {
        let rows: Vec<[u32; 4]> = vec![[1, 2, 3, 4], [1, 2, 3, 5], [1, 2, 3, 4], [7, 2, 3, 4], [1, 2, 3, 5]];
        for limit in [8usize, 1 << 8, 1 << 20, 1 << 31] {
            let mut numbering = Numbering::new(rows.len());
            (0..4).for_each(|column| numbering.column(limit, rows.iter().map(|row| row[column])));
            assert_eq!(numbering.finish(), (vec![0, 1, 0, 2, 1], 3), "{limit}");
        }
    }

    #[test]
    fn codes_are_sorted_digit_by_digit() {
        for (space, rows) in [(7u64, 100u32), (1 << 11, 5000), (1 << 40, 5000), (u64::MAX, 5000)] {
            let code = |row: u32| u64::from(row).wrapping_mul(0x9e37_79b9_7f4a_7c15) % space;
            let codes: Vec<(u64, u32)> = (0..rows).map(|row| (code(row / 2), row)).collect();
            let mut expected = codes.clone();
            expected.sort();
            assert_eq!(sort_codes(codes, space), expected, "{space}");
        }
    }

    #[test]
    fn buckets_keep_the_order() {
        let (sorted, starts) = bucket([4, 3, 2, 1, 0].into_iter(), |row| row % 2, 2);
        assert_eq!((sorted, starts), (vec![4, 2, 0, 3, 1], vec![0, 3, 5]));
    }
}
