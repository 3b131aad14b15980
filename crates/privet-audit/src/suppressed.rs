//! Suppression as schemes of l+-diversity do it: whole records, or sensitive cells that become `*`.
//!
//! A scheme is the method's setting `suppression`. Where it suppresses cells, a released `*` in the column of a
//! requirement of l+-diversity stands for any original value; everywhere else `*` is a text like any other.

use std::collections::BTreeSet;

use super::classes::Histogram;
use super::columns::Layout;
use super::notion::Facts;
use super::table::{Tables, Tuples};
use super::{AuditOptions, Check};
use privet_core::{Error, Result};
use privet_core::{counted, noun};
use privet_policy::{CheckedPolicy, Requirement, method};

/// What is written in the place of a suppressed cell.
const STAR: &str = "*";

/// How a method suppresses what violates a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    /// Nothing is suppressed.
    None,
    /// Records go.
    Records,
    /// All sensitive cells of a violating class go.
    AllCells,
    /// The cells of violating values go.
    ViolatingCells,
}

impl Scheme {
    /// The scheme of the policy's method, if it has one.
    pub fn of(policy: &CheckedPolicy) -> Option<Scheme> {
        Some(match policy.method.suppression()? {
            method::Scheme::None => Scheme::None,
            method::Scheme::AllRec | method::Scheme::VioRec => Scheme::Records,
            method::Scheme::AllSa => Scheme::AllCells,
            method::Scheme::VioSa => Scheme::ViolatingCells,
        })
    }

    fn is_about_cells(self) -> bool {
        matches!(self, Scheme::AllCells | Scheme::ViolatingCells)
    }

    /// Whether records may be missing. Suppressing cells makes no class larger, so where k-anonymity is asked for too,
    /// classes below k go as a whole.
    pub fn drops_records(self, policy: &CheckedPolicy) -> bool {
        self == Scheme::Records || self.is_about_cells() && policy.k() > 1
    }
}

/// The column of a requirement under which single cells are suppressed.
fn may_lose_cells(requirement: &Requirement) -> Option<usize> {
    match requirement {
        Requirement::LPlusDiversity(asked) => Some(asked.column),
        Requirement::KAnonymity(_)
        | Requirement::LDiversity(_)
        | Requirement::LkcPrivacy(_)
        | Requirement::TCloseness(_)
        | Requirement::BetaLikeness(_)
        | Requirement::DeltaDisclosure(_)
        | Requirement::KMap(_)
        | Requirement::DeltaPresence(_)
        | Requirement::AverageRisk(_)
        | Requirement::SampleUniqueness(_)
        | Requirement::PopulationUniqueness(_)
        | Requirement::IndividualRisk(_)
        | Requirement::HouseholdRisk(_)
        | Requirement::NtCloseness(_)
        | Requirement::KlOfSets(_)
        | Requirement::MatchingLDiversity(_)
        | Requirement::Projection(_)
        | Requirement::FfAnonymity(_)
        | Requirement::QsDiversity(_)
        | Requirement::QsCloseness(_) => None,
    }
}

/// A column that may have suppressed cells: its place among the unchanged columns, and the number of its `*`.
type StarredColumn = (usize, u32);

/// The columns in which a released `*` is a suppressed cell.
pub(super) struct Suppressed {
    columns: Vec<StarredColumn>,
}

impl Suppressed {
    pub fn of(
        policy: &CheckedPolicy,
        layout: &Layout,
        tables: &Tables,
        options: &AuditOptions,
    ) -> Result<Suppressed> {
        let by_scheme = Scheme::of(policy).is_some_and(Scheme::is_about_cells);
        let mut columns = Vec::new();
        if !by_scheme && !options.foreign {
            return Ok(Suppressed { columns });
        }
        for requirement in &policy.requirements {
            let Some(about) = may_lose_cells(requirement) else { continue };
            let place = layout.plain.iter().position(|place| place.original == about);
            let Some(place) = place else { continue };
            let Some(star) = tables.plain[place].find(STAR) else { continue };
            let original = &tables.original.records;
            let ordinary = original.ids().any(|id| original.get(id)[layout.quasi.len() + place] == star);
            if ordinary && by_scheme {
                let name = policy.columns.get(about).map_or("", |column| &column.name);
                let line = tables.plain[place].line(star);
                return Err(Error::input(format!(
                    "column '{name}' contains the value '*', which marks suppressed cells"
                ))
                .in_file(policy.source.origin())
                .at_line(line)
                .help(if policy.missing.iter().any(|spelling| spelling == STAR) {
                    "it marks missing values: rename it, or set on_missing = \"drop\" in [data]"
                } else {
                    "list \"*\" under 'missing' in [data], behind another spelling, or rename the value"
                }));
            }
            if !ordinary && !columns.contains(&(place, star)) {
                columns.push((place, star));
            }
        }
        Ok(Suppressed { columns })
    }

    /// The sets of columns in which some released record is suppressed, the empty set included. A released record
    /// stands for an original one if they are equal once these columns of the original say `*`.
    pub fn patterns(&self, release: &Tuples, quasi: usize) -> Vec<Vec<StarredColumn>> {
        let mut patterns = BTreeSet::from([Vec::new()]);
        if !self.columns.is_empty() {
            for id in release.ids() {
                let unchanged = &release.get(id)[quasi..];
                let starred = self.columns.iter().filter(|(place, star)| unchanged[*place] == *star);
                patterns.insert(starred.copied().collect());
            }
        }
        patterns.into_iter().collect()
    }

    /// Whether a value of an unchanged column is a suppressed cell.
    pub fn is_star(&self, column: usize, value: u32) -> bool {
        self.columns.contains(&(column, value))
    }

    /// How many cells of an unchanged column are suppressed in a class.
    fn count(&self, column: usize, class: &Histogram) -> u64 {
        let star = self.columns.iter().find(|(place, _)| *place == column).map(|(_, star)| *star);
        class.counts.iter().find(|(value, _)| Some(*value) == star).map_or(0, |(_, count)| *count)
    }

    /// A class without its suppressed cells, which are no value. They still count in its size if `in_size` says so.
    pub fn shown(&self, column: usize, mut class: Histogram, in_size: bool) -> Histogram {
        let count = self.count(column, &class);
        if count > 0 {
            class.counts.retain(|(value, _)| !self.columns.contains(&(column, *value)));
            class.size -= if in_size { 0 } else { count };
        }
        class
    }
}

/// What the scheme promises about suppressed cells; `None` where no scheme suppresses cells.
///
/// `all-sa` suppresses a class as a whole. Whether `vio-sa` suppressed all cells of a value cannot be seen.
pub(super) fn check(facts: &Facts<'_>) -> Option<Check> {
    let scheme = Scheme::of(facts.policy).filter(|scheme| scheme.is_about_cells())?;
    let mut check = Check::new("suppressed cells", true, String::new());
    let (mut suppressed, mut most) = (0, 0);
    let quasi = facts.layout.quasi.len();
    for class in facts.classes.cells.ids() {
        for (column, _) in &facts.suppressed.columns {
            let histogram = facts.classes.histogram(class, quasi + column, &facts.tables.release.records);
            let count = facts.suppressed.count(*column, &histogram);
            suppressed += count;
            let shown = histogram.size - count;
            if scheme != Scheme::AllCells || count == 0 || shown == 0 {
                continue;
            }
            check.holds = false;
            check.classes_failing += 1;
            check.concerned += shown;
            if shown > most {
                most = shown;
                let what = format!("{count} of {} cells are suppressed, not all", histogram.size);
                check.worst = Some(format!("{}: {what}", facts.describe(class)));
            }
        }
    }
    check.detail = match check.classes_failing {
        0 => counted(suppressed, "sensitive cell is suppressed", "sensitive cells are suppressed"),
        failing => format!(
            "{} suppressed in part, which \"all-sa\" does not do",
            counted(failing, "class is", "classes are")
        ),
    };
    Some(check)
}

/// What is suppressed in a table of unknown make; `None` where no cell is. By which scheme cannot be known, so this
/// check only counts.
pub(super) fn count(facts: &Facts<'_>) -> Option<Check> {
    let quasi = facts.layout.quasi.len();
    let release = &facts.tables.release.records;
    let mut parts = Vec::new();
    for (column, _) in &facts.suppressed.columns {
        let cells =
            |class| facts.suppressed.count(*column, &facts.classes.histogram(class, quasi + column, release));
        let suppressed: u64 = facts.classes.cells.ids().map(cells).sum();
        let place = facts.layout.plain.get(*column);
        let name = place
            .and_then(|place| facts.policy.columns.get(place.original))
            .map_or("", |column| &column.name);
        if suppressed > 0 {
            let is = noun(suppressed, "is", "are");
            parts.push(format!("{} of {name} {is} suppressed (*)", counted(suppressed, "cell", "cells")));
        }
    }
    (!parts.is_empty()).then(|| Check::new("suppressed cells", true, parts.join("; ")))
}
