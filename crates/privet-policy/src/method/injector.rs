//! Injector and Anatomy.

use crate::check::{PolicyColumn, Role};
use crate::declare::{Accepts, Condition, Declaration, Key, KeyKind};
use crate::layout::{COUNT_COLUMN, GROUP_COLUMN};
use crate::release_kind::ReleaseKind;
use crate::typed::{choices, method};
use privet_core::{Error, Result};

method! {
    /// Groups in which an adversary's knowledge does not help.
    pub struct Injector {
        /// How groups are formed.
        pub strategy: Strategy,
        /// What happens when some records can never have l possible values.
        pub infeasible: Unfit,
        /// What is published.
        pub publish: Publication,
    }
    of DECLARATION
}

method! {
    /// Groups of l different values.
    pub struct Anatomy {
        /// What is published.
        pub publish: Publication,
    }
    of ANATOMY
}

choices! {
    /// How groups are formed.
    pub enum Strategy {
        /// People who are near each other.
        Near = "near",
        /// Frequent values first, so that few records remain.
        Balanced = "balanced",
        /// The same within parts of similar records.
        Local = "local",
        /// Figure 2 of the paper, repaired.
        Paper = "paper",
    }
}

choices! {
    /// What becomes of records that can never have l possible values.
    pub enum Unfit {
        /// The run fails.
        Fail = "fail",
        /// As few as possible are left out.
        Suppress = "suppress",
    }
}

choices! {
    /// What is published of groups.
    pub enum Publication {
        /// Quasi-identifiers with the group of each record, and the values of each group.
        TwoTables = "two-tables",
        /// One table, values shuffled within groups.
        Permuted = "permuted",
    }
}

/// Refuses what groups cannot hide: more than the one column that a requirement is about, and columns with the names of the
/// release's own.
pub(super) fn check_columns(columns: &[PolicyColumn], about: Option<usize>) -> Result<()> {
    let with = |role: Role| columns.iter().filter(move |column| column.role == Some(role));
    if let Some(other) = with(Role::Sensitive).find(|column| Some(column.index) != about) {
        let message = format!("'{}' is a second sensitive column, and groups hide only one", other.name);
        return Err(Error::input(message).help(
            "leave it out of the policy, put both columns together into one, or use codip-star, which publishes several \
             tables: rules are about one column, and anyone who knows one of two values of a group would read the other",
        ));
    }
    let taken = |column: &&PolicyColumn| {
        column.name == GROUP_COLUMN || (Some(column.index) == about && column.name == COUNT_COLUMN)
    };
    if let Some(column) = with(Role::QuasiIdentifier).chain(with(Role::Sensitive)).find(taken) {
        let message = format!("the release has a column '{}' of its own", column.name);
        return Err(Error::input(message).help("rename that column of the data"));
    }
    Ok(())
}

/// `[method] name = "injector"`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Groups,
    role: None,
    accepts: &[Accepts::once(&["matching-l-diversity"]), Accepts::of(&["k-anonymity", "t-closeness"])],
    name: "injector",
    source: "T. Li, N. Li: Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008",
    summary: "exact quasi-identifiers in groups in which the adversary's knowledge does not help",
    help: "Mines from the data what cannot be (men do not have ovarian cancer), takes the adversary to know it, and puts the \
           records into groups so that l values stay possible for everybody all the same. Quasi-identifiers are published as \
           they are: who knows them finds the person's group, not the value.",
    keys: &[
        Key::with_default(
            "strategy",
            KeyKind::Choice(Strategy::WORDS),
            "near",
            "near puts people together who are near each other; balanced gives groups of the same size without regard to \
             who is in them, local splits the table first, paper is the published algorithm",
        ),
        Key::with_default(
            "infeasible",
            KeyKind::Choice(Unfit::WORDS),
            "fail",
            "what happens when some records can never have l possible values: fail, or leave out as few as possible",
        ),
        PUBLISH,
    ],
};

/// `[method] name = "anatomy"`.
pub static ANATOMY: Declaration = Declaration {
    publishes: ReleaseKind::Groups,
    role: None,
    accepts: &[
        Accepts::once(&["l-diversity"]).with(&[Condition::OneOf("kind", &["distinct", "frequency"])]),
        Accepts::of(&["k-anonymity", "t-closeness"]),
    ],
    name: "anatomy",
    source: "X. Xiao, Y. Tao: Anatomy: Simple and Effective Privacy Preservation. VLDB 2006",
    summary: "exact quasi-identifiers in groups of l different values, blind to what the adversary knows",
    help: "Puts the records into groups of l or more, each with another sensitive value (Xiao and Tao, 2006), and publishes \
           quasi-identifiers as they are. A value that is out of the question for some people gives others away: the \
           baseline that injector is compared with.",
    keys: &[PUBLISH],
};

pub(crate) const PUBLISH: Key = Key::with_default(
    "publish",
    KeyKind::Choice(Publication::WORDS),
    "two-tables",
    "two-tables: qit.csv with the quasi-identifiers and st.csv with the values of each group; permuted: one table with the \
     values shuffled within groups",
);
