//! Negative rules: an attacker who knows which values are impossible for whom works out what remains.
//!
//! Men do not have ovarian cancer. In a group of l diseases, such knowledge rules some out for some people, and what
//! is ruled out for one must belong to another. The attacker knows everybody's quasi-identifiers, hence everybody's
//! group, and rules from one of three sources: all rules without exceptions that the original data would teach them,
//! those that the release itself teaches, or a list that the steward states.
//!
//! What stays *valid* for a person is exact (`infer`): the values that some assignment of the group's values that
//! agrees with the rules gives to this person. How likely each is is exact for small groups, and an estimate for
//! others.

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
use super::groups::{GroupEffort, Groups, sensitive, with_values};
use super::{Attack, Figure, Finding, Scene, Threat, columns};
use privet_core::counted;
use privet_core::{Exact, Result, ValueSet};
use privet_policy::{CheckedPolicy, MiningPolicy};

pub(super) const ATTACK: Attack = Attack {
    name: "negative-rules",
    threat: Threat::NegativeRules,
    costly: false,
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
        let effort = GroupEffort::of(scene);
        let inferred: Vec<(&str, Inferred)> = found
            .iter()
            .map(|(source, excluded)| Ok((*source, infer(&placed.groups, excluded, l, effort)?)))
            .collect::<Result<_>>()?;
        let mut finding = finding(&inferred, l);
        let tried = inferred.first().map_or(0, |(_, found)| found.people);
        if tried < placed.groups.len() {
            finding.assumes += &format!(
                "; based on a random sample of groups with {tried} of {} people",
                placed.groups.len()
            );
        }
        Ok(finding)
    })
}

/// How much memory a set of this many values takes.
fn set_bytes(values: u64) -> u64 {
    values.div_ceil(64) * 8 + 24
}

/// How much memory the impossible values of everybody take, from two sources, and learning them from
/// the release.
fn bytes(groups: &Groups) -> u64 {
    let people = &groups.people;
    let (records, values) = (people.len() as u64, people.values.len() as u64);
    let set = set_bytes(values);
    let nodes = people.attributes.iter().map(|attribute| attribute.taxonomy.len() as u64).max().unwrap_or(0);
    let learning = nodes.saturating_mul(values * 8 + set + 8);
    (2 * records).saturating_mul(set).saturating_add(learning)
}

/// What rules exclude for each record.
type Excluded = Vec<ValueSet>;

fn sources(
    scene: &Scene<'_>,
    policy: &CheckedPolicy,
    groups: &Groups,
) -> Result<Vec<(&'static str, Excluded)>> {
    let expectation = Exact::new(MIN_EXPECTATION.0, MIN_EXPECTATION.1).unwrap_or(Exact::ONE);
    let mined = policy.knowledge.mined.as_ref();
    // Rules with exceptions are not reliable; the attacker uses those that have none.
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
            what: format!("{what}, with rules from {source}"),
            targets: found.people,
            hits,
            baseline,
            instead: "knowing no rules".to_string(),
            control: None,
            controlled: NO_GUESS.to_string(),
        };
        figures.push(figure(
            "people for whom only one value remains possible".to_string(),
            found.pinned,
            found.alone,
        ));
        figures.push(figure(
            format!("people for whom fewer than {l} values remain possible"),
            found.fewer,
            found.fewer_before,
        ));
        figures.push(figure(
            format!("people whose likeliest value has a probability above one in {l}"),
            found.surer,
            found.surer_before,
        ));
        figures.push(figure(
            "people for whom a value of their group is ruled out".to_string(),
            found.ruled,
            0,
        ));
    }
    let line = |(source, found): &(&str, Inferred)| {
        let mean = found.impossible as f64 / found.people.max(1) as f64;
        let estimated = match found.estimated {
            0 => String::new(),
            people => format!("; for {}, probabilities are estimates", counted(people, "person", "people")),
        };
        let wrong = match found.contradicted {
            0 => String::new(),
            people => format!("; the groups of {} contradict the rules", counted(people, "person", "people")),
        };
        let single = match found.pinned {
            0 => "nobody has a single possible value".to_string(),
            pinned => format!("{} of {pinned} single possible values are true", found.right),
        };
        format!(
            "with rules from {source}: on average {mean:.2} values of a person's group are ruled out, {single}, the \
             surest value has probability {:.3}{estimated}{wrong}",
            found.surest
        )
    };
    let warning = match inferred.first().map(|(_, found)| found) {
        Some(found) if found.fewer > found.fewer_before || found.pinned > found.alone => format!(
            "an attacker who knows which values are impossible for whom is left with fewer than {l} values for {} of \
             {} ({} without this knowledge), and with a single value for {}",
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
        knows: "everybody's quasi-identifiers, and which values are impossible for whom".to_string(),
        does: "works out which assignments of a group's values to its people agree with the rules, and what they have \
               in common"
            .to_string(),
        assumes: format!(
            "rules have no exceptions in their source; what remains possible is exact, and so are probabilities in \
             groups of at most {} people",
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
