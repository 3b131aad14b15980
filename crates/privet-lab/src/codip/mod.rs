//! The experiments of the CODIP paper (Fang, Ashrafi and Ng, section 7) on Census-Income: fifteen sensitive attributes, four
//! quasi-identifiers.
//!
//! The paper ran on the training part (98,839 records after its filter); the folder has the test part (49,479 after the same
//! one). It does not say how its quasi-identifiers generalise; `data` has the hierarchies that are used here. Thresholds on
//! discernibility grow with the square of the number of records, so the paper's are scaled to ours.

mod anonymity;
mod attributes;
mod closeness;
mod data;
mod efficiency;
mod tables;
mod tradeoff;
#[cfg(test)]
pub(super) mod trial;

use self::data::Census;
use super::page::{DataUsed, Section};
use super::{Experiment, Laboratory, Part, Setting};
use privet::clock::Clock;
use privet::method::codip::{ProjectedTables, ProjectionPlan, merge, path};
use privet::policy::method::TableCost;
use privet::privacy::projection::Projection;
use privet::{Error, Exact, Result};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "codip",
    title: "Many sensitive attributes",
    source: "Fang, Ashrafi and Ng, Privacy beyond Single Sensitive Attribute (DEXA 2011), section 7",
    parts: &[
        tradeoff::PART,
        tables::PART,
        attributes::PART,
        closeness::PART,
        anonymity::PART,
        efficiency::PART,
    ],
    prepare,
};

/// How many records the paper had.
const PAPER_RECORDS: f64 = 98_839.0;

/// The data, and how much is run on it.
struct Bench {
    census: Census,
    quick: bool,
    clock: Clock,
}

fn prepare(setting: &Setting) -> Result<Box<dyn Laboratory>> {
    let census = Census::read(&setting.data, &setting.clock)?;
    Ok(Box::new(Bench { census, quick: setting.quick, clock: setting.clock.clone() }))
}

impl Laboratory for Bench {
    fn run(&self, part: &Part) -> Result<Vec<Section>> {
        match part.name {
            "tradeoff" => tradeoff::run(self),
            "tables" => tables::run(self),
            "attributes" => attributes::run(self),
            "closeness" => closeness::run(self),
            "anonymity" => anonymity::run(self),
            "efficiency" => efficiency::run(self),
            other => Err(Error::internal(format!("the part '{other}' is declared but not built"))),
        }
    }

    fn data(&self) -> Option<DataUsed> {
        Some(self.census.data.clone())
    }
}

/// Numbers as a sentence lists them: 2, 5 and 10.
fn listed(numbers: &[u64]) -> String {
    match numbers {
        [] => String::new(),
        [only] => only.to_string(),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(u64::to_string).collect();
            format!("{} and {last}", first.join(", "))
        }
    }
}

impl Bench {
    /// The plan that CODIP* comes to under a limit on exposure alone.
    fn star(&self, beta: f64) -> Result<ProjectionPlan> {
        let ratios = &self.census.ratios;
        let merged = merge(ratios, false, &mut |plan, _| {
            self.clock.check()?;
            Ok(ratios.information_exposure(plan) <= beta + privet::privacy::projection::SLACK)
        })?;
        Ok(merged.plan)
    }

    /// The plan with this many tables on the way of CODIP* from a table per attribute to one.
    fn plan_of(&self, tables: usize) -> ProjectionPlan {
        let mut plans = path(&self.census.ratios);
        let found = plans.iter().position(|plan| plan.len() == tables).unwrap_or(0);
        plans.swap_remove(found)
    }

    /// A threshold on discernibility in units of 10⁹ as the paper has it, for as many records as there are here.
    fn scaled(&self, paper: f64) -> u64 {
        let share = self.census.microdata.summary.total() as f64 / PAPER_RECORDS;
        (paper * 1e9 * share * share).round() as u64
    }

    /// Tables with a k and a threshold on discernibility.
    fn tables(&self, k: u64, most: Option<u64>) -> Result<ProjectedTables<'_>> {
        let policy = self.census.policy(k, "1")?;
        let most = most.and_then(|most| Exact::new(most, 1));
        let limits = Projection { alpha: Exact::ONE, beta: Exact::ONE, max_discernibility: most };
        ProjectedTables::new(&policy, &self.census.microdata, &self.census.attributes, limits, TableCost::Dm)
    }
}
