//! `privet hierarchy`: build, start from a public one, edit, show, check, and what a release made of it.

mod applied;
mod edit;
mod items;
mod ready;

use std::collections::BTreeMap;
use std::path::Path;

use privet::clock::Clock;
use privet::data::{DateFormat, Header, NumberFormat, ReadOptions, Reading, Source};
use privet::taxonomy::{Builder, DrawOptions, Fit, Taxonomy, check, draw, remarks};
use privet::{ColumnValues, Error, Result, counted, visible};
use serde_json::json;

use crate::arguments::{Build, BuildKind, Check, Hierarchy, Show, Written};
use crate::output::Output;

/// What rare values, or those that a classification does not know, are called together.
const OTHER: &str = "other";

pub fn run(arguments: &Hierarchy, output: &Output, clock: &Clock) -> Result<u8> {
    match arguments {
        Hierarchy::Build(arguments) => build(arguments, output, clock),
        Hierarchy::List => ready::list(output),
        Hierarchy::Add(arguments) => ready::add(arguments, output, clock),
        Hierarchy::Edit(arguments) => edit::run(arguments, output),
        Hierarchy::Show(arguments) => show(arguments, output, clock),
        Hierarchy::Check(arguments) => verify(arguments, output, clock),
        Hierarchy::Applied(arguments) => applied::run(arguments, output),
    }
}

/// The distinct values of a column, read as the user says.
fn values_of(
    data: &Path,
    column: &str,
    options: &ReadOptions,
    missing: &[String],
    reading: Option<Reading>,
    clock: &Clock,
) -> Result<ColumnValues> {
    let source = Source::open(data, options)?;
    let index = source.position(column)?;
    let source = source.read_as(reading.map(|reading| (index, reading)).into_iter().collect(), missing);
    ColumnValues::read(&source, column, missing, clock)
}

/// How the cells of the column are read.
fn reading(written: &Written) -> Result<Option<Reading>> {
    if let Some(pattern) = &written.date {
        let format = DateFormat::parse(pattern)?;
        let format = written.first_year.into_iter().fold(format, DateFormat::from_year);
        return Ok(Some(Reading::Date(format)));
    }
    if written.decimal.is_none() && written.unit.is_none() {
        return Ok(None);
    }
    let decimal = if written.decimal.as_deref() == Some(",") { ',' } else { '.' };
    let format = NumberFormat::new(decimal);
    let format = written.unit.as_ref().map_or(Ok(format.clone()), |unit| format.with_unit(unit))?;
    Ok(Some(Reading::Number(format)))
}

/// What the user says about the data.
fn read(delimiter: Option<char>, header: &Option<Header>) -> ReadOptions {
    ReadOptions { header: header.clone().unwrap_or_default(), ..ReadOptions::of(delimiter) }
}

fn build(arguments: &Build, output: &Output, clock: &Clock) -> Result<u8> {
    may_write(&arguments.output, arguments.force)?;
    let Build { data, column, delimiter, header, missing, written, .. } = arguments;
    let options = read(*delimiter, header);
    let values = values_of(data, column, &options, missing, reading(written)?, clock)?;
    clock.progress().stage("building", None);
    let taxonomy = builder(arguments)?.build(&values.values).map_err(|error| values.blame(error))?;
    clock.check()?;
    write(&taxonomy, &arguments.output, output)
}

/// A file that exists is not replaced unasked: somebody may have corrected it by hand.
fn may_write(path: &Path, force: bool) -> Result<()> {
    if force || !path.exists() {
        return Ok(());
    }
    Err(Error::input("the file exists already")
        .in_file(path)
        .help("choose another name, or replace it with --force"))
}

fn write(taxonomy: &Taxonomy, path: &Path, output: &Output) -> Result<u8> {
    taxonomy.write(path)?;
    let text = format!(
        "wrote {}: {}, {}\n",
        path.display(),
        counted(taxonomy.leaves() as u64, "leaf", "leaves"),
        counted(taxonomy.levels() as u64, "level", "levels")
    );
    output.result(
        &text,
        || json!({ "written": path, "leaves": taxonomy.leaves(), "levels": taxonomy.levels() }),
    );
    Ok(0)
}

fn builder(arguments: &Build) -> Result<Builder> {
    let fanout = u32::try_from(arguments.fanout).unwrap_or(u32::MAX);
    let bins = || arguments.bins.map(|bins| u32::try_from(bins).unwrap_or(u32::MAX));
    let lacks = |what: &str| {
        Error::input(format!("this kind of hierarchy needs {what}"))
            .help("see `privet hierarchy build --help`")
    };
    Ok(match arguments.kind {
        BuildKind::EqualWidth => match (&arguments.width, bins()) {
            (Some(width), None) => Builder::EqualWidth { width: width.clone(), fanout },
            (None, Some(bins)) => Builder::EqualBins { bins, fanout },
            _ => return Err(lacks("either --width or --bins")),
        },
        BuildKind::EqualFrequency => {
            Builder::EqualFrequency { bins: bins().ok_or_else(|| lacks("--bins"))?, fanout }
        }
        BuildKind::Breaks => {
            let breaks = arguments.breaks.as_deref().ok_or_else(|| lacks("--breaks"))?;
            let list = |level: &str| level.split(',').map(|number| number.trim().to_string()).collect();
            Builder::Breaks(breaks.split(';').map(list).collect())
        }
        BuildKind::Doubling => {
            Builder::Doubling { width: arguments.width.clone().ok_or_else(|| lacks("--width"))? }
        }
        BuildKind::Dates => Builder::Dates,
        BuildKind::Prefixes => Builder::Prefixes { steps: arguments.steps.clone() },
        BuildKind::Order if arguments.order.is_empty() => return Err(lacks("--order")),
        BuildKind::Order => Builder::Ordered { order: arguments.order.clone(), fanout },
        BuildKind::Categories => match &arguments.groups {
            Some(groups) => Builder::groups_from(groups)?,
            None if arguments.other.is_none() && arguments.merge.is_empty() => Builder::Flat,
            None => Builder::Joined {
                groups: merged(&arguments.merge)?,
                least: arguments.other.unwrap_or(0),
                other: OTHER.to_string(),
            },
        },
    })
}

/// The group of each value that `--merge NAME=VALUE,VALUE` names.
fn merged(merges: &[String]) -> Result<BTreeMap<String, String>> {
    let mut groups = BTreeMap::new();
    for merge in merges {
        let wrong = |what: String| Error::input(what).help("write it as --merge married=civil,church");
        let Some((name, values)) =
            merge.split_once('=').filter(|(name, values)| !name.is_empty() && !values.is_empty())
        else {
            return Err(wrong(format!("'{merge}' does not say what becomes of which values")));
        };
        for value in values.split(',') {
            if groups.insert(value.to_string(), name.to_string()).is_some() {
                return Err(wrong(format!("'{value}' is merged twice")));
            }
        }
    }
    Ok(groups)
}

fn show(arguments: &Show, output: &Output, clock: &Clock) -> Result<u8> {
    let taxonomy = Taxonomy::read(&arguments.hierarchy)?;
    let fit = match (&arguments.data, &arguments.column) {
        (Some(data), Some(column)) => {
            let options = read(arguments.delimiter, &arguments.header);
            Some(check(&taxonomy, values_of(data, column, &options, &[], None, clock)?.occurrences()))
        }
        (Some(_), None) => {
            return Err(
                Error::input("name the column to count").help("privet hierarchy show FILE DATA COLUMN")
            );
        }
        _ => None,
    };
    let counts = fit.as_ref().map(|fit: &Fit| fit.counts.as_slice());
    let options = DrawOptions { most_children: arguments.most, ..DrawOptions::default() };
    let drawing = draw(&taxonomy, counts, options);
    output.result(
        &drawing,
        || json!({ "drawing": drawing, "leaves": taxonomy.leaves(), "levels": taxonomy.levels() }),
    );
    Ok(0)
}

fn verify(arguments: &Check, output: &Output, clock: &Clock) -> Result<u8> {
    // What looks wrong may be why the file cannot be read, so it is said first.
    remarks(&arguments.hierarchy)?.iter().for_each(|remark| output.warn(remark));
    let Some(column) = &arguments.column else { return items::verify(arguments, output) };
    let taxonomy = Taxonomy::read(&arguments.hierarchy)?;
    let options = read(arguments.delimiter, &arguments.header);
    let reading = reading(&arguments.written)?;
    let values = values_of(&arguments.data, column, &options, &arguments.missing, reading, clock)?;
    let fit = check(&taxonomy, values.occurrences());
    let mut text = format!(
        "{}, {}, height {}, {} {}; {} not occur in the data\n",
        counted(taxonomy.leaves() as u64, "leaf", "leaves"),
        counted(taxonomy.levels() as u64, "level", "levels"),
        taxonomy.height(taxonomy.root()),
        taxonomy.cuts(),
        if taxonomy.cuts().to_string() == "1" { "cut" } else { "cuts" },
        counted(fit.unused.len() as u64, "leaf does", "leaves do")
    );
    for misfit in &fit.misfits {
        text += &format!(
            "no leaf: '{}' ({}, first in line {}): {}\n",
            visible::line(&misfit.value),
            counted(misfit.count, "record", "records"),
            misfit.line,
            visible::line(&misfit.reason)
        );
    }
    text += if fit.is_complete() { "every value has a leaf\n" } else { "" };
    output.result(&text, || {
        let misfits: Vec<_> = fit.misfits.iter().map(|one| json!({ "value": one.value, "count": one.count, "line": one.line })).collect();
        json!({ "leaves": taxonomy.leaves(), "levels": taxonomy.levels(), "cuts": taxonomy.cuts().to_string(), "misfits": misfits })
    });
    if fit.is_complete() {
        return Ok(0);
    }
    Err(Error::input(format!("{} no leaf", counted(fit.misfits.len() as u64, "value has", "values have")))
        .in_file(&arguments.hierarchy)
        .help("add a line for each, or pass spellings of missing values with --missing"))
}
