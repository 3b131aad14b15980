//! Inference: the attacker knows all columns of a person except one, finds the nearest released rows, and guesses the
//! value that most of these have in the last column.

use rayon::prelude::*;
use serde_json::json;

use super::super::view::CodedRows;
use super::super::{Attack, Figure, Finding, Scene, Threat};
use super::nearest::NearestRows;
use super::{CONTROLLED, TRIES, UNCONTROLLED, added, concerns, drawn, more, others};
use privet_core::Result;

pub(crate) const ATTACK: Attack =
    Attack { name: "inference", threat: Threat::RegulatorsRisks, costly: true, concerns, run };

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let table = scene.view()?;
    let haystack = NearestRows::new(scene, table)?;
    let single: Vec<Vec<Option<u32>>> =
        (0..table.columns.len()).map(|column| spelt(scene, column)).collect::<Result<_>>()?;
    let hits = guessed(scene, &haystack, &table.original, &single)?;
    let control = others(table).map(|people| guessed(scene, &haystack, people, &single)).transpose()?;
    let controlled = if control.is_some() { CONTROLLED } else { UNCONTROLLED };
    let targets = drawn(&table.original, TRIES, scene.seed, PURPOSE);
    let figure = |column: usize| {
        let usual = usual(&haystack, column, &single[column]);
        let values = &table.original.codes[column];
        Figure {
            what: format!("people drawn at random whose {} is guessed right", table.columns[column].name),
            targets: targets.len() as u64,
            hits: hits[column],
            baseline: targets.iter().filter(|person| usual == Some(values.at(**person))).count() as u64,
            instead: "always guessing the most frequent value".to_string(),
            control: control.as_ref().map(|control| control[column]),
            controlled: controlled.to_string(),
        }
    };
    let mut figures: Vec<Figure> = (0..table.columns.len()).map(figure).collect();
    // The column that the release reveals most about, beyond what is true of anybody or what everybody would guess.
    let gain = |figure: &Figure| {
        added(figure).unwrap_or((figure.hits as f64 - figure.baseline as f64) / figure.targets.max(1) as f64)
    };
    let columns: serde_json::Map<String, serde_json::Value> = table
        .columns
        .iter()
        .zip(&figures)
        .map(|(column, figure)| (column.name.clone(), json!(gain(figure))))
        .collect();
    figures.sort_by(|one, other| gain(other).total_cmp(&gain(one)));
    let headline = figures.first().cloned().unwrap_or_default();
    Ok(Finding {
        knows: "a person's values in all columns except one".to_string(),
        does: "finds the released rows nearest to them, and guesses the value that most of these have"
            .to_string(),
        assumes: format!(
            "{TRIES} people are drawn at random; the column that reveals most comes first; only the exact value \
             counts as right, not a range or a group that contains it"
        ),
        more: [more(&headline), ("gain".to_string(), columns.into())].into_iter().collect(),
        figures,
        ..Finding::new(ATTACK.name, "Inference (WP29)")
    })
}

const PURPOSE: &str = "people for whom one column is guessed";

/// Per cell of a column the value that it spells, if it spells one.
fn spelt(scene: &Scene<'_>, column: usize) -> Result<Vec<Option<u32>>> {
    let own = &scene.view()?.columns[column];
    Ok(own.cells.texts().map(|cell| own.values.find(cell)).collect())
}

/// The value that most released rows have.
fn usual(haystack: &NearestRows<'_>, column: usize, spelt: &[Option<u32>]) -> Option<u32> {
    likeliest(haystack, column, &haystack.classes()).and_then(|cell| spelt[cell as usize])
}

fn likeliest(haystack: &NearestRows<'_>, column: usize, classes: &[u32]) -> Option<u32> {
    let mut counts: Vec<(u32, u64)> =
        classes.iter().map(|class| (haystack.cell(column, *class), haystack.count(*class))).collect();
    counts.sort_unstable();
    let sums = counts.chunk_by(|one, other| one.0 == other.0);
    let sums = sums.map(|same| (same[0].0, same.iter().map(|(_, count)| count).sum::<u64>()));
    sums.max_by_key(|(cell, count)| (*count, u32::MAX - cell)).map(|(cell, _)| cell)
}

/// Per column, how many guesses are right.
fn guessed(
    scene: &Scene<'_>,
    haystack: &NearestRows<'_>,
    people: &CodedRows,
    spelt: &[Vec<Option<u32>>],
) -> Result<Vec<u64>> {
    let targets = drawn(people, TRIES, scene.seed, PURPOSE);
    let right = |person: &usize| {
        scene.clock.check()?;
        let misses = haystack.misses(people, *person);
        let is_right = |column: usize| {
            let nearest = misses.nearest(|other| other != column);
            let guess = likeliest(haystack, column, &nearest).and_then(|cell| spelt[column][cell as usize]);
            u64::from(guess == Some(people.codes[column].at(*person)))
        };
        Ok((0..spelt.len()).map(is_right).collect::<Vec<u64>>())
    };
    let add = |mut one: Vec<u64>, other: Vec<u64>| {
        one.iter_mut().zip(other).for_each(|(one, other)| *one += other);
        Ok(one)
    };
    targets.par_iter().map(right).try_reduce(|| vec![0; spelt.len()], add)
}
