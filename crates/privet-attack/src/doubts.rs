//! Checks that the files belong together: an attack that compares unrelated files finds nothing, which looks like
//! safety.
//!
//! Examples are a released table with cells that mean nothing, a population of other people, or a hold-out that was
//! never held out. What makes all figures worthless is an error; what makes some of them doubtful is a warning.

use std::fs;
use std::path::Path;

use hashbrown::HashSet;

use super::Scene;
use super::view::{CodedRows, TableView, ViewColumn, value_tree};
use privet_core::counted;
use privet_core::{Error, Result};
use privet_data::Source;
use privet_policy::CheckedPolicy;
use privet_taxonomy::number;

impl Scene<'_> {
    /// What makes the figures of attacks doubtful, as sentences; an error where they would be worthless.
    pub fn doubts(&self) -> Result<Vec<String>> {
        self.read()?;
        let (Some(policy), Ok(tables)) = (self.table_policy(), self.tables()) else { return Ok(Vec::new()) };
        let mut doubts = Vec::new();
        for (table, file) in tables.iter().zip(self.released.files()) {
            let known = doubts.len();
            cells(policy, table, &file, &mut doubts)?;
            if doubts.len() == known {
                strangers(self, table, &file, &mut doubts)?;
            }
            for column in &table.further {
                doubts.push(format!(
                    "{} has a column '{}' that the data does not have: only the search for undeclared \
                     quasi-identifiers uses it",
                    file.display(),
                    column.name
                ));
            }
        }
        let Some(table) = tables.first() else { return Ok(doubts) };
        if let (Some(source), Some(people)) = (&self.population, &table.population) {
            values(policy, table, (source, people), &mut doubts)?;
            population(table, (source, people), &mut doubts)?;
        }
        if let (Some(source), Some(people)) = (&self.holdout, &table.holdout) {
            if is_same_file(source.path(), policy.source.path()) {
                return Err(not_held_out(source));
            }
            values(policy, table, (source, people), &mut doubts)?;
            holdout(table, (source, people), &mut doubts)?;
        }
        Ok(doubts)
    }
}

/// Released quasi-identifiers that say nothing which the original could mean.
fn cells(policy: &CheckedPolicy, table: &TableView, file: &Path, doubts: &mut Vec<String>) -> Result<()> {
    const HELP: &str = "spell values and labels as the data and its hierarchies do; ranges as 20-29, [20,30) or [20, 30[, lists \
                        as {a, b}, and a suppressed cell as *";
    for column in &table.quasi.columns {
        let own = &table.columns[*column];
        let senseless = own.senseless(policy)?;
        let codes = &table.released.codes[*column];
        let rows: Vec<u32> = codes.iter().filter(|cell| senseless[*cell as usize]).collect();
        let Some(first) = rows.first() else { continue };
        let (text, name) = (own.cells.text(*first), &own.name);
        if rows.len() == table.released.len {
            return Err(Error::input(format!(
                "no released cell of column '{name}' matches a value of the original; the first is '{text}'"
            ))
            .in_file(file)
            .help(HELP));
        }
        doubts.push(format!(
            "{} of {} of {} {} a cell of column '{name}' that matches no value of the original, such as '{text}': \
             these rows match nobody, and figures may be too low; {HELP}",
            rows.len(),
            counted(table.released.len as u64, "row", "rows"),
            file.display(),
            if rows.len() == 1 { "has" } else { "have" }
        ));
    }
    Ok(())
}

/// Released rows that match nobody in the data: made-up people, values that were swapped or averaged, another data set.
fn strangers(scene: &Scene<'_>, table: &TableView, file: &Path, doubts: &mut Vec<String>) -> Result<()> {
    if table.released.len == 0 {
        doubts
            .push(format!("{} has only a header and no rows, so attacks find nothing in it", file.display()));
        return Ok(());
    }
    // Of a sample it cannot be said who is in none of the rows.
    if table.quasi.columns.is_empty() || table.quasi.sampled.is_some() {
        return Ok(());
    }
    let mut contains = vec![false; table.quasi.classes.len()];
    for classes in table.quasi.map_alike(scene.clock, <[u32]>::to_vec)?.0 {
        classes.into_iter().for_each(|class| contains[class as usize] = true);
    }
    let empty = contains.iter().zip(&table.quasi.classes.counts).filter(|(contains, _)| !**contains);
    let empty: u64 = empty.map(|(_, rows)| rows).sum();
    let rows = table.released.len as u64;
    if empty == rows {
        return Err(Error::input("no released row matches anybody in the data").in_file(file).help(
            "attacks find people through released cells that contain their values: check that this is a release of \
             this data; tables whose values were averaged, swapped or made up cannot be judged in this way",
        ));
    }
    if empty > 0 {
        doubts.push(format!(
            "{empty} of {} of {} {} nobody in the data: figures may be too low",
            counted(rows, "row", "rows"),
            file.display(),
            if empty == 1 { "matches" } else { "match" }
        ));
    }
    Ok(())
}

/// Quasi-identifiers of other people that neither the original nor a hierarchy knows.
fn values(
    policy: &CheckedPolicy,
    table: &TableView,
    (source, people): (&Source, &CodedRows),
    doubts: &mut Vec<String>,
) -> Result<()> {
    if people.len == 0 {
        return Err(Error::input("the file has only a header and no rows")
            .in_file(source.path())
            .help("give a table with one row per person"));
    }
    for column in table.quasi.columns.iter().copied().filter(|column| people.has(*column)) {
        let own = &table.columns[column];
        let fits = fitting(policy, own)?;
        let strange: Vec<usize> =
            (0..people.len).filter(|row| !fits[people.codes[column].at(*row) as usize]).collect();
        let Some(line) = strange.iter().map(|row| people.line(*row)).min() else { continue };
        if strange.len() == people.len {
            return Err(Error::input(format!(
                "no value of column '{}' occurs in the data or its hierarchy",
                own.name
            ))
            .in_file(source.path())
            .at_line(line)
            .help("people are compared with the data value by value: use the same spelling, and check that this is \
                   the right file"));
        }
        doubts.push(format!(
            "{} of {} of {} {} a value of column '{}' that occurs in neither the data nor its hierarchy; the first is \
             in line {line}",
            strange.len(),
            counted(people.len as u64, "row", "rows"),
            source.path().display(),
            if strange.len() == 1 { "has" } else { "have" },
            own.name
        ));
    }
    Ok(())
}

/// Per value of a column, whether the data has it or could have it.
fn fitting(policy: &CheckedPolicy, column: &ViewColumn) -> Result<Vec<bool>> {
    let tree = value_tree(policy, &column.policy)?;
    let numeric = column.is_numeric(policy);
    let fits = |(at, text): (usize, &str)| {
        let in_tree =
            || tree.as_ref().is_some_and(|tree| tree.leaf_of(text).is_ok_and(|leaf| leaf.is_some()));
        let is_number = || numeric && (number(text).is_some() || policy.is_missing(text));
        at < column.own || is_number() || in_tree()
    };
    Ok(column.values.texts().enumerate().map(fits).collect())
}

/// The values of some columns, row by row.
fn tuples<'r>(rows: &'r CodedRows, columns: &'r [usize]) -> impl Iterator<Item = Vec<u32>> + 'r {
    (0..rows.len).map(|row| columns.iter().map(|column| rows.codes[*column].at(row)).collect())
}

/// A population contains everybody who may be in the data, so everybody who is.
fn population(
    table: &TableView,
    (source, people): (&Source, &CodedRows),
    doubts: &mut Vec<String>,
) -> Result<()> {
    let known: Vec<usize> =
        table.quasi.columns.iter().copied().filter(|column| people.has(*column)).collect();
    let everybody: HashSet<Vec<u32>> = tuples(people, &known).collect();
    let missing = tuples(&table.original, &known).filter(|tuple| !everybody.contains(tuple)).count();
    if missing > 0 && missing == table.original.len {
        return Err(Error::input("the population file contains none of the people in the data")
            .in_file(source.path())
            .help("a population is everybody who may be in the data, including those who are; check that this is the \
                   right file"));
    }
    if missing > 0 {
        doubts.push(format!(
            "{missing} of {} of the data {} not in {}, which should contain everybody who may be in the data",
            counted(table.original.len as u64, "person", "people"),
            if missing == 1 { "is" } else { "are" },
            source.path().display()
        ));
    }
    Ok(())
}

/// A hold-out has people who are not in the data.
fn holdout(
    table: &TableView,
    (source, people): (&Source, &CodedRows),
    doubts: &mut Vec<String>,
) -> Result<()> {
    let known: Vec<usize> = (0..table.columns.len()).filter(|column| people.has(*column)).collect();
    let data: HashSet<Vec<u32>> = tuples(&table.original, &known).collect();
    let there: Vec<Vec<u32>> = tuples(people, &known).filter(|tuple| data.contains(tuple)).collect();
    let distinct: HashSet<&Vec<u32>> = there.iter().collect();
    if there.len() == people.len && people.len == table.original.len && distinct.len() == data.len() {
        return Err(not_held_out(source));
    }
    if 2 * there.len() > people.len {
        doubts.push(format!(
            "{} of {} of {} {} identical to somebody in the data: a hold-out should contain people who were left out \
             of it",
            there.len(),
            counted(people.len as u64, "row", "rows"),
            source.path().display(),
            if there.len() == 1 { "is" } else { "are" }
        ));
    }
    Ok(())
}

fn not_held_out(source: &Source) -> Error {
    Error::input("these are the people in the data, not people who were left out of it")
        .in_file(source.path())
        .help("set some rows aside before anonymising the data, and give a file with them")
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use super::super::testing::Stage;
    use privet_core::{Error, Result};
    use privet_data::{ReadOptions, Source};

    const ORIGINAL: &str = "age,city,ill\n20,Oslo,flu\n21,Bergen,asthma\n30,Rome,flu\n31,Pisa,ulcer\n";

    fn doubts(released: &str, population: Option<&str>, holdout: Option<&str>) -> Result<Vec<String>> {
        let stage = Stage::new(ORIGINAL);
        stage.write("release.csv", released);
        let open = |name: &str, text: &str| {
            Source::open(&stage.write(name, text), &ReadOptions::default()).expect("people")
        };
        stage.on("release.csv", |mut scene| {
            scene.population = population.map(|text| open("all.csv", text));
            scene.holdout = holdout.map(|text| open("rest.csv", text));
            scene.doubts()
        })
    }

    fn fails(found: Result<Vec<String>>) -> Error {
        found.expect_err("an error")
    }

    const SAFE: &str = "age,city,ill\n\"[20, 30[\",Norway,flu\n\"]19, 29]\",\"{Oslo, Bergen}\",asthma\n*,*,flu\n30-39,Italy,ulcer\n";

    #[test]
    fn what_other_tools_write_makes_sense() {
        assert_eq!(doubts(SAFE, None, None).expect("no error"), Vec::<String>::new());
        let stage = Stage::new(ORIGINAL);
        let found = stage.attack("linking", SAFE).expect("run");
        // Norway at 20 and 21: two rows and the one of stars.
        assert_eq!(found.figures[1].hits, 0, "{found:?}");
        assert_eq!(found.more["prosecutor"]["max"], 0.5, "{found:?}");
    }

    #[test]
    fn cells_that_mean_nothing_are_told() {
        let some = doubts(&SAFE.replace("*,*", "nan,*"), None, None).expect("a doubt");
        assert!(
            some.len() == 1 && some[0].starts_with("1 of 4 rows of") && some[0].contains("'nan'"),
            "{some:?}"
        );
        let error = fails(doubts("age,city,ill\nnan,*,flu\nNULL,*,flu\n", None, None));
        assert!(error.to_string().contains("release.csv: no released cell of column 'age'"), "{error}");
        let error = fails(doubts("a,b\n1,2\n", None, None));
        assert!(error.to_string().contains("none of its columns"), "{error}");
    }

    #[test]
    fn rows_that_nobody_can_be_in_are_told() {
        // Ages were averaged: no cell is wrong by itself, but nobody is that old.
        let error = fails(doubts("age,city,ill\n20.5,*,flu\n30.5,*,flu\n", None, None));
        assert!(error.to_string().contains("no released row matches anybody in the data"), "{error}");
        let some = doubts("age,city,ill\n20-29,*,flu\n30.5,*,flu\n", None, None).expect("a doubt");
        assert!(some.len() == 1 && some[0].contains("1 of 2 rows"), "{some:?}");
        let nobody = doubts("age,city,ill\n", None, None).expect("a doubt");
        assert!(nobody.len() == 1 && nobody[0].contains("only a header"), "{nobody:?}");
        let further =
            doubts(&SAFE.replace("ill", "ill,x").replace("\n", ",1\n").replacen("x,1", "x", 1), None, None);
        let further = further.expect("a doubt");
        assert!(
            further.len() == 1 && further[0].contains("a column 'x' that the data does not have"),
            "{further:?}"
        );
    }

    #[test]
    fn a_population_has_the_people_of_the_data() {
        let population = |text: &str| doubts(SAFE, Some(text), None);
        let all = "age,city\n20,Oslo\n21,Bergen\n30,Rome\n31,Pisa\n40,Pisa\n";
        assert_eq!(population(all).expect("no error"), Vec::<String>::new());
        for (text, said) in [
            ("age,city\n", "only a header and no rows"),
            ("age,city\nold,Oslo\nyoung,Rome\n", "all.csv:2: no value of column 'age'"),
            ("age,city\n50,Oslo\n51,Rome\n", "none of the people in the data"),
        ] {
            let error = fails(population(text));
            assert!(error.to_string().contains(said), "{error}");
        }
        // One odd value does not keep ranges from being ranges.
        let odd = population("age,city\n20,Oslo\n21,Bergen\n30,Rome\n31,Pisa\nold,Pisa\n").expect("a doubt");
        assert!(odd.len() == 1 && odd[0].contains("line 6"), "{odd:?}");
        let some = population("age,city\n20,Oslo\n21,Bergen\n30,Atlantis\n").expect("doubts");
        assert!(
            some.len() == 2
                && some[0].contains("line 4")
                && some[1].starts_with("2 of 4 people of the data are not in"),
            "{some:?}"
        );
    }

    #[test]
    fn a_holdout_has_other_people() {
        let holdout = |text: &str| doubts(SAFE, None, Some(text));
        assert_eq!(
            holdout("age,city,ill\n22,Oslo,flu\n33,Pisa,flu\n").expect("no error"),
            Vec::<String>::new()
        );
        assert!(fails(holdout(ORIGINAL)).to_string().contains("not people who were left out"));
        let mostly = holdout("age,city,ill\n20,Oslo,flu\n21,Bergen,asthma\n33,Pisa,flu\n").expect("a doubt");
        assert!(mostly.len() == 1 && mostly[0].starts_with("2 of 3 rows of"), "{mostly:?}");
        let stage = Stage::new(ORIGINAL);
        stage.write("release.csv", SAFE);
        let same = Source::open(&stage.path("table.csv"), &ReadOptions::default()).expect("people");
        let error = stage.on("release.csv", |mut scene| {
            scene.holdout = Some(same);
            fails(scene.doubts())
        });
        assert!(error.to_string().contains("table.csv"), "{error}");
    }
}
