//! How sure one may become of a sensitive value: its highest share in any class, against the threshold it has.

use std::ops::Range;

use super::report::{Confidence, Confidences};
use privet_core::{Exact, Result};
use privet_engine::privacy::{SetValues, TrackedTable, l_plus};
use privet_methods::recoding::ClassTable;
use privet_policy::requirement::{BetaLikeness, Diversity, LDiversity, LPlusDiversity, LikenessKind};
use privet_policy::{CheckedPolicy, Requirement};

/// The largest share that each value of a column may have in a class.
pub(super) struct Thresholds {
    /// The column's slots.
    pub slots: Range<u32>,
    /// Per value of the column.
    pub theta: Vec<Exact>,
    /// Whether they derive from how often values occur in the original, which they then tell.
    pub from_data: bool,
}

/// The confidences that the policy limits, one list per requirement that has thresholds.
pub(super) fn confidences(
    policy: &CheckedPolicy,
    table: &TrackedTable,
    classes: &ClassTable,
) -> Result<Vec<Confidences>> {
    let mut all = Vec::new();
    for clause in &policy.requirements {
        // Where cells hold several values, these are what has thresholds.
        let values = SetValues::about(clause, table)?;
        let table = values.as_ref().map_or(table, |values| &values.table);
        if let Some(thresholds) = thresholds(clause, table)? {
            all.extend(against(&thresholds, table, values.as_ref(), classes));
        }
    }
    Ok(all)
}

/// Whether a requirement's thresholds derive from how often values occur in the original.
pub(super) fn from_data(requirement: &Requirement) -> bool {
    match requirement {
        Requirement::LPlusDiversity(LPlusDiversity { theta_rule, .. }) => theta_rule.is_some(),
        // −ln p, where that is the smaller bound.
        Requirement::BetaLikeness(BetaLikeness { kind, .. }) => *kind == LikenessKind::Enhanced,
        _ => false,
    }
}

/// The thresholds of a requirement, where it has one for each value.
fn thresholds(requirement: &Requirement, table: &TrackedTable) -> Result<Option<Thresholds>> {
    match requirement {
        Requirement::LDiversity(LDiversity { column, diversity: Diversity::Frequency(l) }) => {
            let column = table.column(*column)?;
            let theta = Exact::new(l.denominator(), l.numerator());
            Ok(theta.map(|theta| Thresholds {
                slots: column.slots.clone(),
                theta: vec![theta; column.values.len()],
                from_data: false,
            }))
        }
        Requirement::LPlusDiversity(asked) => {
            let l_plus::Thresholds { slots, theta, .. } = l_plus::thresholds(asked, table)?;
            Ok(Some(Thresholds { slots, theta, from_data: from_data(requirement) }))
        }
        Requirement::LDiversity(LDiversity {
            diversity: Diversity::Distinct(_) | Diversity::Entropy(_) | Diversity::Recursive { .. },
            ..
        })
        | Requirement::KAnonymity(_)
        | Requirement::LkcPrivacy(_)
        | Requirement::TCloseness(_)
        | Requirement::BetaLikeness(_)
        | Requirement::DeltaDisclosure(_)
        | Requirement::KMap(_)
        | Requirement::DeltaPresence(_)
        | Requirement::AverageRisk(_)
        | Requirement::SampleUniqueness(_)
        | Requirement::PopulationUniqueness(_)
        | Requirement::IndividualRisk(_)
        | Requirement::HouseholdRisk(_)
        | Requirement::NtCloseness(_)
        | Requirement::KlOfSets(_)
        | Requirement::MatchingLDiversity(_)
        | Requirement::Projection(_)
        | Requirement::FfAnonymity(_)
        | Requirement::QsDiversity(_)
        | Requirement::QsCloseness(_) => Ok(None),
    }
}

/// Sets the highest shares of a column's values against their thresholds, the tightest first.
fn against(
    thresholds: &Thresholds,
    table: &TrackedTable,
    values: Option<&SetValues>,
    classes: &ClassTable,
) -> Option<Confidences> {
    let column = table.tracked.iter().find(|column| column.slots == thresholds.slots)?;
    let mut worst = vec![0f64; column.values.len()];
    let seen = |class: usize| {
        let members = classes.members(class);
        members.people.unwrap_or(members.records)
    };
    for class in (0..classes.sizes.len()).map(seen) {
        let mut note = |value: u32, count: u64| {
            let share = count as f64 / class.size.max(1) as f64;
            worst[value as usize] = worst[value as usize].max(share);
        };
        match values {
            Some(values) => values.count(&class).into_iter().for_each(|(value, count)| note(value, count)),
            None => class.counts.for_each(&column.slots, note),
        }
    }
    let values = column.values.iter().zip(&column.totals).zip(&thresholds.theta).zip(worst);
    let mut rows: Vec<Confidence> = values
        .map(|(((value, total), theta), worst)| Confidence {
            value: value.clone(),
            records: (*total).into(),
            before: (*total as f64 / table.records.max(1) as f64).into(),
            threshold: theta.to_f64(),
            threshold_text: theta.to_string(),
            worst,
        })
        .collect();
    rows.sort_by(|a, b| b.tightness().total_cmp(&a.tightness()));
    Some(Confidences { column: column.name.clone(), from_data: thresholds.from_data, rows })
}
