//! Distances in a network of senses: the number of edges on the shortest way from one term to another.
//!
//! A term hangs by one edge on its first sense, or on each hypernym of it (see [`Attach`]); two different terms are hence at
//! least 2 apart. Edges between senses are all `@` and `@i` pointers, in both directions.

use std::collections::VecDeque;
use std::sync::Arc;

use hashbrown::HashSet;

use super::neighbours::{Neighbours, entry};
use super::wordnet::{Attach, Sense, WordNet};
use privet_core::Result;
use privet_core::lists::Lists;
use privet_data::Term;

/// The edges between a term and its senses at both ends of a way.
const ENDS: u32 = 2;

/// The terms of the data in a network.
#[derive(Debug, Clone)]
pub(super) struct NetworkDistances {
    /// The senses next to each sense.
    edges: Arc<Lists>,
    /// What each term hangs on; nothing if the network does not have it.
    senses: Lists,
    /// The terms that hang on each sense.
    terms: Lists,
    diameter: u32,
}

/// A search that goes out from some senses, one edge farther at a time.
#[derive(Default)]
struct Wave {
    seen: HashSet<Sense>,
    front: Vec<Sense>,
    next: Vec<Sense>,
}

impl Wave {
    fn begin(&mut self, senses: &[Sense]) {
        self.seen.clear();
        self.front.clear();
        self.front.extend_from_slice(senses);
        self.seen.extend(senses);
    }

    /// One edge farther.
    fn spread(&mut self, edges: &Lists) {
        self.next.clear();
        for sense in &self.front {
            for near in edges.list(*sense as usize) {
                if self.seen.insert(*near) {
                    self.next.push(*near);
                }
            }
        }
        std::mem::swap(&mut self.front, &mut self.next);
    }

    fn meets(&self, other: &Wave) -> bool {
        self.front.iter().any(|sense| other.seen.contains(sense))
    }
}

impl NetworkDistances {
    pub(super) fn new(net: &WordNet, terms: &[String], attach: Attach) -> NetworkDistances {
        let above = || {
            (0..net.senses() as Sense)
                .flat_map(|sense| net.hypernyms(sense).iter().map(move |up| (sense, *up)))
        };
        let edges = Lists::of(net.senses(), above().chain(above().map(|(sense, up)| (up, sense))));
        let mut hung: Vec<(Term, Sense)> = Vec::new();
        for (term, text) in (0..).zip(terms) {
            let Some(sense) = net.first_sense(text) else { continue };
            let before = hung.len();
            if attach == Attach::Hypernym {
                hung.extend(net.hypernyms(sense).iter().map(|up| (term, *up)));
            }
            if hung.len() == before {
                hung.push((term, sense));
            }
        }
        let senses = Lists::of(terms.len(), hung.iter().copied());
        let terms = Lists::of(net.senses(), hung.iter().map(|(term, sense)| (*sense, *term)));
        let diameter = ENDS + 2 * farthest(&edges);
        NetworkDistances { edges: Arc::new(edges), senses, terms, diameter }
    }

    pub(super) fn len(&self) -> usize {
        self.senses.len()
    }

    pub(super) fn knows(&self, term: Term) -> bool {
        !self.senses.list(term as usize).is_empty()
    }

    pub(super) fn diameter(&self) -> u32 {
        self.diameter
    }

    /// Two waves first touch in the middle of a shortest way. The smaller one goes on.
    pub(super) fn of(&self, one: Term, other: Term) -> Option<u32> {
        let (mut near, mut far) = (Wave::default(), Wave::default());
        near.begin(self.senses.list(one as usize));
        far.begin(self.senses.list(other as usize));
        let mut distance = ENDS;
        while !near.meets(&far) {
            if near.front.len() > far.front.len() {
                std::mem::swap(&mut near, &mut far);
            }
            if near.front.is_empty() {
                return None;
            }
            near.spread(&self.edges);
            distance += 1;
        }
        Some(distance)
    }

    pub(super) fn neighbours(&self, epsilon: u32) -> Result<Neighbours> {
        let reach = epsilon.min(self.diameter);
        let scratch = || (Wave::default(), HashSet::new());
        let row = |(wave, met): &mut (Wave, HashSet<Term>), term: Term, row: &mut Vec<u64>| {
            met.clear();
            met.insert(term);
            row.push(entry(0, term));
            wave.begin(self.senses.list(term as usize));
            for distance in ENDS..=reach {
                if distance > ENDS {
                    wave.spread(&self.edges);
                }
                if wave.front.is_empty() {
                    break;
                }
                for sense in &wave.front {
                    // A term that hangs on several senses is met on the nearest of them first.
                    let new = self.terms.list(*sense as usize).iter().filter(|other| met.insert(**other));
                    row.extend(new.map(|other| entry(distance, *other)));
                }
            }
        };
        Neighbours::gather((epsilon, reach), self.len(), scratch, row)
    }
}

/// How far a sense is at most from the first of all that it is connected with; two of them are at most twice that apart.
fn farthest(edges: &Lists) -> u32 {
    let mut distances: Vec<Option<u32>> = vec![None; edges.len()];
    let mut queue: VecDeque<(Sense, u32)> = VecDeque::new();
    let mut farthest = 0;
    for first in 0..distances.len() as Sense {
        if distances[first as usize].is_none() {
            queue.push_back((first, 0));
        }
        while let Some((sense, distance)) = queue.pop_front() {
            if distances[sense as usize].is_some() {
                continue;
            }
            distances[sense as usize] = Some(distance);
            farthest = farthest.max(distance);
            queue.extend(edges.list(sense as usize).iter().map(|near| (*near, distance + 1)));
        }
    }
    farthest
}
