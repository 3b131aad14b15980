//! Whose rows they are, where one person may have several: risks are then of people, and a crowd is as many as there are
//! people in it, not rows.

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
        // Whoever is not attacked may still be in the crowd.
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
        assert_eq!((finding.headline().targets, finding.headline().hits), (3, 2), "{finding:?}");
    }

    #[test]
    fn without_a_name_every_row_is_somebody() {
        let stage = Stage::with(&POLICY.replace("person = \"pid\"\n", ""), ORIGINAL);
        let release = "age,ill\n20,flu\n20,flu\n20,ulcer\n30-31,flu\n30-31,flu\n30-31,flu\n";
        let finding = stage.attack("linking", release).expect("run");
        assert_eq!((finding.figures[1].targets, finding.figures[1].hits), (6, 0), "{finding:?}");
    }
}
