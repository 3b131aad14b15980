//! l+-diversity.

use crate::check::Role;
use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::settings::{Clause, Setting, Settings};
use crate::typed::{choices, read};
use privet_core::{Error, Exact, Result};
use std::collections::BTreeMap;

/// In every class no value of a sensitive column exceeds its own threshold.
#[derive(Debug, Clone, PartialEq)]
pub struct LPlusDiversity {
    /// The sensitive column's position in the data.
    pub column: usize,
    /// The threshold of values that have none of their own.
    pub base: Base,
    /// How thresholds follow from the data.
    pub theta_rule: Option<ThetaRule>,
    /// The thresholds of single values.
    pub theta: BTreeMap<String, Exact>,
}

/// The threshold of values that have none of their own, as the policy writes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Base {
    /// Every value needs one of its own.
    None,
    /// `l`: one in this many.
    OneIn(Exact),
    /// `default`: this share.
    Share(Exact),
}

choices! {
    /// How thresholds follow from the data.
    pub enum ThetaRule {
        /// Values more frequent than the mean get a threshold as much larger.
        Frequency = "frequency",
    }
}

impl LPlusDiversity {
    pub(crate) fn read(clause: &Clause) -> Result<LPlusDiversity> {
        let base = match (read(clause, "l")?, read(clause, "default")?) {
            (Some(_), Some::<Exact>(_)) => {
                return Err(Error::input(
                    "[privacy.l-plus-diversity] has both 'l' and 'default', which say the same thing",
                )
                .help("keep one of them: l = 4 is default = \"1/4\""));
            }
            (Some(l), None) => Base::OneIn(l),
            (None, Some(share)) => Base::Share(share),
            (None, None) => Base::None,
        };
        let theta_rule = read(clause, "theta_rule")?;
        if theta_rule == Some(ThetaRule::Frequency) && base == Base::None {
            let wrong =
                "[privacy.l-plus-diversity] theta_rule = \"frequency\" lacks a threshold to start from";
            return Err(
                Error::input(wrong).help("add default = \"1/4\" or l = 4: the threshold of rare values")
            );
        }
        Ok(LPlusDiversity {
            column: read(clause, "column")?,
            base,
            theta_rule,
            theta: read(clause, "theta")?,
        })
    }

    pub(crate) fn settings(&self) -> Settings {
        let base = match self.base {
            Base::None => None,
            Base::OneIn(l) => Some(("l", Setting::Exact(l))),
            Base::Share(share) => Some(("default", Setting::Exact(share))),
        };
        let rule = self.theta_rule.map(|rule| ("theta_rule", Setting::Choice(rule.name())));
        let theta = (!self.theta.is_empty()).then(|| ("theta", Setting::Thresholds(self.theta.clone())));
        let column = ("column", Setting::Column(self.column));
        [Some(column), base, rule, theta].into_iter().flatten().collect()
    }
}

/// `[privacy.l-plus-diversity]`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[],
    name: "l-plus-diversity",
    source: "J. Liu: Enhancing Utility in Privacy Preserving Data Publishing. PhD thesis, Simon Fraser University, 2010",
    summary: "in every class no value of a sensitive column exceeds its own threshold",
    help: "Each value of the column has a threshold: the largest share of a class that may have it. l = 4 or \
           default = \"1/4\" is the threshold of all values; theta gives single values one of their own; theta_rule = \
           \"frequency\" raises it for values that are more frequent than the mean, in proportion. Rare and delicate \
           values can be guarded closely without asking the same of what everybody has.",
    keys: &[
        Key::required(
            "column",
            KeyKind::Column(Role::Sensitive),
            "the sensitive column, as in column = \"disease\"",
        ),
        Key::optional("l", KeyKind::Exact("1", ""), "every value's threshold is 1/l, as in l = 4"),
        Key::optional(
            "default",
            KeyKind::Exact("0", "1"),
            "the threshold of values without one of their own, as in default = \"1/4\"",
        ),
        Key::optional(
            "theta_rule",
            KeyKind::Choice(ThetaRule::WORDS),
            "frequency: values more frequent than the mean get a threshold as much larger than the default",
        ),
        Key::optional(
            "theta",
            KeyKind::Thresholds("0", "1"),
            "thresholds of single values, as in theta = { Cancer = \"3/10\", Flu = 0.5 }",
        ),
    ],
};
