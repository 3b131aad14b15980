//! The names of months, in the languages of most files.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// English, German, French, Spanish, Italian, Portuguese and Dutch, without accents.
const NAMES: [[&str; 12]; 7] = [
    [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ],
    [
        "januar",
        "februar",
        "marz",
        "april",
        "mai",
        "juni",
        "juli",
        "august",
        "september",
        "oktober",
        "november",
        "dezember",
    ],
    [
        "janvier",
        "fevrier",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "aout",
        "septembre",
        "octobre",
        "novembre",
        "decembre",
    ],
    [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
    [
        "gennaio",
        "febbraio",
        "marzo",
        "aprile",
        "maggio",
        "giugno",
        "luglio",
        "agosto",
        "settembre",
        "ottobre",
        "novembre",
        "dicembre",
    ],
    [
        "janeiro",
        "fevereiro",
        "marco",
        "abril",
        "maio",
        "junho",
        "julho",
        "agosto",
        "setembro",
        "outubro",
        "novembro",
        "dezembro",
    ],
    [
        "januari",
        "februari",
        "maart",
        "april",
        "mei",
        "juni",
        "juli",
        "augustus",
        "september",
        "oktober",
        "november",
        "december",
    ],
];

/// The letters of an abbreviation at least.
const SHORTEST: usize = 3;

/// The month of a name or of its first letters, from 1 on; `None` where it is not a month's name in any of the languages.
pub(super) fn month_of(name: &str) -> Option<i8> {
    let plain: String = match name.is_ascii() {
        true => name.to_ascii_lowercase(),
        false => name.to_lowercase().nfd().filter(|sign| !is_combining_mark(*sign)).collect(),
    };
    if plain == "mrt" {
        // Dutch abbreviates maart so.
        return Some(3);
    }
    NAMES.iter().find_map(|names| month_in(names, &plain))
}

/// The month in one language: a whole name, or the beginning of one name only.
fn month_in(names: &[&str; 12], plain: &str) -> Option<i8> {
    let number = |at: usize| i8::try_from(at + 1).ok();
    if let Some(at) = names.iter().position(|name| *name == plain) {
        return number(at);
    }
    let mut fitting = (0..12).filter(|at| plain.len() >= SHORTEST && names[*at].starts_with(plain));
    match (fitting.next(), fitting.next()) {
        (Some(at), None) => number(at),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_have_names_in_seven_languages() {
        for (name, month) in [
            ("Jan", 1),
            ("MAR", 3),
            ("März", 3),
            ("Mär", 3),
            ("mai", 5),
            ("mei", 5),
            ("févr", 2),
            ("août", 8),
            ("juil", 7),
            ("juin", 6),
            ("Sept", 9),
            ("set", 9),
            ("ene", 1),
            ("gen", 1),
            ("dez", 12),
            ("Out", 10),
            ("mrt", 3),
            ("Dic", 12),
        ] {
            assert_eq!(month_of(name), Some(month), "{name}");
        }
        for name in ["", "ja", "jui", "ju", "foo", "january1", "m"] {
            assert_eq!(month_of(name), None, "{name}");
        }
    }

    #[test]
    fn no_name_means_two_months() {
        for names in NAMES {
            for name in names {
                for length in SHORTEST..=name.len() {
                    let months: Vec<i8> =
                        NAMES.iter().filter_map(|all| month_in(all, &name[..length])).collect();
                    assert!(months.iter().all(|month| *month == months[0]), "{} {months:?}", &name[..length]);
                }
            }
        }
    }
}
