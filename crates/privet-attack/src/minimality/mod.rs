//! Minimality (Wong, Fu, Wang and Pei, VLDB 2007): whoever knows the method knows why it did not stop earlier.
//!
//! A method that generalises no more than it must has *rejected* finer versions of what it published, and where it rejects
//! because of sensitive values, the rejection tells about them. The adversary knows everybody's quasi-identifiers, the method
//! and the policy, so he knows which finer versions there were (`splits`). He imagines all ways to deal a class's values
//! out, and keeps those in which the finer version really had to be rejected (`sample`).
//!
//! Somebody who knows only that a class was not split further is meant here; what several rejections tell together is not
//! worked out. Where too few worlds remain, nothing is estimated, and that is said.

mod freeform;
mod sample;
mod splits;

use sample::{Effort, Found, Lot, sample};
use serde_json::json;
use splits::splits;

use super::groups::{Placed, sensitive, with_values};
use super::view::ViewColumn;
use super::{Attack, Figure, Finding, PolicyRef, Scene};
use privet_audit::definitions::{self, ClassRequirements};
use privet_core::counted;
use privet_core::{Error, Result};
use privet_policy::method::Partitioning;
use privet_policy::requirement::{NtCloseness, TCloseness};
use privet_policy::{CheckedPolicy, Method, Requirement, Subject};

/// Row 9 of the attacks.
pub(super) const ATTACK: Attack = Attack { name: "minimality", row: 9, dear: true, concerns, run };

fn concerns(scene: &Scene<'_>) -> std::result::Result<(), String> {
    let policy = match scene.policy {
        PolicyRef::Table(policy) => policy,
        PolicyRef::Transactions(_) => {
            return Err(
                "it is not worked out which of many combinations of items stood in the way of finer sets"
                    .to_string(),
            );
        }
        PolicyRef::Vocabularies(_) => {
            return Err(
                "vocabularies have no sensitive values that could have stood in the way of a finer version"
                    .to_string(),
            );
        }
    };
    match policy.subject() {
        Subject::Classes => {}
        Subject::Freeform => return freeform::concerns(scene, policy),
        Subject::Groups => {
            return Err(
                "groups are formed of exact records, and no finer version of them was rejected".to_string()
            );
        }
        Subject::Projections => {
            return Err("each table has levels of its own, and it is not worked out what stood in the way of finer ones".to_string());
        }
        Subject::Terms => {
            return Err(
                "terms were removed from sets, and it is not worked out which other removals were rejected"
                    .to_string(),
            );
        }
    }
    let view = with_values(scene)?;
    match &policy.method {
        Method::Mondrian(own) => match own.partitioning {
            Partitioning::Strict => {}
            Partitioning::Relaxed => {
                return Err("relaxed partitioning leaves open which splits were rejected".to_string());
            }
        },
        Method::LPlusOptimize(_) | Method::FullDomain(_) => {}
        Method::SimulatedAnnealing(_) => {
            return Err("it moves by chance, which leaves open which finer versions it rejected".to_string());
        }
        Method::Injector(_)
        | Method::Anatomy(_)
        | Method::CodipStar(_)
        | Method::Codip(_)
        | Method::Ff(_)
        | Method::FfOptimal(_)
        | Method::QuasiSensitive(_) => {
            return Err(format!("what method \"{}\" rejects is not known here", policy.method.name()));
        }
    }
    if policy.method.drawn_from().is_some() {
        return Err("the release is one of several good ones, drawn by chance".to_string());
    }
    let named: Vec<usize> = policy.requirements.iter().filter_map(Requirement::column).collect();
    match named.as_slice() {
        [] => Err("no requirement speaks of sensitive values, so no rejection tells about them".to_string()),
        [first, others @ ..] if others.iter().any(|other| other != first) => {
            Err("requirements on several sensitive columns leave open which was the reason".to_string())
        }
        _ if sensitive(scene, view).len() != 1 => {
            Err("the sensitive column is not in the release".to_string())
        }
        _ => Ok(()),
    }
}

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let policy = scene.table_policy().ok_or_else(|| Error::internal("minimality of no table"))?;
    let view = scene.view()?;
    if policy.subject() == Subject::Freeform {
        let table = freeform::BreachableTable::of(policy, view, scene.clock)?.map_err(Error::input)?;
        let task = table.task();
        let violates = |counts: &[u64], size: u64| table.violates(&task, counts, size);
        let (lots, effort) = (&task.lots, Effort::default());
        let found = sample(lots, &task.reasons, &violates, &task.limits, scene.seed, effort, scene.clock)?;
        return Ok(finding(&found, lots, task.left_out, policy.method.name()));
    }
    let place =
        sensitive(scene, view).first().copied().ok_or_else(|| Error::internal("no sensitive column"))?;
    let placed = Placed::of(scene, view, Some(place))?;
    let (limits, requirements) = demands(policy, &view.columns[place], &placed)?;
    let violates = |counts: &[u64], _: u64| !requirements.hold(counts);
    let (lots, reasons, left_out) = splits(policy, view, &placed);
    let found = sample(&lots, &reasons, &violates, &limits, scene.seed, Effort::default(), scene.clock)?;
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
            // They limit how likely no single value of a class is.
            Requirement::KAnonymity(_)
            | Requirement::MatchingLDiversity(_)
            | Requirement::Projection(_)
            | Requirement::FfAnonymity(_)
            | Requirement::QsDiversity(_)
            | Requirement::QsCloseness(_) => {}
        }
    }
    Ok((limits, ClassRequirements::of(policy, &original)?))
}

fn finding(found: &Found, lots: &[Lot], left_out: u64, method: &str) -> Finding {
    let figure = |what: &str, hits: u64| {
        Figure {
        what: what.to_string(),
        targets: found.people,
        hits,
        baseline: 0,
        instead: "taking the class at its word".to_string(),
        control: None,
        controlled: "worlds are kept for what the method does, not for what is true; chance is allowed for by four standard \
                     errors"
            .to_string(),
    }
    };
    let worst = found.surest.map(|(lot, likely, share)| {
        format!(
            "in a class of {} a value is {likely:.3} likely for some, where its share is {share:.3}",
            lots[lot].values.len()
        )
    });
    let not = |people: u64, why: &str| {
        (people > 0).then(|| format!("{}: {why}", counted(people, "person", "people")))
    };
    let lines: Vec<String> = [
        worst.clone(),
        not(found.not_estimable, "not estimable, too few worlds remain"),
        not(found.untried, "not estimated, as worlds take too long to draw for all"),
        not(left_out, "in no class that a rejected version tells about"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let more =
        json!({ "not_estimable": found.not_estimable, "untried": found.untried, "left_out": left_out });
    Finding {
        knows: "all of everybody but the values in question, the policy and the method".to_string(),
        does: "imagines all ways to deal out the values of a class, and keeps those in which the method had to reject the finer \
               versions that it did not publish"
            .to_string(),
        assumes: format!(
            "\"{method}\" rejects a finer version just because a part of it would violate the policy; 10,000 worlds that \
             remain out of at most 1,000,000, or no estimate{}",
            if found.people == 0 { ": nothing was estimable here" } else { "" }
        ),
        figures: vec![
            figure("people of whom a value is likelier than the policy allows", found.hits),
            figure("people of whom a value is likelier than in their class", found.gained),
        ],
        worst: worst.unwrap_or_default(),
        lines,
        warning: match found.hits {
            0 => String::new(),
            hits => format!(
                "who knows why the method did not release a finer version becomes surer of {hits} of {} than the policy \
                 allows",
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
    fn a_split_that_fails_whoever_is_ill_tells_nothing() {
        // Alone, anybody is a class in which flu could be certain, but k = 4 is the reason here.
        let text = policy("[method]\nname = \"mondrian\"\n")
            .replace("[privacy.l-plus", "[privacy.k-anonymity]\nk = 4\n[privacy.l-plus");
        let released = ORIGINAL.replace("Oslo", "*").replace("Rome", "*");
        let found = Stage::with(&text, ORIGINAL).attack("minimality", &released).expect("a finding");
        assert_eq!((found.headline().targets, found.headline().hits), (6, 0), "{found:?}");
        assert!(!found.succeeds());
    }
}
