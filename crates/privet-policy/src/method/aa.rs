//! Apriori-based anonymisation.

use super::{ITEM_COST, ItemCost};
use crate::declare::{Accepts, Condition, Declaration};
use crate::release_kind::ReleaseKind;
use crate::typed::method;

method! {
    /// Greedy generalisation.
    pub struct Aa {
        /// What the release should lose least of.
        pub cost: ItemCost,
    }
    of DECLARATION
}

/// `[method] name = "aa"`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Transactions,
    role: None,
    accepts: &[
        Accepts::of(&["km-anonymity"]),
        Accepts::of(&["kl-privacy"]).with(&[
            Condition::Is("n", 0),
            Condition::Is("l", 1),
            Condition::NoThresholds("theta"),
            Condition::OneOf("power", &["items"]),
        ]),
        Accepts::of(&["coherence"]).with(&[Condition::Is("h", 1)]),
    ],
    name: "aa",
    source: "M. Terrovitis, N. Mamoulis, P. Kalnis: Privacy-Preserving Anonymization of Set-Valued Data. VLDB 2008",
    summary: "k^m-anonymity by greedy generalisation: quick, good, without proof of how good",
    help: "The Apriori-based anonymisation of Terrovitis, Mamoulis and Kalnis (2008). Combinations of one item, then of \
           two, up to m are looked at; one that fewer than k transactions hold is generalised in the cheapest way that \
           makes it common, for all transactions alike. It knows nothing of sensitive items and of absent items: such \
           requirements take og or mog, which also find cheaper releases.",
    keys: &[ITEM_COST],
};
