//! `privet-lab benchmarks`: how long whole runs of every method take on its example, as tables on a page.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use privet::attack::Choice;
use privet::clock::Clock;
use privet::cpu::cpu_time;
use privet::example::{Example, census};
use privet::policy::Policy;
use privet::release::{RunOptions, anonymize_any};
use privet::{Error, Result, thousands};

/// Methods that are timed on the same example; the first one is what the others are compared with.
struct Group {
    example: &'static str,
    /// The lines of `[method]`.
    methods: &'static [&'static str],
    /// For the census: how many people, where that is not the example's own number.
    people: Option<u64>,
}

const fn group(example: &'static str, methods: &'static [&'static str]) -> Group {
    Group { example, methods, people: None }
}

const CENSUS: &[&str] = &[
    "name = 'full-domain'\nsuppression_limit = 0.02",
    "name = 'full-domain'\ncost = 'DM'\nsuppression_limit = 0.02",
    "name = 'mondrian'",
];

/// Done in about a minute by an optimised build.
const CHEAP: &[Group] = &[
    group("census", CENSUS),
    group("l-plus", &["name = 'l-plus-optimize'", "name = 'l-plus-optimize'\nsuppression = 'vio-sa'"]),
    group(
        "ward",
        &[
            "name = 'injector'",
            "name = 'injector'\nstrategy = 'balanced'",
            "name = 'injector'\nstrategy = 'local'",
        ],
    ),
    group("clinic", &["name = 'codip'", "name = 'codip-star'"]),
    group("freeform", &["name = 'ff'", "name = 'ff-optimal'"]),
    group("symptoms", &["name = 'quasi-sensitive'\ntime_limit = '10s'"]),
    group("baskets", &["name = 'og'", "name = 'mog'", "name = 'aa'", "name = 'mm'"]),
    group("queries", &["name = 'ssg'", "name = 'lg-bag'", "name = 'lg'"]),
];

/// What takes longer.
const COSTLY: &[Group] = &[
    Group { people: Some(200_000), ..group("census", CENSUS) },
    Group { people: Some(2_000_000), ..group("census", CENSUS) },
];

/// Every run is made this often; the least of its times counts.
const TIMES: u32 = 3;

/// How long a run took.
struct Timing {
    /// The method with its settings, on one line.
    method: String,
    records: u64,
    whole: Duration,
    cpu: Duration,
    /// Of these, the search.
    search: f64,
}

/// Times all runs and renders the page. `each` sees a line for every run that is done.
pub fn page(costly: bool, clock: &Clock, each: &mut dyn FnMut(&str)) -> Result<String> {
    let mut text = head(costly);
    let groups = CHEAP.iter().chain(COSTLY.iter().filter(|_| costly));
    for group in groups {
        let timings = timed(group, clock, each)?;
        text += &table(group, &timings);
    }
    Ok(text)
}

fn timed(group: &Group, clock: &Clock, each: &mut dyn FnMut(&str)) -> Result<Vec<Timing>> {
    let failed = |error: std::io::Error| Error::input(format!("cannot use a temporary directory: {error}"));
    let room = tempfile::tempdir().map_err(failed)?;
    let example = room.path().join(group.example);
    Example::find(group.example)?.write(&example)?;
    if let Some(people) = group.people {
        let data = fs::File::create(example.join("census.csv")).map_err(failed)?;
        census::write_csv(people, census::SEED, std::io::BufWriter::new(data)).map_err(failed)?;
    }
    let policy = example.join("policy.toml");
    let written = fs::read_to_string(&policy).map_err(failed)?;
    let rest = written.split("[method]").next().unwrap_or_default();
    let mut timings = Vec::new();
    for method in group.methods {
        fs::write(&policy, format!("{rest}[method]\n{method}\n")).map_err(failed)?;
        let timing = least(method, &policy, room.path(), clock)?;
        each(&format!("{:<10} {:<45} {:>8.2} s", group.example, timing.method, timing.whole.as_secs_f64()));
        timings.push(timing);
    }
    Ok(timings)
}

/// Makes a release several times.
fn least(method: &str, policy: &Path, room: &Path, clock: &Clock) -> Result<Timing> {
    let mut least: Option<Timing> = None;
    for _ in 0..TIMES {
        let mut options = RunOptions::to(room.join("release"));
        (options.force, options.attacks) = (true, Choice::None);
        let (start, cpu) = (Instant::now(), cpu_time());
        let published = anonymize_any(Policy::read(policy)?.check_any(None)?, &options, clock)?;
        let timing = Timing {
            method: method.replace("name = ", "").replace('\'', "").replace('\n', ", "),
            records: published.manifest["records"]["read"].as_u64().unwrap_or(0),
            whole: start.elapsed(),
            cpu: cpu_time().saturating_sub(cpu),
            search: published.manifest["search"]["seconds"].as_f64().unwrap_or(0.0),
        };
        if least.as_ref().is_none_or(|least| timing.cpu < least.cpu) {
            least = Some(timing);
        }
    }
    least.ok_or_else(|| Error::internal("no run was timed"))
}

fn head(costly: bool) -> String {
    let date = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let build = if cfg!(debug_assertions) { "a build for tests (slow)" } else { "a release build" };
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = processor.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let processor = processor.map_or("unknown processor", |(_, name)| name);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let more = if costly { " --costly" } else { "" };
    format!(
        "# How long runs take\n\n\
         `cargo run --release -p privet-lab -- benchmarks{more}` wrote this page on {date}, by {build}, on {cores} cores of \
         {processor} with {os}. Compare within a table: the last column is the CPU time as a multiple of the first row's. Each \
         row is the best of {TIMES} whole runs, from file to audited release with reports and without attacks.\n\n\
         `--costly` adds larger tables. `cargo bench -p privet-lab` times single steps. `benches/end-to-end`, \
         `benches/l-plus-grid`, `benches/kl-grid` and `benches/attacks` run the command on real data that is not shipped.\n",
        os = std::env::consts::OS,
    )
}

fn table(group: &Group, timings: &[Timing]) -> String {
    let records = timings.first().map_or(0, |timing| timing.records);
    let mut text = format!("\n## {}, {}\n\n", group.example, thousands(records));
    text += "| method | seconds | CPU seconds | search, seconds | times the first |\n|---|--:|--:|--:|--:|\n";
    let base = timings.first().map_or(0.0, |timing| timing.cpu.as_secs_f64()).max(1e-9);
    for timing in timings {
        let (whole, cpu) = (timing.whole.as_secs_f64(), timing.cpu.as_secs_f64());
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "| {} | {whole:.2} | {cpu:.2} | {:.3} | {:.1} |",
            timing.method,
            timing.search,
            cpu / base
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_timed_and_becomes_a_table() {
        let group = group("five-baskets", &["name = 'og'", "name = 'mog'\ncost = 'NCP'"]);
        let timings = timed(&group, &Clock::unlimited(), &mut |_| {}).expect("timed");
        let table = table(&group, &timings);
        assert!(table.starts_with("\n## five-baskets, 5\n"), "{table}");
        assert!(table.contains("\n| og | ") && table.contains("\n| mog, cost = NCP | "), "{table}");
    }
}
