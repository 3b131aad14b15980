//! The audit for the terminal.

use std::fmt::Write;

use super::Audit;
pub(crate) use privet_core::counted;
use privet_core::visible;
use privet_policy::DataKind;

/// A short verdict: one line per check, and for what matters the worst class and the records concerned.
pub fn render(audit: &Audit) -> String {
    let mut text = String::new();
    let failing = audit.checks.iter().filter(|check| !check.holds).count();
    let open = audit.checks.iter().filter(|check| check.undetermined).count();
    let verdict = match failing {
        0 if audit.passed && open > 0 => {
            let checks = if open == 1 { "one check" } else { "some checks" };
            format!("audit found no violation, but {checks} cannot be decided from what is there")
        }
        0 if audit.passed => "audit passed".to_string(),
        1 => "AUDIT FAILED: one check does not hold".to_string(),
        _ => format!("AUDIT FAILED: {failing} checks do not hold"),
    };
    let records = &audit.records;
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{verdict}");
    let (one, many) = nouns(audit.kind);
    let released = counted(records.released, one, many);
    let _ = match audit.kind {
        DataKind::Transactions => {
            writeln!(text, "{released} released, {} different; original: {}", audit.classes, records.original)
        }
        DataKind::QueryLog | DataKind::Vocabularies => writeln!(
            text,
            "{released} released, {} different; original: {}, withheld: {}",
            audit.classes, records.original, records.suppressed
        ),
        DataKind::Table => writeln!(
            text,
            "{released} released in {}; original: {}, dropped: {}, suppressed: {}",
            counted(audit.classes, "class", "classes"),
            records.original,
            records.dropped,
            records.suppressed
        ),
    };
    for check in &audit.checks {
        let mark = match (check.holds, check.undetermined) {
            (_, true) => '?',
            (true, false) => '✓',
            (false, false) => '✗',
        };
        // Names and values of a file that others made must not end the line and begin one that looks like ours.
        let _ = writeln!(text, "{mark} {}: {}", visible::line(&check.name), visible::line(&check.detail));
        if let Some(worst) = &check.worst {
            let what = match audit.kind {
                DataKind::Table => "worst class",
                DataKind::Transactions => "for instance",
                DataKind::QueryLog | DataKind::Vocabularies => "nearest to the limit",
            };
            let _ = writeln!(text, "    {what}: {}", visible::line(worst));
        }
        if !check.holds && check.concerned > 0 {
            let mut concerned = counted(check.concerned, one, many);
            if audit.kind == DataKind::Table {
                concerned += &format!(" in {}", counted(check.classes_failing, "class", "classes"));
            }
            let _ = writeln!(text, "    concerned: {concerned}");
        }
    }
    text
}

/// What one record of a kind of data is called, and several.
fn nouns(kind: DataKind) -> (&'static str, &'static str) {
    match kind {
        DataKind::Table => ("record", "records"),
        DataKind::Transactions => ("transaction", "transactions"),
        DataKind::QueryLog | DataKind::Vocabularies => ("vocabulary", "vocabularies"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AuditRecords, Check};

    #[test]
    fn a_failure_is_said_with_its_worst_class_and_its_records() {
        let mut failing = Check::new("k-anonymity (k = 5)", false, "fails in 1 of 9 classes");
        failing.worst = Some("age = [17,35]: size 4 < k = 5".into());
        (failing.concerned, failing.classes_failing) = (4, 1);
        let records = AuditRecords { original: 100, dropped: 1, released: 98, suppressed: 1 };
        let mut audit = Audit {
            passed: false,
            kind: DataKind::Table,
            records,
            classes: 9,
            checks: vec![Check::new("columns", true, "fine"), failing],
        };
        let expected = "AUDIT FAILED: one check does not hold\n\
            98 records released in 9 classes; original: 100, dropped: 1, suppressed: 1\n\
            ✓ columns: fine\n\
            ✗ k-anonymity (k = 5): fails in 1 of 9 classes\n    worst class: age = [17,35]: size 4 < k = 5\n    \
            concerned: 4 records in 1 class\n";
        assert_eq!(render(&audit), expected);
        audit.kind = DataKind::Transactions;
        let expected = "AUDIT FAILED: one check does not hold\n\
            98 transactions released, 9 different; original: 100\n\
            ✓ columns: fine\n\
            ✗ k-anonymity (k = 5): fails in 1 of 9 classes\n    for instance: age = [17,35]: size 4 < k = 5\n    \
            concerned: 4 transactions\n";
        assert_eq!(render(&audit), expected);
        audit.checks[1] = Check::undetermined("assignment", "nobody knows");
        audit.passed = true;
        let text = render(&audit);
        assert!(text.starts_with("audit found no violation, but one check cannot be decided"), "{text}");
        assert!(text.contains("? assignment: nobody knows"), "{text}");
    }
}
