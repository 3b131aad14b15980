//! How requirements and methods declare themselves: once, with their keys, defaults and help.
//!
//! Policy validation, `privet help`, `privet init` and the book all read these declarations.

use super::{ReleaseKind, Role};

/// What a key of a policy takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KeyKind {
    /// A whole number, at least the given one.
    Count(u64),
    /// An exact number within the two bounds (both included): `0.3`, `"3/10"` or `"30%"`.
    Exact(&'static str, &'static str),
    /// An exact number above 0 and at most the given one; an empty text sets no bound.
    Above(&'static str),
    /// The name of a column that has this role.
    Column(Role),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// `true`, `false`, or how many: a whole number, at least the given one.
    FlagOrCount(u64),
    /// A time such as `"30s"`, `"5m"` or `"500ms"`.
    Duration,
    /// A table that gives values of a column an exact number each, within the two bounds (both included):
    /// `{ Cancer = "3/10", Flu = 0.5 }`.
    Thresholds(&'static str, &'static str),
    /// One of these words, or a table that gives values an exact number above 0 each: `"leaves"` or `{ Beer = 2 }`.
    WordOrWeights(&'static [&'static str]),
    /// A table that gives columns of this role one of these words each: `{ age_at_onset = "ordered" }`.
    Choices(Role, &'static [&'static str]),
    /// A table that gives columns of this role a whole number each: `{ zip = 2 }`.
    Counts(Role),
}

/// One key of a requirement's or a method's table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// The key as written in the policy.
    pub name: &'static str,
    /// What it takes.
    pub kind: KeyKind,
    /// What it is when left out, as written in a policy; `None` for a key that may be left out and then says nothing.
    pub default: Option<&'static str>,
    /// Whether leaving it out is an error.
    pub required: bool,
    /// One line of help.
    pub help: &'static str,
}

impl Key {
    /// A key that must be given.
    pub const fn required(name: &'static str, kind: KeyKind, help: &'static str) -> Key {
        Key { name, kind, default: None, required: true, help }
    }

    /// A key that may be left out and then says nothing.
    pub const fn optional(name: &'static str, kind: KeyKind, help: &'static str) -> Key {
        Key { name, kind, default: None, required: false, help }
    }

    /// A key with a default.
    pub const fn with_default(
        name: &'static str,
        kind: KeyKind,
        default: &'static str,
        help: &'static str,
    ) -> Key {
        Key { name, kind, default: Some(default), required: false, help }
    }
}

/// What a setting of a requirement must say for a method to take it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// The key has one of these words.
    OneOf(&'static str, &'static [&'static str]),
    /// The key is this whole number or exact number.
    Is(&'static str, u64),
    /// No value has a threshold of its own below 1.
    NoThresholds(&'static str),
}

/// Requirements that a method takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepts {
    /// Their names.
    pub requirements: &'static [&'static str],
    /// Whether the method needs one of them.
    pub needed: bool,
    /// Whether each may be asked for more than once.
    pub repeated: bool,
    /// What their settings must say.
    pub conditions: &'static [Condition],
    /// Why other methods do not take them, where that needs saying.
    pub reason: Option<&'static str>,
}

impl Accepts {
    /// These, each as often as wanted.
    pub const fn of(requirements: &'static [&'static str]) -> Accepts {
        Accepts { requirements, needed: false, repeated: true, conditions: &[], reason: None }
    }

    /// One of these or more, each as often as wanted.
    pub const fn some(requirements: &'static [&'static str]) -> Accepts {
        Accepts { needed: true, ..Accepts::of(requirements) }
    }

    /// One of these or more, each once.
    pub const fn once(requirements: &'static [&'static str]) -> Accepts {
        Accepts { needed: true, repeated: false, ..Accepts::of(requirements) }
    }

    /// The same, where their settings say this.
    pub const fn with(self, conditions: &'static [Condition]) -> Accepts {
        Accepts { conditions, ..self }
    }

    /// The same, with the reason why other methods do not take them.
    pub const fn because(self, reason: &'static str) -> Accepts {
        Accepts { reason: Some(reason), ..self }
    }
}

/// A requirement (`[privacy.NAME]`) or a method (`[method] name = NAME`) with all that can be said about it.
#[derive(Debug, PartialEq)]
pub struct Declaration {
    /// What a method publishes, and what a requirement is about.
    pub publishes: ReleaseKind,
    /// The role of the columns that it is about, where these are not quasi-identifiers and sensitive columns alone.
    pub role: Option<Role>,
    /// The name in the policy.
    pub name: &'static str,
    /// The work that describes it: authors, title, where and when.
    pub source: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// What it does and promises, in a paragraph.
    pub help: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
    /// For a method: the requirements that it takes, and no others. Empty for a requirement.
    pub accepts: &'static [Accepts],
}

impl Declaration {
    /// Whether both are about the same columns of the same kind of release.
    pub(super) fn is_like(&self, other: &Declaration) -> bool {
        (self.publishes, self.role) == (other.publishes, other.role)
    }
}

/// All requirements and methods that this build knows.
#[derive(Debug, Clone, Copy)]
pub struct Catalogue {
    /// The requirements of `[privacy.…]`.
    pub requirements: &'static [&'static Declaration],
    /// The methods of `[method] name`.
    pub methods: &'static [&'static Declaration],
    /// The method that is used when the policy names none.
    pub default_method: &'static str,
}

impl Catalogue {
    /// The requirement of this name.
    pub fn requirement(&self, name: &str) -> Option<&'static Declaration> {
        self.requirements.iter().copied().find(|declaration| declaration.name == name)
    }

    /// The method of this name.
    pub fn method(&self, name: &str) -> Option<&'static Declaration> {
        self.methods.iter().copied().find(|declaration| declaration.name == name)
    }

    /// The method that is used for a requirement when the policy names none: the first that is about the same.
    pub(super) fn method_for(&self, requirement: &Declaration) -> Option<&'static str> {
        let default = self.method(self.default_method)?;
        let mut others = self.methods.iter().filter(|_| !requirement.is_like(default));
        others.find(|method| method.is_like(requirement)).map(|method| method.name)
    }
}
