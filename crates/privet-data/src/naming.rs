//! What the name of a column says about it, word by word.

/// Words of numbers that are given to a person; only where most values differ.
pub const NUMBERED: &str = "id identifier number no nr key name account";
/// Words of numbers that are given to people who belong together; only where there are many of them.
pub const GROUPED: &str = "household family hh hhid famid serial seq sequence dwelling";
/// Words for a person who is in data.
const PEOPLE: &str = "person people patient user customer client member subject participant respondent employee student pupil \
    citizen resident beneficiary insured borrower donor voter worker";
/// Names of columns that are one word and number people.
const COMPACT: &str = "pid uid userid personid patientid patid patnr customerid custid clientid memberid subjectid subjid \
    participantid respondentid respid employeeid empid studentid beneid";
/// Words for what only one person has, though it is not a number.
const OWN: &str = "email mail ssn passport username login iban mrn nhs nino uuid guid";

/// The first of the words that is in the list.
pub fn among<'a>(list: &str, words: &'a [String]) -> Option<&'a str> {
    words.iter().map(String::as_str).find(|word| list.split_whitespace().any(|listed| listed == *word))
}

/// Whether a name speaks of a number, by its words.
pub fn is_number(words: &[String]) -> bool {
    among(NUMBERED, words).is_some() && !words.iter().any(|word| word == "name")
}

/// Whether a name speaks of a number that people have, by its words: `pid`, `patient_no`, `user`.
///
/// ```
/// use privet_data::naming::{numbers_people, words};
/// assert!(numbers_people(&words("PatientID")));
/// assert!(!numbers_people(&words("patient age")));
/// ```
pub fn numbers_people(words: &[String]) -> bool {
    among(COMPACT, words).is_some()
        || (among(PEOPLE, words).is_some() && (is_number(words) || words.len() == 1))
}

/// Whether a name speaks of what tells people apart, by its words: a number that they have, an address, or simply `id`.
pub fn tells_people_apart(words: &[String]) -> bool {
    let alone = |word: &str| matches!(words, [only] if only == word);
    among(GROUPED, words).is_none()
        && (numbers_people(words) || among(OWN, words).is_some() || alone("id") || alone("identifier"))
}

/// The words of a column's name: `MaritalStatus_2`, `marital-status` and `marital status` have the same two.
pub fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for c in name.chars() {
        if (!c.is_alphabetic() || (c.is_uppercase() && after_lower))
            && words.last().is_some_and(|w| !w.is_empty())
        {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphabetic()) {
            word.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(words("MaritalStatus_2"), ["marital", "status"]);
        assert_eq!(words("marital status"), ["marital", "status"]);
        assert_eq!(words("patientID"), ["patient", "id"]);
        assert_eq!(words("ZIP"), ["zip"]);
        assert_eq!(words("größe.cm"), ["größe", "cm"]);
        assert!(words("42").is_empty());
    }
}
