//! Requirements as reports know them.

use super::population;
use crate::release::report::{Attack, Cover, Diversity, Notion, Protection, Requirement};
use crate::release::suppression;
use privet_core::Exact;
use privet_policy::method::Scheme;
use privet_policy::requirement;
use privet_policy::{PolicyColumn, Requirement as Asked};

/// A requirement as reports know it.
pub(crate) fn requirement(asked: &Asked, scheme: Option<Scheme>, columns: &[PolicyColumn]) -> Requirement {
    let named = |column: usize| columns.get(column).map_or(String::new(), |column| column.name.clone());
    let plain = |column: Option<usize>| Notion::Other {
        name: asked.name().to_string(),
        promise: asked.declaration().summary.to_string(),
        column: column.map(named),
        protections: Vec::new(),
    };
    let notion = match asked {
        Asked::KAnonymity(asked) => Notion::KAnonymity { k: asked.k },
        Asked::LDiversity(asked) => Notion::LDiversity {
            column: named(asked.column),
            l: asked.diversity.l().to_string(),
            kind: match asked.diversity {
                requirement::Diversity::Distinct(_) => Diversity::Distinct,
                requirement::Diversity::Frequency(_) => Diversity::Frequency,
                requirement::Diversity::Entropy(_) => Diversity::Entropy,
                requirement::Diversity::Recursive { c, .. } => Diversity::Recursive { c: c.to_string() },
            },
        },
        Asked::TCloseness(asked) => Notion::TCloseness {
            column: named(asked.column),
            t: asked.t.to_string(),
            distance: asked.distance.to_string(),
        },
        Asked::LPlusDiversity(asked) => {
            let column = named(asked.column);
            Notion::Other {
                name: format!("l⁺-diversity of {column}"),
                promise: format!(
                    "no value of {column} has more than its threshold's share of those who look alike"
                ),
                protections: limited_confidence(&column, scheme),
                column: Some(column),
            }
        }
        Asked::NtCloseness(requirement::NtCloseness { column, n, t, .. }) => {
            let column = named(*column);
            Notion::Other {
                name: format!("({n}, {t})-closeness of {column}"),
                promise: format!(
                    "{column} is distributed among those who look alike within a distance of {t} from a group of at least {n} \
                     people that they belong to"
                ),
                protections: vec![Protection {
                    attack: Attack::Skew,
                    cover: Cover::Partly,
                    meaning: format!(
                        "Looking alike changes what can be believed about {column} by at most {t} against a group of at least \
                         {n} people; such a group may itself be far from the whole table."
                    ),
                }],
                column: Some(column),
            }
        }
        Asked::BetaLikeness(asked) => beta_likeness(asked, named(asked.column)),
        Asked::DeltaDisclosure(asked) => delta_disclosure(asked, named(asked.column)),
        Asked::KMap(asked) => population::k_map(asked),
        Asked::DeltaPresence(asked) => population::delta_presence(asked),
        Asked::IndividualRisk(asked) => population::individual_risk(asked),
        Asked::HouseholdRisk(asked) => population::household_risk(asked),
        Asked::AverageRisk(asked) => population::average_risk(asked),
        Asked::SampleUniqueness(asked) => population::sample_uniqueness(asked),
        Asked::PopulationUniqueness(asked) => population::population_uniqueness(asked),
        Asked::KlOfSets(asked) => kl_of_sets(asked, named(asked.column)),
        Asked::LkcPrivacy(asked) => crate::release::lkc::notion(asked, asked.column.map(named)),
        Asked::FfAnonymity(asked) => crate::release::freeform::notion(&asked.threat.to_string()),
        Asked::QsDiversity(asked) => crate::release::links::diversity(asked, &named(asked.column)),
        Asked::QsCloseness(asked) => crate::release::links::closeness(asked, &named(asked.column)),
        // The reports about groups and projections speak of these in their own words.
        Asked::MatchingLDiversity(asked) => plain(Some(asked.column)),
        Asked::Projection(_) => plain(None),
    };
    Requirement { name: asked.name().to_string(), notion, description: asked.describe(columns) }
}

/// What KL(m, 0)-privacy inside classes promises.
fn kl_of_sets(asked: &requirement::KlOfSets, column: String) -> Notion {
    let requirement::KlOfSets { k, l, m, .. } = asked;
    let items = privet_core::counted(*m, "item", "items");
    let mut protections = vec![Protection {
        attack: Attack::Linking,
        cover: Cover::Bounded,
        meaning: format!(
            "Who knows somebody's quasi-identifiers and at most {items} of {column} finds at least {k} records that fit. Who \
             knows more items may find fewer."
        ),
    }];
    if *l > Exact::ONE {
        protections.push(Protection {
            attack: Attack::Homogeneity,
            cover: Cover::Bounded,
            meaning: format!(
                "Among the records that fit what is known, at most 1 in {l} has any one sensitive item of {column}, unless the \
                 item has a threshold of its own."
            ),
        });
    }
    Notion::Other {
        name: format!("KL({m}, 0)-privacy of {column}"),
        promise: format!(
            "among those who look alike, any {items} of {column} that somebody has are shared by at least {k} records"
        ),
        protections,
        column: Some(column),
    }
}

/// What β-likeness promises.
fn beta_likeness(asked: &requirement::BetaLikeness, column: String) -> Notion {
    let beta = asked.beta;
    let name = match asked.kind {
        requirement::LikenessKind::Basic => format!("basic {beta}-likeness of {column}"),
        requirement::LikenessKind::Enhanced => format!("enhanced {beta}-likeness of {column}"),
    };
    Notion::Other {
        name,
        promise: format!(
            "no value of {column} has a share among those who look alike that exceeds its share p of the whole table by more \
             than {beta} times p"
        ),
        protections: vec![Protection {
            attack: Attack::Skew,
            cover: Cover::Bounded,
            meaning: format!(
                "Looking alike makes a value of {column} likelier by at most {beta} times its share of the whole table. That a \
                 value becomes less likely is not limited."
            ),
        }],
        column: Some(column),
    }
}

/// What δ-disclosure privacy promises.
fn delta_disclosure(asked: &requirement::DeltaDisclosure, column: String) -> Notion {
    let delta = asked.delta;
    let (cover, caution) = match asked.absent {
        requirement::Absent::Violates => (Cover::Bounded, ""),
        requirement::Absent::Skip => (
            Cover::Partly,
            " Values that nobody of them has are not looked at: that somebody lacks a value may show.",
        ),
    };
    Notion::Other {
        name: format!("{delta}-disclosure privacy of {column}"),
        promise: format!(
            "each value of {column} is less than 2^{delta} times as frequent or as rare among those who look alike as in the \
             whole table"
        ),
        protections: vec![Protection {
            attack: Attack::Skew,
            cover,
            meaning: format!(
                "Looking alike makes a value of {column} likelier or less likely by a factor below 2^{delta}.{caution}"
            ),
        }],
        column: Some(column),
    }
}

/// What thresholds on the confidence in single values protect against.
fn limited_confidence(column: &str, scheme: Option<Scheme>) -> Vec<Protection> {
    let (cover, caution) = if suppression::can_be_undone(scheme) {
        (Cover::Partly, " Anyone who knows how cells or records were suppressed may become surer.")
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
    if matches!(scheme, Some(Scheme::AllRec | Scheme::AllSa)) {
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

/// That a plan was drawn out of several: anyone who knows the method cannot tell which ones were refused.
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
        assert_eq!(minimality(&limited_confidence("disease", Some(Scheme::AllSa))), Some(Cover::Mitigated));
        for scheme in [None, Some(Scheme::None), Some(Scheme::VioSa), Some(Scheme::VioRec)] {
            assert_eq!(minimality(&limited_confidence("disease", scheme)), None, "{scheme:?}");
        }
        let protections = limited_confidence("disease", Some(Scheme::VioSa));
        let notion = Notion::Other { name: String::new(), promise: String::new(), column: None, protections };
        let mut requirements = [Requirement { name: String::new(), notion, description: String::new() }];
        drawn(&mut requirements);
        let Notion::Other { protections, .. } = &requirements[0].notion else { panic!("another notion") };
        assert_eq!(minimality(protections), Some(Cover::Mitigated));
    }
}
