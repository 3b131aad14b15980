//! Floors on costs that rest on a few columns at a time (pattern databases: Culberson and Schaeffer 1998; that they add up over
//! disjoint parts: Korf and Felner 2002).
//!
//! Columns are divided into groups. For every vector of levels of a group it is counted how many records must go while all
//! other columns are at their roots. Take a vector of all columns, v, and its part v_S on the columns S of one group.
//! - With the others at their roots, v_S is at or above v. So at least as many records go at v as must go there, and if these
//!   are more than may go, v is not valid.
//! - Where costs add up over columns, v pays for the columns of S at least what they cost at v_S with nothing suppressed, and for
//!   each record that goes the difference between suppressing a cell and the most costly cell at that level.
//!
//! So every group has a floor of its own, the columns that these are about are different ones, and the sum is a floor for v. A box is
//! bounded by the sum of the least floor of each group in it: without a look at any class.

use super::levels::Levelling;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::loss::Cost;
use rayon::prelude::*;

/// The most vectors of one group.
const MOST: usize = 1 << 12;
/// One vector in this many is looked at first, so that it costs little next to the search.
const SHARE: f64 = 256.0;
/// Smaller lattices are searched as quickly without. Tests try this on the smallest.
const LEAST_SPACE: f64 = if cfg!(test) { 2.0 } else { 256.0 };

/// Floors of groups of columns; none for a lattice that is too small to need them.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    groups: Vec<Pattern>,
}

/// The floors of one group.
#[derive(Debug)]
struct Pattern {
    /// The columns, each with its lowest level and the distance of two neighbouring levels in `floors`.
    columns: Vec<(usize, u8, usize)>,
    /// Per vector of their levels, what they cost at least; `None` where no vector of the lattice is valid.
    floors: Vec<Option<u128>>,
}

impl Patterns {
    /// The floors of a table. `must_go` says how many records have to go at and below a vector; `None` if those are more than may
    /// go. When time is up, the vectors that are left are taken for valid.
    pub fn of(
        levelling: &Levelling<'_>,
        bottoms: &[u8],
        must_go: &(dyn Fn(&[u8]) -> Option<u64> + Sync),
        clock: &Clock,
    ) -> Result<Patterns> {
        let heights: Vec<usize> =
            levelling.tops.iter().zip(bottoms).map(|(top, bottom)| usize::from(top - bottom) + 1).collect();
        let space: f64 = heights.iter().map(|height| *height as f64).product();
        if !levelling.is_additive() || space < LEAST_SPACE {
            return Ok(Patterns::default());
        }
        let most = ((space / SHARE) as usize).clamp(MOST >> 8, MOST);
        let groups = groups(levelling, bottoms, &heights, most);
        let of_group =
            |columns: Vec<usize>| Pattern::of(levelling, bottoms, &heights, columns, must_go, clock);
        Ok(Patterns { groups: groups.into_iter().map(of_group).collect::<Result<_>>()? })
    }

    /// A floor on the cost of every valid vector in a box; `None` when there is none.
    pub fn floor(&self, low: &[u8], high: &[u8]) -> Option<Cost> {
        let mut sum = 0;
        for group in &self.groups {
            sum += group.least(0, 0, low, high)?;
        }
        Some(Cost(sum))
    }
}

/// Columns that are looked at together. Those with the most values tell people apart best: they come first and stay together.
fn groups(levelling: &Levelling<'_>, bottoms: &[u8], heights: &[usize], most: usize) -> Vec<Vec<usize>> {
    let ladders = levelling.groupings.ladders().columns();
    let mut order: Vec<usize> = (0..heights.len()).collect();
    let values = |column: usize| ladders[column].nodes[usize::from(bottoms[column])].len();
    order.sort_by_key(|column| (std::cmp::Reverse(values(*column)), *column));
    let mut groups: Vec<(usize, Vec<usize>)> = Vec::new();
    for column in order {
        match groups.iter_mut().find(|(size, _)| size * heights[column] <= most) {
            Some((size, columns)) => {
                *size *= heights[column];
                columns.push(column);
            }
            None => groups.push((heights[column], vec![column])),
        }
    }
    groups.into_iter().map(|(_, columns)| columns).collect()
}

impl Pattern {
    fn of(
        levelling: &Levelling<'_>,
        bottoms: &[u8],
        heights: &[usize],
        columns: Vec<usize>,
        must_go: &(dyn Fn(&[u8]) -> Option<u64> + Sync),
        clock: &Clock,
    ) -> Result<Pattern> {
        let mut size = 1;
        let mut step = |column: usize| {
            let step = size;
            size *= heights[column];
            (column, bottoms[column], step)
        };
        let columns: Vec<(usize, u8, usize)> = columns.into_iter().map(&mut step).collect();
        // The coarsest first: what is not valid there is not valid below.
        let steps_down = |place: usize| -> usize {
            columns
                .iter()
                .map(|(column, _, step)| heights[*column] - 1 - place / step % heights[*column])
                .sum()
        };
        let mut places: Vec<(usize, usize)> = (0..size).map(|place| (steps_down(place), place)).collect();
        places.sort_unstable();
        let levels_at = |place: usize| {
            let mut levels = levelling.tops.clone();
            for (column, bottom, step) in &columns {
                levels[*column] = bottom + (place / step % heights[*column]) as u8;
            }
            levels
        };
        // The finest classes of the group; all others are rolled up from these.
        levelling.groupings.at(&levels_at(0));
        let mut gone: Vec<Option<u64>> = vec![None; size];
        for layer in places.chunk_by(|one, other| one.0 == other.0) {
            clock.check()?;
            let known = &gone;
            let judged = layer.par_iter().map(|(_, place)| {
                let above = columns.iter().filter_map(|(column, _, step)| {
                    let is_below = place / step % heights[*column] + 1 < heights[*column];
                    is_below.then(|| known[place + step])
                });
                // Not valid where one above is not; and at least as many go as there.
                let above: Option<Vec<u64>> = above.collect();
                let least = above?.into_iter().max().unwrap_or(0);
                if clock.is_over() { Some(least) } else { Some(must_go(&levels_at(*place))?.max(least)) }
            });
            let judged: Vec<Option<u64>> = judged.collect();
            layer.iter().zip(judged).for_each(|((_, place), judged)| gone[*place] = judged);
        }
        let floor = |(place, gone): (usize, Option<u64>)| {
            let gone = u128::from(gone?);
            let levels = levels_at(place);
            let columns = columns.iter();
            Some(columns.map(|(column, ..)| levelling.column_floor(*column, levels[*column], gone)).sum())
        };
        let floors = gone.into_iter().enumerate().map(floor).collect();
        Ok(Pattern { columns, floors })
    }

    /// The least floor in a box, of the columns from `from` on; those before are at `place`.
    fn least(&self, from: usize, place: usize, low: &[u8], high: &[u8]) -> Option<u128> {
        let Some((column, bottom, step)) = self.columns.get(from) else { return self.floors[place] };
        let levels = low[*column] - bottom..=high[*column] - bottom;
        levels.filter_map(|level| self.least(from + 1, place + usize::from(level) * step, low, high)).min()
    }
}
