//! Injector and Anatomy.

use crate::declare::{Accepts, Condition, Declaration, Key, KeyKind, Subject};

/// `[method] name = "injector"`.
pub static DECLARATION: Declaration = Declaration {
    subject: Subject::Groups,
    accepts: &[Accepts::once(&["matching-l-diversity"]), Accepts::of(&["k-anonymity"])],
    name: "injector",
    summary: "exact quasi-identifiers in groups in which the adversary's knowledge does not help",
    help: "Mines from the data what cannot be (men do not have ovarian cancer), takes the adversary to know it, and puts the \
           records into groups so that l values stay possible for everybody all the same. Quasi-identifiers are published as \
           they are: who knows them finds the person's group, not the value.",
    keys: &[
        Key::with_default(
            "strategy",
            KeyKind::Choice(&["balanced", "local", "paper"]),
            "balanced",
            "balanced gives the smallest groups, local puts similar people together, paper is the published algorithm",
        ),
        Key::with_default(
            "infeasible",
            KeyKind::Choice(&["fail", "suppress"]),
            "fail",
            "what happens when some records can never have l possible values: fail, or leave out as few as possible",
        ),
        PUBLISH,
    ],
};

/// `[method] name = "anatomy"`.
pub static ANATOMY: Declaration = Declaration {
    subject: Subject::Groups,
    accepts: &[
        Accepts::once(&["l-diversity"]).with(&[Condition::OneOf("kind", &["distinct", "frequency"])]),
        Accepts::of(&["k-anonymity"]),
    ],
    name: "anatomy",
    summary: "exact quasi-identifiers in groups of l different values, blind to what the adversary knows",
    help: "Puts the records into groups of l or more, each with another sensitive value (Xiao and Tao, 2006), and publishes \
           quasi-identifiers as they are. A value that is out of the question for some people gives others away: the \
           baseline that injector is compared with.",
    keys: &[PUBLISH],
};

pub(crate) const PUBLISH: Key = Key::with_default(
    "publish",
    KeyKind::Choice(&["two-tables", "permuted"]),
    "two-tables",
    "two-tables: qit.csv with the quasi-identifiers and st.csv with the values of each group; permuted: one table with the \
     values shuffled within groups",
);
