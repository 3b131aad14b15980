//! The background join (Fang, Ashrafi and Ng, *Privacy beyond Single Sensitive Attribute*, section 3.1): who knows one sensitive attribute of a person reads another.
//!
//! The adversary knows a person's quasi-identifiers, and therefore the class in every table, and one sensitive attribute A.
//! In the table that has A he keeps the rows of the class with the person's value of A. Where nearly all of these have the
//! same value of another attribute B of that table, he knows B. Tables without A tell him of B what they tell everybody.
//! What he could have known without A, because nearly all rows of the class have it, is not counted.

use std::collections::HashMap;

use rayon::prelude::*;

use super::super::{Figure, Finding};
use super::{NEARLY, Published, reaches};
use crate::method::codip::Projected;

/// How often it succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Success {
    /// Triples of a person, what is known and what follows.
    pub pairs: u64,
    /// People of whom something follows.
    pub people: u64,
}

/// Per class and value of A: the rows, and the most frequent value of B with its rows.
type Known = HashMap<(u32, u32), (u64, u32, u64)>;

/// Tries it with every pair of attributes of every table; `share` is how sure he has to be.
pub(super) fn succeeds(published: Published<'_>, share: (u64, u64)) -> Success {
    let records = published.microdata.summary.len();
    let mut hit = vec![false; records];
    let mut pairs = 0;
    for table in published.tables {
        let classes = published.classes(table);
        let codes: HashMap<usize, Vec<u32>> =
            table.attributes.iter().map(|attribute| (*attribute, published.codes(*attribute))).collect();
        let ordered: Vec<(usize, usize)> = ordered_pairs(table);
        let found: Vec<Vec<usize>> = ordered
            .par_iter()
            .map(|(known, read)| {
                let sensitive = &published.attributes[*read].sensitive;
                followed(published, &classes, (&codes[known], &codes[read]), sensitive, share)
            })
            .collect();
        for record in found.into_iter().flatten() {
            pairs += published.count(record);
            hit[record] = true;
        }
    }
    let people = (0..records).filter(|record| hit[*record]).map(|record| published.count(record)).sum();
    Success { pairs, people }
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
) -> Vec<usize> {
    let mut joint: HashMap<(u32, u32, u32), u64> = HashMap::new();
    let mut alone: HashMap<(u32, u32), u64> = HashMap::new();
    let mut sizes: HashMap<u32, u64> = HashMap::new();
    for (record, class) in classes.iter().enumerate() {
        let count = published.count(record);
        *joint.entry((*class, known[record], read[record])).or_default() += count;
        *alone.entry((*class, read[record])).or_default() += count;
        *sizes.entry(*class).or_default() += count;
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
    let follows = |record: &usize| {
        let class = classes[*record];
        let Some(&(all, value, most)) = rows.get(&(class, known[*record])) else { return false };
        let without = alone.get(&(class, value)).copied().unwrap_or(0);
        sensitive[value as usize]
            && reaches(most, all, share)
            && !reaches(without, sizes.get(&class).copied().unwrap_or(0), share)
    };
    (0..classes.len()).filter(follows).collect()
}

/// Runs the attack before and after.
pub(super) fn run(before: Published<'_>, after: Published<'_>) -> Finding {
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
        });
        figures.push(Figure {
            what: format!("attributes of people that follow from another one {surely}"),
            targets: after.records() * attributes * attributes.saturating_sub(1),
            hits: several.pairs,
            baseline: one.pairs,
            instead,
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
        name: "background join".to_string(),
        knows: "a person's quasi-identifiers and one sensitive attribute".to_string(),
        does: "looks up the rows of the person's class that have it, and reads the other attributes of that table".to_string(),
        assumes: "values that the class gives away without it are not counted, nor insensitive ones".to_string(),
        figures,
        warning,
    }
}
