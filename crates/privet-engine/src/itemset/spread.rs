//! Depth-first counting of itemsets: the transactions that hold a set are spread over the nodes that could extend it.
//!
//! Sets grow towards smaller nodes. So the transactions that hold a set need only be remembered with how far their nodes
//! are still of interest, and every set is met once.

use super::rows::{NOBODY, Rows};
use privet_taxonomy::Node;

/// A row that holds a set, and how many of its nodes could still extend the set.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    /// The row.
    pub row: u32,
    /// The nodes before this position are smaller than all of the set.
    pub upto: u32,
}

impl Held {
    /// A row, with all its nodes of interest.
    pub fn whole(rows: &Rows, row: u32) -> Held {
        Held { row, upto: rows.nodes(row).len() as u32 }
    }

    /// Every row, with all its nodes of interest.
    pub fn all(rows: &Rows) -> Vec<Held> {
        rows.numbers().map(|row| Held::whole(rows, row)).collect()
    }
}

/// A node that extends a set, and the rows that hold both.
#[derive(Debug, Clone, Copy)]
pub struct Branch {
    /// The node.
    pub node: Node,
    /// How many transactions or people hold the extended set.
    pub support: u64,
    start: usize,
    end: usize,
}

/// The extensions of a set, in the order of their nodes.
#[derive(Debug, Default)]
pub struct Spread {
    branches: Vec<Branch>,
    held: Vec<Held>,
}

impl Spread {
    /// The extensions.
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// The rows of an extension.
    pub fn rows(&self, branch: &Branch) -> &[Held] {
        &self.held[branch.start..branch.end]
    }
}

/// Working memory for spreading; it can be used again and again.
#[derive(Debug)]
pub struct Spreader {
    support: Vec<u64>,
    /// How many rows; while rows are dealt out, where the next one goes.
    places: Vec<usize>,
    touched: Vec<Node>,
}

/// Marks a node whose rows are not wanted.
const UNWANTED: usize = usize::MAX;

impl Spreader {
    /// Memory for sets of nodes below `nodes`.
    pub fn new(nodes: usize) -> Spreader {
        Spreader { support: vec![0; nodes], places: vec![0; nodes], touched: Vec::new() }
    }

    fn count(&mut self, rows: &Rows, held: &[Held], may: impl Fn(Node) -> bool + Copy) {
        for Held { row, upto } in held {
            let weight = rows.weight(*row);
            for node in &rows.nodes(*row)[..*upto as usize] {
                if may(*node) {
                    let at = *node as usize;
                    if self.places[at] == 0 {
                        self.touched.push(*node);
                    }
                    self.places[at] += 1;
                    self.support[at] += weight;
                }
            }
        }
        if rows.has_owners() {
            self.count_owners_once(rows, held, may);
        }
        self.touched.sort_unstable();
    }

    /// An owner of several rows counts once for a node. Rows ascend, so that those of an owner follow each other.
    fn count_owners_once(&mut self, rows: &Rows, held: &[Held], may: impl Fn(Node) -> bool) {
        let is_same = |one: &Held, other: &Held| {
            let owner = rows.owner(one.row);
            owner != NOBODY && owner == rows.owner(other.row)
        };
        let mut nodes: Vec<Node> = Vec::new();
        for run in held.chunk_by(is_same).filter(|run| run.len() > 1) {
            nodes.clear();
            for Held { row, upto } in run {
                nodes.extend(rows.nodes(*row)[..*upto as usize].iter().filter(|node| may(**node)));
            }
            nodes.sort_unstable();
            let weight = rows.weight(run[0].row);
            for same in nodes.chunk_by(|one, other| one == other) {
                self.support[same[0] as usize] -= weight * (same.len() as u64 - 1);
            }
        }
    }

    /// Tells, for every node that `may` extend the set which the rows hold, the support of the extended set.
    pub fn weigh(
        &mut self,
        rows: &Rows,
        held: &[Held],
        may: impl Fn(Node) -> bool + Copy,
        mut each: impl FnMut(Node, u64),
    ) {
        self.count(rows, held, may);
        for node in self.touched.drain(..) {
            let at = node as usize;
            self.places[at] = 0;
            each(node, std::mem::take(&mut self.support[at]));
        }
    }

    /// Deals the rows out to every node that `may` extend the set which they hold and is `wanted` with its support and the
    /// number of its rows.
    pub fn spread(
        &mut self,
        rows: &Rows,
        held: &[Held],
        may: impl Fn(Node) -> bool + Copy,
        mut wanted: impl FnMut(Node, u64, usize) -> bool,
        into: &mut Spread,
    ) {
        self.count(rows, held, may);
        into.branches.clear();
        let mut next = 0;
        for node in &self.touched {
            let at = *node as usize;
            let support = std::mem::take(&mut self.support[at]);
            let count = self.places[at];
            if wanted(*node, support, count) {
                into.branches.push(Branch { node: *node, support, start: next, end: next + count });
                self.places[at] = next + 1;
                next += count;
            } else {
                self.places[at] = UNWANTED;
            }
        }
        into.held.clear();
        into.held.resize(next, Held { row: 0, upto: 0 });
        if next > 0 {
            for Held { row, upto } in held {
                for (upto, node) in (0..*upto).zip(rows.nodes(*row)) {
                    // A place is one more than where the row goes: 0 says that the node may not extend the set.
                    let place = &mut self.places[*node as usize];
                    if *place != 0 && *place != UNWANTED {
                        into.held[*place - 1] = Held { row: *row, upto };
                        *place += 1;
                    }
                }
            }
        }
        for node in self.touched.drain(..) {
            self.places[node as usize] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_dealt_out_to_what_they_hold() {
        let mut rows = Rows::default();
        rows.push([0, 2, 3], 2);
        rows.push([0, 1, 3], 1);
        rows.push([2], 5);
        let mut spreader = Spreader::new(4);
        let mut spread = Spread::default();
        spreader.spread(&rows, &Held::all(&rows), |node| node != 2, |_, support, _| support > 1, &mut spread);
        let branches: Vec<(Node, u64)> =
            spread.branches().iter().map(|branch| (branch.node, branch.support)).collect();
        assert_eq!(branches, [(0, 3), (3, 3)]);
        let last: Vec<Held> = spread.rows(&spread.branches()[1]).to_vec();
        let mut below = Vec::new();
        spreader.weigh(&rows, &last, |_| true, |node, support| below.push((node, support)));
        assert_eq!(below, [(0, 3), (1, 1), (2, 2)]);
    }

    #[test]
    fn an_owner_of_several_rows_counts_once() {
        let mut rows = Rows::default();
        rows.push([0, 1], 1);
        rows.push_owned(0, [vec![0, 1], vec![0, 2]], 2);
        rows.push_owned(1, [vec![1], vec![0, 1, 2]], 3);
        let mut spreader = Spreader::new(3);
        let mut found = Vec::new();
        spreader.weigh(&rows, &Held::all(&rows), |_| true, |node, support| found.push((node, support)));
        assert_eq!(found, [(0, 6), (1, 6), (2, 5)]);
        let mut spread = Spread::default();
        spreader.spread(
            &rows,
            &Held::all(&rows),
            |_| true,
            |_, support, rows| support == 6 && rows == 4,
            &mut spread,
        );
        assert_eq!(spread.branches().len(), 2);
    }
}
