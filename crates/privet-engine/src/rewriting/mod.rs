//! Cells that are published in another form though nothing is generalised: rounded and coded numbers.
//!
//! What the policy says is applied while the data are read. Searches, requirements and reports see the published cells alone, so
//! a requirement is judged on what is published.

mod numbers;

use std::sync::Arc;

use privet_core::Result;
use privet_data::{Rewrite, RowCells};
use privet_policy::CheckedPolicy;

use self::numbers::Numbers;

/// The policy whose data have the cells that are published.
pub fn as_published(
    mut policy: CheckedPolicy,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<CheckedPolicy> {
    policy.source = policy.source.unrewritten();
    let mut columns = Vec::new();
    for column in policy.columns.iter().filter(|column| column.is_rewritten()) {
        if let Some(own) = &column.numbers {
            let numbers = Numbers::of(&policy, column, own, tick)?;
            columns.push((column.index, Form::Numbers(numbers)));
        }
    }
    if !columns.is_empty() {
        let rewriting = Rewriting { columns, missing: policy.missing.clone() };
        policy.source = policy.source.rewritten(Arc::new(rewriting));
    }
    Ok(policy)
}

#[derive(Debug)]
enum Form {
    Numbers(Numbers),
}

#[derive(Debug)]
struct Rewriting {
    columns: Vec<(usize, Form)>,
    missing: Vec<String>,
}

impl Rewrite for Rewriting {
    fn columns(&self) -> Vec<usize> {
        self.columns.iter().map(|(column, _)| *column).collect()
    }

    fn text(&self, row: &RowCells<'_>, column: usize) -> Result<Option<String>> {
        let cell = row.cell(column);
        let form = self.columns.iter().find(|(own, _)| *own == column);
        let Some((_, form)) = form.filter(|_| !is_missing(cell, &self.missing)) else { return Ok(None) };
        match form {
            Form::Numbers(numbers) => numbers.text(cell),
        }
    }
}

/// Whether a cell says that there is nothing to say.
fn is_missing(cell: &str, spellings: &[String]) -> bool {
    cell.is_empty() || spellings.iter().any(|spelling| spelling == cell)
}
