//! The tables of the experiment: Adult records with nine terms each, and what is known about the terms.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use rand_chacha::ChaCha20Rng;
use tempfile::TempDir;

use super::super::adult::{Adult, QUASI};
use privet::data::Batch;
use privet::random::{below, keyed};
use privet::{Error, Result};

/// The paper's numbers: records, terms of each, labels, and the mean size of a label's set.
const RECORDS: usize = 3000;
const TERMS_OF_RECORD: usize = 9;
const LABELS: usize = 3000;
const MEAN_SIZE: f64 = 100.0;
/// How many terms there are; the paper does not say.
pub(super) const TERMS: usize = 1000;

/// The eighth quasi-identifier; it has no hierarchy.
const EIGHTH: &str = "occupation";

/// The names of the HPO annotations, in order of preference.
const HPO: [&str; 2] = ["symptoms/hpo_phenotype.hpoa.zst", "symptoms/hpo_phenotype.hpoa"];

/// A table with its knowledge, written into a folder that vanishes at the end.
pub(super) struct Ground {
    folder: TempDir,
    hierarchies: PathBuf,
    pub labels: usize,
    pub terms: usize,
    pub records: usize,
}

impl Ground {
    /// The paper's set-up, with made-up knowledge.
    pub fn synthetic(adult: &Adult, quick: bool) -> Result<Ground> {
        let mut random = keyed(1, "privet: knowledge of the experiment");
        let terms: Vec<String> = (0..TERMS).map(|term| format!("t{term:04}")).collect();
        let labels = (0..if quick { LABELS / 10 } else { LABELS }).map(|label| {
            let size = poisson(MEAN_SIZE, &mut random).clamp(TERMS_OF_RECORD, TERMS);
            (format!("L{label:04}"), draw(&terms, size, &mut random))
        });
        Ground::of(adult, labels.collect(), quick)
    }

    /// Diseases and phenotypes of the Human Phenotype Ontology; `None` where the folder does not have them.
    pub fn hpo(adult: &Adult, data: &Path, quick: bool) -> Result<Option<Ground>> {
        let Some(path) = HPO.map(|name| data.join(name)).into_iter().find(|path| path.is_file()) else {
            return Ok(None);
        };
        let wrong = |error: std::io::Error| Error::io("read the data", &path, &error);
        let file = fs::File::open(&path).map_err(wrong)?;
        let mut text = String::new();
        match path.extension().is_some_and(|extension| extension == "zst") {
            true => zstd::Decoder::new(file).and_then(|mut reader| reader.read_to_string(&mut text)),
            false => std::io::BufReader::new(file).read_to_string(&mut text),
        }
        .map_err(wrong)?;
        let mut labels: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let cells: Vec<&str> = line.split('\t').collect();
            // Phenotypes (aspect P) that a disease has: a qualifier says NOT.
            if let [id, _, "", term, _, _, _, _, _, _, "P", ..] = cells[..]
                && id.starts_with("OMIM:")
            {
                labels.entry(id).or_default().insert(term);
            }
        }
        let labels = labels.into_iter().filter(|(_, terms)| terms.len() >= TERMS_OF_RECORD);
        let labels: Vec<(String, Vec<String>)> = labels
            .map(|(label, terms)| (label.to_string(), terms.into_iter().map(String::from).collect()))
            .collect();
        if labels.is_empty() {
            return Err(Error::input("no disease has nine phenotypes")
                .in_file(&path)
                .help("is it phenotype.hpoa?"));
        }
        Ground::of(adult, labels, quick).map(Some)
    }

    fn of(adult: &Adult, labels: Vec<(String, Vec<String>)>, quick: bool) -> Result<Ground> {
        let folder =
            tempfile::tempdir().map_err(|error| Error::io("make a folder", Path::new("."), &error))?;
        let mut random = keyed(2, "privet: terms of the experiment");
        let names: Vec<&str> = QUASI.iter().map(|(name, _)| *name).chain([EIGHTH]).collect();
        let mut table = format!("{},terms\n", names.join(","));
        let source = adult.source()?;
        let places: Vec<usize> = names.iter().map(|name| source.position(name)).collect::<Result<_>>()?;
        let wanted = if quick { RECORDS / 10 } else { RECORDS };
        let mut rows: Vec<Vec<String>> = Vec::new();
        source.read(&mut |batch: &Batch, _| {
            rows.extend(
                (0..batch.rows())
                    .map(|row| places.iter().map(|place| batch.cell(row, *place).to_string()).collect()),
            );
            Ok(())
        })?;
        let step = (rows.len() / wanted).max(1);
        let chosen: Vec<&Vec<String>> = rows.iter().step_by(step).take(wanted).collect();
        for row in &chosen {
            let label = &labels[below(&mut random, labels.len() as u64) as usize];
            let terms = draw(&label.1, TERMS_OF_RECORD, &mut random);
            let _ = writeln!(table, "{},{}", row.join(","), terms.join("|"));
        }
        let mut knowledge = String::from("label,terms\n");
        for (label, terms) in &labels {
            let _ = writeln!(knowledge, "{label},{}", terms.join("|"));
        }
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).map_err(|error| Error::io("write", &path, &error))
        };
        write("table.csv", &table)?;
        write("knowledge.csv", &knowledge)?;
        let terms = labels.iter().flat_map(|(_, terms)| terms).collect::<BTreeSet<_>>().len();
        let hierarchies = adult.ground(super::super::adult::DEFAULT_TAXONOMIES)?.hierarchies;
        Ok(Ground { folder, hierarchies, labels: labels.len(), terms, records: chosen.len() })
    }

    /// A policy on this table.
    pub fn policy(&self, privacy: &str, method: &str) -> (PathBuf, String) {
        let mut text = String::from("seed = 1\n[data]\npath = \"table.csv\"\n");
        for (name, file) in QUASI {
            let path = std::path::absolute(self.hierarchies.join(file)).unwrap_or_default();
            let _ = write!(
                text,
                "[columns.{name}]\nrole = \"quasi-identifier\"\nhierarchy = '{}'\n",
                path.display()
            );
        }
        let _ = write!(
            text,
            "[columns.{EIGHTH}]\nrole = \"quasi-identifier\"\n[columns.terms]\nrole = \"quasi-sensitive\"\n\
             separator = \"|\"\nknowledge = \"knowledge.csv\"\n{privacy}\n[method]\nname = \"quasi-sensitive\"\n{method}\n"
        );
        (self.folder.path().join("policy.toml"), text)
    }
}

/// Some of the texts, in their order.
fn draw(from: &[String], count: usize, random: &mut ChaCha20Rng) -> Vec<String> {
    let mut places: Vec<usize> = (0..from.len()).collect();
    let mut drawn: Vec<usize> = (0..count.min(from.len()))
        .map(|_| places.swap_remove(below(random, places.len() as u64) as usize))
        .collect();
    drawn.sort_unstable();
    drawn.into_iter().map(|place| from[place].clone()).collect()
}

/// A Poisson number: how many uniform factors it takes to fall below e^−mean (Knuth).
fn poisson(mean: f64, random: &mut ChaCha20Rng) -> usize {
    const STEPS: u64 = 1 << 53;
    let limit = (-mean).exp();
    let (mut product, mut count) = (1.0, 0);
    loop {
        product *= (below(random, STEPS) + 1) as f64 / STEPS as f64;
        if product <= limit {
            return count;
        }
        count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poisson_numbers_have_their_mean_and_spread() {
        let mut random = keyed(5, "test");
        let numbers: Vec<f64> = (0..2000).map(|_| poisson(100.0, &mut random) as f64).collect();
        let mean = numbers.iter().sum::<f64>() / 2000.0;
        let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / 2000.0;
        assert!((mean - 100.0).abs() < 1.2 && (80.0..120.0).contains(&variance), "{mean} {variance}");
    }
}
