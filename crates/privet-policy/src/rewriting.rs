//! Columns whose cells are published in another form though nothing is generalised: what they ask of the rest of a policy.

use super::check::PolicyColumn;
use super::file::Section;
use super::release_kind::ReleaseKind;
use crate::method::Method;
use crate::requirement::Requirement;
use privet_core::Result;

/// Refuses methods that publish values as they are, and bounds that follow from a k that is not there.
pub(super) fn fit(
    root: &Section<'_>,
    columns: &[PolicyColumn],
    method: &Method,
    requirements: &[Requirement],
) -> Result<()> {
    for column in columns.iter().filter(|column| column.is_rewritten()) {
        let section = root.entry("columns").and_then(|entry| entry.section().ok());
        let section = section.and_then(|all| all.entry(&column.name)).and_then(|entry| entry.section().ok());
        let Some(entry) = section.and_then(|section| section.entry("numbers")) else { continue };
        if method.publishes() != ReleaseKind::Table || method.declaration().role.is_some() {
            return Err(entry
                .error(format!("method \"{}\" does not use '{}'", method.name(), entry.name()))
                .help("choose a method that publishes one generalised table, such as \"full-domain\" or \"mondrian\""));
        }
        let k = requirements.iter().filter_map(Requirement::k).max().unwrap_or(1);
        if k < 2 && column.numbers.as_ref().is_some_and(|numbers| numbers.asks_for_k()) {
            return Err(entry
                .error(format!(
                    "'{}' has a bound \"k\", but no requirement of the policy has a k",
                    entry.name()
                ))
                .help("name a number, or add [privacy.k-anonymity] with k"));
        }
    }
    Ok(())
}
