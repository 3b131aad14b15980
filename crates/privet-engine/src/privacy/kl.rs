//! KL(m,n)-privacy (Liu, 2010): an attacker who knows up to m items that a person's transaction holds and n that it lacks, items
//! of any level of generality, finds no or at least k transactions that fit, and learns no sensitive item with more
//! confidence than 1/l (Definition 4.4, with "at least k").
//!
//! The notions it contains are requirements of their own here, each a setting of its four numbers.

use privet_core::{Error, Exact, Result};
use privet_policy::{ItemRequirement, TransactionPolicy};

/// Reads all requirements of a policy; `items` is the number of items that the hierarchy knows.
pub fn requirements(policy: &TransactionPolicy, items: u64) -> Result<Vec<KlPrivacy>> {
    let clauses = policy.requirements.iter().enumerate();
    clauses
        .map(|(position, clause)| {
            let read = KlPrivacy::new(clause, items, &policy.sensitive);
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
}

impl KlPrivacy {
    /// Reads a requirement; `items` is the number of items that the hierarchy knows.
    pub fn new(asked: &ItemRequirement, items: u64, sensitive: &[String]) -> Result<KlPrivacy> {
        let one_in = |l: Exact| {
            let theta = Exact::new(l.denominator(), l.numerator());
            theta.ok_or_else(|| Error::input(format!("l = {l} leaves no confidence at all")))
        };
        let everywhere = |theta: Exact| vec![theta; sensitive.len()];
        let free = everywhere(Exact::ONE);
        let read = match asked {
            ItemRequirement::KmAnonymity(asked) => KlPrivacy { k: asked.k, m: asked.m, n: 0, theta: free },
            ItemRequirement::Coherence(asked) => {
                KlPrivacy { k: asked.k, m: asked.p, n: 0, theta: everywhere(asked.h) }
            }
            ItemRequirement::TransactionalKAnonymity(asked) => {
                KlPrivacy { k: asked.k, m: items, n: items, theta: free }
            }
            ItemRequirement::PrivacyDegree(asked) => {
                KlPrivacy { k: 1, m: items, n: items, theta: everywhere(one_in(asked.p)?) }
            }
            ItemRequirement::KlPrivacy(asked) => {
                let base = one_in(asked.l)?;
                let own = |item: &String| asked.theta.get(item).copied().unwrap_or(base);
                let theta = sensitive.iter().map(own).collect();
                KlPrivacy { k: asked.k, m: asked.m, n: asked.n, theta }
            }
        };
        // Nobody can know of more items than there are.
        Ok(KlPrivacy { m: read.m.min(items), n: read.n.min(items), ..read })
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
        let kl = KlPrivacy { k: 3, m: 1, n: 0, theta };
        assert!(kl.is_threat(2, []) && !kl.is_threat(3, []) && !kl.is_threat(0, []));
        assert!(!kl.is_threat(10, [(0, 3)]) && kl.is_threat(10, [(0, 4)]));
        assert!(kl.guards_marks());
    }
}
