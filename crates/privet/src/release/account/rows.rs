//! Some records before and after.

use crate::release::report::SampleRows;
use privet_engine::microdata::Microdata;
use privet_methods::Solution;
use privet_methods::recoding::STAR;

/// At most this many records are shown.
const MOST_ROWS: usize = 8;
/// What stands for every cell of a record that is not published.
pub(in crate::release) const SUPPRESSED: &str = "(suppressed)";

/// Distinct records, evenly spread over the data, by the columns that the decision is about.
pub(in crate::release) fn rows(microdata: &Microdata, solution: &Solution) -> SampleRows {
    let all = microdata.summary.len();
    let step = all.div_ceil(MOST_ROWS).max(1);
    SampleRows {
        columns: columns(microdata),
        rows: (0..all).step_by(step).filter_map(|record| row(microdata, solution, record)).collect(),
    }
}

/// The columns that the decision is about.
pub(in crate::release) fn columns(microdata: &Microdata) -> Vec<String> {
    let quasi = microdata.quasi.iter().map(|quasi| quasi.name.clone());
    quasi.chain(microdata.table.tracked.iter().map(|column| column.name.clone())).collect()
}

/// The values of a record's quasi-identifiers as they were read.
pub(in crate::release) fn cells(microdata: &Microdata, record: usize) -> impl Iterator<Item = &str> {
    let codes = microdata.quasi_codes(record).iter().enumerate();
    codes.filter_map(|(at, code)| {
        let value = microdata.summary.columns().get(at)?.dictionary.values().get(*code as usize)?;
        Some(value.as_str())
    })
}

/// A record's values, each as it was read and as it is published; nothing where it cannot be followed.
pub(in crate::release) fn row(
    microdata: &Microdata,
    solution: &Solution,
    record: usize,
) -> Option<Vec<(String, String)>> {
    let recoding = &solution.recoding;
    let class = recoding.destinations(record, microdata.summary.count(record)).next().map(|(class, _)| class);
    let published = |value: Option<String>| match class {
        Some(_) => value,
        None => Some(SUPPRESSED.to_string()),
    };
    let quasi = microdata.quasi_codes(record).iter().enumerate().map(|(at, code)| {
        let before = microdata.summary.columns().get(at)?.dictionary.values().get(*code as usize)?;
        let shown = class.and_then(|class| {
            let cell = recoding.cells(class as usize).get(at)?;
            Some(recoding.columns.get(at)?.cells.get(*cell as usize)?.label.clone())
        });
        Some((before.clone(), published(shown)?))
    });
    let tracked = microdata.table.tracked.iter().enumerate().map(|(at, column)| {
        let code = microdata.tracked_code(record, at);
        let before = column.values.get(code as usize)?;
        if column.items.is_some() {
            let sets = solution.sets.as_ref();
            let changed = |class| sets.and_then(|sets| sets.changed(record as u32, class).next());
            let shown =
                class.map(|class| changed(class).map_or(before.as_str(), |(text, _)| text).to_string());
            return Some((before.clone(), published(shown)?));
        }
        let starred = |class| recoding.is_starred(class, column.slots.start + code);
        let shown = class.map(|class| if starred(class) { STAR.to_string() } else { before.clone() });
        Some((before.clone(), published(shown)?))
    });
    quasi.chain(tracked).collect()
}
