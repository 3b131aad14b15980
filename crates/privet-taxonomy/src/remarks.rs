//! What looks wrong in a hierarchy file though it can be read: ends of lines, blanks, lines that ran together.

use std::path::Path;

use super::{ROOT_LABEL, read};
use privet_core::{Result, counted};

/// What somebody should look at in a hierarchy file, one sentence each.
///
/// A file whose last line has no end is noticed, because two such files that are put together make one line of two: its label
/// `*-9` was a root and the next leaf. So are blanks around labels, which keep values from their leaves.
pub fn remarks(path: &Path) -> Result<Vec<String>> {
    let mut remarks = Vec::new();
    if read::lacks_final_end(path)? {
        remarks.push(
            "the last line has no end: where another file is put behind it, two lines become one".to_string(),
        );
    }
    let records = read::records(path)?;
    let mut labels = records.iter().flat_map(|(line, labels)| labels.iter().map(move |label| (*line, label)));
    let padded = |label: &str| label.trim().len() < label.len();
    let blank: Vec<(u64, &String)> = labels.clone().filter(|(_, label)| padded(label)).collect();
    if let [(line, label), ..] = blank.as_slice() {
        let count = counted(blank.len() as u64, "label has blanks", "labels have blanks");
        remarks.push(format!(
            "{count} at an end, '{label}' in line {line} first: a value without them finds no leaf"
        ));
    }
    let joined = |label: &str| {
        label.strip_prefix(ROOT_LABEL).is_some_and(|rest| !rest.is_empty() && !rest.starts_with(ROOT_LABEL))
    };
    let has_root = records.iter().any(|(_, labels)| labels.last().is_some_and(|last| last == ROOT_LABEL));
    if let Some((line, label)) = labels.find(|(_, label)| has_root && joined(label)) {
        remarks.push(format!(
            "'{label}' in line {line} looks like the end of one line and the beginning of the next: put each on its own"
        ));
    }
    Ok(remarks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("h.csv");
        std::fs::write(&path, text).expect("written");
        remarks(&path).expect("readable")
    }

    #[test]
    fn slips_are_noticed_and_nothing_else() {
        assert!(of("a;x;*\nb;x;*\n").is_empty());
        assert!(of("94103;9410*;*****\n94105;9410*;*****\n").is_empty());
        assert!(of("a;x;*\nb;x;*").iter().any(|remark| remark.contains("no end")));
        assert!(of("a ;x;*\nb;x;*\n").iter().any(|remark| remark.contains("'a ' in line 1")));
        assert!(of("1;x;*-9;y;*\n2;x;*\n").iter().any(|remark| remark.contains("'*-9' in line 1")));
    }
}
