//! The audit for the terminal.

use std::fmt::Write;

use super::{Audit, Check};
pub(crate) use privet_core::counted;
use privet_core::{noun, shortened, thousands, visible};
use privet_policy::DataKind;

/// The verdict in a line.
pub fn verdict(audit: &Audit) -> String {
    let failing = audit.checks.iter().filter(|check| !check.holds).count();
    let open = audit.checks.iter().filter(|check| check.undetermined).count();
    let checks = audit.checks.len();
    match failing {
        0 if audit.passed && open > 0 => {
            let checks = if open == 1 { "one check" } else { "some checks" };
            format!("audit found no violation, but {checks} cannot be decided from what is there\n")
        }
        0 if audit.passed => {
            format!("audit passed: all {} hold\n", counted(checks as u64, "check", "checks"))
        }
        1 => "AUDIT FAILED: one check does not hold\n".to_string(),
        _ => format!("AUDIT FAILED: {failing} checks do not hold\n"),
    }
}

/// The verdict, the counts, every check that does not hold or cannot be decided, and the names of the others.
pub fn in_brief(audit: &Audit) -> String {
    let mut text = verdict(audit) + &counts(audit);
    let is_plain = |check: &&Check| check.holds && !check.undetermined;
    for check in audit.checks.iter().filter(|check| !is_plain(check)) {
        text += &in_lines(check, audit.kind);
    }
    let plain = audit.checks.iter().filter(is_plain);
    let (asked, always): (Vec<&Check>, Vec<&Check>) = plain.partition(|check| !check.judges.is_empty());
    for (what, checks) in [("requirements", asked), ("form and records", always)] {
        let names: Vec<&str> = checks.iter().map(|check| check.name.as_str()).collect();
        if !names.is_empty() {
            let _ = writeln!(text, "✓ {what}: {}", visible::line(&shortened(&names)));
        }
    }
    text
}

/// The verdict, the counts, and every check with the worst class and the records concerned.
pub fn render(audit: &Audit) -> String {
    let mut text = verdict(audit) + &counts(audit);
    for check in &audit.checks {
        text += &in_lines(check, audit.kind);
    }
    text
}

/// How many records there are.
fn counts(audit: &Audit) -> String {
    let records = &audit.records;
    let (one, many) = nouns(audit.kind);
    let released = format!("{} {}", thousands(records.released), noun(records.released, one, many));
    let [classes, original, dropped, suppressed] =
        [audit.classes, records.original, records.dropped, records.suppressed].map(thousands);
    match audit.kind {
        DataKind::Transactions => format!("{released} released, {classes} different; original: {original}\n"),
        DataKind::QueryLog | DataKind::Vocabularies => format!(
            "{released} released, {classes} different; original: {original}, withheld: {suppressed}\n"
        ),
        DataKind::Table => format!(
            "{released} released in {classes} {}; original: {original}, dropped: {dropped}, suppressed: {suppressed}\n",
            noun(audit.classes, "class", "classes"),
        ),
    }
}

/// A check with what it found, and the class that is worst off.
fn in_lines(check: &Check, kind: DataKind) -> String {
    let mark = match (check.holds, check.undetermined) {
        (_, true) => '?',
        (true, false) => '✓',
        (false, false) => '✗',
    };
    // Names and values of a file that others made must not end the line and begin one that looks like ours.
    let mut text = format!("{mark} {}: {}\n", visible::line(&check.name), visible::line(&check.detail));
    if let Some(worst) = &check.worst {
        let what = match kind {
            DataKind::Table => "worst class",
            DataKind::Transactions => "for instance",
            DataKind::QueryLog | DataKind::Vocabularies => "nearest to the limit",
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    {what}: {}", visible::line(worst));
    }
    if !check.holds && check.concerned > 0 {
        let (one, many) = nouns(kind);
        let mut concerned = counted(check.concerned, one, many);
        if kind == DataKind::Table {
            concerned += &format!(" in {}", counted(check.classes_failing, "class", "classes"));
        }
        let _ = writeln!(text, "    concerned: {concerned}");
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
    use crate::AuditRecords;

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
        let brief = in_brief(&audit);
        assert!(
            brief.contains("✗ k-anonymity (k = 5): fails in 1 of 9 classes\n    for instance"),
            "{brief}"
        );
        assert!(brief.ends_with("✓ form and records: columns\n"), "{brief}");
        audit.checks[1] = Check::undetermined("assignment", "nobody knows");
        audit.passed = true;
        let text = render(&audit);
        assert!(text.starts_with("audit found no violation, but one check cannot be decided"), "{text}");
        assert!(text.contains("? assignment: nobody knows"), "{text}");
    }
}
