//! What the reports of all kinds of data have in common, as data.

use serde::{Deserialize, Serialize};

use super::Edition;
use super::fidelity::Fidelity;
use super::gate::Original;
use super::gate::{Datum, Veil};
use super::ledger::LedgerAccount;
use super::model::{
    AuditAccount, ColumnAccount, Loss, MethodAccount, Records, Reproduce, SearchAccount, Subgroups, Tightness,
};
use super::risk::{ColumnSetRisk, Fraction, Risk};
use super::scan::Scan;
use privet_attack::{Finding, NotRun};
use privet_policy::{ReportKeys, Role};

/// What every report draws from; each kind of data adds figures of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Common {
    /// What the release is about, as the steward calls it. Steward only: it usually is the data file's name.
    pub title: Original<String>,
    /// The file the release was made from. Steward only.
    pub data_name: Original<String>,
    /// What the policy says around the release. The public sees title, owner, contact, licence, review and preset.
    #[serde(default)]
    pub report: ReportKeys,
    /// The version of Privet that made the release.
    pub privet: String,
    /// How the release was made.
    pub method: MethodAccount,
    /// The policy as written. Steward only.
    pub policy: Original<String>,
    /// The secret that every random choice derives from. Steward only.
    pub seed: Option<Original<u64>>,
    /// What the steward should know before the release is published.
    #[serde(default)]
    pub warnings: Original<Vec<String>>,
    /// What became of the records.
    pub records: Records,
    /// Whose records they are.
    #[serde(default)]
    pub whose: Whose,
    /// Records of people who were kept out of the release, where that was asked for, for attacks to be tried on as well.
    #[serde(default)]
    pub held_out: Option<Original<u64>>,
    /// The columns, in the order of the data; none where the data has none.
    #[serde(default)]
    pub columns: Vec<ColumnAccount>,
    /// What looks like a direct identifier. Steward only.
    #[serde(default)]
    pub scan: Option<Original<Scan>>,
    /// How near the worst class comes to each threshold.
    #[serde(default)]
    pub tightness: Vec<Tightness>,
    /// Risk in the original. Steward only.
    #[serde(default)]
    pub risk_before: Option<Original<Risk>>,
    /// Risk in the release. Steward only.
    #[serde(default)]
    pub risk_after: Option<Risk>,
    /// The highest risk for somebody who knows the population, in the original and in the release, where people of the population
    /// were counted. Steward only: it tells how many they are.
    #[serde(default)]
    pub journalist: Option<Original<[Fraction; 2]>>,
    /// Average risks for attackers who know only some columns. Steward only.
    #[serde(default)]
    pub column_sets: Original<Vec<ColumnSetRisk>>,
    /// The share of cells, or of occurrences, that are published as they are in the original.
    #[serde(default)]
    pub exactly: Original<f64>,
    /// What was lost, by each measure; the first one steered the search, or is its plain form.
    pub losses: Vec<Loss>,
    /// What became of distributions, associations and counts.
    #[serde(default)]
    pub fidelity: Option<Original<Fidelity>>,
    /// Who was left out.
    #[serde(default)]
    pub subgroups: Vec<Subgroups>,
    /// How the plan was found. Steward only.
    pub search: Option<Original<SearchAccount>>,
    /// What the search counted on the way, as name and number. Steward only.
    #[serde(default)]
    pub counters: Original<Vec<(String, u64)>>,
    /// What attacks on the release found. Steward only.
    #[serde(default)]
    pub attacks: Original<Vec<Finding>>,
    /// Attacks that were not run, with the reason. Steward only.
    #[serde(default)]
    pub attacks_not_run: Original<Vec<NotRun>>,
    /// Earlier releases and what all tell together, where a ledger is kept. Steward only.
    #[serde(default)]
    pub ledger: Option<Original<LedgerAccount>>,
    /// What the independent audit found.
    pub audit: AuditAccount,
    /// What requirements name and the release hides. Steward only.
    #[serde(default, skip_serializing_if = "Veil::is_empty")]
    pub veil: Veil,
    /// How to get the same bytes again.
    pub reproduce: Reproduce,
}

/// Whose records they are, as far as the policy says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Whose {
    /// Every record is taken for another person.
    Unknown {
        /// Whether an identifier recurs all the same. Steward only: no identifier is published.
        recurring: Original<bool>,
    },
    /// A column tells people apart, and people are counted.
    Counted {
        /// How many people have a record that was not dropped. Steward only.
        read: Original<u64>,
        /// How many of them have a record in the release. Steward only.
        released: Original<u64>,
    },
}

impl Default for Whose {
    fn default() -> Whose {
        Whose::Unknown { recurring: false.into() }
    }
}

impl Common {
    /// Takes out the columns that are not published, wherever they are named.
    pub(super) fn withhold_columns(&mut self) {
        let hidden: Vec<String> = self
            .columns
            .iter()
            .filter(|column| !column.is_published())
            .map(|column| column.name.clone())
            .collect();
        let is_shown = |name: &String| !hidden.contains(name);
        self.columns.retain(|column| is_shown(&column.name));
        self.subgroups.retain(|subgroups| is_shown(&subgroups.column));
        self.fidelity = self.fidelity.take().map(|fidelity| {
            fidelity.map(|mut fidelity| {
                fidelity.marginals.retain(|marginal| is_shown(&marginal.values.column));
                fidelity.associations.retain_columns(&is_shown);
                fidelity
            })
        });
    }

    /// Whether requirements count people; some of them may have several records.
    pub(super) fn counts_people(&self) -> bool {
        matches!(self.whose, Whose::Counted { .. })
    }

    /// Whether a column is one that anyone who seeks a person is taken to know: a quasi-identifier, and no other.
    pub(super) fn is_quasi_identifier(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name && column.role == Role::QuasiIdentifier.name())
    }

    /// A text of the policy that may name values of the data, as an edition may have it.
    pub(super) fn spoken(&self, text: &Datum, edition: Edition) -> Datum {
        if edition.is_steward() { text.clone() } else { Datum::setting(self.veil.public(text.text())) }
    }
}
