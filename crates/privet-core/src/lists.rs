//! Many short lists of numbers. There may be one for every person, so they are stored in one piece.

/// Lists of numbers, by place.
#[derive(Debug, Clone, Default)]
pub struct Lists {
    numbers: Vec<u32>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Lists {
    /// Adds a list.
    pub fn push(&mut self, list: &[u32]) {
        self.extend(list.iter().copied());
    }

    /// Adds a list of these numbers.
    pub fn extend(&mut self, list: impl IntoIterator<Item = u32>) {
        self.numbers.extend(list);
        self.ends.push(self.numbers.len());
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The list at a place.
    pub fn list(&self, place: usize) -> &[u32] {
        let begin = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.numbers[begin..self.ends[place]]
    }

    /// All lists.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> + Clone {
        (0..self.len()).map(|place| self.list(place))
    }

    /// For each place below `len`, the numbers that are paired with it, in the order of the pairs.
    pub fn of(len: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Lists {
        let mut ends = vec![0; len];
        for (place, _) in pairs.clone() {
            ends[place as usize] += 1;
        }
        let mut total = 0;
        for end in &mut ends {
            // Begins here; every number that is put in moves it on towards the end.
            (*end, total) = (total, total + *end);
        }
        let mut numbers = vec![0; total];
        for (place, number) in pairs {
            let next = &mut ends[place as usize];
            numbers[*next] = number;
            *next += 1;
        }
        Lists { numbers, ends }
    }

    /// For each number below `len`, the places of the lists that hold it, ascending.
    pub fn holders<'l>(len: usize, lists: impl Iterator<Item = &'l [u32]> + Clone) -> Lists {
        Lists::of(
            len,
            (0u32..).zip(lists).flat_map(|(place, list)| list.iter().map(move |number| (*number, place))),
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn holders_are_where_a_number_is(
            lists in prop::collection::vec(prop::collection::btree_set(0u32..6, 0..4), 0..8),
        ) {
            let mut all = Lists::default();
            lists.iter().for_each(|list| all.extend(list.iter().copied()));
            let holders = Lists::holders(6, all.iter());
            for number in 0..6 {
                let expected: Vec<u32> =
                    (0..).zip(&lists).filter(|(_, list)| list.contains(&number)).map(|(place, _)| place).collect();
                prop_assert_eq!(holders.list(number as usize), expected.as_slice());
            }
        }
    }
}
