//! Sets of values of a column, as bits.

/// A set of values, by code, as bits.
///
/// The first 64 values are in a word of their own, so that a set of few values needs no memory elsewhere. Sets over the
/// same number of values are meant to be combined; sets are ordered by their bits, which says nothing about their size.
///
/// ```
/// use privet_core::ValueSet;
/// let set = ValueSet::of(100, [3, 70]);
/// assert!(set.contains(70) && !set.contains(4));
/// assert_eq!(set.without(&ValueSet::of(100, [3])).iter().collect::<Vec<_>>(), [70]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueSet {
    first: u64,
    rest: Box<[u64]>,
}

impl ValueSet {
    /// The empty set, of `values` values that there are.
    pub fn none(values: usize) -> ValueSet {
        ValueSet { first: 0, rest: vec![0; values.saturating_sub(1) / 64].into_boxed_slice() }
    }

    /// The set of all of `values` values.
    pub fn all(values: usize) -> ValueSet {
        let word = |from: usize| match values.saturating_sub(from) {
            0 => 0,
            bits @ 1..64 => (1 << bits) - 1,
            _ => u64::MAX,
        };
        let rest = (1..=values.saturating_sub(1) / 64).map(|at| word(64 * at)).collect();
        ValueSet { first: word(0), rest }
    }

    /// The set of some values.
    pub fn of(values: usize, members: impl IntoIterator<Item = u32>) -> ValueSet {
        let mut set = ValueSet::none(values);
        members.into_iter().for_each(|value| set.insert(value));
        set
    }

    fn word(&self, value: u32) -> u64 {
        match value / 64 {
            0 => self.first,
            at => self.rest[at as usize - 1],
        }
    }

    fn word_mut(&mut self, value: u32) -> &mut u64 {
        match value / 64 {
            0 => &mut self.first,
            at => &mut self.rest[at as usize - 1],
        }
    }

    /// Puts a value in.
    #[inline]
    pub fn insert(&mut self, value: u32) {
        *self.word_mut(value) |= 1 << (value % 64);
    }

    /// Takes a value out.
    #[inline]
    pub fn remove(&mut self, value: u32) {
        *self.word_mut(value) &= !(1 << (value % 64));
    }

    /// Whether the value is in the set.
    #[inline]
    pub fn contains(&self, value: u32) -> bool {
        self.word(value) >> (value % 64) & 1 == 1
    }

    /// Puts all values of another set in.
    #[inline]
    pub fn unite(&mut self, other: &ValueSet) {
        self.first |= other.first;
        self.rest.iter_mut().zip(&other.rest).for_each(|(word, other)| *word |= other);
    }

    /// Keeps the values that another set has too.
    #[inline]
    pub fn intersect(&mut self, other: &ValueSet) {
        self.first &= other.first;
        self.rest.iter_mut().zip(&other.rest).for_each(|(word, other)| *word &= other);
    }

    /// Takes all values of another set out.
    #[inline]
    pub fn subtract(&mut self, other: &ValueSet) {
        self.first &= !other.first;
        self.rest.iter_mut().zip(&other.rest).for_each(|(word, other)| *word &= !other);
    }

    /// The values of this set that another one lacks.
    pub fn without(&self, other: &ValueSet) -> ValueSet {
        let mut set = self.clone();
        set.subtract(other);
        set
    }

    /// The number of values.
    #[inline]
    pub fn len(&self) -> usize {
        self.words().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no value is in the set.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.words().all(|word| word == 0)
    }

    /// How many values both sets have.
    #[inline]
    pub fn common(&self, other: &ValueSet) -> usize {
        self.words().zip(other.words()).map(|(word, other)| (word & other).count_ones() as usize).sum()
    }

    /// Whether the other set has all values of this one.
    #[inline]
    pub fn is_subset(&self, other: &ValueSet) -> bool {
        self.words().zip(other.words()).all(|(word, other)| word & !other == 0)
    }

    /// The values, in rising order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..)
            .step_by(64)
            .zip(self.words())
            .flat_map(|(start, word)| Bits(word).map(move |bit| start + bit))
    }

    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.first).chain(self.rest.iter().copied())
    }
}

/// The positions of the ones of a word.
struct Bits(u64);

impl Iterator for Bits {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn all_values_are_as_many_as_there_are() {
        for values in [0, 1, 2, 63, 64, 65, 127, 128, 129, 300] {
            let all = ValueSet::all(values);
            assert_eq!(all.len(), values);
            assert_eq!(all, ValueSet::of(values, 0..values as u32), "{values}");
        }
    }

    proptest! {
        #[test]
        fn they_behave_as_sets(
            values in 200usize..210,
            one in prop::collection::btree_set(0u32..200, 0..40),
            two in prop::collection::btree_set(0u32..200, 0..40),
        ) {
            let set = |members: &BTreeSet<u32>| ValueSet::of(values, members.iter().copied());
            let (a, b) = (set(&one), set(&two));
            prop_assert_eq!(a.iter().collect::<Vec<_>>(), one.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(a.without(&b), set(&(&one - &two)));
            prop_assert_eq!(a.common(&b), (&one & &two).len());
            prop_assert_eq!(a.is_subset(&b), one.is_subset(&two));
            let mut union = a.clone();
            union.unite(&b);
            prop_assert_eq!(&union, &set(&(&one | &two)));
            let mut both = a.clone();
            both.intersect(&b);
            prop_assert_eq!(both.is_empty(), one.is_disjoint(&two));
            for value in &one {
                union.remove(*value);
            }
            prop_assert_eq!(union, set(&(&two - &one)));
        }
    }
}
