//! What may be printed: the one type that pages take.

use std::fmt::Display;

use serde::Serialize;

use super::super::numbers::{figure, percent};
use super::Key;
use privet_core::thousands;

/// Something that the edition at hand may print.
///
/// Pages are made of nothing else, and these are the only ways to make one: words of ours, names and settings that everybody
/// may know, counts and shares that passed the gate of their [`Edition`](crate::Edition), and whatever is made with the
/// steward's [`Key`]. A number is none of these, so it cannot be put on a page past the gate.
///
/// ```compile_fail
/// let printed: privet_report::Datum = 7u64.into();
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[serde(transparent)]
pub struct Datum(String);

impl From<&'static str> for Datum {
    fn from(words: &'static str) -> Datum {
        Datum(words.to_string())
    }
}

impl Datum {
    /// A name that everybody may know, or a value that the release shows: the caller answers for that.
    pub(crate) fn named(name: impl Into<String>) -> Datum {
        Datum(name.into())
    }

    /// A setting of the policy or a fact about the method; it is not counted in any data.
    pub(crate) fn setting(setting: impl Display) -> Datum {
        Datum(setting.to_string())
    }

    /// How many columns or tables there are, in words where digits might be taken for a hidden count.
    pub(crate) fn in_words(number: usize) -> Datum {
        const WORDS: [&str; 11] =
            ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
        WORDS.get(number).map_or_else(|| Datum::setting(number), |word| (*word).into())
    }

    /// A mean or ratio of the released files, which is not a count.
    pub(crate) fn measured(value: f64, write: impl FnOnce(f64) -> String) -> Datum {
        Datum(write(value))
    }

    /// Words around what may be printed: each `{}` of the words stands for one of the parts.
    pub(crate) fn say<const N: usize>(words: &'static str, parts: [Datum; N]) -> Datum {
        let mut parts = parts.into_iter();
        let pieces = words.split("{}").enumerate();
        Datum(pieces.fold(String::new(), |mut text, (at, piece)| {
            if at > 0 {
                text += &parts.next().unwrap_or_default().0;
            }
            text + piece
        }))
    }

    /// All parts with the same words between them.
    pub(crate) fn join(parts: impl IntoIterator<Item = Datum>, between: &'static str) -> Datum {
        Datum(parts.into_iter().map(|part| part.0).collect::<Vec<_>>().join(between))
    }

    /// With a capital at its start.
    pub(crate) fn capital(&self) -> Datum {
        let mut letters = self.0.chars();
        Datum(letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect())
    }

    /// As a sentence: with a capital at its start, and a full stop.
    pub(crate) fn sentence(&self) -> Datum {
        let text = self.capital().0.trim_end_matches('.').to_string();
        Datum(if text.is_empty() { text } else { text + "." })
    }

    /// Whether nothing is printed.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// With the key, everything may be printed: only the steward reads it.
impl Key {
    /// A text.
    pub(crate) fn text(self, text: impl Into<String>) -> Datum {
        Datum(text.into())
    }

    /// A count.
    pub(crate) fn count(self, count: u64) -> Datum {
        Datum(thousands(count))
    }

    /// A share.
    pub(crate) fn percent(self, share: f64) -> Datum {
        Datum(percent(share))
    }

    /// A number with as many digits as people read.
    pub(crate) fn figure(self, value: f64) -> Datum {
        Datum(figure(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_their_parts_in_order() {
        let [one, two] = ["one", "two"].map(Datum::from);
        assert_eq!(Datum::say("{} of {}.", [one.clone(), two.clone()]).text(), "one of two.");
        assert_eq!(Datum::join([one, two], " and ").sentence().text(), "One and two.");
        assert_eq!(Datum::default().sentence().text(), "");
    }
}
