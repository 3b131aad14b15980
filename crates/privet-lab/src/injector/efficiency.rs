//! Figure 5: how long mining and grouping take.

use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

use super::super::page::{Cell, Section, Table};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::{Bench, EXPECTATION, EXPECTATIONS, L, LS, data, single};
use crate::Part;
use privet::engine::microdata::Microdata;
use privet::engine::negative_rules::{Observations, Parameters, exclude};
use privet::method::injector::{GroupingStrategy, GroupingTask, group};
use privet::policy::Policy;
use privet::{Error, Result, ValueSet, random};

pub(super) const PART: Part = Part {
    name: "efficiency",
    title: "Time",
    summary: "mining single columns and all conjunctions, and each strategy, on Adult and on 33 copies of it; and by \
              expectation and l",
};

/// How many copies of Adult make about a million records.
const COPIES: u64 = 33;

/// Of this many runs the shortest counts.
const RUNS: usize = 3;

fn seconds(mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        run()?;
        least = least.min(start.elapsed().as_secs_f64());
    }
    Ok(least)
}

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let observations = &bench.adult.observations;
    let mut table = Table::new("seconds", "Seconds", ["what", "records", "seconds"]);
    let records = |observations: &Observations| Cell::Count(observations.total());
    let reading = reading(bench)?;
    table.row([Cell::text("reading the file"), records(observations), Cell::Seconds(reading)]);
    let mut larger = Observations::new(observations.attributes.clone(), observations.values.clone());
    for record in 0..observations.len() {
        let leaves: Vec<u32> = (0..observations.attributes.len())
            .map(|attribute| observations.leaf(attribute, record))
            .collect();
        larger.push(&leaves, observations.value(record), COPIES * observations.weight(record));
    }
    // The larger table has more rules, for every record stands for 33; groups are formed under the same ones.
    let excluded = bench.excluded(EXPECTATION)?;
    for observations in [observations, &larger] {
        let mut timed = |what: &str, run: &dyn Fn() -> Result<()>| -> Result<()> {
            table.row([Cell::text(what), records(observations), Cell::Seconds(seconds(run)?)]);
            Ok(())
        };
        timed("mining single columns", &|| {
            exclude(observations, &single(EXPECTATION), &[], &bench.clock).map(drop)
        })?;
        let all = Parameters { max_length: usize::MAX, ..single(EXPECTATION) };
        timed("mining all conjunctions", &|| exclude(observations, &all, &[], &bench.clock).map(drop))?;
        let task = GroupingTask {
            observations,
            excluded: &excluded,
            l: L,
            k: 1,
            max_posterior: None,
            suppress: false,
        };
        for (name, strategy) in [
            ("grouping, near", GroupingStrategy::Near),
            ("grouping, balanced", GroupingStrategy::Balanced),
            ("grouping, Anatomy", GroupingStrategy::Anatomy),
        ] {
            timed(name, &|| group(&task, strategy, 1, &bench.clock).map(drop))?;
        }
    }
    let task = bench.task(&excluded, L);
    for (name, strategy) in
        [("grouping, paper", GroupingStrategy::Paper), ("grouping, local", GroupingStrategy::Local)]
    {
        let start = Instant::now();
        bench.group(&task, strategy, 1)?;
        table.row([Cell::text(name), records(observations), Cell::Seconds(start.elapsed().as_secs_f64())]);
    }
    let different = different(observations);
    let nothing = vec![ValueSet::none(different.values.len()); different.len()];
    let task = GroupingTask {
        observations: &different,
        excluded: &nothing,
        l: L,
        k: 1,
        max_posterior: None,
        suppress: false,
    };
    let start = Instant::now();
    group(&task, GroupingStrategy::Near, 1, &bench.clock)?;
    let taken = Cell::Seconds(start.elapsed().as_secs_f64());
    table.row([Cell::text("grouping, near, people who differ"), records(&different), taken]);
    let section = Section::new("Time (figure 5)").say(format!(
        "Expectation 0.90, l = 6; of {RUNS} runs the shortest, but for the last three rows. In the last one, every copy of a \
         record takes each of its values with probability one half from another record, so that {} of the records are distinct. The file is read as the command \
         reads it: the whole training file as CSV, seven of its 15 columns without hierarchies into distinct records with \
         counts, {} of them without a missing value. The paper plots minutes, on a machine of its time, and says that grouping \
         takes about as long as Anatomy does.",
        different.len(),
        observations.total()
    ));
    let section = section.table(table);
    Ok(vec![by_setting(bench, section)?])
}

/// As many records as the copies, most of them distinct: a copy takes every second of its values from another record.
fn different(observations: &Observations) -> Observations {
    let mut random = random::keyed(1, "people who differ");
    let columns = observations.attributes.len();
    let rows: Vec<u32> = (0..observations.len())
        .flat_map(|record| std::iter::repeat_n(record as u32, observations.weight(record) as usize))
        .collect();
    let mut counts: BTreeMap<(Vec<u32>, u32), u64> = BTreeMap::new();
    for _ in 0..COPIES {
        for row in &rows {
            let mut leaf = |attribute: usize| {
                let other = rows[random::below(&mut random, rows.len() as u64) as usize];
                let from = if random::below(&mut random, 2) == 0 { *row } else { other };
                observations.leaf(attribute, from as usize)
            };
            let leaves = (0..columns).map(&mut leaf).collect();
            *counts.entry((leaves, observations.value(*row as usize))).or_default() += 1;
        }
    }
    let mut different = Observations::new(observations.attributes.clone(), observations.values.clone());
    counts.into_iter().for_each(|((leaves, value), count)| different.push(&leaves, value, count));
    different
}

/// How long the command takes to read the table.
fn reading(bench: &Bench) -> Result<f64> {
    let folder =
        tempfile::tempdir().map_err(|error| Error::internal(format!("no temporary folder: {error}")))?;
    let path = folder.path().join("adult.csv");
    fs::write(&path, &bench.adult.csv).map_err(|error| Error::io("write the data", &path, &error))?;
    let written = Policy::parse(&folder.path().join("policy.toml"), data::policy(&path))?;
    let policy = written.check(None)?;
    seconds(|| Microdata::read(&policy, &mut |_| bench.clock.check()).map(drop))
}

/// The paper's two plots: mining and grouping by expectation, and by l.
fn by_setting(bench: &Bench, section: Section) -> Result<Section> {
    const STRATEGIES: [(&str, GroupingStrategy); 4] = [
        ("near", GroupingStrategy::Near),
        ("balanced", GroupingStrategy::Balanced),
        ("paper", GroupingStrategy::Paper),
        ("Anatomy", GroupingStrategy::Anatomy),
    ];
    let head = [
        "expectation",
        "l",
        "mining",
        "grouping, near",
        "grouping, balanced",
        "grouping, paper",
        "grouping, Anatomy",
    ];
    let mut table = Table::new("by-setting", "Seconds by expectation and l", head);
    let mut plots: [Vec<(f64, Vec<f64>)>; 2] = Default::default();
    let settings = LS.iter().map(|l| (EXPECTATION, *l)).chain(EXPECTATIONS.iter().map(|one| (*one, L)));
    for (at, (expectation, l)) in settings.enumerate() {
        let parameters = single(expectation);
        let mining =
            seconds(|| exclude(&bench.adult.observations, &parameters, &[], &bench.clock).map(drop))?;
        let excluded = bench.excluded(expectation)?;
        let task = bench.task(&excluded, l);
        let mut grouping = Vec::new();
        for (_, strategy) in STRATEGIES {
            let start = Instant::now();
            group(&task, strategy, 1, &bench.clock)?;
            grouping.push(start.elapsed().as_secs_f64());
        }
        let cells = [Cell::text(expectation), Cell::Count(l as u64), Cell::Seconds(mining)];
        table.row(cells.into_iter().chain(grouping.iter().map(|seconds| Cell::Seconds(*seconds))));
        let x = if at < LS.len() { l as f64 } else { expectation.parse().unwrap_or(0.0) };
        plots[usize::from(at >= LS.len())].push((x, grouping));
    }
    let titles = [("By l, expectation 0.90", "l"), ("By expectation, l = 6", "expectation")];
    let section = plots.iter().zip(titles).fold(section, |section, (points, (title, x))| {
        let series = STRATEGIES.iter().enumerate().map(|(at, (name, _))| {
            Series::of(*name, points.iter().map(|(x, seconds)| (*x, seconds.get(at).copied())))
        });
        section.plot(Plot {
            title: title.to_string(),
            kind: Kind::Lines,
            x: Axis::new(x),
            y: Axis::new("seconds of grouping"),
            series: series.collect(),
        })
    });
    Ok(section.table(table))
}
