//! Requirements as reports know them.

use crate::policy::{Clause, PolicyColumn, Setting};
use crate::release::report::{Attack, Cover, Diversity, Notion, Protection, Requirement};
use crate::release::suppression;

/// A requirement as reports know it.
pub(in crate::release) fn requirement(
    clause: &Clause,
    scheme: Option<&str>,
    columns: &[PolicyColumn],
) -> Requirement {
    let text = |key: &str| {
        clause.settings.get(key).map(|setting: &Setting| setting.show(columns)).unwrap_or_default()
    };
    let notion = match clause.name() {
        "k-anonymity" => Notion::KAnonymity { k: clause.settings.count("k").unwrap_or(1) },
        "l-diversity" => Notion::LDiversity {
            column: text("column"),
            l: text("l"),
            kind: match clause.settings.choice("kind") {
                Some("frequency") => Diversity::Frequency,
                Some("entropy") => Diversity::Entropy,
                Some("recursive") => Diversity::Recursive { c: text("c") },
                _ => Diversity::Distinct,
            },
        },
        "t-closeness" => {
            Notion::TCloseness { column: text("column"), t: text("t"), distance: text("distance") }
        }
        "l-plus-diversity" => Notion::Other {
            name: format!("l⁺-diversity of {}", text("column")),
            promise: format!(
                "no value of {} has more than its threshold's share of those who look alike",
                text("column")
            ),
            column: Some(text("column")),
            protections: limited_confidence(&text("column"), scheme),
        },
        "ff-anonymity" => crate::release::freeform::notion(&text("threat")),
        "qs-diversity" | "qs-closeness" => crate::release::links::notion(clause, &text("column"), &text),
        name => Notion::Other {
            name: name.to_string(),
            promise: clause.declaration.summary.to_string(),
            column: clause.settings.column("column").map(|column| columns[column].name.clone()),
            protections: Vec::new(),
        },
    };
    Requirement { notion, description: clause.describe(columns) }
}

/// What thresholds on the confidence in single values protect against.
fn limited_confidence(column: &str, scheme: Option<&str>) -> Vec<Protection> {
    let (cover, caution) = if suppression::can_be_undone(scheme) {
        (Cover::Partly, " Whoever knows how cells or records were suppressed may become surer.")
    } else {
        (Cover::Bounded, "")
    };
    vec![
        Protection {
            attack: Attack::Homogeneity,
            cover,
            meaning: format!(
                "Each value of {column} is known with a confidence of at most its threshold.{caution}"
            ),
        },
        Protection {
            attack: Attack::Skew,
            cover: Cover::Partly,
            meaning: format!(
                "No value of {column} is ever likelier than its threshold; a rare one may still be many times likelier \
                 than usual."
            ),
        },
    ]
}
