//! The report: one self-contained page that a data steward can read, print and file, and one that the public may have.
//!
//! Both editions come from one [`ReportModel`]. The view decides what an edition may say and puts every figure
//! into words; the template only arranges what it is given, so that nothing hidden can reach it. Values of the data are
//! hostile text: the template escapes them all, and so does the writer of charts.

pub(crate) mod chart;
pub(crate) mod lens;
mod model;
mod notion;
mod risk;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;
mod view;

pub use model::{
    Audit, Check, Column, Confidence, Confidences, Distribution, FileHash, Loss, Method, Records,
    ReportModel, Reproduce, Requirement, Search, Side, TaxonomyDrawing, TaxonomyNode, Tightness, ValueCount,
};
pub use notion::{Attack, Cover, Diversity, Notion, Protection, protections};
pub use risk::{AboveThreshold, ClassSize, Fraction, Risk, RiskFigures};

use minijinja::{Environment, UndefinedBehavior};

use crate::{Error, Result};

/// For whom a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edition {
    /// For the data steward: everything, to be kept in `steward/`.
    Steward,
    /// For everybody: no risk in the original, seed, path, count from 1 to 10, or value that the release hides.
    Public,
}

/// Writes the report as one HTML page without scripts or anything to be fetched.
///
/// The same model gives the same bytes.
pub fn render(model: &ReportModel, edition: Edition) -> Result<String> {
    let mut environment = Environment::empty();
    // A field that the template misspells must fail a test, not leave a gap in a document that people rely on.
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::Html);
    environment.add_filter("length", minijinja::filters::length);
    environment
        .add_template("report.html", include_str!("templates/report.html"))
        .and_then(|()| environment.get_template("report.html"))
        .and_then(|template| template.render(view::view(model, edition)))
        .map_err(|error| Error::internal(format!("the report cannot be written: {error:#}")))
}
