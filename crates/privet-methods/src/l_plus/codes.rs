//! Tuples of nodes as single numbers.
//!
//! A cut has few nodes, so the index of a tuple among all tuples of its cut (mixed radix) almost always fits in a word.
//! Often all tuples fit in a table that is not much longer than the list of rows. Then equal tuples are found without
//! hashing, and neighbouring rows are looked up in neighbouring entries.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use privet_engine::cut::{Cut, Tree};
use privet_engine::numbering::{Numbering, sort_codes};

/// Tuples are looked up in a table if there are at most this many of them per row, or few in total.
const PER_ROW: u64 = 16;
const FEW: u64 = 1 << 12;

/// Per node at or below a cut, the index in the cut of the node above it; `u32::MAX` above the cut.
pub fn places(tree: &Tree, cut: &[u32]) -> Vec<u32> {
    let mut places = vec![u32::MAX; tree.len()];
    for (at, node) in cut.iter().enumerate() {
        places[*node as usize..tree.end(*node) as usize].fill(at as u32);
    }
    places
}

/// Indices of tuples among all tuples of a cut.
#[derive(Debug)]
pub struct TupleCodes {
    codes: Vec<u64>,
    /// The number of possible tuples.
    space: u64,
    /// Per column, the index of every node in the cut, and the code difference of one step in the cut.
    columns: Vec<(Vec<u32>, u64)>,
}

impl TupleCodes {
    /// The codes of tuples at a cut; `None` if they do not fit.
    pub fn new(trees: &[Tree], cut: &Cut, tuples: &[u32]) -> Option<TupleCodes> {
        let (mut space, mut columns) = (1u64, Vec::with_capacity(trees.len()));
        for (tree, cut) in trees.iter().zip(&cut.0) {
            columns.push((places(tree, cut), space));
            space = space.checked_mul(cut.len() as u64)?;
        }
        let steps = |(places, stride): &(Vec<u32>, u64)| {
            // Nodes above the cut have no index, and no tuple contains them.
            let step = |place: &u32| if *place == u32::MAX { 0 } else { u64::from(*place) * stride };
            places.iter().map(step).collect::<Vec<u64>>()
        };
        let steps: Vec<Vec<u64>> = columns.iter().map(steps).collect();
        let code = |tuple: &[u32]| steps.iter().zip(tuple).map(|(steps, node)| steps[*node as usize]).sum();
        let codes = tuples.chunks_exact(trees.len().max(1)).map(code).collect();
        Some(TupleCodes { codes, space, columns })
    }

    /// The codes in ascending order, with their rows.
    pub fn sorted(&self) -> Vec<(u64, u32)> {
        sort_codes(self.codes.iter().copied().zip(0..).collect(), self.space)
    }

    /// The codes of other rows at the same cut.
    pub fn of(self, codes: Vec<u64>) -> TupleCodes {
        TupleCodes { codes, ..self }
    }

    /// The number of possible tuples.
    pub fn space(&self) -> u64 {
        self.space
    }

    /// The code of a row.
    pub fn code(&self, row: u32) -> u64 {
        self.codes[row as usize]
    }

    /// The code difference of one step in a column's cut.
    pub fn stride(&self, column: usize) -> usize {
        self.columns[column].1 as usize
    }

    /// The code of a row, ignoring its node in one column.
    pub fn without(&self, row: u32, column: usize, node: u32) -> u64 {
        let (places, stride) = &self.columns[column];
        self.codes[row as usize] - u64::from(places[node as usize]) * stride
    }

    /// The rows sorted by all columns except one, whose nodes are given, with codes for that.
    pub fn sorted_without(&self, column: usize, nodes: &[u32]) -> Vec<(u64, u32)> {
        let below = self.columns[column].1;
        let above = self.columns.get(column + 1).map_or(self.space, |(_, stride)| *stride);
        let code = |(row, node): (usize, &u32)| {
            let code = self.without(row as u32, column, *node);
            // Remove the column's digit, so that codes stay small.
            let high = code / above;
            (high * below + (code - high * above), row as u32)
        };
        let codes = nodes.iter().enumerate().map(code).collect();
        sort_codes(codes, self.space / (above / below).max(1))
    }
}

/// A column that counts when tuples are numbered.
#[derive(Debug)]
pub struct CodedNodes {
    pub column: usize,
    /// Per node, its code.
    pub codes: Vec<u32>,
    /// Codes are below this.
    pub limit: usize,
}

/// Numbers tuples in the order in which they come; tuples whose codes agree in all columns that count get the same
/// number.
pub fn number_tuples<'a>(
    tuples: impl ExactSizeIterator<Item = &'a [u32]> + Clone,
    columns: &[CodedNodes],
) -> (Vec<u32>, usize) {
    let columns: Vec<&CodedNodes> = columns.iter().filter(|column| column.limit > 1).collect();
    let (mut space, mut steps) = (Some(1u64), Vec::with_capacity(columns.len()));
    for coded in &columns {
        let step = space.unwrap_or(0);
        space = space.and_then(|space| space.checked_mul(coded.limit as u64));
        // Nodes above a cut have no code, and no tuple contains them.
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
            let column = |column| CodedNodes { column, codes: vec![0, 1, 2, 3], limit };
            let numbers = number_tuples(tuples.iter().map(|tuple| &tuple[..]), &[column(0), column(1)]);
            assert_eq!(numbers, (vec![0, 1, 0, 2, 3], 4));
        }
    }
}
