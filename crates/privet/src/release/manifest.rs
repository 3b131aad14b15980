//! What a release says about itself: in full for the steward, and what may leave the house for everybody.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use crate::attack::Finding;
use crate::audit::Audit;
use crate::method::{SearchFacts, ShownCost};
use crate::policy::CheckedPolicy;
use crate::{Error, Result};

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
    /// Suppressed cells in released records.
    pub starred: u64,
    pub cost: &'a ShownCost,
    pub costs: &'a [ShownCost],
    pub search: &'a SearchFacts,
    pub plan: &'a Json,
    pub warnings: &'a [String],
    pub attacks: &'a [Finding],
    pub audit: &'a Audit,
    /// Path below `public/` and SHA-256.
    pub files: &'a [(String, String)],
}

impl Facts<'_> {
    fn files(&self) -> Json {
        self.files.iter().map(|(path, sha256)| json!({ "path": path, "sha256": sha256 })).collect()
    }

    fn asked(&self) -> Vec<String> {
        self.policy.requirements.iter().map(|clause| clause.describe(&self.policy.columns)).collect()
    }

    /// The steward's manifest: everything.
    pub fn steward(&self) -> Json {
        let mut policy = self.policy.written.to_json();
        if let Some(policy) = policy.as_object_mut() {
            // Not `remove`, which would move the last key into the gap.
            policy.shift_remove("seed");
        }
        let losses: serde_json::Map<String, Json> =
            self.costs.iter().map(|cost| (cost.name.to_string(), json!(cost.value))).collect();
        let mut manifest = json!({
            "privet": env!("CARGO_PKG_VERSION"),
            "kind": "table",
            "method": self.policy.method.name(),
            "policy": policy,
            "requirements": self.asked(),
            "seed": self.seed,
            "origin": {
                "policy": absolute(self.policy.written.path()),
                "policy_sha256": sha256_of_text(self.policy.written.text()),
                "data": absolute(self.policy.source.path()),
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
            "files": self.files(),
        });
        if self.starred > 0 {
            manifest["records"]["starred"] = self.starred.into();
        }
        if !self.attacks.is_empty() {
            manifest["attacks"] = json!(self.attacks);
        }
        manifest
    }

    /// The public manifest: no seed, no paths, no risk on the source, no small counts, nothing the release hides.
    pub fn public(&self) -> Json {
        let columns: Vec<Json> = (self.policy.columns.iter())
            .filter(|column| super::is_published(column))
            .map(|column| json!({ "name": column.name, "role": column.role.map(|role| role.name()) }))
            .collect();
        let mut manifest = json!({
            "privet": env!("CARGO_PKG_VERSION"),
            "kind": "table",
            "method": self.policy.method.name(),
            "requirements": self.asked(),
            "columns": columns,
            "records": { "released": shown(self.released), "suppressed": shown(self.suppressed) },
            "loss": self.public_losses(),
            "audit": { "passed": self.audit.passed },
            "files": self.files(),
        });
        if self.starred > 0 {
            manifest["records"]["starred"] = shown(self.starred);
        }
        manifest
    }

    /// Losses as shares of the worst, in three digits. Every loss counts the suppressed records, so none is published
    /// where that number is small: it would follow by a little algebra.
    fn public_losses(&self) -> Json {
        if is_small(self.suppressed) {
            return Json::Null;
        }
        let small = |cost: &ShownCost| cost.name == "CM" && (1.0..=SMALL as f64).contains(&cost.value);
        let losses: serde_json::Map<String, Json> = (self.costs.iter())
            .filter(|cost| !small(cost))
            .map(|cost| (cost.name.to_string(), json!((cost.normalised * 1000.0).round() / 1000.0)))
            .collect();
        losses.into()
    }
}

fn is_small(count: u64) -> bool {
    (1..=SMALL).contains(&count)
}

/// A count as it may be published.
fn shown(count: u64) -> Json {
    if is_small(count) { json!(format!("1-{SMALL}")) } else { json!(count) }
}

fn absolute(path: &Path) -> String {
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
