//! The independent check: does a release keep what its policy promises?
//!
//! The audit reads the original, the release and the policy, and takes every definition literally. It uses nothing of
//! the code that makes releases, so that a mistake there cannot hide here; it sees only `data`, `taxonomy` and
//! `policy`. It works as well on tables that other tools made.
//!
//! What it checks, in this order:
//!
//! 1. *columns*: the published ones and no others;
//! 2. *form*: the file is written in one way throughout, sets without repetitions;
//! 3. *values*: every released quasi-identifier cell is an original value, a label of the column's hierarchy, a range
//!    of numbers, a set of original values or `*`;
//! 4. *records*: every released record matches a distinct original record;
//!    Then, where a column holds sets of items, *items*: labels say one thing each, and no more is removed than allowed;
//!    and, where the policy rounds or codes numbers, *numbers*: no number is beyond a bound, and all are multiples;
//! 5. *order*: the order of the rows agrees with the original no more than by chance;
//! 6. *least levels*: no cell is finer than the policy's `least_levels` allow, where it sets any;
//! 7. *suppression*: no more records are missing than the policy allows;
//! 8. *suppressed cells*: where sensitive cells are suppressed, the scheme is kept;
//! 9. *counts*: the manifest's numbers are right, where there is one;
//! 10. *people*: whose records they are, where the policy says, or that an identifier recurs, where it does not;
//! 11. every requirement of the policy, in every class.
//!
//! Every check of a requirement says which one it judges. An audit, of whatever kind of release, fails by each requirement
//! of the policy that none of its checks judges.
//!
//! Transactions and vocabularies have audits of their own: [`audit_transactions`] and [`vocabularies`]; so have records in
//! groups and several tables about the same people: [`buckets`] and [`projections`].

pub mod buckets;
mod classes;
mod columns;
mod container;
mod cover;
pub mod definitions;
pub mod flow;
mod folder;
mod form;
mod item_cells;
mod levels;
mod notion;
mod order;
mod people;
mod population;
pub mod projections;
pub mod released;
mod render;
mod rewriting;
mod sequence;
mod subsets;
mod suppressed;
mod table;
mod table_order;
#[cfg(test)]
mod tests;
pub mod transactions;
mod truth;
mod value_sets;
pub mod vocabularies;
mod watch;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

pub use folder::{ReleaseFolder, audit_data, audit_files, audit_release, is_own_file};
pub use population::people_behind;
pub(crate) use render::counted;
pub use render::{in_brief, render, verdict};
pub use rewriting::as_published;
pub use transactions::{StatedCost, audit_transactions};

use self::classes::Classes;
use self::columns::{ColumnPlace, Layout};
use self::cover::Coverage;
use self::notion::Facts;
use self::people::People;
use self::suppressed::{Scheme, Suppressed};
use self::table::{Dictionary, Tables};
use self::watch::watching;
use privet_core::{Error, Result};
use privet_data::Source;
use privet_policy::{CheckedPolicy, DataKind, Role};

/// What an audit found. As JSON it also says whether everything was `decided`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audit {
    /// Whether every check holds.
    pub passed: bool,
    /// What was audited.
    pub kind: DataKind,
    /// How many records there are.
    pub records: AuditRecords,
    /// The number of equivalence classes: released records with the same released quasi-identifiers, or transactions with
    /// the same released items.
    pub classes: u64,
    /// The checks, in the order in which they were made.
    pub checks: Vec<Check>,
}

/// How many records an audit counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct AuditRecords {
    /// In the original.
    pub original: u64,
    /// Of these, left out because of a missing value, as the policy says.
    pub dropped: u64,
    /// In the release.
    pub released: u64,
    /// Neither dropped nor released.
    pub suppressed: u64,
}

/// One thing that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was checked, such as `k-anonymity (k = 5)`.
    pub name: String,
    /// Whether it holds, or at least nothing was found that speaks against it.
    pub holds: bool,
    /// Whether what was given to the audit is not enough to tell; `detail` says what is missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub undetermined: bool,
    /// The class that is worst off, whether it fails or not: its released cells, its size and the inequality.
    pub worst: Option<String>,
    /// How many released records are concerned by a failure.
    pub concerned: u64,
    /// How many classes fail.
    pub classes_failing: u64,
    /// What was found, in words.
    pub detail: String,
    /// The requirements of the policy that it judges, by their positions; none for what is checked of every release.
    #[serde(skip)]
    pub judges: Vec<usize>,
}

impl Check {
    /// A check with its verdict and what it found.
    pub fn new(name: impl Into<String>, holds: bool, detail: impl Into<String>) -> Check {
        let (name, detail) = (name.into(), detail.into());
        let (worst, judges) = (None, Vec::new());
        Check { name, holds, undetermined: false, worst, concerned: 0, classes_failing: 0, detail, judges }
    }

    /// The check as one of a requirement, by its position in the policy.
    fn judging(mut self, requirement: usize) -> Check {
        self.judges.push(requirement);
        self
    }

    /// A check that nothing speaks against, and that cannot be decided from what is there.
    fn undetermined(name: impl Into<String>, detail: impl Into<String>) -> Check {
        Check { undetermined: true, ..Check::new(name, true, detail) }
    }
}

impl Serialize for Audit {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut audit = serializer.serialize_struct("Audit", 5)?;
        audit.serialize_field("passed", &self.passed)?;
        audit.serialize_field("decided", &self.is_decided())?;
        audit.serialize_field("records", &self.records)?;
        audit.serialize_field("classes", &self.classes)?;
        audit.serialize_field("checks", &self.checks)?;
        audit.end()
    }
}

impl Audit {
    /// Whether what was given to the audit is enough for every check. Where it is not, an audit that passed found no violation,
    /// and that is all.
    pub fn is_decided(&self) -> bool {
        self.checks.iter().all(|check| !check.undetermined)
    }

    /// What checks found, set against what was `asked`: the requirements of the policy, in words. A requirement that no check
    /// judges is not shown to hold, so the audit fails by it.
    fn of(
        kind: DataKind,
        records: AuditRecords,
        classes: u64,
        mut checks: Vec<Check>,
        asked: &[String],
    ) -> Audit {
        for (position, requirement) in asked.iter().enumerate() {
            if !checks.iter().any(|check| check.judges.contains(&position)) {
                let detail = "no check of this audit judges it, so nothing shows that it holds";
                checks.push(Check::new(requirement, false, detail));
            }
        }
        let passed = checks.iter().all(|check| check.holds);
        Audit { passed, kind, records, classes, checks }
    }
}

/// What a policy about a table asks for, in words.
fn asked(policy: &CheckedPolicy) -> Vec<String> {
    policy.requirements.iter().map(|clause| clause.describe(&policy.columns)).collect()
}

/// What is known about a release besides the policy. The default is the strictest: a release of Privet's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditOptions {
    /// Another tool made the table: its columns may stand in another order, and those that nobody needs may be missing.
    pub foreign: bool,
    /// Any number of records may be missing, whatever the policy's `suppression_limit` says.
    pub allow_suppression: bool,
    /// What the release's manifest says.
    pub expected: Option<ExpectedCounts>,
    /// What it says that a release of transactions loses.
    pub cost: Option<StatedCost>,
    /// The items, or groups of items, that it says are suppressed in all transactions.
    pub suppressed: Option<Vec<String>>,
}

impl AuditOptions {
    /// For a table that another tool made.
    pub fn foreign() -> AuditOptions {
        AuditOptions { foreign: true, allow_suppression: true, ..AuditOptions::default() }
    }
}

/// The numbers of records that a manifest states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpectedCounts {
    /// Records in the release.
    pub released: u64,
    /// Records that were suppressed.
    pub suppressed: u64,
    /// Records that were dropped because of a missing value.
    pub dropped: u64,
}

/// Audits a released table against its policy; the policy's data is the original.
///
/// A violation is not an error: it is a [`Check`] that does not hold. Errors are files that cannot be read and releases
/// that lack what a requirement is about.
pub fn audit_table(policy: &CheckedPolicy, release: &Source, options: &AuditOptions) -> Result<Audit> {
    audit_table_watched(policy, release, options, &mut || Ok(()))
}

/// Audits a released table as [`audit_table`] does; `tick` is called every now and then, and an error of it ends the
/// audit: large tables take a while to read, and the user may want to stop.
pub fn audit_table_watched(
    policy: &CheckedPolicy,
    release: &Source,
    options: &AuditOptions,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Audit> {
    let (policy, expected) = &rewriting::expected(policy, tick)?;
    let (layout, columns) = columns::check(policy, release, options)?;
    let tables = Tables::read(policy, release, &layout, tick)?;
    let classes = Classes::of(&tables.release)?;
    let records = AuditRecords {
        original: tables.original.rows + tables.original.dropped,
        dropped: tables.original.dropped,
        released: tables.release.rows,
        suppressed: tables.original.rows.saturating_sub(tables.release.rows),
    };
    let suppressed = Suppressed::of(policy, &layout, &tables, options)?;
    let watch = watching(tick);
    let coverage = coverage(policy, &layout, &tables)?;
    let mut spelling =
        [tables.release.spelling.faults(), respelt(policy, &layout, &tables, &coverage)].concat();
    if !options.foreign {
        spelling.extend(missing_in_other_words(policy, release, &tables));
    }
    let mut checks = vec![columns, form::check(release, spelling)?];
    let people = People::of(&tables, &classes, &coverage, &suppressed)?;
    let facts = Facts {
        policy,
        layout: &layout,
        tables: &tables,
        classes: &classes,
        suppressed: &suppressed,
        people: people.as_ref(),
        watch: &watch,
    };
    checks.push(check_values(&facts, &coverage));
    let items = item_cells::ItemTable::of(&facts)?;
    let matched = items.as_ref().map(|items| items.matched(&facts, &coverage)).transpose()?;
    checks.push(check_records(&facts, &coverage, matched.as_ref())?);
    checks.extend(items.zip(matched).map(|(items, matched)| items.check(&facts, &matched)));
    checks.extend(rewriting::check(&facts, expected, release.columns())?);
    checks.push(table_order::check(&facts, &coverage)?);
    checks.extend(levels::check(&facts)?);
    checks.push(check_suppression(policy, options, &records));
    let cells = if options.foreign { suppressed::count(&facts) } else { suppressed::check(&facts) };
    checks.extend(cells);
    if let Some(expected) = &options.expected {
        checks.push(check_counts(expected, &records, "records"));
    }
    checks.extend(people::check(&facts));
    for (position, clause) in policy.requirements.iter().enumerate() {
        let check = notion::check(clause, &facts).map_err(|error| policy.at_requirement(position, error))?;
        checks.extend(check.map(|check| check.judging(position)));
    }
    Ok(Audit::of(DataKind::Table, records, classes.len() as u64, checks, &asked(policy)))
}

fn coverage(policy: &CheckedPolicy, layout: &Layout, tables: &Tables) -> Result<Vec<Coverage>> {
    let places = layout.quasi.iter().zip(tables.original.quasi.iter().zip(&tables.release.quasi));
    places
        .map(|(place, (values, cells))| {
            let column = policy.columns.get(place.original);
            let column = column.ok_or_else(|| Error::internal("the policy lost a column"))?;
            Coverage::of(policy, column, values, cells)
        })
        .collect()
}

/// Columns in which one value, range, node or set is there in two spellings, or a set in another than it should be.
fn respelt(policy: &CheckedPolicy, layout: &Layout, tables: &Tables, coverage: &[Coverage]) -> Vec<String> {
    let columns = layout.quasi.iter().zip(&tables.release.quasi).zip(coverage);
    let told = |((place, cells), meaning): ((&ColumnPlace, &Dictionary), &Coverage)| {
        let name = policy.columns.get(place.original).map_or("", |column| column.name.as_str());
        if let Some(set) = meaning.misspelt {
            let (line, text) = (cells.line(set), cells.text(set));
            return Some(format!(
                "column '{name}' has, in line {line}, '{text}': members of a set stand in order, each once, with quotes \
                 only where they are needed"
            ));
        }
        let (usual, other) = meaning.respelt?;
        let (usual, line, other) = (cells.text(usual), cells.line(other), cells.text(other));
        Some(format!("column '{name}' has '{usual}' and, in line {line}, '{other}' for the same values"))
    };
    columns.filter_map(told).collect()
}

/// Columns that are not compared and spell a missing value in another way than the policy publishes it.
fn missing_in_other_words(policy: &CheckedPolicy, release: &Source, tables: &Tables) -> Vec<String> {
    let Some((_, others)) = policy.missing.split_first() else { return Vec::new() };
    let told = |column: &table::UncomparedColumn| {
        let name = &release.columns().get(column.column)?.name;
        let role = policy.columns.iter().find(|column| column.name == *name)?.role;
        let found = others.iter().filter(|_| role == Some(Role::Other));
        let (spelling, code) =
            found.filter_map(|spelling| Some((spelling, column.texts.find(spelling)?))).next()?;
        let line = column.texts.line(code);
        Some(format!(
            "column '{name}' has '{spelling}' in line {line}, which is not how missing values are published"
        ))
    };
    tables.release.others.iter().filter_map(told).collect()
}

/// Every released cell of a quasi-identifier must say something.
fn check_values(facts: &Facts<'_>, coverage: &[Coverage]) -> Check {
    let release = &facts.tables.release;
    let faulty = |cells: &[u32]| {
        cells.iter().zip(coverage).any(|(cell, meaning)| meaning.senseless.binary_search(cell).is_ok())
    };
    let mut check =
        Check::new("values", true, "every released value is an original value or a generalisation of one");
    if coverage.iter().all(|meaning| meaning.senseless.is_empty()) {
        return check;
    }
    for class in facts.classes.cells.ids().filter(|class| faulty(facts.classes.cells.get(*class))) {
        check.classes_failing += 1;
        check.concerned += facts.classes.cells.count(class);
    }
    let places = coverage.iter().zip(&release.quasi).zip(&facts.layout.quasi);
    let faults: Vec<String> = places
        .filter_map(|((meaning, cells), place)| {
            let (first, rest) = meaning.senseless.split_first()?;
            let name = facts.column_name(place.original);
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            Some(format!("column '{name}': '{}' in line {}{more}", cells.text(*first), cells.line(*first)))
        })
        .collect();
    check.holds = false;
    check.detail = format!(
        "neither a value of the original nor a label of the hierarchy, a range of numbers, a set of values of the original or '*': {}",
        faults.join("; ")
    );
    check
}

/// Every released record must stand for an original record of its own.
fn check_records(
    facts: &Facts<'_>,
    coverage: &[Coverage],
    items: Option<&item_cells::MatchedItems>,
) -> Result<Check> {
    let unfounded = match (items, facts.layout.sets) {
        (Some(items), _) => items.unfounded.clone(),
        (None, Some(column)) => subsets::without_original(facts, coverage, column)?,
        (None, None) => truth::without_original(facts.tables, facts.classes, coverage, facts.suppressed)?,
    };
    let mut check = Check::new("records", true, "every released record matches a distinct original record");
    let mut worst: Option<(u64, u32)> = None;
    for class in facts.classes.cells.ids() {
        let count = facts.classes.members(class).iter().map(|id| unfounded[*id as usize]).sum();
        if count == 0 {
            continue;
        }
        check.classes_failing += 1;
        check.concerned += count;
        if worst.is_none_or(|(most, _)| most < count) {
            worst = Some((count, class));
        }
    }
    let Some((count, class)) = worst else { return Ok(check) };
    let records = &facts.tables.release.records;
    let first = unfounded.iter().zip(records.ids()).filter(|(count, _)| **count > 0);
    let line = first.map(|(_, id)| records.line(id)).min().unwrap_or(0);
    check.holds = false;
    check.worst = Some(format!(
        "{}: {count} of {} no original record",
        facts.describe(class),
        counted(facts.classes.cells.count(class), "record matches", "records match")
    ));
    check.detail = match check.concerned {
        1 => format!("the released record in line {line} matches no original record"),
        many => format!("{many} released records match no original record; one of them is in line {line}"),
    };
    Ok(check)
}

/// No more records may be missing than the policy allows.
fn check_suppression(policy: &CheckedPolicy, options: &AuditOptions, records: &AuditRecords) -> Check {
    let kept = records.original - records.dropped;
    let suppressed = records.suppressed;
    let scheme = Scheme::of(policy);
    let withholds = policy.method.withholds();
    if options.allow_suppression || withholds || scheme.is_some_and(|scheme| scheme.drops_records(policy)) {
        let detail = format!("{suppressed} of {} suppressed (no limit)", counted(kept, "record", "records"));
        return Check::new("suppression", true, detail);
    }
    let most = policy.method.suppression_limit().floor_of(kept);
    let detail =
        format!("{suppressed} of {} suppressed (at most {most} allowed)", counted(kept, "record", "records"));
    Check::new("suppression", suppressed <= most, detail)
}

/// The manifest must state what is there.
fn check_counts(expected: &ExpectedCounts, records: &AuditRecords, nouns: &str) -> Check {
    let stated = [
        ("released", expected.released, records.released),
        ("suppressed", expected.suppressed, records.suppressed),
        ("dropped", expected.dropped, records.dropped),
    ];
    let wrong: Vec<String> = stated
        .iter()
        .filter(|(_, stated, found)| stated != found)
        .map(|(what, stated, found)| {
            format!("the manifest states {stated} {what} {nouns}, there are {found}")
        })
        .collect();
    let detail = if wrong.is_empty() { "the manifest's counts are right".into() } else { wrong.join("; ") };
    Check::new("counts", wrong.is_empty(), detail)
}
