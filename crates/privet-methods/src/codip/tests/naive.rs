//! The definitions, implemented literally and slowly on the rows of a case.

use std::collections::BTreeMap;

use privet_core::Exact;
use privet_engine::testing::projections::{Case, Q1, Q2};

/// A table after the bitmap transformation.
pub struct NaiveProjections {
    /// The attributes in the order of their names, each with its column.
    pub attributes: Vec<(String, Vec<String>)>,
    quasi: Vec<[String; 2]>,
    case: Case,
    /// Mutual and exposable information of every pair.
    shared: Vec<Vec<(f64, f64)>>,
}

pub type NamedPlan = Vec<Vec<usize>>;

const ROUNDING: f64 = 1e-12;

fn log_sum<K: Ord>(keys: impl Iterator<Item = K>) -> f64 {
    let mut counts: BTreeMap<K, f64> = BTreeMap::new();
    let mut all = 0.0;
    for key in keys {
        *counts.entry(key).or_default() += 1.0;
        all += 1.0;
    }
    counts.values().map(|count| -count / all * (count / all).ln()).sum()
}

impl NaiveProjections {
    pub fn of(case: &Case) -> NaiveProjections {
        let column = |at: usize| -> Vec<String> { case.rows.iter().map(|row| row[at].clone()).collect() };
        let mut attributes: Vec<(String, Vec<String>)> = ["s0", "s1", "s2", "s3"]
            .iter()
            .zip(2..)
            .map(|(name, at)| (name.to_string(), column(at)))
            .collect();
        for item in ["u", "v"] {
            let bits: Vec<String> = case
                .rows
                .iter()
                .map(|row| u8::from(row[6].split('|').any(|value| value == item)).to_string())
                .collect();
            if bits.iter().any(|bit| bit == "1") {
                attributes.push((format!("m={item}"), bits));
            }
        }
        attributes.sort();
        let quasi = case.rows.iter().map(|row| [row[0].clone(), row[1].clone()]).collect();
        let mut naive = NaiveProjections { attributes, quasi, case: case.clone(), shared: Vec::new() };
        let all = naive.all();
        let row = |a: &usize| {
            all.iter().map(|b| (naive.count_information(*a, *b), naive.count_exposable(*a, *b))).collect()
        };
        naive.shared = all.iter().map(row).collect();
        naive
    }

    pub fn information(&self, a: usize, b: usize) -> f64 {
        self.shared[a][b].0
    }

    fn exposable(&self, a: usize, b: usize) -> f64 {
        self.shared[a][b].1
    }

    fn entropy(&self, attribute: usize) -> f64 {
        log_sum(self.attributes[attribute].1.iter())
    }

    fn count_information(&self, a: usize, b: usize) -> f64 {
        let both = log_sum(self.attributes[a].1.iter().zip(&self.attributes[b].1));
        let shared = self.entropy(a) + self.entropy(b) - both;
        if shared < ROUNDING { 0.0 } else { shared }
    }

    fn is_sensitive(&self, attribute: usize, value: &str) -> bool {
        self.attributes[attribute].0 != "s1" || !self.case.insensitive.contains(&value)
    }

    /// Row by row, as in the definition.
    fn count_exposable(&self, a: usize, b: usize) -> f64 {
        let shared = self.count_information(a, b);
        let rows = self.case.rows.len();
        let of_row = |row: usize| {
            let new = |attribute: usize| {
                let value = &self.attributes[attribute].1[row];
                if self.is_sensitive(attribute, value) { self.entropy(attribute) - shared } else { 0.0 }
            };
            (new(a) + new(b)) / rows as f64
        };
        let sum: f64 = (0..rows).map(of_row).sum();
        if sum < ROUNDING { 0.0 } else { sum }
    }

    fn pairs(subset: &[usize]) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for (at, a) in subset.iter().enumerate() {
            pairs.extend(subset[at + 1..].iter().map(|b| (*a, *b)));
        }
        pairs
    }

    pub fn all(&self) -> Vec<usize> {
        (0..self.attributes.len()).collect()
    }

    pub fn gamma_alpha(&self, plan: &NamedPlan) -> f64 {
        let sum = |pairs: Vec<(usize, usize)>| -> f64 {
            pairs.into_iter().map(|(a, b)| self.information(a, b)).sum()
        };
        let all = sum(NaiveProjections::pairs(&self.all()));
        let kept: f64 = plan.iter().map(|subset| sum(NaiveProjections::pairs(subset))).sum();
        if all == 0.0 { 0.0 } else { (all - kept) / all }
    }

    pub fn gamma_beta(&self, plan: &NamedPlan) -> f64 {
        let sum = |pairs: Vec<(usize, usize)>| -> f64 {
            pairs.into_iter().map(|(a, b)| self.exposable(a, b)).sum()
        };
        let all = sum(NaiveProjections::pairs(&self.all()));
        if all == 0.0 {
            return 0.0;
        }
        let share = |subset: &Vec<usize>| subset.len() as f64 / self.attributes.len() as f64;
        plan.iter().map(|subset| sum(NaiveProjections::pairs(subset)) / all * share(subset)).sum()
    }

    /// The classes of all rows at some levels.
    fn classes(&self, levels: [usize; 2]) -> Vec<Vec<usize>> {
        let mut classes: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
        for (row, [q1, q2]) in self.quasi.iter().enumerate() {
            let first = Q1.iter().find(|path| path[0] == q1).map_or("", |path| path[levels[0]]);
            let second = Q2.iter().find(|path| path[0] == q2).map_or("", |path| path[levels[1]]);
            classes.entry((first, second)).or_default().push(row);
        }
        classes.into_values().collect()
    }

    /// The distance of a class from a larger set of rows on an attribute, as a fraction: a sum of integers over 2nN, or
    /// over (m − 1)nN, where m is the number of values in the whole table.
    fn distance(&self, class: &[usize], larger: &[usize], attribute: usize) -> (i64, i64) {
        let (name, column) = &self.attributes[attribute];
        let mut values: Vec<&String> = column.iter().collect();
        values.sort();
        values.dedup();
        let (n, all) = (class.len() as i64, larger.len() as i64);
        let extra = |value: &&String| {
            let count = |rows: &[usize]| rows.iter().filter(|row| column[**row] == **value).count() as i64;
            count(class) * all - count(larger) * n
        };
        let extras: Vec<i64> = values.iter().map(extra).collect();
        let (moved, scale) = if self.case.ordered && name == "s2" {
            let mut running = 0;
            let sum: i64 = extras
                .iter()
                .map(|extra| {
                    running += extra;
                    running.abs()
                })
                .sum();
            (sum, (values.len() as i64 - 1).max(1))
        } else {
            (extras.iter().map(|extra| extra.abs()).sum(), 2)
        };
        (moved, scale * n * all)
    }

    fn is_close(&self, class: &[usize], larger: &[usize], attribute: usize, t: &str) -> bool {
        let (moved, scale) = self.distance(class, larger, attribute);
        let t = Exact::parse(t).expect("a number");
        moved * t.denominator() as i64 <= t.numerator() as i64 * scale
    }

    /// Whether a class at some levels is close to a class of at least n rows that contains it at the same or higher
    /// levels.
    fn is_naturally_close(&self, class: &[usize], levels: [usize; 2], attribute: usize) -> bool {
        let Some((n, t)) = self.case.natural else { return true };
        let higher = (levels[0]..3).flat_map(|q1| (levels[1]..2).map(move |q2| [q1, q2]));
        let mut supersets = higher.flat_map(|levels| self.classes(levels));
        supersets.any(|larger| {
            larger.len() as u64 >= n
                && larger.contains(&class[0])
                && self.is_close(class, &larger, attribute, t)
        })
    }

    fn meets(&self, levels: [usize; 2], subset: &[usize]) -> bool {
        let classes = self.classes(levels);
        let everybody: Vec<usize> = (0..self.quasi.len()).collect();
        classes.iter().all(|class| {
            class.len() as u64 >= self.case.k
                && subset.iter().all(|attribute| {
                    self.is_close(class, &everybody, *attribute, self.case.t)
                        && self.is_naturally_close(class, levels, *attribute)
                })
        })
    }

    fn dm(&self, levels: [usize; 2]) -> u64 {
        self.classes(levels).iter().map(|class| (class.len() * class.len()) as u64).sum()
    }

    /// The least DM of an anonymisation of a table with these attributes.
    pub fn least_dm(&self, subset: &[usize]) -> Option<u64> {
        let levels = (0..3).flat_map(|q1| (0..2).map(move |q2| [q1, q2]));
        let valid = levels.filter(|levels| self.meets(*levels, subset)).map(|levels| self.dm(levels));
        valid.min().filter(|dm| self.case.max_discernibility.is_none_or(|most| *dm <= most))
    }

    /// The least t of an anonymisation of a table with these attributes that meets all requirements except t-closeness.
    pub fn least_t(&self, subset: &[usize]) -> Option<f64> {
        let everybody: Vec<usize> = (0..self.quasi.len()).collect();
        let levels = (0..3).flat_map(|q1| (0..2).map(move |q2| [q1, q2]));
        let fits = |levels: &[usize; 2]| {
            let is_fit = |class: &Vec<usize>| {
                class.len() as u64 >= self.case.k
                    && subset.iter().all(|attribute| self.is_naturally_close(class, *levels, *attribute))
            };
            self.case.max_discernibility.is_none_or(|most| self.dm(*levels) <= most)
                && self.classes(*levels).iter().all(is_fit)
        };
        let worst = |levels: [usize; 2]| {
            let classes = self.classes(levels);
            let pairs =
                classes.iter().flat_map(|class| subset.iter().map(move |attribute| (class, *attribute)));
            let distances = pairs.map(|(class, attribute)| self.distance(class, &everybody, attribute));
            distances.map(|(moved, scale)| moved as f64 / scale as f64).fold(0.0, f64::max)
        };
        levels.filter(fits).map(worst).min_by(f64::total_cmp)
    }

    fn beta(&self) -> f64 {
        Exact::parse(self.case.beta).expect("a number").to_f64() + ROUNDING
    }

    fn is_allowed(&self, plan: &NamedPlan) -> bool {
        self.gamma_beta(plan) <= self.beta() && plan.iter().all(|subset| self.least_dm(subset).is_some())
    }

    /// The method as specified; `None` if single attributes cannot be published.
    pub fn star(&self) -> Option<NamedPlan> {
        let mut plan: NamedPlan = self.all().into_iter().map(|attribute| vec![attribute]).collect();
        if !self.is_allowed(&plan) {
            return None;
        }
        'merging: loop {
            let mut merges: Vec<(f64, Vec<usize>, NamedPlan)> = Vec::new();
            for (u, w) in NaiveProjections::pairs(&(0..plan.len()).collect::<Vec<_>>()) {
                let mut union = [plan[u].clone(), plan[w].clone()].concat();
                union.sort();
                let pairs = NaiveProjections::pairs(&union);
                let mean =
                    pairs.iter().map(|(a, b)| self.information(*a, *b)).sum::<f64>() / pairs.len() as f64;
                let mut next: NamedPlan =
                    (0..plan.len()).filter(|at| *at != u && *at != w).map(|at| plan[at].clone()).collect();
                next.push(union.clone());
                next.sort();
                merges.push((mean, union, next));
            }
            while !merges.is_empty() {
                let most = merges.iter().map(|merge| merge.0).fold(0.0, f64::max);
                let tied = (0..merges.len()).filter(|at| merges[*at].0 >= most * (1.0 - ROUNDING) - ROUNDING);
                let Some(best) = tied.min_by(|a, b| merges[*a].1.cmp(&merges[*b].1)) else { break };
                let (_, _, next) = merges.remove(best);
                if self.is_allowed(&next) {
                    plan = next;
                    continue 'merging;
                }
                if !self.case.persist {
                    break;
                }
            }
            return Some(plan);
        }
    }

    /// The least Γα over all plans within the limits.
    pub fn best(&self) -> Option<f64> {
        let mut best: Option<f64> = None;
        let mut feasible: BTreeMap<Vec<usize>, bool> = BTreeMap::new();
        let mut open: Vec<NamedPlan> = vec![Vec::new()];
        while let Some(plan) = open.pop() {
            let placed: usize = plan.iter().map(Vec::len).sum();
            if placed < self.attributes.len() {
                for subset in 0..=plan.len() {
                    let mut next = plan.clone();
                    next.resize(next.len().max(subset + 1), Vec::new());
                    next[subset].push(placed);
                    open.push(next);
                }
                continue;
            }
            let mut publishable = |subset: &Vec<usize>| {
                *feasible.entry(subset.clone()).or_insert_with(|| self.least_dm(subset).is_some())
            };
            if plan.iter().all(&mut publishable) && self.gamma_beta(&plan) <= self.beta() {
                let loss = self.gamma_alpha(&plan);
                best = Some(best.map_or(loss, |best| best.min(loss)));
            }
        }
        best
    }
}
