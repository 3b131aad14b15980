//! Policies about a table whose methods publish exact quasi-identifiers in groups.

use std::time::Instant;

use privet::Result;
use privet::clock::Clock;
use privet::engine::microdata::Microdata;
use privet::method::injector::decide;
use privet::method::injector::utility::Accuracy;
use privet::policy::CheckedPolicy;
use serde_json::{Value as Json, json};

use super::{Comparison, EXACTLY, Labelled, Line, Point, number};

/// All policies are asked the same queries.
const QUERIES: u64 = 1;

struct Reached {
    suppressed: u64,
    groups: u64,
    smallest: usize,
    largest: usize,
    least_valid: usize,
    vulnerable: u64,
    surest: Option<f64>,
    rules: u64,
    seconds: f64,
    query_error: Option<f64>,
    /// The share of quasi-identifier cells that are published as they are.
    exactly: f64,
}

pub(super) fn run(policies: &[Labelled<CheckedPolicy>], clock: &Clock) -> Result<Comparison> {
    let mut lines = Vec::new();
    for labelled in policies {
        clock.progress().stage(&labelled.label, None);
        let policy = &labelled.policy;
        let microdata = Microdata::read(policy, &mut |_| clock.check())?;
        let start = Instant::now();
        let outcome = decide(policy, &microdata, policy.seed.unwrap_or(0), clock).map(|decision| {
            let seconds = start.elapsed().as_secs_f64();
            let exposure = &decision.exposure;
            let released: u64 = decision.grouping.groups.iter().map(|group| group.len() as u64).sum();
            let accuracy = Accuracy::of(&decision.observations, &decision.grouping, QUERIES);
            Reached {
                suppressed: microdata.summary.total() - released,
                groups: exposure.groups,
                smallest: exposure.sizes.keys().next().copied().unwrap_or(0),
                largest: exposure.sizes.keys().last().copied().unwrap_or(0),
                least_valid: if exposure.groups == 0 { 0 } else { exposure.least_valid },
                vulnerable: exposure.vulnerable,
                surest: exposure.posterior.as_ref().map(|posterior| posterior.to_f64()),
                rules: decision.mined,
                seconds,
                query_error: accuracy.map(|accuracy| accuracy.here),
                exactly: released as f64 / microdata.summary.total().max(1) as f64,
            }
        });
        lines.push(Line::new(labelled, policy.method.name(), outcome)?);
    }
    let header = [
        "policy",
        "method",
        "suppressed",
        "groups",
        "sizes",
        "fewest values",
        "vulnerable",
        "surest",
        "mined rules",
        "seconds",
        EXACTLY,
        "query error",
        "note",
    ];
    let figure = |value: Option<f64>| value.map_or_else(|| "-".to_string(), number);
    let cells = |reached: &Reached| {
        vec![
            reached.suppressed.to_string(),
            reached.groups.to_string(),
            format!("{}-{}", reached.smallest, reached.largest),
            reached.least_valid.to_string(),
            reached.vulnerable.to_string(),
            figure(reached.surest),
            reached.rules.to_string(),
            format!("{:.3}", reached.seconds),
            number(reached.exactly),
            figure(reached.query_error),
        ]
    };
    let rows = lines.iter().map(|line| line.row(header.len(), cells));
    let errors = lines.iter().filter_map(|line| line.outcome.as_ref().ok()?.query_error);
    let worst = errors.fold(0.0, f64::max);
    let share = |reached: &Reached| Some(reached.query_error? / if worst > 0.0 { worst } else { 1.0 });
    let drawn = |line: &Line<Reached>| Some((line.policy.clone(), share(line.outcome.as_ref().ok()?)?));
    Ok(Comparison {
        rows: [header.map(String::from).to_vec()].into_iter().chain(rows).collect(),
        note: "\nVulnerable records have fewer than l possible values to somebody who knows the rules of their policy's \
               [knowledge]; 'fewest\nvalues' is what is possible for the worst of them, 'surest' how sure of a value he can be. \
               The query error is the mean\nrelative error of 200 COUNT queries, the same for all policies on the same columns.\n",
        bars: ("query error", lines.iter().filter_map(drawn).collect()),
        axes: ("query error, the worst of these being 1", "how sure of a value one can be"),
        points: lines
            .iter()
            .filter_map(|line| line.point(|reached| Some(Point(share(reached)?, reached.surest?))))
            .collect(),
        json: lines.iter().map(|line| line.to_json(facts)).collect(),
    })
}

fn facts(reached: &Reached) -> Json {
    json!({
        "suppressed": reached.suppressed, "groups": reached.groups, "smallest": reached.smallest,
        "largest": reached.largest, "least_valid": reached.least_valid, "vulnerable": reached.vulnerable,
        "posterior": reached.surest, "rules": reached.rules, "seconds": reached.seconds,
        "published_exactly": reached.exactly, "loss": { "query-error": reached.query_error },
    })
}
