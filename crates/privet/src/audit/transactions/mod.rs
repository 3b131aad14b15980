//! The audit of released transactions: the counts.

use super::{Audit, AuditOptions, AuditRecords, Check, check_counts};
use crate::Result;
use crate::data::TransactionSource;
use crate::policy::TransactionPolicy;

/// Audits released transactions against their policy; the policy's data is the original.
///
/// `tick` is called every now and then, and an error of it ends the audit.
pub fn audit_transactions(
    policy: &TransactionPolicy,
    release: &TransactionSource,
    options: &AuditOptions,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Audit> {
    let mut count = |source: &TransactionSource| {
        let mut count = 0;
        source.read_watched(
            &mut |_, _| {
                count += 1;
                Ok(())
            },
            &mut |_| tick(),
        )?;
        Ok(count)
    };
    let (original, released) = (count(&policy.source)?, count(release)?);
    let records = AuditRecords { original, dropped: 0, released, suppressed: 0 };
    let detail = format!("{released} of {original} transactions are released");
    let mut checks = vec![Check::new("records", released == original, detail)];
    checks.extend(options.expected.as_ref().map(|expected| check_counts(expected, &records)));
    let passed = checks.iter().all(|check| check.holds);
    Ok(Audit { passed, records, classes: 0, checks })
}
