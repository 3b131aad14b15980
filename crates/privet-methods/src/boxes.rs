//! Boxes of a plan that Mondrian made, applied to other data.

use std::collections::HashMap;

use super::mondrian::{AxisLabels, MondrianSplitter, RecordPart};
use super::plan::{self, BoxExtent, BoxPlan, Plan};
use super::recoding::{RecodedColumn, Recoding, ReleasedCell};
use super::{SearchFacts, Solution};
use privet_core::clock::Clock;
use privet_core::{Error, Result, counted};
use privet_engine::loss::{Cell, Extent};
use privet_engine::microdata::Microdata;
use privet_engine::privacy;
use privet_policy::CheckedPolicy;
use privet_policy::method::Mondrian;
use privet_taxonomy::{NodeId, number};

/// Applies a plan. Records that no box covers are suppressed, and so are classes that fail.
pub(super) fn apply_plan(
    policy: &CheckedPolicy,
    own: &Mondrian,
    microdata: &Microdata,
    plan: &BoxPlan,
    clock: &Clock,
) -> Result<Solution> {
    let boxes = Boxes::of(policy, microdata, plan)?;
    let mut parts: Vec<RecordPart> = vec![Vec::new(); plan.classes.len()];
    let mut uncovered = 0;
    for record in 0..microdata.summary.len() {
        let count = microdata.summary.count(record);
        match boxes.class_of(microdata.quasi_codes(record)) {
            Some(class) => parts[class].push((record as u32, count)),
            None => uncovered += count,
        }
    }
    let requirements = privacy::requirements(policy, &microdata.table)?;
    let labels = AxisLabels::of_mondrian(policy, own, microdata);
    let mondrian =
        MondrianSplitter::new(policy, (own.partitioning, &labels), microdata, requirements, clock)?;
    let mut cells = CellTable::new(microdata, &boxes, plan);
    let classes: Vec<(RecordPart, Vec<u32>)> = alike(&boxes, parts)?
        .into_iter()
        .filter(|(part, _)| !part.is_empty() && mondrian.allowed(part))
        .map(|(part, path)| Ok((part, cells.of_path(&path)?)))
        .collect::<Result<_>>()?;
    let mut recoding = Recoding::new(cells.columns, microdata.summary.len());
    for (part, cells) in classes {
        let class = recoding.add_class(cells);
        for (record, count) in part {
            recoding.assign(record as usize, class, count, count);
        }
    }
    let warnings = (uncovered > 0).then(|| {
        let records = counted(uncovered, "record is", "records are");
        format!("{records} suppressed because no class of the plan covers the combination of values; `privet anonymize` makes a \
                 plan for them")
    });
    let (plan, search) = (Plan::Boxes(plan.clone()), SearchFacts::unproven(0, clock));
    Ok(Solution { recoding, plan, search, cost: None, warnings: warnings.into_iter().collect(), sets: None })
}

/// The records of each class with its extents as they are shown. Classes that are shown alike are one class.
fn alike(boxes: &Boxes<'_>, parts: Vec<RecordPart>) -> Result<Vec<(RecordPart, Vec<usize>)>> {
    let mut known: HashMap<Vec<usize>, usize> = HashMap::new();
    let mut classes: Vec<(RecordPart, Vec<usize>)> = Vec::new();
    for (class, part) in parts.into_iter().enumerate() {
        let path = boxes.shown(class)?;
        match known.get(&path) {
            Some(known) => classes[*known].0.extend(part),
            None => {
                known.insert(path.clone(), classes.len());
                classes.push((part, path));
            }
        }
    }
    Ok(classes)
}

/// The boxes of a plan, found column by column.
struct Boxes<'a> {
    columns: Vec<BoxColumn<'a>>,
    /// For each class, the extents of its first box.
    first: Vec<Option<Vec<usize>>>,
    /// The boxes as paths of extents from the root, node 0.
    nodes: Vec<BoxNode>,
}

/// The different extents of one column.
struct BoxColumn<'a> {
    extents: Vec<&'a BoxExtent>,
    /// For each extent and code, whether the extent holds the value.
    holds: Vec<Vec<bool>>,
    /// For each extent the one that is shown in its place.
    shown: Vec<usize>,
    /// By code, the number, in a column of numbers.
    numbers: Option<Vec<Option<f64>>>,
}

#[derive(Default)]
struct BoxNode {
    children: Vec<(usize, usize)>,
    class: Option<usize>,
}

impl<'a> Boxes<'a> {
    fn of(policy: &CheckedPolicy, microdata: &Microdata, plan: &'a BoxPlan) -> Result<Boxes<'a>> {
        let planned = plan.boxes.as_deref().unwrap_or_default();
        let is_number = |position: usize| {
            let at = plan.columns.iter().position(|column| column.name == microdata.quasi[position].name);
            let extents = at.and_then(|at| planned.first()?.extents.get(at));
            matches!(extents, Some(BoxExtent::Numbers { .. }))
        };
        plan::check_columns(policy, microdata, &plan.columns, is_number)?;
        let mut boxes = Boxes {
            columns: Vec::new(),
            first: vec![None; plan.classes.len()],
            nodes: vec![BoxNode::default()],
        };
        let mut paths: Vec<Vec<usize>> = vec![Vec::new(); planned.len()];
        for position in 0..microdata.quasi.len() {
            let at = plan.columns.iter().position(|column| column.name == microdata.quasi[position].name);
            let at = at.ok_or_else(|| Error::internal("a column that was checked is gone"))?;
            let mut known = HashMap::new();
            let mut extents = Vec::new();
            for (planned, path) in planned.iter().zip(&mut paths) {
                let extent = &planned.extents[at];
                path.push(*known.entry(key(extent)).or_insert_with(|| {
                    extents.push(extent);
                    extents.len() - 1
                }));
            }
            boxes.columns.push(BoxColumn::of(policy, microdata, position, extents)?);
        }
        for (planned, path) in planned.iter().zip(paths) {
            boxes.add(&path, planned.class);
            boxes.first[planned.class].get_or_insert(path);
        }
        Ok(boxes)
    }

    fn add(&mut self, path: &[usize], class: usize) {
        let mut node = 0;
        for extent in path {
            let known = self.nodes[node].children.iter().find(|(other, _)| other == extent);
            node = match known {
                Some((_, child)) => *child,
                None => {
                    let child = self.nodes.len();
                    self.nodes[node].children.push((*extent, child));
                    self.nodes.push(BoxNode::default());
                    child
                }
            };
        }
        self.nodes[node].class.get_or_insert(class);
    }

    /// The extents that a class is shown with.
    fn shown(&self, class: usize) -> Result<Vec<usize>> {
        let path = self.first[class].as_ref().ok_or_else(lacking)?;
        Ok(path.iter().zip(&self.columns).map(|(extent, column)| column.shown[*extent]).collect())
    }

    /// The class of the box that holds these values.
    fn class_of(&self, codes: &[u32]) -> Option<usize> {
        let mut waiting = vec![(0, 0)];
        while let Some((node, depth)) = waiting.pop() {
            let BoxNode { children, class } = &self.nodes[node];
            if depth == codes.len() {
                return *class;
            }
            let holds = &self.columns[depth].holds;
            let fitting = children.iter().filter(|(extent, _)| holds[*extent][codes[depth] as usize]);
            waiting.extend(fitting.map(|(_, child)| (*child, depth + 1)));
        }
        None
    }
}

/// The number that a value stands for, unless it is missing.
fn known_number(policy: &CheckedPolicy, value: &str) -> Option<f64> {
    number(value.trim()).filter(|_| !policy.is_missing(value))
}

/// What tells extents apart.
fn key(extent: &BoxExtent) -> (&[String], Option<u64>, Option<u64>) {
    match extent {
        BoxExtent::Node(label) => (std::slice::from_ref(label), None, None),
        BoxExtent::Values(values) => (values, None, None),
        BoxExtent::Numbers { from, to } => (&[], from.map(f64::to_bits), to.map(f64::to_bits)),
    }
}

impl<'a> BoxColumn<'a> {
    fn of(
        policy: &CheckedPolicy,
        microdata: &Microdata,
        position: usize,
        extents: Vec<&'a BoxExtent>,
    ) -> Result<BoxColumn<'a>> {
        let quasi = &microdata.quasi[position];
        let values = microdata.summary.columns()[position].dictionary.values();
        let numbers = matches!(extents.first(), Some(BoxExtent::Numbers { .. }))
            .then(|| values.iter().map(|value| known_number(policy, value)).collect::<Vec<_>>());
        let holds_code = |extent: &BoxExtent, node: Option<NodeId>, code: usize| match extent {
            BoxExtent::Node(_) => node.is_some_and(|node| {
                quasi.taxonomy.leaves_below(node).contains(&(quasi.leaf_of_code[code] as usize))
            }),
            BoxExtent::Values(held) => held.contains(&values[code]),
            BoxExtent::Numbers { from, to } => match numbers.as_ref().and_then(|numbers| numbers[code]) {
                Some(number) => to.is_some_and(|to| number <= to) && from.is_none_or(|from| from <= number),
                None => from.is_none() && policy.is_missing(&values[code]),
            },
        };
        let holds = |extent: &&BoxExtent| -> Vec<bool> {
            let node = match extent {
                BoxExtent::Node(label) => quasi.taxonomy.find(label),
                BoxExtent::Values(_) | BoxExtent::Numbers { .. } => None,
            };
            (0..values.len()).map(|code| holds_code(extent, node, code)).collect()
        };
        let holds: Vec<Vec<bool>> = extents.iter().map(holds).collect();
        // A value that only dropped records have needs no box.
        let mut counted = (0..values.len()).filter(|code| quasi.counts[*code] > 0);
        match counted.find(|code| holds.iter().all(|holds| !holds[*code])) {
            Some(code) => Err(plan::no_leaf(policy, microdata, position, code)),
            None => {
                let shown = one_range_each(&extents, &holds, &quasi.counts);
                Ok(BoxColumn { extents, holds, shown, numbers })
            }
        }
    }

    /// How much of the numbers of the data an extent spans.
    fn share(&self, from: Option<f64>, to: Option<f64>) -> f64 {
        let known = || self.numbers.iter().flatten().flatten().copied();
        let span = known().fold(f64::NEG_INFINITY, f64::max) - known().fold(f64::INFINITY, f64::min);
        match (from, to) {
            (Some(from), Some(to)) if from == to => 0.0,
            (Some(from), Some(to)) if span > 0.0 => ((to - from) / span).min(1.0),
            (None, None) => 0.0,
            // Missing values and numbers together are published as *.
            _ => 1.0,
        }
    }
}

/// For each extent the one that is shown in its place. Two ranges of the plan may hold the same values of other data: then the
/// narrower one is shown for both, because a release spells the same values in one way.
fn one_range_each(extents: &[&BoxExtent], holds: &[Vec<bool>], counts: &[u64]) -> Vec<usize> {
    let span = |extent: usize| match extents[extent] {
        BoxExtent::Numbers { from: Some(from), to: Some(to) } => Some(to - from),
        _ => None,
    };
    let held = |extent: usize| -> Vec<bool> {
        holds[extent].iter().zip(counts).map(|(holds, count)| *holds && *count > 0).collect()
    };
    let mut narrowest: HashMap<Vec<bool>, (f64, usize)> = HashMap::new();
    let ranges = || (0..extents.len()).filter_map(|extent| Some((extent, span(extent)?)));
    for (extent, span) in ranges() {
        let known = narrowest.entry(held(extent)).or_insert((span, extent));
        if span < known.0 {
            *known = (span, extent);
        }
    }
    let mut shown: Vec<usize> = (0..extents.len()).collect();
    for (extent, _) in ranges() {
        if let Some((_, other)) = narrowest.get(&held(extent)) {
            shown[extent] = *other;
        }
    }
    shown
}

fn lacking() -> Error {
    Error::internal("a class of a plan that was checked lacks a cell")
}

/// The released cells, each stored once per column.
struct CellTable<'a> {
    microdata: &'a Microdata,
    boxes: &'a Boxes<'a>,
    /// By column and extent, the label.
    labels: Vec<HashMap<usize, &'a str>>,
    columns: Vec<RecodedColumn>,
    known: Vec<HashMap<String, u32>>,
}

impl<'a> CellTable<'a> {
    fn new(microdata: &'a Microdata, boxes: &'a Boxes<'a>, plan: &'a BoxPlan) -> CellTable<'a> {
        let columns = microdata.quasi.iter().map(|_| RecodedColumn::default()).collect();
        let label = |position: usize, name: &str| {
            let labelled = plan.classes.iter().zip(&boxes.first);
            labelled
                .filter_map(|(class, path)| Some((path.as_ref()?[position], class.get(name)?.as_str())))
                .collect()
        };
        let names = microdata.quasi.iter().enumerate();
        let labels = names.map(|(position, quasi)| label(position, &quasi.name)).collect();
        CellTable { microdata, boxes, labels, columns, known: vec![HashMap::new(); microdata.quasi.len()] }
    }

    fn of_path(&mut self, path: &[usize]) -> Result<Vec<u32>> {
        let labels = path
            .iter()
            .zip(&self.labels)
            .map(|(extent, labels)| labels.get(extent).map(|label| label.to_string()));
        let labels: Vec<String> = labels.collect::<Option<_>>().ok_or_else(lacking)?;
        Ok((labels.into_iter().zip(path).enumerate())
            .map(|(position, (label, extent))| self.cell(position, label, *extent))
            .collect())
    }

    fn cell(&mut self, position: usize, label: String, extent: usize) -> u32 {
        if let Some(cell) = self.known[position].get(&label) {
            return *cell;
        }
        let (quasi, column) = (&self.microdata.quasi[position], &self.boxes.columns[position]);
        let held = column.holds[extent].iter().zip(&quasi.counts).filter(|(held, _)| **held);
        let records = held.map(|(_, count)| count).sum();
        let taxonomy = &quasi.taxonomy;
        let (node, extent, level) = match column.extents[extent] {
            BoxExtent::Values(values) => {
                (None, Extent::Leaves(values.len() as u64, taxonomy.leaves().max(values.len()) as u64), None)
            }
            BoxExtent::Node(label) => {
                let node = taxonomy.find(label).unwrap_or(taxonomy.root());
                let level = (taxonomy.height(node) as u64, taxonomy.height(taxonomy.root()) as u64);
                (Some(node), quasi.extent(node), Some(level))
            }
            BoxExtent::Numbers { from, to } => (None, Extent::Span(column.share(*from, *to)), None),
        };
        let cells = &mut self.columns[position].cells;
        cells.push(ReleasedCell { label: label.clone(), node, measure: Cell { extent, level, records } });
        let cell = cells.len() as u32 - 1;
        self.known[position].insert(label, cell);
        cell
    }
}
