//! KL(m, n)-privacy and the notions for sets of items that it contains.

use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::clause;
use privet_core::{Error, Exact, Result, suggestion};
use std::collections::BTreeMap;

clause! {
    /// KL(m, n)-privacy.
    pub struct KlPrivacy {
        /// The least number of transactions that fit what is known.
        pub k: u64,
        /// No sensitive item is more certain than one in this many.
        pub l: Exact,
        /// How many items may be known to be present.
        pub m: u64,
        /// How many items may be known to be absent.
        pub n: u64,
        /// The confidence allowed in single sensitive items.
        pub theta: BTreeMap<String, Exact>,
    }
}

impl KlPrivacy {
    /// Refuses thresholds of what is not sensitive.
    pub(crate) fn check(&self, sensitive: &[String]) -> Result<()> {
        let Some(item) = self.theta.keys().find(|item| !sensitive.contains(item)) else { return Ok(()) };
        let names: Vec<&str> = sensitive.iter().map(String::as_str).collect();
        Err(Error::input(format!("theta names '{item}', which is not a sensitive item")).help(suggestion(
            item,
            &names,
            "sensitive items",
        )))
    }
}

clause! {
    /// k^m-anonymity.
    pub struct KmAnonymity {
        /// The least number of transactions that fit what is known.
        pub k: u64,
        /// How many items may be known.
        pub m: u64,
    }
}

clause! {
    /// (h, k, p)-coherence.
    pub struct Coherence {
        /// The largest confidence in a sensitive item.
        pub h: Exact,
        /// The least number of transactions that fit what is known.
        pub k: u64,
        /// How many items may be known.
        pub p: u64,
    }
}

clause! {
    /// Transactional k-anonymity.
    pub struct TransactionalKAnonymity {
        /// How many transactions look alike at least.
        pub k: u64,
    }
}

clause! {
    /// Privacy degree.
    pub struct PrivacyDegree {
        /// No sensitive item is more certain than one in this many.
        pub p: Exact,
    }
}

/// The requirements for transactions that this build knows.
pub(crate) const K: Key = Key::required(
    "k",
    KeyKind::Count(1),
    "the least number of transactions that fit what is known, as in k = 5; 1 asks for nothing",
);

/// `[privacy.kl-privacy]`.
pub static KL_PRIVACY: Declaration = Declaration {
    publishes: ReleaseKind::Transactions,
    role: None,
    accepts: &[],
    name: "kl-privacy",
    source: "J. Liu: Enhancing Utility in Privacy Preserving Data Publishing. PhD thesis, Simon Fraser University, 2010",
    summary: "knowing m items present and n absent points at k transactions or more, and reveals no sensitive item",
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

/// `[privacy.km-anonymity]`.
pub static KM_ANONYMITY: Declaration = Declaration {
    publishes: ReleaseKind::Transactions,
    role: None,
    accepts: &[],
    name: "km-anonymity",
    source: "M. Terrovitis, N. Mamoulis, P. Kalnis: Privacy-Preserving Anonymization of Set-Valued Data. VLDB 2008",
    summary: "knowing up to m items points at k transactions or more",
    help: "k^m-anonymity (Terrovitis, Mamoulis and Kalnis, 2008): every combination of up to m items that occurs, occurs in \
           at least k transactions. It is kl-privacy with l = 1 and n = 0: nothing is said about sensitive items or about \
           knowing what somebody did not buy.",
    keys: &[K, Key::required("m", KeyKind::Count(1), "how many items the adversary knows, as in m = 3")],
};

/// `[privacy.coherence]`.
pub static COHERENCE: Declaration = Declaration {
    publishes: ReleaseKind::Transactions,
    role: None,
    accepts: &[],
    name: "coherence",
    source: "Y. Xu, K. Wang, A. Fu, P. Yu: Anonymizing Transaction Databases for Publication. KDD 2008",
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

/// `[privacy.transactional-k-anonymity]`.
pub static TRANSACTIONAL_K_ANONYMITY: Declaration = Declaration {
    publishes: ReleaseKind::Transactions,
    role: None,
    accepts: &[],
    name: "transactional-k-anonymity",
    source: "Y. He, J. Naughton: Anonymization of Set-Valued Data via Top-Down, Local Generalization. VLDB 2009",
    summary: "every released transaction looks like at least k - 1 others",
    help: "Transactional k-anonymity (He and Naughton, 2009): an attacker who knows all that a transaction holds and all that it \
           lacks still finds k. It is kl-privacy with l = 1 and m = n = the number of items.",
    keys: &[K],
};

/// `[privacy.privacy-degree]`.
pub static PRIVACY_DEGREE: Declaration = Declaration {
    publishes: ReleaseKind::Transactions,
    role: None,
    accepts: &[],
    name: "privacy-degree",
    source: "G. Ghinita, Y. Tao, P. Kalnis: On the Anonymization of Sparse High-Dimensional Data. ICDE 2008",
    summary: "among transactions that look alike, no sensitive item is surer than 1/p",
    help: "Privacy degree p (Ghinita, Tao and Kalnis, 2008): kl-privacy with k = 1, l = p and m = n = the number of items.",
    keys: &[Key::required("p", KeyKind::Exact("1", ""), "no sensitive item is surer than 1/p, as in p = 5")],
};
