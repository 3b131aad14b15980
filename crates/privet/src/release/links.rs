//! Accounts for what public knowledge tells about a release with a quasi-sensitive column.

use std::collections::BTreeMap;

use super::account::{bands, inequality};
use super::report::{
    Attack, Cover, Datum, Distribution, LinkAccount, Notion, Protection, Side, Tightness, ValueCount,
};
use privet_attack::label_linking::{Linkage, Nearest};
use privet_core::{counted, ordinal};
use privet_policy::{CheckedPolicy, Clause, Role};

/// More terms than this are not filed.
const MOST_TERMS: usize = 40;

/// The figures of the report's section.
pub(super) fn account(policy: &CheckedPolicy, before: &Linkage, after: &Linkage) -> LinkAccount {
    let column = policy.with_role(Role::QuasiSensitive).next();
    let name = column.map_or(String::new(), |column| column.name.clone());
    let labels =
        column.and_then(|column| column.sets.as_ref()).map_or(0, |sets| sets.knowledge.labels().len());
    let mut sizes: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
    before.sizes.iter().for_each(|(size, count)| sizes.entry(*size).or_default().0 += count);
    after.sizes.iter().for_each(|(size, count)| sizes.entry(*size).or_default().1 += count);
    let likeliest = before.likeliest.iter().zip(&after.likeliest).enumerate();
    let likeliest = likeliest.map(|(band, (before, after))| ValueCount {
        value: format!("{}–{} %", band * 10, band * 10 + 10),
        before: (*before).into(),
        after: *after,
    });
    let mut terms: Vec<(&String, u64, u64)> = (before.terms.iter())
        .map(|(term, count)| (term, *count, after.terms.get(term).copied().unwrap_or(0)))
        .collect();
    // The sort is stable and terms come in order, so equal ones stay so.
    terms.sort_by_key(|(_, before, after)| std::cmp::Reverse(before.saturating_sub(*after)));
    terms.truncate(MOST_TERMS);
    let terms: Vec<ValueCount> = (terms.into_iter())
        .map(|(term, before, after)| ValueCount { value: term.clone(), before: before.into(), after })
        .collect();
    LinkAccount {
        column: name.clone(),
        labels: labels as u64,
        single: (before.single, after.single),
        exposed: (before.exposed, after.exposed),
        unlinked: (before.unlinked, after.unlinked),
        sizes: bands("Labels that a record links to", &sizes),
        likeliest: Distribution {
            column: "Likelihood of the likeliest label".to_string(),
            values: likeliest.collect(),
        },
        terms: Distribution { column: format!("{name}, most removed first"), values: terms },
    }
}

/// How near the release's groups come to what the two notions allow.
pub(super) fn tightness(policy: &CheckedPolicy, after: &Linkage) -> Vec<Tightness> {
    let quasi: Vec<&str> =
        policy.with_role(Role::QuasiIdentifier).map(|column| column.name.as_str()).collect();
    let entry = |clause: &Clause, nearest: &Nearest, limit: &str, of_original: bool| {
        let column = clause.settings.column("column").map(|column| policy.columns[column].name.clone());
        let cells = quasi.iter().zip(&nearest.cells).map(|(name, cell)| format!("{name} = {cell}"));
        Some(Tightness {
            requirement: format!("{} of {}", clause.name(), column.as_deref().unwrap_or_default()),
            column,
            inequality: inequality(clause, &policy.columns),
            exact: nearest.figures.clone().into(),
            worst: format!(
                "{} ({})",
                cells.collect::<Vec<_>>().join(", "),
                counted(nearest.records, "record", "records")
            )
            .into(),
            value: match of_original {
                true => Datum::Original(nearest.value.into()),
                false => Datum::Released(nearest.value),
            },
            threshold: clause.settings.exact(limit)?.to_f64(),
            side: Side::AtMost,
            counted: false,
            from_data: false,
            holds: after.exposed == 0,
        })
    };
    let of_clause = |clause: &Clause| match clause.name() {
        "qs-diversity" => entry(clause, after.least_diverse.as_ref()?, "c", false),
        // What is believed beforehand is the original's, terms and records that were removed included.
        "qs-closeness" => {
            let of_original = !matches!(clause.settings.choice("prior"), Some("uniform" | "weight"));
            entry(clause, after.least_close.as_ref()?, "t", of_original)
        }
        _ => None,
    };
    policy.requirements.iter().filter_map(of_clause).collect()
}

/// What the two notions promise; `text` shows a setting.
pub(super) fn notion(clause: &Clause, column: &str, text: &dyn Fn(&str) -> String) -> Notion {
    let (name, promise) = if clause.name() == "qs-diversity" {
        (
            format!("QS (c,l)-diversity of {column}"),
            format!(
                "whoever looks up the terms of {column} in the knowledge file finds the likeliest label of a group at most \
                 {} times as likely as the {} and all less likely ones together",
                text("c"),
                text("l").parse().map_or_else(|_| text("l"), ordinal)
            ),
        )
    } else {
        (
            format!("QS t-closeness of {column}"),
            format!(
                "what the terms of {column} reveal by the knowledge file lies within a distance of {} of what was believed \
                 before",
                text("t")
            ),
        )
    };
    // The honest matrix: labels are diverse under (c,l)-diversity, and close to what was believed under t-closeness.
    let of_labels = if clause.name() == "qs-diversity" {
        Protection {
            attack: Attack::Homogeneity,
            cover: Cover::Bounded,
            meaning: format!(
                "No label that the terms of {column} point to is near certain in a group: the likeliest is limited by c = {}.",
                text("c")
            ),
        }
    } else {
        Protection {
            attack: Attack::Skew,
            cover: Cover::Bounded,
            meaning: format!(
                "What the terms of a group point to changes what can be believed about labels by at most {}.",
                text("t")
            ),
        }
    };
    let outside = Protection {
        attack: Attack::OutsideKnowledge,
        cover: Cover::Partly,
        meaning: format!(
            "What the knowledge file says about {column} is bounded for every group; other knowledge, or labels that are not \
             equally likely for a record, are not."
        ),
    };
    let protections = vec![of_labels, outside];
    Notion::Other { name, promise, column: Some(column.to_string()), protections }
}
