//! Columns whose cells are published in another form though nothing is generalised. The audit derives every cell that should be
//! published from the original, by code of its own, and compares the release with that.

mod numbers;

use std::sync::Arc;

use super::Check;
use super::notion::Facts;
use privet_core::Result;
use privet_data::{Rewrite, RowCells};
use privet_policy::CheckedPolicy;

use self::numbers::Coding;

/// What should be published of such columns.
pub(super) struct Expected {
    columns: Vec<(usize, Form)>,
}

#[derive(Debug, Clone)]
enum Form {
    Numbers(Arc<Coding>),
}

/// The policy whose data have the cells that should be published, and how they come about.
pub(super) fn expected(
    policy: &CheckedPolicy,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<(CheckedPolicy, Expected)> {
    let mut policy = policy.clone();
    policy.source = policy.source.unrewritten();
    let mut columns = Vec::new();
    for column in &policy.columns {
        if let Some(own) = &column.numbers {
            columns.push((column.index, Form::Numbers(Arc::new(Coding::of(&policy, column, own, tick)?))));
        }
    }
    if !columns.is_empty() {
        let missing = policy.missing.clone();
        policy.source = policy.source.rewritten(Arc::new(Derived { columns: columns.clone(), missing }));
    }
    Ok((policy, Expected { columns }))
}

/// The policy of a release as its readers meet it: its data have the cells that should be published.
pub fn as_published(policy: &CheckedPolicy, tick: &mut dyn FnMut() -> Result<()>) -> Result<CheckedPolicy> {
    expected(policy, tick).map(|(policy, _)| policy)
}

/// What the released cells of such columns look like, apart from the records that they are part of.
pub(super) fn check(facts: &Facts<'_>, expected: &Expected) -> Result<Vec<Check>> {
    let checks = expected.columns.iter().map(|(column, form)| match form {
        Form::Numbers(coding) => coding.check(facts, *column),
    });
    Ok(checks.collect::<Result<Vec<Option<Check>>>>()?.into_iter().flatten().collect())
}

#[derive(Debug)]
struct Derived {
    columns: Vec<(usize, Form)>,
    missing: Vec<String>,
}

impl Rewrite for Derived {
    fn columns(&self) -> Vec<usize> {
        self.columns.iter().map(|(column, _)| *column).collect()
    }

    fn text(&self, row: &RowCells<'_>, column: usize) -> Result<Option<String>> {
        let cell = row.cell(column);
        if cell.is_empty() || self.missing.iter().any(|spelling| spelling == cell) {
            return Ok(None);
        }
        match self.columns.iter().find(|(own, _)| *own == column) {
            Some((_, Form::Numbers(coding))) => coding.published(cell),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use privet_data::Source;
    use privet_policy::Policy;

    fn cells(source: &Source) -> Vec<String> {
        let mut cells = Vec::new();
        let read = source.read(&mut |batch, _| {
            cells.extend((0..batch.rows()).map(|row| batch.cell(row, 1).to_string()));
            Ok(())
        });
        read.expect("cells");
        cells
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        /// Two programs that were written apart publish the same numbers.
        #[test]
        fn the_audit_derives_what_a_run_publishes(
            incomes in prop::collection::vec((-5000i32..5000, 0u8..3), 4..20),
            keys in prop::sample::select(vec![
                "top = 1000",
                "bottom = -10.5, top = 1000, label = \"value\"",
                "round = 250",
                "round = 0.5, top = \"k\"",
                "top = \"k\", label = \"mean\"",
                "bottom = \"k\", round = 7, label = \"mean\"",
            ]),
        ) {
            let spelt = |(units, places): &(i32, u8)| match places {
                0 => units.to_string(),
                1 => format!("{}{}.{}", if *units < 0 { "-" } else { "" }, units.abs() / 10, units.abs() % 10),
                _ => format!("{units}e-2"),
            };
            let rows: Vec<[String; 2]> = incomes.iter().map(|income| ["1".to_string(), spelt(income)]).collect();
            let text = format!(
                "[data]\n[columns.age]\nrole = \"quasi-identifier\"\n[columns.income]\nrole = \"other\"\n\
                 numbers = {{ {keys} }}\n[privacy.k-anonymity]\nk = 3\n[method]\nname = \"mondrian\"\n"
            );
            let policy = Policy::parse("policy.toml".as_ref(), text).expect("a policy");
            let source = Source::of_rows("people", &["age", "income"], rows).expect("a table");
            let policy = policy.check(source).expect("checked");
            let mut never = || Ok(());
            let run = privet_engine::rewriting::as_published(policy.clone(), &mut never).expect("a run");
            let (own, _) = expected(&policy, &mut never).expect("an audit");
            prop_assert_eq!(cells(&run.source), cells(&own.source));
        }
    }
}
