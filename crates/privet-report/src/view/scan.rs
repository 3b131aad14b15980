//! What looks like a direct identifier. For the steward alone.

use super::super::block::{Block, Cell, Grid, Mark, Section};
use super::super::gate::{Datum, Key};
use super::super::scan::{Fate, IdentifierKind, Scan, Suspect};

pub(super) fn scan(scan: &Scan, key: Key) -> Section {
    let looked_at = Datum::say(
        "{} {} {} of the original were held against the eighteen kinds of identifiers of HIPAA’s Safe Harbor rule, by the names \
         of columns and by what values look like. A pattern proves nothing: look yourself.",
        [
            if scan.partial { "The first" } else { "All" }.into(),
            key.count(scan.looked_at),
            key.text(&scan.noun),
        ],
    );
    let mut blocks = vec![Block::prose(looked_at)];
    if !scan.suspects.is_empty() {
        let heads = ["Looks like", "Column", "By", "Values that do#", "In the release"];
        let rows = scan.suspects.iter().map(|suspect| row(suspect, key)).collect();
        blocks.push(Block::Grid(Grid::cards("What looks like an identifier", &heads, rows)));
    }
    let found = |kind: &IdentifierKind| scan.suspects.iter().any(|suspect| suspect.kind == *kind);
    let nothing = IdentifierKind::ALL.iter().filter(|kind| !found(kind)).map(|kind| kind.name().into());
    let nothing = Datum::join(nothing, "; ");
    if !nothing.is_empty() {
        blocks.push(Block::aside(Datum::say("Nothing found of: {}.", [nothing])));
    }
    Section::new("scan", "Identifiers", "Direct identifiers", blocks)
}

fn row(suspect: &Suspect, key: Key) -> Vec<Cell> {
    let why = match (suspect.by_name, suspect.hits > 0) {
        (true, true) => "its name and its values",
        (true, false) => "its name",
        (false, _) => "its values",
    };
    let hits = match (suspect.kind.has_pattern(), suspect.hits) {
        (false, _) => "no pattern".into(),
        (true, 0) if suspect.by_name => "–".into(),
        (true, hits) => key.count(hits),
    };
    let fate = match suspect.fate {
        Fate::LeftOut => "left out".into(),
        Fate::Changed => "made coarser, or left out where needed".into(),
        Fate::Published => Cell { mark: Mark::Fails, ..Cell::from("published as it is") },
    };
    let column = if suspect.column.is_empty() { "–".into() } else { key.text(&suspect.column) };
    vec![suspect.kind.name().into(), column.into(), why.into(), hits.into(), fate]
}
