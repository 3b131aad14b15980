//! Cells that are published in another form though nothing is generalised: rounded and coded numbers, shifted and coarsened
//! dates, pseudonyms.
//!
//! What the policy says is applied while the data are read. Searches, requirements and reports see the published cells alone, so
//! a requirement is judged on what is published.

mod dates;
mod keyed;
mod numbers;

use std::sync::Arc;

use privet_core::{Error, Result};
use privet_data::{Rewrite, RowCells};
use privet_policy::{CheckedPolicy, DatePart, DateShift, DatesPolicy};

use self::dates::date_in;
use self::keyed::Keyed;
use self::numbers::Numbers;

/// The policy whose data have the cells that are published.
pub fn as_published(
    mut policy: CheckedPolicy,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<CheckedPolicy> {
    policy.source = policy.source.unrewritten();
    let keyed = policy.pseudonyms.as_ref().map(Keyed::read).transpose()?;
    policy.key_fingerprint = keyed.as_ref().map(Keyed::fingerprint);
    let mut columns = Vec::new();
    for column in policy.columns.iter().filter(|column| column.is_rewritten()) {
        let form = match (&column.numbers, &column.dates, &column.pseudonym) {
            (Some(own), _, _) => Form::Numbers(Numbers::of(&policy, column, own, tick)?),
            (None, Some(DatesPolicy::Shifted(shift)), _) => Form::Shifted(*shift),
            (None, Some(DatesPolicy::Coarse(part)), _) => Form::Coarse(*part),
            (None, None, Some(domain)) => Form::Pseudonyms(domain.clone()),
            (None, None, None) => continue,
        };
        columns.push(Rewritten { index: column.index, name: column.name.clone(), form });
    }
    if !columns.is_empty() {
        let rewriting = Rewriting { columns, keyed, missing: policy.missing.clone() };
        policy.source = policy.source.rewritten(Arc::new(rewriting));
    }
    Ok(policy)
}

/// A column whose cells get another form.
#[derive(Debug)]
struct Rewritten {
    index: usize,
    name: String,
    form: Form,
}

#[derive(Debug)]
enum Form {
    Numbers(Numbers),
    Shifted(DateShift),
    Coarse(DatePart),
    /// Of this domain.
    Pseudonyms(String),
}

#[derive(Debug)]
struct Rewriting {
    columns: Vec<Rewritten>,
    keyed: Option<Keyed>,
    missing: Vec<String>,
}

impl Rewrite for Rewriting {
    fn columns(&self) -> Vec<usize> {
        self.columns.iter().map(|column| column.index).collect()
    }

    fn text(&self, row: &RowCells<'_>, column: usize) -> Result<Option<String>> {
        let cell = row.cell(column);
        let own = self.columns.iter().find(|own| own.index == column);
        let Some(own) = own.filter(|_| !is_missing(cell, &self.missing)) else { return Ok(None) };
        let keyed = || self.keyed.as_ref().ok_or_else(|| Error::internal("a key that was not read"));
        match &own.form {
            Form::Numbers(numbers) => numbers.text(cell),
            Form::Coarse(part) => Ok(Some(date_in(cell, &own.name)?.part(*part))),
            Form::Shifted(shift) => {
                let person = row.cell(shift.by);
                if is_missing(person, &self.missing) {
                    return Err(Error::input(format!(
                        "the record does not say whose it is, so its date in column '{}' cannot be shifted",
                        own.name
                    ))
                    .help("fill in the column that 'by' names, or leave the record out"));
                }
                let days = keyed()?.days(shift, person);
                let moved = date_in(cell, &own.name)?.moved(days).ok_or_else(|| {
                    Error::input(format!("a date in column '{}' would leave the years 1 to 9999", own.name))
                        .help("correct it, or list it under 'missing' in [data] if it means that the date is not known")
                })?;
                Ok(Some(moved.to_string()))
            }
            Form::Pseudonyms(domain) => Ok(Some(keyed()?.pseudonym(domain, cell))),
        }
    }
}

/// Whether a cell says that there is nothing to say.
fn is_missing(cell: &str, spellings: &[String]) -> bool {
    cell.trim().is_empty() || spellings.iter().any(|spelling| spelling == cell)
}
