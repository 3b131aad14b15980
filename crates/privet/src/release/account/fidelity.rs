//! What an analyst still finds in a release of tables: distributions, associations and counts, before and after.

use std::collections::BTreeMap;

use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;

use super::coded::{self, Coded, CodedColumn};
use crate::release::report::{Associations, Distribution, Fidelity, Marginal, QueryErrors, ValueCount};
use privet_core::{RunKey, random};
use privet_engine::microdata::Microdata;
use privet_methods::injector::RecordGroups;
use privet_methods::recoding::Recoding;

/// At most this many columns of each role are compared two by two.
const MOST_COLUMNS: usize = 8;
/// A cross-table with more cells than this says nothing that could be read.
const MOST_CELLS: usize = 1 << 20;
/// At most this many groups of numbers are drawn.
const MOST_GROUPS: usize = 10;
/// This many queries are asked of each kind.
const QUERIES: usize = 40;

/// A published table: how it reads, and which columns it has.
struct Published {
    coded: Coded,
    has: Vec<bool>,
}

/// One generalised table.
pub(super) fn of_recoding(microdata: &Microdata, recoding: &Recoding, key: RunKey) -> Fidelity {
    let all: Vec<usize> = (0..microdata.carried().len()).collect();
    of_tables(microdata, &[(recoding, all)], key)
}

/// Records in groups.
pub(crate) fn of_groups(microdata: &Microdata, grouping: &RecordGroups, key: RunKey) -> Fidelity {
    let coded = coded::grouped(microdata, grouping);
    let has = vec![true; coded.cover.len()];
    fidelity(microdata, &[Published { coded, has }], key)
}

/// Several generalised tables, each with all quasi-identifiers and some of the tracked columns.
pub(crate) fn of_tables(microdata: &Microdata, tables: &[(&Recoding, Vec<usize>)], key: RunKey) -> Fidelity {
    let quasi = microdata.quasi.len();
    let table = |(recoding, tracked): &(&Recoding, Vec<usize>)| {
        let coded = coded::generalised(microdata, recoding, tracked);
        let has = (0..coded.cover.len()).map(|at| at < quasi || tracked.contains(&(at - quasi))).collect();
        Published { coded, has }
    };
    fidelity(microdata, &tables.par_iter().map(table).collect::<Vec<_>>(), key)
}

fn fidelity(microdata: &Microdata, tables: &[Published], key: RunKey) -> Fidelity {
    let columns = coded::columns(microdata);
    let original = coded::original(microdata);
    let step = coded::step(microdata);
    let (associations, queries) = rayon::join(
        || associations(&columns, &original, tables),
        || (1..=3).filter_map(|count| queries(&columns, &original, tables, count, key)).collect(),
    );
    Fidelity {
        of_sets: false,
        sampled: (step > 1).then(|| microdata.summary.len().div_ceil(step) as u64),
        marginals: marginals(&columns, &original, tables),
        associations,
        queries,
    }
}

/// The first table that has all of these columns.
fn with<'a>(tables: &'a [Published], columns: &[usize]) -> Option<&'a Coded> {
    let table = tables.iter().find(|table| columns.iter().all(|at| table.has.get(*at) == Some(&true)))?;
    Some(&table.coded)
}

/// How many records have each value, as an analyst estimates it.
fn estimate(coded: &Coded, at: usize, values: usize) -> Vec<f64> {
    let mut cells = vec![0.0; coded.cover[at].len()];
    for (cell, weight) in coded.cells[at].iter().zip(&coded.weights) {
        cells[*cell as usize] += weight;
    }
    let mut estimate = vec![0.0; values];
    for (cover, weight) in coded.cover[at].iter().zip(cells) {
        for code in cover {
            estimate[*code as usize] += weight / cover.len() as f64;
        }
    }
    estimate
}

fn marginals(columns: &[CodedColumn<'_>], original: &Coded, tables: &[Published]) -> Vec<Marginal> {
    let marginal = |(at, column): (usize, &CodedColumn<'_>)| {
        let released = with(tables, &[at])?;
        let before = estimate(original, at, column.values.len());
        let after = estimate(released, at, column.values.len());
        let (all_before, all_after) = (original.total().max(1.0), released.total().max(1.0));
        let differences = before.iter().zip(&after).map(|(b, a)| b / all_before - a / all_after);
        Some(Marginal { distance: Marginal::distance(differences), values: drawn(column, &before, &after) })
    };
    columns.iter().enumerate().filter_map(marginal).collect()
}

/// Both distributions; numbers in ranges, other values with the most frequent first.
fn drawn(column: &CodedColumn<'_>, before: &[f64], after: &[f64]) -> Distribution {
    let count = |value: String, before: f64, after: f64| (value, before.round() as u64, after.round() as u64);
    let mut values: Vec<(String, u64, u64)> = if column.numeric && column.values.len() > MOST_GROUPS {
        let size = column.values.len().div_ceil(MOST_GROUPS);
        (0..column.values.len())
            .step_by(size)
            .map(|from| {
                let codes = from..(from + size).min(column.values.len());
                let (first, last) = (&column.values[codes.start], &column.values[codes.end - 1]);
                let name = if first == last { first.clone() } else { format!("{first}–{last}") };
                count(name, before[codes.clone()].iter().sum(), after[codes].iter().sum())
            })
            .collect()
    } else {
        let each = column.values.iter().zip(before.iter().zip(after));
        each.map(|(value, (before, after))| count(value.clone(), *before, *after)).collect()
    };
    if !column.numeric {
        // The sort is stable, so equal ones stay in order.
        values.sort_by_key(|(_, before, _)| std::cmp::Reverse(*before));
    }
    let values =
        values.into_iter().map(|(value, before, after)| ValueCount { value, before: before.into(), after });
    Distribution { column: column.name.to_string(), values: values.collect() }
}

fn associations(columns: &[CodedColumn<'_>], original: &Coded, tables: &[Published]) -> Associations {
    let role = |sensitive: bool| {
        let of_role = move |at: &usize| columns[*at].sensitive == sensitive;
        (0..columns.len()).filter(of_role).take(MOST_COLUMNS)
    };
    let chosen: Vec<usize> = role(false).chain(role(true)).collect();
    let pairs = || chosen.iter().flat_map(|a| chosen.iter().map(move |b| (*a, *b)));
    let in_table = |a: usize, b: usize| with(tables, &[a, b]).and_then(|coded| cramers_v(coded, a, b));
    let found: Vec<_> = (pairs().filter(|(a, b)| a < b).collect::<Vec<_>>().into_par_iter())
        .map(|(a, b)| ((a, b), cramers_v(original, a, b), in_table(a, b)))
        .collect();
    let before = found.iter().map(|(pair, before, _)| (*pair, *before)).collect();
    let after = found.iter().map(|(pair, _, after)| (*pair, *after)).collect();
    let matrix = |found: &BTreeMap<(usize, usize), Option<f64>>| {
        let entry = |(a, b): (usize, usize)| match a == b {
            true => Some(1.0),
            false => found.get(&(a.min(b), a.max(b))).copied().flatten(),
        };
        pairs().map(entry).collect()
    };
    Associations {
        columns: chosen.iter().map(|at| columns[*at].name.to_string()).collect(),
        before: matrix(&before),
        after: matrix(&after),
    }
}

/// Cramér's V of two columns with Bergsma's correction: 0 if they are independent, 1 if one tells the other. A label is shared
/// out among the values it stands for, so that coarse and fine tables can be compared; suppressed cells do not count. `None`
/// where there are too many values, or none.
fn cramers_v(coded: &Coded, a: usize, b: usize) -> Option<f64> {
    let codes = |at: usize| coded.cover[at].iter().flatten().max().map_or(0, |last| *last as usize + 1);
    let (height, width) = (codes(a), codes(b));
    if height.saturating_mul(width) > MOST_CELLS {
        return None;
    }
    let labels = joint(coded, a, b);
    let sides = |x: u32, y: u32| (&coded.cover[a][x as usize], &coded.cover[b][y as usize]);
    let shares: usize = labels.iter().map(|((x, y), _)| sides(*x, *y)).map(|(x, y)| x.len() * y.len()).sum();
    if shares > 16 * MOST_CELLS {
        return None;
    }
    let mut cells = vec![0.0; height * width];
    let (mut rows, mut columns) = (vec![0.0; height], vec![0.0; width]);
    for ((x, y), weight) in &labels {
        let (below_x, below_y) = sides(*x, *y);
        let share = weight / (below_x.len() * below_y.len()).max(1) as f64;
        for x in below_x {
            for y in below_y {
                cells[*x as usize * width + *y as usize] += share;
                rows[*x as usize] += share;
                columns[*y as usize] += share;
            }
        }
    }
    let total: f64 = labels.iter().map(|(_, weight)| weight).sum();
    let inhabited = |sums: &[f64]| sums.iter().filter(|sum| **sum > 0.0).count() as f64;
    let (r, c) = (inhabited(&rows), inhabited(&columns));
    if total <= 1.0 || r == 0.0 || c == 0.0 {
        return None;
    }
    if r == 1.0 || c == 1.0 {
        return Some(0.0);
    }
    // χ²/n = Σ n_xy² / (n_x · n_y) − 1
    let mut squares = 0.0;
    for (x, row) in rows.iter().enumerate().filter(|(_, row)| **row > 0.0) {
        for (y, column) in columns.iter().enumerate().filter(|(_, column)| **column > 0.0) {
            let cell = cells[x * width + y];
            squares += cell * cell / (row * column);
        }
    }
    let phi = (squares - 1.0 - (r - 1.0) * (c - 1.0) / (total - 1.0)).max(0.0);
    let corrected = |k: f64| k - (k - 1.0) * (k - 1.0) / (total - 1.0);
    let least = (corrected(r).min(corrected(c)) - 1.0).max(f64::MIN_POSITIVE);
    Some((phi / least).sqrt().min(1.0))
}

/// How many records have each two labels of two columns, in the order of the labels; suppressed cells do not count.
fn joint(coded: &Coded, a: usize, b: usize) -> Vec<((u32, u32), f64)> {
    let (height, width) = (coded.cover[a].len(), coded.cover[b].len());
    let rows = coded.cells[a].iter().zip(&coded.cells[b]).zip(&coded.weights);
    let rows = rows.map(|((x, y), weight)| (*x, *y, *weight));
    let rows = rows.filter(|(x, y, _)| coded.stars[a] != Some(*x) && coded.stars[b] != Some(*y));
    if height.saturating_mul(width) > MOST_CELLS {
        let mut counts: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        rows.for_each(|(x, y, weight)| *counts.entry((x, y)).or_default() += weight);
        return counts.into_iter().collect();
    }
    let mut counts = vec![0.0; height * width];
    rows.for_each(|(x, y, weight)| counts[x as usize * width + y as usize] += weight);
    let label = |at: usize| ((at / width) as u32, (at % width) as u32);
    counts
        .into_iter()
        .enumerate()
        .filter(|(_, count)| *count > 0.0)
        .map(|(at, count)| (label(at), count))
        .collect()
}

/// A condition: a range of a column's codes.
struct Condition {
    column: usize,
    codes: std::ops::Range<u32>,
}

/// Asks random COUNT queries of `count` conditions each, one of them on a sensitive column where there are two or more, and
/// sees how far the release's answers are off.
fn queries(
    columns: &[CodedColumn<'_>],
    original: &Coded,
    tables: &[Published],
    count: usize,
    key: RunKey,
) -> Option<QueryErrors> {
    let role = |sensitive: bool| (0..columns.len()).filter(move |at| columns[*at].sensitive == sensitive);
    let (quasi, sensitive): (Vec<usize>, Vec<usize>) = (role(false).collect(), role(true).collect());
    let guarded = usize::from(count > 1 && !sensitive.is_empty());
    if quasi.len() < count - guarded {
        return None;
    }
    let mut random = random::keyed(key, &format!("privet: report: queries of {count} conditions"));
    let least = (original.total() / 200.0).clamp(1.0, 20.0).floor();
    let (mut errors, mut records) = (Vec::new(), original.total());
    for _ in 0..4 * QUERIES {
        if errors.len() == QUERIES {
            break;
        }
        let mut chosen = quasi.clone();
        random::shuffle(&mut chosen, &mut random);
        chosen.truncate(count - guarded);
        if guarded == 1 {
            chosen.push(sensitive[random::below(&mut random, sensitive.len() as u64) as usize]);
        }
        let conditions: Vec<Condition> =
            chosen.iter().map(|at| condition(*at, columns[*at].values.len(), &mut random)).collect();
        let truth = answer(original, &conditions);
        let Some(released) = with(tables, &chosen).filter(|_| truth >= least) else { continue };
        records = records.max(released.total());
        errors.push(((answer(released, &conditions) - truth).abs(), truth));
    }
    QueryErrors::of(count, least, &errors, records)
}

/// A random range of up to a third of a column's values.
fn condition(column: usize, values: usize, random: &mut ChaCha20Rng) -> Condition {
    let values = values.max(1) as u64;
    let length = 1 + random::below(random, (values / 3).max(1));
    let from = random::below(random, values - length + 1);
    Condition { column, codes: from as u32..(from + length) as u32 }
}

/// How many records satisfy all conditions, where a cell does so by the share of its values that do.
fn answer(coded: &Coded, conditions: &[Condition]) -> f64 {
    let shares: Vec<(&[u32], Vec<f64>)> = (conditions.iter())
        .map(|condition| {
            let share = |cover: &Vec<u32>| {
                let inside = cover.iter().filter(|code| condition.codes.contains(code)).count();
                inside as f64 / cover.len().max(1) as f64
            };
            let shares = coded.cover[condition.column].iter().map(share).collect();
            (coded.cells[condition.column].as_slice(), shares)
        })
        .collect();
    let share =
        |row: usize| shares.iter().map(|(cells, shares)| shares[cells[row] as usize]).product::<f64>();
    coded.weights.iter().enumerate().map(|(row, weight)| weight * share(row)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_tell_each_other_have_a_v_of_one_and_independent_ones_of_none() {
        let twins: Vec<&[u32]> = (0..40).map(|at| [&[0, 0][..], &[1, 1]][at % 2]).collect();
        let v = cramers_v(&Coded::of_rows(&[2, 2], &twins), 0, 1).expect("a figure");
        assert!((v - 1.0).abs() < 1e-9, "{v}");
        let apart: Vec<&[u32]> = (0..40).map(|at| [&[0, 0][..], &[0, 1], &[1, 0], &[1, 1]][at % 4]).collect();
        assert_eq!(cramers_v(&Coded::of_rows(&[2, 2], &apart), 0, 1), Some(0.0));
        assert_eq!(cramers_v(&Coded::of_rows(&[1, 2], &[&[0, 0], &[0, 1]]), 0, 1), Some(0.0), "one value");
        assert_eq!(cramers_v(&Coded::of_rows(&[2000, 2000], &[&[0, 0], &[0, 1]]), 0, 1), None, "too many");
        // Labels that overlap, as partitions make them, tell nothing by their names alone.
        let rows: Vec<&[u32]> = (0..40).map(|at| [&[0, 0][..], &[1, 1]][at % 2]).collect();
        let mut ranges = Coded::of_rows(&[2, 2], &rows);
        ranges.cover[1] = vec![vec![0, 1, 2], vec![0, 1, 2]];
        assert_eq!(cramers_v(&ranges, 0, 1), Some(0.0));
    }

    #[test]
    fn answers_are_exact_in_the_original_and_shared_out_below_labels() {
        let rows: &[&[u32]] = &[&[0], &[1], &[1], &[2]];
        let original = Coded::of_rows(&[3], rows);
        let condition = Condition { column: 0, codes: 0..2 };
        assert_eq!(answer(&original, std::slice::from_ref(&condition)), 3.0);
        // All records under one label that stands for three values: two thirds of them.
        let mut coarse = Coded::of_rows(&[1], &[&[0], &[0], &[0], &[0]]);
        coarse.cover = vec![vec![vec![0, 1, 2]]];
        assert!((answer(&coarse, &[condition]) - 8.0 / 3.0).abs() < 1e-9);
        let spread = estimate(&coarse, 0, 3);
        assert!(spread.iter().all(|share| (share - 4.0 / 3.0).abs() < 1e-9));
    }
}
