//! What several policies on the same data cost, side by side.
//!
//! [`candidates`] reads policies, each as written or with keys varied. [`compare`] decides every one of them without publishing
//! anything, and measures what the release would lose and risk.
//!
//! ```
//! use privet::clock::Clock;
//! use privet::compare::{candidates, compare};
//! use privet::example::Example;
//!
//! # let folder = tempfile::tempdir().expect("a directory");
//! let folder = folder.path().join("patients");
//! Example::find("patients")?.write(&folder)?;
//! let settings = candidates(&[folder.join("policy.toml")], &["privacy.k-anonymity.k=2,3".to_string()])?;
//! let comparison = compare(settings, &Clock::unlimited())?;
//! let table = comparison.table();
//! assert_eq!(table[1][0], "privacy.k-anonymity.k=2");
//! # Ok::<(), privet::Error>(())
//! ```

mod directory;
mod measure;
mod vary;

use std::fs;
use std::path::PathBuf;

use serde_json::{Value as Json, json};

use self::measure::{Measured, measure};
use crate::report::{Compared, ComparisonPage};
use privet_core::clock::Clock;
use privet_core::{Error, ErrorKind, Result};
use privet_data::marked;
use privet_engine::rewriting::as_published;
use privet_policy::{AnyPolicy, OriginalData, ReleaseKind};

pub use directory::ComparisonDirectory;
pub use vary::{Candidate, candidates};

/// What a comparison found.
#[derive(Debug)]
pub struct Comparison {
    kind: ReleaseKind,
    data: PathBuf,
    lines: Vec<Line>,
    /// Reasons to doubt that the lines can be compared.
    pub doubts: Vec<String>,
}

/// What one setting came to.
#[derive(Debug)]
struct Line {
    label: String,
    chosen: bool,
    method: &'static str,
    /// The measurements, or why no release can meet the policy.
    outcome: std::result::Result<Measured, String>,
}

/// Decides every candidate on the data that it names, and measures it. All must publish the same kind of release: no measure fits two
/// kinds.
pub fn compare(candidates: Vec<Candidate>, clock: &Clock) -> Result<Comparison> {
    compare_on(candidates, &OriginalData::Named, clock)
}

/// The same on other data, which need not be a file.
///
/// ```
/// use privet::clock::Clock;
/// use privet::compare::{Candidate, compare_on};
/// use privet::data::Source;
/// use privet::policy::Policy;
///
/// # let text = "[data]\n[columns.age]\nrole = 'quasi-identifier'\n[privacy.k-anonymity]\nk = 2\n[method]\nname = 'mondrian'";
/// let policy = Policy::parse("policy.toml".as_ref(), text.into())?;
/// let people = Source::of_rows("people", &["age"], [["34"], ["36"], ["61"], ["67"]])?;
/// let settings = vec![Candidate { label: "k = 2".into(), policy, chosen: true }];
/// let comparison = compare_on(settings, &people.into(), &Clock::unlimited())?;
/// assert_eq!(comparison.table()[1][0], "k = 2");
/// # Ok::<(), privet::Error>(())
/// ```
pub fn compare_on(candidates: Vec<Candidate>, original: &OriginalData, clock: &Clock) -> Result<Comparison> {
    let mut doubts = Vec::new();
    let mut settings: Vec<(Candidate, AnyPolicy)> = Vec::new();
    let place = |policy: &AnyPolicy| {
        let found = PathBuf::from(policy.origin());
        fs::canonicalize(&found).unwrap_or(found)
    };
    for candidate in candidates {
        let mut policy = candidate.policy.check_any(original.clone())?;
        if let AnyPolicy::Table(policy) = &mut policy {
            *policy = as_published(policy.clone(), &mut || clock.check())?;
        }
        if settings.first().is_some_and(|(_, first)| place(first) != place(&policy)) {
            doubts.push(format!("{} is about other data than the first policy", candidate.label));
        }
        settings.push((candidate, policy));
    }
    check_alike(&settings)?;
    let (kind, data) = match settings.first() {
        Some((_, first)) => (first.publishes(), place(first)),
        None => return Err(Error::input("there is no policy to compare").help("name one or more policies")),
    };
    let mut lines = Vec::new();
    for (candidate, policy) in settings {
        clock.progress().stage(&candidate.label, None);
        let outcome = match measure(&policy, clock) {
            Ok(measured) => Ok(measured),
            Err(error) if error.kind() == ErrorKind::Infeasible => Err(error.message().to_string()),
            Err(error) => return Err(error),
        };
        let Candidate { label, chosen, .. } = candidate;
        lines.push(Line { label, chosen, method: policy.method().name, outcome });
    }
    clock.check()?;
    let mut comparison = Comparison { kind, data, lines, doubts };
    comparison.scale_losses();
    Ok(comparison)
}

/// Refuses policies that no measure fits together.
fn check_alike(settings: &[(Candidate, AnyPolicy)]) -> Result<()> {
    for pair in settings.windows(2) {
        let [(one, first), (other, second)] = pair else { continue };
        let (one, other) = (&one.label, &other.label);
        if first.kind() != second.kind() {
            let (first, second) = (first.kind().name(), second.kind().name());
            let message = format!("{one} is about kind = \"{first}\", {other} about kind = \"{second}\"");
            return Err(Error::input(message).help("compare policies about the same kind of data"));
        }
        if first.publishes() != second.publishes() {
            let says = |label: &str, policy: &AnyPolicy| {
                format!("{label} {} (\"{}\")", policy.publishes(), policy.method().name)
            };
            let message = format!("{}, {}: no measure fits both", says(one, first), says(other, second));
            return Err(Error::input(message).help(
                "compare injector and anatomy with each other, codip with codip-star, and other methods apart",
            ));
        }
    }
    Ok(())
}

/// The names of what is drawn: the measure in the bar chart, and the axes of the plot.
struct Drawn {
    measure: &'static str,
    loss: &'static str,
    risk: &'static str,
}

impl Comparison {
    fn measured(&self) -> impl Iterator<Item = (&Line, &Measured)> {
        self.lines.iter().filter_map(|line| Some((line, line.outcome.as_ref().ok()?)))
    }

    /// Query errors have no worst case: they become shares of the worst of these.
    fn scale_losses(&mut self) {
        if self.kind != ReleaseKind::Groups {
            return;
        }
        let worst = self.measured().filter_map(|(_, measured)| measured.loss).fold(0.0, f64::max);
        for measured in self.lines.iter_mut().filter_map(|line| line.outcome.as_mut().ok()) {
            measured.loss = measured.loss.map(|loss| loss / if worst > 0.0 { worst } else { 1.0 });
        }
    }

    fn drawn(&self) -> Drawn {
        let (measure, loss, risk) = match self.kind {
            ReleaseKind::Table => {
                ("LM", "loss: LM as a share of the worst", "greatest risk: 1 / smallest class")
            }
            ReleaseKind::Groups => (
                "query error",
                "query error, the worst of these being 1",
                "how sure of a value an attacker can be",
            ),
            ReleaseKind::Projections => {
                ("association loss", "association lost, Γα", "information exposed, Γβ")
            }
            ReleaseKind::Transactions => (
                measure::ITEM_LOSS,
                "share of detail lost per occurrence of an item",
                "mean risk: published sets per transaction",
            ),
            ReleaseKind::Vocabularies => (
                measure::BAG_LOSS,
                "bLM: share of detail lost per occurrence of a term",
                "greatest risk: 1 / smallest cluster",
            ),
        };
        Drawn { measure, loss, risk }
    }

    /// The table, its header first. Numbers have six digits behind the point at most.
    pub fn table(&self) -> Vec<Vec<String>> {
        let first = self.measured().next().map(|(_, measured)| measured.facts.as_slice());
        let columns: Vec<usize> = (0..first.map_or(0, <[_]>::len))
            .filter(|at| self.measured().any(|(_, measured)| measured.facts[*at].is_shown))
            .collect();
        let titles = columns.iter().map(|at| first.map_or("", |facts| facts[*at].title).to_string());
        let mut header = vec!["policy".to_string(), "method".to_string()];
        header.extend(titles);
        header.push("note".to_string());
        let row = |line: &Line| {
            let mut row = vec![line.label.clone(), line.method.to_string()];
            match &line.outcome {
                Ok(measured) => {
                    row.extend(columns.iter().map(|at| measured.facts[*at].cell()));
                    row.push(String::new());
                }
                Err(reason) => {
                    row.resize(columns.len() + 2, "-".to_string());
                    row.push(reason.clone());
                }
            }
            row
        };
        std::iter::once(header).chain(self.lines.iter().map(row)).collect()
    }

    /// The table as CSV.
    pub fn csv(&self) -> String {
        let line =
            |row: &Vec<String>| row.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\n";
        self.table().iter().map(line).collect()
    }

    /// What has to be said below the table; empty where there is nothing.
    pub fn note(&self) -> &'static str {
        self.measured().map(|(_, measured)| measured.note).find(|note| !note.is_empty()).unwrap_or("")
    }

    /// The measure that is drawn, and each setting's loss as a share of the worst.
    pub fn bars(&self) -> (&'static str, Vec<(&str, f64)>) {
        let bars = self.measured().filter_map(|(line, measured)| Some((line.label.as_str(), measured.loss?)));
        (self.drawn().measure, bars.collect())
    }

    /// The point of each setting that can be drawn: its label, its loss and its risk; first what the axes are called.
    pub fn points(&self) -> ([&'static str; 2], Vec<(&str, f64, f64)>) {
        let Drawn { loss, risk, .. } = self.drawn();
        let points = self
            .measured()
            .filter_map(|(line, measured)| Some((line.label.as_str(), measured.loss?, measured.risk?)));
        ([loss, risk], points.collect())
    }

    /// Every setting with what was measured, for scripts.
    pub fn to_json(&self) -> Json {
        let line = |line: &Line| {
            let mut json = json!({ "policy": line.label, "method": line.method });
            if line.chosen {
                json["chosen"] = true.into();
            }
            match &line.outcome {
                Ok(measured) => measured.facts.iter().for_each(|fact| fact.write(&mut json)),
                Err(reason) => json["infeasible"] = reason.clone().into(),
            }
            json
        };
        json!({ "policies": self.lines.iter().map(line).collect::<Vec<_>>() })
    }

    /// The page with the plot of risk against loss.
    fn page(&self) -> ComparisonPage {
        let Drawn { loss, risk, .. } = self.drawn();
        let point = |(line, measured): (&Line, &Measured)| {
            let (loss, risk) = (measured.loss?, measured.risk?);
            Some(Compared { label: line.label.clone(), loss, risk, chosen: line.chosen })
        };
        let name = self.data.file_name().map(|name| name.to_string_lossy().into_owned());
        let mut rows = self.table().into_iter();
        ComparisonPage {
            data: name.unwrap_or_default(),
            loss: loss.to_string(),
            risk: risk.to_string(),
            points: self.measured().filter_map(point).collect(),
            header: rows.next().unwrap_or_default(),
            rows: rows.collect(),
            note: self.note().to_string(),
        }
    }
}

/// A cell of delimited text: a spreadsheet shows it and does not run it, whatever a policy is called.
fn quoted(cell: &str) -> String {
    let cell = marked(cell);
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.into_owned()
    }
}
