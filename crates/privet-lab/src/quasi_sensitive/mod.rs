//! The experiments of the paper on quasi-sensitive attributes (Shi, Xiong and Fung, CIKM 2010, section 4): 3,000 Adult
//! records with 8 quasi-identifiers and 9 terms each, 3,000 labels with Poisson(100) terms, 10 seconds for each run.
//!
//! The paper's figures have no numbers in their text, and its default parameters stand in a figure. What is stated: the
//! adaptive search is far below depth first on removal cost, over l and over c (Figure 5); over t², removal cost falls as k
//! rises while generalisation loses more (Figure 6).

mod closeness;
mod data;
mod diversity;

use std::time::Duration;

use self::data::Ground;
use super::adult::Adult;
use super::page::Section;
use super::{Experiment, Laboratory, Part, Setting};
use privet::clock::Clock;
use privet::engine::microdata::Microdata;
use privet::method::{self};
use privet::policy::Policy;
use privet::{Error, ErrorKind, Result};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "quasi-sensitive",
    title: "Terms that public knowledge turns into something sensitive",
    source: "Shi, Xiong and Fung, Anonymizing Data with Quasi-Sensitive Attribute Values (CIKM 2010), section 4",
    parts: &[
        Part {
            name: "diversity",
            title: "QS (c,l)-diversity",
            summary: "removal cost of the adaptive search against depth first, over l and over c (Figure 5)",
        },
        Part {
            name: "closeness",
            title: "QS t-closeness",
            summary: "removal cost and generalisation loss over t², for several k (Figure 6)",
        },
        Part {
            name: "hpo-diversity",
            title: "QS (c,l)-diversity with real diseases",
            summary: "Figure 5 with diseases and phenotypes of the Human Phenotype Ontology",
        },
        Part {
            name: "hpo-closeness",
            title: "QS t-closeness with real diseases",
            summary: "Figure 6 with diseases and phenotypes of the Human Phenotype Ontology",
        },
    ],
    prepare,
};

/// The data, and how much is run on it.
struct Bench {
    adult: Adult,
    data: std::path::PathBuf,
    quick: bool,
    clock: Clock,
}

fn prepare(setting: &Setting) -> Result<Box<dyn Laboratory>> {
    let adult = Adult::open(&setting.data, setting.clock.clone())?;
    Ok(Box::new(Bench {
        adult,
        data: setting.data.clone(),
        quick: setting.quick,
        clock: setting.clock.clone(),
    }))
}

impl Laboratory for Bench {
    fn run(&self, part: &Part) -> Result<Vec<Section>> {
        let real = part.name.starts_with("hpo");
        let ground = match real {
            false => Some(Ground::synthetic(&self.adult, self.quick)?),
            true => Ground::hpo(&self.adult, &self.data, self.quick)?,
        };
        let Some(ground) = ground else {
            let missing = "symptoms/hpo_phenotype.hpoa is not in the data folder, so this part was left out.";
            return Ok(vec![Section::new(part.title).say(missing)]);
        };
        match part.name {
            "diversity" | "hpo-diversity" => diversity::run(self, &ground),
            "closeness" | "hpo-closeness" => closeness::run(self, &ground),
            other => Err(Error::internal(format!("the part '{other}' is declared but not built"))),
        }
    }
}

/// What came of a run.
struct Outcome {
    /// The normalised removal cost.
    cost: f64,
    /// The generalisation loss LM, normalised.
    loss: f64,
    groups: u64,
    proven: u64,
    tried: u64,
}

impl Bench {
    /// The paper's limit.
    fn limit(&self) -> Duration {
        if self.quick { Duration::from_millis(200) } else { Duration::from_secs(10) }
    }

    /// Runs the method; `None` where nothing can meet the policy.
    fn solve(&self, ground: &Ground, k: u64, privacy: &str, search: &str) -> Result<Option<Outcome>> {
        self.clock.check()?;
        let privacy = format!("[privacy.k-anonymity]\nk = {k}\n{privacy}");
        let method = format!("search = \"{search}\"\ntime_limit = \"{}ms\"", self.limit().as_millis());
        let (path, text) = ground.policy(&privacy, &method);
        let policy = Policy::parse(&path, text)?.check(None)?;
        let microdata = Microdata::read(&policy, &mut |_| self.clock.check())?;
        let solution = match method::run(&policy, &microdata, &self.clock) {
            Err(error) if error.kind() == ErrorKind::Infeasible => return Ok(None),
            other => other?,
        };
        let classes = solution.recoding.count(&microdata);
        let costs = solution.recoding.costs(&microdata, &classes);
        let loss = costs.iter().find(|cost| cost.name == "LM").map_or(0.0, |cost| cost.normalised);
        let groups = solution.sets.as_ref().map(|sets| sets.groups).unwrap_or_default();
        Ok(Some(Outcome {
            cost: solution.cost.map_or(0.0, |cost| cost.normalised),
            loss,
            groups: groups.total,
            proven: groups.untouched + groups.optimal,
            tried: solution.search.examined,
        }))
    }

    /// What the runs were made on, in a sentence.
    fn describe(&self, ground: &Ground) -> String {
        format!(
            "{} Adult records, 8 quasi-identifiers, 9 terms each drawn from one label; {} labels over {} terms; {} for each \
             run, on {} threads.",
            ground.records,
            ground.labels,
            ground.terms,
            super::page::significant(self.limit().as_secs_f64(), 3) + " s",
            rayon::current_num_threads()
        )
    }
}
