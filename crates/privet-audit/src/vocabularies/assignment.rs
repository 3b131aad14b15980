//! Checks that need the steward's list of which original became which published vocabulary.

use super::super::Check;
use super::VocabularyRelease;
use super::classes::{BagClasses, ClassMembers};
use super::meaning::{self, ReleasedWord};
use privet_core::Result;
use privet_core::counted;
use privet_data::Term;

/// The list must give every published bag to as many originals as there are copies of it.
pub(super) fn check_assignment(classes: &BagClasses<'_>, members: &ClassMembers) -> Check {
    let wrong = |class: &usize| members.of_class(*class).len() as u64 != classes.size(*class);
    let failing: Vec<usize> = (0..classes.len()).filter(wrong).collect();
    let Some(first) = failing.first() else {
        return Check::new("assignment", true, "the list of originals and the release agree");
    };
    let detail = format!(
        "{} listed for a different number of originals than published",
        counted(failing.len() as u64, "distinct bag is", "distinct bags are")
    );
    let mut check = Check::new("assignment", false, detail);
    check.classes_failing = failing.len() as u64;
    check.concerned = failing.iter().map(|class| classes.size(*class)).sum();
    check.worst = Some(format!(
        "{}: published {}, listed for {}",
        classes.describe(*first),
        counted(classes.size(*first), "time", "times"),
        members.of_class(*first).len()
    ));
    check
}

/// Counts the originals for which something fails, and says where first.
fn count_failing(
    classes: &BagClasses<'_>,
    members: &ClassMembers,
    mut fails: impl FnMut(usize, u32) -> Result<bool>,
) -> Result<(u64, u64, Option<usize>)> {
    let (mut originals, mut failing, mut first) = (0, 0, None);
    for class in 0..classes.len() {
        let before = originals;
        for member in members.of_class(class) {
            originals += u64::from(fails(class, *member)?);
        }
        if originals > before {
            failing += 1;
            first = first.or(Some(class));
        }
    }
    Ok((originals, failing, first))
}

fn per_original(
    classes: &BagClasses<'_>,
    name: &str,
    (originals, failing, first): (u64, u64, Option<usize>),
    good: &str,
    bad: &str,
) -> Check {
    let Some(first) = first else { return Check::new(name, true, good) };
    let mut check =
        Check::new(name, false, format!("{} {bad}", counted(originals, "vocabulary", "vocabularies")));
    check.concerned = originals;
    check.classes_failing = failing;
    check.worst = Some(format!("some that are published as {}", classes.describe(first)));
    check
}

/// |t*| ≤ |t|.
pub(super) fn check_each_size(
    facts: &VocabularyRelease<'_>,
    classes: &BagClasses<'_>,
    members: &ClassMembers,
) -> Result<Check> {
    let grown =
        |class: usize, member: u32| Ok(classes.bag(class).len() > facts.original.bag(member as usize).len());
    let counts = count_failing(classes, members, grown)?;
    let good = "no vocabulary is published with more occurrences than it had";
    Ok(per_original(classes, "sizes", counts, good, "published with more occurrences than it had"))
}

/// The published bag injects into every member's occurrences.
pub(super) fn check_meaning(
    facts: &VocabularyRelease<'_>,
    classes: &BagClasses<'_>,
    members: &ClassMembers,
    words: &[ReleasedWord],
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Check> {
    let mut looked_at = 0u32;
    let counts = count_failing(classes, members, |class, member| {
        looked_at = looked_at.wrapping_add(1);
        if looked_at.is_multiple_of(4096) {
            tick()?;
        }
        Ok(!meaning::injects(facts, words, classes.bag(class), facts.original.bag(member as usize)))
    })?;
    let good = "each published term matches a distinct original term in every vocabulary of its group";
    let bad = "published with words that match none of its terms";
    Ok(per_original(classes, "meaning", counts, good, bad))
}

/// A printed term must be one of somebody for whom it is printed. Words that are nodes above terms are no claim about terms.
pub(super) fn check_use(
    facts: &VocabularyRelease<'_>,
    classes: &BagClasses<'_>,
    members: &ClassMembers,
    words: &[ReleasedWord],
) -> Check {
    let is_general = |word: &ReleasedWord| match (word.node, facts.distances.tree()) {
        (Some(node), Some(tree)) => !tree.is_leaf(node),
        _ => false,
    };
    let (mut unused, mut failing, mut concerned, mut first) = (0, 0, 0, None);
    for class in 0..classes.len() {
        let has =
            |term: &Term, member: &u32| facts.original.bag(*member as usize).binary_search(term).is_ok();
        let used = |term: &Term| members.of_class(class).iter().any(|member| has(term, member));
        let kinds = classes.bag(class).chunk_by(|one, other| one == other).filter_map(<[Term]>::first);
        let alien = |number: &&Term| {
            let word = &words[**number as usize];
            !is_general(word) && !word.terms.iter().all(used)
        };
        let here = kinds.filter(alien).count() as u64;
        unused += here;
        if here > 0 {
            failing += 1;
            concerned += classes.size(class);
            first = first.or(Some(class));
        }
    }
    let Some(first) = first else {
        return Check::new("use", true, "every printed term was used in a vocabulary of its group");
    };
    let detail = format!(
        "{} used in no vocabulary of its group",
        counted(unused, "printed term is one", "printed terms are those")
    );
    let mut check = Check::new("use", false, detail);
    check.classes_failing = failing;
    check.concerned = concerned;
    check.worst = Some(classes.describe(first));
    check
}
