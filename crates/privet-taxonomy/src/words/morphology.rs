//! From plurals to base forms, as WordNet's own `morphy` does for nouns.

/// What an ending becomes, tried in this order.
const ENDINGS: [(&str, &str); 8] = [
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
    ("s", ""),
];

/// Shorter words have no ending that could be taken off.
const SHORTEST: usize = 3;

/// What regular endings leave of a word, whether or not it is a word.
pub(super) fn without_endings(word: &str) -> impl Iterator<Item = String> + '_ {
    let plural = !word.ends_with("ss") && word.chars().count() >= SHORTEST;
    ENDINGS.iter().filter(move |_| plural).filter_map(|(ending, instead)| {
        word.strip_suffix(ending).filter(|stem| !stem.is_empty()).map(|stem| format!("{stem}{instead}"))
    })
}

/// The word itself or a base form of it, whichever is met more often; base forms come first where both are alike, and the
/// first of several. `frequency` is `None` for what is not a word. Irregular forms keep regular endings from being tried.
pub(super) fn base(
    word: &str,
    irregular: &[String],
    frequency: impl Fn(&str) -> Option<u32>,
) -> Option<String> {
    let mut best: Option<(u32, String)> = None;
    let mut consider = |form: String| {
        if let Some(times) = frequency(&form)
            && best.as_ref().is_none_or(|(most, _)| times > *most)
        {
            best = Some((times, form));
        }
    };
    irregular.iter().for_each(|form| consider(form.clone()));
    if irregular.is_empty() {
        without_endings(word).for_each(&mut consider);
    }
    consider(word.to_string());
    best.map(|(_, form)| form)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(word: &str, known: &[(&str, u32)]) -> Option<String> {
        base(word, &[], |form| known.iter().find(|(known, _)| *known == form).map(|(_, times)| *times))
    }

    #[test]
    fn endings_come_off_plurals_only() {
        for (plural, forms) in [
            ("glasses", &["glass", "glasse"][..]),
            ("boxes", &["box", "boxe"]),
            ("churches", &["church", "churche"]),
            ("women", &["woman"]),
            ("cities", &["city", "citie"]),
            ("dogs", &["dog"]),
            ("dress", &[]),
            ("is", &[]),
            ("s", &[]),
            ("ses", &["se"]),
        ] {
            let found: Vec<String> = without_endings(plural).collect();
            assert_eq!(found, forms, "{plural}");
        }
    }

    #[test]
    fn the_commoner_form_wins_and_the_base_form_a_tie() {
        assert_eq!(of("days", &[("day", 9), ("days", 3)]).as_deref(), Some("day"));
        assert_eq!(of("news", &[("new", 0), ("news", 3)]).as_deref(), Some("news"));
        assert_eq!(of("pants", &[("pant", 0), ("pants", 0)]).as_deref(), Some("pant"));
        assert_eq!(of("cookies", &[("cooky", 0), ("cookie", 1)]).as_deref(), Some("cookie"));
        assert_eq!(of("xyz", &[("xy", 1)]), None);
        let axes = ["ax".to_string(), "axis".to_string()];
        assert_eq!(
            base("axes", &axes, |form| (form != "axes").then_some(form.len() as u32)).as_deref(),
            Some("axis")
        );
    }
}
