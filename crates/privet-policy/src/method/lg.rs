//! Local generalisation of sets.

use super::{ITEM_COST, ItemCost};
use crate::declare::{Accepts, Condition, Declaration};
use crate::release_kind::ReleaseKind;
use crate::typed::method;

method! {
    /// Local generalisation of sets.
    pub struct Lg {
        /// What the release should lose least of.
        pub cost: ItemCost,
    }
    of DECLARATION
}

/// `[method] name = "lg"`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Transactions,
    role: None,
    accepts: &[
        Accepts::of(&["km-anonymity", "transactional-k-anonymity"]),
        Accepts::of(&["kl-privacy"]).with(&[
            Condition::Is("l", 1),
            Condition::NoThresholds("theta"),
            Condition::OneOf("power", &["items"]),
        ]),
        Accepts::of(&["coherence"]).with(&[Condition::Is("h", 1)]),
        Accepts::of(&["privacy-degree"]).with(&[Condition::Is("p", 1)]),
    ],
    name: "lg",
    source: "Y. He, J. Naughton: Anonymization of Set-Valued Data via Top-Down, Local Generalization. VLDB 2009",
    summary: "every transaction looks like k - 1 others, by splitting from the top: very quick, items at mixed levels",
    help: "The local generalisation of He and Naughton (2009). All transactions begin as the most general set and are \
           split, node by node, by which children of the node they hold, as long as k look alike. The same item may be \
           published at different levels in different transactions, so counts of items are not exact any more. It \
           guards against any number of items known, present or absent, but knows nothing of sensitive items.",
    keys: &[ITEM_COST],
};
