//! What becomes of every record: the common currency of the methods that release one table.

use std::collections::BTreeMap;

use crate::Result;
use crate::engine::microdata::Microdata;
use crate::engine::rollup::Tallies;
use crate::loss::{self, Cell, Cost, Frame, Measure, Tally};
use crate::privacy::Class;
use crate::taxonomy::NodeId;

/// A released value of a quasi-identifier.
#[derive(Debug, Clone)]
pub struct ReleasedCell {
    /// What the release shows.
    pub label: String,
    /// Its node in the taxonomy, unless it is a range of numbers.
    pub node: Option<NodeId>,
    /// What measures need to know about it.
    pub measure: Cell,
}

/// A quasi-identifier's released values.
#[derive(Debug, Clone, Default)]
pub struct RecodedColumn {
    /// The released values; classes refer to them by position.
    pub cells: Vec<ReleasedCell>,
}

/// Where the records of one distinct record go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// All into one class.
    Class(u32),
    /// All are suppressed.
    Suppressed,
    /// To several classes: see `Recoding::shared`.
    Shared,
}

/// What becomes of every distinct record of a summary.
#[derive(Debug)]
pub struct Recoding {
    /// The quasi-identifiers' released values.
    pub columns: Vec<RecodedColumn>,
    classes: Vec<u32>,
    fates: Vec<Fate>,
    shared: BTreeMap<usize, Vec<(u32, u64)>>,
}

/// The classes of a release with sizes and counts.
#[derive(Debug)]
pub struct ClassTable {
    /// Per class, its number of records.
    pub sizes: Vec<u64>,
    tallies: Tallies,
    /// The number of suppressed records.
    pub suppressed: u64,
}

impl Recoding {
    /// Nothing decided yet: every one of `records` distinct records is suppressed.
    pub fn new(columns: Vec<RecodedColumn>, records: usize) -> Recoding {
        Recoding {
            columns,
            classes: Vec::new(),
            fates: vec![Fate::Suppressed; records],
            shared: BTreeMap::new(),
        }
    }

    /// Adds a class with the given cells, one per quasi-identifier.
    pub fn add_class(&mut self, cells: impl IntoIterator<Item = u32>) -> u32 {
        let class = self.len() as u32;
        self.classes.extend(cells);
        class
    }

    /// Sends `count` of a distinct record's `total` records to a class.
    pub fn assign(&mut self, record: usize, class: u32, count: u64, total: u64) {
        if count == total {
            self.fates[record] = Fate::Class(class);
        } else {
            self.fates[record] = Fate::Shared;
            self.shared.entry(record).or_default().push((class, count));
        }
    }

    /// The number of classes.
    pub fn len(&self) -> usize {
        self.classes.len() / self.columns.len().max(1)
    }

    /// Whether everything is suppressed.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The cells of a class, as positions in each column.
    pub fn cells(&self, class: usize) -> &[u32] {
        let width = self.columns.len();
        &self.classes[class * width..(class + 1) * width]
    }

    /// The classes that a distinct record's records go to, with counts; none when they are suppressed.
    pub fn destinations(&self, record: usize, total: u64) -> Vec<(u32, u64)> {
        match self.fates[record] {
            Fate::Class(class) => vec![(class, total)],
            Fate::Suppressed => Vec::new(),
            Fate::Shared => self.shared.get(&record).cloned().unwrap_or_default(),
        }
    }

    /// Hands out classes row by row while the release is written.
    pub fn dispatcher(&self) -> Dispatcher<'_> {
        Dispatcher { recoding: self, left: self.shared.clone() }
    }

    /// Counts the classes.
    pub fn count(&self, microdata: &Microdata) -> ClassTable {
        let mut tallies = Tallies::new(microdata.table.slots() as usize, self.len());
        (0..self.len()).for_each(|_| tallies.push());
        let mut table = ClassTable { sizes: vec![0; self.len()], tallies, suppressed: 0 };
        for record in 0..microdata.summary.len() {
            let total = microdata.summary.count(record);
            let mut released = 0;
            for (class, count) in self.destinations(record, total) {
                table.sizes[class as usize] += count;
                released += count;
                for slot in microdata.slots(record) {
                    table.tallies.add(class as usize, slot, count);
                }
            }
            table.suppressed += total - released;
        }
        table
    }

    /// What measures need to know about this release.
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

    /// The release under every measure that is defined for it.
    pub fn costs(&self, microdata: &Microdata, table: &ClassTable) -> Vec<super::ShownCost> {
        let frame = self.frame(microdata);
        let measures = loss::NAMES.iter().filter_map(|name| loss::measure(name, &frame).ok());
        measures.map(|measure| super::show(&measure, self.cost(&measure, table))).collect()
    }

    /// The measure that steers the search, or why it is not defined for this release.
    pub fn measure(&self, name: &str, microdata: &Microdata) -> Result<Measure> {
        loss::measure(name, &self.frame(microdata))
    }
}

impl ClassTable {
    /// A class as privacy notions see it.
    pub fn class(&self, class: usize) -> Class<'_> {
        Class { size: self.sizes[class], counts: self.tallies.counts(class) }
    }
}

/// Hands out classes row by row.
#[derive(Debug)]
pub struct Dispatcher<'a> {
    recoding: &'a Recoding,
    left: BTreeMap<usize, Vec<(u32, u64)>>,
}

impl Dispatcher<'_> {
    /// The class that the next row of a distinct record goes to; `None` when it is suppressed.
    pub fn next(&mut self, record: usize) -> Option<u32> {
        match self.recoding.fates[record] {
            Fate::Class(class) => Some(class),
            Fate::Suppressed => None,
            Fate::Shared => {
                let left = self.left.get_mut(&record)?;
                let (class, count) = left.last_mut()?;
                let class = *class;
                *count -= 1;
                if *count == 0 {
                    left.pop();
                }
                Some(class)
            }
        }
    }
}
