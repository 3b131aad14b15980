//! Accounts for what public knowledge tells about a release with a quasi-sensitive column.

use std::collections::BTreeMap;

use super::account::{bands, inequality};
use super::report::{
    Attack, Cover, Distribution, LinkAccount, Notion, Protection, Side, Sourced, Tightness, ValueCount,
};
use privet_attack::label_linking::{Linkage, Nearest};
use privet_core::{Exact, counted, ordinal};
use privet_policy::requirement::{PriorKind, QsCloseness, QsDiversity};
use privet_policy::{CheckedPolicy, Requirement, Role};

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
    let entry = |asked: &Requirement, nearest: &Nearest, threshold: Exact, of_original: bool| {
        let column = asked.column().map(|column| policy.columns[column].name.clone());
        let cells = quasi.iter().zip(&nearest.cells).map(|(name, cell)| format!("{name} = {cell}"));
        Tightness {
            requirement: format!("{} of {}", asked.name(), column.as_deref().unwrap_or_default()),
            column,
            inequality: inequality(asked),
            exact: nearest.figures.clone().into(),
            worst: format!(
                "{} ({})",
                cells.collect::<Vec<_>>().join(", "),
                counted(nearest.records, "record", "records")
            )
            .into(),
            value: match of_original {
                true => Sourced::Original(nearest.value.into()),
                false => Sourced::Released(nearest.value),
            },
            threshold: threshold.to_f64(),
            side: Side::AtMost,
            counted: false,
            from_data: false,
            holds: after.exposed == 0,
        }
    };
    let of_clause = |asked: &Requirement| match asked {
        Requirement::QsDiversity(own) => Some(entry(asked, after.least_diverse.as_ref()?, own.c, false)),
        // What is believed beforehand is the original's, terms and records that were removed included.
        Requirement::QsCloseness(own) => {
            let of_original = own.prior == PriorKind::Microdata;
            Some(entry(asked, after.least_close.as_ref()?, own.t, of_original))
        }
        _ => None,
    };
    policy.requirements.iter().filter_map(of_clause).collect()
}

/// What (c,l)-diversity of labels promises.
pub(super) fn diversity(asked: &QsDiversity, column: &str) -> Notion {
    let QsDiversity { c, l, .. } = asked;
    let name = format!("QS (c,l)-diversity of {column}");
    let promise = format!(
        "anyone who looks up the terms of {column} in the knowledge file finds the likeliest label of a group at most {c} times \
         as likely as the {} and all less likely ones together",
        ordinal(*l)
    );
    // The honest matrix: labels are diverse under (c,l)-diversity, and close to what was believed under t-closeness.
    let of_labels = Protection {
        attack: Attack::Homogeneity,
        cover: Cover::Bounded,
        meaning: format!(
            "No label that the terms of {column} point to is near certain in a group: the likeliest is limited by c = {c}."
        ),
    };
    notion(name, promise, of_labels, column)
}

/// What t-closeness of labels promises.
pub(super) fn closeness(asked: &QsCloseness, column: &str) -> Notion {
    let t = asked.t;
    let name = format!("QS t-closeness of {column}");
    let promise = format!(
        "what the terms of {column} reveal by the knowledge file lies within a distance of {t} of what was believed before"
    );
    let of_labels = Protection {
        attack: Attack::Skew,
        cover: Cover::Bounded,
        meaning: format!(
            "What the terms of a group point to changes what can be believed about labels by at most {t}."
        ),
    };
    notion(name, promise, of_labels, column)
}

fn notion(name: String, promise: String, of_labels: Protection, column: &str) -> Notion {
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
