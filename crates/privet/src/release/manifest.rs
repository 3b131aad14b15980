//! What a release says about itself: in full for the steward, and for everybody what passes the gate of the reports.

use std::path::Path;

use privet_core::hash::{sha256_of, sha256_of_text};
use serde_json::{Value as Json, json};

use super::again::EarlierPlan;
use super::holdout::HeldOut;
use super::report::Veil;
use super::report::groups::QUERY_ERROR;
use super::report::{LedgerAccount, Original, public_count};
use privet_attack::Attacks;
use privet_audit::Audit;
use privet_core::Result;
use privet_data::Origin;
use privet_methods::plan::Plan;
use privet_methods::{SearchFacts, ShownCost};
use privet_policy::layout::APPLIED;
use privet_policy::{DataKind, PolicyRef};

/// What a run states about its release, whatever its shape.
#[derive(Clone)]
pub(super) struct Statement<'a> {
    pub read: u64,
    pub dropped: u64,
    pub suppressed: u64,
    pub released: u64,
    /// Whether nothing is released.
    pub empty: bool,
    /// The share of cells, or of occurrences, that are published as they are in the original.
    pub exactly: f64,
    /// What the method was to lose least of.
    pub cost: &'a Price,
    pub losses: &'a [Price],
    pub search: &'a SearchFacts,
    /// What the search counted on the way.
    pub counters: Vec<(&'static str, u64)>,
    pub plan: &'a Plan,
    /// What requirements name and the public does not read.
    pub veil: &'a Veil,
    /// The files besides the data that the audit rests on.
    pub inputs: Vec<&'a Path>,
}

/// All that a manifest is made of. What comes after the audit is not there before it.
#[derive(Clone)]
pub(super) struct Claims<'a> {
    pub policy: PolicyRef<'a>,
    pub seed: u64,
    pub stated: Statement<'a>,
    /// The text of the steward's `plan.json`.
    pub plan: &'a str,
    /// Path below `public/` and SHA-256.
    pub files: &'a [(String, String)],
    /// Who was kept out of the release.
    pub held: Option<&'a HeldOut>,
    /// The earlier plan that was applied, where nothing was decided anew.
    pub applied: Option<&'a EarlierPlan>,
    pub warnings: &'a [String],
    pub attacks: Option<&'a Attacks>,
    /// What the ledger says, where there is one.
    pub ledger: Option<&'a LedgerAccount>,
    pub audit: Option<&'a Audit>,
}

/// What a release loses by one measure.
#[derive(Debug, Clone)]
pub(crate) struct Price {
    pub name: &'static str,
    pub value: f64,
    /// The value as an exact fraction, where it is one.
    pub exact: Option<String>,
    /// The share of the worst there is.
    pub normalised: f64,
}

impl From<&ShownCost> for Price {
    fn from(cost: &ShownCost) -> Price {
        let ShownCost { name, value, exact, normalised, .. } = cost;
        Price { name, value: *value, exact: exact.clone(), normalised: *normalised }
    }
}

impl<'a> Claims<'a> {
    /// What a run states about files that it wrote.
    pub fn of(
        policy: PolicyRef<'a>,
        seed: u64,
        stated: Statement<'a>,
        plan: &'a str,
        files: &'a [(String, String)],
        held: Option<&'a HeldOut>,
        applied: Option<&'a EarlierPlan>,
    ) -> Claims<'a> {
        let (attacks, ledger, audit) = (None, None, None);
        Claims { policy, seed, stated, plan, files, held, applied, warnings: &[], attacks, ledger, audit }
    }

    /// The steward's manifest: everything. Held-out records are in the steward's directory.
    pub fn steward(&self, steward: &Path) -> Result<Json> {
        let (stated, policy) = (&self.stated, self.policy);
        let losses: serde_json::Map<String, Json> =
            stated.losses.iter().map(|cost| (cost.name.to_string(), json!(cost.value))).collect();
        let mut manifest = json!({
            "privet": env!("CARGO_PKG_VERSION"),
            "kind": policy.kind().name(),
            "method": policy.method().name(),
            "policy": policy.written().without_seed(),
            "requirements": policy.asked(),
            "seed": self.seed,
            "origin": {
                "policy": absolute(policy.written().path()),
                "policy_sha256": sha256_of_text(policy.written().text()),
                "plan_sha256": sha256_of_text(self.plan),
                "data": match policy.origin() {
                    Origin::File(path) => json!(absolute(path)),
                    Origin::Files(paths) => json!(Origin::Files(paths.iter().map(|path| absolute(path).into()).collect())),
                    // What is not a file has to be given again to an audit.
                    other => json!(other),
                },
            },
            "records": {
                "read": stated.read,
                "dropped": stated.dropped,
                "suppressed": stated.suppressed,
                "released": stated.released,
            },
            "cost": {
                "metric": stated.cost.name,
                "value": stated.cost.value,
                "exact": stated.cost.exact,
                "normalised": stated.cost.normalised,
            },
            "published_exactly": { "share": stated.exactly, "of": self.exactly_of() },
            "loss": losses,
            "optimal": stated.search.optimal,
            "bound": stated.search.bound,
            "search": {
                "space": stated.search.space,
                "examined": stated.search.examined,
                "seconds": stated.search.seconds,
                "trace": stated.search.trace,
            },
            "plan": stated.plan.outline(),
            "warnings": self.warnings,
            "files": files(self.files),
        });
        for (name, count) in &stated.counters {
            manifest["search"][*name] = (*count).into();
        }
        if !stated.inputs.is_empty() {
            manifest["origin"]["inputs"] = inputs(stated.inputs.iter().copied())?;
        }
        if let Some(held) = self.held {
            held.state(&mut manifest, steward)?;
        }
        if let Some(applied) = self.applied {
            manifest[APPLIED] = json!(applied);
        }
        if let Some(audit) = self.audit {
            manifest["audit"] = json!(audit);
        }
        if let Some(attacks) = self.attacks.filter(|attacks| *attacks != &Attacks::default()) {
            manifest["attacks"] = json!(attacks.found);
            manifest["attacks_not_run"] = json!(attacks.not_run);
        }
        if let Some(ledger) = self.ledger {
            manifest["ledger"] = json!(ledger);
        }
        Ok(manifest)
    }

    /// What the share that is published exactly is a share of.
    fn exactly_of(&self) -> &'static str {
        match self.policy.kind() {
            DataKind::Table => "quasi-identifier cells",
            DataKind::Transactions => "occurrences of items",
            DataKind::QueryLog | DataKind::Vocabularies => "occurrences of terms",
        }
    }

    /// The public manifest: what follows from the released files, and shares of the original in steps, rounded up, where
    /// there are records enough; see [`super::report::gate`]. `counts` are other counts that the files have, `left_out` counts
    /// what they lack, and `also` is what else the kind of data says about the files.
    pub fn public(
        &self,
        counts: &[(&str, u64)],
        left_out: &[(&str, Original<u64>)],
        also: &[(&str, Json)],
    ) -> Json {
        let mut manifest = json!({
            "privet": env!("CARGO_PKG_VERSION"),
            "kind": self.policy.kind().name(),
            "method": self.policy.method().name(),
            "requirements": self.policy.asked().iter().map(|asked| self.stated.veil.public(asked)).collect::<Vec<_>>(),
        });
        let keys = self.policy.written().report_keys().unwrap_or_default();
        let said = [
            ("title", keys.title),
            ("owner", keys.owner),
            ("contact", keys.contact),
            ("licence", keys.licence),
            ("review", keys.review),
            ("sign_off", keys.sign_off),
            ("preset", keys.preset),
        ];
        let said: serde_json::Map<String, Json> =
            said.into_iter().filter_map(|(key, text)| Some((key.to_string(), text?.into()))).collect();
        if !said.is_empty() {
            manifest["report"] = said.into();
        }
        for (key, value) in also {
            manifest[*key] = value.clone();
        }
        let counts = [("released", self.stated.released)].into_iter().chain(counts.iter().copied());
        manifest["records"] = counts
            .map(|(name, count)| (name.to_string(), public_count(count)))
            .collect::<serde_json::Map<_, _>>()
            .into();
        let stepped = |name: &str, share: Original<f64>| {
            Some((name.to_string(), json!(share.stepped(self.stated.released)?)))
        };
        let left_out = left_out.iter().map(|(name, count)| (*name, count.next_to(self.stated.released)));
        let held =
            self.held.map(|held| ("held_out", Original::from(held.records).next_to(self.stated.released)));
        let exactly = [("published_exactly", Original::from(self.stated.exactly))];
        let shares: Option<serde_json::Map<_, _>> =
            left_out.chain(held).chain(exactly).map(|(name, share)| stepped(name, share)).collect();
        manifest["share_at_most"] = shares.map_or(Json::Null, Json::from);
        // An error relative to true counts is not a share of the records.
        let losses = self.stated.losses.iter().filter(|cost| cost.name != QUERY_ERROR);
        let losses = losses.map(|cost| stepped(cost.name, cost.normalised.into()));
        manifest["loss_at_most"] =
            losses.collect::<Option<serde_json::Map<_, _>>>().map_or(Json::Null, Json::from);
        manifest["audit"] = json!({ "passed": self.audit.is_some_and(|audit| audit.passed) });
        manifest["files"] = files(self.files);
        manifest
    }
}

/// The files besides the data that a release follows from, with what they hold: when it is audited again they must be as
/// they were. For `origin.inputs` of the steward's manifest.
fn inputs<'a>(paths: impl Iterator<Item = &'a Path>) -> Result<Json> {
    paths.map(|path| Ok(json!({ "path": absolute(path), "sha256": sha256_of(path)? }))).collect()
}

fn files(files: &[(String, String)]) -> Json {
    files.iter().map(|(path, sha256)| json!({ "path": path, "sha256": sha256 })).collect()
}

/// A path from the root, as text.
pub(super) fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()).display().to_string()
}
