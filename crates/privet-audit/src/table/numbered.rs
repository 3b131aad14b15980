//! Texts and tuples of numbers, each with a number of its own.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use privet_core::{Error, Result};

/// The distinct texts of one column, numbered in the order in which they first occur.
#[derive(Clone, Default)]
pub struct Dictionary {
    texts: Vec<String>,
    lines: Vec<u64>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Dictionary {
    /// The number of a text, which is given one if it is new.
    pub fn code(&mut self, text: &str, line: u64) -> Result<u32> {
        if let Some(code) = self.find(text) {
            return Ok(code);
        }
        let code = next_id(self.texts.len())?;
        self.texts.push(text.to_string());
        self.lines.push(line);
        let hash = self.hasher.hash_one(text);
        let Dictionary { texts, table, hasher, .. } = self;
        table.insert_unique(hash, code, |code| hasher.hash_one(texts[*code as usize].as_str()));
        Ok(code)
    }

    /// The number of a text that occurs.
    pub fn find(&self, text: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(text);
        self.table.find(hash, |code| self.texts[*code as usize] == text).copied()
    }

    /// The text of a number.
    pub fn text(&self, code: u32) -> &str {
        &self.texts[code as usize]
    }

    /// All texts, by number.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str)
    }

    /// The line on which a text first occurs.
    pub fn line(&self, code: u32) -> u64 {
        self.lines[code as usize]
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }
}

/// Distinct tuples of numbers with how often and where first they occur, numbered from 0.
pub struct Tuples {
    width: usize,
    codes: Vec<u32>,
    counts: Vec<u64>,
    lines: Vec<u64>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Tuples {
    pub fn new(width: usize) -> Tuples {
        Tuples {
            width,
            codes: Vec::new(),
            counts: Vec::new(),
            lines: Vec::new(),
            table: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// Counts a tuple `count` times more.
    pub fn add(&mut self, tuple: &[u32], count: u64, line: u64) -> Result<u32> {
        let hash = self.hasher.hash_one(tuple);
        if let Some(id) = self.table.find(hash, |id| self.get(*id) == tuple).copied() {
            self.counts[id as usize] += count;
            return Ok(id);
        }
        let id = next_id(self.counts.len())?;
        self.codes.extend_from_slice(tuple);
        self.counts.push(count);
        self.lines.push(line);
        let Tuples { width, codes, table, hasher, .. } = self;
        table.insert_unique(hash, id, |id| hasher.hash_one(slice(codes, *width, *id)));
        Ok(id)
    }

    /// The number of a tuple that occurs.
    pub fn find(&self, tuple: &[u32]) -> Option<u32> {
        let hash = self.hasher.hash_one(tuple);
        self.table.find(hash, |id| self.get(*id) == tuple).copied()
    }

    /// The tuple with a number.
    pub fn get(&self, id: u32) -> &[u32] {
        slice(&self.codes, self.width, id)
    }

    /// How often a tuple occurs.
    pub fn count(&self, id: u32) -> u64 {
        self.counts[id as usize]
    }

    /// The line on which a tuple first occurs.
    pub fn line(&self, id: u32) -> u64 {
        self.lines[id as usize]
    }

    /// The numbers of all tuples.
    pub fn ids(&self) -> std::ops::Range<u32> {
        0..self.counts.len() as u32
    }

    /// The distinct beginnings of the tuples, and for each tuple which of them is its own.
    pub fn beginnings(&self, width: usize) -> Result<(Tuples, Vec<u32>)> {
        let mut beginnings = Tuples::new(width);
        let of = self
            .ids()
            .map(|id| beginnings.add(&self.get(id)[..width], self.count(id), self.line(id)))
            .collect::<Result<Vec<u32>>>()?;
        Ok((beginnings, of))
    }
}

fn slice(codes: &[u32], width: usize, id: u32) -> &[u32] {
    let start = id as usize * width;
    &codes[start..start + width]
}

fn next_id(taken: usize) -> Result<u32> {
    u32::try_from(taken)
        .map_err(|_| Error::input("the table has more than 4 billion distinct values or records"))
}
