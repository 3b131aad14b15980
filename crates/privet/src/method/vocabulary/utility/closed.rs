//! The closed sets of words that most vocabularies hold: sets that no further word can join without losing a holder.
//!
//! Closed sets form a tree in which each is reached once, by prefix-preserving closure extension (LCM: Uno, Kiyomi and
//! Arimura, 2004), and supports fall on every way down. The search takes the set of highest support first, so it looks
//! into nothing rarer than the last set that is asked for. A word that is to join a set waits unexamined until its
//! support's turn comes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use crate::Result;
use crate::engine::clock::Clock;

/// A word: its position among all words in bytewise order.
pub(super) type Word = u32;

/// A closed set of words, ascending, and how many vocabularies hold it.
pub(super) type Closed = (Vec<Word>, u64);

/// Distinct sets of words with how often each occurs.
pub(super) struct Sets {
    ends: Vec<u32>,
    held: Vec<Word>,
    counts: Vec<u64>,
    /// The sets that hold each word, ascending, those of one word after those of another.
    holders: Vec<u32>,
    holder_ends: Vec<u32>,
}

impl Sets {
    /// Collects sets, each ascending and without duplicates, with how often it occurs; `words` is more than any word.
    pub(super) fn of(mut sets: Vec<(Vec<Word>, u64)>, words: usize) -> Sets {
        sets.sort_unstable();
        let mut all = Sets {
            ends: Vec::new(),
            held: Vec::new(),
            counts: Vec::new(),
            holders: Vec::new(),
            holder_ends: vec![0; words],
        };
        for same in sets.chunk_by(|(one, _), (other, _)| one == other) {
            if let Some((set, _)) = same.first().filter(|(set, _)| !set.is_empty()) {
                all.held.extend_from_slice(set);
                all.ends.push(all.held.len() as u32);
                all.counts.push(same.iter().map(|(_, count)| count).sum());
            }
        }
        all.index();
        all
    }

    /// Lists the sets that hold each word.
    fn index(&mut self) {
        for word in &self.held {
            self.holder_ends[*word as usize] += 1;
        }
        let mut end = 0;
        for holders in &mut self.holder_ends {
            end += *holders;
            *holders = end;
        }
        // Filled from its end, each list is ascending when its beginning is reached.
        self.holders = vec![0; self.held.len()];
        let mut begins = self.holder_ends.clone();
        for set in (0..self.counts.len() as u32).rev() {
            let from = if set == 0 { 0 } else { self.ends[set as usize - 1] };
            for word in &self.held[from as usize..self.ends[set as usize] as usize] {
                begins[*word as usize] -= 1;
                self.holders[begins[*word as usize] as usize] = set;
            }
        }
    }

    /// The sets that hold a word.
    fn holders(&self, word: Word) -> &[u32] {
        let begin = if word == 0 { 0 } else { self.holder_ends[word as usize - 1] };
        &self.holders[begin as usize..self.holder_ends[word as usize] as usize]
    }

    fn set(&self, at: u32) -> &[Word] {
        let begin = if at == 0 { 0 } else { self.ends[at as usize - 1] };
        &self.held[begin as usize..self.ends[at as usize] as usize]
    }

    /// The `most` closed sets of highest support, longer ones first among equals and then in bytewise order.
    ///
    /// `total` is the number of all vocabularies, those without words included.
    pub(super) fn top_closed(&self, most: usize, total: u64, clock: &Clock) -> Result<Vec<Closed>> {
        let mut search = Search {
            sets: self,
            support: vec![0; self.holder_ends.len()],
            met: Vec::new(),
            waiting: BinaryHeap::new(),
            opened: Vec::new(),
        };
        let all: Vec<u32> = (0..self.counts.len() as u32).collect();
        let mut found: Vec<Closed> = Vec::new();
        if most > 0 && total > 0 {
            search.visit(Vec::new(), None, total, all, &mut found);
        }
        while let Some(next) = search.waiting.pop() {
            clock.check()?;
            // Supports only fall from here, but as many as that of the last may be longer.
            if found.len() >= most && found.get(most - 1).is_some_and(|last| next.support < last.1) {
                break;
            }
            let from = search.opened[next.from].clone();
            let holders = common(&from.holders, self.holders(next.word));
            search.visit(from.words.clone(), Some(next.word), next.support, holders, &mut found);
        }
        found.sort_unstable_by(|(one, holders), (other, others)| {
            (others, other.len(), one).cmp(&(holders, one.len(), other))
        });
        found.truncate(most);
        Ok(found)
    }
}

/// What two ascending lists have in common: the shorter one's members are looked up in what is left of the longer.
fn common(one: &[u32], other: &[u32]) -> Vec<u32> {
    let (shorter, mut longer) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let mut both = Vec::new();
    for member in shorter {
        longer = &longer[longer.partition_point(|other| other < member)..];
        if longer.first() == Some(member) {
            both.push(*member);
        }
    }
    both
}

/// A closed set whose extensions wait.
struct Opened {
    words: Vec<Word>,
    holders: Vec<u32>,
}

/// A word that is to join a closed set: by support, then in the order of discovery.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    support: u64,
    order: Reverse<usize>,
    from: usize,
    word: Word,
}

struct Search<'a> {
    sets: &'a Sets,
    /// How many holders each word has among those looked at; zero between visits.
    support: Vec<u64>,
    met: Vec<Word>,
    waiting: BinaryHeap<Waiting>,
    opened: Vec<Rc<Opened>>,
}

impl Search<'_> {
    /// Closes a set that a word joined. Unless it is reached in another way too, it is a find, and its extensions wait.
    fn visit(
        &mut self,
        before: Vec<Word>,
        joined: Option<Word>,
        support: u64,
        holders: Vec<u32>,
        found: &mut Vec<Closed>,
    ) {
        for holder in &holders {
            let count = self.sets.counts[*holder as usize];
            for word in self.sets.set(*holder) {
                if self.support[*word as usize] == 0 {
                    self.met.push(*word);
                }
                self.support[*word as usize] += count;
            }
        }
        self.met.sort_unstable();
        let with = |word: &&Word| self.support[**word as usize] == support;
        let words: Vec<Word> = self.met.iter().filter(with).copied().collect();
        let first = joined.unwrap_or(0);
        let ahead = |words: &[Word]| words.iter().take_while(|word| **word < first).count();
        // Nothing before the joining word may come in with it, or the set belongs to that one.
        if ahead(&words) == ahead(&before) {
            let from = self.opened.len();
            let begin = self.waiting.len();
            for word in &self.met {
                let support_with = self.support[*word as usize];
                if support_with < support && joined.is_none_or(|joined| *word > joined) {
                    let order = Reverse(self.opened.len());
                    self.waiting.push(Waiting { support: support_with, order, from, word: *word });
                }
            }
            if !words.is_empty() {
                found.push((words.clone(), support));
            }
            if self.waiting.len() > begin {
                self.opened.push(Rc::new(Opened { words, holders }));
            }
        }
        for word in self.met.drain(..) {
            self.support[word as usize] = 0;
        }
    }
}
