//! Predicate singling out (Cohen and Nissim, PNAS 2020): k-anonymity does not prevent an attacker from describing
//! exactly one person.
//!
//! A class of the release says: these m people are in this small region. A predicate that holds in the region for one
//! in m records, selected by a hash of the whole record, holds for exactly one of them about 37 times in a hundred,
//! whatever is known about them. Such a predicate has almost no weight among people in general, so it is hardly ever
//! found without the release.

use sha2::{Digest, Sha256};

use super::view::{CodedRows, Matcher, TableView};
use super::{Attack, Figure, Finding, Scene, Threat};
use privet_core::{Error, Result};

pub(super) const ATTACK: Attack = Attack {
    name: "predicate",
    threat: Threat::PredicateSinglingOut,
    costly: true,
    concerns: |scene| scene.quasi_tables().map(|_| ()),
    run,
};

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let mut best: Option<Isolated> = None;
    for table in scene.views()? {
        let isolated = isolated(scene, table)?;
        if best.as_ref().is_none_or(|best| isolated.hits > best.hits) {
            best = Some(isolated);
        }
    }
    let found = best.ok_or_else(|| Error::internal("a release without a table"))?;
    let controlled = match found.control {
        Some(_) => "the same predicates on people who were left out".to_string(),
        None => "it would need people who were left out of the release: --holdout FILE".to_string(),
    };
    Ok(Finding {
        knows: "only the release".to_string(),
        does: "makes a predicate for each class: being in it, and being selected by a hash of the record that selects \
               one in as many as the class has".to_string(),
        assumes: "classes with at least two people are counted; the weight of a class among people in general is \
                  estimated from single columns, as if they were independent"
            .to_string(),
        figures: vec![Figure {
            what: "predicates, one per class, that are true of exactly one person in the data".to_string(),
            targets: found.classes,
            hits: found.hits,
            baseline: found.baseline.round() as u64,
            instead: "making predicates of the same weight without the release".to_string(),
            control: found.control,
            controlled,
        }],
        ..Finding::new(ATTACK.name, "Predicate singling out")
    })
}

/// What came of a table.
struct Isolated {
    classes: u64,
    hits: u64,
    /// How many predicates of the same weight would isolate somebody without the release.
    baseline: f64,
    control: Option<u64>,
}

fn isolated(scene: &Scene<'_>, table: &TableView) -> Result<Isolated> {
    let matcher = Matcher::new(
        &table.columns,
        &table.quasi.columns,
        &table.released,
        &table.original,
        scene.everybody(),
    )?;
    let inside = members(scene, &matcher, table.original.len)?;
    let outside = match &table.holdout {
        Some(rows) => {
            let others =
                Matcher::new(&table.columns, &table.quasi.columns, &table.released, rows, scene.everybody())?;
            Some((members(scene, &others, rows.len)?, rows))
        }
        None => None,
    };
    let people = table.original.len as f64;
    let shares: Vec<Vec<f64>> = matcher.columns.iter().map(|column| shares(table, *column)).collect();
    let mut found = Isolated { classes: 0, hits: 0, baseline: 0.0, control: outside.as_ref().map(|_| 0) };
    for (class, members) in inside.iter().enumerate() {
        if members.len() < 2 {
            continue;
        }
        if class % 256 == 0 {
            scene.clock.check()?;
        }
        found.classes += 1;
        let one_in = members.len() as u64;
        let holds = |rows: &CodedRows, row: &&u32| picked(scene.seed, class, one_in, table, rows, **row);
        found.hits += u64::from(members.iter().filter(|row| holds(&table.original, row)).count() == 1);
        if let (Some((outside, rows)), Some(control)) = (&outside, &mut found.control) {
            *control += u64::from(outside[class].iter().filter(|row| holds(rows, row)).count() == 1);
        }
        let row = matcher.classes.first[class] as usize;
        let region: f64 = (matcher.columns.iter().zip(&shares))
            .map(|(column, shares)| shares[table.released.codes[*column].at(row) as usize])
            .product();
        let weight = region / one_in as f64;
        found.baseline += people * weight * (1.0 - weight).powf(people - 1.0);
    }
    Ok(found)
}

/// Per class, the people who match no other class.
fn members(scene: &Scene<'_>, matcher: &Matcher, rows: usize) -> Result<Vec<Vec<u32>>> {
    let only = matcher.map(scene.clock, |_, classes| match classes {
        [class] => Some(*class),
        _ => None,
    })?;
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); matcher.classes.len()];
    for row in 0..rows {
        if let Some(class) = matcher.target_of(row).and_then(|target| only[target]) {
            members[class as usize].push(row as u32);
        }
    }
    Ok(members)
}

/// Per cell of a column, the share of people who match it.
fn shares(table: &TableView, column: usize) -> Vec<f64> {
    let codes = &table.original.codes[column];
    let own = &table.columns[column];
    let mut counts = vec![0u64; own.values.len()];
    codes.iter().for_each(|value| counts[value as usize] += 1);
    let mut shares = vec![0.0; own.cells.len()];
    for (value, count) in (0u32..).zip(&counts).filter(|(_, count)| **count > 0) {
        let share = *count as f64 / codes.len().max(1) as f64;
        own.cover.cells_of(value).iter().for_each(|cell| shares[*cell as usize] += share);
    }
    shares
}

/// Whether the predicate of a class, which selects one record in `one_in`, holds for a row.
fn picked(seed: u64, class: usize, one_in: u64, table: &TableView, rows: &CodedRows, row: u32) -> bool {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update((class as u64).to_le_bytes());
    for (column, codes) in table.columns.iter().zip(&rows.codes) {
        if let Some(code) = codes.get(row as usize) {
            hash.update(column.values.text(code).as_bytes());
            hash.update([0]);
        }
    }
    // Records that are equal in all columns are distinguished by their position: people are more than their cells.
    hash.update(row.to_le_bytes());
    let digest = hash.finalize();
    let mut number = [0; 8];
    number.copy_from_slice(&digest[..8]);
    u64::from_le_bytes(number) % one_in == 0
}

#[cfg(test)]
mod tests {
    use crate::testing::Stage;

    const CITIES: [&str; 4] = ["Oslo", "Bergen", "Rome", "Pisa"];

    /// A thousand people in classes of five, each of one city.
    fn rows(cell: impl Fn(usize, &str) -> String) -> String {
        let lines = (0..1000).map(|place| format!("{},flu\n", cell(place, CITIES[place / 5 % 4])));
        format!("age,city,ill\n{}", lines.collect::<String>())
    }

    #[test]
    fn about_one_class_in_three_is_isolated() {
        let stage = Stage::new(&rows(|place, city| format!("{place},{city}")));
        let released = rows(|place, city| format!("\"[{},{}]\",{city}", place / 5 * 5, place / 5 * 5 + 4));
        let finding = stage.attack("predicate", &released).expect("run");
        let headline = finding.headline();
        assert_eq!(headline.targets, 200);
        assert!((50..=110).contains(&headline.hits) && headline.baseline < headline.hits, "{finding:?}");
        assert!(headline.controlled.contains("--holdout"));
    }

    #[test]
    fn one_class_of_everybody_tells_nothing_more() {
        let stage = Stage::new(&rows(|place, city| format!("{place},{city}")));
        let finding = stage.attack("predicate", &rows(|_, _| "*,*".to_string())).expect("run");
        let headline = finding.headline();
        assert!(headline.targets == 1 && headline.hits <= 1, "{finding:?}");
    }
}
