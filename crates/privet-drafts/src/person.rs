//! Which column says whose record it is, where one person has several.
//!
//! k records of one person protect nobody. Where a column numbers people and its numbers repeat, the draft names it as
//! `person`, so that requirements count people.

use super::kind::ValueKind;
use super::lexicon::{Standing, Topic, speaks_of_groups};
use super::profile::{ColumnProfile, Profile};
use super::understood::Understood;
use privet_data::naming::{is_number, numbers_people};

/// With fewer people than this, repeated numbers are rather codes of groups.
const LEAST_PEOPLE: u64 = 10;
/// With more records for each than this on average, they are rather numbers within a group, such as a household's.
const MOST_RECORDS: u64 = 50;

/// The column that numbers people who have several records, if there is one.
pub(super) fn repeated(profile: &Profile, understood: &[Understood]) -> Option<usize> {
    let numbers = |index: &usize| {
        let about = &understood[*index];
        if !repeats(&profile.columns[*index]) || speaks_of_groups(&about.words) {
            return false;
        }
        about.is(Topic::Person)
            || numbers_people(&about.words)
            || (is_number(&about.words) && determines_demographics(*index, profile, understood))
    };
    (0..profile.columns.len()).find(numbers)
}

/// Whether it could number people, some of them more than once.
fn repeats(column: &ColumnProfile) -> bool {
    let kind = matches!(column.kind(), ValueKind::Whole | ValueKind::Code | ValueKind::Text);
    kind && column.distinct() >= LEAST_PEOPLE && column.has_repeats() && column.recurs_at_most(MOST_RECORDS)
}

/// A person has one sex and one date of birth: a number of people says what at least two such columns hold.
fn determines_demographics(number: usize, profile: &Profile, understood: &[Understood]) -> bool {
    let known = |index: usize| {
        understood[index].topic.as_ref().is_some_and(|(topic, _)| topic.standing() == Standing::Known)
    };
    let demographic =
        |index: &usize| *index != number && profile.columns[*index].distinct() >= 2 && known(*index);
    let people = profile.sample.distinct(&[number]);
    let fixed = |index: &usize| profile.sample.distinct(&[number, *index]) == people;
    (0..profile.columns.len()).filter(demographic).filter(fixed).count() >= 2
}
