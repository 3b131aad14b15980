//! All that the adversary is taken to know: mined rules, less those that were struck out, and stated ones.

use std::collections::HashMap;

use super::stated::{Pattern, Stated, StatedRule};
use super::{Item, Observations, Parameters, Rule, TOLERANCE, descent, most_general, spell};
use privet_core::clock::Clock;
use privet_core::{Error, Result, ValueSet};
use privet_policy::RuleText;

/// What the adversary knows, and what it excludes.
#[derive(Debug, Clone)]
pub struct Knowledge {
    /// Per distinct record, the values that are out of the question for it.
    pub excluded: Vec<ValueSet>,
    /// How many records have a value that is out of the question for them.
    pub exceptions: u64,
    /// Whether no rule is known, so that the knowledge protects from nothing that it does not protect from anyway.
    pub is_empty: bool,
}

/// Where a rule comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Mined.
    Mined,
    /// Mined and struck out.
    Muted,
    /// Stated, with its line in the rules file.
    Stated(Option<u64>),
}

/// A rule as it is shown to a person.
#[derive(Debug, Clone)]
pub struct KnownRule {
    /// The rule with its figures.
    pub rule: Rule,
    /// What it says.
    pub text: RuleText,
    /// Where it comes from.
    pub origin: Origin,
}

/// Puts the adversary's knowledge together. `mined` says when rules count, if any are to be mined.
pub fn gather(
    observations: &Observations,
    mined: Option<&Parameters>,
    stated: &Stated,
    clock: &Clock,
) -> Result<Knowledge> {
    let values = observations.values.len();
    let mut excluded = match mined {
        Some(parameters) => {
            let muted = muted(observations, parameters, stated, clock)?;
            descent::exclude(observations, parameters, &muted, clock)?
        }
        None => vec![ValueSet::none(values); observations.len()],
    };
    let alpha = mined.map_or(0.0, Parameters::alpha);
    for rule in &stated.rules {
        let pattern = &rule.pattern;
        for (record, excluded) in excluded.iter_mut().enumerate() {
            if !satisfies(observations, &pattern.items, record, alpha) {
                continue;
            }
            if observations.value(record) == pattern.value && !rule.usually {
                let spelt = spell(observations, &pattern.items, pattern.value);
                let known = figures(observations, pattern, alpha);
                let message =
                    format!("the data contradicts '{spelt}': it has {} such records", known.exceptions);
                let error = Error::input(message)
                    .help("write 'usually' before the rule if it has exceptions, or take it out");
                return Err(at_line(error, rule.line));
            }
            excluded.insert(pattern.value);
        }
    }
    let contradicted =
        (0..observations.len()).filter(|record| excluded[*record].contains(observations.value(*record)));
    let exceptions = contradicted.map(|record| observations.weight(record)).sum();
    let is_empty = excluded.iter().all(ValueSet::is_empty);
    Ok(Knowledge { excluded, exceptions, is_empty })
}

/// The rules as they are shown to a person.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// The most general mined rules, with those that are struck out, and the stated ones; none that another implies.
    pub rules: Vec<KnownRule>,
    /// How many were mined, implied ones included.
    pub mined: u64,
    /// How many stated rules say nothing that another does not say as well.
    pub repeated: u64,
    /// What was to be struck out, but was not mined.
    pub idle: Vec<RuleText>,
    /// Rules about values that do not occur, as sentences.
    pub absent: Vec<String>,
}

impl Knowledge {
    /// The rules to show.
    pub fn rules(
        observations: &Observations,
        mined: Option<&Parameters>,
        stated: &Stated,
        clock: &Clock,
    ) -> Result<Shown> {
        let mut shown =
            Shown { repeated: stated.repeated, absent: stated.absent.clone(), ..Shown::default() };
        let attributes = &observations.attributes;
        let implies = |pattern: &Pattern, rule: &Rule| {
            pattern.value == rule.value && pattern.implies(&rule.items, attributes)
        };
        let mut all = Vec::new();
        if let Some(parameters) = mined {
            let muted = muted(observations, parameters, stated, clock)?;
            all = descent::list(observations, parameters, &[], clock)?;
            shown.mined = all.len() as u64;
            for at in most_general(observations, &all) {
                let rule = all[at].clone();
                let silent = muted.iter().any(|pattern| implies(pattern, &rule));
                // What a stated rule says need not be repeated.
                let is_stated = |stated: &StatedRule| {
                    implies(&stated.pattern, &rule) && stated.pattern.items != rule.items
                };
                if !silent && stated.rules.iter().any(is_stated) {
                    continue;
                }
                let origin = if silent { Origin::Muted } else { Origin::Mined };
                let text = spell(observations, &rule.items, rule.value);
                shown.rules.push(KnownRule { rule, text, origin });
            }
        }
        let idle = stated.muted.iter().filter(|pattern| !all.iter().any(|rule| implies(pattern, rule)));
        shown.idle = idle.map(|pattern| spell(observations, &pattern.items, pattern.value)).collect();
        let alpha = mined.map_or(0.0, Parameters::alpha);
        let known: Vec<Pattern> = (shown.rules.iter())
            .filter(|known| known.origin == Origin::Mined)
            .map(|known| Pattern { items: known.rule.items.clone(), value: known.rule.value })
            .collect();
        for stated_rule in &stated.rules {
            let rule = figures(observations, &stated_rule.pattern, alpha);
            let wider =
                |other: &StatedRule| other.pattern != stated_rule.pattern && implies(&other.pattern, &rule);
            if known.iter().any(|pattern| implies(pattern, &rule)) || stated.rules.iter().any(wider) {
                shown.repeated += 1;
                continue;
            }
            let text = spell(observations, &rule.items, rule.value);
            shown.rules.push(KnownRule { rule, text, origin: Origin::Stated(stated_rule.line) });
        }
        Ok(shown)
    }
}

/// The mined rules that are struck out, by what they say.
fn muted(
    observations: &Observations,
    parameters: &Parameters,
    stated: &Stated,
    clock: &Clock,
) -> Result<Vec<Pattern>> {
    let mut muted = stated.muted.clone();
    if stated.muted_names.is_empty() {
        return Ok(muted);
    }
    let all = descent::list(observations, parameters, &[], clock)?;
    let named: HashMap<String, &Rule> =
        all.iter().map(|rule| (spell(observations, &rule.items, rule.value).name(), rule)).collect();
    for (name, line) in &stated.muted_names {
        let rule = named.get(name).ok_or_else(|| {
            let error =
                Error::input(format!("no rule {name} was mined")).help("`privet mine` lists those that were");
            at_line(error, *line)
        })?;
        muted.push(Pattern { items: rule.items.clone(), value: rule.value });
    }
    Ok(muted)
}

fn at_line(error: Error, line: Option<u64>) -> Error {
    match line {
        Some(line) => error.at_line(line),
        None => error,
    }
}

fn satisfies(observations: &Observations, items: &[Item], record: usize, alpha: f64) -> bool {
    let degree = observations.degree(items, record);
    degree > 0.0 && degree >= alpha - TOLERANCE
}

/// A stated rule with the figures that the data gives it.
fn figures(observations: &Observations, pattern: &Pattern, alpha: f64) -> Rule {
    let (mut support, mut exceptions) = (0.0, 0.0);
    for record in 0..observations.len() {
        if satisfies(observations, &pattern.items, record, alpha) {
            let degree = observations.degree(&pattern.items, record) * observations.weight(record) as f64;
            support += degree;
            if observations.value(record) == pattern.value {
                exceptions += degree;
            }
        }
    }
    Rule { items: pattern.items.clone(), value: pattern.value, support, exceptions }
}
