//! Does the order of released vocabularies follow that of the original?

use hashbrown::HashMap;

use super::VocabularyRelease;
use super::classes::Classes;
use crate::Check;
use crate::order;
use crate::order::{FALSE_ALARM, UNKNOWN};
use privet_data::Term;

const NAME: &str = "order";

/// Compares the order of the release with that of the original: by the steward's list, or without it by vocabularies that are
/// published as they are.
pub(super) fn check(facts: &VocabularyRelease<'_>, classes: &Classes<'_>) -> Check {
    if facts.aligned {
        let detail = "the release is said to be in the order of the original (--aligned): shuffle and number it anew before it \
                      is published";
        return Check::undetermined(NAME, detail);
    }
    let released: Vec<u32> = classes.sequence().iter().map(|class| *class as u32).collect();
    let bag = |class: &u32| classes.bag(*class as usize);
    if released.is_sorted_by_key(bag) || released.iter().rev().is_sorted_by_key(bag) {
        return Check::new(NAME, true, "the vocabularies are sorted by what they hold");
    }
    let reference: Vec<u32> = match facts.assignment {
        Some(assignment) => {
            let class = |place: &Option<u32>| released.get((*place)? as usize).copied();
            assignment.iter().map(|place| class(place).unwrap_or(UNKNOWN)).collect()
        }
        None => {
            let terms: HashMap<&str, Term> =
                facts.original.terms().iter().map(String::as_str).zip(0..).collect();
            let mut as_they_are: HashMap<Vec<Term>, u32> = HashMap::new();
            for class in 0..classes.len() {
                let printed = classes.bag(class).iter().map(|word| &facts.release.terms()[*word as usize]);
                let same: Option<Vec<Term>> = printed.map(|word| terms.get(word.as_str()).copied()).collect();
                as_they_are.extend(same.map(|bag| (bag, class as u32)));
            }
            facts.original.iter().map(|bag| as_they_are.get(bag).copied().unwrap_or(UNKNOWN)).collect()
        }
    };
    match order::agreement(&reference, &released, FALSE_ALARM) {
        Some(found) => {
            let found = found.replace("rows", "vocabularies");
            let detail = format!(
                "the vocabularies are not in random order beside the original: {found}. Shuffle and number them anew"
            );
            Check::new(NAME, false, detail)
        }
        None => Check::new(
            NAME,
            true,
            "the order of the vocabularies agrees with that of the original no more than by chance",
        ),
    }
}
