//! A release made in this process, where a test has to watch it from within.

use privet::clock::Clock;
use privet::policy::Policy;
use privet::release;

use super::Bench;

/// Makes the release `out` of a bench.
pub fn make_here(bench: &Bench, policy: &str, clock: &Clock) -> privet::Result<()> {
    let policy = Policy::read(&bench.path(policy))?.check_any(None)?;
    release::anonymize_any(policy, &release::RunOptions::to(bench.path("out")), clock).map(drop)
}
