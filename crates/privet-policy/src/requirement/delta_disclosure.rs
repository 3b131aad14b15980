//! δ-disclosure privacy.

use super::t_closeness::COLUMN;
use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::{choices, clause};
use privet_core::{Error, Exact, Result};

choices! {
    /// What a value means that a class lacks.
    pub enum Absent {
        /// Its logarithm is −∞, so the class fails.
        Violates = "violates",
        /// It is not looked at.
        Skip = "skip",
    }
}

clause! {
    /// Every value of a sensitive column is about as frequent in every class as in the whole table.
    pub struct DeltaDisclosure {
        /// The sensitive column's position in the data.
        pub column: usize,
        /// What the logarithm of a ratio of shares stays below.
        pub delta: Exact,
        /// What a value means that a class lacks.
        pub absent: Absent,
    }
}

impl DeltaDisclosure {
    /// Ratios are compared as powers with this exponent at most.
    const MOST_DENOMINATOR: u64 = 64;

    /// Refuses a delta that cannot be compared exactly in good time.
    pub(crate) fn check(&self) -> Result<()> {
        if self.delta.denominator() <= Self::MOST_DENOMINATOR {
            return Ok(());
        }
        let (most, delta) = (Self::MOST_DENOMINATOR, self.delta);
        Err(Error::input(format!("delta = {delta} has a denominator above {most}"))
            .help("choose a simpler number, such as delta = 1.5 or delta = \"7/4\""))
    }
}

/// `[privacy.delta-disclosure]`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[],
    name: "delta-disclosure",
    source: "J. Brickell, V. Shmatikov: The Cost of Privacy: Destruction of Data-Mining Utility in Anonymized Data Publishing. \
             KDD 2008",
    summary: "in every class each sensitive value is less than 2^delta times as frequent or as rare as in the whole table",
    help: "For every class and every value of the column, the logarithm to the base 2 of its share of the class over its share \
           of the whole table is strictly between −delta and delta. A value that a class lacks violates this, because the \
           class then tells that nobody in it has the value. absent = \"skip\" does not look at such values, as some other \
           tools do. Shares of the table include records that are left out.",
    keys: &[
        COLUMN,
        Key::required(
            "delta",
            KeyKind::Above(""),
            "what the logarithm of the ratio stays below, above 0, as in delta = 2",
        ),
        Key::with_default(
            "absent",
            KeyKind::Choice(Absent::WORDS),
            "violates",
            "what a value means that a class lacks: violates or skip",
        ),
    ],
};
