//! (X, Y)-linkability (Wang and Fung, 2006): how surely a sensitive value follows from quasi-identifiers when tables about the
//! same people are joined on them.
//!
//! A person's quasi-identifiers give a class in every table. From one table the confidence in a value is its share in the
//! class. Tables have no sensitive column in common and their rows are in no common order, so a join pairs every row of one
//! class with every row of the other: the confidence in a value of one table together with a value of another is the product
//! of their shares.

use serde_json::json;

use super::crowds::{Gathered, NOWHERE};
use super::follow::{SensitiveColumn, reaches};
use super::{Attack, Figure, Finding, Released, Scene, Threat};
use privet_core::Result;
use privet_core::random::{keyed, shuffle};

pub(super) const ATTACK: Attack =
    Attack { name: "xy-linkability", threat: Threat::SeveralSensitiveColumns, costly: false, concerns, run };

/// So sure of a value is as good as certain: nine in ten.
const NEARLY: (u64, u64) = (9, 10);

fn concerns(scene: &Scene<'_>) -> std::result::Result<(), String> {
    match &scene.released {
        Released::Projections(_) => scene.sensitive_tables().map(|_| ()),
        _ => Err("the release does not consist of several tables about the same people".to_string()),
    }
}

/// What follows from quasi-identifiers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Linkability {
    /// The highest confidence in a sensitive value.
    value: f64,
    /// The highest confidence in two sensitive values from two tables.
    across: f64,
    /// People with a value that follows almost certainly.
    nearly: u64,
}

/// The likeliest sensitive value of a class: how many rows have it, of how many.
type Likeliest = (u64, u64);

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let tables = Gathered::all(scene)?;
    let told = |table: &Gathered<'_>| {
        let (classes, columns) = table.released();
        likeliest(&classes, &columns, table.crowds.rows.len())
    };
    let several = joined(&tables, &tables.iter().map(told).collect::<Vec<_>>());
    scene.clock.check()?;
    let dealt = |table: &Gathered<'_>| {
        let (classes, mut columns) = table.released();
        for (at, column) in columns.iter_mut().enumerate() {
            let purpose = format!("privet: cells of column {at} that say nothing about rows");
            shuffle(&mut column.codes, &mut keyed(scene.seed, &purpose));
        }
        likeliest(&classes, &columns, table.crowds.rows.len())
    };
    let luck = joined(&tables, &tables.iter().map(dealt).collect::<Vec<_>>());
    scene.clock.check()?;
    let one = in_one_table(&tables);
    let people = scene.view()?.quasi.people();
    Ok(Finding {
        knows: "a person's quasi-identifiers".to_string(),
        does: "joins the tables on them, and guesses the likeliest value".to_string(),
        assumes: format!(
            "values that the policy calls insensitive are not counted; the highest confidence in a value is {:.3} (from one \
             table with all sensitive columns {:.3}), in two values from two tables {:.3}",
            several.value, one.value, several.across
        ),
        sampled: scene.view()?.quasi.sampling(),
        figures: vec![Figure {
            what: "people whose sensitive value follows with a confidence of at least nine in ten"
                .to_string(),
            targets: people,
            hits: several.nearly,
            baseline: one.nearly,
            instead:
                "the same in one table with all sensitive columns, in the classes of the finest released one"
                    .to_string(),
            control: Some(luck.nearly),
            controlled: "the same attack after shuffling the sensitive values".to_string(),
        }],
        more: [("confidence".to_string(), json!({ "value": several.value, "two_tables": several.across }))]
            .into_iter()
            .collect(),
        ..Finding::new(ATTACK.name, "(X, Y)-linkability")
    })
}

/// What somebody knows who joins tables, of each of which it is known what is likeliest in a crowd.
fn joined(tables: &[Gathered<'_>], likeliest: &[Vec<Likeliest>]) -> Linkability {
    let mut found = Linkability::default();
    for person in 0..tables.first().map_or(0, |table| table.crowds.of_row.len()) {
        let crowd = |table: &Gathered<'_>| table.crowds.of_row[person];
        let own = tables.iter().zip(likeliest).filter(|(table, _)| crowd(table) != NOWHERE);
        let own: Vec<Likeliest> = own.map(|(table, likeliest)| likeliest[crowd(table) as usize]).collect();
        found.nearly += u64::from(own.iter().any(|(most, all)| reaches(*most, *all, NEARLY)));
        let mut shares: Vec<f64> =
            own.iter().map(|(most, all)| *most as f64 / (*all).max(1) as f64).collect();
        shares.sort_by(|one, other| other.total_cmp(one));
        found.value = found.value.max(shares.first().copied().unwrap_or(0.0));
        if let [first, second, ..] = shares.as_slice() {
            found.across = found.across.max(first * second);
        }
    }
    found
}

/// The same from one table with all sensitive columns, in the classes of the finest of the tables.
fn in_one_table(tables: &[Gathered<'_>]) -> Linkability {
    let columns: Vec<SensitiveColumn> = Gathered::sensitive_columns(tables).collect();
    let one = |table: &Gathered<'_>| {
        let likeliest = likeliest(&table.crowds.of_row, &columns, table.crowds.rows.len());
        joined(std::slice::from_ref(table), &[likeliest])
    };
    Gathered::finest(tables).map(one).unwrap_or_default()
}

/// Per class the likeliest sensitive value of any column.
fn likeliest(classes: &[u32], columns: &[SensitiveColumn], number: usize) -> Vec<Likeliest> {
    let mut sizes = vec![0u64; number];
    classes.iter().filter(|class| **class != NOWHERE).for_each(|class| sizes[*class as usize] += 1);
    let mut most = vec![0u64; number];
    for column in columns {
        let mut cells: Vec<(u32, u32)> = classes.iter().copied().zip(column.codes.iter().copied()).collect();
        cells.retain(|(class, code)| *class != NOWHERE && column.sensitive[*code as usize]);
        cells.sort_unstable();
        for same in cells.chunk_by(|one, other| one == other) {
            let most = &mut most[same[0].0 as usize];
            *most = (*most).max(same.len() as u64);
        }
    }
    most.into_iter().zip(sizes).collect()
}
