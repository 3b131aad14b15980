//! The policy reference of the book: its tables, from the same declarations that policies are checked by.

use super::declare::{Declaration, Key, KeyKind};
use crate::method::CATALOGUES;

impl KeyKind {
    /// What a key takes, in words: `a whole number from 1`.
    pub fn in_words(self) -> String {
        match self {
            KeyKind::Count(least) => format!("a whole number from {least}"),
            KeyKind::Above("") => "an exact number above 0".to_string(),
            KeyKind::Above(most) => format!("an exact number above 0, at most {most}"),
            KeyKind::Exact(least, "") => format!("an exact number from {least}"),
            KeyKind::Exact(least, most) => format!("an exact number from {least} to {most}"),
            KeyKind::Column(role) => format!("a column of role {role}"),
            KeyKind::Choice(words) => words.join(" | "),
            KeyKind::Flag => "true or false".to_string(),
            KeyKind::FlagOrCount(least) => format!("true, false or a whole number from {least}"),
            KeyKind::Counts(role) => format!("a table of columns of role {role}, each with a whole number"),
            KeyKind::Duration => "a length of time".to_string(),
            KeyKind::Choices(role, words) => {
                format!("a table of columns of role {role}, each with one of {}", words.join(", "))
            }
            KeyKind::WordOrWeights(words) => {
                format!("{}, or a table of values, each with an exact number above 0", words.join(", "))
            }
            KeyKind::Thresholds(least, most) => {
                format!("a table of values, each with an exact number from {least} to {most}")
            }
        }
    }

    /// The same for the book, where words stand in code.
    fn in_the_book(self) -> String {
        match self {
            KeyKind::Choice(words) => quoted(words),
            KeyKind::Choices(role, words) => {
                format!("a table of columns of role `{role}`, each with one of {}", quoted(words))
            }
            KeyKind::WordOrWeights(words) => {
                format!("{}, or a table of values, each with an exact number above 0", quoted(words))
            }
            KeyKind::Column(role) => format!("a column of role `{role}`"),
            KeyKind::Counts(role) => format!("a table of columns of role `{role}`, each with a whole number"),
            KeyKind::Flag => "`true` or `false`".to_string(),
            KeyKind::Duration => {
                "a length of time, as in `\"500ms\"`, `\"30s\"`, `\"5m\"` or `\"1h\"`".to_string()
            }
            KeyKind::Count(_)
            | KeyKind::Exact(..)
            | KeyKind::Above(_)
            | KeyKind::FlagOrCount(_)
            | KeyKind::Thresholds(..) => self.in_words(),
        }
    }
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", ")
}

fn default_of(key: &Key) -> String {
    match (key.required, key.default, key.kind) {
        (true, ..) => "required".to_string(),
        (false, Some(default), KeyKind::Choice(_) | KeyKind::Duration) => format!("`\"{default}\"`"),
        (false, Some(default), _) => format!("`{default}`"),
        (false, None, _) => "none".to_string(),
    }
}

/// A cell of a table: examples such as `as in k = 5` stay as they are, but nothing ends the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('*', "\\*")
}

impl Declaration {
    /// The table of its keys, in Markdown.
    pub fn key_table(&self) -> String {
        if self.keys.is_empty() {
            return "It has no keys of its own.\n".to_string();
        }
        let row = |key: &Key| {
            let (takes, default) = (key.kind.in_the_book(), default_of(key));
            format!("| `{}` | {} | {takes} | {default} |\n", key.name, cell(key.help))
        };
        let rows: String = self.keys.iter().map(row).collect();
        format!("| key | what it says | takes | default |\n|---|---|---|---|\n{rows}")
    }
}

/// The table of all methods with the requirements that they take, in Markdown.
pub fn method_table() -> String {
    let mut text = "| `name` | requirements it takes | what it makes |\n|---|---|---|\n".to_string();
    for catalogue in CATALOGUES {
        for method in catalogue.methods {
            let default = if method.name == catalogue.default_method { ", the default" } else { "" };
            text += &format!(
                "| `\"{}\"`{default} | {} | {} |\n",
                method.name,
                cell(&method.takes()),
                cell(method.summary)
            );
        }
    }
    text
}

/// The tables of the policy reference by the words of their markers, as in `[privacy.k-anonymity]` and `name = "og"`.
pub fn tables() -> Vec<(String, String)> {
    let mut tables = vec![("methods".to_string(), method_table())];
    for (place, catalogue) in CATALOGUES.into_iter().enumerate() {
        let requirements = catalogue.requirements.iter();
        tables.extend(requirements.map(|own| {
            // One for transactions may have a namesake for tables.
            let mut earlier = CATALOGUES.into_iter().take(place);
            let of = if earlier.any(|other| other.requirement(own.name).is_some()) {
                " of transactions"
            } else {
                ""
            };
            (format!("[privacy.{}]{of}", own.name), own.key_table())
        }));
        let methods = catalogue.methods.iter();
        tables.extend(methods.map(|own| (format!("name = \"{}\"", own.name), own.key_table())));
    }
    tables
}
