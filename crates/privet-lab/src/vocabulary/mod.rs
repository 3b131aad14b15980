//! The experiments on vocabulary k-anonymity (Liu 2010, section 5.6): a query log, SSG against LG(bag).
//!
//! All figures come from the same runs, so each is made once and kept. The thesis' log is not to be had, on purpose: people
//! in it were identified. A made-up log in its layout stands in, or any log that the user names.

mod data;
mod figures;
mod growth;
mod guards;
mod patterns;
mod sessions;
pub mod synthetic;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

use self::data::{Ground, Log};
use super::page::{Cell as Entry, Section, Table};
use super::plot::{Axis, Kind, Plot, Series};
use super::{Experiment, Laboratory, Part, Setting};
use privet::clock::Clock;
use privet::method::vocabulary::loss::BagLoss;
use privet::method::vocabulary::{self, BagSolution, BagTask};
use privet::policy::VocabularyMethod;
use privet::policy::method::{Residual, Ssg};
use privet::privacy::vocabulary::VocabularyAnonymity;
use privet::{Error, Result};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "vocabulary",
    title: "Semantic clustering of query logs",
    source: "Liu, thesis (2010), section 5.6",
    parts: &[
        sessions::PART,
        figures::DISTINCT,
        figures::SIZE,
        figures::LOSS,
        patterns::PART,
        figures::RUNTIME,
        guards::PART,
        growth::PART,
    ],
    prepare,
};

/// The thesis' defaults.
const K: u32 = 5;
const EPSILON: u32 = 6;
const GAP: Gap = Gap { name: "1 h", seconds: Some(3600) };

/// The gap that ends a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Gap {
    name: &'static str,
    /// `None`: all that a user typed is one vocabulary.
    seconds: Option<u64>,
}

const GAPS: [Gap; 11] = [
    Gap { name: "1 min", seconds: Some(60) },
    Gap { name: "5 min", seconds: Some(300) },
    Gap { name: "10 min", seconds: Some(600) },
    Gap { name: "20 min", seconds: Some(1200) },
    Gap { name: "30 min", seconds: Some(1800) },
    GAP,
    Gap { name: "8 h", seconds: Some(8 * 3600) },
    Gap { name: "1 day", seconds: Some(86_400) },
    Gap { name: "1 week", seconds: Some(7 * 86_400) },
    Gap { name: "1 month", seconds: Some(30 * 86_400) },
    Gap { name: "all", seconds: None },
];

/// What is compared: SSG as in the thesis, SSG that also matches left-overs (the default), and the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Ssg,
    Residual,
    LgBag,
}

impl Method {
    const ALL: [Method; 3] = [Method::Ssg, Method::Residual, Method::LgBag];

    fn name(self) -> &'static str {
        match self {
            Method::Ssg => "SSG",
            Method::Residual => "SSG + residual",
            Method::LgBag => "LG(bag)",
        }
    }
}

/// How much is run.
#[derive(Debug, Clone)]
struct Scale {
    gaps: Vec<Gap>,
    ks: Vec<u32>,
    epsilons: Vec<u32>,
    /// How many frequent patterns are compared; the first number is the default.
    patterns: Vec<usize>,
    /// The numbers of made-up bags, each twice the one before.
    sizes: Vec<usize>,
}

impl Scale {
    fn full() -> Scale {
        Scale {
            gaps: GAPS.to_vec(),
            ks: vec![2, 5, 10, 15, 20, 25, 30],
            epsilons: (0..=10).collect(),
            patterns: vec![1000, 2000, 3000, 4000, 5000],
            sizes: vec![47_875, 95_750, 191_500, 383_000, 766_000, 1_532_000, 3_064_000, 3_830_000],
        }
    }

    fn quick() -> Scale {
        Scale {
            gaps: vec![GAPS[1], GAP, GAPS[10]],
            ks: vec![2, 5, 20],
            epsilons: vec![0, 4, 6, 8],
            patterns: vec![1000],
            sizes: vec![12_000, 24_000, 48_000],
        }
    }
}

/// The log, how much is run, and what came of it.
struct Bench {
    log: Log,
    clock: Clock,
    scale: Scale,
    /// The ground that was used last.
    ground: RefCell<Option<(Gap, Rc<Ground>)>>,
    answers: RefCell<Vec<(Setup, Answer)>>,
    /// How often a method was run.
    runs: Cell<u64>,
}

/// One run: what is to be solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Setup {
    gap: Gap,
    k: u32,
    epsilon: u32,
    method: Method,
}

impl Setup {
    const DEFAULT: Setup = Setup { gap: GAP, k: K, epsilon: EPSILON, method: Method::Ssg };
}

/// What came of a run.
#[derive(Debug, Clone)]
struct Answer {
    loss: BagLoss,
    seconds: f64,
}

fn prepare(setting: &Setting) -> Result<Box<dyn Laboratory>> {
    let scale = if setting.quick { Scale::quick() } else { Scale::full() };
    Ok(Box::new(Bench::new(setting, scale)?))
}

impl Laboratory for Bench {
    fn run(&self, part: &Part) -> Result<Vec<Section>> {
        match part.name {
            "sessions" => sessions::run(self),
            "distinct" => figures::distinct(self),
            "size" => figures::size(self),
            "loss" => figures::loss(self),
            "patterns" => patterns::run(self),
            "runtime" => figures::runtime(self),
            "guards" => guards::run(self),
            "growth" => growth::run(self),
            other => Err(Error::internal(format!("the part '{other}' is listed but not built"))),
        }
    }

    fn runs(&self) -> Option<u64> {
        Some(self.runs.get())
    }
}

impl Bench {
    fn new(setting: &Setting, scale: Scale) -> Result<Bench> {
        let log = Log::open(setting)?;
        let clock = setting.clock.clone();
        let (ground, answers, runs) = (RefCell::default(), RefCell::default(), Cell::default());
        Ok(Bench { log, clock, scale, ground, answers, runs })
    }

    /// The vocabularies of a gap; the last ones are kept.
    fn ground(&self, gap: Gap) -> Result<Rc<Ground>> {
        if let Some((known, ground)) = &*self.ground.borrow()
            && *known == gap
        {
            return Ok(ground.clone());
        }
        self.clock.progress().stage(&format!("sessions, {}", gap.name), None);
        let ground = Rc::new(self.log.ground(gap, &self.clock)?);
        *self.ground.borrow_mut() = Some((gap, ground.clone()));
        Ok(ground)
    }

    /// Runs a method without the guards, as the thesis does.
    fn solution(&self, setup: Setup) -> Result<(Rc<Ground>, BagSolution, f64)> {
        let ground = self.ground(setup.gap)?;
        let demand = VocabularyAnonymity { k: setup.k, distinct_users: false, min_term_users: 1 };
        self.clock.progress().stage(
            &format!(
                "{}, gap {}, k = {}, ε = {}",
                setup.method.name(),
                setup.gap.name,
                setup.k,
                setup.epsilon
            ),
            None,
        );
        let start = Instant::now();
        let solution = self.solve(&ground, setup.method, setup.epsilon, demand)?;
        Ok((ground, solution, start.elapsed().as_secs_f64()))
    }

    /// Decides with one of the methods.
    fn solve(
        &self,
        ground: &Ground,
        method: Method,
        epsilon: u32,
        demand: VocabularyAnonymity,
    ) -> Result<BagSolution> {
        self.runs.set(self.runs.get() + 1);
        let clause = match method {
            Method::Ssg => VocabularyMethod::Ssg(Ssg { residual: Residual::No, ..Ssg::default() }),
            Method::Residual => VocabularyMethod::Ssg(Ssg::default()),
            Method::LgBag => VocabularyMethod::LgBag(Default::default()),
        };
        let (bags, distances) = (&ground.bags, &ground.distances);
        let task = BagTask { bags, distances, epsilon, omega: None, demand, method: &clause };
        vocabulary::run(&task, &self.clock)
    }

    /// What comes of a run; each is made once. LG(bag) knows no ε.
    fn answer(&self, setup: Setup) -> Result<Answer> {
        let epsilon = if setup.method == Method::LgBag { EPSILON } else { setup.epsilon };
        let setup = Setup { epsilon, ..setup };
        if let Some((_, known)) = self.answers.borrow().iter().find(|(known, _)| *known == setup) {
            return Ok(known.clone());
        }
        let (ground, solution, seconds) = self.solution(setup)?;
        let loss = BagLoss::of(&ground.bags, &solution, &ground.distances);
        let answer = Answer { loss, seconds };
        self.answers.borrow_mut().push((setup, answer.clone()));
        Ok(answer)
    }

    /// The answers of all methods over what varies.
    fn sweep(&self, sweep: Sweep) -> Result<Vec<(Point, Vec<Answer>)>> {
        let points: Vec<(Point, Setup)> = match sweep {
            Sweep::Gap => (1..)
                .zip(&self.scale.gaps)
                .map(|(at, gap)| {
                    (Point { x: f64::from(at), name: gap.name.into() }, Setup { gap: *gap, ..Setup::DEFAULT })
                })
                .collect(),
            Sweep::K => {
                let ks = self.scale.ks.iter();
                ks.map(|k| (Point::of(*k), Setup { k: *k, ..Setup::DEFAULT })).collect()
            }
            Sweep::Epsilon => {
                let all = self.scale.epsilons.iter();
                all.map(|epsilon| (Point::of(*epsilon), Setup { epsilon: *epsilon, ..Setup::DEFAULT }))
                    .collect()
            }
        };
        let mut rows = Vec::new();
        for (point, setup) in points {
            let answers = Method::ALL.iter().map(|method| self.answer(Setup { method: *method, ..setup }));
            rows.push((point, answers.collect::<Result<Vec<_>>>()?));
        }
        Ok(rows)
    }
}

/// What varies in a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sweep {
    Gap,
    K,
    Epsilon,
}

impl Sweep {
    const ALL: [Sweep; 3] = [Sweep::Gap, Sweep::K, Sweep::Epsilon];

    fn name(self) -> &'static str {
        match self {
            Sweep::Gap => "session gap",
            Sweep::K => "k",
            Sweep::Epsilon => "ε",
        }
    }

    fn file(self) -> &'static str {
        match self {
            Sweep::Gap => "gap",
            Sweep::K => "k",
            Sweep::Epsilon => "epsilon",
        }
    }

    /// What does not vary.
    fn rest(self) -> String {
        match self {
            Sweep::Gap => format!("k = {K}, ε = {EPSILON}"),
            Sweep::K => format!("session gap {}, ε = {EPSILON}", GAP.name),
            Sweep::Epsilon => format!("session gap {}, k = {K}", GAP.name),
        }
    }
}

/// Where a figure stands on the axis.
#[derive(Debug, Clone)]
struct Point {
    x: f64,
    name: String,
}

impl Point {
    fn of(number: u32) -> Point {
        Point { x: f64::from(number), name: number.to_string() }
    }
}

/// A table and a plot of one figure of all methods over what varies.
fn comparison(
    sweep: Sweep,
    rows: &[(Point, Vec<Answer>)],
    y: Axis,
    figure: impl Fn(&Answer) -> f64 + Copy,
    show: impl Fn(f64) -> Entry + Copy,
) -> (Table, Plot) {
    let title = format!("Over {}: {}", sweep.name(), sweep.rest());
    let head = std::iter::once(sweep.name()).chain(Method::ALL.map(Method::name));
    let mut table = Table::new(&format!("over-{}", sweep.file()), title.clone(), head);
    for (point, answers) in rows {
        let cells = answers.iter().map(|answer| show(figure(answer)));
        table.row(std::iter::once(Entry::text(point.name.clone())).chain(cells));
    }
    let series = |at: usize| {
        let points = rows.iter().map(|(point, answers)| (point.x, Some(figure(&answers[at]))));
        Series::of(Method::ALL[at].name(), points)
    };
    let series = (0..Method::ALL.len()).map(series).collect();
    let x = match sweep {
        Sweep::Gap => Axis::new("session gap, shortest to all"),
        other => Axis::new(other.name()),
    };
    (table, Plot { title, kind: Kind::Lines, x, y, series })
}

#[cfg(test)]
pub(super) mod trial {
    //! The experiment at the smallest scale, for tests.

    use super::*;

    /// Runs all parts on the log of a setting.
    pub(crate) fn run(setting: &Setting) -> Vec<(Part, Result<Vec<Section>>)> {
        let scale = Scale {
            gaps: vec![GAP, GAPS[10]],
            ks: vec![5],
            epsilons: vec![2],
            patterns: vec![20],
            sizes: vec![100, 200],
        };
        let bench = Bench::new(setting, scale).expect("a bench");
        EXPERIMENT.parts.iter().map(|part| (*part, bench.run(part))).collect()
    }
}
