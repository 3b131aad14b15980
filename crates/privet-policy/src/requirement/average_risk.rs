//! Average risk and records at risk.

use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::clause;
use privet_core::{Error, Exact, Result};

clause! {
    /// On average a released record is found with a chance of at most `max`.
    pub struct AverageRisk {
        /// The largest average.
        pub max: Exact,
        /// Records that are found with a larger chance are at risk.
        pub highest: Option<Exact>,
        /// The largest share of records at risk.
        pub at_risk: Option<Exact>,
    }
}

impl AverageRisk {
    /// Refuses a share of records at risk where nothing says which ones are.
    pub(crate) fn check(&self) -> Result<()> {
        match (self.highest, self.at_risk) {
            (None, Some(_)) => Err(Error::input("'at_risk' has no meaning without 'highest'")
                .help("say which records are at risk, as in highest = \"1/5\", or remove 'at_risk'")),
            _ => Ok(()),
        }
    }

    /// The least size of a class whose records are not at risk, and the largest share of records that may be.
    pub fn bounds(&self) -> Option<(u64, Exact)> {
        let highest = self.highest?;
        // 1/n ≤ a/b where n ≥ b/a.
        let least = highest.denominator().div_ceil(highest.numerator().max(1));
        Some((least, self.at_risk.unwrap_or(Exact::ZERO)))
    }
}

/// `[privacy.average-risk]`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[],
    name: "average-risk",
    source: "K. El Emam: Guide to the De-Identification of Personal Health Information. CRC Press 2013",
    summary: "on average a released record is found with a chance of at most max",
    help: "The mean of one over the size of a record's class is at most max: what an attacker succeeds in who matches all \
           records with another table. With highest and at_risk, at most that share of the records may be found with a larger \
           chance than highest. k-anonymity is highest = 1/k with at_risk = 0. It is about the whole release; where records may \
           be left out, the smallest classes go first.",
    keys: &[
        Key::required("max", KeyKind::Above("1"), "the largest average, as in max = \"1/20\""),
        Key::optional(
            "highest",
            KeyKind::Above("1"),
            "the chance above which a record is at risk, as in highest = \"1/5\"",
        ),
        Key::optional(
            "at_risk",
            KeyKind::Exact("0", "1"),
            "the largest share of records at risk, as in at_risk = 0.05; 0 where only 'highest' is given",
        ),
    ],
};
