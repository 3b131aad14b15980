//! How sensitive and how observable every node of the mixed columns is, and what attacks conclude from it.
//!
//! What a node is comes from the audit's reading of the definitions. An attack X → a takes observable nodes of some
//! columns and a node a of another that is not observable; it is a breach if P(a|X)·s(a) exceeds the threshold.
//!
//! Few of the observable nodes above a record's value have to be tried. A node whose children can all be observed is
//! their disjoint union, so P(a|X) is a weighted mean of what the children give, and one of them is at least as bad.
//! The nodes to try are values that records show, and nodes with a child that cannot be observed: the *needed* nodes.

use std::sync::Arc;

use num_bigint::BigUint;

use privet_audit::definitions::{MixedNode, mixed_nodes};
use privet_core::{Error, Exact, Result};
use privet_policy::requirement::FfAnonymity;
use privet_policy::{CheckedPolicy, MixedColumn, Requirement, SensitivityModel};
use privet_taxonomy::{NodeId, Taxonomy};

/// What the policy asks of mixed columns.
pub(crate) fn asked(policy: &CheckedPolicy) -> Result<&FfAnonymity> {
    let asked = policy.requirements.iter().find_map(|asked| match asked {
        Requirement::FfAnonymity(asked) => Some(asked),
        _ => None,
    });
    asked.ok_or_else(|| {
        Error::input("the policy does not ask for ff-anonymity, so nothing says what can be observed")
            .in_file(policy.written.path())
            .help("add [privacy.ff-anonymity] threat = 0.5, and mark the mixed columns")
    })
}

/// The mixed columns of a policy, by position in the data, with their hierarchies. Missing values that are kept are leaves.
pub(super) fn mixed_trees(policy: &CheckedPolicy) -> Result<Vec<(usize, Arc<Taxonomy>)>> {
    let missing = policy.missing.first().filter(|_| policy.missing_rule().keep);
    let tree = |tree: &Arc<Taxonomy>| match missing {
        Some(missing) => tree.with_leaf(missing).map(Arc::new),
        None => Ok(tree.clone()),
    };
    let mixed = policy.generalised().map(|column| {
        let hierarchy = column.hierarchy.as_ref();
        let hierarchy = hierarchy.ok_or_else(|| Error::internal("a mixed column lost its hierarchy"))?;
        Ok((column.index, tree(hierarchy)?))
    });
    mixed.collect()
}

/// A mixed column under attack.
#[derive(Debug, Clone)]
pub(crate) struct MixedAttribute {
    /// Its name.
    pub name: String,
    /// Its values.
    pub taxonomy: Arc<Taxonomy>,
    nodes: Vec<MixedNode>,
    model: SensitivityModel,
    threat: Exact,
    /// Per node, the nodes at and above it that can be breached: not observable, and too sensitive to be known for sure.
    dangers: Vec<Vec<u32>>,
    /// Per node, the needed nodes of a record that shows it.
    needed: Vec<Vec<u32>>,
}

impl MixedAttribute {
    /// A column without records yet.
    pub fn new(
        name: &str,
        taxonomy: Arc<Taxonomy>,
        mixed: &MixedColumn,
        asked: &FfAnonymity,
    ) -> MixedAttribute {
        let nodes = mixed_nodes(&taxonomy, mixed, asked.observable);
        let mut attribute = MixedAttribute {
            name: name.to_string(),
            nodes,
            model: mixed.sensitivity,
            threat: asked.threat,
            dangers: Vec::new(),
            needed: Vec::new(),
            taxonomy,
        };
        let is_danger = |node: NodeId| !attribute.is_observable(node.0) && attribute.is_breach(node.0, 1, 1);
        attribute.dangers = on_paths(&attribute.taxonomy, is_danger);
        attribute
    }

    /// How sensitive a node is: z/n or z/n², as two numbers.
    fn share(&self, node: u32) -> (u64, u128) {
        let MixedNode { leaves, sensitive, .. } = self.nodes[node as usize];
        match self.model {
            SensitivityModel::Aggregate => (sensitive, leaves.into()),
            SensitivityModel::NonAggregate => (sensitive, u128::from(leaves) * u128::from(leaves)),
        }
    }

    /// How sensitive a node is, for display.
    pub fn sensitivity(&self, node: u32) -> f64 {
        let (over, under) = self.share(node);
        over as f64 / under as f64
    }

    /// Whether a node can be observed on a person.
    pub fn is_observable(&self, node: u32) -> bool {
        self.nodes[node as usize].observable
    }

    /// Whether it is a breach that `hits` of `support` records have a node: P·z/n > threat. Exact.
    pub fn is_breach(&self, node: u32, hits: u64, support: u64) -> bool {
        let (over, under) = self.share(node);
        let (over, limit) =
            (u128::from(over) * u128::from(self.threat.denominator()), self.threat.numerator());
        let small = under.checked_mul(limit.into()).and_then(|under| under.checked_mul(support.into()));
        match (over.checked_mul(hits.into()), small) {
            (Some(over), Some(under)) => over > under,
            _ => BigUint::from(over) * hits > BigUint::from(under) * limit * support,
        }
    }

    /// The nodes at and above a node that can be breached at all.
    pub fn dangers(&self, node: u32) -> &[u32] {
        &self.dangers[node as usize]
    }

    /// The needed nodes of a record that shows a node.
    pub fn needed(&self, node: u32) -> &[u32] {
        &self.needed[node as usize]
    }

    /// Whether something at or above a node is sensitive at all and cannot be observed.
    pub fn hides(&self, node: u32) -> bool {
        let path = std::iter::successors(Some(NodeId(node)), |node| self.taxonomy.parent(*node));
        let mut path = path.map(|node| self.nodes[node.0 as usize]);
        path.any(|node| !node.observable && node.sensitive > 0)
    }

    /// Whether any node can be breached.
    pub fn is_endangered(&self) -> bool {
        self.dangers.iter().any(|dangers| !dangers.is_empty())
    }

    /// Whether some records have more than one needed node.
    pub fn is_layered(&self) -> bool {
        self.needed.iter().any(|needed| needed.len() > 1)
    }

    /// Finds the needed nodes of records that show these nodes.
    pub fn show(&mut self, shown: impl Iterator<Item = u32>) {
        let mut is_shown = vec![false; self.nodes.len()];
        shown.for_each(|node| is_shown[node as usize] = true);
        let hides_a_child =
            |node: NodeId| self.taxonomy.children(node).iter().any(|child| !self.is_observable(child.0));
        let is_needed =
            |node: NodeId| self.is_observable(node.0) && (is_shown[node.0 as usize] || hides_a_child(node));
        self.needed = on_paths(&self.taxonomy, is_needed);
    }
}

/// Per node, those of the nodes from the root down to it that are wanted.
fn on_paths(taxonomy: &Taxonomy, is_wanted: impl Fn(NodeId) -> bool) -> Vec<Vec<u32>> {
    let mut paths: Vec<Vec<u32>> = Vec::with_capacity(taxonomy.len());
    for node in taxonomy.nodes() {
        let mut path = taxonomy.parent(node).map_or_else(Vec::new, |parent| paths[parent.0 as usize].clone());
        path.extend(is_wanted(node).then_some(node.0));
        paths.push(path);
    }
    paths
}
