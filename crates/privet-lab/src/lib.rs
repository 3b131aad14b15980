//! Re-running a publication's experiments on real data, with its stated figures next to ours.
//!
//! An [`Experiment`] has named parts, one per figure or group of figures. Each part turns into sections of one result
//! [page](page::Page), which is written again after every part. The data is never shipped: it lies in the folder that the
//! environment variable `PRIVET_DATA` names.

mod adult;
mod amplify;
pub mod benchmarks;
mod codip;
mod ff;
mod injector;
mod kl;
mod l_plus;
pub mod page;
pub mod plot;
mod quasi_sensitive;
mod tables;
#[cfg(test)]
mod tests;
pub mod tree;
pub mod vocabulary;
pub mod which_method;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use page::{DataUsed, Page, PartResult, Section};
use privet::clock::Clock;
use privet::suggestion;
use privet::{Error, Result};

/// Where experiments look for data when `PRIVET_DATA` is not set.
pub const DEFAULT_DATA: &str = "../shared/data";

/// An experiment of a publication.
#[derive(Debug)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// The publication and section.
    pub source: &'static str,
    /// Its parts, in the order they are run.
    pub parts: &'static [Part],
    prepare: fn(&Setting) -> Result<Box<dyn Laboratory>>,
}

/// A part of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// What it runs, in a line.
    pub summary: &'static str,
}

/// Where and how an experiment runs.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The folder with the data.
    pub data: PathBuf,
    /// A query log to use in the place of the made-up one.
    pub log: Option<PathBuf>,
    /// Fewer settings, to be done in a few minutes.
    pub quick: bool,
    /// How long the experiment's runs may take, where it has limits.
    pub patience: Patience,
    /// Interruption and progress.
    pub clock: Clock,
}

/// How long the runs of an experiment may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patience {
    /// As long as the experiment allows by itself.
    #[default]
    Usual,
    /// Each of them so long, and all together in proportion.
    Each(Duration),
    /// As long as they need.
    Endless,
}

/// Runs the parts of one experiment; it may keep what several parts need.
trait Laboratory {
    /// Runs a part.
    fn run(&self, part: &Part) -> Result<Vec<Section>>;

    /// The data that all parts run on, where it is one file.
    fn data(&self) -> Option<DataUsed> {
        None
    }

    /// How many runs all parts so far have made, where that is counted: a part that makes none shows those of others.
    fn runs(&self) -> Option<u64> {
        None
    }
}

static EXPERIMENTS: &[Experiment] = &[
    l_plus::EXPERIMENT,
    kl::EXPERIMENT,
    vocabulary::EXPERIMENT,
    injector::EXPERIMENT,
    codip::EXPERIMENT,
    ff::EXPERIMENT,
    quasi_sensitive::EXPERIMENT,
    tables::EXPERIMENT,
];

/// All experiments.
pub fn experiments() -> &'static [Experiment] {
    EXPERIMENTS
}

impl Experiment {
    /// The experiment of this name.
    ///
    /// ```
    /// use privet_lab::Experiment;
    /// assert_eq!(Experiment::find("l-plus")?.parts[0].name, "cost");
    /// assert!(Experiment::find("l-plsu").unwrap_err().to_string().contains("did you mean 'l-plus'?"));
    /// # Ok::<(), privet::Error>(())
    /// ```
    pub fn find(name: &str) -> Result<&'static Experiment> {
        EXPERIMENTS.iter().find(|experiment| experiment.name == name).ok_or_else(|| {
            let names: Vec<&str> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
            Error::input(format!("there is no experiment '{name}'")).help(suggestion(
                name,
                &names,
                "experiments",
            ))
        })
    }

    /// The parts of these names, in the experiment's order; all of them when no name is given.
    pub fn select(&self, names: &[String]) -> Result<Vec<&'static Part>> {
        let known: Vec<&str> = self.parts.iter().map(|part| part.name).collect();
        if let Some(stranger) = names.iter().find(|name| !known.contains(&name.as_str())) {
            return Err(Error::input(format!("the experiment '{}' has no part '{stranger}'", self.name))
                .help(suggestion(stranger, &known, "its parts")));
        }
        let wanted = |part: &&Part| names.is_empty() || names.iter().any(|name| name == part.name);
        Ok(self.parts.iter().filter(wanted).collect())
    }

    /// Runs parts and writes the page into a folder after each of them; `told` is called with every part that is done.
    ///
    /// What an earlier run left in the folder about other parts stays.
    pub fn run(
        &self,
        parts: &[&Part],
        setting: &Setting,
        folder: &Path,
        told: &mut dyn FnMut(&PartResult),
    ) -> Result<Page> {
        let empty = Page {
            experiment: self.name.to_string(),
            title: self.title.to_string(),
            source: self.source.to_string(),
            privet: env!("CARGO_PKG_VERSION").to_string(),
            data: None,
            parts: Vec::new(),
        };
        let mut page = Page::open(folder, empty)?;
        let order: Vec<&str> = self.parts.iter().map(|part| part.name).collect();
        let laboratory = (self.prepare)(setting)?;
        page.data = laboratory.data();
        for part in parts {
            let (start, runs) = (Instant::now(), laboratory.runs());
            let sections = laboratory.run(part)?;
            let result = PartResult {
                name: part.name.to_string(),
                title: part.title.to_string(),
                quick: setting.quick,
                seconds: start.elapsed().as_secs_f64(),
                shared: runs.is_some() && runs == laboratory.runs(),
                sections,
            };
            told(&result);
            page.take(result, &order);
            page.write(folder)?;
        }
        Ok(page)
    }
}
