//! Some records before and after.

use crate::release::report::SampleRows;
use privet_engine::microdata::Microdata;
use privet_methods::recoding::{Recoding, STAR};

/// At most this many records are shown.
const MOST_ROWS: usize = 8;
/// What stands for every cell of a record that is not published.
const SUPPRESSED: &str = "(suppressed)";

/// Distinct records, evenly spread over the data, by the columns that the decision is about.
pub(super) fn rows(microdata: &Microdata, recoding: &Recoding) -> SampleRows {
    let quasi = microdata.quasi.iter().map(|quasi| quasi.name.clone());
    let tracked = microdata.table.tracked.iter().map(|column| column.name.clone());
    let all = microdata.summary.len();
    let step = all.div_ceil(MOST_ROWS).max(1);
    SampleRows {
        columns: quasi.chain(tracked).collect(),
        rows: (0..all).step_by(step).map(|record| row(microdata, recoding, record)).collect(),
    }
}

/// A record's values, each as it was read and as it is published.
fn row(microdata: &Microdata, recoding: &Recoding, record: usize) -> Vec<(String, String)> {
    let class = recoding.destinations(record, microdata.summary.count(record)).next().map(|(class, _)| class);
    let quasi = microdata.quasi_codes(record).iter().enumerate().map(|(at, code)| {
        let published = class.map(|class| {
            let cell = recoding.cells(class as usize)[at];
            recoding.columns[at].cells[cell as usize].label.clone()
        });
        (microdata.summary.columns()[at].dictionary.values()[*code as usize].clone(), published)
    });
    let tracked = microdata.table.tracked.iter().enumerate().map(|(at, column)| {
        let code = microdata.tracked_code(record, at);
        let value = &column.values[code as usize];
        let starred = |class| recoding.is_starred(class, column.slots.start + code);
        let published = class.map(|class| if starred(class) { STAR.to_string() } else { value.clone() });
        (value.clone(), published)
    });
    let cell =
        |(before, after): (String, Option<String>)| (before, after.unwrap_or_else(|| SUPPRESSED.to_string()));
    quasi.chain(tracked).map(cell).collect()
}
