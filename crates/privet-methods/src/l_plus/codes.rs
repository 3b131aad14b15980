//! Tuples of nodes as single numbers.
//!
//! A cut has few nodes, so the place of a tuple among all tuples of its cut (mixed radix) almost always fits in a word,
//! and often all of them fit in a table not much longer than the list of rows: then equal tuples are found without
//! hashing, and rows that lie near each other are looked up near each other.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use privet_engine::cut::{Cut, Tree};
use privet_engine::numbering::{Numbering, sort_codes};

/// Tuples are looked up in a table if there are at most this many of them for each row, or few at all.
const PER_ROW: u64 = 16;
const FEW: u64 = 1 << 12;

/// Per node at or below a cut, the place in the cut of the node above it; `u32::MAX` above the cut.
pub fn places(tree: &Tree, cut: &[u32]) -> Vec<u32> {
    let mut places = vec![u32::MAX; tree.len()];
    for (at, node) in cut.iter().enumerate() {
        places[*node as usize..tree.end(*node) as usize].fill(at as u32);
    }
    places
}

/// Places of tuples among all tuples of a cut.
#[derive(Debug)]
pub struct Codes {
    codes: Vec<u64>,
    /// How many tuples there could be.
    space: u64,
    /// Per column, the place in the cut of every node, and what a step in the cut changes the code by.
    columns: Vec<(Vec<u32>, u64)>,
}

impl Codes {
    /// The codes of tuples at a cut; `None` where they do not fit.
    pub fn new(trees: &[Tree], cut: &Cut, tuples: &[u32]) -> Option<Codes> {
        let (mut space, mut columns) = (1u64, Vec::with_capacity(trees.len()));
        for (tree, cut) in trees.iter().zip(&cut.0) {
            columns.push((places(tree, cut), space));
            space = space.checked_mul(cut.len() as u64)?;
        }
        let steps = |(places, stride): &(Vec<u32>, u64)| {
            // Nodes above the cut have no place, and no tuple has them.
            let step = |place: &u32| if *place == u32::MAX { 0 } else { u64::from(*place) * stride };
            places.iter().map(step).collect::<Vec<u64>>()
        };
        let steps: Vec<Vec<u64>> = columns.iter().map(steps).collect();
        let code = |tuple: &[u32]| steps.iter().zip(tuple).map(|(steps, node)| steps[*node as usize]).sum();
        let codes = tuples.chunks_exact(trees.len().max(1)).map(code).collect();
        Some(Codes { codes, space, columns })
    }

    /// The codes in rising order, with their rows.
    pub fn sorted(&self) -> Vec<(u64, u32)> {
        sort_codes(self.codes.iter().copied().zip(0..).collect(), self.space)
    }

    /// The codes of other rows at the same cut.
    pub fn of(self, codes: Vec<u64>) -> Codes {
        Codes { codes, ..self }
    }

    /// How many tuples there could be.
    pub fn space(&self) -> u64 {
        self.space
    }

    /// The code of a row.
    pub fn code(&self, row: u32) -> u64 {
        self.codes[row as usize]
    }

    /// What a step in a column's cut changes the code by.
    pub fn stride(&self, column: usize) -> usize {
        self.columns[column].1 as usize
    }

    /// The code of a row whose node in one column does not count.
    pub fn without(&self, row: u32, column: usize, node: u32) -> u64 {
        let (places, stride) = &self.columns[column];
        self.codes[row as usize] - u64::from(places[node as usize]) * stride
    }

    /// The rows by what they have in all columns but one, whose nodes are given: with codes for that.
    pub fn sorted_without(&self, column: usize, nodes: &[u32]) -> Vec<(u64, u32)> {
        let below = self.columns[column].1;
        let above = self.columns.get(column + 1).map_or(self.space, |(_, stride)| *stride);
        let code = |(row, node): (usize, &u32)| {
            let code = self.without(row as u32, column, *node);
            // The column's digit is taken out, so that codes stay small.
            let high = code / above;
            (high * below + (code - high * above), row as u32)
        };
        let codes = nodes.iter().enumerate().map(code).collect();
        sort_codes(codes, self.space / (above / below).max(1))
    }
}

/// A column of tuples that counts when they are numbered.
#[derive(Debug)]
pub struct Coded {
    pub column: usize,
    /// Per node, its code.
    pub codes: Vec<u32>,
    /// Codes are below this.
    pub limit: usize,
}

/// Numbers for tuples, in the order in which they come, so that those whose codes agree in all columns that count get the
/// same one.
pub fn number_tuples<'a>(
    tuples: impl ExactSizeIterator<Item = &'a [u32]> + Clone,
    columns: &[Coded],
) -> (Vec<u32>, usize) {
    let columns: Vec<&Coded> = columns.iter().filter(|column| column.limit > 1).collect();
    let (mut space, mut steps) = (Some(1u64), Vec::with_capacity(columns.len()));
    for coded in &columns {
        let step = space.unwrap_or(0);
        space = space.and_then(|space| space.checked_mul(coded.limit as u64));
        // Nodes above a cut have no code, and no tuple has them.
        let part = |code: &u32| if *code < coded.limit as u32 { u64::from(*code) * step } else { 0 };
        steps.push((coded.column, coded.codes.iter().map(part).collect::<Vec<u64>>()));
    }
    let Some(space) = space else {
        let mut numbering = Numbering::new(tuples.len());
        for coded in columns {
            let code = |tuple: &[u32]| coded.codes[tuple[coded.column] as usize];
            numbering.column(coded.limit, tuples.clone().map(code));
        }
        return numbering.finish();
    };
    let code = |tuple: &[u32]| steps.iter().map(|(column, parts)| parts[tuple[*column] as usize]).sum();
    number(tuples.map(code), space)
}

fn number(codes: impl ExactSizeIterator<Item = u64>, space: u64) -> (Vec<u32>, usize) {
    let mut next = 0u32;
    let mut fresh = || {
        next += 1;
        next - 1
    };
    let numbers = if space <= (PER_ROW * codes.len() as u64).max(FEW) {
        let mut known = vec![u32::MAX; space as usize];
        let number = |code: u64| {
            let slot = &mut known[code as usize];
            if *slot == u32::MAX {
                *slot = fresh();
            }
            *slot
        };
        codes.map(number).collect()
    } else {
        let mut known: HashMap<u64, u32, RandomState> =
            HashMap::with_capacity_and_hasher(codes.len(), RandomState::default());
        codes.map(|code| *known.entry(code).or_insert_with(&mut fresh)).collect()
    };
    (numbers, next as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_tuples_get_equal_numbers_however_they_are_found() {
        let tuples = [[1, 3], [0, 3], [1, 3], [2, 0], [1, 2]];
        for limit in [4usize, 1 << 20, 1 << 31, 1 << 33] {
            let column = |column| Coded { column, codes: vec![0, 1, 2, 3], limit };
            let numbers = number_tuples(tuples.iter().map(|tuple| &tuple[..]), &[column(0), column(1)]);
            assert_eq!(numbers, (vec![0, 1, 0, 2, 3], 4));
        }
    }
}
