//! `privet apply`: the plan of an earlier release for later data.

use privet::Result;
use privet::clock::Clock;
use privet::data::Formulas;
use privet::policy::Policy;
use privet::release::{EarlierPlan, RunOptions, apply_plan};

use super::anonymize::present;
use crate::arguments::Apply;
use crate::output::Output;

pub fn run(arguments: &Apply, output: &Output, clock: &Clock) -> Result<u8> {
    let options = RunOptions {
        force: arguments.force,
        format: arguments.format,
        seed: arguments.seed,
        attacks: arguments.attacks.into(),
        ..RunOptions::to(&arguments.output)
    };
    let earlier = EarlierPlan::read(&arguments.earlier)?;
    let policy = match &arguments.policy {
        Some(path) => Policy::read(path)?,
        None => earlier.policy()?,
    };
    let formulas = if arguments.csv_safe { Formulas::Mark } else { Formulas::Refuse };
    let published = apply_plan(&earlier, &policy.with_formulas(formulas), &arguments.data, &options, clock)?;
    present(&published, output);
    Ok(0)
}
