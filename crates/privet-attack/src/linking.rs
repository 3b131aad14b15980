//! Linking identities: the attacker knows people's quasi-identifiers and looks for their rows.
//!
//! The *prosecutor* knows that the target is in the data: the risk is one divided by the number of released rows that
//! match the target. The *marketer* links everybody: the share of right links is the mean of these risks. The
//! *journalist* only knows that the target is in a population: the risk is one divided by the number of people in the
//! population who match the released row (k-map). All are recomputed from the released file. Then every person is
//! really linked once, to a matching row drawn at random.

use serde_json::json;

use super::finding::NO_GUESS;
use super::people::Owners;
use super::view::{Matcher, TableView};
use super::{Attack, Figure, Finding, PolicyRef, Released, Scene, Threat};
use privet_core::counted;
use privet_core::random::{below, keyed};
use privet_core::{Error, Result};
use privet_policy::Requirement;

pub(super) const ATTACK: Attack = Attack {
    name: "linking",
    threat: Threat::Linking,
    costly: false,
    concerns: |scene| scene.quasi_tables().map(|_| ()),
    run,
};

/// Risks above these are counted: what regulators name (1/11, 0.2, 0.33, 0.5), as the smallest match set without such a risk.
const THRESHOLDS: [(u64, &str); 4] = [(2, "1/2"), (3, "1/3"), (5, "1/5"), (11, "1/11")];

/// The risks in one table.
#[derive(Debug, Default)]
struct Risks {
    people: u64,
    /// How many are really found.
    found: u64,
    /// How many have a row of their own.
    owners: u64,
    /// How many have a smaller match set than each threshold, but not an empty one.
    above: [u64; THRESHOLDS.len()],
    /// How many no row contains.
    unmatched: u64,
    /// The sum over people of one over the match set.
    sum: f64,
    /// The smallest match set.
    least: Option<u64>,
    lines: Vec<String>,
}

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let tables = scene.views()?;
    let mut all = Vec::new();
    for table in tables {
        all.push(risks(scene, table)?);
    }
    // Of several tables the one that tells most.
    let at = (0..all.len()).max_by_key(|at| (all[*at].above[0], all[*at].found, all.len() - at));
    let (Some(risks), Some(table)) = (at.map(|at| &all[at]), at.map(|at| &tables[at])) else {
        return Err(Error::internal("a release without a table"));
    };
    let figure = |what: String, hits: u64| Figure {
        what,
        targets: risks.people,
        hits,
        controlled: NO_GUESS.to_string(),
        ..Figure::default()
    };
    let rows = table.released.len as u64;
    let headline = Figure {
        // Everybody is linked to any row: one is right in expectation, if all are there.
        baseline: risks.owners / rows.max(1),
        instead: "linking everybody to a random row".to_string(),
        controlled: "people who were left out have no row, so no link to them can be right".to_string(),
        ..figure("people whose own row was found with a single guess".to_string(), risks.found)
    };
    let by_person = matches!(scene.policy, PolicyRef::Table(policy) if policy.person.is_some());
    let mut figures = vec![headline];
    for ((_, name), above) in THRESHOLDS.iter().zip(risks.above) {
        let what = match *name {
            "1/2" if by_person => "people who match only rows of a single person".to_string(),
            "1/2" => "people who match exactly one released row".to_string(),
            name => format!("people with a prosecutor's risk above {name}"),
        };
        figures.push(figure(what, above));
    }
    figures.push(figure("people who match no released row".to_string(), risks.unmatched));
    let share = |least: Option<u64>| least.map_or(0.0, |least| 1.0 / least as f64);
    let mean = risks.sum / risks.people.max(1) as f64;
    let matched = (risks.people - risks.unmatched).max(1) as f64;
    let mut more = vec![
        ("prosecutor", json!({ "max": share(risks.least), "mean": risks.sum / matched })),
        ("marketer", json!(mean)),
    ];
    let journalist = journalist(scene, table)?;
    if let Some((least, mean)) = journalist {
        more.push(("journalist", json!({ "max": share(least), "mean": mean, "k_map": least })));
    }
    let alone = risks.above[0];
    let warning = match alone {
        0 => String::new(),
        _ => format!(
            "{alone} of {} {} the only person who matches some released row; anyone who knows their quasi-identifiers \
             can read the rest of that row; {}",
            counted(risks.people, "person", "people"),
            if alone == 1 { "is" } else { "are" },
            // k-anonymity of groups is about their sizes: quasi-identifiers are published as they are.
            match scene.released {
                Released::Groups(_) => "a method that generalises, such as mondrian, avoids it",
                _ => "ask for k-anonymity as well",
            }
        ),
    };
    let told = match journalist {
        Some((Some(least), _)) => {
            let fit = counted(least, "person matches", "people match");
            format!("; in the population, at least {fit} each released row")
        }
        _ if counts_population(scene) => "; the journalist's risk is among the report's figures".to_string(),
        _ => "; the journalist's risk is unknown without a population file".to_string(),
    };
    let left_out = match risks.people - risks.owners {
        0 => String::new(),
        without => format!(
            "; {} no row of their own, because the release has fewer matching rows than there are such people",
            counted(without, "person has", "people have")
        ),
    };
    Ok(Finding {
        knows: "somebody's quasi-identifiers, and that the person is in the data (prosecutor) or in the population \
                (journalist)"
            .to_string(),
        does: "looks up the matching released rows, and takes one".to_string(),
        assumes: format!(
            "all quasi-identifiers are known exactly; the highest risk is {:.4}, the mean {mean:.4}{told}{left_out}",
            share(risks.least)
        ),
        sampled: table.quasi.sampling(),
        figures,
        worst: risks.lines.first().cloned().unwrap_or_default(),
        lines: risks.lines.clone(),
        warning,
        more: more.into_iter().map(|(key, value)| (key.to_string(), value)).collect(),
        ..Finding::new(ATTACK.name, "Linking identities")
    })
}

fn risks(scene: &Scene<'_>, table: &TableView) -> Result<Risks> {
    let people = Owners::of(scene, table)?;
    let rows_of = table.quasi.map(scene.clock, |_, classes| table.quasi.rows_in(classes))?;
    let sizes = match &people {
        // Several rows of one person are not a crowd.
        Some(people) => people.crowds(scene, table)?,
        None => rows_of.clone(),
    };
    let attacked = (0..table.original.len).filter(|row| table.quasi.target_of(*row).is_some());
    let attacked: Vec<usize> = match &people {
        // A person is as easily found as by the one of their rows that is easiest to find.
        Some(people) => people.one_row_each(attacked, |row| {
            table
                .quasi
                .target_of(row)
                .map(|target| sizes[target])
                .filter(|size| *size > 0)
                .unwrap_or(u64::MAX)
        }),
        None => attacked.collect(),
    };
    // Which rows may be a person's own: those that contain all of their values. Values within groups belong to nobody in particular.
    let told = table.columns_where(|column| !(table.groups.is_some() && column.is_sensitive()));
    let whole = Matcher::new(&table.columns, &told, &table.released, &table.original, scene.sample())?;
    let mut owners = owners(&whole, &whole.map(scene.clock, |_, classes| classes.to_vec())?);
    let mut random = keyed(scene.seed, "one link for each person");
    let mut risks = Risks::default();
    let mut alone: Vec<(usize, u64)> = Vec::new();
    for row in attacked {
        let (Some(target), Some(same)) = (table.quasi.target_of(row), whole.target_of(row)) else { continue };
        let size = sizes[target];
        risks.people += 1;
        // Of people who are alike in everything it does not matter who was left out.
        let has_row = owners[same] > 0;
        owners[same] = owners[same].saturating_sub(1);
        risks.owners += u64::from(has_row);
        if size == 0 {
            risks.unmatched += 1;
            continue;
        }
        risks.sum += 1.0 / size as f64;
        risks.least = Some(risks.least.map_or(size, |least| least.min(size)));
        for (above, (enough, _)) in risks.above.iter_mut().zip(THRESHOLDS) {
            *above += u64::from(size < enough);
        }
        // A row of the match set is drawn, and one of them is the person's own, if there is one.
        risks.found += u64::from(below(&mut random, size) == 0 && has_row);
        if size < THRESHOLDS[2].0 {
            alone.push((row, size));
        }
    }
    alone.sort_by_key(|(row, size)| (*size, *row));
    let line = |(row, size): &(usize, u64)| {
        let rows = table.quasi.target_of(*row).map_or(*size, |target| rows_of[target]);
        let whose = match (&people, size) {
            (None, _) => String::new(),
            (Some(_), 1) => ", all of one person".to_string(),
            (Some(_), size) => format!(", of {size} people"),
        };
        let person = table.person(*row, &table.quasi.columns);
        format!("{person}: {} them{whose}", counted(rows, "row contains", "rows contain"))
    };
    risks.lines = alone.iter().take(scene.limits.most).map(line).collect();
    Ok(risks)
}

/// Of how many people of each target there is a row that agrees with them in everything, no row being about two of them. Who
/// fits few rows chooses first; where rows overlap that is one of the ways to place them, and may leave somebody out too many.
fn owners(whole: &Matcher, fitting: &[Vec<u32>]) -> Vec<u64> {
    let mut free = whole.classes.counts.clone();
    let mut owners = vec![0; fitting.len()];
    let mut order: Vec<usize> = (0..fitting.len()).collect();
    order.sort_by_key(|target| (fitting[*target].len(), *target));
    for target in order {
        let mut left = whole.targets.counts[target];
        for class in &fitting[target] {
            let taken = left.min(free[*class as usize]);
            free[*class as usize] -= taken;
            left -= taken;
        }
        owners[target] = whole.targets.counts[target] - left;
    }
    owners
}

/// Whether the policy asks for something that counts people of a population.
fn counts_population(scene: &Scene<'_>) -> bool {
    match scene.policy {
        PolicyRef::Table(policy) => policy.requirements.iter().any(Requirement::counts_population),
        _ => false,
    }
}

/// The fewest people of the population that a released row contains, and the mean risk over released rows.
fn journalist(scene: &Scene<'_>, table: &TableView) -> Result<Option<(Option<u64>, f64)>> {
    let Some(population) = &table.population else { return Ok(None) };
    let crowd =
        Matcher::new(&table.columns, &table.quasi.columns, &table.released, population, scene.everybody())?;
    let matched =
        crowd.map(scene.clock, |target, classes| (crowd.targets.counts[target], classes.to_vec()))?;
    let mut people = vec![0u64; crowd.classes.len()];
    for (count, classes) in matched {
        classes.iter().for_each(|class| people[*class as usize] += count);
    }
    let fitting = people.iter().zip(&crowd.classes.counts).filter(|(people, _)| **people > 0);
    let sum: f64 = fitting.map(|(people, rows)| *rows as f64 / *people as f64).sum();
    let least = people.iter().copied().filter(|people| *people > 0).min();
    Ok(Some((least, sum / table.released.len.max(1) as f64)))
}

#[cfg(test)]
mod tests {
    use crate::testing::{Stage, attacked};
    use privet_data::{ReadOptions, Source};

    const ORIGINAL: &str = "age,city,ill\n20,Oslo,flu\n21,Bergen,asthma\n30,Rome,flu\n31,Pisa,ulcer\n";

    #[test]
    fn a_row_of_its_own_is_found() {
        let stage = Stage::new(ORIGINAL);
        let leak = "age,city,ill\n20-29,Norway,flu\n20-29,Norway,asthma\n30-39,Rome,flu\n30-39,Pisa,ulcer\n";
        let finding = stage.attack("linking", leak).expect("run");
        let alone = &finding.figures[1];
        assert_eq!((alone.hits, alone.targets), (2, 4), "{finding:?}");
        assert!(finding.succeeds() && finding.headline().hits >= 2, "{finding:?}");
        assert_eq!(finding.more["prosecutor"]["max"], 1.0);
        assert_eq!(finding.more["marketer"], 0.75);
        assert!(finding.worst.contains("Rome"), "{}", finding.worst);
    }

    #[test]
    fn four_who_look_alike_are_safe() {
        let stage = Stage::new(ORIGINAL);
        let safe = "age,city,ill\n20-39,*,flu\n20-39,*,asthma\n20-39,*,flu\n20-39,*,ulcer\n";
        let finding = stage.attack("linking", safe).expect("run");
        assert_eq!((finding.figures[1].hits, finding.more["marketer"].as_f64()), (0, Some(0.25)));
        assert!(!finding.succeeds());
    }

    #[test]
    fn who_was_left_out_is_not_found() {
        // Two people who are alike, and one row of them; one whose row is missing.
        let stage = Stage::new("age,city,ill\n20,Oslo,flu\n20,Oslo,flu\n30,Rome,flu\n31,Rome,flu\n");
        let finding = stage.attack("linking", "age,city,ill\n20,Oslo,flu\n30,Rome,flu\n").expect("run");
        assert_eq!((finding.headline().hits, finding.headline().baseline), (2, 1), "{finding:?}");
        assert!(finding.assumes.contains("2 people have no row of their own"), "{}", finding.assumes);
        // As many people as could be in a row are not as many as are.
        let wide = "age,city,ill\n20-39,*,flu\n20-39,*,flu\n";
        for seed in 0..20 {
            let found = stage.on(
                stage.write("release.csv", wide).file_name().and_then(|name| name.to_str()).expect("a name"),
                |mut scene| {
                    scene.seed = seed;
                    attacked("linking", &scene).expect("run")
                },
            );
            assert!(found.headline().hits <= 2, "two rows are about two people: {found:?}");
        }
    }

    #[test]
    fn the_journalist_looks_at_the_population() {
        let stage = Stage::new(ORIGINAL);
        let path = stage
            .write("all.csv", "city,age\nOslo,20\nBergen,21\nOslo,25\nRome,30\nPisa,31\nRome,39\nPisa,39\n");
        stage.write(
            "release.csv",
            "age,city,ill\n20-29,Norway,flu\n20-29,Norway,asthma\n30-39,Italy,flu\n30-39,Italy,ulcer\n",
        );
        let finding = stage.on("release.csv", |mut scene| {
            scene.population = Some(Source::open(&path, &ReadOptions::default()).expect("people"));
            attacked("linking", &scene).expect("run")
        });
        // Three people of the population could be in Norway, four in Italy.
        assert_eq!(finding.more["journalist"]["k_map"], 3);
        assert_eq!(finding.more["prosecutor"]["max"], 0.5);
    }
}
