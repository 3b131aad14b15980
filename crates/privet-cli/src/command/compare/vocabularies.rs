//! Policies about query logs and vocabularies.

use std::path::Path;

use privet::Result;
use privet::engine::clock::Clock;
use privet::loss::bags::BagLoss;
use privet::method::vocabulary::{self, COST};
use privet::policy::VocabularyPolicy;
use serde_json::{Value as Json, json};

use super::{Comparison, Line, number};

struct Reached {
    seconds: f64,
    loss: BagLoss,
    clusters: usize,
    withheld: usize,
}

pub(super) fn run(policies: &[(&Path, VocabularyPolicy)], clock: &Clock) -> Result<Comparison> {
    let mut lines = Vec::new();
    for (path, policy) in policies {
        clock.progress().stage(&path.display().to_string(), None);
        let outcome = vocabulary::decide(policy, clock).map(|decided| Reached {
            seconds: decided.solution.search.seconds,
            loss: BagLoss::of(&decided.bags, &decided.solution, &decided.distances),
            clusters: decided.solution.clusters.len(),
            withheld: decided.solution.withheld.len(),
        });
        lines.push(Line::new(path, policy.method.name(), outcome)?);
    }
    let header: Vec<String> = [
        "policy",
        "method",
        "seconds",
        COST,
        "gLM",
        "distinct terms",
        "size",
        "clusters",
        "withheld",
        "note",
    ]
    .map(String::from)
    .into();
    let width = header.len();
    let cells = |reached: &Reached| {
        vec![
            format!("{:.3}", reached.seconds),
            number(reached.loss.blm.value()),
            reached.loss.glm.map_or("-".to_string(), |glm| number(glm.value())),
            number(reached.loss.distinct_terms.value()),
            number(reached.loss.average_size.value()),
            reached.clusters.to_string(),
            reached.withheld.to_string(),
        ]
    };
    let rows = lines.iter().map(|line| line.row(width, cells));
    let drawn = |line: &Line<Reached>| {
        let reached = line.outcome.as_ref().ok()?;
        Some((line.policy.clone(), reached.loss.blm.value()))
    };
    Ok(Comparison {
        rows: [header].into_iter().chain(rows).collect(),
        note: "",
        bars: (COST, lines.iter().filter_map(drawn).collect()),
        json: lines.iter().map(|line| line.to_json(facts)).collect(),
    })
}

fn facts(reached: &Reached) -> Json {
    let loss = &reached.loss;
    json!({
        "seconds": reached.seconds, "clusters": reached.clusters, "withheld": reached.withheld,
        "loss": {
            COST: loss.blm.value(), "gLM": loss.glm.map(|glm| glm.value()),
            "distinct-terms": loss.distinct_terms.value(), "vocabulary-size": loss.average_size.value(),
        },
    })
}
