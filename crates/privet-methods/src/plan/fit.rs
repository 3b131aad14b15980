//! Whether new data fits a plan: its values must be leaves of the plan's hierarchies, in the same places.

use super::{PlannedColumn, PlannedTree};
use privet_core::{Error, Result};
use privet_engine::baskets::Baskets;
use privet_engine::microdata::{Microdata, QuasiIdentifier};
use privet_policy::{CheckedPolicy, TransactionPolicy};

/// The plan's column for a column of the data.
fn column_of<'p>(columns: &'p [PlannedColumn], name: &str) -> Result<&'p PlannedColumn> {
    columns.iter().find(|column| column.name == name).ok_or_else(|| {
        Error::input(format!("the policy generalises column '{name}', the plan does not"))
            .help("use the policy that the plan was made with")
    })
}

/// Checks that every value of the data is a leaf of the plan, below the same nodes. Columns that are split as numbers
/// are skipped: `is_number` tells which, by position.
pub(crate) fn check_columns(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    columns: &[PlannedColumn],
    is_number: impl Fn(usize) -> bool,
) -> Result<()> {
    if let Some(column) =
        columns.iter().find(|column| microdata.quasi.iter().all(|quasi| quasi.name != column.name))
    {
        return Err(Error::input(format!(
            "the plan generalises column '{}', the policy does not",
            column.name
        ))
        .help("use the policy that the plan was made with"));
    }
    for (position, quasi) in microdata.quasi.iter().enumerate() {
        let planned = column_of(columns, &quasi.name)?;
        if !is_number(position) {
            check_column(policy, microdata, position, quasi, &planned.hierarchy)?;
        }
    }
    Ok(())
}

fn check_column(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    position: usize,
    quasi: &QuasiIdentifier,
    planned: &PlannedTree,
) -> Result<()> {
    let (taxonomy, index) = (&quasi.taxonomy, planned.index());
    for (code, leaf) in quasi.leaf_of_code.iter().enumerate() {
        let leaf = taxonomy.leaf(*leaf as usize);
        let label = taxonomy.label(leaf);
        if !index.is_leaf(label) {
            return Err(no_leaf(policy, microdata, position, code));
        }
        let path = std::iter::successors(Some(leaf), |node| taxonomy.parent(*node));
        if !path.map(|node| taxonomy.label(node)).eq(index.path(label)) {
            let message = format!(
                "the hierarchy of column '{}' has changed since the plan was made: '{label}' is at another place",
                quasi.name
            );
            let error = Error::input(message).help(
                "restore the hierarchy of that time, or make a release of the new data with `privet anonymize`",
            );
            return Err(match &quasi.hierarchy {
                Some(path) => error.in_file(path),
                None => error,
            });
        }
    }
    Ok(())
}

/// The error for a value of the data, by its code, that the plan does not know.
pub(crate) fn no_leaf(policy: &CheckedPolicy, microdata: &Microdata, position: usize, code: usize) -> Error {
    let column = &microdata.summary.columns()[position];
    let (name, value) = (&microdata.quasi[position].name, &column.dictionary.values()[code]);
    Error::input(format!("the plan has no leaf for the value '{value}' of column '{name}'"))
        .in_file(policy.source.origin())
        .at_line(column.first_line[code])
        .help(
            "leave out the rows with it, list it under 'missing' in [data], or make a release of the new data with \
             `privet anonymize`",
        )
}

/// Checks that every item of the data is a leaf of the plan, below the same nodes.
pub(crate) fn check_items(
    policy: &TransactionPolicy,
    baskets: &Baskets,
    planned: &PlannedTree,
) -> Result<()> {
    let (tree, index) = (&baskets.tree, planned.index());
    let occurrences = baskets.occurrences();
    for item in tree.nodes().filter(|node| tree.is_leaf(*node) && occurrences[*node as usize] > 0) {
        let label = tree.label(item);
        if !index.is_leaf(label) {
            return Err(Error::input(format!("the plan has no leaf for the item '{label}'"))
                .in_file(policy.source.origin())
                .help(
                    "leave it out of the transactions, list it under 'sensitive' if it is, or make a release of the \
                     new data with `privet anonymize`",
                ));
        }
        let above = tree.ancestors(item).map(|node| tree.label(node));
        if !std::iter::once(label).chain(above).eq(index.path(label)) {
            let message = format!(
                "the items' hierarchy has changed since the plan was made: '{label}' is at another place"
            );
            let error = Error::input(message).help(
                "restore the hierarchy of that time, or make a release of the new data with `privet anonymize`",
            );
            return Err(match &policy.hierarchy_path {
                Some(path) => error.in_file(path),
                None => error,
            });
        }
    }
    Ok(())
}
