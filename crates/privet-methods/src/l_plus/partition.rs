//! The classes of the current cut of the enumeration tree, and the thesis' lower bounds over its subtree (section 3.3).
//!
//! Specialising a value splits the classes that hold it, and no others; going back puts them together again. Rows of a
//! class lie side by side, and those of its parts lie where it lies, so going back only forgets the parts.
//!
//! The bound of a class stands on *Cut_spec*, the finest cut of the subtree: open values taken down to leaves, locked
//! ones as they are. A class that Cut_spec does not split costs what it costs there. Any other must lose a number of
//! records or cells however it is split (Lemma 3.3), and the rest is generalised at least as far as Cut_spec does
//! (Lemma 3.2). The thesis' bound for discernibility is wrong where suppressing a record of a large class pays; the one
//! here allows for it.

use std::cmp::{Ordering, Reverse};

use super::bound::LPlus;
use super::rules::{Metric, Scheme};
use super::tally::Tally;
use privet_engine::cut::{Amount, Cut, FORBIDDEN, Tree};

/// What is decided about a value, as long as it or a value below it is in the current cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Open,
    Locked,
    Specialised,
}

/// A sum of amounts out of which forbidden ones can be taken again.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    amount: Amount,
    forbidden: usize,
}

impl Sum {
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
struct Class {
    start: usize,
    end: usize,
    /// Whether it is a class of the current cut, and not split.
    whole: bool,
    size: u64,
    /// What one record's cells cost.
    g: Amount,
    /// How many records, or for schemes that suppress cells how many cells, must go however it is split.
    must_go: u64,
    cost: Amount,
    bound: Amount,
}

/// A value that was specialised.
#[derive(Debug)]
struct Split {
    column: usize,
    node: u32,
    /// The classes that held it.
    classes: Vec<u32>,
    /// Their parts are the classes from this one on.
    parts: usize,
}

/// The classes of the current cut.
#[derive(Debug)]
pub struct Partition<'a> {
    pub(super) problem: &'a LPlus,
    rows: Vec<u32>,
    sizes: Vec<u64>,
    keys: Keys,
    status: Vec<Vec<Status>>,
    classes: Vec<Class>,
    /// The value of every class in every column.
    boxes: Vec<u32>,
    /// Per column and node, the classes that hold it, split ones among them.
    holders: Vec<Vec<Vec<u32>>>,
    splits: Vec<Split>,
    /// The bounds that locks have changed: class and bound before.
    changes: Vec<(u32, Amount)>,
    cost: Sum,
    bound: Sum,
    tally: Tally,
    /// Room for sorting.
    scratch: Vec<u32>,
}

impl<'a> Partition<'a> {
    /// The coarsest cut, with all values open.
    pub fn new(problem: &'a LPlus) -> Partition<'a> {
        let (forest, fine) = (&problem.forest, &problem.fine);
        let rows: Vec<u32> = (0..fine.len() as u32).collect();
        let status = |tree: &Tree| {
            let root = if tree.is_leaf(0) { Status::Locked } else { Status::Open };
            (0..tree.len()).map(|node| if node == 0 { root } else { Status::Locked }).collect()
        };
        let mut partition = Partition {
            problem,
            sizes: rows.iter().map(|row| fine.size(*row)).collect(),
            keys: Keys::new(problem),
            status: forest.trees.iter().map(status).collect(),
            classes: Vec::new(),
            boxes: Vec::new(),
            holders: forest.trees.iter().map(|tree| vec![Vec::new(); tree.len()]).collect(),
            splits: Vec::new(),
            changes: Vec::new(),
            cost: Sum::default(),
            bound: Sum::default(),
            tally: problem.rules.tally(),
            scratch: Vec::new(),
            rows,
        };
        let roots = vec![0; forest.trees.len()];
        partition.add(0, partition.rows.len(), &roots);
        partition
    }

    /// What the current cut costs.
    pub fn cost(&self) -> Amount {
        self.cost.total()
    }

    /// What no cut of the current subtree can beat.
    pub fn bound(&self) -> Amount {
        self.bound.total()
    }

    /// The current cut.
    pub fn cut(&self) -> Cut {
        let column = |(tree, status): (&Tree, &Vec<Status>)| {
            tree.cut(|node| status[node as usize] == Status::Specialised)
        };
        Cut(self.problem.forest.trees.iter().zip(&self.status).map(column).collect())
    }

    /// The specialisation step: splits the classes that hold an open value by its children. Inner children are open,
    /// leaves are locked.
    pub fn specialise(&mut self, column: usize, node: u32) {
        let tree = &self.problem.forest.trees[column];
        let children: Vec<u32> = tree.children(node).collect();
        self.status[column][node as usize] = Status::Specialised;
        for child in &children {
            let status = if tree.is_leaf(*child) { Status::Locked } else { Status::Open };
            self.status[column][*child as usize] = status;
        }
        let parts = self.classes.len();
        let classes = self.holding(column, node);
        for class in &classes {
            self.split(*class as usize, column, &children);
        }
        self.splits.push(Split { column, node, classes, parts });
    }

    /// The backtracking step: undoes the last specialisation that is not undone. The value is open again.
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
        self.status[split.column][split.node as usize] = Status::Open;
    }

    /// Locks an open value of the current cut. With `tighten`, the classes that hold it are bounded anew
    /// (Observation 3.5).
    pub fn lock(&mut self, column: usize, node: u32, tighten: bool) {
        self.status[column][node as usize] = Status::Locked;
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

    /// How many bounds locks have changed: to come back to.
    pub fn changes(&self) -> usize {
        self.changes.len()
    }

    /// Opens values again that were locked since so many bounds were changed.
    pub fn unlock(&mut self, values: &[(usize, u32)], changes: usize) {
        for (column, node) in values {
            self.status[*column][*node as usize] = Status::Open;
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
        self.classes.push(Class { start, end, whole: true, size, g, must_go, cost, bound: 0 });
        self.boxes.extend_from_slice(values);
        for (holders, node) in self.holders.iter_mut().zip(values) {
            holders[*node as usize].push(id as u32);
        }
        let bound = self.bound_of(id);
        self.classes[id].bound = bound;
        self.cost.add(cost);
        self.bound.add(bound);
    }

    /// What the classes that the cuts of the subtree split a class into cost at least.
    fn bound_of(&mut self, class: usize) -> Amount {
        let (rules, columns) = (&self.problem.rules, self.holders.len());
        let values = &self.boxes[class * columns..(class + 1) * columns];
        let of = &self.classes[class];
        // Parts of a class below k are below k; and a part of a violating class violates.
        if of.size < rules.k || of.cost >= FORBIDDEN {
            return of.cost;
        }
        let is_open = |column: usize| self.status[column][values[column] as usize] == Status::Open;
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

/// The least r·|T| + Σ m² over all ways to take r ≥ `must_go` records out of classes of these sizes; without removals
/// Σ m². Taking them from the largest classes is best, and the sum is convex in r.
fn least_discernibility(mut sizes: Vec<u64>, must_go: Option<u64>, records: u64) -> Amount {
    let square = |size: u64| Amount::from(size) * Amount::from(size);
    let all = Amount::from(records);
    let Some(must_go) = must_go else { return sizes.into_iter().map(square).sum() };
    sizes.sort_unstable_by_key(|size| Reverse(*size));
    // The highest level to which the largest classes can be cut so that enough is taken.
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
    // Taking one more of m records saves 2m − 1, which is more than |T| only in a class of more than half the table.
    let largest = if spare > 0 { level + 1 } else { level.min(sizes.first().copied().unwrap_or(0)) };
    let turning = records.div_ceil(2);
    if largest > turning {
        cost += Amount::from(largest - turning) * all - (square(largest) - square(turning));
    }
    cost
}

/// Rows' values packed into words, so that rows can be compared in some of the columns at once.
#[derive(Debug)]
struct Keys {
    words: usize,
    keys: Vec<u64>,
    /// Per column, its word and its bits there.
    fields: Vec<(usize, u64)>,
}

impl Keys {
    fn new(problem: &LPlus) -> Keys {
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
        Keys { words, keys, fields: places.into_iter().map(field).collect() }
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

    /// Gives out the rows in groups that are equal in the columns of the mask.
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

    /// Takes one record after the other out of the largest class, and remembers the best.
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
