//! Quasi-sensitive columns: sets of terms, and what is publicly known about them.

use std::path::PathBuf;
use std::sync::Arc;

use super::check::{Role, character};
use super::file::{Policy, Section};
use privet_core::Result;
use privet_data::Knowledge;

/// How a quasi-sensitive column holds its sets, and what turns them into something sensitive.
#[derive(Debug, Clone)]
pub struct SetPolicy {
    /// What stands between the terms of a cell.
    pub separator: char,
    /// Labels and the terms that reveal them.
    pub knowledge: Arc<Knowledge>,
    /// The knowledge file.
    pub knowledge_path: PathBuf,
    /// What a term means that no label mentions.
    pub unknown_terms: UnknownTerms,
}

/// What a term means that no label mentions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownTerms {
    /// It cannot link, so it is left aside: an adversary gains nothing by using it.
    Ignore,
    /// A record that has it links to nothing. Weaker: it supposes an adversary who gives up.
    Strict,
}

impl SetPolicy {
    /// The keys that only a quasi-sensitive column has.
    pub(super) const KEYS: [&'static str; 3] = ["separator", "knowledge", "unknown_terms"];
}

impl Policy {
    /// What a column's section says about sets, if it is quasi-sensitive.
    pub(super) fn set_column(&self, section: &Section<'_>, role: Option<Role>) -> Result<Option<SetPolicy>> {
        if role != Some(Role::QuasiSensitive) {
            // Sensitive columns may have a separator of their own.
            let own = SetPolicy::KEYS.iter().filter(|key| **key != "separator");
            return match own.into_iter().find_map(|key| section.entry(key)) {
                Some(entry) => Err(entry
                    .error(format!("'{}' has no meaning for this role", entry.name()))
                    .help("remove it, or set role = \"quasi-sensitive\"")),
                None => Ok(None),
            };
        }
        let help = "say what stands between the terms of a cell: separator = \"|\"";
        section.required("separator", help)?;
        let Some(separator) = character(section, "separator")? else { return Ok(None) };
        let help = "name the public table of labels and terms: knowledge = \"diseases.csv\"";
        let entry = section.required("knowledge", help)?;
        let knowledge_path = match entry.text()? {
            "" => return Err(entry.error(format!("'{}' is empty", entry.name())).help(help)),
            path => self.resolve(path),
        };
        let knowledge = Arc::new(Knowledge::read(&knowledge_path, separator)?);
        let unknown_terms =
            match section.entry("unknown_terms").map(|entry| entry.one_of(&["ignore", "strict"])) {
                Some(word) if word.as_ref().is_ok_and(|word| *word == "strict") => UnknownTerms::Strict,
                Some(word) => word.map(|_| UnknownTerms::Ignore)?,
                None => UnknownTerms::Ignore,
            };
        Ok(Some(SetPolicy { separator, knowledge, knowledge_path, unknown_terms }))
    }
}
