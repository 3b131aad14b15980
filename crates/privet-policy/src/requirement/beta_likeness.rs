//! β-likeness.

use super::t_closeness::COLUMN;
use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::{choices, clause};
use privet_core::Exact;

choices! {
    /// How much more frequent a value may become.
    pub enum LikenessKind {
        /// By β at most, whatever its share.
        Basic = "basic",
        /// By β or −ln p at most, whichever is less, for a value whose share of the table is p.
        Enhanced = "enhanced",
    }
}

clause! {
    /// No value of a sensitive column is much more frequent in a class than in the whole table.
    pub struct BetaLikeness {
        /// The sensitive column's position in the data.
        pub column: usize,
        /// The largest gain, relative to the share in the whole table.
        pub beta: Exact,
        /// Whether −ln p limits the gain too.
        pub kind: LikenessKind,
    }
}

/// `[privacy.beta-likeness]`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[],
    name: "beta-likeness",
    source: "J. Cao, P. Karras: Publishing Microdata with a Robust Privacy Guarantee. PVLDB 5(11), 2012",
    summary: "no sensitive value is more than 1 + beta times as frequent in a class as in the whole table",
    help: "Learning a person's class makes no sensitive value much likelier: its share of the class exceeds its share p of the \
           whole table by at most beta times p. Falling shares are free. With kind = \"enhanced\" the gain is also at most \
           −ln p, so that frequent values gain less. Shares of the table include records that are left out.",
    keys: &[
        COLUMN,
        Key::required(
            "beta",
            KeyKind::Above(""),
            "the largest gain relative to the share in the whole table, above 0, as in beta = 2",
        ),
        Key::with_default(
            "kind",
            KeyKind::Choice(LikenessKind::WORDS),
            "basic",
            "basic: the gain is at most beta; enhanced: at most beta and −ln p",
        ),
    ],
};
