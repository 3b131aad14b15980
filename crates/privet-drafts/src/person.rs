//! Which column says whose record it is, where one person has several.
//!
//! k records of one person protect nobody. Where a column numbers people and its numbers repeat, the draft names it as
//! `person`, so that requirements count people.

use super::kind::ValueKind;
use super::profile::{ColumnProfile, Profile};
use super::role::{DEMOGRAPHIC, GROUPED, NUMBERED, among, words};

/// Words for a person who is in data.
const PEOPLE: &str = "person people patient user customer client member subject participant respondent employee student pupil \
    citizen resident beneficiary insured borrower donor voter worker";
/// Names of columns that are one word and number people.
const COMPACT: &str = "pid uid userid personid patientid patid patnr customerid custid clientid memberid subjectid subjid \
    participantid respondentid respid employeeid empid studentid beneid";
/// With fewer people than this, repeated numbers are rather codes of groups.
const LEAST_PEOPLE: u64 = 10;

/// The column that numbers people who have several records, if there is one.
pub(super) fn repeated(profile: &Profile) -> Option<usize> {
    let numbers = |index: &usize| {
        let column = &profile.columns[*index];
        let words = words(&column.name);
        let listed = |list: &str| among(list, &words).is_some();
        if !repeats(column) || listed(GROUPED) {
            return false;
        }
        let is_number = listed(NUMBERED) && !words.iter().any(|word| word == "name");
        let persons = listed(COMPACT) || (listed(PEOPLE) && (is_number || words.len() == 1));
        persons || (is_number && determines_demographics(*index, profile))
    };
    (0..profile.columns.len()).find(numbers)
}

/// Whether it could number people, some of them more than once.
fn repeats(column: &ColumnProfile) -> bool {
    let kind = matches!(column.kind(), ValueKind::Whole | ValueKind::Code | ValueKind::Text);
    kind && column.distinct() >= LEAST_PEOPLE && column.has_repeats()
}

/// A person has one sex and one date of birth: a number of people says what at least two such columns hold.
fn determines_demographics(number: usize, profile: &Profile) -> bool {
    let demographic = |index: &usize| {
        let column = &profile.columns[*index];
        *index != number && column.distinct() >= 2 && among(DEMOGRAPHIC, &words(&column.name)).is_some()
    };
    let people = profile.sample.distinct(&[number]);
    let fixed = |index: &usize| profile.sample.distinct(&[number, *index]) == people;
    (0..profile.columns.len()).filter(demographic).filter(fixed).count() >= 2
}
