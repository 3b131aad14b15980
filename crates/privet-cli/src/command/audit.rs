//! `privet audit`: checks a release again, or any release that another tool made.

use std::fs;
use std::path::{Path, PathBuf};

use privet::attack::PolicyRef;
use privet::audit::released::open_released;
use privet::audit::{AuditOptions, audit_table_watched, audit_transactions, render};
use privet::clock::Clock;
use privet::data::{ReadOptions, Source, TransactionOptions, TransactionSource};
use privet::policy::{AnyPolicy, Policy, Purpose, Subject};
use privet::release::{
    about_released, audit_bucket_files, audit_projection_files, audit_release, audit_vocabulary_file,
    open_release,
};
use privet::{Error, ErrorKind, Result};
use serde_json::json;

use crate::arguments::Audit;
use crate::output::Output;

pub fn run(arguments: &Audit, output: &Output, clock: &Clock) -> Result<u8> {
    let original = arguments.original.as_deref();
    let mut cautions = Vec::new();
    clock.progress().stage("auditing", None);
    let audit = match (&arguments.folder, &arguments.policy, &arguments.release) {
        (Some(folder), _, _) => {
            let audit = audit_release(folder, original, clock)?;
            // What is not as it was published is said by the audit.
            if let Ok(release) = open_release(folder, original, clock) {
                cautions = about_released(&release.released, clock).or_else(unless_interrupted)?;
            }
            audit
        }
        (None, Some(policy), Some(release)) => {
            let options = AuditOptions::foreign();
            let policy = Policy::read(policy)?.check_any_for(original, Purpose::Audit)?;
            if arguments.aligned && !matches!(policy, AnyPolicy::Vocabularies(_)) {
                let kind = policy.kind().name();
                return Err(Error::input(format!("--aligned has no meaning for kind = \"{kind}\""))
                    .help("leave it out: records are compared whatever their order"));
            }
            // What cannot be opened is a matter of the audit.
            if let Ok(released) = open_released(PolicyRef::from(&policy), release) {
                cautions = about_released(&released, clock).or_else(unless_interrupted)?;
            }
            let files = released_paths(release)?;
            let audit = match policy {
                AnyPolicy::Table(policy) if policy.subject() == Subject::Groups => {
                    audit_bucket_files(&policy, release, clock)?
                }
                AnyPolicy::Table(policy) if policy.subject() == Subject::Projections => {
                    audit_projection_files(&policy, release, clock)?
                }
                AnyPolicy::Table(policy) => {
                    let release = Source::open(release, &ReadOptions::with_names(None))?;
                    audit_table_watched(&policy, &release, &options, &mut || clock.check())?
                }
                AnyPolicy::Transactions(policy) => {
                    let separator = Some(policy.source.separator());
                    let release = TransactionSource::open(release, &TransactionOptions::Lines { separator })?;
                    audit_transactions(&policy, &release, &options, &mut || clock.check())?
                }
                AnyPolicy::Vocabularies(policy) => {
                    audit_vocabulary_file(&policy, release, arguments.aligned, clock)?
                }
            };
            audit.with_containers(files.iter().map(PathBuf::as_path))?
        }
        _ => return Err(Error::input("name a release folder, or --policy and --release")),
    };
    cautions.iter().for_each(|caution| output.warn(caution));
    output.result(&render(&audit), || {
        let mut json = json!(audit);
        if !cautions.is_empty() {
            json["warnings"] = json!(cautions);
        }
        json
    });
    Ok(if audit.passed { 0 } else { ErrorKind::Violation.exit_status() })
}

/// Nothing to warn of in what cannot be read: the audit has the say. Whoever wants to stop is obeyed.
fn unless_interrupted(error: Error) -> Result<Vec<String>> {
    if error.kind() == ErrorKind::Interrupted { Err(error) } else { Ok(Vec::new()) }
}

/// The file, or those in the folder, that a release is.
fn released_paths(release: &Path) -> Result<Vec<PathBuf>> {
    if !release.is_dir() {
        return Ok(vec![release.to_path_buf()]);
    }
    let entries = fs::read_dir(release).map_err(|error| Error::io("read the folder", release, &error))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    Ok(paths)
}
