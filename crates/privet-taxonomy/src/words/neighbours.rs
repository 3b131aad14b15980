//! The terms within reach of each term.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use privet_core::{Error, Result};
use privet_data::Term;

/// Rows are gathered, and kept, in blocks of this many: the work of one thread at a time.
const BLOCK: usize = 256;

/// An entry takes six bytes, and all of them together at most this many gigabytes.
const MOST_GIGABYTES: u64 = 1;
const MOST_ENTRIES: u64 = (MOST_GIGABYTES << 30) / 6;

/// For each term all terms within ε, itself first, by ascending distance and then by number.
#[derive(Debug, Clone)]
pub struct Neighbours {
    epsilon: u32,
    blocks: Vec<Block>,
    entries: u64,
}

/// The rows of consecutive terms, one after the other.
#[derive(Debug, Clone)]
struct Block {
    ends: Vec<u32>,
    terms: Vec<Term>,
    distances: Vec<u16>,
}

/// A neighbour and its distance in one number, which sorts as rows do.
pub(super) fn entry(distance: u32, term: Term) -> u64 {
    u64::from(distance) << 32 | u64::from(term)
}

impl Neighbours {
    /// Collects the rows of all terms. `row` appends the neighbours of a term in any order, the term itself among them;
    /// it gets something of `scratch`, which no two threads share.
    ///
    /// `reach` is `epsilon` or, where that is more, the farthest that two terms can be apart.
    pub(super) fn gather<S>(
        (epsilon, reach): (u32, u32),
        terms: usize,
        scratch: impl Fn() -> S + Sync + Send,
        row: impl Fn(&mut S, Term, &mut Vec<u64>) + Sync + Send,
    ) -> Result<Neighbours> {
        if reach > u16::MAX.into() {
            return Err(Error::input(format!("terms up to {reach} apart count as near"))
                .help(format!("lower epsilon in [semantics]; {} is the most", u16::MAX)));
        }
        let entries = AtomicU64::new(0);
        let block = |(row_of, held): &mut (S, Vec<u64>), block: usize| {
            let numbers = block * BLOCK..((block + 1) * BLOCK).min(terms);
            let mut rows =
                Block { ends: Vec::with_capacity(BLOCK), terms: Vec::new(), distances: Vec::new() };
            for term in numbers {
                held.clear();
                row(row_of, term as Term, held);
                held.sort_unstable();
                // The sum of all rows decides, whichever thread gets to see it.
                let before = entries.fetch_add(held.len() as u64, Ordering::Relaxed);
                check_entries(before + held.len() as u64)?;
                rows.terms.extend(held.iter().map(|entry| *entry as u32));
                rows.distances.extend(held.iter().map(|entry| (entry >> 32) as u16));
                rows.ends.push(rows.terms.len() as u32);
            }
            rows.terms.shrink_to_fit();
            rows.distances.shrink_to_fit();
            Ok(rows)
        };
        let blocks: Result<Vec<Block>> =
            (0..terms.div_ceil(BLOCK)).into_par_iter().map_init(|| (scratch(), Vec::new()), block).collect();
        Ok(Neighbours { epsilon, blocks: blocks?, entries: entries.into_inner() })
    }

    /// The reach: how far apart two relevant terms are at most.
    pub fn epsilon(&self) -> u32 {
        self.epsilon
    }

    /// How many pairs of near terms there are, counted from both sides, and each term with itself.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// The terms near a term and how far each is.
    #[inline]
    pub fn near(&self, term: Term) -> (&[Term], &[u16]) {
        let block = &self.blocks[term as usize / BLOCK];
        let row = term as usize % BLOCK;
        let begin = if row == 0 { 0 } else { block.ends[row - 1] as usize };
        let end = block.ends[row] as usize;
        (&block.terms[begin..end], &block.distances[begin..end])
    }

    /// How far two terms are apart; `None` if that is more than ε.
    pub fn between(&self, one: Term, other: Term) -> Option<u32> {
        let (mut terms, mut distances) = self.near(one);
        // Terms ascend within each distance.
        while let Some(distance) = distances.first() {
            let run = distances.partition_point(|far| far == distance);
            if terms[..run].binary_search(&other).is_ok() {
                return Some(u32::from(*distance));
            }
            (terms, distances) = (&terms[run..], &distances[run..]);
        }
        None
    }
}

/// Whether this many terms can have more neighbours than fit in memory.
pub(super) fn may_be_too_many(terms: usize) -> bool {
    (terms as u64).saturating_mul(terms as u64) > MOST_ENTRIES
}

/// Refuses more neighbours than fit in memory.
pub(super) fn check_entries(entries: u64) -> Result<()> {
    if entries <= MOST_ENTRIES {
        return Ok(());
    }
    let message =
        format!("too many terms are near each other: the list of them takes more than {MOST_GIGABYTES} GB");
    Err(Error::input(message).help("lower epsilon in [semantics]"))
}
