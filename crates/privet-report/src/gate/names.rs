//! Names of what is suppressed everywhere.
//!
//! That an item is suppressed everywhere is part of what a release says about itself. But an item of few occurrences points
//! at few people, so the public reads names only where each stands for more than ten occurrences.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::Original;
use super::counts::is_small;

/// An item, or a group of items, that is suppressed in all transactions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuppressedItem {
    /// Its name.
    pub item: String,
    /// How often the original has it.
    pub occurrences: u64,
}

/// Suppressed items as the public may read them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublicNames {
    /// All names.
    Named(Vec<String>),
    /// How many there are, as a band.
    Band(&'static str),
}

impl PublicNames {
    /// For manifests.
    pub fn json(&self) -> Json {
        match self {
            PublicNames::Named(names) => Json::from(names.clone()),
            PublicNames::Band(band) => Json::from(*band),
        }
    }
}

impl Original<Vec<SuppressedItem>> {
    /// The names if each item occurs more than ten times, otherwise their number as a band.
    ///
    /// ```
    /// use privet_report::{Original, PublicNames, SuppressedItem};
    /// let item = |item: &str, occurrences| SuppressedItem { item: item.into(), occurrences };
    /// let names = |items| Original::from(items).public_names();
    /// assert_eq!(names(vec![item("beer", 11)]), PublicNames::Named(vec!["beer".into()]));
    /// assert_eq!(names(vec![item("beer", 11), item("wine", 10)]), PublicNames::Band("1-10"));
    /// ```
    pub fn public_names(&self) -> PublicNames {
        let items = &self.0;
        // Items that never occur point at nobody, and at nothing: the hierarchy has them.
        let occurring = || items.iter().filter(|item| item.occurrences > 0);
        if !occurring().any(|item| is_small(item.occurrences)) {
            return PublicNames::Named(occurring().map(|item| item.item.clone()).collect());
        }
        PublicNames::Band(match occurring().count() {
            0..=10 => "1-10",
            11..=100 => "11-100",
            101..=1000 => "101-1000",
            _ => "more than 1000",
        })
    }
}
