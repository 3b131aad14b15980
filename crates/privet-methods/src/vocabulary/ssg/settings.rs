//! The settings of the method, resolved against the data.

use crate::vocabulary::BagTask;
use privet_core::{Error, Result};
pub(super) use privet_policy::method::{Centre, Matching, Penalty};
use privet_policy::method::{Residual, Ssg};

#[derive(Debug, Clone, Copy)]
pub(super) struct SsgSettings {
    pub(super) k: usize,
    pub(super) distinct_users: bool,
    pub(super) matching: Matching,
    pub(super) centre: Centre,
    pub(super) penalty: Penalty,
    /// The largest distance of left-over terms of a cluster that are published as their common ancestor.
    pub(super) residual: Option<u32>,
    pub(super) withhold: bool,
    pub(super) min_vote: u64,
    /// About how many bags are examined for one cluster.
    pub(super) visits: usize,
    /// How many of them are kept as candidates.
    pub(super) pool: usize,
    /// How many good candidates are enough, per required member.
    pub(super) slack: usize,
}

impl SsgSettings {
    pub(super) fn of(task: &BagTask<'_>, own: &Ssg) -> Result<SsgSettings> {
        let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let centre = own.centre;
        let residual = match own.residual {
            Residual::No => None,
            Residual::Any => task.distances.tree().map(|_| u32::MAX),
            Residual::Within(reach) => Some(u32::try_from(reach).unwrap_or(u32::MAX)),
        };
        if task.distances.tree().is_none() {
            let asked = match (centre, residual) {
                (Centre::Generalise, _) => Some("centre = \"generalise\""),
                (_, Some(_)) => Some("residual"),
                _ => None,
            };
            if let Some(asked) = asked {
                return Err(Error::input(format!(
                    "'{asked}' publishes the common ancestor of terms, which these distances do not provide"
                ))
                .help("use distances from a taxonomy or from wordnet-tree in [semantics], or remove it"));
            }
        }
        Ok(SsgSettings {
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
