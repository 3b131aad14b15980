//! Linkability: the attacker has half of a person's columns from one source and the other half from another, and uses
//! the release to find out that both are the same person: each half is linked to the nearest released row, and if
//! both lead to the same row, they are taken to belong together.

use rayon::prelude::*;

use super::super::view::{CodedRows, TableView};
use super::super::{Attack, Figure, Finding, Scene, Threat};
use super::nearest::NearestRows;
use super::{CONTROLLED, TRIES, UNCONTROLLED, concerns, drawn, more, others};
use privet_core::Result;
use privet_core::random::keyed;

pub(crate) const ATTACK: Attack =
    Attack { name: "linkability", threat: Threat::RegulatorsRisks, costly: true, concerns, run };

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let table = scene.view()?;
    let haystack = NearestRows::new(scene, table)?;
    let hits = linked(scene, &haystack, &table.original)?;
    let control = others(table).map(|people| linked(scene, &haystack, people)).transpose()?;
    let controlled = if control.is_some() { CONTROLLED } else { UNCONTROLLED };
    let headline = Figure {
        what: "people drawn at random whose two halves lead to the same released row".to_string(),
        targets: TRIES as u64,
        hits,
        // Two rows drawn at random are the same one once in as many as there are.
        baseline: TRIES as u64 / (table.released.len as u64).max(1),
        instead: "linking each half to a random row".to_string(),
        control,
        controlled: controlled.to_string(),
    };
    Ok(Finding {
        knows: format!(
            "two halves of each person's values, from two sources: {}, and {}",
            names(table, |column| column % 2 == 0),
            names(table, |column| column % 2 == 1)
        ),
        does: "links each half to the nearest released row, or to one of the nearest".to_string(),
        assumes: format!(
            "{TRIES} people are drawn at random; the distance of a row is the number of its cells that do not contain \
             the person's value"
        ),
        more: [more(&headline)].into_iter().collect(),
        figures: vec![headline],
        ..Finding::new(ATTACK.name, "Linkability (WP29)")
    })
}

fn names(table: &TableView, is: impl Fn(usize) -> bool) -> String {
    let names: Vec<&str> = table
        .columns
        .iter()
        .enumerate()
        .filter(|(at, _)| is(*at))
        .map(|(_, column)| column.name.as_str())
        .collect();
    names.join(", ")
}

fn linked(scene: &Scene<'_>, haystack: &NearestRows<'_>, people: &CodedRows) -> Result<u64> {
    let targets = drawn(people, TRIES, scene.seed, "people with two halves");
    let hit = |(number, person): (usize, &usize)| {
        scene.clock.check()?;
        let misses = haystack.misses(people, *person);
        let mut random = keyed(scene.seed ^ number as u64, "rows for two halves");
        let one = haystack.draw(&misses.nearest(|column| column % 2 == 0), &mut random);
        let other = haystack.draw(&misses.nearest(|column| column % 2 == 1), &mut random);
        Ok(u64::from(one.is_some() && one == other))
    };
    targets.par_iter().enumerate().map(hit).sum()
}
