//! Background join: whoever knows a person's class and one sensitive value reads another one beside it.
//!
//! A table with several sensitive columns bounds what follows from quasi-identifiers alone. Somebody who knows one of a person's
//! sensitive values looks only at the rows of the class that have it, and these may agree in another column. What the class
//! gives away without that knowledge is not counted.

use super::follow::{Classed, Column, follow, surest};
use super::projections::background_join::tried;
use super::view::{TableView, ViewColumn};
use super::{Attack, Figure, Finding, Inside, Scene};
use crate::Result;
use crate::random::{keyed, shuffle};

/// Row 6 of the attacks.
pub(super) const ATTACK: Attack = Attack { name: "background-join", row: 6, dear: false, concerns, run };

/// How sure he has to be, for the two figures: certain, and nine in ten.
const SHARES: [(u64, u64); 2] = [(1, 1), (9, 10)];
const SURELY: [&str; 2] = ["with certainty", "at least nine in ten sure"];

fn concerns(scene: &Scene<'_>) -> std::result::Result<(), String> {
    if let Some(Inside::Projected { .. }) = scene.inside {
        return Ok(());
    }
    let several =
        |view: &TableView| view.groups.is_none() && view.columns_where(ViewColumn::is_sensitive).len() > 1;
    match scene.sensitive_tables()?.iter().any(several) {
        true => Ok(()),
        false => Err("no released table has two sensitive columns".to_string()),
    }
}

fn run(scene: &Scene<'_>) -> Result<Finding> {
    if let Some(Inside::Projected { before, after }) = scene.inside {
        return Ok(tried(before, after));
    }
    let mut figures = Vec::new();
    let mut lines = Vec::new();
    for view in scene.views()? {
        scene.clock.check()?;
        let sensitive = view.columns_where(ViewColumn::is_sensitive);
        if sensitive.len() < 2 || view.groups.is_some() {
            continue;
        }
        let counts = vec![1; view.released.len];
        let table = Classed { classes: &view.quasi.classes.of_row, counts: &counts };
        let columns: Vec<Column> = sensitive.iter().map(|column| released_column(view, *column)).collect();
        let dealt: Vec<Column> =
            (0u64..).zip(&columns).map(|(at, column)| dealt_anew(table, column, scene.seed, at)).collect();
        let columns: Vec<&Column> = columns.iter().collect();
        let dealt: Vec<&Column> = dealt.iter().collect();
        let people = |columns: &[&Column]| follow(table, columns, SHARES).map(|marks| marks.success(&counts));
        let (found, by_luck) = (people(&columns), people(&dealt));
        for (surely, (found, by_luck)) in SURELY.into_iter().zip(found.into_iter().zip(by_luck)) {
            let figure = |what: &str, hits: u64| Figure {
                what: format!("{what}, {surely}"),
                targets: view.released.len as u64,
                hits,
                ..Figure::default()
            };
            figures.push(Figure {
                baseline: 0,
                instead: "knowing no sensitive value; what the class gives away by itself is not counted"
                    .to_string(),
                control: Some(by_luck.people),
                controlled: "the same with sensitive values dealt out anew within each class".to_string(),
                ..figure("people of whom one sensitive value tells another", found.people)
            });
            figures.push(figure(
                "of these, where the same value does not tell it for everybody",
                found.surprised,
            ));
        }
        if let Some(found) = surest(table, &columns) {
            let told = |(place, cell): (usize, u32)| {
                let column = &view.columns[sensitive[place]];
                format!("{}={}", column.name, column.cells.text(cell))
            };
            lines.push(format!(
                "{} in a class → {}: {} of {} records",
                told(found.known),
                told(found.read),
                found.rows,
                found.of
            ));
        }
    }
    let headline = figures.first().cloned().unwrap_or_default();
    Ok(Finding {
        knows: "a person's quasi-identifiers and one sensitive value".to_string(),
        does:
            "looks up the records of the person's class that have it, and reads the other sensitive columns"
                .to_string(),
        assumes: "records of a class are equally likely to be the person's".to_string(),
        warning: match headline.hits > headline.control.unwrap_or(0) {
            false => String::new(),
            true => format!(
                "who finds a person's class and knows one sensitive value can read another of {} of {} people for certain; \
                 method \"codip\" publishes such columns apart",
                headline.hits, headline.targets
            ),
        },
        figures,
        worst: lines.first().cloned().unwrap_or_default(),
        lines,
        ..Finding::new(ATTACK.name, "Background join")
    })
}

/// A sensitive column of the release; a suppressed cell tells nothing.
fn released_column(view: &TableView, column: usize) -> Column {
    let star = view.star(column);
    let cells = view.columns[column].cells.len() as u32;
    Column {
        codes: view.released.codes[column].to_vec(),
        sensitive: (0..cells).map(|cell| Some(cell) != star).collect(),
    }
}

/// The same column with its cells dealt out anew within each class.
fn dealt_anew(table: Classed<'_>, column: &Column, seed: u64, at: u64) -> Column {
    let mut rows: Vec<u32> = (0..table.classes.len() as u32).collect();
    rows.sort_by_key(|row| table.classes[*row as usize]);
    let mut random = keyed(seed, &format!("privet: column {at} within classes"));
    let mut codes = column.codes.clone();
    for class in rows.chunk_by(|one, other| table.classes[*one as usize] == table.classes[*other as usize]) {
        let mut own: Vec<u32> = class.iter().map(|row| column.codes[*row as usize]).collect();
        shuffle(&mut own, &mut random);
        class.iter().zip(own).for_each(|(row, code)| codes[*row as usize] = code);
    }
    Column { codes, sensitive: column.sensitive.clone() }
}

#[cfg(test)]
mod tests {
    use super::super::follow::Success;
    use super::*;

    fn column(codes: &[u32], values: usize) -> Column {
        Column { codes: codes.to_vec(), sensitive: vec![true; values] }
    }

    #[test]
    fn a_value_tells_the_one_beside_it() {
        // In the class, disease 0 goes with treatment 0 alone; disease 1 with two of them.
        let table = Classed { classes: &[0, 0, 0, 0], counts: &[1; 4] };
        let (disease, treatment) = (column(&[0, 0, 1, 1], 2), column(&[0, 0, 1, 2], 3));
        let [marks] = follow(table, &[&disease, &treatment], [(1, 1)]);
        // Treatments tell the disease of all four; the disease tells the treatment of two.
        assert_eq!(marks.success(&[1; 4]), Success { pairs: 6, people: 4, surprised: 0 });
        let surest = surest(table, &[&disease, &treatment]).expect("a conclusion");
        assert_eq!((surest.rows, surest.of, surest.known, surest.read), (2, 2, (0, 0), (1, 0)));
    }

    #[test]
    fn independent_columns_tell_nothing() {
        let table = Classed { classes: &[0, 0, 0, 0], counts: &[1; 4] };
        let (a, b) = (column(&[0, 0, 1, 1], 2), column(&[0, 1, 0, 1], 2));
        let [marks] = follow(table, &[&a, &b], [(9, 10)]);
        assert_eq!(marks.success(&[1; 4]), Success::default());
        assert_eq!(surest(table, &[&a, &b]), None, "nothing becomes surer than the class makes it");
    }

    #[test]
    fn what_the_class_gives_away_is_not_counted() {
        let table = Classed { classes: &[0, 0], counts: &[3, 2] };
        let (a, b) = (column(&[0, 1], 2), column(&[0, 0], 1));
        let [marks] = follow(table, &[&a, &b], [(1, 1)]);
        assert_eq!(marks.success(&[3, 2]).people, 0);
    }

    #[test]
    fn a_table_with_two_sensitive_columns_is_attacked_through_its_file() {
        use crate::attack::testing::{POLICY, Stage};
        let policy = POLICY.replace("[privacy", "[columns.drug]\nrole = \"sensitive\"\n[privacy");
        let leaking = "age,city,ill,drug\n30,*,flu,a\n30,*,flu,a\n30,*,ulcer,b\n30,*,ulcer,c\n";
        let original = leaking.replace('*', "Oslo");
        let found = Stage::with(&policy, &original).attack("background-join", leaking).expect("a finding");
        assert_eq!((found.headline().targets, found.headline().hits), (4, 4), "{found:?}");
        assert!(found.lines[0].contains("ill=flu in a class → drug=a: 2 of 2"), "{found:?}");
        let safe = "age,city,ill,drug\n30,*,flu,a\n30,*,flu,b\n30,*,ulcer,a\n30,*,ulcer,b\n";
        let original = safe.replace('*', "Oslo");
        let found = Stage::with(&policy, &original).attack("background-join", safe).expect("a finding");
        assert!(!found.succeeds() && found.headline().hits == 0, "{found:?}");
        let reason =
            Stage::new("age,city,ill\n30,Oslo,flu\n").attack("background-join", "age,city,ill\n30,*,flu\n");
        assert!(reason.expect_err("one column").contains("two sensitive columns"));
    }
}
