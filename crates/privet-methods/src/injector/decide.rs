//! From a policy to groups: what the adversary knows, which groups are formed, and what is then left to him.

use serde_json::{Value as Json, json};

use super::{Exposure, Grouping, Strategy, Task, expose, group};
use crate::SearchFacts;
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

/// What a policy asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// The sensitive column, and how many of its values must stay possible.
    pub demand: MatchingDiversity,
    /// How many records every group must have.
    pub k: u64,
    /// How groups are formed.
    pub strategy: Strategy,
    /// Whether records that can never be published are left out.
    pub suppress: bool,
    /// What is published.
    pub publication: Publication,
}

impl Asked {
    /// Reads a policy whose method publishes groups.
    pub fn of(policy: &CheckedPolicy) -> Result<Asked> {
        let (strategy, suppress, publication) = match &policy.method {
            Method::Injector(own) => {
                let strategy = match own.strategy {
                    method::Strategy::Balanced => Strategy::Balanced,
                    method::Strategy::Local => Strategy::Local,
                    method::Strategy::Paper => Strategy::Paper,
                };
                (strategy, own.infeasible == Unfit::Suppress, own.publish)
            }
            Method::Anatomy(own) => (Strategy::Anatomy, false, own.publish),
            other => return Err(Error::internal(format!("{} publishes no groups", other.name()))),
        };
        let anatomy = strategy == Strategy::Anatomy;
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
        Ok(Asked { demand, k: policy.k(), strategy, suppress, publication })
    }
}

/// Groups, with all that was known and decided on the way.
#[derive(Debug)]
pub struct Decision {
    /// What the policy asks for.
    pub asked: Asked,
    /// The records.
    pub observations: Observations,
    /// What the adversary knows.
    pub knowledge: Knowledge,
    /// His rules, as they are shown.
    pub rules: Vec<KnownRule>,
    /// How many rules were mined, implied ones included.
    pub mined: u64,
    /// The groups.
    pub grouping: Grouping,
    /// What is left to him.
    pub exposure: Exposure,
    /// What would be left to him in Anatomy's groups, where these can be formed.
    pub baseline: Option<Exposure>,
    /// The decision as readable data.
    pub plan: Json,
    /// How the search went.
    pub search: SearchFacts,
    /// What the user should know before the release leaves the house.
    pub warnings: Vec<String>,
}

/// The records of a policy's table, and what the policy says about the adversary's rules.
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

/// Puts an error about a rule into the file that states it.
fn in_rules(policy: &CheckedPolicy, error: Error) -> Error {
    match (&policy.knowledge.path, error.line()) {
        (Some(path), Some(_)) => error.in_file(path),
        _ => error.in_file(policy.written.path()),
    }
}

/// The rules that the adversary is taken to know, with the records that they are about.
pub fn known_rules(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    clock: &Clock,
) -> Result<(Observations, Shown)> {
    let column = Asked::of(policy)?.demand.column;
    let (observations, parameters, stated) = observe(policy, microdata, column)?;
    // A stated rule that the data contradicts is refused here as it is when a release is made.
    gather(&observations, parameters.as_ref(), &stated, clock).map_err(|error| in_rules(policy, error))?;
    let shown = Knowledge::rules(&observations, parameters.as_ref(), &stated, clock)
        .map_err(|error| in_rules(policy, error))?;
    Ok((observations, shown))
}

/// Forms the groups that a policy asks for.
pub fn decide(policy: &CheckedPolicy, microdata: &Microdata, seed: u64, clock: &Clock) -> Result<Decision> {
    let asked = Asked::of(policy)?;
    let key = microdata.key(seed);
    let (observations, parameters, stated) = observe(policy, microdata, asked.demand.column)?;
    clock.progress().stage("mining", None);
    let knowledge = gather(&observations, parameters.as_ref(), &stated, clock)
        .map_err(|error| in_rules(policy, error))?;
    let shown = Knowledge::rules(&observations, parameters.as_ref(), &stated, clock)?;
    let rules = &shown.rules;
    clock.progress().stage("grouping", None);
    let task = Task {
        observations: &observations,
        excluded: &knowledge.excluded,
        l: asked.demand.l,
        k: asked.k,
        max_posterior: asked.demand.max_posterior,
        suppress: asked.suppress,
        rules,
    };
    let grouping = group(&task, asked.strategy, key, clock)?;
    let exposure = expose(&task, &grouping);
    // Where a value is too frequent for it, there is no baseline.
    let baseline = group(&task, Strategy::Anatomy, key, clock).ok().map(|grouping| expose(&task, &grouping));
    clock.check()?;
    let search = SearchFacts::unproven(grouping.groups.len() as u64, clock);
    let sizes: serde_json::Map<String, Json> =
        exposure.sizes.iter().map(|(size, groups)| (size.to_string(), json!(groups))).collect();
    let spelt = |origin: fn(&Origin) -> bool| -> Vec<String> {
        rules.iter().filter(|rule| origin(&rule.origin)).map(|rule| rule.text.to_string()).collect()
    };
    let plan = json!({
        "groups": exposure.groups,
        "sizes": sizes,
        "rules": spelt(|origin| *origin != Origin::Muted),
        "muted": spelt(|origin| *origin == Origin::Muted),
        "suppressed": lost(&observations, &grouping).into_iter().collect::<serde_json::Map<_, _>>(),
    });
    let mut warnings = warnings(&asked, &shown, &knowledge);
    warnings.extend(rounded_up(policy, &asked));
    warnings.extend(numbers_note(&observations));
    warnings.extend(loss_note(&observations, &grouping, asked.demand.l));
    Ok(Decision {
        asked,
        observations,
        knowledge,
        mined: shown.mined,
        rules: shown.rules,
        grouping,
        exposure,
        baseline,
        plan,
        search,
        warnings,
    })
}

/// The values of the records that are left out, with how many had each.
fn lost(observations: &Observations, grouping: &Grouping) -> Vec<(String, Json)> {
    let mut counts = vec![0u64; observations.values.len()];
    for record in &grouping.suppressed {
        counts[observations.value(*record as usize) as usize] += observations.weight(*record as usize);
    }
    let values = observations.values.iter().zip(counts).filter(|(_, count)| *count > 0);
    values.map(|(value, count)| (value.clone(), json!(count))).collect()
}

fn loss_note(observations: &Observations, grouping: &Grouping, l: usize) -> Option<String> {
    let lost = lost(observations, grouping);
    if lost.is_empty() {
        return None;
    }
    let records: u64 = lost.iter().filter_map(|(_, count)| count.as_u64()).sum();
    let whole = |value: &str, count: &Json| {
        let at = observations.values.iter().position(|other| other == value);
        at.is_some_and(|at| count.as_u64() == Some(observations.value_counts()[at]))
    };
    let told: Vec<String> = (lost.iter())
        .map(|(value, count)| {
            let all = if whole(value, count) { ", all there were" } else { "" };
            format!("'{value}' ({count}{all})")
        })
        .collect();
    Some(format!(
        "{} l = {l} possible values, and left out: {}",
        counted(records, "record can never have", "records can never have"),
        told.join(", ")
    ))
}

/// Numbers that are all but equal count as different values.
fn numbers_note(observations: &Observations) -> Option<String> {
    let is_number = |value: &String| value.trim().parse::<f64>().is_ok_and(f64::is_finite);
    observations.values.iter().all(is_number).then(|| {
        "the sensitive column holds numbers, and numbers that are close to each other count as different values: put them \
         into ranges first, unless they are codes"
            .to_string()
    })
}

/// Anatomy's groups have a whole number of values.
fn rounded_up(policy: &CheckedPolicy, asked: &Asked) -> Option<String> {
    let l = policy.requirements.iter().find_map(|asked| match asked {
        Requirement::LDiversity(asked) => Some(asked.diversity.l()),
        _ => None,
    })?;
    let rounded = asked.strategy == Strategy::Anatomy && l.denominator() != 1;
    rounded.then(|| {
        format!("l = {l} is not a whole number: groups of {} different values are formed", asked.demand.l)
    })
}

fn warnings(asked: &Asked, shown: &Shown, knowledge: &Knowledge) -> Vec<String> {
    let mut warnings = vec![
        "quasi-identifiers are published exactly as they are: whoever knows them can tell that a person is in the data, \
         and in which group"
            .to_string(),
    ];
    match (asked.demand.l, asked.k) {
        (1, 1) => {
            warnings.push("l = 1 asks nothing: groups of one record publish their values".to_string());
        }
        (1, _) => warnings.push("l = 1 asks nothing: all records of a group may share one value".to_string()),
        _ => {}
    }
    if knowledge.is_empty && asked.strategy != Strategy::Anatomy {
        warnings.push(
            "no rule is known to the adversary, so the groups protect no more than Anatomy's; lower min_expectation in \
             [knowledge], or state rules of your own in a rules file, if he may know something"
                .to_string(),
        );
    }
    let muted = shown.rules.iter().filter(|rule| rule.origin == Origin::Muted).count();
    if muted > 0 {
        let muted = counted(muted as u64, "mined rule is", "mined rules are");
        warnings.push(format!("{muted} struck out: who knows more may learn more than l allows"));
    }
    warnings.extend(shown.absent.iter().cloned());
    warnings.extend(idle_note(shown));
    if knowledge.exceptions > 0 {
        warnings.push(format!(
            "{} a value that a rule excludes there; rules count as facts except where the data refutes them",
            counted(knowledge.exceptions, "record has", "records have")
        ));
    }
    warnings
}

/// A rule that is to be struck out and was never mined may be a slip of the pen.
pub fn idle_note(shown: &Shown) -> Option<String> {
    let idle: Vec<String> = shown.idle.iter().map(ToString::to_string).collect();
    (!idle.is_empty()).then(|| {
        format!(
            "nothing that was mined is struck out by 'mute {}'; `privet mine` lists what was",
            idle.join("', 'mute ")
        )
    })
}
