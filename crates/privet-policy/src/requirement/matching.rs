//! Matching l-diversity.

use crate::check::Role;
use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::clause;
use privet_core::Exact;

clause! {
    /// Whatever rules an adversary knows, `l` values stay possible for everybody.
    #[derive(Copy)]
    pub struct MatchingLDiversity {
        /// The sensitive column's position in the data.
        pub column: usize,
        /// How many values must stay possible.
        pub l: u64,
        /// The most that an adversary may become sure of a value.
        pub max_posterior: Option<Exact>,
    }
}

/// How a policy asks for it.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Groups,
    role: None,
    accepts: &[],
    name: "matching-l-diversity",
    source: "T. Li, N. Li: Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008",
    summary: "l values stay possible for everybody, whatever rules the adversary knows",
    help: "Records are published in groups, and of each group the sensitive values that occur in it. An attacker who knows the \
           rules of [knowledge] (men do not have ovarian cancer) and works out every assignment of the values of a group \
           to its records that agrees with them still finds at least l values for each record. It bounds how many values \
           are possible, not how likely each is, unless max_posterior says so.",
    keys: &[
        Key::required(
            "column",
            KeyKind::Column(Role::Sensitive),
            "the sensitive column, as in column = \"disease\"",
        ),
        Key::required(
            "l",
            KeyKind::Count(1),
            "how many values must stay possible for everybody, as in l = 4",
        ),
        Key::optional(
            "max_posterior",
            KeyKind::Exact("0", "1"),
            "how sure the adversary may become of a value, if all assignments are equally likely to them, as in \"1/4\"",
        ),
    ],
};
