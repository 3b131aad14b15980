//! Anatomy (Xiao and Tao, VLDB 2006): groups of l records with l different values, blind to what the adversary knows.
//!
//! Possible iff no value belongs to more than one record in l. While l values are left, one record of each of the l most
//! frequent ones forms a group (ties at random); of the fewer than l records that remain, each has another value and
//! joins a random group that lacks it.

use std::cmp::Reverse;

use rand_chacha::ChaCha20Rng;

use super::classes::Classes;
use super::grouping::Slot;
use privet_core::random;

/// Forms the groups; an ineligible table is the caller's to refuse. Slots are of classes without barred values, so a
/// class is a value.
pub(super) fn form(classes: &Classes, l: usize, random: &mut ChaCha20Rng) -> Vec<Vec<Slot>> {
    let mut left: Vec<u64> = classes.list.iter().map(|class| class.count).collect();
    let mut taken = vec![0u32; left.len()];
    let mut take = |class: usize, left: &mut [u64]| {
        left[class] -= 1;
        taken[class] += 1;
        Slot { class: class as u32, turn: taken[class] - 1 }
    };
    let mut groups: Vec<Vec<Slot>> = Vec::new();
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
        // A stable sort leaves ties in their random order.
        some.sort_by_key(|class| Reverse(left[*class]));
        groups.push(some[..l].iter().map(|class| take(*class, &mut left)).collect());
    }
}

/// Puts a record into a random group that lacks its value.
fn join(groups: &mut Vec<Vec<Slot>>, slot: Slot, random: &mut ChaCha20Rng) {
    let lacks = |group: &Vec<Slot>| group.iter().all(|other| other.class != slot.class);
    let open: Vec<usize> = (0..groups.len()).filter(|at| lacks(&groups[*at])).collect();
    match open.len() as u64 {
        0 => groups.push(vec![slot]),
        choices => groups[open[random::below(random, choices) as usize]].push(slot),
    }
}

/// The value that too many records have, with how many, if there is one.
pub(super) fn too_frequent(counts: &[u64], l: usize) -> Option<(u32, u64)> {
    let total: u128 = counts.iter().map(|count| u128::from(*count)).sum();
    let (value, most) = (0u32..).zip(counts).max_by_key(|(value, count)| (**count, Reverse(*value)))?;
    (u128::from(*most) * l as u128 > total).then_some((value, *most))
}
