//! Composition (Ganta, Kasiviswanathan and Smith, KDD 2008): several releases of the same people, each safe alone.
//!
//! The adversary knows a person's quasi-identifiers, and so their class in every release. The person's value is one that all of
//! these classes show. Where only one is left he knows it, though every release kept its promise.

use super::{Figure, Finding};
use crate::ledger::{Composition, ReRelease, Relation};

/// The name of the attack on values.
pub const COMPOSITION: &str = "composition";
/// The name of the attack on what stayed the same.
pub const RE_RELEASE: &str = "re-release";

/// What came of setting a release against earlier ones, as a finding.
pub(crate) fn composition(found: &Composition) -> Finding {
    let earlier = found.releases.saturating_sub(1);
    let warning = if found.pinned > 0 {
        let by_this = if found.added == 0 {
            "; that was so before this release, which adds nobody".to_string()
        } else {
            String::new()
        };
        format!(
            "TOGETHER with {earlier} earlier {} this release tells the sensitive value of {} of {} people ({:.1} %) whom no \
             release tells about alone{by_this}. Whoever has them all needs only quasi-identifiers. Publish the same release \
             again instead (same policy and seed), or a coarsening of it",
            if earlier == 1 { "release" } else { "releases" },
            found.pinned,
            found.targets,
            100.0 * found.pinned as f64 / found.targets.max(1) as f64,
        )
    } else {
        String::new()
    };
    Finding {
        name: COMPOSITION.to_string(),
        knows: format!("this release, {earlier} earlier of the same people, and in which class a person is"),
        does: "keeps the values that the person's classes in all releases have in common".to_string(),
        assumes: format!(
            "{} people are in this release and an earlier one; {:.2} values are left on average instead of {:.2}; the surest \
             value has a posterior of {:.3} instead of {:.3}; {} share their classes with nobody",
            found.people,
            found.candidates,
            found.candidates_alone,
            found.posterior,
            found.posterior_alone,
            found.singled
        ),
        figures: vec![Figure {
            what: "people whose sensitive value follows from all releases together and from none alone"
                .to_string(),
            targets: found.targets,
            hits: found.pinned,
            baseline: found.pinned_alone,
            instead: "looks at the release that tells most about them".to_string(),
        }],
        warning,
    }
}

/// Whether everybody's class shows what it showed before, as a finding.
pub(crate) fn re_release(found: &ReRelease) -> Finding {
    let relations: Vec<&str> = found.relations.iter().map(|relation| relation.name()).collect();
    let crossing = found.relations.iter().filter(|relation| **relation == Relation::Crossing).count();
    let warning = if found.changed > 0 {
        format!(
            "{} of {} people are in a class that shows other sensitive values than in an earlier release, and neither release \
             is a coarsening of the other ({crossing} of {} earlier ones): this is not m-invariant",
            found.changed,
            found.targets,
            found.relations.len(),
        )
    } else {
        String::new()
    };
    Finding {
        name: RE_RELEASE.to_string(),
        knows: "this release and the earlier ones of the same people".to_string(),
        does: "looks for people whose class shows other values than before".to_string(),
        assumes: format!(
            "the classes of this release are, against the earlier ones: {}",
            relations.join(", ")
        ),
        figures: vec![Figure {
            what: "people whose class shows other sensitive values than in an earlier release".to_string(),
            targets: found.targets,
            hits: found.changed,
            baseline: 0,
            instead: "has one release only".to_string(),
        }],
        warning,
    }
}
