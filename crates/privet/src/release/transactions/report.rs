//! The report of a release of transactions: the facts of its manifest on a page.

use std::path::Path;

use minijinja::{Environment, context};
use serde::{Deserialize, Serialize};

use crate::attack::Finding;
use crate::audit::Audit;
use crate::engine::baskets::Baskets;
use crate::method::kl::ItemSolution;
use crate::policy::{Clause, DataKind, Policy};
use crate::privacy::kl::KlPrivacy;
use crate::release::report::{self, Edition, ReportModel};
use crate::{Error, Result};

const PAGE: &str = "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Transactions</title>\n<h1>{{ method }}</h1>\n\
    <ul>{% for asked in requirements %}<li>{{ asked }}</li>{% endfor %}</ul>\n\
    {% if steward %}<p>{{ released }} transactions</p>\n\
    <ul>{% for warning in warnings %}<li>{{ warning }}</li>{% endfor %}</ul>\n{% endif %}\
    <p>{% if passed %}The audit passed.{% else %}The audit failed.{% endif %}</p>\n";

/// All that is known about a release of transactions.
#[expect(dead_code, reason = "the page shows only a part of it")]
pub(crate) struct Facts<'a> {
    /// The policy as written.
    pub policy: &'a Policy,
    /// What the policy asks for, as written.
    pub requirements: &'a [Clause],
    /// The same as understood, in the same order.
    pub limits: &'a [KlPrivacy],
    /// How the release was made.
    pub method: &'a Clause,
    /// The seed in use.
    pub seed: u64,
    /// The original.
    pub baskets: &'a Baskets,
    /// What the method decided.
    pub solution: &'a ItemSolution,
    /// What the audit found.
    pub audit: &'a Audit,
    /// What attacks found.
    pub attacks: &'a [Finding],
    /// What the steward should know.
    pub warnings: &'a [String],
    /// The files that went in, the data first.
    pub inputs: &'a [&'a Path],
    /// The released files with their hashes.
    pub files: &'a [(String, String)],
}

/// The figures of a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TransactionReport {
    kind: String,
    method: String,
    requirements: Vec<String>,
    released: u64,
    warnings: Vec<String>,
    passed: bool,
}

/// All figures of a release.
pub(crate) fn account(facts: &Facts<'_>) -> Result<TransactionReport> {
    Ok(TransactionReport {
        kind: DataKind::Transactions.name().to_string(),
        method: facts.method.name().to_string(),
        requirements: facts.requirements.iter().map(|clause| clause.describe(&[])).collect(),
        released: facts.baskets.total(),
        warnings: facts.warnings.to_vec(),
        passed: facts.audit.passed,
    })
}

/// Writes the report as one HTML page.
pub(crate) fn render_transactions(model: &TransactionReport, edition: Edition) -> Result<String> {
    let mut environment = Environment::empty();
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::Html);
    let view = context! {
        steward => edition == Edition::Steward,
        method => model.method.clone(),
        requirements => model.requirements.clone(),
        released => model.released,
        warnings => model.warnings.clone(),
        passed => model.passed,
    };
    environment
        .render_str(PAGE, view)
        .map_err(|error| Error::internal(format!("the report cannot be written: {error:#}")))
}

/// A report as it is filed in `steward/report.json`: its field `kind` tells which data it is about.
pub(crate) enum Filed {
    /// About a table.
    Table(Box<ReportModel>),
    /// About transactions.
    Transactions(Box<TransactionReport>),
}

impl Filed {
    /// Reads what was filed.
    pub fn read(text: &str) -> serde_json::Result<Filed> {
        #[derive(Deserialize)]
        struct Kind {
            kind: String,
        }
        let Kind { kind } = serde_json::from_str(text)?;
        if kind == DataKind::Transactions.name() {
            serde_json::from_str(text).map(Filed::Transactions)
        } else {
            serde_json::from_str(text).map(Filed::Table)
        }
    }

    /// Writes the report again.
    pub fn render(&self, edition: Edition) -> Result<String> {
        match self {
            Filed::Table(model) => report::render(model, edition),
            Filed::Transactions(model) => render_transactions(model, edition),
        }
    }
}
