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

fn percent(share: f64) -> String {
    format!("{:.4} %", share * 100.0)
}

fn text(figures: &Figures) -> String {
    let sizes = &figures.sizes;
    let mut text = format!(
        "{} in {}\n\nWho could find a record\n",
        counted(sizes.records(), "record", "records"),
        counted(sizes.classes(), "class", "classes")
    );
    let mut row = |name: &str, value: String| text += &format!("  {name:<52} {value}\n");
    row("prosecutor, highest: one over the smallest class", percent(figures.highest()));
    row("prosecutor or marketer, on average", percent(figures.average()));
    row("records that are alone in their class", percent(figures.sample_uniques()));
    if let (Some(all), Some(population)) = (&figures.uniqueness, figures.population) {
        let people = figures.records.iter().filter_map(|record| record.people).min();
        if let Some(least) = people.filter(|least| *least > 0) {
            row("journalist, highest: one over the fewest people", percent(1.0 / least as f64));
        }
        let share = |found: Option<privet::engine::risk::Estimate>| {
            found.map_or("not available".to_string(), |found| percent(found.value))
        };
        row(&format!("unique among {population} people, by Zayatz"), share(all.zayatz));
        row("  by Pitman's formula", share(all.pitman));
        row("  by the shifted negative binomial", share(all.snb));
        row("  by the rule of Dankar and others", share(all.dankar));
        row("a unique match is right (DIS)", figures.dis.map_or("not available".to_string(), percent));
    }
    if let Some(own) = figures.individual {
        row("individual risk by survey weights, highest", percent(own.highest));
        row("  records that are expected to be found", format!("{:.6}", own.expected));
        row("  people that the weights stand for", format!("{}", own.population));
    }
    if let Some(own) = figures.household {
        row("household risk, highest", percent(own.highest));
        row("  records in households that are expected to be found", format!("{:.6}", own.expected));
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
