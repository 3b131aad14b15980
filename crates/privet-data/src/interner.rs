//! Distinct texts as numbers, all in one piece of memory.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// Distinct texts, numbered in the order they are first seen.
#[derive(Debug, Clone, Default)]
pub struct Interner {
    text: String,
    ends: Vec<usize>,
    index: HashTable<u32>,
    hasher: RandomState,
}

impl Interner {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many bytes it takes, roughly.
    pub fn bytes(&self) -> usize {
        self.text.capacity() + 8 * self.ends.capacity() + 5 * self.index.capacity()
    }

    /// The text of a number.
    pub fn text(&self, seen: usize) -> &str {
        text_of(&self.text, &self.ends, seen)
    }

    /// The number of a text that was seen.
    pub fn find(&self, text: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(text);
        self.index.find(hash, |seen| self.text(*seen as usize) == text).copied()
    }

    /// The number of a text, a new one where it was not seen before.
    pub fn intern(&mut self, text: &str) -> u32 {
        let hash = self.hasher.hash_one(text);
        let (texts, ends, hasher) = (&self.text, &self.ends, &self.hasher);
        let stored = |seen: u32| text_of(texts, ends, seen as usize);
        let entry =
            self.index.entry(hash, |seen| stored(*seen) == text, |seen| hasher.hash_one(stored(*seen)));
        match entry {
            hashbrown::hash_table::Entry::Occupied(entry) => *entry.get(),
            hashbrown::hash_table::Entry::Vacant(entry) => {
                let seen = self.ends.len() as u32;
                entry.insert(seen);
                self.text.push_str(text);
                self.ends.push(self.text.len());
                seen
            }
        }
    }
}

fn text_of<'a>(text: &'a str, ends: &[usize], seen: usize) -> &'a str {
    let start = if seen == 0 { 0 } else { ends[seen - 1] };
    &text[start..ends[seen]]
}
