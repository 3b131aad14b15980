//! Public knowledge: labels (diseases) and the terms (symptoms) that reveal them.
//!
//! A knowledge file is a table with the columns `label` and `terms`, the terms of a label in one cell, and perhaps a column
//! `weight` that says how common each label is taken to be.

use std::path::{Path, PathBuf};

use hashbrown::HashMap;

use super::term_set::terms_of;
use super::{Batch, ReadOptions, Source};
use privet_core::{Error, Exact, Result};

/// The columns of a knowledge file; the last may be left out.
const COLUMNS: [&str; 3] = ["label", "terms", "weight"];

/// Labels with the terms that go with each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knowledge {
    path: PathBuf,
    labels: Vec<String>,
    terms: Vec<String>,
    /// Per label, its terms by number, rising.
    of_label: Vec<Vec<u32>>,
    weights: Option<Vec<Exact>>,
}

impl Knowledge {
    /// Reads a knowledge file whose terms are separated by `separator`.
    pub fn read(path: &Path, separator: char) -> Result<Knowledge> {
        let source = Source::open(path, &ReadOptions::with_names(None))?;
        let names: Vec<&str> = source.columns().iter().map(|column| column.name.as_str()).collect();
        if let Some(stranger) = names.iter().find(|name| !COLUMNS.contains(name)) {
            return Err(Error::input(format!("a knowledge file has no column '{stranger}'"))
                .in_file(path)
                .at_line(1)
                .help("its columns are label, terms and, where labels are not equally common, weight"));
        }
        let (label, terms) = (source.position("label")?, source.position("terms")?);
        let weight = names.iter().position(|name| *name == "weight");
        let mut reading =
            Reading { path, separator, found: HashMap::new(), rows: Vec::new(), weights: Vec::new() };
        source.read(&mut |batch: &Batch, _| {
            for row in 0..batch.rows() {
                let weight = weight.map(|column| batch.cell(row, column));
                reading.add(batch.line(row), batch.cell(row, label), batch.cell(row, terms), weight)?;
            }
            Ok(())
        })?;
        reading.finish(weight.is_some())
    }

    /// Knowledge that stands in no file: labels with their terms.
    pub fn of<'a>(rows: impl IntoIterator<Item = (&'a str, &'a [String])>) -> Result<Knowledge> {
        let path = Path::new("knowledge");
        let mut reading =
            Reading { path, separator: '\0', found: HashMap::new(), rows: Vec::new(), weights: Vec::new() };
        for (line, (label, terms)) in (1..).zip(rows) {
            reading.add(line, label, &terms.join("\0"), None)?;
        }
        reading.finish(false)
    }

    /// Where it was read from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The labels, in the order of the file.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The terms that any label mentions, sorted.
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// The number of a term that some label mentions.
    pub fn term(&self, text: &str) -> Option<u32> {
        self.terms.binary_search_by(|term| term.as_str().cmp(text)).ok().map(|at| at as u32)
    }

    /// The terms of a label by number, rising.
    pub fn terms_of_label(&self, label: usize) -> &[u32] {
        &self.of_label[label]
    }

    /// How common each label is taken to be, where the file says so.
    pub fn weights(&self) -> Option<&[Exact]> {
        self.weights.as_deref()
    }
}

/// A knowledge file, half read.
struct Reading<'a> {
    path: &'a Path,
    separator: char,
    /// Labels with the line that they stand on.
    found: HashMap<String, u64>,
    rows: Vec<(String, Vec<String>)>,
    weights: Vec<Exact>,
}

impl Reading<'_> {
    fn add(&mut self, line: u64, label: &str, terms: &str, weight: Option<&str>) -> Result<()> {
        let at = |message: String| Error::input(message).in_file(self.path).at_line(line);
        let label = label.trim();
        if label.is_empty() {
            return Err(at("a label is empty".to_string()).help("give every line a label, or remove it"));
        }
        if let Some(first) = self.found.insert(label.to_string(), line) {
            return Err(at(format!("the label '{label}' stands on line {first} already"))
                .help("write each label once, with all of its terms in one cell"));
        }
        let terms: Vec<String> = terms_of(terms, self.separator).into_iter().map(str::to_string).collect();
        if terms.is_empty() {
            return Err(at(format!("the label '{label}' has no terms"))
                .help("list its terms, or remove the line: nothing could link to it"));
        }
        if let Some(weight) = weight {
            let number = Exact::parse(weight).ok_or_else(|| {
                at(format!("the weight of '{label}' is '{weight}', which is not a number from 0 up"))
                    .help("write it as 3, 0.3, 3/10 or 30%")
            })?;
            self.weights.push(number);
        }
        self.rows.push((label.to_string(), terms));
        Ok(())
    }

    fn finish(self, weighted: bool) -> Result<Knowledge> {
        let wrong = |message: &str| Error::input(message).in_file(self.path);
        if self.rows.is_empty() {
            return Err(
                wrong("the knowledge file names no labels").help("write one line per label: label,terms")
            );
        }
        if weighted && self.weights.iter().all(|weight| *weight == Exact::ZERO) {
            return Err(wrong("all weights are 0").help("give some label a weight, or remove the column"));
        }
        let mut terms: Vec<String> = self.rows.iter().flat_map(|(_, terms)| terms.iter().cloned()).collect();
        terms.sort_unstable();
        terms.dedup();
        let number = |term: &String| terms.binary_search(term).unwrap_or_default() as u32;
        let of_label = self.rows.iter().map(|(_, of)| of.iter().map(number).collect()).collect();
        let labels = self.rows.iter().map(|(label, _)| label.clone()).collect();
        let weights = weighted.then_some(self.weights);
        Ok(Knowledge { path: self.path.to_path_buf(), labels, terms, of_label, weights })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(text: &str) -> Result<Knowledge> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("knowledge.csv");
        fs::write(&path, text).expect("written");
        Knowledge::read(&path, '|')
    }

    #[test]
    fn labels_keep_their_order_and_terms_are_numbered() {
        let knowledge =
            read("label,terms\nFlu,fever|cough\nCold,cough | sneezing|cough\n").expect("knowledge");
        assert_eq!(knowledge.labels(), ["Flu", "Cold"]);
        assert_eq!(knowledge.terms(), ["cough", "fever", "sneezing"]);
        assert_eq!(knowledge.terms_of_label(0), [0, 1]);
        assert_eq!(knowledge.terms_of_label(1), [0, 2]);
        assert_eq!((knowledge.term("fever"), knowledge.term("rash")), (Some(1), None));
        assert!(knowledge.weights().is_none());
    }

    #[test]
    fn weights_are_exact() {
        let knowledge = read("label,terms,weight\nFlu,fever,0.3\nCold,cough,7/10\n").expect("knowledge");
        let expected: Vec<Exact> = ["3/10", "0.7"].iter().filter_map(|text| Exact::parse(text)).collect();
        assert_eq!(knowledge.weights(), Some(&expected[..]));
    }

    #[test]
    fn what_cannot_be_knowledge_is_placed() {
        for (text, line, told) in [
            ("label,terms\nFlu,a\nCold,b\nFlu,c\n", Some(4), "stands on line 2 already"),
            ("label,terms\nFlu,a\nCold,|\n", Some(3), "'Cold' has no terms"),
            ("label,terms\nFlu,a\n,b\n", Some(3), "a label is empty"),
            ("label,terms\n", None, "names no labels"),
            ("label,symptoms\nFlu,a\n", Some(1), "no column 'symptoms'"),
            ("label,terms,weight\nFlu,a,-1\n", Some(2), "'-1'"),
            ("label,terms,weight\nFlu,a,0\n", None, "all weights are 0"),
        ] {
            let error = read(text).expect_err(text);
            assert_eq!(error.line(), line, "{error}");
            assert!(error.message().contains(told), "{error}");
            assert!(error.remedy().is_some());
        }
    }
}
