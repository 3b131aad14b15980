//! og

use super::{COST, ItemSolution, TIME_LIMIT, Task};
use crate::engine::clock::Clock;
use crate::policy::Declaration;
use crate::{Error, Result};

pub(super) static DECLARATION: Declaration =
    Declaration { name: "og", summary: "", help: "", keys: &[COST, TIME_LIMIT] };
pub(super) static MULTI_ROUND: Declaration =
    Declaration { name: "mog", summary: "", help: "", keys: &[COST, TIME_LIMIT] };

pub(super) fn run(_: &Task<'_>, _: &Clock) -> Result<ItemSolution> {
    Err(Error::internal("not built"))
}

pub(super) fn run_multi_round(_: &Task<'_>, _: &Clock) -> Result<ItemSolution> {
    Err(Error::internal("not built"))
}
