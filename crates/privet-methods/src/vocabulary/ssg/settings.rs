//! The keys of the method as understood.

use crate::vocabulary::Task;
use privet_core::{Error, Result};
use privet_policy::method::Ssg;
pub(super) use privet_policy::method::{Centre, Matching, Penalty};

#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub(super) k: usize,
    pub(super) distinct_users: bool,
    pub(super) matching: Matching,
    pub(super) centre: Centre,
    pub(super) penalty: Penalty,
    /// How far left-overs of a cluster may be apart that are published as what they have in common.
    pub(super) residual: Option<u32>,
    pub(super) withhold: bool,
    pub(super) min_vote: u64,
    /// How many bags are looked at for one cluster, at about.
    pub(super) visits: usize,
    /// How many of them may still join it.
    pub(super) pool: usize,
    /// How many good candidates are enough, for each that is needed.
    pub(super) slack: usize,
}

impl Settings {
    pub(super) fn of(task: &Task<'_>, own: &Ssg) -> Result<Settings> {
        let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let centre = own.centre;
        let residual = own.residual.map(|reach| {
            // Distances are whole numbers, so nothing lies between a reach and what it is rounded down to.
            u32::try_from(reach.numerator() / reach.denominator()).unwrap_or(u32::MAX)
        });
        if task.distances.tree().is_none() {
            let asked = match (centre, residual) {
                (Centre::Generalise, _) => Some("centre = \"generalise\""),
                (_, Some(_)) => Some("residual"),
                _ => None,
            };
            if let Some(asked) = asked {
                return Err(Error::input(format!(
                    "'{asked}' publishes what terms have in common, which these distances do not tell"
                ))
                .help(
                    "take distances from a taxonomy or from wordnet-tree in [semantics], or leave it out",
                ));
            }
        }
        Ok(Settings {
            k: task.demand.k.max(1) as usize,
            distinct_users: task.demand.distinct_users,
            matching: own.matching,
            centre,
            penalty: own.penalty,
            residual,
            withhold: own.withhold,
            min_vote: own.min_vote,
            visits: size(own.visits),
            pool: size(own.pool),
            slack: size(own.slack),
        })
    }
}
