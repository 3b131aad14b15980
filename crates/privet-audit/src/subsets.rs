//! Does every released record stand for an original record of its own, where sets may have lost terms?
//!
//! As [`super::truth`], but in the quasi-sensitive column the released set must be a part of the original one.

use hashbrown::HashMap;

use super::cover::Coverage;
use super::flow;
use super::notion::Facts;
use super::truth::{ClassIndex, Contested};
use privet_core::Result;
use privet_data::terms_of;

/// How many copies of each distinct released record stand for no original record; `column` is where the sets are among the
/// unchanged columns.
pub(super) fn without_original(facts: &Facts<'_>, coverage: &[Coverage], column: usize) -> Result<Vec<u64>> {
    let (tables, classes, quasi) = (facts.tables, facts.classes, coverage.len());
    let (original, release) = (&tables.original.records, &tables.release.records);
    let separator = facts.layout.plain.get(column).and_then(|place| facts.policy.columns.get(place.original));
    let separator = separator.and_then(|column| column.sets.as_ref()).map_or('|', |sets| sets.separator);
    let set_of = |tuple: &[u32]| terms_of(tables.plain[column].text(tuple[quasi + column]), separator);
    // The set column stands last, so what comes between it and the quasi-identifiers must be equal.
    let unchanged = quasi..quasi + column;

    // By class and unchanged columns, the released records.
    let mut released: HashMap<(u32, &[u32]), Vec<u32>> = HashMap::new();
    for class in classes.cells.ids() {
        for id in classes.members(class) {
            released.entry((class, &release.get(*id)[unchanged.clone()])).or_default().push(*id);
        }
    }
    let index = ClassIndex::of(&classes.cells, coverage);
    let covering: Vec<Vec<u32>> =
        original.ids().map(|id| index.covering(&original.get(id)[..quasi])).collect();
    let mut wanted: Vec<u64> = release.ids().map(|id| release.count(id)).collect();
    let mut supply: Vec<u64> = original.ids().map(|id| original.count(id)).collect();

    // An original that only one class covers may go to a released record with the very same set, if there is one: were it
    // used for a smaller set there, the two records' originals could be swapped.
    for id in original.ids() {
        if let [class] = covering[id as usize][..] {
            let tuple = [classes.cells.get(class), &original.get(id)[quasi..]].concat();
            if let Some(same) = release.find(&tuple) {
                let taken = supply[id as usize].min(wanted[same as usize]);
                supply[id as usize] -= taken;
                wanted[same as usize] -= taken;
            }
        }
    }
    let mut contested = Contested::default();
    for id in original.ids().filter(|id| supply[*id as usize] > 0) {
        let tuple = original.get(id);
        let set = set_of(tuple);
        let candidates = covering[id as usize]
            .iter()
            .filter_map(|class| released.get(&(*class, &tuple[unchanged.clone()])))
            .flatten()
            .copied();
        let fitting: Vec<u32> = candidates
            .filter(|released| wanted[*released as usize] > 0)
            .filter(|released| {
                set_of(release.get(*released)).iter().all(|term| set.binary_search(term).is_ok())
            })
            .collect();
        if !fitting.is_empty() {
            contested.add(fitting, supply[id as usize])?;
        }
    }
    if wanted.iter().any(|open| *open > 0) {
        flow::fill(&contested.supplies, &mut wanted);
    }
    Ok(wanted)
}
