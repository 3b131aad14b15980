//! Do rows have the values that stand next to them, or that the list of their bucket has at their place?
//!
//! In an honest release, rows and values of a *stratum* (a bucket, or a part of it) belong together in any way. The gamblers go
//! through the rows in an order that does not depend on what stands where, know the values that are still to come, and bet on
//! the value of the next row: by the urn that its people draw from, or by a code that they learn.

mod game;
mod paths;
mod ways;

use self::game::Game;
use self::ways::{BACKWARDS, STRAIGHT};
use super::super::super::order::{Evidence, Strata, UNKNOWN};
use super::keys::Keys;
use super::owners::RowOwners;
use super::rankings::Ranking;
use privet_core::Result;
use privet_core::random::{keyed, shuffle};

/// The table of values next to that of rows: their places in buckets, or in the whole files, in every order of values.
pub(super) fn listed(
    owners: &RowOwners<'_>,
    runs: &[u32],
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Evidence> {
    let mut evidence = Evidence::default();
    for by_bucket in [true, false] {
        let strata = owners.strata(runs, by_bucket);
        if strata.is_empty() {
            continue;
        }
        let game = Game::of(owners, strata, by_bucket);
        let mut tried: Vec<Vec<u32>> = Vec::new();
        for ranking in Ranking::all(owners.book) {
            tick()?;
            let slots = slots(owners, &ranking, by_bucket);
            // Several orders of values may be the same.
            if tried.contains(&slots) {
                continue;
            }
            let what = format!("at their place in the list of values, {},", ranking.how);
            game.bet(&slots, STRAIGHT, &what, 0.0, &mut evidence);
            game.bet(&slots, BACKWARDS, &what, 0.0, &mut evidence);
            game.bet_shifted(&slots, &what, &mut evidence);
            tick()?;
            if by_bucket {
                game.bet_on_paths(&slots, &what, &mut evidence);
            }
            // The order of rows is random: where all own values are known, compare them with the sorted ones.
            let own = |row: &usize| owners.value(*row).unwrap_or(UNKNOWN);
            let sorted = |rows: &[usize]| {
                let rank = |row: &usize| {
                    ranking.of(owners.book.trail.rows[*row].bucket, own(row)).unwrap_or(f64::INFINITY)
                };
                let mut rows = rows.to_vec();
                rows.sort_by(|one, other| rank(one).total_cmp(&rank(other)));
                rows
            };
            let known = game.known();
            let released = known.iter().flat_map(|(at, rows)| rows.iter().map(move |row| (*at, own(row))));
            let reference =
                known.iter().flat_map(|(at, rows)| sorted(rows).into_iter().map(move |row| (*at, own(&row))));
            let what = format!("a list of values, {}", ranking.how);
            evidence.join(Strata::of(released, reference).evidence(&what), 0.0);
            tried.push(slots);
        }
    }
    Ok(evidence)
}

/// The values of every bucket, or of all, in some order: one for each row.
fn slots(owners: &RowOwners<'_>, ranking: &Ranking, by_bucket: bool) -> Vec<u32> {
    let trail = &owners.book.trail;
    let rank = |(bucket, value): &(u32, u32)| ranking.of(*bucket, *value).unwrap_or(f64::INFINITY);
    let copies = trail.listed.iter().flat_map(|listed| {
        std::iter::repeat_n((listed.bucket, listed.value), (listed.count as usize).min(trail.rows.len()))
    });
    let mut values: Vec<(u32, u32)> = copies.take(trail.rows.len()).collect();
    values.sort_by(|one, other| {
        let within = rank(one).total_cmp(&rank(other));
        if by_bucket { one.0.cmp(&other.0).then(within) } else { within }
    });
    let mut slots = vec![UNKNOWN; trail.rows.len()];
    if !by_bucket {
        slots.iter_mut().zip(values).for_each(|(slot, (_, value))| *slot = value);
        return slots;
    }
    let rows_of = trail.by_bucket();
    for same in values.chunk_by(|one, other| one.0 == other.0) {
        rows_of[same[0].0 as usize].iter().zip(same).for_each(|(row, (_, value))| slots[*row] = *value);
    }
    slots
}

/// The values next to the rows of a permuted table. `conditions` are cells, by row, that the order of the file may depend on
/// together with values; they are not needed if that order does not depend on values. `orders` are those of the original's
/// records that values may follow, that of the file first.
pub(super) fn displayed(
    owners: &RowOwners<'_>,
    values: &[u32],
    conditions: Option<&[u32]>,
    orders: &[Keys],
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Evidence> {
    // Values may belong to the rows of a bucket in any way, whatever the file is sorted by.
    let buckets = owners.strata(&vec![0; values.len()], true);
    let mut evidence = Evidence::default();
    let game = Game::of(owners, buckets.clone(), true);
    let mut own = Evidence::default();
    game.bet(values, STRAIGHT, "next to them", 0.0, &mut own);
    game.code(values, &mut own);
    evidence.group(own, 0.0);
    // Values next to other rows of the bucket: by their places in the file.
    tick()?;
    let in_file_order = match conditions {
        None => game,
        Some(conditions) => Game::of(owners, owners.strata(conditions, true), true),
    };
    evidence.group(in_file_order.next_to(values, "next to another row of their bucket", tick)?, 0.0);
    // By the places of their people in the original.
    let mut found = Evidence::default();
    for (keys, is_first) in orders.iter().zip(std::iter::once(true).chain(std::iter::repeat(false))) {
        tick()?;
        let sorted = sorted(&buckets, &owners.mean(&keys.records));
        let mut down = values.to_vec();
        for (in_file, in_order) in buckets.iter().zip(&sorted) {
            in_file.iter().zip(in_order).for_each(|(place, row)| down[*row] = values[*place]);
        }
        let game = Game::of(owners, sorted, true);
        if is_first {
            let what = format!("next to another row of their bucket, {},", keys.how);
            evidence.group(game.next_to(values, &what, tick)?, 0.0);
        }
        // Down the file, the values as their people follow each other in this order. Not if the file is sorted by values.
        if conditions.is_none() {
            let what = format!("at their place down the bucket, {},", keys.how);
            game.bet(&down, STRAIGHT, &what, 0.0, &mut found);
            game.bet(&down, BACKWARDS, &what, 0.0, &mut found);
            if is_first {
                game.bet_shifted(&down, &what, &mut found);
                game.bet_on_paths(&down, &what, &mut found);
            }
        }
    }
    evidence.group(found, 0.0);
    Ok(evidence)
}

/// The rows of each stratum by their keys; equal ones in an order that depends on nothing.
fn sorted(strata: &[Vec<usize>], keys: &[f64]) -> Vec<Vec<usize>> {
    let ties = &mut keyed(0, "ties");
    let mut strata = strata.to_vec();
    for rows in &mut strata {
        shuffle(rows, ties);
        rows.sort_by(|one, other| keys[*one].total_cmp(&keys[*other]));
    }
    strata
}
