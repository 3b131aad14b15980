//! Homogeneity (Machanavajjhala et al., ICDE 2006): all records that match a person have the same sensitive value.
//!
//! The attacker knows a person's quasi-identifiers. The released rows that contain them are the match set. If all of
//! these have one value, the attacker knows it, no matter how large the set is. k-anonymity does not prevent that.

use super::belief::{Belief, HAIR, Likely, count, sampling, sensitive};
use super::finding::NO_GUESS;
use super::people::Owners;
use super::{Attack, Figure, Finding, Scene, Threat};
use privet_core::Result;
use privet_core::counted;

pub(super) const ATTACK: Attack = Attack {
    name: "homogeneity",
    threat: Threat::Homogeneity,
    costly: false,
    concerns: |scene| scene.sensitive_tables().map(|_| ()),
    run,
};

/// So sure of a value is nearly as good as certain.
const NEARLY: f64 = 0.8;

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let rows = scene.view()?.original.len;
    let owners = Owners::of(scene, scene.view()?)?;
    // Where somebody has several rows, people are counted, and one row is enough to be hit.
    let count = |marks: &[bool]| owners.as_ref().map_or_else(|| count(marks), |owners| owners.count(marks));
    let quasi = &scene.view()?.quasi;
    let people = count(&(0..rows).map(|row| quasi.target_of(row).is_some()).collect::<Vec<_>>());
    let (mut hit, mut nearly, mut luck) = (vec![false; rows], vec![false; rows], vec![false; rows]);
    let mut figures = Vec::new();
    let mut everybody = 0;
    let mut worst: Vec<(u64, String)> = Vec::new();
    for (table, column) in sensitive(scene)? {
        let (belief, by_luck) = Belief::both(scene, table, column, only)?;
        let (mut certain, mut near) = (vec![false; rows], vec![false; rows]);
        // Where somebody has several rows, a value is certain if all people have it who match the rows.
        let held = owners.as_ref().map(|owners| owners.shares(scene, table, column)).transpose()?;
        for row in 0..rows {
            let of_people =
                held.as_ref().filter(|_| belief.of_own(row) > 0.0).map_or(0.0, |held| held.of(row));
            let share = belief.of_own(row).max(of_people);
            certain[row] = share >= 1.0 - HAIR;
            near[row] = share >= NEARLY - HAIR;
            hit[row] |= share >= 1.0 - HAIR;
            nearly[row] |= share >= NEARLY - HAIR;
            let alone = by_luck.of_own(row) > 0.0 && held.as_ref().is_some_and(|held| held.is_alone(row));
            luck[row] |= alone || by_luck.of_own(row) >= 1.0 - HAIR;
        }
        let is_certain = |(share, value): (&f64, &Option<u32>)| value.is_some() && *share >= 1.0 - HAIR;
        if belief.base().iter().zip(&belief.value_of).any(is_certain) {
            everybody = people;
        }
        worst.extend(told(&belief, scene.limits.most));
        if held.is_some() {
            let own = |row: &usize| certain[*row] && belief.of_own(*row) < 1.0 - HAIR;
            let line = |row: usize| {
                let value = table.columns[column].values.text(table.original.codes[column].at(row));
                let person = table.person(row, &table.quasi.columns);
                (1, format!("{person} → {}={value}", table.columns[column].name))
            };
            worst.extend((0..rows).filter(own).take(scene.limits.most).map(line));
        }
        let name = &table.columns[column].name;
        let figure = |what: String, hits: u64| Figure {
            what,
            targets: people,
            hits,
            controlled: NO_GUESS.to_string(),
            ..Figure::default()
        };
        figures.push(figure(format!("people whose {name} is certain"), count(&certain)));
        figures.push(figure(format!("people whose {name} is at least 80 % likely"), count(&near)));
    }
    let headline = Figure {
        what: "people whose quasi-identifiers reveal a sensitive value with certainty".to_string(),
        targets: people,
        hits: count(&hit),
        baseline: everybody,
        instead: "knowing nothing about the person".to_string(),
        control: Some(count(&luck)),
        controlled: "the same attack after shuffling the sensitive values".to_string(),
    };
    let near = Figure {
        what: "people with a sensitive value that is at least 80 % likely".to_string(),
        targets: people,
        hits: count(&nearly),
        controlled: NO_GUESS.to_string(),
        ..Figure::default()
    };
    let hits = headline.hits;
    figures.splice(0..0, [headline, near]);
    worst.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    let lines: Vec<String> = worst.into_iter().take(scene.limits.most).map(|(_, line)| line).collect();
    let warning = match hits {
        0 => String::new(),
        _ => format!(
            "anyone who knows the quasi-identifiers of {hits} of {} also knows a sensitive value of theirs, because \
             all matching records share it; ask for l-diversity or l+-diversity",
            counted(people, "person", "people")
        ),
    };
    Ok(Finding {
        knows: "somebody's quasi-identifiers".to_string(),
        does: "looks up all matching released records, and reads the sensitive value that they share"
            .to_string(),
        assumes: "only values that the person really has are counted".to_string(),
        sampled: sampling(scene)?,
        figures,
        worst: lines.first().cloned().unwrap_or_default(),
        lines,
        warning,
        ..Finding::new(ATTACK.name, "Homogeneity")
    })
}

/// The one cell that is possible.
fn only(likely: &Likely) -> Option<u32> {
    match likely {
        [(cell, _)] => Some(*cell),
        _ => None,
    }
}

/// Some of the targets whose value is certain, in words, with how many people they are: those who are most first.
fn told(belief: &Belief<'_, Option<u32>>, most: usize) -> Vec<(u64, String)> {
    let table = belief.table;
    let targets = &table.quasi.targets;
    let certain = (0..targets.len()).filter_map(|target| {
        let row = targets.first[target] as usize;
        let cell = (*belief.of_row(row)?)?;
        belief.value_of[cell as usize]?;
        Some((targets.counts[target], row, cell))
    });
    let mut certain: Vec<(u64, usize, u32)> = certain.filter(|(people, ..)| *people > 0).collect();
    certain.sort_unstable_by_key(|(people, row, _)| (u64::MAX - people, *row));
    let line = |(people, row, cell): (u64, usize, u32)| {
        let column = &table.columns[belief.column];
        let person = table.person(row, &table.quasi.columns);
        (people, format!("{person} → {}={}", column.name, column.cells.text(cell)))
    };
    certain.into_iter().take(most).map(line).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::Stage;

    const ORIGINAL: &str = "age,city,ill\n20,Oslo,flu\n21,Oslo,flu\n30,Rome,flu\n31,Rome,ulcer\n";

    #[test]
    fn a_class_of_one_illness_is_found_out() {
        let stage = Stage::new(ORIGINAL);
        let leak = "age,city,ill\n20-29,Norway,flu\n20-29,Norway,flu\n30-39,Italy,flu\n30-39,Italy,ulcer\n";
        let finding = stage.attack("homogeneity", leak).expect("run");
        assert_eq!((finding.headline().hits, finding.headline().targets), (2, 4), "{finding:?}");
        assert!(finding.succeeds() && finding.worst.contains("ill=flu"), "{finding:?}");
    }

    #[test]
    fn a_class_of_two_illnesses_is_safe() {
        let stage = Stage::new(ORIGINAL);
        let safe = "age,city,ill\n*,*,flu\n*,*,flu\n*,*,flu\n*,*,ulcer\n";
        let finding = stage.attack("homogeneity", safe).expect("run");
        assert_eq!(finding.headline().hits, 0, "{finding:?}");
        assert!(!finding.succeeds());
    }

    const SETS: &str = "[data]\npath = \"table.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n[columns.ill]\nrole = \
        \"sensitive\"\nseparator = \"|\"\ninsensitive = [\"cold\"]\n[columns.job]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 1\n\
        [privacy.projection]\nalpha = 1\nbeta = 1\n[method]\nname = \"codip\"\n";

    #[test]
    fn a_value_that_every_set_of_a_class_has_is_found_out() {
        let original = "age,ill,job\n20,flu|cold,a\n21,flu|ulcer,b\n30,cold,a\n31,cold|ulcer,b\n";
        let stage = Stage::with(SETS, original);
        // As columns of zeros and ones, in one of several tables.
        stage.write(
            "out/projection-1.csv",
            "age,ill=cold,ill=flu\n20-29,1,1\n20-29,0,1\n30-39,1,0\n30-39,1,0\n",
        );
        stage.write("out/projection-2.csv", "age,ill=ulcer,job\n*,0,a\n*,1,b\n*,0,a\n*,1,b\n");
        let attacked = |path: &str| {
            stage.on(path, |scene| crate::testing::attacked("homogeneity", &scene)).expect("run")
        };
        let found = attacked("out");
        // Both of the twenties have flu; that both of the thirties have a cold and lack flu is nobody's secret.
        assert_eq!((found.headline().hits, found.headline().baseline), (2, 0), "{found:?}");
        assert!(found.worst.contains("→ ill=flu=1"), "{}", found.worst);
        // Whole sets of a table that another tool made are taken apart.
        stage.write(
            "sets.csv",
            "age,ill,job\n20-29,cold|flu,a\n20-29,flu|ulcer,b\n30-39,cold,a\n30-39,ulcer|cold,b\n",
        );
        assert_eq!(attacked("sets.csv").headline().hits, 2, "{:?}", attacked("sets.csv"));
        stage.write("safe.csv", "age,ill,job\n*,cold|flu,a\n*,flu|ulcer,b\n*,cold,a\n*,*,b\n");
        assert_eq!(attacked("safe.csv").headline().hits, 0);
    }

    #[test]
    fn groups_hide_what_rows_seem_to_show() {
        let policy = "[data]\npath = \"table.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n[columns.city]\n\
            role = \"quasi-identifier\"\n[columns.ill]\nrole = \"sensitive\"\n[privacy.matching-l-diversity]\ncolumn = \"ill\"\nl = 2\n";
        let stage = Stage::with(policy, ORIGINAL);
        let qit = "age,city,bucket\n20,Oslo,1\n31,Rome,1\n21,Oslo,2\n30,Rome,2\n";
        stage.write("out/qit.csv", qit);
        stage.write("out/st.csv", "bucket,ill,count\n1,flu,1\n1,ulcer,1\n2,flu,2\n");
        let finding = stage.on("out", |scene| crate::testing::attacked("homogeneity", &scene)).expect("run");
        // Group 2 has one illness, group 1 two.
        assert_eq!(finding.headline().hits, 2, "{finding:?}");
    }
}
