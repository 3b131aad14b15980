//! Where every record goes: the common result of all methods that release one table.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashbrown::HashSet;
use rand_chacha::ChaCha20Rng;

use privet_core::random::{below, keyed};
use privet_core::{Result, RunKey};
use privet_engine::heads::Heads;
use privet_engine::loss;
use privet_engine::loss::{Cell, Cost, Frame, Measure, Tally};
use privet_engine::microdata::Microdata;
use privet_engine::privacy::{EquivalenceClass, Members};
use privet_engine::rollup::Tallies;
use privet_engine::standing::Standing;
use privet_policy::method::TableCost;
use privet_taxonomy::NodeId;

/// A released value of a quasi-identifier.
#[derive(Debug, Clone)]
pub struct ReleasedCell {
    /// The published text.
    pub label: String,
    /// Its node in the taxonomy, unless it is a range of numbers.
    pub node: Option<NodeId>,
    /// What loss measures need to know about it.
    pub measure: Cell,
}

/// A quasi-identifier's released values.
#[derive(Debug, Clone, Default)]
pub struct RecodedColumn {
    /// The released values; classes refer to them by index.
    pub cells: Vec<ReleasedCell>,
}

/// The text published for a suppressed cell.
pub const STAR: &str = "*";

/// The fate of all records that share one combination of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RecordFate {
    /// All into one class.
    Class(u32),
    /// All are suppressed.
    Suppressed,
    /// Into several classes: see `Recoding::shared`.
    Shared,
}

/// The fate of every distinct record of a summary.
#[derive(Debug)]
pub struct Recoding {
    /// The quasi-identifiers' released values.
    pub columns: Vec<RecodedColumn>,
    classes: Vec<u32>,
    /// The lot of each distinct record. All records of a lot share their fate; without lots, each distinct record has
    /// its own.
    lots: Option<Arc<[u32]>>,
    fates: Vec<RecordFate>,
    shared: BTreeMap<usize, Vec<(u32, u64)>>,
    pools: Vec<SamplePool>,
    /// Classes and slots whose cells are suppressed.
    starred: HashSet<(u32, u32)>,
    /// Per class, how many people of the population it stands for; empty where nobody counts them.
    people: Vec<u64>,
}

/// Distinct records that send only some of their records to a class.
#[derive(Debug)]
struct SamplePool {
    class: u32,
    /// The distinct records, each with its number of records.
    members: Vec<(u32, u64)>,
    count: u64,
}

/// The classes of a release with sizes and counts.
#[derive(Debug)]
pub struct ClassTable {
    /// Per class, its number of records.
    pub sizes: Vec<u64>,
    tallies: Tallies,
    /// Per class, what it stands for beyond its records; empty where nothing is known of that.
    standings: Vec<Standing>,
    /// The number of suppressed records.
    pub suppressed: u64,
    /// The number of suppressed cells in released records.
    pub starred: u64,
    /// The people in the classes, if somebody has several records.
    pub heads: Option<Heads>,
}

impl Recoding {
    /// A recoding in which all of `records` distinct records are suppressed.
    pub fn new(columns: Vec<RecodedColumn>, records: usize) -> Recoding {
        Recoding {
            columns,
            classes: Vec::new(),
            lots: None,
            fates: vec![RecordFate::Suppressed; records],
            shared: BTreeMap::new(),
            pools: Vec::new(),
            starred: HashSet::new(),
            people: Vec::new(),
        }
    }

    /// A recoding for records in numbered lots, with everything suppressed. All records of a lot go to one class or are
    /// suppressed: see [`Recoding::assign_lot`].
    pub fn in_lots(columns: Vec<RecodedColumn>, lot_of_record: Arc<[u32]>, lots: usize) -> Recoding {
        Recoding { lots: Some(lot_of_record), ..Recoding::new(columns, lots) }
    }

    /// Sends all records of a lot to a class.
    pub fn assign_lot(&mut self, lot: usize, class: u32) {
        self.fates[lot] = RecordFate::Class(class);
    }

    fn fate(&self, record: usize) -> RecordFate {
        let place = self.lots.as_ref().map_or(record, |lots| lots[record] as usize);
        self.fates[place]
    }

    /// Adds a class with the given cells, one per quasi-identifier.
    pub fn add_class(&mut self, cells: impl IntoIterator<Item = u32>) -> u32 {
        let class = self.len() as u32;
        self.classes.extend(cells);
        class
    }

    /// Sends `count` of a distinct record's `total` records to a class. The key decides which ones.
    pub fn assign(&mut self, record: usize, class: u32, count: u64, total: u64) {
        if count == total {
            self.fates[record] = RecordFate::Class(class);
            return;
        }
        let parts = self.shared.entry(record).or_default();
        match parts.iter_mut().find(|(other, _)| *other == class) {
            Some((_, sent)) => *sent += count,
            None => parts.push((class, count)),
        }
        self.fates[record] = RecordFate::Shared;
        // Several parts may look alike and so form one class.
        if *parts == [(class, total)] {
            self.fates[record] = RecordFate::Class(class);
            self.shared.remove(&record);
        }
    }

    /// Sends `count` of the records of several distinct records to a class and suppresses the others. `members` lists
    /// the distinct records with their numbers of records. [`Recoding::draw`] chooses the records; until then all of
    /// them count as suppressed.
    pub fn assign_some(&mut self, class: u32, members: Vec<(u32, u64)>, count: u64) {
        self.pools.push(SamplePool { class, members, count });
    }

    /// Makes the choices that [`Recoding::assign_some`] left open: the key decides, and every set of the right size is
    /// equally likely. (A fixed choice, such as the last records, would reveal who is missing.)
    pub fn draw(&mut self, key: impl Into<RunKey>) {
        let mut random = keyed(key, "privet: records of a value that are released");
        for SamplePool { class, members, count } in std::mem::take(&mut self.pools) {
            let mut rows: u64 = members.iter().map(|(_, total)| total).sum();
            let mut open = count.min(rows);
            for (record, total) in members {
                let mut taken = 0;
                for _ in 0..total {
                    taken += u64::from(below(&mut random, rows) < open - taken);
                    rows -= 1;
                }
                open -= taken;
                if taken > 0 {
                    self.assign(record as usize, class, taken, total);
                }
            }
        }
    }

    /// Suppresses the cells of a sensitive value in a class, which are then published as [`STAR`]. The slot identifies
    /// the column and its value, see [`privet_engine::privacy::Counts`].
    pub fn star(&mut self, class: u32, slot: u32) {
        self.starred.insert((class, slot));
    }

    /// Suppresses all records of these classes; the others keep their order.
    pub fn suppress(&mut self, classes: &BTreeSet<u32>) {
        let mut numbers: Vec<Option<u32>> = Vec::with_capacity(self.len());
        let mut cells = Vec::with_capacity(self.classes.len());
        for class in 0..self.len() {
            let number = cells.len() / self.columns.len().max(1);
            let is_kept = !classes.contains(&(class as u32));
            numbers.push(is_kept.then_some(number as u32));
            cells.extend_from_slice(if is_kept { self.cells(class) } else { &[] });
        }
        self.classes = cells;
        for fate in &mut self.fates {
            if let RecordFate::Class(class) = fate {
                *fate = numbers[*class as usize].map_or(RecordFate::Suppressed, RecordFate::Class);
            }
        }
        let renumbered = |(class, count): &(u32, u64)| Some((numbers[*class as usize]?, *count));
        for parts in self.shared.values_mut() {
            *parts = parts.iter().filter_map(renumbered).collect();
        }
        let starred = std::mem::take(&mut self.starred);
        self.starred =
            starred.into_iter().filter_map(|(class, slot)| Some((numbers[class as usize]?, slot))).collect();
    }

    /// Suppresses the records of these lots; classes stay, perhaps empty.
    pub(crate) fn suppress_lots(&mut self, gone: &[bool]) {
        let fates = self.fates.iter_mut().zip(gone);
        fates.filter(|(_, gone)| **gone).for_each(|(fate, _)| *fate = RecordFate::Suppressed);
    }

    /// By lot, whether all its records go to one of these classes.
    pub(crate) fn lots_of(&self, classes: &BTreeSet<u32>) -> Vec<bool> {
        let is_of = |fate: &RecordFate| matches!(fate, RecordFate::Class(class) if classes.contains(class));
        self.fates.iter().map(is_of).collect()
    }

    /// Whether the cells of a sensitive value are suppressed in a class.
    pub fn is_starred(&self, class: u32, slot: u32) -> bool {
        !self.starred.is_empty() && self.starred.contains(&(class, slot))
    }

    /// Whether any cell of the column that owns these slots is suppressed.
    pub fn stars_any(&self, slots: &std::ops::Range<u32>) -> bool {
        self.starred.iter().any(|(_, slot)| slots.contains(slot))
    }

    /// The number of classes.
    pub fn len(&self) -> usize {
        self.classes.len() / self.columns.len().max(1)
    }

    /// Whether every record is suppressed.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The cells of a class, as an index into each column.
    pub fn cells(&self, class: usize) -> &[u32] {
        let width = self.columns.len();
        &self.classes[class * width..(class + 1) * width]
    }

    /// The classes that a distinct record's records go to, with counts; empty if they are suppressed.
    pub fn destinations(&self, record: usize, total: u64) -> impl Iterator<Item = (u32, u64)> + '_ {
        let (whole, parts) = match self.fate(record) {
            RecordFate::Class(class) => (Some((class, total)), None),
            RecordFate::Suppressed => (None, None),
            RecordFate::Shared => (None, self.shared.get(&record)),
        };
        whole.into_iter().chain(parts.into_iter().flatten().copied())
    }

    /// The distinct records whose records go to different classes, ascending.
    pub fn parted(&self) -> impl Iterator<Item = usize> + '_ {
        self.shared.keys().copied()
    }

    /// Assigns classes record by record; `total` returns how often a distinct record occurs.
    ///
    /// If the records of one distinct record go to different classes, the key decides which goes where, and every
    /// assignment is equally likely.
    pub fn dispatcher(&self, key: impl Into<RunKey>, total: impl Fn(usize) -> u64) -> Dispatcher<'_> {
        let left = self.shared.iter().map(|(record, classes)| {
            (*record, RemainingRows { rows: total(*record), classes: classes.clone() })
        });
        let random = keyed(key, "privet: records that part ways");
        Dispatcher { recoding: self, left: left.collect(), random }
    }

    /// Says how many people of the population each class stands for, in the order of the classes.
    pub fn stand_for(&mut self, people: Vec<u64>) {
        self.people = people;
    }

    /// What the classes stand for beyond their records.
    fn standings(&self, microdata: &Microdata) -> Vec<Standing> {
        if self.people.is_empty() && microdata.weights.is_none() {
            return Vec::new();
        }
        let people = |class: usize| self.people.get(class).copied().unwrap_or(0);
        let mut standings: Vec<Standing> =
            (0..self.len()).map(|class| Standing { people: people(class), weight: 0 }).collect();
        for record in 0..microdata.summary.len() {
            let weight = microdata.weight(record);
            for (class, count) in self.destinations(record, microdata.summary.count(record)) {
                standings[class as usize].weight += weight * count;
            }
        }
        standings
    }

    /// Counts the classes. A suppressed cell counts towards the size of its class, but is not a value.
    pub fn count(&self, microdata: &Microdata) -> ClassTable {
        let tallies = Tallies::of_classes(microdata.table.slots() as usize, self.len());
        let lists = microdata.slot_lists();
        let heads = microdata.crowd().map(|people| {
            // Methods that count people send equal records to one class.
            let whole = |record: usize| {
                let total = microdata.summary.count(record);
                self.destinations(record, total).map(move |(class, _)| (record, class))
            };
            Heads::count(microdata, people, self.len(), (0..microdata.summary.len()).flat_map(whole))
        });
        let standings = self.standings(microdata);
        let mut table =
            ClassTable { sizes: vec![0; self.len()], tallies, standings, suppressed: 0, starred: 0, heads };
        for record in 0..microdata.summary.len() {
            let total = microdata.summary.count(record);
            let mut released = 0;
            for (class, count) in self.destinations(record, total) {
                table.sizes[class as usize] += count;
                released += count;
                if self.starred.is_empty() {
                    let codes = microdata.summary.record(record);
                    let slots = lists.iter().flat_map(|list| list.of(codes[list.column]));
                    table.tallies.add_all(class as usize, slots.copied(), count);
                    continue;
                }
                for slot in microdata.slots(record) {
                    if self.is_starred(class, slot) {
                        table.starred += count;
                    } else {
                        table.tallies.add(class as usize, slot, count);
                    }
                }
            }
            table.suppressed += total - released;
        }
        table
    }

    /// The classes with their sizes only.
    pub fn outline(&self, microdata: &Microdata) -> ClassTable {
        let tallies = Tallies::of_classes(0, self.len());
        let mut table = ClassTable {
            sizes: vec![0; self.len()],
            tallies,
            standings: Vec::new(),
            suppressed: 0,
            starred: 0,
            heads: None,
        };
        for record in 0..microdata.summary.len() {
            let total = microdata.summary.count(record);
            let mut released = 0;
            for (class, count) in self.destinations(record, total) {
                table.sizes[class as usize] += count;
                released += count;
            }
            table.suppressed += total - released;
        }
        table
    }

    /// What loss measures need to know about this release.
    pub fn frame(&self, microdata: &Microdata) -> Frame {
        Frame {
            records: microdata.table.records,
            columns: self
                .columns
                .iter()
                .map(|column| column.cells.iter().map(|cell| cell.measure).collect())
                .collect(),
            values: microdata.quasi.iter().map(|quasi| quasi.counts.clone()).collect(),
            labels: microdata.label().map(|column| column.slots.clone()),
        }
    }

    /// The cost of the release under a measure.
    pub fn cost(&self, measure: &Measure, table: &ClassTable) -> Cost {
        let mut tally = Tally { suppressed: table.suppressed, classes: self.len() as u64, price: 0 };
        for class in 0..self.len() {
            tally.price += measure.class(self.cells(class).iter().copied(), &table.class(class));
        }
        measure.total(&tally)
    }

    /// The cost of the release under every measure that is defined for it.
    pub fn costs(&self, microdata: &Microdata, table: &ClassTable) -> Vec<super::ShownCost> {
        let frame = self.frame(microdata);
        let measures = TableCost::ALL.iter().filter_map(|cost| loss::measure(*cost, &frame).ok());
        measures.map(|measure| super::show(&measure, self.cost(&measure, table))).collect()
    }

    /// The share of the original cells in generalised columns that are published unchanged. Cells of suppressed records
    /// do not count, nor do ranges and groups, even of one value.
    pub fn exactly(&self, microdata: &Microdata, table: &ClassTable) -> f64 {
        let mut exact = 0u128;
        for (at, column) in self.columns.iter().enumerate() {
            let values: HashSet<&String> =
                microdata.summary.columns()[at].dictionary.values().iter().collect();
            let same: Vec<bool> = column.cells.iter().map(|cell| values.contains(&cell.label)).collect();
            let classes = (0..self.len()).filter(|class| same[self.cells(*class)[at] as usize]);
            exact += classes.map(|class| u128::from(table.sizes[class])).sum::<u128>();
        }
        let all = u128::from(microdata.summary.total()) * self.columns.len() as u128;
        exact as f64 / all.max(1) as f64
    }

    /// The measure that guides the search, or why it is not defined for this release.
    pub fn measure(&self, cost: TableCost, microdata: &Microdata) -> Result<Measure> {
        loss::measure(cost, &self.frame(microdata))
    }
}

impl ClassTable {
    /// A class as privacy requirements see it.
    pub fn class(&self, class: usize) -> EquivalenceClass<'_> {
        let standing = self.standings.get(class).copied().unwrap_or_default();
        EquivalenceClass { size: self.sizes[class], counts: self.tallies.counts(class), standing }
    }

    /// A class with its records and the people they belong to.
    pub fn members(&self, class: usize) -> Members<'_> {
        let heads = self.heads.as_ref();
        Members {
            records: self.class(class),
            people: heads.map(|heads| heads.class(class)),
            add_up: heads.is_none_or(|heads| heads.add_up(class)),
        }
    }

    /// The number of people in each class; the number of records, unless somebody has several.
    pub fn people(&self) -> &[u64] {
        self.heads.as_ref().map_or(&self.sizes, Heads::sizes)
    }
}

/// Assigns classes record by record.
#[derive(Debug)]
pub struct Dispatcher<'a> {
    recoding: &'a Recoding,
    left: BTreeMap<usize, RemainingRows>,
    random: ChaCha20Rng,
}

/// The rows still to come of one distinct record whose records go to different classes.
#[derive(Debug)]
pub(super) struct RemainingRows {
    pub(super) rows: u64,
    /// The classes, each with the number of rows that it still gets.
    pub(super) classes: Vec<(u32, u64)>,
}

impl RemainingRows {
    /// Sequential sampling: if r of the t rows to come still go to a class, the next row goes there with probability
    /// r/t, so all choices are equally likely (Fan, Muller & Rezucha, 1962).
    pub(super) fn next(&mut self, random: &mut ChaCha20Rng) -> Option<u32> {
        // More rows than were counted can only come from a file that changed in the meantime; another check reports
        // that.
        if self.rows == 0 {
            return None;
        }
        let mut place = below(random, self.rows);
        self.rows -= 1;
        for (class, left) in &mut self.classes {
            if place < *left {
                *left -= 1;
                return Some(*class);
            }
            place -= *left;
        }
        None
    }
}

impl Dispatcher<'_> {
    /// The class of the next row of a distinct record; `None` if it is suppressed.
    pub fn next(&mut self, record: usize) -> Option<u32> {
        match self.recoding.fate(record) {
            RecordFate::Class(class) => Some(class),
            RecordFate::Suppressed => None,
            RecordFate::Shared => self.left.get_mut(&record)?.next(&mut self.random),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// One distinct record with `total` records, of which `counts[c]` go to class c.
    fn parted(total: u64, counts: &[u64]) -> Recoding {
        let mut recoding = Recoding::new(vec![RecodedColumn::default()], 1);
        for count in counts {
            let class = recoding.add_class([0]);
            recoding.assign(0, class, *count, total);
        }
        recoding
    }

    fn dispatched(recoding: &Recoding, seed: u64, total: u64) -> Vec<Option<u32>> {
        let mut dispatcher = recoding.dispatcher(seed, |_| total);
        (0..total).map(|_| dispatcher.next(0)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn as_many_rows_as_decided_go_to_each_class(
            counts in prop::collection::vec(0u64..20, 1..4),
            suppressed in 1u64..20,
            seed in any::<u64>(),
        ) {
            let total = counts.iter().sum::<u64>() + suppressed;
            let rows = dispatched(&parted(total, &counts), seed, total);
            for (class, count) in counts.iter().enumerate() {
                prop_assert_eq!(rows.iter().filter(|row| **row == Some(class as u32)).count() as u64, *count);
            }
            prop_assert_eq!(rows.iter().filter(|row| row.is_none()).count() as u64, suppressed);
        }

        #[test]
        fn a_draw_takes_as_many_records_as_decided(
            totals in prop::collection::vec(1u64..9, 1..6),
            share in 0.0..1.0,
            seed in any::<u64>(),
        ) {
            let all: u64 = totals.iter().sum();
            let count = (share * all as f64) as u64;
            let mut recoding = Recoding::new(vec![RecodedColumn::default()], totals.len());
            let class = recoding.add_class([0]);
            let members = totals.iter().enumerate().map(|(record, total)| (record as u32, *total));
            recoding.assign_some(class, members.collect(), count);
            recoding.draw(seed);
            let sent = totals.iter().enumerate().map(|(record, total)| {
                let sent: u64 = recoding.destinations(record, *total).map(|(_, count)| count).sum();
                assert!(sent <= *total);
                sent
            });
            prop_assert_eq!(sent.sum::<u64>(), count);
        }
    }

    #[test]
    fn the_seed_decides_which_rows_are_suppressed() {
        let recoding = parted(100, &[50]);
        assert_eq!(dispatched(&recoding, 1, 100), dispatched(&recoding, 1, 100));
        assert_ne!(dispatched(&recoding, 1, 100), dispatched(&recoding, 2, 100));
    }

    #[test]
    fn every_row_has_the_same_chance() {
        const SEEDS: u64 = 4000;
        let recoding = parted(10, &[2, 3]);
        let mut times = [[0f64; 2]; 10];
        for seed in 0..SEEDS {
            for (row, class) in dispatched(&recoding, seed, 10).iter().enumerate() {
                if let Some(class) = class {
                    times[row][*class as usize] += 1.0;
                }
            }
        }
        // Five standard deviations of a binomial count around its mean.
        for (class, chance) in [(0, 0.2), (1, 0.3)] {
            let (mean, deviation) = (SEEDS as f64 * chance, (SEEDS as f64 * chance * (1.0 - chance)).sqrt());
            assert!(times.iter().all(|row| (row[class] - mean).abs() < 5.0 * deviation), "{times:?}");
        }
    }

    #[test]
    fn every_record_of_a_pool_has_the_same_chance() {
        const SEEDS: u64 = 4000;
        let mut sent = [0f64; 3];
        for seed in 0..SEEDS {
            let mut recoding = Recoding::new(vec![RecodedColumn::default()], 3);
            let class = recoding.add_class([0]);
            recoding.assign_some(class, vec![(0, 1), (1, 2), (2, 5)], 4);
            recoding.draw(seed);
            for (record, total) in [1, 2, 5].into_iter().enumerate() {
                let counts = recoding.destinations(record, total);
                sent[record] += counts.map(|(_, count)| count as f64).sum::<f64>() / total as f64;
            }
        }
        assert!(sent.iter().all(|sent| (sent / SEEDS as f64 - 0.5).abs() < 0.04), "{sent:?}");
    }

    #[test]
    fn a_row_that_was_never_counted_goes_nowhere() {
        let recoding = parted(3, &[2]);
        let mut dispatcher = recoding.dispatcher(0, |_| 3);
        let rows: Vec<Option<u32>> = (0..5).map(|_| dispatcher.next(0)).collect();
        assert_eq!(rows[3..], [None, None]);
    }
}
