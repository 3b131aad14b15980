//! Household risk: with the risk r of each member, by weights or else one over the size of their class, somebody of a household is
//! found with a chance of 1 − Π(1 − r). It is at most max for every household of the original.

use std::collections::HashMap;

use super::Facts;
use super::individual_risk::{DOUBT, risk};
use super::weights::{Weights, each_original};
use crate::Check;
use num_bigint::BigUint;
use privet_core::{Error, Result, counted};
use privet_policy::Role;
use privet_policy::requirement;

pub(super) fn check(asked: &requirement::HouseholdRisk, name: String, facts: &Facts<'_>) -> Result<Check> {
    let column = facts.policy.with_role(Role::Household).next();
    let column = column.ok_or_else(|| {
        Error::input("no column has role 'household'")
            .help("give the column that says who lives together that role")
    })?;
    let weighted = facts.policy.with_role(Role::Weight).next().is_some();
    let weights = if weighted { Some(Weights::of(facts)?) } else { None };
    let member = |class: u32| {
        let n = facts.classes.cells.count(class);
        match &weights {
            Some(weights) if *weights.sum(class).0 > weights.sum(class).1 * n => {
                risk(n, weights.people(class))
            }
            _ => 1.0 / n as f64,
        }
    };
    // By household the classes of its members.
    let mut households: HashMap<String, (u64, Vec<u32>)> = HashMap::new();
    each_original(facts, &mut |batch, row, class| {
        let own = households.entry(batch.cell(row, column.index).to_string());
        own.or_insert_with(|| (batch.line(row), Vec::new())).1.push(class);
        Ok(())
    })?;
    let mut check = Check::new(name, true, String::new());
    let missing = facts.tables.original.rows.saturating_sub(facts.tables.release.rows);
    let mut worst: Option<(f64, u64)> = None;
    let (max, mut failing) = (asked.max, 0u64);
    for (line, members) in households.values() {
        let safe: f64 = members.iter().map(|class| 1.0 - member(*class)).product();
        let holds = match weighted {
            true => 1.0 - safe <= max.to_f64() * (1.0 + DOUBT),
            // Π (n − 1)/n ≥ 1 − max, in whole numbers.
            false => {
                let sizes = || members.iter().map(|class| facts.classes.cells.count(*class));
                let over: BigUint = sizes().map(|n| BigUint::from(n - 1)).product();
                let under: BigUint = sizes().map(BigUint::from).product();
                over * max.denominator() >= under * (max.denominator() - max.numerator())
            }
        };
        if !holds {
            failing += 1;
            check.concerned += members.len() as u64;
        }
        if worst.is_none_or(|(most, first)| (1.0 - safe, first) > (most, *line)) {
            worst = Some((1.0 - safe, *line));
        }
    }
    check.holds = failing == 0 && missing == 0;
    check.worst = worst.map(|(risk, line)| {
        let sign = if failing == 0 { "≤" } else { ">" };
        format!("the household of the record in line {line} of the original: risk {risk:.6} {sign} {max}")
    });
    let all = counted(households.len() as u64, "household", "households");
    check.detail = match (missing, failing) {
        (0, 0) => format!("holds for all of {all}"),
        (0, failing) => format!("fails for {failing} of {all}"),
        (missing, _) => format!("{} left out", counted(missing, "record is", "records are")),
    };
    Ok(check)
}
