//! Rules that a person states, and mined rules that a person strikes out, as the data understands them.

use super::{Attribute, Item, Observations};
use privet_core::nearest;
use privet_core::{Error, Result};
use privet_policy::{MutedText, RuleText, RulesText};

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

    /// Finds out what a rule as written means; `Err` inside says which of its values does not occur.
    fn of(text: &RuleText, observations: &Observations) -> Result<std::result::Result<Pattern, String>> {
        let at_line = |error: Error| match text.line {
            Some(line) => error.at_line(line),
            None => error,
        };
        let Some(value) = observations.values.iter().position(|value| *value == text.value) else {
            let known: Vec<&str> = observations.values.iter().map(String::as_str).collect();
            return Ok(Err(absent(&text.value, "the sensitive column", &known)));
        };
        let mut items = Vec::new();
        for (name, label) in &text.items {
            match item(name, label, observations).map_err(at_line)? {
                Ok(item) => items.push(item),
                Err(absent) => return Ok(Err(absent)),
            }
        }
        items.sort_unstable();
        Ok(Ok(Pattern { items, value: value as u32 }))
    }
}

/// That nobody in the data has one of the values of a rule, though a hierarchy does.
fn unpeopled(pattern: &Pattern, observations: &Observations) -> Option<String> {
    if observations.value_counts()[pattern.value as usize] == 0 {
        let value = &observations.values[pattern.value as usize];
        return Some(format!("nobody in the data has '{value}' in the sensitive column"));
    }
    pattern.items.iter().find_map(|item| {
        let column = &observations.attributes[item.attribute];
        let is_below = |record| column.membership(item.node, observations.leaf(item.attribute, record)) > 0.0;
        let label = column.taxonomy.label(item.node);
        (!(0..observations.len()).any(is_below))
            .then(|| format!("nobody in the data has '{label}' in column '{}'", column.name))
    })
}

/// That a value does not occur in a column, with one that may be meant.
fn absent(value: &str, place: &str, known: &[&str]) -> String {
    let near = nearest(value, known.iter().copied());
    let near = near.map(|near| format!("; did you mean '{near}'?")).unwrap_or_default();
    format!("'{value}' does not occur in {place}{near}")
}

/// A rule that a person states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedRule {
    /// What it says.
    pub pattern: Pattern,
    /// Whether the data may hold exceptions.
    pub usually: bool,
    /// Its line in the rules file.
    pub line: Option<u64>,
}

/// What a person says about rules.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stated {
    /// The rules to add, each once.
    pub rules: Vec<StatedRule>,
    /// How often a rule was stated that had been stated before.
    pub repeated: u64,
    /// The mined rules to strike out, by what they say.
    pub muted: Vec<Pattern>,
    /// The mined rules to strike out, by their name, with the line that says so.
    pub muted_names: Vec<(String, Option<u64>)>,
    /// Rules about values that do not occur, as sentences: they say nothing about these data.
    pub absent: Vec<String>,
}

impl Stated {
    /// Finds out what rules as written mean; an error carries the line of the rules file. A rule about a value that does not
    /// occur excludes nothing, and is left aside.
    pub fn of(text: &RulesText, observations: &Observations) -> Result<Stated> {
        let mut stated = Stated::default();
        for rule in &text.rules {
            let pattern = match Pattern::of(rule, observations)? {
                Ok(pattern) => pattern,
                Err(why) => {
                    stated.absent.push(idle(rule, "the stated rule", &why));
                    continue;
                }
            };
            if let Some(why) = unpeopled(&pattern, observations) {
                stated.absent.push(idle(rule, "the stated rule", &why));
                continue;
            }
            match stated.rules.iter_mut().find(|other| other.pattern == pattern) {
                // Of two the one without exceptions says more.
                Some(other) => {
                    if other.usually && !rule.usually {
                        (other.usually, other.line) = (false, rule.line);
                    }
                    stated.repeated += 1;
                }
                None => stated.rules.push(StatedRule { pattern, usually: rule.usually, line: rule.line }),
            }
        }
        for muted in &text.muted {
            match muted {
                MutedText::Name(name, line) => stated.muted_names.push((name.clone(), *line)),
                MutedText::Rule(rule) => match Pattern::of(rule, observations)? {
                    Ok(pattern) => stated.muted.push(pattern),
                    Err(why) => stated.absent.push(idle(rule, "the rule to strike out", &why)),
                },
            }
        }
        Ok(stated)
    }
}

/// What is said about a rule that excludes nothing in these data.
fn idle(rule: &RuleText, what: &str, why: &str) -> String {
    let line = rule.line.map(|line| format!(" in line {line}")).unwrap_or_default();
    let usually = if rule.usually { "usually " } else { "" };
    format!("{what}{line}, '{usually}{rule}', has no effect: {why}")
}

fn item(name: &str, label: &str, observations: &Observations) -> Result<std::result::Result<Item, String>> {
    let attribute = observations.attributes.iter().position(|attribute| attribute.name == name);
    let attribute = attribute.ok_or_else(|| Error::internal(format!("a rule names the column '{name}'")))?;
    let taxonomy = &observations.attributes[attribute].taxonomy;
    let Some(node) = taxonomy.find(label) else {
        let known: Vec<&str> = taxonomy.nodes().skip(1).map(|node| taxonomy.label(node)).collect();
        return Ok(Err(absent(label, &format!("column '{name}' or its hierarchy"), &known)));
    };
    if node == taxonomy.root() {
        return Err(Error::input(format!(
            "'{label}' is the root of the hierarchy of '{name}': everybody is below it"
        ))
        .help("leave it out, or name a node below it"));
    }
    Ok(Ok(Item { attribute, node }))
}
