//! The classes of the current cut of the enumeration tree, and the thesis' lower bounds over its subtree (section 3.3).
//!
//! Specialising a value splits only the classes that hold it; going back merges them again. Rows of a class are
//! contiguous, and those of its parts occupy the same range, so going back only removes the parts.
//!
//! The bound of a class rests on *Cut_spec*, the finest cut of the subtree: open values specialised to leaves, locked
//! ones unchanged. A class that Cut_spec does not split has its cost there. Any other class must lose a number of
//! records or cells however it is split (Lemma 3.3), and the rest is generalised at least as far as in Cut_spec (Lemma
//! 3.2). The bound of the thesis for discernibility is wrong if suppressing a record of a large class pays off; the one
//! here allows for it.

use std::cmp::{Ordering, Reverse};

use super::bound::LPlusProblem;
use super::rules::{Metric, Scheme};
use super::tally::ClassTally;
use privet_engine::cut::{Amount, Cut, FORBIDDEN, Tree};

/// The decision about a value while it or a value below it is in the current cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueStatus {
    Open,
    Locked,
    Specialised,
}

/// A sum of amounts from which forbidden ones can be removed again.
#[derive(Debug, Clone, Copy, Default)]
struct ForbiddableSum {
    amount: Amount,
    forbidden: usize,
}

impl ForbiddableSum {
    fn add(&mut self, amount: Amount) {
        if amount >= FORBIDDEN { self.forbidden += 1 } else { self.amount += amount }
    }

    fn take(&mut self, amount: Amount) {
        if amount >= FORBIDDEN { self.forbidden -= 1 } else { self.amount -= amount }
    }

    fn total(&self) -> Amount {
        if self.forbidden > 0 { FORBIDDEN } else { self.amount }
    }
}

#[derive(Debug)]
struct PartitionClass {
    start: usize,
    end: usize,
    /// Whether it is a class of the current cut, and not split.
    whole: bool,
    size: u64,
    /// The cost of one record's cells.
    g: Amount,
    /// How many records, or cells for schemes that suppress cells, must be suppressed however it is split.
    must_go: u64,
    cost: Amount,
    bound: Amount,
}

/// A value that was specialised.
#[derive(Debug)]
struct SplitValue {
    column: usize,
    node: u32,
    /// The classes that contained it.
    classes: Vec<u32>,
    /// Their parts are the classes from this index on.
    parts: usize,
}

/// The classes of the current cut.
#[derive(Debug)]
pub struct Partition<'a> {
    pub(super) problem: &'a LPlusProblem,
    rows: Vec<u32>,
    sizes: Vec<u64>,
    keys: RowKeys,
    status: Vec<Vec<ValueStatus>>,
    classes: Vec<PartitionClass>,
    /// The value of every class in every column.
    boxes: Vec<u32>,
    /// Per column and node, the classes that contain it, including split ones.
    holders: Vec<Vec<Vec<u32>>>,
    splits: Vec<SplitValue>,
    /// The bounds changed by locks: the class and its previous bound.
    changes: Vec<(u32, Amount)>,
    cost: ForbiddableSum,
    bound: ForbiddableSum,
    tally: ClassTally,
    /// Buffer for sorting.
    scratch: Vec<u32>,
}

impl<'a> Partition<'a> {
    /// The coarsest cut, with all values open.
    pub fn new(problem: &'a LPlusProblem) -> Partition<'a> {
        let (forest, fine) = (&problem.forest, &problem.fine);
        let rows: Vec<u32> = (0..fine.len() as u32).collect();
        let status = |tree: &Tree| {
            let root = if tree.is_leaf(0) { ValueStatus::Locked } else { ValueStatus::Open };
            (0..tree.len()).map(|node| if node == 0 { root } else { ValueStatus::Locked }).collect()
        };
        let mut partition = Partition {
            problem,
            sizes: rows.iter().map(|row| fine.size(*row)).collect(),
            keys: RowKeys::new(problem),
            status: forest.trees.iter().map(status).collect(),
            classes: Vec::new(),
            boxes: Vec::new(),
            holders: forest.trees.iter().map(|tree| vec![Vec::new(); tree.len()]).collect(),
            splits: Vec::new(),
            changes: Vec::new(),
            cost: ForbiddableSum::default(),
            bound: ForbiddableSum::default(),
            tally: problem.rules.tally(),
            scratch: Vec::new(),
            rows,
        };
        let roots = vec![0; forest.trees.len()];
        partition.add(0, partition.rows.len(), &roots);
        partition
    }

    /// The cost of the current cut.
    pub fn cost(&self) -> Amount {
        self.cost.total()
    }

    /// A lower bound on the cost of any cut in the current subtree.
    pub fn bound(&self) -> Amount {
        self.bound.total()
    }

    /// The current cut.
    pub fn cut(&self) -> Cut {
        let column = |(tree, status): (&Tree, &Vec<ValueStatus>)| {
            tree.cut(|node| status[node as usize] == ValueStatus::Specialised)
        };
        Cut(self.problem.forest.trees.iter().zip(&self.status).map(column).collect())
    }

    /// The specialisation step: splits the classes that hold an open value by its children. Inner children are open,
    /// leaves are locked.
    pub fn specialise(&mut self, column: usize, node: u32) {
        let tree = &self.problem.forest.trees[column];
        let children: Vec<u32> = tree.children(node).collect();
        self.status[column][node as usize] = ValueStatus::Specialised;
        for child in &children {
            let status = if tree.is_leaf(*child) { ValueStatus::Locked } else { ValueStatus::Open };
            self.status[column][*child as usize] = status;
        }
        let parts = self.classes.len();
        let classes = self.holding(column, node);
        for class in &classes {
            self.split(*class as usize, column, &children);
        }
        self.splits.push(SplitValue { column, node, classes, parts });
    }

    /// The backtracking step: undoes the last specialisation. The value is open again.
    pub fn generalise(&mut self) {
        let Some(split) = self.splits.pop() else { return };
        let columns = self.holders.len();
        for part in (split.parts..self.classes.len()).rev() {
            for column in 0..columns {
                self.holders[column][self.boxes[part * columns + column] as usize].pop();
            }
            self.cost.take(self.classes[part].cost);
            self.bound.take(self.classes[part].bound);
        }
        self.classes.truncate(split.parts);
        self.boxes.truncate(split.parts * columns);
        for class in split.classes {
            let class = &mut self.classes[class as usize];
            class.whole = true;
            self.cost.add(class.cost);
            self.bound.add(class.bound);
        }
        self.status[split.column][split.node as usize] = ValueStatus::Open;
    }

    /// Locks an open value of the current cut. With `tighten`, the bounds of the classes that hold it are recomputed
    /// (Observation 3.5).
    pub fn lock(&mut self, column: usize, node: u32, tighten: bool) {
        self.status[column][node as usize] = ValueStatus::Locked;
        if !tighten {
            return;
        }
        for class in self.holding(column, node) {
            let bound = self.bound_of(class as usize);
            let before = std::mem::replace(&mut self.classes[class as usize].bound, bound);
            self.bound.take(before);
            self.bound.add(bound);
            self.changes.push((class, before));
        }
    }

    /// The number of bounds changed by locks, to return to later.
    pub fn changes(&self) -> usize {
        self.changes.len()
    }

    /// Reopens values that were locked since there were this many changed bounds.
    pub fn unlock(&mut self, values: &[(usize, u32)], changes: usize) {
        for (column, node) in values {
            self.status[*column][*node as usize] = ValueStatus::Open;
        }
        while self.changes.len() > changes {
            let Some((class, before)) = self.changes.pop() else { break };
            let now = std::mem::replace(&mut self.classes[class as usize].bound, before);
            self.bound.take(now);
            self.bound.add(before);
        }
    }

    fn holding(&self, column: usize, node: u32) -> Vec<u32> {
        let holders = self.holders[column][node as usize].iter().copied();
        holders.filter(|class| self.classes[*class as usize].whole).collect()
    }

    fn split(&mut self, class: usize, column: usize, children: &[u32]) {
        let nodes = &self.problem.fine.nodes[column];
        let (start, end) = (self.classes[class].start, self.classes[class].end);
        let child_of = |row: u32| children.partition_point(|child| *child <= nodes[row as usize]) - 1;
        let mut ends = vec![0usize; children.len()];
        for row in &self.rows[start..end] {
            ends[child_of(*row)] += 1;
        }
        let mut next = start;
        for end in &mut ends {
            (*end, next) = (next, next + *end);
        }
        self.scratch.clear();
        self.scratch.extend_from_slice(&self.rows[start..end]);
        for row in &self.scratch {
            let slot = &mut ends[child_of(*row)];
            self.rows[*slot] = *row;
            *slot += 1;
        }
        let old = &mut self.classes[class];
        old.whole = false;
        self.cost.take(old.cost);
        self.bound.take(old.bound);
        let columns = self.holders.len();
        let mut values = self.boxes[class * columns..(class + 1) * columns].to_vec();
        let mut from = start;
        for (child, to) in children.iter().zip(ends) {
            if to > from {
                values[column] = *child;
                self.add(from, to, &values);
                from = to;
            }
        }
    }

    /// Adds a class of some rows and values.
    fn add(&mut self, start: usize, end: usize, values: &[u32]) {
        let (rules, fine) = (&self.problem.rules, &self.problem.fine);
        self.tally.clear();
        self.rows[start..end].iter().for_each(|row| fine.add_to(&mut self.tally, *row));
        let g = values.iter().zip(&rules.losses).map(|(node, losses)| losses[*node as usize]).sum();
        let must_go = match rules.scheme {
            Scheme::None => 0,
            Scheme::AllRec | Scheme::VioRec => rules.least_removals(&self.tally) as u64,
            Scheme::AllSa | Scheme::VioSa => rules.cells_to_go(&self.tally),
        };
        let (size, cost) = (self.tally.size, rules.cost(&rules.answer(&self.tally), g));
        let id = self.classes.len();
        self.classes.push(PartitionClass { start, end, whole: true, size, g, must_go, cost, bound: 0 });
        self.boxes.extend_from_slice(values);
        for (holders, node) in self.holders.iter_mut().zip(values) {
            holders[*node as usize].push(id as u32);
        }
        let bound = self.bound_of(id);
        self.classes[id].bound = bound;
        self.cost.add(cost);
        self.bound.add(bound);
    }

    /// A lower bound on the cost of the classes that the cuts of the subtree split a class into.
    fn bound_of(&mut self, class: usize) -> Amount {
        let (rules, columns) = (&self.problem.rules, self.holders.len());
        let values = &self.boxes[class * columns..(class + 1) * columns];
        let of = &self.classes[class];
        // Parts of a class below k are below k, and some part of a violating class violates.
        if of.size < rules.k || of.cost >= FORBIDDEN {
            return of.cost;
        }
        let is_open = |column: usize| self.status[column][values[column] as usize] == ValueStatus::Open;
        let locked = (0..columns).filter(|column| !is_open(*column));
        let g = locked.map(|column| rules.losses[column][values[column] as usize]).sum();
        let mask = self.keys.mask((0..columns).filter(|column| is_open(*column)));
        let rows = &self.rows[of.start..of.end];
        if rows.iter().all(|row| self.keys.compare(rows[0], *row, &mask) == Ordering::Equal) {
            self.tally.clear();
            rows.iter().for_each(|row| self.problem.fine.add_to(&mut self.tally, *row));
            return rules.cost(&rules.answer(&self.tally), g);
        }
        let (size, must_go) = (Amount::from(of.size), Amount::from(of.must_go));
        match (rules.metric, rules.scheme) {
            (Metric::Lm, Scheme::None) => size * g,
            (Metric::Lm, Scheme::AllRec | Scheme::VioRec) => {
                must_go * rules.per_record + (size - must_go) * g
            }
            (Metric::Lm, Scheme::AllSa | Scheme::VioSa) => size * g + must_go * rules.price(of.g),
            (Metric::Dm, scheme) => {
                let mut sizes = Vec::new();
                let of_row = &self.sizes;
                let count = |rows: &[u32]| sizes.push(rows.iter().map(|row| of_row[*row as usize]).sum());
                self.keys.groups(rows, &mask, &mut self.scratch, count);
                let must_go = self.classes[class].must_go;
                least_discernibility(sizes, (scheme != Scheme::None).then_some(must_go), rules.records)
            }
            (Metric::Cm, _) => {
                let mut outside = 0;
                let (tally, fine) = (&mut self.tally, &self.problem.fine);
                let count = |rows: &[u32]| {
                    tally.clear();
                    rows.iter().for_each(|row| fine.add_to(tally, *row));
                    outside += Amount::from(tally.size - tally.majority());
                };
                self.keys.groups(rows, &mask, &mut self.scratch, count);
                // A removed record may be one outside the majority, so the two do not add up.
                outside.max(must_go)
            }
        }
    }
}

/// The least r·|T| + Σ m² over all ways to remove r ≥ `must_go` records from classes of these sizes; without removals Σ
/// m². Removing them from the largest classes is best, and the sum is convex in r.
fn least_discernibility(mut sizes: Vec<u64>, must_go: Option<u64>, records: u64) -> Amount {
    let square = |size: u64| Amount::from(size) * Amount::from(size);
    let all = Amount::from(records);
    let Some(must_go) = must_go else { return sizes.into_iter().map(square).sum() };
    sizes.sort_unstable_by_key(|size| Reverse(*size));
    // The highest level to which the largest classes can be reduced so that enough is removed.
    let (mut level, mut before) = (0, 0);
    for (at, size) in sizes.iter().enumerate() {
        before += size;
        let (cut, next) = (at as u64 + 1, sizes.get(at + 1).copied().unwrap_or(0));
        if before - cut * next >= must_go {
            level = (before - must_go) / cut;
            break;
        }
    }
    let taken: u64 = sizes.iter().map(|size| size.saturating_sub(level)).sum();
    let spare = taken - must_go;
    let mut cost =
        Amount::from(must_go) * all + sizes.iter().map(|size| square(*size.min(&level))).sum::<Amount>();
    cost += Amount::from(spare) * (square(level + 1) - square(level));
    // Removing one of m records saves 2m − 1, which is more than |T| only in a class of more than half the table.
    let largest = if spare > 0 { level + 1 } else { level.min(sizes.first().copied().unwrap_or(0)) };
    let turning = records.div_ceil(2);
    if largest > turning {
        cost += Amount::from(largest - turning) * all - (square(largest) - square(turning));
    }
    cost
}

/// Row values packed into words, so that rows can be compared in several columns at once.
#[derive(Debug)]
struct RowKeys {
    words: usize,
    keys: Vec<u64>,
    /// Per column, its word and its bits there.
    fields: Vec<(usize, u64)>,
}

impl RowKeys {
    fn new(problem: &LPlusProblem) -> RowKeys {
        let (trees, rows) = (&problem.forest.trees, problem.fine.len());
        let (mut places, mut word, mut used) = (Vec::new(), 0, 0);
        for tree in trees {
            let bits = usize::BITS - tree.len().leading_zeros();
            if used + bits > u64::BITS {
                (word, used) = (word + 1, 0);
            }
            places.push((word, used, bits));
            used += bits;
        }
        let words = word + 1;
        let mut keys = vec![0; rows * words];
        for ((word, shift, _), nodes) in places.iter().zip(&problem.fine.nodes) {
            for (row, node) in nodes.iter().enumerate() {
                keys[row * words + word] |= u64::from(*node) << shift;
            }
        }
        let field =
            |(word, shift, bits): (usize, u32, u32)| (word, (u64::MAX >> (u64::BITS - bits)) << shift);
        RowKeys { words, keys, fields: places.into_iter().map(field).collect() }
    }

    /// The bits of some columns, per word.
    fn mask(&self, columns: impl Iterator<Item = usize>) -> Vec<u64> {
        let mut mask = vec![0; self.words];
        for column in columns {
            let (word, field) = self.fields[column];
            mask[word] |= field;
        }
        mask
    }

    fn key(&self, row: u32) -> &[u64] {
        &self.keys[row as usize * self.words..(row as usize + 1) * self.words]
    }

    fn compare(&self, one: u32, other: u32, mask: &[u64]) -> Ordering {
        let (one, other) = (self.key(one).iter().zip(mask), self.key(other).iter().zip(mask));
        one.map(|(key, mask)| key & mask).cmp(other.map(|(key, mask)| key & mask))
    }

    /// Passes the rows to `give` in groups that are equal in the columns of the mask.
    fn groups(&self, rows: &[u32], mask: &[u64], scratch: &mut Vec<u32>, give: impl FnMut(&[u32])) {
        scratch.clear();
        scratch.extend_from_slice(rows);
        scratch.sort_unstable_by(|one, other| self.compare(*one, *other, mask));
        scratch.chunk_by(|one, other| self.compare(*one, *other, mask) == Ordering::Equal).for_each(give);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Removes one record after the other from the largest class, and remembers the best result.
    fn by_steps(mut sizes: Vec<u64>, must_go: u64, records: u64) -> Amount {
        let total: u64 = sizes.iter().sum();
        let mut best = Amount::MAX;
        for gone in 0..=total {
            if gone >= must_go {
                let squares: u64 = sizes.iter().map(|size| size * size).sum();
                best = best.min(Amount::from(gone * records + squares));
            }
            if let Some(largest) = sizes.iter_mut().max() {
                *largest = largest.saturating_sub(1);
            }
        }
        best
    }

    proptest! {
        #[test]
        fn the_least_discernibility_is_that_of_single_steps(
            sizes in prop::collection::vec(1u64..9, 1..6),
            part in 0u64..40,
            more in 0u64..20,
        ) {
            let total: u64 = sizes.iter().sum();
            let (must_go, records) = (part % (total + 1), total + more);
            let least = least_discernibility(sizes.clone(), Some(must_go), records);
            prop_assert_eq!(least, by_steps(sizes, must_go, records));
        }
    }
}
