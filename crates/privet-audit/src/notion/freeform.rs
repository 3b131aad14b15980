//! FF-anonymity: no attack X → a has a threat P(a|X)·s(a) above the threshold.
//!
//! All attacks are tried, one after the other, as Definitions 3.1 to 3.4 have them: every choice of at most one observable
//! value per column, out of the values that the release shows and those above them, against every value of another column
//! that is not observable. What such a choice says is counted on the released records that fit it.
//!
//! A released range that is not a label is a value of its own: it is judged by the leaves that it covers.

mod mixed;

use hashbrown::HashMap;
use num_bigint::BigUint;

use self::mixed::{BigFraction, count_leaves, degree, degrees};
pub use self::mixed::{MixedNode, mixed_nodes};
use super::super::Check;
use super::super::cover::{number_of, value_tree};
use super::Facts;
use privet_core::counted;
use privet_core::{Error, Exact, Result};
use privet_policy::SensitivityModel;
use privet_policy::requirement::FfAnonymity;
use privet_taxonomy::{NodeId, Range, Taxonomy};

/// A value that a released cell says, or that is above one: a node of the tree, by its number, or a set of leaves that is no
/// node, numbered behind them.
type Value = usize;

/// A mixed column of the release.
struct MixedValues {
    name: String,
    tree: Taxonomy,
    /// The sets of leaves that released cells cover and that are no node: the cell, and the leaves in rising order.
    spans: Vec<(String, Runs)>,
    /// For each released cell, by number, the values that it says: its own, and all that cover the same leaves and more.
    says: Vec<Vec<Value>>,
    /// By value, how many leaves it covers and how many of these are sensitive.
    leaves: Vec<(u64, u64)>,
    model: SensitivityModel,
    observable: Vec<bool>,
}

impl MixedValues {
    fn of(facts: &Facts<'_>, at: usize, least: Exact) -> Result<MixedValues> {
        let lost = || Error::internal("the policy lost a mixed column");
        let place = facts.layout.quasi.get(at).ok_or_else(lost)?;
        let column = facts.policy.columns.get(place.original).ok_or_else(lost)?;
        let mixed = column.mixed.as_ref().ok_or_else(lost)?;
        let tree = value_tree(facts.policy, column)?.ok_or_else(lost)?;
        let cells = &facts.tables.release.quasi[at];
        let values: Vec<&str> = facts.tables.original.quasi[at].texts().collect();
        let mut spans: Vec<(String, Runs)> = Vec::new();
        let mut known: HashMap<Runs, usize> = HashMap::new();
        let mut own = Vec::new();
        for cell in cells.texts() {
            (facts.watch)()?;
            own.push(match read_as(cell, &tree, &values)? {
                CellMeaning::Node(node) => node.0 as usize,
                CellMeaning::Leaves(runs) => {
                    let place = *known.entry(runs).or_insert_with_key(|runs| {
                        spans.push((cell.to_string(), runs.clone()));
                        spans.len() - 1
                    });
                    tree.len() + place
                }
            });
        }
        let mut leaves = count_leaves(&tree, mixed);
        let mut degrees = degrees(&tree, mixed, &leaves);
        // How many of the leaves before each are sensitive.
        let mut before = vec![0; tree.leaves() + 1];
        for leaf in 0..tree.leaves() {
            before[leaf + 1] = before[leaf] + leaves[tree.leaf(leaf).0 as usize].1;
        }
        for (_, span) in &spans {
            (facts.watch)()?;
            let below = parts(&tree, span);
            let sensitive = span.iter().map(|run| before[run.end] - before[run.start]).sum();
            let counts = (span.iter().map(|run| run.len() as u64).sum(), sensitive);
            degrees.push(degree(mixed, counts, below.map(|node| &degrees[node.0 as usize])));
            leaves.push(counts);
        }
        let least = BigFraction::of(least);
        let is_root = |value: Value| value == tree.root().0 as usize;
        let observable = (0..leaves.len()).map(|value| is_root(value) || !degrees[value].is_below(&least));
        let observable = observable.collect();
        let says = own.iter().map(|value| said(&tree, &spans, *value)).collect();
        let name = column.name.clone();
        Ok(MixedValues { name, tree, spans, says, leaves, model: mixed.sensitivity, observable })
    }

    fn is_observable(&self, value: Value) -> bool {
        self.observable[value]
    }

    /// s(a) as a fraction: z/n, or z/n².
    fn sensitivity(&self, value: Value) -> (u64, u128) {
        let (all, sensitive) = self.leaves[value];
        match self.model {
            SensitivityModel::Aggregate => (sensitive, u128::from(all)),
            SensitivityModel::NonAggregate => (sensitive, u128::from(all) * u128::from(all)),
        }
    }

    /// The value above, where it is a node that has one.
    fn above(&self, value: Value) -> Option<Value> {
        let node = u32::try_from(value).ok().filter(|_| value < self.tree.len())?;
        self.tree.parent(NodeId(node)).map(|parent| parent.0 as usize)
    }

    fn label(&self, value: Value) -> &str {
        match value.checked_sub(self.tree.len()) {
            Some(span) => &self.spans[span].0,
            None => self.tree.label(NodeId(value as u32)),
        }
    }
}

/// What a released cell stands for.
#[derive(PartialEq, Eq, Hash)]
pub enum CellMeaning {
    Node(NodeId),
    /// Leaves that are not just those below a node.
    Leaves(Runs),
}

/// Leaves, as ranges of their positions: in rising order, with a gap between any two.
type Runs = Vec<std::ops::Range<usize>>;

/// Leaves in rising order, as ranges.
fn runs(leaves: &[usize]) -> Runs {
    let runs = leaves.chunk_by(|one, other| one + 1 == *other);
    runs.filter_map(|run| Some(*run.first()?..run.last()? + 1)).collect()
}

/// Whether a range of leaves lies within one of the ranges.
fn holds(runs: &[std::ops::Range<usize>], part: &std::ops::Range<usize>) -> bool {
    let behind = runs.partition_point(|run| run.start <= part.start);
    behind.checked_sub(1).is_some_and(|at| runs[at].end >= part.end)
}

/// What a released cell stands for: its label's node, its value's leaf, everything for `*`, or the leaves in the range that it
/// spells. A range need not be a label: anyone who reads it knows more than the next label above would say.
pub fn read_as(cell: &str, tree: &Taxonomy, values: &[&str]) -> Result<CellMeaning> {
    if let Some(node) = tree.find(cell) {
        return Ok(CellMeaning::Node(node));
    }
    if let Some(leaf) = tree.leaf_of(cell)? {
        return Ok(CellMeaning::Node(leaf));
    }
    let Some(range) = Range::parse(cell) else { return Ok(CellMeaning::Node(tree.root())) };
    let label = |leaf: &usize| tree.label(tree.leaf(*leaf));
    let mut leaves: Vec<usize> = (0..tree.leaves()).filter(|leaf| meets(&range, label(leaf))).collect();
    for value in values.iter().filter(|value| number_of(value).is_some_and(|number| range.holds(number))) {
        leaves.extend(tree.leaf_of(value)?.map(|leaf| tree.leaves_below(leaf).start));
    }
    leaves.sort_unstable();
    leaves.dedup();
    let (Some(first), Some(last)) = (leaves.first(), leaves.last()) else {
        return Ok(CellMeaning::Node(tree.root()));
    };
    let above = tree.lowest_above(*first, *last);
    let whole = tree.leaves_below(above).len() == leaves.len();
    Ok(if whole { CellMeaning::Node(above) } else { CellMeaning::Leaves(runs(&leaves)) })
}

/// Whether a leaf is a number in the range, or a range that shares numbers with it.
fn meets(range: &Range, leaf: &str) -> bool {
    if let Some(number) = number_of(leaf) {
        return range.holds(number);
    }
    let Some(other) = Range::parse(leaf) else { return false };
    let begins_before_end = |one: &Range, other: &Range| {
        one.low < other.high || one.low == other.high && one.low_closed && other.high_closed
    };
    begins_before_end(range, &other) && begins_before_end(&other, range)
}

/// The highest nodes below which all leaves are in the set.
fn parts<'t>(tree: &'t Taxonomy, span: &'t Runs) -> impl Iterator<Item = NodeId> + 't {
    let inside = |node: NodeId| holds(span, &tree.leaves_below(node));
    tree.nodes().filter(move |node| inside(*node) && !tree.parent(*node).is_some_and(inside))
}

/// All values that somebody knows who knows this one, in rising order: those that cover all its leaves.
fn said(tree: &Taxonomy, spans: &[(String, Runs)], value: Value) -> Vec<Value> {
    let (lowest, leaves): (NodeId, Runs) = match value.checked_sub(tree.len()) {
        Some(span) => {
            let leaves = spans[span].1.clone();
            let ends = leaves.first().zip(leaves.last()).map(|(first, last)| (first.start, last.end - 1));
            (ends.map_or(tree.root(), |(first, last)| tree.lowest_above(first, last)), leaves)
        }
        None => (NodeId(value as u32), vec![tree.leaves_below(NodeId(value as u32))]),
    };
    let path = std::iter::successors(Some(lowest), |node| tree.parent(*node)).map(|node| node.0 as usize);
    let covers = |span: &Runs| leaves.iter().all(|run| holds(span, run));
    let wider = (0..spans.len()).filter(|span| covers(&spans[*span].1)).map(|span| tree.len() + span);
    let mut said: Vec<Value> = path.chain(wider).collect();
    said.sort_unstable();
    said
}

/// A released record, as often as it occurs.
struct ReleasedRow {
    /// Its cell in each column, by number.
    cells: Vec<u32>,
    count: u64,
}

/// An attack with what came of it.
struct FreeformAttack {
    seen: Vec<(usize, Value)>,
    target: usize,
    inferred: Value,
    hits: u64,
    support: u64,
}

/// The enumeration of all attacks.
struct AttackSearch<'a> {
    columns: &'a [MixedValues],
    rows: &'a [ReleasedRow],
    threat: Exact,
    tried: u64,
    breaches: u64,
    /// Whether each row is told something by a breach that is true of it.
    exposed: Vec<bool>,
    worst: Option<(f64, FreeformAttack)>,
}

impl AttackSearch<'_> {
    /// Tries every X that extends `seen` by columns from `next` on, against every value of the target column. `fitting`
    /// are the rows that X fits.
    fn extend(&mut self, target: usize, next: usize, seen: &mut Vec<(usize, Value)>, fitting: &[usize]) {
        let (columns, rows) = (self.columns, self.rows);
        let hides = |row: &usize| {
            let column = &columns[target];
            column.says[rows[*row].cells[target] as usize]
                .iter()
                .any(|value| !column.is_observable(*value) && column.sensitivity(*value).0 > 0)
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
        let mut fits: Vec<(Value, usize)> = Vec::new();
        for row in fitting {
            let said = column.says[rows[*row].cells[next] as usize].iter();
            fits.extend(said.filter(|value| column.is_observable(**value)).map(|value| (*value, *row)));
        }
        fits.sort_unstable();
        // Parents are numbered before their children. A value that fits the same rows as the one above it, or as none,
        // says the same.
        let mut sizes: Vec<(Value, usize)> = Vec::new();
        for part in fits.chunk_by(|one, other| one.0 == other.0) {
            let Some((value, _)) = part.first() else { continue };
            let above = column.above(*value).and_then(|above| {
                let place = sizes.binary_search_by_key(&above, |(value, _)| *value).ok()?;
                Some(sizes[place].1)
            });
            sizes.push((*value, part.len()));
            if above == Some(part.len()) || part.len() == fitting.len() {
                continue;
            }
            let selected: Vec<usize> = part.iter().map(|(_, row)| *row).collect();
            seen.push((next, *value));
            self.extend(target, next + 1, seen, &selected);
            seen.pop();
        }
    }

    /// Attacks every value of the target column that is not observable, knowing X.
    fn attack(&mut self, target: usize, seen: &[(usize, Value)], fitting: &[usize]) {
        let column = &self.columns[target];
        let support: u64 = fitting.iter().map(|row| self.rows[*row].count).sum();
        let mut have: Vec<(Value, usize)> = Vec::new();
        for row in fitting {
            let said = column.says[self.rows[*row].cells[target] as usize].iter();
            have.extend(said.filter(|value| !column.is_observable(**value)).map(|value| (*value, *row)));
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
                let attack = FreeformAttack { seen: seen.to_vec(), target, inferred, hits, support };
                self.worst = Some((threat, attack));
            }
        }
    }

    fn describe(&self, threat: f64, attack: &FreeformAttack) -> String {
        let label = |(column, value): &(usize, Value)| {
            let column = &self.columns[*column];
            format!("{}={}", column.name, column.label(*value))
        };
        let seen: Vec<String> = attack.seen.iter().map(label).collect();
        let (sensitive, of) = self.columns[attack.target].sensitivity(attack.inferred);
        let FreeformAttack { hits, support, .. } = attack;
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
pub(super) fn check(asked: &FfAnonymity, name: String, facts: &Facts<'_>) -> Result<Check> {
    let (least, threat) = (asked.observable, asked.threat);
    let columns: Vec<MixedValues> =
        (0..facts.layout.quasi.len()).map(|at| MixedValues::of(facts, at, least)).collect::<Result<_>>()?;
    let rows: Vec<ReleasedRow> = (facts.classes.cells.ids())
        .map(|class| {
            let cells = facts.classes.cells.get(class).to_vec();
            ReleasedRow { cells, count: facts.classes.cells.count(class) }
        })
        .collect();
    let mut attacks = AttackSearch {
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
    let AttackSearch { tried, breaches, .. } = attacks;
    let detail = match breaches {
        _ if tried == 0 => {
            "no released value is sensitive and hidden from sight, so there is nothing to infer".to_string()
        }
        0 => format!("none of {} exceeds the threshold", counted(tried, "attack", "attacks")),
        _ => format!("{breaches} of {}", counted(tried, "attack is a breach", "attacks are breaches")),
    };
    let mut check = Check::new(name, breaches == 0, detail);
    check.worst = attacks.worst.as_ref().map(|(threat, attack)| attacks.describe(*threat, attack));
    for row in rows.iter().zip(&attacks.exposed).filter(|(_, exposed)| **exposed).map(|(row, _)| row) {
        check.concerned += row.count;
        check.classes_failing += 1;
    }
    Ok(check)
}
