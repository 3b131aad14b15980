//! Columns that are identifying and sensitive at once, value by value: Flu can be seen on a person, AIDS cannot and is
//! what must stay hidden (Wang, Xu, Fu and Wong, *FF-anonymity: when quasi-identifiers are missing*, ICDE 2009).
//!
//! A policy says for such a column which nodes of its hierarchy are guarded, and what of it can be observed.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_integer::Integer;

use super::check::{PolicyColumn, Role};
use super::file::{Entry, Section};
use super::settings::Clause;
use privet_core::{Error, Exact, Result};
use privet_core::{echoed, quoted, suggestion};
use privet_taxonomy::{NodeId, Taxonomy};

/// How sensitive an inner node is, of whose n leaves z are sensitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SensitivityModel {
    /// z/n: it is sensitive to learn that a value is any of the sensitive leaves.
    Aggregate,
    /// z/n²: it is sensitive to learn which leaf a value is.
    NonAggregate,
}

/// What an adversary can see of a column on a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObservabilityModel {
    /// Nodes with a leaf that is not sensitive.
    Sensitivity,
    /// What the publisher believes.
    Belief(Belief),
}

/// How observable the publisher believes values to be, from 0 to 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Belief {
    /// What a parent is more observable than its most observable child.
    pub alpha: Exact,
    /// For leaves that are not listed.
    pub default: Exact,
    /// By label, for leaves and for inner nodes that do not follow from their children.
    pub values: BTreeMap<String, Exact>,
}

/// What a policy says about a column of role `mixed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MixedColumn {
    /// How sensitive inner nodes are.
    pub sensitivity: SensitivityModel,
    /// The labels of the guarding set: leaves at or below one of these nodes are sensitive.
    pub guard: Vec<String>,
    /// What can be observed.
    pub observability: ObservabilityModel,
}

/// How observable each node of a taxonomy is, as whole numbers: `unit` stands for 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Degrees {
    /// By node.
    pub of: Vec<BigUint>,
    /// What 1 is.
    pub unit: BigUint,
}

/// The keys of `[columns.NAME.sensitivity]`.
pub(super) const SENSITIVITY_KEYS: [&str; 2] = ["model", "guard"];

/// The keys of `[columns.NAME.observability]`.
pub(super) const OBSERVABILITY_KEYS: [&str; 4] = ["model", "alpha", "default", "values"];

impl Degrees {
    /// Whether a node is observable to at least this degree.
    pub fn reaches(&self, node: NodeId, least: Exact) -> bool {
        &self.of[node.0 as usize] * least.denominator() >= &self.unit * least.numerator()
    }
}

impl Belief {
    /// The degree of every node: a leaf's is given, a parent's is min(1, alpha + the greatest of its children), unless it
    /// is given too.
    pub fn degrees(&self, taxonomy: &Taxonomy) -> Degrees {
        let all = || self.values.values().chain([&self.alpha, &self.default]);
        let unit = all().fold(BigUint::from(1u8), |unit, exact| unit.lcm(&exact.denominator().into()));
        let scaled = |exact: Exact| &unit / exact.denominator() * exact.numerator();
        let alpha = scaled(self.alpha);
        let mut of = vec![BigUint::ZERO; taxonomy.len()];
        // Children come after their parents.
        for node in taxonomy.nodes().rev() {
            let children = taxonomy.children(node).iter();
            let highest = children.map(|child| &of[child.0 as usize]).max();
            let degree = match (self.values.get(taxonomy.label(node)), highest) {
                (Some(given), _) => scaled(*given),
                (None, None) => scaled(self.default),
                (None, Some(highest)) => (highest + &alpha).min(unit.clone()),
            };
            of[node.0 as usize] = degree;
        }
        Degrees { of, unit }
    }

    /// A node and a child of it that is more observable, which the observability principle (Definition 2.2) rules out: who
    /// sees the child sees the node.
    fn contradiction(&self, taxonomy: &Taxonomy) -> Option<(NodeId, NodeId)> {
        let degrees = self.degrees(taxonomy);
        let pairs = taxonomy.nodes().filter_map(|node| Some((taxonomy.parent(node)?, node)));
        pairs.into_iter().find(|(parent, child)| degrees.of[parent.0 as usize] < degrees.of[child.0 as usize])
    }
}

impl MixedColumn {
    /// Whether any of its values is sensitive.
    pub fn is_guarded(&self) -> bool {
        !self.guard.is_empty()
    }

    /// Reads what a policy says about a mixed column.
    pub(super) fn read(section: &Section<'_>, taxonomy: &Taxonomy) -> Result<MixedColumn> {
        let (mut sensitivity, mut guard) = (SensitivityModel::Aggregate, Vec::new());
        if let Some(entry) = section.entry("sensitivity") {
            let keys = entry.section()?;
            keys.only(&SENSITIVITY_KEYS)?;
            if let Some(model) = keys.entry("model")
                && model.one_of(&["aggregate", "non-aggregate"])? == "non-aggregate"
            {
                sensitivity = SensitivityModel::NonAggregate;
            }
            if let Some(entry) = keys.entry("guard") {
                guard = entry.texts()?;
                guard.iter().try_for_each(|label| known(&entry, label, taxonomy))?;
            }
        }
        let observability = match section.entry("observability") {
            Some(entry) => read_observability(&entry.section()?, taxonomy)?,
            None => ObservabilityModel::Sensitivity,
        };
        Ok(MixedColumn { sensitivity, guard, observability })
    }
}

fn read_observability(keys: &Section<'_>, taxonomy: &Taxonomy) -> Result<ObservabilityModel> {
    keys.only(&OBSERVABILITY_KEYS)?;
    let model = match keys.entry("model") {
        Some(entry) => entry.one_of(&["sensitivity", "belief"])?,
        None => "sensitivity",
    };
    if model == "sensitivity" {
        let stray = ["alpha", "default", "values"].into_iter().find_map(|key| keys.entry(key));
        return match stray {
            None => Ok(ObservabilityModel::Sensitivity),
            Some(entry) => Err(entry
                .error(format!("'{}' has no meaning for model = \"sensitivity\"", entry.name()))
                .help("remove it, or set model = \"belief\"")),
        };
    }
    let number = |key: &str, otherwise: Exact| keys.entry(key).map_or(Ok(otherwise), |entry| degree(&entry));
    let (alpha, default) = (number("alpha", Exact::ONE)?, number("default", Exact::ZERO)?);
    let mut values = BTreeMap::new();
    if let Some(entry) = keys.entry("values") {
        for (label, entry) in entry.table("a table of values with a number each")?.entries() {
            known(&entry, label, taxonomy)?;
            values.insert(label.to_string(), degree(&entry)?);
        }
    }
    let belief = Belief { alpha, default, values };
    if let Some((parent, child)) = belief.contradiction(taxonomy) {
        let (above, below) = (quoted(taxonomy.label(parent)), quoted(taxonomy.label(child)));
        let message = format!("{below} is more observable than {above}, which lies above it");
        let at = keys.entry("values").map_or_else(|| keys.error(&message), |entry| entry.error(&message));
        return Err(at.help(format!(
            "who sees {below} on somebody sees {above}: raise the value of {above}, leave it out, or lower {below}"
        )));
    }
    Ok(ObservabilityModel::Belief(belief))
}

/// A number from 0 to 1.
fn degree(entry: &Entry<'_>) -> Result<Exact> {
    let text = entry.scalar()?;
    let exact = Exact::parse(text).filter(|exact| *exact <= Exact::ONE);
    exact.ok_or_else(|| {
        let message = format!("'{}' is {}; it must be a number from 0 to 1", entry.name(), echoed(text));
        entry.error(message).help(
            "0 for what cannot be observed on a person, 1 for what certainly can, as in 0.3 or \"3/10\"",
        )
    })
}

/// An error unless the hierarchy has a node of this label.
fn known(entry: &Entry<'_>, label: &str, taxonomy: &Taxonomy) -> Result<()> {
    if taxonomy.find(label).is_some() {
        return Ok(());
    }
    let labels: Vec<&str> = taxonomy.nodes().map(|node| taxonomy.label(node)).collect();
    Err(entry
        .error(format!("'{}' names '{label}', which is not a node of the column's hierarchy", entry.name()))
        .help(suggestion(label, &labels, "its nodes")))
}

/// Mixed columns and the methods of FF-anonymity go together.
pub(super) fn fit(root: &Section<'_>, columns: &[PolicyColumn], method: &Clause) -> Result<()> {
    let (freeform, name) = (method.declaration.role == Some(Role::Mixed), method.name());
    let entry = |section: &str, key: &str| root.entry(section)?.section().ok()?.entry(key);
    let at = |entry: Option<Entry<'_>>, message: String| match entry {
        Some(entry) => entry.error(message),
        None => root.error(message),
    };
    for column in columns {
        let role = || entry("columns", &column.name).and_then(|entry| entry.section().ok()?.entry("role"));
        let help = match (column.role, freeform) {
            (Some(Role::Mixed), false) => {
                "give it role = \"quasi-identifier\" or \"sensitive\", or ask for [privacy.ff-anonymity] with method \"ff-optimal\""
            }
            (Some(Role::QuasiIdentifier | Role::Sensitive), true) => {
                "give it role = \"mixed\": its guarded values are the sensitive ones, the others can be observed"
            }
            _ => continue,
        };
        let (column, word) = (&column.name, column.role.map_or("", Role::name));
        let message =
            format!("column '{column}' has role '{word}', which the method \"{name}\" does not know");
        return Err(at(role(), message).help(help));
    }
    if freeform && !columns.iter().any(|column| column.role == Some(Role::Mixed)) {
        let message = "no column has role 'mixed', so there is nothing to generalise".to_string();
        return Err(at(root.entry("columns"), message).help(
            "say which columns can be seen on a person or must stay hidden: [columns.disease] role = \"mixed\"",
        ));
    }
    Ok(())
}

/// The error for a mixed column without a hierarchy.
pub(super) fn lacks_hierarchy(section: &Section<'_>, name: &str) -> Error {
    section
        .error(format!("column '{name}' has role 'mixed', but no hierarchy"))
        .help(format!("name one, as in hierarchy = \"{name}.csv\"; `privet hierarchy build` drafts it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taxonomy() -> Taxonomy {
        let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
        Taxonomy::from_paths(&[path("Flu;VI;*"), path("AIDS;VI;*"), path("TB;BI;*")]).expect("a tree")
    }

    fn belief(alpha: &str, default: &str, values: &[(&str, &str)]) -> Belief {
        let exact = |text: &str| Exact::parse(text).expect("a number");
        let values = values.iter().map(|(label, text)| (label.to_string(), exact(text)));
        Belief { alpha: exact(alpha), default: exact(default), values: values.collect() }
    }

    #[test]
    fn a_parent_is_more_observable_than_its_children_by_alpha_and_at_most_by_all() {
        let tree = taxonomy();
        let node = |label: &str| tree.find(label).expect("a node");
        let degrees = belief("0.4", "0", &[("Flu", "0.3")]).degrees(&tree);
        let exact = |text: &str| Exact::parse(text).expect("a number");
        assert!(
            degrees.reaches(node("VI"), exact("7/10")) && !degrees.reaches(node("VI"), exact("0.700001"))
        );
        assert!(degrees.reaches(node("BI"), exact("0.4")) && !degrees.reaches(node("TB"), exact("0.1")));
        assert!(degrees.reaches(node("*"), Exact::ONE));
        assert!(degrees.reaches(node("AIDS"), Exact::ZERO));
    }

    #[test]
    fn a_node_less_observable_than_its_child_contradicts_the_principle() {
        let tree = taxonomy();
        assert_eq!(belief("0", "0.2", &[("VI", "0.2"), ("TB", "1")]).contradiction(&tree), None);
        let found = belief("1", "0", &[("VI", "0.2"), ("Flu", "0.3")]).contradiction(&tree);
        assert_eq!(found, tree.find("VI").zip(tree.find("Flu")));
        let root = belief("0", "0", &[("*", "0"), ("BI", "0.1")]).contradiction(&tree);
        assert_eq!(root, tree.find("*").zip(tree.find("BI")));
    }
}
