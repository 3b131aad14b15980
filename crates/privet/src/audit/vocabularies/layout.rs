//! What a released file holds beside its vocabularies, and whether the manifest's figures are those of the file.

use super::{StatedShares, VocabularyRelease};
use crate::audit::Check;
use crate::data::Source;
use crate::{Error, Result};

/// The columns that a release has.
const COLUMNS: [&str; 3] = ["vocabulary", "term", "count"];

/// Any further column could tell who is who.
pub(super) fn check_columns(file: &Source) -> Check {
    let strangers: Vec<&str> = (file.columns().iter())
        .map(|column| column.name.as_str())
        .filter(|name| !COLUMNS.contains(name))
        .collect();
    let detail = match strangers[..] {
        [] => "the file has the published columns and no others".to_string(),
        _ => format!("not published columns: {}", strangers.join(", ")),
    };
    Check::new("columns", strangers.is_empty(), detail)
}

/// Numbers must be fresh, 1 and so on in the order of the file: any others could be somebody's.
pub(super) fn check_numbers(file: &Source) -> Result<Check> {
    let column = file.position(COLUMNS[0])?;
    let (mut last, mut wrong) = (0u64, None);
    let read = file.read(&mut |batch, _| {
        for row in 0..batch.rows() {
            let label = batch.cell(row, column);
            let next = last.saturating_add(1);
            if label != last.to_string() {
                if label != next.to_string() {
                    wrong = Some((batch.line(row), label.to_string()));
                    // An error is how a reading is ended early.
                    return Err(Error::interrupted());
                }
                last = next;
            }
        }
        Ok(())
    });
    if wrong.is_none() {
        read?;
    }
    let detail = match &wrong {
        None => "vocabularies are numbered from 1 on, in the order of the file".to_string(),
        Some((line, label)) => format!("line {line} has the number '{label}', which does not follow"),
    };
    Ok(Check::new("numbers", wrong.is_none(), detail))
}

/// The shares that are kept follow from the two files. bLM depends on which terms were put together, which no file tells;
/// but it is at least the share that is left out.
pub(super) fn check_shares(facts: &VocabularyRelease<'_>, stated: &StatedShares) -> Check {
    let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    let (original, release) = (facts.original, facts.release);
    let size = share(release.occurrences(), original.occurrences());
    let terms = share(release.terms().len() as u64, original.terms().len() as u64);
    let near = |one: f64, other: f64| (one - other).abs() <= 1e-9;
    let mut wrong = Vec::new();
    if !near(size, stated.size) {
        wrong
            .push(format!("{:.6} of the occurrences are kept, the manifest states {:.6}", size, stated.size));
    }
    if !near(terms, stated.distinct_terms) {
        wrong.push(format!(
            "{:.6} of the distinct terms are kept, the manifest states {:.6}",
            terms, stated.distinct_terms
        ));
    }
    if stated.blm < 1.0 - size - 1e-9 || stated.blm > 1.0 + 1e-9 {
        wrong.push(format!(
            "{:.6} of the occurrences are left out, and bLM, which counts them, is stated as {:.6}",
            1.0 - size,
            stated.blm
        ));
    }
    let detail = if wrong.is_empty() {
        "the manifest's shares are those of the files".to_string()
    } else {
        wrong.join("; ")
    };
    Check::new("shares", wrong.is_empty(), detail)
}
