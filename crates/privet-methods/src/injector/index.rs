//! An index of records by sensitive value and quasi-identifiers, from which records are taken one by one: a tree of boxes
//! per value (Bentley's k-d tree, 1975), searched nearest box first (Hjaltason and Samet, 1999).

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use rand_chacha::ChaCha20Rng;

use super::distance::ColumnDistance;
use privet_core::random;
use privet_engine::negative_rules::Observations;

/// The most distinct records in a box that is not divided.
const MOST_IN_BOX: usize = 8;

/// No box.
const NONE: u32 = u32::MAX;

/// The index.
pub(super) struct RecordIndex {
    columns: Vec<ColumnDistance>,
    /// The places of all records, one record after the other.
    places: Vec<u32>,
    boxes: Vec<RecordBox>,
    /// The least and largest place of every box in every column, one box after the other.
    bounds: Vec<(u32, u32)>,
    /// The records of all boxes, one box after the other.
    records: Vec<u32>,
    /// The largest box of every value.
    roots: Vec<u32>,
    /// Per record, its smallest box and how many of its copies are left.
    box_of: Vec<u32>,
    left: Vec<u64>,
}

#[derive(Debug, Clone, Copy)]
struct RecordBox {
    parent: u32,
    /// The two halves, if it is divided.
    halves: Option<(u32, u32)>,
    /// Its part of `records`.
    start: u32,
    end: u32,
    /// The number of records left, with copies.
    left: u64,
}

/// A box or a record that a search has yet to look at.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    distance: f64,
    /// Decides among equals.
    lot: u32,
    found: NearestEntry,
    value: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NearestEntry {
    Box(u32),
    Record(u32),
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        let order = self.distance.total_cmp(&other.distance).then(self.lot.cmp(&other.lot));
        order.then(self.found.cmp(&other.found))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Candidate) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

/// Candidates by rising distance from a record.
#[derive(Debug, Default)]
pub(super) struct NearestFirst {
    from: u32,
    candidates: BinaryHeap<Reverse<Candidate>>,
}

impl RecordIndex {
    /// Indexes distinct records with all their copies, those of each value apart.
    pub fn by_value(observations: &Observations, records: &[u32]) -> RecordIndex {
        let value = |record: u32| observations.value(record as usize);
        RecordIndex::new(observations, records, observations.values.len(), value)
    }

    fn new(
        observations: &Observations,
        records: &[u32],
        parts: usize,
        part_of: impl Fn(u32) -> u32,
    ) -> RecordIndex {
        let columns = ColumnDistance::of_table(observations);
        let place = |record: usize| {
            columns.iter().enumerate().map(move |(at, column)| column.place(observations.leaf(at, record)))
        };
        let places: Vec<u32> = (0..observations.len()).flat_map(place).collect();
        let mut of_part: Vec<Vec<u32>> = vec![Vec::new(); parts];
        // The index does not depend on the order of the records.
        let mut records = records.to_vec();
        records.sort_by_key(|record| {
            let at = *record as usize * columns.len();
            (&places[at..at + columns.len()], observations.value(*record as usize))
        });
        records.iter().for_each(|record| of_part[part_of(*record) as usize].push(*record));
        let mut index = RecordIndex {
            places,
            boxes: Vec::new(),
            bounds: Vec::new(),
            records: of_part.concat(),
            roots: Vec::with_capacity(of_part.len()),
            box_of: vec![NONE; observations.len()],
            left: (0..observations.len()).map(|record| observations.weight(record)).collect(),
            columns,
        };
        let mut start = 0;
        for records in &of_part {
            let end = start + records.len();
            let root = if records.is_empty() { NONE } else { index.divide(NONE, start, end) };
            index.roots.push(root);
            start = end;
        }
        index
    }

    fn places(&self, record: u32) -> &[u32] {
        let at = record as usize * self.columns.len();
        &self.places[at..at + self.columns.len()]
    }

    /// Makes a box of a part of `records`, and divides it in the middle of its widest column.
    fn divide(&mut self, parent: u32, start: usize, end: usize) -> u32 {
        let number = self.boxes.len() as u32;
        let records = &self.records[start..end];
        let left = records.iter().map(|record| self.left[*record as usize]).sum();
        let range = |column: usize| {
            let places = records.iter().map(|record| self.places(*record)[column]);
            places.fold((u32::MAX, 0), |(low, high), place| (low.min(place), high.max(place)))
        };
        let bounds: Vec<(u32, u32)> = (0..self.columns.len()).map(range).collect();
        let width = |column: &usize| self.columns[*column].between(bounds[*column].0, bounds[*column].1);
        let widest = (0..self.columns.len()).max_by(|one, other| {
            // The first of equals.
            width(one).total_cmp(&width(other)).then(other.cmp(one))
        });
        let widest = widest.filter(|column| bounds[*column].0 < bounds[*column].1);
        self.bounds.extend(bounds);
        self.boxes.push(RecordBox { parent, halves: None, start: start as u32, end: end as u32, left });
        match widest.filter(|_| end - start > MOST_IN_BOX) {
            Some(column) => {
                let mut part = self.records[start..end].to_vec();
                part.sort_by_key(|record| self.places(*record)[column]);
                // Equal places stay together.
                let middle = self.places(part[part.len() / 2])[column];
                let mut cut = part.partition_point(|record| self.places(*record)[column] < middle);
                if cut == 0 {
                    cut = part.partition_point(|record| self.places(*record)[column] <= middle);
                }
                self.records[start..end].copy_from_slice(&part);
                let one = self.divide(number, start, start + cut);
                let other = self.divide(number, start + cut, end);
                self.boxes[number as usize].halves = Some((one, other));
            }
            None => {
                for at in start..end {
                    self.box_of[self.records[at] as usize] = number;
                }
            }
        }
        number
    }

    /// The number of records left that have a value.
    pub fn left(&self, value: usize) -> u64 {
        self.boxes.get(self.roots[value] as usize).map_or(0, |root| root.left)
    }

    /// Draws a record that has a value; all that are left are equally likely.
    pub fn draw(&self, value: usize, random: &mut ChaCha20Rng) -> Option<u32> {
        let mut at = *self.boxes.get(self.roots[value] as usize).filter(|root| root.left > 0)?;
        let mut rank = random::below(random, at.left);
        while let Some((one, other)) = at.halves {
            let first = self.boxes[one as usize];
            if rank < first.left {
                at = first;
            } else {
                rank -= first.left;
                at = self.boxes[other as usize];
            }
        }
        for record in &self.records[at.start as usize..at.end as usize] {
            let left = self.left[*record as usize];
            if rank < left {
                return Some(*record);
            }
            rank -= left;
        }
        None
    }

    /// Takes a copy of a record.
    pub fn take(&mut self, record: u32) {
        self.left[record as usize] -= 1;
        let mut at = self.box_of[record as usize];
        while let Some(here) = self.boxes.get_mut(at as usize) {
            here.left -= 1;
            at = here.parent;
        }
    }

    /// The records left, with copies, in the order of their boxes.
    pub fn rest(&self) -> impl Iterator<Item = u32> + '_ {
        let copies = |record: &u32| std::iter::repeat_n(*record, self.left[*record as usize] as usize);
        self.records.iter().flat_map(copies)
    }

    /// Starts a search for the records nearest to one, among those with some values.
    pub fn search(
        &self,
        search: &mut NearestFirst,
        from: u32,
        values: impl Iterator<Item = u32>,
        random: &mut ChaCha20Rng,
    ) {
        search.from = from;
        search.candidates.clear();
        for value in values {
            self.look_into(search, self.roots[value as usize], value, random);
        }
    }

    fn look_into(&self, search: &mut NearestFirst, number: u32, value: u32, random: &mut ChaCha20Rng) {
        if self.boxes.get(number as usize).is_none_or(|here| here.left == 0) {
            return;
        }
        let width = self.columns.len();
        let bounds = &self.bounds[number as usize * width..][..width];
        let columns = self.columns.iter().zip(self.places(search.from)).zip(bounds);
        let distance = columns.map(|((column, place), bounds)| column.to_range(*place, *bounds)).sum();
        search.push(distance, NearestEntry::Box(number), value, random);
    }

    /// The next record by distance whose value is wanted. Each record comes once, however many copies are left.
    pub fn next(
        &self,
        search: &mut NearestFirst,
        wanted: impl Fn(u32) -> bool,
        random: &mut ChaCha20Rng,
    ) -> Option<u32> {
        while let Some(Reverse(nearest)) = search.candidates.pop() {
            if !wanted(nearest.value) {
                continue;
            }
            let number = match nearest.found {
                NearestEntry::Record(record) => return Some(record),
                NearestEntry::Box(number) => number,
            };
            let here = self.boxes[number as usize];
            if let Some((one, other)) = here.halves {
                self.look_into(search, one, nearest.value, random);
                self.look_into(search, other, nearest.value, random);
                continue;
            }
            for record in &self.records[here.start as usize..here.end as usize] {
                if self.left[*record as usize] > 0 {
                    let distance = self.distance(search.from, *record);
                    search.push(distance, NearestEntry::Record(*record), nearest.value, random);
                }
            }
        }
        None
    }

    /// The distance of two records.
    pub fn distance(&self, one: u32, other: u32) -> f64 {
        let places = self.places(one).iter().zip(self.places(other));
        places.zip(&self.columns).map(|((one, other), column)| column.between(*one, *other)).sum()
    }
}

impl NearestFirst {
    fn push(&mut self, distance: f64, found: NearestEntry, value: u32, random: &mut ChaCha20Rng) {
        let lot = random::below(random, 1 << 32) as u32;
        self.candidates.push(Reverse(Candidate { distance, lot, found, value }));
    }
}

/// An order of records in which those next to each other are near each other: the place of each record in it.
pub(super) fn ranks(observations: &Observations, records: &[u32]) -> Vec<u32> {
    let index = RecordIndex::new(observations, records, 1, |_| 0);
    let mut ranks = vec![0; observations.len()];
    (0u32..).zip(&index.records).for_each(|(rank, record)| ranks[*record as usize] = rank);
    ranks
}
