//! Pseudonyms: what stands for a person in a release, the same in every table that is made with the same key.

use std::path::PathBuf;

use super::check::{PolicyColumn, Role};
use super::file::{Policy, Section};
use super::typed::choices;
use privet_core::Result;

choices! {
    /// What is done to a value before it is hashed, so that spellings of one value have one pseudonym.
    pub enum Normalise {
        /// Nothing.
        Nothing = "none",
        /// Blanks around it are removed.
        Trim = "trim",
        /// Blanks are removed, accents have one spelling (NFC), and capitals are small letters.
        Folded = "nfc-trim-lower",
    }
}

/// `[pseudonyms]`: how pseudonyms are made, and the key that they and the shifts of dates derive from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PseudonymPolicy {
    /// The file that is the key.
    pub key: PathBuf,
    /// How many letters and digits a pseudonym has, of five bits each.
    pub length: usize,
    /// What is done to values first.
    pub normalise: Normalise,
}

/// Shorter pseudonyms might be those of two people.
const LEAST_LENGTH: u64 = 16;
/// All bits of the hash.
const MOST_LENGTH: u64 = 51;

impl PseudonymPolicy {
    /// The keys of `[pseudonyms]`.
    pub(super) const KEYS: [&str; 3] = ["key", "length", "normalise"];

    /// How many letters and digits a pseudonym has unless the policy says otherwise: 130 bits.
    pub(super) const LENGTH: usize = 26;

    /// Reads `[pseudonyms]`; refuses columns that need it and a policy without it, and the other way round.
    pub(super) fn read(
        policy: &Policy,
        root: &Section<'_>,
        columns: &[PolicyColumn],
    ) -> Result<Option<PseudonymPolicy>> {
        let needs = |column: &&PolicyColumn| column.pseudonym.is_some() || column.shift().is_some();
        let needing = columns.iter().find(needs);
        let Some(entry) = root.entry("pseudonyms") else {
            let Some(column) = needing else { return Ok(None) };
            let what = match column.pseudonym {
                Some(_) => "is published as pseudonyms",
                None => "has dates that are shifted",
            };
            return Err(policy
                .at_column(
                    &column.name,
                    format!("column '{}' {what}, but the policy names no key", column.name),
                )
                .help("`privet key new study.key` makes a key; add [pseudonyms] with key = \"study.key\""));
        };
        let section = entry.section()?;
        section.only(&Self::KEYS)?;
        let help = "name the file of the key: key = \"study.key\"; `privet key new study.key` makes one";
        let key = section.required("key", help)?;
        let path = key.text()?;
        if path.is_empty() {
            return Err(key.error("'pseudonyms.key' is empty").help(help));
        }
        let length = match section.entry("length") {
            None => Self::LENGTH,
            Some(entry) => {
                let length = entry.count(1)?;
                if !(LEAST_LENGTH..=MOST_LENGTH).contains(&length) {
                    return Err(entry
                        .error(format!(
                            "'pseudonyms.length' is {length}; it must be from {LEAST_LENGTH} to {MOST_LENGTH}"
                        ))
                        .help("each letter or digit has five bits; the default is 26, 130 bits"));
                }
                length as usize
            }
        };
        let normalise = match section.entry("normalise") {
            None => Normalise::Trim,
            Some(entry) => Normalise::named(entry.one_of(Normalise::WORDS)?).unwrap_or(Normalise::Trim),
        };
        if needing.is_none() {
            return Err(entry
                .error("[pseudonyms] has no meaning: no column is a pseudonym, and no date is shifted")
                .help("set role = \"pseudonym\" for a column, or remove it"));
        }
        Ok(Some(PseudonymPolicy { key: policy.resolve(path), length, normalise }))
    }
}

/// The domain of a column of role `pseudonym`: columns of one domain have the same pseudonyms. Its own name unless the policy
/// says otherwise.
pub(super) fn domain(section: &Section<'_>, column: &PolicyColumn) -> Result<Option<String>> {
    let entry = section.entry("domain");
    if column.role != Some(Role::Pseudonym) {
        return match entry {
            Some(stray) => Err(stray
                .error(format!("column '{}' is not a pseudonym, so it has no domain", column.name))
                .help("remove 'domain', or set role = \"pseudonym\"")),
            None => Ok(None),
        };
    }
    let Some(entry) = entry else { return Ok(Some(column.name.clone())) };
    let domain = entry.text()?;
    if domain.is_empty() || domain.contains('\0') {
        return Err(entry
            .error("'domain' must be a text")
            .help("what the pseudonyms stand for, as in \"patient\"; columns of one domain have the same pseudonyms"));
    }
    Ok(Some(domain.to_string()))
}
