//! `privet audit`: checks a release again, or any release that another tool made.

use privet::audit::released::open_released;
use privet::audit::{audit_files, audit_release, in_brief, render};
use privet::clock::Clock;
use privet::policy::{Policy, Purpose};
use privet::release::{about_released, open_release};
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
            // The audit reports what is not as it was published.
            if let Ok(release) = open_release(folder, original, clock) {
                cautions = about_released(&release.released, clock).or_else(unless_interrupted)?;
            }
            audit
        }
        (None, Some(policy), Some(release)) => {
            let policy = Policy::read(policy)?.check_any_for(original, Purpose::Audit)?;
            let audit = audit_files(&policy, release, arguments.aligned, clock)?;
            if let Ok(released) = open_released(policy.as_ref(), release) {
                cautions = about_released(&released, clock).or_else(unless_interrupted)?;
            }
            audit
        }
        _ => return Err(Error::input("name a release directory, or --policy and --release")),
    };
    cautions.iter().for_each(|caution| output.warn(caution));
    let text = if output.is_verbose() { render(&audit) } else { in_brief(&audit) };
    output.result(&text, || {
        let mut json = json!(audit);
        if !cautions.is_empty() {
            json["warnings"] = json!(cautions);
        }
        json
    });
    Ok(if audit.passed { 0 } else { ErrorKind::Violation.exit_status() })
}

/// The audit reports what cannot be read, so there is no second warning. An interrupted run still stops.
fn unless_interrupted(error: Error) -> Result<Vec<String>> {
    if error.kind() == ErrorKind::Interrupted { Err(error) } else { Ok(Vec::new()) }
}
