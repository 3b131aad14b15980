//! What the publisher should know about what a release shows: nothing at all, nothing of a column, or single people.

use privet_core::{quoted, shortened_values};
use privet_data::naming::{among, words};
use privet_engine::microdata::Microdata;
use privet_examples as example;
use privet_methods::recoding::{ClassTable, Recoding};
use privet_policy::{CheckedPolicy, PolicyColumn, PolicyRef, Role};

/// Why a release without records is empty, in one sentence.
pub(super) fn emptiness(policy: &CheckedPolicy, microdata: &Microdata) -> String {
    let records = microdata.summary.total();
    let k = policy.k();
    let why = match records {
        0 => "no record was left after those with missing values were dropped; on_missing = \"value\" in [data] keeps them"
            .to_string(),
        1 => "the only record is suppressed".to_string(),
        _ => format!("all {records} records are suppressed"),
    };
    let too_few = if records > 0 && k > records {
        format!(", because k = {k} asks for more records than the table has; lower k")
    } else if records > 0 {
        "; lower the requirements, or use coarser hierarchies".to_string()
    } else {
        String::new()
    };
    format!("the release is EMPTY: {why}{too_few}")
}

/// Seeds below this can all be tried.
const GUESSABLE: u64 = 1 << 32;

/// The warning about a seed that can be guessed. The data of the examples are known to everybody anyway, and are recognised by
/// what they hold.
pub(super) fn about_seed(seed: u64, policy: PolicyRef<'_>) -> Option<String> {
    if seed >= GUESSABLE || is_example(policy) {
        return None;
    }
    Some(format!(
        "the seed {seed} can be guessed: anyone who knows the data except for a few values can try all small seeds and see which \
         of their guesses gives this release. Leave the seed out of the policy: one is then drawn and kept in \
         steward/manifest.json"
    ))
}

fn is_example(policy: PolicyRef<'_>) -> bool {
    // The size of a file is known without reading it.
    let size =
        policy.origin().path().map(|path| std::fs::metadata(path).map_or(0, |metadata| metadata.len()));
    let mut alike =
        example::DATA.iter().filter(|(bytes, _)| size.is_none_or(|size| size == *bytes)).peekable();
    alike.peek().is_some()
        && policy.fingerprint().is_ok_and(|found| alike.any(|(_, sha256)| found == **sha256))
}

/// The warning of a method that publishes quasi-identifiers and `others` only, where columns with other roles are left out.
pub(super) fn about_roles(policy: &CheckedPolicy, others: &str) -> Option<String> {
    let columns =
        policy.columns.iter().filter(|column| matches!(column.role, Some(Role::Other | Role::Class)));
    let names: Vec<&str> = columns.map(|column| column.name.as_str()).collect();
    let (method, names) = (policy.method.name(), Some(names.join(", ")).filter(|names| !names.is_empty())?);
    Some(format!(
        "method \"{method}\" publishes quasi-identifiers and {others} only, not {names}; choose another method to \
         publish them"
    ))
}

/// That sensitive items were taken out of a hierarchy of items.
pub(super) fn taken_out(items: &[String]) -> Option<String> {
    match items {
        [] => None,
        [one] => Some(format!("the sensitive item '{one}' was taken out of the hierarchy")),
        many => Some(format!(
            "{} sensitive items were taken out of the hierarchy: {}",
            many.len(),
            shortened_values(&many.iter().map(String::as_str).collect::<Vec<_>>())
        )),
    }
}

/// Warnings about suppressed cells: a column of which nothing is shown, and classes of a single record.
pub(super) fn about_cells(microdata: &Microdata, recoding: &Recoding, classes: &ClassTable) -> Vec<String> {
    let mut warnings = Vec::new();
    if classes.starred == 0 {
        return warnings;
    }
    let sensitive = microdata.table.tracked.iter().filter(|column| column.role == Role::Sensitive);
    for column in sensitive.filter(|column| recoding.stars_any(&column.slots)) {
        let name = quoted(&column.name);
        let (mut shown, mut alone) = (0, 0u64);
        for class in (0..classes.sizes.len()).map(|class| classes.class(class)) {
            let mut values = 0;
            class.counts.for_each(&column.slots, |_, count| values += count);
            shown += values;
            alone += u64::from(class.size == 1 && values == 0);
        }
        if shown == 0 {
            warnings
                .push(format!("every sensitive cell is suppressed: the release says nothing about {name}; raise its thresholds, or suppress records instead"));
        }
        if alone > 0 {
            let what = if alone == 1 { "class is" } else { "classes are" };
            warnings.push(format!(
                "{alone} {what} a single record whose {name} is suppressed: anyone who finds the person does not learn the \
                 value, but knows that the record is theirs, with all its other columns. Add [privacy.k-anonymity] with \
                 k = 2 or more to rule that out"
            ));
        }
    }
    warnings
}

/// Dates that are shifted are given away by other columns that say when something was: how old somebody was, and when they were
/// born.
pub(super) fn about_dates(policy: &CheckedPolicy) -> Option<String> {
    let shifted = policy.columns.iter().find(|column| column.shift().is_some())?;
    let tells_time = |column: &&PolicyColumn| {
        let is_shown = !matches!(column.role, None | Some(Role::Identifier | Role::Pseudonym));
        let words = words(&column.name);
        is_shown
            && !column.is_rewritten()
            && among(
                "age alter edad eta idade leeftijd birth born dob geburt naissance nacimiento nascita",
                &words,
            )
            .is_some()
    };
    let told = policy.columns.iter().find(tells_time)?;
    Some(format!(
        "the dates of {} are shifted, but {} is published too: those who know when somebody was born can compare the two and \
         find out by how many days. Shift {} by the same column, or coarsen both",
        quoted(&shifted.name),
        quoted(&told.name),
        quoted(&told.name)
    ))
}

/// FF-anonymity bounds what can be inferred, not how many people look alike: says how many stand alone.
pub(super) fn about_freeform(policy: &CheckedPolicy, classes: &ClassTable) -> Option<String> {
    if !policy.method.is_about(Role::Mixed) || policy.k() > 1 {
        return None;
    }
    let alone = classes.sizes.iter().filter(|size| **size == 1).count();
    let here = match alone {
        0 => "here nobody is, but another run may differ".to_string(),
        1 => "here 1 person is".to_string(),
        alone => format!("here {alone} people are"),
    };
    Some(format!(
        "ff-anonymity comes without k-anonymity: it allows a class of one, a person who is alone with what the release shows \
         of them ({here}). Anyone who finds them knows which record is theirs, with all columns of role 'class' and 'other'. Add \
         [privacy.k-anonymity] with k = 2 or more to rule that out"
    ))
}
