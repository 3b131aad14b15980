//! Mondrian (LeFevre, DeWitt and Ramakrishnan, 2006): multi-dimensional partitioning from the top.
//!
//! The whole table starts as one part. A part is split along the column in which it is widest (numbers at the median,
//! categories into the children of their lowest common ancestor) as long as every resulting part meets every
//! requirement. The parts that cannot be split are the classes. `strict`: records with equal values stay together;
//! `relaxed`: the records at the median may go to either side, which gives smaller classes with overlapping ranges.
//!
//! With sets as labels that are cut freely, and with `refine`, a part is split where that leaves the least summed loss:
//! see [`least_loss`].
//!
//! Every part of every accepted split meets the requirements, so the result does too, in whatever order columns are
//! tried.
//!
//! If people are counted, the published cells of the parts are disjoint ([`MondrianSplitter::ways_along`]), so the release
//! determines whose records are in which class.

mod axis;
mod cells;
mod label;
mod least_loss;
mod population;

use std::collections::{BTreeMap, HashMap};

pub(super) use axis::AxisLabels;

use super::item_column::ItemColumnTask;
use super::plan::{self, BoxExtent, BoxPlan, Plan, PlannedBox};
use super::recoding::Recoding;
use super::{SearchFacts, Solution};
use axis::{AxisKind, SplitAxis};
use cells::CellBuilder;
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_data::People;
use privet_engine::heads::Heads;
use privet_engine::microdata::Microdata;
use privet_engine::partition;
use privet_engine::partition::Splitter;
use privet_engine::privacy;
use privet_engine::privacy::{ClassTest, Counts, EquivalenceClass, Members};
use privet_policy::method::Partitioning;
use privet_policy::{CheckedPolicy, Requirement, method};

/// With more slots than this, the counts of a part are sparse.
const MOST_DENSE_SLOTS: u32 = 4096;

pub(super) fn run(
    policy: &CheckedPolicy,
    own: &method::Mondrian,
    microdata: &Microdata,
    clock: &Clock,
) -> Result<Solution> {
    let requirements = privacy::requirements(policy, &microdata.table)?;
    let clock = clock.with_limit(own.time_limit);
    let labels = AxisLabels::of_mondrian(policy, own, microdata);
    let mut mondrian =
        MondrianSplitter::new(policy, (own.partitioning, &labels), microdata, requirements, &clock)?;
    mondrian.refine = own.refine;
    mondrian.items = ItemColumnTask::of(policy, microdata)?;
    let parts = mondrian.partition(vec![mondrian.whole()?])?;
    let (recoding, classes) = mondrian.recoding(&parts);
    let search = SearchFacts::unproven(parts.len() as u64, &clock);
    let plan = Plan::Boxes(mondrian.plan(&recoding, &parts, &classes));
    Ok(Solution { recoding, plan, search, cost: None, warnings: Vec::new(), sets: None })
}

/// A part of the table: distinct records, each with its number of records.
pub(super) type RecordPart = Vec<(u32, u64)>;

pub(super) struct MondrianSplitter<'a> {
    microdata: &'a Microdata,
    requirements: Vec<Box<dyn ClassTest>>,
    axes: Vec<SplitAxis>,
    relaxed: bool,
    /// Whether one child of a node may be split off, so that the rest keeps the node.
    pub(super) refine: bool,
    /// Whether everybody of the population must be in some class.
    covers: bool,
    /// The items of a column of sets: a part is split only where its rows gain more than they lose.
    pub(super) items: Option<ItemColumnTask<'a>>,
    /// Who has which records, if somebody has several.
    crowd: Option<&'a People>,
    clock: Clock,
}

impl<'a> MondrianSplitter<'a> {
    /// A splitter with the settings of the method and the requirements on every part.
    pub(super) fn new(
        policy: &CheckedPolicy,
        (partitioning, labels): (Partitioning, &[AxisLabels]),
        microdata: &'a Microdata,
        requirements: Vec<Box<dyn ClassTest>>,
        clock: &Clock,
    ) -> Result<MondrianSplitter<'a>> {
        let axes = labels.iter().enumerate();
        let axes = axes.map(|(column, labels)| SplitAxis::of(policy, microdata, column, labels));
        Ok(MondrianSplitter {
            microdata,
            requirements,
            axes: axes.collect::<Result<_>>()?,
            relaxed: partitioning == Partitioning::Relaxed,
            refine: false,
            covers: policy.requirements.iter().any(Requirement::covers_population),
            items: None,
            crowd: microdata.crowd(),
            clock: clock.clone(),
        })
    }

    /// Splits parts until nothing can be split any more. Where the least loss decides, it decides from the parts on, and once
    /// more from what splits along the widest columns make of them; the better result is taken. So it never loses more than
    /// those.
    pub(super) fn partition(&self, parts: Vec<RecordPart>) -> Result<Vec<RecordPart>> {
        if !self.is_led_by_loss() {
            return self.settle(parts);
        }
        let widest = partition::partition_all(&AlongWidest(self), parts.clone(), &self.clock)?;
        let (direct, further) = (self.settle(parts)?, self.settle(widest)?);
        Ok(if self.loss(&further) <= self.loss(&direct) { further } else { direct })
    }

    /// Whether parts are split where that leaves the least summed loss.
    fn is_led_by_loss(&self) -> bool {
        self.refine || self.axes.iter().any(SplitAxis::is_free)
    }

    /// Splits parts until nothing can be split any more. With `refine`, parts that look alike in the release are then one
    /// part, which may be split again. Every round of that loses less than the one before, so it ends.
    fn settle(&self, mut parts: Vec<RecordPart>) -> Result<Vec<RecordPart>> {
        loop {
            parts = partition::partition_all(self, parts, &self.clock)?;
            parts.sort_unstable();
            if !self.refine {
                return Ok(parts);
            }
            let count = parts.len();
            let mut alike: BTreeMap<Vec<u32>, RecordPart> = BTreeMap::new();
            for (cells, part) in self.shown(&parts).into_iter().zip(parts) {
                alike.entry(cells).or_default().extend(part);
            }
            parts = alike.into_values().collect();
            parts.iter_mut().for_each(|part| part.sort_unstable());
            parts.sort_unstable();
            if parts.len() == count {
                return Ok(parts);
            }
        }
    }

    /// The whole table as one part, if it meets the requirements.
    pub(super) fn whole(&self) -> Result<RecordPart> {
        let summary = &self.microdata.summary;
        let whole = (0..summary.len()).map(|record| (record as u32, summary.count(record))).collect();
        if self.covers && self.outside(&whole) > 0 {
            return Err(Error::infeasible(
                "no release can meet the policy: some people of the population look like no record, however coarse its class is, \
                 and their share is 0",
            )
            .help("set min = 0 in [privacy.delta-presence], or choose method \"full-domain\", whose cells can stand for everybody"));
        }
        if self.allowed(&whole) {
            return Ok(whole);
        }
        Err(self.counted(&whole, |whole| {
            super::impossible_as_whole(&super::failures(&self.requirements, whole), whole, true)
        }))
    }

    /// The published cells of each part; equal for parts that look alike in the release.
    pub(super) fn shown(&self, parts: &[RecordPart]) -> Vec<Vec<u32>> {
        let mut shower = CellBuilder::new(self);
        parts.iter().map(|part| shower.cells(part)).collect()
    }

    fn position(&self, record: u32, column: usize) -> u32 {
        self.axes[column].position(self.microdata.quasi_codes(record as usize)[column])
    }

    /// The least and greatest position of a part along a column.
    fn extent(&self, part: &RecordPart, column: usize) -> (u32, u32) {
        let positions = part.iter().map(|(record, _)| self.position(*record, column));
        positions.fold((u32::MAX, 0), |(low, high), at| (low.min(at), high.max(at)))
    }

    /// The codes that occur in a part, ascending.
    fn codes(&self, part: &RecordPart, column: usize) -> Vec<u32> {
        let codes = part.iter().map(|(record, _)| self.microdata.quasi_codes(*record as usize)[column]);
        let mut codes: Vec<u32> = codes.collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    }

    fn width(&self, column: usize, extent: (u32, u32)) -> f64 {
        self.axes[column].width(&self.microdata.quasi[column].taxonomy, extent)
    }

    fn counted<T>(&self, part: &RecordPart, judge: impl FnOnce(&Members<'_>) -> T) -> T {
        let Some(people) = self.crowd else {
            return self.counted_records(part, |records| {
                judge(&Members { records: *records, people: None, add_up: true })
            });
        };
        // Equal records stay together, so anybody who has one of them is in the part.
        let placed = part.iter().map(|(record, _)| (*record as usize, 0));
        let heads = Heads::count(self.microdata, people, 1, placed);
        self.counted_records(part, |records| {
            let (people, add_up) = (Some(heads.class(0)), heads.add_up(0));
            judge(&Members { records: *records, people, add_up })
        })
    }

    fn counted_records<T>(&self, part: &RecordPart, judge: impl FnOnce(&EquivalenceClass<'_>) -> T) -> T {
        let size = part.iter().map(|(_, count)| count).sum();
        let standing = self.standing(part);
        let slots = self.microdata.table.slots();
        if slots <= MOST_DENSE_SLOTS {
            let mut counts = vec![0; slots as usize];
            for (record, count) in part {
                self.microdata.slots(*record as usize).for_each(|slot| counts[slot as usize] += count);
            }
            return judge(&EquivalenceClass { size, counts: Counts::Dense(&counts), standing });
        }
        let mut pairs: Vec<(u32, u64)> = part
            .iter()
            .flat_map(|(record, count)| {
                self.microdata.slots(*record as usize).map(move |slot| (slot, *count))
            })
            .collect();
        pairs.sort_unstable();
        pairs.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 += later.1;
            }
            same
        });
        judge(&EquivalenceClass { size, counts: Counts::Sparse(&pairs), standing })
    }

    /// Whether a part meets the requirements.
    pub(super) fn allowed(&self, part: &RecordPart) -> bool {
        self.requirements.is_empty()
            || self.counted(part, |part| {
                self.requirements.iter().all(|requirement| part.meet(requirement.as_ref()))
            })
    }

    /// Whether the parts lose less than the part that they come from: their quasi-identifiers and, with them, the items of a
    /// column of sets, each part with the best cut of its own. Without such a column a split never loses.
    pub(super) fn saves(&self, part: &RecordPart, parts: &[RecordPart]) -> bool {
        let Some(task) = &self.items else { return true };
        let whole = (self.axes.len() as u64 * self.microdata.table.records).max(1) as f64;
        let price = |part: &RecordPart| task.price(part, self.loss(std::slice::from_ref(part)) / whole);
        let Some(now) = price(part) else { return true };
        let then: Option<Vec<f64>> = parts.iter().map(price).collect();
        then.is_some_and(|then| then.iter().sum::<f64>() < now * (1.0 - least_loss::ROUNDING))
    }

    /// The possible splits of a part along a column, the preferred one first.
    fn ways_along(&self, part: &RecordPart, column: usize, (low, high): (u32, u32)) -> Vec<Vec<RecordPart>> {
        match &self.axes[column].kind {
            AxisKind::Nodes | AxisKind::Sets { .. } => vec![self.children_along(part, column, (low, high))],
            // A part of missing values and some numbers is published as *, which also covers the other numbers. Then
            // nobody could say whose records are where.
            AxisKind::Numbers { numbers, .. } if numbers[low as usize].is_none() && self.crowd.is_some() => {
                vec![self.cut_after(part, column, low)]
            }
            // Split missing values from the numbers; if there are too few of them, they stay with the smallest.
            AxisKind::Numbers { numbers, .. } if numbers[low as usize].is_none() => {
                vec![
                    self.cut_after(part, column, low),
                    self.cut_after(part, column, self.median(part, column)),
                ]
            }
            AxisKind::Numbers { .. } if self.relaxed => vec![self.halves(part, column)],
            AxisKind::Numbers { .. } => vec![self.cut_after(part, column, self.median(part, column))],
        }
    }

    /// One part for each non-empty child of the lowest node that covers the part.
    fn children_along(&self, part: &RecordPart, column: usize, (low, high): (u32, u32)) -> Vec<RecordPart> {
        let taxonomy = &self.microdata.quasi[column].taxonomy;
        let node = taxonomy.lowest_above(low as usize, high as usize);
        let ends: Vec<usize> =
            taxonomy.children(node).iter().map(|child| taxonomy.leaves_below(*child).end).collect();
        let mut parts: Vec<RecordPart> = vec![Vec::new(); ends.len()];
        for (record, count) in part {
            let leaf = self.position(*record, column) as usize;
            parts[ends.partition_point(|end| *end <= leaf)].push((*record, *count));
        }
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// Everything up to a position, and the rest.
    fn cut_after(&self, part: &RecordPart, column: usize, last: u32) -> Vec<RecordPart> {
        let (left, right) = part.iter().partition(|(record, _)| self.position(*record, column) <= last);
        vec![left, right]
    }

    /// The position to cut after so that the two sides are as equal as possible.
    fn median(&self, part: &RecordPart, column: usize) -> u32 {
        let mut counts: Vec<(u32, u64)> =
            part.iter().map(|(record, count)| (self.position(*record, column), *count)).collect();
        counts.sort_unstable();
        let total: u64 = counts.iter().map(|(_, count)| count).sum();
        let last = counts.last().map_or(0, |(position, _)| *position);
        let (mut best, mut seen) = ((u64::MAX, 0), 0);
        for (at, (position, count)) in counts.iter().enumerate() {
            seen += count;
            let ends = counts.get(at + 1).is_some_and(|(next, _)| next != position);
            if ends && *position != last {
                best = best.min((total.abs_diff(2 * seen), *position));
            }
        }
        best.1
    }

    /// Two halves of equal size; records at the median may be on both sides.
    fn halves(&self, part: &RecordPart, column: usize) -> Vec<RecordPart> {
        let mut sorted: Vec<(u32, u32, u64)> =
            part.iter().map(|(record, count)| (self.position(*record, column), *record, *count)).collect();
        sorted.sort_unstable();
        let total: u64 = part.iter().map(|(_, count)| count).sum();
        let mut room = total / 2;
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (_, record, count) in sorted {
            let taken = count.min(room);
            room -= taken;
            if taken > 0 {
                left.push((record, taken));
            }
            if count > taken {
                right.push((record, count - taken));
            }
        }
        left.sort_unstable();
        right.sort_unstable();
        vec![left, right]
    }

    /// The recoding of the parts, and the class of each; parts that look alike in the release are one class, the others
    /// keep their order.
    pub(super) fn recoding(&self, parts: &[RecordPart]) -> (Recoding, Vec<u32>) {
        let mut shower = CellBuilder::new(self);
        let classes: Vec<Vec<u32>> = parts.iter().map(|part| shower.cells(part)).collect();
        let mut recoding = Recoding::new(shower.columns, self.microdata.summary.len());
        let mut class_of_cells = HashMap::new();
        let mut class_of_part = Vec::with_capacity(parts.len());
        for (part, cells) in parts.iter().zip(classes) {
            let class = *class_of_cells
                .entry(cells)
                .or_insert_with_key(|cells| recoding.add_class(cells.iter().copied()));
            class_of_part.push(class);
            for (record, count) in part {
                recoding.assign(
                    *record as usize,
                    class,
                    *count,
                    self.microdata.summary.count(*record as usize),
                );
            }
        }
        if self.microdata.register.is_some() {
            let mut people = vec![0; recoding.len()];
            for (part, class) in parts.iter().zip(&class_of_part) {
                // Parts that look alike stand for the same people.
                people[*class as usize] = self.standing(part).people;
            }
            recoding.stand_for(people);
        }
        (recoding, class_of_part)
    }

    /// The plan that sends the parts to their classes.
    pub(super) fn plan(&self, recoding: &Recoding, parts: &[RecordPart], class_of_part: &[u32]) -> BoxPlan {
        let class = |class: usize| {
            let cells = self.microdata.quasi.iter().zip(&recoding.columns).zip(recoding.cells(class));
            cells
                .map(|((quasi, column), cell)| {
                    (quasi.name.clone(), column.cells[*cell as usize].label.clone())
                })
                .collect()
        };
        let planned = |(part, class): (&RecordPart, &u32)| PlannedBox {
            class: *class as usize,
            extents: (0..self.axes.len()).map(|column| self.planned_extent(part, column)).collect(),
        };
        BoxPlan {
            parts: parts.len(),
            classes: (0..recoding.len()).map(class).collect(),
            terms: None,
            boxes: (!self.relaxed && !self.refine)
                .then(|| parts.iter().zip(class_of_part).map(planned).collect()),
            columns: plan::columns(self.microdata),
        }
    }

    /// What a part covers along a column, apart from this data.
    fn planned_extent(&self, part: &RecordPart, column: usize) -> BoxExtent {
        let (low, high) = self.extent(part, column);
        match &self.axes[column].kind {
            AxisKind::Numbers { numbers, .. } => {
                BoxExtent::Numbers { from: numbers[low as usize], to: numbers[high as usize] }
            }
            AxisKind::Nodes => {
                let taxonomy = &self.microdata.quasi[column].taxonomy;
                let node = taxonomy.lowest_above(low as usize, high as usize);
                BoxExtent::Node(taxonomy.label(node).to_string())
            }
            AxisKind::Sets { .. } => {
                let values = self.microdata.summary.columns()[column].dictionary.values();
                let codes = self.codes(part, column);
                BoxExtent::Values(codes.iter().map(|code| values[*code as usize].clone()).collect())
            }
        }
    }
}

impl MondrianSplitter<'_> {
    /// The first split that meets the requirements, from the widest column on.
    fn along_widest(&self, part: RecordPart) -> std::result::Result<Vec<RecordPart>, RecordPart> {
        if self.clock.is_over() {
            return Err(part);
        }
        let extents: Vec<(u32, u32)> =
            (0..self.axes.len()).map(|column| self.extent(&part, column)).collect();
        let mut columns: Vec<(f64, usize)> = extents
            .iter()
            .enumerate()
            .map(|(column, extent)| (self.width(column, *extent), column))
            .collect();
        columns.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (width, column) in columns {
            if width == 0.0 {
                break;
            }
            for parts in self.ways_along(&part, column, extents[column]) {
                let allowed = parts.len() > 1
                    && parts.iter().all(|part| !part.is_empty() && self.allowed(part))
                    && (!self.covers || self.keeps_everybody(&part, &parts));
                if allowed && self.saves(&part, &parts) {
                    return Ok(parts);
                }
            }
        }
        Err(part)
    }
}

impl Splitter for MondrianSplitter<'_> {
    type Part = RecordPart;

    fn split(&self, part: RecordPart) -> std::result::Result<Vec<RecordPart>, RecordPart> {
        if !self.is_led_by_loss() {
            return self.along_widest(part);
        }
        let found = if self.clock.is_over() { None } else { self.least_loss(&part) };
        found.ok_or(part)
    }

    fn size(&self, part: &RecordPart) -> u64 {
        part.iter().map(|(_, count)| count).sum()
    }
}

/// The same parts, split as Mondrian does without looking at what is lost.
struct AlongWidest<'m, 'a>(&'m MondrianSplitter<'a>);

impl Splitter for AlongWidest<'_, '_> {
    type Part = RecordPart;

    fn split(&self, part: RecordPart) -> std::result::Result<Vec<RecordPart>, RecordPart> {
        self.0.along_widest(part)
    }

    fn size(&self, part: &RecordPart) -> u64 {
        self.0.size(part)
    }
}
