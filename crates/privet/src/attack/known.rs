//! The attacks that `privet attack` knows, for any table under a policy: a release, the original, or what another tool made.
//!
//! To add one, write its [`KnownAttack`] and list it in [`ATTACKS`].

use serde_json::{Map, Value as Json, json};

use crate::data::Source;
use crate::engine::clock::Clock;
use crate::policy::CheckedPolicy;
use crate::{Error, Result};

/// All attacks.
pub static ATTACKS: &[KnownAttack] = &[super::freeform::ATTACK, super::linking::ATTACK];

/// An attack that can be run on any table.
#[derive(Debug, Clone, Copy)]
pub struct KnownAttack {
    /// Its name.
    pub name: &'static str,
    /// Whether a policy says enough for it to be run.
    pub concerns: fn(&CheckedPolicy) -> bool,
    /// Runs it on one table.
    pub run: fn(&Scene<'_>) -> Result<Outcome>,
}

/// What an attack is run on.
#[derive(Debug)]
pub struct Scene<'a> {
    /// What the publisher says.
    pub policy: &'a CheckedPolicy,
    /// The table under attack.
    pub table: &'a Source,
    /// How many of the worst cases are told.
    pub most: usize,
    /// How many columns the adversary knows in those that are told.
    pub known: usize,
    /// Time and interruption.
    pub clock: &'a Clock,
}

/// What came of an attack on one table.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The attack's name.
    pub name: &'static str,
    /// How many people it can be tried on.
    pub targets: u64,
    /// On how many it succeeds.
    pub hits: u64,
    /// On how many one succeeds without the attack.
    pub baseline: u64,
    /// On how many it succeeds where there is nothing to find but luck.
    pub control: u64,
    /// How long it took.
    pub seconds: f64,
    /// The worst cases, a line each.
    pub lines: Vec<String>,
    /// What else the attack says.
    pub more: Map<String, Json>,
}

impl Outcome {
    /// The share of targets that are hit, with a Wilson interval of 95 %: its ends. All of 0 to 1 where there are no targets.
    pub fn interval(&self) -> (f64, f64) {
        wilson(self.hits, self.targets)
    }

    /// As JSON; `table` says which table was attacked.
    pub fn to_json(&self, table: &str) -> Json {
        let (low, high) = self.interval();
        let mut json = json!({
            "name": self.name,
            "table": table,
            "targets": self.targets,
            "hits": self.hits,
            "baseline": self.baseline,
            "control": self.control,
            "interval": [low, high],
            "seconds": self.seconds,
        });
        for (key, value) in &self.more {
            json[key] = value.clone();
        }
        json
    }
}

/// Wilson's score interval for a share, with 95 % confidence.
fn wilson(hits: u64, targets: u64) -> (f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    if targets == 0 {
        return (0.0, 1.0);
    }
    let (n, share) = (targets as f64, hits as f64 / targets as f64);
    let middle = share + Z * Z / (2.0 * n);
    let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let whole = 1.0 + Z * Z / n;
    (((middle - spread) / whole).max(0.0), ((middle + spread) / whole).min(1.0))
}

/// Runs every attack that concerns the policy on a table.
pub fn attack(scene: &Scene<'_>) -> Result<Vec<Outcome>> {
    let concerning: Vec<&KnownAttack> =
        ATTACKS.iter().filter(|attack| (attack.concerns)(scene.policy)).collect();
    if concerning.is_empty() {
        let names: Vec<&str> = ATTACKS.iter().map(|attack| attack.name).collect();
        return Err(Error::input("no known attack concerns this policy")
            .in_file(scene.policy.written.path())
            .help(format!(
                "known attacks: {}; freeform attacks need columns of role 'mixed', which say what can be seen, and linking a \
                 column of role 'quasi-sensitive', with what is publicly known",
                names.join(", ")
            )));
    }
    concerning.into_iter().map(|attack| (attack.run)(scene)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_intervals_are_as_in_the_books() {
        let (low, high) = wilson(5, 10);
        assert!((low - 0.2366).abs() < 1e-4 && (high - 0.7634).abs() < 1e-4, "{low} {high}");
        let (low, high) = wilson(0, 20);
        assert!(low == 0.0 && (high - 0.1611).abs() < 1e-4, "{low} {high}");
        assert_eq!(wilson(0, 0), (0.0, 1.0));
    }
}
