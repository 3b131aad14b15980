//! Sample uniqueness.

use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::clause;
use privet_core::Exact;

clause! {
    /// At most a share `max` of the released records is alone in its class.
    pub struct SampleUniqueness {
        /// The largest share.
        pub max: Exact,
    }
}

/// `[privacy.sample-uniqueness]`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[],
    name: "sample-uniqueness",
    source: "C. Skinner, M. Elliot: A Measure of Disclosure Risk for Microdata. JRSS B 64(4), 2002",
    summary: "at most a share max of the released records is alone in its class",
    help: "The share of released records that nobody else looks like is at most max; max = 0 is 2-anonymity. It is about the \
           whole release; where records may be left out, the smallest classes go first.",
    keys: &[Key::required("max", KeyKind::Exact("0", "1"), "the largest share, as in max = 0.01")],
};
