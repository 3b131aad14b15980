//! What models of populations and of risk promise, as reports say it.

use crate::release::report::{Attack, Cover, Notion, Protection};
use privet_policy::requirement;
use privet_policy::requirement::{CountedBy, OnSuppression};

fn notion(name: String, promise: String, protections: Vec<Protection>) -> Notion {
    Notion::Other { name, promise, column: None, protections }
}

fn against(attack: Attack, cover: Cover, meaning: String) -> Protection {
    Protection { attack, cover, meaning }
}

pub(super) fn k_map(asked: &requirement::KMap) -> Notion {
    let k = asked.k;
    let (how, cover) = match asked.by {
        None | Some(CountedBy::Population) => ("counted in the table of the population", Cover::Partly),
        Some(CountedBy::Weights) => ("as survey weights estimate", Cover::Mitigated),
        Some(CountedBy::Poisson | CountedBy::ZeroTruncatedPoisson) => {
            ("by a test on the sizes of classes, which is a test, not a proof", Cover::Mitigated)
        }
    };
    notion(
        format!("{k}-map"),
        format!("behind every class there are at least {k} people of the population, {how}"),
        vec![against(
            Attack::Linking,
            cover,
            format!(
                "Somebody who knows the population but not who of it is in the data is right about a match with a chance of at \
                 most 1/{k}, {how}. It promises nothing against somebody who knows that a person is in the data."
            ),
        )],
    )
}

pub(super) fn delta_presence(asked: &requirement::DeltaPresence) -> Notion {
    let (min, max) = (asked.min, asked.max);
    let (cover, caution) = match asked.on_suppression {
        OnSuppression::Refuse => (Cover::Bounded, ""),
        OnSuppression::Ignore => {
            (Cover::Partly, " Presence is hidden partly: classes that were left out are not bounded.")
        }
    };
    notion(
        format!("({min}, {max})-presence"),
        format!(
            "of the people behind every class of the population, a share from {min} to {max} is in the data"
        ),
        vec![against(
            Attack::SinglingOut,
            cover,
            format!(
                "Whether a known person of the population is in the data is known with a confidence between {min} and {max}.{caution}"
            ),
        )],
    )
}

pub(super) fn individual_risk(asked: &requirement::IndividualRisk) -> Notion {
    let max = asked.max;
    notion(
        format!("individual risk of at most {max}"),
        format!("by survey weights, each record is found with an expected chance of at most {max}"),
        vec![against(
            Attack::Linking,
            Cover::Mitigated,
            format!(
                "If weights are right and people behind a class follow the model, a match is right with a chance of at most {max}. \
                 It is an estimate, not a proof."
            ),
        )],
    )
}

pub(super) fn household_risk(asked: &requirement::HouseholdRisk) -> Notion {
    let max = asked.max;
    notion(
        format!("household risk of at most {max}"),
        format!("somebody of a household is found with a chance of at most {max}"),
        vec![against(
            Attack::Linking,
            Cover::Mitigated,
            format!(
                "Somebody of a household is found with a chance of at most {max}, if the risks of its members are right and do not \
                 depend on each other. Anybody who knows the make-up of a household may know more."
            ),
        )],
    )
}

pub(super) fn average_risk(asked: &requirement::AverageRisk) -> Notion {
    let max = asked.max;
    let also = match (asked.highest, asked.at_risk) {
        (Some(highest), share) => {
            let share = share.map_or("0".to_string(), |share| share.to_string());
            format!("; at most a share of {share} of the records with a chance above {highest}")
        }
        (None, _) => String::new(),
    };
    notion(
        format!("average risk of at most {max}"),
        format!("on average a released record is found with a chance of at most {max}{also}"),
        vec![against(
            Attack::Linking,
            Cover::Partly,
            format!(
                "Somebody who matches all records with another table is right about a share of at most {max}. A single record may \
                 be far easier to find{also}."
            ),
        )],
    )
}

pub(super) fn sample_uniqueness(asked: &requirement::SampleUniqueness) -> Notion {
    let max = asked.max;
    notion(
        format!("sample uniqueness of at most {max}"),
        format!("at most a share of {max} of the released records is alone in its class"),
        vec![against(
            Attack::Linking,
            Cover::Partly,
            format!(
                "At most a share of {max} of the released records looks like no other. Which ones, everybody sees."
            ),
        )],
    )
}

pub(super) fn population_uniqueness(asked: &requirement::PopulationUniqueness) -> Notion {
    let (max, estimator) = (asked.max, asked.estimator);
    notion(
        format!("population uniqueness of at most {max}"),
        format!("an estimated share of at most {max} of the population is unique, by {estimator}"),
        vec![against(
            Attack::Linking,
            Cover::Mitigated,
            format!(
                "By the estimator {estimator}, at most a share of {max} of the population is alone in its values. It is an \
                 estimate, not a proof."
            ),
        )],
    )
}
