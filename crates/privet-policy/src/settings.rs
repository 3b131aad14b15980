//! The keys of requirements and methods as understood: each value of its declared kind, each default filled in.

use std::collections::BTreeMap;
use std::time::Duration;

use super::check::{PolicyColumn, Role};
use super::declare::{Catalogue, Declaration, Key, KeyKind};
use super::file::{Entry, Section};
use privet_core::{Error, Exact, Result};
use privet_core::{echoed, suggestion};

/// A value of a declared key.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// A whole number.
    Count(u64),
    /// An exact number.
    Exact(Exact),
    /// A column, by its position in the data.
    Column(usize),
    /// One of the declared words.
    Choice(&'static str),
    /// Yes or no.
    Flag(bool),
    /// A length of time.
    Duration(Duration),
    /// An exact number for each of some values of a column.
    Thresholds(BTreeMap<String, Exact>),
    /// A declared word for each of some columns, by their positions in the data.
    Choices(BTreeMap<usize, &'static str>),
    /// A whole number for each of some columns, by their positions in the data.
    Counts(BTreeMap<usize, u64>),
}

/// The values of a clause, complete: what the policy leaves out has its declared default.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings(BTreeMap<&'static str, Setting>);

/// A requirement or a method with its settings, on the way from the file to its type.
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    /// What it declares.
    pub declaration: &'static Declaration,
    /// What the policy says.
    pub settings: Settings,
}

impl FromIterator<(&'static str, Setting)> for Settings {
    fn from_iter<I: IntoIterator<Item = (&'static str, Setting)>>(settings: I) -> Settings {
        Settings(settings.into_iter().collect())
    }
}

impl Settings {
    /// A setting by its key; `None` when the key is optional and was left out.
    pub fn get(&self, key: &str) -> Option<&Setting> {
        self.0.get(key)
    }

    /// A column's position in the data.
    pub(crate) fn column(&self, key: &str) -> Option<usize> {
        match self.get(key) {
            Some(Setting::Column(column)) => Some(*column),
            _ => None,
        }
    }

    /// A word out of the declared ones.
    pub(crate) fn choice(&self, key: &str) -> Option<&'static str> {
        match self.get(key) {
            Some(Setting::Choice(choice)) => Some(choice),
            _ => None,
        }
    }

    /// Exact numbers, each for a value of a column.
    pub(crate) fn thresholds(&self, key: &str) -> Option<&BTreeMap<String, Exact>> {
        match self.get(key) {
            Some(Setting::Thresholds(thresholds)) => Some(thresholds),
            _ => None,
        }
    }

    /// Words, each for a column.
    pub(crate) fn choices(&self, key: &str) -> Option<&BTreeMap<usize, &'static str>> {
        match self.get(key) {
            Some(Setting::Choices(choices)) => Some(choices),
            _ => None,
        }
    }

    /// All settings, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Setting)> {
        self.0.iter().map(|(key, setting)| (*key, setting))
    }
}

impl Setting {
    /// The setting as a person would write it.
    pub fn show(&self, columns: &[PolicyColumn]) -> String {
        match self {
            Setting::Count(count) => count.to_string(),
            Setting::Exact(exact) => exact.to_string(),
            Setting::Column(column) => {
                columns.get(*column).map(|column| column.name.clone()).unwrap_or_default()
            }
            Setting::Choice(choice) => choice.to_string(),
            Setting::Flag(flag) => flag.to_string(),
            Setting::Duration(duration) => format!("{duration:?}"),
            Setting::Thresholds(thresholds) => show_thresholds(thresholds),
            Setting::Choices(choices) => per_column(choices, columns),
            Setting::Counts(counts) => per_column(counts, columns),
        }
    }
}

/// What columns have, by their names.
fn per_column(of: &BTreeMap<usize, impl std::fmt::Display>, columns: &[PolicyColumn]) -> String {
    let name = |column: &usize| columns.get(*column).map_or("", |column| column.name.as_str());
    let parts: Vec<String> = of.iter().map(|(column, what)| format!("{} = {what}", name(column))).collect();
    format!("{{ {} }}", parts.join(", "))
}

/// The first few of them, so that a name of a requirement stays one line.
pub(crate) fn show_thresholds(thresholds: &BTreeMap<String, Exact>) -> String {
    const MOST: usize = 6;
    let first = thresholds.iter().take(MOST).map(|(value, exact)| format!("{value} = {exact}"));
    let first = first.collect::<Vec<_>>().join(", ");
    if thresholds.is_empty() {
        return "{ }".to_string();
    }
    if thresholds.len() > MOST {
        return format!("{{ {first}, … ({} in all) }}", thresholds.len());
    }
    format!("{{ {first} }}")
}

impl Clause {
    /// A clause of which the policy says nothing but its name.
    pub fn with_defaults(declaration: &'static Declaration) -> Clause {
        let defaults = declaration.keys.iter().filter_map(|key| Some((key.name, default_of(key)?)));
        Clause { declaration, settings: Settings(defaults.collect()) }
    }

    /// The name in the policy.
    pub fn name(&self) -> &'static str {
        self.declaration.name
    }

    /// Sets a declared key, for what the command line says over the policy.
    pub fn set(&mut self, key: &'static str, setting: Setting) {
        self.settings.0.insert(key, setting);
    }

    /// Takes a key away, once what it says has been understood.
    pub(super) fn unset(&mut self, key: &str) {
        self.settings.0.remove(key);
    }
}

pub(super) fn default_clause(catalogue: &Catalogue, name: &str) -> Clause {
    let declaration =
        catalogue.method(name).unwrap_or_else(|| unreachable!("the catalogue lists its default method"));
    Clause::with_defaults(declaration)
}

pub(super) fn check_settings(
    section: &Section<'_>,
    declaration: &'static Declaration,
    columns: &[PolicyColumn],
    also: &[&str],
) -> Result<Settings> {
    let mut known: Vec<&str> = declaration.keys.iter().map(|key| key.name).collect();
    known.extend(also);
    section.only(&known)?;
    let mut settings = BTreeMap::new();
    for key in declaration.keys {
        let setting = match section.entry(key.name) {
            Some(entry) => Some(check_setting(&entry, key, columns)?),
            None if key.required => {
                return Err(section
                    .error(format!("[{}] lacks '{}'", section.name(), key.name))
                    .help(key.help));
            }
            None => default_of(key),
        };
        if let Some(setting) = setting {
            settings.insert(key.name, setting);
        }
    }
    Ok(Settings(settings))
}

fn check_setting(entry: &Entry<'_>, key: &Key, columns: &[PolicyColumn]) -> Result<Setting> {
    match key.kind {
        KeyKind::Count(least) => entry.count(least).map(Setting::Count),
        KeyKind::Exact(least, most) => exact_between(entry, key, least, most).map(Setting::Exact),
        KeyKind::Above(most) => match exact_between(entry, key, "0", most)? {
            Exact::ZERO => {
                let range = if most.is_empty() { String::new() } else { format!(", at most {most}") };
                let message = format!("'{}' is 0; it must be above 0{range}", entry.name());
                Err(entry.error(message).help(key.help))
            }
            exact => Ok(Setting::Exact(exact)),
        },
        KeyKind::Column(role) => column_of_role(entry, role, columns).map(Setting::Column),
        KeyKind::Choice(words) => entry.one_of(words).map(Setting::Choice),
        KeyKind::Flag => entry.flag().map(Setting::Flag),
        KeyKind::FlagOrCount(least) => match entry.flag() {
            Ok(flag) => Ok(Setting::Flag(flag)),
            Err(_) => entry.count(least).map(Setting::Count).map_err(|error| error.help(key.help)),
        },
        KeyKind::Counts(role) => {
            let table =
                entry.table("a table of columns with a number each").map_err(|error| error.help(key.help))?;
            let counts = table
                .entries()
                .map(|(name, entry)| Ok((named_column(&entry, name, role, columns)?, entry.count(0)?)));
            counts.collect::<Result<_>>().map(Setting::Counts)
        }
        KeyKind::Duration => {
            let text = entry.text()?;
            let duration = parse_duration(text).ok_or_else(|| not_a_duration(entry, text))?;
            Ok(Setting::Duration(duration))
        }
        KeyKind::Thresholds(least, most) => {
            let table =
                entry.table("a table of values with a number each").map_err(|error| error.help(key.help))?;
            let thresholds = table.entries().map(|(value, entry)| {
                let exact = exact_between(&entry, key, least, most)?;
                Ok((value.to_string(), exact))
            });
            thresholds.collect::<Result<_>>().map(Setting::Thresholds)
        }
        KeyKind::WordOrWeights(words) => {
            let Ok(table) = entry.table("a table of values with a number each") else {
                return entry.one_of(words).map(Setting::Choice).map_err(|error| error.help(key.help));
            };
            let weights = table.entries().map(|(value, entry)| match exact_between(&entry, key, "0", "")? {
                Exact::ZERO => Err(entry.error(format!("'{value}' is 0; it must be above 0")).help(key.help)),
                exact => Ok((value.to_string(), exact)),
            });
            weights.collect::<Result<_>>().map(Setting::Thresholds)
        }
        KeyKind::Choices(role, words) => {
            let table =
                entry.table("a table of columns with a word each").map_err(|error| error.help(key.help))?;
            let choices = table.entries().map(|(name, entry)| {
                let column = named_column(&entry, name, role, columns)?;
                Ok((column, entry.one_of(words)?))
            });
            choices.collect::<Result<_>>().map(Setting::Choices)
        }
    }
}

fn not_a_duration(entry: &Entry<'_>, text: &str) -> Error {
    entry
        .error(format!("'{}' must be a duration such as \"30s\", not \"{text}\"", entry.name()))
        .help("as in \"500ms\", \"30s\", \"5m\" or \"2h\"")
}

fn default_of(key: &Key) -> Option<Setting> {
    let text = key.default?;
    match key.kind {
        KeyKind::Count(_) => text.parse().ok().map(Setting::Count),
        KeyKind::Exact(..) | KeyKind::Above(_) => Exact::parse(text).map(Setting::Exact),
        KeyKind::Column(_) | KeyKind::Thresholds(..) | KeyKind::Choices(..) | KeyKind::Counts(_) => None,
        KeyKind::WordOrWeights(words) => {
            words.iter().copied().find(|word| *word == text).map(Setting::Choice)
        }
        KeyKind::Choice(words) => words.iter().copied().find(|word| *word == text).map(Setting::Choice),
        KeyKind::Flag | KeyKind::FlagOrCount(_) => Some(Setting::Flag(text == "true")),
        KeyKind::Duration => parse_duration(text).map(Setting::Duration),
    }
}

fn exact_between(entry: &Entry<'_>, key: &Key, least: &str, most: &str) -> Result<Exact> {
    let text = entry.scalar()?;
    let bound = |text: &str| Exact::parse(text);
    let exact = Exact::parse(text).ok_or_else(|| {
        entry
            .error(format!("'{}' is '{text}', {}", entry.name(), Exact::fault(text, least)))
            .help("write it as 0.3, \"3/10\" or \"30%\", with at most 18 digits")
    })?;
    let in_range =
        bound(least).is_none_or(|least| exact >= least) && bound(most).is_none_or(|most| exact <= most);
    if !in_range {
        let range =
            if most.is_empty() { format!("at least {least}") } else { format!("from {least} to {most}") };
        let message = format!("'{}' is {}; it must be {range}", entry.name(), echoed(text));
        return Err(entry.error(message).help(key.help));
    }
    Ok(exact)
}

fn column_of_role(entry: &Entry<'_>, role: Role, columns: &[PolicyColumn]) -> Result<usize> {
    named_column(entry, entry.text()?, role, columns)
}

fn named_column(entry: &Entry<'_>, name: &str, role: Role, columns: &[PolicyColumn]) -> Result<usize> {
    let fitting: Vec<&str> = columns
        .iter()
        .filter(|column| column.role == Some(role))
        .map(|column| column.name.as_str())
        .collect();
    let what = format!("columns of role '{role}'");
    let column = columns.iter().find(|column| column.name == name).ok_or_else(|| {
        entry
            .error(format!("'{}' names '{name}', which is not a column of the data", entry.name()))
            .help(suggestion(name, &fitting, &what))
    })?;
    match column.role {
        Some(found) if found == role => Ok(column.index),
        found => {
            let found = match found {
                Some(found) => format!("whose role is '{found}', not '{role}'"),
                None => "which the policy gives no role".to_string(),
            };
            let message = format!("'{}' names '{name}', {found}", entry.name());
            Err(entry
                .error(message)
                .help(format!("give [columns.{name}] role = \"{role}\", or name another column")))
        }
    }
}

/// Reads a length of time as people write it.
///
/// Used for policies and for `--time-limit` alike.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(split);
    let exact = Exact::parse(number)?;
    let nanoseconds: u64 = match unit {
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" | "min" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        "w" => 604_800_000_000_000,
        _ => return None,
    };
    let total = u128::from(exact.numerator()) * u128::from(nanoseconds) / u128::from(exact.denominator());
    Some(Duration::from_nanos(u64::try_from(total).ok()?))
}

#[cfg(test)]
mod tests {
    use super::super::Policy;
    use super::*;

    const THETA: Key = Key::optional("theta", KeyKind::Thresholds("0", "1"), "as in theta = { a = 0.5 }");

    fn thresholds(text: &str) -> Result<Setting> {
        let policy = Policy::parse("policy.toml".as_ref(), text.to_string())?;
        check_setting(&policy.root().required("theta", "")?, &THETA, &[])
    }

    #[test]
    fn thresholds_are_read_however_the_table_is_written() {
        for text in [
            "theta = { Flu = 0.5, \"a b\" = \"30%\" }",
            "[theta]\nFlu = \"1/2\"\n\"a b\" = 0.3",
            "theta.Flu = 0.50\ntheta.\"a b\" = \"3/10\"",
        ] {
            let setting = thresholds(text).expect(text);
            assert_eq!(setting.show(&[]), "{ Flu = 1/2, a b = 3/10 }", "{text}");
        }
        assert_eq!(thresholds("theta = {}").map(|setting| setting.show(&[])).ok().as_deref(), Some("{ }"));
        let many: String = (0..9).map(|value| format!("v{value} = 1\n")).collect();
        let many = thresholds(&format!("[theta]\n{many}")).expect("thresholds").show(&[]);
        assert!(many.ends_with("v5 = 1, … (9 in all) }"), "{many}");
    }

    #[test]
    fn a_threshold_out_of_bounds_is_told_with_its_value_and_line() {
        let error = thresholds("[theta]\nFlu = 1\nCold = 1.5\n").expect_err("an error");
        assert_eq!(error.line(), Some(3));
        assert!(error.message().contains("'theta.Cold' is 1.5") && error.remedy().is_some(), "{error}");
        assert!(thresholds("theta = [0.5]").is_err() && thresholds("theta = { a = { b = 1 } }").is_err());
    }

    #[test]
    fn durations_are_read_as_people_write_them() {
        assert_eq!(parse_duration("30s"), Some(Duration::from_secs(30)));
        assert_eq!(parse_duration("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(parse_duration("1.5 m"), Some(Duration::from_secs(90)));
        assert_eq!(parse_duration("30"), None);
        assert_eq!(parse_duration("s"), None);
        assert_eq!(parse_duration("-1s"), None);
    }
}
