//! The `privet-lab` command: runs a publication's experiments again, with its figures next to ours.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Parser;
use privet::clock::{Clock, Silent};
use privet::{Error, Result};
use privet_lab::{DEFAULT_DATA, Experiment, Patience, Setting, benchmarks, experiments, which_method};

/// Run a publication's experiments again on real data, its figures next to ours.
///
/// The data is not shipped: the environment variable PRIVET_DATA names its directory.
#[derive(Debug, Parser)]
#[command(name = "privet-lab", version)]
struct Arguments {
    /// The experiment, `benchmarks` for how long runs take, or `which-method` for the book's comparison of methods; without a
    /// name, lists all experiments
    name: Option<String>,
    /// The directory for the result page and its tables [default: NAME-experiment]; for benchmarks and which-method, the page
    /// [default: benchmarks.md, docs/src/which-method.md]
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Run only this part; may be given several times
    #[arg(long = "part", value_name = "NAME", requires = "name")]
    parts: Vec<String>,
    /// Fewer settings, done in a few minutes
    #[arg(long, requires = "name")]
    quick: bool,
    /// How long one run may take, where the experiment has limits; all together in proportion [default: 20s for kl]
    #[arg(long, value_name = "TIME", value_parser = time, requires = "name")]
    time_limit: Option<Duration>,
    /// Give every run the time it needs
    #[arg(long, requires = "name", conflicts_with = "time_limit")]
    no_time_limit: bool,
    /// A query log to use in place of the made-up one
    #[arg(long, value_name = "FILE", requires = "name")]
    log: Option<PathBuf>,
    /// List the experiment's parts and run nothing
    #[arg(long)]
    list: bool,
    /// Time large tables too, with `benchmarks`
    #[arg(long, requires = "name")]
    costly: bool,
    /// How many threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

fn time(text: &str) -> std::result::Result<Duration, String> {
    privet::policy::parse_duration(text)
        .ok_or_else(|| "write a length of time, as in 500ms, 30s, 5m or 2h".to_string())
}

fn main() -> ExitCode {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = interrupted.clone();
    if let Err(error) = ctrlc::set_handler(move || flag.store(true, Ordering::SeqCst)) {
        eprintln!("warning: cannot listen for Ctrl-C: {error}");
    }
    match run(&Arguments::parse(), Clock::new(interrupted, Arc::new(Silent))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.kind().exit_status())
        }
    }
}

fn run(arguments: &Arguments, clock: Clock) -> Result<()> {
    let Some(name) = &arguments.name else {
        list_all();
        return Ok(());
    };
    if let Some(threads) = arguments.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
        pool.map_err(|error| Error::input(format!("cannot start {threads} threads: {error}")))?;
    }
    if name == "benchmarks" {
        let path = arguments.output.clone().unwrap_or_else(|| PathBuf::from("benchmarks.md"));
        let page = benchmarks::page(arguments.costly, &clock, &mut |line| println!("{line}"))?;
        return privet::place::write_file(&path, page.as_bytes())
            .map_err(|error| Error::writing("write the page", &path, &error));
    }
    if name == "which-method" {
        let path = arguments.output.clone().unwrap_or_else(|| PathBuf::from("docs/src/which-method.md"));
        let text =
            std::fs::read_to_string(&path).map_err(|error| Error::io("read the page", &path, &error))?;
        let page = which_method::page(&text, None, &clock, &mut |line| println!("{line}"))
            .map_err(|error| error.in_file(&path))?;
        return privet::place::write_file(&path, page.as_bytes())
            .map_err(|error| Error::writing("write the page", &path, &error));
    }
    let experiment = Experiment::find(name)?;
    let parts = experiment.select(&arguments.parts)?;
    if arguments.list {
        list_parts(experiment);
        return Ok(());
    }
    let folder =
        arguments.output.clone().unwrap_or_else(|| PathBuf::from(format!("{}-experiment", experiment.name)));
    let page = experiment.run(&parts, &setting(arguments, experiment, clock)?, &folder, &mut |part| {
        println!("{:<15} {:>7.1} s  {}", part.name, part.seconds, part.title);
    })?;
    println!(
        "{}: {} parts, written to {}",
        page.experiment,
        page.parts.len(),
        folder.join("index.html").display()
    );
    Ok(())
}

/// What the arguments say about how to run, where the experiment knows it.
fn setting(arguments: &Arguments, experiment: &Experiment, clock: Clock) -> Result<Setting> {
    let data = std::env::var_os("PRIVET_DATA").map_or_else(|| PathBuf::from(DEFAULT_DATA), PathBuf::from);
    let takes_log = experiment.name == "vocabulary";
    if let Some(log) = arguments.log.as_ref().filter(|_| !takes_log) {
        return Err(Error::input(format!("the experiment '{}' uses no query log", experiment.name))
            .in_file(log)
            .help("leave out --log"));
    }
    let patience = match arguments.time_limit {
        _ if arguments.no_time_limit => Patience::Endless,
        Some(limit) => Patience::Each(limit),
        None => Patience::Usual,
    };
    if patience != Patience::Usual && experiment.name != "kl" {
        let wrong = format!("the experiment '{}' has no time limits", experiment.name);
        return Err(Error::input(wrong).help("leave out --time-limit and --no-time-limit"));
    }
    Ok(Setting { data, log: arguments.log.clone(), quick: arguments.quick, patience, clock })
}

fn list_all() {
    for one in experiments() {
        println!("{:<15} {} ({})", one.name, one.title, one.source);
    }
    println!(
        "\nprivet-lab NAME runs one, privet-lab NAME --list shows its parts; privet-lab benchmarks times runs, privet-lab \
         which-method compares all methods for tables"
    );
}

fn list_parts(experiment: &Experiment) {
    println!("{} ({})\n", experiment.title, experiment.source);
    for part in experiment.parts {
        println!("{:<15} {}\n                {}", part.name, part.title, part.summary);
    }
}
