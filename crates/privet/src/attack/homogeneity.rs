//! Homogeneity (Machanavajjhala et al., ICDE 2006): everybody whom a person could be has the same sensitive value.
//!
//! The adversary knows a person's quasi-identifiers. The released rows that contain them are his match set; where all of
//! these have one value he knows it, whatever the size of the set. k-anonymity does not prevent that.

use super::finding::NO_GUESS;
use super::view::{Spread, TableView};
use super::{Attack, Figure, Finding, Scene};
use crate::Result;

/// Row 3 of the attacks.
pub(super) const ATTACK: Attack = Attack {
    name: "homogeneity",
    row: 3,
    dear: false,
    concerns: |scene| scene.sensitive_tables().map(|_| ()),
    run,
};

/// So sure of a value is nearly as good as certain.
const NEARLY: f64 = 0.8;

/// Sums of shares may be off by a hair.
const HAIR: f64 = 1e-9;

/// How many people a column of a table gives away.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    certain: u64,
    nearly: u64,
}

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let tables = scene.views()?;
    let people = tables.first().map_or(0, |table| table.quasi.people());
    let rows = tables.first().map_or(0, |table| table.original.len);
    let (mut hit, mut nearly, mut luck) = (vec![false; rows], vec![false; rows], vec![false; rows]);
    let mut figures = Vec::new();
    let mut everybody = 0;
    let mut worst: Vec<(u64, String)> = Vec::new();
    for table in tables {
        for column in table.columns_where(|column| column.is_sensitive()) {
            let sure = sure(scene, table, column, &table.spread(column, &table.quasi))?;
            let dealt = table.dealt_anew(column, &table.quasi, scene.seed);
            let by_luck = self::sure(scene, table, column, &dealt)?;
            let mut known = Known::default();
            for row in 0..rows {
                let share = sure.of_row(table, row);
                known.certain += u64::from(share >= 1.0 - HAIR);
                known.nearly += u64::from(share >= NEARLY - HAIR);
                hit[row] |= share >= 1.0 - HAIR;
                nearly[row] |= share >= NEARLY - HAIR;
                luck[row] |= by_luck.of_row(table, row) >= 1.0 - HAIR;
            }
            let cells = &table.released.codes[column];
            if cells.first().is_some_and(|first| cells.iter().all(|cell| cell == first)) {
                everybody = people;
            }
            worst.extend(sure.worst(table, column));
            let name = &table.columns[column].name;
            let figure =
                |what: String, hits: u64| Figure { what, targets: people, hits, ..Figure::default() };
            figures.push(figure(format!("people whose {name} is certain"), known.certain));
            figures.push(figure(format!("people whose {name} is at least 80 % sure"), known.nearly));
        }
    }
    let count = |marks: &[bool]| marks.iter().filter(|mark| **mark).count() as u64;
    let headline = Figure {
        what: "people of whom a sensitive value is certain from their quasi-identifiers".to_string(),
        targets: people,
        hits: count(&hit),
        baseline: everybody,
        instead: "knowing nothing about the person".to_string(),
        control: Some(count(&luck)),
        controlled: "the same with sensitive values dealt out anew".to_string(),
    };
    let near = Figure {
        what: "people of whom a sensitive value is at least 80 % sure".to_string(),
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
            "of {hits} of {people} people a sensitive value is certain to anybody who knows their quasi-identifiers: all \
             records that they could be have the same; ask for l-diversity or l+-diversity"
        ),
    };
    Ok(Finding {
        knows: "somebody's quasi-identifiers".to_string(),
        does:
            "looks up all released records that contain them, and reads the sensitive value that they share"
                .to_string(),
        assumes: format!(
            "a value counts that the person really has{}",
            tables.first().map(|table| table.quasi.sampling()).unwrap_or_default()
        ),
        figures,
        worst: lines.first().cloned().unwrap_or_default(),
        lines,
        warning,
        ..Finding::new(ATTACK.name, "Homogeneity")
    })
}

/// How sure one can be of people's values.
struct Sure {
    column: usize,
    /// Per target the likeliest cell and its share.
    top: Vec<Option<(u32, f64)>>,
    /// Per cell, the value that it spells.
    value_of: Vec<Option<u32>>,
}

fn sure(scene: &Scene<'_>, table: &TableView, column: usize, spread: &Spread) -> Result<Sure> {
    let star = table.star(column);
    let top = table.quasi.map(scene.clock, |_, classes| {
        let likely = spread.likely(classes);
        let likely = likely.into_iter().filter(|(cell, _)| Some(*cell) != star);
        likely.reduce(|best, other| if other.1 > best.1 { other } else { best })
    })?;
    let own = &table.columns[column];
    let insensitive = |text: &str| own.policy.insensitive.iter().any(|value| value == text);
    let value_of =
        own.cells.texts().map(|cell| own.values.find(cell).filter(|_| !insensitive(cell))).collect();
    Ok(Sure { column, top, value_of })
}

impl Sure {
    /// The share of the likeliest value of a person, if it is the person's own; else 0.
    fn of_row(&self, table: &TableView, row: usize) -> f64 {
        let Some((cell, share)) = table.quasi.target_of(row).and_then(|target| self.top[target]) else {
            return 0.0;
        };
        let own = table.original.codes[self.column][row];
        if self.value_of[cell as usize] == Some(own) { share } else { 0.0 }
    }

    /// The targets whose value is certain, in words, with how many people they are.
    fn worst(&self, table: &TableView, column: usize) -> Vec<(u64, String)> {
        let certain = self.top.iter().enumerate().filter_map(|(target, top)| {
            let (cell, share) = (*top)?;
            let row = *table.quasi.targets.first.get(target)? as usize;
            self.value_of[cell as usize].filter(|_| share >= 1.0 - HAIR)?;
            let people = table.quasi.targets.counts[target];
            let column = &table.columns[column];
            let person = table.person(row, &table.quasi.columns);
            Some((people, format!("{person} → {}={}", column.name, column.cells.text(cell))))
        });
        certain.collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::attack::testing::Stage;

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

    #[test]
    fn groups_hide_what_rows_seem_to_show() {
        let policy = "[data]\npath = \"table.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n[columns.city]\n\
            role = \"quasi-identifier\"\n[columns.ill]\nrole = \"sensitive\"\n[privacy.matching-l-diversity]\ncolumn = \"ill\"\nl = 2\n";
        let stage = Stage::with(policy, ORIGINAL);
        let qit = "age,city,bucket\n20,Oslo,1\n31,Rome,1\n21,Oslo,2\n30,Rome,2\n";
        stage.write("out/qit.csv", qit);
        stage.write("out/st.csv", "bucket,ill,count\n1,flu,1\n1,ulcer,1\n2,flu,2\n");
        let finding =
            stage.on("out", |scene| crate::attack::testing::attacked("homogeneity", &scene)).expect("run");
        // Group 2 has one illness, group 1 two.
        assert_eq!(finding.headline().hits, 2, "{finding:?}");
    }
}
