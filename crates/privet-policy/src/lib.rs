//! What the publisher wants: a TOML file, checked once, at the door.
//!
//! [`Policy`] is the file as written; [`CheckedPolicy`] is the policy as understood: the data is there, every column
//! exists, every hierarchy is a tree, every threshold is a number. Methods and audits take only the checked kind.
//! [`TransactionPolicy`] is the same for sets of items, [`VocabularyPolicy`] for query logs and bags of terms.

mod any;
mod check;
mod column_type;
mod database;
mod declare;
mod door;
mod file;
mod knowledge;
pub mod layout;
pub mod method;
mod missing;
mod mixed;
mod numbers;
mod original;
mod person;
mod population;
mod publication;
mod reading;
pub mod reference;
mod release_kind;
pub mod requirement;
mod rewriting;
mod rules;
pub mod schema;
mod sensitive;
mod sets;
mod settings;
mod transactions;
mod typed;
mod vary;
mod vocabulary;
mod weights;

pub use any::{AnyPolicy, PolicyRef};
pub use check::{CheckedPolicy, DataKind, OnMissing, PolicyColumn, Role};
pub use column_type::ColumnType;
pub use database::ReleaseTable;
pub use declare::{Accepts, Catalogue, Condition, Declaration, Key, KeyKind};
pub use door::Purpose;
pub use file::Policy;
pub use knowledge::{KnowledgePolicy, MiningPolicy};
pub use method::{CATALOGUES, ItemMethod, Method, VocabularyMethod};
pub use mixed::{Belief, Degrees, MixedColumn, ObservabilityModel, SensitivityModel};
pub use numbers::{Bound, BoundLabel, NumbersPolicy};
pub use original::OriginalData;
pub use population::{Population, PopulationTable};
pub use publication::{LedgerPolicy, OnComposition, ReportKeys};
pub use release_kind::ReleaseKind;
pub use requirement::{ItemRequirement, Requirement, VocabularyKAnonymity};
pub use rules::{MutedText, RuleText, RulesText};
pub use sets::{SetPolicy, UnknownTerms};
pub use settings::{Setting, Settings, parse_duration};
pub use transactions::TransactionPolicy;
pub use typed::Stated;
pub use vocabulary::VocabularyPolicy;
pub use weights::{ColumnWeights, too_large as weights_too_large};
