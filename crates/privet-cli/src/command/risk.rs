//! `privet risk`: what the data are worth to an attacker, before anything is decided.

use std::io::Write;

use privet::clock::Clock;
use privet::platform;
use privet::policy::Policy;
use privet::risk::{self, Risk as Figures, RiskOptions};
use privet::{Error, Result, counted};

use crate::arguments::Risk;
use crate::output::Output;

/// Sets of columns that are listed of each size.
const LISTED: usize = 5;

pub fn run(arguments: &Risk, output: &Output, clock: &Clock) -> Result<u8> {
    let policy = Policy::read(&arguments.policy)?;
    if let Some(target) = &arguments.output
        && target.exists()
    {
        return Err(Error::input("the file is there already")
            .in_file(target)
            .help("choose another name, or remove it"));
    }
    let options = RiskOptions { release: arguments.release.as_deref(), largest: arguments.largest };
    let figures = risk::measure(&policy, None, &options, clock)?;
    if let Some(target) = &arguments.output {
        let mut open = std::fs::OpenOptions::new();
        open.write(true).create_new(true);
        let write = || platform::private(&mut open).open(target)?.write_all(figures.to_csv().as_bytes());
        let mut write = write;
        write().map_err(|error| Error::io("write the figures of the records", target, &error))?;
    }
    output.result(&text(&figures), || figures.to_json());
    Ok(0)
}

fn text(figures: &Figures) -> String {
    let sizes = &figures.sizes;
    let mut text = format!(
        "{} in {}\n\nWho could find a record\n",
        counted(sizes.records(), "record", "records"),
        counted(sizes.classes(), "class", "classes")
    );
    for (name, value) in figures.in_words() {
        text += &format!("  {name:<52} {value}\n");
    }
    text += "\nRecords by the size of their class\n";
    for (band, records) in risk::bands(sizes) {
        let share = if sizes.records() == 0 { 0.0 } else { records as f64 / sizes.records() as f64 };
        let bar = "█".repeat((share * 40.0).round() as usize);
        text += &format!("  {band:<10}  {bar:<40} {records}\n");
    }
    let uniques = &figures.uniques;
    text += &format!(
        "\nSpecial uniques: alone on a few columns, looked for on up to {}\n",
        counted(uniques.largest as u64, "column", "columns")
    );
    for (size, count) in (1u64..).zip(&uniques.by_size).filter(|(_, count)| **count > 0) {
        text += &format!("  on {}: {count}\n", counted(size, "column", "columns"));
    }
    text += &format!("  {} one\n", counted(uniques.records, "record has", "records have"));
    text += "\nWhich columns identify: distinction (different combinations per record) and separation (pairs that differ)\n";
    let ranked = figures.ranked();
    for same in ranked.chunk_by(|a, b| a.columns.len() == b.columns.len()) {
        for set in same.iter().take(LISTED) {
            let (records, names) = (sizes.records(), figures.names(set).join(", "));
            text += &format!("  {:.6}  {:.6}  {names}\n", set.distinction(records), set.separation(records));
        }
        if same.len() > LISTED {
            text += &format!("  … {} more of this size\n", same.len() - LISTED);
        }
    }
    text
}
