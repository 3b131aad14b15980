//! The methods for set-valued data, after chapter 4 of the thesis, and the baselines that it compares with.

mod aa;
#[cfg(test)]
mod baselines;
pub mod enumeration;
mod feasible;
mod lg;
mod mm;
mod og;
pub mod recoding;
#[cfg(test)]
pub(crate) mod tests;
pub mod utility;

use serde_json::Value as Json;

use super::SearchFacts;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::baskets::Baskets;
use privet_engine::loss::items::ItemMeasure;
use privet_engine::privacy::kl::KlPrivacy;
use privet_policy::ItemMethod;
use recoding::ItemRecoding;

/// What a method is to decide.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The data.
    pub baskets: &'a Baskets,
    /// What must hold, all of it.
    pub requirements: &'a [KlPrivacy],
    /// How: the method with its settings.
    pub method: &'a ItemMethod,
}

impl Task<'_> {
    /// What the release should lose least of.
    pub fn measure(&self) -> ItemMeasure {
        self.method.cost().into()
    }
}

/// What a method for transactions decided.
#[derive(Debug)]
pub struct ItemSolution {
    /// What becomes of every item.
    pub recoding: ItemRecoding,
    /// The decision as readable data.
    pub plan: Json,
    /// How the search went; best cost and bound are means per occurrence, from 0 to 1.
    pub search: SearchFacts,
    /// What the search counted on the way, as in `("threats", 36)`.
    pub counters: Vec<(&'static str, u64)>,
    /// What the user should know before the release leaves the house.
    pub warnings: Vec<String>,
}

/// Makes the decision.
pub fn run(task: &Task<'_>, clock: &Clock) -> Result<ItemSolution> {
    match task.method {
        ItemMethod::Og(own) => og::run(task, own, clock),
        ItemMethod::Mog(_) => og::run_multi_round(task, clock),
        ItemMethod::Aa(_) => aa::run(task, clock),
        ItemMethod::Lg(_) => lg::run(task, clock),
        ItemMethod::Mm(_) => mm::run(task, clock),
    }
}
