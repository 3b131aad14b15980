//! From a policy to groups: what the adversary knows, which groups are formed, and what the adversary can then infer.

use serde_json::{Value as Json, json};

use super::closeness::GroupCloseness;
use super::{GroupExposure, GroupingStrategy, GroupingTask, RecordGroups, expose, group};
use crate::SearchFacts;
use crate::plan::{Plan, PlanSummary};
use privet_core::clock::Clock;
use privet_core::counted;
use privet_core::{Error, Exact, Result};
use privet_engine::microdata::Microdata;
use privet_engine::negative_rules::{
    Knowledge, KnownRule, Observations, Origin, Parameters, Shown, Stated, gather,
};
use privet_engine::privacy::matching::MatchingDiversity;
use privet_policy::method::Unfit;
use privet_policy::{CheckedPolicy, Requirement};
use privet_policy::{Method, method};

pub use privet_policy::method::Publication;

/// What a policy asks of the groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupingSettings {
    /// The sensitive column, and how many of its values must remain possible.
    pub demand: MatchingDiversity,
    /// The least number of records in a group.
    pub k: u64,
    /// How groups are formed.
    pub strategy: GroupingStrategy,
    /// Whether to suppress records that can never be published.
    pub suppress: bool,
    /// The form of publication.
    pub publication: Publication,
}

impl GroupingSettings {
    /// Reads a policy whose method publishes groups.
    pub fn of(policy: &CheckedPolicy) -> Result<GroupingSettings> {
        let (strategy, suppress, publication) = match &policy.method {
            Method::Injector(own) => {
                let strategy = match own.strategy {
                    method::Strategy::Near => GroupingStrategy::Near,
                    method::Strategy::Balanced => GroupingStrategy::Balanced,
                    method::Strategy::Local => GroupingStrategy::Local,
                    method::Strategy::Paper => GroupingStrategy::Paper,
                };
                (strategy, own.infeasible == Unfit::Suppress, own.publish)
            }
            Method::Anatomy(own) => (GroupingStrategy::Anatomy, false, own.publish),
            other => return Err(Error::internal(format!("{} publishes no groups", other.name()))),
        };
        let anatomy = strategy == GroupingStrategy::Anatomy;
        let demand = policy.requirements.iter().find_map(|asked| match asked {
            Requirement::LDiversity(asked) if anatomy => {
                let (column, l) = (asked.column, asked.diversity.l());
                let l = usize::try_from(l.numerator().div_ceil(l.denominator())).unwrap_or(usize::MAX);
                Some(MatchingDiversity { column, l, max_posterior: None })
            }
            Requirement::MatchingLDiversity(asked) if !anatomy => Some(MatchingDiversity::of(asked)),
            _ => None,
        });
        let demand = demand.ok_or_else(|| Error::internal("groups without a requirement"))?;
        Ok(GroupingSettings { demand, k: policy.k(), strategy, suppress, publication })
    }
}

/// Groups, with everything that was known and decided along the way.
#[derive(Debug)]
pub struct GroupingDecision {
    /// What the policy asks for.
    pub asked: GroupingSettings,
    /// The records.
    pub observations: Observations,
    /// What the adversary knows.
    pub knowledge: Knowledge,
    /// The adversary's rules, as displayed.
    pub rules: Vec<KnownRule>,
    /// The number of mined rules, including implied ones.
    pub mined: u64,
    /// The groups.
    pub grouping: RecordGroups,
    /// What the adversary can infer.
    pub exposure: GroupExposure,
    /// The largest distance of a group from the whole table and the t that limits it, per requirement of t-closeness.
    pub farthest: Vec<(f64, Exact)>,
    /// What the adversary could infer from Anatomy's groups, if these can be formed.
    pub baseline: Option<GroupExposure>,
    /// The decision as readable data.
    pub plan: Plan,
    /// How the search went.
    pub search: SearchFacts,
    /// Warnings to read before publishing the release.
    pub warnings: Vec<String>,
}

/// The records of a policy's table, and what the policy states about the adversary's rules.
pub fn observe(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    column: usize,
) -> Result<(Observations, Option<Parameters>, Stated)> {
    let spreads: Vec<Option<Exact>> =
        microdata.quasi.iter().map(|quasi| policy.columns[quasi.index].fuzzy_spread).collect();
    let observations = Observations::of_table(microdata, column, &spreads)
        .map_err(|error| error.in_file(policy.written.path()))?;
    let parameters = policy.knowledge.mined.as_ref().map(|mined| Parameters {
        min_expectation: mined.min_expectation,
        min_confidence: mined.min_confidence,
        max_length: mined.max_length,
        significance: mined.significance,
        alpha: None,
    });
    let stated =
        Stated::of(&policy.knowledge.rules, &observations).map_err(|error| in_rules(policy, error))?;
    Ok((observations, parameters, stated))
}

/// Locates an error about a rule in the file that states it.
fn in_rules(policy: &CheckedPolicy, error: Error) -> Error {
    match (&policy.knowledge.path, error.line()) {
        (Some(path), Some(_)) => error.in_file(path),
        _ => error.in_file(policy.written.path()),
    }
}

/// The rules that the adversary is assumed to know, with the records that they concern.
pub fn known_rules(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    clock: &Clock,
) -> Result<(Observations, Shown)> {
    let column = GroupingSettings::of(policy)?.demand.column;
    let (observations, parameters, stated) = observe(policy, microdata, column)?;
    // A stated rule that the data contradicts is rejected here, as it is for a release.
    gather(&observations, parameters.as_ref(), &stated, clock).map_err(|error| in_rules(policy, error))?;
    let shown = Knowledge::rules(&observations, parameters.as_ref(), &stated, clock)
        .map_err(|error| in_rules(policy, error))?;
    Ok((observations, shown))
}

/// Forms the groups that a policy asks for.
pub fn decide(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    seed: u64,
    clock: &Clock,
) -> Result<GroupingDecision> {
    let asked = GroupingSettings::of(policy)?;
    let key = microdata.key(seed);
    let (observations, parameters, stated) = observe(policy, microdata, asked.demand.column)?;
    clock.progress().stage("mining", None);
    let knowledge = gather(&observations, parameters.as_ref(), &stated, clock)
        .map_err(|error| in_rules(policy, error))?;
    let shown = Knowledge::rules(&observations, parameters.as_ref(), &stated, clock)?;
    clock.progress().stage("grouping", None);
    let task = GroupingTask {
        observations: &observations,
        excluded: &knowledge.excluded,
        l: asked.demand.l,
        k: asked.k,
        max_posterior: asked.demand.max_posterior,
        suppress: asked.suppress,
    };
    let mut grouping = group(&task, asked.strategy, key, clock)?;
    let closeness = closeness(policy, microdata)?;
    // Groups that are close stay so when they merge, so one requirement can follow the other.
    for test in &closeness {
        grouping = test.reach(&task, grouping, key, clock)?;
    }
    let farthest = closeness.iter().map(|test| (test.farthest(&observations, &grouping), test.t)).collect();
    let exposure = expose(&task, &grouping);
    // There is no baseline if a value is too frequent for Anatomy.
    let baseline =
        group(&task, GroupingStrategy::Anatomy, key, clock).ok().map(|grouping| expose(&task, &grouping));
    clock.check()?;
    let search = SearchFacts::unproven(grouping.groups.len() as u64, clock);
    let sizes: serde_json::Map<String, Json> =
        exposure.sizes.iter().map(|(size, groups)| (size.to_string(), json!(groups))).collect();
    let spelt = |origin: fn(&Origin) -> bool| -> Vec<String> {
        shown.rules.iter().filter(|rule| origin(&rule.origin)).map(|rule| rule.text.to_string()).collect()
    };
    let plan = Plan::Groups(PlanSummary::from(json!({
        "groups": exposure.groups,
        "sizes": sizes,
        "rules": spelt(|origin| *origin != Origin::Muted),
        "muted": spelt(|origin| *origin == Origin::Muted),
        "suppressed": lost(&observations, &grouping).into_iter().collect::<serde_json::Map<_, _>>(),
    })));
    let mut warnings = warnings(&asked, &shown, &knowledge);
    warnings.extend(rounded_up(policy, &asked));
    warnings.extend(numbers_note(&observations));
    warnings.extend(loss_note(&observations, &grouping, asked.demand.l));
    Ok(GroupingDecision {
        asked,
        observations,
        knowledge,
        mined: shown.mined,
        rules: shown.rules,
        grouping,
        exposure,
        farthest,
        baseline,
        plan,
        search,
        warnings,
    })
}

/// The tests of t-closeness that the policy asks for; the door lets only the column pass that groups hide.
fn closeness(policy: &CheckedPolicy, microdata: &Microdata) -> Result<Vec<GroupCloseness>> {
    let asked = policy.requirements.iter().filter_map(|asked| match asked {
        Requirement::TCloseness(asked) => Some(GroupCloseness::of(asked, microdata)),
        _ => None,
    });
    asked.collect()
}

/// The values of the suppressed records, with counts.
fn lost(observations: &Observations, grouping: &RecordGroups) -> Vec<(String, Json)> {
    let mut counts = vec![0u64; observations.values.len()];
    for record in &grouping.suppressed {
        counts[observations.value(*record as usize) as usize] += observations.weight(*record as usize);
    }
    let values = observations.values.iter().zip(counts).filter(|(_, count)| *count > 0);
    values.map(|(value, count)| (value.clone(), json!(count))).collect()
}

fn loss_note(observations: &Observations, grouping: &RecordGroups, l: usize) -> Option<String> {
    let lost = lost(observations, grouping);
    if lost.is_empty() {
        return None;
    }
    let records: u64 = lost.iter().filter_map(|(_, count)| count.as_u64()).sum();
    let whole = |value: &str, count: &Json| {
        let at = observations.values.iter().position(|other| other == value);
        at.is_some_and(|at| count.as_u64() == Some(observations.value_counts()[at]))
    };
    let descriptions: Vec<String> = (lost.iter())
        .map(|(value, count)| {
            let all = if whole(value, count) { ", every occurrence" } else { "" };
            format!("'{value}' ({count}{all})")
        })
        .collect();
    Some(format!(
        "{} l = {l} possible values and are suppressed: {}",
        counted(records, "record cannot have", "records cannot have"),
        descriptions.join(", ")
    ))
}

/// Warns that numbers count as different values even if they are almost equal.
fn numbers_note(observations: &Observations) -> Option<String> {
    let is_number = |value: &String| value.trim().parse::<f64>().is_ok_and(f64::is_finite);
    observations.values.iter().all(is_number).then(|| {
        "the sensitive column holds numbers, and close numbers count as different values: group them \
         into ranges first, unless they are codes"
            .to_string()
    })
}

/// Warns if l is rounded up, because Anatomy's groups have a whole number of values.
fn rounded_up(policy: &CheckedPolicy, asked: &GroupingSettings) -> Option<String> {
    let l = policy.requirements.iter().find_map(|asked| match asked {
        Requirement::LDiversity(asked) => Some(asked.diversity.l()),
        _ => None,
    })?;
    let rounded = asked.strategy == GroupingStrategy::Anatomy && l.denominator() != 1;
    rounded.then(|| {
        format!("l = {l} is not a whole number: groups of {} different values are formed; write l as a whole number", asked.demand.l)
    })
}

fn warnings(asked: &GroupingSettings, shown: &Shown, knowledge: &Knowledge) -> Vec<String> {
    let mut warnings = vec![
        "quasi-identifiers are published exactly as they are: anyone who knows them can tell that a person is in the data, \
         and in which group; a method that generalises, such as mondrian, avoids that"
            .to_string(),
    ];
    match (asked.demand.l, asked.k) {
        (1, 1) => {
            warnings.push(
                "l = 1 requires nothing: groups of one record publish their values; raise l".to_string(),
            );
        }
        (1, _) => warnings
            .push("l = 1 requires nothing: all records of a group may share one value; raise l".to_string()),
        _ => {}
    }
    if knowledge.is_empty && asked.strategy != GroupingStrategy::Anatomy {
        warnings.push(
            "no rule is known to the adversary, so the groups protect no better than Anatomy's; lower min_expectation in \
             [knowledge], or state your own rules in a rules file, if attackers may know something"
                .to_string(),
        );
    }
    let muted = shown.rules.iter().filter(|rule| rule.origin == Origin::Muted).count();
    if muted > 0 {
        let muted = counted(muted as u64, "mined rule is", "mined rules are");
        warnings.push(format!("{muted} muted: an attacker who knows them may learn more than l allows; mute only what nobody can know"));
    }
    warnings.extend(shown.absent.iter().cloned());
    warnings.extend(idle_note(shown));
    if knowledge.exceptions > 0 {
        warnings.push(format!(
            "{} a value that a rule excludes; rules count as facts except where the data contradicts them; \
             check these rules, or the records",
            counted(knowledge.exceptions, "record has", "records have")
        ));
    }
    warnings
}

/// Warns about muted rules that were never mined, which may be typing errors.
pub fn idle_note(shown: &Shown) -> Option<String> {
    let idle: Vec<String> = shown.idle.iter().map(ToString::to_string).collect();
    (!idle.is_empty()).then(|| {
        format!(
            "no mined rule matches 'mute {}'; `privet mine` lists the mined rules",
            idle.join("', 'mute ")
        )
    })
}
