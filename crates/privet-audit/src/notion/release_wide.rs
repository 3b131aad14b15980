//! What notions about a whole release and about populations have in common: one figure against a bound, or a figure per class.

use super::Facts;
use crate::Check;
use privet_core::{Result, counted};

/// A class's figure, and whether it is fine.
pub(super) struct Judged {
    pub holds: bool,
    /// How near to the bound it is; larger is worse.
    pub strain: f64,
    /// The inequality with the class's numbers.
    pub explained: String,
}

/// Judges every class.
pub(super) fn each_class(
    name: String,
    facts: &Facts<'_>,
    judge: impl Fn(u32, u64) -> Result<Judged>,
) -> Result<Check> {
    let mut check = Check::new(name, true, String::new());
    let mut worst: Option<(bool, f64, u32, String)> = None;
    for class in facts.classes.cells.ids() {
        (facts.watch)()?;
        let size = facts.classes.cells.count(class);
        let judged = judge(class, size)?;
        if !judged.holds {
            check.holds = false;
            check.classes_failing += 1;
            check.concerned += size;
        }
        let rank = (!judged.holds, judged.strain);
        if worst.as_ref().is_none_or(|(failed, strain, ..)| (*failed, *strain) < rank) {
            worst = Some((rank.0, rank.1, class, judged.explained));
        }
    }
    check.worst = worst.map(|(_, _, class, explained)| format!("{}: {explained}", facts.describe(class)));
    check.detail = match (check.classes_failing, facts.classes.len()) {
        (_, 0) => "the release has no records".to_string(),
        (0, 1) => "holds in the only class".to_string(),
        (0, classes) => format!("holds in all {classes} classes"),
        (failing, classes) => {
            format!("fails in {failing} of {}", counted(classes as u64, "class", "classes"))
        }
    };
    Ok(check)
}

/// The sizes of the released classes, ascending.
pub(super) fn sizes(facts: &Facts<'_>) -> Vec<u64> {
    let mut sizes: Vec<u64> =
        facts.classes.cells.ids().map(|class| facts.classes.cells.count(class)).collect();
    sizes.sort_unstable();
    sizes
}
