//! Natural supersets of classes at levels of generalisation: the classes that they become part of at higher levels.
//!
//! A table has as many natural supersets of a class as there are vectors of higher levels: far too many to look at one by one. So they
//! are looked at in boxes, all vectors between a low and a high corner. Every superset of a box has all records of the lowest one and no
//! others than those of the highest one. A box is dropped when its highest superset has too few records, or when no distribution between the two
//! corners is near enough to the class; else its highest superset is asked and the box is cut in two. Other classes are points in
//! this: for each the lowest levels at which it is in one class with the class at hand. What boxes cost depends on the
//! classes that there are, not on the vectors.

use std::collections::HashMap;

use super::levels::Levelling;
use privet_core::clock::Clock;
use privet_engine::privacy::{Class, NtCloseness, Records};
use privet_engine::rollup::Grouping;

/// After how many boxes the clock is looked at.
const PATIENCE: u64 = 32;

/// What is known of the classes of a vector of levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Closeness {
    /// Per class, whether it is close to a natural superset; true for those that nobody asked about.
    Known(Vec<bool>),
    /// Classes with more records than may fail are not close.
    Fails,
    /// Time is up.
    Unknown,
}

impl Levelling<'_> {
    /// Which of the classes that are `asked` about have (n, t)-closeness. Once those that lack it have more than `spare` records
    /// between them, no others are looked at.
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
                && !notion.holds_beside(&grouping.class(class), &whole)
            {
                open.push((notion.distance(&grouping.class(class), &whole), class));
            }
        }
        if open.is_empty() {
            return Closeness::Known(close);
        }
        // Those that are furthest from the whole table are the most likely to fail, and one that fails may be enough.
        open.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| grouping.key(a.1).cmp(grouping.key(b.1))));
        let atlas = Atlas::of(self, grouping, notion);
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
struct Atlas<'a> {
    grouping: &'a Grouping,
    notion: &'a NtCloseness,
    /// Per class and column, the value.
    values: Vec<u32>,
    /// Per column and level from that of the grouping up, what each value becomes.
    climbs: Vec<Vec<Vec<u32>>>,
    /// Per class, how often it has which values of the sensitive column.
    pairs: Vec<Vec<(u32, u64)>>,
}

/// Records that join a class at the same levels.
struct Point {
    pairs: Vec<(u32, u64)>,
    records: u64,
}

/// The supersets between two corners.
struct Span {
    /// The low corner: per column, how far above the grouping's level.
    low: Vec<u8>,
    /// What is in all of the supersets.
    inside: Records,
    /// What is in the highest of them.
    highest: Records,
    /// The points that are in some of them only.
    open: Vec<u32>,
    /// Whether the highest one was asked already.
    asked: bool,
}

impl<'a> Atlas<'a> {
    fn of(levelling: &Levelling<'_>, grouping: &'a Grouping, notion: &'a NtCloseness) -> Atlas<'a> {
        let ladders = levelling.groupings.ladders();
        let values = (0..grouping.len()).flat_map(|class| ladders.values(grouping.key(class))).collect();
        let columns = ladders.columns().iter().zip(grouping.levels.iter()).zip(&levelling.tops);
        let climbs = columns
            .map(|((ladder, level), top)| (*level..=*top).map(|to| ladder.climb(*level, to)).collect());
        let pairs = (0..grouping.len()).map(|class| notion.pairs(&grouping.class(class)));
        Atlas { grouping, notion, values, climbs: climbs.collect(), pairs: pairs.collect() }
    }

    /// Whether a class is close to one of its natural supersets other than the whole table; `None` when time is up.
    fn is_close(&self, class: usize, whole: &Records, clock: &Clock) -> Option<bool> {
        let columns = self.climbs.len();
        // Per column and value, how far above the grouping's level it is one value with that of the class.
        let of_column = |column: usize| -> Vec<u8> {
            let climbs = &self.climbs[column];
            let own = self.values[class * columns + column] as usize;
            let joins =
                |value: usize| climbs.iter().position(|up| up[value] == up[own]).unwrap_or(climbs.len());
            (0..climbs[0].len()).map(|value| joins(value) as u8).collect()
        };
        let joins: Vec<Vec<u8>> = (0..columns).map(of_column).collect();
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut points: Vec<Point> = Vec::new();
        for other in (0..self.grouping.len()).filter(|other| *other != class) {
            let values = &self.values[other * columns..(other + 1) * columns];
            let place: Vec<u8> =
                joins.iter().zip(values).map(|(column, value)| column[*value as usize]).collect();
            let at = *places.entry(place).or_insert_with(|| {
                points.push(Point { pairs: Vec::new(), records: 0 });
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
        let span = Span { low: vec![0; columns], inside, highest: whole.clone(), open, asked: true };
        Search { notion: self.notion, class: self.grouping.class(class), points, at, clock }.run(span)
    }
}

/// Puts equal values together.
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

struct Search<'a> {
    notion: &'a NtCloseness,
    class: Class<'a>,
    points: Vec<Point>,
    /// Per point, its levels.
    at: Vec<Vec<u8>>,
    clock: &'a Clock,
}

impl Search<'_> {
    /// Whether a superset of the box is close enough; `None` when time is up.
    fn run(&self, first: Span) -> Option<bool> {
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
            if !span.asked && self.notion.holds_beside(&self.class, &span.highest) {
                return Some(true);
            }
            if span.open.is_empty() || self.notion.is_out_of_reach(&self.class, &span.inside, &span.highest) {
                continue;
            }
            // What is on top is looked at first: the half with other records than were asked about.
            let (upper, lower) = self.cut(span);
            spans.extend([upper, lower]);
        }
        Some(false)
    }

    /// Cuts a box in two where the highest superset of the lower half loses most.
    fn cut(&self, span: Span) -> (Span, Span) {
        let Span { low, inside, highest, open, .. } = span;
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
        let lower =
            Span { low: low.clone(), inside: inside.clone(), highest: lower, open: below, asked: false };
        let (mut low, mut inside) = (low, inside);
        low[column] = middle + 1;
        let joins = |point: &u32| self.at[*point as usize].iter().zip(&low).all(|(at, low)| at <= low);
        let (within, open): (Vec<u32>, Vec<u32>) = open.iter().partition(|point| joins(point));
        for point in within {
            let point = &self.points[point as usize];
            inside.add(&point.pairs, point.records);
        }
        (Span { low, inside, highest, open, asked: true }, lower)
    }
}
