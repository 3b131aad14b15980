//! Charts as static SVG, styled by the report's own stylesheet.
//!
//! All are drawn 420 units wide: two fit next to each other on a screen or an A4 page, and one on a telephone.

mod anytime;
mod attacks;
mod bars;
mod boxes;
mod curve;
mod frontier;
mod heat;
mod histogram;
mod meter;
mod plan;
pub mod svg;
mod tradeoff;
mod tree;

pub(super) use anytime::anytime;
pub use anytime::search_chart;
pub(super) use attacks::{AttackBar, attack_bars};
pub(super) use bars::{Bar, bars};
pub(super) use boxes::{BoxRow, boxes};
pub(super) use curve::risk_curve;
pub(super) use frontier::{FrontierPoint, frontier};
pub(super) use heat::heat;
pub(super) use histogram::{bins, histogram};
pub(super) use meter::{bullet, flow, meter, share};
pub(super) use plan::{FAINT, plan};
pub(super) use tradeoff::tradeoff;
pub(super) use tree::{TreeCounts, tree};

/// The width that every chart is drawn at.
const WIDTH: f64 = 420.0;
