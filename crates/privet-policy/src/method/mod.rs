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

use std::collections::BTreeMap;

use crate::check::{DataKind, PolicyColumn, Role};
use crate::declare::{Accepts, Catalogue, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::requirement;
use crate::requirement::{ItemRequirement, Requirement};
use crate::typed::{choices, stated};
use privet_core::{Error, Exact};
use privet_taxonomy::words::Semantics;

pub use aa::Aa;
pub use annealing::SimulatedAnnealing;
pub use codip::{Codip, CodipStar, ProjectionCost};
pub use ff::{Ff, FfOptimal, FreeformCost};
pub use full_domain::FullDomain;
pub use injector::{Anatomy, Injector, Publication, Strategy, Unfit};
pub use l_plus::{BreakMinimality, CutOrder, CutSearch, LPlusCost, LPlusOptimize, Scheme};
pub use lg::Lg;
pub use lg_bags::{LgBag, LgSet};
pub use mm::Mm;
pub use mondrian::{Labels, Mondrian, Numbers, Partitioning, Splits};
pub use og::{ItemLimits, ItemSearch, Mog, Og, Phase};
pub use quasi_sensitive::{QuasiSensitive, RemovalSearch, WayOut};
pub use ssg::{Centre, Matching, Penalty, Residual, Ssg};

choices! {
    /// Measures of what a table loses.
    pub enum TableCost {
        /// The loss metric.
        Lm = "LM",
        /// The normalised certainty penalty.
        Ncp = "NCP",
        /// The discernibility metric.
        Dm = "DM",
        /// The classification metric.
        Cm = "CM",
        /// The average size of a class over k.
        AverageClassSize = "average-class-size",
        /// The sum of the levels.
        Height = "height",
        /// One minus the mean share of the height that was gone up.
        Precision = "precision",
        /// Non-uniform entropy.
        Entropy = "entropy",
    }
}

choices! {
    /// Measures of what sets of items lose.
    pub enum ItemCost {
        /// The normalised certainty penalty.
        Ncp = "NCP",
        /// The loss metric.
        Lm = "LM",
    }
}

/// What is wrong with a method's keys, and with which.
pub(crate) type Checked = std::result::Result<(), (&'static str, Error)>;

stated! {
    /// How the release of a table is made; closed as [`Requirement`] is.
    pub enum Method {
        /// One level for every quasi-identifier, proven the best.
        FullDomain(FullDomain) = full_domain::DECLARATION,
        /// Partitioning from the top.
        Mondrian(Mondrian) = mondrian::DECLARATION,
        /// The optimal cut through every taxonomy under l+-diversity.
        LPlusOptimize(LPlusOptimize) = l_plus::DECLARATION,
        /// A good cut by simulated annealing.
        SimulatedAnnealing(SimulatedAnnealing) = annealing::DECLARATION,
        /// Groups in which an adversary's knowledge does not help.
        Injector(Injector) = injector::DECLARATION,
        /// Groups of l different values.
        Anatomy(Anatomy) = injector::ANATOMY,
        /// Several tables by merging.
        CodipStar(CodipStar) = codip::STAR,
        /// Several tables by the best plan.
        Codip(Codip) = codip::CODIP,
        /// The cuts of least cost under FF-anonymity; before the other, and so what it is made with where a policy names none.
        FfOptimal(FfOptimal) = ff::OPTIMAL,
        /// Cuts that nothing can be specialised in further under FF-anonymity.
        Ff(Ff) = ff::DECLARATION,
        /// Groups by Mondrian, then removal of terms.
        QuasiSensitive(QuasiSensitive) = quasi_sensitive::DECLARATION,
    }
    limited { FullDomain, Mondrian, LPlusOptimize, SimulatedAnnealing, Codip, FfOptimal, QuasiSensitive }
    unlimited { Injector, Anatomy, CodipStar, Ff }
    declared in
    /// The methods for tables.
    TABLE_METHODS
}

stated! {
    /// How a release of transactions is made; closed as [`Requirement`] is.
    pub enum ItemMethod {
        /// The cheapest cut of the item tree.
        Og(Og) = og::DECLARATION,
        /// The same in rounds.
        Mog(Mog) = og::MULTI_ROUND,
        /// Greedy generalisation.
        Aa(Aa) = aa::DECLARATION,
        /// Local generalisation.
        Lg(Lg) = lg::DECLARATION,
        /// Item suppression.
        Mm(Mm) = mm::DECLARATION,
    }
    limited { Og }
    unlimited { Mog, Aa, Lg, Mm }
    declared in
    /// The methods for transactions.
    TRANSACTION_METHODS
}

stated! {
    /// How a release of vocabularies is made; closed as [`Requirement`] is.
    pub enum VocabularyMethod {
        /// Clusters by meaning.
        Ssg(Ssg) = ssg::DECLARATION,
        /// Local generalisation of bags.
        LgBag(LgBag) = lg_bags::BAG_DECLARATION,
        /// Local generalisation of bags, published as sets.
        Lg(LgSet) = lg_bags::DECLARATION,
    }
    declared in
    /// The methods for query logs and vocabularies.
    VOCABULARY_METHODS
}

choices! {
    /// How the items of a column of sets are generalised.
    pub enum Cuts {
        /// Every class has a cut of its own.
        Local = "local",
        /// All classes have the same cut.
        Global = "global",
    }
}

/// How a method treats a column of sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemCuts {
    /// Whether classes share a cut.
    pub cuts: Cuts,
    /// The largest share of item occurrences that may be removed.
    pub limit: Exact,
}

impl Method {
    /// How it treats a column of sets; `None` where it cannot.
    pub fn item_cuts(&self) -> Option<ItemCuts> {
        let (cuts, limit) = match self {
            Method::FullDomain(own) => (own.cuts, own.item_suppression_limit),
            Method::Mondrian(own) => (own.cuts, own.item_suppression_limit),
            Method::LPlusOptimize(_)
            | Method::SimulatedAnnealing(_)
            | Method::Injector(_)
            | Method::Anatomy(_)
            | Method::CodipStar(_)
            | Method::Codip(_)
            | Method::Ff(_)
            | Method::FfOptimal(_)
            | Method::QuasiSensitive(_) => return None,
        };
        Some(ItemCuts { cuts: cuts.unwrap_or(Cuts::Local), limit: limit.unwrap_or(Exact::ZERO) })
    }

    /// How likely a class is published more general than necessary.
    pub fn extra_generalisation(&self) -> Exact {
        match self {
            Method::LPlusOptimize(own) => own.extra_generalisation,
            Method::FullDomain(_)
            | Method::Mondrian(_)
            | Method::SimulatedAnnealing(_)
            | Method::Injector(_)
            | Method::Anatomy(_)
            | Method::CodipStar(_)
            | Method::Codip(_)
            | Method::Ff(_)
            | Method::FfOptimal(_)
            | Method::QuasiSensitive(_) => Exact::ZERO,
        }
    }

    /// What it publishes.
    pub fn publishes(&self) -> ReleaseKind {
        self.declaration().publishes
    }

    /// Whether it is about columns of this role, and not about quasi-identifiers and sensitive columns alone.
    pub fn is_about(&self, role: Role) -> bool {
        self.declaration().role == Some(role)
    }

    /// Whether every column is published at one level of its hierarchy. Only then a class can be compared with the records
    /// that it becomes part of at higher levels.
    pub fn has_levels(&self) -> bool {
        match self {
            Method::FullDomain(own) => !own.refine,
            Method::CodipStar(_) | Method::Codip(_) => true,
            Method::Mondrian(_)
            | Method::LPlusOptimize(_)
            | Method::SimulatedAnnealing(_)
            | Method::Injector(_)
            | Method::Anatomy(_)
            | Method::Ff(_)
            | Method::FfOptimal(_)
            | Method::QuasiSensitive(_) => false,
        }
    }

    /// What the release should lose least of, or what is reported first; LM where nothing is said.
    pub fn cost(&self) -> TableCost {
        match self {
            Method::FullDomain(FullDomain { cost, .. }) | Method::Mondrian(Mondrian { cost, .. }) => *cost,
            Method::LPlusOptimize(LPlusOptimize { cost, .. })
            | Method::SimulatedAnnealing(SimulatedAnnealing { cost, .. }) => cost.of_tables(),
            Method::CodipStar(CodipStar { cost, .. }) | Method::Codip(Codip { cost, .. }) => match cost {
                ProjectionCost::Dm => TableCost::Dm,
                ProjectionCost::Lm => TableCost::Lm,
            },
            Method::Ff(Ff { cost, .. }) | Method::FfOptimal(FfOptimal { cost, .. }) => match cost {
                FreeformCost::Lm => TableCost::Lm,
            },
            Method::Injector(_) | Method::Anatomy(_) | Method::QuasiSensitive(_) => TableCost::Lm,
        }
    }

    /// Of how many best plans one is drawn, where the policy asks for that.
    pub fn drawn_from(&self) -> Option<u64> {
        match self {
            Method::FullDomain(own) => own.break_minimality,
            Method::LPlusOptimize(own) => own.drawn_from(),
            Method::CodipStar(CodipStar { break_minimality, .. })
            | Method::Codip(Codip { break_minimality, .. }) => *break_minimality,
            Method::Mondrian(_)
            | Method::SimulatedAnnealing(_)
            | Method::Injector(_)
            | Method::Anatomy(_)
            | Method::Ff(_)
            | Method::FfOptimal(_)
            | Method::QuasiSensitive(_) => None,
        }
    }

    /// How it suppresses what violates a threshold, where it has a scheme.
    pub fn suppression(&self) -> Option<Scheme> {
        match self {
            Method::LPlusOptimize(LPlusOptimize { suppression, .. })
            | Method::SimulatedAnnealing(SimulatedAnnealing { suppression, .. }) => Some(*suppression),
            Method::FullDomain(_)
            | Method::Mondrian(_)
            | Method::Injector(_)
            | Method::Anatomy(_)
            | Method::CodipStar(_)
            | Method::Codip(_)
            | Method::Ff(_)
            | Method::FfOptimal(_)
            | Method::QuasiSensitive(_) => None,
        }
    }

    /// Whether any number of records may be left out because nothing else would do.
    pub fn withholds(&self) -> bool {
        match self {
            Method::Injector(own) => own.infeasible == Unfit::Suppress,
            Method::QuasiSensitive(own) => own.infeasible == WayOut::Suppress,
            Method::FullDomain(_)
            | Method::Mondrian(_)
            | Method::LPlusOptimize(_)
            | Method::SimulatedAnnealing(_)
            | Method::Anatomy(_)
            | Method::CodipStar(_)
            | Method::Codip(_)
            | Method::Ff(_)
            | Method::FfOptimal(_) => false,
        }
    }

    /// The largest share of records that may be left out because the policy says so.
    pub fn suppression_limit(&self) -> Exact {
        match self {
            Method::FullDomain(own) => own.suppression_limit,
            Method::Mondrian(_)
            | Method::LPlusOptimize(_)
            | Method::SimulatedAnnealing(_)
            | Method::Injector(_)
            | Method::Anatomy(_)
            | Method::CodipStar(_)
            | Method::Codip(_)
            | Method::Ff(_)
            | Method::FfOptimal(_)
            | Method::QuasiSensitive(_) => Exact::ZERO,
        }
    }

    /// The lowest levels that columns may be published at, by their positions in the data, where the policy says any.
    pub fn least_levels(&self) -> Option<&BTreeMap<usize, u64>> {
        match self {
            Method::FullDomain(own) => own.least_levels.as_ref(),
            Method::Mondrian(_)
            | Method::LPlusOptimize(_)
            | Method::SimulatedAnnealing(_)
            | Method::Injector(_)
            | Method::Anatomy(_)
            | Method::CodipStar(_)
            | Method::Codip(_)
            | Method::Ff(_)
            | Method::FfOptimal(_)
            | Method::QuasiSensitive(_) => None,
        }
    }

    /// Whether other versions of the table are attacked too, for comparison.
    pub fn compares(&self) -> bool {
        match self {
            Method::Ff(Ff { compare, .. }) | Method::FfOptimal(FfOptimal { compare, .. }) => *compare,
            Method::FullDomain(_)
            | Method::Mondrian(_)
            | Method::LPlusOptimize(_)
            | Method::SimulatedAnnealing(_)
            | Method::Injector(_)
            | Method::Anatomy(_)
            | Method::CodipStar(_)
            | Method::Codip(_)
            | Method::QuasiSensitive(_) => false,
        }
    }

    /// Whether classes are split further after the plan, some children of a node and the rest: `refine`.
    pub fn refines(&self) -> bool {
        match self {
            Method::FullDomain(own) => own.refine,
            Method::Mondrian(own) => own.refine,
            Method::LPlusOptimize(_)
            | Method::SimulatedAnnealing(_)
            | Method::Injector(_)
            | Method::Anatomy(_)
            | Method::CodipStar(_)
            | Method::Codip(_)
            | Method::Ff(_)
            | Method::FfOptimal(_)
            | Method::QuasiSensitive(_) => false,
        }
    }

    /// Refuses keys that contradict each other, and what the columns of the data do not allow.
    pub(crate) fn check(&self, columns: &[PolicyColumn], requirements: &[Requirement]) -> Checked {
        if self.cost() == TableCost::Cm && columns.iter().all(|column| column.role != Some(Role::Class)) {
            return Err(("cost", no_label()));
        }
        if !matches!(self, Method::Mondrian(_))
            && let Some(column) = columns.iter().find(|column| column.labels.is_some())
        {
            let wrong = format!(
                "column '{}' has 'labels', which method \"{}\" does not use",
                column.name,
                self.name()
            );
            return Err(("name", Error::input(wrong).help("remove 'labels', or set name = \"mondrian\"")));
        }
        let about = || requirements.iter().find_map(Requirement::column);
        match self {
            Method::FullDomain(own) => own.check(columns, requirements),
            Method::LPlusOptimize(own) => own.check(columns),
            Method::SimulatedAnnealing(own) => {
                l_plus::check_prices(own.suppression, own.cost, [own.cost_value, own.cost_record], columns)
            }
            Method::Injector(_) | Method::Anatomy(_) => {
                injector::check_columns(columns, about()).map_err(|error| ("name", error))
            }
            Method::CodipStar(_) | Method::Codip(_) => {
                codip::check_columns(self.name(), columns).map_err(|error| ("name", error))
            }
            Method::Mondrian(own) => own.check(columns, requirements),
            Method::Ff(_) | Method::FfOptimal(_) | Method::QuasiSensitive(_) => Ok(()),
        }
    }
}

/// The error for the cost CM without a column of labels.
pub fn no_label() -> Error {
    Error::input("the cost CM needs a class column")
        .help("give the column that analysis wants to predict role = \"class\", or choose another cost")
}

impl ItemMethod {
    /// What the release should lose least of, or what is reported first.
    pub fn cost(&self) -> ItemCost {
        match self {
            ItemMethod::Og(Og { cost, .. })
            | ItemMethod::Mog(Mog { cost, .. })
            | ItemMethod::Aa(Aa { cost })
            | ItemMethod::Lg(Lg { cost })
            | ItemMethod::Mm(Mm { cost }) => *cost,
        }
    }

    /// How much may be suppressed; `mm` suppresses as many items as it needs, and has no limit.
    pub fn limits(&self) -> ItemLimits {
        match self {
            ItemMethod::Og(Og { item_suppression_limit, suppression_limit, .. })
            | ItemMethod::Mog(Mog { item_suppression_limit, suppression_limit, .. }) => {
                ItemLimits { items: *item_suppression_limit, transactions: *suppression_limit }
            }
            ItemMethod::Aa(_) | ItemMethod::Lg(_) | ItemMethod::Mm(_) => ItemLimits::NONE,
        }
    }

    /// Refuses keys that contradict each other or the requirements.
    pub(crate) fn check(&self, requirements: &[ItemRequirement]) -> Checked {
        self.limits().check(requirements)?;
        let is_measured = |asked: &&ItemRequirement| matches!(asked, ItemRequirement::KlPrivacy(own) if own.measured().is_some());
        if requirements.iter().find(is_measured).is_some() {
            if let Some(other) = requirements.iter().find(|asked| asked.knows_absences()) {
                let wrong = format!(
                    "'power' in [privacy.kl-privacy] does not go with [privacy.{}], whose adversary knows absent items",
                    other.name()
                );
                return Err(("name", Error::input(wrong).help("remove 'power', or the other requirement")));
            }
            if matches!(self, ItemMethod::Og(Og { search: ItemSearch::Enumeration, .. })) {
                let wrong = "search = \"enumeration\" counts every known item once and cannot use 'power'";
                return Err(("search", Error::input(wrong).help("remove 'search'")));
            }
        }
        match self {
            ItemMethod::Og(own) => own.check(),
            ItemMethod::Mog(_) | ItemMethod::Aa(_) | ItemMethod::Lg(_) | ItemMethod::Mm(_) => Ok(()),
        }
    }
}

impl VocabularyMethod {
    /// Refuses what the distances between terms do not allow; `epsilon` is in their units.
    pub(crate) fn check(&self, semantics: &Semantics, epsilon: u32) -> Checked {
        match self {
            VocabularyMethod::Ssg(own) => own.check(semantics, epsilon),
            VocabularyMethod::LgBag(_) | VocabularyMethod::Lg(_) if !semantics.has_tree() => {
                let wrong =
                    format!("method '{}' generalises words, but these distances have no tree", self.name());
                let help = "use distances from a taxonomy or from WordNet's tree in [semantics], or set name = \"ssg\" in \
                            [method]";
                Err(("name", Error::input(wrong).help(help)))
            }
            VocabularyMethod::LgBag(_) | VocabularyMethod::Lg(_) => Ok(()),
        }
    }

    /// What is printed for terms that stand for each other, where the method lets the policy choose.
    pub fn centre(&self) -> Option<Centre> {
        match self {
            VocabularyMethod::Ssg(own) => Some(own.centre),
            VocabularyMethod::LgBag(_) | VocabularyMethod::Lg(_) => None,
        }
    }
}

/// The catalogues of all kinds of data.
pub static CATALOGUES: [&Catalogue; 3] = [&TABLES, &TRANSACTIONS, &VOCABULARIES];

impl Catalogue {
    /// The catalogue of a kind of data.
    pub fn of(kind: DataKind) -> &'static Catalogue {
        match kind {
            DataKind::Table => &TABLES,
            DataKind::Transactions => &TRANSACTIONS,
            DataKind::QueryLog | DataKind::Vocabularies => &VOCABULARIES,
        }
    }
}

/// All requirements and methods for tables.
pub static TABLES: Catalogue =
    Catalogue { requirements: requirement::TABLES, methods: TABLE_METHODS, default_method: "full-domain" };

/// All requirements and methods for transactions.
pub static TRANSACTIONS: Catalogue =
    Catalogue { requirements: requirement::TRANSACTIONS, methods: TRANSACTION_METHODS, default_method: "og" };

/// All requirements and methods for query logs and vocabularies.
pub static VOCABULARIES: Catalogue =
    Catalogue { requirements: requirement::VOCABULARIES, methods: VOCABULARY_METHODS, default_method: "ssg" };

/// The requirements that classes are judged by one by one.
const ABOUT_CLASSES: &[&str] = &["k-anonymity", "l-diversity", "l-plus-diversity", "t-closeness"];

/// Requirements on what classes stand for in the population.
const ABOUT_POPULATION: &[&str] = &["k-map", "delta-presence", "individual-risk"];

/// Requirements on all classes of a release together.
const ABOUT_RELEASE: &[&str] =
    &["average-risk", "sample-uniqueness", "population-uniqueness", "household-risk"];
/// Why no other methods take requirements about what terms reveal.
const ABOUT_TERMS: &str = "what a class reveals depends on all terms of its records together; methods that count single \
                           sensitive values, or publish several tables, do not see that";

/// The requirements for transactions.
const ABOUT_TRANSACTIONS: &[&str] =
    &["kl-privacy", "km-anonymity", "coherence", "transactional-k-anonymity", "privacy-degree"];

/// What all methods for vocabularies take.
const ABOUT_VOCABULARIES: &[Accepts] = &[Accepts::once(&["vocabulary-k-anonymity"])];

/// What a table method loses least of.
const COST: Key = Key::with_default(
    "cost",
    KeyKind::Choice(TableCost::WORDS),
    "LM",
    "what the release should lose least of; all costs are reported",
);

/// For methods that no cost steers.
const REPORTED_COST: Key =
    Key { help: "the cost that is reported first; it does not steer this method", ..COST };

/// What the release should lose least of.
const ITEM_COST: Key = Key::with_default(
    "cost",
    KeyKind::Choice(ItemCost::WORDS),
    "NCP",
    "what the release should lose least of; both are reported",
);

/// For methods that treat a column of sets.
const CUTS: Key = Key::optional(
    "cuts",
    KeyKind::Choice(Cuts::WORDS),
    "for a column of role \"set\": whether every class generalises its items in its own way (local, unless said otherwise), \
     which loses less, or all in the same way (global), so that labels mean the same everywhere",
);

/// For methods that treat a column of sets.
const SET_SUPPRESSION: Key = Key::optional(
    "item_suppression_limit",
    KeyKind::Exact("0", "1"),
    "for a column of role \"set\": the largest share of item occurrences that may be removed, as in 0.01; none unless said \
     otherwise",
);

/// For methods that look for the best until the time is over.
const TIME_LIMIT: Key = Key::optional(
    "time_limit",
    KeyKind::Duration,
    "how long the search may take, as in \"30s\"; it then returns the best so far and what is proven about it",
);

/// For methods whose classes can be refined.
const REFINE: Key = Key::with_default(
    "refine",
    KeyKind::Flag,
    "false",
    "whether the records below a child of a shown node may form a class of their own while the rest keeps the node, \
     largest saving first, until nothing can be split any more",
);
