//! FF-anonymity.

use crate::check::Role;
use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::clause;
use privet_core::Exact;

clause! {
    /// No guarded value follows from what can be observed.
    #[derive(Copy)]
    pub struct FfAnonymity {
        /// Values this observable can be seen.
        pub observable: Exact,
        /// Threats above this are breaches.
        pub threat: Exact,
    }
}

/// How a policy asks for it.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: Some(Role::Mixed),
    accepts: &[],
    name: "ff-anonymity",
    source: "K. Wang, Y. Xu, A. Fu, R. Wong: FF-Anonymity: When Quasi-Identifiers Are Missing. ICDE 2009",
    summary: "no guarded value follows from what can be observed, whatever columns and levels it is from",
    help: "Columns have role 'mixed': some of their values can be seen on a person, others are guarded. An attacker who sees any \
           values that can be observed, of any columns and at any level of their hierarchies, infers no value of another \
           column that cannot be observed with a probability that, times the value's sensitivity, exceeds the threshold. \
           For the methods ff and ff-optimal.",
    keys: &[
        Key::with_default(
            "observable",
            KeyKind::Exact("0", "1"),
            "1",
            "how observable a value must be for an adversary to see it, as in observable = 1.0",
        ),
        Key::required(
            "threat",
            KeyKind::Exact("0", "1"),
            "the largest probability of an inference times the sensitivity of what it tells, as in threat = 0.5",
        ),
    ],
};
