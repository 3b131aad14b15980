//! What a released file holds in addition to its vocabularies.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashSet};

use crate::Check;
use crate::sequence::{self, Sequence};
use privet_core::Result;
use privet_data::Source;

/// The columns that a release has.
const COLUMNS: [&str; 3] = ["vocabulary", "term", "count"];

/// Any further column could show who is who.
pub(super) fn check_columns(file: &Source) -> Check {
    let strangers: Vec<&str> = (file.columns().iter())
        .map(|column| column.name.as_str())
        .filter(|name| !COLUMNS.contains(name))
        .collect();
    let detail = match strangers[..] {
        [] => "the file has the published columns and no others".to_string(),
        _ => format!("not published columns: {}", strangers.join(", ")),
    };
    Check::new("columns", strangers.is_empty(), detail)
}

/// Vocabularies must be written in one way: with fresh numbers, 1 and so on in the order of the file, each term once, counts
/// as numbers are spelt, and the same terms always in the same order. Whatever else is possible could be somebody's mark.
///
/// The terms of a vocabulary are in alphabetical order in our own files, and in one order throughout in others'.
pub(super) fn check_form(
    file: &Source,
    own: bool,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Vec<Check>> {
    let vocabulary = file.position(COLUMNS[0])?;
    let (term, count) = (file.position(COLUMNS[1])?, file.find(COLUMNS[2]));
    let mut form = Form::default();
    file.read(&mut |batch, _| {
        for row in 0..batch.rows() {
            let stated = count.map(|column| batch.cell(row, column));
            form.row(batch.line(row), batch.cell(row, vocabulary), batch.cell(row, term), stated);
        }
        tick()
    })?;
    form.end();
    let written = crate::form::written(file)?;
    form.faults.extend(form.sequence.fault(own).map(|fault| fault.replace("labels", "terms")));
    form.faults.extend(written.faults.iter().cloned());
    let detail = match form.faults.as_slice() {
        [] => {
            "vocabularies are numbered from 1 on in the order of the file, and written in one way".to_string()
        }
        faults => faults.join("; "),
    };
    let mut checks = vec![Check::new("form", form.faults.is_empty(), detail)];
    checks.extend(written.unknown());
    checks.extend(sequence::unknown(&form.sequence, own));
    Ok(checks)
}

/// How a file of vocabularies is written.
#[derive(Default)]
struct Form {
    /// The vocabulary at hand: its name, its place, the line where it begins, and its terms with counts as they are written.
    name: Option<String>,
    place: u64,
    begins: u64,
    terms: Vec<(String, String)>,
    /// The same terms, to be found.
    known: HashSet<String>,
    /// In which order terms stand.
    sequence: Sequence,
    /// How the vocabularies that hold the same are written, by hashes.
    written: HashMap<u64, u64>,
    hasher: DefaultHashBuilder,
    /// The first fault of each kind.
    faults: Vec<String>,
    found: [bool; 5],
}

impl Form {
    fn fault(&mut self, kind: usize, text: impl FnOnce() -> String) {
        if !std::mem::replace(&mut self.found[kind], true) {
            self.faults.push(text());
        }
    }

    fn row(&mut self, line: u64, name: &str, term: &str, count: Option<&str>) {
        if self.name.as_deref() != Some(name) {
            self.end();
            // Numbers from 0 on are as good.
            let first = u64::from(self.name.is_none() && name != "0");
            self.place = if self.name.is_none() { first } else { self.place + 1 };
            if name != self.place.to_string() {
                self.fault(0, || format!("line {line} has the number '{name}', which does not follow"));
            }
            self.name = Some(name.to_string());
            self.begins = line;
        }
        let usual = match (term.is_empty(), count) {
            (_, None) => true,
            (true, Some(count)) => count == "0",
            (false, Some(count)) => count.parse::<u64>().is_ok_and(|number| number.to_string() == count),
        };
        if !usual {
            let count = count.unwrap_or_default();
            self.fault(1, || format!("the count '{count}' in line {line} is not how the number is spelt"));
        }
        if term.trim() != term {
            self.fault(2, || format!("the term in line {line} has blanks around it"));
        }
        if count.is_some() && self.known.contains(term) {
            self.fault(3, || format!("'{term}' occurs twice in one vocabulary, again in line {line}"));
        }
        if count.is_some() {
            self.known.insert(term.to_string());
        }
        self.terms.push((term.to_string(), count.unwrap_or_default().to_string()));
    }

    fn end(&mut self) {
        let mut terms = std::mem::take(&mut self.terms);
        self.known.clear();
        self.sequence.line(self.begins, terms.iter().map(|(term, _)| term.as_str()));
        let written = self.hasher.hash_one(&terms);
        terms.sort_unstable();
        let held = self.hasher.hash_one(&terms);
        if *self.written.entry(held).or_insert(written) != written {
            let line = self.begins;
            self.fault(4, || {
                format!("the vocabulary in line {line} has its terms in another order than one that holds the same")
            });
        }
    }
}
