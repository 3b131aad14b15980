//! The deFinetti attack (Kifer, SIGMOD 2009): the release itself teaches which values go with which people.
//!
//! Groups bound what can be told about one record *if* every assignment within a group is equally likely. It is not: an
//! adversary can learn from all groups together how values depend on quasi-identifiers, and use that within each. Here he
//! trains a naive Bayes model by expectation maximisation: he begins with equal likelihood, counts how often each
//! quasi-identifier's value goes with each sensitive value, weighs the assignments of every group by these counts (rows
//! sum to one, columns to how often the value occurs), and repeats.

use std::collections::BTreeMap;

use super::{Attack, Figure, Finding, Inside, Scene};
use crate::engine::negative_rules::Observations;
use crate::method::injector::Grouping;
use crate::{Error, Result};

/// How often he learns from what he inferred.
const ROUNDS: usize = 20;

/// How often weights are scaled to rows and columns in turn, each round.
const SCALINGS: usize = 8;

/// Where there are more records, he learns from groups of about so many; groups are in random order.
const MOST_RECORDS: usize = 200_000;

/// Row 12 of the attacks.
pub(super) const ATTACK: Attack = Attack {
    name: "definetti",
    row: 12,
    dear: false,
    concerns: |scene| match scene.inside {
        Some(Inside::Grouped { .. }) => Ok(()),
        _ => Err("it is run while records are put into groups, which is not done here".to_string()),
    },
    run,
};

fn run(scene: &Scene<'_>) -> Result<Finding> {
    match scene.inside {
        Some(Inside::Grouped { observations, grouping, l }) => Ok(tried(observations, grouping, l)),
        _ => Err(Error::internal("an attack on groups without groups")),
    }
}

/// The share of values that the attack guesses right, and that guessing by groups alone does.
pub fn guessed(observations: &Observations, grouping: &Grouping, l: usize) -> (f64, f64) {
    let headline = tried(observations, grouping, l).headline();
    (headline.share(), headline.baseline as f64 / headline.targets.max(1) as f64)
}

/// Tries the attack on groups that promise l possible values.
fn tried(observations: &Observations, grouping: &Grouping, l: usize) -> Finding {
    let mut room = MOST_RECORDS;
    let fitting = grouping.groups.iter().take_while(|group| {
        room = room.saturating_sub(group.len());
        room > 0
    });
    let mut groups: Vec<Weights> = fitting.map(|group| Weights::new(observations, group)).collect();
    for _ in 0..ROUNDS {
        let model = Model::learn(observations, &groups);
        groups.iter_mut().for_each(|group| group.weigh(observations, &model));
    }
    let (mut records, mut right, mut blind, mut sure, mut already) = (0u64, 0u64, 0.0f64, 0u64, 0u64);
    for group in &groups {
        let most = group.counts.iter().fold(0.0, |most: f64, count| most.max(*count));
        for (row, record) in group.records.iter().enumerate() {
            let weights = &group.weights[row];
            let top =
                (0..weights.len()).reduce(|best, at| if weights[at] > weights[best] { at } else { best });
            let Some(top) = top else { continue };
            records += 1;
            right += u64::from(group.values[top] == observations.value(*record as usize));
            blind += most / group.records.len() as f64;
            // A hair more than one in l is rounding, not knowledge.
            sure += u64::from(weights[top] * l as f64 > 1.0 + 1e-6);
            already += u64::from(most * l as f64 > group.records.len() as f64);
        }
    }
    let baseline = blind.round() as u64;
    let figures = vec![
        Figure {
            what: "records whose value he guesses right".to_string(),
            targets: records,
            hits: right,
            baseline,
            instead: "guesses the most frequent value of the group".to_string(),
            control: None,
            controlled: String::new(),
        },
        Figure {
            what: format!("records of whose likeliest value he is surer than one in {l}"),
            targets: records,
            hits: sure,
            baseline: already,
            instead: "holds all assignments within a group for equally likely".to_string(),
            control: None,
            controlled: String::new(),
        },
    ];
    let gain = right as f64 / baseline.max(1) as f64;
    let warning = if right > baseline {
        format!(
            "who learns from the release itself how values depend on quasi-identifiers (the deFinetti attack) guesses \
             {:.0} % of the sensitive values right, {gain:.1} times as many as by the groups alone",
            100.0 * right as f64 / records.max(1) as f64
        )
    } else {
        String::new()
    };
    Finding {
        knows: "the release, and who is in it".to_string(),
        does: "learns from all groups how values depend on quasi-identifiers, and weighs the assignments within each \
               group by it"
            .to_string(),
        assumes: format!("a naive Bayes model, {ROUNDS} rounds of expectation maximisation"),
        figures,
        warning,
        ..Finding::new(ATTACK.name, "The deFinetti attack")
    }
}

/// A group with how likely each of its values is for each of its records.
struct Weights {
    records: Vec<u32>,
    values: Vec<u32>,
    /// How often each value occurs.
    counts: Vec<f64>,
    /// Per record, by position in `values`.
    weights: Vec<Vec<f64>>,
}

impl Weights {
    fn new(observations: &Observations, group: &[u32]) -> Weights {
        let mut counts: BTreeMap<u32, f64> = BTreeMap::new();
        for record in group {
            *counts.entry(observations.value(*record as usize)).or_default() += 1.0;
        }
        let (values, counts): (Vec<u32>, Vec<f64>) = counts.into_iter().unzip();
        let share: Vec<f64> = counts.iter().map(|count| count / group.len() as f64).collect();
        Weights { records: group.to_vec(), values, counts, weights: vec![share; group.len()] }
    }

    /// Weighs the assignments by what a model says, so that each record has one value and each value its count.
    fn weigh(&mut self, observations: &Observations, model: &Model) {
        for (record, weights) in self.records.iter().zip(&mut self.weights) {
            let logs: Vec<f64> = (self.values.iter().zip(weights.iter()))
                .map(|(value, own)| model.log_likelihood(observations, *record as usize, *value, *own))
                .collect();
            let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            weights.iter_mut().zip(&logs).for_each(|(weight, log)| *weight = (log - most).exp());
        }
        for _ in 0..SCALINGS {
            for (at, count) in self.counts.iter().enumerate() {
                let sum: f64 = self.weights.iter().map(|weights| weights[at]).sum();
                self.weights.iter_mut().for_each(|weights| weights[at] *= count / sum.max(f64::MIN_POSITIVE));
            }
            for weights in &mut self.weights {
                let sum: f64 = weights.iter().sum();
                weights.iter_mut().for_each(|weight| *weight /= sum.max(f64::MIN_POSITIVE));
            }
        }
    }
}

/// How often each quasi-identifier's value goes with each sensitive value, as far as he knows.
struct Model {
    /// Per quasi-identifier: `[leaf × values + value]`.
    counts: Vec<Vec<f64>>,
    /// The number of leaves of each quasi-identifier.
    leaves: Vec<f64>,
    /// How often each value occurs.
    totals: Vec<f64>,
}

impl Model {
    fn learn(observations: &Observations, groups: &[Weights]) -> Model {
        let values = observations.values.len();
        let leaves: Vec<usize> =
            observations.attributes.iter().map(|attribute| attribute.taxonomy.leaves()).collect();
        let mut totals = vec![0.0; values];
        let mut counts: Vec<Vec<f64>> = leaves.iter().map(|leaves| vec![0.0; leaves * values]).collect();
        for group in groups {
            for (record, weights) in group.records.iter().zip(&group.weights) {
                for (value, weight) in group.values.iter().zip(weights) {
                    totals[*value as usize] += weight;
                    for (attribute, counts) in counts.iter_mut().enumerate() {
                        let leaf = observations.leaf(attribute, *record as usize) as usize;
                        counts[leaf * values + *value as usize] += weight;
                    }
                }
            }
        }
        Model { counts, leaves: leaves.into_iter().map(|leaves| leaves as f64).collect(), totals }
    }

    /// How well a record goes with a value, by all other records: what he thinks of this one (`own`) is taken out, or he
    /// would only confirm himself. One record more for every leaf: nothing is impossible because it was not seen.
    fn log_likelihood(&self, observations: &Observations, record: usize, value: u32, own: f64) -> f64 {
        let values = self.totals.len();
        let total = self.totals[value as usize] - own;
        let log = |(attribute, counts): (usize, &Vec<f64>)| {
            let leaf = observations.leaf(attribute, record) as usize;
            let count = (counts[leaf * values + value as usize] - own).max(0.0);
            ((count + 1.0) / (total + self.leaves[attribute])).ln()
        };
        self.counts.iter().enumerate().map(log).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::negative_rules::Attribute;
    use crate::taxonomy::Taxonomy;

    /// Smokers have x, others y; every group has one of each, but for a few groups of two smokers and one other.
    fn village(dependent: bool) -> (Observations, Grouping) {
        let tree = Arc::new(Taxonomy::flat(["no", "yes"]).expect("a tree"));
        let smokes = Attribute::crisp("smokes".to_string(), tree);
        let mut observations = Observations::new(vec![smokes], vec!["x".to_string(), "y".to_string()]);
        let mut groups = Vec::new();
        for at in 0..60u32 {
            let smoker = if dependent { 1 } else { at % 2 };
            let extra = at % 3 == 0;
            observations.push(&[smoker], 0, 1);
            observations.push(&[1 - smoker], 1, 1);
            let mut group = vec![observations.len() as u32 - 2, observations.len() as u32 - 1];
            if extra {
                observations.push(&[smoker], 0, 1);
                group.push(observations.len() as u32 - 1);
            }
            groups.push(group);
        }
        (observations, Grouping { groups, suppressed: Vec::new() })
    }

    #[test]
    fn what_depends_on_quasi_identifiers_is_learnt() {
        let (observations, grouping) = village(true);
        let finding = tried(&observations, &grouping, 2);
        let [right, sure] = finding.figures.as_slice() else { panic!("two figures") };
        assert_eq!((right.targets, right.hits), (140, 140));
        assert!(right.baseline <= 80 && sure.hits == 140, "{finding:?}");
        assert!(finding.succeeds() && finding.warning.contains("100 %"), "{}", finding.warning);
    }

    #[test]
    fn where_nothing_depends_nothing_is_learnt() {
        let (observations, grouping) = village(false);
        let finding = tried(&observations, &grouping, 2);
        assert!(finding.figures[0].hits < 100, "{finding:?}");
    }
}
