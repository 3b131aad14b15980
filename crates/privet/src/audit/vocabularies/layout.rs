//! What a released file holds beside its vocabularies.

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
