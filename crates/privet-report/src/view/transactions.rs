//! The report about transactions.

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use super::super::Edition;
use super::super::chart;
use super::super::gate::Key;
use super::super::lens::{capital, percent, thousands};
use super::super::transactions::{
    ItemLoss, RecodingKind, SensitiveItem, TransactionReport, promise, protections,
};
use super::columns::TreeView;
use super::item_trees::trees;
use super::verdict::{self, KeyFigure, Verdict};
use super::{Figure, Frame, Own, RecordPart, RecordsView, UtilityRow, figures};

/// More sensitive items than this are not listed.
const MOST_SENSITIVE: usize = 40;

/// What makes records alike.
const ALIKE: &str = "A class is all transactions with exactly the same items: the risk if an adversary knew all of them. The requirement limits what follows from a few.";

/// The whole page.
#[derive(Serialize)]
struct View {
    #[serde(flatten)]
    frame: Frame,
    recoding: &'static str,
    trees: Vec<TreeView>,
    /// What is said about trees and nodes that are not drawn.
    undrawn: Option<String>,
    sensitive: Vec<SensitiveRow>,
    more_sensitive: Option<String>,
    utility: Vec<UtilityRow>,
    dearest: Vec<DearestRow>,
    lengths: Option<Figure>,
}

/// An item that loses much.
#[derive(Serialize)]
struct DearestRow {
    item: String,
    published: String,
    occurrences: String,
    ncp: String,
    share: String,
}

/// A sensitive item against its threshold.
#[derive(Serialize)]
struct SensitiveRow {
    name: String,
    transactions: String,
    share: String,
    threshold: String,
    chart: Option<Value>,
}

/// Puts the model into words, as far as the edition may speak.
pub(in super::super) fn view(model: &TransactionReport, edition: Edition) -> Value {
    let (trees, undrawn) = trees(model, edition);
    let shown = |item: &&SensitiveItem| edition.is_steward() || item.transactions > 0;
    let shown: Vec<&SensitiveItem> = model.sensitive.iter().filter(shown).collect();
    let left = shown.len().saturating_sub(MOST_SENSITIVE);
    let sensitive: Vec<_> =
        shown.iter().take(MOST_SENSITIVE).map(|item| sensitive_row(item, model, edition)).collect();
    let lengths = figures::distribution(&model.lengths, edition).map(|lengths| Figure {
        note: "Share of transactions by how many items they have, sensitive ones left aside. Items that become one group \
               count once."
            .to_string(),
        ..lengths
    });
    let mut sections = Vec::new();
    sections.extend((!trees.is_empty()).then_some(("items", "Items")));
    sections.extend((!sensitive.is_empty()).then_some(("sensitive", "Sensitive items")));
    sections.push(("utility", "What is left"));
    let own = Own {
        about: "on transactions",
        noun: "transactions",
        noun_title: "Transactions",
        kind: "transactions",
        k: None,
        alike: ALIKE,
        verdict: first_page(model, edition),
        requirements: model
            .requirements
            .iter()
            .map(|limit| (limit.description.clone(), format!("{}.", capital(&promise(limit)))))
            .collect(),
        records: records(model, edition),
        reading: reading(model),
        sections,
        glossary: glossary(),
    };
    Value::from(Serde(View {
        recoding: recoding(model.recoding),
        trees,
        undrawn,
        more_sensitive: (left > 0).then(|| match edition {
            Edition::Steward => format!("{} further items are less frequent.", thousands(left as u64)),
            Edition::Public => "Further items are less frequent.".to_string(),
        }),
        sensitive,
        utility: utility(model, edition),
        dearest: edition.key().map(|key| dearest(model, key)).unwrap_or_default(),
        lengths,
        frame: Frame::new(&model.common, own, edition),
    }))
}

fn first_page(model: &TransactionReport, edition: Edition) -> Verdict {
    let records = model.common.records;
    let empty = records.released == 0;
    let promise = if empty {
        "All transactions are left out: nothing is released, and nothing can be learnt from it.".to_string()
    } else {
        verdict::promise(model.requirements.iter().map(promise))
    };
    let mut figures = vec![KeyFigure {
        value: edition.count(records.released),
        name: "transactions released".to_string(),
        note: match edition.key() {
            Some(key) => format!("of {} read", thousands(*records.read.see(key))),
            None => "one line each".to_string(),
        },
    }];
    if !empty {
        figures.push(KeyFigure {
            value: edition.count(model.utility.items_after),
            name: "items and groups in the release".to_string(),
            note: match edition.key() {
                Some(key) => {
                    format!("in the original: {} items", thousands(*model.utility.items_before.see(key)))
                }
                None => "sensitive items left aside".to_string(),
            },
        });
        let exactly = verdict::exactly(&model.common, "item occurrences", edition);
        figures.extend(exactly.map(|figure| KeyFigure {
            note: match model.recoding {
                RecodingKind::Suppression => "the others are left out".to_string(),
                RecodingKind::Cut | RecodingKind::Local => "the others show a group".to_string(),
            },
            ..figure
        }));
        figures.extend(verdict::lost(&model.common, edition));
    }
    let protections = protections(&model.requirements, !model.sensitive.is_empty());
    Verdict::new(model.common.audit.passed, empty, promise, figures, protections)
}

/// The items that lose most: figures about the original, for the steward alone.
fn dearest(model: &TransactionReport, key: Key) -> Vec<DearestRow> {
    let row = |loss: &ItemLoss| DearestRow {
        item: loss.item.clone(),
        published: match (&loss.published, model.recoding) {
            (Some(node), _) => node.clone(),
            (None, RecodingKind::Local) => "differs".to_string(),
            (None, _) => "left out".to_string(),
        },
        occurrences: thousands(loss.occurrences),
        ncp: percent(loss.ncp),
        share: percent(loss.share),
    };
    model.dearest.see(key).iter().map(row).collect()
}

/// The share of occurrences that show as the item itself.
fn at_leaves(model: &TransactionReport, edition: Edition) -> Option<String> {
    Some(model.utility.at_leaves.told(edition, model.common.records.released)?.text)
}

fn records(model: &TransactionReport, edition: Edition) -> RecordsView {
    let records = model.common.records;
    let part = |name, swatch, count| RecordPart { name, swatch, count: edition.count(count) };
    let mut parts = vec![part("Transactions released", Some("after"), records.released)];
    if let Some(key) = edition.key() {
        let [suppressed, starred, read] =
            [records.suppressed, records.starred, records.read].map(|count| *count.see(key));
        parts.extend((suppressed > 0).then(|| part("Suppressed", Some("withheld"), suppressed)));
        parts.extend((starred > 0).then(|| part("Item occurrences left out", None, starred)));
        parts.push(part("Read", None, read));
    }
    RecordsView { parts, flow: None }
}

fn reading(model: &TransactionReport) -> Vec<(&'static str, String)> {
    let items = match model.recoding {
        RecodingKind::Cut => {
            "An item, or a group that contains it: a group says that at least one of its items is there, not which and not \
             how many. Every item is published in the same way everywhere, so what a line does not show is not there."
        }
        RecodingKind::Suppression => {
            "Some items are left out of all transactions: that a line does not show them says nothing. All others are \
             published in the same way everywhere."
        }
        RecodingKind::Local => {
            "An item, or a group that contains it. The same item may be published as itself in one line and as a group in \
             another, so an item that a line does not show may still be there, in a group."
        }
    };
    let mut reading = vec![
        ("Lines", "Each line is one transaction, in shuffled order; a line without items is a transaction without any.".to_string()),
        ("Items", items.to_string()),
    ];
    if !model.sensitive.is_empty() {
        reading.push((
            "Sensitive items",
            "Published as they are, in the line of their transaction.".to_string(),
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
        RecodingKind::Local => {
            "Each transaction is generalised in its own way, so nodes of several levels are in use."
        }
    }
}

fn sensitive_row(item: &SensitiveItem, model: &TransactionReport, edition: Edition) -> SensitiveRow {
    let all = model.common.records.released;
    let share = item.transactions as f64 / all.max(1) as f64;
    let text = edition.share(share, all);
    // The bar would tell a share that the text withholds.
    let drawn = edition.is_steward() || text == percent(share);
    let limited = item.threshold < 1.0;
    let threshold = if limited { item.threshold_text.clone() } else { "none".to_string() };
    let title = format!("{}: in {text} of all transactions, confidence allowed: {threshold}", item.name);
    SensitiveRow {
        name: item.name.clone(),
        transactions: edition.count(item.transactions),
        chart: drawn.then(|| chart::share(share, limited.then_some(item.threshold), &title)),
        share: text,
        threshold,
    }
}

fn utility(model: &TransactionReport, edition: Edition) -> Vec<UtilityRow> {
    let (utility, key) = (&model.utility, edition.key());
    let row = |name: &str, note, before: Option<String>, after: String| UtilityRow {
        name: name.to_string(),
        note,
        before,
        after,
    };
    let mut rows = vec![
        row(
            "Distinct items",
            "items and groups that occur",
            key.map(|key| thousands(*utility.items_before.see(key))),
            edition.count(utility.items_after),
        ),
        row(
            "Mean transaction length",
            "sensitive items left aside",
            key.map(|key| format!("{:.2}", utility.length_before.see(key))),
            format!("{:.2}", utility.length_after),
        ),
    ];
    rows.extend(at_leaves(model, edition).map(|share| {
        let note = "the others show a group, or nothing";
        row("Occurrences published as the item itself", note, key.map(|_| percent(1.0)), share)
    }));
    let Some(key) = key else { return rows };
    let patterns = utility.patterns.see(key);
    let name = match patterns.complete {
        true => "Frequent patterns, from",
        false => "The first of very many frequent patterns, from",
    };
    rows.push(row(
        &format!("{name} {} of transactions on", percent(patterns.threshold)),
        "sets of items and groups, the trivial one of the root included",
        Some(thousands(patterns.before)),
        thousands(patterns.after),
    ));
    rows.push(row("Patterns of the original that are still there", "", None, thousands(patterns.common)));
    rows.push(row(
        "Error of their supports",
        "summed differences over summed supports, common patterns only",
        None,
        percent(patterns.error),
    ));
    rows
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
            "Whoever knows up to m items or groups that a transaction holds, and items with up to n leaves that it lacks, \
             finds none or at least k that fit, of which at most the share 1/l holds any one sensitive item.",
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
