//! The report: one self-contained page that a data steward can read, print and file, and one that the public may have.
//!
//! Both editions come from one model: a [`ReportModel`] for tables, a [`TransactionReport`] for transactions,
//! a [`VocabularyReport`] for query logs and vocabularies. The view decides what an edition may say and puts every figure
//! into words; the template only arranges what it is given, so that nothing hidden can reach it. Values of the data are
//! hostile text: the template escapes them all, and so does the writer of charts.

pub mod buckets;
mod cells;
pub mod chart;
mod citation;
mod common;
mod comparison;
mod fidelity;
pub mod gate;
mod ledger;
pub mod lens;
mod model;
mod notion;
pub mod projections;
mod risk;
#[cfg(test)]
mod sample;
mod scan;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
pub mod transactions;
mod veil;
mod view;
pub mod vocabularies;

pub use buckets::BucketReport;
pub use common::{Common, Whose};
pub use comparison::{Compared, ComparisonPage};
pub use fidelity::{Associations, CoarseFidelity, Fidelity, Marginal, QueryErrors, Spread};
pub use gate::{Datum, ForSteward, Key, Original};
pub use ledger::{EarlierRelease, LedgerAccount};
pub use lens::figure;
pub use model::{
    Audit, Check, Column, Confidence, Confidences, Distribution, FileHash, LinkAccount, Loss, Method,
    Records, ReportModel, Reproduce, Requirement, Search, SearchMoment, Side, Subgroup, Subgroups,
    TaxonomyDrawing, TaxonomyNode, Tightness, ValueCount,
};
pub use notion::{Attack, Cover, Diversity, Notion, Protection, protections};
pub use projections::ProjectionReport;
pub use risk::{AboveThreshold, ClassSize, Fraction, Risk, RiskFigures};
pub use scan::{Fate, IdentifierKind, Scan, Suspect};
pub use transactions::TransactionReport;
pub use veil::Veil;
pub use vocabularies::VocabularyReport;

use minijinja::{Environment, UndefinedBehavior};
use serde::Deserialize;

use self::common::Report;
use privet_core::{Error, Result};
use privet_policy::DataKind;

/// The style of all pages.
pub const STYLE: &str = include_str!("templates/style.css");

/// The template of a page: what all reports have in common, around what one kind of data has.
macro_rules! page {
    ($own:literal) => {
        concat!(
            include_str!("templates/macros.html"),
            include_str!("templates/head.html"),
            include_str!("templates/top.html"),
            include_str!("templates/columns.html"),
            include_str!($own),
            include_str!("templates/bottom.html")
        )
    };
}

/// For whom a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edition {
    /// For the data steward: everything, to be kept in `steward/`.
    Steward,
    /// For everybody: what follows from the released files, shares of the original in steps of 5 %, and no seed, path, count
    /// from 1 to 10, or value that the release hides.
    Public,
}

macro_rules! reports {
    ($($report:ty),*) => {
        $(impl Report for $report {
            fn common(&mut self) -> &mut Common {
                &mut self.common
            }
        })*
    };
}

reports!(ReportModel, TransactionReport, VocabularyReport, BucketReport, ProjectionReport);

/// A report as it is filed in `steward/report.json`: its field `kind` tells which data it is about.
#[derive(Debug, Clone, PartialEq)]
pub enum Filed {
    /// About a table.
    Table(Box<ReportModel>),
    /// About transactions.
    Transactions(Box<TransactionReport>),
    /// About vocabularies.
    Vocabularies(Box<VocabularyReport>),
    /// About records in groups.
    Buckets(Box<BucketReport>),
    /// About several tables with disjoint sensitive attributes.
    Projections(Box<ProjectionReport>),
}

impl Filed {
    /// Reads what was filed.
    pub fn read(text: &str) -> serde_json::Result<Filed> {
        #[derive(Deserialize)]
        struct Kind {
            kind: String,
        }
        let Kind { kind } = serde_json::from_str(text)?;
        if kind == buckets::KIND {
            return serde_json::from_str(text).map(Filed::Buckets);
        }
        if kind == projections::KIND {
            return serde_json::from_str(text).map(Filed::Projections);
        }
        match DataKind::ALL.into_iter().find(|known| known.name() == kind) {
            Some(DataKind::Transactions) => serde_json::from_str(text).map(Filed::Transactions),
            Some(DataKind::QueryLog | DataKind::Vocabularies) => {
                serde_json::from_str(text).map(Filed::Vocabularies)
            }
            Some(DataKind::Table) | None => serde_json::from_str(text).map(Filed::Table),
        }
    }

    /// Writes the report again.
    pub fn render(&self, edition: Edition) -> Result<String> {
        match self {
            Filed::Table(model) => render(model.as_ref(), edition),
            Filed::Transactions(model) => render(model.as_ref(), edition),
            Filed::Vocabularies(model) => render(model.as_ref(), edition),
            Filed::Buckets(model) => render(model.as_ref(), edition),
            Filed::Projections(model) => render(model.as_ref(), edition),
        }
    }
}

/// Figures that make a page.
pub trait Page: Report {
    /// The template of the page.
    const TEMPLATE: &'static str;

    /// What the page says, in words.
    fn view(&self, edition: Edition) -> minijinja::Value;
}

macro_rules! pages {
    ($($report:ty, $template:literal, $view:path;)*) => {
        $(impl Page for $report {
            const TEMPLATE: &'static str = page!($template);

            fn view(&self, edition: Edition) -> minijinja::Value {
                $view(&self.of(edition), edition)
            }
        })*
    };
}

pages! {
    ReportModel, "templates/table.html", view::table;
    TransactionReport, "templates/transactions.html", view::transactions;
    VocabularyReport, "templates/vocabularies.html", view::vocabularies;
    BucketReport, "templates/buckets.html", view::buckets;
    ProjectionReport, "templates/projections.html", view::projections;
}

/// Writes a report as one HTML page without scripts or anything to be fetched.
///
/// The same model gives the same bytes.
pub fn render<P: Page>(model: &P, edition: Edition) -> Result<String> {
    write(P::TEMPLATE, edition, |edition| model.view(edition))
}

/// Writes a page. The steward's says what was found when the public one was read again.
fn write(
    template: &'static str,
    edition: Edition,
    view: impl Fn(Edition) -> minijinja::Value,
) -> Result<String> {
    // What the public page prints is known only when it is written; there it is no matter.
    let with = |view: minijinja::Value, small_counts: Vec<String>| {
        minijinja::context! { small_counts => small_counts, ..view }
    };
    let public = fill(template, with(view(Edition::Public), Vec::new()))?;
    match edition {
        Edition::Public => Ok(public),
        Edition::Steward => fill(template, with(view(Edition::Steward), cells::small_counts(&public))),
    }
}

fn fill(template: &'static str, view: minijinja::Value) -> Result<String> {
    let mut environment = Environment::empty();
    // A field that the template misspells must fail a test, not leave a gap in a document that people rely on.
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::Html);
    environment.add_filter("length", minijinja::filters::length);
    environment.add_filter("join", minijinja::filters::join);
    environment
        .add_template("report.html", template)
        .and_then(|()| environment.get_template("report.html"))
        .and_then(|template| template.render(view))
        .map_err(|error| Error::internal(format!("the report cannot be written: {error:#}")))
}
