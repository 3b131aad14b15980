//! What a release says about itself: in full for the steward, and for everybody what passes the gate of the reports.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use super::holdout::HeldOut;
use super::report::{LedgerAccount, Original, Whose};
use super::veil::Veil;
use privet_attack::Attacks;
use privet_audit::Audit;
use privet_core::{Error, Result};
use privet_methods::released_sets::ReleasedSets;
use privet_methods::{SearchFacts, ShownCost};
use privet_policy::{CheckedPolicy, DataKind, Policy, Stated};

/// Counts from 1 to this are never published: they may point at people (the cell-size rule of health agencies).
const SMALL: u64 = 10;

/// All that a manifest is made of.
pub(super) struct Facts<'a> {
    pub policy: &'a CheckedPolicy,
    pub seed: u64,
    pub read: u64,
    pub dropped: u64,
    pub suppressed: u64,
    pub released: u64,
    /// Whose records they are.
    pub whose: Whose,
    /// Suppressed cells in released records.
    pub starred: u64,
    /// The share of cells that are published as they are in the original.
    pub exactly: f64,
    pub cost: &'a ShownCost,
    pub costs: &'a [ShownCost],
    pub search: &'a SearchFacts,
    pub plan: &'a Json,
    /// What requirements name and the release hides.
    pub veil: &'a Veil,
    /// What became of a quasi-sensitive column.
    pub sets: Option<&'a ReleasedSets>,
    pub warnings: &'a [String],
    pub attacks: &'a Attacks,
    /// What the ledger tells, where there is one.
    pub ledger: Option<&'a LedgerAccount>,
    pub audit: &'a Audit,
    /// Path below `public/` and SHA-256.
    pub files: &'a [(String, String)],
    /// Who was kept out of the release.
    pub held: Option<&'a HeldOut>,
}

/// What a manifest states, whatever kind of data the release is made from.
pub(super) struct Claims<'a> {
    pub kind: DataKind,
    pub policy: &'a Policy,
    pub data: &'a Path,
    pub method: &'a dyn Stated,
    /// The requirements as a person would say them.
    pub asked: Vec<String>,
    /// What of that the public does not read.
    pub veil: Veil,
    pub seed: u64,
    pub read: u64,
    pub dropped: u64,
    pub suppressed: u64,
    pub released: u64,
    /// The share of cells, or of occurrences, that are published as they are in the original.
    pub exactly: f64,
    /// What the method was to lose least of.
    pub cost: Price,
    pub losses: Vec<Price>,
    pub search: &'a SearchFacts,
    /// What the search counted on the way.
    pub counters: &'a [(&'static str, u64)],
    pub plan: &'a Json,
    pub warnings: &'a [String],
    pub attacks: &'a Attacks,
    /// What the ledger tells, where there is one.
    pub ledger: Option<&'a LedgerAccount>,
    pub audit: &'a Audit,
    /// Path below `public/` and SHA-256.
    pub files: &'a [(String, String)],
    /// Who was kept out of the release.
    pub held: Option<&'a HeldOut>,
}

/// What a release loses by one measure.
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

impl Claims<'_> {
    /// The steward's manifest: everything.
    pub fn steward(&self) -> Json {
        let losses: serde_json::Map<String, Json> =
            self.losses.iter().map(|cost| (cost.name.to_string(), json!(cost.value))).collect();
        let mut manifest = json!({
            "privet": env!("CARGO_PKG_VERSION"),
            "kind": self.kind.name(),
            "method": self.method.name(),
            "policy": repeated(self.policy),
            "requirements": self.asked,
            "seed": self.seed,
            "origin": {
                "policy": absolute(self.policy.path()),
                "policy_sha256": sha256_of_text(self.policy.text()),
                "data": absolute(self.data),
            },
            "records": {
                "read": self.read,
                "dropped": self.dropped,
                "suppressed": self.suppressed,
                "released": self.released,
            },
            "cost": {
                "metric": self.cost.name,
                "value": self.cost.value,
                "exact": self.cost.exact,
                "normalised": self.cost.normalised,
            },
            "published_exactly": { "share": self.exactly, "of": self.exactly_of() },
            "loss": losses,
            "optimal": self.search.optimal,
            "bound": self.search.bound,
            "search": {
                "space": self.search.space,
                "examined": self.search.examined,
                "seconds": self.search.seconds,
                "trace": self.search.trace,
            },
            "plan": self.plan,
            "warnings": self.warnings,
            "audit": self.audit,
            "files": files(self.files),
        });
        for (name, count) in self.counters {
            manifest["search"][*name] = (*count).into();
        }
        if self.attacks != &Attacks::default() {
            manifest["attacks"] = json!(self.attacks.found);
            manifest["attacks_not_run"] = json!(self.attacks.not_run);
        }
        if let Some(ledger) = self.ledger {
            manifest["ledger"] = json!(ledger);
        }
        manifest
    }

    /// What the share that is published exactly is a share of.
    fn exactly_of(&self) -> &'static str {
        match self.kind {
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
            "kind": self.kind.name(),
            "method": self.method.name(),
            "requirements": self.asked.iter().map(|asked| self.veil.public(asked)).collect::<Vec<_>>(),
        });
        let keys = self.policy.report_keys().unwrap_or_default();
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
        let counts = [("released", self.released)].into_iter().chain(counts.iter().copied());
        manifest["records"] = counts
            .map(|(name, count)| (name.to_string(), shown(count)))
            .collect::<serde_json::Map<_, _>>()
            .into();
        let stepped =
            |name: &str, share: Original<f64>| Some((name.to_string(), json!(share.stepped(self.released)?)));
        let left_out = left_out.iter().map(|(name, count)| (*name, count.beside(self.released)));
        let held = self.held.map(|held| ("held_out", Original::from(held.records).beside(self.released)));
        let exactly = [("published_exactly", Original::from(self.exactly))];
        let shares: Option<serde_json::Map<_, _>> =
            left_out.chain(held).chain(exactly).map(|(name, share)| stepped(name, share)).collect();
        manifest["share_at_most"] = shares.map_or(Json::Null, Json::from);
        let losses = self.losses.iter().map(|cost| stepped(cost.name, cost.normalised.into()));
        manifest["loss_at_most"] =
            losses.collect::<Option<serde_json::Map<_, _>>>().map_or(Json::Null, Json::from);
        manifest["audit"] = json!({ "passed": self.audit.passed });
        manifest["files"] = files(self.files);
        manifest
    }
}

/// A policy as a manifest repeats it: all but the seed.
pub(super) fn repeated(policy: &Policy) -> Json {
    let mut policy = policy.to_json();
    if let Some(policy) = policy.as_object_mut() {
        // Not `remove`, which would move the last key into the gap.
        policy.shift_remove("seed");
    }
    policy
}

/// The files besides the data that a release follows from, with what they hold: when it is audited again they must be as
/// they were. For `origin.inputs` of the steward's manifest.
pub(super) fn inputs<'a>(paths: impl Iterator<Item = &'a Path>) -> Result<Json> {
    paths.map(|path| Ok(json!({ "path": absolute(path), "sha256": sha256_of(path)? }))).collect()
}

fn files(files: &[(String, String)]) -> Json {
    files.iter().map(|(path, sha256)| json!({ "path": path, "sha256": sha256 })).collect()
}

impl Facts<'_> {
    pub fn claims(&self) -> Claims<'_> {
        let policy = self.policy;
        Claims {
            kind: DataKind::Table,
            policy: &policy.written,
            data: policy.source.path(),
            method: &policy.method,
            asked: policy.requirements.iter().map(|clause| clause.describe(&policy.columns)).collect(),
            veil: self.veil.clone(),
            seed: self.seed,
            read: self.read,
            dropped: self.dropped,
            suppressed: self.suppressed,
            released: self.released,
            exactly: self.exactly,
            cost: self.cost.into(),
            losses: self.costs.iter().map(Price::from).collect(),
            search: self.search,
            counters: &[],
            plan: self.plan,
            warnings: self.warnings,
            attacks: self.attacks,
            ledger: self.ledger,
            audit: self.audit,
            files: self.files,
            held: self.held,
        }
    }

    /// The steward's manifest: everything.
    pub fn steward(&self) -> Json {
        let mut manifest = self.claims().steward();
        if self.starred > 0 {
            manifest["records"]["starred"] = self.starred.into();
        }
        if let Whose::Counted { read, released } = self.whose {
            manifest["people"] = json!({ "read": read, "released": released });
        }
        if let Some(sets) = self.sets {
            let groups = &sets.groups;
            manifest["groups"] = json!({
                "total": groups.total,
                "untouched": groups.untouched,
                "optimal": groups.optimal,
                "not_optimal": groups.open,
                "unsearched": groups.unsearched,
                "merged": groups.merged,
                "withheld": groups.withheld,
            });
            manifest["records"]["changed"] = sets.len().into();
        }
        manifest
    }

    /// The public manifest.
    pub fn public(&self) -> Json {
        let columns: Json = (self.policy.columns.iter())
            .filter(|column| super::is_published(column))
            .map(|column| json!({ "name": column.name, "role": column.role.map(|role| role.name()) }))
            .collect();
        // Stars can be counted in the release.
        let starred = Some(("starred", self.starred)).filter(|(_, starred)| *starred > 0);
        let left_out = [("suppressed", self.suppressed.into()), ("dropped", self.dropped.into())];
        let mut also = vec![("columns", columns)];
        if matches!(self.whose, Whose::Counted { .. }) {
            // How many there are is not for everybody: it does not follow from the released records.
            also.push(("counted", json!("people")));
        }
        self.claims().public(starred.as_slice(), &left_out, &also)
    }
}

/// Whether a count may point at people.
fn is_small(count: u64) -> bool {
    (1..=SMALL).contains(&count)
}

/// A count as it may be published.
pub(super) fn shown(count: u64) -> Json {
    if is_small(count) { json!(format!("1-{SMALL}")) } else { json!(count) }
}

/// A path from the root, as text.
pub(super) fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()).display().to_string()
}

/// The SHA-256 of a file, in hexadecimal.
pub(super) fn sha256_of(path: &Path) -> Result<String> {
    let digest = || -> io::Result<String> {
        let mut file = File::open(path)?;
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(hex(&hash.finalize())),
                read => hash.update(&buffer[..read]),
            }
        }
    };
    digest().map_err(|error| Error::io("read", path, &error))
}

/// The SHA-256 of a text, in hexadecimal.
pub(super) fn sha256_of_text(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
