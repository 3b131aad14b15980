//! Missing values: how the data spell them, and how a release does.

use std::sync::Arc;

use super::check::PolicyColumn;
use super::file::Section;
use privet_core::Result;

/// The spellings of a missing value; the first is the one that is published.
///
/// That is the empty cell unless `missing_as` says otherwise. An empty cell is then a missing value too: a release could not tell
/// the two apart.
pub(super) fn spellings(data: &Section<'_>) -> Result<Vec<String>> {
    let listed = match data.entry("missing") {
        Some(entry) => entry.texts()?,
        None => vec![String::new()],
    };
    let published = match data.entry("missing_as") {
        Some(entry) if listed.is_empty() => {
            return Err(entry
                .error("'missing_as' has no meaning: 'missing' lists no spelling, so nothing is missing")
                .help("list the spellings in 'missing', or remove 'missing_as'"));
        }
        Some(entry) => match entry.text()? {
            "*" => {
                return Err(entry
                    .error("'missing_as' cannot be \"*\", which releases use for suppressed cells")
                    .help("choose another text, or remove it: missing values are then empty cells"));
            }
            text => text.to_string(),
        },
        None if listed.is_empty() => return Ok(listed),
        None => String::new(),
    };
    let others = listed.into_iter().filter(|spelling| *spelling != published).collect::<Vec<_>>();
    Ok([vec![published], others].concat())
}

/// Gives leaves that stand for a missing value the text that is published for it: a hierarchy file cannot have empty labels.
pub(super) fn name_leaves(columns: &mut [PolicyColumn], missing: &[String]) -> Result<()> {
    let Some((published, others)) = missing.split_first() else { return Ok(()) };
    for column in columns {
        let Some(tree) = &column.hierarchy else { continue };
        for spelling in others {
            if let Some(renamed) = tree.relabelled(spelling, published)? {
                column.hierarchy = Some(Arc::new(renamed));
                break;
            }
        }
    }
    Ok(())
}
