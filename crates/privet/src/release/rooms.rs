//! What the two rooms of a release hold next to the released data, whatever kind of data that is.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value as Json;

use super::target::Target;
use privet_core::hash::sha256_of_text;
use privet_core::{Error, Result};
use privet_policy::layout::{CLAIMS, MANIFEST};

/// The documents of a release.
pub(super) struct Documents {
    pub public_report: String,
    pub public_manifest: Json,
    pub steward_report: String,
    /// The figures that both reports are made from.
    pub figures: String,
}

impl Documents {
    /// Writes them into the two rooms. `released` are the files that the public room has already; `manifest` makes the
    /// steward's manifest from these and the documents next to them, and is returned.
    pub fn write(
        &self,
        target: &Target,
        released: &[(String, String)],
        manifest: impl FnOnce(&[(String, String)]) -> Result<Json>,
    ) -> Result<Json> {
        let write = |path: PathBuf, content: &str, private| target.write(&path, content.as_bytes(), private);
        let public =
            [("report.html", self.public_report.clone()), ("manifest.json", pretty(&self.public_manifest)?)];
        for (name, content) in &public {
            write(target.public().join(name), content, false)?;
        }
        let hashes = public.iter().map(|(name, content)| (name.to_string(), sha256_of_text(content)));
        let all: Vec<(String, String)> = released.iter().cloned().chain(hashes).collect();
        let manifest = manifest(&all)?;
        let steward = target.steward();
        write(steward.join("report.html"), &self.steward_report, true)?;
        write(steward.join("report.json"), &self.figures, true)?;
        write(steward.join(MANIFEST), &pretty(&manifest)?, true)?;
        target.remove(&steward.join(CLAIMS))?;
        Ok(manifest)
    }
}

/// JSON as people can read it.
pub(super) fn pretty(value: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string_pretty(value);
    text.map(|text| text + "\n").map_err(|error| Error::internal(format!("cannot write JSON: {error}")))
}
