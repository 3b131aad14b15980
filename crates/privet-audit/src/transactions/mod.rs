//! The audit of released transactions.
//!
//! What it checks, in this order:
//!
//! 1. *items*: everything released is a node of the hierarchy or a sensitive item;
//! 2. *records*: as many transactions as the original has, but for what the policy allows to be removed;
//! 3. *truth*: the release is the original, generalised and suppressed as the method may;
//! 4. *counts* and *cost*: the manifest's numbers are right, where there is one;
//! 5. every requirement of the policy, against everything that an adversary within its reach may know.
//!
//! Releases that other tools made are held to the same rules.

mod affordable;
mod cost;
mod demand;
mod ledger;
mod order;
mod part;
mod people;
mod released;
mod search;
#[cfg(test)]
mod tests;
mod truth;
mod walk;

pub use cost::StatedCost;
pub use demand::Demand;
pub use people::{Crowd, exposed as exposed_people};
pub use released::TransactionCells;
pub use search::{Exposed, exposed};

use self::ledger::{LabelMeaning, TransactionLedger};
use super::render::counted;
use super::{Audit, AuditOptions, AuditRecords, Check, sequence};
use privet_core::{Error, Result};
use privet_data::TransactionSource;
use privet_policy::{DataKind, TransactionPolicy};
use privet_taxonomy::ItemTree;
use truth::Recoding;

/// Audits released transactions against their policy; the policy's data is the original. `tick` is called every now and
/// then, and an error of it ends the audit.
///
/// A violation is not an error: it is a [`Check`] that does not hold. Errors are files that cannot be read.
pub fn audit_transactions(
    policy: &TransactionPolicy,
    release: &TransactionSource,
    options: &AuditOptions,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Audit> {
    let flat;
    let tree = match policy.tree.as_deref() {
        Some(tree) => tree,
        None => {
            flat = ledger::flat_tree(&policy.source, &policy.sensitive, tick)?;
            &flat
        }
    };
    let meaning = LabelMeaning::new(tree, &policy.sensitive);
    let original = ledger::read(&policy.source, &meaning, tick)?;
    ledger::check_original(&original, tree, &policy.source)?;
    let mut written = super::form::transactions_written(release)?;
    let release = ledger::read(release, &meaning, tick)?;
    written.faults.extend(release.sequence.fault(!options.foreign));
    let requirements = policy
        .requirements
        .iter()
        .map(|clause| Ok((clause.describe(&[]), Demand::of(clause, tree, &policy.sensitive)?)))
        .collect::<Result<Vec<_>>>()?;
    let recoding = Recoding::of(&policy.method);
    let mut unwritten: Vec<Check> = written.unknown().into_iter().collect();
    unwritten.extend(sequence::unknown(&release.sequence, !options.foreign));
    let facts = TransactionFacts {
        tree,
        sensitive: &policy.sensitive,
        meaning: &meaning,
        original,
        release,
        written: written.faults,
        unwritten,
        recoding,
        suppression: part::Suppression::of(policy.method.limits(), options, tree),
    };
    judge(&facts, &requirements, options, tick)
}

/// What a release is judged by.
struct TransactionFacts<'a> {
    tree: &'a ItemTree,
    sensitive: &'a [String],
    meaning: &'a LabelMeaning<'a>,
    original: TransactionLedger,
    release: TransactionLedger,
    /// What could mark transactions of the released file.
    written: Vec<String>,
    /// What about that is not known.
    unwritten: Vec<Check>,
    /// How the method recodes.
    recoding: Recoding,
    /// What may be suppressed.
    suppression: part::Suppression,
}

/// Makes all checks. A requirement comes with its name.
fn judge(
    facts: &TransactionFacts<'_>,
    requirements: &[(String, Demand)],
    options: &AuditOptions,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Audit> {
    let (original, released) = (facts.original.total, facts.release.total);
    let records =
        AuditRecords { original, dropped: 0, released, suppressed: original.saturating_sub(released) };
    let mut checks = vec![
        check_items(facts),
        order::check_form(facts),
        part::check_records(facts, &records),
        truth::check(facts)?,
        order::check_order(facts),
    ];
    checks.extend(part::check_items(facts));
    checks.extend(facts.unwritten.iter().cloned());
    if let Some(expected) = &options.expected {
        checks.push(super::check_counts(expected, &records, "transactions"));
    }
    if let Some(stated) = &options.cost {
        checks.extend(cost::check(facts, stated));
    }
    let is_true = checks.iter().all(|check| check.name != truth::NAME || check.holds);
    let whose = match (&facts.original.owners, Crowd::of(facts).filter(|_| is_true)) {
        (None, _) => Whose::Unsaid,
        (Some(_), None) => Whose::Unknown,
        (Some(owners), Some(crowd)) => {
            checks.push(Check::new(
                "people",
                true,
                format!(
                    "{} of {}, who are counted once",
                    counted(original, "transaction", "transactions"),
                    counted(owners.total, "person", "people")
                ),
            ));
            Whose::Known(crowd)
        }
    };
    let rows = facts.release.sets.iter().map(|set| (&set.nodes[..], &set.marks[..], set.count));
    let release = TransactionCells::new(facts.tree, facts.sensitive.len(), rows);
    for (position, (name, demand)) in requirements.iter().enumerate() {
        let check = match &whose {
            Whose::Unsaid => check_requirement(facts, &release, name, demand, tick)?,
            Whose::Known(crowd) => check_people(facts, crowd, name, demand, tick)?,
            Whose::Unknown => Check::new(
                name,
                false,
                "whose the released transactions are cannot be known: the release is not the original, generalised",
            ),
        };
        checks.push(check.judging(position));
    }
    let classes = release.cells.len() as u64;
    let asked: Vec<String> = requirements.iter().map(|(name, _)| name.clone()).collect();
    Ok(Audit::of(DataKind::Transactions, records, classes, checks, &asked))
}

/// Who is behind the released transactions.
enum Whose<'a> {
    /// The original does not say: every transaction is taken for another person.
    Unsaid,
    Known(Crowd<'a>),
    /// The original says, but the release is not made of it.
    Unknown,
}

/// Everything released must mean something.
fn check_items(facts: &TransactionFacts<'_>) -> Check {
    let unknown = &facts.release.unknown;
    let Some((label, _, line)) = unknown.first() else {
        return Check::new(
            "items",
            true,
            "every released item is a node of the hierarchy or a sensitive item",
        );
    };
    let more = if unknown.len() > 1 { format!(", and {} more", unknown.len() - 1) } else { String::new() };
    let detail =
        format!("neither a node of the hierarchy nor a sensitive item: '{label}' in line {line}{more}");
    Check::new("items", false, detail)
}

/// No knowledge within reach may be a threat to people.
fn check_people(
    facts: &TransactionFacts<'_>,
    crowd: &Crowd<'_>,
    name: &str,
    demand: &Demand,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Check> {
    let Some(known) = people::first_threat(crowd, demand, tick)? else {
        return Ok(Check::new(name, true, "holds for people, whatever an attacker within reach knows"));
    };
    let (sum, transactions) = crowd.fit(&known);
    if !demand.is_threat(&sum) {
        return Err(Error::internal("the audit found a threat that is none"));
    }
    let mut check =
        Check::new(name, false, "fails for people, by what an attacker may know; there may be more cases");
    check.worst = Some(crowd.explain(demand, &known, facts.sensitive));
    check.concerned = transactions;
    Ok(check)
}

/// No knowledge within reach may be a threat.
fn check_requirement(
    facts: &TransactionFacts<'_>,
    release: &TransactionCells<'_>,
    name: &str,
    demand: &Demand,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Check> {
    let found = match &demand.costs {
        Some(costs) => affordable::first_threat(release, demand, costs, tick)?,
        None => search::first_threat(release, demand, tick)?,
    };
    let Some(known) = found else {
        let detail = if facts.release.total == 0 {
            "the release has no transactions"
        } else {
            "holds whatever an attacker within reach knows"
        };
        return Ok(Check::new(name, true, detail));
    };
    let fitting: Vec<_> = release.fitting(&known).collect();
    let sum = release.sum(fitting.iter().copied());
    if !demand.is_threat(&sum) {
        return Err(Error::internal("the audit found a threat that is none"));
    }
    let mut check = Check::new(name, false, "fails for what an attacker may know; there may be more cases");
    check.worst = Some(demand.explain(release, &known, facts.sensitive));
    check.concerned = sum.weight;
    check.classes_failing = fitting.len() as u64;
    Ok(check)
}
