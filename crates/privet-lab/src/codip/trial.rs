//! Every part on a small made-up file of Census-Income's outline.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::*;

/// A file with 42 columns per record.
fn small_census(folder: &Path) {
    let mut text = String::new();
    for row in 0..300u32 {
        let pick = |step: u32, of: u32| (row * step + row / 7) % of;
        let mut cells: Vec<String> = (0..42).map(|column| format!("v{}", pick(column + 1, 2))).collect();
        cells[0] = (20 + pick(7, 40)).to_string();
        cells[2] = pick(1, 5).to_string();
        for numeric in [5, 16, 17, 18] {
            cells[numeric] = (pick(numeric as u32, 3) * 100).to_string();
        }
        cells[10] = ["White", "Black", "Other"][pick(3, 3) as usize].to_string();
        cells[22] = [
            "Householder",
            "Spouse of householder",
            "Child <18 never marr not in subfamily",
            "Child 18+ ever marr RP of subfamily",
        ][pick(5, 4) as usize]
            .to_string();
        cells[35] = ["Native- Born in the United States", "Foreign born- Not a citizen of U S"]
            [pick(11, 2) as usize]
            .to_string();
        let _ = writeln!(text, "{}.", cells.join(", "));
    }
    fs::create_dir_all(folder.join("census-income-kdd")).expect("a folder");
    fs::write(folder.join("census-income-kdd/census-income.test"), text).expect("a file");
}

/// Runs every part.
pub fn run(folder: &Path, setting: &Setting) -> Vec<(Part, Result<Vec<Section>>)> {
    small_census(folder);
    let laboratory = prepare(setting).expect("the data");
    let data = laboratory.data().expect("one file");
    assert_eq!((data.file.as_str(), data.read), ("census-income.test", 300));
    assert!(data.used > 0 && data.used < data.read, "{data:?}");
    EXPERIMENT.parts.iter().map(|part| (*part, laboratory.run(part))).collect()
}

#[test]
fn the_household_status_is_taken_apart() {
    let found = |status: &str| super::data::household(status).join(" ");
    assert_eq!(found("Householder"), "");
    assert_eq!(found("Spouse of householder"), "married");
    assert_eq!(found("Child <18 never marr not in subfamily"), "18- descendent");
    assert_eq!(found("Grandchild 18+ ever marr RP of subfamily"), "married descendent subfamily");
    assert_eq!(found("Child 18+ never marr Not in a subfamily"), "descendent");
    assert_eq!(found("Child under 18 of RP of unrel subfamily"), "18- descendent subfamily");
}
