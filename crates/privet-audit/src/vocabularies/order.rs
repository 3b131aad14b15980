//! Does the order of released vocabularies follow that of the original?

use hashbrown::HashMap;

use super::VocabularyRelease;
use super::classes::BagClasses;
use crate::Check;
use crate::order::{Arrangement, Evidence, FALSE_ALARM, OrderView, ShownColumn, UNKNOWN};
use privet_data::Term;

const NAME: &str = "order";

/// Compares the order of the release with that of the original: by the steward's list, or without it by vocabularies that are
/// published as they are.
pub(super) fn check(facts: &VocabularyRelease<'_>, classes: &BagClasses<'_>) -> Check {
    if facts.aligned {
        let detail = "the release is said to be in the order of the original (--aligned): shuffle and number it anew before it \
                      is published";
        return Check::undetermined(NAME, detail);
    }
    let released: Vec<u32> = classes.sequence().iter().map(|class| *class as u32).collect();
    let texts = BagTexts::of(facts, classes);
    let arrangement = texts.arrangement(&released);
    if arrangement.is_complete() {
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
    let mut evidence = Evidence::default();
    let found = arrangement.evidence(&OrderView { released, reference }, &[], "the original");
    evidence.join(found, arrangement.handicap);
    match evidence.verdict(FALSE_ALARM) {
        Some(found) => {
            let found = found.replace("rows", "vocabularies");
            let detail =
                format!("the vocabularies are not in random order: {found}. Shuffle and number them anew");
            Check::new(NAME, false, detail)
        }
        None => Check::new(
            NAME,
            true,
            "the order of the vocabularies agrees with the original no more than by chance",
        ),
    }
}

/// What vocabularies show, by class: their terms in two orders, how many there are, and how many different ones.
struct BagTexts {
    columns: Vec<Vec<String>>,
}

impl BagTexts {
    fn of(facts: &VocabularyRelease<'_>, classes: &BagClasses<'_>) -> BagTexts {
        // A character that sorts before all others, so that a shorter list does too.
        let written = |words: &[&str]| words.join("\u{1}");
        let mut columns = vec![Vec::new(); 4];
        for class in 0..classes.len() {
            let bag = classes.bag(class);
            let mut words: Vec<&str> =
                bag.iter().map(|word| facts.release.terms()[*word as usize].as_str()).collect();
            let shown = written(&words);
            words.sort_unstable();
            let all = words.len();
            let sorted = written(&words);
            words.dedup();
            let texts = [shown, sorted, all.to_string(), words.len().to_string()];
            columns.iter_mut().zip(texts).for_each(|(column, text)| column.push(text));
        }
        BagTexts { columns }
    }

    fn arrangement(&self, released: &[u32]) -> Arrangement {
        let column = |texts: &'_ Vec<String>| -> Vec<u32> {
            // Equal texts have equal numbers.
            let mut known: HashMap<String, u32> = HashMap::new();
            let number = |(text, class): (&String, u32)| *known.entry_ref(text.as_str()).or_insert(class);
            texts.iter().zip(0u32..).map(number).collect()
        };
        let numbers: Vec<Vec<u32>> = self.columns.iter().map(column).collect();
        let columns: Vec<ShownColumn<'_>> = (self.columns.iter().zip(&numbers))
            .map(|(texts, numbers)| ShownColumn {
                code: Box::new(move |row| numbers[released[row] as usize]),
                text: Box::new(move |code| texts[code as usize].as_str()),
            })
            .collect();
        Arrangement::of(released.len(), &columns, &[])
    }
}
