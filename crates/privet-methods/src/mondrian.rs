//! Mondrian (LeFevre, DeWitt and Ramakrishnan, 2006): multi-dimensional partitioning from the top.
//!
//! The whole table starts as one part. A part is split along the column in which it is widest (numbers at the median,
//! categories into the children of their lowest common ancestor) as long as every resulting part meets every
//! requirement. The parts that cannot be split are the classes. `strict`: records with equal values stay together;
//! `relaxed`: the records at the median may go to either side, which gives smaller classes with overlapping ranges.
//!
//! Every part of every accepted split meets the requirements, so the result does too, in whatever order columns are
//! tried.
//!
//! If people are counted, the published cells of the parts are disjoint ([`MondrianSplitter::ways_along`]), so the release
//! determines whose records are in which class.

use super::plan::{self, BoxExtent, BoxPlan, Plan, PlannedBox};
use super::recoding::{RecodedColumn, Recoding, ReleasedCell};
use super::{SearchFacts, Solution};
use privet_core::Result;
use privet_core::clock::Clock;
use privet_data::People;
use privet_engine::heads::Heads;
use privet_engine::loss::{Cell, Extent};
use privet_engine::microdata::Microdata;
use privet_engine::partition;
use privet_engine::partition::Splitter;
use privet_engine::privacy;
use privet_engine::privacy::{ClassTest, Counts, EquivalenceClass, Members};
use privet_policy::method::{Numbers, Partitioning};
use privet_policy::{CheckedPolicy, method};

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
    let mondrian = MondrianSplitter::new((own.partitioning, own.numbers), microdata, requirements, &clock);
    let mut parts = partition::partition(&mondrian, mondrian.whole()?, &clock)?;
    parts.sort_unstable();
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
    /// Who has which records, if somebody has several.
    crowd: Option<&'a People>,
    clock: Clock,
}

/// A quasi-identifier as a direction to split along: codes have positions, and parts cover ranges of positions.
enum SplitAxis {
    /// Positions are ranks of numbers; a missing value that is kept as a value has rank 0 and no number.
    Numbers { position: Vec<u32>, numbers: Vec<Option<f64>>, labels: Vec<String>, span: f64 },
    /// Positions are leaves in depth-first order.
    Categories { position: Vec<u32> },
}

impl SplitAxis {
    fn of(microdata: &Microdata, column: usize, ranges: bool) -> SplitAxis {
        let quasi = &microdata.quasi[column];
        let dictionary = &microdata.summary.columns()[column].dictionary;
        let numbers = match dictionary.numbers() {
            Some(numbers) if ranges || quasi.hierarchy.is_none() => numbers,
            _ => return SplitAxis::Categories { position: quasi.leaf_of_code.clone() },
        };
        let (mut position, mut ranked, mut labels) =
            (Vec::new(), Vec::<Option<f64>>::new(), Vec::<String>::new());
        for (code, number) in numbers.iter().enumerate() {
            let value = &dictionary.values()[code];
            if code > 0 && ranked.last() == Some(number) {
                // Two spellings of one number must not be distinguishable.
                let last = labels.len() - 1;
                labels[last] = format!("[{value},{value}]");
            } else {
                ranked.push(*number);
                labels.push(value.clone());
            }
            position.push(ranked.len() as u32 - 1);
        }
        let known = || ranked.iter().flatten();
        let span = known().last().unwrap_or(&0.0) - known().next().unwrap_or(&0.0);
        SplitAxis::Numbers { position, numbers: ranked, labels, span }
    }

    fn position(&self, code: u32) -> u32 {
        match self {
            SplitAxis::Numbers { position, .. } | SplitAxis::Categories { position } => {
                position[code as usize]
            }
        }
    }
}

impl<'a> MondrianSplitter<'a> {
    /// A splitter with the settings of the method and the requirements on every part.
    pub(super) fn new(
        (partitioning, numbers): (Partitioning, Numbers),
        microdata: &'a Microdata,
        requirements: Vec<Box<dyn ClassTest>>,
        clock: &Clock,
    ) -> MondrianSplitter<'a> {
        let ranges = numbers == Numbers::Ranges;
        let axes =
            (0..microdata.quasi.len()).map(|column| SplitAxis::of(microdata, column, ranges)).collect();
        let relaxed = partitioning == Partitioning::Relaxed;
        let crowd = microdata.crowd();
        MondrianSplitter { microdata, requirements, axes, relaxed, crowd, clock: clock.clone() }
    }

    /// The whole table as one part, if it meets the requirements.
    pub(super) fn whole(&self) -> Result<RecordPart> {
        let summary = &self.microdata.summary;
        let whole = (0..summary.len()).map(|record| (record as u32, summary.count(record))).collect();
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

    /// How wide a range of positions is, as a share of the whole column.
    fn width(&self, column: usize, (low, high): (u32, u32)) -> f64 {
        if low == high {
            return 0.0;
        }
        match &self.axes[column] {
            SplitAxis::Numbers { numbers, span, .. } => match (numbers[low as usize], numbers[high as usize])
            {
                (Some(low), Some(high)) => (high - low) / span,
                // A part with both missing values and numbers can only be published as *.
                _ => 1.0,
            },
            SplitAxis::Categories { .. } => {
                let taxonomy = &self.microdata.quasi[column].taxonomy;
                let node = taxonomy.lowest_above(low as usize, high as usize);
                (taxonomy.leaves_below(node).len() - 1) as f64 / (taxonomy.leaves() - 1) as f64
            }
        }
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
        let slots = self.microdata.table.slots();
        if slots <= MOST_DENSE_SLOTS {
            let mut counts = vec![0; slots as usize];
            for (record, count) in part {
                self.microdata.slots(*record as usize).for_each(|slot| counts[slot as usize] += count);
            }
            return judge(&EquivalenceClass { size, counts: Counts::Dense(&counts) });
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
        judge(&EquivalenceClass { size, counts: Counts::Sparse(&pairs) })
    }

    /// Whether a part meets the requirements.
    pub(super) fn allowed(&self, part: &RecordPart) -> bool {
        self.requirements.is_empty()
            || self.counted(part, |part| {
                self.requirements.iter().all(|requirement| part.meet(requirement.as_ref()))
            })
    }

    /// The possible splits of a part along a column, the preferred one first.
    fn ways_along(&self, part: &RecordPart, column: usize, (low, high): (u32, u32)) -> Vec<Vec<RecordPart>> {
        match &self.axes[column] {
            SplitAxis::Categories { .. } => vec![self.children_along(part, column, (low, high))],
            // A part of missing values and some numbers is published as *, which also covers the other numbers. Then
            // nobody could say whose records are where.
            SplitAxis::Numbers { numbers, .. } if numbers[low as usize].is_none() && self.crowd.is_some() => {
                vec![self.cut_after(part, column, low)]
            }
            // Split missing values from the numbers; if there are too few of them, they stay with the smallest.
            SplitAxis::Numbers { numbers, .. } if numbers[low as usize].is_none() => {
                vec![
                    self.cut_after(part, column, low),
                    self.cut_after(part, column, self.median(part, column)),
                ]
            }
            SplitAxis::Numbers { .. } if self.relaxed => vec![self.halves(part, column)],
            SplitAxis::Numbers { .. } => vec![self.cut_after(part, column, self.median(part, column))],
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
        let mut class_of_cells = std::collections::HashMap::new();
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
            boxes: (!self.relaxed).then(|| parts.iter().zip(class_of_part).map(planned).collect()),
            columns: plan::columns(self.microdata),
        }
    }

    /// What a part covers along a column, apart from this data.
    fn planned_extent(&self, part: &RecordPart, column: usize) -> BoxExtent {
        let (low, high) = self.extent(part, column);
        match &self.axes[column] {
            SplitAxis::Numbers { numbers, .. } => {
                BoxExtent::Numbers { from: numbers[low as usize], to: numbers[high as usize] }
            }
            SplitAxis::Categories { .. } => {
                let taxonomy = &self.microdata.quasi[column].taxonomy;
                let node = taxonomy.lowest_above(low as usize, high as usize);
                BoxExtent::Node(taxonomy.label(node).to_string())
            }
        }
    }
}

impl Splitter for MondrianSplitter<'_> {
    type Part = RecordPart;

    fn split(&self, part: RecordPart) -> std::result::Result<Vec<RecordPart>, RecordPart> {
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
                if parts.len() > 1 && parts.iter().all(|part| !part.is_empty() && self.allowed(part)) {
                    return Ok(parts);
                }
            }
        }
        Err(part)
    }

    fn size(&self, part: &RecordPart) -> u64 {
        part.iter().map(|(_, count)| count).sum()
    }
}

/// Turns parts into released cells, each stored once per column.
struct CellBuilder<'a> {
    mondrian: &'a MondrianSplitter<'a>,
    columns: Vec<RecodedColumn>,
    known: Vec<std::collections::HashMap<(u32, u32), u32>>,
    /// Per column, the number of records before each position.
    before: Vec<Vec<u64>>,
}

impl<'a> CellBuilder<'a> {
    fn new(mondrian: &'a MondrianSplitter<'a>) -> CellBuilder<'a> {
        let before = |(axis, quasi): (&SplitAxis, &privet_engine::microdata::QuasiIdentifier)| {
            let positions = match axis {
                SplitAxis::Numbers { numbers, .. } => numbers.len(),
                SplitAxis::Categories { .. } => quasi.taxonomy.leaves(),
            };
            let mut before = vec![0; positions + 1];
            for (code, count) in quasi.counts.iter().enumerate() {
                before[axis.position(code as u32) as usize + 1] += count;
            }
            (1..before.len()).for_each(|at| before[at] += before[at - 1]);
            before
        };
        CellBuilder {
            mondrian,
            columns: mondrian.axes.iter().map(|_| RecodedColumn::default()).collect(),
            known: mondrian.axes.iter().map(|_| Default::default()).collect(),
            before: mondrian.axes.iter().zip(&mondrian.microdata.quasi).map(before).collect(),
        }
    }

    fn cells(&mut self, part: &RecordPart) -> Vec<u32> {
        (0..self.columns.len()).map(|column| self.cell(column, self.mondrian.extent(part, column))).collect()
    }

    fn cell(&mut self, column: usize, (low, high): (u32, u32)) -> u32 {
        let taxonomy = &self.mondrian.microdata.quasi[column].taxonomy;
        // Categories are identified by their node, so that two ranges of leaves with one ancestor are one cell.
        let (node, low, high) = match &self.mondrian.axes[column] {
            SplitAxis::Numbers { .. } => (None, low, high),
            SplitAxis::Categories { .. } => {
                let node = taxonomy.lowest_above(low as usize, high as usize);
                let leaves = taxonomy.leaves_below(node);
                (Some(node), leaves.start as u32, leaves.end as u32 - 1)
            }
        };
        if let Some(cell) = self.known[column].get(&(low, high)) {
            return *cell;
        }
        let before = &self.before[column];
        let records = before[high as usize + 1] - before[low as usize];
        let (label, extent, level) = match (&self.mondrian.axes[column], node) {
            (SplitAxis::Numbers { numbers, labels, .. }, _) => {
                let share = self.mondrian.width(column, (low, high));
                let (from, to) = (&labels[low as usize], &labels[high as usize]);
                let label = match (low == high, numbers[low as usize]) {
                    (true, _) => from.clone(),
                    (false, None) => "*".to_string(),
                    (false, Some(_)) => format!("[{},{}]", bare(from), bare(to)),
                };
                (label, Extent::Span(share), None)
            }
            (SplitAxis::Categories { .. }, node) => {
                let node = node.unwrap_or(taxonomy.root());
                let level = taxonomy.height(node) as u64;
                let extent = self.mondrian.microdata.quasi[column].extent(node);
                (
                    taxonomy.label(node).to_string(),
                    extent,
                    Some((level, taxonomy.height(taxonomy.root()) as u64)),
                )
            }
        };
        let cells = &mut self.columns[column].cells;
        cells.push(ReleasedCell { label, node, measure: Cell { extent, level, records } });
        self.known[column].insert((low, high), cells.len() as u32 - 1);
        cells.len() as u32 - 1
    }
}

/// The number in a label that may already be written as a range of one value.
fn bare(label: &str) -> &str {
    label.strip_prefix('[').and_then(|label| label.split(',').next()).unwrap_or(label)
}
