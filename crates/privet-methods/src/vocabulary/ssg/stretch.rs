//! The neighbours of a term, as stretches of an order in which near terms are adjacent.
//!
//! A term has hundreds of others within ε. In a tree these are the terms some levels below each of its ancestors, so
//! ordered by depth, and by preorder within a depth, they are a few stretches. Looking those up in an index takes a few
//! steps, whereas most lookups of single terms would find nothing.

use std::ops::Range;

use rayon::prelude::*;

use privet_data::Term;
use privet_taxonomy::words::{ByDepth, Distances, Neighbours};

/// Terms by their positions in an order, and for each term the positions of those within ε.
#[derive(Debug)]
pub(super) struct Stretches {
    order: Vec<Term>,
    places: Vec<u32>,
    near: Vec<Box<[NearStretch]>>,
}

/// Consecutive positions, excluding the end.
type Stretch = (u32, u32);

/// Consecutive positions that are equally far from a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NearStretch {
    begin: u32,
    end: u32,
    distance: u16,
}

impl NearStretch {
    /// The positions.
    #[inline]
    pub(super) fn places(&self) -> Range<usize> {
        self.begin as usize..self.end as usize
    }

    /// Their distance.
    #[inline]
    pub(super) fn distance(&self) -> u16 {
        self.distance
    }
}

impl Stretches {
    /// The stretches of a tree, which are the runs of an existing order.
    pub(super) fn by_depth(order: &ByDepth<'_>) -> Stretches {
        let near = |term: Term| -> Box<[NearStretch]> {
            let stretch = |(distance, run): (u32, Range<usize>)| NearStretch {
                begin: run.start as u32,
                end: run.end as u32,
                distance: distance as u16,
            };
            order.near(term).into_iter().map(stretch).collect()
        };
        let near = (0..order.order().len() as Term).into_par_iter().map(near).collect();
        Stretches { order: order.order().to_vec(), places: places_of(order.order()), near }
    }

    /// The stretches of any source, built from the neighbours of each term.
    pub(super) fn of(distances: &Distances, neighbours: &Neighbours) -> Stretches {
        let terms = distances.len() as Term;
        let rank = |term: &Term| {
            let node = distances.place(*term);
            (node.and_then(|node| distances.tree().map(|tree| tree.depth(node))), node)
        };
        let mut order: Vec<Term> = (0..terms).collect();
        order.sort_by_cached_key(rank);
        let places = places_of(&order);
        let joined = |marks: &mut PositionMarks, term: Term| {
            let (terms, far) = neighbours.near(term);
            let (mut joined, mut stretches) = (Vec::new(), Vec::new());
            let mut begin = 0;
            for equally_far in far.chunk_by(|one, other| one == other) {
                let near = &terms[begin..begin + equally_far.len()];
                joined.clear();
                marks.join(near.iter().map(|term| places[*term as usize]), &mut joined);
                let distance = equally_far[0];
                stretches.extend(joined.iter().map(|(begin, end)| NearStretch {
                    begin: *begin,
                    end: *end,
                    distance,
                }));
                begin += equally_far.len();
            }
            stretches.into_boxed_slice()
        };
        let near = (0..terms).into_par_iter().map_init(|| PositionMarks::new(order.len()), joined).collect();
        Stretches { order, places, near }
    }

    /// The number of terms.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The terms in their order.
    pub(super) fn order(&self) -> &[Term] {
        &self.order
    }

    /// The position of a term.
    #[inline]
    pub(super) fn place(&self, term: Term) -> usize {
        self.places[term as usize] as usize
    }

    /// The positions of the terms within ε of a term, nearest first.
    #[inline]
    pub(super) fn near(&self, term: Term) -> &[NearStretch] {
        &self.near[term as usize]
    }
}

/// The position of each term in an order.
fn places_of(order: &[Term]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (place, term) in (0..).zip(order) {
        places[*term as usize] = place;
    }
    places
}

/// A bit for each position: marking and reading them in order takes less time than sorting hundreds of positions.
struct PositionMarks {
    words: Vec<u64>,
}

impl PositionMarks {
    fn new(places: usize) -> PositionMarks {
        PositionMarks { words: vec![0; places.div_ceil(64)] }
    }

    /// Appends the stretches that some positions form, ascending.
    fn join(&mut self, places: impl Iterator<Item = u32>, stretches: &mut Vec<Stretch>) {
        let known = stretches.len();
        let (mut first, mut last) = (self.words.len(), 0);
        for place in places {
            let word = place as usize / 64;
            self.words[word] |= 1 << (place % 64);
            (first, last) = (first.min(word), last.max(word));
        }
        for word in first..=last {
            let mut rest = std::mem::take(&mut self.words[word]);
            while rest != 0 {
                let skipped = rest.trailing_zeros();
                let length = (rest >> skipped).trailing_ones();
                let begin = word as u32 * 64 + skipped;
                match stretches[known..].last_mut() {
                    Some((_, end)) if *end == begin => *end += length,
                    _ => stretches.push((begin, begin + length)),
                }
                rest &= u64::MAX.checked_shl(skipped + length).unwrap_or(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::cases;

    #[test]
    fn runs_of_a_tree_are_what_its_neighbours_make_up() {
        let words = "Boots Goods Homo-milk Jackets Milk Pants Raw-milk Tea Vino Water Wine";
        let words: Vec<String> = words.split(' ').map(String::from).collect();
        let bags = cases::bags(&[words], None);
        let distances = cases::distances(cases::goods(), &bags);
        for epsilon in 0..4 {
            let runs = Stretches::by_depth(&distances.by_depth(epsilon).expect("few pieces"));
            let neighbours = distances.neighbours(epsilon).expect("few");
            let joined = Stretches::of(&distances, &neighbours);
            assert_eq!(
                (runs.order, runs.places, runs.near),
                (joined.order, joined.places, joined.near),
                "{epsilon}"
            );
        }
        assert!(distances.by_depth(100).is_none());
    }

    #[test]
    fn places_side_by_side_are_one_stretch() {
        let mut marks = PositionMarks::new(300);
        let mut stretches = Vec::new();
        marks.join([65, 3, 64, 63, 299].into_iter(), &mut stretches);
        assert_eq!(stretches, [(3, 4), (63, 66), (299, 300)]);
        marks.join(0..300, &mut stretches);
        assert_eq!(stretches[3..], [(0, 300)]);
        marks.join([].into_iter(), &mut stretches);
        assert_eq!(stretches.len(), 4);
    }
}
