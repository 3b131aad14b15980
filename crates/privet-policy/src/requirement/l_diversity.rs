//! l-diversity.

use crate::check::Role;
use crate::declare::{Declaration, Key, KeyKind};
use crate::door::Purpose;
use crate::release_kind::ReleaseKind;
use crate::settings::{Clause, Setting, Settings};
use crate::typed::{choices, read};
use privet_core::{Error, Exact, Result};

/// Every class has well-represented values of a sensitive column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LDiversity {
    /// The sensitive column's position in the data.
    pub column: usize,
    /// How diverse.
    pub diversity: Diversity,
}

/// What well represented means, with its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Diversity {
    /// At least this many different values.
    Distinct(Exact),
    /// No value in more than one of this many records.
    Frequency(Exact),
    /// Entropy at least the logarithm of this.
    Entropy(Exact),
    /// The most frequent count is below `c` times the sum of the counts from the `l`-th on.
    Recursive {
        /// The factor.
        c: Exact,
        /// From which count on.
        l: u64,
    },
}

choices! {
    /// The words of a policy for what well represented means.
    pub enum DiversityKind {
        /// See [`Diversity::Distinct`].
        Distinct = "distinct",
        /// See [`Diversity::Frequency`].
        Frequency = "frequency",
        /// See [`Diversity::Entropy`].
        Entropy = "entropy",
        /// See [`Diversity::Recursive`].
        Recursive = "recursive",
    }
}

impl Diversity {
    /// The word of a policy for it.
    pub fn kind(self) -> DiversityKind {
        match self {
            Diversity::Distinct(_) => DiversityKind::Distinct,
            Diversity::Frequency(_) => DiversityKind::Frequency,
            Diversity::Entropy(_) => DiversityKind::Entropy,
            Diversity::Recursive { .. } => DiversityKind::Recursive,
        }
    }

    /// How diverse.
    pub fn l(self) -> Exact {
        match self {
            Diversity::Distinct(l) | Diversity::Frequency(l) | Diversity::Entropy(l) => l,
            Diversity::Recursive { l, .. } => Exact::whole(l),
        }
    }

    /// The factor of recursive diversity.
    fn c(self) -> Option<Exact> {
        match self {
            Diversity::Recursive { c, .. } => Some(c),
            Diversity::Distinct(_) | Diversity::Frequency(_) | Diversity::Entropy(_) => None,
        }
    }
}

impl LDiversity {
    pub(crate) fn read(clause: &Clause) -> Result<LDiversity> {
        let (kind, l): (DiversityKind, Exact) = (read(clause, "kind")?, read(clause, "l")?);
        let c: Option<Exact> = read(clause, "c")?;
        if c.is_some() && kind != DiversityKind::Recursive {
            let wrong = format!("[privacy.l-diversity] kind = \"{kind}\" takes no 'c'");
            return Err(Error::input(wrong).help("remove 'c', or set kind = \"recursive\""));
        }
        let diversity = match kind {
            DiversityKind::Distinct => Diversity::Distinct(l),
            DiversityKind::Frequency => Diversity::Frequency(l),
            DiversityKind::Entropy => Diversity::Entropy(l),
            DiversityKind::Recursive => {
                let c = c.ok_or_else(|| {
                    let wrong = "[privacy.l-diversity] kind = \"recursive\" needs 'c'";
                    Error::input(wrong)
                        .help("as in c = 4: the most frequent count stays below 4 times the tail")
                })?;
                Diversity::Recursive { c, l: whole(kind, l)? }
            }
        };
        Ok(LDiversity { column: read(clause, "column")?, diversity })
    }

    /// Refuses a fraction where different values are counted, but for groups, which are formed of more values then.
    pub(crate) fn check(&self, publishes: ReleaseKind, purpose: Purpose) -> Result<()> {
        match self.diversity {
            Diversity::Distinct(l) if publishes != ReleaseKind::Groups && purpose == Purpose::Run => {
                whole(DiversityKind::Distinct, l).map(|_| ())
            }
            Diversity::Distinct(_)
            | Diversity::Frequency(_)
            | Diversity::Entropy(_)
            | Diversity::Recursive { .. } => Ok(()),
        }
    }

    pub(crate) fn settings(&self) -> Settings {
        let own = [
            ("column", Some(Setting::Column(self.column))),
            ("kind", Some(Setting::Choice(self.diversity.kind().name()))),
            ("l", Some(Setting::Exact(self.diversity.l()))),
            ("c", self.diversity.c().map(Setting::Exact)),
        ];
        own.into_iter().filter_map(|(key, setting)| Some((key, setting?))).collect()
    }
}

fn whole(kind: DiversityKind, l: Exact) -> Result<u64> {
    Some(l.numerator()).filter(|_| l.denominator() == 1).ok_or_else(|| {
        let wrong = format!("[privacy.l-diversity] kind = \"{kind}\" needs a whole number l, not {l}");
        Error::input(wrong).help("only kind = \"frequency\" and \"entropy\" take fractions")
    })
}

/// `[privacy.l-diversity]`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[],
    name: "l-diversity",
    source: "A. Machanavajjhala, J. Gehrke, D. Kifer, M. Venkitasubramaniam: l-Diversity: Privacy Beyond k-Anonymity. ICDE 2006",
    summary: "every class has at least l well-represented values of a sensitive column",
    help: "An attacker who knows which class a person is in still cannot be sure of the sensitive value. kind = \"distinct\": at \
           least l different values; \"frequency\": no value above 1/l; \"entropy\": entropy at least log l; \
           \"recursive\": the most frequent count strictly below c times the sum of the counts from the l-th on.",
    keys: &[
        Key::optional(
            "column",
            KeyKind::Column(Role::Sensitive),
            "the sensitive column, as in column = \"disease\"; left out: every sensitive column",
        ),
        Key::required("l", KeyKind::Exact("1", ""), "how diverse, as in l = 3"),
        Key::with_default(
            "kind",
            KeyKind::Choice(DiversityKind::WORDS),
            "distinct",
            "what well represented means: distinct, frequency, entropy or recursive",
        ),
        Key::optional("c", KeyKind::Exact("0", ""), "the factor of recursive (c,l)-diversity, as in c = 4"),
    ],
};
