//! Who was left out, by subgroup. For the steward alone: it speaks of records that the release does not have.

use super::super::block::{Block, Chart, Section};
use super::super::chart::{self, Bar};
use super::super::common::Common;
use super::super::gate::{Datum, Key};
use super::super::model::{Subgroup, Subgroups};

/// Suppressed records by subgroup; nothing where no record is suppressed.
pub(super) fn suppression(common: &Common, key: Key) -> Option<Section> {
    let records = &common.records;
    if *records.suppressed.see(key) == 0 {
        return None;
    }
    let overall = key.percent(*records.suppressed.next_to(records.released).see(key));
    let charts = common.subgroups.iter().map(|column| by_column(column, &overall, key)).collect();
    let charts = Block::charts(charts)?;
    let how = "{} of all records are suppressed. The bars say how many of each subgroup: where they differ much, the release \
               speaks less for some people than for others.";
    let blocks = vec![Block::prose(Datum::say(how, [overall])), charts];
    Some(Section::new("suppressed", "Left out", "Who was left out", blocks))
}

fn by_column(column: &Subgroups, overall: &Datum, key: Key) -> Chart {
    let groups: Vec<&Subgroup> = column.groups.iter().filter(|group| *group.records.see(key) > 0).collect();
    let share = |group: &Subgroup| {
        *group.suppressed.with(group.records, |part, whole| part as f64 / whole.max(1) as f64).see(key)
    };
    let bar = |group: &&Subgroup| Bar {
        name: key.text(&group.label),
        before: None,
        text: key.percent(share(group)),
        after: Some(share(group)),
    };
    let row = |group: &&Subgroup| {
        let [suppressed, records] = [group.suppressed, group.records].map(|count| key.count(*count.see(key)));
        vec![key.text(&group.label), suppressed, records, key.percent(share(group))]
    };
    let name = key.text(&column.column);
    let title = Datum::say("Share of records left out, by {}; overall {}", [name.clone(), overall.clone()]);
    let svg = chart::bars(&groups.iter().map(bar).collect::<Vec<_>>(), &title);
    Chart::new(
        name,
        "",
        svg,
        &["Subgroup", "Suppressed", "Records", "Share"],
        groups.iter().map(row).collect(),
    )
}
