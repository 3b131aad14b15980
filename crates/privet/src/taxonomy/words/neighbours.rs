//! The terms within reach of each term.

use crate::data::Term;

/// For each term all terms within ε, itself first, by ascending distance and then by number.
#[derive(Debug, Clone)]
pub struct Neighbours {
    epsilon: u32,
    ends: Vec<usize>,
    terms: Vec<Term>,
    distances: Vec<u16>,
}

impl Neighbours {
    /// Collects the rows of all terms in their order, each a list of distances and terms.
    pub(super) fn of(epsilon: u32, rows: impl Iterator<Item = Vec<(u32, Term)>>) -> Neighbours {
        let mut all = Neighbours { epsilon, ends: Vec::new(), terms: Vec::new(), distances: Vec::new() };
        for mut row in rows {
            row.sort_unstable();
            all.terms.extend(row.iter().map(|(_, term)| *term));
            all.distances.extend(row.iter().map(|(distance, _)| *distance as u16));
            all.ends.push(all.terms.len());
        }
        all
    }

    /// The reach: how far apart two relevant terms are at most.
    pub fn epsilon(&self) -> u32 {
        self.epsilon
    }

    /// The terms near a term and how far each is.
    pub fn near(&self, term: Term) -> (&[Term], &[u16]) {
        let begin = if term == 0 { 0 } else { self.ends[term as usize - 1] };
        let end = self.ends[term as usize];
        (&self.terms[begin..end], &self.distances[begin..end])
    }
}
