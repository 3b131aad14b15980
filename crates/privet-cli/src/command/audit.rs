//! `privet audit`: checks a release again, or any table.

use privet::audit::{AuditOptions, audit_table_watched, render};
use privet::data::{ReadOptions, Source};
use privet::engine::clock::Clock;
use privet::method::CATALOGUE;
use privet::policy::Policy;
use privet::release::audit_release;
use privet::{ErrorKind, Result};
use serde_json::json;

use crate::arguments::Audit;
use crate::output::Output;

pub fn run(arguments: &Audit, output: &Output, clock: &Clock) -> Result<u8> {
    let original = arguments.original.as_deref();
    let audit = match (&arguments.folder, &arguments.policy, &arguments.release) {
        (Some(folder), _, _) => audit_release(folder, original, clock)?,
        (None, Some(policy), Some(release)) => {
            let policy = Policy::read(policy)?.check(&CATALOGUE, original)?;
            let release = Source::open(release, &ReadOptions::default())?;
            audit_table_watched(&policy, &release, &AuditOptions::foreign(), &mut || clock.check())?
        }
        _ => return Err(privet::Error::input("name a release folder, or --policy and --release")),
    };
    output.result(&render(&audit), || json!(audit));
    Ok(if audit.passed { 0 } else { ErrorKind::Violation.exit_status() })
}
