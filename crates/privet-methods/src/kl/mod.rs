//! The methods for set-valued data, after chapter 4 of the thesis, and the baselines that it compares with.

mod aa;
mod again;
#[cfg(test)]
mod baselines;
pub mod enumeration;
mod feasible;
mod lg;
mod mm;
mod moles;
mod og;
pub mod recoding;
mod suppression;
#[cfg(test)]
pub(crate) mod tests;
pub mod utility;
pub mod why;

use super::SearchFacts;
use super::plan::Plan;
pub use again::apply_plan;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::baskets::Baskets;
use privet_engine::loss::items::ItemMeasure;
use privet_engine::privacy::kl::KlPrivacy;
use privet_policy::ItemMethod;
use recoding::ItemRecoding;

/// The warning of a search that ended before its result was proven.
const OUT_OF_TIME: &str = "the time limit ended the search before its result was proven optimal: the release may lose much more than \
                           necessary; raise time_limit";

/// The input of a method.
#[derive(Debug, Clone, Copy)]
pub struct ItemTask<'a> {
    /// The data.
    pub baskets: &'a Baskets,
    /// The requirements, all of which must hold.
    pub requirements: &'a [KlPrivacy],
    /// The method with its settings.
    pub method: &'a ItemMethod,
}

impl ItemTask<'_> {
    /// The loss to minimise.
    pub fn measure(&self) -> ItemMeasure {
        self.method.cost().into()
    }

    /// Whether some requirement does not count every known item once.
    fn is_measured(&self) -> bool {
        self.requirements.iter().any(|requirement| requirement.power.is_some())
    }
}

/// The outcome of a method for transactions.
#[derive(Debug)]
pub struct ItemSolution {
    /// Where every item goes.
    pub recoding: ItemRecoding,
    /// The decision.
    pub plan: Plan,
    /// How the search went; the best cost and the bound are means per occurrence, from 0 to 1.
    pub search: SearchFacts,
    /// What the search counted along the way, as in `("threats", 36)`.
    pub counters: Vec<(&'static str, u64)>,
    /// Warnings to read before publishing the release.
    pub warnings: Vec<String>,
}

/// Runs the method.
pub fn run(task: &ItemTask<'_>, clock: &Clock) -> Result<ItemSolution> {
    match task.method {
        ItemMethod::Og(own) => og::run(task, own, clock),
        ItemMethod::Mog(_) => og::run_multi_round(task, clock),
        ItemMethod::Aa(_) => aa::run(task, clock),
        ItemMethod::Lg(_) => lg::run(task, clock),
        ItemMethod::Mm(_) => mm::run(task, clock),
    }
}
