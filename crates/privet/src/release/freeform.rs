//! What reports say about FF-anonymity.

use super::account::inequality;
use super::baselines::released_records;
use super::report::{Attack, ColumnAccount, Cover, Notion, Protection, Side, Sourced, Tightness};
use privet_attack::freeform::MixedTable;
use privet_core::Result;
use privet_core::counted;
use privet_engine::microdata::Microdata;
use privet_engine::privacy::freeform::model;
use privet_methods::recoding::Recoding;
use privet_policy::requirement::FfAnonymity;
use privet_policy::{CheckedPolicy, Requirement};

/// What FF-anonymity promises.
pub(super) fn notion(threat: &str) -> Notion {
    Notion::Other {
        name: "FF-anonymity".to_string(),
        promise: format!(
            "nobody who sees any values that can be observed infers a hidden one with a probability that, times how sensitive \
             it is, exceeds {threat}"
        ),
        column: None,
        protections: vec![
            Protection {
                attack: Attack::Homogeneity,
                cover: Cover::Bounded,
                meaning: format!(
                    "What can be seen of somebody, in whatever columns, tells a guarded value of another column with a \
                     threat of at most {threat}."
                ),
            },
            Protection {
                attack: Attack::OutsideKnowledge,
                cover: Cover::Partly,
                meaning: "Any observable values may be known. Who knows a guarded value already, or part of the very column \
                          that is asked about, such as the bracket of an income, can become surer than promised."
                    .to_string(),
            },
            Protection {
                attack: Attack::Skew,
                cover: Cover::Partly,
                meaning: "No threat exceeds the threshold; a rare value may still be many times likelier than usual."
                    .to_string(),
            },
        ],
    }
}

/// Marks the nodes of the drawn taxonomies: what is guarded and what is visible.
pub(super) fn mark(
    columns: &mut [ColumnAccount],
    policy: &CheckedPolicy,
    microdata: &Microdata,
) -> Result<()> {
    let mixed = microdata.quasi.iter().map(|quasi| (quasi.index, quasi.taxonomy.clone()));
    for attribute in &model(policy, mixed)?.attributes {
        let drawn = columns.iter_mut().find(|column| column.name == attribute.name);
        let nodes = drawn.and_then(|column| column.taxonomy.as_mut()).map(|drawing| &mut drawing.nodes);
        for node in nodes.into_iter().flatten() {
            let Some(id) = attribute.taxonomy.find(&node.label) else { continue };
            let mark = match (attribute.is_observable(id.0), attribute.sensitivity(id.0).numerator) {
                (true, _) => "visible",
                (false, 0) => "not visible",
                (false, _) => "guarded",
            };
            node.mark = Some(mark.to_string());
        }
    }
    Ok(())
}

/// How near the worst attack comes to the threshold.
pub(super) fn tightness(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    recoding: &Recoding,
) -> Result<Vec<Tightness>> {
    let table = MixedTable::of_nodes(policy, released_records(microdata, recoding))?;
    let asked = policy.requirements.iter().find(|asked| matches!(asked, Requirement::FfAnonymity(_)));
    let Some(asked @ Requirement::FfAnonymity(FfAnonymity { threat: threshold, .. })) = asked else {
        return Ok(Vec::new());
    };
    let entry = |exact: String, worst: String, value: f64, holds: bool| Tightness {
        requirement: "ff-anonymity".to_string(),
        column: None,
        inequality: inequality(asked),
        exact: exact.into(),
        worst: worst.into(),
        value: Sourced::Released(value),
        threshold: threshold.to_f64(),
        side: Side::AtMost,
        counted: false,
        from_data: false,
        holds,
    };
    Ok(vec![match table.worst() {
        Some(worst) => entry(
            format!("{} of {}", worst.hits, worst.support),
            format!("{worst} ({} of {})", worst.hits, counted(worst.support, "record", "records")),
            worst.threat,
            !worst.is_breach,
        ),
        // Which values are in danger is decided exactly; the figure is only shown.
        None => entry(
            String::new(),
            "whatever is released threatens nobody, however sure an attacker is".to_string(),
            most_sensitive(policy, microdata, recoding)?,
            true,
        ),
    }])
}

/// How sensitive the most sensitive released value is: its threat to who is sure of it.
fn most_sensitive(policy: &CheckedPolicy, microdata: &Microdata, recoding: &Recoding) -> Result<f64> {
    let mixed = microdata.quasi.iter().map(|quasi| (quasi.index, quasi.taxonomy.clone()));
    let model = model(policy, mixed)?;
    let mut most: f64 = 0.0;
    for (quasi, column) in microdata.quasi.iter().zip(&recoding.columns) {
        let attribute = model.attributes.iter().find(|attribute| attribute.name == quasi.name);
        let Some(attribute) = attribute else { continue };
        let nodes = column.cells.iter().filter_map(|cell| cell.node);
        for node in nodes.filter(|node| !attribute.is_observable(node.0)) {
            most = most.max(attribute.sensitivity(node.0).to_f64());
        }
    }
    Ok(most)
}
