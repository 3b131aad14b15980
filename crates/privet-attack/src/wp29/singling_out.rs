//! Singling out: the attacker derives predicates from the release alone, such as "the age is in 20-29 and the city is
//! in Norway", and hopes that each is true of exactly one person in the data.
//!
//! Predicates are taken from released rows: one to four of a row's cells, such that few released rows have them all.
//! The rarest come first.

use rayon::prelude::*;

use super::super::view::{CodedRows, TableView};
use super::super::{Attack, Figure, Finding, Scene, Threat};
use super::{CONTROLLED, TRIES, UNCONTROLLED, concerns, more, others};
use privet_core::Result;
use privet_core::random::{below, keyed, shuffle};

pub(crate) const ATTACK: Attack =
    Attack { name: "singling-out", threat: Threat::RegulatorsRisks, costly: true, concerns, run };

/// How many are derived for each that is tried.
const MADE_UP: usize = 5;

/// The most cells in one.
const MOST_CELLS: usize = 4;

/// Cells by column, ascending: all must contain a person's values.
type Predicate = Vec<(usize, u32)>;

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let table = scene.view()?;
    let predicates = proposed(scene, table)?;
    let naive = independent(scene, table, predicates.len());
    let hits = isolating(scene, table, &predicates, &table.original)?;
    let control = others(table).map(|people| isolating(scene, table, &predicates, people)).transpose()?;
    let controlled = if control.is_some() { CONTROLLED } else { UNCONTROLLED };
    let headline = Figure {
        what: "predicates derived from the release that are true of exactly one person in the data"
            .to_string(),
        targets: predicates.len() as u64,
        hits: hits.iter().filter(|hit| **hit).count() as u64,
        baseline: isolating(scene, table, &naive, &table.original)?.iter().filter(|hit| **hit).count() as u64,
        instead: "combining cells of different rows at random".to_string(),
        control: control.map(|control| control.iter().filter(|hit| **hit).count() as u64),
        controlled: controlled.to_string(),
    };
    let told = |predicate: &Predicate| {
        let cell = |(column, cell): &(usize, u32)| {
            format!("{}={}", table.columns[*column].name, table.columns[*column].cells.text(*cell))
        };
        predicate.iter().map(cell).collect::<Vec<_>>().join(", ")
    };
    let lines: Vec<String> = predicates
        .iter()
        .zip(&hits)
        .filter(|(_, hit)| **hit)
        .take(scene.limits.most)
        .map(|(predicate, _)| format!("{} is one person", told(predicate)))
        .collect();
    Ok(Finding {
        knows: "only the release".to_string(),
        does: "derives predicates from rare cells and from combinations of one to four cells".to_string(),
        assumes: format!(
            "{} different predicates were tried, the rarest in the release first",
            predicates.len()
        ),
        worst: lines.first().cloned().unwrap_or_default(),
        lines,
        more: [more(&headline)].into_iter().collect(),
        figures: vec![headline],
        ..Finding::new(ATTACK.name, "Singling out (WP29)")
    })
}

/// Predicates from released rows, the rarest first.
fn proposed(scene: &Scene<'_>, table: &TableView) -> Result<Vec<Predicate>> {
    let mut random = keyed(scene.seed, "predicates from released rows");
    let mut made: Vec<Predicate> = Vec::new();
    for _ in 0..MADE_UP * TRIES {
        let row = below(&mut random, table.released.len as u64) as usize;
        let size = 1 + below(&mut random, MOST_CELLS.min(table.columns.len()) as u64) as usize;
        let mut columns: Vec<usize> = (0..table.columns.len()).collect();
        shuffle(&mut columns, &mut random);
        let cells =
            columns.into_iter().take(size).map(|column| (column, table.released.codes[column].at(row)));
        let mut cells: Predicate =
            cells.filter(|(column, cell)| table.star(*column) != Some(*cell)).collect();
        cells.sort_unstable();
        if !cells.is_empty() {
            made.push(cells);
        }
    }
    made.sort();
    made.dedup();
    let counted = made.par_iter().map(|predicate| {
        scene.clock.check()?;
        let fits = |row: usize| {
            predicate.iter().all(|(column, cell)| table.released.codes[*column].at(row) == *cell)
        };
        Ok((0..table.released.len).filter(|row| fits(*row)).count())
    });
    let counts: Vec<usize> = counted.collect::<Result<_>>()?;
    let mut order: Vec<usize> = (0..made.len()).collect();
    order.sort_by_key(|at| (counts[*at], made[*at].len(), *at));
    Ok(order.into_iter().take(TRIES).map(|at| made[at].clone()).collect())
}

/// As many predicates whose cells come from different rows, so that they tell nothing about who is in the data together.
fn independent(scene: &Scene<'_>, table: &TableView, number: usize) -> Vec<Predicate> {
    let mut random = keyed(scene.seed, "predicates from single cells");
    let one = |_| {
        let size = 1 + below(&mut random, MOST_CELLS.min(table.columns.len()) as u64) as usize;
        let mut columns: Vec<usize> = (0..table.columns.len()).collect();
        shuffle(&mut columns, &mut random);
        columns.truncate(size);
        columns.sort_unstable();
        let mut cell = |column: usize| {
            table.released.codes[column].at(below(&mut random, table.released.len as u64) as usize)
        };
        columns.into_iter().map(|column| (column, cell(column))).collect()
    };
    let mut made: Vec<Predicate> = Vec::new();
    // Some are made twice; if there are not enough different ones, there are fewer.
    for predicate in (0..MADE_UP * number).map(one) {
        if made.len() < number && !made.contains(&predicate) {
            made.push(predicate);
        }
    }
    made
}

/// Which predicates are true of exactly one person.
fn isolating(
    scene: &Scene<'_>,
    table: &TableView,
    predicates: &[Predicate],
    people: &CodedRows,
) -> Result<Vec<bool>> {
    let one = |predicate: &Predicate| {
        scene.clock.check()?;
        let mut contained: Vec<(usize, Vec<bool>)> = Vec::new();
        for (column, cell) in predicate {
            let cover = &table.columns[*column].cover;
            let mut values = vec![false; cover.values()];
            cover.values_of(*cell).iter().for_each(|value| values[*value as usize] = true);
            contained.push((*column, values));
        }
        let is_true = |person: &usize| {
            contained.iter().all(|(column, values)| values[people.codes[*column].at(*person) as usize])
        };
        Ok((0..people.len).filter(is_true).take(2).count() == 1)
    };
    predicates.par_iter().map(one).collect()
}
