//! Freeform attacks: an attacker observes some values of a person, in any columns and at any level, and infers one
//! that nobody may know (Wang, Xu, Fu and Wong, ICDE 2009).
//!
//! Any table can be attacked, no matter who made it: the original, a release, or a version that another notion would
//! have given.

mod list;
pub(crate) mod model;
mod table;
#[cfg(test)]
mod tests;

pub use list::{Breach, Listing};
pub use table::{Exposure, MixedTable};

use serde_json::{Value as Json, json};

use super::{Attack, Figure, Finding, Released, Scene, Threat};
use privet_core::{Error, Result};
use privet_policy::Role;

/// List attacks that use at most this many columns; count the rest.
pub const KNOWN: usize = 3;

pub(super) const ATTACK: Attack =
    Attack { name: "freeform", threat: Threat::Freeform, costly: false, concerns, run };

/// The control's table is shuffled with this seed; its result is reported, never published.
const CONTROL: u64 = 1;

fn concerns(scene: &Scene<'_>) -> std::result::Result<(), String> {
    let mixed = scene.table_policy().is_some_and(|policy| policy.method.is_about(Role::Mixed));
    match (mixed, &scene.released) {
        (true, Released::Table(_)) => Ok(()),
        _ => Err("no column has role 'mixed', which says which values can be observed".to_string()),
    }
}

/// Attacks the release, the original, and what other methods would have released, where the scene has that.
fn run(scene: &Scene<'_>) -> Result<Finding> {
    let (Some(policy), Released::Table(released)) = (scene.table_policy(), &scene.released) else {
        return Err(Error::internal("freeform attacks without a table"));
    };
    let mut worst_in: Vec<Json> = Vec::new();
    let mut exposed = |name: &str, table: &MixedTable| {
        let Exposure { targets, hits, baseline, own } = table.exposure();
        let worst = table.list(scene.limits.most, scene.limits.known).worst;
        worst_in.push(json!({
            "table": name,
            "hits": hits,
            "breaches": worst.iter().map(Breach::to_json).collect::<Vec<_>>(),
        }));
        let figure = |what: &str, hits: u64, baseline: u64, instead: &str| Figure {
            what: format!("{what}, in {name}"),
            targets,
            hits,
            baseline,
            instead: instead.to_string(),
            ..Figure::default()
        };
        let seen = "people whose guarded value follows from what can be observed about them";
        let too =
            "people for whom it follows if the observable part of the guarded column itself is known too";
        [
            figure(seen, hits, baseline, "observing nothing"),
            figure(too, own, hits, "observing only the other columns, as the requirement assumes"),
        ]
    };
    let mut tick = || scene.clock.check();
    let table = MixedTable::read_watched(policy, released, &mut tick)?;
    scene.clock.check()?;
    let mut figures = exposed("the release", &table).to_vec();
    scene.clock.check()?;
    figures[0].control = Some(table.shuffled(CONTROL).exposure().hits);
    figures[0].controlled = "the same attack after shuffling the values of guarded columns".to_string();
    scene.clock.check()?;
    if !released.is_same(&policy.source) {
        figures
            .extend(exposed("the original", &MixedTable::read_watched(policy, &policy.source, &mut tick)?));
        for baseline in scene.baselines.iter() {
            scene.clock.check()?;
            let records = baseline.records.iter().cloned();
            figures.extend(exposed(&baseline.name, &MixedTable::of_nodes(policy, records)?));
        }
    }
    let listing = table.list(scene.limits.most, scene.limits.known);
    let hits = figures[0].hits;
    let breaches: Vec<Json> = listing.worst.iter().map(Breach::to_json).collect();
    let more = [
        ("known", json!(scene.limits.known)),
        ("found", json!(listing.found)),
        ("breaches", json!(breaches)),
        ("tables", json!(worst_in)),
    ];
    let lines: Vec<String> = listing.worst.iter().map(line).collect();
    Ok(Finding {
        knows: "any values of a person that the policy calls observable, of any columns and at any level"
            .to_string(),
        does: "looks up the matching records, and infers the guarded value that most of them have"
            .to_string(),
        assumes: format!(
            "everybody is counted; the list shows the worst attacks that use at most {} columns",
            scene.limits.known
        ),
        figures,
        worst: lines.first().cloned().unwrap_or_default(),
        lines,
        warning: match hits {
            0 => String::new(),
            _ => "an attacker who observes some values can infer guarded ones".to_string(),
        },
        more: more.into_iter().map(|(key, value)| (key.to_string(), value)).collect(),
        ..Finding::new(ATTACK.name, "Freeform attacks")
    })
}

fn line(breach: &Breach) -> String {
    let share = 100.0 * breach.hits as f64 / breach.support as f64;
    let records = if breach.hits == 1 { "record" } else { "records" };
    // What is less than certain to be sensitive is listed by its threat, which the share alone does not show.
    let threat =
        if breach.sensitivity < 1.0 { format!(", threat {:.2}", breach.threat) } else { String::new() };
    format!("{breach}  {share:.0} %  {} {records}{threat}", breach.hits)
}
