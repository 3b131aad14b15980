//! KL(m,n)-privacy (Liu, 2010): an attacker who knows up to m items that a person's transaction holds and n that it lacks, items
//! of any level of generality, finds no or at least k transactions that fit, and learns no sensitive item with more
//! confidence than 1/l (Definition 4.4, with "at least k").
//!
//! The notions it contains are requirements of their own here, each a setting of its four numbers.

use std::sync::Arc;

use privet_core::{Error, Exact, Result, suggestion};
use privet_policy::requirement::Power;
use privet_policy::{ItemRequirement, TransactionPolicy};
use privet_taxonomy::{ItemTree, Node};

/// Reads all requirements of a policy about the items of a tree.
pub fn requirements(policy: &TransactionPolicy, tree: &ItemTree) -> Result<Vec<KlPrivacy>> {
    let clauses = policy.requirements.iter().enumerate();
    clauses
        .map(|(position, clause)| {
            let read = KlPrivacy::new(clause, tree, &policy.sensitive);
            read.map_err(|error| policy.written.at_requirement(position, error))
        })
        .collect()
}

/// KL(m,n)-privacy with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct KlPrivacy {
    /// The least number of transactions that fit any knowledge which some fit.
    pub k: u64,
    /// How many items the adversary may know to be present.
    pub m: u64,
    /// How many leaves the items may have together that the adversary knows to be absent.
    pub n: u64,
    /// Per sensitive item, by mark, the largest share of fitting transactions that may hold it: 1/l.
    pub theta: Vec<Exact>,
    /// What nodes cost, where they do not all count once; `m` is then the most nodes that anybody can know.
    pub power: Option<NodePrices>,
}

/// What it costs to know of each node, and how much can be spent (thesis, 4.6.1).
#[derive(Debug, Clone, PartialEq)]
pub struct NodePrices {
    prices: Arc<[u64]>,
    budget: u64,
}

impl NodePrices {
    /// Reads a measure; `m` is what can be spent.
    pub fn new(measure: &Power, m: u64, tree: &ItemTree) -> Result<Option<NodePrices>> {
        let weights = match measure {
            Power::Items => return Ok(None),
            Power::Leaves => {
                let prices = tree.nodes().map(|node| u64::from(tree.leaves(node))).collect();
                return Ok(Some(NodePrices { prices, budget: m }));
            }
            Power::Weights(weights) => weights,
        };
        let labels: Vec<&str> = tree.nodes().map(|node| tree.label(node)).collect();
        if let Some(unknown) = weights.keys().find(|label| tree.find(label).is_none()) {
            let wrong = format!("power names '{unknown}', which is not an item or a group of the data");
            return Err(Error::input(wrong).help(suggestion(unknown, &labels, "items and groups")));
        }
        // All over one denominator, so that sums are whole numbers.
        let whole = weights.values().try_fold(1u64, |whole, weight| {
            let part = whole / gcd(whole, weight.denominator());
            part.checked_mul(weight.denominator())
        });
        let scaled =
            |weight: Exact, whole: u64| (whole / weight.denominator()).checked_mul(weight.numerator());
        let read = whole.and_then(|whole| {
            let own = |node: Node| weights.get(tree.label(node)).map(|weight| scaled(*weight, whole));
            let mut prices = vec![0u64; tree.len()];
            // Children come after their parents.
            for node in (0..tree.len() as Node).rev() {
                let below = match tree.is_leaf(node) {
                    true => None,
                    false => tree.children(node).map(|child| prices[child as usize]).min(),
                };
                let own = own(node).map_or(Some(None), |own| own.map(Some))?;
                prices[node as usize] = match (own, below) {
                    (Some(own), Some(below)) => own.min(below),
                    (Some(one), None) | (None, Some(one)) => one,
                    (None, None) => whole,
                };
            }
            prices.iter().try_fold(0u64, |sum, price| sum.checked_add(*price))?;
            Some(NodePrices { prices: prices.into(), budget: m.checked_mul(whole)? })
        });
        let wrong = || Error::input("the weights of 'power' are too fine to be added up exactly");
        read.map(Some).ok_or_else(|| wrong().help("use weights with fewer digits, such as 0.5 or 2"))
    }

    fn reaches(&self, set: &[Node]) -> bool {
        set.iter().map(|node| self.prices[*node as usize]).sum::<u64>() <= self.budget
    }

    fn bounds(&self) -> [u64; 2] {
        let least = self.prices.iter().min().map_or(1, |least| (*least).max(1));
        let most = self.prices.iter().max().map_or(1, |most| (*most).max(1));
        [self.budget / most, self.budget / least]
    }
}

fn gcd(one: u64, other: u64) -> u64 {
    if other == 0 { one.max(1) } else { gcd(other, one % other) }
}

impl KlPrivacy {
    /// Reads a requirement about the items of a tree.
    pub fn new(asked: &ItemRequirement, tree: &ItemTree, sensitive: &[String]) -> Result<KlPrivacy> {
        let items = u64::from(tree.total_leaves());
        let one_in = |l: Exact| {
            let theta = Exact::new(l.denominator(), l.numerator());
            theta.ok_or_else(|| Error::input(format!("l = {l} leaves no confidence at all")))
        };
        let everywhere = |theta: Exact| vec![theta; sensitive.len()];
        let free = everywhere(Exact::ONE);
        let read = match asked {
            ItemRequirement::KmAnonymity(asked) => {
                KlPrivacy { k: asked.k, m: asked.m, n: 0, theta: free, power: None }
            }
            ItemRequirement::Coherence(asked) => {
                KlPrivacy { k: asked.k, m: asked.p, n: 0, theta: everywhere(asked.h), power: None }
            }
            ItemRequirement::TransactionalKAnonymity(asked) => {
                KlPrivacy { k: asked.k, m: items, n: items, theta: free, power: None }
            }
            ItemRequirement::PrivacyDegree(asked) => {
                KlPrivacy { k: 1, m: items, n: items, theta: everywhere(one_in(asked.p)?), power: None }
            }
            ItemRequirement::KlPrivacy(asked) => {
                let base = one_in(asked.l)?;
                let own = |item: &String| asked.theta.get(item).copied().unwrap_or(base);
                let theta = sensitive.iter().map(own).collect();
                let measure = asked.power.as_ref();
                let power =
                    measure.map(|measure| NodePrices::new(measure, asked.m, tree)).transpose()?.flatten();
                let m = power.as_ref().map_or(asked.m, |power| power.bounds()[1]);
                KlPrivacy { k: asked.k, m, n: asked.n, theta, power }
            }
        };
        // Nobody can know of more items than there are.
        Ok(KlPrivacy { m: read.m.min(items), n: read.n.min(items), ..read })
    }

    /// Whether somebody can know all of these nodes to be present.
    pub fn reaches(&self, set: &[Node]) -> bool {
        set.len() as u64 <= self.m && self.power.as_ref().is_none_or(|power| power.reaches(set))
    }

    /// How many nodes somebody can know to be present, whichever they are.
    pub fn surely(&self) -> u64 {
        self.power.as_ref().map_or(self.m, |power| power.bounds()[0].min(self.m))
    }

    /// Whether the second part of the notion asks for anything.
    pub fn guards_marks(&self) -> bool {
        self.theta.iter().any(|theta| *theta < Exact::ONE)
    }

    /// Whether there is a limit on the confidence in a sensitive item.
    pub fn guards(&self, mark: u32) -> bool {
        self.theta[mark as usize] < Exact::ONE
    }

    /// Whether `count` of `support` transactions with a sensitive item are too many: l · count > support.
    pub fn exceeds(&self, mark: u32, count: u64, support: u64) -> bool {
        let theta = self.theta[mark as usize];
        u128::from(count) * u128::from(theta.denominator())
            > u128::from(support) * u128::from(theta.numerator())
    }

    /// Whether knowledge that `support` transactions fit is a threat, where `counts` of them hold each sensitive item
    /// (those with none may be left out).
    pub fn is_threat(&self, support: u64, counts: impl IntoIterator<Item = (u32, u64)>) -> bool {
        support > 0
            && (support < self.k
                || counts.into_iter().any(|(mark, count)| self.exceeds(mark, count, support)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_exact() {
        let theta = vec![Exact::parse("3/10").expect("a number")];
        let kl = KlPrivacy { k: 3, m: 1, n: 0, theta, power: None };
        assert!(kl.is_threat(2, []) && !kl.is_threat(3, []) && !kl.is_threat(0, []));
        assert!(!kl.is_threat(10, [(0, 3)]) && kl.is_threat(10, [(0, 4)]));
        assert!(kl.guards_marks());
    }
}
