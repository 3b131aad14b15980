//! Requirements as reports know them.

use crate::release::report::{Attack, Cover, Diversity, Notion, Protection, Requirement};
use crate::release::suppression;
use privet_policy::{Clause, PolicyColumn, Setting};

/// A requirement as reports know it.
pub(crate) fn requirement(clause: &Clause, scheme: Option<&str>, columns: &[PolicyColumn]) -> Requirement {
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
        "n-t-closeness" => Notion::Other {
            name: format!("({}, {})-closeness of {}", text("n"), text("t"), text("column")),
            promise: format!(
                "{} is distributed among those who look alike within a distance of {} from a group of at least {} people \
                 that they belong to",
                text("column"),
                text("t"),
                text("n")
            ),
            column: Some(text("column")),
            protections: vec![Protection {
                attack: Attack::Skew,
                cover: Cover::Partly,
                meaning: format!(
                    "Looking alike changes what can be believed about {} by at most {} against a group of at least {} people; \
                     such a group may itself be far from the whole table.",
                    text("column"),
                    text("t"),
                    text("n")
                ),
            }],
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
    let mut protections = vec![
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
    ];
    if matches!(scheme, Some("all-rec" | "all-sa")) {
        protections.push(Protection {
            attack: Attack::Minimality,
            cover: Cover::Mitigated,
            meaning: "Classes are suppressed as a whole, so that what is missing says little about single values. Why no finer \
                      release was made can still be reasoned about."
                .to_string(),
        });
    }
    protections
}

/// That a plan was drawn out of several: whoever knows the method cannot tell which ones were refused.
pub(super) fn drawn(requirements: &mut [Requirement]) {
    for requirement in requirements {
        let Notion::Other { protections, .. } = &mut requirement.notion else { continue };
        protections.retain(|protection| protection.attack != Attack::Minimality);
        protections.push(Protection {
            attack: Attack::Minimality,
            cover: Cover::Mitigated,
            meaning: "The release is one of several good ones, drawn by a secret key: that it was made does not say that every \
                      finer one was refused."
                .to_string(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minimality(protections: &[Protection]) -> Option<Cover> {
        protections.iter().find(|entry| entry.attack == Attack::Minimality).map(|entry| entry.cover)
    }

    #[test]
    fn suppressing_whole_classes_or_drawing_a_plan_makes_reasoning_harder() {
        assert_eq!(minimality(&limited_confidence("disease", Some("all-sa"))), Some(Cover::Mitigated));
        for scheme in [None, Some("none"), Some("vio-sa"), Some("vio-rec")] {
            assert_eq!(minimality(&limited_confidence("disease", scheme)), None, "{scheme:?}");
        }
        let protections = limited_confidence("disease", Some("vio-sa"));
        let notion = Notion::Other { name: String::new(), promise: String::new(), column: None, protections };
        let mut requirements = [Requirement { notion, description: String::new() }];
        drawn(&mut requirements);
        let Notion::Other { protections, .. } = &requirements[0].notion else { panic!("another notion") };
        assert_eq!(minimality(protections), Some(Cover::Mitigated));
    }
}
