//! Released transactions as an adversary sees them: which nodes of the item tree each one holds.
//!
//! A released transaction *holds* a node if it shows that node or one below it; a node shown above does not count. A
//! node is *visible* if some transaction holds it.

use hashbrown::HashMap;

use privet_taxonomy::{ItemTree, Node};

/// Released transactions, those that hold the same nodes put together.
pub struct TransactionCells<'a> {
    /// How items generalise.
    pub tree: &'a ItemTree,
    /// How many sensitive items there are.
    pub sensitive: usize,
    /// By rising nodes.
    pub cells: Vec<Cell>,
    /// Per node, whether it is the most special node that some transaction shows of its branch. The visible nodes are
    /// these and all above them.
    pub published: Vec<bool>,
}

/// All released transactions that hold the same nodes.
pub struct Cell {
    /// The most special nodes that they hold, ascending. They hold these, all above these, and nothing else.
    pub nodes: Vec<Node>,
    /// How many transactions there are.
    pub weight: u64,
    /// How many of them have each sensitive item, ascending; those that none has are left out.
    pub marks: Vec<(u32, u64)>,
}

/// Transactions, and how many of them have each sensitive item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    /// How many transactions.
    pub weight: u64,
    /// How many of them have each sensitive item.
    pub marks: Vec<u64>,
}

/// What an adversary may know about somebody: nodes that the transaction holds, and nodes that it does not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Knowledge {
    /// Nodes that the transaction holds.
    pub present: Vec<Node>,
    /// Nodes that it does not hold.
    pub absent: Vec<Node>,
}

impl<'a> TransactionCells<'a> {
    /// Puts transactions together: the nodes that each shows (ascending), its sensitive items, and how many are equal.
    pub fn new<'b>(
        tree: &'a ItemTree,
        sensitive: usize,
        rows: impl IntoIterator<Item = (&'b [Node], &'b [u32], u64)>,
    ) -> TransactionCells<'a> {
        let mut places: HashMap<Vec<Node>, usize> = HashMap::new();
        let mut sums: Vec<(u64, Vec<(u32, u64)>)> = Vec::new();
        for (shown, marks, count) in rows {
            let place = *places.entry(most_special(tree, shown)).or_insert(sums.len());
            if place == sums.len() {
                sums.push((0, Vec::new()));
            }
            let (weight, counts) = &mut sums[place];
            *weight += count;
            counts.extend(marks.iter().map(|mark| (*mark, count)));
        }
        let mut published = vec![false; tree.len()];
        let mut cells: Vec<Cell> = places
            .into_iter()
            .map(|(nodes, place)| {
                let (weight, marks) = std::mem::take(&mut sums[place]);
                Cell { nodes, weight, marks: added_up(marks) }
            })
            .collect();
        cells.sort_unstable_by(|one, other| one.nodes.cmp(&other.nodes));
        for node in cells.iter().flat_map(|cell| &cell.nodes) {
            published[*node as usize] = true;
        }
        TransactionCells { tree, sensitive, cells, published }
    }

    /// Whether the transactions of a cell hold a node.
    pub fn holds(&self, cell: &Cell, node: Node) -> bool {
        let first = cell.nodes.partition_point(|own| *own < node);
        cell.nodes.get(first).is_some_and(|own| *own < self.tree.end(node))
    }

    /// The cells that fit some knowledge.
    pub fn fitting<'b>(&'b self, known: &'b Knowledge) -> impl Iterator<Item = &'b Cell> {
        self.cells.iter().filter(|cell| {
            known.present.iter().all(|node| self.holds(cell, *node))
                && !known.absent.iter().any(|node| self.holds(cell, *node))
        })
    }

    /// Adds cells up.
    pub fn sum<'b>(&self, cells: impl Iterator<Item = &'b Cell>) -> Sum {
        let mut sum = Sum { weight: 0, marks: vec![0; self.sensitive] };
        for cell in cells {
            sum.weight += cell.weight;
            for (mark, count) in &cell.marks {
                sum.marks[*mark as usize] += count;
            }
        }
        sum
    }
}

/// Without the nodes that stand above another one. In preorder a node's descendants follow it directly.
fn most_special(tree: &ItemTree, shown: &[Node]) -> Vec<Node> {
    let mut nodes = shown.to_vec();
    nodes.sort_unstable();
    nodes.dedup();
    let next: Vec<Option<Node>> = nodes.iter().copied().skip(1).map(Some).chain([None]).collect();
    let pairs = nodes.into_iter().zip(next);
    pairs
        .filter(|(node, next)| next.is_none_or(|next| next >= tree.end(*node)))
        .map(|(node, _)| node)
        .collect()
}

fn added_up(mut marks: Vec<(u32, u64)>) -> Vec<(u32, u64)> {
    marks.sort_unstable();
    let groups = marks.chunk_by(|one, next| one.0 == next.0);
    groups.map(|group| (group[0].0, group.iter().map(|(_, count)| count).sum())).collect()
}
