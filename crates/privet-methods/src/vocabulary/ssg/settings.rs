//! The keys of the method as understood.

use crate::vocabulary::Task;
use privet_core::{Error, Result};

/// How occurrences are matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Matching {
    Exact,
    Greedy,
    /// Exact where both sides are small.
    Auto,
}

/// What is printed for occurrences that were matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Centre {
    Vote,
    Hyper,
    Generalise,
}

/// What an occurrence costs that stays unmatched (convention C6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Penalty {
    /// Every occurrence that is suppressed costs the same: a bag of the hyper-vocabulary holds as many as it has members.
    Occurrence,
    /// A bag of the hyper-vocabulary costs as much as a single term.
    Uniform,
}

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
    pub(super) fn of(task: &Task<'_>) -> Result<Settings> {
        let settings = &task.method.settings;
        let count = |key: &str, default: u64| settings.count(key).unwrap_or(default);
        let size = |key: &str, default: u64| usize::try_from(count(key, default)).unwrap_or(usize::MAX);
        let centre = match settings.choice("centre") {
            Some("hyper") => Centre::Hyper,
            Some("generalise") => Centre::Generalise,
            _ => Centre::Vote,
        };
        let residual = settings.exact("residual").map(|reach| {
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
            matching: match settings.choice("matching") {
                Some("exact") => Matching::Exact,
                Some("greedy") => Matching::Greedy,
                _ => Matching::Auto,
            },
            centre,
            penalty: match settings.choice("penalty") {
                Some("uniform") => Penalty::Uniform,
                _ => Penalty::Occurrence,
            },
            residual,
            withhold: settings.flag("withhold"),
            min_vote: count("min_vote", 1),
            visits: size("visits", 2000),
            pool: size("pool", 60),
            slack: size("slack", 15),
        })
    }
}
