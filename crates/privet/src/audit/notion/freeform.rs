//! FF-anonymity: no attack X → a has a threat P(a|X)·s(a) above the threshold.
//!
//! All attacks are tried, one after the other, as Definitions 3.1 to 3.4 have them: every choice of at most one observable
//! value per column, out of the values that the release shows and those above them, against every value of another column
//! that is not observable. What such a choice says is counted on the released records that fit it.

use num_bigint::BigUint;
use num_integer::Integer;

use super::super::Check;
use super::super::cover::value_tree;
use super::{Facts, number};
use crate::error::counted;
use crate::policy::{Belief, Clause, MixedColumn, ObservabilityModel, SensitivityModel};
use crate::taxonomy::{NodeId, Range, Taxonomy};
use crate::{Error, Exact, Result};

/// A non-negative fraction of any size.
#[derive(Debug, Clone)]
struct Fraction {
    over: BigUint,
    under: BigUint,
}

impl Fraction {
    fn of(exact: Exact) -> Fraction {
        Fraction { over: exact.numerator().into(), under: exact.denominator().into() }
    }

    fn one() -> Fraction {
        Fraction::of(Exact::ONE)
    }

    fn is_below(&self, other: &Fraction) -> bool {
        &self.over * &other.under < &other.over * &self.under
    }

    fn plus(&self, other: &Fraction) -> Fraction {
        let (over, under) =
            (&self.over * &other.under + &other.over * &self.under, &self.under * &other.under);
        let divisor = over.gcd(&under);
        Fraction { over: over / &divisor, under: under / divisor }
    }
}

/// A mixed column of the release.
struct Column {
    name: String,
    tree: Taxonomy,
    /// For each released cell, by number, the node that it is.
    nodes: Vec<NodeId>,
    /// By node, how many leaves are below it and how many of these are sensitive.
    leaves: Vec<(u64, u64)>,
    model: SensitivityModel,
    observable: Vec<bool>,
}

impl Column {
    fn of(facts: &Facts<'_>, at: usize, least: Exact) -> Result<Column> {
        let lost = || Error::internal("the policy lost a mixed column");
        let place = facts.layout.quasi.get(at).ok_or_else(lost)?;
        let column = facts.policy.columns.get(place.original).ok_or_else(lost)?;
        let mixed = column.mixed.as_ref().ok_or_else(lost)?;
        let tree = value_tree(facts.policy, column)?.ok_or_else(lost)?;
        let cells = &facts.tables.release.quasi[at];
        let values: Vec<&str> = facts.tables.original.quasi[at].texts().collect();
        let nodes = cells.texts().map(|cell| node_of(cell, &tree, &values)).collect::<Result<Vec<_>>>()?;
        let leaves = count_leaves(&tree, mixed);
        let observable = observable(&tree, mixed, &leaves, least);
        let name = column.name.clone();
        Ok(Column { name, tree, nodes, leaves, model: mixed.sensitivity, observable })
    }

    fn is_observable(&self, node: NodeId) -> bool {
        self.observable[node.0 as usize]
    }

    /// s(a) as a fraction: z/n, or z/n².
    fn sensitivity(&self, node: NodeId) -> (u64, u128) {
        let (all, sensitive) = self.leaves[node.0 as usize];
        match self.model {
            SensitivityModel::Aggregate => (sensitive, u128::from(all)),
            SensitivityModel::NonAggregate => (sensitive, u128::from(all) * u128::from(all)),
        }
    }

    /// A node and those above it, lowest first.
    fn path(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(node), |node| self.tree.parent(*node))
    }
}

/// The node that a released cell is: its label's, its value's leaf, the root for `*`, or the lowest node above all original
/// values in the range that it spells.
fn node_of(cell: &str, tree: &Taxonomy, values: &[&str]) -> Result<NodeId> {
    if let Some(node) = tree.find(cell) {
        return Ok(node);
    }
    if let Some(leaf) = tree.leaf_of(cell)? {
        return Ok(leaf);
    }
    let Some(range) = Range::parse(cell) else { return Ok(tree.root()) };
    let mut lowest: Option<NodeId> = None;
    for value in values {
        let inside = value.trim().parse().is_ok_and(|number: f64| range.holds(number));
        let Some(leaf) = tree.leaf_of(value)?.filter(|_| inside) else { continue };
        let mut node = lowest.unwrap_or(leaf);
        while !tree.contains(node, leaf) {
            node = tree.parent(node).unwrap_or(tree.root());
        }
        lowest = Some(node);
    }
    Ok(lowest.unwrap_or(tree.root()))
}

/// By node, how many leaves are below it, and how many of these are at or below a guarded node.
fn count_leaves(tree: &Taxonomy, mixed: &MixedColumn) -> Vec<(u64, u64)> {
    let mut counts = vec![(0, 0); tree.len()];
    for leaf in tree.nodes().filter(|node| tree.is_leaf(*node)) {
        let path = || std::iter::successors(Some(leaf), |node| tree.parent(*node));
        let guarded = path().any(|node| mixed.guard.iter().any(|label| label == tree.label(node)));
        for node in path() {
            let (all, sensitive) = &mut counts[node.0 as usize];
            *all += 1;
            *sensitive += u64::from(guarded);
        }
    }
    counts
}

/// o(a) ≥ the threshold, by node; the root is always observable.
fn observable(tree: &Taxonomy, mixed: &MixedColumn, leaves: &[(u64, u64)], least: Exact) -> Vec<bool> {
    let least = Fraction::of(least);
    let degrees: Vec<Fraction> = match &mixed.observability {
        ObservabilityModel::Sensitivity => leaves
            .iter()
            .map(
                |(all, sensitive)| if all == sensitive { Fraction::of(Exact::ZERO) } else { Fraction::one() },
            )
            .collect(),
        ObservabilityModel::Belief(belief) => believed(tree, belief),
    };
    let observable = |node: NodeId| node == tree.root() || !degrees[node.0 as usize].is_below(&least);
    tree.nodes().map(observable).collect()
}

/// o(parent) = min(1, alpha + the greatest o(child)), but for values that are given.
fn believed(tree: &Taxonomy, belief: &Belief) -> Vec<Fraction> {
    let mut degrees = vec![Fraction::of(belief.default); tree.len()];
    // Nodes are numbered depth first, so children come before their parents here.
    for node in tree.nodes().rev() {
        let mut greatest: Option<Fraction> = None;
        for child in tree.children(node) {
            let degree = &degrees[child.0 as usize];
            if greatest.as_ref().is_none_or(|greatest| greatest.is_below(degree)) {
                greatest = Some(degree.clone());
            }
        }
        if let Some(greatest) = greatest {
            let sum = greatest.plus(&Fraction::of(belief.alpha));
            degrees[node.0 as usize] = if Fraction::one().is_below(&sum) { Fraction::one() } else { sum };
        }
        if let Some(given) = belief.values.get(tree.label(node)) {
            degrees[node.0 as usize] = Fraction::of(*given);
        }
    }
    degrees
}

/// A released record, as often as it occurs.
struct Row {
    /// Its node in each column.
    nodes: Vec<NodeId>,
    count: u64,
}

/// An attack with what came of it.
struct Attack {
    seen: Vec<(usize, NodeId)>,
    target: usize,
    inferred: NodeId,
    hits: u64,
    support: u64,
}

/// The enumeration of all attacks.
struct Attacks<'a> {
    columns: &'a [Column],
    rows: &'a [Row],
    threat: Exact,
    tried: u64,
    breaches: u64,
    /// Whether each row is told something by a breach that is true of it.
    exposed: Vec<bool>,
    worst: Option<(f64, Attack)>,
}

impl Attacks<'_> {
    /// Tries every X that extends `seen` by columns from `next` on, against every value of the target column. `fitting`
    /// are the rows that X fits.
    fn extend(&mut self, target: usize, next: usize, seen: &mut Vec<(usize, NodeId)>, fitting: &[usize]) {
        let (columns, rows) = (self.columns, self.rows);
        let hides = |row: &usize| {
            let column = &columns[target];
            column
                .path(rows[*row].nodes[target])
                .any(|node| !column.is_observable(node) && column.sensitivity(node).0 > 0)
        };
        // Where nobody has anything to hide, no further knowledge changes that.
        if !fitting.iter().any(hides) {
            return;
        }
        if next == columns.len() {
            self.attack(target, seen, fitting);
            return;
        }
        // Nothing is seen of the next column …
        self.extend(target, next + 1, seen, fitting);
        if next == target {
            return;
        }
        // … or one observable value of those that the rows show and what is above them.
        let column = &columns[next];
        let mut fits: Vec<(NodeId, usize)> = Vec::new();
        for row in fitting {
            let path = column.path(rows[*row].nodes[next]);
            fits.extend(path.filter(|node| column.is_observable(*node)).map(|node| (node, *row)));
        }
        fits.sort_unstable();
        // Parents are numbered before their children. A value that fits the same rows as the one above it, or as none,
        // says the same.
        let mut sizes: Vec<(NodeId, usize)> = Vec::new();
        for part in fits.chunk_by(|one, other| one.0 == other.0) {
            let Some((node, _)) = part.first() else { continue };
            let above = column.tree.parent(*node).and_then(|parent| {
                let place = sizes.binary_search_by_key(&parent, |(node, _)| *node).ok()?;
                Some(sizes[place].1)
            });
            sizes.push((*node, part.len()));
            if above == Some(part.len()) || part.len() == fitting.len() {
                continue;
            }
            let selected: Vec<usize> = part.iter().map(|(_, row)| *row).collect();
            seen.push((next, *node));
            self.extend(target, next + 1, seen, &selected);
            seen.pop();
        }
    }

    /// Attacks every value of the target column that is not observable, knowing X.
    fn attack(&mut self, target: usize, seen: &[(usize, NodeId)], fitting: &[usize]) {
        let column = &self.columns[target];
        let support: u64 = fitting.iter().map(|row| self.rows[*row].count).sum();
        let mut have: Vec<(NodeId, usize)> = Vec::new();
        for row in fitting {
            let path = column.path(self.rows[*row].nodes[target]);
            have.extend(path.filter(|node| !column.is_observable(*node)).map(|node| (node, *row)));
        }
        have.sort_unstable();
        for having in have.chunk_by(|one, other| one.0 == other.0) {
            let Some((inferred, _)) = having.first().copied() else { continue };
            let hits: u64 = having.iter().map(|(_, row)| self.rows[*row].count).sum();
            let (sensitive, of) = column.sensitivity(inferred);
            self.tried += 1;
            if exceeds((hits, support), (sensitive, of), self.threat) {
                self.breaches += 1;
                having.iter().for_each(|(_, row)| self.exposed[*row] = true);
            }
            let threat = hits as f64 / support as f64 * sensitive as f64 / of as f64;
            if self.worst.as_ref().is_none_or(|(most, _)| *most < threat) {
                let attack = Attack { seen: seen.to_vec(), target, inferred, hits, support };
                self.worst = Some((threat, attack));
            }
        }
    }

    fn describe(&self, threat: f64, attack: &Attack) -> String {
        let label = |(column, node): &(usize, NodeId)| {
            let column = &self.columns[*column];
            format!("{}={}", column.name, column.tree.label(*node))
        };
        let seen: Vec<String> = attack.seen.iter().map(label).collect();
        let (sensitive, of) = self.columns[attack.target].sensitivity(attack.inferred);
        let Attack { hits, support, .. } = attack;
        format!(
            "{{{}}} → {}: {hits} of {support} records, sensitivity {sensitive}/{of}, threat {threat:.4}, at most {}",
            seen.join(", "),
            label(&(attack.target, attack.inferred)),
            self.threat
        )
    }
}

/// hits/support · z/n > threat, without rounding.
fn exceeds((hits, support): (u64, u64), (sensitive, of): (u64, u128), threat: Exact) -> bool {
    let product = |one: u128, two: u128, three: u64| one.checked_mul(two)?.checked_mul(three.into());
    let over = product(hits.into(), sensitive.into(), threat.denominator());
    match (over, product(support.into(), of, threat.numerator())) {
        (Some(over), Some(under)) => over > under,
        _ => {
            let over = BigUint::from(hits) * sensitive * threat.denominator();
            over > BigUint::from(support) * of * threat.numerator()
        }
    }
}

/// Tries all attacks on the released records.
pub(super) fn check(clause: &Clause, facts: &Facts<'_>) -> Result<Check> {
    let (least, threat) = (number(clause, "observable")?, number(clause, "threat")?);
    let columns: Vec<Column> =
        (0..facts.layout.quasi.len()).map(|at| Column::of(facts, at, least)).collect::<Result<_>>()?;
    let rows: Vec<Row> = (facts.classes.cells.ids())
        .map(|class| {
            let cells = facts.classes.cells.get(class).iter().zip(&columns);
            let nodes = cells.map(|(cell, column)| column.nodes[*cell as usize]).collect();
            Row { nodes, count: facts.classes.cells.count(class) }
        })
        .collect();
    let mut attacks = Attacks {
        columns: &columns,
        rows: &rows,
        threat,
        tried: 0,
        breaches: 0,
        exposed: vec![false; rows.len()],
        worst: None,
    };
    let all: Vec<usize> = (0..rows.len()).collect();
    for target in 0..columns.len() {
        attacks.extend(target, 0, &mut Vec::new(), &all);
    }
    let Attacks { tried, breaches, .. } = attacks;
    let detail = match breaches {
        _ if tried == 0 => {
            "no released value is sensitive and hidden from sight, so there is nothing to infer".to_string()
        }
        0 => format!("none of {} exceeds the threshold", counted(tried, "attack", "attacks")),
        _ => format!("{breaches} of {}", counted(tried, "attack is a breach", "attacks are breaches")),
    };
    let mut check = Check::new(clause.describe(&facts.policy.columns), breaches == 0, detail);
    check.worst = attacks.worst.as_ref().map(|(threat, attack)| attacks.describe(*threat, attack));
    for row in rows.iter().zip(&attacks.exposed).filter(|(_, exposed)| **exposed).map(|(row, _)| row) {
        check.concerned += row.count;
        check.classes_failing += 1;
    }
    Ok(check)
}
