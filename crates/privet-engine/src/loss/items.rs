//! What a release of transactions loses, charged per occurrence of an item: LM and NCP over the item tree.

use std::fmt;

use num_integer::Integer;

use privet_policy::method::ItemCost;
use privet_taxonomy::{ItemTree, Node};

/// A measure of what generalised and suppressed items lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemMeasure {
    /// The Normalised Certainty Penalty: leaves(x) / L per occurrence, nothing for a node with one leaf.
    Ncp,
    /// The Loss Metric: (leaves(x) - 1) / (L - 1) per occurrence.
    Lm,
}

impl From<ItemCost> for ItemMeasure {
    fn from(cost: ItemCost) -> ItemMeasure {
        match cost {
            ItemCost::Ncp => ItemMeasure::Ncp,
            ItemCost::Lm => ItemMeasure::Lm,
        }
    }
}

impl ItemMeasure {
    /// All of them, the default first.
    pub const ALL: [ItemMeasure; 2] = [ItemMeasure::Ncp, ItemMeasure::Lm];
    /// Their names.
    pub const NAMES: &'static [&'static str] = ItemCost::WORDS;

    /// The name in policies.
    pub fn name(self) -> &'static str {
        match self {
            ItemMeasure::Ncp => "NCP",
            ItemMeasure::Lm => "LM",
        }
    }

    /// What an occurrence costs that is published as this node, in units of [`ItemMeasure::suppressed`]⁻¹: an integer.
    pub fn weight(self, tree: &ItemTree, node: Node) -> u64 {
        let leaves = u64::from(tree.leaves(node));
        match self {
            ItemMeasure::Ncp if leaves > 1 => leaves,
            ItemMeasure::Ncp => 0,
            ItemMeasure::Lm => leaves - 1,
        }
    }

    /// What an occurrence costs that is not published at all, in the same units: the most there is, the share 1.
    pub fn suppressed(self, tree: &ItemTree) -> u64 {
        let leaves = u64::from(tree.total_leaves());
        match self {
            ItemMeasure::Ncp => leaves,
            ItemMeasure::Lm => leaves.saturating_sub(1),
        }
    }
}

/// An exact share from 0 to 1 in lowest terms: what is lost, of all there is to lose.
///
/// ```
/// use privet_engine::loss::items::Share;
/// let share = Share::new(42, 152);
/// assert_eq!((share.to_string().as_str(), share.value()), ("21/76", 21.0 / 76.0));
/// assert_eq!(Share::new(0, 0).to_string(), "0");
/// assert_eq!(Share::new(3, 3).to_string(), "1");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    part: u128,
    whole: u128,
}

impl Share {
    /// A part of a whole; where there is nothing to lose, nothing is lost.
    pub fn new(part: u128, whole: u128) -> Share {
        match part.gcd(&whole) {
            _ if part == 0 || whole == 0 => Share { part: 0, whole: 1 },
            divisor => Share { part: part / divisor, whole: whole / divisor },
        }
    }

    /// The nearest floating-point number.
    pub fn value(self) -> f64 {
        self.part as f64 / self.whole as f64
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.whole {
            1 => write!(f, "{}", self.part),
            whole => write!(f, "{}/{whole}", self.part),
        }
    }
}
