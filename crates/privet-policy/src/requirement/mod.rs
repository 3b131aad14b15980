//! What a release must guarantee: every requirement with its keys, defaults and help, declared once.

pub mod average_risk;
pub mod beta_likeness;
pub mod delta_disclosure;
pub mod delta_presence;
pub mod freeform;
pub mod household_risk;
pub mod individual_risk;
pub mod k_anonymity;
pub mod k_map;
pub mod kl;
pub mod l_diversity;
pub mod l_plus;
pub mod lkc;
pub mod matching;
pub mod n_t_closeness;
pub mod population_uniqueness;
pub mod projection;
pub mod quasi_sensitive;
pub mod sample_uniqueness;
pub mod t_closeness;
pub mod vocabulary;

use crate::check::PolicyColumn;
use crate::declare::Declaration;
use crate::door::Purpose;
use crate::population::Population;
use crate::release_kind::ReleaseKind;
use crate::typed::stated;
use privet_core::{Error, Exact, Result};

pub use average_risk::AverageRisk;
pub use beta_likeness::{BetaLikeness, LikenessKind};
pub use delta_disclosure::{Absent, DeltaDisclosure};
pub use delta_presence::{DeltaPresence, OnSuppression};
pub use freeform::FfAnonymity;
pub use household_risk::HouseholdRisk;
pub use individual_risk::IndividualRisk;
pub use k_anonymity::{CountedUnit, KAnonymity};
pub use k_map::{CountedBy, KMap};
pub use kl::{Coherence, KlOfSets, KlPrivacy, KmAnonymity, Power, PrivacyDegree, TransactionalKAnonymity};
pub use l_diversity::{Diversity, DiversityKind, LDiversity};
pub use l_plus::{Base, LPlusDiversity, ThetaRule};
pub use lkc::LkcPrivacy;
pub use matching::MatchingLDiversity;
pub use n_t_closeness::NtCloseness;
pub use population_uniqueness::{Estimator, PopulationUniqueness};
pub use projection::Projection;
pub use quasi_sensitive::{PriorKind, QsCloseness, QsDiversity};
pub use sample_uniqueness::SampleUniqueness;
pub use t_closeness::{Distance, TCloseness};
pub use vocabulary::VocabularyKAnonymity;

stated! {
    /// What the release of a table must guarantee.
    ///
    /// Closed on purpose: code that judges or explains requirements matches all of them, so that the compiler lists the places
    /// that must answer for a new one.
    pub enum Requirement {
        /// Every class has at least k records.
        KAnonymity(KAnonymity) = k_anonymity::DECLARATION,
        /// Every class has well-represented values of a sensitive column.
        LDiversity(LDiversity) = l_diversity::DECLARATION,
        /// No value exceeds its own threshold in a class.
        LPlusDiversity(LPlusDiversity) = l_plus::DECLARATION,
        /// Records that agree on at most L quasi-identifiers are K or more, with no value above the share C.
        LkcPrivacy(LkcPrivacy) = lkc::DECLARATION,
        /// In every class, m known items of a column of sets fit k records, and no sensitive item follows.
        KlOfSets(KlOfSets) = kl::KL_OF_SETS,
        /// Whatever rules an adversary knows, l values stay possible for everybody.
        MatchingLDiversity(MatchingLDiversity) = matching::DECLARATION,
        /// Nobody's terms point at few labels.
        QsDiversity(QsDiversity) = quasi_sensitive::DIVERSITY,
        /// What a group's terms reveal is nearly what was believed before.
        QsCloseness(QsCloseness) = quasi_sensitive::CLOSENESS,
        /// A sensitive column is distributed in every class much as in the whole table.
        TCloseness(TCloseness) = t_closeness::DECLARATION,
        /// No value is much more frequent in a class than in the whole table.
        BetaLikeness(BetaLikeness) = beta_likeness::DECLARATION,
        /// Every value is about as frequent in every class as in the whole table.
        DeltaDisclosure(DeltaDisclosure) = delta_disclosure::DECLARATION,
        /// Behind every class there are k people of the population.
        KMap(KMap) = k_map::DECLARATION,
        /// Of the people behind every class, a bounded share is in the data.
        DeltaPresence(DeltaPresence) = delta_presence::DECLARATION,
        /// On average records are hard to find.
        AverageRisk(AverageRisk) = average_risk::DECLARATION,
        /// Few records are alone in their class.
        SampleUniqueness(SampleUniqueness) = sample_uniqueness::DECLARATION,
        /// Few people of the population are estimated to be unique.
        PopulationUniqueness(PopulationUniqueness) = population_uniqueness::DECLARATION,
        /// With survey weights, every record is hard to find.
        IndividualRisk(IndividualRisk) = individual_risk::DECLARATION,
        /// With survey weights, every household is hard to find.
        HouseholdRisk(HouseholdRisk) = household_risk::DECLARATION,
        /// A sensitive column is distributed in every class much as in a larger group.
        NtCloseness(NtCloseness) = n_t_closeness::DECLARATION,
        /// No guarded value follows from what can be observed.
        FfAnonymity(FfAnonymity) = freeform::DECLARATION,
        /// What several tables together may lose and expose.
        Projection(Projection) = projection::DECLARATION,
    }
    declared in
    /// The requirements for tables.
    TABLES
}

stated! {
    /// What a release of transactions must guarantee; closed as [`Requirement`] is.
    pub enum ItemRequirement {
        /// Knowing m items present and n absent points at k transactions or more, and at no sensitive item.
        KlPrivacy(KlPrivacy) = kl::KL_PRIVACY,
        /// Knowing m items points at k transactions or more.
        KmAnonymity(KmAnonymity) = kl::KM_ANONYMITY,
        /// Knowing p items points at k transactions or more, and at no sensitive item.
        Coherence(Coherence) = kl::COHERENCE,
        /// Every transaction looks like k - 1 others.
        TransactionalKAnonymity(TransactionalKAnonymity) = kl::TRANSACTIONAL_K_ANONYMITY,
        /// Among transactions that look alike no sensitive item is surer than 1/p.
        PrivacyDegree(PrivacyDegree) = kl::PRIVACY_DEGREE,
    }
    declared in
    /// The requirements for transactions.
    TRANSACTIONS
}

impl Requirement {
    /// The column that it is about, by its position in the data.
    pub fn column(&self) -> Option<usize> {
        match self {
            Requirement::LDiversity(LDiversity { column, .. })
            | Requirement::LPlusDiversity(LPlusDiversity { column, .. })
            | Requirement::TCloseness(TCloseness { column, .. })
            | Requirement::BetaLikeness(BetaLikeness { column, .. })
            | Requirement::DeltaDisclosure(DeltaDisclosure { column, .. })
            | Requirement::NtCloseness(NtCloseness { column, .. })
            | Requirement::KlOfSets(KlOfSets { column, .. })
            | Requirement::MatchingLDiversity(MatchingLDiversity { column, .. })
            | Requirement::QsDiversity(QsDiversity { column, .. })
            | Requirement::QsCloseness(QsCloseness { column, .. }) => Some(*column),
            Requirement::LkcPrivacy(LkcPrivacy { column, .. }) => *column,
            Requirement::KAnonymity(_)
            | Requirement::KMap(_)
            | Requirement::DeltaPresence(_)
            | Requirement::AverageRisk(_)
            | Requirement::SampleUniqueness(_)
            | Requirement::PopulationUniqueness(_)
            | Requirement::IndividualRisk(_)
            | Requirement::HouseholdRisk(_)
            | Requirement::Projection(_)
            | Requirement::FfAnonymity(_) => None,
        }
    }

    /// The same about another column, where it is about one. `bits` says that this is a value of a set, there or not: two
    /// values that are neither ordered nor in a hierarchy.
    pub fn about(&self, other: usize, bits: bool) -> Requirement {
        let mut about = self.clone();
        match &mut about {
            Requirement::LDiversity(LDiversity { column, .. })
            | Requirement::LPlusDiversity(LPlusDiversity { column, .. })
            | Requirement::BetaLikeness(BetaLikeness { column, .. })
            | Requirement::DeltaDisclosure(DeltaDisclosure { column, .. })
            | Requirement::KlOfSets(KlOfSets { column, .. })
            | Requirement::MatchingLDiversity(MatchingLDiversity { column, .. })
            | Requirement::QsDiversity(QsDiversity { column, .. })
            | Requirement::QsCloseness(QsCloseness { column, .. }) => *column = other,
            Requirement::LkcPrivacy(LkcPrivacy { column, .. }) => *column = Some(other),
            Requirement::TCloseness(TCloseness { column, distance, .. })
            | Requirement::NtCloseness(NtCloseness { column, distance, .. }) => {
                *column = other;
                if bits {
                    *distance = Distance::Equal;
                }
            }
            Requirement::KAnonymity(_)
            | Requirement::KMap(_)
            | Requirement::DeltaPresence(_)
            | Requirement::AverageRisk(_)
            | Requirement::SampleUniqueness(_)
            | Requirement::PopulationUniqueness(_)
            | Requirement::IndividualRisk(_)
            | Requirement::HouseholdRisk(_)
            | Requirement::Projection(_)
            | Requirement::FfAnonymity(_) => {}
        }
        about
    }

    /// Refuses what no data with these columns can meet, or no method that publishes this.
    pub(crate) fn check(
        &self,
        publishes: ReleaseKind,
        purpose: Purpose,
        columns: &[PolicyColumn],
    ) -> Result<()> {
        if publishes != ReleaseKind::Projections {
            self.check_sets(columns)?;
        }
        match self {
            Requirement::LDiversity(diversity) => diversity.check(publishes, purpose),
            Requirement::LkcPrivacy(lkc) => lkc.check(columns),
            Requirement::QsCloseness(closeness) => closeness.check(columns),
            Requirement::TCloseness(TCloseness { column, distance, .. })
            | Requirement::NtCloseness(NtCloseness { column, distance, .. }) => {
                distance.check(self.name(), columns.get(*column))
            }
            Requirement::DeltaDisclosure(disclosure) => disclosure.check(),
            Requirement::AverageRisk(risk) => risk.check(),
            Requirement::KlOfSets(asked) => asked.check(columns),
            Requirement::KAnonymity(_)
            | Requirement::KMap(_)
            | Requirement::DeltaPresence(_)
            | Requirement::SampleUniqueness(_)
            | Requirement::PopulationUniqueness(_)
            | Requirement::IndividualRisk(_)
            | Requirement::HouseholdRisk(_)
            | Requirement::LPlusDiversity(_)
            | Requirement::BetaLikeness(_)
            | Requirement::MatchingLDiversity(_)
            | Requirement::Projection(_)
            | Requirement::FfAnonymity(_)
            | Requirement::QsDiversity(_) => Ok(()),
        }
    }

    /// Refuses what has no meaning for a column whose cells hold several values, each judged by the share of records that
    /// hold it.
    fn check_sets(&self, columns: &[PolicyColumn]) -> Result<()> {
        let column = self.column().and_then(|column| columns.get(column));
        let Some(column) = column.filter(|column| column.separator.is_some()) else { return Ok(()) };
        let (name, own) = (self.name(), &column.name);
        let refused = |reason: &str, help: &str| {
            let message =
                format!("[privacy.{name}] cannot judge '{own}', whose cells hold several values: {reason}");
            Err(Error::input(message).help(help))
        };
        match self {
            Requirement::LDiversity(LDiversity { diversity, .. }) => match diversity {
                Diversity::Distinct(_) | Diversity::Frequency(_) => Ok(()),
                Diversity::Entropy(_) => refused(
                    "entropy needs shares that add up to 1, and a record that holds two values counts in two shares",
                    "use kind = \"frequency\" or \"distinct\"",
                ),
                Diversity::Recursive { .. } => refused(
                    "the sum of the rarer values' counts is not a number of records, since a record that holds two values \
                     counts twice",
                    "use kind = \"frequency\" or \"distinct\"",
                ),
            },
            Requirement::TCloseness(TCloseness { distance, .. }) if *distance != Distance::PerValue => {
                refused(
                    "moving shares from value to value needs shares that add up to 1",
                    "set distance = \"per-value\": no value's share differs from the whole table's by more than t",
                )
            }
            Requirement::LkcPrivacy(_)
            | Requirement::NtCloseness(_)
            | Requirement::BetaLikeness(_)
            | Requirement::DeltaDisclosure(_)
            | Requirement::MatchingLDiversity(_) => refused(
                "it is defined for records with one value each",
                "use l-diversity, l-plus-diversity or t-closeness, or remove 'separator'",
            ),
            Requirement::KAnonymity(_)
            | Requirement::LPlusDiversity(_)
            | Requirement::TCloseness(_)
            | Requirement::KMap(_)
            | Requirement::DeltaPresence(_)
            | Requirement::AverageRisk(_)
            | Requirement::SampleUniqueness(_)
            | Requirement::PopulationUniqueness(_)
            | Requirement::IndividualRisk(_)
            | Requirement::HouseholdRisk(_)
            | Requirement::KlOfSets(_)
            | Requirement::Projection(_)
            | Requirement::FfAnonymity(_)
            | Requirement::QsDiversity(_)
            | Requirement::QsCloseness(_) => Ok(()),
        }
    }

    /// Fills in what depends on the population and on roles, and refuses what needs one that is not there.
    pub(crate) fn settle(&mut self, population: Option<&Population>, columns: &[PolicyColumn]) -> Result<()> {
        match self {
            Requirement::KMap(map) => map.settle(population, columns),
            Requirement::DeltaPresence(presence) => presence.settle(population),
            Requirement::PopulationUniqueness(uniqueness) => uniqueness.settle(population),
            Requirement::IndividualRisk(risk) => risk.settle(columns),
            Requirement::HouseholdRisk(risk) => risk.settle(columns),
            Requirement::KAnonymity(own) => own.settle(columns),
            Requirement::LDiversity(_)
            | Requirement::LPlusDiversity(_)
            | Requirement::LkcPrivacy(_)
            | Requirement::TCloseness(_)
            | Requirement::BetaLikeness(_)
            | Requirement::DeltaDisclosure(_)
            | Requirement::AverageRisk(_)
            | Requirement::SampleUniqueness(_)
            | Requirement::KlOfSets(_)
            | Requirement::NtCloseness(_)
            | Requirement::MatchingLDiversity(_)
            | Requirement::Projection(_)
            | Requirement::FfAnonymity(_)
            | Requirement::QsDiversity(_)
            | Requirement::QsCloseness(_) => Ok(()),
        }
    }

    /// Whether it counts people in the table of the population.
    pub fn counts_population(&self) -> bool {
        match self {
            Requirement::KMap(map) => map.by == Some(CountedBy::Population),
            Requirement::DeltaPresence(_) => true,
            Requirement::KAnonymity(_)
            | Requirement::LDiversity(_)
            | Requirement::LPlusDiversity(_)
            | Requirement::LkcPrivacy(_)
            | Requirement::TCloseness(_)
            | Requirement::BetaLikeness(_)
            | Requirement::DeltaDisclosure(_)
            | Requirement::AverageRisk(_)
            | Requirement::SampleUniqueness(_)
            | Requirement::PopulationUniqueness(_)
            | Requirement::IndividualRisk(_)
            | Requirement::HouseholdRisk(_)
            | Requirement::KlOfSets(_)
            | Requirement::NtCloseness(_)
            | Requirement::MatchingLDiversity(_)
            | Requirement::Projection(_)
            | Requirement::FfAnonymity(_)
            | Requirement::QsDiversity(_)
            | Requirement::QsCloseness(_) => false,
        }
    }

    /// Whether everybody of the population must be in some class.
    pub fn covers_population(&self) -> bool {
        matches!(self, Requirement::DeltaPresence(presence) if presence.min > Exact::ZERO)
    }

    /// Whether it is about all classes of a release together, so that classes that part or join change whether it holds.
    pub fn is_about_release(&self) -> bool {
        match self {
            Requirement::AverageRisk(_)
            | Requirement::SampleUniqueness(_)
            | Requirement::PopulationUniqueness(_)
            | Requirement::HouseholdRisk(_) => true,
            Requirement::KAnonymity(_)
            | Requirement::LDiversity(_)
            | Requirement::LPlusDiversity(_)
            | Requirement::LkcPrivacy(_)
            | Requirement::TCloseness(_)
            | Requirement::BetaLikeness(_)
            | Requirement::DeltaDisclosure(_)
            | Requirement::KMap(_)
            | Requirement::DeltaPresence(_)
            | Requirement::IndividualRisk(_)
            | Requirement::KlOfSets(_)
            | Requirement::NtCloseness(_)
            | Requirement::MatchingLDiversity(_)
            | Requirement::Projection(_)
            | Requirement::FfAnonymity(_)
            | Requirement::QsDiversity(_)
            | Requirement::QsCloseness(_) => false,
        }
    }

    /// The least size of a class that it asks for.
    pub fn k(&self) -> Option<u64> {
        match self {
            Requirement::KAnonymity(KAnonymity { k, .. }) | Requirement::KlOfSets(KlOfSets { k, .. }) => {
                Some(*k)
            }
            Requirement::LDiversity(_)
            | Requirement::LPlusDiversity(_)
            | Requirement::LkcPrivacy(_)
            | Requirement::TCloseness(_)
            | Requirement::BetaLikeness(_)
            | Requirement::DeltaDisclosure(_)
            | Requirement::KMap(_)
            | Requirement::DeltaPresence(_)
            | Requirement::AverageRisk(_)
            | Requirement::SampleUniqueness(_)
            | Requirement::PopulationUniqueness(_)
            | Requirement::IndividualRisk(_)
            | Requirement::HouseholdRisk(_)
            | Requirement::NtCloseness(_)
            | Requirement::MatchingLDiversity(_)
            | Requirement::Projection(_)
            | Requirement::FfAnonymity(_)
            | Requirement::QsDiversity(_)
            | Requirement::QsCloseness(_) => None,
        }
    }

    /// Whether it is about the people of a class, where the policy says whose the records are: how many there are, and how
    /// many of them have a value.
    pub fn counts_people(&self) -> bool {
        match self {
            Requirement::KAnonymity(_) | Requirement::LPlusDiversity(_) => true,
            Requirement::LDiversity(LDiversity { diversity, .. }) => match diversity {
                Diversity::Distinct(_) | Diversity::Frequency(_) => true,
                Diversity::Entropy(_) | Diversity::Recursive { .. } => false,
            },
            Requirement::LkcPrivacy(_)
            | Requirement::TCloseness(_)
            | Requirement::BetaLikeness(_)
            | Requirement::DeltaDisclosure(_)
            | Requirement::KMap(_)
            | Requirement::DeltaPresence(_)
            | Requirement::AverageRisk(_)
            | Requirement::SampleUniqueness(_)
            | Requirement::PopulationUniqueness(_)
            | Requirement::IndividualRisk(_)
            | Requirement::HouseholdRisk(_)
            | Requirement::NtCloseness(_)
            | Requirement::KlOfSets(_)
            | Requirement::MatchingLDiversity(_)
            | Requirement::Projection(_)
            | Requirement::FfAnonymity(_)
            | Requirement::QsDiversity(_)
            | Requirement::QsCloseness(_) => false,
        }
    }

    /// Why it cannot be asked for where one person may have several records, if it cannot. Others either count people or are
    /// refused by the audit where somebody has several records in one class.
    pub(crate) fn why_not_people(&self) -> Option<&'static str> {
        match self {
            Requirement::KlOfSets(_) => Some(
                "[privacy.kl-privacy] counts the records of a class that hold what is known, and cannot count people",
            ),
            Requirement::LkcPrivacy(_) => Some(
                "[privacy.lkc-privacy] counts records and cannot count people: the K records that agree on what an attacker \
                 knows may all belong to one person",
            ),
            Requirement::KMap(_)
            | Requirement::DeltaPresence(_)
            | Requirement::AverageRisk(_)
            | Requirement::SampleUniqueness(_)
            | Requirement::PopulationUniqueness(_)
            | Requirement::IndividualRisk(_)
            | Requirement::HouseholdRisk(_) => {
                Some("models of populations and of risk take every record for another person")
            }
            Requirement::KAnonymity(_)
            | Requirement::LDiversity(_)
            | Requirement::LPlusDiversity(_)
            | Requirement::TCloseness(_)
            | Requirement::BetaLikeness(_)
            | Requirement::DeltaDisclosure(_)
            | Requirement::NtCloseness(_)
            | Requirement::MatchingLDiversity(_)
            | Requirement::Projection(_)
            | Requirement::FfAnonymity(_)
            | Requirement::QsDiversity(_)
            | Requirement::QsCloseness(_) => None,
        }
    }

    /// Why no class may be left out to meet it, if none may. Most requirements judge each class alone, so leaving out those that
    /// fail leaves a release that meets them.
    pub(crate) fn why_not_suppression(&self) -> Option<&'static str> {
        match self {
            Requirement::LkcPrivacy(_) => Some(
                "a class that is left out is missing from every group of records that agree on some of the quasi-identifiers, \
                 so that other groups may fall below K or exceed C",
            ),
            Requirement::DeltaPresence(DeltaPresence { on_suppression: OnSuppression::Refuse, .. }) => Some(
                "a class that is missing tells that its people are in the data; on_suppression = \"ignore\" bounds the other \
                 classes all the same",
            ),
            Requirement::HouseholdRisk(_) => {
                Some("a household of which members are left out looks smaller than it is")
            }
            Requirement::KAnonymity(_)
            | Requirement::LDiversity(_)
            | Requirement::LPlusDiversity(_)
            | Requirement::TCloseness(_)
            | Requirement::BetaLikeness(_)
            | Requirement::DeltaDisclosure(_)
            | Requirement::KMap(_)
            | Requirement::DeltaPresence(_)
            | Requirement::AverageRisk(_)
            | Requirement::SampleUniqueness(_)
            | Requirement::PopulationUniqueness(_)
            | Requirement::IndividualRisk(_)
            | Requirement::NtCloseness(_)
            | Requirement::KlOfSets(_)
            | Requirement::MatchingLDiversity(_)
            | Requirement::Projection(_)
            | Requirement::FfAnonymity(_)
            | Requirement::QsDiversity(_)
            | Requirement::QsCloseness(_) => None,
        }
    }
}

impl ItemRequirement {
    /// Refuses what the policy's sensitive items do not fit.
    pub(crate) fn check(&self, sensitive: &[String]) -> Result<()> {
        match self {
            ItemRequirement::KlPrivacy(privacy) => privacy.check(sensitive),
            ItemRequirement::KmAnonymity(_)
            | ItemRequirement::Coherence(_)
            | ItemRequirement::TransactionalKAnonymity(_)
            | ItemRequirement::PrivacyDegree(_) => Ok(()),
        }
    }

    /// Whether its adversary may know that items are absent.
    pub fn knows_absences(&self) -> bool {
        match self {
            ItemRequirement::KlPrivacy(privacy) => privacy.n > 0,
            ItemRequirement::KmAnonymity(_) | ItemRequirement::Coherence(_) => false,
            ItemRequirement::TransactionalKAnonymity(_) | ItemRequirement::PrivacyDegree(_) => true,
        }
    }
}

/// The error for a requirement that needs to know the population. `size` says that its size is enough.
pub(super) fn lacks_population(name: &str, size: bool) -> Error {
    let also = if size { ", or give how many they are: size = 317238626" } else { "" };
    let or = if size { " or a size" } else { "" };
    Error::input(format!("[privacy.{name}] needs [population] with a table{or}, which the policy lacks"))
        .help(format!(
            "name the table of everybody who may be in the data: [population] path = \"register.csv\"{also}"
        ))
}

/// The requirements for query logs and vocabularies.
pub static VOCABULARIES: &[&Declaration] = &[&vocabulary::DECLARATION];
