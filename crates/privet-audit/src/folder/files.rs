//! Whether a release's files are those that were published: not others, and not links to files elsewhere, pipes or folders.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use super::{ReleaseFolder, holdout};
use crate::Check;
use privet_core::hash::sha256_of;
use privet_core::place::{names_of, work_of};
use privet_core::{Error, Result};
use privet_policy::layout::{PLAN, POLICY, PUBLIC, STEWARD};

impl ReleaseFolder {
    /// Whether a published path is there and cannot be read as a file.
    pub(super) fn is_unreadable(&self) -> bool {
        self.names().map(|name| self.public(name)).any(|path| {
            let is_file = fs::metadata(&path).is_ok_and(|metadata| metadata.is_file());
            !is_file && fs::symlink_metadata(&path).is_ok()
        })
    }

    /// Whether `public/` holds just the files that were published, and the policy and the plan are those they were made under.
    pub fn check_files(&self) -> Result<Check> {
        let mut faults = Vec::new();
        let public = self.path.join(PUBLIC);
        if fs::symlink_metadata(&public).is_ok_and(|metadata| metadata.file_type().is_symlink()) {
            faults.push("public/ is a symbolic link, not a directory".to_string());
        }
        let mut published = Vec::new();
        for file in self.stated["files"].as_array().into_iter().flatten() {
            let (Some(name), Some(sha256)) = (file["path"].as_str(), file["sha256"].as_str()) else {
                return Err(self.broken());
            };
            published.push(name);
            if let Err(fault) = is_own_file(&self.path, name) {
                faults.push(format!("{name} {fault}"));
            } else if sha256_of(&public.join(name))? != sha256 {
                faults.push(format!("{name} is not as published, its SHA-256 differs"));
            }
        }
        let entries =
            fs::read_dir(&public).map_err(|error| Error::io("read the directory", &public, &error))?;
        let names = entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()));
        let mut strangers: Vec<String> = names.filter(|name| !published.contains(&name.as_str())).collect();
        strangers.sort();
        faults.extend(strangers.iter().map(|name| format!("public/ holds {name}, which was not published")));
        faults.extend(self.faults_of_policy()?);
        faults.extend(self.fault_of_plan()?);
        for input in self.stated["origin"]["inputs"].as_array().into_iter().flatten() {
            let (Some(path), Some(sha256)) = (input["path"].as_str(), input["sha256"].as_str()) else {
                return Err(self.broken());
            };
            if sha256_of(Path::new(path))? != sha256 {
                faults
                    .push(format!("{path} is not as it was when the release was made, its SHA-256 differs"));
            }
        }
        faults.extend(holdout::fault(self)?);
        let detail = match faults.as_slice() {
            [] => "public/ contains exactly the published files".to_string(),
            faults => faults.join("; "),
        };
        Ok(Check::new("files", faults.is_empty(), detail))
    }

    /// What speaks against the kept plan being the one that the release was made by, as a sentence.
    pub fn fault_of_plan(&self) -> Result<Option<String>> {
        let kept = sha256_of(&self.path.join(STEWARD).join(PLAN))?;
        let is_same = self.stated["origin"]["plan_sha256"].as_str() == Some(&kept);
        Ok((!is_same).then(|| format!("steward/{PLAN} is not the plan that the release was made by")))
    }

    /// What speaks against the kept policy being the one that the release was made under, as sentences.
    pub fn faults_of_policy(&self) -> Result<Vec<String>> {
        let mut faults = Vec::new();
        let kept = sha256_of(&self.path.join(STEWARD).join(POLICY))?;
        if self.stated["origin"]["policy_sha256"].as_str() != Some(&kept) {
            faults.push("steward/policy.toml is not the policy that the release was made under".to_string());
        }
        // Numbers read from a text may differ in the last digit from those that were written.
        let kept = self.policy()?.without_seed().to_string();
        if serde_json::from_str::<Json>(&kept).is_ok_and(|kept| kept != self.stated["policy"]) {
            faults.push("the manifest repeats another policy than steward/policy.toml has".to_string());
        }
        Ok(faults)
    }
}

/// Whether a published path is a file of the release's own; otherwise why not. The file behind a link may be another one
/// tomorrow, and a file with two names can be changed by the other name.
pub fn is_own_file(folder: &Path, name: &str) -> std::result::Result<(), String> {
    let path = &folder.join(PUBLIC).join(name);
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return Err("was published and is not there".to_string());
    };
    if metadata.file_type().is_symlink() {
        return Err("is a symbolic link, not a file".to_string());
    }
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "a directory" } else { "a pipe or a device" };
        return Err(format!("is {what}, not a file"));
    }
    // A run that rewrites the reports, or that was killed when it did, has a name for it in its hidden folder.
    let own = work_of(folder).map(|work| work.join(PUBLIC).join(name));
    let hidden = u64::from(own.is_some_and(|own| privet_core::place::is_same_file(&own, path)));
    if names_of(&metadata) > 1 + hidden {
        return Err("has another name elsewhere (a hard link); copy it".to_string());
    }
    Ok(())
}
