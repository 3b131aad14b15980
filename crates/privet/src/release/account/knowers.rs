//! What attackers find who know the population, or only some of the columns.

use std::collections::HashMap;

use crate::release::report::{ColumnSetRisk, Fraction};
use privet_core::Result;
use privet_engine::microdata::Microdata;
use privet_engine::risk::ColumnSets;
use privet_engine::risk::column_sets::{feasible, sets_up_to};
use privet_methods::recoding::{ClassTable, Recoding};

/// The highest risk for a journalist, who knows the population but not who of it is in the data: one over the fewest people whom
/// every cell of a class contains, in the original and in the release. `None` where nobody counted them.
pub(super) fn journalist(microdata: &Microdata, classes: &ClassTable) -> Option<[Fraction; 2]> {
    let register = microdata.register.as_ref()?;
    // Everybody by their values, where the data have them all.
    let mut people: HashMap<Vec<u32>, u64> = HashMap::new();
    for row in 0..register.len() {
        let codes = register.row(row).iter().zip(&register.columns);
        let codes: Option<Vec<u32>> = codes.map(|(code, column)| column.codes[*code as usize]).collect();
        if let Some(codes) = codes {
            *people.entry(codes).or_default() += register.count(row);
        }
    }
    let records = 0..microdata.summary.len();
    let before = records.filter_map(|record| people.get(microdata.quasi_codes(record)).copied()).min()?;
    let released = (0..classes.sizes.len()).filter(|class| classes.sizes[*class] > 0);
    let after = released.map(|class| classes.members(class).records.standing.people).min()?;
    Some([before, after].map(|fewest| Fraction::new(1, fewest)))
}

/// Sets of columns that are looked at have at most this many of them.
const LARGEST: usize = 2;

/// At most this many sets are shown.
const MOST_SHOWN: usize = 12;

/// Distinct records times sets of columns that are looked at: more would take longer than a search.
const MOST_LOOKS: u128 = 20_000_000;

/// The average risk for somebody who knows only some columns: every single one of them, and those pairs that tell most.
pub(super) fn column_sets(
    microdata: &Microdata,
    recoding: &Recoding,
    classes: &ClassTable,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Vec<ColumnSetRisk>> {
    let width = microdata.quasi.len();
    let looks = |largest: usize| sets_up_to(width, largest) * microdata.summary.len() as u128;
    let Some(largest) = (1..=feasible(width, LARGEST)).rev().find(|largest| looks(*largest) <= MOST_LOOKS)
    else {
        return Ok(Vec::new());
    };
    let records = 0..microdata.summary.len();
    let counts: Vec<u64> = records.clone().map(|record| microdata.summary.count(record)).collect();
    let code = |record: usize, column: usize| microdata.quasi_codes(record)[column];
    let codes: Vec<Vec<u32>> =
        (0..width).map(|column| records.clone().map(|record| code(record, column)).collect()).collect();
    let limit = |codes: &Vec<u32>| codes.iter().max().map_or(1, |most| most + 1);
    let limits: Vec<u32> = codes.iter().map(limit).collect();
    let (before, _) =
        ColumnSets { codes: &codes, limits: &limits, counts: &counts }.walk(largest, 0, tick)?;
    let released: Vec<usize> = (0..recoding.len()).filter(|class| classes.sizes[*class] > 0).collect();
    let sizes: Vec<u64> = released.iter().map(|class| classes.sizes[*class]).collect();
    let cells: Vec<Vec<u32>> = (0..width)
        .map(|column| released.iter().map(|class| recoding.cells(*class)[column]).collect())
        .collect();
    let limits: Vec<u32> = cells.iter().map(limit).collect();
    let (after, _) = ColumnSets { codes: &cells, limits: &limits, counts: &sizes }.walk(largest, 0, tick)?;
    let (read, kept) = (counts.iter().sum::<u64>(), sizes.iter().sum::<u64>());
    let mut sets: Vec<_> = before.into_iter().zip(after).collect();
    // All single columns first, then the pairs that tell most.
    sets.sort_by_key(|(set, _)| {
        let pair = set.columns.len() > 1;
        (pair, std::cmp::Reverse(if pair { set.combinations } else { 0 }))
    });
    sets.truncate(MOST_SHOWN);
    let named = |at: &usize| microdata.quasi[*at].name.clone();
    let shown = sets.into_iter().map(|(before, after)| ColumnSetRisk {
        columns: before.columns.iter().map(named).collect(),
        before: Fraction::new(before.combinations, read),
        after: Fraction::new(after.combinations, kept),
        apart: [before.separation(read), after.separation(kept)],
    });
    Ok(shown.collect())
}
