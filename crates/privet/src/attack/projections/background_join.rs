//! The background join (Fang, Ashrafi and Ng, *Privacy beyond Single Sensitive Attribute*, section 3.1): who knows one sensitive attribute of a person reads another.
//!
//! The adversary knows a person's quasi-identifiers, and therefore the class in every table, and one sensitive attribute A.
//! In the table that has A he keeps the rows of the class with the person's value of A. Where nearly all of these have the
//! same value of another attribute B of that table, he knows B. Tables without A tell him of B what they tell everybody.
//! What he could have known without A, because nearly all rows of the class have it, is not counted. What follows from A for
//! everybody, because nearly all who have that value of A have the same of B, is no surprise; the rest is counted apart.

use std::collections::HashMap;

use rayon::prelude::*;

use super::super::{Attack, Figure, Finding};
use super::{NEARLY, Published, reaches};
use crate::method::codip::Projected;

/// How often it succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Success {
    /// Triples of a person, what is known and what follows.
    pub pairs: u64,
    /// People of whom something follows.
    pub people: u64,
    /// People of whom something follows that does not follow from the same value for everybody.
    pub surprised: u64,
}

/// A distinct record whose second attribute follows from the first.
struct Followed {
    record: usize,
    /// Whether it follows for everybody who has the first.
    expected: bool,
}

/// Per class and value of A: the rows, and the most frequent value of B with its rows.
type Known = HashMap<(u32, u32), (u64, u32, u64)>;

/// Tries it with every pair of attributes of every table; `share` is how sure he has to be.
pub(super) fn succeeds(published: Published<'_>, share: (u64, u64)) -> Success {
    let records = published.microdata.summary.len();
    let (mut hit, mut surprised) = (vec![false; records], vec![false; records]);
    let mut pairs = 0;
    for table in published.tables {
        let classes = published.classes(table);
        let codes: HashMap<usize, Vec<u32>> =
            table.attributes.iter().map(|attribute| (*attribute, published.codes(*attribute))).collect();
        let ordered: Vec<(usize, usize)> = ordered_pairs(table);
        let found: Vec<Vec<Followed>> = ordered
            .par_iter()
            .map(|(known, read)| {
                let sensitive = &published.attributes[*read].sensitive;
                followed(published, &classes, (&codes[known], &codes[read]), sensitive, share)
            })
            .collect();
        for Followed { record, expected } in found.into_iter().flatten() {
            pairs += published.count(record);
            hit[record] = true;
            surprised[record] |= !expected;
        }
    }
    let people =
        |of: &[bool]| (0..records).filter(|record| of[*record]).map(|record| published.count(record)).sum();
    Success { pairs, people: people(&hit), surprised: people(&surprised) }
}

fn ordered_pairs(table: &Projected) -> Vec<(usize, usize)> {
    let own = &table.attributes;
    let others = |a: usize| own.iter().filter(move |b| **b != a).map(move |b| (a, *b));
    own.iter().flat_map(|a| others(*a)).collect()
}

/// The distinct records whose second attribute follows from the first.
fn followed(
    published: Published<'_>,
    classes: &[u32],
    (known, read): (&[u32], &[u32]),
    sensitive: &[bool],
    share: (u64, u64),
) -> Vec<Followed> {
    let mut joint: HashMap<(u32, u32, u32), u64> = HashMap::new();
    let mut alone: HashMap<(u32, u32), u64> = HashMap::new();
    let mut sizes: HashMap<u32, u64> = HashMap::new();
    // The same for everybody: pairs of values, and values of A.
    let mut everywhere: HashMap<(u32, u32), u64> = HashMap::new();
    let mut having: HashMap<u32, u64> = HashMap::new();
    for (record, class) in classes.iter().enumerate() {
        let count = published.count(record);
        *joint.entry((*class, known[record], read[record])).or_default() += count;
        *alone.entry((*class, read[record])).or_default() += count;
        *sizes.entry(*class).or_default() += count;
        *everywhere.entry((known[record], read[record])).or_default() += count;
        *having.entry(known[record]).or_default() += count;
    }
    let mut rows: Known = HashMap::new();
    for ((class, a, b), count) in joint {
        let entry = rows.entry((class, a)).or_insert((0, b, 0));
        entry.0 += count;
        // Of equally frequent values none reaches more than half, so which one is kept makes no difference.
        if count > entry.2 {
            (entry.1, entry.2) = (b, count);
        }
    }
    let count = |found: Option<&u64>| found.copied().unwrap_or(0);
    let follows = |record: usize| {
        let (class, a) = (classes[record], known[record]);
        let &(all, value, most) = rows.get(&(class, a))?;
        let holds = sensitive[value as usize]
            && reaches(most, all, share)
            && !reaches(count(alone.get(&(class, value))), count(sizes.get(&class)), share);
        let expected = reaches(count(everywhere.get(&(a, value))), count(having.get(&a)), share);
        holds.then_some(Followed { record, expected })
    };
    (0..classes.len()).filter_map(follows).collect()
}

/// Row 6 of the attacks.
pub(in crate::attack) const ATTACK: Attack = Attack {
    name: "background-join",
    row: 6,
    dear: false,
    concerns: |scene| super::inside(scene).map(|_| ()),
    run: |scene| {
        let (before, after) = super::published(scene)?;
        Ok(tried(before, after))
    },
};

/// Runs the attack before and after.
fn tried(before: Published<'_>, after: Published<'_>) -> Finding {
    let attributes = after.attributes.len() as u64;
    let mut figures = Vec::new();
    for (share, surely) in [((1, 1), "with certainty"), (NEARLY, "with a confidence of at least nine in ten")]
    {
        let (one, several) = (succeeds(before, share), succeeds(after, share));
        let instead = "from one table with all sensitive attributes".to_string();
        figures.push(Figure {
            what: format!("people of whom a second attribute follows from a first {surely}"),
            targets: after.records(),
            hits: several.people,
            baseline: one.people,
            instead: instead.clone(),
            ..Figure::default()
        });
        figures.push(Figure {
            what: format!("of these, where it does not follow from the same value for everybody {surely}"),
            targets: after.records(),
            hits: several.surprised,
            baseline: one.surprised,
            instead: instead.clone(),
            ..Figure::default()
        });
        figures.push(Figure {
            what: format!("attributes of people that follow from another one {surely}"),
            targets: after.records() * attributes * attributes.saturating_sub(1),
            hits: several.pairs,
            baseline: one.pairs,
            instead,
            ..Figure::default()
        });
    }
    let (people, one) = (figures[0].hits, figures[0].baseline);
    let warning = if people > 0 {
        format!(
            "who finds a person's class and knows one sensitive attribute can read another of {people} of {} people (of \
             {one} if all attributes were in one table)",
            after.records()
        )
    } else {
        String::new()
    };
    Finding {
        knows: "a person's quasi-identifiers and one sensitive attribute".to_string(),
        does: "looks up the rows of the person's class that have it, and reads the other attributes of that table".to_string(),
        assumes: "values that the class gives away without it are not counted, nor insensitive ones".to_string(),
        figures,
        warning,
        ..Finding::new(ATTACK.name, "Background join")
    }
}
