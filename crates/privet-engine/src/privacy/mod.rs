//! Privacy notions, one file each: what must hold in every class of a release.
//!
//! A *class* is the set of released records that look alike in their quasi-identifiers. A notion sees a class only as its
//! size and, per sensitive column, how often each value occurs in it. All thresholds are compared in integers.

mod average_risk;
mod beta_likeness;
mod delta_disclosure;
mod delta_presence;
mod earth_mover;
pub mod exposure;
pub mod freeform;
pub mod household_risk;
mod individual_risk;
pub mod information;
pub mod item_sets;
mod k_anonymity;
mod k_map;
pub mod kl;
mod l_diversity;
pub mod l_plus;
mod lkc;
pub mod matching;
mod n_t_closeness;
mod population_uniqueness;
pub mod projection;
pub mod quasi_sensitive;
pub mod release;
mod sample_uniqueness;
mod set_valued;
mod t_closeness;
pub mod vocabulary;

use privet_policy::method::Scheme;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

pub use item_sets::ItemCells;
pub use lkc::LkcPrivacy;
pub use n_t_closeness::{NtCloseness, Records};
pub use quasi_sensitive::CellLinks;
pub use set_valued::SetValues;

use crate::standing::Standing;
use privet_core::{Error, Result, counted};
use privet_policy::{CheckedPolicy, Method, Requirement, Role};
use privet_taxonomy::Taxonomy;

/// Counts of values in a class. All tracked columns share one numbering of *slots*: a column owns a range of slots,
/// one per value of its dictionary.
#[derive(Debug, Clone, Copy)]
pub enum Counts<'a> {
    /// One count per slot.
    Dense(&'a [u64]),
    /// Sorted pairs of slot and count, zero counts left out.
    Sparse(&'a [(u32, u64)]),
}

impl Counts<'_> {
    /// Calls `each` with the position inside `slots` and the count of every value that occurs.
    pub fn for_each(&self, slots: &Range<u32>, mut each: impl FnMut(u32, u64)) {
        match self {
            Counts::Dense(counts) => {
                for (position, count) in counts[slots.start as usize..slots.end as usize].iter().enumerate() {
                    if *count > 0 {
                        each(position as u32, *count);
                    }
                }
            }
            Counts::Sparse(pairs) => {
                let start = pairs.partition_point(|(slot, _)| *slot < slots.start);
                for (slot, count) in pairs[start..].iter().take_while(|(slot, _)| *slot < slots.end) {
                    each(slot - slots.start, *count);
                }
            }
        }
    }

    /// The largest count in `slots`.
    pub fn most(&self, slots: &Range<u32>) -> u64 {
        let mut most = 0;
        self.for_each(slots, |_, count| most = most.max(count));
        most
    }
}

/// A set of records that look alike, as far as privacy notions see it.
#[derive(Debug, Clone, Copy)]
pub struct EquivalenceClass<'a> {
    /// The number of records.
    pub size: u64,
    /// How often each value of each tracked column occurs.
    pub counts: Counts<'a>,
    /// What it stands for beyond its records.
    pub standing: Standing,
}

/// A class by its records and, where one person may have several, by the people who have them.
#[derive(Debug, Clone, Copy)]
pub struct Members<'a> {
    /// The records.
    pub records: EquivalenceClass<'a>,
    /// The people; `None` where everybody has one record, so that both are the same.
    pub people: Option<EquivalenceClass<'a>>,
    /// Whether everybody here has one distinct record only.
    pub add_up: bool,
}

impl<'a> Members<'a> {
    /// What a requirement judges.
    pub fn seen_by(&self, requirement: &dyn ClassTest) -> EquivalenceClass<'a> {
        self.people.filter(|_| requirement.counts_people()).unwrap_or(self.records)
    }

    /// Whether the class satisfies a requirement.
    pub fn meet(&self, requirement: &dyn ClassTest) -> bool {
        requirement.holds(&self.seen_by(requirement))
    }

    /// An upper bound on how many records of the class can stay when others go.
    ///
    /// Where somebody has records in several parts of the class, people do not add up, and the union of parts in which no
    /// value exceeds its share may exceed it: two parts that share the only person without the value. So nothing is bounded
    /// there, unless every superset of a part that holds would hold. Where people do add up, as many records go at least as
    /// people do.
    pub fn most_kept(&self, requirement: &dyn ClassTest) -> u64 {
        let records = self.records.size;
        let Some(people) = self.people.filter(|_| requirement.counts_people()) else {
            return requirement.most_kept(&self.records).min(records);
        };
        match requirement.closure() {
            Closure::Superset if requirement.holds(&people) => records,
            Closure::Superset => 0,
            Closure::Union if self.add_up => {
                let gone = people.size - requirement.most_kept(&people).min(people.size);
                records.saturating_sub(gone)
            }
            Closure::Union | Closure::Nothing => records,
        }
    }
}

/// What is counted, for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Records.
    Records,
    /// People.
    People,
}

impl Counted {
    /// How many, in words.
    pub fn counted(self, count: u64) -> String {
        match self {
            Counted::Records => counted(count, "record", "records"),
            Counted::People => counted(count, "person", "people"),
        }
    }
}

impl std::fmt::Display for Counted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Counted::Records => "records",
            Counted::People => "people",
        })
    }
}

/// What a search may rely on when it merges or splits classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closure {
    /// Nothing: the notion is asked of every solution, and no bound rests on it. Its [`ClassTest::most_kept`] is the class.
    Nothing,
    /// The union of classes that satisfy the notion satisfies it: generalising a valid release keeps it valid.
    Union,
    /// Any superset of a class that satisfies the notion satisfies it: in addition, generalising never makes more
    /// records fail. Implies `Union`.
    Superset,
}

/// A privacy notion with its parameters, ready to judge classes.
///
/// Promises (each held by a property test): `holds` is true for the class without records; it is closed under
/// [`ClassTest::closure`]; no collection of records taken out of a class, that satisfies the notion, is larger
/// than [`ClassTest::most_kept`]; no class with records, but fewer than [`ClassTest::least_size`], satisfies it.
pub trait ClassTest: Send + Sync + std::fmt::Debug {
    /// Whether the class satisfies the notion.
    fn holds(&self, class: &EquivalenceClass<'_>) -> bool;

    /// What a search may rely on.
    fn closure(&self) -> Closure;

    /// Whether it can count people where one of them may have several records: a class is then the people who have a record
    /// in it, and a value's count the people who have it there. A notion that compares shares which add up to one cannot.
    fn counts_people(&self) -> bool {
        false
    }

    /// An upper bound on how many records of the class can stay when others go.
    fn most_kept(&self, class: &EquivalenceClass<'_>) -> u64 {
        class.size
    }

    /// How many records, or people where it counts these, a class must have whatever is in it.
    fn least_size(&self) -> u64 {
        1
    }

    /// Whether it looks at what is in a class, and not just at its size and at what it stands for.
    fn looks_inside(&self) -> bool {
        true
    }

    /// How far the class is from the threshold, for reports: the class's figure and the threshold it must meet.
    fn tightness(&self, class: &EquivalenceClass<'_>) -> Tightness;

    /// Why the whole table as one class, the most general release there is, still fails.
    fn why_impossible(&self, table: &EquivalenceClass<'_>, of: Counted) -> String;
}

/// A class's figure against the threshold, as floating point: for display only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tightness {
    /// The class's figure.
    pub value: f64,
    /// What it is compared with.
    pub threshold: f64,
    /// Whether the figure must stay at or below the threshold (else at or above).
    pub at_most: bool,
}

impl Tightness {
    /// How much is left up to the threshold, relative to it; the smallest is the worst class.
    pub fn room(&self) -> f64 {
        let gap = if self.at_most { self.threshold - self.value } else { self.value - self.threshold };
        gap / self.threshold.abs().max(f64::MIN_POSITIVE)
    }
}

/// A column whose values are counted in classes: sensitive columns, and the class label for the cost CM.
#[derive(Debug, Clone)]
pub struct TrackedColumn {
    /// Its position in the data.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Its values, by code.
    pub values: Vec<String>,
    /// Whether its values are numbers (and therefore sorted by size).
    pub numeric: bool,
    /// Its taxonomy, where the policy names one.
    pub taxonomy: Option<Arc<Taxonomy>>,
    /// What separates the values of a cell, where cells hold several and requirements judge them one by one: see
    /// [`SetValues`]. The column's own values are the cells then.
    pub separator: Option<char>,
    /// The items that its cells hold, for a column of role `set`. The column's own values are the cells then.
    pub items: Option<Arc<ItemCells>>,
    /// What its cells link to, for a quasi-sensitive column whose sets are published as they are.
    pub links: Option<Arc<CellLinks>>,
    /// Its slots in [`Counts`].
    pub slots: Range<u32>,
    /// How often each value occurs in the whole table, by code.
    pub totals: Vec<u64>,
    /// How many people have each value, by code, where one of them may have several records.
    pub people: Option<Vec<u64>>,
}

impl TrackedColumn {
    /// How often each value occurs in the whole table, by code, as requirements count it.
    pub fn counted(&self) -> &[u64] {
        self.people.as_deref().unwrap_or(&self.totals)
    }
}

/// What is known about the whole table when requirements are built.
#[derive(Debug, Clone)]
pub struct TrackedTable {
    /// The number of records.
    pub records: u64,
    /// The tracked columns.
    pub tracked: Vec<TrackedColumn>,
    /// How many people the population has, where that is known.
    pub population: Option<u64>,
    /// How many units of the weights one person is, where records have weights.
    pub weight_unit: Option<u64>,
}

impl TrackedTable {
    /// The tracked column at a position of the data.
    pub fn column(&self, index: usize) -> Result<&TrackedColumn> {
        self.tracked
            .iter()
            .find(|column| column.index == index)
            .ok_or_else(|| Error::internal("a requirement names a column that is not tracked"))
    }

    /// The number of slots.
    pub fn slots(&self) -> u32 {
        self.tracked.last().map_or(0, |column| column.slots.end)
    }
}

/// Builds the policy's requirements for a table, but for those that [`natural_requirements`] and [`lkc_requirements`] have.
pub fn requirements(policy: &CheckedPolicy, table: &TrackedTable) -> Result<Vec<Box<dyn ClassTest>>> {
    let built = about_classes(policy, table, |_| true)?;
    Ok(built.into_iter().map(|(_, requirement)| requirement).collect())
}

/// Builds those requirements that classes are judged by, each with its clause. Requirements that a method enforces itself, about
/// terms or mixed columns, are left out.
pub fn class_requirements<'p>(
    policy: &'p CheckedPolicy,
    table: &TrackedTable,
) -> Result<Vec<(&'p Requirement, Box<dyn ClassTest>)>> {
    about_classes(policy, table, |clause| {
        let own = policy.method.declaration().role;
        own.is_none() || clause.declaration().role != own
    })
}

/// Builds those requirements that compare classes with their natural supersets.
pub fn natural_requirements(policy: &CheckedPolicy, table: &TrackedTable) -> Result<Vec<NtCloseness>> {
    let asked = policy.requirements.iter().enumerate().filter_map(|(position, asked)| match asked {
        Requirement::NtCloseness(asked) => Some((position, asked)),
        _ => None,
    });
    let built = asked.map(|(position, asked)| {
        NtCloseness::of(asked, table).map_err(|error| policy.at_requirement(position, error))
    });
    built.collect()
}

/// Builds those requirements that are about groups of records that agree on some of the quasi-identifiers.
pub fn lkc_requirements(policy: &CheckedPolicy, table: &TrackedTable) -> Result<Vec<LkcPrivacy>> {
    let asked = policy.requirements.iter().filter_map(|asked| match asked {
        Requirement::LkcPrivacy(asked) => Some(asked),
        _ => None,
    });
    asked.map(|asked| LkcPrivacy::of(asked, table)).collect()
}

/// Whether a requirement is not judged class by class, but by a list of its own: [`natural_requirements`],
/// [`lkc_requirements`], [`release::release_requirements`] or [`household_risk::HouseholdRisk::of`].
fn is_judged_apart(asked: &Requirement, method: &Method) -> bool {
    match asked {
        Requirement::NtCloseness(_) | Requirement::LkcPrivacy(_) => method.has_levels(),
        Requirement::AverageRisk(_)
        | Requirement::SampleUniqueness(_)
        | Requirement::PopulationUniqueness(_)
        | Requirement::HouseholdRisk(_) => true,
        Requirement::KAnonymity(_)
        | Requirement::LDiversity(_)
        | Requirement::LPlusDiversity(_)
        | Requirement::TCloseness(_)
        | Requirement::BetaLikeness(_)
        | Requirement::DeltaDisclosure(_)
        | Requirement::KMap(_)
        | Requirement::DeltaPresence(_)
        | Requirement::IndividualRisk(_)
        | Requirement::KlOfSets(_)
        | Requirement::MatchingLDiversity(_)
        | Requirement::Projection(_)
        | Requirement::FfAnonymity(_)
        | Requirement::QsDiversity(_)
        | Requirement::QsCloseness(_) => false,
    }
}

fn about_classes<'p>(
    policy: &'p CheckedPolicy,
    table: &TrackedTable,
    filter: impl Fn(&Requirement) -> bool,
) -> Result<Vec<(&'p Requirement, Box<dyn ClassTest>)>> {
    let clauses = policy.requirements.iter().enumerate().filter(|(_, clause)| filter(clause));
    let clauses = clauses.filter(|(_, clause)| !is_judged_apart(clause, &policy.method));
    let built = clauses.map(|(position, clause)| {
        let requirement = build(clause, table).map_err(|error| policy.at_requirement(position, error))?;
        Ok((clause, requirement))
    });
    built.collect()
}

/// Builds one requirement.
pub fn build(asked: &Requirement, table: &TrackedTable) -> Result<Box<dyn ClassTest>> {
    if let Some(values) = SetValues::about(asked, table)? {
        return set_valued::build(asked, values);
    }
    match asked {
        Requirement::KAnonymity(asked) => Ok(k_anonymity::build(asked)),
        Requirement::LDiversity(asked) => l_diversity::build(asked, table),
        Requirement::LPlusDiversity(asked) => l_plus::build(asked, table),
        Requirement::TCloseness(asked) => t_closeness::build(asked, table),
        Requirement::BetaLikeness(asked) => beta_likeness::build(asked, table),
        Requirement::DeltaDisclosure(asked) => delta_disclosure::build(asked, table),
        Requirement::KMap(asked) => k_map::build(asked, table),
        Requirement::DeltaPresence(asked) => Ok(delta_presence::build(asked)),
        Requirement::IndividualRisk(asked) => individual_risk::build(asked, table),
        Requirement::KlOfSets(asked) => item_sets::build(asked, table),
        Requirement::QsDiversity(asked) => quasi_sensitive::diversity(asked, table),
        Requirement::QsCloseness(asked) => quasi_sensitive::closeness(asked, table),
        // No method that judges classes one by one takes these.
        Requirement::NtCloseness(_)
        | Requirement::LkcPrivacy(_)
        | Requirement::AverageRisk(_)
        | Requirement::SampleUniqueness(_)
        | Requirement::PopulationUniqueness(_)
        | Requirement::HouseholdRisk(_)
        | Requirement::MatchingLDiversity(_)
        | Requirement::Projection(_)
        | Requirement::FfAnonymity(_) => {
            Err(Error::internal(format!("classes are not judged by '{}'", asked.name())))
        }
    }
}

/// What the publisher should know about requirements that can run as they are, as sentences.
pub fn warnings(policy: &CheckedPolicy, table: &TrackedTable) -> Result<Vec<String>> {
    let asks_for_k = policy.k() > 1;
    let stars = policy.method.suppression().is_some_and(Scheme::stars);
    let mut warnings = Vec::new();
    if policy.method.is_about(Role::Mixed) {
        warnings.extend(freeform::warnings(policy)?);
    }
    for (position, asked) in policy.requirements.iter().enumerate() {
        match asked {
            Requirement::LPlusDiversity(own) => {
                let values = SetValues::about(asked, table)?;
                let table = values.as_ref().map_or(table, |values| &values.table);
                let found = l_plus::warnings(own, table, asks_for_k, stars);
                warnings.extend(found.map_err(|error| policy.at_requirement(position, error))?);
            }
            Requirement::LkcPrivacy(asked) => {
                warnings.extend(LkcPrivacy::of(asked, table)?.warning(policy.generalised().count()));
            }
            Requirement::KAnonymity(_)
            | Requirement::LDiversity(_)
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
            | Requirement::QsCloseness(_) => {}
        }
    }
    Ok(warnings)
}

/// The largest collection out of a class in which no value exceeds its share: `caps(position) = (num, den)` says that a
/// value may make up at most num/den. Starting from all records, values over their cap are cut until nothing moves;
/// every satisfying collection stays below each step, so this greatest fixed point bounds them all.
fn most_under_caps(
    class: &EquivalenceClass<'_>,
    slots: &Range<u32>,
    caps: impl Fn(u32) -> (u128, u128),
) -> u64 {
    KEPT.with_borrow_mut(|kept| {
        kept.clear();
        class.counts.for_each(slots, |position, count| kept.push((position, count)));
        most_under(kept, caps)
    })
}

thread_local! {
    /// Counts of one class. Searches judge millions of classes; none of them should ask for memory.
    static KEPT: RefCell<Vec<(u32, u64)>> = const { RefCell::new(Vec::new()) };
}

fn most_under(kept: &mut [(u32, u64)], caps: impl Fn(u32) -> (u128, u128)) -> u64 {
    loop {
        let total: u64 = kept.iter().map(|(_, count)| count).sum();
        let mut moved = false;
        for (position, count) in kept.iter_mut() {
            let (num, den) = caps(*position);
            let cap = (u128::from(total) * num / den).min(u128::from(u64::MAX)) as u64;
            if *count > cap {
                *count = cap;
                moved = true;
            }
        }
        if !moved {
            return total;
        }
    }
}

/// The largest number up to `most` for which `fits` is true, given that it is true up to some number and false beyond;
/// 0 always fits.
fn largest(most: u64, fits: impl Fn(u64) -> bool) -> u64 {
    let (mut fitting, mut too_large) = (0, most + 1);
    while too_large - fitting > 1 {
        let middle = fitting + (too_large - fitting) / 2;
        if fits(middle) { fitting = middle } else { too_large = middle }
    }
    fitting
}

#[cfg(any(test, feature = "testing"))]
#[allow(missing_docs)]
pub mod naive;
#[cfg(test)]
mod tests;
