//! How far apart two people are: numbers by their difference over a spread, categories by how far up the hierarchy they
//! meet, summed over quasi-identifiers.

use std::sync::Arc;

use privet_engine::negative_rules::{Attribute, Observations};
use privet_taxonomy::Taxonomy;

/// The spread of a column of numbers is its range divided by this: numbers a fifth of the range apart differ as much as
/// categories that have nothing in common.
const SPREADS: f64 = 5.0;

/// Steps between leaves are looked up in a table if the column has at most this many.
const MOST_TABLED: usize = 512;

/// One quasi-identifier. Its leaves have *places*: by rising number, or in the order of the hierarchy. The farther apart
/// two places are on the same side of a third, the larger is the distance to it.
#[derive(Debug)]
pub(super) struct ColumnDistance {
    place_of_leaf: Vec<u32>,
    scale: Scale,
}

#[derive(Debug)]
enum Scale {
    /// By place, the number in spreads; none for labels that are not numbers, which come last.
    Numbers(Vec<Option<f64>>),
    /// Steps between leaves, by the places of both.
    Table(usize, Vec<f64>),
    Tree(Arc<Taxonomy>),
}

impl ColumnDistance {
    /// A column whose leaves are mostly numbers counts as numbers.
    pub fn new(attribute: &Attribute) -> ColumnDistance {
        let numbers = attribute.numbers();
        let known = || numbers.iter().flatten().copied();
        let (least, most) =
            (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
        if 2 * known().count() > numbers.len() && most > least {
            let spread = (most - least) / SPREADS;
            let mut by_number: Vec<usize> = (0..numbers.len()).collect();
            let key = |leaf: &usize| numbers[*leaf].unwrap_or(f64::INFINITY);
            by_number.sort_by(|one, other| key(one).total_cmp(&key(other)).then(one.cmp(other)));
            let mut place_of_leaf = vec![0; numbers.len()];
            (0u32..).zip(&by_number).for_each(|(place, leaf)| place_of_leaf[*leaf] = place);
            let scaled = by_number.iter().map(|leaf| numbers[*leaf].map(|number| number / spread));
            return ColumnDistance { place_of_leaf, scale: Scale::Numbers(scaled.collect()) };
        }
        let tree = &attribute.taxonomy;
        let leaves = tree.leaves();
        let scale = if leaves <= MOST_TABLED {
            let steps = (0..leaves).flat_map(|one| (0..leaves).map(move |other| steps(tree, one, other)));
            Scale::Table(leaves, steps.collect())
        } else {
            Scale::Tree(tree.clone())
        };
        ColumnDistance { place_of_leaf: (0..leaves as u32).collect(), scale }
    }

    /// All quasi-identifiers of a table.
    pub fn of_table(observations: &Observations) -> Vec<ColumnDistance> {
        observations.attributes.iter().map(ColumnDistance::new).collect()
    }

    /// The place of a leaf.
    pub fn place(&self, leaf: u32) -> u32 {
        self.place_of_leaf[leaf as usize]
    }

    /// The distance of two places.
    #[inline]
    pub fn between(&self, one: u32, other: u32) -> f64 {
        if one == other {
            return 0.0;
        }
        match &self.scale {
            Scale::Numbers(numbers) => match (numbers[one as usize], numbers[other as usize]) {
                (Some(one), Some(other)) => (one - other).abs(),
                _ => SPREADS,
            },
            Scale::Table(leaves, steps) => steps[one as usize * leaves + other as usize],
            Scale::Tree(tree) => steps(tree, one as usize, other as usize),
        }
    }

    /// The distance of a place to the nearest one between two others.
    #[inline]
    pub fn to_range(&self, place: u32, (low, high): (u32, u32)) -> f64 {
        if place < low {
            self.between(place, low)
        } else if place > high {
            self.between(place, high)
        } else {
            0.0
        }
    }
}

/// How far up two leaves meet, as a share of the way to the root.
fn steps(tree: &Taxonomy, one: usize, other: usize) -> f64 {
    let meeting = tree.lowest_above(one.min(other), one.max(other));
    tree.height(meeting) as f64 / tree.height(tree.root()).max(1) as f64
}
