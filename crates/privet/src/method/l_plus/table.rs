//! The table summarised at a cut: distinct generalised tuples with their counts.

use super::codes::{self, Codes, number_columns};
use super::rules::{Answer, Metric, Rules};
use super::tally::{Entry, Tally};
use crate::engine::cut::{Amount, Cut, Forest, plus};
use crate::engine::microdata::Microdata;
use crate::engine::numbering::bucket;
use crate::policy::Role;

/// What the records of a distinct record have in the columns that costs depend on.
#[derive(Debug)]
pub struct Reader<'a> {
    microdata: &'a Microdata,
    /// The sensitive column and, where it matters, the label's, by their places among the tracked ones.
    column: usize,
    label: Option<usize>,
}

impl<'a> Reader<'a> {
    pub fn new(rules: &Rules, microdata: &'a Microdata, column: usize) -> Reader<'a> {
        let label = microdata.table.tracked.iter().position(|tracked| tracked.role == Role::Class);
        Reader { microdata, column, label: label.filter(|_| rules.metric == Metric::Cm) }
    }

    pub fn entry(&self, record: usize) -> Entry {
        let codes = &self.microdata.summary.record(record)[self.microdata.quasi.len()..];
        let label = self.label.map_or(0, |label| codes[label]);
        Entry { value: codes[self.column], label, count: self.microdata.summary.count(record) }
    }
}

/// Distinct tuples of nodes, with what their records have in the sensitive column and as label.
#[derive(Debug)]
pub struct Fine {
    /// The cut at which the table is summarised.
    pub cut: Cut,
    /// Per column, the node of every row.
    pub nodes: Vec<Vec<u32>>,
    /// The tuples as single numbers, where they fit.
    codes: Option<Codes>,
    /// Per row, one of those that it was put together from.
    pub origin: Vec<u32>,
    /// The same row by row.
    tuples: Vec<u32>,
    /// Per row, what is at stake in it as a class of its own; only where splitting helps.
    pub stakes: Vec<Amount>,
    /// For CM, row by row: how many records have each label.
    labels: Vec<u64>,
    label_count: usize,
    /// Per row, what it comes to as a class of its own.
    pub answers: Vec<Answer>,
    starts: Vec<u32>,
    entries: Vec<Entry>,
    /// Per column, the rows by rising node.
    pub order: Vec<Vec<u32>>,
    /// For CM, per column: a number for what every row has in the *other* columns.
    pub others: Vec<Vec<u32>>,
    /// For CM, per column: the rows by that number, then by rising node.
    pub by_others: Vec<Vec<u32>>,
    /// For DM, per column and node: what discernibility gains when only this column is coarsened up to the node.
    pub pairs: Vec<Vec<Amount>>,
    /// What the table costs at this cut.
    pub cost: Amount,
    /// Σ n² for DM, where generalisation starts from.
    pub base: Amount,
}

impl Fine {
    /// The table at the finest cut.
    pub fn new(rules: &Rules, forest: &Forest, microdata: &Microdata, column: usize) -> Fine {
        let records = microdata.summary.len();
        let mut nodes: Vec<Vec<u32>> = (microdata.quasi.iter().enumerate())
            .map(|(at, quasi)| {
                let node = |record: usize| {
                    let code = microdata.quasi_codes(record)[at];
                    forest.trees[at].leaf(quasi.leaf_of_code[code as usize])
                };
                (0..records).map(node).collect()
            })
            .collect();
        let reader = Reader::new(rules, microdata, column);
        let mut entries: Vec<Entry> = (0..records).map(|record| reader.entry(record)).collect();
        let finest = forest.finest();
        // Tuples that are alike in the first columns lie near each other, which large tables thank with fewer misses.
        if let Some(codes) = Codes::new(&forest.trees, &finest, &nodes) {
            let mut order: Vec<(u64, u32)> = codes.all().iter().copied().zip(0..).collect();
            order.sort_unstable();
            let sorted = |old: &[u32]| order.iter().map(|(_, record)| old[*record as usize]).collect();
            nodes = nodes.iter().map(|nodes| sorted(nodes)).collect();
            entries = order.iter().map(|(_, record)| entries[*record as usize]).collect();
        }
        let starts: Vec<u32> = (0..=records as u32).collect();
        Fine::gather(rules, forest, finest, &nodes, &starts, &entries)
    }

    /// The same table at a coarser cut.
    pub fn coarsen(&self, rules: &Rules, forest: &Forest, cut: &Cut) -> Fine {
        let nodes: Vec<Vec<u32>> = (self.nodes.iter().zip(&forest.trees).zip(&cut.0))
            .map(|((nodes, tree), cut)| {
                let cover = tree.cover(cut);
                nodes.iter().map(|node| cover[*node as usize]).collect()
            })
            .collect();
        Fine::gather(rules, forest, cut.clone(), &nodes, &self.starts, &self.entries)
    }

    fn gather(
        rules: &Rules,
        forest: &Forest,
        cut: Cut,
        old: &[Vec<u32>],
        old_starts: &[u32],
        old_entries: &[Entry],
    ) -> Fine {
        let (number, rows) = match Codes::new(&forest.trees, &cut, old) {
            Some(codes) => codes.number(),
            None => {
                let columns = forest.trees.iter().zip(old);
                let columns = columns.map(|(tree, nodes)| (tree.len(), nodes.iter().copied())).collect();
                number_columns(old_starts.len() - 1, columns)
            }
        };
        let (members, begins) = bucket(0..number.len() as u32, |row| number[row as usize], rows);
        let mut nodes: Vec<Vec<u32>> = old.iter().map(|_| Vec::with_capacity(rows)).collect();
        let (mut starts, mut entries) = (vec![0u32], Vec::with_capacity(old_entries.len()));
        let mut tally = rules.full_tally();
        let (mut cost, mut base) = (0, 0);
        let mut labels = Vec::with_capacity(rows * rules.labels);
        let (mut stakes, mut tuples) = (Vec::new(), Vec::with_capacity(rows * old.len()));
        let mut answers = Vec::with_capacity(rows);
        let mut origin = Vec::with_capacity(rows);
        for row in 0..rows {
            let members = &members[begins[row] as usize..begins[row + 1] as usize];
            let first = members[0] as usize;
            origin.push(members[0]);
            for (new, old) in nodes.iter_mut().zip(old) {
                new.push(old[first]);
                tuples.push(old[first]);
            }
            for member in members {
                let range = old_starts[*member as usize] as usize..old_starts[*member as usize + 1] as usize;
                old_entries[range].iter().for_each(|entry| tally.add(entry));
            }
            entries.extend(tally.entries());
            starts.push(entries.len() as u32);
            let g = rules.losses.iter().zip(&nodes).map(|(losses, nodes)| losses[nodes[row] as usize]).sum();
            let answer = rules.answer(&tally);
            cost = plus(cost, rules.cost(&answer, g));
            answers.push(answer);
            labels.extend((0..rules.labels as u32).map(|label| tally.with_label(label)));
            base += Amount::from(tally.size) * Amount::from(tally.size);
            if rules.splitting_helps() {
                stakes.push(if rules.violates(&tally) { rules.stake(&tally) } else { 0 });
            }
            tally.clear();
        }
        let base = if rules.metric == Metric::Dm { base } else { 0 };
        let codes = Codes::new(&forest.trees, &cut, &nodes);
        let mut fine = Fine {
            cut,
            nodes,
            codes,
            origin,
            tuples,
            stakes,
            labels,
            label_count: rules.labels,
            answers,
            starts,
            entries,
            order: Vec::new(),
            others: Vec::new(),
            by_others: Vec::new(),
            pairs: Vec::new(),
            cost,
            base,
        };
        fine.index(rules, forest);
        fine
    }

    fn index(&mut self, rules: &Rules, forest: &Forest) {
        let rows = self.len();
        for (column, tree) in forest.trees.iter().enumerate() {
            let nodes = &self.nodes[column];
            let (order, _) = bucket(0..rows as u32, |row| nodes[row as usize], tree.len());
            if rules.metric != Metric::Lm {
                let (others, groups) = self.number_without(forest, column);
                let (by_others, begins) = bucket(order.iter().copied(), |row| others[row as usize], groups);
                if rules.metric == Metric::Dm {
                    self.pairs.push(self.pairs_of(column, forest, &by_others, &begins));
                } else {
                    self.by_others.push(by_others);
                    self.others.push(others);
                }
            }
            self.order.push(order);
        }
    }

    /// Numbers for what the rows have in all columns but one.
    fn number_without(&self, forest: &Forest, column: usize) -> (Vec<u32>, usize) {
        if let Some(codes) = &self.codes {
            return codes.number_without(column, &self.nodes[column]);
        }
        let others = forest.trees.iter().zip(&self.nodes).enumerate().filter(|(other, _)| *other != column);
        let columns = others.map(|(_, (tree, nodes))| (tree.len(), nodes.iter().copied())).collect();
        number_columns(self.len(), columns)
    }

    /// Per node, twice the sum of n₁·n₂ over pairs of rows that agree in all other columns and meet at or below it.
    fn pairs_of(&self, column: usize, forest: &Forest, by_others: &[u32], begins: &[u32]) -> Vec<Amount> {
        let (tree, nodes) = (&forest.trees[column], &self.nodes[column]);
        let mut meeting = vec![0; tree.len()];
        // Rows of a group that still wait for a right neighbour: node and records at or below it.
        let mut path: Vec<(u32, Amount)> = Vec::new();
        for group in begins.windows(2) {
            let rows = &by_others[group[0] as usize..group[1] as usize];
            if rows.len() < 2 {
                continue;
            }
            let mut fold = |path: &mut Vec<(u32, Amount)>, next: Option<u32>| {
                // Everything that ends before the next row is folded into where it meets its neighbours.
                while path.len() > 1 {
                    let (last, (before, _)) = (path[path.len() - 1], path[path.len() - 2]);
                    let meet = tree.meet(before, last.0);
                    if next.is_some_and(|next| tree.meet(last.0, next) > meet) {
                        break;
                    }
                    path.pop();
                    let top = path.len() - 1;
                    meeting[meet as usize] += 2 * path[top].1 * last.1;
                    path[top] = (meet, path[top].1 + last.1);
                }
            };
            for row in rows {
                let node = nodes[*row as usize];
                fold(&mut path, Some(node));
                path.push((node, Amount::from(self.size(*row))));
            }
            fold(&mut path, None);
            path.clear();
        }
        for node in (1..tree.len()).rev() {
            let parent = tree.parent(node as u32) as usize;
            meeting[parent] += meeting[node];
        }
        meeting
    }

    /// The nodes of a row, one per column.
    pub fn tuple(&self, row: u32) -> &[u32] {
        let columns = self.nodes.len();
        &self.tuples[row as usize * columns..(row as usize + 1) * columns]
    }

    /// Whether two rows agree in all columns but one.
    pub fn alike(&self, one: u32, other: u32, but: usize) -> bool {
        if let Some(codes) = &self.codes {
            let nodes = &self.nodes[but];
            let code = |row: u32| codes.without(row, but, nodes[row as usize]);
            return code(one) == code(other);
        }
        let (one, other) = (self.tuple(one), self.tuple(other));
        one[..but] == other[..but] && one[but + 1..] == other[but + 1..]
    }

    /// How many records of a row have each label, for CM.
    pub fn labels(&self, row: u32) -> &[u64] {
        &self.labels[row as usize * self.label_count..(row as usize + 1) * self.label_count]
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// What the records of a row have.
    fn entries(&self, row: u32) -> &[Entry] {
        &self.entries[self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize]
    }

    /// The records of a row.
    pub fn size(&self, row: u32) -> u64 {
        self.answers[row as usize].size
    }

    /// Adds a row's records to a tally.
    pub fn add_to(&self, tally: &mut Tally, row: u32) {
        self.entries(row).iter().for_each(|entry| tally.add(entry));
    }

    /// Adds to a tally what a row's thresholds depend on.
    pub fn add_values_to(&self, tally: &mut Tally, row: u32) {
        self.entries(row).iter().for_each(|entry| tally.add_value(entry));
    }

    /// Adds rows to a tally as far as they matter for what must be suppressed: their labels only if they violate a
    /// threshold. Returns whether they do.
    pub fn gauge(&self, rules: &Rules, tally: &mut Tally, rows: &[u32]) -> bool {
        rows.iter().for_each(|row| self.add_values_to(tally, *row));
        let violates = rules.violates(tally);
        if violates && rules.labels > 0 {
            self.label(tally, rows);
        }
        violates
    }

    /// Under `vio-rec` with CM, how many records of a class that violates a threshold must cost 1 each, however the class
    /// is split. What is kept, and has the majority label of its part, is of a capped value, of which only so many can be
    /// kept; or of another, and then no more are than have the majority label among those values in their row.
    pub fn least_outside(&self, rules: &Rules, tally: &Tally, rows: &[u32], room: &mut Room) -> Amount {
        let mut most = rules.capped(tally, &mut room.is_capped);
        for row in rows {
            room.labels.clear();
            room.labels.resize(rules.labels, 0);
            for entry in self.entries(*row).iter().filter(|entry| !room.is_capped[entry.value as usize]) {
                room.labels[entry.label as usize] += entry.count;
            }
            most += room.labels.iter().max().copied().unwrap_or(0);
        }
        Amount::from(tally.size) - Amount::from(most)
    }

    /// Adds the labels of rows whose values were added already.
    fn label(&self, tally: &mut Tally, rows: &[u32]) {
        let entries = rows.iter().flat_map(|row| self.entries(*row));
        entries.for_each(|entry| tally.add_label(entry));
    }

    /// The memory it takes, in bytes.
    pub fn weight(&self) -> usize {
        // Nodes twice, the order, the others and the rows by them; starts and origin, codes and stakes.
        let columns = self.nodes.len() * 5;
        self.len() * (columns * 4 + 32 + size_of::<Answer>()) + self.entries.len() * size_of::<Entry>()
    }

    /// The classes of a coarser cut; without one column, if asked, as if it were not cut at all.
    pub fn classes(&self, rules: &Rules, forest: &Forest, cut: &Cut, without: Option<usize>) -> Classes {
        let (covers, places) = (covers(forest, cut), places(forest, cut));
        let columns = places.iter().zip(&cut.0).zip(&self.nodes).enumerate();
        let columns = columns
            .filter(|(column, _)| Some(*column) != without)
            .map(|(_, ((places, cut), nodes))| (cut.len(), nodes.iter().map(|node| places[*node as usize])));
        let (of_row, count) = number_columns(self.len(), columns.collect());
        let (rows, begins) = bucket(0..self.len() as u32, |row| of_row[row as usize], count);
        let mut losses = Vec::with_capacity(count);
        for class in begins.windows(2) {
            let first = self.tuple(rows[class[0] as usize]);
            let columns = covers.iter().zip(first).zip(&rules.losses).enumerate();
            let columns = columns.filter(|(column, _)| Some(*column) != without);
            losses.push(
                columns.map(|(_, ((cover, node), losses))| losses[cover[*node as usize] as usize]).sum(),
            );
        }
        Classes { covers, of_row, count, rows, begins, losses }
    }

    /// The exact cost of a coarser cut.
    pub fn cost_of(&self, rules: &Rules, forest: &Forest, cut: &Cut) -> Amount {
        let rows: Vec<u32> = (0..self.len() as u32).collect();
        self.cost_among(rules, forest, cut, &rows)
    }

    /// What the classes of some rows cost under a coarser cut, where no other rows are in them.
    pub fn cost_among(&self, rules: &Rules, forest: &Forest, cut: &Cut, rows: &[u32]) -> Amount {
        let (covers, places) = (covers(forest, cut), places(forest, cut));
        let columns = places.iter().zip(&cut.0).zip(&self.nodes).map(|((places, cut), nodes)| {
            (cut.len(), rows.iter().map(|row| places[nodes[*row as usize] as usize]))
        });
        let (number, count) = number_columns(rows.len(), columns.collect());
        let (members, begins) = bucket(0..rows.len() as u32, |at| number[at as usize], count);
        let mut tally = rules.tally();
        let mut cost = 0;
        for class in begins.windows(2) {
            let members = &members[class[0] as usize..class[1] as usize];
            let first = rows[members[0] as usize];
            let answer = if members.len() == 1 {
                self.answers[first as usize]
            } else {
                tally.clear();
                members.iter().for_each(|at| self.add_to(&mut tally, rows[*at as usize]));
                rules.answer(&tally)
            };
            let cells = covers.iter().zip(self.tuple(first)).zip(&rules.losses);
            let g = cells.map(|((cover, node), losses)| losses[cover[*node as usize] as usize]).sum();
            cost = plus(cost, rules.cost(&answer, g));
        }
        cost
    }

    /// What each class comes to, where one of a single row is known already.
    pub fn answers_of(&self, classes: &Classes, mut answer: impl FnMut(&[u32]) -> Answer) -> Vec<Answer> {
        let of_class = |class: usize| match classes.members(class) {
            [row] => self.answers[*row as usize],
            rows => answer(rows),
        };
        (0..classes.count).map(of_class).collect()
    }
}

/// Room to count in, class after class.
#[derive(Debug, Default)]
pub struct Room {
    is_capped: Vec<bool>,
    labels: Vec<u64>,
}

/// Per column, the cut's node above every node.
fn covers(forest: &Forest, cut: &Cut) -> Vec<Vec<u32>> {
    forest.trees.iter().zip(&cut.0).map(|(tree, cut)| tree.cover(cut)).collect()
}

/// Per column, the place in the cut of the node above every node.
fn places(forest: &Forest, cut: &Cut) -> Vec<Vec<u32>> {
    forest.trees.iter().zip(&cut.0).map(|(tree, cut)| codes::places(tree, cut)).collect()
}

/// The classes of a cut.
#[derive(Debug)]
pub struct Classes {
    /// Per column, the cut's node above every node.
    pub covers: Vec<Vec<u32>>,
    /// The class of every row.
    pub of_row: Vec<u32>,
    /// The number of classes.
    pub count: usize,
    rows: Vec<u32>,
    begins: Vec<u32>,
    /// Per class, what a record of it pays for its cells.
    pub losses: Vec<Amount>,
}

impl Classes {
    /// The rows of a class.
    pub fn members(&self, class: usize) -> &[u32] {
        &self.rows[self.begins[class] as usize..self.begins[class + 1] as usize]
    }
}
