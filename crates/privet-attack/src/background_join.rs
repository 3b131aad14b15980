//! Background join (Fang, Ashrafi and Ng, *Privacy beyond Single Sensitive Attribute*, section 3.1): an attacker who
//! knows a person's class and one sensitive value reads another one next to it.
//!
//! A table with several sensitive columns limits what follows from quasi-identifiers alone. An attacker who knows one
//! of a person's sensitive values looks only at the rows of the class that have it, and these may agree in another
//! column. Tables without the known column reveal nothing more than they reveal to everybody. What the class reveals
//! without that knowledge is not counted. What follows from the value for everybody, because nearly all who have it
//! share the other one, is not a surprise; the rest is counted separately.

use hashbrown::HashMap;

use super::crowds::{Gathered, NOWHERE};
use super::follow::{Classed, Marks, SensitiveColumn, Success, surest};
use super::view::{TableView, ViewColumn};
use super::{Attack, Figure, Finding, Scene, Threat};
use privet_core::counted;
use privet_core::random::{keyed, shuffle};
use privet_core::{Exact, Result};

pub(super) const ATTACK: Attack =
    Attack { name: "background-join", threat: Threat::SeveralSensitiveColumns, costly: false, concerns, run };

/// How sure the attacker has to be: certain, and as sure as the caller asks for.
fn shares(confidence: Exact) -> [((u64, u64), String); 2] {
    let share = (confidence.numerator(), confidence.denominator());
    let surely = match share {
        (9, 10) => "nine in ten".to_string(),
        _ => confidence.to_string(),
    };
    [((1, 1), "with certainty".to_string()), (share, format!("at least {surely} sure"))]
}

/// The baseline without the attack: for several tables, and for one.
const IN_ONE_TABLE: &str =
    "the same in one table with all sensitive columns, in the classes of the finest released one";
const BY_CLASS: &str = "not knowing any sensitive value; what the class reveals by itself is not counted";

fn concerns(scene: &Scene<'_>) -> std::result::Result<(), String> {
    let joinable =
        |view: &TableView| view.groups.is_none() && view.columns_where(ViewColumn::is_sensitive).len() > 1;
    match scene.sensitive_tables()?.iter().any(joinable) {
        true => Ok(()),
        false => Err("no released table has two sensitive columns".to_string()),
    }
}

/// The tables with more than one sensitive column.
fn joinable<'t, 'v>(tables: &'t [Gathered<'v>]) -> impl Iterator<Item = &'t Gathered<'v>> {
    tables.iter().filter(|table| table.view.groups.is_none() && table.sensitive.len() > 1)
}

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let tables = Gathered::all(scene)?;
    let several = tables.len() > 1;
    let people = scene.view()?.quasi.people();
    let mut figures = Vec::new();
    for (share, surely) in shares(scene.limits.confidence) {
        scene.clock.check()?;
        let found = told(scene, &tables, share)?;
        let luck = by_luck(scene, &tables, share)?;
        let one = if several { in_one_table(scene, &tables, share)? } else { Success::default() };
        let figure = |what: String, of: fn(&Success) -> u64| Figure {
            what,
            targets: people,
            hits: of(&found),
            baseline: of(&one),
            instead: if several { IN_ONE_TABLE } else { BY_CLASS }.to_string(),
            control: Some(of(&luck)),
            controlled: "the same attack after shuffling the sensitive values within each class".to_string(),
        };
        figures
            .push(figure(format!("people for whom one sensitive value reveals another, {surely}"), |of| {
                of.people
            }));
        figures.push(figure(
            format!("of these, people for whom the class is what reveals it, {surely}"),
            |of| of.surprised,
        ));
        let columns: usize = tables.iter().map(|table| table.sensitive.len()).sum();
        figures.push(Figure {
            targets: people * (columns * columns.saturating_sub(1)) as u64,
            ..figure(
                format!("pairs of a person's sensitive columns where one reveals the other, {surely}"),
                |of| of.pairs,
            )
        });
    }
    let lines = joinable(&tables).filter_map(|table| worst(scene, table).transpose());
    let lines: Vec<String> = lines.collect::<Result<_>>()?;
    let headline = figures.first().cloned().unwrap_or_default();
    Ok(Finding {
        knows: "a person's quasi-identifiers and one sensitive value".to_string(),
        does: "looks up the matching records that have this value, and reads their other sensitive columns"
            .to_string(),
        assumes: "each record of a class is equally likely to be the person's; values that the policy calls insensitive \
                  are not counted"
            .to_string(),
        sampled: scene.view()?.quasi.sampling(),
        warning: warning(&headline, several),
        figures,
        worst: lines.first().cloned().unwrap_or_default(),
        lines,
        ..Finding::new(ATTACK.name, "Background join")
    })
}

fn warning(headline: &Figure, several: bool) -> String {
    let Figure { hits, targets, baseline, .. } = headline;
    if *hits <= headline.control.unwrap_or(0) {
        return String::new();
    }
    let people = counted(*targets, "person", "people");
    let advice = match several {
        true => format!(" (of {baseline} if all sensitive columns were in one table)"),
        false => "; method \"codip\" publishes such columns in separate tables".to_string(),
    };
    format!(
        "an attacker who finds a person's class and knows one sensitive value can read another with certainty for \
         {hits} of {people}{advice}"
    )
}

/// What the released tables reveal about whom.
fn told(scene: &Scene<'_>, tables: &[Gathered<'_>], share: (u64, u64)) -> Result<Success> {
    let mut marks = Marks::new(tables.first().map_or(0, |table| table.view.original.len));
    for table in joinable(tables) {
        let (classes, columns) = table.released();
        let columns: Vec<&SensitiveColumn> = columns.iter().collect();
        let by_known = Marks::by_known(Classed { classes: &classes }, &columns, share, scene.clock)?;
        for ((known, column), marked) in table.sensitive.iter().zip(&columns).zip(&by_known) {
            // Of a crowd and a known cell, any record that has it.
            let mut record_of: HashMap<(u32, u32), u32> = HashMap::new();
            for (record, (crowd, cell)) in (0u32..).zip(classes.iter().zip(&column.codes)) {
                record_of.entry((*crowd, *cell)).or_insert(record);
            }
            let own = &table.view.columns[*known];
            let cell_of: Vec<Option<u32>> = own.values.texts().map(|value| own.cells.find(value)).collect();
            scene.clock.check()?;
            for (person, crowd) in table.crowds.people() {
                let cell = cell_of[table.view.original.codes[*known].at(person) as usize];
                if let Some(record) = cell.and_then(|cell| record_of.get(&(crowd, cell))) {
                    marks.take(person, marked, *record as usize);
                }
            }
        }
    }
    Ok(marks.success())
}

/// What tables would tell whose columns have nothing to do with each other within a class.
fn by_luck(scene: &Scene<'_>, tables: &[Gathered<'_>], share: (u64, u64)) -> Result<Success> {
    let mut marks = Marks::new(tables.first().map_or(0, |table| table.view.original.len));
    for (at, table) in joinable(tables).enumerate() {
        let classed = Classed { classes: &table.crowds.of_row };
        let columns: Vec<SensitiveColumn> = (table.sensitive.iter())
            .map(|column| {
                let purpose = format!("privet: column {column} of table {at} within classes");
                dealt_anew(classed, table.original(*column), scene.seed, &purpose)
            })
            .collect();
        let columns: Vec<&SensitiveColumn> = columns.iter().collect();
        marks = marks.with(among_people(scene, table, &columns, share)?);
    }
    Ok(marks.success())
}

/// What one table with all sensitive columns would tell, in the classes of the finest of the tables.
fn in_one_table(scene: &Scene<'_>, tables: &[Gathered<'_>], share: (u64, u64)) -> Result<Success> {
    let columns: Vec<SensitiveColumn> = Gathered::sensitive_columns(tables).collect();
    let columns: Vec<&SensitiveColumn> = columns.iter().collect();
    let found =
        Gathered::finest(tables).map(|table| among_people(scene, table, &columns, share)).transpose()?;
    Ok(found.map(|marks| marks.success()).unwrap_or_default())
}

/// The surest conclusion in a table, in words.
fn worst(scene: &Scene<'_>, table: &Gathered<'_>) -> Result<Option<String>> {
    let (classes, columns) = table.released();
    let found = surest(Classed { classes: &classes }, &columns.iter().collect::<Vec<_>>(), scene.clock)?;
    let Some(found) = found else { return Ok(None) };
    let told = |(place, cell): (usize, u32)| {
        let column = &table.view.columns[table.sensitive[place]];
        format!("{}={}", column.name, column.cells.text(cell))
    };
    let records = counted(found.of, "record", "records");
    let (known, read) = (told(found.known), told(found.read));
    Ok(Some(format!("{known} in a class → {read}: {} of {records}", found.rows)))
}

/// What follows if the people of each crowd were a class of a table with these columns.
fn among_people(
    scene: &Scene<'_>,
    table: &Gathered<'_>,
    columns: &[&SensitiveColumn],
    share: (u64, u64),
) -> Result<Marks> {
    let mut marks = Marks::of(Classed { classes: &table.crowds.of_row }, columns, share, scene.clock)?;
    for (person, _) in table.crowds.of_row.iter().enumerate().filter(|(_, crowd)| **crowd == NOWHERE) {
        (marks.hit[person], marks.surprised[person], marks.pairs[person]) = (false, false, 0);
    }
    Ok(marks)
}

/// The same column with its values dealt out anew within each class.
fn dealt_anew(table: Classed<'_>, mut column: SensitiveColumn, seed: u64, purpose: &str) -> SensitiveColumn {
    let mut rows: Vec<u32> = (0..table.classes.len() as u32).collect();
    rows.sort_by_key(|row| table.classes[*row as usize]);
    let mut random = keyed(seed, purpose);
    for class in rows.chunk_by(|one, other| table.classes[*one as usize] == table.classes[*other as usize]) {
        let mut own: Vec<u32> = class.iter().map(|row| column.codes[*row as usize]).collect();
        shuffle(&mut own, &mut random);
        class.iter().zip(own).for_each(|(row, code)| column.codes[*row as usize] = code);
    }
    column
}

#[cfg(test)]
mod several_tables;

#[cfg(test)]
mod tests {
    use super::super::follow::Surest;
    use super::*;
    use privet_core::clock::Clock;

    fn column(codes: &[u32], values: usize) -> SensitiveColumn {
        SensitiveColumn { codes: codes.to_vec(), sensitive: vec![true; values] }
    }

    fn marks(table: Classed<'_>, columns: &[&SensitiveColumn], share: (u64, u64)) -> Marks {
        Marks::of(table, columns, share, &Clock::unlimited()).expect("no limit")
    }

    fn surest_of(table: Classed<'_>, columns: &[&SensitiveColumn]) -> Option<Surest> {
        surest(table, columns, &Clock::unlimited()).expect("no limit")
    }

    #[test]
    fn a_value_tells_the_one_next_to_it() {
        // In the class, disease 0 goes with treatment 0 alone; disease 1 with two of them.
        let table = Classed { classes: &[0, 0, 0, 0] };
        let (disease, treatment) = (column(&[0, 0, 1, 1], 2), column(&[0, 0, 1, 2], 3));
        let marks = marks(table, &[&disease, &treatment], (1, 1));
        // Treatments tell the disease of all four; the disease tells the treatment of two.
        assert_eq!(marks.success(), Success { pairs: 6, people: 4, surprised: 0 });
        let surest = surest_of(table, &[&disease, &treatment]).expect("a conclusion");
        assert_eq!((surest.rows, surest.of, surest.known, surest.read), (2, 2, (0, 0), (1, 0)));
    }

    #[test]
    fn how_sure_he_has_to_be_is_told() {
        let told = |text: &str| shares(Exact::parse(text).expect("a share"))[1].clone();
        assert_eq!(told("0.9"), ((9, 10), "at least nine in ten sure".to_string()));
        assert_eq!(told("75%"), ((3, 4), "at least 3/4 sure".to_string()));
        // Three of four who have the disease have the treatment.
        let table = Classed { classes: &[0; 8] };
        let (disease, treatment) =
            (column(&[0, 0, 0, 0, 1, 1, 1, 1], 2), column(&[0, 0, 0, 1, 1, 2, 3, 4], 5));
        let people = |share| marks(table, &[&disease, &treatment], share).success().people;
        assert!(people(told("0.75").0) > people(told("0.9").0));
    }

    #[test]
    fn independent_columns_tell_nothing() {
        let table = Classed { classes: &[0, 0, 0, 0] };
        let (a, b) = (column(&[0, 0, 1, 1], 2), column(&[0, 1, 0, 1], 2));
        let marks = marks(table, &[&a, &b], (9, 10));
        assert_eq!(marks.success(), Success::default());
        assert_eq!(surest_of(table, &[&a, &b]), None, "nothing becomes surer than the class makes it");
    }

    #[test]
    fn what_the_class_gives_away_is_not_counted() {
        let table = Classed { classes: &[0; 5] };
        let (a, b) = (column(&[0, 0, 0, 1, 1], 2), column(&[0; 5], 1));
        assert_eq!(marks(table, &[&a, &b], (1, 1)).success().people, 0);
    }

    #[test]
    fn a_table_with_two_sensitive_columns_is_attacked_through_its_file() {
        use crate::testing::{POLICY, Stage};
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
