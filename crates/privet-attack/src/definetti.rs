//! The deFinetti attack (Kifer, SIGMOD 2009): the release itself teaches which values go with which people.
//!
//! Groups limit what can be said about one record *if* every assignment within a group is equally likely. It is not:
//! an attacker can learn from all groups together how values depend on quasi-identifiers, and use that within each
//! group. Here they train a naive Bayes model by expectation maximisation: they begin with equal probabilities, count
//! how often each quasi-identifier's value goes with each sensitive value, weigh the assignments of every group by
//! these counts (rows sum to one, columns to how often the value occurs), and repeat.
//!
//! *Control.* What the same model guesses for people in no release: it learns from every other group, and guesses the
//! people of the rest without looking at their groups.

use rayon::prelude::*;
use serde_json::json;

use super::groups::{Group, GroupEffort, Groups, KnownPeople, with_values};
use super::{Attack, Figure, Finding, Scene, Threat, columns};
use privet_core::Result;
use privet_core::clock::Clock;
use privet_core::counted;

/// The attack on groups in which quasi-identifiers stay exact.
pub(super) const GROUPS: Attack = Attack {
    name: "definetti",
    threat: Threat::DeFinetti,
    costly: false,
    concerns: |scene| match with_values(scene)?.groups {
        Some(_) => Ok(()),
        None => Err("the release has no groups; \"definetti-classes\" attacks classes".to_string()),
    },
    run: |scene| run(scene, GROUPS.name),
};

/// The attack on classes of records that look alike.
pub(super) const CLASSES: Attack = Attack {
    name: "definetti-classes",
    threat: Threat::DeFinetti,
    costly: true,
    concerns: |scene| match with_values(scene)?.groups {
        None => Ok(()),
        Some(_) => Err("the release has groups; \"definetti\" attacks them".to_string()),
    },
    run: |scene| run(scene, CLASSES.name),
};

/// How often the attacker learns from what they inferred.
const ROUNDS: usize = 20;

/// How often weights are scaled to rows and columns in turn, each round.
const SCALINGS: usize = 8;

/// With more records than this, the attacker learns from groups with about this many; groups are in random order.
const MOST_RECORDS: usize = 200_000;

/// Posterior above which a guess counts as confident.
const CONFIDENT: f64 = 0.9;

/// The results of guessing.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Guessed {
    /// People.
    pub people: u64,
    /// Those whose value is guessed right.
    pub right: u64,
    /// Those who have the most frequent value of their group, in expectation.
    pub blind: f64,
    /// Those whose likeliest value is likelier than the promise allows.
    pub sure: u64,
    /// Those whose likeliest value is likelier than that from the group alone.
    pub already: u64,
    /// Confident guesses, and how many of them are right.
    pub confident: [u64; 2],
    /// By tenths of confidence: people, the sum of the confidences, and how many guesses were right.
    pub calibration: [(u64, f64, u64); 10],
    /// Those whose value is guessed right without looking at their group.
    pub control: u64,
}

fn run(scene: &Scene<'_>, name: &str) -> Result<Finding> {
    columns::each(scene, |policy, column, placed| {
        let l = columns::promised(policy, column);
        scene.limits.afford(bytes(&placed.groups))?;
        let effort = GroupEffort::of(scene);
        let guessed = guess(&placed.groups, l, effort)?;
        let mut finding = finding(&guessed, l, name);
        if guessed.people < placed.groups.len() {
            finding.assumes += &format!(
                "; learnt from, and guessed for, the groups of {} of {} people",
                guessed.people,
                placed.groups.len()
            );
        }
        Ok(finding)
    })
}

/// The share of values that the attack guesses right, and that guessing by groups alone does.
pub fn guessed(people: &KnownPeople, groups: &[Vec<u32>], l: usize) -> (f64, f64) {
    let clock = Clock::unlimited();
    let effort = GroupEffort { steps: None, seed: 0, clock: &clock };
    let groups = Groups::of_records(people, groups, &clock);
    // Nobody interrupts it.
    let found = groups.and_then(|groups| guess(&groups, l as u64, effort)).unwrap_or_default();
    let people = found.people.max(1) as f64;
    (found.right as f64 / people, found.blind / people)
}

/// Learns from the groups, and guesses everybody in them.
pub(crate) fn guess(groups: &Groups, l: u64, effort: GroupEffort<'_>) -> Result<Guessed> {
    let people = &groups.people;
    let (mut records, mut left) = (MOST_RECORDS, effort.steps.unwrap_or(u64::MAX));
    let fitting: Vec<&Group> = (effort.order(groups).enumerate())
        .take_while(|(at, group)| {
            records = records.saturating_sub(group.members.len());
            let cost = (group.members.len() * group.counts.len()) as u64 * cost_of_pair(people);
            let fits = *at == 0 || left >= cost;
            left = left.saturating_sub(cost);
            records > 0 && fits
        })
        .map(|(_, group)| group)
        .collect();
    let mut guessed = Guessed::default();
    let mut weights: Vec<AssignmentWeights> =
        fitting.iter().map(|group| AssignmentWeights::new(group)).collect();
    learn(people, &mut weights, effort.clock)?;
    for (group, weights) in fitting.iter().zip(&weights) {
        let most = group.most_frequent(groups.hidden).map_or(0, |(_, count)| count);
        for (row, record) in group.members.iter().enumerate() {
            let Some((value, weight)) = weights.likeliest(row, groups.hidden) else { continue };
            let right = u64::from(value == people.value(*record as usize));
            guessed.people += 1;
            guessed.right += right;
            guessed.blind += most as f64 / group.members.len() as f64;
            // A hair more than one in l is rounding, not knowledge.
            guessed.sure += u64::from(weight * l as f64 > 1.0 + 1e-6);
            guessed.already += u64::from(most * l > group.len());
            if weight >= CONFIDENT {
                guessed.confident[0] += 1;
                guessed.confident[1] += right;
            }
            let band = &mut guessed.calibration[((weight * 10.0) as usize).min(9)];
            *band = (band.0 + 1, band.1 + weight, band.2 + right);
        }
    }
    guessed.control = control(groups, &fitting, effort.clock)?;
    Ok(guessed)
}

/// How many steps a pair of a person and a value takes: in every round it is weighed by all quasi-identifiers, scaled, and learnt
/// from; and all that once more for the control.
fn cost_of_pair(people: &KnownPeople) -> u64 {
    (2 * ROUNDS * (2 * people.attributes.len() + 2 * SCALINGS + 10)) as u64
}

/// How much memory two models take at once.
fn bytes(groups: &Groups) -> u64 {
    let people = &groups.people;
    let leaves: u64 = people.attributes.iter().map(|attribute| attribute.taxonomy.leaves() as u64).sum();
    leaves.saturating_mul(people.values.len() as u64 * 16)
}

/// How many people are guessed right by a model that has learnt from every other group, among the rest.
fn control(groups: &Groups, fitting: &[&Group], clock: &Clock) -> Result<u64> {
    let folds: [usize; 2] = [0, 1];
    let right = folds.par_iter().map(|fold| {
        let mut taught: Vec<AssignmentWeights> =
            fitting.iter().skip(*fold).step_by(2).map(|group| AssignmentWeights::new(group)).collect();
        let model = learn(&groups.people, &mut taught, clock)?;
        let others = fitting.iter().skip(1 - fold).step_by(2).flat_map(|group| &group.members);
        let mut right = 0;
        for record in others {
            clock.check()?;
            let guess = model.likeliest(&groups.people, *record as usize, groups.hidden);
            right += u64::from(guess == Some(groups.people.value(*record as usize)));
        }
        Ok(right)
    });
    right.collect::<Result<Vec<u64>>>().map(|right| right.iter().sum())
}

/// Learns from groups, weighs them by what was learnt, and again; what was learnt last.
fn learn(people: &KnownPeople, groups: &mut [AssignmentWeights], clock: &Clock) -> Result<NaiveBayes> {
    for _ in 0..ROUNDS {
        let model = NaiveBayes::learn(people, groups, clock)?;
        groups.par_iter_mut().try_for_each(|group| group.weigh(people, &model, clock))?;
    }
    NaiveBayes::learn(people, groups, clock)
}

fn finding(guessed: &Guessed, l: u64, name: &str) -> Finding {
    let Guessed { people, right, sure, already, confident, .. } = *guessed;
    let baseline = guessed.blind.round() as u64;
    let figures = vec![
        Figure {
            what: "people whose value is guessed right".to_string(),
            targets: people,
            hits: right,
            baseline,
            instead: "guessing the most frequent value of the group".to_string(),
            control: Some(guessed.control),
            controlled:
                "the same model, learnt from other groups, guesses without looking at the person's group"
                    .to_string(),
        },
        Figure {
            what: format!("people whose likeliest value has a probability above one in {l}"),
            targets: people,
            hits: sure,
            baseline: already,
            instead: "taking all assignments within a group as equally likely".to_string(),
            ..Figure::default()
        },
        Figure {
            what: format!(
                "people whose value is guessed with at least {:.0} % confidence, and rightly",
                100.0 * CONFIDENT
            ),
            targets: people,
            hits: confident[1],
            baseline: 0,
            instead: "taking all assignments within a group as equally likely".to_string(),
            ..Figure::default()
        },
    ];
    let per_cent = |part: u64, of: u64| 100.0 * part as f64 / of.max(1) as f64;
    let gain = right as f64 / baseline.max(1) as f64;
    let warning = if right > baseline {
        format!(
            "an attacker who learns from the release itself how values depend on quasi-identifiers (the deFinetti \
             attack) guesses {:.0} % of the sensitive values right, {gain:.1} times as many as from the groups alone",
            per_cent(right, people)
        )
    } else {
        String::new()
    };
    let band = |(people, sure, right): &(u64, f64, u64)| {
        let mean = if *people == 0 { 0.0 } else { sure / *people as f64 };
        json!({ "people": people, "confidence": mean, "right": right })
    };
    let bands: Vec<_> = guessed.calibration.iter().map(band).collect();
    let worst = match confident[0] {
        0 => format!("nobody's value is guessed with at least {:.0} % confidence", 100.0 * CONFIDENT),
        sure => format!(
            "{sure} of {} are guessed with at least {:.0} % confidence, and {:.1} % of these guesses are right",
            counted(people, "person", "people"),
            100.0 * CONFIDENT,
            per_cent(confident[1], sure)
        ),
    };
    Finding {
        knows: "the release, who is in it, and their quasi-identifiers".to_string(),
        does: "learns from all groups how values depend on quasi-identifiers, and uses this to weigh the assignments \
               within each group"
            .to_string(),
        assumes: format!("a naive Bayes model, {ROUNDS} rounds of expectation maximisation"),
        figures,
        lines: vec![worst.clone()],
        worst,
        warning,
        more: [("calibration".to_string(), json!(bands))].into_iter().collect(),
        ..Finding::new(name, "The deFinetti attack")
    }
}

/// A group with how likely each of its values is for each of its people.
struct AssignmentWeights {
    records: Vec<u32>,
    values: Vec<u32>,
    /// How often each value occurs.
    counts: Vec<f64>,
    /// Per record, by position in `values`.
    weights: Vec<Vec<f64>>,
}

impl AssignmentWeights {
    fn new(group: &Group) -> AssignmentWeights {
        let (values, counts): (Vec<u32>, Vec<f64>) =
            group.counts.iter().map(|(value, count)| (*value, *count as f64)).unzip();
        let share: Vec<f64> = counts.iter().map(|count| count / group.members.len() as f64).collect();
        AssignmentWeights {
            records: group.members.clone(),
            values,
            counts,
            weights: vec![share; group.members.len()],
        }
    }

    /// The likeliest value of a member that is not suppressed, and its probability; of equals the first.
    fn likeliest(&self, row: usize, hidden: Option<u32>) -> Option<(u32, f64)> {
        let told = self.values.iter().copied().zip(self.weights[row].iter().copied());
        told.filter(|(value, _)| Some(*value) != hidden)
            .reduce(|best, next| if next.1 > best.1 { next } else { best })
    }

    /// Weighs the assignments by what a model says, so that each record has one value and each value its count.
    fn weigh(&mut self, people: &KnownPeople, model: &NaiveBayes, clock: &Clock) -> Result<()> {
        for (record, weights) in self.records.iter().zip(&mut self.weights) {
            clock.check()?;
            let logs: Vec<f64> = (self.values.iter().zip(weights.iter()))
                .map(|(value, own)| model.log_likelihood(people, *record as usize, *value, *own))
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
            clock.check()?;
        }
        Ok(())
    }
}

/// How often each quasi-identifier's value goes with each sensitive value, as far as the attacker knows.
struct NaiveBayes {
    /// Per quasi-identifier: `[leaf × values + value]`.
    counts: Vec<Vec<f64>>,
    /// The number of leaves of each quasi-identifier.
    leaves: Vec<f64>,
    /// How often each value occurs.
    totals: Vec<f64>,
}

impl NaiveBayes {
    fn learn(people: &KnownPeople, groups: &[AssignmentWeights], clock: &Clock) -> Result<NaiveBayes> {
        let values = people.values.len();
        let leaves: Vec<usize> =
            people.attributes.iter().map(|attribute| attribute.taxonomy.leaves()).collect();
        let mut totals = vec![0.0; values];
        let mut counts: Vec<Vec<f64>> = leaves.iter().map(|leaves| vec![0.0; leaves * values]).collect();
        for group in groups {
            clock.check()?;
            for (record, weights) in group.records.iter().zip(&group.weights) {
                for (value, weight) in group.values.iter().zip(weights) {
                    totals[*value as usize] += weight;
                    for (attribute, counts) in counts.iter_mut().enumerate() {
                        let leaf = people.leaf(attribute, *record as usize) as usize;
                        counts[leaf * values + *value as usize] += weight;
                    }
                }
            }
        }
        Ok(NaiveBayes { counts, leaves: leaves.into_iter().map(|leaves| leaves as f64).collect(), totals })
    }

    /// The value that a record would most likely have, if nothing were known of its group.
    fn likeliest(&self, people: &KnownPeople, record: usize, hidden: Option<u32>) -> Option<u32> {
        let known =
            (0u32..).zip(&self.totals).filter(|(value, total)| **total > 0.0 && Some(*value) != hidden);
        let score = |(value, total): (u32, &f64)| {
            (value, total.ln() + self.log_likelihood(people, record, value, 0.0))
        };
        known
            .map(score)
            .reduce(|best, next| if next.1 > best.1 { next } else { best })
            .map(|(value, _)| value)
    }

    /// How well a record goes with a value, by all other records: the weight of this one (`own`) is taken out, or the model
    /// would only confirm itself. One record more for every leaf: nothing is impossible because it was not seen.
    fn log_likelihood(&self, people: &KnownPeople, record: usize, value: u32, own: f64) -> f64 {
        let values = self.totals.len();
        let total = self.totals[value as usize] - own;
        let (mut log, mut product) = (0.0, 1.0f64);
        for (attribute, counts) in self.counts.iter().enumerate() {
            let leaf = people.leaf(attribute, record) as usize;
            let count = (counts[leaf * values + value as usize] - own).max(0.0);
            product *= (count + 1.0) / (total + self.leaves[attribute]);
            // Logarithms take long; one is enough for as many factors as a double holds.
            if product < 1e-200 {
                log += product.ln();
                product = 1.0;
            }
        }
        log + product.ln()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::groups::KnownAttribute;
    use privet_taxonomy::Taxonomy;

    fn guess_all(people: &KnownPeople, groups: &[Vec<u32>]) -> Guessed {
        let clock = Clock::unlimited();
        let groups = Groups::of_records(people, groups, &clock).expect("no limit");
        guess(&groups, 2, GroupEffort { steps: None, seed: 0, clock: &clock }).expect("no limit")
    }

    /// Smokers have x, others y; every group has one of each, but for a few groups of two smokers and one other.
    fn village(dependent: bool) -> (KnownPeople, Vec<Vec<u32>>) {
        let tree = Arc::new(Taxonomy::flat(["no", "yes"]).expect("a tree"));
        let smokes = KnownAttribute { name: "smokes".to_string(), taxonomy: tree };
        let mut people = KnownPeople::new(vec![smokes], vec!["x".to_string(), "y".to_string()]);
        let mut groups = Vec::new();
        for at in 0..60u32 {
            let smoker = if dependent { 1 } else { at % 2 };
            let extra = at % 3 == 0;
            people.push(&[smoker], 0);
            people.push(&[1 - smoker], 1);
            let mut group = vec![people.len() as u32 - 2, people.len() as u32 - 1];
            if extra {
                people.push(&[smoker], 0);
                group.push(people.len() as u32 - 1);
            }
            groups.push(group);
        }
        (people, groups)
    }

    #[test]
    fn what_depends_on_quasi_identifiers_is_learnt() {
        let (people, groups) = village(true);
        let found = guess_all(&people, &groups);
        let finding = finding(&found, 2, GROUPS.name);
        let [right, sure, _] = finding.figures.as_slice() else { panic!("three figures") };
        assert_eq!((right.targets, right.hits), (140, 140));
        assert!(right.baseline <= 80 && sure.hits == 140, "{finding:?}");
        // What is learnt holds for people outside of the groups as well.
        assert_eq!(right.control, Some(140));
        let banded: u64 = found.calibration.iter().map(|(people, _, _)| people).sum();
        assert_eq!(banded, 140);
        assert!(finding.succeeds() && finding.warning.contains("100 %"), "{}", finding.warning);
    }

    #[test]
    fn where_nothing_depends_nothing_is_learnt() {
        let (people, groups) = village(false);
        let found = guess_all(&people, &groups);
        assert!(found.right < 100, "{found:?}");
    }

    #[test]
    fn classes_are_attacked_through_their_files() {
        use crate::testing::Stage;
        // Oslo has flu and Rome has an ulcer; every class of an age has one of each, but some ages are of Oslo alone.
        let mut original = "age,city,ill\n".to_string();
        for age in 20..60 {
            let second = if age % 4 == 0 { "Oslo,flu" } else { "Rome,ulcer" };
            original += &format!("{age},Oslo,flu\n{age},{second}\n");
        }
        let released = original.replace("Oslo", "*").replace("Rome", "*");
        let found = Stage::new(&original).attack("definetti-classes", &released).expect("a finding");
        assert_eq!((found.headline().targets, found.headline().hits), (80, 80), "{found:?}");
        assert!(found.succeeds());
        // If the city says nothing, guesses are no better than by the class.
        let row =
            |at: usize| format!("{},{},{}\n", at / 4, ["Oslo", "Rome"][at / 2 % 2], ["flu", "ulcer"][at % 2]);
        let original = "age,city,ill\n".to_string() + &(0..80).map(row).collect::<String>();
        let released = original.replace("Oslo", "*").replace("Rome", "*");
        let found = Stage::new(&original).attack("definetti-classes", &released).expect("a finding");
        assert!(found.headline().hits <= 48 && found.figures[2].hits == 0, "{found:?}");
    }
}
