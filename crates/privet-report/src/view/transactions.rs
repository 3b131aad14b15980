//! The report about transactions.

use super::super::block::{Block, Cell, Chart, Grid, Section};
use super::super::gate::{Datum, Key, PublicNames, SuppressedItem};
use super::super::numbers::percent;
use super::super::transactions::{
    GroupReason, ItemLoss, RecodingKind, SensitiveItem, SuppressedPart, TransactionReport, promise,
    protections,
};
use super::super::{Edition, chart};
use super::item_trees::trees;
use super::verdict::{self, KeyFigure, Verdict};
use super::{Own, columns, figures, records, utility};

/// More sensitive items than this are not listed.
const MOST_SENSITIVE: usize = 40;

/// What makes records alike.
const ALIKE: &str = "A class is all transactions with exactly the same items: the risk if an attacker knew all of them. The requirement limits what follows from a few.";

/// What transactions add to what all reports have.
pub(super) fn own(model: &TransactionReport, edition: Edition) -> Own {
    let mut sections = Vec::new();
    sections.extend(items(model, edition));
    sections.extend(sensitive(model, edition));
    sections.push(left(model, edition));
    Own {
        about: "on transactions",
        noun: "transactions",
        title: "Released transactions",
        k: None,
        alike: ALIKE,
        verdict: first_page(model, edition),
        requirements: (model.requirements.iter())
            .map(|limit| (Datum::setting(&limit.description), Datum::setting(promise(limit)).sentence()))
            .collect(),
        records: became(model, edition),
        reading: reading(model),
        sections,
        glossary: glossary(),
    }
}

fn first_page(model: &TransactionReport, edition: Edition) -> Verdict {
    let common = &model.common;
    let empty = common.records.released == 0;
    let promise = match empty {
        true => {
            "All transactions are left out: nothing is released, and nothing can be learnt from it.".into()
        }
        false => verdict::promise(model.requirements.iter().map(promise)),
    };
    let line = "one line each".into();
    let mut figures = vec![verdict::released(common, "transactions released", "of {} read", line, edition)];
    if !empty {
        figures.push(KeyFigure::new(
            edition.count(model.utility.items_after),
            "items and groups in the release",
            edition.key().map_or_else(
                || "sensitive items left aside".into(),
                |key| {
                    Datum::say("in the original: {} items", [key.count(*model.utility.items_before.see(key))])
                },
            ),
        ));
        let note = match model.recoding {
            RecodingKind::Suppression => "the others are left out",
            RecodingKind::Part => "the others show a group, or are suppressed",
            RecodingKind::Cut | RecodingKind::Local => "the others show a group",
        };
        let exactly = verdict::exactly(common, "item occurrences", edition);
        figures.extend(exactly.map(|figure| KeyFigure { note: note.into(), ..figure }));
        figures.extend(verdict::lost(common, edition));
    }
    let protections = protections(&model.requirements, !model.sensitive.is_empty());
    Verdict::new(common.audit.passed, empty, promise, figures, protections)
}

fn became(model: &TransactionReport, edition: Edition) -> Vec<Block> {
    let records = model.common.records;
    let mut parts = vec![("Transactions released".into(), edition.count(records.released), "after")];
    if let Some(key) = edition.key() {
        let [suppressed, starred, read] =
            [records.suppressed, records.starred, records.read].map(|count| *count.see(key));
        parts.extend((suppressed > 0).then(|| ("Suppressed".into(), key.count(suppressed), "withheld")));
        let emptied = model.suppression.as_ref().map_or(0, |part| *part.emptied.see(key));
        parts.extend((emptied > 0).then(|| ("Left without items".into(), key.count(emptied), "")));
        parts.extend((starred > 0).then(|| ("Item occurrences left out".into(), key.count(starred), "")));
        parts.push(("Read".into(), key.count(read), ""));
    }
    records::counts(parts, &model.common, edition)
}

fn reading(model: &TransactionReport) -> Vec<(Datum, Datum)> {
    let items = match model.recoding {
        RecodingKind::Cut => {
            "An item, or a group that contains it: a group says that at least one of its items is there, not which and not \
             how many. Every item is published in the same way everywhere, so what a line does not show is not there."
        }
        RecodingKind::Suppression => {
            "Some items are left out of all transactions: that a line does not show them says nothing. All others are \
             published in the same way everywhere."
        }
        RecodingKind::Part => {
            "An item, or a group that contains it: a group says that at least one of its items is there, not which and not \
             how many. Some items may be suppressed in all transactions: that a line does not show them says nothing. All \
             others are published in the same way everywhere."
        }
        RecodingKind::Local => {
            "An item, or a group that contains it. The same item may be published as itself in one line and as a group in \
             another, so an item that a line does not show may still be there, in a group."
        }
    };
    let mut reading = vec![
        (
            "Lines".into(),
            "Each line is one transaction, in shuffled order; a line without items is a transaction without any.".into(),
        ),
        ("Items".into(), items.into()),
    ];
    if !model.sensitive.is_empty() {
        reading.push((
            "Sensitive items".into(),
            "Published as they are, in the line of their transaction.".into(),
        ));
    }
    reading
}

fn recoding(kind: RecodingKind) -> &'static str {
    match kind {
        RecodingKind::Cut => {
            "One cut through the tree of items: every item is published as its node on the cut."
        }
        RecodingKind::Suppression => "Items are published as they are, or left out of all transactions.",
        RecodingKind::Part => {
            "One cut through the tree of items: every item is published as its node on the cut, or suppressed in all \
             transactions."
        }
        RecodingKind::Local => {
            "Each transaction is generalised in its own way, so nodes of several levels are in use."
        }
    }
}

/// What items are published as.
fn items(model: &TransactionReport, edition: Edition) -> Option<Section> {
    let (charts, undrawn) = trees(model, edition);
    if charts.is_empty() {
        return None;
    }
    let mut blocks = vec![Block::words(recoding(model.recoding))];
    blocks.extend(columns::trees(charts, "transactions", edition));
    blocks.extend((!undrawn.is_empty()).then(|| Block::aside(undrawn)));
    blocks.extend(model.suppression.as_ref().into_iter().flat_map(|part| suppressed(part, edition)));
    blocks.extend(edition.key().into_iter().flat_map(|key| reasons(model, key)));
    Some(Section::new("items", "Items", "Items and what they are published as", blocks))
}

/// What is suppressed: with counts for the steward, as names for the public where these point at nobody.
fn suppressed(part: &SuppressedPart, edition: Edition) -> Vec<Block> {
    let Some(key) = edition.key() else {
        return vec![Block::prose(match part.items.public_names() {
            PublicNames::Named(names) if names.is_empty() => "No item is suppressed.".into(),
            PublicNames::Named(names) => {
                let names = Datum::join(names.iter().map(Datum::named), "; ");
                Datum::say("Suppressed in all transactions: {}.", [names])
            }
            PublicNames::Band(band) => {
                Datum::say("Items or groups suppressed in all transactions: {}.", [Datum::setting(band)])
            }
        })];
    };
    let row = |item: &SuppressedItem| -> Vec<Cell> {
        vec![key.text(&item.item).into(), key.count(item.occurrences).into()]
    };
    let rows: Vec<Vec<Cell>> = part.items.see(key).iter().map(row).collect();
    if rows.is_empty() {
        return vec![Block::words("No item is suppressed.")];
    }
    let counts = [*part.occurrences.see(key), *part.of.see(key)].map(|count| key.count(count));
    vec![
        Block::Heading("Suppressed items".into()),
        Block::prose(Datum::say("{} of {} occurrences of items are removed from all transactions.", counts)),
        Block::Grid(Grid::cards("Suppressed items", &["Item or group", "Occurrences#"], rows)),
    ]
}

/// Why groups are published: threats of the original, for the steward alone.
fn reasons(model: &TransactionReport, key: Key) -> Vec<Block> {
    let row = |reason: &GroupReason| -> Vec<Cell> {
        vec![key.text(&reason.item).into(), key.text(reason.in_words()).into()]
    };
    let rows: Vec<Vec<Cell>> = model.reasons.see(key).iter().map(row).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    vec![
        Block::Heading("Why groups are published".into()),
        Block::words(
            "What an attacker could find if the group were published one level finer: the threat that fewest transactions fit.",
        ),
        Block::Grid(Grid::cards("Why groups are published", &["Group", "Threat one level below"], rows)),
    ]
}

/// Sensitive items against their thresholds.
fn sensitive(model: &TransactionReport, edition: Edition) -> Option<Section> {
    let rows = model.sensitive.iter().filter_map(|item| sensitive_row(item, model, edition));
    let mut rows: Vec<Vec<Cell>> = rows.collect();
    if rows.is_empty() {
        return None;
    }
    let left = rows.len().saturating_sub(MOST_SENSITIVE);
    rows.truncate(MOST_SENSITIVE);
    let heads = ["Item", "Transactions#", "Share#", "Confidence allowed#", "Share of all"];
    let mut blocks = vec![
        Block::words(
            "The bar is the share of all transactions that hold an item: how sure one is who knows nothing. The line is how \
             sure anybody may become.",
        ),
        Block::Grid(Grid::cards("Sensitive items", &heads, rows)),
    ];
    if left > 0 {
        blocks.push(Block::aside(match edition.key() {
            Some(key) => Datum::say("{} further items are less frequent.", [key.count(left as u64)]),
            None => "Further items are less frequent.".into(),
        }));
    }
    Some(Section::new("sensitive", "Sensitive items", "Sensitive items", blocks))
}

fn sensitive_row(item: &SensitiveItem, model: &TransactionReport, edition: Edition) -> Option<Vec<Cell>> {
    let all = model.common.records.released;
    let share = item.transactions as f64 / all.max(1) as f64;
    let text = edition.share(share, all);
    // The bar would tell a share that the text withholds.
    let drawn = edition.is_steward() || text.text() == percent(share);
    let limited = item.threshold < 1.0;
    let threshold = if limited { Datum::setting(&item.threshold_text) } else { "none".into() };
    let name = edition.value(&item.name, item.transactions)?;
    let title = Datum::say(
        "{}: in {} of all transactions, confidence allowed: {}",
        [name.clone(), text.clone(), threshold.clone()],
    );
    let bar = match drawn {
        true => Cell::drawn(chart::share(share, limited.then_some(item.threshold), &title), "", ""),
        false => "–".into(),
    };
    Some(vec![name.into(), edition.count(item.transactions).into(), text.into(), threshold.into(), bar])
}

/// What is left to analyse.
fn left(model: &TransactionReport, edition: Edition) -> Section {
    let mut blocks = vec![Block::Grid(utility(measures(model, edition), edition))];
    let lengths = figures::distribution(&model.lengths, edition).map(|lengths| Chart {
        note: "Share of transactions by how many items they have, sensitive ones left aside. Items that become one group count \
               once."
            .into(),
        ..lengths
    });
    blocks.extend(Block::charts(lengths.into_iter().collect()));
    blocks.extend(edition.key().into_iter().flat_map(|key| costliest(model, key)));
    Section::new("utility", "What is left", "What is left to analyse", blocks)
}

/// Measures, each with a remark, and its figures before and after.
fn measures(model: &TransactionReport, edition: Edition) -> Vec<super::Measure> {
    let (utility, key) = (&model.utility, edition.key());
    let mut rows = vec![
        (
            "Distinct items".into(),
            "items and groups that occur",
            key.map(|key| key.count(*utility.items_before.see(key))),
            edition.count(utility.items_after),
        ),
        (
            "Mean transaction length".into(),
            "sensitive items left aside",
            key.map(|key| key.text(format!("{:.2}", utility.length_before.see(key)))),
            Datum::measured(utility.length_after, |mean| format!("{mean:.2}")),
        ),
    ];
    rows.extend(utility.at_leaves.shown(edition, model.common.records.released).map(|share| {
        let note = "the others show a group, or nothing";
        ("Occurrences published as the item itself".into(), note, key.map(|key| key.percent(1.0)), share.text)
    }));
    let Some(key) = key else { return rows };
    let patterns = utility.patterns.see(key);
    let name = match patterns.complete {
        true => "Frequent patterns, from {} of transactions on",
        false => "The first of very many frequent patterns, from {} of transactions on",
    };
    rows.extend([
        (
            Datum::say(name, [key.percent(patterns.threshold)]),
            "sets of items and groups, the trivial one of the root included",
            Some(key.count(patterns.before)),
            key.count(patterns.after),
        ),
        ("Patterns of the original that are still there".into(), "", None, key.count(patterns.common)),
        (
            "Error of their supports".into(),
            "summed differences over summed supports, common patterns only",
            None,
            key.percent(patterns.error),
        ),
    ]);
    rows
}

/// The items that lose most: figures about the original, for the steward alone.
fn costliest(model: &TransactionReport, key: Key) -> Vec<Block> {
    let row = |loss: &ItemLoss| -> Vec<Cell> {
        let published = match (&loss.published, model.recoding) {
            (Some(node), _) => key.text(node),
            (None, RecodingKind::Local) => "differs".into(),
            (None, _) => "left out".into(),
        };
        let figures = [key.count(loss.occurrences), key.percent(loss.ncp), key.percent(loss.share)];
        [key.text(&loss.item), published].into_iter().chain(figures).map(Cell::from).collect()
    };
    let rows: Vec<Vec<Cell>> = model.costliest.see(key).iter().map(row).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let heads = ["Item", "Published as", "Occurrences#", "NCP per occurrence#", "Share of all loss#"];
    vec![
        Block::Heading("Items that lose most".into()),
        Block::Grid(Grid::cards("Items that lose most", &heads, rows)),
    ]
}

fn glossary() -> Vec<(&'static str, &'static str)> {
    vec![
        ("Transaction", "The set of items that one person bought, visited or was given."),
        (
            "Sensitive item",
            "What nobody may learn about a person. It is published as it is, in its transaction.",
        ),
        (
            "Item tree, cut",
            "A tree of ever coarser groups of items; a cut says which of its nodes the release uses.",
        ),
        ("Generalisation", "Publishing a group instead of an item: vehicles instead of bicycles."),
        (
            "Support",
            "How many transactions fit: hold all items known to be present, and none known to be absent.",
        ),
        (
            "KL(m,n)-privacy",
            "Anyone who knows up to m items or groups that a transaction holds, and items with up to n leaves that it lacks, \
             finds none or at least k that fit. At most the share 1/l of them holds any one sensitive item.",
        ),
        (
            "kᵐ-anonymity",
            "The same without sensitive items and absences: every set of up to m items occurs k times or never.",
        ),
        (
            "Frequent pattern",
            "A set of items or groups that occurs together in many transactions; what analysts look for first.",
        ),
        (
            "Information loss",
            "How much coarser the release is than the original, from 0 % (the same) to 100 % (nothing left).",
        ),
    ]
}
