//! Made-up figures that all kinds of reports have.

use super::super::fidelity::{Associations, Fidelity, Marginal, QueryErrors, Spread};
use super::super::model::{Distribution, Subgroup, Subgroups, ValueCount};
use super::super::scan::{Fate, IdentifierKind, Scan, Suspect};

/// What looks like an identifier.
pub(super) fn suspects() -> Scan {
    let suspect = |kind, column: &str, by_name, hits, fate| Suspect {
        kind,
        column: column.into(),
        by_name,
        hits,
        fate,
    };
    Scan {
        looked_at: 20_000,
        noun: "records".into(),
        partial: false,
        suspects: vec![
            suspect(IdentifierKind::Name, "name", true, 0, Fate::LeftOut),
            suspect(IdentifierKind::Place, "postcode", true, 0, Fate::Changed),
        ],
    }
}

/// Two columns and what became of them.
pub(super) fn fidelity() -> Fidelity {
    let count = |(value, before, after): (&str, u64, u64)| ValueCount {
        value: value.into(),
        before: before.into(),
        after,
    };
    let marginal = |column: &str, distance, values: &[(&str, u64, u64)]| Marginal {
        distance,
        values: Distribution { column: column.into(), values: values.iter().copied().map(count).collect() },
    };
    Fidelity {
        sampled: None,
        of_sets: false,
        marginals: vec![
            marginal("sex", 0.004, &[("female", 10_240, 10_180), ("male", 9_760, 9_697)]),
            marginal("age", 0.23, &[("17–39", 11_000, 9_900), ("40–90", 9_000, 9_977)]),
        ],
        associations: Associations {
            columns: ["sex", "age", "income"].map(String::from).to_vec(),
            before: [1.0, 0.05, 0.31, 0.05, 1.0, 0.44, 0.31, 0.44, 1.0].map(Some).to_vec(),
            after: [1.0, 0.05, 0.30, 0.05, 1.0, 0.12, 0.30, 0.12, 1.0].map(Some).to_vec(),
        },
        queries: vec![QueryErrors {
            conditions: 2,
            queries: 40,
            least: 20,
            quantiles: [0.01, 0.06, 0.14, 0.3, 0.71],
            mean: 0.2,
            of_records: Some(Spread { quantiles: [0.001, 0.004, 0.02, 0.06, 0.11], mean: 0.03 }),
        }],
    }
}

/// Who was left out.
pub(super) fn left_out() -> Subgroups {
    let group = |label: &str, records: u64, suppressed: u64| Subgroup {
        label: label.into(),
        shown: true,
        records: records.into(),
        suppressed: suppressed.into(),
    };
    Subgroups { column: "sex".into(), groups: vec![group("female", 10_240, 60), group("male", 9_760, 63)] }
}

/// A made-up hash.
pub(super) fn hash(seed: u64) -> String {
    (0..4)
        .map(|part: u64| format!("{:016x}", (seed + part + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
        .collect()
}

/// Class sizes that together hold `records`; what is left makes up one class more.
pub(super) fn filled(sizes: impl Iterator<Item = (u64, u64)>, records: u64) -> Vec<(u64, u64)> {
    let mut left = records;
    let mut filled = Vec::new();
    for (size, classes) in sizes {
        if size * classes > left / 2 {
            break;
        }
        left -= size * classes;
        filled.push((size, classes));
    }
    filled.push((left, 1));
    filled
}
