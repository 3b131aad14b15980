//! Every measure against its formula, on random releases of random small tables.

use std::collections::BTreeMap;

use proptest::prelude::*;

use privet_core::testing::cases;

use super::*;
use crate::privacy::Counts;

type Ratio = num_rational::Ratio<i128>;

fn ratio(numerator: u64, denominator: u64) -> Ratio {
    Ratio::new(i128::from(numerator), i128::from(denominator))
}

/// Three levels: the values themselves, groups of them, everything.
const LEVELS: usize = 3;

/// A table of values and labels; per column, the group of each value.
#[derive(Debug, Clone)]
struct Sample {
    groups: Vec<Vec<usize>>,
    records: Vec<(Vec<usize>, usize)>,
}

fn samples() -> impl Strategy<Value = Sample> {
    let groups = prop::collection::vec(prop::collection::vec(0usize..3, 1..6), 1..4);
    let records = prop::collection::vec((prop::collection::vec(0usize..60, 3), 0usize..3), 1..25);
    (groups, records).prop_map(|(groups, raw)| {
        let place = |(values, label): (Vec<usize>, usize)| {
            (groups.iter().zip(values).map(|(groups, value)| value % groups.len()).collect(), label)
        };
        Sample { records: raw.into_iter().map(place).collect(), groups }
    })
}

/// One class of a release: its cells, one per column, and its records.
type Classes = Vec<(Vec<usize>, Vec<usize>)>;

impl Sample {
    /// What a value looks like at a level, numbered within the level.
    fn shown(&self, column: usize, value: usize, level: usize) -> usize {
        [value, self.groups[column][value], 0][level]
    }

    /// Cells of a column are numbered level by level, each level having room for all values.
    fn room(&self, column: usize) -> usize {
        self.groups[column].len().max(3)
    }

    fn leaves(&self, column: usize, cell: usize) -> u64 {
        let (level, shown) = (cell / self.room(column), cell % self.room(column));
        let values = 0..self.groups[column].len();
        values.filter(|value| self.shown(column, *value, level) == shown).count() as u64
    }

    fn covered(&self, column: usize, cell: usize) -> u64 {
        let (level, shown) = (cell / self.room(column), cell % self.room(column));
        let alike = |(values, _): &&(Vec<usize>, usize)| self.shown(column, values[column], level) == shown;
        self.records.iter().filter(alike).count() as u64
    }

    fn frame(&self) -> Frame {
        let cell = |column: usize, cell: usize| Cell {
            extent: Extent::Leaves(self.leaves(column, cell).max(1), self.groups[column].len() as u64),
            level: Some(((cell / self.room(column)) as u64, LEVELS as u64 - 1)),
            records: self.covered(column, cell),
        };
        let cells = |column: usize| (0..LEVELS * self.room(column)).map(|at| cell(column, at)).collect();
        let values =
            |column: usize| (0..self.groups[column].len()).map(|value| self.covered(column, value)).collect();
        Frame {
            records: self.records.len() as u64,
            columns: (0..self.groups.len()).map(cells).collect(),
            values: (0..self.groups.len()).map(values).collect(),
            labels: Some(1..4),
        }
    }

    fn classes(&self, levels: &[usize]) -> Classes {
        let mut classes: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for (record, (values, _)) in self.records.iter().enumerate() {
            let cell = |(column, value): (usize, &usize)| {
                levels[column] * self.room(column) + self.shown(column, *value, levels[column])
            };
            classes.entry(values.iter().enumerate().map(cell).collect()).or_default().push(record);
        }
        classes.into_iter().collect()
    }

    /// The price of a class, and the most that a place in it costs.
    fn price(&self, measure: &Measure, cells: &[usize], members: &[usize]) -> (u128, u128) {
        // Slots 1 to 3 are the labels'; the others must not matter.
        let mut counts = [99, 0, 0, 0, 99];
        members.iter().for_each(|record| counts[1 + self.records[*record].1] += 1);
        let class = EquivalenceClass {
            size: members.len() as u64,
            counts: Counts::Dense(&counts),
            standing: Default::default(),
        };
        let cells = || cells.iter().map(|cell| *cell as u32);
        (measure.class(cells(), &class), measure.costliest(cells(), &class))
    }

    /// The measure's own total, with some classes suppressed.
    fn total(&self, measure: &Measure, classes: &Classes, suppress: impl Fn(usize) -> bool) -> Cost {
        let mut tally = Tally::default();
        for (number, (cells, members)) in classes.iter().enumerate() {
            if suppress(number) {
                tally.suppressed += members.len() as u64;
            } else {
                tally.price += self.price(measure, cells, members).0;
                tally.classes += 1;
            }
        }
        measure.total(&tally)
    }

    /// The formula, written down once more.
    fn formula(
        &self,
        name: &str,
        classes: &Classes,
        suppress: impl Fn(usize) -> bool,
    ) -> (Option<Ratio>, f64) {
        let (records, columns) = (self.records.len() as u64, self.groups.len() as u64);
        let kept: Vec<_> = classes
            .iter()
            .enumerate()
            .filter(|(number, _)| !suppress(*number))
            .map(|(_, class)| class)
            .collect();
        let suppressed = records - kept.iter().map(|(_, members)| members.len() as u64).sum::<u64>();
        let per_cell = |price: &dyn Fn(usize, usize) -> Ratio| {
            let of_class = |(cells, members): &&(Vec<usize>, Vec<usize>)| {
                let record: Ratio = cells.iter().enumerate().map(|(column, cell)| price(column, *cell)).sum();
                record * ratio(members.len() as u64, 1)
            };
            kept.iter().copied().map(|class| of_class(&class)).sum::<Ratio>()
        };
        let level = |column: usize, cell: usize| (cell / self.room(column)) as u64;
        let exact = match name {
            "LM" => {
                let price = |column: usize, cell: usize| match self.groups[column].len() as u64 {
                    1 => ratio(0, 1),
                    all => ratio(self.leaves(column, cell) - 1, all - 1),
                };
                per_cell(&price) + ratio(suppressed * columns, 1)
            }
            "NCP" => {
                let price = |column: usize, cell: usize| match self.leaves(column, cell) {
                    1 => ratio(0, 1),
                    leaves => ratio(leaves, self.groups[column].len() as u64),
                };
                per_cell(&price) + ratio(suppressed * columns, 1)
            }
            "DM" => {
                let squares =
                    kept.iter().map(|(_, members)| (members.len() * members.len()) as u64).sum::<u64>();
                ratio(squares + suppressed * records, 1)
            }
            "CM" => {
                let outside = |members: &Vec<usize>| {
                    let label = |label: usize| {
                        members.iter().filter(|record| self.records[**record].1 == label).count()
                    };
                    members.len() - (0..3).map(label).max().unwrap_or(0)
                };
                ratio(kept.iter().map(|(_, members)| outside(members) as u64).sum::<u64>() + suppressed, 1)
            }
            "average-class-size" => ratio(records, kept.len() as u64 + u64::from(suppressed > 0)),
            "height" => {
                let sum = per_cell(&|column, cell| ratio(level(column, cell), 1));
                (sum + ratio(suppressed * columns * (LEVELS as u64 - 1), 1)) / ratio(records, 1)
            }
            "precision" => {
                let sum = per_cell(&|column, cell| ratio(level(column, cell), LEVELS as u64 - 1));
                ratio(1, 1) - (sum + ratio(suppressed * columns, 1)) / ratio(records * columns, 1)
            }
            _ => {
                let mut bits = 0.0;
                for (number, (cells, members)) in classes.iter().enumerate() {
                    for (column, cell) in cells.iter().enumerate() {
                        for record in members {
                            let covered =
                                if suppress(number) { records } else { self.covered(column, *cell) };
                            let own = self.covered(column, self.records[*record].0[column]);
                            bits += (covered as f64 / own as f64).log2();
                        }
                    }
                }
                return (None, bits);
            }
        };
        (Some(exact), *exact.numer() as f64 / *exact.denom() as f64)
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

fn levels() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..LEVELS, 3)
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn a_measure_is_its_formula(sample in samples(), levels in levels(), gone in any::<u32>()) {
        let classes = sample.classes(&levels);
        let suppress = |class: usize| gone >> (class % 32) & 1 == 1;
        for name in NAMES {
            let measure = measure(TableCost::named(name).expect("a cost"), &sample.frame()).expect("a measure");
            prop_assert_eq!(measure.info().name, *name);
            let cost = sample.total(&measure, &classes, suppress);
            let (exact, value) = sample.formula(name, &classes, suppress);
            prop_assert!(near(measure.value(cost), value), "{}: {} instead of {}", name, measure.value(cost), value);
            let share = measure.normalised(cost);
            prop_assert!((0.0..=1.0).contains(&share), "{}: a share of {}", name, share);
            if let (Some(shown), Some(exact)) = (measure.exact(cost), exact) {
                prop_assert_eq!(shown, exact.to_string(), "{}", name);
            }
        }
    }

    #[test]
    fn generalising_never_costs_less(sample in samples(), low in levels(), up in levels()) {
        let high: Vec<usize> = low.iter().zip(&up).map(|(low, up)| *low.max(up)).collect();
        let (fine, coarse) = (sample.classes(&low), sample.classes(&high));
        for name in NAMES {
            let measure = measure(TableCost::named(name).expect("a cost"), &sample.frame()).expect("a measure");
            let (fine, coarse) = (sample.total(&measure, &fine, |_| false), sample.total(&measure, &coarse, |_| false));
            prop_assert!(fine <= coarse, "{}: {:?} above {:?}", name, fine, coarse);
            let worst = sample.total(&measure, &sample.classes(&high), |_| true);
            prop_assert!(coarse <= worst, "{}: suppressing everything costs less", name);
        }
    }

    #[test]
    fn the_bound_is_a_bound(sample in samples(), low in levels(), up in levels(), gone in any::<u32>()) {
        let high: Vec<usize> = low.iter().zip(&up).map(|(low, up)| *low.max(up)).collect();
        let (fine, coarse) = (sample.classes(&low), sample.classes(&high));
        let suppress = |class: usize| gone >> (class % 32) & 1 == 1;
        let suppressed: usize =
            coarse.iter().enumerate().filter(|(class, _)| suppress(*class)).map(|(_, (_, members))| members.len()).sum();
        for name in NAMES {
            let measure = measure(TableCost::named(name).expect("a cost"), &sample.frame()).expect("a measure");
            let floor = sample.total(&measure, &fine, |_| false);
            let costliest = fine.iter().map(|(cells, members)| sample.price(&measure, cells, members).1).max().unwrap_or(0);
            let cost = sample.total(&measure, &coarse, suppress);
            for must_go in 0..=suppressed as u64 {
                let bound = measure.bound(floor, costliest, must_go);
                prop_assert!(bound <= cost, "{}: {} must go, {:?} is above {:?}", name, must_go, bound, cost);
            }
        }
    }

    #[test]
    fn columns_add_up_to_the_total(sample in samples(), levels in levels()) {
        let classes = sample.classes(&levels);
        for name in NAMES {
            let measure = measure(TableCost::named(name).expect("a cost"), &sample.frame()).expect("a measure");
            let of_column = |column: usize| {
                let cells = 0..LEVELS * sample.room(column);
                let shown = cells.filter(|cell| cell / sample.room(column) == levels[column]);
                measure.column(column, shown.map(|cell| (cell as u32, sample.covered(column, cell))))
            };
            let sum: Option<u128> = (0..sample.groups.len()).map(of_column).sum();
            if let Some(sum) = sum {
                prop_assert_eq!(Cost(sum), sample.total(&measure, &classes, |_| false), "{}", name);
            }
        }
    }

    #[test]
    fn logarithms_are_right(number in 1u64..) {
        let log = entropy::log2(number) as f64 / (1u128 << 64) as f64;
        let expected = (number as f64).log2();
        prop_assert!((log - expected).abs() <= 2.0 * f64::EPSILON * expected.max(1.0), "{} instead of {}", log, expected);
    }
}

#[test]
fn logarithms_of_powers_of_two_are_exact_and_others_grow() {
    for power in 0..64 {
        assert_eq!(entropy::log2(1 << power), u128::from(power as u64) << 64, "2^{power}");
    }
    assert_eq!(entropy::log2(0), 0);
    for number in 1..5000u64 {
        assert!(entropy::log2(number) < entropy::log2(number + 1), "{number}");
        let (log, expected) = (entropy::log2(number) as f64 / (1u128 << 64) as f64, (number as f64).log2());
        assert!((log - expected).abs() <= 2.0 * f64::EPSILON * expected.max(1.0), "{number}");
    }
}

/// A range costs its width, in LM and in NCP; it has no level.
#[test]
fn ranges_of_numbers_cost_their_width() {
    let cell = |share| Cell { extent: Extent::Span(share), level: None, records: 4 };
    let leaf = Cell { extent: Extent::Leaves(2, 3), level: Some((1, 1)), records: 4 };
    let frame = Frame {
        records: 4,
        columns: vec![vec![cell(0.0), cell(0.25), cell(1.0)], vec![leaf]],
        values: vec![vec![1, 1, 2], vec![4]],
        labels: None,
    };
    let class = EquivalenceClass { size: 4, counts: Counts::Dense(&[]), standing: Default::default() };
    for (name, expected) in [("LM", 4.0 * (0.25 + 0.5)), ("NCP", 4.0 * (0.25 + 2.0 / 3.0))] {
        let measure = measure(TableCost::named(name).expect("a cost"), &frame).expect("a measure");
        let price = measure.class([1, 0].into_iter(), &class);
        let cost = measure.total(&Tally { price, classes: 1, suppressed: 0 });
        assert!(near(measure.value(cost), expected), "{name}: {}", measure.value(cost));
        assert_eq!(measure.exact(cost), None, "{name}");
        assert!((0.0..=1.0).contains(&measure.normalised(cost)), "{name}");
        let gone = measure.total(&Tally { price: 0, classes: 0, suppressed: 4 });
        assert_eq!(measure.value(gone), 8.0, "{name}");
    }
    for name in ["height", "precision", "CM"] {
        assert!(
            measure(TableCost::named(name).expect("a cost"), &frame).is_err(),
            "{name} is not defined here"
        );
    }
}
