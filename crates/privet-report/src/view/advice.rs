//! What can be done about a warning.

use super::super::common::Common;
use super::super::gate::{Datum, Key};

/// The warnings, each with a sentence of advice. Warnings about the policy say themselves what to change; for those of attacks
/// the advice follows from the attack.
pub(super) fn warnings(common: &Common, key: Key) -> Vec<(Datum, Datum)> {
    let attacks = common.attacks.see(key);
    let advised = |text: &String| {
        let attack = attacks.iter().find(|found| found.warning == *text);
        (key.text(text), attack.and_then(|found| of_attack(&found.name)).unwrap_or_default().into())
    };
    common.warnings.see(key).iter().map(advised).collect()
}

/// What to do about an attack that succeeds, where its warning does not say so.
fn of_attack(name: &str) -> Option<&'static str> {
    Some(match name {
        "homogeneity" | "skewness" | "similarity" => {
            "Ask for l-diversity or t-closeness of the sensitive column, or make the ones that are asked for stricter."
        }
        "background-join" | "xy-linkability" => {
            "Keep sensitive columns that tell about each other in different tables, or publish fewer of them."
        }
        "downcoding" => {
            "Little is lost by it where the finer values are not a secret; otherwise ask for a larger k, which leaves more \
             possibilities open."
        }
        "minimality" | "suppression" => {
            "Suppress whole classes, or let the plan be drawn from several, so that what was withheld says less."
        }
        "negative-rules" => "State the rules in the policy, so that groups are formed with them in mind.",
        "definetti" | "definetti-classes" | "inference" => {
            "Ask for t-closeness, or publish fewer quasi-identifiers: what can be learnt from the release’s own patterns shrinks \
             with both."
        }
        "composition" | "re-release" => {
            "Do not publish this next to the other release, or make it coarser than that one."
        }
        "membership" | "singling-out" | "predicate" | "linkability" => {
            "Give the release to known recipients under an agreement, or ask for a larger k."
        }
        "row-order" | "container" => "Do not publish: write the files again, and report the fault.",
        "fingerprint" | "random-items" => "Ask for a larger m or k, or leave out the rarest items.",
        "label-linking" => "Ask for a larger l, or for a smaller share of the likeliest label.",
        "query-terms" => "Look at the terms, and take those that name somebody out of the dictionary.",
        _ => return None,
    })
}
