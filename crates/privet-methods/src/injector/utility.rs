//! What an analyst can still do with groups: count queries and association rules.
//!
//! The analyst knows the quasi-identifiers of a group's records and how often each value occurs in the group, and
//! assumes that every record of the group is equally likely to have any of them. So the number of records that satisfy
//! X and have s is estimated as the sum over groups of the number of records that satisfy X, times the share of s in
//! the group. The number of records that satisfy X and the number that have s are exact.

use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;

use super::RecordGroups;
use privet_core::{RunKey, ValueSet, random};
use privet_engine::negative_rules::Observations;

/// Groups laid out for counting.
#[derive(Debug)]
pub struct Analyst<'a> {
    observations: &'a Observations,
    /// The distinct records of all groups, one group after the other.
    records: Vec<u32>,
    /// The group of each entry of `records`.
    group_of: Vec<u32>,
    sizes: Vec<f64>,
}

/// A COUNT query: each predicate allows some leaves of a quasi-identifier; the value must be one of a set.
#[derive(Debug, Clone)]
pub struct CountQuery {
    predicates: Vec<(usize, Vec<bool>)>,
    values: ValueSet,
}

/// How queries are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Workload {
    /// The number of quasi-identifiers in a query.
    pub dimension: usize,
    /// The largest share of a column's values that a predicate allows.
    pub selectivity: f64,
    /// The number of queries.
    pub queries: usize,
    /// The least true answer; very small answers dominate a mean of relative errors.
    pub least: u64,
}

/// The errors of answers, relative to the truth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CountQueryErrors {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub median: f64,
}

/// The positive rules X ⇒ s that an analyst searches for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RuleSearch {
    /// The least share of records that satisfy X and have s.
    pub support: f64,
    /// The least conviction P(X)·P(¬s) / P(X ∧ ¬s).
    pub conviction: f64,
    /// The largest number of items in X.
    pub items: usize,
}

/// How the rules found in groups differ from the original's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RuleErrors {
    /// The number of rules in the original.
    pub rules: u64,
    /// The mean of |confidence found − true confidence| / true confidence, over the original's rules.
    pub confidence: f64,
    /// Rules found that the original does not have, per rule of the original.
    pub false_positives: f64,
    /// Rules of the original that are not found, per rule of the original.
    pub false_negatives: f64,
}

/// The mean relative error of an analyst's answers to random COUNT queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accuracy {
    /// With the groups of the release.
    pub here: f64,
    /// With all records in one group, which reveals nothing about how values depend on quasi-identifiers.
    pub worst: f64,
}

impl Accuracy {
    /// Answers 200 queries about two quasi-identifiers and a tenth of each column's values, drawn from a key; `None` if
    /// no query has a nonzero answer. Very small answers would dominate a mean of relative errors; in a small table all
    /// answers are small.
    pub fn of(
        observations: &Observations,
        grouping: &RecordGroups,
        key: impl Into<RunKey>,
    ) -> Option<Accuracy> {
        let least = (observations.total() / 200).clamp(1, 20);
        let workload = Workload { dimension: 2, selectivity: 0.1, queries: 200, least };
        let queries = CountQuery::draw(observations, &workload, key);
        let mean = |grouping: &RecordGroups| {
            let analyst = Analyst::new(observations, grouping);
            analyst.query_errors(&queries).map(|errors| errors.mean)
        };
        let all = RecordGroups { groups: vec![grouping.groups.concat()], suppressed: Vec::new() };
        Some(Accuracy { here: mean(grouping)?, worst: mean(&all)? })
    }

    /// The error as a share of the worst.
    pub fn normalised(self) -> f64 {
        if self.worst > 0.0 { (self.here / self.worst).min(1.0) } else { 0.0 }
    }
}

impl CountQuery {
    /// Draws queries whose true answer is large enough; possibly fewer than requested.
    pub fn draw(observations: &Observations, workload: &Workload, key: impl Into<RunKey>) -> Vec<CountQuery> {
        let mut random = random::keyed(key, "count queries");
        let occurring: Vec<Vec<u32>> = (0..observations.attributes.len())
            .map(|attribute| {
                let mut leaves: Vec<u32> =
                    (0..observations.len()).map(|record| observations.leaf(attribute, record)).collect();
                leaves.sort_unstable();
                leaves.dedup();
                leaves
            })
            .collect();
        let some = |domain: &[u32], random: &mut ChaCha20Rng| {
            let most = ((workload.selectivity * domain.len() as f64).round() as u64).max(1);
            let count = 1 + random::below(random, most) as usize;
            let mut domain = domain.to_vec();
            random::shuffle(&mut domain, random);
            domain.truncate(count);
            domain
        };
        let values: Vec<u32> = (0..observations.values.len() as u32).collect();
        let mut queries = Vec::with_capacity(workload.queries);
        let tries = 200 * workload.queries;
        for _ in 0..tries {
            if queries.len() == workload.queries {
                break;
            }
            let mut places: Vec<usize> = (0..observations.attributes.len()).collect();
            random::shuffle(&mut places, &mut random);
            let mut predicates = Vec::with_capacity(workload.dimension);
            for attribute in places.into_iter().take(workload.dimension) {
                let mut allowed = vec![false; observations.attributes[attribute].taxonomy.leaves()];
                for leaf in some(&occurring[attribute], &mut random) {
                    allowed[leaf as usize] = true;
                }
                predicates.push((attribute, allowed));
            }
            let values = ValueSet::of(observations.values.len(), some(&values, &mut random));
            let query = CountQuery { predicates, values };
            if query.answer(observations) >= workload.least.max(1) {
                queries.push(query);
            }
        }
        queries
    }

    /// Whether each distinct record satisfies the predicates.
    fn matching(&self, observations: &Observations) -> Vec<bool> {
        let mut matching = vec![true; observations.len()];
        for (attribute, allowed) in &self.predicates {
            for (matches, leaf) in matching.iter_mut().zip(observations.leaves(*attribute)) {
                *matches &= allowed[*leaf as usize];
            }
        }
        matching
    }

    /// The true answer.
    pub fn answer(&self, observations: &Observations) -> u64 {
        let matching = self.matching(observations).into_iter().enumerate().filter(|(_, matches)| *matches);
        matching
            .filter(|(record, _)| self.values.contains(observations.value(*record)))
            .map(|(record, _)| observations.weight(record))
            .sum()
    }
}

impl<'a> Analyst<'a> {
    /// Lays out the groups.
    pub fn new(observations: &'a Observations, grouping: &RecordGroups) -> Analyst<'a> {
        let groups = || (0u32..).zip(&grouping.groups);
        Analyst {
            observations,
            records: grouping.groups.concat(),
            group_of: groups().flat_map(|(at, group)| std::iter::repeat_n(at, group.len())).collect(),
            sizes: grouping.groups.iter().map(|group| group.len() as f64).collect(),
        }
    }

    /// The analyst's answer. Groups without a record that matches add nothing to it.
    pub fn estimate(&self, query: &CountQuery) -> f64 {
        let observations = self.observations;
        let matching = query.matching(observations);
        let has = |record: u32| query.values.contains(observations.value(record as usize));
        let (mut sum, mut start) = (0.0, 0);
        for size in &self.sizes {
            let group = &self.records[start..start + *size as usize];
            start += group.len();
            let found = group.iter().filter(|record| matching[**record as usize]).count();
            if found > 0 {
                let having = group.iter().filter(|record| has(**record)).count();
                sum += found as f64 * having as f64 / size;
            }
        }
        sum
    }

    /// The errors of the answers to queries.
    pub fn query_errors(&self, queries: &[CountQuery]) -> Option<CountQueryErrors> {
        let error = |query: &CountQuery| {
            let truth = query.answer(self.observations) as f64;
            (self.estimate(query) - truth).abs() / truth
        };
        let mut errors: Vec<f64> = queries.par_iter().map(error).collect();
        errors.sort_by(f64::total_cmp);
        let median = *errors.get(errors.len() / 2)?;
        Some(CountQueryErrors { mean: errors.iter().sum::<f64>() / errors.len() as f64, median })
    }

    /// How the rules that an analyst finds differ from the original's; `None` if the original has none.
    pub fn rule_errors(&self, search: &RuleSearch) -> Option<RuleErrors> {
        let observations = self.observations;
        let total = self.records.len() as f64;
        let mut shares = vec![vec![0.0; observations.values.len()]; self.sizes.len()];
        let mut having = vec![0.0; observations.values.len()];
        for (record, group) in self.records.iter().zip(&self.group_of) {
            let value = observations.value(*record as usize) as usize;
            shares[*group as usize][value] += 1.0 / self.sizes[*group as usize];
            having[value] += 1.0;
        }
        let least = search.support * total;
        let (mut rules, mut error, mut strange, mut lost) = (0u64, 0.0, 0u64, 0u64);
        let all: Vec<u32> = (0..self.records.len() as u32).collect();
        let mut each = |places: &[u32]| {
            let support = places.len() as f64;
            let mut truth = vec![0.0; having.len()];
            let mut found = vec![0.0; having.len()];
            for place in places {
                let group = self.group_of[*place as usize] as usize;
                truth[observations.value(self.records[*place as usize] as usize) as usize] += 1.0;
                found.iter_mut().zip(&shares[group]).for_each(|(found, share)| *found += share);
            }
            for value in 0..having.len() {
                let convinces = |count: f64| {
                    let without = support - count;
                    count > 0.0
                        && count >= least - 1e-9
                        && support * (total - having[value]) >= search.conviction * without * total - 1e-9
                };
                match (convinces(truth[value]), convinces(found[value])) {
                    (true, is_found) => {
                        rules += 1;
                        error += (found[value] - truth[value]).abs() / truth[value];
                        lost += u64::from(!is_found);
                    }
                    (false, true) => strange += 1,
                    (false, false) => {}
                }
            }
        };
        self.conjunctions(&all, 0, search.items, least.max(1.0), &mut each);
        let per_rule = |count: u64| count as f64 / rules as f64;
        (rules > 0).then(|| RuleErrors {
            rules,
            confidence: error / rules as f64,
            false_positives: per_rule(strange),
            false_negatives: per_rule(lost),
        })
    }

    /// Visits the entries that satisfy each conjunction of up to `most` items with enough support.
    fn conjunctions(
        &self,
        places: &[u32],
        first: usize,
        most: usize,
        least: f64,
        each: &mut dyn FnMut(&[u32]),
    ) {
        for attribute in first..self.observations.attributes.len() {
            let tree = &self.observations.attributes[attribute];
            for node in tree.taxonomy.nodes().skip(1) {
                let below = tree.taxonomy.leaves_below(node);
                let leaf =
                    |place: &u32| self.observations.leaf(attribute, self.records[*place as usize] as usize);
                let satisfying: Vec<u32> =
                    places.iter().copied().filter(|place| below.contains(&(leaf(place) as usize))).collect();
                if (satisfying.len() as f64) < least {
                    continue;
                }
                each(&satisfying);
                if most > 1 {
                    self.conjunctions(&satisfying, attribute + 1, most - 1, least, each);
                }
            }
        }
    }
}
