//! One audit for each shape of release: in a folder, with what the run states, and in any files of any tool.

use std::fs;
use std::path::Path;

use super::ReleaseFolder;
use crate::buckets::audit_buckets;
use crate::projections::{StatedPlan, audit_projections};
use crate::released::{
    Released, open_numbered_projections, open_present_projections, open_released, open_table,
    open_transactions, open_vocabularies,
};
use crate::vocabularies::{Claimed, VocabularyOrder, audit_vocabulary_release};
use crate::{Audit, AuditOptions, ExpectedCounts, StatedCost, audit_table_watched, audit_transactions};
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_data::Source;
use privet_policy::layout::{GROUP_ASSIGNMENT, PUBLIC, STEWARD, VOCABULARY_ASSIGNMENT, projection};
use privet_policy::{AnyPolicy, CheckedPolicy, ReleaseKind};

/// The items, or groups of items, that the manifest's plan suppresses in all transactions.
fn suppressed_items(folder: &ReleaseFolder) -> Result<Vec<String>> {
    let Some(listed) = folder.stated["plan"].get("suppressed") else { return Ok(Vec::new()) };
    let label = |label: &serde_json::Value| label.as_str().map(str::to_string);
    let labels = listed.as_array().and_then(|listed| listed.iter().map(label).collect());
    labels.ok_or_else(|| folder.broken())
}

/// Audits the release in a folder.
pub(super) fn audit(folder: &ReleaseFolder, policy: &AnyPolicy, clock: &Clock) -> Result<Audit> {
    let count = |key: &str| folder.stated["records"][key].as_u64().ok_or_else(|| folder.broken());
    let expected = ExpectedCounts {
        released: count("released")?,
        suppressed: count("suppressed")?,
        dropped: count("dropped")?,
    };
    let name = folder.names().next().ok_or_else(|| folder.broken())?;
    let path = folder.public(name);
    match policy {
        AnyPolicy::Table(policy) => match policy.publishes() {
            ReleaseKind::Groups => groups(folder, policy, expected, clock),
            ReleaseKind::Projections => projections(folder, policy, expected, clock),
            _ => {
                // Nobody could choose an earlier plan so that it suppresses little of later data.
                let allow_suppression = folder.follows_earlier_plan()?;
                let expected = Some(expected);
                let options = AuditOptions { expected, allow_suppression, ..AuditOptions::default() };
                let release = open_table(policy, &path)?;
                audit_table_watched(policy, &release, &options, &mut || clock.check())
            }
        },
        AnyPolicy::Transactions(policy) => {
            let text = |key: &str| folder.stated["cost"][key].as_str().ok_or_else(|| folder.broken());
            let cost = StatedCost::parse(text("metric")?, text("exact")?).ok_or_else(|| folder.broken())?;
            let options = AuditOptions {
                expected: Some(expected),
                cost: Some(cost),
                suppressed: Some(suppressed_items(folder)?),
                // As for tables: nobody could choose an earlier plan so that it suppresses little of later data.
                allow_suppression: folder.follows_earlier_plan()?,
                foreign: false,
            };
            audit_transactions(policy, &open_transactions(policy, &path)?, &options, &mut || clock.check())
        }
        AnyPolicy::Vocabularies(policy) => {
            let stated = Claimed::of(&folder.stated, folder.published, expected);
            let stated = stated.ok_or_else(|| folder.broken())?;
            let assigned = folder.path.join(STEWARD).join(VOCABULARY_ASSIGNMENT);
            // What was written is known and must not be guessed.
            let file = open_vocabularies(&path, Some(','))?;
            audit_vocabulary_release(policy, &file, VocabularyOrder::Listed(&assigned), Some(stated), clock)
        }
    }
}

fn groups(
    folder: &ReleaseFolder,
    policy: &CheckedPolicy,
    expected: ExpectedCounts,
    clock: &Clock,
) -> Result<Audit> {
    let path = folder.path.join(STEWARD).join(GROUP_ASSIGNMENT);
    let text = fs::read_to_string(&path).map_err(|error| Error::io("read the assignment", &path, &error))?;
    let group = |line: &str| {
        let (_, group) = line.split_once(',')?;
        Some(group.to_string()).filter(|group| !group.is_empty())
    };
    let assignment: Vec<Option<String>> = text.lines().skip(1).map(group).collect();
    audit_buckets(policy, &folder.groups()?, Some(&assignment), Some(expected), &mut || clock.check())
}

fn projections(
    folder: &ReleaseFolder,
    policy: &CheckedPolicy,
    expected: ExpectedCounts,
    clock: &Clock,
) -> Result<Audit> {
    let plan = &folder.stated["plan"];
    let (Some(gamma_alpha), Some(gamma_beta), Some(stated)) =
        (plan["gamma_alpha"].as_f64(), plan["gamma_beta"].as_f64(), plan["projections"].as_array())
    else {
        return Err(folder.broken());
    };
    // The audit finds out what is missing.
    let there = (1..=stated.len()).filter(|number| folder.public(&projection(*number)).is_file());
    let tables = open_numbered_projections(&folder.path.join(PUBLIC), there)?;
    let stated = StatedPlan { gamma_alpha, gamma_beta };
    let may_lack = folder.follows_earlier_plan()?;
    audit_projections(policy, &tables, Some(stated), Some(expected), may_lack, &|| clock.check())
}

/// Audits any released files against a policy: a file, or a folder where the policy's method publishes several. Nothing is known
/// about how they were made, so only what the files show can be checked.
///
/// `aligned` says that vocabularies are in the order of the original.
pub fn audit_files(policy: &AnyPolicy, release: &Path, aligned: bool, clock: &Clock) -> Result<Audit> {
    if aligned && !matches!(policy, AnyPolicy::Vocabularies(_)) {
        let kind = policy.kind().name();
        return Err(Error::input(format!("--aligned has no meaning for kind = \"{kind}\""))
            .help("leave it out: records are compared whatever their order"));
    }
    let paths = paths_of(release)?;
    let audit = match policy {
        AnyPolicy::Table(policy) if policy.publishes() == ReleaseKind::Projections => {
            if release.is_file() {
                return Err(Error::input("this is one file, and the tables of a plan are audited together")
                    .in_file(release)
                    .help("name the directory that holds projection-1.csv, projection-2.csv and so on"));
            }
            audit_projections(policy, &open_present_projections(release)?, None, None, false, &|| {
                clock.check()
            })?
        }
        policy => audit_data(policy, &open_released(policy.as_ref(), release)?, aligned, clock)?,
    };
    audit.with_containers(paths.iter().map(|path| path.as_path()))
}

/// Audits any released data, in files or in memory, against a policy. Nothing is known about how they were made, so only what they
/// show can be checked. What packs the cells of files is not looked at; [`audit_files`] does that.
///
/// `aligned` says that vocabularies are in the order of the original.
pub fn audit_data(policy: &AnyPolicy, release: &Released, aligned: bool, clock: &Clock) -> Result<Audit> {
    let options = AuditOptions::foreign();
    let mut tick = || clock.check();
    release.check_whole()?;
    match (policy, release) {
        (AnyPolicy::Table(policy), Released::Table(release)) => {
            audit_table_watched(policy, release, &options, &mut tick)
        }
        (AnyPolicy::Table(policy), Released::Groups(release)) => {
            audit_buckets(policy, release, None, None, &mut tick)
        }
        (AnyPolicy::Table(policy), Released::Projections(tables)) => {
            let tables: Vec<(usize, Source)> = (1..).zip(tables.iter().cloned()).collect();
            audit_projections(policy, &tables, None, None, false, &|| clock.check())
        }
        (AnyPolicy::Transactions(policy), Released::Transactions(release)) => {
            audit_transactions(policy, release, &options, &mut tick)
        }
        (AnyPolicy::Vocabularies(policy), Released::Vocabularies(release)) => {
            let order = if aligned { VocabularyOrder::Original } else { VocabularyOrder::Unknown };
            audit_vocabulary_release(policy, release, order, None, clock)
        }
        (policy, _) => Err(Error::input(format!(
            "the release is not what kind = \"{}\" in [data] and the method publish",
            policy.kind().name()
        ))
        .help("give the policy that the release was made under")),
    }
}

/// The file, or those in the folder, that a release is.
fn paths_of(release: &Path) -> Result<Vec<std::path::PathBuf>> {
    if !release.is_dir() {
        return Ok(vec![release.to_path_buf()]);
    }
    let entries = fs::read_dir(release).map_err(|error| Error::io("read the directory", release, &error))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    Ok(paths)
}
