//! (X, Y)-linkability (Wang and Fung, 2006): how surely a sensitive value follows from quasi-identifiers when the tables are
//! joined on them.
//!
//! A person's quasi-identifiers give a class in every table. From one table the confidence in a value is its share in the
//! class. Tables have no sensitive attribute in common and their rows are in no common order, so a join pairs every row of
//! one class with every row of the other: the confidence in a value of one table together with a value of another is the
//! product of their shares.

use super::super::follow::reaches;
use super::super::{Attack, Figure, Finding};
use super::{NEARLY, Published};

/// What follows from quasi-identifiers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Linkability {
    /// The highest confidence in a sensitive value.
    pub value: f64,
    /// The highest confidence in two sensitive values from two tables.
    pub across: f64,
    /// Records of which some value follows nearly surely.
    pub nearly: u64,
}

/// The likeliest sensitive value of a class: how many rows have it, of how many.
type Likeliest = (u64, u64);

pub(super) fn linkability(published: Published<'_>) -> Linkability {
    let records = published.microdata.summary.len();
    // Per record and table, the likeliest value of any attribute.
    let mut shares: Vec<Vec<f64>> = vec![Vec::new(); records];
    let mut nearly = vec![false; records];
    for table in published.tables {
        let classes = published.classes(table);
        let likeliest = likeliest(published, &classes, &table.attributes);
        for (record, class) in classes.iter().enumerate() {
            let (most, all) = likeliest.get(*class as usize).copied().unwrap_or((0, 1));
            shares[record].push(most as f64 / all.max(1) as f64);
            nearly[record] |= reaches(most, all, NEARLY);
        }
    }
    let (mut value, mut across) = (0f64, 0f64);
    for mut own in shares {
        own.sort_by(|a, b| b.total_cmp(a));
        value = value.max(own.first().copied().unwrap_or(0.0));
        if let [first, second, ..] = own.as_slice() {
            across = across.max(first * second);
        }
    }
    let nearly = (0..records).filter(|record| nearly[*record]).map(|record| published.count(record)).sum();
    Linkability { value, across, nearly }
}

fn likeliest(published: Published<'_>, classes: &[u32], attributes: &[usize]) -> Vec<Likeliest> {
    let number =
        classes.iter().filter(|class| **class != u32::MAX).max().map_or(0, |most| *most as usize + 1);
    let mut best: Vec<Likeliest> = vec![(0, 1); number];
    for attribute in attributes {
        let codes = published.codes(*attribute);
        let sensitive = &published.attributes[*attribute].sensitive;
        let values = sensitive.len();
        let mut counts = vec![0u64; number * values];
        let mut sizes = vec![0u64; number];
        for (record, class) in classes.iter().enumerate().filter(|(_, class)| **class != u32::MAX) {
            counts[*class as usize * values + codes[record] as usize] += published.count(record);
            sizes[*class as usize] += published.count(record);
        }
        for (class, best) in best.iter_mut().enumerate() {
            let own = counts[class * values..(class + 1) * values].iter().zip(sensitive);
            let most = own.filter(|(_, sensitive)| **sensitive).map(|(count, _)| *count).max().unwrap_or(0);
            let better =
                u128::from(most) * u128::from(best.1) > u128::from(best.0) * u128::from(sizes[class]);
            if better {
                *best = (most, sizes[class]);
            }
        }
    }
    best
}

/// Row 6 of the attacks.
pub(in crate::attack) const ATTACK: Attack = Attack {
    name: "xy-linkability",
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
    let (one, several) = (linkability(before), linkability(after));
    Finding {
        knows: "a person's quasi-identifiers".to_string(),
        does: "joins the tables on them, and takes the likeliest value".to_string(),
        assumes: format!(
            "the highest confidence in a value is {:.3} (from one table with all attributes {:.3}), in two values from two \
             tables {:.3}",
            several.value, one.value, several.across
        ),
        figures: vec![Figure {
            what: "people of whom a sensitive value follows with a confidence of at least nine in ten"
                .to_string(),
            targets: after.records(),
            hits: several.nearly,
            baseline: one.nearly,
            instead: "from one table with all sensitive attributes".to_string(),
            ..Figure::default()
        }],
        ..Finding::new(ATTACK.name, "(X, Y)-linkability")
    }
}
