//! Columns whose cells are published in another form though nothing is generalised. The audit derives every cell that should be
//! published from the original, by code of its own, and compares the release with that.

mod keyed;
mod names;
mod numbers;
mod shifts;

use std::sync::Arc;

use super::Check;
use super::notion::Facts;
use privet_core::{Error, Result, echoed};
use privet_data::{Rewrite, RowCells, SourceColumn};
use privet_policy::{CheckedPolicy, DatePart, DateShift, DatesPolicy, Normalise, Role};

use self::keyed::{Deriving, coarse, day_in, respelt, written};
use self::names::Names;
use self::numbers::Coding;
use self::shifts::Shifts;

/// What should be published of such columns.
pub(super) struct Expected {
    columns: Vec<Own>,
    /// What there is to judge apart from single cells.
    further: Vec<Further>,
}

enum Further {
    Names(Names),
    Shifts(Shifts),
    /// A check that nobody can make without the key.
    Unknown(Check),
}

#[derive(Debug, Clone)]
struct Own {
    index: usize,
    name: String,
    form: Form,
}

#[derive(Debug, Clone)]
enum Form {
    Numbers(Arc<Coding>),
    Pseudonyms(String),
    /// Pseudonyms, of which the key is not known: people are told apart by their names.
    Spelt(Normalise),
    Shifted(DateShift),
    Coarse(DatePart),
}

/// The policy whose data have the cells that should be published, and how they come about.
pub(super) fn expected(
    policy: &CheckedPolicy,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<(CheckedPolicy, Expected)> {
    let mut policy = policy.clone();
    policy.source = policy.source.unrewritten();
    let keyed = policy.pseudonyms.as_ref().map(Deriving::read);
    let (mut columns, mut further) = (Vec::new(), Vec::new());
    for at in 0..policy.columns.len() {
        let column = policy.columns[at].clone();
        let form = match (&column.numbers, &column.dates, &column.pseudonym, &keyed) {
            (Some(own), ..) => Form::Numbers(Arc::new(Coding::of(&policy, &column, own, tick)?)),
            (_, Some(DatesPolicy::Coarse(part)), ..) => Form::Coarse(*part),
            (_, Some(DatesPolicy::Shifted(shift)), _, Some(Ok(keyed))) => {
                further.push(Further::Shifts(Shifts::read(&policy, &column, *shift, keyed, tick)?));
                Form::Shifted(*shift)
            }
            (_, Some(DatesPolicy::Shifted(_)), _, Some(Err(why))) => {
                if column.role != Some(Role::Other) {
                    return Err(Error::input(format!(
                        "the audit needs the key by which the dates of column '{}' were shifted: {why}",
                        column.name
                    ))
                    .in_file(policy.written.path())
                    .help("put the key where 'pseudonyms.key' says"));
                }
                let name = format!("dates of '{}'", column.name);
                let why = format!("by how many days they were shifted is not known without the key: {why}");
                further.push(Further::Unknown(Check::undetermined(name, why)));
                // It is carried through, and nothing is known of it.
                policy.columns[at].dates = None;
                continue;
            }
            (_, _, Some(domain), Some(Ok(keyed))) => {
                further.push(Further::Names(Names::read(&policy, &column, Some((keyed, domain)), tick)?));
                Form::Pseudonyms(domain.clone())
            }
            (_, _, Some(_), Some(Err(why))) => {
                further.push(Further::Names(Names::read(&policy, &column, None, tick)?.without_key(why)));
                policy.columns[at].pseudonym = None;
                let normalise = policy.pseudonyms.as_ref().map_or(Normalise::Trim, |own| own.normalise);
                Form::Spelt(normalise)
            }
            _ => continue,
        };
        columns.push(Own { index: column.index, name: column.name.clone(), form });
    }
    if !columns.is_empty() {
        let missing = policy.missing.clone();
        let keyed = keyed.and_then(std::result::Result::ok);
        policy.source =
            policy.source.rewritten(Arc::new(Derived { columns: columns.clone(), keyed, missing }));
    }
    Ok((policy, Expected { columns, further }))
}

/// The policy of a release as its readers meet it: its data have the cells that should be published.
pub fn as_published(policy: &CheckedPolicy, tick: &mut dyn FnMut() -> Result<()>) -> Result<CheckedPolicy> {
    expected(policy, tick).map(|(policy, _)| policy)
}

/// What the released cells of such columns look like, apart from the records that they are part of.
pub(super) fn check(facts: &Facts<'_>, expected: &Expected, released: &[SourceColumn]) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for own in &expected.columns {
        if let Form::Numbers(coding) = &own.form {
            checks.extend(coding.check(facts, own.index)?);
        }
    }
    for further in &expected.further {
        match further {
            Further::Names(names) => checks.extend(names.check(facts, released)),
            Further::Shifts(shifts) => checks.push(shifts.check()),
            Further::Unknown(check) => checks.push(check.clone()),
        }
    }
    Ok(checks)
}

#[derive(Debug)]
struct Derived {
    columns: Vec<Own>,
    keyed: Option<Deriving>,
    missing: Vec<String>,
}

impl Rewrite for Derived {
    fn columns(&self) -> Vec<usize> {
        self.columns.iter().map(|own| own.index).collect()
    }

    fn text(&self, row: &RowCells<'_>, column: usize) -> Result<Option<String>> {
        let cell = row.cell(column);
        let Some(own) = self.columns.iter().find(|own| own.index == column) else { return Ok(None) };
        if cell.trim().is_empty() || self.missing.iter().any(|spelling| spelling == cell) {
            return Ok(None);
        }
        let wrong = |what: &str| {
            Error::input(format!("'{}' in column '{}' is not {what}", echoed(cell), own.name))
                .help("audit the release with the original that it was made from")
        };
        let keyed = || self.keyed.as_ref().ok_or_else(|| Error::internal("a key that was not read"));
        let text = match &own.form {
            Form::Numbers(coding) => return coding.published(cell),
            Form::Spelt(normalise) => respelt(*normalise, cell),
            Form::Pseudonyms(domain) => keyed()?.pseudonym(domain, cell),
            Form::Coarse(part) => coarse(day_in(cell).ok_or_else(|| wrong("a date"))?.0, *part),
            Form::Shifted(shift) => {
                let (day, time) = day_in(cell).ok_or_else(|| wrong("a date"))?;
                let moved = day + keyed()?.days(shift, row.cell(shift.by));
                if !(0..=keyed::LAST_DAY).contains(&moved) {
                    return Err(wrong("a date that can be shifted"));
                }
                format!("{}{time}", written(moved))
            }
        };
        Ok(Some(text))
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

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

        /// The same for pseudonyms, shifted dates and coarse ones.
        #[test]
        fn the_audit_derives_what_a_run_publishes_of_people(
            visits in prop::collection::vec(("[aAb\u{e9}][ aAb\u{e9}]{0,3}", 0i64..4_000), 1..12),
            key in prop::collection::vec(any::<u8>(), 32..100),
            days in 7u32..800,
            length in 16usize..52,
            normalise in prop::sample::select(Normalise::WORDS),
            form in 0..4,
        ) {
            let folder = tempfile::tempdir().expect("a directory");
            let path = folder.path().join("own.key");
            std::fs::write(&path, &key).expect("written");
            privet_core::platform::make_private(&path).expect("private");
            let dates = match form {
                0 => format!("shift = \"{days}d\", by = \"who\""),
                1 => format!("shift = \"{days}d\", by = \"who\", keep = \"weekday\""),
                2 => "coarsen = \"quarter\"".to_string(),
                _ => "coarsen = \"month\"".to_string(),
            };
            let rows: Vec<[String; 3]> = visits
                .iter()
                .map(|(who, day)| [who.clone(), written(719_162 + day * 11), "1".to_string()])
                .collect();
            let text = format!(
                "[data]\n[columns.who]\nrole = \"pseudonym\"\n[columns.seen]\nrole = \"other\"\ndate = {{ {dates} }}\n\
                 [columns.age]\nrole = \"quasi-identifier\"\n[pseudonyms]\nkey = \"own.key\"\nlength = {length}\n\
                 normalise = \"{normalise}\"\n[privacy.k-anonymity]\nk = 1\n[method]\nname = \"mondrian\"\n"
            );
            let policy = Policy::parse(&folder.path().join("policy.toml"), text).expect("a policy");
            let source = Source::of_rows("people", &["who", "seen", "age"], rows).expect("a table");
            let policy = policy.check(source).expect("checked");
            let mut never = || Ok(());
            let run = privet_engine::rewriting::as_published(policy.clone(), &mut never).expect("a run");
            let (own, _) = expected(&policy, &mut never).expect("an audit");
            let all = |source: &Source| {
                let mut cells = Vec::new();
                let read = source.read(&mut |batch, _| {
                    cells.extend((0..batch.rows()).map(|row| [batch.cell(row, 0).to_string(), batch.cell(row, 1).to_string()]));
                    Ok(())
                });
                read.expect("cells");
                cells
            };
            prop_assert_eq!(all(&run.source), all(&own.source));
        }
    }
}
