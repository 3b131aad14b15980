//! Everything a report can say about a release of transactions, as data.
//!
//! As with tables, the model is filed as JSON in `steward/`; what the public may see of it is decided when it is rendered.

mod protection;

use privet_core::thousands;
use serde::{Deserialize, Serialize};

pub use protection::{promise, protections};

use super::common::Common;
use super::gate::{Original, SuppressedItem};
use super::model::{Distribution, TaxonomyDrawing};

/// All that both editions of the report draw from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransactionReport {
    /// What all reports have in common.
    #[serde(flatten)]
    pub common: Common,
    /// What the policy asked for.
    pub requirements: Vec<KnowledgeLimit>,
    /// How items are published.
    pub recoding: RecodingKind,
    /// The item trees side by side, with what is published. `records` of a node are the transactions that hold it.
    pub tree: TaxonomyDrawing,
    /// Nodes of the trees that the drawing leaves out, for there are too many; they are the least frequent.
    pub undrawn: Original<u64>,
    /// The sensitive items, the most frequent first.
    pub sensitive: Vec<SensitiveItem>,
    /// How many items transactions have, in bands.
    pub lengths: Distribution,
    /// What is left to analyse.
    pub utility: Utility,
    /// The items that lose most by NCP, the costliest first. Steward only.
    #[serde(default)]
    pub costliest: Original<Vec<ItemLoss>>,
    /// What is suppressed, where the policy allows that.
    #[serde(default)]
    pub suppression: Option<SuppressedPart>,
    /// Why groups are published instead of what is below them. Steward only.
    #[serde(default)]
    pub reasons: Original<Vec<GroupReason>>,
}

/// What is suppressed to keep the promise; removed transactions are counted with all records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SuppressedPart {
    /// The items, or groups of items, that are suppressed in all transactions.
    pub items: Original<Vec<SuppressedItem>>,
    /// Their occurrences.
    pub occurrences: Original<u64>,
    /// All occurrences of items.
    pub of: Original<u64>,
    /// Published transactions that lost all their items.
    pub emptied: Original<u64>,
    /// Whether transactions may be removed.
    pub removes: bool,
}

/// Why a group of items is published and not what is below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupReason {
    /// The group.
    pub item: String,
    /// What an attacker could know otherwise: these are present.
    pub present: Vec<String>,
    /// And these are absent.
    pub absent: Vec<String>,
    /// How many transactions, or people, fit.
    pub support: u64,
    /// Whether people are counted.
    pub people: bool,
    /// The sensitive item that too many of them have, and how many, where that is the reason.
    pub sensitive: Option<(String, u64)>,
    /// What the requirement asks for, such as `k = 5`.
    pub asked: String,
}

impl GroupReason {
    /// The threat in words: `760,779 with 630,679: 1 transaction, k = 5`.
    ///
    /// ```
    /// use privet_report::transactions::GroupReason;
    /// let present = vec!["760,779".to_string(), "630,679".to_string()];
    /// let reason = GroupReason {
    ///     item: "*".into(), present, absent: Vec::new(), support: 1, people: false, sensitive: None, asked: "k = 5".into(),
    /// };
    /// assert_eq!(reason.in_words(), "760,779 with 630,679: 1 transaction, k = 5");
    /// ```
    pub fn in_words(&self) -> String {
        let mut known = match self.present.split_first() {
            None => "nothing known".to_string(),
            Some((first, [])) => first.clone(),
            Some((first, others)) => format!("{first} with {}", others.join(" and ")),
        };
        if !self.absent.is_empty() {
            known = format!("{known} without {}", self.absent.join(" and "));
        }
        let nouns = if self.people { ["person", "people"] } else { ["transaction", "transactions"] };
        let fit = match self.support {
            1 => format!("1 {}", nouns[0]),
            many => format!("{} {}", thousands(many), nouns[1]),
        };
        match &self.sensitive {
            Some((item, count)) => format!("{known}: {fit}, {count} with '{item}', {}", self.asked),
            None => format!("{known}: {fit}, {}", self.asked),
        }
    }
}

/// One requirement: what somebody may know, and what follows from it at most. All are settings of KL(m,n)-privacy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnowledgeLimit {
    /// The name used in policies, such as `kl-privacy`.
    pub name: String,
    /// The requirement as the policy describes it. Printed in both editions.
    pub description: String,
    /// The least number of transactions that fit.
    pub k: u64,
    /// How many items may be known to be present.
    pub m: u64,
    /// How many items may be known to be absent.
    pub n: u64,
    /// Whether m and n reach all items that the hierarchy knows.
    pub everything: bool,
    /// The largest confidence in any sensitive item, as an exact text; `None` where some item has no limit below 1, or
    /// there are no sensitive items.
    pub confidence: Option<String>,
    /// Whether any sensitive item has a limit below 1.
    pub guards: bool,
    /// Whether people are counted, who may have several transactions.
    #[serde(default)]
    pub people: bool,
}

/// How items are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecodingKind {
    /// Every item as the same node in all transactions.
    Cut,
    /// As above, but some items are left out everywhere.
    Suppression,
    /// Every item as the same node in all transactions, or suppressed in all; transactions may be removed.
    Part,
    /// Each transaction in its own way.
    Local,
}

/// A sensitive item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SensitiveItem {
    /// The item. One that no released transaction holds stays out of the public edition.
    pub name: String,
    /// Transactions that hold it. Sensitive items are published as they are, so this can be counted in the release too.
    pub transactions: u64,
    /// The largest confidence that any requirement allows.
    pub threshold: f64,
    /// The same, exactly.
    pub threshold_text: String,
}

/// What one item loses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ItemLoss {
    /// The item.
    pub item: String,
    /// What it is published as; `None` where that differs from transaction to transaction, or it is left out.
    pub published: Option<String>,
    /// How often it occurs.
    pub occurrences: u64,
    /// NCP per occurrence, from 0 to 1.
    pub ncp: f64,
    /// Its share of all that is lost.
    pub share: f64,
}

/// What is left to analyse, before and after. Figures about the original are for the steward only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Utility {
    /// Distinct items that occur in the original.
    pub items_before: Original<u64>,
    /// Distinct nodes that occur in the release.
    pub items_after: u64,
    /// Items per transaction in the original; sensitive items do not count.
    pub length_before: Original<f64>,
    /// Published nodes per transaction.
    pub length_after: f64,
    /// The share of occurrences that are still published as the item itself.
    pub at_leaves: Original<f64>,
    /// What became of frequent patterns.
    pub patterns: Original<Patterns>,
}

/// Generalised frequent patterns: sets of items and groups of items that occur together often.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Patterns {
    /// The least share of transactions that hold one.
    pub threshold: f64,
    /// Patterns of the original.
    pub before: u64,
    /// Patterns of the release.
    pub after: u64,
    /// Patterns of both.
    pub common: u64,
    /// How far the supports of common patterns are off, together, as a share.
    pub error: f64,
    /// Whether all patterns were found; otherwise there are too many, and the numbers compare the first ones only.
    pub complete: bool,
}
