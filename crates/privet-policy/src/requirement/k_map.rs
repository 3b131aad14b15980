//! k-map.

use crate::check::{PolicyColumn, Role};
use crate::declare::{Declaration, Key, KeyKind};
use crate::population::Population;
use crate::release_kind::ReleaseKind;
use crate::typed::{choices, clause};
use privet_core::{Error, Exact, Result};

choices! {
    /// Where the number of people behind a class comes from.
    pub enum CountedBy {
        /// They are counted in the table of the population.
        Population = "population",
        /// The weights of the records are added.
        Weights = "weights",
        /// Only the size of the population is known: a test on counts that follow Poisson's law.
        Poisson = "poisson",
        /// The same, where counts of zero are never seen.
        ZeroTruncatedPoisson = "zero-truncated-poisson",
    }
}

clause! {
    /// Behind every class there are at least `k` people of the population.
    pub struct KMap {
        /// The least number of people behind a class.
        pub k: u64,
        /// Where that number comes from; always there in a checked policy.
        pub by: Option<CountedBy>,
        /// For the tests: how likely a class of fewer people may pass.
        pub significance: Option<Exact>,
    }
}

impl KMap {
    /// Fills in where numbers come from, and refuses what cannot be known.
    pub(crate) fn settle(&mut self, population: Option<&Population>, columns: &[PolicyColumn]) -> Result<()> {
        let has_weights = columns.iter().any(|column| column.role == Some(Role::Weight));
        let by = match (self.by, population) {
            (Some(by), _) => by,
            (None, Some(Population::Table(_))) => CountedBy::Population,
            (None, _) if has_weights => CountedBy::Weights,
            (None, Some(Population::Size(_))) => {
                return Err(Error::input("[privacy.k-map] lacks 'by': of the population only the size is known")
                    .help("set by = \"poisson\" or by = \"zero-truncated-poisson\" with significance = 0.01, or name a table: [population] path = \"register.csv\""));
            }
            (None, None) => return Err(super::lacks_population("k-map", true)),
        };
        let estimated = matches!(by, CountedBy::Poisson | CountedBy::ZeroTruncatedPoisson);
        match by {
            CountedBy::Population if population.and_then(Population::table).is_none() => {
                return Err(super::lacks_population("k-map", false));
            }
            CountedBy::Weights if !has_weights => {
                return Err(Error::input("[privacy.k-map] by = \"weights\", but no column has role 'weight'")
                    .help("give the column of survey weights role = \"weight\", or name the population: [population] path = \"register.csv\""));
            }
            _ if estimated && population.is_none() => return Err(super::lacks_population("k-map", true)),
            _ => {}
        }
        match self.significance {
            None if estimated => {
                return Err(Error::input(format!("[privacy.k-map] by = \"{by}\" lacks 'significance'"))
                    .help(
                        "say how likely a class of fewer than k people may pass, as in significance = 0.01",
                    ));
            }
            Some(_) if !estimated => {
                return Err(Error::input(format!(
                    "'significance' has no meaning with by = \"{by}\", which tests nothing"
                ))
                .help("remove it"));
            }
            Some(share) if share == Exact::ONE => {
                return Err(Error::input("'significance' is 1, so every class would pass")
                    .help("choose a number between 0 and 1, as in significance = 0.01"));
            }
            _ => {}
        }
        self.by = Some(by);
        Ok(())
    }
}

/// `[privacy.k-map]`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[],
    name: "k-map",
    source: "L. Sweeney: Computational Disclosure Control. Doctoral thesis, MIT 2001; K. El Emam, F. Dankar: Protecting Privacy Using k-Anonymity. JAMIA 15(5), 2008",
    summary: "behind every class there are at least k people of the population",
    help: "For attackers who know the population but not who of it is in the data: every class could belong to at least k \
           people, so that a match is right with a chance of 1/k at most. People are counted in the table of [population], \
           added from survey weights, or tested by Poisson's law where only the size of the population is known; such a test \
           is not a proof. It promises nothing against attackers who know that somebody is in the data.",
    keys: &[
        Key::required("k", KeyKind::Count(1), "the least number of people behind a class, as in k = 5"),
        Key::optional(
            "by",
            KeyKind::Choice(CountedBy::WORDS),
            "where that number comes from; left out: population where [population] has a path, else weights where a column \
             has that role",
        ),
        Key::optional(
            "significance",
            KeyKind::Above("1"),
            "for poisson and zero-truncated-poisson: how likely a class of fewer people may pass, as in 0.01",
        ),
    ],
};
