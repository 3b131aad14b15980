//! The experiments on l+-diversity (Liu 2010, section 3.6): optimal cuts with suppression on the Adult data.
//!
//! One file per part. The thesis' figures are quoted where its text states them in numbers.

mod annealing;
mod attributes;
mod classification;
mod cost;
mod pruning;
mod records;
mod taxonomies;
mod thresholds;

use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use super::adult::{Adult, Answer, DEFAULT_TAXONOMIES, Ground, Method, Outcome, QUASI, Setup, Threshold};
use super::page::{Cell, Section, Table};
use super::plot::{Axis, Kind, Plot, Series};
use super::{Experiment, Laboratory, Part, Setting};
use privet::{Error, Result};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "l-plus",
    title: "Optimal l+-diverse releases of the Adult data",
    source: "Liu, thesis (2010), section 3.6",
    parts: &[
        cost::PART,
        thresholds::PART,
        annealing::PART,
        pruning::PART,
        taxonomies::PART,
        attributes::PART,
        records::PART,
        classification::PART,
    ],
    prepare,
};

/// The suppression schemes by name in a policy, from the coarsest to the finest.
const SCHEMES: [&str; 5] = ["none", "all-rec", "all-sa", "vio-sa", "vio-rec"];
/// The schemes that delete records or nothing: DM and CM are defined for these only.
const RECORD_SCHEMES: [&str; 3] = ["none", "all-rec", "vio-rec"];
/// The costs.
const COSTS: [&str; 3] = ["LM", "DM", "CM"];
/// The thesis' default setting for questions of speed (section 3.6.3).
const SPEED_COST: &str = "DM";
const SPEED_L: u64 = 4;

/// The schemes that a cost is defined for.
fn schemes_of(cost: &str) -> &'static [&'static str] {
    if cost == "LM" { &SCHEMES } else { &RECORD_SCHEMES }
}

/// How much is run.
#[derive(Debug, Clone)]
struct Scale {
    /// The values of l.
    ls: Vec<u64>,
    /// How long one search may take.
    limit: Duration,
    /// The schemes that are run again with thresholds per value.
    threshold_schemes: &'static [&'static str],
    /// How many annealing runs are averaged, and how long each takes.
    runs: u64,
    annealing: Duration,
    /// The values of l and the limit of a search when techniques are switched off.
    pruning_ls: Vec<u64>,
    pruning_limit: Duration,
    /// The numbers of quasi-identifiers.
    attributes: Vec<usize>,
    /// The numbers of records.
    records: Vec<u64>,
    records_limit: Duration,
}

impl Scale {
    /// Everything, within about half an hour on two cores.
    fn full() -> Scale {
        Scale {
            ls: (2..=6).collect(),
            limit: Duration::from_secs(30),
            threshold_schemes: &SCHEMES,
            runs: 6,
            annealing: Duration::from_secs(15),
            pruning_ls: vec![2, 4, 6],
            pruning_limit: Duration::from_secs(20),
            attributes: (1..=QUASI.len()).collect(),
            records: vec![50_000, 100_000, 250_000, 500_000, 1_000_000],
            records_limit: Duration::from_secs(90),
        }
    }

    /// A look at every part, within about three minutes.
    fn quick() -> Scale {
        Scale {
            ls: vec![3, 5],
            limit: Duration::from_secs(4),
            threshold_schemes: &["none", "vio-rec"],
            runs: 2,
            annealing: Duration::from_millis(1500),
            pruning_ls: vec![SPEED_L],
            pruning_limit: Duration::from_secs(4),
            attributes: vec![1, 3, 5, 7],
            records: vec![50_000, 100_000],
            records_limit: Duration::from_secs(8),
        }
    }
}

/// The data, how much is run, and a place for tables made on the way.
struct Bench {
    adult: Adult,
    ground: Ground,
    scale: Scale,
    workshop: TempDir,
}

fn prepare(setting: &Setting) -> Result<Box<dyn Laboratory>> {
    let scale = if setting.quick { Scale::quick() } else { Scale::full() };
    Ok(Box::new(Bench::new(setting, scale)?))
}

impl Laboratory for Bench {
    fn run(&self, part: &Part) -> Result<Vec<Section>> {
        match part.name {
            "cost" => cost::run(self),
            "thresholds" => thresholds::run(self),
            "annealing" => annealing::run(self),
            "pruning" => pruning::run(self),
            "taxonomies" => taxonomies::run(self),
            "attributes" => attributes::run(self),
            "records" => records::run(self),
            "classification" => classification::run(self),
            other => Err(Error::internal(format!("the part '{other}' is listed but not built"))),
        }
    }
}

impl Bench {
    fn new(setting: &Setting, scale: Scale) -> Result<Bench> {
        let adult = Adult::open(&setting.data, setting.clock.clone())?;
        let ground = adult.ground(DEFAULT_TAXONOMIES)?;
        let workshop = tempfile::tempdir()
            .map_err(|error| Error::io("make a temporary folder", std::env::temp_dir(), &error))?;
        Ok(Bench { adult, ground, scale, workshop })
    }

    /// The usual setup: all quasi-identifiers, the default taxonomies.
    fn setup(&self, method: Method, cost: &'static str, threshold: Threshold) -> Setup {
        let ground = self.ground.clone();
        Setup { ground, quasi: QUASI.len(), method, cost, threshold, time_limit: self.scale.limit }
    }

    /// The best cut under a scheme.
    fn optimize(&self, scheme: &'static str, cost: &'static str, threshold: Threshold) -> Result<Answer> {
        self.adult.solve(&self.setup(Method::Optimize(scheme, &[]), cost, threshold))
    }

    /// The best vector of levels.
    fn full_domain(&self, cost: &'static str, l: u64) -> Result<Answer> {
        self.adult.solve(&self.setup(Method::FullDomain, cost, Threshold::L(l)))
    }

    /// How often each sensitive value occurs.
    fn sensitive_counts(&self) -> Result<Vec<u64>> {
        let microdata = self.adult.microdata(&self.ground, QUASI.len())?;
        let column = microdata.table.tracked.iter().find(|column| column.name == super::adult::SENSITIVE);
        Ok(column.map(|column| column.totals.clone()).unwrap_or_default())
    }

    fn workshop(&self) -> &Path {
        self.workshop.path()
    }
}

/// A figure of an answer as a cell.
fn cell(answer: &Answer, figure: impl Fn(&Outcome) -> Cell) -> Cell {
    match answer {
        Answer::Solved(outcome) => figure(outcome),
        Answer::None(reason) => Cell::Missing(reason.clone()),
    }
}

fn cost_cell(answer: &Answer) -> Cell {
    cell(answer, |outcome| Cell::Number(outcome.cost))
}

/// The columns that say how hard a search was.
const EFFORT: [&str; 4] = ["examined", "share of all", "time", "proven"];

fn effort_cells(answer: &Answer) -> [Cell; 4] {
    [
        cell(answer, |outcome| Cell::Count(outcome.examined)),
        cell(answer, |outcome| Cell::share(outcome.share())),
        cell(answer, |outcome| Cell::Seconds(outcome.seconds)),
        cell(answer, |outcome| Cell::text(proof(outcome))),
    ]
}

/// What is proven about a result.
fn proof(outcome: &Outcome) -> String {
    match outcome.bound {
        _ if outcome.optimal => "optimal".to_string(),
        Some(bound) if bound > 0.0 => format!("within {}", super::page::percent(outcome.cost / bound - 1.0)),
        _ => "no".to_string(),
    }
}

/// A table of searches: what varies, the scheme, and the effort.
fn effort_table(name: &str, title: &str, first: &[&str]) -> Table {
    Table::new(name, title, first.iter().chain(&EFFORT).copied())
}

/// Two plots of searches over what varies: the time, and the share of solutions examined.
fn effort_plots(x: &Axis, runs: &[(String, Vec<(f64, Answer)>)]) -> [Plot; 2] {
    let series = |figure: &dyn Fn(&Outcome) -> Option<f64>| {
        let points = |answers: &[(f64, Answer)]| {
            answers.iter().map(|(x, answer)| (*x, answer.outcome().and_then(figure))).collect::<Vec<_>>()
        };
        runs.iter().map(|(name, answers)| Series::of(name, points(answers))).collect::<Vec<_>>()
    };
    let plot = |title: &str, y: Axis, series| Plot {
        title: title.to_string(),
        kind: Kind::Lines,
        x: x.clone(),
        y,
        series,
    };
    [
        plot("Time", Axis::new("seconds").log(), series(&|outcome| Some(outcome.seconds))),
        plot("Cuts examined", Axis::new("share of all cuts").log().share(), series(&Outcome::share)),
    ]
}

#[cfg(test)]
pub(super) mod trial {
    //! The experiment at the smallest scale, for tests.

    use super::*;

    /// Runs all parts on the data of a setting.
    pub(crate) fn run(setting: &Setting) -> Vec<(Part, Result<Vec<Section>>)> {
        let scale = Scale {
            ls: vec![2],
            limit: Duration::from_millis(200),
            runs: 2,
            annealing: Duration::from_millis(20),
            pruning_ls: vec![2],
            pruning_limit: Duration::from_millis(100),
            attributes: vec![1, 2],
            records: vec![100, 200],
            records_limit: Duration::from_millis(200),
            ..Scale::quick()
        };
        let bench = Bench::new(setting, scale).expect("a bench");
        EXPERIMENT.parts.iter().map(|part| (*part, bench.run(part))).collect()
    }
}
