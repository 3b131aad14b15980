//! What a requirement asks for, as four numbers: the notions for transactions are all settings of KL(m,n)-privacy.

use super::released::{Knowledge, Released, Sum};
use privet_core::{Error, Exact, Result};
use privet_policy::Clause;
use privet_taxonomy::ItemTree;

/// KL(m,n)-privacy: whoever knows up to `m` nodes present and nodes of up to `n` leaves absent finds no transaction that
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
}

impl Demand {
    /// Reads a requirement; `None` if it is none of those that this audit knows. `items` is the number of leaves of the
    /// tree: knowing that many present and absent is knowing everything.
    pub fn of(clause: &Clause, items: u64, sensitive: &[String]) -> Result<Option<Demand>> {
        let lacks = |key: &str| Error::input(format!("[privacy.{}] lacks '{key}'", clause.name()));
        let count = |key: &str| clause.settings.count(key).ok_or_else(|| lacks(key));
        let exact = |key: &str| clause.settings.exact(key).ok_or_else(|| lacks(key));
        let share = |key: &str| -> Result<Exact> {
            let l = exact(key)?;
            Exact::new(l.denominator(), l.numerator())
                .ok_or_else(|| Error::input(format!("[privacy.{}] has {key} = 0", clause.name())))
        };
        let all = |share: Exact| vec![share; sensitive.len()];
        let (k, m, n, mut theta) = match clause.name() {
            "kl-privacy" => (count("k")?, count("m")?, count("n")?, all(share("l")?)),
            "km-anonymity" => (count("k")?, count("m")?, 0, all(Exact::ONE)),
            "coherence" => (count("k")?, count("p")?, 0, all(exact("h")?)),
            "transactional-k-anonymity" => (count("k")?, items, items, all(Exact::ONE)),
            "privacy-degree" => (1, items, items, all(share("p")?)),
            _ => return Ok(None),
        };
        for (item, own) in clause.settings.thresholds("theta").into_iter().flatten() {
            let mark = sensitive.iter().position(|name| name == item).ok_or_else(|| {
                Error::input(format!(
                    "[privacy.{}] names '{item}', which is no sensitive item",
                    clause.name()
                ))
            })?;
            theta[mark] = *own;
        }
        Ok(Some(Demand { k, m, n, theta }))
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
    pub fn shortened(&self, released: &Released<'_>, mut known: Knowledge) -> Knowledge {
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
    pub fn explain(&self, released: &Released<'_>, known: &Knowledge, sensitive: &[String]) -> String {
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
