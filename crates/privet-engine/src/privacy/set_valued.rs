//! Sensitive columns whose cells hold several values.
//!
//! Each value v is judged by the share of the records of a class whose cell holds v. A record may count in several shares, or
//! in none, so shares need not add up to 1. With n records in a class, n_v of them with v, and N and N_v of the whole table:
//! - distinct l-diversity: at least l values are held in the class;
//! - l-diversity by frequency: n_v · l ≤ n for every v;
//! - l+-diversity: n_v ≤ θ(v) · n for every v;
//! - t-closeness per value: |n_v/n − N_v/N| ≤ t for every v.
//!
//! All of them are closed under union, since a share in a union lies between the shares in its parts. How many records can
//! stay when others go is not bounded: records that hold several values do not add up.

use std::collections::BTreeMap;
use std::ops::Range;

use num_bigint::BigUint;

use super::{
    ClassTest, Closure, Counted, Counts, EquivalenceClass, Tightness, TrackedColumn, TrackedTable,
    l_diversity, l_plus,
};
use privet_core::{Error, Exact, Result};
use privet_data::terms_of;
use privet_policy::Requirement;

/// The values that the cells of a column hold.
#[derive(Debug, Clone)]
pub struct SetValues {
    /// The slots of the cells.
    cells: Range<u32>,
    /// Per cell the values that it holds, by code.
    held: Vec<Vec<u32>>,
    /// The table as if it had one column, whose values are those that cells hold.
    pub table: TrackedTable,
}

impl SetValues {
    /// The values of the column that a requirement is about, if its cells hold several.
    pub fn about(asked: &Requirement, table: &TrackedTable) -> Result<Option<SetValues>> {
        let Some(index) = asked.column() else { return Ok(None) };
        let column = table.tracked.iter().find(|column| column.index == index);
        Ok(column.and_then(|column| SetValues::of(column, table.records)))
    }

    /// The values that the cells of a column hold; `None` where each holds one.
    pub fn of(column: &TrackedColumn, records: u64) -> Option<SetValues> {
        let separator = column.separator?;
        let cells: Vec<Vec<&str>> = column.values.iter().map(|cell| terms_of(cell, separator)).collect();
        let mut codes: BTreeMap<&str, u32> = cells.iter().flatten().map(|value| (*value, 0)).collect();
        codes.values_mut().zip(0..).for_each(|(code, next)| *code = next);
        let held: Vec<Vec<u32>> =
            cells.iter().map(|cell| cell.iter().map(|value| codes[value]).collect()).collect();
        let mut totals = vec![0; codes.len()];
        for (cell, count) in held.iter().zip(&column.totals) {
            cell.iter().for_each(|value| totals[*value as usize] += count);
        }
        let values: Vec<String> = codes.keys().map(ToString::to_string).collect();
        let slots = 0..values.len() as u32;
        let single = TrackedColumn { values, slots, totals, numeric: false, people: None, ..column.clone() };
        let table = TrackedTable { records, tracked: vec![single], population: None, weight_unit: None };
        Some(SetValues { cells: column.slots.clone(), held, table })
    }

    /// The column of the values.
    pub fn column(&self) -> &TrackedColumn {
        &self.table.tracked[0]
    }

    /// How many records of a class hold each value, by code; values that none holds are left out.
    pub fn count(&self, class: &EquivalenceClass<'_>) -> Vec<(u32, u64)> {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        class.counts.for_each(&self.cells, |cell, count| {
            self.held[cell as usize].iter().for_each(|value| *counts.entry(*value).or_default() += count);
        });
        counts.into_iter().collect()
    }
}

/// Builds a requirement about a column whose cells hold several values.
pub(super) fn build(asked: &Requirement, values: SetValues) -> Result<Box<dyn ClassTest>> {
    let test: Box<dyn ClassTest> = match asked {
        Requirement::LDiversity(asked) => l_diversity::build(asked, &values.table)?,
        Requirement::LPlusDiversity(asked) => l_plus::build(asked, &values.table)?,
        Requirement::TCloseness(asked) => Box::new(PerValue {
            t: asked.t,
            totals: values.column().totals.clone(),
            records: values.table.records,
            name: values.column().name.clone(),
        }),
        _ => return Err(Error::internal(format!("'{}' does not judge sets", asked.name()))),
    };
    Ok(Box::new(OfSets { values, test }))
}

/// A requirement about the values of cells, asked about classes that count cells.
#[derive(Debug)]
struct OfSets {
    values: SetValues,
    test: Box<dyn ClassTest>,
}

impl OfSets {
    fn seen<T>(&self, class: &EquivalenceClass<'_>, look: impl Fn(&EquivalenceClass<'_>) -> T) -> T {
        let counts = self.values.count(class);
        look(&EquivalenceClass {
            size: class.size,
            counts: Counts::Sparse(&counts),
            standing: Default::default(),
        })
    }
}

impl ClassTest for OfSets {
    fn holds(&self, class: &EquivalenceClass<'_>) -> bool {
        self.seen(class, |class| self.test.holds(class))
    }

    fn closure(&self) -> Closure {
        self.test.closure()
    }

    fn most_kept(&self, class: &EquivalenceClass<'_>) -> u64 {
        match self.closure() {
            // If a part held, so would the class.
            Closure::Superset if !self.holds(class) => 0,
            Closure::Superset | Closure::Union | Closure::Nothing => class.size,
        }
    }

    fn tightness(&self, class: &EquivalenceClass<'_>) -> Tightness {
        self.seen(class, |class| self.test.tightness(class))
    }

    fn why_impossible(&self, table: &EquivalenceClass<'_>, of: Counted) -> String {
        self.seen(table, |table| self.test.why_impossible(table, of))
    }
}

/// t-closeness of each value.
#[derive(Debug)]
struct PerValue {
    t: Exact,
    totals: Vec<u64>,
    records: u64,
    name: String,
}

impl PerValue {
    /// The largest |n_v·N − N_v·n|.
    fn furthest(&self, class: &EquivalenceClass<'_>) -> u128 {
        let mut own = vec![0; self.totals.len()];
        class.counts.for_each(&(0..self.totals.len() as u32), |value, count| own[value as usize] = count);
        let apart = |(own, total): (u64, &u64)| {
            (u128::from(own) * u128::from(self.records)).abs_diff(u128::from(*total) * u128::from(class.size))
        };
        own.into_iter().zip(&self.totals).map(apart).max().unwrap_or(0)
    }
}

impl ClassTest for PerValue {
    fn holds(&self, class: &EquivalenceClass<'_>) -> bool {
        let all = u128::from(class.size) * u128::from(self.records);
        BigUint::from(self.furthest(class)) * self.t.denominator() <= BigUint::from(all) * self.t.numerator()
    }

    fn closure(&self) -> Closure {
        Closure::Union
    }

    fn tightness(&self, class: &EquivalenceClass<'_>) -> Tightness {
        let all = (class.size as f64 * self.records as f64).max(1.0);
        Tightness { value: self.furthest(class) as f64 / all, threshold: self.t.to_f64(), at_most: true }
    }

    fn why_impossible(&self, _: &EquivalenceClass<'_>, _: Counted) -> String {
        format!("the values of '{}' cannot be within {} of their own shares", self.name, self.t)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use privet_core::testing::cases;
    use privet_data::set_cell;
    use privet_policy::Role;
    use privet_policy::requirement::{Base, Distance, Diversity, LDiversity, LPlusDiversity, TCloseness};

    /// Other columns' slots come first.
    const BEFORE: u32 = 2;
    const VALUES: [&str; 4] = ["a", "b", "c", "d"];

    /// Per subset of the values how often it is a cell; cells are numbered by their bits.
    type Cells = Vec<u64>;

    fn table(cells: &Cells) -> TrackedTable {
        let text = |bits: usize| set_cell((0..4).filter(|at| bits >> at & 1 == 1).map(|at| VALUES[at]), '|');
        let column = TrackedColumn {
            index: 7,
            name: "ills".into(),
            role: Role::Sensitive,
            values: (0..cells.len()).map(text).collect(),
            numeric: false,
            taxonomy: None,
            separator: Some('|'),
            items: None,
            links: None,
            slots: BEFORE..BEFORE + cells.len() as u32,
            totals: cells.clone(),
            people: None,
        };
        TrackedTable {
            records: cells.iter().sum(),
            tracked: vec![column],
            population: None,
            weight_unit: None,
        }
    }

    fn judged<T>(cells: &Cells, look: impl Fn(&EquivalenceClass<'_>) -> T) -> T {
        let counts = [vec![9, 9], cells.clone()].concat();
        look(&EquivalenceClass {
            size: cells.iter().sum(),
            counts: Counts::Dense(&counts),
            standing: Default::default(),
        })
    }

    /// The records whose cell holds a value.
    fn holders(cells: &Cells, value: usize) -> u64 {
        (0..cells.len()).filter(|bits| bits >> value & 1 == 1).map(|bits| cells[bits]).sum()
    }

    /// The definitions of the requirements below, in fractions multiplied out.
    fn by_definition(which: usize, (over, under): (u64, u64), class: &Cells, whole: &Cells) -> bool {
        let (n, all) = (class.iter().sum::<u64>(), whole.iter().sum::<u64>());
        let held = (0..4).map(|value| (holders(class, value), holders(whole, value)));
        match which {
            0 => n == 0 || held.filter(|(own, _)| *own > 0).count() as u64 * under >= under * 2,
            1 => held.into_iter().all(|(own, _)| own * (under + over) <= n * under),
            2 => held.into_iter().zip(VALUES).all(|((own, _), value)| {
                if value == "b" { own * 3 <= n } else { own * (under + over) <= over * n }
            }),
            _ => held
                .into_iter()
                .all(|(own, total)| (own * all).abs_diff(total * n) * (under + over) <= over * n * all),
        }
    }

    fn asked(which: usize, (over, under): (u64, u64)) -> Requirement {
        let share = Exact::new(over, under + over).expect("a share");
        let theta = std::iter::once(("b".to_string(), Exact::new(1, 3).expect("a third"))).collect();
        match which {
            0 => Requirement::LDiversity(LDiversity {
                column: 7,
                diversity: Diversity::Distinct(Exact::whole(2)),
            }),
            1 => {
                let l = Exact::new(under + over, under).expect("l");
                Requirement::LDiversity(LDiversity { column: 7, diversity: Diversity::Frequency(l) })
            }
            2 => Requirement::LPlusDiversity(LPlusDiversity {
                column: 7,
                base: Base::Share(share),
                theta_rule: None,
                theta,
            }),
            _ => Requirement::TCloseness(TCloseness { column: 7, t: share, distance: Distance::PerValue }),
        }
    }

    proptest! {
        #![proptest_config(cases(400))]

        #[test]
        fn sets_are_judged_by_the_definition_and_unions_keep_it(
            (a, b, rest) in (
                prop::collection::vec(0u64..4, 16),
                prop::collection::vec(0u64..4, 16),
                prop::collection::vec(0u64..4, 16),
            ),
            which in 0usize..4,
            fraction in (0u64..5, 1u64..5),
        ) {
            let add = |a: &Cells, b: &Cells| -> Cells { a.iter().zip(b).map(|(a, b)| a + b).collect() };
            let (both, whole) = (add(&a, &b), add(&add(&a, &b), &rest));
            let test = build(&asked(which, fraction), SetValues::about(&asked(which, fraction), &table(&whole))
                .expect("a column").expect("sets")).expect("built");
            for class in [&a, &b, &both, &vec![0; 16]] {
                let found = judged(class, |class| test.holds(class));
                prop_assert_eq!(found, by_definition(which, fraction, class, &whole));
            }
            let holds = |class: &Cells| judged(class, |class| test.holds(class));
            if holds(&a) && holds(&b) {
                prop_assert!(holds(&both));
            }
            if holds(&a) {
                let most = judged(&both, |class| test.most_kept(class));
                prop_assert!(most >= a.iter().sum::<u64>(), "a part that holds is within the bound");
            }
        }
    }
}
