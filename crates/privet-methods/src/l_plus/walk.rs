//! Walks over cells: the records of a class below each node of one column's tree.

use super::guillotine::{Blade, Guillotine};
use super::rules::{Answer, Charge, Metric, Rules, Scheme};
use super::table::{Classes, Fine, Room};
use super::tally::Tally;
use privet_engine::cut::{Amount, FORBIDDEN, Forest, Tree, plus};
use privet_engine::numbering::bucket;

/// What a walk wants to know of a cell.
#[derive(Clone, Copy)]
pub enum Question<'a> {
    /// What it costs as a class.
    Cost,
    /// What it must at least cost, however the other columns split it. With the answers for the classes as a whole.
    Floor(&'a [Answer]),
    /// The same, by trying all ways to split.
    Split(&'a [Answer], Guillotine<'a>),
}

/// What a walk found.
#[derive(Debug)]
pub struct Walked {
    /// Per node, the sum of the answers over all classes.
    pub sums: Vec<Amount>,
    /// The cells whose floors are not 0, class by class; only where floors can be shared out.
    pub cells: Vec<Cell>,
}

/// The floor of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    pub class: u32,
    pub node: u32,
    /// In grains.
    pub amount: i64,
}

/// What the classes must at least cost, however all columns split them.
pub fn floors(
    rules: &Rules,
    fine: &Fine,
    classes: &Classes,
    guillotine: Option<Guillotine<'_>>,
) -> Vec<Answer> {
    let mut blade = guillotine.map(Blade::new);
    let mut room = Room::default();
    let mut tally = rules.tally();
    fine.answers_of(classes, |rows| {
        tally.clear();
        let violates = fine.gauge(rules, &mut tally, rows);
        let charge = match &mut blade {
            Some(blade) if violates => Charge::Stake(blade.stake(rows, None, &tally)),
            _ => rules.floor(&tally),
        };
        // Every row is a group of its own.
        let majority = rows.iter().map(|row| fine.answers[*row as usize].majority).sum();
        let mut answer = rules.answer_with(&tally, charge);
        if violates && rules.caps_labels() {
            answer.removals = fine.least_outside(rules, &tally, rows, &mut room);
        }
        Answer { majority, ..answer }
    })
}

/// Walks all cells of a column: for every class, the nodes from its own (in the cut of the classes) down to the rows'.
/// Floors leave generalisation out, but for CM.
pub fn walk(
    rules: &Rules,
    forest: &Forest,
    fine: &Fine,
    classes: &Classes,
    column: usize,
    question: Question<'_>,
) -> Walked {
    let (tree, nodes) = (&forest.trees[column], &fine.nodes[column]);
    let class_of = |row: u32| classes.of_row[row as usize];
    let (wholes, blade) = match question {
        Question::Cost => (None, None),
        Question::Floor(wholes) => (Some(wholes), None),
        Question::Split(wholes, guillotine) => (Some(wholes), Some(Blade::new(guillotine))),
    };
    let grouped = wholes.is_some() && rules.metric == Metric::Cm;
    let by_others =
        grouped.then(|| bucket(fine.by_others[column].iter().copied(), class_of, classes.count).0);
    let mut cells = Cells {
        rules,
        fine,
        tree,
        column,
        exact: wholes.is_none(),
        blade,
        open: Vec::new(),
        tallies: Vec::new(),
        sorted: Vec::new(),
        runs: Vec::new(),
        places: Vec::new(),
        counts: Vec::new(),
        labelled: rules.tally(),
        room: Room::default(),
        path: Vec::new(),
        labels: Vec::new(),
        losses: &rules.losses[column],
        g: 0,
        whole: None,
        majorities: vec![0; if grouped { tree.len() } else { 0 }],
        sums: vec![0; tree.len()],
        class: 0,
        listed: wholes.is_some() && rules.scheme != Scheme::None,
        cells: Vec::new(),
    };
    let mut end = 0;
    for class in 0..classes.count {
        cells.class = class as u32;
        let rows = classes.members(class);
        let range = end..end + rows.len();
        end = range.end;
        let first = nodes[rows[0] as usize];
        let Some(wholes) = wholes else {
            // The column itself is not cut: its whole tree is asked about.
            cells.g = classes.losses[class];
            cells.class(0, rows);
            continue;
        };
        let (top, whole) = (classes.covers[column][first as usize], &wholes[class]);
        cells.g = classes.losses[class] - rules.losses[column][top as usize];
        if rows.iter().all(|row| nodes[*row as usize] == first) {
            cells.chain(top, first, whole);
            continue;
        }
        if let Some(by_others) = &by_others {
            cells.count_majorities(top, &by_others[range]);
        }
        // With the guillotine a class whose first split is not in this column may have more at stake.
        cells.whole = (cells.blade.is_none()).then_some((rows.len(), *whole));
        cells.class(top, rows);
    }
    Walked { sums: cells.sums, cells: cells.cells }
}

/// A cell that is not complete yet.
struct OpenCell {
    node: u32,
    start: usize,
    /// The answer for the last cell below it, and where its rows began: if these are all rows, it is the answer here.
    below: Option<(usize, Answer)>,
}

struct Cells<'a> {
    rules: &'a Rules,
    fine: &'a Fine,
    tree: &'a Tree,
    column: usize,
    /// Whether cells are asked for their cost as classes.
    exact: bool,
    blade: Option<Blade<'a>>,
    open: Vec<OpenCell>,
    /// The records of every open cell, as far as they are not in an open cell below it; and room for one more.
    tallies: Vec<Tally>,
    /// The rows of the class by rising node, and where those of each node end.
    sorted: Vec<u32>,
    runs: Vec<(u32, usize)>,
    /// Room to sort in, and for large classes the counts node by node.
    places: Vec<usize>,
    counts: Vec<u64>,
    /// Room for a tally with labels, where those of cells do without.
    labelled: Tally,
    /// Room for what `vio-rec` with CM counts.
    room: Room,
    /// For CM: nodes at which label counts wait for rows further right, with where the counts begin.
    path: Vec<(u32, usize)>,
    labels: Vec<u64>,
    losses: &'a [Amount],
    /// What a record of the class pays in the other columns.
    g: Amount,
    /// The class's number of rows, and its answer where that holds for this column too.
    whole: Option<(usize, Answer)>,
    /// For CM: per node, the records with the majority label of their group, summed over the groups of the class.
    majorities: Vec<u64>,
    sums: Vec<Amount>,
    class: u32,
    /// Whether cells are listed.
    listed: bool,
    cells: Vec<Cell>,
}

impl Cells<'_> {
    /// A class whose rows have the same node: all its cells are the class.
    fn chain(&mut self, top: u32, node: u32, whole: &Answer) {
        let mut node = node;
        loop {
            self.sum(node, whole, whole.majority);
            if node == top {
                break;
            }
            node = self.tree.parent(node);
        }
    }

    fn sum(&mut self, node: u32, answer: &Answer, majorities: u64) {
        let g = self.g + self.losses[node as usize];
        let amount = if self.exact {
            self.rules.cost(answer, g)
        } else {
            let amount = self.rules.amount(answer.charge, g);
            if self.rules.metric == Metric::Cm && amount < FORBIDDEN {
                (amount + Amount::from(answer.size - majorities)).max(answer.removals)
            } else {
                amount
            }
        };
        let sum = &mut self.sums[node as usize];
        *sum = plus(*sum, amount);
        if self.listed && amount != 0 {
            self.cells.push(Cell { class: self.class, node, amount: self.rules.grains(amount) });
        }
    }

    fn class(&mut self, top: u32, rows: &[u32]) {
        let (mut sorted, mut runs) = (std::mem::take(&mut self.sorted), std::mem::take(&mut self.runs));
        let is_counted = self.sort(top, rows, &mut sorted, &mut runs);
        let mut at = 0;
        for (node, end) in runs.iter().copied() {
            let same = &sorted[at..end];
            while self.open.last().is_some_and(|cell| !self.tree.contains(cell.node, node)) {
                self.close(&sorted, at);
            }
            self.descend(top, node, at);
            let tally = &mut self.tallies[self.open.len() - 1];
            if is_counted {
                let width = self.rules.theta.len();
                let counts = &self.counts[(node - top) as usize * width..][..width];
                tally.add_counts(counts.iter().copied());
            } else if self.exact {
                same.iter().for_each(|row| self.fine.add_to(tally, *row));
            } else {
                same.iter().for_each(|row| self.fine.add_values_to(tally, *row));
            }
            at = end;
        }
        while !self.open.is_empty() {
            self.close(&sorted, rows.len());
        }
        (self.sorted, self.runs) = (sorted, runs);
    }

    /// Sorts the rows of a class by their nodes, and tells where those of each node end. A large class is counted on the
    /// way, in the order in which its rows lie: returns whether it is.
    fn sort(&mut self, top: u32, rows: &[u32], sorted: &mut Vec<u32>, runs: &mut Vec<(u32, usize)>) -> bool {
        let nodes = &self.fine.nodes[self.column];
        let (span, width) = ((self.tree.end(top) - top) as usize, self.rules.theta.len());
        sorted.clear();
        runs.clear();
        if rows.len() < span {
            sorted.extend_from_slice(rows);
            sorted.sort_unstable_by_key(|row| (nodes[*row as usize], *row));
            for (at, row) in sorted.iter().enumerate() {
                let node = nodes[*row as usize];
                match runs.last_mut() {
                    Some((last, end)) if *last == node => *end = at + 1,
                    _ => runs.push((node, at + 1)),
                }
            }
            return false;
        }
        self.places.clear();
        self.places.resize(span, 0);
        rows.iter().for_each(|row| self.places[(nodes[*row as usize] - top) as usize] += 1);
        let mut start = 0;
        for (place, node) in self.places.iter_mut().zip(top..) {
            let count = std::mem::replace(place, start);
            start += count;
            if count > 0 {
                runs.push((node, start));
            }
        }
        sorted.resize(rows.len(), 0);
        let is_counted = self.rules.labels == 0 && span * width <= rows.len();
        if is_counted {
            self.counts.clear();
            self.counts.resize(span * width, 0);
        }
        for row in rows {
            let at = (nodes[*row as usize] - top) as usize;
            sorted[self.places[at]] = *row;
            self.places[at] += 1;
            if is_counted {
                self.fine.count(&mut self.counts[at * width..][..width], *row);
            }
        }
        is_counted
    }

    /// Opens the cells from the lowest open one down to the node.
    fn descend(&mut self, top: u32, node: u32, start: usize) {
        let from = self.open.len();
        let above = self.open.last().map(|cell| cell.node);
        let mut next = node;
        while Some(next) != above {
            self.open.push(OpenCell { node: next, start, below: None });
            if next == top {
                break;
            }
            next = self.tree.parent(next);
        }
        self.open[from..].reverse();
        while self.tallies.len() < self.open.len() {
            self.tallies.push(self.rules.tally());
        }
    }

    fn close(&mut self, rows: &[u32], end: usize) {
        let Some(cell) = self.open.pop() else { return };
        let rows = &rows[cell.start..end];
        let answer = match cell.below {
            Some((start, answer)) if start == cell.start => answer,
            _ => self.answer(rows),
        };
        let majorities = self.majorities.get(cell.node as usize).copied().unwrap_or(0);
        self.sum(cell.node, &answer, majorities);
        if let Some(parent) = self.open.last_mut() {
            parent.below = Some((cell.start, answer));
        }
        // What the cell holds is part of the one above it.
        let (above, own) = self.tallies.split_at_mut(self.open.len());
        match above.last_mut() {
            Some(above) if above.size == 0 => std::mem::swap(above, &mut own[0]),
            Some(above) => {
                above.absorb(&own[0]);
                own[0].clear();
            }
            None => own[0].clear(),
        }
    }

    fn answer(&mut self, rows: &[u32]) -> Answer {
        if let [row] = rows {
            return self.fine.answers[*row as usize];
        }
        let (rules, mut tally) = (self.rules, &self.tallies[self.open.len()]);
        if self.exact {
            return rules.answer(tally);
        }
        if !rules.violates(tally) {
            return rules.answer_with(tally, Charge::NOTHING);
        }
        // Whether the other columns cannot split it any more.
        let closed = rows.iter().all(|row| self.fine.alike(rows[0], *row, self.column));
        if let Some((count, whole)) = self.whole
            && count == rows.len()
            && !closed
        {
            return whole;
        }
        if rules.labels > 0 && (closed || self.blade.is_some()) {
            self.labelled.clear();
            rows.iter().for_each(|row| self.fine.add_to(&mut self.labelled, *row));
            tally = &self.labelled;
        }
        let charge = match &mut self.blade {
            _ if closed => rules.extra(tally),
            Some(blade) => Charge::Stake(blade.stake(rows, Some(self.column), tally)),
            None => rules.floor(tally),
        };
        let mut answer = rules.answer_with(tally, charge);
        if rules.caps_labels() {
            answer.removals = self.fine.least_outside(rules, tally, rows, &mut self.room);
        }
        answer
    }

    /// For every node of the class, how many records have the majority label of their group, when groups are equal in
    /// the other columns and merged up to the node in this one.
    fn count_majorities(&mut self, top: u32, by_others: &[u32]) {
        self.majorities[top as usize..self.tree.end(top) as usize].fill(0);
        let others = &self.fine.others[self.column];
        for group in by_others.chunk_by(|one, next| others[*one as usize] == others[*next as usize]) {
            self.group(top, group);
        }
    }

    fn group(&mut self, top: u32, rows: &[u32]) {
        let nodes = &self.fine.nodes[self.column];
        let mut at = 0;
        while at < rows.len() {
            let row = rows[at];
            at += 1;
            let mut node = nodes[row as usize];
            let next = rows.get(at).map(|row| nodes[*row as usize]);
            self.path.push((node, self.labels.len()));
            self.labels.extend_from_slice(self.fine.labels(row));
            // Up to where the next row branches off, what is below each node is complete.
            let stop = next.map(|next| self.tree.meet(node, next));
            while let Some((_, start)) = self.path.last().copied() {
                if Some(node) == stop {
                    break;
                }
                self.majorities[node as usize] += self.labels[start..].iter().max().copied().unwrap_or(0);
                if node == top {
                    self.path.clear();
                    self.labels.clear();
                    break;
                }
                node = self.tree.parent(node);
                self.join(node);
            }
        }
    }

    /// Moves what is on top of the path up to a node, into what waits there already if something does.
    fn join(&mut self, node: u32) {
        let Some((_, start)) = self.path.pop() else { return };
        match self.path.last().copied() {
            Some((waiting, before)) if waiting == node => {
                let (waiting, arriving) = self.labels.split_at_mut(start);
                waiting[before..].iter_mut().zip(arriving.iter()).for_each(|(count, more)| *count += more);
                self.labels.truncate(start);
            }
            _ => self.path.push((node, start)),
        }
    }
}
