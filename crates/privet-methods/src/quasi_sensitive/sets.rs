//! The terms of every distinct cell of the quasi-sensitive column.

use std::collections::BTreeMap;

use super::super::mondrian::RecordPart;
use super::super::released_sets::ReleasedSets;
use privet_data::{set_cell, terms_of};
use privet_engine::microdata::{Microdata, SetColumn};
use privet_engine::privacy::quasi_sensitive::{Links, PriorCounter};
use privet_engine::suppression::{Member, Prices, Removals};

/// The terms of the distinct cells, by code.
pub(super) struct CellTerms {
    /// The start of each cell's terms, followed by the end of the last.
    starts: Vec<u32>,
    /// The terms that take part in linking, by number, in the order of their texts.
    terms: Vec<u32>,
    /// Per cell, its total number of terms.
    weights: Vec<u32>,
    any_known: bool,
}

impl CellTerms {
    pub fn of(microdata: &Microdata, column: &SetColumn, links: &Links) -> CellTerms {
        let mut sets =
            CellTerms { starts: vec![0], terms: Vec::new(), weights: Vec::new(), any_known: false };
        for cell in microdata.summary.columns()[column.position].dictionary.values() {
            let terms = terms_of(cell, column.policy.separator);
            sets.weights.push(terms.len() as u32);
            for term in terms {
                let known = column.policy.knowledge.term(term);
                sets.any_known |= known.is_some();
                sets.terms.extend(links.relevant(known));
            }
            sets.starts.push(sets.terms.len() as u32);
        }
        sets
    }

    /// Whether any term occurs in the knowledge.
    pub fn any_known(&self) -> bool {
        self.any_known
    }

    /// The largest number of terms in a record.
    pub fn longest(&self) -> u32 {
        self.weights.iter().copied().max().unwrap_or(0)
    }

    fn terms(&self, code: u32) -> &[u32] {
        &self.terms[self.starts[code as usize] as usize..self.starts[code as usize + 1] as usize]
    }

    /// A distinct record as a member of a group.
    pub fn member(&self, microdata: &Microdata, record: u32) -> Member {
        match microdata.set_code(record as usize) {
            Some(code) => Member { terms: self.terms(code).to_vec(), weight: self.weights[code as usize] },
            None => Member { terms: Vec::new(), weight: 0 },
        }
    }

    /// The cost of removing all terms of a distinct record.
    pub fn price(&self, prices: &Prices, microdata: &Microdata, record: u32) -> u128 {
        microdata.set_code(record as usize).map_or(0, |code| prices.all(self.weights[code as usize]))
    }

    /// Counts the labels that the records of the table link to.
    pub fn count(&self, microdata: &Microdata, links: &Links) -> PriorCounter {
        let mut counts = vec![0; self.weights.len()];
        for record in 0..microdata.summary.len() {
            if let Some(code) = microdata.set_code(record) {
                counts[code as usize] += microdata.summary.count(record);
            }
        }
        let mut counter = PriorCounter::new(links.labels());
        for (code, count) in (0u32..).zip(counts) {
            counter.add(&links.linked(self.terms(code)), count);
        }
        counter
    }

    /// Records which records of a group are released with fewer terms, and which terms are removed.
    #[expect(clippy::too_many_arguments, reason = "where from, what, where to")]
    pub fn write(
        &self,
        microdata: &Microdata,
        column: &SetColumn,
        part: &RecordPart,
        found: &Removals,
        class: u32,
        sets: &mut ReleasedSets,
        gone: &mut BTreeMap<String, u64>,
    ) {
        let links_to = |term: &str| {
            let known = column.policy.knowledge.term(term).is_some();
            known || column.policy.unknown_terms == privet_policy::UnknownTerms::Strict
        };
        // Members are in the order of the part, repeated as often as their records occur.
        let mut members =
            part.iter().flat_map(|(record, count)| (0..*count).map(move |_| *record)).zip(0u32..);
        for removed in found.removed.chunk_by(|a, b| a.0 == b.0) {
            let Some(member) = removed.first().map(|(member, _)| *member) else { continue };
            let Some((record, _)) = members.find(|(_, at)| *at == member) else { continue };
            let Some(code) = microdata.set_code(record as usize) else { continue };
            let cell = &microdata.summary.columns()[column.position].dictionary.values()[code as usize];
            let mut place = 0u32;
            let mut kept = Vec::new();
            for term in terms_of(cell, column.policy.separator) {
                let here = links_to(term).then_some(place);
                place += u32::from(here.is_some());
                if here.is_some_and(|here| removed.iter().any(|(_, gone)| *gone == here)) {
                    *gone.entry(term.to_string()).or_default() += 1;
                } else {
                    kept.push(term);
                }
            }
            sets.change(record, class, set_cell(kept, column.policy.separator));
        }
    }
}
