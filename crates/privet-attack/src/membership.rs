//! Membership (Nergiz, Atzori and Clifton, SIGMOD 2007): it can be sensitive that somebody is in the data at all.
//!
//! The attacker has a list of everybody who may be in the data. A released row is about one of the people on the list
//! who match it. So δ, the share of these people who are in the data, is at least the number of released rows that
//! look like it divided by the number of people who match them. If δ is 1, all of them are.
//!
//! Without such a list, but with people who were left out of the release, the simplest attacker is tried: they call
//! everybody a member who matches some released row. The people who were left out show how often that is wrong.

use serde_json::json;

use super::view::{CodedRows, Matcher, TableView};
use super::{Attack, Figure, Finding, Scene, Threat};
use privet_core::Result;
use privet_core::counted;

pub(super) const ATTACK: Attack = Attack {
    name: "membership",
    threat: Threat::Membership,
    costly: false,
    concerns: |scene| {
        let tables = scene.quasi_tables()?;
        if scene.population.is_none() && scene.holdout.is_none() {
            return Err("it needs everybody who may be in the data (--population FILE), or people who were left out of \
                        it (`privet anonymize --holdout 10%`)"
                .to_string());
        }
        let whose = |table: &TableView| table.population.as_ref().or(table.holdout.as_ref()).cloned();
        let has = |table: &TableView| {
            whose(table).is_some_and(|people| table.quasi.columns.iter().any(|column| people.has(*column)))
        };
        match (tables.iter().any(has), scene.population.is_some()) {
            (true, _) => Ok(()),
            (false, true) => Err("the population file has none of the quasi-identifiers".to_string()),
            (false, false) => {
                Err("the people who were left out have none of the quasi-identifiers".to_string())
            }
        }
    },
    run,
};

/// A probability of membership from which people are counted, in addition to certainty.
const LIKELY: f64 = 0.5;

fn run(scene: &Scene<'_>) -> Result<Finding> {
    if scene.population.is_none() {
        return by_containment(scene);
    }
    let mut most: Vec<f64> = Vec::new();
    let (mut released, mut people) = (0, 0);
    for table in scene.views()? {
        let Some(population) = &table.population else { continue };
        let crowd = Matcher::new(
            &table.columns,
            &table.quasi.columns,
            &table.released,
            population,
            scene.everybody(),
        )?;
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
        instead: "assuming that everybody is equally likely to be in the data".to_string(),
        control: None,
        controlled: "membership itself is the question, so there are no people outside to try it on"
            .to_string(),
    };
    let certain = figure("people of the population who are certain to be in the data", 1.0);
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
            let are = if hits == 1 { "is" } else { "are" };
            format!("{hits} of {people} in the population {are} certain to be in the data")
        }
    };
    Ok(Finding {
        knows: "the quasi-identifiers of everybody who may be in the data".to_string(),
        does: "compares the number of released rows of a class with the number of people who match it"
            .to_string(),
        assumes: format!(
            "the list is complete; {} about {}, a share of {rate:.3}; the highest δ is {highest:.3}",
            counted(released, "row is", "rows are"),
            counted(people, "person", "people")
        ),
        figures: vec![
            certain,
            figure("people of the population who are more likely than not to be in the data", LIKELY),
            absent,
        ],
        warning,
        more: [("delta_max".to_string(), json!(highest))].into_iter().collect(),
        ..Finding::new(ATTACK.name, "Membership")
    })
}

/// Calls everybody a member who matches a released row of every table, for people in the data and for those who were left out.
fn by_containment(scene: &Scene<'_>) -> Result<Finding> {
    let contained = |people: fn(&TableView) -> Option<&CodedRows>| -> Result<(u64, u64)> {
        // Nobody knows of people who are not in a sample.
        let mut within: Vec<Option<bool>> = Vec::new();
        for table in scene.views()? {
            let Some(people) = people(table) else { continue };
            within.resize(people.len, Some(true));
            let columns: Vec<usize> =
                table.quasi.columns.iter().copied().filter(|column| people.has(*column)).collect();
            let crowd = Matcher::new(&table.columns, &columns, &table.released, people, scene.sample())?;
            let found = crowd.map(scene.clock, |_, classes| !classes.is_empty())?;
            for (row, within) in within.iter_mut().enumerate() {
                let own = crowd.target_of(row).map(|target| found[target]);
                *within = within.zip(own).map(|(within, own)| within && own);
            }
        }
        let known = within.iter().flatten();
        Ok((known.clone().filter(|within| **within).count() as u64, known.count() as u64))
    };
    let (hits, people) = contained(|table| Some(&table.original))?;
    let (wrong, others) = contained(|table| table.holdout.as_ref())?;
    // Of as many people as there are in the data.
    let control = (u128::from(wrong) * u128::from(people) / u128::from(others.max(1))) as u64;
    let headline = Figure {
        what: "people in the data who are recognised as members because they match a released row"
            .to_string(),
        targets: people,
        hits,
        baseline: people,
        instead: "calling everybody a member".to_string(),
        control: Some(control),
        controlled: format!(
            "the same attack on {others} people who were left out of the release; {wrong} are wrongly called members"
        ),
    };
    let share = |hits: u64, of: u64| hits as f64 / of.max(1) as f64;
    let advantage = (share(hits, people) - share(wrong, others)).max(0.0);
    let warning = if advantage >= LIKELY {
        format!(
            "the release shows who is in the data: {:.0} % of its people match a released row, but only {:.0} % of \
             people who are not in it",
            100.0 * share(hits, people),
            100.0 * share(wrong, others)
        )
    } else {
        String::new()
    };
    Ok(Finding {
        knows: "the quasi-identifiers of some people".to_string(),
        does: "calls everybody a member who matches a released row".to_string(),
        assumes: format!(
            "people who were left out resemble those in the data; the attacker's advantage is {advantage:.3}: the \
             share of members recognised minus the share of others called members"
        ),
        figures: vec![headline],
        warning,
        more: [("advantage".to_string(), json!(advantage))].into_iter().collect(),
        ..Finding::new(ATTACK.name, "Membership")
    })
}

#[cfg(test)]
mod tests {
    use crate::Finding;
    use crate::testing::{Stage, attacked};
    use privet_data::{ReadOptions, Source};

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

    fn told_by_others(released: &str) -> Finding {
        let stage = Stage::new("age,city,ill\n20,Oslo,flu\n21,Bergen,asthma\n");
        let path =
            stage.write("others.csv", "age,city,ill\n22,Oslo,flu\n23,Oslo,flu\n30,Rome,flu\n31,Rome,flu\n");
        stage.write("release.csv", released);
        stage.on("release.csv", |mut scene| {
            scene.holdout = Some(Source::open(&path, &ReadOptions::default()).expect("people"));
            attacked("membership", &scene).expect("run")
        })
    }

    #[test]
    fn exact_rows_contain_members_and_nobody_else() {
        let leak = told_by_others("age,city,ill\n20,Oslo,flu\n21,Bergen,asthma\n");
        let headline = leak.headline();
        assert_eq!((headline.hits, headline.control, leak.succeeds()), (2, Some(0), true), "{leak:?}");
        assert_eq!(leak.more["advantage"], 1.0);
    }

    #[test]
    fn coarse_rows_contain_others_as_well() {
        let safe = told_by_others("age,city,ill\n20-29,*,flu\n30-39,*,asthma\n");
        let headline = safe.headline();
        assert_eq!((headline.hits, headline.control, safe.succeeds()), (2, Some(2), false), "{safe:?}");
    }

    #[test]
    fn without_a_population_it_is_not_run() {
        let stage = Stage::new("age,city,ill\n20,Oslo,flu\n21,Bergen,asthma\n");
        assert!(stage.attack("membership", "age,city,ill\n*,*,flu\n").is_err());
    }
}
