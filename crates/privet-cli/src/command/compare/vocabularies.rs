//! Policies about query logs and vocabularies.

use privet::Result;
use privet::clock::Clock;
use privet::method::vocabulary::loss::BagLoss;
use privet::method::vocabulary::{self, COST};
use privet::policy::VocabularyPolicy;
use serde_json::{Value as Json, json};

use super::{Comparison, EXACTLY, Labelled, Line, Point, number};

struct Reached {
    seconds: f64,
    loss: BagLoss,
    clusters: usize,
    withheld: usize,
    /// The members of the smallest cluster, if there is one.
    smallest: Option<usize>,
}

impl Reached {
    /// The chance to pick the right vocabulary of somebody who is in the smallest cluster.
    fn risk(&self) -> Option<f64> {
        self.smallest.map(|smallest| 1.0 / smallest as f64)
    }
}

pub(super) fn run(policies: &[Labelled<VocabularyPolicy>], clock: &Clock) -> Result<Comparison> {
    let mut lines = Vec::new();
    for labelled in policies {
        clock.progress().stage(&labelled.label, None);
        let policy = &labelled.policy;
        let outcome = vocabulary::decide(policy, clock).map(|decided| Reached {
            seconds: decided.solution.search.seconds,
            loss: BagLoss::of(&decided.bags, &decided.solution, &decided.distances),
            clusters: decided.solution.clusters.len(),
            withheld: decided.solution.withheld.len(),
            smallest: decided.solution.clusters.iter().map(|cluster| cluster.members.len()).min(),
        });
        lines.push(Line::new(labelled, policy.method.name(), outcome)?);
    }
    let header: Vec<String> = [
        "policy",
        "method",
        "seconds",
        EXACTLY,
        COST,
        "gLM",
        "distinct terms",
        "size",
        "clusters",
        "withheld",
        "max risk",
        "note",
    ]
    .map(String::from)
    .into();
    let width = header.len();
    let cells = |reached: &Reached| {
        vec![
            format!("{:.3}", reached.seconds),
            number(reached.loss.exactly.value()),
            number(reached.loss.blm.value()),
            reached.loss.glm.map_or("-".to_string(), |glm| number(glm.value())),
            number(reached.loss.distinct_terms.value()),
            number(reached.loss.average_size.value()),
            reached.clusters.to_string(),
            reached.withheld.to_string(),
            reached.risk().map_or("-".to_string(), number),
        ]
    };
    let rows = lines.iter().map(|line| line.row(width, cells));
    Ok(Comparison {
        rows: [header].into_iter().chain(rows).collect(),
        note: "",
        bars: (COST, lines.iter().filter_map(|line| line.bar(|reached| reached.loss.blm.value())).collect()),
        axes: ("bLM: share of detail lost per occurrence of a term", "greatest risk: 1 / smallest cluster"),
        points: lines
            .iter()
            .filter_map(|line| line.point(|reached| Some(Point(reached.loss.blm.value(), reached.risk()?))))
            .collect(),
        json: lines.iter().map(|line| line.to_json(facts)).collect(),
    })
}

fn facts(reached: &Reached) -> Json {
    let loss = &reached.loss;
    json!({
        "seconds": reached.seconds, "clusters": reached.clusters, "withheld": reached.withheld,
        "published_exactly": loss.exactly.value(), "risk": { "max": reached.risk() },
        "loss": {
            COST: loss.blm.value(), "gLM": loss.glm.map(|glm| glm.value()),
            "distinct-terms": loss.distinct_terms.value(), "vocabulary-size": loss.average_size.value(),
        },
    })
}
