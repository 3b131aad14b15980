//! What a missing record or a suppressed cell means, in words for both editions of the report.

use privet_policy::method::Scheme;

/// What it means that a record is missing or a cell says `*`, under a method's suppression scheme where it has one.
pub(super) fn in_words(scheme: Option<Scheme>) -> String {
    let words = match scheme {
        Some(Scheme::None) => "No record is left out and no sensitive cell is suppressed.",
        Some(Scheme::AllRec) => {
            "Where a class exceeded a threshold, all of its records are left out. That a class is missing says only that \
             some threshold was exceeded there."
        }
        Some(Scheme::VioRec) => {
            "Where a class exceeded a threshold, just as many records with the values in excess are left out as it takes. \
             Anyone who knows this scheme can undo part of it: someone who knows how many people belong to a class learns \
             how many are missing, and that they had a value which now stands at its threshold."
        }
        Some(Scheme::AllSa) => {
            "Where a class exceeded a threshold, the sensitive cells of all its records say *. That says only that some \
             threshold was exceeded there, not which value exceeded it."
        }
        Some(Scheme::VioSa) => {
            "Where a value exceeded its threshold in a class, its cells there say *; other values are shown. Anyone who knows \
             this scheme can undo part of it: a * is none of the values that its class still shows, and it was in excess \
             there, so few values may be left to choose from, and the guess may be surer than the threshold allows."
        }
        None => {
            return "Suppressed records are left out of the release; a cell that says * may be any value."
                .to_string();
        }
    };
    format!("{words} In a quasi-identifier, * may be any value.")
}

/// Whether someone who knows the scheme can undo part of it, so that the promise holds only against those who do not.
pub(super) fn can_be_undone(scheme: Option<Scheme>) -> bool {
    match scheme {
        Some(Scheme::VioRec | Scheme::VioSa) => true,
        Some(Scheme::None | Scheme::AllRec | Scheme::AllSa) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheme_has_words_and_the_frugal_ones_a_caution() {
        for scheme in Scheme::ALL.iter().copied() {
            let words = in_words(Some(scheme));
            assert_ne!(words, in_words(None), "{scheme}");
            assert_eq!(words.contains("can undo part of it"), can_be_undone(Some(scheme)), "{scheme}");
        }
    }
}
