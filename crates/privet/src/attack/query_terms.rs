//! Terms of queries: a vocabulary that many share may still hold a word that one person typed.
//!
//! Published vocabularies are alike in groups, but which terms they are made of is decided by a vote: a name, a number or an
//! address of one person can win it. Looked for are terms that are printed though fewer than k people used them, terms that
//! look like personal data, and how few terms single out a vocabulary.

use hashbrown::HashMap;

use crate::data::Bags;

/// What a term may be that should not be printed, whoever used it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Personal {
    /// A mail address.
    Mail,
    /// A web address.
    Address,
    /// A number of four digits or more: telephone, card, account, house and post codes.
    Number,
    /// A common given name.
    Name,
}

impl Personal {
    /// All kinds.
    pub const ALL: [Personal; 4] = [Personal::Mail, Personal::Address, Personal::Number, Personal::Name];

    /// The kind in words, as many.
    pub fn told(self) -> &'static str {
        match self {
            Personal::Mail => "mail addresses",
            Personal::Address => "web addresses",
            Personal::Number => "numbers of four digits or more",
            Personal::Name => "given names",
        }
    }

    /// What a term looks like, if like personal data.
    pub fn of(term: &str) -> Option<Personal> {
        let lower = term.to_lowercase();
        if let Some((name, domain)) = lower.split_once('@')
            && !name.is_empty()
            && domain.contains('.')
        {
            return Some(Personal::Mail);
        }
        let is_address = |word: &str| {
            word.starts_with("www.")
                || word.contains("://")
                || [".com", ".org", ".net", ".edu", ".gov"].iter().any(|end| word.ends_with(end))
        };
        if is_address(&lower) {
            return Some(Personal::Address);
        }
        let digits = lower.chars().filter(char::is_ascii_digit).count();
        let numeric = lower.chars().all(|one| one.is_ascii_digit() || "-–./() +#".contains(one));
        if digits >= 4 && numeric {
            return Some(Personal::Number);
        }
        let mut words = lower.split([' ', '_']);
        words.any(|word| GIVEN_NAMES.binary_search(&word).is_ok()).then_some(Personal::Name)
    }
}

/// Given names that are frequent in the United States and no everyday word, in order.
const GIVEN_NAMES: [&str; 96] = [
    "aaron",
    "adam",
    "alice",
    "amanda",
    "amy",
    "andrea",
    "andrew",
    "angela",
    "ann",
    "anna",
    "anthony",
    "arthur",
    "ashley",
    "barbara",
    "benjamin",
    "betty",
    "brandon",
    "brenda",
    "brian",
    "carolyn",
    "catherine",
    "charles",
    "cheryl",
    "christina",
    "christine",
    "christopher",
    "cynthia",
    "daniel",
    "david",
    "deborah",
    "debra",
    "dennis",
    "diane",
    "donald",
    "donna",
    "dorothy",
    "douglas",
    "edward",
    "elizabeth",
    "emily",
    "emma",
    "eric",
    "ethan",
    "eugene",
    "evelyn",
    "frances",
    "gary",
    "george",
    "gerald",
    "gloria",
    "gregory",
    "heather",
    "helen",
    "henry",
    "jacob",
    "jacqueline",
    "james",
    "janet",
    "janice",
    "jason",
    "jeffrey",
    "jennifer",
    "jessica",
    "joan",
    "john",
    "jonathan",
    "joseph",
    "joshua",
    "joyce",
    "judith",
    "judy",
    "julia",
    "julie",
    "justin",
    "karen",
    "katherine",
    "kathleen",
    "keith",
    "kelly",
    "kenneth",
    "kevin",
    "kimberly",
    "larry",
    "laura",
    "linda",
    "lisa",
    "margaret",
    "maria",
    "martha",
    "mary",
    "matthew",
    "melissa",
    "michael",
    "michelle",
    "nancy",
    "nicole",
];

/// What is wrong with the terms that are printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Printed {
    /// Distinct terms that are printed.
    pub terms: u64,
    /// Those that fewer than k people used.
    pub rare: u64,
    /// Some of those, those of fewest people first.
    pub rarest: Vec<(String, u32)>,
    /// Distinct terms of the source, and those that fewer than k people used.
    pub source: [u64; 2],
    /// Printed terms that look like personal data, by kind.
    pub personal: [u64; 4],
    /// Some of those.
    pub shown: Vec<String>,
    /// Terms of the source that look like personal data, by kind.
    pub personal_before: [u64; 4],
}

/// Looks at every printed term. A term that the source does not have, such as a word above others, was used by everybody who used
/// what it stands for, and is not rare.
pub(crate) fn printed(source: &Bags, released: &Bags, k: u32, most: usize) -> Printed {
    let users = source.term_users();
    let known: HashMap<&str, u32> =
        source.terms().iter().map(String::as_str).zip(users.iter().copied()).collect();
    let used = |term: &str| known.get(term).copied();
    let mut found = Printed { terms: released.terms().len() as u64, ..Printed::default() };
    found.source = [users.len() as u64, users.iter().filter(|users| **users < k).count() as u64];
    for term in source.terms() {
        if let Some(kind) = Personal::of(term) {
            found.personal_before[kind as usize] += 1;
        }
    }
    let mut rare: Vec<(u32, &str)> = Vec::new();
    for term in released.terms() {
        if let Some(few) = used(term).filter(|users| *users < k) {
            rare.push((few, term));
        }
        if let Some(kind) = Personal::of(term) {
            found.personal[kind as usize] += 1;
            if found.shown.len() < most {
                found.shown.push(term.clone());
            }
        }
    }
    rare.sort_unstable();
    found.rare = rare.len() as u64;
    found.rarest = rare.into_iter().take(most).map(|(users, term)| (term.to_string(), users)).collect();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        assert!(GIVEN_NAMES.is_sorted());
    }

    #[test]
    fn what_looks_like_personal_data_is_told() {
        for (term, kind) in [
            ("j.smith@mail.com", Some(Personal::Mail)),
            ("www.example.org", Some(Personal::Address)),
            ("555-1234", Some(Personal::Number)),
            ("90210", Some(Personal::Number)),
            ("Thelma", None),
            ("jennifer", Some(Personal::Name)),
            ("mary arnold", Some(Personal::Name)),
            ("123", None),
            ("covid19", None),
            ("garden", None),
            ("@", None),
        ] {
            assert_eq!(Personal::of(term), kind, "{term}");
        }
    }

    #[test]
    fn a_term_of_one_person_is_found_and_one_of_many_is_not() {
        let source = Bags::of(&[
            (Some("a"), &["garden", "jennifer"][..]),
            (Some("a"), &["jennifer"]),
            (Some("b"), &["garden", "tax"]),
            (Some("c"), &["garden", "tax"]),
        ])
        .expect("bags");
        let leaking = Bags::of(&[(None, &["garden", "jennifer"][..]), (None, &["tax"])]).expect("bags");
        let found = printed(&source, &leaking, 2, 10);
        assert_eq!((found.terms, found.rare, found.source), (3, 1, [3, 1]));
        assert_eq!(found.rarest, [("jennifer".to_string(), 1)]);
        assert_eq!((found.personal, found.shown.as_slice()), ([0, 0, 0, 1], &["jennifer".to_string()][..]));
        let safe = Bags::of(&[(None, &["garden", "finance"][..]), (None, &["tax"])]).expect("bags");
        let found = printed(&source, &safe, 2, 10);
        assert_eq!((found.rare, found.personal), (0, [0; 4]));
    }
}
