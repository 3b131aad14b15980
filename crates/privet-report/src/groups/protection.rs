//! What groups promise, and what they do not: the honest matrix for exact quasi-identifiers in groups.

use super::super::notion::{Attack, Cover, Protection};
use super::GroupLimit;

/// What groups are held against, in the order of the report.
const ON_GROUPS: [Attack; 12] = [
    Attack::Linking,
    Attack::Homogeneity,
    Attack::OutsideKnowledge,
    Attack::Skew,
    Attack::Similarity,
    Attack::StatisticalInference,
    Attack::UndeclaredColumns,
    Attack::Minimality,
    Attack::Composition,
    Attack::SeveralRecords,
    Attack::FilesAndOrder,
    Attack::SinglingOut,
];

/// What the requirement promises, as a clause that can follow "In this release".
pub fn promise(limit: &GroupLimit) -> String {
    let (l, column) = (limit.l, &limit.column);
    let mut size = match limit.k {
        0 | 1 => String::new(),
        k => format!(", and every group has at least {k} records"),
    };
    if let Some(t) = &limit.t {
        size += &format!(
            ", and in every group {column} is distributed as in the whole table up to a distance of {t}"
        );
    }
    if l <= 1 {
        return match limit.k {
            0 | 1 if limit.t.is_none() => "nothing is promised, for l = 1 asks nothing".to_string(),
            _ => format!("one value of {column} or more stays possible for every record{size}"),
        };
    }
    if !limit.knowledge {
        return format!(
            "every group of records has at least {l} values of {column}, each for at most one record in {l}{size}"
        );
    }
    let bound = match &limit.max_posterior {
        Some(bound) => format!(", none of them likelier than {bound} if all assignments are"),
        None => String::new(),
    };
    format!(
        "at least {l} values of {column} stay possible for every record{bound}, whatever rules of the policy an attacker \
         knows{size}"
    )
}

/// Sets the requirement against every attack.
pub fn protections(limit: &GroupLimit) -> Vec<Protection> {
    let protection = |attack: Attack| {
        let (cover, meaning) =
            against(limit, attack).unwrap_or_else(|| (Cover::Uncovered, attack.uncovered().to_string()));
        Protection { attack, cover, meaning }
    };
    ON_GROUPS.into_iter().map(protection).collect()
}

fn against(limit: &GroupLimit, attack: Attack) -> Option<(Cover, String)> {
    let (l, column) = (limit.l, &limit.column);
    match attack {
        Attack::Linking => Some((
            Cover::Uncovered,
            "Quasi-identifiers are published exactly as they are. Anyone who knows them can tell that a person is in the \
             data, and in which group; only the sensitive value is hidden."
                .to_string(),
        )),
        Attack::Homogeneity if l > 1 => {
            Some((Cover::Bounded, format!("Every group has at least {l} different values of {column}.")))
        }
        Attack::OutsideKnowledge if l > 1 && limit.knowledge => Some((
            Cover::Partly,
            format!(
                "Anyone who knows the mined and the stated rules about what cannot be still finds {l} values possible for \
                 everybody. Other knowledge is not bounded, nor how likely each value is{}.",
                if limit.max_posterior.is_some() { " where assignments are not equally likely" } else { "" }
            ),
        )),
        Attack::OutsideKnowledge => Some((
            Cover::Uncovered,
            "A value that is out of the question for some records of a group gives the others away.".to_string(),
        )),
        Attack::Skew if limit.t.is_some() => Some((
            Cover::Bounded,
            format!(
                "Knowing the group changes what can be believed about {column} by a distance of at most {}.",
                limit.t.as_deref().unwrap_or_default()
            ),
        )),
        Attack::StatisticalInference => Some((
            Cover::Uncovered,
            "The release teaches how values depend on quasi-identifiers, and that can be turned on its own groups (the \
             deFinetti attack)."
                .to_string(),
        )),
        Attack::FilesAndOrder => Some((
            Cover::Mitigated,
            "Groups are numbered and records written in shuffled order; identifiers and other columns are left out."
                .to_string(),
        )),
        _ => None,
    }
}
