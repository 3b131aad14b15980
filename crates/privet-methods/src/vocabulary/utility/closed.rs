//! The closed sets of words that most vocabularies hold: sets that no further word can join without losing a holder.
//!
//! Closed sets form a tree in which each is reached once, by prefix-preserving closure extension (LCM: Uno, Kiyomi and
//! Arimura, 2004), and supports decrease on every path down. The search takes the set of highest support first, so it
//! examines nothing rarer than the last set that is requested. A word that is to join a set waits unexamined until the
//! turn of its support comes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use rayon::prelude::*;

use privet_core::Result;
use privet_core::clock::Clock;
use privet_core::lists::Lists;

/// A word: its position among all words in bytewise order.
pub(super) type WordIndex = u32;

/// A closed set of words, ascending, and how many vocabularies hold it.
pub(super) type ClosedSet = (Vec<WordIndex>, u64);

/// Distinct sets of words with their numbers of occurrences.
pub(super) struct WordSets {
    words: Lists,
    counts: Vec<u64>,
    /// The sets that hold each word.
    holders: Lists,
}

impl WordSets {
    /// Collects sets, each ascending and without duplicates, with their numbers of occurrences; `bound` is larger than
    /// any word.
    pub(super) fn of(sets: &Lists, counts: impl Fn(usize) -> u64, bound: usize) -> WordSets {
        let mut order: Vec<u32> = (0..sets.len() as u32).collect();
        let list = |set: &u32| sets.list(*set as usize);
        order.par_sort_unstable_by(|one, other| list(one).cmp(list(other)));
        let (mut words, mut totals) = (Lists::default(), Vec::new());
        for same in order.chunk_by(|one, other| list(one) == list(other)) {
            if let Some(set) = same.first().map(list).filter(|set| !set.is_empty()) {
                words.push(set);
                totals.push(same.iter().map(|set| counts(*set as usize)).sum());
            }
        }
        let holders = Lists::holders(bound, words.iter());
        WordSets { words, counts: totals, holders }
    }

    /// The sets that hold a word.
    fn holders(&self, word: WordIndex) -> &[u32] {
        self.holders.list(word as usize)
    }

    fn set(&self, at: u32) -> &[WordIndex] {
        self.words.list(at as usize)
    }

    /// The `most` closed sets of highest support, longer ones first among equals and then in bytewise order.
    ///
    /// `total` is the number of all vocabularies, including those without words.
    pub(super) fn top_closed(&self, most: usize, total: u64, clock: &Clock) -> Result<Vec<ClosedSet>> {
        let mut search = ClosedSetSearch {
            sets: self,
            support: vec![0; self.holders.len()],
            met: Vec::new(),
            waiting: BinaryHeap::new(),
            opened: Vec::new(),
        };
        let all: Vec<u32> = (0..self.counts.len() as u32).collect();
        let mut found: Vec<ClosedSet> = Vec::new();
        if most > 0 && total > 0 {
            search.visit(Vec::new(), None, total, all, &mut found);
        }
        while let Some(next) = search.waiting.pop() {
            clock.check()?;
            // Supports only decrease from here, but a later set with the support of the last may be longer.
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

/// The intersection of two ascending lists: members of the shorter are looked up in the rest of the longer.
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
struct OpenedSet {
    words: Vec<WordIndex>,
    holders: Vec<u32>,
}

/// A word that is to join a closed set: by support, then in the order of discovery.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct WaitingWord {
    support: u64,
    order: Reverse<usize>,
    from: usize,
    word: WordIndex,
}

struct ClosedSetSearch<'a> {
    sets: &'a WordSets,
    /// The number of holders of each word among those examined; zero between visits.
    support: Vec<u64>,
    met: Vec<WordIndex>,
    waiting: BinaryHeap<WaitingWord>,
    opened: Vec<Rc<OpenedSet>>,
}

impl ClosedSetSearch<'_> {
    /// Closes a set that a word joined. Unless it is also reached in another way, it is a result, and its extensions
    /// wait.
    fn visit(
        &mut self,
        before: Vec<WordIndex>,
        joined: Option<WordIndex>,
        support: u64,
        holders: Vec<u32>,
        found: &mut Vec<ClosedSet>,
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
        let with = |word: &&WordIndex| self.support[**word as usize] == support;
        let words: Vec<WordIndex> = self.met.iter().filter(with).copied().collect();
        let first = joined.unwrap_or(0);
        let ahead = |words: &[WordIndex]| words.iter().take_while(|word| **word < first).count();
        // Nothing before the joining word may join with it; otherwise the set belongs to that word.
        if ahead(&words) == ahead(&before) {
            let from = self.opened.len();
            let begin = self.waiting.len();
            for word in &self.met {
                let support_with = self.support[*word as usize];
                if support_with < support && joined.is_none_or(|joined| *word > joined) {
                    let order = Reverse(self.opened.len());
                    self.waiting.push(WaitingWord { support: support_with, order, from, word: *word });
                }
            }
            if !words.is_empty() {
                found.push((words.clone(), support));
            }
            if self.waiting.len() > begin {
                self.opened.push(Rc::new(OpenedSet { words, holders }));
            }
        }
        for word in self.met.drain(..) {
            self.support[word as usize] = 0;
        }
    }
}
