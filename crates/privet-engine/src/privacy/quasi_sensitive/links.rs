//! Which labels a set of terms links to, by bitsets: for each term the labels that have it.

use privet_data::Knowledge;
use privet_policy::{SetPolicy, UnknownTerms};

/// For each term of the knowledge the labels that have it.
#[derive(Debug, Clone)]
pub struct Links {
    labels: usize,
    words: usize,
    /// The bitsets of all terms one after the other, then one that is empty and one that is full.
    bits: Vec<u64>,
    terms: usize,
    strict: bool,
}

/// The labels that a set of terms links to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// A bit per label.
    pub bits: Vec<u64>,
    /// How many there are.
    pub size: u32,
}

impl Links {
    /// Indexes what a column's policy knows.
    pub fn of(policy: &SetPolicy) -> Links {
        Links::new(&policy.knowledge, policy.unknown_terms == UnknownTerms::Strict)
    }

    /// Indexes the knowledge; `strict` says that a term no label mentions empties K.
    pub fn new(knowledge: &Knowledge, strict: bool) -> Links {
        let (labels, terms) = (knowledge.labels().len(), knowledge.terms().len());
        let words = labels.div_ceil(64);
        let mut bits = vec![0; (terms + 2) * words];
        for label in 0..labels {
            let full = (terms + 1) as u32;
            for term in knowledge.terms_of_label(label).iter().copied().chain([full]) {
                bits[term as usize * words + label / 64] |= 1 << (label % 64);
            }
        }
        Links { labels, words, bits, terms, strict }
    }

    /// The number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// The number of words of a bitset.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The number under which a term takes part in linking: its own, that of the term no label has where unknown terms
    /// count, or none where they are ignored.
    pub fn relevant(&self, term: Option<u32>) -> Option<u32> {
        term.or(self.strict.then_some(self.terms as u32))
    }

    /// The labels that have a term.
    pub fn having(&self, term: u32) -> &[u64] {
        let start = term as usize * self.words;
        &self.bits[start..start + self.words]
    }

    /// All labels.
    pub fn all(&self) -> &[u64] {
        self.having(self.terms as u32 + 1)
    }

    /// K of a set of terms: the labels that have all of them.
    pub fn linked(&self, terms: &[u32]) -> Linked {
        let mut bits = self.all().to_vec();
        for term in terms {
            bits.iter_mut().zip(self.having(*term)).for_each(|(word, having)| *word &= having);
        }
        let size = bits.iter().map(|word| word.count_ones()).sum();
        Linked { bits, size }
    }
}

/// The positions of the bits that are set.
pub fn ones(bits: &[u64]) -> impl Iterator<Item = usize> + '_ {
    bits.iter().enumerate().flat_map(|(at, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(at * 64 + bit)
        })
    })
}
