//! The data as the inverse itemset enumeration tree scans it.

use hashbrown::HashMap;

use crate::engine::baskets::Baskets;
use crate::taxonomy::Node;

/// Transactions with the same nodes, merged. Each row lists all nodes that it holds, ancestors included, ascending.
#[derive(Debug)]
pub struct Rows {
    nodes: Vec<Node>,
    /// Per row, where its nodes begin and end.
    bounds: Vec<(usize, usize)>,
    /// Per row, how many transactions it stands for.
    weights: Vec<u64>,
    /// Per row, where its counts of sensitive items end.
    mark_ends: Vec<usize>,
    marks: Vec<(u32, u64)>,
}

impl Rows {
    /// The rows of the data when it is published as a cut: per node, what is published for it. Of the sensitive items, those
    /// are counted that matter.
    pub fn new(baskets: &Baskets, shown: &[Node], matters: &[bool]) -> Rows {
        let tree = &baskets.tree;
        let mut index: HashMap<Vec<Node>, usize> = HashMap::new();
        let mut rows = Rows {
            nodes: Vec::new(),
            bounds: Vec::new(),
            weights: Vec::new(),
            mark_ends: Vec::new(),
            marks: Vec::new(),
        };
        let mut counts: Vec<Vec<(u32, u64)>> = Vec::new();
        for basket in 0..baskets.len() {
            let mut held: Vec<Node> =
                baskets.items(basket).iter().map(|item| shown[*item as usize]).collect();
            held.dedup();
            let row = *index.entry(held).or_insert_with_key(|held| {
                let start = rows.nodes.len();
                for node in held {
                    // Ancestors that the node before does not share.
                    let known = rows.nodes[start..].last().copied();
                    let new = |above: &Node| known.is_none_or(|known| !tree.contains(*above, known));
                    let first = rows.nodes.len();
                    rows.nodes.push(*node);
                    rows.nodes.extend(tree.ancestors(*node).take_while(new));
                    rows.nodes[first..].reverse();
                }
                rows.bounds.push((start, rows.nodes.len()));
                rows.weights.push(0);
                counts.push(Vec::new());
                rows.bounds.len() - 1
            });
            rows.weights[row] += baskets.count(basket);
            for mark in baskets.marks(basket).iter().filter(|mark| matters[**mark as usize]) {
                match counts[row].iter_mut().find(|(known, _)| known == mark) {
                    Some((_, count)) => *count += baskets.count(basket),
                    None => counts[row].push((*mark, baskets.count(basket))),
                }
            }
        }
        for mut counts in counts {
            counts.sort_unstable();
            rows.marks.extend(counts);
            rows.mark_ends.push(rows.marks.len());
        }
        rows
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.bounds.len()
    }

    /// The nodes that a row holds, ascending.
    pub fn nodes(&self, row: u32) -> &[Node] {
        let (start, end) = self.bounds[row as usize];
        &self.nodes[start..end]
    }

    /// How many transactions a row stands for.
    pub fn weight(&self, row: u32) -> u64 {
        self.weights[row as usize]
    }

    /// How many of them hold each sensitive item that any holds.
    pub fn marks(&self, row: u32) -> &[(u32, u64)] {
        let start = (row as usize).checked_sub(1).map_or(0, |before| self.mark_ends[before]);
        &self.marks[start..self.mark_ends[row as usize]]
    }

    /// How many transactions hold each sensitive item that any holds, ascending.
    pub fn all_marks(&self) -> Vec<(u32, u64)> {
        let mut all = std::collections::BTreeMap::new();
        for (mark, count) in &self.marks {
            *all.entry(*mark).or_insert(0) += count;
        }
        all.into_iter().collect()
    }

    /// Forgets nodes. Rows keep their numbers.
    pub fn retain(&mut self, keep: impl Fn(Node) -> bool) {
        for (start, end) in &mut self.bounds {
            let mut kept = *start;
            for at in *start..*end {
                let node = self.nodes[at];
                if keep(node) {
                    self.nodes[kept] = node;
                    kept += 1;
                }
            }
            *end = kept;
        }
    }
}
