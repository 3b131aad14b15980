//! The audit of several tables about the same people, each with all quasi-identifiers and some sensitive attributes.
//!
//! 1. *partition*: every sensitive attribute is in one table, every table has one, and no number is left out;
//! 2. of every table what is asked of any table: columns, values, records, counts, and each requirement in every class;
//! 3. *discernibility*: no table is coarser than the policy allows;
//! 4. *association loss* and *information exposure*: worked out again, within the limits and as the manifest says;
//! 5. *order*: the order of no table agrees with the original or another table more than by chance.

mod book;
mod information;
mod order;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use rayon::prelude::*;

use self::book::{Projection, ProjectionBook};
use super::classes::Classes;
use super::notion::{self, Facts};
use super::suppressed::Suppressed;
use super::{
    Audit, AuditOptions, AuditRecords, Check, ExpectedCounts, asked, check_counts, check_records,
    check_values, coverage, respelt,
};
use privet_core::counted;
use privet_core::{Error, Exact, Result};
use privet_data::Source;
use privet_policy::requirement;
use privet_policy::{CheckedPolicy, DataKind, Requirement};

/// Ratios of sums of logarithms are compared up to this much, which is rounding.
const ROUNDING: f64 = 1e-9;

/// What a manifest says about its plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StatedPlan {
    /// The association loss.
    pub gamma_alpha: f64,
    /// The information exposure.
    pub gamma_beta: f64,
}

/// Audits projected tables, with their numbers, against their policy; the policy's data is the original. Records may be missing
/// where the manifest says that an earlier plan was applied: people who do not fit it are suppressed.
pub fn audit_projections(
    policy: &CheckedPolicy,
    tables: &[(usize, Source)],
    stated: Option<StatedPlan>,
    expected: Option<ExpectedCounts>,
    may_lack: bool,
    tick: &(dyn Fn() -> Result<()> + Sync),
) -> Result<Audit> {
    let limits = limits(policy)?;
    let book = ProjectionBook::read(policy, &mut || tick())?;
    let virtual_policy = book.policy_of_attributes(policy);
    let project =
        |(number, table): &(usize, Source)| book.project(&virtual_policy, *number, table, &mut || tick());
    let read: Vec<Result<(Projection, Check)>> = tables.par_iter().map(project).collect();
    let (projections, mut checks): (Vec<Projection>, Vec<Check>) =
        read.into_iter().collect::<Result<Vec<_>>>()?.into_iter().unzip();
    checks.insert(0, check_partition(&book, &projections));
    let mut records = AuditRecords {
        original: book.rows() + book.dropped,
        dropped: book.dropped,
        released: 0,
        suppressed: 0,
    };
    let original = OriginalTables { policy, virtual_policy: &virtual_policy, book: &book, may_lack };
    let judge = |projection| judge(&original, projection, expected.as_ref(), &limits, tick);
    let judged: Vec<Result<Judged<'_>>> = projections.par_iter().map(judge).collect();
    let judged = judged.into_iter().collect::<Result<Vec<_>>>()?;
    records = judged.first().map_or(records, |judged| judged.records);
    let classes_in_all = judged.iter().map(|judged| judged.side.classes.len() as u64).sum();
    for ((number, table), Judged { side, .. }) in tables.iter().zip(&judged) {
        let Projection { layout, tables, .. } = side.projection;
        let mut check = super::form::check(table, respelt(&virtual_policy, layout, tables, &side.coverage))?;
        check.name = format!("projection-{number}: {}", check.name);
        checks.push(check);
    }
    let mut sides = Vec::new();
    for Judged { side, found, .. } in judged {
        let number = side.projection.number;
        checks.extend(found.into_iter().map(|mut check| {
            check.name = format!("projection-{number}: {}", check.name);
            check
        }));
        sides.push(side);
    }
    let ratios = information::Ratios::of(&book);
    let plan: Vec<Vec<usize>> = projections.iter().map(|projection| projection.attributes.clone()).collect();
    let loss = check_ratio(
        "association loss",
        ratios.association_loss(&plan),
        limits.alpha,
        stated.map(|stated| stated.gamma_alpha),
    );
    let exposure = check_ratio(
        "information exposure",
        ratios.information_exposure(&plan),
        limits.beta,
        stated.map(|stated| stated.gamma_beta),
    );
    checks.extend([loss, exposure].map(|check| check.judging(limits.position)));
    checks.push(order::check(&policy.columns, &book, &sides, tick)?);
    checks.extend(book.vacuous(policy));
    Ok(Audit::of(DataKind::Table, records, classes_in_all, checks, &asked(policy)))
}

/// What is found in one table.
struct Judged<'a> {
    side: order::TableSide<'a>,
    records: AuditRecords,
    found: Vec<Check>,
}

/// What tables are judged by.
struct OriginalTables<'a> {
    policy: &'a CheckedPolicy,
    virtual_policy: &'a CheckedPolicy,
    book: &'a ProjectionBook,
    /// Whether records may be missing.
    may_lack: bool,
}

/// Checks of one table what is asked of any table.
fn judge<'a>(
    original: &OriginalTables<'_>,
    projection: &'a Projection,
    expected: Option<&ExpectedCounts>,
    limits: &ProjectionLimits,
    tick: &(dyn Fn() -> Result<()> + Sync),
) -> Result<Judged<'a>> {
    tick()?;
    let OriginalTables { policy, virtual_policy, book, may_lack } = *original;
    let classes = Classes::of(&projection.tables.release)?;
    let options = AuditOptions::default();
    let suppressed = Suppressed::of(virtual_policy, &projection.layout, &projection.tables, &options)?;
    let facts = Facts {
        policy: virtual_policy,
        layout: &projection.layout,
        tables: &projection.tables,
        classes: &classes,
        suppressed: &suppressed,
        watch: &tick,
        people: None,
    };
    let coverage = coverage(virtual_policy, &projection.layout, &projection.tables)?;
    let records = own_counts(book, projection);
    let mut found = vec![check_values(&facts, &coverage), check_records(&facts, &coverage, None)?];
    found.push(Check::new(
        "complete",
        records.released == book.rows() || may_lack && records.released < book.rows(),
        format!(
            "the table has {}, the original {}",
            counted(records.released, "record", "records"),
            book.rows()
        ),
    ));
    found.extend(expected.map(|expected| check_counts(expected, &records, "records")));
    for (position, clause) in book.clauses_of(policy, projection) {
        found.extend(notion::check(&clause, &facts)?.map(|check| check.judging(position)));
    }
    let discernibility = limits.max_discernibility.map(|most| check_discernibility(&classes, most));
    found.extend(discernibility.map(|check| check.judging(limits.position)));
    Ok(Judged { side: order::TableSide { projection, classes, coverage }, records, found })
}

/// What `[privacy.projection]` says.
struct ProjectionLimits {
    /// Where it stands among the requirements.
    position: usize,
    alpha: Exact,
    beta: Exact,
    max_discernibility: Option<Exact>,
}

fn limits(policy: &CheckedPolicy) -> Result<ProjectionLimits> {
    let mut asked = policy.requirements.iter().enumerate();
    let limits = asked.find_map(|(position, requirement)| match requirement {
        Requirement::Projection(requirement::Projection { alpha, beta, max_discernibility }) => {
            Some(ProjectionLimits {
                position,
                alpha: *alpha,
                beta: *beta,
                max_discernibility: *max_discernibility,
            })
        }
        _ => None,
    });
    limits.ok_or_else(|| {
        Error::input("projected tables are audited against [privacy.projection]")
            .in_file(policy.written.path())
            .help("add it, with alpha and beta")
    })
}

fn own_counts(book: &ProjectionBook, projection: &Projection) -> AuditRecords {
    let released = projection.tables.release.rows;
    AuditRecords {
        original: book.rows() + book.dropped,
        dropped: book.dropped,
        released,
        suppressed: book.rows().saturating_sub(released),
    }
}

fn check_partition(book: &ProjectionBook, projections: &[Projection]) -> Check {
    let mut faults = Vec::new();
    for (at, attribute) in book.attributes.iter().enumerate() {
        let tables = projections.iter().filter(|projection| projection.attributes.contains(&at)).count();
        if tables != 1 {
            faults.push(format!("'{}' is in {}", attribute.name, counted(tables as u64, "table", "tables")));
        }
    }
    for projection in projections.iter().filter(|projection| projection.attributes.is_empty()) {
        faults.push(format!("projection-{} has no sensitive attribute", projection.number));
    }
    let numbers: BTreeSet<usize> = projections.iter().map(|projection| projection.number).collect();
    // The first gap tells enough: a file may have any number.
    let gap = (1..).zip(&numbers).find(|(expected, number)| expected != *number);
    if let (Some((number, _)), Some(last)) = (gap, numbers.last()) {
        faults.push(format!("there is no projection-{number}, but a projection-{last}"));
    }
    let detail = match faults.as_slice() {
        [] => format!("each of {} sensitive attributes is in one table", book.attributes.len()),
        faults => faults.join("; "),
    };
    Check::new("partition", faults.is_empty(), detail)
}

fn check_discernibility(classes: &Classes, most: Exact) -> Check {
    let dm: u128 = classes.cells.ids().map(|class| u128::from(classes.cells.count(class)).pow(2)).sum();
    let holds =
        dm.checked_mul(u128::from(most.denominator())).is_some_and(|dm| dm <= u128::from(most.numerator()));
    Check::new("discernibility", holds, format!("{dm}; at most {most} is allowed"))
}

fn check_ratio(name: &str, found: f64, most: Exact, stated: Option<f64>) -> Check {
    let mut faults = Vec::new();
    if found > most.to_f64() + ROUNDING {
        faults.push(format!("{found:.9} is more than {most}"));
    }
    if let Some(stated) = stated.filter(|stated| (stated - found).abs() > ROUNDING) {
        faults.push(format!("the manifest states {stated:.9}, it is {found:.9}"));
    }
    let detail = match faults.as_slice() {
        [] => format!("{found:.9}; at most {most} is allowed"),
        faults => faults.join("; "),
    };
    Check::new(name, faults.is_empty(), detail)
}
