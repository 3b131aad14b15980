//! How sure one may become of a sensitive value: its highest share in any class, against the threshold it has.

use std::ops::Range;

use super::report::{Confidence, Confidences};
use privet_core::{Exact, Result};
use privet_engine::privacy::{Table, l_plus};
use privet_methods::recoding::ClassTable;
use privet_policy::{CheckedPolicy, Clause};

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
    table: &Table,
    classes: &ClassTable,
) -> Result<Vec<Confidences>> {
    let mut all = Vec::new();
    for clause in &policy.requirements {
        if let Some(thresholds) = thresholds(clause, table)? {
            all.extend(against(&thresholds, table, classes));
        }
    }
    Ok(all)
}

/// Whether a requirement's thresholds derive from how often values occur in the original.
pub(super) fn from_data(clause: &Clause) -> bool {
    clause.settings.choice("theta_rule").is_some()
}

/// The thresholds of a requirement, where it has one for each value.
fn thresholds(clause: &Clause, table: &Table) -> Result<Option<Thresholds>> {
    match (clause.name(), clause.settings.choice("kind"), clause.settings.column("column")) {
        ("l-diversity", Some("frequency"), Some(column)) => {
            let column = table.column(column)?;
            let l = clause.settings.exact("l");
            let theta = l.and_then(|l| Exact::new(l.denominator(), l.numerator()));
            Ok(theta.map(|theta| Thresholds {
                slots: column.slots.clone(),
                theta: vec![theta; column.values.len()],
                from_data: false,
            }))
        }
        ("l-plus-diversity", ..) => {
            let l_plus::Thresholds { slots, theta, .. } = l_plus::thresholds(clause, table)?;
            Ok(Some(Thresholds { slots, theta, from_data: from_data(clause) }))
        }
        _ => Ok(None),
    }
}

/// Sets the highest shares of a column's values against their thresholds, the tightest first.
fn against(thresholds: &Thresholds, table: &Table, classes: &ClassTable) -> Option<Confidences> {
    let column = table.tracked.iter().find(|column| column.slots == thresholds.slots)?;
    let mut worst = vec![0f64; column.values.len()];
    let seen = |class: usize| {
        let members = classes.members(class);
        members.people.unwrap_or(members.records)
    };
    for class in (0..classes.sizes.len()).map(seen) {
        class.counts.for_each(&column.slots, |value, count| {
            let share = count as f64 / class.size.max(1) as f64;
            worst[value as usize] = worst[value as usize].max(share);
        });
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
