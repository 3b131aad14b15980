//! The third phase of Figure 2: records that found no group join one, and groups merge where they must.
//!
//! What is valid for a record stays valid when its group grows, so only the record that joins needs checking. The figure
//! does not end when the last two groups have merged and the record still fails; here it is left to the final pass, which
//! merges any group that fails until none does. That ends: all records together are a valid group, or nothing is begun.

use std::cmp::Reverse;

use super::classes::Classes;
use super::grouping::Slot;
use super::shelf::{Shelf, posterior};
use super::{Limits, enlarge};
use privet_core::clock::Clock;
use privet_core::{Exact, Result};

/// How the paper places a record: into the group that it clashes with least, which then merges with the group that
/// brings most new values, until enough values are valid for it.
pub(super) fn place_as_published(
    classes: &Classes,
    groups: Vec<Vec<Slot>>,
    remaining: &[Slot],
    limits: Limits,
    clock: &Clock,
) -> Result<Vec<Vec<Slot>>> {
    let l = limits.l;
    let mut shelf = Shelf::new(classes, groups);
    for slot in remaining {
        clock.check()?;
        let joining = &classes.list[slot.class as usize];
        let clashing = |look: &[u32]| {
            look.iter().filter(|class| joining.clashes(&classes.list[**class as usize])).count()
        };
        let nearest = shelf.looks().min_by_key(|(look, group)| (clashing(look), look.len(), *group));
        let Some((_, group)) = nearest else { break };
        shelf.insert(group, *slot);
        while shelf.count_valid(slot.class, &[&shelf.look(group)]) < l && merge_widest(&mut shelf, group) {}
    }
    merge_failing(&mut shelf, l, clock)?;
    grown(shelf, limits, clock)
}

/// Places the records with most barred values first, each into the smallest group in which enough values are valid for
/// it, rather one that does not have its value yet; only where there is none, a group merges with the one that helps
/// most.
pub(super) fn place_sparingly(
    classes: &Classes,
    groups: Vec<Vec<Slot>>,
    mut remaining: Vec<Slot>,
    limits: Limits,
    clock: &Clock,
) -> Result<Vec<Vec<Slot>>> {
    let Limits { l, bound, .. } = limits;
    remaining.sort_by_key(|slot| (Reverse(classes.list[slot.class as usize].barred.len()), *slot));
    let mut shelf = Shelf::new(classes, groups);
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
fn fitting(shelf: &Shelf<'_>, class: u32, l: usize, bound: Option<Exact>) -> Option<u32> {
    let joining = &shelf.classes.list[class as usize];
    let fits = |look: &[u32]| {
        let mut present = shelf.present(look);
        present.insert(joining.value);
        if present.common(&joining.allowed) < l || shelf.count_valid(class, &[look, &[class]]) < l {
            return false;
        }
        bound.is_none_or(|bound| {
            let mut look = look.to_vec();
            look.insert(look.partition_point(|other| *other < class), class);
            posterior(shelf.classes, &look).is_some_and(|posterior| posterior.is_at_most(bound))
        })
    };
    let with_its_value = |look: &[u32]| shelf.present(look).contains(joining.value);
    let mut shelved = shelf.looks().filter(|(look, _)| !with_its_value(look) && fits(look));
    let found = shelved.next().or_else(|| shelf.looks().find(|(look, _)| with_its_value(look) && fits(look)));
    found.map(|(_, group)| group)
}

/// Puts a record where most values are valid for it, and merges that group until there are enough.
fn grow_for(shelf: &mut Shelf<'_>, slot: Slot, l: usize) {
    let class = slot.class;
    let value = shelf.classes.list[class as usize].value;
    let start = shelf.looks().max_by_key(|(look, group)| {
        let valid = shelf.count_valid(class, &[look, &[class]]);
        (valid, !shelf.present(look).contains(value), Reverse(look.len()), Reverse(*group))
    });
    let Some((_, group)) = start else { return };
    shelf.insert(group, slot);
    loop {
        let look = shelf.look(group);
        if shelf.count_valid(class, &[&look]) >= l {
            return;
        }
        let present = shelf.present(&look);
        let partner = shelf.looks_without(group).max_by_key(|(other, number)| {
            let valid = shelf.count_valid(class, &[&look, other]);
            let new = shelf.present(other).without(&present).len();
            (valid, new, Reverse(other.len()), Reverse(*number))
        });
        let Some((_, partner)) = partner else { return };
        shelf.merge(group, partner);
    }
}

/// Merges a group with the one that brings most new values; says whether there was one.
fn merge_widest(shelf: &mut Shelf<'_>, group: u32) -> bool {
    let present = shelf.present(&shelf.look(group));
    let partner = shelf.looks_without(group).min_by_key(|(look, number)| {
        let new = shelf.present(look).without(&present).len();
        (Reverse(new), look.len(), *number)
    });
    let Some((_, partner)) = partner else { return false };
    shelf.merge(group, partner);
    true
}

fn merge_failing(shelf: &mut Shelf<'_>, l: usize, clock: &Clock) -> Result<()> {
    for group in shelf.numbers() {
        clock.check()?;
        loop {
            let look = shelf.look(group);
            if look.is_empty() || shelf.least_valid(&look) >= l || !merge_widest(shelf, group) {
                break;
            }
        }
    }
    Ok(())
}

/// The groups, merged until each has k records and, as far as that helps, until nobody can be surer of a value than the bound
/// allows.
fn grown(shelf: Shelf<'_>, limits: Limits, clock: &Clock) -> Result<Vec<Vec<Slot>>> {
    let classes = shelf.classes;
    let groups = enlarge(shelf.into_groups(), limits.k);
    let Some(bound) = limits.bound else { return Ok(groups) };
    let mut shelf = Shelf::new(classes, groups);
    merge_too_sure(&mut shelf, bound, clock)?;
    Ok(shelf.into_groups())
}

/// So many groups are tried as partners of one in which an adversary could become too sure.
const MOST_PARTNERS: usize = 64;

/// So many groups at most are merged into one to make him less sure.
const MOST_MERGES: usize = 6;

/// Merges groups in which an adversary could become surer of a value than the bound allows with those that make him least
/// sure, as long as that helps. Merging does not always help, so what comes out has to be checked.
fn merge_too_sure(shelf: &mut Shelf<'_>, bound: Exact, clock: &Clock) -> Result<()> {
    for group in shelf.numbers() {
        for _ in 0..MOST_MERGES {
            clock.check()?;
            let look = shelf.look(group);
            let here = posterior(shelf.classes, &look);
            if look.is_empty() || here.as_ref().is_some_and(|here| here.is_at_most(bound)) {
                break;
            }
            let merged = |other: &[u32]| {
                let mut both = [look.as_slice(), other].concat();
                both.sort_unstable();
                posterior(shelf.classes, &both)
            };
            let partners = shelf.looks_without(group).take(MOST_PARTNERS);
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
