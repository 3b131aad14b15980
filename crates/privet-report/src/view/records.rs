//! What became of the records.

use super::super::block::Block;
use super::super::common::Common;
use super::super::gate::{Datum, Original};
use super::super::model::Records;
use super::super::{Edition, chart};

/// A count with its name, and the colour that stands for it.
type Part = (Datum, Datum, &'static str);

/// Records of a table.
pub(super) fn records(common: &Common, edition: Edition) -> Vec<Block> {
    let records = common.records;
    // The number of released records can be counted in the release itself.
    let released = edition.count(records.released);
    let mut parts: Vec<Part> = vec![("Released".into(), released.clone(), "after")];
    let Some(key) = edition.key() else {
        if !records.hides_suppressed {
            parts.extend(share(records, "Suppressed", records.suppressed, edition));
        }
        parts.extend(share(records, "Dropped", records.dropped, edition));
        return counts(parts, common, edition);
    };
    let [read, dropped, suppressed, starred] =
        [records.read, records.dropped, records.suppressed, records.starred].map(|count| *count.see(key));
    let of_all = |count: u64| count as f64 / read.max(1) as f64;
    let flow = [
        (of_all(records.released), "after", Datum::say("{} released", [released.clone()])),
        (of_all(suppressed), "withheld", Datum::say("{} suppressed", [key.count(suppressed)])),
        (of_all(dropped), "before", Datum::say("{} dropped", [key.count(dropped)])),
    ];
    let title = if read == 1 { "{} of {} record is released" } else { "{} of {} records are released" };
    let flow = chart::flow(&flow, &Datum::say(title, [released, key.count(read)]));
    parts.push(("Suppressed".into(), key.count(suppressed), "withheld"));
    if starred > 0 {
        parts.push(("Sensitive cells shown as *".into(), key.count(starred), ""));
    }
    parts.push(("Dropped".into(), key.count(dropped), "before"));
    parts.push(("Read".into(), key.count(read), ""));
    let mut blocks = vec![Block::Drawing(flow)];
    blocks.extend(counts(parts, common, edition));
    blocks
}

/// What is not released, next to what is: for the public a share in steps, where there may be one.
pub(super) fn share(
    records: Records,
    name: &'static str,
    count: Original<u64>,
    edition: Edition,
) -> Option<Part> {
    let shown = count.next_to(records.released).shown(edition, records.released)?;
    Some((name.into(), shown.text, ""))
}

/// Counts, with those of people who were kept out: they are not among the records that were read for the release.
pub(super) fn counts(mut parts: Vec<Part>, common: &Common, edition: Edition) -> Vec<Block> {
    let released = common.records.released;
    parts.extend(common.held_out.map(|held_out| {
        let count = match edition.key() {
            Some(key) => key.count(*held_out.see(key)),
            None => (held_out.next_to(released).shown(edition, released))
                .map_or_else(|| "some".into(), |share| share.text),
        };
        ("Held out before, for attacks to be tried on".into(), count, "")
    }));
    vec![Block::Counts(parts)]
}
