//! `privet experiment`: re-runs a publication's experiment, with its figures beside ours.

use std::path::PathBuf;

use privet::engine::clock::Clock;
use privet::experiment::{DEFAULT_DATA, Experiment as Named, Patience, Setting, experiments};
use privet::{Error, Result};
use serde_json::{Value as Json, json};

use crate::arguments::Experiment;
use crate::output::Output;

pub fn run(arguments: &Experiment, output: &Output, clock: &Clock) -> Result<u8> {
    let Some(name) = &arguments.name else {
        list_all(output);
        return Ok(0);
    };
    let experiment = Named::find(name)?;
    let parts = experiment.select(&arguments.parts)?;
    if arguments.list {
        list_parts(experiment, output);
        return Ok(0);
    }
    let folder =
        arguments.output.clone().unwrap_or_else(|| PathBuf::from(format!("{}-experiment", experiment.name)));
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
    let (log, quick) = (arguments.log.clone(), arguments.quick);
    let setting = Setting { data, log, quick, patience, clock: clock.clone() };
    let page = experiment.run(&parts, &setting, &folder, &mut |part| {
        output.tell(&format!("{:<15} {:>7.1} s  {}\n", part.name, part.seconds, part.title));
    })?;
    let index = folder.join("index.html");
    output.result(
        &format!("written to {}; open {}\n", folder.display(), index.display()),
        || json!({ "experiment": experiment.name, "page": index, "results": page }),
    );
    Ok(0)
}

fn list_all(output: &Output) {
    let mut text: String = experiments()
        .iter()
        .map(|one| format!("{:<15} {} ({})\n", one.name, one.title, one.source))
        .collect();
    text += "\nprivet experiment NAME runs one, privet experiment NAME --list shows its parts\n";
    output.result(&text, || {
        let list: Vec<Json> = experiments()
            .iter()
            .map(|one| json!({ "name": one.name, "title": one.title, "source": one.source }))
            .collect();
        json!({ "experiments": list })
    });
}

fn list_parts(experiment: &Named, output: &Output) {
    let mut text = format!("{} ({})\n\n", experiment.title, experiment.source);
    for part in experiment.parts {
        text += &format!("{:<15} {}\n                {}\n", part.name, part.title, part.summary);
    }
    output.result(&text, || {
        let parts: Vec<Json> = experiment
            .parts
            .iter()
            .map(|part| json!({ "name": part.name, "title": part.title, "summary": part.summary }))
            .collect();
        json!({ "experiment": experiment.name, "parts": parts })
    });
}
