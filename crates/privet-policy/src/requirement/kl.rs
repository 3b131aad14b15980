//! KL(m, n)-privacy and the notions for sets of items that it contains.

use crate::check::{PolicyColumn, Role};
use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::settings::Setting;
use crate::typed::{Value, clause};
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
        /// What each item or group counts of the m that may be known; one each where nothing is said.
        pub power: Option<Power>,
    }
}

/// A measure of what an adversary knows to be present (thesis, 4.6.1). What is known costs the sum of its items, so that
/// fewer of them never cost more. Along the hierarchy only weights keep to that: a group of leaves costs more than one of them.
#[derive(Debug, Clone, PartialEq)]
pub enum Power {
    /// An item or a group counts once.
    Items,
    /// A group counts as many times as it has leaves.
    Leaves,
    /// An item counts its weight, 1 where it has none, and a group the least of the items below it.
    Weights(BTreeMap<String, Exact>),
}

impl Power {
    /// Its words in a policy; weights are a table.
    pub const WORDS: &'static [&'static str] = &["items", "leaves"];
}

impl Value for Power {
    fn read(setting: Option<&Setting>) -> Option<Power> {
        match setting {
            Some(Setting::Choice("items")) => Some(Power::Items),
            Some(Setting::Choice("leaves")) => Some(Power::Leaves),
            Some(Setting::Thresholds(weights)) => Some(Power::Weights(weights.clone())),
            _ => None,
        }
    }

    fn written(&self) -> Option<Setting> {
        Some(match self {
            Power::Items => Setting::Choice("items"),
            Power::Leaves => Setting::Choice("leaves"),
            Power::Weights(weights) => Setting::Thresholds(weights.clone()),
        })
    }
}

impl KlPrivacy {
    /// Refuses thresholds of what is not sensitive, and absences next to another measure of power.
    pub(crate) fn check(&self, sensitive: &[String]) -> Result<()> {
        known_items(&self.theta, sensitive)?;
        if self.measured().is_some() && self.n > 0 {
            let wrong = "'power' says what an item costs that is known to be present, but n lets absences be known too";
            return Err(Error::input(wrong).help("set n = 0, or remove 'power'"));
        }
        Ok(())
    }

    /// How items are measured, where they do not all count once.
    pub fn measured(&self) -> Option<&Power> {
        self.power.as_ref().filter(|power| **power != Power::Items)
    }
}

clause! {
    /// KL(m, 0)-privacy of a column of sets, in every class of the quasi-identifiers.
    pub struct KlOfSets {
        /// The column's position in the data.
        pub column: usize,
        /// The least number of records of a class that fit what is known.
        pub k: u64,
        /// No sensitive item is more certain than one in this many.
        pub l: Exact,
        /// How many items may be known to be present.
        pub m: u64,
        /// The confidence allowed in single sensitive items.
        pub theta: BTreeMap<String, Exact>,
    }
}

impl KlOfSets {
    /// More known items than this make more combinations than anybody would wait for.
    pub const MOST_KNOWN: u64 = 4;

    /// Refuses what the column does not have, and more known items than are counted.
    pub(crate) fn check(&self, columns: &[PolicyColumn]) -> Result<()> {
        let column = columns.get(self.column).and_then(|column| column.items.as_ref());
        let sensitive = column.map_or(&[][..], |column| column.sensitive.as_slice());
        known_items(&self.theta, sensitive)?;
        if self.m > Self::MOST_KNOWN {
            let (m, most) = (self.m, Self::MOST_KNOWN);
            return Err(Error::input(format!(
                "[privacy.kl-privacy] m = {m} is more than the {most} known items that are counted in a table"
            ))
            .help(format!(
                "lower m to {most}, or publish the sets alone, with kind = \"transactions\" in [data]"
            )));
        }
        Ok(())
    }

    /// The largest confidence in each of the column's sensitive items.
    pub fn limits(&self, sensitive: &[String]) -> Vec<Exact> {
        let most = Exact::new(self.l.denominator(), self.l.numerator()).unwrap_or(Exact::ONE);
        sensitive.iter().map(|item| self.theta.get(item).copied().unwrap_or(most)).collect()
    }
}

/// Refuses thresholds of what is not sensitive.
fn known_items(theta: &BTreeMap<String, Exact>, sensitive: &[String]) -> Result<()> {
    let Some(item) = theta.keys().find(|item| !sensitive.contains(item)) else { return Ok(()) };
    let names: Vec<&str> = sensitive.iter().map(String::as_str).collect();
    Err(Error::input(format!("theta names '{item}', which is not a sensitive item")).help(suggestion(
        item,
        &names,
        "sensitive items",
    )))
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
        Key::optional(
            "power",
            KeyKind::WordOrWeights(Power::WORDS),
            "what known items count of the m: items, one each; leaves, a group as many as it has leaves; or weights of \
             items, as in power = { Beer = 2 }, where a group counts as little as any item below it; only with n = 0",
        ),
    ],
};

/// `[privacy.kl-privacy]` for a table with a column of sets.
pub static KL_OF_SETS: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: Some(Role::Set),
    accepts: &[],
    name: "kl-privacy",
    source: "G. Poulis, G. Loukides, A. Gkoulalas-Divanis, S. Skiadopoulos: Anonymizing Data with Relational and Transaction \
             Attributes. ECML PKDD 2013; J. Liu: Enhancing Utility in Privacy Preserving Data Publishing. PhD thesis, Simon Fraser \
             University, 2010",
    summary: "in every class, knowing m items of a column of sets points at k records or more, and reveals no sensitive item",
    help: "An adversary knows a person's quasi-identifiers and at most m items (or groups of items) of their set. Whatever the \
           items are, no record of the person's class or at least k hold them, and of those that hold them at most the share 1/l \
           holds any one sensitive item. With m = 0 only the quasi-identifiers are known. k = 1 switches the first part off, l = 1 \
           the second.",
    keys: &[
        Key::required(
            "column",
            KeyKind::Column(Role::Set),
            "the column of sets, as in column = \"diagnoses\"",
        ),
        Key::required(
            "k",
            KeyKind::Count(1),
            "the least number of records of a class that fit what is known, as in k = 5",
        ),
        Key::with_default(
            "l",
            KeyKind::Exact("1", ""),
            "1",
            "no sensitive item is surer than 1/l, as in l = 5 or \"10/3\"",
        ),
        Key::required(
            "m",
            KeyKind::Count(0),
            "how many items the adversary knows next to the quasi-identifiers, as in m = 2; at most 4",
        ),
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
