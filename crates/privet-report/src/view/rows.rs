//! Some records before and after. For the steward alone.

use super::super::block::{Block, Cell, Grid, Head, Section};
use super::super::gate::Key;
use super::super::model::SampleRows;

/// A sample of records, each as it was read and as it is published.
pub(super) fn rows(sample: &SampleRows, key: Key) -> Option<Section> {
    if sample.rows.is_empty() {
        return None;
    }
    let cell = |(before, after): &(String, String)| match before == after {
        true => Cell::from(key.text(after)),
        false => Cell::from(key.text(after)).set("strong").small(key.text(before)),
    };
    let heads = sample.columns.iter().map(|name| Head { name: key.text(name), class: "" }).collect();
    let rows = sample.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    let blocks = vec![
        Block::words(
            "Some distinct records as they are published, by the columns that the decision is about. Where a cell was changed, \
             its original is below it.",
        ),
        Block::Grid(Grid { label: "Some records before and after".into(), class: "cards rows", heads, rows }),
    ];
    Some(Section::new("rows", "Some records", "Some records, before and after", blocks))
}
