//! `privet audit`: checks a release again, or any release that another tool made.

use privet::audit::{AuditOptions, audit_table_watched, audit_transactions, render};
use privet::data::{ReadOptions, Source, TransactionOptions, TransactionSource};
use privet::engine::clock::Clock;
use privet::policy::{AnyPolicy, Policy, Subject};
use privet::release::{audit_bucket_files, audit_projection_files, audit_release, audit_vocabulary_file};
use privet::{Error, ErrorKind, Result, method};
use serde_json::json;

use crate::arguments::Audit;
use crate::output::Output;

pub fn run(arguments: &Audit, output: &Output, clock: &Clock) -> Result<u8> {
    let original = arguments.original.as_deref();
    clock.progress().stage("auditing", None);
    let audit = match (&arguments.folder, &arguments.policy, &arguments.release) {
        (Some(folder), _, _) => audit_release(folder, original, clock)?,
        (None, Some(policy), Some(release)) => {
            let options = AuditOptions::foreign();
            let policy = method::check(&Policy::read(policy)?, original)?;
            if arguments.aligned && !matches!(policy, AnyPolicy::Vocabularies(_)) {
                let kind = policy.kind().name();
                return Err(Error::input(format!("--aligned has no meaning for kind = \"{kind}\""))
                    .help("leave it out: records are compared whatever their order"));
            }
            match policy {
                AnyPolicy::Table(policy) if policy.subject() == Subject::Groups => {
                    audit_bucket_files(&policy, release, clock)?
                }
                AnyPolicy::Table(policy) if policy.subject() == Subject::Projections => {
                    audit_projection_files(&policy, release, clock)?
                }
                AnyPolicy::Table(policy) => {
                    let release = Source::open(release, &ReadOptions::default())?;
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
            }
        }
        _ => return Err(Error::input("name a release folder, or --policy and --release")),
    };
    output.result(&render(&audit), || json!(audit));
    Ok(if audit.passed { 0 } else { ErrorKind::Violation.exit_status() })
}
