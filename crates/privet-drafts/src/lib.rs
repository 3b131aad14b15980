//! A first policy for a file: what `privet init` writes.
//!
//! One pass over the data finds types, distinct values and missing ones; names and figures suggest a role for each
//! column, with the reason; numbers, dates and codes get hierarchies. The steward reads, corrects and runs it.

mod baskets;
mod birth;
mod content;
mod figures;
mod kind;
mod lexicon;
mod path;
mod person;
pub mod preset;
mod profile;
mod queries;
mod reading;
mod relations;
mod role;
mod safe_harbor;
mod sample;
mod sessions;
mod survey;
mod text;
mod tree;
mod understood;
mod within;
mod write;

pub use baskets::{differ_in_length, draft_transactions, long_form};
pub use kind::ValueKind;
pub use path::data_path;
pub use queries::{USUAL_LOG, draft_queries, log_columns};
pub use sessions::{SessionFigures, draft_query_log, settled};
pub use within::{has_telephone, stretches};

use std::cmp::Reverse;

use self::preset::Preset;
use self::profile::Profile;
use self::relations::Relations;
use self::role::Suggestion;
use self::safe_harbor::Scan;
use self::understood::Understood;
use privet_core::clock::Clock;
use privet_core::place;
use privet_core::{Error, Result};
use privet_data::{Encoding, Header, Origin, Source};
use privet_policy::Role;
use privet_taxonomy::Taxonomy;

/// The k to start from, unless the data asks for another.
const USUAL_K: u64 = 5;
/// The Centers for Medicare & Medicaid Services publish no cell of 1 to 10 patients.
const HEALTH_K: u64 = 11;
/// Values of a sensitive column that every class should hold, where the data has as many.
const USUAL_L: u64 = 3;
/// How far from everybody's spread that of a class may be, for sensitive amounts.
const USUAL_T: &str = "0.2";
/// A search over more combinations of levels than this is not a good first try.
const MOST_COMBINATIONS: u64 = 200_000;
/// A search over more than this gets a time limit.
const MANY_COMBINATIONS: u64 = 20_000;

/// What the user says about the draft.
#[derive(Debug, Clone, Default)]
pub struct DraftOptions {
    /// How the policy names the data (see [`data_path`]); its file name when `None`.
    pub data_path: Option<String>,
    /// How it names further files of the same table.
    pub more_paths: Vec<String>,
    /// The delimiter to write into the policy, where the user gave one.
    pub delimiter: Option<char>,
    /// What the user said about the first line, to write into the policy.
    pub header: Header,
    /// The encoding that the user named.
    pub encoding: Option<Encoding>,
    /// The sheet of a workbook that the user named.
    pub sheet: Option<String>,
    /// Its cells.
    pub range: Option<String>,
    /// The rule whose thresholds the draft begins with.
    pub preset: Option<&'static Preset>,
    /// Whether the release is meant for everybody.
    pub public: bool,
}

/// A column of the draft.
#[derive(Debug, Clone)]
pub struct DraftColumn {
    /// Its name.
    pub name: String,
    /// What its values are.
    pub kind: ValueKind,
    /// Whether its numbers stand for categories.
    pub categories: bool,
    /// How many distinct values it has, missing ones left aside.
    pub distinct: u64,
    /// Whether there are more distinct values than were counted.
    pub more: bool,
    /// How many cells are missing.
    pub missing: u64,
    /// The suggested role; `None` for a column that the draft leaves out of the release.
    pub role: Option<Role>,
    /// Why, in a few words.
    pub reason: String,
    /// What follows from which other column, and how many records it singles out with the others.
    pub figures: Vec<String>,
    /// The share of the records that it singles out by itself.
    pub alone: f64,
    /// For a quasi-identifier, the shares that all of them single out together, and all but this one.
    pub together: Option<(f64, f64)>,
    /// The place of a quasi-identifier among them by what it singles out, from 1; 0 for others.
    pub rank: usize,
    /// The file of its generated hierarchy, relative to the policy.
    pub hierarchy: Option<String>,
    /// Lines that say how its cells are written.
    pub keys: Vec<String>,
    /// Whether its values are amounts, so that their order says something.
    pub(crate) ordered: bool,
}

/// A policy that runs as it is, with the hierarchies it names.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The policy.
    pub policy_text: String,
    /// Generated hierarchies and their paths relative to the policy.
    pub hierarchies: Vec<(String, Taxonomy)>,
    /// The columns, in the data's order.
    pub columns: Vec<DraftColumn>,
    /// The number of records.
    pub rows: u64,
    /// The k that the draft asks for.
    pub k: u64,
}

/// Looks at a table and drafts a policy for it.
pub fn draft(source: &Source, options: &DraftOptions) -> Result<Draft> {
    Study::of(source)?.draft(options)
}

/// A table as `privet init` understands it: a role for each column that the user may change before the policy is written.
pub struct Study {
    source: Source,
    profile: Profile,
    understood: Vec<Understood>,
    relations: Relations,
    person: Option<usize>,
    suggestions: Vec<Suggestion>,
    /// What was suggested first.
    first: Vec<Suggestion>,
}

impl Study {
    /// Reads the table once.
    pub fn of(source: &Source) -> Result<Study> {
        Study::watched(source, &Clock::unlimited())
    }

    /// Reads the table once, and says to the clock how far it is.
    pub fn watched(source: &Source, clock: &Clock) -> Result<Study> {
        clock.progress().stage("reading", Some(source.bytes()));
        let profile = profile::profile(source, &mut |bytes| {
            clock.progress().at(bytes);
            clock.check()
        })?;
        clock.progress().stage("looking at columns", None);
        if profile.rows < 2 {
            let found = if profile.rows == 0 { "no records" } else { "only one record" };
            let remarks = source.remarks().join("; ");
            let remarks = if remarks.is_empty() { remarks } else { format!("; {remarks}") };
            return Err(Error::input(format!("the table has {found}")).in_file(source.origin()).help(
                format!("a policy can be drafted from two records on; is the first line a header?{remarks}"),
            ));
        }
        let understood: Vec<Understood> = profile.columns.iter().map(Understood::of).collect();
        let relations = Relations::of(&profile);
        let person = person::repeated(&profile, &understood);
        let suggestions = role::suggest_roles(&profile, &understood, &relations, person);
        clock.check()?;
        Ok(Study {
            source: source.clone(),
            profile,
            understood,
            relations,
            person,
            first: suggestions.clone(),
            suggestions,
        })
    }

    /// The number of records.
    pub fn rows(&self) -> u64 {
        self.profile.rows
    }

    /// The columns with their suggested roles, in the data's order.
    pub fn columns(&self) -> Vec<DraftColumn> {
        let mut columns: Vec<DraftColumn> =
            (0..self.suggestions.len()).map(|index| self.column(index)).collect();
        self.add_figures(&mut columns);
        columns
    }

    /// The columns by name, with the role that was first suggested for each and why, whatever was decided since.
    pub fn suggested(&self) -> Vec<(String, Option<Role>, String)> {
        let named = self.profile.columns.iter().zip(&self.first);
        named.map(|(column, first)| (column.name.clone(), first.role, first.reason.clone())).collect()
    }

    /// Gives a column another role, or leaves it out of the release.
    pub fn decide(&mut self, column: usize, role: Option<Role>) {
        if let Some(suggestion) = self.suggestions.get_mut(column) {
            *suggestion = Suggestion { role, reason: "as you said".to_string() };
        }
    }

    fn column(&self, index: usize) -> DraftColumn {
        let (column, about) = (&self.profile.columns[index], &self.understood[index]);
        let Suggestion { role, reason } = self.suggestions[index].clone();
        let categories = understood::are_categories(column, about);
        let number = matches!(column.kind(), ValueKind::Whole | ValueKind::Number);
        DraftColumn {
            name: column.name.clone(),
            kind: column.kind(),
            categories,
            distinct: column.distinct(),
            more: column.is_saturated(),
            missing: column.missing_cells(),
            role,
            reason,
            figures: Vec::new(),
            alone: figures::alone(&self.profile, index) as f64 / self.profile.sample.len().max(1) as f64,
            together: None,
            rank: 0,
            hierarchy: None,
            keys: column.keys.clone(),
            ordered: number && !categories,
        }
    }

    /// The policy, with a section and a hierarchy for every column that may be published.
    pub fn draft(&self, options: &DraftOptions) -> Result<Draft> {
        let profile = &self.profile;
        let safe_harbor = options.preset.is_some_and(|preset| preset.safe_harbor);
        let mut scan = safe_harbor.then(|| Scan::of(&self.source, &profile.columns)).transpose()?;
        let mut columns = Vec::new();
        let mut hierarchies: Vec<(String, Taxonomy)> = Vec::new();
        for (index, column) in profile.columns.iter().enumerate() {
            place::unless_stopped()?;
            let mut drafted = self.column(index);
            let mut tree = None;
            if matches!(drafted.role, Some(Role::QuasiIdentifier) | None) {
                tree = tree::hierarchy(column, &self.understood[index])?;
                if let Some(scan) = &scan {
                    tree = scan.hierarchy(column, tree);
                }
            }
            let wanted = drafted.role;
            if let Some(scan) = &mut scan {
                scan.settle(index, column, &mut drafted, tree.as_ref());
            }
            let kept = wanted == drafted.role;
            // No weight is generalised.
            let is_weight = survey::is_weight(&drafted);
            match tree.filter(|_| kept && !is_weight) {
                Some(tree) => {
                    let path = write::free_path(&column.name, &hierarchies);
                    drafted.hierarchy = Some(path.clone());
                    hierarchies.push((path, tree));
                    if let Some(other) = tree::of_days(&column.other_days) {
                        let path = write::free_path(&column.name, &hierarchies);
                        let line = format!(
                            "# hierarchy = {}    # for the second reading, in place of the line below",
                            text::quoted(&path)
                        );
                        drafted.keys.push(line);
                        hierarchies.push((path, other));
                    }
                }
                None if drafted.role == Some(Role::QuasiIdentifier) => {
                    drafted.role = None;
                    drafted.reason = "too many different values for a generated hierarchy".to_string();
                }
                None => {}
            }
            columns.push(drafted);
        }
        self.add_figures(&mut columns);
        let people = self.person.map_or(profile.rows, |person| profile.columns[person].distinct());
        let health = understood::is_health_data(&self.understood);
        let k = match options.preset {
            // A rule that names no number is met by fewer, where the table has no more.
            Some(preset) => preset.k.map_or(HEALTH_K.min(people / 2).max(2), |(k, _)| k),
            None => (if health { HEALTH_K } else { USUAL_K }).min(people / 2).max(2),
        };
        let levels = |column: &DraftColumn| {
            let published = column.role == Some(Role::QuasiIdentifier);
            let tree =
                hierarchies.iter().find(|(path, _)| published && column.hierarchy.as_ref() == Some(path));
            tree.map_or(1, |(_, tree)| tree.levels() as u64)
        };
        let combinations =
            columns.iter().fold(1u64, |product, column| product.saturating_mul(levels(column)));
        let policy_text = text::policy(&text::Findings {
            data_path: &options.named(self.source.origin()),
            more_paths: &options.more_paths,
            database: match self.source.origin() {
                Origin::Database(table) => Some(table),
                _ => None,
            },
            delimiter: options.delimiter,
            header: &options.header,
            place: options.place(),
            person: self.person.map(|person| &profile.columns[person]),
            profile,
            columns: &columns,
            k,
            health,
            full_domain: combinations <= MOST_COMBINATIONS,
            takes_long: combinations > MANY_COMBINATIONS,
            preset: options.preset,
            scan: scan.as_ref(),
            public: options.public,
        });
        Ok(Draft { policy_text, hierarchies, columns, rows: profile.rows, k })
    }

    /// Says of each quasi-identifier how many people it singles out with the others, and of all columns which others they follow
    /// from.
    fn add_figures(&self, columns: &mut [DraftColumn]) {
        let sample = &self.profile.sample;
        let identifying: Vec<usize> =
            (0..columns.len()).filter(|index| columns[*index].role == Some(Role::QuasiIdentifier)).collect();
        let share = |unique: u64| text::percent(unique, sample.len());
        let all = sample.unique(&identifying);
        let mut ranked = Vec::new();
        for &index in &identifying {
            let others: Vec<usize> = identifying.iter().copied().filter(|other| *other != index).collect();
            let alone = figures::alone(&self.profile, index);
            columns[index].figures.push(format!("alone it singles out {} of the records", share(alone)));
            let without = sample.unique(&others);
            let part = |unique: u64| unique as f64 / sample.len().max(1) as f64;
            columns[index].together = Some((part(all), part(without)));
            if !others.is_empty() {
                let (with, without) = (share(all), share(without));
                columns[index].figures.push(format!(
                    "all quasi-identifiers together single out {with}, without this one {without}"
                ));
            }
            let values = self.profile.columns[index].distinct();
            ranked.push((without, Reverse((alone, values)), index));
        }
        ranked.sort_unstable();
        for (rank, (_, _, index)) in (1..).zip(ranked) {
            columns[index].rank = rank;
        }
        for index in 0..columns.len() {
            let named =
                |other: &usize| !columns[index].reason.contains(&format!("'{}'", columns[*other].name));
            let sources: Vec<String> = (self.relations.sources(index))
                .filter(named)
                .take(3)
                .map(|other| format!("'{}'", columns[other].name))
                .collect();
            if !sources.is_empty() {
                let verb = if sources.len() == 1 { "determines" } else { "determine" };
                columns[index].figures.push(format!("{} {verb} it", sources.join(", each of ")));
            }
        }
    }
}

impl DraftOptions {
    /// What else the user said about where the data are: lines of [data].
    fn place(&self) -> String {
        let keys = [
            ("encoding", self.encoding.map(|encoding| encoding.to_string())),
            ("sheet", self.sheet.clone()),
            ("range", self.range.clone()),
        ];
        let line = |(key, value): (&str, Option<String>)| {
            value.map(|value| format!("{key} = {}\n", text::quoted(&value)))
        };
        keys.into_iter().filter_map(line).collect()
    }

    /// How the policy names the data.
    pub fn named(&self, origin: &Origin) -> String {
        self.data_path.clone().unwrap_or_else(|| origin.name())
    }
}

#[cfg(test)]
mod tests;
