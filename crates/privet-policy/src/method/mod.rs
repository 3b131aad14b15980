//! How a release is made: every method with its keys, defaults and help, declared once.

pub mod aa;
pub mod annealing;
pub mod codip;
pub mod ff;
pub mod full_domain;
pub mod injector;
pub mod l_plus;
pub mod lg;
pub mod lg_bags;
pub mod mm;
pub mod mondrian;
pub mod og;
pub mod quasi_sensitive;
pub mod ssg;

use crate::declare::{Accepts, Catalogue, Catalogues, Declaration, Key, KeyKind};
use crate::requirement;

/// Measures of what a table loses.
pub const TABLE_COSTS: &[&str] =
    &["LM", "NCP", "DM", "CM", "average-class-size", "height", "precision", "entropy"];

/// Measures of what sets of items lose.
pub const ITEM_COSTS: &[&str] = &["NCP", "LM"];

/// The catalogues of all kinds of data.
pub static CATALOGUES: Catalogues =
    Catalogues { tables: &TABLES, transactions: &TRANSACTIONS, vocabularies: &VOCABULARIES };

/// All requirements and methods for tables.
pub static TABLES: Catalogue =
    Catalogue { requirements: requirement::TABLES, methods: TABLE_METHODS, default_method: "full-domain" };

/// All requirements and methods for transactions.
pub static TRANSACTIONS: Catalogue =
    Catalogue { requirements: requirement::TRANSACTIONS, methods: TRANSACTION_METHODS, default_method: "og" };

/// All requirements and methods for query logs and vocabularies.
pub static VOCABULARIES: Catalogue =
    Catalogue { requirements: requirement::VOCABULARIES, methods: VOCABULARY_METHODS, default_method: "ssg" };

static TABLE_METHODS: &[&Declaration] = &[
    &full_domain::DECLARATION,
    &mondrian::DECLARATION,
    &l_plus::DECLARATION,
    &annealing::DECLARATION,
    &injector::DECLARATION,
    &injector::ANATOMY,
    &codip::STAR,
    &codip::CODIP,
    &ff::DECLARATION,
    &ff::OPTIMAL,
    &quasi_sensitive::DECLARATION,
];

static TRANSACTION_METHODS: &[&Declaration] =
    &[&og::DECLARATION, &og::MULTI_ROUND, &aa::DECLARATION, &lg::DECLARATION, &mm::DECLARATION];

static VOCABULARY_METHODS: &[&Declaration] =
    &[&ssg::DECLARATION, &lg_bags::BAG_DECLARATION, &lg_bags::DECLARATION];

/// The requirements that classes are judged by one by one.
const ABOUT_CLASSES: &[&str] = &["k-anonymity", "l-diversity", "l-plus-diversity", "t-closeness"];

/// The requirements for transactions.
const ABOUT_TRANSACTIONS: &[&str] =
    &["kl-privacy", "km-anonymity", "coherence", "transactional-k-anonymity", "privacy-degree"];

/// What all methods for vocabularies take.
const ABOUT_VOCABULARIES: &[Accepts] = &[Accepts::once(&["vocabulary-k-anonymity"])];

/// What a table method loses least of.
const COST: Key = Key::with_default(
    "cost",
    KeyKind::Choice(TABLE_COSTS),
    "LM",
    "what the release should lose least of; all costs are reported",
);

/// For methods that no cost steers.
const REPORTED_COST: Key =
    Key { help: "the cost that is reported first; it does not steer this method", ..COST };

/// What the release should lose least of.
const ITEM_COST: Key = Key::with_default(
    "cost",
    KeyKind::Choice(ITEM_COSTS),
    "NCP",
    "what the release should lose least of; both are reported",
);

/// For methods that look for the best until the time is over.
const TIME_LIMIT: Key = Key::optional(
    "time_limit",
    KeyKind::Duration,
    "how long the search may take, as in \"30s\"; it then returns the best so far and what is proven about it",
);
