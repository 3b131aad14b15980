//! What looks like a direct identifier. For the steward alone.

use serde::Serialize;

use super::super::lens::thousands;
use super::super::scan::{Fate, IdentifierKind, Scan, Suspect};

/// The section's figures.
#[derive(Serialize)]
pub(super) struct ScanView {
    looked_at: String,
    rows: Vec<ScanRow>,
    /// The kinds of which nothing was found, in words.
    nothing: String,
}

/// What was found of one kind.
#[derive(Serialize)]
struct ScanRow {
    kind: &'static str,
    column: String,
    why: &'static str,
    hits: String,
    fate: &'static str,
    /// Whether it needs a second look.
    leak: bool,
}

pub(super) fn scan(scan: &Scan) -> ScanView {
    let found = |kind: &IdentifierKind| scan.suspects.iter().any(|suspect| suspect.kind == *kind);
    let nothing: Vec<&str> =
        IdentifierKind::ALL.iter().filter(|kind| !found(kind)).map(|kind| kind.name()).collect();
    let whole = if scan.partial { "The first" } else { "All" };
    ScanView {
        looked_at: format!("{whole} {} {}", thousands(scan.looked_at), scan.noun),
        rows: scan.suspects.iter().map(row).collect(),
        nothing: nothing.join("; "),
    }
}

fn row(suspect: &Suspect) -> ScanRow {
    ScanRow {
        kind: suspect.kind.name(),
        column: if suspect.column.is_empty() { "–".to_string() } else { suspect.column.clone() },
        why: match (suspect.by_name, suspect.hits > 0) {
            (true, true) => "its name and its values",
            (true, false) => "its name",
            (false, _) => "its values",
        },
        hits: match (suspect.kind.has_pattern(), suspect.hits) {
            (false, _) => "no pattern".to_string(),
            (true, 0) if suspect.by_name => "–".to_string(),
            (true, hits) => thousands(hits),
        },
        fate: match suspect.fate {
            Fate::LeftOut => "left out",
            Fate::Changed => "made coarser, or left out where needed",
            Fate::Published => "published as it is",
        },
        leak: suspect.fate == Fate::Published,
    }
}
