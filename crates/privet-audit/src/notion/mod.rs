//! Privacy notions as the audit checks them: one file per notion, each a literal reading of its definition.
//!
//! To teach the audit a new notion, write a file with its [`Notion`] and answer for it in [`judge_of`] and
//! [`counts_people`]; the compiler asks for both. FF-anonymity, (n, t)-closeness and LKC-privacy are not a matter of single
//! classes, and models of populations and of risk need more than how often values occur, so they have checks of their own.

mod average_risk;
mod beta_likeness;
mod column;
mod delta_disclosure;
mod delta_presence;
mod freeform;
mod household_risk;
mod individual_risk;
mod item_sets;
mod k_anonymity;
mod k_map;
mod l_diversity;
mod l_plus;
mod lkc;
mod logarithms;
mod n_t_closeness;
mod population_uniqueness;
mod quasi_sensitive;
mod release_wide;
mod sample_uniqueness;
mod set_valued;
mod t_closeness;
mod weights;

pub(crate) use column::ColumnCloseness;
pub use column::{ClassRequirements, OriginalColumn};
pub(super) use freeform::read_as;
pub use freeform::{MixedNode, mixed_nodes};
pub use l_plus::thresholds;
pub use quasi_sensitive::{LabelIndex, LabelRequirements, LinkedRecords};

use super::Check;
use super::classes::{Classes, Histogram};
use super::columns::Layout;
use super::people::People;
use super::suppressed::Suppressed;
use super::table::Tables;
use super::watch::Watch;
use privet_core::{Error, Result};
use privet_core::{counted, described};
use privet_policy::requirement::{Diversity, LDiversity};
use privet_policy::{CheckedPolicy, Requirement};

/// A requirement of the policy, ready to be asked about one class after the other.
trait Notion: Send + Sync {
    /// The column it is about, by its place among the unchanged columns; `None` when only the size counts.
    fn column(&self) -> Option<usize> {
        None
    }

    /// Whether suppressed cells of the column count in a class's size. Where they do not, the class is judged by the
    /// cells that it shows.
    fn counts_suppressed(&self) -> bool {
        false
    }

    /// Whether the class meets the requirement. Exact.
    fn holds(&self, class: &Histogram) -> bool;

    /// How close to the bound the class is; larger is worse. Only used to choose which class is named as the worst.
    fn strain(&self, class: &Histogram) -> f64;

    /// The inequality with the class's numbers.
    fn explain(&self, class: &Histogram) -> String;
}

/// How a requirement is judged.
enum Judge {
    /// Class by class.
    Classes(Box<dyn Notion>),
    /// By a check of its own.
    Own(Check),
    /// Not here: it is not about the classes of a table.
    Elsewhere,
}

/// Which check judges a requirement.
fn judge_of(requirement: &Requirement, facts: &Facts<'_>) -> Result<Judge> {
    let name = || requirement.describe(&facts.policy.columns);
    if let Some(notion) = set_valued::auditor(requirement, facts)? {
        return Ok(Judge::Classes(notion));
    }
    Ok(match requirement {
        Requirement::KAnonymity(asked) => Judge::Classes(k_anonymity::auditor(asked)),
        Requirement::LDiversity(asked) => Judge::Classes(l_diversity::auditor(asked, facts)?),
        Requirement::LPlusDiversity(asked) => Judge::Classes(l_plus::auditor(asked, facts)?),
        Requirement::TCloseness(asked) => Judge::Classes(t_closeness::auditor(asked, facts)?),
        Requirement::BetaLikeness(asked) => Judge::Classes(beta_likeness::auditor(asked, facts)?),
        Requirement::DeltaDisclosure(asked) => Judge::Classes(delta_disclosure::auditor(asked, facts)?),
        Requirement::KlOfSets(asked) => Judge::Classes(item_sets::auditor(asked, facts)?),
        Requirement::QsDiversity(asked) => Judge::Classes(quasi_sensitive::diversity(asked, facts)?),
        Requirement::QsCloseness(asked) => Judge::Classes(quasi_sensitive::closeness(asked, facts)?),
        Requirement::LkcPrivacy(asked) => Judge::Own(lkc::check(asked, name(), facts)?),
        Requirement::KMap(asked) => Judge::Own(k_map::check(asked, name(), facts)?),
        Requirement::DeltaPresence(asked) => Judge::Own(delta_presence::check(asked, name(), facts)?),
        Requirement::AverageRisk(asked) => Judge::Own(average_risk::check(asked, name(), facts)?),
        Requirement::SampleUniqueness(asked) => Judge::Own(sample_uniqueness::check(asked, name(), facts)?),
        Requirement::PopulationUniqueness(asked) => {
            Judge::Own(population_uniqueness::check(asked, name(), facts)?)
        }
        Requirement::IndividualRisk(asked) => Judge::Own(individual_risk::check(asked, name(), facts)?),
        Requirement::HouseholdRisk(asked) => Judge::Own(household_risk::check(asked, name(), facts)?),
        Requirement::NtCloseness(asked) => Judge::Own(n_t_closeness::check(asked, name(), facts)?),
        Requirement::FfAnonymity(asked) => Judge::Own(freeform::check(asked, name(), facts)?),
        // The audits of groups and of projections judge these.
        Requirement::MatchingLDiversity(_) | Requirement::Projection(_) => Judge::Elsewhere,
    })
}

/// What a requirement may be judged by.
pub(super) struct Facts<'a> {
    pub policy: &'a CheckedPolicy,
    pub layout: &'a Layout,
    pub tables: &'a Tables,
    pub classes: &'a Classes,
    pub suppressed: &'a Suppressed,
    pub watch: Watch<'a>,
    /// Whose the records are, where the policy says.
    pub people: Option<&'a People>,
}

impl Facts<'_> {
    /// The name of a column of the original.
    pub fn column_name(&self, column: usize) -> &str {
        self.policy.columns.get(column).map_or("", |column| column.name.as_str())
    }

    /// A class in words.
    pub fn describe(&self, class: u32) -> String {
        let names: Vec<&str> =
            self.layout.quasi.iter().map(|place| self.column_name(place.original)).collect();
        self.classes.describe(class, &names, &self.tables.release.quasi)
    }

    /// The place of the column that a requirement of this name is about among the unchanged columns.
    fn column(&self, notion: &str, column: usize) -> Result<usize> {
        self.layout.plain.iter().position(|place| place.original == column).ok_or_else(|| {
            let name = self.column_name(column);
            Error::input(format!("{notion} is about '{name}', which is not published unchanged"))
                .help(format!("give [columns.{name}] role = \"sensitive\""))
        })
    }

    /// An unchanged column as the original has it.
    fn original_column(&self, column: usize) -> Result<OriginalColumn<'_>> {
        let values = self.tables.plain[column].texts().collect();
        let place = self.layout.plain[column].original;
        OriginalColumn::new(self.policy, place, values, self.distribution(column))
    }

    /// How often each value of an unchanged column occurs in the original, by number. Values that only the release has
    /// occur 0 times.
    fn distribution(&self, column: usize) -> Vec<u64> {
        let mut counts = vec![0; self.tables.plain[column].len()];
        let records = &self.tables.original.records;
        for id in records.ids() {
            let value = records.get(id)[self.layout.quasi.len() + column];
            counts[value as usize] += records.count(id);
        }
        counts
    }
}

/// Checks one requirement on every class; `None` for one that is not about the classes of a table. One that counts records
/// says nothing about people where somebody has several of them in one class, and fails there.
pub(super) fn check(requirement: &Requirement, facts: &Facts<'_>) -> Result<Option<Check>> {
    let check = match judge_of(requirement, facts)? {
        Judge::Classes(notion) => Some(check_classes(requirement, notion.as_ref(), facts)?),
        Judge::Own(check) => Some(check),
        Judge::Elsewhere => None,
    };
    Ok(match facts.people {
        Some(people) if !counts_people(requirement) => {
            check.map(|check| one_record_each(check, people, facts))
        }
        _ => check,
    })
}

/// Whether a requirement is about how many people a class has, and how many of them have a value.
fn counts_people(requirement: &Requirement) -> bool {
    match requirement {
        Requirement::KAnonymity(_) | Requirement::LPlusDiversity(_) => true,
        Requirement::LDiversity(LDiversity { diversity, .. }) => match diversity {
            Diversity::Distinct(_) | Diversity::Frequency(_) => true,
            Diversity::Entropy(_) | Diversity::Recursive { .. } => false,
        },
        Requirement::LkcPrivacy(_)
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
        | Requirement::QsCloseness(_) => false,
    }
}

/// What a requirement that counts records says about people.
fn one_record_each(mut check: Check, people: &People, facts: &Facts<'_>) -> Check {
    let (mut several, mut open, mut concerned) = (0, 0u64, 0);
    let mut worst = None;
    for class in facts.classes.cells.ids() {
        let (rows, range) = (facts.classes.cells.count(class), people.in_class(facts, class));
        if range.most < rows {
            several += 1;
            concerned += rows;
            worst = worst.or(Some((class, rows, range.most)));
        } else if range.least < rows {
            open += 1;
        }
    }
    if let Some((class, rows, most)) = worst {
        let detail = format!(
            "it counts records, and in {several} of {} somebody has several",
            described(facts.classes.len() as u64, "classes")
        );
        check.worst = Some(format!(
            "{}: {} of at most {}",
            facts.describe(class),
            described(rows, "records"),
            described(most, "people")
        ));
        (check.holds, check.undetermined, check.detail) = (false, false, detail);
        (check.classes_failing, check.concerned) = (several, concerned);
    } else if open > 0 && check.holds {
        check.undetermined = true;
        check.detail = format!(
            "{}; but it counts records, and in {open} of {} it is not known whether somebody has several",
            check.detail,
            described(facts.classes.len() as u64, "classes")
        );
    }
    check
}

fn check_classes(requirement: &Requirement, notion: &dyn Notion, facts: &Facts<'_>) -> Result<Check> {
    let name = requirement.describe(&facts.policy.columns);
    if let Some(people) = facts.people.filter(|_| counts_people(requirement)) {
        return Ok(check_people(name, notion, people, facts));
    }
    let quasi = facts.layout.quasi.len();
    let mut check = Check::new(name, true, String::new());
    let mut worst: Option<(bool, f64, u32, Histogram)> = None;
    for class in facts.classes.cells.ids() {
        (facts.watch)()?;
        let histogram = match notion.column() {
            Some(column) => {
                let all = facts.classes.histogram(class, quasi + column, &facts.tables.release.records);
                facts.suppressed.shown(column, all, notion.counts_suppressed())
            }
            None => Histogram { size: facts.classes.cells.count(class), counts: Vec::new() },
        };
        if histogram.size == 0 {
            // Nothing of the column is shown, so there is nothing to judge.
            continue;
        }
        let fails = !notion.holds(&histogram);
        if fails {
            check.holds = false;
            check.classes_failing += 1;
            check.concerned += histogram.size;
        }
        let strain = notion.strain(&histogram);
        if worst.as_ref().is_none_or(|(failed, most, ..)| (*failed, *most) < (fails, strain)) {
            worst = Some((fails, strain, class, histogram));
        }
    }
    check.worst = worst
        .map(|(_, _, class, histogram)| format!("{}: {}", facts.describe(class), notion.explain(&histogram)));
    check.detail = match (check.classes_failing, facts.classes.len()) {
        (_, 0) => "the release has no records".to_string(),
        (0, 1) => "holds in the only class".to_string(),
        (0, classes) => format!("holds in all {classes} classes"),
        (failing, classes) => {
            format!("fails in {failing} of {}", counted(classes as u64, "class", "classes"))
        }
    };
    Ok(check)
}

/// Checks a requirement that counts people. A class that meets it at its worst holds, one that does not at its best fails, and
/// of any other it is not known.
fn check_people(name: String, notion: &dyn Notion, people: &People, facts: &Facts<'_>) -> Check {
    let mut check = Check::new(name, true, String::new());
    let mut open = 0u64;
    let mut worst: Option<(u8, f64, u32, Histogram)> = None;
    for class in facts.classes.cells.ids() {
        let extremes = people.extremes(facts, class, notion.column(), notion.counts_suppressed());
        if extremes.best.size == 0 {
            // Nothing of the column is shown, or nobody can be behind it, which the check of records says.
            continue;
        }
        let (grade, seen) = if notion.holds(&extremes.worst) {
            (0, extremes.worst)
        } else if notion.holds(&extremes.best) {
            open += 1;
            (1, extremes.worst)
        } else {
            check.holds = false;
            check.classes_failing += 1;
            check.concerned += facts.classes.cells.count(class);
            (2, extremes.best)
        };
        let strain = notion.strain(&seen);
        if worst.as_ref().is_none_or(|(most, so_far, ..)| (*most, *so_far) < (grade, strain)) {
            worst = Some((grade, strain, class, seen));
        }
    }
    check.worst = worst.map(|(_, _, class, seen)| {
        let (records, explained) = (facts.classes.cells.count(class), notion.explain(&seen));
        let records = described(records, "records");
        format!("{}: {records}, people counted: {explained}", facts.describe(class))
    });
    let classes = facts.classes.len();
    check.undetermined = check.holds && open > 0;
    check.detail = match (check.classes_failing, classes) {
        (_, 0) => "the release has no records".to_string(),
        (0, classes) if open > 0 => {
            format!(
                "in {open} of {} the release does not show how many people there are",
                described(classes as u64, "classes")
            )
        }
        (0, 1) => "holds for the people of the only class".to_string(),
        (0, classes) => format!("holds for the people of all {classes} classes"),
        (failing, classes) => {
            format!("fails for the people of {failing} of {}", described(classes as u64, "classes"))
        }
    };
    check
}
