//! Minimality (Wong, Fu, Wang and Pei, VLDB 2007): an attacker who knows the method knows why it did not stop
//! earlier.
//!
//! A method that generalises only as much as necessary has *rejected* finer versions of what it published. If it
//! rejects because of sensitive values, the rejection reveals something about them. The attacker knows everybody's
//! quasi-identifiers, the method and the policy, so they know which finer versions there were (`splits`). They
//! consider all ways to assign a class's values, and keep those in which the finer version really had to be rejected
//! (`sample`).
//!
//! This is an attacker who knows only that a class was not split further; combinations of several rejections are not
//! considered. If too few worlds remain, nothing is estimated, and the finding says so.

mod freeform;
mod sample;
mod splits;

use sample::{MinimalityEstimates, PublishedClass, SamplingEffort, sample};
use serde_json::json;
use splits::splits;

use super::groups::{Placed, sensitive, with_values};
use super::view::ViewColumn;
use super::{Attack, Figure, Finding, PolicyRef, Scene, Threat};
use privet_audit::definitions::{self, ClassRequirements};
use privet_core::counted;
use privet_core::{Error, Result};
use privet_policy::method::{Mondrian, Partitioning};
use privet_policy::requirement::{LikenessKind, NtCloseness, TCloseness};
use privet_policy::{CheckedPolicy, ColumnType, Method, ReleaseKind, Requirement, Role};

pub(super) const ATTACK: Attack =
    Attack { name: "minimality", threat: Threat::Minimality, costly: true, concerns, run };

fn concerns(scene: &Scene<'_>) -> std::result::Result<(), String> {
    let policy = match scene.policy {
        PolicyRef::Table(policy) => policy,
        PolicyRef::Transactions(_) => {
            return Err("not implemented for transactions".to_string());
        }
        PolicyRef::Vocabularies(_) => {
            return Err("vocabularies have no sensitive values that could cause a rejection".to_string());
        }
    };
    if scene.by_earlier_plan {
        return Err(
            "the plan of an earlier release was applied, so these data rejected no finer version".to_string()
        );
    }
    if policy.method.is_about(Role::Mixed) {
        return freeform::concerns(scene, policy);
    }
    if policy.method.is_about(Role::QuasiSensitive) {
        return Err("not implemented for sets whose terms were removed".to_string());
    }
    match policy.publishes() {
        ReleaseKind::Table | ReleaseKind::Transactions | ReleaseKind::Vocabularies => {}
        ReleaseKind::Groups => {
            return Err("groups consist of exact records, so no finer version was rejected".to_string());
        }
        ReleaseKind::Projections => {
            return Err("not implemented for several tables with levels of their own".to_string());
        }
    }
    let view = with_values(scene)?;
    match &policy.method {
        Method::Mondrian(own) if own.refine => return Err(refined()),
        Method::Mondrian(own) if view.columns.iter().any(|column| cuts_freely(policy, own, column)) => {
            return Err(
                "sets are cut where that loses least, so the rejected splits are not known".to_string()
            );
        }
        Method::Mondrian(own) => match own.partitioning {
            Partitioning::Strict => {}
            Partitioning::Relaxed => {
                return Err("with relaxed partitioning, the rejected splits are not known".to_string());
            }
        },
        Method::FullDomain(own) if own.refine => return Err(refined()),
        Method::LPlusOptimize(_) | Method::FullDomain(_) => {}
        Method::SimulatedAnnealing(_) => {
            return Err("the method moves at random, so the versions it rejected are not known".to_string());
        }
        Method::Injector(_)
        | Method::Anatomy(_)
        | Method::CodipStar(_)
        | Method::Codip(_)
        | Method::Ff(_)
        | Method::FfOptimal(_)
        | Method::QuasiSensitive(_) => {
            return Err(format!("it is not known what method \"{}\" rejects", policy.method.name()));
        }
    }
    if policy.method.drawn_from().is_some() {
        return Err("the release was drawn at random from several good ones".to_string());
    }
    let named: Vec<usize> = policy.requirements.iter().filter_map(Requirement::column).collect();
    if policy.columns.iter().any(|column| column.separator.is_some()) {
        return Err(
            "cells hold several values, for which no way of reasoning about rejections is built".to_string()
        );
    }
    let is_about_sets = |asked: &Requirement| {
        matches!(asked, Requirement::KlOfSets(_) | Requirement::QsDiversity(_) | Requirement::QsCloseness(_))
    };
    if policy.requirements.iter().any(is_about_sets) {
        return Err("requirements are about sets, for which no way of reasoning about rejections is built"
            .to_string());
    }
    match named.as_slice() {
        [] => {
            Err("no requirement is about sensitive values, so rejections reveal nothing about them"
                .to_string())
        }
        [first, others @ ..] if others.iter().any(|other| other != first) => Err(
            "there are requirements on several sensitive columns, so the reason for a rejection is not known"
                .to_string(),
        ),
        _ if sensitive(scene, view).len() != 1 => {
            Err("the sensitive column is not in the release".to_string())
        }
        _ => Ok(()),
    }
}

/// Whether Mondrian cuts a column of categories anywhere.
fn cuts_freely(policy: &CheckedPolicy, own: &Mondrian, column: &ViewColumn) -> bool {
    let has_medians =
        || !column.policy.column_type.is_some_and(ColumnType::is_unordered) && column.is_numeric(policy);
    column.is_quasi() && own.cuts_freely(&column.policy) && !has_medians()
}

fn refined() -> String {
    "refined classes are split where that loses least, so the rejected splits are not known".to_string()
}

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let policy = scene.table_policy().ok_or_else(|| Error::internal("minimality without a table"))?;
    let view = scene.view()?;
    if policy.method.is_about(Role::Mixed) {
        let table = freeform::BreachableTable::of(policy, view, scene.clock)?.map_err(Error::input)?;
        let task = table.task();
        let violates = |counts: &[u64], size: u64| table.violates(&task, counts, size);
        let (lots, effort) = (&task.lots, SamplingEffort::default());
        let found = sample(lots, &task.reasons, &violates, &task.limits, scene.seed, effort, scene.clock)?;
        return Ok(finding(&found, lots, task.left_out, policy.method.name()));
    }
    let place =
        sensitive(scene, view).first().copied().ok_or_else(|| Error::internal("no sensitive column"))?;
    let placed = Placed::of(scene, view, Some(place))?;
    let (limits, requirements) = demands(policy, &view.columns[place], &placed)?;
    let violates = |counts: &[u64], _: u64| !requirements.hold(counts);
    let (lots, reasons, left_out) = splits(policy, view, &placed);
    let found =
        sample(&lots, &reasons, &violates, &limits, scene.seed, SamplingEffort::default(), scene.clock)?;
    Ok(finding(&found, &lots, left_out, policy.method.name()))
}

/// How likely each value may be, and what every class must satisfy.
type Demands = (Vec<f64>, ClassRequirements);

/// What the policy asks for.
fn demands(policy: &CheckedPolicy, column: &ViewColumn, placed: &Placed) -> Result<Demands> {
    let original = placed.column(policy, column)?;
    let values = placed.groups.people.values.len();
    let mut limits = vec![1.0f64; values];
    for requirement in &policy.requirements {
        match requirement {
            Requirement::LPlusDiversity(asked) => {
                let thresholds = definitions::thresholds(asked, &original)?;
                let limits = limits.iter_mut().zip(&thresholds);
                limits.for_each(|(limit, theta)| *limit = limit.min(theta.to_f64()));
            }
            Requirement::LDiversity(asked) => {
                let most = 1.0 / asked.diversity.l().to_f64();
                limits.iter_mut().for_each(|limit| *limit = limit.min(most));
            }
            Requirement::TCloseness(TCloseness { t, .. })
            | Requirement::NtCloseness(NtCloseness { t, .. }) => {
                let share = |total: &u64| *total as f64 / placed.groups.people.len().max(1) as f64;
                let totals = placed.groups.people.value_counts();
                limits
                    .iter_mut()
                    .zip(totals)
                    .for_each(|(limit, total)| *limit = limit.min(share(total) + t.to_f64()));
            }
            Requirement::BetaLikeness(asked) => {
                let share = |total: &u64| *total as f64 / placed.groups.people.len().max(1) as f64;
                let most = |total: &u64| {
                    let gain = asked.beta.to_f64();
                    let enhanced = asked.kind == LikenessKind::Enhanced;
                    share(total) * (1.0 + if enhanced { gain.min(-share(total).ln()) } else { gain })
                };
                let totals = placed.groups.people.value_counts();
                limits.iter_mut().zip(totals).for_each(|(limit, total)| *limit = limit.min(most(total)));
            }
            Requirement::DeltaDisclosure(asked) => {
                let share = |total: &u64| *total as f64 / placed.groups.people.len().max(1) as f64;
                let most = |total: &u64| share(total) * asked.delta.to_f64().exp2();
                let totals = placed.groups.people.value_counts();
                limits.iter_mut().zip(totals).for_each(|(limit, total)| *limit = limit.min(most(total)));
            }
            // They do not limit how likely a single value of a class is.
            Requirement::KAnonymity(_)
            | Requirement::LkcPrivacy(_)
            | Requirement::KMap(_)
            | Requirement::DeltaPresence(_)
            | Requirement::AverageRisk(_)
            | Requirement::SampleUniqueness(_)
            | Requirement::PopulationUniqueness(_)
            | Requirement::IndividualRisk(_)
            | Requirement::HouseholdRisk(_)
            | Requirement::KlOfSets(_)
            | Requirement::MatchingLDiversity(_)
            | Requirement::Projection(_)
            | Requirement::FfAnonymity(_)
            | Requirement::QsDiversity(_)
            | Requirement::QsCloseness(_) => {}
        }
    }
    Ok((limits, ClassRequirements::of(policy, &original)?))
}

fn finding(found: &MinimalityEstimates, lots: &[PublishedClass], left_out: u64, method: &str) -> Finding {
    let figure = |what: &str, hits: u64| Figure {
        what: what.to_string(),
        targets: found.people,
        hits,
        baseline: 0,
        instead: "using only the shares of values in the class".to_string(),
        control: None,
        controlled:
            "worlds are kept by what the method does, not by what is true; a gain must exceed four standard \
                     errors"
                .to_string(),
    };
    let worst = found.surest.map(|(lot, likely, share)| {
        format!(
            "in a class of {}, a value has probability {likely:.3} for some people, although its share is {share:.3}",
            lots[lot].values.len()
        )
    });
    let not = |people: u64, why: &str| {
        (people > 0).then(|| format!("{}: {why}", counted(people, "person", "people")))
    };
    let lines: Vec<String> = [
        worst.clone(),
        not(found.not_estimable, "not estimable because too few worlds remain"),
        not(found.untried, "not estimated because drawing worlds for all takes too long"),
        not(left_out, "in no class that a rejected version reveals anything about"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let more =
        json!({ "not_estimable": found.not_estimable, "untried": found.untried, "left_out": left_out });
    Finding {
        knows: "everything about everybody except the sensitive values, the policy and the method".to_string(),
        does: "considers all ways to assign the values of a class to its people, and keeps those in which the method \
               had to reject every finer version"
            .to_string(),
        assumes: format!(
            "\"{method}\" rejects a finer version only if a part of it would violate the policy; an estimate needs \
             10,000 worlds that remain out of at most 1,000,000{}",
            if found.people == 0 { "; nothing was estimable here" } else { "" }
        ),
        figures: vec![
            figure("people with a value that is likelier than the policy allows", found.hits),
            figure("people with a value that is likelier than its share in their class", found.gained),
        ],
        worst: worst.unwrap_or_default(),
        lines,
        warning: match found.hits {
            0 => String::new(),
            hits => format!(
                "an attacker who knows why the method did not release a finer version becomes surer of a value than \
                 the policy allows for {hits} of {}",
                counted(found.people, "person", "people")
            ),
        },
        more: [("worlds".to_string(), more)].into_iter().collect(),
        ..Finding::new(ATTACK.name, "Minimality")
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Stage;

    fn policy(method: &str) -> String {
        "[data]\npath = \"table.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n[columns.city]\n\
         role = \"quasi-identifier\"\nhierarchy = \"city.csv\"\n[columns.ill]\nrole = \"sensitive\"\n"
            .to_string()
            + "[privacy.l-plus-diversity]\ncolumn = \"ill\"\ntheta = { flu = \"1/2\", asthma = 1, ulcer = 1, gastritis = 1 }\n"
            + method
    }

    /// Two with flu and four without: the first two could have been a class of their own.
    const ORIGINAL: &str = "age,city,ill\n30,Oslo,flu\n30,Oslo,flu\n30,Rome,asthma\n30,Rome,ulcer\n30,Rome,asthma\n30,Rome,ulcer\n";

    #[test]
    fn a_class_that_was_not_split_gives_its_people_away() {
        let stage = Stage::with(&policy("[method]\nname = \"mondrian\"\n"), ORIGINAL);
        let released = ORIGINAL.replace("Oslo", "*").replace("Rome", "*");
        let found = stage.attack("minimality", &released).expect("a finding");
        // Had one of the two no flu, they would have been split off.
        assert_eq!((found.headline().targets, found.headline().hits), (6, 2), "{found:?}");
        assert!(found.succeeds());
        let stage =
            Stage::with(&policy("[method]\nname = \"l-plus-optimize\"\nsuppression = \"none\"\n"), ORIGINAL);
        let found = stage.attack("minimality", &released).expect("a finding");
        assert_eq!((found.headline().targets, found.headline().hits), (6, 2), "{found:?}");
    }

    #[test]
    fn data_under_an_earlier_plan_rejected_nothing() {
        let stage = Stage::with(&policy("[method]\nname = \"mondrian\"\n"), ORIGINAL);
        let released = ORIGINAL.replace("Oslo", "*").replace("Rome", "*");
        stage.write("release.csv", released);
        let reason = stage.on("release.csv", |mut scene| {
            scene.by_earlier_plan = true;
            super::concerns(&scene).expect_err("no rejection")
        });
        assert!(reason.contains("earlier release"), "{reason}");
    }

    #[test]
    fn what_chance_may_have_generalised_gives_nobody_away() {
        let method =
            "[method]\nname = \"l-plus-optimize\"\nsuppression = \"none\"\nextra_generalisation = 0.5\n";
        let original = ORIGINAL.replace(
            "30,Oslo,flu\n30,Oslo,flu\n",
            "30,Oslo,flu\n30,Oslo,flu\n30,Oslo,ulcer\n30,Oslo,ulcer\n",
        );
        let stage = Stage::with(&policy(method), &original);
        // Everybody in Oslo may have been generalised by chance, which the others, as they are shown, give away.
        let lifted = stage.attack("minimality", &original.replace("Oslo", "*")).expect("a finding");
        assert_eq!((lifted.headline().targets, lifted.headline().hits), (0, 0), "{lifted:?}");
        // If nothing below it is shown, the attacker takes a cell for necessary.
        let stage = Stage::with(&policy(method), ORIGINAL);
        let released = ORIGINAL.replace("Oslo", "*").replace("Rome", "*");
        let found = stage.attack("minimality", &released).expect("a finding");
        assert_eq!((found.headline().targets, found.headline().hits), (6, 2), "{found:?}");
    }

    #[test]
    fn a_split_that_fails_no_matter_who_is_ill_tells_nothing() {
        // Alone, anybody is a class in which flu could be certain, but k = 4 is the reason here.
        let text = policy("[method]\nname = \"mondrian\"\n")
            .replace("[privacy.l-plus", "[privacy.k-anonymity]\nk = 4\n[privacy.l-plus");
        let released = ORIGINAL.replace("Oslo", "*").replace("Rome", "*");
        let found = Stage::with(&text, ORIGINAL).attack("minimality", &released).expect("a finding");
        assert_eq!((found.headline().targets, found.headline().hits), (6, 0), "{found:?}");
        assert!(!found.succeeds());
    }
}
