//! What is published, whatever the data are.

use std::fmt;

use super::check::CheckedPolicy;

/// What a release consists of. [`DataKind`](super::DataKind) is what it is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReleaseKind {
    /// One generalised table.
    Table,
    /// Exact quasi-identifiers in groups, with the sensitive values of each group.
    Groups,
    /// Several tables, each with some of the sensitive columns.
    Projections,
    /// Sets of items.
    Transactions,
    /// Bags of terms.
    Vocabularies,
}

impl ReleaseKind {
    /// All kinds.
    pub const ALL: [ReleaseKind; 5] = [
        ReleaseKind::Table,
        ReleaseKind::Groups,
        ReleaseKind::Projections,
        ReleaseKind::Transactions,
        ReleaseKind::Vocabularies,
    ];
}

/// What a method of this kind does, to complete a sentence.
impl fmt::Display for ReleaseKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ReleaseKind::Table => "recodes one table",
            ReleaseKind::Groups => "publishes exact quasi-identifiers in groups",
            ReleaseKind::Projections => "publishes several tables",
            ReleaseKind::Transactions => "publishes sets of items",
            ReleaseKind::Vocabularies => "publishes vocabularies",
        })
    }
}

impl CheckedPolicy {
    /// What the method publishes.
    pub fn publishes(&self) -> ReleaseKind {
        self.method.publishes()
    }
}
