//! Whose rows they are, if one person may have several: risks are then counted per person, and the size of a crowd is
//! its number of people, not of rows.

use hashbrown::HashMap;

use super::view::{Matcher, TableView};
use super::{PolicyRef, Scene};
use privet_core::Result;
use privet_data::Batch;
use privet_data::interner::Interner;

/// Whose each row of the original is, by number.
pub(super) struct Owners(Vec<u32>);

impl Owners {
    /// Reads whose rows they are; `None` where the policy does not say.
    pub fn of(scene: &Scene<'_>, table: &TableView) -> Result<Option<Owners>> {
        let PolicyRef::Table(policy) = scene.policy else { return Ok(None) };
        let Some(column) = policy.person else { return Ok(None) };
        let mut names = Interner::default();
        let mut by_line: Vec<(u64, u32)> = Vec::new();
        policy.source.read(&mut |batch: &Batch, _| {
            scene.clock.check()?;
            for row in 0..batch.rows() {
                by_line.push((batch.line(row), names.intern(batch.cell(row, column).trim())));
            }
            Ok(())
        })?;
        by_line.sort_unstable();
        let owner = |row: usize| {
            let line = table.original.line(row);
            let at = by_line.partition_point(|(other, _)| *other < line);
            by_line.get(at).filter(|(other, _)| *other == line).map_or(u32::MAX, |(_, person)| *person)
        };
        Ok(Some(Owners((0..table.original.len).map(owner).collect())))
    }

    /// Of every person one of these rows, the one that `rank` puts first.
    pub fn one_row_each<R: Ord>(
        &self,
        rows: impl Iterator<Item = usize>,
        rank: impl Fn(usize) -> R,
    ) -> Vec<usize> {
        let mut rows: Vec<usize> = rows.collect();
        rows.sort_by_cached_key(|row| (self.0[*row], rank(*row), *row));
        rows.dedup_by_key(|row| self.0[*row]);
        rows.sort_unstable();
        rows
    }

    /// How many people have a row that is marked.
    pub fn count(&self, marks: &[bool]) -> u64 {
        let marked = (0..marks.len()).filter(|row| marks[*row]);
        self.one_row_each(marked, |_| ()).len() as u64
    }

    /// Per target of the table's quasi-identifiers, how many people may have the rows that contain it.
    pub fn crowds(&self, scene: &Scene<'_>, table: &TableView) -> Result<Vec<u64>> {
        // People who are not attacked may still be in the crowd.
        let all = Matcher::new(
            &table.columns,
            &table.quasi.columns,
            &table.released,
            &table.original,
            scene.everybody(),
        )?;
        let mut owners: Vec<Vec<u32>> = vec![Vec::new(); all.targets.len()];
        for row in 0..table.original.len {
            if let Some(target) = all.target_of(row) {
                owners[target].push(self.0[row]);
            }
        }
        let mut people: Vec<Vec<u32>> = vec![Vec::new(); all.classes.len()];
        let matched = all.map(scene.clock, |_, classes| classes.to_vec())?;
        for (own, classes) in owners.iter().zip(&matched) {
            classes.iter().for_each(|class| people[*class as usize].extend(own));
        }
        for own in &mut people {
            own.sort_unstable();
            own.dedup();
        }
        table.quasi.map(scene.clock, |_, classes| {
            let mut crowd: Vec<u32> =
                classes.iter().flat_map(|class| people[*class as usize].iter().copied()).collect();
            crowd.sort_unstable();
            crowd.dedup();
            (crowd.len() as u64).min(table.quasi.rows_in(classes))
        })
    }
}

/// How many of the people who match rows have a value, each counted once however many rows they have.
pub(super) struct ValueShares {
    /// Per row of the original, how large a part of the matching people has its value in one of these rows, and how
    /// many they are; nothing for rows that are not attacked.
    of_row: Vec<Option<(f64, u64)>>,
    /// Per value of the column, how large a part of everybody has it.
    base: HashMap<u32, f64>,
    codes: Vec<u32>,
}

impl ValueShares {
    /// How large a part of the people has the row's value.
    pub fn of(&self, row: usize) -> f64 {
        self.of_row[row].map_or(0.0, |(share, _)| share)
    }

    /// Whether all rows that contain somebody are one person's.
    pub fn is_alone(&self, row: usize) -> bool {
        self.of_row[row].is_some_and(|(_, people)| people == 1)
    }

    /// How large a part of everybody has the row's value.
    pub fn usual(&self, row: usize) -> f64 {
        self.base.get(&self.codes[row]).copied().unwrap_or(0.0)
    }
}

impl Owners {
    /// Who has which value of a column, among people who match rows.
    pub fn shares(&self, scene: &Scene<'_>, table: &TableView, column: usize) -> Result<ValueShares> {
        let all = Matcher::new(
            &table.columns,
            &table.quasi.columns,
            &table.released,
            &table.original,
            scene.everybody(),
        )?;
        let codes: Vec<u32> =
            (0..table.original.len).map(|row| table.original.codes[column].at(row)).collect();
        let mut holders: Vec<Vec<(u32, u32)>> = vec![Vec::new(); all.targets.len()];
        for (row, code) in codes.iter().enumerate() {
            if let Some(target) = all.target_of(row) {
                holders[target].push((self.0[row], *code));
            }
        }
        let mut held: Vec<Vec<(u32, u32)>> = vec![Vec::new(); all.classes.len()];
        let matched = all.map(scene.clock, |_, classes| classes.to_vec())?;
        for (own, classes) in holders.iter().zip(&matched) {
            classes.iter().for_each(|class| held[*class as usize].extend(own));
        }
        for own in &mut held {
            own.sort_unstable();
            own.dedup();
        }
        let of_crowd = table.quasi.map_crowds(scene.clock, |_, classes| {
            let mut pairs: Vec<(u32, u32)> =
                classes.iter().flat_map(|class| held[*class as usize].iter().copied()).collect();
            pairs.sort_unstable();
            pairs.dedup();
            counted_by_value(&pairs)
        })?;
        let of_row = |row: usize| {
            let (people, values) = &of_crowd[table.quasi.crowd_of(row)?];
            let having = values.get(&codes[row]).copied().unwrap_or(0);
            Some((having as f64 / (*people).max(1) as f64, *people))
        };
        let mut everybody: Vec<(u32, u32)> = self.0.iter().copied().zip(codes.iter().copied()).collect();
        everybody.sort_unstable();
        everybody.dedup();
        let (people, values) = counted_by_value(&everybody);
        let base = values.into_iter().map(|(value, having)| (value, having as f64 / people.max(1) as f64));
        Ok(ValueShares { of_row: (0..table.original.len).map(of_row).collect(), base: base.collect(), codes })
    }
}

/// How many people there are among pairs of people and values, ascending and without repeats, and how many have each value.
fn counted_by_value(pairs: &[(u32, u32)]) -> (u64, HashMap<u32, u64>) {
    let people = pairs.chunk_by(|(one, _), (other, _)| one == other).count() as u64;
    let mut values: HashMap<u32, u64> = HashMap::new();
    pairs.iter().for_each(|(_, value)| *values.entry(*value).or_default() += 1);
    (people, values)
}

#[cfg(test)]
mod tests {
    use crate::testing::Stage;

    const POLICY: &str = "[data]\npath = \"table.csv\"\nperson = \"pid\"\n\
        [columns.age]\nrole = \"quasi-identifier\"\n\
        [columns.ill]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 1\n";
    const ORIGINAL: &str = "pid,age,ill\na,20,flu\na,20,flu\na,20,ulcer\nb,30,flu\nb,30,flu\nc,31,flu\n";

    #[test]
    fn a_class_of_one_person_is_a_crowd_of_one_however_many_rows_it_has() {
        let stage = Stage::with(POLICY, ORIGINAL);
        let release = "age,ill\n20,flu\n20,flu\n20,ulcer\n30-31,flu\n30-31,flu\n30-31,flu\n";
        let finding = stage.attack("linking", release).expect("run");
        let alone = &finding.figures[1];
        assert_eq!((alone.targets, alone.hits), (3, 1), "{finding:?}");
        let finding = stage.attack("homogeneity", release).expect("run");
        // Both illnesses of the first are certain: nobody else could be meant.
        assert_eq!((finding.headline().targets, finding.headline().hits), (3, 3), "{finding:?}");
    }

    #[test]
    fn hard_use_1_3_a_class_of_one_person_tells_all_that_they_have() {
        // Four people with three records each, who have three illnesses each.
        let people: Vec<(char, u32)> = "abcd".chars().zip([20, 30, 40, 50]).collect();
        let rows = |pid: bool| -> String {
            let row = |(name, age): &(char, u32), ill: &str| {
                if pid { format!("{name},{age},{ill}\n") } else { format!("{age},{ill}\n") }
            };
            people.iter().flat_map(|who| ["flu", "gout", "ulcer"].map(|ill| row(who, ill))).collect()
        };
        let stage = Stage::with(POLICY, &format!("pid,age,ill\n{}", rows(true)));
        let release = format!("age,ill\n{}", rows(false));
        let headline = |attack: &str, release: &str| {
            let finding = stage.attack(attack, release).expect("run");
            (finding.headline().targets, finding.headline().hits, finding)
        };
        let (targets, hits, finding) = headline("homogeneity", &release);
        assert_eq!((targets, hits), (4, 4), "{finding:?}");
        assert!(finding.worst.contains("ill="), "{finding:?}");
        assert_eq!(headline("skewness", &release).0, 4);
        let linking = stage.attack("linking", &release).expect("run");
        assert!(linking.worst.contains("3 rows contain them, all of one person"), "{}", linking.worst);
        let order = stage.attack("row-order", &release).expect("run");
        assert!(order.figures.iter().all(|figure| !figure.what.starts_with("people")), "{order:?}");
        // With everybody in one class all of them have all illnesses, and that is certain as well.
        let ills = "*,flu\n*,gout\n*,ulcer\n".repeat(4);
        assert_eq!(headline("homogeneity", &format!("age,ill\n{ills}")).1, 4);
    }

    #[test]
    fn without_a_name_every_row_is_somebody() {
        let stage = Stage::with(&POLICY.replace("person = \"pid\"\n", ""), ORIGINAL);
        let release = "age,ill\n20,flu\n20,flu\n20,ulcer\n30-31,flu\n30-31,flu\n30-31,flu\n";
        let finding = stage.attack("linking", release).expect("run");
        assert_eq!((finding.figures[1].targets, finding.figures[1].hits), (6, 0), "{finding:?}");
    }
}
