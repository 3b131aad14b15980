//! The report: one self-contained page that a data steward can read, print and file, and one that the public may have.
//!
//! Both editions come from one [`Report`], which holds figures and is filed as JSON in `steward/`. The view puts the figures
//! into words, as sections made of blocks; one template renders them. A block takes a [`Datum`] and nothing else, and only the
//! gate makes one: it knows small counts and their complements, figures that depend on the original, and values that the
//! release hides. Values of the data are hostile text: the template escapes them all, and so does the writer of charts.

mod block;
pub mod chart;
mod common;
mod comparison;
mod fidelity;
pub mod gate;
pub mod groups;
mod ledger;
mod model;
mod notion;
pub mod numbers;
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
mod view;
pub mod vocabularies;

pub use common::{Common, Whose};
pub use comparison::{Compared, ComparisonPage};
pub use fidelity::{Associations, CoarseFidelity, Fidelity, Marginal, QueryErrors, Spread};
pub use gate::{Datum, ForSteward, Key, Original, PublicNames, Sourced, SuppressedItem, Veil, public_count};
pub use groups::GroupReport;
pub use ledger::{EarlierRelease, LedgerAccount};
pub use model::{
    AuditAccount, CheckAccount, ColumnAccount, Confidence, Confidences, Distribution, FileHash, LevelReason,
    LinkAccount, Loss, MethodAccount, Records, Reproduce, Requirement, SampleRows, SearchAccount,
    SearchMoment, Side, Subgroup, Subgroups, TableReport, TaxonomyDrawing, TaxonomyNode, Tightness,
    ValueCount,
};
pub use notion::{Attack, Cover, DataLabels, Diversity, Notion, Protection, protections};
pub use numbers::figure;
pub use projections::ProjectionReport;
pub use risk::{AboveThreshold, ClassSize, ColumnSetRisk, Fraction, Risk, RiskFigures};
pub use scan::{Fate, IdentifierKind, Scan, Suspect};
pub use transactions::TransactionReport;
pub use vocabularies::VocabularyReport;

use std::borrow::Cow;

use minijinja::{Environment, UndefinedBehavior};
use serde::{Deserialize, Serialize};

use privet_core::{Error, Result};

/// The style of all pages.
pub const STYLE: &str = include_str!("templates/style.css");

/// The template of a report.
const PAGE: &str = concat!(
    include_str!("templates/blocks.html"),
    include_str!("templates/head.html"),
    include_str!("templates/page.html")
);

/// For whom a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edition {
    /// For the data steward: everything, to be kept in `steward/`.
    Steward,
    /// For everybody: what follows from the released files, shares of the original in steps of 5 %, and no seed, path, count
    /// from 1 to 10, or value that the release hides.
    Public,
}

/// The figures of a report, as they are filed in `steward/report.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Report {
    /// About a table.
    Table(Box<TableReport>),
    /// About transactions.
    Transactions(Box<TransactionReport>),
    /// About vocabularies, which may be made from a query log.
    Vocabularies(Box<VocabularyReport>),
    /// About records in groups.
    Groups(Box<GroupReport>),
    /// About several tables with disjoint sensitive attributes.
    Projections(Box<ProjectionReport>),
}

macro_rules! reports {
    ($($kind:ident $report:ty),*) => {
        $(impl From<$report> for Report {
            fn from(report: $report) -> Report {
                Report::$kind(Box::new(report))
            }
        })*

        impl Report {
            /// What it has in common with all others.
            pub fn common(&self) -> &Common {
                match self {
                    $(Report::$kind(report) => &report.common,)*
                }
            }

            fn common_mut(&mut self) -> &mut Common {
                match self {
                    $(Report::$kind(report) => &mut report.common,)*
                }
            }
        }
    };
}

reports!(
    Table TableReport,
    Transactions TransactionReport,
    Vocabularies VocabularyReport,
    Groups GroupReport,
    Projections ProjectionReport
);

impl Report {
    /// Writes the report as one HTML page without scripts or anything to be fetched.
    ///
    /// The same figures give the same bytes.
    pub fn render(&self, edition: Edition) -> Result<String> {
        fill(PAGE, view::page(&self.of(edition), edition))
    }

    /// What an edition is written from. The public one is written from a report without the columns that are not published:
    /// even a name may tell something (of a clinic, of a person where a file has no header).
    fn of(&self, edition: Edition) -> Cow<'_, Report> {
        match edition {
            Edition::Steward => Cow::Borrowed(self),
            Edition::Public => {
                let mut report = self.clone();
                report.common_mut().withhold_columns();
                Cow::Owned(report)
            }
        }
    }
}

fn fill(template: &'static str, view: minijinja::Value) -> Result<String> {
    let mut environment = Environment::empty();
    // A field that the template misspells must fail a test, not leave a gap in a document that people rely on.
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::Html);
    environment.add_filter("length", minijinja::filters::length);
    environment
        .add_template("report.html", template)
        .and_then(|()| environment.get_template("report.html"))
        .and_then(|template| template.render(view))
        .map_err(|error| Error::internal(format!("the report cannot be written: {error:#}")))
}
