//! Suggested roles: first by what a column holds, then by what it is called.
//!
//! A draft fails closed. What numbers people or households is removed whatever its name, and what singles out more than one
//! record in a hundred is never published as it is.

use super::kind::ValueKind;
use super::profile::{ColumnProfile, Profile};
use privet_data::naming::{GROUPED, NUMBERED, among, words};
use privet_policy::Role;

/// Words that name a person directly, wherever they occur in a column's name.
const DIRECT: &str = "email mail phone telephone mobile fax ssn passport surname forename firstname lastname \
    fullname username login iban mrn nhs nino uuid guid street address ip";
/// Words before `name` that make it a person's.
const NAMED: &str =
    "first last given family full user patient person customer client employee student middle";
/// What others may know about a person.
pub(super) const DEMOGRAPHIC: &str = "age sex gender zip zipcode postcode postal plz birth birthday birthdate dob born country \
    nationality citizenship race ethnicity ethnic marital education degree school schooling employment employer \
    workclass city town region state county district household children language height admission discharge \
    hospital department company";
/// What people do for a living: known to neighbours, yet often the very thing a survey must protect.
const LIVELIHOOD: &str = "job occupation profession";
/// What nobody should learn about a person.
const SENSITIVE: &str = "disease diseases diagnosis diagnoses icd condition illness symptom symptoms medication drug \
    drugs treatment therapy procedure salary wage wages income earnings religion religious faith political politics \
    party vote orientation hiv cancer crime offence offense conviction debt credit balance disability";
/// Money: with two or three values it is rather a label to predict.
const MONEY: &str = "salary wage wages income earnings";
/// What analysts want to predict, whatever it is.
const LABEL: &str = "class label target outcome";
/// Figures about the record, not about the person.
const TECHNICAL: &str = "weight weights wgt fnlwgt";
/// Words that tell health data.
const HEALTH: &str = "disease diseases diagnosis diagnoses icd illness symptom symptoms medication drug drugs \
    treatment therapy patient hospital admission discharge hiv cancer bmi blood";

/// Most values of a column that can be a class.
const MOST_CLASSES: u64 = 20;
/// A column in which this share of values is distinct numbers the records (in percent).
const NEARLY_ALL: u64 = 95;
/// Whole numbers that a name does not explain number the records where this share is distinct (in percent), wherever they lie.
const ALL: u64 = 99;
/// A column whose name speaks of numbers is one where this share of values is distinct (in percent).
const MOST: u64 = 50;
/// Most values of a column that can be categories behind numbers or codes.
const MOST_CODES: u64 = 150;
/// Below this number of records, values that all differ mean nothing.
const LEAST_RECORDS: u64 = 10;
/// Below this number, a name says more than values that all differ.
const LEAST_TELLING: u64 = 100;
/// Numbers of groups of people have at least this many different values,
const LEAST_GROUPS: u64 = 200;
/// and one for at least this percentage of the records: a household has few members.
const MANY_GROUPS: u64 = 10;
/// Numbers that are given out leave few out: at least this percentage between the least and the greatest are used,
const DENSE: u64 = 90;
/// or records of a group stand together: this percentage of its further records stand right below another of it.
const TOGETHER_IN_FILE: u64 = 80;
/// A column that alone makes this many in a hundred records unique can identify.
const ALONE: u64 = 1;
/// So can one that makes this many more in a hundred unique together with the others.
const TOGETHER: u64 = 5;
/// More quasi-identifiers than this leave little of the data: further ones are left out of the release.
const MOST_QUASI_IDENTIFIERS: usize = 12;

/// A suggested role, or none for a column that should not be published, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Suggestion {
    pub role: Option<Role>,
    pub reason: String,
}

fn suggest(role: Role, reason: impl Into<String>) -> Option<Suggestion> {
    Some(Suggestion { role: Some(role), reason: reason.into() })
}

/// Suggests a role for every column; `person` is the one that numbers people who have several records.
pub(super) fn suggest_roles(profile: &Profile, person: Option<usize>) -> Vec<Suggestion> {
    let words: Vec<Vec<String>> = profile.columns.iter().map(|column| words(&column.name)).collect();
    let mut roles: Vec<Option<Suggestion>> = profile
        .columns
        .iter()
        .zip(&words)
        .map(|(column, words)| {
            by_content(column, profile.rows, words)
                .or_else(|| by_name(column, words))
                .or_else(|| by_values(column, profile.rows, is_known(words)))
        })
        .collect();
    if let Some(person) = person {
        roles[person] = suggest(Role::Identifier, "it numbers people, and some have several records");
    }
    settle_livelihood(&mut roles, profile, &words);
    settle_class(&mut roles, profile, &words);
    settle_technical(&mut roles, profile, &words);
    settle_by_figures(&mut roles, profile);
    withhold(&mut roles, profile);
    let unknown = || {
        Suggestion {
        role: None,
        reason: "its name and values do not tell what it gives away. To publish it, make it \"quasi-identifier\" if others may \
                 know it, \"sensitive\" if nobody should learn it, \"other\" if neither"
            .into(),
    }
    };
    roles.into_iter().map(|role| role.unwrap_or_else(unknown)).collect()
}

/// Whether the data is about people's health.
pub(super) fn is_health_data(profile: &Profile) -> bool {
    profile.columns.iter().any(|column| among(HEALTH, &words(&column.name)).is_some())
}

/// What the values tell whatever the column is called: numbers of records, and numbers of groups of people.
fn by_content(column: &ColumnProfile, rows: u64, words: &[String]) -> Option<Suggestion> {
    if column.kind() == ValueKind::Empty {
        return suggest(Role::Other, "it holds no values");
    }
    if is_postal(&column.name) {
        return None;
    }
    let present = rows - column.missing_cells().min(rows);
    let known = is_known(words);
    if !known || present >= LEAST_TELLING {
        let numbered = by_values(column, rows, known);
        if numbered.is_some() {
            return numbered;
        }
    }
    let named = among(NUMBERED, words).or(among(GROUPED, words)).is_some();
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
        return suggest(Role::Identifier, "it numbers people, or groups of few such as households");
    }
    None
}

/// Whether a name says what a column is about.
fn is_known(words: &[String]) -> bool {
    among(DEMOGRAPHIC, words).or(among(SENSITIVE, words)).or(among(LIVELIHOOD, words)).is_some()
}

fn by_name(column: &ColumnProfile, words: &[String]) -> Option<Suggestion> {
    if let Some(word) = among(DIRECT, words) {
        return suggest(Role::Identifier, format!("'{word}' names a person directly"));
    }
    let named =
        words.iter().any(|word| word == "name") && (words.len() == 1 || among(NAMED, words).is_some());
    if named {
        return suggest(Role::Identifier, "it names a person directly");
    }
    if let Some(word) = among(NUMBERED, words).filter(|_| column.mostly_differ(MOST)) {
        return suggest(Role::Identifier, format!("'{word}' in its name, and most values differ"));
    }
    if let Some(word) = among(SENSITIVE, words) {
        return suggest(Role::Sensitive, format!("'{word}' is what nobody should learn about a person"));
    }
    if let Some(word) = among(DEMOGRAPHIC, words) {
        return suggest(Role::QuasiIdentifier, format!("'{word}' is what others may know about a person"));
    }
    None
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

/// An occupation is what is protected if nothing else is, and what others know otherwise.
fn settle_livelihood(roles: &mut [Option<Suggestion>], profile: &Profile, words: &[Vec<String>]) {
    let is_money = |words: &Vec<String>| among(MONEY, words).is_some();
    let labels_money = |index: usize| is_money(&words[index]) && profile.columns[index].distinct() <= 3;
    let protected =
        (0..roles.len()).any(|index| has_role(&roles[index], Role::Sensitive) && !labels_money(index));
    for (role, words) in roles.iter_mut().zip(words).filter(|(role, _)| role.is_none()) {
        let Some(word) = among(LIVELIHOOD, words) else { continue };
        *role = if protected {
            suggest(Role::QuasiIdentifier, format!("'{word}' is what others may know about a person"))
        } else {
            suggest(Role::Sensitive, format!("nothing else looks sensitive, and a person's {word} may be"))
        };
    }
}

/// Labels, and one class column: an income in a few classes where something else is sensitive. A label is what the name is
/// about, its last word: the class of a worker is not one. What it labels is not known, and may be an illness: it is protected.
fn settle_class(roles: &mut [Option<Suggestion>], profile: &Profile, words: &[Vec<String>]) {
    let few = |index: usize, most: u64| (2..=most).contains(&profile.columns[index].distinct());
    let is_label = |words: &[String]| {
        words.last().is_some_and(|last| among(LABEL, std::slice::from_ref(last)).is_some())
    };
    let money = (0..roles.len()).find(|index| {
        let others =
            roles.iter().enumerate().any(|(at, role)| at != *index && has_role(role, Role::Sensitive));
        others
            && has_role(&roles[*index], Role::Sensitive)
            && few(*index, 3)
            && among(MONEY, &words[*index]).is_some()
    });
    for (index, words) in words.iter().enumerate() {
        if roles[index].is_none() && few(index, MOST_CLASSES) && is_label(words) {
            let reason = "a label with few values, and what it labels may be what nobody should learn; make it \"class\" to \
                          publish it as it is";
            roles[index] = suggest(Role::Sensitive, reason);
        }
    }
    if let Some(index) = money {
        let reason = "a label with few values that analysis may want to predict; it is published as it is";
        roles[index] = suggest(Role::Class, reason);
    }
}

/// Survey weights; in health data a weight is a body's.
fn settle_technical(roles: &mut [Option<Suggestion>], profile: &Profile, words: &[Vec<String>]) {
    let bodies = is_health_data(profile) || words.iter().any(|words| among("height bmi", words).is_some());
    for ((role, column), words) in roles.iter_mut().zip(&profile.columns).zip(words) {
        let numeric = matches!(column.kind(), ValueKind::Whole | ValueKind::Number);
        if role.is_none() && numeric && !bodies && among(TECHNICAL, words).is_some() {
            *role = suggest(Role::Other, "a survey weight with few values, published as it is");
        }
    }
}

/// What the name does not tell, the figures do: columns that make records unique are quasi-identifiers.
fn settle_by_figures(roles: &mut [Option<Suggestion>], profile: &Profile) {
    let named: Vec<usize> =
        (0..roles.len()).filter(|index| has_role(&roles[*index], Role::QuasiIdentifier)).collect();
    let records = profile.sample.len();
    let before = profile.sample.unique(&named);
    let mut room = MOST_QUASI_IDENTIFIERS.saturating_sub(named.len());
    let nothing_known = named.is_empty();
    for (index, role) in roles.iter_mut().enumerate() {
        if role.is_some() || profile.columns[index].distinct() < 2 {
            continue;
        }
        let alone = profile.sample.unique(&[index]);
        let together = profile.sample.unique(&[named.as_slice(), &[index]].concat());
        let gained = together.saturating_sub(before);
        let identifies = alone * 100 >= records * ALONE || gained * 100 >= records * TOGETHER;
        // Categories behind numbers, such as a year of birth or a race in a survey.
        let column = &profile.columns[index];
        let coded =
            matches!(column.kind(), ValueKind::Whole | ValueKind::Code) && column.distinct() <= MOST_CODES;
        if !(identifies || nothing_known || coded && room > 0) {
            continue;
        }
        *role = if room > 0 {
            room -= 1;
            let reason = if identifies {
                "it can single people out; make it \"other\" if nobody outside could know it"
            } else {
                "others may know it; make it \"other\" if nobody outside could"
            };
            suggest(Role::QuasiIdentifier, reason)
        } else {
            let reason = format!(
                "it can single people out, and {MOST_QUASI_IDENTIFIERS} quasi-identifiers are many already"
            );
            Some(Suggestion { role: None, reason })
        };
    }
}

/// What singles out more than a small share of the records is not published as it is. Amounts that nobody should learn are known
/// to somebody, such as an employer: where they differ so much, they are the best key to a record.
fn withhold(roles: &mut [Option<Suggestion>], profile: &Profile) {
    let records = profile.sample.len();
    let is_too_many = |unique: u64| records >= LEAST_RECORDS && unique * 100 > records * ALONE;
    let is_amount =
        |index: usize| matches!(profile.columns[index].kind(), ValueKind::Whole | ValueKind::Number);
    let as_it_is = |role: &Option<Suggestion>| has_role(role, Role::Other) || has_role(role, Role::Class);
    let singles_out = |unique: u64, rather: &str| {
        let share = super::text::percent(unique, records);
        let reason = format!("as it is it would single out {share} of the records{rather}");
        Some(Suggestion { role: None, reason })
    };
    for index in 0..roles.len() {
        let alone = profile.sample.unique(&[index]);
        if as_it_is(&roles[index]) && is_too_many(alone) {
            roles[index] = singles_out(alone, "");
        }
        // What is published as it is splits those who look alike, whatever is done to the rest.
        let quasi: Vec<usize> =
            (0..roles.len()).filter(|other| has_role(&roles[*other], Role::QuasiIdentifier)).collect();
        let together = profile.sample.unique(&[quasi.as_slice(), &[index]].concat());
        let gained = together.saturating_sub(profile.sample.unique(&quasi));
        if has_role(&roles[index], Role::Other) && is_too_many(gained) {
            roles[index] = singles_out(gained, " next to the quasi-identifiers");
        }
        if has_role(&roles[index], Role::Sensitive) && is_amount(index) && is_too_many(alone) {
            roles[index] =
                singles_out(alone, "; round it or put it into classes, then make it \"sensitive\"");
        }
    }
    // Columns that are harmless one by one may not be so together.
    loop {
        let left: Vec<usize> = (0..roles.len()).filter(|index| as_it_is(&roles[*index])).collect();
        let together = profile.sample.unique(&left);
        let most = left.iter().copied().max_by_key(|index| profile.columns[*index].distinct());
        let Some(most) = most.filter(|_| is_too_many(together)) else { return };
        roles[most] = singles_out(together, " together with others");
    }
}

fn has_role(suggestion: &Option<Suggestion>, role: Role) -> bool {
    suggestion.as_ref().is_some_and(|suggestion| suggestion.role == Some(role))
}

/// Whether a column holds postcodes, going by its name.
pub(super) fn is_postal(name: &str) -> bool {
    among("zip zipcode postcode postal plz", &words(name)).is_some()
}
