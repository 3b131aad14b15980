//! Skewness (Li, Li and Venkatasubramanian, ICDE 2007): a class may have many values and still reveal something about
//! a person, because one of them is much more frequent there than overall.
//!
//! The attacker knows the base rates from the release as a whole. The *lift* of a value for a person is its share
//! among the matching records divided by its share among all records. The distance of the two distributions is
//! variational: the earth mover's distance if all values are equally far from each other.

use serde_json::json;

use super::belief::{Belief, HAIR, Likely, base, count, sampling, sensitive};
use super::people::{Owners, ValueShares};
use super::{Attack, Figure, Finding, Scene, Threat};
use privet_core::Result;

pub(super) const ATTACK: Attack = Attack {
    name: "skewness",
    threat: Threat::SimilarOrSkewedValues,
    costly: false,
    concerns: |scene| scene.sensitive_tables().map(|_| ()),
    run,
};

/// A value counts if it is this many times as likely as among everybody …
const LIFT: f64 = 2.0;
/// … and at least this likely.
const LIKELY: f64 = 0.5;

/// How often that is so.
struct Lifted {
    /// At least [`LIFT`] times as likely, and likely.
    told: Vec<bool>,
    /// At least [`LIFT`] times as likely.
    doubled: Vec<bool>,
    /// The largest distance from the base rates.
    distance: f64,
    /// The largest lift, and whose it is.
    worst: Option<(f64, usize)>,
}

fn lifted(belief: &Belief<'_, f64>, rows: usize, people: Option<&ValueShares>) -> Lifted {
    let base = belief.base();
    let own = &belief.table.original.codes[belief.column];
    let cell_of = |row: usize| belief.table.columns[belief.column].cover.cells_of(own.at(row));
    let share_of = |row: usize| {
        let cells =
            cell_of(row).into_iter().filter(|cell| belief.value_of[*cell as usize] == Some(own.at(row)));
        cells.map(|cell| base[cell as usize]).sum::<f64>()
    };
    let mut shares: hashbrown::HashMap<u32, f64> = hashbrown::HashMap::new();
    let (mut told, mut doubled) = (vec![false; rows], vec![false; rows]);
    let mut worst: Option<(f64, usize)> = None;
    for row in 0..rows {
        let seen = belief.of_own(row);
        // Several rows of one person are one person.
        let (usual, likely) = match people {
            Some(people) if seen > 0.0 => (people.usual(row), people.of(row)),
            _ => (*shares.entry(own.at(row)).or_insert_with(|| share_of(row)), seen),
        };
        if usual <= 0.0 || likely <= 0.0 {
            continue;
        }
        let lift = likely / usual;
        doubled[row] = lift >= LIFT - HAIR;
        told[row] = doubled[row] && likely >= LIKELY - HAIR;
        if told[row] && worst.is_none_or(|(most, _)| lift > most + HAIR) {
            worst = Some((lift, row));
        }
    }
    let distance = belief.told().iter().copied().fold(0.0, f64::max);
    Lifted { told, doubled, distance, worst }
}

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let rows = scene.view()?.original.len;
    let owners = Owners::of(scene, scene.view()?)?;
    let count = |marks: &[bool]| owners.as_ref().map_or_else(|| count(marks), |owners| owners.count(marks));
    let quasi = &scene.view()?.quasi;
    let people = count(&(0..rows).map(|row| quasi.target_of(row).is_some()).collect::<Vec<_>>());
    let (mut told, mut doubled) = (vec![false; rows], vec![false; rows]);
    let (mut by_luck, mut doubled_by_luck) = (vec![false; rows], vec![false; rows]);
    let (mut distances, mut lines) = (serde_json::Map::new(), Vec::new());
    let or =
        |marks: &mut [bool], more: &[bool]| marks.iter_mut().zip(more).for_each(|(mark, more)| *mark |= more);
    for (table, column) in sensitive(scene)? {
        let base = base(table, column);
        let apart = |likely: &Likely| {
            // Half the sum of differences is the sum of those that are positive.
            likely.iter().map(|(cell, share)| (share - base[*cell as usize]).max(0.0)).sum::<f64>()
        };
        let (belief, luck) = Belief::both(scene, table, column, apart)?;
        let held = owners.as_ref().map(|owners| owners.shares(scene, table, column)).transpose()?;
        let (found, luck) = (lifted(&belief, rows, held.as_ref()), lifted(&luck, rows, None));
        or(&mut told, &found.told);
        or(&mut doubled, &found.doubled);
        or(&mut by_luck, &luck.told);
        or(&mut doubled_by_luck, &luck.doubled);
        let name = &table.columns[column].name;
        distances.insert(name.clone(), json!({ "release": found.distance, "dealt_anew": luck.distance }));
        if let Some((lift, row)) = found.worst {
            let value = table.columns[column].values.text(table.original.codes[column].at(row));
            let person = table.person(row, &table.quasi.columns);
            lines.push(format!(
                "{person} → {name}={value}, {lift:.1} times as likely as for the average person"
            ));
        }
    }
    let controlled = "the same attack after shuffling the sensitive values".to_string();
    let headline = Figure {
        what:
            "people with a sensitive value that is at least twice as likely as for the average person, and at least \
             50 % likely"
                .to_string(),
        targets: people,
        hits: count(&told),
        baseline: 0,
        instead: "taking everybody as average".to_string(),
        control: Some(count(&by_luck)),
        controlled: controlled.clone(),
    };
    let twice = Figure {
        what: "people with a sensitive value that is at least twice as likely as for the average person"
            .to_string(),
        targets: people,
        hits: count(&doubled),
        control: Some(count(&doubled_by_luck)),
        controlled,
        ..Figure::default()
    };
    Ok(Finding {
        knows: "somebody's quasi-identifiers, and how frequent each sensitive value is in the whole release"
            .to_string(),
        does: "compares the frequencies in the matching records with those in all records".to_string(),
        assumes: "all values are equally far from each other, so distances are variational".to_string(),
        sampled: sampling(scene)?,
        figures: vec![headline, twice],
        worst: lines.first().cloned().unwrap_or_default(),
        lines,
        more: [("distances".to_string(), distances.into())].into_iter().collect(),
        ..Finding::new(ATTACK.name, "Skewness")
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::Stage;

    fn table(rows: &[(&str, &str, &str, usize)]) -> String {
        let row = |(age, city, ill, times): &(&str, &str, &str, usize)| {
            format!("{age},{city},{ill}\n").repeat(*times)
        };
        format!("age,city,ill\n{}", rows.iter().map(row).collect::<String>())
    }

    #[test]
    fn an_ulcer_that_is_frequent_in_one_place_is_noticed() {
        let original =
            table(&[("20", "Oslo", "ulcer", 3), ("20", "Oslo", "flu", 2), ("30", "Rome", "flu", 25)]);
        let stage = Stage::new(&original);
        let leak = table(&[
            ("20-29", "Norway", "ulcer", 3),
            ("20-29", "Norway", "flu", 2),
            ("30-39", "Italy", "flu", 25),
        ]);
        let finding = stage.attack("skewness", &leak).expect("run");
        // An ulcer has one in ten, and three in five in Norway.
        assert_eq!(finding.headline().hits, 3, "{finding:?}");
        assert!(finding.worst.contains("6.0 times"), "{}", finding.worst);
        let safe = table(&[("20-39", "*", "ulcer", 3), ("20-39", "*", "flu", 27)]);
        let finding = stage.attack("skewness", &safe).expect("run");
        assert_eq!(finding.figures.iter().map(|figure| figure.hits).sum::<u64>(), 0, "{finding:?}");
        assert_eq!(finding.more["distances"]["ill"]["release"], 0.0);
    }
}
