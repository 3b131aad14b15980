//! The door: which requirements a method takes.
//!
//! A method declares the requirements that it takes, and no run begins with another one. What nobody would meet is refused
//! here, before data are read, and not found out later, or never.

use super::declare::{Accepts, Catalogue, Condition, Declaration};
use super::file::Policy;
use super::settings::{Clause, Setting, Settings};
use privet_core::{Error, Exact, Result};

/// What a policy is checked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A release is made: the method must take every requirement.
    Run,
    /// A release is there already, and nobody says that the method made it: some method that publishes the same must take
    /// each requirement.
    Audit,
    /// Only the risk of the data is measured: nothing has to be required, and no method makes anything.
    Risk,
}

impl Condition {
    /// Whether settings say this.
    fn holds(&self, settings: &Settings) -> bool {
        match *self {
            Condition::OneOf(key, words) => match settings.get(key) {
                Some(Setting::Choice(word)) => words.contains(word),
                Some(Setting::Thresholds(_)) => false,
                _ => true,
            },
            Condition::Is(key, number) => match settings.get(key) {
                Some(Setting::Count(count)) => *count == number,
                Some(Setting::Exact(exact)) => Exact::new(number, 1) == Some(*exact),
                _ => true,
            },
            Condition::NoThresholds(key) => {
                settings.thresholds(key).is_none_or(|own| own.values().all(|own| *own >= Exact::ONE))
            }
        }
    }

    /// What settings must say.
    fn in_words(&self) -> String {
        match *self {
            Condition::OneOf(key, words) => format!("{key} = {}", listed(words, "or")),
            Condition::Is(key, number) => format!("{key} = {number}"),
            Condition::NoThresholds(key) => format!("no {key} below 1"),
        }
    }
}

impl Accepts {
    fn names(&self, clause: &Clause) -> bool {
        self.requirements.contains(&clause.name())
    }

    /// The first condition that a clause breaks.
    fn broken(&self, clause: &Clause) -> Option<&'static Condition> {
        self.conditions.iter().find(|condition| !condition.holds(&clause.settings))
    }

    /// What is taken, in words.
    fn in_words(&self) -> String {
        let names = match (self.needed, self.repeated, self.requirements) {
            (true, false, [only]) => format!("one {only}"),
            (true, false, names) => format!("at least one of {}, each at most once", names.join(", ")),
            (true, true, names) => format!("at least one of {}", names.join(", ")),
            (false, _, names) => names.join(", "),
        };
        let conditions: Vec<String> = self.conditions.iter().map(Condition::in_words).collect();
        if conditions.is_empty() { names } else { format!("{names} ({})", conditions.join(", ")) }
    }
}

impl Declaration {
    /// The requirements that a method takes, in words: `one projection; at least one of k-anonymity, t-closeness`.
    pub fn takes(&self) -> String {
        self.accepts.iter().map(Accepts::in_words).collect::<Vec<_>>().join("; ")
    }

    /// Whether a method takes a requirement of this name, with some settings at least.
    pub fn takes_requirement(&self, name: &str) -> bool {
        self.accepts.iter().any(|accepts| accepts.requirements.contains(&name))
    }

    /// Whether a method takes a requirement as it is.
    fn takes_clause(&self, clause: &Clause) -> bool {
        self.accepts.iter().any(|accepts| accepts.names(clause) && accepts.broken(clause).is_none())
    }
}

fn listed(names: &[&str], link: &str) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_string(),
        [first @ .., last] => format!("{} {link} {last}", first.join(", ")),
    }
}

impl Policy {
    /// Refuses requirements that the method does not take. `clauses` are those of `[privacy]`, as written.
    pub(super) fn admit(
        &self,
        catalogue: &Catalogue,
        (clauses, method): (&[Clause], &Clause),
        purpose: Purpose,
    ) -> Result<()> {
        if purpose == Purpose::Risk {
            return Ok(());
        }
        let declaration = method.declaration;
        let name = method.name();
        for (place, clause) in clauses.iter().enumerate() {
            let asked = clause.name();
            let alike = |other: &&&Declaration| other.is_like(declaration);
            let known = match purpose {
                Purpose::Run => declaration.takes_clause(clause),
                Purpose::Audit | Purpose::Risk => {
                    catalogue.methods.iter().filter(alike).any(|other| other.takes_clause(clause))
                }
            };
            if known {
                let Some(accepts) = declaration.accepts.iter().find(|accepts| accepts.names(clause)) else {
                    continue;
                };
                let again = clauses[..place].iter().any(|earlier| earlier.name() == asked);
                if purpose == Purpose::Run && again && !accepts.repeated {
                    let wrong =
                        format!("method \"{name}\" takes [privacy.{asked}] once, and this is another");
                    return Err(self.at_requirement(place, Error::input(wrong).help(takes(declaration))));
                }
                continue;
            }
            let accepts = declaration.accepts.iter().find(|accepts| accepts.names(clause));
            let wrong = match accepts.and_then(|accepts| accepts.broken(clause)) {
                Some(condition) => {
                    format!("method \"{name}\" takes [privacy.{asked}] only with {}", condition.in_words())
                }
                None => format!("method \"{name}\" does not take [privacy.{asked}]"),
            };
            let help = format!("{}{}", takes(declaration), taken_by(catalogue, clause));
            return Err(self.at_requirement(place, Error::input(wrong).help(help)));
        }
        let lacking = declaration
            .accepts
            .iter()
            .find(|accepts| accepts.needed && !clauses.iter().any(|clause| accepts.names(clause)));
        match lacking.filter(|_| purpose == Purpose::Run) {
            None => Ok(()),
            Some(accepts) => {
                let names: Vec<String> =
                    accepts.requirements.iter().map(|name| format!("[privacy.{name}]")).collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let wrong = format!("method \"{name}\" needs {}", listed(&names, "or"));
                Err(self.at_method("name", Error::input(wrong).help(takes(declaration))))
            }
        }
    }
}

/// Which methods take a requirement, and why no others do where that needs saying.
fn taken_by(catalogue: &Catalogue, clause: &Clause) -> String {
    let takers: Vec<&&Declaration> =
        catalogue.methods.iter().filter(|other| other.takes_clause(clause)).collect();
    let mut accepts = takers.iter().flat_map(|method| method.accepts).filter(|accepts| accepts.names(clause));
    let names: Vec<&str> = takers.iter().map(|method| method.name).collect();
    match (names.as_slice(), accepts.find_map(|accepts| accepts.reason)) {
        ([], _) => String::new(),
        (names, None) => format!("; this requirement is for {}", listed(names, "and")),
        (names, Some(reason)) => format!("; this requirement is for {}: {reason}", listed(names, "and")),
    }
}

fn takes(method: &Declaration) -> String {
    format!("it takes: {}", method.takes())
}
