//! A decision tree in the manner of C4.5 (Quinlan 1993), to measure how well a release still predicts a label.
//!
//! Columns are categories and a split has one branch per category. The split with the best *gain ratio* is chosen among
//! those whose gain is at least average. A grown tree is pruned bottom-up by *pessimistic error*: the errors at a leaf are
//! taken at the upper end of their confidence interval, and a subtree that is not better than a leaf becomes one.
//! A category that no training record has is answered with the majority above it.

/// Records for training or testing: a category per column, a label, a weight.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    columns: usize,
    codes: Vec<u32>,
    labels: Vec<u32>,
    weights: Vec<u64>,
}

impl Sample {
    /// No records yet, of this many columns.
    pub fn new(columns: usize) -> Sample {
        Sample { columns, ..Sample::default() }
    }

    /// Adds `weight` records that look alike; categories and labels are small numbers.
    ///
    /// # Panics
    /// When there is not one category per column.
    pub fn push(&mut self, categories: &[u32], label: u32, weight: u64) {
        assert_eq!(categories.len(), self.columns, "a category per column");
        self.codes.extend_from_slice(categories);
        self.labels.push(label);
        self.weights.push(weight);
    }

    /// The number of records, by weight.
    pub fn records(&self) -> u64 {
        self.weights.iter().sum()
    }

    fn categories(&self, record: usize) -> &[u32] {
        &self.codes[record * self.columns..(record + 1) * self.columns]
    }

    /// One more than the largest category of a column.
    fn cardinality(&self, column: usize) -> usize {
        let codes = self.codes.iter().skip(column).step_by(self.columns.max(1));
        codes.max().map_or(0, |code| *code as usize + 1)
    }
}

/// A trained tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    root: Node,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    /// The most frequent label here; of equals the smallest.
    majority: u32,
    split: Option<Split>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Split {
    column: usize,
    /// Per category; `None` where no training record has it.
    branches: Vec<Option<Node>>,
}

/// A split needs two branches of at least this weight, as in C4.5.
const LEAST_BRANCH: u64 = 2;
/// What a subtree must save, in expected errors, to be kept.
const LEAST_SAVING: f64 = 0.1;
/// The confidence of the pessimistic error.
const CONFIDENCE: f64 = 0.25;
/// The point that a standard normal variable exceeds with that probability.
const DEVIATE: f64 = 0.674_489_750_196_081_7;
/// Gains below this are rounding noise.
const NO_GAIN: f64 = 1e-9;

impl Tree {
    /// Grows and prunes a tree. Without records it always answers 0.
    pub fn train(sample: &Sample) -> Tree {
        let labels = sample.labels.iter().max().map_or(1, |label| *label as usize + 1);
        let cardinalities = (0..sample.columns).map(|column| sample.cardinality(column)).collect();
        let grower = Grower { sample, labels, cardinalities };
        let records: Vec<u32> = (0..sample.labels.len() as u32).collect();
        let (root, _) = grower.grow(&records, &mut vec![true; sample.columns]);
        Tree { root }
    }

    /// The label of a record with these categories.
    pub fn predict(&self, categories: &[u32]) -> u32 {
        let mut node = &self.root;
        while let Some(split) = &node.split {
            let branch = categories.get(split.column).and_then(|code| split.branches.get(*code as usize));
            match branch {
                Some(Some(next)) => node = next,
                _ => break,
            }
        }
        node.majority
    }

    /// The share of a sample's records whose label the tree misses; none of no records.
    pub fn error(&self, sample: &Sample) -> f64 {
        let missed: u64 = (0..sample.labels.len())
            .filter(|record| self.predict(sample.categories(*record)) != sample.labels[*record])
            .map(|record| sample.weights[record])
            .sum();
        missed as f64 / sample.records().max(1) as f64
    }

    /// The number of leaves.
    pub fn leaves(&self) -> usize {
        fn count(node: &Node) -> usize {
            match &node.split {
                Some(split) => split.branches.iter().flatten().map(count).sum(),
                None => 1,
            }
        }
        count(&self.root)
    }
}

struct Grower<'a> {
    sample: &'a Sample,
    labels: usize,
    cardinalities: Vec<usize>,
}

impl Grower<'_> {
    /// The pruned tree of some records, and its pessimistic number of errors. `open` says which columns are not yet used
    /// above: with one branch per category, a second split by a column would split nothing.
    fn grow(&self, records: &[u32], open: &mut Vec<bool>) -> (Node, f64) {
        let counts = self.label_counts(records);
        let weight: u64 = counts.iter().sum();
        let majority = majority_of(&counts);
        let errors = weight - counts[majority];
        let as_leaf = pessimistic(weight, errors);
        let leaf = Node { majority: majority as u32, split: None };
        if errors == 0 || weight < 2 * LEAST_BRANCH {
            return (leaf, as_leaf);
        }
        let Some(column) = self.best_split(records, &counts, open) else { return (leaf, as_leaf) };
        let mut parts: Vec<Vec<u32>> = vec![Vec::new(); self.cardinalities[column]];
        for record in records {
            parts[self.category(*record, column)].push(*record);
        }
        open[column] = false;
        let mut as_tree = 0.0;
        let branches = parts
            .into_iter()
            .map(|part| {
                let (node, errors) = (!part.is_empty()).then(|| self.grow(&part, open))?;
                as_tree += errors;
                Some(node)
            })
            .collect();
        open[column] = true;
        if as_leaf <= as_tree + LEAST_SAVING {
            return (leaf, as_leaf);
        }
        (Node { majority: majority as u32, split: Some(Split { column, branches }) }, as_tree)
    }

    fn category(&self, record: u32, column: usize) -> usize {
        self.sample.codes[record as usize * self.sample.columns + column] as usize
    }

    fn label_counts(&self, records: &[u32]) -> Vec<u64> {
        let mut counts = vec![0; self.labels];
        for record in records {
            counts[self.sample.labels[*record as usize] as usize] += self.sample.weights[*record as usize];
        }
        counts
    }

    /// The column with the best gain ratio among those of at least average gain; of equals the first.
    fn best_split(&self, records: &[u32], counts: &[u64], open: &[bool]) -> Option<usize> {
        let before = information(counts);
        let candidates: Vec<(usize, f64, f64)> = (0..self.sample.columns)
            .filter(|column| open[*column])
            .filter_map(|column| {
                let (gain, ratio) = self.gain(records, before, column)?;
                Some((column, gain, ratio))
            })
            .collect();
        let total: f64 = candidates.iter().map(|(_, gain, _)| gain).sum();
        let average = total / candidates.len().max(1) as f64;
        let mut best: Option<(usize, f64)> = None;
        for (column, gain, ratio) in candidates {
            if gain >= average - NO_GAIN && best.is_none_or(|(_, most)| ratio > most) {
                best = Some((column, ratio));
            }
        }
        best.map(|(column, _)| column)
    }

    /// What a split by a column tells about the label, in all, and in relation to what it tells about itself.
    fn gain(&self, records: &[u32], before: f64, column: usize) -> Option<(f64, f64)> {
        let mut table = vec![0u64; self.cardinalities[column] * self.labels];
        for record in records {
            let label = self.sample.labels[*record as usize] as usize;
            table[self.category(*record, column) * self.labels + label] +=
                self.sample.weights[*record as usize];
        }
        let sizes: Vec<u64> = table.chunks_exact(self.labels).map(|branch| branch.iter().sum()).collect();
        if sizes.iter().filter(|size| **size >= LEAST_BRANCH).count() < 2 {
            return None;
        }
        let after: f64 = table.chunks_exact(self.labels).map(information).sum();
        let gain = before - after;
        (gain > NO_GAIN).then(|| (gain, gain / information(&sizes)))
    }
}

/// The position of the largest count; of equals the first.
fn majority_of(counts: &[u64]) -> usize {
    let mut best = 0;
    for (position, count) in counts.iter().enumerate() {
        if *count > counts[best] {
            best = position;
        }
    }
    best
}

/// How many bits it takes to tell the categories of all records: their number times the entropy.
fn information(counts: &[u64]) -> f64 {
    let xlog = |count: u64| if count == 0 { 0.0 } else { count as f64 * (count as f64).log2() };
    xlog(counts.iter().sum()) - counts.iter().map(|count| xlog(*count)).sum::<f64>()
}

/// The upper end of the confidence interval for the number of errors among `weight` unseen records, given that many
/// errors among as many seen ones: exact without errors, the normal approximation with continuity correction from one
/// error on (Quinlan 1993, section 4.2).
fn pessimistic(weight: u64, errors: u64) -> f64 {
    let (n, e) = (weight as f64, errors as f64);
    if errors == 0 {
        return n * (1.0 - (CONFIDENCE.ln() / n.max(1.0)).exp());
    }
    if e + 0.5 >= n {
        return e + (n - e).max(0.0) * 0.67;
    }
    let (z, seen) = (DEVIATE * DEVIATE, e + 0.5);
    let share = (seen + z / 2.0 + (z * (seen * (1.0 - seen / n) + z / 4.0)).sqrt()) / (n + z);
    n * share
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample(rows: &[(&[u32], u32, u64)]) -> Sample {
        let mut sample = Sample::new(rows.first().map_or(0, |row| row.0.len()));
        rows.iter().for_each(|(categories, label, weight)| sample.push(categories, *label, *weight));
        sample
    }

    #[test]
    fn a_column_that_tells_the_label_is_the_only_split() {
        let tree =
            Tree::train(&sample(&[(&[0, 0], 0, 10), (&[1, 0], 0, 10), (&[0, 1], 1, 10), (&[1, 1], 1, 10)]));
        assert_eq!(tree.leaves(), 2);
        assert_eq!((tree.predict(&[0, 0]), tree.predict(&[0, 1]), tree.predict(&[7, 1])), (0, 1, 1));
    }

    #[test]
    fn quinlans_golf_weather_gives_his_tree() {
        // outlook: sunny 0, overcast 1, rain 2; humidity: high 0, normal 1; windy: no 0, yes 1; label: play 1.
        let golf = sample(&[
            (&[0, 0, 0], 0, 1),
            (&[0, 0, 1], 0, 1),
            (&[1, 0, 0], 1, 1),
            (&[2, 0, 0], 1, 1),
            (&[2, 1, 0], 1, 1),
            (&[2, 1, 1], 0, 1),
            (&[1, 1, 1], 1, 1),
            (&[0, 0, 0], 0, 1),
            (&[0, 1, 0], 1, 1),
            (&[2, 1, 0], 1, 1),
            (&[0, 1, 1], 1, 1),
            (&[1, 0, 1], 1, 1),
            (&[1, 1, 0], 1, 1),
            (&[2, 0, 1], 0, 1),
        ]);
        let tree = Tree::train(&golf);
        // Outlook first, then humidity when sunny and wind when it rains: five leaves, no error.
        assert_eq!(tree.leaves(), 5);
        assert_eq!(tree.error(&golf), 0.0);
        assert_eq!(tree.root.split.as_ref().map(|split| split.column), Some(0));
    }

    #[test]
    fn a_split_that_chance_explains_is_pruned() {
        let noise = sample(&[(&[0], 0, 10), (&[0], 1, 5), (&[1], 0, 10), (&[1], 1, 6)]);
        assert_eq!(Tree::train(&noise).leaves(), 1);
    }

    #[test]
    fn a_tree_of_nothing_answers_something() {
        let tree = Tree::train(&Sample::new(2));
        assert_eq!(tree.predict(&[0, 0]), 0);
        assert_eq!(tree.error(&Sample::new(2)), 0.0);
    }

    #[test]
    fn pessimistic_errors_are_those_of_the_textbook() {
        // Quinlan 1993: U25%(0, 6) = 0.206, U25%(0, 9) = 0.143, U25%(0, 1) = 0.750.
        assert!((pessimistic(6, 0) / 6.0 - 0.206).abs() < 1e-3);
        assert!((pessimistic(9, 0) / 9.0 - 0.143).abs() < 1e-3);
        assert!((pessimistic(1, 0) - 0.75).abs() < 1e-3);
    }

    fn records() -> impl Strategy<Value = Vec<([u32; 3], u32, u64)>> {
        prop::collection::vec(([0u32..4, 0u32..3, 0u32..2], 0u32..3, 1u64..5), 1..60)
    }

    proptest! {
        #[test]
        fn training_errors_never_exceed_the_majoritys_and_training_is_deterministic(rows in records()) {
            let mut sample = Sample::new(3);
            rows.iter().for_each(|(categories, label, weight)| sample.push(categories, *label, *weight));
            let tree = Tree::train(&sample);
            let mut counts = [0u64; 3];
            rows.iter().for_each(|(_, label, weight)| counts[*label as usize] += weight);
            let majority = 1.0 - *counts.iter().max().unwrap_or(&0) as f64 / sample.records() as f64;
            prop_assert!(tree.error(&sample) <= majority + 1e-12);
            prop_assert_eq!(&tree, &Tree::train(&sample));
        }

        #[test]
        fn a_weight_stands_for_as_many_records(rows in records()) {
            let (mut weighed, mut listed) = (Sample::new(3), Sample::new(3));
            for (categories, label, weight) in &rows {
                weighed.push(categories, *label, *weight);
                (0..*weight).for_each(|_| listed.push(categories, *label, 1));
            }
            prop_assert_eq!(Tree::train(&weighed), Tree::train(&listed));
        }

        #[test]
        fn pessimism_grows_with_the_errors_and_never_falls_below_them(weight in 1u64..500, errors in 0u64..500) {
            let errors = errors.min(weight);
            prop_assert!(pessimistic(weight, errors) >= errors as f64);
            if errors < weight {
                prop_assert!(pessimistic(weight, errors + 1) + 1e-9 >= pessimistic(weight, errors));
            }
        }
    }
}
