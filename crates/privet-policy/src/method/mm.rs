//! Item suppression.

use super::{ITEM_COST, ItemCost};
use crate::declare::{Accepts, Condition, Declaration, Key};
use crate::release_kind::ReleaseKind;
use crate::typed::method;

method! {
    /// Item suppression.
    pub struct Mm {
        /// What the release should lose least of.
        pub cost: ItemCost,
    }
    of DECLARATION
}

/// `[method] name = "mm"`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Transactions,
    role: None,
    accepts: &[
        Accepts::of(&["km-anonymity", "coherence"]),
        Accepts::of(&["kl-privacy"]).with(&[Condition::Is("n", 0), Condition::OneOf("power", &["items"])]),
    ],
    name: "mm",
    source: "Y. Xu, K. Wang, A. Fu, P. Yu: Anonymizing Transaction Databases for Publication. KDD 2008",
    summary: "(h,k,p)-coherence by leaving items out everywhere: what is published is published as it is",
    help: "The item suppression of Xu, Wang, Fu and Yu (2008). Items that stand in many combinations which point at too few \
           transactions, or at a sensitive item, are left out of all transactions, those first whose loss repairs most. \
           Nothing is generalised, so it suits data whose hierarchy is flat or missing. An item left out looks like an \
           absent one, so it cannot guard against knowledge of absent items: that takes og or mog.",
    keys: &[Key { help: "the cost that is reported first; it does not steer this method", ..ITEM_COST }],
};
