//! Membership (Nergiz, Atzori and Clifton, SIGMOD 2007): that somebody is in the data can itself be sensitive.
//!
//! The adversary has a list of everybody who may be in the data. A released row is about one of the people of the list whom
//! it contains; so δ, the share of them that are in the data, is at least as many released rows as look like it over the
//! people whom they contain. Where δ is 1, all of them are.

use serde_json::json;

use super::view::Matcher;
use super::{Attack, Figure, Finding, Scene};
use crate::Result;
use crate::audit::counted;

/// Row 21 of the attacks.
pub(super) const ATTACK: Attack = Attack {
    name: "membership",
    row: 21,
    dear: false,
    concerns: |scene| {
        let tables = scene.quasi_tables()?;
        if scene.population.is_none() {
            return Err("it needs everybody who may be in the data: --population FILE".to_string());
        }
        let has = |column: &usize| {
            tables.iter().any(|table| table.population.as_ref().is_some_and(|people| people.has(*column)))
        };
        match tables.iter().any(|table| table.quasi.columns.iter().any(has)) {
            true => Ok(()),
            false => Err("the population file has none of the quasi-identifiers".to_string()),
        }
    },
    run,
};

/// So sure of membership is counted beside certainty.
const LIKELY: f64 = 0.5;

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let mut most: Vec<f64> = Vec::new();
    let (mut released, mut people) = (0, 0);
    for table in scene.views()? {
        let Some(population) = &table.population else { continue };
        let crowd = Matcher::new(&table.columns, &table.quasi.columns, &table.released, population, None);
        let matched = crowd.map(scene.clock, |_, classes| classes.to_vec())?;
        let mut fitting = vec![0u64; crowd.classes.len()];
        for (classes, count) in matched.iter().zip(&crowd.targets.counts) {
            classes.iter().for_each(|class| fitting[*class as usize] += count);
        }
        let delta = |class: &u32| {
            (crowd.classes.counts[*class as usize] as f64 / fitting[*class as usize].max(1) as f64).min(1.0)
        };
        let deltas: Vec<f64> =
            matched.iter().map(|classes| classes.iter().map(delta).fold(0.0, f64::max)).collect();
        most.resize(population.len, 0.0);
        for (row, most) in most.iter_mut().enumerate() {
            if let Some(target) = crowd.target_of(row) {
                *most = most.max(deltas[target]);
            }
        }
        (released, people) = (table.released.len as u64, population.len as u64);
    }
    let at_least = |share: f64| most.iter().filter(|delta| **delta >= share - 1e-9).count() as u64;
    let rate = released as f64 / people.max(1) as f64;
    let figure = |what: &str, share: f64| Figure {
        what: what.to_string(),
        targets: people,
        hits: at_least(share),
        baseline: if rate >= share { people } else { 0 },
        instead: "takes everybody for as likely to be in the data as the next".to_string(),
        control: None,
        controlled: "whether somebody is in the data is what is asked, so that there is nobody to try it on"
            .to_string(),
    };
    let certain = figure("people of the population who are in the data for certain", 1.0);
    let absent = Figure {
        what: "people of the population who cannot be in the released data".to_string(),
        targets: people,
        hits: most.iter().filter(|delta| **delta <= 0.0).count() as u64,
        ..Figure::default()
    };
    let (hits, highest) = (certain.hits, most.iter().copied().fold(0.0, f64::max));
    let warning = match hits {
        0 => String::new(),
        _ => {
            let people = counted(people, "person", "people");
            format!("of {hits} of {people} in the population it is certain that they are in the data")
        }
    };
    Ok(Finding {
        knows: "the quasi-identifiers of everybody who may be in the data".to_string(),
        does: "sets as many released rows as look alike against the people whom they contain".to_string(),
        assumes: format!(
            "the list is complete; {} about {}, a share of {rate:.3}; the highest δ is {highest:.3}",
            counted(released, "row is", "rows are"),
            counted(people, "person", "people")
        ),
        figures: vec![
            certain,
            figure("people of the population who are likelier in the data than not", LIKELY),
            absent,
        ],
        warning,
        more: [("delta_max".to_string(), json!(highest))].into_iter().collect(),
        ..Finding::new(ATTACK.name, "Membership")
    })
}

#[cfg(test)]
mod tests {
    use crate::attack::Finding;
    use crate::attack::testing::{Stage, attacked};
    use crate::data::{ReadOptions, Source};

    fn found(released: &str) -> Finding {
        let stage = Stage::new("age,city,ill\n20,Oslo,flu\n21,Bergen,asthma\n");
        let path = stage.write("all.csv", "age,city\n20,Oslo\n21,Bergen\n30,Rome\n31,Pisa\n32,Pisa\n");
        stage.write("release.csv", released);
        stage.on("release.csv", |mut scene| {
            scene.population = Some(Source::open(&path, &ReadOptions::default()).expect("people"));
            attacked("membership", &scene).expect("run")
        })
    }

    #[test]
    fn all_norwegians_are_in_the_data() {
        let leak = found("age,city,ill\n20-29,Norway,flu\n20-29,Norway,asthma\n");
        assert_eq!(
            (leak.headline().hits, leak.headline().targets, leak.succeeds()),
            (2, 5, true),
            "{leak:?}"
        );
        assert_eq!(leak.figures[2].hits, 3);
    }

    #[test]
    fn anybody_could_be_in_the_data() {
        let safe = found("age,city,ill\n*,*,flu\n*,*,asthma\n");
        assert_eq!((safe.headline().hits, safe.figures[1].hits, safe.succeeds()), (0, 0, false), "{safe:?}");
        assert_eq!(safe.more["delta_max"], 0.4);
    }

    #[test]
    fn without_a_population_it_is_not_run() {
        let stage = Stage::new("age,city,ill\n20,Oslo,flu\n21,Bergen,asthma\n");
        assert!(stage.attack("membership", "age,city,ill\n*,*,flu\n").is_err());
    }
}
