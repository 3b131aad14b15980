//! `privet-lab which-method`: the same people under every method for tables, as the table of `docs/src/which-method.md`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use privet::attack::Choice;
use privet::clock::Clock;
use privet::cpu::cpu_time;
use privet::example::{Example, census};
use privet::policy::Policy;
use privet::release::{RunOptions, anonymize_any};
use privet::{Error, Result};
use serde_json::Value as Json;

/// The lines of the page between which the table is written.
const MARKS: (&str, &str) = ("<!-- table: privet-lab which-method -->\n", "<!-- end of the table -->");

/// A release of the census.
struct Candidate {
    /// What the table calls it.
    name: &'static str,
    /// What is promised, in a few words.
    promise: &'static str,
    /// Lines of the census's policy that read otherwise.
    edits: &'static [(&'static str, &'static str)],
    /// The sections `[privacy]` and `[method]`.
    asked: &'static str,
}

const K_AND_L: &str = "k = 5, three occupations";
const K_AND_L_PLUS: &str = "k = 5, no occupation likelier than one third";

const CANDIDATES: &[Candidate] = &[
    Candidate {
        name: "full-domain",
        promise: K_AND_L,
        edits: &[],
        asked: "[privacy]\nk-anonymity = { k = 5 }\nl-diversity = { column = 'occupation', kind = 'distinct', l = 3 }\n\
                [method]\nname = 'full-domain'\nsuppression_limit = 0.02\n",
    },
    Candidate {
        name: "mondrian",
        promise: K_AND_L,
        edits: &[],
        asked: "[privacy]\nk-anonymity = { k = 5 }\nl-diversity = { column = 'occupation', kind = 'distinct', l = 3 }\n\
                [method]\nname = 'mondrian'\n",
    },
    Candidate {
        name: "l-plus-optimize",
        promise: K_AND_L_PLUS,
        edits: &[],
        asked: "[privacy]\nk-anonymity = { k = 5 }\nl-plus-diversity = { column = 'occupation', default = '1/3' }\n\
                [method]\nname = 'l-plus-optimize'\nsuppression = 'none'\ntime_limit = '60s'\n",
    },
    Candidate {
        name: "l-plus-optimize, vio-rec",
        promise: K_AND_L_PLUS,
        edits: &[],
        asked: "[privacy]\nk-anonymity = { k = 5 }\nl-plus-diversity = { column = 'occupation', default = '1/3' }\n\
                [method]\nname = 'l-plus-optimize'\nsuppression = 'vio-rec'\ntime_limit = '60s'\n",
    },
    Candidate {
        name: "simulated-annealing",
        promise: K_AND_L_PLUS,
        edits: &[],
        asked: "[privacy]\nk-anonymity = { k = 5 }\nl-plus-diversity = { column = 'occupation', default = '1/3' }\n\
                [method]\nname = 'simulated-annealing'\nsteps = 2000\n",
    },
    Candidate {
        name: "anatomy",
        promise: "no occupation of a group likelier than one third",
        edits: &[],
        asked: "[privacy]\nl-diversity = { column = 'occupation', kind = 'frequency', l = 3 }\n[method]\nname = 'anatomy'\n",
    },
    Candidate {
        name: "injector, balanced",
        promise: "three occupations possible, whatever rules are known",
        edits: &[],
        asked: "[privacy]\nmatching-l-diversity = { column = 'occupation', l = 3 }\n\
                [method]\nname = 'injector'\nstrategy = 'balanced'\n",
    },
    Candidate {
        name: "injector",
        promise: "three occupations possible, whatever rules are known",
        edits: &[],
        asked: "[privacy]\nmatching-l-diversity = { column = 'occupation', l = 3 }\n[method]\nname = 'injector'\n",
    },
    Candidate {
        name: "codip-star",
        promise: "k = 5, three occupations; anyone who knows occupation or income does not find the other",
        edits: &[("role = \"class\"", "role = \"sensitive\"")],
        asked: "[privacy]\nk-anonymity = { k = 5 }\nl-diversity = { column = 'occupation', kind = 'distinct', l = 3 }\n\
                projection = { alpha = 1, beta = 0 }\n[method]\nname = 'codip-star'\ncost = 'LM'\n",
    },
];

/// What a release lost.
struct Measured {
    loss: f64,
    exact: f64,
    query_error: f64,
    left_out: f64,
    seconds: f64,
}

/// Writes the table into a page. `people` says how many the census has, where that is not the example's own number.
pub fn page(text: &str, people: Option<u64>, clock: &Clock, each: &mut dyn FnMut(&str)) -> Result<String> {
    let (before, rest) = text.split_once(MARKS.0).ok_or_else(no_place)?;
    let (_, after) = rest.split_once(MARKS.1).ok_or_else(no_place)?;
    Ok(format!("{before}{}\n{}\n{}{after}", MARKS.0, table(people, clock, each)?, MARKS.1))
}

fn no_place() -> Error {
    Error::input("the page has no place for the table").help(format!(
        "put the lines {:?} and {:?} where it should be",
        MARKS.0.trim(),
        MARKS.1
    ))
}

fn table(people: Option<u64>, clock: &Clock, each: &mut dyn FnMut(&str)) -> Result<String> {
    let failed = |error: std::io::Error| Error::input(format!("cannot use a temporary directory: {error}"));
    let room = tempfile::tempdir().map_err(failed)?;
    let example = room.path().join("census");
    Example::find("census")?.write(&example)?;
    if let Some(people) = people {
        let data = fs::File::create(example.join("census.csv")).map_err(failed)?;
        census::write_csv(people, census::SEED, std::io::BufWriter::new(data)).map_err(failed)?;
    }
    let policy = example.join("policy.toml");
    let written = fs::read_to_string(&policy).map_err(failed)?;
    let columns = written.split("[privacy.").next().unwrap_or_default().to_string();
    let mut text = String::from(
        "| method | promised | loss | exact cells | query error | left out | CPU seconds |\n|---|---|--:|--:|--:|--:|--:|\n",
    );
    for candidate in CANDIDATES {
        let columns = candidate.edits.iter().fold(columns.clone(), |text, (from, to)| text.replace(from, to));
        fs::write(&policy, format!("{columns}{}", candidate.asked)).map_err(failed)?;
        let found = measure(&policy, room.path(), clock)?;
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let row = format!(
            "| `{}` | {} | {} | {} | {} | {} | {:.1} |",
            candidate.name,
            candidate.promise,
            percent(found.loss),
            percent(found.exact),
            percent(found.query_error),
            percent(found.left_out),
            found.seconds
        );
        each(&row);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{row}");
    }
    let build = if cfg!(debug_assertions) { "a build for tests (slow)" } else { "a release build" };
    let _ = writeln!(text, "\nCPU seconds are those of {build}.");
    Ok(text)
}

/// Makes a release and reads its report.
fn measure(policy: &Path, room: &Path, clock: &Clock) -> Result<Measured> {
    let target = room.join("release");
    let mut options = RunOptions::to(&target);
    (options.force, options.attacks) = (true, Choice::None);
    let start = cpu_time();
    let published = anonymize_any(Policy::read(policy)?.check_any(None)?, &options, clock)?;
    let seconds = cpu_time().saturating_sub(start).as_secs_f64();
    let path = target.join("steward/report.json");
    let broken = || Error::internal("a report without figures").in_file(&path);
    let text = fs::read_to_string(&path).map_err(|error| Error::io("read the report", &path, &error))?;
    let report: Json = serde_json::from_str(&text).map_err(|_| broken())?;
    let quasi: Vec<&Json> = report["columns"]
        .as_array()
        .ok_or_else(broken)?
        .iter()
        .filter(|column| column["role"] == "quasi-identifier")
        .collect();
    let mean = |key: &str| -> Result<f64> {
        let figures = quasi.iter().map(|column| column[key].as_f64().ok_or_else(broken));
        Ok(figures.sum::<Result<f64>>()? / quasi.len().max(1) as f64)
    };
    let count = |key: &str| published.manifest["records"][key].as_f64().ok_or_else(broken);
    let queries = report["fidelity"]["queries"].as_array().ok_or_else(broken)?;
    let pairs = queries.iter().find(|kind| kind["conditions"] == 2).ok_or_else(broken)?;
    let left_out = 1.0 - count("released")? / count("read")?;
    Ok(Measured {
        loss: mean("loss")?,
        exact: (1.0 - mean("generalised")?) * (1.0 - left_out),
        query_error: pairs["quantiles"][2].as_f64().ok_or_else(broken)?,
        left_out,
        seconds,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_its_row_with_figures() {
        let text = format!("Before.\n\n{}old\n{}\n\nAfter.\n", MARKS.0, MARKS.1);
        let page = page(&text, Some(600), &Clock::unlimited(), &mut |_| {}).expect("a page");
        assert!(page.starts_with("Before.") && page.ends_with("After.\n") && !page.contains("old"), "{page}");
        let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
        assert_eq!(rows.len(), CANDIDATES.len(), "{page}");
        for (row, candidate) in rows.iter().zip(CANDIDATES) {
            assert!(row.starts_with(&format!("| `{}` |", candidate.name)), "{row}");
            assert_eq!(row.matches('%').count(), 4, "{row}");
        }
        let exact =
            |name: &str| rows.iter().find(|row| row.contains(name)).map(|row| row.contains("100.0 %"));
        assert_eq!((exact("`injector`"), exact("`full-domain`")), (Some(true), Some(false)), "{page}");
        let error = super::page("No marks.", None, &Clock::unlimited(), &mut |_| {}).expect_err("no place");
        assert!(error.remedy().is_some_and(|help| help.contains("which-method")), "{error}");
    }

    #[test]
    fn the_page_of_the_book_has_a_row_for_every_method() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/which-method.md");
        let page = fs::read_to_string(path).expect("the page");
        for candidate in CANDIDATES {
            let row = format!("| `{}` | {} |", candidate.name, candidate.promise);
            assert!(page.contains(&row), "run privet-lab which-method: no row for {}", candidate.name);
        }
    }
}
