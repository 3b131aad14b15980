//! Full-domain generalisation: every column is generalised to one level, and the best vector of levels is found and
//! proven over the whole lattice (Samarati 2001; Incognito, LeFevre et al. 2005; Flash, Kohlmayer et al. 2012).
//!
//! Why the search's bound is sound. Take any vector v between the corners `low` and `high` of a box.
//! - *Generalisation.* Every class at v is a union of classes at `low`, and every measure's price of a record's place
//!   only grows when classes merge, so v costs at least what `low` costs without suppression.
//! - *Suppression.* The classes at v that are kept satisfy the requirements; those inside one class C at `high`, taken
//!   together, satisfy them too (every notion is closed under union), so at most `most_kept(C)` records of C are kept.
//!   Hence v suppresses at least Σ (|C| − most_kept(C)): nothing is assumed about more or fewer failing classes on the
//!   way up, which is *not* monotone for frequency, entropy, recursive diversity and closeness.
//!
//! Without suppression that sum must be zero; then `high` itself must be valid, the classic monotone prune.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use num_bigint::BigUint;
use serde_json::json;

use super::recoding::{RecodedColumn, Recoding, ReleasedCell};
use super::{COST, SearchFacts, Solution, TIME_LIMIT};
use crate::engine::clock::Clock;
use crate::engine::lattice::{self, Levelled};
use crate::engine::microdata::Microdata;
use crate::engine::rollup::{Grouping, Ladder, Ladders, Levels, refines};
use crate::loss::{self, Cell, Cost, Extent, Frame, Measure, Tally};
use crate::policy::{CheckedPolicy, Declaration, Key, KeyKind};
use crate::privacy::{self, Class, Requirement};
use crate::{Error, Exact, Result};

pub(super) static DECLARATION: Declaration = Declaration {
    name: "full-domain",
    summary: "the optimal generalisation level for every column, proven over the whole lattice",
    help: "Each quasi-identifier is generalised to one level of its hierarchy (a column without a hierarchy is kept or \
           replaced by *). Of all vectors of levels that meet the policy, the one of least cost is found. With \
           suppression_limit, classes that fail are left out whole, up to that share of the records.",
    keys: &[
        COST,
        Key::with_default(
            "suppression_limit",
            KeyKind::Exact("0", "1"),
            "0",
            "the largest share of records that may be left out, as in 0.05",
        ),
        TIME_LIMIT,
    ],
};

/// Groupings are kept for rolling up as long as they fit in this many bytes.
const CACHE: usize = 32 << 20;

pub(super) fn run(policy: &CheckedPolicy, microdata: &Microdata, clock: &Clock) -> Result<Solution> {
    let settings = &policy.method.settings;
    let requirements = privacy::requirements(policy, &microdata.table)?;
    let records = microdata.table.records;
    let limit = settings.exact("suppression_limit").map_or(0, |limit: Exact| limit.floor_of(records));
    // A release without records is none. Suppressing everything costs as much as the roots everywhere, so it would
    // otherwise tie with the most general release and win as the first of equals.
    let limit = limit.min(records.saturating_sub(1));
    let cost = settings.choice("cost").unwrap_or("LM");
    let clock = clock.with_limit(settings.duration("time_limit"));
    let problem = FullDomain::new(microdata, requirements, cost, limit)?;
    let outcome = lattice::search(&problem, &clock)?;
    let Some((best, levels)) = outcome.best else {
        let top = problem.grouping(problem.tops());
        return Err(super::impossible(&problem.requirements, &top.class(0)));
    };
    let recoding = problem.recoding(&levels);
    let space: BigUint = problem.tops.iter().map(|top| BigUint::from(*top as u32 + 1)).product();
    let bound = outcome.bound.unwrap_or(best);
    let search = SearchFacts {
        space: Some(space.to_string()),
        examined: problem.examined(),
        seconds: clock.elapsed().as_secs_f64(),
        optimal: outcome.complete || bound == best,
        bound: Some(problem.measure.value(bound)),
        trace: Vec::new(),
    };
    let chosen: serde_json::Map<String, serde_json::Value> = (microdata.quasi.iter().zip(levels.iter()))
        .map(|(quasi, level)| (quasi.name.clone(), json!(level)))
        .collect();
    let highest: serde_json::Map<String, serde_json::Value> = (microdata.quasi.iter().zip(&problem.tops))
        .map(|(quasi, top)| (quasi.name.clone(), json!(top)))
        .collect();
    let plan = json!({ "levels": chosen, "highest": highest });
    Ok(Solution { recoding, plan, search, cost: None, warnings: Vec::new(), sets: None })
}

/// The lattice of one table's levels, with requirements and cost.
struct FullDomain<'a> {
    microdata: &'a Microdata,
    requirements: Vec<Box<dyn Requirement>>,
    measure: Measure,
    /// The most records that may be suppressed.
    limit: u64,
    tops: Vec<u8>,
    ladders: Ladders,
    /// Per column and level, where the level's cells start in the measure's frame.
    cells: Vec<Vec<u32>>,
    /// Per column and level, cost and dearest cell; only for measures that add up over columns.
    additive: Option<Vec<Vec<(u128, u128)>>>,
    cache: Mutex<Cache>,
}

struct Cache {
    groupings: Vec<Arc<Grouping>>,
    /// How many bytes further groupings may take.
    room: usize,
    judged: HashMap<Levels, Arc<Judged>>,
}

/// All that the search wants to know about one vector of levels.
struct Judged {
    /// The cost with failing classes suppressed.
    cost: Cost,
    suppressed: u64,
    /// At least this many records go at any vector below this one.
    must_go: u64,
    /// The cost if nothing were suppressed; only for measures that do not add up over columns.
    floor: Cost,
    /// The most a record's place costs; likewise.
    dearest: u128,
}

impl<'a> FullDomain<'a> {
    fn new(
        microdata: &'a Microdata,
        requirements: Vec<Box<dyn Requirement>>,
        cost: &str,
        limit: u64,
    ) -> Result<FullDomain<'a>> {
        let ladders = Ladders::of(microdata);
        let tops: Option<Vec<u8>> =
            ladders.columns().iter().map(|ladder| u8::try_from(ladder.levels() - 1).ok()).collect();
        let tops = tops.ok_or_else(|| {
            Error::input("a hierarchy has more than 256 levels").help("full-domain needs flatter hierarchies")
        })?;
        let (frame, cells, counts) = frame(microdata, ladders.columns());
        let measure = loss::measure(cost, &frame)?;
        let additive = additive_costs(&measure, &cells, &counts);
        let base = Arc::new(Grouping::base(microdata, &ladders));
        let cache = Mutex::new(Cache { room: CACHE, groupings: vec![base], judged: HashMap::new() });
        Ok(FullDomain { microdata, requirements, measure, limit, tops, ladders, cells, additive, cache })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn examined(&self) -> u64 {
        self.lock().judged.len() as u64
    }

    /// The classes at some levels, rolled up from the smallest finer grouping at hand.
    fn grouping(&self, levels: &[u8]) -> Arc<Grouping> {
        let from = {
            let cache = self.lock();
            let finer = cache.groupings.iter().filter(|grouping| refines(&grouping.levels, levels));
            finer.min_by_key(|grouping| grouping.len()).cloned()
        };
        let Some(from) = from else { return Arc::new(Grouping::base(self.microdata, &self.ladders)) };
        if *from.levels == *levels {
            return from;
        }
        let grouping = Arc::new(from.roll_up(levels, &self.ladders));
        let mut cache = self.lock();
        let worth_keeping = grouping.len() * 2 <= from.len() || from.len() <= 64;
        if worth_keeping && grouping.bytes() <= cache.room {
            cache.room -= grouping.bytes();
            cache.groupings.push(grouping.clone());
        }
        grouping
    }

    fn judged(&self, levels: &[u8]) -> Arc<Judged> {
        if let Some(judged) = self.lock().judged.get(levels) {
            return judged.clone();
        }
        let judged = Arc::new(self.evaluate(&self.grouping(levels)));
        self.lock().judged.insert(levels.into(), judged.clone());
        judged
    }

    fn evaluate(&self, grouping: &Grouping) -> Judged {
        let (mut kept, mut everything) = (Tally::default(), 0);
        let (mut must_go, mut dearest) = (0, 0);
        for class in 0..grouping.len() {
            let cells = || self.frame_cells(grouping.key(class), &grouping.levels);
            let class = grouping.class(class);
            let holds = self.holds(&class);
            let price =
                if holds || self.additive.is_none() { self.measure.class(cells(), &class) } else { 0 };
            if self.additive.is_none() {
                everything += price;
                dearest = dearest.max(self.measure.dearest(cells(), &class));
            }
            if holds {
                kept.price += price;
                kept.classes += 1;
                continue;
            }
            kept.suppressed += class.size;
            let most = self.requirements.iter().map(|requirement| requirement.most_kept(&class)).min();
            must_go += class.size - most.unwrap_or(class.size).min(class.size);
            if must_go > self.limit && self.additive.is_some() {
                // Nothing here or below is valid: no other figure matters any more.
                break;
            }
        }
        let all = Tally { price: everything, classes: grouping.len() as u64, suppressed: 0 };
        let floor = self.measure.total(&all);
        Judged { cost: self.measure.total(&kept), suppressed: kept.suppressed, must_go, floor, dearest }
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        self.requirements.iter().all(|requirement| requirement.holds(class))
    }

    fn frame_cells<'b>(&'b self, key: &'b [u64], levels: &'b [u8]) -> impl Iterator<Item = u32> + 'b {
        let values = self.ladders.values(key);
        values.zip(levels).zip(&self.cells).map(|((value, level), starts)| starts[*level as usize] + value)
    }

    /// The cost of a vector if nothing were suppressed, and the dearest place in it.
    fn floor(&self, levels: &[u8]) -> (Cost, u128) {
        match &self.additive {
            Some(columns) => {
                let parts = columns.iter().zip(levels).map(|(costs, level)| costs[*level as usize]);
                let (cost, dearest) = parts.fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
                (Cost(cost), dearest)
            }
            None => {
                let judged = self.judged(levels);
                (judged.floor, judged.dearest)
            }
        }
    }

    fn recoding(&self, levels: &[u8]) -> Recoding {
        let column = |column: usize| {
            let (level, quasi) = (levels[column] as usize, &self.microdata.quasi[column]);
            let ladder = &self.ladders.columns()[column];
            let counts = records_per_value(self.microdata, column, ladder, level);
            let cells = ladder.nodes[level].iter().zip(counts).map(|(node, records)| ReleasedCell {
                label: quasi.taxonomy.label(*node).to_string(),
                node: Some(*node),
                measure: cell(self.microdata, column, *node, level, records),
            });
            RecodedColumn { cells: cells.collect() }
        };
        let columns = (0..levels.len()).map(column).collect();
        let mut recoding = Recoding::new(columns, self.microdata.summary.len());
        let grouping = self.grouping(levels);
        let mut class_of_key: HashMap<&[u64], u32> = HashMap::new();
        // Sorted by their values, so that classes come in the same order however the grouping was made.
        let mut order: Vec<usize> = (0..grouping.len()).collect();
        order.sort_unstable_by_key(|class| grouping.key(*class));
        for class in order {
            if self.holds(&grouping.class(class)) {
                let key = grouping.key(class);
                class_of_key.insert(key, recoding.add_class(self.ladders.values(key)));
            }
        }
        let mut key = Vec::new();
        for record in 0..self.microdata.summary.len() {
            self.ladders.key(self.microdata, record, levels, &mut key);
            if let Some(class) = class_of_key.get(key.as_slice()) {
                let count = self.microdata.summary.count(record);
                recoding.assign(record, *class, count, count);
            }
        }
        recoding
    }
}

impl Levelled for FullDomain<'_> {
    fn tops(&self) -> &[u8] {
        &self.tops
    }

    fn judge(&self, levels: &[u8]) -> Option<Cost> {
        let judged = self.judged(levels);
        (judged.suppressed <= self.limit).then_some(judged.cost)
    }

    fn bound(&self, low: &[u8], high: &[u8]) -> Option<Cost> {
        let must_go = self.judged(high).must_go;
        if must_go > self.limit {
            return None;
        }
        let (floor, dearest) = self.floor(low);
        Some(self.measure.bound(floor, dearest, must_go))
    }

    fn contrast(&self, column: usize, low: u8, high: u8) -> f64 {
        match &self.additive {
            Some(columns) => (columns[column][high as usize].0 - columns[column][low as usize].0) as f64,
            None => {
                let values = |level: u8| self.ladders.columns()[column].nodes[level as usize].len() as f64;
                values(low) / values(high)
            }
        }
    }
}

/// The measure's frame: all values of all levels of all columns, where each level's values start, and how many records
/// each value has.
fn frame(microdata: &Microdata, ladders: &[Ladder]) -> (Frame, Vec<Vec<u32>>, Vec<Vec<u64>>) {
    let (mut columns, mut starts, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    for (column, ladder) in ladders.iter().enumerate() {
        let (mut cells, mut column_starts, mut column_counts) = (Vec::new(), Vec::new(), Vec::new());
        for level in 0..ladder.levels() {
            column_starts.push(cells.len() as u32);
            let records = records_per_value(microdata, column, ladder, level);
            for (node, records) in ladder.nodes[level].iter().zip(records) {
                cells.push(cell(microdata, column, *node, level, records));
                column_counts.push(records);
            }
        }
        columns.push(cells);
        starts.push(column_starts);
        counts.push(column_counts);
    }
    let frame = Frame {
        records: microdata.table.records,
        columns,
        values: microdata.quasi.iter().map(|quasi| quasi.counts.clone()).collect(),
        labels: microdata.label().map(|column| column.slots.clone()),
    };
    (frame, starts, counts)
}

fn cell(
    microdata: &Microdata,
    column: usize,
    node: crate::taxonomy::NodeId,
    level: usize,
    records: u64,
) -> Cell {
    let taxonomy = &microdata.quasi[column].taxonomy;
    Cell {
        extent: Extent::Leaves(taxonomy.leaves_below(node).len() as u64, taxonomy.leaves() as u64),
        level: Some((level as u64, taxonomy.levels() as u64 - 1)),
        records,
    }
}

fn records_per_value(microdata: &Microdata, column: usize, ladder: &Ladder, level: usize) -> Vec<u64> {
    let quasi = &microdata.quasi[column];
    let mut records = vec![0; ladder.nodes[level].len()];
    for (leaf, count) in quasi.leaf_of_code.iter().zip(&quasi.counts) {
        records[ladder.value(*leaf, level as u8) as usize] += count;
    }
    records
}

/// Per column and level, the cost of the column and its dearest cell, for measures that add up over columns.
fn additive_costs(
    measure: &Measure,
    starts: &[Vec<u32>],
    counts: &[Vec<u64>],
) -> Option<Vec<Vec<(u128, u128)>>> {
    let column_costs = |column: usize| {
        let (starts, counts) = (&starts[column], &counts[column]);
        let end = |level: usize| starts.get(level + 1).map_or(counts.len(), |end| *end as usize);
        let level_cost = |level: usize| {
            let cells = starts[level]..end(level) as u32;
            let cost = measure.column(column, cells.clone().map(|cell| (cell, counts[cell as usize])))?;
            let dearest = cells.filter_map(|cell| measure.column(column, std::iter::once((cell, 1)))).max();
            Some((cost, dearest.unwrap_or(0)))
        };
        (0..starts.len()).map(level_cost).collect::<Option<Vec<_>>>()
    };
    (0..starts.len()).map(column_costs).collect()
}
