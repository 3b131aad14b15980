//! LKC-privacy (Mohammed, Fung, Hung and Lee, *Anonymizing Healthcare Data: A Case Study on the Blood Transfusion Service*,
//! KDD 2009): for every set of at most L quasi-identifiers, every group of released records with equal cells in them has at
//! least K records, and no sensitive value makes up more than the share C of it.
//!
//! Sets of exactly L quasi-identifiers (or of all, where there are fewer) decide. A group that agrees on fewer columns is the
//! disjoint union of the groups that agree on these and on some more. If each of those has K records, so has the union; and
//! the share of a value in a union is a mean of its shares in the parts, so it is at most the largest of them. A test compares
//! this with the definition, which looks at all sets.
//!
//! The groups of all sets are found by one walk: classes are split by the cells of one column after the other, and sets that
//! begin with the same columns share the splits. With m quasi-identifiers there are at most L times (m choose L) splits of all
//! classes, and the policy check limits (m choose L). Memory is that of the classes, once per column of a set.

use super::Facts;
use crate::Check;
use crate::classes::Histogram;
use crate::table::Tuples;
use crate::watch::Watch;
use privet_core::{Exact, Result, counted};
use privet_policy::requirement::LkcPrivacy;

/// Records that agree on some quasi-identifiers.
struct Group<'a> {
    /// The columns that they agree on.
    columns: &'a [usize],
    /// The classes that they are in.
    classes: &'a [u32],
    size: u64,
    /// How many of them have the most frequent sensitive value.
    most: u64,
}

impl Group<'_> {
    fn is_large(&self, asked: &LkcPrivacy) -> bool {
        self.size >= asked.k
    }

    fn is_unsure(&self, asked: &LkcPrivacy) -> bool {
        let (numerator, denominator) = (asked.confidence.numerator(), asked.confidence.denominator());
        u128::from(self.most) * u128::from(denominator) <= u128::from(numerator) * u128::from(self.size)
    }

    fn holds(&self, asked: &LkcPrivacy) -> bool {
        self.is_large(asked) && self.is_unsure(asked)
    }

    /// How close to a bound it is; larger is worse. Only used to choose which group is named as the worst.
    fn strain(&self, asked: &LkcPrivacy) -> f64 {
        let size = self.size as f64;
        (asked.k as f64 / size).max(self.most as f64 / size / asked.confidence.to_f64())
    }

    /// The inequality that fails, or else both.
    fn explain(&self, asked: &LkcPrivacy) -> String {
        let Group { size, most, .. } = self;
        let (k, c): (u64, Exact) = (asked.k, asked.confidence);
        match (self.is_large(asked), self.is_unsure(asked)) {
            (true, true) => format!("size {size} ≥ K = {k}, largest share {most}/{size} ≤ C = {c}"),
            (false, true) => format!("size {size} < K = {k}"),
            (true, false) => format!("largest share {most}/{size} > C = {c}"),
            (false, false) => format!("size {size} < K = {k}, largest share {most}/{size} > C = {c}"),
        }
    }
}

/// The walk through all groups of classes that agree on a number of columns.
struct GroupWalk<'a> {
    /// The released cells of the classes.
    cells: &'a Tuples,
    /// How often each class has each sensitive value.
    histograms: &'a [Histogram],
    /// How many columns groups agree on.
    width: usize,
    /// How many quasi-identifiers there are.
    quasi: usize,
    /// How often each sensitive value occurs in the group at hand; all 0 between two groups.
    counts: Vec<u64>,
    watch: Watch<'a>,
}

impl GroupWalk<'_> {
    /// Calls `each` with every group.
    fn all(&mut self, each: &mut dyn FnMut(&Group<'_>)) -> Result<()> {
        let classes: Vec<u32> = self.cells.ids().collect();
        if classes.is_empty() {
            return Ok(());
        }
        self.split(&mut Vec::new(), &classes, each)
    }

    /// Splits classes that agree on some columns by those that come after them.
    fn split(
        &mut self,
        columns: &mut Vec<usize>,
        classes: &[u32],
        each: &mut dyn FnMut(&Group<'_>),
    ) -> Result<()> {
        (self.watch)()?;
        let lacking = self.width - columns.len();
        if lacking == 0 {
            let (size, most) = self.count(classes);
            each(&Group { columns, classes, size, most });
            return Ok(());
        }
        let first = columns.last().map_or(0, |last| last + 1);
        for column in first..=self.quasi - lacking {
            let mut sorted = classes.to_vec();
            sorted.sort_unstable_by_key(|class| self.cells.get(*class)[column]);
            columns.push(column);
            let cells = self.cells;
            for group in sorted.chunk_by(|a, b| cells.get(*a)[column] == cells.get(*b)[column]) {
                self.split(columns, group, each)?;
            }
            columns.pop();
        }
        Ok(())
    }

    /// How many records classes have, and how many of these have the most frequent value.
    fn count(&mut self, classes: &[u32]) -> (u64, u64) {
        let (mut size, mut most) = (0, 0);
        for class in classes {
            let histogram = &self.histograms[*class as usize];
            size += histogram.size;
            for (value, count) in &histogram.counts {
                let sum = &mut self.counts[*value as usize];
                *sum += count;
                most = most.max(*sum);
            }
        }
        for class in classes {
            for (value, _) in &self.histograms[*class as usize].counts {
                self.counts[*value as usize] = 0;
            }
        }
        (size, most)
    }
}

/// Checks every group.
pub(super) fn check(asked: &LkcPrivacy, name: String, facts: &Facts<'_>) -> Result<Check> {
    let column = asked.column.map(|column| facts.column("lkc-privacy", column)).transpose()?;
    let quasi = facts.layout.quasi.len();
    let cells = &facts.classes.cells;
    let histograms: Vec<Histogram> = cells
        .ids()
        .map(|class| match column {
            Some(column) => facts.classes.histogram(class, quasi + column, &facts.tables.release.records),
            None => Histogram { size: cells.count(class), counts: Vec::new() },
        })
        .collect();
    let mut walk = GroupWalk {
        cells,
        histograms: &histograms,
        width: asked.group_width(quasi),
        quasi,
        counts: vec![0; column.map_or(0, |column| facts.tables.plain[column].len())],
        watch: facts.watch,
    };
    let mut check = Check::new(name, true, String::new());
    let (mut groups, mut concerned) = (0u64, vec![false; histograms.len()]);
    let mut worst: Option<(bool, f64, String)> = None;
    walk.all(&mut |group| {
        groups += 1;
        let fails = !group.holds(asked);
        if fails {
            check.holds = false;
            check.classes_failing += 1;
            group.classes.iter().for_each(|class| concerned[*class as usize] = true);
        }
        let strain = group.strain(asked);
        if worst.as_ref().is_none_or(|(failed, most, _)| (*failed, *most) < (fails, strain)) {
            worst = Some((fails, strain, format!("{}: {}", describe(group, facts), group.explain(asked))));
        }
    })?;
    check.concerned =
        cells.ids().filter(|class| concerned[*class as usize]).map(|class| cells.count(class)).sum();
    check.worst = worst.map(|(_, _, words)| words);
    let agree = counted(asked.group_width(quasi) as u64, "quasi-identifier", "quasi-identifiers");
    check.detail = match (check.classes_failing, groups) {
        (_, 0) => "the release has no records".to_string(),
        (0, 1) => format!("holds in the only group of records that agree on {agree}"),
        (0, groups) => format!("holds in all {groups} groups of records that agree on {agree}"),
        (failing, groups) => {
            format!("fails in {failing} of {groups} groups of records that agree on {agree}")
        }
    };
    Ok(check)
}

/// A group in words: the cells that it agrees on.
fn describe(group: &Group<'_>, facts: &Facts<'_>) -> String {
    let Some(first) = group.classes.first().filter(|_| !group.columns.is_empty()) else {
        return "the whole table".to_string();
    };
    let cells = facts.classes.cells.get(*first);
    let cell = |column: &usize| {
        let name = facts.column_name(facts.layout.quasi[*column].original);
        format!("{name} = {}", facts.tables.release.quasi[*column].text(cells[*column]))
    };
    group.columns.iter().map(cell).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition: every set of at most L columns, every group, every value.
    fn literal(rows: &[(Vec<u32>, u32)], asked: &LkcPrivacy, quasi: usize) -> bool {
        let sets = (0u32..1 << quasi).filter(|set| u64::from(set.count_ones()) <= asked.known);
        sets.into_iter().all(|set| {
            let agree = |a: &[u32], b: &[u32]| (0..quasi).all(|at| set >> at & 1 == 0 || a[at] == b[at]);
            rows.iter().all(|(cells, _)| {
                let group: Vec<u32> =
                    rows.iter().filter(|(other, _)| agree(cells, other)).map(|(_, value)| *value).collect();
                let size = group.len() as u64;
                let share = |value: &u32| {
                    let count = group.iter().filter(|other| *other == value).count() as u64;
                    Exact::new(count, size).expect("a share")
                };
                size >= asked.k && group.iter().all(|value| share(value) <= asked.confidence)
            })
        })
    }

    fn walked(rows: &[(Vec<u32>, u32)], asked: &LkcPrivacy, quasi: usize) -> bool {
        let (mut cells, mut histograms) = (Tuples::new(quasi), Vec::<Histogram>::new());
        for (row, value) in rows {
            let class = cells.add(row, 1, 0).expect("a class") as usize;
            if class == histograms.len() {
                histograms.push(Histogram { size: 0, counts: Vec::new() });
            }
            let histogram = &mut histograms[class];
            histogram.size += 1;
            match histogram.counts.iter_mut().find(|(known, _)| known == value) {
                Some((_, count)) => *count += 1,
                None => histogram.counts.push((*value, 1)),
            }
        }
        let mut walk = GroupWalk {
            cells: &cells,
            histograms: &histograms,
            width: asked.group_width(quasi),
            quasi,
            counts: vec![0; 3],
            watch: &|| Ok(()),
        };
        let mut holds = true;
        walk.all(&mut |group| holds &= group.holds(asked)).expect("a walk");
        holds
    }

    proptest! {
        #![proptest_config(privet_core::testing::cases(400))]

        #[test]
        fn sets_of_exactly_l_columns_decide_for_all_smaller_ones(
            quasi in 0usize..5,
            rows in prop::collection::vec((prop::collection::vec(0u32..2, 4), 0u32..3), 1..24),
            known in 1u64..6,
            k in 1u64..5,
            confidence in prop::sample::select(vec!["1/3", "0.5", "2/3", "0.8", "1"]),
        ) {
            let rows: Vec<(Vec<u32>, u32)> =
                rows.into_iter().map(|(cells, value)| (cells[..quasi].to_vec(), value)).collect();
            let confidence = Exact::parse(confidence).expect("a number");
            let asked = LkcPrivacy { column: Some(0), known, k, confidence };
            prop_assert_eq!(walked(&rows, &asked, quasi), literal(&rows, &asked, quasi));
        }
    }

    #[test]
    fn a_group_of_k_with_the_share_c_is_enough() {
        let asked =
            LkcPrivacy { column: Some(0), known: 1, k: 4, confidence: Exact::new(1, 2).expect("a half") };
        let group = |size, most| Group { columns: &[], classes: &[], size, most };
        assert!(group(4, 2).holds(&asked));
        assert_eq!(group(3, 1).explain(&asked), "size 3 < K = 4");
        assert_eq!(group(4, 3).explain(&asked), "largest share 3/4 > C = 1/2");
    }
}
