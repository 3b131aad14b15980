//! Quasi-sensitive diversity and closeness.

use crate::check::{PolicyColumn, Role};
use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::{choices, clause};
use privet_core::{Error, Exact, Result};

clause! {
    /// Nobody's terms point at few labels.
    #[derive(Copy)]
    pub struct QsDiversity {
        /// The quasi-sensitive column's position in the data.
        pub column: usize,
        /// How many times likelier the likeliest label may be.
        pub c: Exact,
        /// How many labels must stay possible.
        pub l: u64,
    }
}

clause! {
    /// What a group's terms reveal is nearly what was believed before.
    #[derive(Copy)]
    pub struct QsCloseness {
        /// The quasi-sensitive column's position in the data.
        pub column: usize,
        /// The largest distance.
        pub t: Exact,
        /// What is believed beforehand.
        pub prior: PriorKind,
    }
}

choices! {
    /// What an adversary believes before they see the release.
    pub enum PriorKind {
        /// The mean over the whole original table.
        Microdata = "microdata",
        /// All labels are equally likely.
        Uniform = "uniform",
        /// What the knowledge file says.
        Weight = "weight",
    }
}

impl QsCloseness {
    /// Refuses a prior that the knowledge file does not state.
    pub(crate) fn check(&self, columns: &[PolicyColumn]) -> Result<()> {
        let sets = columns.get(self.column).and_then(|column| column.sets.as_ref());
        if self.prior == PriorKind::Weight && sets.is_some_and(|sets| sets.knowledge.weights().is_none()) {
            return Err(Error::input("prior = \"weight\", but the knowledge file has no column 'weight'")
                .help("add the column, or choose prior = \"microdata\" or \"uniform\""));
        }
        Ok(())
    }
}

/// How a policy asks for diversity.
pub static DIVERSITY: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: Some(Role::QuasiSensitive),
    accepts: &[],
    name: "qs-diversity",
    source: "P. Shi, L. Xiong, B. Fung: Anonymizing Data with Quasi-Sensitive Attribute Values. CIKM 2010",
    summary: "nobody's terms point at few labels, whatever public table one links them to",
    help: "A record links to every label of the knowledge file that has all of its terms. In each group the likeliest label \
           must be at most c times as likely as the l-th likeliest and all less likely ones together, and at least l labels \
           must be possible.",
    keys: &[
        Key::required(
            "column",
            KeyKind::Column(Role::QuasiSensitive),
            "the quasi-sensitive column, as in column = \"symptoms\"",
        ),
        Key::required(
            "c",
            KeyKind::Above(""),
            "how many times likelier the likeliest label may be, above 0, as in c = 1.0",
        ),
        Key::required("l", KeyKind::Count(1), "how many labels must stay possible, as in l = 3"),
    ],
};

/// How a policy asks for closeness.
pub static CLOSENESS: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: Some(Role::QuasiSensitive),
    accepts: &[],
    name: "qs-closeness",
    source: "P. Shi, L. Xiong, B. Fung: Anonymizing Data with Quasi-Sensitive Attribute Values. CIKM 2010",
    summary: "what a group's terms reveal is nearly what was believed before",
    help: "A record links to every label of the knowledge file that has all of its terms. In each group the sum over all \
           labels of the squared difference between the label's likelihood there and its prior must be at most t². For \
           method quasi-sensitive.",
    keys: &[
        Key::required(
            "column",
            KeyKind::Column(Role::QuasiSensitive),
            "the quasi-sensitive column, as in column = \"symptoms\"",
        ),
        Key::required("t", KeyKind::Exact("0", ""), "the largest distance, as in t = 0.2"),
        Key::with_default(
            "prior",
            KeyKind::Choice(PriorKind::WORDS),
            "microdata",
            "what is believed beforehand: the mean over the original table, all labels alike, or the knowledge file's column 'weight'",
        ),
    ],
};
