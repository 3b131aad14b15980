//! Pseudonyms as a whole: the same for the same name and for no other, and no name anywhere in the release.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};

use super::super::Check;
use super::super::notion::Facts;
use super::super::table::Dictionary;
use super::keyed::{Deriving, respelt};
use privet_core::{Result, counted};
use privet_data::SourceColumn;
use privet_policy::{CheckedPolicy, Normalise, PolicyColumn};

/// Shorter names are found in texts by chance.
const LEAST_TELLING: usize = 6;
/// Numbers are found by chance unless they are longer.
const LEAST_TELLING_NUMBER: usize = 9;

/// The names that pseudonyms stand for, and the pseudonyms.
pub(super) struct Names {
    column: usize,
    name: String,
    /// Every name of the original, as it is written there.
    names: HashSet<String>,
    /// The pseudonyms that they should have; `None` without the key.
    pseudonyms: Option<HashSet<String>>,
    /// Two names with the same pseudonym.
    clash: bool,
    /// Why the key is not known.
    without_key: Option<String>,
}

impl Names {
    pub fn read(
        policy: &CheckedPolicy,
        column: &PolicyColumn,
        keyed: Option<(&Deriving, &str)>,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Names> {
        let normalise = policy.pseudonyms.as_ref().map_or(Normalise::Trim, |own| own.normalise);
        let mut names = HashSet::new();
        policy.source.read(&mut |batch, _| {
            for row in 0..batch.rows() {
                let cell = batch.cell(row, column.index);
                if !policy.is_missing(cell) && !cell.trim().is_empty() && !names.contains(cell) {
                    names.insert(cell.to_string());
                }
            }
            tick()
        })?;
        let mut of: HashMap<String, String> = HashMap::new();
        let mut clash = false;
        if let Some((keyed, domain)) = keyed {
            for name in &names {
                let spelt = respelt(normalise, name);
                let known = of.insert(keyed.pseudonym(domain, name), spelt.clone());
                clash |= known.is_some_and(|known| known != spelt);
            }
        }
        let pseudonyms = keyed.map(|_| of.into_keys().collect());
        let (column, name) = (column.index, column.name.clone());
        Ok(Names { column, name, names, pseudonyms, clash, without_key: None })
    }

    pub fn without_key(mut self, why: &str) -> Names {
        self.without_key = Some(why.to_string());
        self
    }

    /// Judges the released cells: those of the column, and whether any column holds a name.
    pub fn check(&self, facts: &Facts<'_>, released: &[SourceColumn]) -> Vec<Check> {
        let title = format!("pseudonyms of '{}'", self.name);
        if self.clash {
            return vec![Check::new(title, false, "two names have the same pseudonym")];
        }
        let mut checks = Vec::new();
        if let Some(texts) = self.released(facts, released) {
            let odd = texts.texts().enumerate().find(|(_, text)| {
                let is_known = self.pseudonyms.as_ref().is_none_or(|all| all.contains(*text));
                let shape = facts.policy.pseudonyms.as_ref().map_or(0, |own| own.length);
                let is_one = text.len() == shape
                    && text.bytes().all(|byte| byte.is_ascii_lowercase() || (b'2'..=b'7').contains(&byte));
                let is_missing = text.is_empty() || facts.policy.is_missing(text);
                !(is_missing || is_known && is_one)
            });
            // The cells of the original are numbered first where they are compared; those were derived with the key.
            checks.push(match (odd, &self.without_key) {
                (Some((code, _)), _) => {
                    let line = texts.line(code as u32);
                    Check::new(title, false, format!("the cell in line {line} is not the pseudonym of anybody in the original"))
                }
                (None, Some(why)) => Check::undetermined(
                    title,
                    format!("whether they are the keyed hashes of the names, the same for the same name, is not known: {why}"),
                ),
                (None, None) => {
                    let names = self.pseudonyms.as_ref().map_or(0, HashSet::len) as u64;
                    let who = counted(names, "name", "names");
                    Check::new(title, true, format!("{who}, each with a keyed hash of its own; the same name has the same everywhere"))
                }
            });
        }
        checks.push(self.leaks(facts));
        checks
    }

    /// The released texts of the column.
    fn released<'f>(&self, facts: &'f Facts<'_>, released: &[SourceColumn]) -> Option<&'f Dictionary> {
        let compared = facts.layout.plain.iter().position(|place| place.original == self.column);
        match compared {
            Some(place) => Some(&facts.tables.plain[place]),
            None => {
                let others = &facts.tables.release.others;
                let own = |at: usize| released.get(at).is_some_and(|column| column.name == self.name);
                others.iter().find(|other| own(other.column) && !other.is_lost).map(|other| &other.texts)
            }
        }
    }

    /// Whether a released cell is a name, or holds one as a word.
    fn leaks(&self, facts: &Facts<'_>) -> Check {
        let title = format!("names of '{}'", self.name);
        let tables = &facts.tables;
        let records = &tables.release.records;
        // Columns that are published as they are share their texts with the original.
        let is_released = |place: usize, code: u32| {
            let at = tables.release.quasi.len() + place;
            records.ids().any(|id| records.get(id)[at] == code)
        };
        // Names may have several words; blanks and signs between them mean nothing.
        let spelt: HashSet<String> = self.names.iter().map(|name| joined(&words(name))).collect();
        let lengths: BTreeSet<usize> = self.names.iter().map(|name| words(name).len()).collect();
        let holds = |texts: &Dictionary, code: u32| {
            let words = words(texts.text(code));
            let parts =
                lengths.iter().filter(|length| **length > 0).flat_map(|length| words.windows(*length));
            parts.map(joined).any(|part| is_telling(&part) && spelt.contains(&part))
        };
        let codes = |texts: &Dictionary| 0..texts.len() as u32;
        let own = tables.release.quasi.iter().chain(tables.release.others.iter().map(|other| &other.texts));
        let mut own =
            own.filter_map(|texts| Some(texts.line(codes(texts).find(|code| holds(texts, *code))?)));
        let mut shared = tables.plain.iter().enumerate().filter_map(|(place, texts)| {
            let leak = codes(texts).find(|code| holds(texts, *code) && is_released(place, *code))?;
            let at = tables.release.quasi.len() + place;
            records.ids().find(|id| records.get(*id)[at] == leak).map(|id| records.line(id))
        });
        match own.next().or_else(|| shared.next()) {
            Some(line) => Check::new(
                title,
                false,
                format!("a cell in line {line} holds a name that should only be published as a pseudonym"),
            ),
            None => Check::new(title, true, "no cell of the release holds one"),
        }
    }
}

/// The parts of a text between blanks and signs that names do not have.
fn words(text: &str) -> Vec<&str> {
    let parts = text.split(|sign: char| !(sign.is_alphanumeric() || "-_.@+/".contains(sign)));
    parts.filter(|word| !word.is_empty()).collect()
}

fn joined(words: &[&str]) -> String {
    words.join(" ")
}

/// Whether a text is long enough that it does not occur by chance.
fn is_telling(word: &str) -> bool {
    let least =
        if word.bytes().all(|byte| byte.is_ascii_digit()) { LEAST_TELLING_NUMBER } else { LEAST_TELLING };
    word.len() >= least
}
