//! A quasi-identifier as rules see it: a tree whose inner nodes may be fuzzy.

use std::sync::Arc;

use privet_core::{Error, Exact, Result};
use privet_taxonomy::{NodeId, Range, Taxonomy};

/// A fuzzy set of numbers: 0 up to `a`, rising to 1 at `b`, 1 up to `c`, falling to 0 at `d`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trapezoid {
    /// Where membership begins to rise.
    pub a: f64,
    /// Where it becomes full.
    pub b: f64,
    /// Where it is full for the last time.
    pub c: f64,
    /// Where it ends.
    pub d: f64,
}

impl Trapezoid {
    /// The degree to which a number belongs to the set.
    pub fn membership(&self, number: f64) -> f64 {
        if self.b <= number && number <= self.c {
            1.0
        } else if number <= self.a || number >= self.d {
            0.0
        } else if number < self.b {
            (number - self.a) / (self.b - self.a)
        } else {
            (self.d - number) / (self.d - self.c)
        }
    }
}

/// A quasi-identifier with its hierarchy and, where its inner nodes are fuzzy, who belongs to them.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// How its values generalise.
    pub taxonomy: Arc<Taxonomy>,
    /// Per node, the leaves that belong to it to some degree, in rising order; `None` for a plain tree.
    fuzzy: Option<Vec<Vec<(u32, f64)>>>,
}

impl Attribute {
    /// A quasi-identifier whose nodes stand for just the leaves below them.
    pub fn crisp(name: String, taxonomy: Arc<Taxonomy>) -> Attribute {
        Attribute { name, taxonomy, fuzzy: None }
    }

    /// A quasi-identifier of numbers with fuzzy inner nodes. Nodes without a trapezoid, and leaves, stay crisp.
    ///
    /// Nobody may belong to a node more than to the node above it: a rule would then say more about the lower node than
    /// about the upper one, and rules could not be folded.
    pub fn fuzzy(
        name: String,
        taxonomy: Arc<Taxonomy>,
        trapezoid: impl Fn(NodeId) -> Option<Trapezoid>,
    ) -> Result<Attribute> {
        let numbers = numbers_of(&taxonomy);
        let members = |node: NodeId| -> Vec<(u32, f64)> {
            let below = taxonomy.leaves_below(node);
            let shape = trapezoid(node).filter(|_| !taxonomy.is_leaf(node) && node != taxonomy.root());
            let degree = |leaf: usize| match (shape, numbers[leaf]) {
                (Some(shape), Some(number)) => shape.membership(number),
                _ => f64::from(u8::from(below.contains(&leaf))),
            };
            let leaves = (0..taxonomy.leaves()).map(|leaf| (leaf as u32, degree(leaf)));
            leaves.filter(|(_, degree)| *degree > 0.0).collect()
        };
        let fuzzy: Vec<Vec<(u32, f64)>> = taxonomy.nodes().map(members).collect();
        let attribute = Attribute { name, taxonomy, fuzzy: Some(fuzzy) };
        attribute.check_nesting()?;
        Ok(attribute)
    }

    /// Fuzzy inner nodes, each a range that is widened at both ends by `spread` times its width.
    pub fn spread(name: String, taxonomy: Arc<Taxonomy>, spread: Exact) -> Result<Attribute> {
        let numbers = numbers_of(&taxonomy);
        let known = || numbers.iter().flatten().copied();
        let (least, most) =
            (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
        let mut shapes = vec![None; taxonomy.len()];
        for node in taxonomy.nodes().filter(|node| *node != taxonomy.root() && !taxonomy.is_leaf(*node)) {
            let label = taxonomy.label(node);
            let range = Range::parse(label).ok_or_else(|| {
                Error::input(format!(
                    "column '{name}' has 'fuzzy_spread', but '{label}' of its hierarchy is not a range"
                ))
                .help("name inner nodes as ranges, such as 20-29 or [20,30), or leave 'fuzzy_spread' out")
            })?;
            let (low, high) = (range.low.max(least), range.high.min(most));
            let margin = spread.to_f64() * (high - low).max(0.0);
            let shape =
                Trapezoid { a: range.low - margin, b: range.low, c: range.high, d: range.high + margin };
            shapes[node.0 as usize] = Some(shape);
        }
        Attribute::fuzzy(name, taxonomy, |node| shapes[node.0 as usize])
    }

    fn check_nesting(&self) -> Result<()> {
        for node in self.taxonomy.nodes() {
            let Some(parent) = self.taxonomy.parent(node).filter(|parent| *parent != self.taxonomy.root())
            else {
                continue;
            };
            for (leaf, degree) in self.members(node) {
                if self.membership(parent, *leaf) < degree - super::TOLERANCE {
                    let label = |node| self.taxonomy.label(node);
                    let value = label(self.taxonomy.leaf(*leaf as usize));
                    return Err(Error::input(format!(
                        "'{value}' of column '{}' belongs more to '{}' than to '{}' above it",
                        self.name,
                        label(node),
                        label(parent)
                    ))
                    .help("let every range of the hierarchy hold the ranges below it"));
                }
            }
        }
        Ok(())
    }

    /// The number that each leaf stands for, if it does.
    pub fn numbers(&self) -> Vec<Option<f64>> {
        numbers_of(&self.taxonomy)
    }

    /// Whether some nodes are fuzzy.
    pub fn is_fuzzy(&self) -> bool {
        self.fuzzy.is_some()
    }

    /// The leaves that belong to a node to some degree; empty for a plain tree, where they are those below it.
    pub(super) fn members(&self, node: NodeId) -> &[(u32, f64)] {
        self.fuzzy.as_ref().map_or(&[], |fuzzy| &fuzzy[node.0 as usize])
    }

    /// The degree to which a leaf belongs to a node.
    pub fn membership(&self, node: NodeId, leaf: u32) -> f64 {
        match &self.fuzzy {
            None => f64::from(u8::from(self.taxonomy.leaves_below(node).contains(&(leaf as usize)))),
            Some(fuzzy) => {
                let members = &fuzzy[node.0 as usize];
                let found = members.binary_search_by_key(&leaf, |(leaf, _)| *leaf);
                found.map_or(0.0, |at| members[at].1)
            }
        }
    }
}

/// The number that each leaf stands for, if it does.
fn numbers_of(taxonomy: &Taxonomy) -> Vec<Option<f64>> {
    (0..taxonomy.leaves()).map(|leaf| number_of(taxonomy.label(taxonomy.leaf(leaf)))).collect()
}

/// The number that a leaf stands for: itself, or the middle of its range.
fn number_of(label: &str) -> Option<f64> {
    match Range::parse(label) {
        Some(range) if range.low.is_finite() && range.high.is_finite() => {
            Some((range.low + range.high) / 2.0)
        }
        Some(range) if range.low.is_finite() => Some(range.low),
        Some(range) => Some(range.high),
        None => label.trim().parse::<f64>().ok().filter(|number| number.is_finite()),
    }
}
