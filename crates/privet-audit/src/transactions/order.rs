//! Do released transactions tell more by how they are written, or by their order?

use hashbrown::HashMap;

use super::TransactionFacts;
use super::ledger::Set;
use super::part::Part;
use super::truth::{CoverIndex, Recoding};
use crate::Check;
use crate::counted;
use crate::order::{
    Arrangement, Components, Evidence, FALSE_ALARM, Fits, HiddenKey, OrderView, ShownColumn, UNKNOWN,
};
use privet_taxonomy::Node;

/// A transaction shows each label once, and the same labels are always written in the same way.
pub(super) fn check_form(facts: &TransactionFacts<'_>) -> Check {
    let mut faults = facts.written.clone();
    let (count, line) = facts.release.repeating;
    if count > 0 {
        faults.push(format!(
            "{} a label more than once, which shows how many items are behind it; the first is in line {line}",
            counted(count, "transaction shows", "transactions show")
        ));
    }
    let (count, line) = facts.release.differing;
    if count > 0 {
        faults.push(format!(
            "{} labels in another order than others with the same labels; the first is in line {line}",
            counted(count, "transaction writes", "transactions write")
        ));
    }
    let detail = match faults.as_slice() {
        [] => "every label is there once, and the same labels are always written in the same way".to_string(),
        faults => faults.join("; "),
    };
    Check::new("form", faults.is_empty(), detail)
}

/// The order of the transactions must agree with that of the original no more than by chance.
pub(super) fn check_order(facts: &TransactionFacts<'_>) -> Check {
    const NAME: &str = "order";
    let sets = &facts.release.sets;
    let released: Vec<u32> = facts.release.order.iter().collect();
    let arrangement = arrangement(facts, &released);
    if arrangement.is_complete() {
        return Check::new(NAME, true, "the transactions are sorted by what they show");
    }
    let shown_as = match shown_as(facts) {
        Some(shown_as) => shown_as,
        None => {
            return Check::new(NAME, true, "not compared: the release is not made from these transactions");
        }
    };
    let mut components = Components::new(sets.len());
    for fitting in &shown_as {
        if let [first, others @ ..] = fitting.as_slice() {
            others.iter().for_each(|other| components.join(*first, *other));
        }
    }
    let mut joined = |set: u32| components.of(set);
    let of_original: Vec<u32> =
        shown_as.iter().map(|fitting| fitting.first().map_or(UNKNOWN, |set| joined(*set))).collect();
    let only: Vec<u32> = shown_as
        .iter()
        .map(|fitting| match fitting.as_slice() {
            [only] => *only,
            _ => UNKNOWN,
        })
        .collect();
    let together: Vec<u32> = released.iter().map(|set| joined(*set)).collect();
    let reference =
        |of: &[u32]| -> Vec<u32> { facts.original.order.iter().map(|set| of[set as usize]).collect() };
    let views = [
        OrderView { released: together, reference: reference(&of_original) },
        OrderView { released, reference: reference(&only) },
    ];
    let mut evidence = Evidence::default();
    for view in &views {
        evidence.join(arrangement.evidence(view, &[], "the original"), arrangement.handicap);
    }
    let mut found = Evidence::default();
    arrangement.hidden(&views[0], hidden_keys(facts, &views[1].released), &mut found);
    evidence.join(found, arrangement.handicap);
    if shown_as.iter().any(|fitting| fitting.len() > 1) {
        let original: Vec<u32> = facts.original.order.iter().collect();
        let (released, strata) = (&views[1].released, arrangement.runs());
        let mut found = Evidence::default();
        Fits { released, strata: &strata, original: &original, fits: &shown_as }
            .evidence("the original", &mut found);
        evidence.join(found, arrangement.handicap);
    }
    match evidence.verdict(FALSE_ALARM) {
        Some(found) => {
            let found = found.replace("rows", "transactions");
            let detail =
                format!("the transactions are not in random order: {found}. Shuffle the transactions");
            Check::new(NAME, false, detail)
        }
        None => Check::new(
            NAME,
            true,
            "the order of the transactions agrees with the original no more than by chance",
        ),
    }
}

/// What the original could be sorted by that the release does not show: the number of items, and who has one of the most frequent
/// items that are never shown themselves.
fn hidden_keys<'k>(
    facts: &'k TransactionFacts<'_>,
    released: &'k [u32],
) -> impl Iterator<Item = HiddenKey> + 'k {
    const MOST_ITEMS: usize = 16;
    let (original, release) = (&facts.original, &facts.release);
    let key = |what: String, rank: &dyn Fn(&Set) -> u32, shown: &dyn Fn(&Set) -> u32| {
        let ranks: Vec<u32> = original.sets.iter().map(rank).collect();
        let shown: Vec<u32> = release.sets.iter().map(shown).collect();
        HiddenKey {
            what,
            ranks: original.order.iter().map(|set| ranks[set as usize]).collect(),
            is_foreign: false,
            condition: released.iter().map(|set| shown[*set as usize]).collect(),
        }
    };
    let size = |set: &Set| (set.nodes.len() + set.marks.len()) as u32;
    let by_size = key("the number of original items".to_string(), &size, &size);
    let mut counts: HashMap<Node, u64> = HashMap::new();
    for set in &original.sets {
        set.nodes.iter().for_each(|item| *counts.entry(*item).or_default() += set.count);
    }
    release.sets.iter().flat_map(|set| &set.nodes).for_each(|node| _ = counts.remove(node));
    let mut items: Vec<(u64, Node)> = counts.into_iter().map(|(item, count)| (count, item)).collect();
    items.sort_unstable_by(|one, other| other.cmp(one));
    let by_items = items.into_iter().take(MOST_ITEMS).map(move |(_, item)| {
        let has = |set: &Set| u32::from(!set.nodes.contains(&item));
        let above = |node: &Node| (*node..facts.tree.end(*node)).contains(&item);
        let shows = |set: &Set| u32::from(set.nodes.iter().any(above));
        key(format!("who has '{}', which is not shown", facts.tree.label(item)), &has, &shows)
    });
    std::iter::once(by_size).chain(by_items)
}

/// What of the order follows from what is shown: labels in the order of the tree or sorted, and how many there are.
fn arrangement(facts: &TransactionFacts<'_>, released: &[u32]) -> Arrangement {
    // A character that sorts before all others, so that a shorter list does too.
    let written = |labels: &[&str]| labels.join("\u{1}");
    let mut texts: [Vec<String>; 4] = Default::default();
    for (number, Set { nodes, marks, .. }) in facts.release.sets.iter().enumerate() {
        let nodes = nodes.iter().map(|node| facts.tree.label(*node));
        let mut labels: Vec<&str> =
            nodes.chain(marks.iter().map(|mark| facts.sensitive[*mark as usize].as_str())).collect();
        texts[0].push(number.to_string());
        texts[1].push(written(&labels));
        texts[2].push(labels.len().to_string());
        labels.sort_unstable();
        texts[3].push(written(&labels));
    }
    let numbers: Vec<Vec<u32>> = (texts.iter())
        .map(|texts| {
            let mut known: HashMap<&str, u32> = HashMap::new();
            texts.iter().zip(0u32..).map(|(text, set)| *known.entry(text.as_str()).or_insert(set)).collect()
        })
        .collect();
    let columns: Vec<ShownColumn<'_>> = (texts.iter().zip(&numbers))
        .map(|(texts, numbers)| ShownColumn {
            code: Box::new(move |row| numbers[released[row] as usize]),
            text: Box::new(move |code| texts[code as usize].as_str()),
        })
        .collect();
    Arrangement::of(released.len(), &columns, &[])
}

/// For each distinct original transaction, the released ones that it could be.
fn shown_as(facts: &TransactionFacts<'_>) -> Option<Vec<Vec<u32>>> {
    if facts.recoding == Recoding::Local {
        let index = CoverIndex::of(&facts.release.sets);
        return Some(facts.original.sets.iter().map(|set| index.covering(facts.tree, set)).collect());
    }
    let part = Part::of(facts).ok()?;
    let released: HashMap<(&[Node], &[u32]), u32> =
        facts.release.sets.iter().map(|set| (&set.nodes[..], &set.marks[..])).zip(0..).collect();
    let found = |set: &Set| {
        let nodes = part.form(facts, set);
        let shown = nodes.and_then(|nodes| released.get(&(&nodes[..], &set.marks[..])).copied());
        shown.into_iter().collect()
    };
    Some(facts.original.sets.iter().map(found).collect())
}
