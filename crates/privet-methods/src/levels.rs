//! What full-domain methods share: the classes at a vector of levels, their cost, and the release at those levels.

use std::collections::HashSet;

use super::plan::Named;
use super::recoding::{RecodedColumn, Recoding, ReleasedCell};
use privet_core::{Error, Result};
use privet_engine::groupings::Groupings;
use privet_engine::loss;
use privet_engine::loss::{Cell, Cost, Frame, Measure};
use privet_engine::microdata::{Microdata, QuasiIdentifier};
use privet_engine::rollup::{Grouping, Ladder};
use privet_policy::method::TableCost;
use privet_taxonomy::NodeId;

/// The levels of a table's quasi-identifiers, with a measure of information loss.
pub(super) struct Levelling<'a> {
    pub microdata: &'a Microdata,
    pub groupings: Groupings,
    /// The highest level of each column.
    pub tops: Vec<u8>,
    pub measure: Measure,
    /// Per column and level, the index of the level's first cell in the measure's frame.
    cells: Vec<Vec<u32>>,
    /// Per column and level, the cost and the most costly cell; only for measures that add up over columns.
    additive: Option<Vec<Vec<(u128, u128)>>>,
}

impl<'a> Levelling<'a> {
    /// The levels of a table with a cost measure.
    pub fn new(microdata: &'a Microdata, cost: TableCost) -> Result<Levelling<'a>> {
        let tops = microdata.quasi.iter().map(top).collect::<Result<Vec<u8>>>()?;
        let groupings = Groupings::new(microdata);
        let ladders = groupings.ladders().columns();
        let (frame, cells, counts) = frame(microdata, ladders);
        let measure = loss::measure(cost, &frame)?;
        let additive = additive_costs(&measure, &cells, &counts);
        Ok(Levelling { microdata, groupings, tops, measure, cells, additive })
    }

    /// Whether the measure adds up over columns, so that classes need not be priced.
    pub fn is_additive(&self) -> bool {
        self.additive.is_some()
    }

    /// The cost of a vector of levels without suppression and its highest cost per record; only for measures that add
    /// up.
    pub fn additive_cost(&self, levels: &[u8]) -> Option<(Cost, u128)> {
        let columns = self.additive.as_ref()?;
        let parts = columns.iter().zip(levels).map(|(costs, level)| costs[*level as usize]);
        let (cost, costliest) = parts.fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        Some((Cost(cost), costliest))
    }

    /// What a column costs at least at a level where this many records go; nothing for measures that do not add up.
    pub fn column_floor(&self, column: usize, level: u8, gone: u128) -> u128 {
        let cost = self.additive.as_ref().map(|columns| columns[column][level as usize]);
        let (cost, costliest) = cost.unwrap_or_default();
        cost + self.measure.suppressed_cell(column).saturating_sub(costliest) * gone
    }

    /// The positions of a class's cells in the measure's frame.
    pub fn frame_cells<'b>(&'b self, grouping: &'b Grouping, class: usize) -> impl Iterator<Item = u32> + 'b {
        let values = self.groupings.ladders().values(grouping.key(class));
        let places = values.zip(grouping.levels.iter()).zip(&self.cells);
        places.map(|((value, level), starts)| starts[*level as usize] + value)
    }

    /// How much two levels of a column differ; tells a search where to split.
    pub fn contrast(&self, column: usize, low: u8, high: u8) -> f64 {
        match &self.additive {
            Some(columns) => (columns[column][high as usize].0 - columns[column][low as usize].0) as f64,
            None => {
                let ladder = &self.groupings.ladders().columns()[column];
                let values = |level: u8| ladder.nodes[level as usize].len() as f64;
                values(low) / values(high)
            }
        }
    }

    /// The release at some levels; classes that are not kept are suppressed.
    pub fn recoding(&self, levels: &[u8], is_kept: impl Fn(&Grouping, usize) -> bool) -> Recoding {
        let ladders = self.groupings.ladders();
        let column = |column: usize| {
            let (level, quasi) = (levels[column] as usize, &self.microdata.quasi[column]);
            let ladder = &ladders.columns()[column];
            let counts = records_per_value(self.microdata, column, ladder, level);
            let cells = ladder.nodes[level].iter().zip(counts).map(|(node, records)| ReleasedCell {
                label: quasi.taxonomy.label(*node).to_string(),
                node: Some(*node),
                measure: cell(self.microdata, column, *node, level, records),
            });
            RecodedColumn { cells: cells.collect() }
        };
        let columns = (0..levels.len()).map(column).collect();
        // Records that share a class at the lowest levels stay together.
        let (lot_of_record, lots) = self.groupings.class_of_record();
        let mut recoding = Recoding::in_lots(columns, lot_of_record.clone(), lots);
        let grouping = self.groupings.at(levels);
        // Sort by value, so that the order of classes does not depend on how the grouping was built.
        let mut order: Vec<usize> = (0..grouping.len()).collect();
        order.sort_unstable_by_key(|class| grouping.key(*class));
        let mut released: Vec<Option<u32>> = vec![None; grouping.len()];
        let mut people = Vec::new();
        for class in order {
            if is_kept(&grouping, class) {
                released[class] = Some(recoding.add_class(ladders.values(grouping.key(class))));
                people.push(grouping.standing(class).people);
            }
        }
        if self.microdata.register.is_some() {
            recoding.stand_for(people);
        }
        for (lot, class) in grouping.parts().into_iter().enumerate() {
            if let Some(class) = released[class as usize] {
                recoding.assign_lot(lot, class);
            }
        }
        recoding
    }

    /// Levels by the names of their columns, for plans.
    pub fn named(&self, levels: &[u8]) -> Named<u8> {
        let columns = self.microdata.quasi.iter().zip(levels);
        columns.map(|(quasi, level)| (quasi.name.clone(), *level)).collect()
    }

    /// The levels of a plan, in the order of the columns. `cells` are the plan's nodes at these levels.
    ///
    /// Levels count from the root of the highest branch: a branch that was added elsewhere since the plan was made moves them.
    /// So the nodes must be the plan's.
    pub fn levels_of(&self, named: &Named<u8>, cells: &Named<Vec<String>>) -> Result<Vec<u8>> {
        let help = "use the hierarchies and the policy that the plan was made with";
        let ladders = self.groupings.ladders().columns();
        let columns = self.microdata.quasi.iter().zip(&self.tops).zip(ladders);
        let level = |((quasi, top), ladder): ((&QuasiIdentifier, &u8), &Ladder)| {
            let level = named.get(&quasi.name).copied().filter(|level| level <= top).ok_or_else(|| {
                Error::input(format!("the plan has no level from 0 to {top} for column '{}'", quasi.name))
                    .help(help)
            })?;
            let planned: HashSet<&str> =
                cells.get(&quasi.name).into_iter().flatten().map(String::as_str).collect();
            let is_planned = |node: &NodeId| planned.contains(quasi.taxonomy.label(*node));
            match ladder.nodes[usize::from(level)].iter().all(is_planned) {
                true => Ok(level),
                false => Err(Error::input(format!(
                    "the hierarchy of column '{}' has changed since the plan was made: level {level} has other nodes",
                    quasi.name
                ))
                .help(help)),
            }
        };
        columns.map(level).collect()
    }
}

/// The highest level of a column.
fn top(quasi: &QuasiIdentifier) -> Result<u8> {
    let levels = quasi.taxonomy.levels();
    u8::try_from(levels - 1).map_err(|_| {
        let most = usize::from(u8::MAX) + 1;
        let name = &quasi.name;
        let message =
            format!("the hierarchy of column '{name}' has {levels} levels; at most {most} are supported");
        let error = Error::input(message)
            .help("remove levels that are not needed, or use method \"mondrian\", which has no such limit");
        match &quasi.hierarchy {
            Some(path) => error.in_file(path),
            None => error,
        }
    })
}

/// The measure's frame: all values at all levels of all columns, the start of each level's values, and the number of
/// records of each value.
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

fn cell(microdata: &Microdata, column: usize, node: NodeId, level: usize, records: u64) -> Cell {
    let quasi = &microdata.quasi[column];
    Cell {
        extent: quasi.extent(node),
        level: Some((level as u64, quasi.taxonomy.levels() as u64 - 1)),
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

/// Per column and level, the cost of the column and of its most costly cell, for measures that add up over columns.
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
            let costliest = cells.filter_map(|cell| measure.column(column, std::iter::once((cell, 1)))).max();
            Some((cost, costliest.unwrap_or(0)))
        };
        (0..starts.len()).map(level_cost).collect::<Option<Vec<_>>>()
    };
    (0..starts.len()).map(column_costs).collect()
}
