//! The policy as understood.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::column_type::ColumnType;
use super::database::DATABASE_KEYS;
use super::dates::{DateShift, DatesPolicy};
use super::declare::{Catalogue, Declaration};
use super::door::Purpose;
use super::file::{Entry, Policy, Section};
use super::item_column::{self, ItemColumn};
use super::knowledge::KnowledgePolicy;
use super::missing;
use super::mixed::{self, MixedColumn};
use super::numbers::NumbersPolicy;
use super::original::OriginalData;
use super::person;
use super::population::Population;
use super::pseudonyms::{self, PseudonymPolicy};
use super::reading::{LAYOUT_KEYS, READING_KEYS, reading};
use super::release_kind::ReleaseKind;
use super::rewriting;
use super::sensitive::check_sensitive;
use super::sets::SetPolicy;
use super::settings::{Clause, check_settings, default_clause};
use super::weights::{self, ColumnWeights};
use crate::method::{Labels, Method, TABLES};
use crate::requirement::Requirement;
use privet_core::suggestion;
use privet_core::{Error, Exact, Result};
use privet_data::{Header, MissingRule, Reading, Source};
use privet_taxonomy::Taxonomy;

/// What a column is to the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Names a person directly: never published.
    Identifier,
    /// Could name a person together with others: generalised.
    QuasiIdentifier,
    /// What nobody may learn about a person.
    Sensitive,
    /// Some of its values can be seen on a person, others nobody may learn: generalised.
    Mixed,
    /// A set of terms that public knowledge may turn into something sensitive.
    QuasiSensitive,
    /// A set of items, of which an attacker may know a few: generalised.
    Set,
    /// A label that later analysis wants to predict (for the cost CM).
    Class,
    /// How many people of the population a record stands for.
    Weight,
    /// Who lives together.
    Household,
    /// Carried through as it is.
    Other,
    /// Names a person directly: published as a pseudonym, which only the holder of a key can make.
    Pseudonym,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 11] = [
        Role::Identifier,
        Role::Pseudonym,
        Role::QuasiIdentifier,
        Role::Sensitive,
        Role::QuasiSensitive,
        Role::Set,
        Role::Mixed,
        Role::Class,
        Role::Weight,
        Role::Household,
        Role::Other,
    ];

    /// The role as written in a policy.
    pub fn name(self) -> &'static str {
        match self {
            Role::Identifier => "identifier",
            Role::Pseudonym => "pseudonym",
            Role::QuasiIdentifier => "quasi-identifier",
            Role::Sensitive => "sensitive",
            Role::Mixed => "mixed",
            Role::QuasiSensitive => "quasi-sensitive",
            Role::Set => "set",
            Role::Class => "class",
            Role::Weight => "weight",
            Role::Household => "household",
            Role::Other => "other",
        }
    }

    /// Whether the values of such a column are generalised.
    pub fn is_generalised(self) -> bool {
        matches!(self, Role::QuasiIdentifier | Role::Mixed)
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
    /// Sets of items.
    Transactions,
    /// What people typed, and when.
    QueryLog,
    /// Bags of terms.
    Vocabularies,
}

impl DataKind {
    /// The kind as written in a policy.
    pub fn name(self) -> &'static str {
        match self {
            DataKind::Table => "table",
            DataKind::Transactions => "transactions",
            DataKind::QueryLog => "query-log",
            DataKind::Vocabularies => "vocabularies",
        }
    }

    /// All kinds.
    pub const ALL: [DataKind; 4] =
        [DataKind::Table, DataKind::Transactions, DataKind::QueryLog, DataKind::Vocabularies];

    /// The keys of `[data]`.
    pub(super) fn data_keys(self) -> &'static [&'static str] {
        match self {
            DataKind::Table => &[
                "path",
                "kind",
                "missing",
                "missing_as",
                "on_missing",
                "delimiter",
                "header",
                "person",
                LAYOUT_KEYS[0],
                LAYOUT_KEYS[1],
                LAYOUT_KEYS[2],
                LAYOUT_KEYS[3],
                LAYOUT_KEYS[4],
                LAYOUT_KEYS[5],
                DATABASE_KEYS[0],
                DATABASE_KEYS[1],
                DATABASE_KEYS[2],
                DATABASE_KEYS[3],
            ],
            DataKind::Transactions => &[
                "path",
                "kind",
                "form",
                "separator",
                "id",
                "item",
                "delimiter",
                "header",
                "person",
                "encoding",
                DATABASE_KEYS[0],
                DATABASE_KEYS[1],
                DATABASE_KEYS[2],
                DATABASE_KEYS[3],
            ],
            DataKind::QueryLog => &[
                "path",
                "kind",
                "columns",
                "quotes",
                "delimiter",
                "header",
                "driver",
                "uri_env",
                "table",
                "query",
            ],
            DataKind::Vocabularies => {
                &["path", "kind", "columns", "delimiter", "header", "driver", "uri_env", "table", "query"]
            }
        }
    }

    /// The keys of a policy that this kind has and some other has not, by section.
    fn own_keys(self, section: &str) -> &'static [&'static str] {
        match (self, section) {
            (DataKind::Table, "") => &["columns", "population", "pseudonyms", "knowledge", "loss"],
            (DataKind::Table, "data") => &[
                "missing",
                "missing_as",
                "on_missing",
                "delimiter",
                "person",
                LAYOUT_KEYS[0],
                LAYOUT_KEYS[1],
                LAYOUT_KEYS[2],
                LAYOUT_KEYS[3],
                LAYOUT_KEYS[4],
                LAYOUT_KEYS[5],
            ],
            (DataKind::Transactions, "") => &["items"],
            (DataKind::Transactions, "data") => {
                &["form", "separator", "id", "item", "delimiter", "person", "encoding"]
            }
            (DataKind::QueryLog, "") => &["vocabulary", "semantics"],
            (DataKind::QueryLog, "data") => &["columns", "quotes", "delimiter"],
            (DataKind::Vocabularies, "") => &["semantics"],
            (DataKind::Vocabularies, "data") => &["columns", "delimiter"],
            _ => &[],
        }
    }
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
    /// The hierarchy file, where the tree is not in the policy itself.
    pub hierarchy_path: Option<PathBuf>,
    /// What its values are, where the policy says it.
    pub column_type: Option<ColumnType>,
    /// What its cells show of a class, where the policy says it for this column.
    pub labels: Option<Labels>,
    /// How far the ranges of its hierarchy reach beyond their ends, as a share of their width, in mined rules.
    pub fuzzy_spread: Option<Exact>,
    /// What is guarded and what can be observed of it, if its role is `mixed`.
    pub mixed: Option<MixedColumn>,
    /// How its cells hold sets of terms and what is publicly known about them, for a quasi-sensitive column.
    pub sets: Option<SetPolicy>,
    /// How its cells hold sets of items and how these generalise, if its role is `set`.
    pub items: Option<ItemColumn>,
    /// What separates the values of a cell, for a sensitive column whose cells hold several. The values are judged one by one.
    pub separator: Option<char>,
    /// Sensitive values that need no protection.
    pub insensitive: Vec<String>,
    /// How its cells are read, where the policy says.
    pub reading: Option<Reading>,
    /// How its numbers are rounded and coded, where the policy says.
    pub numbers: Option<NumbersPolicy>,
    /// How its dates are shifted or coarsened, where the policy says.
    pub dates: Option<DatesPolicy>,
    /// The domain of its pseudonyms, if its role is `pseudonym`.
    pub pseudonym: Option<String>,
    /// How much its losses matter.
    pub weights: ColumnWeights,
    /// Whether a column of weights or of households is published.
    pub publish: bool,
}

impl PolicyColumn {
    /// Whether it appears in a release of one table.
    pub fn is_published(&self) -> bool {
        match self.role {
            None | Some(Role::Identifier) => false,
            Some(Role::Weight | Role::Household) => self.publish,
            Some(
                Role::QuasiIdentifier
                | Role::Sensitive
                | Role::Mixed
                | Role::QuasiSensitive
                | Role::Class
                | Role::Pseudonym
                | Role::Set
                | Role::Other,
            ) => true,
        }
    }

    /// Whether its cells are published in another form than the data have, though nothing is generalised.
    pub fn is_rewritten(&self) -> bool {
        self.numbers.is_some() || self.dates.is_some() || self.pseudonym.is_some()
    }

    /// By how much its dates are moved, where the policy says.
    pub fn shift(&self) -> Option<&DateShift> {
        match &self.dates {
            Some(DatesPolicy::Shifted(shift)) => Some(shift),
            Some(DatesPolicy::Coarse(_)) | None => None,
        }
    }

    /// The values of a cell: one, or those of a set. Blanks around values and empty values mean nothing.
    pub fn values_of<'a>(&self, cell: &'a str) -> Vec<&'a str> {
        let Some(separator) = self.separator else { return vec![cell] };
        cell.split(separator).map(str::trim).filter(|value| !value.is_empty()).collect()
    }
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
    pub requirements: Vec<Requirement>,
    /// Which table of `[privacy]` each requirement comes from: one that names no column stands for several requirements.
    places: Vec<usize>,
    /// How the release is made.
    pub method: Method,
    /// How much the items of a column of sets weigh; the quasi-identifiers have the rest of 1.
    pub item_weight: Exact,
    /// The population that the data were taken from, where the policy says what is known of it.
    pub population: Option<Population>,
    /// How pseudonyms are made, and the key of these and of shifted dates, where the policy has any.
    pub pseudonyms: Option<PseudonymPolicy>,
    /// What tells the key of a run from others, once the run has read it.
    pub key_fingerprint: Option<String>,
    /// What the adversary is taken to know, for methods that ask.
    pub knowledge: KnowledgePolicy,
    /// The column that identifies people, by position, where one person may have several records.
    pub person: Option<usize>,
}

impl CheckedPolicy {
    /// The columns with a role, in the data's order.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &PolicyColumn> {
        self.columns.iter().filter(move |column| column.role == Some(role))
    }

    /// The columns whose values are generalised, in the data's order.
    pub fn generalised(&self) -> impl Iterator<Item = &PolicyColumn> {
        self.columns.iter().filter(|column| column.role.is_some_and(Role::is_generalised))
    }

    /// How missing values are recognised and what becomes of them.
    pub fn missing_rule(&self) -> MissingRule {
        MissingRule { spellings: self.missing.clone(), keep: self.on_missing == OnMissing::Value }
    }

    /// Whether requirements or the method look at what the terms of a quasi-sensitive column reveal.
    pub fn looks_at_terms(&self) -> bool {
        let is_about =
            |asked: &Requirement| matches!(asked, Requirement::QsDiversity(_) | Requirement::QsCloseness(_));
        self.method.is_about(Role::QuasiSensitive) || self.requirements.iter().any(is_about)
    }

    /// The same for one column: an empty cell of a column with several values is the empty set, a value like any other.
    pub fn missing_rule_of(&self, column: &PolicyColumn) -> MissingRule {
        let mut rule = self.missing_rule();
        let of_sets = column.sets.is_some() || column.items.is_some();
        if column.separator.is_some() || of_sets {
            rule.spellings.retain(|spelling| !spelling.is_empty());
        }
        if of_sets && rule.keep {
            // A missing set that is kept is the empty one.
            rule.spellings.insert(0, String::new());
        }
        rule
    }

    /// The requirements that count records even where `person` says whose they are, with their positions. They say something
    /// about people only where nobody has several records in one class.
    pub fn counts_records(&self) -> impl Iterator<Item = (usize, &Requirement)> {
        let all = self.requirements.iter().enumerate();
        all.filter(|(_, requirement)| self.person.is_some() && !requirement.counts_people())
    }

    /// The least size of a class that its requirements ask for; 1 where none does.
    pub fn k(&self) -> u64 {
        self.requirements.iter().filter_map(Requirement::k).max().unwrap_or(1)
    }

    /// Puts an error about a requirement, by its position, at its place in the policy.
    pub fn at_requirement(&self, position: usize, error: Error) -> Error {
        self.written.at_requirement(self.places.get(position).copied().unwrap_or(position), error)
    }

    /// Puts an error about a key of the method at its place in the policy.
    pub fn at_method(&self, key: &str, error: Error) -> Error {
        self.written.at_method(key, error)
    }

    /// Whether a cell's text is one of the spellings of a missing value.
    pub fn is_missing(&self, cell: &str) -> bool {
        self.missing.iter().any(|spelling| spelling == cell)
    }
}

impl Policy {
    /// Checks the policy against the data's columns and the hierarchy files.
    ///
    /// `original` stands in for the policy's own `data.path`, for data that are elsewhere or are not files.
    pub fn check(&self, original: impl Into<OriginalData>) -> Result<CheckedPolicy> {
        self.check_for(original.into(), Purpose::Run)
    }

    /// The same, for a purpose.
    pub(super) fn check_for(&self, original: OriginalData, purpose: Purpose) -> Result<CheckedPolicy> {
        let catalogue = &TABLES;
        let root = self.root();
        let kind = DataKind::Table;
        self.of_kind(kind)?;
        root.only_at_root(&[
            "seed",
            "data",
            "columns",
            "population",
            "pseudonyms",
            "privacy",
            "knowledge",
            "loss",
            "method",
        ])?;
        let seed = root.entry("seed").map(|entry| entry.count(0)).transpose()?;
        let data = data_section(&root)?;
        data.only(kind.data_keys())?;
        let source = self.table(&data, original)?;
        let missing = missing::spellings(&data)?;
        let on_missing = on_missing_of(&data)?.unwrap_or(OnMissing::Drop);
        let mut columns = check_columns(self, &root, &source)?;
        if on_missing == OnMissing::Value {
            missing::name_leaves(&mut columns, &missing)?;
        }
        let readings = columns.iter().filter_map(|column| Some((column.index, column.reading.clone()?)));
        let source = source.read_as(readings.collect(), &missing);
        self.check_publication(Some(&columns))?;
        let population = self.population(&root, &columns, (&missing, on_missing))?;
        let written = match root.entry("privacy") {
            None if purpose == Purpose::Risk => Vec::new(),
            _ => check_requirements(&root, catalogue, &columns)?,
        };
        let method = check_method(&root, catalogue, &columns, implied_method(&written, catalogue))?;
        self.admit(catalogue, (&written, &method), purpose)?;
        let (places, requirements) = self.for_every_column(written, &columns)?;
        let understood = places.iter().zip(&requirements).map(|(place, clause)| {
            let read = Requirement::of(clause)
                .and_then(|own| own.check(method.declaration.publishes, purpose, &columns).map(|()| own));
            read.map_err(|error| self.at_requirement(*place, error))
        });
        let mut requirements = understood.collect::<Result<Vec<_>>>()?;
        for (place, requirement) in places.iter().zip(&mut requirements).filter(|_| purpose != Purpose::Risk)
        {
            requirement
                .settle(population.as_ref(), &columns)
                .map_err(|error| self.at_requirement(*place, error))?;
        }
        mixed::fit(&root, &columns, &method)?;
        self.check_sets(&root, &method)?;
        let knowledge = self.knowledge(&root, &columns)?;
        if let Some(entry) =
            root.entry("knowledge").filter(|_| method.declaration.publishes != ReleaseKind::Groups)
        {
            return Err(entry
                .error(format!("[knowledge] has no meaning for method \"{}\"", method.name()))
                .help("remove it, or set name = \"injector\" in [method]"));
        }
        let item_weight = self.item_weight(&root, &columns)?;
        let method = Method::of(&method).map_err(|error| self.at_method("name", error))?;
        weights::fit(&root, &columns, &method)?;
        survey_fits(&root, &columns, &method)?;
        if purpose == Purpose::Run {
            item_column::fit(&root, &columns, &method, &requirements)?;
        }
        rewriting::fit(&root, &columns, &method, &requirements)?;
        let person = person::check(self, &data, &columns, &method, &requirements)?;
        let pseudonyms = PseudonymPolicy::read(self, &root, &columns)?;
        if purpose == Purpose::Run {
            let checked = method.check(&columns, &requirements);
            checked.map_err(|(key, error)| self.at_method(key, error))?;
        }
        Ok(CheckedPolicy {
            written: self.clone(),
            seed,
            kind,
            source,
            missing,
            on_missing,
            columns,
            requirements,
            places,
            method,
            item_weight,
            population,
            pseudonyms,
            key_fingerprint: None,
            knowledge,
            person,
        })
    }
}

/// What a section says about records with missing values, if it says it.
pub(super) fn on_missing_of(section: &Section<'_>) -> Result<Option<OnMissing>> {
    let Some(entry) = section.entry("on_missing") else { return Ok(None) };
    Ok(Some(match entry.one_of(&["drop", "value"])? {
        "value" => OnMissing::Value,
        _ => OnMissing::Drop,
    }))
}

pub(super) fn data_section<'a>(root: &Section<'a>) -> Result<Section<'a>> {
    root.required("data", "add [data] with path = \"your.csv\"")?.section()
}

impl Policy {
    /// What kind of data the policy is about.
    pub fn kind(&self) -> Result<DataKind> {
        let Some(entry) = data_section(&self.root())?.entry("kind") else { return Ok(DataKind::Table) };
        let written = entry.text()?;
        DataKind::ALL.into_iter().find(|kind| kind.name() == written).ok_or_else(|| {
            entry.error(format!("unknown kind '{written}'")).help(suggestion(
                written,
                &DataKind::ALL.map(DataKind::name),
                "known kinds",
            ))
        })
    }

    /// Refuses a policy of another kind, and keys that only another kind has.
    pub(super) fn of_kind(&self, kind: DataKind) -> Result<()> {
        let root = self.root();
        let found = self.kind()?;
        if found != kind {
            let (found, wanted) = (found.name(), kind.name());
            return Err(data_section(&root)?
                .error(format!("the policy is about kind = \"{found}\", not about kind = \"{wanted}\"")));
        }
        for (section, entries) in [("", Some(root.clone())), ("data", data_section(&root).ok())] {
            for (name, entry) in entries.iter().flat_map(Section::entries) {
                let has = |kind: &DataKind| kind.own_keys(section).contains(&name);
                if has(&kind) {
                    continue;
                }
                if let ("data", "person") = (section, name) {
                    return Err(person::for_users(&entry, kind));
                }
                if let Some(owner) = DataKind::ALL.into_iter().find(has) {
                    return Err(entry
                        .error(format!("'{name}' has no meaning for kind = \"{}\"", kind.name()))
                        .help(format!("remove it, or set kind = \"{}\" in [data]", owner.name())));
                }
            }
        }
        Ok(())
    }

    /// Refuses a requirement or a method that only another kind of data has.
    pub(super) fn fits(&self, kind: DataKind) -> Result<()> {
        let root = self.root();
        let own = Catalogue::of(kind);
        let owner = |has: &dyn Fn(&Catalogue) -> bool| {
            DataKind::ALL.into_iter().find(|other| has(Catalogue::of(*other))).filter(|_| !has(own))
        };
        let section = |name: &str| root.entry(name).and_then(|entry| entry.section().ok());
        let privacy = section("privacy");
        let named = privacy.iter().flat_map(Section::entries);
        // One for transactions may have a namesake for tables, which is about a column.
        let columns = kind != DataKind::Table || root.entry("columns").is_some();
        let transactions = Catalogue::of(DataKind::Transactions);
        for (name, entry) in named {
            if !columns && transactions.requirement(name).is_some() {
                let kinds = (kind, DataKind::Transactions);
                return Err(foreign(&entry, ("requirement", name), kinds, own.requirements));
            }
            if let Some(owner) = owner(&|catalogue| catalogue.requirement(name).is_some()) {
                return Err(foreign(&entry, ("requirement", name), (kind, owner), own.requirements));
            }
        }
        if let Some(entry) = section("method").and_then(|method| method.entry("name"))
            && let Ok(name) = entry.text()
            && let Some(owner) = owner(&|catalogue| catalogue.method(name).is_some())
        {
            return Err(foreign(&entry, ("method", name), (kind, owner), own.methods));
        }
        Ok(())
    }
}

/// The error for a requirement or a method, which `what` says, that is not for this kind of data but for another.
fn foreign(
    entry: &Entry<'_>,
    what: (&str, &str),
    (kind, owner): (DataKind, DataKind),
    known: &[&Declaration],
) -> Error {
    let (word, name) = what;
    let other = owner.name();
    let known: Vec<&str> = known.iter().map(|declaration| declaration.name).collect();
    entry.error(format!("the {word} '{name}' is for kind = \"{other}\"")).help(format!(
        "set kind = \"{other}\" in [data] if the data is of that kind; for kind = \"{}\" there are: {}",
        kind.name(),
        known.join(", ")
    ))
}

/// A key that is a single character.
pub(super) fn character(section: &Section<'_>, key: &str) -> Result<Option<char>> {
    section.entry(key).map(|entry| character_of(&entry)).transpose()
}

/// A single character that separates something.
pub(super) fn character_of(entry: &Entry<'_>) -> Result<char> {
    match entry.text()?.chars().collect::<Vec<char>>()[..] {
        [character] if !"\"\r\n".contains(character) => Ok(character),
        _ => {
            let wrong = entry.error(format!("'{}' must be a single character", entry.name()));
            Err(wrong.help("as in \",\", \";\", \"|\" or \"\\t\"; a quote or a line break cannot separate"))
        }
    }
}

/// What `[data] header` says about the first line of delimited text.
pub(super) fn header(data: &Section<'_>) -> Result<Header> {
    match data.entry("header") {
        None => Ok(Header::Expected),
        Some(entry) if entry.is_list() => entry.texts().map(Header::Names),
        Some(entry) => match entry.flag() {
            Ok(true) => Ok(Header::First),
            Ok(false) => Ok(Header::Absent),
            Err(wrong) => Err(wrong.help(
                "true if the first line names the columns, false if it is a record, or the names: [\"age\", \"sex\"]",
            )),
        },
    }
}

/// The keys of `[columns.NAME]`.
pub(super) const COLUMN_KEYS: [&str; 22] = [
    "role",
    "publish",
    "type",
    "hierarchy",
    "labels",
    "fuzzy_spread",
    "insensitive",
    "sensitivity",
    "observability",
    "numbers",
    "domain",
    SetPolicy::KEYS[0],
    SetPolicy::KEYS[1],
    SetPolicy::KEYS[2],
    ItemColumn::KEYS[0],
    READING_KEYS[0],
    READING_KEYS[1],
    READING_KEYS[2],
    READING_KEYS[3],
    weights::KEYS[0],
    weights::KEYS[1],
    weights::KEYS[2],
];

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
            column_type: None,
            labels: None,
            fuzzy_spread: None,
            mixed: None,
            sets: None,
            items: None,
            separator: None,
            insensitive: Vec::new(),
            reading: None,
            numbers: None,
            dates: None,
            pseudonym: None,
            weights: ColumnWeights::default(),
            publish: true,
        })
        .collect();
    let help = "say what each column is: [columns.age] role = \"quasi-identifier\"";
    let listed = root.required("columns", help)?.section()?;
    for (name, entry) in listed.entries() {
        let section = entry.section()?;
        let Some(column) = columns.iter_mut().find(|column| column.name == name) else {
            let (message, help) = source.lacks(name);
            return Err(section.error(format!("{message} ({})", source.origin())).help(help));
        };
        section.only(&COLUMN_KEYS)?;
        let role = section.required(
            "role",
            "one of identifier, pseudonym, quasi-identifier, sensitive, quasi-sensitive, set, mixed, class, weight, household, other",
        )?;
        let word = role.one_of(&Role::ALL.map(Role::name))?;
        column.role = Role::ALL.into_iter().find(|role| role.name() == word);
        column.reading = reading(&section, &source.columns()[column.index])?;
        column.sets = policy.set_column(&section, column.role)?;
        column.items = policy.item_column(&section, column.role)?;
        if let Some(hierarchy) = section.entry("hierarchy").filter(|_| column.items.is_none()) {
            if !matches!(column.role, Some(Role::QuasiIdentifier | Role::Sensitive | Role::Mixed)) {
                return Err(hierarchy
                    .error(format!("column '{name}' has role '{word}', which uses no hierarchy"))
                    .help("only quasi-identifiers, sensitive and mixed columns and sets have hierarchies"));
            }
            let (tree, path) = hierarchy.tree(Taxonomy::read, Taxonomy::from_paths)?;
            (column.hierarchy, column.hierarchy_path) = (Some(Arc::new(tree)), path);
        }
        if let Some(entry) = section.entry("type") {
            column.column_type = ColumnType::named(entry.one_of(ColumnType::WORDS)?);
        }
        column.labels = check_labels(&section, column)?;
        column.numbers = NumbersPolicy::read(&section, column)?;
        column.pseudonym = pseudonyms::domain(&section, column)?;
        if column.role == Some(Role::Mixed) {
            let taxonomy =
                column.hierarchy.as_deref().ok_or_else(|| mixed::lacks_hierarchy(&section, name))?;
            column.mixed = Some(MixedColumn::read(&section, taxonomy)?);
        } else if let Some(stray) =
            ["sensitivity", "observability"].into_iter().find_map(|key| section.entry(key))
        {
            return Err(stray
                .error(format!(
                    "column '{name}' has role '{word}', for which '{}' has no meaning",
                    stray.name()
                ))
                .help("remove it, or set role = \"mixed\""));
        }
        column.publish = check_publish(&section, column)?;
        column.weights = ColumnWeights::read(&section, column.role, column.hierarchy.as_deref())?;
        if let Some(spread) = section.entry("fuzzy_spread") {
            if column.role != Some(Role::QuasiIdentifier) || column.hierarchy.is_none() {
                return Err(spread
                    .error(format!("column '{name}' has 'fuzzy_spread', but no hierarchy of ranges"))
                    .help("only quasi-identifiers with a hierarchy have fuzzy ranges"));
            }
            let text = spread.scalar()?;
            let wrong = || spread.error(format!("'fuzzy_spread' is '{text}', {}", Exact::fault(text, "0")));
            column.fuzzy_spread = Some(Exact::parse(text).ok_or_else(wrong)?);
        }
    }
    // Whose dates they are is a column that may come later.
    for (name, entry) in listed.entries() {
        if let Some(index) = columns.iter().position(|column| column.name == name) {
            columns[index].dates = DatesPolicy::read(&entry.section()?, index, &columns)?;
        }
    }
    check_sensitive(&listed, &mut columns)?;
    for role in [Role::Class, Role::QuasiSensitive, Role::Set, Role::Weight, Role::Household] {
        if columns.iter().filter(|column| column.role == Some(role)).count() > 1 {
            return Err(listed
                .error(format!("more than one column has role '{role}'"))
                .help("keep one; make the others 'other', or leave them out"));
        }
    }
    Ok(columns)
}

/// Refuses weights and households with methods that publish no generalised table.
fn survey_fits(root: &Section<'_>, columns: &[PolicyColumn], method: &Method) -> Result<()> {
    let survey = |column: &&PolicyColumn| matches!(column.role, Some(Role::Weight | Role::Household));
    let Some(column) = columns.iter().find(survey).filter(|_| method.publishes() != ReleaseKind::Table)
    else {
        return Ok(());
    };
    let role = column.role.map_or("", Role::name);
    let message = format!(
        "column '{}' has role '{role}', which method \"{}\" does not use",
        column.name,
        method.name()
    );
    let section = root.entry("columns").and_then(|entry| entry.section().ok());
    let entry = section.and_then(|all| all.entry(&column.name));
    let error = entry.map_or_else(|| Error::input(&message), |entry| entry.error(&message));
    Err(error
        .help("leave the column out of [columns], or choose a method that publishes one generalised table"))
}

/// What `publish` of a column says. Weights are published unless it says otherwise, households are not.
fn check_publish(section: &Section<'_>, column: &PolicyColumn) -> Result<bool> {
    let name = &column.name;
    match (column.role, section.entry("publish")) {
        (Some(Role::Household), None) => Ok(false),
        (Some(Role::Household), Some(entry)) => match entry.flag()? {
            false => Ok(false),
            true => Err(entry
                .error(format!("column '{name}' says who lives together, and is not published"))
                .help("remove 'publish'; the size of a household can be published as a quasi-identifier of its own")),
        },
        (_, None) => Ok(true),
        (Some(Role::Weight), Some(entry)) => entry.flag(),
        (role, Some(entry)) => {
            let role = role.map_or("", Role::name);
            Err(entry
                .error(format!("column '{name}' has role '{role}', for which 'publish' has no meaning"))
                .help("leave the column out of [columns] if it should not be published"))
        }
    }
}

/// What `labels` of a column says; refuses what the column cannot be published as.
fn check_labels(section: &Section<'_>, column: &PolicyColumn) -> Result<Option<Labels>> {
    let Some(entry) = section.entry("labels") else { return Ok(None) };
    let labels = Labels::named(entry.one_of(Labels::WORDS)?);
    let name = &column.name;
    if column.role != Some(Role::QuasiIdentifier) {
        return Err(entry
            .error(format!("column '{name}' is not a quasi-identifier, so it has no labels of classes"))
            .help("remove 'labels', or set role = \"quasi-identifier\""));
    }
    match labels {
        Some(Labels::Hierarchy) if column.hierarchy.is_none() => Err(entry
            .error(format!("column '{name}' has labels = \"hierarchy\", but no hierarchy"))
            .help("name its hierarchy file, or choose labels = \"sets\"")),
        Some(Labels::Ranges) if column.column_type.is_some_and(ColumnType::is_unordered) => Err(entry
            .error(format!("the type of column '{name}' has no order, so it is never published as ranges"))
            .help("choose labels = \"sets\" or \"hierarchy\", or set type = \"number\"")),
        _ => Ok(labels),
    }
}

pub(super) fn check_requirements(
    root: &Section<'_>,
    catalogue: &Catalogue,
    columns: &[PolicyColumn],
) -> Result<Vec<Clause>> {
    let names: Vec<&str> = catalogue.requirements.iter().map(|declaration| declaration.name).collect();
    let help = format!("say what must hold: [privacy.{}] k = 5", names.first().copied().unwrap_or_default());
    let privacy = root.required("privacy", &help)?.section()?;
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

/// The method that is used for these requirements when the policy names none.
fn implied_method(requirements: &[Clause], catalogue: &Catalogue) -> Option<&'static str> {
    requirements.iter().find_map(|clause| catalogue.method_for(clause.declaration))
}

pub(super) fn check_method(
    root: &Section<'_>,
    catalogue: &Catalogue,
    columns: &[PolicyColumn],
    implied: Option<&'static str>,
) -> Result<Clause> {
    let default = implied.unwrap_or(catalogue.default_method);
    let names: Vec<&str> = catalogue.methods.iter().map(|declaration| declaration.name).collect();
    let Some(entry) = root.entry("method") else {
        return Ok(default_clause(catalogue, default));
    };
    let section = entry.section()?;
    let name = match section.entry("name") {
        Some(name) => name.one_of(&names)?,
        None => default,
    };
    let Some(declaration) = catalogue.method(name) else { return Ok(default_clause(catalogue, default)) };
    for (key, entry) in section.entries() {
        let takes = |method: &&&Declaration| method.keys.iter().any(|declared| declared.name == key);
        let others = catalogue.methods.iter().filter(|_| key != "name" && !takes(&&declaration));
        // One that publishes the same comes before one that does not; of several, the first.
        let other = others.filter(takes).min_by_key(|method| !method.is_like(declaration));
        if let Some(other) = other {
            let message = format!("the method '{name}' has no key '{key}'; '{}' has", other.name);
            return Err(entry.error(message).help(format!("remove it, or set name = \"{}\"", other.name)));
        }
    }
    let settings = check_settings(&section, declaration, columns, &["name"])?;
    Ok(Clause { declaration, settings })
}
