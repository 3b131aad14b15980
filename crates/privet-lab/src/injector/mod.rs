//! The experiments of the Injector paper (Li and Li, ICDE 2008, section VI): rules, vulnerable records, time and utility on
//! Adult, Anatomy against Injector.
//!
//! The paper's text states the table of Figure 3 and the axes of the others. Its reading that reproduces Figure 3: the
//! training file `adult.data` without records that miss one of the seven columns (30,718), single-column rules, all rules
//! counted, implied ones included.

mod data;
mod efficiency;
mod rules;
mod utility;
mod vulnerable;

use self::data::Adult;
use super::page::Section;
use super::{Experiment, Laboratory, Part, Setting};
use privet::clock::Clock;
use privet::engine::negative_rules::{Parameters, exclude};
use privet::method::injector::{GroupExposure, GroupingStrategy, GroupingTask, RecordGroups, expose, group};
use privet::{Error, Exact, Result, ValueSet};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "injector",
    title: "Background knowledge mined from the data",
    source: "Li and Li, Injector (ICDE 2008), section VI",
    parts: &[rules::PART, vulnerable::PART, efficiency::PART, utility::PART],
    prepare,
};

/// The paper's expectations, and its default.
const EXPECTATIONS: [&str; 5] = ["0.75", "0.80", "0.85", "0.90", "0.95"];
const EXPECTATION: &str = "0.90";
/// The paper's l, and its default.
const LS: [usize; 4] = [3, 4, 5, 6];
const L: usize = 6;

/// The data, and how much is run on it.
struct Bench {
    adult: Adult,
    quick: bool,
    clock: Clock,
}

fn prepare(setting: &Setting) -> Result<Box<dyn Laboratory>> {
    let adult = Adult::read(&setting.data)?;
    Ok(Box::new(Bench { adult, quick: setting.quick, clock: setting.clock.clone() }))
}

impl Laboratory for Bench {
    fn run(&self, part: &Part) -> Result<Vec<Section>> {
        match part.name {
            "rules" => rules::run(self),
            "vulnerable" => vulnerable::run(self),
            "efficiency" => efficiency::run(self),
            "utility" => utility::run(self),
            other => Err(Error::internal(format!("the part '{other}' is declared but not built"))),
        }
    }
}

impl Bench {
    /// How many runs of Anatomy a mean is taken over.
    fn seeds(&self) -> u64 {
        if self.quick { 2 } else { 10 }
    }

    /// The values that single-column rules of this expectation exclude.
    fn excluded(&self, expectation: &str) -> Result<Vec<ValueSet>> {
        exclude(&self.adult.observations, &single(expectation), &[], &self.clock)
    }

    fn task<'a>(&'a self, excluded: &'a [ValueSet], l: usize) -> GroupingTask<'a> {
        GroupingTask {
            observations: &self.adult.observations,
            excluded,
            l,
            k: 1,
            max_posterior: None,
            suppress: false,
        }
    }

    fn group(
        &self,
        task: &GroupingTask<'_>,
        strategy: GroupingStrategy,
        seed: u64,
    ) -> Result<(RecordGroups, GroupExposure)> {
        let grouping = group(task, strategy, seed, &self.clock)?;
        let exposure = expose(task, &grouping);
        Ok((grouping, exposure))
    }
}

/// When single-column rules count.
fn single(expectation: &str) -> Parameters {
    Parameters {
        min_expectation: Exact::parse(expectation).unwrap_or(Exact::ONE),
        min_confidence: Exact::ONE,
        max_length: 1,
        significance: None,
        alpha: None,
    }
}
