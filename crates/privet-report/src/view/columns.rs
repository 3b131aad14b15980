//! What was done to each column, and what was chosen on its taxonomy.

use super::super::Edition;
use super::super::block::{Block, Cell, Chart, Grid, Section};
use super::super::chart::{self, TreeCounts};
use super::super::common::Common;
use super::super::gate::{Datum, Key};
use super::super::model::{ColumnAccount, TaxonomyDrawing, TaxonomyNode};

/// More labels than this are not listed below a taxonomy.
const MOST_LABELS: usize = 200;

/// The section on columns; none where the data has none.
pub(super) fn columns(common: &Common, edition: Edition) -> Option<Section> {
    if common.columns.is_empty() {
        return None;
    }
    let row = |column| row(column, common.records.released, edition);
    let heads = [
        "Column",
        "Role",
        "What was done",
        "Distinct values#",
        "Cells changed#",
        "Suppressed#",
        "Information lost",
    ];
    let mut blocks =
        vec![Block::Grid(Grid::cards("Columns", &heads, common.columns.iter().map(row).collect()))];
    if super::losses(common, edition).is_some() {
        blocks.push(Block::aside(
            "These figures are about released records. The measures in “What was lost” count suppressed ones too.".into(),
        ));
    }
    Some(Section::new("columns", "Columns", "Columns and what was done to them", blocks))
}

fn row(column: &ColumnAccount, released: u64, edition: Edition) -> Vec<Cell> {
    let (name, key) = (Datum::named(&column.name), edition.key());
    let before = column.distinct_before.zip(key).map(|(count, key)| key.count(*count.see(key)));
    let after = column.distinct_after.map(|count| edition.count(count));
    let lost = column.loss.and_then(|loss| loss.shown(edition, released)).map(|loss| {
        let title = Datum::say("{} of the information in {} is lost", [loss.text.clone(), name.clone()]);
        Cell::drawn(chart::meter(loss.share, &title), loss.text, "metered")
    });
    vec![
        name.clone().into(),
        Cell::from(Datum::setting(&column.role))
            .small(key.map_or_else(Datum::default, |key| key.text(column.reason.see(key)))),
        Cell::from(Datum::setting(&column.transformation)).small(
            column
                .why
                .as_ref()
                .zip(key)
                .map_or_else(Datum::default, |(why, key)| key.text(why.see(key).in_words())),
        ),
        Cell::or_dash(match (before, after) {
            (Some(before), Some(after)) => Some(Datum::say("{} → {}", [before, after])),
            (before, after) => before.or(after),
        }),
        Cell::or_dash(
            column.generalised.and_then(|share| share.shown(edition, released)).map(|share| share.text),
        ),
        Cell::or_dash(column.suppressed.map(|share| edition.share(share, released))),
        lost.unwrap_or_else(|| "–".into()),
    ]
}

/// The taxonomy of a column, where it has one.
pub(super) fn tree(column: &ColumnAccount, edition: Edition) -> Option<Chart> {
    let drawing = column.taxonomy.as_ref()?;
    let (name, done) = (Datum::named(&column.name), Datum::setting(&column.transformation));
    let title = Datum::say("Taxonomy of {}: {}", [name.clone(), done.clone()]);
    let heads = match edition.key() {
        Some(key) => vec![LabelHead::Level, LabelHead::Original(key), LabelHead::Release],
        None => vec![LabelHead::Level],
    };
    Some(taxonomy((name, done), &title, drawing, &heads, edition))
}

/// What is said of each label below a drawing.
#[derive(Clone, Copy)]
pub(super) enum LabelHead {
    Level,
    Original(Key),
    Release,
}

/// Draws a taxonomy; `heads` says what the table below it has of the labels in the release.
pub(super) fn taxonomy(
    (name, note): (Datum, Datum),
    title: &Datum,
    drawing: &TaxonomyDrawing,
    heads: &[LabelHead],
    edition: Edition,
) -> Chart {
    let counts = edition.key().map_or(TreeCounts::Hidden, TreeCounts::Shown);
    let cell = |node: &TaxonomyNode, head: &LabelHead| match head {
        LabelHead::Level => Datum::say("level {}", [Datum::setting(node.level)]),
        LabelHead::Original(key) => key.count(*node.records.see(*key)),
        LabelHead::Release => edition.count(node.released),
    };
    let row = |node: &TaxonomyNode| -> Option<Vec<Datum>> {
        let label = edition.value(&node.label, node.released)?;
        Some(std::iter::once(label).chain(heads.iter().map(|head| cell(node, head))).collect())
    };
    let names = heads.iter().map(|head| match head {
        LabelHead::Level => "Level",
        LabelHead::Original(_) => "In the original",
        LabelHead::Release => "In the release",
    });
    let names: Vec<&'static str> = std::iter::once("Label").chain(names).collect();
    let mut rows: Vec<Vec<Datum>> = drawing.nodes.iter().filter(|node| node.in_cut).filter_map(row).collect();
    if rows.len() > MOST_LABELS {
        rows.truncate(MOST_LABELS);
        let mut more = vec![Datum::default(); names.len()];
        more[0] = "… and more".into();
        rows.push(more);
    }
    let svg = chart::tree(drawing, counts, title);
    Chart { class: "tree", summary: "Labels in the release", ..Chart::new(name, note, svg, &names, rows) }
}

/// Trees with what their nodes mean; `counted` is what the steward's figures count.
pub(super) fn trees(charts: Vec<Chart>, counted: &'static str, edition: Edition) -> Vec<Block> {
    vec![
        Block::Legend { counted: edition.is_steward().then_some(counted) },
        Block::Charts { class: "figures trees", charts },
    ]
}
