//! `privet-lab`: what it lists, what it refuses, and what it says when the data is not there.

use std::process::Command;

/// Runs the command without data; returns its status, standard output and standard error.
fn lab(arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let output = Command::new(env!("CARGO_BIN_EXE_privet-lab"))
        .current_dir(folder.path())
        .env("PRIVET_DATA", folder.path().join("nothing"))
        .args(arguments)
        .output()
        .expect("a run");
    let left = std::fs::read_dir(folder.path()).expect("the folder").count();
    assert_eq!(left, 0, "{arguments:?} left something behind");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn experiments_and_their_parts_are_listed() {
    let (status, text, _) = lab(&[]);
    assert!(status == Some(0) && text.contains("l-plus"), "{text}");
    let (status, text, _) = lab(&["l-plus", "--list"]);
    assert!(status == Some(0) && text.contains("classification") && text.contains("annealing"), "{text}");
}

#[test]
fn unknown_names_get_a_suggestion() {
    let (status, _, error) = lab(&["l-plu"]);
    assert!(status == Some(2) && error.contains("did you mean 'l-plus'?"), "{error}");
    let (status, _, error) = lab(&["l-plus", "--part", "costs"]);
    assert!(status == Some(2) && error.contains("did you mean 'cost'?"), "{error}");
}

#[test]
fn missing_data_is_bad_input_and_says_where_to_get_it() {
    let (status, _, error) = lab(&["l-plus", "--quick"]);
    assert_eq!(status, Some(2));
    assert!(error.contains("adult_45222.csv") && error.contains("archive.ics.uci.edu"), "{error}");
}
