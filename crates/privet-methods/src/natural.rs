//! Natural supersets of classes: the classes that they become part of at higher levels of generalisation.
//!
//! A class has as many natural supersets as there are vectors of higher levels, far too many to test one by one. So
//! they are tested in boxes: all vectors between a low and a high corner. Every superset in a box contains all records
//! of the lowest one and only records of the highest one. A box is dropped if its highest superset has too few records,
//! or if no distribution between the two corners is near enough to the class. Otherwise its highest superset is tested
//! and the box is split in two. The other classes are points in this space: each stands at the lowest levels at which
//! it shares a class with the class in question. The cost of a box therefore depends on the number of classes, not on
//! the number of vectors.

use std::collections::HashMap;

use super::levels::Levelling;
use privet_core::clock::Clock;
use privet_engine::privacy::{EquivalenceClass, NtCloseness, Records};
use privet_engine::rollup::Grouping;

/// Number of boxes between looks at the clock.
const PATIENCE: u64 = 32;

/// What is known about the classes of a vector of levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Closeness {
    /// Per class, whether it is close to a natural superset; true for classes that were not tested.
    Known(Vec<bool>),
    /// The classes that are not close have more records than may be suppressed.
    Fails,
    /// Time is up.
    Unknown,
}

impl Levelling<'_> {
    /// Tests which of the `asked` classes have (n, t)-closeness. Stops as soon as the classes that lack it have more
    /// than `spare` records in total.
    pub fn naturally_close(
        &self,
        grouping: &Grouping,
        notion: &NtCloseness,
        asked: impl Fn(usize) -> bool,
        spare: u64,
        clock: &Clock,
    ) -> Closeness {
        let mut close = vec![true; grouping.len()];
        let top = self.groupings.at(&self.tops);
        let whole = (0..top.len()).fold(Records::none(notion), |mut whole, class| {
            whole.add(&notion.pairs(&top.class(class)), top.class(class).size);
            whole
        });
        let mut open: Vec<(f64, usize)> = Vec::new();
        for class in (0..grouping.len()).filter(|class| asked(*class)) {
            if !notion.holds_alone(&grouping.outline(class))
                && !notion.holds_within(&grouping.class(class), &whole)
            {
                open.push((notion.distance(&grouping.class(class), &whole), class));
            }
        }
        if open.is_empty() {
            return Closeness::Known(close);
        }
        // Classes furthest from the whole table are the most likely to fail, and one failure may be enough.
        open.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| grouping.key(a.1).cmp(grouping.key(b.1))));
        let atlas = ClassAtlas::of(self, grouping, notion);
        let mut failing = 0;
        for (_, class) in open {
            match atlas.is_close(class, &whole, clock) {
                None => return Closeness::Unknown,
                Some(true) => {}
                Some(false) => {
                    close[class] = false;
                    failing += grouping.outline(class).size;
                    if failing > spare {
                        return Closeness::Fails;
                    }
                }
            }
        }
        Closeness::Known(close)
    }
}

/// The classes of a grouping, ready to be compared with each other.
struct ClassAtlas<'a> {
    grouping: &'a Grouping,
    notion: &'a NtCloseness,
    /// Per class and column, the value.
    values: Vec<u32>,
    /// Per column and level above that of the grouping, the ancestor of each value.
    climbs: Vec<Vec<Vec<u32>>>,
    /// Per class, the values of the sensitive column with their counts.
    pairs: Vec<Vec<(u32, u64)>>,
}

/// Records that join a class at the same levels.
struct JoiningRecords {
    pairs: Vec<(u32, u64)>,
    records: u64,
}

/// A box of supersets between two corners.
struct SupersetBox {
    /// The low corner: per column, how far above the grouping's level.
    low: Vec<u8>,
    /// The records that are in all of the supersets.
    inside: Records,
    /// The records of the highest superset.
    highest: Records,
    /// The points that are in some of the supersets only.
    open: Vec<u32>,
    /// Whether the highest superset was tested already.
    asked: bool,
}

impl<'a> ClassAtlas<'a> {
    fn of(levelling: &Levelling<'_>, grouping: &'a Grouping, notion: &'a NtCloseness) -> ClassAtlas<'a> {
        let ladders = levelling.groupings.ladders();
        let values = (0..grouping.len()).flat_map(|class| ladders.values(grouping.key(class))).collect();
        let columns = ladders.columns().iter().zip(grouping.levels.iter()).zip(&levelling.tops);
        let climbs = columns
            .map(|((ladder, level), top)| (*level..=*top).map(|to| ladder.climb(*level, to)).collect());
        let pairs = (0..grouping.len()).map(|class| notion.pairs(&grouping.class(class)));
        ClassAtlas { grouping, notion, values, climbs: climbs.collect(), pairs: pairs.collect() }
    }

    /// Whether a class is close to one of its natural supersets other than the whole table; `None` if time is up.
    fn is_close(&self, class: usize, whole: &Records, clock: &Clock) -> Option<bool> {
        let columns = self.climbs.len();
        // Per column and value, how many levels above the grouping's it merges with the value of the class.
        let of_column = |column: usize| -> Vec<u8> {
            let climbs = &self.climbs[column];
            let own = self.values[class * columns + column] as usize;
            let joins =
                |value: usize| climbs.iter().position(|up| up[value] == up[own]).unwrap_or(climbs.len());
            (0..climbs[0].len()).map(|value| joins(value) as u8).collect()
        };
        let joins: Vec<Vec<u8>> = (0..columns).map(of_column).collect();
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut points: Vec<JoiningRecords> = Vec::new();
        for other in (0..self.grouping.len()).filter(|other| *other != class) {
            let values = &self.values[other * columns..(other + 1) * columns];
            let place: Vec<u8> =
                joins.iter().zip(values).map(|(column, value)| column[*value as usize]).collect();
            let at = *places.entry(place).or_insert_with(|| {
                points.push(JoiningRecords { pairs: Vec::new(), records: 0 });
                points.len() - 1
            });
            points[at].pairs.extend_from_slice(&self.pairs[other]);
            points[at].records += self.grouping.outline(other).size;
        }
        let mut at = vec![Vec::new(); points.len()];
        places.into_iter().for_each(|(place, point)| at[point] = place);
        points.iter_mut().for_each(|point| merge(&mut point.pairs));
        let mut inside = Records::none(self.notion);
        inside.add(&self.pairs[class], self.grouping.outline(class).size);
        let open = (0..points.len() as u32).collect();
        let span = SupersetBox { low: vec![0; columns], inside, highest: whole.clone(), open, asked: true };
        SupersetSearch { notion: self.notion, class: self.grouping.class(class), points, at, clock }.run(span)
    }
}

/// Adds up the counts of equal values.
fn merge(pairs: &mut Vec<(u32, u64)>) {
    pairs.sort_unstable_by_key(|(code, _)| *code);
    pairs.dedup_by(|next, first| {
        let same = next.0 == first.0;
        if same {
            first.1 += next.1;
        }
        same
    });
}

struct SupersetSearch<'a> {
    notion: &'a NtCloseness,
    class: EquivalenceClass<'a>,
    points: Vec<JoiningRecords>,
    /// Per point, its levels.
    at: Vec<Vec<u8>>,
    clock: &'a Clock,
}

impl SupersetSearch<'_> {
    /// Whether a superset in the box is close enough; `None` if time is up.
    fn run(&self, first: SupersetBox) -> Option<bool> {
        let mut spans = vec![first];
        let mut looked = 0u64;
        while let Some(span) = spans.pop() {
            looked += 1;
            if looked % PATIENCE == 1 && (self.clock.is_over() || self.clock.check().is_err()) {
                return None;
            }
            if !self.notion.is_large(&span.highest) {
                continue;
            }
            if !span.asked && self.notion.holds_within(&self.class, &span.highest) {
                return Some(true);
            }
            if span.open.is_empty() || self.notion.is_out_of_reach(&self.class, &span.inside, &span.highest) {
                continue;
            }
            // The top of the stack is tested first: the half whose records have not been tested yet.
            let (upper, lower) = self.cut(span);
            spans.extend([upper, lower]);
        }
        Some(false)
    }

    /// Splits a box in two where the highest superset of the lower half loses most records.
    fn cut(&self, span: SupersetBox) -> (SupersetBox, SupersetBox) {
        let SupersetBox { low, inside, highest, open, .. } = span;
        let level = |point: &u32, column: usize| self.at[*point as usize][column];
        let (mut best, mut most) = ((0, low.first().copied().unwrap_or(0)), None);
        for (column, low) in low.iter().enumerate() {
            let high = open.iter().map(|point| level(point, column)).max().unwrap_or(0);
            if high <= *low {
                continue;
            }
            let middle = low + (high - low) / 2;
            let above = open.iter().filter(|point| level(point, column) > middle);
            let lost: u64 = above.map(|point| self.points[*point as usize].records).sum();
            if most.is_none_or(|most| lost > most) {
                (best, most) = ((column, middle), Some(lost));
            }
        }
        let (column, middle) = best;
        let (below, above): (Vec<u32>, Vec<u32>) =
            open.iter().partition(|point| level(point, column) <= middle);
        let mut lower = highest.clone();
        for point in above {
            let point = &self.points[point as usize];
            lower.remove(&point.pairs, point.records);
        }
        let lower = SupersetBox {
            low: low.clone(),
            inside: inside.clone(),
            highest: lower,
            open: below,
            asked: false,
        };
        let (mut low, mut inside) = (low, inside);
        low[column] = middle + 1;
        let joins = |point: &u32| self.at[*point as usize].iter().zip(&low).all(|(at, low)| at <= low);
        let (within, open): (Vec<u32>, Vec<u32>) = open.iter().partition(|point| joins(point));
        for point in within {
            let point = &self.points[point as usize];
            inside.add(&point.pairs, point.records);
        }
        (SupersetBox { low, inside, highest, open, asked: true }, lower)
    }
}
