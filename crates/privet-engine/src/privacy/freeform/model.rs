//! How sensitive and how observable every node is.

use std::sync::Arc;

use num_bigint::BigUint;

use super::Thresholds;
use privet_policy::{MixedColumn, ObservabilityModel, SensitivityModel};
use privet_taxonomy::{NodeId, Taxonomy};

/// A sensitivity as a fraction: z/n or z/n².
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// How many leaves are sensitive.
    pub numerator: u64,
    /// The number of leaves, or its square.
    pub denominator: u128,
}

impl Share {
    /// The nearest double, for display.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

/// When an attack on a node is a breach: over · sup(Xa) > under · sup(X).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    over: u128,
    under: u128,
}

impl Bar {
    /// P·z/n > p/q as P·z·q > p·n. Sensitive leaves and denominators of thresholds have at most 32 and 60 bits, so both
    /// sides fit.
    fn new(share: Share, thresholds: &Thresholds) -> Bar {
        Bar {
            over: u128::from(share.numerator) * u128::from(thresholds.threat.denominator()),
            under: share.denominator.saturating_mul(u128::from(thresholds.threat.numerator())),
        }
    }

    /// Whether `hits` of `support` records make a breach. Exact.
    pub fn is_breach(&self, hits: u64, support: u64) -> bool {
        match (self.over.checked_mul(hits.into()), self.under.checked_mul(support.into())) {
            (Some(over), Some(under)) => over > under,
            _ => BigUint::from(self.over) * hits > BigUint::from(self.under) * support,
        }
    }
}

/// A mixed attribute: its taxonomy and, by node, what attacks need to know.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its values.
    pub taxonomy: Arc<Taxonomy>,
    shares: Vec<Share>,
    observable: Vec<bool>,
    bars: Vec<Bar>,
    /// Per node, the nodes at and above it that can be breached: not observable, and too sensitive to be known for sure.
    dangers: Vec<Vec<u32>>,
    /// Per node, the nodes at and above it that are needed when it is in the cut.
    needed: Vec<Vec<u32>>,
}

impl Attribute {
    /// An attribute with what a policy says about it.
    pub fn new(
        name: &str,
        taxonomy: Arc<Taxonomy>,
        column: &MixedColumn,
        thresholds: &Thresholds,
    ) -> Attribute {
        let shares = shares(&taxonomy, column);
        let observable = observable(&taxonomy, column, &shares, thresholds);
        let bars: Vec<Bar> = shares.iter().map(|share| Bar::new(*share, thresholds)).collect();
        let is_danger = |node: NodeId| !observable[node.0 as usize] && bars[node.0 as usize].is_breach(1, 1);
        let dangers = along_paths(&taxonomy, is_danger, |_| false);
        let needed = needed(&taxonomy, &observable, |_| false);
        Attribute { name: name.to_string(), taxonomy, shares, observable, bars, dangers, needed }
    }

    /// How sensitive a node is.
    pub fn sensitivity(&self, node: u32) -> Share {
        self.shares[node as usize]
    }

    /// Whether a node can be seen on a person.
    pub fn is_observable(&self, node: u32) -> bool {
        self.observable[node as usize]
    }

    /// When an attack on a node is a breach.
    pub fn bar(&self, node: u32) -> Bar {
        self.bars[node as usize]
    }

    /// The nodes at and above a node that can be breached at all.
    pub fn dangers(&self, node: u32) -> &[u32] {
        &self.dangers[node as usize]
    }

    /// The needed nodes of a record whose value in the cut is this one.
    pub fn needed(&self, node: u32) -> &[u32] {
        &self.needed[node as usize]
    }

    /// Whether something at or above a node is sensitive at all and cannot be observed.
    pub fn hides(&self, node: u32) -> bool {
        let path = std::iter::successors(Some(NodeId(node)), |node| self.taxonomy.parent(*node));
        let mut path = path.map(|node| node.0 as usize);
        path.any(|node| !self.observable[node] && self.shares[node].numerator > 0)
    }

    /// Whether any node can be breached.
    pub fn is_endangered(&self) -> bool {
        self.dangers.iter().any(|dangers| !dangers.is_empty())
    }

    /// Whether some records have more than one needed node.
    pub fn is_layered(&self) -> bool {
        self.needed.iter().any(|needed| needed.len() > 1)
    }
}

/// Per node, the needed nodes of a record that shows it: itself, and those above it with a child that is not observable, or
/// that records show themselves. All have to be observable.
fn needed(taxonomy: &Taxonomy, observable: &[bool], is_shown: impl Fn(NodeId) -> bool) -> Vec<Vec<u32>> {
    let is_seen = |node: NodeId| observable[node.0 as usize];
    let is_needed = |node: NodeId| {
        is_seen(node) && (is_shown(node) || taxonomy.children(node).iter().any(|child| !is_seen(*child)))
    };
    along_paths(taxonomy, is_needed, is_seen)
}

/// Per node, those of the nodes from the root down to it that are wanted; itself also if it is wanted as the last.
fn along_paths(
    taxonomy: &Taxonomy,
    is_wanted: impl Fn(NodeId) -> bool,
    is_wanted_last: impl Fn(NodeId) -> bool,
) -> Vec<Vec<u32>> {
    let mut above: Vec<Vec<u32>> = Vec::with_capacity(taxonomy.len());
    for node in taxonomy.nodes() {
        let mut path = taxonomy.parent(node).map_or_else(Vec::new, |parent| above[parent.0 as usize].clone());
        if is_wanted(node) {
            path.push(node.0);
        }
        above.push(path);
    }
    for node in taxonomy.nodes().filter(|node| is_wanted_last(*node)) {
        let path = &mut above[node.0 as usize];
        if path.last() != Some(&node.0) {
            path.push(node.0);
        }
    }
    above
}

/// s(a) = z/n or z/n² with z of a's n leaves at or below a node of the guarding set; a leaf has n = 1.
fn shares(taxonomy: &Taxonomy, column: &MixedColumn) -> Vec<Share> {
    let mut sensitive = vec![false; taxonomy.leaves()];
    for guard in column.guard.iter().filter_map(|label| taxonomy.find(label)) {
        sensitive[taxonomy.leaves_below(guard)].fill(true);
    }
    let mut before = vec![0u64; sensitive.len() + 1];
    for (leaf, sensitive) in sensitive.iter().enumerate() {
        before[leaf + 1] = before[leaf] + u64::from(*sensitive);
    }
    let share = |node: NodeId| {
        let leaves = taxonomy.leaves_below(node);
        let all = leaves.len() as u128;
        Share {
            numerator: before[leaves.end] - before[leaves.start],
            denominator: match column.sensitivity {
                SensitivityModel::Aggregate => all,
                SensitivityModel::NonAggregate => all * all,
            },
        }
    };
    taxonomy.nodes().map(share).collect()
}

/// Whether each node is observable. The root always is: nobody is kept from knowing nothing.
fn observable(
    taxonomy: &Taxonomy,
    column: &MixedColumn,
    shares: &[Share],
    thresholds: &Thresholds,
) -> Vec<bool> {
    let least = thresholds.observable;
    let mut observable: Vec<bool> = match &column.observability {
        ObservabilityModel::Sensitivity => {
            let all_sensitive =
                |node: NodeId| shares[node.0 as usize].numerator == taxonomy.leaves_below(node).len() as u64;
            taxonomy.nodes().map(|node| least.numerator() == 0 || !all_sensitive(node)).collect()
        }
        ObservabilityModel::Belief(belief) => {
            let degrees = belief.degrees(taxonomy);
            taxonomy.nodes().map(|node| degrees.reaches(node, least)).collect()
        }
    };
    observable[taxonomy.root().0 as usize] = true;
    observable
}

/// All mixed attributes of a table.
#[derive(Debug, Clone)]
pub struct Model {
    /// The attributes.
    pub attributes: Vec<Attribute>,
    /// The order in which attributes tell records apart: those of which records have a single needed node first, and
    /// those with many values before those with few.
    order: Vec<usize>,
    /// The attributes of which some node can be breached.
    endangered: Vec<usize>,
}

impl Model {
    /// A model of these attributes.
    pub fn new(attributes: Vec<Attribute>) -> Model {
        let mut order: Vec<usize> = (0..attributes.len()).collect();
        order.sort_by_key(|at| {
            let attribute = &attributes[*at];
            (attribute.is_layered(), std::cmp::Reverse(attribute.taxonomy.len()))
        });
        let endangered = (0..attributes.len()).filter(|at| attributes[*at].is_endangered()).collect();
        Model { attributes, order, endangered }
    }

    /// The attributes of which some node can be breached.
    pub fn endangered(&self) -> &[usize] {
        &self.endangered
    }

    /// The same model for a table that does not show a cut: some records may show a node above what others show. `values`
    /// holds one node per attribute, record by record.
    pub fn showing(mut self, values: &[u32]) -> Model {
        let width = self.attributes.len();
        for (at, attribute) in self.attributes.iter_mut().enumerate() {
            let mut shown = vec![false; attribute.taxonomy.len()];
            values.iter().skip(at).step_by(width).for_each(|node| shown[*node as usize] = true);
            attribute.needed =
                needed(&attribute.taxonomy, &attribute.observable, |node| shown[node.0 as usize]);
        }
        Model::new(self.attributes)
    }

    /// The attributes but for some, in the order that tells records apart soonest.
    pub fn others(&self, without: &[usize]) -> Vec<usize> {
        self.order.iter().copied().filter(|at| !without.contains(at)).collect()
    }
}
