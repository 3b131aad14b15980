//! Quasi-sensitive attributes (Shi, Xiong and Fung, CIKM 2010): a set of terms is harmless by itself, but public knowledge
//! of which label has which terms can turn it into something sensitive.
//!
//! A record *links* to a label when all of its terms are terms of the label; K(r) is the set of the labels that a record
//! links to, and P(r→L) = 1/|K(r)| for each of them. The *posterior* of a label in a group of d records is
//! β(L) = (1/d)·Σ P(r→L); its *prior* α(L) is the same mean over the whole original table, or what the policy says.
//!
//! - *QS (c,l)-diversity*: of the positive posteriors p₁ ≥ p₂ ≥ … ≥ p_m, m ≥ l and p₁ ≤ c·(p_l + … + p_m). A group nobody
//!   in which links to anything passes.
//! - *QS t-closeness*: Σ (α(L) − β(L))² ≤ t², over all labels.
//!
//! Both are decided in integers, whatever the denominators.

mod classes;
mod links;
mod prior;
#[cfg(test)]
mod tests;
mod verdict;

pub use classes::CellLinks;
pub(super) use classes::{closeness, diversity};
pub use links::{Linked, Links, ones};
pub use prior::{Prior, PriorCounter};
pub use verdict::{Posterior, distance};

use privet_core::Exact;
use privet_policy::requirement;
pub use privet_policy::requirement::PriorKind;

/// QS (c,l)-diversity as a policy asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QsDiversity {
    /// How many times likelier the likeliest label may be.
    pub c: Exact,
    /// How many labels must stay possible.
    pub l: usize,
}

impl QsDiversity {
    /// What a requirement asks for.
    pub fn of(asked: &requirement::QsDiversity) -> QsDiversity {
        QsDiversity { c: asked.c, l: usize::try_from(asked.l).unwrap_or(usize::MAX) }
    }

    /// Whether any group that links to something can meet it, with this many labels. The tail has at most
    /// labels − l + 1 posteriors, none above p₁; empty sets, which link to all labels alike, reach that.
    pub fn is_possible(&self, labels: usize) -> bool {
        let Some(tail) = (labels + 1).checked_sub(self.l).filter(|tail| *tail > 0) else { return false };
        u128::from(self.c.numerator()) * tail as u128 >= u128::from(self.c.denominator())
    }
}

/// QS t-closeness as a policy asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QsCloseness {
    /// The largest distance.
    pub t: Exact,
    /// What is believed beforehand.
    pub prior: PriorKind,
}

impl QsCloseness {
    /// What a requirement asks for.
    pub fn of(asked: &requirement::QsCloseness) -> QsCloseness {
        QsCloseness { t: asked.t, prior: asked.prior }
    }
}
