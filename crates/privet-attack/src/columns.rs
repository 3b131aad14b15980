//! Runs one attack on each sensitive column of a table, and joins the results into one finding.

use super::groups::{Placed, sensitive};
use super::view::ViewColumn;
use super::{Figure, Finding, Scene};
use privet_core::{Error, Exact, Result};
use privet_policy::requirement::{Base, LDiversity, LPlusDiversity, MatchingLDiversity, QsDiversity};
use privet_policy::{CheckedPolicy, Requirement};

/// Runs an attack on every sensitive column that it goes for, and puts what it finds into one finding: the column that fares
/// worst first.
pub(super) fn each(
    scene: &Scene<'_>,
    mut attack: impl FnMut(&CheckedPolicy, &ViewColumn, &Placed) -> Result<Finding>,
) -> Result<Finding> {
    let policy =
        scene.table_policy().ok_or_else(|| Error::internal("an attack on columns without a table"))?;
    let view = scene.view()?;
    let mut found: Vec<(String, Finding)> = Vec::new();
    for column in sensitive(scene, view) {
        scene.clock.check()?;
        let placed = scene.placed(view, column)?;
        let column = &view.columns[column];
        let mut finding = attack(policy, column, &placed)?;
        if placed.skipped > 0 {
            finding.assumes += &format!("; {} released records match nobody in the original", placed.skipped);
        }
        found.push((column.name.clone(), finding));
    }
    joined(found).ok_or_else(|| Error::internal("an attack without a column"))
}

fn joined(mut found: Vec<(String, Finding)>) -> Option<Finding> {
    let several = found.len() > 1;
    let excess = |finding: &Finding| {
        let headline = finding.headline();
        (headline.hits as f64 - headline.baseline as f64) / headline.targets.max(1) as f64
    };
    // The sort is stable, so of equals the first column of the release stays first.
    found.sort_by(|(_, one), (_, other)| excess(other).total_cmp(&excess(one)));
    let named = |name: &str, finding: Finding| {
        let figure = |figure: Figure| Figure { what: format!("{name}: {}", figure.what), ..figure };
        Finding { figures: finding.figures.into_iter().map(figure).collect(), ..finding }
    };
    let mut found =
        found.into_iter().map(|(name, finding)| if several { named(&name, finding) } else { finding });
    let mut all = found.next()?;
    for other in found {
        all.figures.extend(other.figures);
        all.lines.extend(other.lines);
        if all.warning.is_empty() {
            all.warning = other.warning;
        }
    }
    Some(all)
}

/// How many values of a column the policy promises to leave open about a person; 2 where it promises none. What it promises
/// of another column says nothing about this one.
pub(super) fn promised(policy: &CheckedPolicy, column: &ViewColumn) -> u64 {
    let is_about = |asked: &&Requirement| {
        let named = asked.column().and_then(|column| policy.columns.get(column));
        // A column whose cells hold several values is released as one column per value.
        named.is_none_or(|named| {
            let own = column.name.strip_prefix(named.name.as_str());
            own.is_some_and(|rest| rest.is_empty() || named.separator.is_some() && rest.starts_with('='))
        })
    };
    let whole = |l: Exact| l.numerator().div_ceil(l.denominator());
    let asked = policy.requirements.iter().filter(is_about).filter_map(|asked| match asked {
        Requirement::LDiversity(LDiversity { diversity, .. }) => Some(whole(diversity.l())),
        Requirement::LPlusDiversity(LPlusDiversity { base, .. }) => match base {
            Base::OneIn(l) => Some(whole(*l)),
            Base::Share(theta) => theta.denominator().checked_div(theta.numerator()),
            Base::None => None,
        },
        Requirement::MatchingLDiversity(MatchingLDiversity { l, .. })
        | Requirement::QsDiversity(QsDiversity { l, .. }) => Some(*l),
        // LKC-privacy limits what follows from L quasi-identifiers, and here all of them are known.
        Requirement::KAnonymity(_)
        | Requirement::LkcPrivacy(_)
        | Requirement::TCloseness(_)
        | Requirement::BetaLikeness(_)
        | Requirement::DeltaDisclosure(_)
        | Requirement::KMap(_)
        | Requirement::DeltaPresence(_)
        | Requirement::AverageRisk(_)
        | Requirement::SampleUniqueness(_)
        | Requirement::PopulationUniqueness(_)
        | Requirement::IndividualRisk(_)
        | Requirement::HouseholdRisk(_)
        | Requirement::NtCloseness(_)
        | Requirement::KlOfSets(_)
        | Requirement::Projection(_)
        | Requirement::FfAnonymity(_)
        | Requirement::QsCloseness(_) => None,
    });
    asked.max().filter(|l| *l > 1).unwrap_or(2)
}

/// The least size of a class that the policy asks for; 1 where it asks for none.
pub(super) fn least_size(policy: &CheckedPolicy) -> u64 {
    policy.k()
}
