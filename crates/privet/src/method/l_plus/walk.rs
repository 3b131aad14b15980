//! Walks over cells: the records of a class below each node of one column's tree.

use super::guillotine::Guillotine;
use super::numbering::bucket;
use super::rules::{Metric, Rules, Tally};
use super::table::{Classes, Fine};
use crate::engine::cut::{Amount, FORBIDDEN, Forest, Tree, plus};

/// What a walk wants to know of a cell.
#[derive(Clone, Copy)]
pub enum Question<'a> {
    /// What it costs as a class.
    Cost,
    /// What it must at least cost, however the other columns split it.
    Floor,
    /// The same, by trying all ways to split.
    Split(&'a Guillotine<'a>),
}

/// What a walk over one column found.
pub struct Walked {
    /// Per node, the sum of the answers over all classes. For floors of CM generalisation is part of it, else not.
    pub sums: Vec<Amount>,
    /// The cost of the classes as they are.
    pub whole: Amount,
}

/// Walks all cells of a column: for every class, the nodes from its own (in the cut of the classes) down to the rows'.
pub fn walk(
    rules: &Rules,
    forest: &Forest,
    fine: &Fine,
    classes: &Classes,
    column: usize,
    question: Question<'_>,
) -> Walked {
    let tree = &forest.trees[column];
    let class_of = |row: u32| classes.of_row[row as usize];
    let (rows, begins) = bucket(fine.order[column].iter().copied(), class_of, classes.count);
    let grouped = matches!(question, Question::Floor | Question::Split(_)) && rules.metric == Metric::Cm;
    let by_others =
        grouped.then(|| bucket(fine.by_others[column].iter().copied(), class_of, classes.count).0);
    let mut cells = Cells {
        rules,
        fine,
        tree,
        column,
        question,
        open: Vec::new(),
        spare: Vec::new(),
        losses: &rules.losses[column],
        g: 0,
        majorities: vec![0; if grouped { tree.len() } else { 0 }],
        sums: vec![0; tree.len()],
        whole: 0,
    };
    for class in begins.windows(2) {
        let range = class[0] as usize..class[1] as usize;
        let rows = &rows[range.clone()];
        cells.g = classes.loss(rules, fine, rows[0], Some(column));
        let top = match question {
            // The column itself is not cut: its whole tree is asked about.
            Question::Cost => 0,
            _ => classes.covers[column][fine.nodes[column][rows[0] as usize] as usize],
        };
        if let Some(by_others) = &by_others {
            cells.count_majorities(top, &by_others[range]);
        }
        cells.class(top, rows);
    }
    Walked { sums: cells.sums, whole: cells.whole }
}

/// A cell that is not complete yet.
struct OpenCell {
    node: u32,
    start: usize,
    tally: Tally,
    /// What its rows have in the other columns, as long as they all have the same.
    others: Option<u32>,
}

struct Cells<'a> {
    rules: &'a Rules,
    fine: &'a Fine,
    tree: &'a Tree,
    column: usize,
    question: Question<'a>,
    open: Vec<OpenCell>,
    spare: Vec<Tally>,
    losses: &'a [Amount],
    /// What a record of the class pays in the other columns.
    g: Amount,
    /// For CM: per node, the records with the majority label of their group, summed over the groups of the class.
    majorities: Vec<u64>,
    sums: Vec<Amount>,
    whole: Amount,
}

impl Cells<'_> {
    fn class(&mut self, top: u32, rows: &[u32]) {
        let nodes = &self.fine.nodes[self.column];
        for (at, row) in rows.iter().enumerate() {
            let node = nodes[*row as usize];
            while self.open.last().is_some_and(|cell| !self.tree.contains(cell.node, node)) {
                self.close(rows, at);
            }
            self.descend(top, node, at, *row);
            let cell = self.open.len() - 1;
            let cell = &mut self.open[cell];
            self.fine.add_to(&mut cell.tally, *row);
            if cell.others != Some(self.fine.others[self.column][*row as usize]) {
                cell.others = None;
            }
        }
        while !self.open.is_empty() {
            self.close(rows, rows.len());
        }
    }

    /// Opens the cells from the lowest open one down to the node.
    fn descend(&mut self, top: u32, node: u32, start: usize, row: u32) {
        let from = self.open.len();
        let above = self.open.last().map(|cell| cell.node);
        let mut next = node;
        while Some(next) != above {
            let tally = self.spare.pop().unwrap_or_else(|| self.rules.tally());
            let others = Some(self.fine.others[self.column][row as usize]);
            self.open.push(OpenCell { node: next, start, tally, others });
            if next == top {
                break;
            }
            next = self.tree.parent(next);
        }
        self.open[from..].reverse();
    }

    fn close(&mut self, rows: &[u32], end: usize) {
        let Some(cell) = self.open.pop() else { return };
        let g = self.g + self.losses[cell.node as usize];
        let rows = &rows[cell.start..end];
        let answer = match self.question {
            Question::Cost => self.rules.cost(&cell.tally, g),
            Question::Floor | Question::Split(_) => self.floor(&cell, rows, g),
        };
        let sum = &mut self.sums[cell.node as usize];
        *sum = plus(*sum, answer);
        let mut tally = cell.tally;
        match self.open.last_mut() {
            Some(parent) => {
                parent.tally.merge(&tally);
                if parent.others != cell.others {
                    parent.others = None;
                }
            }
            None => self.whole = plus(self.whole, self.rules.cost(&tally, g)),
        }
        tally.clear();
        self.spare.push(tally);
    }

    /// What the cell must cost beyond its generalisation, or for CM in all.
    fn floor(&mut self, cell: &OpenCell, rows: &[u32], g: Amount) -> Amount {
        let rules = self.rules;
        let extra = match self.question {
            // The other columns cannot split it any more.
            _ if cell.others.is_some() => rules.extra(&cell.tally, g),
            Question::Split(guillotine) if rules.violates(&cell.tally) => {
                guillotine.stake(rows, Some(self.column), &cell.tally) * rules.price(g)
            }
            _ => rules.floor(&cell.tally, g),
        };
        if rules.metric != Metric::Cm || extra >= FORBIDDEN {
            return extra;
        }
        let outside = cell.tally.size - self.majorities[cell.node as usize];
        (Amount::from(outside) + extra).max(rules.least_removals(&cell.tally))
    }

    /// For every node of the class, how many records have the majority label of their group, when groups are equal in
    /// the other columns and merged up to the node in this one.
    fn count_majorities(&mut self, top: u32, by_others: &[u32]) {
        self.majorities[top as usize..self.tree.end(top) as usize].fill(0);
        let (nodes, others) = (&self.fine.nodes[self.column], &self.fine.others[self.column]);
        let mut path: Vec<(u32, Tally)> = Vec::new();
        let mut group = None;
        for row in by_others {
            let (node, this) = (nodes[*row as usize], others[*row as usize]);
            while path
                .last()
                .is_some_and(|(above, _)| group != Some(this) || !self.tree.contains(*above, node))
            {
                self.close_group(&mut path);
            }
            group = Some(this);
            let (from, above) = (path.len(), path.last().map(|(node, _)| *node));
            let mut next = node;
            while Some(next) != above {
                path.push((next, self.spare.pop().unwrap_or_else(|| self.rules.tally())));
                if next == top {
                    break;
                }
                next = self.tree.parent(next);
            }
            path[from..].reverse();
            if let Some((_, tally)) = path.last_mut() {
                self.fine.add_to(tally, *row);
            }
        }
        while !path.is_empty() {
            self.close_group(&mut path);
        }
    }

    fn close_group(&mut self, path: &mut Vec<(u32, Tally)>) {
        let Some((node, mut tally)) = path.pop() else { return };
        self.majorities[node as usize] += tally.majority();
        if let Some((_, parent)) = path.last_mut() {
            parent.merge(&tally);
        }
        tally.clear();
        self.spare.push(tally);
    }
}
