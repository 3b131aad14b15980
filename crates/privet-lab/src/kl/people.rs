//! A table with a set in it: the people of MEPS with their diagnoses below the ICD-9 tree.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::super::page::{Cell, Section, Table};
use super::data::ENDINGS;
use super::suppression::{DATA, TREE};
use super::{Bench, K};
use crate::Part;
use privet::data::{ReadOptions, Source};
use privet::engine::microdata::Microdata;
use privet::method;
use privet::policy::Policy;
use privet::{Error, Result};

pub(super) const PART: Part = Part {
    name: "people",
    title: "A table with a set in it",
    summary: "people and their diagnoses in one release: quasi-identifiers, and items known in addition",
};

const PEOPLE: &str = "informs-meps/demographics05test.csv";

/// The quasi-identifiers, with their hierarchies.
const QUASI: [(&str, Option<&str>); 5] = [
    ("DOBYY", Some("informs-meps/informs_DOBYY.txt")),
    ("SEX", None),
    ("RACEX", Some("informs-meps/informs_RACEX.txt")),
    ("marry", Some("informs-meps/informs_marry.txt")),
    ("EDUCYEAR", Some("informs-meps/informs_EDUCYEAR.txt")),
];

/// How the classes are made, and what may be known: the method, the number of items, and what is settled besides.
const SETTINGS: [(&str, u64, &str, f64); 8] = [
    ("mondrian", 0, "", 0.5),
    ("mondrian", 1, "", 0.5),
    ("mondrian", 2, "", 0.5),
    ("mondrian", 2, "item_suppression_limit = 0.01\n", 0.5),
    ("mondrian", 2, "item_suppression_limit = 0.01\n", 0.8),
    ("mondrian", 2, "item_suppression_limit = 0.01\ncuts = \"global\"\n", 0.5),
    ("full-domain", 2, "item_suppression_limit = 0.01\n", 0.5),
    ("full-domain", 2, "item_suppression_limit = 0.01\nrefine = true\n", 0.5),
];

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let folder = std::path::absolute(bench.shelf.folder())
        .map_err(|error| Error::io("find", bench.shelf.folder(), &error))?;
    let stage = tempfile::tempdir().map_err(|error| Error::io("make", Path::new("a folder"), &error))?;
    let Some(people) = write(&folder, stage.path())? else {
        let missing =
            format!("It needs {PEOPLE}, {DATA} and {TREE} below the folder that PRIVET_DATA names.");
        return Ok(vec![Section::new("People are left out").say(missing)]);
    };
    let title = format!("{people} people, k = {K}");
    let head = [
        "method",
        "m",
        "settings",
        "weight of items",
        "classes",
        "LM",
        "items",
        "together",
        "removed",
        "time",
    ];
    let mut table = Table::new("people", title, head);
    for (name, m, settings, weight) in SETTINGS {
        bench.clock.progress().note(&format!("{name}, m = {m}"));
        let mut text = format!("seed = 1\n[data]\npath = '{}'\n", stage.path().join("people.csv").display());
        for (column, hierarchy) in QUASI {
            let _ = write!(text, "[columns.{column}]\nrole = \"quasi-identifier\"\n");
            if let Some(hierarchy) = hierarchy {
                let _ = writeln!(text, "hierarchy = '{}'", folder.join(hierarchy).display());
            }
        }
        let _ = write!(
            text,
            "[columns.diagnoses]\nrole = \"set\"\nseparator = \"|\"\nhierarchy = '{}'\n[loss]\nitems = {weight}\n\
             [privacy.k-anonymity]\nk = {K}\n[privacy.kl-privacy]\ncolumn = \"diagnoses\"\nk = {K}\nm = {m}\n[method]\nname = \
             \"{name}\"\n{settings}",
            folder.join(TREE).display()
        );
        let policy = Policy::parse(&stage.path().join("policy.toml"), text)?.check(None)?;
        let microdata = Microdata::read(&policy, &mut |_| bench.clock.check())?;
        let start = Instant::now();
        let solution = method::run(&policy, &microdata, &bench.clock)?;
        let seconds = start.elapsed().as_secs_f64();
        let classes = solution.recoding.count(&microdata);
        let costs = solution.recoding.costs(&microdata, &classes);
        let lm = costs.iter().find(|cost| cost.name == "LM").map_or(0.0, |cost| cost.normalised);
        let sets = solution.sets.as_ref().ok_or_else(|| Error::internal("a release without its sets"))?;
        let losses = sets.losses.ok_or_else(|| Error::internal("sets without their losses"))?;
        let removed: u64 = sets.removed.iter().map(|(_, count)| count).sum();
        let joint = losses.costs(lm).map(|cost| cost.value);
        table.row([
            Cell::text(name),
            Cell::Count(m),
            Cell::text(settings.trim().replace('\n', ", ")),
            Cell::Number(weight),
            Cell::Count(solution.recoding.len() as u64),
            Cell::share(Some(lm)),
            Cell::share(Some(joint[0])),
            Cell::share(Some(joint[1])),
            Cell::share(Some(removed as f64 / losses.occurrences.max(1) as f64)),
            Cell::Seconds(seconds),
        ]);
    }
    let words = "In every class an attacker who knows the quasi-identifiers and m diagnoses finds at least k people. LM is what \
                 the quasi-identifiers lose, items what the diagnoses lose, and together is their weighted mean. There is no \
                 earlier figure: neither the thesis nor another tool publishes one for this table.";
    Ok(vec![Section::new("People and their diagnoses").say(words).table(table)])
}

fn found(folder: &Path, name: &str) -> Option<PathBuf> {
    ENDINGS.iter().map(|ending| folder.join(format!("{name}{ending}"))).find(|path| path.is_file())
}

/// Writes the people with their diagnoses as one table; `None` where the data are not there.
fn write(folder: &Path, stage: &Path) -> Result<Option<usize>> {
    let (Some(people), Some(conditions)) = (found(folder, PEOPLE), found(folder, DATA)) else {
        return Ok(None);
    };
    let tree = folder.join(TREE);
    if !tree.is_file() || QUASI.iter().any(|(_, path)| path.is_some_and(|path| !folder.join(path).is_file()))
    {
        return Ok(None);
    }
    let mut diagnoses: BTreeMap<String, Vec<String>> = BTreeMap::new();
    each(&conditions, &["DUPERSID", "ICD9CODX"], &mut |cells| {
        diagnoses.entry(cells[0].clone()).or_default().push(cells[1].clone());
    })?;
    let names: Vec<&str> = QUASI.iter().map(|(name, _)| *name).collect();
    let mut text = format!("{},diagnoses\n", names.join(","));
    let mut written = 0;
    each(&people, &[&["DUPERSID"], names.as_slice()].concat(), &mut |cells| {
        let own = diagnoses.get(&cells[0]).map_or(String::new(), |own| own.join("|"));
        let _ = writeln!(text, "{},{own}", cells[1..].join(","));
        written += 1;
    })?;
    let path = stage.join("people.csv");
    fs::write(&path, text).map_err(|error| Error::io("write", &path, &error))?;
    Ok(Some(written))
}

/// Calls `each` with some columns of every record.
fn each(path: &Path, names: &[&str], each: &mut dyn FnMut(&[String])) -> Result<()> {
    let source = Source::open(path, &ReadOptions::default())?;
    let places: Vec<usize> = names
        .iter()
        .map(|name| {
            source.find(name).ok_or_else(|| Error::input(format!("no column '{name}'")).in_file(path))
        })
        .collect::<Result<_>>()?;
    source.read(&mut |batch, _| {
        for row in 0..batch.rows() {
            each(&places.iter().map(|place| batch.cell(row, *place).to_string()).collect::<Vec<_>>());
        }
        Ok(())
    })
}
