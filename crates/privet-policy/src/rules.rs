//! Rules about what cannot be, as a person writes them: rules to add to what is mined, and mined ones to strike out.
//!
//! ```text
//! # A rule that holds without exception in the data, or the file is refused:
//! sex=M => not Ovarian Cancer
//! # One with exceptions:
//! usually age=0-9 & sex=F => not Gout
//! # A mined rule that nobody knows, with all that it implies; by what it says, or by its name in `privet mine`:
//! mute workclass=Government => not Priv-house-serv
//! mute r1f20ab34
//! ```

use std::fmt;
use std::path::Path;

use sha2::{Digest, Sha256};

use privet_core::suggestion;
use privet_core::{Error, Result};

/// A rule as written: who is in all these nodes does not have the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleText {
    /// Columns with a value or a node of their hierarchy each.
    pub items: Vec<(String, String)>,
    /// The value of the sensitive column.
    pub value: String,
    /// Whether the data may hold exceptions.
    pub usually: bool,
    /// Its line in the rules file.
    pub line: Option<u64>,
}

/// A mined rule that is struck out, with all that it implies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MutedText {
    /// By its name, and the line that says so.
    Name(String, Option<u64>),
    /// By what it says.
    Rule(RuleText),
}

/// What a rules file says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RulesText {
    /// The rules to add.
    pub rules: Vec<RuleText>,
    /// The mined rules to strike out.
    pub muted: Vec<MutedText>,
}

impl RulesText {
    /// Reads a rules file; `columns` are the names that rules may use.
    pub fn read(path: &Path, columns: &[&str]) -> Result<RulesText> {
        let text =
            std::fs::read_to_string(path).map_err(|error| Error::io("read the rules", path, &error))?;
        RulesText::parse(&text, columns).map_err(|error| error.in_file(path))
    }

    /// Reads the text of a rules file.
    pub fn parse(text: &str, columns: &[&str]) -> Result<RulesText> {
        let mut rules = RulesText::default();
        for (line, text) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            rules.add(text, line, columns).map_err(|error| error.at_line(line))?;
        }
        Ok(rules)
    }

    fn add(&mut self, text: &str, line: u64, columns: &[&str]) -> Result<()> {
        let at_line = |rule: RuleText| RuleText { line: Some(line), ..rule };
        if let Some(muted) = keyword(text, "mute") {
            self.muted.push(match MutedText::parse(muted, columns)? {
                MutedText::Name(name, _) => MutedText::Name(name, Some(line)),
                MutedText::Rule(rule) => MutedText::Rule(at_line(rule)),
            });
            return Ok(());
        }
        let rule = match keyword(text, "usually") {
            Some(text) => RuleText { usually: true, ..RuleText::parse(text, columns)? },
            None => RuleText::parse(text, columns)?,
        };
        self.rules.push(at_line(rule));
        Ok(())
    }
}

impl MutedText {
    /// Reads a rule or the name of one.
    pub fn parse(text: &str, columns: &[&str]) -> Result<MutedText> {
        let text = text.trim();
        match text.strip_prefix('r') {
            Some(digits)
                if digits.len() == DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) =>
            {
                Ok(MutedText::Name(text.to_string(), None))
            }
            _ => RuleText::parse(text, columns).map(MutedText::Rule),
        }
    }
}

/// The rest of a line that begins with a word of its own.
fn keyword<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(word)?;
    rest.starts_with(char::is_whitespace).then(|| rest.trim_start())
}

const FORM: &str = "write a rule as  sex=M & age=20-39 => not Ovarian Cancer  (in double quotes where a name or value holds \
                    & = > # or a quote)";

impl RuleText {
    /// Reads one rule.
    pub fn parse(text: &str, columns: &[&str]) -> Result<RuleText> {
        let parts = split(text, "=>")?;
        let [conjunction, conclusion] = parts.as_slice() else {
            return Err(Error::input(format!("'{text}' is not a rule")).help(FORM));
        };
        let value = keyword(conclusion.trim(), "not").ok_or_else(|| {
            Error::input(format!("'{}' does not say what is not", conclusion.trim())).help(FORM)
        })?;
        let value = unquote(value)?;
        let mut items = Vec::new();
        for part in split(conjunction, "&")? {
            let pair = split(part, "=")?;
            let [name, label] = pair.as_slice() else {
                return Err(
                    Error::input(format!("'{}' is not of the form column=value", part.trim())).help(FORM)
                );
            };
            let (name, label) = (unquote(name)?, unquote(label)?);
            if !columns.contains(&name.as_str()) {
                let help = suggestion(&name, columns, "quasi-identifiers");
                return Err(Error::input(format!("'{name}' is not a quasi-identifier")).help(help));
            }
            if items.iter().any(|(other, _)| *other == name) {
                return Err(Error::input(format!("column '{name}' stands twice in one rule")).help(FORM));
            }
            items.push((name, label));
        }
        Ok(RuleText { items, value, usually: false, line: None })
    }

    /// The name of the rule, which follows from what it says.
    pub fn name(&self) -> String {
        let digest = Sha256::digest(self.to_string().as_bytes());
        let digits: String = digest.iter().take(DIGITS / 2).map(|byte| format!("{byte:02x}")).collect();
        format!("r{digits}")
    }
}

/// How many digits the name of a rule has.
const DIGITS: usize = 8;

/// As rules files have it, without what it is preceded by.
impl fmt::Display for RuleText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, label)) in self.items.iter().enumerate() {
            let and = if at == 0 { "" } else { " & " };
            write!(f, "{and}{}={}", quote(name), quote(label))?;
        }
        write!(f, " => not {}", quote(&self.value))
    }
}

/// The parts of a text between separators that do not stand in double quotes.
fn split<'a>(text: &'a str, separator: &str) -> Result<Vec<&'a str>> {
    let mut parts = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (at, character) in text.char_indices() {
        if character == '"' {
            quoted = !quoted;
        } else if !quoted && at >= start && text[at..].starts_with(separator) {
            parts.push(&text[start..at]);
            start = at + separator.len();
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
fn quote(text: &str) -> String {
    let plain =
        !text.is_empty() && text.trim() == text && !text.contains(['&', '=', '>', '#', '"', '\n', '\r']);
    if plain { text.to_string() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_written_again() {
        let text = "\n# ours\nsex=M => not Ovarian Cancer\n usually sex = \"a & b\"&age=20-39=>not \"z=\"\"1\"\"\" \n\
                    mute sex=F => not Gout\nmute r00ff12ab";
        let rules = RulesText::parse(text, &["sex", "age"]).expect("rules");
        let shown: Vec<String> = rules.rules.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            ["sex=M => not Ovarian Cancer", "sex=\"a & b\" & age=20-39 => not \"z=\"\"1\"\"\""]
        );
        assert_eq!(rules.rules.iter().map(|rule| rule.usually).collect::<Vec<_>>(), [false, true]);
        assert_eq!(rules.rules[1].line, Some(4));
        assert_eq!(rules.muted.len(), 2);
        assert_eq!(rules.muted[1], MutedText::Name("r00ff12ab".to_string(), Some(6)));
        let again = RuleText::parse(&shown[1], &["sex", "age"]).expect("a rule");
        assert_eq!((again.items, again.value), (rules.rules[1].items.clone(), "z=\"1\"".to_string()));
        let name = rules.rules[0].name();
        assert_eq!(MutedText::parse(&name, &[]).expect("a name"), MutedText::Name(name, None));
    }

    #[test]
    fn what_is_no_rule_is_refused_with_its_line() {
        let cases = [
            ("sex=F", "is not a rule"),
            ("sex=F => x", "does not say what is not"),
            ("sxe=F => not x", "not a quasi-identifier"),
            ("sex=F & sex=F => not x", "twice"),
            ("sex => not x", "column=value"),
            ("sex=\"F => not x", "not closed"),
            ("sex=F\"G\" => not x", "in its middle"),
        ];
        for (line, expected) in cases {
            let error = RulesText::parse(&format!("# first\n{line}\n"), &["sex"]).expect_err(line);
            assert!(error.message().contains(expected) && error.remedy().is_some(), "{error}");
            assert_eq!(error.line(), Some(2), "{error}");
        }
    }
}
