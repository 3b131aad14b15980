//! Local generalisation of vocabularies.

use crate::declare::Declaration;
use crate::release_kind::ReleaseKind;
use crate::typed::method;

method! {
    /// Local generalisation of bags.
    pub struct LgBag {}
    of BAG_DECLARATION
}

method! {
    /// Local generalisation of bags, published as sets.
    pub struct LgSet {}
    of DECLARATION
}

/// LG(bag): nodes with how often they occur.
pub static BAG_DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Vocabularies,
    role: None,
    accepts: super::ABOUT_VOCABULARIES,
    name: "lg-bag",
    source: "Y. He, J. Naughton: Anonymization of Set-Valued Data via Top-Down, Local Generalization. VLDB 2009",
    summary: "vocabularies are generalised from the top until k look alike: very quick, general words, counts kept where all have them",
    help: "The local generalisation of He and Naughton (2009) for bags. All vocabularies begin as the root of the tree and are \
           split, word by word, by which of its children they touch, as long as k look alike. A word is published as often as \
           every member of its group has an occurrence below it; further occurrences are suppressed. Needs a tree of words.",
    keys: &[],
};

/// LG: each node once.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Vocabularies,
    role: None,
    accepts: super::ABOUT_VOCABULARIES,
    name: "lg",
    source: "Y. He, J. Naughton: Anonymization of Set-Valued Data via Top-Down, Local Generalization. VLDB 2009",
    summary: "as lg-bag, but every word is published once: sets instead of bags",
    help: "The local generalisation of He and Naughton (2009). All vocabularies begin as the root of the tree and are split, word \
           by word, by which of its children they touch, as long as k look alike. Published are sets: how often a word was used \
           is lost. Needs a tree of words.",
    keys: &[],
};
