//! Which original values a released cell may mean.
//!
//! A cell covers the value it spells, the leaves below the node with its label, every number in the range it spells
//! (if all values of the column are numbers), and what each part of a list in braces covers (`{Oslo, Bergen}`, as
//! other tools write sets). `*` covers everything. A released set of terms covers every set that has all of them:
//! terms are withheld, never added.

use hashbrown::HashMap;

use super::Dictionary;
use privet_audit::definitions::set_members;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_data::terms_of;
use privet_policy::{CheckedPolicy, OnMissing, PolicyColumn};
use privet_taxonomy::{Range, Taxonomy, number};

/// The cell that covers everything.
pub(super) const EVERYTHING: &str = "*";

/// How many values are processed between two checks of the clock.
const BETWEEN: usize = 1024;

/// Which released cells of one column cover which values, both by code.
pub(crate) struct Cover {
    /// For each value the cells that name it or something above it, ascending.
    naming: Vec<Vec<u32>>,
    /// For each value the number that it is.
    numbers: Vec<Option<f64>>,
    /// The cells that spell ranges.
    ranges: Vec<(u32, Range)>,
    /// For each cell its place among the ranges.
    range_of: Vec<Option<u32>>,
    /// The places of ranges by their lower ends, each with the highest upper end up to it.
    by_low: Vec<(u32, f64)>,
    /// For a column of sets.
    sets: Option<TermSets>,
}

/// Terms of values and cells.
struct TermSets {
    /// The terms of each value, ascending.
    values: Vec<Vec<u32>>,
    /// The terms of each cell, ascending; `None` where it has one that no value has.
    cells: Vec<Option<Vec<u32>>>,
    /// Per term, the cells that have it.
    having: Vec<Vec<u32>>,
}

impl Cover {
    /// Reads the meaning of every released cell of a column. The first `own` values are those of the original.
    pub(super) fn of(
        policy: &CheckedPolicy,
        column: &PolicyColumn,
        (values, own): (&Dictionary, usize),
        cells: &Dictionary,
        clock: &Clock,
    ) -> Result<Cover> {
        if let Some(sets) = &column.sets {
            return Ok(Cover::of_sets(values, cells, sets.separator, &|term| vec![term.to_string()]));
        }
        if let Some(items) = &column.items {
            let tree = items.tree_over(values.texts().take(own))?;
            let above = |item: &str| {
                let leaf = tree.find(item);
                let groups = leaf.into_iter().flat_map(|leaf| tree.ancestors(leaf));
                let groups = groups.map(|node| tree.label(node).to_string());
                std::iter::once(item.to_string()).chain(groups).collect()
            };
            return Ok(Cover::of_sets(values, cells, items.separator, &above));
        }
        let tree = value_tree(policy, column)?;
        let numbers: Vec<Option<f64>> = values.texts().map(number).collect();
        // What other people are said to have does not decide what the column is.
        let numeric = (values.texts().zip(&numbers).take(own))
            .all(|(value, number)| number.is_some() || policy.is_missing(value));
        let ranges: Vec<(u32, Range)> = match numeric {
            true => (0..)
                .zip(cells.texts())
                .filter_map(|(cell, text)| Some((cell, Range::parse(text)?)))
                .collect(),
            false => Vec::new(),
        };
        let mut range_of = vec![None; cells.len()];
        for (place, (cell, _)) in (0u32..).zip(&ranges) {
            range_of[*cell as usize] = Some(place);
        }
        let listed = listed(cells);
        let named = |(place, value): (usize, &str)| {
            if place % BETWEEN == 0 {
                clock.check()?;
            }
            naming(value, tree.as_ref(), cells, &listed)
        };
        let naming = values.texts().enumerate().map(named).collect::<Result<Vec<_>>>()?;
        let by_low = by_low(&ranges);
        Ok(Cover { naming, numbers, ranges, range_of, by_low, sets: None })
    }

    /// `stand` says what may stand for a term of a value, itself first.
    fn of_sets(
        values: &Dictionary,
        cells: &Dictionary,
        separator: char,
        stand: &dyn Fn(&str) -> Vec<String>,
    ) -> Cover {
        let mut terms: HashMap<String, u32> = HashMap::new();
        let mut of_value = |value: &str| {
            let mut codes: Vec<u32> = Vec::new();
            for term in terms_of(value, separator).into_iter().flat_map(stand) {
                let next = terms.len() as u32;
                codes.push(*terms.entry(term).or_insert(next));
            }
            codes.sort_unstable();
            codes.dedup();
            codes
        };
        let values: Vec<Vec<u32>> = values.texts().map(&mut of_value).collect();
        let of_cell = |cell: &str| {
            if cell == EVERYTHING {
                return Some(Vec::new());
            }
            let codes = terms_of(cell, separator).into_iter().map(|term| terms.get(term).copied());
            let mut codes = codes.collect::<Option<Vec<u32>>>()?;
            codes.sort_unstable();
            codes.dedup();
            Some(codes)
        };
        let cells: Vec<Option<Vec<u32>>> = cells.texts().map(of_cell).collect();
        let mut having: Vec<Vec<u32>> = vec![Vec::new(); terms.len()];
        for (cell, terms) in (0u32..).zip(&cells) {
            terms.iter().flatten().for_each(|term| having[*term as usize].push(cell));
        }
        Cover {
            naming: vec![Vec::new(); values.len()],
            numbers: vec![None; values.len()],
            ranges: Vec::new(),
            range_of: vec![None; cells.len()],
            by_low: Vec::new(),
            sets: Some(TermSets { values, cells, having }),
        }
    }

    /// Whether a cell covers a value.
    pub fn covers(&self, cell: u32, value: u32) -> bool {
        if let Some(sets) = &self.sets {
            let own = &sets.values[value as usize];
            let has = |terms: &Vec<u32>| terms.iter().all(|term| own.binary_search(term).is_ok());
            return sets.cells[cell as usize].as_ref().is_some_and(has);
        }
        let in_range = || match (self.range_of[cell as usize], self.numbers[value as usize]) {
            (Some(place), Some(number)) => self.ranges[place as usize].1.holds(number),
            _ => false,
        };
        self.naming[value as usize].binary_search(&cell).is_ok() || in_range()
    }

    /// The cells that cover a value, ascending.
    pub fn cells_of(&self, value: u32) -> Vec<u32> {
        if let Some(sets) = &self.sets {
            return sets.cells_of(value);
        }
        let mut cells = self.naming[value as usize].clone();
        if let Some(number) = self.numbers[value as usize] {
            let begun = self.by_low.partition_point(|(at, _)| self.ranges[*at as usize].1.low <= number);
            // Before this one all ranges end below the number.
            let reaching = self.by_low[..begun].iter().rev().take_while(|(_, highest)| *highest >= number);
            let holding = reaching.map(|(at, _)| self.ranges[*at as usize]);
            cells.extend(holding.filter(|(_, range)| range.holds(number)).map(|(cell, _)| cell));
            cells.sort_unstable();
            cells.dedup();
        }
        cells
    }

    /// The values that a cell covers, ascending.
    pub fn values_of(&self, cell: u32) -> Vec<u32> {
        (0..self.naming.len() as u32).filter(|value| self.covers(cell, *value)).collect()
    }

    /// How many values there are.
    pub fn values(&self) -> usize {
        self.naming.len()
    }
}

/// Places of ranges by rising lower ends, each with the highest upper end so far.
fn by_low(ranges: &[(u32, Range)]) -> Vec<(u32, f64)> {
    let mut order: Vec<u32> = (0..ranges.len() as u32).collect();
    order.sort_by(|one, other| ranges[*one as usize].1.low.total_cmp(&ranges[*other as usize].1.low));
    let mut highest = f64::NEG_INFINITY;
    let reach = |at: u32| {
        highest = highest.max(ranges[at as usize].1.high);
        (at, highest)
    };
    order.into_iter().map(reach).collect()
}

impl TermSets {
    fn cells_of(&self, value: u32) -> Vec<u32> {
        let empty = |cell: &u32| self.cells[*cell as usize].as_ref().is_some_and(Vec::is_empty);
        let mut found: Vec<u32> = (0..self.cells.len() as u32).filter(empty).collect();
        let mut seen: Vec<u32> = self.values[value as usize]
            .iter()
            .flat_map(|term| self.having[*term as usize].iter().copied())
            .collect();
        seen.sort_unstable();
        let whole = |same: &&[u32]| {
            self.cells[same[0] as usize].as_ref().is_some_and(|terms| terms.len() == same.len())
        };
        found.extend(seen.chunk_by(|one, other| one == other).filter(whole).map(|same| same[0]));
        found.sort_unstable();
        found
    }
}

/// The texts of a cell that lists several in braces.
pub(super) fn in_braces(cell: &str) -> Vec<String> {
    set_members(cell).unwrap_or_default()
}

/// Per text that some cells list in braces, these cells.
fn listed(cells: &Dictionary) -> HashMap<String, Vec<u32>> {
    let mut listed: HashMap<String, Vec<u32>> = HashMap::new();
    for (cell, text) in (0u32..).zip(cells.texts()) {
        in_braces(text).into_iter().for_each(|text| listed.entry(text).or_default().push(cell));
    }
    listed
}

/// The cells that name a value: its own text, `*`, the labels from its leaf up to the root, and lists with one of these.
fn naming(
    value: &str,
    tree: Option<&Taxonomy>,
    cells: &Dictionary,
    listed: &HashMap<String, Vec<u32>>,
) -> Result<Vec<u32>> {
    let mut naming: Vec<u32> = Vec::new();
    let mut add = |text: &str| {
        naming.extend(cells.find(text));
        naming.extend(listed.get(text).into_iter().flatten());
    };
    add(value);
    add(EVERYTHING);
    if let Some(tree) = tree {
        let mut node = tree.leaf_of(value)?;
        while let Some(at) = node {
            add(tree.label(at));
            node = tree.parent(at);
        }
    }
    naming.sort_unstable();
    naming.dedup();
    Ok(naming)
}

/// A column's taxonomy; where missing values are values, it has a leaf for them.
pub(crate) fn value_tree(policy: &CheckedPolicy, column: &PolicyColumn) -> Result<Option<Taxonomy>> {
    let Some(tree) = column.hierarchy.as_deref() else { return Ok(None) };
    match policy.missing.first() {
        Some(missing) if policy.on_missing == OnMissing::Value && tree.leaf_of(missing)?.is_none() => {
            tree.with_leaf(missing).map(Some)
        }
        _ => Ok(Some(tree.clone())),
    }
}
