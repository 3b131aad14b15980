//! Which leaf holds a number: an index over the leaves whose labels are ranges or numbers.

use std::collections::BTreeSet;

use super::NodeId;
use super::range::{self, Range};

/// The number line cut at every end of a range: below the first end, at it, between it and the next, and so on.
///
/// Each slot keeps up to two of the leaves that hold it, so that a lookup is one binary search and an overlap shows.
#[derive(Debug, Clone, Default)]
pub(super) struct NumberIndex {
    ends: Vec<f64>,
    slots: Vec<(Option<NodeId>, Option<NodeId>)>,
}

impl NumberIndex {
    pub(super) fn new<'a>(leaves: impl Iterator<Item = (NodeId, &'a str)>) -> Self {
        let ranges: Vec<(NodeId, Range)> =
            leaves.filter_map(|(leaf, label)| Some((leaf, span(label)?))).collect();
        let mut ends: Vec<f64> = ranges
            .iter()
            .flat_map(|(_, range)| [range.low, range.high])
            .filter(|end| end.is_finite())
            .collect();
        ends.sort_by(f64::total_cmp);
        ends.dedup();
        if ranges.is_empty() {
            return NumberIndex::default();
        }

        let count = 2 * ends.len() + 1;
        let (mut opening, mut closing) = (Vec::new(), Vec::new());
        for (leaf, range) in &ranges {
            let first = match range.low.is_finite() {
                true => slot_at(&ends, range.low) + usize::from(!range.low_closed),
                false => 0,
            };
            let after = match range.high.is_finite() {
                true => slot_at(&ends, range.high) + usize::from(range.high_closed),
                false => count,
            };
            opening.push((first, *leaf));
            closing.push((after, *leaf));
        }
        opening.sort_unstable();
        closing.sort_unstable();
        let (mut opening, mut closing) = (opening.into_iter().peekable(), closing.into_iter().peekable());
        let mut open = BTreeSet::new();
        let slots = (0..count)
            .map(|slot| {
                while let Some((_, leaf)) = closing.next_if(|(after, _)| *after <= slot) {
                    open.remove(&leaf);
                }
                while let Some((_, leaf)) = opening.next_if(|(first, _)| *first <= slot) {
                    open.insert(leaf);
                }
                let mut holders = open.iter().copied();
                (holders.next(), holders.next())
            })
            .collect();
        NumberIndex { ends, slots }
    }

    /// The first two leaves that hold the number.
    pub fn holding(&self, number: f64) -> (Option<NodeId>, Option<NodeId>) {
        self.slots.get(slot_at(&self.ends, number)).copied().unwrap_or_default()
    }
}

/// The slot of a number: odd at an end, even between two ends.
fn slot_at(ends: &[f64], number: f64) -> usize {
    let below = ends.partition_point(|end| *end < number);
    2 * below + usize::from(ends.get(below) == Some(&number))
}

/// The numbers a label holds: a range, or one number.
fn span(label: &str) -> Option<Range> {
    Range::parse(label).or_else(|| {
        let number = range::number(label)?;
        Some(Range { low: number, low_closed: true, high: number, high_closed: true })
    })
}
