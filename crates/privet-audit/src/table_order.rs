//! Does the order of a released table follow that of the original?

use hashbrown::HashMap;

use super::cover::Coverage;
use super::notion::Facts;
use super::order::{self, Components, FALSE_ALARM, UNKNOWN};
use super::truth::Index;
use super::{Check, table};
use privet_core::Result;

const NAME: &str = "order";

/// What becomes of originals that fit several classes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Overlap {
    /// Classes that share somebody are one.
    Joined,
    /// Such originals are passed over.
    PassedOver,
}

/// Compares the order of the release with that of the original.
pub(super) fn check(facts: &Facts<'_>, coverage: &[Coverage]) -> Result<Check> {
    let release = &facts.tables.release;
    if release.sorting.holds() {
        return Ok(Check::new(NAME, true, "the rows are sorted by what they show"));
    }
    let ways = [Overlap::Joined, Overlap::PassedOver];
    for overlap in ways {
        let (reference, released) = symbols(facts, coverage, overlap)?;
        if let Some(found) = order::agreement(&reference, &released, FALSE_ALARM / ways.len() as f64) {
            let detail =
                format!("the rows are not in random order beside the original: {found}. Shuffle the rows");
            return Ok(Check::new(NAME, false, detail));
        }
    }
    Ok(Check::new(
        NAME,
        true,
        "the order of the rows agrees with that of the original no more than by chance",
    ))
}

/// Both tables as sequences of symbols: rows that could be about the same person, as far as unchanged columns tell, have the
/// same.
fn symbols(facts: &Facts<'_>, coverage: &[Coverage], overlap: Overlap) -> Result<(Vec<u32>, Vec<u32>)> {
    let (original, release) = (&facts.tables.original, &facts.tables.release);
    let quasi = coverage.len();
    let classes = &facts.classes.cells;
    let (people, person_of) = original.records.beginnings(quasi)?;
    let index = Index::of(classes, coverage);
    let mut components = Components::new(classes.ids().len());
    let mut of_person: Vec<u32> = Vec::with_capacity(people.ids().len());
    for person in people.ids() {
        let covering = index.covering(people.get(person));
        of_person.push(match (covering.as_slice(), overlap) {
            ([], _) => UNKNOWN,
            ([only], _) => *only,
            (_, Overlap::PassedOver) => UNKNOWN,
            ([first, others @ ..], Overlap::Joined) => {
                others.iter().for_each(|other| components.join(*first, *other));
                *first
            }
        });
    }
    // Columns that may have changed tell nothing: sets that lost terms, and columns with suppressed cells.
    let patterns = facts.suppressed.patterns(&release.records, quasi);
    let starred = |place: usize| patterns.iter().flatten().any(|(starred, _)| *starred == place);
    let unchanged: Vec<usize> = (0..facts.layout.plain.len())
        .filter(|place| facts.layout.sets != Some(*place) && !starred(*place))
        .map(|place| quasi + place)
        .collect();
    let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut symbol = |class: u32, record: &[u32]| {
        if class == UNKNOWN {
            return UNKNOWN;
        }
        let all: Vec<u32> =
            [components.of(class)].into_iter().chain(unchanged.iter().map(|at| record[*at])).collect();
        let next = known.len() as u32;
        *known.entry(all).or_insert(next)
    };
    let of_original: Vec<u32> = (original.records.ids())
        .map(|id| symbol(of_person[person_of[id as usize] as usize], original.records.get(id)))
        .collect();
    let of_released: Vec<u32> = (release.records.ids())
        .map(|id| {
            let record = release.records.get(id);
            symbol(classes.find(&record[..quasi]).unwrap_or(UNKNOWN), record)
        })
        .collect();
    let sequence = |table: &table::Table, symbols: &[u32]| -> Vec<u32> {
        table.order.iter().map(|id| symbols[id as usize]).collect()
    };
    Ok((sequence(original, &of_original), sequence(release, &of_released)))
}
