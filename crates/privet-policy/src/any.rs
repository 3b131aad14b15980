//! A policy of whatever kind.

use std::path::Path;

use super::check::{CheckedPolicy, DataKind};
use super::declare::Declaration;
use super::door::Purpose;
use super::file::Policy;
use super::transactions::TransactionPolicy;
use super::vocabulary::VocabularyPolicy;
use crate::Stated;
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
        PolicyRef::from(self).kind()
    }

    /// The data file.
    pub fn data(&self) -> &Path {
        PolicyRef::from(self).data()
    }

    /// The policy as written.
    pub fn written(&self) -> &Policy {
        PolicyRef::from(self).written()
    }

    /// How the release is made.
    pub fn method(&self) -> &'static Declaration {
        PolicyRef::from(self).method().declaration()
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

impl<'a> PolicyRef<'a> {
    /// What kind of data the policy is about.
    pub fn kind(self) -> DataKind {
        match self {
            PolicyRef::Table(policy) => policy.kind,
            PolicyRef::Transactions(_) => DataKind::Transactions,
            PolicyRef::Vocabularies(policy) => policy.kind,
        }
    }

    /// The data file.
    pub fn data(self) -> &'a Path {
        match self {
            PolicyRef::Table(policy) => policy.source.path(),
            PolicyRef::Transactions(policy) => policy.source.path(),
            PolicyRef::Vocabularies(policy) => policy.source.path(),
        }
    }

    /// The policy as written.
    pub fn written(self) -> &'a Policy {
        match self {
            PolicyRef::Table(policy) => &policy.written,
            PolicyRef::Transactions(policy) => &policy.written,
            PolicyRef::Vocabularies(policy) => &policy.written,
        }
    }

    /// How the release is made.
    pub fn method(self) -> &'a dyn Stated {
        match self {
            PolicyRef::Table(policy) => &policy.method,
            PolicyRef::Transactions(policy) => &policy.method,
            PolicyRef::Vocabularies(policy) => &policy.method,
        }
    }

    /// The requirements as a person would say them.
    pub fn asked(self) -> Vec<String> {
        match self {
            PolicyRef::Table(policy) => {
                policy.requirements.iter().map(|clause| clause.describe(&policy.columns)).collect()
            }
            PolicyRef::Transactions(policy) => {
                policy.requirements.iter().map(|clause| clause.describe(&[])).collect()
            }
            PolicyRef::Vocabularies(policy) => vec![policy.requirement.describe(&[])],
        }
    }
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
