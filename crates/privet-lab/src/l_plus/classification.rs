//! Figures 3.4(d) and 3.5(d): how well a decision tree that is trained on a release predicts the income class.
//!
//! The first 30,162 records train, the last 15,060 test. A release trains with the records that it publishes, generalised;
//! test records are generalised by the same cuts, all of them, whether or not the release would publish them. The
//! sensitive column is no predictor.

use super::super::adult::{Answer, LABEL, Outcome, QUASI, SEED, SENSITIVE, Threshold, base_threshold};
use super::super::amplify;
use super::super::page::{Cell, Section, Table, percent, percent_range};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::super::tree::{Sample, Tree};
use super::{Bench, RECORD_SCHEMES};
use crate::Part;
use privet::data::Located;
use privet::engine::microdata::Microdata;
use privet::taxonomy::NodeId;
use privet::{Error, Result};

pub(super) const PART: Part = Part {
    name: "classification",
    title: "Classification error of a decision tree",
    summary: "a tree in the manner of C4.5 trained on each release of least CM, against one trained on the original",
};

/// How many of Adult's records train; of a smaller table two thirds.
const TRAINING: usize = 30_162;
/// What the thesis states for the original data, and how far vio-rec is from it at most.
const BASELINE: f64 = 0.171;
const STATED_GAP: &str = "at most 1 %";
/// A column of the data that tells records apart and nothing else: a sampling weight.
const WEIGHT: &str = "fnlwgt";
/// Stands for a value that no released class has.
const UNSEEN: u32 = u32::MAX;

/// The rows of the table, in its order.
struct Rows {
    /// Each row's distinct record, and its label.
    rows: Vec<(usize, u32)>,
    training: usize,
}

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let microdata = bench.adult.microdata(&bench.ground, QUASI.len())?;
    let rows = Rows::read(bench, &microdata)?;
    let baseline = rows.original_error(&microdata);
    let mut originals = Table::new(
        "original",
        "Error of a tree that is trained on the original records",
        ["predictors", "error", "leaves"],
    );
    let others = other_predictors(bench, &rows)?;
    for (name, (error, leaves)) in [("the quasi-identifiers, at the leaves of their taxonomies", baseline)]
        .into_iter()
        .chain(others.iter().map(|(name, found)| (*name, *found)))
    {
        originals.row([Cell::text(name), Cell::Share(error), Cell::Count(leaves as u64)]);
    }
    let baseline = baseline.0;
    let uniform = errors(bench, &microdata, &rows, baseline, false)?;
    let frequency = errors(bench, &microdata, &rows, baseline, true)?;
    let mut claims = Table::stated_and_found("stated");
    claims.row([Cell::text("error with the original data"), Cell::Share(BASELINE), Cell::Share(baseline)]);
    let gaps = uniform.of("vio-rec").map(|error| error - baseline);
    claims.row([
        Cell::text("error of vio-rec above that"),
        Cell::text(STATED_GAP),
        Cell::text(percent_range(gaps).unwrap_or("–".to_string())),
    ]);
    let most = microdata.label().and_then(|label| label.totals.iter().max().copied()).unwrap_or(0);
    let blind = 1.0 - most as f64 / microdata.table.records.max(1) as f64;
    let first = Section::new("The original data")
        .say(format!(
            "Always answering the more frequent class is wrong for {} of all records. The thesis does not say which columns \
             its tree was trained on.",
            percent(blind)
        ))
        .table(claims)
        .table(originals);
    Ok(vec![
        first,
        uniform.section("uniform", "One threshold for all values (figure 3.4 d)"),
        frequency.section("frequency", "A threshold per value (figure 3.5 d)"),
    ])
}

impl Rows {
    fn read(bench: &Bench, microdata: &Microdata) -> Result<Rows> {
        let source = bench.adult.source()?;
        let label = microdata.label().ok_or_else(|| Error::internal("the data has no class column"))?;
        let position = microdata.summary.columns().iter().position(|column| column.index == label.index);
        let position = position.ok_or_else(|| Error::internal("the class column is not summarised"))?;
        let mut rows = Vec::new();
        source.read(&mut |batch, _| {
            for row in 0..batch.rows() {
                if let Located::Record(record) = microdata.summary.locate(batch, row) {
                    rows.push((record, microdata.summary.record(record)[position]));
                }
            }
            bench.adult.clock.check()
        })?;
        let training = if rows.len() > TRAINING { TRAINING } else { rows.len() * 2 / 3 };
        Ok(Rows { rows, training })
    }

    fn train(&self) -> &[(usize, u32)] {
        &self.rows[..self.training]
    }

    fn test(&self) -> &[(usize, u32)] {
        &self.rows[self.training..]
    }

    /// The error and the size of a tree over the quasi-identifiers as they are.
    fn original_error(&self, microdata: &Microdata) -> (f64, usize) {
        let sample = |rows: &[(usize, u32)]| {
            let mut sample = Sample::new(microdata.quasi.len());
            for (record, label) in rows {
                let codes = microdata.quasi_codes(*record).iter().zip(&microdata.quasi);
                let leaves: Vec<u32> =
                    codes.map(|(code, quasi)| quasi.leaf_of_code[*code as usize]).collect();
                sample.push(&leaves, *label, 1);
            }
            sample
        };
        let tree = Tree::train(&sample(self.train()));
        (tree.error(&sample(self.test())), tree.leaves())
    }

    /// The error of a tree that is trained on a release.
    fn release_error(&self, microdata: &Microdata, outcome: &Outcome) -> f64 {
        let recoding = &outcome.recoding;
        let mut training = Sample::new(microdata.quasi.len());
        let mut dispatcher = recoding.dispatcher(SEED, |record| microdata.summary.count(record));
        for (record, label) in self.train() {
            if let Some(class) = dispatcher.next(*record) {
                training.push(recoding.cells(class as usize), *label, 1);
            }
        }
        let tree = Tree::train(&training);
        let generalised = released_cells(microdata, outcome);
        let mut test = Sample::new(microdata.quasi.len());
        for (record, label) in self.test() {
            let codes = microdata.quasi_codes(*record).iter().zip(&generalised);
            let cells: Vec<u32> = codes.map(|(code, cells)| cells[*code as usize]).collect();
            test.push(&cells, *label, 1);
        }
        tree.error(&test)
    }
}

/// Per quasi-identifier and value, the released value that stands for it: the one on its way to the root that a class has.
fn released_cells(microdata: &Microdata, outcome: &Outcome) -> Vec<Vec<u32>> {
    let recoding = &outcome.recoding;
    let used = |column: usize| {
        let mut cells = vec![UNSEEN; microdata.quasi[column].taxonomy.len()];
        for class in 0..recoding.len() {
            let cell = recoding.cells(class)[column];
            if let Some(node) = recoding.columns[column].cells[cell as usize].node {
                cells[node.0 as usize] = cell;
            }
        }
        cells
    };
    (microdata.quasi.iter().enumerate())
        .map(|(column, quasi)| {
            let used = used(column);
            let cell_of = |leaf: &u32| {
                let leaf = quasi.taxonomy.leaf(*leaf as usize);
                let way = std::iter::successors(Some(leaf), |node: &NodeId| quasi.taxonomy.parent(*node));
                way.map(|node| used[node.0 as usize]).find(|cell| *cell != UNSEEN).unwrap_or(UNSEEN)
            };
            quasi.leaf_of_code.iter().map(cell_of).collect()
        })
        .collect()
}

/// Errors with other predictors, all taken as categories.
fn other_predictors(bench: &Bench, rows: &Rows) -> Result<Vec<(&'static str, (f64, usize))>> {
    let source = bench.adult.source()?;
    let quasi: Vec<&str> = QUASI.map(|(column, _)| column).into();
    let all = source.columns().iter().map(|column| column.name.as_str());
    let all: Vec<&str> = all.filter(|name| *name != WEIGHT && *name != LABEL).collect();
    let with_sensitive: Vec<&str> = quasi.iter().copied().chain([SENSITIVE]).collect();
    let variants = [
        ("the quasi-identifiers, as they are", quasi),
        ("the quasi-identifiers and the occupation", with_sensitive),
        ("all columns but the sampling weight", all),
    ];
    variants.into_iter().map(|(name, columns)| Ok((name, raw_error(bench, rows, &columns)?))).collect()
}

fn raw_error(bench: &Bench, rows: &Rows, columns: &[&str]) -> Result<(f64, usize)> {
    let table = amplify::read(&bench.adult.source()?, columns, &bench.adult.clock)?;
    let mut known: Vec<hashbrown::HashMap<&str, u32>> = vec![hashbrown::HashMap::new(); columns.len()];
    let (mut train, mut test) = (Sample::new(columns.len()), Sample::new(columns.len()));
    for (position, (cells, (_, label))) in table.iter().zip(&rows.rows).enumerate() {
        let codes: Vec<u32> = (cells.iter().zip(&mut known))
            .map(|(cell, known)| {
                let next = known.len() as u32;
                *known.entry(cell.as_str()).or_insert(next)
            })
            .collect();
        let sample = if position < rows.training { &mut train } else { &mut test };
        sample.push(&codes, *label, 1);
    }
    let tree = Tree::train(&train);
    Ok((tree.error(&test), tree.leaves()))
}

/// Errors by method and l.
struct Errors {
    ls: Vec<u64>,
    baseline: f64,
    /// Per method its name and, per l, the error or why there is none.
    methods: Vec<(&'static str, Vec<std::result::Result<f64, String>>)>,
}

fn errors(
    bench: &Bench,
    microdata: &Microdata,
    rows: &Rows,
    baseline: f64,
    frequency: bool,
) -> Result<Errors> {
    let counts = bench.sensitive_counts()?;
    let error_of = |answer: &Answer| match answer {
        Answer::Solved(outcome) => Ok(rows.release_error(microdata, outcome)),
        Answer::None(reason) => Err(reason.clone()),
    };
    let mut methods = vec![("full-domain", Vec::new())];
    for &l in &bench.scale.ls {
        methods[0].1.push(error_of(&bench.full_domain("CM", l)?));
    }
    for scheme in RECORD_SCHEMES {
        let mut found = Vec::new();
        for &l in &bench.scale.ls {
            let threshold = match frequency {
                true => Threshold::Frequency(
                    base_threshold(&counts, l)
                        .ok_or_else(|| Error::internal("the data has no sensitive values"))?,
                ),
                false => Threshold::L(l),
            };
            found.push(error_of(&bench.optimize(scheme, "CM", threshold)?));
        }
        methods.push((scheme, found));
    }
    Ok(Errors { ls: bench.scale.ls.clone(), baseline, methods })
}

impl Errors {
    fn of(&self, method: &str) -> impl Iterator<Item = f64> {
        let found = self.methods.iter().filter(move |(name, _)| *name == method);
        found.flat_map(|(_, errors)| errors.iter().flatten().copied())
    }

    fn section(&self, name: &str, title: &str) -> Section {
        let head = ["l", "original"].into_iter().chain(self.methods.iter().map(|(method, _)| *method));
        let mut table = Table::new(name, "Share of the test records that the tree misses", head);
        for (position, l) in self.ls.iter().enumerate() {
            let errors = self.methods.iter().map(|(_, errors)| match &errors[position] {
                Ok(error) => Cell::Share(*error),
                Err(reason) => Cell::Missing(reason.clone()),
            });
            table.row([Cell::Count(*l), Cell::Share(self.baseline)].into_iter().chain(errors));
        }
        let line = |errors: &[std::result::Result<f64, String>]| {
            let points = self.ls.iter().zip(errors);
            points.map(|(l, error)| (*l as f64, error.clone().ok())).collect::<Vec<_>>()
        };
        let original = self.ls.iter().map(|l| (*l as f64, Some(self.baseline)));
        let mut series = vec![Series::of("original", original)];
        series.extend(self.methods.iter().map(|(method, errors)| Series::of(*method, line(errors))));
        let plot = Plot {
            title: "Classification error by l".to_string(),
            kind: Kind::Lines,
            x: Axis::new("l"),
            y: Axis::new("test records missed").share(),
            series,
        };
        Section::new(title).plot(plot).table(table)
    }
}
