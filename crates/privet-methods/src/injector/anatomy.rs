//! Anatomy (Xiao and Tao, VLDB 2006): groups of l records with l different values, regardless of what the adversary
//! knows.
//!
//! Possible iff no value belongs to more than one record in l. While l values are left, one record of each of the l
//! most frequent values forms a group (ties are broken at random). Fewer than l records remain, each with a different
//! value; each joins a random group that lacks it.

use std::cmp::Reverse;

use rand_chacha::ChaCha20Rng;

use super::classes::RecordClasses;
use super::grouping::ClassSlot;
use privet_core::random;

/// Forms the groups; the caller rejects ineligible tables. No values are barred here, so every class is one value.
pub(super) fn form(classes: &RecordClasses, l: usize, random: &mut ChaCha20Rng) -> Vec<Vec<ClassSlot>> {
    let mut left: Vec<u64> = classes.list.iter().map(|class| class.count).collect();
    let mut taken = vec![0u32; left.len()];
    let mut take = |class: usize, left: &mut [u64]| {
        left[class] -= 1;
        taken[class] += 1;
        ClassSlot { class: class as u32, turn: taken[class] - 1 }
    };
    let mut groups: Vec<Vec<ClassSlot>> = Vec::new();
    loop {
        let mut some: Vec<usize> = (0..left.len()).filter(|class| left[*class] > 0).collect();
        if some.len() < l {
            for class in some {
                while left[class] > 0 {
                    let slot = take(class, &mut left);
                    join(&mut groups, slot, random);
                }
            }
            return groups;
        }
        random::shuffle(&mut some, random);
        // A stable sort keeps ties in their random order.
        some.sort_by_key(|class| Reverse(left[*class]));
        groups.push(some[..l].iter().map(|class| take(*class, &mut left)).collect());
    }
}

/// Adds a record to a random group that lacks its value.
fn join(groups: &mut Vec<Vec<ClassSlot>>, slot: ClassSlot, random: &mut ChaCha20Rng) {
    let lacks = |group: &Vec<ClassSlot>| group.iter().all(|other| other.class != slot.class);
    let open: Vec<usize> = (0..groups.len()).filter(|at| lacks(&groups[*at])).collect();
    match open.len() as u64 {
        0 => groups.push(vec![slot]),
        choices => groups[open[random::below(random, choices) as usize]].push(slot),
    }
}

/// The value that too many records have, with their number, if there is one.
pub(super) fn too_frequent(counts: &[u64], l: usize) -> Option<(u32, u64)> {
    let total: u128 = counts.iter().map(|count| u128::from(*count)).sum();
    let (value, most) = (0u32..).zip(counts).max_by_key(|(value, count)| (**count, Reverse(*value)))?;
    (u128::from(*most) * l as u128 > total).then_some((value, *most))
}
