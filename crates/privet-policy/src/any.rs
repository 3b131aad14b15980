//! A policy of whatever kind.

use super::check::{CheckedPolicy, DataKind};
use super::declare::Declaration;
use super::door::Purpose;
use super::file::Policy;
use super::original::OriginalData;
use super::release_kind::ReleaseKind;
use super::transactions::TransactionPolicy;
use super::vocabulary::VocabularyPolicy;
use crate::Stated;
use privet_core::Result;
use privet_data::{Fingerprint, Form, Origin, Version};

/// A policy as understood, of any kind: the policy itself, or borrowed as a [`PolicyRef`].
#[derive(Debug, Clone, Copy)]
pub enum AnyPolicy<Table = CheckedPolicy, Transactions = TransactionPolicy, Vocabularies = VocabularyPolicy> {
    /// About a table.
    Table(Table),
    /// About transactions.
    Transactions(Transactions),
    /// About a query log, or about vocabularies.
    Vocabularies(Vocabularies),
}

/// A borrowed policy of any kind.
pub type PolicyRef<'a> = AnyPolicy<&'a CheckedPolicy, &'a TransactionPolicy, &'a VocabularyPolicy>;

impl AnyPolicy {
    /// The policy, borrowed.
    pub fn as_ref(&self) -> PolicyRef<'_> {
        match self {
            AnyPolicy::Table(policy) => AnyPolicy::Table(policy),
            AnyPolicy::Transactions(policy) => AnyPolicy::Transactions(policy),
            AnyPolicy::Vocabularies(policy) => AnyPolicy::Vocabularies(policy),
        }
    }

    /// What kind of data the policy is about.
    pub fn kind(&self) -> DataKind {
        self.as_ref().kind()
    }

    /// Where the data come from.
    pub fn origin(&self) -> &Origin {
        self.as_ref().origin()
    }

    /// The policy as written.
    pub fn written(&self) -> &Policy {
        self.as_ref().written()
    }

    /// How the release is made.
    pub fn method(&self) -> &'static Declaration {
        self.as_ref().method().declaration()
    }

    /// What the method publishes.
    pub fn publishes(&self) -> ReleaseKind {
        self.as_ref().publishes()
    }
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

    /// What the method publishes.
    pub fn publishes(self) -> ReleaseKind {
        self.method().declaration().publishes
    }

    /// Where the data come from.
    pub fn origin(self) -> &'a Origin {
        match self {
            PolicyRef::Table(policy) => policy.source.origin(),
            PolicyRef::Transactions(policy) => policy.source.origin(),
            PolicyRef::Vocabularies(policy) => policy.source.origin(),
        }
    }

    /// The state that the data are in now.
    pub fn version(self) -> Option<Version> {
        match self {
            PolicyRef::Table(policy) => policy.source.version(),
            PolicyRef::Transactions(policy) => policy.source.version(),
            PolicyRef::Vocabularies(policy) => policy.source.table().version(),
        }
    }

    /// What the data hold.
    pub fn fingerprint(self) -> Result<Fingerprint> {
        match self {
            PolicyRef::Table(policy) => policy.source.fingerprint(),
            PolicyRef::Transactions(policy) => policy.source.fingerprint(),
            PolicyRef::Vocabularies(policy) => policy.source.table().fingerprint(),
        }
    }

    /// The data, for a policy that is checked against the same ones.
    pub fn original(self) -> OriginalData {
        match self {
            PolicyRef::Table(policy) => OriginalData::again(&policy.source),
            PolicyRef::Transactions(policy) => match policy.source.form() {
                Form::Lines { path, .. } => OriginalData::File(path.clone()),
                Form::Long { .. } | Form::Lists { .. } => policy.source.clone().into(),
            },
            PolicyRef::Vocabularies(policy) => OriginalData::again(policy.source.table()),
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

impl Policy {
    /// Checks the policy as its kind of data asks for.
    ///
    /// `original` stands in for the policy's own data, for data that are elsewhere or are not files.
    pub fn check_any(&self, original: impl Into<OriginalData>) -> Result<AnyPolicy> {
        self.check_any_for(original, Purpose::Run)
    }

    /// The same, for a purpose.
    pub fn check_any_for(&self, original: impl Into<OriginalData>, purpose: Purpose) -> Result<AnyPolicy> {
        let original = original.into();
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
