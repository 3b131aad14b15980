//! l+-Optimize by brute force: every cut, every class, every definition, in rational numbers. It shares no code with
//! the search.

use std::collections::{BTreeMap, BTreeSet};

use crate::tests::table::distinct;
use privet_engine::privacy::naive::{Ratio, ratio};

/// A table with trees, thresholds and prices.
#[derive(Debug, Clone)]
pub struct LPlusCase {
    /// Per quasi-identifier, the lines of its hierarchy file.
    pub trees: Vec<Vec<Vec<String>>>,
    /// Quasi-identifiers, sensitive value, label.
    pub rows: Vec<Vec<String>>,
    /// Per sensitive value, numerator and denominator of its threshold.
    pub theta: BTreeMap<String, (u64, u64)>,
    pub k: u64,
    pub scheme: &'static str,
    pub metric: &'static str,
    /// Per quasi-identifier, its weight and what each level costs (nothing: as LM has it), in hundredths; empty without weights.
    pub weights: Vec<(u64, Vec<u64>)>,
}

/// Per quasi-identifier, the label of each leaf under a cut.
pub type NaiveCut = Vec<BTreeMap<String, String>>;

impl LPlusCase {
    fn paths(&self, column: usize) -> Vec<Vec<String>> {
        self.trees[column].iter().map(|line| distinct(line)).collect()
    }

    /// All cuts of one tree.
    fn cuts_of(&self, column: usize) -> Vec<BTreeMap<String, String>> {
        let paths = self.paths(column);
        let root = paths[0].last().expect("a root").clone();
        cuts_below(&paths, &root)
    }

    /// All cuts.
    pub fn cuts(&self) -> Vec<NaiveCut> {
        let mut all: Vec<NaiveCut> = vec![Vec::new()];
        for column in 0..self.trees.len() {
            let of_column = self.cuts_of(column);
            let longer = |cut: &NaiveCut| {
                let with = |next: &BTreeMap<String, String>| [cut.clone(), vec![next.clone()]].concat();
                of_column.iter().map(with).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    fn loss(&self, column: usize, label: &str) -> Ratio {
        let Some((weight, levels)) = self.weights.get(column) else { return self.plain_loss(column, label) };
        let paths = self.paths(column);
        let places = paths.iter().filter_map(|path| path.iter().position(|node| node == label));
        let height = places.max().expect("a node");
        let loss = match (levels.is_empty(), height) {
            (true, _) => self.plain_loss(column, label),
            (false, 0) => ratio(0, 1),
            (false, height) => ratio(levels[height - 1], 100),
        };
        ratio(*weight, 100) * loss
    }

    /// What a record costs whose cells are all roots, a column without a choice included.
    fn most_per_record(&self) -> Ratio {
        let of_column = |column: usize| match self.weights.get(column) {
            None => ratio(1, 1),
            Some((weight, levels)) if levels.is_empty() => ratio(*weight, 100),
            Some(_) => {
                let root = self.paths(column)[0].last().expect("a root").clone();
                self.loss(column, &root)
            }
        };
        (0..self.trees.len()).map(of_column).sum()
    }

    pub fn plain_loss(&self, column: usize, label: &str) -> Ratio {
        let paths = self.paths(column);
        let covered = paths.iter().filter(|path| path.iter().any(|node| node == label)).count() as u64;
        if paths.len() == 1 { ratio(0, 1) } else { ratio(covered - 1, paths.len() as u64 - 1) }
    }

    /// The cost of a cut; `None` if it is not allowed.
    pub fn cost(&self, cut: &NaiveCut) -> Option<Ratio> {
        let mut classes: BTreeMap<Vec<&String>, Vec<&Vec<String>>> = BTreeMap::new();
        for row in &self.rows {
            let released = cut.iter().zip(row).map(|(cut, value)| &cut[value]).collect();
            classes.entry(released).or_default().push(row);
        }
        classes.iter().map(|(released, rows)| self.class_cost(released, rows)).sum()
    }

    fn class_cost(&self, released: &[&String], rows: &[&Vec<String>]) -> Option<Ratio> {
        let columns = self.trees.len();
        let (n, all) = (rows.len() as u64, self.rows.len() as u64);
        let whole = |count: u64| ratio(count, 1);
        let g: Ratio = released.iter().enumerate().map(|(column, label)| self.loss(column, label)).sum();
        let (per_cell, per_record) = (self.most_per_record(), self.most_per_record() * whole(2));
        let values: BTreeSet<&String> = rows.iter().map(|row| &row[columns]).collect();
        let count = |value: &String| rows.iter().filter(|row| row[columns] == *value).count() as u64;
        let over = |value: &String, count: u64, size: u64| {
            let (num, den) = self.theta[value];
            count * den > num * size
        };
        let violating: Vec<&String> =
            values.iter().copied().filter(|value| over(value, count(value), n)).collect();
        let fails = !violating.is_empty() || n < self.k;
        let minority = |rows: &[&Vec<String>]| {
            let labels: BTreeSet<&String> = rows.iter().map(|row| &row[columns + 1]).collect();
            let with = |label: &&String| rows.iter().filter(|row| row[columns + 1] == **label).count() as u64;
            rows.len() as u64 - labels.iter().map(with).max().unwrap_or(0)
        };
        let published = |size: u64| match self.metric {
            "LM" => whole(size) * g,
            _ => whole(size * size),
        };
        if !fails {
            return Some(if self.metric == "CM" { whole(minority(rows)) } else { published(n) });
        }
        let removed = |count: u64| match self.metric {
            "LM" => whole(count) * per_record,
            "DM" => whole(count * all),
            _ => whole(count),
        };
        match self.scheme {
            "none" => None,
            "all-sa" | "vio-sa" if n < self.k => Some(removed(n)),
            "all-rec" => Some(removed(n)),
            "all-sa" => Some(published(n) + whole(n) * per_cell),
            "vio-sa" => {
                let cells: u64 = violating.iter().map(|value| count(value)).sum();
                Some(published(n) + whole(cells) * per_cell)
            }
            _ => {
                let values: Vec<&String> = values.into_iter().collect();
                let counts: Vec<u64> = values.iter().map(|value| count(value)).collect();
                let keep = self.most(&values, &counts);
                let kept: u64 = keep.iter().sum();
                if self.metric != "CM" {
                    return Some(published(kept) + removed(n - kept));
                }
                // Limited numbers of each value stay, preferably of one label.
                let labels: BTreeSet<&String> = rows.iter().map(|row| &row[columns + 1]).collect();
                let staying = |label: &&String| -> u64 {
                    let both = |value: &String| {
                        rows.iter()
                            .filter(|row| row[columns] == *value && row[columns + 1] == **label)
                            .count() as u64
                    };
                    values.iter().zip(&keep).map(|(value, keep)| both(value).min(*keep)).sum()
                };
                Some(whole(n - labels.iter().map(staying).max().unwrap_or(0)))
            }
        }
    }

    /// The largest part of a class that satisfies everything, among all parts.
    fn most(&self, values: &[&String], counts: &[u64]) -> Vec<u64> {
        let mut parts: Vec<Vec<u64>> = vec![Vec::new()];
        for count in counts {
            let longer = |part: &Vec<u64>| {
                (0..=*count).map(|next| [part.clone(), vec![next]].concat()).collect::<Vec<_>>()
            };
            parts = parts.iter().flat_map(longer).collect();
        }
        let fits = |part: &&Vec<u64>| {
            let size: u64 = part.iter().sum();
            let under = |(value, count): (&&String, &u64)| {
                let (num, den) = self.theta[*value];
                count * den <= num * size
            };
            size == 0 || (size >= self.k && values.iter().zip(part.iter()).all(under))
        };
        let best = parts.iter().filter(fits).max_by_key(|part| part.iter().sum::<u64>());
        best.expect("the empty part fits").clone()
    }
}

fn cuts_below(paths: &[Vec<String>], node: &String) -> Vec<BTreeMap<String, String>> {
    let below: Vec<&Vec<String>> = paths.iter().filter(|path| path.contains(node)).collect();
    let kept = below.iter().map(|path| (path[0].clone(), node.clone())).collect();
    let child = |path: &&Vec<String>| {
        let at = path.iter().position(|label| label == node).expect("on the path");
        (at > 0).then(|| path[at - 1].clone())
    };
    let children: BTreeSet<String> = below.iter().filter_map(child).collect();
    if children.is_empty() {
        return vec![kept];
    }
    let mut opened: Vec<BTreeMap<String, String>> = vec![BTreeMap::new()];
    for child in &children {
        let parts = cuts_below(paths, child);
        let with = |cut: &BTreeMap<String, String>| {
            let join = |part: &BTreeMap<String, String>| {
                cut.iter().chain(part).map(|(a, b)| (a.clone(), b.clone())).collect()
            };
            parts.iter().map(join).collect::<Vec<BTreeMap<String, String>>>()
        };
        opened = opened.iter().flat_map(with).collect();
    }
    opened.push(kept);
    opened
}
