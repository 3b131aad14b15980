//! Every part runs, and the aims are reached on the real table.

use std::fs;
use std::path::PathBuf;

use super::*;
use crate::Patience;

fn setting(data: PathBuf) -> Setting {
    let (log, quick) = (None, true);
    Setting { data, log, quick, patience: Patience::Usual, clock: Clock::unlimited() }
}

#[test]
fn every_part_of_tables_finds_something() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = QUASI.join(";") + "\n";
    for row in 0..400u32 {
        let word = |(at, name): (usize, &&str)| match *name {
            "age" => (20 + row * 7 % 40).to_string(),
            name => format!("{name}{}", (row / (at as u32 + 1) + row % 3) % 4),
        };
        text += &(QUASI.iter().enumerate().map(word).collect::<Vec<_>>().join(";") + "\n");
    }
    let trees = folder.path().join("adult-hierarchies/arx");
    fs::create_dir_all(folder.path().join("adult")).expect("a folder");
    fs::create_dir_all(&trees).expect("a folder");
    fs::write(folder.path().join(TABLES[1]), text).expect("a table");
    for name in QUASI {
        let lines: String = match name {
            "age" => (20..60).map(|age| format!("{age};{}s;*\n", age / 10 * 10)).collect(),
            name => (0..4).map(|value| format!("{name}{value};{name} {};*\n", value / 2)).collect(),
        };
        fs::write(hierarchy(&trees, name), lines).expect("a tree");
    }
    let laboratory = prepare(&setting(folder.path().to_path_buf())).expect("the data");
    for part in EXPERIMENT.parts {
        let sections = laboratory.run(part).expect("sections");
        assert!(sections.iter().all(|section| section.tables[0].rows.len() == 6), "{}", part.name);
    }
    fs::remove_file(hierarchy(&trees, "age")).expect("a file");
    let missing = prepare(&setting(folder.path().to_path_buf())).err().expect("a file is gone");
    assert!(missing.to_string().contains("is not there"), "{missing}");
}

/// The aims on 30,162 Adult records, and Mondrian's figures without the new keys next to them.
#[test]
fn the_aims_on_adult_are_reached() {
    let Some(folder) = privet_core::testing::real_data(&[TABLES[0]]) else { return };
    let bench = Bench {
        table: folder.join(TABLES[0]),
        hierarchies: folder.join("adult-hierarchies/arx"),
        clock: Clock::unlimited(),
    };
    let sets = "name = \"mondrian\"\nlabels = \"sets\"";
    let before = bench.solve(7, true, 10, "name = \"mondrian\"").expect("a release");
    let same = bench.solve(7, true, 10, sets).expect("a release");
    assert_eq!((before.classes, same.classes), (1513, 1513));
    assert!(before.lm > 0.14 && same.lm < 0.055, "{} {}", before.lm, same.lm);
    let free = bench.solve(7, true, 10, &format!("{sets}\nsplits = \"free\"")).expect("a release");
    assert!(free.lm <= 0.036 && free.error <= 0.158, "{} {}", free.lm, free.error);
    let without = bench.solve(7, false, 10, sets).expect("a release");
    assert!(without.lm <= 0.05 && without.error <= 0.158, "{} {}", without.lm, without.error);
    let refined = bench.solve(9, true, 5, "name = \"mondrian\"\nnumbers = \"hierarchy\"\nrefine = true");
    let refined = refined.expect("a release");
    assert!(1.0 - refined.ncp >= 0.92, "{}", refined.ncp);
}
