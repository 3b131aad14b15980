//! What released cells say: which original values a cell of a quasi-identifier may stand for.
//!
//! A cell stands for the value it spells, for the leaves below the node whose label it is, for every number in the range
//! it spells (where all values of the column are numbers), for the members of the set it spells, and `*` stands for
//! everything.

use hashbrown::HashMap;

use super::notion::read_as;
use super::table::Dictionary;
use super::value_sets;
use privet_core::Result;
use privet_policy::{CheckedPolicy, OnMissing, PolicyColumn};
use privet_taxonomy::{Range, Taxonomy};

/// The cell that stands for everything.
pub(super) const EVERYTHING: &str = "*";

/// Which released cells of one column stand for which original values, both by number.
pub(super) struct Coverage {
    /// For each original value the cells that name it or something above it, in rising order.
    naming: Vec<Vec<u32>>,
    /// For each original value the number that it is.
    numbers: Vec<Option<f64>>,
    /// For each released cell the range that it spells.
    ranges: Vec<Option<Range>>,
    /// The released cells that say nothing, in rising order.
    pub senseless: Vec<u32>,
    /// A released cell that spells a set, but not in the one way there is.
    pub misspelt: Option<u32>,
    /// Two released cells that say the same in different spellings, the usual one first.
    pub respelt: Option<(u32, u32)>,
}

impl Coverage {
    /// Reads the meaning of every released cell of a column.
    pub fn of(
        policy: &CheckedPolicy,
        column: &PolicyColumn,
        values: &Dictionary,
        cells: &Dictionary,
    ) -> Result<Coverage> {
        let tree = value_tree(policy, column)?;
        let numbers: Vec<Option<f64>> = values.texts().map(number_of).collect();
        let numeric =
            values.texts().zip(&numbers).all(|(value, number)| number.is_some() || policy.is_missing(value));
        let ranges: Vec<Option<Range>> =
            cells.texts().map(|cell| if numeric { Range::parse(cell) } else { None }).collect();
        let sets = ReleasedSets::of(values, cells, tree.as_ref());
        let naming = values
            .texts()
            .zip(&sets.having)
            .map(|(value, having)| {
                let labels = labels_above(value, tree.as_ref())?;
                let mut naming: Vec<u32> = labels.iter().filter_map(|label| cells.find(label)).collect();
                naming.extend(having);
                naming.sort_unstable();
                naming.dedup();
                Ok(naming)
            })
            .collect::<Result<Vec<_>>>()?;
        let says_something = |cell: &str, range: &Option<Range>| {
            cell == EVERYTHING
                || range.is_some()
                || values.find(cell).is_some()
                || tree.as_ref().is_some_and(|tree| tree.find(cell).is_some())
        };
        let senseless = (0u32..)
            .zip(cells.texts().zip(&ranges))
            .filter(|(code, (cell, range))| !says_something(cell, range) && !sets.is_set[*code as usize])
            .map(|(code, _)| code)
            .collect();
        let misspelt = sets.misspelt;
        let mut coverage = Coverage { naming, numbers, ranges, senseless, misspelt, respelt: None };
        let is_exact = |cell: &str| {
            cell == EVERYTHING
                || values.find(cell).is_some()
                || tree.as_ref().is_some_and(|tree| tree.find(cell).is_some())
        };
        let exact: Vec<bool> = cells.texts().map(is_exact).collect();
        coverage.respelt = coverage.two_spellings(&exact, cells.find(EVERYTHING));
        if coverage.respelt.is_none() {
            coverage.respelt = coverage.set_and_other(&sets.is_set);
        }
        if let (None, Some(_), Some(tree)) = (coverage.respelt, &column.mixed, &tree) {
            let values: Vec<&str> = values.texts().collect();
            coverage.respelt = two_of_one_meaning(tree, &values, cells)?;
        }
        Ok(coverage)
    }

    /// Two cells that stand for the same numbers of the original. `exact` are cells that spell a value or a label: two labels
    /// may well have the same values below them, so one of the two is a range in another spelling.
    fn two_spellings(&self, exact: &[bool], everything: Option<u32>) -> Option<(u32, u32)> {
        let mut ranked: Vec<(f64, usize)> =
            self.numbers.iter().enumerate().filter_map(|(value, number)| Some(((*number)?, value))).collect();
        ranked.sort_by(|one, other| one.0.total_cmp(&other.0));
        // By cell: the first and the last place of what it names, how much it is, and whether all of it are numbers.
        let mut named = vec![(usize::MAX, 0, 0, true); exact.len()];
        for (place, (_, value)) in ranked.iter().enumerate() {
            for cell in self.naming(*value as u32) {
                let (first, last, count, _) = &mut named[*cell as usize];
                (*first, *last, *count) = (place.min(*first), place, *count + 1);
            }
        }
        let words = self.naming.iter().zip(&self.numbers).filter(|(_, number)| number.is_none());
        words.flat_map(|(cells, _)| cells).for_each(|cell| named[*cell as usize].3 = false);
        let places = |cell: usize| match (&self.ranges[cell], exact[cell], named[cell]) {
            (Some(range), false, _) => {
                let first = ranked.partition_point(|(number, _)| *number < range.low);
                let held = ranked[first..].iter().position(|(number, _)| range.holds(*number));
                let first = held.map_or(ranked.len(), |at| first + at);
                let end = first + ranked[first..].partition_point(|(number, _)| range.holds(*number));
                (first < end).then_some((first, end))
            }
            (_, _, (first, last, count, true)) if count > 0 && last + 1 - first == count => {
                Some((first, last + 1))
            }
            _ => None,
        };
        // Spellings of labels and values first.
        let cells = (0..exact.len()).filter(|cell| Some(*cell as u32) != everything);
        let (usual, others): (Vec<usize>, Vec<usize>) = cells.partition(|cell| exact[*cell]);
        let mut known: HashMap<(usize, usize), usize> = HashMap::new();
        for cell in usual {
            places(cell).into_iter().for_each(|places| _ = known.entry(places).or_insert(cell));
        }
        others.into_iter().find_map(|cell| {
            let first = *known.entry(places(cell)?).or_insert(cell);
            (first != cell).then_some((first as u32, cell as u32))
        })
    }

    /// A cell that names the same values as a set, and the set. Two sets of the same members have the same spelling.
    fn set_and_other(&self, is_set: &[bool]) -> Option<(u32, u32)> {
        let mut named: Vec<Vec<u32>> = vec![Vec::new(); is_set.len()];
        for (value, cells) in (0u32..).zip(&self.naming) {
            cells.iter().for_each(|cell| named[*cell as usize].push(value));
        }
        let others = (0u32..).zip(&named).filter(|(cell, _)| !is_set[*cell as usize]);
        let known: HashMap<&Vec<u32>, u32> = others.map(|(cell, values)| (values, cell)).collect();
        let mut sets = (0u32..).zip(&named).filter(|(cell, _)| is_set[*cell as usize]);
        sets.find_map(|(set, values)| Some((*known.get(values)?, set)))
    }

    /// The cells that stand for a value, in rising order.
    pub fn standing_for(&self, value: u32) -> Vec<u32> {
        let in_range = (0..self.ranges.len() as u32).filter(|cell| self.in_range(*cell, value));
        let mut cells: Vec<u32> = self.naming(value).iter().copied().chain(in_range).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// The number of distinct released cells.
    pub fn cells(&self) -> usize {
        self.ranges.len()
    }

    /// The cells that name a value or something above it, in rising order.
    pub fn naming(&self, value: u32) -> &[u32] {
        &self.naming[value as usize]
    }

    /// Whether a cell spells a range.
    pub fn is_range(&self, cell: u32) -> bool {
        self.ranges[cell as usize].is_some()
    }

    /// Whether a cell spells a range that holds the value.
    pub fn in_range(&self, cell: u32, value: u32) -> bool {
        match (&self.ranges[cell as usize], self.numbers[value as usize]) {
            (Some(range), Some(number)) => range.holds(number),
            _ => false,
        }
    }
}

/// The released cells of a column that spell sets of original values.
struct ReleasedSets {
    /// By cell, whether it spells a set all of whose members occur in the original.
    is_set: Vec<bool>,
    /// By original value, the sets that have it.
    having: Vec<Vec<u32>>,
    /// One that is not spelt in the one way there is.
    misspelt: Option<u32>,
}

impl ReleasedSets {
    /// A cell that is also an original value or a label is that, and not a set.
    fn of(values: &Dictionary, cells: &Dictionary, tree: Option<&Taxonomy>) -> ReleasedSets {
        let mut sets = ReleasedSets {
            is_set: vec![false; cells.len()],
            having: vec![Vec::new(); values.len()],
            misspelt: None,
        };
        for (code, cell) in (0u32..).zip(cells.texts()) {
            let is_name = values.find(cell).is_some() || tree.is_some_and(|tree| tree.find(cell).is_some());
            let Some(members) = value_sets::set_members(cell).filter(|_| !is_name) else { continue };
            let members_found: Option<Vec<u32>> = members.iter().map(|member| values.find(member)).collect();
            let Some(found) = members_found else { continue };
            found.iter().for_each(|value| sets.having[*value as usize].push(code));
            sets.is_set[code as usize] = true;
            if value_sets::spelt(&members) != cell {
                sets.misspelt.get_or_insert(code);
            }
        }
        sets
    }
}

/// Two cells of a mixed column that are the same node, or the same leaves.
fn two_of_one_meaning(tree: &Taxonomy, values: &[&str], cells: &Dictionary) -> Result<Option<(u32, u32)>> {
    let mut known = HashMap::new();
    for (cell, code) in cells.texts().zip(0u32..) {
        let first = *known.entry(read_as(cell, tree, values)?).or_insert(code);
        if first != code {
            return Ok(Some((first, code)));
        }
    }
    Ok(None)
}

/// What names a value: its own text, `*`, and the labels from its leaf up to the root.
fn labels_above(value: &str, tree: Option<&Taxonomy>) -> Result<Vec<String>> {
    let mut labels = vec![value.to_string(), EVERYTHING.to_string()];
    if let Some(tree) = tree {
        let mut node = tree.leaf_of(value)?;
        while let Some(at) = node {
            labels.push(tree.label(at).to_string());
            node = tree.parent(at);
        }
    }
    Ok(labels)
}

/// A column's taxonomy; where missing values are values, it has a leaf for them.
pub(super) fn value_tree(policy: &CheckedPolicy, column: &PolicyColumn) -> Result<Option<Taxonomy>> {
    let Some(tree) = column.hierarchy.as_deref() else { return Ok(None) };
    match policy.missing.first() {
        Some(missing) if policy.on_missing == OnMissing::Value && tree.leaf_of(missing)?.is_none() => {
            tree.with_leaf(missing).map(Some)
        }
        _ => Ok(Some(tree.clone())),
    }
}

/// The number that a text spells; words such as `inf` and `nan` are texts.
pub(super) fn number_of(text: &str) -> Option<f64> {
    let spelling = text.trim();
    let plain = spelling.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    // Adding zero turns -0 into 0.
    spelling.parse().ok().filter(|number: &f64| plain && number.is_finite()).map(|number| number + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dictionary(texts: &[&str]) -> Dictionary {
        let mut dictionary = Dictionary::default();
        for (text, line) in texts.iter().zip(2..) {
            dictionary.code(text, line).expect("a code");
        }
        dictionary
    }

    /// In mixed columns cells are judged by the leaves that they cover, so each node has one spelling.
    #[test]
    fn hard_use_1_4_a_node_of_a_mixed_column_is_spelt_in_one_way() {
        let tree = Taxonomy::flat(["20-29", "30-39"]).expect("a tree");
        let found = |cells: &[&str]| {
            two_of_one_meaning(&tree, &["21", "35"], &dictionary(cells)).expect("a tree").is_some()
        };
        assert!(!found(&["20-29", "30-39", "*"]));
        for other in ["020-29", "10-29", "[20,30)", "21-29", "2e1-29", "21"] {
            assert!(found(&["20-29", "30-39", other]), "{other}");
        }
    }
}
