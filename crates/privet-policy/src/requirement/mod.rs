//! What a release must guarantee: every requirement with its keys, defaults and help, declared once.

pub mod freeform;
pub mod k_anonymity;
pub mod kl;
pub mod l_diversity;
pub mod l_plus;
pub mod matching;
pub mod n_t_closeness;
pub mod projection;
pub mod quasi_sensitive;
pub mod t_closeness;
pub mod vocabulary;

use crate::declare::Declaration;

/// The requirements for tables.
pub static TABLES: &[&Declaration] = &[
    &k_anonymity::DECLARATION,
    &l_diversity::DECLARATION,
    &l_plus::DECLARATION,
    &matching::DECLARATION,
    &quasi_sensitive::DIVERSITY,
    &quasi_sensitive::CLOSENESS,
    &t_closeness::DECLARATION,
    &n_t_closeness::DECLARATION,
    &freeform::DECLARATION,
    &projection::DECLARATION,
];

/// The requirements for transactions.
pub static TRANSACTIONS: &[&Declaration] = &[
    &kl::KL_PRIVACY,
    &kl::KM_ANONYMITY,
    &kl::COHERENCE,
    &kl::TRANSACTIONAL_K_ANONYMITY,
    &kl::PRIVACY_DEGREE,
];

/// The requirements for query logs and vocabularies.
pub static VOCABULARIES: &[&Declaration] = &[&vocabulary::DECLARATION];
