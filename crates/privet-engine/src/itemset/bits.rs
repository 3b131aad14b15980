//! Sets of rows as bits, weighed by the transactions that the rows stand for.
//!
//! Rows come by falling weight. Per binary digit of the weights there is a mask of the rows that have it, no longer than
//! it has to be, so a set is weighed by counting bits: few rows are heavy, and heavy ones come first.

/// Bits per word.
const WIDTH: usize = 64;

/// What the rows of a list weigh.
#[derive(Debug, Clone)]
pub(super) struct Scale {
    weights: Vec<u64>,
    /// Per binary digit, the rows whose weights have it, up to the last of them.
    digits: Vec<Vec<u64>>,
}

impl Scale {
    /// The weights must not rise.
    pub(super) fn new(weights: Vec<u64>) -> Scale {
        let longest = weights.first().map_or(0, |heaviest| u64::BITS - heaviest.leading_zeros());
        let digit = |digit: u32| {
            let has = |weight: &u64| weight >> digit & 1 == 1;
            let length = weights.iter().rposition(has).map_or(0, |last| last / WIDTH + 1);
            let mut mask = vec![0; length];
            weights
                .iter()
                .enumerate()
                .filter(|(_, weight)| has(weight))
                .for_each(|(row, _)| set(&mut mask, row));
            mask
        };
        let digits = (0..longest).map(digit).collect();
        Scale { weights, digits }
    }

    /// How many words a set of these rows takes.
    pub(super) fn words(&self) -> usize {
        self.weights.len().div_ceil(WIDTH)
    }

    /// How many transactions a set of rows stands for.
    pub(super) fn weigh(&self, rows: &[u64]) -> u64 {
        let digit = |mask: &Vec<u64>| -> u64 {
            mask.iter().zip(rows).map(|(mask, rows)| u64::from((mask & rows).count_ones())).sum()
        };
        self.digits.iter().zip(0..).map(|(mask, place)| digit(mask) << place).sum()
    }

    /// The scale of some of the rows alone.
    pub(super) fn of(&self, places: &[u32]) -> Scale {
        Scale::new(places.iter().map(|place| self.weights[*place as usize]).collect())
    }
}

/// Puts a row into a set.
pub(super) fn set(rows: &mut [u64], row: usize) {
    rows[row / WIDTH] |= 1 << (row % WIDTH);
}

/// The places of the rows in a set, ascending.
pub(super) fn places(rows: &[u64]) -> Vec<u32> {
    let mut places = Vec::new();
    for (word, first) in rows.iter().zip((0u32..).step_by(WIDTH)) {
        let mut left = *word;
        while left != 0 {
            places.push(first + left.trailing_zeros());
            left &= left - 1;
        }
    }
    places
}

/// Writes the rows that are in both sets to `into`.
pub(super) fn both(one: &[u64], other: &[u64], into: &mut [u64]) {
    into.iter_mut().zip(one.iter().zip(other)).for_each(|(into, (one, other))| *into = one & other);
}

/// Writes those of the rows at some places that are in a set, numbered anew, to `into`.
pub(super) fn picked(rows: &[u64], places: &[u32], into: &mut [u64]) {
    for (into, places) in into.iter_mut().zip(places.chunks(WIDTH)) {
        let bit = |place: &u32| rows[*place as usize / WIDTH] >> (place % WIDTH as u32) & 1;
        *into = places.iter().rev().fold(0, |word, place| word << 1 | bit(place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn sets_weigh_what_their_rows_do(
            weights in proptest::collection::vec(1u64..40, 0..200),
            one in proptest::collection::vec(any::<bool>(), 200),
            other in proptest::collection::vec(any::<bool>(), 200),
        ) {
            let mut weights = weights;
            weights.sort_unstable_by(|one, other| other.cmp(one));
            let scale = Scale::new(weights.clone());
            let bits = |rows: &[bool]| {
                let mut bits = vec![0; scale.words()];
                (0..weights.len()).filter(|row| rows[*row]).for_each(|row| set(&mut bits, row));
                bits
            };
            let (first, second) = (bits(&one), bits(&other));
            let mut common = vec![0; scale.words()];
            both(&first, &second, &mut common);
            let expected: u64 = (0..weights.len()).filter(|row| one[*row] && other[*row]).map(|row| weights[row]).sum();
            prop_assert_eq!(scale.weigh(&common), expected);
            let chosen = places(&first);
            let narrow = scale.of(&chosen);
            let mut picked_out = vec![0; narrow.words()];
            picked(&second, &chosen, &mut picked_out);
            prop_assert_eq!(narrow.weigh(&picked_out), expected);
        }
    }
}
