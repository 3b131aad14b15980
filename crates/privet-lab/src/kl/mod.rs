//! The experiments on KL(m,n)-privacy (Liu 2010, section 4.5): transactions of clicks and sales below random taxonomies.
//!
//! One file per part. The thesis' figures are quoted where its text states them in numbers.

mod data;
mod general;
mod limit;
mod ncp;
mod patterns;
mod people;
mod runtime;
mod scalability;
mod suppression;
mod table44;
mod table45;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use self::data::{Dataset, POS, Shelf, Transactions, WV1, WV2};
use self::limit::{Limits, in_seconds, within};
use super::page::{Cell, Section, Table, percent};
use super::plot::{Axis, Kind, Plot, Series};
use super::{Experiment, Laboratory, Part, Patience, Setting};
use privet::clock::Clock;
use privet::engine::baskets::Baskets;
use privet::loss::items::ItemMeasure;
use privet::method::kl::recoding::cost_of_everything;
use privet::method::kl::{self, ItemSolution, ItemTask};
use privet::policy::method::TRANSACTIONS;
use privet::policy::{ItemMethod, Stated};
use privet::privacy::kl::KlPrivacy;
use privet::{Error, ErrorKind, Exact, Result};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "kl",
    title: "Optimal KL(m,n)-private releases of transactions",
    source: "Liu, thesis (2010), section 4.5",
    parts: &[
        ncp::PART,
        patterns::PART,
        general::PART,
        runtime::PART,
        scalability::PART,
        table44::PART,
        table45::PART,
        suppression::PART,
        people::PART,
    ],
    prepare,
};

/// The methods that the thesis compares, by name in a policy, as it orders them by loss.
const METHODS: [&str; 5] = ["mm", "lg", "aa", "mog", "og"];
/// The thesis' default k.
const K: u64 = 5;
/// The fan-out of the taxonomies where nothing else is said.
const FAN_OUT: usize = 5;

/// How much is run.
#[derive(Debug, Clone)]
struct Scale {
    /// The data sets that methods are compared on.
    datasets: Vec<&'static Dataset>,
    /// How many random taxonomies figures on the smallest data set are means of.
    seeds: u64,
    /// How long one run may take where nothing else is asked for.
    limit: Duration,
    ks: Vec<u64>,
    ms: Vec<u64>,
    /// The powers m = n of the patterns and of the general case.
    pattern_powers: Vec<u64>,
    powers: Vec<u64>,
    betas: Vec<usize>,
    /// Thresholds in percent.
    thetas: Vec<u64>,
    /// The numbers of transactions.
    sizes: Vec<usize>,
    /// The fan-outs for which techniques are switched off.
    fan_outs: Vec<usize>,
    /// The data sets for which they are.
    switched: Vec<&'static Dataset>,
}

impl Scale {
    /// Everything: at most about 40 minutes, as runs have limits.
    fn full() -> Scale {
        Scale {
            datasets: vec![&WV1, &WV2, &POS],
            seeds: 3,
            limit: Duration::from_secs(20),
            ks: vec![2, 5, 10, 20, 50],
            ms: vec![1, 2, 3, 4, 6, 10],
            pattern_powers: vec![1, 2, 3, 6],
            powers: vec![1, 2, 3, 6, 10, 20, 30],
            betas: vec![20, 40, 60, 80, 100],
            thetas: vec![5, 10, 15, 20, 25, 30],
            sizes: vec![100_000, 250_000, 500_000, 750_000, 1_000_000],
            fan_outs: vec![5, 10, 15],
            switched: vec![&WV1, &POS],
        }
    }

    /// A look at every part, within about a minute.
    fn quick() -> Scale {
        Scale {
            datasets: vec![&WV1],
            seeds: 1,
            limit: Duration::from_secs(5),
            ks: vec![2, 5, 20],
            ms: vec![1, 2, 3, 6],
            pattern_powers: vec![1, 3],
            powers: vec![1, 3, 6],
            betas: vec![20, 60],
            thetas: vec![10, 20],
            sizes: vec![25_000, 50_000, 100_000],
            fan_outs: vec![FAN_OUT],
            switched: vec![&WV1],
        }
    }

    /// How many random taxonomies figures on a data set are means of: one on larger ones.
    fn seeds(&self, dataset: &Dataset) -> u64 {
        if dataset == &WV1 { self.seeds } else { 1 }
    }

    /// The same for the tables about techniques, which also have other fan-outs: one for those.
    fn seeds_of_fan_out(&self, dataset: &Dataset, fan_out: usize) -> u64 {
        if fan_out == FAN_OUT { self.seeds(dataset) } else { 1 }
    }
}

/// The data, how much is run, and what came of it.
struct Bench {
    shelf: Shelf,
    clock: Clock,
    scale: Scale,
    limits: Limits,
    /// The baskets that were made last, as many as there are taxonomies to take the mean over.
    baskets: RefCell<Vec<(Ground, Rc<Baskets>)>>,
    answers: RefCell<Vec<(Setup, Answer)>>,
}

/// A data set below a random taxonomy, some of its items sensitive.
#[derive(Debug, Clone, PartialEq)]
struct Ground {
    dataset: &'static Dataset,
    fan_out: usize,
    seed: u64,
    /// How many items are sensitive, and the largest share of transactions that may hold one.
    beta: usize,
    theta: Exact,
}

impl Ground {
    /// Without sensitive items.
    fn plain(dataset: &'static Dataset, fan_out: usize, seed: u64) -> Ground {
        Ground { dataset, fan_out, seed, beta: 0, theta: Exact::ONE }
    }
}

/// One run: what is to be solved.
#[derive(Debug, Clone, PartialEq)]
struct Setup {
    ground: Ground,
    method: &'static str,
    k: u64,
    m: u64,
    n: u64,
}

/// What came of a run.
#[derive(Debug, Clone)]
enum Answer {
    /// A release; of a search that proves its answers but had not done so in time, also what no release can beat.
    Solved { ncp: f64, bound: Option<f64>, seconds: f64 },
    /// No release.
    None(Lack),
}

/// Why there is no release.
#[derive(Debug, Clone)]
enum Lack {
    /// The requirement cannot be met.
    Infeasible(String),
    /// It was given up after this time.
    Late(Duration),
    /// A smaller setting was given up.
    NotTried,
    /// The runs before it used up the time of all.
    NoTimeLeft,
}

impl Lack {
    fn cell(&self) -> Cell {
        match self {
            Lack::Infeasible(reason) => Cell::Missing(reason.clone()),
            Lack::Late(limit) => Cell::text(format!("not done in {} s", in_seconds(*limit))),
            Lack::NotTried => Cell::text("not tried"),
            Lack::NoTimeLeft => Cell::text("no time left"),
        }
    }
}

fn prepare(setting: &Setting) -> Result<Box<dyn Laboratory>> {
    let scale = if setting.quick { Scale::quick() } else { Scale::full() };
    Ok(Box::new(Bench::new(setting, scale)?))
}

impl Laboratory for Bench {
    fn run(&self, part: &Part) -> Result<Vec<Section>> {
        match part.name {
            "ncp" => ncp::run(self),
            "patterns" => patterns::run(self),
            "general" => general::run(self),
            "runtime" => runtime::run(self),
            "scalability" => scalability::run(self),
            "table44" => table44::run(self),
            "table45" => table45::run(self),
            "suppression" => suppression::run(self),
            "people" => people::run(self),
            other => Err(Error::internal(format!("the part '{other}' is listed but not built"))),
        }
    }
}

impl Bench {
    fn new(setting: &Setting, scale: Scale) -> Result<Bench> {
        let shelf = Shelf::open(&setting.data)?;
        let clock = setting.clock.clone();
        let limits = Limits::new(match setting.patience {
            Patience::Usual => Some(scale.limit),
            Patience::Each(limit) => Some(limit),
            Patience::Endless => None,
        });
        Ok(Bench { shelf, clock, scale, limits, baskets: RefCell::default(), answers: RefCell::default() })
    }

    /// A data set, if it is there.
    fn transactions(&self, dataset: &'static Dataset) -> Result<Option<Rc<Transactions>>> {
        self.shelf.get(dataset, &self.clock)
    }

    /// The data sets that are there; the others are named in a section of their own.
    fn present(
        &self,
        wanted: &[&'static Dataset],
        sections: &mut Vec<Section>,
    ) -> Result<Vec<&'static Dataset>> {
        let mut present = Vec::new();
        for dataset in wanted {
            match self.transactions(dataset)? {
                Some(_) => present.push(*dataset),
                None => {
                    let missing = self.shelf.missing(dataset).to_string();
                    sections.push(Section::new(format!("{} is left out", dataset.name)).say(missing));
                }
            }
        }
        Ok(present)
    }

    /// The baskets of a ground; the last few are kept.
    fn baskets(&self, ground: &Ground) -> Result<Rc<Baskets>> {
        if let Some((_, baskets)) = self.baskets.borrow().iter().find(|(known, _)| known == ground) {
            return Ok(baskets.clone());
        }
        let transactions =
            self.transactions(ground.dataset)?.ok_or_else(|| self.shelf.missing(ground.dataset))?;
        let sensitive = transactions.draw_sensitive(ground.beta, ground.theta, ground.seed);
        let baskets = Rc::new(transactions.baskets(ground.fan_out, ground.seed, &sensitive, None)?);
        let mut kept = self.baskets.borrow_mut();
        if kept.len() as u64 >= self.scale.seeds {
            kept.remove(0);
        }
        kept.push((ground.clone(), baskets.clone()));
        Ok(baskets)
    }

    /// What comes of a run; each is made once.
    fn solve(&self, setup: &Setup) -> Result<Answer> {
        if let Some((_, known)) = self.answers.borrow().iter().find(|(known, _)| known == setup) {
            return Ok(known.clone());
        }
        let baskets = self.baskets(&setup.ground)?;
        let theta = vec![setup.ground.theta; baskets.sensitive.len()];
        let privacy = KlPrivacy { k: setup.k, m: setup.m, n: setup.n, theta, power: None };
        let Setup { ground, method, k, m, n } = setup;
        self.clock.progress().note(&format!("{} {method} k = {k}, m = {m}, n = {n}", ground.dataset.name));
        let limit = self.limits.of(ground.dataset);
        let answer = match self.attempt(&baskets, method, privacy, limit)? {
            Ok((solution, seconds)) => {
                let ncp = ncp_of(&solution, &baskets);
                let proves = *method == "og" && !solution.search.optimal;
                Answer::Solved { ncp, bound: proves.then(|| solution.search.bound.unwrap_or(0.0)), seconds }
            }
            Err(Lack::NoTimeLeft) => return Ok(Answer::None(Lack::NoTimeLeft)),
            Err(lack) => Answer::None(lack),
        };
        self.answers.borrow_mut().push((setup.clone(), answer.clone()));
        Ok(answer)
    }

    /// Runs a method within a limit: the release and how long it took, or why there is none. OG keeps the limit by itself,
    /// and always has a release; others are given up.
    fn attempt(
        &self,
        baskets: &Baskets,
        method: &'static str,
        privacy: KlPrivacy,
        limit: Option<Duration>,
    ) -> Result<std::result::Result<(ItemSolution, f64), Lack>> {
        if self.limits.are_over() {
            return Ok(Err(Lack::NoTimeLeft));
        }
        self.clock.progress().stage("solving", None);
        let declaration = TRANSACTIONS
            .method(method)
            .ok_or_else(|| Error::internal(format!("there is no method '{method}'")))?;
        let mut clause = ItemMethod::with_defaults(declaration)?;
        let mut patience = limit;
        if let (Some(limit), true) = (limit, method == "og") {
            clause.time_limit().into_iter().for_each(|own| *own = Some(limit));
            // What has to be done after the limit is little, but not nothing.
            patience = Some(limit * 2);
        }
        let task = ItemTask { baskets, requirements: &[privacy], method: &clause };
        let start = Instant::now();
        match within(patience, &self.clock, |clock| kl::run(&task, clock))? {
            None => Ok(Err(Lack::Late(patience.unwrap_or_default()))),
            Some(Ok(solution)) => Ok(Ok((solution, start.elapsed().as_secs_f64()))),
            Some(Err(error)) if error.kind() == ErrorKind::Infeasible => {
                Ok(Err(Lack::Infeasible(error.to_string())))
            }
            Some(Err(error)) => Err(error),
        }
    }

    /// The means over the random taxonomies, of NCP and of the time; nothing where one of the runs has no release.
    fn mean(&self, seeds: u64, setup: impl Fn(u64) -> Setup) -> Result<Answer> {
        let (mut total_ncp, mut total_bound, mut total_seconds) = (0.0, 0.0, 0.0);
        let mut is_proven = true;
        for seed in 1..=seeds {
            match self.solve(&setup(seed))? {
                Answer::Solved { ncp, bound, seconds } => {
                    total_ncp += ncp;
                    total_bound += bound.unwrap_or(ncp);
                    total_seconds += seconds;
                    is_proven &= bound.is_none();
                }
                Answer::None(lack) => return Ok(Answer::None(lack)),
            }
        }
        let seeds = seeds as f64;
        let bound = (!is_proven).then_some(total_bound / seeds);
        Ok(Answer::Solved { ncp: total_ncp / seeds, bound, seconds: total_seconds / seeds })
    }

    /// The means of all methods over what varies, the settings of the comparison (l = 1, n = 0). A method that was not done
    /// in time is not tried on what comes after.
    fn compare(&self, dataset: &'static Dataset, sweep: Sweep) -> Result<Vec<(f64, Vec<Answer>)>> {
        let values = match sweep {
            Sweep::K => &self.scale.ks,
            Sweep::M => &self.scale.ms,
        };
        let mut rows = Vec::new();
        let mut given_up = [false; METHODS.len()];
        for value in values {
            let (k, m) = match sweep {
                Sweep::K => (*value, dataset.default_m),
                Sweep::M => (K, *value),
            };
            let mut answers = Vec::new();
            for (method, given_up) in METHODS.into_iter().zip(&mut given_up) {
                if *given_up {
                    answers.push(Answer::not_tried());
                    continue;
                }
                // Without bounds on what is known, LG's result does not depend on m.
                let m = if method == "lg" { dataset.default_m } else { m };
                let ground = |seed| Ground::plain(dataset, FAN_OUT, seed);
                let setup = |seed| Setup { ground: ground(seed), method, k, m, n: 0 };
                let answer = self.mean(self.scale.seeds(dataset), setup)?;
                *given_up = answer.is_late();
                answers.push(answer);
            }
            rows.push((*value as f64, answers));
        }
        Ok(rows)
    }
}

/// What varies in a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sweep {
    K,
    M,
}

impl Sweep {
    fn name(self) -> &'static str {
        match self {
            Sweep::K => "k",
            Sweep::M => "m",
        }
    }

    /// What does not vary.
    fn rest(self, dataset: &Dataset) -> String {
        match self {
            Sweep::K => format!("m = {}", dataset.default_m),
            Sweep::M => format!("k = {K}"),
        }
    }
}

/// What a release loses by NCP, from 0 to 1.
fn ncp_of(solution: &ItemSolution, baskets: &Baskets) -> f64 {
    let everything = cost_of_everything(ItemMeasure::Ncp, baskets);
    solution.recoding.cost(ItemMeasure::Ncp, baskets) as f64 / everything.max(1) as f64
}

impl Answer {
    /// A smaller setting took too long.
    fn not_tried() -> Answer {
        Answer::None(Lack::NotTried)
    }

    fn is_late(&self) -> bool {
        matches!(self, Answer::None(Lack::Late(_)))
    }

    fn ncp(&self) -> Option<f64> {
        match self {
            Answer::Solved { ncp, .. } => Some(*ncp),
            Answer::None(_) => None,
        }
    }

    /// What is lost by an answer that more time would not change.
    fn final_ncp(&self) -> Option<f64> {
        match self {
            Answer::Solved { ncp, bound: None, .. } => Some(*ncp),
            _ => None,
        }
    }

    /// How long it took to prove the answer.
    fn seconds(&self) -> Option<f64> {
        match self {
            Answer::Solved { seconds, bound: None, .. } => Some(*seconds),
            _ => None,
        }
    }

    /// What is lost, as a cell.
    fn ncp_cell(&self) -> Cell {
        match self {
            Answer::None(lack) => lack.cell(),
            Answer::Solved { ncp, bound: None, .. } => Cell::Share(*ncp),
            Answer::Solved { ncp, bound: Some(bound), .. } => {
                Cell::text(format!("{}, at best {}", percent(*ncp), percent(*bound)))
            }
        }
    }

    /// How long it took, as a cell.
    fn time_cell(&self) -> Cell {
        match self {
            Answer::None(lack) => lack.cell(),
            Answer::Solved { seconds, bound: None, .. } => Cell::Seconds(*seconds),
            Answer::Solved { seconds, bound: Some(_), .. } => {
                Cell::text(format!("{}, not proven", Cell::Seconds(*seconds).shown()))
            }
        }
    }
}

/// The names of the methods, as the thesis writes them.
fn shown_name(method: &str) -> &'static str {
    match method {
        "mm" => "MM",
        "lg" => "LG",
        "aa" => "AA",
        "mog" => "mOG",
        _ => "OG",
    }
}

/// A table and a plot of one figure of all methods over what varies.
fn comparison(
    dataset: &Dataset,
    sweep: Sweep,
    rows: &[(f64, Vec<Answer>)],
    y: Axis,
    figure: impl Fn(&Answer) -> Option<f64> + Copy,
    cell: impl Fn(&Answer) -> Cell,
) -> (Table, Plot) {
    let title = format!("{}, {}", dataset.name, sweep.rest(dataset));
    let head = std::iter::once(sweep.name()).chain(METHODS.map(shown_name));
    let mut table = Table::new(&format!("{}-{}", dataset.name, sweep.name()), title.clone(), head);
    for (value, answers) in rows {
        let cells = answers.iter().map(&cell);
        table.row(std::iter::once(Cell::Count(*value as u64)).chain(cells));
    }
    let series = |at: usize| {
        let points = rows.iter().map(|(value, answers)| (*value, figure(&answers[at])));
        Series::of(shown_name(METHODS[at]), points)
    };
    let series = (0..METHODS.len()).map(series).collect();
    (table, Plot { title, kind: Kind::Lines, x: Axis::new(sweep.name()), y, series })
}

/// By which factors a figure of one method differs from that of another, over all settings where both have one.
fn factors(
    rows: &[(f64, Vec<Answer>)],
    one: &str,
    other: &str,
    figure: impl Fn(&Answer) -> Option<f64>,
) -> Vec<f64> {
    let place = |name: &str| METHODS.iter().position(|method| *method == name);
    let (Some(one), Some(other)) = (place(one), place(other)) else { return Vec::new() };
    let factor = |(_, answers): &(f64, Vec<Answer>)| {
        let (one, other) = (figure(&answers[one])?, figure(&answers[other])?);
        (other > 0.0).then(|| one / other)
    };
    rows.iter().filter_map(factor).collect()
}

/// A range of numbers as "2 to 4"; "–" where there are none.
fn range(numbers: &[f64], show: impl Fn(f64) -> String) -> String {
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match (show(low), show(high)) {
        _ if numbers.is_empty() => "–".to_string(),
        (low, high) if low == high => low,
        (low, high) => format!("{low} to {high}"),
    }
}

/// How much less one figure is than another, as a share.
fn less(factors: &[f64]) -> String {
    range(&factors.iter().map(|factor| 1.0 - factor).collect::<Vec<_>>(), percent)
}

#[cfg(test)]
pub(super) mod trial {
    //! The experiment at the smallest scale, for tests.

    use super::*;

    /// Runs all parts on the data of a setting.
    pub(crate) fn run(setting: &Setting) -> Vec<(Part, Result<Vec<Section>>)> {
        let scale = Scale {
            datasets: vec![&WV1, &POS],
            seeds: 2,
            ks: vec![2],
            ms: vec![1],
            powers: vec![1],
            betas: vec![1],
            sizes: vec![30, 60],
            switched: vec![&WV1],
            ..Scale::quick()
        };
        let bench = Bench::new(setting, scale).expect("a bench");
        EXPERIMENT.parts.iter().map(|part| (*part, bench.run(part))).collect()
    }
}
