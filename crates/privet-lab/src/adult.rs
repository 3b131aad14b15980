//! The Adult data as experiments use it: where it lies, which policies run on it, and what came of them.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use privet::clock::Clock;
use privet::data::{ReadOptions, Source};
use privet::engine::microdata::Microdata;
use privet::method::recoding::Recoding;
use privet::method::{self, Solution};
use privet::policy::method::TableCost;
use privet::policy::{CheckedPolicy, KeyKind, Policy};
use privet::{Error, ErrorKind, Exact, Result};

/// The quasi-identifiers with their hierarchy files, in the order of the thesis' Table 3.5.
pub(super) const QUASI: [(&str, &str); 7] = [
    ("age", "age_5yr.csv"),
    ("education", "education.csv"),
    ("native-country", "native-country.csv"),
    ("workclass", "workclass.csv"),
    ("marital-status", "marital-status.csv"),
    ("sex", "sex.csv"),
    ("race", "race.csv"),
];
/// The sensitive column.
pub(super) const SENSITIVE: &str = "occupation";
/// The class label.
pub(super) const LABEL: &str = "class";
/// The taxonomies that are used unless a part says otherwise.
pub(super) const DEFAULT_TAXONOMIES: &str = "default";

/// The names of the table, in order of preference.
const TABLES: [&str; 2] = ["adult/adult_45222.csv.zst", "adult/adult_45222.csv"];

/// A table with the hierarchies of its quasi-identifiers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ground {
    pub table: PathBuf,
    /// A folder with a file per quasi-identifier.
    pub hierarchies: PathBuf,
}

/// How a policy's thresholds are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Threshold {
    /// 1/l for every value.
    L(u64),
    /// The frequency rule of section 3.6.1.2 on this base.
    Frequency(Exact),
}

/// A method with the keys that experiments set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// The best level per column, without suppression.
    FullDomain,
    /// The best cut per column, with a suppression scheme; further keys of `[method]` as name and TOML value.
    Optimize(&'static str, &'static [(&'static str, &'static str)]),
    /// Annealing over cuts, with a suppression scheme and the seed of the run.
    Annealing(&'static str, u64),
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Method::FullDomain => "full-domain",
            Method::Optimize(..) => "l-plus-optimize",
            Method::Annealing(..) => "simulated-annealing",
        }
    }
}

/// One run: what is to be solved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setup {
    pub ground: Ground,
    /// How many of the quasi-identifiers are used.
    pub quasi: usize,
    pub method: Method,
    pub cost: &'static str,
    pub threshold: Threshold,
    pub time_limit: Duration,
}

impl Setup {
    /// In a few words, for progress.
    fn describe(&self) -> String {
        let scheme = match self.method {
            Method::FullDomain => "none",
            Method::Optimize(scheme, _) | Method::Annealing(scheme, _) => scheme,
        };
        let threshold = match self.threshold {
            Threshold::L(l) => format!("l = {l}"),
            Threshold::Frequency(base) => format!("thresholds from {:.4}", base.to_f64()),
        };
        format!("{} {} {scheme} {threshold}", self.method.name(), self.cost)
    }
}

/// What a run found.
#[derive(Debug)]
pub(super) struct Outcome {
    pub cost: f64,
    /// The cost as a share of the worst.
    pub normalised: f64,
    pub seconds: f64,
    pub examined: u64,
    /// The number of solutions there are.
    pub space: Option<f64>,
    pub optimal: bool,
    pub bound: Option<f64>,
    /// Every improvement: after how many seconds, to which cost.
    pub trace: Vec<(f64, f64)>,
    pub recoding: Recoding,
}

impl Outcome {
    /// The share of all solutions that was looked at.
    pub fn share(&self) -> Option<f64> {
        self.space.filter(|space| *space > 0.0).map(|space| self.examined as f64 / space)
    }

    /// The improvements, or the one that is known: the result.
    pub fn improvements(&self) -> Vec<(f64, f64)> {
        if self.trace.is_empty() { vec![(self.seconds, self.cost)] } else { self.trace.clone() }
    }
}

/// What came of a run.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    /// A release.
    Solved(Rc<Outcome>),
    /// No release, and why: the policy cannot be met, or this build cannot run it.
    None(String),
}

impl Answer {
    /// The release, if there is one.
    pub fn outcome(&self) -> Option<&Outcome> {
        match self {
            Answer::Solved(outcome) => Some(outcome),
            Answer::None(_) => None,
        }
    }
}

/// A summarised table, by its ground and its number of quasi-identifiers.
type Read = ((Ground, usize), Rc<Microdata>);

/// The Adult data, and what has been read and solved so far.
pub(super) struct Adult {
    folder: PathBuf,
    table: PathBuf,
    pub clock: Clock,
    microdata: RefCell<Vec<Read>>,
    answers: RefCell<Vec<(Setup, Answer)>>,
}

impl Adult {
    /// Looks for the data in a folder.
    pub fn open(folder: &Path, clock: Clock) -> Result<Adult> {
        let folder = std::path::absolute(folder).map_err(|error| Error::io("find", folder, &error))?;
        let tables = TABLES.map(|name| folder.join(name));
        let table =
            tables.iter().find(|path| path.is_file()).ok_or_else(|| missing(&tables[0], ADULT_HELP))?;
        let adult = Adult {
            folder: folder.clone(),
            table: table.clone(),
            clock,
            microdata: RefCell::default(),
            answers: RefCell::default(),
        };
        adult.ground(DEFAULT_TAXONOMIES)?;
        Ok(adult)
    }

    /// The table with one of the sets of taxonomies.
    pub fn ground(&self, taxonomies: &str) -> Result<Ground> {
        let hierarchies = self.folder.join("taxonomies").join(taxonomies);
        let files = QUASI.map(|(_, file)| hierarchies.join(file));
        match files.iter().find(|path| !path.is_file()) {
            Some(path) => Err(missing(path, TAXONOMY_HELP)),
            None => Ok(Ground { table: self.table.clone(), hierarchies }),
        }
    }

    /// The table itself.
    pub fn source(&self) -> Result<Source> {
        Source::open(&self.table, &ReadOptions::with_names(None))
    }

    /// The summarised table over its first quasi-identifiers. It is read once, until [`forget`](Self::forget).
    pub fn microdata(&self, ground: &Ground, quasi: usize) -> Result<Rc<Microdata>> {
        let key = (ground.clone(), quasi);
        if let Some((_, known)) = self.microdata.borrow().iter().find(|(known, _)| *known == key) {
            return Ok(known.clone());
        }
        self.clock.progress().stage("reading", None);
        let policy = self.check(&reading_policy(ground, quasi))?;
        let microdata = Rc::new(Microdata::read(&policy, &mut |_| self.clock.check())?);
        self.microdata.borrow_mut().push((key, microdata.clone()));
        Ok(microdata)
    }

    /// Gives back the memory of a table that is not needed again.
    pub fn forget(&self, ground: &Ground) {
        self.microdata.borrow_mut().retain(|((known, _), _)| known != ground);
        self.answers.borrow_mut().retain(|(known, _)| known.ground != *ground);
    }

    /// Solves a setup, or remembers what came of it.
    pub fn solve(&self, setup: &Setup) -> Result<Answer> {
        if let Some((_, known)) = self.answers.borrow().iter().find(|(known, _)| known == setup) {
            return Ok(known.clone());
        }
        let answer = match lacking(setup) {
            Some(reason) => Answer::None(reason),
            None => {
                let microdata = self.microdata(&setup.ground, setup.quasi)?;
                let policy = self.check(&policy_text(setup))?;
                self.clock.progress().stage("solving", None);
                self.clock.progress().note(&setup.describe());
                match method::run(&policy, &microdata, &self.clock) {
                    Ok(solution) => Answer::Solved(Rc::new(outcome_of(&microdata, setup, solution)?)),
                    Err(error) if error.kind() == ErrorKind::Infeasible => {
                        Answer::None(error.message().to_string())
                    }
                    Err(error) => return Err(error),
                }
            }
        };
        self.clock.check()?;
        self.answers.borrow_mut().push((setup.clone(), answer.clone()));
        Ok(answer)
    }

    fn check(&self, text: &str) -> Result<CheckedPolicy> {
        let path = self.folder.join("experiment-policy.toml");
        Policy::parse(&path, text.to_string())?.check(None)
    }
}

/// Decides which records of a value are suppressed, where that is left open.
pub(super) const SEED: u64 = 1;

/// What a solution comes to.
fn outcome_of(microdata: &Microdata, setup: &Setup, mut solution: Solution) -> Result<Outcome> {
    solution.recoding.draw(SEED);
    let cost = match solution.cost {
        Some(cost) => cost,
        None => {
            let classes = solution.recoding.count(microdata);
            let named = TableCost::named(setup.cost).ok_or_else(|| Error::internal("an unknown cost"))?;
            let measure = solution.recoding.measure(named, microdata)?;
            method::show(&measure, solution.recoding.cost(&measure, &classes))
        }
    };
    let search = solution.search;
    let trace = search.trace.iter().filter_map(|moment| Some((moment.seconds, moment.best?))).collect();
    Ok(Outcome {
        cost: cost.value,
        // The thesis counts LM as a share of everything at the roots, whatever suppression costs.
        normalised: match setup.cost {
            "LM" => cost.value / (microdata.table.records as f64 * microdata.quasi.len() as f64),
            _ => cost.normalised,
        },
        seconds: search.seconds,
        examined: search.examined,
        space: search.space.and_then(|space| space.parse().ok()),
        optimal: search.optimal,
        bound: search.bound,
        trace,
        recoding: solution.recoding,
    })
}

/// What this build lacks to run a setup.
fn lacking(setup: &Setup) -> Option<String> {
    let name = setup.method.name();
    let Some(declaration) = privet::policy::method::TABLES.method(name) else {
        return Some(format!("this build has no method '{name}'"));
    };
    if setup.method != Method::FullDomain
        && privet::policy::method::TABLES.requirement("l-plus-diversity").is_none()
    {
        return Some("this build has no requirement 'l-plus-diversity'".to_string());
    }
    let Method::Optimize(_, keys) = setup.method else { return None };
    keys.iter().find_map(|(key, value)| {
        let declared = declaration.keys.iter().find(|declared| declared.name == *key);
        let takes = declared.is_some_and(|declared| match declared.kind {
            KeyKind::Choice(words) => words.contains(&value.trim_matches('"')),
            _ => true,
        });
        (!takes).then(|| format!("'{name}' has no {key} = {value}"))
    })
}

/// A policy that only says what is read.
fn reading_policy(ground: &Ground, quasi: usize) -> String {
    columns_text(ground, quasi) + "[privacy.k-anonymity]\nk = 2\n"
}

/// The policy of a setup.
fn policy_text(setup: &Setup) -> String {
    let mut text = String::new();
    if let Method::Annealing(_, seed) = setup.method {
        line(&mut text, "seed", &seed.to_string());
    }
    text += &columns_text(&setup.ground, setup.quasi);
    // A release that is l+-diverse with 1/l throughout is frequency l-diverse, and the other way round.
    let requirement = if setup.method == Method::FullDomain { "l-diversity" } else { "l-plus-diversity" };
    let _ = writeln!(text, "[privacy.{requirement}]");
    line(&mut text, "column", &quoted(SENSITIVE));
    if setup.method == Method::FullDomain {
        line(&mut text, "kind", &quoted("frequency"));
    }
    match setup.threshold {
        Threshold::L(l) => line(&mut text, "l", &l.to_string()),
        Threshold::Frequency(base) => {
            line(&mut text, "theta_rule", &quoted("frequency"));
            line(&mut text, "default", &quoted(&format!("{}/{}", base.numerator(), base.denominator())));
        }
    }
    let _ = writeln!(text, "[method]");
    line(&mut text, "name", &quoted(setup.method.name()));
    line(&mut text, "cost", &quoted(setup.cost));
    line(&mut text, "time_limit", &quoted(&format!("{}ms", setup.time_limit.as_millis())));
    match setup.method {
        Method::FullDomain => {}
        Method::Annealing(suppression, _) => line(&mut text, "suppression", &quoted(suppression)),
        Method::Optimize(suppression, keys) => {
            line(&mut text, "suppression", &quoted(suppression));
            keys.iter().for_each(|(key, value)| line(&mut text, key, value));
        }
    }
    text
}

fn columns_text(ground: &Ground, quasi: usize) -> String {
    let mut text = String::from("[data]\n");
    line(&mut text, "path", &quoted(&ground.table.to_string_lossy()));
    for (column, file) in QUASI.iter().take(quasi) {
        let _ = writeln!(text, "[columns.{column}]");
        line(&mut text, "role", &quoted("quasi-identifier"));
        line(&mut text, "hierarchy", &quoted(&ground.hierarchies.join(file).to_string_lossy()));
    }
    for (column, role) in [(SENSITIVE, "sensitive"), (LABEL, "class")] {
        let _ = writeln!(text, "[columns.{column}]");
        line(&mut text, "role", &quoted(role));
    }
    text
}

fn line(text: &mut String, key: &str, value: &str) {
    let _ = writeln!(text, "{key} = {value}");
}

fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

const ADULT_HELP: &str = "set PRIVET_DATA to a folder with adult/adult_45222.csv: the parts adult.data and adult.test of the \
                          Adult data (UCI Machine Learning Repository, https://archive.ics.uci.edu/dataset/2/adult), one after \
                          the other, with a header and without the records that have a missing value";
const TAXONOMY_HELP: &str = "set PRIVET_DATA to a folder with taxonomies/default, coarse, medium and fine, each with a hierarchy \
                             file per quasi-identifier; the book's page on experiments describes them";

fn missing(path: &Path, help: &str) -> Error {
    Error::input("the experiment's data is not there").in_file(path).help(help)
}

/// The base threshold of the frequency rule at which the average over the values that occur is 1/l.
///
/// With n(s) records of value s, N in all and m values, the rule multiplies the base by max(1, n(s)·m/N). The average is
/// 1/l for the base m·N / (l·Σ max(N, m·n(s))), as long as no threshold exceeds 1.
pub(super) fn base_threshold(counts: &[u64], l: u64) -> Option<Exact> {
    let occurring: Vec<u64> = counts.iter().copied().filter(|count| *count > 0).collect();
    let values = occurring.len() as u64;
    let records: u64 = occurring.iter().sum();
    let weights: u64 = occurring.iter().map(|count| records.max(values * count)).sum();
    Exact::new(values * records, l * weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_threshold_averages_to_one_over_l() {
        // Four values of 10, 10, 10 and 50 records: the last one's threshold is 2.5 times the base, the average 5.5/4.
        assert_eq!(base_threshold(&[10, 0, 10, 10, 50], 2), Exact::new(4, 11));
        assert_eq!(base_threshold(&[3, 3, 3], 3), Exact::new(1, 3));
        assert_eq!(base_threshold(&[], 2), None);
    }

    #[test]
    fn a_policy_says_what_its_setup_says() {
        let ground = Ground { table: "/data/a \"b\".csv".into(), hierarchies: "/data/trees".into() };
        let setup = Setup {
            ground,
            quasi: 2,
            method: Method::Optimize("vio-rec", &[("search", "\"enumeration\"")]),
            cost: "LM",
            threshold: Threshold::Frequency(Exact::ONE),
            time_limit: Duration::from_millis(1500),
        };
        let text = policy_text(&setup);
        let policy = Policy::parse(Path::new("policy.toml"), text.clone()).expect("TOML").to_json();
        assert_eq!(policy["columns"].as_object().map(|columns| columns.len()), Some(4));
        assert_eq!(policy["data"]["path"], "/data/a \"b\".csv");
        assert_eq!(policy["columns"]["education"]["hierarchy"], "/data/trees/education.csv");
        assert_eq!(policy["privacy"]["l-plus-diversity"]["default"], "1/1");
        assert_eq!(policy["method"]["search"], "enumeration");
        assert_eq!(policy["method"]["time_limit"], "1500ms");
    }
}
