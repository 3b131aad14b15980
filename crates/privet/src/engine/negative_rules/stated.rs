//! Rules that a person states, and mined rules that a person strikes out.
//!
//! ```text
//! # A rule that holds without exception in the data, or the file is refused:
//! sex=M => not Ovarian Cancer
//! # One with exceptions:
//! usually age=0-9 & sex=F => not Gout
//! # A mined rule that nobody knows, with all that it implies; by what it says, or by its number in `privet mine`:
//! mute workclass=Government => not Priv-house-serv
//! mute r12
//! ```

use std::path::Path;

use super::{Attribute, Item, Observations};
use crate::error::suggestion;
use crate::{Error, Result};

/// A conjunction and the value that it excludes, without figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// The conjunction, by rising attribute.
    pub items: Vec<Item>,
    /// The value.
    pub value: u32,
}

impl Pattern {
    /// Whether a rule of this conjunction implies one of another: each item is equal to or above one of the other's.
    pub(super) fn implies(&self, items: &[Item], attributes: &[Attribute]) -> bool {
        self.items.iter().all(|item| {
            let taxonomy = &attributes[item.attribute].taxonomy;
            items
                .iter()
                .any(|other| other.attribute == item.attribute && taxonomy.contains(item.node, other.node))
        })
    }
}

/// A rule that a person states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedRule {
    /// What it says.
    pub pattern: Pattern,
    /// Whether the data may hold exceptions.
    pub usually: bool,
    /// Its line in the file.
    pub line: u64,
}

/// What a rules file says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stated {
    /// The rules to add.
    pub rules: Vec<StatedRule>,
    /// The mined rules to strike out, by what they say.
    pub muted: Vec<Pattern>,
    /// The mined rules to strike out, by their number, with the line that says so.
    pub muted_numbers: Vec<(usize, Option<u64>)>,
}

impl Stated {
    /// Reads a rules file.
    pub fn read(path: &Path, observations: &Observations) -> Result<Stated> {
        let text =
            std::fs::read_to_string(path).map_err(|error| Error::io("read the rules", path, &error))?;
        Stated::parse(&text, observations).map_err(|error| error.in_file(path))
    }

    /// Reads the text of a rules file.
    pub fn parse(text: &str, observations: &Observations) -> Result<Stated> {
        let mut stated = Stated::default();
        for (line, text) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            stated.add(text, line, observations).map_err(|error| error.at_line(line))?;
        }
        Ok(stated)
    }

    fn add(&mut self, text: &str, line: u64, observations: &Observations) -> Result<()> {
        if let Some(muted) = keyword(text, "mute") {
            match number(muted) {
                Some(number) => self.muted_numbers.push((number, Some(line))),
                None => self.muted.push(pattern(muted, observations)?),
            }
            return Ok(());
        }
        let (text, usually) = match keyword(text, "usually") {
            Some(text) => (text, true),
            None => (text, false),
        };
        self.rules.push(StatedRule { pattern: pattern(text, observations)?, usually, line });
        Ok(())
    }
}

/// The rest of a line that begins with a word of its own.
fn keyword<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(word)?;
    rest.starts_with(char::is_whitespace).then(|| rest.trim_start())
}

/// The number of a rule, as in `r12`.
pub(super) fn number(text: &str) -> Option<usize> {
    text.strip_prefix('r')?.parse().ok().filter(|number| *number > 0)
}

const FORM: &str = "write a rule as  sex=M & age=20-39 => not Ovarian Cancer  (in double quotes where a name or value holds & = > # or a quote)";

fn pattern(text: &str, observations: &Observations) -> Result<Pattern> {
    let parts = split(text, "=>")?;
    let [conjunction, conclusion] = parts.as_slice() else {
        return Err(Error::input(format!("'{text}' is no rule")).help(FORM));
    };
    let excluded = keyword(conclusion.trim(), "not").ok_or_else(|| {
        Error::input(format!("'{}' does not say what is not", conclusion.trim())).help(FORM)
    })?;
    let excluded = unquote(excluded)?;
    let value = observations.values.iter().position(|value| *value == excluded).ok_or_else(|| {
        let known: Vec<&str> = observations.values.iter().map(String::as_str).collect();
        Error::input(format!("'{excluded}' is no value of the sensitive column"))
            .help(suggestion(&excluded, &known, "values"))
    })?;
    let mut items = split(conjunction, "&")?
        .into_iter()
        .map(|text| item(text, observations))
        .collect::<Result<Vec<_>>>()?;
    items.sort_unstable();
    if let Some(twice) = items.windows(2).find(|pair| pair[0].attribute == pair[1].attribute) {
        let name = &observations.attributes[twice[0].attribute].name;
        return Err(Error::input(format!("column '{name}' stands twice in one rule")).help(FORM));
    }
    Ok(Pattern { items, value: value as u32 })
}

fn item(text: &str, observations: &Observations) -> Result<Item> {
    let parts = split(text, "=")?;
    let [name, label] = parts.as_slice() else {
        return Err(Error::input(format!("'{}' is not of the form column=value", text.trim())).help(FORM));
    };
    let (name, label) = (unquote(name)?, unquote(label)?);
    let attribute =
        observations.attributes.iter().position(|attribute| attribute.name == name).ok_or_else(|| {
            let known: Vec<&str> =
                observations.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
            Error::input(format!("'{name}' is no quasi-identifier")).help(suggestion(
                &name,
                &known,
                "quasi-identifiers",
            ))
        })?;
    let taxonomy = &observations.attributes[attribute].taxonomy;
    let node = taxonomy.find(&label).ok_or_else(|| {
        let known: Vec<&str> = taxonomy.nodes().skip(1).map(|node| taxonomy.label(node)).collect();
        Error::input(format!("'{label}' is no value of column '{name}', nor a node of its hierarchy"))
            .help(suggestion(&label, &known, "values"))
    })?;
    if node == taxonomy.root() {
        return Err(Error::input(format!(
            "'{label}' is the root of the hierarchy of '{name}': everybody is below it"
        ))
        .help("leave it out, or name a node below it"));
    }
    Ok(Item { attribute, node })
}

/// The parts of a text between separators that do not stand in double quotes.
fn split<'a>(text: &'a str, separator: &str) -> Result<Vec<&'a str>> {
    let mut parts = Vec::new();
    let (mut start, mut quoted) = (0, false);
    let mut skip_to = 0;
    for (at, character) in text.char_indices() {
        if character == '"' {
            quoted = !quoted;
        } else if !quoted && at >= skip_to && text[at..].starts_with(separator) {
            parts.push(&text[start..at]);
            start = at + separator.len();
            skip_to = start;
        }
    }
    if quoted {
        return Err(Error::input(format!("a quote in '{text}' is not closed")).help(FORM));
    }
    parts.push(&text[start..]);
    Ok(parts)
}

/// A name or value without the double quotes around it; a quote inside is written twice.
fn unquote(text: &str) -> Result<String> {
    let text = text.trim();
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(inner) => Ok(inner.replace("\"\"", "\"")),
        None if text.contains('"') => Err(Error::input(format!("'{text}' has a quote in its middle"))
            .help("write a quote inside quotes twice")),
        None => Ok(text.to_string()),
    }
}

/// A name or value as a rules file has it.
pub(super) fn quote(text: &str) -> String {
    let plain =
        !text.is_empty() && text.trim() == text && !text.contains(['&', '=', '>', '#', '"', '\n', '\r']);
    if plain { text.to_string() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}
