//! KL(m,n)-privacy (Liu, 2010): whoever knows up to m items that a person's transaction holds and n that it lacks, items
//! of any level of generality, finds no or at least k transactions that fit, and learns no sensitive item with more
//! confidence than 1/l (Definition 4.4, with "at least k").
//!
//! The notions it contains are requirements of their own here, each a setting of its four numbers.

use super::given;
use crate::error::suggestion;
use crate::policy::{Clause, Declaration, Key, KeyKind, Subject, TransactionPolicy};
use crate::{Error, Exact, Result};

/// The requirements for transactions that this build knows.
pub static DECLARATIONS: &[&Declaration] =
    &[&KL_PRIVACY, &KM_ANONYMITY, &COHERENCE, &TRANSACTIONAL_K_ANONYMITY, &PRIVACY_DEGREE];

const K: Key = Key::required(
    "k",
    KeyKind::Count(1),
    "the least number of transactions that fit what is known, as in k = 5; 1 asks for nothing",
);

static KL_PRIVACY: Declaration = Declaration {
    subject: Subject::Classes,
    accepts: &[],
    name: "kl-privacy",
    summary: "knowing m items present and n absent points at k transactions or more, and tells no sensitive item",
    help: "An adversary knows at most m items (or groups of items) that a person's transaction holds, and items with at \
           most n leaves that it does not hold. Whatever they are, no transaction or at least k fit, and of those that \
           fit at most the share 1/l holds any one sensitive item. k = 1 switches the first part off, l = 1 the second.",
    keys: &[
        K,
        Key::with_default(
            "l",
            KeyKind::Exact("1", ""),
            "1",
            "no sensitive item is surer than 1/l, as in l = 5 or \"10/3\"",
        ),
        Key::required(
            "m",
            KeyKind::Count(0),
            "how many items the adversary knows to be present, as in m = 3",
        ),
        Key::with_default("n", KeyKind::Count(0), "0", "how many items the adversary knows to be absent"),
        Key::optional(
            "theta",
            KeyKind::Thresholds("0", "1"),
            "the confidence allowed in single sensitive items, as in theta = { \"HIV test\" = \"1/10\" }",
        ),
    ],
};

static KM_ANONYMITY: Declaration = Declaration {
    subject: Subject::Classes,
    accepts: &[],
    name: "km-anonymity",
    summary: "knowing up to m items points at k transactions or more",
    help: "k^m-anonymity (Terrovitis, Mamoulis and Kalnis, 2008): every combination of up to m items that occurs, occurs in \
           at least k transactions. It is kl-privacy with l = 1 and n = 0: nothing is said about sensitive items or about \
           knowing what somebody did not buy.",
    keys: &[K, Key::required("m", KeyKind::Count(1), "how many items the adversary knows, as in m = 3")],
};

static COHERENCE: Declaration = Declaration {
    subject: Subject::Classes,
    accepts: &[],
    name: "coherence",
    summary: "knowing up to p items points at k transactions or more, and at no sensitive item with confidence above h",
    help: "(h,k,p)-coherence (Xu et al., 2008) over the items and all groups above them: kl-privacy with 1/l = h, m = p and \
           n = 0. Where h is below 1 and the hierarchy has inner nodes this asks for more than the original notion, which \
           looks at single items only.",
    keys: &[
        Key::required(
            "h",
            KeyKind::Exact("0", "1"),
            "the largest confidence in a sensitive item, as in h = \"40%\"",
        ),
        K,
        Key::required("p", KeyKind::Count(0), "how many items the adversary knows, as in p = 2"),
    ],
};

static TRANSACTIONAL_K_ANONYMITY: Declaration = Declaration {
    subject: Subject::Classes,
    accepts: &[],
    name: "transactional-k-anonymity",
    summary: "every released transaction looks like at least k - 1 others",
    help: "Transactional k-anonymity (He and Naughton, 2009): whoever knows all that a transaction holds and all that it \
           lacks still finds k. It is kl-privacy with l = 1 and m = n = the number of items.",
    keys: &[K],
};

static PRIVACY_DEGREE: Declaration = Declaration {
    subject: Subject::Classes,
    accepts: &[],
    name: "privacy-degree",
    summary: "among transactions that look alike, no sensitive item is surer than 1/p",
    help: "Privacy degree p (Ghinita, Tao and Kalnis, 2008): kl-privacy with k = 1, l = p and m = n = the number of items.",
    keys: &[Key::required("p", KeyKind::Exact("1", ""), "no sensitive item is surer than 1/p, as in p = 5")],
};

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
    pub fn new(clause: &Clause, items: u64, sensitive: &[String]) -> Result<KlPrivacy> {
        let count = |key| given(clause.settings.count(key), clause, key);
        let exact = |key| given(clause.settings.exact(key), clause, key);
        let one_in = |l: Exact| {
            let theta = Exact::new(l.denominator(), l.numerator());
            theta.ok_or_else(|| Error::input(format!("l = {l} leaves no confidence at all")))
        };
        let everywhere = |theta: Exact| vec![theta; sensitive.len()];
        let free = everywhere(Exact::ONE);
        let read = match clause.name() {
            "km-anonymity" => KlPrivacy { k: count("k")?, m: count("m")?, n: 0, theta: free },
            "coherence" => KlPrivacy { k: count("k")?, m: count("p")?, n: 0, theta: everywhere(exact("h")?) },
            "transactional-k-anonymity" => KlPrivacy { k: count("k")?, m: items, n: items, theta: free },
            "privacy-degree" => {
                KlPrivacy { k: 1, m: items, n: items, theta: everywhere(one_in(exact("p")?)?) }
            }
            _ => {
                let mut theta = everywhere(one_in(exact("l")?)?);
                let names: Vec<&str> = sensitive.iter().map(String::as_str).collect();
                for (item, own) in clause.settings.thresholds("theta").into_iter().flatten() {
                    let mark = sensitive.iter().position(|name| name == item).ok_or_else(|| {
                        Error::input(format!("theta names '{item}', which is no sensitive item"))
                            .help(suggestion(item, &names, "sensitive items"))
                    })?;
                    theta[mark] = *own;
                }
                KlPrivacy { k: count("k")?, m: count("m")?, n: count("n")?, theta }
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
