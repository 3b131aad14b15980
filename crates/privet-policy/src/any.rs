//! A policy of whatever kind.

use std::path::Path;

use super::check::{CheckedPolicy, DataKind};
use super::declare::Declaration;
use super::door::Purpose;
use super::file::Policy;
use super::transactions::TransactionPolicy;
use super::vocabulary::VocabularyPolicy;
use privet_core::Result;

/// A policy as understood, of any kind.
#[derive(Debug, Clone)]
pub enum AnyPolicy {
    /// About a table.
    Table(CheckedPolicy),
    /// About transactions.
    Transactions(TransactionPolicy),
    /// About a query log, or about vocabularies.
    Vocabularies(VocabularyPolicy),
}

impl AnyPolicy {
    /// What kind of data the policy is about.
    pub fn kind(&self) -> DataKind {
        match self {
            AnyPolicy::Table(_) => DataKind::Table,
            AnyPolicy::Transactions(_) => DataKind::Transactions,
            AnyPolicy::Vocabularies(policy) => policy.kind,
        }
    }

    /// The data file.
    pub fn data(&self) -> &Path {
        match self {
            AnyPolicy::Table(policy) => policy.source.path(),
            AnyPolicy::Transactions(policy) => policy.source.path(),
            AnyPolicy::Vocabularies(policy) => policy.source.path(),
        }
    }

    /// The policy as written.
    pub fn written(&self) -> &Policy {
        match self {
            AnyPolicy::Table(policy) => &policy.written,
            AnyPolicy::Transactions(policy) => &policy.written,
            AnyPolicy::Vocabularies(policy) => &policy.written,
        }
    }

    /// How the release is made.
    pub fn method(&self) -> &'static Declaration {
        match self {
            AnyPolicy::Table(policy) => policy.method.declaration(),
            AnyPolicy::Transactions(policy) => policy.method.declaration(),
            AnyPolicy::Vocabularies(policy) => policy.method.declaration(),
        }
    }
}

/// A policy of whatever kind, borrowed.
#[derive(Debug, Clone, Copy)]
pub enum PolicyRef<'a> {
    /// About a table.
    Table(&'a CheckedPolicy),
    /// About transactions.
    Transactions(&'a TransactionPolicy),
    /// About a query log, or about vocabularies.
    Vocabularies(&'a VocabularyPolicy),
}

impl<'a> From<&'a AnyPolicy> for PolicyRef<'a> {
    fn from(policy: &'a AnyPolicy) -> PolicyRef<'a> {
        match policy {
            AnyPolicy::Table(policy) => PolicyRef::Table(policy),
            AnyPolicy::Transactions(policy) => PolicyRef::Transactions(policy),
            AnyPolicy::Vocabularies(policy) => PolicyRef::Vocabularies(policy),
        }
    }
}

impl Policy {
    /// Checks the policy as its kind of data asks for.
    ///
    /// `original` stands in for the policy's own data, for audits of data that lie elsewhere.
    pub fn check_any(&self, original: Option<&Path>) -> Result<AnyPolicy> {
        self.check_any_for(original, Purpose::Run)
    }

    /// The same, for a purpose.
    pub fn check_any_for(&self, original: Option<&Path>, purpose: Purpose) -> Result<AnyPolicy> {
        let kind = self.kind()?;
        self.fits(kind)?;
        match kind {
            DataKind::Table => self.check_for(original, purpose).map(AnyPolicy::Table),
            DataKind::Transactions => {
                self.check_transactions_for(original, purpose).map(AnyPolicy::Transactions)
            }
            DataKind::QueryLog | DataKind::Vocabularies => {
                self.check_vocabularies_for(original, purpose).map(AnyPolicy::Vocabularies)
            }
        }
    }
}
