//! Released vocabularies as a file, with what a run states about it.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use super::{Demand, Filed, Manner, StatedShares, VocabularyRelease, audit_vocabularies};
use crate::{Audit, ExpectedCounts};
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_data::{Bags, VocabularyFile};
use privet_policy::{Stated, VocabularyMethod, VocabularyPolicy, layout};

/// What a manifest says about a release.
#[derive(Debug, Clone, Copy)]
pub struct Claimed<'a> {
    /// Its counts.
    pub counts: ExpectedCounts,
    /// Its shares.
    pub shares: StatedShares,
    /// All of it, where it is written.
    pub manifest: Option<&'a Json>,
}

impl<'a> Claimed<'a> {
    /// Reads what a run states, all of it where the release is `published`; `None` where it is not about vocabularies.
    pub fn of(manifest: &'a Json, published: bool, counts: ExpectedCounts) -> Option<Claimed<'a>> {
        let loss = |name: &str| manifest["loss"][name].as_f64();
        let shares = StatedShares {
            distinct_terms: loss(layout::DISTINCT_TERMS)?,
            size: loss(layout::VOCABULARY_SIZE)?,
            blm: loss(layout::BAG_LOSS)?,
            glm: loss(layout::GENERAL_LOSS),
        };
        Some(Claimed { counts, shares, manifest: published.then_some(manifest) })
    }
}

/// What is known about which published vocabulary stands for which of the original.
#[derive(Debug, Clone, Copy)]
pub enum VocabularyOrder<'a> {
    /// This file says.
    Listed(&'a Path),
    /// They stand in the same order.
    Original,
    /// Nothing.
    Unknown,
}

/// Audits released vocabularies.
pub fn audit_vocabulary_release(
    policy: &VocabularyPolicy,
    file: &VocabularyFile,
    order: VocabularyOrder<'_>,
    claimed: Option<Claimed<'_>>,
    clock: &Clock,
) -> Result<Audit> {
    let (original, extraction) = policy.source.read(&mut |_| clock.check())?;
    let (released, _) = file.read(&mut |_| clock.check())?;
    let distances = policy.semantics.between(original.terms());
    let demand = Demand::of(&policy.requirement, original.users().is_some());
    let manner = Manner::of(&policy.method);
    let assignment = match order {
        VocabularyOrder::Listed(path) => Some(assigned(path, &original)?),
        VocabularyOrder::Original => Some((0..original.len() as u32).map(Some).collect()),
        VocabularyOrder::Unknown => None,
    };
    let requirement = policy.requirement.describe(&[]);
    let manifest = claimed.and_then(|claimed| claimed.manifest);
    let filed =
        manifest.map(|manifest| Filed { manifest, extraction: &extraction, requirement: &requirement });
    let facts = VocabularyRelease {
        original: &original,
        distances: &distances,
        release: &released,
        demand,
        manner,
        covers_groups: match policy.method {
            VocabularyMethod::Ssg(_) => false,
            VocabularyMethod::LgBag(_) | VocabularyMethod::Lg(_) => true,
        },
        epsilon: policy.epsilon,
        assignment: assignment.as_deref(),
        withheld: None,
        expected: claimed.map(|claimed| claimed.counts),
        stated: claimed.map(|claimed| claimed.shares),
        filed,
        file: Some(file.table()),
        aligned: matches!(order, VocabularyOrder::Original),
    };
    audit_vocabularies(&facts, &mut || clock.check())
}

/// Reads which published vocabulary stands for which of the original.
fn assigned(path: &Path, original: &Bags) -> Result<Vec<Option<u32>>> {
    let text = fs::read_to_string(path).map_err(|error| Error::io("read the assignment", path, &error))?;
    let broken = |line: u64| {
        Error::input("not a line of an assignment: original,vocabulary")
            .in_file(path)
            .at_line(line)
            .help("make the release again")
    };
    let mut all = Vec::with_capacity(original.len());
    for (line, row) in (1..).zip(text.lines()).skip(1) {
        let (_, number) = row.split_once(',').ok_or_else(|| broken(line))?;
        // Published vocabularies are numbered from 1 on, in the order of their file.
        all.push(match number {
            "" => None,
            number => {
                let number: u32 = number.parse().map_err(|_| broken(line))?;
                Some(number.checked_sub(1).ok_or_else(|| broken(line))?)
            }
        });
    }
    Ok(all)
}
