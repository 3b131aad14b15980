//! l+-Optimize.

use super::{Checked, TIME_LIMIT, TableCost};
use crate::check::{PolicyColumn, Role};
use crate::declare::{Accepts, Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::settings::Setting;
use crate::typed::{Value, choices, method};
use crate::weights::ColumnWeights;
use privet_core::{Error, Exact};
use std::time::Duration;

method! {
    /// The optimal cut through every taxonomy.
    pub struct LPlusOptimize {
        /// What happens to a class that violates a threshold.
        pub suppression: Scheme,
        /// What the release should lose least of.
        pub cost: LPlusCost,
        /// What a suppressed sensitive cell costs under LM; left out: the number of quasi-identifiers.
        pub cost_value: Option<Exact>,
        /// What a suppressed record costs under LM; left out: twice the number of quasi-identifiers.
        pub cost_record: Option<Exact>,
        /// How far above the optimum the answer may be.
        pub approximation: Exact,
        /// How many of the best cuts are looked for.
        pub top: u64,
        /// Whether one of several best cuts is drawn.
        pub break_minimality: BreakMinimality,
        /// How likely a class is generalised one step more than necessary.
        pub extra_generalisation: Exact,
        /// How the best cut is searched for.
        pub search: CutSearch,
        /// Which values are specialised first.
        pub order: CutOrder,
        /// Whether a cut is bounded anew each time one of its values has been locked.
        pub tighten: bool,
        /// How long the search may take.
        pub time_limit: Option<Duration>,
    }
    of DECLARATION
}

choices! {
    /// What may happen to a class that violates a threshold (section 3.3 of the thesis).
    pub enum Scheme {
        /// It is not allowed.
        None = "none",
        /// All its records go.
        AllRec = "all-rec",
        /// The fewest records go.
        VioRec = "vio-rec",
        /// All its sensitive cells go.
        AllSa = "all-sa",
        /// The cells of violating values go.
        VioSa = "vio-sa",
    }
}

impl Scheme {
    /// Whether cells are suppressed rather than records.
    pub fn stars(self) -> bool {
        match self {
            Scheme::AllSa | Scheme::VioSa => true,
            Scheme::None | Scheme::AllRec | Scheme::VioRec => false,
        }
    }
}

choices! {
    /// What the search can lose least of.
    pub enum LPlusCost {
        /// The loss metric.
        Lm = "LM",
        /// The discernibility metric.
        Dm = "DM",
        /// The classification metric.
        Cm = "CM",
    }
}

impl LPlusCost {
    /// The same among the costs of all methods.
    pub fn of_tables(self) -> TableCost {
        match self {
            LPlusCost::Lm => TableCost::Lm,
            LPlusCost::Dm => TableCost::Dm,
            LPlusCost::Cm => TableCost::Cm,
        }
    }
}

choices! {
    /// How the best cut is searched for.
    pub enum CutSearch {
        /// On intervals of cuts.
        Interval = "interval",
        /// By the thesis' enumeration tree.
        Enumeration = "enumeration",
    }
}

choices! {
    /// Which values the enumeration specialises first.
    pub enum CutOrder {
        /// Those of many records.
        Descending = "descending",
        /// Those of few records.
        Ascending = "ascending",
    }
}

/// Whether one of several best cuts is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakMinimality {
    /// The best one is published.
    No,
    /// One of as many as are looked for.
    OfTop,
    /// One of this many.
    Of(u64),
}

impl Value for BreakMinimality {
    fn read(setting: Option<&Setting>) -> Option<BreakMinimality> {
        match setting {
            Some(Setting::Flag(false)) => Some(BreakMinimality::No),
            Some(Setting::Flag(true)) => Some(BreakMinimality::OfTop),
            Some(Setting::Count(cuts)) => Some(BreakMinimality::Of(*cuts)),
            _ => None,
        }
    }

    fn written(&self) -> Option<Setting> {
        Some(match self {
            BreakMinimality::No => Setting::Flag(false),
            BreakMinimality::OfTop => Setting::Flag(true),
            BreakMinimality::Of(cuts) => Setting::Count(*cuts),
        })
    }
}

impl LPlusOptimize {
    /// Of how many best cuts one is drawn.
    pub fn drawn_from(&self) -> Option<u64> {
        match self.break_minimality {
            BreakMinimality::No => None,
            BreakMinimality::OfTop => Some(self.top),
            BreakMinimality::Of(cuts) => Some(cuts),
        }
    }

    /// Refuses keys that contradict each other.
    pub(super) fn check(&self, columns: &[PolicyColumn]) -> Checked {
        check_prices(self.suppression, self.cost, [self.cost_value, self.cost_record], columns)?;
        let only_records = matches!(self.suppression, Scheme::None | Scheme::AllRec);
        if self.extra_generalisation > Exact::ZERO && !only_records {
            let wrong = format!(
                "extra_generalisation joins classes, but suppression = \"{}\" decides in each class by itself what is suppressed",
                self.suppression
            );
            let help = "set suppression = \"all-rec\" or \"none\", or remove extra_generalisation";
            return Err(("extra_generalisation", Error::input(wrong).help(help)));
        }
        match self.search {
            CutSearch::Interval => {
                let idle = [("order", self.order == CutOrder::Ascending), ("tighten", !self.tighten)];
                if let Some((key, _)) = idle.into_iter().find(|(_, is_set)| *is_set) {
                    let wrong = format!("'{key}' means nothing to search = \"interval\"");
                    let help =
                        format!("remove it, or set search = \"enumeration\" to measure what '{key}' does");
                    return Err((key, Error::input(wrong).help(help)));
                }
            }
            CutSearch::Enumeration => {
                let several = [("top", self.top > 1), ("break_minimality", self.drawn_from().is_some())];
                if let Some((key, _)) = several.into_iter().find(|(_, is_set)| *is_set) {
                    let wrong = format!("search = \"enumeration\" finds one cut, and '{key}' needs several");
                    return Err((key, Error::input(wrong).help("remove it, or set search = \"interval\"")));
                }
            }
        }
        if self.drawn_from() == Some(1) {
            let wrong = "break_minimality draws one of the top cuts, but top is 1";
            let help = "say of how many: break_minimality = 5";
            return Err(("break_minimality", Error::input(wrong).help(help)));
        }
        Ok(())
    }
}

/// Refuses costs that a scheme does not have, prices of what is not suppressed, and a price at which it would pay to suppress.
pub(super) fn check_prices(
    scheme: Scheme,
    cost: LPlusCost,
    prices: [Option<Exact>; 2],
    columns: &[PolicyColumn],
) -> Checked {
    let lm = cost == LPlusCost::Lm;
    if scheme.stars() && !lm {
        let why = if cost == LPlusCost::Dm {
            "DM counts records that look alike, and says nothing about suppressed sensitive cells"
        } else {
            "CM counts class labels, and says nothing about suppressed sensitive cells"
        };
        let wrong = Error::input(format!("suppression = \"{scheme}\" has no cost {cost}: {why}"));
        return Err(("cost", wrong.help("set cost = \"LM\", or suppression = \"all-rec\"")));
    }
    let used = [("cost_value", scheme.stars()), ("cost_record", lm)];
    for ((key, used), price) in used.into_iter().zip(prices) {
        if price.is_some() && !used {
            let wrong = format!("{key} has no effect with this suppression and cost");
            let help = format!(
                "remove it; {key} prices suppression under LM where the scheme suppresses such a thing"
            );
            return Err((key, Error::input(wrong).help(help)));
        }
    }
    let quasi = columns.iter().filter(|column| column.role.is_some_and(Role::is_generalised));
    let weights: Vec<&ColumnWeights> = quasi.map(|column| &column.weights).collect();
    let most =
        ColumnWeights::most_of_record(weights.iter().copied()).map_err(|error| ("cost_record", error))?;
    if let Some(per_record) = prices[1].filter(|price| *price < most) {
        let wrong = format!(
            "cost_record is {per_record}, but a record may cost up to {most} when it is published: suppressing it would pay"
        );
        let is_weighted = weights.iter().any(|weights| !weights.are_plain());
        let why = if is_weighted { "the weights of all roots" } else { "the number of quasi-identifiers" };
        let help = format!("set cost_record to {most} or more ({why})");
        return Err(("cost_record", Error::input(wrong).help(help)));
    }
    Ok(())
}

/// `[method] name = "l-plus-optimize"`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[Accepts::once(&["l-plus-diversity"]), Accepts::of(&["k-anonymity"])],
    name: "l-plus-optimize",
    source: "J. Liu: Enhancing Utility in Privacy Preserving Data Publishing. PhD thesis, Simon Fraser University, 2010",
    summary: "the optimal cut through every taxonomy under l+-diversity, with five ways to suppress, proven",
    help: "Each quasi-identifier gets a cut through its taxonomy: nodes that together cover every value once, at any \
           levels. Of all cuts of all columns together, the one of least cost is found and proven, where a class that \
           violates a threshold pays for what the suppression scheme does to it.",
    keys: &[
        SUPPRESSION,
        COST,
        COST_VALUE,
        COST_RECORD,
        Key::with_default(
            "approximation",
            KeyKind::Exact("0", "1000"),
            "0",
            "how far above the optimum the answer may be: 0.01 for one per cent",
        ),
        Key::with_default("top", KeyKind::Count(1), "1", "how many of the best cuts are looked for"),
        Key::with_default(
            "break_minimality",
            KeyKind::FlagOrCount(2),
            "false",
            "publish one of this many best cuts (true: of the top ones), drawn by the seed, so that nobody can reason from the \
             best one",
        ),
        Key::with_default(
            "extra_generalisation",
            KeyKind::Exact("0", "1"),
            "0",
            "how likely a class is published one step more general than necessary in one column, drawn by the seed, so that nobody \
             can reason from what was necessary",
        ),
        SEARCH,
        ORDER,
        TIGHTEN,
        TIME_LIMIT,
    ],
};

pub(crate) const SUPPRESSION: Key = Key::with_default(
    "suppression",
    KeyKind::Choice(Scheme::WORDS),
    "all-rec",
    "what happens to a class that violates a threshold: none, all-rec, vio-rec, all-sa or vio-sa",
);

pub(crate) const COST: Key = Key::with_default(
    "cost",
    KeyKind::Choice(LPlusCost::WORDS),
    "LM",
    "what the release should lose least of: LM, DM or CM",
);

pub(crate) const COST_VALUE: Key = Key::optional(
    "cost_value",
    KeyKind::Exact("0", "1000000"),
    "what a suppressed sensitive cell costs under LM; the number of quasi-identifiers when left out",
);

pub(crate) const COST_RECORD: Key = Key::optional(
    "cost_record",
    KeyKind::Exact("0", "1000000"),
    "what a suppressed record costs under LM; twice the number of quasi-identifiers when left out",
);

pub(crate) const SEARCH: Key = Key::with_default(
    "search",
    KeyKind::Choice(CutSearch::WORDS),
    "interval",
    "how the best cut is searched for: on intervals of cuts, or by the thesis' enumeration tree, for comparison",
);

pub(crate) const ORDER: Key = Key::with_default(
    "order",
    KeyKind::Choice(CutOrder::WORDS),
    "descending",
    "for search = \"enumeration\": whether values of many or of few records are specialised first",
);

pub(crate) const TIGHTEN: Key = Key::with_default(
    "tighten",
    KeyKind::Flag,
    "true",
    "for search = \"enumeration\": bound a cut anew each time one of its values has been locked",
);
