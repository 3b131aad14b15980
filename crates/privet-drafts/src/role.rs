//! Suggested roles: first by what a column holds, then by what it is called, then by what it singles out.
//!
//! A draft fails closed. What numbers people or households is removed whatever its name, and what singles out more than one
//! record in a hundred is never published as it is.

use super::content::{Content, may_be_postcodes};
use super::figures::{settle_by_figures, withhold};
use super::kind::ValueKind;
use super::lexicon::{self, Standing, Topic};
use super::profile::{ColumnProfile, Profile};
use super::relations::Relations;
use super::understood::{MOST_CATEGORIES, Understood, is_health_data};
use privet_data::naming::numbers_people;
use privet_policy::Role;

/// Most values of a column that can be a class.
const MOST_CLASSES: u64 = 20;
/// A column in which this share of values is distinct numbers the records (in percent).
const NEARLY_ALL: u64 = 95;
/// Whole numbers that a name does not explain number the records where this share is distinct (in percent), wherever they lie.
const ALL: u64 = 99;
/// A column whose name speaks of numbers is one where this share of values is distinct (in percent).
const MOST: u64 = 50;
/// Most values of a column that can be categories behind numbers or codes.
pub(super) const MOST_CODES: u64 = 150;
/// Below this number of records, values that all differ mean nothing.
pub(super) const LEAST_RECORDS: u64 = 10;
/// Below this number, a name says more than values that all differ; and one record is more than one in a hundred.
pub(super) const LEAST_TELLING: u64 = 100;
/// Numbers of groups of people have at least this many different values,
const LEAST_GROUPS: u64 = 200;
/// and one for at least this percentage of the records: a household has few members.
const MANY_GROUPS: u64 = 10;
/// Numbers that are given out leave few out: at least this percentage between the least and the greatest are used,
const DENSE: u64 = 90;
/// or records of a group stand together: this percentage of its further records stand right below another of it.
const TOGETHER_IN_FILE: u64 = 80;

/// Why a survey weight is left out.
pub(super) const WEIGHT: &str = "a survey weight: exact weights tell strata, and single people out";
/// Why a number of a household is removed.
pub(super) const GROUP: &str = "it numbers people, or groups of few";

/// A suggested role, or none for a column that should not be published, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Suggestion {
    pub role: Option<Role>,
    pub reason: String,
}

pub(super) fn suggest(role: Role, reason: impl Into<String>) -> Option<Suggestion> {
    Some(Suggestion { role: Some(role), reason: reason.into() })
}

pub(super) fn leave_out(reason: impl Into<String>) -> Option<Suggestion> {
    Some(Suggestion { role: None, reason: reason.into() })
}

/// Suggests a role for every column; `person` is the one that numbers people who have several records.
pub(super) fn suggest_roles(
    profile: &Profile,
    understood: &[Understood],
    relations: &Relations,
    person: Option<usize>,
) -> Vec<Suggestion> {
    let mut roles: Vec<Option<Suggestion>> = profile
        .columns
        .iter()
        .zip(understood)
        .map(|(column, about)| {
            by_content(column, about)
                .or_else(|| by_numbering(column, profile.rows, about))
                .or_else(|| by_name(column, about))
                .or_else(|| by_values(column, profile.rows, about.is_known()))
        })
        .collect();
    if let Some(person) = person {
        roles[person] = suggest(Role::Identifier, "it numbers people, and some have several records");
    }
    settle_longitude(&mut roles, profile, understood);
    settle_livelihood(&mut roles, profile, understood);
    settle_class(&mut roles, profile, understood);
    settle_weights(&mut roles, profile, understood);
    settle_repetitions(&mut roles, profile, relations);
    settle_by_figures(&mut roles, profile, understood, relations);
    withhold(&mut roles, profile);
    for (role, column) in roles.iter_mut().zip(&profile.columns).filter(|(role, _)| role.is_none()) {
        if column.distinct() == 1 {
            *role = leave_out("all records have the same value");
        }
    }
    let unknown =
        || Suggestion { role: None, reason: "name and values do not tell what it gives away".into() };
    roles.into_iter().map(|role| role.unwrap_or_else(unknown)).collect()
}

/// What the values are whatever the column is called.
fn by_content(column: &ColumnProfile, about: &Understood) -> Option<Suggestion> {
    if column.kind() == ValueKind::Empty {
        return leave_out("it holds no values");
    }
    let found = about.content.or_else(|| {
        let unnamed = about.topic.is_none() && lexicon::speaks_of_numbers(&about.words).is_none();
        (unnamed && may_be_postcodes(column) && !column.mostly_differ(MOST)).then_some(Content::Postcodes)
    })?;
    let name = found.name();
    match found {
        Content::Mail
        | Content::Telephone
        | Content::Iban
        | Content::Card
        | Content::Web
        | Content::Network
        | Content::Hash
        | Content::Uuid => suggest(Role::Identifier, format!("it holds {name}")),
        Content::Coordinates => {
            suggest(Role::Identifier, format!("it holds {name}, which lead to somebody's door"))
        }
        Content::FreeText if column.mostly_differ(NEARLY_ALL) => {
            suggest(Role::Identifier, "free text, and nearly every record has its own")
        }
        Content::FreeText => leave_out("free text can name anybody"),
        Content::Diagnoses if about.standing() != Some(Standing::Known) => {
            suggest(Role::Sensitive, format!("it holds {name}"))
        }
        Content::Birthdays | Content::Dates | Content::Countries | Content::Sexes | Content::Postcodes => {
            // What the name says is then more exact.
            if about.standing().is_some_and(|standing| standing != Standing::Technical) {
                return None;
            }
            suggest(Role::QuasiIdentifier, format!("it holds {name}, which others may know"))
        }
        Content::Diagnoses => None,
    }
}

/// Numbers of records, and numbers of groups of people.
fn by_numbering(column: &ColumnProfile, rows: u64, about: &Understood) -> Option<Suggestion> {
    if about.is_postal() {
        return None;
    }
    let present = rows - column.missing_cells().min(rows);
    let known = about.is_known();
    if !known || present >= LEAST_TELLING {
        let numbered = by_values(column, rows, known);
        if numbered.is_some() {
            return numbered;
        }
    }
    let named = lexicon::speaks_of_numbers(&about.words).is_some() || lexicon::speaks_of_groups(&about.words);
    let many = column.distinct() >= LEAST_GROUPS && column.mostly_differ(MANY_GROUPS);
    let given = match column.kind() {
        ValueKind::Whole => {
            let (least, greatest) = column.shape.bounds;
            let span = greatest - least + 1.0;
            let dense = column.distinct() as f64 * 100.0 >= span * DENSE as f64;
            named || (dense && !known) || column.stand_together(TOGETHER_IN_FILE)
        }
        ValueKind::Code => named || column.stand_together(TOGETHER_IN_FILE),
        _ => false,
    };
    if many && given {
        return suggest(Role::Identifier, GROUP);
    }
    None
}

fn by_name(column: &ColumnProfile, about: &Understood) -> Option<Suggestion> {
    if let Some((Topic::Name, _)) = &about.topic {
        return suggest(Role::Identifier, "it names a person directly");
    }
    if let Some((_, word)) = about.topic.as_ref().filter(|(topic, _)| topic.standing() == Standing::Direct) {
        return suggest(Role::Identifier, format!("'{word}' names a person directly"));
    }
    if numbers_people(&about.words) && column.kind() != ValueKind::Text {
        return suggest(Role::Identifier, "its name speaks of a person's number");
    }
    if let Some(word) = lexicon::speaks_of_numbers(&about.words).filter(|_| column.mostly_differ(MOST)) {
        return suggest(Role::Identifier, format!("'{word}' in its name, and most values differ"));
    }
    let (topic, word) = about.topic.as_ref()?;
    if *topic == Topic::Remark {
        return leave_out(format!("'{word}': what somebody wrote can name anybody"));
    }
    match topic.standing() {
        Standing::Secret => suggest(Role::Sensitive, format!("'{word}': nobody should learn it")),
        Standing::Known => suggest(Role::QuasiIdentifier, format!("'{word}': others may know it")),
        _ => None,
    }
}

/// Columns that number the records, and free text, which can hold anything.
fn by_values(column: &ColumnProfile, rows: u64, known: bool) -> Option<Suggestion> {
    let present = rows - column.missing_cells().min(rows);
    let all_differ = present >= LEAST_RECORDS && column.mostly_differ(NEARLY_ALL);
    let (shortest, longest) = column.shape.lengths;
    let numbers = match column.kind() {
        ValueKind::Code | ValueKind::Text => true,
        // Measurements differ as well, but not all of them; numbers that are given out lie close together or have one length.
        ValueKind::Whole => {
            let (least, greatest) = column.shape.bounds;
            let all = !known && present >= LEAST_TELLING && column.mostly_differ(ALL);
            all || greatest - least < 2.0 * present as f64 || (shortest == longest && shortest >= 6)
        }
        _ => false,
    };
    if all_differ && numbers {
        return suggest(Role::Identifier, "nearly every record has a value of its own");
    }
    None
}

/// `long` is a longitude next to a latitude, and anything elsewhere.
fn settle_longitude(roles: &mut [Option<Suggestion>], profile: &Profile, understood: &[Understood]) {
    let has =
        |about: &Understood, words: &[&str]| about.words.iter().any(|word| words.contains(&word.as_str()));
    if !understood.iter().any(|about| has(about, &["lat", "latitude"])) {
        return;
    }
    for ((role, column), about) in roles.iter_mut().zip(&profile.columns).zip(understood) {
        if role.is_none() && has(about, &["long"]) && column.kind() == ValueKind::Number {
            *role =
                suggest(Role::Identifier, "a longitude, which leads to somebody's door with the latitude");
        }
    }
}

/// An occupation is what is protected if nothing else is, and what others know otherwise.
fn settle_livelihood(roles: &mut [Option<Suggestion>], profile: &Profile, understood: &[Understood]) {
    let labels_money =
        |index: usize| understood[index].is(Topic::Money) && profile.columns[index].distinct() <= 3;
    let protected =
        (0..roles.len()).any(|index| has_role(&roles[index], Role::Sensitive) && !labels_money(index));
    for (role, about) in roles.iter_mut().zip(understood).filter(|(role, _)| role.is_none()) {
        let Some((Topic::Occupation, word)) = &about.topic else { continue };
        *role = if protected {
            suggest(Role::QuasiIdentifier, format!("'{word}': others may know it"))
        } else {
            suggest(Role::Sensitive, format!("'{word}' may be secret, and nothing else looks so"))
        };
    }
}

/// Labels, and one class column: an income in a few classes where something else is sensitive. A label is what the name is
/// about, its last word: the class of a worker is not one. What it labels is not known, and may be an illness: it is protected.
fn settle_class(roles: &mut [Option<Suggestion>], profile: &Profile, understood: &[Understood]) {
    let few = |index: usize, most: u64| (2..=most).contains(&profile.columns[index].distinct());
    let money = (0..roles.len()).find(|index| {
        let others =
            roles.iter().enumerate().any(|(at, role)| at != *index && has_role(role, Role::Sensitive));
        others
            && has_role(&roles[*index], Role::Sensitive)
            && few(*index, 3)
            && understood[*index].is(Topic::Money)
    });
    for (index, about) in understood.iter().enumerate() {
        if roles[index].is_none() && few(index, MOST_CLASSES) && lexicon::is_label(&about.words) {
            let reason = "a label, and what it labels may be a secret";
            roles[index] = suggest(Role::Sensitive, reason);
        }
    }
    if let Some(index) = money {
        let reason = "a label that analysis may want to predict";
        roles[index] = suggest(Role::Class, reason);
    }
}

/// The heaviest of several people weighs at least this much, in kilograms or pounds.
const LEAST_HEAVIEST: f64 = 10.0;

/// Survey weights; in health data a weight is a body's.
fn settle_weights(roles: &mut [Option<Suggestion>], profile: &Profile, understood: &[Understood]) {
    let bodies = is_health_data(understood) || understood.iter().any(|about| about.is(Topic::Body));
    for ((role, column), about) in roles.iter_mut().zip(&profile.columns).zip(understood) {
        if role.is_none() && about.is(Topic::Weight) {
            // Nobody weighs less than a new-born child, in whatever unit.
            let is_body = column.shape.bounds.1 >= LEAST_HEAVIEST && !lexicon::is_survey_weight(&about.words);
            *role = match bodies && is_body {
                true => suggest(Role::QuasiIdentifier, "a body's weight: others may know it"),
                false => leave_out(WEIGHT),
            };
        }
    }
}

/// Of columns that say the same one is enough: the first that is words, else the first.
fn settle_repetitions(roles: &mut [Option<Suggestion>], profile: &Profile, relations: &Relations) {
    let published = |role: &Option<Suggestion>| {
        role.as_ref().is_none_or(|role| matches!(role.role, Some(Role::QuasiIdentifier)))
    };
    let is_words = |index: usize| profile.columns[index].kind() == ValueKind::Text;
    for index in 0..roles.len() {
        if !published(&roles[index]) {
            continue;
        }
        let twin = (0..roles.len()).find(|other| {
            let better = (is_words(*other) && !is_words(index))
                || (is_words(*other) == is_words(index) && *other < index);
            *other != index && published(&roles[*other]) && better && relations.same(*other, index)
        });
        // A yes or no that follows from a few categories is another spelling of them.
        let recoded = || {
            let few = |other: &usize| profile.columns[*other].distinct() <= MOST_CATEGORIES;
            let kept = |other: &usize| has_role(&roles[*other], Role::QuasiIdentifier) && few(other);
            relations.sources(index).find(|other| kept(other) && !relations.determines(index, *other))
        };
        if let Some(twin) = twin {
            let name = &profile.columns[twin].name;
            roles[index] = leave_out(format!("it says the same as '{name}', value by value"));
        } else if let Some(finer) = recoded() {
            let name = &profile.columns[finer].name;
            roles[index] = leave_out(format!("it follows from '{name}', which says more"));
        }
    }
}

pub(super) fn has_role(suggestion: &Option<Suggestion>, role: Role) -> bool {
    suggestion.as_ref().is_some_and(|suggestion| suggestion.role == Some(role))
}
