//! The definitions as they stand, in fractions, with every attack tried.

use std::collections::BTreeSet;

use num_rational::Ratio;

use super::freeform::{Case, Column};
use privet_core::Exact;
use privet_policy::{ObservabilityModel, SensitivityModel};
use privet_taxonomy::NodeId;

type Fraction = Ratio<u128>;

/// An attack by nodes: what is seen (the root for nothing), the attribute under attack, and what is inferred.
pub type Attack = (Vec<NodeId>, usize, NodeId);

fn fraction(exact: Exact) -> Fraction {
    Fraction::new(exact.numerator().into(), exact.denominator().into())
}

impl Column {
    fn is_guarded(&self, leaf: usize) -> bool {
        let path = |node| std::iter::successors(Some(node), |node| self.taxonomy.parent(*node));
        path(self.taxonomy.leaf(leaf)).any(|node| {
            let label = self.taxonomy.label(node);
            self.mixed.guard.iter().any(|guard| guard == label)
        })
    }

    pub fn sensitivity(&self, node: NodeId) -> Fraction {
        let leaves = self.taxonomy.leaves_below(node);
        let all = leaves.len() as u128;
        let sensitive = leaves.filter(|leaf| self.is_guarded(*leaf)).count() as u128;
        match self.mixed.sensitivity {
            SensitivityModel::Aggregate => Fraction::new(sensitive, all),
            SensitivityModel::NonAggregate => Fraction::new(sensitive, all * all),
        }
    }

    fn degree(&self, node: NodeId) -> Fraction {
        let one = Fraction::from_integer(1);
        match &self.mixed.observability {
            ObservabilityModel::Sensitivity => {
                let mut leaves = self.taxonomy.leaves_below(node);
                if leaves.all(|leaf| self.is_guarded(leaf)) { Fraction::from_integer(0) } else { one }
            }
            ObservabilityModel::Belief(belief) => {
                let children = self.taxonomy.children(node);
                let highest = children.iter().map(|child| self.degree(*child)).max();
                match (belief.values.get(self.taxonomy.label(node)), highest) {
                    (Some(given), _) => fraction(*given),
                    (None, None) => fraction(belief.default),
                    (None, Some(highest)) => one.min(fraction(belief.alpha) + highest),
                }
            }
        }
    }

    pub fn is_observable(&self, node: NodeId, least: Exact) -> bool {
        node == self.taxonomy.root() || self.degree(node) >= fraction(least)
    }
}

impl Case {
    /// All breaches of the table in which row r shows `shown[r]`.
    pub fn breaches(&self, shown: &[Vec<NodeId>]) -> BTreeSet<Attack> {
        let least = self.thresholds.observable;
        // Cut+ by attribute.
        let plus: Vec<BTreeSet<NodeId>> = (self.columns.iter().enumerate())
            .map(|(at, column)| {
                let path = |node| std::iter::successors(Some(node), |node| column.taxonomy.parent(*node));
                shown.iter().flat_map(|row| path(row[at])).collect()
            })
            .collect();
        let mut breaches = BTreeSet::new();
        for (target, attacked) in self.columns.iter().enumerate() {
            let mut seen = vec![Vec::new()];
            for (at, column) in self.columns.iter().enumerate() {
                let root = BTreeSet::from([column.taxonomy.root()]);
                let nodes = if at == target { &root } else { &plus[at] };
                let visible: Vec<NodeId> =
                    nodes.iter().copied().filter(|node| column.is_observable(*node, least)).collect();
                let longer = |seen: &Vec<NodeId>| {
                    visible.iter().map(|node| [seen.clone(), vec![*node]].concat()).collect::<Vec<_>>()
                };
                seen = seen.iter().flat_map(longer).collect();
            }
            let hidden: Vec<NodeId> =
                plus[target].iter().copied().filter(|node| !attacked.is_observable(*node, least)).collect();
            for seen in seen {
                let fits = |row: &&Vec<NodeId>| {
                    let mut places = row.iter().zip(&seen).zip(&self.columns);
                    places.all(|((node, seen), column)| column.taxonomy.contains(*seen, *node))
                };
                let fitting: Vec<&Vec<NodeId>> = shown.iter().filter(fits).collect();
                for inferred in &hidden {
                    let having = fitting
                        .iter()
                        .filter(|row| attacked.taxonomy.contains(*inferred, row[target]))
                        .count();
                    if having == 0 {
                        continue;
                    }
                    let probability = Fraction::new(having as u128, fitting.len() as u128);
                    if probability * attacked.sensitivity(*inferred) > fraction(self.thresholds.threat) {
                        breaches.insert((seen.clone(), target, *inferred));
                    }
                }
            }
        }
        breaches
    }

    /// What each row shows under a cut: its lowest ancestor of which every strict ancestor is opened.
    pub fn shown(&self, is_opened: impl Fn(usize, NodeId) -> bool) -> Vec<Vec<NodeId>> {
        let show = |(at, leaf): (usize, &usize)| {
            let taxonomy = &self.columns[at].taxonomy;
            let leaf = taxonomy.leaf(*leaf);
            let mut node = taxonomy.root();
            while node != leaf && is_opened(at, node) {
                let child = taxonomy.children(node).iter().find(|child| taxonomy.contains(**child, leaf));
                node = *child.expect("a child above the leaf");
            }
            node
        };
        self.rows.iter().map(|row| row.iter().enumerate().map(show).collect()).collect()
    }
}
