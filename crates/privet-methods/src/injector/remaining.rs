//! The third phase of Figure 2: ungrouped records join groups, and groups merge if necessary.
//!
//! What is valid for a record stays valid when its group grows, so only the joining record needs checking. The figure
//! does not terminate when the last two groups have merged and the record still fails. Here it is left to the final
//! pass, which merges any group that fails until none does. That terminates: unless all records together are a valid
//! group, nothing is started.

use std::cmp::Reverse;

use super::classes::RecordClasses;
use super::grouping::ClassSlot;
use super::shelf::{GroupShelf, posterior};
use super::{GroupLimits, enlarge, signature};
use privet_core::clock::Clock;
use privet_core::{Exact, Result};

/// Places a record as in the paper: into the group that it clashes with least, which then merges with the group that
/// adds most new values, until enough values are valid for the record.
pub(super) fn place_as_published(
    classes: &RecordClasses,
    groups: Vec<Vec<ClassSlot>>,
    remaining: &[ClassSlot],
    limits: GroupLimits,
    clock: &Clock,
) -> Result<Vec<Vec<ClassSlot>>> {
    let l = limits.l;
    let mut shelf = GroupShelf::new(classes, groups);
    for slot in remaining {
        clock.check()?;
        let joining = &classes.list[slot.class as usize];
        let clashing = |signature: &[u32]| {
            signature.iter().filter(|class| joining.clashes(&classes.list[**class as usize])).count()
        };
        let nearest = shelf
            .signatures()
            .min_by_key(|(signature, group)| (clashing(signature), signature.len(), *group));
        let Some((_, group)) = nearest else { break };
        shelf.insert(group, *slot);
        while shelf.count_valid(slot.class, &[&shelf.signature(group)]) < l && merge_widest(&mut shelf, group)
        {
        }
    }
    merge_failing(&mut shelf, l, clock)?;
    grown(shelf, limits, clock)
}

/// Places the records with most barred values first, each into the smallest group in which enough values are valid for
/// it, preferably one that lacks its value. Only if there is none, a group merges with the one that helps most.
pub(super) fn place_sparingly(
    classes: &RecordClasses,
    groups: Vec<Vec<ClassSlot>>,
    mut remaining: Vec<ClassSlot>,
    limits: GroupLimits,
    clock: &Clock,
) -> Result<Vec<Vec<ClassSlot>>> {
    let GroupLimits { l, bound, .. } = limits;
    remaining.sort_by_key(|slot| (Reverse(classes.list[slot.class as usize].barred.len()), *slot));
    let mut shelf = GroupShelf::new(classes, groups);
    for slot in remaining {
        clock.check()?;
        match fitting(&shelf, slot.class, l, bound) {
            Some(group) => shelf.insert(group, slot),
            None => grow_for(&mut shelf, slot, l),
        }
    }
    merge_failing(&mut shelf, l, clock)?;
    grown(shelf, limits, clock)
}

/// The smallest group in which the record has enough valid values.
fn fitting(shelf: &GroupShelf<'_>, class: u32, l: usize, bound: Option<Exact>) -> Option<u32> {
    let joining = &shelf.classes.list[class as usize];
    let fits = |signature: &[u32]| {
        let mut present = shelf.present(signature);
        present.insert(joining.value);
        if present.common(&joining.allowed) < l || shelf.count_valid(class, &[signature, &[class]]) < l {
            return false;
        }
        bound.is_none_or(|bound| {
            let mut signature = signature.to_vec();
            signature.insert(signature.partition_point(|other| *other < class), class);
            posterior(shelf.classes, &signature).is_some_and(|posterior| posterior.is_at_most(bound))
        })
    };
    let with_its_value = |signature: &[u32]| shelf.present(signature).contains(joining.value);
    let mut shelved =
        shelf.signatures().filter(|(signature, _)| !with_its_value(signature) && fits(signature));
    let found = shelved
        .next()
        .or_else(|| shelf.signatures().find(|(signature, _)| with_its_value(signature) && fits(signature)));
    found.map(|(_, group)| group)
}

/// Adds a record to the group where most values are valid for it, and merges that group until there are enough.
fn grow_for(shelf: &mut GroupShelf<'_>, slot: ClassSlot, l: usize) {
    let class = slot.class;
    let value = shelf.classes.list[class as usize].value;
    let start = shelf.signatures().max_by_key(|(signature, group)| {
        let valid = shelf.count_valid(class, &[signature, &[class]]);
        (valid, !shelf.present(signature).contains(value), Reverse(signature.len()), Reverse(*group))
    });
    let Some((_, group)) = start else { return };
    shelf.insert(group, slot);
    loop {
        let signature = shelf.signature(group);
        if shelf.count_valid(class, &[&signature]) >= l {
            return;
        }
        let present = shelf.present(&signature);
        let partner = shelf.signatures_without(group).max_by_key(|(other, number)| {
            let valid = shelf.count_valid(class, &[&signature, other]);
            let new = shelf.present(other).without(&present).len();
            (valid, new, Reverse(other.len()), Reverse(*number))
        });
        let Some((_, partner)) = partner else { return };
        shelf.merge(group, partner);
    }
}

/// Merges a group with the one that adds most new values; returns whether there was one.
fn merge_widest(shelf: &mut GroupShelf<'_>, group: u32) -> bool {
    let present = shelf.present(&shelf.signature(group));
    let partner = shelf.signatures_without(group).min_by_key(|(signature, number)| {
        let new = shelf.present(signature).without(&present).len();
        (Reverse(new), signature.len(), *number)
    });
    let Some((_, partner)) = partner else { return false };
    shelf.merge(group, partner);
    true
}

fn merge_failing(shelf: &mut GroupShelf<'_>, l: usize, clock: &Clock) -> Result<()> {
    for group in shelf.numbers() {
        clock.check()?;
        loop {
            let signature = shelf.signature(group);
            if signature.is_empty() || shelf.least_valid(&signature) >= l || !merge_widest(shelf, group) {
                break;
            }
        }
    }
    Ok(())
}

/// The groups, merged until each has k records and, as far as merging helps, no posterior exceeds the bound.
fn grown(shelf: GroupShelf<'_>, limits: GroupLimits, clock: &Clock) -> Result<Vec<Vec<ClassSlot>>> {
    let classes = shelf.classes;
    let groups = enlarge(shelf.into_groups(), limits.k, signature);
    let Some(bound) = limits.bound else { return Ok(groups) };
    let mut shelf = GroupShelf::new(classes, groups);
    merge_too_sure(&mut shelf, bound, clock)?;
    Ok(shelf.into_groups())
}

/// How many groups are tried as partners of one whose posterior is too large.
const MOST_PARTNERS: usize = 64;

/// How many groups are merged into one at most to reduce its posterior.
const MOST_MERGES: usize = 6;

/// Merges groups whose posterior exceeds the bound with the partners that reduce it most, as long as that helps.
/// Merging does not always help, so the caller must check the result.
fn merge_too_sure(shelf: &mut GroupShelf<'_>, bound: Exact, clock: &Clock) -> Result<()> {
    for group in shelf.numbers() {
        for _ in 0..MOST_MERGES {
            clock.check()?;
            let signature = shelf.signature(group);
            let here = posterior(shelf.classes, &signature);
            if signature.is_empty() || here.as_ref().is_some_and(|here| here.is_at_most(bound)) {
                break;
            }
            let merged = |other: &[u32]| {
                let mut both = [signature.as_slice(), other].concat();
                both.sort_unstable();
                posterior(shelf.classes, &both)
            };
            let partners = shelf.signatures_without(group).take(MOST_PARTNERS);
            let best = partners
                .filter_map(|(other, number)| Some((merged(other)?, number)))
                .min_by(|(one, at), (other, number)| one.cmp(other).then(at.cmp(number)));
            match best {
                Some((surest, partner)) if here.as_ref().is_none_or(|here| surest < *here) => {
                    shelf.merge(group, partner);
                }
                _ => break,
            }
        }
    }
    Ok(())
}
