//! Does every released record stand for an original record of its own?
//!
//! A released record may stand for an original one if the unchanged columns are equal, apart from suppressed cells, and
//! every released cell covers the original value. The release is true if the released records can all be given *different* originals.

use hashbrown::HashMap;

use super::classes::Classes;
use super::cover::Coverage;
use super::flow;
use super::suppressed::Suppressed;
use super::table::{Tables, Tuples};
use privet_core::{Error, Result};

/// Overlapping classes make originals fit several released records. More than this many such pairs would not fit into
/// memory; only a release in which almost everything overlaps has them.
const MOST_PAIRS: usize = 50_000_000;

/// How many copies of each distinct released record stand for no original record.
pub(super) fn without_original(
    tables: &Tables,
    classes: &Classes,
    coverage: &[Coverage],
    suppressed: &Suppressed,
) -> Result<Vec<u64>> {
    let (original, release) = (&tables.original.records, &tables.release.records);
    let mut wanted: Vec<u64> = release.ids().map(|id| release.count(id)).collect();
    let mut contested = Contested::default();
    each_fitting(tables, classes, coverage, suppressed, &mut |Fitting { original: id, released }| {
        match released[..] {
            [] => {}
            // Nothing else can use these originals, so they go where they fit.
            [only] => {
                let open = &mut wanted[only as usize];
                *open = open.saturating_sub(original.count(id));
            }
            _ => contested.add(released, original.count(id))?,
        }
        Ok(())
    })?;
    if wanted.iter().any(|open| *open > 0) {
        flow::fill(&contested.supplies, &mut wanted);
    }
    Ok(wanted)
}

/// A distinct original record, and the distinct released ones that may stand for it.
pub(super) struct Fitting {
    pub original: u32,
    pub released: Vec<u32>,
}

/// Hands every distinct original record to `each`, with the released ones that may stand for it.
pub(super) fn each_fitting(
    tables: &Tables,
    classes: &Classes,
    coverage: &[Coverage],
    suppressed: &Suppressed,
    each: &mut dyn FnMut(Fitting) -> Result<()>,
) -> Result<()> {
    let (original, release) = (&tables.original.records, &tables.release.records);
    let quasi = coverage.len();
    let (people, person_of) = original.beginnings(quasi)?;
    let mut records: Vec<u32> = original.ids().collect();
    records.sort_by_key(|id| person_of[*id as usize]);

    let index = ClassIndex::of(&classes.cells, coverage);
    let patterns = suppressed.patterns(release, quasi);
    for group in records.chunk_by(|a, b| person_of[*a as usize] == person_of[*b as usize]) {
        let Some(first) = group.first() else { continue };
        let covering = index.covering(people.get(person_of[*first as usize]));
        for id in group {
            let shown = |pattern: &Vec<(usize, u32)>| {
                let mut unchanged = original.get(*id)[quasi..].to_vec();
                pattern.iter().for_each(|(place, star)| unchanged[*place] = *star);
                unchanged
            };
            let ways: Vec<Vec<u32>> = patterns.iter().map(shown).collect();
            let standing = |class: &u32| {
                let cells = classes.cells.get(*class);
                ways.iter().filter_map(move |unchanged| release.find(&[cells, unchanged].concat()))
            };
            let released: Vec<u32> = covering.iter().flat_map(standing).collect();
            each(Fitting { original: *id, released })?;
        }
    }
    Ok(())
}

/// Refuses a release of more pairs than fit into memory.
pub(super) fn few_enough(pairs: usize) -> Result<()> {
    if pairs > MOST_PAIRS {
        return Err(Error::input("the classes of the release overlap too much to be audited")
            .help("audit a release whose classes overlap less, or a part of the table"));
    }
    Ok(())
}

/// Originals that fit several released records, put together where they fit the same ones.
#[derive(Default)]
pub(super) struct Contested {
    pub supplies: Vec<(u64, Vec<u32>)>,
    places: HashMap<Vec<u32>, usize>,
    pairs: usize,
}

impl Contested {
    pub fn add(&mut self, fitting: Vec<u32>, count: u64) -> Result<()> {
        if let Some(place) = self.places.get(&fitting) {
            self.supplies[*place].0 += count;
            return Ok(());
        }
        self.pairs += fitting.len();
        few_enough(self.pairs)?;
        self.places.insert(fitting.clone(), self.supplies.len());
        self.supplies.push((count, fitting));
        Ok(())
    }
}

/// The classes as a tree, one column per level, so that the classes covering a record are found without trying them all.
pub(super) struct ClassIndex<'a> {
    coverage: &'a [Coverage],
    /// The columns by level; those with few distinct cells first, so that the tree is narrow at the top.
    order: Vec<usize>,
    nodes: Vec<IndexNode>,
    empty: bool,
}

/// What follows a cell is another node or, on the last level, a class.
#[derive(Default)]
struct IndexNode {
    /// By rising cell.
    children: Vec<(u32, u32)>,
    /// Those of the children whose cell spells a range.
    ranges: Vec<(u32, u32)>,
}

impl<'a> ClassIndex<'a> {
    pub fn of(classes: &Tuples, coverage: &'a [Coverage]) -> ClassIndex<'a> {
        let mut order: Vec<usize> = (0..coverage.len()).collect();
        order.sort_by_key(|column| coverage[*column].cells());
        let cells = |class: u32| order.iter().map(move |column| classes.get(class)[*column]);
        let mut sorted: Vec<u32> = classes.ids().collect();
        sorted.sort_by(|a, b| cells(*a).cmp(cells(*b)));

        let mut nodes = vec![IndexNode::default()];
        let mut path = vec![0];
        let mut previous: Option<u32> = None;
        for class in sorted {
            let shared = previous.map_or(0, |other| {
                cells(class).zip(cells(other)).take_while(|(one, two)| one == two).count()
            });
            path.truncate(shared + 1);
            for (level, cell) in cells(class).enumerate().skip(shared) {
                let last = level + 1 == order.len();
                let next = if last { class } else { nodes.len() as u32 };
                let node = &mut nodes[path[level]];
                node.children.push((cell, next));
                if coverage[order[level]].is_range(cell) {
                    node.ranges.push((cell, next));
                }
                if !last {
                    path.push(nodes.len());
                    nodes.push(IndexNode::default());
                }
            }
            previous = Some(class);
        }
        ClassIndex { coverage, order, nodes, empty: previous.is_none() }
    }

    /// The classes all of whose cells cover the values, in rising order.
    pub fn covering(&self, values: &[u32]) -> Vec<u32> {
        let mut found = Vec::new();
        let mut open = if self.empty { Vec::new() } else { vec![(0, 0)] };
        while let Some((level, at)) = open.pop() {
            let Some(column) = self.order.get(level) else {
                found.push(at);
                continue;
            };
            let (node, value) = (&self.nodes[at as usize], values[*column]);
            let naming = self.coverage[*column].naming(value);
            // Many sets may have a value, and few of them may follow here.
            if naming.len() <= node.children.len() {
                for cell in naming {
                    if let Ok(child) = node.children.binary_search_by_key(cell, |(cell, _)| *cell) {
                        open.push((level + 1, node.children[child].1));
                    }
                }
            } else {
                let named = node.children.iter().filter(|(cell, _)| naming.binary_search(cell).is_ok());
                open.extend(named.map(|(_, next)| (level + 1, *next)));
            }
            for (cell, next) in &node.ranges {
                if self.coverage[*column].in_range(*cell, value) && naming.binary_search(cell).is_err() {
                    open.push((level + 1, *next));
                }
            }
        }
        found.sort_unstable();
        found
    }
}
