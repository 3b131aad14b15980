//! Walks over cells: the records of a class below each node of one column's tree.

use super::guillotine::{Blade, Guillotine};
use super::rules::{Charge, CostRules, Evaluation, Metric, Scheme};
use super::table::{CountBuffers, CutClasses, FineTable};
use super::tally::ClassTally;
use privet_engine::cut::{Amount, FORBIDDEN, Forest, Tree, plus};
use privet_engine::numbering::bucket;

/// What a walk computes for a cell.
#[derive(Clone, Copy)]
pub enum CellQuestion<'a> {
    /// Its cost as a class.
    Cost,
    /// A lower bound on its cost, however the other columns split it. With the evaluations of the classes as a whole.
    Floor(&'a [Evaluation]),
    /// Like `Floor`, but by trying all ways to split.
    Split(&'a [Evaluation], Guillotine<'a>),
}

/// The result of a walk.
#[derive(Debug)]
pub struct WalkResult {
    /// Per node, the sum over all classes.
    pub sums: Vec<Amount>,
    /// The cells with nonzero floors, class by class; only if floors can be distributed.
    pub cells: Vec<CellFloor>,
}

/// The floor of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellFloor {
    pub class: u32,
    pub node: u32,
    /// In grains.
    pub amount: i64,
}

/// Lower bounds on the cost of the classes, however all columns split them.
pub fn floors(
    rules: &CostRules,
    fine: &FineTable,
    classes: &CutClasses,
    guillotine: Option<Guillotine<'_>>,
) -> Vec<Evaluation> {
    let mut blade = guillotine.map(Blade::new);
    let mut buffers = CountBuffers::default();
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
            answer.removals = fine.least_outside(rules, &tally, rows, &mut buffers);
        }
        Evaluation { majority, ..answer }
    })
}

/// Walks all cells of a column: for every class, the nodes from its own (in the cut of the classes) down to those of
/// the rows. Floors leave out generalisation, except for CM.
pub fn walk(
    rules: &CostRules,
    forest: &Forest,
    fine: &FineTable,
    classes: &CutClasses,
    column: usize,
    question: CellQuestion<'_>,
) -> WalkResult {
    let (tree, nodes) = (&forest.trees[column], &fine.nodes[column]);
    let class_of = |row: u32| classes.of_row[row as usize];
    let (wholes, blade) = match question {
        CellQuestion::Cost => (None, None),
        CellQuestion::Floor(wholes) => (Some(wholes), None),
        CellQuestion::Split(wholes, guillotine) => (Some(wholes), Some(Blade::new(guillotine))),
    };
    let grouped = wholes.is_some() && rules.metric == Metric::Cm;
    let by_others =
        grouped.then(|| bucket(fine.by_others[column].iter().copied(), class_of, classes.count).0);
    let mut cells = CellWalk {
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
        buffers: CountBuffers::default(),
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
            // The column itself is not cut: evaluate its whole tree.
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
        // With the guillotine, a class whose first split is not in this column may have more at stake.
        cells.whole = (cells.blade.is_none()).then_some((rows.len(), *whole));
        cells.class(top, rows);
    }
    WalkResult { sums: cells.sums, cells: cells.cells }
}

/// A cell that is not complete yet.
struct OpenCell {
    node: u32,
    start: usize,
    /// The evaluation of the last cell below it, and where its rows began: if these are all rows, it is the result here
    /// too.
    below: Option<(usize, Evaluation)>,
}

struct CellWalk<'a> {
    rules: &'a CostRules,
    fine: &'a FineTable,
    tree: &'a Tree,
    column: usize,
    /// Whether cells are evaluated for their cost as classes.
    exact: bool,
    blade: Option<Blade<'a>>,
    open: Vec<OpenCell>,
    /// The records of every open cell that are not in an open cell below it; and one more tally as a buffer.
    tallies: Vec<ClassTally>,
    /// The rows of the class sorted by node, and where those of each node end.
    sorted: Vec<u32>,
    runs: Vec<(u32, usize)>,
    /// Buffer for sorting and, for large classes, the counts node by node.
    places: Vec<usize>,
    counts: Vec<u64>,
    /// Buffer for a tally with labels, if those of cells have none.
    labelled: ClassTally,
    /// Buffers for the counts of `vio-rec` with CM.
    buffers: CountBuffers,
    /// For CM: nodes at which label counts wait for rows further right, with the start of the counts.
    path: Vec<(u32, usize)>,
    labels: Vec<u64>,
    losses: &'a [Amount],
    /// The cost of a record of the class in the other columns.
    g: Amount,
    /// The class's number of rows, and its evaluation if that holds for this column too.
    whole: Option<(usize, Evaluation)>,
    /// For CM: per node, the records with the majority label of their group, summed over the groups of the class.
    majorities: Vec<u64>,
    sums: Vec<Amount>,
    class: u32,
    /// Whether cells are listed.
    listed: bool,
    cells: Vec<CellFloor>,
}

impl CellWalk<'_> {
    /// A class whose rows share one node: all its cells equal the class.
    fn chain(&mut self, top: u32, node: u32, whole: &Evaluation) {
        let mut node = node;
        loop {
            self.sum(node, whole, whole.majority);
            if node == top {
                break;
            }
            node = self.tree.parent(node);
        }
    }

    fn sum(&mut self, node: u32, answer: &Evaluation, majorities: u64) {
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
            self.cells.push(CellFloor { class: self.class, node, amount: self.rules.grains(amount) });
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

    /// Sorts the rows of a class by their nodes, and finds where those of each node end. A large class is counted at
    /// the same time, in the order of its rows; returns whether it was.
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
        // The contents of the cell are part of the one above it.
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

    fn answer(&mut self, rows: &[u32]) -> Evaluation {
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
            answer.removals = self.fine.least_outside(rules, tally, rows, &mut self.buffers);
        }
        answer
    }

    /// For every node of the class, how many records have the majority label of their group, where groups are equal in
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
            // Up to where the next row branches off, everything below each node is complete.
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

    /// Moves the top of the path up to a node, merging it with what waits there already.
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
