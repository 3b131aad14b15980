//! Does the release have the columns that the policy publishes, and no others?

use super::{AuditOptions, Check};
use privet_core::suggestion;
use privet_core::{Error, Result};
use privet_data::Source;
use privet_policy::{CheckedPolicy, PolicyColumn, Role};

/// Where a compared column is in the two tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ColumnPlace {
    pub original: usize,
    pub released: usize,
}

/// The columns that the two tables are compared in.
pub(super) struct Layout {
    /// The generalised columns, quasi-identifiers and mixed ones, in the original's order.
    pub quasi: Vec<ColumnPlace>,
    /// Sensitive and class columns, published unchanged, in the original's order; then the quasi-sensitive column, whose
    /// sets may have lost terms, or the column of sets, whose items may be generalised, if there is one.
    pub plain: Vec<ColumnPlace>,
    /// Where that is among them.
    pub sets: Option<usize>,
}

impl Layout {
    /// All compared columns in the order of the records' tuples.
    pub fn compared(&self) -> impl Iterator<Item = &ColumnPlace> {
        self.quasi.iter().chain(&self.plain)
    }
}

/// Compares the release's columns with the published ones.
///
/// A column that must not be there is a violation. Without a quasi-identifier or a column that a requirement is about
/// nothing could be checked, so that is bad input.
pub(super) fn check(
    policy: &CheckedPolicy,
    release: &Source,
    options: &AuditOptions,
) -> Result<(Layout, Check)> {
    let released: Vec<&str> = release.columns().iter().map(|column| column.name.as_str()).collect();
    let mut faults = Vec::new();
    for (position, name) in released.iter().enumerate() {
        if released[..position].contains(name) {
            faults.push(format!("column '{name}' occurs twice"));
            continue;
        }
        match policy.columns.iter().find(|column| column.name == *name).map(|column| column.role) {
            Some(Some(Role::Identifier)) => faults.push(format!("column '{name}' is an identifier")),
            Some(Some(role)) if !is_published(policy, name) => {
                faults.push(format!("column '{name}' has role '{role}' and is not published"));
            }
            Some(Some(_)) => {}
            Some(None) => faults.push(format!("column '{name}' is not mentioned in the policy")),
            None => faults.push(format!("column '{name}' is not in the original")),
        }
    }

    let mut layout = Layout { quasi: Vec::new(), plain: Vec::new(), sets: None };
    let mut sets = None;
    let mut expected = Vec::new();
    for column in &policy.columns {
        let Some(role) = column.role.filter(|_| column.is_published()) else { continue };
        expected.push(column.name.as_str());
        let Some(position) = released.iter().position(|name| *name == column.name) else {
            if role.is_generalised() || is_required(policy, column) {
                return Err(lacking(release, column, role, &released));
            }
            if !options.foreign {
                faults.push(format!("column '{}' is missing", column.name));
            }
            continue;
        };
        let place = ColumnPlace { original: column.index, released: position };
        match role {
            Role::QuasiIdentifier | Role::Mixed => layout.quasi.push(place),
            Role::Sensitive | Role::Class | Role::Weight => layout.plain.push(place),
            Role::QuasiSensitive | Role::Set => sets = Some(place),
            // What should be published of it is known.
            Role::Other | Role::Pseudonym if column.is_rewritten() => layout.plain.push(place),
            Role::Identifier | Role::Household | Role::Other | Role::Pseudonym => {}
        }
    }
    if let Some(place) = sets {
        layout.sets = Some(layout.plain.len());
        layout.plain.push(place);
    }
    if faults.is_empty() && !options.foreign && released != expected {
        faults.push("the columns are not in the original's order".to_string());
    }

    let detail = if faults.is_empty() {
        "the release has the published columns and no others; columns of role 'other' are not compared".into()
    } else {
        faults.join("; ")
    };
    Ok((layout, Check::new("columns", faults.is_empty(), detail)))
}

fn is_published(policy: &CheckedPolicy, name: &str) -> bool {
    policy.columns.iter().any(|column| column.name == name && column.is_published())
}

fn is_required(policy: &CheckedPolicy, column: &PolicyColumn) -> bool {
    policy.requirements.iter().any(|requirement| requirement.column() == Some(column.index))
}

fn lacking(release: &Source, column: &PolicyColumn, role: Role, released: &[&str]) -> Error {
    Error::input(format!("the release lacks the {role} column '{}', so it cannot be audited", column.name))
        .in_file(release.origin())
        .help(suggestion(&column.name, released, "its columns"))
}
