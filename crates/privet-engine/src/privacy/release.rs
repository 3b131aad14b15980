//! Notions about all classes of a release together.
//!
//! Where records may be left out, whole classes go in ascending order of size, as few as make the notions hold. What a class
//! gives to an average of risks falls with its size and what it takes, its records, grows, so the m smallest classes beat any
//! other m.

use super::{TrackedTable, average_risk, household_risk, population_uniqueness, sample_uniqueness};
use crate::risk::ClassSizes;
use privet_core::Result;
use privet_policy::{CheckedPolicy, Requirement};

pub use household_risk::HouseholdRisk;

/// The sizes of the classes of a release, ascending, the smallest ones left out.
#[derive(Debug, Clone, Copy)]
pub struct Sizes<'a> {
    all: &'a [u64],
    records: u64,
}

impl<'a> Sizes<'a> {
    /// The sizes of classes, ascending, all above 0.
    pub fn of(all: &'a [u64]) -> Sizes<'a> {
        Sizes { all, records: all.iter().sum() }
    }

    /// How many classes there are.
    pub fn classes(&self) -> u64 {
        self.all.len() as u64
    }

    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// How many records are in classes of fewer than `size`.
    pub fn below(&self, size: u64) -> u64 {
        self.all[..self.all.partition_point(|own| *own < size)].iter().sum()
    }

    /// How many classes there are of each size.
    pub fn counted(&self) -> ClassSizes {
        ClassSizes::of_ascending(self.all)
    }

    /// Without the smallest `gone` classes.
    fn without(&self, gone: usize) -> Sizes<'a> {
        let (left_out, kept) = self.all.split_at(gone);
        Sizes { all: kept, records: self.records - left_out.iter().sum::<u64>() }
    }

    /// How many records the fewest of the smallest classes have without which something holds that holds ever after.
    pub fn fewest_gone(&self, holds: impl Fn(&Sizes<'_>) -> bool) -> u64 {
        let (mut failing, mut fine) = (0, self.all.len());
        if holds(self) {
            return 0;
        }
        while fine - failing > 1 {
            let middle = failing + (fine - failing) / 2;
            if holds(&self.without(middle)) { fine = middle } else { failing = middle }
        }
        self.all[..fine].iter().sum()
    }
}

/// A notion about all classes of a release together, by their sizes.
pub trait ReleaseTest: Send + Sync + std::fmt::Debug {
    /// Whether it holds; true for a release without records.
    fn holds(&self, sizes: &Sizes<'_>) -> bool;

    /// Whether it goes on holding when the smallest class goes.
    fn improves(&self) -> bool;

    /// A number of records that at least go, at these levels and at any below, out of classes of these sizes at these levels.
    fn least_gone(&self, sizes: &Sizes<'_>) -> u64;

    /// Why the whole table as one class still fails.
    fn why_impossible(&self, records: u64) -> String;
}

/// Builds those requirements that are about all classes together, households aside.
pub fn release_requirements(
    policy: &CheckedPolicy,
    table: &TrackedTable,
) -> Result<Vec<Box<dyn ReleaseTest>>> {
    let mut built: Vec<Box<dyn ReleaseTest>> = Vec::new();
    for asked in &policy.requirements {
        match asked {
            Requirement::AverageRisk(asked) => built.push(average_risk::build(asked)),
            Requirement::SampleUniqueness(asked) => built.push(sample_uniqueness::build(asked)),
            Requirement::PopulationUniqueness(asked) => {
                built.push(population_uniqueness::build(asked, table)?)
            }
            Requirement::HouseholdRisk(_)
            | Requirement::KAnonymity(_)
            | Requirement::LDiversity(_)
            | Requirement::LPlusDiversity(_)
            | Requirement::LkcPrivacy(_)
            | Requirement::TCloseness(_)
            | Requirement::BetaLikeness(_)
            | Requirement::DeltaDisclosure(_)
            | Requirement::KMap(_)
            | Requirement::DeltaPresence(_)
            | Requirement::IndividualRisk(_)
            | Requirement::KlOfSets(_)
            | Requirement::NtCloseness(_)
            | Requirement::MatchingLDiversity(_)
            | Requirement::Projection(_)
            | Requirement::FfAnonymity(_)
            | Requirement::QsDiversity(_)
            | Requirement::QsCloseness(_) => {}
        }
    }
    Ok(built)
}

/// How many of the smallest classes go, as few as make all notions hold, if that leaves out at most `spare` records.
pub fn classes_gone(tests: &[Box<dyn ReleaseTest>], sizes: &Sizes<'_>, spare: u64) -> Option<usize> {
    let most = {
        let mut sum = 0u64;
        let fits = |size: &&u64| {
            sum += **size;
            sum <= spare
        };
        sizes.all.iter().take_while(fits).count()
    };
    let hold = |gone: usize, improving: bool| {
        let rest = sizes.without(gone);
        tests.iter().filter(|test| test.improves() == improving).all(|test| test.holds(&rest))
    };
    // Those that improve hold from some number on.
    let mut first = 0;
    if !hold(0, true) {
        if !hold(most, true) {
            return None;
        }
        let mut fine = most;
        while fine - first > 1 {
            let middle = first + (fine - first) / 2;
            if hold(middle, true) { fine = middle } else { first = middle }
        }
        first = fine;
    }
    (first..=most).find(|gone| hold(*gone, false))
}
