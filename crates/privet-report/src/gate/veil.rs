//! What the policy names and the release hides.

use serde::{Deserialize, Serialize};

/// Texts that name hidden values, each with what the public reads instead.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Veil(Vec<(String, String)>);

impl Veil {
    /// Replaces each text by the one next to it wherever the public reads.
    pub fn new(mut texts: Vec<(String, String)>) -> Veil {
        // A text that holds another goes first.
        texts.sort_by(|(one, _), (other, _)| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        texts.dedup();
        Veil(texts)
    }

    /// Whether nothing is hidden.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A text as the public may read it.
    pub fn public(&self, text: &str) -> String {
        self.0.iter().fold(text.to_string(), |text, (full, shown)| text.replace(full, shown))
    }
}
