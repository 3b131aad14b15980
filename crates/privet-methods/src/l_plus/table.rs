//! The table summarised at a cut: distinct generalised tuples with their counts.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::codes::{self, CodedNodes, TupleCodes, number_tuples};
use super::pairs;
use super::rules::{CostRules, Evaluation, Metric};
use super::tally::{ClassTally, TallyEntry};
use privet_engine::cut::{Amount, Cut, Forest, Tree, plus};
use privet_engine::microdata::Microdata;
use privet_engine::numbering::{bucket, sort_codes};
use privet_policy::Role;

/// The values of a distinct record's records in the columns that costs depend on.
#[derive(Debug)]
pub struct RecordReader<'a> {
    microdata: &'a Microdata,
    /// The sensitive column and, if it matters, the label column, by index among the tracked columns.
    column: usize,
    label: Option<usize>,
}

impl<'a> RecordReader<'a> {
    pub fn new(rules: &CostRules, microdata: &'a Microdata, column: usize) -> RecordReader<'a> {
        let label = microdata.table.tracked.iter().position(|tracked| tracked.role == Role::Class);
        RecordReader { microdata, column, label: label.filter(|_| rules.metric == Metric::Cm) }
    }

    pub fn entry(&self, record: usize) -> TallyEntry {
        let codes = &self.microdata.summary.record(record)[self.microdata.quasi.len()..];
        let label = self.label.map_or(0, |label| codes[label]);
        TallyEntry { value: codes[self.column], label, count: self.microdata.summary.count(record) }
    }
}

/// Rows to be merged.
struct OldRows<'a> {
    columns: usize,
    /// The nodes of every row, row by row.
    tuples: &'a [u32],
    starts: &'a [u32],
    entries: &'a [TallyEntry],
    /// The table that they come from, if the same rules have evaluated it.
    answered: Option<&'a FineTable>,
}

/// Distinct tuples of nodes, with the sensitive values and labels of their records.
#[derive(Debug)]
pub struct FineTable {
    /// The cut at which the table is summarised.
    pub cut: Cut,
    /// Per column, the node of every row.
    pub nodes: Vec<Vec<u32>>,
    /// The tuples as single numbers, if they fit.
    pub codes: Option<TupleCodes>,
    /// Per row, one of the rows that it was merged from.
    pub origin: Vec<u32>,
    /// The nodes row by row.
    tuples: Vec<u32>,
    /// Per row, what is at stake in it as a class of its own; only if splitting helps.
    pub stakes: Vec<Amount>,
    /// For CM, row by row: how many records have each label.
    labels: Vec<u64>,
    label_count: usize,
    /// Per row, its evaluation as a class of its own.
    pub answers: Vec<Evaluation>,
    starts: Vec<u32>,
    entries: Vec<TallyEntry>,
    /// For CM, per column: a number for the row's nodes in the *other* columns.
    pub others: Vec<Vec<u32>>,
    /// For CM, per column: the rows sorted by that number, then by ascending node.
    pub by_others: Vec<Vec<u32>>,
    /// For DM, per column and node: the increase in discernibility if only this column is coarsened up to the node.
    pub pairs: Vec<Vec<Amount>>,
    /// The cost of the table at this cut.
    pub cost: Amount,
    /// Σ n² for DM, the starting value of generalisation.
    pub base: Amount,
}

impl FineTable {
    /// The table at the finest cut.
    pub fn new(rules: &CostRules, forest: &Forest, microdata: &Microdata, column: usize) -> FineTable {
        let records = microdata.summary.len();
        let columns = microdata.quasi.len();
        let leaf = |(at, code): (usize, &u32)| {
            forest.trees[at].leaf(microdata.quasi[at].leaf_of_code[*code as usize])
        };
        let tuples: Vec<u32> = (0..records)
            .flat_map(|record| microdata.quasi_codes(record).iter().enumerate().map(leaf))
            .collect();
        let reader = RecordReader::new(rules, microdata, column);
        let entries: Vec<TallyEntry> = (0..records).map(|record| reader.entry(record)).collect();
        let starts: Vec<u32> = (0..=records as u32).collect();
        let old = OldRows { columns, tuples: &tuples, starts: &starts, entries: &entries, answered: None };
        FineTable::gather(rules, forest, forest.finest(), &old)
    }

    /// The same table at a coarser cut.
    pub fn coarsen(&self, rules: &CostRules, forest: &Forest, cut: &Cut) -> FineTable {
        FineTable::gather(rules, forest, cut.clone(), &OldRows { answered: Some(self), ..self.old() })
    }

    /// The same table under other rules.
    pub fn under(&self, rules: &CostRules, forest: &Forest) -> FineTable {
        FineTable::gather(rules, forest, self.cut.clone(), &self.old())
    }

    fn old(&self) -> OldRows<'_> {
        let columns = self.nodes.len();
        OldRows {
            columns,
            tuples: &self.tuples,
            starts: &self.starts,
            entries: &self.entries,
            answered: None,
        }
    }

    /// Merges rows that are equal at a cut. The new rows are in the order of their codes, so that rows that agree in
    /// the last columns are near each other; on large tables this reduces cache misses.
    fn gather(rules: &CostRules, forest: &Forest, cut: Cut, old: &OldRows<'_>) -> FineTable {
        let covers = covers(forest, &cut);
        let columns = old.columns;
        let codes = TupleCodes::new(&forest.trees, &cut, old.tuples);
        let members = match &codes {
            Some(codes) => codes.sorted(),
            None => {
                let coded = covers.iter().enumerate();
                let coded = coded.map(|(column, cover)| CodedNodes {
                    column,
                    codes: cover.clone(),
                    limit: cover.len(),
                });
                let tuples = old.tuples.chunks_exact(columns.max(1));
                let (numbers, count) = number_tuples(tuples, &coded.collect::<Vec<_>>());
                sort_codes(numbers.into_iter().map(u64::from).zip(0..).collect(), count as u64)
            }
        };
        let rows = members.chunk_by(|one, other| one.0 == other.0).count();
        let mut nodes: Vec<Vec<u32>> = (0..columns).map(|_| Vec::with_capacity(rows)).collect();
        let (mut starts, mut entries) = (vec![0u32], Vec::with_capacity(old.entries.len()));
        let mut tally = rules.full_tally();
        let (mut cost, mut base) = (0, 0);
        let (mut labels, mut stakes) = (Vec::with_capacity(rows * rules.labels), Vec::new());
        let (mut tuples, mut answers) = (Vec::with_capacity(rows * columns), Vec::with_capacity(rows));
        let (mut origin, mut distinct) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        for members in members.chunk_by(|(one, _), (other, _)| one == other) {
            let (code, first) = members[0];
            distinct.push(code);
            origin.push(first);
            let mut g = 0;
            let tuple = &old.tuples[first as usize * columns..][..columns];
            for (at, (new, node)) in nodes.iter_mut().zip(tuple).enumerate() {
                let node = covers[at][*node as usize];
                new.push(node);
                tuples.push(node);
                g += rules.losses[at][node as usize];
            }
            let answer = match (members, old.answered) {
                // A row that is not merged keeps its evaluation.
                ([_], Some(table)) => {
                    entries.extend_from_slice(table.entries(first));
                    labels.extend_from_slice(table.labels(first));
                    stakes.extend(table.stakes.get(first as usize));
                    table.answers[first as usize]
                }
                _ => {
                    for (_, member) in members {
                        let (start, end) = (old.starts[*member as usize], old.starts[*member as usize + 1]);
                        let entries = &old.entries[start as usize..end as usize];
                        entries.iter().for_each(|entry| tally.add(entry));
                    }
                    tally.list(&mut entries);
                    labels.extend((0..rules.labels as u32).map(|label| tally.with_label(label)));
                    if rules.splitting_helps() {
                        stakes.push(if rules.violates(&tally) { rules.stake(&tally) } else { 0 });
                    }
                    let answer = rules.answer(&tally);
                    tally.clear();
                    answer
                }
            };
            starts.push(entries.len() as u32);
            cost = plus(cost, rules.cost(&answer, g));
            base += Amount::from(answer.size) * Amount::from(answer.size);
            answers.push(answer);
        }
        let base = if rules.metric == Metric::Dm { base } else { 0 };
        let mut fine = FineTable {
            cut,
            nodes,
            codes: codes.map(|codes| codes.of(distinct)),
            origin,
            tuples,
            stakes,
            labels,
            label_count: rules.labels,
            answers,
            starts,
            entries,
            others: Vec::new(),
            by_others: Vec::new(),
            pairs: Vec::new(),
            cost,
            base,
        };
        fine.index(rules, forest);
        fine
    }

    fn index(&mut self, rules: &CostRules, forest: &Forest) {
        let columns = (0..self.nodes.len()).into_par_iter();
        match rules.metric {
            Metric::Lm => {}
            Metric::Dm => self.pairs = pairs::pairs(rules, forest, self),
            Metric::Cm => {
                let numbered = |column: usize| {
                    let sorted = self.sorted_without(forest, column);
                    let mut others = vec![0; self.len()];
                    for (group, rows) in sorted.chunk_by(|(one, _), (other, _)| one == other).enumerate() {
                        rows.iter().for_each(|(_, row)| others[*row as usize] = group as u32);
                    }
                    (others, sorted.into_iter().map(|(_, row)| row).collect())
                };
                (self.others, self.by_others) = columns.map(numbered).unzip();
            }
        }
    }

    /// The rows sorted by all columns except one, with codes for that; then by ascending node in that column.
    pub fn sorted_without(&self, forest: &Forest, column: usize) -> Vec<(u64, u32)> {
        let nodes = &self.nodes[column];
        if let Some(codes) = &self.codes {
            // Rows are in the order of their codes, so those that differ in one column only are in the order of its
            // nodes.
            return codes.sorted_without(column, nodes);
        }
        let all = |(at, tree): (usize, &Tree)| CodedNodes {
            column: at,
            codes: (0..tree.len() as u32).collect(),
            limit: tree.len(),
        };
        let others = forest.trees.iter().enumerate().filter(|(other, _)| *other != column).map(all);
        let (numbers, _) = number_tuples(self.all_tuples(), &others.collect::<Vec<_>>());
        let mut sorted: Vec<(u64, u32)> = numbers.into_iter().map(u64::from).zip(0..).collect();
        sorted.sort_unstable_by_key(|(number, row)| (*number, nodes[*row as usize]));
        sorted
    }

    /// The nodes of a row, one per column.
    pub fn tuple(&self, row: u32) -> &[u32] {
        let columns = self.nodes.len();
        &self.tuples[row as usize * columns..(row as usize + 1) * columns]
    }

    fn all_tuples(&self) -> impl ExactSizeIterator<Item = &[u32]> + Clone {
        self.tuples.chunks_exact(self.nodes.len().max(1))
    }

    /// Whether two rows agree in all columns except one.
    pub fn alike(&self, one: u32, other: u32, but: usize) -> bool {
        if let Some(codes) = &self.codes {
            let nodes = &self.nodes[but];
            let code = |row: u32| codes.without(row, but, nodes[row as usize]);
            return code(one) == code(other);
        }
        let (one, other) = (self.tuple(one), self.tuple(other));
        one[..but] == other[..but] && one[but + 1..] == other[but + 1..]
    }

    /// The number of records of a row with each label, for CM.
    pub fn labels(&self, row: u32) -> &[u64] {
        &self.labels[row as usize * self.label_count..(row as usize + 1) * self.label_count]
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The values and labels of a row's records.
    #[inline]
    pub fn entries(&self, row: u32) -> &[TallyEntry] {
        &self.entries[self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize]
    }

    /// The number of records of a row.
    pub fn size(&self, row: u32) -> u64 {
        self.answers[row as usize].size
    }

    /// Adds a row's records to a tally.
    #[inline]
    pub fn add_to(&self, tally: &mut ClassTally, row: u32) {
        self.entries(row).iter().for_each(|entry| tally.add(entry));
    }

    /// Adds only what thresholds depend on to a tally.
    #[inline]
    pub fn add_values_to(&self, tally: &mut ClassTally, row: u32) {
        self.entries(row).iter().for_each(|entry| tally.add_value(entry));
    }

    /// Adds a row's records to counts per sensitive value.
    #[inline]
    pub fn count(&self, counts: &mut [u64], row: u32) {
        self.entries(row).iter().for_each(|entry| counts[entry.value as usize] += entry.count);
    }

    /// Adds rows to a tally as far as they matter for suppression: their labels only if they violate a threshold.
    /// Returns whether they do.
    pub fn gauge(&self, rules: &CostRules, tally: &mut ClassTally, rows: &[u32]) -> bool {
        rows.iter().for_each(|row| self.add_values_to(tally, *row));
        let violates = rules.violates(tally);
        if violates && rules.labels > 0 {
            self.label(tally, rows);
        }
        violates
    }

    /// Under `vio-rec` with CM, how many records of a class that violates a threshold must cost 1 each, however the
    /// class is split. A kept record with the majority label of its part has either a capped value, of which only a
    /// limited number can be kept, or another value; of those, at most as many as have the majority label among such
    /// values in their row.
    pub fn least_outside(
        &self,
        rules: &CostRules,
        tally: &ClassTally,
        rows: &[u32],
        buffers: &mut CountBuffers,
    ) -> Amount {
        let mut most = rules.capped(tally, &mut buffers.is_capped);
        for row in rows {
            buffers.labels.clear();
            buffers.labels.resize(rules.labels, 0);
            for entry in self.entries(*row).iter().filter(|entry| !buffers.is_capped[entry.value as usize]) {
                buffers.labels[entry.label as usize] += entry.count;
            }
            most += buffers.labels.iter().max().copied().unwrap_or(0);
        }
        Amount::from(tally.size) - Amount::from(most)
    }

    /// Adds the labels of rows whose values were added already.
    fn label(&self, tally: &mut ClassTally, rows: &[u32]) {
        let entries = rows.iter().flat_map(|row| self.entries(*row));
        entries.for_each(|entry| tally.add_label(entry));
    }

    /// The memory use in bytes.
    pub fn weight(&self) -> usize {
        // Nodes are stored twice, as are the others and the rows sorted by them; starts and origin, codes and labels.
        let columns = self.nodes.len() * 2 + self.others.len() * 2;
        let row = columns * 4 + 16 + self.label_count * 8 + size_of::<Evaluation>();
        let parts = self.entries.len() * size_of::<TallyEntry>() + self.stakes.len() * size_of::<Amount>();
        self.len() * row + parts
    }

    /// The classes of a coarser cut; optionally with one column uncut.
    pub fn classes(
        &self,
        rules: &CostRules,
        forest: &Forest,
        cut: &Cut,
        without: Option<usize>,
    ) -> CutClasses {
        let covers = covers(forest, cut);
        let mut coded = coded(forest, cut);
        coded.retain(|coded| Some(coded.column) != without);
        let (of_row, count) = number_tuples(self.all_tuples(), &coded);
        let mut firsts = Vec::with_capacity(count);
        for (row, class) in of_row.iter().enumerate() {
            if *class as usize == firsts.len() {
                firsts.push(row as u32);
            }
        }
        let mut losses = Vec::with_capacity(count);
        for first in firsts.iter().map(|row| self.tuple(*row)) {
            let columns = covers.iter().zip(first).zip(&rules.losses).enumerate();
            let columns = columns.filter(|(column, _)| Some(*column) != without);
            losses.push(
                columns.map(|(_, ((cover, node), losses))| losses[cover[*node as usize] as usize]).sum(),
            );
        }
        CutClasses { covers, of_row, count, firsts, members: OnceLock::new(), losses }
    }

    /// The exact cost of a coarser cut.
    pub fn cost_of(&self, rules: &CostRules, forest: &Forest, cut: &Cut) -> Amount {
        let rows: Vec<u32> = (0..self.len() as u32).collect();
        self.cost_among(rules, forest, cut, &rows)
    }

    /// The cost of the classes of some rows under a coarser cut, if they contain no other rows.
    pub fn cost_among(&self, rules: &CostRules, forest: &Forest, cut: &Cut, rows: &[u32]) -> Amount {
        let covers = covers(forest, cut);
        let tuples = rows.iter().map(|row| self.tuple(*row));
        let (number, count) = number_tuples(tuples, &coded(forest, cut));
        let mut tally = rules.tally();
        let mut cost = 0;
        let width = rules.theta.len();
        if rules.labels == 0 && count * width <= rows.len() {
            // Few classes: count all of them at once, with the rows in their order.
            let (mut counts, mut firsts) = (vec![0; count * width], Vec::with_capacity(count));
            for (row, class) in rows.iter().zip(number) {
                if class as usize == firsts.len() {
                    firsts.push(*row);
                }
                self.count(&mut counts[class as usize * width..][..width], *row);
            }
            for (first, counts) in firsts.into_iter().zip(counts.chunks(width)) {
                tally.clear();
                tally.add_counts(counts.iter().copied());
                let cells = covers.iter().zip(self.tuple(first)).zip(&rules.losses);
                let g = cells.map(|((cover, node), losses)| losses[cover[*node as usize] as usize]).sum();
                cost = plus(cost, rules.cost(&rules.answer(&tally), g));
            }
            return cost;
        }
        let (members, begins) = bucket(0..rows.len() as u32, |at| number[at as usize], count);
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

    /// The evaluation of each class; that of a single row is known already.
    pub fn answers_of(
        &self,
        classes: &CutClasses,
        mut answer: impl FnMut(&[u32]) -> Evaluation,
    ) -> Vec<Evaluation> {
        let of_class = |class: usize| match classes.members(class) {
            [row] => self.answers[*row as usize],
            rows => answer(rows),
        };
        (0..classes.count).map(of_class).collect()
    }
}

/// Buffers for counting, reused from class to class.
#[derive(Debug, Default)]
pub struct CountBuffers {
    is_capped: Vec<bool>,
    labels: Vec<u64>,
}

/// Per column, the cut's node above every node.
fn covers(forest: &Forest, cut: &Cut) -> Vec<Vec<u32>> {
    forest.trees.iter().zip(&cut.0).map(|(tree, cut)| tree.cover(cut)).collect()
}

/// The columns of tuples in a cut: per column, the index in the cut of the node above every node.
fn coded(forest: &Forest, cut: &Cut) -> Vec<CodedNodes> {
    let columns = forest.trees.iter().zip(&cut.0).enumerate();
    let coded = |(column, (tree, cut)): (usize, (&Tree, &Vec<u32>))| CodedNodes {
        column,
        codes: codes::places(tree, cut),
        limit: cut.len(),
    };
    columns.map(coded).collect()
}

/// The classes of a cut.
#[derive(Debug)]
pub struct CutClasses {
    /// Per column, the cut's node above every node.
    pub covers: Vec<Vec<u32>>,
    /// The class of every row.
    pub of_row: Vec<u32>,
    /// The number of classes.
    pub count: usize,
    /// The first row of every class.
    firsts: Vec<u32>,
    /// The rows class by class, and where classes begin: sorted on demand.
    members: OnceLock<(Vec<u32>, Vec<u32>)>,
    /// Per class, what a record of it pays for its cells.
    pub losses: Vec<Amount>,
}

impl CutClasses {
    /// The rows of a class.
    pub fn members(&self, class: usize) -> &[u32] {
        let sort = || bucket(0..self.of_row.len() as u32, |row| self.of_row[row as usize], self.count);
        let (rows, begins) = self.members.get_or_init(sort);
        &rows[begins[class] as usize..begins[class + 1] as usize]
    }

    /// The first row of a class.
    pub fn first(&self, class: usize) -> u32 {
        self.firsts[class]
    }
}
