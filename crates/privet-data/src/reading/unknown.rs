//! Words for what is not known, and cells that stand for them.

/// Words that stand in columns of every type.
const UNKNOWN: [&str; 31] = [
    "na",
    "n/a",
    "n.a.",
    "n.a",
    "nan",
    "null",
    "none",
    "nil",
    "missing",
    "unknown",
    "unk",
    "undefined",
    "not available",
    "not known",
    "not applicable",
    "not asked",
    "not stated",
    "refused",
    "other",
    "n/k",
    "inf",
    "-inf",
    "don't know",
    "dk",
    "k.a.",
    "keine angabe",
    "unbekannt",
    "inconnu",
    "desconocido",
    "sconosciuto",
    "onbekend",
];

/// Whether a cell says that something is not known.
pub(crate) fn is_unknown(cell: &str) -> bool {
    let bare = cell.trim_matches(|sign: char| !sign.is_alphanumeric() && sign != '.');
    !cell.contains(char::is_alphanumeric) || UNKNOWN.iter().any(|word| bare.eq_ignore_ascii_case(word))
}

/// Numbers that surveys write where there is no answer: -1 to -9, or nothing but nines, eights or sevens after a minus.
pub(super) fn is_code_for_unknown(number: &str) -> bool {
    let Some(digits) = number.trim().strip_prefix('-') else { return false };
    let digits = digits.strip_suffix(".0").unwrap_or(digits).as_bytes();
    match digits {
        [one] => (b'1'..=b'9').contains(one),
        [first, others @ ..] => {
            b"6789".contains(first) && others.iter().all(|digit| b"6789".contains(digit)) && others.len() < 6
        }
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_codes_for_what_is_not_known() {
        for cell in ["", "?", ".", "--", "NA", "(unknown)", "Unbekannt", "#N/A"] {
            assert!(is_unknown(cell), "{cell}");
        }
        assert!(!is_unknown("Nantes") && !is_unknown("-9"));
        for cell in ["-1", "-9", "-99", "-88", "-97", "-999", "-9.0"] {
            assert!(is_code_for_unknown(cell), "{cell}");
        }
        for cell in ["1", "-0", "-10", "-25", "99", "-", "-99.5"] {
            assert!(!is_code_for_unknown(cell), "{cell}");
        }
    }
}
