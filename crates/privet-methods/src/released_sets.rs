//! The published cells of a quasi-sensitive column or of a column of sets: which records are released with fewer terms, or with
//! groups of items.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use rand_chacha::ChaCha20Rng;

use super::recoding::RemainingRows;
use privet_core::RunKey;
use privet_core::random::keyed;

/// The published cells of such a column that differ from the original.
#[derive(Debug, Default)]
pub struct ReleasedSets {
    /// The separator of the terms in a cell.
    pub separator: char,
    texts: Vec<String>,
    /// By distinct record and class: the changed cells with the number of records that get each.
    changed: BTreeMap<(u32, u32), Vec<(u32, u64)>>,
    /// Statistics of the groups.
    pub groups: GroupCounts,
    /// The terms that were removed, with their numbers of occurrences, most frequent first.
    pub removed: Vec<(String, u64)>,
    /// Records that link to no label at all in the original.
    pub unlinked: u64,
    /// What the items of a column of sets lose.
    pub losses: Option<ItemLosses>,
}

/// What the items of a column of sets lose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ItemLosses {
    /// The mean over released occurrences, from 0 to 1.
    pub items: f64,
    /// How much that weighs against what the quasi-identifiers lose.
    pub weight: f64,
    /// How many occurrences of items the released records have in the original.
    pub occurrences: u64,
}

/// Statistics of the groups of records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GroupCounts {
    /// The number of groups.
    pub total: u64,
    /// Groups that met the requirements from the start.
    pub untouched: u64,
    /// Groups whose suppression is proven to be the least costly.
    pub optimal: u64,
    /// Groups for which time ran out.
    pub open: u64,
    /// Groups among these that got no time at all; as many of their records as necessary lose all terms.
    pub unsearched: u64,
    /// Groups of the partitioning that had to be merged with others.
    pub merged: u64,
    /// Groups whose records are withheld.
    pub withheld: u64,
}

impl ReleasedSets {
    /// An empty set of changes.
    pub fn new(separator: char) -> ReleasedSets {
        ReleasedSets { separator, ..ReleasedSets::default() }
    }

    /// Changes the cell of one more record of a distinct record in a class to `text`.
    pub fn change(&mut self, record: u32, class: u32, text: String) {
        self.change_many(record, class, &text, 1);
    }

    /// Changes the cells of this many more records of a distinct record in a class to `text`.
    pub fn change_many(&mut self, record: u32, class: u32, text: &str, count: u64) {
        let changed = self.changed.entry((record, class)).or_default();
        if let Some((_, known)) = changed.iter_mut().find(|(known, _)| self.texts[*known as usize] == text) {
            *known += count;
            return;
        }
        changed.push((self.texts.len() as u32, count));
        self.texts.push(text.to_string());
    }

    /// The changed cells of a distinct record's records in a class, with counts.
    pub fn changed(&self, record: u32, class: u32) -> impl Iterator<Item = (&str, u64)> {
        let changed = self.changed.get(&(record, class)).into_iter().flatten();
        changed.map(|(text, count)| (self.texts[*text as usize].as_str(), *count))
    }

    /// The distinct records of which some records change, ascending; once for each class.
    pub fn parted(&self) -> impl Iterator<Item = usize> + '_ {
        self.changed.keys().map(|(record, _)| *record as usize)
    }

    /// The number of changed cells.
    pub fn len(&self) -> u64 {
        self.changed.values().flatten().map(|(_, count)| count).sum()
    }

    /// Whether no cell is changed.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty()
    }

    /// Assigns cells record by record; `total` returns how many records of a distinct record a class has. If only some
    /// of them change, the key decides which, and every choice is equally likely.
    pub fn dispatcher(&self, key: impl Into<RunKey>, total: impl Fn(u32, u32) -> u64) -> SetDispatcher<'_> {
        let left = self.changed.iter().map(|(key, texts)| {
            let classes = texts.clone();
            (*key, RemainingRows { rows: total(key.0, key.1), classes })
        });
        SetDispatcher {
            sets: self,
            left: left.collect(),
            random: keyed(key, "privet: records that lose terms"),
        }
    }
}

/// Assigns cells record by record.
#[derive(Debug)]
pub struct SetDispatcher<'a> {
    sets: &'a ReleasedSets,
    left: HashMap<(u32, u32), RemainingRows>,
    random: ChaCha20Rng,
}

impl<'a> SetDispatcher<'a> {
    /// The published cell of the next record of a distinct record in a class; `None` if it is unchanged.
    pub fn next(&mut self, record: u32, class: u32) -> Option<&'a str> {
        let text = self.left.get_mut(&(record, class))?.next(&mut self.random)?;
        self.sets.texts.get(text as usize).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_records_change_as_decided() {
        let mut sets = ReleasedSets::new('|');
        sets.change(3, 0, "cough".to_string());
        sets.change(3, 0, "fever".to_string());
        sets.change(3, 0, "cough".to_string());
        assert_eq!(sets.changed(3, 0).collect::<Vec<_>>(), [("cough", 2), ("fever", 1)]);
        assert_eq!(sets.len(), 3);
        for seed in 0..20 {
            let mut dispatcher = sets.dispatcher(seed, |_, _| 5);
            let rows: Vec<Option<String>> =
                (0..5).map(|_| dispatcher.next(3, 0).map(str::to_string)).collect();
            let count = |text: Option<&str>| rows.iter().filter(|row| row.as_deref() == text).count();
            assert_eq!([count(Some("cough")), count(Some("fever")), count(None)], [2, 1, 2]);
            assert_eq!(dispatcher.next(4, 0), None);
        }
    }
}
