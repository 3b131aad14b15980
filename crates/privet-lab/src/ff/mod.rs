//! FF-anonymity on Adult, with occupation, marital status and income class partly guarded: what can be inferred from the
//! table as it is, from k-anonymous and l-diverse versions, and from FF-anonymous ones, and what each loses.
//!
//! The paper (Wang, Xu, Fu and Wong, ICDE 2009) leaves the evaluation to a full version that never came, so there are no
//! stated figures to compare with ours; its claim is that freeform attacks survive every choice of one sensitive column.

mod breaches;
mod data;
mod scale;

use self::data::Adult;
use super::page::Section;
use super::{Experiment, Laboratory, Part, Setting};
use privet::{Error, Result};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "ff",
    title: "When quasi-identifiers are missing",
    source: "Wang, Xu, Fu and Wong, FF-anonymity (ICDE 2009)",
    parts: &[breaches::PART, scale::PART],
    prepare,
};

struct Bench {
    adult: Adult,
    quick: bool,
}

fn prepare(setting: &Setting) -> Result<Box<dyn Laboratory>> {
    let adult = Adult::open(&setting.data, setting.clock.clone())?;
    Ok(Box::new(Bench { adult, quick: setting.quick }))
}

impl Laboratory for Bench {
    fn run(&self, part: &Part) -> Result<Vec<Section>> {
        match part.name {
            "breaches" => breaches::run(self),
            "scale" => scale::run(self),
            other => Err(Error::internal(format!("the part '{other}' is declared but not built"))),
        }
    }
}
