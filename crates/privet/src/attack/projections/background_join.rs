//! The background join (Fang, Ashrafi and Ng, *Privacy beyond Single Sensitive Attribute*, section 3.1): who knows one sensitive attribute of a person reads another.
//!
//! The adversary knows a person's quasi-identifiers, and therefore the class in every table, and one sensitive attribute A.
//! In the table that has A he keeps the rows of the class with the person's value of A. Where nearly all of these have the
//! same value of another attribute B of that table, he knows B. Tables without A tell him of B what they tell everybody.
//! What he could have known without A, because nearly all rows of the class have it, is not counted. What follows from A for
//! everybody, because nearly all who have that value of A have the same of B, is no surprise; the rest is counted apart.

use super::super::background_join::ATTACK;
use super::super::follow::{Classed, Column, Marks, Success, follow};
use super::super::{Figure, Finding};
use super::{CERTAIN, NEARLY, Published};

/// Tries it with every pair of attributes of every table; `shares` are how sure he has to be.
pub(super) fn succeeds<const N: usize>(published: Published<'_>, shares: [(u64, u64); N]) -> [Success; N] {
    let records = published.microdata.summary.len();
    let counts: Vec<u64> = (0..records).map(|record| published.count(record)).collect();
    let mut marks = shares.map(|_| Marks::new(records));
    for table in published.tables.iter().filter(|table| table.attributes.len() > 1) {
        let classes = published.classes(table);
        let column = |attribute: &usize| Column {
            codes: published.codes(*attribute),
            sensitive: published.attributes[*attribute].sensitive.clone(),
        };
        let columns: Vec<Column> = table.attributes.iter().map(column).collect();
        let columns: Vec<&Column> = columns.iter().collect();
        let found = follow(Classed { classes: &classes, counts: &counts }, &columns, shares);
        marks.iter_mut().zip(&found).for_each(|(marks, found)| marks.add(found));
    }
    marks.map(|marks| marks.success(&counts))
}

/// Runs the attack before and after.
pub(in crate::attack) fn tried(before: Published<'_>, after: Published<'_>) -> Finding {
    let attributes = after.attributes.len() as u64;
    let mut figures = Vec::new();
    let (one, several) = (succeeds(before, [CERTAIN, NEARLY]), succeeds(after, [CERTAIN, NEARLY]));
    let told = ["with certainty", "with a confidence of at least nine in ten"];
    for (surely, (one, several)) in told.into_iter().zip(one.into_iter().zip(several)) {
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
