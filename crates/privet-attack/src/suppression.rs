//! Suppression inference: an attacker concludes what was suppressed from the rule that suppressed it.
//!
//! `vio-sa` suppresses the cells of just those values that exceed their threshold in a class. So a `*` in a class of
//! n records is a value that the class does not show, and that n_s > θ(s)·n of its records had. In `Asthma, *, *`
//! with thresholds 0.3 for cancer, 0.4 for asthma and 0.5 for flu, both are cancer or both are flu.
//!
//! `vio-rec` keeps the largest part of a class that satisfies all thresholds. If one more record of s had been
//! allowed to stay, it would have stayed. So among R kept records, r_s of them with value s, a removed one can have
//! had s only if r_s + 1 > θ(s)·(R + 1). An attacker who knows how many people belong to the class knows how many
//! records were removed.
//!
//! In both cases, if exactly one value is possible, all that was suppressed in the class is recovered: if any mixture
//! is consistent, so is one in which all have the same possible value.
//!
//! Beyond that, the attacker weighs the *fillings*: the ways to assign values to what was suppressed that are
//! consistent with the release. All count the same. Their confidence that a person of the class has s is the expected
//! number of s in the class, suppressed ones included, divided by the people in it. It is computed exactly, except in
//! classes with different thresholds and very many fillings: there each possible value gets an equal share.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_integer::binomial;

use super::finding::NO_GUESS;
use super::groups::{Placed, one_table};
use super::view::{TableView, ViewColumn};
use super::{Attack, Figure, Finding, Scene, Threat, columns};
use privet_audit::definitions;
use privet_core::{Error, Exact, Result};
use privet_policy::method::Scheme;
use privet_policy::requirement::LPlusDiversity;
use privet_policy::{CheckedPolicy, Requirement};

/// Beyond this many steps, the fillings of a class are not listed one by one: there may be many thousand classes.
const MOST_STEPS: u64 = 2_000;

/// What the rule suppresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SuppressionRule {
    /// The cells of violating values: `vio-sa`.
    Cells,
    /// As few records as it takes: `vio-rec`.
    Records,
}

pub(super) const ATTACK: Attack =
    Attack { name: "suppression", threat: Threat::SuppressionInference, costly: false, concerns, run };

fn concerns(scene: &Scene<'_>) -> std::result::Result<(), String> {
    let Some(policy) = scene.table_policy() else { return Err("the release is not a table".to_string()) };
    if rule_of(policy).is_none() {
        return Err("the method's suppression is neither \"vio-sa\" nor \"vio-rec\"".to_string());
    }
    if thresholds_of(policy).is_none() {
        return Err("the policy does not ask for l+-diversity".to_string());
    }
    let view = one_table(scene)?;
    match thresholded(policy, view) {
        Some(_) => Ok(()),
        None => Err("the release lacks the column that l+-diversity is about".to_string()),
    }
}

/// The view's column that l+-diversity is about.
fn thresholded(policy: &CheckedPolicy, view: &TableView) -> Option<usize> {
    let (_, asked) = thresholds_of(policy)?;
    view.columns.iter().position(|column| column.policy.index == asked.column)
}

/// The first requirement of l+-diversity, with its position.
fn thresholds_of(policy: &CheckedPolicy) -> Option<(usize, &LPlusDiversity)> {
    policy.requirements.iter().enumerate().find_map(|(position, asked)| match asked {
        Requirement::LPlusDiversity(asked) => Some((position, asked)),
        _ => None,
    })
}

fn rule_of(policy: &CheckedPolicy) -> Option<SuppressionRule> {
    match policy.method.suppression()? {
        Scheme::VioSa => Some(SuppressionRule::Cells),
        Scheme::VioRec => Some(SuppressionRule::Records),
        Scheme::None | Scheme::AllRec | Scheme::AllSa => None,
    }
}

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let nothing = || Error::internal("suppression inference without suppression");
    let policy = scene.table_policy().ok_or_else(nothing)?;
    let rule = rule_of(policy).ok_or_else(nothing)?;
    let view = scene.view()?;
    let column = thresholded(policy, view).ok_or_else(nothing)?;
    let placed = scene.placed(view, column)?;
    let (position, asked) = thresholds_of(policy).ok_or_else(nothing)?;
    let theta = definitions::thresholds(asked, &placed.column(policy, &view.columns[column])?);
    let theta = theta.map_err(|error| policy.at_requirement(position, error))?;
    let totals = placed.groups.people.value_counts();
    let adversary = Adversary {
        rule,
        theta,
        values: (0..totals.len() as u32).filter(|value| totals[*value as usize] > 0).collect(),
        k: columns::least_size(policy),
    };
    let usual =
        adversary.values.iter().copied().max_by_key(|value| (totals[*value as usize], u32::MAX - value));
    let mut score = SuppressionScore::default();
    let classes = classes(view, &placed);
    // An empty release shows no class, so nobody can say who is missing from which.
    if classes.iter().any(|class| class.shown() + class.starred > 0) {
        for class in &classes {
            scene.clock.check()?;
            score.add(&adversary, class, usual);
        }
    }
    Ok(score.finding(rule))
}

/// A class as it was and as it is shown.
#[derive(Debug, Default)]
struct SuppressedClass {
    /// Records per value before suppression.
    before: BTreeMap<u32, u64>,
    /// Records per value that the release shows.
    shown: BTreeMap<u32, u64>,
    /// Records whose cell is suppressed.
    starred: u64,
}

impl SuppressedClass {
    fn people(&self) -> u64 {
        self.before.values().sum()
    }

    fn shown(&self) -> u64 {
        self.shown.values().sum()
    }

    fn hidden(&self, rule: SuppressionRule) -> u64 {
        match rule {
            SuppressionRule::Cells => self.starred,
            SuppressionRule::Records => self.people().saturating_sub(self.shown() + self.starred),
        }
    }
}

/// The classes of the original under the release's cut, those that are wholly suppressed included.
fn classes(view: &TableView, placed: &Placed) -> Vec<SuppressedClass> {
    let people = &placed.groups.people;
    let counted = |members: &[u32]| {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        members.iter().for_each(|member| *counts.entry(people.value(*member as usize)).or_default() += 1);
        counts
    };
    let mut classes: Vec<SuppressedClass> = Vec::new();
    for (group, (_, starred)) in placed.groups.groups.iter().zip(&placed.released) {
        let shown = group.counts.iter().filter(|(value, _)| Some(*value) != placed.groups.hidden).copied();
        classes.push(SuppressedClass {
            before: counted(&group.members),
            shown: shown.collect(),
            starred: *starred,
        });
    }
    // People in no class form one together if the cut would show them alike: by the first cell that covers each value.
    let quasi = view.columns_where(ViewColumn::is_quasi);
    let mut vanished: BTreeMap<Vec<(bool, u32)>, Vec<u32>> = BTreeMap::new();
    for member in &placed.missing {
        let cell = |column: &usize| {
            let value = view.original.codes[*column].at(placed.original[*member as usize] as usize);
            let shown = view.columns[*column].cover.cells_of(value);
            shown.first().map_or((true, value), |cell| (false, *cell))
        };
        vanished.entry(quasi.iter().map(cell).collect()).or_default().push(*member);
    }
    let whole =
        |members: &Vec<u32>| SuppressedClass { before: counted(members), ..SuppressedClass::default() };
    classes.extend(vanished.values().map(whole));
    classes
}

/// An attacker who knows the rule, the thresholds, the values that occur and, for removed records, the sizes of classes.
struct Adversary {
    rule: SuppressionRule,
    /// Per value.
    theta: Vec<Exact>,
    /// The values that occur anywhere.
    values: Vec<u32>,
    k: u64,
}

/// A value that may be among the suppressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Candidate {
    value: u32,
    /// Of suppressed cells: how many of them at least have the value if any has.
    least: u64,
}

/// How many suppressed records have each candidate's value, in expectation.
#[derive(Debug, PartialEq, Eq)]
struct Expected {
    /// Per candidate, over `fillings`.
    sums: Vec<BigUint>,
    /// The number of consistent fillings, or what the sums are shares of.
    fillings: BigUint,
    exact: bool,
}

impl Adversary {
    /// The values that what is suppressed in a class may have.
    fn candidates(&self, class: &SuppressedClass) -> Vec<Candidate> {
        let (people, shown, hidden) = (class.people(), class.shown(), class.hidden(self.rule));
        let of = |value: &u32| {
            let (value, theta) = (*value, self.theta[*value as usize]);
            let (num, den) = (u128::from(theta.numerator()), u128::from(theta.denominator()));
            let kept = class.shown.get(&value).copied().unwrap_or(0);
            match self.rule {
                SuppressionRule::Cells => {
                    let least = (num * u128::from(people) / den + 1) as u64;
                    (kept == 0 && least <= hidden).then_some(Candidate { value, least })
                }
                SuppressionRule::Records => {
                    let one_more = u128::from(kept + 1) * den > num * u128::from(shown + 1);
                    // A class that vanished whole may have been too small for k, whatever its values.
                    let vanished = shown == 0 && self.k > 1;
                    (one_more || vanished).then_some(Candidate { value, least: 0 })
                }
            }
        };
        self.values.iter().filter_map(of).collect()
    }

    /// What the attacker expects if all consistent fillings are equally likely.
    fn expect(&self, class: &SuppressedClass, candidates: &[Candidate]) -> Expected {
        let hidden = class.hidden(self.rule);
        let theta = |candidate: &Candidate| self.theta[candidate.value as usize];
        // Candidates with the same threshold are interchangeable, so each has the same share.
        let alike = candidates.windows(2).all(|pair| theta(&pair[0]) == theta(&pair[1]));
        let listed = match self.rule {
            _ if alike => None,
            SuppressionRule::Cells => cell_fillings(candidates, hidden),
            SuppressionRule::Records => self.record_fillings(class, candidates, hidden),
        };
        listed.unwrap_or_else(|| Expected {
            sums: vec![BigUint::from(hidden); candidates.len()],
            fillings: BigUint::from(candidates.len()),
            exact: alike,
        })
    }

    /// Lists the ways to give the removed records values, and keeps those after which the rule leaves what is shown.
    fn record_fillings(
        &self,
        class: &SuppressedClass,
        candidates: &[Candidate],
        hidden: u64,
    ) -> Option<Expected> {
        let parts = candidates.len() as u64;
        let ways = binomial(BigUint::from(hidden + parts - 1), BigUint::from(parts - 1));
        if ways > BigUint::from(MOST_STEPS) {
            return None;
        }
        let (mut sums, mut fillings) = (vec![0u64; candidates.len()], 0u64);
        let mut filling = vec![0u64; candidates.len()];
        each_composition(hidden, 0, &mut filling, &mut |filling| {
            let mut counts = class.shown.clone();
            for (candidate, count) in candidates.iter().zip(filling) {
                *counts.entry(candidate.value).or_default() += count;
            }
            counts.retain(|_, count| *count > 0);
            if self.kept(counts) == class.shown {
                fillings += 1;
                sums.iter_mut().zip(filling).for_each(|(sum, count)| *sum += count);
            }
        });
        let sums = sums.into_iter().map(BigUint::from).collect();
        (fillings > 0).then(|| Expected { sums, fillings: BigUint::from(fillings), exact: true })
    }

    /// What `vio-rec` keeps of a class.
    fn kept(&self, mut counts: BTreeMap<u32, u64>) -> BTreeMap<u32, u64> {
        loop {
            let total: u64 = counts.values().sum();
            let mut moved = false;
            for (value, count) in &mut counts {
                let theta = self.theta[*value as usize];
                let most =
                    u128::from(theta.numerator()) * u128::from(total) / u128::from(theta.denominator());
                if u128::from(*count) > most {
                    *count = most as u64;
                    moved = true;
                }
            }
            if !moved {
                counts.retain(|_, count| *count > 0 && total >= self.k);
                return counts;
            }
        }
    }

    /// Whether some value of the class's people is likelier than its threshold allows.
    fn is_surer(&self, class: &SuppressedClass, candidates: &[Candidate], expected: &Expected) -> bool {
        candidates.iter().zip(&expected.sums).any(|(candidate, sum)| {
            let theta = self.theta[candidate.value as usize];
            let kept = class.shown.get(&candidate.value).copied().unwrap_or(0);
            let count = sum + &expected.fillings * kept;
            count * theta.denominator() > &expected.fillings * class.people() * theta.numerator()
        })
    }
}

/// Counts the ways to give suppressed cells values: every value that occurs at all occurs at least so often.
///
/// A set of j values whose least counts leave e cells over can share these out in C(e+j−1, j−1) ways, and over all of
/// them each value gets C(e+j−1, j) of the cells that are over.
fn cell_fillings(candidates: &[Candidate], hidden: u64) -> Option<Expected> {
    struct FillingList<'a> {
        candidates: &'a [Candidate],
        sums: Vec<BigUint>,
        fillings: BigUint,
        steps: u64,
    }

    impl FillingList<'_> {
        /// Lists the sets that extend the chosen one by candidates from `from` on. Returns whether it got to the end.
        fn extend(&mut self, from: usize, chosen: &mut Vec<usize>, over: u64) -> bool {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return false;
            }
            if !chosen.is_empty() {
                let size = chosen.len() as u64;
                let all = BigUint::from(over + size - 1);
                let ways = binomial(all.clone(), BigUint::from(size - 1));
                let more = if over == 0 { BigUint::ZERO } else { binomial(all, BigUint::from(size)) };
                for at in chosen.iter() {
                    self.sums[*at] += &ways * self.candidates[*at].least + &more;
                }
                self.fillings += ways;
            }
            for at in from..self.candidates.len() {
                let least = self.candidates[at].least;
                if least <= over {
                    chosen.push(at);
                    let ended = self.extend(at + 1, chosen, over - least);
                    chosen.pop();
                    if !ended {
                        return false;
                    }
                }
            }
            true
        }
    }

    let sums = vec![BigUint::ZERO; candidates.len()];
    let mut listing = FillingList { candidates, sums, fillings: BigUint::ZERO, steps: 0 };
    let ended = listing.extend(0, &mut Vec::new(), hidden);
    let FillingList { sums, fillings, .. } = listing;
    (ended && fillings > BigUint::ZERO).then_some(Expected { sums, fillings, exact: true })
}

/// Calls `each` with every way to write `total` as a sum over the places from `at` on.
fn each_composition(total: u64, at: usize, filling: &mut Vec<u64>, each: &mut dyn FnMut(&[u64])) {
    if at + 1 >= filling.len() {
        if let Some(last) = filling.last_mut() {
            *last = total;
            each(filling);
        }
        return;
    }
    for part in 0..=total {
        filling[at] = part;
        each_composition(total - part, at + 1, filling, each);
    }
}

/// The attacker's successes so far.
#[derive(Debug, Default, PartialEq, Eq)]
struct SuppressionScore {
    /// What is suppressed.
    hidden: u64,
    recovered: u64,
    /// Suppressed ones with the table's most frequent value.
    usual: u64,
    /// People in classes where something is suppressed.
    people: u64,
    surer: u64,
    /// People in classes whose fillings were not listed.
    rough: u64,
}

impl SuppressionScore {
    fn add(&mut self, adversary: &Adversary, class: &SuppressedClass, usual: Option<u32>) {
        let hidden = class.hidden(adversary.rule);
        if hidden == 0 {
            return;
        }
        let candidates = adversary.candidates(class);
        let lost = |value: u32| {
            let count = |counts: &BTreeMap<u32, u64>| counts.get(&value).copied().unwrap_or(0);
            // A file that nobody here made may show more of a value than there is.
            count(&class.before).saturating_sub(count(&class.shown))
        };
        self.hidden += hidden;
        self.people += class.people();
        self.usual += usual.map_or(0, lost);
        if let [only] = candidates.as_slice() {
            // The conclusion is compared with the truth, so that a wrong one would not count.
            self.recovered += lost(only.value);
        }
        let expected = adversary.expect(class, &candidates);
        if adversary.is_surer(class, &candidates, &expected) {
            self.surer += class.people();
        }
        if !expected.exact {
            self.rough += class.people();
        }
    }

    fn finding(&self, rule: SuppressionRule) -> Finding {
        let (scheme, better, what, where_) = match rule {
            SuppressionRule::Cells => {
                ("vio-sa", "all-sa", "suppressed cells", "classes with suppressed cells")
            }
            SuppressionRule::Records => {
                ("vio-rec", "all-rec", "suppressed records", "classes with suppressed records")
            }
        };
        let known = match rule {
            SuppressionRule::Cells => format!("the thresholds and that suppression is \"{scheme}\""),
            SuppressionRule::Records => {
                format!(
                    "the thresholds, how many people belong to each class, and that suppression is \"{scheme}\""
                )
            }
        };
        let rough = match self.rough {
            0 => String::new(),
            rough => format!(
                " For classes with {rough} people in all, there are too many such ways to list; each possible value \
                 gets an equal share there."
            ),
        };
        let figures = vec![
            Figure {
                what: format!("{what} whose value is recovered"),
                targets: self.hidden,
                hits: self.recovered,
                baseline: self.usual,
                instead: "always guessing the most frequent value of the table".to_string(),
                control: None,
                controlled: NO_GUESS.to_string(),
            },
            Figure {
                what: format!("people in {where_} with a value that is likelier than its threshold allows"),
                targets: self.people,
                hits: self.surer,
                baseline: 0,
                instead: "using only the release, in which all thresholds hold".to_string(),
                control: None,
                controlled: NO_GUESS.to_string(),
            },
        ];
        let of = |figure: &Figure| {
            format!("{} of {} ({:.1} %)", figure.hits, figure.targets, figure.share() * 100.0)
        };
        let warning = format!(
            "an attacker who knows {known} recovers {} of the {what}, and is surer of a value than its threshold \
             allows for {} people in {where_}; suppression = \"{better}\" reveals less",
            of(&figures[0]),
            of(&figures[1])
        );
        Finding {
            knows: format!("the release, {known}"),
            does: "works out which values may be suppressed, and how likely each of them is".to_string(),
            assumes: format!(
                "All ways to fill in the suppressed values of a class that the rule turns into the released class are \
                 equally likely.{rough}"
            ),
            figures,
            warning,
            ..Finding::new(ATTACK.name, "Suppression inference")
        }
    }
}

#[cfg(test)]
mod tests;
