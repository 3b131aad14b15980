//! What a requirement asks for, as four numbers: the notions for transactions are all settings of KL(m,n)-privacy.

use super::released::{Knowledge, Sum, TransactionCells};
use privet_core::{Error, Exact, Result};
use privet_policy::ItemRequirement;
use privet_policy::requirement::{
    Coherence, KlPrivacy, KmAnonymity, Power, PrivacyDegree, TransactionalKAnonymity,
};
use privet_taxonomy::{ItemTree, Node};

/// KL(m,n)-privacy: anyone who knows up to `m` nodes present and nodes of up to `n` leaves absent finds no transaction that
/// fits or at least `k`, and no sensitive item in more than its share of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand {
    /// The fewest transactions that fit.
    pub k: u64,
    /// The most nodes known to be present.
    pub m: u64,
    /// The most leaves known to be absent.
    pub n: u64,
    /// Per sensitive item the largest share allowed.
    pub theta: Vec<Exact>,
    /// What it costs to know that a node is present, where that is not 1 for all; `m` is then what can be spent.
    pub costs: Option<KnowledgeCosts>,
}

/// What it costs to know of nodes that they are present, by the `power` of the policy.
#[derive(Debug, Clone, PartialEq)]
pub struct KnowledgeCosts {
    /// Per node, what knowing it costs, in parts of one item.
    of: Vec<u128>,
    /// What can be spent.
    budget: u128,
}

impl KnowledgeCosts {
    /// Reads the measure: a group costs its leaves, or the least of its own weight and those below it.
    fn of(measure: &Power, m: u64, tree: &ItemTree) -> Result<KnowledgeCosts> {
        let cost = |node: Node| match measure {
            Power::Items => Exact::ONE,
            Power::Leaves => Exact::whole(u64::from(tree.leaves(node))),
            Power::Weights(weights) => {
                let below = (node..tree.end(node)).filter_map(|below| {
                    let unsaid = tree.is_leaf(below).then_some(Exact::ONE);
                    weights.get(tree.label(below)).copied().or(unsaid)
                });
                below.min().unwrap_or(Exact::ONE)
            }
        };
        if let Power::Weights(weights) = measure
            && let Some(unknown) = weights.keys().find(|label| tree.find(label).is_none())
        {
            let wrong = format!("power names '{unknown}', which is not an item or a group of the data");
            return Err(Error::input(wrong).help("name items and groups as the hierarchy does"));
        }
        let costs: Vec<Exact> = tree.nodes().map(cost).collect();
        // One item is this many parts: every cost is a whole number of them.
        let mut parts = 1u128;
        for cost in &costs {
            let denominator = u128::from(cost.denominator());
            let (mut one, mut other) = (parts, denominator);
            while other != 0 {
                (one, other) = (other, one % other);
            }
            parts = parts.saturating_mul(denominator / one);
            if parts > 1 << 60 {
                let wrong = Error::input("the weights of 'power' are too fine to be added up exactly");
                return Err(wrong.help("use weights with fewer digits, such as 0.5 or 2"));
            }
        }
        let whole = |cost: &Exact| parts / u128::from(cost.denominator()) * u128::from(cost.numerator());
        Ok(KnowledgeCosts { of: costs.iter().map(whole).collect(), budget: parts * u128::from(m) })
    }

    /// Whether all of these nodes can be known.
    pub(super) fn afford(&self, nodes: &[Node]) -> bool {
        let sum = nodes.iter().fold(0u128, |sum, node| sum.saturating_add(self.of[*node as usize]));
        sum <= self.budget
    }

    /// How many nodes can be known whichever they are.
    fn whichever(&self) -> u64 {
        let costliest = self.of.iter().max().map_or(1, |costliest| (*costliest).max(1));
        u64::try_from(self.budget / costliest).unwrap_or(u64::MAX)
    }
}

impl Demand {
    /// Reads a requirement about the items of a tree: knowing as many present and absent as it has leaves is knowing
    /// everything.
    pub fn of(requirement: &ItemRequirement, tree: &ItemTree, sensitive: &[String]) -> Result<Demand> {
        let items = u64::from(tree.total_leaves());
        let name = requirement.name();
        let share = |l: Exact| {
            Exact::new(l.denominator(), l.numerator())
                .ok_or_else(|| Error::input(format!("[privacy.{name}] leaves no confidence at all: 1/{l}")))
        };
        let all = |share: Exact| vec![share; sensitive.len()];
        Ok(match requirement {
            ItemRequirement::KlPrivacy(KlPrivacy { k, l, m, n, theta: own, power }) => {
                let mut theta = all(share(*l)?);
                for (item, own) in own {
                    let mark = sensitive.iter().position(|name| name == item).ok_or_else(|| {
                        Error::input(format!(
                            "[privacy.{name}] names '{item}', which is not a sensitive item"
                        ))
                    })?;
                    theta[mark] = *own;
                }
                let measured = power.as_ref().filter(|measure| **measure != Power::Items);
                let costs = measured.map(|measure| KnowledgeCosts::of(measure, *m, tree)).transpose()?;
                Demand { k: *k, m: *m, n: *n, theta, costs }
            }
            ItemRequirement::KmAnonymity(KmAnonymity { k, m }) => {
                Demand { k: *k, m: *m, n: 0, theta: all(Exact::ONE), costs: None }
            }
            ItemRequirement::Coherence(Coherence { h, k, p }) => {
                Demand { k: *k, m: *p, n: 0, theta: all(*h), costs: None }
            }
            ItemRequirement::TransactionalKAnonymity(TransactionalKAnonymity { k }) => {
                Demand { k: *k, m: items, n: items, theta: all(Exact::ONE), costs: None }
            }
            ItemRequirement::PrivacyDegree(PrivacyDegree { p }) => {
                Demand { k: 1, m: items, n: items, theta: all(share(*p)?), costs: None }
            }
        })
    }

    /// The same for attackers who know as many nodes as all can be known, whatever they cost: never more than is promised.
    pub fn by_number(self) -> Demand {
        match &self.costs {
            Some(costs) => Demand { m: costs.whichever(), costs: None, ..self },
            None => self,
        }
    }

    /// Whether `count` of `weight` transactions with a sensitive item are too many.
    pub fn exceeds(&self, mark: u32, count: u64, weight: u64) -> bool {
        let theta = self.theta[mark as usize];
        u128::from(count) * u128::from(theta.denominator())
            > u128::from(weight) * u128::from(theta.numerator())
    }

    /// The sensitive item of which these transactions have too many.
    pub fn revealed(&self, counts: &[u64], weight: u64) -> Option<u32> {
        (0u32..).zip(counts).find(|(mark, count)| self.exceeds(*mark, **count, weight)).map(|(mark, _)| mark)
    }

    /// Whether knowledge that these transactions fit is a threat.
    pub fn is_threat(&self, sum: &Sum) -> bool {
        sum.weight > 0 && (sum.weight < self.k || self.revealed(&sum.marks, sum.weight).is_some())
    }

    /// Leaves out of a threat what it does not need, so that people can read it.
    pub fn shortened(&self, released: &TransactionCells<'_>, mut known: Knowledge) -> Knowledge {
        let still = |known: &Knowledge| self.is_threat(&released.sum(released.fitting(known)));
        for node in known.absent.clone() {
            let mut shorter = known.clone();
            shorter.absent.retain(|other| *other != node);
            if still(&shorter) {
                known = shorter;
            }
        }
        for node in known.present.clone() {
            let mut shorter = known.clone();
            shorter.present.retain(|other| *other != node);
            if still(&shorter) {
                known = shorter;
            }
        }
        known
    }

    /// A threat in words: what is known, and what follows from it.
    pub fn explain(
        &self,
        released: &TransactionCells<'_>,
        known: &Knowledge,
        sensitive: &[String],
    ) -> String {
        let sum = released.sum(released.fitting(known));
        let (weight, known) = (sum.weight, known.in_words(released.tree));
        let fit =
            if weight == 1 { "1 transaction fits".into() } else { format!("{weight} transactions fit") };
        match self.revealed(&sum.marks, sum.weight).filter(|_| weight >= self.k) {
            Some(mark) => {
                let (name, count) = (&sensitive[mark as usize], sum.marks[mark as usize]);
                let most = self.theta[mark as usize];
                format!("{known}: {fit}, {count} of them with '{name}'; at most the share {most} may be")
            }
            None => format!("{known}: {fit}, k = {}", self.k),
        }
    }
}

impl Knowledge {
    /// The knowledge as a person would say it: `knowing Milk and Bread, not Wine`.
    pub(super) fn in_words(&self, tree: &ItemTree) -> String {
        let list = |nodes: &[u32], link: &str| {
            let labels: Vec<&str> = nodes.iter().map(|node| tree.label(*node)).collect();
            match labels.split_last() {
                Some((last, [])) => last.to_string(),
                Some((last, others)) => format!("{} {link} {last}", others.join(", ")),
                None => String::new(),
            }
        };
        match (&self.present[..], &self.absent[..]) {
            ([], []) => "knowing nothing".into(),
            (present, []) => format!("knowing {}", list(present, "and")),
            ([], absent) => format!("knowing that {} is not there", list(absent, "or")),
            (present, absent) => format!("knowing {}, not {}", list(present, "and"), list(absent, "or")),
        }
    }
}
