//! The policy as understood.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::declare::{Catalogue, Declaration, Key, KeyKind};
use super::file::{Entry, Policy, Section};
use crate::data::{MissingRule, ReadOptions, Source};
use crate::error::suggestion;
use crate::taxonomy::Taxonomy;
use crate::{Error, ErrorKind, Exact, Result};

/// What a column is to the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Names a person directly: never published.
    Identifier,
    /// Could name a person together with others: generalised.
    QuasiIdentifier,
    /// What nobody may learn about a person.
    Sensitive,
    /// A label that later analysis wants to predict (for the cost CM).
    Class,
    /// Carried through as it is.
    Other,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 5] =
        [Role::Identifier, Role::QuasiIdentifier, Role::Sensitive, Role::Class, Role::Other];

    /// The role as written in a policy.
    pub fn name(self) -> &'static str {
        match self {
            Role::Identifier => "identifier",
            Role::QuasiIdentifier => "quasi-identifier",
            Role::Sensitive => "sensitive",
            Role::Class => "class",
            Role::Other => "other",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What kind of data a policy is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataKind {
    /// Rows and columns.
    Table,
}

/// What happens to a record with a missing value in a column that matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnMissing {
    /// The record is dropped, and counted.
    Drop,
    /// Missing is a value of its own.
    Value,
}

/// A column of the data and what the policy says about it.
#[derive(Debug, Clone)]
pub struct PolicyColumn {
    /// Its name.
    pub name: String,
    /// Its position in the data.
    pub index: usize,
    /// Its role; `None` for a column that the policy does not mention, which is not published.
    pub role: Option<Role>,
    /// Its taxonomy, if the policy names a hierarchy file.
    pub hierarchy: Option<Arc<Taxonomy>>,
    /// The hierarchy file.
    pub hierarchy_path: Option<PathBuf>,
}

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
}

/// The values of a clause, complete: what the policy leaves out has its declared default.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings(BTreeMap<&'static str, Setting>);

/// A requirement or a method with its settings.
#[derive(Debug, Clone)]
pub struct Clause {
    /// What it declares.
    pub declaration: &'static Declaration,
    /// What the policy says.
    pub settings: Settings,
}

/// A policy as understood: only this kind can run.
#[derive(Debug, Clone)]
pub struct CheckedPolicy {
    /// The policy as written.
    pub written: Policy,
    /// The secret that every random choice derives from, if the policy has one.
    pub seed: Option<u64>,
    /// What the data is.
    pub kind: DataKind,
    /// The data.
    pub source: Source,
    /// The spellings of a missing value; the first is the one that is published.
    pub missing: Vec<String>,
    /// What happens to records with missing values.
    pub on_missing: OnMissing,
    /// One per column of the data, in its order.
    pub columns: Vec<PolicyColumn>,
    /// What the release must guarantee.
    pub requirements: Vec<Clause>,
    /// How the release is made.
    pub method: Clause,
}

impl Settings {
    /// A setting by its key; `None` when the key is optional and was left out.
    pub fn get(&self, key: &str) -> Option<&Setting> {
        self.0.get(key)
    }

    /// A whole number.
    pub fn count(&self, key: &str) -> Option<u64> {
        match self.get(key) {
            Some(Setting::Count(count)) => Some(*count),
            _ => None,
        }
    }

    /// An exact number.
    pub fn exact(&self, key: &str) -> Option<Exact> {
        match self.get(key) {
            Some(Setting::Exact(exact)) => Some(*exact),
            _ => None,
        }
    }

    /// A column's position in the data.
    pub fn column(&self, key: &str) -> Option<usize> {
        match self.get(key) {
            Some(Setting::Column(column)) => Some(*column),
            _ => None,
        }
    }

    /// A word out of the declared ones.
    pub fn choice(&self, key: &str) -> Option<&'static str> {
        match self.get(key) {
            Some(Setting::Choice(choice)) => Some(choice),
            _ => None,
        }
    }

    /// Yes or no; what is left out is no.
    pub fn flag(&self, key: &str) -> bool {
        self.get(key) == Some(&Setting::Flag(true))
    }

    /// A length of time.
    pub fn duration(&self, key: &str) -> Option<Duration> {
        match self.get(key) {
            Some(Setting::Duration(duration)) => Some(*duration),
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
            Setting::Column(column) => columns[*column].name.clone(),
            Setting::Choice(choice) => choice.to_string(),
            Setting::Flag(flag) => flag.to_string(),
            Setting::Duration(duration) => format!("{duration:?}"),
        }
    }
}

impl Clause {
    /// The name in the policy.
    pub fn name(&self) -> &'static str {
        self.declaration.name
    }

    /// Sets a declared key, for what the command line says over the policy.
    pub fn set(&mut self, key: &'static str, setting: Setting) {
        self.settings.0.insert(key, setting);
    }

    /// The clause as a person would say it: `l-diversity (column = disease, kind = distinct, l = 3)`.
    pub fn describe(&self, columns: &[PolicyColumn]) -> String {
        let mut parts = Vec::new();
        for key in self.declaration.keys {
            let Some(setting) = self.settings.get(key.name) else { continue };
            let text = setting.show(columns);
            parts.push(format!("{} = {text}", key.name));
        }
        format!("{} ({})", self.name(), parts.join(", "))
    }
}

impl CheckedPolicy {
    /// The columns with a role, in the data's order.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &PolicyColumn> {
        self.columns.iter().filter(move |column| column.role == Some(role))
    }

    /// How missing values are recognised and what becomes of them.
    pub fn missing_rule(&self) -> MissingRule {
        MissingRule { spellings: self.missing.clone(), keep: self.on_missing == OnMissing::Value }
    }

    /// Puts an error about a requirement, by its position, at its place in the policy.
    pub(crate) fn at_requirement(&self, position: usize, error: Error) -> Error {
        let privacy = self.written.root().entry("privacy").and_then(|entry| entry.section().ok());
        let sections = privacy.iter().flat_map(Section::entries).flat_map(|(_, entry)| {
            let sections = entry.sections();
            sections.unwrap_or_default()
        });
        self.placed(error, sections.map(|section| section.place()).nth(position))
    }

    /// Puts an error about a key of the method at its place in the policy.
    pub(crate) fn at_method(&self, key: &str, error: Error) -> Error {
        let method = self.written.root().entry("method").and_then(|entry| entry.section().ok());
        self.placed(error, method.and_then(|section| section.entry(key)).map(|entry| entry.place()))
    }

    fn placed(&self, error: Error, line: Option<Option<u64>>) -> Error {
        if error.kind() != ErrorKind::Input || error.file().is_some() {
            return error;
        }
        let error = error.in_file(self.written.path());
        match line.flatten() {
            Some(line) => error.at_line(line),
            None => error,
        }
    }

    /// Whether a cell's text is one of the spellings of a missing value.
    pub fn is_missing(&self, cell: &str) -> bool {
        self.missing.iter().any(|spelling| spelling == cell)
    }
}

impl Policy {
    /// Checks the policy against the catalogue, the data's columns and the hierarchy files.
    ///
    /// `original` stands in for the policy's own `data.path`, for audits of tables that lie elsewhere.
    pub fn check(&self, catalogue: &Catalogue, original: Option<&Path>) -> Result<CheckedPolicy> {
        let root = self.root();
        root.only(&["seed", "data", "columns", "privacy", "method"])?;
        let seed = root.entry("seed").map(|entry| entry.count(0)).transpose()?;
        let data = root.required("data", "add [data] with path = \"your.csv\"")?.section()?;
        data.only(&["path", "kind", "missing", "on_missing", "delimiter"])?;
        let kind = data_kind(&data)?;
        let source = open_source(self, &data, original)?;
        let missing = match data.entry("missing") {
            Some(entry) => entry.texts()?,
            None => vec![String::new()],
        };
        let on_missing = match data.entry("on_missing") {
            Some(entry) => match one_of(&entry, &["drop", "value"])? {
                "value" => OnMissing::Value,
                _ => OnMissing::Drop,
            },
            None => OnMissing::Drop,
        };
        let columns = check_columns(self, &root, &source)?;
        let requirements = check_requirements(&root, catalogue, &columns)?;
        let method = check_method(&root, catalogue, &columns)?;
        Ok(CheckedPolicy {
            written: self.clone(),
            seed,
            kind,
            source,
            missing,
            on_missing,
            columns,
            requirements,
            method,
        })
    }
}

fn data_kind(data: &Section<'_>) -> Result<DataKind> {
    const PLANNED: [&str; 3] = ["transactions", "query-log", "vocabularies"];
    let Some(entry) = data.entry("kind") else { return Ok(DataKind::Table) };
    match entry.text()? {
        "table" => Ok(DataKind::Table),
        planned if PLANNED.contains(&planned) => Err(entry
            .error(format!("this version cannot anonymise kind = \"{planned}\" yet"))
            .help("this version reads kind = \"table\"")),
        other => Err(entry.error(format!("unknown kind '{other}'")).help(suggestion(
            other,
            &["table"],
            "known kinds",
        ))),
    }
}

fn open_source(policy: &Policy, data: &Section<'_>, original: Option<&Path>) -> Result<Source> {
    let delimiter = match data.entry("delimiter") {
        None => None,
        Some(entry) => match entry.text()?.chars().collect::<Vec<char>>()[..] {
            [character] if !"\"\r\n".contains(character) => Some(character),
            _ => {
                let wrong = entry.error("'data.delimiter' must be a single character");
                return Err(wrong
                    .help("as in \",\", \";\", \"|\" or \"\\t\"; a quote or a line break cannot separate"));
            }
        },
    };
    let path = match original {
        Some(path) => path.to_path_buf(),
        None => {
            let help = "name the data file: path = \"your.csv\"";
            let entry = data.required("path", help)?;
            match entry.text()? {
                "" => return Err(entry.error("'data.path' is empty").help(help)),
                path => policy.resolve(path),
            }
        }
    };
    Source::open(&path, &ReadOptions { delimiter })
}

fn one_of<'a>(entry: &Entry<'_>, words: &[&'a str]) -> Result<&'a str> {
    let text = entry.text()?;
    words.iter().copied().find(|word| *word == text).ok_or_else(|| {
        entry.error(format!("'{}' cannot be \"{text}\"", entry.name())).help(suggestion(
            text,
            words,
            "accepted values",
        ))
    })
}

fn check_columns(policy: &Policy, root: &Section<'_>, source: &Source) -> Result<Vec<PolicyColumn>> {
    let mut columns: Vec<PolicyColumn> = source
        .columns()
        .iter()
        .enumerate()
        .map(|(index, column)| PolicyColumn {
            name: column.name.clone(),
            index,
            role: None,
            hierarchy: None,
            hierarchy_path: None,
        })
        .collect();
    let help = "say what each column is: [columns.age] role = \"quasi-identifier\"";
    let listed = root.required("columns", help)?.section()?;
    for (name, entry) in listed.entries() {
        let names: Vec<&str> = source.columns().iter().map(|column| column.name.as_str()).collect();
        let section = entry.section()?;
        let Some(column) = columns.iter_mut().find(|column| column.name == name) else {
            let message = format!("the data has no column '{name}' ({})", source.path().display());
            let help = match names[..] {
                [all] if all.contains([',', ';', '\t', '|']) => {
                    format!("all of '{all}' is one column: does [data] need another delimiter?")
                }
                _ => suggestion(name, &names, "its columns"),
            };
            return Err(section.error(message).help(help));
        };
        section.only(&["role", "hierarchy"])?;
        let role =
            section.required("role", "one of identifier, quasi-identifier, sensitive, class, other")?;
        let word = one_of(&role, &Role::ALL.map(Role::name))?;
        column.role = Role::ALL.into_iter().find(|role| role.name() == word);
        if let Some(hierarchy) = section.entry("hierarchy") {
            if !matches!(column.role, Some(Role::QuasiIdentifier | Role::Sensitive)) {
                return Err(hierarchy
                    .error(format!("column '{name}' has role '{word}', which uses no hierarchy"))
                    .help("only quasi-identifiers and sensitive columns have hierarchies"));
            }
            let path = policy.resolve(hierarchy.text()?);
            column.hierarchy = Some(Arc::new(Taxonomy::read(&path)?));
            column.hierarchy_path = Some(path);
        }
    }
    if columns.iter().filter(|column| column.role == Some(Role::Class)).count() > 1 {
        return Err(listed
            .error("more than one column has role 'class'")
            .help("keep one; make the others 'other'"));
    }
    Ok(columns)
}

fn check_requirements(
    root: &Section<'_>,
    catalogue: &Catalogue,
    columns: &[PolicyColumn],
) -> Result<Vec<Clause>> {
    let help = "say what must hold: [privacy.k-anonymity] k = 5";
    let privacy = root.required("privacy", help)?.section()?;
    let names: Vec<&str> = catalogue.requirements.iter().map(|declaration| declaration.name).collect();
    let mut clauses = Vec::new();
    for (name, entry) in privacy.entries() {
        let declaration = catalogue.requirement(name).ok_or_else(|| {
            entry.error(format!("unknown requirement '{name}'")).help(suggestion(
                name,
                &names,
                "known requirements",
            ))
        })?;
        for section in entry.sections()? {
            let settings = check_settings(&section, declaration, columns, &[])?;
            clauses.push(Clause { declaration, settings });
        }
    }
    if clauses.is_empty() {
        return Err(privacy.error("the policy asks for nothing").help(help));
    }
    Ok(clauses)
}

fn check_method(root: &Section<'_>, catalogue: &Catalogue, columns: &[PolicyColumn]) -> Result<Clause> {
    let names: Vec<&str> = catalogue.methods.iter().map(|declaration| declaration.name).collect();
    let Some(entry) = root.entry("method") else {
        return Ok(default_clause(catalogue));
    };
    let section = entry.section()?;
    let name = match section.entry("name") {
        Some(name) => one_of(&name, &names)?,
        None => catalogue.default_method,
    };
    let Some(declaration) = catalogue.method(name) else { return Ok(default_clause(catalogue)) };
    for (key, entry) in section.entries() {
        let takes = |method: &&&Declaration| method.keys.iter().any(|declared| declared.name == key);
        let other = catalogue.methods.iter().find(takes).filter(|_| key != "name" && !takes(&&declaration));
        if let Some(other) = other {
            let message = format!("the method '{name}' has no key '{key}'; '{}' has", other.name);
            return Err(entry.error(message).help(format!("remove it, or set name = \"{}\"", other.name)));
        }
    }
    let settings = check_settings(&section, declaration, columns, &["name"])?;
    Ok(Clause { declaration, settings })
}

fn default_clause(catalogue: &Catalogue) -> Clause {
    let declaration = catalogue
        .method(catalogue.default_method)
        .unwrap_or_else(|| unreachable!("the catalogue lists its default method"));
    let defaults = declaration.keys.iter().filter_map(|key| Some((key.name, default_of(key)?)));
    Clause { declaration, settings: Settings(defaults.collect()) }
}

fn check_settings(
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
        KeyKind::Exact(least, most) => exact_between(entry, least, most).map(Setting::Exact),
        KeyKind::Column(role) => column_of_role(entry, role, columns).map(Setting::Column),
        KeyKind::Choice(words) => one_of(entry, words).map(Setting::Choice),
        KeyKind::Flag => entry.flag().map(Setting::Flag),
        KeyKind::Duration => {
            let text = entry.text()?;
            let duration = parse_duration(text).ok_or_else(|| not_a_duration(entry, text))?;
            Ok(Setting::Duration(duration))
        }
    }
}

fn not_a_duration(entry: &Entry<'_>, text: &str) -> Error {
    entry
        .error(format!("'{}' is \"{text}\", which is no length of time", entry.name()))
        .help("as in \"500ms\", \"30s\", \"5m\" or \"2h\"")
}

fn default_of(key: &Key) -> Option<Setting> {
    let text = key.default?;
    match key.kind {
        KeyKind::Count(_) => text.parse().ok().map(Setting::Count),
        KeyKind::Exact(..) => Exact::parse(text).map(Setting::Exact),
        KeyKind::Column(_) => None,
        KeyKind::Choice(words) => words.iter().copied().find(|word| *word == text).map(Setting::Choice),
        KeyKind::Flag => Some(Setting::Flag(text == "true")),
        KeyKind::Duration => parse_duration(text).map(Setting::Duration),
    }
}

fn exact_between(entry: &Entry<'_>, least: &str, most: &str) -> Result<Exact> {
    let text = entry.scalar()?;
    let bound = |text: &str| Exact::parse(text);
    let exact = Exact::parse(text).ok_or_else(|| {
        entry
            .error(format!("'{}' is '{text}', which is no number from {least} on", entry.name()))
            .help("write it as 0.3, \"3/10\" or \"30%\", with at most 18 digits")
    })?;
    let in_range =
        bound(least).is_none_or(|least| exact >= least) && bound(most).is_none_or(|most| exact <= most);
    if !in_range {
        let range =
            if most.is_empty() { format!("at least {least}") } else { format!("from {least} to {most}") };
        return Err(entry.error(format!("'{}' is {text}; it must be {range}", entry.name())));
    }
    Ok(exact)
}

fn column_of_role(entry: &Entry<'_>, role: Role, columns: &[PolicyColumn]) -> Result<usize> {
    let name = entry.text()?;
    let fitting: Vec<&str> = columns
        .iter()
        .filter(|column| column.role == Some(role))
        .map(|column| column.name.as_str())
        .collect();
    let what = format!("columns of role '{role}'");
    let column = columns.iter().find(|column| column.name == name).ok_or_else(|| {
        entry
            .error(format!("'{}' names '{name}', which is no column", entry.name()))
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
        _ => return None,
    };
    let total = u128::from(exact.numerator()) * u128::from(nanoseconds) / u128::from(exact.denominator());
    Some(Duration::from_nanos(u64::try_from(total).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

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
