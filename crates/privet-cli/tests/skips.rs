//! Tests that cannot run everywhere say so: each skip is a line that `cargo test` shows, and none is hidden.

use std::fs;
use std::path::{Path, PathBuf};

/// How many places skip a test: those that need data that is not shipped, WordNet, rights that a user may lack, or a full cache of
/// cargo.
const SKIPS: usize = 20;

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_skip_is_shown_and_counted() {
    let calls = ["skipped(", "real_data("].map(|call| format!("testing::{call}"));
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut files);
    let mut counted = 0;
    for path in &files {
        let text = fs::read_to_string(path).expect("a source");
        counted += calls.iter().map(|call| text.matches(call).count()).sum::<usize>();
        let printed = ["println!(\"", "skipped"].concat();
        assert!(
            !text.contains(&printed),
            "{}: the harness hides this; use privet_core::testing",
            path.display()
        );
    }
    assert_eq!(counted, SKIPS, "say here how many places skip a test");
}
