//! δ-presence.

use crate::declare::{Declaration, Key, KeyKind};
use crate::population::Population;
use crate::release_kind::ReleaseKind;
use crate::typed::{choices, clause};
use privet_core::{Error, Exact, Result};

choices! {
    /// What becomes of classes that are left out.
    pub enum OnSuppression {
        /// No class may be left out: one that is missing tells that its people are in the data.
        Refuse = "refuse",
        /// Only classes with released records are bounded.
        Ignore = "ignore",
    }
}

clause! {
    /// Of the people behind every class, a share between two bounds is in the data.
    pub struct DeltaPresence {
        /// The least share.
        pub min: Exact,
        /// The largest share.
        pub max: Exact,
        /// What becomes of classes that are left out.
        pub on_suppression: OnSuppression,
    }
}

impl DeltaPresence {
    /// Refuses bounds that cross, and a population that is not known person by person.
    pub(crate) fn settle(&self, population: Option<&Population>) -> Result<()> {
        if self.min > self.max {
            return Err(Error::input(format!("min = {} is above max = {}", self.min, self.max))
                .help("the share of people who are in the data lies between 'min' and 'max'"));
        }
        match population.and_then(Population::table) {
            Some(_) => Ok(()),
            None => Err(super::lacks_population("delta-presence", false)),
        }
    }
}

/// `[privacy.delta-presence]`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[],
    name: "delta-presence",
    source: "M. Nergiz, M. Atzori, C. Clifton: Hiding the Presence of Individuals from Shared Databases. SIGMOD 2007",
    summary: "of the people behind every class of the population, a share from min to max is in the data",
    help: "For attackers who know the population and want to know who of it is in the data: somebody who looks like a class is in \
           the data with a chance between min and max. The bounds also hold for people of the population who look like no \
           released record, whose share is 0. A class that is left out would tell that its people are in the data, so \
           suppression is refused unless on_suppression = \"ignore\".",
    keys: &[
        Key::required("min", KeyKind::Exact("0", "1"), "the least share, as in min = 0"),
        Key::required("max", KeyKind::Exact("0", "1"), "the largest share, as in max = \"1/5\""),
        Key::with_default(
            "on_suppression",
            KeyKind::Choice(OnSuppression::WORDS),
            "refuse",
            "refuse: no class may be left out; ignore: only classes with released records are bounded, and presence is hidden \
             partly",
        ),
    ],
};
