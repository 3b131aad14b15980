//! Negative rules: somebody who knows which values are out of the question for whom works out what remains.
//!
//! Men do not have ovarian cancer. In a group of l diseases such knowledge rules some out for some people, and what is
//! ruled out for one falls to another. The adversary knows everybody's quasi-identifiers, hence everybody's group, and
//! rules from one of three places: all rules without exception that the original data would teach him, those that the
//! release itself teaches, or a list that the steward states.
//!
//! What stays *valid* for a person is exact (`infer`): a value is, iff some assignment of the group's values that agrees with
//! the rules gives it to him. How likely each is is exact for small groups, and an estimate for others.

mod assignments;
mod infer;
mod mine;
mod mined;
#[cfg(test)]
mod tests;

use infer::{Inferred, infer};
use mined::{StatedRule, from_release, from_statements};
use serde_json::json;

use super::finding::NO_GUESS;
use super::groups::{Effort, Groups, sensitive, with_values};
use super::{Attack, Figure, Finding, Scene, columns};
use privet_core::counted;
use privet_core::{Exact, Result, ValueSet};
use privet_policy::{CheckedPolicy, MiningPolicy};

/// Row 5 of the attacks.
pub(super) const ATTACK: Attack = Attack {
    name: "negative-rules",
    row: 5,
    dear: false,
    concerns: |scene| with_values(scene).map(|_| ()),
    run,
};

/// How likely a value that is missing must have been to occur, where the policy does not say.
const MIN_EXPECTATION: (u64, u64) = (9, 10);

fn run(scene: &Scene<'_>) -> Result<Finding> {
    // What follows from sizes alone is known before anybody is placed.
    let view = scene.view()?;
    for column in sensitive(scene, view) {
        let values = view.columns[column].values.len() as u64;
        scene.limits.afford((2 * view.original.all() as u64).saturating_mul(set_bytes(values)))?;
    }
    columns::each(scene, |policy, column, placed| {
        let l = columns::promised(policy, column);
        scene.limits.afford(bytes(&placed.groups))?;
        let found = sources(scene, policy, &placed.groups)?;
        let effort = Effort::of(scene);
        let inferred: Vec<(&str, Inferred)> = found
            .iter()
            .map(|(source, excluded)| Ok((*source, infer(&placed.groups, excluded, l, effort)?)))
            .collect::<Result<_>>()?;
        let mut finding = finding(&inferred, l);
        let tried = inferred.first().map_or(0, |(_, found)| found.people);
        if tried < placed.groups.len() {
            finding.assumes += &format!(
                "; a random sample of groups was looked at, with {tried} of {} people",
                placed.groups.len()
            );
        }
        Ok(finding)
    })
}

/// How much memory it takes to say of so many values which are out of the question.
fn set_bytes(values: u64) -> u64 {
    values.div_ceil(64) * 8 + 24
}

/// How much memory it takes to say for everybody which values are out of the question, from two places, and to learn that from
/// the release.
fn bytes(groups: &Groups) -> u64 {
    let people = &groups.people;
    let (records, values) = (people.len() as u64, people.values.len() as u64);
    let set = set_bytes(values);
    let nodes = people.attributes.iter().map(|attribute| attribute.taxonomy.len() as u64).max().unwrap_or(0);
    let learning = nodes.saturating_mul(values * 8 + set + 8);
    (2 * records).saturating_mul(set).saturating_add(learning)
}

/// Where rules come from, and what they rule out for each record.
type Excluded = Vec<ValueSet>;

fn sources(
    scene: &Scene<'_>,
    policy: &CheckedPolicy,
    groups: &Groups,
) -> Result<Vec<(&'static str, Excluded)>> {
    let expectation = Exact::new(MIN_EXPECTATION.0, MIN_EXPECTATION.1).unwrap_or(Exact::ONE);
    let mined = policy.knowledge.mined.as_ref();
    // Rules with exceptions bound nobody; he goes by those that have none.
    let mining = MiningPolicy {
        min_expectation: mined.map_or(expectation, |mined| mined.min_expectation),
        min_confidence: Exact::ONE,
        max_length: mined.map_or(1, |mined| mined.max_length),
        significance: mined.and_then(|mined| mined.significance),
    };
    let mut sources = vec![
        ("the original", mine::excluded(&groups.people, &mining, scene.clock)?),
        ("the release", from_release(groups, mining.min_expectation.to_f64(), scene.clock)?),
    ];
    let stated = StatedRule::all(&policy.knowledge.rules.rules, &groups.people);
    if !stated.is_empty() {
        sources.push(("the steward's list", from_statements(groups, &stated)));
    }
    Ok(sources)
}

fn finding(inferred: &[(&str, Inferred)], l: u64) -> Finding {
    let mut figures = Vec::new();
    for (source, found) in inferred {
        let figure = |what: String, hits: u64, baseline: u64| Figure {
            what: format!("{what}, by rules from {source}"),
            targets: found.people,
            hits,
            baseline,
            instead: "knowing no rule".to_string(),
            control: None,
            controlled: NO_GUESS.to_string(),
        };
        figures.push(figure("people of whom one value alone remains".to_string(), found.pinned, found.alone));
        figures.push(figure(
            format!("people of whom fewer than {l} values remain"),
            found.fewer,
            found.fewer_before,
        ));
        figures.push(figure(
            format!("people of whose likeliest value he is surer than one in {l}"),
            found.surer,
            found.surer_before,
        ));
        figures.push(figure(
            "people of whom a value of their group is ruled out".to_string(),
            found.ruled,
            0,
        ));
    }
    let line = |(source, found): &(&str, Inferred)| {
        let mean = found.impossible as f64 / found.people.max(1) as f64;
        let estimated = match found.estimated {
            0 => String::new(),
            people => format!("; for {} likelihoods are estimates", counted(people, "person", "people")),
        };
        let wrong = match found.contradicted {
            0 => String::new(),
            people => format!("; the groups of {} contradict the rules", counted(people, "person", "people")),
        };
        let single = match found.pinned {
            0 => "nobody is left with a single value".to_string(),
            pinned => format!("{} of {pinned} single values that remain are true", found.right),
        };
        format!(
            "by rules from {source}: {mean:.2} values of a person's group are ruled out on average, {single}, the surest is \
             {:.3} likely{estimated}{wrong}",
            found.surest
        )
    };
    let warning = match inferred.first().map(|(_, found)| found) {
        Some(found) if found.fewer > found.fewer_before || found.pinned > found.alone => format!(
            "who knows which values are out of the question for whom is left with fewer than {l} values for {} of {} ({} \
             without such knowledge), and with one alone for {}",
            found.fewer,
            counted(found.people, "person", "people"),
            found.fewer_before,
            found.pinned
        ),
        _ => String::new(),
    };
    let more = inferred.iter().map(|(source, found)| {
        let figures = json!({
            "pinned": found.pinned, "right": found.right, "fewer": found.fewer, "surer": found.surer,
            "ruled_out": found.impossible, "surest": found.surest, "estimated": found.estimated,
            "contradicted": found.contradicted,
        });
        ((*source).to_string(), figures)
    });
    let lines: Vec<String> = inferred.iter().map(line).collect();
    Finding {
        knows: "everybody's quasi-identifiers, and which values are out of the question for whom".to_string(),
        does: "works out which assignments of a group's values to its people agree with that, and what they have in common"
            .to_string(),
        assumes: format!(
            "rules have no exception in what they come from; what remains possible is exact, and so are likelihoods in groups \
             of at most {}",
            infer::MOST_EXACT
        ),
        figures,
        worst: lines.first().cloned().unwrap_or_default(),
        lines,
        warning,
        more: [("rules".to_string(), serde_json::Value::Object(more.collect()))].into_iter().collect(),
        ..Finding::new(ATTACK.name, "Negative rules")
    }
}
