//! What the adversary knows, worked out once more: rules mined from the original as they are defined, and stated ones.
//!
//! Every conjunction of nodes, at most one per column, is looked at as long as some value could still be missed in it; a
//! value that a conjunction excludes is excluded for all who satisfy it. Slow, and close to the definition.

use std::collections::{BTreeSet, HashMap};

use super::book::{BucketBook, Person};
use privet_core::{Error, Exact, Result};
use privet_policy::{CheckedPolicy, MiningPolicy, MutedText, RuleText};
use privet_taxonomy::{NodeId, Range, Taxonomy};

/// How near a support may come to its threshold from below.
const TOLERANCE: f64 = 1e-9;

/// The values that are out of the question for people, by their quasi-identifiers.
pub(super) fn excluded(
    policy: &CheckedPolicy,
    book: &BucketBook,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<HashMap<Person, BTreeSet<u32>>> {
    let columns =
        (0..book.places.len()).map(|at| RuleColumn::of(policy, book, at)).collect::<Result<Vec<_>>>()?;
    let mut miner = RuleMiner {
        rows: book.original.iter().map(|((person, value), count)| (person, *value, *count as f64)).collect(),
        book,
        columns,
        thresholds: HashMap::new(),
        found: Vec::new(),
        tested: 0,
    };
    let mut rules = Vec::new();
    if let Some(mining) = &policy.knowledge.mined {
        let expectation = mining.min_expectation;
        let mut risk =
            (expectation.denominator() - expectation.numerator()) as f64 / expectation.denominator() as f64;
        if let Some(significance) = mining.significance {
            miner.mine(mining, risk, tick)?;
            risk = risk.min(significance.to_f64() / miner.tested.max(1) as f64);
        }
        miner.mine(mining, risk, tick)?;
        rules = miner.unmuted(policy);
    }
    rules.extend(policy.knowledge.rules.rules.iter().filter_map(|text| miner.stated(text)));
    let alpha = match &policy.knowledge.mined {
        Some(mining) if mining.min_confidence < Exact::ONE => 0.5,
        _ => 0.0,
    };
    // A person who satisfies a rule belongs to the node of its first item: only such rules are tried on a person.
    let mut by_first: HashMap<(usize, usize), Vec<&ExclusionRule>> = HashMap::new();
    for rule in &rules {
        by_first.entry(rule.items[0]).or_default().push(rule);
    }
    let belonging: Vec<HashMap<u32, Vec<usize>>> =
        miner.columns.iter().map(RuleColumn::nodes_of_texts).collect();
    let mut excluded: HashMap<Person, BTreeSet<u32>> = HashMap::new();
    for person in book.people.keys() {
        tick()?;
        let nodes = belonging.iter().enumerate().flat_map(|(column, nodes)| {
            nodes.get(&person[column]).into_iter().flatten().map(move |node| (column, *node))
        });
        let applying = nodes.filter_map(|item| by_first.get(&item)).flatten().filter(|rule| {
            let degree = miner.degree(&rule.items, person);
            degree > 0.0 && degree >= alpha - TOLERANCE
        });
        excluded.insert(person.clone(), applying.map(|rule| rule.value).collect());
    }
    Ok(excluded)
}

/// A rule: columns by position, each with a node by position in its column.
struct ExclusionRule {
    items: Vec<(usize, usize)>,
    value: u32,
}

/// A column with the nodes of its tree below the root.
struct RuleColumn {
    name: String,
    nodes: Vec<RuleNode>,
}

/// A node with the texts that belong to it, to a degree each.
struct RuleNode {
    label: String,
    /// The node above, unless that is the root.
    parent: Option<usize>,
    members: HashMap<u32, f64>,
}

impl RuleColumn {
    fn of(policy: &CheckedPolicy, book: &BucketBook, at: usize) -> Result<RuleColumn> {
        let column =
            policy.columns.get(book.places[at]).ok_or_else(|| Error::internal("the policy lost a column"))?;
        let texts = &book.quasi[at];
        let mut nodes: Vec<RuleNode> = Vec::new();
        let mut places: HashMap<NodeId, usize> = HashMap::new();
        for (code, text) in (0u32..).zip(texts.texts()) {
            let leaf = match &column.hierarchy {
                Some(tree) => tree.leaf_of(text)?.map(|leaf| (tree, leaf)),
                None => None,
            };
            let Some((tree, leaf)) = leaf else {
                // A column without a hierarchy, or a missing value that its hierarchy does not have: a leaf of its own.
                nodes.push(RuleNode {
                    label: text.to_string(),
                    parent: None,
                    members: HashMap::from([(code, 1.0)]),
                });
                continue;
            };
            let mut path = vec![leaf];
            while let Some(parent) = tree.parent(path[path.len() - 1]).filter(|parent| *parent != tree.root())
            {
                path.push(parent);
            }
            let mut parent = None;
            for node in path.into_iter().rev() {
                let place = *places.entry(node).or_insert_with(|| {
                    nodes.push(RuleNode {
                        label: tree.label(node).to_string(),
                        parent,
                        members: HashMap::new(),
                    });
                    nodes.len() - 1
                });
                nodes[place].members.insert(code, 1.0);
                parent = Some(place);
            }
        }
        if let (Some(tree), Some(spread)) =
            (&column.hierarchy, column.fuzzy_spread.filter(|spread| *spread > Exact::ZERO))
        {
            widen(&mut nodes, tree, texts.texts(), spread.to_f64())?;
        }
        Ok(RuleColumn { name: column.name.clone(), nodes })
    }
}

impl RuleColumn {
    /// The nodes that each text belongs to.
    fn nodes_of_texts(&self) -> HashMap<u32, Vec<usize>> {
        let mut nodes: HashMap<u32, Vec<usize>> = HashMap::new();
        for (at, node) in self.nodes.iter().enumerate() {
            node.members.keys().for_each(|text| nodes.entry(*text).or_default().push(at));
        }
        nodes
    }
}

/// Lets the ranges of inner nodes reach beyond their ends.
fn widen<'a>(
    nodes: &mut [RuleNode],
    tree: &Taxonomy,
    texts: impl Iterator<Item = &'a str>,
    spread: f64,
) -> Result<()> {
    let all = (0..tree.leaves()).filter_map(|leaf| number(tree.label(tree.leaf(leaf))));
    let (least, most) =
        all.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), x| (least.min(x), most.max(x)));
    let mut numbers = Vec::new();
    for text in texts {
        numbers.push(tree.leaf_of(text)?.and_then(|leaf| number(tree.label(leaf))));
    }
    for node in nodes {
        let inner = tree.find(&node.label).is_some_and(|node| !tree.is_leaf(node));
        let Some(range) = Range::parse(&node.label).filter(|_| inner) else { continue };
        let margin = spread * (range.high.min(most) - range.low.max(least)).max(0.0);
        for (code, number) in (0u32..).zip(&numbers) {
            let Some(number) = number else { continue };
            let outside = (range.low - number).max(number - range.high).max(0.0);
            let degree = if outside == 0.0 { 1.0 } else { 1.0 - outside / margin };
            if degree > 0.0 {
                node.members.insert(code, degree);
            } else {
                node.members.remove(&code);
            }
        }
    }
    Ok(())
}

/// The number that a leaf stands for: itself, or the middle of its range.
fn number(label: &str) -> Option<f64> {
    match Range::parse(label) {
        Some(range) if range.low.is_finite() && range.high.is_finite() => {
            Some((range.low + range.high) / 2.0)
        }
        Some(range) => Some(if range.low.is_finite() { range.low } else { range.high }),
        None => label.trim().parse::<f64>().ok().filter(|number| number.is_finite()),
    }
}

struct RuleMiner<'a> {
    rows: Vec<(&'a Person, u32, f64)>,
    book: &'a BucketBook,
    columns: Vec<RuleColumn>,
    /// How many must satisfy a conjunction before a value is missed in it.
    thresholds: HashMap<u32, f64>,
    found: Vec<ExclusionRule>,
    tested: u64,
}

impl RuleMiner<'_> {
    fn mine(&mut self, mining: &MiningPolicy, risk: f64, tick: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.found.clear();
        self.tested = 0;
        let total = self.book.rows as f64;
        let threshold = |count: u64| match risk > 0.0 {
            true => (risk.ln() / (-(count as f64 / total)).ln_1p()).abs(),
            false => f64::INFINITY,
        };
        self.thresholds =
            self.book.value_counts.iter().map(|(value, count)| (*value, threshold(*count))).collect();
        let all: Vec<(u32, f64)> = (0u32..).zip(self.rows.iter().map(|(_, _, count)| *count)).collect();
        self.conjunctions(mining, &mut Vec::new(), 0, &all, tick)
    }

    /// Looks at every conjunction that goes on from the one at hand, which `satisfying` rows satisfy.
    fn conjunctions(
        &mut self,
        mining: &MiningPolicy,
        items: &mut Vec<(usize, usize)>,
        first: usize,
        satisfying: &[(u32, f64)],
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        for column in first..self.columns.len() {
            let mut by_text: HashMap<u32, Vec<(u32, f64)>> = HashMap::new();
            for (row, support) in satisfying {
                by_text.entry(self.rows[*row as usize].0[column]).or_default().push((*row, *support));
            }
            for node in 0..self.columns[column].nodes.len() {
                let members = &self.columns[column].nodes[node].members;
                let mut below: Vec<(u32, f64)> = Vec::new();
                for (text, degree) in members {
                    below.extend(
                        by_text
                            .get(text)
                            .into_iter()
                            .flatten()
                            .map(|(row, support)| (*row, support * degree)),
                    );
                }
                if below.is_empty() {
                    continue;
                }
                // Sums of fractions depend on their order.
                below.sort_unstable_by_key(|(row, _)| *row);
                tick()?;
                items.push((column, node));
                if self.look(mining, items, &below) && items.len() < mining.max_length {
                    self.conjunctions(mining, items, column + 1, &below, tick)?;
                }
                items.pop();
            }
        }
        Ok(())
    }

    /// Finds the rules of one conjunction; says whether a longer one can have any.
    fn look(&mut self, mining: &MiningPolicy, items: &[(usize, usize)], satisfying: &[(u32, f64)]) -> bool {
        let support: f64 = satisfying.iter().map(|(_, support)| support).sum();
        let mut having: HashMap<u32, f64> = HashMap::new();
        for (row, support) in satisfying {
            *having.entry(self.rows[*row as usize].1).or_default() += support;
        }
        let mut open = false;
        let mut values: Vec<(u32, f64)> =
            self.thresholds.iter().map(|(value, least)| (*value, *least)).collect();
        values.sort_unstable_by_key(|(value, _)| *value);
        for (value, least) in values {
            if support < least - TOLERANCE {
                continue;
            }
            open = true;
            self.tested += 1;
            let exceptions = having.get(&value).copied().unwrap_or(0.0);
            if is_rare(exceptions, support, mining.min_confidence) {
                self.found.push(ExclusionRule { items: items.to_vec(), value });
            }
        }
        open
    }

    fn degree(&self, items: &[(usize, usize)], person: &Person) -> f64 {
        let degree = |(column, node): &(usize, usize)| {
            self.columns[*column].nodes[*node].members.get(&person[*column]).copied().unwrap_or(0.0)
        };
        items.iter().map(degree).product()
    }

    fn text(&self, rule: &ExclusionRule) -> RuleText {
        let item = |(column, node): &(usize, usize)| {
            let column = &self.columns[*column];
            (column.name.clone(), column.nodes[*node].label.clone())
        };
        RuleText {
            items: rule.items.iter().map(item).collect(),
            value: self.book.values.text(rule.value).to_string(),
            usually: false,
            line: None,
        }
    }

    /// The mined rules that no muted one implies.
    fn unmuted(&mut self, policy: &CheckedPolicy) -> Vec<ExclusionRule> {
        let found = std::mem::take(&mut self.found);
        let texts = policy.knowledge.rules.muted.iter().flat_map(|muted| match muted {
            MutedText::Rule(text) => vec![text.clone()],
            MutedText::Name(name, _) => {
                found.iter().map(|rule| self.text(rule)).filter(|text| text.name() == *name).collect()
            }
        });
        let muted: Vec<RuleText> = texts.collect();
        let is_muted = |rule: &ExclusionRule| {
            muted.iter().any(|text| {
                text.value == self.book.values.text(rule.value)
                    && text.items.iter().all(|(name, label)| self.is_below(rule, name, label))
            })
        };
        let kept: Vec<bool> = found.iter().map(|rule| !is_muted(rule)).collect();
        found.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(rule, _)| rule).collect()
    }

    /// Whether a rule has an item in this column that is this node or below it.
    fn is_below(&self, rule: &ExclusionRule, name: &str, label: &str) -> bool {
        rule.items.iter().any(|(column, node)| {
            let column = &self.columns[*column];
            let mut up = std::iter::successors(Some(*node), |node| column.nodes[*node].parent);
            column.name == name && up.any(|node| column.nodes[node].label == label)
        })
    }

    /// A stated rule; one about nodes or values that nobody has excludes nothing.
    fn stated(&self, text: &RuleText) -> Option<ExclusionRule> {
        let item = |(name, label): &(String, String)| {
            let column = self.columns.iter().position(|column| column.name == *name)?;
            let node = self.columns[column].nodes.iter().position(|node| node.label == *label)?;
            Some((column, node))
        };
        let items: Option<Vec<(usize, usize)>> = text.items.iter().map(item).collect();
        Some(ExclusionRule { items: items?, value: self.book.values.find(&text.value)? })
    }
}

/// Whether so few of those who satisfy a conjunction have a value that it counts as excluded.
fn is_rare(exceptions: f64, support: f64, confidence: Exact) -> bool {
    if exceptions.fract() == 0.0 && support.fract() == 0.0 {
        let left = exceptions as u128 * u128::from(confidence.denominator());
        return left <= support as u128 * u128::from(confidence.denominator() - confidence.numerator());
    }
    exceptions <= (1.0 - confidence.to_f64()) * support + TOLERANCE
}
