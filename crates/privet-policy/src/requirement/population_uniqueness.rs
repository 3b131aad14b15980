//! Population uniqueness.

use crate::declare::{Declaration, Key, KeyKind};
use crate::population::Population;
use crate::release_kind::ReleaseKind;
use crate::typed::{choices, clause};
use privet_core::{Exact, Result};

choices! {
    /// How the share is estimated.
    pub enum Estimator {
        /// Zayatz (1991).
        Zayatz = "zayatz",
        /// Pitman's sampling formula (Hoshino 2001).
        Pitman = "pitman",
        /// The shifted negative binomial (Chen and Keller-McNulty 1998).
        Snb = "snb",
        /// The rule of Dankar and others (2012), which chooses one of the three.
        Dankar = "dankar",
    }
}

clause! {
    /// An estimated share of at most `max` of the population is unique.
    pub struct PopulationUniqueness {
        /// The largest share.
        pub max: Exact,
        /// How it is estimated.
        pub estimator: Estimator,
    }
}

impl PopulationUniqueness {
    /// Refuses a population of unknown size.
    pub(crate) fn settle(&self, population: Option<&Population>) -> Result<()> {
        population.map(|_| ()).ok_or_else(|| super::lacks_population("population-uniqueness", true))
    }
}

/// `[privacy.population-uniqueness]`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[],
    name: "population-uniqueness",
    source: "F. Dankar, K. El Emam, A. Neisa, T. Roffey: Estimating the Re-Identification Risk of Clinical Data Sets. BMC Medical Informatics and Decision Making 12, 2012",
    summary: "an estimated share of at most max of the population is unique in the released columns",
    help: "From the sizes of the released classes and the size of the population it is estimated which share of the population \
           is alone in its values. That share is at most max. It is an estimate, not a proof: the report names the model and \
           shows all of them. A model without a solution is not available, and a release cannot rest on it.",
    keys: &[
        Key::required("max", KeyKind::Exact("0", "1"), "the largest share, as in max = 0.001"),
        Key::with_default(
            "estimator",
            KeyKind::Choice(Estimator::WORDS),
            "dankar",
            "how the share is estimated: zayatz, pitman, snb, or the rule of Dankar and others, which chooses one of them",
        ),
    ],
};
