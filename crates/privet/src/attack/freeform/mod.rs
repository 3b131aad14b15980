//! Freeform attacks: whoever sees some values on a person, of any columns and at any level, infers one that nobody may know
//! (Wang, Xu, Fu and Wong, ICDE 2009).
//!
//! Any table can be attacked, whoever made it: the original, a release, or a version that another notion would have given.

mod list;
mod table;
#[cfg(test)]
mod tests;
mod versions;

pub use list::{Breach, Listing};
pub use table::{Attacked, Exposure};
pub use versions::{Version, version};

use std::time::Instant;

use serde_json::json;

use super::{Figure, Finding, KnownAttack, Outcome, Scene};
use crate::Result;
use crate::engine::clock::Clock;
use crate::engine::microdata::Microdata;
use crate::method::recoding::Recoding;
use crate::policy::{CheckedPolicy, Subject};

/// So many of the worst attacks are told of a table.
const TOLD: usize = 10;

/// Attacks the original and the release and, where the policy asks for it, versions that other notions would have given.
pub(super) fn run(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    recoding: &Recoding,
    clock: &Clock,
) -> Result<Vec<Finding>> {
    let mut findings = vec![finding("the original", &Attacked::original(policy, microdata)?)];
    if policy.method.settings.flag("compare") {
        for (name, table) in versions::versions(policy, clock)? {
            findings.push(finding(&name, &table));
        }
    }
    let mut released = finding("this release", &Attacked::released(policy, microdata, recoding)?);
    if released.figures.iter().any(|figure| figure.hits > 0) {
        released.warning = "somebody who sees values that can be observed infers guarded ones".to_string();
    }
    findings.push(released);
    Ok(findings)
}

fn finding(what: &str, table: &Attacked) -> Finding {
    let Listing { worst, .. } = table.list(TOLD, KNOWN);
    let exposure = table.exposure();
    let whole = Figure {
        what: "people of whom a guarded value follows from what can be seen of them".to_string(),
        targets: exposure.targets,
        hits: exposure.hits,
        baseline: exposure.baseline,
        instead: "seeing nothing".to_string(),
    };
    let figure = |breach: &Breach| Figure {
        what: breach.to_string(),
        targets: breach.support,
        hits: breach.hits,
        baseline: breach.expected,
        instead: "as many of anybody".to_string(),
    };
    Finding {
        name: format!("Freeform attacks on {what}"),
        knows: "any values of a person that the policy calls observable, of any columns and at any level"
            .to_string(),
        does: "looks at the records that fit, and infers the guarded value that most of them have"
            .to_string(),
        assumes: format!(
            "the first line counts everybody; below it stand the worst attacks that know at most {KNOWN} columns"
        ),
        figures: std::iter::once(whole).chain(worst.iter().map(figure)).collect(),
        warning: String::new(),
    }
}

/// Attacks are listed that know so many columns; who knows more is counted, but not listed.
pub const KNOWN: usize = 3;

/// As `privet attack` runs it.
pub(super) const ATTACK: KnownAttack =
    KnownAttack { name: "freeform", concerns: |policy| policy.subject() == Subject::Freeform, run: attack };

/// The table of the control is dealt with this seed: what it finds is told, never published.
const CONTROL: u64 = 1;

fn attack(scene: &Scene<'_>) -> Result<Outcome> {
    let start = Instant::now();
    let table = Attacked::read(scene.policy, scene.table)?;
    scene.clock.check()?;
    let exposure = table.exposure();
    scene.clock.check()?;
    let control = table.shuffled(CONTROL).exposure();
    scene.clock.check()?;
    let listing = table.list(scene.most, scene.known);
    let line = |breach: &Breach| {
        let share = 100.0 * breach.hits as f64 / breach.support as f64;
        let records = if breach.hits == 1 { "record" } else { "records" };
        // What is less than certain to be sensitive is listed by its threat, which the share alone does not show.
        let threat =
            if breach.sensitivity < 1.0 { format!(", threat {:.2}", breach.threat) } else { String::new() };
        format!("{breach}  {share:.0} %  {} {records}{threat}", breach.hits)
    };
    let breaches: Vec<_> = listing.worst.iter().map(Breach::to_json).collect();
    let more =
        [("known", json!(scene.known)), ("found", json!(listing.found)), ("breaches", json!(breaches))];
    Ok(Outcome {
        name: ATTACK.name,
        targets: exposure.targets,
        hits: exposure.hits,
        baseline: exposure.baseline,
        control: control.hits,
        seconds: start.elapsed().as_secs_f64(),
        lines: listing.worst.iter().map(line).collect(),
        more: more.into_iter().map(|(key, value)| (key.to_string(), value)).collect(),
    })
}
